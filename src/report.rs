//! What a person reads: diagnostics and errors with an excerpt of the program, on standard error.
//!
//! Colors and the width of the terminal are used on a terminal only; elsewhere the same text comes out
//! every time.

use std::cell::RefCell;
use std::error::Error;
use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write as _};
use std::rc::Rc;
use std::sync::Arc;

use hasse_model::diagnostic::{Diagnostic, Location, Severity};
use hasse_runtime::report::{Divergence, RunError, RunReport, WaitingAction, WaitingRule};
use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource, Report};

use crate::explain;
use crate::fault::Fault;
use crate::program::Program;

/// Width of reports where there is no terminal that says its own.
const WIDTH_ELSEWHERE: usize = 100;

/// Prints findings about a program's text.
pub(crate) fn print_diagnostics(program: &Program, diagnostics: &[Diagnostic]) {
    for found in diagnostics {
        let severity = match found.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
        };
        let mut shown = MietteDiagnostic::new(&found.message).with_code(found.code).with_severity(severity);
        shown.help.clone_from(&found.help);
        let labels = found.labels.iter().map(|label| span(program, label.at, &label.text));
        print(&render(program, shown.with_labels(labels)));
    }
    mention_explain(diagnostics.iter().map(|found| found.code));
}

/// Prints what went wrong in a run: errors, who waits for what, where a replay left the record.
pub(crate) fn print_run(program: &Program, report: &RunReport) {
    report.errors.iter().for_each(|error| print_error(program, error));
    mention_explain(report.errors.iter().map(|error| error.code));
    match &report.divergence {
        // Who waits for what is then no news: the replay was halted there.
        Some(divergence) => print_divergence(program, divergence),
        None if report.quiescence.is_empty() => {}
        None => print(&quiescence(program, report)),
    }
}

/// Says once where the codes just printed are explained, by the first of them.
fn mention_explain<'c>(codes: impl IntoIterator<Item = &'c str>) {
    if let Some(code) = codes.into_iter().find(|code| explain::is_explained(code)) {
        print(&format!("`hasse explain {code}` says more about {code}\n"));
    }
}

/// Prints the fault that ends the process.
pub(crate) fn print_fault(fault: &Fault) {
    print(&fault_text(fault));
}

/// A fault with its causes, the place in the line that it is about, and help.
pub(crate) fn fault_text(fault: &Fault) -> String {
    let mut text = format!("error: {fault}");
    let mut cause = fault.source();
    while let Some(error) = cause {
        let _ = write!(text, ": {error}");
        cause = error.source();
    }
    text.push('\n');
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

thread_local! {
    /// What takes the place of standard error for this thread.
    static TAKER: RefCell<Option<Taker>> = const { RefCell::new(None) };
}

/// Takes what would be printed.
pub(crate) type Taker = Rc<dyn Fn(&str)>;

/// Gives what this thread prints from here on to `taker`, without colors, or to standard error again; returns what took
/// it before.
#[cfg(feature = "editor")]
pub(crate) fn divert(taker: Option<Taker>) -> Option<Taker> {
    TAKER.with(|place| place.replace(taker))
}

/// Prints to standard error; where that is closed, nobody wants to know.
pub(crate) fn print(text: &str) {
    let taker = TAKER.with(|place| place.borrow().clone());
    match taker {
        Some(take) => take(text),
        None => {
            let _ = io::stderr().lock().write_all(text.as_bytes());
        }
    }
}

/// `file:line`, as editors understand it.
pub(crate) fn place(program: &Program, at: Location) -> String {
    format!("{}:{}", program.name(), at.line)
}

fn print_error(program: &Program, error: &RunError) {
    let message = format!("{}: {}", error.event, error.message);
    let mut shown = MietteDiagnostic::new(message).with_code(error.code);
    if is_known(error.at) {
        shown = shown.with_label(span(program, error.at, "here"));
    }
    if !error.values.is_empty() {
        let values: Vec<String> =
            error.values.iter().map(|(name, value)| format!("  {name} = {value}")).collect();
        shown = shown.with_help(format!("the event saw\n{}", values.join("\n")));
    }
    print(&render(program, shown));
}

fn print_divergence(program: &Program, divergence: &Divergence) {
    let message = format!("the replay left the record at {}", divergence.event);
    let mut shown = MietteDiagnostic::new(message)
        .with_code("divergence")
        .with_help(format!("expected: {}\n   found: {}", divergence.expected, divergence.found));
    if is_known(divergence.at) {
        shown = shown.with_label(span(program, divergence.at, "here"));
    }
    print(&render(program, shown));
}

fn quiescence(program: &Program, report: &RunReport) -> String {
    let mut text = "nothing can fire, and the program is not at its end\n".to_owned();
    for action in &report.quiescence {
        write_waiting_action(&mut text, program, action);
    }
    let n_more = report.n_waiting - report.quiescence.len() as u64;
    if n_more > 0 {
        let _ = writeln!(text, "and {n_more} more that wait");
    }
    if let Some(first) = report.wait_cycle.first() {
        let waits: Vec<&str> = report.wait_cycle.iter().map(String::as_str).chain([first.as_str()]).collect();
        let _ = writeln!(text, "they wait for each other: {}", waits.join(" -> "));
    }
    text
}

fn write_waiting_action(text: &mut String, program: &Program, action: &WaitingAction) {
    let times = match action.n_executed {
        0 => "never executed".to_owned(),
        1 => "executed once".to_owned(),
        n_executed => format!("executed {n_executed} times"),
    };
    let failed = if action.has_failed { ", stopped by an error" } else { "" };
    let _ = writeln!(text, "  {} {times}{failed}", action.action);
    for (port, n_values) in &action.queued {
        let plural = if *n_values == 1 { "" } else { "s" };
        let _ = writeln!(text, "    holds {n_values} value{plural} on {port}");
    }
    for rule in &action.rules {
        let _ = writeln!(
            text,
            "    rule {} `{}` ({}) {}",
            rule.rule,
            rule.text,
            place(program, rule.at),
            reasons(rule)
        );
    }
}

/// What keeps a rule from being taken.
fn reasons(rule: &WaitingRule) -> String {
    let mut reasons = Vec::new();
    if !rule.missing.is_empty() {
        reasons.push(format!("waits for a value on {}", rule.missing.join(", ")));
    }
    match &rule.guard {
        None | Some(Ok(true)) => {}
        Some(Ok(false)) => reasons.push("has a guard that does not hold".to_owned()),
        Some(Err(message)) => reasons.push(format!("has a guard that fails: {message}")),
    }
    if reasons.is_empty() { "could be taken".to_owned() } else { reasons.join(" and ") }
}

fn is_known(at: Location) -> bool {
    at.line > 0
}

/// The place as a span within the text, whatever it says.
fn span(program: &Program, at: Location, label: &str) -> LabeledSpan {
    let end = (at.end as usize).min(program.text.len());
    let start = (at.start as usize).min(end);
    let label = (!label.is_empty()).then(|| label.to_owned());
    LabeledSpan::new(label, start, end - start)
}

fn render(program: &Program, shown: MietteDiagnostic) -> String {
    let source = NamedSource::new(program.name(), Arc::clone(&program.text));
    let report = Report::new(shown).with_source_code(source);
    let mut text = String::new();
    match handler().render_report(&mut text, report.as_ref()) {
        Ok(()) => format!("{text}\n"),
        Err(_) => format!("{report}\n"),
    }
}

fn handler() -> GraphicalReportHandler {
    if TAKER.with(|place| place.borrow().is_some()) || !io::stderr().is_terminal() {
        let theme = GraphicalTheme::unicode_nocolor();
        return GraphicalReportHandler::new_themed(theme).with_width(WIDTH_ELSEWHERE);
    }
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let wants_color = !is_dumb && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let theme = if wants_color { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    GraphicalReportHandler::new_themed(theme)
}
