//! `hasse isolate`: one event of a recorded run, executed alone.

/// The event in a debugger of machine code.
mod gdb;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hasse::event::{self, Executed, Isolation};
use hasse_model::plan::Plan;
use hasse_runtime::natives::Natives;
use hasse_runtime::run::StopSignal;

use crate::ending::Ending;
use crate::execution::Threads;
use crate::fault::Fault;
use crate::grants::Grants;
use crate::ground::{self, Subject};
use crate::linked::Linked;
use crate::params::{self, Setting};
use crate::program::Program;
use crate::{out, overwrite, whole_file};

/// Execute one event of a recorded run alone, on the values that it had
///
/// The inputs of the event - values, vars, shared objects, answers of the world - are made again by a replay of what is
/// before it, or read from a file that --save wrote. Then the event is executed, nothing else, and what it does is
/// compared with what was recorded. --set changes an input first: what if?
///
/// The exit code is 1 if the event did otherwise than recorded and no input was set.
#[derive(clap::Args)]
pub(crate) struct IsolateArgs {
    /// The trace, or an isolation file
    #[arg(value_name = "TRACE|FILE")]
    source: PathBuf,
    /// The event of the trace, such as '/Mult[3]:2'; none for an isolation file
    event: Option<String>,
    /// Set an input to another value; may be given several times. NAME is a port that the event took a value from
    /// (`b`, `diag[2]`), a var or a shared object; `port b`, `var b` or `shared b` where several have the name
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<Setting>,
    /// Execute it so many times, and tell whether it does the same each time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    times: u64,
    /// Write the event with its inputs into this file
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Do not execute it, but print the command that opens it in gdb, at the beginning of its body in Rust; needs --save for an
    /// event of a trace
    #[arg(long, conflicts_with = "json")]
    gdb: bool,
    /// Execute the node of this program file instead of the recorded one
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Print one JSON object on standard output
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    grants: Grants,
}

/// Executes an event alone.
pub(crate) fn isolate(args: &IsolateArgs, linked: &Linked) -> Result<Ending, Fault> {
    if let Some(save) = &args.save {
        overwrite::refuse_same_file(save, &args.source, "what is read")?;
    }
    if args.gdb && args.event.is_some() && args.save.is_none() {
        return Err(Fault::NoFileForGdb);
    }
    let linked = &linked.trusting(args.grants.trusts());
    let stop = ground::interruptible();
    let (mut isolation, recorded) = match &args.event {
        Some(event) => {
            let subject = Subject::read(&args.source, linked)?;
            let isolation =
                subject.ask(&args.threads, &stop, |ground| Ok(event::isolate(ground, event)?.0))?;
            (isolation, Some(subject.program().clone()))
        }
        None => (read(&args.source)?, None),
    };
    let origin = &isolation.origin;
    let program = match (&args.program, recorded) {
        (Some(path), _) => Program::read(path, linked)?,
        (None, Some(recorded)) => recorded,
        (None, None) => {
            let (path, text) = (PathBuf::from(&origin.program_path), Arc::new(origin.program_text.clone()));
            Program::new(path, text, linked)
        }
    };
    if args.gdb {
        return gdb::prepare(args, &mut isolation, &program);
    }
    let is_changed = *program.text != isolation.origin.program_text;
    let executed = ground::with_plan(&program, |plan, natives| {
        execute(args, &mut isolation, (&program, plan, natives), is_changed, &stop)
    });
    let Some(executed) = executed? else { return Ok(Ending::Failed) };
    if let Some(save) = &args.save {
        write(save, &isolation.to_json())?;
    }
    if args.json {
        out::print_json(&executed)?;
    } else {
        ground::print(|out| executed.write_text(&program.name(), out))?;
    }
    let is_other = executed.differences.as_ref().is_some_and(|differences| !differences.is_empty());
    Ok(Ending::failed_if((is_other && executed.changed.is_empty()) || !executed.not_repeated.is_empty()))
}

fn execute(
    args: &IsolateArgs,
    isolation: &mut Isolation,
    (program, plan, natives): (&Program, &Plan, Natives),
    is_changed: bool,
    stop: &StopSignal,
) -> Result<Executed, Fault> {
    set_inputs(args, isolation, plan)?;
    let is_free = is_changed || !args.settings.is_empty();
    let sandbox = args.grants.sandbox_of_replay(is_free)?;
    let options = ground::options(program, natives, 1, sandbox, stop);
    Ok(isolation.execute(plan, &options, is_changed, args.times)?)
}

/// Changes the inputs that the command line sets.
fn set_inputs(args: &IsolateArgs, isolation: &mut Isolation, plan: &Plan) -> Result<(), Fault> {
    for setting in &args.settings {
        let ty = isolation.type_of(plan, setting.name())?;
        let value = params::value_of(&ty, setting.text(), setting.name())?;
        isolation.set(plan, setting.name(), value)?;
    }
    Ok(())
}

/// Reads an isolation file.
fn read(path: &Path) -> Result<Isolation, Fault> {
    let bytes = fs::read(path).map_err(|source| Fault::Read { path: path.to_owned(), source })?;
    let text = String::from_utf8(bytes).map_err(|_| Fault::NoEventNamed { path: path.to_owned() })?;
    Ok(Isolation::from_json(&text)?)
}

/// Writes a file as a whole.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Fault> {
    whole_file::write_bytes(path, text.as_bytes())
        .map_err(|source| Fault::Write { path: path.to_owned(), source })
}
