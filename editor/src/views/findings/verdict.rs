//! Verdicts as findings.

use hasse_debugger::check::evidence::{Evidence as Shown, Way};
use hasse_debugger::check::history::Step;
use hasse_debugger::check::{Verdict, Violation, render};
use hasse_model::plan::Access;

use super::finding::{Evidence, Finding, Status, World};

/// The finding of a verdict.
pub(super) fn finding(query: usize, verdict: &Verdict, world: &World<'_>) -> Finding {
    let status = match verdict {
        _ if verdict.is_open || verdict.error.is_some() => Status::Unknown,
        _ if verdict.holds => Status::Holds,
        _ => Status::Violated,
    };
    let text = render(verdict, world.program_path);
    let mut evidence = Vec::new();
    for violation in &verdict.violations {
        put_violation(violation, world, &mut evidence);
    }
    if !verdict.witness.is_empty() {
        let paths: Vec<&str> = verdict.witness.iter().map(String::as_str).collect();
        evidence.push(world.evidence(format!("as {} show", paths.join(", ")), &paths));
    }
    evidence.extend(verdict.notes.iter().map(|note| world.evidence(note.clone(), &[])));
    let commands = verdict.commands.join("; ");
    let title = match status {
        Status::Holds => format!("holds: {commands}"),
        Status::Violated if verdict.n_violations > 0 => {
            format!("{} of {} not as expected: {commands}", verdict.n_violations, verdict.n_events)
        }
        Status::Violated => format!("does not hold: {commands}"),
        Status::Unknown => format!("{}: {commands}", verdict.word()),
    };
    Finding { query, status, title, evidence, text, is_race: false }
}

fn put_violation(violation: &Violation, world: &World<'_>, evidence: &mut Vec<Evidence>) {
    let paths: Vec<&str> = if violation.events.is_empty() {
        vec![&violation.event]
    } else {
        violation.events.iter().map(|bound| &*bound.event).collect()
    };
    let mut text = paths.join(", ");
    for reason in &violation.reasons {
        text.push_str(": ");
        text.push_str(reason);
    }
    let missing = violation.missing.iter().flatten().map(|missing| {
        let why = if missing.occurred { "not before it" } else { "never occurred" };
        format!("{} {why}", missing.spec)
    });
    let missing: Vec<String> = missing.collect();
    if !missing.is_empty() {
        text.push_str(": ");
        text.push_str(&missing.join(", "));
    }
    evidence.push(world.evidence(text, &paths));
    evidence.extend(violation.evidence.iter().map(|shown| line(&violation.event, shown, world)));
    for Step { event, before, .. } in &violation.history {
        if before.is_empty() {
            evidence.push(world.evidence(event.clone(), &[event]));
        }
        evidence.extend(before.iter().map(|shown| line(event, shown, world)));
    }
}

/// A line on how an event is before another one.
fn line(event: &str, shown: &Shown, world: &World<'_>) -> Evidence {
    let (text, other, ways): (String, Option<&String>, &[Way]) = match shown {
        Shown::Value { sender, ways, .. } => {
            (format!("{event} took a value of {sender}"), Some(sender), ways)
        }
        Shown::Relayed { event: other, ways, .. } => {
            (format!("{event} comes after {other}, by way of others"), Some(other), ways)
        }
        Shown::Overwrote { object, reader } => {
            (format!("{event} wrote over {object}, which {reader} had read"), Some(reader), &[])
        }
        Shown::Sequence { event: other } => (format!("{event} follows {other}"), Some(other), &[]),
        Shown::Shared { object, access, writer } => {
            let did = if *access == Access::Write { "wrote" } else { "read" };
            let found = writer
                .as_ref()
                .map_or_else(|| "unwritten".to_owned(), |writer| format!("as {writer} left it"));
            (format!("{event} {did} {object}, {found}"), writer.as_ref(), &[])
        }
    };
    let paths: Vec<&str> = std::iter::once(event).chain(other.map(String::as_str)).collect();
    let mut evidence = world.evidence(text, &paths);
    for way in ways {
        let lines = std::iter::once(&way.rule_quote).chain(&way.arc_quotes);
        let targets = lines.clone().filter_map(|quote| world.line(quote.line));
        evidence.targets.extend(targets);
        let texts: Vec<String> = lines.map(|quote| format!("`{}`", quote.text)).collect();
        evidence.text.push_str(&format!(", by {}", texts.join(" along ")));
    }
    evidence
}
