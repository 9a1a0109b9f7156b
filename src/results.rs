//! Results of a run, as they are printed.

use std::io::Write;

use hasse_model::show::{Limits, Shown};
use hasse_model::value::Value;
use hasse_runtime::report::{RunOutcome, RunReport};

use crate::fault::Fault;
use crate::out::Out;
use crate::program::Program;
use crate::{message, report};

/// Prints what came of a run: results on standard output, what went wrong on standard error.
pub(crate) fn print_results(program: &Program, report: &RunReport) -> Result<(), Fault> {
    write_results(program, report, &mut Out::new())?;
    if report.outcome == RunOutcome::Stopped {
        report::print_waiting_values(report);
    }
    Ok(())
}

/// Like [`print_results`], with results written to where the command writes.
pub(crate) fn write_results(program: &Program, report: &RunReport, out: &mut dyn Write) -> Result<(), Fault> {
    let mut write = || {
        for (name, value) in &report.results {
            writeln!(out, "{name} = {}", result_text(value))?;
        }
        out.flush()
    };
    write().map_err(Fault::Stdout)?;
    report::print_run(program, report);
    if report.outcome == RunOutcome::Failed {
        report::print_waiting_values(report);
    }
    if report.outcome == RunOutcome::Stopped && report.divergence.is_none() {
        message::print("stopped before the end\n");
    }
    Ok(())
}

/// Text of a result: vectors, matrices, maps and arrays of numbers as sessions show them, anything else on one line.
pub(super) fn result_text(value: &Value) -> String {
    let is_number = |item: &Value| matches!(item, Value::Int(_) | Value::Real(_));
    match value {
        Value::String(text) => text.to_string(),
        Value::Vector(_) | Value::Matrix(_) | Value::Map(_) => {
            Shown::new(value, &Limits::default()).to_string()
        }
        Value::Array(items) if items.iter().all(is_number) => {
            Shown::new(value, &Limits::default()).to_string()
        }
        value => value.to_string(),
    }
}
