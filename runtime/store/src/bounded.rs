//! Bounded ports: how many values may still come, who waits for room, and values that are held back meanwhile.
//!
//! Room is counted under the lock of the receiver's inbox. Senders take it; the worker that serves the receiver gives it back,
//! so that a value never comes for a port that is full. A sender sleeps while there is room only where the receiver is about to be
//! served again: it is woken when half of the port is free.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use hasse_model::id::{ActionId, Index};
use hasse_record::instrumentation::Instrumentation;
use hasse_record::needs::ColumnOrder;
use rustc_hash::FxHashMap;

use crate::instance::{Instance, Ready};
use crate::queue::Queue;
use crate::token::Delivery;

/// Number of waiters after which those are removed that have been woken elsewhere.
const MANY_WAITERS: usize = 16;

/// Free capacity at which waiting senders are woken, even if it is less than half of the bound.
const WAKE_THRESHOLD: usize = 1_024;

/// Room on the bounded ports of an instance.
pub(crate) struct Rooms<M: Instrumentation> {
    /// On plain ports, of which there are few.
    plain: Vec<(usize, Room<M>)>,
    /// By port and element of a family.
    elements: FxHashMap<(usize, Index), Room<M>>,
}

impl<M: Instrumentation> Default for Rooms<M> {
    fn default() -> Self {
        Self { plain: Vec::new(), elements: FxHashMap::default() }
    }
}

struct Room<M: Instrumentation> {
    most: usize,
    /// Number of values in the inbox.
    n_arriving: usize,
    /// Number of values that have gone on to the port, as of when they were last counted there.
    n_on_port: usize,
    /// Number of values that senders may still send in their turns.
    n_reserved: usize,
    /// Senders in the order in which they came.
    waiters: VecDeque<Arc<Waiter<M>>>,
    /// Length of that at which woken ones are removed.
    n_to_tidy: usize,
    /// Remaining capacity, published to the only sender.
    published: Option<Arc<AtomicUsize>>,
}

impl<M: Instrumentation> Room<M> {
    fn new(most: usize) -> Self {
        Self {
            most,
            n_arriving: 0,
            n_on_port: 0,
            n_reserved: 0,
            waiters: VecDeque::new(),
            n_to_tidy: MANY_WAITERS,
            published: None,
        }
    }

    /// Publishes the remaining capacity to the only sender.
    #[inline]
    fn publish(&self) {
        if let Some(published) = &self.published {
            published.store(self.left(), Ordering::Release);
        }
    }

    fn left(&self) -> usize {
        self.most.saturating_sub(self.n_arriving + self.n_on_port + self.n_reserved)
    }

    fn is_unused(&self) -> bool {
        self.waiters.is_empty() && self.n_arriving + self.n_on_port + self.n_reserved == 0
    }

    /// Adds as many of those who wait as there is room.
    #[inline]
    fn wake(&mut self, woken: &mut Vec<Ready<M>>) {
        if !self.waiters.is_empty() {
            self.wake_waiters(woken);
        }
    }

    /// The same with hysteresis: while the receiver `goes_on`, senders are woken once half of the capacity is free. Their turns would
    /// be short otherwise.
    #[inline]
    fn wake_for_turn(&mut self, goes_on: bool, woken: &mut Vec<Ready<M>>) {
        if !self.waiters.is_empty() && (!goes_on || self.left() >= (self.most / 2).min(WAKE_THRESHOLD)) {
            self.wake_waiters(woken);
        }
    }

    fn wake_waiters(&mut self, woken: &mut Vec<Ready<M>>) {
        let mut n_left = self.left();
        while n_left > 0
            && let Some(waiter) = self.waiters.pop_front()
        {
            if let Some(sender) = waiter.wake() {
                woken.push(sender);
                n_left -= 1;
            }
        }
    }

    fn wait(&mut self, waiter: &Arc<Waiter<M>>) {
        if self.waiters.back().is_some_and(|last| Arc::ptr_eq(last, waiter)) {
            return;
        }
        if self.waiters.len() >= self.n_to_tidy {
            self.waiters.retain(|waiter| !waiter.is_woken());
            self.n_to_tidy = MANY_WAITERS.max(2 * self.waiters.len());
        }
        self.waiters.push_back(Arc::clone(waiter));
    }
}

impl<M: Instrumentation> Rooms<M> {
    #[inline]
    fn room(&mut self, (port, elements): (usize, &Index), most: impl FnOnce() -> usize) -> &mut Room<M> {
        if !elements.as_slice().is_empty() {
            return self.elements.entry((port, elements.clone())).or_insert_with(|| Room::new(most()));
        }
        let position = self.plain.iter().position(|(known, _)| *known == port).unwrap_or_else(|| {
            self.plain.push((port, Room::new(most())));
            self.plain.len() - 1
        });
        &mut self.plain[position].1
    }

    /// Notes the number of values on a port.
    pub(crate) fn note(&mut self, place: (usize, &Index), most: usize, n_values: usize) {
        let room = self.room(place, || most);
        room.n_on_port = n_values;
        room.publish();
    }

    /// Remaining capacity of a plain port, for its only sender: nobody else reduces it.
    pub(crate) fn published(&mut self, port: usize, most: impl FnOnce() -> usize) -> Arc<AtomicUsize> {
        let room = self.room((port, &Index::none()), most);
        let published = Arc::clone(room.published.get_or_insert_default());
        room.publish();
        published
    }

    /// Keeps room for up to `n_wanted` values that may come; returns their number.
    pub(crate) fn reserve(
        &mut self,
        place: (usize, &Index),
        most: impl FnOnce() -> usize,
        n_wanted: usize,
    ) -> usize {
        let room = self.room(place, most);
        let n_reserved = room.left().min(n_wanted);
        room.n_reserved += n_reserved;
        n_reserved
    }

    /// Gives up what was reserved, and takes room for up to `n_values` values; returns their number. Adds to `woken` who can have
    /// what is left.
    pub(crate) fn admit_reserved(
        &mut self,
        place: (usize, &Index),
        most: impl FnOnce() -> usize,
        (n_reserved, n_values): (usize, usize),
        woken: &mut Vec<Ready<M>>,
    ) -> usize {
        let room = self.room(place, most);
        room.n_reserved -= n_reserved;
        let n_admitted = room.left().min(n_values);
        room.n_arriving += n_admitted;
        room.publish();
        room.wake(woken);
        n_admitted
    }

    /// Gives up what was reserved, and takes room for `n_values` values on the port, as if they had gone through the inbox. Adds to
    /// `woken` who can have what is left. False if there is not room for all of them: nothing has changed then.
    pub(crate) fn admit_on_port(
        &mut self,
        place: (usize, &Index),
        most: impl FnOnce() -> usize,
        (n_reserved, n_values): (usize, usize),
        woken: &mut Vec<Ready<M>>,
    ) -> bool {
        let room = self.room(place, most);
        let n_left = room.left() + n_reserved;
        if n_left < n_values {
            return false;
        }
        room.n_reserved -= n_reserved;
        room.n_on_port += n_values;
        room.publish();
        room.wake(woken);
        true
    }

    /// Takes room for values that come whether there is room or not. Returns the bound, the number of values in the inbox that are
    /// beyond it, and whether there are also some together with those on the port.
    pub(crate) fn admit_all(
        &mut self,
        place: (usize, &Index),
        most: impl FnOnce() -> usize,
        n_values: usize,
    ) -> (usize, usize, bool) {
        let room = self.room(place, most);
        room.n_arriving += n_values;
        let n_beyond = room.n_arriving.saturating_sub(room.most);
        room.n_arriving -= n_beyond;
        (room.most, n_beyond, room.n_arriving + room.n_on_port > room.most)
    }

    /// Takes room for a value that comes whether there is room or not, and is not dropped.
    pub(crate) fn admit_beyond(&mut self, place: (usize, &Index), most: impl FnOnce() -> usize) {
        let room = self.room(place, most);
        room.n_arriving += 1;
        room.publish();
    }

    /// Takes room for as many of `n_values` values as there is; returns their number.
    pub(crate) fn admit_some(
        &mut self,
        place: (usize, &Index),
        most: impl FnOnce() -> usize,
        n_values: usize,
    ) -> usize {
        let room = self.room(place, most);
        let n_admitted = room.left().min(n_values);
        room.n_arriving += n_admitted;
        room.publish();
        n_admitted
    }

    /// The same; where there is not room for all of them, `waiter` waits for it.
    pub(crate) fn admit_or_wait(
        &mut self,
        place: (usize, &Index),
        most: impl FnOnce() -> usize,
        n_values: usize,
        waiter: &Arc<Waiter<M>>,
    ) -> usize {
        let room = self.room(place, most);
        let n_admitted = room.left().min(n_values);
        room.n_arriving += n_admitted;
        room.publish();
        if n_admitted < n_values {
            room.wait(waiter);
        }
        n_admitted
    }

    /// All that was in the inbox has gone on to the ports.
    #[inline]
    pub(crate) fn are_received(&mut self) {
        let plain = self.plain.iter_mut().map(|(_, room)| room);
        for room in plain.chain(self.elements.values_mut()) {
            room.n_on_port += std::mem::take(&mut room.n_arriving);
        }
    }

    /// Notes how many values are on the ports. Adds to `woken` as many of those who wait for each as there is room now, where the
    /// receiver `goes_on` only when half of the port is free.
    pub(crate) fn count(
        &mut self,
        n_on_port: impl Fn(usize, &Index) -> usize,
        goes_on: bool,
        woken: &mut Vec<Ready<M>>,
    ) {
        let (none, n_before) = (Index::none(), woken.len());
        for (port, room) in &mut self.plain {
            room.n_on_port = n_on_port(*port, &none);
            room.publish();
            room.wake_for_turn(goes_on, woken);
        }
        if !self.elements.is_empty() {
            self.count_elements(n_on_port, goes_on, woken);
        }
        if woken.len() > n_before + 1 {
            // The order of those who wait at several ports does not depend on where these lie in memory.
            woken[n_before..].sort_unstable_by_key(|sender| sender.action);
        }
    }

    fn count_elements(
        &mut self,
        n_on_port: impl Fn(usize, &Index) -> usize,
        goes_on: bool,
        woken: &mut Vec<Ready<M>>,
    ) {
        #[allow(clippy::iter_over_hash_type, reason = "those that are woken are sorted")]
        for ((port, elements), room) in &mut self.elements {
            room.n_on_port = n_on_port(*port, elements);
            room.wake_for_turn(goes_on, woken);
        }
        // There may be no end of elements, one after the other.
        self.elements.retain(|_, room| !room.is_unused());
    }
}

/// A sender that waits for room, perhaps on several ports. Whoever comes first wakes it.
pub struct Waiter<M: Instrumentation> {
    sender: Weak<Instance<M>>,
    is_woken: AtomicBool,
}

impl<M: Instrumentation> Waiter<M> {
    /// A sender that is not woken yet.
    pub fn new(sender: &Ready<M>) -> Arc<Self> {
        Arc::new(Self { sender: Arc::downgrade(sender), is_woken: AtomicBool::new(false) })
    }

    fn is_woken(&self) -> bool {
        self.is_woken.load(Ordering::Relaxed)
    }

    /// The sender, unless somebody else has woken it.
    fn wake(&self) -> Option<Ready<M>> {
        if self.is_woken.swap(true, Ordering::AcqRel) { None } else { self.sender.upgrade() }
    }
}

/// Values of an event that wait for room, by receiver and port in the order in which they were sent.
pub struct HeldBack<M: Instrumentation> {
    columns: ColumnOrder,
    ports: Vec<HeldPort<M>>,
    /// Positions in `ports`.
    positions: FxHashMap<(ActionId, usize, Index), usize>,
}

/// Values that wait for room on a port of a receiver.
pub struct HeldPort<M: Instrumentation> {
    /// The receiver. A sender may wait for itself, so that it is not kept alive from here.
    target: Weak<Instance<M>>,
    /// The port.
    pub port: usize,
    /// Element of a family of ports.
    pub elements: Index,
    /// The values.
    pub values: Queue<M>,
}

impl<M: Instrumentation> HeldPort<M> {
    /// The receiver.
    pub fn target(&self) -> Option<Ready<M>> {
        self.target.upgrade()
    }
}

impl<M: Instrumentation> HeldBack<M> {
    /// Nothing, to which values are added in columns of this order.
    pub fn new(columns: ColumnOrder) -> Self {
        Self { columns, ports: Vec::new(), positions: FxHashMap::default() }
    }

    /// Returns true if values for a port wait, which others must not pass.
    pub fn has_any(&self, target: &Instance<M>, port: usize, elements: &Index) -> bool {
        self.positions.contains_key(&(target.action, port, elements.clone()))
    }

    /// Adds a value, behind all others for its port.
    pub fn push(&mut self, target: &Ready<M>, Delivery { port, elements, token }: Delivery<M>) {
        self.values_for(target, port, elements).push_back(token);
    }

    /// Adds values, behind all others for their port.
    pub fn push_all(&mut self, target: &Ready<M>, (port, elements): (usize, &Index), values: &mut Queue<M>) {
        self.values_for(target, port, elements.clone()).append(values);
    }

    /// Adds a value, in front of all others for its port.
    pub fn push_first(&mut self, target: &Ready<M>, Delivery { port, elements, token }: Delivery<M>) {
        let mut first = Queue::new(self.columns);
        first.push_back(token);
        self.values_for(target, port, elements).prepend(&mut first);
    }

    /// Adds values, behind all others for their ports.
    pub fn append(&mut self, other: Self) {
        for HeldPort { target, port, elements, mut values } in other.ports {
            let Some(target) = target.upgrade() else { continue };
            self.values_for(&target, port, elements).append(&mut values);
        }
    }

    fn values_for(&mut self, target: &Ready<M>, port: usize, elements: Index) -> &mut Queue<M> {
        let columns = self.columns;
        let position = *self.positions.entry((target.action, port, elements.clone())).or_insert_with(|| {
            let target = Arc::downgrade(target);
            self.ports.push(HeldPort { target, port, elements, values: Queue::new(columns) });
            self.ports.len() - 1
        });
        &mut self.ports[position].values
    }

    /// Has `send` send the values of each port, and forgets the ports whose values are gone. Returns true if none are left.
    pub fn send(&mut self, mut send: impl FnMut(&mut HeldPort<M>)) -> bool {
        self.ports.iter_mut().for_each(&mut send);
        if self.ports.iter().any(|held| held.values.is_empty()) {
            self.ports.retain(|held| !held.values.is_empty());
            self.positions.clear();
            for (position, held) in self.ports.iter().enumerate() {
                let Some(target) = held.target.upgrade() else { continue };
                self.positions.insert((target.action, held.port, held.elements.clone()), position);
            }
        }
        self.ports.is_empty()
    }

    /// The ports for which values wait, in the order in which the first ones were sent.
    pub fn ports(&self) -> &[HeldPort<M>] {
        &self.ports
    }
}
