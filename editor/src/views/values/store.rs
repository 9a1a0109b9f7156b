//! The values of the events of one record.

use std::collections::{BTreeMap, VecDeque};
use std::sync::OnceLock;

use hasse_debugger::ways::{PortWay, ways_from};
use hasse_model::event::{EventRecord, LocalState, Outcome};
use hasse_model::id::{ActionId, EventId, ObjectId};
use hasse_model::plan::{Access, Port};
use hasse_model::value::Value;
use rustc_hash::FxHashMap;

use crate::views::record::arrays::Record;
use crate::views::record::edges::Via;
use crate::views::search::texts::EventTexts;

/// A value that one event sent and another one took, or nobody did.
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    /// Arcs that it went along, in the order of travel, as positions in the program; empty where that is not known.
    pub arcs: Box<[u32]>,
    /// The event that sent it.
    pub sender: u32,
    /// The event that took it.
    pub taker: Option<u32>,
    /// Port of the receiving instance, such as `/Work[2].x`.
    pub port: String,
    /// The value.
    pub value: Value,
}

impl Passage {
    /// Whether the value waits on its port when the events before a position have ended.
    pub fn waits_at(&self, position: u32) -> bool {
        self.sender < position && self.taker.is_none_or(|taker| taker >= position)
    }
}

/// Content of a shared object before and after an event.
#[derive(Debug)]
struct Version {
    pub(super) event: u32,
    before: Value,
    /// `None` for a reader, and for a writer that failed.
    after: Option<Value>,
}

/// Values of events of one record.
#[derive(Debug, Default)]
pub struct Values {
    events: FxHashMap<u32, Box<LocalState>>,
    /// By sender.
    pub(super) passages: Vec<Passage>,
    /// Positions in `passages` by arc, ascending.
    of_arc: BTreeMap<u32, Vec<u32>>,
    /// By object, in the order of events.
    versions: BTreeMap<ObjectId, Vec<Version>>,
    /// Texts of the events for searches, made by the first one.
    texts: OnceLock<FxHashMap<u32, EventTexts>>,
}

impl Values {
    /// Texts of the events. Cost: linear in the record the first time, none after that.
    pub(in super::super) fn texts(&self, record: &Record) -> &FxHashMap<u32, EventTexts> {
        self.texts.get_or_init(|| {
            let events = 0..record.n_events();
            events.filter_map(|event| Some((event, EventTexts::of(self, event)?))).collect()
        })
    }

    /// Takes in events that a replay has made again. Cost: linear in their values.
    pub fn of(record: &Record, events: &[EventRecord]) -> Self {
        let instances: FxHashMap<ActionId, u32> =
            (0..).zip(record.instances()).map(|(at, instance)| (instance.id, at)).collect();
        let position = |id: EventId| record.event_at(*instances.get(&id.action)?, id.count);
        let mut values = Self::default();
        let mut known: Vec<(u32, &EventRecord, &LocalState)> = events
            .iter()
            .filter_map(|event| Some((position(event.id)?, event, event.local.as_deref()?)))
            .collect();
        known.sort_by_key(|(position, ..)| *position);
        let (mut unclaimed, mut left) = (Unclaimed::default(), Vec::new());
        for &(own, event, local) in &known {
            for (sent_idx, port) in &local.receivers {
                unclaimed.put(own, *sent_idx, port);
            }
            let mut ways = record.before(own).filter(|before| matches!(before.via, Via::Value(_)));
            for ((port, value), sender) in local.took.iter().zip(&event.flow) {
                let way = ways.next();
                let Some(sender) = position(*sender) else { continue };
                let arcs = match way.filter(|way| way.event == sender).map(|way| way.via) {
                    Some(Via::Value(Some(way))) => record.way(way),
                    _ => &[],
                };
                let port = format!("{}.{port}", record.instance_name(record.instance_of(own)));
                unclaimed.claim(sender, &port);
                let (arcs, value) = (arcs.into(), value.clone());
                values.passages.push(Passage { arcs, sender, taker: Some(own), port, value });
            }
            values.put_objects(own, event, local);
        }
        values.events = known.iter().map(|&(own, _, local)| (own, Box::new(local.clone()))).collect();
        values.passages.sort_by_key(|passage| passage.sender);
        for (own, event, local) in known {
            let unclaimed = values.unclaimed(record, &unclaimed, (own, event, local));
            left.extend(unclaimed);
        }
        values.passages.append(&mut left);
        // Those that nobody took were sent last, as far as is known.
        values.passages.sort_by_key(|passage| (passage.sender, passage.taker.unwrap_or(u32::MAX)));
        for (at, passage) in (0..).zip(&values.passages) {
            for &arc in &passage.arcs {
                values.of_arc.entry(arc).or_default().push(at);
            }
        }
        values
    }

    fn put_objects(&mut self, own: u32, event: &EventRecord, local: &LocalState) {
        for ((name, before), access) in local.shared_before.iter().zip(&event.shared) {
            let after = local.shared_after.iter().find(|(after, _)| after == name);
            let after = after.filter(|_| event.outcome == Outcome::Done && access.access == Access::Write);
            let after = after.map(|(_, value)| value.clone());
            let versions = self.versions.entry(access.object).or_default();
            versions.push(Version { event: own, before: before.clone(), after });
        }
    }

    /// The values of an event that no known event took: those that waited when the run ended, and those that events took
    /// whose own values are not known here.
    fn unclaimed(
        &self,
        record: &Record,
        unclaimed: &Unclaimed<'_>,
        (own, event, local): (u32, &EventRecord, &LocalState),
    ) -> Vec<Passage> {
        let left = unclaimed.of(own);
        let n_claimed = self.sent_by(own).len();
        // Ports with other names than the record has for them: nobody knows which of the values were taken.
        if left.is_empty() || (n_claimed + left.len()) as u64 != event.flow_successors {
            return Vec::new();
        }
        let mut after: Vec<u32> = record.after(own).to_vec();
        after.dedup();
        after.retain(|after| !self.events.contains_key(after));
        let mut takers: BTreeMap<String, VecDeque<(u32, Option<u32>)>> = BTreeMap::new();
        for &after in &after {
            for before in record.before(after).filter(|before| before.event == own) {
                if let Via::Value(way) = before.via {
                    let path = record.instance_name(record.instance_of(after));
                    takers.entry(path).or_default().push_back((after, way));
                }
            }
        }
        let mut passages = Vec::new();
        for (sent_idx, port) in left {
            let Some((sent_port, value)) = local.sent.get(sent_idx) else { continue };
            let path = port.rsplit_once('.').map_or(port, |(path, _)| path);
            let taker = takers.get_mut(path).and_then(VecDeque::pop_front);
            let arcs = match taker {
                Some((_, Some(way))) => record.way(way).into(),
                _ => arcs_between(record, own, sent_port, port).unwrap_or_default(),
            };
            let (port, value) = (port.to_owned(), value.clone());
            let taker = taker.map(|(taker, _)| taker);
            passages.push(Passage { arcs, sender: own, taker, port, value });
        }
        passages
    }

    /// Returns the values of an event.
    pub fn local(&self, event: u32) -> Option<&LocalState> {
        self.events.get(&event).map(|local| &**local)
    }

    /// Number of events whose values are known.
    pub fn n_events(&self) -> usize {
        self.events.len()
    }

    /// The values that an arc carried before a position, the last one first.
    pub fn carried(&self, arc: u32, position: u32) -> impl Iterator<Item = &Passage> {
        let of_arc = self.of_arc.get(&arc).map_or(&[][..], Vec::as_slice);
        let passages = of_arc.iter().rev().filter_map(|&at| self.passages.get(at as usize));
        passages.filter(move |passage| passage.sender < position)
    }

    /// The values that an event sent, with who took them, in the order of their takers.
    pub fn sent_by(&self, event: u32) -> &[Passage] {
        let start = self.passages.partition_point(|passage| passage.sender < event);
        let end = self.passages.partition_point(|passage| passage.sender <= event);
        &self.passages[start..end]
    }

    /// The content of an object when the events before a position have ended, with the event that wrote it; `None` where
    /// that is not known.
    pub fn object(&self, object: ObjectId, position: u32) -> Option<(&Value, Option<u32>)> {
        let versions = self.versions.get(&object)?;
        let end = versions.partition_point(|version| version.event < position);
        let written =
            versions[..end].iter().rev().find_map(|version| Some((version.after.as_ref()?, version)));
        match written {
            Some((value, version)) => Some((value, Some(version.event))),
            // Nobody has written it: it holds what its first user found.
            None => versions.first().map(|version| (&version.before, None)),
        }
    }

    /// The objects that some event accessed.
    pub fn objects(&self) -> impl Iterator<Item = ObjectId> + '_ {
        self.versions.keys().copied()
    }

    /// Vars of an instance after its last event before a position, by name. `None` where it had none, or its values are not
    /// known.
    pub fn vars(&self, record: &Record, instance: u32, position: u32) -> Option<&[(String, Value)]> {
        let events = record.events_of(instance);
        let last = *events.get(events.partition_point(|&event| event < position).checked_sub(1)?)?;
        let local = self.local(last)?;
        Some(match record.outcome(last) {
            Outcome::Done => &local.after,
            // Nothing of the event was kept.
            Outcome::Failed | Outcome::Stopped => &local.found,
        })
    }
}

/// Values by sender and port that no known event has taken. An event may send thousands: each is found without a look at the others.
#[derive(Default)]
struct Unclaimed<'e> {
    pub(super) waiting: BTreeMap<u32, BTreeMap<&'e str, VecDeque<usize>>>,
}

impl<'e> Unclaimed<'e> {
    fn put(&mut self, sender: u32, sent_idx: usize, port: &'e str) {
        self.waiting.entry(sender).or_default().entry(port).or_default().push_back(sent_idx);
    }

    /// Takes the first value of a sender away: values of one sender are taken in their order.
    fn claim(&mut self, sender: u32, port: &str) {
        if let Some(waiting) = self.waiting.get_mut(&sender).and_then(|ports| ports.get_mut(port)) {
            waiting.pop_front();
        }
    }

    fn of(&self, sender: u32) -> Vec<(usize, &'e str)> {
        let ports = self.waiting.get(&sender).into_iter().flatten();
        let mut left: Vec<(usize, &'e str)> =
            ports.flat_map(|(port, waiting)| waiting.iter().map(|&sent_idx| (sent_idx, *port))).collect();
        left.sort_unstable();
        left
    }
}

/// Arcs that lead from a port of an event's node to a port such as `/Work[2].x`; the first of several ways.
fn arcs_between(record: &Record, sender: u32, sent_port: &str, port: &str) -> Option<Box<[u32]>> {
    let base = |text: &str| text.split('[').next().unwrap_or(text).to_owned();
    let (path, port) = port.rsplit_once('.')?;
    let (node, port) = (base(path.rsplit('/').next()?), base(port));
    let plan = record.program().plan()?;
    let from = record.template_of(sender);
    let own = plan.templates.get(from as usize)?;
    let ways = ways_from(plan, from);
    let mut found: Vec<Vec<u32>> = Vec::new();
    for (to, target) in (0..).zip(&plan.templates).filter(|(_, target)| target.name == node) {
        let name = |ports: &[Port], at: usize| ports.get(at).map(|port| base(&port.name));
        let fits = |way: &&PortWay| {
            name(&own.outputs, way.source_port) == Some(base(sent_port))
                && name(&target.inputs, way.target_port).as_deref() == Some(&*port)
        };
        found.extend(ways.get(&to).into_iter().flatten().filter(fits).map(|way| way.arcs.clone()));
    }
    found.sort();
    found.into_iter().next().map(Into::into)
}
