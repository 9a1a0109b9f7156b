//! Checks, races and models of expected behavior: what is asked, what was found, and the models' texts.

/// What the panel of findings keeps.
pub(super) mod list;

use std::path::Path;

use hasse_editor::edit::link::LinkList;
use hasse_editor::state::Status as Said;
use hasse_editor::views::findings::{Query, Status};
use hasse_editor::views::models::{ModelList, Saved};
use hasse_model::quantity::counted;
use hasse_ui::{EditorWindow, Findings as UiFindings, LineOfList};
use slint::ComponentHandle;

use crate::command::panel;
use crate::studio::Studio;

fn line(badge: &str, tone: i32, text: &str, depth: i32, is_current: bool) -> LineOfList {
    LineOfList { badge: badge.into(), tone, text: text.into(), depth, is_current, ..LineOfList::default() }
}

impl Studio {
    pub(crate) fn look_for(&mut self, query: Query) {
        let viewing = &mut self.viewing;
        match query.check() {
            Ok(()) => {
                viewing.views.look_for_one(query);
                viewing.asking.say("", false);
            }
            Err(error) => viewing.asking.say(error, true),
        }
        viewing.shown = None;
    }

    /// The model of what is selected on the picture, to be checked with the rest.
    pub(super) fn draw_model(&mut self) {
        self.viewing.shown = None;
        let selection = self.editor.selection().clone();
        let graph_name = self.editor.graph().to_owned();
        if selection.nodes.is_empty() && selection.links.is_empty() {
            let text = "Select the nodes and arcs on the picture whose behavior is expected.";
            self.viewing.asking.say(text, true);
            return;
        }
        let graphs = match hasse_compiler::outline(self.editor.document().text()) {
            Ok(graphs) => graphs,
            Err(_) => {
                self.viewing.asking.say("The program cannot be read: see its problems.", true);
                return;
            }
        };
        let Some(graph) = graphs.iter().find(|graph| graph.name == graph_name) else { return };
        let arcs = selection.links.iter().filter(|(list, _)| *list == LinkList::Arcs);
        let rows = arcs.map(|(_, row)| *row).collect();
        let notes = self.viewing.views.draw_model(graph, &selection.nodes, &rows);
        self.viewing.asking.say(notes.join(" "), false);
        self.viewing.asking.evidence = None;
    }

    pub(super) fn remove_query(&mut self) {
        self.viewing.views.remove_query();
        self.viewing.asking.evidence = None;
        self.viewing.asking.say("", false);
        self.viewing.shown = None;
    }

    pub(super) fn model_edited(&mut self, text: &str) {
        self.viewing.asking.typed = text.to_owned();
        self.viewing.shown = None;
    }

    pub(super) fn model_accepted(&mut self) {
        let viewing = &mut self.viewing;
        let Some((at, _)) = &viewing.asking.model else { return };
        // What is wrong with it is said already.
        if viewing.views.set_model(*at, &viewing.asking.typed).is_ok() {
            viewing.asking.model = None;
            viewing.asking.say("", false);
        }
        viewing.shown = None;
    }

    pub(super) fn model_reverted(&mut self) {
        self.viewing.asking.model = None;
        self.viewing.shown = None;
    }

    /// Writes the models to the file beside the program. One that holds others is asked about, and written over where that
    /// is asked again.
    pub(super) fn save_models(&mut self) {
        self.viewing.shown = None;
        let asking = &mut self.viewing.asking;
        let Some(program) = self.editor.path() else {
            asking.say("Save the program first: its models are kept beside it.", true);
            return;
        };
        let path = ModelList::path_of(program);
        let writes_over = asking.writes_over.as_deref() == Some(&*path);
        let name = path.display().to_string();
        match self.viewing.views.models.save(&path, writes_over) {
            Ok(Saved::Written) => asking.say(format!("Saved {name}"), false),
            Ok(Saved::Removed) => asking.say(format!("Removed {name}: there are no models any more"), false),
            Ok(Saved::IsThere) => {
                let text = format!("{name} is there and holds other models. Save again to write over them.");
                asking.say(text, true);
                asking.writes_over = Some(path);
            }
            Err(error) => asking.say(error.to_string(), true),
        }
    }

    /// Whether models, or what has been typed of one, would be lost with the program.
    pub(crate) fn has_unsaved_models(&self) -> bool {
        let asking = &self.viewing.asking;
        let is_typed = asking.model.as_ref().is_some_and(|(_, text)| *text != asking.typed);
        is_typed || !self.viewing.views.models.is_saved()
    }

    /// Saves all models before the program is left. Where that fails, the program stays and the reason is shown.
    pub(crate) fn save_models_to_leave(&mut self) {
        self.model_accepted();
        self.save_models();
        let are_saved = !self.has_unsaved_models();
        self.editor.models_saved(are_saved);
        if !are_saved {
            self.show_panel(panel::FINDINGS);
        }
    }

    /// Adds the models of a file.
    pub(crate) fn open_models(&mut self, path: &Path) {
        let text = match self.viewing.views.models.add_file(path) {
            Ok(n_models) => {
                self.viewing.views.look_again();
                self.show_panel(panel::FINDINGS);
                format!("{} of {}", counted(n_models, "model"), path.display())
            }
            Err(error) => {
                self.editor.set_status(Said { text: error.to_string(), is_refusal: true });
                return;
            }
        };
        self.viewing.asking.say(text, false);
        self.viewing.shown = None;
    }

    /// Takes the models that are kept beside the program, where another one was opened.
    pub(super) fn take_models(&mut self) {
        let program = self.editor.path().map(Path::to_owned);
        if program == self.viewing.asking.program {
            return;
        }
        self.viewing.asking.program.clone_from(&program);
        // Without a file there are none either.
        let path = program.map(|program| ModelList::path_of(&program)).unwrap_or_default();
        match self.viewing.views.models.open(&path) {
            Ok(Some(n_models)) => {
                self.viewing
                    .asking
                    .say(format!("{} of {}", counted(n_models, "model"), path.display()), false);
            }
            Ok(None) => self.viewing.asking.say("", false),
            Err(error) => self.viewing.asking.say(error.to_string(), true),
        }
        self.viewing.asking.model = None;
        self.viewing.views.look_again();
        self.viewing.shown = None;
    }

    /// The program was saved to another file: its models stay, and are not saved there yet.
    pub(crate) fn keep_models(&mut self) {
        let program = self.editor.path().map(Path::to_owned);
        if program != self.viewing.asking.program {
            self.viewing.asking.program = program;
            self.viewing.views.models.forget_file();
            self.viewing.shown = None;
        }
    }

    pub(super) fn finding_clicked(&mut self, row: usize) {
        let viewing = &mut self.viewing;
        let Some((finding, evidence)) = viewing.asking.places.get(row).copied() else { return };
        viewing.views.select_finding(finding, evidence);
        viewing.asking.evidence = evidence;
        viewing.shown = None;
        let found = viewing.views.findings().get(finding);
        let target = found.and_then(|found| {
            let lines = evidence.and_then(|line| found.evidence.get(line));
            let targets = &lines.or(found.evidence.first())?.targets;
            // A rule says more than the node that it belongs to.
            let line = targets.iter().find(|target| target.attribute.is_some());
            line.or(targets.first()).cloned()
        });
        if let Some(target) = target {
            self.show_target(&target);
        }
    }

    pub(super) fn show_findings(&mut self, window: &EditorWindow) {
        let ui = window.global::<UiFindings>();
        let (views, asking) = (&self.viewing.views, &mut self.viewing.asking);
        let selected = views.selected_finding();
        let (mut lines, mut places) = (Vec::new(), Vec::new());
        for (at, finding) in views.findings().iter().enumerate() {
            let (badge, tone) = match finding.status {
                Status::Holds => ("holds", 3),
                Status::Unknown => ("unknown", 1),
                Status::Violated if finding.is_race => ("race", 2),
                Status::Violated => ("violated", 2),
            };
            let is_selected = selected == Some(at);
            // The word before it says so.
            let title = finding.title.strip_prefix("holds: ").unwrap_or(&finding.title);
            lines.push(line(badge, tone, title, 0, is_selected && asking.evidence.is_none()));
            places.push((at, None));
            for (number, evidence) in finding.evidence.iter().enumerate() {
                let is_current = is_selected && asking.evidence == Some(number);
                lines.push(line("", 0, &evidence.text, 1, is_current));
                places.push((at, Some(number)));
            }
        }
        if views.is_looking() {
            lines.push(line("", 0, "The record is being checked...", 0, false));
            places.push((usize::MAX, None));
        }
        asking.lines.set(lines);
        asking.places = places;
        let found = selected.and_then(|at| views.findings().get(at));
        ui.set_detail(found.map(|found| found.text.as_str()).unwrap_or_default().into());
        ui.set_can_remove(views.selected_query().is_some());

        let model = views.selected_model().and_then(|at| Some((at, views.models.texts().get(at)?.clone())));
        if asking.model != model {
            asking.typed = model.as_ref().map(|(_, text)| text.clone()).unwrap_or_default();
            asking.model = model;
            asking.version += 1;
            ui.set_model_text((&asking.typed).into());
            ui.set_model_version(asking.version);
        }
        ui.set_has_model(asking.model.is_some());
        let fault = asking.model.as_ref().and_then(|(at, _)| views.models.fault_with(*at, &asking.typed));
        let is_changed = asking.model.as_ref().is_some_and(|(_, text)| *text != asking.typed);
        ui.set_can_accept(is_changed && fault.is_none());
        ui.set_model_fault(fault.unwrap_or_default().into());
        ui.set_can_save(!views.models.is_saved());
        ui.set_status((&asking.status).into());
        ui.set_is_wrong(asking.is_wrong);
    }
}
