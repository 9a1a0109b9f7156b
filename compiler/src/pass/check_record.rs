//! How the program asks to be recorded: `[record]`, its mode, and its options by selector.

use hasse_model::diagnostic::{Diagnostic, Severity};
use hasse_model::plan::Plan;
use hasse_model::record_options::{RecordAnnotations, RecordOption, RecordOptions, Selector, SelectorError};

use crate::session::Session;
use crate::suggest;
use crate::syntax::{Name, Record};

/// Modes that a file may ask for.
const MODES: [&str; 2] = ["full", "restrict"];

/// Checks the annotations. Selectors are looked up only in a program without other errors, so that what was
/// left out of it is not missed.
pub(crate) fn check_record(record: &Record, plan: &Plan, session: &mut Session<'_>) -> RecordAnnotations {
    let is_whole = session.diagnostics.iter().all(|found| found.severity != Severity::Error);
    let mut annotations = RecordAnnotations::default();
    if let Some(mode) = &record.mode {
        annotations.is_restricted = mode.text == "restrict";
        if !MODES.contains(&mode.text.as_str()) {
            report_unknown(mode, "mode of recording", "modes", MODES, session);
        }
    }
    for entry in &record.options {
        let value = entry.text.clone().into_name();
        let option = RecordOption::of_name(&value.text);
        if option.is_none() {
            let names = RecordOption::NAMES.map(|(name, _)| name);
            report_unknown(&value, "recording option", "options", names, session);
        }
        let selector: Selector = match entry.name.text.parse() {
            Ok(selector) => selector,
            Err(error) => {
                report(&entry.name, "E0801", &error, session);
                continue;
            }
        };
        let Some(option) = option else { continue };
        let setting = (selector, option);
        let alone = RecordOptions { settings: vec![setting.clone()], ..RecordOptions::restricted() };
        match alone.resolve(plan) {
            Err(error) if is_whole => report(&entry.name, "E0802", &error, session),
            Err(_) | Ok(_) => annotations.settings.push(setting),
        }
    }
    annotations
}

fn report(key: &Name, code: &'static str, error: &SelectorError, session: &mut Session<'_>) {
    let help = match error.unknown() {
        Some((name, known)) => Some(suggest::help(name, "names", known.iter().map(String::as_str))),
        None => error.hint(),
    };
    let diagnostic = Diagnostic::error(code, error.to_string(), key.at, "");
    session.diagnostics.push(match help {
        Some(help) => diagnostic.with_help(help),
        None => diagnostic,
    });
}

fn report_unknown<const N: usize>(
    name: &Name,
    what: &str,
    plural: &str,
    known: [&str; N],
    session: &mut Session<'_>,
) {
    let message = format!("`{}` is no {what}", name.text);
    let help = suggest::help(&name.text, plural, known);
    session.diagnostics.push(Diagnostic::error("E0803", message, name.at, "").with_help(help));
}
