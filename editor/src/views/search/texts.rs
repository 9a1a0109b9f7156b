//! Texts of events with values.

/// Texts of an event with values, in lower case.
#[derive(Debug, Default)]
pub(in super::super) struct EventTexts {
    pub(super) took: Vec<String>,
    pub(super) sent: Vec<String>,
    pub(super) printed: Vec<String>,
}
