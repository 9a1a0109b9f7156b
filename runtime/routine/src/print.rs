//! Printing: where the texts of a run go.

use std::fmt;

use hasse_model::value::Value;

/// A piece of a printed text.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece<'a> {
    /// A text of the program.
    Text(&'a str),
    /// A value, whose text the printer makes.
    Value(Value),
}

/// Takes what a run prints.
///
/// A run that gives up is executed again by the interpreter, and one that takes long is begun again in machine code. What it
/// had printed until then is printed again, from the first text on.
pub trait Printer: fmt::Debug + Send {
    /// A run begins, maybe again: what was printed is discarded.
    fn begin(&mut self);

    /// Prints the pieces as one text. A value that is the only piece is printed as one. Returns the number of bytes kept.
    fn print(&mut self, pieces: &[Piece<'_>]) -> usize;
}
