//! What a program can make as large as it likes asks for memory and can be interrupted.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use super::support::{Folder, Ran};

/// `A` sends without end.
const ROUTE: &str = r#"hasse = 1
main = "m"

[graph.m]
params = { n = "int = 9223372036854775807" }
arcs = ["Say.go -> A.go", "A.o -> B.i"]

[graph.m.uc.Say]
out   = { go = "int" }
start = true
do    = 'print("begins");'
route = ["go <- 1"]

[graph.m.uc.A]
in    = { go = "int" }
out   = { o = "int" }
fire  = ["go -> x"]
route = ["o <- k for k in 0..n"]

[graph.m.uc.B]
in    = { i = "int" }
fire  = ["i -> x"]
"#;

/// `B` wants values without end.
const FIRE: &str = r#"hasse = 1
main = "m"

[graph.m]
params = { n = "int = 90000000000" }
arcs = ["A.o -> B.i[0]"]

[graph.m.uc.A]
out   = { o = "int" }
start = true
route = ["o <- 1"]

[graph.m.uc.B]
in    = { "i[k]" = "int" }
fire  = ["i[k] -> x[k] for k in 0..n"]
"#;

/// One value that goes into 2^41 graph instances.
fn calls() -> String {
    let mut text =
        "hasse = 1\nmain = \"m\"\n[graph.m]\narcs = [\"S.o -> c.i\"]\n[graph.m.call.c]\ngraph = \"g0\"\n\
                    [graph.m.uc.S]\nout = { o = \"int\" }\nstart = true\nroute = [\"o <- 1\"]\n"
            .to_owned();
    for level in 0..40 {
        let inner = level + 1;
        text.push_str(&format!(
            "[graph.g{level}]\nin = {{ i = \"int\" }}\narcs = [\"in.i -> c0.i\", \"in.i -> c1.i\"]\n\
             [graph.g{level}.call.c0]\ngraph = \"g{inner}\"\n[graph.g{level}.call.c1]\ngraph = \"g{inner}\"\n"
        ));
    }
    text.push_str(
        "[graph.g40]\nin = { i = \"int\" }\narcs = [\"in.i -> E.i\"]\n\
         [graph.g40.uc.E]\nin = { i = \"int\" }\nfire = [\"i -> x\"]\n",
    );
    text
}

/// A var whose default value has 2^40 fields.
fn defaults() -> String {
    let mut text = "hasse = 1\nmain = \"m\"\n".to_owned();
    for level in 0..40 {
        let inner = level + 1;
        text.push_str(&format!("[type.T{level}]\na = \"T{inner}\"\nb = \"T{inner}\"\n"));
    }
    text.push_str(
        "[type.T40]\na = \"int\"\n[graph.m]\n[graph.m.uc.A]\nstart = true\nvars = { t = \"T0\" }\n",
    );
    text
}

/// An `init` whose text doubles without end.
const INIT: &str = r#"hasse = 1
main = "m"

[graph.m.uc.A]
start = true
vars  = { v = "string" }
init  = 'v = "x"; loop { v += v; }'
"#;

#[test]
fn endless_work_outside_of_bodies_ends_at_the_memory_budget() {
    let programs = [
        ("route", ROUTE.to_owned()),
        ("fire", FIRE.to_owned()),
        ("calls", calls()),
        ("defaults", defaults()),
        ("init", INIT.to_owned()),
    ];
    for (name, text) in programs {
        let folder = Folder::with("p.hasse", &text);
        let ran = folder.hasse(&["run", "p.hasse", "--body-memory", "16", "--trace", "t"]).ends(1);
        assert!(ran.stderr.contains("R0010") && ran.stderr.contains("16 MiB"), "{name}: {}", ran.shown());
        assert!(ran.stderr.len() < 10_000, "{name}: {}", ran.stderr.len());
        let found = folder.hasse(&["trace", "info", "t", "--json"]).ends(0).json();
        assert_eq!(found["outcome"], "failed", "{name}: {found:#}");
    }
}

#[cfg(unix)]
#[test]
fn endless_routing_is_interrupted() {
    let folder = Folder::with("p.hasse", ROUTE);
    let mut child = folder
        .command(&["run", "p.hasse", "--body-memory", "1000000", "--memory", "1000000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "begins");
    super::kill::interrupt(&child);
    let ran = Ran::of(child.wait_with_output().unwrap()).ends(1);
    assert!(ran.stderr.contains("stopped before the end"), "{}", ran.shown());
}

/// `T` sends blocks to `A`, which never fires.
const GROWS: &str = r#"hasse = 1
main = "m"

[graph.m]
params = { most = "int = 9223372036854775807" }
arcs = ["T.again -> T.go", "T.o -> A.i"]

[graph.m.uc.T]
start = true
in    = { go = "int" }
out   = { o = "vector", again = "int" }
vars  = { k = "int" }
fire  = ["go -> k"]
do    = '''
let block = vector(100000, 1.5);
if k == 10 { print("ten blocks"); }
'''
route = ["o <- block", "again <- k + 1 if k < most"]

[graph.m.uc.A]
in    = { i = "vector" }
fire  = ["i -> x if count > 1"]
"#;

#[test]
fn a_run_that_uses_up_its_memory_fails_with_a_whole_trace_and_says_what_waits() {
    for mode in ["full", "minimal"] {
        let folder = Folder::with("p.hasse", GROWS);
        let args = ["run", "p.hasse", "--memory", "300", "--record", mode, "--trace", "t"];
        let ran = folder.hasse(&args).ends(1);
        assert!(ran.stderr.contains("R0012") && ran.stderr.contains("300 MiB"), "{}", ran.shown());
        assert!(ran.stderr.contains("values that wait\n  A.i: "), "{}", ran.shown());
        assert!(ran.stderr.contains(" values at /A\n"), "{}", ran.shown());
        let found = folder.hasse(&["trace", "info", "t", "--json"]).ends(0).json();
        assert_eq!((&found["outcome"], found["cut_off"].is_null()), (&"failed".into(), true), "{found:#}");
    }
}

/// A body in Rust that goes on cannot be ended: the run is left without its event, with the same report.
#[test]
fn a_run_that_uses_up_its_memory_is_left_while_a_body_goes_on() {
    let sleeps = "\n[graph.m.uc.Sleep]\nstart = true\n\
         do = { rust = \"std::thread::sleep(std::time::Duration::from_secs(3_600));\" }\n";
    for mode in ["full", "minimal"] {
        let folder = Folder::with("p.hasse", &format!("{GROWS}{sleeps}"));
        let args = ["run", "p.hasse", "--memory", "300", "--workers", "2", "--record", mode, "--trace", "t"];
        let ran = folder.hasse(&args).ends(1);
        assert!(ran.stderr.contains("R0012") && ran.stderr.contains("300 MiB"), "{}", ran.shown());
        assert!(ran.stderr.contains("values that wait\n  A.i: "), "{}", ran.shown());
        let found = folder.hasse(&["trace", "info", "t", "--json"]).ends(0).json();
        assert_eq!((&found["outcome"], found["cut_off"].is_null()), (&"failed".into(), true), "{found:#}");
        let json = folder.hasse(&[&args[..], &["--json"]].concat()).ends(1).json();
        assert_eq!(
            (&json["outcome"], &json["errors"][0]["code"]),
            (&"failed".into(), &"R0012".into()),
            "{json:#}"
        );
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_says_which_values_wait() {
    let folder = Folder::with("p.hasse", GROWS);
    let mut child =
        folder.command(&["run", "p.hasse"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "ten blocks");
    super::kill::interrupt(&child);
    let ran = Ran::of(child.wait_with_output().unwrap()).ends(1);
    assert!(
        ran.stderr.contains("stopped before the end") && ran.stderr.contains("  A.i: "),
        "{}",
        ran.shown()
    );
}

/// A body, and what the report of its error says.
const MISUSES: [(&str, &str); 5] = [
    ("let h = #{}; h[\"w\"] += 1;", "there is no `nothing + int`: a key of a map that is not there"),
    ("let a = [1]; a.append(2);", "`append` does not take (array, int); its forms:"),
    ("let n = 3; n.pad_left(8);", "`pad_left` does not take (int, int); its forms: `pad_left(s: string"),
    ("v = 0; v = int(2.5);", "; `to_int(x)` makes an int of a real, where `int(x)` gives a real"),
    ("let s = 0.5; v = 0; v += 0.5 * s;", "; `to_int(x)` makes an int of a real"),
];

#[test]
fn misused_functions_are_explained_in_words_of_the_language() {
    for (body, expected) in MISUSES {
        let text = format!(
            "hasse = 1\nmain = \"m\"\n[graph.m.uc.A]\nstart = true\nvars = {{ v = \"int\" }}\n\
             do = '''\n{body}\n'''\n"
        );
        let folder = Folder::with("p.hasse", &text);
        let found = folder.hasse(&["run", "p.hasse", "--json"]).json();
        let message = found["errors"][0]["message"].as_str().unwrap_or_default();
        assert!(message.contains(expected), "{body}: {found:#}");
    }
}
