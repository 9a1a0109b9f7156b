//! Entries of the matching store that a worker is to serve.

use hasse_record::instrumentation::Instrumentation;
use hasse_record::spare::SpareIds;
use hasse_store::matching::Spot;

use crate::fire::lane::matched::matcher::Matcher;

/// Entries that are to be served, and what a worker keeps for them.
pub(crate) struct Matches<'s, M: Instrumentation> {
    pub(crate) ready: Vec<Spot>,
    /// By template.
    pub(crate) matchers: Vec<Option<Box<Matcher<'s, M>>>>,
    /// How often entries have been served side by side, and in how many turns; both go round.
    pub(crate) n_rounds: usize,
    pub(crate) n_turns: u32,
    /// Whether their events take long, and how long one took on the average of the last turn, in nanoseconds.
    pub(crate) are_slow: bool,
    pub(crate) last_nanos: u128,
    /// For instances that are created.
    pub(crate) spare: SpareIds,
}
