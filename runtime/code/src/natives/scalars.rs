//! Functions of scalars, called for many executions in one loop.

use std::cell::{Cell, RefCell};
use std::error::Error;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use hasse_body::effects::SharedContext;
use hasse_body::natives::{FromValue, IntoValue};
use hasse_body::rows::{RowAnswers, RowEvents};
use hasse_model::plan::routine::Kind;
use hasse_routine::Track;

/// What a body function takes its arguments from, and gives its answer to.
#[derive(Clone, Debug)]
pub struct FunctionNames {
    /// Names that hold the arguments.
    pub takes: Vec<String>,
    /// Names that the answer goes to.
    pub gives: Vec<String>,
}

/// Where the scalars of executions are, as words.
#[doc(hidden)]
#[derive(Debug)]
pub struct ScalarTable<'c> {
    pub cells: &'c [Cell<i64>],
    pub takes: &'c [Track],
    pub gives: &'c [Track],
    /// Executions that have been done: told anew after each.
    pub n_done: &'c Cell<usize>,
    /// The world outside; `None` where a function that asks it is to fail.
    pub world: Option<&'c RowWorld<'c>>,
}

/// The world outside, for executions whose scalars are in cells.
#[doc(hidden)]
#[derive(Debug)]
pub struct RowWorld<'c> {
    pub context: &'c SharedContext,
    pub events: RowEvents<'c>,
    /// Gets the answers that are noted.
    pub answers: &'c RefCell<RowAnswers>,
}

impl ScalarTable<'_> {
    #[inline(always)]
    pub(crate) fn cell(&self, track: Track, nth: usize) -> &Cell<i64> {
        &self.cells[track.start + nth * track.step]
    }

    #[inline(always)]
    pub(crate) fn argument<T: FromValue>(&self, track: Track, nth: usize) -> Result<T, ScalarFailure> {
        T::from_word(self.cell(track, nth).get().cast_unsigned()).ok_or(ScalarFailure::Misfit)
    }

    #[inline(always)]
    pub(crate) fn put<T: IntoValue>(
        &self,
        given: &T,
        nth_given: usize,
        nth: usize,
    ) -> Result<(), ScalarFailure> {
        let word = given.to_word().ok_or(ScalarFailure::Misfit)?;
        self.cell(self.gives[nth_given], nth).set(word.cast_signed());
        Ok(())
    }
}

/// Why executions end early.
#[doc(hidden)]
#[derive(Debug)]
pub enum ScalarFailure {
    /// A scalar is not within the range of its argument.
    Misfit,
    /// The function says so.
    Failed(Box<dyn Error + Send + Sync>),
}

pub(crate) type CallRows = dyn Fn(&ScalarTable<'_>, Range<usize>) -> Result<(), ScalarFailure> + Send + Sync;

/// A body function of scalars.
pub struct ScalarFunction {
    /// Names that it takes and gives.
    pub names: FunctionNames,
    /// Kinds of what it takes, and then of what it gives.
    pub kinds: Vec<Kind>,
    /// The function, for executions whose scalars are in cells.
    pub call: Box<CallRows>,
    /// True if it fails where the body would print or set a result: such an event is executed by itself.
    pub speaks: bool,
    /// True if it may ask the world outside.
    pub asks: bool,
}

impl ScalarFunction {
    /// What it gives for its one argument; `None` where it fails.
    #[inline]
    pub fn map_one(&self, word: i64) -> Option<i64> {
        const TAKES: [Track; 1] = [Track { start: 0, step: 0 }];
        const GIVES: [Track; 1] = [Track { start: 1, step: 0 }];
        let (cells, n_done) = ([Cell::new(word), Cell::new(0)], Cell::new(0));
        let table = ScalarTable { cells: &cells, takes: &TAKES, gives: &GIVES, n_done: &n_done, world: None };
        match catch_unwind(AssertUnwindSafe(|| (self.call)(&table, 0..1))) {
            Ok(Ok(())) => Some(cells[1].get()),
            _ => None,
        }
    }
}
