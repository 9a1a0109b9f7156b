//! `check possibly C && C ..` and `check definitely C && C ..`: conditions on the vars of actions that hold at the same time.
//!
//! Each condition is about one action. Its vars have the values captured last, at `befcomp` (values taken, body not yet run) and at
//! `aftcomp` (body run), so that an action is in the states before its first event, m1, s1, m2, s2, ..: mk from the taking of values
//! of its k-th event to its sendings, sk from there to the next taking. The intervals in which its condition holds are what counts.
//!
//! *Possibly* (weak conjunctive predicates, Garg and Waldecker, 1994): some consistent cut has all conditions true. That is so exactly if there is
//! one interval for each action and none ends before another one begins. *Definitely* (strong ones, Garg and Waldecker, 1996):
//! every order in which the events can have happened goes through such a cut. That is so exactly if there is one interval for each
//! action and each of them begins before the end of each other one. Both are found by elimination: an interval at the
//! head of its action's queue that fails against another head fails against all behind that, and is dropped.
//!
//! A condition on a template stands for some instance; each combination of different actions is a search of its own.
//! Cost: for each combination, intervals times the square of the conditions.

mod conjunct;
mod scan;
mod search;
mod state;
#[cfg(test)]
mod tests;

use rustc_hash::FxHashMap;

use hasse_model::id::{ActionId, EventId};
use hasse_model::plan::Plan;
use hasse_model::quantity::counted;
use hasse_model::trace::Names;
use hasse_model::value::Value;

use super::bindings::Place;
use super::dispatch::{Check, Context, End, Interest};
use super::guard::Guards;
use super::resolve::{self, ResolveError, Target};
use super::verdict::Verdict;
use search::Search;
use state::{LaneState, Subject};

use conjunct::MAX_COMBINATIONS;
pub use conjunct::{Conjunct, Modality};
pub(super) use scan::parse;

/// One command.
#[derive(Debug)]
pub(super) struct ConjunctiveCheck {
    text: String,
    guards: Guards,
    subjects: Vec<Subject>,
    /// Parameters of the main graph that conditions mention.
    params: Vec<(String, Value)>,
    search: Search,
    /// For each action, what it is a lane of: subject, and lane of that.
    lanes_of: FxHashMap<ActionId, Vec<(usize, usize)>>,
    /// For each subject and lane, the state of its condition.
    states: Vec<Vec<LaneState>>,
    n_events: u64,
    /// Events without captured values, where a condition asks for them; and the first of them.
    n_blind: u64,
    first_blind: Option<EventId>,
    /// The first condition that could not be evaluated, with the event.
    failure: Option<(EventId, String)>,
}

impl ConjunctiveCheck {
    /// Puts conditions and their targets together; several on the same spec become one.
    ///
    /// # Errors
    /// Where the program does not have an action, or a condition is none there.
    pub(super) fn new(
        text: String,
        modality: Modality,
        conjuncts: &[Conjunct],
        plan: &Plan,
        params: &[(String, Value)],
    ) -> Result<Self, ResolveError> {
        let guards = Guards::new();
        let mut subjects: Vec<Subject> = Vec::new();
        for conjunct in conjuncts {
            let target = resolve::resolve(&conjunct.spec, plan)?;
            let names = params.iter().map(|(name, _)| name.as_str()).chain([conjunct.variable.as_str()]);
            let mut guard = guards.compile(&conjunct.condition, names).map_err(|bad| {
                let column = conjunct.condition_column + bad.column - 1;
                let hint = match params {
                    [] => "conditions know the members of actions only: `Mult[1].x`".to_owned(),
                    _ => bad.hint.replace(&format!("`{}`, ", conjunct.variable), ""),
                };
                ResolveError::BadCondition { column, message: bad.message, hint }
            })?;
            guard.text.clone_from(&conjunct.text);
            let condition = (guard, conjunct.variable.clone());
            let mentioned = scan::identifiers(&conjunct.condition);
            match subjects.iter_mut().find(|known| known.target.is_same(&target)) {
                Some(known) => {
                    known.conditions.push(condition);
                    known.mentioned.extend(mentioned);
                }
                None => subjects.push(Subject { target, conditions: vec![condition], mentioned }),
            }
        }
        let is_mentioned = |name: &String| subjects.iter().any(|subject| subject.mentioned.contains(name));
        let params = params.iter().filter(|(name, _)| is_mentioned(name)).cloned().collect();
        let is_fixed = subjects.iter().all(|subject| subject.target.is_single);
        Ok(Self {
            text,
            guards,
            search: Search::new(modality, subjects.len(), is_fixed),
            states: subjects.iter().map(|_| Vec::new()).collect(),
            subjects,
            params,
            lanes_of: FxHashMap::default(),
            n_events: 0,
            n_blind: 0,
            first_blind: None,
            failure: None,
        })
    }

    fn subjects_of<'s>(&'s self, action: ActionId, names: &'s Names) -> impl Iterator<Item = usize> + 's {
        (0..self.subjects.len()).filter(move |&at| self.subjects[at].target.fits_action(action, names))
    }
}

impl Check for ConjunctiveCheck {
    fn interest(&self, action: ActionId, names: &Names) -> Interest {
        match self.subjects_of(action, names).next() {
            Some(_) => Interest::Clock,
            None => Interest::None,
        }
    }

    fn places(&self) -> Option<Vec<Place>> {
        Some(self.subjects.iter().map(|subject| subject.target.place()).collect())
    }

    fn bind(&mut self, action: ActionId, slot: Option<usize>, names: &Names) {
        let slot = slot.expect("a slot was asked for");
        let bound: Vec<usize> = self.subjects_of(action, names).collect();
        for subject_idx in bound {
            let lane_idx = self.search.add_lane(subject_idx, action, slot);
            self.lanes_of.entry(action).or_default().push((subject_idx, lane_idx));
            let subject = &self.subjects[subject_idx];
            let mut state = LaneState::default();
            // Before its first event an action has no values yet; a condition may still be about its count.
            let view = state.initial(action, names);
            if subject.holds(&self.guards, view, &self.params) == Ok(true) {
                self.search.begin(subject_idx, lane_idx, 0, &Default::default(), false);
                state.is_true = true;
            }
            self.states[subject_idx].push(state);
        }
    }

    fn event(&mut self, context: &Context<'_>) {
        let event = context.event;
        self.n_events += 1;
        let is_blind = event.local.is_none();
        let mut asked_in_vain = false;
        let lanes = self.lanes_of.get(&event.id.action).cloned().unwrap_or_default();
        for (subject_idx, lane_idx) in lanes {
            let subject = &self.subjects[subject_idx];
            let state = &mut self.states[subject_idx][lane_idx];
            for is_after in [false, true] {
                let view = state.enter(context, &subject.mentioned, is_after);
                let holds = subject.holds(&self.guards, view, &self.params).unwrap_or_else(|error| {
                    match is_blind {
                        true => asked_in_vain = true,
                        // At the first befcomp there are no values of an aftcomp yet.
                        false if !is_after && event.id.count == 1 => {}
                        false => {
                            self.failure.get_or_insert((event.id, error));
                        }
                    }
                    false
                });
                match (state.is_true, holds) {
                    (false, true) => {
                        self.search.begin(subject_idx, lane_idx, event.id.count, context.clock, is_after);
                    }
                    (true, false) => {
                        self.search.end(subject_idx, lane_idx, event.id.count, context.clock, is_after)
                    }
                    (false, false) | (true, true) => {}
                }
                state.is_true = holds;
            }
        }
        if asked_in_vain {
            self.n_blind += 1;
            self.first_blind.get_or_insert(event.id);
        }
    }

    fn named(&self, _: &Names) -> Vec<(&Target, bool)> {
        let named = self.subjects.iter().enumerate();
        named.map(|(at, subject)| (&subject.target, self.search.n_lanes(at) > 0)).collect()
    }

    fn verdict(&self, end: &End<'_>) -> Verdict {
        let found = self.search.found(end.is_over);
        let mut notes = Vec::new();
        for (subject_idx, subject) in self.subjects.iter().enumerate() {
            if self.search.n_lanes(subject_idx) == 0 {
                notes.push(subject.target.absence());
            }
        }
        if self.search.is_cut_short && found.is_none() {
            notes.push(format!(
                "only {MAX_COMBINATIONS} combinations of actions were searched; name actions, such as `Mult[3]`, in \
                 place of templates to search fewer"
            ));
        }
        if let Some((event, failure)) = &self.failure {
            notes.push(format!("{}: {failure}; taken as not true", end.names.event(*event)));
        }
        let blind = self.first_blind.filter(|_| found.is_none()).map(|event| {
            format!(
                "no captured values in {}, {} the first; traces do not hold values, a replay that captures them \
                 gives them",
                counted(self.n_blind, "event"),
                end.names.event(event)
            )
        });
        let text = |point: &search::Held| point.text(end.names);
        Verdict {
            holds: found.is_some(),
            error: blind,
            n_events: self.n_events,
            witness: found.iter().flatten().map(text).collect(),
            notes,
            ..Verdict::of(vec![self.text.clone()])
        }
    }
}
