//! The fields of the form as they are shown.

use hasse_editor::run::{Field, FieldId};

/// The form as it is shown.
#[derive(Default)]
pub(in super::super) struct Form {
    pub(super) fields: Vec<Field>,
    pub(super) shown: Option<(u64, bool)>,
    pub(super) version: i32,
    /// The field that is to have the focus when it is there.
    pub(super) wanted: Option<FieldId>,
}
