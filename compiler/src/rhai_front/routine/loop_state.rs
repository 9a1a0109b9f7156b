//! The state of a loop that is being lowered.

use std::collections::BTreeMap;

use hasse_model::plan::routine::Target;

use super::code::Pending;
use super::held::{Held, Var};

/// A loop that is being lowered.
#[derive(Clone)]
pub(super) struct LoopState {
    /// Values of names at its beginning.
    pub(super) at_start: Vec<Var>,
    /// Names that come back with something else, by position, and what they hold then.
    pub(super) changed: BTreeMap<usize, Held>,
    /// Values of names after it, as far as they are known.
    pub(super) at_end: Option<Vec<Var>>,
    pub(super) breaks: Vec<Pending>,
    /// Where `continue` goes: back, or on to a place that is not known yet.
    pub(super) next: Next,
    pub(super) continues: Vec<Pending>,
}

/// Where the next round of a loop is begun.
#[derive(Clone, Copy)]
pub(super) enum Next {
    Back(Target),
    Further,
}
