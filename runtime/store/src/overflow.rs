//! Values that full ports drop (`full = "drop-oldest"` or `"drop-newest"`).
//!
//! An event sends all its values for a port at once, and the values that have waited longest are dropped first. So those of one
//! event are dropped in their order, and a replay finds each by the number of values behind it.

use hasse_model::event::DroppedValue;
use hasse_model::id::{EventId, Index};
use hasse_record::instrumentation::Instrumentation;
use hasse_record::stamp::Directive;

use crate::port::PortQueue;
use crate::queue::Queue;
use crate::token::Token;

/// Values that were dropped at one place.
#[derive(Debug, Default)]
pub struct Overflow {
    /// Their number.
    pub n_values: u64,
    /// The values with their senders, where they are recorded.
    pub values: Vec<DroppedValue>,
}

impl Overflow {
    /// Drops the first values of a queue, which are beyond a bound of `most` values.
    pub(crate) fn first<M: Instrumentation>(queue: &mut Queue<M>, n_beyond: usize, most: usize) -> Self {
        let mut overflow = Self { n_values: n_beyond as u64, values: Vec::new() };
        if M::RECORDS {
            let tokens = &*queue.tokens();
            let sender_at = |position| tokens.get(position).and_then(sender_of);
            overflow.note(n_beyond, sender_at, |position| sender_at(position + most));
        }
        for _ in 0..n_beyond {
            queue.pop_front();
        }
        overflow
    }

    /// Drops all values of a queue, for which there was no room.
    pub(crate) fn all<M: Instrumentation>(queue: &mut Queue<M>) -> Self {
        let n_values = queue.len();
        let mut overflow = Self { n_values: n_values as u64, values: Vec::new() };
        if M::RECORDS {
            let tokens = &*queue.tokens();
            let sender_at = |position| tokens.get(position).and_then(sender_of);
            overflow.note(n_values, sender_at, sender_at);
        }
        while queue.pop_front().is_some() {}
        overflow
    }

    /// Notes the first values, by their senders and those of the values that they make room for. Values that were added by hand have no
    /// sender; nobody else misses them.
    fn note(
        &mut self,
        n_values: usize,
        sender_at: impl Fn(usize) -> Option<EventId>,
        by: impl Fn(usize) -> Option<EventId>,
    ) {
        let mut position = 0;
        while position < n_values {
            let sender = sender_at(position);
            let mut end = position + 1;
            while sender.is_some() && sender_at(end) == sender {
                end += 1;
            }
            for position in position..end.min(n_values) {
                let Some(sender) = sender else { continue };
                let n_later = (end - position - 1) as u32;
                self.values.push(DroppedValue { sender, n_later, by: by(position).unwrap_or(sender) });
            }
            position = end;
        }
    }
}

fn sender_of<M: Instrumentation>(token: &Token<M>) -> Option<EventId> {
    M::sender(&token.stamp).filter(|_| !token.directive.is_by_hand())
}

impl<M: Instrumentation> PortQueue<M> {
    /// Drops the values that have waited longest and are beyond a bound of `most` values; gives those of each element.
    pub fn drop_beyond(&mut self, most: usize) -> Vec<(Index, Overflow)> {
        let mut dropped = Vec::new();
        let drop_first = |queue: &mut Queue<M>| {
            let n_beyond = queue.len().saturating_sub(most);
            (n_beyond > 0).then(|| Overflow::first(queue, n_beyond, most))
        };
        match self {
            PortQueue::Plain(queue) => {
                dropped.extend(drop_first(queue).map(|overflow| (Index::none(), overflow)));
            }
            PortQueue::Family(family) => {
                let is_over = |(_, queue): &(_, &Queue<M>)| queue.len() > most;
                let over: Vec<Index> =
                    family.iter().filter(is_over).map(|(element, _)| element.into_owned()).collect();
                for element in over {
                    let overflow = family.get_mut(&element).and_then(drop_first);
                    dropped.extend(overflow.map(|overflow| (element, overflow)));
                }
            }
        }
        dropped
    }
}
