//! A build without HTTP.

use super::{Asked, Message};
use crate::waiting::Pending;

/// The servers of a run, of which there are none.
#[derive(Debug, Default)]
pub(crate) struct Servers;

fn missing<T>() -> Result<T, String> {
    Err("this build of Hasse has no HTTP: build it with `--features http`".to_owned())
}

pub(crate) fn address_of(_: &str) -> Result<String, String> {
    missing()
}

pub(crate) fn send(_: Asked<'_>) -> Result<Pending, String> {
    missing()
}

impl Servers {
    pub(crate) fn listen(&self, _: &str) -> Result<i64, String> {
        missing()
    }

    pub(crate) fn address(&self, _: i64) -> Result<String, String> {
        missing()
    }

    pub(crate) fn next(&self, _: i64) -> Result<Pending, String> {
        missing()
    }

    pub(crate) fn reply(&self, _: i64, _: u16, _: Message) -> Result<Pending, String> {
        missing()
    }
}
