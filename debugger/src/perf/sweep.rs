//! What workers did at each moment, from the intervals of events: sweeping over their ends in the order of time.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::io;

use rustc_hash::FxHashMap;

use super::report::{Bar, Column, Load, Times, WorkerLoad};
use super::scratch::{OpenScratch, Sorted, Sorter, Span};
use super::svg::picture::PLOT_WIDTH;

/// Equal parts of the wall time for which utilization is told.
pub(super) const N_BINS: usize = 60;

/// Workers that are listed though they did nothing.
const MOST_IDLE: u32 = 1 << 10;

/// An event in time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interval {
    pub(super) worker: u32,
    pub(super) ready: u64,
    pub(super) start: u64,
    pub(super) granted: u64,
    pub(super) computes: u64,
    pub(super) end: u64,
    pub(super) group: u32,
}

/// Takes in intervals in any order.
#[derive(Debug)]
pub(super) struct Sweep {
    /// Number of events of each worker, and their longest computing.
    lanes: BTreeMap<u32, (u64, u64)>,
    /// When events compute.
    computing: Sorter,
    /// When events are ready and no worker executes them.
    waiting: Sorter,
}

impl Sweep {
    pub(super) fn new(open: OpenScratch) -> Self {
        Self { lanes: BTreeMap::new(), computing: Sorter::new(open), waiting: Sorter::new(open) }
    }

    /// Takes in an interval.
    ///
    /// # Errors
    /// The scratch file cannot be written.
    pub(super) fn push(&mut self, interval: &Interval) -> io::Result<()> {
        let Interval { worker, ready, start, granted, computes, end, group } = *interval;
        let (n_events, longest) = self.lanes.entry(worker).or_default();
        *n_events += 1;
        *longest = (*longest).max(end - computes);
        let span = |from, to| Span { from, to, worker, group };
        if computes < end {
            self.computing.push(span(computes, end))?;
        }
        for (from, to) in [(ready, start), (granted, computes)] {
            if from < to {
                self.waiting.push(span(from, to))?;
            }
        }
        Ok(())
    }

    /// Sums up the intervals of each worker between two moments that enclose them. `position_of` gives the position of a
    /// group by its number. Memory: what goes on at one moment, and what a picture shows.
    ///
    /// # Errors
    /// The scratch files cannot be read.
    pub(super) fn times(
        mut self,
        (first, last): (u64, u64),
        n_workers: u32,
        loads: &[Load],
        position_of: &[usize],
    ) -> io::Result<Times> {
        for worker in 0..n_workers.min(MOST_IDLE) {
            self.lanes.entry(worker).or_default();
        }
        let mut going = Going {
            first,
            last,
            workers: self
                .lanes
                .keys()
                .map(|worker| Worker { worker: *worker, ..Worker::default() })
                .collect(),
            ends: BinaryHeap::new(),
            waiting_ends: BinaryHeap::new(),
            n_busy: 0,
            profile: vec![0],
            starved: 0,
            now: first,
        };
        let at: FxHashMap<u32, usize> =
            self.lanes.keys().enumerate().map(|(at, worker)| (*worker, at)).collect();
        let (mut computing, mut waiting) = (self.computing.sorted()?, self.waiting.sorted()?);
        let position = |group: u32| position_of[group as usize] as u32;
        while let Some(next) = going.next_change(&computing, &waiting) {
            going.pass_to(next);
            going.take_ends();
            while computing.peek().is_some_and(|span| span.from <= next)
                && let Some(span) = computing.next()?
            {
                going.begin(at[&span.worker], &span, position(span.group));
            }
            while waiting.peek().is_some_and(|span| span.from <= next)
                && let Some(span) = waiting.next()?
            {
                if span.to > next {
                    going.waiting_ends.push(Reverse(span.to));
                }
            }
        }
        going.pass_to(last);
        let workers: Vec<WorkerLoad> = going
            .workers
            .into_iter()
            .zip(self.lanes.into_values())
            .map(|(worker, lane)| worker.load(lane))
            .collect();
        let bins = (0..N_BINS).map(|bin| sum(workers.iter().map(|worker| worker.bins[bin]))).collect();
        Ok(Times {
            first,
            last,
            work: sum(loads.iter().map(|load| load.computing)),
            locked: sum(loads.iter().map(|load| load.locked)),
            queued: sum(loads.iter().map(|load| load.queued)),
            most_queued: loads.iter().map(|load| load.most_queued).max().unwrap_or(0),
            starved: going.starved,
            workers,
            profile: going.profile,
            bins,
        })
    }
}

/// What goes on at a moment, and the sums up to it.
struct Going {
    first: u64,
    last: u64,
    workers: Vec<Worker>,
    /// Ends of what computes, with the position of the worker.
    ends: BinaryHeap<Reverse<(u64, usize)>>,
    /// Ends of what waits for a worker.
    waiting_ends: BinaryHeap<Reverse<u64>>,
    n_busy: u64,
    profile: Vec<u64>,
    starved: u64,
    now: u64,
}

impl Going {
    /// The next moment at which something begins or ends.
    fn next_change(&self, computing: &Sorted, waiting: &Sorted) -> Option<u64> {
        let end = self.ends.peek().map(|Reverse((end, _))| *end);
        let waiting_end = self.waiting_ends.peek().map(|Reverse(end)| *end);
        let begins = [computing.peek(), waiting.peek()].map(|span| Some(span?.from.max(self.first)));
        begins.into_iter().chain([end, waiting_end]).flatten().min()
    }

    /// Adds up what went on until a moment.
    fn pass_to(&mut self, then: u64) {
        let passed = then.saturating_sub(self.now);
        if passed == 0 {
            return;
        }
        let (from, to) = (self.now.clamp(self.first, self.last), then.clamp(self.first, self.last));
        let n_running = self.ends.len();
        if from < to {
            if self.profile.len() <= n_running {
                self.profile.resize(n_running + 1, 0);
            }
            self.profile[n_running] += to - from;
        }
        let n_idle = (self.workers.len() as u64).saturating_sub(self.n_busy);
        let n_ready = self.waiting_ends.len() as u64;
        self.starved = n_idle.min(n_ready).saturating_mul(passed).saturating_add(self.starved);
        self.now = then;
    }

    /// Takes off what has ended by now.
    fn take_ends(&mut self) {
        while let Some(Reverse((end, at))) =
            self.ends.peek().copied().filter(|Reverse((end, _))| *end <= self.now)
        {
            self.ends.pop();
            let worker = &mut self.workers[at];
            worker.n_running -= 1;
            if worker.n_running == 0 {
                self.n_busy -= 1;
                worker.add_busy((worker.since, end), self.first, self.last);
            }
        }
        while self.waiting_ends.peek().is_some_and(|Reverse(end)| *end <= self.now) {
            self.waiting_ends.pop();
        }
    }

    fn begin(&mut self, at: usize, span: &Span, group: u32) {
        let worker = &mut self.workers[at];
        if worker.n_running == 0 {
            self.n_busy += 1;
            worker.since = span.from;
        }
        worker.n_running += 1;
        worker.draw(span, group, self.first, self.last);
        self.ends.push(Reverse((span.to, at)));
    }
}

/// A worker while time passes.
#[derive(Default)]
struct Worker {
    worker: u32,
    n_running: u64,
    /// Since when it is busy.
    since: u64,
    busy: u64,
    bins: Vec<u64>,
    /// The first part of the wall time that is not over.
    bin: usize,
    lane: Vec<Bar>,
    columns: BTreeMap<(u32, u32), u64>,
}

impl Worker {
    /// Adds a stretch during which it was busy, after all before.
    fn add_busy(&mut self, (from, to): (u64, u64), first: u64, last: u64) {
        self.busy += to - from;
        self.bins.resize(N_BINS, 0);
        while self.bin < N_BINS - 1 && edge(self.bin + 1, first, last) <= from {
            self.bin += 1;
        }
        for bin in self.bin..N_BINS {
            let (begins, ends) = (edge(bin, first, last), edge(bin + 1, first, last));
            self.bins[bin] += to.min(ends).saturating_sub(from.max(begins));
            if to <= ends {
                break;
            }
        }
    }

    /// Notes an event for the picture: by itself if it has a pixel or more.
    fn draw(&mut self, span: &Span, group: u32, first: u64, last: u64) {
        let wall = (last - first).max(1) as f64;
        let offset = |at: u64| at.saturating_sub(first) as f64 / wall * PLOT_WIDTH;
        if offset(span.to) - offset(span.from) >= 1.0 {
            self.lane.push(Bar { from: span.from, to: span.to, group });
        } else {
            let column = offset(span.from) as u32;
            *self.columns.entry((column, group)).or_default() += span.to - span.from;
        }
    }

    fn load(mut self, (n_events, longest): (u64, u64)) -> WorkerLoad {
        self.bins.resize(N_BINS, 0);
        let column = |((column, group), nanos): ((u32, u32), u64)| Column { column, group, nanos };
        let columns = self.columns.into_iter().map(column).collect();
        let Self { worker, busy, bins, lane, .. } = self;
        WorkerLoad { worker, n_events, busy, longest, bins, lane, columns }
    }
}

/// Where one of the equal parts of a stretch begins.
pub(super) fn edge(bin: usize, first: u64, last: u64) -> u64 {
    first + (u128::from(last - first) * bin as u128 / N_BINS as u128) as u64
}

/// A sum that ends at the largest number: times may be anything that a file says.
pub(super) fn sum(parts: impl Iterator<Item = u64>) -> u64 {
    parts.fold(0, u64::saturating_add)
}
