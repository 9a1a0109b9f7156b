//! Tables for DuckDB, Polars, pandas and everything else that reads Arrow or Parquet: a folder with a file for each
//! table.
//!
//! `events` has a row for each event, numbered by its place in causal order from 1; `flow` a row for each value removed,
//! `shared` one for each access to an object, and `edges` one for each immediate edge of causal order, so that a
//! recursive query over it answers what is before what. `actions`, `objects` and `run` tell of what occurs in them.
//! Numbers are signed 64-bit integers, so that differences do not overflow. Rows are written in groups: memory is
//! bounded by the group, by what [`Edges`] takes, and by an entry for each action
//! and object.

mod schema;
mod table;

use std::io;

use rustc_hash::FxHashMap;
use serde_json::Value as Json;

use hasse_model::event::{EventRecord, Outcome};
use hasse_model::id::{ActionId, GraphInstanceId, Index, ObjectId};
use hasse_model::plan::Access;
use hasse_model::trace::{Names, RecordingMode, TraceHeader};

use self::schema::{ACTIONS, Columns, EDGES, EVENTS, FLOW, OBJECTS, RUN, SHARED};
use self::table::{Cell, Table};
use super::edges::{EdgeKind, Edges};
use super::exporter::{ExportError, Exporter};
use super::wording::{Rules, graph_path, template_name};
use crate::json::value_json;
use crate::read::Summary;

pub use table::{FileKind, Output};

/// What an action has done.
#[derive(Debug)]
struct ActionTally {
    action: ActionId,
    n_events: u64,
    n_failed: u64,
    first_event: u64,
}

/// How an object has been accessed.
#[derive(Debug)]
struct ObjectTally {
    object: ObjectId,
    n_reads: u64,
    n_writes: u64,
}

/// Writes the tables.
pub struct Tables {
    header: TraceHeader,
    rules: Rules,
    order: Edges,
    events: Table,
    flow: Table,
    shared: Table,
    edges: Table,
    actions: Table,
    objects: Table,
    run: Table,
    /// In the order of their first event.
    action_tallies: Vec<ActionTally>,
    place_of_action: FxHashMap<ActionId, usize>,
    object_tallies: Vec<ObjectTally>,
    place_of_object: FxHashMap<ObjectId, usize>,
}

impl Tables {
    /// Opens the files: `create` is given their names, such as `events.parquet`. `header` is that of the events as they
    /// will come.
    ///
    /// # Errors
    /// Where a file cannot be opened or written.
    pub fn new(
        kind: FileKind,
        header: &TraceHeader,
        rules: Rules,
        mut create: impl FnMut(&str) -> io::Result<Output>,
    ) -> io::Result<Self> {
        let mut table = |name: &str, columns: &Columns| {
            Table::new(kind, create(&format!("{name}.{}", kind.extension()))?, columns)
        };
        Ok(Self {
            header: TraceHeader { program_text: String::new(), ..header.clone() },
            rules,
            order: Edges::of_mode(header.mode),
            events: table("events", &EVENTS)?,
            flow: table("flow", &FLOW)?,
            shared: table("shared", &SHARED)?,
            edges: table("edges", &EDGES)?,
            actions: table("actions", &ACTIONS)?,
            objects: table("objects", &OBJECTS)?,
            run: table("run", &RUN)?,
            action_tallies: Vec::new(),
            place_of_action: FxHashMap::default(),
            object_tallies: Vec::new(),
            place_of_object: FxHashMap::default(),
        })
    }

    fn tally(&mut self, event: &EventRecord, number: u64) {
        let action = event.id.action;
        let tallies = &mut self.action_tallies;
        let place = *self.place_of_action.entry(action).or_insert_with(|| {
            tallies.push(ActionTally { action, n_events: 0, n_failed: 0, first_event: number });
            tallies.len() - 1
        });
        tallies[place].n_events += 1;
        tallies[place].n_failed += u64::from(event.outcome == Outcome::Failed);
        for relayed in &event.relayed {
            self.object_tally(relayed.object);
        }
        for access in &event.shared {
            let tally = self.object_tally(access.object);
            match access.access {
                Access::Read => tally.n_reads += 1,
                Access::Write => tally.n_writes += 1,
            }
        }
    }

    fn object_tally(&mut self, object: ObjectId) -> &mut ObjectTally {
        let tallies = &mut self.object_tallies;
        let place = *self.place_of_object.entry(object).or_insert_with(|| {
            tallies.push(ObjectTally { object, n_reads: 0, n_writes: 0 });
            tallies.len() - 1
        });
        &mut tallies[place]
    }

    fn put_actions(&mut self, summary: &Summary) -> io::Result<()> {
        let names = &summary.names;
        let executed = self
            .action_tallies
            .iter()
            .map(|tally| (tally.action, tally.n_events, tally.n_failed, Some(tally.first_event)));
        let idle = summary.footer.iter().flat_map(|footer| &footer.idle_actions);
        let idle = idle.map(|action| (action.action, 0, 0, None));
        for (action, n_events, n_failed, first_event) in executed.chain(idle) {
            let template = names.template_of(action).and_then(|template| names.template_name(template));
            self.actions.row([
                Cell::Text(&names.action(action).to_string()),
                Cell::Text(template.unwrap_or("?")),
                Cell::Text(&path_of_graph(names.graph_of(action), names)),
                Cell::Ints(&mut numbers(names.index_of(action))),
                Cell::Int(n_events),
                Cell::Int(n_failed),
                Cell::of(first_event),
            ])?;
        }
        Ok(())
    }

    fn put_objects(&mut self, names: &Names) -> io::Result<()> {
        // A restricted record tells of an object only what came by way of it.
        let is_known = self.header.mode != RecordingMode::Restricted;
        for tally in &self.object_tallies {
            let record = names.object_record(tally.object);
            let declared = record.and_then(|record| names.shared().get(record.shared.idx()));
            self.objects.row([
                Cell::Text(&names.object(tally.object).to_string()),
                Cell::Text(declared.map_or("?", String::as_str)),
                Cell::Text(&path_of_graph(record.map(|record| record.graph), names)),
                Cell::Ints(&mut numbers(record.map(|record| &record.index))),
                Cell::of(is_known.then_some(tally.n_reads)),
                Cell::of(is_known.then_some(tally.n_writes)),
            ])?;
        }
        Ok(())
    }

    fn put_run(&mut self, summary: &Summary) -> io::Result<()> {
        let header = &self.header;
        let params = header.params.iter().map(|(name, value)| (name.clone(), value_json(value)));
        let params = Json::Object(params.collect()).to_string();
        let footer = summary.footer.as_ref();
        let n_events = self.action_tallies.iter().map(|tally| tally.n_events).sum();
        self.run.row([
            Cell::Text(&header.program_path),
            Cell::Text(header.mode.name()),
            Cell::Int(u64::from(header.n_workers)),
            Cell::of(header.seed),
            Cell::Text(&params),
            footer.map_or(Cell::Null, |footer| Cell::Text(&footer.outcome)),
            Cell::Int(n_events),
            Cell::of(footer.map(|footer| footer.n_executed)),
            Cell::Text(&header.hasse_version),
        ])
    }
}

impl Exporter for Tables {
    fn event(&mut self, event: &EventRecord, names: &Names) -> Result<(), ExportError> {
        let (number, edges) = self.order.event(event).map_err(ExportError::inconsistent(names))?;
        let mut nth_flow = 0;
        for edge in edges {
            if edge.kind == EdgeKind::Flow {
                let cells = [Cell::Int(number), Cell::Int(nth_flow), Cell::Int(edge.from_number)];
                self.flow.row(cells)?;
                nth_flow += 1;
            }
            let object = edge.object.map(|object| names.object(object).to_string());
            self.edges.row([
                Cell::Int(number),
                Cell::Text(edge.kind.name()),
                Cell::Int(edge.from_number),
                object.as_deref().map_or(Cell::Null, Cell::Text),
            ])?;
        }
        for (nth, access) in (0..).zip(&event.shared) {
            let is_writer = |edge: &&super::edges::Edge| {
                edge.object == Some(access.object) && edge.kind != EdgeKind::Overwrite
            };
            let writer = edges.iter().find(is_writer).map(|edge| edge.from_number);
            self.shared.row([
                Cell::Int(number),
                Cell::Int(nth),
                Cell::Text(&names.object(access.object).to_string()),
                Cell::Text(if access.access == Access::Write { "write" } else { "read" }),
                Cell::of(writer),
                Cell::Int(access.readers),
            ])?;
        }
        let action = event.id.action;
        let timing = event.timing;
        let rule = self.rules.text(names.template_of(action), event.rule);
        self.events.row([
            Cell::Int(number),
            Cell::Text(&names.event(event.id).to_string()),
            Cell::Text(&names.action(action).to_string()),
            Cell::Text(&template_name(event, names)),
            Cell::Text(&graph_path(event, names)),
            Cell::Ints(&mut numbers(names.index_of(action))),
            Cell::Int(event.id.count),
            Cell::Signed(i64::from(event.rule)),
            rule.map_or(Cell::Null, Cell::Text),
            Cell::Ints(&mut event.routes.iter().map(|&route| i64::from(route))),
            Cell::Int(event.flow.len() as u64),
            Cell::Int(event.flow_successors),
            Cell::Int(event.effects.len() as u64),
            Cell::Text(event.outcome.name()),
            event.error.as_deref().map_or(Cell::Null, Cell::Text),
            Cell::of(timing.map(|timing| u64::from(timing.worker))),
            Cell::of(timing.map(|timing| timing.start)),
            Cell::of(timing.map(|timing| timing.end)),
        ])?;
        self.tally(event, number);
        Ok(())
    }

    fn finish(&mut self, summary: &Summary) -> Result<(), ExportError> {
        self.put_actions(summary)?;
        self.put_objects(&summary.names)?;
        self.put_run(summary)?;
        let tables = [
            &mut self.events,
            &mut self.flow,
            &mut self.shared,
            &mut self.edges,
            &mut self.actions,
            &mut self.objects,
            &mut self.run,
        ];
        Ok(tables.into_iter().try_for_each(Table::finish)?)
    }
}

/// The path of a graph instance: `/` for the main one.
fn path_of_graph(graph: Option<GraphInstanceId>, names: &Names) -> String {
    match graph.map(|graph| names.graph_path(graph).to_string()) {
        Some(path) if path.is_empty() => "/".to_owned(),
        Some(path) => path,
        None => "?".to_owned(),
    }
}

fn numbers(index: Option<&Index>) -> impl Iterator<Item = i64> + '_ {
    index.into_iter().flat_map(|index| index.as_slice().iter().copied())
}
