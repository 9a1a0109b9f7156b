//! Replays: finding items of a long queue by who sent them.
//!
//! While items are out of the line, the first one in the line is the one that was brought last and that nobody has taken yet, and
//! the others there have come since: all are younger than those out of the line that the same event has sent, but for the first.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::RangeInclusive;

use hasse_model::id::EventId;
use smallvec::{SmallVec, smallvec};

use crate::fifo::Fifo;

/// An item so near to the front is looked for one by one.
const NEAR: usize = 16;

/// Items that are out of the line, by who sent them; those of one event in the order in which they came.
pub(crate) struct Apart<T> {
    by_sender: BTreeMap<EventId, Sent<T>>,
    n_items: usize,
}

/// What an event has sent, at least one item. Those that have been taken are `None`.
struct Sent<T> {
    items: SmallVec<[Option<T>; 1]>,
    n_taken: usize,
}

impl<T> Sent<T> {
    fn iter(&self) -> impl Iterator<Item = &T> {
        self.items.iter().flatten()
    }

    fn push_front(&mut self, item: T) {
        match self.n_taken.checked_sub(1) {
            Some(before) => {
                self.items[before] = Some(item);
                self.n_taken = before;
            }
            None => self.items.insert(0, Some(item)),
        }
    }
}

impl<T> Apart<T> {
    fn new() -> Self {
        Self { by_sender: BTreeMap::new(), n_items: 0 }
    }

    /// All items.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.by_sender.values().flat_map(Sent::iter)
    }

    pub(crate) fn len(&self) -> usize {
        self.n_items
    }

    /// Takes out the first item that an event has sent.
    fn take(&mut self, sender: EventId) -> Option<T> {
        let Entry::Occupied(mut entry) = self.by_sender.entry(sender) else { return None };
        let sent = entry.get_mut();
        let item = sent.items.get_mut(sent.n_taken)?.take();
        sent.n_taken += 1;
        if sent.n_taken == sent.items.len() {
            entry.remove();
        }
        self.n_items -= 1;
        item
    }

    fn put(&mut self, sender: EventId, item: T, is_oldest: bool) {
        self.n_items += 1;
        match self.by_sender.entry(sender) {
            Entry::Vacant(entry) => {
                entry.insert(Sent { items: smallvec![Some(item)], n_taken: 0 });
            }
            Entry::Occupied(mut entry) if is_oldest => entry.get_mut().push_front(item),
            Entry::Occupied(mut entry) => entry.get_mut().items.push(Some(item)),
        }
    }
}

impl<T> Fifo<T> {
    /// Makes the first item of some senders the first one of all; false where there is none. The item is taken before others are
    /// added, or not at all. Time: where it is not near the front, logarithmic in the number of items; each of them is put out
    /// of the line once, and once more for each time that it is brought and not taken.
    ///
    /// Items without a sender are sent by nobody. The items of each action are to come in the order of its events.
    pub(crate) fn bring(
        &mut self,
        senders: &RangeInclusive<EventId>,
        sender_of: impl Fn(&T) -> Option<EventId>,
    ) -> bool {
        if self.apart.is_none() {
            let mut near = self.items[self.head..].iter().flatten().take(NEAR);
            let near = near.position(|item| sender_of(item).is_some_and(|sender| senders.contains(&sender)));
            if let Some(position) = near {
                return self.bring_to_front(position);
            }
            if self.items.len() - self.head <= NEAR {
                return false;
            }
        }
        self.put_apart(&sender_of);
        let wanted =
            |apart: &Apart<T>| apart.by_sender.range(senders.clone()).next().map(|(&sender, _)| sender);
        let found = self.apart.as_deref().and_then(wanted);
        match found {
            Some(sender) => self.return_to_front(sender),
            None if self.items.is_empty() => self.go_on_with_others(),
            None => {}
        }
        found.is_some()
    }

    /// Puts all items out of the line but those without a sender.
    fn put_apart(&mut self, sender_of: &impl Fn(&T) -> Option<EventId>) {
        let apart = self.apart.get_or_insert_with(|| Box::new(Apart::new()));
        let head = std::mem::take(&mut self.head);
        let mut kept = Vec::new();
        for (nth, item) in self.items.drain(..).skip(head).flatten().enumerate() {
            match sender_of(&item) {
                Some(sender) => apart.put(sender, item, nth == 0),
                None => kept.push(Some(item)),
            }
        }
        self.items.append(&mut kept);
        if apart.n_items == 0 {
            self.apart = None;
        }
    }

    /// Puts the first item that an event has sent in front of the line.
    fn return_to_front(&mut self, sender: EventId) {
        let Some(apart) = &mut self.apart else { return };
        let returned = apart.take(sender);
        if apart.n_items == 0 {
            self.apart = None;
        }
        match self.head.checked_sub(1) {
            Some(before) => {
                self.items[before] = returned;
                self.head = before;
            }
            None => self.items.insert(0, returned),
        }
    }

    /// The line has run out: what the first of the others has sent is the line now.
    #[cold]
    pub(crate) fn go_on_with_others(&mut self) {
        let first = self.apart.as_ref().and_then(|apart| apart.by_sender.keys().next().copied());
        if let Some(sender) = first {
            self.return_to_front(sender);
        }
    }

    /// Puts all items in the line, in the order of their senders.
    #[inline]
    pub(crate) fn join(&mut self, sender_of: impl Fn(&T) -> Option<EventId>) {
        if let Some(apart) = self.apart.take() {
            let mut line = self.items.drain(..).skip(std::mem::take(&mut self.head));
            let mut items: Vec<_> = line.next().into_iter().collect();
            let sent = apart.by_sender.into_values();
            items.extend(sent.flat_map(|sent| sent.items.into_iter().skip(sent.n_taken)));
            items.extend(line);
            items.sort_by_key(|item| item.as_ref().and_then(&sender_of));
            self.items = items;
        }
    }

    /// Takes over what another one has out of the line.
    #[cold]
    pub(crate) fn take_over_apart(&mut self, other: &mut Self) {
        match (&mut self.apart, other.apart.take()) {
            (Some(apart), Some(others)) => {
                for (sender, sent) in others.by_sender {
                    for item in sent.items.into_iter().skip(sent.n_taken).flatten() {
                        apart.put(sender, item, false);
                    }
                }
            }
            (apart @ None, others) => *apart = others,
            (Some(_), None) => {}
        }
    }
}
