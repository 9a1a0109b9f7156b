//! The cut: the record of a part of a run.

use std::collections::{BTreeSet, HashMap};
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use hasse_debugger::read::Feed;
use hasse_model::event::{Effect, EventBatch, EventRecord, GraphRecord, QueueChange};
use hasse_model::id::{ActionId, EventId, GraphInstanceId, ObjectId};
use hasse_model::plan::Plan;
use hasse_model::snapshot::{ActionState, QueueState, SentValue, Snapshot};
use hasse_model::trace::{Names, RecordingMode, TraceFooter, TraceHeader};
use hasse_runtime::run::{EventSink, RunOptions};

use super::crossing::{Crossings, Gatherer, capture_of};
use super::error::CutError;
use super::part::Part;
use super::past::Pasts;
use super::versions::Versions;
use crate::Recorded;
use crate::api::event::Ground;
use crate::api::moment::{DEFAULT_STATE_BYTES, Timeline, with_every_event};
use crate::api::trace::TraceSink;

/// Number of events in a batch.
const BATCH_EVENTS: usize = 1 << 14;

/// The record of a part of a run.
#[derive(Debug)]
pub struct Cut {
    header: TraceHeader,
    batches: Vec<EventBatch>,
    footer: TraceFooter,
    n_kept: u64,
}

impl Cut {
    /// Cuts a record: keeps the graph instances and actions that the selectors name. A selector is a path such as `/Part[2]`, a node
    /// or a call, or the name of a graph for all of its instances.
    ///
    /// Cost: two replays of the run, and memory for the events and for what came out of the holes.
    ///
    /// # Errors
    /// A selector cannot be used, nothing is kept, or the record cannot be replayed or cut.
    pub fn new(ground: Ground<'_>, selectors: &[String]) -> Result<Self, CutError> {
        if ground.recorded.header.kept.is_some() {
            return Err(CutError::HasHoles);
        }
        if ground.recorded.header.base.is_some() {
            return Err(CutError::Changed);
        }
        let mut recorded = with_every_event(ground)?;
        recorded.record.batches.iter_mut().for_each(EventBatch::unfold);
        let timeline = Timeline::new(ground.plan, recorded.clone(), ground.options, DEFAULT_STATE_BYTES)?;
        let n_events = timeline.moments().n_events();
        let end = timeline.state(n_events)?;
        let names = timeline.names_at(&end);
        let part = Part::new(ground.plan, &names, &end, selectors)?;
        refuse_drops(&recorded, &names, &part)?;
        let found = Arc::new(Mutex::new(Crossings::default()));
        let options =
            RunOptions { capture: capture_of(ground.plan, &part), control: None, ..timeline.options() };
        timeline.pass(0, n_events, &options, Some(Box::new(Gatherer::new(&part, &found))))?;
        let mut crossings = std::mem::take(&mut *found.lock().unwrap_or_else(PoisonError::into_inner));
        crossings.finish();
        if let Some(event) = crossings.unfit {
            return Err(CutError::NoValue { event: names.event(event).to_string() });
        }
        let cutting =
            Cutting { plan: ground.plan, recorded: &recorded, names: &names, part: &part, end: &end };
        let cut = cutting.cut(crossings)?;
        match cut.n_kept {
            0 => Err(CutError::NothingKept { selectors: selectors.to_vec() }),
            _ => Ok(cut),
        }
    }

    /// Number of events of kept actions.
    pub fn n_kept(&self) -> u64 {
        self.n_kept
    }

    /// Number of events outside that are recorded as senders, or before one that sent something.
    pub fn n_senders(&self) -> u64 {
        self.footer.n_events - self.n_kept
    }

    /// Header of the record.
    pub fn header(&self) -> &TraceHeader {
        &self.header
    }

    /// Writes the record as a trace.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write<W: Write + Send>(&self, out: W) -> io::Result<()> {
        let mut sink = TraceSink::new(out, &self.header)?;
        self.batches.iter().try_for_each(|batch| sink.take_batch(batch))?;
        sink.close(self.footer.clone())
    }
}

/// Refuses a part in which a full port has dropped values: which ones depends on values from outside.
fn refuse_drops(recorded: &Recorded, names: &Names, part: &Part) -> Result<(), CutError> {
    let edits = recorded.record.batches.iter().flat_map(|batch| &batch.edits);
    for edit in edits.filter(|edit| matches!(edit.change, QueueChange::NoRoom(_))) {
        if part.templates.contains(&edit.template) {
            let label = names.template_name(edit.template).unwrap_or("?");
            return Err(CutError::Drops { port: format!("{label}.{}", edit.port) });
        }
    }
    Ok(())
}

/// Ingredients of a cut.
struct Cutting<'c> {
    plan: &'c Plan,
    recorded: &'c Recorded,
    names: &'c Names,
    part: &'c Part,
    /// The state at the end of the run.
    end: &'c Snapshot,
}

impl Cutting<'_> {
    fn cut(&self, crossings: Crossings) -> Result<Cut, CutError> {
        let senders = self.senders();
        let (mut outside, mut kept) = (Vec::new(), Vec::new());
        let mut pasts = Pasts::new(crossings.setters);
        let mut versions = Versions::default();
        let mut feed = Feed::new(Names::new(&self.recorded.header));
        for batch in &self.recorded.record.batches {
            feed.lend(batch, &mut |event, _| {
                if self.part.keeps(event.id.action) {
                    let contents = |at: usize| crossings.contents.get(&(event.id, at));
                    kept.push(kept_event(event, contents, &mut versions, &pasts));
                } else if senders.get(&event.id.action).is_some_and(|last| event.id.count <= *last) {
                    outside.push(sender_event(event));
                }
                pasts.add(event);
            })?;
        }
        let actions = self.actions_of_base(&senders, crossings.values, &pasts);
        let announced = self.announced(&outside, &kept);
        let n_kept = kept.len() as u64;
        let base = self.base(outside.len() as u64, actions);
        let idle = self.idle_actions();
        let footer = TraceFooter {
            outcome: self.recorded.outcome().unwrap_or(TraceFooter::CUT_OFF).to_owned(),
            n_events: n_kept + outside.len() as u64,
            n_executed: n_kept + outside.len() as u64,
            n_actions: (announced.actions.len() + idle.len()) as u64,
            idle_graphs: self.graphs_around(idle.iter().map(|action| action.graph)),
            idle_actions: idle,
            digest: None,
        };
        let header = TraceHeader {
            mode: RecordingMode::Holes,
            base: Some(Arc::new(base)),
            kept: Some(Arc::new(self.part.to_kept(self.plan))),
            ..self.recorded.header.clone()
        };
        let mut batches = vec![announced];
        for event in outside.into_iter().chain(kept) {
            let mut event = event;
            match batches.last_mut().filter(|batch| batch.n_events() < BATCH_EVENTS) {
                Some(batch) => batch.push(&mut event),
                None => {
                    let mut batch = EventBatch::default();
                    batch.push(&mut event);
                    batches.push(batch);
                }
            }
        }
        Ok(Cut { header, batches, footer, n_kept })
    }

    /// The outside actions that sent values to kept ones, each with its last event that did.
    fn senders(&self) -> HashMap<ActionId, u64> {
        let mut senders: HashMap<ActionId, u64> = HashMap::default();
        let mut add = |sender: EventId| {
            if !self.part.keeps(sender.action) {
                let last = senders.entry(sender.action).or_default();
                *last = sender.count.max(*last);
            }
        };
        let rows = self.recorded.record.batches.iter().flat_map(EventBatch::rows);
        rows.filter(|row| self.part.keeps(row.id.action))
            .for_each(|row| row.flow.iter().copied().for_each(&mut add));
        let kept = self.end.actions.iter().filter(|action| self.part.keeps(action.record.action));
        let waiting = kept.flat_map(|action| &action.queues).flat_map(|queue| &queue.values);
        waiting.filter_map(|sent| sent.sender).for_each(add);
        senders
    }

    /// The actions of the base: kept ones that start, or to which something comes from outside, and the senders outside.
    fn actions_of_base(
        &self,
        senders: &HashMap<ActionId, u64>,
        mut taken: HashMap<ActionId, Vec<super::crossing::Crossing>>,
        pasts: &Pasts,
    ) -> Vec<ActionState> {
        let mut actions = Vec::new();
        for action in &self.end.actions {
            let template = self.plan.template(action.record.template);
            let mut state = ActionState {
                record: action.record.clone(),
                count: 0,
                first_rule: 0,
                has_failed: false,
                must_start: false,
                vars: None,
                queues: Vec::new(),
                known: Vec::new(),
            };
            if self.part.keeps(action.record.action) {
                state.must_start = template.is_start && template.graph == self.plan.main;
                for value in taken.remove(&action.record.action).unwrap_or_default() {
                    let known = pasts.of(value.sender);
                    let sent = SentValue { value: value.value, sender: Some(value.sender), known };
                    enqueue(&mut state.queues, &value.port, &value.elements, sent);
                }
                for queue in &action.queues {
                    let is_outside =
                        |sent: &&SentValue| sent.sender.is_some_and(|sender| !self.part.keeps(sender.action));
                    for sent in queue.values.iter().filter(is_outside) {
                        let known = sent.sender.map(|sender| pasts.of(sender)).unwrap_or_default();
                        let sent = SentValue { known, ..sent.clone() };
                        enqueue(&mut state.queues, &queue.port, &queue.elements, sent);
                    }
                }
                if !state.must_start && state.queues.is_empty() {
                    continue;
                }
            } else if let Some(&last) = senders.get(&action.record.action) {
                state.count = last;
            } else {
                continue;
            }
            actions.push(state);
        }
        actions
    }

    /// The state that a replay begins with.
    fn base(&self, n_outside: u64, actions: Vec<ActionState>) -> Snapshot {
        Snapshot {
            params: self.end.params.clone(),
            random_seed: self.end.random_seed,
            n_events: n_outside,
            n_actions: actions.len() as u64,
            // What waits outside of the part waits for nobody.
            has_ended: self.recorded.outcome() != Some("quiescent"),
            templates: self.end.templates.clone(),
            shared: self.end.shared.clone(),
            calls: self.end.calls.clone(),
            graphs: self.graphs_around(actions.iter().map(|action| action.record.graph)),
            actions,
            first_free: self.end.first_free,
            ..Snapshot::default()
        }
    }

    /// A batch without events that names what the events name.
    fn announced(&self, outside: &[EventRecord], kept: &[EventRecord]) -> EventBatch {
        let executed: BTreeSet<ActionId> = outside.iter().chain(kept).map(|event| event.id.action).collect();
        let objects: BTreeSet<ObjectId> =
            kept.iter().flat_map(|event| &event.shared).map(|access| access.object).collect();
        let mut batch = EventBatch::default();
        batch.actions = executed.iter().filter_map(|action| self.names.action_record(*action)).collect();
        batch.objects =
            objects.iter().filter_map(|object| self.names.object_record(*object).cloned()).collect();
        let graphs = batch.actions.iter().map(|action| action.graph);
        batch.graphs = self.graphs_around(graphs.chain(batch.objects.iter().map(|object| object.graph)));
        batch
    }

    /// Kept actions that have not executed.
    fn idle_actions(&self) -> Vec<hasse_model::event::ActionRecord> {
        let idle = self.end.actions.iter().filter(|action| action.count == 0);
        idle.map(|action| action.record.clone()).filter(|record| self.part.keeps(record.action)).collect()
    }

    /// Graph instances with all those around them, ascending by id: parents come before their children.
    fn graphs_around(&self, graphs: impl Iterator<Item = GraphInstanceId>) -> Vec<GraphRecord> {
        let mut known: BTreeSet<GraphInstanceId> = BTreeSet::new();
        let mut records = Vec::new();
        for mut graph in graphs {
            while known.insert(graph)
                && let Some(record) = self.names.graph(graph)
            {
                records.push(record.clone());
                graph = record.parent;
            }
        }
        records.sort_unstable_by_key(|record| record.graph);
        records
    }
}

/// Adds a value to the queue of a port.
fn enqueue(queues: &mut Vec<QueueState>, port: &str, elements: &hasse_model::id::Index, sent: SentValue) {
    match queues.iter_mut().find(|queue| queue.port == port && queue.elements == *elements) {
        Some(queue) => queue.values.push(sent),
        None => {
            queues.push(QueueState { port: port.to_owned(), elements: elements.clone(), values: vec![sent] })
        }
    }
}

/// A kept event, with what it found in objects that outside events had written.
fn kept_event<'c>(
    event: &EventRecord,
    content: impl Fn(usize) -> Option<&'c hasse_model::value::Value>,
    versions: &mut Versions,
    pasts: &Pasts,
) -> EventRecord {
    let mut kept = EventRecord { timing: None, local: None, choices: None, ..event.clone() };
    versions.rewrite(event.id, &mut kept.shared);
    for (at, access) in event.shared.iter().enumerate() {
        if let (Some(content), Some(writer)) = (content(at), access.writer) {
            kept.effects.push(Effect::found(at, content.clone(), &pasts.of(writer)));
        }
    }
    kept
}

/// An outside event as a sender: what it did, without what was before it and what it asked.
fn sender_event(event: &EventRecord) -> EventRecord {
    EventRecord {
        rule: event.rule,
        routes: event.routes.clone(),
        flow_successors: event.flow_successors,
        outcome: event.outcome,
        ..EventRecord::new(event.id)
    }
}
