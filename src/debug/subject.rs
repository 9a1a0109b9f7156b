//! What a session is about: a program that is ready to run, and its versions after edits.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use hasse_model::plan::Plan;
use hasse_model::value::Value;
use hasse_runtime::control::Control;
use hasse_runtime::natives::Natives;
use hasse_runtime::run::RunOptions;
use parking_lot::Mutex;

use super::console::Console;
use super::taps::Taps;
use super::underway::Underway;
use crate::fault::Fault;
use crate::params::Setting;
use crate::program::Program;

/// A program that is ready to run; outlives the session's threads.
pub(super) struct Subject {
    pub(super) program: Program,
    pub(super) plan: Plan,
    /// Parameters as they were given on the command line.
    pub(super) given: Vec<Setting>,
    /// The parameters that runs are given.
    pub(super) params: Vec<(String, Value)>,
    /// The trace that the session was opened with, if it was one.
    pub(super) trace: Option<PathBuf>,
    /// Whether `run` reads the program again from its file.
    pub(super) is_on_disk: bool,
    /// Options of its runs, whose code in Rust is that of [`natives`](Self::natives).
    pub(super) options: RunOptions,
    /// Code in Rust, once something executes.
    pub(super) natives: OnceLock<Natives>,
    /// The run that Ctrl-C stops; `None` where nothing is under way.
    pub(super) current: Arc<Mutex<Option<Underway>>>,
    /// Stops, continues and asks runs.
    pub(super) control: Control,
    /// Receivers of output from other threads, where that does not go to standard output.
    pub(super) taps: Option<Taps>,
    /// The terminal, where a person edits lines.
    pub(super) console: Option<Console>,
}

impl Subject {
    /// Returns the program's code in Rust. The first call loads it, and asks whether this user trusts it: looking at a record
    /// executes nothing.
    pub(super) fn natives(&self) -> Result<Natives, Fault> {
        if let Some(natives) = self.natives.get() {
            return Ok(natives.clone());
        }
        let trace = self.trace.as_deref().unwrap_or(&self.program.path);
        let natives = self.program.load_recorded(trace)?.natives;
        Ok(self.natives.get_or_init(|| natives).clone())
    }
}

/// The versions of a session's program, each after the one that it took the place of.
///
/// None is freed before the session ends: threads of earlier runs and records refer to them.
pub(super) struct Subjects {
    subject: Subject,
    next: OnceLock<Box<Subjects>>,
}

impl Subjects {
    /// The first version.
    pub(super) fn new(subject: Subject) -> Self {
        Self { subject, next: OnceLock::new() }
    }

    /// The version that the session was opened on.
    pub(super) fn first(&self) -> &Subject {
        &self.subject
    }

    /// Adds a version, which shares control and Ctrl-C with the others.
    pub(super) fn add(&self, subject: Subject) -> &Subject {
        let mut last = self;
        while let Some(next) = last.next.get() {
            last = next;
        }
        let subject = Subject {
            control: self.subject.control.clone(),
            current: Arc::clone(&self.subject.current),
            taps: self.subject.taps.clone(),
            console: self.subject.console.clone(),
            ..subject
        };
        &last.next.get_or_init(|| Box::new(Self::new(subject))).subject
    }
}
