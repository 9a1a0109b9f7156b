//! `hasse trace events`: a recorded run's events in causal order, to be read.

use std::io::{self, Write};
use std::path::PathBuf;

use hasse_debugger::display;
use hasse_debugger::read::{Feed, ReadError};
use hasse_model::event::EventRecord;
use hasse_model::plan::Plan;
use hasse_model::trace::{Names, TraceHeader};

use crate::fault::Fault;
use crate::out::Out;
use crate::program::{self, Program};
use crate::{Ending, recording, report};

/// Print the events in causal order: nothing comes before what it depends on
#[derive(clap::Args)]
pub(crate) struct EventsArgs {
    /// The trace
    trace: PathBuf,
    /// Only events of this action, such as `/Mult[3]`
    #[arg(long, value_name = "PATH")]
    action: Option<String>,
    /// Only events of instances of this node, such as Mult
    #[arg(long, value_name = "NAME")]
    template: Option<String>,
    /// Only this many events
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
}

/// Prints events until the trace, the limit or the reader's interest ends.
pub(crate) fn events(args: &EventsArgs) -> Result<Ending, Fault> {
    let broken = |error: ReadError| Fault::of_trace(&args.trace, error);
    let mut reader = recording::open_silently(&args.trace)?;
    let filter = Filter::new(args, reader.header())?;
    let plan = recorded_plan(reader.header());
    let mut feed = Feed::new(Names::new(reader.header()));
    let mut out = Out::new();
    let mut n_left = args.limit.unwrap_or(u64::MAX);
    let mut n_printed = 0;
    let mut written: io::Result<()> = Ok(());
    while n_left > 0
        && !out.is_closed()
        && let Some(batch) = reader.next_batch().map_err(|error| broken(error.into()))?
    {
        let mut print = |event: EventRecord, names: &Names| {
            if written.is_ok() && n_left > 0 && filter.takes(&event, names) {
                written = writeln!(out, "{}", display::line(&event, names, plan.as_ref()));
                n_left -= 1;
                n_printed += 1;
            }
        };
        feed.push(&batch, &mut print).map_err(broken)?;
    }
    written.and_then(|()| out.close()).map_err(Fault::Stdout)?;
    if n_printed == 0 && args.limit != Some(0) {
        report::print("note: no event matches\n");
    }
    if let Some(truncation) = reader.truncated() {
        report::print(&format!("note: {}: {}\n", args.trace.display(), truncation.reason));
    }
    Ok(Ending::Fine)
}

/// Which events are wanted.
struct Filter {
    action: Option<String>,
    template: Option<String>,
}

impl Filter {
    fn new(args: &EventsArgs, header: &TraceHeader) -> Result<Self, Fault> {
        if let Some(name) = &args.template
            && !header.templates.contains(name)
        {
            return Err(Fault::UnknownTemplate { name: name.clone(), known: header.templates.clone() });
        }
        let action = args.action.as_ref().map(|path| format!("/{}", path.trim_start_matches('/')));
        Ok(Self { action, template: args.template.clone() })
    }

    fn takes(&self, event: &EventRecord, names: &Names) -> bool {
        let action = event.id.action;
        let is_action = self.action.as_ref().is_none_or(|path| names.action(action).to_string() == *path);
        let template = || names.template_of(action).and_then(|template| names.template_name(template));
        is_action && self.template.as_ref().is_none_or(|name| template() == Some(name))
    }
}

/// The recorded program, for the texts of its rules.
fn recorded_plan(header: &TraceHeader) -> Option<Plan> {
    let program = Program::recorded(header);
    let compiled = program.compile();
    program::sound_plan(&compiled).cloned()
}
