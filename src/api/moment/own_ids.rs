//! Ids of what is part of states and has not executed in the record: each replay numbers it anew.

use hasse_model::id::{ActionId, CallId, GraphInstanceId, Index, ObjectId, SharedId, TemplateId};
use hasse_model::snapshot::Snapshot;
use hasse_model::trace::Names;
use rustc_hash::FxHashMap;

/// Ids that all states of a timeline share. Those of the record stay; others are by graph instance, declaration and index.
#[derive(Debug, Default)]
pub(super) struct OwnIds {
    graphs: FxHashMap<(GraphInstanceId, CallId, Index), GraphInstanceId>,
    actions: FxHashMap<(GraphInstanceId, TemplateId, Index), ActionId>,
    objects: FxHashMap<(GraphInstanceId, SharedId, Index), ObjectId>,
    /// The first ids that are free: of actions, objects and graph instances.
    next: [u32; 3],
}

impl OwnIds {
    /// The first ids are those behind the ones that the record has.
    pub(super) fn after(first_free: [u32; 3]) -> Self {
        Self { next: first_free, ..Self::default() }
    }

    /// Gives a state the ids of this timeline. `names` are those of the record.
    pub(super) fn put_into(&mut self, state: &mut Snapshot, names: &Names) {
        let Self { graphs, actions, objects, next } = self;
        let mut fresh = |nth: usize| {
            let id = next[nth];
            next[nth] = id.saturating_add(1);
            id
        };
        let mut own_graph = FxHashMap::default();
        own_graph.insert(GraphInstanceId::MAIN, GraphInstanceId::MAIN);
        for record in &mut state.graphs {
            let given = record.graph;
            record.parent = own_graph.get(&record.parent).copied().unwrap_or(record.parent);
            if names.graph(given).is_none() {
                let key = (record.parent, record.call, record.index.clone());
                record.graph = *graphs.entry(key).or_insert_with(|| GraphInstanceId(fresh(2)));
            }
            own_graph.insert(given, record.graph);
        }
        let own = |graph: GraphInstanceId| own_graph.get(&graph).copied().unwrap_or(graph);
        for state in &mut state.actions {
            let record = &mut state.record;
            record.graph = own(record.graph);
            if names.template_of(record.action).is_none() {
                let key = (record.graph, record.template, record.index.clone());
                record.action = *actions.entry(key).or_insert_with(|| ActionId(fresh(0)));
            }
        }
        for state in &mut state.objects {
            let record = &mut state.record;
            record.graph = own(record.graph);
            if names.shared_of(record.object).is_none() {
                let key = (record.graph, record.shared, record.index.clone());
                record.object = *objects.entry(key).or_insert_with(|| ObjectId(fresh(1)));
            }
        }
        state.graphs.sort_unstable_by_key(|record| record.graph);
        state.actions.sort_unstable_by_key(|state| state.record.action);
        state.objects.sort_unstable_by_key(|state| state.record.object);
        state.first_free = *next;
    }
}
