//! A breakpoint that was typed.

/// The line that sets breakpoints, from Enter to the session's answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct TypedBreakpoint {
    /// The command that was sent and is not answered.
    pub(super) waiting: Option<String>,
    /// The breakpoint that is deleted when it is set.
    pub(in super::super) replaced: Option<u64>,
    pub(super) problem: String,
    pub(super) n_placed: u64,
}

impl TypedBreakpoint {
    /// Forgets the line that is typed.
    pub(in super::super) fn clear(&mut self) {
        *self = Self { n_placed: self.n_placed + 1, ..Self::default() };
    }
}
