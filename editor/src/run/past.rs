//! Runs that are over: what each was given, how it ended, and two of them side by side.

use std::collections::BTreeSet;
use std::path::PathBuf;

use hasse_model::show::{Limits, Shown};
use hasse_model::value::Value;

use super::ended::{Ended, duration_text};
use super::options::{Mode, Options};

/// Most runs that are remembered.
pub const MOST_RUNS: usize = 100;

/// A run.
#[derive(Clone, Debug, PartialEq)]
pub struct PastRun {
    /// Its number, from 1 for the first since the window was opened.
    pub number: u64,
    /// Its options.
    pub options: Options,
    /// Its mode.
    pub mode: Mode,
    /// How it ended; `None` while it is under way, and where nothing was executed.
    pub ended: Option<Ended>,
    /// The file of its record, where it has one.
    pub record: Option<PathBuf>,
}

impl PastRun {
    /// The mode, parameters and seed, such as `full, n = 8, seed 7`.
    pub fn given(&self) -> String {
        let mut parts = vec![self.mode.name().to_owned()];
        parts.extend(self.options.params.iter().map(|(name, text)| format!("{name} = {text}")));
        parts.extend(self.options.seed.map(|seed| format!("seed {seed}")));
        parts.extend(self.options.n_workers.map(|n_workers| match n_workers {
            1 => "1 worker".to_owned(),
            n_workers => format!("{n_workers} workers"),
        }));
        parts.join(", ")
    }

    /// The outcome with its duration, such as `finished, 1.20 ms`.
    pub fn outcome(&self) -> String {
        match &self.ended {
            Some(ended) => format!("{}, {}", ended.name(), duration_text(ended.duration)),
            None if self.mode == Mode::PostMortem => "looked at".to_owned(),
            None => "under way".to_owned(),
        }
    }

    /// Its results; none while it is under way.
    pub fn results(&self) -> &[(String, Value)] {
        self.ended.as_ref().map_or(&[], |ended| ended.results.as_slice())
    }
}

/// A result of two runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// Its name.
    pub name: String,
    /// Its value in each run on one line; `None` where a run has no such result.
    pub values: [Option<String>; 2],
    /// Whether the values are the same.
    pub is_same: bool,
}

/// The results of two runs side by side, by name.
pub fn compared(left: &PastRun, right: &PastRun) -> Vec<Compared> {
    let named = |run: &PastRun, name: &str| {
        run.results().iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    };
    let line = |value: &Value| {
        let shown = Shown::new(value, &Limits::one_line());
        shown.lines().first().cloned().unwrap_or_default()
    };
    let names: BTreeSet<&str> =
        left.results().iter().chain(right.results()).map(|(name, _)| name.as_str()).collect();
    let compare = |name: &str| {
        let values = [named(left, name), named(right, name)];
        let is_same = match &values {
            [Some(one), Some(other)] => is_same(one, other),
            _ => false,
        };
        Compared { name: name.to_owned(), values: values.map(|value| value.as_ref().map(line)), is_same }
    };
    names.into_iter().map(compare).collect()
}

/// Equality of values in which NaN equals NaN.
fn is_same(left: &Value, right: &Value) -> bool {
    let are_same = |left: &[f64], right: &[f64]| {
        let is_same = |(left, right): (&f64, &f64)| left == right || left.is_nan() && right.is_nan();
        left.len() == right.len() && left.iter().zip(right).all(is_same)
    };
    match (left, right) {
        (Value::Real(left), Value::Real(right)) => are_same(&[*left], &[*right]),
        (Value::Vector(left), Value::Vector(right)) => are_same(left, right),
        (Value::Matrix(left), Value::Matrix(right)) => {
            left.n_rows() == right.n_rows() && are_same(left.entries(), right.entries())
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left.iter().zip(right.iter()).all(|(left, right)| is_same(left, right))
        }
        (Value::Map(left), Value::Map(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right.iter())
                    .all(|(left, right)| left.0 == right.0 && is_same(left.1, right.1))
        }
        (Value::Struct(left), Value::Struct(right)) => {
            left.shape() == right.shape()
                && left.fields().iter().zip(right.fields()).all(|(left, right)| is_same(left, right))
        }
        (left, right) => left == right,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use hasse_runtime::report::RunOutcome;

    use super::*;

    fn run(results: Vec<(&str, Value)>) -> PastRun {
        let results = results.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        PastRun {
            number: 1,
            options: Options { seed: Some(7), ..Options::new() },
            mode: Mode::Full,
            ended: Some(Ended {
                outcome: RunOutcome::Finished,
                reason: String::new(),
                n_events: 9,
                duration: Duration::from_micros(1200),
                failures: Vec::new(),
                cycle: Vec::new(),
                waits: None,
                results: Arc::new(results),
            }),
            record: None,
        }
    }

    #[test]
    fn results_are_compared_by_name() {
        let left = run(vec![("a", Value::Int(1)), ("n", Value::Real(f64::NAN)), ("only", Value::Unit)]);
        let right = run(vec![("a", Value::Int(2)), ("n", Value::Real(f64::NAN))]);
        let rows = compared(&left, &right);
        let told: Vec<(&str, bool)> = rows.iter().map(|row| (row.name.as_str(), row.is_same)).collect();
        assert_eq!(told, [("a", false), ("n", true), ("only", false)]);
        assert_eq!(rows[0].values, [Some("1".to_owned()), Some("2".to_owned())]);
        assert_eq!(rows[2].values[1], None);
    }

    #[test]
    fn run_is_described_by_what_it_was_given_and_its_outcome() {
        let mut known = run(Vec::new());
        known.options.params.insert("n".to_owned(), "8".to_owned());
        known.options.n_workers = Some(1);
        assert_eq!(known.given(), "full, n = 8, seed 7, 1 worker");
        assert_eq!(known.outcome(), "finished, 1.20 ms");
        known.ended = None;
        assert_eq!(known.outcome(), "under way");
    }
}
