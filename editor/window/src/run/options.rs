//! The options form.

/// The fields of the form as they are shown.
pub(super) mod fields;

use std::path::Path;

use hasse_editor::run::{Choices, Field, FieldId, FieldKind, List, Mode, Options};
use hasse_ui::{App, EditorWindow, OptionItem, Run as UiRun};
use slint::ComponentHandle;

use super::number;
use super::running::Running;
use crate::studio::Studio;

/// The tab of the left panel with the form.
const TAB: i32 = 1;

fn item(field: &Field, has_selected: bool) -> OptionItem {
    let list = match &field.id {
        Some(FieldId::List(list)) => Some(*list),
        _ => None,
    };
    OptionItem {
        kind: match field.kind {
            FieldKind::Head => "head",
            FieldKind::Note => "note",
            FieldKind::Text => "text",
            FieldKind::File => "file",
            FieldKind::Choice => "choice",
            FieldKind::Switch => "switch",
            FieldKind::Line => "line",
            FieldKind::Rule => "rule",
        }
        .into(),
        name: match &field.id {
            Some(FieldId::Param(name)) => name.into(),
            Some(FieldId::Line(_, row)) => format!("{} {}", field.label, row + 1).into(),
            _ => (&field.label).into(),
        },
        label: (&field.label).into(),
        text: (&field.text).into(),
        placeholder: (&field.placeholder).into(),
        choices: match field.choices {
            Choices::None => 0,
            Choices::Views => 1,
            Choices::Record => 2,
        },
        chosen: number(field.chosen),
        problem: (&field.problem).into(),
        can_add: list.is_some(),
        can_add_selected: has_selected && list.is_some_and(|list| list != List::Checks),
    }
}

impl Running {
    fn field(&self, row: usize) -> Option<FieldId> {
        self.form.fields.get(row)?.id.clone()
    }
}

impl Studio {
    /// Shows the form where it is open.
    pub(crate) fn show_options(&mut self, window: &EditorWindow) {
        let has_selected = !self.editor.selection().nodes.is_empty();
        let Some(running) = &mut self.running else { return };
        let app = window.global::<App>();
        let shown = (running.panel.version(), has_selected);
        if app.get_side() != TAB || !app.get_has_left() || running.form.shown == Some(shown) {
            return;
        }
        running.form.shown = Some(shown);
        running.form.fields = running.panel.fields();
        let wanted = running.form.wanted.take();
        let wanted = wanted.and_then(|wanted| {
            running.form.fields.iter().position(|field| field.id.as_ref() == Some(&wanted))
        });
        window.global::<UiRun>().set_focused_option(wanted.map_or(-1, number));
        running.options.set(running.form.fields.iter().map(|field| item(field, has_selected)));
    }

    /// Opens the form.
    pub(super) fn show_options_panel(&self) {
        let window = self.window();
        let app = window.global::<App>();
        app.set_has_left(true);
        app.set_side(TAB);
    }

    pub(crate) fn set_mode(&mut self, mode: Mode) {
        if let Some(running) = &mut self.running {
            let options = Options { mode, ..running.panel.options().clone() };
            running.panel.set_options(options);
        }
    }

    pub(super) fn option_typed(&mut self, row: usize, text: &str) {
        let Some(running) = &mut self.running else { return };
        if let Some(id) = running.field(row) {
            running.panel.type_option(&id, text);
        }
    }

    pub(super) fn option_chosen(&mut self, row: usize, choice: usize) {
        let Some(running) = &mut self.running else { return };
        if let Some(id) = running.field(row) {
            running.panel.choose_option(&id, choice);
        }
    }

    pub(super) fn option_removed(&mut self, row: usize) {
        let Some(running) = &mut self.running else { return };
        if let Some(id) = running.field(row) {
            running.panel.remove_option(&id);
            self.renew_fields();
        }
    }

    /// Adds a line to be filled in, or one for each node that is selected.
    pub(super) fn option_added(&mut self, row: usize, is_selected: bool) {
        let graph = self.editor.graph().to_owned();
        let nodes = self.editor.selection().nodes.clone();
        let Some(running) = &mut self.running else { return };
        let Some(FieldId::List(list)) = running.field(row) else { return };
        let texts: Vec<String> = if is_selected {
            nodes.iter().map(|node| running.panel.selector_of(&graph, node)).collect()
        } else {
            vec![String::new()]
        };
        running.panel.add_options(list, &texts);
        if !is_selected {
            let is_empty = |field: &Field| field.text.is_empty();
            let mut lines = running.panel.fields().into_iter().filter(is_empty).filter_map(|field| field.id);
            running.form.wanted = lines.rfind(|id| matches!(id, FieldId::Line(of, _) if *of == list));
        }
        self.renew_fields();
    }

    /// Fields show the texts of other rows than before.
    fn renew_fields(&mut self) {
        let window = self.window();
        if let Some(running) = &mut self.running {
            running.form.version += 1;
            window.global::<UiRun>().set_options_version(running.form.version);
        }
    }

    /// Asks for the file that events are filed in.
    pub(super) fn option_browsed(&mut self, row: usize) {
        let name = self.running.as_ref().and_then(|running| {
            let field = running.form.fields.get(row)?;
            (field.id == Some(FieldId::File)).then(|| field.text.clone())
        });
        if let Some(name) = name {
            self.open_record_dialog(&name);
        }
    }

    /// Takes the file that was chosen.
    pub(crate) fn take_record_name(&mut self, path: &Path) {
        if let Some(running) = &mut self.running {
            running.panel.type_option(&FieldId::File, &path.display().to_string());
        }
    }
}
