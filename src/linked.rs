//! What this executable was built with: code in Rust, and a program where it is that of one program.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use hasse_model::function::FunctionTable;
use hasse_runtime::natives::{Natives, NativesError};

use crate::program::Program;

/// What this executable was built with; the command `hasse` with nothing. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Linked {
    code: Arc<Code>,
    text: Option<Arc<LinkedText>>,
    /// Whether bodies in Rust of program files may run though this user has not run them before.
    trusts: bool,
}

#[derive(Debug)]
struct Code {
    natives: Natives,
    /// What the compiler is told. It takes an interpreter to find out what there is in the library, which
    /// commands that compile nothing do without.
    functions: OnceLock<FunctionTable>,
}

/// The program that is linked in.
#[derive(Debug)]
struct LinkedText {
    path: PathBuf,
    text: Arc<String>,
    folder: PathBuf,
}

impl Linked {
    /// No code in Rust, and no program.
    pub(crate) fn nothing() -> Self {
        let code = Code { natives: Natives::new(), functions: OnceLock::new() };
        Self { code: Arc::new(code), text: None, trusts: false }
    }

    /// The same for programs whose bodies in Rust may run though this user has not run them before, or not.
    #[must_use]
    pub(crate) fn trusting(&self, trusts: bool) -> Self {
        Self { trusts, ..self.clone() }
    }

    /// Whether bodies in Rust may run though this user has not run them before.
    pub(crate) fn trusts(&self) -> bool {
        self.trusts
    }

    /// A program with its code. In `folder` its bodies look up files.
    ///
    /// # Errors
    /// A name of the code that cannot be used or is used twice.
    pub(crate) fn new(
        natives: Natives,
        path: PathBuf,
        text: String,
        folder: PathBuf,
    ) -> Result<Self, NativesError> {
        let functions = OnceLock::from(natives.functions()?);
        let text = LinkedText { path, text: Arc::new(text), folder };
        Ok(Self { code: Arc::new(Code { natives, functions }), text: Some(Arc::new(text)), trusts: false })
    }

    /// The code in Rust.
    pub(crate) fn natives(&self) -> &Natives {
        &self.code.natives
    }

    /// What programs may call, the library included.
    pub(crate) fn functions(&self) -> &FunctionTable {
        self.code.functions.get_or_init(hasse_body::functions)
    }

    /// The program that is linked in.
    pub(crate) fn program(&self) -> Option<Program> {
        let LinkedText { path, text, .. } = &**self.text.as_ref()?;
        Some(Program::new(path.clone(), Arc::clone(text), self))
    }

    /// The folder in which the bodies of a program look up files, where it is not that of the program file.
    pub(crate) fn folder_of(&self, text: &str) -> Option<&Path> {
        self.text.as_ref().filter(|linked| *linked.text == text).map(|linked| &*linked.folder)
    }
}
