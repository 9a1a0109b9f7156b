//! Which of two results of one name is the later one in causal order.
//!
//! A program of which each result is set by one action needs nothing: the action's own sequence
//! orders them, and [`ResultOrder`] is `()`. Otherwise each value and shared object carries the
//! result-setting events before it, a vector clock with slots for such actions only.

use std::collections::BTreeMap;
use std::sync::Arc;

use hasse_model::id::{ActionId, EventId};

/// What is carried along to order results.
pub(crate) trait ResultOrder: Clone + Default + Send + Sync {
    /// Whether nothing is carried.
    const IS_NONE: bool;

    /// Adds what another knows.
    fn merge(&mut self, other: &Self);
    /// Adds an event that set a result.
    fn note(&mut self, event: EventId);
    /// Whether the event is before the one that carries this.
    fn knows(&self, event: EventId) -> bool;
}

impl ResultOrder for () {
    const IS_NONE: bool = true;

    fn merge(&mut self, (): &()) {}
    fn note(&mut self, _: EventId) {}
    fn knows(&self, _: EventId) -> bool {
        true
    }
}

/// The last result-setting event of each action that is before the carrier.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownResults(Option<Arc<BTreeMap<ActionId, u64>>>);

impl ResultOrder for KnownResults {
    const IS_NONE: bool = false;

    fn merge(&mut self, other: &Self) {
        match (&mut self.0, &other.0) {
            (_, None) => {}
            (own @ None, Some(others)) => *own = Some(Arc::clone(others)),
            (Some(own), Some(others)) if Arc::ptr_eq(own, others) => {}
            (Some(own), Some(others)) => {
                let is_news = |(action, count): (&ActionId, &u64)| own.get(action) < Some(count);
                if others.iter().any(is_news) {
                    let own = Arc::make_mut(own);
                    for (&action, &count) in others.iter() {
                        let known = own.entry(action).or_default();
                        *known = count.max(*known);
                    }
                }
            }
        }
    }

    fn note(&mut self, event: EventId) {
        Arc::make_mut(self.0.get_or_insert_default()).insert(event.action, event.count);
    }

    fn knows(&self, event: EventId) -> bool {
        self.0.as_ref().is_some_and(|known| known.get(&event.action) >= Some(&event.count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knowledge_is_merged_by_the_later_count() {
        let event = |action, count| EventId { action: ActionId(action), count };
        let mut left = KnownResults::default();
        left.note(event(1, 4));
        let mut right = KnownResults::default();
        right.note(event(1, 2));
        right.note(event(2, 1));
        left.merge(&right);
        assert!(left.knows(event(1, 4)) && left.knows(event(2, 1)));
        assert!(!right.knows(event(1, 4)) && !left.knows(event(2, 2)));
    }
}
