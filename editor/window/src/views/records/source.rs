//! What is known of the record that is shown.

use hasse_editor::run::Mode;

/// What is known of the record that is shown.
#[derive(Default)]
pub(in super::super) struct Source {
    /// What it is called.
    pub(in super::super) name: String,
    /// What is to be said of it, or of the run that it is not of.
    pub(in super::super) note: String,
    /// Whether it has not been seen yet.
    pub(super) is_new: bool,
    /// Whether the record of the run under way grows here.
    pub(super) is_of_run: bool,
    /// True once that run was seen under way or over: its header comes before its state.
    pub(super) has_state: bool,
    /// The mode of the last run.
    pub(super) mode: Option<Mode>,
}
