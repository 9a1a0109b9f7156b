//! An order of events as they come, by what is before each: all of causal order, or its flow and sequence edges
//! alone.
//!
//! An event that accesses a shared object is put in a chain. The first actions that do so have one each, which lets
//! a report name the last event of an action that is before another; those after them share chains: an event goes
//! behind any last event of a chain that is before it, so that the number of chains grows with what is concurrent
//! and not with the number of actions. The first few actions that share nothing have chains as well, as landmarks
//! for reports.

use rustc_hash::FxHashMap;

use hasse_model::event::EventRecord;
use hasse_model::id::{ActionId, EventId};

use super::past::{Mark, Past};

/// How many actions have a chain of their own.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnChains {
    /// Of those that access shared objects.
    pub(super) n_sharing: usize,
    /// Of the others.
    pub(super) n_landmarks: usize,
}

impl Default for OwnChains {
    /// Enough for the programs whose reports a person reads; a past has at most so many entries more than there
    /// are concurrent accesses.
    fn default() -> Self {
        Self { n_sharing: 256, n_landmarks: 32 }
    }
}

/// An order that events are added to as they come.
#[derive(Debug, Default)]
pub(super) struct Order {
    limits: OwnChains,
    /// Chains of actions that have one of their own.
    own: FxHashMap<ActionId, u32>,
    n_sharing: usize,
    n_landmarks: usize,
    /// Number of the last event of each chain; `u64::MAX` for one that belongs to an action.
    tails: Vec<u64>,
    /// The past of each action's next event, as far as its own last one goes.
    actions: FxHashMap<ActionId, Past>,
    senders: FxHashMap<EventId, Sender>,
}

/// An event whose values are under way.
#[derive(Debug)]
struct Sender {
    /// Its place, where it is in a chain.
    mark: Option<Mark>,
    /// What is before it, itself included.
    past: Past,
    /// Number of values; never 0.
    n_under_way: u64,
}

impl Order {
    /// An order without events.
    pub(super) fn new(limits: OwnChains) -> Self {
        Self { limits, ..Self::default() }
    }

    /// What is before an event by its flow and sequence edges: the last event of its action and the senders of the
    /// values that it removed, each with all that is before it in this order.
    ///
    /// # Errors
    /// With the sender of a value that, by the sender's own record, was not sent.
    pub(super) fn arrive(&mut self, event: &EventRecord) -> Result<Past, EventId> {
        // Taken out, not copied: `leave` puts in the next one.
        let mut past = self.actions.get_mut(&event.id.action).map(std::mem::take).unwrap_or_default();
        for &sender in &event.flow {
            let known = self.senders.get_mut(&sender).ok_or(sender)?;
            if !known.mark.is_some_and(|mark| past.has(&mark)) {
                past.merge(&known.past);
            }
            known.n_under_way -= 1;
            if known.n_under_way == 0 {
                self.senders.remove(&sender);
            }
        }
        Ok(past)
    }

    /// Puts an event into a chain, where it needs to be in one; `past` is all that is before it in this order.
    pub(super) fn place(&mut self, event: &EventRecord, number: u64, past: &Past) -> Option<Mark> {
        let chain = self.chain(event, number, past)?;
        Some(Mark { chain, action: event.id.action, count: event.id.count, number })
    }

    /// Takes in the place of an event and the past of what comes after it, the event included.
    pub(super) fn leave(&mut self, event: &EventRecord, mark: Option<Mark>, past: Past) {
        if event.flow_successors > 0 {
            let sender = Sender { mark, past: past.clone(), n_under_way: event.flow_successors };
            self.senders.insert(event.id, sender);
        }
        self.actions.insert(event.id.action, past);
    }

    /// Number of chains so far: the most entries that a past can have.
    #[cfg(test)]
    pub(super) fn n_chains(&self) -> usize {
        self.tails.len()
    }

    fn chain(&mut self, event: &EventRecord, number: u64, past: &Past) -> Option<u32> {
        let action = event.id.action;
        if let Some(&chain) = self.own.get(&action) {
            return Some(chain);
        }
        let (n_own, limit, is_sharing) = if event.shared.is_empty() {
            (&mut self.n_landmarks, self.limits.n_landmarks, false)
        } else {
            (&mut self.n_sharing, self.limits.n_sharing, true)
        };
        // A landmark's chain begins with the action's first event, so that no gap misleads.
        if *n_own < limit && (is_sharing || event.id.count == 1) {
            *n_own += 1;
            let chain = new_chain(&mut self.tails, u64::MAX);
            self.own.insert(action, chain);
            return Some(chain);
        }
        if !is_sharing {
            return None;
        }
        let is_last = |mark: &&Mark| self.tails[mark.chain as usize] == mark.number;
        let Some(last) = past.marks().iter().find(is_last) else {
            return Some(new_chain(&mut self.tails, number));
        };
        self.tails[last.chain as usize] = number;
        Some(last.chain)
    }
}

fn new_chain(tails: &mut Vec<u64>, last: u64) -> u32 {
    tails.push(last);
    u32::try_from(tails.len() - 1).expect("fewer than 2^32 chains")
}
