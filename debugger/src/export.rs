//! Events for other tools; one module a format.

/// One JSON object a line.
pub mod jsonl;
