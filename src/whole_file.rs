//! Files that are written as a whole: next to their place, and moved there when they are complete.
//!
//! Whoever reads the place meanwhile sees the old file or the new one. Where anything fails, the old one stays and
//! nothing else is left. On Linux the new file has no name until it is complete, so that a killed process leaves
//! nothing either.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// A file that takes its place when it is [kept](Self::keep). A place that is no plain file, such as a terminal or a pipe, is
/// written to as it is.
pub(crate) struct WholeFile(Place);

enum Place {
    /// A file without a name, which the system removes with its last handle.
    #[cfg(target_os = "linux")]
    Unnamed {
        file: File,
        target: PathBuf,
    },
    Temporary {
        file: NamedTempFile,
        target: PathBuf,
    },
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
            _ => Place::next_to(target)?,
        }))
    }

    /// The file, to be written.
    pub(crate) fn file(&self) -> &File {
        match &self.0 {
            #[cfg(target_os = "linux")]
            Place::Unnamed { file, .. } => file,
            Place::Temporary { file, .. } => file.as_file(),
            Place::Direct(file) => file,
        }
    }

    /// Moves the file to its place, with the permissions of the one that was there.
    ///
    /// # Errors
    /// It cannot be written or moved.
    pub(crate) fn keep(self) -> io::Result<()> {
        match self.0 {
            #[cfg(target_os = "linux")]
            Place::Unnamed { file, target } => {
                complete(&file, &target)?;
                unnamed::link(&file, &target)
            }
            Place::Temporary { file, target } => {
                complete(file.as_file(), &target)?;
                file.persist(&target).map(drop).map_err(|error| error.error)
            }
            Place::Direct(_) => Ok(()),
        }
    }
}

impl Place {
    /// A new file in the folder of a target.
    #[cfg(target_os = "linux")]
    fn next_to(target: PathBuf) -> io::Result<Self> {
        // Some file systems have no files without names.
        match unnamed::create(folder_of(&target)) {
            Ok(file) => Ok(Self::Unnamed { file, target }),
            Err(_) => Ok(Self::Temporary { file: temporary_next_to(&target)?, target }),
        }
    }

    /// A new file in the folder of a target.
    #[cfg(not(target_os = "linux"))]
    fn next_to(target: PathBuf) -> io::Result<Self> {
        Ok(Self::Temporary { file: temporary_next_to(&target)?, target })
    }
}

/// Waits until all bytes of a file are on the disk, and gives it the permissions of the file that it replaces.
fn complete(file: &File, target: &Path) -> io::Result<()> {
    // A full disk may show only here.
    file.sync_all()?;
    match fs::metadata(target) {
        Ok(found) => file.set_permissions(found.permissions()),
        Err(_) => Ok(()),
    }
}

/// The folder that a path names a file in.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Files without a name.
#[cfg(target_os = "linux")]
mod unnamed {
    use std::fs::{self, File};
    use std::io;
    use std::os::fd::AsRawFd;
    use std::path::{Path, PathBuf};

    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, openat};

    /// Handles of this process, by number: a file without a name is linked by the path of its handle.
    const HANDLES: &str = "/proc/self/fd";

    /// Creates a file without a name in a folder.
    ///
    /// # Errors
    /// The folder takes no file, or the system has no files without names.
    pub(super) fn create(folder: &Path) -> io::Result<File> {
        fs::metadata(HANDLES)?;
        let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
        Ok(File::from(openat(CWD, folder, flags, Mode::from_raw_mode(0o666))?))
    }

    /// Gives a file its name, in place of any other file of that name.
    ///
    /// # Errors
    /// It cannot be linked or moved.
    pub(super) fn link(file: &File, target: &Path) -> io::Result<()> {
        let link = |name: &Path| {
            let handle = Path::new(HANDLES).join(file.as_raw_fd().to_string());
            linkat(CWD, &handle, CWD, name, AtFlags::SYMLINK_FOLLOW).map_err(io::Error::from)
        };
        match link(target) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            linked => return linked,
        }
        // A link never replaces a file, a move does.
        let name = temporary_name(target, file.as_raw_fd());
        // What a process of the same number left when it was killed in between.
        let _ = fs::remove_file(&name);
        link(&name)?;
        fs::rename(&name, target).inspect_err(|_| drop(fs::remove_file(&name)))
    }

    fn temporary_name(target: &Path, handle: i32) -> PathBuf {
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        target.with_file_name(format!(".{name}.{}.{handle}.tmp", std::process::id()))
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
    let folder = folder_of(path);
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

    /// What a process is killed with.
    #[cfg(target_os = "linux")]
    #[test]
    fn unfinished_file_has_no_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("kept");
        for content in ["first", "second"] {
            let before = names(folder.path());
            let whole = WholeFile::create(&place).expect("it can be written");
            whole.file().write_all(content.as_bytes()).expect("written");
            assert_eq!(names(folder.path()), before);
            whole.keep().expect("kept");
            assert_eq!(fs::read_to_string(&place).expect("it is there"), content);
            assert_eq!(names(folder.path()), ["kept"]);
        }
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
