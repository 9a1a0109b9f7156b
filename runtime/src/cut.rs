//! Cuts: where actions stand at a moment when none of them executes, for minimal records.
//!
//! A replay of a minimal record goes on where a run did not: beyond a stop node, an interruption or a kill. It
//! is enough to tell of the actions that hold values, or need none, how often they had executed. No other one can
//! be the first to execute beyond the cut: what it would take was sent within it, and would be there.

use std::time::{Duration, Instant};

use hasse_model::event::EventBatch;
use hasse_model::id::EventId;
use rustc_hash::FxHashSet;

use crate::freedom::may_fire_without_values;
use crate::instrumentation::{Instrumentation, ResultOrder};
use crate::scheduler::Scheduler;
use crate::session::Session;
use crate::worker::Ready;

/// A worker that is longer than this in an activation is not waited for.
const PATIENCE: Duration = Duration::from_millis(5);

impl<M: Instrumentation, K: ResultOrder, S: Scheduler<Ready<M, K>>> Session<'_, M, K, S> {
    /// Makes the record whole, if all workers are soon between two activations. Where bodies run for long this
    /// comes off when some happen to end together.
    pub(crate) fn try_cut(&self) {
        if !self.instrumentation.is_cut_due() {
            return;
        }
        let began = Instant::now();
        self.registry.reclaim.hold_all(PATIENCE, || self.instrumentation.hand_over_cut(self.cut()));
        self.instrumentation.cut_was_tried(began.elapsed());
    }

    /// Where actions stand, while no worker executes one.
    pub(crate) fn cut(&self) -> EventBatch {
        let mut batch = EventBatch::default();
        let mut cut = Vec::new();
        let mut known = FxHashSet::default();
        for instance in self.registry.instances() {
            let core = instance.core.lock();
            let template = self.program.plan.template(instance.template);
            let could_go_on = core.pending.is_some()
                || core.must_start
                || !instance.inbox.lock().is_empty()
                || core.ports.iter().any(|port| !port.is_empty())
                || template.fire.iter().any(may_fire_without_values);
            if !could_go_on {
                continue;
            }
            let around = instance.graph.outward().map_while(|graph| graph.record());
            let mut around: Vec<_> = around.take_while(|graph| known.insert(graph.graph)).collect();
            around.reverse();
            batch.graphs.extend(around);
            batch.actions.push(instance.record());
            // An execution that waits for a lock has begun and not ended.
            let n_ended = core.count - u64::from(core.pending.is_some());
            cut.push(EventId { action: instance.action, count: n_ended });
        }
        batch.cut = Some(cut);
        batch
    }
}
