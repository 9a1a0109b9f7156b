//! Events that the check set hides from checks: a verdict says so, and does not take them for events that never occurred.

use hasse_model::id::{ActionId, EventId};
use hasse_model::trace::Names;
use rustc_hash::FxHashMap;

use super::resolve::Target;
use super::verdict::Verdict;
use super::{Checker, Watch};

/// The specs that name hidden actions.
#[derive(Debug, Default)]
pub(super) struct Hidden {
    of_action: FxHashMap<ActionId, Naming>,
}

/// The specs that name an action, as far as there were checks when its last event was hidden.
#[derive(Debug, Default)]
struct Naming {
    /// Number of specs of `check pred` and of checks that have been looked at.
    n_seen: (usize, usize),
    /// Positions of specs of `check pred`.
    slots: Vec<usize>,
    /// Positions of checks, each with that of a spec which it names, and the count that this spec asks for.
    specs: Vec<(usize, usize, Option<u64>)>,
}

impl Checker<'_> {
    /// Learns of an event that the check set hides.
    pub fn hide(&mut self, event: EventId, names: &Names) {
        let Self { specs, watches, hidden, .. } = self;
        let naming = hidden.of_action.entry(event.action).or_default();
        let fits = |target: &Target| target.fits_action(event.action, names);
        for (slot_idx, slot) in specs.iter().enumerate().skip(naming.n_seen.0) {
            naming.slots.extend(fits(&slot.target).then_some(slot_idx));
        }
        for (watch_idx, watch) in watches.iter_mut().enumerate().skip(naming.n_seen.1) {
            let Some(watch) = watch else { continue };
            let named = watch.check.named(names);
            watch.n_hidden.resize(named.len(), 0);
            let of_action = named.iter().enumerate().filter(|(_, (target, _))| fits(target));
            naming.specs.extend(of_action.map(|(at, (target, _))| (watch_idx, at, target.count)));
        }
        naming.n_seen = (specs.len(), watches.len());
        for &slot_idx in &naming.slots {
            let slot = &mut specs[slot_idx];
            slot.n_hidden += u64::from(slot.target.fits_count(event.count));
        }
        for &(watch_idx, at, count) in &naming.specs {
            if let Some(watch) = &mut watches[watch_idx] {
                watch.n_hidden[at] += u64::from(count.is_none_or(|count| count == event.count));
            }
        }
    }

    /// Adds to a verdict what the check set hides. Where it hides all events of a spec, the verdict cannot be decided.
    pub(super) fn admit_hidden(&self, watch: &Watch, verdict: &mut Verdict, names: &Names) {
        let named = watch.check.named(names);
        let own =
            named.into_iter().zip(&watch.n_hidden).map(|((target, has_come), n)| (target, has_come, *n));
        let slots = watch.specs.iter().map(|&spec_idx| &self.specs[spec_idx]);
        let slots = slots.map(|slot| (&slot.target, slot.target.n_occurred > 0, slot.n_hidden));
        let mut hidden: Vec<(&Target, bool, u64)> = own.chain(slots).filter(|(_, _, n)| *n > 0).collect();
        hidden.sort_by(|one, other| one.0.text.cmp(&other.0.text));
        hidden.dedup_by(|one, other| one.0.text == other.0.text);
        let mut absent = Vec::new();
        for (target, has_come, n_hidden) in hidden {
            verdict.notes.retain(|note| !note.starts_with(&target.absence()));
            if has_come {
                let events = if n_hidden == 1 { "event" } else { "events" };
                verdict.notes.push(format!("the check set hides {n_hidden} {events} of {}", target.text));
            } else {
                absent.push(target.text.clone());
            }
        }
        if !absent.is_empty() && verdict.witness.is_empty() && verdict.error.is_none() {
            let reason =
                format!("the check set hides all events of {}: add it to the set", absent.join(", "));
            let commands = std::mem::take(&mut verdict.commands);
            let notes = std::mem::take(&mut verdict.notes);
            let n_events = verdict.n_events;
            *verdict = Verdict { error: Some(reason), n_events, notes, ..Verdict::of(commands) };
        }
    }
}
