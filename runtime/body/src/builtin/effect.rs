//! How a function asks the world outside: once for each call, with an answer that is a value.

use std::sync::Arc;

use hasse_model::event::EffectKind;
use hasse_model::value::Value;
use rhai::{Dynamic, Engine, EvalAltResult, Position};

use super::limits::{Outcome, failure, refusal};
use crate::convert::dynamic_from_value;
use crate::effects::{EventContext, SharedContext};
use crate::interrupt;
use crate::waiting::Pending;

/// What an effect asks the world, without argument.
pub(super) type Ask = fn(&mut EventContext) -> Result<Value, String>;
/// What an effect asks the world, of a path or name.
pub(super) type AskOf = fn(&EventContext, &str) -> Result<Value, String>;

/// Begins a question without argument whose answer may have to be waited for.
pub(super) type Begin = fn(&EventContext) -> Result<Pending, String>;

/// Registers an effect without argument.
pub(super) fn register(engine: &mut Engine, context: &SharedContext, name: &str, kind: EffectKind, ask: Ask) {
    let context = context.clone();
    engine.register_fn(name, move || answered(context.lock().effect(kind, ask)));
}

/// Registers an effect without argument that may have to wait.
pub(super) fn register_waiting(
    engine: &mut Engine,
    context: &SharedContext,
    name: &str,
    kind: EffectKind,
    begin: Begin,
) {
    let context = context.clone();
    engine.register_fn(name, move || ask_waiting(&context, kind, begin));
}

/// Asks a question whose answer may have to be waited for. Where the event is put aside meanwhile, the error ends its body, and
/// cannot be caught there.
pub(super) fn ask_waiting(
    context: &SharedContext,
    kind: EffectKind,
    begin: impl FnOnce(&EventContext) -> Result<Pending, String>,
) -> Outcome<Dynamic> {
    let mut context = context.lock();
    let answer = context.effect_waiting(kind, begin);
    if answer.is_err() {
        if context.is_waiting() {
            return Err(EvalAltResult::ErrorTerminated(Dynamic::TRUE, Position::NONE).into());
        }
        if context.is_cut_off() || interrupt::is_stopped() {
            return Err(EvalAltResult::ErrorTerminated(Dynamic::UNIT, Position::NONE).into());
        }
    }
    drop(context);
    answered(answer)
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
