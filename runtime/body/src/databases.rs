//! Databases: files of SQLite, behind the feature `sqlite`, and PostgreSQL servers, behind the feature `postgres`.

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

/// Address of the server of `postgres://user@host:port/database`, `host:port`; `None` for a file.
pub(crate) fn server_of(database: &str) -> Option<String> {
    let rest = ["postgres://", "postgresql://"].iter().find_map(|scheme| database.strip_prefix(scheme))?;
    let place = rest.split(['/', '?']).next().unwrap_or(rest);
    let host = place.rsplit_once('@').map_or(place, |(_, host)| host);
    Some(if host.contains(':') { host.to_owned() } else { format!("{host}:5432") })
}

#[cfg(test)]
mod tests {
    use super::server_of;

    #[test]
    fn servers_are_told_from_files() {
        let server = |database| server_of(database).unwrap_or_default();
        assert_eq!(server("postgres://me:secret@db.example:6000/shop"), "db.example:6000");
        assert_eq!(server("postgresql://localhost/shop?a=b"), "localhost:5432");
        assert_eq!(server("shop.db"), "");
    }
}
