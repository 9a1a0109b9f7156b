//! What facilities found, for a person and for a program.

use std::io::Write;

use hasse_debugger::check;
use hasse_debugger::facility::Findings;
use hasse_debugger::race;
use hasse_model::plan::Plan;
use hasse_model::value::Value;
use serde_json::Value as Json;

use crate::fault::Fault;
use crate::out::Out;
use crate::paint;
use crate::program::Program;

/// What was found, for a person: verdicts, then races.
pub(crate) fn findings_text(
    findings: &Findings,
    program: &Program,
    plan: &Plan,
    params: &[(String, Value)],
) -> String {
    let name = program.name();
    let mut text: String = findings.verdicts.iter().map(|verdict| check::render(verdict, &name)).collect();
    if let Some(races) = &findings.races {
        let report = race::report(races, &findings.summary.names, plan, params, &program.text);
        text += &race::render(&report, &name, false);
    }
    text
}

/// Prints what was found, for a person.
pub(crate) fn print(
    findings: Option<&Findings>,
    program: &Program,
    plan: &Plan,
    params: &[(String, Value)],
) -> Result<(), Fault> {
    let Some(findings) = findings else { return Ok(()) };
    let mut out = Out::new();
    let text = findings_text(findings, program, plan, params);
    out.write_all(paint::for_stdout(text).as_bytes()).and_then(|()| out.close()).map_err(Fault::Stdout)
}

/// What was found, for a program: added to the JSON object of a run.
pub(crate) fn put_json(
    findings: &Findings,
    program: &Program,
    plan: &Plan,
    params: &[(String, Value)],
    run: &mut Json,
) {
    run["verdicts"] = findings.verdicts.iter().map(check::to_json).collect();
    if let Some(races) = &findings.races {
        let report = race::report(races, &findings.summary.names, plan, params, &program.text);
        run["races"] = race::to_json(&report);
    }
}

/// Whether an expectation was not met, or there are races.
pub(crate) fn has_offence(findings: &Findings) -> bool {
    let has_race = findings.races.as_ref().is_some_and(|races| races.n_first() > 0);
    has_race || findings.verdicts.iter().any(|verdict| !verdict.holds)
}
