//! Events that are alike, as one with their number.

use std::ops::Range;

use hasse_body::rows::RowAnswers;
use hasse_model::event::Effect;
use hasse_model::value::Value;
use hasse_record::instrumentation::Instrumentation;
use hasse_runtime_plan::form::Form;
use hasse_runtime_plan::straight::Straight;

use crate::fire::lane::clock::ROWS_PER_BATCH;

/// The last events, as far as they are alike: they have taken values of the same actions, each of the event behind that of
/// the one before it, or all of one event, and the same routing rules have held. They are noted together, and what they send goes together.
pub(crate) struct Alike<M: Instrumentation> {
    pub(crate) n_events: u64,
    /// Who sent the values that the first one has taken.
    pub(crate) taken: Vec<M::Stamp>,
    /// How far who sent what each has taken is behind who sent what the one before has: 1 or 0.
    pub(crate) step: u64,
    /// Appended to what the first one has sent.
    pub(crate) stamp: Option<M::Stamp>,
    /// Rules that hold, as bits, and as a list.
    pub(crate) routes: u64,
    pub(crate) route_list: Vec<u32>,
    /// Number of values that each has sent.
    pub(crate) n_values: u64,
    /// Scalars that they have sent to others, by position in [`Straight::sent`], each at its own position.
    pub(crate) sent: Vec<[i64; ROWS_PER_BATCH]>,
    /// Answers of the world to them, where answers are recorded, in the order asked.
    pub(crate) answers: Vec<Effect>,
    /// Start of those of each event, and then the end of those of the last one; empty where no event has any.
    pub(crate) answer_starts: Vec<u32>,
    /// Other values that they have sent to others, in order.
    pub(crate) sent_values: Vec<Vec<Value>>,
}

impl<M: Instrumentation> Alike<M> {
    pub(crate) fn new() -> Self {
        Self {
            n_events: 0,
            taken: Vec::new(),
            step: 1,
            stamp: None,
            routes: 0,
            route_list: Vec::new(),
            n_values: 0,
            sent: Vec::new(),
            answers: Vec::new(),
            answer_starts: Vec::new(),
            sent_values: Vec::new(),
        }
    }

    /// Adds answers of the world to events that are added behind those that are alike.
    pub(crate) fn put_answers(&mut self, answers: &RowAnswers, rows: Range<usize>) {
        if answers.is_empty() {
            return;
        }
        // Events before them that were given none.
        self.answer_starts.resize(self.n_events as usize + 1, self.answers.len() as u32);
        for row in rows {
            self.answers.extend_from_slice(answers.of_row(row));
            self.answer_starts.push(self.answers.len() as u32);
        }
    }

    /// No more answers are added.
    #[inline(always)]
    pub(crate) fn end_answers(&mut self) {
        if !self.answer_starts.is_empty() {
            self.answer_starts.resize(self.n_events as usize + 1, self.answers.len() as u32);
        }
    }

    /// Puts the values that are no scalars and that the event under way sends to others by these rules.
    #[inline(always)]
    pub(crate) fn put_values(&mut self, straight: &Straight, names: &mut [Value], routes: u64) {
        for (send, sent) in straight.sent.iter().zip(&mut self.sent_values) {
            if send.form == Form::Value && send.bits & routes != 0 {
                sent.push(send.value.sent(&mut names[send.slot_idx]));
            }
        }
    }
}
