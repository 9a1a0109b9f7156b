//! Sessions behind a window, without one: the panel of the editor on the real host.

#![allow(clippy::unwrap_used, reason = "tests")]

/// Lines, queues, tables.
mod looking;
/// Moments of records.
mod moments;
/// The options form.
mod options;
/// Outcomes and past runs.
mod outcome;
/// Values of events.
mod values;
/// What the views are given.
mod views;

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use hasse_editor::edit::link::LinkList;
use hasse_editor::marks::{ActionMark, BreakpointMark, Highlight};
use hasse_editor::run::{
    BreakpointSpec, Button, Mode, Order, Place, RunPanel, RunState, Source, Subject, Told, View,
};
use hasse_editor::target::Target;
use hasse_model::trace::TraceReader;

use super::host;
use crate::grants::Grants;
use crate::linked::Linked;

/// Longer than anything here takes on the slowest machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A panel whose session is real.
struct Window {
    panel: RunPanel,
    woken: Receiver<()>,
    now: Duration,
    told: Vec<Told>,
}

impl Window {
    fn new() -> Self {
        let (wake, woken) = channel();
        let wake = Arc::new(move || wake.send(()).unwrap_or_default());
        let (sandbox, folder) = (Grants::default().sandbox().unwrap(), super::records_folder().unwrap());
        let host = host(sandbox, wake, folder, Linked::nothing());
        Self { panel: RunPanel::new(host), woken, now: Duration::ZERO, told: Vec::new() }
    }

    fn on(path: &str) -> Self {
        let mut window = Self::new();
        window.set_text(path, &std::fs::read_to_string(path).unwrap());
        window
    }

    fn set_text(&mut self, path: &str, text: &str) {
        let subject = Subject::Program { path: Some(PathBuf::from(path)), text: Arc::from(text) };
        self.panel.set_subject(subject, false);
    }

    fn tick(&mut self) -> bool {
        self.now += Duration::from_millis(50);
        let has_changed = self.panel.tick(self.now);
        self.told.extend(self.panel.take_for_views());
        has_changed
    }

    /// Ticks until something holds.
    #[track_caller]
    fn until(&mut self, what: &str, holds: impl Fn(&RunPanel) -> bool) {
        while !holds(&self.panel) {
            if !self.tick() && !holds(&self.panel) && self.woken.recv_timeout(PATIENCE).is_err() {
                panic!("{what}: the session is {:?}\n{}", self.panel.state(), self.log_text());
            }
        }
    }

    /// Presses a button and waits for the next rest.
    #[track_caller]
    fn press(&mut self, button: Button) {
        assert!(self.panel.is_enabled(button), "{} in {:?}", button.name(), self.panel.state());
        let before = self.panel.snapshot().cloned();
        self.panel.press(button);
        let is_new = |snapshot: &Arc<_>| before.as_ref().is_none_or(|before| !Arc::ptr_eq(before, snapshot));
        self.until("rest", |panel| !panel.state().is_busy() && panel.snapshot().is_some_and(is_new));
    }

    /// Runs to the next rest.
    #[track_caller]
    fn run(&mut self) {
        self.press(Button::Run);
    }

    /// Waits until so many runs have begun.
    #[track_caller]
    fn until_begun(&mut self, n_runs: usize) {
        let is_begun = |told: &&Told| matches!(told, Told::Begun(_));
        while self.told.iter().filter(is_begun).count() < n_runs {
            if !self.tick() {
                self.woken.recv_timeout(PATIENCE).expect("a run");
            }
        }
    }

    fn log_text(&self) -> String {
        let log = self.panel.log();
        let lines = (0..log.n_lines(None)).filter_map(|idx| log.line(None, idx));
        lines.map(|line| format!("{}: {}\n", line.source.name(), line.text)).collect()
    }

    /// Types a line and waits until the console shows a text.
    #[track_caller]
    fn type_line(&mut self, line: &str, expected: &str) {
        self.panel.type_line(line);
        let shows = |panel: &RunPanel| {
            let console = panel.console();
            (0..console.n_lines()).any(|idx| console.line(idx).is_some_and(|shown| shown.contains(expected)))
        };
        self.until(expected, shows);
    }

    /// Waits until a record is complete.
    #[track_caller]
    fn record(&mut self) -> PathBuf {
        loop {
            let found = self.told.iter().position(|told| matches!(told, Told::Recorded(_)));
            if let Some(Told::Recorded(path)) = found.map(|found| self.told.remove(found)) {
                return path;
            }
            if !self.tick() {
                self.woken.recv_timeout(PATIENCE).expect("a record");
            }
        }
    }
}

fn n_recorded(path: &Path) -> usize {
    let mut reader = TraceReader::open(BufReader::new(File::open(path).unwrap())).unwrap();
    let mut n_events = 0;
    while let Some(batch) = reader.next_batch().unwrap() {
        n_events += batch.n_events();
    }
    assert!(reader.footer().is_some(), "the record is whole");
    n_events
}

const BTS: &str = "examples/bts/bts.hasse";

#[test]
fn a_run_ends_with_a_record_that_the_views_had_in_batches() {
    let mut window = Window::on(BTS);
    window.run();
    assert_eq!(window.panel.state(), RunState::Over { is_open: true });
    let path = window.record();
    let n_events = n_recorded(&path);
    let n_in_batches: usize = window
        .told
        .iter()
        .map(|told| match told {
            Told::Batch(batch) => batch.n_events(),
            _ => 0,
        })
        .sum();
    assert!(matches!(window.told.first(), Some(Told::Begun(Mode::Full))));
    assert_eq!(n_in_batches, n_events);
    assert_eq!(window.panel.n_events(), n_events as u64);
    let marks = window.panel.marks("bts");
    assert_eq!(marks.nodes["Solve"].n_events, Some(4));
    assert_eq!(marks.nodes["Mult"].dots.len(), 3);
    assert!(window.log_text().contains("debugger: residual = "), "{}", window.log_text());
}

#[test]
fn a_breakpoint_on_a_node_stops_it_and_what_waits_is_counted() {
    let mut window = Window::on(BTS);
    window.panel.open();
    window.until("open", |panel| panel.state() == RunState::Ready);
    window.panel.toggle_breakpoint(&Target::of_node("bts", "Solve"));
    window.run();
    assert_eq!(window.panel.state(), RunState::Waiting);
    assert_eq!(window.panel.selected(), Some("/Solve"));
    let facts = Arc::clone(window.panel.facts().unwrap());
    let row = facts.arcs.iter().find(|arc| arc.text == "Row[i].rest -> Mult[i].a").unwrap().row.unwrap();
    let marks = window.panel.marks("bts");
    assert_eq!(marks.links[&(LinkList::Arcs, row)].n_queued, Some(3));
    assert_eq!(marks.nodes["Solve"].breakpoint, Some(BreakpointMark::Hit));
    assert_eq!(marks.nodes["Solve"].state, Some(ActionMark::Stopped));
    assert_eq!(marks.nodes["Mult"].state, Some(ActionMark::Waiting));

    window.until("inspected", |panel| !panel.inspector().rows().is_empty());
    let seg = |panel: &RunPanel| {
        let rows = panel.inspector().rows().iter();
        rows.clone().find(|row| row.name == "seg").map(|row| (row.text.clone(), row.is_editable))
    };
    let (before, is_editable) = seg(&window.panel).unwrap();
    assert!(is_editable);
    window.panel.assign("seg", "seg * 2.0");
    window.until("assigned", |panel| seg(panel).is_some_and(|(text, _)| text != before));
    window.panel.assign("seg", "seg *");
    window.until("refused", |panel| !panel.inspector().problem().is_empty());

    window.press(Button::StepAction);
    window.until("in its body", |panel| panel.inspector().rows().iter().any(|row| row.name == "next"));
    window.press(Button::Cont);
    assert_eq!(window.panel.stopped().1, 1, "at its second execution");
    assert_eq!(window.panel.breakpoints()[0].n_hits, 2);
    window.panel.toggle_breakpoint(&Target::of_node("bts", "Solve"));
    window.until("deleted", |panel| panel.breakpoints().is_empty());
    window.press(Button::Cont);
    assert_eq!(window.panel.state(), RunState::Over { is_open: true });
}

#[test]
fn a_breakpoint_on_an_arc_with_a_condition_a_log_point_and_next() {
    let mut window = Window::on(BTS);
    window.panel.open();
    window.until("open", |panel| panel.state() == RunState::Ready);
    let facts = Arc::clone(window.panel.facts().unwrap());
    let arc = facts.arcs.iter().position(|arc| arc.text == "Solve.seg -> Gath.seg").unwrap();
    let mut spec = BreakpointSpec::at("", Place::Arcs(vec![arc]));
    spec.condition = "count == 2".to_owned();
    window.panel.set_breakpoint(&spec);
    let mut log = BreakpointSpec::at("Mult", Place::AfterBody);
    log.log = Some("block {i} after {count}".to_owned());
    window.panel.set_breakpoint(&log);
    window.run();
    assert!(window.log_text().contains("block 1 after 1"), "{}", window.log_text());
    let marks = window.panel.marks("bts");
    let row = facts.arcs[arc].row.unwrap();
    assert_eq!(marks.links[&(LinkList::Arcs, row)].breakpoint, Some(BreakpointMark::Hit));
    assert_eq!(marks.nodes["Mult"].breakpoint, Some(BreakpointMark::LogPoint));
    // Not for the time being, and again.
    let number = window.panel.breakpoints()[0].number;
    window.panel.enable_breakpoint(number, false);
    window.until("disabled", |panel| !panel.breakpoints()[0].is_enabled);
    window.panel.enable_breakpoint(number, true);
    window.until("enabled", |panel| panel.breakpoints()[0].is_enabled);
    assert_eq!(window.panel.breakpoints()[0].number, number);
    window.press(Button::Next);
    assert!(window.panel.stopped().1 > 0, "the receivers are stopped");
    window.press(Button::End);
    assert_eq!(window.panel.state(), RunState::Over { is_open: true });
}

#[test]
fn philosophers_who_wait_for_each_other_are_a_cycle_on_the_picture() {
    let mut window = Window::on("examples/philosophers/philosophers-bug.hasse");
    window.run();
    assert_eq!(window.panel.cycle().len(), 5);
    assert_eq!(window.panel.cycle_lines().len(), 5);
    let marks = window.panel.marks("philosophers");
    let node = &marks.nodes["Philosopher"];
    assert_eq!(node.state, Some(ActionMark::WaitingForCycle));
    assert_eq!(node.highlights, [Highlight::Cycle]);
    let n_highlighted = marks.links.values().filter(|link| link.highlights == [Highlight::Cycle]).count();
    assert_eq!(n_highlighted, 1);
    window.panel.select(Some("/Philosopher[2]"));
    window.until("asked", |panel| !panel.inspector().rows().is_empty());
    window.panel.press(Button::WhyAction);
    window.until("why", |panel| !panel.why().is_empty());
    let why = window.panel.why().join("\n");
    assert!(why.contains("a value is missing on port left"), "{why}");
    assert!(window.log_text().contains("findings: they wait for each other"), "{}", window.log_text());

    window.panel.open_table("philosophers", "Philosopher");
    window.panel.sort_table(Order::Queued);
    window.until("rows", |panel| panel.table().row(4).is_some());
    assert_eq!(window.panel.table().n_rows(), 5);
    assert_eq!(window.panel.table().row(0).unwrap().path, "/Philosopher[0]");
}

#[test]
fn the_console_speaks_the_language_of_sessions() {
    let mut window = Window::on(BTS);
    window.type_line("help run", "All options, checks and sets stay as they are from run to run.");
    window.type_line("stop in Solve", "breakpoint 1: stop in Solve");
    window.until("listed", |panel| panel.breakpoints().len() == 1);
    window.type_line("nonsense", "there is no command `nonsense`");
    window.panel.complete("run; ver", 8);
    let completion = loop {
        if let Some(completion) = window.panel.console_mut().take_completion() {
            break completion;
        }
        if !window.tick() {
            window.woken.recv_timeout(PATIENCE).unwrap();
        }
    };
    assert_eq!(completion.line_with(completion.common()).0, "run; verdicts");
    window.type_line("run; cd Solve; print count", "count = 1");
    window.until("selected", |panel| panel.console().prompt() == "hasse /Solve> ");
    window.type_line("cd; mode replay; races", "hasse /Solve> cd");
    window.until("options", |panel| panel.options().mode == Mode::Replay && panel.options().races);
    window.type_line("kill; quit", "kill; quit");
    window.until("closed", |panel| panel.state() == RunState::Closed);
    // The next run begins a session of its own.
    let mut options = window.panel.options().clone();
    (options.mode, options.races) = (Mode::Off, false);
    window.panel.set_options(options);
    window.run();
    assert_eq!(window.panel.state(), RunState::Waiting, "the breakpoint has gone on");
}

#[test]
fn a_replay_follows_the_record_and_a_trace_is_looked_at() {
    let mut window = Window::on("examples/philosophers/philosophers.hasse");
    let mut options = window.panel.options().clone();
    options.n_workers = Some(2);
    options.params.insert("n".to_owned(), "3".to_owned());
    window.panel.set_options(options.clone());
    window.run();
    let path = window.record();
    let n_events = n_recorded(&path);
    assert!(n_events >= 3 * 3 + 2, "{n_events}");
    options.mode = Mode::Replay;
    window.panel.set_options(options);
    window.run();
    assert_eq!(window.panel.n_events(), n_events as u64);
    assert!(!window.log_text().contains("left the record"), "{}", window.log_text());
    assert_eq!(window.log_text().matches("program: 3 philosophers are full").count(), 2);

    let kept = tempfile::NamedTempFile::new().unwrap();
    std::fs::copy(&path, kept.path()).unwrap();
    let mut window = Window::new();
    window.panel.set_subject(Subject::Trace(kept.path().to_owned()), true);
    let mut options = window.panel.options().clone();
    assert_eq!(options.mode, Mode::PostMortem);
    options.display = Some(View::Record);
    window.panel.set_options(options);
    window.run();
    assert_eq!(window.panel.state(), RunState::Over { is_open: false });
    let log = window.panel.log();
    let n_shown = log.n_lines(Some(Source::Debugger));
    assert!(n_shown >= n_events, "{}", window.log_text());
    assert_eq!(window.record(), kept.path());
}

#[test]
fn another_text_begins_another_session_with_what_it_still_has() {
    let mut window = Window::on(BTS);
    window.panel.type_line("stop in Solve");
    window.panel.type_line("stop in Mult if count == 2");
    window.panel.type_line("check pred Gath {Solve}");
    window.until("set", |panel| panel.breakpoints().len() == 2 && panel.options().checks.len() == 1);
    let text = std::fs::read_to_string(BTS).unwrap();
    window.set_text(BTS, &text.replace("Mult", "Times"));
    window.run();
    assert_eq!(window.panel.state(), RunState::Waiting);
    let commands: Vec<&str> =
        window.panel.breakpoints().iter().map(|breakpoint| breakpoint.command.as_str()).collect();
    assert_eq!(commands, ["stop in Solve"]);
    assert_eq!(window.panel.options().checks, ["pred Gath {Solve}"]);
    assert!(window.log_text().contains("given up: `stop in Mult if count == 2`"), "{}", window.log_text());
    // A text with errors has no session, and says why.
    window.set_text(BTS, &text.replace("Solve.seg ->", "Nobody.seg ->"));
    window.panel.press(Button::Run);
    window.until("refused", |panel| panel.state() == RunState::Closed && panel.problem() != "");
    assert!(window.log_text().contains("Nobody"), "{}", window.log_text());
}

const ENDLESS: &str = "
hasse = 1
main = \"g\"
[graph.g]
arcs = [\"A.x -> B.x\", \"B.y -> A.y\"]
[graph.g.uc.A]
start = true
in = { y = \"int\" }
out = { x = \"int\" }
fire = [\"y -> y\"]
route = [\"x <- count\"]
[graph.g.uc.B]
in = { x = \"int\" }
out = { y = \"int\" }
fire = [\"x -> x\"]
route = [\"y <- x\"]
";

#[test]
fn a_run_without_an_end_is_counted_stopped_continued_and_ended() {
    let mut window = Window::new();
    window.set_text("endless.hasse", ENDLESS);
    window.panel.press(Button::Run);
    window.until("counted", |panel| panel.state() == RunState::Running && panel.n_events() > 100);
    window.press(Button::Stop);
    assert_eq!((window.panel.state(), window.panel.stopped().1), (RunState::Stopped, 1));
    let n_events = window.panel.n_events();
    let path = window.panel.selected().expect("the action that is stopped").to_owned();
    window.until("inspected", |panel| panel.inspector().is_stopped());
    window.press(Button::NextAction);
    assert_eq!(window.panel.selected(), Some(path.as_str()));
    window.panel.press(Button::Cont);
    window.until("more", |panel| panel.state() == RunState::Running && panel.n_events() > n_events);
    window.press(Button::End);
    assert_eq!(window.panel.state(), RunState::Over { is_open: true });
}

const HANGING: &str = "
hasse = 1
main = \"g\"
[graph.g]
[graph.g.uc.A]
start = true
do = '''
let n = 0;
while true { n += 1; }
'''
";

#[test]
fn a_run_that_hangs_is_ended_and_so_is_one_whose_window_closes() {
    let mut window = Window::new();
    window.set_text("hanging.hasse", HANGING);
    window.panel.press(Button::Run);
    window.until("running", |panel| panel.state() == RunState::Running);
    assert!(window.panel.is_enabled(Button::Stop) && window.panel.is_enabled(Button::End));
    // What is asked beside it is answered.
    window.type_line("status", "a run is under way: running");
    window.press(Button::End);
    assert!(matches!(window.panel.state(), RunState::Over { .. }), "{:?}", window.panel.state());
    window.panel.press(Button::Run);
    window.until_begun(2);
    // A run that is started anew while it goes on ends the one before.
    window.panel.press(Button::Run);
    window.until_begun(3);
    let Window { panel, woken, .. } = window;
    drop(panel);
    // The thread of the session lets go of its end of the channel when it is through.
    let end = std::iter::repeat_with(|| woken.recv_timeout(PATIENCE)).find_map(Result::err);
    assert_eq!(end, Some(RecvTimeoutError::Disconnected));
}
