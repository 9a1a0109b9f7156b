//! Starting runs, and what comes of them.

use std::io::Write;
use std::path::PathBuf;

use hasse_debugger::facility::View;

use super::super::command::{Mode, Origin};
use super::super::job::{Job, Open};
use super::{Session, records, told};
use crate::facilities::{self, Requested};
use crate::fault::Fault;

impl<'scope, 'p> Session<'scope, 'p> {
    pub(in super::super) fn run(&mut self, in_background: bool, out: &mut dyn Write) -> Result<(), Fault> {
        self.require_idle()?;
        self.shut()?;
        let settings = &self.settings;
        let requested = Requested {
            display: settings.display,
            display_set: facilities::set_of(&settings.display_selectors())?,
            check_set: facilities::set_of(&settings.check_set)?,
            commands: settings.checks.iter().map(|listed| listed.check.clone()).collect(),
            races: settings.races,
            file: settings.file.as_ref().map_or(View::Record, |&(_, view)| view),
        };
        let job = Job {
            subject: self.subject,
            options: self.options.clone(),
            mode: settings.mode,
            record_options: settings.record_options.clone(),
            trace: settings.file.as_ref().map(|(name, _)| self.file_path(name)),
            save: settings.save,
            keeps_graphs: settings.keeps_graphs,
            records: self.records.clone().filter(|_| settings.mode != Mode::PostMortem(Some(Origin::File))),
            source: self.source_file(),
            capture: requested.capture(&self.subject.plan)?,
        };
        // What the program prints and what is displayed comes from another thread.
        told(out.flush())?;
        self.filed = job.trace.clone().or(self.filed.take());
        let (live, ids) = job.start(self.threads, &requested)?;
        for (listed, id) in self.settings.checks.iter_mut().zip(ids) {
            listed.live = Some(id);
        }
        self.live = Some(live);
        self.n_runs += 1;
        self.scroll = records::Scroll::default();
        if in_background { Ok(()) } else { self.rest(out) }
    }

    /// The trace that is looked at, where the records are not.
    pub(super) fn source_file(&self) -> Option<PathBuf> {
        match self.settings.mode {
            Mode::PostMortem(Some(Origin::Records)) => None,
            Mode::PostMortem(Some(Origin::File)) => self.subject.trace.clone().or(self.filed.clone()),
            _ => self.subject.trace.clone(),
        }
    }

    /// Refuses what cannot be done beside a run.
    pub(in super::super) fn require_idle(&self) -> Result<(), Fault> {
        if self.live.is_some() { Err(Fault::UnderWay) } else { Ok(()) }
    }

    /// Waits for the end of the run, and tells what came of it.
    pub(super) fn conclude(&mut self, out: &mut dyn Write) -> Result<(), Fault> {
        let Some(live) = self.live.take() else { return Ok(()) };
        *self.subject.current.lock() = None;
        self.settings.checks.iter_mut().for_each(|listed| listed.live = None);
        let (done, open) = live.conclude()?;
        self.open = open;
        self.has_failed |= done.write(self.subject, out)?;
        if let Some(records) = &done.records {
            self.records = Some(records.clone());
        }
        self.last = Some(done);
        self.write_statistics(out)
    }

    /// Lets go of the run that was open to questions.
    pub(super) fn shut(&mut self) -> Result<(), Fault> {
        self.open.take().map_or(Ok(()), Open::close)
    }
}
