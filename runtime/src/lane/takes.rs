//! Where straight events take their integers from: one port, which needs no list of ports to be gone through, or several.

use hasse_model::value::Value;

use crate::instance::PortQueue;
use crate::instrumentation::{Instrumentation, ResultOrder};
use crate::natives::put_int;
use crate::queue::{Ints, Queue};

/// Where integers are taken from.
pub(super) trait Takes<M: Instrumentation> {
    /// For how many events there are integers on each port that go on with one another.
    fn n_together(&self) -> usize;
    /// Whether a port has no value.
    fn is_one_missing(&self) -> bool;
    /// Adds who sent what is taken next.
    fn stamps(&self, stamps: &mut Vec<M::Stamp>);
    /// How far the senders of what is taken next are behind those of what is taken before it: 1, or 0 where one event has sent
    /// all of it.
    fn step(&self) -> u64;
    /// As [`n_together`](Self::n_together), if what is next was sent by the events so many [`step`](Self::step)s behind `first`.
    fn n_more(&self, first: &[M::Stamp], n_steps: u64, step: u64) -> usize;
    /// Whether the senders of what waits on each port are this [`step`](Self::step) apart, so that what the events send to
    /// themselves may go on with it.
    fn has_step(&self, step: u64) -> bool;
    /// Takes an integer from each port, binds it to its name, and adds its cell. [`n_together`](Self::n_together) has counted it.
    fn take(&mut self, values: &mut [Value], cells: &mut Vec<M::Cell>);
    /// Lets go of what has been taken. To be called before anything else is asked.
    fn settle(&mut self);
    /// The sender's own port.
    fn own(&mut self, port: usize) -> Option<&mut Ints<M>>;
    /// The first integers of the ports, by position. [`n_together`](Self::n_together) has counted them.
    fn front(&self, place: usize, n_events: usize) -> &[i64];
    /// Their cells.
    fn front_cells(&self, place: usize, n_events: usize) -> &[M::Cell];
    /// Lets so many of them go, as if they had been [taken](Self::take).
    fn skip(&mut self, n_events: usize);
    /// The only port, if there is one; with the number of values that wait there.
    fn only(&mut self) -> Option<(&mut Ints<M>, usize)>;
}

/// One port.
pub(super) struct Single<'l, M: Instrumentation, K: ResultOrder> {
    pub(super) queue: &'l mut Queue<M, K>,
    pub(super) slot_idx: usize,
}

/// Several ports, with the slots of their values.
pub(super) struct Several<'l, M: Instrumentation, K: ResultOrder> {
    pub(super) ports: &'l mut [PortQueue<M, K>],
    pub(super) takes: &'l [(usize, usize)],
}

/// How many integers go on with what was sent by `first`.
#[inline]
fn n_going_on<M: Instrumentation>(ints: &Ints<M>, first: &M::Stamp, n_steps: u64, step: u64) -> usize {
    match ints.stamp() {
        Some(stamp) if M::is_step(first, &stamp, n_steps * step) => {
            if ints.step() == step {
                ints.n_together()
            } else {
                1
            }
        }
        _ => 0,
    }
}

impl<M: Instrumentation, K: ResultOrder> Takes<M> for Single<'_, M, K> {
    #[inline(always)]
    fn n_together(&self) -> usize {
        self.queue.ints.n_together()
    }

    fn is_one_missing(&self) -> bool {
        self.queue.is_empty()
    }

    #[inline(always)]
    fn stamps(&self, stamps: &mut Vec<M::Stamp>) {
        stamps.extend(self.queue.ints.stamp());
    }

    #[inline(always)]
    fn step(&self) -> u64 {
        self.queue.ints.step()
    }

    #[inline(always)]
    fn has_step(&self, step: u64) -> bool {
        self.queue.ints.step() == step
    }

    #[inline(always)]
    fn n_more(&self, first: &[M::Stamp], n_steps: u64, step: u64) -> usize {
        first.first().map_or(0, |first| n_going_on(&self.queue.ints, first, n_steps, step))
    }

    #[inline(always)]
    fn take(&mut self, values: &mut [Value], cells: &mut Vec<M::Cell>) {
        cells.push(self.queue.ints.cell());
        if let Some(number) = self.queue.ints.take() {
            put_int(&mut values[self.slot_idx], number);
        }
    }

    #[inline(always)]
    fn settle(&mut self) {
        self.queue.ints.settle();
    }

    #[inline(always)]
    fn own(&mut self, _: usize) -> Option<&mut Ints<M>> {
        // The port is the only one that the template takes from: a lane that sends to another one has `Several`.
        Some(&mut self.queue.ints)
    }

    #[inline(always)]
    fn front(&self, _: usize, n_events: usize) -> &[i64] {
        self.queue.ints.front(n_events)
    }

    #[inline(always)]
    fn front_cells(&self, _: usize, n_events: usize) -> &[M::Cell] {
        self.queue.ints.front_cells(n_events)
    }

    #[inline(always)]
    fn skip(&mut self, n_events: usize) {
        self.queue.ints.skip(n_events);
    }

    #[inline(always)]
    fn only(&mut self) -> Option<(&mut Ints<M>, usize)> {
        let n_values = self.queue.len();
        Some((&mut self.queue.ints, n_values))
    }
}

impl<M: Instrumentation, K: ResultOrder> Several<'_, M, K> {
    #[inline(always)]
    fn ints(&self) -> impl Iterator<Item = &Ints<M>> {
        self.takes.iter().filter_map(|&(port, _)| match &self.ports[port] {
            PortQueue::Plain(queue) => Some(&queue.ints),
            PortQueue::Family(_) => None,
        })
    }
}

impl<M: Instrumentation, K: ResultOrder> Takes<M> for Several<'_, M, K> {
    fn n_together(&self) -> usize {
        let n_together = |ints: &Ints<M>| if ints.step() == 1 { ints.n_together() } else { 1 };
        self.ints().map(n_together).min().unwrap_or(0)
    }

    fn is_one_missing(&self) -> bool {
        self.takes.iter().any(|&(port, _)| self.ports[port].is_empty())
    }

    fn stamps(&self, stamps: &mut Vec<M::Stamp>) {
        stamps.extend(self.ints().filter_map(Ints::stamp));
    }

    fn step(&self) -> u64 {
        1
    }

    fn has_step(&self, step: u64) -> bool {
        self.ints().all(|ints| ints.step() == step)
    }

    fn n_more(&self, first: &[M::Stamp], n_steps: u64, step: u64) -> usize {
        let n_more = self.ints().zip(first).map(|(ints, first)| n_going_on(ints, first, n_steps, step));
        n_more.min().unwrap_or(0)
    }

    #[inline(always)]
    fn take(&mut self, values: &mut [Value], cells: &mut Vec<M::Cell>) {
        for &(port, slot_idx) in self.takes {
            let PortQueue::Plain(queue) = &mut self.ports[port] else { continue };
            cells.push(queue.ints.cell());
            if let Some(number) = queue.ints.take() {
                put_int(&mut values[slot_idx], number);
            }
        }
    }

    fn settle(&mut self) {
        for &(port, _) in self.takes {
            if let PortQueue::Plain(queue) = &mut self.ports[port] {
                queue.ints.settle();
            }
        }
    }

    #[inline(always)]
    fn own(&mut self, port: usize) -> Option<&mut Ints<M>> {
        match &mut self.ports[port] {
            PortQueue::Plain(queue) => Some(&mut queue.ints),
            PortQueue::Family(_) => None,
        }
    }

    fn front(&self, place: usize, n_events: usize) -> &[i64] {
        match &self.ports[self.takes[place].0] {
            PortQueue::Plain(queue) => queue.ints.front(n_events),
            PortQueue::Family(_) => &[],
        }
    }

    fn front_cells(&self, place: usize, n_events: usize) -> &[M::Cell] {
        match &self.ports[self.takes[place].0] {
            PortQueue::Plain(queue) => queue.ints.front_cells(n_events),
            PortQueue::Family(_) => &[],
        }
    }

    fn skip(&mut self, n_events: usize) {
        for &(port, _) in self.takes {
            if let PortQueue::Plain(queue) = &mut self.ports[port] {
                queue.ints.skip(n_events);
            }
        }
    }

    fn only(&mut self) -> Option<(&mut Ints<M>, usize)> {
        None
    }
}
