//! The end of a run: the banner below the picture, and the tab with runs, results and one value.

/// The banner below the picture.
mod banner;
/// Callbacks.
mod connect;
/// The pane with runs and results, and the banner.
pub(crate) mod pane;

pub(crate) use connect::connect;

use std::path::PathBuf;
use std::sync::Arc;

use hasse_editor::run::{Button, Compared, PastRun, compared};
use hasse_editor::views::record::parted;
use hasse_editor::views::value::summary;
use hasse_model::value::Value;
use hasse_runtime::report::RunOutcome;
use hasse_ui::{EditorWindow, LineOfList, Results as UiResults};
use slint::ComponentHandle;

use crate::command::panel;
use crate::studio::Studio;

/// The color of an outcome, as a state of the theme.
pub(crate) fn outcome_tone(outcome: RunOutcome) -> i32 {
    match outcome {
        RunOutcome::Failed => 1,
        RunOutcome::Quiescent => 3,
        RunOutcome::Finished => 5,
        RunOutcome::Stopped => 7,
    }
}

/// The color of an outcome in a list.
fn run_tone(run: &PastRun) -> i32 {
    match run.ended.as_ref().map(|ended| ended.outcome) {
        Some(RunOutcome::Failed) => 2,
        Some(RunOutcome::Quiescent) => 1,
        Some(RunOutcome::Finished) => 3,
        Some(RunOutcome::Stopped) | None => 0,
    }
}

fn run_line(run: &PastRun, is_current: bool) -> LineOfList {
    LineOfList {
        badge: format!("{}", run.number).into(),
        text: run.given().into(),
        detail: run.outcome().into(),
        tone: run_tone(run),
        is_current,
        ..LineOfList::default()
    }
}

fn result_line((name, value): &(String, Value), is_current: bool) -> LineOfList {
    LineOfList { text: format!("{name} = {}", summary(value)).into(), is_current, ..LineOfList::default() }
}

fn compared_line(row: &Compared, is_current: bool) -> LineOfList {
    let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "no result".to_owned());
    let [left, right] = &row.values;
    LineOfList {
        badge: if row.is_same { "same".into() } else { "differs".into() },
        tone: if row.is_same { 0 } else { 2 },
        text: match row.is_same {
            true => format!("{} = {}", row.name, text(left)).into(),
            false => format!("{}: {} | {}", row.name, text(left), text(right)).into(),
        },
        is_current,
        ..LineOfList::default()
    }
}

impl Studio {
    /// Shows the outcome of the last run, and the runs with their results.
    pub(crate) fn show_results(&mut self, window: &EditorWindow) {
        if self.is_panel_shown(panel::RESULTS) {
            let record = self.record_of_shown_run();
            self.show_coverage_of_run(&window.global::<UiResults>(), record.as_deref());
        }
        let Some(running) = &self.running else { return };
        let is_open = self.is_panel_shown(panel::RESULTS);
        let version = running.panel.version().wrapping_add(self.results.version);
        let shown = (version.wrapping_add(self.lists.problems_version()), is_open, self.is_dark);
        if self.results.shown == Some(shown) {
            return;
        }
        self.results.shown = Some(shown);
        self.show_outcome(window);
        if is_open {
            self.show_runs(window);
        }
    }

    fn show_runs(&mut self, window: &EditorWindow) {
        let Some(running) = &self.running else { return };
        let ui = window.global::<UiResults>();
        let results = &mut self.results;
        let runs: Vec<&PastRun> = running.panel.runs().rev().collect();
        let known = |number: Option<u64>| runs.iter().copied().find(|run| Some(run.number) == number);
        let chosen = known(results.chosen)
            .or_else(|| runs.iter().copied().find(|run| run.ended.is_some()))
            .or_else(|| runs.first().copied());
        let other = known(results.other);
        let is_current =
            |run: &PastRun| [chosen, other].iter().flatten().any(|shown| shown.number == run.number);
        results.runs.set(runs.iter().map(|run| run_line(run, is_current(run))));
        results.numbers = runs.iter().map(|run| run.number).collect();
        ui.set_is_comparing(results.is_asking || other.is_some());
        ui.set_can_compare(runs.len() > 1);
        ui.set_can_rerun(chosen.is_some() && running.panel.is_enabled(Button::Run));
        ui.set_can_open(chosen.and_then(|run| run.record.as_ref()).is_some_and(|path| path.is_file()));
        let Some(chosen) = chosen else {
            results.lines.set([]);
            results.names.clear();
            results.viewer.clear();
            ui.set_title("RESULTS".into());
            ui.set_parting("".into());
            ui.set_value(results.viewer.shown(self.is_dark));
            return;
        };
        if let Some(other) = other {
            let rows = compared(chosen, other);
            results.names = rows.iter().map(|row| row.name.clone()).collect();
            results.lines.set(rows.iter().map(|row| compared_line(row, row.name == results.name)));
            ui.set_parting(format!("First event that differs: {}", results.parted).into());
            ui.set_has_parting_event(results.parted_at.is_some());
            let n_different = rows.iter().filter(|row| !row.is_same).count();
            let title = match n_different {
                0 => format!("RUNS {} | {}: SAME RESULTS", chosen.number, other.number),
                n => format!("RUNS {} | {}: {n} OF {} DIFFER", chosen.number, other.number, rows.len()),
            };
            ui.set_title(title.into());
        } else {
            ui.set_parting("".into());
            results.names = chosen.results().iter().map(|(name, _)| name.clone()).collect();
            if !results.names.contains(&results.name) {
                results.name = results.names.first().cloned().unwrap_or_default();
            }
            let name = &results.name;
            results.lines.set(chosen.results().iter().map(|held| result_line(held, held.0 == *name)));
            ui.set_title(match results.is_asking {
                true => format!("RUN {} AND: CLICK ANOTHER ONE", chosen.number).into(),
                false => format!("RESULTS OF RUN {}", chosen.number).into(),
            });
        }
        results.show_value(&ui, chosen, self.is_dark);
    }

    /// Takes an action as the one under debug, and selects its node on the picture.
    pub(crate) fn show_action(&mut self, path: &str) {
        let Some(running) = &mut self.running else { return };
        running.panel.select(Some(path));
        let target = running.panel.facts().and_then(|facts| facts.nodes_of(path).into_iter().next());
        if let Some(target) = target {
            self.editor.show(&target);
            let _ = self.editor.take_requests();
        }
    }

    /// Shows the last run once it is another one: what was chosen or compared before is of earlier runs.
    pub(crate) fn follow_new_run(&mut self) {
        let Some(running) = &self.running else { return };
        let last = running.panel.runs().next_back().map(|run| run.number);
        if self.results.last != last {
            self.results.last = last;
            self.results.change(|results| {
                results.chosen = None;
                results.other = None;
                results.is_asking = false;
            });
        }
    }

    fn run_clicked(&mut self, row: usize) {
        let Some(&number) = self.results.numbers.get(row) else { return };
        let chosen = self.shown_run();
        self.results.change(|results| {
            if results.is_asking && chosen != Some(number) {
                results.chosen = chosen;
                results.other = Some(number);
            } else {
                results.chosen = Some(number);
                results.other = None;
            }
            results.is_asking = false;
        });
        self.look_for_parting();
    }

    /// Begins to look for the event in which the two runs that are compared part.
    fn look_for_parting(&mut self) {
        let Some(running) = &self.running else { return };
        let Some(other) = self.results.other else { return };
        let record = |number: Option<u64>| {
            let run = running.panel.run_numbered(number?)?;
            run.record.clone().filter(|path| path.is_file())
        };
        match (record(self.results.chosen), record(Some(other))) {
            (Some(left), Some(right)) => {
                self.results.parting = Some(parted([left, right], Arc::clone(&self.wake)));
                "both records are being read".clone_into(&mut self.results.parted);
            }
            _ => "unknown: records of both runs are needed".clone_into(&mut self.results.parted),
        }
    }

    /// Takes in what the search has found.
    pub(crate) fn tick_results(&mut self) {
        let Some(task) = &self.results.parting else { return };
        let (text, event) = match task.poll() {
            Some(Ok(Some(parting))) => (parting.to_string(), Some(parting.event)),
            Some(Ok(None)) => ("none: both records have the same events".to_owned(), None),
            Some(Err(error)) => (error.to_string(), None),
            None if task.is_lost() => ("unknown: the records cannot be compared".to_owned(), None),
            None => return,
        };
        self.results.parting = None;
        self.results.parted = text;
        self.results.parted_at = event;
        self.results.version += 1;
    }

    fn result_clicked(&mut self, row: usize) {
        if let Some(name) = self.results.names.get(row).cloned() {
            self.results.change(|results| results.name = name);
        }
    }

    /// Shows the action of the event in which the two runs part.
    fn show_parting(&mut self) {
        let action = self.results.parted_at.as_ref().and_then(|event| event.rsplit_once(':'));
        if let Some(action) = action.map(|(action, _)| action.to_owned()) {
            self.show_action(&action);
        }
    }

    /// The number of the run whose results are shown.
    fn shown_run(&self) -> Option<u64> {
        let running = self.running.as_ref()?;
        let chosen = self.results.chosen.filter(|number| running.panel.run_numbered(*number).is_some());
        let last_ended = || running.panel.runs().rev().find(|run| run.ended.is_some()).map(|run| run.number);
        chosen.or_else(last_ended).or_else(|| running.panel.runs().next_back().map(|run| run.number))
    }

    fn record_of_shown_run(&self) -> Option<PathBuf> {
        let running = self.running.as_ref()?;
        running.panel.run_numbered(self.shown_run()?)?.record.clone()
    }

    fn rerun_shown(&mut self) {
        let Some(number) = self.shown_run() else { return };
        self.editor.end_typing();
        self.tell_program(false);
        if let Some(running) = &mut self.running {
            running.panel.rerun(number);
        }
        self.begin_record();
        self.results.change(|results| {
            results.chosen = None;
            results.other = None;
        });
    }
}
