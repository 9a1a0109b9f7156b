//! Why an action is not firing: guard by guard and port by port, with who could send what is missing; and who waits for
//! whom in a circle.

use hasse_model::diagnostic::Location;
use hasse_model::id::GraphId;
use hasse_model::plan::{Target, Template};

use crate::inspect::desk::Desk;
use crate::inspect::point::shown;
use crate::inspect::waiting::questions::{Blocked, SenderOf, Waiter, blocked, senders_to, uncreated};
use crate::inspect::waiting::state::{missing_of_rules, waiting_action};
use crate::record::instrumentation::Instrumentation;
use crate::request::control::error::InspectError;
use crate::request::control::news::Why;
use crate::request::control::state::ActionState;
use crate::request::report::WaitCause;

/// Why an action is not firing.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// Its path.
    pub action: String,
    /// What it is doing.
    pub state: ActionState,
    /// Executions begun.
    pub count: u64,
    /// Why it stopped, if it is stopped.
    pub reasons: Vec<Why>,
    /// If it waits for a lock: the actions that hold the object.
    pub holders: Vec<String>,
    /// Ports (elements of families by index) that hold values, and how many.
    pub queued: Vec<(String, u64)>,
    /// Its firing rules, each with what keeps it from being taken.
    pub rules: Vec<RuleExplanation>,
    /// Of a call that nothing has been sent into: its input ports, with who could send there.
    pub inputs: Vec<MissingValue>,
}

/// What keeps a firing rule from being taken.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleExplanation {
    /// Position of the rule.
    pub rule: usize,
    /// Its text.
    pub text: String,
    /// Where it stands.
    pub at: Location,
    /// Its guard: holds, does not hold, or fails with this message. `None` where it has none.
    pub guard: Option<Result<bool, String>>,
    /// The names that the rule mentions, with their values.
    pub values: Vec<(String, String)>,
    /// What it misses.
    pub missing: Vec<MissingValue>,
}

/// A value that a firing rule misses.
#[derive(Clone, Debug, PartialEq)]
pub struct MissingValue {
    /// The port, with the index of the element of a family.
    pub port: String,
    /// Who could send it: the first hundred.
    pub senders: Vec<Sender>,
    /// Arcs that lead to the port, in the order of the file.
    pub arcs: Vec<String>,
}

/// An action that could send a value that another one misses.
#[derive(Clone, Debug, PartialEq)]
pub struct Sender {
    /// Its path.
    pub action: String,
    /// The arc by which the value would arrive.
    pub arc: String,
    /// What it is doing.
    pub state: ActionState,
    /// Executions begun.
    pub count: u64,
}

/// A step of a cycle of waiting.
#[derive(Clone, Debug, PartialEq)]
pub struct CycleStep {
    /// The action that waits.
    pub action: String,
    /// The port on which it misses a value.
    pub port: String,
    /// The arc by which the next action of the cycle could send it.
    pub arc: String,
}

/// Why actions are blocked: they wait for each other or for events that failed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Deadlock {
    /// A shortest cycle of actions each of which waits for the next, and the last for the first, and that nothing else can
    /// help; empty where there is none. Actions that do not exist may be part of it.
    pub cycle: Vec<CycleStep>,
    /// Failed events that blocked actions wait for, the nearest first; at most three.
    pub failed: Vec<WaitCause>,
}

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
        let (queued, rules) = match found {
            None => (Vec::new(), Vec::new()),
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
                        rule: rule.rule,
                        text: rule.text,
                        at: rule.at,
                        guard: rule.guard,
                        values,
                        missing: missing.collect(),
                    }
                });
                (waiting.queued, rules.collect())
            }
        };
        let holders = match &summary.state {
            ActionState::WaitsFor(object) => {
                let objects = crate::inspect::desk::Inspector::objects(self);
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
        let step = |step: Waiter| CycleStep { action: step.action, port: step.port, arc: step.arc };
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
    let words = |name: &str| {
        guard.split(|letter: char| !letter.is_alphanumeric() && letter != '_').any(|word| word == name)
    };
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
