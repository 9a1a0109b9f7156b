//! Reduction of events to the parts that a minimal record keeps.

use super::record::{Effect, EventRecord, Outcome};
use crate::choices::Choices;

impl Choices {
    /// Returns true if a minimal record needs a row for an execution with these choices and this end.
    #[inline]
    pub fn need_row(&self, outcome: Outcome, effects: &[Effect]) -> bool {
        !self.is_empty() || !effects.is_empty() || outcome != Outcome::Done
    }
}

impl EventRecord {
    /// Leaves of a full record that names its choices what a minimal record holds of it. Returns whether that
    /// is anything at all.
    ///
    /// An execution that did not end well is kept with its rule: where the guard was at fault, nothing else tells
    /// that it took place.
    pub fn minimize(&mut self) -> bool {
        let mut choices = self.choices.take().unwrap_or_default();
        let is_kept = choices.need_row(self.outcome, &self.effects);
        choices.rule |= self.outcome != Outcome::Done;
        let mut position = 0;
        self.shared.retain(|_| {
            position += 1;
            choices.accesses.binary_search(&(position - 1)).is_ok()
        });
        choices.accesses.clear();
        if !choices.line {
            self.first_line = None;
        }
        if !choices.rule {
            self.rule = 0;
        }
        self.routes.clear();
        self.flow.clear();
        self.flow_successors = 0;
        self.timing = None;
        self.local = None;
        self.choices = Some(choices);
        is_kept
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::SharedAccess;
    use super::*;
    use crate::id::{ActionId, EventId, ObjectId};
    use crate::plan::Access;

    fn event() -> EventRecord {
        let id = |action, count| EventId { action: ActionId(action), count };
        let access = |object| SharedAccess {
            object: ObjectId(object),
            access: Access::Write,
            writer: Some(id(object, 1)),
            readers: 2,
        };
        let mut event = EventRecord::new(id(3, 4));
        event.rule = 1;
        event.routes = vec![0];
        event.flow = vec![id(5, 6), id(7, 8)];
        event.shared = vec![access(1), access(2)];
        event.flow_successors = 3;
        event.first_line = Some(9);
        event
    }

    #[test]
    fn what_was_settled_is_left_out() {
        let mut settled = event();
        assert!(!settled.minimize());
        let mut open = event();
        open.choices = Some(Box::new(Choices { accesses: vec![1], ..Choices::default() }));
        assert!(open.minimize());
        assert_eq!(open.shared, event().shared[1..]);
        assert_eq!((open.flow, open.routes, open.first_line, open.rule), (Vec::new(), Vec::new(), None, 0));
    }

    #[test]
    fn a_bad_end_is_kept_with_its_rule() {
        let mut failed = event();
        failed.outcome = Outcome::Failed;
        failed.error = Some("it failed".to_owned());
        assert!(failed.minimize());
        let choices = failed.choices.unwrap_or_default();
        assert_eq!((choices.rule, failed.rule, failed.first_line), (true, 1, None));
        assert_eq!((choices.takes, failed.shared), (Vec::new(), Vec::new()));
        assert_eq!(failed.error.as_deref(), Some("it failed"));
    }
}
