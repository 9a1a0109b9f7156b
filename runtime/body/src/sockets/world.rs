//! WebSockets by `tungstenite`.
//!
//! One thread reads while others write. So each connection has two ends of the protocol on one TCP stream: one that reads, and answers
//! pings and closings, and one that writes. Both write whole frames at a time.

use std::fmt;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use hasse_model::value::Value;
use parking_lot::Mutex;
use tungstenite::error::ProtocolError;
use tungstenite::protocol::{Role, WebSocketConfig};
use tungstenite::{Error, Message, WebSocket};

use crate::tls;
use crate::waiting::Answer;

/// Reads messages.
pub(crate) struct Reader {
    socket: WebSocket<Duplex>,
    /// The other side has said that it writes nothing more.
    is_closing: bool,
}

/// Writes messages.
pub(crate) struct Writer {
    socket: WebSocket<Duplex>,
    peer: TcpStream,
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").field("peer", &self.peer).finish_non_exhaustive()
    }
}

/// A stream that writes what it is given as a whole.
#[derive(Clone)]
enum Duplex {
    Plain { reader: Arc<TcpStream>, writer: Arc<Mutex<TcpStream>> },
    Encrypted(tls::Encrypted),
}

impl Duplex {
    fn new(peer: &TcpStream) -> io::Result<Self> {
        Ok(Self::Plain {
            reader: Arc::new(peer.try_clone()?),
            writer: Arc::new(Mutex::new(peer.try_clone()?)),
        })
    }
}

impl Read for Duplex {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain { reader, .. } => (&**reader).read(buffer),
            Self::Encrypted(stream) => stream.read(buffer),
        }
    }
}

impl Write for Duplex {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain { writer, .. } => writer.lock().write_all(bytes)?,
            Self::Encrypted(stream) => stream.write_all(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain { writer, .. } => writer.lock().flush(),
            Self::Encrypted(stream) => stream.flush(),
        }
    }
}

/// Longest message, in bytes: 64 MiB.
const LONGEST_MESSAGE: usize = 64 << 20;

fn config() -> WebSocketConfig {
    WebSocketConfig::default().max_message_size(Some(LONGEST_MESSAGE)).max_frame_size(Some(LONGEST_MESSAGE))
}

/// Opens a WebSocket to a server on a connection to it, which is encrypted if there is a host whose certificate is to be checked.
///
/// # Errors
/// The server refuses, or its certificate is not trusted.
pub(crate) fn connect(url: &str, host: Option<&str>, peer: TcpStream) -> Result<(Reader, Writer), String> {
    let duplex = match host {
        Some(host) => Duplex::Encrypted(tls::connect(host, &peer)?),
        None => Duplex::new(&peer).map_err(|error| error.to_string())?,
    };
    let opened = tungstenite::client::client_with_config(url, duplex.clone(), Some(config()));
    let (socket, _) = opened.map_err(|error| error.to_string())?;
    let writer = WebSocket::from_raw_socket(duplex, Role::Client, Some(config()));
    Ok((Reader { socket, is_closing: false }, Writer { socket: writer, peer }))
}

/// Opens the WebSocket that a client asks for on a connection.
///
/// # Errors
/// It asks for something else.
pub(crate) fn accept(peer: TcpStream) -> Result<(Reader, Writer), String> {
    let duplex = Duplex::new(&peer).map_err(|error| error.to_string())?;
    let socket = tungstenite::accept_with_config(duplex.clone(), Some(config()));
    let socket = socket.map_err(|error| error.to_string())?;
    let writer = WebSocket::from_raw_socket(duplex, Role::Server, Some(config()));
    Ok((Reader { socket, is_closing: false }, Writer { socket: writer, peer }))
}

impl Reader {
    /// The next message: text, or bytes; `()` when the connection is closed.
    pub(crate) fn next(&mut self) -> Answer {
        loop {
            match self.socket.read() {
                Ok(Message::Text(text)) => return Ok(Value::String(Arc::from(text.as_str()))),
                Ok(Message::Binary(bytes)) => return Ok(Value::Bytes(Arc::new(bytes.to_vec()))),
                // The next reading answers it.
                Ok(Message::Close(_)) => self.is_closing = true,
                Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_)) => {}
                Err(
                    Error::ConnectionClosed
                    | Error::AlreadyClosed
                    | Error::Protocol(ProtocolError::ResetWithoutClosingHandshake),
                ) => return Ok(Value::Unit),
                // It may be gone before it is answered.
                Err(_) if self.is_closing => return Ok(Value::Unit),
                Err(error) => return Err(error.to_string()),
            }
        }
    }
}

impl Writer {
    pub(crate) fn send(&mut self, text: &str) -> Result<(), String> {
        self.socket.send(Message::text(text)).map_err(|error| error.to_string())
    }

    /// Says that nothing more is written.
    pub(crate) fn close(&mut self) {
        // The peer may be gone already: errors do not matter.
        let _ = self.socket.close(None).and_then(|()| self.socket.flush());
        if let Duplex::Encrypted(stream) = self.socket.get_ref() {
            stream.end();
        }
    }

    pub(crate) fn peer(&self) -> &TcpStream {
        &self.peer
    }
}
