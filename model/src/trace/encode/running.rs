//! State that the encoder of a batch carries from event to event.

use crate::event::{Effect, EventBatch, EventExtra, Outcome};

/// What runs through a batch from event to event, whatever their actions.
#[derive(Debug, Default)]
pub(super) struct Running {
    pub(super) flags: u8,
    pub(super) action: u32,
    pub(super) n_announced: usize,
    pub(super) n_extras: usize,
    pub(super) n_answered: usize,
    /// The next event of which more than its effects is written, if it was looked for; `usize::MAX` for none.
    pub(super) next_told: usize,
    pub(super) n_runs: usize,
    pub(super) object: u64,
    pub(super) first_line: u64,
    pub(super) relayed_object: u64,
    pub(super) start: u64,
}

impl Running {
    /// What few events have, of the event at a position: never before one that was asked for.
    #[inline]
    pub(super) fn extra_of<'b>(&mut self, batch: &'b EventBatch, event_idx: usize) -> Option<&'b EventExtra> {
        let extras = batch.extras();
        while extras.get(self.n_extras).is_some_and(|extra| extra.event_idx < event_idx) {
            self.n_extras += 1;
        }
        extras.get(self.n_extras).filter(|extra| extra.event_idx == event_idx)
    }

    /// Effects of the event at a position: never before one that was asked for.
    #[inline]
    pub(super) fn effects_of<'b>(&mut self, batch: &'b EventBatch, event_idx: usize) -> &'b [Effect] {
        let answered = batch.answered();
        while answered.get(self.n_answered).is_some_and(|next| (next.event_idx as usize) < event_idx) {
            self.n_answered += 1;
        }
        match answered.get(self.n_answered) {
            Some(next) if next.event_idx as usize == event_idx => batch.nth_effects(self.n_answered),
            _ => &[],
        }
    }

    /// How many events repeat the one at a position: never before one that was asked for.
    #[inline]
    pub(super) fn n_folded(&mut self, batch: &EventBatch, event_idx: usize) -> usize {
        let runs = batch.runs();
        while runs.get(self.n_runs).is_some_and(|run| run.head_idx < event_idx) {
            self.n_runs += 1;
        }
        runs.get(self.n_runs).filter(|run| run.head_idx == event_idx).map_or(0, |run| run.n_repeats)
    }

    /// The position of the next event that others repeat without heads, behind one that was asked for.
    #[inline]
    pub(super) fn next_run(&self, batch: &EventBatch, event_idx: usize) -> Option<usize> {
        let runs = &batch.runs()[self.n_runs.min(batch.runs().len())..];
        runs.iter().map(|run| run.head_idx).find(|&head_idx| head_idx > event_idx)
    }

    /// The position of the next event behind one that was asked for, of which effects or an extra are written. Time: all calls for a
    /// batch look at each of its extras once.
    #[inline]
    pub(super) fn next_told(&mut self, batch: &EventBatch, event_idx: usize) -> Option<usize> {
        if self.next_told <= event_idx {
            let extras = &batch.extras()[self.n_extras.min(batch.extras().len())..];
            let told = extras.iter().find(|extra| extra.event_idx > event_idx && is_told(extra));
            self.next_told = told.map_or(usize::MAX, |extra| extra.event_idx);
        }
        let answered = &batch.answered()[self.n_answered.min(batch.answered().len())..];
        let mut answered = answered.iter().map(|answered| answered.event_idx as usize);
        let answered = answered.find(|&answered_idx| answered_idx > event_idx).unwrap_or(usize::MAX);
        Some(self.next_told.min(answered)).filter(|&next_told| next_told < usize::MAX)
    }
}

/// The difference between two ids, small for small ones of either sign.
#[inline]
pub(super) fn step(from: u32, to: u32) -> u64 {
    let step = i64::from(to) - i64::from(from);
    ((step << 1) ^ (step >> 63)) as u64
}

/// Returns true if there is something to write besides effects, choices, which have a column of their own, and values, which a replay
/// gives.
pub(super) fn is_told(extra: &EventExtra) -> bool {
    extra.outcome != Outcome::Done || extra.first_line.is_some() || extra.error.is_some()
}
