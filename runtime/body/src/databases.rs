//! SQL databases: files of SQLite, behind the feature `sqlite`, and PostgreSQL servers, behind the feature `postgres`.

use hasse_model::value::Value;

/// PostgreSQL.
pub(crate) mod postgres;
#[cfg_attr(feature = "sqlite", path = "databases/world.rs")]
#[cfg_attr(not(feature = "sqlite"), path = "databases/missing.rs")]
mod world;

pub(crate) use world::Databases;

/// A query.
#[cfg_attr(
    not(all(feature = "sqlite", feature = "postgres")),
    allow(dead_code, reason = "a build without databases asks nothing")
)]
pub(crate) struct Query<'a> {
    /// The database, as the body names it.
    pub(crate) database: &'a str,
    pub(crate) text: &'a str,
    pub(crate) values: Vec<Value>,
}

/// Returns true if a database is on a server, `postgres://user@host:port/database`, and not a file.
pub(crate) fn is_on_server(database: &str) -> bool {
    ["postgres://", "postgresql://"].iter().any(|scheme| database.starts_with(scheme))
}
