//! JSON Lines: a line on the run, then one event a line in causal order.
//!
//! Keys and their order are a contract, pinned by `tests/trace_to_jsonl.rs`. Ids do not occur: actions and
//! objects go by path.

use std::io::{self, Write};

use rustc_hash::FxHashMap;
use serde_json::{Value as Json, json};

use hasse_model::event::{EventRecord, Timing};
use hasse_model::id::EventId;
use hasse_model::plan::Access;
use hasse_model::trace::{Names, TraceHeader};

use super::exporter::{ExportError, Exporter};
use crate::json::value_json;
use crate::read::Summary;

/// Writes the lines. Looks ahead: an event's line says how many later events found what it wrote, so that they are
/// counted first. Memory: one count for each event that wrote to an object.
pub struct Jsonl<W> {
    out: W,
    /// Number of events that found what an event wrote; those of events that have been written are gone.
    n_successors: FxHashMap<EventId, u64>,
    writers: Vec<EventId>,
    begins: Option<String>,
    line: String,
}

impl<W: Write> Jsonl<W> {
    /// Nothing is written yet.
    pub fn new(header: &TraceHeader, out: W) -> Self {
        let begins = Some(format!("{}\n", header_json(header)));
        Self { out, n_successors: FxHashMap::default(), writers: Vec::new(), begins, line: String::new() }
    }

    fn begin(&mut self) -> io::Result<()> {
        self.begins.take().map_or(Ok(()), |text| self.out.write_all(text.as_bytes()))
    }
}

impl<W: Write> Exporter for Jsonl<W> {
    fn looks_ahead(&self) -> bool {
        true
    }

    fn ahead(&mut self, event: &EventRecord, _: &Names) -> Result<(), ExportError> {
        let writers = &mut self.writers;
        writers.extend(event.shared.iter().filter_map(|access| access.writer));
        writers.sort_unstable();
        writers.dedup();
        writers.drain(..).for_each(|writer| *self.n_successors.entry(writer).or_default() += 1);
        Ok(())
    }

    fn event(&mut self, event: &EventRecord, names: &Names) -> Result<(), ExportError> {
        self.begin()?;
        self.line.clear();
        let n_successors = self.n_successors.remove(&event.id).unwrap_or(0);
        put_event(&mut self.line, event, names, n_successors).expect("a string takes every write");
        Ok(self.out.write_all(self.line.as_bytes())?)
    }

    fn finish(&mut self, _: &Summary) -> Result<(), ExportError> {
        self.begin()?;
        Ok(self.out.flush()?)
    }
}

fn header_json(header: &TraceHeader) -> Json {
    let params: serde_json::Map<String, Json> =
        header.params.iter().map(|(name, value)| (name.clone(), value_json(value))).collect();
    json!({
        "hasse_trace": 1,
        "program": header.program_path,
        "mode": header.mode.name(),
        "workers": header.n_workers,
        "params": params,
    })
}

/// Writes an event's line. Written by hand: it is the hot path of an export.
fn put_event(
    line: &mut String,
    event: &EventRecord,
    names: &Names,
    n_shared_successors: u64,
) -> std::fmt::Result {
    use std::fmt::Write;
    let quoted = |path: String| Json::from(path).to_string();
    write!(line, "{{\"action\":{},", quoted(names.action(event.id.action).to_string()))?;
    write!(line, "\"count\":{},\"rule\":{},\"routes\":[", event.id.count, event.rule)?;
    for (route_idx, route) in event.routes.iter().enumerate() {
        write!(line, "{}{route}", comma(route_idx))?;
    }
    write!(line, "],\"flow\":[")?;
    for (flow_idx, &sender) in event.flow.iter().enumerate() {
        write!(line, "{}{}", comma(flow_idx), quoted(names.event(sender).to_string()))?;
    }
    write!(line, "],\"shared\":[")?;
    for (access_idx, access) in event.shared.iter().enumerate() {
        let object = quoted(names.object(access.object).to_string());
        let access_name = access_name(access.access);
        let writer =
            access.writer.map_or("null".to_owned(), |writer| quoted(names.event(writer).to_string()));
        write!(line, "{}{{\"object\":{object},\"access\":\"{access_name}\",", comma(access_idx))?;
        write!(line, "\"writer\":{writer},\"readers\":{}}}", access.readers)?;
    }
    if !event.relayed.is_empty() {
        write!(line, "],\"relayed\":[")?;
        for (relayed_idx, relayed) in event.relayed.iter().enumerate() {
            let object = quoted(names.object(relayed.object).to_string());
            let before = quoted(names.event(relayed.event).to_string());
            write!(line, "{}{{\"object\":{object},", comma(relayed_idx))?;
            write!(line, "\"access\":\"{}\",\"event\":{before}}}", access_name(relayed.access))?;
        }
    }
    write!(line, "],\"flow_successors\":{},", event.flow_successors)?;
    write!(line, "\"shared_successors\":{n_shared_successors},")?;
    write!(line, "\"outcome\":\"{}\"", event.outcome.name())?;
    if let Some(Timing { worker, start, end, suspended }) = event.timing {
        write!(line, ",\"worker\":{worker},\"start\":{start},\"end\":{end}")?;
        if suspended > 0 {
            write!(line, ",\"suspended\":{suspended}")?;
        }
    }
    writeln!(line, "}}")
}

fn access_name(access: Access) -> &'static str {
    match access {
        Access::Read => "read",
        Access::Write => "write",
    }
}

fn comma(item_idx: usize) -> &'static str {
    if item_idx == 0 { "" } else { "," }
}
