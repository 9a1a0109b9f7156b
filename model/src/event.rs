//! Event records: what the instrumentation notes of each execution.
//!
//! The hot path fills one reused [`EventRecord`](crate::event::EventRecord) and copies it into the columns of an
//! [`EventBatch`](crate::event::EventBatch); a batch is what is handed over, written and read back.

mod announcement;
mod batch;
mod edit;
mod minimal;
mod record;
mod row;

pub use announcement::{ActionRecord, GraphRecord, ObjectRecord};
pub use batch::EventBatch;
pub(crate) use batch::{Core, EventExtra, are_same};
pub use edit::{DroppedValue, QueueChange, QueueEdit, SentValue};
pub use record::{Effect, EffectKind, EventRecord, LocalState, Outcome, RelayedAccess, SharedAccess, Timing};
pub use row::EventRow;
