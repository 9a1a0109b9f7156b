//! A build without HTTP.

use super::{Asked, Message};
use crate::sandbox::Outside;
use crate::waiting::Pending;

/// The servers of a run, of which there are none.
#[derive(Debug, Default)]
pub(crate) struct Servers;

fn missing<T>() -> Result<T, String> {
    Err("this build of Hasse has no HTTP: build it with `--features http`".to_owned())
}

pub(super) fn request(_: &Outside, _: Asked<'_>) -> Result<Pending, String> {
    missing()
}

impl Servers {
    pub(super) fn listen(&self, _: &str) -> Result<i64, String> {
        missing()
    }

    pub(super) fn address(&self, _: i64) -> Result<String, String> {
        missing()
    }

    pub(super) fn next(&self, _: i64) -> Result<Pending, String> {
        missing()
    }

    pub(super) fn reply(&self, _: i64, _: u16, _: Message) -> Result<(), String> {
        missing()
    }
}
