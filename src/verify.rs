//! `hasse verify`: checks the order of a recorded run's events.

use std::io::{self, Write};
use std::num::NonZero;
use std::path::PathBuf;
use std::thread;

use hasse::continuation::sink_of_replay;
use hasse_debugger::check::verdict::Verdict;
use hasse_debugger::check::{self, CheckError};
use hasse_debugger::read::Summary;
use hasse_model::plan::Plan;
use hasse_model::trace::{BatchSource, Names, RecordingMode};
use hasse_runtime::capture::Capture;
use hasse_runtime::run::{DEFAULT_RECLAIM_ABOVE, RunOptions, StopSignal};
use hasse_runtime::sandbox::Sandbox;

use crate::ahead::Ahead;
use crate::ending::Ending;
use crate::facilities::{self, Nowhere, Requested};
use crate::fault::Fault;
use crate::linked::Linked;
use crate::out::Out;
use crate::program::{self, Program};
use crate::progress::Progress;
use crate::recording::TraceFile;
use crate::{message, out, paint, recording};

/// Check what must come before what in a recorded run
///
/// `check pred u {v, w}`: every event of u has an event of v and one of w before it; several such checks
/// on one u are alternatives. `check parall {u, v}`: some events of u and v were concurrent.
/// `forall a: u, b: v where ORDER : CONDITION`, `exists ..` and `never ..`: ORDER is `a -> b` (immediately before),
/// `a < b` (before in causal order) or `a || b` (concurrent), joined by `&&`, `or`, `!` and `=>`; CONDITION may ask for
/// a.index, a.count, a.rule, a.outcome and more. u, v and w are nodes (`Mult`), actions (`Mult[3]`) or events
/// (`Mult[3]:2`). The chapter "Checking order" of the book has all of it.
#[derive(clap::Args)]
pub(crate) struct VerifyArgs {
    /// The trace
    trace: PathBuf,
    /// Checks, such as 'check pred Gath {Solve}'
    checks: Vec<String>,
    /// A file of checks, one a line; empty lines and lines that begin with # do not count
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// A file of models of expected behavior, as in docs/models.md
    #[arg(long, value_name = "FILE")]
    model: Vec<PathBuf>,
    /// Give the checks the record of these alone, as if no others had been recorded: nodes (Mult), actions
    /// ('Mult[3]', 'Mult[1..3]') or paths ('/dobts[2]/*'); may be given several times
    #[arg(long, value_name = "SELECTOR")]
    select: Vec<String>,
    /// Print the verdicts as one JSON object on standard output
    #[arg(long)]
    json: bool,
}

/// Checks a trace.
pub(crate) fn verify(args: &VerifyArgs, linked: &Linked) -> Result<Ending, Fault> {
    let requested = Requested {
        stops: Vec::new(),
        commands: facilities::commands(&args.checks, args.file.as_deref(), &args.model)?,
        check_set: facilities::set_of(&args.select)?,
        ..Requested::default()
    };
    if requested.commands.is_empty() {
        return Err(Fault::NoCheck);
    }
    let reader = recording::open(&args.trace)?;
    let program = Program::recorded(reader.header(), linked);
    let compiled = program.compile_recorded();
    let Some(plan) = program::sound_plan(&compiled) else {
        return Err(Fault::RecordedProgram { path: args.trace.clone() });
    };
    let capture = requested.capture(plan)?;
    let verdicts = if capture == Capture::none() && reader.header().mode != RecordingMode::Minimal {
        let (verdicts, summary) = read_through(args, &requested, reader, plan)?;
        recording::print_notes(&args.trace, &summary);
        verdicts
    } else {
        drop(reader);
        replay(args, &requested, &program, plan, capture)?
    };
    if args.json {
        let all: Vec<_> = verdicts.iter().map(check::to_json).collect();
        out::print_json(&serde_json::json!({ "program": program.name(), "verdicts": all }))?;
    } else {
        let mut out = Out::new();
        let text: String = verdicts.iter().map(|verdict| check::render(verdict, &program.name())).collect();
        out.write_all(paint::for_stdout(text).as_bytes())
            .and_then(|()| out.close())
            .map_err(Fault::Stdout)?;
    }
    Ok(Ending::failed_if(verdicts.iter().any(|verdict| !verdict.holds)))
}

/// Checks the events as they stand in the trace.
fn read_through(
    args: &VerifyArgs,
    requested: &Requested,
    reader: TraceFile,
    plan: &Plan,
) -> Result<(Vec<Verdict>, Summary), Fault> {
    if requested.check_set.is_none() {
        let verified = check::verify(Ahead::new(reader), plan, &requested.commands);
        return verified.map_err(|source| match source {
            CheckError::Resolve(source) => Fault::CheckNames { source },
            CheckError::Read(error) => Fault::of_trace(&args.trace, error),
            source => Fault::Check { path: args.trace.clone(), source },
        });
    }
    let header = reader.header().clone();
    let (names, mode) = (Names::new(&header), header.mode);
    let mut facilities = requested.facilities(names, plan, &header.params, mode)?;
    let mut source = Ahead::new(reader);
    while let Some(batch) = source.next_batch().map_err(|error| Fault::of_trace(&args.trace, error.into()))? {
        let pushed = facilities.push(&batch, &mut Nowhere);
        pushed.map_err(|error| Fault::of_facility(io::Error::other(error)))?;
    }
    let findings = facilities.finish();
    let summary = Summary { truncated: source.truncated(), ..findings.summary };
    Ok((findings.verdicts, summary))
}

/// Checks the events of a replay: they have values, and a minimal record has no other events.
fn replay(
    args: &VerifyArgs,
    requested: &Requested,
    program: &Program,
    plan: &Plan,
    capture: Capture,
) -> Result<Vec<Verdict>, Fault> {
    let recorded = recording::read(&args.trace)?;
    if let Some(note) = recorded.note() {
        message::print(&format!("note: {}: {note}\n", args.trace.display()));
    }
    let params = recorded.header.params.clone();
    let options = RunOptions {
        n_workers: thread::available_parallelism().map_or(1, NonZero::get),
        seed: None,
        params: params.clone(),
        program_folder: program.folder(),
        sandbox: Sandbox::default(),
        natives: program.load_recorded(&args.trace)?.natives,
        stop: StopSignal::default(),
        reclaim_above: DEFAULT_RECLAIM_ABOVE,
        tiers: Default::default(),
        capture,
        control: None,
        chooser: None,
        virtual_time: false,
        checkpoints: None,
        writes_ahead: false,
    };
    let progress = Progress::of_run();
    let mode = RecordingMode::Full;
    let (sink, facilities) =
        facilities::open(requested, plan, &params, mode, || Ok(None), &progress, &options.stop)?;
    let sink = sink.map(|sink| sink_of_replay(&recorded, sink)).transpose().map_err(Fault::of_run)?;
    let ended = hasse_runtime::run::replay(plan, &options, recorded.record, sink, Box::new(|_| {}));
    progress.end();
    if let Some(divergence) = ended.map_err(Fault::of_run)?.divergence {
        return Err(Fault::Diverged { path: args.trace.clone(), event: divergence.event });
    }
    Ok(facilities::conclude(facilities).map_or_else(Vec::new, |findings| findings.verdicts))
}
