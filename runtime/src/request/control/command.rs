//! Commands of the debugger to one action and to all.

/// What one action is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ActionCommand {
    Stop,
    Next,
}

/// What all actions are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GlobalCommand {
    Go,
    Stop,
    Next,
}
