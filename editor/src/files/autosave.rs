//! Texts that were not saved, kept for the next time after a crash.
//!
//! Each program has one file in the folder, named by the hash of its path; a program that was never saved has a path that
//! the caller makes up for it. A proper close removes the file.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{FileError, one_path, save};

/// A text that was not saved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Autosave {
    /// Absolute path of the program.
    pub path: PathBuf,
    /// When it was kept, in seconds since 1970, as the caller's clock has it.
    pub time_secs: u64,
    /// Hash of the file that the text was made from, as [`hash`] has it; `None` where there was none.
    pub base: Option<String>,
    /// The text.
    pub text: String,
}

/// What was kept of a program, against what its file holds now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// There is nothing, or nothing that the file does not hold.
    Nothing,
    /// The text was made from what the file holds: it can be taken over.
    Newer(Autosave),
    /// The file was changed after the text was made from it, so that both have something: to be asked, or merged.
    Both(Autosave),
}

/// The hash of a content.
pub fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

fn file_of(folder: &Path, path: &Path) -> PathBuf {
    let name = blake3::hash(one_path(path).as_os_str().as_encoded_bytes()).to_hex();
    folder.join("autosave").join(format!("{}.json", &name[..32]))
}

/// Keeps a text for a program, in place of what was kept. `folder` is the state folder; `base` is what the file held when
/// it was read or written last; `time_secs` is the time now, in seconds since 1970.
///
/// # Errors
/// The folder cannot be made, or the file not be written; what was kept before stays.
pub fn keep(
    folder: &Path,
    path: &Path,
    text: &str,
    base: Option<&str>,
    time_secs: u64,
) -> Result<(), FileError> {
    let file = file_of(folder, path);
    let autosave = Autosave { path: one_path(path), time_secs, base: base.map(hash), text: text.to_owned() };
    let written = serde_json::to_string(&autosave).map_err(io::Error::from);
    let cannot_write = |source| FileError::Write { path: file.clone(), source };
    let written = written.map_err(cannot_write)?;
    fs::create_dir_all(folder.join("autosave")).map_err(cannot_write)?;
    save(&file, &written)
}

/// Removes what was kept for a program, if there is something: on closing it properly, and on saving it.
///
/// # Errors
/// The file is there and cannot be removed.
pub fn forget(folder: &Path, path: &Path) -> Result<(), FileError> {
    let file = file_of(folder, path);
    match fs::remove_file(&file) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(FileError::Write { path: file, source })
        }
        _ => Ok(()),
    }
}

/// What was kept for a program of which the file holds `held` now; `None` where the file is not there. What cannot be
/// read is nothing. A file that holds the base is older than the text, whatever clocks say; for one that does not, both
/// are given.
pub fn recover(folder: &Path, path: &Path, held: Option<&str>) -> Recovery {
    let Some(autosave) = read(&file_of(folder, path)).filter(|autosave| autosave.path == one_path(path))
    else {
        return Recovery::Nothing;
    };
    if held == Some(autosave.text.as_str()) {
        Recovery::Nothing
    } else if autosave.base == held.map(hash) {
        Recovery::Newer(autosave)
    } else {
        Recovery::Both(autosave)
    }
}

/// All that was kept, of all programs, the latest first; for an editor that is started without a program.
pub fn all(folder: &Path) -> Vec<Autosave> {
    let files = fs::read_dir(folder.join("autosave")).into_iter().flatten().flatten();
    let mut found: Vec<Autosave> = files.filter_map(|file| read(&file.path())).collect();
    found.sort_by(|a, b| b.time_secs.cmp(&a.time_secs).then_with(|| a.path.cmp(&b.path)));
    found
}

fn read(file: &Path) -> Option<Autosave> {
    serde_json::from_slice(&fs::read(file).ok()?).ok()
}
