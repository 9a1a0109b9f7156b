//! Columns: values of one form next to each other, and the senders as runs of events.

/// Columns of other senders.
mod aside;

use hasse_model::id::{ActionId, EventId};
use hasse_model::value::Value;
use hasse_record::instrumentation::Instrumentation;
use hasse_runtime_plan::form::Form;

use crate::queue::column::aside::Aside;

/// Number of words for which an emptied column keeps its memory.
pub(crate) const MAX_KEPT_WORDS: usize = 1024;

/// Values of one form, and who sent them.
pub struct Column<M: Instrumentation> {
    /// The words of scalars; of other values as many zeros, so that positions are the same for both forms.
    pub(crate) words: Vec<i64>,
    /// Values that are no scalars; `()` where one has been taken. Empty in a column of scalars.
    pub(crate) values: Vec<Value>,
    /// How many of them have been taken.
    n_taken: usize,
    /// In the order of their positions. The first is that of the next word; there is none where no word waits.
    pub(crate) runs: Vec<Run<M::Stamp>>,
    /// How many of them belong to words that have been taken.
    n_past: usize,
    is_by_sender: bool,
    /// Columns of the other senders, where columns are by sender. Invariant: none where no word waits here.
    pub(crate) aside: Option<Box<Aside<M>>>,
}

/// Scalars that were sent by events of one action, each by the event after that of the scalar before, or all by one event.
pub(crate) struct Run<T> {
    /// Position of the first one.
    start: usize,
    /// Who sent that.
    stamp: T,
    /// How many events it is from one sender to the next: 0 or 1. There may be one scalar only: then nothing is said.
    step: u64,
}

impl<M: Instrumentation> Column<M> {
    pub(crate) const fn new(is_by_sender: bool) -> Self {
        Self {
            words: Vec::new(),
            values: Vec::new(),
            n_taken: 0,
            runs: Vec::new(),
            n_past: 0,
            is_by_sender,
            aside: None,
        }
    }

    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        let n_aside: usize = self.others().iter().map(Self::len).sum();
        self.n_here() + n_aside
    }

    /// Number of those that are not aside.
    #[inline(always)]
    fn n_here(&self) -> usize {
        self.words.len() - self.n_taken
    }

    /// Where a scalar that this event has sent is to be added.
    #[inline(always)]
    pub fn of(&mut self, stamp: &M::Stamp) -> &mut Self {
        if self.is_by_sender { self.of_sender(stamp) } else { self }
    }

    fn of_sender(&mut self, stamp: &M::Stamp) -> &mut Self {
        if self.is_empty() || self.is_of(stamp) {
            return self;
        }
        self.aside.get_or_insert_default().of(M::sender(stamp).map(|sender| sender.action))
    }

    /// Whether the same action has sent them.
    fn is_of(&self, stamp: &M::Stamp) -> bool {
        !self.runs.is_empty() && self.action() == M::sender(stamp).map(|sender| sender.action)
    }

    /// The action that has sent them.
    fn action(&self) -> Option<ActionId> {
        M::sender(&self.runs.last()?.stamp).map(|sender| sender.action)
    }

    /// Columns of the other senders.
    fn others(&self) -> &[Self] {
        self.aside.as_ref().map_or(&[], |aside| aside.columns())
    }

    /// Replay: makes the scalar that an event has sent the next one; false where it has not come.
    pub fn bring(&mut self, sender: EventId) -> bool {
        let is_next = |column: &Self| {
            column.n_here() > 0 && column.stamp().is_some_and(|next| M::sender(&next) == Some(sender))
        };
        if is_next(self) {
            return true;
        }
        let Some(aside) = &self.aside else { return false };
        let Some(position) = aside.position(Some(sender.action)) else { return false };
        if !is_next(aside.at(position)) {
            return false;
        }
        self.exchange(position);
        true
    }

    /// Puts itself aside, and what is aside in its place.
    fn exchange(&mut self, position: usize) {
        let Some(mut aside) = self.aside.take() else { return };
        aside.exchange(position, self);
        self.aside = Some(aside);
    }

    /// Number of scalars from the front on that form one run.
    #[inline(always)]
    pub fn n_together(&self) -> usize {
        self.runs.get(self.n_past + 1).map_or(self.words.len(), |next| next.start) - self.n_taken
    }

    /// Who sent the first one.
    #[inline(always)]
    pub fn stamp(&self) -> Option<M::Stamp> {
        let run = self.runs.get(self.n_past)?;
        Some(run.stamp_at::<M>(self.n_taken))
    }

    /// How far the sender of each of those that form one run is behind that of the one before.
    #[inline(always)]
    pub fn step(&self) -> u64 {
        match self.runs.get(self.n_past) {
            Some(run) if run.step == 0 && self.n_together() > 1 => 0,
            _ => 1,
        }
    }

    /// Takes the first one. To be followed by [`settle`](Self::settle) before anything but words of the same run is
    /// asked for.
    #[inline(always)]
    pub fn take(&mut self) -> Option<i64> {
        let word = *self.words.get(self.n_taken)?;
        self.n_taken += 1;
        Some(word)
    }

    /// As [`take`](Self::take), in a column of other values than scalars.
    #[inline(always)]
    pub fn take_value(&mut self) -> Option<Value> {
        let value = std::mem::take(self.values.get_mut(self.n_taken)?);
        self.n_taken += 1;
        Some(value)
    }

    /// The first values, which form one run and are no scalars. What is taken out of them is to be [skipped](Self::skip).
    #[inline(always)]
    pub fn front_values(&mut self, n_values: usize) -> &mut [Value] {
        &mut self.values[self.n_taken..][..n_values]
    }

    /// The first scalars, which form one run.
    #[inline(always)]
    pub fn front(&self, n_words: usize) -> &[i64] {
        &self.words[self.n_taken..][..n_words]
    }

    /// As so many calls of [`take`](Self::take).
    #[inline(always)]
    pub fn skip(&mut self, n_words: usize) {
        if !self.values.is_empty() {
            // Whoever has such a value is not to find that it is held here, too.
            self.front_values(n_words).fill(Value::Unit);
        }
        self.n_taken += n_words;
    }

    /// Lets go of what has been taken.
    #[inline(always)]
    pub fn settle(&mut self) {
        if self.n_taken == self.words.len() {
            return self.go_on_with_others();
        }
        if self.runs.get(self.n_past + 1).is_some_and(|next| next.start == self.n_taken) {
            self.n_past += 1;
        }
        if self.n_taken >= MAX_KEPT_WORDS && self.n_taken > self.words.len() / 2 {
            self.give_up_front();
        }
    }

    /// Clears the columns, of which nothing waits. Those of another sender take their place, if there are any.
    #[inline(always)]
    fn go_on_with_others(&mut self) {
        self.clear();
        if self.is_by_sender
            && let Some(position) = self.others().iter().position(|column| column.n_here() > 0)
        {
            self.exchange(position);
        }
    }

    /// Gives up what is not aside.
    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        if self.words.capacity() > MAX_KEPT_WORDS {
            let aside = std::mem::take(&mut self.aside);
            *self = Self { aside, ..Self::new(self.is_by_sender) };
        } else {
            self.words.clear();
            self.values.clear();
            self.runs.clear();
            (self.n_taken, self.n_past) = (0, 0);
        }
    }

    /// Sees to it that scalars that are added by [`push`](Self::push) are known to be sent by the events from `stamp` on.
    /// One is to be added.
    #[inline]
    pub fn open(&mut self, stamp: &M::Stamp) {
        self.open_at(self.words.len(), stamp);
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

    /// Moves the first scalars of another column behind those of this one, `most` at most; returns their number, which is that of a
    /// run at most. Neither has columns of other senders.
    pub(crate) fn take_run(&mut self, from: &mut Self, most: usize) -> usize {
        let Some(stamp) = from.stamp() else { return 0 };
        let (n_words, start) = (from.n_together().min(most), self.words.len());
        match from.step() {
            0 => {
                self.close_at(start);
                self.runs.push(Run { start, stamp, step: 0 });
            }
            _ => self.open_at(start, &stamp),
        }
        self.words.extend_from_slice(from.front(n_words));
        from.skip(n_words);
        from.settle();
        n_words
    }

    /// Adds a scalar that this event has sent.
    #[inline(always)]
    pub(crate) fn push_one(&mut self, word: i64, stamp: &M::Stamp) {
        self.open_one(stamp);
        self.push(word);
    }

    /// Adds a value that is no scalar, and that this event has sent.
    #[inline(always)]
    pub(crate) fn push_one_value(&mut self, value: Value, stamp: &M::Stamp) {
        self.open_one(stamp);
        self.push_value(value);
    }

    /// Sees to it that the next one is known to be sent by this event, which may have sent the last one, too.
    #[inline(always)]
    fn open_one(&mut self, stamp: &M::Stamp) {
        let at = self.words.len();
        self.close_at(at);
        let goes_on = self.runs.last_mut().is_some_and(|run| {
            let n_words = (at - run.start) as u64;
            if n_words == 1 {
                run.step = u64::from(M::is_step(&run.stamp, stamp, 1));
            }
            M::is_step(&run.stamp, stamp, n_words * run.step)
        });
        if !goes_on {
            self.runs.push(Run { start: at, stamp: stamp.clone(), step: 1 });
        }
    }

    /// Adds a scalar that is sent by the event after that of the last one, or for which the run has been opened.
    #[inline(always)]
    pub fn push(&mut self, word: i64) {
        self.words.push(word);
    }

    /// As [`push`](Self::push), of a value that is no scalar.
    #[inline(always)]
    pub fn push_value(&mut self, value: Value) {
        self.values.push(value);
        self.push(0);
    }

    /// Takes back the last one that is not aside.
    pub(crate) fn pop(&mut self) {
        self.close_at(self.words.len());
        self.words.pop();
        self.values.pop();
        if self.words.len() == self.n_taken {
            self.go_on_with_others();
        } else {
            self.close_at(self.words.len());
        }
    }

    /// Gives up what has been taken.
    fn give_up_front(&mut self) {
        self.words.drain(..self.n_taken);
        // There are none in a column of scalars.
        self.values.drain(..self.n_taken.min(self.values.len()));
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

    /// Moves all scalars of another one behind those of this one.
    #[inline]
    pub(crate) fn append(&mut self, other: &mut Self) {
        if other.is_empty() {
            return;
        }
        if self.is_empty() {
            std::mem::swap(self, other);
            return;
        }
        if self.is_by_sender {
            let others = other.aside.take().map_or_else(Vec::new, |aside| aside.into_columns());
            for mut column in others {
                self.append_of_sender(&mut column);
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
        if self.n_taken > self.words.len() / 2 {
            self.give_up_front();
        }
        other.give_up_front();
        let n_before = self.words.len();
        self.words.append(&mut other.words);
        self.values.append(&mut other.values);
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

    /// Takes out all that wait, which are of this form, with who sent them. The column is to be cleared.
    pub(crate) fn drain(&mut self, form: Form, put: &mut dyn FnMut(Value, M::Stamp)) {
        let mut run_idx = self.n_past;
        for position in self.n_taken..self.words.len() {
            if self.runs.get(run_idx + 1).is_some_and(|next| next.start == position) {
                run_idx += 1;
            }
            if let Some(run) = self.runs.get(run_idx) {
                let value = match form {
                    Form::Word(kind) => kind.value_of(self.words[position]),
                    Form::Value => std::mem::take(&mut self.values[position]),
                };
                put(value, run.stamp_at::<M>(position));
            }
        }
        let others = self.aside.iter_mut().flat_map(|aside| aside.columns_mut());
        others.for_each(|column| column.drain(form, put));
    }

    /// Shows all that wait, which are of this form, with who sent them.
    pub(crate) fn each(&self, form: Form, look: &mut dyn FnMut(Value, M::Stamp)) {
        let mut run_idx = self.n_past;
        for (position, &word) in self.words.iter().enumerate().skip(self.n_taken) {
            if self.runs.get(run_idx + 1).is_some_and(|next| next.start == position) {
                run_idx += 1;
            }
            if let Some(run) = self.runs.get(run_idx) {
                let value = match form {
                    Form::Word(kind) => kind.value_of(word),
                    Form::Value => self.values[position].clone(),
                };
                look(value, run.stamp_at::<M>(position));
            }
        }
        self.others().iter().for_each(|column| column.each(form, look));
    }
}

impl<T> Run<T> {
    /// Stamp of the one at a position.
    #[inline(always)]
    fn stamp_at<M: Instrumentation<Stamp = T>>(&self, position: usize) -> T {
        M::stepped(&self.stamp, (position - self.start) as u64 * self.step)
    }
}
