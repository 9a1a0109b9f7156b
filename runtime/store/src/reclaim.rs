//! Reclaiming instances that can never receive again, so that a deep recursion or a long chain of lazily
//! created instances does not hold memory for what is finished.
//!
//! Now and then, when the number of instances has doubled, all workers are held between two activations and
//! one of them looks: from the instances that are ready or wait for a lock it follows the arcs to all
//! instances that a value could come to, existing or not. Index numbers are followed as boxes of intervals
//! (Cousot and Cousot 1977: widening makes the search end), which may take in too many instances but never
//! too few. What is idle, holds no value, and is not reached, is let go of; so are graph instances that hold
//! nothing any more and are not reached, with their shared objects. An instance that failed is kept: its
//! state is to be looked at.
//!
//! Cost of a look: linear in the instances that exist, and as their number must double between two looks,
//! constant for each instance created.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crossbeam_utils::CachePadded;
use hasse_code::graph::GraphInstance;
use hasse_model::id::{ActionId, CallId, EventId, GraphInstanceId, Index, TemplateId};
use hasse_model::plan::{Arc as PlanArc, Target};
use hasse_model::table::IdTable;
use hasse_record::instrumentation::Instrumentation;
use hasse_record::replay::Script;
use hasse_runtime_plan::program::Program;
use parking_lot::{Mutex, MutexGuard};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::instance::Instance;
use crate::reclaim::boxes::{IndexBox, IndexSet, Interval, between, bind, closed, point, range};
use crate::registry::Registry;

/// Sets of index numbers.
pub(crate) mod boxes;

/// In a controlled run a worker that is about to look gives up after this long: another one may have come to wait
/// within a body, and then holds its gate until the user lets it go on.
const PATIENCE: Duration = Duration::from_millis(100);

/// Time for which a gate is waited for before it is looked whether its worker executes a body.
const WAIT: Duration = Duration::from_micros(100);

/// So many entries of stores weigh as much as an instance.
const ENTRIES_PER_INSTANCE: u64 = 4;

/// When to look, and who may not work meanwhile.
pub struct Reclaim {
    /// A look is due: workers let go of their gates between activations.
    is_due: AtomicBool,
    /// Instances that may exist before the next look, or what weighs as much.
    limit: AtomicU64,
    /// Fewest instances that are worth a look.
    least: u64,
    looking: Mutex<()>,
    /// One for each worker, which holds it while it serves.
    gates: Vec<CachePadded<Mutex<()>>>,
    /// Instances let go of.
    n_reclaimed: AtomicU64,
    /// How many of them were entries of stores.
    n_entries_gone: AtomicU64,
    /// Counts are kept, also where nothing is replayed.
    keeps_counts: bool,
    /// How often reclaimed actions had executed, where that is kept; 0 for all others.
    counts: Mutex<IdTable<u64>>,
}

impl Reclaim {
    /// For so many workers; looks once more than `least` instances exist. `keeps_counts` where the state of the run is to be taken.
    pub fn new(n_workers: usize, least: u64, keeps_counts: bool) -> Self {
        Self {
            is_due: AtomicBool::new(false),
            limit: AtomicU64::new(least),
            least,
            looking: Mutex::new(()),
            gates: (0..n_workers).map(|_| CachePadded::default()).collect(),
            n_reclaimed: AtomicU64::new(0),
            n_entries_gone: AtomicU64::new(0),
            keeps_counts,
            counts: Mutex::new(IdTable::new()),
        }
    }

    /// To be told when instances have been created, and how many of them as entries of stores.
    #[inline]
    pub(crate) fn note_created(&self, n_created: u64, n_entries: u64) {
        // With 0 each new instance is a reason to look: for tests.
        let limit = self.limit.load(Ordering::Relaxed);
        if limit == 0 || self.weight(n_created, n_entries) > limit {
            self.is_due.store(true, Ordering::Relaxed);
        }
    }

    /// How many instances weigh as much as what has been created and not let go of.
    #[inline]
    fn weight(&self, n_created: u64, n_entries: u64) -> u64 {
        let n_kept = n_created.saturating_sub(self.n_reclaimed());
        let n_entries = n_entries.saturating_sub(self.n_entries_gone.load(Ordering::Relaxed)).min(n_kept);
        n_kept - n_entries + n_entries / ENTRIES_PER_INSTANCE
    }

    /// Whether workers are to let go of their gates.
    #[inline]
    pub fn is_due(&self) -> bool {
        self.is_due.load(Ordering::Relaxed)
    }

    /// The gate of a worker; held while it serves.
    #[inline]
    pub fn enter(&self, worker_idx: usize) -> MutexGuard<'_, ()> {
        self.gates[worker_idx].lock()
    }

    /// Holds all workers between two activations, or as `hold_body` does within one, while `look` looks: unless one of them
    /// can be held in neither way for longer than `patience`, or somebody else is looking. The caller must not hold a gate.
    pub fn hold_all<B, R>(
        &self,
        patience: Duration,
        hold_body: impl Fn(usize) -> Option<B>,
        look: impl FnOnce(Vec<B>) -> R,
    ) -> Option<R> {
        let _looking = self.looking.try_lock_for(patience)?;
        let until = Instant::now() + patience;
        let (mut gates, mut bodies) = (Vec::with_capacity(self.gates.len()), Vec::new());
        for (worker_idx, gate) in self.gates.iter().enumerate() {
            loop {
                if let Some(gate) = gate.try_lock_for(WAIT) {
                    gates.push(gate);
                    break;
                }
                if let Some(body) = hold_body(worker_idx) {
                    bodies.push(body);
                    break;
                }
                if Instant::now() >= until {
                    return None;
                }
            }
        }
        Some(look(bodies))
    }

    /// Keeps others from holding all workers.
    pub fn keep_off(&self) -> MutexGuard<'_, ()> {
        self.looking.lock()
    }

    /// Returns true if an instance may be given a value that no event sends: nothing that it sends to has been let go of. All
    /// workers are idle, and others are [kept off](Self::keep_off).
    pub fn may_be_given<M: Instrumentation>(
        &self,
        instance: &Instance<M>,
        program: &Program<'_>,
        registry: &Registry<M>,
    ) -> bool {
        if self.n_reclaimed() == 0 || instance.inbox.lock().is_scheduled {
            return true;
        }
        // Whatever can receive now could at every look before.
        let graphs = registry.graphs();
        reach(program, &graphs, registry, false).may_receive(instance)
    }

    /// Waits while somebody holds all workers, or tries to. The caller must not hold its gate.
    pub fn let_hold(&self) {
        drop(self.looking.lock());
    }

    /// Restores the number of reclaimed instances, and how often each had executed, from a snapshot.
    pub fn resume(&self, n_reclaimed: u64, reclaimed: &[EventId]) {
        self.n_reclaimed.store(n_reclaimed, Ordering::Relaxed);
        reclaimed.iter().for_each(|last| self.note_count(last.action, last.count));
    }

    /// Where counts are kept: the last event of each reclaimed action, ascending by action.
    pub fn counts(&self) -> Vec<EventId> {
        let counts = self.counts.lock();
        let executed = counts.iter().filter(|(_, count)| **count > 0);
        executed.map(|(action, &count)| EventId { action: ActionId(action), count }).collect()
    }

    /// Number of instances let go of.
    pub fn n_reclaimed(&self) -> u64 {
        self.n_reclaimed.load(Ordering::Relaxed)
    }

    /// Replay: how often an action had executed when it was let go of.
    #[inline]
    pub fn count_of(&self, action: ActionId) -> Option<u64> {
        self.counts.lock().get(action.0).copied().filter(|&count| count > 0)
    }

    #[inline]
    fn note_count(&self, action: ActionId, count: u64) {
        *self.counts.lock().slot(action.0) = count;
    }

    /// Looks, if no other worker does. The caller must not hold its gate.
    pub fn look<M: Instrumentation>(
        &self,
        program: &Program<'_>,
        registry: &Registry<M>,
        script: Option<&Script>,
    ) {
        let Some(_looking) = self.looking.try_lock() else { return };
        let mut gates = Vec::with_capacity(self.gates.len());
        let until = M::CONTROLLED.then(|| Instant::now() + PATIENCE);
        for gate in &self.gates {
            let Some(gate) = until.map_or_else(|| Some(gate.lock()), |until| gate.try_lock_until(until))
            else {
                return;
            };
            gates.push(gate);
        }
        if !self.is_due() {
            return;
        }
        let graphs = registry.graphs();
        let stops_short = script.is_some_and(Script::is_limited);
        let reach = reach(program, &graphs, registry, stops_short);
        let keeps_counts = self.keeps_counts || script.is_some();
        let mut live_graphs: FxHashSet<GraphInstanceId> = FxHashSet::default();
        let (mut n_reclaimed, mut n_entries) = (0, 0);
        registry.retain_instances(|instance| {
            let is_live = is_needed(instance) || reach.may_receive(instance);
            if is_live {
                live_graphs.insert(instance.graph.id);
            } else {
                n_reclaimed += 1;
                if keeps_counts {
                    self.note_count(instance.action, instance.core.lock().count);
                }
            }
            is_live
        });
        for (template, store) in registry.stores() {
            store.retain(
                |low, high| reach.may_come_to(template, low, high),
                |entry| {
                    // An instance that stands for an entry is looked at above.
                    if !entry.is_promoted() {
                        n_entries += 1;
                        if keeps_counts {
                            self.note_count(entry.action, entry.count);
                        }
                    }
                },
            );
        }
        live_graphs.extend(reach.entered.iter().copied());
        // Children have greater ids than their parents.
        for graph in graphs.iter().rev() {
            if let Some(place) = graph.call.as_ref().filter(|_| live_graphs.contains(&graph.id)) {
                live_graphs.insert(place.parent.id);
            }
        }
        drop(reach);
        drop(graphs);
        live_graphs.insert(GraphInstanceId::MAIN);
        registry.retain_graphs(|graph| live_graphs.contains(&graph));
        self.n_entries_gone.fetch_add(n_entries, Ordering::Relaxed);
        self.n_reclaimed.fetch_add(n_reclaimed + n_entries, Ordering::Relaxed);
        let weight = self.weight(registry.n_actions(), registry.n_entries());
        let limit = if self.least == 0 { 0 } else { (2 * weight).max(self.least) };
        self.limit.store(limit, Ordering::Relaxed);
        self.is_due.store(false, Ordering::Relaxed);
    }
}

/// Finds the instances that values could come to. Where a replay stops short of the end of its record, actions that have
/// nothing to do now may have with what waits.
fn reach<'a, 'p, M: Instrumentation>(
    program: &'a Program<'p>,
    graphs: &'a [Arc<GraphInstance>],
    registry: &Registry<M>,
    stops_short: bool,
) -> Reach<'a, 'p> {
    let mut reach = Reach::new(program, graphs);
    registry.each_instance(|instance| {
        let is_due = match stops_short {
            true => is_needed(instance),
            false => {
                let inbox = instance.inbox.lock();
                inbox.is_scheduled || inbox.n_delayed > 0 || inbox.n_looks > 0
            }
        };
        if is_due {
            reach.start(instance.graph.id, instance.template, point(instance.index.as_slice()));
        }
    });
    for (template, store) in registry.stores() {
        store.each_due(stops_short, |low, high| {
            reach.start(GraphInstanceId::MAIN, template, between(low, high));
        });
    }
    reach.follow_all();
    reach
}

/// Whether an instance has something to do, to keep or to show.
fn is_needed<M: Instrumentation>(instance: &Instance<M>) -> bool {
    // In this order, as whoever serves or shows an action takes them.
    let core = instance.core.lock();
    let inbox = instance.inbox.lock();
    inbox.is_scheduled
        || !inbox.is_empty()
        || inbox.n_delayed > 0
        || inbox.n_looks > 0
        || core.count == 0
        || core.has_failed
        || core.must_start
        || core.timed.is_some()
        || core.ports.iter().any(|port| !port.is_empty())
}

/// Which instances values could come to.
struct Reach<'a, 'p> {
    program: &'a Program<'p>,
    by_id: FxHashMap<GraphInstanceId, &'a Arc<GraphInstance>>,
    /// What each call has been entered with, by index: a single one is looked up, not searched for.
    children: FxHashMap<(GraphInstanceId, CallId), BTreeMap<Index, &'a Arc<GraphInstance>>>,
    /// By graph instance and template.
    receivers: FxHashMap<(GraphInstanceId, TemplateId), IndexSet>,
    /// Calls out of which values could come, by graph instance.
    calls: FxHashMap<(GraphInstanceId, CallId), IndexSet>,
    /// Graph instances into which values could come.
    entered: FxHashSet<GraphInstanceId>,
    /// Formal input ports through which they could come.
    came_in: FxHashSet<(GraphInstanceId, usize)>,
    /// Formal output ports through which values could leave.
    went_out: FxHashSet<(GraphInstanceId, usize)>,
    todo: Vec<Step<'a>>,
}

/// Arcs to be followed within a graph instance, from a box of indices.
struct Step<'a> {
    graph: &'a Arc<GraphInstance>,
    from: From,
    source: IndexBox,
}

#[derive(Clone, Copy)]
enum From {
    /// All output ports.
    Unit(TemplateId),
    /// All output ports of the graph called.
    Call(CallId),
    CallPort(CallId, usize),
    InterfacePort(usize),
}

impl<'a, 'p> Reach<'a, 'p> {
    fn new(program: &'a Program<'p>, graphs: &'a [Arc<GraphInstance>]) -> Self {
        let mut children: FxHashMap<_, BTreeMap<_, _>> = FxHashMap::default();
        for graph in graphs {
            if let Some(place) = &graph.call {
                children.entry((place.parent.id, place.call)).or_default().insert(place.index.clone(), graph);
            }
        }
        Self {
            program,
            by_id: graphs.iter().map(|graph| (graph.id, graph)).collect(),
            children,
            receivers: FxHashMap::default(),
            calls: FxHashMap::default(),
            entered: FxHashSet::default(),
            came_in: FxHashSet::default(),
            went_out: FxHashSet::default(),
            todo: Vec::new(),
        }
    }

    /// Instances that may execute.
    fn start(&mut self, graph: GraphInstanceId, template: TemplateId, source: IndexBox) {
        let Some(&graph) = self.by_id.get(&graph) else { return };
        self.todo.push(Step { graph, from: From::Unit(template), source });
        self.follow_all();
    }

    /// Whether an instance of the main graph may receive whose index numbers are between these.
    fn may_come_to(&self, template: TemplateId, low: &[i64], high: &[i64]) -> bool {
        let sides = between(low, high);
        self.receivers.get(&(GraphInstanceId::MAIN, template)).is_some_and(|known| known.meets(&sides))
    }

    fn may_receive<M: Instrumentation>(&self, instance: &Instance<M>) -> bool {
        let key = (instance.graph.id, instance.template);
        self.receivers.get(&key).is_some_and(|known| known.contains(instance.index.as_slice()))
    }

    fn follow_all(&mut self) {
        while let Some(Step { graph, from, source }) = self.todo.pop() {
            let program = self.program;
            let arcs_of_ports: &[Vec<&PlanArc>] = match from {
                From::Unit(template) => &program.arcs_from[template.idx()],
                From::Call(call) => &program.arcs_from_call[call.idx()],
                From::CallPort(call, port) => std::slice::from_ref(&program.arcs_from_call[call.idx()][port]),
                From::InterfacePort(port) => {
                    std::slice::from_ref(&program.arcs_from_interface[graph.graph.idx()][port])
                }
            };
            let self_template = match from {
                From::Unit(template) => Some(template),
                _ => None,
            };
            for arc in arcs_of_ports.iter().flatten() {
                self.follow(graph, arc, &source, self_template);
            }
        }
    }

    fn follow(
        &mut self,
        graph: &'a Arc<GraphInstance>,
        arc: &PlanArc,
        source: &IndexBox,
        source_template: Option<TemplateId>,
    ) {
        let mut locals = vec![Interval::ALL; arc.n_locals];
        if bind(&arc.source_index, source, &graph.params, &mut locals).is_none() {
            return;
        }
        let mut target: IndexBox =
            arc.target_index.iter().map(|expr| range(expr, &locals, &graph.params)).collect();
        match arc.target {
            Target::Unit(template) => {
                if source_template == Some(template) {
                    closed(source, &mut target);
                }
                let known = self.receivers.entry((graph.id, template)).or_default();
                let grown = known.add(target).into_iter();
                self.todo.extend(grown.map(|source| Step { graph, from: From::Unit(template), source }));
            }
            Target::Call(call) => {
                // What comes out of graph instances that do not exist yet is not looked into.
                let known = self.calls.entry((graph.id, call)).or_default();
                if let Some(children) = self.children.get(&(graph.id, call)) {
                    for child in within(children, &target) {
                        if self.came_in.insert((child.id, arc.target_port)) {
                            self.entered.insert(child.id);
                            let from = From::InterfacePort(arc.target_port);
                            self.todo.push(Step { graph: child, from, source: IndexBox::new() });
                        }
                    }
                }
                let grown = known.add(target).into_iter();
                self.todo.extend(grown.map(|source| Step { graph, from: From::Call(call), source }));
            }
            Target::Interface => {
                let Some(place) = &graph.call else { return };
                let Some(&parent) = self.by_id.get(&place.parent.id) else { return };
                let (from, source) =
                    (From::CallPort(place.call, arc.target_port), point(place.index.as_slice()));
                if self.went_out.insert((graph.id, arc.target_port)) {
                    self.todo.push(Step { graph: parent, from, source });
                }
            }
        }
    }
}

/// Those whose index lies in a box. Cost: that of those whose first index number does.
fn within<'c, 'a>(
    children: &'c BTreeMap<Index, &'a Arc<GraphInstance>>,
    wanted: &'c IndexBox,
) -> impl Iterator<Item = &'a Arc<GraphInstance>> + 'c {
    let low = wanted.first().map_or_else(Index::none, |side| Index::from_iter([side.low]));
    let is_near = |index: &Index| match (wanted.first(), index.as_slice().first()) {
        (Some(side), Some(&number)) => number <= side.high,
        _ => true,
    };
    let is_within = |index: &Index| {
        wanted.iter().zip(index.as_slice()).all(|(side, &number)| side.contains(Interval::one(number)))
    };
    children
        .range(low..)
        .take_while(move |(index, _)| is_near(index))
        .filter(move |(index, _)| is_within(index))
        .map(|(_, child)| *child)
}
