//! A build without TLS.

use std::error::Error;
use std::io::{self, Read, Write};
use std::net::TcpStream;

/// An encrypted connection, of which there are none.
#[derive(Clone, Debug)]
pub(crate) enum Encrypted {}

/// The error of whatever would be encrypted.
pub(crate) fn missing<T>() -> Result<T, String> {
    Err("this build of Hasse has no TLS: build it with `--features tls`, too".to_owned())
}

pub(crate) fn check() -> Result<(), String> {
    missing()
}

pub(crate) fn connect(_: &str, _: &TcpStream) -> Result<Encrypted, String> {
    missing()
}

pub(crate) fn refusal(_: &(dyn Error + 'static)) -> Option<String> {
    None
}

impl Encrypted {
    pub(crate) fn end(&self) {
        match *self {}
    }
}

impl Read for Encrypted {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        match *self {}
    }
}

impl Write for Encrypted {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        match *self {}
    }

    fn flush(&mut self) -> io::Result<()> {
        match *self {}
    }
}
