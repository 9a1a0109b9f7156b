//! Verdicts for a person and for a program.

use std::fmt::Write;

use serde_json::{Value as Json, json};

use hasse_model::plan::Access;
use hasse_model::quantity::counted;

use super::evidence::{Evidence, Quote, Way};
use super::history::Step;
use super::verdict::{Bound, Missing, Verdict, Violation};

/// Writes a verdict for a person; `program_path` stands before the line numbers.
pub fn render(verdict: &Verdict, program_path: &str) -> String {
    let mut text = String::new();
    put_verdict(&mut text, verdict, program_path).expect("a string takes every write");
    text
}

fn put_verdict(text: &mut String, verdict: &Verdict, program_path: &str) -> std::fmt::Result {
    writeln!(text, "{}: {}", verdict.word(), verdict.commands.join("\n    or "))?;
    if let Some(error) = &verdict.error {
        writeln!(text, "  {error}")?;
    }
    let events = counted(verdict.n_events, "event");
    let is_of_several = verdict.violations.iter().any(|violation| violation.events.len() > 1);
    match (verdict.n_combinations, verdict.n_violations) {
        (None, 0) => writeln!(text, "  {events} checked")?,
        (Some(n), 0) => writeln!(text, "  {} of {events} checked", counted(n, "combination"))?,
        (None, n) if is_of_several => {
            writeln!(text, "  {} of {events} not as expected", counted(n, "combination"))?
        }
        (None, n) => writeln!(text, "  {n} of {events} not as expected")?,
        (Some(all), n) => {
            writeln!(text, "  {n} of {} of {events} not as expected", counted(all, "combination"))?;
        }
    }
    if verdict.n_undecided > 0 {
        let n = verdict.n_undecided;
        let word = if verdict.n_combinations.is_some() { counted(n, "combination") } else { n.to_string() };
        writeln!(text, "  {word} undecided so far")?;
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

fn put_violation(
    text: &mut String,
    verdict: &Verdict,
    violation: &Violation,
    program_path: &str,
) -> std::fmt::Result {
    match violation.events.as_slice() {
        [] => writeln!(text, "  {}", violation.event)?,
        several => {
            let named: Vec<String> =
                several.iter().map(|bound| format!("{} = {}", bound.variable, bound.event)).collect();
            writeln!(text, "  {}", named.join(", "))?;
        }
    }
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
    if violation.evidence.is_empty() && violation.history.is_empty() && violation.reasons.is_empty() {
        writeln!(text, "    it took no value and reached no shared object")?;
    }
    let it = Voice { indent: "    ", subject: "it ", program_path };
    violation.evidence.iter().try_for_each(|evidence| put_evidence(text, evidence, it))?;
    for step in &violation.history {
        writeln!(text, "    {}", step.event)?;
        let it = Voice { indent: "      ", subject: "", program_path };
        step.before.iter().try_for_each(|evidence| put_evidence(text, evidence, it))?;
    }
    Ok(())
}

/// How evidence is written.
#[derive(Clone, Copy)]
struct Voice<'p> {
    indent: &'static str,
    subject: &'static str,
    program_path: &'p str,
}

fn put_evidence(text: &mut String, evidence: &Evidence, voice: Voice<'_>) -> std::fmt::Result {
    let Voice { indent, subject, .. } = voice;
    write!(text, "{indent}{subject}")?;
    match evidence {
        Evidence::Value { sender, ways, template } => {
            write!(text, "took a value of {sender}")?;
            put_ways(text, ways, template, voice)
        }
        Evidence::Relayed { event, template, object: None, ways } => {
            write!(text, "took what {event} sent, at once or through events that were not recorded")?;
            if !ways.is_empty() {
                write!(text, "; if at once,")?;
            }
            put_ways(text, ways, template, voice)
        }
        Evidence::Relayed { event, object: Some((object, access)), .. } => writeln!(
            text,
            "{} {object} after {event}, at once or through events that were not recorded",
            past(*access)
        ),
        Evidence::Overwrote { object, reader } => {
            writeln!(text, "overwrote {object}, which {reader} had read")
        }
        Evidence::Sequence { event } => writeln!(text, "is the next execution after {event}"),
        Evidence::Shared { object, access, writer } => match writer {
            Some(writer) => writeln!(text, "{} {object}, last written by {writer}", past(*access)),
            None => writeln!(text, "{} {object}, not written before", past(*access)),
        },
    }
}

fn past(access: Access) -> &'static str {
    match access {
        Access::Read => "read",
        Access::Write => "wrote",
    }
}

fn put_ways(text: &mut String, ways: &[Way], template: &str, voice: Voice<'_>) -> std::fmt::Result {
    match ways {
        [] => writeln!(text),
        [way] => put_way(text, way, template, voice),
        several => {
            writeln!(text, " in one of these ways:")?;
            several.iter().try_for_each(|way| {
                write!(text, "{} ", voice.indent)?;
                put_way(text, way, template, voice)
            })
        }
    }
}

fn put_way(text: &mut String, way: &Way, template: &str, voice: Voice<'_>) -> std::fmt::Result {
    let Voice { indent, program_path, .. } = voice;
    let Way { port, rule, rule_quote, arc_quotes } = way;
    writeln!(text, " from port {port},")?;
    let (rule_text, rule_line) = (&rule_quote.text, rule_quote.line);
    writeln!(
        text,
        "{indent}  sent by routing rule {rule} of {template} `{rule_text}` ({program_path}:{rule_line})"
    )?;
    for (arc_idx, arc) in arc_quotes.iter().enumerate() {
        let word = if arc_idx == 0 { "along" } else { "then along" };
        writeln!(text, "{indent}  {word} arc `{}` ({program_path}:{})", arc.text, arc.line)?;
    }
    Ok(())
}

/// Writes a verdict for a program.
pub fn to_json(verdict: &Verdict) -> Json {
    let mut json = json!({
        "commands": verdict.commands,
        "verdict": verdict.word(),
        "holds": verdict.error.is_none().then_some(verdict.holds).filter(|_| !verdict.is_open),
        "events": verdict.n_events,
        "violations": verdict.n_violations,
        "first_violations": verdict.violations.iter().map(violation_json).collect::<Vec<_>>(),
        "witness": verdict.witness,
        "notes": verdict.notes,
    });
    let more = [
        ("error", verdict.error.as_ref().map(|error| json!(error))),
        ("combinations", verdict.n_combinations.map(|n| json!(n))),
        ("undecided", (verdict.n_undecided > 0).then(|| json!(verdict.n_undecided))),
    ];
    put_present(&mut json, more);
    json
}

/// Adds the fields that there are.
fn put_present<const N: usize>(json: &mut Json, fields: [(&str, Option<Json>); N]) {
    if let Some(object) = json.as_object_mut() {
        object.extend(fields.into_iter().filter_map(|(name, field)| Some((name.to_owned(), field?))));
    }
}

fn violation_json(violation: &Violation) -> Json {
    let spec = |missing: &Missing| json!({ "spec": missing.spec, "occurred": missing.occurred });
    let missing = |specs: &Vec<Missing>| specs.iter().map(spec).collect::<Vec<_>>();
    let all = |evidence: &[Evidence]| evidence.iter().map(evidence_json).collect::<Vec<_>>();
    let bound =
        |bound: &Bound| json!({ "variable": bound.variable, "event": bound.event, "node": bound.template });
    let step =
        |step: &Step| json!({ "event": step.event, "node": step.template, "before": all(&step.before) });
    let mut json = json!({
        "event": violation.event,
        "node": violation.template,
        "missing": violation.missing.iter().map(missing).collect::<Vec<_>>(),
        "evidence": all(&violation.evidence),
    });
    let some = |list: Vec<Json>| (!list.is_empty()).then_some(Json::Array(list));
    let more = [
        ("events", some(violation.events.iter().map(bound).collect())),
        ("reasons", some(violation.reasons.iter().map(|reason| json!(reason)).collect())),
        ("history", some(violation.history.iter().map(step).collect())),
    ];
    put_present(&mut json, more);
    json
}

fn evidence_json(evidence: &Evidence) -> Json {
    let access_json = |access: Access| match access {
        Access::Read => "read",
        Access::Write => "write",
    };
    match evidence {
        Evidence::Value { sender, template, ways } => {
            json!({ "sender": sender, "node": template, "ways": ways_json(ways) })
        }
        Evidence::Relayed { event, template, object: None, ways } => {
            json!({ "relayed": event, "node": template, "ways": ways_json(ways) })
        }
        Evidence::Relayed { event, template, object: Some((object, access)), .. } => {
            json!({ "relayed": event, "node": template, "object": object, "access": access_json(*access) })
        }
        Evidence::Overwrote { object, reader } => json!({ "object": object, "reader": reader }),
        Evidence::Sequence { event } => json!({ "sequence": event }),
        Evidence::Shared { object, access, writer } => {
            json!({ "object": object, "access": access_json(*access), "writer": writer })
        }
    }
}

fn ways_json(ways: &[Way]) -> Vec<Json> {
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
    ways.iter().map(way).collect()
}
