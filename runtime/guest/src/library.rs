//! Libraries of bodies.

use std::mem;
use std::path::{Path, PathBuf};

use hasse_runtime::natives::BodyContext;
use libloading::Symbol;

use crate::hasse::ABI_VERSION;
use crate::host::{CallError, Entry, call};

/// Why a library cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// It cannot be loaded.
    #[error("the library `{}` cannot be loaded", path.display())]
    Load {
        /// Its file.
        path: PathBuf,
        /// Why not.
        source: libloading::Error,
    },
    /// It does not define what a library of bodies defines.
    #[error("the library `{}` has no `{name}`", path.display())]
    NoEntry {
        /// Its file.
        path: PathBuf,
        /// What is missing.
        name: &'static str,
        /// What was said.
        source: libloading::Error,
    },
    /// It is made of the text of another version of this package.
    #[error("the library `{}` has version {found} of the boundary, and here it is {ABI_VERSION}", path.display())]
    Version {
        /// Its file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
}

/// A library of bodies, loaded.
///
/// It stays loaded until the process ends, also when this is dropped: threads that bodies have started, and what the
/// library's `std` keeps for threads of the host, may need it.
#[derive(Clone, Copy, Debug)]
pub struct Library {
    /// Invariant: the entry of a library of this version that stays loaded.
    entry: Entry,
}

impl Library {
    /// Loads the library in a file that was compiled from the text of [`guest_source`](crate::guest_source) and bodies. The
    /// file is trusted as the program is: it runs with all that the process may do.
    ///
    /// The file must not be written again while the process runs; another library needs another file.
    ///
    /// # Errors
    /// It cannot be loaded, or is no library of this version.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        // SAFETY: a library made of bodies and `std` has no initializers but those of `std`.
        let library = unsafe { libloading::Library::new(path) }
            .map_err(|source| OpenError::Load { path: path.to_owned(), source })?;
        let missing = |name| move |source| OpenError::NoEntry { path: path.to_owned(), name, source };
        // SAFETY: all versions of the text define it so.
        let version: Symbol<'_, extern "C" fn() -> u32> =
            unsafe { library.get(b"hasse_abi_version\0") }.map_err(missing("hasse_abi_version"))?;
        let found = version();
        if found != ABI_VERSION {
            return Err(OpenError::Version { path: path.to_owned(), found });
        }
        // SAFETY: this version of the text defines it so.
        let entry: Symbol<'_, Entry> =
            unsafe { library.get(b"hasse_body\0") }.map_err(missing("hasse_body"))?;
        let entry = *entry;
        mem::forget(library);
        Ok(Self { entry })
    }

    /// Calls the body at a position of the library's `export!` for an execution.
    ///
    /// # Errors
    /// It fails: by an error of the context, by one of its own, or by a panic. A body that there is not is one that fails.
    pub fn call(&self, nth: usize, context: &mut BodyContext<'_>) -> Result<(), CallError> {
        // SAFETY: the invariant of the field.
        unsafe { call(self.entry, nth, context) }
    }
}
