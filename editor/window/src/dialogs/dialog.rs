//! The dialog that is open.

use std::path::PathBuf;

use hasse_editor::panels::file_dialog::FileDialog;
use hasse_editor::state::prompt::Prompt;
use hasse_ui::{Dialogs as UiDialogs, EditorWindow, LineOfList, SideRow as UiSideRow};
use slint::{ComponentHandle, SharedString};

use crate::models::Rows;

/// What is asked.
pub(super) enum Open {
    /// A file; whether a file that is there may be written over has been asked.
    File {
        dialog: Box<FileDialog>,
        overwrites: Option<PathBuf>,
    },
    Prompt(Prompt),
    Keys(Vec<LineOfList>),
    About,
}

/// The dialog that is open.
pub(crate) struct Dialogs {
    pub(super) open: Option<Open>,
    pub(super) entries: Rows<LineOfList>,
    pub(super) choices: Rows<SharedString>,
    pub(super) differences: Rows<UiSideRow>,
    /// What the field holds.
    pub(super) text: String,
}

impl Dialogs {
    pub(crate) fn new(window: &EditorWindow) -> Self {
        let (entries, choices, differences) = (Rows::new(), Rows::new(), Rows::new());
        let dialogs = window.global::<UiDialogs>();
        dialogs.set_entries(entries.model());
        dialogs.set_choices(choices.model());
        dialogs.set_differences(differences.model());
        Self { open: None, entries, choices, differences, text: String::new() }
    }
}
