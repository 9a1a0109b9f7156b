//! Values that wait on the input ports of an instance.

use std::ops::RangeInclusive;

use hasse_model::id::{EventId, Index};
use hasse_model::plan::Template;
use hasse_record::instrumentation::Instrumentation;
use hasse_record::needs::ColumnOrder;
use thin_vec::ThinVec;

use crate::family::Family;
use crate::fifo::Fifo;
use crate::queue::Queue;
use crate::token::Token;

/// Values that wait on an input port.
pub enum PortQueue<M: Instrumentation> {
    /// A plain port.
    Plain(Queue<M>),
    /// A family of ports.
    Family(Family<M>),
}

impl<M: Instrumentation> PortQueue<M> {
    /// The values for an element, or of a plain port; `None` where none have come.
    #[inline(always)]
    pub fn queue(&self, elements: &Index) -> Option<&Queue<M>> {
        match self {
            PortQueue::Plain(queue) => Some(queue),
            PortQueue::Family(family) => family.get(elements),
        }
    }

    /// The same, to be changed.
    #[inline(always)]
    pub fn queue_mut(&mut self, elements: &Index) -> Option<&mut Queue<M>> {
        match self {
            PortQueue::Plain(queue) => Some(queue),
            PortQueue::Family(family) => family.get_mut(elements),
        }
    }

    /// The same, to which values are about to be added.
    #[inline(always)]
    pub fn open(&mut self, elements: &Index) -> &mut Queue<M> {
        match self {
            PortQueue::Plain(queue) => queue,
            PortQueue::Family(family) => family.open(elements),
        }
    }

    /// Adds a value of an element, or of a plain port.
    pub fn push(&mut self, elements: &Index, token: Token<M>) {
        self.open(elements).push_back(token);
    }

    /// Adds a value of an element, or of a plain port, not to a column.
    pub(crate) fn push_token(&mut self, elements: &Index, token: Token<M>) {
        match self {
            PortQueue::Plain(queue) => queue.tokens().push_back(token),
            PortQueue::Family(family) => family.push_token(elements, token),
        }
    }

    /// Moves all values of the same port after those that are here.
    #[inline]
    pub(crate) fn append(&mut self, other: &mut Self) {
        match (self, other) {
            (PortQueue::Plain(queue), PortQueue::Plain(other)) if !other.is_empty() => queue.append(other),
            (PortQueue::Family(family), PortQueue::Family(other)) => family.append(other),
            _ => {}
        }
    }

    /// Number of values for an element, or of all values of a plain port.
    pub fn n_values(&self, elements: &Index) -> usize {
        self.queue(elements).map_or(0, Queue::len)
    }

    /// Moves all values out of columns.
    #[inline]
    pub fn leave_columns(&mut self) {
        match self {
            PortQueue::Plain(queue) => {
                queue.tokens();
            }
            PortQueue::Family(family) => family.leave_columns(),
        }
    }

    /// Replay: makes the first value of some senders, for an element or on a plain port, the first one; false where none has
    /// come.
    pub fn bring(&mut self, elements: &Index, senders: &RangeInclusive<EventId>) -> bool {
        self.queue_mut(elements).is_some_and(|queue| queue.bring(senders))
    }

    /// Replay: puts all values in their order, those of one sender as they were sent.
    pub fn join(&mut self) {
        let join = |queue: &mut Queue<M>| queue.tokens().join(|token| M::sender(&token.stamp));
        match self {
            PortQueue::Plain(queue) => join(queue),
            PortQueue::Family(family) => family.queues_mut().for_each(join),
        }
    }

    /// Replay: the values for an element, or of a plain port, with none out of the line.
    pub fn line(&mut self, elements: &Index) -> Option<&Fifo<Token<M>>> {
        let queue = self.queue_mut(elements)?.tokens();
        queue.join(|token| M::sender(&token.stamp));
        Some(queue)
    }

    /// The value at a position, for an element or on a plain port. Cost: linear in the position.
    pub fn token(&mut self, elements: &Index, position: usize) -> Option<&Token<M>> {
        self.queue_mut(elements)?.tokens().iter().nth(position)
    }

    /// The values for an element, or of a plain port, to be changed. Not in a replay, which puts some out of the line.
    pub fn line_mut(&mut self, elements: &Index) -> Option<&mut Fifo<Token<M>>> {
        Some(self.queue_mut(elements)?.tokens())
    }

    /// Removes a value.
    pub fn remove(&mut self, elements: &Index, position: usize) -> Option<Token<M>> {
        self.queue_mut(elements)?.tokens().remove(position)
    }

    /// Takes the first value for an element, or of a plain port.
    #[inline]
    pub fn pop(&mut self, elements: &Index) -> Option<Token<M>> {
        self.queue_mut(elements)?.pop_front()
    }

    /// Returns true if nothing waits on the port.
    #[inline]
    pub fn is_empty(&self) -> bool {
        match self {
            PortQueue::Plain(queue) => queue.is_empty(),
            PortQueue::Family(family) => family.is_empty(),
        }
    }

    /// Shows all values.
    pub fn each(&self, mut look: impl FnMut(&Token<M>)) {
        self.each_with_element(|_, token| look(token));
    }

    /// Shows all values, with their elements.
    pub fn each_with_element(&self, mut look: impl FnMut(&Index, &Token<M>)) {
        match self {
            PortQueue::Plain(queue) => queue.each(|token| look(&Index::none(), token)),
            PortQueue::Family(family) => {
                for (elements, queue) in family.iter() {
                    queue.each(|token| look(&elements, token));
                }
            }
        }
    }

    /// Number of values, on all elements.
    pub fn n_in_all(&self) -> u64 {
        match self {
            PortQueue::Plain(queue) => queue.len() as u64,
            PortQueue::Family(family) => family.iter().map(|(_, queue)| queue.len() as u64).sum(),
        }
    }

    /// Elements that hold values, with their number.
    pub fn lengths(&self) -> Vec<(Index, u64)> {
        match self {
            PortQueue::Plain(queue) if queue.is_empty() => Vec::new(),
            PortQueue::Plain(queue) => vec![(Index::none(), queue.len() as u64)],
            PortQueue::Family(family) => {
                family.iter().map(|(elements, queue)| (elements.into_owned(), queue.len() as u64)).collect()
            }
        }
    }
}

/// Empty ports of an instance.
pub(crate) fn ports_of<M: Instrumentation>(
    template: &Template,
    columns: ColumnOrder,
) -> ThinVec<PortQueue<M>> {
    let ports = template.inputs.iter().map(|port| match port.n_indices {
        0 => PortQueue::Plain(Queue::new(columns)),
        _ => PortQueue::Family(Family::new(columns)),
    });
    ports.collect()
}
