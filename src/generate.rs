//! Programs as code in Rust: functions of the bodies in Rust, a builder that makes the program, a Cargo project around both.
//!
//! What is generated is meant to be read, and to be gone on with by hand. Start reading at [`project`].

/// All bodies of a program.
pub(crate) mod bodies;
/// One body as a function.
mod body;
/// A program as calls of the builder.
mod builder;
/// Names that Rust takes.
mod names;
/// Where lines of generated code come from.
pub(crate) mod place;
/// A Cargo project.
pub(crate) mod project;
