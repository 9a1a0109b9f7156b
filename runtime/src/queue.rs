//! Values that wait for a plain port. Integers, which most small values are, stand in columns: the numbers, and who sent
//! them as far as each is not sent by the next event of the same action. A loop over many of them touches little else.
//! A mode of recording that needs more of each value than follows from its sender has a column of
//! [cells](Instrumentation::Cell) next to the numbers.

use std::ops::RangeInclusive;

use hasse_model::id::EventId;
use hasse_model::value::Value;
use thin_vec::ThinVec;

use crate::fifo::Fifo;
use crate::instrumentation::{Instrumentation, ResultOrder};
use crate::token::{Directive, Token};

/// A queue that has been emptied keeps room for so many numbers.
const MAX_KEPT_NUMBERS: usize = 1024;

/// Values for a plain port.
pub(crate) struct Queue<M: Instrumentation, K: ResultOrder> {
    /// Those that are in front of all `tokens`.
    pub(crate) ints: Ints<M>,
    tokens: Fifo<Token<M, K>>,
}

/// Integers, and who sent them.
pub(crate) struct Ints<M: Instrumentation> {
    numbers: Vec<i64>,
    /// One for each number.
    cells: Vec<M::Cell>,
    /// How many of them have been taken.
    n_taken: usize,
    /// In the order of their positions. The first is that of the next number; there is none where no number waits.
    runs: Vec<Run<M::Stamp>>,
    /// How many of them belong to numbers that have been taken.
    n_past: usize,
    /// In a replay, where the record says whose value is next: the integers of other senders, each sender's by themselves.
    /// There are none where no number waits here.
    aside: ThinVec<Ints<M>>,
}

/// Integers that were sent by events of one action, each by the one behind that of the integer before, or all by one event.
struct Run<T> {
    /// Position of the first one.
    start: usize,
    /// Who sent that.
    stamp: T,
    /// How many events it is from one sender to the next: 0 or 1. There may be one integer only: then nothing is said.
    step: u64,
}

impl<M: Instrumentation> Ints<M> {
    const fn new() -> Self {
        Self {
            numbers: Vec::new(),
            cells: Vec::new(),
            n_taken: 0,
            runs: Vec::new(),
            n_past: 0,
            aside: ThinVec::new(),
        }
    }

    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    #[inline]
    fn len(&self) -> usize {
        let n_aside: usize = self.aside.iter().map(Self::len).sum();
        self.n_here() + n_aside
    }

    /// Number of those that are not aside.
    #[inline(always)]
    fn n_here(&self) -> usize {
        self.numbers.len() - self.n_taken
    }

    /// Where an integer that this event has sent is to be added.
    #[inline(always)]
    pub(crate) fn of(&mut self, stamp: &M::Stamp) -> &mut Self {
        if M::REPLAYS { self.of_sender(stamp) } else { self }
    }

    fn of_sender(&mut self, stamp: &M::Stamp) -> &mut Self {
        if self.is_empty() || self.is_of(stamp) {
            return self;
        }
        let known = self.aside.iter().position(|ints| ints.is_of(stamp));
        let position = known.unwrap_or(self.aside.len());
        if known.is_none() {
            self.aside.push(Self::new());
        }
        &mut self.aside[position]
    }

    /// Whether the same action has sent them.
    fn is_of(&self, stamp: &M::Stamp) -> bool {
        let action = |stamp| M::sender(stamp).map(|sender| sender.action);
        self.runs.last().is_some_and(|run| action(&run.stamp) == action(stamp))
    }

    /// Replay: makes the integer that an event has sent the next one; false where it has not come.
    pub(crate) fn bring(&mut self, sender: EventId) -> bool {
        let is_next = |ints: &Self| {
            ints.n_here() > 0 && ints.stamp().is_some_and(|next| M::sender(&next) == Some(sender))
        };
        if is_next(self) {
            return true;
        }
        let Some(position) = self.aside.iter().position(is_next) else { return false };
        self.exchange(position);
        true
    }

    /// Puts itself aside, and what is aside in its place.
    fn exchange(&mut self, position: usize) {
        let mut aside = std::mem::take(&mut self.aside);
        std::mem::swap(self, &mut aside[position]);
        if aside[position].n_here() == 0 {
            aside.swap_remove(position);
        }
        self.aside = aside;
    }

    /// Number of integers from the front on that form one run.
    #[inline(always)]
    pub(crate) fn n_together(&self) -> usize {
        self.runs.get(self.n_past + 1).map_or(self.numbers.len(), |next| next.start) - self.n_taken
    }

    /// Who sent the first one.
    #[inline(always)]
    pub(crate) fn stamp(&self) -> Option<M::Stamp> {
        let run = self.runs.get(self.n_past)?;
        Some(M::with_cell(run.stamp_at::<M>(self.n_taken), self.cell()))
    }

    /// The cell of the first one; the default where there is none.
    #[inline(always)]
    pub(crate) fn cell(&self) -> M::Cell {
        self.cells.get(self.n_taken).copied().unwrap_or_default()
    }

    /// How far the sender of each of those that form one run is behind that of the one before.
    #[inline(always)]
    pub(crate) fn step(&self) -> u64 {
        match self.runs.get(self.n_past) {
            Some(run) if run.step == 0 && self.n_together() > 1 => 0,
            _ => 1,
        }
    }

    /// Takes the first one. To be followed by [`settle`](Self::settle) before anything but numbers of the same run is
    /// asked for.
    #[inline(always)]
    pub(crate) fn take(&mut self) -> Option<i64> {
        let number = *self.numbers.get(self.n_taken)?;
        self.n_taken += 1;
        Some(number)
    }

    /// The first integers, which form one run.
    #[inline(always)]
    pub(crate) fn front(&self, n_ints: usize) -> &[i64] {
        &self.numbers[self.n_taken..][..n_ints]
    }

    /// Their cells.
    #[inline(always)]
    pub(crate) fn front_cells(&self, n_ints: usize) -> &[M::Cell] {
        &self.cells[self.n_taken..][..n_ints]
    }

    /// As so many calls of [`take`](Self::take).
    #[inline(always)]
    pub(crate) fn skip(&mut self, n_ints: usize) {
        self.n_taken += n_ints;
    }

    /// Lets go of what has been taken.
    #[inline(always)]
    pub(crate) fn settle(&mut self) {
        if self.n_taken == self.numbers.len() {
            return self.go_on_with_others();
        }
        if self.runs.get(self.n_past + 1).is_some_and(|next| next.start == self.n_taken) {
            self.n_past += 1;
        }
        if self.n_taken >= MAX_KEPT_NUMBERS && self.n_taken > self.numbers.len() / 2 {
            self.give_up_front();
        }
    }

    /// Clears the columns, of which nothing waits. In a replay, the integers of another sender take their place.
    #[inline(always)]
    fn go_on_with_others(&mut self) {
        self.clear();
        if M::REPLAYS
            && let Some(position) = self.aside.iter().position(|ints| ints.n_here() > 0)
        {
            self.exchange(position);
        }
    }

    /// Gives up what is not aside.
    #[inline(always)]
    fn clear(&mut self) {
        if self.numbers.capacity() > MAX_KEPT_NUMBERS {
            *self = Self { aside: std::mem::take(&mut self.aside), ..Self::new() };
        } else {
            self.numbers.clear();
            self.cells.clear();
            self.runs.clear();
            (self.n_taken, self.n_past) = (0, 0);
        }
    }

    /// Sees to it that integers that are added by [`push`](Self::push) are known to be sent by the events from `stamp` on.
    /// One is to be added.
    #[inline]
    pub(crate) fn open(&mut self, stamp: &M::Stamp) {
        self.open_at(self.numbers.len(), stamp);
    }

    #[inline]
    fn open_at(&mut self, start: usize, stamp: &M::Stamp) {
        self.close_at(start);
        let goes_on =
            |run: &Run<M::Stamp>| run.step == 1 && M::is_step(&run.stamp, stamp, (start - run.start) as u64);
        if !self.runs.last().is_some_and(goes_on) {
            self.runs.push(Run { start, stamp: stamp.clone(), step: 1 });
        }
    }

    /// Removes the run that was opened at a position and to which nothing was added. It is the last one.
    #[inline(always)]
    fn close_at(&mut self, start: usize) {
        self.runs.pop_if(|run| run.start == start);
    }

    /// Adds an integer that this event has sent.
    #[inline(always)]
    fn push_one(&mut self, number: i64, stamp: &M::Stamp) {
        let at = self.numbers.len();
        self.close_at(at);
        let goes_on = self.runs.last_mut().is_some_and(|run| {
            let n_numbers = (at - run.start) as u64;
            if n_numbers == 1 {
                run.step = u64::from(M::is_step(&run.stamp, stamp, 1));
            }
            M::is_step(&run.stamp, stamp, n_numbers * run.step)
        });
        if !goes_on {
            self.runs.push(Run { start: at, stamp: stamp.clone(), step: 1 });
        }
        self.push(number, M::cell(stamp));
    }

    /// Adds an integer that is sent by the event behind that of the last one, or for which the run has been opened.
    #[inline(always)]
    pub(crate) fn push(&mut self, number: i64, cell: M::Cell) {
        self.numbers.push(number);
        self.cells.push(cell);
    }

    /// Takes back the last one that is not aside.
    fn pop(&mut self) {
        self.close_at(self.numbers.len());
        self.numbers.pop();
        self.cells.pop();
        if self.numbers.len() == self.n_taken {
            self.go_on_with_others();
        } else {
            self.close_at(self.numbers.len());
        }
    }

    /// Gives up what has been taken.
    fn give_up_front(&mut self) {
        self.numbers.drain(..self.n_taken);
        self.cells.drain(..self.n_taken);
        self.runs.drain(..self.n_past);
        for run in &mut self.runs {
            match run.start.checked_sub(self.n_taken) {
                Some(start) => run.start = start,
                None => {
                    run.stamp = run.stamp_at::<M>(self.n_taken);
                    run.start = 0;
                }
            }
        }
        (self.n_taken, self.n_past) = (0, 0);
    }

    /// Moves all integers of another one behind those of this one.
    #[inline]
    fn append(&mut self, other: &mut Self) {
        if other.is_empty() {
            return;
        }
        if self.is_empty() {
            std::mem::swap(self, other);
            return;
        }
        if M::REPLAYS {
            for mut others in std::mem::take(&mut other.aside) {
                self.append_of_sender(&mut others);
            }
            // Its memory stays where it is.
            self.append_of_sender(other);
            other.clear();
        } else {
            self.append_here(other);
        }
    }

    /// Moves integers that one action has sent behind the others of that action.
    fn append_of_sender(&mut self, other: &mut Self) {
        if let Some(stamp) = other.stamp().filter(|_| other.n_here() > 0) {
            self.of(&stamp).append_here(other);
        }
    }

    /// Moves integers that are not aside behind those that are not.
    #[inline]
    fn append_here(&mut self, other: &mut Self) {
        if self.n_taken > self.numbers.len() / 2 {
            self.give_up_front();
        }
        other.give_up_front();
        let n_before = self.numbers.len();
        self.numbers.append(&mut other.numbers);
        self.cells.append(&mut other.cells);
        let mut runs = other.runs.drain(..).map(|run| Run { start: n_before + run.start, ..run });
        if let Some(first) = runs.next() {
            if first.step == 1 {
                self.open_at(n_before, &first.stamp);
            } else {
                self.close_at(n_before);
                self.runs.push(first);
            }
        }
        self.runs.extend(runs);
    }

    /// Shows all that wait, with who sent them.
    fn each(&self, look: &mut dyn FnMut(i64, M::Stamp)) {
        let mut run_idx = self.n_past;
        for (position, &number) in self.numbers.iter().enumerate().skip(self.n_taken) {
            if self.runs.get(run_idx + 1).is_some_and(|next| next.start == position) {
                run_idx += 1;
            }
            if let (Some(run), Some(&cell)) = (self.runs.get(run_idx), self.cells.get(position)) {
                look(number, M::with_cell(run.stamp_at::<M>(position), cell));
            }
        }
        self.aside.iter().for_each(|ints| ints.each(look));
    }
}

impl<T> Run<T> {
    /// Who sent the one at a position, but for its cell.
    #[inline(always)]
    fn stamp_at<M: Instrumentation<Stamp = T>>(&self, position: usize) -> T {
        M::stepped(&self.stamp, (position - self.start) as u64 * self.step)
    }
}

impl<M: Instrumentation, K: ResultOrder> Queue<M, K> {
    /// Whether integers stand in columns.
    pub(crate) const HAS_COLUMNS: bool = M::HAS_RUNS && K::IS_NONE;

    pub(crate) const fn new() -> Self {
        Self { ints: Ints::new(), tokens: Fifo::new() }
    }

    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.ints.is_empty() && self.tokens.is_empty()
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.ints.len() + self.tokens.len()
    }

    #[inline]
    pub(crate) fn push_back(&mut self, token: Token<M, K>) {
        match token.value {
            Value::Int(number) if token.directive.is_nothing() => {
                self.push_int(number, &token.stamp, token.known)
            }
            _ => self.tokens.push_back(token),
        }
    }

    /// Adds an integer.
    #[inline(always)]
    pub(crate) fn push_int(&mut self, number: i64, stamp: &M::Stamp, known: K) {
        if Self::HAS_COLUMNS && self.tokens.is_empty() {
            self.ints.of(stamp).push_one(number, stamp);
        } else {
            self.tokens.push_back(int_token(number, stamp.clone(), known));
        }
    }

    /// Adds integers that are sent by the events from `stamp` on, one each; false where other values stand in front of
    /// them, and nothing is added.
    #[inline]
    pub(crate) fn extend(&mut self, numbers: &[i64], cells: &[M::Cell], stamp: &M::Stamp) -> bool {
        if !self.tokens.is_empty() {
            return false;
        }
        let ints = self.ints.of(stamp);
        ints.open(stamp);
        ints.numbers.extend_from_slice(numbers);
        ints.cells.extend_from_slice(cells);
        true
    }

    /// Takes back the last value, which was sent by the event of `stamp`.
    pub(crate) fn pop_back(&mut self, stamp: &M::Stamp) {
        if self.tokens.pop_back().is_none() {
            self.ints.of(stamp).pop();
        }
    }

    /// Replay: makes the first value of some senders the first one; false where none has come. See [`Fifo::bring`].
    pub(crate) fn bring(&mut self, senders: &RangeInclusive<EventId>) -> bool {
        self.tokens().bring(senders, |token| M::sender(&token.stamp))
    }

    /// Whether all values stand in columns.
    pub(crate) fn has_only_ints(&self) -> bool {
        self.tokens.is_empty()
    }

    /// All values one by one.
    #[inline]
    pub(crate) fn tokens(&mut self) -> &mut Fifo<Token<M, K>> {
        if !self.ints.is_empty() {
            self.leave_columns();
        }
        &mut self.tokens
    }

    #[inline(never)]
    fn leave_columns(&mut self) {
        let mut tokens = Fifo::new();
        self.ints.each(&mut |number, stamp| tokens.push_back(int_token(number, stamp, K::default())));
        self.ints.aside.clear();
        self.ints.clear();
        tokens.append(&mut self.tokens);
        self.tokens = tokens;
    }

    /// Moves all values of another queue behind those of this one.
    #[inline]
    pub(crate) fn append(&mut self, other: &mut Self) {
        if self.tokens.is_empty() {
            self.ints.append(&mut other.ints);
            if !other.tokens.is_empty() {
                self.tokens.append(&mut other.tokens);
            }
        } else {
            self.tokens.append(other.tokens());
        }
    }

    /// Moves all values of another queue in front of those of this one.
    pub(crate) fn prepend(&mut self, other: &mut Self) {
        other.append(self);
        std::mem::swap(self, other);
    }

    /// Shows all values.
    pub(crate) fn each(&self, mut look: impl FnMut(&Token<M, K>)) {
        self.ints.each(&mut |number, stamp| look(&int_token(number, stamp, K::default())));
        self.tokens.iter().for_each(look);
    }
}

#[inline(always)]
fn int_token<M: Instrumentation, K: ResultOrder>(number: i64, stamp: M::Stamp, known: K) -> Token<M, K> {
    Token { value: Value::Int(number), stamp, known, directive: M::Directive::of(false) }
}

#[cfg(test)]
mod tests;
