//! A page as text and as JSON, with the mappings between events, actions and templates.

use std::collections::BTreeMap;
use std::fmt::{Result, Write};

use serde_json::{Value as Json, json};

use hasse_model::event::{EventRecord, Outcome};
use hasse_model::id::{ActionId, EventId};
use hasse_model::plan::Access;
use hasse_model::quantity::counted;
use hasse_model::trace::Names;

use super::{Page, lanes};
use crate::display::{rank, verb};

impl Page {
    /// The page for a person.
    pub fn to_text(&self) -> String {
        text(self)
    }
}

impl Page {
    /// The page for a program: events with their predecessors by kind, and the mappings.
    pub fn to_json(&self) -> Json {
        json(self)
    }
}

/// Predecessors of a kind that are named in a line.
const MOST_NAMED: usize = 8;

/// The page for a person.
pub(super) fn text(page: &Page) -> String {
    let mut text = String::new();
    put(&mut text, page).expect("a string takes every write");
    text.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

fn put(text: &mut String, page: &Page) -> Result {
    let names = &page.summary.names;
    let Some(last) = page.events.len().checked_sub(1) else {
        return writeln!(text, "no event of {}", page.n_events);
    };
    let last = page.first + last as u64;
    let drawing = lanes::draw(&page.events, names, &page.options);
    let width = last.to_string().len();
    if let Some(drawing) = &drawing {
        if !drawing.is_named {
            for (lane, name) in drawing.names.iter().enumerate() {
                writeln!(text, "{:>width$}  {name}", lane + 1)?;
            }
        }
        writeln!(text, "{:width$}  {}", "", drawing.head())?;
    }
    for (line, event) in page.events.iter().enumerate() {
        write!(text, "{:>width$}  ", page.first + line as u64)?;
        if let Some(drawing) = &drawing {
            write!(text, "{}  ", drawing.line(line, event, names))?;
        }
        put_event(text, event, names)?;
    }
    write!(text, "events {} to {last} of {}", page.first, page.n_events)?;
    match page.next() {
        Some(next) => writeln!(text, "; the next is {next}")?,
        None => writeln!(text)?,
    }
    if page.options.has_map { put_map(text, page) } else { Ok(()) }
}

/// An event with what is immediately before it, by kind.
fn put_event(text: &mut String, event: &EventRecord, names: &Names) -> Result {
    write!(text, "{}", names.event(event.id))?;
    if !event.flow.is_empty() {
        write!(text, "  from {}", listed(&event.flow, names))?;
    }
    for access in &event.shared {
        write!(text, "  {} {}", verb(access.access), names.object(access.object))?;
        if let Some(writer) = access.writer {
            write!(text, " after {}", names.event(writer))?;
        }
        if access.readers > 0 {
            write!(text, " and {}", counted(access.readers, "reader"))?;
        }
    }
    for group in event.relayed.chunk_by(|left, right| left.object == right.object) {
        let before: Vec<EventId> = group.iter().map(|relayed| relayed.event).collect();
        let object = names.object(group[0].object);
        write!(text, "  {} {object} after {}", verb(group[0].access), listed(&before, names))?;
    }
    if let Some(before) = sequence(event) {
        write!(text, "  sequence {}", names.event(before))?;
    }
    if event.outcome != Outcome::Done {
        write!(text, "  {}", event.outcome.name())?;
    }
    writeln!(text)
}

/// The action's event before.
fn sequence(event: &EventRecord) -> Option<EventId> {
    (event.id.count > 1).then(|| EventId { count: event.id.count - 1, ..event.id })
}

/// Names of events, equal neighbors once.
fn listed(events: &[EventId], names: &Names) -> String {
    let runs: Vec<&[EventId]> = events.chunk_by(|one, other| one == other).collect();
    let shown = runs.iter().take(MOST_NAMED).map(|run| match run.len() {
        1 => names.event(run[0]).to_string(),
        n_values => format!("{} x{n_values}", names.event(run[0])),
    });
    let mut listed = shown.collect::<Vec<_>>().join(", ");
    if runs.len() > MOST_NAMED {
        let _ = write!(listed, " and {} more", runs.len() - MOST_NAMED);
    }
    listed
}

/// The counts of the page's events by action, actions in the order of the program.
fn events_of_actions(page: &Page) -> Vec<(ActionId, Vec<u64>)> {
    let mut counts: BTreeMap<ActionId, Vec<u64>> = BTreeMap::new();
    for event in &page.events {
        counts.entry(event.id.action).or_default().push(event.id.count);
    }
    let mut actions: Vec<_> = counts.into_iter().collect();
    actions.sort_by_cached_key(|(action, _)| rank(*action, &page.summary.names));
    actions
}

fn node(action: ActionId, names: &Names) -> &str {
    names.template_of(action).and_then(|template| names.template_name(template)).unwrap_or("?")
}

/// Counts as ranges: `1..3, 5`.
fn ranges(counts: &[u64]) -> String {
    let runs = counts.chunk_by(|one, other| one + 1 == *other);
    let range = |run: &[u64]| match *run {
        [only] => only.to_string(),
        [first, .., last] => format!("{first}..{last}"),
        [] => String::new(),
    };
    runs.map(range).collect::<Vec<_>>().join(", ")
}

/// From events to actions and nodes, from actions to events, from nodes to actions.
fn put_map(text: &mut String, page: &Page) -> Result {
    let names = &page.summary.names;
    writeln!(text, "\nevents: their actions and nodes")?;
    for event in &page.events {
        let action = event.id.action;
        writeln!(text, "  {}  {}  {}", names.event(event.id), names.action(action), node(action, names))?;
    }
    let actions = events_of_actions(page);
    writeln!(text, "actions: their nodes and events")?;
    for (action, counts) in &actions {
        let n_all = page.n_events_of.get(action).copied().unwrap_or(0);
        let (path, node, shown) = (names.action(*action), node(*action, names), ranges(counts));
        write!(text, "  {path}  {node}  events {shown}")?;
        if n_all > counts.len() as u64 {
            write!(text, "  of {n_all}")?;
        }
        writeln!(text)?;
    }
    writeln!(text, "nodes: their actions")?;
    for same_node in actions.chunk_by(|one, other| node(one.0, names) == node(other.0, names)) {
        let paths: Vec<String> =
            same_node.iter().map(|(action, _)| names.action(*action).to_string()).collect();
        writeln!(text, "  {}  {}", node(same_node[0].0, names), paths.join(", "))?;
    }
    Ok(())
}

/// The page for a program.
pub(super) fn json(page: &Page) -> Json {
    let names = &page.summary.names;
    let actions = events_of_actions(page);
    let nodes = actions.chunk_by(|one, other| node(one.0, names) == node(other.0, names));
    json!({
        "first": page.first,
        "events_in_all": page.n_events,
        "next": page.next(),
        "events": page.events.iter().map(|event| event_json(event, names)).collect::<Vec<_>>(),
        "actions": actions.iter().map(|(action, counts)| json!({
            "action": names.action(*action).to_string(),
            "node": node(*action, names),
            "counts": counts,
            "events_in_all": page.n_events_of.get(action),
        })).collect::<Vec<_>>(),
        "nodes": nodes.map(|same_node| json!({
            "node": node(same_node[0].0, names),
            "actions": same_node.iter().map(|(action, _)| names.action(*action).to_string()).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
    })
}

/// An event for a program.
pub fn event_json(event: &EventRecord, names: &Names) -> Json {
    let path = |event: EventId| names.event(event).to_string();
    let access_name = |access| match access {
        Access::Read => "read",
        Access::Write => "write",
    };
    json!({
        "event": path(event.id),
        "action": names.action(event.id.action).to_string(),
        "node": node(event.id.action, names),
        "count": event.id.count,
        "rule": event.rule,
        "routes": event.routes,
        "flow": event.flow.iter().map(|&sender| path(sender)).collect::<Vec<_>>(),
        "values_sent": event.flow_successors,
        "shared": event.shared.iter().map(|access| json!({
            "object": names.object(access.object).to_string(),
            "access": access_name(access.access),
            "writer": access.writer.map(path),
            "readers": access.readers,
        })).collect::<Vec<_>>(),
        "relayed": event.relayed.iter().map(|relayed| json!({
            "object": names.object(relayed.object).to_string(),
            "access": access_name(relayed.access),
            "event": path(relayed.event),
        })).collect::<Vec<_>>(),
        "sequence": sequence(event).map(path),
        "outcome": event.outcome.name(),
        "error": event.error,
        "worker": event.timing.map(|timing| timing.worker),
        "start_nanos": event.timing.map(|timing| timing.start),
        "end_nanos": event.timing.map(|timing| timing.end),
    })
}
