//! What a command is asked of: a name or an event, as it was written.

/// A name to be looked up, with its column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::debug) struct Symbol {
    pub(in crate::debug) name: String,
    pub(in crate::debug) column: usize,
}

/// An event that a command is about: the selected one, where none is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::debug) struct AskedEvent {
    pub(in crate::debug) target: Option<String>,
    /// Of the target, or else of the command.
    pub(in crate::debug) column: usize,
}
