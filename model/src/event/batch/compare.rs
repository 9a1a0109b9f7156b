//! How events of one batch compare.

use super::{EventBatch, MORE_SUCCESSORS, are_same};
use crate::id::{ActionId, EventId};

impl EventBatch {
    /// The action of the event at a position.
    #[inline(always)]
    pub(crate) fn action_at(&self, event_idx: usize) -> ActionId {
        self.heads[event_idx].action
    }

    /// Whether an event is as far from an earlier one of its action as `n_steps` says: it has the same rule, routes and number of
    /// values sent, and senders as much further; neither has accesses. Gives the number of its routes and senders.
    #[inline(always)]
    pub(crate) fn is_steps_behind(
        &self,
        earlier_idx: usize,
        event_idx: usize,
        n_steps: u64,
    ) -> Option<usize> {
        let ends = |idx: usize| match idx.checked_sub(1) {
            Some(before) => {
                let before = &self.heads[before];
                (before.routes_end as usize, before.flow_end as usize, before.shared_end)
            }
            None => (0, 0, 0),
        };
        let (earlier, event) = (&self.heads[earlier_idx], &self.heads[event_idx]);
        let ((routes_a, flow_a, shared_a), (routes_b, flow_b, shared_b)) =
            (ends(earlier_idx), ends(event_idx));
        let routes = (
            self.routes.get(routes_a..earlier.routes_end as usize)?,
            self.routes.get(routes_b..event.routes_end as usize)?,
        );
        let flow = (
            self.flow.get(flow_a..earlier.flow_end as usize)?,
            self.flow.get(flow_b..event.flow_end as usize)?,
        );
        let is_behind = |(past, now): (&EventId, &EventId)| {
            past.action == now.action && past.count.wrapping_add(n_steps) == now.count
        };
        let is_it = event.action == earlier.action
            && event.count == earlier.count.wrapping_add(n_steps)
            && event.rule == earlier.rule
            && event.flow_successors == earlier.flow_successors
            && event.flow_successors != MORE_SUCCESSORS
            && earlier.shared_end == shared_a
            && event.shared_end == shared_b
            && are_same(routes.0, routes.1)
            && flow.0.len() == flow.1.len()
            && flow.0.iter().zip(flow.1).all(is_behind);
        is_it.then_some(routes.1.len() + flow.1.len())
    }

    /// Whether the event behind a position is of the same action: most are not, and repeat nothing.
    #[inline(always)]
    pub(crate) fn has_successor_behind(&self, event_idx: usize) -> bool {
        self.heads.get(event_idx + 1).is_some_and(|next| next.action == self.heads[event_idx].action)
    }

    /// How many of the `most` events behind a position do the same as the one there, each a step further: the same rule,
    /// routes, number of values sent and of accesses, and senders whose counts grow with its own.
    #[inline]
    pub(crate) fn n_repeats(&self, event_idx: usize, most: usize) -> usize {
        let first = self.core(event_idx);
        let Some(behind) = self.heads.get(event_idx + 1..event_idx + 1 + most) else { return 0 };
        let mut before = &self.heads[event_idx];
        let mut step = 0_u64;
        for head in behind {
            let is_alike = head.action == before.action
                && head.rule == before.rule
                && head.flow_successors == before.flow_successors
                && head.count == before.count.wrapping_add(1)
                && (head.routes_end - before.routes_end) as usize == first.routes.len()
                && (head.flow_end - before.flow_end) as usize == first.flow.len()
                && (head.shared_end - before.shared_end) as usize == first.shared.len();
            if !is_alike {
                break;
            }
            let routes = &self.routes[before.routes_end as usize..head.routes_end as usize];
            let flow = &self.flow[before.flow_end as usize..head.flow_end as usize];
            let goes_on = |(past, sender): (&EventId, &EventId)| {
                past.action == sender.action && past.count.wrapping_add(step + 1) == sender.count
            };
            if !are_same(routes, first.routes) || !first.flow.iter().zip(flow).all(goes_on) {
                break;
            }
            before = head;
            step += 1;
        }
        step as usize
    }
}
