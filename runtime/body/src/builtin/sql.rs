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
            context.outside().write_ahead()?;
            return context.outside().database_servers.ask(query);
        }
        let (path, is_writable) = match context.writable(database) {
            Ok(path) => (path, true),
            // Nothing can be read from a file that is not there: it would have to be made.
            Err(denial) => {
                (context.readable(database).ok().filter(|path| path.exists()).ok_or(denial)?, false)
            }
        };
        if is_writable {
            context.outside().write_ahead()?;
        }
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

#[cfg(all(test, feature = "sqlite"))]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use std::sync::Arc;

    use crate::effects::{EffectSource, EventContext, SharedContext};
    use crate::interrupt::StopSignal;
    use crate::sandbox::{Outside, Sandbox};
    use crate::script;

    #[test]
    fn database_that_may_not_be_written_must_be_there() {
        let folder = tempfile::tempdir().unwrap();
        let outside = Outside::new(folder.path(), &Sandbox::default());
        let context = SharedContext::new(EventContext::new(Arc::new(outside)));
        context.lock().begin(EffectSource::World, 0);
        let engine = script::engine(&context, &StopSignal::default(), &Default::default());
        let error_of = |query: &str| engine.run(&format!("sql(`x.db`, `{query}`)")).unwrap_err().to_string();
        let missing = error_of("select 1");
        assert!(missing.contains("access denied: `x.db` may not be written"), "{missing}");
        std::fs::write(folder.path().join("x.db"), "").unwrap();
        assert_eq!(engine.eval::<i64>("sql(`x.db`, `select 1 as n`)[0].n").unwrap(), 1);
        let readonly = error_of("create table t (x)");
        assert!(readonly.contains("attempt to write a readonly database"), "{readonly}");
    }
}
