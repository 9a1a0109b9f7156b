//! Commands of the debugger to one action and to all.

/// What one action is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionCommand {
    /// To stop before its next computation.
    Stop,
    /// To have those stop that it sends to.
    Next,
}

/// What all actions are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GlobalCommand {
    /// To go on.
    Go,
    /// To stop before their next computations.
    Stop,
    /// To have those stop that they send to.
    Next,
}
