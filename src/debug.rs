//! `hasse debug`: a session on a program or a trace, with one command a line.

/// Names for commands.
mod alias;
/// What stands behind a command's name.
mod arguments;
/// What can be said, as data.
mod command;
/// What may be put for a word.
mod complete;
/// Lines for a person at a terminal.
mod console;
/// Lines from a person.
mod editor;
/// Words of other debuggers.
mod familiar;
/// Events that the session has.
mod held;
/// What `help` says.
mod help;
/// Runs, replays and looks at records.
mod job;
/// Lines, pieces and words.
mod line;
/// Lists of instances and events.
mod listing;
/// Lines of a text after an edit.
mod moved;
/// The subject on which a session is opened.
mod opening;
/// Places in a record.
mod place;
/// Output that goes to files.
mod redirect;
/// The last session on a trace.
mod resumed;
/// Sessions as files.
mod saved;
/// What is selected.
mod scope;
/// A session behind a window.
#[cfg(feature = "editor")]
mod served;
/// What is kept between runs, and what commands do.
mod session;
/// Where events come from.
mod source;
/// The program, and its versions after edits.
mod subject;
/// Names of the program.
mod symbol;
/// The commands.
mod table;
/// What takes the place of standard output.
mod taps;
/// A run under way, for Ctrl-C.
mod underway;
/// What a controlled run tells.
mod wording;

#[cfg(feature = "editor")]
pub(crate) use served::{Mailbox, Wake, serve};

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, process, thread};

use hasse_body::builtin::stdin::next_line;
use hasse_model::trace::{TraceError, TraceReader};
use parking_lot::Mutex;

use crate::ending::Ending;
use crate::execution::Threads;
use crate::fault::Fault;
use crate::grants::Grants;
use crate::index_file::IndexMemory;
use crate::linked::Linked;
use crate::out::Out;
use crate::params::Setting;
use crate::program::{self, Program};
use crate::progress::Progress;
use crate::{interrupt, message, recording, report};
use console::Console;
use editor::{Line, Prompt};
use opening::Opening;
use resumed::{Resumption, TakenUp};
use saved::Saved;
use session::{Next, Session};
use subject::{Subject, Subjects};
use underway::Underway;

/// Debug a program or a trace in a session: choose what is recorded, run, check, look, run again
///
/// Commands are read from standard input, or from a file. `help` lists them.
#[derive(clap::Args)]
pub(crate) struct DebugArgs {
    /// The program file, or a trace
    #[arg(required_unless_present_any = ["session", "markdown"])]
    subject: Option<PathBuf>,
    #[command(flatten)]
    asked: DebugAsked,
}

/// What a session is opened with, apart from its subject.
#[derive(clap::Args)]
pub(crate) struct DebugAsked {
    /// Go on with a session that was saved in this file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["subject", "settings", "seed"])]
    session: Option<PathBuf>,
    /// Begin anew, not where the last session on this trace was left
    #[arg(long, conflicts_with = "session")]
    fresh: bool,
    /// Read commands from this file, or from standard input for `-`, up to the first that cannot be carried out
    #[arg(long, value_name = "FILE")]
    commands: Option<PathBuf>,
    /// Show each line of FILE behind the prompt, before what it prints
    #[arg(long, requires = "commands")]
    echo: bool,
    #[command(flatten)]
    index_memory: IndexMemory,
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
    /// Print the page docs/commands.md
    #[arg(long, hide = true)]
    markdown: bool,
}

/// Runs a session to its end.
pub(crate) fn debug(args: &DebugArgs, linked: &Linked) -> Result<Ending, Fault> {
    debug_subject(&args.asked, args.subject.as_deref(), linked)
}

/// Runs a session to its end, on the program that is linked in where no other subject is named.
pub(crate) fn debug_subject(
    args: &DebugAsked,
    subject: Option<&Path>,
    linked: &Linked,
) -> Result<Ending, Fault> {
    let mut out = Out::new();
    if args.markdown {
        out.write_all(help::markdown().as_bytes()).and_then(|()| out.close()).map_err(Fault::Stdout)?;
        return Ok(Ending::Fine);
    }
    let script = args.commands.as_deref().map(read_script).transpose()?;
    let saved = args.session.as_deref().map(Saved::read).transpose()?;
    let opening = Opening::new(args, subject, saved.as_ref(), linked)?;
    let Some(mut subject) = opening.subject(args, linked)? else { return Ok(Ending::Failed) };
    let mut prompt = if script.is_none() { Prompt::of_terminal()? } else { None };
    subject.console = prompt.is_some().then(Console::new);
    interrupt(&subject.current);
    terminate(&subject.current);
    let subjects = Subjects::new(subject);
    let has_failed = thread::scope(|scope| {
        let subject = subjects.first();
        let mut session =
            Session::new(&subjects, scope).echoing(args.echo).with_index_memory(args.index_memory);
        let terminal = prompt.as_mut().zip(subject.console.as_ref());
        let _closing = match terminal {
            Some((prompt, console)) => {
                console.start(scope, prompt.printer()?, &subject.control);
                Some(Closing(console, subject))
            }
            None => None,
        };
        if let Some(path) = &args.session {
            session.restore(path)?;
        }
        let ended = match (&args.commands, &script) {
            (Some(path), Some(text)) => {
                let path = if path == Path::new("-") { Path::new("standard input") } else { path };
                session.lines(path, text, &mut out).map(drop)
            }
            _ => {
                let mut resumption = resumption(&session, args)?;
                if let Some(resumption) = &mut resumption {
                    go_on(&mut session, resumption, &mut out)?;
                }
                converse(&mut session, prompt.as_mut(), resumption.as_mut(), &mut out)
            }
        };
        let closed = session.close(&mut out);
        ended.and(closed).map(|()| session.has_failed)
    })?;
    Ok(Ending::failed_if(has_failed))
}

/// What Ctrl-C does while no line is edited: it stops the actions of the run that is under way, then ends the run, then
/// the session.
fn interrupt(current: &Arc<Mutex<Option<Underway>>>) {
    let current = Arc::clone(current);
    interrupt::on_interrupt(move || {
        let current = current.lock();
        let is_interrupted = current.as_ref().is_some_and(|underway| {
            underway.interrupt(|text| underway.progress.suspend(|| eprintln!("{text}")))
        });
        if !is_interrupted {
            process::exit(interrupt::INTERRUPTED);
        }
    });
}

/// What SIGTERM and SIGHUP do: they end the run that is under way, in order, and the session.
fn terminate(current: &Arc<Mutex<Option<Underway>>>) {
    let current = Arc::clone(current);
    interrupt::on_termination(move |code| {
        let underway = current.lock().clone();
        if let Some(underway) = underway {
            underway.close();
        }
        process::exit(code);
    });
}

/// Reads a file of commands, or standard input for `-`.
fn read_script(path: &Path) -> Result<String, Fault> {
    if path == Path::new("-") {
        return io::read_to_string(io::stdin()).map_err(Fault::Stdin);
    }
    fs::read_to_string(path).map_err(|source| Fault::Read { path: path.to_owned(), source })
}

/// Ends the threads of a terminal when the session ends, however it does.
struct Closing<'s>(&'s Console, &'s Subject);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.close(&self.1.control);
    }
}

/// The place where a conversation on a trace is kept for the next one.
fn resumption(session: &Session<'_, '_>, args: &DebugAsked) -> Result<Option<Resumption>, Fault> {
    let trace = session.subject.trace.as_deref().filter(|_| args.session.is_none());
    let resumption = trace.and_then(Resumption::of);
    if args.fresh {
        resumption.iter().try_for_each(Resumption::forget)?;
    }
    Ok(resumption)
}

/// Goes on where the last session on the trace was, and says so. What cannot be taken up is reported, and the session begins anew.
fn go_on(session: &mut Session<'_, '_>, resumption: &mut Resumption, out: &mut Out) -> Result<(), Fault> {
    let taken_up = session.take_up(resumption);
    let place = match taken_up {
        Ok(TakenUp::Nothing) => return Ok(()),
        Ok(TakenUp::OtherTrace) => {
            let line = "the trace is not that of the last session, which is not taken up";
            return writeln!(out, "{line}").map_err(Fault::Stdout);
        }
        Ok(TakenUp::GoesOn(place)) => place,
        Err(fault) => {
            report::print_fault(&fault);
            return Ok(());
        }
    };
    writeln!(out, "the last session on this trace goes on; `--fresh` begins anew").map_err(Fault::Stdout)?;
    if let Some(place) = place
        && let Err(fault) = session.go_to_kept(&place, out)
    {
        report::print_fault(&fault);
    }
    out.flush().map_err(Fault::Stdout)
}

/// Reads commands from standard input. A command that cannot be carried out is reported, and the next is read.
fn converse(
    session: &mut Session<'_, '_>,
    prompt: Option<&mut Prompt>,
    mut resumption: Option<&mut Resumption>,
    out: &mut Out,
) -> Result<(), Fault> {
    let Some(prompt) = prompt else {
        // Bodies of the session's runs take lines of the same input.
        while let Some(line) = next_line().map_err(Fault::Stdin)? {
            let command = line.strip_suffix('\n').unwrap_or(&line);
            let command = command.strip_suffix('\r').unwrap_or(command);
            if answer(session, command, resumption.as_deref_mut(), out)? == Next::Quit {
                break;
            }
        }
        return Ok(());
    };
    loop {
        session.announce(out)?;
        out.flush().map_err(Fault::Stdout)?;
        let (text, known) = (session.prompt(), session.known());
        let editing = session.subject.console.as_ref().map(Console::edit);
        // Whatever happened since the announcements is looked at again, now that it can go above the prompt.
        session.subject.control.nudge();
        let read = prompt.read(&text, known)?;
        drop(editing);
        match read {
            Line::Typed(line) => {
                if answer(session, &line, resumption.as_deref_mut(), out)? == Next::Quit {
                    return Ok(());
                }
            }
            Line::Interrupted if session.interrupt() => {}
            Line::Interrupted => message::print("Ctrl-D or `quit` leaves\n"),
            Line::End => return Ok(()),
        }
    }
}

/// Carries out a line and reports what cannot be carried out.
fn answer(
    session: &mut Session<'_, '_>,
    line: &str,
    resumption: Option<&mut Resumption>,
    out: &mut Out,
) -> Result<Next, Fault> {
    let ended = session.line(line, out);
    // Before anybody sees the answer: who kills the session then finds it as it was.
    if let Some(resumption) = resumption {
        session.keep_place(resumption);
    }
    out.flush().map_err(Fault::Stdout)?;
    Ok(ended.unwrap_or_else(|fault| {
        session.has_failed = true;
        report::print_fault(&fault);
        Next::Go
    }))
}

impl Opening {
    fn new(
        args: &DebugAsked,
        subject: Option<&Path>,
        saved: Option<&Saved>,
        linked: &Linked,
    ) -> Result<Self, Fault> {
        let program = linked.program();
        match (saved, &args.session) {
            (Some(saved), Some(path)) => Ok(Self {
                path: saved.subject(path),
                program: program.filter(|program| program.path == saved.subject(path)),
                given: saved.params(path)?,
                seed: saved.seed,
                n_workers: saved.n_workers,
            }),
            _ => Ok(Self {
                path: subject.map(Path::to_owned).unwrap_or_default(),
                program: program.filter(|_| subject.is_none()),
                given: args.settings.clone(),
                seed: args.seed,
                n_workers: args.threads.n_workers() as usize,
            }),
        }
    }

    /// What the session is about; `None` where the program has errors, which are reported.
    fn subject(self, args: &DebugAsked, linked: &Linked) -> Result<Option<Subject>, Fault> {
        let linked = &linked.trusting(args.grants.trusts());
        let opened = match &self.program {
            Some(_) => None,
            None => Some(recording::try_open(&self.path, |_| Progress::silent())),
        };
        let trace = match opened {
            Some(Ok(reader)) => Some(reader),
            None | Some(Err(TraceError::NotATrace | TraceError::Io(_))) => None,
            Some(Err(error)) => return Err(Fault::of_trace(&self.path, error.into())),
        };
        let program = match (&self.program, &trace) {
            (Some(program), _) => program.clone(),
            (None, Some(reader)) => Program::recorded(reader.header(), linked),
            (None, None) => Program::read(&self.path, linked)?,
        };
        let (compiled, natives) = match &trace {
            Some(_) => (program.compile_to_look(), None),
            None => {
                let program::Loaded { compiled, natives } = program.load()?;
                (compiled, Some(natives))
            }
        };
        let Some(plan) = program::sound_plan(&compiled) else {
            if trace.is_some() {
                return Err(Fault::RecordedProgram { path: self.path });
            }
            report::print_diagnostics(&program, &compiled.diagnostics);
            return Ok(None);
        };
        let sandbox = args.grants.sandbox()?;
        let header = trace.as_ref().map(TraceReader::header);
        self.on(program.clone(), (plan.clone(), natives), header, sandbox).map(Some)
    }
}
