//! Events for other tools: graphs, logs, timelines and tables (Hyder 1994, section 6.1.2, whose EDGE and XGRAB they
//! replace).
//!
//! An [`Exporter`](crate::export::Exporter) takes events in causal order and writes what it makes of each at once, so
//! that memory is bounded by what a form must know of earlier events and not by their number.
//! [`export`](crate::export::export) drives one over any source of batches, a trace or the records of a session, with
//! or without a restriction. No form names ids of a run: actions and objects go by path, events by path and count or by
//! their place in the causal order that the export itself is in.

use std::io::Write;

use hasse_model::event::EventRecord;
use hasse_model::trace::{BatchSource, Names, RecordingMode, TraceError, TraceHeader};

use crate::facility::Restriction;
use crate::read::{ReadError, Summary, try_lend_in_order};
use part::Cut;

pub use exporter::{ExportError, Exporter};
pub use fold::Level;
pub use part::Part;
pub use wording::Rules;

/// Arrow and Parquet files.
#[cfg(feature = "columns")]
pub mod columns;
/// Graphviz.
pub mod dot;
/// What is immediately before an event, by its place in the order.
pub mod edges;
/// The interface of all forms.
mod exporter;
/// Elaborated graph and program graph, by kinds of edges.
pub mod fold;
/// Writing them.
pub mod folded;
/// The graph exchange format of networkx, yEd, Gephi and others.
pub mod graphml;
/// JSON Lines.
pub mod jsonl;
/// A part of the events.
pub mod part;
/// Timelines for Perfetto.
pub mod perfetto;
/// Batches that were saved, as a source.
pub mod saved;
/// Space-time diagrams in ShiViz.
pub mod shiviz;
#[cfg(test)]
mod tests;
/// Names in exports.
mod wording;

/// A form that is one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// [`jsonl`]
    Jsonl,
    /// [`dot`]
    Dot(Level),
    /// [`graphml`]
    Graphml(Level),
    /// [`shiviz`]
    Shiviz(shiviz::Host),
    /// [`perfetto`]
    Perfetto,
}

/// The exporter of a form into a file or another stream. `header` is that of the events as they will come: with the mode
/// [`Restricted`](RecordingMode::Restricted) where they are restricted on the way.
pub fn exporter<'a>(
    form: Form,
    header: &TraceHeader,
    rules: Rules,
    out: impl Write + 'a,
) -> Box<dyn Exporter + 'a> {
    match form {
        Form::Jsonl => Box::new(jsonl::Jsonl::new(header, out)),
        Form::Dot(Level::Events) => Box::new(dot::Events::new(header, rules, out)),
        Form::Dot(level) => Box::new(dot::folded(header, level, out)),
        Form::Graphml(Level::Events) => Box::new(graphml::Events::new(header, rules, out)),
        Form::Graphml(level) => Box::new(graphml::folded(header, level, out)),
        Form::Shiviz(host) => Box::new(shiviz::Shiviz::new(header, host, rules, out)),
        Form::Perfetto => Box::new(perfetto::Perfetto::new(header, rules, out)),
    }
}

/// Makes the restriction of a pass over events that were recorded in a mode.
pub type MakeRestriction<'a> = &'a dyn Fn(RecordingMode) -> Restriction<'static>;

/// Exports a part of the events of a source, which is opened a second time for exporters that look ahead. Time: linear in events
/// and edges, but for clocks; memory: what sorting, the restriction and the exporter take.
///
/// # Errors
/// Where the source or the exporter fails or the events contradict each other.
pub fn export<S: BatchSource>(
    mut open: impl FnMut() -> Result<S, TraceError>,
    restriction: Option<MakeRestriction<'_>>,
    part: Part,
    exporter: &mut dyn Exporter,
) -> Result<Summary, ExportError> {
    if exporter.looks_ahead() {
        let mut cut = Cut::new(part);
        pass(&mut open, restriction, |event, names| match cut.take(event) {
            Some(event) => exporter.ahead(&event, names),
            None => Ok(()),
        })?;
    }
    let mut cut = Cut::new(part);
    let summary = pass(&mut open, restriction, |event, names| match cut.take(event) {
        Some(event) => exporter.event(&event, names),
        None => Ok(()),
    })?;
    exporter.finish(&summary)?;
    Ok(summary)
}

fn pass<S: BatchSource>(
    open: &mut impl FnMut() -> Result<S, TraceError>,
    restriction: Option<MakeRestriction<'_>>,
    mut deliver: impl FnMut(&EventRecord, &Names) -> Result<(), ExportError>,
) -> Result<Summary, ExportError> {
    let source = open().map_err(ReadError::from)?;
    let mut restriction = restriction.map(|make| make(source.header().mode));
    try_lend_in_order(source, |event, names| match &mut restriction {
        None => deliver(event, names),
        Some(restriction) => {
            let record = restriction.event(event, names).map_err(ExportError::inconsistent(names))?;
            record.map_or(Ok(()), |record| deliver(record, names))
        }
    })
}
