//! What remains of an expression after the events that came.
//!
//! A part of the expression that has not begun knows its frontier: the last events of what is before it in sequence. An event can be
//! the first of such a part exactly if its immediate predecessors are the frontier. `ends` says where an expression may be
//! over, and with which frontier.

use std::sync::Arc;

use hasse_model::id::EventId;

use super::expression::Path;
use crate::check::spec::Spec;

/// A part of an expression, by position in the list of parts.
pub(super) type PartId = usize;

/// The part that nothing can follow.
pub(super) const EMPTY: PartId = 0;

/// A part of the expression, with its parts by position.
#[derive(Debug)]
pub(super) enum Part {
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
pub(super) type Frontier = Arc<Vec<EventId>>;

/// What remains of the expression in one way of reading what came.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rest {
    /// A part that has not begun. `has_past`: what is before it, within what is concurrent, is not empty.
    Ready { part: PartId, frontier: Frontier, has_past: bool },
    /// The rest of a part, then another part.
    Then(Box<Rest>, PartId),
    /// Concurrent rests, of which one has begun; `done` is the frontier of those that are over.
    Beside { done: Frontier, rests: Vec<Rest> },
}

/// Adds an expression to the parts, those of it first.
pub(super) fn add(
    path: &Path,
    specs: &[&Spec],
    parts: &mut Vec<Part>,
    is_nullable: &mut Vec<bool>,
) -> PartId {
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
pub(super) struct Step<'s> {
    pub(super) parts: &'s [Part],
    pub(super) is_nullable: &'s [bool],
    pub(super) event: EventId,
    /// Immediately before it, ascending.
    pub(super) before: &'s [EventId],
    /// Which targets it is.
    pub(super) fits: &'s [bool],
}

impl Step<'_> {
    /// What remains after the event, in each way of reading it.
    pub(super) fn rests(&self, rest: &Rest) -> Vec<Rest> {
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

pub(super) fn ready(part: PartId, frontier: &Frontier) -> Rest {
    Rest::Ready { part, frontier: Arc::clone(frontier), has_past: false }
}

/// Nothing remains.
pub(super) fn over(frontier: Frontier) -> Rest {
    Rest::Ready { part: EMPTY, frontier, has_past: true }
}

pub(super) fn then(first: Rest, part: PartId) -> Rest {
    match first {
        Rest::Ready { part: EMPTY, frontier, has_past } => Rest::Ready { part, frontier, has_past },
        first => Rest::Then(Box::new(first), part),
    }
}

/// Concurrent rests in one spelling: flat, sorted, with those that are over taken together.
pub(super) fn beside(done: &Frontier, rests: impl IntoIterator<Item = Rest>) -> Rest {
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
pub(super) fn ends(rest: &Rest, is_nullable: &[bool]) -> Vec<(Frontier, bool)> {
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
