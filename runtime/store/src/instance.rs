//! Instances of templates: inbox, ports, vars.
//!
//! An instance is served by one worker at a time. Senders touch its inbox only; the worker that
//! serves it moves deliveries from there to the ports. `is_scheduled` lies under the inbox's lock, so
//! that a delivery and the end of a service cannot miss each other.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use hasse_brief::Brief;
use hasse_code::graph::GraphInstance;
use hasse_code::natives::node::BodyInstance;
use hasse_lock::shared::Object;
use hasse_model::event::{ActionRecord, EventBatch, QueueChange, QueueEdit};
use hasse_model::id::{ActionId, GraphInstanceId, Index, SharedId, TemplateId};
use hasse_model::plan::{Access, FullPolicy, Template};
use hasse_model::value::Value;
use hasse_record::instrumentation::Instrumentation;
use hasse_record::needs::ColumnOrder;
use hasse_record::result_order::ResultOrder;
use hasse_request::control::armed::Watched;
use hasse_runtime_plan::ports::{PortSet, port_bit};
use rhai::Dynamic;
use thin_vec::ThinVec;

use crate::bounded::{HeldBack, Rooms, Waiter};
use crate::execution::Execution;
use crate::overflow::Overflow;
use crate::port::{PortQueue, ports_of};
use crate::queue::Queue;
use crate::token::{Delivery, Token};

/// An action: an instance of a template. There may be millions of them: what one takes while it is idle is a few words
/// (`benches/peers` measures it).
pub struct Instance<M: Instrumentation> {
    /// Template of the action.
    pub template: TemplateId,
    /// Id of the action.
    pub action: ActionId,
    /// Graph instance that holds it.
    pub graph: Arc<GraphInstance>,
    /// Index of the instance.
    pub index: Index,
    /// Values from senders.
    pub inbox: Brief<Inbox<M>>,
    /// State of the serving worker.
    pub core: Brief<Core<M>>,
}

/// An inbox begins with room for so many values.
const FEW_DELIVERIES: usize = 2;

/// What senders put in.
pub struct Inbox<M: Instrumentation> {
    /// Values by port that come in great numbers, and go on to the ports without being touched. Where there is only one instance
    /// of the template, it always has them; others while there are such values, and then all values are here.
    ///
    /// Bound of this and the next: none, as language.md gives ports no capacity; a program that sends faster than it
    /// receives grows here.
    queues: ThinVec<PortQueue<M>>,
    /// Other values.
    deliveries: ThinVec<Delivery<M>>,
    /// True if the instance is the only one of its template.
    is_only: bool,
    /// Whether the instance is ready, being served, or waiting for a lock: all of these look at the
    /// inbox again before they let go of it.
    pub is_scheduled: bool,
    /// Ports that hold or are about to hold values, as bits, of an instance that nobody serves.
    pub filled: PortSet,
    /// Ports whose next value wakes an execution that waits for the world outside, as bits. Whoever clears them makes the instance ready.
    pub cancels: PortSet,
    /// Number of delayed values.
    pub n_delayed: u32,
    /// Number of moments at which the instance is looked at again, as its timed rules may be due.
    pub n_looks: u32,
    /// True if such a moment has come while the instance was served: its rules are looked at once more.
    pub looks_again: bool,
    /// Room on its bounded ports, once a value has come for one.
    rooms: Option<Box<Rooms<M>>>,
}

impl<M: Instrumentation> Inbox<M> {
    /// Puts a value in.
    pub fn put(&mut self, Delivery { port, elements, token }: Delivery<M>) {
        match self.queues.get_mut(port) {
            Some(queue) => queue.push(&elements, token),
            None => {
                if self.deliveries.capacity() == 0 {
                    self.deliveries = ThinVec::with_capacity(FEW_DELIVERIES);
                }
                self.deliveries.push(Delivery { port, elements, token });
            }
        }
    }

    /// Moves values for an element, or for a plain port, in.
    #[inline]
    pub fn put_all(&mut self, template: &Template, (port, elements): (usize, &Index), values: &mut Queue<M>) {
        if self.queues.len() <= port {
            self.open_queues(template, values.columns());
        }
        self.queues[port].open(elements).append(values);
    }

    /// Makes room for values, of an instance that is not the only one of its template.
    fn open_queues(&mut self, template: &Template, columns: ColumnOrder) {
        self.queues = ports_of(template, columns);
        // Values that are here stay in front of those that come next.
        for delivery in std::mem::take(&mut self.deliveries) {
            self.put(delivery);
        }
    }

    /// The same for the only instance of a template, in front of what has come since: values that were kept back are older.
    #[cold]
    pub fn put_all_first(&mut self, (port, elements): (usize, &Index), values: &mut Queue<M>) {
        self.queues[port].open(elements).prepend(values);
    }

    /// Returns true if it holds no value for an element or a plain port, of an instance that is the only one of its template.
    #[inline]
    pub fn has_none(&self, port: usize, elements: &Index) -> bool {
        self.queues[port].queue(elements).is_none_or(Queue::is_empty)
    }

    /// Returns true if it holds a value for a port.
    pub fn has_value_for(&self, port: usize) -> bool {
        self.queues.get(port).is_some_and(|queue| !queue.is_empty())
            || self.deliveries.iter().any(|delivery| delivery.port == port)
    }

    /// Whether nothing is in it.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.deliveries.is_empty() && self.queues.iter().all(PortQueue::is_empty)
    }

    /// Number of values in it.
    pub fn n_values(&self) -> u64 {
        self.deliveries.len() as u64 + self.queues.iter().map(PortQueue::n_in_all).sum::<u64>()
    }

    /// Shows the values in it, with their ports.
    pub fn each(&self, mut look: impl FnMut(usize, &Token<M>)) {
        for (port, queue) in self.queues.iter().enumerate() {
            queue.each(|token| look(port, token));
        }
        self.deliveries.iter().for_each(|delivery| look(delivery.port, &delivery.token));
    }

    /// The same, with their elements.
    pub fn each_with_element(&self, mut look: impl FnMut(usize, &Index, &Token<M>)) {
        for (port, queue) in self.queues.iter().enumerate() {
            queue.each_with_element(|elements, token| look(port, elements, token));
        }
        self.deliveries.iter().for_each(|delivery| look(delivery.port, &delivery.elements, &delivery.token));
    }

    /// Moves the values that came in great numbers to the ports, and the others to `arrivals`, which is empty. The inbox keeps
    /// no memory for them, but of the only instance of a template: there may be millions of inboxes.
    #[inline]
    pub fn empty(&mut self, ports: &mut [PortQueue<M>], arrivals: &mut ThinVec<Delivery<M>>) {
        for (queue, port) in self.queues.iter_mut().zip(ports) {
            port.append(queue);
        }
        if !self.is_only && !self.queues.is_empty() {
            self.queues = ThinVec::new();
        }
        if !self.deliveries.is_empty() {
            *arrivals = std::mem::take(&mut self.deliveries);
        }
        if let Some(rooms) = &mut self.rooms {
            rooms.are_received();
        }
    }

    /// Puts a value in for a port where `most` values may wait. Gives it back where there is no room.
    pub fn put_if_room(
        &mut self,
        most: impl FnOnce() -> usize,
        delivery: Delivery<M>,
    ) -> Result<(), Delivery<M>> {
        let rooms = self.rooms.get_or_insert_with(Box::default);
        if rooms.admit_some((delivery.port, &delivery.elements), most, 1) == 0 {
            return Err(delivery);
        }
        self.put(delivery);
        Ok(())
    }

    /// Puts a value in for a bounded port, whether there is room or not.
    pub fn put_beyond(&mut self, most: impl FnOnce() -> usize, delivery: Delivery<M>) {
        let rooms = self.rooms.get_or_insert_with(Box::default);
        rooms.admit_beyond((delivery.port, &delivery.elements), most);
        self.put(delivery);
    }

    /// Notes the number of values on a bounded port of an instance that has begun elsewhere.
    pub fn note_on_port(&mut self, place: (usize, &Index), most: usize, n_values: usize) {
        self.rooms.get_or_insert_with(Box::default).note(place, most, n_values);
    }

    /// Remaining capacity of a bounded plain port, published to its only sender.
    pub fn published_room(&mut self, port: usize, most: impl FnOnce() -> usize) -> Arc<AtomicUsize> {
        self.rooms.get_or_insert_with(Box::default).published(port, most)
    }

    /// Keeps room on a port for up to `n_wanted` values that may come; returns their number.
    pub fn reserve(
        &mut self,
        place: (usize, &Index),
        most: impl FnOnce() -> usize,
        n_wanted: usize,
    ) -> usize {
        self.rooms.get_or_insert_with(Box::default).reserve(place, most, n_wanted)
    }

    /// Gives up what was reserved on a port, and takes room there for `n_values` values that do not go through the inbox. Adds to
    /// `woken` who can have what is left. False if there is not room for all of them: nothing has changed then.
    pub fn admit_on_port(
        &mut self,
        place: (usize, &Index),
        (most, n_reserved): (impl FnOnce() -> usize, usize),
        n_values: usize,
        woken: &mut Vec<Ready<M>>,
    ) -> bool {
        let rooms = self.rooms.get_or_insert_with(Box::default);
        rooms.admit_on_port(place, most, (n_reserved, n_values), woken)
    }

    /// Gives up what was reserved on a port, and moves values in, as far as there is room. Adds to `woken` who can have what is
    /// left.
    pub fn put_reserved(
        &mut self,
        template: &Template,
        (port, elements): (usize, &Index),
        (most, n_reserved): (impl FnOnce() -> usize, usize),
        values: &mut Queue<M>,
        woken: &mut Vec<Ready<M>>,
    ) {
        let rooms = self.rooms.get_or_insert_with(Box::default);
        let n_values = values.len();
        let n_admitted = rooms.admit_reserved((port, elements), most, (n_reserved, n_values), woken);
        if n_admitted == n_values {
            if n_values > 0 {
                self.put_all(template, (port, elements), values);
            }
            return;
        }
        self.put_front(template, (port, elements), values, n_admitted);
    }

    /// Moves the first values in.
    fn put_front(
        &mut self,
        template: &Template,
        (port, elements): (usize, &Index),
        values: &mut Queue<M>,
        n_values: usize,
    ) {
        match n_values {
            0 => {}
            // A single one needs no queues.
            1 => {
                if let Some(token) = values.pop_front() {
                    self.put(Delivery { port, elements: elements.clone(), token });
                }
            }
            _ => self.put_all(template, (port, elements), &mut values.take_front(n_values)),
        }
    }

    /// Moves values in for a bounded port, as far as there is room. Where some are left, `waiter` waits for room.
    pub fn put_some_or_wait(
        &mut self,
        template: &Template,
        (port, elements): (usize, &Index),
        most: impl FnOnce() -> usize,
        values: &mut Queue<M>,
        waiter: &Arc<Waiter<M>>,
    ) {
        let rooms = self.rooms.get_or_insert_with(Box::default);
        let n_admitted = rooms.admit_or_wait((port, elements), most, values.len(), waiter);
        self.put_front(template, (port, elements), values, n_admitted);
    }

    /// Moves all values of some events for a port that drops what it has no room for in. Returns what is dropped, which else leaves
    /// `values` empty, and whether the port is to drop more when the values go on to it.
    pub fn put_or_drop(
        &mut self,
        template: &Template,
        (port, elements): (usize, &Index),
        most: impl FnOnce() -> usize,
        values: &mut Queue<M>,
    ) -> (Overflow, bool) {
        let rooms = self.rooms.get_or_insert_with(Box::default);
        let (place, n_values) = ((port, elements), values.len());
        if template.inputs[port].full == FullPolicy::DropOldest {
            let (most, n_beyond, is_over) = rooms.admit_all(place, most, n_values);
            self.put_all(template, place, values);
            let overflow = match n_beyond {
                0 => Overflow::default(),
                _ => Overflow::first(self.queues[port].open(elements), n_beyond, most),
            };
            return (overflow, is_over);
        }
        let n_admitted = rooms.admit_some(place, most, n_values);
        if n_admitted == n_values {
            self.put_all(template, place, values);
            return (Overflow::default(), false);
        }
        for _ in 0..n_admitted {
            if let Some(token) = values.pop_front() {
                self.put(Delivery { port, elements: elements.clone(), token });
            }
        }
        (Overflow::all(values), false)
    }

    /// Counts the values that are left on bounded ports. Adds to `woken` those who wait for the room that there is now; where the
    /// instance `goes_on` at once with short events, when half of a port is free.
    #[inline]
    pub fn make_room(&mut self, ports: &[PortQueue<M>], goes_on: bool, woken: &mut Vec<Ready<M>>) {
        if let Some(rooms) = &mut self.rooms {
            let n_on_port = |port, elements: &Index| {
                ports.get(port).map_or(0, |port: &PortQueue<M>| port.n_values(elements))
            };
            rooms.count(n_on_port, goes_on, woken);
        }
    }

    /// Marks the instance as scheduled, if it was not. Tells whether it is to be made ready.
    pub fn schedule_anyway(&mut self, ports: PortSet) -> bool {
        self.filled |= ports;
        if ports & self.cancels != 0 {
            self.cancels = 0;
            return true;
        }
        !std::mem::replace(&mut self.is_scheduled, true)
    }

    /// Returns true if [`schedule`](Self::schedule) would, and would mark it.
    #[inline]
    pub fn is_due(&self, ports: PortSet, needs: &[PortSet]) -> bool {
        let filled = self.filled | ports;
        !self.is_scheduled && ports & self.cancels == 0 && needs.iter().any(|need| need & !filled == 0)
    }

    /// Marks the instance as scheduled, if it was not and a rule could be enabled now that values for `ports` have
    /// come: one needs no other ports than those of an item of `needs`. Tells whether it is to be made ready.
    #[inline]
    pub fn schedule(&mut self, ports: PortSet, needs: &[PortSet]) -> bool {
        self.filled |= ports;
        if ports & self.cancels != 0 {
            self.cancels = 0;
            return true;
        }
        let is_due = !self.is_scheduled && needs.iter().any(|need| need & !self.filled == 0);
        self.is_scheduled |= is_due;
        is_due
    }
}

/// What the serving worker works on.
pub struct Core<M: Instrumentation> {
    /// Values that wait, by port.
    pub ports: ThinVec<PortQueue<M>>,
    columns: ColumnOrder,
    /// Values of the vars; with the worker while it serves.
    pub vars: Vars,
    /// Shared objects in canonical order.
    pub locks: ThinVec<LockUse<M>>,
    /// Executions begun so far.
    pub count: u64,
    /// The firing rule to be looked at first: the one behind the rule taken last.
    pub first_rule: u32,
    /// True once the vars have their first values.
    pub is_initialized: bool,
    /// True after an execution that failed before a rule was looked at: nothing executes any more.
    pub has_failed: bool,
    /// A start node that has not executed yet.
    pub must_start: bool,
    /// In the lane: whether it waits for its one object, and begins nothing before it has it. When it is served, it does.
    pub is_granted: bool,
    /// The execution that waits for a lock.
    pub pending: Option<Box<Execution<M>>>,
    /// Values of its last event that wait for room: it executes nothing before they are on their ports.
    pub held_back: Option<Box<HeldBack<M>>>,
    /// Result-setting events before the next execution.
    pub known: ResultOrder,
    /// What the instrumentation keeps of its executions.
    pub keep: M::Keep,
    /// State of its timed firing rules, where it has any.
    pub timed: Option<Box<Timed>>,
    /// In a controlled run: what the user asks of it.
    pub control: Option<Box<Asked>>,
}

/// Firing rules that are enabled some time after their values have come.
#[derive(Default)]
pub struct Timed {
    /// For each rule of the node the moment since which its values have been there, in nanoseconds.
    pub since: Vec<Option<u64>>,
    /// The moment at which the instance is looked at again, in nanoseconds.
    pub next_look: Option<u64>,
    /// The first moment at which a rule is due, among the rules that have been looked at so far.
    pub next_due: Option<u64>,
}

impl<M: Instrumentation> Core<M> {
    /// Ports that hold values, as bits.
    #[inline]
    pub fn filled(&self) -> PortSet {
        let ports = self.ports.iter().enumerate().filter(|(_, port)| !port.is_empty());
        ports.fold(0, |filled, (port, _)| filled | port_bit(port))
    }
}

impl<M: Instrumentation> Core<M> {
    /// Sees to it that the ports are there: to be called before they are looked at by number.
    #[inline]
    pub fn open_ports(&mut self, template: &Template) {
        if self.ports.is_empty() {
            self.ports = ports_of(template, self.columns);
        }
    }

    /// The same; takes those that are spare, if it has none.
    #[inline]
    pub fn borrow_ports(&mut self, template: &Template, spare: &mut ThinVec<PortQueue<M>>) {
        if self.ports.is_empty() {
            self.ports = std::mem::take(spare);
            self.open_ports(template);
        }
    }

    /// Gives up the ports, if they hold nothing: they are spare then.
    #[inline]
    pub fn close_ports(&mut self, spare: &mut ThinVec<PortQueue<M>>) {
        if self.ports.iter().all(PortQueue::is_empty) {
            *spare = std::mem::take(&mut self.ports);
        }
    }

    /// In a controlled run: the version of the board that it knows.
    pub fn asked_version(&self) -> u64 {
        self.control.as_ref().map_or(0, |asked| asked.version)
    }

    /// In a controlled run: what the user asks of it.
    pub fn watched(&self) -> Option<&Watched> {
        self.control.as_ref()?.watched.as_deref()
    }

    /// The same, to be changed.
    pub fn watched_mut(&mut self) -> Option<&mut Watched> {
        self.control.as_mut()?.watched.as_deref_mut()
    }

    /// Moves what is in the inbox of the instance to its ports.
    #[inline]
    pub fn receive(&mut self, instance: &Instance<M>, arrivals: &mut ThinVec<Delivery<M>>) {
        instance.inbox.lock().empty(&mut self.ports, arrivals);
        self.sort(arrivals);
    }

    /// The same, with all values out of columns. Cost: linear in the values that have come.
    pub fn receive_tokens(&mut self, instance: &Instance<M>, arrivals: &mut ThinVec<Delivery<M>>) {
        let mut inbox = instance.inbox.lock();
        inbox.queues.iter_mut().for_each(PortQueue::leave_columns);
        inbox.empty(&mut self.ports, arrivals);
        drop(inbox);
        self.ports.iter_mut().for_each(PortQueue::leave_columns);
        for delivery in arrivals.drain(..) {
            self.ports[delivery.port].push_token(&delivery.elements, delivery.token);
        }
    }

    /// Moves arrivals to the ports.
    #[inline]
    pub fn sort(&mut self, arrivals: &mut ThinVec<Delivery<M>>) {
        if arrivals.is_empty() {
            return;
        }
        for delivery in arrivals.drain(..) {
            self.ports[delivery.port].push(&delivery.elements, delivery.token);
        }
    }
}

/// Values of an action's vars, by position.
pub enum Vars {
    /// As the interpreter has them.
    Held(ThinVec<Dynamic>),
    /// Of a template whose events need no interpreter.
    Values(ThinVec<Value>),
}

impl Default for Vars {
    #[inline]
    fn default() -> Self {
        Vars::Held(ThinVec::new())
    }
}

/// What the user asks of an action, as of a version of the board.
#[derive(Default)]
pub struct Asked {
    /// Version of the board that was looked at.
    pub version: u64,
    /// Requests for the action, if there are any.
    pub watched: Option<Box<Watched>>,
}

/// A shared object for which instances wait.
pub type SharedObject<M> = Object<M, Instance<M>>;

/// A shared object as an instance uses it.
pub struct LockUse<M: Instrumentation> {
    /// The object.
    pub object: Arc<SharedObject<M>>,
    /// Kind of access.
    pub access: Access,
    /// Slot that its value is bound to.
    pub slot_idx: usize,
}

impl<M: Instrumentation> Instance<M> {
    /// The part of it that bodies see.
    #[inline(always)]
    pub fn seen(&self) -> BodyInstance<'_> {
        BodyInstance { index: self.index.as_slice(), path_hash: self.graph.path_hash }
    }

    /// What is announced of it.
    pub fn record(&self) -> ActionRecord {
        ActionRecord {
            action: self.action,
            template: self.template,
            graph: self.graph.id,
            index: self.index.clone(),
        }
    }

    /// A batch with a change of one of its queues, and the graph instances around it.
    pub fn edited(&self, port: String, elements: Index, change: QueueChange) -> EventBatch {
        let mut batch = EventBatch::default();
        batch.graphs.extend(self.graph.outward().map_while(|graph| graph.record()));
        batch.graphs.reverse();
        let (template, graph, index) = (self.template, self.graph.id, self.index.clone());
        batch.edits.push(QueueEdit { template, graph, index, port, elements, change });
        batch
    }

    pub(crate) fn new(
        template_id: TemplateId,
        template: &Template,
        action: ActionId,
        graph: &Arc<GraphInstance>,
        index: Index,
        (keep, columns): (M::Keep, ColumnOrder),
    ) -> Self {
        let is_only = template.n_indices == 0 && graph.id == GraphInstanceId::MAIN;
        let queues = if is_only { ports_of(template, columns) } else { ThinVec::new() };
        // Others have ports while they are served or hold values: there may be millions of them.
        let ports = if is_only { ports_of(template, columns) } else { ThinVec::new() };
        let core = Core {
            ports,
            columns,
            vars: Vars::default(),
            locks: ThinVec::new(),
            count: 0,
            first_rule: 0,
            is_initialized: false,
            has_failed: false,
            is_granted: false,
            must_start: template.is_start && graph.id == GraphInstanceId::MAIN,
            pending: None,
            held_back: None,
            known: ResultOrder::default(),
            keep,
            timed: None,
            control: None,
        };
        Self {
            template: template_id,
            action,
            graph: Arc::clone(graph),
            index,
            inbox: Brief::new(Inbox {
                queues,
                is_only,
                deliveries: ThinVec::new(),
                is_scheduled: false,
                cancels: 0,
                n_delayed: 0,
                n_looks: 0,
                looks_again: false,
                filled: 0,
                rooms: None,
            }),
            core: Brief::new(core),
        }
    }
}

/// Where canonical lock order comes from: the depth of the graph instance first, then the declaration and
/// the index. All objects that an instance reaches belong to its own graph instance or to those around it,
/// so that depth tells them apart.
pub fn lock_order<M: Instrumentation>(object: &SharedObject<M>) -> (u32, SharedId, &Index) {
    (object.place.graph.depth, object.place.shared, &object.place.index)
}

/// What waits to be served.
pub type Ready<M> = Arc<Instance<M>>;
