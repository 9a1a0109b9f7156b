//! PostgreSQL by the crate `postgres`.

use std::collections::BTreeMap;
use std::error::Error as _;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hasse_model::value::Value;
use parking_lot::Mutex;
use postgres::config::{Host, SslMode};
use postgres::error::SqlState;
use postgres::types::{FromSql, ToSql};
use postgres::{Client, Config, Error, NoTls, Row};

use super::super::Query;
use super::cells::Cell;
use super::params::Param;
use crate::streams::answer_on_thread;
use crate::tls;
use crate::waiting::Pending;

/// The servers that a run is connected to, by their addresses. One query at a time is carried out by each.
#[derive(Default)]
pub(crate) struct Servers(Mutex<BTreeMap<String, Connection>>);

type Connection = Arc<Mutex<Option<Client>>>;

impl fmt::Debug for Servers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Servers").finish_non_exhaustive()
    }
}

/// Longest wait for a connection.
const LONGEST_CONNECT: Duration = Duration::from_secs(30);

/// The configuration that a URL states. It is read once for the grant and for the connection, by the same rules.
fn config(url: &str) -> Result<Config, String> {
    url.parse().map_err(|error: Error| message(&error))
}

/// All addresses that a URL may lead to, each `host:port`.
///
/// # Errors
/// It is no URL of PostgreSQL, or leads to a socket of the file system.
pub(crate) fn addresses_of(url: &str) -> Result<Vec<String>, String> {
    let config = config(url)?;
    let ports = match config.get_ports() {
        [] => &[5432],
        ports => ports,
    };
    let mut hosts = Vec::new();
    for host in config.get_hosts() {
        match host {
            Host::Tcp(name) => hosts.push(name.clone()),
            #[cfg(unix)]
            Host::Unix(path) => {
                return Err(format!("PostgreSQL: sockets such as {} are not supported", path.display()));
            }
        }
    }
    hosts.extend(config.get_hostaddrs().iter().map(ToString::to_string));
    if hosts.is_empty() {
        return Err("PostgreSQL: the URL names no host".to_owned());
    }
    let with_ports =
        |host: &String| ports.iter().map(move |port| format!("{host}:{port}")).collect::<Vec<_>>();
    Ok(hosts.iter().flat_map(with_ports).collect())
}

impl Servers {
    /// Carries out a query, on a thread of its own, which connects first where that is necessary.
    pub(crate) fn ask(&self, query: Query<'_>) -> Result<Pending, String> {
        let connection = Arc::clone(self.0.lock().entry(query.database.to_owned()).or_default());
        let (url, text, values) = (query.database.to_owned(), query.text.to_owned(), query.values);
        answer_on_thread(move || {
            let mut held = connection.lock();
            let client = match held.take().filter(|client| !client.is_closed()) {
                Some(client) => client,
                None => connect(&url)?,
            };
            rows(held.insert(client), &text, &values)
        })
    }
}

/// Connects to a server. The connection is encrypted if the URL requires it, and else not.
fn connect(url: &str) -> Result<Client, String> {
    let mut config = config(url)?;
    config.connect_timeout(LONGEST_CONNECT);
    let connected = match config.get_ssl_mode() {
        SslMode::Require => connect_encrypted(&config)?,
        _ => config.connect(NoTls),
    };
    connected.map_err(|error| message(&error))
}

#[cfg(feature = "tls")]
fn connect_encrypted(config: &Config) -> Result<Result<Client, Error>, String> {
    Ok(config.connect(tls::postgres::Connector::new()?))
}

#[cfg(not(feature = "tls"))]
fn connect_encrypted(_: &Config) -> Result<Result<Client, Error>, String> {
    tls::missing()
}

/// The rows of a statement; none of several statements, which are carried out where there are no values.
fn rows(client: &mut Client, text: &str, values: &[Value]) -> Result<Value, String> {
    let params: Vec<Param<'_>> = values.iter().map(Param).collect();
    let params: Vec<&(dyn ToSql + Sync)> = params.iter().map(|param| param as _).collect();
    let found = match client.query(text, &params) {
        Err(error) if error.code() == Some(&SqlState::SYNTAX_ERROR) && values.is_empty() => {
            // Several statements cannot be prepared. Any other error is reported again.
            client.batch_execute(text).map_err(|error| message(&error))?;
            Vec::new()
        }
        found => found.map_err(|error| message(&error))?,
    };
    let found = found.iter().map(row).collect::<Result<Vec<_>, _>>()?;
    Ok(Value::Array(found.into()))
}

/// The server's message, which `Error` itself does not show.
fn message(error: &Error) -> String {
    if let Some(refusal) = tls::refusal(error) {
        return format!("PostgreSQL: {refusal}");
    }
    match error.source() {
        Some(source) => format!("PostgreSQL: {source}"),
        None => format!("PostgreSQL: {error}"),
    }
}

fn row(row: &Row) -> Result<Value, String> {
    let cell = |(idx, column): (usize, &postgres::Column)| {
        let (name, ty) = (column.name(), column.type_());
        if !Cell::accepts(ty) {
            return Err(format!("PostgreSQL: the column `{name}` is of type {ty}: cast it, `{name}::text`"));
        }
        let Cell(value) = row.try_get(idx).map_err(|error| message(&error))?;
        Ok((Arc::from(name), value))
    };
    let cells = row.columns().iter().enumerate().map(cell);
    Ok(Value::Map(Arc::new(cells.collect::<Result<_, String>>()?)))
}

#[cfg(test)]
mod tests {
    use super::addresses_of;

    #[test]
    fn all_addresses_of_a_url_are_listed() {
        for (url, expected) in [
            ("postgres://me:secret@db.example:6000/shop", "db.example:6000"),
            ("postgresql://localhost/shop", "localhost:5432"),
            ("postgres://127.0.0.1/db?hostaddr=6.6.6.6", "127.0.0.1:5432 6.6.6.6:5432"),
            ("postgres://127.0.0.1/db?host=evil&port=7", "127.0.0.1:7 evil:7"),
        ] {
            let found = addresses_of(url).unwrap_or_else(|error| vec![error]);
            let listed: Vec<&str> = expected.split(' ').collect();
            assert!(
                listed.iter().all(|address| found.iter().any(|known| known == address)),
                "{url}: {found:?}"
            );
        }
        let addresses = addresses_of("postgres://127.0.0.1:5432/x@evil:5432/db").unwrap_or_default();
        assert!(
            addresses.is_empty() || addresses.iter().any(|address| address.starts_with("evil")),
            "{addresses:?}"
        );
        assert!(addresses_of("postgres:///db?host=/tmp").is_err());
    }
}
