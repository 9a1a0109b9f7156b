//! Full recording (Hyder 1994, sections 5.2 and 5.4): flow and shared predecessors of every event,
//! collected in buffers of the worker; and the same while a record is replayed.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use hasse_model::event::{ActionRecord, EventBatch, EventRecord, ObjectRecord, SharedAccess};
use hasse_model::id::{ActionId, CallId, EventId, GraphInstanceId, Index, ObjectId, SharedId, TemplateId};
use hasse_model::plan::Access;
use rustc_hash::FxHashSet;

use super::{Ending, Instrumentation, ResultOrder};
use crate::collector::Handoff;
use crate::graph::GraphInstance;
use crate::replay::{ExpectedEvent, Script};
use crate::shared::Object;
use crate::token::Version;

/// A batch is handed over when it holds this many events,
const MAX_BATCH_EVENTS: usize = 4096;
/// or this many bytes of answers,
const MAX_BATCH_BYTES: usize = 1 << 20;
/// or is this old: what a killed run loses at most, bodies under way aside.
const MAX_BATCH_AGE: Duration = Duration::from_millis(100);
/// The clock is read once in so many ticks.
const TICKS_PER_LOOK: u32 = 16;

/// Records every event. With a script, makes the run follow it.
pub(crate) struct Full<const REPLAYS: bool> {
    n_actions: AtomicU32,
    n_objects: AtomicU32,
    n_graphs: AtomicU32,
    handoff: Option<Handoff>,
    script: Script,
}

/// Buffers of one worker.
pub(crate) struct Local {
    batch: EventBatch,
    batch_began: Option<Instant>,
    announced: FxHashSet<ObjectId>,
    announced_graphs: FxHashSet<GraphInstanceId>,
    spare_draft: Option<Box<EventRecord>>,
    n_ticks: u32,
}

impl Local {
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
}

impl Full<false> {
    pub(crate) fn recorder(handoff: Handoff) -> Self {
        Self {
            n_actions: AtomicU32::new(0),
            n_objects: AtomicU32::new(0),
            n_graphs: AtomicU32::new(1),
            handoff: Some(handoff),
            script: Script::default(),
        }
    }
}

impl Full<true> {
    pub(crate) fn replayer(script: Script, handoff: Option<Handoff>) -> Self {
        Self {
            n_actions: AtomicU32::new(script.first_free_action()),
            n_objects: AtomicU32::new(script.first_free_object()),
            n_graphs: AtomicU32::new(script.first_free_graph()),
            handoff,
            script,
        }
    }
}

impl<const REPLAYS: bool> Instrumentation for Full<REPLAYS> {
    type Stamp = EventId;
    type Mark = Version;
    type Draft = Box<EventRecord>;
    type Local = Local;

    const RECORDS: bool = true;
    const REPLAYS: bool = REPLAYS;

    fn local(&self) -> Local {
        Local {
            batch: EventBatch::default(),
            batch_began: None,
            announced: FxHashSet::default(),
            announced_graphs: FxHashSet::default(),
            spare_draft: None,
            n_ticks: 0,
        }
    }

    fn action_id(&self, template: TemplateId, graph: GraphInstanceId, index: &Index) -> ActionId {
        self.script
            .action_id(template, graph, index)
            .unwrap_or_else(|| ActionId(self.n_actions.fetch_add(1, Ordering::Relaxed)))
    }

    fn object_id(&self, shared: SharedId, graph: GraphInstanceId, index: &Index) -> ObjectId {
        self.script
            .object_id(shared, graph, index)
            .unwrap_or_else(|| ObjectId(self.n_objects.fetch_add(1, Ordering::Relaxed)))
    }

    fn graph_id(&self, parent: GraphInstanceId, call: CallId, index: &Index) -> GraphInstanceId {
        self.script
            .graph_id(parent, call, index)
            .unwrap_or_else(|| GraphInstanceId(self.n_graphs.fetch_add(1, Ordering::Relaxed)))
    }

    fn begin(&self, local: &mut Local, id: EventId, rule: i32) -> Box<EventRecord> {
        let mut draft = match local.spare_draft.take() {
            Some(mut spare) => {
                spare.reset(id);
                spare
            }
            None => Box::new(EventRecord::new(id)),
        };
        draft.rule = rule;
        draft
    }

    fn take(&self, draft: &mut Box<EventRecord>, stamp: &EventId) {
        draft.flow.push(*stamp);
    }

    fn access(&self, draft: &mut Box<EventRecord>, object: ObjectId, access: Access, mark: &Version) {
        let readers = match access {
            Access::Read => 0,
            Access::Write => mark.readers,
        };
        draft.shared.push(SharedAccess { object, access, writer: mark.writer, readers });
    }

    fn release(&self, draft: &Box<EventRecord>, access: Access, mark: &mut Version) {
        match access {
            Access::Read => mark.readers += 1,
            Access::Write => *mark = Version { writer: Some(draft.id), readers: 0 },
        }
    }

    fn stamp(&self, draft: &Box<EventRecord>) -> EventId {
        draft.id
    }

    fn announce_object<K: ResultOrder>(&self, local: &mut Local, object: &Object<Self, K>) {
        // Every worker announces an object before the first event of its own that reaches it, so
        // that no prefix of a trace names an object that was lost with another worker's batch.
        if local.announced.insert(object.id) {
            local.announce_graph(&object.graph);
            local.batch.objects.push(ObjectRecord {
                object: object.id,
                shared: object.shared,
                graph: object.graph.id,
                index: object.index.clone(),
            });
        }
    }

    fn end(&self, local: &mut Local, mut draft: Box<EventRecord>, ending: Ending) {
        draft.routes.extend_from_slice(ending.routes);
        draft.flow_successors = ending.flow_successors;
        draft.outcome = ending.outcome;
        draft.effects = ending.effects;
        draft.first_line = ending.first_line;
        draft.error = ending.error;
        if self.handoff.is_some() {
            if draft.id.count == 1 {
                local.announce_graph(ending.graph);
                local.batch.actions.push(ActionRecord {
                    action: draft.id.action,
                    template: ending.template,
                    graph: ending.graph.id,
                    index: ending.index.clone(),
                });
            }
            local.batch.push(&mut draft);
            if local.batch.n_events() >= MAX_BATCH_EVENTS || local.batch.payload_bytes() >= MAX_BATCH_BYTES {
                self.flush(local);
            }
        }
        local.spare_draft = Some(draft);
    }

    fn flush(&self, local: &mut Local) {
        local.batch_began = None;
        if let Some(handoff) = &self.handoff
            && !local.batch.is_empty()
        {
            handoff.exchange(&mut local.batch);
        }
    }

    fn tick(&self, local: &mut Local) {
        local.n_ticks = local.n_ticks.wrapping_add(1);
        if !local.n_ticks.is_multiple_of(TICKS_PER_LOOK) || local.batch.is_empty() {
            return;
        }
        let now = Instant::now();
        if now.duration_since(*local.batch_began.get_or_insert(now)) >= MAX_BATCH_AGE {
            self.flush(local);
        }
    }

    fn expected(&self, id: EventId) -> Option<ExpectedEvent<'_>> {
        self.script.expected(id)
    }

    fn recorded(&self) -> Option<&Script> {
        Some(&self.script)
    }

    fn sender(stamp: &EventId) -> Option<EventId> {
        Some(*stamp)
    }

    fn version(mark: &Version) -> Version {
        *mark
    }

    fn drafted(draft: &Box<EventRecord>) -> Option<&EventRecord> {
        Some(draft)
    }
}
