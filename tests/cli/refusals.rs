//! Ports that fail those who send to them when they are full.

use crate::support::Folder;

const DESK: &str = "hasse = 1
main = \"desk\"
[graph.desk]
params = { n = \"int = 40\", places = \"int = 3\" }
arcs = [\"Open.go[k] -> Door[k].go\", \"Door[k].enters -> Desk.enters\", \"Door[k].leaves -> Log.leaves\", \"Desk.served -> Log.served\"]
[graph.desk.uc.Open]
start = true
out = { \"go[k]\" = \"int\" }
route = [\"go[k] <- k for k in 0..n\"]
[graph.desk.uc.Door]
index = [\"k\"]
in = { go = \"int\" }
out = { enters = \"int\", leaves = \"error\" }
fire = [\"go -> g\"]
route = [\"enters <- g\", \"enters <- g + 1000\"]
on_error = [\"leaves <- error\"]
[graph.desk.uc.Desk]
in = { enters = { type = \"int\", bound = \"places\", full = \"fail\" } }
out = { served = \"int\" }
fire = [\"enters -> e\"]
do = 'let sum = 0; for j in 0..200 { sum += j * e; }'
route = [\"served <- e\"]
[graph.desk.uc.Log]
in = { leaves = \"error\", served = \"int\" }
vars = { served_in = \"int\", refused = \"int\" }
fire = [\"leaves -> error\", \"served -> s\"]
do = 'if rule == 0 { refused += 1; result(\"code\", error.code); } else { served_in += 1; } result(\"refused\", refused); result(\"served\", served_in);'
";

/// Each sender is served with both of its values, or refused with none.
#[test]
fn event_is_refused_as_a_whole_and_refused_again() {
    let folder = Folder::with("p.hasse", DESK);
    for (workers, mode) in [("1", "full"), ("2", "full"), ("3", "minimal"), ("1", "minimal")] {
        let run = ["run", "p.hasse", "--workers", workers, "--record", mode, "--trace", "t", "--json"];
        let ran = folder.hasse(&run).ends(0).json();
        let (refused, served) =
            (ran["results"]["refused"].as_u64().unwrap_or(0), ran["results"]["served"].as_u64().unwrap_or(0));
        assert_eq!(2 * refused + served, 80, "{ran}");
        for workers in ["1", "4"] {
            let replayed = folder.hasse(&["replay", "t", "--workers", workers, "--json"]).ends(0).json();
            assert_eq!(replayed["results"], ran["results"], "{mode}");
        }
    }
    let none = folder.hasse(&["run", "p.hasse", "--set", "places=1", "--json"]).ends(0).json();
    assert_eq!(
        (&none["results"]["refused"], &none["results"]["code"]),
        (&serde_json::json!(40), &serde_json::json!("R0013"))
    );
    let all = folder.hasse(&["run", "p.hasse", "--set", "places=80", "--json"]).ends(0).json();
    assert_eq!(all["results"]["served"], 80);
}

#[test]
fn sender_stops_where_nothing_handles_it() {
    let text = DESK
        .replace("on_error = [\"leaves <- error\"]\n", "")
        .replace("\"Door[k].leaves -> Log.leaves\", ", "");
    let text = text.replace("out = { enters = \"int\", leaves = \"error\" }", "out = { enters = \"int\" }");
    let text = text.replace("leaves = \"error\", served = \"int\" }", "served = \"int\" }");
    let text = text.replace("\"leaves -> error\", ", "").replace(
        "if rule == 0 { refused += 1; result(\"code\", error.code); } else { served_in += 1; }",
        "served_in += 1;",
    );
    let folder = Folder::with("p.hasse", &text);
    let ran = folder.hasse(&["run", "p.hasse", "--set", "places=1", "--set", "n=2", "--trace", "t"]).ends(1);
    assert!(
        ran.stderr.contains("R0013")
            && ran.stderr.contains("the port /Desk.enters is full: at most 1 value may wait there"),
        "{}",
        ran.shown()
    );
    let replayed = folder.hasse(&["replay", "t"]).ends(0);
    assert!(replayed.stderr.contains("R0013"), "{}", replayed.shown());
}

/// Rules for failed events can be refused, too.
#[test]
fn rules_for_failed_events_are_refused_by_the_same_port() {
    let text =
        DESK.replace("on_error = [\"leaves <- error\"]", "on_error = [\"enters <- 7\", \"leaves <- error\"]");
    let folder = Folder::with("p.hasse", &text);
    let set = ["--set", "n=3", "--set", "places=1", "--workers", "1", "--trace", "t"];
    let ran = folder.hasse(&[&["run", "p.hasse"][..], &set].concat());
    assert!(
        ran.stderr.contains("while this error was handled") || ran.stdout.contains("refused"),
        "{}",
        ran.shown()
    );
    assert_eq!(folder.hasse(&["replay", "t"]).ends(0).stdout, ran.stdout);
}
