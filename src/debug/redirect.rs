//! Output that goes to a file: the whole of it, or nothing.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

use crate::fault::Fault;
use crate::whole_file;

/// Writes to a file what `write` writes. A file that exists is replaced only when all has been written.
pub(super) fn replace(
    path: &Path,
    write: &mut dyn FnMut(&mut dyn Write) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let written =
        whole_file::write(path, |out| write(out).map_err(|fault| Problem::Command(Box::new(fault))));
    written.map_err(|problem| match problem {
        Problem::File(source) => Fault::Write { path: path.to_owned(), source },
        Problem::Command(fault) => of_file(*fault, path),
    })
}

/// Why the file was not written.
enum Problem {
    File(io::Error),
    Command(Box<Fault>),
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Self {
        Self::File(error)
    }
}

/// Appends to a file what `write` writes, in one piece; a file that does not exist is created. Where the text does not fit
/// on the disk, none of it is left.
pub(super) fn append(
    path: &Path,
    write: &mut dyn FnMut(&mut dyn Write) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut text = Vec::new();
    write(&mut text)?;
    let append = || {
        let mut file = OpenOptions::new().create(true).append(true).open(path)?;
        let n_before = file.metadata()?.len();
        file.write_all(&text).inspect_err(|_| {
            // A pipe has no length; then nothing can be taken back.
            let _ = file.set_len(n_before);
        })
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
