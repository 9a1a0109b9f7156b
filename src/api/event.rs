//! One event of a record: the values that it took, had and sent, why it happened, and the event alone.
//!
//! A record holds no values; they are made again by a replay of what is before the event and nothing else. Every
//! function here takes a [`Ground`]: the program as it was recorded, and the record in memory.

/// What an event that was executed alone did otherwise.
mod compare;
/// Answers as data.
mod described;
/// Why a question about an event has no answer.
pub(super) mod error;
/// Isolation files.
mod file;
/// The record and the program that questions are about.
mod ground;
/// One event alone.
mod isolation;
/// Values of many events.
mod many;
/// Questions asked of a program.
mod program;
/// Replay as far as needed.
mod regenerate;
/// What an event took, had and sent.
mod values;
/// Why an event happened.
mod why;

pub use compare::Difference;
pub use described::{Answer, EventValues, Failure, Replayed, Sent, SharedValue, Taken, VarValue};
pub use error::EventError;
pub use ground::Ground;
pub use isolation::{Executed, Given, Isolation, Origin, isolate};
pub use many::{ManyValues, many};
pub use values::values;
pub use why::{Why, why};

pub(crate) use isolation::split_element;
pub(crate) use many::heap_bytes;
pub(crate) use regenerate::diverged;
