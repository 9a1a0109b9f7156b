//! Symbols of expressions, and names that stand for them in the text that is compiled.

/// Most levels of nesting of what is spelled otherwise than in Rhai.
pub(crate) const MOST_LEVELS: usize = 64;

/// The word of `port(..)`.
pub(crate) const PORT: &str = "port";

/// The symbol of predecessors.
pub(crate) const PRED: &str = "Pred";

/// Variables that stand for the queue of a port.
pub(crate) const PORT_PREFIX: &str = "__port_";

/// Variables that stand for the truth of a `Pred(..)`.
pub(crate) const PRED_PREFIX: &str = "__pred_";

/// As it is written for the parser, which makes it [`part::SLICE`].
pub(crate) const SLICE_FUNCTION: &str = "__slice";

/// As it is written for the parser, which makes it [`part::ELEMENT`].
pub(crate) const PORT_FUNCTION: &str = "__element";
