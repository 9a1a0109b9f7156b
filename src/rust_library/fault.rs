//! Faults of bodies in Rust: the compiler, the cache, trust, loading.

use std::io;
use std::path::PathBuf;

use hasse_guest::OpenError;

/// The code of what the compiler says of bodies.
pub(crate) const CODE: &str = "E0512";

/// Why bodies in Rust cannot be had.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RustFault {
    /// There is no compiler.
    #[error("bodies in Rust need the Rust compiler, and `{}` cannot be started", compiler.display())]
    NoCompiler {
        /// What was to be started.
        compiler: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The compiler failed for a reason that is not in the bodies.
    #[error("the Rust compiler failed: {message}")]
    Compiler {
        /// What it said.
        message: String,
    },
    /// Libraries cannot be kept.
    #[error("cannot write {}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Nobody has allowed the bodies to run.
    #[error("{} has bodies in Rust that you have not run before: {bodies}", program.display())]
    Untrusted {
        /// The program file.
        program: PathBuf,
        /// Their nodes.
        bodies: String,
    },
    /// What was compiled cannot be loaded.
    #[error("the library of the bodies in Rust cannot be used")]
    Open(#[from] OpenError),
}

impl RustFault {
    /// What to do about it.
    pub(crate) fn help(&self) -> Option<String> {
        match self {
            RustFault::NoCompiler { .. } => Some(
                "install Rust from https://rustup.rs, or name the compiler by the environment variable RUSTC"
                    .to_owned(),
            ),
            RustFault::Write { .. } => {
                Some("name another folder by the environment variable HASSE_CACHE".to_owned())
            }
            RustFault::Untrusted { .. } => Some(
                "bodies in Rust can do whatever you can do: read them, then run the program once with `--trust`"
                    .to_owned(),
            ),
            RustFault::Compiler { .. } | RustFault::Open(_) => None,
        }
    }
}
