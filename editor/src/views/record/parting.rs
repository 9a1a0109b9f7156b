//! Two records of files side by side: the event in which they part.

use std::path::PathBuf;

use hasse_debugger::parting::{Parting, parting};

use super::super::task::{Task, Wake};
use super::load::error::LoadError;
use super::load::{Opened, RecordSource};

/// Looks in the background for the first event in which two records part.
pub fn parted(paths: [PathBuf; 2], wake: Wake) -> Task<Result<Option<Parting>, LoadError>> {
    Task::start(wake, move |_| {
        let sources = paths.map(RecordSource::File);
        parting(|side| Opened::new(&sources[side]))
    })
}
