//! Exports of recorded events: `hasse trace export`, and `export` in a session.
//!
//! Where events come from is the caller's: a trace, or the records of a session. Files and folders appear when they are
//! complete, under a name of their own until then.

/// Folders of tables.
#[cfg(feature = "columns")]
mod folder;

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process;

use clap::ValueEnum;
#[cfg(feature = "columns")]
use hasse_debugger::export::columns::FileKind;
use hasse_debugger::export::shiviz::Host;
use hasse_debugger::export::{self, ExportError, Exporter, Form, Level, Part, Rules};
use hasse_debugger::facility::{OptionOf, Restriction};
use hasse_debugger::perf::Window;
use hasse_debugger::read::Summary;
use hasse_debugger::restrict::Restrictor;
use hasse_model::plan::Plan;
use hasse_model::record_options::{NamedOptions, ResolvedOptions};
use hasse_model::trace::{BatchSource, Names, RecordingMode, TraceError, TraceHeader};

use crate::fault::Fault;
use crate::linked::Linked;
use crate::out::Out;
use crate::perf;
use crate::program::{self, Program};
use crate::record::Selection;
use crate::whole_file::WholeFile;

/// What is exported, and how.
#[derive(clap::Args)]
pub(crate) struct ExportOptions {
    /// The form
    #[arg(long, value_enum)]
    pub(crate) format: Format,
    /// Which graph, for `dot` and `graphml`; without it the event history
    #[arg(long, value_enum, value_name = "GRAPH")]
    pub(crate) graph: Option<Graph>,
    /// What a time line stands for, for `shiviz`; without it an action
    #[arg(long, value_enum, value_name = "HOST")]
    pub(crate) by: Option<By>,
    /// Leave out the events before the N-th in causal order
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) from: u64,
    /// Only this many events
    #[arg(long, value_name = "N")]
    pub(crate) count: Option<u64>,
    /// Only events that went on in this stretch of the run, such as `1.5ms..20ms` or `2s..`; --from and --count count
    /// these alone
    #[arg(long, value_name = "A..B", value_parser = perf::window)]
    pub(crate) window: Option<Window>,
    #[command(flatten)]
    pub(crate) selection: Selection,
}

/// A form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// One JSON object a line
    Jsonl,
    /// For Graphviz
    Dot,
    /// For networkx, yEd, Gephi
    Graphml,
    /// For ShiViz: a log with vector clocks
    Shiviz,
    /// For ui.perfetto.dev and its trace processor
    Perfetto,
    /// A folder of Arrow files, a table each; needs a build with the feature `columns`
    Arrow,
    /// A folder of Parquet files, a table each, for DuckDB, Polars, pandas; needs a build with the feature `columns`
    Parquet,
}

/// Which graph is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Graph {
    /// The event history
    Events,
    /// Actions
    Elaborated,
    /// Nodes of the program
    Program,
}

/// What a time line stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum By {
    /// An action
    Action,
    /// All instances of a node of the program
    Template,
    /// All that is in an instance of a graph
    Graph,
}

/// What comes out: a stream or a folder of tables.
enum Shape {
    Stream(Form),
    #[cfg(feature = "columns")]
    Folder(FileKind),
}

impl Format {
    fn name(self) -> &'static str {
        match self {
            Format::Jsonl => "jsonl",
            Format::Dot => "dot",
            Format::Graphml => "graphml",
            Format::Shiviz => "shiviz",
            Format::Perfetto => "perfetto",
            Format::Arrow => "arrow",
            Format::Parquet => "parquet",
        }
    }
}

impl ExportOptions {
    fn part(&self) -> Part {
        Part { n_skipped: self.from.saturating_sub(1), most: self.count, window: self.window }
    }

    /// Whether the form is a folder of files.
    pub(crate) fn writes_folder(&self) -> bool {
        matches!(self.format, Format::Arrow | Format::Parquet)
    }

    /// The form with its options; refuses those of other forms.
    fn shape(&self) -> Result<Shape, Fault> {
        let format = self.format.name();
        if self.graph.is_some() && !matches!(self.format, Format::Dot | Format::Graphml) {
            return Err(Fault::NotInForm { option: "--graph", format, takes: "dot and graphml" });
        }
        if self.by.is_some() && self.format != Format::Shiviz {
            return Err(Fault::NotInForm { option: "--by", format, takes: "shiviz" });
        }
        let level = match self.graph {
            None | Some(Graph::Events) => Level::Events,
            Some(Graph::Elaborated) => Level::Elaborated,
            Some(Graph::Program) => Level::Program,
        };
        let host = match self.by {
            None | Some(By::Action) => Host::Action,
            Some(By::Template) => Host::Template,
            Some(By::Graph) => Host::Graph,
        };
        Ok(match self.format {
            Format::Jsonl => Shape::Stream(Form::Jsonl),
            Format::Dot => Shape::Stream(Form::Dot(level)),
            Format::Graphml => Shape::Stream(Form::Graphml(level)),
            Format::Shiviz => Shape::Stream(Form::Shiviz(host)),
            Format::Perfetto => Shape::Stream(Form::Perfetto),
            #[cfg(feature = "columns")]
            Format::Arrow => Shape::Folder(FileKind::Arrow),
            #[cfg(feature = "columns")]
            Format::Parquet => Shape::Folder(FileKind::Parquet),
            #[cfg(not(feature = "columns"))]
            Format::Arrow | Format::Parquet => return Err(Fault::NoColumns { format }),
        })
    }
}

/// Exports the events that `open` gives, each time it is called, to `output` or else to standard output. `subject` is
/// what messages call their source.
pub(crate) fn export<S: BatchSource>(
    subject: &Path,
    header: &TraceHeader,
    open: impl FnMut() -> Result<S, TraceError>,
    options: &ExportOptions,
    output: Option<&Path>,
    linked: &Linked,
) -> Result<Summary, Fault> {
    if header.mode == RecordingMode::Minimal {
        return Err(Fault::OnlyChoices { path: subject.to_owned() });
    }
    if options.window.is_some() && header.mode != RecordingMode::Perf {
        return Err(Fault::NoTimes { path: subject.to_owned() });
    }
    let shape = options.shape()?;
    let job = Job::new(subject, header, options, open, linked)?;
    match (shape, output) {
        (Shape::Stream(Form::Perfetto), None) if io::stdout().is_terminal() => {
            Err(Fault::NeedsOutput { format: options.format.name(), what: "FILE" })
        }
        (Shape::Stream(form), None) => {
            let mut out = Out::new();
            let summary = job.stream_to(form, &mut out, Fault::Stdout)?;
            out.close().map_err(Fault::Stdout)?;
            Ok(summary)
        }
        (Shape::Stream(form), Some(path)) => job.write_file(form, path),
        #[cfg(feature = "columns")]
        (Shape::Folder(kind), Some(path)) => job.write_folder(kind, path),
        #[cfg(feature = "columns")]
        (Shape::Folder(_), None) => Err(Fault::NeedsOutput { format: options.format.name(), what: "FOLDER" }),
    }
}

/// An export that is about to be made.
struct Job<'a, O> {
    subject: &'a Path,
    /// Of the events as they are exported.
    header: TraceHeader,
    rules: Rules,
    restricts: Option<ResolvedOptions>,
    part: Part,
    open: O,
}

impl<'a, S: BatchSource, O: FnMut() -> Result<S, TraceError>> Job<'a, O> {
    fn new(
        subject: &'a Path,
        header: &TraceHeader,
        options: &ExportOptions,
        open: O,
        linked: &Linked,
    ) -> Result<Self, Fault> {
        let program = Program::recorded(header, linked);
        let compiled = program.compile_recorded();
        let plan: Option<&Plan> = program::sound_plan(&compiled);
        let mut header = header.clone();
        let mut restricts = None;
        if !options.selection.is_empty() {
            let plan = plan.ok_or_else(|| Fault::RecordedProgram { path: subject.to_owned() })?;
            restricts = Some(options.selection.resolve(plan)?);
            header.mode = RecordingMode::Restricted;
        }
        Ok(Self {
            subject,
            header,
            rules: plan.map(Rules::of).unwrap_or_default(),
            restricts,
            part: options.part(),
            open,
        })
    }

    fn run(
        self,
        exporter: &mut dyn Exporter,
        cannot_write: impl FnOnce(io::Error) -> Fault,
    ) -> Result<Summary, Fault> {
        let restricts = self.restricts;
        let make = restricts.map(|resolved| {
            move |mode| -> Restriction<'static> {
                let mut named = NamedOptions::new(resolved.clone());
                let option_of: OptionOf<'static> =
                    Box::new(move |action, names: &Names| named.action(action, names));
                Restrictor::new(mode, option_of)
            }
        });
        let restriction = make.as_ref().map(|make| make as export::MakeRestriction<'_>);
        export::export(self.open, restriction, self.part, exporter).map_err(|error| match error {
            ExportError::Read(error) => Fault::of_trace(self.subject, error),
            ExportError::Inconsistent { event, source } => {
                Fault::Inconsistent { path: self.subject.to_owned(), event, source }
            }
            ExportError::Write(source) => cannot_write(source),
        })
    }

    fn stream_to(
        self,
        form: Form,
        out: &mut impl Write,
        cannot_write: impl FnOnce(io::Error) -> Fault,
    ) -> Result<Summary, Fault> {
        let mut exporter = export::exporter(form, &self.header, self.rules.clone(), out);
        self.run(&mut *exporter, cannot_write)
    }

    /// Writes next to the file and gives it its name when it is complete.
    fn write_file(self, form: Form, path: &Path) -> Result<Summary, Fault> {
        let cannot_write = |source| Fault::Write { path: path.to_owned(), source };
        let whole = WholeFile::create(path).map_err(cannot_write)?;
        let mut out = BufWriter::new(whole.file());
        let summary = self.stream_to(form, &mut out, cannot_write)?;
        out.flush().map_err(cannot_write)?;
        drop(out);
        whole.keep().map_err(cannot_write)?;
        Ok(summary)
    }
}

/// End of the name of a folder that is not complete, after the number of its process.
const UNFINISHED: &str = ".part";

/// Path of a folder until it is complete.
pub(crate) fn unfinished(path: &Path) -> PathBuf {
    let mut unfinished = path.components().as_path().as_os_str().to_owned();
    unfinished.push(format!(".{}{UNFINISHED}", process::id()));
    PathBuf::from(unfinished)
}
