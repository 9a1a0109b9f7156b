//! Why an action is not firing: guard by guard and port by port, with who could send what is missing; and who waits for
//! whom in a circle.

use hasse_model::id::GraphId;
use hasse_model::name::is_of_name;
use hasse_model::plan::{Target, Template};
use hasse_record::instrumentation::Instrumentation;
pub(crate) use hasse_request::control::error::InspectError;
use hasse_request::control::explanation::{
    CycleStep, Deadlock, Explanation, MissingValue, RuleExplanation, Sender,
};
pub(crate) use hasse_request::control::state::ActionState;

use crate::inspect::desk::Desk;
use crate::inspect::point::shown;
use crate::inspect::waiting::questions::{Blocked, SenderOf, Waiter, blocked, senders_to, uncreated};
use crate::inspect::waiting::state::{missing_of_rules, waiting_action};

/// Most senders that are told of one value.
const MAX_SENDERS: usize = 100;

impl<M: Instrumentation> Desk<'_, '_, '_, M> {
    pub(crate) fn explanation(&mut self, path: &str) -> Result<Explanation, InspectError> {
        let instance = match self.find(path) {
            Ok(instance) => instance,
            Err(error) => return self.unborn(path).ok_or(error),
        };
        let session = self.worker.session;
        let summary = self.summary(&instance);
        if let Some(stop) = self.line(path) {
            return Ok(Explanation {
                action: summary.path,
                state: summary.state,
                count: summary.count,
                reasons: stop.scene.reasons.clone(),
                holders: Vec::new(),
                queued: Vec::new(),
                held_back: Vec::new(),
                n_delayed: 0,
                rules: Vec::new(),
                inputs: Vec::new(),
            });
        }
        let busy = || InspectError::Busy { path: path.to_owned() };
        let mut core = instance.core.try_lock().ok_or_else(busy)?;
        let pending = core.pending.take();
        let stopped = pending.as_ref().and_then(|pending| pending.controlled.as_ref()?.stopped.as_ref());
        let reasons = stopped.map(|stopped| stopped.reasons.clone()).unwrap_or_default();
        let template = session.program.plan.template(instance.template);
        let mut misses = Vec::new();
        let found = if pending.is_some() {
            // Its names are with the execution: its rules are looked at when that is over.
            None
        } else {
            Some(self.worker.inspect(&instance, &mut core, |worker, core| {
                misses = missing_of_rules(worker, template, core);
                let values: Vec<_> =
                    template.fire.iter().map(|rule| values_in(worker, template, &rule.text)).collect();
                (waiting_action(worker, &instance, core), values)
            }))
        };
        core.pending = pending;
        drop(core);
        let n_delayed = u64::from(instance.inbox.lock().n_delayed);
        let (queued, held_back, rules) = match found {
            None => (Vec::new(), Vec::new(), Vec::new()),
            Some((waiting, values)) => {
                let elements: Vec<_> = waiting
                    .rules
                    .iter()
                    .zip(&misses)
                    .flat_map(|(rule, missing)| &missing[..rule.missing.len()])
                    .cloned()
                    .collect();
                let senders = senders_to(self.worker, &instance, &elements, MAX_SENDERS);
                let mut senders = elements.iter().map(|(port, _)| *port).zip(senders);
                let rules = waiting.rules.into_iter().zip(values).map(|(rule, values)| {
                    let missing = rule.missing.into_iter().zip(&mut senders);
                    let missing = missing.map(|(name, (port, senders))| MissingValue {
                        port: name,
                        senders: self.senders(senders),
                        arcs: self.arcs_to(template.graph, Target::Unit(instance.template), port),
                    });
                    RuleExplanation {
                        is_timed: template.fire[rule.rule].after.is_some(),
                        rule: rule.rule,
                        text: rule.text,
                        at: rule.at,
                        guard: rule.guard,
                        values,
                        missing: missing.collect(),
                    }
                });
                (waiting.queued, waiting.held_back, rules.collect())
            }
        };
        let holders = match &summary.state {
            ActionState::WaitsFor(object) => {
                let objects = hasse_request::control::inspector::Inspector::objects(self);
                objects
                    .into_iter()
                    .find(|known| known.path == *object)
                    .map(|known| known.holders)
                    .unwrap_or_default()
            }
            _ => Vec::new(),
        };
        Ok(Explanation {
            action: summary.path,
            state: summary.state,
            count: summary.count,
            reasons,
            holders,
            queued,
            held_back,
            n_delayed,
            rules,
            inputs: Vec::new(),
        })
    }

    /// What is known of an action that does not exist, or of a call that nothing has been sent into.
    fn unborn(&mut self, path: &str) -> Option<Explanation> {
        let found = uncreated(self.worker, path, MAX_SENDERS)?;
        let rules = found.rules.into_iter().map(|(rule, senders)| {
            let missing = rule.missing.into_iter().zip(senders).map(|(port, senders)| MissingValue {
                port,
                senders: self.senders(senders),
                arcs: Vec::new(),
            });
            RuleExplanation {
                rule: rule.rule,
                text: rule.text,
                at: rule.at,
                guard: rule.guard,
                values: Vec::new(),
                missing: missing.collect(),
                // Its values are not there.
                is_timed: false,
            }
        });
        let rules = rules.collect();
        let inputs = found.inputs.into_iter().map(|(port, senders)| MissingValue {
            port,
            senders: self.senders(senders),
            arcs: Vec::new(),
        });
        let inputs = inputs.collect();
        Some(Explanation {
            action: found.path,
            state: ActionState::NotCreated,
            count: 0,
            reasons: Vec::new(),
            holders: Vec::new(),
            queued: Vec::new(),
            held_back: Vec::new(),
            n_delayed: 0,
            rules,
            inputs,
        })
    }

    fn senders(&self, senders: Vec<SenderOf<M>>) -> Vec<Sender> {
        let sender = |found: SenderOf<M>| match found.instance {
            Some(instance) => {
                let summary = self.summary(&instance);
                Sender { action: summary.path, arc: found.arc, state: summary.state, count: summary.count }
            }
            None => Sender { action: found.path, arc: found.arc, state: ActionState::NotCreated, count: 0 },
        };
        senders.into_iter().map(sender).collect()
    }

    fn arcs_to(&self, graph: GraphId, target: Target, port: usize) -> Vec<String> {
        let plan = self.worker.session.program.plan;
        let leads = |arc: &&hasse_model::plan::Arc| {
            arc.graph == graph && arc.target == target && arc.target_port == port
        };
        plan.arcs.iter().filter(leads).map(|arc| arc.text.clone()).collect()
    }

    pub(crate) fn blocked(&mut self, is_interrupted: &dyn Fn() -> bool) -> Option<Deadlock> {
        // A program that has come to its end waits for nothing.
        if self.worker.session.has_ended.load(std::sync::atomic::Ordering::Relaxed) {
            return Some(Deadlock::default());
        }
        let Blocked { circle, failed } = blocked(self.worker, is_interrupted)?;
        let step = |step: Waiter| CycleStep {
            action: step.action,
            port: step.port,
            arc: step.arc,
            is_full: step.is_full,
        };
        Some(Deadlock { cycle: circle.into_iter().map(step).collect(), failed })
    }
}

/// The names of a node that a rule mentions, with their values.
fn values_in<M: Instrumentation>(
    worker: &crate::fire::worker::Worker<'_, '_, M>,
    template: &Template,
    text: &str,
) -> Vec<(String, String)> {
    use hasse_model::plan::SlotKind;
    let Some((_, guard)) = text.split_once(" if ") else { return Vec::new() };
    let words = |name: &str| guard.split(|letter: char| !is_of_name(letter)).any(|word| word == name);
    let mentioned = template.slots.iter().filter(|slot| {
        !matches!(slot.kind, SlotKind::Bound | SlotKind::Shared | SlotKind::Let | SlotKind::Rule)
            && words(&slot.name)
    });
    let told = mentioned.filter_map(|slot| {
        let held = worker.frame.value_of(&slot.name)?;
        Some((slot.name.clone(), shown(held)))
    });
    told.collect()
}
