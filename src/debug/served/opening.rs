//! What a session is opened on: the text of a window, or a trace.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use hasse_editor::run::{Facts, Options, Subject as Asked};
use hasse_model::diagnostic::Diagnostic;
use hasse_model::plan::Plan;
use hasse_model::trace::TraceHeader;
use hasse_runtime::natives::Natives;
use hasse_runtime::sandbox::Sandbox;

use super::super::subject::Subject;
use crate::debug::opening::Opening;
use crate::fault::Fault;
use crate::linked::Linked;
use crate::params::Setting;
use crate::program::{self, Program};
use crate::progress::Progress;
use crate::rust_library::CODE as BODY_CODE;
use crate::{execution, message, recording, report};

/// What a program without a place is called.
const UNNAMED: &str = "unnamed.hasse";

/// A program that has been compiled.
pub(super) struct Compiled {
    path: PathBuf,
    program: Program,
    plan: Plan,
    /// `None` where the first execution loads it.
    natives: Option<Natives>,
    header: Option<TraceHeader>,
}

/// Why a program is not ready to run.
pub(super) struct NotCompiled {
    /// What a person reads.
    pub(super) said: String,
    /// What is wrong with the text, where that is known.
    pub(super) found: Vec<Diagnostic>,
}

impl From<String> for NotCompiled {
    fn from(said: String) -> Self {
        Self { said, found: Vec::new() }
    }
}

/// A program, and the header of the trace that holds it.
fn program_of(asked: &Asked, linked: &Linked) -> Result<(PathBuf, Program, Option<TraceHeader>), String> {
    match asked {
        Asked::Program { path, text } => {
            let path = path.clone().unwrap_or_else(|| PathBuf::from(UNNAMED));
            let program = Program::new(path.clone(), Arc::new(text.to_string()), linked);
            Ok((path, program, None))
        }
        Asked::Trace(path) => {
            let header = header(path).map_err(|fault| report::fault_text(&fault))?;
            Ok((path.clone(), Program::recorded(&header, linked), Some(header)))
        }
    }
}

/// What the window knows of a program that nobody runs, so that its bodies in Rust are not compiled; `None` where it
/// has errors or cannot be read.
pub(super) fn described(asked: &Asked, linked: &Linked) -> Option<Arc<Facts>> {
    let (_, program, header) = program_of(asked, linked).ok()?;
    let compiled = if header.is_some() { program.compile_recorded() } else { program.compile() };
    let plan = program::sound_plan(&compiled)?;
    Some(Arc::new(Facts::of(plan, &program.text, header.is_some())))
}

impl Compiled {
    /// Makes a text, or the program of a trace, ready to run.
    pub(super) fn of(asked: &Asked, linked: &Linked) -> Result<Self, NotCompiled> {
        let (path, program, header) = program_of(asked, linked)?;
        let (compiled, natives) = match header {
            Some(_) => (program.compile_to_look(), None),
            None => {
                let loaded = program.load().map_err(|fault| report::fault_text(&fault))?;
                (loaded.compiled, Some(loaded.natives))
            }
        };
        match program::sound_plan(&compiled).cloned() {
            Some(plan) => Ok(Self { path, program, plan, natives, header }),
            None => {
                let said = printed(|| report::print_diagnostics(&program, &compiled.diagnostics));
                let of_bodies = compiled.diagnostics.into_iter().filter(|found| found.code == BODY_CODE);
                Err(NotCompiled { said, found: of_bodies.collect() })
            }
        }
    }

    /// What the window knows of it.
    pub(super) fn facts(&self) -> Arc<Facts> {
        Arc::new(Facts::of(&self.plan, &self.program.text, self.header.is_some()))
    }

    /// What a session is about.
    ///
    /// # Errors
    /// What a person reads: a parameter has no such value.
    pub(super) fn subject(self, options: &Options, sandbox: Sandbox) -> Result<Subject, String> {
        let given = options.params.iter().map(|(name, text)| format!("{name}={text}").parse::<Setting>());
        let opening = Opening {
            path: self.path,
            program: None,
            given: if self.header.is_some() { Vec::new() } else { given.collect::<Result<_, _>>()? },
            seed: options.seed,
            n_workers: options
                .n_workers
                .map_or_else(execution::n_cores, |n_workers| n_workers.max(1) as usize),
        };
        let subject = opening.on(self.program, (self.plan, self.natives), self.header.as_ref(), sandbox);
        subject.map_err(|fault| report::fault_text(&fault))
    }
}

fn header(path: &Path) -> Result<TraceHeader, Fault> {
    let opened = recording::try_open(path, |_| Progress::silent());
    opened.map(|reader| reader.header().clone()).map_err(|error| Fault::of_trace(path, error.into()))
}

/// What would go to standard error.
fn printed(print: impl FnOnce()) -> String {
    let text = Rc::new(RefCell::new(String::new()));
    let taken = Rc::clone(&text);
    let before = message::divert(Some(Rc::new(move |more| taken.borrow_mut().push_str(more))));
    print();
    message::divert(before);
    text.take()
}
