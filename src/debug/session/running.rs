//! Starting runs, and what comes of them.

use std::io::Write;
use std::path::{Path, PathBuf};

use hasse::continuation::Fork;
use hasse_debugger::facility::View;
use hasse_model::trace::RecordingMode;
use hasse_runtime::report::RunReport;

use super::super::command::{Mode, Origin};
use super::super::held::{self, Events, Held};
use super::super::job::{Done, Job, Live, Open, Records};
use super::remembered::Scroll;
use super::{Session, Settings, written};
use crate::facilities::{self, Requested};
use crate::fault::Fault;

impl<'scope, 'p> Session<'scope, 'p> {
    pub(in super::super) fn run(&mut self, in_background: bool, out: &mut dyn Write) -> Result<(), Fault> {
        if self.live.as_ref().is_some_and(Live::is_over) {
            // One that has ended in the background, of which nobody has asked what came of it.
            self.conclude(out)?;
        }
        self.require_idle()?;
        self.reload(out)?;
        self.start(in_background, None, out)
    }

    /// Starts a run: from its beginning in the session's mode, or from a moment with full recording.
    pub(super) fn start(
        &mut self,
        in_background: bool,
        fork: Option<Fork<'p>>,
        out: &mut dyn Write,
    ) -> Result<(), Fault> {
        self.shut()?;
        let mode = if fork.is_some() { Mode::Full } else { self.settings.mode };
        let (records, source) = if reads_events(mode) { self.source_of_run() } else { (None, None) };
        if records.is_none() && source.is_none() && reads_events(mode) {
            return Err(self.held.nothing());
        }
        let mut options = self.options.clone();
        if !matches!(mode, Mode::PostMortem(_)) {
            options.natives = self.subject.natives()?;
        }
        let settings = &self.settings;
        let on_findings = settings.conditions();
        let requested = Requested {
            display: settings.display,
            display_set: facilities::set_of(&settings.display_selectors())?,
            check_set: facilities::set_of(&settings.check_set)?,
            commands: settings.enabled_checks().map(|listed| listed.check.clone()).collect(),
            races: settings.races,
            file: settings.file.as_ref().map_or(View::Record, |&(_, view)| view),
            stops: on_findings.iter().map(|(condition, _)| condition.clone()).collect(),
        };
        let job = Job {
            subject: self.subject,
            options,
            mode,
            fork,
            record_options: settings.record_options.clone(),
            trace: settings.file.as_ref().map(|(name, _)| self.file_path(name)),
            save: settings.save,
            keeps_replay: self.keeps_replay(),
            keeps_graphs: settings.keeps_graphs,
            records,
            source,
            capture: requested.capture(&self.subject.plan)?,
            on_findings,
        };
        if let Some(text) = self.what_runs(&job) {
            written(writeln!(out, "{text}"))?;
        }
        // What the program prints and what is displayed comes from another thread.
        written(out.flush())?;
        let trace = job.trace.clone();
        let (live, ids) = job.start(self.threads, &requested)?;
        self.filed = trace.or(self.filed.take());
        let Settings { checks, disabled, .. } = &mut self.settings;
        let enabled = checks.iter_mut().filter(|listed| !disabled.contains(&listed.number));
        for (listed, id) in enabled.zip(ids) {
            listed.live = Some(id);
        }
        self.live = Some(live);
        self.is_rest_said = false;
        self.n_runs += 1;
        self.n_edits = 0;
        self.scroll = Scroll::default();
        if in_background { Ok(()) } else { self.rest(out) }
    }

    /// The report of the last run that executed something, once it is over.
    pub(in super::super) fn last_report(&self) -> Option<&RunReport> {
        self.last.as_ref().and_then(|done| done.report.as_ref())
    }

    /// Says what a run does where that is not what its mode alone says: in a session on a trace, and after an edit.
    fn what_runs(&self, job: &Job<'_>) -> Option<String> {
        let is_edited = self.held.subject.program.text != self.subject.program.text;
        if let Some(fork) = &job.fork {
            return Some(format!("going on from {}", fork.headline()));
        }
        match (job.mode, &self.subject.trace) {
            (Mode::Replay, _) if is_edited => {
                Some(format!("replays {} with the changed program", self.held.origin))
            }
            (Mode::Replay, Some(_)) => Some(format!("replays {}", self.held.origin)),
            (Mode::PostMortem(_), Some(trace)) if job.records.is_none() => Some(format!(
                "looks at the events of {}; nothing is executed: `mode replay` does so",
                trace.display()
            )),
            (Mode::PostMortem(_), _) | (_, None) => None,
            (_, Some(trace)) => Some(format!("runs the program recorded in {}", trace.display())),
        }
    }

    /// The events in memory, or the trace, that a replay follows and a look reads.
    fn source_of_run(&self) -> (Option<Records>, Option<PathBuf>) {
        let records = self.held.records().cloned();
        let file = self.held.file().map(Path::to_owned);
        match self.settings.mode {
            Mode::PostMortem(Some(Origin::Records)) => (records, None),
            Mode::PostMortem(Some(Origin::File)) => (None, self.subject.trace.clone().or(self.filed.clone())),
            _ => (records, file),
        }
    }

    /// Whether a replay makes events that the session does not have: those of a minimal record, or of an edited program.
    fn keeps_replay(&self) -> bool {
        let is_minimal =
            self.held.records().is_some_and(|records| records.header.mode == RecordingMode::Minimal);
        let is_edited = self.held.subject.program.text != self.subject.program.text;
        self.settings.mode == Mode::Replay && (is_minimal || is_edited)
    }

    /// Refuses what cannot be done beside a run.
    pub(in super::super) fn require_idle(&self) -> Result<(), Fault> {
        if self.live.is_some() { Err(Fault::UnderWay) } else { Ok(()) }
    }

    /// Waits for the end of the run, and tells what came of it.
    pub(super) fn conclude(&mut self, out: &mut dyn Write) -> Result<(), Fault> {
        if self.subject.taps.is_none() {
            self.write_news(out)?;
        }
        let Some(live) = self.live.take() else { return Ok(()) };
        *self.subject.current.lock() = None;
        self.settings.checks.iter_mut().for_each(|listed| listed.live = None);
        if live.executes() {
            // Should it fail, nothing of the run before stays in its place.
            self.hold(live.mode(), Events::Nowhere);
        }
        self.rest_is_said();
        let line = live.line().wait();
        let (mut done, open) = live.conclude()?;
        drop(line);
        self.open = open;
        if done.trace_fault.is_some() {
            self.filed = None;
        }
        if let Some(events) = self.events_of(&done) {
            self.hold(done.mode, events);
        }
        self.has_failed |= done.write(self.subject, out)?;
        let trace_fault = done.trace_fault.take();
        self.last = Some(done);
        self.write_statistics(out)?;
        trace_fault.map_or(Ok(()), Err)
    }

    /// The events that a run leaves in place of those before; `None` where these stay.
    fn events_of(&self, done: &Done) -> Option<Events> {
        let kept = done.records.clone().map(|records| Events::Records(Box::new(records)));
        match done.mode {
            Mode::Replay => kept.filter(|_| done.is_whole_replay()),
            Mode::PostMortem(_) => kept,
            _ => {
                let filed = done.trace.clone().map(|path| match done.trace_fault {
                    None => Events::File(path),
                    Some(_) => Events::CutOff(path),
                });
                Some(kept.or(filed).unwrap_or(Events::Nowhere))
            }
        }
    }

    /// Has events in place of those of the run before.
    fn hold(&mut self, mode: Mode, events: Events) {
        let origin = match (mode, &self.filed) {
            (Mode::PostMortem(_), filed) => {
                let looked_at = self.subject.trace.clone().or(filed.clone());
                looked_at.map_or_else(|| self.held.origin.clone(), held::Origin::Trace)
            }
            _ => held::Origin::Run { number: self.n_runs, mode },
        };
        self.held = Held { origin, events, subject: self.subject };
        self.travel = None;
    }

    /// Lets go of the run that was open to questions, and of the replay at a moment.
    pub(super) fn shut(&mut self) -> Result<(), Fault> {
        self.leave_moment();
        self.open.take().map_or(Ok(()), Open::close)
    }
}

/// Whether a mode reads events that are there already.
fn reads_events(mode: Mode) -> bool {
    matches!(mode, Mode::Replay | Mode::PostMortem(_))
}
