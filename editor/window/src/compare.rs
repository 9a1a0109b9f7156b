//! The program next to another version of it.

/// The list of differences.
pub(crate) mod list;

use std::path::Path;
use std::rc::Rc;

use hasse_compiler::Presence;
use hasse_editor::comparison::DifferenceLine;
use hasse_editor::files;
use hasse_editor::panels::file_dialog::Purpose;
use hasse_editor::state::Status as Said;
use hasse_editor::views::record::header_of;
use hasse_ui::{App, Compare as UiCompare, EditorWindow, LineOfList};
use slint::ComponentHandle;

use crate::hub::Shared;
use crate::studio::update::go;
use crate::studio::{Later, Studio};

/// Name of the version that was saved last.
const SAVED: &str = "the saved version";

/// Most letters of what is written at the right of a line.
const MOST_LETTERS: usize = 28;

/// The beginning of a text, on one line.
fn short(text: &str) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MOST_LETTERS) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line,
    }
}

fn line(line: &DifferenceLine) -> LineOfList {
    let (badge, tone) = match line.presence {
        None => ("", 0),
        Some(Presence::Added) => ("new", 3),
        Some(Presence::Removed) => ("gone", 2),
        Some(Presence::Changed) => ("changed", 1),
        Some(Presence::Moved) => ("moved", 4),
    };
    LineOfList {
        badge: badge.into(),
        text: (&line.text).into(),
        detail: short(&line.detail).into(),
        tone,
        is_title: line.presence.is_none(),
        depth: i32::from(line.presence.is_some()),
        ..LineOfList::default()
    }
}

impl Studio {
    /// Asks for the file of another version.
    pub(crate) fn ask_to_compare(&mut self) {
        let folder = self.folder();
        self.ask_for_file(Purpose::Compare, &folder, "");
    }

    /// Compares the program with that of a file, or the one that was recorded in a trace.
    pub(crate) fn compare_with_file(&mut self, path: &Path) {
        let is_trace = path.extension().is_some_and(|ending| ending == "trace");
        let text = if is_trace {
            header_of(path).map(|header| header.program_text).map_err(|error| error.to_string())
        } else {
            files::open(path).map_err(|error| error.to_string())
        };
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        self.compare(text, &name, false);
    }

    /// Compares the program with its file, or no longer.
    pub(crate) fn toggle_comparison_with_saved(&mut self) {
        if self.editor.comparison().is_some_and(|comparison| comparison.is_with_saved()) {
            return self.editor.end_comparison();
        }
        let Some(path) = self.editor.path() else { return };
        let text = files::open(path).map_err(|error| error.to_string());
        self.compare(text, SAVED, true);
    }

    fn compare(&mut self, text: Result<String, String>, name: &str, is_with_saved: bool) {
        match text {
            Ok(text) => {
                self.window().global::<App>().set_has_right(true);
                self.editor.compare_with(name, &text, is_with_saved);
            }
            Err(text) => self.editor.set_status(Said { text, is_refusal: true }),
        }
    }

    /// Shows the list of differences.
    pub(crate) fn show_comparison(&mut self, window: &EditorWindow) {
        self.editor.update_comparison();
        let ui = window.global::<UiCompare>();
        let comparison = self.editor.comparison();
        ui.set_is_open(comparison.is_some());
        let Some(comparison) = comparison else { return };
        ui.set_title(format!("Compared with {}", comparison.name()).into());
        ui.set_note(comparison.note().into());
        self.comparing.lines.set(comparison.lines().iter().map(line));
    }
}

/// Connects the callbacks of the comparison.
pub(crate) fn connect(window: &EditorWindow, shared: &Shared) {
    let ui = window.global::<UiCompare>();
    let weak = Rc::downgrade(shared);
    ui.on_clicked(move |row| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.editor.show_difference(usize::try_from(row).unwrap_or(usize::MAX)));
    });
    let weak = Rc::downgrade(shared);
    ui.on_close(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            studio.editor.end_comparison();
            studio.later.push(Later::FocusCanvas);
        });
    });
}
