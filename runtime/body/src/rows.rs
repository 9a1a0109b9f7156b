//! The sink of a compiled body that is executed for many events of an action together: each gets its own answers.

use std::fmt;
use std::ops::Range;

use hasse_model::event::Effect;
use hasse_model::value::Value;
use hasse_routine::{EffectSink, Piece};
use parking_lot::MutexGuard;

use crate::builtin::question::Question;
use crate::effects::{EffectSource, EventContext, SharedContext};
use crate::seed::event_seed;

/// Answers that were noted of events that are executed together, by row.
#[derive(Debug, Default)]
pub struct RowAnswers {
    effects: Vec<Effect>,
    /// Start of those of each row, up to the last one that has asked.
    starts: Vec<u32>,
}

impl RowAnswers {
    /// Discards all of them.
    #[inline]
    pub fn clear(&mut self) {
        self.effects.clear();
        self.starts.clear();
    }

    /// The position behind the answers of all rows before one.
    #[inline]
    fn start_of(&self, row: usize) -> usize {
        self.starts.get(row).map_or(self.effects.len(), |&start| start as usize)
    }

    /// The answers to a row.
    #[inline]
    pub fn of_row(&self, row: usize) -> &[Effect] {
        &self.effects[self.start_of(row)..self.start_of(row + 1)]
    }

    /// Returns true if nothing was noted.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.effects.is_empty()
    }

    /// Discards the answers from a row on.
    #[inline]
    fn truncate(&mut self, n_rows: usize) {
        self.effects.truncate(self.start_of(n_rows));
        self.starts.truncate(n_rows);
    }
}

/// Events of an action that are executed together.
#[derive(Clone, Copy, Debug)]
pub struct RowEvents<'a> {
    /// Seed of the action.
    pub seed_of_action: u64,
    /// Number of its executions before that of the first row.
    pub n_before: u64,
    /// Source of answers.
    pub source: RowSource<'a>,
}

/// Source of answers to events that are executed together.
#[derive(Clone, Copy, Debug)]
pub enum RowSource<'a> {
    /// From the world; not noted.
    World,
    /// From the world; noted.
    WorldRecorded,
    /// From a record, which has these for each row; noted again.
    Record(&'a [&'a [Effect]]),
}

/// Sink that has the context of a worker answer the questions of events in rows.
pub struct RowSink<'a> {
    context: MutexGuard<'a, EventContext>,
    questions: &'a [Option<Question>],
    events: RowEvents<'a>,
    answers: &'a mut RowAnswers,
    /// The last row that has begun.
    row: Option<usize>,
}

impl<'a> RowSink<'a> {
    /// The sink of a body with these questions. Adds the answers that are noted.
    #[inline]
    pub fn new(
        context: &'a SharedContext,
        questions: &'a [Option<Question>],
        events: RowEvents<'a>,
        answers: &'a mut RowAnswers,
    ) -> Self {
        let mut context = context.lock();
        let source = match events.source {
            RowSource::World => EffectSource::World,
            RowSource::WorldRecorded | RowSource::Record(_) => EffectSource::WorldRecorded,
        };
        context.begin_rows(source, &mut answers.effects);
        Self { context, questions, events, answers, row: None }
    }

    /// Ends the events, of which those before a row have come to their end. Returns the number of rows that did, and were given all
    /// recorded answers.
    #[inline]
    pub fn end(mut self, rows: Range<usize>) -> usize {
        self.context.end_rows(&mut self.answers.effects);
        let mut n_rows = rows.end;
        if let RowSource::Record(recorded) = self.events.source {
            let has_all = |row: &usize| {
                let n_recorded = recorded.get(*row).map_or(0, |answers| answers.len());
                self.answers.of_row(*row).len() == n_recorded
            };
            n_rows = rows.start + rows.take_while(has_all).count();
        }
        self.answers.truncate(n_rows);
        n_rows
    }

    #[inline(always)]
    fn begin_row(&mut self, row: usize) {
        self.row = Some(row);
        let starts = &mut self.answers.starts;
        if let Some(&start) = starts.get(row) {
            // An earlier attempt to execute it has been discarded.
            self.context.truncate_noted(start as usize);
            starts.truncate(row);
        }
        starts.resize(row + 1, self.context.n_noted() as u32);
        if let RowSource::Record(recorded) = self.events.source {
            return self.context.begin_recorded_row(recorded.get(row).copied().unwrap_or_default());
        }
        let count = self.events.n_before + row as u64 + 1;
        self.context.begin_row(event_seed(self.events.seed_of_action, count));
    }
}

impl fmt::Debug for RowSink<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RowSink").finish_non_exhaustive()
    }
}

impl EffectSink for RowSink<'_> {
    fn begin(&mut self, row: usize) {
        if self.row == Some(row) {
            let first_answer = self.answers.starts.last().map_or(0, |&start| start as usize);
            self.context.begin_row_again(first_answer);
        } else {
            self.begin_row(row);
        }
    }

    /// A body that prints is executed for each event by itself.
    fn print(&mut self, _: &[Piece<'_>]) -> usize {
        usize::MAX
    }

    fn set_result(&mut self, _: &str, _: Value) {}

    #[inline]
    fn ask(&mut self, row: usize, asked_idx: usize, arguments: &[u64]) -> Option<u64> {
        if self.row != Some(row) {
            self.begin_row(row);
        }
        self.questions.get(asked_idx)?.as_ref()?.ask_in(&mut self.context, arguments)
    }
}
