//! When values were sent and taken, by the way that they went: what was under way at any position.

use super::arrays::Record;
use super::edges::{Grouped, Via};

/// For each way, the positions at which its values were sent and taken. 8 bytes for each value.
///
/// Values that nobody ever took are not counted: a record does not say along which arc they went.
#[derive(Clone, Debug, Default)]
pub struct Flows {
    n_ways: u32,
    sent: Grouped,
    taken: Grouped,
}

impl Flows {
    /// Looks at all orderings of a record by values.
    pub fn of(record: &Record) -> Self {
        let n_ways = record.n_ways() as u32;
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for event in 0..record.n_events() {
            for before in record.before(event) {
                if let Via::Value(Some(way)) = before.via {
                    pairs.push((way, before.event));
                }
            }
        }
        // Those taken come in order.
        let taken = Grouped::of(n_ways as usize, || {
            (0..record.n_events()).flat_map(|event| {
                record.before(event).filter_map(move |before| match before.via {
                    Via::Value(Some(way)) => Some((way, event)),
                    _ => None,
                })
            })
        });
        pairs.sort_unstable();
        let sent = Grouped::of(n_ways as usize, || pairs.iter().copied());
        Self { n_ways, sent, taken }
    }

    /// Number of ways.
    pub fn n_ways(&self) -> u32 {
        self.n_ways
    }

    /// Number of values sent by the events before a position. Cost: a binary search.
    pub fn n_sent(&self, way: u32, position: u32) -> u64 {
        self.sent.get(way).partition_point(|&event| event < position) as u64
    }

    /// Number of values taken by the events before a position. Cost: a binary search.
    pub fn n_taken(&self, way: u32, position: u32) -> u64 {
        self.taken.get(way).partition_point(|&event| event < position) as u64
    }

    /// Number of values that were sent and not yet taken at a position.
    pub fn n_under_way(&self, way: u32, position: u32) -> u64 {
        self.n_sent(way, position).saturating_sub(self.n_taken(way, position))
    }
}
