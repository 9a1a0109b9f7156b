//! State that a session keeps between two commands.

use std::sync::Weak;

use hasse::event::EventValues;
use hasse::moment::{Holder, Timeline};

use crate::debug::job::Records;
use crate::debug::scope::Scope;

/// An event whose values were made again.
pub(super) struct Regenerated {
    pub(super) event: String,
    /// The records that it is of; `None` for a trace.
    pub(super) records: Option<Records>,
    pub(super) values: EventValues,
}

/// Where the history goes on.
#[derive(Clone, Debug, Default)]
pub(super) struct Scroll {
    /// The place of the next event; 0 where there has been no page.
    pub(super) next: u64,
    pub(super) selectors: Vec<String>,
    /// What was selected and displayed: with others it begins again.
    pub(super) scope: Scope,
    pub(super) display_set: Vec<String>,
}

/// Where the way back of a value goes on.
pub(super) struct WayBack<'p> {
    /// The record as moments; another one after another run.
    pub(super) timeline: Weak<Timeline<'p>>,
    pub(super) holder: Holder,
}
