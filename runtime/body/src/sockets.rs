//! WebSockets over TCP connections, behind the feature `http`: streams whose lines are messages.

#[cfg_attr(feature = "http", path = "sockets/world.rs")]
#[cfg_attr(not(feature = "http"), path = "sockets/missing.rs")]
mod world;

pub(crate) use world::{Reader, Writer, accept, connect};
