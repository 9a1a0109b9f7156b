//! What is evaluated while a program runs: lowered expressions, and texts for the interpreter.

use crate::diagnostic::Location;
use crate::id::{ScriptId, SlotId};

/// Something to be evaluated while the program runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Code {
    /// Lowered: evaluated without the interpreter.
    Expr(Expr),
    /// Compiled by the interpreter before the run.
    Script(ScriptId),
}

/// An expression over integers and truth values, with Rhai's meaning: arithmetic is checked, and an
/// overflow or a division by zero is an error of the event.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A constant.
    Int(i64),
    /// A constant.
    Bool(bool),
    /// A name of the template's scope. As the whole expression it may be of any type; within an
    /// operation it is an `int` or a `bool`.
    Slot(SlotId),
    /// A loop, pattern or index variable, by position.
    Local(u32),
    /// A creation parameter, by position, where there is no template scope (arcs, share lines).
    Param(u32),
    /// Number of items of an array or a vector, which a name of the template's scope holds.
    Length(SlotId),
    /// `-x`
    Negate(Box<Expr>),
    /// `!x`
    Not(Box<Expr>),
    /// `x op y`
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
}

/// An operator of [`Expr::Binary`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    /// Does not look at its right side where the left one decides.
    And,
    /// Does not look at its right side where the left one decides.
    Or,
}

/// What a script is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScriptKind {
    /// `do`
    Body,
    /// `init`
    Init,
    /// A guard, bound, value or default.
    Expression,
}

/// A Rhai text.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    /// The text as it stands in the file.
    pub text: String,
    /// What it is.
    pub kind: ScriptKind,
    /// Where its first character stands: the text's own line l is file line `at.line + l - 1`.
    pub at: Location,
}
