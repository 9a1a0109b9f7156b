//! Steps through a body, and what there is to see of a body that is stopped.

use hasse_model::value::Value;

/// How far a stopped body goes on. Behind its last statement the action stops at `aftcomp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// By this number of statements, at least one, those of called functions included.
    Into(u64),
    /// To the next statement that is not in a function which the present one calls.
    Over,
    /// To the next statement after the present function has returned; in no function, to the end of the body.
    Out,
}

/// The course of a body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BodyView {
    /// Number of statements begun, the one before which it is stopped included. 0 where none has, or where nobody has looked.
    pub n_statements: u64,
    /// Number of the last statement before that was not in a function which it called; 0 where there is none.
    pub previous: u64,
    /// Function calls under way, the innermost first.
    pub frames: Vec<Frame>,
}

/// A function call under way.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Name of the function.
    pub function: String,
    /// Its arguments at the call; of one that is no value of the program language, what it is.
    pub arguments: Vec<Result<Value, String>>,
    /// Line of the call in the program file, where it is known.
    pub called_at: Option<u32>,
}
