//! An imposed order of events: a run takes its free choices so that some events take place after others.
//!
//! Such a run has one worker, and executes one event at a time. An event at the right of a constraint is held until the one at
//! its left has taken place. If nothing but held events is possible, the constraints cannot be met: the run ends there.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use hasse_body::seed::{mix, split_mix};
use hasse_debugger::event_path::{BadEventPath, EventPath};
use hasse_runtime::decision::{ChoicePoint, Choose, ExecutedEvent, Possibility, Stop, StoppedAt};
use serde::Serialize;

/// An event as constraints name it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Named {
    /// Path of the action from the main graph.
    action: String,
    /// Number of the execution, from 1.
    count: u64,
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.action, self.count)
    }
}

/// Events that are to take place one after the other, such as `/A:2 < /B:1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    events: Vec<Named>,
    nodes: Vec<String>,
}

/// Why a text is no constraint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadConstraint {
    /// There are not two events.
    #[error("expected two events or more, such as '/A:2 < /B:1'")]
    OneEvent,
    /// A text is no path of an event.
    #[error("`{text}` is no event: {source}")]
    Path {
        /// The text.
        text: String,
        /// What is wrong with it.
        source: BadEventPath,
    },
    /// An event has no count.
    #[error("`{text}` does not say which execution: write {text}:1 for the first one")]
    NoCount {
        /// The text.
        text: String,
    },
}

impl Constraint {
    /// Names of the nodes that execute the events, in their order.
    pub fn nodes(&self) -> &[String] {
        &self.nodes
    }
}

impl FromStr for Constraint {
    type Err = BadConstraint;

    fn from_str(text: &str) -> Result<Self, BadConstraint> {
        let event = |text: &str| {
            let text = text.trim();
            let path = EventPath::parse(text)
                .map_err(|source| BadConstraint::Path { text: text.to_owned(), source })?;
            let named = path.from_main();
            let split = named.as_deref().and_then(|named| named.rsplit_once(':')).zip(path.count());
            let ((action, _), count) =
                split.ok_or_else(|| BadConstraint::NoCount { text: text.to_owned() })?;
            Ok((Named { action: action.to_owned(), count }, path.node().0.to_owned()))
        };
        let (events, nodes): (Vec<_>, Vec<_>) =
            text.split('<').map(event).collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
        if events.len() < 2 { Err(BadConstraint::OneEvent) } else { Ok(Self { events, nodes }) }
    }
}

/// Why constraints cannot be met, whatever the run does.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unmeetable {
    /// Each of some events is to come before the next, and the last before the first.
    #[error("the order contradicts itself: {}", circle(.events))]
    Circle {
        /// The events, one before the other.
        events: Vec<String>,
    },
    /// The later event of a constraint has taken place before the moment, and the earlier one has not.
    #[error(
        "the order {left} < {right} cannot be met: {right} has taken place before the moment, and {left} has not"
    )]
    Past {
        /// The event that was to come first.
        left: String,
        /// The event that was to come after it.
        right: String,
    },
    /// Both events of a constraint have taken place before the moment, the other way round.
    #[error(
        "the order {left} < {right} cannot be met: both events are before the moment, and {right} was first in the record"
    )]
    OtherWay {
        /// The event that was to come first.
        left: String,
        /// The event that was to come after it.
        right: String,
    },
}

fn circle(events: &[String]) -> String {
    let first = events.first().map(String::as_str);
    let steps: Vec<&str> = events.iter().map(String::as_str).chain(first).collect();
    steps.join(" < ")
}

/// An imposed order. It is a [`Choose`] for the options of a run; what the order leaves open is drawn from a seed.
#[derive(Clone, Debug)]
pub struct Order {
    /// For each held event, those that must take place before it.
    before: BTreeMap<Named, BTreeSet<Named>>,
    /// Executions of the actions that are named, when a run begins.
    first_counts: BTreeMap<String, u64>,
    counts: BTreeMap<String, u64>,
    seed: u64,
    random: u64,
}

/// An event that waits for another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Held {
    /// The event that waits.
    pub event: String,
    /// The event that it waits for.
    pub waits_for: String,
    /// Path of the action of that event.
    #[serde(skip)]
    pub action: String,
    /// Number of executions of that action.
    #[serde(skip)]
    pub n_executed: u64,
}

impl Order {
    /// Takes in constraints.
    ///
    /// # Errors
    /// They contradict each other, or the order in which an action executes.
    pub fn new(constraints: &[Constraint], seed: u64) -> Result<Self, Unmeetable> {
        let mut before: BTreeMap<Named, BTreeSet<Named>> = BTreeMap::new();
        for pair in constraints.iter().flat_map(|constraint| constraint.events.windows(2)) {
            before.entry(pair[1].clone()).or_default().insert(pair[0].clone());
        }
        let named = before.iter().flat_map(|(right, lefts)| lefts.iter().chain([right]));
        let counts: BTreeMap<String, u64> = named.map(|event| (event.action.clone(), 0)).collect();
        let order = Self { before, first_counts: counts.clone(), counts, seed, random: mix(seed) };
        match order.circle() {
            Some(events) => Err(Unmeetable::Circle { events: events.iter().map(Named::to_string).collect() }),
            None => Ok(order),
        }
    }

    /// Takes in what has taken place before a moment: `count` tells how often an action has executed, and `position` where an
    /// event is in the record.
    ///
    /// # Errors
    /// A constraint cannot be met any more.
    pub fn begin_at(
        &mut self,
        count: impl Fn(&str) -> u64,
        position: impl Fn(&str, u64) -> Option<u64>,
    ) -> Result<(), Unmeetable> {
        self.first_counts.iter_mut().for_each(|(action, known)| *known = count(action));
        self.counts.clone_from(&self.first_counts);
        for (right, lefts) in &self.before {
            for left in lefts.iter().filter(|_| self.has(right)) {
                let (left_text, right_text) = (left.to_string(), right.to_string());
                if !self.has(left) {
                    return Err(Unmeetable::Past { left: left_text, right: right_text });
                }
                if position(&left.action, left.count) > position(&right.action, right.count) {
                    return Err(Unmeetable::OtherWay { left: left_text, right: right_text });
                }
            }
        }
        Ok(())
    }

    /// The same order for another seed.
    #[must_use]
    pub fn with_seed(&self, seed: u64) -> Self {
        Self { seed, random: mix(seed), ..self.clone() }
    }

    fn has(&self, event: &Named) -> bool {
        self.counts.get(&event.action).is_some_and(|count| *count >= event.count)
    }

    /// The first event that an event has to wait for.
    fn awaited(&self, event: &Named) -> Option<&Named> {
        self.before.get(event)?.iter().find(|left| !self.has(left))
    }

    /// Events that the order holds, and that have not taken place.
    pub fn left(&self) -> Vec<String> {
        self.before.keys().filter(|right| !self.has(right)).map(Named::to_string).collect()
    }

    /// The events that were possible where the order has stopped a run, each with one that it waits for.
    pub fn unmet(&self, stopped: &StoppedAt) -> Vec<Held> {
        let held = stopped.possible.iter().filter_map(|possibility| match possibility {
            Possibility::Begin { event, .. } => {
                let right = Named { action: event.action.path.to_string(), count: event.count };
                let left = self.awaited(&right)?;
                let waits_for = left.to_string();
                let n_executed = self.counts.get(&left.action).copied().unwrap_or(0);
                Some(Held { event: right.to_string(), waits_for, action: left.action.clone(), n_executed })
            }
            _ => None,
        });
        held.collect()
    }

    /// Events each of which is to come before the next, and the last before the first.
    fn circle(&self) -> Option<Vec<Named>> {
        let mut done = BTreeSet::new();
        self.before.keys().find_map(|start| self.circle_from(start, &mut Vec::new(), &mut done))
    }

    fn circle_from(
        &self,
        event: &Named,
        path: &mut Vec<Named>,
        done: &mut BTreeSet<Named>,
    ) -> Option<Vec<Named>> {
        if let Some(first) = path.iter().position(|known| known == event) {
            let mut events = path.split_off(first);
            events.reverse();
            return Some(events);
        }
        if !done.insert(event.clone()) {
            return None;
        }
        path.push(event.clone());
        // An action executes one event after the other.
        let own =
            self.before.keys().filter(|known| known.action == event.action && known.count < event.count);
        let lefts = self.before.get(event).into_iter().flatten();
        let found = lefts.chain(own).find_map(|left| self.circle_from(left, path, done));
        path.pop();
        found
    }
}

impl Choose for Order {
    fn begin(&mut self) {
        self.random = mix(self.seed);
        self.counts.clone_from(&self.first_counts);
    }

    fn choose(&mut self, point: &ChoicePoint<'_>) -> Result<usize, Stop> {
        let is_open = |possibility: &Possibility| match possibility {
            Possibility::Begin { event, .. } => {
                let named = Named { action: event.action.path.to_string(), count: event.count };
                self.awaited(&named).is_none()
            }
            _ => true,
        };
        let possible = point.possible.iter().enumerate().filter(|(_, possibility)| is_open(possibility));
        let open: Vec<usize> = possible.map(|(position, _)| position).collect();
        if open.is_empty() {
            return Err(Stop::new("the imposed order allows nothing that is possible").explained());
        }
        let drawn = ((u128::from(split_mix(&mut self.random)) * open.len() as u128) >> 64) as usize;
        Ok(open[drawn])
    }

    fn executed(&mut self, event: ExecutedEvent) {
        if let Some(count) = self.counts.get_mut(&*event.event.action.path) {
            *count = event.event.count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(texts: &[&str]) -> Result<Order, Unmeetable> {
        let constraints: Vec<Constraint> =
            texts.iter().map(|text| text.parse().expect("a constraint")).collect();
        Order::new(&constraints, 0)
    }

    fn refusal(texts: &[&str]) -> String {
        order(texts).expect_err("a contradiction").to_string()
    }

    #[test]
    fn circle_names_its_events() {
        assert_eq!(refusal(&["A:1 < B:1", "B:1 < A:1"]), "the order contradicts itself: /B:1 < /A:1 < /B:1");
        assert_eq!(refusal(&["A:1 < A:1"]), "the order contradicts itself: /A:1 < /A:1");
        assert_eq!(
            refusal(&["A:1 < B:1 < C:1 < A:1"]),
            "the order contradicts itself: /B:1 < /C:1 < /A:1 < /B:1"
        );
    }

    #[test]
    fn order_within_an_action_counts() {
        assert_eq!(refusal(&["A:2 < A:1"]), "the order contradicts itself: /A:2 < /A:1 < /A:2");
        assert!(order(&["A:1 < A:2", "B:1 < A:1", "A:2 < C:1"]).is_ok());
    }

    #[test]
    fn bad_constraints_are_refused() {
        let refusal = |text: &str| text.parse::<Constraint>().expect_err("no constraint").to_string();
        assert_eq!(refusal("A:1"), "expected two events or more, such as '/A:2 < /B:1'");
        assert_eq!(refusal("A:1 < B"), "`B` does not say which execution: write B:1 for the first one");
        assert!(refusal("A:1 < ").starts_with("`` is no event: column 1: "));
    }

    #[test]
    fn past_is_judged_at_once() {
        let judged = |first: u64, second: u64| {
            let mut order = order(&["A:2 < B:1"]).expect("no contradiction");
            let place = move |action: &str, _: u64| Some(if action == "/A" { first } else { second });
            let begun = order.begin_at(|action| if action == "/A" { first } else { second }, place);
            begun.err().map(|error| error.to_string())
        };
        assert_eq!(judged(1, 0), None);
        assert_eq!(judged(2, 3), None);
        assert_eq!(
            judged(1, 1).as_deref(),
            Some(
                "the order /A:2 < /B:1 cannot be met: /B:1 has taken place before the moment, and /A:2 has not"
            )
        );
        assert_eq!(
            judged(3, 2).as_deref(),
            Some(
                "the order /A:2 < /B:1 cannot be met: both events are before the moment, and /B:1 was first in the record"
            )
        );
    }
}
