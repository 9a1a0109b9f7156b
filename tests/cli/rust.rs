//! Bodies in Rust whose texts stand in the program file.

use std::fs;

use super::support::Folder;

/// Every type, every kind of name, and names that mean something else in Rust.
const ALL: &str = r#"hasse = 1
main  = "all"

[type.Box]
left  = "int"
inner = "Value"

[type.Value]
of = "string[]"

[type.Matrix]
rows = "matrix"

[graph.all]
params = { n = "int = 2", name = 'string = "é"', weights = 'vector = vector([0.5, 2])', raw = 'bytes = blob(2, 255)' }
arcs = [
  "Begin.first[i] -> Work[i].first",
  "Begin.some -> Work[0].more",
  "Work[i].made -> End.made",
  "Work[i].box -> End.box",
]
share = ["total -- Work[i].total", "log -- Work[i].log", "log -- End.log"]

[graph.all.shared.total]
type = "vector"
init = "vector([1, 2])"

[graph.all.shared.log]
type = "string[]"

[graph.all.uc.Begin]
out   = { "first[i]" = "int", some = "any" }
start = true
do = { rust = '''
let some = Box { left: n, inner: super::bodies::Value { of: vec![name.to_owned()] } };
''' }
route = ["first[i] <- 10 * i for i in 0..n", "some <- some"]

[graph.all.uc.Work]
index  = ["i"]
in     = { first = "int", more = "any" }
out    = { made = "Matrix", box = "Box" }
vars   = { body = "real = 0.5", ended = "matrix", type = "char = 'x'", flags = "bool[]", held = "any", box = "Box" }
shared = { total = "read", log = "write" }
fire   = ["first -> first", "more -> more"]
do = { rust = '''
body += total.iter().sum::<f64>() + weights[1] + first.unwrap_or(-1) as f64;
ended = hasse::Matrix::from_columns(1, 2, vec![body, raw[1] as f64]).ok_or("no matrix")?;
r#type = if count > 1 { 'y' } else { r#type };
flags.push(rule == 0);
// A name that not every rule binds, and one of any type.
if rule == 1 { held = more; }
log.push(format!("{i} {} {type}", i + 1, type = r#type));
box_up(&mut r#box, i);
fn box_up(it: &mut Box, i: i64) { it.left += i + 1; it.inner.of.push(format!("{i}")); }
let made = Matrix { rows: ended.clone() };
''' }
route = ["made <- made", "box <- box"]

[graph.all.uc.End]
in     = { made = "Matrix", box = "Box" }
shared = { log = "read" }
vars   = { lefts = "int[]" }
fire   = ["made -> made, box -> box"]
do = '''
lefts.push(box.left);
if count == n + 1 {
    lefts.sort();
    result("lefts", lefts);
    let lines = log;
    lines.sort();
    result("log", lines);
    result("last", row(made.rows, 0)[1]);
}
'''
"#;

#[test]
fn all_types_and_names_are_seen_and_replays_are_the_same() {
    let folder = Folder::with("all.hasse", ALL);
    let ran = folder.hasse(&["run", "all.hasse", "--json", "--trace", "t"]).ends(0).json();
    assert_eq!(ran["results"]["lefts"], serde_json::json!([1, 2, 2]), "{ran:#}");
    assert_eq!(ran["results"]["log"], serde_json::json!(["0 1 x", "0 1 y", "1 2 x"]), "{ran:#}");
    assert_eq!(ran["results"]["last"], 255.0, "{ran:#}");
    let digest = |trace: &str| folder.hasse(&["trace", "digest", trace]).ends(0).stdout;
    for workers in ["1", "2", "8"] {
        let again = ["replay", "t", "--json", "--trace", "again", "--workers", workers];
        assert_eq!(folder.hasse(&again).ends(0).json()["results"], ran["results"]);
        assert_eq!(digest("t"), digest("again"));
    }
}

const BAD: &str = r#"hasse = 1
main  = "bad"

[graph.bad]
params = { n = "int = 2" }
arcs = ["Begin.y -> End.y"]

[graph.bad.uc.Begin]
out   = { y = "int" }
start = true
do = { rust = '''
let total = n + nn;
let half: f64 = n / 2;
let y = vec![n];
''' }
route = ["y <- y"]

[graph.bad.uc.End]
in   = { y = "int" }
fire = ["y -> y"]
do   = { rust = 'context.print(y + "1");' }
"#;

/// What `rustc` says stands at lines of the program file; what is wrong with what a routing rule sends, at the body.
#[test]
fn errors_of_the_compiler_are_those_of_the_program() {
    let folder = Folder::with("bad.hasse", BAD);
    let found = folder.hasse(&["check", "bad.hasse", "--json"]).ends(1).json();
    let places: Vec<_> = found["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| {
            let code = found["message"].as_str().unwrap().rsplit('(').next().unwrap().to_owned();
            (found["line"].as_u64().unwrap(), found["column"].as_u64().unwrap(), code)
        })
        .collect();
    let of_rustc = |line, column, code: &str| (line, column, format!("{code} of rustc)"));
    let expected = [of_rustc(12, 17, "E0425"), of_rustc(13, 17, "E0308"), of_rustc(12, 1, "E0308")];
    for place in &expected {
        assert!(places.contains(place), "{place:?} of {places:?}\n{found:#}");
    }
    assert!(places.iter().any(|(line, column, _)| *line == 21 && *column > 16), "{places:?}");
    for command in [&["run", "bad.hasse"][..], &["debug", "bad.hasse"]] {
        let ran = folder.hasse(command).ends(1);
        assert!(ran.stderr.contains("cannot find value `nn`"), "{}", ran.shown());
    }
    assert_eq!(folder.hasse(&["run", "bad.hasse", "--json"]).ends(1).json()["outcome"], "failed");
}

#[test]
fn what_was_compiled_is_kept_and_made_anew_where_it_is_damaged() {
    let folder = Folder::with("all.hasse", ALL);
    let run = |compiler: &str| {
        let mut command = folder.command(&["run", "all.hasse", "--workers", "1"]);
        command.env("HASSE_CACHE", folder.path("cache")).env("RUSTC", compiler);
        super::support::Ran::of(command.output().unwrap())
    };
    let refused = run("/no/such/compiler").ends(2);
    assert!(refused.stderr.contains("need the Rust compiler"), "{}", refused.shown());
    let compiler = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let first = run(&compiler).ends(0);
    // Nobody is asked any more.
    assert_eq!(run("/no/such/compiler").ends(0).stdout, first.stdout);
    let kept: Vec<_> =
        fs::read_dir(folder.path("cache/bodies")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(kept.len(), 1, "{kept:?}");
    fs::write(&kept[0], "no library").unwrap();
    assert_eq!(run(&compiler).ends(0).stdout, first.stdout);
    // A cache that cannot be written.
    fs::write(folder.path("file"), "").unwrap();
    let mut command = folder.command(&["run", "all.hasse"]);
    let refused = super::support::Ran::of(command.env("HASSE_CACHE", folder.path("file")).output().unwrap());
    assert!(refused.stderr.contains("HASSE_CACHE"), "{}", refused.shown());
}

/// All that executes or asks about a program does so with its bodies in Rust.
#[test]
fn the_tools_know_bodies_in_rust() {
    let folder = Folder::with("all.hasse", ALL);
    folder.hasse(&["run", "all.hasse", "--trace", "t"]).ends(0);
    folder.hasse(&["run", "all.hasse", "--record", "minimal", "--trace", "m"]).ends(0);
    folder.hasse(&["replay", "m", "--trace", "full"]).ends(0);
    folder.hasse(&["trace", "minimize", "t", "-o", "small"]).ends(0);
    let values = folder.hasse(&["values", "t", "/Work[1]:1"]).ends(0);
    assert!(values.stdout.contains("flags"), "{}", values.shown());
    folder.hasse(&["isolate", "t", "/Work[1]:1", "--times", "2"]).ends(0);
    folder.hasse(&["verify", "t", "forall w: Work : w.after.body > 0.5"]).ends(0);
    folder.hasse(&["races", "t"]).ends(1);
    folder.hasse(&["graph", "all.hasse", "--format", "dot"]).ends(0);
    folder.write("commands", "stop in Work[1] at aftcomp\nrun\ncd /Work[1]\nprint flags\ncont\nwait\nquit\n");
    let session = folder.hasse(&["debug", "all.hasse", "--commands", "commands", "--echo"]).ends(0);
    assert!(session.stdout.contains("[true]"), "{}", session.shown());
    let formatted = folder.hasse(&["fmt", "--check", "all.hasse"]);
    assert!(!formatted.stderr.contains("error"), "{}", formatted.shown());
}
