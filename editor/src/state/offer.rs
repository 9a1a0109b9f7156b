//! Questions about the file that only a person can answer: each with its choices, as plain data.

use crate::files::autosave::Autosave;
use crate::files::differences::DifferenceLine;
use crate::files::merge::Conflict;
use hasse_model::quantity::counted;

/// What a question is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Matter {
    /// A text that was not saved was kept.
    Recovery(Autosave),
    /// The file was changed by someone else, and so was the program.
    ChangedOnDisk {
        /// What the file holds.
        text: String,
        /// Where both sides contradict each other; none where they can be merged.
        conflicts: Vec<Conflict>,
    },
    /// The file is gone.
    Removed,
    /// The program is to be left without being saved.
    Unsaved,
    /// The window is to be closed without the models being saved.
    UnsavedModels,
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Choice {
    /// Take the kept text over.
    Recover,
    /// Throw the kept text, or what was not saved, away.
    Discard,
    /// Take what the file holds.
    TakeTheirs,
    /// Write over what the file holds.
    Overwrite,
    /// Take both sides' changes; where they contradict each other, the editor's.
    Merge,
    /// Take both sides' changes; where they contradict each other, the file's.
    MergeTheirs,
    /// Save the program first.
    Save,
    /// Do nothing now.
    Later,
}

/// A question with its choices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// What it is about.
    pub matter: Matter,
    /// One line.
    pub title: String,
    /// More about it.
    pub text: String,
    /// Lines that differ between program and file; empty for other questions.
    pub differences: Vec<DifferenceLine>,
    /// What can be chosen, with what is written on the button; the first is the one for Enter, the last for Escape.
    pub choices: Vec<(Choice, String)>,
}

/// Names of the two sides of a conflict.
const MINE_AND_THEIRS: &str = "Mine is what is open here, theirs is what is on the disk.";

impl Offer {
    pub(super) fn new(matter: Matter, name: &str) -> Self {
        let (title, text, choices): (String, String, &[(Choice, &str)]) = match &matter {
            Matter::Recovery(_) => (
                format!("There are changes of {name} that were not saved"),
                "The editor ended before they were saved. They can be taken over, and undone like an edit."
                    .to_owned(),
                &[
                    (Choice::Recover, "Take them over"),
                    (Choice::Discard, "Throw them away"),
                    (Choice::Later, "Decide later"),
                ],
            ),
            Matter::ChangedOnDisk { conflicts, .. } if conflicts.is_empty() => (
                format!("{name} was changed on the disk"),
                format!(
                    "Someone else wrote the file since it was read. {MINE_AND_THEIRS} The changes do not contradict each other."
                ),
                &[
                    (Choice::Merge, "Merge: keep both changes"),
                    (Choice::TakeTheirs, "Take theirs"),
                    (Choice::Overwrite, "Keep mine"),
                    (Choice::Later, "Decide later"),
                ],
            ),
            Matter::ChangedOnDisk { conflicts, .. } => (
                format!("{name} was changed on the disk"),
                format!(
                    "Someone else wrote the file since it was read. {MINE_AND_THEIRS} In {} both sides changed the same lines.",
                    counted(conflicts.len(), "place")
                ),
                &[
                    (Choice::Merge, "Merge: mine where both changed"),
                    (Choice::MergeTheirs, "Merge: theirs where both changed"),
                    (Choice::TakeTheirs, "Take theirs"),
                    (Choice::Overwrite, "Keep mine"),
                    (Choice::Later, "Decide later"),
                ],
            ),
            Matter::Removed => (
                format!("{name} is gone from the disk"),
                "The program is still here, and can be written again.".to_owned(),
                &[(Choice::Save, "Write it again"), (Choice::Later, "Leave it")],
            ),
            Matter::Unsaved => (
                format!("{name} is not saved"),
                "Its changes are lost otherwise.".to_owned(),
                &[(Choice::Save, "Save"), (Choice::Discard, "Do not save"), (Choice::Later, "Cancel")],
            ),
            Matter::UnsavedModels => (
                format!("The models of {name} are not saved"),
                "They are kept in a file beside the program, and are lost otherwise.".to_owned(),
                &[(Choice::Save, "Save"), (Choice::Discard, "Do not save"), (Choice::Later, "Cancel")],
            ),
        };
        let choices = choices.iter().map(|(choice, label)| (*choice, (*label).to_owned())).collect();
        Self { matter, title, text, differences: Vec::new(), choices }
    }
}
