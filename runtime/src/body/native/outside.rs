//! Printing, results, and the world outside: time, random numbers, files, environment, standard
//! input.
//!
//! Every answer from outside goes through [`EventContext::effect`], which notes it when recording
//! and takes it from the record when replaying.

use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use hasse_model::event::EffectKind;
use hasse_model::value::Value;
use rhai::{Dynamic, Engine};

use super::limits::{Outcome, failure};
use crate::body::convert::{dynamic_from_value, value_from_dynamic};
use crate::effects::{EventContext, SharedContext};

/// Most bytes of a file read at once: 2 GiB.
const MOST_FILE_BYTES: u64 = 1 << 31;

/// Registers the family.
pub(super) fn register(engine: &mut Engine, context: &SharedContext) {
    let printing = Arc::clone(context);
    // The interpreter makes the text by `to_string` before it calls this.
    engine.on_print(move |text| printing.lock().lines.extend(text.split('\n').map(str::to_owned)));
    let setting = Arc::clone(context);
    engine.register_fn("result", move |name: &str, held: Dynamic| result(&setting, name, &held));

    effect(engine, context, "time", EffectKind::Time, time);
    effect(engine, context, "random", EffectKind::Random, random);
    effect(engine, context, "read_line", EffectKind::StandardInput, read_line);
    let drawing = Arc::clone(context);
    engine.register_fn("random_int", move |low: i64, high: i64| random_int(&drawing, low, high));
    effect_of(engine, context, "read_text", EffectKind::ReadFile, read_text);
    effect_of(engine, context, "read_bytes", EffectKind::ReadFile, read_bytes);
    effect_of(engine, context, "file_exists", EffectKind::FileExists, file_exists);
    effect_of(engine, context, "file_size", EffectKind::FileSize, file_size);
    effect_of(engine, context, "env", EffectKind::Environment, |_, name| env(name));
}

/// What one effect asks the world, without argument.
type Ask = fn(&mut EventContext) -> Result<Value, String>;
/// What one effect asks the world, of a path or name.
type AskOf = fn(&EventContext, &str) -> Result<Value, String>;

fn effect(engine: &mut Engine, context: &SharedContext, name: &str, kind: EffectKind, ask: Ask) {
    let context = Arc::clone(context);
    engine.register_fn(name, move || answered(context.lock().effect(kind, ask)));
}

fn effect_of(engine: &mut Engine, context: &SharedContext, name: &str, kind: EffectKind, ask: AskOf) {
    let context = Arc::clone(context);
    engine.register_fn(name, move |subject: &str| {
        answered(context.lock().effect(kind, |context| ask(context, subject)))
    });
}

/// An answer as a body gets it.
fn answered(answer: Result<Value, String>) -> Outcome<Dynamic> {
    answer.map(dynamic_from_value).map_err(failure)
}

/// `result(name, value)`: sets a named result of the run. Errors: the value is of a type that
/// cannot leave a body, such as a map.
fn result(context: &SharedContext, name: &str, held: &Dynamic) -> Outcome<()> {
    let value = value_from_dynamic(held).map_err(|type_name| {
        failure(format!("result `{name}`: a value of type {type_name} cannot leave a body"))
    })?;
    context.lock().results.push((name.to_owned(), value));
    Ok(())
}

/// `time()`: seconds since 1970-01-01 00:00 UTC, real; negative before. The clock of the system:
/// it can be set back.
fn time(_context: &mut EventContext) -> Result<Value, String> {
    let seconds = match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => since.as_secs_f64(),
        Err(before) => -before.duration().as_secs_f64(),
    };
    Ok(Value::Real(seconds))
}

/// `random()`: a real, uniform in [0, 1), a multiple of 2^-53.
fn random(context: &mut EventContext) -> Result<Value, String> {
    Ok(Value::Real((context.random_bits() >> 11) as f64 / (1_u64 << 53) as f64))
}

/// `random_int(low, high)`: an int, uniform in low..=high. Errors: low is greater than high.
fn random_int(context: &SharedContext, low: i64, high: i64) -> Outcome<Dynamic> {
    if low > high {
        return Err(failure(format!("`random_int` of {low} and {high}: the first must not be the greater")));
    }
    answered(context.lock().effect(EffectKind::Random, |context| {
        let offset = uniform_up_to(high.wrapping_sub(low) as u64, || context.random_bits());
        Ok(Value::Int(low.wrapping_add(offset as i64)))
    }))
}

/// Uniform in 0..=most: draws as many bits as `most` has until they make a number that fits, twice
/// on average at worst.
fn uniform_up_to(most: u64, mut random_bits: impl FnMut() -> u64) -> u64 {
    let n_surplus = most.leading_zeros().min(63);
    loop {
        let number = random_bits() >> n_surplus;
        if number <= most {
            return number;
        }
    }
}

/// `read_text(path)`: a file's text, string. Errors: it cannot be read, or is not UTF-8.
fn read_text(context: &EventContext, path: &str) -> Result<Value, String> {
    let text = String::from_utf8(bytes_of(context, path)?)
        .map_err(|error| format!("`{path}` is not UTF-8 at byte {}", error.utf8_error().valid_up_to()))?;
    Ok(Value::String(Arc::from(text)))
}

/// `read_bytes(path)`: a file's bytes. Errors: it cannot be read.
fn read_bytes(context: &EventContext, path: &str) -> Result<Value, String> {
    bytes_of(context, path).map(|bytes| Value::Bytes(Arc::new(bytes)))
}

/// `file_exists(path)`: bool; a folder counts too.
fn file_exists(context: &EventContext, path: &str) -> Result<Value, String> {
    Ok(Value::Bool(context.resolve(path).exists()))
}

/// `file_size(path)`: bytes, int. Errors: there is no such file.
fn file_size(context: &EventContext, path: &str) -> Result<Value, String> {
    let metadata = fs::metadata(context.resolve(path)).map_err(|error| unreadable(path, &error))?;
    Ok(Value::Int(i64::try_from(metadata.len()).unwrap_or(i64::MAX)))
}

/// `env(name)`: a variable of the environment, string, or `()` where it is not set. Errors: its
/// value is not UTF-8.
fn env(name: &str) -> Result<Value, String> {
    match std::env::var(name) {
        Ok(text) => Ok(Value::String(Arc::from(text))),
        Err(std::env::VarError::NotPresent) => Ok(Value::Unit),
        Err(std::env::VarError::NotUnicode(_)) => Err(format!("environment variable `{name}` is not UTF-8")),
    }
}

/// `read_line()`: the next line of standard input without its line end, string, or `()` at the
/// end. Errors: it cannot be read, or is not UTF-8.
fn read_line(_context: &mut EventContext) -> Result<Value, String> {
    let mut line = String::new();
    let n_bytes =
        io::stdin().read_line(&mut line).map_err(|error| format!("cannot read standard input: {error}"))?;
    if n_bytes == 0 {
        return Ok(Value::Unit);
    }
    let without_end = line.strip_suffix('\n').unwrap_or(&line);
    Ok(Value::String(Arc::from(without_end.strip_suffix('\r').unwrap_or(without_end))))
}

/// All bytes of the file that a body means by `path`. To be called from within an effect.
pub(super) fn bytes_of(context: &EventContext, path: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read =
        |path: &Path, bytes: &mut Vec<u8>| fs::File::open(path)?.take(MOST_FILE_BYTES + 1).read_to_end(bytes);
    read(&context.resolve(path), &mut bytes).map_err(|error| unreadable(path, &error))?;
    if bytes.len() as u64 > MOST_FILE_BYTES {
        return Err(format!("cannot read `{path}`: it has more than {MOST_FILE_BYTES} bytes"));
    }
    Ok(bytes)
}

/// The message for a file that cannot be read.
pub(super) fn unreadable(path: &str, error: &io::Error) -> String {
    format!("cannot read `{path}`: {error}")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::super::testing::{check, check_error, engine_in};
    use super::uniform_up_to;
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
        check_error("result(\"m\", #{})", "result `m`: a value of type map cannot leave a body");
    }

    #[test]
    fn replays_what_it_recorded() {
        let script = "[time(), random(), random_int(-5, 5), read_text(\"Cargo.toml\"), file_size(\"Cargo.toml\"), \
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
    fn draws_within_bounds() {
        check(
            "let ok = true; for i in 0..1000 { let x = random_int(3, 5); ok = ok && x >= 3 && x <= 5; } ok",
            "true",
        );
        check("let s = 0.0; for i in 0..1000 { s += random(); } s > 400.0 && s < 600.0", "true");
        check("random_int(7, 7)", "7");
        check("type_of(random_int(-9223372036854775807 - 1, 9223372036854775807))", "i64");
        check_error("random_int(2, 1)", "`random_int` of 2 and 1");
        let mut draws = [u64::MAX, 5 << 61, 1 << 61].into_iter();
        assert_eq!(uniform_up_to(4, || draws.next().unwrap()), 1, "7 and 5 are drawn again");
    }

    #[test]
    fn reports_unreadable_files() {
        check_error("read_text(\"nowhere.txt\")", "cannot read `nowhere.txt`:");
        check_error("file_size(\"nowhere.txt\")", "cannot read `nowhere.txt`:");
        check("env(\"\") == () && env(\"a=b\") == ()", "true");
    }
}
