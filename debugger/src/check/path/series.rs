//! `check path E`: whether the restricted history, as a partial order, is one of E.
//!
//! What remains of E is rewritten event by event (partial derivatives, Antimirov, 1996, on series-parallel partial orders). A part of E that has
//! not begun knows its frontier: the last events of what is before it in sequence. An event can be the first of such a
//! part exactly if its immediate predecessors are the frontier: then it is after all that the expression has before it, and after nothing
//! else. So each step of the automaton is labeled with an event and the set of its immediate predecessors, as
//! predecessor automata are (Hseush and Kaiser, 1990). Events may come in any order that extends `<C`.
//!
//! Cost: for each event, the number of ways in which what came can be read, times their size; one way for expressions in
//! which the next event is never in doubt.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use hasse_model::id::{ActionId, EventId};
use hasse_model::trace::{Names, RecordingMode};

use super::super::dispatch::{Check, Context, End, Interest};
use super::super::guard::template_name;
use super::super::relay::Restriction;
use super::super::resolve::Target;
use super::expression::Path;
use super::plain::plain;
use super::rest::{Frontier, Part, PartId, Rest, Step, add, ends};
use crate::check::verdict::{Verdict, Violation};

/// Most ways in which what came can be read.
const MAX_WAYS: usize = 1000;
/// One command.
#[derive(Debug)]
pub(in super::super) struct PathCheck {
    text: String,
    targets: Vec<Target>,
    parts: Vec<Part>,
    /// For each part, whether it can be empty.
    is_nullable: Vec<bool>,
    restriction: Restriction<()>,
    /// Slots of the actions that some target fits.
    slots: FxHashMap<ActionId, usize>,
    ways: BTreeSet<Rest>,
    violation: Option<Violation>,
    /// The event at which there were too many ways.
    gave_up: Option<EventId>,
    n_events: u64,
}

impl PathCheck {
    /// An expression; `targets` are its [`specs`](Path::specs) in the same order.
    pub(in super::super) fn new(text: String, path: &Path, targets: Vec<Target>) -> Self {
        let (mut parts, mut is_nullable) = (vec![Part::Empty], vec![true]);
        let specs = path.specs();
        let root = add(&plain(path), &specs, &mut parts, &mut is_nullable);
        let start = Rest::Ready { part: root, frontier: Arc::default(), has_past: false };
        Self {
            text,
            targets,
            parts,
            is_nullable,
            restriction: Restriction::new(),
            slots: FxHashMap::default(),
            ways: BTreeSet::from([start]),
            violation: None,
            gave_up: None,
            n_events: 0,
        }
    }

    fn fits_action(&self, action: ActionId, names: &Names) -> bool {
        self.targets.iter().any(|target| target.fits_action(action, names))
    }

    /// Takes in a selected event with its immediate predecessors, ascending.
    fn take_in(&mut self, event: EventId, before: Vec<EventId>, fits: &[bool], names: &Names) {
        let step = Step { parts: &self.parts, is_nullable: &self.is_nullable, event, before: &before, fits };
        let mut ways = BTreeSet::new();
        for way in &self.ways {
            ways.extend(step.rests(way));
            if ways.len() > MAX_WAYS {
                self.gave_up = Some(event);
                return;
            }
        }
        if ways.is_empty() {
            let listed = |events: &[EventId]| {
                let listed: Vec<String> =
                    events.iter().map(|&event| names.event(event).to_string()).collect();
                if listed.is_empty() { "nothing".to_owned() } else { listed.join(", ") }
            };
            let mut reasons = vec![format!("immediately before it is {}", listed(&before))];
            let mut awaited = Vec::new();
            self.ways.iter().for_each(|way| self.awaited(way, &mut awaited));
            awaited.sort();
            awaited.dedup();
            match awaited.as_slice() {
                [] => reasons.push("the expression ends before it".to_owned()),
                _ => {
                    let options = awaited.iter().map(|(target, frontier)| {
                        format!("{} immediately after {}", self.targets[*target].text, listed(frontier))
                    });
                    let options: Vec<String> = options.take(MOST_OPTIONS).collect();
                    reasons.push(format!("the expression goes on with {}", options.join(", or with ")));
                }
            }
            let violation = Violation::of(names.event(event).to_string(), template_name(event, names));
            self.violation = Some(Violation { reasons, ..violation });
        }
        self.ways = ways;
    }

    /// What could come next, and after what.
    fn awaited(&self, rest: &Rest, awaited: &mut Vec<(usize, Frontier)>) {
        match rest {
            Rest::Ready { part, frontier, .. } => self.awaited_of(*part, frontier, awaited),
            Rest::Then(first, part) => {
                self.awaited(first, awaited);
                for (frontier, _) in ends(first, &self.is_nullable) {
                    self.awaited_of(*part, &frontier, awaited);
                }
            }
            Rest::Beside { rests, .. } => rests.iter().for_each(|rest| self.awaited(rest, awaited)),
        }
    }

    fn awaited_of(&self, part: PartId, frontier: &Frontier, awaited: &mut Vec<(usize, Frontier)>) {
        let mut next = Some(part);
        while let Some(part) = next.take() {
            match &self.parts[part] {
                Part::Empty => {}
                Part::Event(target) => awaited.push((*target, Arc::clone(frontier))),
                Part::Sequence(first, behind) => {
                    self.awaited_of(*first, frontier, awaited);
                    next = self.is_nullable[*first].then_some(*behind);
                }
                Part::Choice(parts) | Part::Parallel(parts) => {
                    parts.iter().for_each(|&part| self.awaited_of(part, frontier, awaited));
                }
                Part::Repeat(inner) | Part::Burst(inner) | Part::Optional(inner) => next = Some(*inner),
            }
        }
    }
}

/// Most continuations that a message lists.
const MOST_OPTIONS: usize = 5;
impl Check for PathCheck {
    fn interest(&self, action: ActionId, names: &Names) -> Interest {
        if self.fits_action(action, names) { Interest::Clock } else { Interest::Events }
    }

    fn bind(&mut self, action: ActionId, slot: Option<usize>, names: &Names) {
        if self.fits_action(action, names) {
            self.slots.extend(slot.map(|slot| (action, slot)));
        }
    }

    fn expect_mode(&mut self, mode: RecordingMode) {
        self.restriction.expect_mode(mode);
    }

    fn event(&mut self, context: &Context<'_>) {
        if self.violation.is_some() || self.gave_up.is_some() {
            return;
        }
        let event = context.event;
        let relays = self.restriction.arrive(event);
        let fit = |target: &Target| {
            target.fits_count(event.id.count) && target.fits_action(event.id.action, context.names)
        };
        let slot = self.slots.get(&event.id.action).copied();
        let fits: Vec<bool> = slot.map_or(Vec::new(), |_| self.targets.iter().map(fit).collect());
        let Some(slot) = slot.filter(|_| fits.contains(&true)) else {
            self.restriction.pass(event, relays);
            return;
        };
        self.n_events += 1;
        for (target, is_one) in self.targets.iter_mut().zip(&fits) {
            target.n_occurred += u64::from(*is_one);
        }
        let mut before: Vec<EventId> = relays.maximal().iter().map(|seen| seen.event).collect();
        before.sort_unstable();
        self.take_in(event.id, before, &fits, context.names);
        self.restriction.leave(event, slot, context.clock.clone(), ());
    }

    fn named(&self, _: &Names) -> Vec<(&Target, bool)> {
        self.targets.iter().map(|target| (target, target.n_occurred > 0)).collect()
    }

    fn verdict(&self, end: &End<'_>) -> Verdict {
        let is_complete = self.ways.iter().any(|way| !ends(way, &self.is_nullable).is_empty());
        let mut violations: Vec<Violation> = self.violation.iter().cloned().collect();
        let mut notes = Vec::new();
        let error = self.gave_up.map(|event| {
            format!(
                "at {} there are more than {MAX_WAYS} ways to read the history; write the expression so that fewer of its \
                 parts can begin with the same events",
                end.names.event(event)
            )
        });
        if self.n_events == 0 {
            notes.push("no event that the expression names occurred".to_owned());
        }
        if violations.is_empty() && end.is_over && !is_complete && error.is_none() {
            let mut awaited = Vec::new();
            self.ways.iter().for_each(|way| self.awaited(way, &mut awaited));
            let mut targets: Vec<&str> =
                awaited.iter().map(|(target, _)| self.targets[*target].text.as_str()).collect();
            targets.sort_unstable();
            targets.dedup();
            violations.push(Violation {
                reasons: vec![format!("the expression goes on with {}", targets.join(" or "))],
                ..Violation::of("the end of the history".to_owned(), String::new())
            });
        }
        Verdict {
            holds: violations.is_empty() && error.is_none(),
            error,
            n_events: self.n_events,
            n_violations: violations.len() as u64,
            n_undecided: u64::from(!end.is_over && violations.is_empty() && !is_complete),
            violations,
            notes,
            ..Verdict::of(vec![self.text.clone()])
        }
    }
}
