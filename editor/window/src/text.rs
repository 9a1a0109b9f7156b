//! The text of the program beside its picture.

/// The text view and its rows.
pub(crate) mod view;

use std::rc::Rc;

use hasse_editor::state::action::Action;
use hasse_editor::state::input::Key;
use hasse_editor::target::{Part, Target};
use hasse_model::diagnostic::Severity;
use hasse_ui::{App, CodeLine, EditorWindow, ProgramText as UiText, TokenItem};
use slint::ComponentHandle;

use crate::body::colors::token_number;
use crate::hub::Shared;
use crate::keys;
use crate::models::model;
use crate::studio::update::go;
use crate::studio::{Later, Studio};

fn number(value: usize) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}

fn code_line(line: hasse_editor::panels::program_text::TextLine, n_lines: usize) -> CodeLine {
    let shown = line.spans.iter().filter(|span| !span.text.trim().is_empty());
    let n_columns = line.spans.last().map_or(0, |span| span.column + span.n_columns);
    let severity =
        line.problem.as_ref().map_or(0, |(severity, _)| if *severity == Severity::Error { 2 } else { 1 });
    CodeLine {
        number: number(line.number),
        tokens: model(shown.map(|span| TokenItem {
            column: number(span.column),
            text: (&span.text).into(),
            kind: token_number(span.kind),
        })),
        severity,
        column: 0,
        n_columns: number(n_columns),
        n_all: number(n_columns),
        message: line.problem.map(|(_, message)| message.into()).unwrap_or_default(),
        breakpoint: 0,
        is_current: line.is_selected,
        is_end: line.spans.is_empty() && line.number > 1 && line.number == n_lines,
    }
}

impl Studio {
    /// Shows or hides the text of the program.
    pub(crate) fn toggle_text(&mut self) {
        let window = self.window();
        let app = window.global::<App>();
        app.set_has_text(!app.get_has_text());
        self.text.shown = None;
        self.later.push(if app.get_has_text() { Later::FocusText } else { Later::FocusCanvas });
    }

    /// Selection of the picture, as the text knows it.
    fn text_targets(&self) -> Vec<Target> {
        let (graph, selection) = (self.editor.graph(), self.editor.selection());
        let nodes = selection.nodes.iter().map(|node| Target::of_node(graph, node));
        let links = selection.links.iter().map(|(list, row)| Target::of_link(graph, *list, *row));
        nodes.chain(links).collect()
    }

    /// Brings the text in line with the program and with what is selected.
    pub(crate) fn show_text(&mut self, window: &EditorWindow) {
        if !window.global::<App>().get_has_text() {
            return;
        }
        let targets = self.text_targets();
        let (view, ui) = (&mut self.text, window.global::<UiText>());
        let is_other = view.text.refresh(self.editor.document().text()) || ui.get_version() == 0;
        if let Some(problems) = self.editor.problems() {
            view.text.set_problems(problems);
        }
        let first = view.text.select(targets).filter(|_| !view.is_typing);
        if is_other {
            view.version += 1;
            ui.set_text(view.text.text().into());
            ui.set_anchor(number(view.text.cursor()));
            ui.set_cursor(number(view.text.cursor()));
            ui.set_version(view.version);
        }
        if let Some(line) = first {
            ui.set_scroll_to_line(-1);
            ui.set_scroll_to_line(number(line));
        }
        let shown = (view.text.version(), view.part, self.is_dark);
        if view.shown == Some(shown) {
            return;
        }
        view.shown = Some(shown);
        ui.set_n_lines(number(view.text.n_lines()));
        ui.set_n_columns(number(view.text.n_columns()));
        ui.set_status(view.text.status().into());
        let (first, n_lines) = view.part;
        let n_in_all = view.text.n_lines();
        let lines = view.text.lines(first..first + n_lines).into_iter();
        view.lines.set(lines.map(|line| code_line(line, n_in_all)));
    }

    fn text_typed(&mut self, text: &str, cursor: usize) {
        self.text.is_typing = true;
        self.text.text.type_text(text, cursor);
        self.editor.type_text(text);
        if let Some(target) = self.text.text.new_target() {
            self.show_at_caret(&target);
        }
    }

    /// The caret was moved: what it is at is selected on the picture, unless the picture has moved it.
    fn text_moved(&mut self, cursor: usize, is_own: bool) {
        self.text.is_typing = is_own;
        let Some(target) = self.text.text.move_cursor(cursor).filter(|_| is_own) else { return };
        self.show_at_caret(&target);
    }

    fn show_at_caret(&mut self, target: &Target) {
        if matches!(target.part, Part::Node(_) | Part::Link(..)) {
            self.editor.show(target);
            // The inspector would take the keyboard.
            let _ = self.editor.take_requests();
        }
    }

    fn text_key(&mut self, text: &str, is_control: bool, is_shift: bool) -> bool {
        self.text.is_typing = true;
        match keys::key(text) {
            Some(Key::Escape) => self.later.push(Later::FocusCanvas),
            Some(Key::Char('z' | 'Z')) if is_control => {
                self.text.is_typing = false;
                self.editor.act(if is_shift { Action::Redo } else { Action::Undo });
                self.text.is_typing = true;
            }
            _ => return false,
        }
        true
    }
}

/// Connects the callbacks of the text.
pub(crate) fn connect(window: &EditorWindow, shared: &Shared) {
    let ui = window.global::<UiText>();
    let weak = Rc::downgrade(shared);
    ui.on_edited(move |text, cursor| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.text_typed(&text, usize::try_from(cursor).unwrap_or(0)));
    });
    let weak = Rc::downgrade(shared);
    ui.on_moved(move |cursor, is_own| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.text_moved(usize::try_from(cursor).unwrap_or(0), is_own));
    });
    let weak = Rc::downgrade(shared);
    ui.on_scrolled(move |first, n_lines| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            studio.text.part =
                (usize::try_from(first).unwrap_or(0), usize::try_from(n_lines).unwrap_or(1).max(1));
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_key(move |text, is_shift, is_control, _| {
        let Some(shared) = weak.upgrade() else { return false };
        go(&shared, |studio| studio.text_key(&text, is_control, is_shift))
    });
    let weak = Rc::downgrade(shared);
    ui.on_left(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            studio.text.is_typing = false;
            studio.editor.end_typing();
        });
    });
}
