//! What is to be known of every function that bodies may call: one table for each family.
//!
//! From it come `hasse functions` and `docs/library.md`; tests run every example and check that
//! the tables name exactly the functions that there are.

use std::fmt::Write;

pub use doc::{Family, FunctionDoc, IN_BODY_ONLY};

/// Arrays.
mod arrays;
/// Bytes and bits.
mod bytes;
/// Dates and times of day.
mod calendar;
/// Conversions from `any`.
mod conversions;
/// Rows of the tables.
mod doc;
/// Files, tables, JSON and images.
mod files;
/// Functions, maps and ranges.
mod maps;
/// Matrices.
mod matrices;
/// Numbers.
mod numbers;
/// The run, time, random numbers.
mod outside;
/// Regular expressions.
mod patterns;
/// Text.
mod text;
/// Vectors.
mod vectors;
/// Streams, commands, HTTP, SQL.
mod world;

/// All families, in the order in which they are shown.
pub const FAMILIES: &[Family] = &[
    outside::RUN,
    outside::RANDOM,
    world::STREAMS,
    world::HTTP,
    world::SQL,
    files::FILES,
    files::TABLES,
    files::IMAGES,
    files::MATRIX_MARKET,
    conversions::CONVERSIONS,
    numbers::NUMBERS,
    text::TEXT,
    patterns::PATTERNS,
    calendar::CALENDAR,
    arrays::ARRAYS,
    maps::MAPS,
    vectors::VECTORS,
    matrices::MATRICES,
    matrices::SOLVING,
    bytes::BYTES,
];

/// The function of a name.
pub fn find(name: &str) -> Option<&'static FunctionDoc> {
    FAMILIES.iter().flat_map(|family| family.functions).find(|function| function.name() == name)
}

const INTRODUCTION: &str = "\
# The library

The functions that bodies may call. This page is made from the tables in the code (`hasse functions NAME` shows the same); every
example is an expression that a test has found true.

- `f(x, y)` and `x.f(y)` mean the same. What changes its first argument says so and is called as `x.f(y)`.
- An `int` does not become a `real` by itself, except where a call lists both. `type_of(x)` names a value's type.
- Indices count from 0. An index out of range, sizes that do not fit and other misuse are errors of the event; `try { .. } catch (e) { .. }`
  catches them, but not the end of the memory budget (R0010) nor an interruption.
- Functions marked * may be called in `do` only. They ask the world outside or speak to it: the answer is recorded, and a replay gives the
  same answer without asking, also where the file has changed or is gone. A replay writes nothing.
- `+ - * /`, `+= -= *= /=`, `== !=` work on vectors and matrices of fitting sizes, and with numbers; `matrix * vector` and `matrix * matrix` are products of linear
  algebra. `v[i]` reads and writes an entry of a vector.

## What bodies may reach
Bodies have no way to files, the environment or clocks but through these functions.

- **Files**: the program's own folder and what is below may be read; nothing may be written. `--allow-read DIR` and `--allow-write DIR` of `hasse run` grant more (and may be
  given several times). A relative path is looked up in the program's folder, then in the current one if that is granted. Links and `..` are followed before a path is
  judged. To write does not include to read. A parameter such as `--set file=/data/big.mtx` grants nothing: add `--allow-read /data`.
- **Environment**: `env(name)` needs `--allow-env NAME`.
- **Network**: addresses need `--allow-net HOST:PORT`, or `--allow-net HOST` for all ports of a host.
- **Programs**: `--allow-run PROGRAM`, as the body writes it. A program that runs may reach all that you may reach.
- **Memory**: one event's body may take 1024 MiB beyond what it was given; `--body-memory MIB` sets another limit. What is over the limit ends the event with R0010. `+`
  of texts and `+=` are refused after they have been carried out: where `s += s` passes the limit, it may take four times as much for a moment. A replay
  goes the same way without the option. The run as a whole may take three quarters of the machine's memory; `--memory MIB` sets another limit (R0012).
- **Time**: a body runs until it ends; Ctrl-C interrupts it at the next operation.
";

/// The page `docs/library.md`.
pub fn markdown() -> String {
    let mut text = INTRODUCTION.to_owned();
    for family in FAMILIES {
        let _ = write!(text, "\n## {}\n{}\n\n", family.title, family.about);
        text.push_str("| function | what it gives or does | example |\n|---|---|---|\n");
        for function in family.functions {
            let star = if function.is_in_body_only() { " \\*" } else { "" };
            let calls: Vec<String> =
                function.calls.split("; ").map(|call| format!("`{}`", call.replace('|', "\\|"))).collect();
            let errors = match function.errors {
                "" => String::new(),
                errors => format!(" Errors: {errors}."),
            };
            let example = code(&function.example.replace('|', "\\|"));
            let calls = calls.join("<br>");
            let _ = writeln!(text, "| {calls}{star} | {}{errors} | {example} |", function.doc);
        }
    }
    text
}

/// Text as code in Markdown, also where it has the sign of code in it.
fn code(text: &str) -> String {
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::sync::Arc;

    use hasse_model::event::{Effect, EffectKind};
    use hasse_model::value::Value;

    use super::FAMILIES;
    use crate::builtin::testing::engine_in;
    use crate::effects::EffectSource;

    #[test]
    fn the_tables_name_exactly_the_functions_that_there_are() {
        let registered: BTreeSet<String> =
            crate::functions().names().filter(|name| !name.contains('$')).map(str::to_owned).collect();
        let mut documented = BTreeSet::new();
        for function in FAMILIES.iter().flat_map(|family| family.functions) {
            assert!(documented.insert(function.name().to_owned()), "{} stands twice", function.name());
            for call in function.calls.split("; ") {
                assert!(call.starts_with(&format!("{}(", function.name())), "{call}");
            }
        }
        let missing: Vec<_> = registered.difference(&documented).collect();
        let unknown: Vec<_> = documented.difference(&registered).collect();
        assert!(missing.is_empty() && unknown.is_empty(), "missing: {missing:?}, unknown: {unknown:?}");
        for name in super::IN_BODY_ONLY {
            assert!(registered.contains(*name), "{name}");
        }
    }

    #[test]
    fn functions_stand_in_order() {
        for family in FAMILIES {
            let names: Vec<_> = family.functions.iter().map(|function| function.name()).collect();
            assert!(names.is_sorted(), "{}: {names:?}", family.title);
        }
    }

    fn answer_in_replay(name: &str) -> Option<(EffectKind, Value)> {
        let map = |entries: &[(&str, Value)]| {
            let entry = |(key, value): &(&str, Value)| (Arc::from(*key), value.clone());
            Value::Map(Arc::new(entries.iter().map(entry).collect()))
        };
        let text = |text: &str| Value::String(text.into());
        let answer = match name {
            "read_line" => return Some((EffectKind::StandardInput, text("typed"))),
            "sql" => {
                let row = map(&[("name", text("tea"))]);
                return Some((EffectKind::Sql, Value::Array(vec![row].into())));
            }
            "http_address" => text("127.0.0.1:8080"),
            "http_get" => map(&[("status", Value::Int(200))]),
            "http_listen" => Value::Int(1),
            "http_next" => map(&[("path", text("/jobs"))]),
            "http_post" => map(&[("status", Value::Int(201))]),
            "http_reply" => Value::Unit,
            "http_request" => map(&[("body", text("gone"))]),
            _ => return None,
        };
        Some((EffectKind::Http, answer))
    }

    #[test]
    fn every_example_is_true() {
        let mut failures = Vec::new();
        for function in FAMILIES.iter().flat_map(|family| family.functions) {
            let folder = tempfile::tempdir().unwrap();
            let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
            write("data.txt", "one\ntwo\n");
            write("table.csv", "name,n\nann,1\nbob,2\n");
            write("grid.csv", "1,2\n3,4\n");
            write("data.json", "{\"a\": [1, 2]}");
            write("m.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 4\n2 1 1\n2 2 3\n");
            write("v.mtx", "%%MatrixMarket matrix array real general\n2 1\n4\n7\n");
            write("photo.pgm", "P2\n2 1\n255\n0 255\n");
            let (engine, context) = engine_in(folder.path());
            // Recorded answers: a test has no standard input, and the build may have no HTTP.
            if let Some((kind, answer)) = answer_in_replay(function.name()) {
                let answers = vec![Effect { kind, answer: Ok(answer) }].into_iter();
                context.lock().begin(EffectSource::Record { answers, mismatch: None }, 0);
            }
            match engine.eval::<rhai::Dynamic>(function.example) {
                Ok(answer) if answer.as_bool() == Ok(true) => {}
                Ok(answer) => failures.push(format!("{}: {} is {answer}", function.name(), function.example)),
                Err(error) => failures.push(format!("{}: {}: {error}", function.name(), function.example)),
            }
        }
        assert!(failures.is_empty(), "{}", failures.join("\n"));
    }
}
