//! Values that wait for a plain port. Scalars (integers, reals and truth values) form columns: their words, and who sent
//! them as far as each is not sent by the next event of the same action. A loop over many of them touches little else.
//! A mode of recording that needs more of each value than follows from its sender has a column of
//! [cells](Instrumentation::Cell) next to the words.

use std::ops::RangeInclusive;

use hasse_model::id::EventId;
use hasse_model::plan::routine::Kind;

use crate::record::instrumentation::Instrumentation;
use crate::record::needs::ColumnOrder;
use crate::record::result_order::ResultOrder;
use crate::record::stamp::Directive;
use crate::store::fifo::Fifo;
use crate::store::token::Token;

use crate::store::queue::column::Column;

/// Scalars of one kind.
pub(crate) mod column;

/// Values for a plain port.
pub(crate) struct Queue<M: Instrumentation> {
    columns: ColumnOrder,
    /// Those that are in front of all `tokens`, as words of one kind.
    pub(crate) column: Column<M>,
    /// The kind; nothing follows from it while the column is empty.
    kind: Kind,
    tokens: Fifo<Token<M>>,
}

impl<M: Instrumentation> Queue<M> {
    pub(crate) const fn new(columns: ColumnOrder) -> Self {
        let column = Column::new(matches!(columns, ColumnOrder::Sender));
        Self { columns, column, kind: Kind::Int, tokens: Fifo::new() }
    }

    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.column.is_empty() && self.tokens.is_empty()
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.column.len() + self.tokens.len()
    }

    #[inline]
    pub(crate) fn push_back(&mut self, token: Token<M>) {
        match Kind::of_value(&token.value) {
            Some((kind, word)) if token.directive.is_nothing() => {
                self.push_word((kind, word), &token.stamp, token.known);
            }
            _ => self.tokens.push_back(token),
        }
    }

    /// Adds a scalar, as a word of its kind.
    #[inline(always)]
    pub(crate) fn push_word(&mut self, (kind, word): (Kind, i64), stamp: &M::Stamp, known: ResultOrder) {
        if self.columns != ColumnOrder::None && known.is_none() && self.has_column_of(kind) {
            self.column.of(stamp).push_one(word, stamp);
        } else {
            self.tokens.push_back(word_token((kind, word), stamp.clone(), known));
        }
    }

    /// Returns true if nothing waits but scalars of a kind in the column, to which such scalars may then be added.
    #[inline(always)]
    pub(crate) fn has_column_of(&mut self, kind: Kind) -> bool {
        if self.column.is_empty() {
            self.kind = kind;
        }
        self.kind == kind && self.tokens.is_empty()
    }

    /// Adds scalars of a kind that are sent by the events from `stamp` on, one each; false where other values wait, and
    /// nothing is added.
    #[inline]
    pub(crate) fn extend(&mut self, kind: Kind, words: &[i64], cells: &[M::Cell], stamp: &M::Stamp) -> bool {
        if !self.has_column_of(kind) {
            return false;
        }
        let column = self.column.of(stamp);
        column.open(stamp);
        column.words.extend_from_slice(words);
        column.cells.extend_from_slice(cells);
        true
    }

    /// Takes back the last value, which was sent by the event of `stamp`.
    pub(crate) fn pop_back(&mut self, stamp: &M::Stamp) {
        if self.tokens.pop_back().is_none() {
            self.column.of(stamp).pop();
        }
    }

    /// Replay: makes the first value of some senders the first one; false where none has come. See [`Fifo::bring`].
    pub(crate) fn bring(&mut self, senders: &RangeInclusive<EventId>) -> bool {
        self.tokens().bring(senders, |token| M::sender(&token.stamp))
    }

    /// Returns true if what is in the column, if anything is, is of a kind.
    #[inline(always)]
    pub(crate) fn begins_with(&self, kind: Kind) -> bool {
        self.kind == kind || self.column.is_empty()
    }

    /// Returns true if all values are scalars of a kind in the column.
    #[inline]
    pub(crate) fn is_column_of(&self, kind: Kind) -> bool {
        self.tokens.is_empty() && self.begins_with(kind)
    }

    /// The kind of the only value that waits, where that is in the column.
    pub(crate) fn only_kind(&self) -> Option<Kind> {
        (self.len() == 1 && !self.column.is_empty()).then_some(self.kind)
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
        let kind = self.kind;
        self.column.each(&mut |word, stamp| {
            tokens.push_back(word_token((kind, word), stamp, ResultOrder::default()))
        });
        self.column.aside.clear();
        self.column.clear();
        tokens.append(&mut self.tokens);
        self.tokens = tokens;
    }

    /// Moves all values of another queue behind those of this one.
    #[inline]
    pub(crate) fn append(&mut self, other: &mut Self) {
        let is_alike = other.column.is_empty() || self.has_column_of(other.kind);
        if self.tokens.is_empty() && is_alike {
            self.column.append(&mut other.column);
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
    pub(crate) fn each(&self, mut look: impl FnMut(&Token<M>)) {
        let kind = self.kind;
        self.column.each(&mut |word, stamp| look(&word_token((kind, word), stamp, ResultOrder::default())));
        self.tokens.iter().for_each(look);
    }
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
