//! Values that wait for a family of ports, by element.

use std::borrow::Cow;
use std::collections::BTreeMap;

use hasse_model::id::Index;
use hasse_record::instrumentation::Instrumentation;
use hasse_record::needs::ColumnOrder;

use crate::queue::Queue;
use crate::token::Token;

/// Number of elements that are kept at least, also where they hold no values: an instance may use each element once.
const MIN_KEPT: usize = 64;

/// Values that wait for the elements of a family of ports, which have equally many indices each.
///
/// Most families are `x[0]` to `x[n]`, in whatever order they come: their elements are found by their numbers. An element that has been
/// emptied stays, as more values are likely to come to it, until there are many. Cost of a new element: that of a look-up, amortized.
pub struct Family<M: Instrumentation> {
    columns: ColumnOrder,
    /// Elements `[0]` to `[n - 1]`, also those for which nothing has come.
    dense: Vec<Queue<M>>,
    /// All others. None of them is among the first.
    sparse: BTreeMap<Index, Queue<M>>,
    /// Elements below this number become dense.
    n_dense: usize,
    /// Number of elements that may be added before all are looked at.
    n_until_look: usize,
    /// False if no queue certainly holds a column.
    may_hold_columns: bool,
}

/// Position of an element among the dense ones.
#[inline]
fn position(element: &Index) -> Option<usize> {
    match *element.as_slice() {
        [number] => usize::try_from(number).ok(),
        _ => None,
    }
}

impl<M: Instrumentation> Family<M> {
    pub(crate) const fn new(columns: ColumnOrder) -> Self {
        Self {
            columns,
            dense: Vec::new(),
            sparse: BTreeMap::new(),
            n_dense: MIN_KEPT,
            n_until_look: MIN_KEPT,
            may_hold_columns: false,
        }
    }

    /// The values for an element; `None` where none have come.
    #[inline]
    pub fn get(&self, element: &Index) -> Option<&Queue<M>> {
        let dense = position(element).and_then(|position| self.dense.get(position));
        dense.or_else(|| self.sparse.get(element))
    }

    /// The values for an element, to be changed; `None` where none have come.
    #[inline]
    pub fn get_mut(&mut self, element: &Index) -> Option<&mut Queue<M>> {
        match position(element).and_then(|position| self.dense.get_mut(position)) {
            Some(queue) => Some(queue),
            None => self.sparse.get_mut(element),
        }
    }

    /// The values for an element, to which some are about to be added.
    #[inline]
    pub fn open(&mut self, element: &Index) -> &mut Queue<M> {
        self.may_hold_columns = true;
        self.queue(element)
    }

    #[inline]
    fn queue(&mut self, element: &Index) -> &mut Queue<M> {
        match position(element) {
            Some(position) if position < self.dense.len() => &mut self.dense[position],
            _ => self.add(element),
        }
    }

    #[cold]
    fn add(&mut self, element: &Index) -> &mut Queue<M> {
        match position(element) {
            Some(position) if position < self.n_dense => self.add_dense(position),
            _ if self.sparse.contains_key(element) => {}
            position => {
                self.n_until_look -= 1;
                if self.n_until_look == 0 {
                    self.look();
                }
                if let Some(position) = position.filter(|position| *position < self.n_dense) {
                    self.add_dense(position);
                }
            }
        }
        if let Some(position) = position(element)
            && position < self.dense.len()
        {
            return &mut self.dense[position];
        }
        self.sparse.entry(element.clone()).or_insert_with(|| Queue::new(self.columns))
    }

    fn add_dense(&mut self, position: usize) {
        let first = self.dense.len();
        self.dense.resize_with(position + 1, || Queue::new(self.columns));
        if !self.sparse.is_empty() {
            for (offset, queue) in self.dense[first..].iter_mut().enumerate() {
                let element = Index::from(&[(first + offset) as i64][..]);
                if let Some(known) = self.sparse.remove(&element) {
                    *queue = known;
                }
            }
        }
    }

    /// Forgets elements that have been emptied, and lets as many be dense as there are, and some more.
    fn look(&mut self) {
        self.sparse.retain(|_, queue| !queue.is_empty());
        let n_filled = self.sparse.len() + self.dense.iter().filter(|queue| !queue.is_empty()).count();
        self.n_dense = (2 * n_filled).next_power_of_two().max(self.n_dense);
        self.n_until_look = self.n_dense;
    }

    /// Moves all values of another family after those of this one.
    pub(crate) fn append(&mut self, other: &mut Self) {
        self.may_hold_columns |= std::mem::take(&mut other.may_hold_columns);
        if self.dense.is_empty() && self.sparse.is_empty() {
            return std::mem::swap(self, other);
        }
        for (position, queue) in other.dense.iter_mut().enumerate().filter(|(_, queue)| !queue.is_empty()) {
            match self.dense.get_mut(position) {
                Some(known) => known.append(queue),
                None => self.queue(&Index::from(&[position as i64][..])).append(queue),
            }
        }
        for (element, queue) in other.sparse.iter_mut().filter(|(_, queue)| !queue.is_empty()) {
            self.queue(element).append(queue);
        }
        if other.dense.len() + other.sparse.len() > MIN_KEPT {
            // Else they would be looked at each time.
            *other = Self::new(other.columns);
        }
    }

    /// Moves all values out of columns.
    #[inline]
    pub(crate) fn leave_columns(&mut self) {
        if std::mem::take(&mut self.may_hold_columns) {
            self.queues_mut().for_each(|queue| {
                queue.tokens();
            });
        }
    }

    /// Adds a value, not to a column.
    pub(crate) fn push_token(&mut self, element: &Index, token: Token<M>) {
        self.queue(element).tokens().push_back(token);
    }

    /// Returns true if nothing waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.dense.iter().chain(self.sparse.values()).all(Queue::is_empty)
    }

    /// Elements for which values wait, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Cow<'_, Index>, &Queue<M>)> {
        let first = Index::from(&[0][..]);
        let of_sparse = |(element, queue)| (Cow::Borrowed(element), queue);
        let before = self.sparse.range(..first.clone()).map(of_sparse);
        let dense = self.dense.iter().enumerate();
        let dense = dense.map(|(position, queue)| (Cow::Owned(Index::from(&[position as i64][..])), queue));
        let after = self.sparse.range(first..).map(of_sparse);
        before.chain(dense).chain(after).filter(|(_, queue)| !queue.is_empty())
    }

    /// The values of all elements, in no order.
    pub(crate) fn queues_mut(&mut self) -> impl Iterator<Item = &mut Queue<M>> {
        self.dense.iter_mut().chain(self.sparse.values_mut())
    }
}

#[cfg(test)]
mod tests {
    use hasse_model::id::{ActionId, EventId};
    use hasse_model::value::Value;
    use hasse_record::full::Full;
    use hasse_record::result_order::ResultOrder;
    use hasse_record::stamp::Directive;

    use super::*;

    fn token(number: i64) -> Token<Full> {
        let stamp = EventId { action: ActionId(1), count: number.cast_unsigned() };
        Token {
            value: Value::Int(number),
            stamp,
            known: ResultOrder::default(),
            directive: Directive::of(false),
        }
    }

    fn filled(family: &Family<Full>) -> Vec<(Index, usize)> {
        family.iter().map(|(element, queue)| (element.into_owned(), queue.len())).collect()
    }

    #[test]
    fn elements_are_sorted_whenever_they_come() {
        let mut family = Family::<Full>::new(ColumnOrder::Arrival);
        let element = |numbers: &[i64]| Index::from(numbers);
        for number in [7, -1, 1_000_000, 3, -5, 7] {
            family.open(&element(&[number])).push_back(token(number));
        }
        let expected = [(-5, 1), (-1, 1), (3, 1), (7, 2), (1_000_000, 1)];
        assert_eq!(filled(&family), expected.map(|(number, n)| (element(&[number]), n)));
        assert!(family.get(&element(&[0])).is_none_or(Queue::is_empty));
        assert!(family.get(&element(&[100])).is_none());
        let mut family = Family::<Full>::new(ColumnOrder::Arrival);
        for numbers in [[3, 1], [0, 7], [3, 0]] {
            family.open(&element(&numbers)).push_back(token(0));
        }
        let expected = [[0, 7], [3, 0], [3, 1]].map(|numbers| (element(&numbers), 1));
        assert_eq!(filled(&family), expected);
    }

    #[test]
    fn emptied_elements_are_forgotten_when_there_are_many() {
        let mut family = Family::<Full>::new(ColumnOrder::Arrival);
        family.open(&Index::from(&[0][..])).push_back(token(0));
        for number in 1..10_000 {
            let element = Index::from(&[number][..]);
            family.open(&element).push_back(token(number));
            let taken = family.get_mut(&element).and_then(Queue::pop_front);
            assert_eq!(taken.map(|token| token.value), Some(Value::Int(number)));
        }
        let n_kept = family.dense.len() + family.sparse.len();
        assert!(n_kept <= 3 * MIN_KEPT, "{n_kept} elements are kept");
        assert_eq!(filled(&family), [(Index::from(&[0][..]), 1)]);
    }

    #[test]
    fn elements_are_found_in_whatever_order_they_come() {
        let n: i64 = 3_000;
        for step in [1, n - 1, 7, 1_231] {
            let mut family = Family::<Full>::new(ColumnOrder::Arrival);
            for k in 0..n {
                let number = k * step % n;
                family.open(&Index::from(&[number][..])).push_back(token(number));
            }
            assert!(filled(&family).into_iter().eq((0..n).map(|k| (Index::from(&[k][..]), 1))), "{step}");
            assert!(step == 1 || family.sparse.len() < n as usize / 2, "{step}");
        }
    }

    #[test]
    fn values_of_another_family_come_after_those_here() {
        let element = Index::from(&[2][..]);
        let (mut family, mut other) =
            (Family::<Full>::new(ColumnOrder::Arrival), Family::new(ColumnOrder::Arrival));
        family.open(&element).push_back(token(1));
        other.open(&element).push_back(token(2));
        other.open(&Index::from(&[1][..])).push_back(token(3));
        family.append(&mut other);
        assert!(other.is_empty());
        let mut values = Vec::new();
        family
            .get(&element)
            .into_iter()
            .for_each(|queue| queue.each(|token| values.push(token.value.clone())));
        assert_eq!(values, [Value::Int(1), Value::Int(2)]);
        assert_eq!(filled(&family).len(), 2);
    }
}
