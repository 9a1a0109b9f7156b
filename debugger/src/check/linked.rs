//! `check linked A ; B ; C`: an event of A, causally after it one of B, and after that one of C (linked
//! predicates, Miller and Choi, 1988).
//!
//! A step is one spec or several with `|` between them, of which any will do; `(A | B)3` stands for three steps in a row.
//! Each event hands on the longest beginning of the list that a chain of events in its past has gone through; an event
//! that fits the step behind it makes the chain longer. That is enough, because whoever can go through k + 1 steps in
//! order can go through the first k. Cost: constant for each event and edge.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use hasse_model::id::{ActionId, EventId};
use hasse_model::trace::{Names, RecordingMode};

use super::dispatch::{Check, Context, End, Interest};
use super::resolve::Target;
use super::spec::{ParseError, Parser, Spec};
use super::summary::{Carried, Summary};
use super::verdict::Verdict;

/// Most steps of a command.
const MAX_STEPS: usize = 10_000;
const HINT: &str = "write steps such as `Dist ; (Mult | Solve)3 ; Gath`";

/// A chain of events, the last one first.
#[derive(Debug)]
struct Link {
    event: EventId,
    /// Number of steps that it has gone through, from 1.
    n_steps: usize,
    previous: Option<Arc<Link>>,
}

impl Drop for Link {
    /// Lets go of a long chain without recursion.
    fn drop(&mut self) {
        let mut next = self.previous.take();
        while let Some(link) = next {
            next = Arc::into_inner(link).and_then(|mut link| link.previous.take());
        }
    }
}

/// The longest chain in a past.
#[derive(Clone, Debug, Default)]
struct Longest(Option<Arc<Link>>);

impl Longest {
    fn n_steps(&self) -> usize {
        self.0.as_ref().map_or(0, |link| link.n_steps)
    }
}

impl Summary for Longest {
    fn merge(&mut self, other: &Self) {
        // Of two chains of one length that of the smaller event ids stays, so that the order of edges does not matter.
        let key = |longest: &Self| {
            longest
                .0
                .as_ref()
                .map(|link| (link.n_steps, std::cmp::Reverse((link.event.action, link.event.count))))
        };
        if key(other) > key(self) {
            self.0.clone_from(&other.0);
        }
    }

    fn is_empty(&self) -> bool {
        self.0.is_none()
    }
}

/// One command.
#[derive(Debug)]
pub(super) struct LinkedCheck {
    text: String,
    /// What events may be, without repetition.
    targets: Vec<Target>,
    /// For each step, what its event may be: positions of targets.
    steps: Vec<Vec<usize>>,
    /// For each action that some step names, the positions of the targets that fit it.
    targets_of: FxHashMap<ActionId, Vec<usize>>,
    carried: Carried<Longest>,
    /// The longest chain so far.
    best: Longest,
    n_events: u64,
}

impl LinkedCheck {
    pub(super) fn new(text: String, steps: Vec<Vec<Target>>) -> Self {
        let mut targets: Vec<Target> = Vec::new();
        let mut position_of = |target: Target| {
            targets.iter().position(|known| known.is_same(&target)).unwrap_or_else(|| {
                targets.push(target);
                targets.len() - 1
            })
        };
        let steps = steps.into_iter().map(|step| step.into_iter().map(&mut position_of).collect()).collect();
        let (targets_of, carried) = (FxHashMap::default(), Carried::default());
        Self { text, targets, steps, targets_of, carried, best: Longest::default(), n_events: 0 }
    }

    fn chain(&self) -> Vec<EventId> {
        let links = std::iter::successors(self.best.0.as_ref(), |link| link.previous.as_ref());
        let mut events: Vec<EventId> = links.map(|link| link.event).collect();
        events.reverse();
        events
    }
}

/// Reads `A ; B | C ; (D)3` up to where it ends.
///
/// # Errors
/// Where it is no list of steps.
pub(super) fn parse(parser: &mut Parser) -> Result<(Vec<Vec<Spec>>, String), ParseError> {
    let mut steps: Vec<Vec<Spec>> = Vec::new();
    loop {
        parser.skip_space();
        let is_bracketed = parser.take('(');
        let mut step = Vec::new();
        loop {
            parser.skip_space();
            step.push(parser.spec()?);
            parser.skip_space();
            if !parser.take('|') {
                break;
            }
        }
        let mut times = 1;
        if is_bracketed {
            if !parser.take(')') {
                return Err(parser.error("`)` is expected here".to_owned(), HINT));
            }
            if parser.peek().is_some_and(|next| next.is_ascii_digit()) {
                let start = parser.at;
                times = parser.number::<usize>(HINT)?;
                if times == 0 || times > MAX_STEPS {
                    parser.at = start;
                    let hint = format!("write a number from 1 to {MAX_STEPS}");
                    return Err(parser.error(format!("{times} times is not possible"), &hint));
                }
            }
        }
        steps.extend(std::iter::repeat_n(step, times));
        if steps.len() > MAX_STEPS {
            return Err(parser.error(format!("there are more than {MAX_STEPS} steps"), "leave some out"));
        }
        parser.skip_space();
        if !parser.take(';') {
            break;
        }
    }
    let text = |step: &Vec<Spec>| step.iter().map(Spec::to_string).collect::<Vec<_>>().join(" | ");
    let runs = steps.chunk_by(|step, next| step == next).map(|run| match run.len() {
        1 => text(&run[0]),
        times => format!("({}){times}", text(&run[0])),
    });
    let text = format!("check linked {}", runs.collect::<Vec<_>>().join(" ; "));
    Ok((steps, text))
}

impl Check for LinkedCheck {
    fn interest(&self, _action: ActionId, _names: &Names) -> Interest {
        Interest::Events
    }

    fn expect_mode(&mut self, mode: RecordingMode) {
        self.carried.expect_mode(mode);
    }

    fn bind(&mut self, action: ActionId, _slot: Option<usize>, names: &Names) {
        let fits = |at: &usize| self.targets[*at].fits_action(action, names);
        let fitting: Vec<usize> = (0..self.targets.len()).filter(fits).collect();
        if !fitting.is_empty() {
            self.targets_of.insert(action, fitting);
        }
    }

    fn event(&mut self, context: &Context<'_>) {
        if self.best.n_steps() == self.steps.len() {
            return;
        }
        let event = context.event;
        let mut longest = self.carried.arrive(event);
        let fitting = self.targets_of.get(&event.id.action).map_or(&[][..], Vec::as_slice);
        let is_one = |at: &&usize| self.targets[**at].fits_count(event.id.count);
        let fitting: Vec<usize> = fitting.iter().filter(is_one).copied().collect();
        fitting.iter().for_each(|&at| self.targets[at].n_occurred += 1);
        self.n_events += u64::from(!fitting.is_empty());
        if fitting.iter().any(|at| self.steps[longest.n_steps()].contains(at)) {
            let n_steps = longest.n_steps() + 1;
            longest = Longest(Some(Arc::new(Link { event: event.id, n_steps, previous: longest.0 })));
            if n_steps > self.best.n_steps() {
                self.best = longest.clone();
            }
        }
        match self.best.n_steps() == self.steps.len() {
            true => self.carried = Carried::default(),
            false => self.carried.leave(event, longest),
        }
    }

    fn named(&self, _: &Names) -> Vec<(&Target, bool)> {
        self.targets.iter().map(|target| (target, target.n_occurred > 0)).collect()
    }

    fn verdict(&self, end: &End<'_>) -> Verdict {
        let chain: Vec<String> =
            self.chain().iter().map(|&event| end.names.event(event).to_string()).collect();
        let holds = chain.len() == self.steps.len();
        let mut notes = Vec::new();
        if !holds {
            let text = |step: &[usize]| {
                step.iter().map(|&at| self.targets[at].text.as_str()).collect::<Vec<_>>().join(" | ")
            };
            let next = text(&self.steps[chain.len()]);
            notes.push(match chain.last() {
                None => format!("no event of {next} occurred"),
                Some(_) => format!(
                    "the longest beginning that was found is {}; no event of {next} came after one like it",
                    chain.join(" < ")
                ),
            });
        }
        Verdict {
            holds,
            n_events: self.n_events,
            witness: if holds { chain } else { Vec::new() },
            notes,
            ..Verdict::of(vec![self.text.clone()])
        }
    }
}
