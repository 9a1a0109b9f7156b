//! The action under debug as rows, large values summarized; and why an action is not firing, as lines.

use hasse_debugger::show::{Limits, Shown};
use hasse_model::quantity::counted;
use hasse_model::value::Value;
use hasse_runtime::control::{
    ActionState, ActionView, CycleStep, Explanation, MissingValue, NamedValue, RuleExplanation, StopPoint,
    Why,
};

use super::snapshot::{state_words, words_in};

/// What a row is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowKind {
    /// State, rule, predecessors.
    State,
    /// A parameter, index, var, shared or bound name: which one is in [`Row::detail`].
    Name,
    /// A port, with the number of its values.
    Port,
    /// A value that waits on the port above.
    Queued,
    /// Field for a value to be added after those of the port above.
    Added,
    /// A shared object.
    Object,
    /// A value that is about to be sent.
    Send,
}

/// A row of the inspector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What it is about.
    pub kind: RowKind,
    /// Left column.
    pub name: String,
    /// Right column: one line.
    pub text: String,
    /// Kind of a name, access to an object, or sender of a value.
    pub detail: String,
    /// Whether another value can be typed in.
    pub is_editable: bool,
}

/// The action under debug.
#[derive(Debug, Default)]
pub struct Inspector {
    view: Option<Box<ActionView>>,
    rows: Vec<Row>,
    problem: String,
    /// True from a stop to the values of the action as of that stop.
    is_outdated: bool,
}

impl Inspector {
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Shows an action. `edits_queues`: what waits can be changed; `is_cut_off`: the end of the run interrupted it.
    pub(super) fn set(
        &mut self,
        found: Result<Box<ActionView>, String>,
        edits_queues: bool,
        is_cut_off: bool,
    ) {
        match found {
            Ok(view) => {
                self.is_outdated = false;
                self.rows = rows(&view, edits_queues, is_cut_off);
                self.view = Some(view);
                self.problem.clear();
            }
            Err(problem) => {
                self.clear();
                self.problem = problem;
            }
        }
    }

    /// The rows. They are those of the last rest while the run goes on.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Why there are none, or what could not be assigned; else empty.
    pub fn problem(&self) -> &str {
        &self.problem
    }

    pub(super) fn set_problem(&mut self, problem: String) {
        self.problem = problem;
    }

    /// Whether the action is stopped.
    pub fn is_stopped(&self) -> bool {
        self.view.as_ref().is_some_and(|view| matches!(view.summary.state, ActionState::Stopped(_)))
    }

    /// Returns true if the action is stopped before a statement of its body.
    pub fn has_statement(&self) -> bool {
        let state = self.view.as_ref().map(|view| &view.summary.state);
        matches!(state, Some(ActionState::Stopped(StopPoint::Befcomp | StopPoint::Line)))
    }

    /// Marks what is known of the action as that of an earlier stop.
    pub(super) fn set_outdated(&mut self) {
        self.is_outdated = true;
    }

    /// Reasons of its stop, each once; empty where it is not stopped, or they are not known yet.
    pub fn stop_reasons(&self) -> String {
        let view = self.view.as_ref().filter(|_| self.is_stopped() && !self.is_outdated);
        view.map(|view| reasons_text(&view.reasons)).unwrap_or_default()
    }

    /// The line of the program file at which the action is stopped within its body.
    pub fn line(&self) -> Option<u32> {
        self.view.as_ref().filter(|_| self.is_stopped())?.at.map(|at| at.line)
    }

    /// The port and the position, from 1, of a value that waits and can be changed, by its row; without a position for the row
    /// of a value that is to be added.
    pub fn queued(&self, row_idx: usize) -> Option<(&str, Option<usize>)> {
        let row = self.rows.get(row_idx).filter(|row| row.is_editable)?;
        let position = match row.kind {
            RowKind::Queued => Some(row.name.parse().ok()?),
            RowKind::Added => None,
            RowKind::State | RowKind::Name | RowKind::Port | RowKind::Object | RowKind::Send => return None,
        };
        let port = self.rows[..row_idx].iter().rfind(|row| row.kind == RowKind::Port)?;
        Some((&port.name, position))
    }

    /// The whole of a value, by its row, in up to `n_lines` lines.
    pub fn value_lines(&self, row_idx: usize, n_lines: usize) -> Vec<String> {
        let (Some(view), Some(row)) = (&self.view, self.rows.get(row_idx)) else { return Vec::new() };
        let limits = Limits { lines: n_lines.max(1), ..Limits::default() };
        let n_before = |kind: RowKind| self.rows[..row_idx].iter().filter(|row| row.kind == kind).count();
        let value = match row.kind {
            RowKind::Name => {
                let named = view.names.iter().find(|named| named.name == row.name);
                named.and_then(|named| named.value.as_ref().ok())
            }
            RowKind::Queued => {
                let port = n_before(RowKind::Port).checked_sub(1).and_then(|port| view.ports.get(port));
                let place = row.name.parse::<usize>().ok().and_then(|place| place.checked_sub(1));
                port.zip(place).and_then(|(port, place)| Some(&port.queued.get(place)?.value))
            }
            RowKind::Send => view.sends.get(n_before(RowKind::Send)).map(|(_, value)| value),
            RowKind::State | RowKind::Port | RowKind::Added | RowKind::Object => None,
        };
        match value {
            Some(value) => Shown::new(value, &limits).lines().to_vec(),
            None => vec![row.text.clone()],
        }
    }
}

fn one_line(value: &Value) -> String {
    Shown::new(value, &Limits::one_line()).to_string()
}

/// Where an action is stopped, in the words of the window: such as `before its body`.
pub fn stop_words(point: StopPoint) -> &'static str {
    match point {
        StopPoint::Befcomp => "before its body",
        StopPoint::Line => "in its body",
        StopPoint::Aftcomp => "after its body",
        StopPoint::Send => "before it sends",
        StopPoint::Failed => "where it failed",
    }
}

/// State of an action whose execution the end of the run has interrupted.
pub const CUT_OFF: &str = "cut off by the end of the run";

fn reason(why: &Why) -> String {
    match why {
        Why::Everything => "stop".to_owned(),
        Why::Command => "stop of this action".to_owned(),
        Why::Next => "next".to_owned(),
        Why::Step => "step".to_owned(),
        Why::Breakpoint { number, detail } if detail.is_empty() => format!("breakpoint {number}"),
        Why::Breakpoint { number, detail } => format!("breakpoint {number}: {detail}"),
        Why::Condition { number, message } => format!("condition of breakpoint {number}: {message}"),
    }
}

/// Reasons of a stop, each once. An event that sends several values along an arc stops for each of them.
fn reasons_text(reasons: &[Why]) -> String {
    let mut texts: Vec<String> = Vec::new();
    for text in reasons.iter().map(reason) {
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts.join("; ")
}

/// Returns true if what waits on the ports of an action can be changed while its run is at rest.
fn has_open_queues(view: &ActionView) -> bool {
    !matches!(
        view.summary.state,
        ActionState::Failed
            | ActionState::Running
            | ActionState::NotCreated
            | ActionState::Stopped(StopPoint::Line)
    )
}

fn rows(view: &ActionView, edits_queues: bool, is_cut_off: bool) -> Vec<Row> {
    let edits_queues = edits_queues && has_open_queues(view);
    let mut rows = Vec::new();
    let mut put = |kind, name: &str, text: String, detail: &str, is_editable| {
        rows.push(Row { kind, name: name.to_owned(), text, detail: detail.to_owned(), is_editable });
    };
    let state = if is_cut_off { CUT_OFF.to_owned() } else { state_words(&view.summary) };
    put(RowKind::State, "state", state, "", false);
    put(RowKind::State, "executions", view.summary.count.to_string(), "", false);
    if !view.reasons.is_empty() {
        put(RowKind::State, "because of", reasons_text(&view.reasons), "", false);
    }
    if let (Some(at), Some(text)) = (view.at, &view.line_text) {
        put(RowKind::State, "next", text.clone(), &format!("line {}", at.line), false);
    }
    match view.rule {
        Some(-1) => put(RowKind::State, "rule", "first execution of a start node".to_owned(), "", false),
        Some(rule) => put(RowKind::State, "rule", rule.to_string(), "", false),
        None => {}
    }
    if !view.predecessors.is_empty() {
        put(RowKind::State, "after", view.predecessors.join(", "), "", false);
    }
    let can_assign =
        matches!(view.summary.state, ActionState::Stopped(StopPoint::Befcomp | StopPoint::Aftcomp));
    // Values of this event stand first, constants last.
    // An action that executes nothing has no rule.
    let has_no_rule =
        |named: &&NamedValue| named.kind == "rule" && matches!(named.value, Ok(Value::Unit | Value::Int(-1)));
    let mut names: Vec<_> = view.names.iter().filter(|named| !has_no_rule(named)).collect();
    names.sort_by_key(|named| match named.kind {
        "bound" | "let" => 0,
        "var" => 1,
        "shared" => 2,
        _ => 3,
    });
    for named in names {
        let text = match &named.value {
            Ok(value) => one_line(value),
            Err(kind) => format!("({kind})"),
        };
        let is_assignable = matches!(named.kind, "var" | "bound" | "shared" | "let");
        // `rule` and `count` are of the kinds `rule` and `count`.
        let kind = if named.kind == named.name { "" } else { named.kind };
        put(RowKind::Name, &named.name, text, kind, can_assign && is_assignable);
    }
    for port in &view.ports {
        put(RowKind::Port, &port.name, counted(port.queued.len() as u64, "value"), "", false);
        for (queued_idx, queued) in port.queued.iter().enumerate().take(MOST_QUEUED) {
            let by_hand = if queued.is_by_hand { "added by hand" } else { "" };
            let sender = queued.sender.as_deref().unwrap_or(by_hand);
            let name = format!("{}", queued_idx + 1);
            put(RowKind::Queued, &name, one_line(&queued.value), sender, edits_queues);
        }
        if port.queued.len() > MOST_QUEUED {
            put(RowKind::Queued, "", format!("{} more", port.queued.len() - MOST_QUEUED), "", false);
        }
        if edits_queues {
            put(RowKind::Added, "add", String::new(), "", true);
        }
    }
    for port in view.empty_ports.iter().filter(|_| edits_queues) {
        put(RowKind::Port, port, "0".to_owned(), "", false);
        put(RowKind::Added, "add", String::new(), "", true);
    }
    for object in &view.objects {
        let held = if object.is_held { "held" } else { "not held" };
        put(RowKind::Object, &object.name, format!("{}, {held}", object.object), object.access, false);
    }
    for (target, value) in &view.sends {
        put(RowKind::Send, target, one_line(value), "", false);
    }
    rows
}

/// Most values of a port that have a row.
const MOST_QUEUED: usize = 100;

/// Why an action is not firing, guard by guard and port by port.
pub fn why_lines(explanation: &Explanation) -> Vec<String> {
    lines_of(explanation, false, &|_| 0)
}

/// The same of an action whose execution the end of the run may have interrupted. `n_queued` is the number of values that wait at
/// another action.
pub(super) fn lines_of(
    explanation: &Explanation,
    is_cut_off: bool,
    n_queued: &impl Fn(&str) -> u64,
) -> Vec<String> {
    let n_own = explanation.queued.iter().map(|(_, n_values)| n_values).sum();
    let state = if is_cut_off { CUT_OFF.to_owned() } else { words_in(&explanation.state, n_own) };
    let executions = counted(explanation.count, "execution");
    let mut lines = vec![format!("{}: {state}, {executions}", explanation.action)];
    match &explanation.state {
        ActionState::Stopped(_) => {
            let reasons = reasons_text(&explanation.reasons);
            lines.push(format!("it has fired, and is stopped because of {reasons}"));
        }
        ActionState::Failed if is_cut_off => {
            lines.push("its last execution was cut off as the run ended: it executes no more".to_owned());
        }
        ActionState::WaitsFor(object) => {
            let holders = match explanation.holders.as_slice() {
                [] => "nobody that is at rest".to_owned(),
                holders => holders.join(", "),
            };
            lines.push(format!("it has fired, and waits for {object}, held by {holders}"));
        }
        ActionState::WaitsForWorld => {
            lines.push("it has fired, and its body waits for the world outside".to_owned());
        }
        ActionState::WaitsForRoom(_) => {
            for held in &explanation.held_back {
                let values = counted(held.n_values, "value");
                lines.push(format!("{values} for {} waits for room: its bound is {}", held.port, held.bound));
            }
        }
        ActionState::Failed => lines.push("an execution of it has failed: it executes no more".to_owned()),
        ActionState::Idle | ActionState::Ready | ActionState::Running | ActionState::NotCreated => {}
    }
    explanation.inputs.iter().for_each(|input| put_missing(input, n_queued, &mut lines));
    for (port, n_values) in &explanation.queued {
        lines.push(format!("port {port} holds {n_values}"));
    }
    if explanation.n_delayed > 0 {
        let verb = if explanation.n_delayed == 1 { "is" } else { "are" };
        lines.push(format!("{} {verb} delayed", counted(explanation.n_delayed, "value")));
    }
    explanation.rules.iter().for_each(|rule| put_rule(rule, n_queued, &mut lines));
    lines
}

fn put_rule(rule: &RuleExplanation, n_queued: &impl Fn(&str) -> u64, lines: &mut Vec<String>) {
    lines.push(format!("rule {} `{}` (line {})", rule.rule, rule.text, rule.at.line));
    let values: Vec<String> = rule.values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let values = if values.is_empty() { String::new() } else { format!(": {}", values.join(", ")) };
    match &rule.guard {
        None => {}
        Some(Ok(true)) => lines.push(format!("  its guard holds{values}")),
        Some(Ok(false)) => lines.push(format!("  its guard does not hold{values}")),
        Some(Err(message)) => lines.push(format!("  its guard fails: {message}")),
    }
    if rule.missing.is_empty() {
        let time = if rule.is_timed { ", but not for its time yet" } else { "" };
        lines.push(format!("  all its values are there{time}"));
    }
    rule.missing.iter().for_each(|missing| put_missing(missing, n_queued, lines));
}

fn put_missing(missing: &MissingValue, n_queued: &impl Fn(&str) -> u64, lines: &mut Vec<String>) {
    lines.push(format!("  a value is missing on port {}", missing.port));
    for sender in &missing.senders {
        let state = words_in(&sender.state, n_queued(&sender.action));
        lines.push(format!("    {} could send it along `{}`: {state}", sender.action, sender.arc));
    }
    if missing.senders.is_empty() {
        if missing.arcs.is_empty() {
            lines.push("    no arc leads there".to_owned());
        }
        for arc in &missing.arcs {
            lines.push(format!("    no action sends it along `{arc}`"));
        }
    }
}

/// A cycle of waiting, a line for each step.
pub(super) fn cycle_lines(cycle: &[CycleStep]) -> Vec<String> {
    let next = cycle.iter().cycle().skip(1);
    let step = |(step, next): (&CycleStep, &CycleStep)| {
        let CycleStep { action, port, arc, is_full } = step;
        match is_full {
            true => format!("{action} waits for room on {port} (`{arc}`)"),
            false => format!("{action} waits on port {port} for {} (`{arc}`)", next.action),
        }
    };
    cycle.iter().zip(next).map(step).collect()
}
