//! `check pred`: every event of u has events of v, w, ... before it.

use hasse_model::id::{ActionId, TemplateId};
use hasse_model::trace::Names;

use super::bindings::Place;
use super::dispatch::{Check, Context, End, Interest, SpecSlot};
use super::evidence::Evidence;
use super::resolve::Target;
use super::verdict::{MOST_VIOLATIONS, Missing, Verdict, Violation};

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

    /// The slots that it asks for.
    pub(super) fn slots(&self) -> impl Iterator<Item = usize> + '_ {
        self.alternatives.iter().flat_map(|alternative| &alternative.slots).copied()
    }
}

impl Check for PredCheck {
    fn interest(&self, action: ActionId, names: &Names) -> Interest {
        if self.subject.fits_action(action, names) { Interest::Events } else { Interest::None }
    }

    fn places(&self) -> Option<Vec<Place>> {
        Some(vec![self.subject.place()])
    }

    fn subjects(&self) -> Vec<TemplateId> {
        vec![self.subject.template]
    }

    fn named(&self, _: &Names) -> Vec<(&Target, bool)> {
        vec![(&self.subject, self.n_events > 0)]
    }

    fn event(&mut self, context: &Context<'_>) {
        let id = context.event.id;
        if !self.subject.fits_count(id.count) {
            return;
        }
        self.n_events += 1;
        let is_missing = |&slot: &usize| context.before.get(slot) == 0;
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
            event: context.names.event(id).to_string(),
            template: context.names.template_name(self.subject.template).unwrap_or("?").to_owned(),
            missing: self.alternatives.iter().map(missing).collect(),
            evidence: context.evidence(),
        });
    }

    fn verdict(&self, end: &End<'_>) -> Verdict {
        let mut notes = Vec::new();
        if self.n_events == 0 {
            notes.push(format!("{}, so there was nothing to check", self.subject.absence()));
        }
        let known = |slot: usize| end.specs.iter().filter(move |known| known.slot == slot);
        let mut absent: Vec<&SpecSlot> = self.slots().flat_map(known).collect();
        absent.retain(|spec| spec.target.n_occurred == 0);
        absent.sort_unstable_by_key(|spec| spec.slot);
        absent.dedup_by_key(|spec| spec.slot);
        notes.extend(absent.iter().map(|spec| spec.target.absence()));
        let missing = |slots: &Vec<usize>| {
            let missing = |spec: &SpecSlot| Missing {
                spec: spec.target.text.clone(),
                occurred: spec.target.n_occurred > 0,
            };
            slots.iter().flat_map(|&slot| known(slot)).map(missing).collect()
        };
        let violation = |found: &Found| Violation {
            missing: found.missing.iter().map(missing).collect(),
            evidence: found.evidence.clone(),
            ..Violation::of(found.event.clone(), found.template.clone())
        };
        let commands = self.alternatives.iter().map(|alternative| alternative.text.clone()).collect();
        Verdict {
            holds: self.n_violations == 0,
            n_events: self.n_events,
            n_violations: self.n_violations,
            violations: self.violations.iter().map(violation).collect(),
            notes,
            ..Verdict::of(commands)
        }
    }

    fn as_pred(&mut self) -> Option<&mut PredCheck> {
        Some(self)
    }
}
