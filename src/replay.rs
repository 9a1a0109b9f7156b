//! `hasse replay`: runs a recorded program again, exactly as recorded.

use std::path::{Path, PathBuf};
use std::process;

use hasse::Recorded;
use hasse::continuation::sink_of_replay;
use hasse_debugger::facility::Mode;
use hasse_model::plan::Plan;
use hasse_model::trace::{RecordingMode, TraceHeader};
use hasse_runtime::natives::Natives;
use hasse_runtime::report::RunReport;
use hasse_runtime::run::{
    DEFAULT_RECLAIM_ABOVE, Leave, RunOptions, StopSignal, replay_or_leave, replay_restricted_or_leave,
};
use parking_lot::Mutex;

use crate::ending::Ending;
use crate::execution::{Scripts, Threads};
use crate::facilities::{self, FacilityArgs};
use crate::fault::Fault;
use crate::grants::Grants;
use crate::linked::Linked;
use crate::program::{self, Program};
use crate::progress::Progress;
use crate::record::{self, ReplayMode, Selection, Wanted};
use crate::sink::{TraceFailure, TraceSink};
use crate::{ending, interrupt, json, message, out, overwrite, recording, report, results, sink};

/// Run a recorded program again: the same rules, merges, grants and answers
///
/// The program's text comes from the trace. A program file that means something else than the
/// recorded one is refused. A replay asks nothing of the world and writes nothing for bodies, so
/// what they may reach does not matter.
#[derive(clap::Args)]
pub(crate) struct ReplayArgs {
    /// The trace to follow
    recorded: PathBuf,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    scripts: Scripts,
    /// What to record of the replay [default: everything, into the file that --trace names]
    #[arg(long, value_enum, value_name = "MODE")]
    record: Option<ReplayMode>,
    #[command(flatten)]
    selection: Selection,
    /// Record the replay into this file
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Disturb the timing of the replay by this seed; it must not matter
    #[arg(long)]
    seed: Option<u64>,
    /// The program file to compare with [default: the recorded path, if it exists]
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Replay with the program file even if it means something else than the recorded text
    #[arg(long)]
    allow_changes: bool,
    /// Print one JSON object on standard output, and what the program prints on standard error
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    facilities: FacilityArgs,
    #[command(flatten)]
    grants: Grants,
}

/// Replays a trace.
pub(crate) fn replay(args: &ReplayArgs, linked: &Linked) -> Result<Ending, Fault> {
    record::check_replay(args.record, &args.selection, args.trace.as_deref())?;
    if let Some(trace) = &args.trace {
        overwrite::refuse_same_file(trace, &args.recorded, "the trace that is replayed")?;
    }
    let recorded = recording::read(&args.recorded)?;
    if let Some(note) = recorded.note() {
        message::print(&format!("note: {}: {note}\n", args.recorded.display()));
    }
    let program = program_to_replay(args, &recorded, &linked.trusting(args.grants.trusts()))?;
    let program::Loaded { compiled, natives } = program.load()?;
    let Some(plan) = program::sound_plan(&compiled) else {
        if *program.text == recorded.header.program_text {
            return Err(program.not_executable(&args.recorded, &compiled));
        }
        if args.json {
            out::print_json(&json::uncompiled(&compiled.diagnostics))?;
        } else {
            report::print_diagnostics(&program, &compiled.diagnostics);
        }
        return Ok(Ending::Failed);
    };
    replay_plan(args, recorded, (&program, plan), natives)
}

fn replay_plan(
    args: &ReplayArgs,
    recorded: Recorded,
    (program, plan): (&Program, &Plan),
    natives: Natives,
) -> Result<Ending, Fault> {
    let is_cut_off = recorded.is_cut_off();
    let base = recorded.header.base.clone();
    let kept = recorded.header.kept.clone();
    let requested = args.facilities.requested()?;
    let options = RunOptions {
        n_workers: args.threads.n_workers() as usize,
        seed: args.seed,
        params: recorded.header.params.clone(),
        program_folder: program.folder(),
        sandbox: args.grants.sandbox_of_replay(*program.text != recorded.header.program_text)?,
        natives,
        stop: StopSignal::default(),
        reclaim_above: DEFAULT_RECLAIM_ABOVE,
        tiers: args.scripts.tiers(),
        capture: requested.capture(plan)?,
        control: None,
        chooser: None,
        virtual_time: false,
        checkpoints: None,
        writes_ahead: false,
    };
    let progress = Progress::of_run();
    let wanted = record::of_replay(args.record, &args.selection, plan)?;
    requested.require(Mode::Replay)?;
    let params = hasse_runtime::run::param_values(plan, &options).map_err(Fault::Runtime)?;
    let mode = wanted.mode();
    let trace_failure = TraceFailure::default();
    let trace = || match &args.trace {
        Some(path) => {
            overwrite::refuse_same_file(path, &program.path, "the program")?;
            let mode = requested.mode_of(requested.file, mode);
            // The record of a part is one of that part.
            let has_holes = kept.is_some() && mode == RecordingMode::Full;
            let mode = if has_holes { RecordingMode::Holes } else { mode };
            let (base, kept) = (base.clone(), kept.clone().filter(|_| has_holes));
            let header = TraceHeader { mode, base, kept, ..sink::header(program, plan, &options)? };
            TraceSink::create(path, &header, None, progress.clone(), &trace_failure).map(Some)
        }
        None => Ok(None),
    };
    let (sink, facilities) =
        facilities::open(&requested, plan, &params, mode, trace, &progress, &options.stop)?;
    interrupt::stop_on_interrupt(&options.stop);
    let output = out::output(args.json, &options.stop, progress.clone());
    let facilities = Mutex::new(facilities);
    let conclude = |report: &RunReport| {
        progress.end();
        let findings = facilities::conclude(facilities.lock().take());
        let is_interrupted = options.stop.is_set();
        if args.json {
            let mut found = json::run(report, args.trace.as_deref());
            found.fields["divergence"] =
                report.divergence.as_ref().map_or(serde_json::Value::Null, json::divergence);
            found.fields["complete"] = (!is_cut_off).into();
            if let Some(message) = trace_failure.message() {
                found.fields["trace_error"] = message.into();
            }
            if let Some(findings) = &findings {
                facilities::put_json(findings, program, plan, &params, &mut found.fields);
            }
            out::print_json(&found)?;
        } else {
            results::print_results(program, report)?;
            facilities::print(findings.as_ref(), program, plan, &params)?;
        }
        let is_offended = findings.as_ref().is_some_and(facilities::has_offence);
        trace_failure.or(Ending::failed_if(report.divergence.is_some() || is_interrupted || is_offended))
    };
    let mut leave = |report: &RunReport| {
        process::exit(i32::from(ending::exit_number(conclude(report))));
    };
    let leave = Some(Leave { is_due: &|| true, leave: &mut leave });
    let ended = match (wanted, sink) {
        (Wanted::Restricted(selected), Some(sink)) => {
            replay_restricted_or_leave(plan, &options, recorded.record, selected, sink, output, leave)
        }
        (_, sink) => {
            let sink = sink.map(|sink| sink_of_replay(&recorded, sink)).transpose();
            let sink = sink.map_err(Fault::of_run)?;
            replay_or_leave(plan, &options, recorded.record, sink, output, leave)
        }
    };
    progress.end();
    conclude(&ended.map_err(Fault::of_run)?)
}

/// The program whose text is to be run: the recorded one, unless a changed file is allowed.
fn program_to_replay(args: &ReplayArgs, recorded: &Recorded, linked: &Linked) -> Result<Program, Fault> {
    match program_now(recorded, args.program.as_deref(), linked)? {
        None => Ok(Program::recorded(&recorded.header, linked)),
        Some((now, changes)) if changes.is_empty() || args.allow_changes => Ok(now),
        Some((now, changes)) => Err(Fault::ProgramChanged { path: now.path, changes }),
    }
}

/// The program in `path`, in the file with the recorded path, or the one that is linked in, if its text is another one than that of
/// the record; with the changes of its meaning.
///
/// # Errors
/// The file cannot be read.
pub(crate) fn program_now(
    recorded: &Recorded,
    path: Option<&Path>,
    linked: &Linked,
) -> Result<Option<(Program, Vec<String>)>, Fault> {
    let recorded_path = Path::new(&recorded.header.program_path);
    let now = match (path, linked.program()) {
        (Some(path), _) => Program::read(path, linked)?,
        (None, Some(program)) => program,
        // A cut record goes to others: what their files of this name say does not matter.
        (None, None) if recorded.header.kept.is_some() => return Ok(None),
        (None, None) if recorded_path.is_file() => Program::read(recorded_path, linked)?,
        (None, None) => return Ok(None),
    };
    let old = Program::recorded(&recorded.header, linked);
    if now.text == old.text {
        return Ok(None);
    }
    let changes = changes(&old, &now);
    Ok(Some((now, changes)))
}

/// What a program means now that it did not mean when it was recorded.
fn changes(old: &Program, now: &Program) -> Vec<String> {
    hasse_compiler::changes(&old.text, &now.text)
        .into_iter()
        .map(|change| match change.line {
            Some(line) => format!("{}:{line}: {}", now.name(), change.what),
            None => change.what,
        })
        .collect()
}
