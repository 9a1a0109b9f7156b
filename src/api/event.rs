//! One event of a record: the values that it took, had and sent, why it happened, and the event alone.
//!
//! A record holds no values; they are made again by a replay of what is before the event and nothing else. Every
//! function here takes a [`Ground`]: the program as it was recorded, and the record in memory.

/// What an event that was executed alone did otherwise.
mod compare;
/// Why a question about an event has no answer.
mod error;
/// Isolation files.
mod file;
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

use hasse_debugger::event_path::EventPath;
use hasse_debugger::past::History;
use hasse_model::id::EventId;
use hasse_model::plan::Plan;
use hasse_model::trace::Names;
use hasse_runtime::run::RunOptions;

use super::trace::Recorded;

pub use compare::Difference;
pub use error::EventError;
pub use isolation::{Executed, Given, Isolation, Origin, isolate};
pub use many::{ManyValues, many};
pub use values::{Answer, EventValues, Failure, Replayed, Sent, SharedValue, Taken, VarValue, values};
pub use why::{Why, why};

/// What questions about one event are answered from.
#[derive(Clone, Copy, Debug)]
pub struct Ground<'g> {
    /// The program that was recorded.
    pub plan: &'g Plan,
    /// The record. Only [`why`](fn@why) takes a restricted one.
    pub recorded: &'g Recorded,
    /// Workers, memory, native code and stop signal of the replay; parameters and what is captured do not count.
    pub options: &'g RunOptions,
}

impl Ground<'_> {
    fn names(&self) -> Names {
        let header = &self.recorded.header;
        let mut names = Names::new(header);
        self.recorded.record.batches.iter().for_each(|batch| names.read(batch));
        names
    }

    /// Whether the record holds choices, not events.
    fn is_minimal(&self) -> bool {
        self.recorded.record.minimal.is_some()
    }
}

/// The event that a text names.
fn find(text: &str, history: &History<'_>, names: &Names) -> Result<EventId, EventError> {
    Ok(path(text)?.find(names, history.actions())?)
}

fn path(text: &str) -> Result<EventPath, EventError> {
    EventPath::parse(text).map_err(|source| EventError::Path { text: text.to_owned(), source })
}
