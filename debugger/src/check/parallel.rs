//! `check parall`: some events of u, v, ... were concurrent.
//!
//! For two specs: of the events delivered before e, those of action b that are concurrent with e
//! are the ones behind `clock(e)[b]`, so that b's last event is one of them if any is. For more:
//! weak conjunctive predicates (Garg and Waldecker, 1994) over each combination of one action a
//! spec. A queue of events for each action; whatever is before the head of another queue is before
//! all that follow there, and is eliminated; heads of which none is before another are a witness.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use hasse_model::id::{ActionId, EventId};
use hasse_model::trace::Names;

use super::bindings::Place;
use super::dispatch::{Check, Context, End, Interest};
use super::resolve::Target;
use super::verdict::Verdict;
use crate::clock::Clock;

/// Most combinations of actions that are searched for three or more specs.
const MAX_COMBINATIONS: usize = 100_000;

/// One command.
#[derive(Debug)]
pub(super) struct ParallelCheck {
    text: String,
    targets: Vec<Target>,
    /// For each spec, the actions that fit it.
    lanes: Vec<Vec<Lane>>,
    /// For each action, its lanes by spec and position.
    lanes_of: FxHashMap<ActionId, Vec<(usize, usize)>>,
    combinations: Vec<Combination>,
    /// Whether there are more combinations than are searched.
    is_cut_short: bool,
    n_events: u64,
    witness: Option<Vec<EventId>>,
}

/// The events of one action that are one spec.
#[derive(Debug)]
struct Lane {
    action: ActionId,
    slot: usize,
    /// Count of the last one; 0 before the first.
    last: u64,
    /// Events with their clocks; kept for three or more specs only.
    events: VecDeque<(u64, Clock)>,
    /// Number of events dropped from the front.
    n_dropped: usize,
    /// Combinations that wait for the next event.
    waiting: Vec<usize>,
}

/// One action for each spec.
#[derive(Debug)]
struct Combination {
    /// For each spec, the lane and how many of its events are eliminated.
    heads: Vec<(usize, usize)>,
}

impl ParallelCheck {
    pub(super) fn new(text: String, targets: Vec<Target>) -> Self {
        Self {
            text,
            lanes: targets.iter().map(|_| Vec::new()).collect(),
            targets,
            lanes_of: FxHashMap::default(),
            combinations: Vec::new(),
            is_cut_short: false,
            n_events: 0,
            witness: None,
        }
    }

    /// Takes in an action that fits some of the targets, and its slot in the clocks.
    fn bind_lanes(&mut self, action: ActionId, slot: usize, names: &Names) {
        for spec_idx in 0..self.targets.len() {
            if !self.targets[spec_idx].fits_action(action, names) {
                continue;
            }
            let lane_idx = self.lanes[spec_idx].len();
            let (events, waiting) = (VecDeque::new(), Vec::new());
            self.lanes[spec_idx].push(Lane { action, slot, last: 0, events, n_dropped: 0, waiting });
            self.lanes_of.entry(action).or_default().push((spec_idx, lane_idx));
            if self.targets.len() > 2 && self.witness.is_none() {
                self.combine(spec_idx, lane_idx);
            }
        }
    }

    /// Adds all combinations of a new lane with lanes of the other specs.
    fn combine(&mut self, new_spec: usize, new_lane: usize) {
        let mut partial: Vec<Vec<usize>> = vec![Vec::new()];
        let n_free = MAX_COMBINATIONS.saturating_sub(self.combinations.len());
        for (spec_idx, lanes) in self.lanes.iter().enumerate() {
            let choices = if spec_idx == new_spec { new_lane..new_lane + 1 } else { 0..lanes.len() };
            let mut longer = Vec::new();
            for chosen in &partial {
                for lane_idx in choices.clone() {
                    let action = lanes[lane_idx].action;
                    let mut others = chosen.iter().enumerate();
                    if others.any(|(other, &lane)| self.lanes[other][lane].action == action) {
                        continue;
                    }
                    if longer.len() == n_free {
                        self.is_cut_short = true;
                        break;
                    }
                    longer.push(chosen.iter().copied().chain([lane_idx]).collect());
                }
            }
            partial = longer;
        }
        for lanes in partial {
            let heads = lanes.into_iter().map(|lane_idx| (lane_idx, 0)).collect();
            self.lanes[new_spec][new_lane].waiting.push(self.combinations.len());
            self.combinations.push(Combination { heads });
        }
    }

    /// Takes in an event of an action that was bound, with its clock.
    fn take_in(&mut self, event: EventId, clock: &Clock) {
        let lanes: Vec<_> = self.lanes_of.get(&event.action).into_iter().flatten().copied().collect();
        let fitting =
            lanes.into_iter().filter(|&(spec_idx, _)| self.targets[spec_idx].fits_count(event.count));
        let fitting: Vec<_> = fitting.collect();
        self.n_events += u64::from(!fitting.is_empty());
        for &(spec_idx, _) in &fitting {
            self.targets[spec_idx].n_occurred += 1;
        }
        if self.witness.is_some() {
            return;
        }
        if self.targets.len() == 2 {
            self.witness = fitting.iter().find_map(|&(spec_idx, _)| self.partner(spec_idx, event, clock));
        }
        for (spec_idx, lane_idx) in fitting {
            let lane = &mut self.lanes[spec_idx][lane_idx];
            lane.last = event.count;
            if self.targets.len() > 2 {
                lane.events.push_back((event.count, clock.clone()));
                for combination_idx in std::mem::take(&mut lane.waiting) {
                    self.eliminate(combination_idx);
                }
            }
        }
        if self.witness.is_some() {
            self.combinations = Vec::new();
            self.lanes.iter_mut().flatten().for_each(|lane| lane.events = VecDeque::new());
        }
    }

    /// An earlier event of the other spec, concurrent with this one.
    fn partner(&self, spec_idx: usize, event: EventId, clock: &Clock) -> Option<Vec<EventId>> {
        let is_concurrent = |lane: &&Lane| lane.action != event.action && lane.last > clock.get(lane.slot);
        let lane = self.lanes[1 - spec_idx].iter().find(is_concurrent)?;
        let partner = EventId { action: lane.action, count: lane.last };
        Some(if spec_idx == 0 { vec![event, partner] } else { vec![partner, event] })
    }

    /// Eliminates heads until none is before another, or a queue is empty.
    fn eliminate(&mut self, combination_idx: usize) {
        if self.witness.is_some() {
            return;
        }
        let heads = &mut self.combinations[combination_idx].heads;
        loop {
            let mut found = Vec::with_capacity(heads.len());
            for (spec_idx, &(lane_idx, n_gone)) in heads.iter().enumerate() {
                let lane = &self.lanes[spec_idx][lane_idx];
                match lane.events.get(n_gone - lane.n_dropped) {
                    Some(head) => found.push((lane, head)),
                    None => break,
                }
            }
            if found.len() < heads.len() {
                let spec_idx = found.len();
                self.lanes[spec_idx][heads[spec_idx].0].waiting.push(combination_idx);
                break;
            }
            let is_eliminated = |&spec_idx: &usize| {
                let (lane, (count, _)) = found[spec_idx];
                let others = found.iter().enumerate().filter(|&(other_idx, _)| other_idx != spec_idx);
                others.map(|(_, (_, (_, clock)))| clock).any(|clock| *count <= clock.get(lane.slot))
            };
            match (0..heads.len()).find(is_eliminated) {
                Some(spec_idx) => heads[spec_idx].1 += 1,
                None => {
                    let event = |(lane, head): &(&Lane, &(u64, Clock))| EventId {
                        action: lane.action,
                        count: head.0,
                    };
                    self.witness = Some(found.iter().map(event).collect());
                    return;
                }
            }
        }
        // Where no further combination can come, what is eliminated will not be looked at again.
        if self.targets.iter().all(|target| target.is_single) {
            for (spec_idx, &(lane_idx, n_gone)) in self.combinations[combination_idx].heads.iter().enumerate()
            {
                let lane = &mut self.lanes[spec_idx][lane_idx];
                lane.events.drain(..n_gone - lane.n_dropped);
                lane.n_dropped = n_gone;
            }
        }
    }
}

impl Check for ParallelCheck {
    fn interest(&self, action: ActionId, names: &Names) -> Interest {
        match self.targets.iter().any(|target| target.fits_action(action, names)) {
            true => Interest::Clock,
            false => Interest::None,
        }
    }

    fn places(&self) -> Option<Vec<Place>> {
        Some(self.targets.iter().map(Target::place).collect())
    }

    fn bind(&mut self, action: ActionId, slot: Option<usize>, names: &Names) {
        self.bind_lanes(action, slot.expect("a slot was asked for"), names);
    }

    fn event(&mut self, context: &Context<'_>) {
        self.take_in(context.event.id, context.clock);
    }

    fn named(&self, _: &Names) -> Vec<(&Target, bool)> {
        self.targets.iter().map(|target| (target, target.n_occurred > 0)).collect()
    }

    fn verdict(&self, end: &End<'_>) -> Verdict {
        let mut notes: Vec<String> = Vec::new();
        for target in &self.targets {
            let note = target.absence();
            if target.n_occurred == 0 && !notes.contains(&note) {
                notes.push(note);
            }
        }
        if self.is_cut_short && self.witness.is_none() {
            notes.push(format!(
                "only {MAX_COMBINATIONS} combinations of actions were searched; name actions, such as \
                 `Mult[3]`, in place of templates to search fewer"
            ));
        }
        let witness: Vec<String> =
            self.witness.iter().flatten().map(|&event| end.names.event(event).to_string()).collect();
        let commands = vec![self.text.clone()];
        Verdict {
            holds: !witness.is_empty(),
            n_events: self.n_events,
            witness,
            notes,
            ..Verdict::of(commands)
        }
    }
}
