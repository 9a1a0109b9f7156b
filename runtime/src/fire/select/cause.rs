//! Causes of an execution that fails before it takes values: in `init`, in the guard of a firing rule, or in a range.
//!
//! It removes nothing, and yet it would not take place without the values that had come: a rule with plain ports is looked
//! at when each of them holds a value, and an action that has not executed before exists because a value came to it. Its
//! record names the senders of these values, which stay on their ports: the action executes no more.

use hasse_model::event::{Effect, Outcome};
use hasse_model::id::{ActionId, EventId, Index};
use hasse_model::plan::{FiringRule, Take};
use hasse_record::event::Taken;
use hasse_record::instrumentation::Instrumentation;
use hasse_record::replay::ExpectedEvent;
use hasse_record::stamp::Directive;
use hasse_store::execution::Execution;
use hasse_store::instance::{Core, Instance};
use hasse_store::token::Token;

use crate::fire::wanted::Wanted;
use crate::fire::worker::Worker;

impl<M: Instrumentation> Worker<'_, '_, M> {
    /// Lists in `wanted` the values that an execution comes after which is about to fail: `rule` failed, or `init` if
    /// there is none. Returns false where a replay has to wait for one of them.
    pub(crate) fn find_causes(
        &mut self,
        instance: &Instance<M>,
        core: &mut Core<M>,
        id: EventId,
        rule: Option<&FiringRule>,
    ) -> bool {
        self.wanted.clear();
        self.wanted.extend(plain_ports(rule).map(|port| cause(port, Index::none(), 0)));
        let has_plain_ports = !self.wanted.is_empty();
        if !has_plain_ports && (core.must_start || id.count > 1) {
            return true;
        }
        let expected = if self.session.replays() { self.session.instrumentation.expected(id) } else { None };
        if let Some(expected) = &expected
            && !has_plain_ports
            && let Some((_, value)) = expected.effects.iter().find_map(Effect::as_added)
        {
            let by_hand = Some(value.clone());
            self.wanted.push(Wanted { by_hand, ..cause(0, Index::none(), usize::MAX) });
            return true;
        }
        match expected.filter(|expected| expected.outcome == Outcome::Failed) {
            Some(expected) if self.tells_choices() && has_plain_ports => {
                self.find_values(instance, core, Some(expected)).is_some()
            }
            Some(expected) if self.tells_choices() => self.find_first_by_choice(core, &expected),
            Some(expected) => self.find_recorded(core, &expected, has_plain_ports),
            None if has_plain_ports => self.decide_arrivals(instance, core, id),
            None if self.session.scheduler.by_choice().is_some() => self.decide_first(instance, core, id),
            None => self.find_first(core),
        }
    }

    /// The first port that holds a value, and the first value there of whoever sent the one that is first in the order of
    /// elements: replays of minimal records, which name the sender alone, find the same event.
    fn find_first(&mut self, core: &mut Core<M>) -> bool {
        let first = (0..core.ports.len()).find_map(|port| {
            let (elements, _) = core.ports[port].lengths().into_iter().next()?;
            let sender = core.ports[port].token(&elements, 0).and_then(|token| M::sender(&token.stamp));
            let earliest = sender.and_then(|sender| earliest_of(core, port, sender.action));
            Some(earliest.unwrap_or_else(|| cause(port, elements, 0)))
        });
        self.wanted.extend(first);
        true
    }

    /// Replay of a full record: the values of the senders that it names.
    fn find_recorded(
        &mut self,
        core: &mut Core<M>,
        expected: &ExpectedEvent<'_>,
        has_plain_ports: bool,
    ) -> bool {
        let mut senders = expected.flow();
        let is_sent_by = |sender: EventId| move |token: &Token<M>| M::sender(&token.stamp) == Some(sender);
        let n_by_hand = if has_plain_ports { self.give_by_hand(expected.effects) } else { 0 };
        if has_plain_ports && senders.len() + n_by_hand == self.wanted.len() {
            return self.wanted.iter_mut().filter(|wanted| wanted.by_hand.is_none()).all(|wanted| {
                let Some(sender) = senders.next() else { return false };
                let found = place_of(core, wanted.port, &wanted.elements, is_sent_by(sender));
                wanted.position = found.unwrap_or_default();
                found.is_some()
            });
        }
        // A record of another program, or of a version that named no causes, is compared with what takes place.
        self.wanted.clear();
        let Some(sender) = expected.flow().next() else { return true };
        let places: Vec<_> = (0..core.ports.len()).flat_map(|port| elements_of(core, port)).collect();
        let found = places.into_iter().find_map(|(port, elements)| {
            let position = place_of(core, port, &elements, is_sent_by(sender))?;
            Some(cause(port, elements, position))
        });
        let is_found = found.is_some();
        self.wanted.extend(found);
        is_found
    }

    /// Replay of a minimal record: the value that came first from the sender that it names, on the port that it names.
    fn find_first_by_choice(&mut self, core: &mut Core<M>, expected: &ExpectedEvent<'_>) -> bool {
        let recorded = expected.choices.and_then(|choices| choices.takes.first());
        let Some(recorded) = recorded else { return self.find_first(core) };
        let port = recorded.position as usize;
        if port >= core.ports.len() {
            return false;
        }
        let first = earliest_of(core, port, recorded.sender);
        let is_found = first.is_some();
        self.wanted.extend(first);
        is_found
    }

    /// Notes the causes that [`find_causes`](Self::find_causes) has found.
    pub(crate) fn note_causes(
        &mut self,
        instance: &Instance<M>,
        core: &mut Core<M>,
        execution: &mut Execution<M>,
        rule: Option<&FiringRule>,
    ) {
        let notes = self.session.instrumentation;
        let has_plain_ports = plain_ports(rule).next().is_some();
        for (wanted_idx, Wanted { port, elements, position, by_hand, .. }) in self.wanted.iter().enumerate() {
            if let Some(value) = by_hand {
                execution.note_added(wanted_idx, value);
                continue;
            }
            // Looking at the whole line would move a value that was brought to its front.
            let Some(token) = core.ports[*port].token(elements, *position) else { continue };
            if M::CONTROLLED && token.directive.is_by_hand() {
                execution.note_added(wanted_idx, &token.value);
                continue;
            }
            notes.take(&mut execution.draft, &token.stamp);
            if M::NOTES_CHOICES && has_plain_ports {
                let taken = Taken {
                    template: instance.template,
                    index: &instance.index,
                    params: &instance.graph.params,
                    port: *port,
                    elements,
                };
                notes.taken(&mut execution.draft, &mut core.keep, &token.stamp, &taken);
            } else if M::NOTES_CHOICES {
                notes.came_first(&mut execution.draft, &token.stamp, *port);
            }
            execution.known.merge(&token.known);
            if M::CONTROLLED
                && let Some(controlled) = &mut execution.controlled
            {
                controlled.senders.extend(M::sender(&token.stamp));
            }
        }
    }
}

/// The plain ports that a rule takes values from, each once.
fn plain_ports(rule: Option<&FiringRule>) -> impl Iterator<Item = usize> {
    let takes = rule.map_or(&[][..], |rule| &rule.takes);
    let is_plain = |take: &&Take| take.loops.is_empty() && take.elements.is_empty();
    let ports = takes.iter().filter(is_plain).map(|take| take.port).enumerate();
    ports.filter_map(move |(nth, port)| {
        let mut earlier = takes.iter().filter(is_plain).take(nth);
        earlier.all(|take| take.port != port).then_some(port)
    })
}

fn cause(port: usize, elements: Index, position: usize) -> Wanted {
    let target_elements = Index::none();
    Wanted {
        take_idx: 0,
        port,
        elements,
        target_elements,
        position,
        previous: None,
        is_alone: true,
        by_hand: None,
    }
}

/// The elements of a port that hold values.
fn elements_of<M: Instrumentation>(core: &Core<M>, port: usize) -> Vec<(usize, Index)> {
    core.ports[port].lengths().into_iter().map(|(elements, _)| (port, elements)).collect()
}

/// The value on a port that comes from the earliest event of an action.
pub(crate) fn earliest_of<M: Instrumentation>(
    core: &mut Core<M>,
    port: usize,
    action: ActionId,
) -> Option<Wanted> {
    let mut earliest: Option<(u64, Wanted)> = None;
    for (port, elements) in elements_of(core, port) {
        let Some(line) = core.ports[port].line(&elements) else { continue };
        let senders = line.iter().map(|token| M::sender(&token.stamp)).enumerate();
        let own = senders.filter_map(|(position, sender)| Some((position, sender?)));
        let own = own.filter(|(_, sender)| sender.action == action);
        if let Some((position, sender)) = own.min_by_key(|(_, sender)| sender.count)
            && earliest.as_ref().is_none_or(|(count, _)| sender.count < *count)
        {
            earliest = Some((sender.count, cause(port, elements, position)));
        }
    }
    earliest.map(|(_, wanted)| wanted)
}

/// Position of the first value on an element of a port that fits.
fn place_of<M: Instrumentation>(
    core: &mut Core<M>,
    port: usize,
    elements: &Index,
    fits: impl Fn(&Token<M>) -> bool,
) -> Option<usize> {
    core.ports[port].line(elements)?.iter().position(fits)
}
