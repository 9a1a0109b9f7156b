//! Routines: bodies and expressions in a typed numeric subset of Rhai, lowered to a register code that runs without the
//! interpreter.
//!
//! A routine has no effects but on its own registers, its outputs, the objects that it writes, what it prints, named results, and what it
//! asks the world outside. Where it cannot go on as the interpreter would, or where the interpreter would report an error, it *gives up* ([`Op::GiveUp`], and
//! every operation that says so): the caller undoes what it wrote, discards what it printed and its results, and has the interpreter
//! execute the same text from the start, to which it gives the same answers again.
//! So a routine that comes to its end has done what the interpreter does, and errors, with their places, are always
//! the interpreter's own.

use crate::diagnostic::Location;
use crate::function::Signature;
use crate::id::SlotId;
use crate::value::Type;

/// Objects as wholes.
mod computation;
/// What is made of routines.
mod kept;
/// Operators and functions of scalars.
mod operator;
/// Kinds of registers.
mod register;

pub use computation::{
    Answer, Argument, Computation, Left, LibraryFunction, LibrarySignature, TextPart, What,
};
pub use kept::Kept;
pub use operator::{BinaryOp, Comparison, UnaryOp};
pub use register::{Kind, Place};

impl Routine {
    /// Number of objects, its own among them.
    pub fn n_objects(&self) -> usize {
        self.objects.len() + self.own_objects.len()
    }

    /// Returns true if it may print, set a result or ask the world outside.
    pub fn has_effects(&self) -> bool {
        self.speaks() || !self.asked.is_empty()
    }

    /// Returns true if it may print or set a result.
    pub fn speaks(&self) -> bool {
        let is_spoken = |what: &What| matches!(what, What::Print(_) | What::SetResult(_));
        self.computations.iter().any(|computation| is_spoken(&computation.what))
    }

    /// The type of an object, by position among all.
    pub fn object_type(&self, object_idx: usize) -> Option<&Type> {
        match object_idx.checked_sub(self.objects.len()) {
            None => Some(&self.objects[object_idx].ty),
            Some(own_idx) => self.own_objects.get(own_idx),
        }
    }
}

/// What a script was lowered to.
#[derive(Clone, Debug, PartialEq)]
pub enum Lowering {
    /// It runs without the interpreter.
    Routine {
        /// What it was lowered to.
        routine: std::sync::Arc<Routine>,
        /// Branches in which it gives up, as what stands there is outside of the subset; in the order of the text.
        exits: Vec<Obstacle>,
    },
    /// The interpreter runs it.
    Interpreted(Obstacle),
}

impl Lowering {
    /// The routine, if there is one.
    pub fn routine(&self) -> Option<&std::sync::Arc<Routine>> {
        match self {
            Lowering::Routine { routine, .. } => Some(routine),
            Lowering::Interpreted(_) => None,
        }
    }
}

/// Why a script stays with the interpreter.
#[derive(Clone, Debug, PartialEq)]
pub struct Obstacle {
    /// What is outside of the subset, in the user's terms.
    pub message: String,
    /// Where it stands.
    pub at: Location,
    /// What to do about it, where something can be done.
    pub help: Option<String>,
}

/// A register of a function, by position in [`Function::kinds`]. It holds values of one kind, as a 64-bit word: an
/// integer, the bits of a real, or 0 or 1. Every function begins with zeros in all that are no parameters.
pub type Reg = u32;

/// A position in [`Function::ops`].
pub type Target = u32;

/// A lowered body or expression.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Routine {
    /// What it consists of; the first one is where it begins, and has the inputs' registers as its parameters.
    pub functions: Vec<Function>,
    /// Scalars that must be there when it begins: what holds no value of its kind makes it give up.
    pub inputs: Vec<Input>,
    /// What it leaves when it has come to its end.
    pub outputs: Vec<Output>,
    /// Vectors, matrices, arrays and structs that it looks into.
    pub objects: Vec<Object>,
    /// The types of objects of its own, which begin with nothing. Their positions follow those of [`objects`](Self::objects).
    pub own_objects: Vec<Type>,
    /// Those of its own that it leaves when it has come to its end, none of them twice.
    pub left: Vec<Left>,
    /// Ways into objects; what an [`Op::Get`] or [`Op::Set`] names is a position here.
    pub paths: Vec<Path>,
    /// Functions that are registered in Rust and called by it; what an [`Op::CallNative`] names is a position here.
    pub natives: Vec<Native>,
    /// What it does with objects as wholes; what an [`Op::Compute`] names is a position here.
    pub computations: Vec<Computation>,
    /// Functions of the library that its computations call.
    pub library: Vec<LibraryFunction>,
    /// Functions by which it asks the world outside, and whose answers are recorded.
    pub asked: Vec<Native>,
    /// What a runtime has made of it.
    pub kept: Kept,
}

/// A scalar that a routine begins with.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// Where it stands.
    pub place: Place,
    /// What it must be.
    pub kind: Kind,
    /// Whether the name may hold nothing, as one of a rule that was not taken does. Then a second input follows, of kind
    /// `bool` and with the same place, that tells whether it holds something.
    pub is_optional: bool,
    /// Whether this is that second input.
    pub is_presence: bool,
}

/// A scalar that a routine leaves.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// Where it goes.
    pub place: Place,
    /// What it is.
    pub kind: Kind,
}

/// What a routine looks into.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// The name that holds it.
    pub slot: SlotId,
    /// What it must be: a vector, a matrix, an array or a struct. What holds another makes the routine give up when it
    /// begins.
    pub ty: Type,
    /// Whether the routine writes into it.
    pub is_written: bool,
}

/// A way from an object to a scalar within it, or to something that has a length.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// Position among all objects: in [`Routine::objects`], or behind them in [`Routine::own_objects`].
    pub object: u32,
    /// From the object inwards.
    pub steps: Vec<Step>,
}

/// One step of a [`Path`]. It gives up where there is nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// An item of an array; a negative number counts from the end. Takes one operand.
    Item,
    /// An entry of a vector; must not be negative. Takes one operand.
    Entry,
    /// An entry of a matrix by row and column. Takes two operands.
    Cell,
    /// A field of a struct, by position.
    Field(u32),
}

impl Step {
    /// Number of registers that say where it goes.
    pub fn n_operands(self) -> usize {
        match self {
            Step::Item | Step::Entry => 1,
            Step::Cell => 2,
            Step::Field(_) => 0,
        }
    }
}

/// A function that takes and gives scalars, as it was known when the routine was made: one that is registered in Rust, or one that
/// asks the world outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Native {
    /// Its name in the program.
    pub name: String,
    /// What it takes and gives.
    pub signature: Signature,
}

/// What is counted by [`Op::Measure`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Measure {
    /// Items of an array, entries of a vector.
    Len,
    /// Rows of a matrix.
    Rows,
    /// Columns of a matrix.
    Cols,
}

/// A function of a routine.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Its name; empty for the first one.
    pub name: String,
    /// Number of its parameters: they stand in its first registers.
    pub n_params: usize,
    /// What its registers hold.
    pub kinds: Vec<Kind>,
    /// What it gives back, if anything. The first function gives nothing back: it has outputs.
    pub gives: Option<Kind>,
    /// What it does, in order; the last one is a jump, a return or [`Op::GiveUp`].
    pub ops: Vec<Op>,
    /// Operands of calls and paths: [`Operands`] are places here.
    pub operands: Vec<Reg>,
}

/// Registers, as a range of [`Function::operands`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operands {
    /// Position of the first one.
    pub start: u32,
    /// How many there are.
    pub len: u32,
}

impl Function {
    /// The registers that stand there.
    pub fn operands(&self, operands: Operands) -> &[Reg] {
        &self.operands[operands.start as usize..][..operands.len as usize]
    }
}

/// An operation. The first register of those that have one is where the result goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Op {
    /// A constant.
    Int(Reg, i64),
    /// A constant.
    Real(Reg, f64),
    /// A constant.
    Bool(Reg, bool),
    /// Copies a register of the same kind.
    Copy(Reg, Reg),
    /// An operation on one operand. May give up.
    Unary(UnaryOp, Reg, Reg),
    /// An operation on two operands. May give up.
    Binary(BinaryOp, Reg, Reg, Reg),
    /// Whether a comparison of two integers, or of two truth values, holds.
    CompareInts(Comparison, Reg, Reg, Reg),
    /// Whether a comparison of two reals holds, with the interpreter's tolerance.
    CompareReals(Comparison, Reg, Reg, Reg),
    /// Goes on elsewhere, further on.
    Jump(Target),
    /// Goes on elsewhere, further on, if a truth value is as said.
    JumpIf(Reg, bool, Target),
    /// Goes back to the beginning of a loop. Asks whether the run is to end; a routine that has gone back too often for
    /// its tier is begun anew in a faster one.
    Back(Target),
    /// Calls a function of the routine, by position. Gives up where calls nest deeper than [`MAX_CALL_LEVELS`].
    Call(Option<Reg>, u32, Operands),
    /// Calls a function that is registered in Rust, by position in [`Routine::natives`]. Gives up where it does not answer.
    CallNative(Reg, u32, Operands),
    /// Reads the scalar at the end of a path: by position in [`Routine::paths`]. Gives up where it is of another kind than
    /// the register.
    Get(Reg, u32, Operands),
    /// Writes the scalar at the end of a path. Gives up where the one that stands there is of another kind.
    Set(u32, Operands, Reg),
    /// The size of what stands at the end of a path.
    Measure(Measure, Reg, u32, Operands),
    /// Does something with objects as wholes, by position in [`Routine::computations`]; with the register of its answer, if that is
    /// a scalar. May give up.
    Compute(Option<Reg>, u32, Operands),
    /// Sets an output, by position in [`Routine::outputs`]; in the first function only.
    Give(u32, Reg),
    /// Ends the function.
    Return(Option<Reg>),
    /// The interpreter is to execute the text.
    GiveUp,
}

/// How deep calls of functions may nest in a routine; less than in the interpreter, which decides beyond.
pub const MAX_CALL_LEVELS: u32 = 48;
