//! Effects of runs: where printed texts and named results go, and who answers questions.

use std::fmt;

use hasse_model::value::Value;

/// A piece of a printed text.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece<'a> {
    /// A text of the program.
    Text(&'a str),
    /// A value, whose text the sink makes.
    Value(Value),
}

/// Takes what a run prints and the results that it sets, and answers its questions to the world outside.
///
/// A run that gives up is executed again by the interpreter, and one that takes long is begun again in machine code. All
/// effects that it had until then come again, from the first one on.
pub trait EffectSink: fmt::Debug {
    /// A run begins, maybe again: its earlier effects are discarded, and questions asked before get the same answers again. Of
    /// runs for the rows of a table, `row` is the row, and machine code asks the first question of a row without this call.
    fn begin(&mut self, row: usize);

    /// Prints the pieces as one text. A value that is the only piece is printed as one. Returns the number of bytes kept.
    fn print(&mut self, pieces: &[Piece<'_>]) -> usize;

    /// Sets a named result of the program's run.
    fn set_result(&mut self, name: &str, value: Value);

    /// Asks the world outside, by a function at a position in [`Routine::asked`](hasse_model::plan::routine::Routine::asked),
    /// with its arguments as words; `row` is that of the run. Returns the answer as a word; `None` where there is none of its
    /// kind, so that the interpreter has to ask again and to say what is wrong.
    fn ask(&mut self, row: usize, asked_idx: usize, arguments: &[u64]) -> Option<u64>;
}

/// The sink of one run, if it has one.
pub(crate) type Sink<'a> = Option<&'a mut (dyn EffectSink + 'a)>;

/// The same sink, lent for a part of the run.
#[inline]
pub(crate) fn lent<'a>(sink: &'a mut Sink<'_>) -> Sink<'a> {
    match sink {
        Some(sink) => Some(&mut **sink),
        None => None,
    }
}
