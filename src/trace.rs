//! `hasse trace`: looks into a recorded run.

/// `hasse trace coverage`.
mod coverage;
/// `hasse trace cut`.
mod cut;
/// `hasse trace digest`.
mod digest;
/// `hasse trace events`.
mod events;
/// `hasse trace export`.
mod export;
/// `hasse trace graphs`.
mod graphs;
/// `hasse trace history`.
mod history;
/// `hasse trace index`.
pub(crate) mod index;
/// `hasse trace info`.
mod info;
/// `hasse trace minimize`.
mod minimize;
/// `hasse trace recover`.
mod recover;
/// `hasse trace restrict`.
mod restrict;
/// What is shown of a trace.
mod selected;

use std::path::PathBuf;

use clap::Subcommand;

use crate::ending::Ending;
use crate::fault::Fault;
use crate::linked::Linked;

/// Look into a recorded run
#[derive(clap::Args)]
pub(crate) struct TraceArgs {
    #[command(subcommand)]
    command: TraceCommand,
}

#[derive(Subcommand)]
enum TraceCommand {
    Info(info::InfoArgs),
    Events(events::EventsArgs),
    Follow(events::FollowArgs),
    History(history::HistoryArgs),
    Graphs(graphs::GraphsArgs),
    Coverage(coverage::CoverageArgs),
    /// Print a number that two records share exactly if they have the same events
    Digest {
        /// The trace
        trace: PathBuf,
        /// Print one JSON object on standard output
        #[arg(long)]
        json: bool,
    },
    Export(export::ExportArgs),
    Index(index::IndexArgs),
    Recover(recover::RecoverArgs),
    Restrict(restrict::RestrictArgs),
    Cut(cut::CutArgs),
    Minimize(minimize::MinimizeArgs),
}

/// Carries out the command below `trace`.
pub(crate) fn trace(args: &TraceArgs, linked: &Linked) -> Result<Ending, Fault> {
    match &args.command {
        TraceCommand::Info(args) => info::info(args),
        TraceCommand::Events(args) => events::events(args, linked),
        TraceCommand::Follow(args) => events::follow(args, linked),
        TraceCommand::History(args) => history::history(args, linked),
        TraceCommand::Graphs(args) => graphs::graphs(args, linked),
        TraceCommand::Coverage(args) => coverage::coverage(args, linked),
        TraceCommand::Digest { trace, json } => digest::digest(trace, *json),
        TraceCommand::Export(args) => export::export(args, linked),
        TraceCommand::Index(args) => index::index(args, linked),
        TraceCommand::Recover(args) => recover::recover(args),
        TraceCommand::Restrict(args) => restrict::restrict(args, linked),
        TraceCommand::Cut(args) => cut::cut(args, linked),
        TraceCommand::Minimize(args) => minimize::minimize(args, linked),
    }
}
