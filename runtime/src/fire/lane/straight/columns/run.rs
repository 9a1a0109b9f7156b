//! Executing events that are laid out in columns.

use std::ops::Range;

use hasse_body::natives::put_word;
use hasse_model::id::{ArcId, SlotId};
use hasse_model::plan::routine::Kind;
use hasse_model::value::Value;
use hasse_record::instrumentation::Instrumentation;
use hasse_runtime_plan::straight::StraightSend;

use crate::fire::lane::straight::columns::guards::Guards;
use crate::fire::lane::straight::columns::{COLUMN, Columns, Shape, Source};
use crate::fire::lane::straight::{InUse, Loop};
use crate::fire::lane::takes::Takes;

impl<M: Instrumentation> Loop<'_, '_, M> {
    /// Executes as many of the next `n_events` as can be laid out in columns, and more, up to `most`, where each takes what
    /// the one before has sent to itself. Gives how many it has executed: with none, the next one is to be executed in
    /// another way.
    #[inline(always)]
    pub(crate) fn run_columns(
        &mut self,
        takes: &mut impl Takes<M>,
        columns: &mut Columns<'_>,
        values: &mut [Value],
        (n_events, most): (usize, usize),
    ) -> usize {
        if columns.failure.is_some() || columns.rests() || !columns.begin(values, self.n_done()) {
            return 0;
        }
        let n_done = match columns.shape {
            Shape::Alike => self.run_alike(takes, columns, n_events),
            Shape::Guarded => self.run_guarded(takes, columns, values, n_events),
            // What such an event was given is not compared with the record before the next one begins.
            Shape::Own(..) if columns.is_answered_by_record() => 0,
            Shape::Own(bit, slot_idx, arc) => {
                self.run_own(takes, columns, values, (bit, slot_idx, arc), most)
            }
        };
        columns.note_attempt(n_done);
        if n_done > 0 {
            columns.end(n_done, values);
            if let Some(InUse { held, lock }) = &mut self.in_use
                && held.is_written()
                && let Some((kind, word)) = Kind::of_value(&values[lock.slot_idx])
            {
                put_word(&mut held.value, word, kind);
            }
        }
        n_done
    }

    /// Events that all send by the same rules.
    #[inline(always)]
    fn run_alike(&mut self, takes: &mut impl Takes<M>, columns: &mut Columns<'_>, n_events: usize) -> usize {
        let routes = self.straight.always;
        if !self.are_recorded(routes) {
            return 0;
        }
        lay_out(takes, columns, n_events);
        let n_done = columns.call(0, n_events);
        if n_done > 0 {
            self.lay_by(takes, columns, routes, 0..n_done);
            takes.skip(n_done);
        }
        n_done
    }

    /// Events of which each sends by rules of its own.
    #[inline(always)]
    fn run_guarded(
        &mut self,
        takes: &mut impl Takes<M>,
        columns: &mut Columns<'_>,
        values: &[Value],
        n_events: usize,
    ) -> usize {
        lay_out(takes, columns, n_events);
        let n_called = columns.call(0, n_events);
        let n_before = self.n_done();
        let guards = columns.guards.as_ref().ok().filter(|guards| guards.derive(&columns.cells, n_called));
        let mut routes_of_all = [self.straight.always; COLUMN];
        if let Some(guards) = guards {
            guards.add_rules(&columns.cells, &mut routes_of_all[..n_called]);
        }
        let (mut n_done, mut from, mut routes_before) = (0, 0, 0);
        while n_done < n_called {
            let routes = match guards {
                Some(_) => Some(routes_of_all[n_done]).filter(|&routes| self.are_recorded(routes)),
                None => self.routes_in(columns, None, n_done, n_before, values),
            };
            let Some(routes) = routes else { break };
            if routes != routes_before && n_done > from {
                self.lay_by(takes, columns, routes_before, from..n_done);
                from = n_done;
            }
            routes_before = routes;
            n_done += 1;
        }
        if n_done > from {
            self.lay_by(takes, columns, routes_before, from..n_done);
        }
        if n_done < n_called {
            // What has come of later events is forgotten.
            columns.failure = None;
        }
        takes.skip(n_done);
        n_done
    }

    /// Events of which each takes what the one before has sent to itself.
    #[inline(always)]
    fn run_own(
        &mut self,
        takes: &mut impl Takes<M>,
        columns: &mut Columns<'_>,
        values: &[Value],
        (own_bit, own_slot, arc): (u64, usize, ArcId),
        most: usize,
    ) -> usize {
        let next = M::via(&self.stamp_of_next(), arc);
        let is_own = self.alike.taken.iter().all(|taken| M::is_step(taken, &next, 1));
        let (Some(own), &[(_, taken)]) = (columns.tracks[own_slot], &columns.taken[..]) else { return 0 };
        if takes.only().is_none_or(|(_, n_waiting)| n_waiting != 1) {
            return 0;
        }
        // What another action has sent is taken by itself: what follows is not the next of that action.
        let most = if is_own { most } else { 1 };
        lay_out(takes, columns, 1);
        let n_before = self.n_done();
        let stands_there = own.start == taken + 1 && own.step == 1;
        let (mut n_done, mut goes_on) = (0, true);
        while n_done < most && goes_on {
            let from = n_done;
            let mut routes_of_all = 0;
            let n_called = columns.call_each(from..most, |columns, nth| {
                let Some(routes) =
                    self.routes_in(columns, columns.guards.as_ref().ok(), nth, n_before, values)
                else {
                    return false;
                };
                if n_done > from && routes != routes_of_all {
                    return false;
                }
                routes_of_all = routes;
                goes_on = routes & own_bit != 0;
                if !stands_there {
                    columns.cells[taken + nth + 1].set(columns.at(own, nth));
                }
                n_done += 1;
                goes_on
            });
            if n_done == from {
                break;
            }
            self.lay_by(takes, columns, routes_of_all, from..n_done);
            if n_called == n_done && columns.failure.is_some() {
                break;
            }
        }
        if n_done == 0 {
            return 0;
        }
        takes.skip(1);
        if goes_on && let (Some(stamp), Some((column, _))) = (&self.alike.stamp, takes.only()) {
            let stamp = M::via(&M::stepped(stamp, self.alike.n_events - 1), arc);
            let column = column.of(&stamp);
            column.open(&stamp);
            column.push(columns.cells[taken + n_done].get());
        }
        n_done
    }

    /// The rules by which an event sends, as bits; `None` where a guard gives no truth value, or a record says otherwise.
    #[inline(always)]
    fn routes_in(
        &self,
        columns: &Columns<'_>,
        guards: Option<&Guards>,
        nth: usize,
        n_before: u64,
        values: &[Value],
    ) -> Option<u64> {
        let mut routes = self.straight.always;
        if let Some(guards) = guards {
            routes |= guards.rules(&columns.cells, nth);
        } else {
            let count = n_before + nth as u64 + 1;
            let scalar_at = |slot: SlotId| columns.scalar(slot.idx(), nth, count, values);
            for guard in &self.straight.guards {
                if guard.calc.holds_where(&scalar_at, &[])? {
                    routes |= guard.bit;
                }
            }
        }
        Some(routes).filter(|&routes| self.are_recorded(routes))
    }

    /// Puts events that send by the same rules to those that are alike.
    #[inline(always)]
    fn lay_by(
        &mut self,
        takes: &mut impl Takes<M>,
        columns: &Columns<'_>,
        routes: u64,
        events: Range<usize>,
    ) {
        if self.alike.routes != routes || self.alike.n_events == 0 {
            self.open(takes, routes);
        }
        let from = self.alike.n_events as usize;
        let sent = columns.sent.iter().zip(&self.straight.sent).zip(&mut self.alike.sent);
        for (((source, send), sent), sent_values) in sent.zip(&mut self.alike.sent_values) {
            let StraightSend { bits, value, .. } = send;
            if bits & routes == 0 {
                continue;
            }
            let track = match *source {
                Source::Track(track) => track,
                Source::Taken(place) => {
                    let names = &mut takes.front_values(place, events.end)[events.start..];
                    sent_values.extend(names.iter_mut().map(|name| value.sent(name)));
                    continue;
                }
            };
            let places = &mut sent[from..][..events.len()];
            if track.step == 0 {
                places.fill(columns.at(track, 0));
                continue;
            }
            for (place, cell) in places.iter_mut().zip(&columns.cells[track.start + events.start..]) {
                *place = cell.get();
            }
        }
        if M::RECORDS && columns.asks() {
            self.alike.put_answers(&columns.answers.borrow(), events.clone());
        }
        self.alike.n_events += events.len() as u64;
    }
}

/// Copies the scalars that the next events take to their columns.
#[inline(always)]
fn lay_out<M: Instrumentation>(takes: &impl Takes<M>, columns: &Columns<'_>, n_events: usize) {
    for &(place, start) in &columns.taken {
        for (cell, &number) in columns.cells[start..].iter().zip(takes.front(place, n_events)) {
            cell.set(number);
        }
    }
}
