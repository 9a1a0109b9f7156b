//! One event for gdb: the isolation file, and the command to type.

use std::path::Path;

use hasse::event::Isolation;
use hasse_model::plan::Body;

use super::{IsolateArgs, set_inputs, write};
use crate::ending::Ending;
use crate::fault::Fault;
use crate::program::{self, Program};
use crate::rust_library::{self, DEBUG_VARIABLE};
use crate::{ground, report};

/// Writes the isolation file, and prints the command that opens the event in gdb. Nothing is executed.
pub(super) fn prepare(
    args: &IsolateArgs,
    isolation: &mut Isolation,
    program: &Program,
) -> Result<Ending, Fault> {
    let compiled = program.compile_to_look();
    let Some(plan) = program::sound_plan(&compiled) else {
        report::print_diagnostics(program, &compiled.diagnostics);
        return Ok(Ending::Failed);
    };
    set_inputs(args, isolation, plan)?;
    let node = isolation.origin.node.clone();
    let template = plan.templates.iter().find(|template| plan.template_label(template) == node);
    let body = template.and_then(|template| template.body.as_ref());
    let Some(Body::Native { name, .. }) = body else { return Err(Fault::NotInRust { node }) };
    if let Some(save) = &args.save {
        write(save, &isolation.to_json())?;
    }
    let file = args.save.as_deref().unwrap_or(&args.source);
    let executable =
        std::env::current_exe().map_err(|source| Fault::Read { path: "hasse".into(), source })?;
    let mut command = String::new();
    match rust_library::symbol(plan, &program.path, name) {
        Some(symbol) => {
            command.push_str(&format!("{DEBUG_VARIABLE}=1 gdb -ex 'set breakpoint pending on' "));
            command.push_str(&format!("-ex 'break {symbol}' -ex run --args"));
        }
        // Its name is known to the linked executable alone.
        None => command.push_str("gdb --args"),
    }
    command.push_str(&format!(" {} isolate {}", quoted(&executable), quoted(file)));
    if let Some(program) = &args.program {
        command.push_str(&format!(" --program {}", quoted(program)));
    }
    ground::print(|out| {
        writeln!(out, "{command}")?;
        if is_installed("gdb") {
            return Ok(());
        }
        writeln!(
            out,
            "gdb is not installed: install the package gdb, as by `apt install gdb` or `dnf install gdb`"
        )
    })?;
    Ok(Ending::Fine)
}

/// A path as a word for a shell.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+,:=@%".contains(letter);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text,
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

/// Returns true if a command is in a folder of the search path.
fn is_installed(command: &str) -> bool {
    let name = format!("{command}{}", std::env::consts::EXE_SUFFIX);
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(&name).is_file()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_words_of_a_shell() {
        assert_eq!(quoted(Path::new("/a/b-1.json")), "/a/b-1.json");
        assert_eq!(quoted(Path::new("it's here")), r"'it'\''s here'");
    }
}
