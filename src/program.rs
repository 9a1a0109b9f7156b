//! Reading and compiling a program file.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hasse::holes::without_holes;
use hasse_compiler::Compiled;
use hasse_model::diagnostic::Severity;
use hasse_model::plan::Plan;
use hasse_model::trace::{Kept, TraceHeader, is_trace};
use hasse_runtime::natives::Natives;

use crate::fault::Fault;
use crate::linked::Linked;
use crate::rust_library;

/// Longest program text that is read: locations are 32-bit, and nobody writes this much by hand.
const MOST_BYTES: u64 = 64 << 20;

/// The text of a program and where it came from.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// Path as given by the user, or as recorded in a trace.
    pub(crate) path: PathBuf,
    /// The text.
    pub(crate) text: Arc<String>,
    /// What its bodies in Rust come from.
    linked: Linked,
    /// The part that a record with holes keeps: of the other nodes no code is needed.
    kept: Option<Arc<Kept>>,
}

impl Program {
    /// A text, and where it came from.
    pub(crate) fn new(path: PathBuf, text: Arc<String>, linked: &Linked) -> Self {
        Self { path, text, linked: linked.clone(), kept: None }
    }

    /// Reads a program file.
    pub(crate) fn read(path: &Path, linked: &Linked) -> Result<Self, Fault> {
        let cannot_read = |source| Fault::Read { path: path.to_owned(), source };
        let file = File::open(path).map_err(cannot_read)?;
        let mut bytes = Vec::new();
        file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(cannot_read)?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(Fault::ProgramTooLong { path: path.to_owned() });
        }
        if is_trace(&bytes) {
            return Err(Fault::NotAProgram { path: path.to_owned() });
        }
        let text = String::from_utf8(bytes).map_err(|error| Fault::NotUtf8 {
            path: path.to_owned(),
            offset: error.utf8_error().valid_up_to(),
        })?;
        Ok(Self::new(path.to_owned(), Arc::new(text), linked))
    }

    /// The program as a trace carries it.
    pub(crate) fn recorded(header: &TraceHeader, linked: &Linked) -> Self {
        let (path, text) = (PathBuf::from(&header.program_path), Arc::new(header.program_text.clone()));
        Self { kept: header.kept.clone(), ..Self::new(path, text, linked) }
    }

    /// What this executable was built with.
    pub(crate) fn linked(&self) -> &Linked {
        &self.linked
    }

    /// The path as messages show it.
    pub(crate) fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// The folder in which bodies look up files.
    pub(crate) fn folder(&self) -> PathBuf {
        if let Some(folder) = self.linked.folder_of(&self.text) {
            return folder.to_owned();
        }
        match self.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            _ => PathBuf::from("."),
        }
    }

    /// Compiles the text.
    pub(crate) fn compile(&self) -> Compiled {
        let compiled = hasse_compiler::compile(&self.text, self.linked.functions());
        let Some(kept) = &self.kept else { return compiled };
        // Code of nodes outside need not be registered.
        let mut compiled = if sound_plan(&compiled).is_some() { compiled } else { self.compile_recorded() };
        compiled.plan.iter_mut().for_each(|plan| without_holes(plan, kept));
        compiled
    }

    /// Compiles the text of a record for those who read the record and execute nothing: native bodies and functions that
    /// this executable does not have are accepted.
    pub(crate) fn compile_recorded(&self) -> Compiled {
        hasse_compiler::compile_recorded(&self.text, self.linked.functions())
    }

    /// Compiles the text, and has `rustc` look at its bodies in Rust. Nothing of the program is executed.
    pub(crate) fn check(&self) -> Result<Compiled, Fault> {
        let mut compiled = self.compile();
        if let Some(plan) = sound_plan(&compiled) {
            let found = rust_library::check_bodies(plan, &self.path, &self.text, self.linked.natives())?;
            compiled.diagnostics.extend(found);
        }
        Ok(compiled)
    }

    /// Compiles the text for a run, its bodies in Rust, too: these by `rustc`, where this executable was not built with them
    /// and this user allows it.
    pub(crate) fn load(&self) -> Result<Loaded, Fault> {
        let mut compiled = self.compile();
        let mut natives = self.linked.natives().clone();
        if let Some(plan) = sound_plan(&compiled) {
            let found =
                rust_library::add_bodies(plan, &self.path, &self.text, &mut natives, self.linked.trusts())?;
            compiled.diagnostics.extend(found);
        }
        Ok(Loaded { compiled, natives })
    }

    /// Compiles the text of the record at `trace` for a command that executes it again.
    pub(crate) fn load_recorded(&self, trace: &Path) -> Result<Loaded, Fault> {
        let loaded = self.load()?;
        match sound_plan(&loaded.compiled) {
            Some(_) => Ok(loaded),
            None => Err(self.not_executable(trace, &loaded.compiled)),
        }
    }

    /// Compiles the text of a record to look at it: its bodies in Rust are neither compiled nor loaded, and code in Rust that
    /// this executable lacks is accepted.
    pub(crate) fn compile_to_look(&self) -> Compiled {
        let compiled = self.compile();
        if sound_plan(&compiled).is_some() { compiled } else { self.compile_recorded() }
    }

    /// Why the program of the record at `trace` cannot be executed here.
    pub(crate) fn not_executable(&self, trace: &Path, compiled: &Compiled) -> Fault {
        let path = trace.to_owned();
        if sound_plan(&self.compile_recorded()).is_none() {
            return Fault::RecordedProgram { path };
        }
        let errors = compiled.diagnostics.iter().filter(|found| found.severity == Severity::Error);
        let mut missing: Vec<String> = errors.map(|found| found.message.clone()).collect();
        missing.dedup();
        Fault::NativesOfRecord { path, missing }
    }
}

/// A program and what its runs call.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// The program.
    pub(crate) compiled: Compiled,
    /// Code in Rust.
    pub(crate) natives: Natives,
}

/// The plan of a program without errors.
pub(crate) fn sound_plan(compiled: &Compiled) -> Option<&Plan> {
    let has_error = compiled.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    if has_error { None } else { compiled.plan.as_ref() }
}
