//! Recording options: how much is recorded of which instance (Hyder 1994, section 5.3).
//!
//! Each instance of a unit of computation or of a call has a selected option. It counts only where the
//! effective option of the graph instance around it is [`Restrict`](RecordOption::Restrict); otherwise the
//! instance has the one around it (section 5.3.1, table 5-4). The main graph's own option counts always.

/// Selectors against paths.
mod path;
/// Options against the nodes of a program.
mod resolve;
/// What is selected: names, indices and paths.
mod selector;
/// Options as they are stated.
pub(crate) mod settings;
#[cfg(test)]
mod tests;

pub use path::CalledGraphs;
pub use resolve::{NamedOptions, ResolvedOptions};
pub use selector::{Selector, SelectorError};

pub use settings::{RecordAnnotations, RecordOption, RecordOptions};
