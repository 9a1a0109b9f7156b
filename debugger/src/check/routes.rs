//! The routing rules taken by events whose values are under way.

use rustc_hash::FxHashMap;

use hasse_model::event::EventRecord;
use hasse_model::id::EventId;

use crate::carry::Carry;

/// Routing rules by event, as long as values of it are under way. The same few lists come again and again, so that
/// an event takes the number of its list.
#[derive(Debug, Default)]
pub(super) struct Routes {
    under_way: Carry<u32>,
    lists: Vec<Box<[u32]>>,
    number_of: FxHashMap<Box<[u32]>, u32>,
}

impl Routes {
    /// Nothing under way. `keeps_all`: what senders did is kept to the end.
    pub(super) fn new(keeps_all: bool) -> Self {
        Self { under_way: Carry::new(keeps_all), ..Self::default() }
    }

    /// Notes that a value of a sender was taken.
    pub(super) fn take(&mut self, sender: EventId) {
        self.under_way.take(sender);
    }

    /// Notes the rules that an event took.
    pub(super) fn leave(&mut self, event: &EventRecord) {
        let number = match self.number_of.get(event.routes.as_slice()) {
            Some(&known) => known,
            None => {
                let number = u32::try_from(self.lists.len()).expect("fewer lists than memory holds");
                self.lists.push(event.routes.as_slice().into());
                self.number_of.insert(event.routes.as_slice().into(), number);
                number
            }
        };
        self.under_way.leave(event, number);
    }

    /// The rules that a sender took; `None` where no value of it is under way.
    pub(super) fn get(&self, sender: EventId) -> Option<&[u32]> {
        let number = self.under_way.peek(sender)?;
        self.lists.get(number as usize).map(|routes| &**routes)
    }
}
