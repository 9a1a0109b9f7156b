//! `--order`: events in an order that is imposed.

use super::support::{Folder, TELLERS};

fn folder() -> Folder {
    let folder = Folder::with("tellers.hasse", TELLERS);
    folder.hasse(&["run", "tellers.hasse", "--trace", "t.trace", "--workers", "1", "--seed", "3"]).ends(0);
    folder
}

/// Paths of the events of a trace in the order in which they were recorded.
fn recorded_order(folder: &Folder, trace: &str) -> Vec<String> {
    let listed = folder.hasse(&["trace", "events", trace, "--recorded-from", "1"]).ends(0).stdout;
    listed.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

#[test]
fn run_keeps_an_imposed_order() {
    let folder = folder();
    for order in ["/Teller[2]:1 < Teller[0]:1 < Teller[1]:1", "Teller[1]:1 < Teller[0]:1 < Teller[2]:1"] {
        for seed in ["1", "2", "3"] {
            let run = ["run", "tellers.hasse", "--trace", "o.trace", "--seed", seed, "--order", order];
            folder.hasse(&run).ends(0);
            let found = recorded_order(&folder, "o.trace");
            let found: Vec<&str> =
                found.iter().map(String::as_str).filter(|event| event.starts_with("/Teller")).collect();
            let wanted: Vec<String> =
                order.split('<').map(|event| format!("/{}", event.trim().trim_start_matches('/'))).collect();
            assert_eq!(found, wanted);
            folder.hasse(&["replay", "o.trace"]).ends(0);
        }
    }
}

#[test]
fn fork_keeps_an_imposed_order() {
    let folder = folder();
    let order = ["--order", "/Teller[2]:1 < /Teller[1]:1", "--order", "/Teller[1]:1 < /Teller[0]:1"];
    folder.hasse(&[&["fork", "t.trace", "--at", "1", "-o", "f.trace"][..], &order].concat()).ends(0);
    let found = recorded_order(&folder, "f.trace");
    assert_eq!(found, ["/Open:1", "/Teller[2]:1", "/Teller[1]:1", "/Teller[0]:1", "/Audit:1"]);
    let often = [&["fork", "t.trace", "--at", "1", "--times", "5"][..], &order].concat();
    let shown = folder.hasse(&often).ends(0).stdout;
    assert!(shown.contains("  5 runs finished (seed 1): total = 106\n"), "{shown}");
}

#[test]
fn order_that_cannot_be_met_ends_the_run_and_says_why() {
    let folder = folder();
    let run = ["run", "tellers.hasse", "--trace", "o.trace", "--order", "/Audit:1 < /Teller[1]:1"];
    let ran = folder.hasse(&run).ends(1);
    insta::assert_snapshot!(ran.stderr);
    // The record holds what has taken place.
    let found = recorded_order(&folder, "o.trace");
    assert!(found.len() == 3 && !found.contains(&"/Teller[1]:1".to_owned()), "{found:?}");
    let never = ["run", "tellers.hasse", "--order", "/Teller[0]:2 < /Teller[1]:1", "--json"];
    let json = folder.hasse(&never).ends(1).json();
    assert_eq!(json["outcome"], "stopped");
    assert_eq!(
        json["order_unmet"],
        serde_json::json!([{ "event": "/Teller[1]:1", "waits_for": "/Teller[0]:2" }])
    );
    let often = ["fork", "t.trace", "--at", "1", "--times", "3", "--order", "/Audit:1 < /Teller[1]:1"];
    let shown = folder.hasse(&often).ends(1).stdout;
    assert!(shown.contains("  3 runs stopped (seed 1): /Teller[1]:1 waits for /Audit:1"), "{shown}");
}

#[test]
fn event_that_does_not_take_place_is_noted() {
    let folder = folder();
    let run = ["run", "tellers.hasse", "--order", "/Teller[0]:1 < /Teller[1]:7"];
    let stderr = folder.hasse(&run).ends(0).stderr;
    assert_eq!(stderr, "note: /Teller[1]:7, which the order names, has not taken place\n");
}

#[test]
fn bad_orders_are_refused() {
    let folder = folder();
    let refused = |args: &[&str]| folder.hasse(args).ends(2).stderr;
    let run = |order: &str| refused(&["run", "tellers.hasse", "--order", order]);
    let refusals = [
        run("/Teller[0]:1 < /Teller[1]:1 < /Teller[0]:1"),
        run("/Teller[0]:2 < /Teller[0]:1"),
        run("/Teller[0]:1"),
        run("/Teller[0] < /Teller[1]:1"),
        run("/Teler[0]:1 < /Teller[1]:1"),
        refused(&["run", "tellers.hasse", "--workers", "2", "--order", "/Teller[0]:1 < /Teller[1]:1"]),
        refused(&["fork", "t.trace", "--at", "/Audit:1", "--order", "/Audit:1 < /Open:1"]),
        refused(&["fork", "t.trace", "--at", "/Open:1", "--order", "/Audit:1 < /Open:1"]),
    ];
    insta::assert_snapshot!(refusals.join("\n"));
}
