//! Refusals to write over files that are read.

use std::path::Path;

use crate::fault::Fault;

/// Refuses to write a trace over a file that the command reads.
pub(crate) fn refuse_same_file(trace: &Path, read: &Path, what: &'static str) -> Result<(), Fault> {
    if is_same_file(trace, read) {
        return Err(Fault::Overwrites { path: trace.to_owned(), what });
    }
    Ok(())
}

#[cfg(unix)]
pub(super) fn is_same_file(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    match (one.metadata(), other.metadata()) {
        (Ok(one), Ok(other)) => (one.dev(), one.ino()) == (other.dev(), other.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
pub(super) fn is_same_file(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}
