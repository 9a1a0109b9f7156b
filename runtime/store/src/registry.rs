//! The registry: all instances, graph instances and shared objects of a run, each created by what first reaches it.

use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use crossbeam_utils::CachePadded;
use hashbrown::HashTable;
use hasse_brief::Brief;
use hasse_code::graph::GraphInstance;
use hasse_model::id::{CallId, GraphInstanceId, Index, SharedId, TemplateId};
use hasse_model::plan::Plan;
use hasse_record::instrumentation::Instrumentation;
use hasse_record::replay::actions::instance_hash;
use parking_lot::Mutex;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::instance::{Instance, SharedObject};
use crate::matching::Store;
use crate::reclaim::Reclaim;

/// A table keeps room for so many times as many instances as it has.
const MOST_ROOM: usize = 8;
/// Number of independently locked parts of the registry, to keep creating workers apart.
const N_SHARDS: usize = 64;

/// Graph instance, position of what is declared in it, index.
type Key = (GraphInstanceId, u32, Index);
type Shard<V> = Mutex<FxHashMap<Key, Arc<V>>>;
/// An instance tells its own key.
type Instances<M> = CachePadded<Brief<HashTable<Arc<Instance<M>>>>>;

/// All instances and shared objects of a run.
pub struct Registry<M: Instrumentation> {
    /// The one instance of each template of the main graph without index.
    plain: Vec<OnceLock<Arc<Instance<M>>>>,
    indexed: Vec<Instances<M>>,
    /// By template, where instances that are nothing out of the ordinary are entries.
    stores: Vec<Option<Store<M>>>,
    objects: Vec<Shard<SharedObject<M>>>,
    /// By parent, call and index.
    graphs: Vec<Shard<GraphInstance>>,
    /// The main graph first.
    main: Arc<GraphInstance>,
    /// Instances that can never receive again.
    pub reclaim: Reclaim,
    created: CachePadded<Created>,
}

/// Numbers of actions created: written for each of them, so that they share no cache line with what is read for each value.
#[derive(Default)]
struct Created {
    n_actions: AtomicU64,
    /// How many of them were created as entries of stores.
    n_entries: AtomicU64,
}

impl<M: Instrumentation> Registry<M> {
    /// Registry that knows the main graph alone.
    pub fn new(
        plan: &Plan,
        main: Arc<GraphInstance>,
        reclaim: Reclaim,
        stores: Vec<Option<Store<M>>>,
    ) -> Self {
        Self {
            plain: plan.templates.iter().map(|_| OnceLock::new()).collect(),
            indexed: (0..N_SHARDS).map(|_| CachePadded::new(Brief::new(HashTable::new()))).collect(),
            stores,
            objects: (0..N_SHARDS).map(|_| Shard::default()).collect(),
            graphs: (0..N_SHARDS).map(|_| Shard::default()).collect(),
            main,
            reclaim,
            created: CachePadded::default(),
        }
    }

    /// The instance, and whether this is the first that is heard of it: then it was created.
    pub fn instance(
        &self,
        plan: &Plan,
        instrumentation: &M,
        graph: &Arc<GraphInstance>,
        template: TemplateId,
        index: Index,
    ) -> (Arc<Instance<M>>, bool) {
        let create = |index: Index| self.create(plan, instrumentation, graph, template, index);
        if index.as_slice().is_empty() && graph.id == GraphInstanceId::MAIN {
            let mut is_new = false;
            let instance = self.plain[template.idx()].get_or_init(|| {
                is_new = true;
                create(index)
            });
            return (Arc::clone(instance), is_new);
        }
        if graph.id == GraphInstanceId::MAIN {
            self.promote_index(plan, instrumentation, template, &index);
        }
        let hash = instance_hash(graph.id, template, &index);
        let mut shard = self.indexed[shard_of(hash)].lock();
        let is_it = |known: &Arc<Instance<M>>| {
            known.template == template && known.index == index && known.graph.id == graph.id
        };
        if let Some(instance) = shard.find(hash, is_it) {
            return (Arc::clone(instance), false);
        }
        let instance = create(index);
        shard.insert_unique(hash, Arc::clone(&instance), own_hash);
        (instance, true)
    }

    /// Whether an instance exists. Entries of stores are not looked at: there are none in a controlled run.
    pub fn has_instance(&self, graph: GraphInstanceId, template: TemplateId, index: &Index) -> bool {
        if index.as_slice().is_empty() && graph == GraphInstanceId::MAIN {
            return self.plain[template.idx()].get().is_some();
        }
        let hash = instance_hash(graph, template, index);
        let is_it = |known: &Arc<Instance<M>>| {
            known.template == template && known.index == *index && known.graph.id == graph
        };
        self.indexed[shard_of(hash)].lock().find(hash, is_it).is_some()
    }

    /// The one instance of a template of the main graph that has no index.
    pub fn only_instance(
        &self,
        plan: &Plan,
        instrumentation: &M,
        main: &Arc<GraphInstance>,
        template: TemplateId,
    ) -> &Arc<Instance<M>> {
        self.plain[template.idx()]
            .get_or_init(|| self.create(plan, instrumentation, main, template, Index::none()))
    }

    /// Adds an instance that stands for an entry of a store.
    pub(crate) fn insert(&self, instance: Arc<Instance<M>>) {
        let hash = own_hash(&instance);
        self.indexed[shard_of(hash)].lock().insert_unique(hash, instance, own_hash);
    }

    /// The instance that stands for an entry of a store.
    pub fn promoted(&self, template: TemplateId, index: &Index) -> Option<Arc<Instance<M>>> {
        let hash = instance_hash(GraphInstanceId::MAIN, template, index);
        let is_it = |known: &Arc<Instance<M>>| {
            known.template == template && known.index == *index && known.graph.id == GraphInstanceId::MAIN
        };
        self.indexed[shard_of(hash)].lock().find(hash, is_it).cloned()
    }

    /// The store of a template, if it has one.
    #[inline(always)]
    pub fn store(&self, template: TemplateId) -> Option<&Store<M>> {
        self.stores[template.idx()].as_ref()
    }

    /// All stores, by template.
    pub fn stores(&self) -> impl Iterator<Item = (TemplateId, &Store<M>)> {
        let stores = self.stores.iter().enumerate();
        stores.filter_map(|(template_idx, store)| Some((TemplateId::from_idx(template_idx), store.as_ref()?)))
    }

    /// The main graph.
    pub(crate) fn main(&self) -> &Arc<GraphInstance> {
        &self.main
    }

    /// Counts an action that was created.
    fn note_created(&self) {
        let n_created = self.created.n_actions.fetch_add(1, Ordering::Relaxed) + 1;
        self.reclaim.note_created(n_created, self.created.n_entries.load(Ordering::Relaxed));
    }

    /// Counts actions that were created as entries of stores.
    pub fn note_entries(&self, n_added: u64) {
        let n_entries = self.created.n_entries.fetch_add(n_added, Ordering::Relaxed) + n_added;
        let n_created = self.created.n_actions.fetch_add(n_added, Ordering::Relaxed) + n_added;
        self.reclaim.note_created(n_created, n_entries);
    }

    pub(crate) fn create(
        &self,
        plan: &Plan,
        instrumentation: &M,
        graph: &Arc<GraphInstance>,
        template: TemplateId,
        index: Index,
    ) -> Arc<Instance<M>> {
        self.note_created();
        let action = instrumentation.action_id(template, graph.id, &index);
        let keep = instrumentation.keep(template, graph, &index);
        Arc::new(Instance::new(
            template,
            plan.template(template),
            action,
            graph,
            index,
            (keep, instrumentation.column_order()),
        ))
    }

    /// The shared object, created by `create` if this is the first that is heard of it.
    pub fn object<E>(
        &self,
        graph: GraphInstanceId,
        shared: SharedId,
        index: Index,
        create: impl FnOnce(Index) -> Result<SharedObject<M>, E>,
    ) -> Result<Arc<SharedObject<M>>, E> {
        find_or_create(&self.objects, (graph, shared.0, index), create)
    }

    /// The graph instance that a call stands for, created by `create` if this is the first that is heard of
    /// it.
    pub fn graph<E>(
        &self,
        parent: GraphInstanceId,
        call: CallId,
        index: Index,
        create: impl FnOnce(Index) -> Result<GraphInstance, E>,
    ) -> Result<Arc<GraphInstance>, E> {
        find_or_create(&self.graphs, (parent, call.0, index), create)
    }

    /// Goes on counting from the number of instances that a snapshot tells.
    pub fn set_n_created(&self, n_actions: u64) {
        self.created.n_actions.store(n_actions, Ordering::Relaxed);
    }

    /// Number of instances created.
    pub fn n_actions(&self) -> u64 {
        self.created.n_actions.load(Ordering::Relaxed)
    }

    /// Number of those that were created as entries of stores.
    pub(crate) fn n_entries(&self) -> u64 {
        self.created.n_entries.load(Ordering::Relaxed)
    }

    /// All graph instances by id, that of the main graph first.
    pub fn graphs(&self) -> Vec<Arc<GraphInstance>> {
        let mut graphs = vec![Arc::clone(&self.main)];
        for shard in &self.graphs {
            graphs.extend(shard.lock().values().cloned());
        }
        graphs.sort_unstable_by_key(|graph| graph.id);
        graphs
    }

    /// All shared objects, in no order.
    #[allow(clippy::iter_over_hash_type, reason = "who shows them sorts them")]
    pub fn objects(&self) -> Vec<Arc<SharedObject<M>>> {
        let mut objects = Vec::new();
        for shard in &self.objects {
            objects.extend(shard.lock().values().cloned());
        }
        objects
    }

    /// Shows all instances, but for those that are entries of stores, in no order.
    pub fn each_instance(&self, mut look: impl FnMut(&Instance<M>)) {
        self.plain.iter().filter_map(OnceLock::get).for_each(|instance| look(instance));
        for shard in &self.indexed {
            shard.lock().iter().for_each(|instance| look(instance));
        }
    }

    /// Lets go of instances; those of the main graph without index stay.
    pub(crate) fn retain_instances(&self, mut keeps: impl FnMut(&Instance<M>) -> bool) {
        for shard in &self.indexed {
            let mut shard = shard.lock();
            shard.retain(|instance| keeps(instance));
            // Where as many come again as have gone, the table stays as it is.
            let n_kept = shard.len();
            if n_kept < shard.capacity() / MOST_ROOM {
                shard.shrink_to(2 * n_kept, own_hash);
            }
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

    /// All instances, but for those that are entries of stores, by graph instance, template and index.
    pub fn instances(&self) -> Vec<Arc<Instance<M>>> {
        let places = self.graph_places();
        let mut instances: Vec<_> = self.plain.iter().filter_map(|cell| cell.get().cloned()).collect();
        for shard in &self.indexed {
            instances.extend(shard.lock().iter().cloned());
        }
        let place = |instance: &Instance<M>| places.get(&instance.graph.id).copied();
        instances.sort_unstable_by(|left, right| {
            (place(left), left.template, &left.index).cmp(&(place(right), right.template, &right.index))
        });
        instances
    }
}

/// What a key stands for, created by `create` if this is the first that is heard of it.
fn find_or_create<V, E>(
    shards: &[Shard<V>],
    key: Key,
    create: impl FnOnce(Index) -> Result<V, E>,
) -> Result<Arc<V>, E> {
    let mut shard = shards[shard_of(FxBuildHasher.hash_one(&key))].lock();
    if let Some(known) = shard.get(&key) {
        return Ok(Arc::clone(known));
    }
    let created = Arc::new(create(key.2.clone())?);
    shard.insert(key, Arc::clone(&created));
    Ok(created)
}

/// Keeps a part of a shard, and little memory beyond.
fn retain<V>(shard: &Shard<V>, mut keeps: impl FnMut(&Key, &V) -> bool) {
    let mut shard = shard.lock();
    shard.retain(|key, value| keeps(key, value));
    let n_kept = shard.len();
    shard.shrink_to(2 * n_kept);
}

#[inline]
fn shard_of(hash: u64) -> usize {
    // Others than those by which a shard is searched.
    (hash >> 32) as usize % N_SHARDS
}

#[inline]
fn own_hash<M: Instrumentation>(instance: &Arc<Instance<M>>) -> u64 {
    instance_hash(instance.graph.id, instance.template, &instance.index)
}
