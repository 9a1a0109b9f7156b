//! `hasse diff`: two programs, or two records of a program, side by side.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use hasse_compiler::difference;
use hasse_debugger::parting::{Parting, parting};
use hasse_model::trace::is_trace;
use serde_json::{Value as Json, json};

use crate::ahead::Ahead;
use crate::ending::Ending;
use crate::fault::Fault;
use crate::linked::Linked;
use crate::out::Out;
use crate::program::Program;
use crate::{out, recording, report};

/// Differences of programs as text and as JSON.
mod written;

/// Show what differs between two programs, or between two recorded runs
///
/// Between programs: nodes and arcs that were added, removed, changed, renamed or moved. Spelling, comments, and the order of nodes,
/// ports and arcs do not count. Between traces: the first event in which the runs part. Exit code 0 if nothing differs, 1 if
/// something does.
#[derive(clap::Args)]
pub(crate) struct DiffArgs {
    /// The older program, or the first trace
    old: PathBuf,
    /// The newer program, or the second trace
    new: PathBuf,
    /// Compare programs: of a trace, the one that was recorded
    #[arg(long)]
    program: bool,
    /// Leave out places of nodes, bends, comments and frames
    #[arg(long)]
    ignore_layout: bool,
    /// Print one JSON object on standard output
    #[arg(long)]
    json: bool,
}

/// Compares programs or records.
pub(crate) fn diff(args: &DiffArgs, linked: &Linked) -> Result<Ending, Fault> {
    let sides = [&args.old, &args.new];
    let [is_old_trace, is_new_trace] = [holds_trace(&args.old)?, holds_trace(&args.new)?];
    if is_old_trace && is_new_trace && !args.program {
        return diff_records(sides, args.json);
    }
    let [old, new] = [(&args.old, is_old_trace), (&args.new, is_new_trace)];
    let program = |(path, is_trace): (&PathBuf, bool)| {
        if is_trace {
            let reader = recording::open(path)?;
            return Ok(Program::recorded(reader.header(), linked));
        }
        Program::read(path, linked)
    };
    let programs = [program(old)?, program(new)?];
    let found = match difference(&programs[0].text, &programs[1].text) {
        Ok(found) => found,
        Err(unreadable) => {
            let side = usize::from(unreadable.side == 1);
            report::print_diagnostics(&programs[side], &unreadable.diagnostics);
            return Err(Fault::NotComparable { path: sides[side].clone() });
        }
    };
    let found = if args.ignore_layout { found.without_layout() } else { found };
    if args.json {
        out::print_json(&written::to_json(&found))?;
    } else {
        print(&written::to_text(&found))?;
    }
    Ok(Ending::failed_if(!found.is_empty()))
}

/// Finds out whether a file holds a trace, by its first bytes.
fn holds_trace(path: &Path) -> Result<bool, Fault> {
    let cannot_read = |source| Fault::Read { path: path.to_owned(), source };
    if path.is_dir() {
        // A rotated record.
        return Ok(true);
    }
    let mut first = Vec::new();
    File::open(path).and_then(|file| file.take(64).read_to_end(&mut first)).map_err(cannot_read)?;
    Ok(is_trace(&first))
}

fn print(text: &str) -> Result<(), Fault> {
    let mut out = Out::new();
    out.write_all(text.as_bytes()).and_then(|()| out.close()).map_err(Fault::Stdout)
}

fn diff_records(paths: [&PathBuf; 2], as_json: bool) -> Result<Ending, Fault> {
    let mut side_read = 0;
    let found = parting(|side| {
        side_read = side;
        recording::open_events(paths[side]).map(Ahead::new).map_err(|fault| Broken::Fault(Box::new(fault)))
    });
    let found = found.map_err(|broken| match broken {
        Broken::Fault(fault) => *fault,
        Broken::Read(error) => Fault::of_trace(paths[side_read], error),
    })?;
    if as_json {
        out::print_json(&parting_json(found.as_ref()))?;
    } else {
        print(&match &found {
            Some(found) => format!("the runs part at {found}\n"),
            None => "both records have the same events\n".to_owned(),
        })?;
    }
    Ok(Ending::failed_if(found.is_some()))
}

/// Why records cannot be compared.
enum Broken {
    Fault(Box<Fault>),
    Read(hasse_debugger::read::ReadError),
}

impl From<hasse_debugger::read::ReadError> for Broken {
    fn from(error: hasse_debugger::read::ReadError) -> Self {
        Self::Read(error)
    }
}

fn parting_json(found: Option<&Parting>) -> Json {
    let side = |side: usize| -> Json {
        let held = found.and_then(|found| found.sides[side].as_ref());
        held.map_or(Json::Null, |held| {
            let shared =
                held.shared.iter().map(|(object, writer)| json!({ "object": object, "writer": writer }));
            json!({
                "rule": held.rule.checked_sub(1),
                "from": held.flow,
                "shared": shared.collect::<Vec<_>>(),
                "outcome": held.outcome,
            })
        })
    };
    json!({
        "same": found.is_none(),
        "event": found.map(|found| &found.event),
        "old": side(0),
        "new": side(1),
    })
}
