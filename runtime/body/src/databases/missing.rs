//! A build without SQLite.

use std::path::PathBuf;

use super::Query;
use crate::waiting::Pending;

/// The databases of a run, of which there are none.
#[derive(Debug, Default)]
pub(crate) struct Databases;

impl Databases {
    pub(crate) fn ask(&self, _: Query<'_>, _: PathBuf, _: bool) -> Result<Pending, String> {
        Err("this build of Hasse has no SQLite: build it with `--features sqlite`".to_owned())
    }
}
