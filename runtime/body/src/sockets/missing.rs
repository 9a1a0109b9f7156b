//! A build without WebSockets.

use std::net::TcpStream;

use crate::waiting::Answer;

/// Reads messages, of which there are none.
#[derive(Debug)]
pub(crate) enum Reader {}

/// Writes messages, of which there are none.
#[derive(Debug)]
pub(crate) enum Writer {}

fn missing<T>() -> Result<T, String> {
    Err("this build of Hasse has no WebSockets: build it with `--features http`".to_owned())
}

pub(crate) fn connect(_: &str, _: Option<&str>, _: TcpStream) -> Result<(Reader, Writer), String> {
    missing()
}

pub(crate) fn accept(_: TcpStream) -> Result<(Reader, Writer), String> {
    missing()
}

impl Reader {
    pub(crate) fn next(&mut self) -> Answer {
        match *self {}
    }
}

impl Writer {
    pub(crate) fn send(&mut self, _: &str) -> Result<(), String> {
        match *self {}
    }

    pub(crate) fn close(&mut self) {
        match *self {}
    }

    pub(crate) fn peer(&self) -> &TcpStream {
        match *self {}
    }
}
