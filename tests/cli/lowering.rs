//! What runs without the interpreter, and that it does the same.

use super::examples::programs;
use super::support::Folder;

const MIXED: &str = r#"hasse = 1
main  = "mixed"

[graph.mixed]
params = { steps = "int = 3", label = "string = \"x\"" }
arcs   = ["Begin.seed -> Walk.seed", "Walk.place -> End.place", "Walk.text -> End.text"]

[graph.mixed.uc.Begin]
out   = { seed = "int" }
start = true
route = ["seed <- k * steps for k in 0..4"]

[graph.mixed.uc.Walk]
in    = { seed = "int" }
out   = { place = "real", text = "string" }
vars  = { seen = "int[]" }
fire  = ["seed -> seed"]
do = '''
let sum = 0;
for step in 0..seed { sum += 0.5; }
seen.push(seed);
'''
route = ["place <- 0.25 * seed", "place <- sum if sum > 1.0", "text <- label + seed if seed > 100"]

[graph.mixed.uc.End]
in   = { place = "real", text = "string" }
vars = { total = "real" }
fire = ["place -> place if total < 100.0", "text -> text"]
do = '''
if rule == 0 { total += place; }
if count == 6 { throw `the total is ${total}`; }
'''
"#;

#[test]
fn what_is_interpreted_is_told_with_its_reason() {
    let folder = Folder::with("mixed.hasse", MIXED);
    let ran = folder.hasse(&["check", "mixed.hasse", "--explain-lowering"]).ends(0);
    insta::assert_snapshot!(ran.stdout);
    let found = folder.hasse(&["check", "mixed.hasse", "--explain-lowering", "--json"]).ends(0).json();
    assert_eq!(found["bodies"][1], serde_json::json!({ "node": "End", "compiled": true }), "{found:#}");
    assert_eq!(found["interpreted"][0]["node"], "Walk", "{found:#}");
    assert!(found["interpreted"][0]["line"].is_u64() && found["interpreted"][0]["message"].is_string());
}

#[test]
fn errors_are_the_same_in_all_ways() {
    let folder = Folder::with("mixed.hasse", MIXED);
    let ran =
        |how: &str| folder.hasse(&["run", "mixed.hasse", "--seed", "1", "--workers", "1", "--scripts", how]);
    let expected = ran("interpreted").ends(1);
    assert!(expected.stderr.contains("the total is"), "{}", expected.shown());
    for how in ["evaluated", "native", "auto"] {
        assert_eq!(ran(how).ends(1).shown(), expected.shown(), "{how}");
    }
}

/// A record of any way is replayed by any other one, with the same results and the same digest.
#[test]
fn every_example_is_replayed_in_all_ways() {
    for program in programs() {
        let folder = Folder::new();
        let program = program.display().to_string();
        let digest = |trace: &str| folder.hasse(&["trace", "digest", trace]).ends(0).stdout;
        for (recorded_by, replayed_by) in [
            ("interpreted", "evaluated"),
            ("interpreted", "native"),
            ("native", "interpreted"),
            ("auto", "auto"),
        ] {
            let run = ["run", &program, "--json", "--trace", "first", "--scripts", recorded_by];
            let run = folder.hasse(&run);
            let replay = ["replay", "first", "--json", "--trace", "second", "--scripts", replayed_by];
            let replay = folder.hasse(&replay);
            let what =
                format!("{program}: {recorded_by}, {replayed_by}\n{}\n{}", run.shown(), replay.shown());
            let (one, other) = (run.json(), replay.json());
            for part in ["outcome", "results", "events", "errors"] {
                assert_eq!(one[part], other[part], "{part} of {what}");
            }
            assert_eq!(digest("first"), digest("second"), "{what}");
        }
    }
}

const BRANCHES: &str = r#"hasse = 1
main  = "branches"

[graph.branches]
arcs   = ["Begin.seed -> Walk.seed", "Walk.found -> End.found"]

[graph.branches.uc.Begin]
out   = { seed = "int" }
start = true
route = ["seed <- k for k in 0..40"]

[graph.branches.uc.Walk]
in    = { seed = "int" }
out   = { found = "int[]" }
vars  = { seen = "int[]", total = "int" }
fire  = ["seed -> seed"]
do = '''
fn squares(least) {
    let all = [];
    for k in least..least + 3 { all.push(k * k); }
    all
}
seen.push(seed);
for square in squares(seed) {
    total += square;
    if square == 100 { let hundred = random_choice([7]); print(`a hundred, after ${seen.len}`); continue; }
    if total > 1000 && total < 1100 { let text = "beyond"; print(text); }
}
let found = if seed % 2 == 0 { squares(seed) } else { [seed] };
'''
route = ["found <- found"]

[graph.branches.uc.End]
in   = { found = "int[]" }
vars = { sum = "int" }
fire = ["found -> found"]
do = '''
for item in found { sum += item; }
if count == 40 { result("sum", sum); }
'''
"#;

/// What compiled code never does is left to the interpreter where it comes there, and what was done before is done once.
#[test]
fn branches_are_left_to_the_interpreter() {
    let folder = Folder::with("branches.hasse", BRANCHES);
    let ran = folder.hasse(&["check", "branches.hasse", "--explain-lowering"]).ends(0);
    insta::assert_snapshot!(ran.stdout);
    let found = folder.hasse(&["check", "branches.hasse", "--explain-lowering", "--json"]).ends(0).json();
    let exits = found["exits"].as_array().unwrap();
    assert_eq!(exits[0]["message"], "`random_choice` is not compiled", "{found:#}");
    assert!(exits.len() == 2 && exits[0]["node"] == "Walk" && exits[0]["line"].is_u64(), "{found:#}");
    let ran =
        |how: &str| folder.hasse(&["run", "branches.hasse", "--workers", "1", "--scripts", how]).ends(0);
    let expected = ran("interpreted");
    insta::assert_snapshot!("branches_are_left_to_the_interpreter_output", expected.stdout);
    for how in ["evaluated", "native", "auto"] {
        assert_eq!(ran(how).shown(), expected.shown(), "{how}");
    }
}

/// Bodies that leave the subset, each in another way.
const OUTSIDE: &[&str] = &[
    "let a = []; let x = a[0];",
    "let a = [1]; a.push(2.5);",
    "let a = [1, 2.5]; let b = a;",
    "let a = [1]; a[0] = 2.5;",
    "let a = [1]; a = v;",
    "let a = [1]; a = 3;",
    "let a = [1]; for x in a { a.push(x); }",
    "let a = [[1], [2]]; let b = a[0] + a.pop();",
    "fn f(a) { a.push(1); a } let b = f([2]);",
    "fn f(n) { if n == 0 { [0] } else { f(n - 1) } } let b = f(3);",
    "fn f(a, n) { if n == 0 { return n; } f(a + [n], n - 1) } let b = f([1], 3);",
    "fn f(n) { if n > 3 { 1 } else { [n] } } let b = f(n);",
    "const A = [1]; A.push(2);",
    "let a = [1]; push(a, 2);",
    "let a = [v]; let b = a.map(|x| x.len);",
    "let a = #{ x: 1 };",
    "let s = w + \"x\";",
    "let s = w.len();",
    "let m = p * p;",
    "v = w; v = w;",
    "v += 2;",
    "let x = if n > 0 { [1] } else { v };",
    "let x = if n > 0 { [1] } else { 1 };",
    "let x = v[1.5];",
    "let x = v.no_field;",
    "let p = Point(1, 2.0); p.at = v;",
    "switch n { 1 => 2, _ => 3 }",
    "try { n += 1; } catch { }",
    "for (x, i) in range(0, 1.5) { }",
    "let x = loop { break 3; };",
    "let a = []; loop { if a.len > 3 { break; } let row = []; a.push(row); row.push(v); row = [1]; }",
    "p = 3; p = 3;",
];

#[test]
fn what_leaves_the_subset_is_told() {
    let nodes = OUTSIDE.iter().enumerate().map(|(nth, body)| {
        format!(
            "\n[graph.all.uc.N{nth:02}]\nin = {{ n = \"int\", w = \"string\" }}\n\
             vars = {{ v = \"vector\", p = \"Point\" }}\nfire = [\"n -> n, w -> w\"]\ndo = '''\n{body}\n'''\n"
        )
    });
    let text = format!(
        "hasse = 1\nmain = \"all\"\n\n[graph.all.uc.Begin]\nstart = true\n\n[type.Point]\nat = \"int\"\nx = \"real\"\n\n[graph.all]\narcs = []\n{}",
        nodes.collect::<String>()
    );
    let folder = Folder::with("all.hasse", &text);
    let ran = folder.hasse(&["check", "all.hasse", "--explain-lowering"]).ends(0);
    insta::assert_snapshot!(ran.stdout);
}

#[test]
fn a_way_that_there_is_not_is_a_usage_error() {
    let folder = Folder::with("mixed.hasse", MIXED);
    let ran = folder.hasse(&["run", "mixed.hasse", "--scripts", "fast"]).ends(2);
    assert!(ran.stderr.contains("possible values: auto, interpreted, evaluated, native"), "{}", ran.stderr);
}
