//! The last announcement of a run.

use hasse_editor::run::Ended;

/// Last announcement of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in super::super) enum Announced {
    #[default]
    Nothing,
    /// It is under way.
    GoesOn,
    /// A stop, by number; whether its reason was known.
    Stop(u64, bool),
    End(Ended),
    /// It has not begun, for this reason.
    NotRun(String),
}
