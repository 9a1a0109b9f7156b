//! What a machine reads: diagnostics and reports as JSON.

use std::path::Path;

use hasse_debugger::json::{serialize_named, value_json};
use hasse_model::diagnostic::{Diagnostic, Location, Severity};
use hasse_model::value::Value;
use hasse_runtime::report::{
    Divergence, DroppedValues, FailedEvents, HandledErrors, HeldValues, PossibleSender, RunError, RunReport,
    SeenValue, WaitCause, WaitingAction, WaitingClass, WaitingRule, WaitingValues,
};
use serde::ser::{Serialize, SerializeMap, Serializer};
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

/// The one object of `hasse run --json` and `hasse replay --json`. Results are written as they are, however large.
pub(crate) struct RunJson<'r> {
    /// All fields, of which `results` is empty.
    pub(crate) fields: Json,
    results: &'r [(String, Value)],
}

impl Serialize for RunJson<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let fields = self.fields.as_object();
        let mut map = to.serialize_map(None)?;
        for (name, field) in fields.into_iter().flatten() {
            match name.as_str() {
                "results" => map.serialize_entry(name, &Named(self.results))?,
                _ => map.serialize_entry(name, field)?,
            }
        }
        map.end()
    }
}

/// Named values as an object.
struct Named<'v>(&'v [(String, Value)]);

impl Serialize for Named<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        serialize_named(self.0, to)
    }
}

/// The object of a run or replay.
pub(crate) fn run<'r>(report: &'r RunReport, trace: Option<&Path>) -> RunJson<'r> {
    RunJson { fields: run_fields(report, trace), results: &report.results }
}

fn run_fields(report: &RunReport, trace: Option<&Path>) -> Json {
    let mut object = json!({
        "outcome": report.outcome.name(),
        "results": {},
        "events": report.n_events,
        "actions": report.n_actions,
        "trace": trace.map(|path| path.display().to_string()),
        "quiescence": report.quiescence.iter().map(waiting_action).collect::<Json>(),
        "wait_cycle": report.wait_cycle,
        "errors": report.errors.iter().map(run_error).collect::<Json>(),
    });
    if report.n_waiting > report.quiescence.len() as u64 {
        object["n_waiting"] = report.n_waiting.into();
    }
    if !report.waiting_values.is_empty() {
        object["waiting_values"] = report.waiting_values.iter().map(waiting_values).collect();
    }
    if !report.dropped.is_empty() {
        let dropped = |dropped: &DroppedValues| json!({ "port": dropped.port, "values": dropped.n_values });
        object["dropped"] = report.dropped.iter().map(dropped).collect();
    }
    if !report.handled.is_empty() {
        object["handled"] = report.handled.iter().map(handled_errors).collect();
    }
    if report.n_waiting > 0 {
        object["waiting_classes"] = report.waiting_classes.iter().map(waiting_class).collect();
        object["wait_causes"] = report.wait_causes.iter().map(wait_cause).collect();
    }
    object
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

fn handled_errors(handled: &HandledErrors) -> Json {
    json!({
        "node": handled.node,
        "events": handled.n_events,
        "retries": handled.n_retries,
        "first": handled.first.as_ref().map(run_error),
    })
}

fn run_error(error: &RunError) -> Json {
    let (short, long): (Vec<&SeenValue>, Vec<&SeenValue>) =
        error.values.iter().partition(|seen| seen.value.is_some());
    let typed = |seen: &SeenValue| seen.value.as_ref().map(|value| (seen.name.clone(), value_json(value)));
    let values: Map<String, Json> = short.into_iter().filter_map(typed).collect();
    let mut object = json!({
        "code": error.code,
        "event": error.event,
        "message": error.message,
        "line": error.at.line,
        "column": error.at.column,
        "values": values,
    });
    if !long.is_empty() {
        object["long_values"] = long.into_iter().map(|seen| (seen.name.clone(), json!(seen.text))).collect();
    }
    object
}

fn waiting_values(waiting: &WaitingValues) -> Json {
    json!({
        "port": waiting.port,
        "values": waiting.n_values,
        "actions": waiting.n_actions,
        "most_at": waiting.most_at,
        "most": waiting.n_most,
    })
}

fn waiting_action(action: &WaitingAction) -> Json {
    let queued: Map<String, Json> =
        action.queued.iter().map(|(port, n_values)| (port.clone(), json!(n_values))).collect();
    let mut object = json!({
        "action": action.action,
        "executed": action.n_executed,
        "failed": action.has_failed,
        "queued": queued,
        "rules": action.rules.iter().map(waiting_rule).collect::<Json>(),
    });
    if action.n_more_queued > 0 {
        object["more_queued"] = action.n_more_queued.into();
    }
    if !action.held_back.is_empty() {
        object["held_back"] = action.held_back.iter().map(held_values).collect();
    }
    object
}

fn held_values(held: &HeldValues) -> Json {
    json!({ "port": held.port, "values": held.n_values, "bound": held.bound, "arc": held.arc })
}

fn waiting_class(class: &WaitingClass) -> Json {
    json!({ "node": class.node, "actions": class.n_actions, "examples": class.examples })
}

fn wait_cause(cause: &WaitCause) -> Json {
    match cause {
        WaitCause::Failed { event, action, port, is_full, n_others } => {
            let mut object = json!({
                "kind": "failed",
                "event": event,
                "others": n_others,
                "action": action,
                "port": port,
            });
            if *is_full {
                object["full"] = true.into();
            }
            object
        }
        WaitCause::Full { action, held } => json!({
            "kind": "full",
            "action": action,
            "port": held.port,
            "bound": held.bound,
            "arc": held.arc,
        }),
        WaitCause::NoSender { action, port, senders } => {
            let sender = |sender: &PossibleSender| {
                let mut object =
                    json!({ "action": sender.action, "arc": sender.arc, "executed": sender.n_executed });
                if let Some(FailedEvents { first, n_events }) = &sender.failed {
                    object["first_failed"] = first.as_str().into();
                    object["failed"] = (*n_events).into();
                }
                object
            };
            json!({
                "kind": "no_sender",
                "action": action,
                "port": port,
                "senders": senders.iter().map(sender).collect::<Json>(),
            })
        }
    }
}

fn waiting_rule(rule: &WaitingRule) -> Json {
    let guard = match &rule.guard {
        None => Json::Null,
        Some(Ok(holds)) => json!(holds),
        Some(Err(message)) => json!(message),
    };
    let mut object = json!({
        "rule": rule.rule,
        "text": rule.text,
        "line": rule.at.line,
        "column": rule.at.column,
        "guard": guard,
        "missing": rule.missing,
    });
    if rule.n_more_missing > 0 {
        object["more_missing"] = rule.n_more_missing.into();
    }
    object
}
