//! Where straight events take their integers from: one port, which needs no list of ports to be gone through, or several.

use std::mem::needs_drop;

use hasse_model::value::Value;

use crate::fifo::Fifo;
use crate::instance::PortQueue;
use crate::instrumentation::{Instrumentation, ResultOrder};
use crate::token::Token;

/// Where values are taken from.
pub(super) trait Takes<M: Instrumentation, K: ResultOrder> {
    /// Whether there is an integer to take from each port.
    fn are_there(&self) -> bool;
    /// Whether a port has no value.
    fn is_one_missing(&self) -> bool;
    /// Takes them.
    fn each(&mut self, look: impl FnMut(usize, i64, &Token<M, K>));
    /// The sender's own port.
    fn own(&mut self, port: usize) -> Option<&mut Fifo<Token<M, K>>>;
}

/// One port.
pub(super) struct Single<'l, M: Instrumentation, K: ResultOrder> {
    pub(super) queue: &'l mut Fifo<Token<M, K>>,
    pub(super) slot_idx: usize,
}

/// Several ports, with the slots of their values.
pub(super) struct Several<'l, M: Instrumentation, K: ResultOrder> {
    pub(super) ports: &'l mut [PortQueue<M, K>],
    pub(super) takes: &'l [(usize, usize)],
}

#[inline(always)]
fn front_int<M: Instrumentation, K: ResultOrder>(queue: &Fifo<Token<M, K>>) -> Option<(i64, &Token<M, K>)> {
    match queue.front() {
        Some(token) => match token.value {
            Value::Int(number) => Some((number, token)),
            _ => None,
        },
        None => None,
    }
}

/// Lets go of an integer.
#[inline(always)]
fn drop_int<M: Instrumentation, K: ResultOrder>(queue: &mut Fifo<Token<M, K>>) {
    if needs_drop::<M::Stamp>() || needs_drop::<K>() {
        queue.drop_front();
    } else {
        queue.forget_front();
    }
}

impl<M: Instrumentation, K: ResultOrder> Takes<M, K> for Single<'_, M, K> {
    #[inline(always)]
    fn are_there(&self) -> bool {
        front_int(self.queue).is_some()
    }

    fn is_one_missing(&self) -> bool {
        self.queue.is_empty()
    }

    #[inline(always)]
    fn each(&mut self, mut look: impl FnMut(usize, i64, &Token<M, K>)) {
        if let Some((number, token)) = front_int(self.queue) {
            look(self.slot_idx, number, token);
            drop_int(self.queue);
        }
    }

    #[inline(always)]
    fn own(&mut self, _: usize) -> Option<&mut Fifo<Token<M, K>>> {
        // The port is the only one that the template takes from: a lane that sends to another one has `Several`.
        Some(self.queue)
    }
}

impl<M: Instrumentation, K: ResultOrder> Takes<M, K> for Several<'_, M, K> {
    #[inline(always)]
    fn are_there(&self) -> bool {
        self.takes.iter().all(|&(port, _)| match &self.ports[port] {
            PortQueue::Plain(queue) => front_int(queue).is_some(),
            PortQueue::Family(_) => false,
        })
    }

    fn is_one_missing(&self) -> bool {
        self.takes.iter().any(|&(port, _)| self.ports[port].is_empty())
    }

    #[inline(always)]
    fn each(&mut self, mut look: impl FnMut(usize, i64, &Token<M, K>)) {
        for &(port, slot_idx) in self.takes {
            if let PortQueue::Plain(queue) = &mut self.ports[port]
                && let Some((number, token)) = front_int(queue)
            {
                look(slot_idx, number, token);
                drop_int(queue);
            }
        }
    }

    #[inline(always)]
    fn own(&mut self, port: usize) -> Option<&mut Fifo<Token<M, K>>> {
        match &mut self.ports[port] {
            PortQueue::Plain(queue) => Some(queue),
            PortQueue::Family(_) => None,
        }
    }
}
