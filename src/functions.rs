//! `hasse functions`: what bodies may call.

use std::io::{self, Write};

use hasse_body::library::{self, FAMILIES, Family, FunctionDoc};
use serde_json::{Value as Json, json};

use crate::ending::Ending;
use crate::fault::Fault;
use crate::out;
use crate::out::Out;

/// Show the functions that bodies may call
///
/// Without NAME, all of them by family; with it, its types, meaning, errors and an example.
#[derive(clap::Args)]
pub(crate) struct FunctionsArgs {
    /// The name of a function, or a part of one; else a word of the descriptions
    name: Option<String>,
    /// Print the page docs/library.md
    #[arg(long, conflicts_with = "name")]
    markdown: bool,
    /// Print one JSON object on standard output
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
}

/// Most columns of a line that lists names.
const LINE_WIDTH: usize = 96;

/// Shows functions.
pub(crate) fn functions(args: &FunctionsArgs) -> Result<Ending, Fault> {
    if args.json {
        return print_json(args.name.as_deref());
    }
    let mut out = Out::new();
    let shown = match &args.name {
        None if args.markdown => write!(out, "{}", library::markdown()),
        None => list(&mut out),
        Some(name) => {
            let found = named(name);
            if found.is_empty() {
                return Err(Fault::UnknownFunction { name: name.clone() });
            }
            found.iter().enumerate().try_for_each(|(place, function)| {
                if place > 0 {
                    writeln!(out)?;
                }
                describe(&mut out, function)
            })
        }
    };
    shown.and_then(|()| out.close()).map_err(Fault::Stdout)?;
    Ok(Ending::Fine)
}

/// Prints the functions as JSON: those that a name stands for, or all.
fn print_json(name: Option<&str>) -> Result<Ending, Fault> {
    let wanted = name.map(named);
    if let (Some(name), Some([])) = (name, wanted.as_deref()) {
        return Err(Fault::UnknownFunction { name: name.to_owned() });
    }
    let is_wanted = |function: &FunctionDoc| {
        wanted.as_ref().is_none_or(|wanted| wanted.iter().any(|known| known.name() == function.name()))
    };
    let of_family = |family: &'static Family| {
        let functions = family.functions.iter().filter(|function| is_wanted(function));
        functions.map(move |function| {
            json!({
                "name": function.name(),
                "family": family.title,
                "calls": function.calls.split("; ").collect::<Vec<_>>(),
                "doc": function.doc,
                "errors": function.errors,
                "example": function.example,
                "in_body_only": function.is_in_body_only(),
            })
        })
    };
    let functions: Vec<Json> = FAMILIES.iter().flat_map(of_family).collect();
    out::print_json(&json!({ "functions": functions }))?;
    Ok(Ending::Fine)
}

/// The function of that name, else all whose names contain it, else all whose descriptions do.
fn named(name: &str) -> Vec<&'static FunctionDoc> {
    if let Some(function) = library::find(name) {
        return vec![function];
    }
    let wanted = name.to_lowercase();
    let with = |is_meant: &dyn Fn(&FunctionDoc) -> bool| -> Vec<&'static FunctionDoc> {
        let all = FAMILIES.iter().flat_map(|family| family.functions);
        all.filter(|function| is_meant(function)).collect()
    };
    let by_name = with(&|function| function.name().contains(&wanted));
    if !by_name.is_empty() {
        return by_name;
    }
    with(&|function| function.doc.to_lowercase().contains(&wanted))
}

fn list(out: &mut Out) -> io::Result<()> {
    for family in FAMILIES {
        writeln!(out, "{}", family.title)?;
        let mut line = String::new();
        for function in family.functions {
            let star = if function.is_in_body_only() { "*" } else { "" };
            let name = format!(" {}{star}", function.name());
            if line.len() + name.len() > LINE_WIDTH {
                writeln!(out, " {line}")?;
                line.clear();
            }
            line.push_str(&name);
        }
        writeln!(out, " {line}\n")?;
    }
    writeln!(out, "* in `do` only: asks the world outside or speaks to it, and is recorded")?;
    writeln!(out, "`hasse functions NAME` says more about one")
}

fn describe(out: &mut Out, function: &FunctionDoc) -> io::Result<()> {
    for call in function.calls.split("; ") {
        writeln!(out, "{call}")?;
    }
    writeln!(out, "  {}", function.doc)?;
    if !function.errors.is_empty() {
        writeln!(out, "  errors: {}", function.errors)?;
    }
    if function.is_in_body_only() {
        writeln!(out, "  in `do` only; the answer is recorded")?;
    }
    writeln!(out, "  example: {}", function.example)
}
