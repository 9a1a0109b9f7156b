//! Files that are written as a whole: next to their place, and moved there when they are complete.
//!
//! Whoever reads the place meanwhile sees the old file or the new one. Where anything fails, the old one stays and
//! nothing else is left.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// A file that takes its place when it is [kept](Self::keep). A place that is no plain file, such as a terminal or a pipe, is
/// written to as it is.
pub(crate) struct WholeFile(Place);

enum Place {
    Temporary { file: NamedTempFile, target: PathBuf },
    Direct(File),
}

impl WholeFile {
    /// Creates a file next to a place.
    ///
    /// # Errors
    /// The place is a folder, or its folder takes no file.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        // A link stays a link.
        let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        Ok(Self(match fs::metadata(&target) {
            Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(found) if !found.is_file() => Place::Direct(OpenOptions::new().write(true).open(path)?),
            _ => Place::Temporary { file: temporary_next_to(&target)?, target },
        }))
    }

    /// The file, to be written.
    pub(crate) fn file(&self) -> &File {
        match &self.0 {
            Place::Temporary { file, .. } => file.as_file(),
            Place::Direct(file) => file,
        }
    }

    /// Moves the file to its place, with the permissions of the one that was there.
    ///
    /// # Errors
    /// It cannot be written or moved.
    pub(crate) fn keep(self) -> io::Result<()> {
        let Place::Temporary { file, target } = self.0 else { return Ok(()) };
        // A full disk may show only here.
        file.as_file().sync_all()?;
        if let Ok(found) = fs::metadata(&target) {
            fs::set_permissions(file.path(), found.permissions())?;
        }
        file.persist(&target).map_err(|error| error.error)?;
        Ok(())
    }
}

/// Writes a file as a whole.
///
/// # Errors
/// It cannot be written, or `write` fails.
pub(crate) fn write<E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(), E> {
    let whole = WholeFile::create(path)?;
    let mut out = BufWriter::new(whole.file());
    write(&mut out)?;
    out.flush()?;
    drop(out);
    Ok(whole.keep()?)
}

/// Writes bytes as a whole file.
///
/// # Errors
/// It cannot be written.
pub(crate) fn write_bytes(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write(path, |out| out.write_all(bytes))
}

/// Finds out whether a file can be written, without touching it.
///
/// # Errors
/// It cannot.
pub(crate) fn probe(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        // To open a pipe would wait for whoever reads it.
        Ok(found) if found.is_file() => OpenOptions::new().write(true).open(path).map(drop),
        Ok(found) if found.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(_) => Ok(()),
        Err(_) => temporary_next_to(path).map(drop),
    }
}

/// A temporary file in the folder of a path, which others may read as the user's settings say.
fn temporary_next_to(path: &Path) -> io::Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Where there is no folder, the temporary file is not to be blamed.
    fs::metadata(folder)?;
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder");
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn failed_write_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("kept");
        write_bytes(&place, b"old").expect("written");
        let failed: io::Result<()> = write(&place, |out| {
            out.write_all(b"half")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert_eq!(failed.expect_err("it failed").kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read(&place).expect("it is there"), b"old");
        assert_eq!(names(folder.path()), ["kept"]);
        write_bytes(&place, b"new").expect("written");
        assert_eq!(fs::read(&place).expect("it is there"), b"new");
        assert_eq!(names(folder.path()), ["kept"]);
    }

    #[test]
    fn probe_leaves_no_trace() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("kept");
        probe(&place).expect("it can be written");
        assert!(names(folder.path()).is_empty());
        fs::write(&place, "old").expect("written");
        probe(&place).expect("it can be written");
        assert_eq!(fs::read(&place).expect("it is there"), b"old");
        assert!(probe(folder.path()).is_err());
        assert!(probe(&folder.path().join("nowhere/file")).is_err());
    }
}
