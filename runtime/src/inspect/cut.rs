//! Cuts: where actions stand at a moment when none of them ends, for minimal records.
//!
//! A replay of a minimal record goes on where a run did not: beyond a stop node, an interruption or a kill. It
//! is enough to tell of the actions that hold values, or need none, how often they had executed. No other one can
//! be the first to execute beyond the cut: what it would take was sent within it, and would be there.
//!
//! A cut holds every worker between two activations or within a body: what is being executed there has not ended, and nobody
//! has seen anything of it. So no body keeps a cut from being made, however long it takes.

use std::time::Instant;

use hasse_model::event::EventBatch;
use hasse_model::id::{ActionId, EventId};
use hasse_record::collector::shelf::UnderWay;
use hasse_record::instrumentation::Instrumentation;
use hasse_runtime_plan::freedom::may_fire_without_values;
use hasse_store::instance::Inbox;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::fire::session::Session;

impl<M: Instrumentation> Session<'_, M> {
    /// Makes the record whole, if it is time for that.
    pub(crate) fn try_cut(&self) {
        if self.instrumentation.is_time_for_cut() {
            self.make_cut();
        }
    }

    /// A worker that has given up its gate lets a cut be made.
    pub(crate) fn let_cut(&self) {
        if self.instrumentation.cuts_often() {
            self.make_cut();
        } else {
            self.registry.reclaim.let_hold();
        }
    }

    fn make_cut(&self) {
        let began = Instant::now();
        let hold_body = |worker_idx| self.instrumentation.hold_body(worker_idx);
        let patience = self.instrumentation.cut_patience();
        let held = self.registry.reclaim.hold_all(patience, hold_body, |mut held| {
            let wait = began.elapsed();
            let bodies: Vec<UnderWay> = held.iter().map(|held| held.body).collect();
            let cut = self.cut(&bodies)?;
            self.instrumentation.hand_over_cut(&mut held, cut);
            Some(wait)
        });
        let elapsed = began.elapsed();
        let wait = held.flatten();
        let cost = wait.map(|wait| elapsed.saturating_sub(wait));
        self.instrumentation.cut_was_tried(cost, wait.unwrap_or(elapsed));
    }

    /// Where actions stand, while no worker executes one but within these bodies. `None` where somebody else looks at an action.
    pub(crate) fn cut(&self, bodies: &[UnderWay]) -> Option<EventBatch> {
        let mut batch = EventBatch::default();
        let mut cut = Vec::new();
        let mut known = FxHashSet::default();
        let under_way: FxHashMap<_, _> = bodies.iter().map(|body| (body.action, body.n_ended)).collect();
        let mut waited_for = self.waited_for(bodies);
        if self.has_bounds {
            // In a replay, which has no bounds, these values are there.
            for instance in self.registry.instances() {
                let core = instance.core.try_lock();
                let held =
                    core.iter().flat_map(|core| &core.held_back).flat_map(|held_back| held_back.ports());
                waited_for.extend(held.filter_map(|held| Some(held.target()?.action)));
            }
        }
        for instance in self.registry.instances() {
            let n_ended = match under_way.get(&instance.action) {
                Some(&n_ended) => n_ended,
                None => {
                    let core = instance.core.try_lock()?;
                    let template = self.program.plan.template(instance.template);
                    let has_values =
                        |inbox: &Inbox<M>| !inbox.is_empty() || inbox.n_delayed > 0 || inbox.n_looks > 0;
                    let could_go_on = core.pending.is_some()
                        || core.must_start
                        || has_values(&instance.inbox.lock())
                        || core.ports.iter().any(|port| !port.is_empty())
                        || template.fire.iter().any(may_fire_without_values)
                        || waited_for.contains(&instance.action);
                    if !could_go_on {
                        continue;
                    }
                    // An execution that waits for a lock has begun and not ended.
                    core.count - u64::from(core.pending.is_some())
                }
            };
            let around = instance.graph.outward().map_while(|graph| graph.record());
            let mut around: Vec<_> = around.take_while(|graph| known.insert(graph.graph)).collect();
            around.reverse();
            batch.graphs.extend(around);
            batch.actions.push(instance.record());
            cut.push(EventId { action: instance.action, count: n_ended });
        }
        batch.cut = Some(cut);
        Some(batch)
    }

    /// Actions for which values wait with workers that execute bodies.
    fn waited_for(&self, bodies: &[UnderWay]) -> FxHashSet<ActionId> {
        let (plan, notes) = (self.program.plan, self.instrumentation);
        let receivers = bodies.iter().flat_map(|body| {
            let lane = self.program.lanes[body.template.idx()].as_ref().ok();
            let receivers = lane.map_or(&[][..], |lane| &lane.receivers);
            let waiting = |(place, _): &(usize, _)| body.waiting >> place & 1 != 0;
            receivers.iter().enumerate().filter(waiting).map(|(_, receiver)| receiver.template)
        });
        receivers
            .map(|template| self.registry.only_instance(plan, notes, &self.main, template).action)
            .collect()
    }
}
