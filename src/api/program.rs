//! Programs that have been compiled: run, record, replay.

use std::fs;
use std::path::{Path, PathBuf};

use hasse_compiler::Compiled;
use hasse_debugger::check::command::Command;
use hasse_model::diagnostic::{Diagnostic, Severity};
use hasse_model::plan::Plan;
use hasse_model::trace::{RecordingMode, TraceHeader};
use hasse_runtime::natives::Natives;
use hasse_runtime::run::{self as runtime, EventSink, Recording, RunOptions, RuntimeError};

use super::analysis::values_of_checks;
use super::continuation::sink_of_replay;
use super::error::{CompileError, Error};
use super::holes::without_holes;
use super::options::{Options, Recorder};
use super::record_file::{RecordFailure, RecordFile};
use super::run::Run;
use super::trace::{Bytes, Trace, TraceSink, trace_header};

/// A program without errors, with what it calls.
///
/// ```
/// use hasse::{Natives, Options, Program};
///
/// let mut natives = Natives::new();
/// natives.function("half", |n: i64| if n % 2 == 0 { Ok(n / 2) } else { Err(format!("{n} is odd")) });
/// let text = r#"
/// hasse = 1
/// main  = "halves"
///
/// [graph.halves]
/// params = { n = "int" }
///
/// [graph.halves.uc.Halve]
/// start = true
/// do    = 'result("half", half(n));'
/// "#;
/// let program = Program::from_text(text, &natives)?;
/// let run = program.run(&Options::new().set("n", 8))?;
/// assert_eq!(run.result::<i64>("half")?, 4);
///
/// let failed = program.run(&Options::new().set("n", 7))?.finished().unwrap_err();
/// assert!(failed.to_string().contains("7 is odd"), "{failed}");
/// # Ok::<(), hasse::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Program {
    name: String,
    text: String,
    /// Empty where there is none.
    folder: PathBuf,
    plan: Plan,
    warnings: Vec<Diagnostic>,
    natives: Natives,
}

impl Program {
    /// Compiles a text. Its Rhai bodies have no folder of their own to read.
    ///
    /// # Errors
    /// The program or what is registered has errors.
    pub fn from_text(text: &str, natives: &Natives) -> Result<Self, Error> {
        Self::compile("(text)", text, PathBuf::new(), natives)
    }

    /// Reads and compiles a file. Its Rhai bodies may read its folder and what is below.
    ///
    /// # Errors
    /// The file cannot be read, or the program or what is registered has errors.
    pub fn from_file(path: impl AsRef<Path>, natives: &Natives) -> Result<Self, Error> {
        let path = path.as_ref();
        let text =
            fs::read_to_string(path).map_err(|source| Error::Read { path: path.to_owned(), source })?;
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        Self::compile(&path.display().to_string(), &text, folder, natives)
    }

    pub(crate) fn compile(name: &str, text: &str, folder: PathBuf, natives: &Natives) -> Result<Self, Error> {
        let compiled = hasse_compiler::compile(text, &natives.functions()?);
        Self::of_compiled(name, text, folder, natives, compiled)
    }

    /// The program that a trace was recorded with. Of a record with [holes](crate::holes), the nodes outside of the kept part are
    /// without their bodies, so that native code of theirs need not be registered.
    ///
    /// # Errors
    /// The trace cannot be read, or its program has errors: native code of the kept part is not registered.
    pub fn of_trace(trace: &Trace, natives: &Natives) -> Result<Self, Error> {
        let reader = trace.reader()?;
        let header = reader.header();
        let (functions, text) = (natives.functions()?, &header.program_text);
        let mut compiled = hasse_compiler::compile(text, &functions);
        if let Some(kept) = &header.kept {
            if compiled.diagnostics.iter().any(|found| found.severity == Severity::Error) {
                compiled = hasse_compiler::compile_recorded(text, &functions);
            }
            compiled.plan.iter_mut().for_each(|plan| without_holes(plan, kept));
        }
        Self::of_compiled(&header.program_path, text, PathBuf::from("."), natives, compiled)
    }

    fn of_compiled(
        name: &str,
        text: &str,
        folder: PathBuf,
        natives: &Natives,
        compiled: Compiled,
    ) -> Result<Self, Error> {
        let is_error = |found: &Diagnostic| found.severity == Severity::Error;
        let (name, text, diagnostics) = (name.to_owned(), text.to_owned(), compiled.diagnostics);
        match compiled.plan {
            Some(plan) if !diagnostics.iter().any(is_error) => {
                let natives = natives.clone();
                Ok(Self { name, text, folder, plan, warnings: diagnostics, natives })
            }
            _ => Err(CompileError { name, text, diagnostics }.into()),
        }
    }

    /// The text of the program.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What the compiler warns of.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// The program, lowered.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Runs the program to its end, without a record.
    ///
    /// # Errors
    /// The run could not be carried out. A program that fails is not an error but an outcome: see
    /// [`Run::finished`].
    pub fn run(&self, options: &Options) -> Result<Run, Error> {
        self.run_with(options, Recording::None)
    }

    /// Runs the program and records in memory what the options ask for: without more, every event.
    ///
    /// # Errors
    /// As for [`run`](Self::run); also where a selection does not fit the program.
    pub fn record(&self, options: &Options) -> Result<(Run, Trace), Error> {
        let recorder = options.recording_of(&self.plan)?;
        let header = self.header(options, recorder.mode())?;
        let bytes = Bytes::default();
        let sink = TraceSink::new(bytes.clone(), &header).map_err(RuntimeError::Sink)?;
        let run = self.run_with(options, recorder.into(Box::new(sink)))?;
        Ok((run, bytes.into_trace()))
    }

    /// Runs the program and records what the options ask for into a file, as it comes.
    ///
    /// # Errors
    /// As for [`record`](Self::record); also where the file cannot be written. A file that takes no more while the program
    /// runs does not end the run: [`Error::RecordCutOff`] has the run and its report.
    pub fn record_to_file(&self, options: &Options, path: impl AsRef<Path>) -> Result<Run, Error> {
        let path = path.as_ref();
        let cannot_write = |source| Error::Write { path: path.to_owned(), source };
        let recorder = options.recording_of(&self.plan)?;
        let header = self.header(options, recorder.mode())?;
        let failure = RecordFailure::default();
        let sink = RecordFile::new(path, &header, &failure).map_err(cannot_write)?;
        let run = self.run_with(options, recorder.into(Box::new(sink)))?;
        match failure.take() {
            None => Ok(run),
            Some(source) => Err(Error::RecordCutOff { path: path.to_owned(), source, run: Box::new(run) }),
        }
    }

    /// Runs the program and hands every batch of what is recorded to a sink, on a thread of its own.
    ///
    /// # Errors
    /// As for [`record`](Self::record).
    pub fn record_to_sink(&self, options: &Options, sink: Box<dyn EventSink>) -> Result<Run, Error> {
        self.run_with(options, options.recording_of(&self.plan)?.into(sink))
    }

    /// Runs the program again as recorded: the same choices and the same answers of the world outside.
    /// Parameters are those of the record; of the options, workers, output and stop signal count.
    ///
    /// # Errors
    /// The trace cannot be used, or is of another program.
    pub fn replay(&self, trace: &Trace, options: &Options) -> Result<Run, Error> {
        self.replay_with(trace, options, None)
    }

    /// Replays, and records in memory what the options ask for: of a full record, for instance, the restricted
    /// or the minimal record of the same execution, of a minimal one the full record. Times are not recorded.
    ///
    /// # Errors
    /// As for [`replay`](Self::replay); also where a selection does not fit the program.
    pub fn replay_recorded(&self, trace: &Trace, options: &Options) -> Result<(Run, Trace), Error> {
        let recorder = options.recording_of(&self.plan)?;
        let mode = recorder.mode();
        if mode == RecordingMode::Perf {
            return Err(Error::NoSuchRecorder { mode });
        }
        let reader = trace.reader()?;
        let TraceHeader { params, base, kept, .. } = reader.header().clone();
        // The record of a part is one of that part.
        let has_holes = kept.is_some() && mode == RecordingMode::Full;
        let mode = if has_holes { RecordingMode::Holes } else { mode };
        let kept = kept.filter(|_| has_holes);
        let bytes = Bytes::default();
        let run_options = RunOptions { params, ..options.of_run(&self.folder, &self.natives, &self.plan)? };
        let header = trace_header(&self.name, &self.text, &self.plan, &run_options)?;
        let header = TraceHeader { mode, base, kept, ..header };
        let sink = TraceSink::new(bytes.clone(), &header).map_err(RuntimeError::Sink)?;
        let run = self.replay_with(trace, options, Some((recorder, Box::new(sink))))?;
        Ok((run, bytes.into_trace()))
    }

    /// The path that traces name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Refuses traces of another text: nodes go by their place in it.
    pub(crate) fn require_same(&self, header: &TraceHeader) -> Result<(), Error> {
        if header.program_text == self.text {
            return Ok(());
        }
        let changes = hasse_compiler::changes(&header.program_text, &self.text);
        let mut changes: Vec<String> = changes.into_iter().map(|change| change.what).collect();
        if changes.is_empty() {
            changes.push("the same is written in another way".to_owned());
        }
        Err(Error::ProgramChanged { changes })
    }

    /// Options of a run in which the values are captured that checks ask for.
    pub(crate) fn checked_options(
        &self,
        options: &Options,
        commands: &[Command],
    ) -> Result<RunOptions, Error> {
        let capture = values_of_checks(commands, &self.plan)?;
        Ok(RunOptions { capture, ..options.of_run(&self.folder, &self.natives, &self.plan)? })
    }

    /// Options of a run of this program.
    pub(crate) fn run_options(&self, options: &Options) -> Result<RunOptions, Error> {
        options.of_run(&self.folder, &self.natives, &self.plan)
    }

    fn replay_with(
        &self,
        trace: &Trace,
        options: &Options,
        recording: Option<(Recorder, Box<dyn EventSink>)>,
    ) -> Result<Run, Error> {
        let recorded = trace.recorded()?;
        let changes = hasse_compiler::changes(&recorded.header.program_text, &self.text);
        if !changes.is_empty() {
            let changes = changes.into_iter().map(|change| change.what).collect();
            return Err(Error::ProgramChanged { changes });
        }
        let run_options = RunOptions {
            params: recorded.header.params.clone(),
            ..options.of_run(&self.folder, &self.natives, &self.plan)?
        };
        let recording = match recording {
            Some((Recorder::Full | Recorder::Perf, sink)) => {
                Some((Recorder::Full, sink_of_replay(&recorded, sink)?))
            }
            recording => recording,
        };
        let (record, output) = (recorded.record, options.line_output());
        let report = match recording {
            Some((Recorder::Restricted(selected), sink)) => {
                runtime::replay_restricted(&self.plan, &run_options, record, selected, sink, output)?
            }
            Some((Recorder::Minimal, sink)) => {
                runtime::minimize(&self.plan, &run_options, record, sink, output)?
            }
            Some((Recorder::Full | Recorder::Perf, sink)) => {
                runtime::replay(&self.plan, &run_options, record, Some(sink), output)?
            }
            None => runtime::replay(&self.plan, &run_options, record, None, output)?,
        };
        Ok(Run { program: self.name.clone(), report })
    }

    fn run_with(&self, options: &Options, recording: Recording<'_>) -> Result<Run, Error> {
        let run_options = options.of_run(&self.folder, &self.natives, &self.plan)?;
        let report = runtime::run(&self.plan, &run_options, recording, options.line_output())?;
        Ok(Run { program: self.name.clone(), report })
    }

    fn header(&self, options: &Options, mode: RecordingMode) -> Result<TraceHeader, Error> {
        let run_options = options.of_run(&self.folder, &self.natives, &self.plan)?;
        let header = trace_header(&self.name, &self.text, &self.plan, &run_options)?;
        Ok(TraceHeader { mode, ..header })
    }
}
