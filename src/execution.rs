//! Options of commands that run programs: on how many threads, and how Rhai is executed.

use std::num::NonZero;
use std::thread;

use hasse_runtime::run::ScriptTiers;

/// On how many threads to run.
#[derive(Default, clap::Args)]
pub(crate) struct Threads {
    /// Number of worker threads [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    workers: Option<u32>,
}

impl Threads {
    /// The number asked for, or another one.
    pub(crate) fn n_workers_or(&self, default: u32) -> u32 {
        self.workers.unwrap_or(default)
    }

    /// The number asked for, or that of the cores.
    pub(crate) fn n_workers(&self) -> u32 {
        self.workers.unwrap_or_else(|| u32::try_from(n_cores()).unwrap_or(1))
    }
}

/// How Rhai is executed.
#[derive(clap::Args)]
pub(crate) struct Scripts {
    /// How to execute bodies and expressions in Rhai, of those that can be compiled
    #[arg(long = "scripts", value_enum, value_name = "HOW", default_value = "auto")]
    how: How,
}

/// A way to execute Rhai.
#[derive(Clone, Copy, clap::ValueEnum)]
pub(super) enum How {
    /// Compiled, and into machine code as soon as that is worth it
    Auto,
    /// By the interpreter
    Interpreted,
    /// Compiled, without machine code
    Evaluated,
    /// Into machine code before the run begins
    Native,
}

impl Scripts {
    /// The same for the runtime.
    pub(crate) fn tiers(&self) -> ScriptTiers {
        match self.how {
            How::Auto => ScriptTiers::Auto,
            How::Interpreted => ScriptTiers::Interpreted,
            How::Evaluated => ScriptTiers::Evaluated,
            How::Native => ScriptTiers::Native,
        }
    }
}

/// Number of workers where nobody says it.
pub(crate) fn n_cores() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}
