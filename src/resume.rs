//! `hasse resume`: goes on with a run that was killed or interrupted.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process;

use hasse::Recorded;
use hasse::continuation::Fork;
use hasse_model::plan::Plan;
use hasse_model::trace::RecordingMode;
use hasse_runtime::report::{RunOutcome, RunReport};
use hasse_runtime::run::{Leave, Recording, Run, RunOptions};
use hasse_runtime::sandbox::Sandbox;

use crate::api::checkpoint::{last_good, remove};
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
use crate::{ground, json, message, recording, replay, results};

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
    /// Go on with the program file even if it means something else than the recorded text; nodes, ports and vars are found by their names
    #[arg(long)]
    allow_changes: bool,
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
    let linked = &linked.trusting(args.grants.trusts());
    let changed = changed_program(args, &unfinished.recorded, linked)?;
    let program = Program::recorded(&unfinished.recorded.header, linked);
    let program::Loaded { compiled, natives } = program.load()?;
    let plan = program::sound_plan(&compiled);
    let plan = plan.ok_or_else(|| program.not_executable(path, &compiled))?;
    let stop = ground::interruptible();
    let options = RunOptions {
        sandbox: args.grants.sandbox_of_replay(false)?,
        tiers: args.scripts.tiers(),
        params: unfinished.recorded.header.params.clone(),
        ..ground::options(&program, natives, args.threads.n_workers() as usize, Sandbox::default(), &stop)
    };
    let (outcome, seed) = (unfinished.outcome().map(str::to_owned), unfinished.recorded.header.seed);
    let end = bring_to_end(path, plan, unfinished.recorded, &options);
    if stop.is_set() {
        message::print("stopped before the end\n");
        return Ok(Ending::Failed);
    }
    let (fork, n_replayed) = end?;
    let live = RunOptions {
        seed,
        sandbox: args.grants.sandbox()?,
        virtual_time: args.virtual_time,
        ..options.clone()
    };
    let resumed = Resumed { args, outcome, n_replayed, held };
    match changed {
        None => resumed.go_on(fork, &program, live),
        Some(program) => {
            let ended = ground::with_plan(&program, |plan, natives| {
                resumed.go_on(fork.with_program(plan)?, &program, RunOptions { natives, ..live })
            });
            Ok(ended?.unwrap_or(Ending::Failed))
        }
    }
}

/// The program that takes the place of the recorded one, if there is one that means something else.
fn changed_program(
    args: &ResumeArgs,
    recorded: &Recorded,
    linked: &Linked,
) -> Result<Option<Program>, Fault> {
    let now = replay::program_now(recorded, args.program.as_deref(), linked)?;
    match now.filter(|(_, changes)| !changes.is_empty()) {
        Some((now, changes)) if !args.allow_changes => Err(Fault::ProgramChanged { path: now.path, changes }),
        now => Ok(now.map(|(now, _)| now)),
    }
}

fn read(path: &Path) -> Result<Unfinished, Fault> {
    if path.is_dir() {
        return Err(Fault::NotResumable { path: path.to_owned(), mode: "rotated" });
    }
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

/// Brings a run to the end of its record, from its last checkpoint. Returns also the number of events that were replayed.
fn bring_to_end<'p>(
    path: &Path,
    plan: &'p Plan,
    recorded: Recorded,
    options: &RunOptions,
) -> Result<(Fork<'p>, u64), Fault> {
    let refuse = |path: &Path, reason: &str| {
        message::print(&format!("note: {} is not used: {reason}\n", path.display()));
    };
    let checkpoint = last_good(path, &recorded.record, refuse);
    let base = checkpoint.as_ref().or(recorded.header.base.as_deref());
    let n_before = base.map_or(0, |base| base.n_events);
    let run = Run::at_end(plan, options, checkpoint.as_ref(), recorded.record.clone());
    let state = run.map_err(Fault::of_run)?.into_snapshot();
    let n_replayed = state.n_events - n_before;
    Ok((Fork::of_end(plan, &recorded, state), n_replayed))
}

/// A run at the end of its record.
struct Resumed<'r> {
    args: &'r ResumeArgs,
    /// The outcome of a run that is over.
    outcome: Option<String>,
    n_replayed: u64,
    /// The trace, which nobody else may write.
    held: Option<File>,
}

impl Resumed<'_> {
    /// Goes on to the end.
    fn go_on(self, fork: Fork<'_>, program: &Program, mut options: RunOptions) -> Result<Ending, Fault> {
        let Self { args, outcome, n_replayed, held } = self;
        let path = &args.trace;
        let (progress, taken, trace_failure) =
            (Progress::of_run(), Taken::default(), TraceFailure::default());
        let recording = match &outcome {
            Some(outcome) => {
                let text = format!("note: {}: the run has come to its end: {outcome}\n", path.display());
                message::print(&text);
                Recording::None
            }
            None => {
                let cannot_write = |source| Fault::Write { path: path.clone(), source };
                let header = fork.header(&program.name(), &program.text, &options);
                let header = header.map_err(Fault::Runtime)?;
                if fork.is_changed() {
                    // They are states of the program that was.
                    remove(path).map_err(cannot_write)?;
                }
                let continued = ContinuedFile::create(path, &header, fork.before()).map_err(cannot_write)?;
                let n_events = fork.position();
                message::print(&format!(
                    "note: {}: the run goes on after {n_events} events, of which {n_replayed} were replayed\n",
                    path.display()
                ));
                let sink = TraceSink::continued(path, continued, progress.clone(), &trace_failure);
                options.checkpoints =
                    args.checkpoints.period.map(|period| taken.beside(path, period, progress.clone()));
                options.writes_ahead = args.checkpoints.durable;
                Recording::Full(Box::new(sink.required(args.checkpoints.durable)))
            }
        };
        drop(held);
        let run = Run::from_snapshot(fork.plan(), &options, fork.into_state()).map_err(Fault::of_run)?;
        let conclude = |report: &RunReport| {
            progress.end();
            if args.json {
                let mut found = json::run(report, Some(path));
                if let Some(message) = trace_failure.message() {
                    found.fields["trace_error"] = message.into();
                }
                if options.checkpoints.is_some() {
                    found.fields["checkpoints"] = taken.json();
                }
                print_json(&found)?;
            } else {
                results::print_results(program, report)?;
            }
            trace_failure.or(Ending::failed_if(report.outcome != RunOutcome::Finished))
        };
        let output = output(args.json, &options.stop, progress.clone());
        let mut leave = |report: &RunReport| {
            process::exit(i32::from(ending::exit_number(conclude(report))));
        };
        let leave = Some(Leave { is_due: &|| true, leave: &mut leave });
        let ended = run.run_or_leave(recording, output, leave);
        progress.end();
        conclude(&ended.map_err(Fault::of_run)?)
    }
}
