//! Records with holes: a part of a run, cut from a record of the whole (Hyder 1994, section 8.1.3).
//!
//! The part is some graph instances or actions, the kept ones; all others are the holes. The cut record has the events of the kept
//! actions, with the order among them. Where something comes out of a hole, it has the content: values sent to kept actions, and what
//! outside events had written to shared objects that kept events access. A replay executes the kept part alone, without the nodes
//! outside, their code and the files that they read.
//!
//! The record is one with a base, the state that a replay begins with: there, everything that came out of the holes waits
//! on the ports of the kept actions. The events that sent it come before the base. They are named, and never executed.

/// Values that came out of the holes, found by a replay of the whole.
mod crossing;
/// The cut.
mod cut;
/// Why a record cannot be cut.
pub(super) mod error;
/// Which actions are kept.
mod part;
/// The last result-setting events before an event.
mod past;
/// Cuts of a program's own records.
mod program;
/// Accesses to shared objects without the holes.
mod versions;

pub use cut::Cut;
pub use error::CutError;
pub use part::without_holes;
