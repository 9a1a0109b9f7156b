//! Instances of templates: inbox, ports, vars, and the registry that creates them on first send.
//!
//! An instance is served by one worker at a time. Senders touch its inbox only; the worker that
//! serves it moves deliveries from there to the ports. `is_scheduled` lies under the inbox's lock, so
//! that a delivery and the end of a service cannot miss each other.

use std::collections::{BTreeMap, VecDeque};
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use hasse_model::event::ActionRecord;
use hasse_model::id::{ActionId, CallId, GraphInstanceId, Index, SharedId, TemplateId};
use hasse_model::plan::{Access, Plan, Template};
use parking_lot::Mutex;
use rhai::Dynamic;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::control::Watched;
use crate::execution::Execution;
use crate::graph::GraphInstance;
use crate::instrumentation::{Instrumentation, ResultOrder};
use crate::reclaim::Reclaim;
use crate::shared::Object;
use crate::token::{Delivery, Token};

/// An action: an instance of a template.
pub(crate) struct Instance<M: Instrumentation, K: ResultOrder> {
    pub(crate) template: TemplateId,
    pub(crate) action: ActionId,
    pub(crate) graph: Arc<GraphInstance>,
    pub(crate) index: Index,
    pub(crate) inbox: Mutex<Inbox<M, K>>,
    pub(crate) core: Mutex<Core<M, K>>,
}

/// What senders put in.
pub(crate) struct Inbox<M: Instrumentation, K: ResultOrder> {
    /// Bound: none, as language.md gives ports no capacity; a program that sends faster than it
    /// receives grows here.
    pub(crate) deliveries: Vec<Delivery<M, K>>,
    /// Whether the instance is ready, being served, or waiting for a lock: all of these look at the
    /// inbox again before they let go of it.
    pub(crate) is_scheduled: bool,
}

/// What the serving worker works on.
pub(crate) struct Core<M: Instrumentation, K: ResultOrder> {
    pub(crate) ports: Vec<PortQueue<M, K>>,
    /// Values of the vars; with the worker while it serves.
    pub(crate) vars: Box<[Dynamic]>,
    /// Shared objects in canonical order.
    pub(crate) locks: Vec<LockUse<M, K>>,
    /// Executions begun so far.
    pub(crate) count: u64,
    /// The firing rule to be looked at first: the one behind the rule taken last.
    pub(crate) first_rule: usize,
    pub(crate) is_initialized: bool,
    pub(crate) has_failed: bool,
    /// A start node that has not executed yet.
    pub(crate) must_start: bool,
    /// The execution that waits for a lock.
    pub(crate) pending: Option<Box<Execution<M, K>>>,
    /// Result-setting events before the next execution.
    pub(crate) known: K,
    /// What the instrumentation keeps of its executions.
    pub(crate) keep: M::Keep,
    /// In a controlled run: what the user asks of it.
    pub(crate) control: Asked,
}

/// What the user asks of an action, as of a version of the board.
#[derive(Default)]
pub(crate) struct Asked {
    pub(crate) version: u64,
    pub(crate) watched: Option<Box<Watched>>,
}

/// A shared object as an instance uses it.
pub(crate) struct LockUse<M: Instrumentation, K: ResultOrder> {
    pub(crate) object: Arc<Object<M, K>>,
    pub(crate) access: Access,
    pub(crate) slot_idx: usize,
}

/// A port that has been emptied keeps room for this many values.
const MAX_KEPT_VALUES: usize = 256;

/// Values that wait on an input port.
pub(crate) enum PortQueue<M: Instrumentation, K: ResultOrder> {
    Plain(VecDeque<Token<M, K>>),
    Family(BTreeMap<Index, VecDeque<Token<M, K>>>),
}

impl<M: Instrumentation, K: ResultOrder> PortQueue<M, K> {
    pub(crate) fn push(&mut self, elements: Index, token: Token<M, K>) {
        match self {
            PortQueue::Plain(queue) => queue.push_back(token),
            PortQueue::Family(queues) => queues.entry(elements).or_default().push_back(token),
        }
    }

    pub(crate) fn queue(&self, elements: &Index) -> Option<&VecDeque<Token<M, K>>> {
        match self {
            PortQueue::Plain(queue) => Some(queue),
            PortQueue::Family(queues) => queues.get(elements),
        }
    }

    /// Removes a value; an element of a family that is left empty is forgotten.
    pub(crate) fn remove(&mut self, elements: &Index, position: usize) -> Option<Token<M, K>> {
        match self {
            PortQueue::Plain(queue) if position == 0 => {
                let token = queue.pop_front();
                if queue.is_empty() && queue.capacity() > MAX_KEPT_VALUES {
                    *queue = VecDeque::new();
                }
                token
            }
            PortQueue::Plain(queue) => queue.remove(position),
            PortQueue::Family(queues) => {
                let queue = queues.get_mut(elements)?;
                let token = queue.remove(position);
                if queue.is_empty() {
                    queues.remove(elements);
                }
                token
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        match self {
            PortQueue::Plain(queue) => queue.is_empty(),
            PortQueue::Family(queues) => queues.is_empty(),
        }
    }

    /// Shows all values.
    pub(crate) fn each(&self, look: impl FnMut(&Token<M, K>)) {
        match self {
            PortQueue::Plain(queue) => queue.iter().for_each(look),
            PortQueue::Family(queues) => queues.values().flatten().for_each(look),
        }
    }

    /// Elements that hold values, with their number.
    pub(crate) fn lengths(&self) -> Vec<(Index, u64)> {
        match self {
            PortQueue::Plain(queue) if queue.is_empty() => Vec::new(),
            PortQueue::Plain(queue) => vec![(Index::none(), queue.len() as u64)],
            PortQueue::Family(queues) => {
                queues.iter().map(|(elements, queue)| (elements.clone(), queue.len() as u64)).collect()
            }
        }
    }
}

impl<M: Instrumentation, K: ResultOrder> Instance<M, K> {
    /// What is announced of it.
    pub(crate) fn record(&self) -> ActionRecord {
        ActionRecord {
            action: self.action,
            template: self.template,
            graph: self.graph.id,
            index: self.index.clone(),
        }
    }

    fn new(
        template_id: TemplateId,
        template: &Template,
        action: ActionId,
        graph: &Arc<GraphInstance>,
        index: Index,
        keep: M::Keep,
    ) -> Self {
        let ports = template
            .inputs
            .iter()
            .map(|port| match port.n_indices {
                0 => PortQueue::Plain(VecDeque::new()),
                _ => PortQueue::Family(BTreeMap::new()),
            })
            .collect();
        let core = Core {
            ports,
            vars: Box::default(),
            locks: Vec::new(),
            count: 0,
            first_rule: 0,
            is_initialized: false,
            has_failed: false,
            must_start: template.is_start && graph.id == GraphInstanceId::MAIN,
            pending: None,
            known: K::default(),
            keep,
            control: Asked::default(),
        };
        Self {
            template: template_id,
            action,
            graph: Arc::clone(graph),
            index,
            inbox: Mutex::new(Inbox { deliveries: Vec::new(), is_scheduled: false }),
            core: Mutex::new(core),
        }
    }
}

/// Number of independently locked parts of the registry, to keep creating workers apart.
const N_SHARDS: usize = 64;

/// Graph instance, position of what is declared in it, index.
type Key = (GraphInstanceId, u32, Index);
type Shard<V> = Mutex<FxHashMap<Key, Arc<V>>>;

/// All instances and shared objects of a run.
pub(crate) struct Registry<M: Instrumentation, K: ResultOrder> {
    /// The one instance of each template of the main graph without index.
    plain: Vec<OnceLock<Arc<Instance<M, K>>>>,
    indexed: Vec<Shard<Instance<M, K>>>,
    objects: Vec<Shard<Object<M, K>>>,
    /// By parent, call and index.
    graphs: Vec<Shard<GraphInstance>>,
    /// The main graph first.
    main: Arc<GraphInstance>,
    pub(crate) reclaim: Reclaim,
    n_actions: AtomicU64,
}

impl<M: Instrumentation, K: ResultOrder> Registry<M, K> {
    pub(crate) fn new(plan: &Plan, main: Arc<GraphInstance>, reclaim: Reclaim) -> Self {
        Self {
            plain: plan.templates.iter().map(|_| OnceLock::new()).collect(),
            indexed: (0..N_SHARDS).map(|_| Shard::default()).collect(),
            objects: (0..N_SHARDS).map(|_| Shard::default()).collect(),
            graphs: (0..N_SHARDS).map(|_| Shard::default()).collect(),
            main,
            reclaim,
            n_actions: AtomicU64::new(0),
        }
    }

    /// The instance, and whether this is the first that is heard of it: then it was created.
    pub(crate) fn instance(
        &self,
        plan: &Plan,
        instrumentation: &M,
        graph: &Arc<GraphInstance>,
        template: TemplateId,
        index: Index,
    ) -> (Arc<Instance<M, K>>, bool) {
        let create = |index: Index| {
            let n_created = self.n_actions.fetch_add(1, Ordering::Relaxed) + 1;
            self.reclaim.note_created(n_created);
            let action = instrumentation.action_id(template, graph.id, &index);
            let keep = instrumentation.keep(template, graph, &index);
            Arc::new(Instance::new(template, plan.template(template), action, graph, index, keep))
        };
        if index.as_slice().is_empty() && graph.id == GraphInstanceId::MAIN {
            let mut is_new = false;
            let instance = self.plain[template.idx()].get_or_init(|| {
                is_new = true;
                create(index)
            });
            return (Arc::clone(instance), is_new);
        }
        let key = (graph.id, template.0, index);
        let mut shard = self.indexed[shard_idx(&key)].lock();
        if let Some(instance) = shard.get(&key) {
            return (Arc::clone(instance), false);
        }
        let instance = create(key.2.clone());
        shard.insert(key, Arc::clone(&instance));
        (instance, true)
    }

    /// The shared object, created by `create` if this is the first that is heard of it.
    pub(crate) fn object<E>(
        &self,
        graph: GraphInstanceId,
        shared: SharedId,
        index: Index,
        create: impl FnOnce(Index) -> Result<Object<M, K>, E>,
    ) -> Result<Arc<Object<M, K>>, E> {
        let key = (graph, shared.0, index);
        let mut shard = self.objects[shard_idx(&key)].lock();
        if let Some(object) = shard.get(&key) {
            return Ok(Arc::clone(object));
        }
        let object = Arc::new(create(key.2.clone())?);
        shard.insert(key, Arc::clone(&object));
        Ok(object)
    }

    /// The graph instance that a call stands for, created by `create` if this is the first that is heard of
    /// it.
    pub(crate) fn graph<E>(
        &self,
        parent: GraphInstanceId,
        call: CallId,
        index: Index,
        create: impl FnOnce(Index) -> Result<GraphInstance, E>,
    ) -> Result<Arc<GraphInstance>, E> {
        let key = (parent, call.0, index);
        let mut shard = self.graphs[shard_idx(&key)].lock();
        if let Some(graph) = shard.get(&key) {
            return Ok(Arc::clone(graph));
        }
        let graph = Arc::new(create(key.2.clone())?);
        shard.insert(key, Arc::clone(&graph));
        Ok(graph)
    }

    /// Number of instances created.
    pub(crate) fn n_actions(&self) -> u64 {
        self.n_actions.load(Ordering::Relaxed)
    }

    /// All graph instances by id, that of the main graph first.
    pub(crate) fn graphs(&self) -> Vec<Arc<GraphInstance>> {
        let mut graphs = vec![Arc::clone(&self.main)];
        for shard in &self.graphs {
            graphs.extend(shard.lock().values().cloned());
        }
        graphs.sort_unstable_by_key(|graph| graph.id);
        graphs
    }

    /// All shared objects, in no order.
    #[allow(clippy::iter_over_hash_type, reason = "who shows them sorts them")]
    pub(crate) fn objects(&self) -> Vec<Arc<Object<M, K>>> {
        let mut objects = Vec::new();
        for shard in &self.objects {
            objects.extend(shard.lock().values().cloned());
        }
        objects
    }

    /// Shows all instances, in no order.
    pub(crate) fn each_instance(&self, mut look: impl FnMut(&Instance<M, K>)) {
        self.plain.iter().filter_map(OnceLock::get).for_each(|instance| look(instance));
        for shard in &self.indexed {
            shard.lock().values().for_each(|instance| look(instance));
        }
    }

    /// Lets go of instances; those of the main graph without index stay.
    pub(crate) fn retain_instances(&self, mut keeps: impl FnMut(&Instance<M, K>) -> bool) {
        for shard in &self.indexed {
            retain(shard, |_, instance| keeps(instance));
        }
    }

    /// Lets go of graph instances, and of the shared objects of those that are gone.
    pub(crate) fn retain_graphs(&self, keeps: impl Fn(GraphInstanceId) -> bool) {
        self.graphs.iter().for_each(|shard| retain(shard, |_, graph| keeps(graph.id)));
        self.objects.iter().for_each(|shard| retain(shard, |(graph, ..), _| keeps(*graph)));
    }

    /// The place of each graph instance in the order of paths: a graph instance comes before those that it
    /// holds, and these are ordered by call and index.
    #[allow(clippy::iter_over_hash_type, reason = "each list is sorted by itself")]
    fn graph_places(&self) -> FxHashMap<GraphInstanceId, u32> {
        let mut inner_of: FxHashMap<GraphInstanceId, Vec<(CallId, Index, GraphInstanceId)>> =
            FxHashMap::default();
        for shard in &self.graphs {
            for ((parent, call, index), graph) in shard.lock().iter() {
                inner_of.entry(*parent).or_default().push((CallId(*call), index.clone(), graph.id));
            }
        }
        let mut places = FxHashMap::default();
        let mut stack = vec![GraphInstanceId::MAIN];
        while let Some(graph) = stack.pop() {
            places.insert(graph, places.len() as u32);
            let mut inner = inner_of.remove(&graph).unwrap_or_default();
            inner.sort_unstable();
            stack.extend(inner.into_iter().rev().map(|(_, _, graph)| graph));
        }
        places
    }

    /// All instances, by graph instance, template and index.
    pub(crate) fn instances(&self) -> Vec<Arc<Instance<M, K>>> {
        let places = self.graph_places();
        let mut instances: Vec<_> = self.plain.iter().filter_map(|cell| cell.get().cloned()).collect();
        for shard in &self.indexed {
            instances.extend(shard.lock().values().cloned());
        }
        let place = |instance: &Instance<M, K>| places.get(&instance.graph.id).copied();
        instances.sort_unstable_by(|left, right| {
            (place(left), left.template, &left.index).cmp(&(place(right), right.template, &right.index))
        });
        instances
    }
}

/// Keeps a part of a shard, and little memory beyond.
fn retain<V>(shard: &Shard<V>, mut keeps: impl FnMut(&Key, &V) -> bool) {
    let mut shard = shard.lock();
    shard.retain(|key, value| keeps(key, value));
    let n_kept = shard.len();
    shard.shrink_to(2 * n_kept);
}

fn shard_idx(key: &Key) -> usize {
    // The upper bits are the well-mixed ones of this hash.
    (FxBuildHasher.hash_one(key) >> 32) as usize % N_SHARDS
}

/// Where canonical lock order comes from: the depth of the graph instance first, then the declaration and
/// the index. All objects that an instance reaches belong to its own graph instance or to those around it,
/// so that depth tells them apart.
pub(crate) fn lock_order<M: Instrumentation, K: ResultOrder>(
    object: &Object<M, K>,
) -> (u32, SharedId, &Index) {
    (object.graph.depth, object.shared, &object.index)
}
