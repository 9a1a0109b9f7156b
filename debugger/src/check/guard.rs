//! Conditions over events: Rhai expressions, compiled once, with the names that they may use known beforehand.
//!
//! The interpreter can reach nothing outside, and is stopped when an expression takes too many steps. A name that
//! is not in scope is an error of compilation, with its column.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use rhai::{AST, Dynamic, Engine, EvalAltResult, Map, Scope};

use hasse_model::event::EventRecord;
use hasse_model::id::{EventId, Index};
use hasse_model::trace::Names;
use hasse_model::value::Value;

use super::interpreter::ENGINE;

/// Compiles and evaluates.
pub(super) struct Guards {
    engine: &'static Engine,
}

impl fmt::Debug for Guards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Guards")
    }
}

/// A compiled expression.
#[derive(Clone, Debug)]
pub(super) struct Guard {
    ast: AST,
    /// As it was written.
    pub(super) text: String,
}

/// Why a text is no condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BadGuard {
    /// Column in the text, from 1.
    pub(super) column: usize,
    pub(super) message: String,
    pub(super) hint: String,
}

impl Guards {
    pub(super) fn new() -> Self {
        Self { engine: &ENGINE }
    }

    /// Compiles an expression over names.
    pub(super) fn compile<'n>(
        &self,
        text: &str,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Result<Guard, BadGuard> {
        let mut scope = Scope::new();
        let mut known: Vec<&str> = names.into_iter().collect();
        known.sort_unstable();
        known.dedup();
        for name in &known {
            scope.push_dynamic(*name, Dynamic::UNIT);
        }
        // Rhai reads `1.` as a number only where something follows, and what is kept of the text is trimmed.
        let text = text.trim_end();
        if text.is_empty() {
            let message = "a condition is expected here".to_owned();
            return Err(BadGuard {
                column: 1,
                message,
                hint: "write a condition such as `count == 1`".into(),
            });
        }
        // Some malformed chains reach `unreachable!` in Rhai's parser; the engine keeps no state of a parse.
        let compile = || self.engine.compile_expression_with_scope(&scope, text);
        let Ok(compiled) = catch_unwind(AssertUnwindSafe(compile)) else {
            let message = "Rhai cannot read this condition".to_owned();
            return Err(BadGuard { column: 1, message, hint: "conditions are Rhai expressions".into() });
        };
        match compiled {
            Ok(ast) => Ok(Guard { ast, text: text.trim_start().to_owned() }),
            Err(error) => {
                let column = error.1.position().unwrap_or_else(|| text.chars().count() + 1);
                let (message, hint) = match &*error.0 {
                    rhai::ParseErrorType::VariableUndefined(name) => {
                        let listed: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
                        let hint = match listed.as_slice() {
                            [] => "no names are known here".to_owned(),
                            _ => format!("known here: {}", listed.join(", ")),
                        };
                        (format!("`{name}` is not known"), hint)
                    }
                    other => (other.to_string(), "conditions are Rhai expressions".to_owned()),
                };
                Err(BadGuard { column, message, hint })
            }
        }
    }

    /// Whether a condition holds.
    ///
    /// # Errors
    /// Where it cannot be evaluated, or gives no truth value: why, in words.
    pub(super) fn holds(&self, guard: &Guard, scope: &mut Scope<'_>) -> Result<bool, String> {
        let value = self.value(guard, scope)?;
        value.as_bool().map_err(|found| format!("`{}` gives a value of type {found}, not bool", guard.text))
    }

    /// The whole number that an expression gives.
    ///
    /// # Errors
    /// Where it cannot be evaluated, or gives something else: why, in words.
    pub(super) fn number(&self, guard: &Guard, scope: &mut Scope<'_>) -> Result<i64, String> {
        let value = self.value(guard, scope)?;
        value.as_int().map_err(|found| format!("`{}` gives a value of type {found}, not int", guard.text))
    }

    fn value(&self, guard: &Guard, scope: &mut Scope<'_>) -> Result<Dynamic, String> {
        let n_names = scope.len();
        let value = self.engine.eval_ast_with_scope::<Dynamic>(scope, &guard.ast);
        scope.rewind(n_names);
        value.map_err(|error| format!("`{}` could not be evaluated: {}", guard.text, reason(&error)))
    }
}

/// An error of evaluation without its position.
fn reason(error: &EvalAltResult) -> String {
    let mut bare = error.to_string();
    if let Some(cut) = bare.rfind(" (line ") {
        bare.truncate(cut);
    }
    bare
}

/// Names with which every condition on an event can begin.
pub(super) const ATTRIBUTES: [&str; 7] = ["count", "index", "action", "template", "graph", "rule", "outcome"];

/// What can be asked of an event: the attributes.
pub(super) fn attributes(event: &EventRecord, names: &Names) -> [(&'static str, Dynamic); 7] {
    let graph = names.graph_of(event.id.action);
    [
        ("count", Dynamic::from_int(number_from_count(event.id))),
        ("index", dynamic_from_index(names.index_of(event.id.action))),
        ("action", names.action(event.id.action).to_string().into()),
        ("template", template_name(event.id, names).into()),
        ("graph", graph.map_or(String::new(), |graph| names.graph_path(graph).to_string()).into()),
        ("rule", Dynamic::from_int(i64::from(event.rule))),
        ("outcome", event.outcome.name().into()),
    ]
}

/// The attributes as the fields of one thing.
pub(super) fn attribute_map(event: &EventRecord, names: &Names) -> Map {
    attributes(event, names).into_iter().map(|(name, value)| (name.into(), value)).collect()
}

/// The template of an event, by name.
pub(super) fn template_name(event: EventId, names: &Names) -> String {
    let template = names.template_of(event.action);
    template.and_then(|template| names.template_name(template)).unwrap_or("?").to_owned()
}

fn number_from_count(event: EventId) -> i64 {
    i64::try_from(event.count).unwrap_or(i64::MAX)
}

/// A number where the index has one, an array where it has several, and `()` where it has none.
fn dynamic_from_index(index: Option<&Index>) -> Dynamic {
    match index.map_or(&[][..], Index::as_slice) {
        [] => Dynamic::UNIT,
        [number] => Dynamic::from_int(*number),
        several => several.iter().map(|&number| Dynamic::from_int(number)).collect::<Vec<_>>().into(),
    }
}

/// A value of a program within a condition: vectors are arrays, matrices arrays of rows, structs have their
/// fields.
pub(super) fn dynamic_from_value(value: &Value) -> Dynamic {
    match value {
        Value::Unit => Dynamic::UNIT,
        Value::Bool(flag) => Dynamic::from_bool(*flag),
        Value::Int(number) => Dynamic::from_int(*number),
        Value::Real(number) => Dynamic::from_float(*number),
        Value::Char(letter) => Dynamic::from_char(*letter),
        Value::String(text) => Dynamic::from(rhai::ImmutableString::from(&**text)),
        Value::Bytes(bytes) => Dynamic::from_blob(bytes.to_vec()),
        Value::Vector(entries) => numbers(entries.iter().copied()),
        Value::Matrix(matrix) => {
            let entry = |row, col| matrix.get(row, col).unwrap_or(f64::NAN);
            let row = |row| numbers((0..matrix.n_cols()).map(move |col| entry(row, col)));
            Dynamic::from_array((0..matrix.n_rows()).map(row).collect())
        }
        Value::Array(items) => Dynamic::from_array(items.iter().map(dynamic_from_value).collect()),
        Value::Struct(held) => {
            let fields = held.entries().map(|(name, field)| (name.into(), dynamic_from_value(field)));
            Dynamic::from_map(fields.collect())
        }
        Value::Map(entries) => {
            let entries = entries.iter().map(|(key, value)| ((&**key).into(), dynamic_from_value(value)));
            Dynamic::from_map(entries.collect())
        }
    }
}

fn numbers(entries: impl Iterator<Item = f64>) -> Dynamic {
    Dynamic::from_array(entries.map(Dynamic::from_float).collect())
}
