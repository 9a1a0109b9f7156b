//! The programs that were open last.

use std::fs;
use std::path::{Path, PathBuf};

use super::{FileError, one_path, save};

/// How many are remembered.
pub const MOST: usize = 20;

fn file_of(folder: &Path) -> PathBuf {
    folder.join("recent.json")
}

/// The programs that were open, the latest first; those that are no files now are left out, but stay remembered. What
/// cannot be read is none.
pub fn recent(folder: &Path) -> Vec<PathBuf> {
    read(folder).into_iter().filter(|path| path.is_file()).collect()
}

fn read(folder: &Path) -> Vec<PathBuf> {
    let held = fs::read(file_of(folder)).ok();
    held.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

/// Remembers that a program was open just now.
///
/// # Errors
/// The folder cannot be made, or the list not be written; the old one stays.
pub fn remember(folder: &Path, path: &Path) -> Result<(), FileError> {
    let path = one_path(path);
    let mut all = read(folder);
    all.retain(|known| *known != path);
    all.insert(0, path);
    all.truncate(MOST);
    write(folder, &all)
}

/// Forgets a program.
///
/// # Errors
/// As for [`remember`].
pub fn forget(folder: &Path, path: &Path) -> Result<(), FileError> {
    let path = one_path(path);
    let mut all = read(folder);
    all.retain(|known| *known != path);
    write(folder, &all)
}

fn write(folder: &Path, all: &[PathBuf]) -> Result<(), FileError> {
    let file = file_of(folder);
    let cannot_write = |source| FileError::Write { path: file.clone(), source };
    // Paths that are no text cannot be written as JSON, and are not remembered.
    let all: Vec<&str> = all.iter().filter_map(|path| path.to_str()).collect();
    let written = serde_json::to_string_pretty(&all).map_err(|error| cannot_write(error.into()))?;
    fs::create_dir_all(folder).map_err(cannot_write)?;
    save(&file, &written)
}
