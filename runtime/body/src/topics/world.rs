//! MQTT by `rumqttc`.
//!
//! A connection to a broker has to be served all the time, so that each has a thread of its own. Messages that nobody has read wait in a
//! bounded queue. While it is full, those that come are dropped.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded};
use hasse_model::value::Value;
use rumqttc::{Client, Connection, Event, MqttOptions, Packet, QoS, SubscribeReasonCode};

use crate::addresses::host_of;
use crate::tls;
use crate::topics::{addressed, has_wildcard};
use crate::waiting::Answer;

/// Messages of a topic.
#[derive(Debug)]
pub(crate) struct Subscription(Receiver<Value>);

/// Publishes messages on a topic.
pub(crate) struct Publisher {
    client: Client,
    topic: String,
    is_closed: Arc<AtomicBool>,
    /// Disconnected when the thread has ended.
    ended: Receiver<()>,
}

impl fmt::Debug for Publisher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Publisher").field("topic", &self.topic).finish_non_exhaustive()
    }
}

/// Maximum number of messages that wait to be read, and of those that wait to be sent.
const MOST_WAITING: usize = 1_000;

/// Time between two attempts to connect to a broker that was lost.
const RECONNECT_AFTER: Duration = Duration::from_secs(1);

/// Time between two signs of life.
const KEEP_ALIVE: Duration = Duration::from_secs(30);

/// Longest wait for messages that are still to be sent.
const LONGEST_END: Duration = Duration::from_secs(5);

/// Number of connections so far, as brokers tell clients apart by their names.
static N_OPENED: AtomicU64 = AtomicU64::new(0);

/// Subscribes to the topic of `mqtt://host:port/topic`, in which `+` and `#` stand for any words. A connection to `mqtts://` is encrypted.
///
/// # Errors
/// There is no broker, it refuses, or its certificate is not trusted.
pub(crate) fn open(address: &str) -> Result<(Subscription, Publisher), String> {
    let (scheme, rest) = address.split_once("://").unwrap_or(("mqtt", address));
    let (_, topic) =
        rest.split_once('/').filter(|(_, topic)| !topic.is_empty()).ok_or("it names no topic")?;
    let place = host_of(address);
    let (host, port) = place.rsplit_once(':').ok_or("it names no port")?;
    let port = port.parse().map_err(|_| format!("`{port}` is no port"))?;
    let name = format!("hasse-{}-{}", std::process::id(), N_OPENED.fetch_add(1, Ordering::Relaxed));
    let mut options = MqttOptions::new(name, host, port);
    options.set_keep_alive(KEEP_ALIVE);
    if scheme == "mqtts" {
        options.set_transport(encrypted()?);
    }
    let (client, connection) = Client::new(options, MOST_WAITING);
    let (opened, is_open) = bounded(1);
    let (sender, receiver) = bounded(MOST_WAITING);
    let is_closed = Arc::new(AtomicBool::new(false));
    let (end, ended) = bounded(0);
    let serving = Serving {
        client: client.clone(),
        topic: topic.to_owned(),
        is_closed: Arc::clone(&is_closed),
        opened: Some(opened),
        received: sender,
        _end: end,
    };
    thread::Builder::new()
        .name("hasse-mqtt".to_owned())
        .spawn(move || serving.serve(connection))
        .map_err(|error| error.to_string())?;
    is_open.recv().map_err(|_| "the connection has ended".to_owned())??;
    Ok((Subscription(receiver), Publisher { client, topic: topic.to_owned(), is_closed, ended }))
}

#[cfg(feature = "tls")]
fn encrypted() -> Result<rumqttc::Transport, String> {
    Ok(rumqttc::Transport::tls_with_config(rumqttc::TlsConfiguration::Rustls(tls::config()?)))
}

#[cfg(not(feature = "tls"))]
fn encrypted() -> Result<rumqttc::Transport, String> {
    tls::missing()
}

struct Serving {
    client: Client,
    topic: String,
    is_closed: Arc<AtomicBool>,
    /// Reports the result of the subscription; `None` after that.
    opened: Option<Sender<Result<(), String>>>,
    received: Sender<Value>,
    _end: Sender<()>,
}

impl Serving {
    fn serve(mut self, mut connection: Connection) {
        for event in connection.iter() {
            match event {
                // After each connection, as the broker may have forgotten us.
                Ok(Event::Incoming(Packet::ConnAck(_))) => {
                    if self.client.try_subscribe(&self.topic, QoS::AtLeastOnce).is_err() {
                        return;
                    }
                }
                Ok(Event::Incoming(Packet::SubAck(reply))) => {
                    let is_refused = reply.return_codes.contains(&SubscribeReasonCode::Failure);
                    self.open(if is_refused {
                        Err("the broker refuses the subscription".to_owned())
                    } else {
                        Ok(())
                    });
                }
                Ok(Event::Incoming(Packet::Publish(message))) => {
                    let mut payload = message.payload.to_vec();
                    if has_wildcard(&self.topic) {
                        payload.splice(0..0, format!("{} ", message.topic).into_bytes());
                    }
                    let value = match String::from_utf8(payload) {
                        Ok(text) => Value::String(Arc::from(text)),
                        Err(error) => Value::Bytes(Arc::new(error.into_bytes())),
                    };
                    // Messages beyond the queue are dropped: blocking here would lose the connection.
                    let _ = self.received.try_send(value);
                }
                Ok(_) => {}
                Err(error) if self.opened.is_some() => {
                    let refusal = tls::refusal(&error);
                    return self.open(Err(refusal.unwrap_or_else(|| error.to_string())));
                }
                Err(_) if self.is_closed.load(Ordering::Relaxed) => return,
                Err(_) => thread::sleep(RECONNECT_AFTER),
            }
        }
    }

    fn open(&mut self, opened: Result<(), String>) {
        if let Some(waiting) = self.opened.take() {
            let _ = waiting.send(opened);
        }
    }
}

impl Subscription {
    /// The next message: text, or bytes; `()` when the connection is closed.
    pub(crate) fn next(&mut self) -> Answer {
        Ok(self.0.recv().unwrap_or_default())
    }
}

impl Publisher {
    pub(crate) fn publish(&self, text: &str) -> Result<(), String> {
        let (topic, message) = match has_wildcard(&self.topic) {
            false => (self.topic.as_str(), text),
            true => addressed(text)?,
        };
        self.client
            .publish(topic, QoS::AtLeastOnce, false, message.as_bytes())
            .map_err(|error| error.to_string())
    }

    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
        // The broker may be gone already: errors do not matter.
        let _ = self.client.disconnect();
        let _ = self.ended.recv_timeout(LONGEST_END);
    }
}
