//! A run that is under way, and what came of it.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::ScopedJoinHandle;

use hasse_debugger::check::command::Command as Check;
use hasse_debugger::check::{CheckId, Verdict};
use hasse_debugger::facility::Findings;
use hasse_model::trace::TraceHeader;
use hasse_runtime::control::Control;
use hasse_runtime::report::{RunOutcome, RunReport};
use hasse_runtime::run::Idle;
use parking_lot::Mutex;

use super::super::command::Mode;
use super::super::subject::Subject;
use super::Records;
use crate::api::trace::Bytes;
use crate::facilities::{self, Shared};
use crate::fault::Fault;
use crate::progress::Progress;
use crate::results;
use crate::sink::TraceFailure;

/// A run that is under way.
pub(in super::super) struct Live<'scope, 'p> {
    pub(super) mode: Mode,
    /// The file that events are filed in.
    pub(super) trace: Option<PathBuf>,
    /// Its first error: the run goes on without it.
    pub(super) trace_failure: TraceFailure,
    pub(super) facilities: Shared<'p>,
    /// The header of the records that are kept.
    pub(super) saved_header: TraceHeader,
    /// The minimal record, where one is kept.
    pub(super) choices: Option<Bytes>,
    /// At the end: the actions that never executed.
    pub(super) idle: Arc<Mutex<Idle>>,
    pub(super) progress: Progress,
    /// Where the mode has control.
    pub(super) control: Option<Control>,
    pub(super) thread: Thread<'scope>,
}

/// The thread of a run.
pub(super) type Thread<'scope> = ScopedJoinHandle<'scope, Result<Option<RunReport>, Fault>>;

/// A run that is over and whose actions can still be asked.
pub(in super::super) struct Open<'scope> {
    control: Control,
    thread: Thread<'scope>,
}

impl Open<'_> {
    /// Lets go of it.
    pub(in super::super) fn close(self) -> Result<(), Fault> {
        self.control.release();
        join(self.thread).map(drop)
    }
}

fn join(thread: Thread<'_>) -> Result<Option<RunReport>, Fault> {
    match thread.join() {
        Ok(ended) => ended,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// The outcome of a run, a replay, or a look at records.
pub(in super::super) struct Done {
    pub(in super::super) mode: Mode,
    /// The file that its events were filed in.
    pub(in super::super) trace: Option<PathBuf>,
    /// Error of that file, which then ends before the run did.
    pub(in super::super) trace_fault: Option<Fault>,
    /// `None` where nothing was executed.
    pub(in super::super) report: Option<RunReport>,
    pub(in super::super) findings: Findings,
    /// The events that are kept of it.
    pub(in super::super) records: Option<Records>,
}

impl<'scope> Live<'scope, '_> {
    /// Adds a check; gives its id, or `None` where the run has no checker.
    pub(in super::super) fn add_check(&self, check: &Check) -> Result<Option<CheckId>, Fault> {
        let mut facilities = self.facilities.lock();
        let added = facilities.checker_mut().map(|checker| checker.add(check)).transpose();
        added.map_err(|source| Fault::CheckNames { source })
    }

    /// Deletes a check; gives its verdict so far.
    pub(in super::super) fn delete_check(&self, id: CheckId) -> Option<Verdict> {
        self.facilities.lock().delete_check(id)
    }

    /// The verdicts on the events so far.
    pub(in super::super) fn verdicts(&self) -> Vec<Verdict> {
        self.facilities.lock().verdicts()
    }

    /// What has been saved so far.
    pub(in super::super) fn records_so_far(&self) -> Records {
        let batches = self.facilities.lock().saved_so_far();
        let n_executed = batches.iter().map(|batch| batch.n_events() as u64).sum();
        let header = self.saved_header.clone();
        Records { header, batches: Arc::new(batches), n_executed, idle: Arc::default(), choices: None }
    }

    /// Number of events delivered so far, and of those that wait for others to come first.
    pub(in super::super) fn progress(&self) -> (u64, u64) {
        self.facilities.lock().progress()
    }

    pub(in super::super) fn mode(&self) -> Mode {
        self.mode
    }

    /// Whether it is a run of its own, and neither a replay nor a look at events.
    pub(in super::super) fn executes(&self) -> bool {
        !matches!(self.mode, Mode::Replay | Mode::PostMortem(_))
    }

    /// The line that shows how far it is, while it is waited for.
    pub(in super::super) fn line(&self) -> &Progress {
        &self.progress
    }

    /// What stops, continues and asks it, where its mode has that.
    pub(in super::super) fn control(&self) -> Option<&Control> {
        self.control.as_ref()
    }

    /// Whether nothing more will be executed.
    pub(in super::super) fn is_over(&self) -> bool {
        self.thread.is_finished() || self.control.as_ref().is_some_and(|control| control.report().is_some())
    }

    /// Waits for the end, and tells what came of the run. It may stay open to questions.
    pub(in super::super) fn conclude(self) -> Result<(Done, Option<Open<'scope>>), Fault> {
        let reported = self.control.as_ref().and_then(|control| {
            control.wait_for_rest();
            control.report().map(|report| (report, control.clone()))
        });
        let (report, open) = match reported {
            Some((report, control)) => (Some(report), Some(Open { control, thread: self.thread })),
            None => (join(self.thread)?, None),
        };
        let facilities = Arc::into_inner(self.facilities).expect("the thread has given it back");
        let mut findings = facilities.into_inner().finish();
        let saved = std::mem::take(&mut findings.saved);
        let header = self.saved_header;
        let n_executed = report.as_ref().map_or(findings.summary.n_delivered, |report| report.n_events);
        let idle = Arc::new(std::mem::take(&mut *self.idle.lock()));
        let records = match self.choices {
            Some(choices) => Some(choices.into_trace()).map(|trace| Records::of_bytes(trace.bytes())),
            None => (!saved.is_empty())
                .then(|| Ok(Records { header, batches: Arc::new(saved), n_executed, idle, choices: None })),
        };
        let records =
            records.transpose().map_err(|source| Fault::Trace { path: "of this session".into(), source })?;
        let trace_fault = self.trace_failure.take();
        Ok((Done { mode: self.mode, trace: self.trace, trace_fault, report, findings, records }, open))
    }
}

impl Done {
    /// Whether it is a replay that came to its end as recorded.
    pub(in super::super) fn is_whole_replay(&self) -> bool {
        self.mode == Mode::Replay
            && self
                .report
                .as_ref()
                .is_some_and(|report| report.divergence.is_none() && report.outcome != RunOutcome::Stopped)
    }

    /// Writes what came of it; tells whether anything failed.
    pub(in super::super) fn write(&self, subject: &Subject, out: &mut dyn Write) -> Result<bool, Fault> {
        let has_failed = match &self.report {
            Some(report) => {
                results::write_results(&subject.program, report, out)?;
                report.outcome != RunOutcome::Finished || report.divergence.is_some()
            }
            None => false,
        };
        let text =
            facilities::findings_text(&self.findings, &subject.program, &subject.plan, &subject.params);
        match &subject.taps {
            Some(taps) => (taps.finding)(&text),
            None => out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Fault::Stdout)?,
        }
        Ok(has_failed || facilities::has_offence(&self.findings))
    }
}
