//! Options of runs and replays, sinks for their records, and errors that keep a run from being carried out.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use hasse_body::interrupt::StopSignal;
use hasse_body::sandbox::Sandbox;
use hasse_code::natives::registry::Natives;
use hasse_code::routines::ScriptTiers;
use hasse_model::digest::HistoryDigest;
use hasse_model::event::EventBatch;
use hasse_model::id::EventId;
use hasse_model::record_options::ResolvedOptions;
use hasse_model::snapshot::Snapshot;
use hasse_model::value::Value;

use crate::capture::Capture;
use crate::checkpoint::Checkpoints;
use crate::control::Control;
use crate::decision::{Chooser, ImpossibleDecision};
use crate::report::{Idle, RunReport};

/// What a run is asked to do.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Number of worker threads, at least 1; with a [`chooser`](Self::chooser), 1.
    pub n_workers: usize,
    /// With a seed, free choices and random numbers come from it: one worker gives the same run for
    /// the same seed, many workers run under injected noise.
    pub seed: Option<u64>,
    /// Values of creation parameters; the others take their defaults.
    pub params: Vec<(String, Value)>,
    /// Folder of the program file: where bodies look up relative paths first, and may read.
    pub program_folder: PathBuf,
    /// What bodies may reach beyond the program's folder, and how much memory they may take.
    pub sandbox: Sandbox,
    /// Functions and bodies written in Rust; those with which the plan was compiled.
    pub natives: Natives,
    /// Ends the run from outside.
    pub stop: StopSignal,
    /// How bodies and expressions in Rhai are executed, of those that could be lowered to routines.
    pub tiers: ScriptTiers,
    /// More instances than this are looked at now and then, and those that can never receive again are let
    /// go of; see [`DEFAULT_RECLAIM_ABOVE`]. With 0 this, and cuts of a minimal record, take place whenever they
    /// can: for tests.
    pub reclaim_above: u64,
    /// Which values are kept with the event records that a sink is given.
    pub capture: Capture,
    /// Lets a debugger stop, query and continue the run, where the recording has control (all but
    /// [`Recording::None`] and [`Recording::Perf`]). Such a run, when it is over, stays open to questions, and the call
    /// that carries it out does not return, until [`Control::release`].
    pub control: Option<Control>,
    /// Takes checkpoints of the run, which is recorded in full, and neither controlled nor decided by a chooser.
    pub checkpoints: Option<Checkpoints>,
    /// Writes the record ahead of what the run does outside: a line is printed when the sink has [synced](EventSink::sync) the
    /// event that printed it, and a body reaches out when all events that have ended are synced. For runs that are recorded in
    /// full, without control and chooser. Each body that reaches out waits for the disk.
    pub writes_ahead: bool,
    /// Takes all free choices of the run, which then has one worker, executes one event at a time, and draws random numbers
    /// from seed 0 where none is set. A replay has no free choices: it asks nobody.
    pub chooser: Option<Chooser>,
    /// Advances the clock of the run to the next delayed value as soon as all workers are idle; else time passes by itself.
    /// Replays and runs with a chooser do not wait for delayed values.
    pub virtual_time: bool,
}

/// So many instances are kept without a look. They fit into the cache of a core: what looks at them, and what is created in
/// their place, is fast then.
pub const DEFAULT_RECLAIM_ABOVE: u64 = 2_048;

/// Takes in what is recorded, on a thread of its own. A slow sink holds the workers back: nothing
/// is dropped.
pub trait EventSink: Send {
    /// Takes in a batch.
    ///
    /// # Errors
    /// What keeps the sink from taking it; the run then ends with that error.
    fn take_batch(&mut self, batch: &EventBatch) -> io::Result<()>;

    /// Number of the segment that it writes, where the record is in segments: what an event names is announced again in each of
    /// them. A worker looks at it when it begins a batch.
    fn segment(&self) -> Option<Arc<AtomicU32>> {
        None
    }

    /// Whether events that are alike may come [folded](EventBatch::unfold).
    fn takes_folded(&self) -> bool {
        false
    }

    /// Sees to it that what it has taken in survives the end of the process, and of the machine.
    ///
    /// # Errors
    /// What keeps it from that.
    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Called once, after the last batch of a run that ended by itself, with its report and what was
    /// created and never executed.
    ///
    /// # Errors
    /// What keeps the sink from taking it.
    fn finish(&mut self, report: &RunReport, idle: &Idle) -> io::Result<()>;
}

/// What is noted of a run.
pub enum Recording<'s> {
    /// Debugging off: no instrumentation in the hot path.
    None,
    /// Recording off: nothing is recorded. With a [`Control`] the run can be stopped and queried; without, this is
    /// the same as [`None`](Self::None).
    Off,
    /// Every event with its predecessors.
    Full(Box<dyn EventSink + 's>),
    /// Events of selected actions, with the selected events before them.
    Restricted(Box<dyn EventSink + 's>, ResolvedOptions),
    /// Only the choices that were free, and what comes from outside: enough for a replay, which makes all other
    /// records again.
    Minimal(Box<dyn EventSink + 's>),
    /// Every event with its predecessors, and which of its choices were free.
    Choices(Box<dyn EventSink + 's>),
    /// Every event with its predecessors, worker and times. Batches come as they are full, as those of a full record; a
    /// sink that is slow holds the workers back only when it is some 500,000 events behind.
    Perf(Box<dyn EventSink + 's>),
}

/// Why a run could not be carried out, as opposed to a run whose program failed.
#[derive(Debug, thiserror::Error)]
pub enum RuntimeError {
    /// A parameter that the program does not have.
    #[error("the program has no parameter `{name}`")]
    UnknownParam {
        /// The name given.
        name: String,
    },
    /// A parameter without value and default.
    #[error("parameter `{name}` of type {ty} has no default and was given no value")]
    MissingParam {
        /// Its name.
        name: String,
        /// Its type.
        ty: String,
    },
    /// A value that does not fit its parameter.
    #[error("parameter `{name}` is of type {ty}, which {value} does not fit")]
    ParamType {
        /// Its name.
        name: String,
        /// Its type.
        ty: String,
        /// The value given.
        value: String,
    },
    /// A default or initial value could not be computed.
    #[error("{what} could not be computed: {message}")]
    Initial {
        /// Whose initial value.
        what: String,
        /// What the interpreter says.
        message: String,
    },
    /// A bound, a number of retries or a time that does not fit the creation parameters.
    #[error("R0005: {what} (line {line}) {message}: give the creation parameters other values")]
    Misfit {
        /// Key or port.
        what: String,
        /// Line of the declaration.
        line: u32,
        /// The reason, as a predicate of `what`.
        message: String,
    },
    /// A native body that the plan names and that is not registered, or declares something else than
    /// it did when the plan was compiled.
    #[error("node `{node}` has the native body `{name}`, which {problem}")]
    NativeBody {
        /// The node.
        node: String,
        /// The name of the body.
        name: String,
        /// What is wrong.
        problem: &'static str,
    },
    /// The record could not be written.
    #[error("the record could not be written")]
    Sink(#[source] io::Error),
    /// The record to be replayed contradicts itself.
    #[error("the record cannot be replayed: {message}")]
    Record {
        /// What is wrong with it.
        message: String,
    },
    /// A cut at which the state of a run cannot be taken.
    #[error("the state of the run cannot be taken: {message}")]
    Cut {
        /// Description of the fault.
        message: String,
    },
    /// A snapshot that does not fit the program or the recording.
    #[error("the run cannot go on from the snapshot: {message}")]
    Snapshot {
        /// Description of the fault.
        message: String,
    },
    /// Decisions from outside are for one worker.
    #[error("a run whose choices are decided from outside has one worker, not {n_workers}")]
    ChooserWorkers {
        /// Number of workers asked for.
        n_workers: usize,
    },
    /// A chooser serves one run at a time.
    #[error("the chooser takes the decisions of another run, which is not over")]
    ChooserInUse,
    /// A decision that is not possible at its point. The record holds what was executed before.
    #[error("{0}")]
    Decision(Box<ImpossibleDecision>),
    /// A worker thread could not be started.
    #[error("a worker thread could not be started")]
    Spawn(#[source] io::Error),
}

/// What a replay has to follow: the causally complete events of a record, in any order.
#[derive(Clone, Debug, Default)]
pub struct ReplayRecord {
    /// Batches as they were recorded; events that are not causally complete left out.
    pub batches: Vec<EventBatch>,
    /// Labels of the nodes by the [`TemplateId`](hasse_model::id::TemplateId) of the record.
    pub templates: Vec<String>,
    /// Labels of the shared objects by the [`SharedId`](hasse_model::id::SharedId) of the record.
    pub shared: Vec<String>,
    /// Labels of the call nodes by the [`CallId`](hasse_model::id::CallId) of the record.
    pub calls: Vec<String>,
    /// Of a minimal record, what it tells beside events; `None` for a full one.
    pub minimal: Option<MinimalRecord>,
    /// The state that a replay begins with; `None` for the beginning of the run. Of the events before it only names are used.
    pub base: Option<Arc<Snapshot>>,
}

/// What a minimal record tells beside the choices.
#[derive(Clone, Debug, Default)]
pub struct MinimalRecord {
    /// Actions that could have gone on when the record ended, with their last executions.
    pub cut: Vec<EventId>,
    /// Number of events of the run; `None` where the record ends before the run did.
    pub n_executed: Option<u64>,
    /// The digest of all events of the run; `None` where the record does not tell it.
    pub digest: Option<HistoryDigest>,
    /// The record ends before anything of it is good.
    pub is_empty: bool,
}
