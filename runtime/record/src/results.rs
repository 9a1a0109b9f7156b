//! Named results: the last one in causal order wins, concurrent ones are an error of the program.

use std::collections::BTreeMap;

use hasse_model::diagnostic::Location;
use hasse_model::id::EventId;
use hasse_model::snapshot::ResultState;
use hasse_model::value::Value;
use hasse_request::report::{RunError, SeenValue};
use parking_lot::Mutex;

use crate::result_order::ResultOrder;

/// The results of a run: by name, the latest ones of which none is before another.
#[derive(Default)]
pub struct Results(Mutex<BTreeMap<String, Vec<Latest>>>);

struct Latest {
    event: EventId,
    path: String,
    value: Value,
}

impl Results {
    /// Notes the results that an event set; `known` are the result-setting events before it, or nothing where each result
    /// is set by one action.
    pub fn set(
        &self,
        results: &mut Vec<(String, Value)>,
        event: EventId,
        path: &str,
        known: Option<&ResultOrder>,
    ) {
        let mut all_latest = self.0.lock();
        for (name, value) in results.drain(..) {
            let latest = all_latest.entry(name).or_default();
            latest.retain(|earlier| {
                earlier.event != event && known.is_some_and(|known| !known.knows(earlier.event))
            });
            latest.push(Latest { event, path: path.to_owned(), value });
        }
    }

    /// The latest results of each name, for a snapshot.
    pub fn state(&self) -> Vec<ResultState> {
        let all_latest = self.0.lock();
        let latest = all_latest.iter().flat_map(|(name, latest)| latest.iter().map(move |set| (name, set)));
        let state = latest.map(|(name, Latest { event, path, value })| ResultState {
            name: name.clone(),
            event: *event,
            path: path.clone(),
            value: value.clone(),
        });
        state.collect()
    }

    /// Goes on with the results of a snapshot.
    pub fn resume(&self, state: &[ResultState]) {
        let mut all_latest = self.0.lock();
        for ResultState { name, event, path, value } in state {
            let latest = Latest { event: *event, path: path.clone(), value: value.clone() };
            all_latest.entry(name.clone()).or_default().push(latest);
        }
    }

    /// Takes out the results by name, and an error for each name that was set concurrently.
    pub fn finish(&self) -> (Vec<(String, Value)>, Vec<RunError>) {
        let mut results = Vec::new();
        let mut errors = Vec::new();
        for (name, mut latest) in std::mem::take(&mut *self.0.lock()) {
            latest.sort_by(|left, right| left.path.cmp(&right.path));
            if let [first, second, ..] = latest.as_slice() {
                errors.push(RunError {
                    code: "R0002",
                    event: first.path.clone(),
                    message: format!(
                        "result `{name}` was set by {} and by {}, and neither is before the other",
                        first.path, second.path
                    ),
                    at: Location::default(),
                    values: [first, second].map(|set| SeenValue::new(&set.path, &set.value)).to_vec(),
                });
            } else if let Some(only) = latest.pop() {
                results.push((name, only.value));
            }
        }
        (results, errors)
    }
}
