//! Calls of graphs, seen through the commands: paths of graph instances, replay, checks across interfaces.

use super::support::Folder;

/// Fibonacci by a graph that calls itself, counting its calls in an object of the caller.
pub(crate) const FIB: &str = r#"hasse = 1
main  = "top"

[graph.top]
params = { n = "int = 6" }
arcs   = ["Start.n -> fib.n", "fib.f -> Show.f"]
share  = ["calls -- fib.calls", "calls -- Show.calls"]

[graph.top.shared.calls]
type = "int"
init = "0"

[graph.top.call.fib]
graph = "Fib"
args  = { depth = "0" }

[graph.top.uc.Start]
out   = { n = "int" }
start = true
route = ["n <- n"]

[graph.top.uc.Show]
in     = { f = "int" }
shared = { calls = "read" }
fire   = ["f -> f"]
do = '''
result("fib", f); result("calls", calls);
'''

[graph.Fib]
params = { depth = "int" }
in     = { n = "int" }
out    = { f = "int" }
inout  = { calls = "int" }
arcs = [
  "in.n -> Split.n",
  "Split.small -> out.f",
  "Split.part[i] -> half[i].n",
  "half[i].f -> Sum.f",
  "Sum.sum -> out.f",
]
share = ["inout.calls -- Split.calls", "inout.calls -- half[i].calls"]

[graph.Fib.call.half]
graph = "Fib"
index = ["i"]
args  = { depth = "depth + 1" }

[graph.Fib.uc.Split]
in     = { n = "int" }
out    = { small = "int", "part[i]" = "int" }
shared = { calls = "write" }
fire   = ["n -> k"]
do = '''
calls += 1;
if depth > 50 { throw "too deep"; }
'''
route = ["small <- k if k < 2", "part[i] <- k - 1 - i for i in 0..2 if k >= 2"]

[graph.Fib.uc.Sum]
in   = { f = "int" }
out  = { sum = "int" }
vars = { total = "int" }
fire = ["f -> x"]
do = '''
total += x;
'''
route = ["sum <- total if count == 2"]
"#;

fn recorded(workers: &str) -> Folder {
    let folder = Folder::with("fib.hasse", FIB);
    let ran = folder.hasse(&["run", "fib.hasse", "--workers", workers, "--trace", "t"]).ends(0);
    assert_eq!(ran.stdout, "calls = 25\nfib = 8\n");
    folder
}

#[test]
fn a_recursion_replays_with_any_number_of_workers() {
    for workers in ["1", "2", "8"] {
        let folder = recorded(workers);
        for again in ["1", "2", "8"] {
            let replayed = folder.hasse(&["replay", "t", "--workers", again, "--trace", "u"]).ends(0);
            assert_eq!(replayed.stdout, "calls = 25\nfib = 8\n");
            let digest = |trace: &str| folder.hasse(&["trace", "digest", trace]).ends(0).stdout;
            assert_eq!(digest("t"), digest("u"));
        }
    }
}

#[test]
fn events_are_named_by_the_paths_of_their_graph_instances() {
    let folder = recorded("1");
    let events = folder.hasse(&["trace", "events", "t", "--action", "/fib/half[1]/Split"]).ends(0);
    insta::assert_snapshot!(events.stdout);
    let info = folder.hasse(&["trace", "info", "t"]).ends(0);
    assert!(info.stdout.contains("Fib.Split"), "{}", info.shown());
    let of_template = folder.hasse(&["trace", "events", "t", "--template", "Fib.Sum"]).ends(0);
    assert_eq!(of_template.stdout.lines().count(), 24);
}

#[test]
fn checks_name_paths_and_follow_values_through_interfaces() {
    let folder = recorded("1");
    for command in [
        "check pred /Show {/fib/Sum:2, /fib/Split}",
        "check pred /fib/Sum:2 {/fib/half[0]/Split, /fib/half[1]/Split}",
        "check pred Fib.Sum {Start}",
        "check pred Sum {Split}",
    ] {
        folder.hasse(&["verify", "t", command]).ends(0);
    }
    // What does not hold shows each arc on the way, in both directions through the interfaces.
    let ran = folder
        .hasse(&["verify", "t", "check pred /fib/half[1]/Split {Show}", "check pred /Show {/fib/Sum:3}"])
        .ends(1);
    insta::assert_snapshot!(ran.stdout);
}

#[test]
fn paths_that_lead_nowhere_are_usage_errors() {
    let folder = recorded("1");
    let mut shown = String::new();
    for command in [
        "check pred /fob/Sum {Start}",
        "check pred /fib/Sun {Start}",
        "check pred /fib/half/Sum {Start}",
        "check pred /fib[2]/Sum {Start}",
        "check pred /fib/half[0][1]/Sum {Start}",
        "check pred /Sum {Start}",
    ] {
        let ran = folder.hasse(&["verify", "t", command]);
        shown.push_str(&format!("{command}\n{}", ran.stderr));
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn errors_within_calls_name_the_path() {
    let folder = Folder::with("fib.hasse", &FIB.replace("depth > 50", "depth > 2"));
    let ran = folder.hasse(&["run", "fib.hasse", "--workers", "1", "--json"]).ends(1).json();
    let events: Vec<_> = ran["errors"].as_array().unwrap().iter().map(|error| &error["event"]).collect();
    assert!(events.iter().any(|event| **event == "/fib/half[0]/half[0]/half[0]/Split:1"), "{events:?}");
    let waiting = ran["quiescence"].as_array().unwrap();
    assert!(waiting.iter().all(|action| action["action"].as_str().unwrap().starts_with('/')), "{waiting:?}");
}

#[test]
fn a_value_that_no_arc_takes_within_a_call_is_told_by_its_way() {
    let text = FIB.replace("\"half[i].f -> Sum.f\"", "\"half[0].f -> Sum.f\"");
    let folder = Folder::with("fib.hasse", &text);
    let ran = folder.hasse(&["run", "fib.hasse", "--workers", "1", "--json"]).ends(1).json();
    let error = ran["errors"].as_array().unwrap().iter().find(|error| error["code"] == "R0004").unwrap();
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("its way ends at") && message.contains("half[1].f"), "{message}");
}

#[test]
fn an_argument_that_cannot_be_computed_fails_the_event_that_would_enter() {
    let text = FIB.replace("\"depth + 1\"", "\"1 / depth\"");
    let folder = Folder::with("fib.hasse", &text);
    let ran = folder.hasse(&["run", "fib.hasse", "--workers", "1", "--json"]).ends(1).json();
    let error = &ran["errors"].as_array().unwrap()[0];
    assert!(error["message"].as_str().unwrap().starts_with("parameter `depth` of call `half`"), "{error}");
    let line = text.lines().position(|line| line.contains("1 / depth")).unwrap() + 1;
    assert_eq!(error["line"].as_u64().unwrap() as usize, line, "{error}");
}

#[test]
fn a_call_that_changed_is_told_by_replay() {
    let folder = recorded("1");
    folder.write("fib.hasse", &FIB.replace("args  = { depth = \"0\" }", "args  = { depth = \"1\" }"));
    let ran = folder.hasse(&["replay", "t", "--program", "fib.hasse"]).ends(2);
    assert!(ran.stderr.contains("call fib of graph top: argument depth differs"), "{}", ran.shown());
}
