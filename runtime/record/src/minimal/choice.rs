//! Choices of an event that a replay does not predict, and their record.

use hasse_model::choices::{Choices, TakeChoice};
use hasse_model::event::EventRecord;
use hasse_model::id::EventId;
use hasse_runtime_plan::freedom::Senders;

use crate::buffer::fill;
use crate::event::{Done, Ending, EventRun, Taken};
use crate::minimal::clock::Slot;
use crate::minimal::kept::{Draft, Keep, Local, Past, Stamp};
use crate::minimal::{Gives, Minimal};

impl Minimal {
    #[inline]
    pub(crate) fn senders(&self, taken: &Taken<'_>) -> Senders {
        self.freedom.senders(taken.template, taken.port, taken.index, taken.elements, taken.params)
    }

    /// Records an event that has ended, as far as the mode needs it.
    #[inline]
    pub(crate) fn end_record(
        &self,
        local: &mut Local,
        mut record: Box<EventRecord>,
        choices: Choices,
        ending: Ending<'_>,
    ) {
        if let Some(handoff) = &self.handoff
            && (self.gives != Gives::Minimal || choices.need_row(ending.outcome, &ending.effects))
        {
            let place = fill(&mut record, ending);
            match self.gives {
                Gives::Full => local.buffer.push(&mut record, place, handoff),
                Gives::Marked => {
                    record.choices = (!choices.is_empty()).then(|| Box::new(choices));
                    local.buffer.push(&mut record, place, handoff);
                }
                Gives::Minimal => {
                    record.choices = Some(Box::new(choices));
                    record.minimize();
                    let (announced, directory) = (&mut local.announced, self.directory.as_ref());
                    local.buffer.push_announced(&mut record, handoff, |event, batch| {
                        announced.announce(event, place, directory, batch);
                    });
                }
            }
        }
        local.buffer.put_away(record);
    }

    /// Returns the choices of the first of events that are recorded together.
    #[inline]
    pub(crate) fn choices_of_first(
        &self,
        keep: &mut Keep,
        run: &EventRun<'_, Self>,
        done: &Done<'_>,
    ) -> Choices {
        let mut choices = Choices { rule: run.is_free, ..Choices::default() };
        for (position, (stamp, &(port, ref elements))) in (0..).zip(run.taken.iter().zip(run.ports)) {
            let (template, index, params) = (done.template, done.index, &done.graph.params[..]);
            let taken = Taken { template, index, params, port, elements };
            if !self.is_predicted(keep, stamp, &taken) {
                choices.takes.push(TakeChoice { position, sender: stamp.sender.action });
            }
        }
        choices
    }

    /// Returns true if a replay predicts the sender of a value that is taken, as by `wanted_sender`; it is the last one from then on.
    #[inline]
    pub(crate) fn is_predicted(&self, keep: &mut Keep, stamp: &Stamp, taken: &Taken<'_>) -> bool {
        let senders = self.senders(taken);
        if senders == Senders::One {
            return true;
        }
        let sender = stamp.sender.action;
        match keep.replace_last_sender(taken, sender) {
            Some(last) => last == sender,
            None => senders == Senders::ManyFirstBy(stamp.arc),
        }
    }

    /// Returns true if an earlier access is certain to come first in every replay, as far as that follows from the past.
    #[inline]
    pub(crate) fn follows_from(past: &Past, earlier: EventId, slot: Option<Slot>) -> bool {
        slot.is_some_and(|slot| past.clock.get(slot) >= earlier.count)
    }

    /// Returns true if an earlier access is certain to come first in every replay.
    #[inline]
    pub(crate) fn is_certain(draft: &Draft, earlier: EventId, slot: Option<Slot>) -> bool {
        earlier.action == draft.record.id.action
            || Self::follows_from(&draft.past, earlier, slot)
            || draft.record.flow.contains(&earlier)
    }
}
