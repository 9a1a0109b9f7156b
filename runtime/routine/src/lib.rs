//! Runs routines: bodies and expressions that were lowered to the register code of [`hasse_model::plan::routine`].
//!
//! In goes a [`Routine`](hasse_model::plan::routine::Routine), which a [`Machine`] makes ready to run, then for each run its
//! inputs as words and the objects that it looks into. Out come its outputs as words, and the objects as it wrote
//! them; or, where the interpreter is to execute the text, nothing at all: what was written has been taken back.
//!
//! There are two tiers. The evaluator is a loop over the operations in safe Rust. Machine code is made by Cranelift, for what
//! runs often or long. Both do the same, bit for bit, and the tests hold them to it.
//!
//! This package does not know where inputs come from, what a slot is, where functions are registered, or how the interpreter is called. Begin
//! reading at [`Machine::run`].

/// Which routines may be run at all.
mod verify;

/// Ways into objects.
mod route;

/// What a run wrote, so that it can be taken back.
mod journal;

/// Operations on scalars.
mod scalar;

/// Functions that are registered in Rust.
mod native;

/// Objects as wholes.
mod compute;

/// Effects of runs.
mod effects;

/// The first tier.
mod evaluator;

/// Views of objects, for machine code.
mod view;

/// Routes, functions and tasks by number.
mod links;

/// Scalars of many runs.
mod table;

/// Memory and endings of runs.
mod run;

/// What machine code is given to work on.
mod context;

/// What machine code calls.
mod helpers;

/// The second tier.
mod compile;

/// The thread that compiles while routines run.
mod background;

/// Routines made ready to run.
mod machine;

pub use compute::Library;
pub use effects::{EffectSink, Piece};
pub use journal::Undo;
pub use machine::{Machine, Tiers};
pub use native::NativeFunction;
pub use run::{Ended, Scratch};
pub use table::{Table, Track};
