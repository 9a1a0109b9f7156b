//! What `rustc` says, as findings about the program file.

use hasse_model::diagnostic::{Diagnostic, Label, Location};
use serde_json::Value as Json;

use super::fault::{CODE, RustFault};
use crate::generate::place;

/// The errors in what the compiler wrote, one JSON object a line, for bodies of a program file of a name and a text. Where it has
/// none that has to do with the bodies, it failed otherwise.
pub(super) fn findings(
    said: &str,
    generated: &str,
    program: (&str, &str),
) -> Result<Vec<Diagnostic>, RustFault> {
    let messages: Vec<Json> = said.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let errors = messages.iter().filter(|message| message["level"] == "error");
    let findings: Vec<Diagnostic> =
        errors.clone().filter_map(|error| finding(error, generated, program)).collect();
    if !findings.is_empty() {
        return Ok(findings);
    }
    let first = errors.filter_map(|error| error["message"].as_str()).next();
    let message = first.unwrap_or_else(|| said.trim()).to_owned();
    Err(RustFault::Compiler { message })
}

fn finding(error: &Json, generated: &str, program: (&str, &str)) -> Option<Diagnostic> {
    let spans = error["spans"].as_array()?;
    let primary = spans.iter().find(|span| span["is_primary"] == true)?;
    let said = error["message"].as_str()?;
    let code = error["code"]["code"].as_str();
    let message = match code {
        Some(code) => format!("the body in Rust is not compiled: {said} ({code} of rustc)"),
        None => format!("the body in Rust is not compiled: {said}"),
    };
    let (at, is_in_text) = match place_of(primary, generated, program) {
        Some(at) => (at, true),
        None => (body_around(line_of(primary)?, generated, program)?, false),
    };
    let label = primary["label"].as_str().unwrap_or_default();
    let mut diagnostic = Diagnostic::error(CODE, message, at, if is_in_text { label } else { "" });
    for span in spans.iter().filter(|span| span["is_primary"] != true) {
        if let (Some(at), Some(text)) = (place_of(span, generated, program), span["label"].as_str()) {
            diagnostic.labels.push(Label { at, text: text.to_owned() });
        }
    }
    let mut hints = Vec::new();
    if !is_in_text {
        let why = if label.is_empty() { String::new() } else { format!(": {label}") };
        hints.push(format!("in what stands around the body, `{}`{why}", spelling(primary)));
    }
    for child in error["children"].as_array().into_iter().flatten() {
        if matches!(child["level"].as_str(), Some("help" | "note")) {
            hints.extend(hint(child));
        }
    }
    if !hints.is_empty() {
        diagnostic = diagnostic.with_help(hints.join("\n"));
    }
    Some(diagnostic)
}

fn line_of(span: &Json) -> Option<u32> {
    span["line_start"].as_u64().and_then(|line| u32::try_from(line).ok())
}

/// Where a span is in the program file, if it is within a body's text.
fn place_of(span: &Json, generated: &str, (file, text): (&str, &str)) -> Option<Location> {
    let number = |key: &str| span[key].as_u64().and_then(|number| u32::try_from(number).ok());
    let start = place::in_program(generated, file, text, (number("line_start")?, number("column_start")?))?;
    let end = place::in_program(generated, file, text, (number("line_end")?, number("column_end")?));
    Some(Location { end: end.map_or(start.end, |end| end.start.max(start.start)), ..start })
}

/// The beginning of the body whose function a line of generated code is in.
fn body_around(line: u32, generated: &str, (file, text): (&str, &str)) -> Option<Location> {
    let lines: Vec<&str> = generated.lines().collect();
    let upto = (line as usize).min(lines.len());
    let begin = lines[..upto].iter().rposition(|line| line.trim() == "#[rustfmt::skip]")?;
    let comment = format!("// {file}:");
    let n_more = lines[begin..].iter().position(|line| line.trim().starts_with(&comment))?;
    place::in_program(generated, file, text, ((begin + n_more + 2) as u32, 1))
}

/// The generated line that a span is about.
fn spelling(span: &Json) -> String {
    span["text"][0]["text"].as_str().unwrap_or_default().trim().to_owned()
}

/// What is to be done, with the text that the compiler proposes.
fn hint(child: &Json) -> Option<String> {
    let message = child["message"].as_str()?;
    let spans = child["spans"].as_array();
    let proposed: Vec<&str> = spans
        .into_iter()
        .flatten()
        .filter_map(|span| span["suggested_replacement"].as_str())
        .filter(|text| !text.trim().is_empty())
        .map(str::trim)
        .collect();
    Some(match proposed[..] {
        [] => message.to_owned(),
        _ => format!("{message}: `{}`", proposed.join("` and `")),
    })
}
