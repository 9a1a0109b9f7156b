//! The arrays of a record.

use std::collections::BTreeMap;
use std::sync::Arc;

use hasse_model::event::{LocalState, Outcome};
use hasse_model::id::{ActionId, EventId, ObjectId};
use hasse_model::trace::{Names, RecordingMode, TraceHeader};
use rustc_hash::FxHashMap;

use super::edges::{Before, Grouped, Via};
use crate::views::program::ProgramMap;

/// An instance of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// Its id within the run.
    pub id: ActionId,
    /// Position of its template in the program; `u32::MAX` where that is not known.
    pub template: u32,
}

/// The arrays that grow with the events.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns {
    pub(super) action: Vec<u32>,
    pub(super) count: Vec<u32>,
    pub(super) rule: Vec<i16>,
    pub(super) outcome: Vec<u8>,
    pub(super) level: Vec<u32>,
    pub(super) routes: Vec<u32>,
    pub(super) n_sent: Vec<u32>,
    /// Empty in a record without times.
    pub(super) start: Vec<u64>,
    pub(super) end: Vec<u64>,
    pub(super) worker: Vec<u16>,
    /// Where the predecessors of each event end.
    pub(super) before_end: Vec<u32>,
    pub(super) before: Vec<u32>,
    pub(super) via: Vec<u32>,
}

/// A record.
#[derive(Debug)]
pub struct Record {
    pub(super) header: Arc<TraceHeader>,
    pub(super) names: Names,
    pub(super) program: Arc<ProgramMap>,
    pub(super) instances: Vec<Instance>,
    /// Instances that were created and never executed.
    pub(super) idle: Vec<Instance>,
    /// Positions of instances by template, graph instance and index.
    pub(super) ranked: Vec<u32>,
    pub(super) columns: Columns,
    pub(super) after: Grouped,
    pub(super) events_of: Grouped,
    pub(super) ways: Vec<Box<[u32]>>,
    pub(super) route_lists: Vec<Box<[u32]>>,
    /// Number of accesses by object, instance, and whether they may write.
    pub(super) accesses: BTreeMap<(ObjectId, u32, bool), u64>,
    pub(super) errors: BTreeMap<u32, String>,
    pub(super) values: FxHashMap<u32, Box<LocalState>>,
    pub(super) n_workers: usize,
    pub(super) n_levels: u32,
    /// First start and last end.
    pub(super) span: Option<(u64, u64)>,
    pub(super) notes: Vec<String>,
}

impl Record {
    /// What the trace says before its first event.
    pub fn header(&self) -> &Arc<TraceHeader> {
        &self.header
    }

    /// Names of instances and objects.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// The program that was run.
    pub fn program(&self) -> &Arc<ProgramMap> {
        &self.program
    }

    /// How much was recorded.
    pub fn mode(&self) -> RecordingMode {
        self.header.mode
    }

    /// Number of events.
    pub fn n_events(&self) -> u32 {
        self.columns.action.len() as u32
    }

    /// Whether there are no events.
    pub fn is_empty(&self) -> bool {
        self.columns.action.is_empty()
    }

    /// What a person must be told about how complete this is; empty for a whole record.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The instances that executed, in the order of their first event.
    pub fn instances(&self) -> &[Instance] {
        &self.instances
    }

    /// Positions of instances by template, graph instance and index: the order in which they are shown.
    pub fn ranked(&self) -> &[u32] {
        &self.ranked
    }

    /// Position of the instance that executed.
    pub fn instance_of(&self, event: u32) -> u32 {
        self.columns.action.get(event as usize).copied().unwrap_or(u32::MAX)
    }

    /// Position of the template of an event's instance.
    pub fn template_of(&self, event: u32) -> u32 {
        self.template_of_instance(self.instance_of(event))
    }

    /// Position of an instance's template.
    pub fn template_of_instance(&self, instance: u32) -> u32 {
        self.instance(instance).map_or(u32::MAX, |instance| instance.template)
    }

    /// An instance by position: those that never executed come after the others.
    pub fn instance(&self, instance: u32) -> Option<&Instance> {
        let at = instance as usize;
        self.instances.get(at).or_else(|| self.idle.get(at.checked_sub(self.instances.len())?))
    }

    /// Positions of the instances that were created and never executed, by node, graph instance and index.
    pub fn idle(&self) -> impl Iterator<Item = u32> + '_ {
        (self.instances.len() as u32..).take(self.idle.len())
    }

    /// Which of its instance's executions an event is, from 1.
    pub fn count(&self, event: u32) -> u32 {
        self.columns.count.get(event as usize).copied().unwrap_or(0)
    }

    /// Length of the longest chain of orderings that ends in an event, from 0.
    pub fn level(&self, event: u32) -> u32 {
        self.columns.level.get(event as usize).copied().unwrap_or(0)
    }

    /// Number of different levels.
    pub fn n_levels(&self) -> u32 {
        self.n_levels
    }

    /// How an event ended.
    pub fn outcome(&self, event: u32) -> Outcome {
        match self.columns.outcome.get(event as usize) {
            Some(1) => Outcome::Failed,
            Some(2) => Outcome::Stopped,
            _ => Outcome::Done,
        }
    }

    /// Position of the firing rule taken; -1 for the first execution of a start node.
    pub fn rule(&self, event: u32) -> i32 {
        self.columns.rule.get(event as usize).map_or(-1, |&rule| i32::from(rule))
    }

    /// Positions of the routing rules taken.
    pub fn routes(&self, event: u32) -> &[u32] {
        let list = self.columns.routes.get(event as usize);
        list.and_then(|list| self.route_lists.get(*list as usize)).map_or(&[], |routes| routes)
    }

    /// Number of values sent along arcs.
    pub fn n_sent(&self, event: u32) -> u32 {
        self.columns.n_sent.get(event as usize).copied().unwrap_or(0)
    }

    /// Whether events have times.
    pub fn is_timed(&self) -> bool {
        !self.columns.start.is_empty()
    }

    /// Start and end of an event in nanoseconds from the start of the run; `None` in a record without times.
    pub fn times(&self, event: u32) -> Option<(u64, u64)> {
        let event = event as usize;
        Some((*self.columns.start.get(event)?, *self.columns.end.get(event)?))
    }

    /// The first start and the last end.
    pub fn span(&self) -> Option<(u64, u64)> {
        self.span
    }

    /// The worker that executed an event; 0 in a record without times.
    pub fn worker(&self, event: u32) -> u16 {
        self.columns.worker.get(event as usize).copied().unwrap_or(0)
    }

    /// Number of workers; at least 1.
    pub fn n_workers(&self) -> usize {
        self.n_workers
    }

    /// The immediate predecessors of an event: its instance's event before it, then those by values in the order of
    /// removal, then those by objects. One event may be there several times.
    pub fn before(&self, event: u32) -> impl ExactSizeIterator<Item = Before> + '_ {
        let event = event as usize;
        let ends = &self.columns.before_end;
        let end = ends.get(event).copied().unwrap_or(0) as usize;
        let start = event.checked_sub(1).and_then(|before| ends.get(before)).copied().unwrap_or(0) as usize;
        let start = start.min(end);
        let events = self.columns.before[start..end].iter();
        events
            .zip(&self.columns.via[start..end])
            .map(|(&event, &via)| Before { event, via: Via::unpack(via) })
    }

    /// The immediate successors of an event, ascending; one may be there several times.
    pub fn after(&self, event: u32) -> &[u32] {
        self.after.get(event)
    }

    /// The events of an instance, ascending.
    pub fn events_of(&self, instance: u32) -> &[u32] {
        self.events_of.get(instance)
    }

    /// Number of ways by which values came.
    pub fn n_ways(&self) -> usize {
        self.ways.len()
    }

    /// The arcs of a way, in the order of travel, as positions in the program's arcs.
    pub fn way(&self, way: u32) -> &[u32] {
        self.ways.get(way as usize).map_or(&[], |arcs| arcs)
    }

    /// Number of accesses by object, instance, and whether they may write.
    pub fn accesses(&self) -> &BTreeMap<(ObjectId, u32, bool), u64> {
        &self.accesses
    }

    /// The values of an event, where they were recorded.
    pub fn values(&self, event: u32) -> Option<&LocalState> {
        self.values.get(&event).map(|values| &**values)
    }

    /// What went wrong in a failed event.
    pub fn error(&self, event: u32) -> Option<&str> {
        self.errors.get(&event).map(String::as_str)
    }

    /// The id of an event in the run.
    pub fn event_id(&self, event: u32) -> Option<EventId> {
        let instance = self.instances.get(self.instance_of(event) as usize)?;
        Some(EventId { action: instance.id, count: u64::from(self.count(event)) })
    }

    /// The path of an event, such as `/Mult[3]:2`.
    pub fn event_name(&self, event: u32) -> String {
        self.event_id(event).map_or_else(String::new, |id| self.names.event(id).to_string())
    }

    /// The path of an instance, such as `/Mult[3]`.
    pub fn instance_name(&self, instance: u32) -> String {
        let known = self.instance(instance);
        known.map_or_else(String::new, |known| self.names.action(known.id).to_string())
    }

    /// The label of a template.
    pub fn template_label(&self, template: u32) -> &str {
        self.program.templates().get(template as usize).map_or("?", |node| &node.label)
    }

    /// The last part of an instance's path, such as `Mult[3]`.
    pub fn short_name(&self, instance: u32) -> String {
        let known = self.instance(instance);
        let place = known.and_then(|known| self.names.place_of_action(known.id));
        place.map_or_else(|| "?".to_owned(), |(_, name, index)| format!("{name}{index}"))
    }

    /// The event of an instance with a count from 1.
    pub fn event_at(&self, instance: u32, count: u64) -> Option<u32> {
        let events = self.events_of(instance);
        let at = usize::try_from(count.checked_sub(1)?).ok()?;
        // Counts are without gaps but where a record was cut or restricted by events.
        let direct = events.get(at).copied().filter(|&event| u64::from(self.count(event)) == count);
        direct.or_else(|| {
            let found = events.binary_search_by_key(&count, |&event| u64::from(self.count(event)));
            found.ok().map(|at| events[at])
        })
    }

    /// A number for each path of an instance. Cost: linear in the instances.
    pub fn instances_by_path(&self) -> FxHashMap<String, u32> {
        (0..self.instances.len() as u32).map(|instance| (self.instance_name(instance), instance)).collect()
    }

    /// The event with a path such as `/Mult[3]:2`. `instances` is what [`instances_by_path`](Self::instances_by_path)
    /// gives.
    pub fn event_named(&self, instances: &FxHashMap<String, u32>, path: &str) -> Option<u32> {
        let (instance, count) = path.rsplit_once(':')?;
        self.event_at(*instances.get(instance)?, count.parse().ok()?)
    }

    /// About how many bytes this takes.
    pub fn n_bytes(&self) -> usize {
        let columns = &self.columns;
        let per_event = 4 * 6 + 2 + 1 + if columns.start.is_empty() { 0 } else { 18 };
        let n_events = columns.action.len();
        n_events * (per_event + 8) + columns.before.len() * 12 + self.instances.len() * 64
    }
}
