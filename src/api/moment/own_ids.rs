//! Ids of what is part of states and has not executed in the record: each replay numbers it anew.

use std::io::{Read, Write};

use hasse_model::event::GraphRecord;
use hasse_model::id::{ActionId, GraphInstanceId, Index, ObjectId};
use hasse_model::snapshot::{ActionState, ObjectState, Snapshot};
use hasse_model::trace::Names;
use rustc_hash::FxHashMap;

use super::index::{IndexError, IndexReader, IndexWriter};

/// Graph instance, position of what is declared in it, index.
type Place = (u32, u32, Index);
type Known = FxHashMap<Place, u32>;

/// Ids that all states of a timeline share. Those of the record stay; others are by graph instance, declaration and index.
#[derive(Debug, Default)]
pub(super) struct OwnIds {
    graphs: Known,
    actions: Known,
    objects: Known,
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
        for known in [graphs, actions, objects] {
            let mut known: Vec<_> = known.iter().collect();
            known.sort_unstable_by_key(|(_, id)| **id);
            out.number(known.len() as u64)?;
            for ((outer, declared, index), id) in known {
                out.number(u64::from(*id))?;
                out.place((*outer, *declared), index)?;
            }
        }
        next.iter().try_for_each(|id| out.number(u64::from(*id)))
    }

    /// Reads what [`write`](Self::write) has written.
    pub(super) fn read(input: &mut IndexReader<impl Read>) -> Result<Self, IndexError> {
        let mut known = || -> Result<Known, IndexError> {
            let known = input.list(|input| Ok((input.id()?, input.place()?)))?;
            Ok(known
                .into_iter()
                .map(|(id, ((outer, declared), index))| ((outer, declared, index), id))
                .collect())
        };
        let (graphs, actions, objects) = (known()?, known()?, known()?);
        Ok(Self { graphs, actions, objects, next: [input.id()?, input.id()?, input.id()?] })
    }

    /// Gives a state the ids of this timeline. `names` are those of the record.
    pub(super) fn put_into(&mut self, state: &mut Snapshot, names: &Names) {
        let Self { graphs, actions, objects, next } = self;
        let [next_action, next_object, next_graph] = next;
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
            let mut unnamed = Vec::new();
            for record in level {
                let given = record.graph;
                own_graph.insert(given, given);
                if names.graph(given).is_none() {
                    unnamed.push((place(record.parent, record.call.0, &record.index), record));
                }
            }
            for (id, record) in number(unnamed, graphs, next_graph) {
                own_graph.insert(record.graph, GraphInstanceId(id));
                record.graph = GraphInstanceId(id);
            }
            records = deeper;
        }
        let own = |graph: GraphInstanceId| own_graph.get(&graph).copied().unwrap_or(graph);
        let mut unnamed = Vec::new();
        for ActionState { record, .. } in &mut state.actions {
            record.graph = own(record.graph);
            if names.template_of(record.action).is_none() {
                unnamed.push((place(record.graph, record.template.0, &record.index), record));
            }
        }
        for (id, record) in number(unnamed, actions, next_action) {
            record.action = ActionId(id);
        }
        let mut unnamed = Vec::new();
        for ObjectState { record, .. } in &mut state.objects {
            record.graph = own(record.graph);
            if names.shared_of(record.object).is_none() {
                unnamed.push((place(record.graph, record.shared.0, &record.index), record));
            }
        }
        for (id, record) in number(unnamed, objects, next_object) {
            record.object = ObjectId(id);
        }
        state.graphs.sort_unstable_by_key(|record| record.graph);
        state.actions.sort_unstable_by_key(|state| state.record.action);
        state.objects.sort_unstable_by_key(|state| state.record.object);
        state.first_free = *next;
    }
}

fn place(graph: GraphInstanceId, declared: u32, index: &Index) -> Place {
    (graph.0, declared, index.clone())
}

/// Gives ids to what stands at these places, in their order: the known ones, or the next that are free.
fn number<T>(mut unnamed: Vec<(Place, T)>, known: &mut Known, next: &mut u32) -> Vec<(u32, T)> {
    unnamed.sort_unstable_by(|(left, _), (right, _)| left.cmp(right));
    let id = |(place, of): (Place, T)| {
        let id = *known.entry(place).or_insert_with(|| {
            let id = *next;
            *next = id.saturating_add(1);
            id
        });
        (id, of)
    };
    unnamed.into_iter().map(id).collect()
}
