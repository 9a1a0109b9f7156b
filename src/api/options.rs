//! What a run is asked to do.

use std::fmt;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use hasse_debugger::check::names_template;
use hasse_model::id::TemplateId;
use hasse_model::plan::Plan;
use hasse_model::record_options::{RecordOption, ResolvedOptions};
use hasse_model::trace::RecordingMode;
use hasse_model::value::Value;
use hasse_runtime::capture::{Capture, Captured};
use hasse_runtime::decision::Chooser;
use hasse_runtime::natives::{IntoValue, Natives};
use hasse_runtime::run::{
    DEFAULT_RECLAIM_ABOVE, EventSink, Output, Recording, RunOptions, ScriptTiers, StopSignal,
};
use hasse_runtime::sandbox::Sandbox;

use super::error::Error;

/// Takes in a line of the program's output.
type WriteLine = dyn Fn(&str) + Send + Sync;

/// How a program is to be run. Can be used for many runs.
///
/// ```
/// use hasse::Options;
///
/// let options = Options::new().workers(4).seed(7).set("n", 8).output(|line| eprintln!("> {line}"));
/// ```
#[derive(Clone, Default)]
pub struct Options {
    n_workers: Option<usize>,
    seed: Option<u64>,
    params: Vec<(String, Value)>,
    sandbox: Sandbox,
    output: Option<Arc<WriteLine>>,
    stop: StopSignal,
    tiers: ScriptTiers,
    mode: Option<RecordingMode>,
    selected: Vec<(String, RecordOption)>,
    capture: Vec<(String, Captured)>,
    chooser: Option<Chooser>,
    virtual_time: bool,
}

impl Options {
    /// As many workers as there are cores, defaults of all parameters, output to standard output.
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of worker threads; 0 counts as 1. With a [`chooser`](Self::chooser) it is 1, and no other number may be set.
    #[must_use]
    pub fn workers(mut self, n_workers: usize) -> Self {
        self.n_workers = Some(n_workers);
        self
    }

    /// Draws free choices and random numbers from a seed: with one worker the same run comes out every
    /// time.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Advances the clock to the next delayed value (`x <- v after 20ms`) as soon as all workers are idle, without waiting. Bodies
    /// read the same clock.
    #[must_use]
    pub fn virtual_time(mut self) -> Self {
        self.virtual_time = true;
        self
    }

    /// Has all free choices decided from outside, on one worker: see [`decision`](crate::decision). Random numbers are drawn
    /// from seed 0 where none is set. Replays follow their records and ask no chooser.
    ///
    /// ```
    /// use hasse::decision::Chosen;
    /// use hasse::{Natives, Options, Program};
    ///
    /// let text = r#"
    /// hasse = 1
    /// main  = "race"
    ///
    /// [graph.race]
    /// arcs = ["A.o -> Last.v", "B.o -> Last.v"]
    ///
    /// [graph.race.uc.A]
    /// start = true
    /// out   = { o = "int" }
    /// route = ["o <- 1"]
    ///
    /// [graph.race.uc.B]
    /// start = true
    /// out   = { o = "int" }
    /// route = ["o <- 2"]
    ///
    /// [graph.race.uc.Last]
    /// in   = { v = "int" }
    /// fire = ["v -> v"]
    /// do   = 'result("last", v);'
    /// "#;
    /// let program = Program::from_text(text, &Natives::new())?;
    /// // A, B, Last with the value of B, Last again.
    /// let chosen = Chosen::new([0, 0, 0, 1, 0]);
    /// let run = program.run(&Options::new().chooser(&chosen))?;
    /// assert_eq!(run.result::<i64>("last")?, 1);
    /// assert_eq!(chosen.points()[3].to_string(), "3: value 0 of those that /Last:1 takes: /B:1 on /Last.v of /A:1 on /Last.v, /B:1 on /Last.v");
    /// # Ok::<(), hasse::Error>(())
    /// ```
    #[must_use]
    pub fn chooser(mut self, chooser: impl Into<Chooser>) -> Self {
        self.chooser = Some(chooser.into());
        self
    }

    /// Sets a creation parameter of the main graph; the last value counts.
    #[must_use]
    pub fn set(mut self, name: &str, value: impl IntoValue) -> Self {
        self.params.push((name.to_owned(), value.into_value()));
        self
    }

    /// How much [`Program::record`](crate::Program::record) and its like record; without it everything, unless
    /// something is selected or the program asks for restricted recording.
    #[must_use]
    pub fn mode(mut self, mode: RecordingMode) -> Self {
        self.mode = Some(mode);
        self
    }

    /// Records the events of some nodes or instances alone, such as `Mult`, `Mult[2..5]` or `/call[2]/*`, with the
    /// recorded events that are before them. A selector that cannot be used is an error when recording begins.
    #[must_use]
    pub fn select(self, selector: &str) -> Self {
        self.record_option(selector, RecordOption::Full)
    }

    /// Sets the recording option of some instances or calls, for restricted recording; the last one that names an
    /// instance counts.
    #[must_use]
    pub fn record_option(mut self, selector: &str, option: RecordOption) -> Self {
        self.selected.push((selector.to_owned(), option));
        self
    }

    /// Keeps values of a node's executions with the records that a sink is given
    /// ([`EventRecord::local`](hasse_model::event::EventRecord::local)); traces hold none. The node is named as `Mult`
    /// or, outside of the main graph, as `Graph.Mult`.
    #[must_use]
    pub fn capture(mut self, template: &str, captured: Captured) -> Self {
        self.capture.push((template.to_owned(), captured));
        self
    }

    /// Calls `write` for each line that the program prints, without its line end.
    #[must_use]
    pub fn output(mut self, write: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.output = Some(Arc::new(write));
        self
    }

    /// Runs that are given this signal end when it is set, from any thread.
    #[must_use]
    pub fn stop(mut self, stop: StopSignal) -> Self {
        self.stop = stop;
        self
    }

    /// How bodies and expressions in Rhai are executed, of those that can be compiled; results and records are the same.
    #[must_use]
    pub fn scripts(mut self, tiers: ScriptTiers) -> Self {
        self.tiers = tiers;
        self
    }

    /// Lets Rhai bodies read below a folder. A program's own folder they may always read.
    #[must_use]
    pub fn allow_read(mut self, root: impl Into<PathBuf>) -> Self {
        self.sandbox.read_roots.push(root.into());
        self
    }

    /// Lets Rhai bodies write below a folder.
    #[must_use]
    pub fn allow_write(mut self, root: impl Into<PathBuf>) -> Self {
        self.sandbox.write_roots.push(root.into());
        self
    }

    /// Lets Rhai bodies ask for a variable of the environment.
    #[must_use]
    pub fn allow_env(mut self, name: &str) -> Self {
        self.sandbox.env_names.push(name.to_owned());
        self
    }

    /// Lets Rhai bodies connect to an address and listen on it: `host:port`, or `host` for all its ports.
    #[must_use]
    pub fn allow_net(mut self, address: &str) -> Self {
        self.sandbox.net_addresses.push(address.to_owned());
        self
    }

    /// Lets Rhai bodies run a program.
    #[must_use]
    pub fn allow_run(mut self, program: &str) -> Self {
        self.sandbox.programs.push(program.to_owned());
        self
    }

    /// What is recorded of a program.
    pub(crate) fn recording_of(&self, plan: &Plan) -> Result<Recorder, Error> {
        let restricted = || {
            let mut options = plan.record.options();
            for (selector, option) in &self.selected {
                options = options.set(selector, *option)?;
            }
            Ok(Recorder::Restricted(options.resolve(plan)?))
        };
        match self.mode {
            Some(RecordingMode::Restricted) => restricted(),
            None if !self.selected.is_empty() || plan.record.is_restricted => restricted(),
            Some(mode) if !self.selected.is_empty() => Err(Error::SelectionInMode { mode }),
            Some(RecordingMode::Full) | None => Ok(Recorder::Full),
            Some(RecordingMode::Perf) => Ok(Recorder::Perf),
            Some(RecordingMode::Minimal) => Ok(Recorder::Minimal),
            Some(RecordingMode::Holes) => Err(Error::HolesAreCut),
        }
    }

    fn capture_of(&self, plan: &Plan) -> Result<Capture, Error> {
        let mut capture = Capture::none();
        for (name, captured) in &self.capture {
            let templates = plan.templates.iter().enumerate();
            let named = templates.filter(|(_, template)| names_template(name, template, plan));
            let mut named = named.map(|(position, _)| TemplateId::from_idx(position)).peekable();
            if named.peek().is_none() {
                return Err(Error::NoNode { name: name.clone(), known: plan.template_labels() });
            }
            named.for_each(|template| capture.add(template, *captured));
        }
        Ok(capture)
    }

    /// The options of the runtime. `folder` is the program's own, and empty if it has none.
    pub(crate) fn of_run(&self, folder: &Path, natives: &Natives, plan: &Plan) -> Result<RunOptions, Error> {
        let n_cores = || match &self.chooser {
            Some(_) => 1,
            None => thread::available_parallelism().map_or(1, NonZero::get),
        };
        Ok(RunOptions {
            n_workers: self.n_workers.unwrap_or_else(n_cores).max(1),
            seed: self.seed,
            params: self.params.clone(),
            program_folder: folder.to_owned(),
            sandbox: self.sandbox.clone(),
            natives: natives.clone(),
            stop: self.stop.clone(),
            reclaim_above: DEFAULT_RECLAIM_ABOVE,
            tiers: self.tiers,
            capture: self.capture_of(plan)?,
            control: None,
            chooser: self.chooser.clone(),
            virtual_time: self.virtual_time,
            checkpoints: None,
            writes_ahead: false,
        })
    }

    pub(crate) fn line_output(&self) -> Output {
        match self.output.clone() {
            Some(write) => Box::new(move |line| write(line)),
            None => Box::new(|line| {
                // Whoever has closed the output does not want it; the results come all the same.
                let _ = std::io::Write::write_fmt(&mut std::io::stdout(), format_args!("{line}\n"));
            }),
        }
    }
}

/// What records a run.
pub(crate) enum Recorder {
    Full,
    Restricted(ResolvedOptions),
    Minimal,
    Perf,
}

impl Recorder {
    /// The mode that a trace's header tells.
    pub(crate) fn mode(&self) -> RecordingMode {
        match self {
            Recorder::Full => RecordingMode::Full,
            Recorder::Restricted(_) => RecordingMode::Restricted,
            Recorder::Minimal => RecordingMode::Minimal,
            Recorder::Perf => RecordingMode::Perf,
        }
    }

    /// The recording that gives a sink what is recorded.
    pub(crate) fn into(self, sink: Box<dyn EventSink>) -> Recording<'static> {
        match self {
            Recorder::Full => Recording::Full(sink),
            Recorder::Restricted(selected) => Recording::Restricted(sink, selected),
            Recorder::Minimal => Recording::Minimal(sink),
            Recorder::Perf => Recording::Perf(sink),
        }
    }
}

/// Writes all but where output goes.
impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("n_workers", &self.n_workers)
            .field("seed", &self.seed)
            .field("params", &self.params)
            .field("sandbox", &self.sandbox)
            .finish_non_exhaustive()
    }
}
