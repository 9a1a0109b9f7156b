//! The options form: what is typed and chosen in it.

/// What is kept of the form of another program.
pub(super) mod kept;

use std::path::Path;

use super::super::form::{Choices, Field, FieldId, FieldKind, List};
use super::super::host::Subject;
use super::super::options::{Mode, Options};
use crate::run::form::{Scene, Typed, fields, view_at};
use hasse_debugger::facility::View;
use hasse_model::record_options::RecordOption as RecordChoice;

use super::RunPanel;
use kept::Kept;

impl RunPanel {
    /// Rows of the form for the mode that is chosen.
    pub fn fields(&self) -> Vec<Field> {
        let facts = self.facts().filter(|facts| self.is_subject(facts));
        fields(&Scene {
            options: &self.options,
            typed: &self.typed,
            facts: facts.map(|facts| &**facts),
            is_trace: self.is_on_trace(),
            has_file: &|name| self.has_file(name),
        })
    }

    pub(super) fn is_on_trace(&self) -> bool {
        matches!(self.subject, Some(Subject::Trace(_)))
    }

    /// Whether a file is there, as the session looks for it: beside the program, then in the current folder.
    fn has_file(&self, name: &str) -> bool {
        let folder = match &self.subject {
            Some(Subject::Program { path: Some(path), .. } | Subject::Trace(path)) => path.parent(),
            Some(Subject::Program { path: None, .. }) | None => None,
        };
        folder.is_some_and(|folder| folder.join(name).is_file()) || Path::new(name).is_file()
    }

    /// The first thing that is wrong with the options that the mode uses, with its name.
    pub fn options_problem(&self) -> Option<String> {
        let found = self.fields().into_iter().find(|field| !field.problem.is_empty())?;
        let about = match found.kind {
            FieldKind::Line | FieldKind::Rule if !found.text.is_empty() => {
                format!("{} `{}`", found.label, found.text)
            }
            _ => found.label,
        };
        Some(format!("{about}: {}", found.problem))
    }

    fn change(&mut self, change: impl FnOnce(&mut Options)) {
        let mut options = self.options.clone();
        change(&mut options);
        self.set_options(options);
    }

    /// Takes a text that is typed into a row.
    pub fn type_option(&mut self, id: &FieldId, text: &str) {
        let trimmed = text.trim();
        match id {
            FieldId::Workers => {
                let read = trimmed.parse().ok().filter(|n_workers| *n_workers > 0);
                self.keep_number(id, text, read.is_some());
                self.change(|options| options.n_workers = read);
            }
            FieldId::Seed => {
                let read = trimmed.parse().ok();
                self.keep_number(id, text, read.is_some());
                self.change(|options| options.seed = read);
            }
            FieldId::Param(name) => self.change(|options| {
                if trimmed.is_empty() {
                    options.params.remove(name);
                } else {
                    options.params.insert(name.clone(), text.to_owned());
                }
            }),
            FieldId::Line(list, row) => self.change(|options| {
                let held = match list {
                    List::Record => options.record.get_mut(*row).map(|(selector, _)| selector),
                    List::DisplaySet => options.display_set.get_mut(*row),
                    List::Checks => options.checks.get_mut(*row),
                    List::CheckSet => options.check_set.get_mut(*row),
                };
                if let Some(held) = held {
                    text.clone_into(held);
                }
            }),
            FieldId::File => {
                text.clone_into(&mut self.typed.file);
                let view = self.options.file.as_ref().map_or(View::Record, |(_, view)| *view);
                let file = (!trimmed.is_empty()).then(|| (trimmed.to_owned(), view));
                self.change(|options| options.file = file);
                self.version += 1;
            }
            FieldId::List(_) | FieldId::Display | FieldId::Races | FieldId::Save | FieldId::FileView => {}
        }
    }

    /// What was wrong with the options is being mended.
    pub(super) fn unblock(&mut self) {
        if std::mem::take(&mut self.is_blocked) {
            self.problem.clear();
        }
    }

    fn keep_number(&mut self, id: &FieldId, text: &str, is_read: bool) {
        if is_read || text.trim().is_empty() {
            self.typed.numbers.remove(id);
        } else {
            self.typed.numbers.insert(id.clone(), text.to_owned());
        }
        self.unblock();
        self.version += 1;
    }

    /// Takes a choice of a row; of a switch 1 is on.
    pub fn choose_option(&mut self, id: &FieldId, choice: usize) {
        match id {
            FieldId::Display => self.change(|options| options.display = view_at(choice)),
            FieldId::Save => self.change(|options| options.save = view_at(choice)),
            FieldId::Races => self.change(|options| options.races = choice == 1),
            FieldId::FileView => {
                let name = self.typed.file.trim().to_owned();
                // Without a name there is a file yet to be named: the form says so.
                self.change(|options| options.file = view_at(choice).map(|view| (name, view)));
            }
            FieldId::Line(List::Record, row) => {
                let chosen = Choices::Record.names().get(choice).and_then(|name| RecordChoice::of_name(name));
                self.change(|options| {
                    if let (Some((_, option)), Some(chosen)) = (options.record.get_mut(*row), chosen) {
                        *option = chosen;
                    }
                });
            }
            FieldId::Line(..)
            | FieldId::List(_)
            | FieldId::Workers
            | FieldId::Seed
            | FieldId::Param(_)
            | FieldId::File => {}
        }
    }

    /// Adds lines to a list; those that are there already are not added again. An empty text is a line to be filled in.
    pub fn add_options(&mut self, list: List, texts: &[String]) {
        self.change(|options| {
            for text in texts {
                let set = match list {
                    List::Record => {
                        if options.record.iter().all(|(known, _)| known != text) {
                            options.record.push((text.clone(), RecordChoice::Full));
                        }
                        continue;
                    }
                    List::DisplaySet => &mut options.display_set,
                    List::Checks => &mut options.checks,
                    List::CheckSet => &mut options.check_set,
                };
                if !set.contains(text) {
                    set.push(text.clone());
                }
            }
        });
    }

    /// Removes a line.
    pub fn remove_option(&mut self, id: &FieldId) {
        let FieldId::Line(list, row) = *id else { return };
        fn remove<T>(list: &mut Vec<T>, row: usize) {
            if row < list.len() {
                list.remove(row);
            }
        }
        self.change(|options| match list {
            List::Record => remove(&mut options.record, row),
            List::DisplaySet => remove(&mut options.display_set, row),
            List::Checks => remove(&mut options.checks, row),
            List::CheckSet => remove(&mut options.check_set, row),
        });
    }

    /// How a selector names a node of the program: by its name, with its graph where several have the name.
    pub fn selector_of(&self, graph: &str, node: &str) -> String {
        let facts = self.facts();
        let unit = facts.and_then(|facts| facts.templates.get(facts.template_of(graph, node)?));
        unit.map_or_else(|| node.to_owned(), |unit| unit.selector.clone())
    }

    /// What the console or the session has set is shown in the form.
    pub(super) fn take_options(&mut self, told: Options) {
        self.options = match &self.known {
            Some(sent) => self.options.clone().taking(sent, &told),
            None => told.clone(),
        };
        if let Some((name, _)) = &self.options.file
            && !name.is_empty()
        {
            name.clone_into(&mut self.typed.file);
        }
        self.known = Some(told);
    }

    /// Each program has options of its own: those of the one before are put aside. One that is saved under another name
    /// keeps its options.
    pub(super) fn change_program(&mut self, next: &Subject) {
        let (Some(Subject::Program { path: before, text: old }), Subject::Program { path, text }) =
            (&self.subject, next)
        else {
            return;
        };
        if before == path || old == text {
            return;
        }
        let kept = Kept {
            path: before.clone(),
            options: self.options.clone(),
            typed: self.typed.clone(),
            has_breakpoints: false,
        };
        self.kept.retain(|known| known.path != kept.path);
        self.kept.push(kept);
        let known = self.kept.iter().position(|known| known.path == *path);
        let next = known.map(|at| self.kept.remove(at));
        (self.options, self.typed) = match next {
            Some(next) => (next.options, next.typed),
            None => {
                // What names nothing of a program goes on.
                let Options { mode, n_workers, seed, save, .. } = self.options.clone();
                let mode = if mode == Mode::PostMortem { Mode::Full } else { mode };
                (Options { mode, n_workers, seed, save, ..Options::new() }, Typed::default())
            }
        };
        self.known = None;
    }
}
