//! The values of an event for a person.

use std::io::{self, Write};

use hasse_debugger::why::RuleTaken;
use hasse_model::value::Value;

use crate::api::event::described::{Answer, EventValues, Replayed, Sent, Taken};

/// So many values of one kind are written; of the others their number.
const MOST: usize = 24;

impl EventValues {
    /// Writes them for a person; `program_path` stands before the line numbers.
    ///
    /// # Errors
    /// `out` does not take it.
    pub fn write_text(&self, program_path: &str, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}  {}", self.event, by(self.rule.as_ref(), program_path))?;
        write_outcome(out, self.outcome, self.error.as_deref())?;
        write_took(out, &self.took)?;
        section(out, "shared objects", self.shared.len())?;
        for shared in self.shared.iter().take(MOST) {
            write!(out, "  {} = {}", shared.name, shared.before)?;
            if let Some(after) = &shared.after {
                write!(out, " -> {after}")?;
            }
            let writer = shared.writer.as_ref().map(|writer| format!(", written by {writer}"));
            writeln!(out, "  ({}{})", shared.object, writer.unwrap_or_default())?;
        }
        section(out, "vars", self.vars.len())?;
        for var in &self.vars {
            // What the body found is what counts; what the rule assigned shows in what was taken.
            let before = var.before.as_ref().or(var.found.as_ref());
            match (before, &var.after) {
                (Some(before), Some(after)) if before == after => writeln!(out, "  {} = {before}", var.name)?,
                (Some(before), Some(after)) => writeln!(out, "  {} = {before} -> {after}", var.name)?,
                (Some(before), None) => writeln!(out, "  {} = {before}", var.name)?,
                (None, Some(after)) => writeln!(out, "  {} -> {after}", var.name)?,
                (None, None) => writeln!(out, "  {}", var.name)?,
            }
        }
        write_named(out, "bound by let", &self.lets)?;
        write_sent(out, &self.sent)?;
        if !self.taken_by.is_empty() {
            let more = self.taken_by.len().saturating_sub(MOST);
            let taken_by: Vec<&str> = self.taken_by.iter().take(MOST).map(String::as_str).collect();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            writeln!(out, "taken by {}{more}", taken_by.join(", "))?;
        }
        write_lines(out, &self.lines)?;
        write_named(out, "results", &self.results)?;
        write_answers(out, &self.answers)?;
        self.replayed.write_text(out)
    }
}

impl Replayed {
    pub(in crate::api::event) fn write_text(self, out: &mut dyn Write) -> io::Result<()> {
        let Self { n_replayed, n_recorded } = self;
        match n_recorded {
            Some(n_recorded) => writeln!(out, "replayed: {n_replayed} of {n_recorded} events"),
            None => writeln!(out, "replayed: {n_replayed} events"),
        }
    }
}

pub(in crate::api::event) fn by(rule: Option<&RuleTaken>, program_path: &str) -> String {
    match rule {
        None => "without a firing rule".to_owned(),
        Some(RuleTaken { position, quote: None }) => format!("by firing rule {position}"),
        Some(RuleTaken { position, quote: Some(quote) }) => {
            format!("by firing rule {position} `{}` ({program_path}:{})", quote.text, quote.line)
        }
    }
}

pub(in crate::api::event) fn write_outcome(
    out: &mut dyn Write,
    outcome: &str,
    error: Option<&str>,
) -> io::Result<()> {
    match (outcome, error) {
        ("done", _) => Ok(()),
        (outcome, Some(error)) => writeln!(out, "{outcome}: {error}"),
        (outcome, None) => writeln!(out, "{outcome}"),
    }
}

fn section(out: &mut dyn Write, title: &str, n_items: usize) -> io::Result<()> {
    if n_items > 0 { writeln!(out, "{title}:") } else { Ok(()) }
}

fn more(out: &mut dyn Write, n_items: usize) -> io::Result<()> {
    let n_more = n_items.saturating_sub(MOST);
    if n_more > 0 { writeln!(out, "  and {n_more} more") } else { Ok(()) }
}

fn write_took(out: &mut dyn Write, took: &[Taken]) -> io::Result<()> {
    section(out, "took", took.len())?;
    for taken in took.iter().take(MOST) {
        let sender = taken.sender.as_ref().map(|sender| format!("  (from {sender})"));
        writeln!(out, "  {} = {}{}", taken.port, taken.value, sender.unwrap_or_default())?;
    }
    more(out, took.len())
}

pub(in crate::api::event) fn write_sent(out: &mut dyn Write, sent: &[Sent]) -> io::Result<()> {
    section(out, "sent", sent.len())?;
    for sent in sent.iter().take(MOST) {
        writeln!(out, "  {} = {}  (to {})", sent.port, sent.value, sent.to.join(", "))?;
    }
    more(out, sent.len())
}

pub(in crate::api::event) fn write_named(
    out: &mut dyn Write,
    title: &str,
    named: &[(String, Value)],
) -> io::Result<()> {
    section(out, title, named.len())?;
    named.iter().try_for_each(|(name, value)| writeln!(out, "  {name} = {value}"))
}

pub(in crate::api::event) fn write_lines(out: &mut dyn Write, lines: &[String]) -> io::Result<()> {
    section(out, "printed", lines.len())?;
    lines.iter().take(MOST).try_for_each(|line| writeln!(out, "  {line}"))?;
    more(out, lines.len())
}

pub(in crate::api::event) fn write_answers(out: &mut dyn Write, answers: &[Answer]) -> io::Result<()> {
    section(out, "asked the world", answers.len())?;
    for answer in answers.iter().take(MOST) {
        match (&answer.value, &answer.error) {
            (Some(value), _) => writeln!(out, "  {}: {value}", answer.question)?,
            (None, error) => {
                let error = error.as_deref().unwrap_or("no answer");
                writeln!(out, "  {}: error: {error}", answer.question)?;
            }
        }
    }
    more(out, answers.len())
}
