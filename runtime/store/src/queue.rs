//! Values that wait for a plain port or an element of a family. Values of one form, scalars of one kind or all others, form columns: the words of scalars or
//! the values themselves, and who sent them as far as each is not sent by the next event of the same action. A loop over many of
//! them touches little else.

use std::ops::RangeInclusive;

use hasse_model::id::EventId;
use hasse_model::plan::routine::Kind;
use hasse_model::value::Value;
use hasse_record::instrumentation::Instrumentation;
use hasse_record::needs::ColumnOrder;
use hasse_record::result_order::ResultOrder;
use hasse_record::stamp::Directive;
use hasse_runtime_plan::form::Form;

use crate::fifo::Fifo;
use crate::queue::column::Column;
use crate::token::Token;

/// Values of one form.
pub mod column;

/// Values for a plain port or an element of a family.
pub struct Queue<M: Instrumentation> {
    columns: ColumnOrder,
    /// Values in front of all `tokens`, of one form.
    pub column: Column<M>,
    /// The form; nothing follows from it while the column is empty.
    form: Form,
    tokens: Fifo<Token<M>>,
}

impl<M: Instrumentation> Queue<M> {
    /// Empty queue with columns in an order.
    pub const fn new(columns: ColumnOrder) -> Self {
        let column = Column::new(matches!(columns, ColumnOrder::Sender));
        Self { columns, column, form: Form::Word(Kind::Int), tokens: Fifo::new() }
    }

    /// The order in which its values are laid out in columns.
    #[inline]
    pub fn columns(&self) -> ColumnOrder {
        self.columns
    }

    /// Returns true if nothing waits.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.column.is_empty() && self.tokens.is_empty()
    }

    /// Number of values that wait.
    #[inline]
    pub fn len(&self) -> usize {
        self.column.len() + self.tokens.len()
    }

    /// Adds a value at the end.
    #[inline]
    pub fn push_back(&mut self, token: Token<M>) {
        match Kind::of_value(&token.value) {
            Some((kind, word)) if token.directive.is_nothing() => {
                self.push_word((kind, word), &token.stamp, token.known);
            }
            None if token.directive.is_nothing() => self.push_value(token),
            _ => self.tokens.push_back(token),
        }
    }

    /// Adds a value that is no scalar.
    fn push_value(&mut self, token: Token<M>) {
        if self.columns != ColumnOrder::None && token.known.is_none() && self.has_column_of(Form::Value) {
            self.column.of(&token.stamp).push_one_value(token.value, &token.stamp);
        } else {
            self.tokens.push_back(token);
        }
    }

    /// Adds a scalar, as a word of its kind.
    #[inline(always)]
    pub fn push_word(&mut self, (kind, word): (Kind, i64), stamp: &M::Stamp, known: ResultOrder) {
        if self.columns != ColumnOrder::None && known.is_none() && self.has_column_of(Form::Word(kind)) {
            self.column.of(stamp).push_one(word, stamp);
        } else {
            self.tokens.push_back(word_token((kind, word), stamp.clone(), known));
        }
    }

    /// Returns true if nothing waits but values of a form in the column, to which such values may then be added.
    #[inline(always)]
    pub fn has_column_of(&mut self, form: Form) -> bool {
        if self.column.is_empty() {
            self.form = form;
        }
        self.form == form && self.tokens.is_empty()
    }

    /// Adds scalars of a kind that are sent by the events from `stamp` on, one each; false where other values wait, and
    /// nothing is added.
    #[inline]
    pub fn extend(&mut self, kind: Kind, words: &[i64], stamp: &M::Stamp) -> bool {
        if !self.has_column_of(Form::Word(kind)) {
            return false;
        }
        let column = self.column.of(stamp);
        column.open(stamp);
        column.words.extend_from_slice(words);
        true
    }

    /// The same for values that are no scalars, which are moved.
    pub fn extend_values(&mut self, values: &mut Vec<Value>, stamp: &M::Stamp) -> bool {
        if !self.has_column_of(Form::Value) {
            return false;
        }
        let column = self.column.of(stamp);
        column.open(stamp);
        column.words.resize(column.words.len() + values.len(), 0);
        column.values.append(values);
        true
    }

    /// Takes the first value. Others in the column stay there.
    #[inline]
    pub fn pop_front(&mut self) -> Option<Token<M>> {
        if self.column.is_empty() {
            return self.tokens.pop_front();
        }
        let stamp = self.column.stamp()?;
        let value = match self.form {
            Form::Word(kind) => kind.value_of(self.column.take()?),
            Form::Value => self.column.take_value()?,
        };
        self.column.settle();
        Some(token_of(value, stamp))
    }

    /// Takes back the last value, which was sent by the event of `stamp`.
    pub fn pop_back(&mut self, stamp: &M::Stamp) {
        if self.tokens.pop_back().is_none() {
            self.column.of(stamp).pop();
        }
    }

    /// Replay: makes the first value of some senders the first one; false where none has come. See `Fifo::bring`.
    pub fn bring(&mut self, senders: &RangeInclusive<EventId>) -> bool {
        if self.tokens.is_empty() && senders.start() == senders.end() && self.column.bring(*senders.start()) {
            return true;
        }
        self.tokens().bring(senders, |token| M::sender(&token.stamp))
    }

    /// Returns true if what is in the column, if anything is, is of a form.
    #[inline(always)]
    pub fn begins_with(&self, form: Form) -> bool {
        self.form == form || self.column.is_empty()
    }

    /// Returns true if all values are of a form in the column.
    #[inline]
    pub fn is_column_of(&self, form: Form) -> bool {
        self.tokens.is_empty() && self.begins_with(form)
    }

    /// The form of the only value that waits, where that is in the column.
    pub fn only_form(&self) -> Option<Form> {
        (self.len() == 1 && !self.column.is_empty()).then_some(self.form)
    }

    /// All values one by one.
    #[inline]
    pub(crate) fn tokens(&mut self) -> &mut Fifo<Token<M>> {
        if !self.column.is_empty() {
            self.leave_columns();
        }
        &mut self.tokens
    }

    #[inline(never)]
    fn leave_columns(&mut self) {
        let mut tokens = Fifo::new();
        let form = self.form;
        self.column.drain(form, &mut |value, stamp| tokens.push_back(token_of(value, stamp)));
        self.column.aside = None;
        self.column.clear();
        tokens.append(&mut self.tokens);
        self.tokens = tokens;
    }

    /// Moves all values of another queue behind those of this one.
    #[inline]
    pub fn append(&mut self, other: &mut Self) {
        let is_alike = other.column.is_empty() || self.has_column_of(other.form);
        if self.tokens.is_empty() && is_alike {
            self.column.append(&mut other.column);
            if !other.tokens.is_empty() {
                self.tokens.append(&mut other.tokens);
            }
        } else {
            self.tokens.append(other.tokens());
        }
    }

    /// Takes the first values, `most` at most, as a queue. Time: scalars are copied, run by run.
    pub fn take_front(&mut self, most: usize) -> Self {
        let mut front = Self::new(self.columns);
        if self.len() <= most {
            std::mem::swap(self, &mut front);
            return front;
        }
        let mut n_left = most;
        while n_left > 0 {
            let is_run = matches!(self.form, Form::Word(_))
                && self.columns != ColumnOrder::Sender
                && !self.column.is_empty()
                && front.has_column_of(self.form);
            if is_run {
                n_left -= front.column.take_run(&mut self.column, n_left);
            } else if let Some(token) = self.pop_front() {
                front.push_back(token);
                n_left -= 1;
            } else {
                break;
            }
        }
        front
    }

    /// Moves all values of another queue in front of those of this one.
    pub(crate) fn prepend(&mut self, other: &mut Self) {
        other.append(self);
        std::mem::swap(self, other);
    }

    /// Shows all values.
    pub fn each(&self, mut look: impl FnMut(&Token<M>)) {
        self.column.each(self.form, &mut |value, stamp| look(&token_of(value, stamp)));
        self.tokens.iter().for_each(look);
    }
}

/// A value of a column.
fn token_of<M: Instrumentation>(value: Value, stamp: M::Stamp) -> Token<M> {
    Token { value, stamp, known: ResultOrder::default(), directive: M::Directive::of(false) }
}

#[inline(always)]
fn word_token<M: Instrumentation>(
    (kind, word): (Kind, i64),
    stamp: M::Stamp,
    known: ResultOrder,
) -> Token<M> {
    Token { value: kind.value_of(word), stamp, known, directive: M::Directive::of(false) }
}

#[cfg(test)]
mod tests;
