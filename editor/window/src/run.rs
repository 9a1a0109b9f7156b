//! Running and debugging: the tool bar's buttons, the options, actions, breakpoints, console and log.

/// What a person does.
mod connect;
/// The console and the log.
mod console;
/// Breakpoints at lines of bodies.
mod lines;
/// The options form.
mod options;
/// The panel of runs and its rows.
pub(crate) mod running;
/// What has changed.
mod show;
/// Messages of the status line about a run.
mod status;

pub(crate) use connect::connect;

use std::sync::Arc;
use std::time::Duration;

use hasse_editor::edit::link::LinkList;
use hasse_editor::run::{Button, Mode, Subject};
use hasse_editor::target::{Part, Target};

use crate::studio::Studio;

/// Rows of the table of instances that are asked for before it is known how many are seen.
const FIRST_ROWS: usize = 40;

impl Studio {
    /// Forgets runs and records of the program in whose place another one was opened.
    pub(crate) fn follow_document(&mut self) {
        if self.opened == self.editor.n_opened() {
            return;
        }
        self.opened = self.editor.n_opened();
        if let Some(running) = &mut self.running {
            running.leave_program();
        }
        self.viewing.leave_program();
        self.results.leave_program();
        self.values.leave_program();
        if self.points.is_open() {
            self.close_point();
        }
        self.marked = None;
        self.leave_tour();
        self.tell_program(false);
    }

    /// Tells the panel what a run is of: the program as it is now, or the record that was opened, in the modes that are about
    /// records.
    pub(crate) fn tell_program(&mut self, describes: bool) {
        let Some(running) = &mut self.running else { return };
        let is_of_record = matches!(running.panel.options().mode, Mode::Replay | Mode::PostMortem);
        if let Some(record) = running.record.clone().filter(|_| is_of_record) {
            running.panel.set_subject(Subject::Trace(record), true);
            running.known = None;
            return;
        }
        let path = self.editor.run_path();
        let known = (self.editor.n_opened(), self.editor.document().revision(), path.clone());
        if running.known.as_ref() != Some(&known) || describes {
            running.known = Some(known);
            let text: Arc<str> = Arc::from(self.editor.document().text());
            running.panel.set_subject(Subject::Program { path, text }, true);
        }
    }

    /// Lets the panel take in what the session tells.
    pub(crate) fn tick_run(&mut self, now: Duration) {
        let preferred = self.editor.selection().nodes.first();
        let preferred = preferred.map(|node| Target::of_node(self.editor.graph(), node));
        if let Some(running) = &mut self.running {
            running.panel.set_preferred_node(preferred);
            running.panel.tick(now);
            // A short run is over before anyone sees it going on.
            if running.panel.state().is_busy() || running.panel.ended().is_some() {
                self.editor.note_run();
            }
        }
        self.close_set_point();
        self.announce_run();
        self.announce_problem();
        self.follow_session();
        self.follow_new_run();
        self.follow_line();
        self.lay_out_stop();
        self.lay_out_end();
        self.take_told();
    }

    /// Presses a button of the tool bar.
    pub(crate) fn press(&mut self, button: Button) {
        if button == Button::Run {
            // What is typed after a run is undone by itself.
            self.editor.end_typing();
            self.tell_program(false);
            self.forget_scope();
        }
        if let Some(running) = &mut self.running {
            running.panel.press(button);
            if button == Button::Run && running.panel.options_problem().is_some() {
                // What is wrong is shown at its line.
                self.show_options_panel();
                return;
            }
        }
        if button == Button::Run {
            self.begin_record();
        }
    }

    /// Whether a button can be pressed.
    pub(crate) fn can_press(&self, button: Button) -> bool {
        self.running.as_ref().is_some_and(|running| running.panel.is_enabled(button))
    }

    /// Sets or removes breakpoints on what is selected.
    pub(crate) fn toggle_breakpoints(&mut self) {
        self.tell_program(false);
        let graph = self.editor.graph().to_owned();
        let selection = self.editor.selection().clone();
        let Some(running) = &mut self.running else { return };
        for node in &selection.nodes {
            running.panel.toggle_breakpoint(&Target::of_node(&graph, node));
        }
        for (list, row) in &selection.links {
            running.panel.toggle_breakpoint(&Target::of_link(&graph, *list, *row));
        }
    }

    /// Lists the instances of the selected node.
    pub(crate) fn list_instances(&mut self) {
        let graph = self.editor.graph().to_owned();
        let Some(node) = self.editor.selection().nodes.first().cloned() else { return };
        let Some(running) = &mut self.running else { return };
        running.panel.open_table(&graph, &node);
        running.panel.filter_table("");
        running.panel.show_rows(0, FIRST_ROWS);
        running.table = Some((graph, node));
        self.show_panel(crate::command::panel::ACTIONS);
    }

    /// Asks why the selected node, or the action under debug, is not firing.
    pub(crate) fn ask_why(&mut self) {
        let graph = self.editor.graph().to_owned();
        let node = self.editor.selection().nodes.first().cloned();
        let Some(running) = &mut self.running else { return };
        if let Some(node) = node {
            let marks = running.panel.marks(&graph);
            let dots = marks.nodes.get(&node).map(|marks| marks.dots.clone()).unwrap_or_default();
            let is_listed =
                running.panel.selected().is_some_and(|path| dots.iter().any(|dot| dot.path == path));
            if let Some(dot) = dots.first().filter(|_| !is_listed) {
                running.panel.select(Some(&dot.path));
            }
        }
        running.panel.press(Button::WhyAction);
        self.show_panel(crate::command::panel::ACTIONS);
    }

    /// Selects the nodes of an action on the picture.
    fn action_clicked(&mut self, row: usize) {
        let Some(path) = self.running.as_ref().and_then(|running| running.path_of(row)) else { return };
        self.show_action(&path);
    }

    /// Takes an action of the node that is selected alone as the one under debug.
    pub(crate) fn look_at_selected_node(&mut self) {
        let selection = self.editor.selection();
        let Some(node) = selection.nodes.first().filter(|_| selection.nodes.len() == 1) else { return };
        let target = Target::of_node(self.editor.graph(), node);
        if let Some(running) = &mut self.running {
            running.panel.select_of_node(&target);
        }
    }

    /// Looks at what waits at the arc that is selected alone.
    pub(crate) fn look_at_selected_arc(&mut self) {
        let graph = self.editor.graph().to_owned();
        let selection = self.editor.selection();
        let only = match (selection.nodes.len(), selection.links.len(), selection.links.first()) {
            (0, 1, Some((LinkList::Arcs, row))) => Some(*row),
            _ => None,
        };
        if let Some(running) = &mut self.running {
            running.panel.look_at_arc(only.map(|row| (graph.as_str(), row)));
        }
    }

    /// Lists the instances that a text names: of the node of its last name, those whose path has it.
    fn filter_actions(&mut self, text: &str) {
        let Some(running) = &mut self.running else { return };
        let text = text.trim();
        let nodes = running.panel.facts().map(|facts| facts.nodes_of(text)).unwrap_or_default();
        let named = nodes.iter().find_map(|target| Some((target.graph.clone(), target.node()?.to_owned())));
        running.table = named.filter(|_| !text.is_empty());
        running.shown = None;
        if let Some((graph, node)) = &running.table {
            running.panel.open_table(graph, node);
            // A name alone may stand in other names.
            let is_path = text.contains(['/', '[']);
            running.panel.filter_table(if is_path { text } else { "" });
            running.panel.show_rows(0, FIRST_ROWS);
        }
    }

    fn breakpoint_clicked(&mut self, row: usize) {
        let Some(running) = &mut self.running else { return };
        let Some(breakpoint) = running.panel.breakpoints().get(row).cloned() else { return };
        running.current_breakpoint = Some(breakpoint.number);
        running.shown = None;
        if let Some(target) = breakpoint.targets.iter().find(|target| target.part != Part::Program) {
            self.editor.show(target);
            let _ = self.editor.take_requests();
            if target.attribute.is_some() {
                // A line of a body.
                self.want_body_line(target);
            }
        }
    }
}

fn number(value: usize) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}
