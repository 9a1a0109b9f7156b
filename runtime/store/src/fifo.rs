//! Queues of values on their way.

use crate::fifo::apart::Apart;

/// Finding items by who sent them.
pub(crate) mod apart;
#[cfg(test)]
mod tests;

/// After so many items it is asked whether the memory in front of those that wait is worth to be used again.
const STEPS_PER_LOOK: usize = 1024;

/// A queue that has been emptied keeps room for this many items.
const MAX_KEPT_ITEMS: usize = 256;

/// A queue that is filled at its end and emptied from its front. An item is looked at, and written, where it lies: most
/// values are a few bytes of a large type, and moving them whole, just after these few have been written, stalls the
/// processor (a load that spans several stores that are still under way waits for all of them).
pub struct Fifo<T> {
    /// The items; `None` for those before `head`.
    items: Vec<Option<T>>,
    head: usize,
    /// Behind all items. There is none where there are no items.
    apart: Option<Box<Apart<T>>>,
}

impl<T> Fifo<T> {
    pub(crate) const fn new() -> Self {
        Self { items: Vec::new(), head: 0, apart: None }
    }

    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.items.len() - self.head + self.apart.as_ref().map_or(0, |apart| apart.len())
    }

    #[inline(always)]
    pub(crate) fn push_back(&mut self, item: T) {
        self.items.push(Some(item));
    }

    /// The item at a position from the front.
    pub(crate) fn get(&self, position: usize) -> Option<&T> {
        self.items.get(self.head.checked_add(position)?)?.as_ref()
    }

    /// The item at a position from the front, to be changed.
    pub fn get_mut(&mut self, position: usize) -> Option<&mut T> {
        self.items.get_mut(self.head.checked_add(position)?)?.as_mut()
    }

    #[inline]
    pub(crate) fn pop_front(&mut self) -> Option<T> {
        let first = self.items.get_mut(self.head)?.take();
        self.step();
        first
    }

    #[inline(always)]
    fn step(&mut self) {
        self.head += 1;
        if self.head == self.items.len() {
            self.empty();
        } else if self.head.is_multiple_of(STEPS_PER_LOOK) {
            self.give_up_front();
        }
    }

    /// Nothing waits any more. The memory that a burst took is given back.
    #[inline(always)]
    fn empty(&mut self) {
        if self.items.capacity() > MAX_KEPT_ITEMS {
            self.items = Vec::new();
        } else {
            self.items.clear();
        }
        self.head = 0;
        if self.apart.is_some() {
            self.go_on_with_others();
        }
    }

    /// Gives up what has been taken from the front, if that is most of it: so often, each item is moved once at most.
    #[cold]
    #[inline(never)]
    fn give_up_front(&mut self) {
        if self.head > self.items.len() / 2 {
            self.items.drain(..self.head);
            self.head = 0;
        }
    }

    pub(crate) fn pop_back(&mut self) -> Option<T> {
        let last = self.items.pop()?;
        if self.head == self.items.len() {
            self.empty();
        }
        last
    }

    /// Takes out the item at a position from the front. Cost: linear in the number of items before or behind it, whichever
    /// are fewer.
    pub(crate) fn remove(&mut self, position: usize) -> Option<T> {
        let n_in_line = self.items.len() - self.head;
        let at = self.head.checked_add(position).filter(|&at| at < self.items.len())?;
        if position > n_in_line / 2 {
            return self.items.remove(at);
        }
        self.bring_to_front(position);
        self.pop_front()
    }

    /// Makes the item at a position from the front the first one; false where there is none. Cost: linear in the position.
    fn bring_to_front(&mut self, position: usize) -> bool {
        let at = self.head.checked_add(position).filter(|&at| at < self.items.len());
        if let Some(at) = at {
            self.items[self.head..=at].rotate_right(1);
        }
        at.is_some()
    }

    /// Moves all items of another queue behind those of this one.
    #[inline]
    pub(crate) fn append(&mut self, other: &mut Self) {
        if self.is_empty() {
            std::mem::swap(self, other);
            return;
        }
        if other.apart.is_some() {
            self.take_over_apart(other);
        }
        self.give_up_front();
        self.items.extend(other.items.drain(other.head..));
        other.items.clear();
        other.head = 0;
    }

    /// From the front.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        // Items from `head` on are all there.
        let line = self.items[self.head..].iter().map(|item| item.as_ref().expect("an item behind the head"));
        line.chain(self.apart.iter().flat_map(|apart| apart.iter()))
    }
}

impl<T> Default for Fifo<T> {
    fn default() -> Self {
        Self::new()
    }
}
