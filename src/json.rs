//! What a machine reads: values, diagnostics and reports as JSON.

use std::path::Path;

use hasse_model::diagnostic::{Diagnostic, Location, Severity};
use hasse_model::value::Value;
use hasse_runtime::report::{Divergence, RunError, RunReport, WaitingAction, WaitingRule};
use serde_json::{Map, Value as Json, json};

/// A value: vectors as arrays, matrices as arrays of rows, bytes as arrays of numbers, the unit value
/// as null; reals that JSON does not know as the strings `NaN`, `inf` and `-inf`.
pub(crate) fn value(value: &Value) -> Json {
    match value {
        Value::Unit => Json::Null,
        Value::Bool(flag) => json!(flag),
        Value::Int(number) => json!(number),
        Value::Real(number) => real(*number),
        Value::Char(letter) => json!(letter.to_string()),
        Value::String(text) => json!(&**text),
        Value::Bytes(bytes) => json!(&**bytes),
        Value::Vector(entries) => entries.iter().copied().map(real).collect(),
        Value::Matrix(matrix) => (0..matrix.n_rows())
            .map(|row| {
                let entry = |col| matrix.get(row, col).map_or(Json::Null, real);
                (0..matrix.n_cols()).map(entry).collect::<Json>()
            })
            .collect(),
        Value::Array(items) => items.iter().map(self::value).collect(),
    }
}

fn real(number: f64) -> Json {
    if number.is_finite() { json!(number) } else { json!(number.to_string()) }
}

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
        report.results.iter().map(|(name, held)| (name.clone(), value(held))).collect();
    json!({
        "outcome": report.outcome.name(),
        "results": results,
        "events": report.n_events,
        "actions": report.n_actions,
        "trace": trace.map(|path| path.display().to_string()),
        "quiescence": report.quiescence.iter().map(waiting_action).collect::<Json>(),
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hasse_model::value::Matrix;

    use super::*;

    #[test]
    fn a_matrix_is_an_array_of_rows() {
        let matrix = Matrix::from_columns(2, 3, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).expect("six entries");
        assert_eq!(value(&Value::Matrix(Arc::new(matrix))), json!([[1.0, 3.0, 5.0], [2.0, 4.0, 6.0]]));
    }

    #[test]
    fn reals_that_json_does_not_know_are_strings() {
        let reals = Value::Vector(Arc::new(vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.5]));
        assert_eq!(value(&reals), json!(["NaN", "inf", "-inf", -0.5]));
    }
}
