//! A digest of a run that is computed while the run goes on: equal for two runs if they had the same events with the same
//! predecessors, and different otherwise but for accidents.
//!
//! An event is a monomial: each action has a number, and its n-th event is the n-th power of that number. What an event took and did
//! is a polynomial in a second number of its action, whose coefficients are the monomials of those that sent what it took, in
//! the order of taking, those of the events that wrote the objects that it accessed, and its rules; multiplied by the event's
//! own monomial, it is a term. The digest is the sum of the terms of all events, so that neither the order in which
//! concurrent events end nor the ids of a run matter, and no names are needed but those of actions. Two runs with other events
//! differ as polynomials, and have the same digest only if the numbers happen to be a zero of the difference: by the lemma of Schwartz (1980)
//! and Zippel (1979) its degree, the largest number of executions of an action, in 2^61 of all choices of numbers.
//!
//! Events of one action that take what the same actions have sent, each the next of it, form geometric series. So a run of n
//! such events costs a logarithm of n. Time: a multiplication for each part of an event; memory: 16 bytes with each value,
//! object and action.

use std::fmt;

use crate::event::Outcome;
use crate::plan::Access;

/// An event, as its successors see it. The default is no event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// The number of its action.
    action: u64,
    /// Its power.
    power: u64,
}

impl History {
    /// The event of the same action `n_events` executions later.
    #[inline]
    #[must_use]
    pub fn later(self, n_events: u64) -> Self {
        Self { power: times(self.power, power(self.action, n_events)), ..self }
    }
}

/// State of an action between two events.
#[derive(Clone, Copy, Debug, Default)]
pub struct ActionHistory {
    /// Its last event, or what is before the first one.
    last: History,
    /// The variable of the polynomials of its events.
    part: u64,
}

impl ActionHistory {
    /// The beginning of an action; `key` is a hash of its path that is the same in every run.
    pub fn new(key: u64) -> Self {
        let action = element(key);
        Self { last: History { action, power: action }, part: element(!key) }
    }

    /// The next event, by this firing rule. It is not the action's last one before it is [settled](Self::settle).
    #[inline]
    pub fn begin(&self, rule: i32) -> EventHistory {
        let mut event = EventHistory { event: self.next(), part: self.part, sum: 1 };
        event.add(rule_part(rule));
        event
    }

    /// The event under way has taken its values and has been granted its objects.
    #[inline]
    pub fn settle(&mut self, event: &EventHistory) {
        self.last = event.event;
    }

    /// Its last event, as its successors see it.
    #[inline]
    pub fn last(&self) -> History {
        self.last
    }

    /// The event after the last one, as its successors see it.
    #[inline]
    pub fn next(&self) -> History {
        self.last.later(1)
    }
}

/// An event under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventHistory {
    event: History,
    part: u64,
    /// Sum of its parts up to here, each times the power of its place from the end.
    sum: u64,
}

impl EventHistory {
    /// The event, as its successors see it.
    #[inline]
    pub fn event(&self) -> History {
        self.event
    }

    /// A value of `sender` was taken.
    #[inline]
    pub fn take(&mut self, sender: History) {
        self.add(sender.power);
    }

    /// An object was granted.
    #[inline]
    pub fn access(&mut self, found: Found) {
        self.add(found.writer.power);
        self.add(access_part(found.access, found.n_readers));
    }

    #[inline]
    fn add(&mut self, part: u64) {
        self.sum = plus(times(self.sum, self.part), part);
    }
}

/// Events of one action in a row by one firing rule that end well: each of the first one's senders has sent to each other one by an event
/// that is a step later than that for the one before.
#[derive(Clone, Copy, Debug)]
pub struct Row<'r, I> {
    /// The firing rule.
    pub rule: i32,
    /// Senders of what the first event took, in order.
    pub senders: I,
    /// Executions between two senders.
    pub step: u64,
    /// An object that all events access, and what the first one finds there.
    pub object: Option<Found>,
    /// Number of events, at least one.
    pub n_events: u64,
    /// Routing rules that held.
    pub routes: &'r [u32],
    /// Number of values that each event sent.
    pub n_values: u64,
}

/// The version of an object that an event finds.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// Kind of the access.
    pub access: Access,
    /// Last writer; the default where there is none.
    pub writer: History,
    /// Number of events that have read it since.
    pub n_readers: u64,
}

/// The events of a run, or of a part of it, in any order. Displays as 16 hexadecimal digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct HistoryDigest(u64);

impl HistoryDigest {
    /// A digest that was stored.
    pub fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// The digest as it is stored.
    pub fn to_bits(self) -> u64 {
        self.0
    }

    /// Adds an event that has ended, with the routing rules that held and the number of values sent.
    #[inline]
    pub fn add(&mut self, mut event: EventHistory, routes: &[u32], n_values: u64, outcome: Outcome) {
        routes.iter().for_each(|&route| event.add(route_part(route)));
        event.add(reduced(n_values));
        event.add(outcome_part(outcome));
        self.0 = plus(self.0, times(event.sum, event.event.power));
    }

    /// Adds the next events of an action, as [`add`](Self::add) for each, at the cost of a logarithm of their number for each
    /// sender.
    #[inline]
    pub fn add_row(&mut self, action: &mut ActionHistory, row: Row<'_, impl Iterator<Item = History>>) {
        let (first, part) = (action.next(), action.part);
        // A part that all events have in common is multiplied by the sum of their powers.
        let (alike, all) = geometric(first.action, row.n_events);
        let mut sum = alike;
        let mut add = |what: u64| sum = plus(times(sum, part), what);
        add(times(rule_part(row.rule), alike));
        for sender in row.senders {
            let step = power(sender.action, row.step);
            let (each, _) = geometric(times(first.action, step), row.n_events);
            add(times(sender.power, each));
        }
        match row.object {
            None => {}
            Some(Found { access: Access::Read, writer, n_readers }) => {
                add(times(writer.power, alike));
                add(times(access_part(Access::Read, n_readers), alike));
            }
            // All but the first one find what the one before has written.
            Some(Found { access: Access::Write, writer, n_readers }) => {
                let (others, _) = geometric(times(first.action, first.action), row.n_events - 1);
                add(plus(writer.power, times(times(first.power, first.action), others)));
                let [of_first, of_others] =
                    [n_readers, 0].map(|n_readers| access_part(Access::Write, n_readers));
                add(plus(of_first, times(of_others, minus_one(alike))));
            }
        }
        row.routes.iter().for_each(|&route| add(times(route_part(route), alike)));
        add(times(reduced(row.n_values), alike));
        add(times(outcome_part(Outcome::Done), alike));
        self.0 = plus(self.0, times(sum, first.power));
        action.last.power = times(action.last.power, all);
    }

    /// Adds the events of another part of the run.
    pub fn merge(&mut self, other: Self) {
        self.0 = plus(self.0, other.0);
    }
}

impl fmt::Display for HistoryDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

// The parts that are no events are never zero, so that a part more is always another polynomial.

fn rule_part(rule: i32) -> u64 {
    u64::from(rule.wrapping_add(1).cast_unsigned()) + 1
}

fn route_part(route: u32) -> u64 {
    u64::from(route) + 1
}

fn access_part(access: Access, n_readers: u64) -> u64 {
    match access {
        Access::Read => 1,
        Access::Write => plus(2, reduced(n_readers)),
    }
}

fn outcome_part(outcome: Outcome) -> u64 {
    match outcome {
        Outcome::Done => 1,
        Outcome::Failed => 2,
        Outcome::Stopped => 3,
    }
}

/// The numbers form the field of this many elements, a Mersenne prime: the bits of a product above the 61st are added to those below.
const FIELD: u64 = (1 << 61) - 1;

/// An element that looks chosen at random, neither 0 nor 1: the finalizer of SplitMix64 (Steele, Lea and Flood 2014).
fn element(mut bits: u64) -> u64 {
    bits = bits.wrapping_add(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    reduced(bits ^ (bits >> 31)).max(2)
}

#[inline(always)]
fn reduced(number: u64) -> u64 {
    let sum = (number & FIELD) + (number >> 61);
    if sum >= FIELD { sum - FIELD } else { sum }
}

#[inline(always)]
fn plus(left: u64, right: u64) -> u64 {
    let sum = left + right;
    if sum >= FIELD { sum - FIELD } else { sum }
}

fn minus_one(number: u64) -> u64 {
    plus(number, FIELD - 1)
}

#[inline(always)]
fn times(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    plus(product as u64 & FIELD, (product >> 61) as u64)
}

#[inline]
fn power(base: u64, exponent: u64) -> u64 {
    match exponent {
        0 => 1,
        1 => base,
        _ => geometric(base, exponent).1,
    }
}

/// The sum of the first `n` powers of a number, from 1 on, and the next power.
#[inline]
fn geometric(base: u64, n: u64) -> (u64, u64) {
    match n {
        0 => return (0, 1),
        1 => return (1, base),
        _ => {}
    }
    let (mut sum, mut next) = (0, 1);
    for bit in (0..u64::BITS - n.leading_zeros()).rev() {
        (sum, next) = (times(sum, plus(next, 1)), times(next, next));
        if n >> bit & 1 == 1 {
            (sum, next) = (plus(sum, next), times(next, base));
        }
    }
    (sum, next)
}

#[cfg(test)]
mod tests;
