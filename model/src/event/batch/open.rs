//! The event at the end of a batch, while it is under construction: a recorder writes each part where it stays.

use super::{EventBatch, EventHead, MORE_SUCCESSORS, end_of};
use crate::event::{EventRecord, SharedAccess};
use crate::id::EventId;
use crate::plan::Access;

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

    /// Takes in events of one action that ended well and are alike: each does the same as the one before it, with senders a
    /// step further. Where they write a shared object, the first one has found `shared` there, and each other one has
    /// found what the one before it left.
    ///
    /// # Panics
    /// If the lists of one batch take more than 2^32 items.
    #[allow(clippy::too_many_arguments, reason = "the columns of an event")]
    pub fn push_run(
        &mut self,
        first: EventId,
        n_events: usize,
        rule: i32,
        routes: &[u32],
        flow: &[EventId],
        shared: Option<SharedAccess>,
        flow_successors: u64,
    ) {
        let steps = 0..n_events as u64;
        let stepped =
            |id: EventId, step: u64| EventId { action: id.action, count: id.count.wrapping_add(step) };
        let successors = u32::try_from(flow_successors).unwrap_or(MORE_SUCCESSORS);
        if successors == MORE_SUCCESSORS {
            // There are as many values in memory: it does not matter how long this takes.
            for step in steps {
                flow.iter().for_each(|&sender| self.add_flow(stepped(sender, step)));
                routes.iter().for_each(|&route| self.add_route(route));
                shared.iter().for_each(|&shared| self.add_shared(accessed(shared, first, step)));
                self.close(stepped(first, step), rule, flow_successors);
            }
            return;
        }
        let mut head = EventHead {
            count: first.count,
            action: first.action,
            rule,
            routes_end: end_of(&self.routes),
            flow_end: end_of(&self.flow),
            shared_end: end_of(&self.shared),
            flow_successors: successors,
        };
        match routes {
            [route] => self.routes.resize(self.routes.len() + n_events, *route),
            _ => steps.clone().for_each(|_| self.routes.extend_from_slice(routes)),
        }
        match *flow {
            [sender] => self.flow.extend(steps.clone().map(|step| stepped(sender, step))),
            _ => steps
                .clone()
                .for_each(|step| self.flow.extend(flow.iter().map(|&sender| stepped(sender, step)))),
        }
        self.shared.extend(
            shared.into_iter().flat_map(|found| steps.clone().map(move |step| accessed(found, first, step))),
        );
        // The ends that are about to be written fit, if the last ones do.
        (end_of(&self.routes), end_of(&self.flow), end_of(&self.shared));
        let (n_routes, n_flow, n_shared) =
            (routes.len() as u32, flow.len() as u32, u32::from(shared.is_some()));
        self.heads.extend(steps.map(|step| {
            head.count = first.count.wrapping_add(step);
            head.routes_end += n_routes;
            head.flow_end += n_flow;
            head.shared_end += n_shared;
            head
        }));
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
}

/// What the `step`-th event behind the first one finds, of which each writes the object.
fn accessed(found: SharedAccess, first: EventId, step: u64) -> SharedAccess {
    match step.checked_sub(1) {
        None => found,
        Some(before) => SharedAccess {
            object: found.object,
            access: Access::Write,
            writer: Some(EventId { action: first.action, count: first.count.wrapping_add(before) }),
            readers: 0,
        },
    }
}
