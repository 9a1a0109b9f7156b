//! What a controlled run tells, as text: stops, what breakpoints print, actions, and why they do not fire.

use std::fmt::Write;

use hasse_debugger::show::{Limits, Shown};
use hasse_model::value::Value;
use hasse_runtime::control::{
    ActionState, ActionView, ChangedQueue, CycleStep, Deadlock, Explanation, GlobalState, MissingValue,
    NamedValue, News, Part, PortView, Printed, Queued, RuleExplanation, Said, Why,
};

use crate::report;

/// How a value is written in a line of text: a large one by its shape and figures.
pub(super) fn shown(value: &Value) -> String {
    Shown::new(value, &Limits::one_line()).to_string()
}

pub(super) fn value_or(value: &Result<Value, String>) -> String {
    match value {
        Ok(value) => shown(value),
        Err(message) => format!("({message})"),
    }
}

/// Something that happened at a stop point.
pub(super) fn news(news: &News) -> String {
    let place = match news.at {
        Some(at) => format!("{} at line {}", news.event, at.line),
        None => format!("{} at {}", news.event, news.point.name()),
    };
    match &news.said {
        Said::Stopped(reasons) => {
            let reasons: Vec<_> = reasons.iter().map(why).collect();
            format!("stopped: {place}: {}", reasons.join("; "))
        }
        Said::Printed { printed, .. } => format!("{place}: {}", self::printed(printed)),
    }
}

fn why(why: &Why) -> String {
    match why {
        Why::Everything => "stop".to_owned(),
        Why::Command => "stop of this action".to_owned(),
        Why::Next => "next".to_owned(),
        Why::Step => "step".to_owned(),
        Why::Breakpoint { number, detail } if detail.is_empty() => format!("breakpoint {number}"),
        Why::Breakpoint { number, detail } => format!("breakpoint {number}, {detail}"),
        Why::Condition { number, message } => {
            format!("the condition of breakpoint {number} cannot be evaluated: {message}")
        }
    }
}

fn printed(printed: &Printed) -> String {
    match printed {
        Printed::Value { expression, value } => format!("{expression} = {}", value_or(value)),
        Printed::Names(names) => {
            let named = names.iter().map(|named| format!("{} = {}", named.name, value_or(&named.value)));
            named.collect::<Vec<_>>().join(", ")
        }
        Printed::Log(parts) => {
            let part = |part: &Part| match part {
                Part::Text(text) => text.clone(),
                Part::Value(Ok(Value::String(text))) => text.to_string(),
                Part::Value(value) => value_or(value),
            };
            parts.iter().map(part).collect()
        }
        Printed::Assigned { name, value: Ok(value) } => format!("{name} is now {}", shown(value)),
        Printed::Assigned { name, value: Err(message) } => format!("{name} is not assigned: {message}"),
        Printed::Where => "here".to_owned(),
        Printed::Changed { expression, before: None, value } => {
            format!("{expression} is {}", value_or(value))
        }
        Printed::Changed { expression, before: Some(before), value } => {
            format!("{expression} was {} and is {}", shown(before), value_or(value))
        }
    }
}

/// What an action is doing.
pub(super) fn state(state: &ActionState) -> String {
    match state {
        ActionState::Idle => "idle".to_owned(),
        ActionState::Ready => "waits for a worker".to_owned(),
        ActionState::Running => "executing".to_owned(),
        ActionState::Stopped(point) => format!("stopped at {}", point.name()),
        ActionState::WaitsFor(object) => format!("waits for {object}"),
        ActionState::WaitsForRoom(port) => format!("waits for room on {port}"),
        ActionState::WaitsForWorld => "waits for the world outside".to_owned(),
        ActionState::Failed => "failed".to_owned(),
        ActionState::NotCreated => "not created".to_owned(),
    }
}

/// The state of a run in which so many actions are stopped.
pub(super) fn global(state: GlobalState, n_stopped: usize) -> String {
    match n_stopped {
        0 => state.name().to_owned(),
        1 => format!("{}: 1 action is stopped", state.name()),
        _ => format!("{}: {n_stopped} actions are stopped", state.name()),
    }
}

/// All that is known of an action.
pub(super) fn view(view: &ActionView) -> String {
    let summary = &view.summary;
    let mut text = String::new();
    let mut line = |told: String| writeln!(text, "{told}").expect("a string takes all that is written to it");
    line(format!("{}: {}, {}", summary.path, state(&summary.state), executions(summary.count)));
    if !view.reasons.is_empty() {
        let reasons: Vec<_> = view.reasons.iter().map(why).collect();
        line(format!("  because of {}", reasons.join("; ")));
    }
    if let (Some(at), Some(text)) = (view.at, &view.line_text) {
        line(format!("  next is line {}: {text}", at.line));
    }
    if let Some(rule) = view.rule {
        line(match rule {
            -1 => "  first execution of a start node".to_owned(),
            rule => format!("  firing rule {rule}"),
        });
    }
    if !view.predecessors.is_empty() {
        line(format!("  behind {}", view.predecessors.join(", ")));
    }
    names(&view.names).into_iter().for_each(&mut line);
    for port in &view.ports {
        line(format!("  port {}: {}", port.name, values(port.queued.len())));
        for queued in &port.queued {
            line(format!("    {}", waiting(queued)));
        }
    }
    for object in &view.objects {
        let held = if object.is_held { "held" } else { "not held" };
        line(format!("  {} is {}, to {}, {held}", object.name, object.object, object.access));
    }
    for (target, value) in &view.sends {
        line(format!("  sends {} to {target}", shown(value)));
    }
    text
}

/// Names with their kinds and values, a line each.
pub(super) fn names(names: &[NamedValue]) -> Vec<String> {
    let width = names.iter().map(|named| named.kind.len()).max().unwrap_or(0);
    let line =
        |named: &NamedValue| format!("  {:width$}  {} = {}", named.kind, named.name, value_or(&named.value));
    names.iter().map(line).collect()
}

/// A value that waits, and where it comes from.
fn waiting(queued: &Queued) -> String {
    let value = shown(&queued.value);
    match &queued.sender {
        Some(sender) => format!("{value} from {sender}"),
        None if queued.is_by_hand => format!("{value} added by hand"),
        None => value,
    }
}

/// Values on the ports of an action, with positions.
pub(super) fn queues(path: &str, ports: &[PortView]) -> String {
    let mut text = String::new();
    for port in ports {
        text += &format!("{path}.{}: {}\n", port.name, values(port.queued.len()));
        for (queued, position) in port.queued.iter().zip(1..) {
            text += &format!("  {position}: {}\n", waiting(queued));
        }
    }
    text
}

/// A change of a queue.
pub(super) fn changed_queue(changed: &ChangedQueue) -> String {
    let ChangedQueue { place, n_waiting, .. } = changed;
    let waiting = match n_waiting {
        0 => "no value waits there now".to_owned(),
        1 => "1 value waits there now".to_owned(),
        _ => format!("{n_waiting} values wait there now"),
    };
    match (&changed.before, &changed.after) {
        (Some(before), Some(after)) => {
            format!("{place}: {} is now {}", shown(before), shown(after))
        }
        (Some(before), None) => format!("{place}: dropped {}; {waiting}", shown(before)),
        (None, Some(after)) => format!("{place}: added {}; {waiting}", shown(after)),
        (None, None) => format!("{place}: {waiting}"),
    }
}

fn executions(count: u64) -> String {
    if count == 1 { "1 execution".to_owned() } else { format!("{count} executions") }
}

fn values(n_values: usize) -> String {
    if n_values == 1 { "1 value".to_owned() } else { format!("{n_values} values") }
}

/// Why an action is not firing; `file` is the name of the program.
pub(super) fn explanation(explanation: &Explanation, file: &str) -> String {
    let mut text = String::new();
    let mut line = |told: String| writeln!(text, "{told}").expect("a string takes all that is written to it");
    match &explanation.state {
        ActionState::NotCreated => {
            line(format!(
                "{}: not created: nothing was sent to it, or nothing can be any more",
                explanation.action
            ));
        }
        known => line(format!("{}: {}, {}", explanation.action, state(known), executions(explanation.count))),
    }
    match &explanation.state {
        ActionState::Stopped(_) => {
            let reasons: Vec<_> = explanation.reasons.iter().map(why).collect();
            line(format!("  it has fired, and is stopped because of {}", reasons.join("; ")));
        }
        ActionState::WaitsFor(object) => {
            let holders = match explanation.holders.as_slice() {
                [] => "nobody that is at rest".to_owned(),
                holders => holders.join(", "),
            };
            line(format!("  it has fired, and waits for {object}, which is held by {holders}"));
        }
        ActionState::WaitsForWorld => {
            line("  it has fired, and its body waits for the world outside".to_owned())
        }
        ActionState::WaitsForRoom(_) => {
            for held in &explanation.held_back {
                let values = values(held.n_values as usize);
                line(format!(
                    "  {values} for {}, where at most {} may wait (`{}`)",
                    held.port, held.bound, held.arc
                ));
            }
        }
        ActionState::Failed => line("  an execution of it has failed: it executes no more".to_owned()),
        ActionState::Idle | ActionState::Ready | ActionState::Running | ActionState::NotCreated => {}
    }
    explanation.inputs.iter().for_each(|input| missing(input, &mut line));
    for (port, n_values) in &explanation.queued {
        line(format!("  port {port} holds {}", values(*n_values as usize)));
    }
    if explanation.n_delayed > 0 {
        let verb = if explanation.n_delayed == 1 { "is" } else { "are" };
        line(format!("  {} {verb} delayed", values(explanation.n_delayed as usize)));
    }
    for rule in &explanation.rules {
        self::rule(rule, file, &mut line);
    }
    text
}

fn rule(rule: &RuleExplanation, file: &str, line: &mut impl FnMut(String)) {
    line(format!("  firing rule {} `{}` ({file}:{})", rule.rule, rule.text, rule.at.line));
    let of = |values: &[(String, String)]| match values {
        [] => String::new(),
        values => {
            let named: Vec<_> = values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            format!(": {}", named.join(", "))
        }
    };
    match &rule.guard {
        None => {}
        Some(Ok(true)) => line(format!("    its guard holds{}", of(&rule.values))),
        Some(Ok(false)) => line(format!("    its guard does not hold{}", of(&rule.values))),
        Some(Err(message)) => line(format!("    its guard fails: {message}")),
    }
    match rule.missing.as_slice() {
        [] if rule.is_timed => line("    all its values are there, but not for its time yet".to_owned()),
        [] => line("    all its values are there".to_owned()),
        missing => missing.iter().for_each(|missing| self::missing(missing, line)),
    }
}

fn missing(missing: &MissingValue, line: &mut impl FnMut(String)) {
    line(format!("    a value is missing on port {}", missing.port));
    for sender in &missing.senders {
        let executed = match sender.state {
            ActionState::NotCreated => String::new(),
            _ => format!(", {}", executions(sender.count)),
        };
        line(format!(
            "      {} could send it along `{}`: {}{executed}",
            sender.action,
            sender.arc,
            state(&sender.state)
        ));
    }
    if missing.senders.is_empty() {
        match missing.arcs.as_slice() {
            [] => line("      no arc leads there".to_owned()),
            arcs => arcs.iter().for_each(|arc| {
                line(format!("      no action sends it along `{arc}`"));
            }),
        }
    }
}

/// Failed events for which actions wait, and who waits for whom in a cycle.
pub(super) fn deadlock(found: &Deadlock, place_of: impl Fn(&str) -> Option<String>) -> String {
    let Deadlock { cycle, failed } = found;
    let mut text = String::new();
    report::write_failures(&mut text, failed);
    if cycle.is_empty() && failed.is_empty() {
        text.push_str("no cycle: nobody waits for a value that only somebody who waits for it could send\n");
    }
    for (step, next) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
        let place = place_of(&step.arc).map(|place| format!(", {place}")).unwrap_or_default();
        let CycleStep { action, port, arc, is_full } = step;
        let next = &next.action;
        let waits = match is_full {
            true => format!("{action} waits for room on {port} (`{arc}`{place})"),
            false => format!("{action} waits on port {port} for {next} (`{arc}`{place})"),
        };
        writeln!(text, "{waits}").expect("a string takes all that is written to it");
    }
    text
}
