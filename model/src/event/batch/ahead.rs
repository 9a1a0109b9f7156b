//! Memory of a batch that is written before it is needed.

use super::{EventBatch, EventHead};
use crate::event::record::SharedAccess;
use crate::id::{ActionId, EventId, ObjectId};
use crate::plan::Access;

impl EventBatch {
    /// In how many parts its memory is [written ahead](Self::write_ahead).
    pub const N_PARTS: usize = 32;

    /// Writes once through the memory behind the items of each column, as far as one of [`N_PARTS`](Self::N_PARTS) of it. Where
    /// another thread has read it last, as that of a batch that was handed over and came back, each event would wait for
    /// cache lines of its own at the first locked instruction behind its stores; here the processor fetches them together.
    /// To be called so many events ahead as fill that part; changes no event. Time: that of filling so many bytes.
    pub fn write_ahead(&mut self) {
        let event = EventId { action: ActionId(0), count: 0 };
        let head = EventHead {
            count: 0,
            action: event.action,
            rule: 0,
            routes_end: 0,
            flow_end: 0,
            shared_end: 0,
            flow_successors: 0,
        };
        let access = SharedAccess { object: ObjectId(0), access: Access::Read, writer: None, readers: 0 };
        write_ahead(&mut self.heads, head);
        write_ahead(&mut self.routes, 0);
        write_ahead(&mut self.flow, event);
        write_ahead(&mut self.shared, access);
        write_ahead(&mut self.timings, None);
    }
}

/// Writes `item` into the next part of the memory behind a column's items.
fn write_ahead<T: Copy>(column: &mut Vec<T>, item: T) {
    let n_ahead = column.capacity() / EventBatch::N_PARTS + 1;
    for slot in column.spare_capacity_mut().iter_mut().take(n_ahead) {
        slot.write(item);
    }
}
