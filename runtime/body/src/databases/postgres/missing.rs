//! A build without PostgreSQL.

use super::super::Query;
use crate::waiting::Pending;

/// The servers that a run is connected to, of which there are none.
#[derive(Debug, Default)]
pub(crate) struct Servers;

fn missing<T>() -> Result<T, String> {
    Err("this build of Hasse has no PostgreSQL: build it with `--features postgres`".to_owned())
}

pub(crate) fn addresses_of(_: &str) -> Result<Vec<String>, String> {
    missing()
}

impl Servers {
    pub(crate) fn ask(&self, _: Query<'_>) -> Result<Pending, String> {
        missing()
    }
}
