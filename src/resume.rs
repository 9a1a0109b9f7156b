//! `hasse resume`: goes on with a run that was killed or interrupted.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process;

use hasse_model::plan::Plan;
use hasse_model::snapshot::Snapshot;
use hasse_model::trace::RecordingMode;
use hasse_runtime::capture::Capture;
use hasse_runtime::natives::Natives;
use hasse_runtime::report::{RunOutcome, RunReport};
use hasse_runtime::run::{DEFAULT_RECLAIM_ABOVE, Leave, Recording, Run, RunOptions, StopSignal};

use crate::api::checkpoint::last_good;
use crate::api::resume::{ContinuedFile, Unfinished};
use crate::api::trace::open_alone;
use crate::checkpoint::{CheckpointArgs, Taken};
use crate::ending::{self, Ending};
use crate::execution::{Scripts, Threads};
use crate::fault::Fault;
use crate::grants::Grants;
use crate::linked::Linked;
use crate::out::{output, print_json};
use crate::program::{self, Program};
use crate::progress::Progress;
use crate::sink::{TraceFailure, TraceSink};
use crate::{interrupt, json, message, recording, replay, results};

/// Go on with a run that was killed or interrupted, from its record
///
/// What the record holds is replayed, without a word and without touching anything outside; then the run goes on, and its record with it.
/// Events that were not recorded are executed again. The trace becomes the record of the whole run.
#[derive(clap::Args)]
pub(crate) struct ResumeArgs {
    /// The trace: a full record
    trace: PathBuf,
    #[command(flatten)]
    checkpoints: CheckpointArgs,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    scripts: Scripts,
    /// The program file to compare with [default: the recorded path, if it exists]
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Do not wait for delayed values: advance the clock to the next one as soon as all workers are idle
    #[arg(long)]
    virtual_time: bool,
    /// Print one JSON object on standard output, and what the program prints on standard error
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    grants: Grants,
}

/// Goes on with a run.
pub(crate) fn resume(args: &ResumeArgs, linked: &Linked) -> Result<Ending, Fault> {
    let path = &args.trace;
    // A folder, a pipe or a file that is not there is refused by who reads it.
    let held = path.is_file().then(|| open_alone(path)).transpose();
    let held = held.map_err(|source| Fault::Write { path: path.clone(), source })?;
    let unfinished = read(path)?;
    let program = replay::recorded_program(
        &unfinished.recorded,
        args.program.as_deref(),
        &linked.trusting(args.grants.trusts()),
    )?;
    let program::Loaded { compiled, natives } = program.load()?;
    let plan = program::sound_plan(&compiled);
    let plan = plan.ok_or_else(|| program.not_executable(path, &compiled))?;
    go_on(args, (unfinished, held), (&program, plan), natives)
}

fn read(path: &Path) -> Result<Unfinished, Fault> {
    let reader = recording::open(path)?;
    match reader.header() {
        header if header.n_before > 0 => return Err(Fault::BeginsLater { path: path.to_owned() }),
        header if header.mode != RecordingMode::Full => {
            return Err(Fault::NotResumable { path: path.to_owned(), mode: header.mode.name() });
        }
        _ => {}
    }
    Unfinished::read(reader).map_err(|error| Fault::of_trace(path, error))
}

fn go_on(
    args: &ResumeArgs,
    (unfinished, held): (Unfinished, Option<File>),
    (program, plan): (&Program, &Plan),
    natives: Natives,
) -> Result<Ending, Fault> {
    let path = &args.trace;
    let header = unfinished.recorded.header.clone();
    let replaying = RunOptions {
        n_workers: args.threads.n_workers() as usize,
        seed: None,
        params: header.params.clone(),
        program_folder: program.folder(),
        sandbox: args.grants.sandbox_of_replay(false)?,
        natives,
        stop: StopSignal::default(),
        reclaim_above: DEFAULT_RECLAIM_ABOVE,
        tiers: args.scripts.tiers(),
        capture: Capture::none(),
        control: None,
        chooser: None,
        virtual_time: args.virtual_time,
        checkpoints: None,
    };
    let mut live = RunOptions { seed: header.seed, sandbox: args.grants.sandbox()?, ..replaying.clone() };
    let (progress, taken) = (Progress::of_run(), Taken::default());
    interrupt::stop_on_interrupt(&live.stop);
    let outcome = unfinished.outcome().map(str::to_owned);
    let record = unfinished.recorded.record;
    let n_events: u64 = record.batches.iter().map(|batch| batch.n_events() as u64).sum();
    let batches = record.batches.clone();
    let refuse = |path: &Path, reason: &str| {
        message::print(&format!("note: {} is not used: {reason}\n", path.display()));
    };
    let checkpoint = last_good(path, &record, refuse);
    let n_before = checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.n_events);
    let at_end = Run::at_end(plan, &replaying, checkpoint.as_ref(), record);
    if live.stop.is_set() {
        message::print("stopped before the end\n");
        return Ok(Ending::Failed);
    }
    let snapshot: Snapshot = at_end.map_err(Fault::of_run)?.into_snapshot();
    let trace_failure = TraceFailure::default();
    let recording = match &outcome {
        Some(outcome) => {
            let text = format!("note: {}: the run has come to its end: {outcome}\n", path.display());
            message::print(&text);
            Recording::None
        }
        None => {
            let continued = ContinuedFile::create(path, &header, &batches);
            let continued = continued.map_err(|source| Fault::Write { path: path.clone(), source })?;
            let n_replayed = n_events - n_before;
            message::print(&format!(
                "note: {}: the run goes on after {n_events} events, of which {n_replayed} were replayed\n",
                path.display()
            ));
            live.checkpoints =
                args.checkpoints.period.map(|period| taken.beside(path, period, progress.clone()));
            let sink = TraceSink::continued(path, continued, progress.clone(), &trace_failure);
            Recording::Full(Box::new(sink))
        }
    };
    drop((batches, held));
    let run = Run::from_snapshot(plan, &live, snapshot).map_err(Fault::of_run)?;
    let conclude = |report: &RunReport| {
        progress.end();
        if args.json {
            let mut found = json::run(report, Some(path));
            if let Some(message) = trace_failure.message() {
                found.fields["trace_error"] = message.into();
            }
            if live.checkpoints.is_some() {
                found.fields["checkpoints"] = taken.json();
            }
            print_json(&found)?;
        } else {
            results::print_results(program, report)?;
        }
        trace_failure.or(Ending::failed_if(report.outcome != RunOutcome::Finished))
    };
    let output = output(args.json, &live.stop, progress.clone());
    let mut leave = |report: &RunReport| {
        process::exit(i32::from(ending::exit_number(conclude(report))));
    };
    let leave = Some(Leave { is_due: &|| true, leave: &mut leave });
    let ended = run.run_or_leave(recording, output, leave);
    progress.end();
    conclude(&ended.map_err(Fault::of_run)?)
}
