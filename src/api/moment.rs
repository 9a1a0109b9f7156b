//! The moments of a recorded run, and its state at each of them.
//!
//! A moment is a consistent cut of a record: the first events in the causal order in which the record is read. Its position is
//! their number. A replay leads to a moment from the nearest earlier one whose state is known (Hyder 1994, section 8.3.3).
//! States are kept of up to 64 moments at equal distances, the stations, once a replay has passed them; of
//! fewer where they take too much memory, or where a state takes longer to keep than to compute again.

/// Changes of variables.
mod changes;
/// Records that have the choices, and not the events.
mod choices;
/// Stations in a file.
mod index;
/// Memory for states.
mod kept;
/// Lives of actions.
mod lifetime;
/// Origins of values.
mod origin;
/// Ids of what the record does not name.
mod own_ids;
/// Replays of a part of a record.
mod part;
/// The state at a moment.
mod state;
/// States that are kept, as changes.
mod stations;
/// The record, replays and kept states.
mod timeline;
/// Conditions over time.
mod watched;

pub use changes::{Change, Variable};
pub use choices::with_every_event;
pub use index::IndexError;
pub use lifetime::Lifetime;
pub use origin::{Holder, Inputs, Onward, Origin, Passage};
pub use part::Wanted;
pub use timeline::{DEFAULT_STATE_BYTES, Timeline};
pub use watched::{Holding, Watched};

pub use state::{ActionAt, FailedAt, ObjectAt, QueueAt, State, WaitingValue};
