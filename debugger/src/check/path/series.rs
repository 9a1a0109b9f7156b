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

use super::super::command::Spec;
use super::super::dispatch::{Check, Context, End, Interest};
use super::super::guard::template_name;
use super::super::relay::Restriction;
use super::super::resolve::Target;
use super::super::{Verdict, Violation};
use super::Path;

/// Most ways in which what came can be read.
const MAX_WAYS: usize = 1000;

/// A part of an expression, by position in the list of parts.
type PartId = usize;

/// The part that nothing can follow.
const EMPTY: PartId = 0;

/// A part of the expression, with its parts by position.
#[derive(Debug)]
enum Part {
    Empty,
    /// An event of the target, by position.
    Event(usize),
    Sequence(PartId, PartId),
    Choice(Vec<PartId>),
    Parallel(Vec<PartId>),
    Repeat(PartId),
    Burst(PartId),
    Optional(PartId),
}

/// Events that are before nothing else of what is done, ascending.
type Frontier = Arc<Vec<EventId>>;

/// What remains of the expression in one way of reading what came.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rest {
    /// A part that has not begun. `has_past`: what is before it, within what is concurrent, is not empty.
    Ready { part: PartId, frontier: Frontier, has_past: bool },
    /// The rest of a part, then another part.
    Then(Box<Rest>, PartId),
    /// Concurrent rests, of which one has begun; `done` is the frontier of those that are over.
    Beside { done: Frontier, rests: Vec<Rest> },
}

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
        let root = add(path, &specs, &mut parts, &mut is_nullable);
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

/// Adds an expression to the parts, those of it first.
fn add(path: &Path, specs: &[&Spec], parts: &mut Vec<Part>, is_nullable: &mut Vec<bool>) -> PartId {
    match path {
        Path::Event(spec) => {
            let target = specs.iter().position(|known| *known == spec);
            parts.push(Part::Event(target.expect("specs holds every spec of the expression")));
            is_nullable.push(false);
            parts.len() - 1
        }
        Path::Sequence(list) => {
            let list: Vec<PartId> = list.iter().map(|part| add(part, specs, parts, is_nullable)).collect();
            list.into_iter().rev().fold(EMPTY, |behind, first| {
                if behind == EMPTY {
                    return first;
                }
                let nullable = is_nullable[first] && is_nullable[behind];
                parts.push(Part::Sequence(first, behind));
                is_nullable.push(nullable);
                parts.len() - 1
            })
        }
        Path::Choice(list) | Path::Parallel(list) => {
            let list: Vec<PartId> = list.iter().map(|part| add(part, specs, parts, is_nullable)).collect();
            let mut nullables = list.iter().map(|&part| is_nullable[part]);
            let is_choice = matches!(path, Path::Choice(_));
            let nullable = if is_choice { nullables.any(|it| it) } else { nullables.all(|it| it) };
            parts.push(if is_choice { Part::Choice(list) } else { Part::Parallel(list) });
            is_nullable.push(nullable);
            parts.len() - 1
        }
        Path::Repeat(inner) | Path::Burst(inner) | Path::Optional(inner) => {
            let inner = add(inner, specs, parts, is_nullable);
            parts.push(match path {
                Path::Repeat(_) => Part::Repeat(inner),
                Path::Burst(_) => Part::Burst(inner),
                _ => Part::Optional(inner),
            });
            is_nullable.push(true);
            parts.len() - 1
        }
    }
}

/// An event to be taken in.
struct Step<'s> {
    parts: &'s [Part],
    is_nullable: &'s [bool],
    event: EventId,
    /// Immediately before it, ascending.
    before: &'s [EventId],
    /// Which targets it is.
    fits: &'s [bool],
}

impl Step<'_> {
    /// What remains after the event, in each way of reading it.
    fn rests(&self, rest: &Rest) -> Vec<Rest> {
        match rest {
            Rest::Ready { part, frontier, .. } => self.begin(*part, frontier),
            Rest::Then(first, part) => {
                let mut rests: Vec<Rest> =
                    self.rests(first).into_iter().map(|first| then(first, *part)).collect();
                for (frontier, _) in ends(first, self.is_nullable) {
                    rests.extend(self.begin(*part, &frontier));
                }
                rests
            }
            Rest::Beside { done, rests } => {
                let mut found = Vec::new();
                for (at, inner) in rests.iter().enumerate() {
                    // Equal rests stand side by side.
                    if at > 0 && rests[at - 1] == *inner {
                        continue;
                    }
                    for stepped in self.rests(inner) {
                        let others = rests.iter().enumerate().filter(|(other, _)| *other != at);
                        let others = others.map(|(_, rest)| rest.clone());
                        found.push(beside(done, others.chain([stepped])));
                    }
                }
                found
            }
        }
    }

    /// What remains of a part that begins with the event.
    fn begin(&self, part: PartId, frontier: &Frontier) -> Vec<Rest> {
        let mut rests = Vec::new();
        let mut next = Some(part);
        while let Some(part) = next.take() {
            match &self.parts[part] {
                Part::Empty => {}
                Part::Event(target) => {
                    if self.fits[*target] && self.before == frontier.as_slice() {
                        rests.push(over(Arc::new(vec![self.event])));
                    }
                }
                Part::Sequence(first, behind) => {
                    rests.extend(self.begin(*first, frontier).into_iter().map(|first| then(first, *behind)));
                    next = self.is_nullable[*first].then_some(*behind);
                }
                Part::Choice(parts) => {
                    parts.iter().for_each(|&part| rests.extend(self.begin(part, frontier)))
                }
                Part::Repeat(inner) => {
                    rests.extend(self.begin(*inner, frontier).into_iter().map(|first| then(first, part)));
                }
                Part::Optional(inner) => next = Some(*inner),
                Part::Parallel(parts) => {
                    for (at, &inner) in parts.iter().enumerate() {
                        for begun in self.begin(inner, frontier) {
                            let others = parts.iter().enumerate().filter(|(other, _)| *other != at);
                            let others = others.map(|(_, &part)| ready(part, frontier));
                            rests.push(beside(&Frontier::default(), others.chain([begun])));
                        }
                    }
                }
                Part::Burst(inner) => {
                    for begun in self.begin(*inner, frontier) {
                        rests.push(beside(&Frontier::default(), [ready(part, frontier), begun]));
                    }
                }
            }
        }
        rests
    }
}

fn ready(part: PartId, frontier: &Frontier) -> Rest {
    Rest::Ready { part, frontier: Arc::clone(frontier), has_past: false }
}

/// Nothing remains.
fn over(frontier: Frontier) -> Rest {
    Rest::Ready { part: EMPTY, frontier, has_past: true }
}

fn then(first: Rest, part: PartId) -> Rest {
    match first {
        Rest::Ready { part: EMPTY, frontier, has_past } => Rest::Ready { part, frontier, has_past },
        first => Rest::Then(Box::new(first), part),
    }
}

/// Concurrent rests in one spelling: flat, sorted, with those that are over taken together.
fn beside(done: &Frontier, rests: impl IntoIterator<Item = Rest>) -> Rest {
    let mut all_done: Vec<EventId> = done.to_vec();
    let mut open = Vec::new();
    for rest in rests {
        match rest {
            Rest::Ready { part: EMPTY, frontier, has_past: true } => all_done.extend(frontier.iter()),
            Rest::Beside { done, rests } => {
                all_done.extend(done.iter());
                open.extend(rests);
            }
            rest => open.push(rest),
        }
    }
    all_done.sort_unstable();
    open.sort();
    match open.is_empty() {
        true => over(Arc::new(all_done)),
        false => Rest::Beside { done: Arc::new(all_done), rests: open },
    }
}

/// The frontiers with which a rest can end here, and whether they are of events of its own.
fn ends(rest: &Rest, is_nullable: &[bool]) -> Vec<(Frontier, bool)> {
    match rest {
        Rest::Ready { part, frontier, has_past } => {
            if is_nullable[*part] {
                vec![(Arc::clone(frontier), *has_past)]
            } else {
                Vec::new()
            }
        }
        Rest::Then(first, part) => {
            if is_nullable[*part] {
                ends(first, is_nullable)
            } else {
                Vec::new()
            }
        }
        Rest::Beside { done, rests } => {
            let mut found: Vec<Vec<EventId>> = vec![done.to_vec()];
            for rest in rests {
                let inner = ends(rest, is_nullable);
                let mut longer: Vec<Vec<EventId>> = Vec::new();
                for known in &found {
                    for (frontier, has_past) in &inner {
                        // What has not begun leaves nothing: another one has, and comes after the same.
                        let added = if *has_past { frontier.as_slice() } else { &[] };
                        longer.push(known.iter().chain(added).copied().collect());
                    }
                }
                longer.iter_mut().for_each(|frontier| frontier.sort_unstable());
                longer.sort_unstable();
                longer.dedup();
                found = longer;
            }
            found.into_iter().map(|frontier| (Arc::new(frontier), true)).collect()
        }
    }
}

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
        let mut before: Vec<EventId> = relays.maximal().iter().map(|seen| seen.event).collect();
        before.sort_unstable();
        self.take_in(event.id, before, &fits, context.names);
        self.restriction.leave(event, slot, context.clock.clone(), ());
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
