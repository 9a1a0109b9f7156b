//! All events of the records or of the trace: the history page by page, graphs, exports, and where the time went.

use std::io::Write;
use std::path::Path;

use hasse_debugger::display::Graphs;
use hasse_debugger::display::history::{self, HistoryError, HistoryOptions, Start};
use hasse_debugger::facility::{OptionOf, Restriction};
use hasse_debugger::perf::{self, PerfError, PerfOptions};
use hasse_debugger::read::{ReadError, Summary, try_lend_in_order};
use hasse_debugger::restrict::Restrictor;
use hasse_model::quantity::counted;
use hasse_model::record_options::{NamedOptions, RecordOption};
use hasse_model::trace::{BatchSource, RecordingMode};

#[cfg(feature = "editor")]
use super::super::command::Mode;
use super::super::command::{Export, GraphKind, History, Perf, Place};
use super::super::held::Events;
use super::super::line::LineError;
use super::super::listing::Source;
use super::super::subject::Subject;
use super::remembered::Scroll;
use super::{Session, unplaced, written};
use crate::export::{self, ExportOptions};
use crate::fault::Fault;
#[cfg(feature = "editor")]
use crate::ground;
use crate::record::Selection;
use crate::{facilities, recording, whole_file};

/// Events of a page where nothing else is said.
const PAGE: usize = 40;

impl<'p> Session<'_, 'p> {
    /// The events that questions are about: those that the run under way has saved so far, or else those of the last
    /// run, or of the trace.
    pub(super) fn source_of_events(&self) -> Result<Source<'_>, Fault> {
        if let Some(live) = &self.live {
            self.catch_up(live);
            return Ok(Source::Records(Box::new(live.records_so_far())));
        }
        self.held_source()
    }

    fn held_source(&self) -> Result<Source<'_>, Fault> {
        match &self.held.events {
            Events::Records(records) => Ok(Source::Records(records.clone())),
            Events::File(path) => Ok(Source::Trace(path)),
            Events::Nowhere | Events::CutOff(_) => Err(self.held.nothing()),
        }
    }

    /// Returns the events recorded so far by the current run, for a replay on another thread. A replay saves no events: then these
    /// are the events of the record that it follows.
    #[cfg(feature = "editor")]
    pub(in super::super) fn ground_so_far(&self) -> Result<ground::Subject, Fault> {
        let is_replay = self.live.as_ref().is_some_and(|live| live.mode() == Mode::Replay);
        let source = if is_replay { self.held_source()? } else { self.source_of_events()? };
        let linked = self.subject_of_events().program.linked();
        Ok(ground::Subject::of(source.path(), source.recorded()?, linked))
    }

    /// The program that these events are of.
    pub(super) fn subject_of_events(&self) -> &'p Subject {
        if self.live.is_some() { self.subject } else { self.held.subject }
    }

    /// The restriction to actions that are in the display set, in the selected scope if `is_scoped`, and named by
    /// selectors; of each of the three, nothing said is everything.
    fn restriction(
        &self,
        mode: RecordingMode,
        selectors: &[String],
        is_scoped: bool,
    ) -> Result<Option<Restriction<'static>>, Fault> {
        let scope: Vec<String> = self.settings.scope.selector().filter(|_| is_scoped).into_iter().collect();
        let mut sets = Vec::new();
        for set in [&self.settings.display_selectors()[..], &scope, selectors] {
            if let Some(options) = facilities::set_of(set)? {
                let resolved = options.resolve(&self.subject_of_events().plan).map_err(Fault::Selector)?;
                sets.push(NamedOptions::new(resolved));
            }
        }
        if sets.is_empty() {
            return Ok(None);
        }
        let option_of: OptionOf<'static> = Box::new(move |action, names| {
            let is_in = sets.iter_mut().all(|set| set.action(action, names) != RecordOption::Off);
            if is_in { RecordOption::Full } else { RecordOption::Off }
        });
        Ok(Some(Restrictor::new(mode, option_of)))
    }

    /// A page of the history; without a place and selectors, the next one.
    pub(super) fn history(&mut self, asked: &History, out: &mut dyn Write) -> Result<(), Fault> {
        let (scope, display_set) = (self.settings.scope.clone(), self.settings.display_selectors());
        let is_same =
            self.scroll.next > 0 && self.scroll.scope == scope && self.scroll.display_set == display_set;
        let goes_on = is_same && asked.place.is_none() && asked.selectors.is_empty() && !self.is_filed;
        let scroll = match goes_on {
            true => self.scroll.clone(),
            false => Scroll { next: 1, selectors: asked.selectors.clone(), scope, display_set },
        };
        let all = if self.is_filed { usize::MAX } else { PAGE };
        let (start, n_events) = match &asked.place {
            None => (Start::At(scroll.next), all),
            Some(Place::From { start, n_events, .. }) => (start.clone(), n_events.unwrap_or(PAGE)),
            Some(Place::Event { target, column }) => {
                let event = self.settings.scope.go(target, *column, &self.subject.plan).map_err(unplaced)?;
                (Start::Event(event.to_string()), all)
            }
        };
        let source = self.source_of_events()?;
        let opened = source.open()?;
        let restriction = self.restriction(opened.header().mode, &scroll.selectors, true)?;
        let options = HistoryOptions { start, n_events, ..HistoryOptions::default() };
        let page = history::page(opened, restriction, &options).map_err(|error| match error {
            HistoryError::Read(error) => source.fault(error),
            HistoryError::Inconsistent { event, source: contradiction } => {
                Fault::Inconsistent { path: source.path().to_owned(), event, source: contradiction }
            }
            HistoryError::NoSuchEvent { event, .. } => {
                let column = asked.place.as_ref().map_or(1, Place::column);
                let hint = "`lse` lists the events; what is not in the scope, the display set and the selectors is left out";
                unplaced(LineError::new(column, format!("the history has no event {event}"), hint))
            }
            HistoryError::Write(source) => Fault::Stdout(source),
        })?;
        print_notes(&source, page.summary());
        let n_events = page.n_events();
        if goes_on && scroll.next > n_events {
            return written(writeln!(
                out,
                "that was the last of {}; `history 1` begins again",
                counted(n_events, "event")
            ));
        }
        written(out.write_all(page.to_text().as_bytes()))?;
        if !self.is_filed {
            self.scroll = Scroll { next: page.next().unwrap_or(n_events + 1), ..scroll };
        }
        Ok(())
    }

    /// Where the time went.
    pub(super) fn perf(&self, asked: &Perf, out: &mut dyn Write) -> Result<(), Fault> {
        let source = self.source_of_events()?;
        if let Some(path) = &asked.svg {
            self.refuse_own_files(Path::new(path))?;
        }
        let opened = source.open()?;
        let subject = self.subject_of_events();
        let program = Some((&subject.plan, &subject.params[..]));
        let default = PerfOptions::default();
        let options = PerfOptions {
            by: asked.by.unwrap_or(default.by),
            n_top: asked.n_top.unwrap_or(default.n_top),
            window: asked.window.as_ref().map(|(window, _)| *window),
            program,
            scratch: crate::perf::scratch_file,
            ..default
        };
        let (report, summary) = perf::measure(opened, &options).map_err(|error| match error {
            PerfError::Read(error) => source.fault(error),
            PerfError::Inconsistent { event, source: contradiction } => {
                Fault::Inconsistent { path: source.path().to_owned(), event, source: contradiction }
            }
            PerfError::NoTimes => {
                let column = asked.window.as_ref().map_or(1, |(_, column)| *column);
                let hint = "leave `window` out, or record times: `mode record perf; run`";
                unplaced(LineError::new(column, "the events have no times", hint))
            }
            PerfError::Scratch(source) => Fault::Scratch { source },
            PerfError::Write(source) => Fault::Stdout(source),
        })?;
        print_notes(&source, &summary);
        written(out.write_all(report.to_text().as_bytes()))?;
        match &asked.svg {
            Some(path) => {
                let written = whole_file::write_bytes(Path::new(path), report.to_svg().as_bytes());
                written.map_err(|source| Fault::Write { path: path.into(), source })
            }
            None => Ok(()),
        }
    }

    /// The elaborated graph, the program graph or both: of what was displayed last, or else of the records or the trace.
    pub(super) fn write_graphs(
        &self,
        kind: Option<GraphKind>,
        selectors: &[String],
        out: &mut dyn Write,
    ) -> Result<(), Fault> {
        let displayed = self.last.as_ref().filter(|_| self.live.is_none() && selectors.is_empty());
        let displayed = displayed.filter(|done| !done.findings.graphs.is_empty());
        let text = |graphs: &Graphs, names: &_| match kind {
            None => graphs.to_text(names),
            Some(GraphKind::Elaborated) => graphs.elaborated_text(names),
            Some(GraphKind::Program) => graphs.program_text(names),
        };
        let text = match displayed {
            Some(done) => text(&done.findings.graphs, &done.findings.summary.names),
            None => {
                let source = self.source_of_events()?;
                let (graphs, summary) = self.folded(&source, selectors)?;
                print_notes(&source, &summary);
                text(&graphs, &summary.names)
            }
        };
        written(out.write_all(text.as_bytes()))
    }

    fn folded(&self, source: &Source<'_>, selectors: &[String]) -> Result<(Graphs, Summary), Fault> {
        let opened = source.open()?;
        let mut restriction = self.restriction(opened.header().mode, selectors, false)?;
        let mut graphs = Graphs::default();
        let summary = try_lend_in_order(opened, |event, names| -> Result<(), Broken> {
            let Some(restriction) = &mut restriction else {
                graphs.event(event);
                return Ok(());
            };
            let record = restriction.event(event, names).map_err(|contradiction| {
                let (path, event) = (source.path().to_owned(), names.event(event.id).to_string());
                Broken::Inconsistent(Box::new(Fault::Inconsistent { path, event, source: contradiction }))
            })?;
            record.into_iter().for_each(|record| drop(graphs.event(record)));
            Ok(())
        });
        match summary {
            Ok(summary) => Ok((graphs, summary)),
            Err(Broken::Read(error)) => Err(source.fault(error)),
            Err(Broken::Inconsistent(fault)) => Err(*fault),
        }
    }

    /// Writes the events, restricted to the display set, for another tool.
    pub(super) fn export(&self, asked: &Export) -> Result<(), Fault> {
        let path = Path::new(&asked.path);
        self.refuse_own_files(path)?;
        let source = self.source_of_events()?;
        if let Source::Trace(trace) = &source {
            crate::overwrite::refuse_same_file(path, trace, "the events that are exported")?;
        }
        let header = source.open()?.header().clone();
        let options = ExportOptions {
            format: asked.format,
            graph: asked.graph,
            by: asked.by,
            from: 1,
            count: None,
            window: None,
            selection: Selection::of_set(self.settings.display_selectors()),
        };
        let open = || source.try_open();
        let linked = self.subject.program.linked();
        let summary = export::export(source.path(), &header, open, &options, Some(path), linked)?;
        print_notes(&source, &summary);
        Ok(())
    }
}

/// Says how complete a trace is; records are what there is.
fn print_notes(source: &Source<'_>, summary: &Summary) {
    if let Source::Trace(path) = source {
        recording::print_notes(path, summary);
    }
}

/// Why events cannot be folded.
enum Broken {
    Read(ReadError),
    Inconsistent(Box<Fault>),
}

impl From<ReadError> for Broken {
    fn from(error: ReadError) -> Self {
        Self::Read(error)
    }
}
