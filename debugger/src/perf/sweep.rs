//! What workers did at each moment, from the intervals of events: sweeping over their ends in the order of time.

use std::collections::BTreeMap;

use super::report::{Bar, Load, Times, WorkerLoad};

/// Equal parts of the wall time for which utilization is told.
pub(super) const N_BINS: usize = 60;

/// Workers that are listed though they did nothing.
const MOST_IDLE: u32 = 1 << 10;

/// An event in time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interval {
    pub(super) ready: u64,
    pub(super) start: u64,
    pub(super) granted: u64,
    pub(super) computes: u64,
    pub(super) end: u64,
    pub(super) group: u32,
}

/// Sums up the intervals of each worker between two moments that enclose them. `position_of` gives the position of a group by its number.
pub(super) fn times(
    mut lanes: BTreeMap<u32, Vec<Interval>>,
    (first, last): (u64, u64),
    n_workers: u32,
    loads: &[Load],
    position_of: &[usize],
) -> Times {
    for worker in 0..n_workers.min(MOST_IDLE) {
        lanes.entry(worker).or_default();
    }
    let all = || lanes.values().flatten();
    let profile = profile(all().map(|interval| (interval.computes, interval.end)), first, last);
    let spans_of: Vec<Vec<(u64, u64)>> = lanes.values().map(|lane| spans(lane)).collect();
    let before = all().map(|interval| (interval.ready.max(first), interval.start));
    let waiting = before.chain(all().map(|interval| (interval.granted, interval.computes)));
    let starved = starved(spans_of.len() as u64, spans_of.iter().flatten().copied(), waiting);
    let bar = |interval: &Interval| Bar {
        from: interval.computes,
        to: interval.end,
        group: u32::try_from(position_of[interval.group as usize]).expect("fewer groups than actions"),
    };
    let workers: Vec<WorkerLoad> = lanes
        .iter()
        .zip(&spans_of)
        .map(|((&worker, lane), spans)| {
            let mut bars: Vec<Bar> = lane.iter().map(bar).collect();
            bars.sort_unstable();
            WorkerLoad {
                worker,
                n_events: lane.len() as u64,
                busy: spans.iter().map(|(from, to)| to - from).sum(),
                longest: lane.iter().map(|interval| interval.end - interval.computes).max().unwrap_or(0),
                bins: bins(spans, first, last, N_BINS),
                lane: bars,
            }
        })
        .collect();
    let bins = (0..N_BINS).map(|bin| sum(workers.iter().map(|worker| worker.bins[bin]))).collect();
    Times {
        first,
        last,
        work: sum(loads.iter().map(|load| load.computing)),
        locked: sum(loads.iter().map(|load| load.locked)),
        queued: sum(loads.iter().map(|load| load.queued)),
        most_queued: loads.iter().map(|load| load.most_queued).max().unwrap_or(0),
        starved,
        workers,
        profile,
        bins,
    }
}

/// A sum that ends at the largest number: times may be anything that a file says.
pub(super) fn sum(parts: impl Iterator<Item = u64>) -> u64 {
    parts.fold(0, u64::saturating_add)
}

/// When a worker was busy: disjoint, in the order of time, whatever the record says.
fn spans(lane: &[Interval]) -> Vec<(u64, u64)> {
    let mut all: Vec<(u64, u64)> = lane.iter().map(|interval| (interval.computes, interval.end)).collect();
    all.sort_unstable();
    all.dedup_by(|next, last| {
        let meets = next.0 <= last.1;
        if meets {
            last.1 = last.1.max(next.1);
        }
        meets
    });
    all
}

/// Busy time in each of so many equal parts of a stretch.
pub(super) fn bins(spans: &[(u64, u64)], first: u64, last: u64, n_bins: usize) -> Vec<u64> {
    let edge = |bin: usize| first + (u128::from(last - first) * bin as u128 / n_bins as u128) as u64;
    let mut bins = vec![0; n_bins];
    let mut next = 0;
    for (bin, busy) in bins.iter_mut().enumerate() {
        let (from, to) = (edge(bin), edge(bin + 1));
        while let Some(&(start, end)) = spans.get(next).filter(|(start, _)| *start < to) {
            *busy += end.min(to).saturating_sub(start.max(from));
            if end > to {
                break;
            }
            next += 1;
        }
    }
    bins
}

/// For how long exactly k of the intervals went on, by k from 0.
pub(super) fn profile(intervals: impl Iterator<Item = (u64, u64)>, first: u64, last: u64) -> Vec<u64> {
    let mut profile = vec![0];
    let mut running = Steps::new(intervals);
    let mut now = first;
    while now < last {
        let n_running = running.up_to(now);
        let then = running.next_change().map_or(last, |then| then.min(last));
        if profile.len() <= n_running {
            profile.resize(n_running + 1, 0);
        }
        profile[n_running] += then - now;
        now = then;
    }
    profile
}

/// For how long workers were idle while something was ready, added over the workers.
fn starved(
    n_workers: u64,
    busy: impl Iterator<Item = (u64, u64)>,
    waiting: impl Iterator<Item = (u64, u64)>,
) -> u64 {
    let (mut busy, mut waiting) = (Steps::new(busy), Steps::new(waiting));
    let mut starved = 0;
    let Some(mut now) = waiting.next_change() else { return 0 };
    loop {
        let n_idle = n_workers.saturating_sub(busy.up_to(now) as u64);
        let n_ready = waiting.up_to(now) as u64;
        // Nothing waits any more.
        let Some(then) = waiting.next_change() else { return starved };
        let then = busy.next_change().map_or(then, |change| change.min(then));
        starved = n_idle.min(n_ready).saturating_mul(then - now).saturating_add(starved);
        now = then;
    }
}

/// How many of a set of intervals go on, as time passes. Memory: 16 bytes an interval.
struct Steps {
    starts: Vec<u64>,
    ends: Vec<u64>,
    n_started: usize,
    n_ended: usize,
}

impl Steps {
    fn new(intervals: impl Iterator<Item = (u64, u64)>) -> Self {
        let (mut starts, mut ends): (Vec<u64>, Vec<u64>) = intervals.filter(|(from, to)| from < to).unzip();
        starts.sort_unstable();
        ends.sort_unstable();
        Self { starts, ends, n_started: 0, n_ended: 0 }
    }

    /// How many go on at a moment; moments do not go back.
    fn up_to(&mut self, now: u64) -> usize {
        while self.starts.get(self.n_started).is_some_and(|start| *start <= now) {
            self.n_started += 1;
        }
        while self.ends.get(self.n_ended).is_some_and(|end| *end <= now) {
            self.n_ended += 1;
        }
        self.n_started - self.n_ended
    }

    /// The moment at which that changes.
    fn next_change(&self) -> Option<u64> {
        let start = self.starts.get(self.n_started).copied();
        let end = self.ends.get(self.n_ended).copied();
        match (start, end) {
            (Some(start), Some(end)) => Some(start.min(end)),
            (start, end) => start.or(end),
        }
    }
}
