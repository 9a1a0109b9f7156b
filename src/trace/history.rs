//! `hasse trace history`: a page of the event history, with lanes.

use std::io::Write;
use std::path::PathBuf;

use clap::ValueEnum;
use hasse_debugger::display::history::{self, HistoryError, HistoryOptions, Start};
use hasse_model::trace::TraceHeader;

use super::selected::restriction;
use crate::ahead::Ahead;
use crate::ending::Ending;
use crate::fault::Fault;
use crate::linked::Linked;
use crate::out::Out;
use crate::record::Selection;
use crate::{out, recording};

/// Show events in causal order with what is immediately before them, page by page
///
/// Lanes stand for nodes or actions: `*` is the event, `o` a lane that it took a value from, `x` one that accessed a
/// shared object before it. With --select, the other events are left out as if they had not been recorded, and the orderings
/// by way of them are kept.
#[derive(clap::Args)]
pub(super) struct HistoryArgs {
    /// The trace
    trace: PathBuf,
    /// Where the page begins: the place of an event, from 1; an event such as `/Mult[3]:2`; or `-N` for the last N events
    #[arg(long, value_name = "PLACE", default_value = "1", allow_hyphen_values = true, value_parser = start)]
    from: Start,
    /// Events of the page
    #[arg(long, value_name = "N", default_value_t = 40)]
    count: usize,
    #[command(flatten)]
    selection: Selection,
    /// What has a lane
    #[arg(long, value_enum, default_value_t = By::Template)]
    by: By,
    /// Whether there are lanes
    #[arg(long, value_enum, value_name = "WHEN", num_args = 0..=1, require_equals = true,
        default_value_t = Columns::Auto, default_missing_value = "always")]
    columns: Columns,
    /// Tell the mappings, too: of events to actions and nodes, of actions to events, of nodes to actions
    #[arg(long)]
    map: bool,
    /// Print one JSON object on standard output
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum By {
    /// Each action
    Action,
    /// Each node of the program
    Template,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Columns {
    /// Where they fit
    Auto,
    /// Whatever the width
    Always,
    /// Without
    Never,
}

fn start(text: &str) -> Result<Start, String> {
    Start::parse(text)
        .ok_or_else(|| "write a place such as `120` or `-40`, or an event such as `/Mult[3]:2`".to_owned())
}

/// Prints the page.
pub(super) fn history(args: &HistoryArgs, linked: &Linked) -> Result<Ending, Fault> {
    let reader = recording::open_events(&args.trace)?;
    let header: TraceHeader = reader.header().clone();
    let restriction = restriction(&args.trace, &header, &args.selection, linked)?;
    let options = HistoryOptions {
        start: args.from.clone(),
        n_events: args.count,
        lanes: match args.by {
            By::Action => history::Lanes::Action,
            By::Template => history::Lanes::Template,
        },
        columns: match args.columns {
            Columns::Auto => history::Columns::Auto,
            Columns::Always => history::Columns::Always,
            Columns::Never => history::Columns::Never,
        },
        has_map: args.map,
        ..HistoryOptions::default()
    };
    let path = || args.trace.clone();
    let page = history::page(Ahead::new(reader), restriction, &options).map_err(|error| match error {
        HistoryError::Read(error) => Fault::of_trace(&args.trace, error),
        HistoryError::Inconsistent { event, source } => Fault::Inconsistent { path: path(), event, source },
        HistoryError::NoSuchEvent { event, help } => Fault::NoSuchEvent { path: path(), event, help },
        HistoryError::Write(source) => Fault::Stdout(source),
    })?;
    recording::print_notes(&args.trace, page.summary());
    if args.json {
        out::print_json(&page.to_json())?;
    } else {
        let mut out = Out::new();
        out.write_all(page.to_text().as_bytes()).and_then(|()| out.close()).map_err(Fault::Stdout)?;
    }
    Ok(Ending::Fine)
}
