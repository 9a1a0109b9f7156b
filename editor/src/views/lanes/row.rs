//! The events of a lane, and the columns of pixels that show them.

/// Part of a lane that is drawn: columns with events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::views) struct Run {
    /// First column.
    pub(in crate::views) from: i64,
    /// Column behind the last one.
    pub(in crate::views) to: i64,
    /// Number of events that start there; 0 where one goes on.
    pub(in crate::views) n_events: u32,
    /// One of them.
    pub(in crate::views) event: u32,
}

/// What part of an axis is drawn, and how large.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::views) struct Window {
    /// Place of the first column's left edge.
    pub(in crate::views) left: f64,
    /// Pixels for a unit.
    pub(in crate::views) scale: f64,
    pub(in crate::views) n_columns: i64,
}

impl Window {
    #[inline]
    pub(in crate::views) fn column(&self, place: f64) -> i64 {
        // `floor` is a call on processors of twenty years ago, for which this is compiled.
        let column = (place - self.left) * self.scale;
        let toward_zero = column as i64;
        toward_zero - i64::from(column < toward_zero as f64)
    }

    /// The first start that is behind a column: smaller ones are in it or before it.
    fn behind(&self, column: i64) -> u32 {
        let is_behind = |start: u32| self.column(f64::from(start)) > column;
        let mut start = ((column + 1) as f64 / self.scale + self.left).clamp(0.0, f64::from(u32::MAX)) as u32;
        // What rounding has moved.
        while start > 0 && is_behind(start - 1) {
            start -= 1;
        }
        while start < u32::MAX && !is_behind(start) {
            start += 1;
        }
        start
    }
}

/// The events of a row.
#[derive(Default)]
pub(super) struct Row<'l> {
    pub(super) events: &'l [u32],
    pub(super) starts: &'l [u32],
    pub(super) reaches: &'l [u32],
}

impl Row<'_> {
    fn reach(&self, at: usize) -> f64 {
        self.reaches.get(at).map_or_else(|| f64::from(self.starts[at]) + 1.0, |&reach| f64::from(reach))
    }

    pub(super) fn runs(&self, window: Window, emit: &mut impl FnMut(Run)) {
        let column = |start: u32| window.column(f64::from(start));
        let mut at = self.starts.partition_point(|&start| column(start) < 0);
        // What began to the left and goes on.
        let mut shown = 0;
        if let Some(before) = at.checked_sub(1) {
            let next = self.starts.get(at).map_or(window.n_columns, |&start| column(start));
            let to = window.column(self.reach(before)).min(next).min(window.n_columns);
            if to > 0 {
                emit(Run { from: 0, to, n_events: 0, event: self.events[before] });
                shown = to;
            }
        }
        while let Some(&start) = self.starts.get(at) {
            let from = column(start);
            if from >= window.n_columns {
                break;
            }
            let behind = window.behind(from);
            let n_own = gallop(&self.starts[at..], |&other| other < behind);
            let last = at + n_own - 1;
            emit(Run { from, to: from + 1, n_events: n_own as u32, event: self.events[at] });
            shown = shown.max(from + 1);
            let next = self.starts.get(last + 1).map_or(window.n_columns, |&start| column(start));
            let to = window.column(self.reach(last)).min(next).min(window.n_columns);
            if to > from + 1 {
                let event = self.events[last];
                emit(Run { from: from + 1, to, n_events: 0, event });
            }
            at = last + 1;
        }
    }
}

/// How many items at the beginning are as wanted, at least 1: the first is. Cost: logarithmic in the answer.
pub(super) fn gallop<T>(items: &[T], is_wanted: impl Fn(&T) -> bool) -> usize {
    let mut step = 1;
    while step < items.len() && is_wanted(&items[step]) {
        step *= 2;
    }
    let (low, high) = (step / 2 + 1, step.min(items.len()));
    let low = low.min(high);
    low + items[low..high].partition_point(is_wanted)
}
