//! Sources of the values that straight events take: one port, which needs no list of ports to be gone through, or several.

use hasse_body::natives::{put, put_word};
use hasse_model::value::Value;
use hasse_record::instrumentation::Instrumentation;
use hasse_runtime_plan::form::Form;
use hasse_runtime_plan::straight::StraightTake;
use hasse_store::port::PortQueue;
use hasse_store::queue::Queue;
use hasse_store::queue::column::Column;

/// Ports that values are taken from.
pub(crate) trait Takes<M: Instrumentation> {
    /// For how many events there are values on each port that go on with one another.
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
    /// Takes a value from each port, and binds it to its name. [`n_together`](Self::n_together) has counted it.
    fn take(&mut self, values: &mut [Value]);
    /// Lets go of what has been taken. To be called before anything else is asked.
    fn settle(&mut self);
    /// The sender's own port.
    fn own(&mut self, port: usize) -> Option<&mut Column<M>>;
    /// The first words of a port of scalars, by position. [`n_together`](Self::n_together) has counted them.
    fn front(&self, place: usize, n_events: usize) -> &[i64];
    /// The first values of a port of others. What is taken out of them is to be [skipped](Self::skip).
    fn front_values(&mut self, place: usize, n_events: usize) -> &mut [Value];
    /// Lets so many of them go, as if they had been [taken](Self::take).
    fn skip(&mut self, n_events: usize);
    /// The only port, if there is one; with the number of values that wait there.
    fn only(&mut self) -> Option<(&mut Column<M>, usize)>;
}

/// One port.
pub(crate) struct Single<'l, M: Instrumentation> {
    pub(crate) queue: &'l mut Queue<M>,
    pub(crate) slot_idx: usize,
    pub(crate) form: Form,
}

/// Several ports.
pub(crate) struct Several<'l, M: Instrumentation> {
    pub(crate) ports: &'l mut [PortQueue<M>],
    pub(crate) takes: &'l [StraightTake],
}

/// Number of values that go on with what was sent by `first`.
#[inline]
fn n_going_on<M: Instrumentation>(column: &Column<M>, first: &M::Stamp, n_steps: u64, step: u64) -> usize {
    match column.stamp() {
        Some(stamp) if M::is_step(first, &stamp, n_steps * step) => {
            if column.step() == step {
                column.n_together()
            } else {
                1
            }
        }
        _ => 0,
    }
}

/// Takes the first value of a column, and binds it to its name.
#[inline(always)]
fn take_first<M: Instrumentation>(column: &mut Column<M>, form: Form, name: &mut Value) {
    match form {
        Form::Word(kind) => {
            if let Some(word) = column.take() {
                put_word(name, word, kind);
            }
        }
        Form::Value => {
            if let Some(value) = column.take_value() {
                put(name, value);
            }
        }
    }
}

impl<M: Instrumentation> Takes<M> for Single<'_, M> {
    #[inline(always)]
    fn n_together(&self) -> usize {
        self.queue.column.n_together()
    }

    fn is_one_missing(&self) -> bool {
        self.queue.is_empty()
    }

    #[inline(always)]
    fn stamps(&self, stamps: &mut Vec<M::Stamp>) {
        stamps.extend(self.queue.column.stamp());
    }

    #[inline(always)]
    fn step(&self) -> u64 {
        self.queue.column.step()
    }

    #[inline(always)]
    fn has_step(&self, step: u64) -> bool {
        self.queue.column.step() == step
    }

    #[inline(always)]
    fn n_more(&self, first: &[M::Stamp], n_steps: u64, step: u64) -> usize {
        first.first().map_or(0, |first| n_going_on(&self.queue.column, first, n_steps, step))
    }

    #[inline(always)]
    fn take(&mut self, values: &mut [Value]) {
        take_first(&mut self.queue.column, self.form, &mut values[self.slot_idx]);
    }

    #[inline(always)]
    fn settle(&mut self) {
        self.queue.column.settle();
    }

    #[inline(always)]
    fn own(&mut self, _: usize) -> Option<&mut Column<M>> {
        // The port is the only one that the template takes from: a lane that sends to another one has `Several`.
        Some(&mut self.queue.column)
    }

    #[inline(always)]
    fn front(&self, _: usize, n_events: usize) -> &[i64] {
        self.queue.column.front(n_events)
    }

    #[inline(always)]
    fn front_values(&mut self, _: usize, n_events: usize) -> &mut [Value] {
        self.queue.column.front_values(n_events)
    }

    #[inline(always)]
    fn skip(&mut self, n_events: usize) {
        self.queue.column.skip(n_events);
    }

    #[inline(always)]
    fn only(&mut self) -> Option<(&mut Column<M>, usize)> {
        let n_values = self.queue.len();
        Some((&mut self.queue.column, n_values))
    }
}

impl<M: Instrumentation> Several<'_, M> {
    #[inline(always)]
    fn queue(&self, take: &StraightTake) -> Option<&Queue<M>> {
        self.ports[take.port].queue(&take.element)
    }

    #[inline(always)]
    fn queue_mut(&mut self, take: &StraightTake) -> Option<&mut Queue<M>> {
        self.ports[take.port].queue_mut(&take.element)
    }

    /// The columns, as far as there are any.
    #[inline(always)]
    fn columns(&self) -> impl Iterator<Item = &Column<M>> {
        self.takes.iter().filter_map(|take| self.queue(take)).map(|queue| &queue.column)
    }
}

impl<M: Instrumentation> Takes<M> for Several<'_, M> {
    fn n_together(&self) -> usize {
        let step = self.step();
        let n_together = |take: &StraightTake| match self.queue(take) {
            Some(Queue { column, .. }) if column.step() == step => column.n_together(),
            Some(_) => 1,
            None => 0,
        };
        self.takes.iter().map(n_together).min().unwrap_or(0)
    }

    fn is_one_missing(&self) -> bool {
        self.takes.iter().any(|take| self.queue(take).is_none_or(Queue::is_empty))
    }

    fn stamps(&self, stamps: &mut Vec<M::Stamp>) {
        stamps.extend(self.columns().filter_map(Column::stamp));
    }

    fn step(&self) -> u64 {
        u64::from(self.columns().any(|column| column.step() == 1))
    }

    fn has_step(&self, step: u64) -> bool {
        self.columns().all(|column| column.step() == step)
    }

    fn n_more(&self, first: &[M::Stamp], n_steps: u64, step: u64) -> usize {
        let n_more =
            self.columns().zip(first).map(|(column, first)| n_going_on(column, first, n_steps, step));
        n_more.min().unwrap_or(0)
    }

    #[inline(always)]
    fn take(&mut self, values: &mut [Value]) {
        for take in self.takes {
            let Some(queue) = self.queue_mut(take) else { continue };
            take_first(&mut queue.column, take.form, &mut values[take.slot_idx]);
        }
    }

    fn settle(&mut self) {
        for take in self.takes {
            if let Some(queue) = self.queue_mut(take) {
                queue.column.settle();
            }
        }
    }

    #[inline(always)]
    fn own(&mut self, port: usize) -> Option<&mut Column<M>> {
        match &mut self.ports[port] {
            PortQueue::Plain(queue) => Some(&mut queue.column),
            PortQueue::Family(_) => None,
        }
    }

    fn front(&self, place: usize, n_events: usize) -> &[i64] {
        self.queue(&self.takes[place]).map_or(&[], |queue| queue.column.front(n_events))
    }

    fn front_values(&mut self, place: usize, n_events: usize) -> &mut [Value] {
        self.queue_mut(&self.takes[place]).map_or(&mut [], |queue| queue.column.front_values(n_events))
    }

    fn skip(&mut self, n_events: usize) {
        for take in self.takes {
            if let Some(queue) = self.queue_mut(take) {
                queue.column.skip(n_events);
            }
        }
    }

    fn only(&mut self) -> Option<(&mut Column<M>, usize)> {
        None
    }
}
