//! The event at the end of a batch, while it is under construction: a recorder writes each part where it stays.

use super::{EventBatch, EventHead, MORE_SUCCESSORS, end_of};
use crate::event::record::{Effect, EventRecord, SharedAccess};
use crate::id::EventId;

impl EventBatch {
    /// Adds an immediate flow predecessor to the event that is [closed](Self::close) next.
    #[inline]
    pub fn add_flow(&mut self, sender: EventId) {
        self.flow.push(sender);
    }

    /// Adds an access of a shared object to the event that is [closed](Self::close) next.
    #[inline]
    pub fn add_shared(&mut self, access: SharedAccess) {
        self.shared.push(access);
    }

    /// Adds a routing rule to the event that is [closed](Self::close) next.
    #[inline]
    pub fn add_route(&mut self, rule_idx: u32) {
        self.routes.push(rule_idx);
    }

    /// Takes in an event that ended well, with what was added since the last one.
    ///
    /// # Panics
    /// If the lists of one batch take more than 2^32 items.
    #[inline]
    pub fn close(&mut self, id: EventId, rule: i32, flow_successors: u64) {
        let successors = u32::try_from(flow_successors).unwrap_or(MORE_SUCCESSORS);
        self.heads.push(EventHead {
            count: id.count,
            action: id.action,
            rule,
            routes_end: end_of(&self.routes),
            flow_end: end_of(&self.flow),
            shared_end: end_of(&self.shared),
            flow_successors: successors,
        });
        if successors == MORE_SUCCESSORS {
            self.add_extra(flow_successors);
        }
    }

    /// Adds the answers of the world outside to the last event.
    #[inline]
    pub fn add_answers(&mut self, answers: &[Effect]) {
        answers.iter().for_each(|effect| self.add_effect(effect.clone()));
    }

    /// Takes out what was added since the last event: it is to be told in another way. Flow predecessors and accesses go
    /// to the record.
    pub fn reopen(&mut self, record: &mut EventRecord) {
        let head = self.heads.last();
        let (routes, flow, shared) =
            head.map_or((0, 0, 0), |head| (head.routes_end, head.flow_end, head.shared_end));
        self.routes.truncate(routes as usize);
        record.flow.extend(self.flow.drain(flow as usize..));
        record.shared.extend(self.shared.drain(shared as usize..));
    }

    /// Moves what was added since the last event to the batch that is filled next, which is empty: this one is handed over
    /// while an event is under construction.
    pub fn move_open(&mut self, next: &mut EventBatch) {
        let head = self.heads.last();
        let (routes, flow, shared) =
            head.map_or((0, 0, 0), |head| (head.routes_end, head.flow_end, head.shared_end));
        next.routes.extend(self.routes.drain(routes as usize..));
        next.flow.extend(self.flow.drain(flow as usize..));
        next.shared.extend(self.shared.drain(shared as usize..));
    }

    /// Gives up what was added since the last event, and the objects that are announced, of a batch in which no event is
    /// told: nobody records. It keeps its memory.
    #[inline(always)]
    pub fn forget(&mut self) {
        self.routes.clear();
        self.flow.clear();
        self.shared.clear();
        self.objects.clear();
    }
}
