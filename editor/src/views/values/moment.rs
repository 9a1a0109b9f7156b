//! The state of a moment of playback: vars of instances, shared objects, values that wait.

use std::collections::BTreeMap;

use hasse_model::value::Value;

use super::store::{Passage, Values};
use crate::views::record::arrays::Record;

/// Most instances whose vars are listed.
const MOST_INSTANCES: usize = 300;
/// Most ports whose values are listed.
const MOST_PORTS: usize = 300;
/// Most values of one port that are listed.
const MOST_WAITING: usize = 20;

/// Kinds of rows of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeldKind {
    /// The head of the rows about one instance or port.
    Head,
    /// A var of the instance above.
    Var,
    /// A shared object.
    Object,
    /// A value that waits on the port above.
    Waiting,
    /// The number of rows that are left out.
    More,
}

/// A row of the state of a moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    /// Its kind.
    pub kind: HeldKind,
    /// Name of a var or object, path of an instance or port, position of a waiting value.
    pub name: String,
    /// The value; `None` for heads, and where it is not known.
    pub value: Option<Value>,
    /// The event that made the value.
    pub event: Option<u32>,
    /// A number of executions, the sender of a value.
    pub note: String,
}

impl Held {
    fn head(name: String, note: String) -> Self {
        Self { kind: HeldKind::Head, name, value: None, event: None, note }
    }

    fn more(n_more: usize, what: &str) -> Self {
        let name = format!("{n_more} more {what}");
        Self { kind: HeldKind::More, name, value: None, event: None, note: String::new() }
    }
}

impl Values {
    /// The state when the events before a position have ended: objects, values that wait, vars of the instances that have
    /// any. Cost: linear in instances, objects and known passages.
    pub fn moment(&self, record: &Record, position: u32) -> Vec<Held> {
        let mut rows = Vec::new();
        self.put_objects_at(record, position, &mut rows);
        self.put_waiting_at(record, position, &mut rows);
        self.put_vars_at(record, position, &mut rows);
        rows
    }

    fn put_objects_at(&self, record: &Record, position: u32, rows: &mut Vec<Held>) {
        let mut objects: Vec<(String, Held)> = Vec::new();
        for object in self.objects() {
            let Some((value, event)) = self.object(object, position) else { continue };
            let name = record.names().object(object).to_string();
            let note = match event {
                Some(event) => format!("by {}", record.event_name(event)),
                None => "as created".to_owned(),
            };
            let held =
                Held { kind: HeldKind::Object, name: name.clone(), value: Some(value.clone()), event, note };
            objects.push((name, held));
        }
        objects.sort_by(|one, other| one.0.cmp(&other.0));
        rows.extend(objects.into_iter().map(|(_, held)| held));
    }

    fn put_vars_at(&self, record: &Record, position: u32, rows: &mut Vec<Held>) {
        let mut n_instances = 0;
        let mut n_more = 0;
        for &instance in record.ranked() {
            let events = record.events_of(instance);
            let n_events = events.partition_point(|&event| event < position);
            let Some(vars) = self.vars(record, instance, position).filter(|vars| !vars.is_empty()) else {
                continue;
            };
            n_instances += 1;
            if n_instances > MOST_INSTANCES {
                n_more += 1;
                continue;
            }
            let note = hasse_model::quantity::counted(n_events as u64, "execution");
            rows.push(Held::head(record.instance_name(instance), note));
            let event = n_events.checked_sub(1).and_then(|last| events.get(last).copied());
            rows.extend(vars.iter().map(|(name, value)| Held {
                kind: HeldKind::Var,
                name: name.clone(),
                value: Some(value.clone()),
                event,
                note: String::new(),
            }));
        }
        if n_more > 0 {
            rows.push(Held::more(n_more, "instances"));
        }
    }

    fn put_waiting_at(&self, record: &Record, position: u32, rows: &mut Vec<Held>) {
        let mut ports: BTreeMap<&str, Vec<&Passage>> = BTreeMap::new();
        for passage in self.passages.iter().filter(|passage| passage.waits_at(position)) {
            ports.entry(&passage.port).or_default().push(passage);
        }
        let n_more = ports.len().saturating_sub(MOST_PORTS);
        for (port, mut waiting) in ports.into_iter().take(MOST_PORTS) {
            // The order in which they will be taken; those that nobody takes, as they were sent.
            waiting.sort_by_key(|passage| (passage.taker.unwrap_or(u32::MAX), passage.sender));
            let note = match waiting.len() {
                1 => "1 value waits".to_owned(),
                n => format!("{n} values wait"),
            };
            rows.push(Held::head(port.to_owned(), note));
            rows.extend(waiting.iter().take(MOST_WAITING).enumerate().map(|(at, passage)| Held {
                kind: HeldKind::Waiting,
                name: (at + 1).to_string(),
                value: Some(passage.value.clone()),
                event: Some(passage.sender),
                note: format!("from {}", record.event_name(passage.sender)),
            }));
            if waiting.len() > MOST_WAITING {
                rows.push(Held::more(waiting.len() - MOST_WAITING, "values"));
            }
        }
        if n_more > 0 {
            rows.push(Held::more(n_more, "ports"));
        }
    }
}
