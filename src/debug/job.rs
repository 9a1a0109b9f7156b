//! What `run` starts in a session: a run, a replay, or a look at records; with the facilities beside it.

use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{Scope, ScopedJoinHandle};

use hasse::Recorded;
use hasse_debugger::check::command::Command as Check;
use hasse_debugger::check::{self, CheckId, Checker, Verdict};
use hasse_debugger::facility::{self, Findings, View};
use hasse_debugger::race;
use hasse_model::event::EventBatch;
use hasse_model::record_options::RecordOptions;
use hasse_model::trace::{Names, RecordingMode, TraceHeader, TraceReader};
use hasse_runtime::report::{RunOutcome, RunReport};
use hasse_runtime::run::{Recording, StopSignal};
use parking_lot::Mutex;

use super::command::Mode;
use super::session::Subject;
use crate::facilities::{self, OnlineSink, Requested, Shared, Streams};
use crate::fault::Fault;
use crate::progress::Progress;
use crate::sink::TraceSink;
use crate::{recording, run};

/// The events of a run that the session has kept.
#[derive(Clone)]
pub(super) struct Records {
    pub(super) header: TraceHeader,
    batches: Arc<Vec<EventBatch>>,
}

impl Records {
    pub(super) fn n_events(&self) -> usize {
        self.batches.iter().map(EventBatch::n_events).sum()
    }
}
