//! Values that wait for a family of ports, by element.

use hasse_model::id::Index;
use hasse_record::instrumentation::Instrumentation;
use hasse_record::needs::ColumnOrder;

use crate::queue::Queue;

/// More elements than this are kept only where most of them hold values: an instance may use each element once.
const MAX_KEPT_ELEMENTS: usize = 64;

/// Values that wait for the elements of a family of ports.
pub struct Family<M: Instrumentation> {
    columns: ColumnOrder,
    /// Sorted by element. An element that has been emptied stays, as more values are likely to come to it.
    queues: Vec<(Index, Queue<M>)>,
}

impl<M: Instrumentation> Family<M> {
    pub(crate) const fn new(columns: ColumnOrder) -> Self {
        Self { columns, queues: Vec::new() }
    }

    /// Position of an element, or the one at which it belongs. Most families are `x[0]` to `x[n]`, each at its own position.
    #[inline]
    fn position(&self, element: &Index) -> Result<usize, usize> {
        if let [number] = *element.as_slice()
            && let Ok(position) = usize::try_from(number)
            && self.queues.get(position).is_some_and(|(known, _)| known.as_slice() == [number])
        {
            return Ok(position);
        }
        self.queues.binary_search_by(|(known, _)| known.as_slice().cmp(element.as_slice()))
    }

    /// The values for an element; `None` where none have come.
    #[inline]
    pub fn get(&self, element: &Index) -> Option<&Queue<M>> {
        self.position(element).ok().map(|position| &self.queues[position].1)
    }

    /// The values for an element, to be changed; `None` where none have come.
    #[inline]
    pub fn get_mut(&mut self, element: &Index) -> Option<&mut Queue<M>> {
        self.position(element).ok().map(|position| &mut self.queues[position].1)
    }

    /// The values for an element, to which some are about to be added.
    #[inline]
    pub fn open(&mut self, element: &Index) -> &mut Queue<M> {
        let position = self.position(element).unwrap_or_else(|_| self.insert(element));
        &mut self.queues[position].1
    }

    #[cold]
    fn insert(&mut self, element: &Index) -> usize {
        if self.queues.len() >= MAX_KEPT_ELEMENTS && self.iter().count() < self.queues.len() / 2 {
            self.queues.retain(|(_, queue)| !queue.is_empty());
        }
        let (Ok(position) | Err(position)) = self.position(element);
        self.queues.insert(position, (element.clone(), Queue::new(self.columns)));
        position
    }

    /// Moves all values of another family after those of this one.
    pub(crate) fn append(&mut self, other: &mut Self) {
        if self.queues.is_empty() {
            return std::mem::swap(self, other);
        }
        for (element, queue) in other.queues.iter_mut().filter(|(_, queue)| !queue.is_empty()) {
            self.open(element).append(queue);
        }
    }

    /// Returns true if nothing waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.queues.iter().all(|(_, queue)| queue.is_empty())
    }

    /// Elements for which values wait, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&Index, &Queue<M>)> {
        let filled = self.queues.iter().filter(|(_, queue)| !queue.is_empty());
        filled.map(|(element, queue)| (element, queue))
    }

    /// The same, to be changed.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (&Index, &mut Queue<M>)> {
        let filled = self.queues.iter_mut().filter(|(_, queue)| !queue.is_empty());
        filled.map(|(element, queue)| (&*element, queue))
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
    use crate::token::Token;

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
        family.iter().map(|(element, queue)| (element.clone(), queue.len())).collect()
    }

    #[test]
    fn elements_are_sorted_whenever_they_come() {
        let mut family = Family::<Full>::new(ColumnOrder::Arrival);
        for number in [7, -1, 3, 7] {
            family.open(&[number].into_iter().collect()).push_back(token(number));
        }
        family.open(&[3, 0].into_iter().collect()).push_back(token(9));
        let element = |numbers: &[i64]| Index::from(numbers);
        let expected =
            vec![(element(&[-1]), 1), (element(&[3]), 1), (element(&[3, 0]), 1), (element(&[7]), 2)];
        assert_eq!(filled(&family), expected);
        assert!(family.get(&element(&[0])).is_none());
    }

    #[test]
    fn emptied_elements_are_forgotten_when_there_are_many() {
        let mut family = Family::<Full>::new(ColumnOrder::Arrival);
        family.open(&Index::from(&[0][..])).push_back(token(0));
        for number in 1..1000 {
            let element = Index::from(&[number][..]);
            family.open(&element).push_back(token(number));
            let taken = family.get_mut(&element).and_then(Queue::pop_front);
            assert_eq!(taken.map(|token| token.value), Some(Value::Int(number)));
        }
        assert!(family.queues.len() <= MAX_KEPT_ELEMENTS + 1, "{} elements are kept", family.queues.len());
        assert_eq!(filled(&family), [(Index::from(&[0][..]), 1)]);
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
