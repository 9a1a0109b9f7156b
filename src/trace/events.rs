//! `hasse trace events`: a recorded run's events in causal order, to be read.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use hasse::event::EventError;
use hasse_debugger::display;
use hasse_debugger::event_path::EventPath;
use hasse_debugger::read::{Feed, ReadError};
use hasse_model::event::EventRecord;
use hasse_model::plan::Plan;
use hasse_model::trace::{Names, TraceError, TraceHeader, TraceReader};

use crate::ending::Ending;
use crate::fault::Fault;
use crate::linked::Linked;
use crate::out::Out;
use crate::program::{self, Program};
use crate::{message, recording};

/// Print the events in causal order: nothing comes before what it depends on
#[derive(clap::Args)]
pub(crate) struct EventsArgs {
    /// The trace
    trace: PathBuf,
    #[command(flatten)]
    selection: Selection,
    /// The events as they were recorded, batch by batch, from this one on (the first is 1), instead of in causal order: the
    /// batches before it are not taken apart
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    recorded_from: Option<u64>,
    /// Print one JSON object on standard output
    #[arg(long)]
    json: bool,
}

/// Print the events of a run that is under way, as they are recorded, until it ends
#[derive(clap::Args)]
pub(crate) struct FollowArgs {
    /// The trace; it need not exist yet
    trace: PathBuf,
    #[command(flatten)]
    selection: Selection,
}

/// The events that are printed.
#[derive(clap::Args)]
struct Selection {
    /// Only events of this action, such as `/Mult[3]` or `/City["berlin"]`
    #[arg(long, value_name = "PATH")]
    action: Option<String>,
    /// Only events of instances of this node, such as Mult, in all graphs, or DoBTS.Mult
    #[arg(long, value_name = "NAME")]
    template: Option<String>,
    /// Only this many events
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
}

/// Prints events until the trace, the limit or the reader's interest ends.
pub(crate) fn events(args: &EventsArgs, linked: &Linked) -> Result<Ending, Fault> {
    if let Some(first) = args.recorded_from {
        return events_as_recorded(args, first - 1, linked);
    }
    let reader = recording::open_silently(&args.trace)?;
    let plan = recorded_plan(reader.header(), linked);
    let lines = Lines::new(&args.selection, reader.header(), plan, args.json)?;
    events_in_order(&args.trace, reader, lines)
}

/// Prints the events of a run that may be under way until it, the limit or the reader's interest ends.
pub(crate) fn follow(args: &FollowArgs, linked: &Linked) -> Result<Ending, Fault> {
    let reader = recording::follow(&args.trace)?;
    let plan = recorded_plan(reader.header(), linked);
    let mut lines = Lines::new(&args.selection, reader.header(), plan, false)?;
    lines.is_live = true;
    match args.trace.is_dir() {
        true => events_in_segments(&args.trace, reader, lines),
        false => events_in_order(&args.trace, reader, lines),
    }
}

/// Prints events in causal order.
fn events_in_order<R: Read>(
    trace: &Path,
    mut reader: TraceReader<R>,
    mut lines: Lines,
) -> Result<Ending, Fault> {
    let broken = |error: ReadError| Fault::of_trace(trace, error);
    let mut feed = Feed::new(Names::new(reader.header()));
    while lines.wants_more()
        && let Some(batch) = reader.next_batch().map_err(|error| broken(error.into()))?
    {
        feed.push(&batch, &mut |event, names: &Names| lines.print(&event, names)).map_err(broken)?;
        lines.end_batch();
    }
    lines.end()?;
    print_truncation(trace, &reader);
    Ok(Ending::Fine)
}

/// Prints events of a rotated record as they are recorded: what is before the first ones may not be kept.
fn events_in_segments<R: Read>(
    trace: &Path,
    mut reader: TraceReader<R>,
    mut lines: Lines,
) -> Result<Ending, Fault> {
    let mut names = Names::new(reader.header());
    while lines.wants_more()
        && let Some(batch) = reader.next_batch().map_err(|error| Fault::of_trace(trace, error.into()))?
    {
        names.read(&batch);
        batch.events().for_each(|event| lines.print(&event, &names));
        lines.end_batch();
    }
    lines.end()?;
    Ok(Ending::Fine)
}

/// Prints events as they were recorded, from the position `first` on.
fn events_as_recorded(args: &EventsArgs, first: u64, linked: &Linked) -> Result<Ending, Fault> {
    let broken = |error: TraceError| Fault::of_trace(&args.trace, error.into());
    let (mut reader, index) = recording::open_with_index(&args.trace)?;
    let plan = recorded_plan(reader.header(), linked);
    let mut lines = Lines::new(&args.selection, reader.header(), plan, args.json)?;
    // Whatever an event names may be announced anywhere; what is announced can be read without the events.
    let mut names = Names::new(reader.header());
    while let Some(raw) = reader.next_raw().map_err(broken)? {
        raw.announced().iter().for_each(|batch| names.read(batch));
    }
    if let Some(frame) = index.frame_of(first) {
        reader.seek_to(frame).map_err(broken)?;
        let mut n_before = (first - frame.first_event) as usize;
        while lines.wants_more()
            && let Some(batch) = reader.next_batch().map_err(broken)?
        {
            batch.events().skip(n_before).for_each(|event| lines.print(&event, &names));
            n_before = 0;
        }
    }
    lines.end()?;
    print_truncation(&args.trace, &reader);
    Ok(Ending::Fine)
}

fn print_truncation<R: Read>(trace: &Path, reader: &TraceReader<R>) {
    if let Some(truncation) = reader.truncated() {
        message::print(&format!("note: {}: {}\n", trace.display(), truncation.reason));
    }
}

/// The lines that are printed.
struct Lines {
    filter: Filter,
    plan: Option<Plan>,
    out: Out,
    n_left: u64,
    n_printed: u64,
    is_json: bool,
    /// True if the run may still be under way: output is flushed after each batch.
    is_live: bool,
    written: io::Result<()>,
}

impl Lines {
    fn new(
        selection: &Selection,
        header: &TraceHeader,
        plan: Option<Plan>,
        is_json: bool,
    ) -> Result<Self, Fault> {
        let filter = Filter::new(selection, header, plan.as_ref())?;
        let n_left = selection.limit.unwrap_or(u64::MAX);
        let mut out = Out::new();
        let written = if is_json { write!(out, "{{\"events\":[") } else { Ok(()) };
        Ok(Self { filter, plan, out, n_left, n_printed: 0, is_json, is_live: false, written })
    }

    fn wants_more(&self) -> bool {
        self.n_left > 0 && !self.out.is_closed()
    }

    fn print(&mut self, event: &EventRecord, names: &Names) {
        if self.written.is_ok() && self.n_left > 0 && self.filter.takes(event, names) {
            self.written = if self.is_json {
                let comma = if self.n_printed > 0 { "," } else { "" };
                write!(self.out, "{comma}{}", display::history::event_json(event, names))
            } else {
                writeln!(self.out, "{}", display::line(event, names, self.plan.as_ref()))
            };
            self.n_left -= 1;
            self.n_printed += 1;
        }
    }

    /// Flushes the lines of a batch, if the run may still be under way.
    fn end_batch(&mut self) {
        if self.is_live && self.written.is_ok() {
            self.written = self.out.flush();
        }
    }

    /// Ends the output; says so where nothing was found.
    fn end(self) -> Result<(), Fault> {
        let is_empty = self.n_printed == 0 && self.n_left > 0;
        let (mut out, filter) = (self.out, self.filter);
        let ended =
            if self.is_json { self.written.and_then(|()| writeln!(out, "]}}")) } else { self.written };
        ended.and_then(|()| out.close()).map_err(Fault::Stdout)?;
        if is_empty {
            let node = filter.action.as_ref().map(EventPath::node);
            match node.filter(|(_, index)| index.as_slice().is_empty()).map(|(name, _)| name) {
                Some(name) => message::print(&format!(
                    "note: no event matches; `--template {name}` prints the events of all instances\n"
                )),
                None => message::print("note: no event matches\n"),
            }
        }
        Ok(())
    }
}

/// Which events are wanted.
struct Filter {
    /// An action, or one event of it.
    action: Option<EventPath>,
    /// Nodes, by position.
    templates: Option<Vec<usize>>,
}

/// The nodes of a name, in all graphs or in the one that stands before the dot.
fn templates_of(name: &str, header: &TraceHeader, plan: Option<&Plan>) -> Result<Vec<usize>, Fault> {
    let main = plan.map(|plan| plan.graphs[plan.main.idx()].name.as_str());
    let is_named = |label: &str| {
        let (graph, node) = label.split_once('.').map_or((main, label), |(graph, node)| (Some(graph), node));
        name == node || name == label || graph.is_some_and(|graph| name == format!("{graph}.{node}"))
    };
    let labels = header.templates.iter().enumerate();
    let found: Vec<usize> =
        labels.filter(|(_, label)| is_named(label)).map(|(position, _)| position).collect();
    match found.is_empty() {
        true => Err(Fault::UnknownTemplate { name: name.to_owned(), known: header.templates.clone() }),
        false => Ok(found),
    }
}

impl Filter {
    fn new(selection: &Selection, header: &TraceHeader, plan: Option<&Plan>) -> Result<Self, Fault> {
        let templates =
            selection.template.as_ref().map(|name| templates_of(name, header, plan)).transpose()?;
        let path = |text: &String| {
            EventPath::parse(text).map_err(|source| EventError::Path { text: text.clone(), source })
        };
        let action = selection.action.as_ref().map(path).transpose()?;
        if let Some(path) = &action {
            let (name, _) = path.node();
            let is_known = header.templates.iter().any(|label| label.rsplit('.').next() == Some(name));
            if !is_known {
                return Err(Fault::UnknownTemplate {
                    name: name.to_owned(),
                    known: header.templates.clone(),
                });
            }
        }
        Ok(Self { action, templates })
    }

    fn takes(&self, event: &EventRecord, names: &Names) -> bool {
        let action = event.id.action;
        let is_action = self.action.as_ref().is_none_or(|path| {
            path.fits_from_main(action, names) && path.count().is_none_or(|count| count == event.id.count)
        });
        let template = || names.template_of(action).map(|template| template.idx());
        is_action
            && self
                .templates
                .as_ref()
                .is_none_or(|wanted| template().is_some_and(|found| wanted.contains(&found)))
    }
}

/// The recorded program, for the texts of its rules.
fn recorded_plan(header: &TraceHeader, linked: &Linked) -> Option<Plan> {
    let program = Program::recorded(header, linked);
    let compiled = program.compile_recorded();
    program::sound_plan(&compiled).cloned()
}
