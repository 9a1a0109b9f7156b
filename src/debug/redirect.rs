//! Output that goes to a file: the whole of it, or nothing.

use std::fs::{self, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::Path;

use tempfile::Builder;

use crate::fault::Fault;

/// Writes to a file what `write` writes. A file that exists is replaced only when all has been written; what is no plain
/// file, such as a terminal, is written to as it is.
pub(super) fn replace(
    path: &Path,
    write: &mut dyn FnMut(&mut dyn Write) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let cannot_write = |source| Fault::Write { path: path.to_owned(), source };
    // A link stays a link.
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if fs::metadata(&target).is_ok_and(|found| !found.is_file()) {
        return append(path, write);
    }
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Where there is no folder, the temporary file is not to be blamed.
    fs::metadata(folder).map_err(cannot_write)?;
    let mut file = builder().tempfile_in(folder).map_err(cannot_write)?;
    let mut out = BufWriter::new(&mut file);
    write(&mut out).map_err(|fault| of_file(fault, path))?;
    out.flush().map_err(cannot_write)?;
    drop(out);
    if let Ok(found) = fs::metadata(&target) {
        fs::set_permissions(file.path(), found.permissions()).map_err(cannot_write)?;
    }
    file.persist(&target).map_err(|error| cannot_write(error.error))?;
    Ok(())
}

/// A temporary file that others may read as the user's settings say.
fn builder() -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder
}

/// Puts behind what a file holds what `write` writes, in one piece; a file that does not exist is made.
pub(super) fn append(
    path: &Path,
    write: &mut dyn FnMut(&mut dyn Write) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut text = Vec::new();
    write(&mut text)?;
    let append = || {
        let mut file = OpenOptions::new().create(true).append(true).open(path)?;
        file.write_all(&text)?;
        file.flush()
    };
    append().map_err(|source| Fault::Write { path: path.to_owned(), source })
}

/// What could not be written was not standard output.
fn of_file(fault: Fault, path: &Path) -> Fault {
    match fault {
        Fault::Stdout(source) => Fault::Write { path: path.to_owned(), source },
        fault => fault,
    }
}
