//! A folder to work in and the binary to run there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value as Json;
use tempfile::TempDir;

/// Sums the squares below `n`: an event for each square, merged in the order of arrival.
pub(crate) const SQUARES: &str = r#"hasse = 1
main  = "squares"

[graph.squares]
params = { n = "int = 4" }
arcs = [
  "Count.number[i] -> Square[i].number",
  "Square[i].square -> Sum.square",
]

[graph.squares.uc.Count]
out   = { "number[i]" = "int" }
start = true
route = ["number[i] <- i for i in 0..n"]

[graph.squares.uc.Square]
index = ["i"]
in    = { number = "int" }
out   = { square = "int" }
fire  = ["number -> x"]
route = ["square <- x * x"]

[graph.squares.uc.Sum]
in    = { square = "int" }
vars  = { total = "int" }
fire  = ["square -> s"]
do = '''
total += s;
if count == n {
  print(`the squares below ${n}`);
  result("total", total);
}
'''
"#;

/// Three tellers add to one shared total, then an auditor reads it.
pub(crate) const TELLERS: &str = r#"hasse = 1
main  = "tellers"

[graph.tellers]
arcs = [
  "Open.go[i] -> Teller[i].go",
  "Teller[i].done -> Audit.done[i]",
]
share = ["total -- Teller[i].total", "total -- Audit.total"]

[graph.tellers.shared.total]
type = "int"
init = "100"

[graph.tellers.uc.Open]
out   = { "go[i]" = "int" }
start = true
route = ["go[i] <- i + 1 for i in 0..3"]

[graph.tellers.uc.Teller]
index  = ["i"]
in     = { go = "int" }
out    = { done = "int" }
shared = { total = "write" }
fire   = ["go -> amount"]
do     = "total += amount;"
route  = ["done <- total"]

[graph.tellers.uc.Audit]
in     = { "done[i]" = "int" }
shared = { total = "read" }
stop   = true
fire   = ["done[i] -> seen[i] for i in 0..3"]
do     = 'result("total", total); print(seen);'
"#;

/// Counts for ever and prints every number.
pub(crate) const ENDLESS: &str = r#"hasse = 1
main  = "endless"

[graph.endless]
arcs = ["Ping.number -> Pong.number", "Pong.next -> Ping.next"]

[graph.endless.uc.Ping]
start = true
in    = { next = "int" }
out   = { number = "int" }
vars  = { k = "int" }
fire  = ["next -> k"]
do    = "print(k);"
route = ["number <- k"]

[graph.endless.uc.Pong]
in    = { number = "int" }
out   = { next = "int" }
fire  = ["number -> k"]
route = ["next <- k + 1"]
"#;

/// A folder of its own for one test.
pub(crate) struct Folder(TempDir);

impl Folder {
    /// An empty folder.
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A folder with one file in it.
    pub(crate) fn with(name: &str, text: &str) -> Self {
        let folder = Self::new();
        folder.write(name, text);
        folder
    }

    /// Writes a file.
    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    /// The path of a file in it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The command, to be started in the folder.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hasse"));
        command.args(args).current_dir(self.0.path()).stdin(Stdio::null()).env_remove("NO_COLOR");
        // Programs of tests may run their bodies in Rust.
        command.env("HASSE_TRUST", "all");
        // Not the user's own.
        command.env("XDG_STATE_HOME", self.path("state"));
        command.env("HASSE_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
        command
    }

    /// Runs `hasse` in the folder.
    pub(crate) fn hasse(&self, args: &[&str]) -> Ran {
        Ran::of(self.command(args).output().unwrap())
    }
}

impl Folder {
    /// Runs `hasse` in the folder with something on standard input.
    pub(crate) fn hasse_with_input(&self, args: &[&str], input: &str) -> Ran {
        self.write("standard input", input);
        let file = fs::File::open(self.path("standard input")).unwrap();
        Ran::of(self.command(args).stdin(file).output().unwrap())
    }
}

/// What a command left.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    pub(crate) fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Checks the exit code; shows everything if it is another.
    #[track_caller]
    pub(crate) fn ends(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}", self.shown());
        self
    }

    /// Standard output as one JSON value.
    #[track_caller]
    pub(crate) fn json(&self) -> Json {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {}", self.shown()))
    }

    /// Everything, as a person would see it.
    pub(crate) fn shown(&self) -> String {
        format!("exit code {:?}\n--- stdout\n{}--- stderr\n{}", self.code, self.stdout, self.stderr)
    }
}

/// The root of the repository.
pub(crate) fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
