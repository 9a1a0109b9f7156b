//! Writing the elaborated or the program graph, in any form, once all events have come.

use std::io::{self, Write};

use hasse_model::event::EventRecord;
use hasse_model::trace::{Names, RecordingMode};

use super::exporter::{ExportError, Exporter};
use super::fold::{Folded, Folding, Level};
use crate::read::Summary;

/// Writes nodes, edges and what ends them.
type Put<W> = fn(&mut W, &Folded, Level) -> io::Result<()>;

/// Folds the events and writes the graph in the end.
pub struct FoldedExport<W> {
    out: W,
    level: Level,
    folding: Folding,
    beginning: String,
    put: Put<W>,
}

impl<W> FoldedExport<W> {
    pub(super) fn new(out: W, mode: RecordingMode, level: Level, beginning: String, put: Put<W>) -> Self {
        Self { out, level, folding: Folding::of_mode(mode), beginning, put }
    }
}

/// What the graph of a level is called.
pub(super) fn title(level: Level) -> &'static str {
    if level == Level::Elaborated { "elaborated graph" } else { "program graph" }
}

impl<W: Write> Exporter for FoldedExport<W> {
    fn event(&mut self, event: &EventRecord, names: &Names) -> Result<(), ExportError> {
        self.folding.event(event).map_err(ExportError::inconsistent(names))
    }

    fn finish(&mut self, summary: &Summary) -> Result<(), ExportError> {
        let graph = self.folding.graph(self.level, &summary.names);
        self.out.write_all(self.beginning.as_bytes())?;
        Ok((self.put)(&mut self.out, &graph, self.level)?)
    }
}
