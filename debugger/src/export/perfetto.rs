//! Timelines for Perfetto: its native trace format, with an arrow for each edge between actions.
//!
//! In a perf record tracks are workers and times are those of the run. An event that waits for a lock gives its worker
//! back, so that events of one worker may overlap; those that do go to further tracks of the worker. In any other record
//! tracks are actions below their templates, and time is logical: an event begins at the length of the longest chain
//! before it in causal order (Lamport 1978), in microseconds, so that events at one place are concurrent. Arrows are
//! one for each flow or shared edge; sequence edges have none, as a track shows them.
//!
//! Looks ahead, as an event names the arrows that leave it. Memory: 4 bytes an event, what
//! [`Edges`] and clocks of one slot take, the strings that packets name by numbers, and in a perf record 32 bytes an event.

mod wire;

use std::io::Write;

use rustc_hash::FxHashMap;

use hasse_model::event::{EventRecord, Timing};
use hasse_model::id::{ActionId, TemplateId};
use hasse_model::trace::{Names, RecordingMode, TraceHeader};

use self::wire::{Arg, Dictionary, PROCESS, Slice, Track};
use super::edges::{EdgeKind, Edges};
use super::exporter::{ExportError, Exporter};
use super::wording::{Rules, graph_path, template_name};
use crate::clock::{Clock, Clocks};
use crate::read::Summary;

/// Nanoseconds from one logical time to the next.
const STEP_NANOS: u64 = 1000;
/// Nanoseconds that an event is drawn with in logical time, so that one ends before the next begins.
const SHOWN_NANOS: u64 = 900;

/// Writes the timeline.
pub struct Perfetto<W> {
    out: W,
    program: String,
    rules: Rules,
    mode: RecordingMode,
    ahead: Edges,
    edges: Edges,
    clocks: Clocks,
    /// Number of arrows that leave each event, by its number less 1.
    n_leaving: Vec<u32>,
    /// Worker, start, end and number of each timed event, until the first event is written.
    timed: Vec<(u32, u64, u64, u64)>,
    /// Lane of the events that are not on their worker's first.
    lanes: FxHashMap<u64, u64>,
    has_begun: bool,
    next_arrow: u64,
    /// Next arrow of each event with arrows that have not arrived, and how many those are.
    under_way: FxHashMap<u64, (u64, u32)>,
    tracks: Tracks,
    dictionary: Dictionary,
    buffer: Vec<u8>,
}

/// Tracks that have been announced.
#[derive(Debug, Default)]
struct Tracks {
    n_tracks: u64,
    lanes: FxHashMap<(u32, u64), u64>,
    templates: FxHashMap<Option<TemplateId>, u64>,
    actions: FxHashMap<ActionId, u64>,
}

impl<W: Write> Perfetto<W> {
    /// Nothing is written yet.
    pub fn new(header: &TraceHeader, rules: Rules, out: W) -> Self {
        let mode = header.mode;
        Self {
            out,
            program: header.program_path.clone(),
            rules,
            mode,
            ahead: Edges::of_mode(mode),
            edges: Edges::of_mode(mode),
            clocks: Clocks::of_mode(mode),
            n_leaving: Vec::new(),
            timed: Vec::new(),
            lanes: FxHashMap::default(),
            has_begun: false,
            next_arrow: 1,
            under_way: FxHashMap::default(),
            tracks: Tracks { n_tracks: PROCESS, ..Tracks::default() },
            dictionary: Dictionary::default(),
            buffer: Vec::new(),
        }
    }

    fn begin(&mut self) {
        if !self.has_begun {
            self.has_begun = true;
            self.ahead = Edges::of_mode(self.mode);
            self.lanes = lanes(std::mem::take(&mut self.timed));
            wire::put_track(&mut self.buffer, PROCESS, &Track::Process { name: &self.program });
        }
    }

    /// The track of an event, announced if it is new, and when it is drawn there.
    fn place(&mut self, number: u64, depth: u64, event: &EventRecord, names: &Names) -> (u64, u64, u64) {
        match event.timing {
            Some(Timing { worker, start, end, .. }) => {
                let lane = self.lanes.get(&number).copied().unwrap_or(0);
                (self.tracks.of_lane(worker, lane, &mut self.buffer), start, end.max(start))
            }
            None => {
                let track = self.tracks.of_action(event, names, &mut self.buffer);
                (track, depth * STEP_NANOS, depth * STEP_NANOS + SHOWN_NANOS)
            }
        }
    }
}

impl Tracks {
    fn new_track(&mut self) -> u64 {
        self.n_tracks += 1;
        self.n_tracks
    }

    fn of_lane(&mut self, worker: u32, lane: u64, out: &mut Vec<u8>) -> u64 {
        if let Some(&track) = self.lanes.get(&(worker, lane)) {
            return track;
        }
        let track = self.new_track();
        // A process has a thread of its own number; workers are those behind it.
        let tid = u64::from(worker) + 2;
        if lane == 0 {
            wire::put_track(out, track, &Track::Thread { tid, name: &format!("worker {worker}") });
        } else {
            let name = format!("worker {worker}, overlapping {lane}");
            let rank = u64::from(worker);
            wire::put_track(out, track, &Track::Named { parent: PROCESS, rank, name: &name });
        }
        self.lanes.insert((worker, lane), track);
        track
    }

    fn of_action(&mut self, event: &EventRecord, names: &Names, out: &mut Vec<u8>) -> u64 {
        let action = event.id.action;
        if let Some(&track) = self.actions.get(&action) {
            return track;
        }
        let template = names.template_of(action);
        let parent = match self.templates.get(&template) {
            Some(&parent) => parent,
            None => {
                let parent = self.new_track();
                let rank = template.map_or(0, |template| template.idx() as u64);
                let name = template_name(event, names);
                wire::put_track(out, parent, &Track::Named { parent: PROCESS, rank, name: &name });
                self.templates.insert(template, parent);
                parent
            }
        };
        let track = self.new_track();
        let name = names.action(action).to_string();
        let rank = self.actions.len() as u64;
        wire::put_track(out, track, &Track::Named { parent, rank, name: &name });
        self.actions.insert(action, track);
        track
    }
}

impl<W: Write> Exporter for Perfetto<W> {
    fn looks_ahead(&self) -> bool {
        true
    }

    fn ahead(&mut self, event: &EventRecord, names: &Names) -> Result<(), ExportError> {
        let (number, edges) = self.ahead.event(event).map_err(ExportError::inconsistent(names))?;
        self.n_leaving.push(0);
        for edge in edges.iter().filter(|edge| edge.kind != EdgeKind::Sequence) {
            if let Some(n_leaving) = self.n_leaving.get_mut(place_of(edge.from_number)) {
                *n_leaving = n_leaving.saturating_add(1);
            }
        }
        if let Some(Timing { worker, start, end, .. }) = event.timing {
            self.timed.push((worker, start, end, number));
        }
        Ok(())
    }

    fn event(&mut self, event: &EventRecord, names: &Names) -> Result<(), ExportError> {
        self.begin();
        // The length of the longest chain is a clock of one slot that every event raises.
        let mut clock: Clock = self.clocks.arrive(event).map_err(ExportError::inconsistent(names))?;
        let depth = clock.get(0);
        clock.raise(0, depth + 1);
        self.clocks.leave(event, clock);
        let (number, edges) = self.edges.event(event).map_err(ExportError::inconsistent(names))?;
        let mut arriving = Vec::new();
        let mut predecessors = Vec::new();
        for edge in edges {
            predecessors.push(format!("{} {}", edge.kind.name(), names.event(edge.from)));
            if edge.kind != EdgeKind::Sequence
                && let Some((next, n_left)) = self.under_way.get_mut(&edge.from_number)
            {
                arriving.push(*next);
                *next += 1;
                *n_left -= 1;
                if *n_left == 0 {
                    self.under_way.remove(&edge.from_number);
                }
            }
        }
        let n_leaving = self.n_leaving.get(place_of(number)).copied().unwrap_or(0);
        let leaving = self.next_arrow..self.next_arrow + u64::from(n_leaving);
        self.next_arrow = leaving.end;
        if n_leaving > 0 {
            self.under_way.insert(number, (leaving.start, n_leaving));
        }
        let (track, start, end) = self.place(number, depth, event, names);
        let name = template_name(event, names);
        let (path, action) = (names.event(event.id).to_string(), names.action(event.id.action).to_string());
        let (graph, words) = (graph_path(event, names), self.rules.words(event, names));
        let routes: Vec<String> = event.routes.iter().map(ToString::to_string).collect();
        let object = |access: &hasse_model::event::SharedAccess| {
            let verb = match access.access {
                hasse_model::plan::Access::Read => "read",
                hasse_model::plan::Access::Write => "write",
            };
            format!("{verb} {}", names.object(access.object))
        };
        let objects: Vec<String> = event.shared.iter().map(object).collect();
        let mut args = vec![
            ("event", Arg::Unique(&path)),
            ("action", Arg::Text(&action)),
            ("graph", Arg::Text(&graph)),
            ("count", Arg::Uint(event.id.count)),
            ("rule", Arg::Int(i64::from(event.rule))),
            ("rule_text", Arg::Text(&words)),
            ("outcome", Arg::Text(event.outcome.name())),
            ("values_sent", Arg::Uint(event.flow_successors)),
            ("depth", Arg::Uint(depth)),
        ];
        let lists = [("routes", &routes), ("objects", &objects), ("predecessors", &predecessors)];
        for (name, list) in lists {
            if !list.is_empty() {
                args.push((name, Arg::Texts(list)));
            }
        }
        if let Some(error) = &event.error {
            args.push(("error", Arg::Text(error)));
        }
        let slice = Slice { track, name: &name, start, end, leaving, arriving: &arriving, args: &args };
        wire::put_slice(&mut self.buffer, &mut self.dictionary, &slice);
        self.out.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    fn finish(&mut self, _: &Summary) -> Result<(), ExportError> {
        self.begin();
        self.out.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(self.out.flush()?)
    }
}

/// The place of a number that counts from 1.
fn place_of(number: u64) -> usize {
    usize::try_from(number).map_or(usize::MAX, |number| number.wrapping_sub(1))
}

/// The lane of each event that is not on its worker's first one: by start, each goes to the first lane that is free
/// since before it starts. Two events that meet in one instant are kept apart, as their order is not told.
fn lanes(mut timed: Vec<(u32, u64, u64, u64)>) -> FxHashMap<u64, u64> {
    timed.sort_unstable();
    let mut found = FxHashMap::default();
    let mut ends: Vec<u64> = Vec::new();
    let mut worker = None;
    for (own, start, end, number) in timed {
        if worker != Some(own) {
            worker = Some(own);
            ends.clear();
        }
        let lane = ends.iter().position(|&end| end < start).unwrap_or(ends.len());
        match ends.get_mut(lane) {
            Some(last) => *last = end.max(start),
            None => ends.push(end.max(start)),
        }
        if lane > 0 {
            found.insert(number, lane as u64);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_of_a_worker_that_overlap_go_to_further_lanes() {
        let timed =
            vec![(0, 0, 10, 1), (0, 5, 6, 2), (1, 3, 9, 3), (0, 11, 12, 4), (0, 12, 13, 5), (0, 14, 15, 6)];
        let lanes = lanes(timed);
        let lane = |number| lanes.get(&number).copied().unwrap_or(0);
        assert_eq!([1, 2, 3, 4, 5, 6].map(lane), [0, 1, 0, 0, 1, 0]);
    }
}
