//! What is wrong with a line of the form, before any run.

use std::path::Path;

use hasse_debugger::check::{Checker, command};
use hasse_model::record_options::{RecordOptions, SelectorError};
use hasse_model::value::Value;

use super::super::facts::Facts;
use crate::run::facts::ParamFact;

/// Most names that are told in place of one that is not there.
const MOST_NAMES: usize = 6;

/// What is wrong with a selector; an empty one is left out of the options.
pub(super) fn of_selector(text: &str, facts: Option<&Facts>) -> Option<String> {
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    let options = match RecordOptions::restricted().select(text) {
        Ok(options) => options,
        Err(error) => return Some(told(&error)),
    };
    let plan = facts?.plan.as_ref()?;
    options.resolve(plan).err().map(|error| told(&error))
}

/// The error without the selector, which stands above it.
fn told(error: &SelectorError) -> String {
    let text = error.to_string();
    let message = text.split_once("`, column ").and_then(|(_, behind)| behind.split_once(": "));
    let message = message.map_or(text.as_str(), |(_, message)| message);
    let known = error.unknown().map(|(_, known)| known).unwrap_or_default();
    if let Some(hint) = error.hint() {
        return format!("{message}: {hint}");
    }
    if known.is_empty() {
        return message.to_owned();
    }
    let names: Vec<&str> = known.iter().take(MOST_NAMES).map(String::as_str).collect();
    let more = if known.len() > MOST_NAMES { ", ..." } else { "" };
    format!("{message}; it has {}{more}", names.join(", "))
}

/// What is wrong with a check.
pub(super) fn of_check(text: &str, facts: Option<&Facts>, has_file: &dyn Fn(&str) -> bool) -> Option<String> {
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    if let Some(path) = text.strip_prefix("model ") {
        let path = path.trim().trim_matches(['"', '\'']);
        return (!has_file(path)).then(|| format!("there is no file `{path}` beside the program"));
    }
    let command = match command::parse(text) {
        Ok(command) => command,
        Err(error) => return Some(error.to_string()),
    };
    let plan = facts?.plan.as_ref()?;
    // Names are looked up; what the parameters are is not asked for.
    let params: Vec<(String, Value)> =
        plan.params().iter().map(|param| (param.name.clone(), Value::Int(0))).collect();
    Checker::new(&[command], plan, &params).err().map(|error| error.to_string())
}

/// What is wrong with the value of a parameter, as far as that is seen without the session.
pub(super) fn of_param(param: &ParamFact, text: &str) -> Option<String> {
    let text = text.trim();
    if text.is_empty() {
        return param.default.is_none().then(|| "a value is needed".to_owned());
    }
    let is_readable = match param.ty.as_str() {
        "int" => text.parse::<i64>().is_ok(),
        "real" => text.parse::<f64>().is_ok(),
        "bool" => matches!(text, "true" | "false"),
        _ => true,
    };
    (!is_readable).then(|| format!("this is no {}", param.ty))
}

/// What is wrong with the name of a file that is to be written.
pub(super) fn of_file(name: &str) -> Option<String> {
    let name = name.trim();
    if name.is_empty() {
        return Some("a name is needed".to_owned());
    }
    let path = Path::new(name);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if path.is_dir() {
        return Some("this is a folder".to_owned());
    }
    folder
        .filter(|folder| !folder.is_dir())
        .map(|folder| format!("there is no folder `{}`", folder.display()))
}
