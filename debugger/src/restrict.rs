//! Post-restriction: from the records of all events to those of selected actions, as if no others had been
//! recorded.
//!
//! An action that is off is not recorded; what it knows of recorded events it relays, on the values that it
//! sends, on the objects that it reaches and to its own next event. A relay list holds at most one event an action, for
//! the most recent one implies the others (Hyder 1994, sections 5.3.2, 5.3.3 and 6.3.1, Table 6-4). We differ
//! from the source in that lists are kept apart by the way they came: through values and through
//! each object, as in records of the run itself, so that restricting afterwards and recording restrictedly give the same
//! records; and in that lists are shared until they differ.
//!
//! Cost: for an event, its edges; where two lists of n and m events that are not the same meet, n + m; where
//! neither holds the other, a new list of 16 bytes for each event in it. Of a full record, a list is dropped when the last value
//! that carried it is taken. Of a restricted record that cannot be known, and the list of each event that is not
//! selected stays.

use hasse_model::event::{EventRecord, RelayedAccess, SharedAccess};
use hasse_model::id::{ActionId, EventId, ObjectId};
use hasse_model::plan::Access;
use hasse_model::record_options::RecordOption;
use hasse_model::table::IdTable;
use hasse_model::trace::{Names, RecordingMode};

use crate::carry::{Carry, TakenTooOften};

mod batches;
mod relay;

pub use batches::{Batches, RestrictError, Restricted, restricted_batches};
use relay::RelayList;

/// What an object's last writer left, and what all left that read it since.
#[derive(Clone, Debug, Default)]
struct ObjectLists {
    writer: RelayList,
    readers: RelayList,
}

/// Restricts records that come in causal order.
pub struct Restrictor<F> {
    option_of: F,
    /// What `option_of` said of each action, once it has been asked.
    options: IdTable<Option<RecordOption>>,
    /// What events of actions that are off leave on values, and those of restricted ones on objects.
    events: Carry<RelayList>,
    objects: IdTable<ObjectLists>,
    record: EventRecord,
}

impl<F: FnMut(ActionId, &Names) -> RecordOption> Restrictor<F> {
    /// Restricts records of this mode. `option_of` is asked once for each action, when its first event
    /// comes.
    pub fn new(mode: RecordingMode, option_of: F) -> Self {
        let keeps_all = mode == RecordingMode::Restricted;
        let record = EventRecord::new(EventId { action: ActionId(0), count: 0 });
        let (options, objects) = (IdTable::new(), IdTable::new());
        Self { option_of, options, events: Carry::new(keeps_all), objects, record }
    }

    /// Takes in the next event in causal order and gives its restricted record; `None` where its action is off.
    ///
    /// # Errors
    /// Where the event took a value that was not sent, or names an event that did not occur.
    pub fn event(
        &mut self,
        event: &EventRecord,
        names: &Names,
    ) -> Result<Option<&mut EventRecord>, TakenTooOften> {
        match self.option(event.id.action, names) {
            RecordOption::Full => self.record_full(event, names)?,
            RecordOption::Restrict => self.record_restricted(event, names)?,
            RecordOption::Off => {
                self.relay(event, names)?;
                return Ok(None);
            }
        }
        let record = &mut self.record;
        record.rule = event.rule;
        record.routes.extend_from_slice(&event.routes);
        record.flow_successors = event.flow_successors;
        record.outcome = event.outcome;
        record.effects.extend_from_slice(&event.effects);
        record.first_line = event.first_line;
        record.error.clone_from(&event.error);
        record.timing = event.timing;
        record.local.clone_from(&event.local);
        Ok(Some(record))
    }

    /// Number of lists that are kept for takers of values or, of a restricted record, for anyone.
    pub fn n_kept(&self) -> usize {
        self.events.n_kept()
    }

    fn option(&mut self, action: ActionId, names: &Names) -> RecordOption {
        let known = self.options.slot(action.0);
        *known.get_or_insert_with(|| (self.option_of)(action, names))
    }

    /// The event is off: it leaves all that it knows.
    fn relay(&mut self, event: &EventRecord, names: &Names) -> Result<(), TakenTooOften> {
        let mut known = self.carried(event);
        self.take_flow(event, &mut known, names)?;
        self.meet_objects(event, &mut known, names)?;
        self.leave_on_objects(event, &known);
        self.events.leave(event, known);
        Ok(())
    }

    /// The event is recorded with what comes by values; what comes by objects goes on.
    fn record_restricted(&mut self, event: &EventRecord, names: &Names) -> Result<(), TakenTooOften> {
        let mut flow = RelayList::default();
        self.take_flow(event, &mut flow, names)?;
        let mut relayed = self.carried(event);
        self.meet_objects(event, &mut relayed, names)?;
        self.leave_on_objects(event, &relayed);
        self.events.leave(event, relayed);
        self.record.reset(event.id);
        self.record.flow.extend_from_slice(flow.events());
        Ok(())
    }

    /// The event is recorded with all that comes, and is all that those after it need to know of.
    fn record_full(&mut self, event: &EventRecord, names: &Names) -> Result<(), TakenTooOften> {
        let mut flow = RelayList::default();
        self.take_flow(event, &mut flow, names)?;
        self.record.reset(event.id);
        self.record.flow.extend_from_slice(flow.events());
        for access in &event.shared {
            let mut list = RelayList::default();
            self.meet_object(access, &mut list);
            self.put_relayed(access.object, access.access, &list);
        }
        for same_object in event.relayed.chunk_by(|one, other| one.object == other.object) {
            let mut list = RelayList::default();
            for relayed in same_object {
                self.meet_relayed(event, relayed, &mut list, names)?;
            }
            self.put_relayed(same_object[0].object, same_object[0].access, &list);
        }
        if !event.shared.is_empty() {
            self.leave_on_objects(event, &RelayList::of(event.id));
        }
        Ok(())
    }

    fn put_relayed(&mut self, object: ObjectId, access: Access, list: &RelayList) {
        let relayed = list.events().iter().map(|&event| RelayedAccess { object, access, event });
        self.record.relayed.extend(relayed);
    }

    /// What the action's event before this one left.
    fn carried(&self, event: &EventRecord) -> RelayList {
        match event.id.count {
            0 | 1 => RelayList::default(),
            _ => self.events.of_action(event.id.action),
        }
    }

    /// Adds what came with the values taken.
    fn take_flow(
        &mut self,
        event: &EventRecord,
        list: &mut RelayList,
        names: &Names,
    ) -> Result<(), TakenTooOften> {
        for &sender in &event.flow {
            match self.option(sender.action, names) {
                RecordOption::Full | RecordOption::Restrict => list.add(sender),
                RecordOption::Off => {
                    let error = TakenTooOften { event: event.id, sender };
                    list.merge(self.events.take(sender).ok_or(error)?);
                }
            }
        }
        Ok(())
    }

    /// Adds what the objects hold.
    fn meet_objects(
        &mut self,
        event: &EventRecord,
        list: &mut RelayList,
        names: &Names,
    ) -> Result<(), TakenTooOften> {
        event.shared.iter().for_each(|access| self.meet_object(access, list));
        event.relayed.iter().try_for_each(|relayed| self.meet_relayed(event, relayed, list, names))
    }

    fn meet_object(&self, access: &SharedAccess, list: &mut RelayList) {
        if let Some(lists) = self.objects.get(access.object.0) {
            list.merge(lists.writer.clone());
            if access.access == Access::Write {
                list.merge(lists.readers.clone());
            }
        }
    }

    /// Adds what a shared predecessor of a restricted record left on objects.
    fn meet_relayed(
        &mut self,
        event: &EventRecord,
        relayed: &RelayedAccess,
        list: &mut RelayList,
        names: &Names,
    ) -> Result<(), TakenTooOften> {
        match self.option(relayed.event.action, names) {
            RecordOption::Full => list.add(relayed.event),
            RecordOption::Restrict | RecordOption::Off => {
                let error = TakenTooOften { event: event.id, sender: relayed.event };
                list.merge(self.events.peek(relayed.event).ok_or(error)?);
            }
        }
        Ok(())
    }

    fn leave_on_objects(&mut self, event: &EventRecord, list: &RelayList) {
        for access in &event.shared {
            let lists = self.objects.slot(access.object.0);
            match access.access {
                Access::Read => lists.readers.merge(list.clone()),
                Access::Write => {
                    *lists = ObjectLists { writer: list.clone(), readers: RelayList::default() };
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
