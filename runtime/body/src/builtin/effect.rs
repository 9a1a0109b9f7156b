//! How a function asks the world outside: once for each call, with an answer that is a value.

use std::sync::Arc;

use hasse_model::event::EffectKind;
use hasse_model::value::Value;
use rhai::{Dynamic, Engine};

use super::limits::{Outcome, failure, refusal};
use crate::convert::dynamic_from_value;
use crate::effects::{EventContext, SharedContext};
use crate::interrupt;

/// What an effect asks the world, without argument.
pub(super) type Ask = fn(&mut EventContext) -> Result<Value, String>;
/// What an effect asks the world, of a path or name.
pub(super) type AskOf = fn(&EventContext, &str) -> Result<Value, String>;

/// Registers an effect without argument.
pub(super) fn register(engine: &mut Engine, context: &SharedContext, name: &str, kind: EffectKind, ask: Ask) {
    let context = context.clone();
    engine.register_fn(name, move || {
        let answer = context.lock().effect(kind, ask);
        if answer.is_err() {
            // It may have waited until the run was asked to end.
            interrupt::check()?;
        }
        answered(answer)
    });
}

/// Registers an effect of a path or name.
pub(super) fn register_of(
    engine: &mut Engine,
    context: &SharedContext,
    name: &str,
    kind: EffectKind,
    ask: AskOf,
) {
    let context = context.clone();
    engine.register_fn(name, move |subject: &str| {
        answered(context.lock().effect(kind, |context| ask(context, subject)))
    });
}

/// An answer as a body gets it.
pub(super) fn answered(answer: Result<Value, String>) -> Outcome<Dynamic> {
    answer.map(dynamic_from_value).map_err(refusal)
}

/// Reads bytes as an effect: they are recorded, and what is made of them is made again by a replay.
pub(super) fn bytes_from(
    context: &SharedContext,
    read: impl FnOnce(&EventContext) -> Result<Vec<u8>, String>,
) -> Outcome<Arc<Vec<u8>>> {
    let answer = context
        .lock()
        .effect(EffectKind::ReadFile, |context| read(context).map(|bytes| Value::Bytes(Arc::new(bytes))));
    match answer.map_err(refusal)? {
        Value::Bytes(bytes) => Ok(bytes),
        other => {
            Err(failure(format!("asked for bytes of a file where the record has {}", other.type_name())))
        }
    }
}
