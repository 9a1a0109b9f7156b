//! Printing, results, clocks, environment, standard input.
//!
//! Every answer from outside goes through [`EventContext::effect`], which notes it when recording
//! and takes it from the record when replaying.

use std::sync::Arc;
use std::time::Duration;

use hasse_model::event::EffectKind;
use hasse_model::value::Value;
use rhai::{Dynamic, Engine};

use super::effect::{ask_waiting, register as register_effect, register_of, register_waiting};
use super::limits::{Outcome, failure};
use super::stdin;
use crate::convert::value_from_dynamic;
use crate::effects::{EventContext, SharedContext};
use crate::waiting::Pending;

/// Registers the family.
pub(super) fn register(engine: &mut Engine, context: &SharedContext) {
    let printing = context.clone();
    // The interpreter makes the text by a function `print` before it calls this.
    engine.on_print(move |text| printing.lock().print(text));
    let setting = context.clone();
    engine.register_fn("result", move |name: &str, held: Dynamic| result(&setting, name, &held));
    register_effect(engine, context, "time", EffectKind::Time, time);
    register_effect(engine, context, "elapsed", EffectKind::Time, elapsed);
    register_waiting(engine, context, "read_line", EffectKind::StandardInput, |_| stdin::ask());
    register_sleep(engine, context);
    register_of(engine, context, "env", EffectKind::Environment, env);
}

/// `result(name, value)`: sets a named result of the run. Errors: the value is of a type that
/// cannot leave a body, such as a function.
fn result(context: &SharedContext, name: &str, held: &Dynamic) -> Outcome<()> {
    let value = value_from_dynamic(held).map_err(|type_name| {
        failure(format!("result `{name}`: a value of type {type_name} cannot leave a body"))
    })?;
    context.lock().results.push((name.to_owned(), value));
    Ok(())
}

/// `time()`: seconds since 1970-01-01 00:00 UTC, real; negative before. The clock of the system:
/// it can be set back.
pub(super) fn time(context: &mut EventContext) -> Result<Value, String> {
    Ok(Value::Real(context.outside().clock.system_seconds()))
}

/// `elapsed()`: seconds since the run began, real; never goes back.
pub(super) fn elapsed(context: &mut EventContext) -> Result<Value, String> {
    Ok(Value::Real(context.outside().clock.seconds()))
}

/// `env(name)`: a variable of the environment, string, or `()` where it is not set. Errors: it
/// is not granted, or its value is not UTF-8.
fn env(context: &EventContext, name: &str) -> Result<Value, String> {
    context.outside().check_env(name)?;
    match std::env::var(name) {
        Ok(text) => Ok(Value::String(Arc::from(text))),
        Err(std::env::VarError::NotPresent) => Ok(Value::Unit),
        Err(std::env::VarError::NotUnicode(_)) => Err(format!("environment variable `{name}` is not UTF-8")),
    }
}

/// `sleep(seconds)`: waits for so long by the clock of the run. Errors: a number that is negative or not finite.
fn register_sleep(engine: &mut Engine, context: &SharedContext) {
    let real = context.clone();
    engine.register_fn("sleep", move |seconds: f64| sleep(&real, seconds));
    let int = context.clone();
    engine.register_fn("sleep", move |seconds: i64| sleep(&int, seconds as f64));
}

fn sleep(context: &SharedContext, seconds: f64) -> Outcome<()> {
    let duration = Duration::try_from_secs_f64(seconds)
        .map_err(|_| failure(format!("sleep: {seconds} is no number of seconds")))?;
    let begin = |context: &EventContext| {
        let nanos = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        Ok(Pending::At(context.outside().clock.nanos().saturating_add(nanos)))
    };
    ask_waiting(context, EffectKind::Time, begin).map(|_| ())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::super::testing::{check, check_error, engine_in};
    use crate::effects::EffectSource;
    use hasse_model::value::Value;
    use std::path::Path;

    #[test]
    fn prints_lines_and_sets_results() {
        let (engine, context) = engine_in(Path::new(""));
        engine
            .run("print(1); print(`a\nb`); print(vector(1)); print([1.5]); print(\"\"); result(\"x\", [1, 2.5]);")
            .unwrap();
        let context = context.lock();
        assert_eq!(context.lines, ["1", "a", "b", "vector [0.0]", "[1.5]", ""]);
        let items = vec![Value::Int(1), Value::Real(2.5)];
        assert_eq!(context.results, [("x".to_owned(), Value::Array(items.into()))]);
        drop(context);
        check_error("result(\"m\", |x| x)", "result `m`: a value of type Fn cannot leave a body");
    }

    #[test]
    fn replays_what_it_recorded() {
        let script = "[time(), elapsed(), random(), random_int(-5, 5), read_text(\"Cargo.toml\"), file_size(\"Cargo.toml\"), \
                       file_exists(\"nowhere\"), env(\"HASSE_NOT_SET\")]";
        let (engine, context) = engine_in(Path::new(env!("CARGO_MANIFEST_DIR")));
        let recorded = engine.eval::<rhai::Array>(script).unwrap();
        let answers = context.lock().take_log().into_iter();
        context.lock().begin(EffectSource::Record { answers, mismatch: None }, 99);
        let replayed = engine.eval::<rhai::Array>(script).unwrap();
        assert_eq!(format!("{recorded:?}"), format!("{replayed:?}"));
        assert_eq!(context.lock().mismatch(), None);
    }

    #[test]
    fn clocks_and_the_environment() {
        check("let e = elapsed(); e >= 0.0 && elapsed() >= e && time() > 1.6e9", "true");
        check("env(\"HASSE_NOT_SET\") == ()", "true");
        check_error("env(\"PATH\")", "access denied: environment variable `PATH` is not granted");
    }
}
