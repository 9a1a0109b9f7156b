//! Values at the start, and rules that take as many values as there are.

use crate::support::Folder;

const BATCHES: &str = "hasse = 1
main = \"batches\"
[graph.batches]
params = { n = \"int = 500\", most = \"int = 20\" }
arcs = [\"Source[i].row -> Store.row\", \"Start.go[i] -> Source[i].go\", \"Source[i].go -> Source[i].go\"]
[graph.batches.uc.Start]
start = true
out = { \"go[i]\" = \"int\" }
route = [\"go[i] <- 0 for i in 0..3\"]
[graph.batches.uc.Source]
index = [\"i\"]
in = { go = \"int\" }
out = { row = \"int\", go = \"int\" }
fire = [\"go -> k\"]
route = [\"row <- k\", \"go <- k + 1 if k + 1 < n\"]
[graph.batches.uc.Store]
in = { row = \"int\" }
vars = { sizes = \"int[]\", sum = \"int\" }
fire = [\"row -> rows[k] for k in ..most\"]
do = '''
for row in rows { sum += row; }
sizes.push(rows.len);
result(\"sum\", sum);
result(\"sizes\", sizes);
'''
";

fn sizes(results: &serde_json::Value) -> Vec<u64> {
    results["sizes"].as_array().unwrap().iter().map(|size| size.as_u64().unwrap()).collect()
}

#[test]
fn as_many_values_as_there_are_are_taken_and_taken_again() {
    let folder = Folder::with("p.hasse", BATCHES);
    for (workers, mode, seed) in
        [("1", "full", "1"), ("2", "full", "2"), ("3", "minimal", "3"), ("1", "minimal", "4")]
    {
        let run = ["run", "p.hasse", "--workers", workers, "--record", mode, "--trace", "t", "--json"];
        for arguments in [&run[..], &[&run[..], &["--seed", seed]].concat()] {
            let ran = folder.hasse(arguments).ends(0).json();
            assert_eq!(ran["results"]["sum"], 3 * 499 * 500 / 2);
            let sizes = sizes(&ran["results"]);
            assert!(sizes.iter().all(|size| (1..=20).contains(size)) && sizes.iter().sum::<u64>() == 1500);
            for workers in ["1", "4"] {
                let replayed = folder.hasse(&["replay", "t", "--workers", workers, "--json"]).ends(0).json();
                assert_eq!(replayed["results"], ran["results"], "{mode}");
            }
        }
    }
}

#[test]
fn number_of_values_is_at_least_one() {
    let folder = Folder::with("p.hasse", BATCHES);
    let ran = folder.hasse(&["run", "p.hasse", "--set", "most=0"]).ends(1);
    assert!(ran.stderr.contains("port `row`: up to 0 values cannot be taken"), "{}", ran.shown());
    let one = folder.hasse(&["run", "p.hasse", "--set", "most=1", "--json"]).ends(0).json();
    assert_eq!(sizes(&one["results"]).len(), 1500);
}

/// A node that has never had a value says what it waits for; an event is isolated with its own number of values.
#[test]
fn waiting_and_isolation_know_such_rules() {
    let quiet = BATCHES.replace("for i in 0..3\"", "for i in 0..0\"").replace(
        "[graph.batches.uc.Start]\n",
        "[graph.batches.uc.Other]\nstart = true\nout = { x = \"int\" }\nroute = [\"x <- 1\"]\n[graph.batches.uc.Start]\n",
    );
    let quiet = quiet
        .replace("arcs = [", "arcs = [\"Other.x -> Store.x\", ")
        .replace("in = { row = \"int\" }", "in = { row = \"int\", x = \"int\" }")
        .replace(
            "fire = [\"row -> rows[k] for k in ..most\"]",
            "fire = [\"x -> x, row -> rows[k] for k in ..most\"]",
        );
    let ran = Folder::with("p.hasse", &quiet).hasse(&["run", "p.hasse"]).ends(1);
    assert!(ran.stderr.contains("waits for a value on row"), "{}", ran.shown());
    let folder = Folder::with("p.hasse", BATCHES);
    folder.hasse(&["run", "p.hasse", "--trace", "t", "--workers", "1"]).ends(0);
    let isolated = folder.hasse(&["isolate", "t", "/Store:3"]).ends(0);
    assert!(isolated.stdout.contains("the same as recorded"), "{}", isolated.shown());
}

const RING: &str = "hasse = 1
main = \"ring\"
[graph.ring]
params = { first = \"int = 3\" }
arcs = [\"Down.n -> Down.n\"]
[graph.ring.uc.Down]
in = { n = { type = \"int\", initial = [\"first\", 1] } }
out = { n = \"int\" }
fire = [\"n -> n\"]
do = 'print(n);'
route = [\"n <- n - 1 if n > 1\"]
";

#[test]
fn values_at_the_start_come_in_order_and_are_replayed() {
    let folder = Folder::with("p.hasse", RING);
    for mode in ["full", "minimal"] {
        let ran = folder.hasse(&["run", "p.hasse", "--record", mode, "--trace", "t"]).ends(0);
        assert_eq!(ran.stdout, "3\n1\n2\n1\n");
        assert_eq!(folder.hasse(&["replay", "t"]).ends(0).stdout, ran.stdout);
    }
    folder.hasse(&["run", "p.hasse", "--trace", "t"]).ends(0);
    let events = folder.hasse(&["trace", "events", "t"]).ends(0).stdout;
    assert!(events.contains("/Down:1  rule 0 `n -> n`  from /initial:1"), "{events}");
    let set = folder.hasse(&["run", "p.hasse", "--set", "first=1"]).ends(0);
    assert_eq!(set.stdout, "1\n1\n");
}

/// A rule that takes as many values as there are takes all that its port has: another take of it would have none.
#[test]
fn takes_of_one_port_that_exclude_each_other_are_errors() {
    for rule in ["row -> rows[k] for k in ..most, row -> one", "row -> rows[k] for k in ..0"] {
        let text = BATCHES.replace("row -> rows[k] for k in ..most", rule);
        let checked = Folder::with("p.hasse", &text).hasse(&["check", "p.hasse"]).ends(1);
        let code = if rule.contains("one") { "E0409" } else { "E0406" };
        assert!(checked.stderr.contains(code), "{rule}: {}", checked.shown());
    }
}

/// A line that delays its values by one.
#[test]
fn initial_values_are_on_their_ports_before_start_nodes_send() {
    let text = "hasse = 1
main = \"fir\"
[graph.fir]
arcs = [\"Source.x -> Add.now\", \"Source.x -> Add.before\"]
[graph.fir.uc.Source]
out = { x = \"int\" }
start = true
route = [\"x <- k for k in 1..5\"]
[graph.fir.uc.Add]
in = { now = \"int\", before = { type = \"int\", initial = [0], left = \"ok\" } }
fire = [\"now -> a, before -> b\"]
do = \"print(a + b);\"
";
    let folder = Folder::with("p.hasse", text);
    for (workers, seed) in ["1", "2", "3"].iter().flat_map(|workers| [0, 1, 2].map(|seed| (workers, seed))) {
        let seed = seed.to_string();
        let seeded = ["run", "p.hasse", "--workers", workers, "--trace", "t", "--seed", &seed];
        // The last two name a seed.
        let args = if seed == "0" { &seeded[..6] } else { &seeded[..] };
        let ran = folder.hasse(args).ends(0);
        assert_eq!(ran.stdout, "1\n3\n5\n7\n", "{workers} workers, seed {seed}");
        assert_eq!(folder.hasse(&["replay", "t"]).ends(0).stdout, ran.stdout);
    }
}

/// A rule that takes nothing would fire without end.
#[test]
fn rule_whose_loops_are_empty_is_an_error() {
    for (rule, is_refused) in [
        ("row -> rows[k] for k in 0..0", true),
        ("row -> rows[k] for k in most..most", true),
        ("row -> rows[k] for k in most..0", true),
        ("row -> rows[k] for k in most..most if count == 1", false),
    ] {
        let text = BATCHES.replace("row -> rows[k] for k in ..most", rule);
        let ran = Folder::with("p.hasse", &text).hasse(&["run", "p.hasse"]).ends(1);
        let is_told = ran.stderr.contains("R0005") && ran.stderr.contains("the firing rule takes no value");
        assert_eq!(is_told, is_refused, "{rule}: {}", ran.shown());
    }
}

#[test]
fn initial_values_are_single_expressions_within_the_bound() {
    let program = |options: &str| {
        format!(
            "hasse = 1
main = \"loop\"
[graph.loop]
params = {{ n = \"int = 3\" }}
[graph.loop.uc.Show]
in = {{ x = {{ type = \"int\", {options} }} }}
fire = [\"x -> x\"]
do = \"print(x);\"
"
        )
    };
    for (value, needle) in [
        ("1, 2", "not an expression over the parameters"),
        ("k for k in 0..3", "not an expression over the parameters"),
        ("1 after 5 ms", "not an expression over the parameters"),
        ("1 if n > 2", "not an expression over the parameters"),
        ("count", "not an expression over the parameters"),
        ("", "not an expression over the parameters"),
    ] {
        let text = program(&format!("initial = [\"{value}\"]"));
        let checked = Folder::with("p.hasse", &text).hasse(&["check", "p.hasse"]).ends(1);
        assert!(checked.stderr.contains("E0110") && checked.stderr.contains(needle), "{}", checked.shown());
    }
    let text = program("bound = 1, full = \"fail\", initial = [1, 2]");
    let checked = Folder::with("p.hasse", &text).hasse(&["check", "p.hasse"]).ends(1);
    assert!(checked.stderr.contains("admits 1 of its 2 initial values"), "{}", checked.shown());
    let text = program("initial = [1, \"(n + 1) * 2\"]");
    let ran = Folder::with("p.hasse", &text).hasse(&["run", "p.hasse"]).ends(0);
    assert_eq!(ran.stdout, "1\n8\n");
}
