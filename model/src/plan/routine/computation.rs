//! What routines do with objects as wholes: arrays are made and changed, objects are copied, functions of the library are called.
//!
//! A routine has objects of its own beside those that names of the node hold: what a `let` of the text binds, and what an
//! expression gives on the way. They begin with nothing and are gone when the routine ends, but for those that it leaves.

use std::sync::Arc;

use super::register::{Kind, Place};
use crate::value::{StructType, Type};

/// What an [`Op::Compute`](super::Op::Compute) does.
#[derive(Clone, Debug, PartialEq)]
pub struct Computation {
    /// What is done.
    pub what: What,
    /// What it is done with, in order.
    pub arguments: Vec<Argument>,
    /// Where it leaves what it gives.
    pub result: Answer,
}

/// What a computation is done with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Argument {
    /// A scalar in a register: takes one operand.
    Scalar(Kind),
    /// What stands at the end of a path, by position in [`Routine::paths`](super::Routine::paths): takes the operands of its steps.
    Part(u32),
}

/// Where a computation leaves what it gives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    /// It gives nothing.
    Nothing,
    /// In a register.
    Scalar(Kind),
    /// In an object as a whole, by position: first those of names, then the routine's own.
    Object(u32),
}

/// What is done in a computation. Each gives up where the interpreter would report an error.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// The only argument.
    Copied,
    /// An array of the arguments.
    Array,
    /// A value of a struct type, of an argument for each field.
    Struct(StructType),
    /// Items `from..from + len` of an array as the interpreter's `extract` has them: array, from, and len if there is one.
    Extracted,
    /// The items of the first array, then those of the second one.
    Joined,
    /// Whether two texts are equal.
    EqualTexts,
    /// Puts the second argument in the place of the first one, which is a part.
    Put,
    /// Adds an item, the second argument, to an array.
    Push,
    /// Takes the last item, a scalar, from an array, and gives it.
    Pop,
    /// Adds the items of the second array to the first one.
    Append,
    /// Fills an array up with copies of the third argument until it has the length that is the second one.
    Pad,
    /// Keeps as many items of an array as the second argument says.
    Truncate,
    /// Empties an array.
    Clear,
    /// Turns an array around.
    Reverse,
    /// Sorts an array of numbers of one kind.
    Sort,
    /// Calls a function of the library, by position in [`Routine::library`](super::Routine::library).
    Library(u32),
    /// Prints the arguments and the texts between them, as one text.
    Print(Vec<TextPart>),
    /// Sets the named result of the run to the argument.
    SetResult(Arc<str>),
    /// Asks the world outside, by a function at a position in [`Routine::asked`](super::Routine::asked), which takes the arguments.
    Ask(u32),
}

/// A part of a text that is printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextPart {
    /// A text of the program.
    Text(Arc<str>),
    /// The next argument.
    Argument,
}

impl What {
    /// Whether the first argument is a part that is changed.
    pub fn changes_first(&self, library: &[LibraryFunction]) -> bool {
        match self {
            What::Put
            | What::Push
            | What::Pop
            | What::Append
            | What::Pad
            | What::Truncate
            | What::Clear
            | What::Reverse
            | What::Sort => true,
            What::Library(function) => {
                library.get(*function as usize).is_some_and(|function| function.signature.gives.is_none())
            }
            What::Copied
            | What::Array
            | What::Struct(_)
            | What::Extracted
            | What::Joined
            | What::EqualTexts
            | What::Print(_)
            | What::SetResult(_)
            | What::Ask(_) => false,
        }
    }
}

/// What a function of the library takes and gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibrarySignature {
    /// Its arguments. Of an array, `any[]`: the function takes items of any type.
    pub takes: Vec<Type>,
    /// What it gives; `None` where it changes its first argument instead.
    pub gives: Option<Type>,
}

/// A function of the library that a routine calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryFunction {
    /// Its name, or an operator.
    pub name: String,
    /// Which one of that name. A function that is registered in Rust takes `any`, and looks at it by itself.
    pub signature: LibrarySignature,
    /// Whether it is none of ours, but registered in Rust.
    pub is_native: bool,
}

/// An object that a routine leaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Left {
    /// Where it goes.
    pub place: Place,
    /// One of the routine's own, by position among all objects.
    pub object: u32,
}
