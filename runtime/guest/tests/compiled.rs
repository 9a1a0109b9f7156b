//! Bodies compiled by `rustc` to a library, loaded, and called by a run; next to the same bodies compiled against the
//! library's own types.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc;
use std::sync::{Arc, LazyLock};

use hasse_guest::{CallError, Library, OpenError, guest_source};
use hasse_model::value::{Type, Value};
use hasse_runtime::capture::Capture;
use hasse_runtime::natives::{BodyContext, BodyResult, NativeBody, Natives};
use hasse_runtime::report::{RunOutcome, RunReport};
use hasse_runtime::run::{DEFAULT_RECLAIM_ABOVE, Recording, RunOptions, StopSignal, run};
use hasse_runtime::sandbox::Sandbox;
use tempfile::TempDir;

/// What the crate `hasse` has.
mod hasse {
    pub(crate) use hasse_model::value::{Matrix, Value};
    pub(crate) use hasse_runtime::natives::{BodyContext, BodyResult};
    pub(crate) use hasse_runtime::structs;
}

/// The bodies, compiled against the library.
#[allow(unreachable_pub, missing_docs, reason = "the text stands in crates of other rules")]
mod program {
    use super::hasse;

    include!("compiled/program.rs");
}

type Body = fn(&mut BodyContext<'_>) -> BodyResult;

const BODIES: [(&str, Body); 6] = [
    ("grow", program::grow),
    ("look", program::look),
    ("unknown_name", program::unknown_name),
    ("wrong_type", program::wrong_type),
    ("own_error", program::own_error),
    ("panics", program::panics),
];

/// The file of the library. No warning is allowed but in the module `hasse`, whose lints are let go of as a whole.
fn library_text() -> String {
    let paths = BODIES.map(|(name, _)| format!("program::{name}")).join(", ");
    let bodies = include_str!("compiled/program.rs");
    format!(
        "#![deny(warnings)]\npub mod program {{ use super::hasse;\n{bodies}}}\nhasse::export!({paths});\n\
         #[allow(warnings)]\nmod hasse {{\n{}}}\n",
        guest_source()
    )
}

/// Compiles a text to a library in a folder.
fn compile(text: &str, folder: &Path) -> PathBuf {
    let (source, library) = (folder.join("bodies.rs"), folder.join("bodies.so"));
    std::fs::write(&source, text).unwrap();
    let rustc = std::env::var_os("RUSTC");
    let output = Command::new(rustc.as_deref().unwrap_or(OsStr::new("rustc")))
        .args(["--edition", "2024", "--crate-type", "cdylib", "--crate-name", "bodies", "-o"])
        .args([&library, &source])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    library
}

/// The library, in a folder that may go once it is loaded.
static LIBRARY: LazyLock<Library> = LazyLock::new(|| {
    let folder = TempDir::new().unwrap();
    Library::open(&compile(&library_text(), folder.path())).unwrap()
});

/// Bodies by name, each declared so that any node of the tests can have it.
fn natives(
    body_of: impl Fn(usize) -> Box<dyn Fn(&mut BodyContext<'_>) -> BodyResult + Send + Sync>,
) -> Natives {
    let mut natives = Natives::new();
    for (nth, (name, _)) in BODIES.into_iter().enumerate() {
        let body = NativeBody::new(name).results(["random", "nothing", "rule", "bound"]);
        let body = if name == "grow" { body.lets([("sum", Type::Real)]) } else { body };
        natives.body(body, body_of(nth));
    }
    natives
}

fn of_library() -> Natives {
    natives(|nth| {
        Box::new(move |context| {
            LIBRARY.call(nth, context).map_err(|error| match error {
                CallError::Host(error) => error,
                CallError::Body(text) => text.into(),
                CallError::Panic { message, line, .. } => format!("line {line}: {message}").into(),
            })
        })
    })
}

fn of_program() -> Natives {
    natives(|nth| Box::new(BODIES[nth].1))
}

/// The report of a run, and what it printed.
fn report(text: &str, natives: Natives) -> (RunReport, Vec<String>) {
    let compiled = hasse_compiler::compile(text, &natives.functions().unwrap());
    let plan = compiled.plan.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
    let options = RunOptions {
        n_workers: 2,
        seed: Some(7),
        params: Vec::new(),
        program_folder: PathBuf::new(),
        sandbox: Sandbox::default(),
        natives,
        stop: StopSignal::default(),
        tiers: Default::default(),
        reclaim_above: DEFAULT_RECLAIM_ABOVE,
        capture: Capture::none(),
        control: None,
        chooser: None,
        virtual_time: false,
        checkpoints: None,
        writes_ahead: false,
    };
    let (sender, lines) = mpsc::channel();
    let output = Box::new(move |line: &str| sender.send(line.to_owned()).unwrap());
    let report = run(&plan, &options, Recording::None, output).unwrap();
    (report, lines.iter().collect())
}

const TREES: &str = r#"hasse = 1
main  = "trees"

[type.Block]
row  = "int"
type = "string"
rhs  = "vector"

[type.Tree]
block    = "Block"
children = "Tree[]"

[graph.trees]
params = { n = "int = 3" }
arcs   = ["Grow.tree[i] -> Show[i].tree"]

[graph.trees.uc.Grow]
out   = { "tree[i]" = "Tree" }
vars  = { tree = "Tree", unit = "matrix = matrix([[2.5]])" }
start = true
do    = { native = "grow" }
route = ["tree[4] <- tree if sum == 3.0"]

[graph.trees.uc.Show]
index = ["i"]
in    = { tree = "Tree" }
fire  = ["tree -> t"]
do    = { native = "look" }
"#;

#[test]
fn a_run_with_a_library_is_that_of_the_same_bodies() {
    let (report_of_library, lines) = report(TREES, of_library());
    let (report_of_program, lines_of_program) = report(TREES, of_program());
    assert_eq!(lines, lines_of_program);
    assert_eq!(lines[..2], ["grown", "by 1 at []"]);
    assert_eq!(lines[3], "row 2");
    assert_eq!(report_of_library.results, report_of_program.results);
    assert_eq!(report_of_library.outcome, RunOutcome::Finished, "{:?}", report_of_library.errors);
    let result = |name| &report_of_library.results.iter().find(|(of, _)| of == name).unwrap().1;
    assert_eq!(result("nothing").to_string(), "Nothing {}");
    assert_eq!(result("rule"), &Value::Int(0));
}

/// Code and message of the one error of a run.
fn error(body: &str, natives: Natives) -> (&'static str, String) {
    let text = format!(
        "hasse = 1\nmain = \"main\"\n[graph.main.uc.Only]\nstart = true\nvars = {{ k = \"int = 7\" }}\n\
         do = {{ native = \"{body}\" }}\n"
    );
    let (report, _) = report(&text, natives);
    let [error] = &report.errors[..] else { panic!("one error: {:?}", report.errors) };
    (error.code, error.message.clone())
}

#[test]
fn errors_of_a_library_are_those_of_the_same_bodies() {
    for body in ["unknown_name", "wrong_type", "own_error"] {
        assert_eq!(error(body, of_library()), error(body, of_program()), "{body}");
    }
    assert_eq!(error("wrong_type", of_library()).0, "R0003");
}

#[test]
fn a_panic_is_told_with_its_line() {
    let text = library_text();
    let line_idx = text.lines().position(|line| line.contains("numbers[context")).unwrap();
    let (code, message) = error("panics", of_library());
    assert_eq!(code, "R0001");
    let expected = format!("line {}: index out of bounds: the len is 0 but the index is 7", line_idx + 1);
    assert!(message.ends_with(&expected), "{message}");
}

#[test]
fn libraries_are_called_by_many_threads() {
    let natives = Arc::new(of_library());
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let natives = Arc::clone(&natives);
            std::thread::spawn(move || report(TREES, (*natives).clone()).0.results)
        })
        .collect();
    let results: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    assert!(results.iter().all(|of_one| *of_one == results[0]));
}

#[test]
fn what_is_no_library_of_this_version_is_refused() {
    let folder = TempDir::new().unwrap();
    let nowhere = Library::open(&folder.path().join("nowhere.so"));
    assert!(matches!(nowhere, Err(OpenError::Load { .. })));

    let other = "#[unsafe(no_mangle)] pub extern \"C\" fn hasse_abi_version() -> u32 { 77 }";
    let other = Library::open(&compile(other, folder.path())).unwrap_err();
    assert!(matches!(other, OpenError::Version { found: 77, .. }), "{other}");

    let folder = TempDir::new().unwrap();
    let empty = Library::open(&compile("", folder.path())).unwrap_err();
    assert!(matches!(empty, OpenError::NoEntry { name: "hasse_abi_version", .. }), "{empty}");
}
