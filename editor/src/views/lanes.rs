//! Events in lanes: for each instance, node or worker, its events along an axis, ready to be found by pixels.
//!
//! For each lane there is a sorted list of starts. Lanes that would be thinner than two pixels are merged with their
//! neighbors, by fours, and each merging has such lists of its own. What a picture shows of a lane is found
//! by walking its list in steps that double, from one column that shows something to the next; so a frame costs what the
//! picture has columns and rows, whatever the number of events.

use super::record::arrays::Record;
use super::task::Control;

/// The events of a lane, and the columns that show them.
mod row;

use row::{Row, gallop};
pub(super) use row::{Run, Window};

/// Rows that are not merged any more: they fit into any picture.
const FEWEST_ROWS: usize = 8;

/// What has a lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LanesBy {
    /// Each instance, by node, graph instance and index.
    #[default]
    Action,
    /// Each node of the program.
    Template,
    /// Each worker.
    Worker,
}

/// What an event's place from left to right says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Axis {
    /// Its position in causal order: one event in each place.
    #[default]
    Order,
    /// Its level: the length of the longest chain before it. Events of a level are concurrent, as far as they are of
    /// different instances.
    Level,
    /// When it started and ended.
    Time,
}

/// Lanes, merged so many times by fours.
#[derive(Debug)]
struct Merging {
    /// Where the events of each row end.
    ends: Vec<u32>,
    /// Positions of events, by row and start.
    events: Vec<u32>,
    /// Where they start; empty where that is their position.
    starts: Vec<u32>,
    /// Where the longest one of a row up to each ends; empty where all are 1 wide.
    reaches: Vec<u32>,
}

/// The lanes of a record.
#[derive(Debug)]
pub struct Lanes {
    by: LanesBy,
    axis: Axis,
    /// For each lane: position of the instance or template, or the worker.
    keys: Vec<u32>,
    /// For each key its lane; `u32::MAX` for none.
    lane_of: Vec<u32>,
    /// Beginning of time.
    base: u64,
    /// A unit of time is 2 to this, in nanoseconds.
    shift: u32,
    /// Where the axis ends.
    extent: f64,
    mergings: Vec<Merging>,
}

impl Lanes {
    /// Sorts events into lanes. `kept` says of each instance whether it has a place; without it all have. `None` where
    /// `control` says that nobody waits. Cost: some 0.2 s for a million events, and 4 to 12 bytes an event for
    /// each merging.
    pub fn new(
        record: &Record,
        by: LanesBy,
        axis: Axis,
        kept: Option<&[bool]>,
        control: Option<&Control>,
    ) -> Option<Self> {
        let is_kept = |instance: u32| kept.is_none_or(|kept| kept.get(instance as usize) == Some(&true));
        let keys: Vec<u32> = match by {
            LanesBy::Action => record.ranked().iter().copied().filter(|&at| is_kept(at)).collect(),
            LanesBy::Template => {
                let own = (0..record.instances().len() as u32).filter(|&at| is_kept(at));
                let mut templates: Vec<u32> = own.map(|at| record.template_of_instance(at)).collect();
                templates.sort_unstable();
                templates.dedup();
                templates
            }
            LanesBy::Worker => (0..record.n_workers() as u32).collect(),
        };
        // The template of what is not known has a key far away.
        let n_keys = keys.iter().map(|&key| if key == u32::MAX { 0 } else { key + 1 }).max().unwrap_or(0);
        let mut lane_of = vec![u32::MAX; n_keys as usize];
        for (lane, &key) in (0..).zip(&keys) {
            if let Some(slot) = lane_of.get_mut(key as usize) {
                *slot = lane;
            }
        }
        let axis = if record.is_timed() || axis != Axis::Time { axis } else { Axis::Order };
        let (base, last) = record.span().unwrap_or((0, 0));
        let shift = (64 - (last - base).leading_zeros()).saturating_sub(31);
        let extent = match axis {
            Axis::Order => f64::from(record.n_events()),
            Axis::Level => f64::from(record.n_levels()),
            Axis::Time => ((last - base) >> shift) as f64 + 1.0,
        };
        let mut lanes = Self { by, axis, keys, lane_of, base, shift, extent, mergings: Vec::new() };
        let mut order: Vec<u32> =
            (0..record.n_events()).filter(|&at| is_kept(record.instance_of(at))).collect();
        if axis != Axis::Order {
            order.sort_by_key(|&event| lanes.start_of(record, event));
        }
        let mut n_rows = lanes.keys.len();
        let mut merge = 0;
        loop {
            if control.is_some_and(Control::is_cancelled) {
                return None;
            }
            let merging = lanes.merging(record, &order, merge, n_rows);
            lanes.mergings.push(merging);
            if n_rows <= FEWEST_ROWS {
                break;
            }
            merge += 2;
            n_rows = n_rows.div_ceil(4);
        }
        Some(lanes)
    }

    /// No lanes.
    pub(super) fn empty() -> Self {
        Self {
            by: LanesBy::default(),
            axis: Axis::default(),
            keys: Vec::new(),
            lane_of: Vec::new(),
            base: 0,
            shift: 0,
            extent: 0.0,
            mergings: Vec::new(),
        }
    }

    fn merging(&self, record: &Record, order: &[u32], merge: u32, n_rows: usize) -> Merging {
        let mut ends = vec![0_u32; n_rows + 1];
        let row_of = |event: u32| self.lane(record, event).map(|lane| (lane >> merge) as usize);
        for row in order.iter().filter_map(|&event| row_of(event)) {
            ends[row + 1] += 1;
        }
        for row in 0..n_rows {
            ends[row + 1] += ends[row];
        }
        let mut events = vec![0_u32; ends[n_rows] as usize];
        for &event in order {
            if let Some(row) = row_of(event) {
                events[ends[row] as usize] = event;
                ends[row] += 1;
            }
        }
        ends.pop();
        let starts = match self.axis {
            Axis::Order => Vec::new(),
            Axis::Level | Axis::Time => events.iter().map(|&event| self.start_of(record, event)).collect(),
        };
        let mut reaches = Vec::new();
        if self.axis == Axis::Time {
            reaches.reserve_exact(events.len());
            let mut start = 0;
            for &end in &ends {
                let own = events[start as usize..end as usize].iter();
                reaches.extend(own.scan(0, |reach, &event| {
                    *reach = self.end_of(record, event).max(*reach);
                    Some(*reach)
                }));
                start = end;
            }
        }
        Merging { ends, events, starts, reaches }
    }

    fn ticks(&self, nanos: u64) -> u32 {
        u32::try_from(nanos.saturating_sub(self.base) >> self.shift).unwrap_or(u32::MAX - 1)
    }

    fn start_of(&self, record: &Record, event: u32) -> u32 {
        match self.axis {
            Axis::Order => event,
            Axis::Level => record.level(event),
            Axis::Time => self.ticks(record.times(event).map_or(0, |(start, _)| start)),
        }
    }

    fn end_of(&self, record: &Record, event: u32) -> u32 {
        match self.axis {
            Axis::Order | Axis::Level => self.start_of(record, event) + 1,
            Axis::Time => self.ticks(record.times(event).map_or(0, |(_, end)| end)),
        }
    }

    /// What has a lane.
    pub fn by(&self) -> LanesBy {
        self.by
    }

    /// What places from left to right say.
    pub fn axis(&self) -> Axis {
        self.axis
    }

    /// Number of lanes.
    pub fn n_lanes(&self) -> usize {
        self.keys.len()
    }

    /// For a lane: position of the instance or template, or the worker.
    pub fn key(&self, lane: usize) -> Option<u32> {
        self.keys.get(lane).copied()
    }

    /// The name of a lane.
    pub fn name(&self, record: &Record, lane: usize) -> String {
        match (self.by, self.key(lane)) {
            (_, None) => String::new(),
            (LanesBy::Action, Some(instance)) => record.instance_name(instance),
            (LanesBy::Template, Some(template)) => record.template_label(template).to_owned(),
            (LanesBy::Worker, Some(worker)) => format!("worker {worker}"),
        }
    }

    /// Length of the axis, in its units: events, levels, or units of time.
    pub fn extent(&self) -> f64 {
        self.extent.max(1.0)
    }

    /// Nanoseconds of a unit of time.
    pub fn unit_nanos(&self) -> f64 {
        (1_u64 << self.shift) as f64
    }

    /// The moment in nanoseconds from the start of the run at a place of a time axis.
    pub fn nanos_at(&self, place: f64) -> f64 {
        self.base as f64 + place * self.unit_nanos()
    }

    /// The place of a moment on a time axis.
    pub fn place_of(&self, nanos: u64) -> f64 {
        nanos.saturating_sub(self.base) as f64 / self.unit_nanos()
    }

    /// The lane of an event; `None` where it has none.
    pub fn lane(&self, record: &Record, event: u32) -> Option<u32> {
        let key = match self.by {
            LanesBy::Action => record.instance_of(event),
            LanesBy::Template => record.template_of(event),
            LanesBy::Worker => u32::from(record.worker(event)),
        };
        self.lane_of.get(key as usize).copied().filter(|&lane| lane != u32::MAX)
    }

    /// From where to where an event goes on the axis.
    pub fn place(&self, record: &Record, event: u32) -> (f64, f64) {
        (f64::from(self.start_of(record, event)), f64::from(self.end_of(record, event)))
    }

    /// How often lanes are merged by fours so that a row is at least two pixels high.
    pub(super) fn merge_for(&self, lane_height: f64) -> usize {
        let most = self.mergings.len().saturating_sub(1);
        (0..most).find(|&merge| lane_height * f64::from(1 << (2 * merge)) >= 2.0).unwrap_or(most)
    }

    /// Number of rows with lanes merged so often.
    pub(super) fn n_rows(&self, merge: usize) -> usize {
        self.mergings.get(merge).map_or(0, |merging| merging.ends.len())
    }

    fn row(&self, merge: usize, row: usize) -> Row<'_> {
        let Some(merging) = self.mergings.get(merge) else { return Row::default() };
        let start =
            row.checked_sub(1).and_then(|before| merging.ends.get(before)).copied().unwrap_or(0) as usize;
        let end = merging.ends.get(row).copied().unwrap_or(0) as usize;
        let range = start.min(end)..end;
        let events = &merging.events[range.clone()];
        Row {
            events,
            starts: if merging.starts.is_empty() { events } else { &merging.starts[range.clone()] },
            reaches: if merging.reaches.is_empty() { &[] } else { &merging.reaches[range] },
        }
    }

    /// The events of a row that start from one place to before another, and those before them that may reach into it.
    pub(super) fn events_in(&self, merge: usize, row: usize, from: f64, to: f64) -> &[u32] {
        let row = self.row(merge, row);
        let start = row.starts.partition_point(|&start| f64::from(start) < from);
        let end = row.starts.partition_point(|&start| f64::from(start) < to);
        let reaching = if row.reaches.is_empty() {
            // All are 1 wide; several may start at once.
            row.starts.partition_point(|&start| f64::from(start) + 1.0 <= from)
        } else {
            // Reaches grow.
            row.reaches[..start].partition_point(|&reach| f64::from(reach) < from)
        };
        &row.events[reaching.min(start)..end.max(start)]
    }

    /// The columns of a row that show something, from left to right. Column `c` holds what starts at `left + c / scale`
    /// and before the next one; an event is seen in the column where it starts and in those before the one where
    /// it ends.
    pub(super) fn runs(&self, merge: usize, row: usize, window: Window, emit: &mut impl FnMut(Run)) {
        self.row(merge, row).runs(window, emit);
    }

    /// The same for some events that are sorted by place: those of an instance.
    pub(super) fn runs_of(
        &self,
        record: &Record,
        events: &[u32],
        window: Window,
        emit: &mut impl FnMut(Run),
    ) {
        let mut at = 0;
        while at < events.len() {
            let event = events[at];
            let (start, end) = self.place(record, event);
            let (from, to) = (window.column(start), window.column(end));
            if from >= window.n_columns {
                break;
            }
            let next =
                at + gallop(&events[at..], |&other| window.column(self.place(record, other).0) <= from);
            let to = to.max(from + 1).min(window.n_columns);
            if to > 0 {
                emit(Run { from: from.max(0), to, n_events: (next - at) as u32, event });
            }
            at = next.max(at + 1);
        }
    }
}
