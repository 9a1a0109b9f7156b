//! The nouns of Hasse: plain data that every other crate shares.
//!
//! A program's text becomes a [`plan::Plan`]; a run of the plan becomes a trace of
//! [`event::EventRecord`]s; [`order`] says which of two events came first. This crate knows no
//! threads, no files and no clock, and depends on no other crate of the workspace. Start reading at
//! [`plan`] and [`event`].

/// What of an execution was free.
pub mod choices;
/// Findings about the text of a program.
pub mod diagnostic;
/// Which executions were the same.
pub mod digest;
/// Data as bytes.
mod encoding;
/// Records of what happened.
pub mod event;
/// Functions that bodies may call.
pub mod function;
/// Dense ids and indices.
pub mod id;
/// Texts as index numbers.
pub mod key;
/// Characters of names.
pub mod name;
/// The one definition of causal order.
pub mod order;
/// A program, lowered.
pub mod plan;
/// Numbers with the nouns of what they count.
pub mod quantity;
/// How much is recorded of which instance.
pub mod record_options;
/// Text of values for people.
pub mod show;
/// The state of a run.
pub mod snapshot;
/// Tables by dense id.
pub mod table;
/// The container that a run is recorded in.
pub mod trace;
/// Values and types of the program language.
pub mod value;
