//! Functions written in Rust that bodies may call: one file per family.
//!
//! Indices count from 0; a number outside of its range, sizes that do not fit and files that cannot
//! be read are errors that the body is given, never panics. Everything that asks the world outside
//! goes through [`EventContext::effect`](crate::effects::EventContext::effect).

use rhai::Engine;

use crate::effects::SharedContext;

/// Dates and times of day.
mod calendar;
/// What all interpreters share.
mod common;
/// Conversions from `any`.
pub(crate) mod conversion;
/// Functions that are called without an interpreter.
pub mod direct;
/// A function that needs no interpreter.
mod direct_function;
/// Asking the world outside.
mod effect;
/// Vectors and matrices entry by entry.
mod entries;
/// Factorizations.
mod factor;
/// Files and folders.
mod files;
/// Matrices as made of parts, steps on grids.
mod grid;
/// HTTP.
mod http;
/// Images.
mod image;
/// JSON.
mod json;
/// Limits of arguments, and errors that name sizes.
mod limits;
/// Matrix Market files.
mod market;
/// Dense matrices.
mod matrix;
/// Numbers.
mod number;
/// Printing, results, clocks, environment, standard input.
mod outside;
/// Regular expressions.
mod pattern;
/// Questions of compiled bodies.
pub mod question;
/// Random numbers.
mod random;
/// The module under construction.
mod registry;
/// SQL.
mod sql;
/// Lines of standard input.
pub mod stdin;
/// Streams.
mod stream;
/// Tables as CSV.
mod table;
/// An interpreter for tests.
#[cfg(test)]
pub(crate) mod testing;
/// Text.
mod text;
/// Dense vectors.
mod vector;

pub use crate::library::IN_BODY_ONLY;
pub use image::{Image, decoded_image};
pub use json::params_line;
pub(crate) use limits::Denied;

/// Registers all functions and types. Effects and output go to `context`, which is locked only
/// while native code runs, never while the interpreter does.
pub fn register(engine: &mut Engine, context: &SharedContext) {
    common::share(engine);
    market::register_effects(engine, context);
    files::register(engine, context);
    table::register_effects(engine, context);
    json::register_effects(engine, context);
    image::register_effects(engine, context);
    outside::register(engine, context);
    stream::register(engine, context);
    http::register(engine, context);
    sql::register(engine, context);
    random::register(engine, context);
}
