//! `hasse trace minimize`: what of a record a replay cannot find out by itself.

use std::io::BufWriter;
use std::path::PathBuf;

use hasse_model::trace::RecordingMode;
use hasse_runtime::capture::Capture;
use hasse_runtime::run::{DEFAULT_RECLAIM_ABOVE, RunOptions, StopSignal};

use crate::ending::Ending;
use crate::execution::Threads;
use crate::fault::Fault;
use crate::grants::Grants;
use crate::linked::Linked;
use crate::program::{self, Program};
use crate::progress::Progress;
use crate::whole_file::WholeFile;
use crate::{interrupt, message, overwrite, recording, report, sink};

/// Make a minimal record of a full one: only its free choices, and what came from outside
///
/// The run is replayed to find out which choices were free; what it prints is not printed again. A replay of the
/// minimal record gives the full one again.
#[derive(clap::Args)]
pub(super) struct MinimizeArgs {
    /// The trace
    trace: PathBuf,
    /// The minimal one; it appears when it is complete
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    grants: Grants,
}

/// Replays a trace and writes its choices.
pub(super) fn minimize(args: &MinimizeArgs, linked: &Linked) -> Result<Ending, Fault> {
    overwrite::refuse_same_file(&args.output, &args.trace, "the trace that is minimized")?;
    let recorded = recording::read(&args.trace)?;
    if let Some(note) = recorded.note() {
        message::print(&format!("note: {}: {note}\n", args.trace.display()));
    }
    let program = Program::recorded(&recorded.header, &linked.trusting(args.grants.trusts()));
    let program::Loaded { compiled, natives } = program.load_recorded(&args.trace)?;
    let Some(plan) = program::sound_plan(&compiled) else {
        return Err(Fault::RecordedProgram { path: args.trace.clone() });
    };
    let options = RunOptions {
        n_workers: args.threads.n_workers() as usize,
        seed: None,
        params: recorded.header.params,
        program_folder: program.folder(),
        sandbox: args.grants.sandbox_of_replay(false)?,
        natives,
        stop: StopSignal::default(),
        reclaim_above: DEFAULT_RECLAIM_ABOVE,
        tiers: Default::default(),
        capture: Capture::none(),
        control: None,
        chooser: None,
        virtual_time: false,
        checkpoints: None,
        writes_ahead: false,
    };
    let progress = Progress::of_run();
    let mut header = sink::header(&program, plan, &options)?;
    header.mode = RecordingMode::Minimal;
    header.seed = recorded.header.seed;
    let cannot_write = |source| Fault::Write { path: args.output.clone(), source };
    let file = WholeFile::create(&args.output).map_err(cannot_write)?;
    let out = BufWriter::new(file.file().try_clone().map_err(cannot_write)?);
    let sink = hasse::TraceSink::new(out, &header).map_err(cannot_write)?;
    interrupt::stop_on_interrupt(&options.stop);
    let to = Box::new(sink);
    let ended = hasse_runtime::run::minimize(plan, &options, recorded.record, to, Box::new(|_| {}));
    progress.end();
    let report = ended.map_err(Fault::Runtime)?;
    if report.divergence.is_some() {
        report::print_run(&program, &report);
    }
    if report.divergence.is_some() || options.stop.is_set() {
        return Ok(Ending::Failed);
    }
    file.keep().map_err(cannot_write)?;
    Ok(Ending::Fine)
}
