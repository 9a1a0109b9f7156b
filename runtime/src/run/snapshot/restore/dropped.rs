//! Replays that begin at a cut: values that waited there, and that the record says were dropped after it.

use hasse_model::id::{ActionId, EventId, Index};
use hasse_model::snapshot::{SentValue, Snapshot};
use hasse_record::instrumentation::Instrumentation;
use hasse_record::replay::edits::SentEdit;
use hasse_store::instance::Ready;
use rustc_hash::FxHashMap;

use crate::fire::session::Session;

/// The events before a cut, if values may have been dropped after it.
pub(super) struct DroppedLater {
    /// Number of events of each action before the cut; none where nothing is to be dropped.
    counts: Option<FxHashMap<ActionId, u64>>,
}

impl DroppedLater {
    pub(super) fn of<M: Instrumentation>(session: &Session<'_, M>, snapshot: &Snapshot) -> Self {
        let actions = snapshot.actions.iter().map(|action| (action.record.action, action.count));
        let reclaimed = snapshot.reclaimed.iter().map(|last| (last.action, last.count));
        Self { counts: session.has_edits().then(|| actions.chain(reclaimed).collect()) }
    }

    /// For each value on a port, true if the record that is followed from here on says that it was dropped.
    pub(super) fn among<M: Instrumentation>(
        &self,
        session: &Session<'_, M>,
        instance: &Ready<M>,
        (port, elements): (usize, &Index),
        values: &[SentValue],
    ) -> Vec<bool> {
        let mut is_dropped = vec![false; values.len()];
        let (Some(script), Some(counts)) = (session.instrumentation.recorded(), &self.counts) else {
            return is_dropped;
        };
        let n_own = counts.get(&instance.action).copied().unwrap_or_default();
        let is_before = |event: EventId| counts.get(&event.action).is_some_and(|count| event.count <= *count);
        let own = (instance.template, instance.graph.id, &instance.index, port, elements);
        let mut n_later: FxHashMap<EventId, u32> = FxHashMap::default();
        for (value, is_dropped) in values.iter().zip(&mut is_dropped).rev() {
            let Some(sender) = value.sender else { continue };
            let n_of_sender = n_later.entry(sender).or_default();
            *is_dropped = script.known.edits_of(sender).iter().any(|edit| match *edit {
                SentEdit::NoRoom { template, graph, index, port, elements, n_later, by } => {
                    // Those that were dropped before the cut are gone, and those that may have been.
                    (template, graph, index, port, elements) == own
                        && n_later == *n_of_sender
                        && !is_before(by)
                        && !script.has_taken(instance.action, n_own, sender)
                }
                SentEdit::ByHand(_) => false,
            });
            *n_of_sender += 1;
        }
        is_dropped
    }
}

/// The same values, those of one event next to each other: a replay delivers them one by one, and a run that drops values all at
/// once.
pub(super) fn by_event<T>(values: Vec<(&SentValue, T)>) -> Vec<(&SentValue, T)> {
    let mut first_of: FxHashMap<EventId, usize> = FxHashMap::default();
    let mut placed: Vec<(usize, (&SentValue, T))> = values
        .into_iter()
        .enumerate()
        .map(|(position, value)| {
            let first = value.0.sender.map_or(position, |sender| *first_of.entry(sender).or_insert(position));
            (first, value)
        })
        .collect();
    placed.sort_by_key(|(first, _)| *first);
    placed.into_iter().map(|(_, value)| value).collect()
}
