//! `hasse trace graphs`: the elaborated graph and the program graph of a recorded run.

use std::io::Write;
use std::path::PathBuf;

use clap::ValueEnum;
use hasse_debugger::display::Graphs;
use hasse_debugger::read::{ReadError, try_lend_in_order};

use super::selected::restriction;
use crate::ahead::Ahead;
use crate::ending::Ending;
use crate::fault::Fault;
use crate::linked::Linked;
use crate::out::Out;
use crate::record::Selection;
use crate::{out, recording};

/// Show what a run did as graphs: actions and nodes, and which depended on which
///
/// The elaborated graph has the actions that executed, and an edge for each pair of them with an event of the one immediately before
/// one of the other. The program graph has their nodes.
#[derive(clap::Args)]
pub(super) struct GraphsArgs {
    /// The trace
    trace: PathBuf,
    /// This one alone
    #[arg(long, value_enum, value_name = "GRAPH")]
    graph: Option<Graph>,
    #[command(flatten)]
    selection: Selection,
    /// Print one JSON object on standard output
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Graph {
    /// Actions
    Elaborated,
    /// Nodes of the program
    Program,
}

/// Prints the graphs.
pub(super) fn graphs(args: &GraphsArgs, linked: &Linked) -> Result<Ending, Fault> {
    let reader = recording::open_events(&args.trace)?;
    let mut restriction = restriction(&args.trace, reader.header(), &args.selection, linked)?;
    let mut graphs = Graphs::default();
    let summary = try_lend_in_order(Ahead::new(reader), |event, names| -> Result<(), Broken> {
        let Some(restriction) = &mut restriction else {
            graphs.event(event);
            return Ok(());
        };
        let restricted = restriction.event(event, names);
        let record = restricted.map_err(|source| {
            let (path, event) = (args.trace.clone(), names.event(event.id).to_string());
            Broken::Inconsistent(Box::new(Fault::Inconsistent { path, event, source }))
        })?;
        if let Some(record) = record {
            graphs.event(record);
        }
        Ok(())
    });
    let summary = summary.map_err(|broken| match broken {
        Broken::Read(error) => Fault::of_trace(&args.trace, error),
        Broken::Inconsistent(fault) => *fault,
    })?;
    recording::print_notes(&args.trace, &summary);
    let names = &summary.names;
    if args.json {
        let mut all = graphs.to_json(names);
        let left_out: &[&str] = match args.graph {
            None => &[],
            Some(Graph::Elaborated) => &["nodes", "node_dependences"],
            Some(Graph::Program) => &["actions", "dependences"],
        };
        if let Some(object) = all.as_object_mut() {
            left_out.iter().for_each(|key| drop(object.shift_remove(*key)));
        }
        out::print_json(&all)?;
    } else {
        let text = match args.graph {
            None => graphs.to_text(names),
            Some(Graph::Elaborated) => graphs.elaborated_text(names),
            Some(Graph::Program) => graphs.program_text(names),
        };
        let mut out = Out::new();
        out.write_all(text.as_bytes()).and_then(|()| out.close()).map_err(Fault::Stdout)?;
    }
    Ok(Ending::Fine)
}

/// Why a trace cannot be folded.
enum Broken {
    Read(ReadError),
    Inconsistent(Box<Fault>),
}

impl From<ReadError> for Broken {
    fn from(error: ReadError) -> Self {
        Self::Read(error)
    }
}
