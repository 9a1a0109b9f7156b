//! Functions written in Rust that bodies may call: one file per family.
//!
//! Indices count from 0; a number outside of its range, sizes that do not fit and files that cannot
//! be read are errors that the body is given, never panics. Everything that asks the world outside
//! goes through [`EventContext::effect`](crate::effects::EventContext::effect).

use rhai::Engine;

use crate::effects::SharedContext;

/// Conversions from `any`.
pub(super) mod conversion;
/// Limits of arguments, and errors that name sizes.
mod limits;
/// Matrix Market files.
mod market;
/// Dense matrices.
mod matrix;
/// Printing, results, and the world outside.
mod outside;
/// An interpreter for tests.
#[cfg(test)]
mod testing;
/// Dense vectors.
mod vector;

/// Functions that may be called in `do` only, not in guards, `init` or initial values: effects,
/// `print` and `result`.
pub const IN_BODY_ONLY: &[&str] = &[
    "env",
    "file_exists",
    "file_size",
    "mm_part",
    "mm_size",
    "print",
    "random",
    "random_int",
    "read_bytes",
    "read_line",
    "read_matrix",
    "read_text",
    "read_vector",
    "result",
    "time",
];

/// Registers all functions and types. Effects and output go to `context`, which is locked only
/// while native code runs, never while the interpreter does.
pub fn register(engine: &mut Engine, context: &SharedContext) {
    conversion::register(engine);
    vector::register(engine);
    matrix::register(engine);
    market::register(engine, context);
    outside::register(engine, context);
}
