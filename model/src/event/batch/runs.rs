//! Events that are alike: told once, with their number, from the worker that executes them to the file.

use super::{Core, EventBatch, EventExtra, MORE_SUCCESSORS, Run};
use crate::event::record::{Effect, SharedAccess};
use crate::id::EventId;

impl EventBatch {
    /// Takes in events of one action that ended well and are alike: each does the same as the one before it, with senders a
    /// step further. Where they access a shared object, the first one has found `shared` there, and each other one has
    /// found what that access [leaves](SharedAccess::left_by). Time: that of one event.
    ///
    /// The events have one head: whoever looks at them by [`rows`](Self::rows) [unfolds](Self::unfold) them first.
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
        let event = Core { id: first, rule, flow_successors, routes, flow, shared: shared.as_slice() };
        let goes_on = shared.is_none_or(|found| found == found.left_by(stepped(first, u64::MAX)));
        if goes_on && self.is_like_last(&event) {
            self.add_repeats(n_events);
            return;
        }
        self.push_done(first, rule, routes, flow, event.shared, flow_successors);
        if n_events < 2 {
            return;
        }
        if let (Some(found), false) = (shared, goes_on) {
            self.push_stepped(&event, 1, Some(found.left_by(first)));
            self.add_repeats(n_events - 2);
        } else {
            self.add_repeats(n_events - 1);
        }
    }

    /// Takes in the same events as [`push_run`](Self::push_run), each with a head of its own; `own` has the firing rule of
    /// each, and the answers of the world to it, by position.
    ///
    /// # Panics
    /// If the lists of one batch take more than 2^32 items.
    #[allow(clippy::too_many_arguments, reason = "the columns of an event")]
    pub fn push_each<'e>(
        &mut self,
        (first, n_events): (EventId, usize),
        routes: &[u32],
        flow: &[EventId],
        shared: Option<SharedAccess>,
        flow_successors: u64,
        own: impl Fn(u64) -> (i32, &'e [Effect]),
    ) {
        let (rule, answers) = own(0);
        self.push_done(first, rule, routes, flow, shared.as_slice(), flow_successors);
        self.add_answers(answers);
        let event = Core { id: first, rule, flow_successors, routes, flow, shared: shared.as_slice() };
        for step in 1..n_events as u64 {
            let found = shared.map(|found| found.left_by(stepped(first, step - 1)));
            let (rule, answers) = own(step);
            self.push_stepped(&Core { rule, ..event }, step, found);
            self.add_answers(answers);
        }
    }

    /// Returns true if an event that accesses what the one before it has left is like the last one of the batch, a step further.
    #[inline]
    fn is_like_last(&self, event: &Core<'_>) -> bool {
        let Some(last_idx) = self.heads.len().checked_sub(1) else { return false };
        let head = &self.heads[last_idx];
        if head.action != event.id.action || head.flow_successors == MORE_SUCCESSORS {
            return false;
        }
        let is_told_of = self.answered.last().is_some_and(|answered| answered.event_idx as usize == last_idx)
            || self.extras.last().is_some_and(|extra| extra.event_idx == last_idx)
            || self.timings.len() > last_idx
            || self.relayed_ends.len() > last_idx;
        let (last, n_steps) = (self.core(last_idx), 1 + self.n_repeats_of(last_idx) as u64);
        let steps = |past: &EventId, now: &EventId| stepped(*past, n_steps) == *now;
        !is_told_of
            && steps(&last.id, &event.id)
            && last.rule == event.rule
            && last.flow_successors == event.flow_successors
            && super::are_same(last.routes, event.routes)
            && last.flow.len() == event.flow.len()
            && last.flow.iter().zip(event.flow).all(|(past, now)| steps(past, now))
            && match (last.shared, event.shared) {
                ([], []) => true,
                ([past], [now]) => {
                    *past == past.left_by(stepped(last.id, u64::MAX))
                        && *now == past.left_by(stepped(last.id, n_steps - 1))
                }
                _ => false,
            }
    }

    #[inline]
    fn add_repeats(&mut self, n_repeats: usize) {
        if n_repeats == 0 {
            return;
        }
        self.n_repeated += n_repeats;
        let head_idx = self.heads.len() - 1;
        match self.runs.last_mut() {
            Some(run) if run.head_idx == head_idx => run.n_repeats += n_repeats,
            _ => self.runs.push(Run { head_idx, n_repeats }),
        }
    }

    /// Number of heads: of events, less those that repeat others without one. Also that of [folded rows](Self::folded_rows).
    pub fn n_heads(&self) -> usize {
        self.heads.len()
    }

    /// How many events without a head are behind the event of one.
    #[inline]
    pub(crate) fn n_repeats_of(&self, head_idx: usize) -> usize {
        match self.runs.last() {
            None => 0,
            Some(run) if run.head_idx == head_idx => run.n_repeats,
            _ => {
                let found = self.runs.binary_search_by_key(&head_idx, |run| run.head_idx);
                found.map_or(0, |run_idx| self.runs[run_idx].n_repeats)
            }
        }
    }

    /// Adds events without a head, as many as `n_gathered` says of each head: each goes on with those that are told by its head
    /// already. Heads behind the end of the list have none.
    pub(crate) fn add_gathered(&mut self, n_gathered: &[u32]) {
        let mut told = std::mem::take(&mut self.runs).into_iter().peekable();
        for (head_idx, &n_more) in n_gathered.iter().enumerate() {
            let n_told = told.next_if(|run| run.head_idx == head_idx).map_or(0, |run| run.n_repeats);
            let n_repeats = n_told + n_more as usize;
            if n_repeats > 0 {
                self.runs.push(Run { head_idx, n_repeats });
            }
            self.n_repeated += n_more as usize;
        }
        self.runs.extend(told);
    }

    /// Events without a head, in order.
    pub(crate) fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// Gives each event a head of its own. Time: linear in the events, if some have none.
    pub fn unfold(&mut self) {
        if self.runs.is_empty() {
            return;
        }
        let mut folded = std::mem::take(self);
        self.graphs = std::mem::take(&mut folded.graphs);
        self.actions = std::mem::take(&mut folded.actions);
        self.objects = std::mem::take(&mut folded.objects);
        self.cut = folded.cut.take();
        self.edits = std::mem::take(&mut folded.edits);
        self.reserve(folded.n_events());
        for head_idx in 0..folded.heads.len() {
            self.push_head_of(&folded, head_idx);
            let event = folded.core(head_idx);
            for step in 1..=folded.n_repeats_of(head_idx) as u64 {
                let before = stepped(event.id, step - 1);
                self.push_stepped(&event, step, event.shared.first().map(|found| found.left_by(before)));
            }
        }
        self.payload_bytes = folded.payload_bytes;
    }

    /// Gives up all heads but some, which are told in ascending order, and what the batch announces. Events without a head are
    /// given up with it, and with the heads that stay: whoever keeps these knows their numbers. Time: linear in what stays.
    pub fn keep_heads(&mut self, kept: impl IntoIterator<Item = usize>) {
        let all = std::mem::take(self);
        kept.into_iter().for_each(|head_idx| self.push_head_of(&all, head_idx));
    }

    /// Adds the event of a head of another batch, with all that is told of it.
    fn push_head_of(&mut self, other: &Self, head_idx: usize) {
        let event = other.core(head_idx);
        self.push_done(event.id, event.rule, event.routes, event.flow, event.shared, event.flow_successors);
        self.add_answers(other.effects_of(head_idx));
        if let Some(extra) = other.extra_of(head_idx) {
            let event_idx = self.heads.len() - 1;
            *self.add_extra(event.flow_successors) = EventExtra { event_idx, ..extra.clone() };
        }
        self.add_relayed(other.relayed_of(head_idx));
        if let Some(timing) = other.timing_of(head_idx) {
            self.add_timing(timing);
        }
    }

    /// Adds an event that is so many steps further than another one.
    fn push_stepped(&mut self, event: &Core<'_>, step: u64, shared: Option<SharedAccess>) {
        event.flow.iter().for_each(|&sender| self.add_flow(stepped(sender, step)));
        event.routes.iter().for_each(|&route| self.add_route(route));
        shared.into_iter().for_each(|access| self.add_shared(access));
        self.close(stepped(event.id, step), event.rule, event.flow_successors);
    }
}

/// An event of the same action, so many steps further.
#[inline]
fn stepped(id: EventId, n_steps: u64) -> EventId {
    EventId { action: id.action, count: id.count.wrapping_add(n_steps) }
}
