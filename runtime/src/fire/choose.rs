//! Firing by choices: what is taken where a minimal record tells nothing, and whether a run needs to tell.
//!
//! Recording and replay ask the same functions of the same past, so that what is not told is what they answer.

use hasse_body::script::CodeError;
use hasse_model::id::{ActionId, EventId};
use hasse_model::plan::Template;
use hasse_record::event::{Taken, WantedSender};
use hasse_record::instrumentation::Instrumentation;
use hasse_record::replay::ExpectedEvent;
use hasse_store::instance::{Core, Instance};
use hasse_store::token::Token;

use crate::fire::worker::Worker;

/// The predicted one of several rules, the first of which is next in turn; see
/// [`Worker::predicted_rule`]. `holds` evaluates the guard of a rule: `None` where it fails.
#[inline]
pub(crate) fn predicted_rule(
    first_rule: usize,
    n_rules: usize,
    takes_alike: bool,
    mut holds: impl FnMut(usize) -> Option<bool>,
) -> Option<usize> {
    let last = (first_rule + n_rules - 1) % n_rules;
    let mut first = None;
    let mut holds_last = false;
    for turn in 0..n_rules {
        let rule_idx = (first_rule + turn) % n_rules;
        if holds(rule_idx)? {
            first.get_or_insert(rule_idx);
            holds_last |= rule_idx == last;
        }
    }
    if holds_last && !takes_alike { Some(last) } else { first }
}

impl<'p, M: Instrumentation> Worker<'_, 'p, M> {
    /// Replay: whether the record tells choices alone.
    pub(crate) fn tells_choices(&self) -> bool {
        M::NOTES_CHOICES && self.session.instrumentation.recorded().is_some_and(|script| script.is_minimal())
    }

    /// The firing rule that an action takes next, as far as that follows from its state: the only one whose
    /// guard holds; the next in turn, where all take the same values and so are enabled together; else the
    /// one taken last. `None` where a guard fails.
    pub(crate) fn predicted_rule(
        &mut self,
        instance: &Instance<M>,
        core: &Core<M>,
        template: &'p Template,
    ) -> Option<usize> {
        let n_rules = template.fire.len();
        if n_rules <= 1 {
            return (n_rules == 1).then_some(0);
        }
        let takes_alike = self.session.instrumentation.takes_alike(instance.template);
        let holds = |rule_idx: usize| self.guard_holds(&template.fire[rule_idx]).ok();
        predicted_rule(core.first_rule as usize, n_rules, takes_alike, holds)
    }

    /// Replay of a minimal record: the recorded rule or the predicted one, if the values that it takes are
    /// there.
    pub(crate) fn chosen(
        &mut self,
        instance: &Instance<M>,
        core: &mut Core<M>,
        template: &'p Template,
        id: EventId,
    ) -> Option<(i32, Option<CodeError>)> {
        let session = self.session;
        if session.instrumentation.recorded()?.last_count(id.action).is_some_and(|last| id.count > last) {
            return None;
        }
        if core.must_start {
            return Some((-1, None));
        }
        let told = session.instrumentation.expected(id);
        let told_rule = told.filter(|event| event.choices.is_some_and(|choices| choices.rule));
        let rule_idx = match told_rule {
            Some(event) => usize::try_from(event.rule).ok()?,
            None => self.predicted_rule(instance, core, template)?,
        };
        let Some(rule) = template.fire.get(rule_idx) else {
            session.diverge(instance, id, template.at, "the node has no such firing rule");
            return None;
        };
        let wanted = match self.guard_holds(rule) {
            Err(error) => Err(error),
            Ok(false) => {
                if told_rule.is_some() {
                    session.diverge(instance, id, rule.at, "the guard of the rule does not hold");
                }
                return None;
            }
            Ok(true) => self.want(core, template, rule, Some(session.instrumentation.recorded_effects(id))),
        };
        if let Err(error) = wanted {
            let is_due = told.is_some()
                && (error.is_interruption() || self.find_causes(instance, core, id, Some(rule)));
            return is_due.then_some((rule_idx as i32, Some(error)));
        }
        self.find_values(instance, core, told)?;
        Some((rule_idx as i32, None))
    }

    /// Finds the values wanted in the queues, each of its recorded or predicted sender; `None` where one has
    /// not come.
    pub(crate) fn find_values(
        &mut self,
        instance: &Instance<M>,
        core: &mut Core<M>,
        told: Option<ExpectedEvent<'_>>,
    ) -> Option<()> {
        let told_takes = told.and_then(|event| event.choices).map_or(&[][..], |choices| &choices.takes);
        if let Some(told) = told {
            self.give_by_hand(told.effects);
        }
        let mut senders: Vec<Option<ActionId>> = Vec::with_capacity(self.wanted.len());
        let mut n_by_hand = 0;
        for wanted_idx in 0..self.wanted.len() {
            let wanted = &self.wanted[wanted_idx];
            if wanted.by_hand.is_some() {
                senders.push(None);
                n_by_hand += 1;
                continue;
            }
            let told = told_takes.iter().find(|take| take.position as usize == wanted_idx - n_by_hand);
            let taken = Taken {
                template: instance.template,
                index: &instance.index,
                params: &instance.graph.params,
                port: wanted.port,
                elements: &wanted.elements,
            };
            let mut earlier =
                std::iter::successors(wanted.previous, |&previous| self.wanted[previous].previous);
            let before = earlier.find_map(|previous| senders[previous]);
            let told = told.map(|take| take.sender);
            let whose = self.session.instrumentation.wanted_sender(&core.keep, told, before, &taken);
            let port = &mut core.ports[wanted.port];
            let fits = |token: &Token<M>| match whose {
                WantedSender::Any => true,
                WantedSender::Action(action) => {
                    M::sender(&token.stamp).is_some_and(|sender| sender.action == action)
                }
                WantedSender::Arc(arc) => M::arc(&token.stamp) == Some(arc),
                WantedSender::Unknown => false,
            };
            if wanted.is_alone
                && let WantedSender::Action(action) = whose
            {
                let [first, last] = [0, u64::MAX].map(|count| EventId { action, count });
                if !port.bring(&wanted.elements, &(first..=last)) {
                    return None;
                }
                senders.push(Some(action));
                self.wanted[wanted_idx].position = 0;
                continue;
            }
            let is_taken = |position: usize| {
                std::iter::successors(wanted.previous, |&previous| self.wanted[previous].previous)
                    .any(|previous| self.wanted[previous].position == position)
            };
            let mut tokens = port.line(&wanted.elements)?.iter().enumerate();
            let (position, token) = tokens.find(|(position, token)| fits(token) && !is_taken(*position))?;
            senders.push(M::sender(&token.stamp).map(|sender| sender.action));
            self.wanted[wanted_idx].position = position;
        }
        Some(())
    }
}
