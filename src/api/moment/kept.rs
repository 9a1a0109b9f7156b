//! Memory of a timeline: its stations, and the states that were asked for last.

use std::collections::VecDeque;
use std::sync::Arc;

use hasse_model::snapshot::{Snapshot, SnapshotError};

use super::own_ids::OwnIds;
use super::stations::{Changes, Stations};
use crate::api::event::heap_bytes;

/// Maximum number of states that are kept whole.
const MOST_RECENT: usize = 16;

/// The stations of a timeline, and the ids in their states.
#[derive(Debug, Default)]
pub(super) struct States {
    pub(super) stations: Stations,
    pub(super) ids: OwnIds,
    pub(super) most_bytes: usize,
    /// Number of events between stations.
    pub(super) distance: u64,
}

impl States {
    /// Adds a station. Where there are too many bytes, the distance of stations is doubled, and only these are kept.
    pub(super) fn add(&mut self, position: u64, changes: Changes) -> Result<(), SnapshotError> {
        self.stations.add(position, changes)?;
        self.thin_out()
    }

    /// Gives stations up until the others have room.
    pub(super) fn thin_out(&mut self) -> Result<(), SnapshotError> {
        while self.stations.n_bytes() > self.most_bytes
            && self.stations.len() > 2
            && self.distance < u64::MAX / 2
        {
            self.distance *= 2;
            self.stations.thin_out(self.distance)?;
        }
        Ok(())
    }
}

/// The states that were asked for last, whole.
#[derive(Debug, Default)]
pub(super) struct Recent {
    kept: VecDeque<(u64, usize, Arc<Snapshot>)>,
    most_bytes: usize,
}

impl Recent {
    /// None yet, and later as many as take no more bytes than this.
    pub(super) fn within(most_bytes: usize) -> Self {
        Self { kept: VecDeque::new(), most_bytes }
    }

    pub(super) fn find(&self, position: u64) -> Option<Arc<Snapshot>> {
        self.kept.iter().find(|(at, ..)| *at == position).map(|(.., state)| Arc::clone(state))
    }

    /// Keeps a state; others give way where there are too many bytes.
    pub(super) fn keep(&mut self, position: u64, state: &Arc<Snapshot>) {
        self.kept.push_back((position, bytes_of(state), Arc::clone(state)));
        let n_bytes = |kept: &VecDeque<(u64, usize, Arc<Snapshot>)>| {
            kept.iter().map(|(_, n_bytes, _)| n_bytes).sum::<usize>()
        };
        while self.kept.len() > 1 && (self.kept.len() > MOST_RECENT || n_bytes(&self.kept) > self.most_bytes)
        {
            self.kept.pop_front();
        }
    }
}

/// About how many bytes a state takes. Values that are shared count each time.
fn bytes_of(state: &Snapshot) -> usize {
    let actions = state.actions.iter().map(|action| {
        let vars = action.vars.iter().flatten().map(|(name, value)| 48 + name.len() + heap_bytes(value));
        let queues = action.queues.iter().map(|queue| {
            let values = queue.values.iter().map(|sent| 64 + heap_bytes(&sent.value));
            96 + values.sum::<usize>()
        });
        256 + vars.sum::<usize>() + queues.sum::<usize>()
    });
    let objects = state.objects.iter().map(|object| 128 + heap_bytes(&object.value));
    actions.sum::<usize>() + objects.sum::<usize>() + 64 * state.graphs.len() + 16 * state.reclaimed.len()
}
