//! What differs between two texts: one place, what stood there, and what stands there now.

/// A place of a text with what it held before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Patch {
    /// In bytes.
    at: usize,
    removed: String,
    inserted: String,
}

impl Patch {
    /// The smallest patch that makes one text of another; `None` where they are equal.
    pub(super) fn between(old: &str, new: &str) -> Option<Self> {
        if old == new {
            return None;
        }
        let same = |(one, other): &(char, char)| one == other;
        let len = |pairs: &mut dyn Iterator<Item = (char, char)>| -> usize {
            pairs.take_while(same).map(|(letter, _)| letter.len_utf8()).sum()
        };
        let at = len(&mut old.chars().zip(new.chars()));
        let behind = len(&mut old[at..].chars().rev().zip(new[at..].chars().rev()));
        Some(Self {
            at,
            removed: old[at..old.len() - behind].to_owned(),
            inserted: new[at..new.len() - behind].to_owned(),
        })
    }

    /// Whether the patch of a text changes the place that the last patch has changed, or one next to it: only blanks and line ends
    /// are between them.
    pub(super) fn follows(&self, last: &Self, text: &str) -> bool {
        let (last_end, own_end) = (last.at + last.inserted.len(), self.at + self.removed.len());
        let between = if self.at > last_end {
            text.get(last_end..self.at)
        } else if own_end < last.at {
            text.get(own_end..last.at)
        } else {
            Some("")
        };
        between.is_some_and(|between| between.trim().is_empty())
    }

    /// Makes the new text of the old one.
    pub(super) fn apply(&self, text: &mut String) {
        text.replace_range(self.at..self.at + self.removed.len(), &self.inserted);
    }

    /// Makes the old text of the new one.
    pub(super) fn revert(&self, text: &mut String) {
        text.replace_range(self.at..self.at + self.inserted.len(), &self.removed);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Patch;

    proptest! {
        #[test]
        fn a_patch_leads_from_one_text_to_the_other_and_back(old in "[aé\n]{0,12}", new in "[aé\n]{0,12}") {
            let Some(patch) = Patch::between(&old, &new) else {
                prop_assert_eq!(old, new);
                return Ok(());
            };
            let mut text = old.clone();
            patch.apply(&mut text);
            prop_assert_eq!(&text, &new);
            patch.revert(&mut text);
            prop_assert_eq!(&text, &old);
            prop_assert!(patch.removed.len() <= old.len() && patch.inserted.len() <= new.len());
        }
    }
}
