//! `hasse build`: makes a Cargo project of a program, whose executable runs it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::ending::Ending;
use crate::fault::Fault;
use crate::generate::project::{self, WriteError};
use crate::linked::Linked;
use crate::out::Out;
use crate::program::{self, Program};
use crate::report;

/// Make a Cargo project of a program, whose executable runs it
///
/// The executable takes the options of `hasse run`; its subcommands are those about a program and its traces. The code is made to be
/// read and gone on with: graphs, ports and rules become calls of the library's builder, bodies in Rust become functions. Bodies in
/// Rhai stay texts, and are compiled when it runs.
#[derive(clap::Args)]
pub(crate) struct BuildArgs {
    /// The program file
    program: PathBuf,
    /// The folder of the project; it must not exist, or be empty
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Have Cargo build the executable, with optimization
    #[arg(long)]
    release: bool,
    /// Replace a project that was generated into the folder before, and what was changed in it
    #[arg(long)]
    replace: bool,
    /// The folder of Hasse's own source, which the project is linked with [default: where this command was built]
    #[arg(long, value_name = "DIR", env = "HASSE_SOURCE")]
    source: Option<PathBuf>,
}

/// Where the source of this command was when it was built.
const SOURCE: &str = env!("CARGO_MANIFEST_DIR");

/// Generates a project.
pub(crate) fn build(args: &BuildArgs, linked: &Linked) -> Result<Ending, Fault> {
    let library = args.source.clone().unwrap_or_else(|| PathBuf::from(SOURCE));
    let library = std::path::absolute(&library).unwrap_or(library);
    if !is_source(&library) {
        return Err(Fault::NoSource { path: library });
    }
    let program = Program::read(&args.program, linked)?;
    let compiled = program.check()?;
    report::print_diagnostics(&program, &compiled.diagnostics);
    let Some(plan) = program::sound_plan(&compiled) else { return Ok(Ending::Failed) };
    let project = project::generate(plan, &program.path, &program.text, &library);
    project.write(&args.out, args.replace).map_err(|error| match error {
        WriteError::Exists { path, is_ours } => Fault::ProjectExists { path, is_generated: is_ours },
        WriteError::Write { path, source } => Fault::Write { path, source },
    })?;
    let mut out = Out::new();
    let told = if args.release {
        let executable = cargo_build(&args.out, &project.name)?;
        writeln!(out, "{}", executable.display())
    } else {
        writeln!(out, "{}: cargo build --release", args.out.display())
    };
    told.and_then(|()| out.close()).map_err(Fault::Stdout)?;
    Ok(Ending::Fine)
}

fn is_source(folder: &Path) -> bool {
    folder.join("Cargo.toml").is_file() && folder.join("src/command.rs").is_file()
}

/// Has Cargo build a project; tells where the executable is. What Cargo says goes to standard error.
fn cargo_build(folder: &Path, name: &str) -> Result<PathBuf, Fault> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let cargo = PathBuf::from(cargo);
    let ended = Command::new(&cargo)
        .args(["build", "--release", "--message-format=json-render-diagnostics"])
        .current_dir(folder)
        .stderr(std::process::Stdio::inherit())
        .output()
        .map_err(|source| Fault::NoCargo { cargo, source })?;
    if !ended.status.success() {
        return Err(Fault::CargoFailed { folder: folder.to_owned() });
    }
    let told = String::from_utf8_lossy(&ended.stdout);
    let made = told.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let executables = made.filter(|message| message["target"]["name"] == name);
    let executable =
        executables.filter_map(|message| message["executable"].as_str().map(PathBuf::from)).next_back();
    executable.ok_or_else(|| Fault::CargoFailed { folder: folder.to_owned() })
}
