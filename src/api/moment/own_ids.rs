//! Ids of what is part of states and has not executed in the record: each replay numbers it anew.

use std::io::{Read, Write};

use hasse_model::event::{ActionRecord, GraphRecord, ObjectRecord};
use hasse_model::id::{ActionId, CallId, GraphInstanceId, Index, ObjectId, SharedId, TemplateId};
use hasse_model::snapshot::Snapshot;
use hasse_model::trace::Names;
use rustc_hash::FxHashMap;

use super::index::{IndexError, IndexReader, IndexWriter};

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

    /// Writes them to an index, in a stable order.
    pub(super) fn write(&self, out: &mut IndexWriter<impl Write>) -> Result<(), IndexError> {
        let Self { graphs, actions, objects, next } = self;
        let graphs = graphs.iter().map(|((graph, call, index), id)| (id.0, (graph.0, call.0), index));
        let actions =
            actions.iter().map(|((graph, template, index), id)| (id.0, (graph.0, template.0), index));
        let objects = objects.iter().map(|((graph, shared, index), id)| (id.0, (graph.0, shared.0), index));
        for known in [graphs.collect::<Vec<_>>(), actions.collect(), objects.collect()] {
            let mut known = known;
            known.sort_unstable_by_key(|(id, ..)| *id);
            out.number(known.len() as u64)?;
            for (id, place, index) in known {
                out.number(u64::from(id))?;
                out.place(place, index)?;
            }
        }
        next.iter().try_for_each(|id| out.number(u64::from(*id)))
    }

    /// Reads what [`write`](Self::write) has written.
    pub(super) fn read(input: &mut IndexReader<impl Read>) -> Result<Self, IndexError> {
        let mut known = || input.list(|input| Ok((input.id()?, input.place()?)));
        let (graphs, actions, objects) = (known()?, known()?, known()?);
        let graph = GraphInstanceId;
        let graphs = graphs
            .into_iter()
            .map(|(id, ((outer, call), index))| ((graph(outer), CallId(call), index), graph(id)));
        let actions = actions.into_iter().map(|(id, ((outer, template), index))| {
            ((graph(outer), TemplateId(template), index), ActionId(id))
        });
        let objects = objects
            .into_iter()
            .map(|(id, ((outer, shared), index))| ((graph(outer), SharedId(shared), index), ObjectId(id)));
        Ok(Self {
            graphs: graphs.collect(),
            actions: actions.collect(),
            objects: objects.collect(),
            next: [input.id()?, input.id()?, input.id()?],
        })
    }

    /// Gives a state the ids of this timeline. `names` are those of the record.
    pub(super) fn put_into(&mut self, state: &mut Snapshot, names: &Names) {
        let Self { graphs, actions, objects, next } = self;
        let mut fresh = |nth: usize| {
            let id = next[nth];
            next[nth] = id.saturating_add(1);
            id
        };
        // Numbered in an order that does not depend on the replay: graph instances level by level, all by what they are.
        let mut own_graph = FxHashMap::default();
        own_graph.insert(GraphInstanceId::MAIN, GraphInstanceId::MAIN);
        let mut records: Vec<&mut GraphRecord> = state.graphs.iter_mut().collect();
        while !records.is_empty() {
            let (mut level, deeper): (Vec<_>, Vec<_>) =
                records.into_iter().partition(|record| own_graph.contains_key(&record.parent));
            if level.is_empty() {
                break;
            }
            for record in &mut level {
                record.parent = own_graph[&record.parent];
            }
            level.sort_unstable_by(|left, right| {
                let place = |record: &GraphRecord| (record.parent, record.call);
                place(left).cmp(&place(right)).then_with(|| left.index.cmp(&right.index))
            });
            for record in level {
                let given = record.graph;
                if names.graph(given).is_none() {
                    let key = (record.parent, record.call, record.index.clone());
                    record.graph = *graphs.entry(key).or_insert_with(|| GraphInstanceId(fresh(2)));
                }
                own_graph.insert(given, record.graph);
            }
            records = deeper;
        }
        let own = |graph: GraphInstanceId| own_graph.get(&graph).copied().unwrap_or(graph);
        let mut unnamed = Vec::new();
        for state in &mut state.actions {
            state.record.graph = own(state.record.graph);
            if names.template_of(state.record.action).is_none() {
                unnamed.push(&mut state.record);
            }
        }
        unnamed.sort_unstable_by(|left, right| {
            let place = |record: &ActionRecord| (record.graph, record.template);
            place(left).cmp(&place(right)).then_with(|| left.index.cmp(&right.index))
        });
        for record in unnamed {
            let key = (record.graph, record.template, record.index.clone());
            record.action = *actions.entry(key).or_insert_with(|| ActionId(fresh(0)));
        }
        let mut unnamed = Vec::new();
        for state in &mut state.objects {
            state.record.graph = own(state.record.graph);
            if names.shared_of(state.record.object).is_none() {
                unnamed.push(&mut state.record);
            }
        }
        unnamed.sort_unstable_by(|left, right| {
            let place = |record: &ObjectRecord| (record.graph, record.shared);
            place(left).cmp(&place(right)).then_with(|| left.index.cmp(&right.index))
        });
        for record in unnamed {
            let key = (record.graph, record.shared, record.index.clone());
            record.object = *objects.entry(key).or_insert_with(|| ObjectId(fresh(1)));
        }
        state.graphs.sort_unstable_by_key(|record| record.graph);
        state.actions.sort_unstable_by_key(|state| state.record.action);
        state.objects.sort_unstable_by_key(|state| state.record.object);
        state.first_free = *next;
    }
}
