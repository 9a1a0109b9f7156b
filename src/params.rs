//! Values of creation parameters from the command line.

use std::fs;
use std::path::Path;
use std::str::FromStr;

use hasse_compiler::value_text::{self, Misread};
use hasse_model::plan::{Param, Plan};
use hasse_model::value::{Type, Value};
use toml_edit::DocumentMut;

use crate::fault::Fault;

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
                Some(format!("a value of that type is, for example, {}", value_text::json_example(ty)))
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
        Type::Struct(_) | Type::Map(_) => None,
    }
}

/// Settings together with those of a file, which they override.
pub(crate) fn with_file(settings: &[Setting], file: Option<&Path>) -> Result<Vec<Setting>, Fault> {
    let mut all = settings.to_vec();
    if let Some(path) = file {
        let text =
            fs::read_to_string(path).map_err(|source| Fault::Read { path: path.to_owned(), source })?;
        let document: DocumentMut = text
            .parse()
            .map_err(|source| Fault::ParamFile { path: path.to_owned(), source: Box::new(source) })?;
        for (name, item) in document.iter().filter(|(name, _)| settings.iter().all(|set| set.name != *name)) {
            // Without the comment behind it.
            let written = || match item.as_value() {
                Some(value) => value.clone().decorated("", "").to_string(),
                None => item.to_string(),
            };
            let text = item.as_str().map_or_else(written, str::to_owned);
            all.push(Setting { name: name.to_owned(), text });
        }
    }
    Ok(all)
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
    let (name, ty) = (param.name.clone(), param.ty.clone());
    value_text::read_value(&ty, text, &name).map_err(|misread| match misread {
        Misread::Json(why) => ParamFault::Json { name, ty, why },
        Misread::NotOfType => ParamFault::Unreadable { name, ty, text: text.to_owned() },
    })
}

/// The value of a type that a text stands for, for an input of an event.
pub(crate) fn value_of(ty: &Type, text: &str, name: &str) -> Result<Value, ParamFault> {
    let (name, ty) = (name.to_owned(), ty.clone());
    value_text::read_value(&ty, text, &name).map_err(|misread| match misread {
        Misread::Json(why) => ParamFault::InputJson { name, ty, why },
        Misread::NotOfType => ParamFault::Input { name, ty, text: text.to_owned() },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_needs_a_name_and_may_hold_more_equal_signs() {
        let setting: Setting = "file=a=b".parse().expect("a setting");
        assert_eq!(setting, Setting { name: "file".to_owned(), text: "a=b".to_owned() });
        assert!("=3".parse::<Setting>().is_err());
        assert!("n".parse::<Setting>().is_err());
    }
}
