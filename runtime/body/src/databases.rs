//! Databases of SQLite, behind the feature `sqlite`.

use std::path::PathBuf;

use hasse_model::value::Value;

#[cfg_attr(feature = "sqlite", path = "databases/world.rs")]
#[cfg_attr(not(feature = "sqlite"), path = "databases/missing.rs")]
mod world;

pub(crate) use world::Databases;

/// A query.
#[cfg_attr(not(feature = "sqlite"), expect(dead_code, reason = "a build without SQLite asks nothing"))]
pub(crate) struct Query<'a> {
    /// The database, as the body names it.
    pub(crate) database: &'a str,
    pub(crate) path: PathBuf,
    /// Opened for reading alone if not.
    pub(crate) is_writable: bool,
    pub(crate) text: &'a str,
    pub(crate) values: Vec<Value>,
}
