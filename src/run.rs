//! `hasse run`: compiles a program, runs it on threads and records it where asked to.

use std::ffi::OsStr;
use std::io::{self, ErrorKind, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::{process, thread};

use hasse_model::plan::Plan;
use hasse_model::show::{Limits, Shown};
use hasse_model::trace::TraceHeader;
use hasse_model::value::Value;
use hasse_runtime::report::{RunOutcome, RunReport};
use hasse_runtime::run::{
    DEFAULT_RECLAIM_ABOVE, Leave, Output, Recording, RunOptions, ScriptTiers, StopSignal,
};
use parking_lot::Mutex;
use serde::Serialize;

use crate::facilities::{self, FacilityArgs};
use crate::fault::Fault;
use crate::grants::Grants;
use crate::linked::Linked;
use crate::out::Out;
use crate::params::{self, Setting};
use crate::program::{self, Program};
use crate::progress::Progress;
use crate::record::{self, RecordMode, Selection, Wanted};
use crate::sink::{TraceFailure, TraceSink};
use crate::watch::Round;
use crate::{Ending, command, interrupt, json, report, watch};

/// Run a program on worker threads
///
/// What the program prints goes to standard output as it comes, its results follow as `name = value`.
#[derive(clap::Args)]
pub(crate) struct RunArgs {
    /// The program file
    program: PathBuf,
    /// Stop and run again whenever the file changes
    // In front of the others: what follows them has the heading of their last group.
    #[arg(long)]
    watch: bool,
    #[command(flatten)]
    asked: RunAsked,
}

/// Run the program on worker threads
///
/// What the program prints goes to standard output as it comes, its results follow as `name = value`.
#[derive(clap::Args)]
pub(crate) struct RunAsked {
    /// What to record; without --trace into `PROGRAM.trace` in the current folder
    #[arg(long, value_enum, value_name = "MODE")]
    record: Option<RecordMode>,
    #[command(flatten)]
    selection: Selection,
    /// Record into this file; everything, unless another mode is asked for
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    scripts: Scripts,
    /// Set a creation parameter of the main graph; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<Setting>,
    /// Draw free choices and random numbers from this seed
    #[arg(long)]
    seed: Option<u64>,
    /// Print one JSON object on standard output, and what the program prints on standard error
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    facilities: FacilityArgs,
    #[command(flatten)]
    grants: Grants,
}

/// On how many threads to run.
#[derive(Default, clap::Args)]
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

/// How Rhai is executed.
#[derive(clap::Args)]
pub(crate) struct Scripts {
    /// How to execute bodies and expressions in Rhai, of those that can be compiled
    #[arg(long = "scripts", value_enum, value_name = "HOW", default_value = "auto")]
    how: How,
}

/// A way to execute Rhai.
#[derive(Clone, Copy, clap::ValueEnum)]
enum How {
    /// Compiled, and into machine code as soon as that is worth it
    Auto,
    /// By the interpreter
    Interpreted,
    /// Compiled, without machine code
    Evaluated,
    /// Into machine code before the run begins
    Native,
}

impl Scripts {
    /// The same for the runtime.
    pub(crate) fn tiers(&self) -> ScriptTiers {
        match self.how {
            How::Auto => ScriptTiers::Auto,
            How::Interpreted => ScriptTiers::Interpreted,
            How::Evaluated => ScriptTiers::Evaluated,
            How::Native => ScriptTiers::Native,
        }
    }
}

/// Runs a program.
pub(crate) fn run(args: &RunArgs, linked: &Linked) -> Result<Ending, Fault> {
    if args.watch {
        return watch::watch(&args.program, |round| run_file(args, Some(round), linked));
    }
    run_file(args, None, linked)
}

fn run_file(args: &RunArgs, round: Option<&Round>, linked: &Linked) -> Result<Ending, Fault> {
    let stem = args.program.file_stem().unwrap_or_default();
    let linked = linked.trusting(args.asked.grants.trusts());
    run_once(&args.asked, || Program::read(&args.program, &linked), stem, round)
}

/// Runs the program that is linked in; its record goes into `NAME.trace` where nobody says it.
pub(crate) fn run_linked(args: &RunAsked, program: &Program, name: &str) -> Result<Ending, Fault> {
    run_once(args, || Ok(program.clone()), name.as_ref(), None)
}

/// Runs a program once. What ends a round of a watched program is its `round`; without, it is Ctrl-C.
fn run_once(
    args: &RunAsked,
    read: impl FnOnce() -> Result<Program, Fault>,
    stem: &OsStr,
    round: Option<&Round>,
) -> Result<Ending, Fault> {
    let asked_for = args.trace.as_deref();
    record::check(args.record, &args.selection, asked_for)?;
    let trace_path = record::trace_path(args.record, &args.selection, asked_for, stem);
    let program = read()?;
    let program::Loaded { compiled, natives } = program.load()?;
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
    let requested = args.facilities.requested()?;
    let options = RunOptions {
        n_workers: n_workers as usize,
        seed: args.seed,
        params: params::param_values(plan, &args.settings)?,
        program_folder: program.folder(),
        sandbox: args.grants.sandbox()?,
        natives,
        stop: round.map(|round| round.stop.clone()).unwrap_or_default(),
        reclaim_above: DEFAULT_RECLAIM_ABOVE,
        tiers: args.scripts.tiers(),
        capture: requested.capture(plan)?,
        control: None,
        chooser: None,
    };
    let progress = Progress::of_run();
    let wanted = record::wanted(args.record, &args.selection, trace_path.as_deref(), plan)?;
    let wanted = match wanted {
        // To look at events while they come takes no file.
        Wanted::Nothing { .. } if args.record.is_none() && requested.is_any() => Wanted::Full,
        wanted => wanted,
    };
    requested.require(wanted.facility_mode())?;
    let params = hasse_runtime::run::param_values(plan, &options).map_err(Fault::Runtime)?;
    let mode = wanted.mode();
    let trace_failure = TraceFailure::default();
    let trace = || match &trace_path {
        Some(path) => {
            refuse_same_file(path, &program.path, "the program")?;
            let mode = requested.mode_of(requested.file, mode);
            let header = TraceHeader { mode, ..header(&program, plan, &options)? };
            TraceSink::create(path, &header, progress.clone(), &trace_failure).map(Some)
        }
        None => Ok(None),
    };
    let (sink, facilities) =
        facilities::open(&requested, plan, &params, mode, trace, &progress, &options.stop)?;
    let sink = || sink.expect("what is recorded is filed or looked at");
    let recording = match wanted {
        Wanted::Nothing { is_off: true } => Recording::Off,
        Wanted::Nothing { is_off: false } => Recording::None,
        Wanted::Full => Recording::Full(sink()),
        Wanted::Restricted(selected) => Recording::Restricted(sink(), selected),
        Wanted::Minimal => Recording::Minimal(sink()),
        Wanted::Perf => Recording::Perf(sink()),
    };
    if round.is_none() {
        interrupt::stop_on_interrupt(&options.stop);
    }
    let output = output(args.json, &options.stop, progress.clone());
    let facilities = Mutex::new(Some(facilities));
    let conclude = |report: &RunReport| {
        progress.end();
        let findings = facilities.lock().take().and_then(facilities::conclude);
        if args.json {
            let mut found = json::run(report, trace_path.as_deref());
            if let Some(message) = trace_failure.message() {
                found.fields["trace_error"] = message.into();
            }
            if let Some(findings) = &findings {
                facilities::put_json(findings, &program, plan, &params, &mut found.fields);
            }
            print_json(&found)?;
        } else {
            print_results(&program, report)?;
            facilities::print(findings.as_ref(), &program, plan, &params)?;
        }
        let is_offended = findings.as_ref().is_some_and(facilities::has_offence);
        trace_failure.or(Ending::failed_if(report.outcome != RunOutcome::Finished || is_offended))
    };
    // A round that a change ends waits for its bodies: what is watched goes on.
    let is_due = || round.is_none_or(Round::is_last);
    let mut leave = |report: &RunReport| {
        let concluded = conclude(report);
        let ended = if round.is_some() { concluded.map(|_| Ending::Fine) } else { concluded };
        process::exit(i32::from(command::exit_number(ended)));
    };
    let leave = Leave { is_due: &is_due, leave: &mut leave };
    let ended = hasse_runtime::run::run_or_leave(plan, &options, recording, output, leave);
    progress.end();
    conclude(&ended.map_err(Fault::of_run)?)
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
    write_results(program, report, &mut Out::new())?;
    if report.outcome == RunOutcome::Stopped {
        report::print_waiting_values(report);
    }
    Ok(())
}

/// Like [`print_results`], with results written to where the command writes.
pub(crate) fn write_results(program: &Program, report: &RunReport, out: &mut dyn Write) -> Result<(), Fault> {
    let mut write = || {
        for (name, value) in &report.results {
            writeln!(out, "{name} = {}", result_text(value))?;
        }
        out.flush()
    };
    write().map_err(Fault::Stdout)?;
    report::print_run(program, report);
    if report.outcome == RunOutcome::Failed {
        report::print_waiting_values(report);
    }
    if report.outcome == RunOutcome::Stopped && report.divergence.is_none() {
        report::print("stopped before the end\n");
    }
    Ok(())
}

/// Text of a result: vectors, matrices and arrays of numbers as sessions show them, anything else on one line.
fn result_text(value: &Value) -> String {
    let is_number = |item: &Value| matches!(item, Value::Int(_) | Value::Real(_));
    match value {
        Value::String(text) => text.to_string(),
        Value::Vector(_) | Value::Matrix(_) => Shown::new(value, &Limits::default()).to_string(),
        Value::Array(items) if items.iter().all(is_number) => {
            Shown::new(value, &Limits::default()).to_string()
        }
        value => value.to_string(),
    }
}

/// Prints the one JSON value of a command.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Fault> {
    let mut out = Out::new();
    let written = serde_json::to_writer(&mut out, value).map_err(io::Error::from);
    written.and_then(|()| writeln!(out)).and_then(|()| out.close()).map_err(Fault::Stdout)
}
