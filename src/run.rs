//! `hasse run`: compiles a program, runs it on threads and records it where asked to.

use std::io::{self, ErrorKind, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread;

use clap::ValueEnum;
use hasse_model::plan::Plan;
use hasse_model::trace::{RecordingMode, TraceHeader};
use hasse_model::value::Value;
use hasse_runtime::capture::Capture;
use hasse_runtime::natives::Natives;
use hasse_runtime::report::{RunOutcome, RunReport};
use hasse_runtime::run::{DEFAULT_RECLAIM_ABOVE, Output, Recording, RunOptions, StopSignal};
use serde_json::Value as Json;

use crate::fault::Fault;
use crate::grants::Grants;
use crate::out::Out;
use crate::params::{self, Setting};
use crate::program::{self, Program};
use crate::progress::Progress;
use crate::sink::TraceSink;
use crate::{Ending, interrupt, json, report, watch};

/// Run a program on worker threads
///
/// What the program prints goes to standard output as it comes, its results follow as `name = value`.
#[derive(clap::Args)]
pub(crate) struct RunArgs {
    /// The program file
    program: PathBuf,
    /// What to record; `full` and `minimal` without --trace write `PROGRAM.trace` in the current folder
    #[arg(long, value_enum, value_name = "MODE")]
    record: Option<RecordMode>,
    /// Record into this file; everything, unless --record says otherwise
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    #[command(flatten)]
    threads: Threads,
    /// Set a creation parameter of the main graph; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<Setting>,
    /// Draw free choices and random numbers from this seed
    #[arg(long)]
    seed: Option<u64>,
    /// Print one JSON object on standard output, and what the program prints on standard error
    #[arg(long)]
    json: bool,
    /// Stop and run again whenever the file changes
    #[arg(long)]
    watch: bool,
    #[command(flatten)]
    grants: Grants,
}

/// On how many threads to run.
#[derive(clap::Args)]
pub(crate) struct Threads {
    /// Number of worker threads [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    workers: Option<u32>,
}

impl Threads {
    /// The number asked for, or that of the cores.
    pub(crate) fn n_workers(&self) -> u32 {
        let n_cores = || thread::available_parallelism().map_or(1, NonZero::get);
        self.workers.unwrap_or_else(|| u32::try_from(n_cores()).unwrap_or(1))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RecordMode {
    /// Every event with its predecessors
    Full,
    /// Only the choices that were free, and what came from outside: enough for `hasse replay`
    Minimal,
    /// No events
    Off,
    /// Nothing, and no instrumentation at all
    None,
}

/// Runs a program.
pub(crate) fn run(args: &RunArgs) -> Result<Ending, Fault> {
    if args.watch {
        return watch::watch(&args.program, |stop| run_once(args, stop));
    }
    run_once(args, &StopSignal::default())
}

fn run_once(args: &RunArgs, stop: &StopSignal) -> Result<Ending, Fault> {
    let trace_path = trace_path(args)?;
    let program = Program::read(&args.program)?;
    let compiled = program.compile();
    let Some(plan) = program::sound_plan(&compiled) else {
        if args.json {
            print_json(&json::uncompiled(&compiled.diagnostics))?;
        } else {
            report::print_diagnostics(&program, &compiled.diagnostics);
        }
        return Ok(Ending::Failed);
    };
    if !args.json {
        report::print_diagnostics(&program, &compiled.diagnostics);
    }
    let n_workers = args.threads.n_workers();
    let options = RunOptions {
        n_workers: n_workers as usize,
        seed: args.seed,
        params: params::param_values(plan, &args.settings)?,
        program_folder: program.folder(),
        sandbox: args.grants.sandbox()?,
        natives: Natives::new(),
        stop: stop.clone(),
        reclaim_above: DEFAULT_RECLAIM_ABOVE,
        capture: Capture::none(),
    };
    let progress = Progress::of_run();
    let recording = match (&trace_path, args.record) {
        (Some(path), mode) => {
            refuse_same_file(path, &program.path, "the program")?;
            let mut header = header(&program, plan, &options)?;
            let is_minimal = mode == Some(RecordMode::Minimal);
            if is_minimal {
                header.mode = RecordingMode::Minimal;
            }
            let sink = Box::new(TraceSink::create(path, &header, progress.clone())?);
            if is_minimal { Recording::Minimal(sink) } else { Recording::Full(sink) }
        }
        (None, Some(RecordMode::Off)) => Recording::Off,
        (None, Some(RecordMode::Full | RecordMode::Minimal | RecordMode::None) | None) => Recording::None,
    };
    if !args.watch {
        interrupt::stop_on_interrupt(&options.stop);
    }
    let output = output(args.json, &options.stop, progress.clone());
    let ended = hasse_runtime::run::run(plan, &options, recording, output);
    progress.end();
    let report = ended.map_err(Fault::Runtime)?;
    if args.json {
        print_json(&json::run(&report, trace_path.as_deref()))?;
    } else {
        print_results(&program, &report)?;
    }
    Ok(Ending::failed_if(report.outcome != RunOutcome::Finished))
}

/// Where the record goes, if there is to be one.
fn trace_path(args: &RunArgs) -> Result<Option<PathBuf>, Fault> {
    match (&args.trace, args.record) {
        (Some(_), Some(RecordMode::Off)) => Err(Fault::TraceWithoutRecord { mode: "off" }),
        (Some(_), Some(RecordMode::None)) => Err(Fault::TraceWithoutRecord { mode: "none" }),
        (Some(path), Some(RecordMode::Full | RecordMode::Minimal) | None) => Ok(Some(path.clone())),
        (None, Some(RecordMode::Full | RecordMode::Minimal)) => {
            let stem = args.program.file_stem().unwrap_or_default();
            Ok(Some(PathBuf::from(stem).with_added_extension("trace")))
        }
        (None, Some(RecordMode::Off | RecordMode::None) | None) => Ok(None),
    }
}

/// What a trace says of the run before it begins.
pub(crate) fn header(program: &Program, plan: &Plan, options: &RunOptions) -> Result<TraceHeader, Fault> {
    hasse::trace_header(&program.name(), &program.text, plan, options).map_err(Fault::Runtime)
}

/// Refuses to write a trace over a file that the command reads.
pub(crate) fn refuse_same_file(trace: &Path, read: &Path, what: &'static str) -> Result<(), Fault> {
    if is_same_file(trace, read) {
        return Err(Fault::Overwrites { path: trace.to_owned(), what });
    }
    Ok(())
}

#[cfg(unix)]
fn is_same_file(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    match (one.metadata(), other.metadata()) {
        (Ok(one), Ok(other)) => (one.dev(), one.ino()) == (other.dev(), other.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_same_file(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// Takes in what the program prints. Once nobody reads it any more, the run is asked to end.
pub(crate) fn output(to_stderr: bool, stop: &StopSignal, progress: Progress) -> Output {
    let stop = stop.clone();
    Box::new(move |line| {
        let written = progress.suspend(|| {
            if to_stderr {
                writeln!(io::stderr().lock(), "{line}")
            } else {
                writeln!(io::stdout().lock(), "{line}")
            }
        });
        if written.is_err_and(|error| error.kind() == ErrorKind::BrokenPipe) {
            stop.stop();
        }
    })
}

/// Prints what came of a run: results on standard output, what went wrong on standard error.
pub(crate) fn print_results(program: &Program, report: &RunReport) -> Result<(), Fault> {
    let mut out = Out::new();
    let mut print = || {
        for (name, value) in &report.results {
            match value {
                Value::String(text) => writeln!(out, "{name} = {text}")?,
                value => writeln!(out, "{name} = {value}")?,
            }
        }
        out.flush()
    };
    print().map_err(Fault::Stdout)?;
    report::print_run(program, report);
    if report.outcome == RunOutcome::Stopped && report.divergence.is_none() {
        report::print("stopped before the end\n");
    }
    Ok(())
}

/// Prints the one JSON value of a command.
pub(crate) fn print_json(value: &Json) -> Result<(), Fault> {
    let mut out = Out::new();
    writeln!(out, "{value}").and_then(|()| out.close()).map_err(Fault::Stdout)
}
