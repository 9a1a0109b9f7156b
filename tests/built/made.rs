//! Projects that `hasse build` generates: checked by Cargo, and compiled with the library that the tests have.
//!
//! To build one as a user does takes all of Hasse and what it depends on once more, with the features that a project asks for and
//! without optimization: several minutes of each test run. Whether its manifest, features and sources fit the library is found out
//! without code being made. The executables that the tests run are made by the compiler alone: the project's sources, linked with
//! the library that was built for the tests.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::support::{Folder, Ran, repository};

/// An executable that was built.
pub(crate) struct Executable(PathBuf);

impl Executable {
    /// Runs it in a folder.
    pub(crate) fn run_in(&self, folder: &Folder, args: &[&str]) -> Ran {
        let mut command = Command::new(&self.0);
        command.args(args).current_dir(folder.path("")).stdin(Stdio::null()).env_remove("NO_COLOR");
        Ran::of(command.output().unwrap())
    }
}

/// Where everything is built.
fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("built")
}

/// Has Cargo check a project as it is generated, with what it depends on. Fails on a warning of the project or of the library alone,
/// which no other test builds: users would see it.
pub(crate) fn check(project: &Path) {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let ended = Command::new(cargo)
        .args(["check", "--quiet"])
        .current_dir(project)
        .env("CARGO_TARGET_DIR", target())
        .env("CARGO_PROFILE_DEV_DEBUG", "none")
        .env("CARGO_INCREMENTAL", "0")
        // Of the package that this test belongs to.
        .env_remove("RUSTFLAGS")
        .output()
        .unwrap();
    let messages = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success() && messages.is_empty(), "{messages}");
}

/// Compiles the sources of a project as Cargo does without optimization, and links them with the library of the tests.
pub(crate) fn compile(project: &Path, name: &str) -> Executable {
    let test = std::env::current_exe().unwrap();
    let libraries = test.parent().unwrap();
    let executable = project.join(name);
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let ended = Command::new(rustc)
        .args(["--edition=2024", "--crate-name", name, "-Coverflow-checks=on", "-Cdebug-assertions=on"])
        .arg("--extern")
        .arg(format!("hasse={}", library_in(libraries).display()))
        .arg(format!("-Ldependency={}", libraries.display()))
        .arg("-o")
        .arg(&executable)
        .arg(project.join("src/main.rs"))
        .output()
        .unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    Executable(executable)
}

/// The library of the tests: of several, with other features, the one that was built last.
fn library_in(folder: &Path) -> PathBuf {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_library = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.starts_with("libhasse-") && name.ends_with(".rlib")
    };
    let built = files.filter(is_library).max_by_key(|path| path.metadata().unwrap().modified().unwrap());
    built.expect("the tests are linked with a library")
}

/// All examples.
pub(crate) fn examples() -> Vec<PathBuf> {
    let mut programs = Vec::new();
    for folder in fs::read_dir(repository().join("examples")).unwrap() {
        let folder = folder.unwrap().path();
        // What a crate's programs call is registered there.
        if folder.is_dir() && !folder.join("Cargo.toml").exists() {
            let files = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
            programs.extend(files.filter(|path| path.extension().is_some_and(|found| found == "hasse")));
        }
    }
    programs.sort();
    programs
}

/// An executable of each program. They are one, in truth: it goes by the name by which it is called.
pub(crate) fn together(programs: &[PathBuf]) -> Vec<(PathBuf, Executable)> {
    let place = target().join("together");
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(place.join("src")).unwrap();
    let (mut modules, mut arms) = (String::new(), String::new());
    for (nth, program) in programs.iter().enumerate() {
        let project = place.join(format!("project-{nth}"));
        let ended = Command::new(env!("CARGO_BIN_EXE_hasse"))
            .arg("build")
            .arg(program)
            .arg("--out")
            .arg(&project)
            .env("HASSE_TRUST", "all")
            .env("HASSE_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"))
            .output()
            .unwrap();
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
        // The generated `main` as a function of a module.
        let main = fs::read_to_string(project.join("src/main.rs")).unwrap();
        let main = main.replace("fn main()", "pub fn main()").replace("//! ", "// ");
        let main = main.replace("#[global_allocator]\n", "");
        fs::write(project.join("src/main.rs"), main).unwrap();
        let _ = writeln!(modules, "#[path = {:?}]\nmod program_{nth};", project.join("src/main.rs"));
        let _ = writeln!(arms, "        Some(\"program-{nth}\") => program_{nth}::main(),");
    }
    let main = format!(
        "#![allow(dead_code)]\n{modules}\n#[global_allocator]\nstatic COUNTING: hasse::command::Allocator = hasse::command::ALLOCATOR;\n\n\
         fn main() -> std::process::ExitCode {{\n    let called = std::env::args().next().unwrap_or_default();\n    \
         match std::path::Path::new(&called).file_name().and_then(|name| name.to_str()) {{\n{arms}        _ => panic!(\"no such program\"),\n    }}\n}}\n"
    );
    fs::write(place.join("src/main.rs"), main).unwrap();
    let Executable(whole) = compile(&place, "together");
    let each = programs.iter().enumerate().map(|(nth, program)| {
        let called = place.join(format!("program-{nth}"));
        symlink(&whole, &called).unwrap();
        (program.clone(), Executable(called))
    });
    each.collect()
}
