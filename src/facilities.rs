//! The facilities of a run, a replay or a trace: what was asked for, where it goes, and what was found.
//!
//! On line they work on the thread that collects batches: the workers wait only when it is behind.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ValueEnum;
use hasse_debugger::check::command::{self, Command};
use hasse_debugger::check::model;
use hasse_debugger::check::values::ValuesWanted;
use hasse_debugger::check::{self, Checker};
use hasse_debugger::facility::{Facilities, Facility, Findings, Mode, OptionOf, Outlet, Restriction, View};
use hasse_debugger::race::{self, RaceDetector, RaceOptions};
use hasse_debugger::restrict::Restrictor;
use hasse_model::event::EventBatch;
use hasse_model::plan::Plan;
use hasse_model::record_options::{NamedOptions, RecordOptions};
use hasse_model::trace::{Names, RecordingMode, TraceFooter};
use hasse_model::value::Value;
use hasse_runtime::capture::{Capture, Captured};
use hasse_runtime::report::RunReport;
use hasse_runtime::run::{EventSink, Idle};
use parking_lot::Mutex;
use serde_json::Value as Json;

use crate::fault::Fault;
use crate::out::Out;
use crate::program::Program;
use crate::progress::Progress;
use crate::sink::TraceSink;

/// What to do with the events as they come.
#[derive(clap::Args)]
#[command(next_help_heading = "Facilities")]
pub(crate) struct FacilityArgs {
    /// Show events in causal order as they come, on standard error
    #[arg(long, value_enum, value_name = "VIEW", num_args = 0..=1, require_equals = true, default_missing_value = "display")]
    display: Option<ViewArg>,
    /// The display set: nodes (Mult), actions ('Mult[3]', 'Mult[1..3]') or paths ('/dobts[2]/*'); may be given
    /// several times [default: all]
    #[arg(long, value_name = "SELECTOR")]
    display_select: Vec<String>,
    /// Check this while events come, as `hasse verify` does; may be given several times
    #[arg(long = "check", value_name = "CHECK")]
    checks: Vec<String>,
    /// Check the expected behavior of the models in this file; may be given several times
    #[arg(long = "model", value_name = "FILE")]
    models: Vec<PathBuf>,
    /// The check set: what the checks are given, restricted to these; like --display-select [default: all]
    #[arg(long, value_name = "SELECTOR")]
    check_select: Vec<String>,
    /// Look for races
    #[arg(long)]
    races: bool,
    /// Which events are filed by --trace
    #[arg(long, value_enum, value_name = "VIEW", default_value = "record")]
    file: ViewArg,
}

/// A view by its name on the command line.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ViewArg {
    /// All that is recorded
    Record,
    /// Restricted to the display set
    Display,
    /// Restricted to the check set
    Check,
}

impl From<ViewArg> for View {
    fn from(view: ViewArg) -> Self {
        match view {
            ViewArg::Record => View::Record,
            ViewArg::Display => View::Display,
            ViewArg::Check => View::Check,
        }
    }
}

impl FacilityArgs {
    /// What was asked for, read but not yet looked up in a program.
    pub(crate) fn requested(&self) -> Result<Requested, Fault> {
        Ok(Requested {
            display: self.display.map(View::from),
            display_set: set_of(&self.display_select)?,
            check_set: set_of(&self.check_select)?,
            commands: commands(&self.checks, None, &self.models)?,
            races: self.races,
            file: self.file.into(),
        })
    }
}

/// What was asked of the facilities.
#[derive(Default)]
pub(crate) struct Requested {
    pub(crate) display: Option<View>,
    pub(crate) display_set: Option<RecordOptions>,
    pub(crate) check_set: Option<RecordOptions>,
    pub(crate) commands: Vec<Command>,
    pub(crate) races: bool,
    pub(crate) file: View,
}

impl Requested {
    /// Whether events are to be looked at while they come.
    pub(crate) fn is_any(&self) -> bool {
        self.display.is_some() || !self.commands.is_empty() || self.races || self.file != View::Record
    }

    /// Refuses what a mode does not have (table 6-2).
    pub(crate) fn require(&self, mode: Mode) -> Result<(), Fault> {
        let asked = [
            (self.display.is_some(), Facility::Display),
            (!self.commands.is_empty() || self.races, Facility::Checker),
            (self.file != View::Record, Facility::Filing),
        ];
        match asked.into_iter().find(|&(is_asked, facility)| is_asked && !mode.has(facility)) {
            Some((_, facility)) => Err(Fault::NotAvailable { facility: facility.name(), mode: mode.name() }),
            None => Ok(()),
        }
    }

    /// The values that the checks ask for.
    pub(crate) fn capture(&self, plan: &Plan) -> Result<Capture, Fault> {
        capture(&self.commands, plan)
    }

    /// How much the events say that the checks are given.
    pub(crate) fn checked_mode(&self, recorded_as: RecordingMode) -> RecordingMode {
        if self.check_set.is_some() { RecordingMode::Restricted } else { recorded_as }
    }

    /// How much a file of these events says, where the run records in a mode.
    pub(crate) fn filed_mode(&self, recorded_as: RecordingMode) -> RecordingMode {
        let is_restricted = match self.file {
            View::Record => false,
            View::Display => self.display_set.is_some(),
            View::Check => self.check_set.is_some(),
        };
        if is_restricted { RecordingMode::Restricted } else { recorded_as }
    }

    /// The facilities for a program and the parameters of its run.
    pub(crate) fn facilities<'a>(
        &self,
        names: Names,
        plan: &'a Plan,
        params: &'a [(String, Value)],
        recorded_as: RecordingMode,
    ) -> Result<Facilities<'a>, Fault> {
        let set = |options: &Option<RecordOptions>| {
            options.as_ref().map(|options| restrictor(options, plan, recorded_as)).transpose()
        };
        let checker = match &self.commands[..] {
            [] => None,
            commands => Some(checker(commands, plan, params, self.checked_mode(recorded_as))?),
        };
        let races = self.races.then(|| RaceDetector::new(recorded_as, RaceOptions::default()));
        let races = races.transpose().map_err(|source| Fault::NoRaces { source })?;
        Ok(Facilities::new(names, plan)
            .display_set(set(&self.display_set)?)
            .check_set(set(&self.check_set)?)
            .display(self.display)
            .checker(checker)
            .races(races)
            .filing((self.file != View::Record).then_some(self.file)))
    }
}

/// The values that checks ask for.
pub(crate) fn capture(commands: &[Command], plan: &Plan) -> Result<Capture, Fault> {
    let mut capture = Capture::none();
    for command in commands {
        let wanted = command.values(plan).map_err(|source| Fault::CheckNames { source })?;
        for values in wanted {
            let ValuesWanted { template, took, before, after, sent } = values;
            capture.add(template, Captured { took, before, after, sent });
        }
    }
    Ok(capture)
}

/// A checker of the events of a record.
pub(crate) fn checker<'a>(
    commands: &[Command],
    plan: &'a Plan,
    params: &'a [(String, Value)],
    recorded_as: RecordingMode,
) -> Result<Checker<'a>, Fault> {
    let checker = Checker::new(commands, plan, params).map_err(|source| Fault::CheckNames { source })?;
    Ok(checker.recorded(recorded_as))
}

/// Restricts to what options name.
pub(crate) fn restrictor<'a>(
    options: &RecordOptions,
    plan: &Plan,
    recorded_as: RecordingMode,
) -> Result<Restriction<'a>, Fault> {
    let resolved = options.resolve(plan).map_err(Fault::Selector)?;
    let mut named = NamedOptions::new(resolved);
    let option_of: OptionOf<'a> = Box::new(move |action, names| named.action(action, names));
    Ok(Restrictor::new(recorded_as, option_of))
}

/// The selectors of a set; `None` for everything.
pub(crate) fn set_of(selectors: &[String]) -> Result<Option<RecordOptions>, Fault> {
    if selectors.is_empty() {
        return Ok(None);
    }
    let mut options = RecordOptions::restricted();
    for selector in selectors {
        options = options.select(selector).map_err(Fault::Selector)?;
    }
    Ok(Some(options))
}

/// Takes nothing: for facilities that show and file nothing.
pub(crate) struct Nowhere;

impl Outlet for Nowhere {
    fn show(&mut self, _: &str) -> io::Result<()> {
        Ok(())
    }

    fn file(&mut self, _: &EventBatch) -> io::Result<()> {
        Ok(())
    }
}

/// Reads checks, files of checks, and models.
pub(crate) fn commands(
    checks: &[String],
    file: Option<&Path>,
    models: &[PathBuf],
) -> Result<Vec<Command>, Fault> {
    let mut commands = checks.iter().map(|text| parse_check(text)).collect::<Result<Vec<_>, _>>()?;
    if let Some(path) = file {
        let text = read_text(path)?;
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        for line in lines {
            commands.push(parse_check(line)?);
        }
    }
    for path in models {
        commands.extend(read_models(path)?);
    }
    Ok(commands)
}

/// Reads the models of a file.
pub(crate) fn read_models(path: &Path) -> Result<Vec<Command>, Fault> {
    let models = model::parse(&read_text(path)?)
        .map_err(|source| Fault::BadModel { path: path.to_owned(), source })?;
    let command = |model: model::Model| {
        let text = format!("model {} of {}", model.name, path.display());
        Command::Model { model: Box::new(model), text }
    };
    Ok(models.into_iter().map(command).collect())
}

fn read_text(path: &Path) -> Result<String, Fault> {
    fs::read_to_string(path).map_err(|source| Fault::Read { path: path.to_owned(), source })
}

/// Reads a check.
pub(crate) fn parse_check(text: &str) -> Result<Command, Fault> {
    command::parse(text).map_err(|source| Fault::BadCheck { text: text.to_owned(), source })
}

/// What was found, for a person: verdicts, then races.
pub(crate) fn findings_text(
    findings: &Findings,
    program: &Program,
    plan: &Plan,
    params: &[(String, Value)],
) -> String {
    let name = program.name();
    let mut text: String = findings.verdicts.iter().map(|verdict| check::render(verdict, &name)).collect();
    if let Some(races) = &findings.races {
        let report = race::report(races, &findings.summary.names, plan, params, &program.text);
        text += &race::render(&report, &name, false);
    }
    text
}

/// Prints what was found, for a person.
pub(crate) fn print(
    findings: Option<&Findings>,
    program: &Program,
    plan: &Plan,
    params: &[(String, Value)],
) -> Result<(), Fault> {
    let Some(findings) = findings else { return Ok(()) };
    let mut out = Out::new();
    let text = findings_text(findings, program, plan, params);
    out.write_all(text.as_bytes()).and_then(|()| out.close()).map_err(Fault::Stdout)
}

/// What was found, for a program: added to the JSON object of a run.
pub(crate) fn put_json(
    findings: &Findings,
    program: &Program,
    plan: &Plan,
    params: &[(String, Value)],
    run: &mut Json,
) {
    run["verdicts"] = findings.verdicts.iter().map(check::to_json).collect();
    if let Some(races) = &findings.races {
        let report = race::report(races, &findings.summary.names, plan, params, &program.text);
        run["races"] = race::to_json(&report);
    }
}

/// Whether an expectation was not met, or there are races.
pub(crate) fn has_offence(findings: &Findings) -> bool {
    let has_race = findings.races.as_ref().is_some_and(|races| races.n_first() > 0);
    has_race || findings.verdicts.iter().any(|verdict| !verdict.holds)
}

/// Takes the batches of a run or replay: files them, and gives them to the facilities.
pub(crate) struct OnlineSink<'a> {
    facilities: Shared<'a>,
    streams: Streams,
    /// Whether batches are filed as they come, and not by the facilities.
    files_record: bool,
}

/// Facilities that the thread of a run feeds and others look at.
pub(crate) type Shared<'a> = Arc<Mutex<Facilities<'a>>>;

impl<'a> OnlineSink<'a> {
    pub(crate) fn new(facilities: Shared<'a>, streams: Streams, file: View) -> Self {
        Self { facilities, streams, files_record: file == View::Record }
    }
}

impl OnlineSink<'_> {
    /// Takes in a batch of records that exist already.
    pub(crate) fn look(&mut self, batch: &EventBatch) -> Result<(), Fault> {
        self.take_batch(batch).map_err(Fault::of_facility)
    }

    /// Files what is left, and the end. The records may be part of a run.
    pub(crate) fn close(&mut self, footer: TraceFooter) -> Result<(), Fault> {
        let flushed = self.facilities.lock().flush(&mut self.streams).map_err(io::Error::other);
        flushed.map_err(Fault::of_facility)?;
        match &mut self.streams.trace {
            Some(trace) => trace.close(footer).map_err(Fault::of_facility),
            None => Ok(()),
        }
    }
}

impl EventSink for OnlineSink<'_> {
    fn take_batch(&mut self, batch: &EventBatch) -> io::Result<()> {
        if self.files_record {
            self.streams.file(batch)?;
        } else {
            self.streams.progress.add(batch.n_events() as u64);
        }
        self.facilities.lock().push(batch, &mut self.streams).map_err(io::Error::other)
    }

    fn finish(&mut self, report: &RunReport, idle: &Idle) -> io::Result<()> {
        self.facilities.lock().flush(&mut self.streams).map_err(io::Error::other)?;
        match &mut self.streams.trace {
            Some(trace) => trace.finish(report, idle),
            None => Ok(()),
        }
    }
}

/// The sink of a run or replay: what files its events, and beside it the facilities that were asked for.
pub(crate) fn open<'a>(
    requested: &Requested,
    plan: &'a Plan,
    params: &'a [(String, Value)],
    recorded_as: RecordingMode,
    trace: impl FnOnce() -> Result<Option<TraceSink>, Fault>,
    progress: &Progress,
) -> Result<(Option<Box<dyn EventSink + 'a>>, Option<Shared<'a>>), Fault> {
    if !requested.is_any() {
        return Ok((trace()?.map(|trace| Box::new(trace) as Box<dyn EventSink>), None));
    }
    let names = Names::from_parts(plan.template_labels(), plan.shared_labels(), plan.call_labels());
    let facilities = requested.facilities(names, plan, params, recorded_as)?;
    let facilities: Shared<'a> = Arc::new(Mutex::new(facilities));
    // Only when everything else is known to be good is a file begun.
    let streams = Streams { trace: trace()?, progress: progress.clone(), show: show_on_stderr };
    let sink = OnlineSink::new(Arc::clone(&facilities), streams, requested.file);
    Ok((Some(Box::new(sink)), Some(facilities)))
}

/// What the facilities found, when the run is over and its sink is gone.
pub(crate) fn conclude(facilities: Option<Shared<'_>>) -> Option<Findings> {
    let facilities = Arc::into_inner(facilities?).expect("the sink has given it back");
    Some(facilities.into_inner().finish())
}

fn show_on_stderr(line: &str) -> io::Result<()> {
    writeln!(io::stderr().lock(), "{line}")
}

/// Where what comes out goes while the run is under way.
pub(crate) struct Streams {
    pub(crate) trace: Option<TraceSink>,
    pub(crate) progress: Progress,
    /// Takes lines of the display.
    pub(crate) show: fn(&str) -> io::Result<()>,
}

impl Outlet for Streams {
    fn show(&mut self, line: &str) -> io::Result<()> {
        self.progress.suspend(|| (self.show)(line))
    }

    fn file(&mut self, batch: &EventBatch) -> io::Result<()> {
        match &mut self.trace {
            Some(trace) => trace.take_batch(batch),
            None => {
                self.progress.add(batch.n_events() as u64);
                Ok(())
            }
        }
    }
}
