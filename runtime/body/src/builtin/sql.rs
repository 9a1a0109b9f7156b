//! SQL through SQLite and PostgreSQL.

use hasse_model::event::EffectKind;
use hasse_model::value::Value;
use rhai::{Array, Dynamic, Engine};

use super::effect::ask_waiting;
use super::limits::{Outcome, failure};
use crate::convert::value_from_dynamic;
use crate::databases::{Query, is_on_server, postgres};
use crate::effects::SharedContext;

/// Registers the family.
pub(super) fn register(engine: &mut Engine, context: &SharedContext) {
    let (plain, with_values) = (context.clone(), context.clone());
    engine
        .register_fn("sql", move |database: &str, query: &str| sql(&plain, database, query, Array::new()))
        .register_fn("sql", move |database: &str, query: &str, values: Array| {
            sql(&with_values, database, query, values)
        });
}

/// `sql(database, query, values)`: the rows that a query returns, array of maps.
fn sql(context: &SharedContext, database: &str, query: &str, values: Array) -> Outcome<Dynamic> {
    let has_arrays = is_on_server(database);
    let value = |held: Dynamic| match value_from_dynamic(&held) {
        Ok(value) if is_cell(&value, has_arrays) => Ok(value),
        _ => Err(failure(format!("sql: a value of type {} cannot stand in a table", held.type_name()))),
    };
    let values = values.into_iter().map(value).collect::<Outcome<Vec<Value>>>()?;
    ask_waiting(context, EffectKind::Sql, |context| {
        let query = Query { database, text: query, values };
        if is_on_server(database) {
            for address in postgres::addresses_of(database)? {
                context.outside().check_net(&address)?;
            }
            return context.outside().database_servers.ask(query);
        }
        let (path, is_writable) = match context.writable(database) {
            Ok(path) => (path, true),
            // Nothing can be read from a file that is not there: it would have to be made.
            Err(denial) => {
                (context.readable(database).ok().filter(|path| path.exists()).ok_or(denial)?, false)
            }
        };
        context.outside().databases.ask(query, path, is_writable)
    })
}

/// Returns true if a value can stand in a table: a scalar, or an array of them where tables have arrays.
fn is_cell(value: &Value, has_arrays: bool) -> bool {
    match value {
        Value::Unit
        | Value::Int(_)
        | Value::Real(_)
        | Value::Bool(_)
        | Value::String(_)
        | Value::Bytes(_) => true,
        Value::Array(items) => has_arrays && items.iter().all(|item| is_cell(item, has_arrays)),
        _ => false,
    }
}
