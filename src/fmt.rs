//! `hasse fmt`: puts program files into canonical form.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;

use crate::ending::Ending;
use crate::fault::Fault;
use crate::linked::Linked;
use crate::out::Out;
use crate::program::Program;
use crate::{out, report, whole_file};

/// Put program files into canonical form
///
/// Orders tables and keys, lines them up, and spaces arcs and rules; comments are kept, and what the
/// program means does not change. Files that are not TOML are reported and left as they are.
#[derive(clap::Args)]
pub(crate) struct FmtArgs {
    /// Program files, folders to be searched for `*.hasse`, or `-` for standard input [default: .]
    files: Vec<PathBuf>,
    /// Change nothing; name the files that are not in canonical form, and fail if there are any
    #[arg(long)]
    check: bool,
    /// Print the result in place of writing it
    #[arg(long, conflicts_with = "check")]
    stdout: bool,
    /// Print one JSON object on standard output: what was found of each file, and with --stdout its text
    #[arg(long)]
    json: bool,
}

/// Formats files.
pub(crate) fn fmt(args: &FmtArgs, linked: &Linked) -> Result<Ending, Fault> {
    if args.json {
        return fmt_for_programs(args, linked);
    }
    let mut out = Out::new();
    let mut has_failed = false;
    for program in programs(&args.files, linked)? {
        let formatted = match hasse_compiler::format(&program.text) {
            Ok(formatted) => formatted,
            Err(diagnostics) => {
                report::print_diagnostics(&program, &diagnostics);
                has_failed = true;
                continue;
            }
        };
        if args.stdout || (is_stdin(&program.path) && !args.check) {
            out.write_all(formatted.as_bytes()).map_err(Fault::Stdout)?;
        } else if formatted != *program.text {
            writeln!(out, "{}", program.name()).map_err(Fault::Stdout)?;
            if args.check {
                has_failed = true;
            } else {
                replace(&program.path, &formatted)?;
            }
        }
    }
    out.close().map_err(Fault::Stdout)?;
    Ok(Ending::failed_if(has_failed))
}

/// Formats files, and prints what was found as JSON. A text from standard input is given back, not written.
fn fmt_for_programs(args: &FmtArgs, linked: &Linked) -> Result<Ending, Fault> {
    let mut files = Vec::new();
    let mut has_failed = false;
    for program in programs(&args.files, linked)? {
        let (is_changed, text, found) = match hasse_compiler::format(&program.text) {
            Ok(formatted) => {
                let is_shown = args.stdout || (is_stdin(&program.path) && !args.check);
                let is_changed = formatted != *program.text;
                if is_changed && !is_shown && !args.check {
                    replace(&program.path, &formatted)?;
                }
                has_failed |= is_changed && args.check;
                (Some(is_changed), is_shown.then_some(formatted), Vec::new())
            }
            Err(diagnostics) => {
                has_failed = true;
                (None, None, diagnostics)
            }
        };
        files.push(json!({
            "program": program.name(),
            "is_canonical": is_changed.map(|is_changed| !is_changed),
            "text": text,
            "diagnostics": found.iter().map(crate::json::diagnostic).collect::<Vec<_>>(),
        }));
    }
    out::print_json(&json!({ "files": files }))?;
    Ok(Ending::failed_if(has_failed))
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Everything that is asked for, read before anything is written.
fn programs(files: &[PathBuf], linked: &Linked) -> Result<Vec<Program>, Fault> {
    let current = [PathBuf::from(".")];
    let mut paths = Vec::new();
    let mut seen = BTreeSet::new();
    for path in if files.is_empty() { &current } else { files } {
        if path.is_dir() {
            let found = programs_below(path)?;
            if found.is_empty() {
                return Err(Fault::NoProgram { path: path.clone() });
            }
            paths.extend(found);
        } else {
            paths.push(path.clone());
        }
    }
    paths.retain(|path| seen.insert(path.clone()));
    let read = |path: &PathBuf| if is_stdin(path) { from_stdin(linked) } else { Program::read(path, linked) };
    paths.iter().map(read).collect()
}

fn from_stdin(linked: &Linked) -> Result<Program, Fault> {
    let path = PathBuf::from("-");
    let mut text = String::new();
    match io::stdin().lock().read_to_string(&mut text) {
        Ok(_) => Ok(Program::new(path, Arc::new(text), linked)),
        Err(source) => Err(Fault::Read { path, source }),
    }
}

/// The program files of a folder and those within it, sorted; hidden folders and `target` are not
/// searched.
fn programs_below(folder: &Path) -> Result<Vec<PathBuf>, Fault> {
    let cannot_read = |source| Fault::Read { path: folder.to_owned(), source };
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(cannot_read)? {
        let entry = entry.map_err(cannot_read)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if folder == Path::new(".") { PathBuf::from(&name) } else { entry.path() };
        let kind = entry.file_type().map_err(cannot_read)?;
        if kind.is_dir() && !name.starts_with('.') && name != "target" {
            found.extend(programs_below(&path)?);
        } else if !kind.is_dir() && path.extension().is_some_and(|extension| extension == "hasse") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Replaces a file as a whole: whoever reads it meanwhile sees the old text or the new one.
pub(crate) fn replace(path: &Path, text: &str) -> Result<(), Fault> {
    whole_file::write_bytes(path, text.as_bytes())
        .map_err(|source| Fault::Write { path: path.to_owned(), source })
}
