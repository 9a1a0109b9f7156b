//! Making actions happen, whether by a menu, by a key, or from the search for commands.

use super::action::{ACTIONS, Action, Command, Direction};
use super::editor::Editor;
use super::input::{Key, Modifiers};
use super::request::Request;
use super::selection::selected::Selection;
use crate::document::Document;
use crate::palette::fuzzy;
use crate::places::Places;
use crate::target::{Part, Target};
use hasse_model::quantity::counted;

impl Editor {
    /// Whether an action can be done now. Cost: at most linear in the shown graph.
    pub fn is_enabled(&self, action: Action) -> bool {
        let selection = &self.selection;
        let has_graph = self.drawn.shown().is_some();
        match action {
            Action::New
            | Action::Open
            | Action::Save
            | Action::SaveAs
            | Action::Close
            | Action::Find
            | Action::Commands => true,
            Action::Undo => self.document.next_undo().is_some(),
            Action::Redo => self.document.next_redo().is_some(),
            Action::Cut | Action::Copy | Action::Duplicate | Action::Collapse => {
                !self.selected_nodes().is_empty()
            }
            Action::DeleteAndHeal => !self.selected_nodes().is_empty(),
            Action::Paste | Action::AddNode | Action::AddComment | Action::FitAll => has_graph,
            Action::Delete => !selection.is_empty(),
            Action::SelectNone => !selection.is_empty(),
            Action::SelectAll | Action::InvertSelection | Action::TidyAll => {
                self.drawn.shown().is_some_and(|shown| shown.scene.bounds().is_some())
            }
            Action::SelectConnected | Action::TidySelection => !selection.nodes.is_empty(),
            Action::Rename => has_graph && self.drawn.is_readable(),
            Action::Connect | Action::Enter => self.selected_boxes().len() == 1,
            Action::AddFrame | Action::FitSelection => self.selection_bounds().is_some(),
            Action::Unpack => self.selected_call().is_some(),
            Action::ToggleStart | Action::ToggleStop => !self.selected_units().is_empty(),
            Action::RemoveBends => !self.selected_bent_links().is_empty(),
            Action::Align(_) => selection.nodes.len() >= 2,
            Action::Distribute(_) => selection.nodes.len() >= 3,
            Action::ActualSize | Action::ZoomIn | Action::ZoomOut => true,
            Action::Nudge(_) | Action::NudgeFar(_) => has_graph,
            Action::GoUp => self.crumbs.len() > 1,
            Action::OpenTab | Action::SideBySide => has_graph || self.tabs.has_second(),
            Action::CloseTab | Action::NextTab | Action::PreviousTab => self.tabs.len() > 1,
            Action::NextProblem | Action::PreviousProblem => {
                self.problems().is_some_and(|problems| !problems.list().is_empty())
            }
            Action::NextBox | Action::PreviousBox => {
                self.drawn.shown().is_some_and(|shown| !shown.scene.boxes.is_empty())
            }
        }
    }

    /// Does something, where it can be done now; what was begun with the mouse is given up. Tells whether it could be.
    pub fn act(&mut self, action: Action) -> bool {
        self.cancel();
        if !self.is_enabled(action) {
            return false;
        }
        match action {
            Action::New => self.new_program(),
            Action::Open => self.request(Request::OpenDialog),
            Action::Save => {
                self.save();
            }
            Action::SaveAs => self.request(Request::SaveDialog),
            Action::Close => self.close(),
            Action::Undo => drop(self.step_back(Document::undo, "Undone")),
            Action::Redo => drop(self.step_back(Document::redo, "Done again")),
            Action::Cut => {
                if let Some(text) = self.cut_nodes() {
                    self.request(Request::SetClipboard(text));
                }
            }
            Action::Copy => {
                if let Some(text) = self.copy() {
                    let n_nodes = self.selected_nodes().len();
                    self.say(format!("Copied {}", counted(n_nodes, "node")));
                    self.request(Request::SetClipboard(text));
                }
            }
            Action::Paste => self.request(Request::Paste),
            Action::Duplicate => self.duplicate(),
            Action::Delete => self.delete(false),
            Action::DeleteAndHeal => self.delete(true),
            Action::SelectAll => {
                let all = self.drawn.shown().map(|shown| Selection::all(&shown.scene));
                self.select(all.unwrap_or_default());
            }
            Action::InvertSelection => {
                let all = self.drawn.shown().map(|shown| Selection::all(&shown.scene)).unwrap_or_default();
                let mut inverted = all.toggled(&self.selection);
                inverted.bends.clear();
                self.select(inverted);
            }
            Action::SelectConnected => self.select_connected(),
            Action::SelectNone => self.select(Selection::default()),
            Action::Find => self.request(Request::Find),
            Action::Commands => self.request(Request::Commands),
            Action::Rename => self.prompt_rename(),
            Action::AddNode => {
                let inside = self.cursor.filter(|at| self.canvas().contains(*at));
                self.ask_for_palette(inside.unwrap_or(self.canvas().center()), None);
            }
            Action::Connect => self.connect_by_keys(),
            Action::AddComment => self.add_comment(),
            Action::AddFrame => self.add_frame(),
            Action::Collapse => self.prompt_collapse(),
            Action::Unpack => self.unpack(),
            Action::ToggleStart => self.toggle_flag("start"),
            Action::ToggleStop => self.toggle_flag("stop"),
            Action::RemoveBends => self.remove_bends(),
            Action::Align(align) => self.align(align),
            Action::Distribute(direction) => self.distribute(direction),
            Action::TidyAll => self.tidy(false),
            Action::TidySelection => self.tidy(true),
            Action::FitAll => self.fit(None),
            Action::FitSelection => self.fit(self.selection_bounds()),
            Action::ActualSize => self.set_zoom(1.0),
            Action::ZoomIn => self.zoom_by(1.25),
            Action::ZoomOut => self.zoom_by(0.8),
            Action::Enter => {
                if let [box_idx] = self.selected_boxes()[..] {
                    self.open_box(box_idx);
                }
            }
            Action::GoUp => self.go_up(),
            Action::OpenTab => self.open_tab(),
            Action::CloseTab => self.close_current_tab(),
            Action::NextTab => self.step_tab(true),
            Action::PreviousTab => self.step_tab(false),
            Action::SideBySide => self.toggle_second(),
            Action::NextProblem => self.step_problem(true),
            Action::PreviousProblem => self.step_problem(false),
            Action::NextBox => self.step_box(true),
            Action::PreviousBox => self.step_box(false),
            Action::Nudge(direction) => self.nudge_to(direction, false),
            Action::NudgeFar(direction) => self.nudge_to(direction, true),
        }
        true
    }

    /// Undoes or makes again; where that is in another graph, that is shown. Returns the subject of the step.
    fn step_back(
        &mut self,
        step: impl FnOnce(&mut Document) -> Option<String>,
        word: &str,
    ) -> Option<Target> {
        let before = self.document.text().to_owned();
        let label = step(&mut self.document)?;
        let made = self.drawn.shown().map(|shown| shown.scene.clone());
        self.refresh();
        let text = self.document.text();
        let same = before.bytes().zip(text.bytes()).take_while(|(old, new)| old == new).count();
        // Where something came or went, it stands in the longer one.
        let longer = if before.len() > text.len() { &before } else { text };
        let at = (0..=same).rev().find(|at| longer.is_char_boundary(*at)).unwrap_or(0);
        let target = Places::of(longer).target(at);
        if self.drawn.shown().map(|shown| &shown.scene) == made.as_ref() {
            self.show_graph(&target.graph);
        }
        self.say(format!("{word}: {label}"));
        Some(target)
    }

    /// Undoes the last step, or makes it again, while a text of `here` is edited: where the step was about another node or
    /// arc, that is shown and selected.
    pub fn step_from(&mut self, here: &Target, is_undo: bool) {
        self.cancel();
        let stepped = if is_undo {
            self.step_back(Document::undo, "Undone")
        } else {
            self.step_back(Document::redo, "Done again")
        };
        let Some(target) = stepped else {
            self.say(if is_undo { "Nothing is left to undo." } else { "Nothing is left to do again." });
            return;
        };
        if (&target.graph, &target.part) == (&here.graph, &here.part) {
            return;
        }
        let mut selection = Selection::default();
        match &target.part {
            Part::Node(name) => drop(selection.nodes.insert(name.clone())),
            Part::Link(list, row) => drop(selection.links.insert((*list, *row))),
            Part::Program | Part::Type(_) | Part::Graph => return,
        }
        self.show_graph(&target.graph);
        if self.graph != target.graph {
            return;
        }
        // What is gone by now cannot be selected.
        let is_there = self.drawn.shown().is_some_and(|shown| match &target.part {
            Part::Node(name) => shown.scene.boxes.iter().any(|held| held.name == *name),
            Part::Link(list, row) => {
                shown.scene.links.iter().any(|held| (held.list, held.row) == (*list, *row))
            }
            Part::Program | Part::Type(_) | Part::Graph => false,
        });
        if is_there {
            self.select(selection);
            self.reveal();
        }
    }

    fn nudge_to(&mut self, direction: Direction, is_far: bool) {
        let (x, y) = match direction {
            Direction::Left => (-1, 0),
            Direction::Right => (1, 0),
            Direction::Up => (0, -1),
            Direction::Down => (0, 1),
        };
        self.nudge(x, y, is_far);
    }

    fn request(&mut self, request: Request) {
        self.requests.push(request);
        self.changed();
    }

    /// Takes in a key that goes down while the canvas has the focus. Tells whether it meant something.
    pub fn key(&mut self, key: Key, modifiers: Modifiers) -> bool {
        if self.key_wire(key, modifiers) {
            return true;
        }
        match key {
            Key::Escape => {
                if !self.cancel() {
                    self.select(Selection::default());
                }
                return true;
            }
            Key::Space if modifiers == Modifiers::NONE => {
                self.is_space_held = true;
                return true;
            }
            _ => {}
        }
        match self.keymap.action(key, modifiers) {
            // A key with a meaning is taken even where that cannot be done now.
            Some(action) => {
                self.act(action);
                true
            }
            None => false,
        }
    }

    /// Takes in a key that goes up, or that the canvas has lost the focus: then all that are held.
    pub fn key_up(&mut self, key: Key) {
        if key == Key::Space {
            self.is_space_held = false;
        }
    }
}

impl Editor {
    /// What an action is called now: undoing says what.
    pub fn label(&self, action: Action) -> String {
        let name = action.info().map_or("", |info| info.name);
        let step = match action {
            Action::Undo => self.document.next_undo(),
            Action::Redo => self.document.next_redo(),
            _ => None,
        };
        step.map_or_else(|| name.to_owned(), |step| format!("{name}: {step}"))
    }

    /// Commands by a few letters of what they are called, the best first; those that cannot be done now behind all
    /// others.
    pub fn command_palette(&self, query: &str) -> Vec<Command> {
        let mut found: Vec<(i64, Command)> = Vec::new();
        for info in ACTIONS {
            let label = format!("{}: {}", info.category.name(), self.label(info.action));
            let Some(fit) = fuzzy(&label, query) else { continue };
            let command = Command {
                action: info.action,
                label,
                shortcut: self.keymap.first(info.name),
                is_enabled: self.is_enabled(info.action),
                letters: fit.letters,
            };
            found.push((-fit.score, command));
        }
        // Stable: what is equal stays in the order of the table.
        found.sort_by_key(|(score, command)| (!command.is_enabled, *score));
        found.into_iter().map(|(_, command)| command).collect()
    }
}
