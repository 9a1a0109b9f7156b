//! The subject on which a session is opened.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use hasse_model::plan::Plan;
use hasse_model::trace::TraceHeader;
use hasse_runtime::capture::Capture;
use hasse_runtime::control::Control;
use hasse_runtime::natives::Natives;
use hasse_runtime::run::{DEFAULT_RECLAIM_ABOVE, RunOptions, StopSignal};
use hasse_runtime::sandbox::Sandbox;

use super::subject::Subject;
use crate::fault::Fault;
use crate::params::{self, Setting};
use crate::program::Program;

/// What a session is opened on, from the command line or from a saved session.
pub(super) struct Opening {
    pub(super) path: PathBuf,
    /// The program, if it is not read from a file or a trace.
    pub(super) program: Option<Program>,
    pub(super) given: Vec<Setting>,
    pub(super) seed: Option<u64>,
    pub(super) n_workers: usize,
}

impl Opening {
    /// Subject of the session, where it is a program that has been compiled, or a trace with this header. Code in Rust
    /// is loaded by the first execution where `natives` is `None`.
    pub(super) fn on(
        self,
        program: Program,
        (plan, natives): (Plan, Option<Natives>),
        trace: Option<&TraceHeader>,
        sandbox: Sandbox,
    ) -> Result<Subject, Fault> {
        let mut options = RunOptions {
            n_workers: self.n_workers,
            seed: self.seed,
            params: params::param_values(&plan, &self.given)?,
            program_folder: program.folder(),
            sandbox,
            natives: natives.clone().unwrap_or_default(),
            stop: StopSignal::default(),
            reclaim_above: DEFAULT_RECLAIM_ABOVE,
            tiers: Default::default(),
            capture: Capture::none(),
            control: None,
            chooser: None,
            virtual_time: false,
            checkpoints: None,
            writes_ahead: false,
        };
        // To compute them takes all code of the program, and a header has them all.
        let params = match trace {
            Some(header) => {
                options.params.clone_from(&header.params);
                header.params.clone()
            }
            None => hasse_runtime::run::param_values(&plan, &options).map_err(Fault::Runtime)?,
        };
        let is_on_disk = trace.is_none() && self.program.is_none();
        Ok(Subject {
            program,
            plan,
            given: self.given,
            params,
            trace: trace.is_some().then_some(self.path),
            is_on_disk,
            natives: natives.map_or_else(OnceLock::new, OnceLock::from),
            options,
            current: Arc::default(),
            control: Control::new(),
            taps: None,
            console: None,
        })
    }
}
