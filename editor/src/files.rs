//! Program files: opening, saving, watching, and what is kept for a crash.
//!
//! Saving writes a file beside the program and puts it in its place, so that there is always a whole one.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::edit::graph::new_program;

/// Texts that were not saved.
pub mod autosave;
/// Two texts side by side.
pub mod differences;
/// Changes of two sides made one.
pub mod merge;
/// Files that were open.
pub mod recent;
/// Changes on the disk.
pub mod watch;

/// Why a file was not read or written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is no text.
    #[error("{} is not text in UTF-8: see byte {offset}, in line {line}", path.display())]
    NotText {
        /// The file.
        path: PathBuf,
        /// The first byte that is not UTF-8, from 0.
        offset: usize,
        /// Its line, from 1.
        line: usize,
    },
    /// It cannot be watched.
    #[error("cannot watch {}: {source}", path.display())]
    Watch {
        /// The file.
        path: PathBuf,
        /// Why.
        source: notify::Error,
    },
}

/// The text of a file as it is, line ends included.
///
/// # Errors
/// The file cannot be read, or is not UTF-8.
pub fn open(path: &Path) -> Result<String, FileError> {
    let bytes = fs::read(path).map_err(|source| FileError::Read { path: path.to_owned(), source })?;
    text_of(path, bytes)
}

fn text_of(path: &Path, bytes: Vec<u8>) -> Result<String, FileError> {
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..offset].iter().filter(|byte| **byte == b'\n').count() + 1;
        FileError::NotText { path: path.to_owned(), offset, line }
    })
}

/// Whether a program can be made at a path: its name ends in `.hasse`, nothing is there, and its folder is.
pub fn can_be_made(path: &Path) -> bool {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let is_program = path.extension().is_some_and(|extension| extension == "hasse");
    is_program
        && fs::symlink_metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
        && folder.is_dir()
}

/// Makes a file with a new program.
///
/// # Errors
/// The file cannot be written.
pub fn make(path: &Path) -> Result<(), FileError> {
    save(path, &new_program("main"))
}

/// Puts a text into a file, which is at all times the old or the new one as a whole. Permissions of a file that is there
/// stay, and a link stays a link to it. `text` is what [`Document::to_file`](crate::document::Document::to_file) gives.
///
/// # Errors
/// The file cannot be written, such as for a folder that is not there or may not be changed, or a file that may not be;
/// what was there still is.
pub fn save(path: &Path, text: &str) -> Result<(), FileError> {
    save_bytes(path, text.as_bytes())
}

/// Puts bytes into a file in the way of [`save`].
///
/// # Errors
/// As those of [`save`].
pub fn save_bytes(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    write(path, bytes).map_err(|source| FileError::Write { path: path.to_owned(), source })
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let path = match fs::canonicalize(path) {
        Ok(path) => path,
        Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
        Err(error) => return Err(error),
    };
    let permissions = match fs::metadata(&path) {
        Ok(held) if held.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        // Renaming would get around it.
        Ok(held) if held.permissions().readonly() => return Err(io::ErrorKind::PermissionDenied.into()),
        Ok(held) => Some(held.permissions()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".hasse-").suffix(".tmp");
    #[cfg(unix)]
    let new = {
        use std::os::unix::fs::PermissionsExt;
        // A new file is as any other one: what the user's mask leaves of this.
        fs::Permissions::from_mode(0o666)
    };
    #[cfg(unix)]
    builder.permissions(new);
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(bytes)?;
    if let Some(permissions) = permissions {
        fs::set_permissions(file.path(), permissions)?;
    }
    file.as_file().sync_all()?;
    file.persist(&path).map_err(|error| error.error)?;
    Ok(())
}

/// The folder for what the editor remembers for this user, by the environment that `variable` reads: of Linux
/// `$XDG_STATE_HOME/hasse` or `~/.local/state/hasse`, of macOS `~/Library/Application Support/hasse`, of Windows
/// `%LOCALAPPDATA%\hasse`. `None` where the environment does not say. It need not be there.
pub fn state_folder(variable: impl Fn(&str) -> Option<String>) -> Option<PathBuf> {
    let folder = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = if cfg!(windows) {
        folder("LOCALAPPDATA")?
    } else if cfg!(target_os = "macos") {
        folder("HOME")?.join("Library").join("Application Support")
    } else {
        folder("XDG_STATE_HOME").or_else(|| Some(folder("HOME")?.join(".local").join("state")))?
    };
    Some(base.join("hasse"))
}

/// The file in which this user says which keys mean what, by the environment that `variable` reads: `keys.toml` in
/// `$XDG_CONFIG_HOME/hasse` or `~/.config/hasse` of Linux, `~/Library/Application Support/hasse` of macOS, `%APPDATA%\hasse` of
/// Windows. `None` where the environment does not say. It need not be there.
pub fn keys_file(variable: impl Fn(&str) -> Option<String>) -> Option<PathBuf> {
    let folder = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = if cfg!(windows) {
        folder("APPDATA")?
    } else if cfg!(target_os = "macos") {
        folder("HOME")?.join("Library").join("Application Support")
    } else {
        folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")))?
    };
    Some(base.join("hasse").join("keys.toml"))
}

/// One spelling of a path for a file that may not be there: absolute, links on the way followed as far as they are there.
fn one_path(path: &Path) -> PathBuf {
    if let Ok(path) = fs::canonicalize(path) {
        return path;
    }
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    match (path.parent().and_then(|folder| fs::canonicalize(folder).ok()), path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path,
    }
}
