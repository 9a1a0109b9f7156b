//! Models of expected behavior: a drawn subgraph of the program, with what each of its events may follow and lead to.
//!
//! A model selects nodes of the program and says which dependences are expected among them, possibly transitive ones through nodes
//! that are not selected, with conditions on them; and for each node, by which sets of predecessors its events may come
//! about (`fire`) and what they may lead to (`route`). Events are restricted to the selected nodes ([`relay`](super::relay)), and each is
//! checked: an event is in error if an ordering with an immediate predecessor is none of the expected dependences, or its
//! predecessors or successors satisfy none of its rules (Hyder 1994, definitions 3-8 and 3-9).
//!
//! We differ from the source in two points. An ordering that follows from two others may be drawn or left out: what is immediately
//! before an event must be expected, and what is expected must have been relayed to it. And an action's own
//! event before it is always expected, because actions keep state.

mod bind;
mod closure;
pub(super) mod error;
mod faults;
mod grammar;
mod judge;
mod matching;
mod read;
mod syntax;
#[cfg(test)]
mod tests;

pub use error::ModelError;
pub(super) use judge::ModelCheck;
pub use read::parse;
pub use syntax::Model;
