//! What views show beside the record itself: the selection, a restriction, a moment of playback, findings.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::select::Related;

/// All of it; plain data, shared by the views.
#[derive(Clone, Debug, Default)]
pub struct Overlay {
    /// What is highlighted by the selection.
    pub related: Arc<Related>,
    /// For each instance whether it is chosen; without it all are. Others are drawn faintly.
    pub kept: Option<Arc<Vec<bool>>>,
    /// Orderings among chosen events, where there is a restriction.
    pub restricted: Option<Arc<super::restrict::Restriction>>,
    /// The number of events that playback has shown; later ones are drawn faintly.
    pub position: Option<u32>,
    /// Events that a finding names.
    pub found: Arc<BTreeSet<u32>>,
    /// Events that fit what is searched for, ascending.
    pub matches: Arc<Vec<u32>>,
    /// Events of the critical path, ascending.
    pub path: Arc<Vec<u32>>,
}

impl Overlay {
    /// Whether an instance is chosen.
    pub fn keeps(&self, instance: u32) -> bool {
        self.kept.as_ref().is_none_or(|kept| kept.get(instance as usize) == Some(&true))
    }
}
