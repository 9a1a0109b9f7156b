//! Causal order of the events that set results of one name.
//!
//! A program of which each result is set by one action needs nothing: the action's own sequence
//! orders them, and every [`ResultOrder`](crate::result_order::ResultOrder) is empty. Otherwise each value and shared object carries the
//! result-setting events before it, a vector clock with slots for such actions only.

use std::collections::BTreeMap;
use std::sync::Arc;

use hasse_model::id::{ActionId, EventId};

/// The last result-setting event of each action that is before the carrier.
#[derive(Clone, Debug, Default)]
pub struct ResultOrder(Option<Arc<BTreeMap<ActionId, u64>>>);

impl ResultOrder {
    /// Returns true if no result-setting event is before the carrier, as far as that is kept.
    #[inline(always)]
    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// Knowledge of a carrier after these events.
    pub fn of(events: &[EventId]) -> Self {
        let last: BTreeMap<_, _> = events.iter().map(|event| (event.action, event.count)).collect();
        Self((!last.is_empty()).then(|| Arc::new(last)))
    }

    /// The last result-setting event of each action that is before the carrier, ascending by action.
    pub fn events(&self) -> Vec<EventId> {
        let last = self.0.iter().flat_map(|last| last.iter());
        last.map(|(&action, &count)| EventId { action, count }).collect()
    }

    /// Adds what another knows.
    #[inline(always)]
    pub fn merge(&mut self, other: &Self) {
        if let Some(others) = &other.0 {
            self.merge_some(others);
        }
    }

    #[cold]
    fn merge_some(&mut self, others: &Arc<BTreeMap<ActionId, u64>>) {
        match &mut self.0 {
            own @ None => *own = Some(Arc::clone(others)),
            Some(own) if Arc::ptr_eq(own, others) => {}
            Some(own) => {
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

    /// Adds an event that set a result.
    #[inline]
    pub fn note(&mut self, event: EventId) {
        Arc::make_mut(self.0.get_or_insert_default()).insert(event.action, event.count);
    }

    /// Returns true if the event is before the one that carries this.
    #[inline]
    pub(crate) fn knows(&self, event: EventId) -> bool {
        self.0.as_ref().is_some_and(|known| known.get(&event.action) >= Some(&event.count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knowledge_is_merged_by_the_later_count() {
        let event = |action, count| EventId { action: ActionId(action), count };
        let mut left = ResultOrder::default();
        left.note(event(1, 4));
        let mut right = ResultOrder::default();
        right.note(event(1, 2));
        right.note(event(2, 1));
        left.merge(&right);
        assert!(left.knows(event(1, 4)) && left.knows(event(2, 1)));
        assert!(!right.knows(event(1, 4)) && !left.knows(event(2, 2)));
    }
}
