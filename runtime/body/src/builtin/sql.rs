//! SQL through SQLite, behind the feature `sqlite`.

use hasse_model::event::EffectKind;
use hasse_model::value::Value;
use rhai::{Array, Dynamic, Engine};

use super::effect::ask_waiting;
use super::limits::{Outcome, failure};
use crate::convert::value_from_dynamic;
use crate::effects::SharedContext;

#[cfg_attr(feature = "sqlite", path = "sql/world.rs")]
#[cfg_attr(not(feature = "sqlite"), path = "sql/missing.rs")]
mod world;

pub(crate) use world::Databases;

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
    let value = |held: Dynamic| match value_from_dynamic(&held) {
        Ok(
            value @ (Value::Unit
            | Value::Int(_)
            | Value::Real(_)
            | Value::Bool(_)
            | Value::String(_)
            | Value::Bytes(_)),
        ) => Ok(value),
        _ => Err(failure(format!("sql: a value of type {} cannot stand in a table", held.type_name()))),
    };
    let values = values.into_iter().map(value).collect::<Outcome<Vec<Value>>>()?;
    ask_waiting(context, EffectKind::Sql, |context| {
        context.outside().databases.ask(context, database, query, values)
    })
}
