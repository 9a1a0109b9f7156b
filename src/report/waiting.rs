//! The quiescence report: the likely cause first, then the actions that wait, those that wait alike as one entry.

use std::fmt::Write as _;

use hasse_runtime::report::{
    FailedEvents, HeldValues, RunReport, WaitCause, WaitingAction, WaitingClass, WaitingRule,
};

use crate::program::Program;
use hasse_model::diagnostic::Location;

/// Maximum number of actions of a circle that are named.
const MAX_STEPS: usize = 12;
/// Maximum number of ports that are named of an action or a rule.
const MAX_PORTS: usize = 6;

/// What to do where values are left by design.
const LEFT_HELP: &str =
    "help: if values may be left on a port, say so there: `p = { type = \"int\", left = \"ok\" }`\n";

/// Who waits for what when nothing can fire.
pub(super) fn text(program: &Program, report: &RunReport) -> String {
    let mut text = match report.errors.len() {
        0 => "nothing can fire, and the program is not at its end\n".to_owned(),
        _ => "nothing else can fire after the error\n".to_owned(),
    };
    write_failures(&mut text, &report.wait_causes);
    report.wait_causes.iter().for_each(|cause| write_cause(&mut text, cause));
    write_circle(&mut text, &report.wait_cycle);
    for class in &report.waiting_classes {
        write_class(&mut text, program, class);
    }
    if report.n_unclassed > 0 {
        let _ = writeln!(text, "  and {} that wait otherwise", count(report.n_unclassed, "action"));
    }
    // Tokens that came home: all that waits has executed, and nothing else went wrong.
    let have_executed = report.waiting_classes.iter().all(|class| class.n_executed.0 > 0);
    if !report.has_stop_node && report.errors.is_empty() && report.wait_cycle.is_empty() && have_executed {
        text.push_str(LEFT_HELP);
    }
    text
}

/// Writes which events failed that others wait for.
pub(crate) fn write_failures(text: &mut String, causes: &[WaitCause]) {
    let failed = causes.iter().filter_map(|cause| match cause {
        WaitCause::Failed { event, action, port, is_full, n_others } => {
            Some((event.as_str(), action, port, *is_full, *n_others))
        }
        WaitCause::NoSender { .. } | WaitCause::Full { .. } => None,
    });
    let failed: Vec<_> = failed.collect();
    let Some((_, action, port, is_full, n_others)) = failed.first() else { return };
    let events: Vec<&str> = failed.iter().map(|(event, ..)| *event).collect();
    let n_more = (n_others + 1).saturating_sub(events.len() as u64);
    let more = if n_more > 0 { format!(" and {n_more} more") } else { String::new() };
    let waits = match is_full {
        true => format!("waits for room on {port}, where nothing is taken any more"),
        false => format!("waits for a value on {port} that would have come from there"),
    };
    let _ = writeln!(text, "likely cause: {}{more} failed; {action} {waits}", events.join(", "));
}

fn write_cause(text: &mut String, cause: &WaitCause) {
    match cause {
        WaitCause::Failed { .. } => {}
        WaitCause::Full { action, held } => {
            let HeldValues { port, bound, arc, .. } = held;
            let _ = writeln!(
                text,
                "likely cause: {action} waits for room on {port}: at most {} may wait there (`{arc}`)\nhelp: a larger bound lets it go on",
                count(*bound, "value")
            );
        }
        WaitCause::NoSender { action, port, senders } => {
            let _ = writeln!(
                text,
                "likely cause: {action} waits for a value on {port}, and nothing sends it any more"
            );
            for sender in senders {
                let executed = match sender.n_executed {
                    None => "does not exist".to_owned(),
                    Some(n_executed) => format!("has {}", executed((n_executed, n_executed))),
                };
                let failed = match &sender.failed {
                    None => String::new(),
                    Some(FailedEvents { first, n_events: 1 }) => format!("; {first} failed"),
                    Some(FailedEvents { first, n_events }) => {
                        format!("; {first} and {} more failed", n_events - 1)
                    }
                };
                let _ = writeln!(text, "  {}, along `{}`, {executed}{failed}", sender.action, sender.arc);
            }
        }
    }
}

fn write_circle(text: &mut String, circle: &[String]) {
    let Some(first) = circle.first() else { return };
    let mut steps: Vec<&str> = circle.iter().take(MAX_STEPS).map(String::as_str).collect();
    let more = format!("({} more)", circle.len().saturating_sub(MAX_STEPS));
    if circle.len() > MAX_STEPS {
        steps.push(&more);
    }
    steps.push(first);
    let _ = writeln!(text, "they wait for each other: {}", steps.join(" -> "));
}

fn write_class(text: &mut String, program: &Program, class: &WaitingClass) {
    let first = &class.first;
    let failed = if first.has_failed { ", stopped by an error" } else { "" };
    let executed = executed(class.n_executed);
    let each = if class.n_actions == 1 { "holds" } else { "each holds" };
    match (class.n_actions, &class.examples[..]) {
        (1, [only, ..]) => {
            let _ = writeln!(text, "  {only} {executed}{failed}");
        }
        (n_actions, examples) => {
            let dots = if n_actions > examples.len() as u64 { ", ..." } else { "" };
            let _ = writeln!(
                text,
                "  {n_actions} of {}, {executed}{failed}: {}{dots}",
                class.node,
                examples.join(", ")
            );
        }
    }
    write_queued(text, each, class);
    write_reasons(text, program, first);
}

/// Writes what an action waits for.
pub(crate) fn write_reasons(text: &mut String, program: &Program, action: &WaitingAction) {
    for HeldValues { port, bound, .. } in &action.held_back {
        let _ =
            writeln!(text, "    waits for room on {port}, where at most {} may wait", count(*bound, "value"));
    }
    for rule in &action.rules {
        let _ = writeln!(
            text,
            "    rule {} `{}` ({}) {}",
            rule.rule,
            rule.text,
            place(program, rule.at),
            reasons(rule, action)
        );
    }
}

fn write_queued(text: &mut String, each: &str, class: &WaitingClass) {
    let first = &class.first;
    let mut ports: Vec<(&str, Vec<usize>)> = Vec::new();
    for (position, (name, _)) in first.queued.iter().enumerate() {
        let port = name.split('[').next().unwrap_or(name);
        match ports.last_mut().filter(|(last, _)| *last == port) {
            Some((_, positions)) => positions.push(position),
            None => ports.push((port, vec![position])),
        }
    }
    let mut n_more = first.n_more_queued;
    for (port, positions) in ports {
        if positions.len() > MAX_PORTS {
            // What is not listed is of the last port.
            let n_values = positions.iter().map(|position| first.queued[*position].1).sum::<u64>();
            let all = count(n_values + std::mem::take(&mut n_more), "value");
            let named = positions.iter().take(3).map(|position| first.queued[*position].0.as_str());
            let _ =
                writeln!(text, "    {each} {all} on {port}: {}, ...", named.collect::<Vec<_>>().join(", "));
            continue;
        }
        for position in positions {
            let (low, high) = class.n_values[position];
            let range = if low == high { count(low, "value") } else { format!("{low} to {high} values") };
            let _ = writeln!(text, "    {each} {range} on {}", first.queued[position].0);
        }
    }
}

fn executed((low, high): (u64, u64)) -> String {
    match (low, high) {
        (0, 0) => "never executed".to_owned(),
        (1, 1) => "executed once".to_owned(),
        (low, high) if low == high => format!("executed {low} times"),
        (low, high) => format!("executed {low} to {high} times"),
    }
}

/// Why a rule is not taken.
fn reasons(rule: &WaitingRule, action: &WaitingAction) -> String {
    let mut reasons = Vec::new();
    if !rule.missing.is_empty() {
        let named: Vec<&str> = rule.missing.iter().take(MAX_PORTS).map(String::as_str).collect();
        let n_more = (rule.missing.len() - named.len()) as u64 + rule.n_more_missing;
        let more = if n_more > 0 { format!(" and {n_more} more") } else { String::new() };
        reasons.push(format!("waits for a value on {}{more}", named.join(", ")));
    }
    match &rule.guard {
        None | Some(Ok(true)) => {}
        Some(Ok(false)) => reasons.push("has a guard that does not hold".to_owned()),
        Some(Err(message)) => reasons.push(format!("has a guard that fails: {message}")),
    }
    if reasons.is_empty() && action.has_failed {
        return "is taken no more".to_owned();
    }
    if reasons.is_empty() { "could be taken".to_owned() } else { reasons.join(" and ") }
}

fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// `file:line`, as editors understand it.
pub(crate) fn place(program: &Program, at: Location) -> String {
    format!("{}:{}", program.name(), at.line)
}
