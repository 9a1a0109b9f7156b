//! The scope of the template that a worker is serving: values by slot, lent to the interpreter when
//! a script runs.

use hasse_model::id::{GraphInstanceId, SlotId};
use rhai::{Dynamic, Identifier, Scope};

/// Values of a template's names. They are in `slots`, or, between [`enter_scope`](Self::enter_scope)
/// and [`leave_scope`](Self::leave_scope), in `scope`, followed by what the script bound by `let`.
pub struct Frame {
    names: Vec<Identifier>,
    slots: Vec<Dynamic>,
    scope: Scope<'static>,
    is_in_scope: bool,
    /// Names that the body bound by `let`, kept after it for the debugger. Empty where no debugger controls the run.
    kept_lets: Vec<(Identifier, Dynamic)>,
    /// The graph instance whose parameters stand in the slots.
    pub params_of: Option<GraphInstanceId>,
}

impl Frame {
    /// A frame with these names, all without values.
    #[inline]
    pub fn new(names: Vec<Identifier>) -> Self {
        let slots = vec![Dynamic::UNIT; names.len()];
        Self { names, slots, scope: Scope::new(), is_in_scope: false, kept_lets: Vec::new(), params_of: None }
    }

    /// The value of a slot; while a script has the values, what the name means to the script.
    #[inline]
    pub fn get(&self, slot: SlotId) -> &Dynamic {
        if self.is_in_scope {
            self.scope.get(&self.names[slot.idx()]).unwrap_or(&self.slots[slot.idx()])
        } else {
            &self.slots[slot.idx()]
        }
    }

    /// Sets a slot while no script has the values.
    #[inline]
    pub fn set(&mut self, slot_idx: usize, value: Dynamic) {
        debug_assert!(!self.is_in_scope, "slots are not written while a script has them");
        self.slots[slot_idx] = value;
    }

    /// Takes the value out of a slot while no script has the values.
    #[inline]
    pub fn take(&mut self, slot_idx: usize) -> Dynamic {
        std::mem::take(&mut self.slots[slot_idx])
    }

    /// Returns true if the body has bound the name of a slot again, and the interpreter has the values.
    #[inline]
    pub fn is_shadowed(&self, slot: SlotId) -> bool {
        self.is_in_scope && self.lets().iter().any(|(name, _)| *name == self.names[slot.idx()].as_str())
    }

    /// Takes the value out of a name that the body has bound by `let`, while the interpreter has the values.
    #[inline]
    pub fn take_let(&mut self, name: &str) -> Option<Dynamic> {
        self.scope.get_mut(name).map(std::mem::take)
    }

    /// The slots while no script has them, to be changed.
    #[inline]
    pub fn slots_mut(&mut self) -> &mut [Dynamic] {
        &mut self.slots
    }

    /// Lends the values to the interpreter.
    #[inline]
    pub fn enter_scope(&mut self) -> &mut Scope<'static> {
        if !self.is_in_scope {
            for (name, value) in self.names.iter().zip(&mut self.slots) {
                if value.is_array() || value.is_map() {
                    // `push_dynamic` marks every item as writable, which takes linear time for each event; an assignment does not.
                    self.scope.push_dynamic(name.clone(), Dynamic::UNIT);
                    if let Some(place) = self.scope.get_mut(name) {
                        *place = std::mem::take(value);
                    }
                } else {
                    self.scope.push_dynamic(name.clone(), std::mem::take(value));
                }
            }
            self.is_in_scope = true;
        }
        &mut self.scope
    }

    /// Takes the values back, and forgets what was bound by `let`.
    #[inline]
    pub fn leave_scope(&mut self) {
        if self.is_in_scope {
            self.scope.rewind(self.names.len());
            // From the last one back, so that each is found at once.
            for (slot_idx, (name, slot)) in self.names.iter().zip(&mut self.slots).enumerate().rev() {
                if let Some(value) = self.scope.get_mut(name) {
                    *slot = std::mem::take(value);
                }
                self.scope.rewind(slot_idx);
            }
            self.is_in_scope = false;
        }
    }

    /// Takes the values back, and keeps what was bound by `let` for [`value_of`](Self::value_of) and
    /// [`lets`](Self::lets), until [`forget_lets`](Self::forget_lets).
    #[inline]
    pub fn leave_scope_keeping_lets(&mut self) {
        if self.is_in_scope {
            let lets = self.lets().into_iter();
            self.kept_lets = lets.map(|(name, held)| (Identifier::from(name), held.clone())).collect();
            self.leave_scope();
        }
    }

    /// Drops what [`leave_scope_keeping_lets`](Self::leave_scope_keeping_lets) has kept.
    #[inline]
    pub fn forget_lets(&mut self) {
        self.kept_lets.clear();
    }

    /// The value of a name, also one that the body has bound by `let`.
    #[inline]
    pub fn value_of(&self, name: &str) -> Option<&Dynamic> {
        if self.is_in_scope {
            return self.scope.get(name);
        }
        if let Some((_, held)) = self.kept_lets.iter().find(|(kept, _)| kept == name) {
            return Some(held);
        }
        let slot_idx = self.names.iter().position(|known| known == name)?;
        Some(&self.slots[slot_idx])
    }

    /// Mutable value of a name, also one that the body has bound by `let`.
    #[inline]
    pub fn value_mut(&mut self, name: &str) -> Option<&mut Dynamic> {
        if self.is_in_scope {
            return self.scope.get_mut(name);
        }
        if let Some((_, held)) = self.kept_lets.iter_mut().find(|(kept, _)| kept == name) {
            return Some(held);
        }
        let slot_idx = self.names.iter().position(|known| known == name)?;
        self.slots.get_mut(slot_idx)
    }

    /// Names that the body bound by `let` on its outermost level, in their order, with their values; the last one of a
    /// name counts.
    #[inline]
    pub fn lets(&self) -> Vec<(&str, &Dynamic)> {
        if !self.is_in_scope {
            return self.kept_lets.iter().map(|(name, held)| (name.as_str(), held)).collect();
        }
        let mut lets: Vec<(&str, &Dynamic)> = Vec::new();
        // The interpreter lists the newest names first.
        for (name, _, held) in self.scope.iter_raw().take(self.scope.len().saturating_sub(self.names.len())) {
            if lets.iter().all(|(known, _)| *known != name) {
                lets.push((name, held));
            }
        }
        lets.reverse();
        lets
    }

    /// Names and values, in the order of the scope.
    #[inline]
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Dynamic)> {
        self.names
            .iter()
            .enumerate()
            .map(|(slot_idx, name)| (name.as_str(), self.get(SlotId::from_idx(slot_idx))))
    }
}
