//! What the names in an expression stand for, at the place where it stands.

use hasse_model::id::SlotId;
use hasse_model::plan::{Slot, SlotKind};
use hasse_model::value::Type;

/// What a name stands for.
#[derive(Clone, Debug)]
pub(crate) enum Meaning {
    /// A name of the node.
    Slot {
        /// Its slot.
        slot: SlotId,
        /// What kind of name it is.
        kind: SlotKind,
        /// Of a bound name: whether it holds a value whichever rule was taken.
        is_always_bound: bool,
        /// Its type.
        ty: Type,
    },
    /// A creation parameter, where there is no node.
    Param {
        /// Its position.
        param_idx: u32,
        /// Its type.
        ty: Type,
    },
    /// A loop, pattern or index variable, by position.
    Local(u32),
    /// A name that only Rhai can look up, with its type where that is certain.
    Script(Option<Type>),
    /// A name that exists, but not for this expression; says why.
    Hidden(&'static str),
    /// A name that does not exist here, but nearby; says what to do.
    Nearby(&'static str),
}

/// Names and their meanings.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    /// A later entry hides an earlier one of the same name.
    entries: Vec<(String, Meaning)>,
    /// Whether lengths of arrays and vectors are lowered.
    has_lengths: bool,
}

impl Scope {
    pub(crate) fn get(&self, name: &str) -> Option<&Meaning> {
        self.entries.iter().rev().find(|(entry, _)| entry == name).map(|(_, meaning)| meaning)
    }

    pub(crate) fn add(&mut self, name: &str, meaning: Meaning) {
        self.entries.push((name.to_owned(), meaning));
    }

    /// Has lengths of arrays and vectors lowered, where there is no interpreter to ask for them.
    pub(crate) fn lower_lengths(&mut self) {
        self.has_lengths = true;
    }

    pub(crate) fn has_lengths(&self) -> bool {
        self.has_lengths
    }

    /// Adds a node's names; `hidden` says for which kinds and why they cannot be seen.
    pub(crate) fn add_slots(&mut self, slots: &[Slot], hidden: impl Fn(SlotKind) -> Option<&'static str>) {
        for (slot_idx, slot) in slots.iter().enumerate() {
            let meaning = match hidden(slot.kind) {
                Some(reason) => Meaning::Hidden(reason),
                None => {
                    let (slot_id, kind, ty) = (SlotId::from_idx(slot_idx), slot.kind, slot.ty.clone());
                    Meaning::Slot { slot: slot_id, kind, is_always_bound: false, ty }
                }
            };
            self.add(&slot.name, meaning);
        }
    }

    /// Notes which bound names hold a value whichever rule was taken.
    pub(crate) fn set_always_bound(&mut self, is_always_bound_of: impl Fn(SlotId) -> bool) {
        for (_, meaning) in &mut self.entries {
            if let Meaning::Slot { slot, kind: SlotKind::Bound, is_always_bound, .. } = meaning {
                *is_always_bound = is_always_bound_of(*slot);
            }
        }
    }

    /// Names that can be seen.
    pub(crate) fn visible(&self) -> impl Iterator<Item = &str> + Clone {
        self.entries
            .iter()
            .filter(|(_, meaning)| !matches!(meaning, Meaning::Hidden(_) | Meaning::Nearby(_)))
            .map(|(name, _)| name.as_str())
    }
}
