//! Events that are alike, which are noted together.

use hasse_model::id::EventId;
use hasse_model::value::Value;
use hasse_record::event::{Answers, Done, EventRun};
use hasse_record::instrumentation::Instrumentation;
use hasse_record::result_order::ResultOrder;
use hasse_record::stamp::Directive;
use hasse_runtime_plan::form::Form;
use hasse_runtime_plan::straight::{OwnSend, Sending, bits_of};
use hasse_store::queue::Queue;
use hasse_store::token::Token;

use crate::fire::lane::clock::ROWS_PER_BATCH;
use crate::fire::lane::event::Under;
use crate::fire::lane::note_taken;
use crate::fire::lane::straight::{InUse, Loop};
use crate::fire::lane::takes::Takes;

impl<M: Instrumentation> Loop<'_, '_, M> {
    /// Begins anew with the event under way, of which these routing rules hold.
    #[inline(never)]
    pub(crate) fn open(&mut self, takes: &mut impl Takes<M>, routes: u64) {
        self.close();
        let stamp = self.stamp_of_next();
        let (straight, alike) = (self.straight, &mut *self.alike);
        alike.routes = routes;
        alike.route_list.clear();
        alike.route_list.extend(bits_of(routes));
        alike.sent.resize(straight.sent.len(), [0; ROWS_PER_BATCH]);
        alike.sent_values.resize(straight.sent.len(), Vec::new());
        alike.n_values = straight.n_values(self.sends, routes);
        for OwnSend { port, arc, .. } in straight.own.iter().filter(|send| routes & send.bit != 0) {
            if !self.sends_twice
                && let Some(ints) = takes.own(*port)
            {
                ints.of(&stamp).open(&M::via(&stamp, *arc));
            }
        }
        alike.stamp = Some(stamp);
    }

    /// What is appended to what the event under way sends.
    pub(crate) fn stamp_of_next(&mut self) -> M::Stamp {
        let (id, alike) = (self.next_id(), &*self.alike);
        self.notes.stamp_run(self.noted, self.keep, id, &alike.taken, alike.step)
    }

    /// Puts what has been sent to others to what waits to be handed over.
    fn send(&mut self) {
        let (straight, alike) = (self.straight, &mut *self.alike);
        let Some(stamp) = &alike.stamp else { return };
        let routes = alike.routes;
        let sends = self.sends.iter().filter(|send| routes & send.bit != 0);
        for (nth, &Sending { sent_idx, position, arc, .. }) in sends.clone().enumerate() {
            let n_events = alike.n_events as usize;
            let (stamp, values) = (M::via(stamp, arc), &mut self.outs[position].values);
            let Form::Word(kind) = straight.sent[sent_idx].form else {
                let sent = &mut alike.sent_values[sent_idx];
                if sends.clone().skip(nth + 1).any(|later| later.sent_idx == sent_idx) {
                    send_values(values, &mut sent.clone(), &stamp);
                } else {
                    send_values(values, sent, &stamp);
                }
                continue;
            };
            let words = &alike.sent[sent_idx][..n_events];
            if values.extend(kind, words, &stamp) {
                continue;
            }
            for (step, &word) in words.iter().enumerate() {
                let stamp = M::stepped(&stamp, step as u64);
                values.push_word((kind, word), &stamp, ResultOrder::default());
            }
        }
    }

    /// Notes the events that have ended, as far as that has not been done.
    #[inline]
    pub(crate) fn close(&mut self) {
        if self.alike.n_events > 0 {
            self.note();
        }
    }

    #[inline(never)]
    fn note(&mut self) {
        self.send();
        self.alike.end_answers();
        let (id, alike) = (self.next_id(), &*self.alike);
        let done = Done {
            template: self.instance.template,
            rule: self.rule_at(0),
            graph: &self.instance.graph,
            index: &self.instance.index,
            routes: &alike.route_list,
            flow_successors: alike.n_values,
        };
        // Where one event has sent all that they have taken, most modes note them one by one.
        let are_together = alike.step == 1 || M::NOTES_ANY_STEP;
        let n_together = if are_together { alike.n_events } else { 1 };
        let n_runs = alike.n_events / n_together;
        let n_events = n_together as usize;
        let is_free = std::mem::take(&mut self.is_free);
        let answers = Answers::new(&alike.answers, &alike.answer_starts);
        let n_noted = (self.n_begun - self.n_before) as usize;
        let rules = self.rules.get(n_noted..n_noted + alike.n_events as usize).unwrap_or_default();
        let runs = (0..n_runs).map(|nth| EventRun {
            first: EventId { count: id.count + nth, ..id },
            n_events,
            is_free: is_free && nth == 0,
            taken: &alike.taken,
            step: alike.step,
            ports: &self.straight.ports,
            rules: rules
                .get(nth as usize * n_events..)
                .map_or(&[], |rules| &rules[..n_events.min(rules.len())]),
            answers: answers.part(nth as usize * n_events, n_events),
        });
        for run in runs {
            let found = self.in_use.as_mut().and_then(|used| used.leave(run.first, n_events as u64));
            self.notes.end_run(self.noted, self.keep, run, found, done);
            if let Some(used) = &mut self.in_use {
                used.leave_noted(self.keep);
            }
        }
        self.n_begun += self.alike.n_events;
        let n_events = std::mem::take(&mut self.alike.n_events);
        self.alike.answers.clear();
        self.alike.answer_starts.clear();
        for stamp in &mut self.alike.taken {
            *stamp = M::stepped(stamp, n_events * self.alike.step);
        }
    }

    /// The first of the events that are alike, or if there is none, the one under way.
    pub(crate) fn next_id(&self) -> EventId {
        EventId { action: self.instance.action, count: self.n_begun + 1 }
    }

    /// The event under way, which is to be gone on with in another way.
    #[cold]
    pub(crate) fn under(&mut self) -> Box<Under<M>> {
        let id = self.next_id();
        let rule = self.rule_at(0);
        let rule_idx = usize::try_from(rule).unwrap_or_default();
        let mut light = self.notes.begin_light(self.noted, self.keep, id, rule);
        if self.is_free
            && let Some(draft) = M::drafted_light(&mut light)
        {
            self.notes.free_rule(draft);
        }
        for (nth, stamp) in self.alike.taken.iter().enumerate() {
            self.notes.take_light(self.noted, &mut light, stamp);
            if let Some(draft) = M::drafted_light(&mut light) {
                let (port, element) = &self.straight.ports[nth];
                note_taken(self.notes, self.instance, (draft, self.keep), stamp, (*port, element));
            }
        }
        if let Some(InUse { held, lock }) = &self.in_use {
            held.look(&lock.object, |mark| {
                let object = lock.object.place.id;
                self.notes.access_light(self.noted, &mut light, object, lock.access, mark);
            });
        }
        if let Some(draft) = M::drafted_light(&mut light) {
            self.notes.settle(draft, self.keep);
        }
        Box::new(Under { id, rule_idx, light, known: ResultOrder::default(), has_asked: self.has_asked })
    }
}

/// Adds values that are no scalars, and that are sent by the events from `stamp` on, to what waits to be handed over.
fn send_values<M: Instrumentation>(queue: &mut Queue<M>, sent: &mut Vec<Value>, stamp: &M::Stamp) {
    if queue.extend_values(sent, stamp) {
        return;
    }
    for (step, value) in sent.drain(..).enumerate() {
        let stamp = M::stepped(stamp, step as u64);
        let (known, directive) = (ResultOrder::default(), M::Directive::of(false));
        queue.push_back(Token { value, stamp, known, directive });
    }
}
