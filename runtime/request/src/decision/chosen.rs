//! A list of decisions, and a log of what was possible.

use std::sync::Arc;

use hasse_body::seed::{mix, split_mix};
use parking_lot::Mutex;

use crate::decision::{ChoicePoint, Choose, Decision, ExecutedEvent, Stop};

/// Decisions by position: the first item is taken at the first point of a run, and so on; points beyond the list follow
/// [`rest`](Self::rest). Clones share the list and the log. A further run begins with the first decision and an empty log.
///
/// All that a program can do, by depth-first search over the decisions:
///
/// ```
/// # use hasse_request::decision::{Chosen, Logged};
/// /// Returns the next list of decisions to try: the last one that can be raised, raised by one.
/// fn next(chosen: &Chosen) -> Option<Vec<usize>> {
///     let mut steps: Vec<(usize, usize)> =
///         chosen.points().iter().map(|point| (point.taken, point.possible.len())).collect();
///     while let Some((taken, n_possible)) = steps.pop() {
///         if taken + 1 < n_possible {
///             return Some(steps.iter().map(|(taken, _)| *taken).chain([taken + 1]).collect());
///         }
///     }
///     None
/// }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    state: Arc<Mutex<State>>,
}

/// Decisions at points for which none is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rest {
    /// The first possibility.
    #[default]
    First,
    /// A possibility drawn with this seed.
    Random(u64),
    /// None: the run stops.
    Stop,
}

/// An item of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Logged {
    /// A decision.
    Decision(Decision),
    /// An execution that has ended.
    Executed(ExecutedEvent),
}

#[derive(Debug, Default)]
struct State {
    decisions: Vec<usize>,
    rest: Rest,
    most_points: Option<usize>,
    /// State of the random numbers.
    random: u64,
    n_points: usize,
    log: Vec<Logged>,
}

impl Chosen {
    /// These decisions, and the first possibility at all points beyond.
    pub fn new(decisions: impl Into<Vec<usize>>) -> Self {
        let state = State { decisions: decisions.into(), ..State::default() };
        Self { state: Arc::new(Mutex::new(state)) }
    }

    /// Sets how points beyond the list are decided.
    #[must_use]
    pub fn rest(self, rest: Rest) -> Self {
        self.state.lock().rest = rest;
        self
    }

    /// Stops a run that comes to more points than this: a bound for programs that do not end.
    #[must_use]
    pub fn limit(self, most_points: usize) -> Self {
        self.state.lock().most_points = Some(most_points);
        self
    }

    /// Decisions and executions of the last run, in order.
    pub fn log(&self) -> Vec<Logged> {
        self.state.lock().log.clone()
    }

    /// The decisions of the log, each with what was possible.
    pub fn points(&self) -> Vec<Decision> {
        let state = self.state.lock();
        let points = state.log.iter().filter_map(|logged| match logged {
            Logged::Decision(decision) => Some(decision.clone()),
            Logged::Executed(_) => None,
        });
        points.collect()
    }

    /// Positions of what was taken at each point of the last run: the list that makes the same run again.
    pub fn taken(&self) -> Vec<usize> {
        let state = self.state.lock();
        let taken = state.log.iter().filter_map(|logged| match logged {
            Logged::Decision(decision) => Some(decision.taken),
            Logged::Executed(_) => None,
        });
        taken.collect()
    }

    /// Number of decisions of the list that the last run did not come to.
    pub fn n_unused(&self) -> usize {
        let state = self.state.lock();
        state.decisions.len().saturating_sub(state.n_points)
    }
}

impl Choose for Chosen {
    fn begin(&mut self) {
        let mut state = self.state.lock();
        state.log.clear();
        state.n_points = 0;
        state.random = match state.rest {
            Rest::Random(seed) => mix(seed),
            Rest::First | Rest::Stop => 0,
        };
    }

    fn choose(&mut self, point: &ChoicePoint<'_>) -> Result<usize, Stop> {
        let mut state = self.state.lock();
        if let Some(most_points) = state.most_points.filter(|most_points| point.position >= *most_points) {
            return Err(Stop::new(format!("the limit of {most_points} points is reached")));
        }
        let n_possible = point.possible.len();
        let taken = match (state.decisions.get(point.position), state.rest) {
            (Some(&decision), _) => decision,
            (None, Rest::First) => 0,
            (None, Rest::Random(_)) => {
                ((u128::from(split_mix(&mut state.random)) * n_possible as u128) >> 64) as usize
            }
            (None, Rest::Stop) => return Err(Stop::new("there are no further decisions")),
        };
        state.n_points = point.position + 1;
        if taken < n_possible {
            let (position, kind, possible) = (point.position, point.kind.clone(), point.possible.to_vec());
            state.log.push(Logged::Decision(Decision { position, kind, possible, taken }));
        }
        Ok(taken)
    }

    fn executed(&mut self, event: ExecutedEvent) {
        self.state.lock().log.push(Logged::Executed(event));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decision::ChoiceKind;
    use crate::decision::ImpossibleDecision;
    use crate::decision::Possibility;

    fn ask(chosen: &mut Chosen, position: usize, n_possible: usize) -> Result<usize, Stop> {
        let possible: Vec<_> = (0..n_possible).map(|rule| Possibility::Rule { rule, fails: false }).collect();
        chosen.choose(&ChoicePoint { position, kind: &ChoiceKind::Next, possible: &possible })
    }

    #[test]
    fn list_is_followed_and_the_rest_is_first() {
        let mut chosen = Chosen::new([2, 0]);
        chosen.begin();
        assert_eq!((0..3).map(|at| ask(&mut chosen, at, 3)).collect::<Vec<_>>(), [Ok(2), Ok(0), Ok(0)]);
        assert_eq!(chosen.taken(), [2, 0, 0]);
        assert_eq!(chosen.n_unused(), 0);
        chosen.begin();
        assert_eq!((chosen.taken(), chosen.n_unused()), (Vec::new(), 2));
        assert_eq!(ask(&mut chosen, 0, 3), Ok(2));
    }

    #[test]
    fn random_rest_is_a_function_of_its_seed() {
        let draw = |seed| {
            let mut chosen = Chosen::new([]).rest(Rest::Random(seed));
            chosen.begin();
            (0..50).map(|at| ask(&mut chosen, at, 5).expect("a decision")).collect::<Vec<_>>()
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
        assert!((0..5).all(|taken| draw(1).contains(&taken)));
    }

    #[test]
    fn rest_and_limit_stop() {
        let mut chosen = Chosen::new([1]).rest(Rest::Stop);
        chosen.begin();
        assert_eq!(ask(&mut chosen, 0, 2), Ok(1));
        assert_eq!(ask(&mut chosen, 1, 2), Err(Stop::new("there are no further decisions")));
        let mut chosen = Chosen::new([1, 1, 1]).limit(2);
        chosen.begin();
        assert_eq!(ask(&mut chosen, 1, 2), Ok(1));
        assert_eq!(ask(&mut chosen, 2, 2), Err(Stop::new("the limit of 2 points is reached")));
    }

    #[test]
    fn impossible_decision_is_not_logged_and_lists_what_is_possible() {
        let mut chosen = Chosen::new([7]);
        chosen.begin();
        assert_eq!(ask(&mut chosen, 0, 2), Ok(7));
        assert_eq!(chosen.points(), []);
        let possible = (0..22).map(|rule| Possibility::Rule { rule, fails: rule == 1 }).collect();
        let kind = ChoiceKind::Next;
        let shown = ImpossibleDecision { position: 3, kind, possible, decision: 30 }.to_string();
        assert!(shown.starts_with(
            "decision 30 is not possible at point 3, the next execution; possible: 0 (rule 0), 1 (rule 1 fails), 2 (rule 2)"
        ));
        assert!(shown.ends_with("19 (rule 19) and 2 more"), "{shown}");
    }
}
