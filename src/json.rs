//! What a machine reads: diagnostics and reports as JSON.

use std::path::Path;

use hasse_debugger::json::value_json;
use hasse_model::diagnostic::{Diagnostic, Location, Severity};
use hasse_runtime::report::{Divergence, RunError, RunReport, WaitingAction, WaitingRule};
use serde_json::{Map, Value as Json, json};

/// One object of `hasse check --json`.
pub(crate) fn diagnostic(found: &Diagnostic) -> Json {
    let severity = match found.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let labels: Vec<Json> = found.labels.iter().map(|label| label_at(label.at, &label.text)).collect();
    json!({
        "code": found.code,
        "severity": severity,
        "message": found.message,
        "line": found.at().line,
        "column": found.at().column,
        "help": found.help,
        "labels": labels,
    })
}

fn label_at(at: Location, text: &str) -> Json {
    json!({ "line": at.line, "column": at.column, "start": at.start, "end": at.end, "text": text })
}

/// The one object of `hasse run --json`.
pub(crate) fn run(report: &RunReport, trace: Option<&Path>) -> Json {
    let results: Map<String, Json> =
        report.results.iter().map(|(name, held)| (name.clone(), value_json(held))).collect();
    json!({
        "outcome": report.outcome.name(),
        "results": results,
        "events": report.n_events,
        "actions": report.n_actions,
        "trace": trace.map(|path| path.display().to_string()),
        "quiescence": report.quiescence.iter().map(waiting_action).collect::<Json>(),
        "n_waiting": report.n_waiting,
        "wait_cycle": report.wait_cycle,
        "errors": report.errors.iter().map(run_error).collect::<Json>(),
    })
}

/// The one object of `hasse run --json` for a program that does not compile.
pub(crate) fn uncompiled(diagnostics: &[Diagnostic]) -> Json {
    let errors: Json =
        diagnostics.iter().filter(|found| found.severity == Severity::Error).map(diagnostic).collect();
    json!({
        "outcome": "failed",
        "results": {},
        "events": 0,
        "actions": 0,
        "trace": null,
        "quiescence": [],
        "n_waiting": 0,
        "wait_cycle": [],
        "errors": errors,
    })
}

/// The place where a replay left the record.
pub(crate) fn divergence(found: &Divergence) -> Json {
    json!({
        "event": found.event,
        "expected": found.expected,
        "found": found.found,
        "line": found.at.line,
        "column": found.at.column,
    })
}

fn run_error(error: &RunError) -> Json {
    let values: Map<String, Json> =
        error.values.iter().map(|(name, shown)| (name.clone(), json!(shown))).collect();
    json!({
        "code": error.code,
        "event": error.event,
        "message": error.message,
        "line": error.at.line,
        "column": error.at.column,
        "values": values,
    })
}

fn waiting_action(action: &WaitingAction) -> Json {
    let queued: Map<String, Json> =
        action.queued.iter().map(|(port, n_values)| (port.clone(), json!(n_values))).collect();
    json!({
        "action": action.action,
        "executed": action.n_executed,
        "failed": action.has_failed,
        "queued": queued,
        "rules": action.rules.iter().map(waiting_rule).collect::<Json>(),
    })
}

fn waiting_rule(rule: &WaitingRule) -> Json {
    let guard = match &rule.guard {
        None => Json::Null,
        Some(Ok(holds)) => json!(holds),
        Some(Err(message)) => json!(message),
    };
    json!({
        "rule": rule.rule,
        "text": rule.text,
        "line": rule.at.line,
        "column": rule.at.column,
        "guard": guard,
        "missing": rule.missing,
    })
}
