//! The end of a run: the banner below the picture, and the tab with runs, results and one value.

/// Callbacks.
mod connect;

pub(crate) use connect::connect;

use std::path::PathBuf;
use std::sync::Arc;

use hasse_editor::problems::Problem;
use hasse_editor::run::{Button, Cause, Compared, PastRun, compared};
use hasse_editor::target::Target;
use hasse_editor::views::record::{LoadError, Parting, parted};
use hasse_editor::views::task::Task;
use hasse_editor::views::value::summary;
use hasse_model::diagnostic::Severity;
use hasse_model::quantity::counted;
use hasse_model::value::Value;
use hasse_runtime::report::RunOutcome;
use hasse_ui::{EditorWindow, LineOfList, Outcome as UiOutcome, Results as UiResults};
use slint::ComponentHandle;

use crate::command::panel;
use crate::models::Rows;
use crate::studio::Studio;
use crate::viewer::Viewer;

/// The pane with runs and results, and the banner.
pub(crate) struct Results {
    runs: Rows<LineOfList>,
    lines: Rows<LineOfList>,
    /// The run that was chosen, by number; without, the last one that is over.
    chosen: Option<u64>,
    /// The run that is clicked next is compared with the chosen one.
    is_asking: bool,
    /// The run beside the chosen one.
    other: Option<u64>,
    /// Search for the event in which the two part; `None` when it is over.
    parting: Option<Looking>,
    /// Result of that search as a text.
    parted: String,
    /// The event in which they part.
    parted_at: Option<String>,
    /// The name of the result that is looked at.
    name: String,
    /// Shows that value.
    pub(crate) viewer: Viewer,
    /// Numbers of the runs in the rows of the list.
    numbers: Vec<u64>,
    /// Names of the results in the rows of the list.
    names: Vec<String>,
    /// The run whose banner was closed.
    closed: Option<u64>,
    shown: Option<(u64, bool, bool)>,
    /// Changes with what is chosen here.
    version: u64,
}

impl Results {
    pub(crate) fn new(window: &EditorWindow) -> Self {
        let results = Self {
            runs: Rows::new(),
            lines: Rows::new(),
            chosen: None,
            is_asking: false,
            other: None,
            parting: None,
            parted: String::new(),
            parted_at: None,
            name: String::new(),
            viewer: Viewer::new(),
            numbers: Vec::new(),
            names: Vec::new(),
            closed: None,
            shown: None,
            version: 0,
        };
        let ui = window.global::<UiResults>();
        ui.set_runs(results.runs.model());
        ui.set_results(results.lines.model());
        results
    }

    fn change(&mut self, change: impl FnOnce(&mut Self)) {
        let before = (self.chosen, self.other);
        change(self);
        if (self.chosen, self.other) != before {
            self.parting = None;
            self.parted.clear();
            self.parted_at = None;
        }
        self.version += 1;
    }

    /// Looks at the last run again.
    pub(crate) fn look_at_last(&mut self) {
        self.change(|results| (results.chosen, results.other) = (None, None));
    }

    /// Forgets which runs were looked at, as another program is open.
    pub(crate) fn leave_program(&mut self) {
        self.change(|results| {
            results.chosen = None;
            results.is_asking = false;
            results.other = None;
            results.name.clear();
            results.closed = None;
        });
        self.shown = None;
    }

    /// Returns whether a search is under way.
    pub(crate) fn is_busy(&self) -> bool {
        self.parting.is_some()
    }
}

/// A search for the event in which two records part.
type Looking = Task<Result<Option<Parting>, LoadError>>;

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
        let shown = (running.panel.version().wrapping_add(self.results.version), is_open, self.is_dark);
        if self.results.shown == Some(shown) {
            return;
        }
        self.results.shown = Some(shown);
        self.show_outcome(window);
        if is_open {
            self.show_runs(window);
        }
    }

    fn show_outcome(&self, window: &EditorWindow) {
        let ui = window.global::<UiOutcome>();
        let Some(running) = &self.running else { return };
        if running.panel.is_not_run() {
            return self.show_not_run(&ui);
        }
        let last = running.panel.runs().next_back();
        let ended =
            last.filter(|run| self.results.closed != Some(run.number)).and_then(|run| run.ended.as_ref());
        ui.set_is_shown(ended.is_some());
        let Some(ended) = ended else { return };
        ui.set_tone(outcome_tone(ended.outcome));
        ui.set_title(ended.title().into());
        ui.set_detail(ended.detail().into());
        let queues = running.panel.snapshot().map_or(&[][..], |snapshot| &snapshot.queues);
        let n_left = queues.iter().map(|queue| queue.n_values).sum::<u64>();
        // Of other ends the reason says what waits.
        ui.set_figures(match n_left {
            n_left if n_left > 0 && ended.outcome == RunOutcome::Finished => {
                format!("{}, {} left", ended.figures(), counted(n_left, "value")).into()
            }
            _ => ended.figures().into(),
        });
        ui.set_has_results(!ended.results.is_empty());
        ui.set_link(match ended.cause() {
            Some(Cause::Line(_, line)) => match running.panel.place_of_session_line(line) {
                Some(target) => place_words(&target, line).into(),
                None => "".into(),
            },
            Some(Cause::Cycle(_)) => "Show the cycle".into(),
            Some(Cause::Action(_)) => "Why does it wait?".into(),
            None => "".into(),
        });
    }

    /// Says that nothing was executed, and the first error.
    fn show_not_run(&self, ui: &UiOutcome<'_>) {
        ui.set_is_shown(true);
        ui.set_tone(outcome_tone(RunOutcome::Failed));
        ui.set_title("Not run".into());
        ui.set_figures("nothing was executed".into());
        ui.set_has_results(false);
        let error = self.first_error();
        let text = error.map_or("the program has errors".to_owned(), |error| {
            format!("{}: {}", error.code, error.message)
        });
        ui.set_detail(text.into());
        ui.set_link("Show the error".into());
    }

    fn first_error(&self) -> Option<&Problem> {
        let problems = self.editor.problems()?.list();
        problems.iter().find(|problem| problem.severity == Severity::Error)
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
            ui.set_value(results.viewer.shown(self.is_dark));
            return;
        };
        if let Some(other) = other {
            let rows = compared(chosen, other);
            results.names = rows.iter().map(|row| row.name.clone()).collect();
            let lines = rows.iter().map(|row| compared_line(row, row.name == results.name));
            let parting = LineOfList {
                badge: "first event".into(),
                text: (&results.parted).into(),
                tone: if results.parted_at.is_some() { 4 } else { 0 },
                ..LineOfList::default()
            };
            results.lines.set(lines.chain([parting]));
            let n_different = rows.iter().filter(|row| !row.is_same).count();
            let title = match n_different {
                0 => format!("RUNS {} AND {}: ALL RESULTS ARE THE SAME", chosen.number, other.number),
                n => format!("RUNS {} | {}: {n} OF {} DIFFER", chosen.number, other.number, rows.len()),
            };
            ui.set_title(title.into());
        } else {
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

    /// Goes where the cause of the last run's end is seen.
    fn follow_outcome(&mut self) {
        if self.running.as_ref().is_some_and(|running| running.panel.is_not_run()) {
            if let Some(target) = self.first_error().map(|error| error.target.clone()) {
                self.show_target(&target);
            }
            return self.show_panel(panel::PROBLEMS);
        }
        let Some(running) = &mut self.running else { return };
        let Some(ended) = running.panel.runs().next_back().and_then(|run| run.ended.clone()) else { return };
        match ended.cause() {
            Some(Cause::Line(action, line)) => {
                running.panel.select(Some(action));
                if let Some(target) = running.panel.place_of_session_line(line) {
                    self.show_target(&target);
                }
            }
            Some(Cause::Cycle(actions)) => {
                let first = actions.first().cloned().unwrap_or_default();
                self.show_action(&first);
                self.show_panel(panel::ACTIONS);
            }
            Some(Cause::Action(action)) => {
                let action = action.to_owned();
                self.show_action(&action);
                if let Some(running) = &mut self.running {
                    running.panel.press(Button::WhyAction);
                }
                self.show_panel(panel::ACTIONS);
            }
            None => {}
        }
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
        match self.results.names.get(row).cloned() {
            Some(name) => self.results.change(|results| results.name = name),
            None => {
                let action = self.results.parted_at.as_ref().and_then(|event| event.rsplit_once(':'));
                if let Some(action) = action.map(|(action, _)| action.to_owned()) {
                    self.show_action(&action);
                }
            }
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

/// The words of a link to a line of the program.
fn place_words(target: &Target, line: u32) -> String {
    match target.attribute.as_ref().filter(|held| held.key == "do") {
        Some(held) => format!("Line {} of the body", held.line.unwrap_or(1)),
        None => format!("Line {line}"),
    }
}

impl Results {
    /// Shows the value that is looked at, of a run.
    fn show_value(&mut self, ui: &UiResults<'_>, run: &PastRun, is_dark: bool) {
        let found = run.results().iter().find(|(name, _)| *name == self.name);
        match found {
            Some((name, value)) => self.viewer.look_at(&format!("{} {name}", run.number), name, value),
            None => self.viewer.clear(),
        }
        ui.set_value(self.viewer.shown(is_dark));
    }
}
