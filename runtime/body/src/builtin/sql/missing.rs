//! A build without SQLite.

use hasse_model::value::Value;

use crate::effects::EventContext;
use crate::waiting::Pending;

/// The databases of a run, of which there are none.
#[derive(Debug, Default)]
pub(crate) struct Databases;

impl Databases {
    pub(super) fn ask(&self, _: &EventContext, _: &str, _: &str, _: Vec<Value>) -> Result<Pending, String> {
        Err("this build of Hasse has no SQLite: build it with `--features sqlite`".to_owned())
    }
}
