//! Where lines stand that an event prints although it printed none when it was recorded: its body was changed.
//!
//! They must come after the lines of all events that are before it in causal order. Which turn of the recorded output is
//! the last one of these is found in the record, when it is first asked for: events and edges are each looked at once.

use hasse_model::event::SharedAccess;
use hasse_model::id::{EventId, ObjectId};
use hasse_model::plan::Access;
use rustc_hash::FxHashMap;

use crate::replay::Script;

/// Events that read a version of an object, by the object and the version's writer.
pub(crate) type Readers = FxHashMap<(ObjectId, Option<EventId>), Vec<EventId>>;

/// For events that were asked for, and those before them: the last turn of the output up to them.
#[derive(Debug, Default)]
pub(crate) struct LinePasts {
    /// Position of the first line of that turn, plus 1; 0 where nothing was printed.
    last_turns: FxHashMap<EventId, u64>,
    /// Events that read a version of an object.
    readers: Option<Readers>,
}

impl LinePasts {
    /// The last turn before an event, by the position of its first line.
    pub(crate) fn last_turn_before(&mut self, script: &Script, event: EventId) -> Option<u64> {
        self.readers.get_or_insert_with(|| script.readers());
        // Twice on the stack: first its predecessors are put on top of it, then it is put together from theirs.
        let mut stack = vec![(event, false)];
        while let Some((id, is_ready)) = stack.pop() {
            if self.last_turns.contains_key(&id) {
                continue;
            }
            let before = self.before(script, id);
            if is_ready {
                let own = script.expected(id).and_then(|event| event.first_line).map_or(0, |line| line + 1);
                let turns = before.iter().filter_map(|id| self.last_turns.get(id)).copied();
                let last = turns.max().unwrap_or_default().max(own);
                self.last_turns.insert(id, last);
            } else {
                stack.push((id, true));
                let open = before.into_iter().filter(|id| !self.last_turns.contains_key(id));
                stack.extend(open.map(|id| (id, false)));
            }
        }
        self.last_turns.get(&event).copied().and_then(|turn| turn.checked_sub(1))
    }

    /// The immediate predecessors of an event.
    fn before(&self, script: &Script, id: EventId) -> Vec<EventId> {
        let Some(expected) = script.expected(id) else { return Vec::new() };
        let mut before: Vec<EventId> = expected.flow().collect();
        for SharedAccess { object, access, writer, .. } in expected.shared() {
            before.extend(writer);
            let readers = self.readers.as_ref().filter(|_| access == Access::Write);
            let readers = readers.and_then(|readers| readers.get(&(object, writer)));
            before.extend(readers.into_iter().flatten().filter(|reader| **reader != id));
        }
        if id.count > 1 {
            before.push(EventId { count: id.count - 1, ..id });
        }
        before
    }
}

impl Script {
    /// Events that read, by the version of the object that they found.
    fn readers(&self) -> Readers {
        let mut readers = Readers::default();
        for row in self.rows.iter() {
            // Events that read are a row each.
            let event = self.event_of(row, 0, row.n_events);
            for access in event.shared().filter(|access| access.access == Access::Read) {
                readers.entry((access.object, access.writer)).or_default().push(event.id);
            }
        }
        readers
    }
}
