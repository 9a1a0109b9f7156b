//! Reading and compiling a program file.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hasse_compiler::Compiled;
use hasse_model::diagnostic::Severity;
use hasse_model::plan::Plan;
use hasse_model::trace::TraceHeader;

use crate::fault::Fault;

/// Longest program text that is read: locations are 32-bit, and nobody writes this much by hand.
const MOST_BYTES: u64 = 64 << 20;

/// The text of a program and where it came from.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// Path as given by the user, or as recorded in a trace.
    pub(crate) path: PathBuf,
    /// The text.
    pub(crate) text: Arc<String>,
}

impl Program {
    /// Reads a program file.
    pub(crate) fn read(path: &Path) -> Result<Self, Fault> {
        let cannot_read = |source| Fault::Read { path: path.to_owned(), source };
        let file = File::open(path).map_err(cannot_read)?;
        let mut bytes = Vec::new();
        file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(cannot_read)?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(Fault::ProgramTooLong { path: path.to_owned() });
        }
        let text = String::from_utf8(bytes).map_err(|error| Fault::NotUtf8 {
            path: path.to_owned(),
            offset: error.utf8_error().valid_up_to(),
        })?;
        Ok(Self { path: path.to_owned(), text: Arc::new(text) })
    }

    /// The program as a trace carries it.
    pub(crate) fn recorded(header: &TraceHeader) -> Self {
        Self { path: PathBuf::from(&header.program_path), text: Arc::new(header.program_text.clone()) }
    }

    /// The path as messages show it.
    pub(crate) fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// The folder in which bodies look up files.
    pub(crate) fn folder(&self) -> PathBuf {
        match self.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            _ => PathBuf::from("."),
        }
    }

    /// Compiles the text.
    pub(crate) fn compile(&self) -> Compiled {
        hasse_compiler::compile(&self.text, &hasse_runtime::body::functions())
    }
}

/// The plan of a program without errors.
pub(crate) fn sound_plan(compiled: &Compiled) -> Option<&Plan> {
    let has_error = compiled.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    if has_error { None } else { compiled.plan.as_ref() }
}
