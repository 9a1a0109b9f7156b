//! What a person reads: diagnostics and errors with an excerpt of the program, on standard error.
//!
//! Colors and the width of the terminal are used on a terminal only; elsewhere the same text comes out
//! every time.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::io::{self, IsTerminal};

use hasse_model::diagnostic::{Diagnostic, Location, Severity};
use hasse_model::quantity::counted;
use hasse_runtime::report::{Divergence, DroppedValues, HandledErrors, RunError, RunReport, WaitingValues};
use miette::{GraphicalReportHandler, GraphicalTheme, MietteDiagnostic, Report};

use self::excerpt::Excerpt;
use crate::error_pages;
use crate::fault::Fault;
use crate::program::Program;

/// The lines of a program that a report shows.
mod excerpt;
/// Actions that wait at the end of a run.
pub(crate) mod waiting;

use crate::message::{has_color, is_diverted, print};
pub(crate) use excerpt::bounded;
pub(crate) use waiting::write_failures;

/// Number of findings of one code that are shown.
const MAX_ALIKE: usize = 20;
/// Number of failed events that are reported one by one.
const MAX_ERRORS: usize = 20;
/// Number of events that are named where they failed like one that is reported.
const MAX_NAMED: usize = 5;
/// Length in bytes of a message or hint that is shown.
const MAX_TEXT: usize = 1_200;
/// Number of names and values that are shown with an event's error, and length in bytes of each.
const MAX_VALUES: usize = 40;
const MAX_VALUE: usize = 220;

/// Width of reports where there is no terminal that says its own.
const WIDTH_ELSEWHERE: usize = 100;

/// Prints findings about a program's text; of many with one code the first ones, and the number of the others.
pub(crate) fn print_diagnostics(program: &Program, diagnostics: &[Diagnostic]) {
    let mut n_by_code: BTreeMap<&str, usize> = BTreeMap::new();
    for found in diagnostics {
        let n_alike = n_by_code.entry(found.code).or_default();
        *n_alike += 1;
        if *n_alike <= MAX_ALIKE {
            print_diagnostic(program, found);
        }
    }
    mention_hidden(diagnostics, &n_by_code);
    mention_explain(diagnostics.iter().map(|found| found.code));
}

fn print_diagnostic(program: &Program, found: &Diagnostic) {
    let severity = match found.severity {
        Severity::Error => miette::Severity::Error,
        Severity::Warning => miette::Severity::Warning,
    };
    let message = bounded(&found.message, MAX_TEXT);
    let mut shown = MietteDiagnostic::new(message).with_code(found.code).with_severity(severity);
    shown.help = found.help.as_ref().map(|help| bounded(help, MAX_TEXT));
    let labels: Vec<(Location, &str)> =
        found.labels.iter().map(|label| (label.at, label.text.as_str())).collect();
    print(&render(program.name(), &program.text, shown, &labels));
}

/// Says how many findings of which codes were not shown.
fn mention_hidden(diagnostics: &[Diagnostic], n_by_code: &BTreeMap<&str, usize>) {
    let mut hidden: Vec<String> = Vec::new();
    for found in diagnostics {
        let n_hidden = n_by_code[found.code].saturating_sub(MAX_ALIKE);
        let text = format!("{n_hidden} more of {}", found.code);
        if n_hidden > 0 && !hidden.contains(&text) {
            hidden.push(text);
        }
    }
    if !hidden.is_empty() {
        print(&format!("not shown: {}; `hasse check --json` lists all\n", hidden.join(", ")));
    }
}

/// Prints what went wrong in a run: errors, who waits for what, where a replay left the record.
pub(crate) fn print_run(program: &Program, report: &RunReport) {
    for DroppedValues { port, n_values } in &report.dropped {
        let verb = if *n_values == 1 { "was" } else { "were" };
        print(&format!("{} {verb} dropped at {port}, which was full\n", counted(*n_values, "value")));
    }
    report.handled.iter().for_each(|handled| print_handled(program, handled));
    print_errors(program, &report.errors);
    mention_explain(report.errors.iter().map(|error| error.code));
    match &report.divergence {
        // Who waits for what is then no news: the replay was halted there.
        Some(divergence) => print_divergence(program, divergence),
        None if report.n_waiting == 0 || report.stopped_at.is_some() => {}
        None => print(&waiting::text(program, report)),
    }
}

/// Prints the handled errors of a node.
fn print_handled(program: &Program, handled: &HandledErrors) {
    let HandledErrors { node, n_events, n_retries, first } = handled;
    if *n_retries > 0 {
        print(&format!("bodies of {node} failed and were retried {}\n", counted(*n_retries, "time")));
    }
    if let Some(first) = first {
        let message = bounded(&first.message, MAX_TEXT);
        let verb = if *n_events == 1 { "was" } else { "were" };
        print(&format!(
            "{} of {node} failed and {verb} handled; the first: {}: {} {message} ({}:{})\n",
            counted(*n_events, "event"),
            first.event,
            first.code,
            program.name(),
            first.at.line,
        ));
    }
}

/// Prints failed events: of those that failed alike the first, and the names of some others.
fn print_errors(program: &Program, errors: &[RunError]) {
    let mut alike: Vec<Vec<&RunError>> = Vec::new();
    let mut group_of: BTreeMap<(&str, Location, &str), usize> = BTreeMap::new();
    for error in errors {
        let key = (error.code, error.at, error.message.as_str());
        let group = *group_of.entry(key).or_insert_with(|| {
            alike.push(Vec::new());
            alike.len() - 1
        });
        alike[group].push(error);
    }
    for group in alike.iter().take(MAX_ERRORS) {
        let Some((first, others)) = group.split_first() else { continue };
        print_error(program, first);
        if !others.is_empty() {
            let mut named: Vec<&str> =
                others.iter().take(MAX_NAMED).map(|error| error.event.as_str()).collect();
            named.extend((others.len() > MAX_NAMED).then_some("..."));
            print(&format!("{} more failed in the same way: {}\n", others.len(), named.join(", ")));
        }
    }
    let n_hidden: usize = alike.iter().skip(MAX_ERRORS).map(Vec::len).sum();
    if n_hidden > 0 {
        print(&format!("{} more failed\n", counted(n_hidden, "event")));
    }
}

/// Prints on which ports values wait, where a run was ended.
pub(crate) fn print_waiting_values(report: &RunReport) {
    print(&waiting_values(&report.waiting_values));
}

/// Most ports whose waiting values are listed.
const MOST_PORTS: usize = 10;

fn waiting_values(waiting: &[WaitingValues]) -> String {
    let mut text = String::new();
    if waiting.is_empty() {
        return text;
    }
    text.push_str("values that wait\n");
    for WaitingValues { port, n_values, n_actions, most_at, n_most } in waiting.iter().take(MOST_PORTS) {
        let _ = match n_actions {
            1 => writeln!(text, "  {port}: {} at {most_at}", counted(*n_values, "value")),
            _ => writeln!(
                text,
                "  {port}: {n_values} values at {n_actions} actions, {n_most} of them at {most_at}"
            ),
        };
    }
    if waiting.len() > MOST_PORTS {
        let _ = writeln!(text, "  and values on {} more ports", waiting.len() - MOST_PORTS);
    }
    text
}

/// Says once where the codes just printed are explained, by the first of them.
fn mention_explain<'c>(codes: impl IntoIterator<Item = &'c str>) {
    if let Some(code) = codes.into_iter().find(|code| error_pages::is_explained(code)) {
        print(&format!("`hasse explain {code}` says more about {code}\n"));
    }
}

/// Prints the fault that ends the process.
pub(crate) fn print_fault(fault: &Fault) {
    let text = fault_text(fault);
    match text.strip_prefix("error:").filter(|_| has_color()) {
        Some(rest) => print(&format!("\u{1b}[1;31merror:\u{1b}[0m{rest}")),
        None => print(&text),
    }
}

/// A fault with its causes, on one line.
pub(crate) fn fault_line(fault: &Fault) -> String {
    let mut text = fault.to_string();
    let mut cause = fault.source();
    while let Some(error) = cause {
        let _ = write!(text, ": {error}");
        cause = error.source();
    }
    text
}

/// A fault with its causes, the place in the line that it is about, and help.
pub(crate) fn fault_text(fault: &Fault) -> String {
    let mut text = format!("error: {}\n", fault_line(fault));
    if let Some((line, column)) = fault.excerpt() {
        put_excerpt(&mut text, line, column);
    }
    if let Some(help) = fault.help() {
        for (line_idx, line) in help.lines().enumerate() {
            let margin = if line_idx == 0 { "  help: " } else { "        " };
            let _ = writeln!(text, "{margin}{line}");
        }
    }
    text
}

/// Most characters shown of a line on either side of a column.
const AROUND: usize = 80;

/// Shows a line with a caret under a column; of a long line what is around it.
fn put_excerpt(text: &mut String, line: &str, column: usize) {
    let letters: Vec<char> =
        line.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    let at = (column - 1).min(letters.len());
    let (start, end) = (at.saturating_sub(AROUND), letters.len().min(at + AROUND));
    let cut = |is_cut: bool| if is_cut { "..." } else { "" };
    let shown: String = letters[start..end].iter().collect();
    let before = cut(start > 0);
    let _ = writeln!(text, "    {before}{shown}{}", cut(end < letters.len()));
    let _ = writeln!(text, "    {}^", " ".repeat(before.len() + at - start));
}

fn print_error(program: &Program, error: &RunError) {
    let message = format!("{}: {}", error.event, bounded(&error.message, MAX_TEXT));
    let mut shown = MietteDiagnostic::new(message).with_code(error.code);
    if !error.values.is_empty() {
        let values = error.values.iter().take(MAX_VALUES);
        let mut lines: Vec<String> =
            values.map(|seen| format!("  {} = {}", seen.name, bounded(&seen.text, MAX_VALUE))).collect();
        if error.values.len() > MAX_VALUES {
            lines.push(format!("  and {} more", error.values.len() - MAX_VALUES));
        }
        shown = shown.with_help(format!("the event saw\n{}", lines.join("\n")));
    }
    print(&render_at(program, shown, error.at));
}

fn print_divergence(program: &Program, divergence: &Divergence) {
    let message = format!("the replay left the record at {}", divergence.event);
    let [expected, found] = [&divergence.expected, &divergence.found].map(|text| bounded(text, MAX_TEXT));
    let shown = MietteDiagnostic::new(message)
        .with_code("divergence")
        .with_help(format!("expected: {expected}\n   found: {found}"));
    print(&render_at(program, shown, divergence.at));
}

/// A report about one place, where that is known.
fn render_at(program: &Program, shown: MietteDiagnostic, at: Location) -> String {
    let labels = if at.line > 0 { &[(at, "here")][..] } else { &[] };
    render(program.name(), &program.text, shown, labels)
}

fn render(name: String, text: &str, shown: MietteDiagnostic, labels: &[(Location, &str)]) -> String {
    let (excerpt, labels) = Excerpt::new(name, text, labels);
    let report = Report::new(shown.with_labels(labels)).with_source_code(excerpt);
    let mut text = String::new();
    match handler().render_report(&mut text, report.as_ref()) {
        Ok(()) => format!("{text}\n"),
        Err(_) => format!("{report}\n"),
    }
}

fn handler() -> GraphicalReportHandler {
    if is_diverted() || !io::stderr().is_terminal() {
        let theme = GraphicalTheme::unicode_nocolor();
        return GraphicalReportHandler::new_themed(theme).with_width(WIDTH_ELSEWHERE);
    }
    let theme = if has_color() { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    GraphicalReportHandler::new_themed(theme)
}

/// A report as it is printed where there is no terminal.
#[cfg(test)]
fn rendered(name: String, text: &str, message: &str, labels: &[(Location, &str)]) -> String {
    render(name, text, MietteDiagnostic::new(message), labels)
}
