//! Checks, races and restrictions of runs and records, as the commands `hasse verify`, `hasse races` and `hasse trace
//! restrict` give them.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use hasse_debugger::check::command::{self, Command};
use hasse_debugger::check::values::ValuesWanted;
use hasse_debugger::check::verdict::Verdict;
use hasse_debugger::check::{self, Checker};
use hasse_debugger::facility::{Facilities, Outlet};
use hasse_debugger::race::{self, RaceOptions};
use hasse_debugger::restrict::restricted_batches;
use hasse_model::event::EventBatch;
use hasse_model::plan::Plan;
use hasse_model::record_options::{NamedOptions, RecordOptions};
use hasse_model::trace::{Names, RecordingMode, TraceHeader};
use hasse_runtime::capture::{Capture, Captured};
use hasse_runtime::report::RunReport;
use hasse_runtime::run::{self as runtime, EventSink, Idle, Recording, RunOptions, param_values};

use super::error::Error;
use super::options::Options;
use super::program::Program;
use super::run::Run;
use super::trace::{Bytes, Trace, TraceSink};

/// The values that checks ask for.
///
/// # Errors
/// Where a check names what the program does not have.
pub fn values_of_checks(commands: &[Command], plan: &Plan) -> Result<Capture, check::ResolveError> {
    let mut capture = Capture::none();
    for command in commands {
        for ValuesWanted { template, took, before, after, sent } in command.values(plan)? {
            capture.add(template, Captured { took, before, after, sent, around: false });
        }
    }
    Ok(capture)
}

impl Program {
    /// Runs the program and judges checks while it runs: `check pred Gath {Solve}`, `forall m: Mult, ..`.
    ///
    /// ```
    /// # use hasse::build::{Graph, Program as Builder, Unit};
    /// # use hasse::{Natives, Options};
    /// # let graph = Graph::new("pair")
    /// #     .arc("Make.part[i] -> Use[i].part")
    /// #     .unit(Unit::new("Make").start().output("part[i]", "int").route("part[i] <- i for i in 0..3"))
    /// #     .unit(Unit::new("Use").index("i").input("part", "int").fire("part -> p").body("let q = p;"));
    /// # let program = Builder::new("pair").graph(graph).compile(&Natives::new())?;
    /// let (run, verdicts) = program.run_checked(&Options::new(), &["check pred Use {Make}", "never u: Use : u.index > 1"])?;
    /// run.finished()?;
    /// assert!(verdicts[0].holds);
    /// assert_eq!(verdicts[1].violations[0].event, "/Use[2]:1");
    /// # Ok::<(), hasse::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`run`](Self::run); also where a check cannot be read, or names what the program does not have.
    pub fn run_checked(&self, options: &Options, checks: &[&str]) -> Result<(Run, Vec<Verdict>), Error> {
        let commands = parsed(checks)?;
        let run_options = self.checked_options(options, &commands)?;
        let params = param_values(self.plan(), &run_options)?;
        let judge = Judge::new(self.plan(), &commands, &params)?;
        let recording = Recording::Full(Box::new(judge.clone()));
        let report = runtime::run(self.plan(), &run_options, recording, options.line_output())?;
        Ok((Run { program: self.name().to_owned(), report }, judge.finish()))
    }

    /// Judges checks against a record, as `hasse verify` does. Where they ask for values, or the record is a minimal
    /// one, it is replayed.
    ///
    /// # Errors
    /// Where a check cannot be read or names what the program does not have, and where the trace cannot be used or is
    /// of another program.
    pub fn verify(&self, trace: &Trace, checks: &[&str]) -> Result<Vec<Verdict>, Error> {
        let commands = parsed(checks)?;
        let capture = values_of_checks(&commands, self.plan())?;
        let reader = trace.reader()?;
        self.require_same(reader.header())?;
        if capture == Capture::none() && reader.header().mode != RecordingMode::Minimal {
            return Ok(check::verify(reader, self.plan(), &commands)?.0);
        }
        drop(reader);
        let recorded = trace.recorded()?;
        let params = recorded.header.params;
        let run_options =
            RunOptions { params: params.clone(), ..self.checked_options(&Options::new(), &commands)? };
        let judge = Judge::new(self.plan(), &commands, &params)?;
        let sink: Option<Box<dyn EventSink>> = Some(Box::new(judge.clone()));
        runtime::replay(self.plan(), &run_options, recorded.record, sink, Box::new(|_| {}))?;
        Ok(judge.finish())
    }

    /// The races of a recorded run, as `hasse races` finds them.
    ///
    /// # Errors
    /// Where the trace does not have every event, cannot be used, or is of another program.
    pub fn races(&self, trace: &Trace) -> Result<race::Report, Error> {
        let reader = trace.reader()?;
        self.require_same(reader.header())?;
        let params = reader.header().params.clone();
        let (races, summary) = race::find(reader, RaceOptions::default())?;
        Ok(race::report(&races, &summary.names, self.plan(), &params, self.text()))
    }

    /// The record of selected actions alone, as if no others had been recorded: what
    /// [`Options::select`] would have recorded of the same run.
    ///
    /// # Errors
    /// Where a selector does not fit the program, and where the trace cannot be used or is of another program.
    pub fn restrict(&self, trace: &Trace, selectors: &[&str]) -> Result<Trace, Error> {
        let mut options = RecordOptions::restricted();
        for selector in selectors {
            options = options.select(selector)?;
        }
        let mut named = NamedOptions::new(options.resolve(self.plan())?);
        let reader = trace.reader()?;
        self.require_same(reader.header())?;
        if reader.header().mode == RecordingMode::Minimal {
            return Err(Error::OnlyChoices);
        }
        let header = TraceHeader { mode: RecordingMode::Restricted, ..reader.header().clone() };
        let bytes = Bytes::default();
        let mut sink = TraceSink::new(bytes.clone(), &header).map_err(runtime::RuntimeError::Sink)?;
        let restricted = restricted_batches(
            reader,
            |action, names| named.action(action, names),
            |batch| sink.take_batch(batch),
        )?;
        if let Some(footer) = restricted.footer() {
            sink.close(footer).map_err(runtime::RuntimeError::Sink)?;
        }
        drop(sink);
        Ok(bytes.into_trace())
    }
}

fn parsed(checks: &[&str]) -> Result<Vec<Command>, Error> {
    checks.iter().map(|text| Ok(command::parse(text)?)).collect()
}

/// Gives the batches of a run to checks.
#[derive(Clone)]
struct Judge<'a>(Arc<Mutex<Facilities<'a>>>);

impl<'a> Judge<'a> {
    fn new(
        plan: &'a Plan,
        commands: &[Command],
        params: &'a [(String, hasse_model::value::Value)],
    ) -> Result<Self, Error> {
        let names = Names::from_parts(plan.template_labels(), plan.shared_labels(), plan.call_labels());
        let checker = Checker::new(commands, plan, params)?.recorded(RecordingMode::Full);
        Ok(Self(Arc::new(Mutex::new(Facilities::new(names, plan).checker(Some(checker))))))
    }

    fn finish(self) -> Vec<Verdict> {
        let facilities = Arc::into_inner(self.0).expect("the run has given its sink back");
        facilities.into_inner().unwrap_or_else(PoisonError::into_inner).finish().verdicts
    }
}

impl EventSink for Judge<'_> {
    fn take_batch(&mut self, batch: &EventBatch) -> io::Result<()> {
        let mut facilities = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        facilities.push(batch, &mut Nothing).map_err(io::Error::other)
    }

    fn finish(&mut self, _: &RunReport, _: &Idle) -> io::Result<()> {
        Ok(())
    }
}

/// Nothing is shown or filed.
struct Nothing;

impl Outlet for Nothing {
    fn show(&mut self, _: &str) -> io::Result<()> {
        Ok(())
    }

    fn file(&mut self, _: &EventBatch) -> io::Result<()> {
        Ok(())
    }
}
