//! Decisions from outside: the scheduler keeps what could go on, and a [`Chooser`] says what does.
//!
//! There is one worker. What is made ready is fresh: the worker looks at it, and makes it a candidate if it can do something
//! (`worker/choices`). Candidates stay possible until they are taken, as values that come add to what an action can do and take
//! nothing away; so each action is looked at once for each time that it is made ready, and not at every point.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hasse_model::id::{ActionId, EventId};
use hasse_request::decision::names::{ActionName, EventName};
use hasse_request::decision::{
    ChoiceKind, ChoicePoint, Chooser, ExecutedEvent, ImpossibleDecision, ObjectUse, Possibility, StoppedAt,
    TakenValue,
};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::policy::Schedule;

/// The actions that could go on, and the decisions of a run.
pub struct ByChoice<T> {
    chooser: Chooser,
    /// Items that were made ready and not looked at since. Bound: one item for each instance at most.
    fresh: Mutex<Vec<T>>,
    /// True if a candidate may be possible at the next point: false while a debugger holds what all of them need.
    has_open: AtomicBool,
    state: Mutex<State<T>>,
}

struct State<T> {
    candidates: BTreeMap<ActionName, Candidate<T>>,
    /// Names of all actions that have been candidates, so of all that have sent anything.
    names: FxHashMap<ActionId, ActionName>,
    /// The values that executions under way have taken.
    taken: FxHashMap<ActionId, Vec<TakenValue>>,
    n_points: usize,
    end: Option<End>,
}

/// An action that can do something.
pub struct Candidate<T> {
    /// The action.
    pub item: T,
    /// Count of its next execution, or of the one with which it goes on.
    pub count: u64,
    /// True if it goes on with an execution that was stopped.
    pub resumes: bool,
    /// The objects that its next execution locks.
    pub objects: Arc<[ObjectUse]>,
}

/// The reason why no further decision is asked for.
enum End {
    Stopped(StoppedAt),
    Impossible(ImpossibleDecision),
}

impl<T> ByChoice<T> {
    pub(crate) fn new(chooser: Chooser) -> Self {
        let state = State {
            candidates: BTreeMap::new(),
            names: FxHashMap::default(),
            taken: FxHashMap::default(),
            n_points: 0,
            end: None,
        };
        Self {
            chooser,
            fresh: Mutex::new(Vec::new()),
            has_open: AtomicBool::new(false),
            state: Mutex::new(state),
        }
    }

    /// Takes out what has been made ready.
    pub fn take_fresh(&self) -> Vec<T> {
        std::mem::take(&mut *self.fresh.lock())
    }

    /// Adds an action that can do something.
    pub fn add(&self, action: ActionId, name: &ActionName, candidate: Candidate<T>) {
        let mut state = self.state.lock();
        state.names.entry(action).or_insert_with(|| name.clone());
        state.candidates.insert(name.clone(), candidate);
        self.has_open.store(true, Ordering::Relaxed);
    }

    /// Takes out any candidate: nothing is decided any more.
    pub fn take_any(&self) -> Option<Candidate<T>> {
        let mut state = self.state.lock();
        let taken = state.candidates.pop_first().map(|(_, candidate)| candidate);
        self.has_open.store(!state.candidates.is_empty(), Ordering::Relaxed);
        taken
    }

    /// Has the next execution chosen among the candidates that are open, and takes it out. `None` where there is none, or where
    /// no further decision is taken: `has_ended` is then true.
    pub fn next(&self, is_open: impl Fn(&Candidate<T>) -> bool) -> Option<Candidate<T>> {
        let state = self.state.lock();
        let open = state.candidates.iter().filter(|(_, candidate)| is_open(candidate));
        let (names, possible): (Vec<_>, Vec<_>) = open
            .map(|(name, candidate)| {
                let event = EventName { action: name.clone(), count: candidate.count };
                let possibility = match candidate.resumes {
                    true => Possibility::Resume { event },
                    false => Possibility::Begin { event, objects: Arc::clone(&candidate.objects) },
                };
                (name.clone(), possibility)
            })
            .unzip();
        drop(state);
        self.has_open.store(!names.is_empty(), Ordering::Relaxed);
        if names.is_empty() {
            return None;
        }
        let taken = self.decide(ChoiceKind::Next, possible)?;
        self.state.lock().candidates.remove(&names[taken])
    }

    /// Asks for a decision; `None` where none is taken any more. To be called without locks that a chooser could need, and
    /// with at least one possibility.
    pub fn decide(&self, kind: ChoiceKind, possible: Vec<Possibility>) -> Option<usize> {
        let position = {
            let state = self.state.lock();
            if state.end.is_some() {
                return None;
            }
            state.n_points
        };
        let answer = self.chooser.choose(&ChoicePoint { position, kind: &kind, possible: &possible });
        let mut state = self.state.lock();
        match answer {
            Ok(taken) if taken < possible.len() => {
                state.n_points += 1;
                return Some(taken);
            }
            Ok(decision) => {
                let impossible = ImpossibleDecision { position, kind, possible, decision };
                state.end = Some(End::Impossible(impossible));
            }
            Err(stop) => {
                let stopped = StoppedAt {
                    position,
                    kind,
                    possible,
                    reason: stop.reason,
                    is_explained: stop.is_explained,
                };
                state.end = Some(End::Stopped(stopped));
            }
        }
        None
    }

    /// Returns true if the chooser has stopped the run, or has decided for what is not possible.
    pub fn has_ended(&self) -> bool {
        self.state.lock().end.is_some()
    }

    /// The point at which the chooser has stopped the run.
    pub fn stopped_at(&self) -> Option<StoppedAt> {
        match &self.state.lock().end {
            Some(End::Stopped(stopped)) => Some(stopped.clone()),
            Some(End::Impossible(_)) | None => None,
        }
    }

    /// The decision that was not possible.
    pub fn impossible(&self) -> Option<ImpossibleDecision> {
        match &self.state.lock().end {
            Some(End::Impossible(impossible)) => Some(impossible.clone()),
            Some(End::Stopped(_)) | None => None,
        }
    }

    /// The name of an event of an action that has been a candidate; `None` for what no event is.
    pub fn event_name(&self, id: EventId) -> Option<EventName> {
        let action = self.state.lock().names.get(&id.action)?.clone();
        Some(EventName { action, count: id.count })
    }

    /// Notes the values that an execution takes.
    pub fn note_taken(&self, action: ActionId, taken: Vec<TakenValue>) {
        self.state.lock().taken.insert(action, taken);
    }

    /// Takes out the values that an execution has taken.
    pub fn taken(&self, action: ActionId) -> Vec<TakenValue> {
        self.state.lock().taken.remove(&action).unwrap_or_default()
    }

    /// Hands an execution that has ended to the chooser.
    pub fn executed(&self, event: ExecutedEvent) {
        self.chooser.executed(event);
    }
}

impl<T: Send> Schedule<T> for ByChoice<T> {
    type Local = ();

    const HAS_CLOCK: bool = false;

    fn inject(&self, item: T) {
        self.fresh.lock().push(item);
    }

    fn push(&self, (): &mut (), item: T) {
        self.fresh.lock().push(item);
    }

    fn requeue(&self, (): &mut (), item: T) {
        self.fresh.lock().push(item);
    }

    /// Nothing: the worker asks for the [next](ByChoice::next) candidate.
    fn pop(&self, (): &mut ()) -> Option<T> {
        None
    }

    fn has_work(&self) -> bool {
        self.has_open.load(Ordering::Relaxed) || !self.fresh.lock().is_empty()
    }

    fn has_surplus(&self, (): &()) -> bool {
        false
    }

    fn has_other(&self, (): &()) -> bool {
        self.has_work()
    }

    fn choose(&self, (): &mut (), _: usize) -> usize {
        0
    }

    fn batch_size(&self, (): &mut ()) -> usize {
        1
    }
}

#[cfg(test)]
mod tests {
    use hasse_model::id::{Index, TemplateId};

    use super::*;
    use hasse_request::decision::chosen::Chosen;
    pub(crate) use hasse_request::decision::chosen::Rest;

    fn name(template: u32, number: i64) -> ActionName {
        let path = format!("/T{template}[{number}]").into();
        let index = Index::from_iter([number]);
        ActionName { calls: Arc::default(), template: TemplateId(template), index, path }
    }

    fn add(choices: &ByChoice<u32>, item: u32, name: &ActionName) {
        let candidate = Candidate { item, count: 1, resumes: false, objects: Arc::default() };
        choices.add(ActionId(item), name, candidate);
    }

    #[test]
    fn candidates_are_listed_by_name_and_taken_once() {
        let chosen = Chosen::new([1, 1, 0]);
        let choices = ByChoice::new(Chooser::from(&chosen));
        // Ids are in another order than names.
        for (item, name) in [(0, name(1, 10)), (1, name(1, 9)), (2, name(0, 99))] {
            add(&choices, item, &name);
        }
        let mut taken = Vec::new();
        while let Some(candidate) = choices.next(|_| true) {
            taken.push(candidate.item);
        }
        assert_eq!(taken, [1, 0, 2]);
        assert_eq!(
            chosen.points()[0].to_string(),
            "0: the next execution: /T1[9]:1 of /T0[99]:1, /T1[9]:1, /T1[10]:1"
        );
        assert!(!choices.has_ended() && !choices.has_work());
    }

    #[test]
    fn candidates_that_are_not_open_are_no_work() {
        let choices = ByChoice::new(Chooser::from(Chosen::default()));
        add(&choices, 0, &name(0, 0));
        assert!(choices.has_work());
        assert!(choices.next(|_| false).is_none());
        assert!(!choices.has_work() && !choices.has_ended());
        choices.inject(1);
        assert!(choices.has_work());
        assert_eq!(choices.take_fresh(), [1]);
        assert_eq!(choices.take_any().map(|candidate| candidate.item), Some(0));
        assert!(!choices.has_work());
    }

    #[test]
    fn nothing_is_decided_after_a_stop_or_what_is_impossible() {
        let choices = ByChoice::new(Chooser::from(Chosen::new([]).rest(Rest::Stop)));
        add(&choices, 0, &name(0, 0));
        assert!(choices.next(|_| true).is_none());
        assert_eq!(choices.stopped_at().map(|stopped| stopped.position), Some(0));
        assert_eq!(choices.impossible(), None);
        assert!(choices.has_ended() && choices.next(|_| true).is_none());

        let choices = ByChoice::new(Chooser::from(Chosen::new([0, 5])));
        add(&choices, 0, &name(0, 0));
        add(&choices, 1, &name(0, 1));
        assert!(choices.next(|_| true).is_some_and(|candidate| candidate.item == 0));
        assert!(choices.next(|_| true).is_none());
        assert_eq!(
            choices.impossible().map(|impossible| (impossible.position, impossible.decision)),
            Some((1, 5))
        );
        assert_eq!(choices.stopped_at(), None);
    }
}
