//! Decisions from outside: which firing rule an execution takes, and whose values.

use hasse_body::script::CodeError;
use hasse_model::id::EventId;
use hasse_model::plan::{FiringRule, Template};
use hasse_record::instrumentation::Instrumentation;
use hasse_request::decision::names::{ActionName, EventName, PortName};
use hasse_request::decision::{ChoiceKind, Possibility, TakenValue};
use hasse_store::instance::{Core, Instance};

use crate::fire::select::cause::earliest_of;
use crate::fire::wanted::earlier_of;
use crate::fire::worker::Worker;

/// A rule that can be taken, or that fails when it is looked at.
struct OpenRule {
    rule: usize,
    error: Option<CodeError>,
}

impl<'p, M: Instrumentation> Worker<'_, 'p, M> {
    /// The rule that is chosen, or the rule whose guard fails, with the error; `None` where nothing is chosen any more.
    pub(crate) fn decided_choice(
        &mut self,
        instance: &Instance<M>,
        core: &mut Core<M>,
        template: &'p Template,
        id: EventId,
    ) -> Option<(i32, Option<CodeError>)> {
        let choices = self.session.scheduler.by_choice()?;
        let n_rules = template.fire.len();
        let mut found = Vec::new();
        for turn in 0..n_rules {
            let rule = (core.first_rule as usize + turn) % n_rules;
            let error = match self.is_enabled(core, template, &template.fire[rule]) {
                Ok(true) => None,
                Ok(false) => continue,
                Err(error) if error.is_interruption() => return None,
                Err(error) => Some(error),
            };
            found.push(OpenRule { rule, error });
        }
        let mut possible = without_hidden(template, found);
        possible.sort_by_key(|option| option.rule);
        if template.prefers {
            possible.truncate(1);
        }
        let taken = match possible.len() {
            0 => return None,
            1 => 0,
            _ => {
                let event = choices.event_name(id)?;
                let listed = possible
                    .iter()
                    .map(|option| Possibility::Rule { rule: option.rule, fails: option.error.is_some() });
                choices.decide(ChoiceKind::Rule { event }, listed.collect())?
            }
        };
        let OpenRule { rule, error } = possible.swap_remove(taken);
        let fire = &template.fire[rule];
        match &error {
            None => {
                self.want(core, template, fire, None).ok()?;
                self.position_first();
                self.decide_arrivals(instance, core, id).then_some(())?;
            }
            Some(_) => self.find_causes(instance, core, id, Some(fire)).then_some(())?,
        }
        Some((rule as i32, error))
    }

    /// Gives each value wanted the position of the first one that is there of the sender that is chosen. Returns false where
    /// nothing is chosen any more.
    pub(crate) fn decide_arrivals(
        &mut self,
        instance: &Instance<M>,
        core: &mut Core<M>,
        id: EventId,
    ) -> bool {
        let Some(choices) = self.session.scheduler.by_choice() else { return true };
        let plan = self.session.program.plan;
        let Some(event) = choices.event_name(id) else { return true };
        let mut taken = Vec::with_capacity(self.wanted.len());
        for wanted_idx in 0..self.wanted.len() {
            let wanted = &self.wanted[wanted_idx];
            let is_taken = |position: usize| {
                earlier_of(&self.wanted, wanted_idx).any(|earlier| earlier.position == position)
            };
            let mut senders: Vec<EventId> = Vec::new();
            let mut values: Vec<(Option<EventName>, usize)> = Vec::new();
            let Some(line) = core.ports[wanted.port].line(&wanted.elements) else { continue };
            for (position, token) in line.iter().enumerate() {
                let Some(sender) = M::sender(&token.stamp).filter(|_| !is_taken(position)) else { continue };
                if senders.iter().all(|known| known.action != sender.action) {
                    senders.push(sender);
                    values.push((choices.event_name(sender), position));
                }
            }
            values.sort();
            let port = PortName::new(plan, event.action.clone(), wanted.port, &wanted.elements);
            let nth = match values.len() {
                0 => continue,
                1 => 0,
                _ => {
                    let listed = values
                        .iter()
                        .map(|(sender, _)| Possibility::Value { port: port.clone(), sender: sender.clone() });
                    let kind = ChoiceKind::Arrival { event: event.clone(), value: wanted_idx };
                    let Some(nth) = choices.decide(kind, listed.collect()) else { return false };
                    nth
                }
            };
            let (sender, position) = values.swap_remove(nth);
            self.wanted[wanted_idx].position = position;
            taken.push(TakenValue { port, sender });
        }
        choices.note_taken(instance.action, taken);
        true
    }

    /// An execution that fails before it looks at a value comes after the first one that has arrived at all: has that chosen.
    /// Returns false where nothing is chosen any more.
    pub(crate) fn decide_first(&mut self, instance: &Instance<M>, core: &mut Core<M>, id: EventId) -> bool {
        let Some(choices) = self.session.scheduler.by_choice() else { return true };
        let plan = self.session.program.plan;
        let action = ActionName::new(plan, &instance.graph, instance.template, &instance.index);
        let event = EventName { action, count: id.count };
        let mut first = Vec::new();
        for port in 0..core.ports.len() {
            let mut actions = Vec::new();
            core.ports[port].each(|token| {
                let sender = M::sender(&token.stamp).map(|sender| sender.action);
                actions.extend(sender.filter(|sender| !actions.contains(sender)));
            });
            for action in actions {
                let Some(wanted) = earliest_of(core, port, action) else { continue };
                let token = core.ports[port].token(&wanted.elements, wanted.position);
                let sender = token.and_then(|token| M::sender(&token.stamp));
                let sender = sender.and_then(|sender| choices.event_name(sender));
                let port = PortName::new(plan, event.action.clone(), port, &wanted.elements);
                first.push((port, sender, wanted));
            }
        }
        first.sort_by(|left, right| (&left.0, &left.1).cmp(&(&right.0, &right.1)));
        let nth = match first.len() {
            0 => return true,
            1 => 0,
            _ => {
                let listed = first.iter().map(|(port, sender, _)| Possibility::Value {
                    port: port.clone(),
                    sender: sender.clone(),
                });
                let kind = ChoiceKind::Arrival { event, value: 0 };
                let Some(nth) = choices.decide(kind, listed.collect()) else { return false };
                nth
            }
        };
        let (port, sender, wanted) = first.swap_remove(nth);
        choices.note_taken(instance.action, vec![TakenValue { port, sender }]);
        self.wanted.push(wanted);
        true
    }
}

/// Leaves out the rules that cannot be taken since another one fails before, in whatever order values arrive: a failing rule
/// is looked at as soon as its plain ports hold values. `found` is in the order in which rules are looked at.
fn without_hidden(template: &Template, found: Vec<OpenRule>) -> Vec<OpenRule> {
    let plain = |rule: usize| plain_ports(&template.fire[rule]);
    let fails_with = |of: &OpenRule, failing: &OpenRule| {
        failing.error.is_some() && plain(failing.rule).all(|port| plain(of.rule).any(|other| other == port))
    };
    let is_hidden: Vec<bool> = (0..found.len())
        .map(|nth| {
            // Of rules that fail together, the first one fails.
            let before = if found[nth].error.is_some() { &found[..nth] } else { &found[..] };
            before.iter().any(|failing| fails_with(&found[nth], failing))
        })
        .collect();
    let kept = found.into_iter().zip(is_hidden);
    kept.filter(|(_, is_hidden)| !is_hidden).map(|(option, _)| option).collect()
}

/// The plain ports that a rule takes from: its guard is looked at when all of them hold values.
fn plain_ports(rule: &FiringRule) -> impl Iterator<Item = usize> {
    let takes = rule.takes.iter().filter(|take| take.loops.is_empty() && take.elements.is_empty());
    takes.map(|take| take.port)
}
