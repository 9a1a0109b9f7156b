//! Where what other threads of a session say goes, where it does not go to standard output.

use std::io;
use std::sync::Arc;

use hasse_model::trace::TraceHeader;
use hasse_runtime::control::News;
use hasse_runtime::run::Output;

use super::command::Mode;
use crate::facilities::{Show, Tap};

/// Takes a line.
pub(super) type TakeLine = Arc<dyn Fn(&str) + Send + Sync>;
/// Takes news with their text.
type TakeNews = Arc<dyn Fn(&News, &str) + Send + Sync>;

/// What takes the place of standard output.
#[derive(Clone)]
pub(super) struct Taps {
    /// What the program prints.
    pub(super) line: TakeLine,
    /// Events that are displayed as they come.
    pub(super) shown: TakeLine,
    /// What the facilities have found.
    pub(super) finding: TakeLine,
    /// What has happened at stop points.
    pub(super) news: TakeNews,
    /// A run begins; with what its record says before the first event, where the mode records events.
    pub(super) begin: Arc<dyn Fn(Mode, Option<TraceHeader>) + Send + Sync>,
    /// Batches as they come.
    pub(super) batch: Tap,
}

impl Taps {
    pub(super) fn show(&self) -> Show {
        let take = Arc::clone(&self.shown);
        Box::new(move |line| -> io::Result<()> {
            take(line);
            Ok(())
        })
    }

    pub(super) fn output(&self) -> Output {
        let take = Arc::clone(&self.line);
        Box::new(move |line| take(line))
    }
}
