//! The inspector: the form of what is selected, and what is offered while it is typed.

/// The fields of the form, and what is open in it.
pub(crate) mod fields;
/// Lines of the form as rows.
pub(crate) mod items;
/// Undoing from a field.
mod undo;

use std::rc::Rc;
use std::sync::Arc;

use hasse_editor::panels::code::{CodeEditor, CodeKind};
use hasse_editor::panels::inspector::{Cell, CellId, CellKind};
use hasse_editor::panels::subject::Subject;
use hasse_editor::state::input::Key;
use hasse_editor::state::selection::Selection;
use hasse_editor::target::Target;
use hasse_ui::{EditorWindow, Inspector as UiInspector};
use slint::ComponentHandle;

use items::{N_LINES, items, problem_text};

use crate::hub::Shared;
use crate::keys;
use crate::studio::update::go;
use crate::studio::{Later, Studio};
use fields::Offered;

impl Studio {
    /// Leads to the field of what a target names, once its form is shown.
    pub(crate) fn want_field(&mut self, target: &Target) {
        self.form.wanted = target.attribute.clone().filter(|held| held.line.is_none());
        self.form.shown = None;
    }

    /// Shows a subject in the inspector, and what has changed of it.
    pub(crate) fn refresh_form(&mut self, window: &EditorWindow, subject: Subject, is_other_program: bool) {
        let is_other_subject = *self.form.inspector.subject() != subject;
        let inspector = &mut self.form.inspector;
        if is_other_subject {
            self.editor.with_document(|document, problems| inspector.show(subject, document, problems));
            self.form.close_suggestions();
            self.form.n_shown.clear();
            self.form.version += 1;
        } else if is_other_program {
            self.editor.with_document(|document, problems| inspector.refresh(document, problems));
        }
        let is_other_form = is_other_subject && !std::mem::take(&mut self.form.is_renamed);
        let ui = window.global::<UiInspector>();
        self.form.suggestions.set(self.form.offers());
        let suggestion = i32::try_from(self.form.suggestion).unwrap_or(0);
        ui.set_suggestion(if self.form.is_offer_meant { suggestion } else { -1 });
        let shown = self.form.inspector.version();
        let is_counted_anew = self.take_coverage(is_other_program);
        if self.form.shown == Some(shown) && !is_other_subject && !is_counted_anew {
            return;
        }
        self.form.shown = Some(shown);
        if let Some(wanted) = self.form.wanted.take() {
            self.form.focused = self.form.cell_of(&wanted);
        }
        if let Some(id) = &self.form.focused {
            let n_shown = self.form.n_shown.entry(id.key.clone()).or_insert(N_LINES);
            *n_shown = (*n_shown).max(id.row + 1);
        }
        let (rows, places) =
            items(self.form.inspector.sections(), &self.form.n_shown, &|key, row| self.n_taken(key, row));
        self.form.items.set(rows);
        self.form.places = places;
        ui.set_title(self.form.inspector.title().into());
        let notice =
            self.form.inspector.notice().map(|notice| format!("{} · {notice}", self.form.inspector.kind()));
        ui.set_note(notice.unwrap_or_else(|| self.form.inspector.kind().to_owned()).into());
        let (problem, severity) = problem_text(self.form.inspector.problems());
        ui.set_problem(problem.into());
        ui.set_severity(severity);
        ui.set_version(self.form.version);
        let focused = self.form.focused.take();
        // The toolkit leaves the keyboard with a field that is gone, and no key reaches anything.
        let entered = self.form.entered.as_ref();
        if entered.is_some_and(|id| is_other_form || self.form.item_of(id).is_none()) {
            self.form.entered = None;
            if focused.is_none() {
                self.later.push(Later::FocusCanvas);
            }
        }
        let item = focused.as_ref().and_then(|id| self.form.item_of(id));
        ui.set_focused_item(-1);
        if let (Some(item), Some(id)) = (item, focused) {
            ui.set_focused_cell(i32::try_from(id.cell).unwrap_or(0));
            ui.set_focused_item(item);
            self.form.entered = Some(id);
        }
    }

    /// Shows more lines of a section.
    fn show_more(&mut self, item: i32) {
        let Some((key, None)) = self.form.places.get(usize::try_from(item).unwrap_or(usize::MAX)).cloned()
        else {
            return;
        };
        *self.form.n_shown.entry(key).or_insert(N_LINES) += N_LINES;
        self.form.shown = None;
    }

    fn offer(&mut self, id: &CellId, cursor: usize, is_typing: bool) {
        let Some(cell) = self.form.inspector.cell(id).cloned() else { return };
        self.form.suggestion = 0;
        self.form.is_offer_meant = is_typing;
        self.form.is_offer_chosen = false;
        self.form.typed = Some(id.clone());
        self.form.offered = match cell.kind {
            CellKind::Code(kind) if !kind.is_many_lines() => {
                let mut code =
                    CodeEditor::new(cell.target.clone(), kind, &cell.text, Arc::clone(&self.functions));
                code.set_program(self.editor.document().text());
                code.set_text(&cell.text, cursor, cursor);
                let is_open = if is_typing {
                    code.typed()
                } else {
                    // A person who comes to the field of a type is asked which one: all of them fit.
                    let is_type = kind == CodeKind::Declaration && !cell.text.contains('=');
                    is_type && {
                        code.set_text("", 0, 0);
                        code.open_popup()
                    }
                };
                if is_open { Offered::Code(Box::new(code)) } else { Offered::Nothing }
            }
            _ if !cell.choices.is_empty() => {
                let typed = cell.text.to_lowercase();
                let fits = |choice: &&String| !is_typing || choice.to_lowercase().contains(&typed);
                let choices: Vec<String> = cell.choices.iter().filter(fits).cloned().collect();
                if choices.len() == 1 && choices[0] == cell.text {
                    Offered::Nothing
                } else {
                    Offered::Choices(choices)
                }
            }
            _ => Offered::Nothing,
        };
    }

    /// Applies the first hint at a line of the form.
    fn fix_row(&mut self, item: i32) {
        let place = usize::try_from(item).ok().and_then(|item| self.form.places.get(item));
        let Some((key, row)) = place else { return };
        let section = self.form.inspector.sections().iter().find(|section| section.key == *key);
        let problems = section.map(|section| match row {
            Some(row) => section.rows.get(*row).map_or(&[][..], |row| &row.problems),
            None => &section.problems,
        });
        let fix = problems.into_iter().flatten().find_map(|problem| problem.fix.clone());
        if let Some(fix) = fix {
            self.apply_fix(&fix);
        }
    }

    fn typed(&mut self, item: i32, cell: i32, text: &str, cursor: i32) {
        let Some(id) = self.form.cell_id(item, cell) else { return };
        // A field of several lines is one line of the program.
        let is_line = |cell: &Cell| matches!(cell.kind, CellKind::Code(_));
        let joined = text.replace('\n', " ");
        let text = if self.form.inspector.cell(&id).is_some_and(is_line) {
            self.form.version += i32::from(joined != text);
            &joined
        } else {
            text
        };
        let inspector = &mut self.form.inspector;
        self.editor.with_document(|document, _| inspector.type_text(document, &id, text));
        self.offer(&id, usize::try_from(cursor).unwrap_or(0), true);
    }

    fn committed(&mut self, id: &CellId) {
        if self.form.inspector.cell(id).is_none() {
            return;
        }
        let inspector = &mut self.form.inspector;
        let renamed = self.editor.with_document(|document, _| inspector.commit(document, id));
        self.form.is_renamed = renamed.is_some();
        match renamed {
            Some(Subject::Node { node, .. }) => {
                let nodes = std::iter::once(node).collect();
                self.editor.select(Selection { nodes, ..Selection::default() });
            }
            Some(Subject::Graph(graph)) => self.editor.show_graph(&graph),
            _ => {}
        }
        self.form.version += 1;
    }

    fn accept_offered(&mut self, index: Option<usize>) {
        let Some(id) = self.form.typed.clone() else { return };
        let number = index.unwrap_or(self.form.suggestion);
        let text = match &mut self.form.offered {
            Offered::Nothing => return,
            Offered::Choices(choices) => choices.get(number).cloned(),
            Offered::Code(code) => match code.accept(Some(number)) {
                Some(edit) => {
                    code.apply(&edit);
                    Some(code.text().to_owned())
                }
                None => None,
            },
        };
        self.form.close_suggestions();
        let Some(text) = text else { return };
        let inspector = &mut self.form.inspector;
        self.editor.with_document(|document, _| inspector.type_text(document, &id, &text));
        self.form.version += 1;
        // What is chosen of all that there can be is meant.
        let is_choice = |cell: &Cell| cell.is_committed && cell.kind == CellKind::Choice;
        if self.form.inspector.cell(&id).is_some_and(is_choice) {
            self.committed(&id);
        }
    }

    fn form_key(&mut self, item: i32, cell: i32, text: &str, is_control: bool, cursor: i32) -> bool {
        let Some(id) = self.form.cell_id(item, cell) else { return false };
        let n_offered = self.form.offers().len();
        match keys::key(text) {
            Some(Key::Down | Key::Up) if n_offered > 0 && !self.form.is_offer_meant => {
                self.form.is_offer_meant = true;
                self.form.is_offer_chosen = true;
            }
            // A field that is only passed keeps its text.
            Some(Key::Enter | Key::Tab) if !self.form.is_offer_meant => {
                self.form.close_suggestions();
                return false;
            }
            // Enter takes a line as it was typed: `0..n` is whole, whatever begins with `n`. Tab completes.
            Some(Key::Enter)
                if matches!(self.form.offered, Offered::Code(_)) && !self.form.is_offer_chosen =>
            {
                self.form.close_suggestions();
                return false;
            }
            Some(Key::Down) if n_offered > 0 => {
                self.form.suggestion = (self.form.suggestion + 1).min(n_offered - 1);
                self.form.is_offer_chosen = true;
            }
            Some(Key::Up) if n_offered > 0 => {
                self.form.suggestion = self.form.suggestion.saturating_sub(1);
                self.form.is_offer_chosen = true;
            }
            Some(Key::Enter | Key::Tab) if n_offered > 0 => self.accept_offered(None),
            Some(Key::Escape) if n_offered > 0 => self.form.close_suggestions(),
            Some(Key::Escape) => {
                let inspector = &mut self.form.inspector;
                self.editor.with_document(|document, _| inspector.cancel(document, &id));
                self.form.version += 1;
                self.later.push(Later::FocusCanvas);
            }
            Some(Key::Space) if is_control => self.offer(&id, usize::try_from(cursor).unwrap_or(0), true),
            Some(Key::Char('z' | 'Z')) if is_control => {
                self.step_in_field(Some(&id), true);
                self.form.version += 1;
            }
            _ => return false,
        }
        true
    }
}

/// Connects the inspector's callbacks.
pub(crate) fn connect(window: &EditorWindow, shared: &Shared) {
    let ui = window.global::<UiInspector>();
    let weak = Rc::downgrade(shared);
    ui.on_typed(move |item, cell, text, cursor| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.typed(item, cell, &text, cursor));
    });
    let weak = Rc::downgrade(shared);
    ui.on_committed(move |item, cell| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            if let Some(id) = studio.form.cell_id(item, cell) {
                studio.form.close_suggestions();
                studio.committed(&id);
            }
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_entered(move |item, cell, cursor| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            if let Some(id) = studio.form.cell_id(item, cell) {
                studio.offer(&id, usize::try_from(cursor).unwrap_or(0), false);
                studio.form.entered = Some(id);
            }
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_left(move |item, cell| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            if let Some(id) = studio.form.cell_id(item, cell) {
                if studio.form.entered.as_ref() == Some(&id) {
                    studio.form.entered = None;
                }
                // The next field may have been entered before this one is left.
                if studio.form.typed.as_ref() == Some(&id) {
                    studio.form.close_suggestions();
                }
                studio.committed(&id);
            }
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_fix(move |item| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.fix_row(item));
    });
    let weak = Rc::downgrade(shared);
    ui.on_key(move |item, cell, text, _, control, cursor| {
        let Some(shared) = weak.upgrade() else { return false };
        go(&shared, |studio| studio.form_key(item, cell, &text, control, cursor))
    });
    let weak = Rc::downgrade(shared);
    ui.on_accept(move |index| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.accept_offered(usize::try_from(index).ok()));
    });
    let weak = Rc::downgrade(shared);
    ui.on_flag(move |item, cell, value| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            studio.typed(item, cell, if value { "true" } else { "false" }, 0);
            studio.form.close_suggestions();
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_add(move |item| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            let Some((key, _)) = studio.form.places.get(usize::try_from(item).unwrap_or(usize::MAX)).cloned()
            else {
                return;
            };
            let inspector = &mut studio.form.inspector;
            studio.form.focused =
                studio.editor.with_document(|document, _| inspector.add_row(document, &key));
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_show_more(move |item| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.show_more(item));
    });
    let weak = Rc::downgrade(shared);
    ui.on_remove(move |item| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            if let Some(id) = studio.form.cell_id(item, 0) {
                let inspector = &mut studio.form.inspector;
                studio.editor.with_document(|document, _| inspector.remove_row(document, &id.key, id.row));
                studio.form.version += 1;
            }
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_shift(move |item, is_up| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            if let Some(id) = studio.form.cell_id(item, 0) {
                let inspector = &mut studio.form.inspector;
                studio
                    .editor
                    .with_document(|document, _| inspector.move_row(document, &id.key, id.row, is_up));
                studio.form.version += 1;
            }
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_open_body(move |_| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.later.push(Later::FocusCode));
    });
}
