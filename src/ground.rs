//! What the commands about one event have in common: the trace in memory, its program, and how it is replayed.

use std::io::Write;
use std::path::{Path, PathBuf};

use hasse::Recorded;
use hasse::event::Ground;
use hasse_model::plan::Plan;
use hasse_model::trace::RecordingMode;
use hasse_runtime::capture::Capture;
use hasse_runtime::natives::Natives;
use hasse_runtime::run::{DEFAULT_RECLAIM_ABOVE, RunOptions, StopSignal};
use hasse_runtime::sandbox::Sandbox;

use crate::execution::Threads;
use crate::fault::Fault;
use crate::grants::Grants;
use crate::linked::Linked;
use crate::out::Out;
use crate::program::{self, Program};
#[cfg(feature = "editor")]
use crate::progress::Progress;
use crate::{interrupt, message, recording, report};

/// The events of a trace, and the program that was recorded.
pub(crate) struct Subject {
    path: PathBuf,
    recorded: Recorded,
    program: Program,
}

impl Subject {
    /// Reads a trace of any mode.
    pub(crate) fn read(path: &Path, linked: &Linked) -> Result<Self, Fault> {
        let reader = recording::open(path)?;
        let recorded = Recorded::read_events(reader).map_err(|error| Fault::of_trace(path, error))?;
        if let Some(note) = recorded.note() {
            message::print(&format!("note: {}: {note}\n", path.display()));
        }
        let program = Program::recorded(&recorded.header, linked);
        Ok(Self { path: path.to_owned(), recorded, program })
    }

    /// Reads a trace of any mode without a word on standard error: for a window.
    #[cfg(feature = "editor")]
    pub(crate) fn read_silently(path: &Path, linked: &Linked) -> Result<Self, Fault> {
        let of_trace = |error| Fault::of_trace(path, error);
        let reader =
            recording::try_open(path, |_| Progress::silent()).map_err(|error| of_trace(error.into()))?;
        let recorded = Recorded::read_events(reader).map_err(of_trace)?;
        let program = Program::recorded(&recorded.header, linked);
        Ok(Self { path: path.to_owned(), recorded, program })
    }

    /// Takes events in memory; `path` names them in messages.
    #[cfg(feature = "editor")]
    pub(crate) fn of(path: &Path, recorded: Recorded, linked: &Linked) -> Self {
        let program = Program::recorded(&recorded.header, linked);
        Self { path: path.to_owned(), recorded, program }
    }

    /// The path of the program, for messages.
    pub(crate) fn program_name(&self) -> String {
        self.program.name()
    }

    /// The program that was recorded.
    pub(crate) fn program(&self) -> &Program {
        &self.program
    }

    /// Calls `ask` with the program, lowered, and the record. The signal ends the replay.
    pub(crate) fn ask<T>(
        &self,
        threads: &Threads,
        stop: &StopSignal,
        ask: impl FnOnce(Ground<'_>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        self.ask_of(self.program.load_recorded(&self.path)?, threads, stop, ask)
    }

    /// Like [`ask`](Self::ask), where nothing is executed: it does without code in Rust.
    pub(crate) fn ask_record<T>(
        &self,
        threads: &Threads,
        ask: impl FnOnce(Ground<'_>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let compiled = self.program.compile_recorded();
        let natives = self.program.linked().natives().clone();
        self.ask_of(program::Loaded { compiled, natives }, threads, &StopSignal::default(), ask)
    }

    /// Whether the record holds choices, not events, so that each question takes a replay.
    pub(crate) fn is_minimal(&self) -> bool {
        self.recorded.header.mode == RecordingMode::Minimal
    }

    fn ask_of<T>(
        &self,
        loaded: program::Loaded,
        threads: &Threads,
        stop: &StopSignal,
        ask: impl FnOnce(Ground<'_>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let program::Loaded { compiled, natives } = loaded;
        let Some(plan) = program::sound_plan(&compiled) else {
            return Err(Fault::RecordedProgram { path: self.path.clone() });
        };
        let sandbox = Grants::default().sandbox_of_replay(false)?;
        let options = options(&self.program, natives, threads.n_workers() as usize, sandbox, stop);
        ask(Ground { plan, recorded: &self.recorded, options: &options })
    }
}

/// A signal that Ctrl-C gives.
pub(crate) fn interruptible() -> StopSignal {
    let stop = StopSignal::default();
    interrupt::stop_on_interrupt(&stop);
    stop
}

/// Options of a replay or of an event alone.
pub(crate) fn options(
    program: &Program,
    natives: Natives,
    n_workers: usize,
    sandbox: Sandbox,
    stop: &StopSignal,
) -> RunOptions {
    RunOptions {
        n_workers,
        seed: None,
        params: Vec::new(),
        program_folder: program.folder(),
        sandbox,
        natives,
        stop: stop.clone(),
        reclaim_above: DEFAULT_RECLAIM_ABOVE,
        tiers: Default::default(),
        capture: Capture::none(),
        control: None,
        chooser: None,
        virtual_time: false,
        checkpoints: None,
        writes_ahead: false,
    }
}

/// Compiles a program, and tells what is wrong with it. `None` where it has errors.
pub(crate) fn with_plan<T>(
    program: &Program,
    work: impl FnOnce(&Plan, Natives) -> Result<T, Fault>,
) -> Result<Option<T>, Fault> {
    let program::Loaded { compiled, natives } = program.load()?;
    let Some(plan) = program::sound_plan(&compiled) else {
        report::print_diagnostics(program, &compiled.diagnostics);
        return Ok(None);
    };
    work(plan, natives).map(Some)
}

/// Writes to standard output.
pub(crate) fn print(write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<(), Fault> {
    let mut out = Out::new();
    write(&mut out).and_then(|()| out.close()).map_err(Fault::Stdout)
}
