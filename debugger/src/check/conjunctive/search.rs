//! The search for intervals, one of each action, that overlap.

use std::collections::VecDeque;

use hasse_model::id::ActionId;
use hasse_model::trace::Names;

use super::conjunct::{MAX_COMBINATIONS, Modality};
use crate::clock::Clock;

/// While an action's condition holds. Whether something is before its end or after its begin follows from clocks.
#[derive(Debug)]
struct Interval {
    begin: Edge,
    /// `None` while it lasts.
    end: Option<Edge>,
}

/// Where an interval begins or ends.
#[derive(Clone, Debug)]
struct Edge {
    /// The event of the action; 0 before its first one.
    count: u64,
    /// The event's clock.
    clock: Clock,
    /// At its `aftcomp`; else at its `befcomp`.
    is_after: bool,
}

/// The intervals of one action.
#[derive(Debug)]
struct Lane {
    action: ActionId,
    slot: usize,
    intervals: VecDeque<Interval>,
    /// Number of intervals dropped from the front.
    n_dropped: usize,
    /// Combinations that wait for an interval to begin or to end.
    waiting: Vec<usize>,
}

/// An action and when its condition holds.
#[derive(Clone, Debug)]
pub(super) struct Held {
    action: ActionId,
    from: (u64, bool),
    /// Until when, for intervals; `Some(None)` to the end.
    until: Option<Option<(u64, bool)>>,
}

impl Held {
    /// Such as `/Mult[1]:2 at aftcomp`, or `/Mult[1] from :2 at befcomp to :4 at aftcomp`.
    pub(super) fn text(&self, names: &Names) -> String {
        let action = names.action(self.action);
        let place = |(count, is_after): (u64, bool)| {
            format!(":{count} at {}", if is_after { "aftcomp" } else { "befcomp" })
        };
        match (self.from, self.until) {
            ((0, _), None) => format!("{action} before its first event"),
            (from, None) => format!("{action}{}", place(from)),
            (from, Some(until)) => {
                let from = if from.0 == 0 { "its creation".to_owned() } else { place(from) };
                let until = until.map_or("the end".to_owned(), place);
                format!("{action} from {from} to {until}")
            }
        }
    }
}

/// What came of looking at a combination.
enum Found {
    /// One interval of each action.
    Witness(Vec<Held>),
    /// The subject whose lane must change first.
    WaitsFor(usize),
}

/// Intervals and combinations of actions.
#[derive(Debug)]
pub(super) struct Search {
    modality: Modality,
    /// For each subject, its actions.
    lanes: Vec<Vec<Lane>>,
    /// For each, by subject: the lane and how many of its intervals are eliminated.
    combinations: Vec<Vec<(usize, usize)>>,
    /// Whether no further combination can come.
    is_fixed: bool,
    pub(super) is_cut_short: bool,
    witness: Option<Vec<Held>>,
}

impl Search {
    pub(super) fn new(modality: Modality, n_subjects: usize, is_fixed: bool) -> Self {
        let lanes = (0..n_subjects).map(|_| Vec::new()).collect();
        Self { modality, lanes, combinations: Vec::new(), is_fixed, is_cut_short: false, witness: None }
    }

    pub(super) fn n_lanes(&self, subject_idx: usize) -> usize {
        self.lanes[subject_idx].len()
    }

    /// Takes in an action of a subject, and combines it with those of the others.
    pub(super) fn add_lane(&mut self, subject_idx: usize, action: ActionId, slot: usize) -> usize {
        let lane_idx = self.lanes[subject_idx].len();
        let (intervals, waiting) = (VecDeque::new(), Vec::new());
        self.lanes[subject_idx].push(Lane { action, slot, intervals, n_dropped: 0, waiting });
        let mut partial: Vec<Vec<(usize, usize)>> = vec![Vec::new()];
        let n_free = MAX_COMBINATIONS.saturating_sub(self.combinations.len());
        for (other_idx, lanes) in self.lanes.iter().enumerate() {
            let choices = if other_idx == subject_idx { lane_idx..lane_idx + 1 } else { 0..lanes.len() };
            let mut longer = Vec::new();
            for (chosen, choice) in
                partial.iter().flat_map(|chosen| choices.clone().map(move |choice| (chosen, choice)))
            {
                let mut others = chosen.iter().enumerate();
                if others.any(|(at, &(lane, _))| self.lanes[at][lane].action == lanes[choice].action) {
                    continue;
                }
                if longer.len() == n_free {
                    self.is_cut_short = true;
                    break;
                }
                longer.push(chosen.iter().copied().chain([(choice, 0)]).collect());
            }
            partial = longer;
        }
        for combination in partial {
            self.lanes[subject_idx][lane_idx].waiting.push(self.combinations.len());
            self.combinations.push(combination);
        }
        lane_idx
    }

    /// An interval begins at an event of the lane; `clock` is the event's.
    pub(super) fn begin(
        &mut self,
        subject_idx: usize,
        lane_idx: usize,
        count: u64,
        clock: &Clock,
        is_after: bool,
    ) {
        if self.witness.is_some() {
            return;
        }
        let begin = Edge { count, clock: clock.clone(), is_after };
        self.lanes[subject_idx][lane_idx].intervals.push_back(Interval { begin, end: None });
        self.look_again(subject_idx, lane_idx);
    }

    /// The last interval of the lane ends at an event.
    pub(super) fn end(
        &mut self,
        subject_idx: usize,
        lane_idx: usize,
        count: u64,
        clock: &Clock,
        is_after: bool,
    ) {
        if self.witness.is_some() {
            return;
        }
        let end = Edge { count, clock: clock.clone(), is_after };
        if let Some(last) = self.lanes[subject_idx][lane_idx].intervals.back_mut() {
            last.end = Some(end);
        }
        self.look_again(subject_idx, lane_idx);
    }

    /// A witness; at the end of a run, intervals that last count as going on for ever.
    pub(super) fn found(&self, is_over: bool) -> Option<Vec<Held>> {
        if self.witness.is_some() || !is_over {
            return self.witness.clone();
        }
        self.combinations.iter().find_map(|heads| match self.advance(&mut heads.clone(), true) {
            Found::Witness(witness) => Some(witness),
            Found::WaitsFor(_) => None,
        })
    }

    fn look_again(&mut self, subject_idx: usize, lane_idx: usize) {
        for combination_idx in std::mem::take(&mut self.lanes[subject_idx][lane_idx].waiting) {
            let mut heads = std::mem::take(&mut self.combinations[combination_idx]);
            match self.advance(&mut heads, false) {
                Found::Witness(witness) => {
                    self.witness = Some(witness);
                    self.combinations = Vec::new();
                    self.lanes.iter_mut().flatten().for_each(|lane| lane.intervals = VecDeque::new());
                    return;
                }
                Found::WaitsFor(waited_idx) => {
                    self.lanes[waited_idx][heads[waited_idx].0].waiting.push(combination_idx);
                }
            }
            if self.is_fixed {
                self.drop_eliminated(&heads);
            }
            self.combinations[combination_idx] = heads;
        }
    }

    /// Drops what will not be looked at again; there is one combination.
    fn drop_eliminated(&mut self, heads: &[(usize, usize)]) {
        for (lanes, &(lane_idx, n_gone)) in self.lanes.iter_mut().zip(heads) {
            let lane = &mut lanes[lane_idx];
            lane.intervals.drain(..n_gone - lane.n_dropped);
            lane.n_dropped = n_gone;
        }
    }

    /// Eliminates heads until all overlap, or one of them must change first.
    fn advance(&self, heads: &mut [(usize, usize)], is_over: bool) -> Found {
        loop {
            let mut found = Vec::with_capacity(heads.len());
            for (subject_idx, &(lane_idx, n_gone)) in heads.iter().enumerate() {
                let lane = &self.lanes[subject_idx][lane_idx];
                match lane.intervals.get(n_gone - lane.n_dropped) {
                    Some(head) => found.push((lane, head)),
                    None => return Found::WaitsFor(subject_idx),
                }
            }
            let is_eliminated = |&at: &usize| {
                let (lane, head) = found[at];
                let Some(end) = &head.end else { return false };
                let others = found.iter().enumerate().filter(|&(other, _)| other != at);
                let mut others = others.map(|(_, (lane, head))| (lane.slot, &head.begin));
                others.any(|(slot, begin)| match self.modality {
                    Modality::Possibly => begin.clock.get(lane.slot) >= end.count,
                    Modality::Definitely => begin.count > end.clock.get(slot),
                })
            };
            if let Some(at) = (0..heads.len()).find(is_eliminated) {
                heads[at].1 += 1;
                continue;
            }
            return match self.modality {
                Modality::Possibly => Found::Witness(cut(&found)),
                Modality::Definitely => match found.iter().position(|(_, head)| head.end.is_none()) {
                    Some(at) if !is_over => Found::WaitsFor(at),
                    _ => {
                        let place = |edge: &Edge| (edge.count, edge.is_after);
                        let held = |(lane, head): &(&Lane, &Interval)| Held {
                            action: lane.action,
                            from: place(&head.begin),
                            until: Some(head.end.as_ref().map(place)),
                        };
                        Found::Witness(found.iter().map(held).collect())
                    }
                },
            };
        }
    }
}

/// The earliest consistent cut that no interval has begun after: each action's last event in it.
fn cut(found: &[(&Lane, &Interval)]) -> Vec<Held> {
    let held = |&(lane, head): &(&Lane, &Interval)| {
        let own = (head.begin.count, head.begin.is_after);
        let others = found.iter().filter(|(other, _)| other.action != lane.action);
        // An event that another one comes after has sent, and so is at its aftcomp.
        let seen = others.map(|(_, other)| (other.begin.clock.get(lane.slot), true));
        let from = seen.filter(|&(count, _)| count > 0).fold(own, std::cmp::max);
        Held { action: lane.action, from, until: None }
    };
    found.iter().map(held).collect()
}
