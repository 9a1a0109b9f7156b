//! Files that grow and folders whose files change.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use hasse_model::value::Value;

use super::changes::{Changes, Reported, Waker};
use super::{LONGEST_LINE, UNFINISHED, text_of_line};

/// Wait for further changes before the changed files are looked at.
const GATHERING: Duration = Duration::from_millis(20);

/// A file that grows.
pub(super) struct Followed {
    path: PathBuf,
    changes: Changes,
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
        // The folder, as another file may come to the path.
        let folder = path.parent().unwrap_or(Path::new("."));
        let changes = Changes::of(folder, path.file_name().map(OsString::from));
        Ok(Self { path: path.to_owned(), changes, reader: BufReader::new(file), begun: Vec::new() })
    }

    pub(super) fn waker(&self) -> Waker {
        self.changes.waker()
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
                self.changes.wait(Duration::ZERO);
                continue;
            }
            // Until it was replaced, the file may have grown.
            let room = LONGEST_LINE - self.begun.len() as u64;
            let n_more = self.reader.by_ref().take(room).read_until(b'\n', &mut self.begun)?;
            if n_more > 0 {
                continue;
            }
            let rest = std::mem::take(&mut self.begun);
            self.reader = BufReader::new(File::open(&self.path)?);
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
fn is_same(left: &Metadata, right: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (left.dev(), left.ino()) == (right.dev(), right.ino())
}

#[cfg(not(unix))]
fn is_same(left: &Metadata, right: &Metadata) -> bool {
    left.created().ok() == right.created().ok()
}

/// A folder whose files come and change.
pub(super) struct Watched {
    path: PathBuf,
    changes: Changes,
    known: BTreeMap<String, State>,
    /// Names not yet returned, the last one first.
    changed: Vec<String>,
}

/// Length and time of the last change of a file.
type State = (u64, Option<SystemTime>);

impl Watched {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        // Before the first look, so that no change falls in between.
        let changes = Changes::of(path, None);
        let mut watched =
            Self { path: path.to_owned(), changes, known: BTreeMap::new(), changed: Vec::new() };
        watched.look()?;
        Ok(watched)
    }

    pub(super) fn waker(&self) -> Waker {
        self.changes.waker()
    }

    fn look(&mut self) -> io::Result<()> {
        let mut found = BTreeMap::new();
        for entry in std::fs::read_dir(&self.path)? {
            let entry = entry?;
            // A file may go between the two looks.
            if let Ok(metadata) = entry.metadata()
                && let Some(file) = file_of(entry.file_name(), &metadata)
            {
                found.extend([file]);
            }
        }
        let changed = found.iter().filter(|(name, state)| self.known.get(*name) != Some(state));
        self.changed = changed.map(|(name, _)| name.clone()).rev().collect();
        self.known = found;
        Ok(())
    }

    /// Looks at some files only.
    fn look_at(&mut self, names: impl DoubleEndedIterator<Item = OsString>) {
        for name in names.rev() {
            let found = std::fs::symlink_metadata(self.path.join(&name));
            match found.ok().and_then(|metadata| file_of(name.clone(), &metadata)) {
                Some((name, state)) => {
                    if self.known.insert(name.clone(), state) != Some(state) {
                        self.changed.push(name);
                    }
                }
                None => {
                    name.to_str().and_then(|name| self.known.remove(name));
                }
            }
        }
    }

    pub(super) fn next(&mut self, is_closed: &AtomicBool) -> io::Result<Value> {
        loop {
            if let Some(name) = self.changed.pop() {
                return Ok(Value::String(Arc::from(name)));
            }
            if is_closed.load(Ordering::Relaxed) {
                return Ok(Value::Unit);
            }
            match self.changes.wait(GATHERING) {
                Reported::Names(names) => self.look_at(names.into_iter()),
                Reported::Nothing | Reported::All => self.look()?,
            }
        }
    }
}

/// Name and state of what is found in a folder; `None` of what is no file, and of files that are being written by bodies.
fn file_of(name: OsString, metadata: &Metadata) -> Option<(String, State)> {
    let name = name.into_string().ok()?;
    let is_file = metadata.is_file() && !name.starts_with(UNFINISHED);
    is_file.then(|| (name, (metadata.len(), metadata.modified().ok())))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use std::fs;
    use std::io::Write;
    use std::path::Path;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;
    use std::time::Duration;

    use hasse_model::value::Value;

    use super::{Followed, Watched};

    static OPEN: AtomicBool = AtomicBool::new(false);

    fn text(value: Value) -> String {
        let Value::String(text) = value else { panic!("{value:?}") };
        text.to_string()
    }

    /// Names until one comes that starts with `last`.
    fn names(watched: &mut Watched, last: &str) -> Vec<String> {
        let mut names = Vec::new();
        while !names.last().is_some_and(|name: &String| name.starts_with(last)) {
            names.push(text(watched.next(&OPEN).unwrap()));
        }
        names
    }

    #[test]
    fn names_of_files_there_come_first_and_sorted() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("aa")).unwrap();
        for name in ["c", "a", "b", ".hasse-unfinished-x"] {
            fs::write(folder.path().join(name), name).unwrap();
        }
        let mut watched = Watched::open(folder.path()).unwrap();
        assert_eq!(names(&mut watched, "c"), ["a", "b", "c"]);
        fs::write(folder.path().join("b"), "longer").unwrap();
        assert_eq!(text(watched.next(&OPEN).unwrap()), "b");
        fs::remove_file(folder.path().join("a")).unwrap();
        fs::write(folder.path().join("d"), "").unwrap();
        assert_eq!(text(watched.next(&OPEN).unwrap()), "d");
        fs::write(folder.path().join("a"), "a").unwrap();
        assert_eq!(text(watched.next(&OPEN).unwrap()), "a");
        fs::rename(folder.path().join("b"), folder.path().join("e")).unwrap();
        assert_eq!(text(watched.next(&OPEN).unwrap()), "e");
        fs::remove_dir_all(folder.path()).unwrap();
        assert!(watched.next(&OPEN).is_err());
    }

    #[test]
    fn closed_folder_wakes_its_reader() {
        static CLOSED: AtomicBool = AtomicBool::new(false);
        let folder = tempfile::tempdir().unwrap();
        let mut watched = Watched::open(folder.path()).unwrap();
        let waker = watched.waker();
        let reader = thread::spawn(move || watched.next(&CLOSED).unwrap());
        thread::sleep(Duration::from_millis(50));
        CLOSED.store(true, Ordering::Relaxed);
        waker.wake();
        assert_eq!(reader.join().unwrap(), Value::Unit);
    }

    fn append(path: &Path, text: &str) {
        fs::OpenOptions::new().append(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
    }

    #[test]
    fn appended_and_replaced_lines_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        fs::write(&path, "old\nbeg").unwrap();
        let mut followed = Followed::open(&path, false).unwrap();
        assert_eq!(text(followed.line(&OPEN).unwrap()), "old");
        let appended = path.clone();
        let writer = thread::spawn(move || {
            thread::sleep(Duration::from_millis(50));
            append(&appended, "un\nlast");
            thread::sleep(Duration::from_millis(50));
            fs::rename(&appended, appended.with_extension("1")).unwrap();
            fs::write(&appended, "new\n").unwrap();
        });
        let lines = [(); 3].map(|()| text(followed.line(&OPEN).unwrap()));
        assert_eq!(lines, ["begun", "last", "new"]);
        writer.join().unwrap();
    }
}
