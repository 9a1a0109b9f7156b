//! Replays: finding items of a long queue by who sent them.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use hasse_model::id::EventId;
use smallvec::SmallVec;

use super::Fifo;

/// An item so near to the front is looked for one by one.
const NEAR: usize = 16;

/// Items that are out of the line, by who sent them; those of one event in the order in which they came. Invariant: if there are
/// some in the line that the same event has sent, these are younger.
pub(super) struct Apart<T> {
    by_sender: BTreeMap<EventId, SmallVec<[T; 1]>>,
    n_items: usize,
}

impl<T> Apart<T> {
    /// All items.
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.by_sender.values().flatten()
    }

    pub(super) fn len(&self) -> usize {
        self.n_items
    }

    /// Takes out all that an event has sent.
    fn take(&mut self, sender: EventId) -> SmallVec<[T; 1]> {
        let items = self.by_sender.remove(&sender).unwrap_or_default();
        self.n_items -= items.len();
        items
    }
}

impl<T> Fifo<T> {
    /// Makes the first item of some senders the first one of all; false where there is none. Time: where it is not near the
    /// front, logarithmic in the number of items, and each of them is put out of the line once at most.
    ///
    /// Items without a sender are sent by nobody. The items of each action are to come in the order of its events.
    pub(crate) fn bring(
        &mut self,
        senders: &RangeInclusive<EventId>,
        sender_of: impl Fn(&T) -> Option<EventId>,
    ) -> bool {
        for has_looked in [false, true] {
            let mut near = self.items[self.head..].iter().flatten().take(NEAR);
            let near = near.position(|item| sender_of(item).is_some_and(|sender| senders.contains(&sender)));
            let near_sender = near.and_then(|position| sender_of(self.get(position)?));
            let apart = self.apart.as_ref().and_then(|apart| apart.by_sender.range(senders.clone()).next());
            match (apart.map(|(sender, _)| *sender), near) {
                (Some(sender), _) if near_sender.is_none_or(|near| sender <= near) => {
                    self.return_to_front(sender);
                    return true;
                }
                (_, Some(position)) => return self.bring_to_front(position),
                _ if has_looked || self.items.len() - self.head <= NEAR => break,
                _ => self.put_apart(&sender_of),
            }
        }
        false
    }

    /// Puts all items out of the line but the first one, and those of the same sender and without any.
    #[cold]
    fn put_apart(&mut self, sender_of: &impl Fn(&T) -> Option<EventId>) {
        let mut apart =
            self.apart.take().unwrap_or_else(|| Box::new(Apart { by_sender: BTreeMap::new(), n_items: 0 }));
        let head = std::mem::take(&mut self.head);
        let mut items = std::mem::take(&mut self.items).into_iter().skip(head);
        let first = items.next().flatten();
        let kept = first.as_ref().and_then(sender_of);
        self.items.push(first);
        for item in items.flatten() {
            match sender_of(&item) {
                Some(sender) if Some(sender) != kept => {
                    apart.by_sender.entry(sender).or_default().push(item);
                    apart.n_items += 1;
                }
                _ => self.items.push(Some(item)),
            }
        }
        self.apart = (apart.n_items > 0).then_some(apart);
    }

    /// Puts what an event has sent in front of the line.
    fn return_to_front(&mut self, sender: EventId) {
        let Some(apart) = &mut self.apart else { return };
        let returned = apart.take(sender);
        if apart.n_items == 0 {
            self.apart = None;
        }
        for item in returned.into_iter().rev() {
            match self.head.checked_sub(1) {
                Some(before) => {
                    self.items[before] = Some(item);
                    self.head = before;
                }
                None => self.items.insert(0, Some(item)),
            }
        }
    }

    /// The line has run out: what the first of the others has sent is the line now.
    #[cold]
    pub(super) fn go_on_with_others(&mut self) {
        let first = self.apart.as_ref().and_then(|apart| apart.by_sender.keys().next().copied());
        if let Some(sender) = first {
            self.return_to_front(sender);
        }
    }

    /// Puts all items in the line, in the order of their senders.
    #[inline]
    pub(crate) fn join(&mut self, sender_of: impl Fn(&T) -> Option<EventId>) {
        if let Some(apart) = self.apart.take() {
            // What is not in the line is older, where the sender is the same.
            let line = self.items.drain(..).skip(std::mem::take(&mut self.head));
            let mut items: Vec<_> = apart.by_sender.into_values().flatten().map(Some).chain(line).collect();
            items.sort_by_key(|item| item.as_ref().and_then(&sender_of));
            self.items = items;
        }
    }

    /// Takes over what another one has out of the line.
    #[cold]
    pub(super) fn take_over_apart(&mut self, other: &mut Self) {
        match (&mut self.apart, other.apart.take()) {
            (Some(apart), Some(others)) => {
                apart.n_items += others.n_items;
                for (sender, items) in others.by_sender {
                    apart.by_sender.entry(sender).or_default().extend(items);
                }
            }
            (apart @ None, others) => *apart = others,
            (Some(_), None) => {}
        }
    }
}
