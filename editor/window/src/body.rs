//! The body of the selected unit, as text with colors, problems at their lines and completion.

use std::rc::Rc;
use std::sync::Arc;

use hasse_editor::marks::LineMark;
use hasse_editor::panels::code::{CodeEditor, CodeKind, Command, TextEdit};
use hasse_editor::panels::inspector::CellKind;
use hasse_editor::state::input::{Key, Modifiers};
use hasse_editor::target::Target;
use hasse_model::diagnostic::Severity;
use hasse_ui::{App, Code as UiCode, CodeLine, CodeProblem, EditorWindow, TokenItem};
use slint::{Color, ComponentHandle};

use crate::form::items::completion_item;
use crate::hub::Shared;
use crate::keys;
use crate::models::model;
use crate::studio::update::go;
use crate::studio::{Later, Studio};

/// Colors of its text.
pub(crate) mod colors;
/// The text editor of a body and its rows.
pub(crate) mod pane;

use colors::{TOKEN_COLORS, token_number};

fn offset(number: i32) -> usize {
    usize::try_from(number).unwrap_or(0)
}

impl Studio {
    /// Shows the body of what is selected, and what has changed of it.
    pub(crate) fn refresh_body(&mut self, window: &EditorWindow, is_other_program: bool) {
        let ui = window.global::<UiCode>();
        let cell = self.form.body().cloned();
        let Some(cell) = cell else {
            if self.body.code.take().is_some() || ui.get_has_code() {
                self.body.cell = None;
                self.body.shown = None;
                self.body.lines.set([]);
                self.body.completions.set([]);
                self.body.problems.set([]);
                self.body.version += 1;
                ui.set_has_code(false);
                ui.set_text("".into());
                ui.set_title("body".into());
                ui.set_status("".into());
                ui.set_version(self.body.version);
            }
            return;
        };
        let kind = if let CellKind::Code(kind) = cell.kind { kind } else { CodeKind::Body };
        let is_other = self.body.cell.as_ref() != Some(&cell.id)
            || self
                .body
                .code
                .as_ref()
                .is_none_or(|code| *code.target() != cell.target || code.kind() != kind);
        let mut is_new_text = is_other;
        if is_other {
            let functions = Arc::clone(&self.functions);
            let code = CodeEditor::new(cell.target.clone(), kind, &cell.text, functions);
            self.body.code = Some(code);
            self.body.cell = Some(cell.id.clone());
        }
        let Some(code) = &mut self.body.code else { return };
        if code.text() != cell.text {
            let cursor = code.cursor().min(cell.text.len());
            code.set_text(&cell.text, cursor, cursor);
            is_new_text = true;
        }
        if is_other || is_other_program {
            code.set_program(self.editor.document().text());
            if let Some(problems) = self.editor.problems() {
                code.set_problems(problems);
            }
        }
        if let Some(line) = self.body.wanted_line.take() {
            let at = code.offset_at(line, 0);
            let text = code.text().to_owned();
            code.set_text(&text, at, at);
            ui.set_scroll_to_line(-1);
            ui.set_scroll_to_line(i32::try_from(line).unwrap_or(1));
            is_new_text = true;
        }
        if is_new_text {
            self.body.version += 1;
            let selection = code.selection();
            let cursor = code.cursor();
            let anchor = if selection.start == cursor { selection.end } else { selection.start };
            ui.set_text(code.text().into());
            ui.set_anchor(i32::try_from(anchor).unwrap_or(0));
            ui.set_cursor(i32::try_from(cursor).unwrap_or(0));
            ui.set_version(self.body.version);
        }
        self.mark_body_lines();
        let Some(code) = &mut self.body.code else { return };
        let shown = (code.version(), self.body.part, self.is_dark);
        if self.body.shown == Some(shown) && !is_other && !is_other_program {
            return;
        }
        self.body.shown = Some(shown);
        let language = if kind == CodeKind::Rust { ", in Rust" } else { "" };
        let title = cell.target.node().map_or("body".to_owned(), |node| format!("body of {node}{language}"));
        ui.set_title(title.into());
        ui.set_has_code(true);
        ui.set_n_lines(i32::try_from(code.n_lines()).unwrap_or(1));
        let longest = code.text().lines().map(|line| line.chars().count()).max().unwrap_or(0);
        ui.set_n_columns(i32::try_from(longest).unwrap_or(1));
        let (first, n_lines) = self.body.part;
        let last = (first + n_lines).min(code.n_lines());
        let (line_at, column_at) = code.position();
        self.body.problems.set(code.diagnoses().iter().map(|found| CodeProblem {
            line: i32::try_from(found.line).unwrap_or(0),
            text: match &found.help {
                Some(help) => format!("{}: {} \u{b7} {help}", found.code, found.message).into(),
                None => format!("{}: {}", found.code, found.message).into(),
            },
            is_error: found.severity == Severity::Error,
            fix: found.fix.as_ref().map(|fix| (&fix.label).into()).unwrap_or_default(),
        }));
        let lines = code.lines(first.min(last)..last);
        let worst = lines.iter().flat_map(|line| &line.diagnoses).find(|found| found.line == line_at);
        let place = format!("line {line_at}, column {column_at}");
        let status = match worst {
            Some(found) => format!("{place} \u{b7} {}: {}", found.code, found.message),
            None => place,
        };
        ui.set_status(status.into());
        let n_lines_in_all = code.n_lines();
        let rows = lines.into_iter().map(|line| {
            let worst = line.diagnoses.iter().find(|found| found.severity == Severity::Error);
            let told = worst.or(line.diagnoses.first());
            CodeLine {
                number: i32::try_from(line.number).unwrap_or(0),
                tokens: model(line.spans.iter().filter(|span| !span.text.trim().is_empty()).map(|span| {
                    TokenItem {
                        column: i32::try_from(span.column).unwrap_or(0),
                        text: (&span.text).into(),
                        kind: token_number(span.kind),
                    }
                })),
                severity: told.map_or(0, |found| if found.severity == Severity::Error { 2 } else { 1 }),
                column: told.map_or(0, |found| i32::try_from(found.column).unwrap_or(0)),
                n_columns: told.map_or(0, |found| i32::try_from(found.n_columns).unwrap_or(1)),
                n_all: line
                    .spans
                    .last()
                    .map_or(0, |span| i32::try_from(span.column + span.n_columns).unwrap_or(0)),
                message: told.map(|found| (&found.message).into()).unwrap_or_default(),
                breakpoint: match line.breakpoint {
                    None => 0,
                    Some(LineMark::Off) => 1,
                    Some(LineMark::LogPoint) => 2,
                    Some(LineMark::Conditional) => 3,
                    Some(LineMark::Stops) => 4,
                },
                is_current: line.is_current,
                is_end: line.bytes.is_empty() && line.number > 1 && line.number == n_lines_in_all,
            }
        });
        self.body.lines.set(rows);
        let popup = code.popup();
        let begin = popup.map_or(0, |popup| popup.range.start);
        let before = code.text().get(..begin).unwrap_or("");
        let column = before.rsplit('\n').next().unwrap_or("").chars().count();
        ui.set_completion_line(i32::try_from(before.matches('\n').count()).unwrap_or(0));
        ui.set_completion_column(i32::try_from(column).unwrap_or(0));
        ui.set_completion(popup.map_or(0, |popup| i32::try_from(popup.selected).unwrap_or(0)));
        let items = popup.map_or(Vec::new(), |popup| {
            popup.items.iter().map(|offered| completion_item(&offered.item)).collect()
        });
        self.body.completions.set(items);
        let hint = code.hint();
        let (signature, at) = hint.unwrap_or_default();
        let before = code.text().get(..at).unwrap_or("");
        ui.set_signature(signature.into());
        ui.set_signature_line(i32::try_from(before.matches('\n').count()).unwrap_or(0));
        let column = before.rsplit('\n').next().unwrap_or("").chars().count();
        ui.set_signature_column(i32::try_from(column).unwrap_or(0));
        let bracket = code.brackets().map(|[_, other]| other);
        let (line, column) = bracket.map_or((0, -1), |at| {
            let before = code.text().get(..at).unwrap_or("");
            let column = before.rsplit('\n').next().unwrap_or("").chars().count();
            (before.matches('\n').count(), i32::try_from(column).unwrap_or(-1))
        });
        ui.set_bracket_line(i32::try_from(line).unwrap_or(0));
        ui.set_bracket_column(column);
    }

    /// Goes to the line of a problem below the text.
    fn body_problem_clicked(&mut self, index: usize) {
        let line =
            self.body.code.as_ref().and_then(|code| code.diagnoses().get(index)).map(|found| found.line);
        if let Some(line) = line {
            self.body.show_line(line);
            self.later.push(Later::FocusCode);
        }
    }

    /// Makes the change that the hint of a problem below the text asks for.
    fn body_problem_fixed(&mut self, index: usize) {
        let fix = self.body.code.as_ref().and_then(|code| code.diagnoses().get(index)?.fix.clone());
        if let Some(fix) = fix {
            self.apply_fix(&fix);
            self.later.push(Later::FocusCode);
        }
    }

    /// Takes in the text of the body as it is now.
    fn write_body(&mut self) {
        let (Some(code), Some(cell)) = (&mut self.body.code, &self.body.cell) else { return };
        let inspector = &mut self.form.inspector;
        self.editor.with_document(|document, _| inspector.type_text(document, cell, code.text()));
        code.set_program(self.editor.document().text());
    }

    fn body_typed(&mut self, text: &str, cursor: i32) {
        let Some(code) = &mut self.body.code else { return };
        let cursor = offset(cursor);
        let is_letter = text.len() > code.text().len();
        if !code.set_text(text, cursor, cursor) {
            return;
        }
        if is_letter {
            code.typed();
            if let Some(edit) = code.align_closing() {
                self.change_body(&edit);
                return;
            }
        }
        self.write_body();
    }

    fn change_body(&mut self, edit: &TextEdit) {
        let window = self.window();
        let ui = window.global::<UiCode>();
        let Some(code) = &mut self.body.code else { return };
        code.apply(edit);
        self.body.version += 1;
        ui.set_text(code.text().into());
        ui.set_anchor(i32::try_from(edit.anchor).unwrap_or(0));
        ui.set_cursor(i32::try_from(edit.cursor).unwrap_or(0));
        ui.set_version(self.body.version);
        self.write_body();
    }

    fn body_key(&mut self, text: &str, modifiers: Modifiers) -> bool {
        let Some(code) = &mut self.body.code else { return false };
        let has_popup = code.popup().is_some();
        let key = keys::key(text);
        let command = match key {
            Some(Key::Down) if has_popup => {
                code.select_offered(1);
                return true;
            }
            Some(Key::Up) if has_popup => {
                code.select_offered(-1);
                return true;
            }
            // A word that is whole is no beginning of a longer one: Enter begins a line.
            Some(Key::Enter) if code.popup().is_some_and(|popup| code.is_whole(popup)) => {
                code.close_popup();
                Command::NewLine
            }
            Some(Key::Enter | Key::Tab) if has_popup => {
                if let Some(edit) = code.accept(None) {
                    self.change_body(&edit);
                }
                return true;
            }
            Some(Key::Escape) if has_popup => {
                code.close_popup();
                return true;
            }
            Some(Key::Escape) if code.close_hint() => return true,
            Some(Key::Escape) => {
                self.later.push(Later::FocusCanvas);
                return true;
            }
            Some(Key::Space) if modifiers.ctrl => {
                code.open_popup();
                return true;
            }
            Some(Key::F(9)) if modifiers == Modifiers::NONE => {
                let (line, _) = code.position();
                self.toggle_body_line(line);
                return true;
            }
            Some(Key::Char('z' | 'Z')) if modifiers.ctrl => {
                let cell = self.body.cell.clone();
                let selected = self.editor.selection().clone();
                self.step_in_field(cell.as_ref(), !modifiers.shift);
                if *self.editor.selection() != selected {
                    // The body of another unit is gone on with; where there is none, the picture has the keys.
                    self.later.extend([Later::FocusCanvas, Later::FocusCode]);
                }
                return true;
            }
            Some(Key::Enter) if modifiers == Modifiers::NONE => Command::NewLine,
            Some(Key::Tab) if modifiers.shift => Command::Outdent,
            Some(Key::Tab) => Command::Indent,
            Some(Key::Char('/')) if modifiers.ctrl => Command::ToggleComment,
            Some(Key::Char('d' | 'D')) if modifiers.ctrl && modifiers.shift => Command::Duplicate,
            Some(Key::Char('k' | 'K')) if modifiers.ctrl && modifiers.shift => Command::DeleteLines,
            Some(Key::Up) if modifiers.alt => Command::MoveUp,
            Some(Key::Down) if modifiers.alt => Command::MoveDown,
            _ => return false,
        };
        if let Some(edit) = code.command(command) {
            self.change_body(&edit);
        }
        true
    }

    /// Shows a line of the body that is shown next.
    pub(crate) fn want_body_line(&mut self, target: &Target) {
        let line = target.attribute.as_ref().filter(|held| held.key == "do").and_then(|held| held.line);
        if target.attribute.as_ref().is_some_and(|held| held.key == "do") {
            self.body.wanted_line = Some(line.unwrap_or(1));
            let window = self.window();
            let app = window.global::<App>();
            app.set_has_bottom(true);
            app.set_panel(crate::command::panel::BODY);
            self.later.push(Later::FocusCode);
        }
    }
}

/// Connects the text editor's callbacks.
pub(crate) fn connect(window: &EditorWindow, shared: &Shared) {
    let ui = window.global::<UiCode>();
    let weak = Rc::downgrade(shared);
    ui.on_color(move |kind| {
        let is_dark = weak.upgrade().and_then(|shared| shared.try_borrow().ok().map(|studio| studio.is_dark));
        let (light, dark) = TOKEN_COLORS[offset(kind).min(TOKEN_COLORS.len() - 1)];
        let [red, green, blue] = if is_dark.unwrap_or(true) { dark } else { light };
        Color::from_rgb_u8(red, green, blue)
    });
    let weak = Rc::downgrade(shared);
    ui.on_problem_clicked(move |index| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.body_problem_clicked(usize::try_from(index).unwrap_or(usize::MAX)));
    });
    let weak = Rc::downgrade(shared);
    ui.on_problem_fixed(move |index| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.body_problem_fixed(usize::try_from(index).unwrap_or(usize::MAX)));
    });
    let weak = Rc::downgrade(shared);
    ui.on_edited(move |text, cursor| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.body_typed(&text, cursor));
    });
    let weak = Rc::downgrade(shared);
    ui.on_moved(move |anchor, cursor| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            if let Some(code) = &mut studio.body.code {
                let text = code.text().to_owned();
                let most = text.len();
                code.set_text(&text, offset(anchor).min(most), offset(cursor).min(most));
            }
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_scrolled(move |first, n_lines| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.body.part = (offset(first), offset(n_lines).max(1)));
    });
    let weak = Rc::downgrade(shared);
    ui.on_key(move |text, shift, control, alt| {
        let Some(shared) = weak.upgrade() else { return false };
        let modifiers = keys::modifiers(&text, shift, control, alt);
        go(&shared, |studio| studio.body_key(&text, modifiers))
    });
    let weak = Rc::downgrade(shared);
    ui.on_accept(move |index| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            let edit = studio.body.code.as_mut().and_then(|code| code.accept(usize::try_from(index).ok()));
            if let Some(edit) = edit {
                studio.change_body(&edit);
                studio.later.push(Later::FocusCode);
            }
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_margin_clicked(move |line| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.toggle_body_line(offset(line)));
    });
    let weak = Rc::downgrade(shared);
    ui.on_left(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            if let Some(code) = &mut studio.body.code {
                code.close_popup();
            }
            let (inspector, cell) = (&mut studio.form.inspector, studio.body.cell.clone());
            if let Some(cell) = cell {
                studio.editor.with_document(|document, _| inspector.commit(document, &cell));
            }
        });
    });
}
