//! JSON Lines: a line on the run, then one event a line in causal order.
//!
//! Keys and their order are a contract, pinned by `tests/trace_to_jsonl.rs`. Ids do not occur: actions and
//! objects go by path.

use std::io::{self, Read, Write};

use rustc_hash::FxHashMap;
use serde_json::{Value as Json, json};

use hasse_model::event::{EventRecord, Timing};
use hasse_model::id::EventId;
use hasse_model::plan::Access;
use hasse_model::trace::{Names, TraceError, TraceHeader, TraceReader};

use crate::json::value_json;
use crate::read::{ReadError, Summary, for_each_in_order};

/// Why an export did not come to its end.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The trace cannot be brought into causal order.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Writing failed.
    #[error("cannot write the export")]
    Write(#[from] io::Error),
}

/// Exports a trace, which is opened twice: an event's line says how many later events found what
/// it wrote, so that they are counted first. Memory: one count for each event that wrote to an
/// object, and what sorting takes.
///
/// # Errors
/// Where the trace cannot be read or `out` fails.
pub fn export<R: Read>(
    mut open: impl FnMut() -> Result<TraceReader<R>, TraceError>,
    out: &mut impl Write,
) -> Result<Summary, ExportError> {
    let mut n_successors: FxHashMap<EventId, u64> = FxHashMap::default();
    let mut writers = Vec::new();
    for_each_in_order(open().map_err(ReadError::from)?, |event, _| {
        writers.extend(event.shared.iter().filter_map(|access| access.writer));
        writers.sort_unstable();
        writers.dedup();
        writers.drain(..).for_each(|writer| *n_successors.entry(writer).or_default() += 1);
    })?;
    let reader = open().map_err(ReadError::from)?;
    writeln!(out, "{}", header_json(reader.header()))?;
    let mut line = String::new();
    let mut failure = None;
    let summary = for_each_in_order(reader, |event, names| {
        if failure.is_none() {
            line.clear();
            let n_successors = n_successors.remove(&event.id).unwrap_or(0);
            put_event(&mut line, &event, names, n_successors).expect("a string takes every write");
            failure = out.write_all(line.as_bytes()).err();
        }
    })?;
    match failure {
        Some(failure) => Err(failure.into()),
        None => Ok(summary),
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
    if let Some(Timing { worker, start, end }) = event.timing {
        write!(line, ",\"worker\":{worker},\"start\":{start},\"end\":{end}")?;
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
