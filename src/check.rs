//! `hasse check`: compiles a program and says what is wrong with it.

use std::io::Write;
use std::path::PathBuf;

use hasse_model::diagnostic::Severity;
use serde_json::{Value as Json, json};

use crate::ending::Ending;
use crate::fault::Fault;
use crate::linked::Linked;
use crate::lowering::Lowered;
use crate::out::Out;
use crate::program::Program;
use crate::{json, report, watch};

/// Compile a program and report what is wrong with it
///
/// Warnings do not fail.
#[derive(clap::Args)]
pub(crate) struct CheckArgs {
    /// The program file
    program: PathBuf,
    #[command(flatten)]
    asked: CheckAsked,
    /// Check again whenever the file changes
    #[arg(long)]
    watch: bool,
}

/// Compile the program and report what is wrong with it
///
/// Warnings do not fail.
#[derive(clap::Args)]
pub(crate) struct CheckAsked {
    /// Print the findings as one JSON object on standard output
    #[arg(long)]
    json: bool,
    /// Say in which tier each rule and body runs, and why it is not a faster one
    #[arg(long)]
    explain_lowering: bool,
}

/// Checks a program.
pub(crate) fn check(args: &CheckArgs, linked: &Linked) -> Result<Ending, Fault> {
    let check_once = || check_program(&args.asked, &Program::read(&args.program, linked)?);
    if args.watch { watch::watch(&args.program, |_| check_once()) } else { check_once() }
}

/// Checks a program whose text is known.
pub(crate) fn check_program(args: &CheckAsked, program: &Program) -> Result<Ending, Fault> {
    let compiled = program.check()?;
    let n_errors = compiled.diagnostics.iter().filter(|found| found.severity == Severity::Error).count();
    let mut out = Out::new();
    let natives = program.linked().natives();
    let plan = compiled.plan.as_ref().filter(|_| args.explain_lowering);
    let lowered = plan.map(|plan| Lowered::of(plan, natives));
    if args.json {
        let found: Json = compiled.diagnostics.iter().map(json::diagnostic).collect();
        let mut found = json!({ "program": program.name(), "diagnostics": found });
        if let (Some(object), Some(Json::Object(lowered))) =
            (found.as_object_mut(), lowered.as_ref().map(Lowered::json))
        {
            object.extend(lowered);
        }
        writeln!(out, "{found}").map_err(Fault::Stdout)?;
    } else {
        report::print_diagnostics(program, &compiled.diagnostics);
        if let Some(lowered) = lowered {
            write!(out, "{}", lowered.text(&program.name())).map_err(Fault::Stdout)?;
        } else if n_errors == 0 {
            writeln!(out, "{}: no errors", program.name()).map_err(Fault::Stdout)?;
        }
    }
    out.close().map_err(Fault::Stdout)?;
    Ok(Ending::failed_if(n_errors > 0))
}
