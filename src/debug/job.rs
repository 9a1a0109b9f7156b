//! What `run` starts in a session: a run, a replay, or a look at records; with the facilities beside it.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Scope;

use hasse::Recorded;
use hasse::continuation::{Fork, sink_of_replay};
use hasse_debugger::check::{self, CheckId};
use hasse_debugger::facility::{self, View};
use hasse_model::record_options::RecordOptions;
use hasse_model::trace::{Names, RecordingMode, TraceFooter, TraceHeader, TraceReader};
use hasse_runtime::capture::Capture;
use hasse_runtime::control::{Control, Printer};
use hasse_runtime::report::RunReport;
use hasse_runtime::run::{Idle, Output, Recording, RunOptions, StopSignal};
use parking_lot::Mutex;

use super::command::{FindingCommand, Mode};
use super::subject::Subject;
use super::underway::Underway;
use super::wording;
use crate::api::trace::Bytes;
use crate::facilities::{self, Condition, OnlineSink, Requested, Shared, Show, Stops, Streams};
use crate::fault::Fault;
use crate::progress::Progress;
use crate::sink::{TraceFailure, TraceSink};
use crate::{out, overwrite, recording, sink};

/// A run that is under way, and its outcome.
mod live;
/// Events of a run.
mod records;

pub(super) use live::{Done, Live, Open};
pub(super) use records::Records;

/// What `run` is to do.
pub(super) struct Job<'p> {
    pub(super) subject: &'p Subject,
    /// The subject's, or what a restored session had.
    pub(super) options: RunOptions,
    pub(super) mode: Mode,
    /// The moment that the run begins at; `None` for its beginning.
    pub(super) fork: Option<Fork<'p>>,
    pub(super) record_options: RecordOptions,
    /// The file that events are filed in.
    pub(super) trace: Option<PathBuf>,
    pub(super) save: Option<View>,
    /// Whether the events of a replay are kept, in place of the record that it follows.
    pub(super) keeps_replay: bool,
    /// Whether graphs are kept that nothing displays.
    pub(super) keeps_graphs: bool,
    /// The events in memory that are followed or looked at.
    pub(super) records: Option<Records>,
    /// The trace that is followed or looked at.
    pub(super) source: Option<PathBuf>,
    /// The values that the checks ask for.
    pub(super) capture: Capture,
    /// Reactions to findings.
    pub(super) on_findings: Vec<(Condition, Vec<FindingCommand>)>,
}

impl<'p> Job<'p> {
    /// Starts it on a thread of its own; gives the ids of the checks, too.
    pub(super) fn start<'scope>(
        self,
        scope: &'scope Scope<'scope, 'p>,
        requested: &Requested,
    ) -> Result<(Live<'scope, 'p>, Vec<CheckId>), Fault> {
        let subject = self.subject;
        let mode = self.facility_mode();
        requested.require(mode)?;
        let save = self.save.filter(|_| mode.has(facility::Facility::Saving) || self.keeps_replay);
        let keeps_choices = save.is_some() && self.mode == Mode::Minimal;
        let save = save.filter(|_| !keeps_choices);
        let header = self.source_header()?;
        let recorded_as = self.recording_mode(&header);
        let names = match &header {
            Some(header) => Names::new(header),
            None => {
                let plan = &subject.plan;
                Names::from_parts(plan.template_labels(), plan.shared_labels(), plan.call_labels())
            }
        };
        // Checks can be added while it is under way, so that there is a checker in any case.
        let mut checker = facilities::checker(
            &[],
            &subject.plan,
            &subject.params,
            requested.mode_of(View::Check, recorded_as),
        )?;
        let mut ids = Vec::new();
        for command in &requested.commands {
            ids.push(checker.add(command).map_err(|source| Fault::CheckNames { source })?);
        }
        let facilities = requested.facilities(names, &subject.plan, &subject.params, recorded_as)?;
        let facilities = facilities.saving(save).keeping_graphs(self.keeps_graphs);
        let facilities = if mode.has(facility::Facility::Checker) {
            facilities.checker(Some(checker))
        } else {
            facilities
        };
        let facilities: Shared<'p> = Arc::new(Mutex::new(facilities));
        let taps = subject.taps.as_ref();
        let progress = if taps.is_some() { Progress::silent() } else { Progress::of_session() };
        let trace_failure = TraceFailure::default();
        let trace =
            self.create_trace(requested, recorded_as, header.clone(), progress.clone(), &trace_failure)?;
        let show: Show = match taps {
            Some(taps) => taps.show(),
            None => self.show(),
        };
        let tap = taps.map(|taps| Arc::clone(&taps.batch));
        let mut saved_header = self.header(header)?;
        saved_header.mode = requested.mode_of(save.unwrap_or_default(), recorded_as);
        let choices = keeps_choices.then(Bytes::default);
        let kept = choices.clone().map(|bytes| hasse::TraceSink::new(bytes, &saved_header));
        let kept = kept.transpose().map_err(Fault::of_facility)?;
        let idle = Arc::<Mutex<Idle>>::default();
        let streams =
            Streams { trace, progress: progress.clone(), show, tap, kept, idle: Some(Arc::clone(&idle)) };
        if let Some(taps) = taps {
            let live = TraceHeader { mode: recorded_as, ..saved_header.clone() };
            (taps.begin)(self.mode, self.records_events().then_some(live));
        }
        let sink = OnlineSink::new(Arc::clone(&facilities), streams, requested.file);
        let stop = StopSignal::default();
        let sink = sink.stopping(self.stops(&stop, &progress));
        let control = self.has_control().then(|| subject.control.clone());
        let has_ended = Arc::new(AtomicBool::new(false));
        let underway = Underway {
            stop: stop.clone(),
            control: control.clone(),
            progress: progress.clone(),
            ending: "ending the run; press Ctrl-C again to leave",
            has_ended: Arc::clone(&has_ended),
        };
        *subject.current.lock() = Some(underway);
        let (mode, trace) = (self.mode, self.trace.clone());
        let shown = progress.clone();
        if let Some(console) = &subject.console {
            console.run_goes_on();
        }
        if let Some(control) = &control {
            control.set_printer(Some(self.printer(&progress)));
            control.begin();
        }
        let controlled = control.clone();
        let thread = scope.spawn(move || {
            let ended = self.carry_out(sink, &stop, controlled.clone(), &progress);
            has_ended.store(true, Ordering::Release);
            progress.end();
            if let Some(control) = controlled {
                control.end();
            }
            if let Some(console) = &subject.console {
                console.run_is_over(&subject.control);
            }
            ended
        });
        let live = Live {
            mode,
            trace,
            trace_failure,
            facilities,
            saved_header,
            choices,
            idle,
            progress: shown,
            control,
            thread,
        };
        Ok((live, ids))
    }

    /// Whether actions can be stopped and asked (table 6-2).
    fn has_control(&self) -> bool {
        !matches!(self.mode, Mode::Perf | Mode::DebuggingOff | Mode::PostMortem(_))
    }

    /// Whether events come while it is under way that are not on record yet.
    fn records_events(&self) -> bool {
        matches!(self.mode, Mode::Full | Mode::Restrict | Mode::Perf | Mode::Replay)
    }

    /// Where events come from, as far as facilities are concerned.
    fn facility_mode(&self) -> facility::Mode {
        match self.mode {
            Mode::Full => facility::Mode::Full,
            Mode::Restrict => facility::Mode::Restricted,
            Mode::Minimal => facility::Mode::Minimal,
            Mode::Perf => facility::Mode::Perf,
            Mode::Off => facility::Mode::Off,
            Mode::Replay => facility::Mode::Replay,
            Mode::DebuggingOff => facility::Mode::Off,
            Mode::PostMortem(_) if self.records.is_some() => facility::Mode::PostMortemRecords,
            Mode::PostMortem(_) => facility::Mode::PostMortemFile,
        }
    }

    /// What is said of the events that are replayed or looked at.
    fn source_header(&self) -> Result<Option<TraceHeader>, Fault> {
        match (self.mode, &self.records, &self.source) {
            (Mode::Replay | Mode::PostMortem(_), Some(records), _) => Ok(Some(records.header.clone())),
            (Mode::PostMortem(_), None, Some(path)) => {
                Ok(Some(recording::open_silently(path)?.header().clone()))
            }
            (Mode::Replay, None, Some(path)) => {
                let reader = recording::try_open(path, |_| Progress::silent());
                let reader = reader.map_err(|error| Fault::of_trace(path, error.into()))?;
                Ok(Some(reader.header().clone()))
            }
            (Mode::Replay | Mode::PostMortem(_), None, None) => Err(Fault::NoRecords),
            _ => Ok(None),
        }
    }

    /// Header of the events that come, where `source` is that of the events that are replayed or looked at.
    fn header(&self, source: Option<TraceHeader>) -> Result<TraceHeader, Fault> {
        if let Some(fork) = &self.fork {
            let Subject { program, .. } = self.subject;
            return fork.header(&program.name(), &program.text, &self.options).map_err(Fault::Runtime);
        }
        match (self.mode, source) {
            // To make one takes all code of the program, which only an execution loads.
            (Mode::PostMortem(_), Some(header)) => Ok(header),
            (_, source) => {
                let (base, kept) = source.map_or((None, None), |header| (header.base, header.kept));
                let header = sink::header(&self.subject.program, &self.subject.plan, &self.options)?;
                Ok(TraceHeader { base, kept, ..header })
            }
        }
    }

    /// How much the events that come say.
    fn recording_mode(&self, source: &Option<TraceHeader>) -> RecordingMode {
        match (self.mode, source) {
            (Mode::Restrict, _) => RecordingMode::Restricted,
            (Mode::Minimal, _) => RecordingMode::Minimal,
            (Mode::Perf, _) => RecordingMode::Perf,
            (Mode::PostMortem(_), Some(header)) => header.mode,
            // The record of a part is one of that part.
            (Mode::Replay, Some(header)) if header.kept.is_some() => RecordingMode::Holes,
            _ => RecordingMode::Full,
        }
    }

    fn create_trace(
        &self,
        requested: &Requested,
        recorded_as: RecordingMode,
        source_header: Option<TraceHeader>,
        progress: Progress,
        failure: &TraceFailure,
    ) -> Result<Option<TraceSink>, Fault> {
        let Some(path) = &self.trace else { return Ok(None) };
        let subject = self.subject;
        overwrite::refuse_same_file(path, &subject.program.path, "the program")?;
        let reads_source = matches!(self.mode, Mode::Replay | Mode::PostMortem(_));
        let source = self.source.as_ref().filter(|_| reads_source);
        for read in subject.trace.iter().chain(source) {
            overwrite::refuse_same_file(path, read, "the trace of the session")?;
        }
        let mut header = self.header(source_header)?;
        header.mode = requested.mode_of(requested.file, recorded_as);
        TraceSink::create(path, &header, None, progress, failure).map(Some)
    }

    fn carry_out(
        self,
        mut sink: OnlineSink<'p>,
        stop: &StopSignal,
        control: Option<Control>,
        progress: &Progress,
    ) -> Result<Option<RunReport>, Fault> {
        let subject = self.subject;
        let options =
            RunOptions { stop: stop.clone(), capture: self.capture.clone(), control, ..self.options.clone() };
        let output = match &subject.taps {
            Some(taps) => taps.output(),
            None => self.output(stop, progress),
        };
        let plan = &subject.plan;
        if let Some(fork) = &self.fork {
            return fork.run(&options, Some(Box::new(sink)), output).map(Some).map_err(Fault::of_run);
        }
        let recording = match self.mode {
            Mode::PostMortem(_) => return self.look(&mut sink).map(|()| None),
            Mode::Replay => {
                let recorded = self.recorded()?;
                let sink = sink_of_replay(&recorded, Box::new(sink)).map_err(Fault::of_run)?;
                let ended = hasse_runtime::run::replay(plan, &options, recorded.record, Some(sink), output);
                return ended.map(Some).map_err(Fault::of_run);
            }
            Mode::Full => Recording::Full(Box::new(sink)),
            Mode::Minimal => Recording::Minimal(Box::new(sink)),
            Mode::Restrict => {
                let resolved = self.record_options.resolve(plan);
                Recording::Restricted(Box::new(sink), resolved.map_err(Fault::Selector)?)
            }
            Mode::Perf => Recording::Perf(Box::new(sink)),
            Mode::Off | Mode::DebuggingOff => {
                // The facilities are concluded while the run is still open to questions.
                drop(sink);
                if self.mode == Mode::Off { Recording::Off } else { Recording::None }
            }
        };
        hasse_runtime::run::run(plan, &options, recording, output).map(Some).map_err(Fault::of_run)
    }

    /// Takes lines of the program. Once nobody reads them any more, the run is asked to end.
    fn output(&self, stop: &StopSignal, progress: &Progress) -> Output {
        let Some(console) = self.subject.console.clone() else {
            return out::output(false, stop, progress.clone());
        };
        let (stop, progress) = (stop.clone(), progress.clone());
        Box::new(move |line| {
            if progress.suspend(|| console.print(line)).is_err() {
                stop.stop();
            }
        })
    }

    /// Takes lines of the display.
    fn show(&self) -> Show {
        match self.subject.console.clone() {
            Some(console) => Box::new(move |line| console.print(line)),
            None => Box::new(show_line),
        }
    }

    /// Does what is asked for at what the events of the run show. Where actions cannot be stopped, the run ends instead.
    fn stops(&self, stop: &StopSignal, progress: &Progress) -> Option<Stops> {
        if matches!(self.mode, Mode::PostMortem(_)) {
            return None;
        }
        let mut stops = Stops::default();
        for (condition, commands) in self.on_findings.clone() {
            let control = self.has_control().then(|| self.subject.control.clone());
            let (taps, console) = (self.subject.taps.clone(), self.subject.console.clone());
            let (stop, progress) = (stop.clone(), progress.clone());
            let program = self.subject.program.name();
            let say = move |text: &str| match (&taps, &console) {
                (Some(taps), _) => (taps.shown)(text),
                // A session whose output is closed ends by itself.
                (None, Some(console)) => drop(progress.suspend(|| console.print(text))),
                (None, None) => drop(progress.suspend(|| show_line(text))),
            };
            stops = stops.on(condition, move |found, verdicts| {
                for command in commands {
                    match command {
                        FindingCommand::Log(text) => say(&format!("{found}: {text}")),
                        FindingCommand::Verdicts => {
                            let texts = verdicts.iter().map(|verdict| check::render(verdict, &program));
                            texts.for_each(|text| text.lines().for_each(&say));
                        }
                        FindingCommand::Stop => {
                            say(&format!("{found}: stopping"));
                            match &control {
                                Some(control) => control.stop(),
                                None => stop.stop(),
                            }
                        }
                    }
                }
            });
        }
        (!stops.is_empty()).then_some(stops)
    }

    /// Prints what breakpoints say.
    fn printer(&self, progress: &Progress) -> Printer {
        let (taps, console) = (self.subject.taps.clone(), self.subject.console.clone());
        let progress = progress.clone();
        Arc::new(move |news| {
            let text = wording::news(news);
            match (&taps, &console) {
                (Some(taps), _) => (taps.news)(news, &text),
                // Whoever does not read the output any more is found out by the program's own lines.
                (None, Some(console)) => drop(progress.suspend(|| console.print(&text))),
                (None, None) => drop(progress.suspend(|| show_line(&text))),
            }
        })
    }

    /// Gives the events of the session's records or of the trace to the facilities.
    fn look(&self, sink: &mut OnlineSink<'p>) -> Result<(), Fault> {
        match (&self.records, &self.source) {
            (Some(records), _) => {
                records.batches.iter().try_for_each(|batch| sink.look(batch))?;
                sink.close(records.footer())
            }
            (None, Some(path)) => {
                let mut reader = recording::open_silently(path)?;
                while let Some(batch) =
                    reader.next_batch().map_err(|error| Fault::of_trace(path, error.into()))?
                {
                    sink.look(&batch)?;
                }
                let cut_off = || TraceFooter { outcome: "cut off".to_owned(), ..TraceFooter::default() };
                sink.close(reader.footer().cloned().unwrap_or_else(cut_off))
            }
            (None, None) => Err(Fault::NoRecords),
        }
    }

    /// The record that a replay follows.
    fn recorded(&self) -> Result<Recorded, Fault> {
        match (&self.records, &self.source) {
            (Some(records), _) => {
                let mode = records.header.mode;
                if !Recorded::is_replayable(mode) {
                    return Err(Fault::NotReplayable { path: "of this session".into(), mode: mode.name() });
                }
                let bytes = records.to_bytes().map_err(Fault::Stdout)?;
                let reader = TraceReader::open(&bytes[..]);
                let recorded = reader.map_err(|error| error.into()).and_then(Recorded::read);
                recorded.map_err(|error| Fault::of_trace(&self.subject.program.path, error))
            }
            (None, Some(path)) => recording::read_silently(path),
            (None, None) => Err(Fault::NoRecords),
        }
    }
}

/// Shows a line of the display among what the session prints.
fn show_line(line: &str) -> io::Result<()> {
    writeln!(io::stdout().lock(), "{line}")
}
