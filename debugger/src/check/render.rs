//! Verdicts for a person and for a program.

use std::fmt::Write;

use serde_json::{Value as Json, json};

use hasse_model::plan::Access;

use super::evidence::{Evidence, Quote, Way};
use super::verdict::{Missing, Verdict, Violation};

/// Writes a verdict for a person; `program_path` stands before the line numbers.
pub fn render(verdict: &Verdict, program_path: &str) -> String {
    let mut text = String::new();
    put_verdict(&mut text, verdict, program_path).expect("a string takes every write");
    text
}

fn put_verdict(text: &mut String, verdict: &Verdict, program_path: &str) -> std::fmt::Result {
    let word = match (verdict.holds, &verdict.error) {
        (true, _) => "holds",
        (false, None) => "does not hold",
        (false, Some(_)) => "cannot be decided",
    };
    writeln!(text, "{word}: {}", verdict.commands.join("\n    or "))?;
    if let Some(error) = &verdict.error {
        writeln!(text, "  {error}")?;
    }
    match verdict.n_violations {
        0 => writeln!(text, "  {} checked", counted(verdict.n_events))?,
        n_violations => writeln!(text, "  {n_violations} of {} not as expected", counted(verdict.n_events))?,
    }
    if !verdict.witness.is_empty() {
        let is_parallel = verdict.commands.iter().any(|command| command.starts_with("check parall"));
        let word = if is_parallel { "concurrent" } else { "found" };
        writeln!(text, "  {word}: {}", verdict.witness.join(", "))?;
    }
    verdict.notes.iter().try_for_each(|note| writeln!(text, "  note: {note}"))?;
    for violation in &verdict.violations {
        put_violation(text, verdict, violation, program_path)?;
    }
    let n_more = verdict.n_violations - verdict.violations.len() as u64;
    if n_more > 0 {
        writeln!(text, "  and {n_more} more")?;
    }
    Ok(())
}

fn counted(n_events: u64) -> String {
    format!("{n_events} {}", if n_events == 1 { "event" } else { "events" })
}

fn put_violation(
    text: &mut String,
    verdict: &Verdict,
    violation: &Violation,
    program_path: &str,
) -> std::fmt::Result {
    writeln!(text, "  {}", violation.event)?;
    violation.reasons.iter().try_for_each(|reason| writeln!(text, "    {reason}"))?;
    for (command, missing) in verdict.commands.iter().zip(&violation.missing) {
        let specs: Vec<&str> = missing.iter().map(|missing| missing.spec.as_str()).collect();
        let verb = if specs.len() == 1 { "is" } else { "are" };
        write!(text, "    {} {verb} not before it", specs.join(", "))?;
        let absent: Vec<&Missing> = missing.iter().filter(|missing| !missing.occurred).collect();
        match absent.as_slice() {
            [] => {}
            [_] if specs.len() == 1 => write!(text, " and never occurred")?,
            _ => {
                let specs: Vec<&str> = absent.iter().map(|missing| missing.spec.as_str()).collect();
                write!(text, "; {} never occurred", specs.join(", "))?;
            }
        }
        match verdict.commands.len() {
            1 => writeln!(text)?,
            _ => writeln!(text, ", as `{command}` expects")?,
        }
    }
    if violation.evidence.is_empty() && violation.reasons.is_empty() {
        writeln!(text, "    it took no value and reached no shared object")?;
    }
    violation.evidence.iter().try_for_each(|evidence| put_evidence(text, evidence, program_path))
}

fn put_evidence(text: &mut String, evidence: &Evidence, program_path: &str) -> std::fmt::Result {
    match evidence {
        Evidence::Value { sender, ways, template } => {
            write!(text, "    it took a value of {sender}")?;
            match ways.as_slice() {
                [] => writeln!(text),
                [way] => put_way(text, way, template, program_path),
                several => {
                    writeln!(text, " in one of these ways:")?;
                    several.iter().try_for_each(|way| {
                        write!(text, "     ")?;
                        put_way(text, way, template, program_path)
                    })
                }
            }
        }
        Evidence::Shared { object, access, writer } => {
            let verb = match access {
                Access::Read => "read",
                Access::Write => "wrote",
            };
            match writer {
                Some(writer) => writeln!(text, "    it {verb} {object}, last written by {writer}"),
                None => writeln!(text, "    it {verb} {object}, not written before"),
            }
        }
    }
}

fn put_way(text: &mut String, way: &Way, template: &str, program_path: &str) -> std::fmt::Result {
    let Way { port, rule, rule_quote, arc_quotes } = way;
    writeln!(text, " from port {port},")?;
    let (rule_text, rule_line) = (&rule_quote.text, rule_quote.line);
    writeln!(
        text,
        "      sent by routing rule {rule} of {template} `{rule_text}` ({program_path}:{rule_line})"
    )?;
    for (arc_idx, arc) in arc_quotes.iter().enumerate() {
        let word = if arc_idx == 0 { "along" } else { "then along" };
        writeln!(text, "      {word} arc `{}` ({program_path}:{})", arc.text, arc.line)?;
    }
    Ok(())
}

/// Writes a verdict for a program.
pub fn to_json(verdict: &Verdict) -> Json {
    json!({
        "commands": verdict.commands,
        "holds": verdict.holds,
        "events": verdict.n_events,
        "violations": verdict.n_violations,
        "first_violations": verdict.violations.iter().map(violation_json).collect::<Vec<_>>(),
        "witness": verdict.witness,
        "notes": verdict.notes,
    })
}

fn violation_json(violation: &Violation) -> Json {
    let spec = |missing: &Missing| json!({ "spec": missing.spec, "occurred": missing.occurred });
    let missing = |specs: &Vec<Missing>| specs.iter().map(spec).collect::<Vec<_>>();
    json!({
        "event": violation.event,
        "template": violation.template,
        "missing": violation.missing.iter().map(missing).collect::<Vec<_>>(),
        "evidence": violation.evidence.iter().map(evidence_json).collect::<Vec<_>>(),
    })
}

fn evidence_json(evidence: &Evidence) -> Json {
    match evidence {
        Evidence::Value { sender, template, ways } => {
            let quote = |quote: &Quote| json!({ "arc": quote.text, "line": quote.line });
            let way = |way: &Way| {
                json!({
                    "port": way.port,
                    "rule": way.rule,
                    "rule_text": way.rule_quote.text,
                    "rule_line": way.rule_quote.line,
                    "arcs": way.arc_quotes.iter().map(quote).collect::<Vec<_>>(),
                })
            };
            let ways: Vec<Json> = ways.iter().map(way).collect();
            json!({ "sender": sender, "template": template, "ways": ways })
        }
        Evidence::Shared { object, access, writer } => {
            let access = match access {
                Access::Read => "read",
                Access::Write => "write",
            };
            json!({ "object": object, "access": access, "writer": writer })
        }
    }
}
