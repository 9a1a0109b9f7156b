//! Straight events one after another, each by its body, where they cannot be laid out in columns.

use hasse_body::natives::{put, put_int};
use hasse_model::value::Value;
use hasse_record::instrumentation::Instrumentation;
use hasse_runtime_plan::form::Form;
use hasse_runtime_plan::straight::{OwnSend, Straight, StraightSend};

use crate::fire::lane::clock::ROWS_PER_BATCH;
use crate::fire::lane::straight::computes::Computes;
use crate::fire::lane::straight::{InUse, Loop};
use crate::fire::lane::takes::Takes;

/// Takes the values of an event, and runs its body. Gives what names stand for then; `None` where the event is to end in the
/// general way.
#[inline(always)]
fn compute_next<'c, 'b: 'c, M: Instrumentation>(
    takes: &mut impl Takes<M>,
    computes: &'c mut impl Computes<'b>,
    straight: &Straight,
    (count_slot, count): (usize, u64),
) -> Option<&'c mut [Value]> {
    let values = computes.values()?;
    takes.take(values);
    if straight.fills_arrays {
        straight.fill_arrays(values);
    }
    put_int(&mut values[count_slot], count as i64);
    if computes.compute(count) { computes.values() } else { None }
}

impl<M: Instrumentation> Loop<'_, '_, M> {
    /// Executes so many events, and more, up to the second number, if what they send to themselves goes on with what they
    /// took; false where one of them is to end in the general way. It has taken its values then, and sent nothing.
    ///
    /// There may be guards, values for the sender itself, and an object, only where it is said so.
    #[inline(always)]
    pub(crate) fn execute_next<'b, const GUARDED: bool, const OWN: bool, const HELD: bool>(
        &mut self,
        takes: &mut impl Takes<M>,
        computes: &mut impl Computes<'b>,
        (mut n_events, most): (usize, usize),
    ) -> bool {
        let (straight, layout) = (self.straight, self.batch.layout);
        let (count_slot, lets) = (layout.count, layout.lets.clone());
        let mut count = self.n_done();
        let mut n_done = 0;
        while n_done < n_events {
            count += 1;
            let Some(values) = compute_next(takes, computes, straight, (count_slot, count)) else {
                return false;
            };
            let routes = if GUARDED { straight.routes_for(values) } else { Some(straight.always) };
            let Some(routes) = routes.filter(|&routes| self.are_recorded(routes)) else { return false };
            if straight.derive(values, routes).is_none() {
                return false;
            }
            if OWN {
                for own in &straight.own {
                    if routes & own.bit != 0 && !own.value.can_send(own.form, &values[own.slot_idx]) {
                        return false;
                    }
                }
            }
            if self.alike.routes != routes || self.alike.n_events == 0 || self.sends_twice {
                self.open(takes, routes);
            }
            let at = self.alike.n_events as usize % ROWS_PER_BATCH;
            for (StraightSend { slot_idx, form, bits, value }, sent) in
                straight.sent.iter().zip(&mut self.alike.sent)
            {
                match form {
                    Form::Word(kind) => match kind.word_of(&values[*slot_idx]) {
                        Some(word) => sent[at] = word,
                        // Nobody wants it.
                        None if bits & routes == 0 => {}
                        None => return false,
                    },
                    Form::Value if bits & routes != 0 => {
                        if !value.can_send(*form, &values[*slot_idx]) {
                            return false;
                        }
                    }
                    Form::Value => {}
                }
            }
            if straight.holds_values {
                self.alike.put_values(straight, values, routes);
            }
            if OWN {
                for &OwnSend { bit, slot_idx, form, port, arc, ref value } in &straight.own {
                    if routes & bit != 0
                        && let (Some(column), Some(stamp)) = (takes.own(port), &self.alike.stamp)
                    {
                        let column = column.of(stamp);
                        if self.sends_twice {
                            column.open(&M::via(stamp, arc));
                        }
                        match form {
                            Form::Word(kind) => {
                                column.push(kind.word_of(&values[slot_idx]).unwrap_or_default());
                            }
                            Form::Value => column.push_value(value.sent(&mut values[slot_idx])),
                        }
                    }
                }
            }
            if HELD && let Some(InUse { held, lock }) = &mut self.in_use {
                match &values[lock.slot_idx] {
                    Value::Int(number) => put_int(&mut held.value, *number),
                    other => held.value = other.clone(),
                }
            }
            self.alike.n_events += 1;
            for value in &mut values[lets.clone()] {
                put(value, Value::Unit);
            }
            n_done += 1;
            if OWN && n_done == n_events && n_done < most {
                n_events = (n_done + takes.n_together()).min(most);
            }
        }
        true
    }
}
