//! Files that grow and folders whose files change, looked at now and then.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use hasse_model::value::Value;

use super::{LONGEST_LINE, LOOK, UNFINISHED, text_of_line};

/// A file that grows.
pub(super) struct Followed {
    path: PathBuf,
    reader: BufReader<File>,
    /// The beginning of a line whose end has not been written.
    begun: Vec<u8>,
}

impl Followed {
    pub(super) fn open(path: &Path, skips: bool) -> io::Result<Self> {
        let mut file = File::open(path)?;
        if skips {
            file.seek(io::SeekFrom::End(0))?;
        }
        Ok(Self { path: path.to_owned(), reader: BufReader::new(file), begun: Vec::new() })
    }

    /// The next whole line. Waits for it until the stream is closed.
    pub(super) fn line(&mut self, is_closed: &AtomicBool) -> io::Result<Value> {
        loop {
            let room = LONGEST_LINE - self.begun.len() as u64;
            self.reader.by_ref().take(room).read_until(b'\n', &mut self.begun)?;
            if self.begun.last() == Some(&b'\n') || self.begun.len() as u64 == LONGEST_LINE {
                return text_of_line(std::mem::take(&mut self.begun));
            }
            if is_closed.load(Ordering::Relaxed) {
                return Ok(Value::Unit);
            }
            if !self.is_replaced()? {
                thread::sleep(LOOK);
                continue;
            }
            // Until it was replaced, the file may have grown.
            let room = LONGEST_LINE - self.begun.len() as u64;
            let n_more = self.reader.by_ref().take(room).read_until(b'\n', &mut self.begun)?;
            if n_more > 0 {
                continue;
            }
            let rest = std::mem::take(&mut self.begun);
            *self = Self::open(&self.path, false)?;
            if !rest.is_empty() {
                return text_of_line(rest);
            }
        }
    }

    /// Returns true if another file stands at the path, or the file was cut.
    fn is_replaced(&mut self) -> io::Result<bool> {
        let position = self.reader.stream_position()?;
        let held = self.reader.get_ref().metadata()?;
        if held.len() < position {
            return Ok(true);
        }
        // Between the two steps of a rotation there is no file at the path.
        Ok(std::fs::metadata(&self.path).is_ok_and(|there| !is_same(&held, &there)))
    }
}

#[cfg(unix)]
fn is_same(left: &std::fs::Metadata, right: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (left.dev(), left.ino()) == (right.dev(), right.ino())
}

#[cfg(not(unix))]
fn is_same(left: &std::fs::Metadata, right: &std::fs::Metadata) -> bool {
    left.created().ok() == right.created().ok()
}

/// A folder whose files come and change.
pub(super) struct Watched {
    path: PathBuf,
    /// Length and time of the last change of each file.
    known: BTreeMap<String, (u64, Option<std::time::SystemTime>)>,
    /// Names not yet returned, the last one first.
    changed: Vec<String>,
}

impl Watched {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let mut watched = Self { path: path.to_owned(), known: BTreeMap::new(), changed: Vec::new() };
        watched.look()?;
        Ok(watched)
    }

    fn look(&mut self) -> io::Result<()> {
        let mut found = BTreeMap::new();
        for entry in std::fs::read_dir(&self.path)? {
            let entry = entry?;
            // A file may go between the two looks.
            let Ok(metadata) = entry.metadata() else { continue };
            if metadata.is_file()
                && let Ok(name) = entry.file_name().into_string()
                && !name.starts_with(UNFINISHED)
            {
                found.insert(name, (metadata.len(), metadata.modified().ok()));
            }
        }
        let changed = found.iter().filter(|(name, state)| self.known.get(*name) != Some(state));
        self.changed = changed.map(|(name, _)| name.clone()).rev().collect();
        self.known = found;
        Ok(())
    }

    pub(super) fn next(&mut self, is_closed: &AtomicBool) -> io::Result<Value> {
        loop {
            if let Some(name) = self.changed.pop() {
                return Ok(Value::String(Arc::from(name)));
            }
            if is_closed.load(Ordering::Relaxed) {
                return Ok(Value::Unit);
            }
            thread::sleep(LOOK);
            self.look()?;
        }
    }
}
