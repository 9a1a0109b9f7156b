use serde_json::{Value as Json, json};

use super::support::{Folder, SQUARES, TELLERS, repository};

/// A folder with a program and a full record of it in `t`: one worker and a seed, always the same run.
fn recorded(name: &str, text: &str) -> Folder {
    let folder = Folder::with(name, text);
    let ran = folder.hasse(&["run", name, "--trace", "t", "--workers", "1", "--seed", "3"]);
    assert!(ran.code < Some(2), "{}", ran.shown());
    folder
}

/// A program with a little of everything: vars, `let`, answers of the world, lines, an object, a call, a failure.
const MIX: &str = r#"hasse = 1
main  = "mix"

[graph.mix]
params = { n = "int = 3" }
arcs = [
  "Make.v -> Step.v",
  "Step.part[k] -> half[k].x",
  "half[k].y -> Step.back",
]
share = ["seen -- half[k].seen"]

[graph.mix.shared.seen]
type = "int"

[graph.mix.call.half]
graph = "Half"
index = ["k"]

[graph.mix.uc.Make]
start = true
out   = { v = "int" }
do    = "let scale = 10;"
route = ["v <- (i + 1) * scale for i in 0..n"]

[graph.mix.uc.Step]
in    = { v = "int", back = "int" }
out   = { "part[k]" = "int" }
vars  = { sum = "int = 1", last = "real" }
fire  = ["v -> v if sum < 1000", "back -> sum if sum > 0"]
do = '''
if rule == 0 {
  let drawn = random_int(0, 9);
  sum += v;
  last = 0.5 * drawn;
  print(`step ${count}: ${sum}`);
} else if count > 5 {
  throw "that was one too many";
}
'''
route = ["part[k] <- v + k for k in 0..1 if rule == 0"]

[graph.Half]
in    = { x = "int" }
out   = { y = "int" }
inout = { seen = "int" }
arcs  = ["in.x -> Cut.x", "Cut.y -> out.y"]
share = ["inout.seen -- Cut.seen"]

[graph.Half.uc.Cut]
in     = { x = "int" }
out    = { y = "int" }
shared = { seen = "write" }
fire   = ["x -> x"]
do     = "seen += x;"
route  = ["y <- x / 2"]
"#;

#[test]
fn values_of_an_event_are_made_again() {
    let folder = recorded("mix.hasse", MIX);
    for event in ["/Make:1", "Step:1", "/half[0]/Cut:2", "/Step:6"] {
        insta::assert_snapshot!(folder.hasse(&["values", "t", event]).ends(0).shown());
    }
}

#[test]
fn values_as_json_have_everything() {
    let folder = recorded("mix.hasse", MIX);
    let values = folder.hasse(&["values", "t", "Cut:2", "--json"]).ends(0).json();
    assert_eq!(values["event"], json!("/half[0]/Cut:2"));
    assert_eq!(values["took"], json!([{ "port": "x", "value": 20, "sender": "/Step:2" }]));
    let shared = json!([{
        "name": "seen", "object": "/seen", "writes": true, "writer": "/half[0]/Cut:1", "before": 10, "after": 30
    }]);
    assert_eq!(values["shared"], shared);
    assert_eq!(values["sent"], json!([{ "port": "y", "value": 10, "to": ["/Step.back"] }]));
    assert_eq!(values["taken_by"].as_array().map(Vec::len), Some(1));
    assert!(values["replayed"]["n_replayed"].as_u64() < values["replayed"]["n_recorded"].as_u64());
}

#[test]
fn a_minimal_record_has_the_same_values() {
    let folder = recorded("mix.hasse", MIX);
    folder.hasse(&["trace", "minimize", "t", "-o", "m"]).ends(0);
    for event in ["/Make:1", "/half[0]/Cut:2", "/Step:3"] {
        let mut full = folder.hasse(&["values", "t", event, "--json"]).ends(0).json();
        let mut minimal = folder.hasse(&["values", "m", event, "--json"]).ends(0).json();
        for values in [&mut full, &mut minimal] {
            values["replayed"] = Json::Null;
            values["taken_by"] = Json::Null;
        }
        assert_eq!(full, minimal);
        let why = |trace: &str| folder.hasse(&["why", trace, event]).ends(0).stdout;
        assert_eq!(why("t"), why("m"));
    }
    let ran = folder.hasse(&["values", "m", "Cut:9"]).ends(2);
    assert!(
        ran.stderr.contains("/half[0]/Cut has no event 9: its events are /half[0]/Cut:1"),
        "{}",
        ran.shown()
    );
}

#[test]
fn why_goes_back_through_arcs_and_objects() {
    let folder = recorded("tellers.hasse", TELLERS);
    insta::assert_snapshot!(folder.hasse(&["why", "t", "/Audit", "--depth", "4"]).ends(0).shown());
    insta::assert_snapshot!(
        folder.hasse(&["why", "t", "/Audit", "--depth", "1", "--values"]).ends(0).shown()
    );
    let why = folder.hasse(&["why", "t", "/Audit", "--depth", "1", "--values", "--json"]).ends(0).json();
    assert_eq!(why["event"], json!("/Audit:1"));
    let kinds: Vec<&Json> = why["causes"].as_array().unwrap().iter().map(|cause| &cause["kind"]).collect();
    assert_eq!(kinds, ["value", "value", "value", "object"]);
    assert_eq!(why["causes"][3]["value"], json!(106));
}

/// A writer comes after the readers of what it overwrites.
#[test]
fn why_names_the_readers_of_what_was_overwritten() {
    let text =
        TELLERS.replace("\"total -- Audit.total\"", "\"total -- Audit.total\", \"total -- Look.total\"");
    let text = text.replace(
        "\"Open.go[i] -> Teller[i].go\",",
        "\"Open.go[i] -> Look.go\", \"Look.on[i] -> Teller[i].go\",",
    );
    let look = "\n[graph.tellers.uc.Look]\nin = { go = \"int\" }\nout = { \"on[i]\" = \"int\" }\n\
        shared = { total = \"read\" }\nfire = [\"go -> v\"]\nroute = [\"on[i] <- v for i in v - 1..v\"]\n";
    let folder = recorded("look.hasse", &format!("{text}{look}"));
    let why = folder.hasse(&["why", "t", "/Teller[2]:1", "--depth", "1", "--json"]).ends(0).json();
    let object = &why["causes"][1];
    assert_eq!((&object["kind"], &object["writer"]), (&json!("object"), &Json::Null));
    assert!(object["readers"].as_array().unwrap().iter().any(|reader| reader["event"] == "/Look:1"), "{why}");
}

#[test]
fn a_restricted_record_tells_what_came_by_way_of_others() {
    let folder = Folder::with("tellers.hasse", TELLERS);
    let run =
        ["run", "tellers.hasse", "--trace", "t", "--select", "Audit", "--select", "Open", "--workers", "1"];
    folder.hasse(&[&run[..], &["--seed", "3"]].concat()).ends(0);
    insta::assert_snapshot!(folder.hasse(&["why", "t", "/Audit"]).ends(0).shown());
    for args in
        [&["values", "t", "/Audit"][..], &["why", "t", "/Audit", "--values"], &["isolate", "t", "/Audit"]]
    {
        let ran = folder.hasse(args).ends(2);
        assert!(ran.stderr.contains("a restricted record cannot be replayed"), "{}", ran.shown());
    }
}

#[test]
fn an_event_alone_does_what_it_did() {
    let folder = recorded("mix.hasse", MIX);
    for event in ["/Make:1", "/Step:1", "/half[0]/Cut:2"] {
        let ran = folder.hasse(&["isolate", "t", event, "--times", "3"]).ends(0);
        assert!(ran.stdout.contains("the same 3 times\nthe same as recorded\n"), "{}", ran.shown());
    }
    insta::assert_snapshot!(folder.hasse(&["isolate", "t", "/Step:6"]).ends(0).shown());
}

#[test]
fn what_if_an_input_had_been_another() {
    let folder = recorded("mix.hasse", MIX);
    let ran = folder.hasse(&["isolate", "t", "/half[0]/Cut:2", "--set", "x=7", "--set", "seen=100"]).ends(0);
    insta::assert_snapshot!(ran.shown());
    let ran = folder.hasse(&["isolate", "t", "/Step:1", "--set", "sum=2000"]).ends(2);
    insta::assert_snapshot!(ran.shown());
}

#[test]
fn answers_beyond_the_recorded_ones_come_from_the_world() {
    let text = SQUARES.replace(
        "total += s;",
        "total += s;\nif total > 100 { total = parse_int(read_text(\"more.txt\")); }",
    );
    let folder = recorded("squares.hasse", &text);
    folder.write("more.txt", "77");
    let ran = folder.hasse(&["isolate", "t", "/Sum:2", "--set", "total=200"]).ends(0);
    assert!(ran.stdout.contains("total = 77"), "{}", ran.shown());
    assert!(ran.stdout.contains("ReadFile"), "{}", ran.shown());
}

#[test]
fn an_isolation_file_is_a_test_case() {
    let folder = recorded("mix.hasse", MIX);
    folder.hasse(&["isolate", "t", "/half[0]/Cut:2", "--save", "case.json"]).ends(0);
    std::fs::remove_file(folder.path("t")).unwrap();
    let ran = folder.hasse(&["isolate", "case.json"]).ends(0);
    assert!(ran.stdout.ends_with("the same as recorded\n"), "{}", ran.shown());

    folder.write("fixed.hasse", &MIX.replace("y <- x / 2", "y <- x / 2 + 1"));
    let ran = folder.hasse(&["isolate", "case.json", "--program", "fixed.hasse"]).ends(1);
    insta::assert_snapshot!(ran.shown());
    // The inputs that were set are kept.
    folder.hasse(&["isolate", "case.json", "--set", "x=3", "--save", "other.json"]).ends(0);
    let found = folder.hasse(&["isolate", "other.json", "--json"]).ends(0).json();
    assert_eq!((&found["changed"], &found["sent"][0]["value"]), (&json!(["port x"]), &json!(1)));
}

#[test]
fn a_node_with_another_interface_is_refused() {
    let pair = "hasse = 1\nmain = \"pair\"\n[graph.pair]\narcs = [\"Make.v -> Use.v\"]\n\
        [graph.pair.uc.Make]\nstart = true\nout = { v = \"int\" }\nroute = [\"v <- 1\"]\n\
        [graph.pair.uc.Use]\nin = { v = \"int\" }\nvars = { last = \"int\" }\nfire = [\"v -> v\"]\ndo = 'let w = v;'\n";
    let folder = recorded("pair.hasse", pair);
    folder.hasse(&["isolate", "t", "/Use:1", "--save", "case.json"]).ends(0);
    let text = pair.replace("v = \"int\"", "v = \"string\"").replace("v <- 1", "v <- `one`");
    for (text, message) in [
        (text, "port `v` is of type string, and the event has a int"),
        (
            pair.replace("last = \"int\"", "last = \"string\""),
            "var `last` is of type string, and the event has a int",
        ),
        (pair.replace("last = \"int\"", "first = \"int\""), "it has no var `last`"),
        (pair.replace("Use", "Take"), "the program has no such node"),
        (
            pair.replace("-> Use.v", "-> Use[0].v").replace("uc.Use]", "uc.Use]\nindex = [\"i\"]"),
            "it has 1 index number, not 0",
        ),
    ] {
        folder.write("other.hasse", &text);
        let ran = folder.hasse(&["isolate", "case.json", "--program", "other.hasse"]).ends(2);
        let expected = format!("Use is not the node that was isolated: {message}");
        assert!(ran.stderr.contains(&expected), "{}", ran.shown());
    }
    // A var more has its first value.
    folder.write("more.hasse", &pair.replace("last = \"int\"", "last = \"int\", more = \"int = 4\""));
    let ran = folder.hasse(&["isolate", "case.json", "--program", "more.hasse"]).ends(1);
    assert!(ran.stdout.contains("var more: recorded none, now 4"), "{}", ran.shown());
}

#[test]
fn questions_without_an_answer_say_why() {
    let folder = recorded("mix.hasse", MIX);
    folder.hasse(&["isolate", "t", "/Step:1", "--save", "step.json"]).ends(0);
    folder.write("bad.json", "{\"hasse_isolation\": 2}");
    for args in [
        &["values", "t", "/Stop:1"][..],
        &["values", "t", "/Step:99"],
        &["values", "t", "/Step"],
        &["values", "t", "/Step[:1"],
        &["isolate", "t"],
        &["isolate", "bad.json"],
        &["isolate", "step.json", "--set", "x=1"],
        &["isolate", "step.json", "--set", "sum=one"],
        &["isolate", "t", "/Step:1", "--save", "t"],
        &["isolate", "missing", "/Step:1"],
    ] {
        insta::assert_snapshot!(folder.hasse(args).ends(2).shown());
    }
}

/// The record is cut off: what is left of it still tells.
#[test]
fn what_is_left_of_a_record_tells() {
    let folder = recorded("mix.hasse", MIX);
    let bytes = std::fs::read(folder.path("t")).unwrap();
    std::fs::write(folder.path("t"), &bytes[..bytes.len() - 40]).unwrap();
    let ran = folder.hasse(&["values", "t", "/Make:1"]);
    assert!(ran.stderr.contains("note: t: "), "{}", ran.shown());
    assert!(ran.code == Some(0) || ran.stderr.contains("no action /Make"), "{}", ran.shown());
}

/// The bug of the solver: a segment that was sent before it was reduced completely.
#[test]
fn the_bug_of_the_solver_is_found_from_the_wrong_value() {
    let folder = Folder::new();
    folder.hasse(&["new", "bts", "--from", "bts"]).ends(0);
    let bug = std::fs::read_to_string(repository().join("examples/bts/bts-bug.hasse")).unwrap();
    folder.write("bts/bts-bug.hasse", &bug);
    let run = ["run", "bts/bts-bug.hasse", "--trace", "t", "--workers", "1", "--seed", "1"];
    folder.hasse(&run).ends(0);
    let ran = folder.hasse(&["why", "t", "/Solve:3", "--depth", "1"]).ends(0);
    assert!(ran.stdout.contains("sent by routing rule 0 of Mult `done <- acc`"), "{}", ran.shown());
    // Mult[3] has executed once only: it must not have sent.
    folder.hasse(&["isolate", "t", "/Mult[3]:1", "--save", "case.json"]).ends(0);
    let fixed =
        folder.hasse(&["isolate", "case.json", "--program", "bts/bts.hasse", "--json"]).ends(1).json();
    assert_eq!(fixed["sent"], json!([]));
}
