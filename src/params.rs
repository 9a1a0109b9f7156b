//! Values of creation parameters from the command line.

use std::str::FromStr;
use std::sync::Arc;

use hasse_model::plan::{Param, Plan};
use hasse_model::value::{Matrix, Type, Value};
use toml_edit::Value as Toml;

use crate::param_json;

/// One `--set name=text`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    name: String,
    text: String,
}

/// Writes it as it was given.
impl std::fmt::Display for Setting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}={}", self.name, self.text)
    }
}

impl FromStr for Setting {
    type Err = String;

    fn from_str(argument: &str) -> Result<Self, String> {
        match argument.split_once('=') {
            Some((name, text)) if !name.is_empty() => {
                Ok(Self { name: name.trim().to_owned(), text: text.to_owned() })
            }
            _ => Err("expected name=value".to_owned()),
        }
    }
}

impl Setting {
    /// What is set.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The value, as written.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

/// A `--set` that does not fit the program.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ParamFault {
    #[error("the program has no parameter `{name}`")]
    Unknown { name: String, known: Vec<String> },
    #[error("parameter `{name}` is set twice")]
    Twice { name: String },
    #[error("parameter `{name}` is of type {ty}, which `{text}` is not")]
    Unreadable { name: String, ty: Type, text: String },
    #[error("parameter `{name}` is of type {ty}, and {why}")]
    Json { name: String, ty: Type, why: String },
    #[error("`{name}` is of type {ty}, which `{text}` is not")]
    Input { name: String, ty: Type, text: String },
    #[error("`{name}` is of type {ty}, and {why}")]
    InputJson { name: String, ty: Type, why: String },
    #[error("parameter `{name}` of type {ty} has no default and was given no value")]
    Missing { name: String, ty: Type },
}

impl ParamFault {
    /// What to do about it.
    pub(crate) fn help(&self) -> Option<String> {
        match self {
            ParamFault::Unknown { known, .. } if known.is_empty() => {
                Some("it has no parameters at all".to_owned())
            }
            ParamFault::Unknown { known, .. } => Some(format!("its parameters are: {}", known.join(", "))),
            ParamFault::Twice { .. } => None,
            ParamFault::Unreadable { ty, .. } | ParamFault::Input { ty, .. } => {
                example(ty).map(|example| format!("a value of that type is, for example, {example}"))
            }
            ParamFault::Json { ty, .. } | ParamFault::InputJson { ty, .. } => {
                Some(format!("a value of that type is, for example, {}", param_json::example(ty)))
            }
            ParamFault::Missing { name, .. } => Some(format!("give it one with --set {name}=...")),
        }
    }
}

fn example(ty: &Type) -> Option<&'static str> {
    match ty {
        Type::Int => Some("42"),
        Type::Real => Some("0.5"),
        Type::Bool => Some("true"),
        Type::Char => Some("x"),
        Type::String => None,
        Type::Bytes => Some("[72, 105]"),
        Type::Vector => Some("[1.0, 2.5]"),
        Type::Matrix => Some("[[1.0, 0.0], [0.0, 1.0]], row by row"),
        Type::Array(_) | Type::Any => Some("[1, 2, 3]"),
        Type::Struct(_) => None,
    }
}

/// The values set for a program's parameters, in the order given.
pub(crate) fn param_values(plan: &Plan, settings: &[Setting]) -> Result<Vec<(String, Value)>, ParamFault> {
    let mut values: Vec<(String, Value)> = Vec::new();
    for setting in settings {
        let param = plan.params().iter().find(|param| param.name == setting.name);
        let Some(param) = param else {
            let known = plan.params().iter().map(|param| format!("{} ({})", param.name, param.ty)).collect();
            return Err(ParamFault::Unknown { name: setting.name.clone(), known });
        };
        if values.iter().any(|(name, _)| *name == param.name) {
            return Err(ParamFault::Twice { name: param.name.clone() });
        }
        values.push((param.name.clone(), param_value(param, &setting.text)?));
    }
    let is_missing =
        |param: &&Param| param.default.is_none() && values.iter().all(|(name, _)| *name != param.name);
    match plan.params().iter().find(is_missing) {
        None => Ok(values),
        Some(param) => Err(ParamFault::Missing { name: param.name.clone(), ty: param.ty.clone() }),
    }
}

fn param_value(param: &Param, text: &str) -> Result<Value, ParamFault> {
    if param_json::is_json(&param.ty) {
        return param_json::value_of_json_text(&param.ty, text, &param.name)
            .map_err(|why| ParamFault::Json { name: param.name.clone(), ty: param.ty.clone(), why });
    }
    value_of_text(&param.ty, text).ok_or_else(|| ParamFault::Unreadable {
        name: param.name.clone(),
        ty: param.ty.clone(),
        text: text.to_owned(),
    })
}

/// The value of a type that a text stands for, for an input of an event.
pub(crate) fn value_of(ty: &Type, text: &str, name: &str) -> Result<Value, ParamFault> {
    let (name, ty) = (name.to_owned(), ty.clone());
    if param_json::is_json(&ty) {
        let read = param_json::value_of_json_text(&ty, text, &name);
        return read.map_err(|why| ParamFault::InputJson { name, ty, why });
    }
    let read = value_of_text(&ty, text);
    read.ok_or_else(|| ParamFault::Input { name, ty, text: text.to_owned() })
}

/// The value of a type that a text stands for: scalars as they are written in programs, strings raw,
/// structs as JSON, everything else as a TOML array. `any` takes TOML, and what is no TOML as a string.
fn value_of_text(ty: &Type, text: &str) -> Option<Value> {
    match ty {
        Type::Int => text.trim().parse().ok().map(Value::Int),
        Type::Real => text.trim().parse().ok().map(Value::Real),
        Type::Bool => text.trim().parse().ok().map(Value::Bool),
        Type::Char => {
            let mut letters = text.chars();
            letters.next().filter(|_| letters.next().is_none()).map(Value::Char)
        }
        Type::String => Some(Value::String(Arc::from(text))),
        Type::Struct(_) => param_json::value_of_json_text(ty, text, "").ok(),
        Type::Bytes | Type::Vector | Type::Matrix | Type::Array(_) => {
            value_of_toml(ty, &text.trim().parse().ok()?)
        }
        Type::Any => match text.trim().parse() {
            Ok(toml) => value_of_toml(ty, &toml),
            Err(_) => Some(Value::String(Arc::from(text))),
        },
    }
}

fn value_of_toml(ty: &Type, toml: &Toml) -> Option<Value> {
    match ty {
        Type::Int => toml.as_integer().map(Value::Int),
        Type::Real => real_of_toml(toml).map(Value::Real),
        Type::Bool => toml.as_bool().map(Value::Bool),
        Type::Char => toml.as_str().and_then(|text| value_of_text(ty, text)),
        Type::String => toml.as_str().map(|text| Value::String(Arc::from(text))),
        Type::Bytes => {
            let byte = |item: &Toml| item.as_integer().and_then(|number| u8::try_from(number).ok());
            let bytes: Option<Vec<u8>> = toml.as_array()?.iter().map(byte).collect();
            bytes.map(|bytes| Value::Bytes(Arc::new(bytes)))
        }
        Type::Vector => {
            let entries: Option<Vec<f64>> = toml.as_array()?.iter().map(real_of_toml).collect();
            entries.map(|entries| Value::Vector(Arc::new(entries)))
        }
        Type::Matrix => matrix_of_toml(toml).map(|matrix| Value::Matrix(Arc::new(matrix))),
        Type::Array(item_type) => {
            let item = |item: &Toml| value_of_toml(item_type, item);
            let items: Option<Vec<Value>> = toml.as_array()?.iter().map(item).collect();
            items.map(|items| Value::Array(Arc::new(items)))
        }
        // Structs are written as JSON.
        Type::Struct(_) => None,
        Type::Any => [Type::Int, Type::Real, Type::Bool, Type::String, Type::Array(Box::new(Type::Any))]
            .iter()
            .find_map(|ty| value_of_toml(ty, toml)),
    }
}

fn real_of_toml(toml: &Toml) -> Option<f64> {
    toml.as_float().or_else(|| toml.as_integer().map(|number| number as f64))
}

fn matrix_of_toml(toml: &Toml) -> Option<Matrix> {
    let row = |item: &Toml| item.as_array()?.iter().map(real_of_toml).collect();
    let rows: Option<Vec<Vec<f64>>> = toml.as_array()?.iter().map(row).collect();
    let rows = rows?;
    let n_cols = rows.first().map_or(0, Vec::len);
    if rows.iter().any(|row| row.len() != n_cols) {
        return None;
    }
    let entries = (0..n_cols).flat_map(|col| rows.iter().map(move |row| row[col])).collect();
    Matrix::from_columns(rows.len(), n_cols, entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(ty: &Type, text: &str, expected: Option<Value>) {
        assert_eq!(value_of_text(ty, text), expected, "`{text}` as {ty}");
    }

    #[test]
    fn scalars_are_read_as_programs_write_them() {
        check(&Type::Int, "-7", Some(Value::Int(-7)));
        check(&Type::Int, "7.5", None);
        check(&Type::Real, "2", Some(Value::Real(2.0)));
        check(&Type::Real, "1e-3", Some(Value::Real(1e-3)));
        check(&Type::Bool, "true", Some(Value::Bool(true)));
        check(&Type::Bool, "1", None);
        check(&Type::Char, "ß", Some(Value::Char('ß')));
        check(&Type::Char, "ab", None);
        check(&Type::String, " [1] = x ", Some(Value::String(Arc::from(" [1] = x "))));
    }

    #[test]
    fn sequences_are_read_as_toml_arrays() {
        check(&Type::Vector, "[1, 2.5]", Some(Value::Vector(Arc::new(vec![1.0, 2.5]))));
        check(&Type::Bytes, "[0, 255]", Some(Value::Bytes(Arc::new(vec![0, 255]))));
        check(&Type::Bytes, "[256]", None);
        let matrix = Matrix::from_columns(2, 2, vec![1.0, 3.0, 2.0, 4.0]).expect("four entries");
        check(&Type::Matrix, "[[1, 2], [3, 4]]", Some(Value::Matrix(Arc::new(matrix))));
        check(&Type::Matrix, "[[1, 2], [3]]", None);
        let words = Type::Array(Box::new(Type::String));
        let expected = vec![Value::String(Arc::from("a")), Value::String(Arc::from("b"))];
        check(&words, r#"["a", "b"]"#, Some(Value::Array(Arc::new(expected))));
        check(&words, "[1]", None);
    }

    #[test]
    fn a_setting_needs_a_name_and_may_hold_more_equal_signs() {
        let setting: Setting = "file=a=b".parse().expect("a setting");
        assert_eq!(setting, Setting { name: "file".to_owned(), text: "a=b".to_owned() });
        assert!("=3".parse::<Setting>().is_err());
        assert!("n".parse::<Setting>().is_err());
    }
}
