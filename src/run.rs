//! `hasse run`: compiles a program, runs it on threads and records it where asked to.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process;
use std::time::Duration;

use hasse_model::plan::Plan;
use hasse_model::trace::TraceHeader;
use hasse_runtime::report::{RunOutcome, RunReport};
use hasse_runtime::run::{DEFAULT_RECLAIM_ABOVE, Leave, Recording, RunOptions};
use parking_lot::Mutex;

use crate::checkpoint::{CheckpointArgs, Taken};
use crate::ending::Ending;
use crate::execution::{Scripts, Threads};
use crate::facilities::{self, FacilityArgs};
use crate::fault::Fault;
use crate::grants::Grants;
use crate::index_file::IndexMemory;
use crate::linked::Linked;
use crate::ordering::{Imposed, OrderArgs};
use crate::out::{output, print_json};
use crate::overwrite::refuse_same_file;
use crate::params::{self, Setting};
use crate::program::{self, Program};
use crate::progress::Progress;
use crate::record::{self, RecordMode, Selection, Wanted};
use crate::results::print_results;
use crate::segments::{self, Keep, Limit};
use crate::sink::{TraceFailure, TraceSink, header};
use crate::watch::Round;
use crate::{ending, interrupt, json, message, report, trace, watch};

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
    /// Rotate the record: keep only its last part, such as `10m` or `500MB`. --trace names a folder then. May be given twice:
    /// for a time and for a size
    #[arg(long, value_name = "LIMIT")]
    keep: Vec<Limit>,
    #[command(flatten)]
    checkpoints: CheckpointArgs,
    /// Make the index of the record when the run is over, as `hasse trace index` does
    #[arg(long)]
    index: bool,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    order: OrderArgs,
    #[command(flatten)]
    scripts: Scripts,
    /// Set a creation parameter of the main graph; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<Setting>,
    /// Take creation parameters of the main graph from this file, `name = value` on each line as in TOML; --set goes first. A
    /// service reads it again at each SIGHUP
    #[arg(long, value_name = "FILE")]
    params: Option<PathBuf>,
    /// Draw free choices and random numbers from this seed
    #[arg(long)]
    seed: Option<u64>,
    /// Do not wait for delayed values: advance the clock to the next one as soon as all workers are idle
    #[arg(long)]
    virtual_time: bool,
    /// Run as a service: the first SIGTERM or Ctrl-C drains it. It takes no more input, queued values are processed, and the exit
    /// code is 0
    #[arg(long)]
    service: bool,
    /// Time that a service may take to drain; then it is stopped, and the exit code is 1
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = segments::time_of, requires = "service")]
    drain: Duration,
    /// Print one JSON object on standard output, and what the program prints on standard error
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    facilities: FacilityArgs,
    #[command(flatten)]
    grants: Grants,
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
    let keep = Keep::of(&args.keep);
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
    let imposed = args.order.order(plan, &args.threads, args.seed)?.map(Imposed::new);
    let n_workers = if imposed.is_some() { 1 } else { args.threads.n_workers() };
    let requested = args.facilities.requested()?;
    let set = || params::with_file(&args.settings, args.params.as_deref());
    let mut sandbox = args.grants.sandbox()?;
    if args.service && args.params.is_some() {
        sandbox.params = sandbox.params.changing();
    }
    let mut options = RunOptions {
        n_workers: n_workers as usize,
        seed: args.seed,
        params: params::param_values(plan, &set()?)?,
        program_folder: program.folder(),
        sandbox,
        natives,
        stop: round.map(|round| round.stop.clone()).unwrap_or_default(),
        reclaim_above: DEFAULT_RECLAIM_ABOVE,
        tiers: args.scripts.tiers(),
        capture: requested.capture(plan)?,
        control: None,
        chooser: imposed.as_ref().map(Imposed::chooser),
        virtual_time: args.virtual_time,
        checkpoints: None,
        writes_ahead: false,
    };
    let progress = Progress::of_run();
    let wanted = record::wanted(args.record, &args.selection, trace_path.as_deref(), plan)?;
    let wanted = match wanted {
        // To look at events while they come takes no file.
        Wanted::Nothing { .. } if args.record.is_none() && requested.is_any() => Wanted::Full,
        wanted => wanted,
    };
    requested.require(wanted.facility_mode())?;
    if keep.is_some() {
        match &wanted {
            Wanted::Minimal => return Err(Fault::KeepsMinimal),
            _ if trace_path.is_none() => return Err(Fault::KeepsNothing),
            _ => {}
        }
    }
    let taken = Taken::default();
    if let Some(period) = args.checkpoints.period {
        let path = trace_path.as_deref().filter(|_| keep.is_none() && matches!(wanted, Wanted::Full));
        let path = path.ok_or(Fault::CheckpointsWithoutRecord)?;
        options.checkpoints = Some(taken.beside(path, period, progress.clone()));
    }
    if args.index && (trace_path.is_none() || keep.is_some() || matches!(wanted, Wanted::Restricted(_))) {
        return Err(Fault::IndexWithoutRecord);
    }
    if args.checkpoints.durable {
        let is_recorded = trace_path.is_some() && keep.is_none() && matches!(wanted, Wanted::Full);
        if !is_recorded {
            return Err(Fault::DurableWithoutRecord);
        }
        options.writes_ahead = true;
    }
    let params = hasse_runtime::run::param_values(plan, &options).map_err(Fault::Runtime)?;
    let mode = wanted.mode();
    let trace_failure = TraceFailure::default();
    let trace = || match &trace_path {
        Some(path) => {
            refuse_same_file(path, &program.path, "the program")?;
            let mode = requested.mode_of(requested.file, mode);
            let header = TraceHeader { mode, ..header(&program, plan, &options)? };
            let created = TraceSink::create(path, &header, keep, progress.clone(), &trace_failure);
            created.map(|sink| Some(sink.required(args.checkpoints.durable)))
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
    match round {
        Some(_) => {}
        None if args.service => {
            let reload = args.params.as_ref().map(|_| reload(args, plan, &options));
            interrupt::drain_on_interrupt(&options.stop, args.drain, reload);
        }
        None => interrupt::stop_on_interrupt(&options.stop),
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
            if args.checkpoints.period.is_some() {
                found.fields["checkpoints"] = taken.json();
            }
            let unmet = imposed.as_ref().map_or_else(Vec::new, |imposed| imposed.unmet(report));
            if !unmet.is_empty() {
                found.fields["order_unmet"] = serde_json::json!(unmet);
            }
            if let Some(findings) = &findings {
                facilities::put_json(findings, &program, plan, &params, &mut found.fields);
            }
            print_json(&found)?;
        } else {
            print_results(&program, report)?;
            if let Some(imposed) = &imposed {
                message::print(&imposed.verdict(&program, report));
            }
            facilities::print(findings.as_ref(), &program, plan, &params)?;
        }
        let is_offended = findings.as_ref().is_some_and(facilities::has_offence);
        let is_drained = args.service
            && report.outcome == RunOutcome::Stopped
            && options.stop.is_draining()
            && !options.stop.is_set()
            && report.errors.is_empty();
        let is_in_order = report.outcome == RunOutcome::Finished || is_drained;
        trace_failure.or(Ending::failed_if(!is_in_order || is_offended))
    };
    // A round that a change ends waits for its bodies: what is watched goes on.
    let is_due = || round.is_none_or(Round::is_last);
    let mut leave = |report: &RunReport| {
        let concluded = conclude(report);
        let ended = if round.is_some() { concluded.map(|_| Ending::Fine) } else { concluded };
        process::exit(i32::from(ending::exit_number(ended)));
    };
    let leave = Leave { is_due: &is_due, leave: &mut leave };
    let ended = hasse_runtime::run::run_or_leave(plan, &options, recording, output, leave);
    progress.end();
    let ending = conclude(&ended.map_err(Fault::of_run)?)?;
    if let (true, Some(path)) = (args.index, &trace_path) {
        trace::index::make(path, IndexMemory::default(), &args.threads, program.linked())?;
    }
    Ok(ending)
}

/// Reads the parameters again, for bodies that watch them. Where they do not fit, they stay as they are, and standard error says
/// why.
fn reload(args: &RunAsked, plan: &Plan, options: &RunOptions) -> interrupt::Reload {
    let (settings, file, plan) = (args.settings.clone(), args.params.clone(), plan.clone());
    let (options, live) = (options.clone(), options.sandbox.params.clone());
    Box::new(move || {
        let read = || -> Result<(), Fault> {
            let set = params::with_file(&settings, file.as_deref())?;
            let options = RunOptions { params: params::param_values(&plan, &set)?, ..options.clone() };
            live.set(&hasse_runtime::run::params_line(&plan, &options).map_err(Fault::Runtime)?);
            Ok(())
        };
        match read() {
            Ok(()) => eprintln!("the parameters have been read again"),
            Err(fault) => {
                eprintln!("warning: {}: the parameters stay as they are", report::fault_line(&fault))
            }
        }
    })
}
