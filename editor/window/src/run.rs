//! Running and debugging: the tool bar's buttons, the options, actions, breakpoints, console and log.

/// What a person does.
mod connect;

pub(crate) use connect::connect;

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use hasse_editor::run::{Button, Mode, Options, Order, RowKind, RunPanel, RunState, Source, Subject};
use hasse_editor::state::input::Key;
use hasse_editor::target::{Part, Target};
use hasse_runtime::control::{ActionState, ActionSummary};
use hasse_ui::{EditorWindow, LineOfList, ParamItem, Run as UiRun, ValueItem};
use slint::{ComponentHandle, ModelRc, SharedString};

use crate::keys;
use crate::models::{Lazy, Rows, model};
use crate::studio::{Later, Studio};

/// Lines of a value that the inspector shows.
const MAX_VALUE_LINES: usize = 12;
/// Rows of the table of instances that are asked for at once.
const MAX_TABLE_ROWS: usize = 400;

/// The panel of runs and its lists.
pub(crate) struct Running {
    pub(crate) panel: RunPanel,
    params: Rows<ParamItem>,
    actions: Rows<LineOfList>,
    values: Rows<ValueItem>,
    breakpoints: Rows<LineOfList>,
    console: Rc<Lazy<LineOfList>>,
    log: Rc<Lazy<LineOfList>>,
    /// What is listed: the paths of the actions in the list.
    listed: Vec<String>,
    /// What is shown of each value: the name to assign, where it can be.
    assigned: Vec<Option<String>>,
    /// The template whose instances are listed, instead of what is stopped.
    table: Option<(String, String)>,
    order: Order,
    current_breakpoint: Option<u64>,
    shown: Option<(u64, usize)>,
    /// The revision of the program that the panel knows.
    revision: Option<u64>,
    /// The record that was opened from a file: what is looked at and replayed, until a run has made another one.
    record: Option<PathBuf>,
}

impl Running {
    pub(crate) fn new(window: &EditorWindow, panel: RunPanel) -> Self {
        let running = Self {
            panel,
            params: Rows::new(),
            actions: Rows::new(),
            values: Rows::new(),
            breakpoints: Rows::new(),
            console: Rc::new(Lazy::new()),
            log: Rc::new(Lazy::new()),
            listed: Vec::new(),
            assigned: Vec::new(),
            table: None,
            order: Order::Path,
            current_breakpoint: None,
            shown: None,
            revision: None,
            record: None,
        };
        let ui = window.global::<UiRun>();
        ui.set_modes(model(Mode::ALL.iter().map(|mode| SharedString::from(told_mode(*mode)))));
        ui.set_params(running.params.model());
        ui.set_actions(running.actions.model());
        ui.set_values(running.values.model());
        ui.set_breakpoints(running.breakpoints.model());
        ui.set_console(ModelRc::from(Rc::clone(&running.console)));
        ui.set_log(ModelRc::from(Rc::clone(&running.log)));
        running
    }

    /// The record that was opened from a file.
    pub(crate) fn record(&self) -> Option<&Path> {
        self.record.as_deref()
    }

    /// Takes a record of a file as what is looked at and replayed; without, it is the last run's.
    pub(crate) fn set_record(&mut self, record: Option<PathBuf>) {
        if let Some(path) = record.clone() {
            self.panel.set_subject(Subject::Trace(path), true);
            self.revision = None;
        }
        self.record = record;
    }
}

/// What a mode does, in a few words.
fn told_mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Full => "full: record every event",
        Mode::Restrict => "restrict: what is selected",
        Mode::Minimal => "minimal: free choices only",
        Mode::Perf => "perf: with times",
        Mode::Off => "off: record nothing",
        Mode::None => "none: without debugger",
        Mode::Replay => "replay the record",
        Mode::PostMortem => "post-mortem: the record",
    }
}

fn state_tone(state: RunState) -> i32 {
    match state {
        RunState::Running | RunState::Stopping | RunState::Nexting => 5,
        RunState::Waiting | RunState::Stopped => 2,
        RunState::Opening | RunState::Ending => 4,
        RunState::Closed | RunState::Ready | RunState::Over { .. } => 7,
    }
}

fn state_word(state: &ActionState) -> (String, i32) {
    match state {
        ActionState::Idle => ("idle".to_owned(), 0),
        ActionState::Running => ("running".to_owned(), 3),
        ActionState::Stopped(point) => (format!("stopped {}", point.name()), 1),
        ActionState::WaitsFor(object) => (format!("waits for {object}"), 4),
        ActionState::Failed => ("failed".to_owned(), 2),
    }
}

fn action_line(action: &ActionSummary, selected: Option<&str>) -> LineOfList {
    let (word, tone) = state_word(&action.state);
    let queued = if action.n_queued > 0 { format!(", {} queued", action.n_queued) } else { String::new() };
    LineOfList {
        text: (&action.path).into(),
        badge: word.into(),
        tone,
        detail: format!("count {}{queued}", action.count).into(),
        is_current: selected == Some(&*action.path),
        ..LineOfList::default()
    }
}

/// Whether a line of the console is one that was typed.
fn is_typed(line: &str, prompt: &str) -> bool {
    !prompt.is_empty() && line.starts_with(prompt)
}

fn number(value: usize) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}

impl Studio {
    /// Tells the panel what a run is of: the program as it is now, or the record that was opened, in the modes that are about
    /// records.
    pub(crate) fn tell_program(&mut self, describes: bool) {
        let Some(running) = &mut self.running else { return };
        let is_of_record = matches!(running.panel.options().mode, Mode::Replay | Mode::PostMortem);
        if let Some(record) = running.record.clone().filter(|_| is_of_record) {
            running.panel.set_subject(Subject::Trace(record), true);
            running.revision = None;
            return;
        }
        let revision = self.editor.document().revision();
        if running.revision != Some(revision) || describes {
            running.revision = Some(revision);
            let text: Arc<str> = Arc::from(self.editor.document().text());
            let path = self.editor.path().map(ToOwned::to_owned);
            running.panel.set_subject(Subject::Program { path, text }, true);
        }
    }

    /// Lets the panel take in what the session tells.
    pub(crate) fn tick_run(&mut self, now: Duration) {
        if let Some(running) = &mut self.running {
            running.panel.tick(now);
        }
        self.take_told();
    }

    /// Presses a button of the tool bar.
    pub(crate) fn press(&mut self, button: Button) {
        if button == Button::Run {
            self.tell_program(false);
        }
        if let Some(running) = &mut self.running {
            running.panel.press(button);
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
        running.panel.show_rows(0, MAX_TABLE_ROWS);
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

    fn set_options(&mut self, change: impl FnOnce(&mut Options)) {
        if let Some(running) = &mut self.running {
            let mut options = running.panel.options().clone();
            change(&mut options);
            running.panel.set_options(options);
        }
    }

    /// Shows what has changed of the run.
    pub(crate) fn show_run(&mut self, window: &EditorWindow) {
        let Some(running) = &mut self.running else { return };
        let panel = &running.panel;
        let shown = (panel.version(), panel.console().n_lines() + panel.log().n_lines(None));
        if running.shown == Some(shown) {
            return;
        }
        running.shown = Some(shown);
        let ui = window.global::<UiRun>();
        let state = panel.state();
        ui.set_state(state.name().into());
        ui.set_tone(state_tone(state));
        let n_events = panel.n_events();
        let told = match (panel.problem(), n_events) {
            ("", 0) => String::new(),
            ("", 1) => "1 event".to_owned(),
            ("", n_events) => format!("{n_events} events"),
            (problem, _) => problem.lines().next().unwrap_or_default().to_owned(),
        };
        ui.set_told(told.into());
        ui.set_can_run(panel.is_enabled(Button::Run));
        ui.set_can_stop(panel.is_enabled(Button::Stop));
        ui.set_can_cont(panel.is_enabled(Button::Cont));
        ui.set_can_next(panel.is_enabled(Button::Next));
        ui.set_can_end(panel.is_enabled(Button::End));
        ui.set_can_act(panel.is_enabled(Button::NextAction) || panel.is_enabled(Button::StopAction));

        let options = panel.options();
        let mode = Mode::ALL.iter().position(|mode| *mode == options.mode).unwrap_or(0);
        ui.set_mode(number(mode));
        if let Some(facts) = panel.facts() {
            running.params.set(facts.params.iter().map(|param| {
                ParamItem {
                    name: (&param.name).into(),
                    ty: (&param.ty).into(),
                    value: options
                        .params
                        .get(&param.name)
                        .into_iter()
                        .map(SharedString::from)
                        .next()
                        .unwrap_or_default(),
                    default: param.default.as_deref().unwrap_or("needed").into(),
                    problem: "".into(),
                }
            }));
        }

        running.breakpoints.set(panel.breakpoints().iter().map(|breakpoint| LineOfList {
            badge: format!("#{}", breakpoint.number).into(),
            text: (&breakpoint.command).into(),
            detail: match (breakpoint.is_enabled, breakpoint.n_hits) {
                (false, _) => "disabled".into(),
                (true, 1) => "1 hit".into(),
                (true, n_hits) => format!("{n_hits} hits").into(),
            },
            tone: i32::from(breakpoint.is_enabled),
            is_current: running.current_breakpoint == Some(breakpoint.number),
            ..LineOfList::default()
        }));

        let selected = panel.selected();
        let table = running.table.as_ref().filter(|_| panel.table().query().is_some());
        let (lines, title): (Vec<(String, LineOfList)>, String) = match table {
            Some((_, node)) => {
                let n_rows = panel.table().n_rows();
                let rows = (0..n_rows.min(MAX_TABLE_ROWS)).filter_map(|row| panel.table().row(row));
                let lines = rows.map(|action| (action.path.clone(), action_line(action, selected))).collect();
                (lines, format!("{n_rows} instances of {node}"))
            }
            None => {
                let (stopped, n_stopped) = panel.stopped();
                let lines = stopped.iter().map(|action| (action.path.clone(), action_line(action, selected)));
                (lines.collect(), format!("{n_stopped} stopped"))
            }
        };
        running.listed = lines.iter().map(|(path, _)| path.clone()).collect();
        running.actions.set(lines.into_iter().map(|(_, line)| line));
        ui.set_actions_title(title.into());
        ui.set_action(selected.unwrap_or_default().into());
        let mut why = panel.why().join("\n");
        let cycle = panel.cycle_lines();
        if !cycle.is_empty() {
            let lines = cycle.join("\n");
            why = if why.is_empty() {
                format!("Wait-for cycle:\n{lines}")
            } else {
                format!("{why}\n\nWait-for cycle:\n{lines}")
            };
        }
        ui.set_why(why.into());

        let inspector = panel.inspector();
        let (mut values, mut assigned) = (Vec::new(), Vec::new());
        let mut kind = None;
        for (row, shown) in inspector.rows().iter().enumerate() {
            if kind != Some(shown.kind) && shown.kind != RowKind::Queued {
                kind = Some(shown.kind);
                values.push(ValueItem {
                    name: kind_title(shown.kind).into(),
                    is_title: true,
                    ..ValueItem::default()
                });
                assigned.push(None);
            }
            let detail = if shown.detail.is_empty() { String::new() } else { format!("   {}", shown.detail) };
            values.push(ValueItem {
                depth: if shown.kind == RowKind::Queued { 2 } else { 1 },
                name: (&shown.name).into(),
                value: if shown.is_editable {
                    (&shown.text).into()
                } else {
                    format!("{}{detail}", shown.text).into()
                },
                is_title: false,
                can_assign: shown.is_editable,
            });
            assigned.push(shown.is_editable.then(|| shown.name.clone()));
            let lines = inspector.value_lines(row, MAX_VALUE_LINES);
            if lines.len() > 1 {
                for line in lines {
                    values.push(ValueItem { depth: 3, value: line.into(), ..ValueItem::default() });
                    assigned.push(None);
                }
            }
        }
        if !inspector.problem().is_empty() {
            values.push(ValueItem { depth: 1, value: inspector.problem().into(), ..ValueItem::default() });
            assigned.push(None);
        }
        running.values.set(values);
        running.assigned = assigned;

        let (console, prompt) = (panel.console(), panel.console().prompt());
        running.console.set(
            console.n_gone(),
            (0..console.n_lines()).map_while(|idx| console.line(idx)),
            |line| LineOfList {
                text: line.into(),
                tone: if is_typed(line, prompt) { 4 } else { 0 },
                ..LineOfList::default()
            },
        );
        let log = panel.log();
        running.log.set(
            log.n_gone(None),
            (0..log.n_lines(None)).map_while(|idx| log.line(None, idx)),
            |line| {
                let tone = match line.source {
                    Source::Program => 0,
                    Source::Debugger => 1,
                    Source::Findings => 2,
                };
                LineOfList {
                    badge: line.source.name().into(),
                    text: (&line.text).into(),
                    tone,
                    ..LineOfList::default()
                }
            },
        );
    }

    fn console_entered(&mut self, line: &str) {
        self.tell_program(false);
        if let Some(running) = &mut self.running
            && !line.trim().is_empty()
        {
            running.panel.type_line(line);
        }
        self.window().global::<UiRun>().set_command("".into());
    }

    fn console_key(&mut self, text: &str) -> bool {
        let window = self.window();
        let ui = window.global::<UiRun>();
        let Some(running) = &mut self.running else { return false };
        match keys::key(text) {
            Some(Key::Up) => {
                if let Some(line) = running.panel.console_mut().older() {
                    ui.set_command(line.into());
                }
            }
            Some(Key::Down) => ui.set_command(running.panel.console_mut().newer().into()),
            Some(Key::Tab) => {
                let line = ui.get_command();
                running.panel.complete(&line, line.len());
            }
            Some(Key::Escape) => self.later.push(Later::FocusCanvas),
            _ => return false,
        }
        true
    }

    /// Puts a completion into the console's line, or tells what there is to choose from.
    pub(crate) fn show_completion(&mut self, window: &EditorWindow) {
        let Some(running) = &mut self.running else { return };
        let Some(completion) = running.panel.console_mut().take_completion() else { return };
        let ui = window.global::<UiRun>();
        if ui.get_command() != *completion.line {
            return;
        }
        let word = match completion.candidates.as_slice() {
            [] => return,
            [only] => only.clone(),
            _ => completion.common().to_owned(),
        };
        let (line, _) = completion.line_with(&word);
        ui.set_command(line.into());
        let most = completion.candidates.iter().take(12).cloned().collect::<Vec<_>>().join("  ");
        ui.set_candidates(if completion.candidates.len() > 1 { most.into() } else { "".into() });
    }

    /// Selects the nodes of an action on the picture.
    fn action_clicked(&mut self, row: usize) {
        let Some(running) = &mut self.running else { return };
        let Some(path) = running.listed.get(row).cloned() else { return };
        running.panel.select(Some(&path));
        let target = running.panel.facts().and_then(|facts| facts.nodes_of(&path).into_iter().next());
        if let Some(target) = target {
            self.editor.show(&target);
            let _ = self.editor.take_requests();
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
        }
    }
}

fn kind_title(kind: RowKind) -> &'static str {
    match kind {
        RowKind::State => "State",
        RowKind::Name => "Names",
        RowKind::Port | RowKind::Queued => "Ports",
        RowKind::Object => "Objects",
        RowKind::Send => "To be sent",
    }
}
