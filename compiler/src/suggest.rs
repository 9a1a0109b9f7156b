//! "Did you mean": the known name nearest to one that is not known.
//!
//! Distance is the optimal string alignment distance: insertions, deletions, substitutions and swaps
//! of neighbors cost 1 each.

/// The candidate nearest to `name`, where one is near enough to be a slip of the fingers.
pub fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let n_characters = name.chars().count();
    let limit = 1 + n_characters / 4;
    let lowered = name.to_lowercase();
    candidates
        .into_iter()
        // A difference in length takes as many edits; it is cheap to see, and there may be many candidates.
        .filter(|candidate| candidate.chars().count().abs_diff(n_characters) <= limit && *candidate != name)
        .map(|candidate| (distance(&lowered, &candidate.to_lowercase()), candidate))
        .filter(|(edits, candidate)| *edits <= limit && *edits < name.len().max(candidate.len()))
        .min()
        .map(|(_, candidate)| candidate)
}

/// `did you mean `x`?`, or else the list of what there is.
pub(crate) fn help<'c>(
    name: &str,
    what: &str,
    candidates: impl IntoIterator<Item = &'c str, IntoIter: Clone>,
) -> String {
    let candidates = candidates.into_iter();
    match nearest(name, candidates.clone()) {
        Some(candidate) => format!("did you mean `{candidate}`?"),
        None if candidates.clone().next().is_none() => format!("there are no {what}"),
        None => format!("{what}: {}", listing(candidates)),
    }
}

fn listing<'c>(candidates: impl Iterator<Item = &'c str>) -> String {
    const MAX_NAMES: usize = 12;
    let shown: Vec<String> = candidates.take(MAX_NAMES + 1).map(|name| format!("`{name}`")).collect();
    let mut listing = shown[..shown.len().min(MAX_NAMES)].join(", ");
    if shown.len() > MAX_NAMES {
        listing.push_str(", ...");
    }
    listing
}

/// Optimal string alignment distance, in O(product of the lengths), names cut at 64 characters.
fn distance(left: &str, right: &str) -> usize {
    const MOST_LETTERS: usize = 64;
    let left: Vec<char> = left.chars().take(MOST_LETTERS).collect();
    let right: Vec<char> = right.chars().take(MOST_LETTERS).collect();
    let mut rows = vec![vec![0; right.len() + 1]; left.len() + 1];
    for (row_idx, row) in rows.iter_mut().enumerate() {
        row[0] = row_idx;
    }
    rows[0] = (0..=right.len()).collect();
    for row in 1..=left.len() {
        for col in 1..=right.len() {
            let is_other = usize::from(left[row - 1] != right[col - 1]);
            let mut edits =
                (rows[row - 1][col] + 1).min(rows[row][col - 1] + 1).min(rows[row - 1][col - 1] + is_other);
            let is_swap =
                row > 1 && col > 1 && left[row - 1] == right[col - 2] && left[row - 2] == right[col - 1];
            if is_swap {
                edits = edits.min(rows[row - 2][col - 2] + 1);
            }
            rows[row][col] = edits;
        }
    }
    rows[left.len()][right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_strangers_are_not() {
        assert_eq!(nearest("Mutl", ["Gath", "Mult"]), Some("Mult"));
        assert_eq!(nearest("mult", ["Mult"]), Some("Mult"));
        assert_eq!(nearest("Solve", ["Gath", "Mult"]), None);
        assert_eq!(nearest("a", ["b"]), None);
    }
}
