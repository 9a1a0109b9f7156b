//! Lineage of a value: the event that made it, and the values from which that event made it, back to where nothing
//! was taken.

use std::collections::BTreeSet;

use super::store::Values;
use crate::views::record::arrays::Record;
use crate::views::record::edges::Via;

/// Most steps of one lineage.
const MOST_STEPS: usize = 60;
/// Most events one after the other.
const MOST_DEPTH: usize = 12;

/// A step back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineageStep {
    /// Number of events between it and the value.
    pub depth: usize,
    /// The event that made the value of the step before it.
    pub event: u32,
    /// Way by which its value went on: an arc, an object.
    pub origin: Origin,
    /// Whether its own causes are listed at an earlier step.
    pub is_repeated: bool,
}

/// Ways by which the value of a step went on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It is the event that was asked for.
    Own,
    /// It sent a value, with its text as far as that is known.
    Value(Option<String>),
    /// It wrote an object, with its path.
    Object(String),
    /// It is the execution before, which left the vars.
    Vars,
}

impl Values {
    /// The events from whose values an event made its own, nearest first, depth first. Values of vars go back to the event
    /// that left them where the program's node has vars. Cost: bounded by 60 steps.
    pub fn lineage(&self, record: &Record, event: u32) -> Vec<LineageStep> {
        let mut steps = Vec::new();
        let mut seen = BTreeSet::new();
        self.put_steps(record, event, (0, Origin::Own), &mut seen, &mut steps);
        steps
    }

    fn put_steps(
        &self,
        record: &Record,
        event: u32,
        (depth, origin): (usize, Origin),
        seen: &mut BTreeSet<u32>,
        steps: &mut Vec<LineageStep>,
    ) {
        if steps.len() >= MOST_STEPS {
            return;
        }
        let is_repeated = !seen.insert(event);
        steps.push(LineageStep { depth, event, origin, is_repeated });
        if is_repeated || depth == MOST_DEPTH {
            return;
        }
        let has_vars = self.local(event).is_none_or(|local| !local.found.is_empty());
        let mut took = self.local(event).map(|local| local.took.iter()).unwrap_or_default();
        for before in record.before(event) {
            let origin = match before.via {
                Via::Value(_) => Origin::Value(
                    took.next()
                        .map(|(port, value)| format!("{port} = {}", crate::views::value::summary(value))),
                ),
                // Who read an object earlier made nothing of what is in it.
                Via::Read(object) | Via::Write(object) | Via::Relayed(object) => {
                    Origin::Object(record.names().object(object).to_string())
                }
                Via::Sequence if has_vars => Origin::Vars,
                Via::Sequence | Via::Overwrite(_) => continue,
            };
            self.put_steps(record, before.event, (depth + 1, origin), seen, steps);
        }
    }
}
