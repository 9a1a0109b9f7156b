//! Taking in events one by one, and making the report of what they left.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;

use rustc_hash::FxHashMap;

use hasse_model::event::EventRecord;
use hasse_model::id::{ActionId, EventId};
use hasse_model::table::IdTable;
use hasse_model::trace::{Names, RecordingMode, TraceHeader};

use super::chain::{ChainError, Chains, Head};
use super::chain_log::Link;
use super::group::Groups;
use super::options::PerfOptions;
use super::path;
use super::queue::Queues;
use super::report::{Cell, Load, Path, Report, Slow};
use super::sweep::{Interval, Sweep};

/// What an action did.
#[derive(Debug)]
struct Action {
    group: u32,
    n_events: u64,
    computing: u64,
    longest: u64,
    queued: u64,
    most_queued: u64,
    locked: u64,
}

/// An event that is among the slowest so far; of equally slow ones the earlier one is slower.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct SlowOne {
    computing: u64,
    position: Reverse<u64>,
    computes: u64,
    worker: u32,
    event: EventId,
}

/// What has been measured so far.
#[derive(Debug)]
pub(super) struct Meter<'a> {
    options: PerfOptions<'a>,
    program: String,
    mode: RecordingMode,
    n_workers: u32,
    /// `None` before the first event.
    chains: Option<Chains>,
    is_timed: bool,
    groups: Groups,
    actions: Vec<Action>,
    /// For each action its position among `actions`, from 1.
    action_of: IdTable<u32>,
    /// Values and transfers by sender's and taker's group.
    cells: FxHashMap<(u32, u32), (u64, u64)>,
    n_sent: u64,
    n_taken: u64,
    /// Number of events of each level, from 1.
    levels: Vec<u64>,
    sweep: Sweep,
    queues: Queues,
    /// The first start and the last end of all events, in the window or not.
    range: Option<(u64, u64)>,
    slowest: BinaryHeap<Reverse<SlowOne>>,
    routes: Vec<Box<[u32]>>,
    routes_of: FxHashMap<Box<[u32]>, u32>,
    n_events: u64,
    n_untimed: u64,
}

impl<'a> Meter<'a> {
    pub(super) fn new(header: &TraceHeader, options: &PerfOptions<'a>) -> Self {
        Self {
            options: *options,
            program: header.program_path.clone(),
            mode: header.mode,
            n_workers: header.n_workers,
            chains: None,
            is_timed: header.mode == RecordingMode::Perf,
            groups: Groups::new(options.by),
            actions: Vec::new(),
            action_of: IdTable::new(),
            cells: FxHashMap::default(),
            n_sent: 0,
            n_taken: 0,
            levels: Vec::new(),
            sweep: Sweep::new(options.scratch),
            queues: Queues::new(options.scratch),
            range: None,
            slowest: BinaryHeap::new(),
            routes: Vec::new(),
            routes_of: FxHashMap::default(),
            n_events: 0,
            n_untimed: 0,
        }
    }

    /// Whether there are times in the record.
    pub(super) fn is_timed(&self) -> bool {
        self.is_timed
    }

    /// Takes in the next event in causal order, which can have been carried on at a moment at the earliest.
    pub(super) fn event(
        &mut self,
        event: &EventRecord,
        resumed: u64,
        names: &Names,
    ) -> Result<(), ChainError> {
        if self.chains.is_none() {
            self.is_timed |= event.timing.is_some();
        }
        let routes = self.routes_number(event);
        let window = self.options.window;
        let within = |timing: (u64, u64)| window.is_none_or(|window| window.meets(timing.0, timing.1));
        let clamp = |nanos| window.map_or(nanos, |window| window.clamp(nanos));
        let timing = event.timing.filter(|_| self.is_timed);
        let counts = timing.map_or(window.is_none(), |timing| within((timing.start, timing.end)));
        let suspended = timing.map_or(0, |timing| timing.suspended);
        let timing = timing.map(|timing| (timing.worker, clamp(timing.start), clamp(timing.end)));
        let is_timed = self.is_timed;
        let (mode, open) = (self.mode, self.options.scratch);
        let chains = self.chains.get_or_insert_with(|| Chains::new(mode, is_timed, open));
        let (link, level) =
            chains.event(&Head { event, routes, timing, suspended, resumed: clamp(resumed), counts })?;
        if timing.is_some() {
            let (first, last) = self.range.unwrap_or((link.start, link.end));
            self.range = Some((first.min(link.start), last.max(link.end)));
        }
        if counts {
            self.count(event, &link, level, timing.is_some(), names)?;
        }
        Ok(())
    }

    fn count(
        &mut self,
        event: &EventRecord,
        link: &Link,
        level: u64,
        has_times: bool,
        names: &Names,
    ) -> io::Result<()> {
        let position = self.n_events;
        self.n_events += 1;
        let level = usize::try_from(level).expect("fewer levels than events");
        if self.levels.len() < level {
            self.levels.resize(level, 0);
        }
        self.levels[level - 1] += 1;
        self.count_exchange(event, names);
        let own = self.action(event.id.action, names);
        let action = &mut self.actions[own as usize];
        action.n_events += 1;
        if !has_times {
            self.n_untimed += u64::from(self.is_timed);
            return Ok(());
        }
        let computing = link.end - link.computes;
        let queued = link.start - link.ready + (link.computes - link.granted);
        // Times may be anything that a file says.
        action.computing = action.computing.saturating_add(computing);
        action.longest = action.longest.max(computing);
        action.queued = action.queued.saturating_add(queued);
        action.most_queued = action.most_queued.max(queued);
        action.locked = action.locked.saturating_add(link.granted - link.start);
        let group = action.group;
        for sent in self.chains.iter().flat_map(Chains::sent) {
            self.queues.push(group, *sent, link.start)?;
        }
        self.sweep.push(&Interval {
            worker: link.worker,
            ready: link.ready,
            start: link.start,
            granted: link.granted,
            computes: link.computes,
            end: link.end,
            group,
        })?;
        self.slowest.push(Reverse(SlowOne {
            computing,
            position: Reverse(position),
            computes: link.computes,
            worker: link.worker,
            event: event.id,
        }));
        if self.slowest.len() > self.options.n_top {
            self.slowest.pop();
        }
        Ok(())
    }

    fn count_exchange(&mut self, event: &EventRecord, names: &Names) {
        let taker = self.group(event.id.action, names);
        self.n_sent = self.n_sent.saturating_add(event.flow_successors);
        for sender in &event.flow {
            let from = self.group(sender.action, names);
            self.cells.entry((from, taker)).or_default().0 += 1;
            self.n_taken += 1;
        }
        let writers = event.shared.iter().filter_map(|access| access.writer);
        let others = writers.chain(event.relayed.iter().map(|relayed| relayed.event));
        for other in others.filter(|other| other.action != event.id.action) {
            let from = self.group(other.action, names);
            self.cells.entry((from, taker)).or_default().1 += 1;
        }
    }

    fn group(&mut self, action: ActionId, names: &Names) -> u32 {
        let position = self.action(action, names);
        self.actions[position as usize].group
    }

    /// The position of an action among `actions`.
    fn action(&mut self, action: ActionId, names: &Names) -> u32 {
        let known = self.action_of.slot(action.0);
        if *known == 0 {
            let group = self.groups.of(action, names);
            self.actions.push(Action {
                group,
                n_events: 0,
                computing: 0,
                longest: 0,
                queued: 0,
                most_queued: 0,
                locked: 0,
            });
            *known = u32::try_from(self.actions.len()).expect("fewer than 2^32 actions");
        }
        *known - 1
    }

    /// The number of an event's list of routing rules; the same few lists come again and again.
    fn routes_number(&mut self, event: &EventRecord) -> u32 {
        if self.options.program.is_none() {
            return 0;
        }
        if let Some(&known) = self.routes_of.get(event.routes.as_slice()) {
            return known;
        }
        let number = u32::try_from(self.routes.len()).expect("fewer lists than memory holds");
        self.routes.push(event.routes.as_slice().into());
        self.routes_of.insert(event.routes.as_slice().into(), number);
        number
    }

    /// The report of all events that came.
    ///
    /// # Errors
    /// Scratch files cannot be read.
    pub(super) fn finish(mut self, names: &Names) -> io::Result<Report> {
        let chain = self.chains.take().map(Chains::finish);
        let (groups, position_of) = self.groups.finish(names);
        let group_of = |action: ActionId| {
            let known = self.action_of.get(action.0).filter(|known| **known > 0);
            known.map_or(0, |known| position_of[self.actions[*known as usize - 1].group as usize])
        };
        let is_restricted = self.mode == RecordingMode::Restricted;
        let world = path::World {
            names,
            routes: &self.routes,
            program: self.options.program,
            is_restricted,
            is_timed: self.is_timed,
        };
        let path = match chain {
            Some((tail, mut log)) => {
                path::path(tail, &mut log, &world, self.options.n_top.max(self.options.n_steps), group_of)?
            }
            None => Path::default(),
        };
        let mut loads = vec![Load::default(); groups.len()];
        for action in self.actions.iter().filter(|action| action.n_events > 0) {
            let load = &mut loads[position_of[action.group as usize]];
            load.n_actions += 1;
            load.n_events += action.n_events;
            load.most_events = load.most_events.max(action.n_events);
            load.computing = load.computing.saturating_add(action.computing);
            load.longest = load.longest.max(action.longest);
            load.most_of_action = load.most_of_action.max(action.computing);
            load.queued = load.queued.saturating_add(action.queued);
            load.most_queued = load.most_queued.max(action.most_queued);
            load.locked = load.locked.saturating_add(action.locked);
        }
        let mut cells: Vec<Cell> = self
            .cells
            .into_iter()
            .map(|((from, to), (values, transfers))| Cell {
                from: position_of[from as usize],
                to: position_of[to as usize],
                values,
                transfers,
            })
            .collect();
        cells.sort_unstable_by_key(|cell| (cell.from, cell.to));
        let mut slowest: Vec<SlowOne> = self.slowest.into_iter().map(|Reverse(slow)| slow).collect();
        slowest.sort_unstable_by(|one, other| other.cmp(one));
        let slow = |slow: SlowOne| Slow {
            event: names.event(slow.event).to_string(),
            worker: slow.worker,
            computes: slow.computes,
            computing: slow.computing,
        };
        let times = match self.is_timed {
            true => Some(self.sweep.times(
                self.range.unwrap_or_default(),
                self.n_workers,
                &loads,
                &position_of,
            )?),
            false => None,
        };
        let queues = match self.is_timed {
            true => self.queues.loads(self.range.unwrap_or_default(), groups.len(), &position_of)?,
            false => Vec::new(),
        };
        let is_whole = !is_restricted && self.options.window.is_none();
        Ok(Report {
            program: self.program,
            mode: self.mode,
            by: self.options.by,
            n_top: self.options.n_top,
            window: self.options.window,
            n_events: self.n_events,
            n_untimed: self.n_untimed,
            times,
            path,
            levels: self.levels,
            groups,
            loads,
            queues,
            cells,
            n_untaken: if is_whole { self.n_sent.saturating_sub(self.n_taken) } else { 0 },
            slowest: slowest.into_iter().map(slow).collect(),
        })
    }
}
