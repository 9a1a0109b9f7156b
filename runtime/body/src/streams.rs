//! Streams: what bodies have open in the world outside, each under a number.
//!
//! They belong to a run and are closed when it ends: connections are shut down, subprocesses killed. A replay opens none; the numbers
//! come from its record.

/// Changes in a folder.
mod changes;
/// Files that grow, and folders.
mod files;

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use hasse_model::value::Value;
use parking_lot::Mutex;

use crate::addresses::host_of;
use crate::live_params::LiveParams;
use crate::sockets::{self, Reader, Writer};
use crate::streams::changes::Waker;
use crate::streams::files::{Followed, Watched};
use crate::topics;
use crate::waiting::feed::Feed;
use crate::waiting::sink::Sink;
use crate::waiting::{Answer, Pending, Promise};

/// Longest line, in bytes: 64 MiB.
const LONGEST_LINE: u64 = 64 << 20;

/// Time between two looks at a subprocess that has closed its output.
const LOOK: Duration = Duration::from_millis(20);

/// The open streams of a run.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    open: Mutex<Open>,
    /// Commands under way.
    commands: Mutex<Vec<Weak<Mutex<Child>>>>,
    /// Sinks of streams that were closed.
    ending: Mutex<Vec<Arc<Sink>>>,
}

/// Longest wait, at the end of a run, for lines that are still to be written.
const LONGEST_END: Duration = Duration::from_secs(5);

impl Drop for Streams {
    fn drop(&mut self) {
        for child in self.commands.lock().iter().filter_map(Weak::upgrade) {
            let _ = child.lock().kill();
        }
        let open = std::mem::take(&mut *self.open.lock());
        let mut sinks = std::mem::take(&mut *self.ending.lock());
        sinks.extend(open.streams.values().filter_map(|stream| stream.sink.clone()));
        drop(open);
        let until = Instant::now() + LONGEST_END;
        sinks.iter().for_each(|sink| sink.end());
        for sink in sinks {
            sink.wait(until);
        }
    }
}

#[derive(Debug, Default)]
struct Open {
    n_opened: i64,
    streams: BTreeMap<i64, Arc<Stream>>,
}

/// One open stream.
#[derive(Debug)]
pub(crate) struct Stream {
    /// Its name in messages.
    name: String,
    feed: Feed,
    /// Where lines are written; `None` where there are none.
    sink: Option<Arc<Sink>>,
    end: End,
}

/// Other end of a stream.
#[derive(Debug)]
enum End {
    /// A server: connections come from there.
    Server {
        listener: TcpListener,
        is_socket: bool,
    },
    Peer(TcpStream),
    Socket(TcpStream),
    Topic,
    Process {
        child: Arc<Mutex<Child>>,
        replies: Replies,
    },
    /// A file that grows, or a folder.
    Files(Waker),
    Params(LiveParams),
}

/// Replies that a subprocess owes, for which a run that drains waits.
#[derive(Debug, Default)]
struct Replies {
    /// A line was written to it, and none was read since.
    is_one_due: AtomicBool,
    /// Its input is closed: it writes the rest and ends.
    are_the_last: AtomicBool,
}

impl Replies {
    /// Returns true if the next line is a reply, and counts it as read.
    fn take(&self) -> bool {
        self.is_one_due.swap(false, Ordering::Relaxed) || self.are_the_last.load(Ordering::Relaxed)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.feed.close();
        if let Some(sink) = &self.sink {
            sink.end();
        }
        match &self.end {
            // The thread that accepts ends with the next connection: this one.
            End::Server { listener, .. } => {
                let _ = listener.local_addr().and_then(wake);
            }
            // The sink ends the other direction when all is written.
            End::Peer(peer) | End::Socket(peer) => {
                let _ = peer.shutdown(Shutdown::Read);
            }
            End::Process { child, .. } => {
                let mut child = child.lock();
                let _ = child.kill();
                let _ = child.wait();
            }
            End::Files(waker) => waker.wake(),
            End::Params(params) => params.wake(),
            End::Topic => {}
        }
    }
}

/// Connects to a server of this process.
fn wake(mut address: SocketAddr) -> io::Result<TcpStream> {
    if address.ip().is_unspecified() {
        address.set_ip(match address {
            SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    TcpStream::connect_timeout(&address, LOOK)
}

impl Streams {
    fn add(&self, stream: Stream) -> i64 {
        let mut open = self.open.lock();
        open.n_opened += 1;
        let number = open.n_opened;
        open.streams.insert(number, Arc::new(stream));
        number
    }

    fn get(&self, number: i64) -> Result<Arc<Stream>, String> {
        let open = self.open.lock();
        open.streams.get(&number).cloned().ok_or_else(|| format!("there is no open stream {number}"))
    }

    /// Kills a command when the run ends.
    pub(crate) fn kill_at_end(&self, child: &Arc<Mutex<Child>>) {
        let mut commands = self.commands.lock();
        commands.retain(|child| child.strong_count() > 0);
        commands.push(Arc::downgrade(child));
    }

    /// Closes a stream. Returns false if it is closed already.
    pub(crate) fn close(&self, number: i64) -> bool {
        let closed = self.open.lock().streams.remove(&number);
        let mut ending = self.ending.lock();
        ending.retain(|sink| !sink.wait(Instant::now()));
        ending.extend(closed.as_ref().and_then(|stream| stream.sink.clone()));
        closed.is_some()
    }

    /// Asks for the next line of a stream; `()` at its end. Of a folder, a line is the name of a file that is new or has changed.
    pub(crate) fn line(&self, number: i64) -> Result<Pending, String> {
        let stream = self.get(number)?;
        match &stream.end {
            End::Server { .. } => {
                Err(format!("{} has connections, not lines: `accept` returns the next one", stream.name))
            }
            End::Process { replies, .. } if replies.take() => Ok(stream.feed.ask()),
            _ => stream.feed.ask_for_input(),
        }
    }

    /// Asks for the next connection to a server; its number.
    pub(crate) fn connection(&self, number: i64) -> Result<Pending, String> {
        let stream = self.get(number)?;
        match stream.end {
            End::Server { .. } => stream.feed.ask_for_input(),
            _ => Err(format!("{} is no server", stream.name)),
        }
    }

    /// Writes a line to a stream, to a WebSocket or topic a message.
    pub(crate) fn write_line(&self, number: i64, line: &str) -> Result<Pending, String> {
        let stream = self.get(number)?;
        let sink = stream.sink.as_ref().ok_or_else(|| format!("{} takes no lines", stream.name))?;
        if matches!(stream.end, End::Topic) && topics::has_wildcard(&stream.name) {
            topics::addressed(line)?;
        }
        if let End::Process { replies, .. } = &stream.end {
            replies.is_one_due.store(true, Ordering::Relaxed);
        }
        sink.write(line).map_err(|error| unwritable(&stream.name, &error))
    }

    /// Ends what is written to a stream, from which lines can still be read.
    pub(crate) fn end_writing(&self, number: i64) -> Result<(), String> {
        let stream = self.get(number)?;
        let sink = stream.sink.as_ref().ok_or_else(|| format!("{} takes no lines", stream.name))?;
        if let End::Process { replies, .. } = &stream.end {
            replies.are_the_last.store(true, Ordering::Relaxed);
        }
        sink.end();
        Ok(())
    }

    /// The address of a server, or of the peer of a connection.
    pub(crate) fn address(&self, number: i64) -> Result<String, String> {
        let stream = self.get(number)?;
        let (address, scheme) = match &stream.end {
            End::Server { listener, is_socket } => {
                (listener.local_addr(), if *is_socket { SOCKET_SCHEME } else { "" })
            }
            End::Peer(peer) | End::Socket(peer) => (peer.peer_addr(), ""),
            End::Topic | End::Process { .. } | End::Files(_) | End::Params(_) => {
                return Err(format!("{} has no address", stream.name));
            }
        };
        let address = address.map_err(|error| format!("{}: {error}", stream.name))?;
        Ok(format!("{scheme}{address}"))
    }

    /// Opens a server; returns its number. One at `ws://host:port` has WebSockets.
    pub(crate) fn listen(self: &Arc<Self>, address: &str) -> Result<i64, String> {
        let fault = |error: io::Error| format!("cannot listen on {address}: {error}");
        let is_socket = address.starts_with(SOCKET_SCHEME);
        if !is_socket && address.contains("://") {
            return Err(format!(
                "cannot listen on {address}: servers are at `HOST:PORT` or `ws://HOST:PORT`"
            ));
        }
        let listener = TcpListener::bind(&*host_of(address)).map_err(fault)?;
        let accepting = listener.try_clone().map_err(fault)?;
        let streams = Arc::downgrade(self);
        let read = move |is_closed: &AtomicBool| accept(&accepting, is_socket, &streams, is_closed);
        let feed = Feed::start(read).map_err(fault)?;
        let end = End::Server { listener, is_socket };
        Ok(self.add(Stream { name: format!("the server on {address}"), feed, sink: None, end }))
    }

    /// Connects to a server, on a thread of its own; the number of the connection. An address `ws://host:port/path` is that of a WebSocket,
    /// `mqtt://host:port/topic` that of a topic; `wss://` and `mqtts://` are encrypted.
    pub(crate) fn connect(self: &Arc<Self>, address: &str) -> Result<Pending, String> {
        let (address, streams) = (address.to_owned(), Arc::downgrade(self));
        answer_on_thread(move || {
            let fault = |error: &dyn fmt::Display| format!("cannot connect to {address}: {error}");
            let scheme = address.split_once("://").map_or("", |(scheme, _)| scheme);
            if matches!(scheme, "mqtt" | "mqtts") {
                return add_topic(&streams, &address).map_err(|error| fault(&error));
            }
            let mut last = io::Error::other("the name has no address");
            let place = host_of(&address);
            for candidate in place.to_socket_addrs().map_err(|error| fault(&error))? {
                match TcpStream::connect_timeout(&candidate, LONGEST_CONNECT) {
                    Ok(peer) if matches!(scheme, "ws" | "wss") => {
                        let host = place.rsplit_once(':').map_or(&*place, |(host, _)| host);
                        let host = Some(host.trim_matches(['[', ']'])).filter(|_| scheme == "wss");
                        let open = |peer| sockets::connect(&address, host, peer);
                        return add_socket(&streams, peer, open).map_err(|error| fault(&error));
                    }
                    Ok(peer) => return add_peer(&streams, peer),
                    Err(error) => last = error,
                }
            }
            Err(fault(&last))
        })
    }

    /// Starts a subprocess that is spoken to by lines; returns its number.
    pub(crate) fn start(&self, program: &str, args: &[String]) -> Result<i64, String> {
        let fault = |error: io::Error| format!("cannot start `{program}`: {error}");
        let mut command = Command::new(program);
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped());
        apart(&mut command);
        let mut child = command.spawn().map_err(fault)?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let mut reader = BufReader::new(output.ok_or_else(|| fault(io::ErrorKind::BrokenPipe.into()))?);
        let name = format!("`{program}`");
        let of_reader = name.clone();
        let feed = Feed::start(move |_| line_of(&mut reader).map_err(|error| unreadable(&of_reader, &error)))
            .map_err(fault)?;
        let mut input = input;
        let of_writer = name.clone();
        let sink = Sink::start(move |line| {
            let (Some(line), Some(to)) = (line, &mut input) else {
                input = None;
                return Ok(());
            };
            let written =
                to.write_all(line.as_bytes()).and_then(|()| to.write_all(b"\n")).and_then(|()| to.flush());
            written.map_err(|error| unwritable(&of_writer, &error))
        });
        let sink = sink.map_err(fault)?;
        let child = Arc::new(Mutex::new(child));
        self.kill_at_end(&child);
        let end = End::Process { child, replies: Replies::default() };
        Ok(self.add(Stream { name, feed, sink: Some(Arc::new(sink)), end }))
    }

    /// Waits until a subprocess has ended, on a thread of its own; its status.
    pub(crate) fn status(&self, number: i64) -> Result<Pending, String> {
        let stream = self.get(number)?;
        let End::Process { child, .. } = &stream.end else {
            return Err(format!("{} is no subprocess", stream.name));
        };
        let (child, name) = (Arc::downgrade(child), stream.name.clone());
        answer_on_thread(move || {
            loop {
                let Some(child) = child.upgrade() else { return Err("the stream was closed".to_owned()) };
                let status = child.lock().try_wait().map_err(|error| format!("{name}: {error}"))?;
                drop(child);
                match status {
                    Some(status) => return Ok(Value::Int(status.code().map_or(-1, i64::from))),
                    None => thread::sleep(LOOK),
                }
            }
        })
    }

    /// Opens a file that grows; returns its number. `skips` what is there.
    pub(crate) fn follow(&self, path: &Path, shown: &str, skips: bool) -> Result<i64, String> {
        let mut followed =
            Followed::open(path, skips).map_err(|error| unreadable(&format!("`{shown}`"), &error))?;
        let end = End::Files(followed.waker());
        let name = format!("`{shown}`");
        let of_reader = name.clone();
        let read = move |is_closed: &AtomicBool| {
            followed.line(is_closed).map_err(|error| unreadable(&of_reader, &error))
        };
        let feed = Feed::start(read).map_err(|error| unreadable(&name, &error))?;
        Ok(self.add(Stream { name, feed, sink: None, end }))
    }

    /// Opens the parameters; returns the number. Its lines are objects of JSON, one now, and one whenever they have been read again.
    pub(crate) fn watch_params(&self, params: &LiveParams) -> Result<i64, String> {
        let (name, end) = ("the parameters".to_owned(), End::Params(params.clone()));
        let (params, mut seen) = (params.clone(), 0);
        let read = move |is_closed: &AtomicBool| Ok(params.next(&mut seen, is_closed));
        let feed = Feed::start(read).map_err(|error| unreadable(&name, &error))?;
        Ok(self.add(Stream { name, feed, sink: None, end }))
    }

    /// Opens a folder; returns its number. Its lines are the names of files, those that are there and, later, those that are new or have
    /// changed.
    pub(crate) fn watch(&self, path: &Path, shown: &str) -> Result<i64, String> {
        let name = format!("the folder `{shown}`");
        let mut watched = Watched::open(path).map_err(|error| unreadable(&name, &error))?;
        let end = End::Files(watched.waker());
        let of_reader = name.clone();
        let read = move |is_closed: &AtomicBool| {
            watched.next(is_closed).map_err(|error| unreadable(&of_reader, &error))
        };
        let feed = Feed::start(read).map_err(|error| unreadable(&name, &error))?;
        Ok(self.add(Stream { name, feed, sink: None, end }))
    }
}

/// A map.
pub(crate) fn map(entries: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    Value::Map(Arc::new(entries.into_iter().map(|(key, value)| (Arc::from(key), value)).collect()))
}

/// Prefix of files that are being written.
pub(crate) const UNFINISHED: &str = ".hasse-unfinished-";

/// Longest wait for a connection.
const LONGEST_CONNECT: Duration = Duration::from_secs(30);

/// Keeps Ctrl-C, which drains or stops the run, from a subprocess.
pub(crate) fn apart(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(not(unix))]
    let _ = command;
}

/// Computes an answer on a new thread.
pub(crate) fn answer_on_thread(answer: impl FnOnce() -> Answer + Send + 'static) -> Result<Pending, String> {
    let (promise, promised) = Promise::new();
    thread::Builder::new()
        .name("hasse-ask".to_owned())
        .spawn(move || promise.keep(answer()))
        .map_err(|error| format!("cannot start a thread: {error}"))?;
    Ok(Pending::Promised(promised))
}

fn unwritable(name: &str, error: &dyn fmt::Display) -> String {
    format!("cannot write to {name}: {error}")
}

fn unreadable(name: &str, error: &io::Error) -> String {
    format!("cannot read {name}: {error}")
}

/// The next line without its end (`\n` or `\r\n`); `()` at the end.
pub(crate) fn line_of(reader: &mut impl BufRead) -> io::Result<Value> {
    let mut line = Vec::new();
    let n_bytes = reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)?;
    if n_bytes == 0 {
        return Ok(Value::Unit);
    }
    text_of_line(line)
}

fn text_of_line(mut line: Vec<u8>) -> io::Result<Value> {
    if line.pop_if(|last| *last == b'\n').is_some() {
        line.pop_if(|last| *last == b'\r');
    } else if line.len() as u64 == LONGEST_LINE {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a line is longer than 64 MiB"));
    }
    let text = String::from_utf8(line)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.utf8_error()))?;
    Ok(Value::String(Arc::from(text)))
}

fn accept(
    listener: &TcpListener,
    is_socket: bool,
    streams: &Weak<Streams>,
    is_closed: &AtomicBool,
) -> Answer {
    loop {
        let (peer, _) = listener.accept().map_err(|error| format!("cannot accept a connection: {error}"))?;
        if is_closed.load(Ordering::Relaxed) {
            return Err("the server was closed".to_owned());
        }
        if !is_socket {
            return add_peer(streams, peer);
        }
        // Other requests are refused.
        if let Ok(number) = add_socket(streams, peer, sockets::accept) {
            return Ok(number);
        }
    }
}

/// Adds the WebSocket that `open` opens on a connection.
fn add_socket(
    streams: &Weak<Streams>,
    peer: TcpStream,
    open: impl FnOnce(TcpStream) -> Result<(Reader, Writer), String>,
) -> Answer {
    let address = peer.peer_addr().map(|address| address.to_string()).unwrap_or_default();
    let name = format!("the WebSocket to {address}");
    let fault = |error: io::Error| unreadable(&name, &error);
    peer.set_nodelay(true).map_err(fault)?;
    let timing = peer.try_clone().map_err(fault)?;
    timing.set_read_timeout(Some(LONGEST_OPENING)).map_err(fault)?;
    let (mut reader, writer) = open(peer)?;
    timing.set_read_timeout(None).map_err(fault)?;
    let of_reader = name.clone();
    let read =
        move |_: &AtomicBool| reader.next().map_err(|error| format!("cannot read {of_reader}: {error}"));
    let feed = Feed::start(read).map_err(fault)?;
    let (of_writer, mut writer) = (name.clone(), writer);
    let sink = Sink::start(move |line| {
        if let Some(line) = line {
            return writer.send(line).map_err(|error| unwritable(&of_writer, &error));
        }
        writer.close();
        end_peer(writer.peer());
        Ok(())
    });
    let sink = Some(Arc::new(sink.map_err(fault)?));
    let Some(streams) = streams.upgrade() else { return Err("the run has ended".to_owned()) };
    Ok(Value::Int(streams.add(Stream { name, feed, sink, end: End::Socket(timing) })))
}

/// Adds the subscription of a topic.
fn add_topic(streams: &Weak<Streams>, address: &str) -> Answer {
    let (mut subscription, publisher) = topics::open(address)?;
    let feed = Feed::start(move |_| subscription.next()).map_err(|error| error.to_string())?;
    let Some(streams) = streams.upgrade() else { return Err("the run has ended".to_owned()) };
    let of_writer = address.to_owned();
    let sink = Sink::start(move |line| match line {
        Some(line) => publisher.publish(line).map_err(|error| unwritable(&of_writer, &error)),
        None => {
            publisher.close();
            Ok(())
        }
    });
    let sink = Some(Arc::new(sink.map_err(|error| error.to_string())?));
    let name = address.to_owned();
    Ok(Value::Int(streams.add(Stream { name, feed, sink, end: End::Topic })))
}

/// Scheme of the address of a server of WebSockets.
const SOCKET_SCHEME: &str = "ws://";

/// Longest wait for the request that opens a WebSocket, and for the reply to it.
const LONGEST_OPENING: Duration = Duration::from_secs(10);

/// Ends what is written to a connection.
fn end_peer(peer: &TcpStream) {
    // The peer may be gone already: errors do not matter.
    let _ = peer.shutdown(Shutdown::Write);
}

fn add_peer(streams: &Weak<Streams>, peer: TcpStream) -> Answer {
    let Some(streams) = streams.upgrade() else { return Err("the run has ended".to_owned()) };
    let address = peer.peer_addr().map(|address| address.to_string()).unwrap_or_default();
    let name = format!("the connection to {address}");
    let fault = |error: io::Error| unreadable(&name, &error);
    peer.set_nodelay(true).map_err(fault)?;
    let mut reader = BufReader::new(peer.try_clone().map_err(fault)?);
    let of_reader = name.clone();
    let feed = Feed::start(move |_| line_of(&mut reader).map_err(|error| unreadable(&of_reader, &error)));
    let feed = feed.map_err(fault)?;
    let (of_writer, mut writer) = (name.clone(), peer.try_clone().map_err(fault)?);
    let sink = Sink::start(move |line| {
        let Some(line) = line else {
            end_peer(&writer);
            return Ok(());
        };
        let written = writer.write_all(format!("{line}\n").as_bytes());
        written.map_err(|error| unwritable(&of_writer, &error))
    });
    let sink = Some(Arc::new(sink.map_err(fault)?));
    Ok(Value::Int(streams.add(Stream { name, feed, sink, end: End::Peer(peer) })))
}
