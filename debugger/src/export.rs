//! Events for other tools: graphs, logs, timelines and tables (Hyder 1994, section 6.1.2, whose EDGE and XGRAB they
//! replace).
//!
//! An [`Exporter`](crate::export::Exporter) takes events in causal order and writes what it makes of each at once, so
//! that memory is bounded by what a form must know of earlier events and not by their number.
//! [`export`](crate::export::export) drives one over any source of batches, a trace or the records of a session, with
//! or without a restriction. No form names ids of a run: actions and objects go by path, events by path and count or by
//! their place in the causal order that the export itself is in.

use std::io::{self, Write};

use hasse_model::event::EventRecord;
use hasse_model::id::TemplateId;
use hasse_model::plan::Plan;
use hasse_model::trace::{BatchSource, Names, RecordingMode, TraceError, TraceHeader};

use crate::clock::TakenTooOften;
use crate::facility::Restriction;
use crate::read::{ReadError, Summary, try_lend_in_order};
use part::Cut;

pub use part::Part;

/// Arrow and Parquet files.
#[cfg(feature = "columns")]
pub mod columns;
/// Graphviz.
pub mod dot;
/// What is immediately before an event, by its place in the order.
pub mod edges;
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

/// Why an export did not come to its end.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The trace cannot be brought into causal order.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The events contradict each other.
    #[error("{event}: {source}")]
    Inconsistent {
        /// Path of the event that does not fit.
        event: String,
        /// Why.
        source: TakenTooOften,
    },
    /// Writing failed.
    #[error("cannot write the export")]
    Write(#[from] io::Error),
}

impl ExportError {
    fn inconsistent(names: &Names) -> impl Fn(TakenTooOften) -> Self {
        |source| Self::Inconsistent { event: names.event(source.event).to_string(), source }
    }
}

/// Makes something of events that come in causal order.
pub trait Exporter {
    /// Whether all events must be shown to [`ahead`](Self::ahead) before the first is given to
    /// [`event`](Self::event).
    fn looks_ahead(&self) -> bool {
        false
    }

    /// Sees an event before the export begins.
    ///
    /// # Errors
    /// Where the events contradict each other.
    fn ahead(&mut self, _event: &EventRecord, _names: &Names) -> Result<(), ExportError> {
        Ok(())
    }

    /// Takes in the next event.
    ///
    /// # Errors
    /// Where the events contradict each other, or what is made of them cannot be written.
    fn event(&mut self, event: &EventRecord, names: &Names) -> Result<(), ExportError>;

    /// Writes what belongs behind the last event; called once. What this does not return of is not complete.
    ///
    /// # Errors
    /// Where it cannot be written.
    fn finish(&mut self, summary: &Summary) -> Result<(), ExportError>;
}

/// Which of the three graphs is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Level {
    /// The event history: events.
    #[default]
    Events,
    /// The elaborated graph: actions.
    Elaborated,
    /// The program graph: templates.
    Program,
}

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

/// The texts of firing rules, where the program is known.
#[derive(Clone, Debug, Default)]
pub struct Rules(Vec<Vec<String>>);

impl Rules {
    /// The program is not known: rules go by position.
    pub fn unknown() -> Self {
        Self::default()
    }

    /// The rules of a program.
    pub fn of(plan: &Plan) -> Self {
        let texts = |template: &hasse_model::plan::Template| {
            template.fire.iter().map(|rule| rule.text.to_string()).collect()
        };
        Self(plan.templates.iter().map(texts).collect())
    }

    /// The text of a rule by template and position; `None` where it is not known, and for the first execution of a
    /// start node.
    pub fn text(&self, template: Option<TemplateId>, rule: i32) -> Option<&str> {
        let rule_idx = usize::try_from(rule).ok()?;
        Some(self.0.get(template?.idx())?.get(rule_idx)?.as_str())
    }

    /// What an event was started by, in words: `starts`, the text of its rule, or `rule 2`.
    fn words(&self, event: &EventRecord, names: &Names) -> String {
        match self.text(names.template_of(event.id.action), event.rule) {
            Some(text) => text.to_owned(),
            None if event.is_failed_init() => "`init`".to_owned(),
            None if event.rule < 0 => "starts".to_owned(),
            None => format!("rule {}", event.rule),
        }
    }
}

/// The label of what an event's action is an instance of.
fn template_name(event: &EventRecord, names: &Names) -> String {
    let template = names.template_of(event.id.action);
    template.and_then(|template| names.template_name(template)).unwrap_or("?").to_owned()
}

/// The path of the graph instance of an event's action: `/` for the main one, else such as `/dobts[2]`.
fn graph_path(event: &EventRecord, names: &Names) -> String {
    let path = names.graph_of(event.id.action).map(|graph| names.graph_path(graph).to_string());
    match path {
        Some(path) if !path.is_empty() => path,
        Some(_) => "/".to_owned(),
        None => "?".to_owned(),
    }
}

/// An event's routing rules, such as `0,2`.
fn routes_text(event: &EventRecord) -> String {
    event.routes.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}
