//! Effects of runs: where printed texts and named results go.

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

/// Takes what a run prints and the results that it sets.
///
/// A run that gives up is executed again by the interpreter, and one that takes long is begun again in machine code. All
/// effects that it had until then come again, from the first one on.
pub trait EffectSink: fmt::Debug + Send {
    /// A run begins, maybe again: earlier effects are discarded.
    fn begin(&mut self);

    /// Prints the pieces as one text. A value that is the only piece is printed as one. Returns the number of bytes kept.
    fn print(&mut self, pieces: &[Piece<'_>]) -> usize;

    /// Sets a named result of the program's run.
    fn set_result(&mut self, name: &str, value: Value);
}
