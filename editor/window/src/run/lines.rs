//! Breakpoints at lines of the body that is shown, and the line at which the action under debug is stopped.

use std::collections::BTreeMap;

use hasse_editor::panels::code::CodeKind;
use hasse_editor::places::Places;
use hasse_editor::state::Status;
use hasse_editor::target::Target;
use hasse_ui::App;
use slint::ComponentHandle;

use crate::command::panel;
use crate::studio::Studio;

impl Studio {
    /// The lines of the program file on which the lines of the body that is shown begin.
    fn body_lines(&mut self) -> Vec<u32> {
        let Some(code) = &self.body.code else { return Vec::new() };
        let made_of = (self.editor.document().revision(), code.target().clone());
        if self.body.file_lines.as_ref().is_none_or(|(known, _)| *known != made_of) {
            let lines = Places::of(self.editor.document().text()).lines_of(code.target());
            self.body.file_lines = Some((made_of, lines));
        }
        self.body.file_lines.as_ref().map(|(_, lines)| lines.clone()).unwrap_or_default()
    }

    /// Tells the body which of its lines have breakpoints, and which is executed.
    pub(crate) fn mark_body_lines(&mut self) {
        let Some(running) = &self.running else { return };
        let has_marks = !running.panel.line_marks().is_empty() || running.panel.current_line().is_some();
        if !has_marks {
            if let Some(code) = &mut self.body.code {
                code.set_marks(BTreeMap::new(), None);
            }
            return;
        }
        // Marks stand in the text as it is now.
        self.tell_program(false);
        let lines = self.body_lines();
        let Some(running) = &self.running else { return };
        let at = |line: u32| lines.iter().position(|known| *known == line).map(|at| at + 1);
        let marks = running.panel.line_marks().into_iter();
        let marks = marks.filter_map(|(line, mark)| Some((at(line)?, mark))).collect();
        let current = running.panel.current_line().and_then(at);
        if let Some(code) = &mut self.body.code {
            code.set_marks(marks, current);
        }
    }

    /// Sets a breakpoint at a line of the body, from 1, or removes it.
    pub(crate) fn toggle_body_line(&mut self, line: usize) {
        self.tell_program(false);
        let lines = self.body_lines();
        let found = line.checked_sub(1).and_then(|at| lines.get(at)).copied();
        let is_in_rust = self.body.code.as_ref().is_some_and(|code| code.kind() == CodeKind::Rust);
        let marks = self.running.as_ref().map(|running| running.panel.line_marks()).unwrap_or_default();
        if is_in_rust && found.is_none_or(|line| !marks.contains_key(&line)) {
            let text = "no run stops within a body in Rust: set the breakpoint on its node".to_owned();
            self.editor.set_status(Status { text, is_refusal: true });
            return;
        }
        if let (Some(found), Some(running)) = (found, &mut self.running) {
            running.panel.toggle_line(found);
        }
    }

    /// Shows the body in which the action under debug has come to a stop, at its line.
    pub(super) fn follow_line(&mut self) {
        let Some(running) = &mut self.running else { return };
        let known = running.panel.current_line().is_some();
        let place = if known { running.panel.current_place() } else { None };
        if place == running.place {
            return;
        }
        running.place.clone_from(&place);
        let Some(place) = place else { return };
        let node = Target { attribute: None, ..place.clone() };
        let is_selected = *self.editor.graph() == place.graph
            && self.editor.selection().nodes.iter().any(|known| place.node() == Some(known));
        if !is_selected {
            self.editor.show(&node);
            let _ = self.editor.take_requests();
        }
        self.body.show_line(place.attribute.and_then(|held| held.line).unwrap_or(1));
    }

    /// Shows body and values of the action under debug next to each other, at the first stop of a run: later on, a person has
    /// chosen what is seen.
    pub(super) fn lay_out_stop(&mut self) {
        let Some(running) = &mut self.running else { return };
        let number = running.panel.runs().next_back().map(|run| run.number);
        if number.is_none() || running.laid_out == number || !running.panel.inspector().is_stopped() {
            return;
        }
        running.laid_out = number;
        if let Some(action) = running.panel.selected().map(str::to_owned) {
            self.show_action(&action);
        }
        let has_two = self.shown_panels()[1] >= 0;
        let window = self.window();
        window.global::<App>().set_panel(panel::BODY);
        window.global::<App>().set_has_bottom(true);
        window.global::<App>().invoke_make_room();
        self.show_next_to(panel::ACTIONS);
        if let Some(running) = &mut self.running {
            running.has_opened = !has_two;
        }
    }

    /// Takes the second panel away that a stop has opened, once the run is over.
    pub(super) fn lay_out_end(&mut self) {
        let Some(running) = &mut self.running else { return };
        if running.panel.state().is_under_way() || !std::mem::take(&mut running.has_opened) {
            return;
        }
        let window = self.window();
        window.global::<App>().set_second_tab(-1);
    }
}
