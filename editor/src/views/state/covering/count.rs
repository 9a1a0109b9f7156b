//! Coverage, and whether it is shown.

use std::sync::Arc;

use crate::views::coverage::Covered;
use crate::views::record::arrays::Record;
use crate::views::task::Task;

/// Coverage, and whether it is shown on the picture.
#[derive(Default)]
pub(in super::super) struct Covering {
    pub(super) is_shown: bool,
    /// The record that is being counted, or was.
    pub(super) of: Option<Arc<Record>>,
    pub(super) running: Option<Task<Option<Covered>>>,
    pub(super) covered: Option<Arc<Covered>>,
}

impl Covering {
    /// Parts that stay when another record is opened.
    pub(in super::super) fn kept(&mut self) -> Self {
        Self { is_shown: self.is_shown, ..Self::default() }
    }

    pub(in super::super) fn is_busy(&self) -> bool {
        self.running.is_some()
    }
}
