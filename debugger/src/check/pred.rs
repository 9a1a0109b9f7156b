//! `check pred`: every event of u has events of v, w, ... before it.

use hasse_model::event::EventRecord;
use hasse_model::trace::Names;

use super::evidence::Evidence;
use super::resolve::Target;
use super::{MOST_VIOLATIONS, Missing, Verdict, Violation};
use crate::clock::Clock;

/// All commands on one spec; one of them must be met by each of its events.
#[derive(Debug)]
pub(super) struct PredCheck {
    subject: Target,
    alternatives: Vec<Alternative>,
    n_events: u64,
    n_violations: u64,
    violations: Vec<Found>,
}

/// One command: its text, and the slots of what it expects before.
#[derive(Debug)]
struct Alternative {
    text: String,
    slots: Vec<usize>,
}

/// A violation whose missing specs may yet occur.
#[derive(Debug)]
struct Found {
    event: String,
    template: String,
    /// For each alternative, the slots of what is not before the event.
    missing: Vec<Vec<usize>>,
    evidence: Vec<Evidence>,
}

impl PredCheck {
    pub(super) fn new(subject: Target) -> Self {
        Self { subject, alternatives: Vec::new(), n_events: 0, n_violations: 0, violations: Vec::new() }
    }

    pub(super) fn add_alternative(&mut self, text: String, slots: Vec<usize>) {
        self.alternatives.push(Alternative { text, slots });
    }

    pub(super) fn subject(&self) -> &Target {
        &self.subject
    }

    /// Takes in an event of an action that fits the subject, with the clock of its strict past.
    pub(super) fn event(
        &mut self,
        event: &EventRecord,
        names: &Names,
        before: &Clock,
        evidence: impl FnOnce() -> Vec<Evidence>,
    ) {
        if !self.subject.fits_count(event.id.count) {
            return;
        }
        self.n_events += 1;
        let is_missing = |&slot: &usize| before.get(slot) == 0;
        if self.alternatives.iter().any(|alternative| !alternative.slots.iter().any(is_missing)) {
            return;
        }
        self.n_violations += 1;
        if self.violations.len() == MOST_VIOLATIONS {
            return;
        }
        let missing = |alternative: &Alternative| {
            alternative.slots.iter().copied().filter(|slot| is_missing(slot)).collect::<Vec<_>>()
        };
        self.violations.push(Found {
            event: names.event(event.id).to_string(),
            template: names.template_name(self.subject.template).unwrap_or("?").to_owned(),
            missing: self.alternatives.iter().map(missing).collect(),
            evidence: evidence(),
        });
    }

    pub(super) fn finish(self, specs: &[Target]) -> Verdict {
        let mut notes = Vec::new();
        if self.n_events == 0 {
            notes.push(format!("no event of {} occurred, so there was nothing to check", self.subject.text));
        }
        let mut absent: Vec<usize> =
            self.alternatives.iter().flat_map(|known| &known.slots).copied().collect();
        absent.retain(|&slot| specs[slot].n_occurred == 0);
        absent.sort_unstable();
        absent.dedup();
        notes.extend(absent.iter().map(|&slot| format!("no event of {} occurred", specs[slot].text)));
        let missing = |slots: &Vec<usize>| {
            let missing = |&slot: &usize| Missing {
                spec: specs[slot].text.clone(),
                occurred: specs[slot].n_occurred > 0,
            };
            slots.iter().map(missing).collect()
        };
        let violation = |found: Found| Violation {
            event: found.event,
            template: found.template,
            missing: found.missing.iter().map(missing).collect(),
            evidence: found.evidence,
        };
        Verdict {
            commands: self.alternatives.into_iter().map(|alternative| alternative.text).collect(),
            holds: self.n_violations == 0,
            n_events: self.n_events,
            n_violations: self.n_violations,
            violations: self.violations.into_iter().map(violation).collect(),
            witness: Vec::new(),
            notes,
        }
    }
}
