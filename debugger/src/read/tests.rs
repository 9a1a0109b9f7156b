//! Batches in any order, and some of them missing.

use proptest::prelude::*;

use super::*;
use crate::testing::{shuffled, unread_names};

proptest! {
    /// What is delivered of any of the batches is causally closed and has names.
    #[test]
    fn any_batches_yield_a_closed_set((history, order) in shuffled(40), n_events in 1..8_usize, kept in any::<u64>()) {
        let batches = history.batches(&order, n_events);
        let mut feed = Feed::new(unread_names());
        let (mut gone, mut is_unnamed) = (0_u64, false);
        for (_, batch) in batches.iter().enumerate().filter(|(batch_idx, _)| kept >> batch_idx & 1 == 1) {
            let mut deliver = |event: EventRecord, names: &Names| {
                let at = history.position(event.id);
                assert_eq!(history.past[at] & !gone, 0, "what is before it was delivered");
                gone |= 1 << at;
                let mut paths = vec![names.event(event.id).to_string()];
                paths.extend(event.flow.iter().map(|&sender| names.event(sender).to_string()));
                paths.extend(event.shared.iter().map(|access| names.object(access.object).to_string()));
                is_unnamed |= paths.iter().any(|path| path.contains('?'));
            };
            feed.push(batch, &mut deliver).expect("a valid history");
        }
        prop_assert!(!is_unnamed);
        let n_batches = batches.len() as u32;
        if kept.trailing_ones() >= n_batches {
            prop_assert_eq!(gone.count_ones() as usize, history.events.len(), "all of all batches");
        }
    }
}
