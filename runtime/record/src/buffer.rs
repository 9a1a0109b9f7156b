//! Parts that recorders share: ids of new actions, objects and graph instances, and the batch that a worker is filling.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use crossbeam_utils::CachePadded;
use hasse_body::interrupt;
use hasse_code::graph::GraphInstance;
use hasse_model::event::{
    ActionRecord, DroppedValue, Effect, EventBatch, EventRecord, ObjectRecord, QueueChange, QueueEdit,
    SharedAccess,
};
use hasse_model::id::{ActionId, CallId, EventId, GraphInstanceId, Index, ObjectId, SharedId, TemplateId};
use rustc_hash::FxHashSet;

use crate::collector::Handoff;
use crate::collector::shelf::{Shelf, Taking, UnderWay};
use crate::event::{Answers, Done, Ending, ObjectPlace, PortPlace};
use crate::replay::Script;
use crate::spare::SpareIds;
use crate::timer::Timer;

/// A batch is handed over when it holds this many events,
const MAX_BATCH_EVENTS: usize = 8192;
/// or this many bytes of answers; and by time, as the [shelf](crate::collector::shelf::Shelf) says.
const MAX_BATCH_BYTES: usize = 1 << 20;

/// Ids in order of creation; those of a record for what it knows.
pub(crate) struct Ids {
    /// On a cache line of its own: written whenever an action is created, where what is next to it is read for each event.
    n_actions: CachePadded<AtomicU32>,
    n_objects: AtomicU32,
    n_graphs: AtomicU32,
    pub(crate) script: Script,
}

impl Ids {
    /// For a run, with an empty script, or the replay of one.
    pub(crate) fn new(script: Script) -> Self {
        Self {
            n_actions: AtomicU32::new(script.known.first_free_action()).into(),
            n_objects: AtomicU32::new(script.known.first_free_object()),
            n_graphs: AtomicU32::new(script.known.first_free_graph()),
            script,
        }
    }

    /// For a run that begins with what the script tells: new ids are from these on.
    pub(crate) fn from(script: Script, first_free: [u32; 3]) -> Self {
        let ids = Self::new(script);
        let counters = [&*ids.n_actions, &ids.n_objects, &ids.n_graphs];
        for (counter, first_free) in counters.into_iter().zip(first_free) {
            counter.fetch_max(first_free, Ordering::Relaxed);
        }
        ids
    }

    /// The first ids that no action, object and graph instance has.
    pub(crate) fn first_free(&self) -> [u32; 3] {
        [&*self.n_actions, &self.n_objects, &self.n_graphs].map(|counter| counter.load(Ordering::Relaxed))
    }

    #[inline]
    pub(crate) fn action(&self, template: TemplateId, graph: GraphInstanceId, index: &Index) -> ActionId {
        self.script.known.action_id(template, graph, index).unwrap_or_else(|| self.new_action())
    }

    /// The id of an action that no record tells.
    #[inline(always)]
    pub(crate) fn new_action(&self) -> ActionId {
        ActionId(self.n_actions.fetch_add(1, Ordering::Relaxed))
    }

    /// The same, of which a worker takes many at a time.
    #[inline(always)]
    pub(crate) fn next_action(&self, spare: &mut SpareIds) -> ActionId {
        spare.next(&self.n_actions)
    }

    #[inline]
    pub(crate) fn take_back(&self, spare: &mut SpareIds) {
        spare.give_back(&self.n_actions);
    }

    #[inline]
    pub(crate) fn object(&self, shared: SharedId, graph: GraphInstanceId, index: &Index) -> ObjectId {
        self.script
            .known
            .object_id(shared, graph, index)
            .unwrap_or_else(|| ObjectId(self.n_objects.fetch_add(1, Ordering::Relaxed)))
    }

    #[inline]
    pub(crate) fn graph(&self, parent: GraphInstanceId, call: CallId, index: &Index) -> GraphInstanceId {
        self.script
            .known
            .graph_id(parent, call, index)
            .unwrap_or_else(|| GraphInstanceId(self.n_graphs.fetch_add(1, Ordering::Relaxed)))
    }
}

/// Names that a worker has announced in the current segment of a rotated record. Each segment announces every name again.
struct InSegments {
    /// The one that is being written.
    newest: Arc<AtomicU32>,
    /// The one that was being written when the batch was begun.
    segment: u32,
    announced: FxHashSet<ActionId>,
}

impl InSegments {
    fn new(newest: &Arc<AtomicU32>) -> Self {
        let segment = newest.load(Ordering::Relaxed);
        Self { newest: Arc::clone(newest), segment, announced: FxHashSet::default() }
    }
}

/// The batch that a worker is filling, and what it has announced.
pub struct Buffer {
    /// Position of the worker.
    pub(crate) worker: u32,
    /// Empty while the batch lies on the shelf.
    pub(crate) batch: Box<EventBatch>,
    shelf: Arc<Shelf>,
    /// Whether anybody looks at the shelf.
    is_looked_at: bool,
    /// Whether the batch is held, and does not lie on the shelf.
    is_held: bool,
    /// At how many events of the batch its memory is written ahead, or it is handed over.
    next_look: usize,
    announced: FxHashSet<ObjectId>,
    announced_graphs: FxHashSet<GraphInstanceId>,
    /// Where the record is in segments.
    segments: Option<InSegments>,
    spare: Option<Box<EventRecord>>,
    /// Where events have times.
    timer: Option<Timer>,
    /// Predecessors of events that are taken in.
    turn_flow: Vec<EventId>,
}

impl Buffer {
    pub(crate) fn new(worker_idx: usize, handoff: Option<&Handoff>) -> Self {
        let shelf = handoff.map(|handoff| handoff.shelf(worker_idx)).unwrap_or_default();
        interrupt::set_request(&shelf.request);
        Self {
            worker: worker_idx as u32,
            batch: Box::default(),
            shelf,
            is_looked_at: handoff.is_some(),
            is_held: false,
            next_look: 0,
            announced: FxHashSet::default(),
            announced_graphs: FxHashSet::default(),
            segments: handoff.and_then(Handoff::segment).map(InSegments::new),
            spare: None,
            timer: None,
            turn_flow: Vec::new(),
        }
    }

    /// The same, for events with times, in a run that began at a moment.
    pub(crate) fn timed(worker_idx: usize, handoff: Option<&Handoff>, began: Instant) -> Self {
        let is_alone = handoff.is_some_and(Handoff::has_one_worker);
        let timer = Some(Timer::new(began, worker_idx as u32, is_alone));
        Self { timer, ..Self::new(worker_idx, handoff) }
    }

    /// Starts a batch of events that have times.
    #[inline]
    pub(crate) fn begin_times(&mut self) {
        if let Some(timer) = &mut self.timer {
            timer.begin(&mut self.batch);
        }
    }

    /// A new batch: in a new segment, nothing has been announced yet.
    #[inline]
    fn begin_batch(&mut self) {
        if let Some(segments) = &mut self.segments {
            let newest = segments.newest.load(Ordering::Relaxed);
            if newest != std::mem::replace(&mut segments.segment, newest) {
                segments.announced.clear();
                self.announced.clear();
                self.announced_graphs.clear();
            }
        }
    }

    /// Returns true if the action of an event is to be announced with it.
    #[inline(always)]
    fn is_new(&mut self, event: EventId) -> bool {
        match &mut self.segments {
            Some(segments) => segments.announced.insert(event.action),
            None => event.count == 1,
        }
    }

    /// Gives the events that have none yet their times.
    #[inline]
    pub(crate) fn settle_times(&mut self) {
        if let Some(timer) = &mut self.timer {
            timer.settle(&mut self.batch);
        }
    }

    /// Reads the clock.
    #[inline]
    pub(crate) fn read_clock(&mut self) -> u64 {
        self.timer.as_mut().map_or(0, |timer| timer.read(&mut self.batch))
    }

    /// When the event of the fast path began that is under way.
    #[inline]
    pub(crate) fn start_of_open(&mut self) -> u64 {
        self.timer.as_mut().map_or(0, |timer| timer.start_of_open(&mut self.batch))
    }

    /// Holds the batch, for events of the fast path. Until it is [laid down](Self::lay_down), this thread is interrupted when
    /// it is asked for it.
    #[inline(always)]
    pub(crate) fn hold(&mut self) {
        if !self.is_held {
            self.take_up();
        }
    }

    #[inline(never)]
    fn take_up(&mut self) {
        if self.shelf.take_up(&mut self.batch) == Taking::HandedOver {
            self.next_look = 0;
            self.begin_batch();
        }
        self.is_held = true;
        interrupt::heed(self.is_looked_at);
    }

    /// Lays the batch on the shelf: what comes may last, and cannot be begun anew. An event of the fast path may be under
    /// construction; the batch is then to be [held](Self::hold) again before it goes on.
    #[inline]
    pub(crate) fn lay_down(&mut self) {
        if self.is_held {
            self.settle_times();
            interrupt::heed(false);
            self.is_held = false;
            self.shelf.lay_down(&mut self.batch);
        }
    }

    /// Does something to the batch wherever it is.
    fn with_held(&mut self, act: impl FnOnce(&mut Self)) {
        let was_held = self.is_held;
        self.hold();
        act(self);
        if !was_held {
            self.lay_down();
        }
    }

    /// Lays the batch down, as [`lay_down`](Self::lay_down), before a body.
    #[inline]
    pub(crate) fn enter_body(&mut self, body: UnderWay) {
        if self.is_held {
            self.settle_times();
            interrupt::heed(false);
            self.is_held = false;
            self.shelf.lay_down_for(&mut self.batch, body);
        } else {
            self.shelf.enter_body(body);
        }
    }

    /// The body has ended. The batch lies on the shelf.
    #[inline]
    pub(crate) fn leave_body(&mut self) {
        self.shelf.leave_body();
    }

    /// The empty record of an event; made of one that was put away, if there is one.
    #[inline]
    pub(crate) fn record(&mut self, id: EventId, rule: i32) -> Box<EventRecord> {
        let mut record = match self.spare.take() {
            Some(mut spare) => {
                spare.reset(id);
                spare
            }
            None => Box::new(EventRecord::new(id)),
        };
        record.rule = rule;
        record
    }

    /// Puts a record away, to be used again.
    #[inline]
    pub(crate) fn put_away(&mut self, record: Box<EventRecord>) {
        self.spare = Some(record);
    }

    /// Announces a graph instance and those around it, as far as this worker has not done so yet.
    fn announce_graph(&mut self, graph: &GraphInstance) {
        if graph.id == GraphInstanceId::MAIN || self.announced_graphs.contains(&graph.id) {
            return;
        }
        let mut records = Vec::new();
        let mut inner = Some(graph);
        while let Some(record) = inner.and_then(GraphInstance::record) {
            if !self.announced_graphs.insert(record.graph) {
                break;
            }
            records.push(record);
            inner = inner.and_then(|graph| graph.call.as_ref()).map(|place| &*place.parent);
        }
        self.batch.graphs.extend(records.into_iter().rev());
    }

    #[inline]
    pub(crate) fn announce_object(&mut self, object: &ObjectPlace) {
        // Every worker announces an object before the first event of its own that reaches it, so
        // that no prefix of a trace names an object that was lost with another worker's batch.
        if self.announced.insert(object.id) {
            self.with_held(|buffer| {
                buffer.announce_graph(&object.graph);
                buffer.batch.objects.push(ObjectRecord {
                    object: object.id,
                    shared: object.shared,
                    graph: object.graph.id,
                    index: object.index.clone(),
                });
            });
        }
    }

    /// Takes in an event, whose first one announces its action.
    #[inline]
    pub(crate) fn push(&mut self, record: &mut EventRecord, place: Place<'_>, handoff: &Handoff) {
        self.with_held(|buffer| {
            if buffer.is_new(record.id) {
                buffer.announce_action(record.id.action, place);
            }
            buffer.settle_times();
            buffer.batch.push(record);
            buffer.hand_over_if_full(handoff);
        });
    }

    /// Takes in an event that has ended well, with what has been added to the batch since the one before. Without a
    /// handoff nothing is recorded.
    #[inline(always)]
    pub(crate) fn close(&mut self, id: EventId, done: Done<'_>, handoff: Option<&Handoff>) {
        let Some(handoff) = handoff else { return self.batch.forget() };
        if self.is_new(id) {
            let place = Place { template: done.template, graph: done.graph, index: done.index };
            self.announce_action(id.action, place);
        }
        self.batch.close(id, done.rule, done.flow_successors);
        if let Some(timer) = &mut self.timer {
            timer.add(1);
        }
        if self.batch.n_events() >= self.next_look {
            self.look(handoff);
        }
    }

    /// As [`close`](Self::close), of an event that was given answers of the world outside.
    #[inline]
    pub(crate) fn close_with(
        &mut self,
        id: EventId,
        done: Done<'_>,
        answers: Vec<Effect>,
        handoff: Option<&Handoff>,
    ) {
        let Some(handoff) = handoff else { return self.batch.forget() };
        if self.is_new(id) {
            let place = Place { template: done.template, graph: done.graph, index: done.index };
            self.announce_action(id.action, place);
        }
        self.batch.close(id, done.rule, done.flow_successors);
        self.batch.add_answers(&answers);
        if let Some(timer) = &mut self.timer {
            timer.add(1);
        }
        if self.batch.n_events() >= self.next_look || self.batch.payload_bytes() >= MAX_BATCH_BYTES {
            self.look(handoff);
        }
    }

    /// Takes in events that have ended well and are alike but for their firing rules, where `rules` has those, as
    /// [`close`](Self::close). Each writes the object, of which the
    /// first one has found this, and each was given answers of the world.
    #[inline]
    pub(crate) fn close_run(
        &mut self,
        (id, n_events): (EventId, usize),
        flow: &[EventId],
        (found, answers): (Option<SharedAccess>, Answers<'_>),
        (rules, done): (&[u8], Done<'_>),
        handoff: Option<&Handoff>,
    ) {
        let Some(handoff) = handoff else { return self.batch.forget() };
        if self.is_new(id) {
            let place = Place { template: done.template, graph: done.graph, index: done.index };
            self.announce_action(id.action, place);
        }
        if self.timer.is_some() || !answers.are_none() {
            // Each has a time or answers of its own.
            let Done { rule, routes, flow_successors, .. } = done;
            let own = |nth: u64| {
                let rule = rules.get(nth as usize).map_or(rule, |&rule| i32::from(rule));
                (rule, answers.of(nth as usize))
            };
            self.batch.push_each((id, n_events), routes, flow, found, flow_successors, own);
            if let Some(timer) = &mut self.timer {
                timer.add(n_events);
            }
        } else if rules.is_empty() {
            self.batch.push_run(id, n_events, done.rule, done.routes, flow, found, done.flow_successors);
        } else {
            self.push_turns(id, flow, found, (rules, done));
        }
        if self.batch.n_events() >= self.next_look || self.batch.payload_bytes() >= MAX_BATCH_BYTES {
            self.look(handoff);
        }
    }

    /// Takes in events that are alike but for their firing rules: as runs by one rule.
    fn push_turns(
        &mut self,
        first: EventId,
        flow: &[EventId],
        found: Option<SharedAccess>,
        (rules, done): (&[u8], Done<'_>),
    ) {
        let stepped = |id: EventId, n_steps: u64| EventId { count: id.count.wrapping_add(n_steps), ..id };
        let mut n_before = 0;
        for by_rule in rules.chunk_by(u8::eq) {
            let (id, rule) = (stepped(first, n_before), i32::from(by_rule[0]));
            self.turn_flow.clear();
            self.turn_flow.extend(flow.iter().map(|&sender| stepped(sender, n_before)));
            let found = match n_before {
                0 => found,
                _ => found.map(|found| found.left_by(stepped(first, n_before - 1))),
            };
            let Done { routes, flow_successors, .. } = done;
            let n_events = by_rule.len();
            self.batch.push_run(id, n_events, rule, routes, &self.turn_flow, found, flow_successors);
            n_before += n_events as u64;
        }
    }

    #[inline]
    fn announce_action(&mut self, action: ActionId, place: Place<'_>) {
        self.announce_graph(place.graph);
        let (template, graph, index) = (place.template, place.graph.id, place.index.clone());
        self.batch.actions.push(ActionRecord { action, template, graph, index });
    }

    /// Hands the batch over if it is full, and writes ahead of the events to come.
    #[cold]
    fn look(&mut self, handoff: &Handoff) {
        self.hand_over_if_full(handoff);
        self.batch.write_ahead();
        self.next_look =
            (self.batch.n_events() + MAX_BATCH_EVENTS / EventBatch::N_PARTS).min(MAX_BATCH_EVENTS);
    }

    #[inline]
    fn hand_over_if_full(&mut self, handoff: &Handoff) {
        if self.batch.n_events() >= MAX_BATCH_EVENTS || self.batch.payload_bytes() >= MAX_BATCH_BYTES {
            self.flush(Some(handoff));
        }
    }

    /// Takes in an event; `announce` adds what it names and has not been announced.
    pub(crate) fn push_announced(
        &mut self,
        record: &mut EventRecord,
        handoff: &Handoff,
        announce: impl FnOnce(&EventRecord, &mut EventBatch),
    ) {
        self.with_held(|buffer| {
            announce(record, &mut buffer.batch);
            buffer.batch.push(record);
            buffer.hand_over_if_full(handoff);
        });
    }

    /// Records values that were dropped as a port was full; `announce` announces their senders.
    ///
    /// If the sender has more values on the same port, the drop is handed over at once: a prefix of the record must not hold the event that
    /// takes the next value without it.
    pub(crate) fn push_dropped(
        &mut self,
        place: &PortPlace<'_>,
        dropped: Vec<DroppedValue>,
        handoff: &Handoff,
        announce: impl FnOnce(&mut EventBatch, &[DroppedValue]),
    ) {
        if dropped.iter().any(|dropped| dropped.n_later > 0) {
            let mut batch = EventBatch::default();
            batch.graphs.extend(place.graph.outward().map_while(|graph| graph.record()));
            batch.graphs.reverse();
            announce(&mut batch, &dropped);
            batch.edits.push(dropped_at(place, dropped));
            handoff.exchange(&mut batch);
            return;
        }
        self.with_held(|buffer| {
            buffer.announce_graph(place.graph);
            announce(&mut buffer.batch, &dropped);
            if let Some(last) = buffer.batch.edits.last_mut()
                && (last.template, last.graph) == (place.template, place.graph.id)
                && (&last.index, last.port.as_str(), &last.elements)
                    == (place.index, place.port, place.elements)
                && let QueueChange::NoRoom(values) = &mut last.change
            {
                return values.extend(dropped);
            }
            buffer.batch.edits.push(dropped_at(place, dropped));
        });
    }

    /// Hands over what waits.
    pub(crate) fn flush(&mut self, handoff: Option<&Handoff>) {
        self.next_look = 0;
        let Some(handoff) = handoff else { return };
        self.with_held(|buffer| {
            buffer.settle_times();
            if !buffer.batch.is_empty() {
                handoff.exchange(&mut buffer.batch);
                buffer.begin_batch();
                // The time for which the worker waited for the collector is no event's.
                buffer.read_clock();
            }
        });
        interrupt::clear(&self.shelf.request);
    }

    /// Hands over what waits if it is asked for. No event is under construction.
    #[inline]
    pub(crate) fn tick(&mut self, handoff: Option<&Handoff>) {
        if self.shelf.request.is_set() {
            self.flush(handoff);
        }
    }

    /// Hands over everything.
    #[inline]
    pub(crate) fn finish(&mut self, handoff: Option<&Handoff>) {
        self.flush(handoff);
    }
}

fn dropped_at(place: &PortPlace<'_>, dropped: Vec<DroppedValue>) -> QueueEdit {
    let PortPlace { template, graph, index, port, elements } = *place;
    QueueEdit {
        template,
        graph: graph.id,
        index: index.clone(),
        port: port.to_owned(),
        elements: elements.clone(),
        change: QueueChange::NoRoom(dropped),
    }
}

/// Which action an event is one of.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) template: TemplateId,
    pub(crate) graph: &'a GraphInstance,
    pub(crate) index: &'a Index,
}

/// Moves how an execution ended into its record.
#[inline]
pub(crate) fn fill<'a>(record: &mut EventRecord, ending: Ending<'a>) -> Place<'a> {
    record.routes.extend_from_slice(ending.routes);
    record.flow_successors = ending.flow_successors;
    record.outcome = ending.outcome;
    record.effects = ending.effects;
    record.first_line = ending.first_line;
    record.error = ending.error;
    record.local = ending.local;
    Place { template: ending.template, graph: ending.graph, index: ending.index }
}
