//! HTTP, as client and server. What asks the world is behind the feature `http`.

use std::collections::BTreeMap;
use std::time::Duration;

#[cfg_attr(feature = "http", path = "http/world.rs")]
#[cfg_attr(not(feature = "http"), path = "http/missing.rs")]
mod world;

pub(crate) use world::{Servers, address_of, send};

/// Headers and body of a request or reply.
#[cfg_attr(not(feature = "http"), expect(dead_code, reason = "a build without HTTP sends nothing"))]
#[derive(Default)]
pub(crate) struct Message {
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
}

/// A request to be sent.
#[cfg_attr(not(feature = "http"), expect(dead_code, reason = "a build without HTTP sends nothing"))]
pub(crate) struct Asked<'a> {
    pub(crate) method: &'a str,
    pub(crate) url: &'a str,
    pub(crate) message: Message,
    /// Longest wait for the reply.
    pub(crate) limit: Duration,
}
