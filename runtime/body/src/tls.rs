//! TLS of connections to servers, behind the feature `tls`.
//!
//! Servers are trusted whose certificate an authority of the system has signed, or one of the file that the environment variable
//! `SSL_CERT_FILE` names.

#[cfg_attr(feature = "tls", path = "tls/world.rs")]
#[cfg_attr(not(feature = "tls"), path = "tls/missing.rs")]
#[cfg_attr(
    not(all(feature = "http", feature = "mqtt", feature = "postgres", feature = "tls")),
    allow(dead_code, reason = "a build with fewer features uses less of it")
)]
mod world;

/// Connections to PostgreSQL servers.
#[cfg(all(feature = "tls", feature = "postgres"))]
pub(crate) mod postgres;
#[cfg(all(test, feature = "tls", feature = "http", feature = "mqtt", feature = "postgres"))]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests;

#[cfg_attr(
    not(all(feature = "http", feature = "mqtt", feature = "postgres", feature = "tls")),
    allow(unused_imports, reason = "a build with fewer features uses less of it")
)]
pub(crate) use world::*;
