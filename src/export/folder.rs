//! Folders of tables: each appears under its name when all its files are complete.

use std::ffi::OsStr;
use std::fs::{self, DirEntry, File};
use std::io::{self, BufWriter};
use std::path::Path;

use hasse_debugger::export::columns::{FileKind, Output, Tables};
use hasse_debugger::read::Summary;
use hasse_model::trace::{BatchSource, TraceError};

use super::{Job, UNFINISHED, unfinished};
use crate::fault::Fault;

impl<S: BatchSource, O: FnMut() -> Result<S, TraceError>> Job<'_, O> {
    /// Writes a folder next to the one that is asked for, and gives it its name when all files are complete.
    pub(super) fn write_folder(self, kind: FileKind, path: &Path) -> Result<Summary, Fault> {
        let cannot_write = |source| Fault::Write { path: path.to_owned(), source };
        let is_free = match fs::read_dir(path) {
            Ok(mut entries) => entries.next().is_none(),
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        };
        if !is_free {
            return Err(Fault::Exists { path: path.to_owned() });
        }
        let unfinished = unfinished(path);
        remove_abandoned(path);
        fs::create_dir(&unfinished).map_err(cannot_write)?;
        let held = lock(&unfinished);
        let create = |name: &str| -> io::Result<Output> {
            Ok(Box::new(BufWriter::new(File::create_new(unfinished.join(name))?)))
        };
        let tables = Tables::new(kind, &self.header, self.rules.clone(), create).map_err(cannot_write);
        let written = tables.and_then(|mut tables| self.run(&mut tables, cannot_write)).and_then(|summary| {
            fs::rename(&unfinished, path).map_err(cannot_write)?;
            Ok(summary)
        });
        drop(held);
        if written.is_err() {
            let _ = fs::remove_dir_all(&unfinished);
        }
        written
    }
}

/// Locks a folder for as long as it is being written; the system takes the lock from a process that is killed.
/// Returns `None` where another process has the lock, or folders have none.
fn lock(folder: &Path) -> Option<File> {
    let folder = File::open(folder).ok()?;
    folder.try_lock().ok()?;
    Some(folder)
}

/// Removes what killed processes left of earlier exports to the same place: nothing else can remove files after a kill.
fn remove_abandoned(path: &Path) {
    let path = path.components().as_path();
    let (Some(name), Some(folder)) = (path.file_name().and_then(OsStr::to_str), path.parent()) else {
        return;
    };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_unfinished = |entry: &DirEntry| {
        let found = entry.file_name();
        let number = found.to_str().and_then(|found| found.strip_prefix(name)?.strip_prefix('.'));
        let number = number.and_then(|rest| rest.strip_suffix(UNFINISHED));
        number.is_some_and(|number| number.parse::<u32>().is_ok())
    };
    for entry in entries.filter(is_unfinished) {
        if let Some(held) = lock(&entry.path()) {
            // Where that fails, the rest is in nobody's way.
            let _ = fs::remove_dir_all(entry.path());
            drop(held);
        }
    }
}
