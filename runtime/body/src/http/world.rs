//! HTTP by `ureq` and `tiny_http`, both of which use a thread for each request.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use hasse_model::value::Value;
use parking_lot::Mutex;
use tiny_http::{Header, Request, Response, Server, StatusCode};
use ureq::http::{Request as ToSend, Uri};

use super::{Asked, Message};
use crate::streams::{answer_on_thread, map};
use crate::tls;
use crate::waiting::feed::Feed;
use crate::waiting::{Answer, Pending};

/// Largest body of a request or reply, in bytes: 256 MiB.
const LARGEST_BODY: u64 = 256 << 20;

/// The servers of a run, and the requests that wait for replies.
#[derive(Debug, Default)]
pub(crate) struct Servers {
    servers: Mutex<BTreeMap<i64, Listening>>,
    requests: Arc<Mutex<Requests>>,
}

struct Listening {
    server: Arc<Server>,
    feed: Feed,
}

impl std::fmt::Debug for Listening {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Listening").field("feed", &self.feed).finish_non_exhaustive()
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.server.unblock();
    }
}

#[derive(Default)]
struct Requests {
    n_received: i64,
    waiting: BTreeMap<i64, Request>,
}

impl std::fmt::Debug for Requests {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Requests").finish_non_exhaustive()
    }
}

/// The address that a URL leads to, `host:port`.
pub(crate) fn address_of(url: &str) -> Result<String, String> {
    let uri: Uri = url.parse().map_err(|error| format!("`{url}` is no URL: {error}"))?;
    let host = uri.host().ok_or_else(|| format!("the URL `{url}` names no host"))?;
    match uri.scheme_str() {
        Some("http") => Ok(format!("{host}:{}", uri.port_u16().unwrap_or(80))),
        Some("https") => {
            tls::check()?;
            Ok(format!("{host}:{}", uri.port_u16().unwrap_or(443)))
        }
        _ => Err(format!("the URL `{url}` does not begin with `http://` or `https://`")),
    }
}

/// Sends a request, on a thread of its own. Redirections are not followed, as they may lead to what is not granted.
pub(crate) fn send(asked: Asked<'_>) -> Result<Pending, String> {
    let Asked { method, url, message, limit } = asked;
    let Message { headers, body } = message;
    let mut builder = ToSend::builder().method(method).uri(url);
    for (name, value) in headers {
        builder = builder.header(name, value);
    }
    let fault = {
        let (method, url) = (method.to_owned(), url.to_owned());
        move |error: &dyn std::fmt::Display| format!("{method} {url}: {error}")
    };
    let asked = builder.body(body).map_err(|error| fault(&error))?;
    answer_on_thread(move || {
        let agent = agent(asked.uri(), limit).map_err(|error| fault(&error))?;
        let replied = match asked.body().is_empty() {
            true => agent.run(asked.map(|_| ())),
            false => agent.run(asked),
        };
        let (parts, mut body) = replied.map_err(|error| fault(&shown(&error)))?.into_parts();
        let bytes = body.with_config().limit(LARGEST_BODY).read_to_vec().map_err(|error| fault(&error))?;
        let headers = parts.headers.iter().map(|(name, value)| {
            (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
        });
        Ok(map([
            ("status", Value::Int(i64::from(parts.status.as_u16()))),
            ("headers", headers_of(headers)),
            ("body", body_of(bytes)),
        ]))
    })
}

/// The agent of one request.
fn agent(url: &Uri, limit: Duration) -> Result<ureq::Agent, String> {
    let config = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .proxy(None)
        .timeout_global(Some(limit));
    #[cfg(feature = "tls")]
    if url.scheme_str() == Some("https") {
        return Ok(config.tls_config(tls::http_config()?).build().into());
    }
    #[cfg(not(feature = "tls"))]
    let _ = url;
    Ok(config.build().into())
}

/// The text of an error; of a certificate that is not trusted, the reason.
fn shown(error: &ureq::Error) -> String {
    let refusal = match error {
        ureq::Error::Io(error) => tls::refusal(error),
        _ => tls::refusal(error),
    };
    refusal.unwrap_or_else(|| error.to_string())
}

/// Headers, with names in lower case. Of several of one name all are kept, as HTTP allows: `a, b`.
fn headers_of(headers: impl Iterator<Item = (String, String)>) -> Value {
    let mut held: BTreeMap<Arc<str>, String> = BTreeMap::new();
    for (name, value) in headers {
        held.entry(Arc::from(name.to_ascii_lowercase()))
            .and_modify(|all| {
                all.push_str(", ");
                all.push_str(&value);
            })
            .or_insert(value);
    }
    Value::Map(Arc::new(
        held.into_iter().map(|(name, text)| (name, Value::String(Arc::from(text)))).collect(),
    ))
}

/// Text, or bytes where they are not UTF-8.
fn body_of(bytes: Vec<u8>) -> Value {
    match String::from_utf8(bytes) {
        Ok(text) => Value::String(Arc::from(text)),
        Err(error) => Value::Bytes(Arc::new(error.into_bytes())),
    }
}

impl Servers {
    pub(crate) fn listen(&self, address: &str) -> Result<i64, String> {
        let fault = |error: &dyn std::fmt::Display| format!("cannot listen on {address}: {error}");
        let server = Arc::new(Server::http(address).map_err(|error| fault(&error))?);
        let (receiving, requests) = (Arc::clone(&server), Arc::downgrade(&self.requests));
        let feed = Feed::start(move |is_closed| receive(&receiving, &requests, is_closed));
        let feed = feed.map_err(|error| fault(&error))?;
        let mut servers = self.servers.lock();
        let number = servers.len() as i64 + 1;
        servers.insert(number, Listening { server, feed });
        Ok(number)
    }

    pub(crate) fn address(&self, server: i64) -> Result<String, String> {
        let servers = self.servers.lock();
        let listening = servers.get(&server).ok_or_else(|| no_server(server))?;
        Ok(listening.server.server_addr().to_string())
    }

    /// Asks for the next request to a server.
    pub(crate) fn next(&self, server: i64) -> Result<Pending, String> {
        let servers = self.servers.lock();
        let listening = servers.get(&server).ok_or_else(|| no_server(server))?;
        listening.feed.ask_for_input()
    }

    /// Sends a reply, on a thread of its own: a client may read slowly.
    pub(crate) fn reply(&self, asked: i64, status: u16, message: Message) -> Result<Pending, String> {
        let request = self.requests.lock().waiting.remove(&asked);
        let request = request.ok_or_else(|| format!("no request {asked} waits for a reply"))?;
        let mut response = Response::from_string(message.body).with_status_code(StatusCode(status));
        for (name, value) in message.headers {
            let header = Header::from_bytes(name.as_bytes(), value.as_bytes())
                .map_err(|()| format!("`{name}: {value}` is no header"))?;
            response.add_header(header);
        }
        answer_on_thread(move || match request.respond(response) {
            Ok(()) => Ok(Value::Unit),
            Err(error) => Err(format!("cannot reply to request {asked}: {error}")),
        })
    }
}

fn no_server(server: i64) -> String {
    format!("there is no HTTP server {server}")
}

fn receive(server: &Server, requests: &Weak<Mutex<Requests>>, is_closed: &AtomicBool) -> Answer {
    loop {
        let mut request = server.recv().map_err(|error| format!("cannot receive a request: {error}"))?;
        if is_closed.load(Ordering::Relaxed) {
            return Err("the server was closed".to_owned());
        }
        let mut body = Vec::new();
        // A request that breaks off is none.
        if request.as_reader().take(LARGEST_BODY + 1).read_to_end(&mut body).is_err() {
            continue;
        }
        if body.len() as u64 > LARGEST_BODY {
            // The client learns it, if it still listens.
            let _ = request.respond(Response::empty(StatusCode(413)));
            continue;
        }
        let Some(requests) = requests.upgrade() else { return Err("the run has ended".to_owned()) };
        let mut requests = requests.lock();
        requests.n_received += 1;
        let number = requests.n_received;
        let url = request.url().to_owned();
        let (path, query) = url.split_once('?').unwrap_or((&url, ""));
        let headers = request.headers().iter();
        let headers = headers.map(|header| (header.field.to_string(), header.value.to_string()));
        let text = |text: &str| Value::String(Arc::from(text));
        let received = map([
            ("request", Value::Int(number)),
            ("method", text(&request.method().to_string())),
            ("path", text(path)),
            ("query", text(query)),
            ("headers", headers_of(headers)),
            ("body", body_of(body)),
        ]);
        requests.waiting.insert(number, request);
        return Ok(received);
    }
}

#[cfg(test)]
mod tests {
    use super::address_of;

    #[test]
    fn default_port_of_a_scheme_is_added() {
        assert_eq!(address_of("http://example.org/x"), Ok("example.org:80".to_owned()));
        assert_eq!(address_of("http://example.org:81/x"), Ok("example.org:81".to_owned()));
        let encrypted = address_of("https://example.org/x");
        match cfg!(feature = "tls") {
            true => assert_eq!(encrypted, Ok("example.org:443".to_owned())),
            false => assert!(encrypted.is_err_and(|error| error.contains("`--features tls`"))),
        }
        assert!(address_of("ftp://example.org/").is_err());
        assert!(address_of("https:///x").is_err());
    }
}
