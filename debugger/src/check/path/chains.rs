//! `check chain E`: whether each chain of immediate orderings spells a word of E.
//!
//! E is a regular expression over specs, made into an automaton of its positions (Glushkov, 1961) whose sets of states are found as they are
//! needed. Each event keeps the sets that some chain can reach it with; what follows it immediately goes on from there. A chain for
//! which no state is left is reported at the event where that happens, and not followed further. Cost: for each event, its immediate
//! predecessors times the sets of each, which are few.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use hasse_model::id::{ActionId, EventId};
use hasse_model::trace::{Names, RecordingMode};

use super::super::dispatch::{Check, Context, End, Interest};
use super::super::guard::template_name;
use super::super::history;
use super::super::relay::Restriction;
use super::super::resolve::Target;
use super::expression::Path;
use crate::check::spec::Spec;
use crate::check::verdict::{MOST_VIOLATIONS, Verdict, Violation};

/// Most sets of states.
const MAX_SETS: usize = 10_000;
/// Most events of a chain that a message lists.
const MOST_LISTED: usize = 8;

/// The automaton of an expression: its states are positions of specs in it.
#[derive(Debug)]
struct Automaton {
    /// For each position, the target.
    targets: Vec<usize>,
    first: Vec<usize>,
    /// For each position, whether a word can end there.
    is_last: Vec<bool>,
    /// For each position, those that can come next, ascending.
    follow: Vec<Vec<usize>>,
    is_nullable: bool,
}

/// The parts of an automaton that are known of a part of the expression.
struct Fragment {
    first: Vec<usize>,
    last: Vec<usize>,
    is_nullable: bool,
}

impl Automaton {
    fn new(path: &Path, specs: &[&Spec]) -> Self {
        let (mut targets, mut follow) = (Vec::new(), Vec::new());
        let root = fragment(path, specs, &mut targets, &mut follow);
        let mut is_last = vec![false; targets.len()];
        root.last.iter().for_each(|&position| is_last[position] = true);
        for next in &mut follow {
            next.sort_unstable();
            next.dedup();
        }
        Self { targets, first: root.first, is_last, follow, is_nullable: root.is_nullable }
    }
}

fn fragment(
    path: &Path,
    specs: &[&Spec],
    targets: &mut Vec<usize>,
    follow: &mut Vec<Vec<usize>>,
) -> Fragment {
    match path {
        Path::Event(spec) => {
            let target = specs.iter().position(|known| *known == spec);
            targets.push(target.expect("specs holds every spec of the expression"));
            follow.push(Vec::new());
            let position = targets.len() - 1;
            Fragment { first: vec![position], last: vec![position], is_nullable: false }
        }
        Path::Sequence(parts) => {
            let mut whole = Fragment { first: Vec::new(), last: Vec::new(), is_nullable: true };
            for part in parts {
                let part = fragment(part, specs, targets, follow);
                whole.last.iter().for_each(|&last| follow[last].extend(&part.first));
                if whole.is_nullable {
                    whole.first.extend(&part.first);
                }
                if !part.is_nullable {
                    whole.last.clear();
                }
                whole.last.extend(part.last);
                whole.is_nullable &= part.is_nullable;
            }
            whole
        }
        // Concurrency has no place in chains: the command is refused before.
        Path::Choice(parts) | Path::Parallel(parts) => {
            let mut whole = Fragment { first: Vec::new(), last: Vec::new(), is_nullable: false };
            for part in parts {
                let part = fragment(part, specs, targets, follow);
                whole.first.extend(part.first);
                whole.last.extend(part.last);
                whole.is_nullable |= part.is_nullable;
            }
            whole
        }
        Path::Repeat(inner) | Path::Burst(inner) => {
            let inner = fragment(inner, specs, targets, follow);
            inner.last.iter().for_each(|&last| follow[last].extend(&inner.first));
            Fragment { is_nullable: true, ..inner }
        }
        Path::Optional(inner) => Fragment { is_nullable: true, ..fragment(inner, specs, targets, follow) },
    }
}

/// A set of positions, by number; `None` before any event.
type SetId = usize;

/// How a chain reached an event.
#[derive(Clone, Debug)]
struct Reached {
    set: SetId,
    /// The last events of one such chain, the event itself last.
    tail: Vec<EventId>,
}

/// One command.
#[derive(Debug)]
pub(in super::super) struct ChainCheck {
    text: String,
    targets: Vec<Target>,
    automaton: Automaton,
    /// Sets of positions found so far, ascending each.
    sets: Vec<Vec<usize>>,
    number_of: FxHashMap<Vec<usize>, SetId>,
    /// For a set, or `None` for the start, and the targets that an event is: the set behind it, or `None` where no state is left.
    steps: FxHashMap<(Option<SetId>, Vec<bool>), Option<SetId>>,
    restriction: Restriction<Vec<Reached>>,
    slots: FxHashMap<ActionId, usize>,
    /// Events that nothing selected has come after yet.
    open: BTreeMap<EventId, Vec<Reached>>,
    violations: Vec<Violation>,
    n_violations: u64,
    gave_up: Option<EventId>,
    n_events: u64,
}

impl ChainCheck {
    /// An expression without concurrency; `targets` are its [`specs`](Path::specs) in the same order.
    pub(in super::super) fn new(text: String, path: &Path, targets: Vec<Target>) -> Self {
        Self {
            text,
            targets,
            automaton: Automaton::new(path, &path.specs()),
            sets: Vec::new(),
            number_of: FxHashMap::default(),
            steps: FxHashMap::default(),
            restriction: Restriction::new(),
            slots: FxHashMap::default(),
            open: BTreeMap::new(),
            violations: Vec::new(),
            n_violations: 0,
            gave_up: None,
            n_events: 0,
        }
    }

    fn fits_action(&self, action: ActionId, names: &Names) -> bool {
        self.targets.iter().any(|target| target.fits_action(action, names))
    }

    /// The positions that can come behind a set, or at the start.
    fn next_positions(&self, from: Option<SetId>) -> Vec<usize> {
        let mut next: Vec<usize> = match from {
            None => self.automaton.first.clone(),
            Some(set) => self.sets[set].iter().flat_map(|&at| &self.automaton.follow[at]).copied().collect(),
        };
        next.sort_unstable();
        next.dedup();
        next
    }

    fn step(&mut self, from: Option<SetId>, fits: &[bool]) -> Option<SetId> {
        if let Some(&known) = self.steps.get(&(from, fits.to_vec())) {
            return known;
        }
        let mut next = self.next_positions(from);
        next.retain(|&position| fits[self.automaton.targets[position]]);
        let found = (!next.is_empty()).then(|| {
            let n_sets = self.sets.len();
            *self.number_of.entry(next.clone()).or_insert_with(|| {
                self.sets.push(next);
                n_sets
            })
        });
        self.steps.insert((from, fits.to_vec()), found);
        found
    }

    fn awaited(&self, from: Option<SetId>) -> String {
        let next = self.next_positions(from);
        let mut targets: Vec<&str> = next
            .iter()
            .map(|&position| self.targets[self.automaton.targets[position]].text.as_str())
            .collect();
        targets.sort_unstable();
        targets.dedup();
        match targets.is_empty() {
            true => "the expression ends before it".to_owned(),
            false => format!("the expression goes on with {}", targets.join(" or ")),
        }
    }

    fn is_accepting(&self, set: SetId) -> bool {
        self.sets[set].iter().any(|&position| self.automaton.is_last[position])
    }

    /// The sets that chains reach an event with, and what is wrong with the others.
    fn reach(
        &mut self,
        event: EventId,
        before: &[(EventId, Vec<Reached>)],
        fits: &[bool],
        names: &Names,
    ) -> (Vec<Reached>, Vec<String>, Option<EventId>) {
        let mut reached: Vec<Reached> = Vec::new();
        let (mut reasons, mut first_dead) = (Vec::new(), None);
        let starts = [Reached { set: usize::MAX, tail: Vec::new() }];
        let froms: Vec<&Reached> = match before.is_empty() {
            true => starts.iter().collect(),
            false => before.iter().flat_map(|(_, reached)| reached).collect(),
        };
        for from in froms {
            let from_set = (!before.is_empty()).then_some(from.set);
            match self.step(from_set, fits) {
                Some(set) => {
                    if !reached.iter().any(|known| known.set == set) {
                        let cut = (from.tail.len() + 1).saturating_sub(MOST_LISTED);
                        let tail = from.tail[cut..].iter().copied().chain([event]).collect();
                        reached.push(Reached { set, tail });
                    }
                }
                None => {
                    let awaited = self.awaited(from_set);
                    reasons.push(match from.tail.as_slice() {
                        [] => format!("nothing selected is before it, and {awaited}"),
                        tail => {
                            first_dead = first_dead.or(tail.last().copied());
                            format!("after the chain {}, {awaited}", chain_text(tail, names))
                        }
                    });
                }
            }
        }
        reached.sort_by_key(|reached| reached.set);
        (reached, reasons, first_dead)
    }
}

/// The end of a chain: `/A:1 -> /B:1`, with dots in front where it is longer.
fn chain_text(tail: &[EventId], names: &Names) -> String {
    let listed: Vec<String> = tail.iter().map(|&event| names.event(event).to_string()).collect();
    let dots = if tail.len() == MOST_LISTED { ".. -> " } else { "" };
    format!("{dots}{}", listed.join(" -> "))
}

impl Check for ChainCheck {
    fn interest(&self, action: ActionId, names: &Names) -> Interest {
        if self.fits_action(action, names) { Interest::Clock } else { Interest::Events }
    }

    fn bind(&mut self, action: ActionId, slot: Option<usize>, names: &Names) {
        if self.fits_action(action, names) {
            self.slots.extend(slot.map(|slot| (action, slot)));
        }
    }

    fn wants_log(&self) -> bool {
        true
    }

    fn subjects(&self) -> Vec<hasse_model::id::TemplateId> {
        let mut templates: Vec<_> = self.targets.iter().map(|target| target.template).collect();
        templates.sort_unstable();
        templates.dedup();
        templates
    }

    fn expect_mode(&mut self, mode: RecordingMode) {
        self.restriction.expect_mode(mode);
    }

    fn event(&mut self, context: &Context<'_>) {
        if self.gave_up.is_some() {
            return;
        }
        let (event, names) = (context.event, context.names);
        let relays = self.restriction.arrive(event);
        let fit =
            |target: &Target| target.fits_count(event.id.count) && target.fits_action(event.id.action, names);
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
        let before: Vec<(EventId, Vec<Reached>)> =
            relays.maximal().iter().map(|seen| (seen.event, seen.payload.clone())).collect();
        before.iter().for_each(|(known, _)| drop(self.open.remove(known)));
        let (reached, reasons, first_dead) = self.reach(event.id, &before, &fits, names);
        if self.sets.len() > MAX_SETS {
            self.gave_up = Some(event.id);
            return;
        }
        if !reasons.is_empty() {
            self.n_violations += 1;
            if self.violations.len() < MOST_VIOLATIONS {
                let violation =
                    Violation::of(names.event(event.id).to_string(), template_name(event.id, names));
                let way = |(source, log): (_, &crate::check::log::Log)| {
                    history::way(source, event.id, &log.view(), context.world())
                };
                let history = first_dead.zip(context.log).map_or(Vec::new(), way);
                let evidence = if history.is_empty() { context.evidence() } else { Vec::new() };
                self.violations.push(Violation { reasons, evidence, history, ..violation });
            }
        }
        self.open.insert(event.id, reached.clone());
        self.restriction.leave(event, slot, context.clock.clone(), reached);
    }

    fn named(&self, _: &Names) -> Vec<(&Target, bool)> {
        self.targets.iter().map(|target| (target, target.n_occurred > 0)).collect()
    }

    fn verdict(&self, end: &End<'_>) -> Verdict {
        let mut violations = self.violations.clone();
        let (mut n_violations, mut n_undecided) = (self.n_violations, 0);
        let mut notes = Vec::new();
        for (&event, reached) in &self.open {
            let unfinished: Vec<&Reached> =
                reached.iter().filter(|reached| !self.is_accepting(reached.set)).collect();
            if unfinished.is_empty() {
                continue;
            }
            if !end.is_over {
                n_undecided += 1;
                continue;
            }
            n_violations += 1;
            if violations.len() < MOST_VIOLATIONS {
                let reason = |reached: &&Reached| {
                    format!(
                        "the chain {} ends here, and {}",
                        chain_text(&reached.tail, end.names),
                        self.awaited(Some(reached.set))
                    )
                };
                let violation =
                    Violation::of(end.names.event(event).to_string(), template_name(event, end.names));
                violations.push(Violation { reasons: unfinished.iter().map(reason).collect(), ..violation });
            }
        }
        if self.n_events == 0 {
            notes.push("no event that the expression names occurred".to_owned());
        }
        let error = self.gave_up.map(|event| {
            format!(
                "at {} the expression's automaton has more than {MAX_SETS} states",
                end.names.event(event)
            )
        });
        Verdict {
            holds: n_violations == 0 && error.is_none() && (self.n_events > 0 || self.automaton.is_nullable),
            error,
            n_events: self.n_events,
            n_violations,
            n_undecided,
            violations,
            notes,
            ..Verdict::of(vec![self.text.clone()])
        }
    }
}
