//! SQL by `rusqlite`, which holds SQLite itself.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hasse_model::value::Value;
use parking_lot::Mutex;
use rusqlite::fallible_iterator::FallibleIterator;
use rusqlite::types::{ToSqlOutput, Value as Held, ValueRef};
use rusqlite::{Connection, OpenFlags, ToSql, params_from_iter};

use super::Query;
use crate::streams::answer_on_thread;
use crate::waiting::Pending;

/// Longest wait for a database that another process has locked.
const LONGEST_LOCK: Duration = Duration::from_secs(30);

/// The open databases of a run, by their paths. One query at a time is carried out in each.
#[derive(Debug, Default)]
pub(crate) struct Databases(Mutex<BTreeMap<PathBuf, Arc<Mutex<Connection>>>>);

impl Databases {
    fn open(&self, path: &Path, is_writable: bool) -> rusqlite::Result<Arc<Mutex<Connection>>> {
        let mut open = self.0.lock();
        if let Some(connection) = open.get(path) {
            return Ok(Arc::clone(connection));
        }
        let flags = match is_writable {
            true => OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
            false => OpenFlags::SQLITE_OPEN_READ_ONLY,
        };
        let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        connection.busy_timeout(LONGEST_LOCK)?;
        // A query cannot open another file than this one.
        connection.set_limit(rusqlite::limits::Limit::SQLITE_LIMIT_ATTACHED, 0)?;
        let connection = Arc::new(Mutex::new(connection));
        open.insert(path.to_owned(), Arc::clone(&connection));
        Ok(connection)
    }

    /// Carries out a query, on a thread of its own. A database that is not writable is opened for reading.
    pub(crate) fn ask(&self, query: Query<'_>, path: PathBuf, is_writable: bool) -> Result<Pending, String> {
        let Query { database, text, values } = query;
        let connection = self.open(&path, is_writable).map_err(|error| format!("`{database}`: {error}"))?;
        let (database, text) = (database.to_owned(), text.to_owned());
        answer_on_thread(move || {
            let connection = connection.lock();
            let found = rows(&connection, &text, &values).map_err(|error| format!("`{database}`: {error}"));
            // Others use the same connection.
            if connection.is_autocommit() {
                return found;
            }
            let undone =
                connection.execute_batch("rollback").map_err(|error| format!("`{database}`: {error}"));
            undone
                .and(found)
                .and(Err(format!("`{database}`: the query leaves a transaction open, which was undone")))
        })
    }
}

/// Carries out all statements of a query; the rows of the last one.
fn rows(connection: &Connection, query: &str, values: &[Value]) -> Result<Value, rusqlite::Error> {
    let mut batch = rusqlite::Batch::new(connection, query);
    let mut found = Vec::new();
    while let Some(mut statement) = batch.next()? {
        let names: Vec<Arc<str>> = statement.column_names().map(Arc::from).collect();
        // Values belong to the statement with that many places.
        let n_places = statement.parameter_count();
        let given = values.iter().take(n_places).map(Bound);
        found.clear();
        let mut rows = statement.query(params_from_iter(given))?;
        while let Some(row) = rows.next()? {
            let cell = |(idx, name): (usize, &Arc<str>)| Ok((Arc::clone(name), value_of(row.get_ref(idx)?)));
            let cells = names.iter().enumerate().map(cell);
            found.push(Value::Map(Arc::new(cells.collect::<rusqlite::Result<_>>()?)));
        }
    }
    Ok(Value::Array(found.into()))
}

struct Bound<'v>(&'v Value);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self.0 {
            Value::Int(number) => ToSqlOutput::Owned(Held::Integer(*number)),
            Value::Bool(flag) => ToSqlOutput::Owned(Held::Integer(i64::from(*flag))),
            Value::Real(number) => ToSqlOutput::Owned(Held::Real(*number)),
            Value::String(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Value::Bytes(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
            _ => ToSqlOutput::Owned(Held::Null),
        })
    }
}

fn value_of(cell: ValueRef<'_>) -> Value {
    match cell {
        ValueRef::Null => Value::Unit,
        ValueRef::Integer(number) => Value::Int(number),
        ValueRef::Real(number) => Value::Real(number),
        ValueRef::Text(text) => Value::String(Arc::from(String::from_utf8_lossy(text))),
        ValueRef::Blob(bytes) => Value::Bytes(Arc::new(bytes.to_vec())),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::{Databases, Query};
    use crate::clock::Clock;

    #[test]
    fn full_database_is_an_error_and_keeps_its_rows() {
        let folder = tempfile::tempdir().unwrap();
        let databases = Databases::default();
        let ask = |text: &str| {
            let query = Query { database: "x.db", text, values: Vec::new() };
            let pending = databases.ask(query, folder.path().join("x.db"), true).unwrap();
            pending.block(&Clock::new(false), None, false)
        };
        ask("create table t (x blob); insert into t values (1); pragma max_page_count = 8").unwrap();
        let error = ask("begin; insert into t values (zeroblob(100000)); commit").unwrap_err();
        assert!(error.contains("`x.db`: database or disk is full"), "{error}");
        let rows = ask("select count(*) as n from t").unwrap();
        assert!(format!("{rows:?}").contains("\"n\": Int(1)"), "{rows:?}");
        ask("insert into t values (2)").unwrap();
    }
}
