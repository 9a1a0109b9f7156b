//! `hasse debug`: a session on a program or a trace, with one command a line.

/// What can be said.
mod command;
/// Runs, replays and looks at records.
mod job;
/// What is kept between runs.
mod session;

use std::fs;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::Arc;
use std::thread;

use hasse_model::plan::Plan;
use hasse_model::trace::TraceError;
use hasse_runtime::capture::Capture;
use hasse_runtime::natives::Natives;
use hasse_runtime::run::{DEFAULT_RECLAIM_ABOVE, RunOptions, StopSignal};
use parking_lot::Mutex;

use crate::fault::Fault;
use crate::grants::Grants;
use crate::params::{self, Setting};
use crate::program::{self, Program};
use crate::progress::Progress;
use crate::run::Threads;
use crate::{Ending, interrupt, recording, report};
use session::{Next, Session, Subject};

/// Debug a program or a trace in a session: choose what is recorded, run, check, look, run again
///
/// Commands are read from standard input, or from a file. `help` lists them.
#[derive(clap::Args)]
pub(crate) struct DebugArgs {
    /// The program file, or a trace
    subject: PathBuf,
    /// Read commands from this file, up to the first that cannot be carried out
    #[arg(long, value_name = "FILE")]
    commands: Option<PathBuf>,
    #[command(flatten)]
    threads: Threads,
    /// Set a creation parameter of the main graph; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<Setting>,
    /// Draw free choices and random numbers from this seed
    #[arg(long)]
    seed: Option<u64>,
    #[command(flatten)]
    grants: Grants,
}

/// Runs a session to its end.
pub(crate) fn debug(args: &DebugArgs) -> Result<Ending, Fault> {
    let script = args
        .commands
        .as_deref()
        .map(|path| fs::read_to_string(path).map_err(|source| Fault::Read { path: path.to_owned(), source }));
    let script = script.transpose()?;
    let Some(subject) = subject(args)? else { return Ok(Ending::Failed) };
    stop_on_interrupt(&subject.current);
    let has_failed = thread::scope(|scope| {
        let mut session = Session::new(&subject, scope);
        let ended = match (&args.commands, &script) {
            (Some(path), Some(text)) => session.lines(path, text).map(drop),
            _ => converse(&mut session),
        };
        let closed = session.close();
        ended.and(closed).map(|()| session.has_failed)
    })?;
    Ok(Ending::failed_if(has_failed))
}

/// Lets Ctrl-C end the run that is under way, and where there is none, or again, the session.
fn stop_on_interrupt(current: &Arc<Mutex<StopSignal>>) {
    let current = Arc::clone(current);
    interrupt::on_interrupt(move || {
        let stop = current.lock();
        if stop.is_set() {
            process::exit(interrupt::INTERRUPTED);
        }
        eprintln!("stopping what is under way; press Ctrl-C again to leave");
        stop.stop();
    });
}

/// Reads commands from standard input. A command that cannot be carried out is reported, and the next is read.
fn converse(session: &mut Session<'_, '_>) -> Result<(), Fault> {
    let is_terminal = io::stdin().is_terminal();
    let mut lines = io::stdin().lock().lines();
    loop {
        if is_terminal {
            print!("hasse> ");
            io::stdout().flush().map_err(Fault::Stdout)?;
        }
        let Some(line) = lines.next() else { return Ok(()) };
        match session.line(&line.map_err(Fault::Stdin)?) {
            Ok(Next::Go) => {}
            Ok(Next::Quit) => return Ok(()),
            Err(fault) => {
                session.has_failed = true;
                report::print_fault(&fault);
            }
        }
    }
}

/// What the session is about; `None` where the program has errors, which are reported.
fn subject(args: &DebugArgs) -> Result<Option<Subject>, Fault> {
    let trace = match recording::try_open(&args.subject, |_| Progress::silent()) {
        Ok(reader) => Some(reader),
        Err(TraceError::NotATrace | TraceError::Io(_)) => None,
        Err(error) => return Err(Fault::of_trace(&args.subject, error.into())),
    };
    let program = match &trace {
        Some(reader) => Program::recorded(reader.header()),
        None => Program::read(&args.subject)?,
    };
    let compiled = program.compile();
    let Some(plan) = program::sound_plan(&compiled) else {
        if trace.is_some() {
            return Err(Fault::RecordedProgram { path: args.subject.clone() });
        }
        report::print_diagnostics(&program, &compiled.diagnostics);
        return Ok(None);
    };
    let mut options = RunOptions {
        n_workers: args.threads.n_workers() as usize,
        seed: args.seed,
        params: params::param_values(plan, &args.settings)?,
        program_folder: program.folder(),
        sandbox: args.grants.sandbox()?,
        natives: Natives::new(),
        stop: StopSignal::default(),
        reclaim_above: DEFAULT_RECLAIM_ABOVE,
        capture: Capture::none(),
        control: None,
    };
    if let Some(reader) = &trace {
        options.params.clone_from(&reader.header().params);
    }
    Ok(Some(on(&program, plan, options, trace.is_some().then_some(&*args.subject))?))
}

fn on(program: &Program, plan: &Plan, options: RunOptions, trace: Option<&Path>) -> Result<Subject, Fault> {
    let params = hasse_runtime::run::param_values(plan, &options).map_err(Fault::Runtime)?;
    Ok(Subject {
        program: program.clone(),
        plan: plan.clone(),
        params,
        trace: trace.map(Path::to_owned),
        options,
        current: Arc::default(),
    })
}
