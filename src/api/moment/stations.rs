//! States that are kept of a record: what has changed from each station to the next.
//!
//! The state at a station is, of each action and each shared object, the last one that a station up to there has. So a part of it can
//! be had without the rest, and an action that executes once takes room once.

use std::io::{Read, Write};

use hasse_model::event::GraphRecord;
use hasse_model::id::{ActionId, CallId, GraphInstanceId, ObjectId};
use hasse_model::snapshot::{ActionState, ObjectState, Snapshot, SnapshotError};
use rustc_hash::{FxHashMap, FxHashSet};

use super::index::{IndexError, IndexReader, IndexWriter};

/// States that are kept, in the order of their moments.
#[derive(Debug, Default)]
pub(super) struct Stations {
    kept: Vec<Station>,
    actions: Places,
    objects: Places,
    /// Graph instances, in the order in which stations have come to them.
    graphs: Vec<GraphRecord>,
    n_bytes: usize,
}

/// Changes since the station before.
#[derive(Debug)]
struct Station {
    position: u64,
    /// The state without graph instances, actions and objects.
    rest: Snapshot,
    /// Number of graph instances, actions and objects up to here.
    n_graphs: usize,
    n_actions: usize,
    n_objects: usize,
    /// Actions that have failed, ascending.
    failed: Vec<ActionId>,
    /// States of actions and objects, one behind the other.
    bytes: Vec<u8>,
}

/// Where the states of actions, or of objects, are.
#[derive(Debug, Default)]
struct Places {
    /// By id, the position in `nodes` of the last one.
    last: FxHashMap<u32, u32>,
    /// In the order of the stations.
    nodes: Vec<Node>,
}

/// A state of an action or object.
#[derive(Clone, Copy, Debug)]
struct Node {
    id: u32,
    station: u32,
    /// Where its bytes begin in those of the station.
    at: u32,
    /// The one before, of the same id; its own position where there is none.
    before: u32,
}

impl Places {
    /// Writes those of a station, whose first is at `from`. Returns the position behind the last one.
    fn write(
        &self,
        from: usize,
        station: u32,
        out: &mut IndexWriter<impl Write>,
    ) -> Result<usize, IndexError> {
        let n_nodes = self.nodes[from..].iter().take_while(|node| node.station == station).count();
        out.number(n_nodes as u64)?;
        for node in &self.nodes[from..from + n_nodes] {
            out.number(u64::from(node.id))?;
            out.number(u64::from(node.at))?;
        }
        Ok(from + n_nodes)
    }

    /// Reads those of a station that has so many bytes.
    fn read(
        &mut self,
        station: u32,
        n_bytes: usize,
        input: &mut IndexReader<impl Read>,
    ) -> Result<(), IndexError> {
        for _ in 0..input.number()? {
            let (id, at) = (input.id()?, input.id()?);
            if at as usize >= n_bytes {
                return Err(IndexError::Damaged);
            }
            self.add(id, station, at);
        }
        Ok(())
    }

    fn add(&mut self, id: u32, station: u32, at: u32) {
        let own = self.nodes.len() as u32;
        let before = self.last.insert(id, own).unwrap_or(own);
        self.nodes.push(Node { id, station, at, before });
    }

    /// The last state that a station or one before it has.
    fn find(&self, id: u32, station: u32) -> Option<Node> {
        let mut at = *self.last.get(&id)?;
        loop {
            let node = self.nodes[at as usize];
            if node.station <= station {
                return Some(node);
            }
            if node.before == at {
                return None;
            }
            at = node.before;
        }
    }

    /// The last states that a station and those before it have, ascending by id.
    fn all(&self, station: u32) -> Vec<Node> {
        let mut found: Vec<Node> = self.last.keys().filter_map(|id| self.find(*id, station)).collect();
        found.sort_unstable_by_key(|node| node.id);
        found
    }
}

/// Changes of a state: actions and objects that are not as they were at a station. The rest of the snapshot is that of the moment.
#[derive(Debug)]
pub(super) struct Changes {
    pub(super) state: Snapshot,
    /// Number of actions and objects that did not exist at the station.
    pub(super) n_new_actions: usize,
    pub(super) n_new_objects: usize,
}

impl Stations {
    /// Writes them to an index.
    pub(super) fn write(&self, out: &mut IndexWriter<impl Write>) -> Result<(), IndexError> {
        out.number(self.graphs.len() as u64)?;
        for record in &self.graphs {
            out.number(u64::from(record.graph.0))?;
            out.place((record.parent.0, record.call.0), &record.index)?;
        }
        out.number(self.kept.len() as u64)?;
        let (mut actions, mut objects) = (0, 0);
        for (idx, station) in self.kept.iter().enumerate() {
            let Station { position, rest, n_graphs, n_actions, n_objects, failed, bytes } = station;
            out.number(*position)?;
            for number in [n_graphs, n_actions, n_objects] {
                out.number(*number as u64)?;
            }
            out.numbers(failed.iter().map(|action| u64::from(action.0)))?;
            out.snapshot(rest)?;
            out.bytes(bytes)?;
            actions = self.actions.write(actions, idx as u32, out)?;
            objects = self.objects.write(objects, idx as u32, out)?;
        }
        Ok(())
    }

    /// Reads what [`write`](Self::write) has written.
    pub(super) fn read(input: &mut IndexReader<impl Read>) -> Result<Self, IndexError> {
        let mut stations = Self {
            graphs: input.list(|input| {
                let graph = GraphInstanceId(input.id()?);
                let ((parent, call), index) = input.place()?;
                Ok(GraphRecord { graph, parent: GraphInstanceId(parent), call: CallId(call), index })
            })?,
            ..Self::default()
        };
        for idx in 0..input.number()? {
            let position = input.number()?;
            let [n_graphs, n_actions, n_objects] = [input.number()?, input.number()?, input.number()?];
            let failed = input.list(|input| Ok(ActionId(input.id()?)))?;
            let (rest, bytes) = (input.snapshot()?, input.bytes()?);
            if stations.last().is_some_and(|last| last >= position)
                || n_graphs as usize > stations.graphs.len()
            {
                return Err(IndexError::Damaged);
            }
            let n_before = stations.actions.nodes.len() + stations.objects.nodes.len();
            stations.actions.read(idx as u32, bytes.len(), input)?;
            stations.objects.read(idx as u32, bytes.len(), input)?;
            let n_states = stations.actions.nodes.len() + stations.objects.nodes.len() - n_before;
            stations.n_bytes += bytes_of_station(&bytes, n_states);
            stations.kept.push(Station {
                position,
                rest,
                n_graphs: n_graphs as usize,
                n_actions: n_actions as usize,
                n_objects: n_objects as usize,
                failed,
                bytes,
            });
        }
        Ok(stations)
    }

    /// Memory that the states take, in bytes.
    pub(super) fn n_bytes(&self) -> usize {
        self.n_bytes
    }

    /// Number of stations.
    pub(super) fn len(&self) -> usize {
        self.kept.len()
    }

    /// The position of a station in the order of all, and its moment: the last one before a moment, or there.
    pub(super) fn before(&self, position: u64) -> Option<(usize, u64)> {
        let idx = self.kept.partition_point(|station| station.position <= position).checked_sub(1)?;
        Some((idx, self.kept[idx].position))
    }

    /// Moment of the last one.
    pub(super) fn last(&self) -> Option<u64> {
        Some(self.kept.last()?.position)
    }

    /// Number of actions and objects at a station; none at the beginning.
    pub(super) fn n_at(&self, station: Option<usize>) -> (usize, usize) {
        station.map_or((0, 0), |idx| (self.kept[idx].n_actions, self.kept[idx].n_objects))
    }

    /// Actions that have failed up to a station.
    pub(super) fn failed_at(&self, station: usize) -> &[ActionId] {
        &self.kept[station].failed
    }

    /// An action at a station.
    pub(super) fn action(
        &self,
        station: usize,
        action: ActionId,
    ) -> Result<Option<ActionState>, SnapshotError> {
        self.actions.find(action.0, station as u32).map(|node| self.action_of(node)).transpose()
    }

    /// A shared object at a station.
    pub(super) fn object(
        &self,
        station: usize,
        object: ObjectId,
    ) -> Result<Option<ObjectState>, SnapshotError> {
        self.objects.find(object.0, station as u32).map(|node| self.object_of(node)).transpose()
    }

    fn action_of(&self, node: Node) -> Result<ActionState, SnapshotError> {
        ActionState::read(&self.kept[node.station as usize].bytes[node.at as usize..])
    }

    fn object_of(&self, node: Node) -> Result<ObjectState, SnapshotError> {
        ObjectState::read(&self.kept[node.station as usize].bytes[node.at as usize..])
    }

    /// Returns true if an object exists at a station.
    pub(super) fn has_object(&self, station: usize, object: ObjectId) -> bool {
        self.objects.find(object.0, station as u32).is_some()
    }

    /// The objects that exist at a station, ascending by id.
    pub(super) fn objects_at(&self, station: usize) -> Vec<ObjectId> {
        self.objects.all(station as u32).into_iter().map(|node| ObjectId(node.id)).collect()
    }

    /// The state at a station without actions and objects.
    pub(super) fn rest(&self, station: usize) -> Snapshot {
        let Station { rest, n_graphs, .. } = &self.kept[station];
        let mut graphs = self.graphs[..*n_graphs].to_vec();
        graphs.sort_unstable_by_key(|record| record.graph);
        Snapshot { graphs, ..rest.clone() }
    }

    /// A state whole, from what has changed since a station. Cost: linear in the actions and objects.
    pub(super) fn whole(&self, station: Option<usize>, changes: Changes) -> Result<Snapshot, SnapshotError> {
        let mut state = changes.state;
        let Some(station) = station else { return Ok(state) };
        let changed: FxHashSet<u32> = state.actions.iter().map(|action| action.record.action.0).collect();
        for node in self.actions.all(station as u32) {
            if !changed.contains(&node.id) {
                state.actions.push(self.action_of(node)?);
            }
        }
        let changed: FxHashSet<u32> = state.objects.iter().map(|object| object.record.object.0).collect();
        for node in self.objects.all(station as u32) {
            if !changed.contains(&node.id) {
                state.objects.push(self.object_of(node)?);
            }
        }
        state.actions.sort_unstable_by_key(|action| action.record.action);
        state.objects.sort_unstable_by_key(|object| object.record.object);
        Ok(state)
    }

    /// Adds a station behind the last one, at which this has changed since.
    pub(super) fn add(&mut self, position: u64, changes: Changes) -> Result<(), SnapshotError> {
        let Changes { mut state, n_new_actions, n_new_objects } = changes;
        let own = self.kept.len() as u32;
        let (n_actions, n_objects) = self.n_at(self.kept.len().checked_sub(1));
        let mut failed = self.kept.last().map_or(Vec::new(), |last| last.failed.clone());
        let mut bytes = Vec::new();
        for action in &state.actions {
            if action.has_failed {
                failed.push(action.record.action);
            }
            self.actions.add(action.record.action.0, own, bytes.len() as u32);
            state.write_action(action, &mut bytes)?;
        }
        for object in &state.objects {
            self.objects.add(object.record.object.0, own, bytes.len() as u32);
            state.write_object(object, &mut bytes)?;
        }
        failed.sort_unstable();
        failed.dedup();
        bytes.shrink_to_fit();
        let known: FxHashSet<u32> = self.graphs.iter().map(|record| record.graph.0).collect();
        let graphs = std::mem::take(&mut state.graphs);
        self.graphs.extend(graphs.into_iter().filter(|record| !known.contains(&record.graph.0)));
        self.n_bytes += bytes_of_station(&bytes, state.actions.len() + state.objects.len());
        (state.actions, state.objects) = (Vec::new(), Vec::new());
        self.kept.push(Station {
            position,
            rest: state,
            n_graphs: self.graphs.len(),
            n_actions: n_actions + n_new_actions,
            n_objects: n_objects + n_new_objects,
            failed,
            bytes,
        });
        Ok(())
    }

    /// Gives up all stations but those at multiples of a distance, and the first and the last one. What the others had is
    /// with the next one.
    pub(super) fn thin_out(&mut self, distance: u64) -> Result<(), SnapshotError> {
        let old = std::mem::take(self);
        self.graphs.clone_from(&old.graphs);
        let last = old.kept.len().saturating_sub(1);
        let (mut actions, mut objects) =
            (old.actions.nodes.iter().peekable(), old.objects.nodes.iter().peekable());
        let (mut of_actions, mut of_objects) = (FxHashMap::default(), FxHashMap::default());
        for (idx, station) in old.kept.iter().enumerate() {
            while let Some(node) = actions.next_if(|node| node.station as usize == idx) {
                of_actions.insert(node.id, *node);
            }
            while let Some(node) = objects.next_if(|node| node.station as usize == idx) {
                of_objects.insert(node.id, *node);
            }
            if !(station.position % distance == 0 || idx == 0 || idx == last) {
                continue;
            }
            let (before_actions, before_objects) = self.n_at(self.kept.len().checked_sub(1));
            let mut state = station.rest.clone();
            state.actions =
                of_actions.drain().map(|(_, node)| old.action_of(node)).collect::<Result<_, _>>()?;
            state.objects =
                of_objects.drain().map(|(_, node)| old.object_of(node)).collect::<Result<_, _>>()?;
            state.actions.sort_unstable_by_key(|action| action.record.action);
            state.objects.sort_unstable_by_key(|object| object.record.object);
            self.add(
                station.position,
                Changes {
                    state,
                    n_new_actions: station.n_actions - before_actions,
                    n_new_objects: station.n_objects - before_objects,
                },
            )?;
            if let Some(kept) = self.kept.last_mut() {
                kept.n_graphs = station.n_graphs;
            }
        }
        Ok(())
    }
}

/// About how much memory a station takes that has so many states.
fn bytes_of_station(bytes: &[u8], n_states: usize) -> usize {
    bytes.len() + 28 * n_states + 512
}
