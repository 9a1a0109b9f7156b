//! Conditions on one action each, and how they are to hold together.

use crate::check::spec::Spec;

/// Most combinations of actions that are searched.
pub(super) const MAX_COMBINATIONS: usize = 10_000;

/// Whether some or every order of events goes through a cut with all conditions true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modality {
    /// Some.
    Possibly,
    /// Every.
    Definitely,
}

/// A condition on the vars of one action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conjunct {
    /// The action, or a template for some instance of it.
    pub spec: Spec,
    /// The condition as it was written.
    pub text: String,
    /// The condition with [`variable`](Self::variable) in place of the action.
    pub condition: String,
    /// Stands for the action's state.
    pub variable: String,
    /// Column in the command at which the condition begins, from 1.
    pub condition_column: usize,
}
