use serde_json::json;

use super::support::{Folder, SQUARES, TELLERS};

/// A folder with a recorded run of the tellers in `t`; one worker and a seed: always the same run.
fn recorded() -> Folder {
    let folder = Folder::with("tellers.hasse", TELLERS);
    folder.hasse(&["run", "tellers.hasse", "--trace", "t", "--workers", "1", "--seed", "3"]).ends(0);
    folder
}

#[test]
fn a_page_has_lanes_for_nodes_or_actions() {
    let folder = recorded();
    let by_node = folder.hasse(&["trace", "history", "t"]).ends(0).stdout;
    let by_action = folder.hasse(&["trace", "history", "t", "--by", "action", "--map"]).ends(0).stdout;
    insta::assert_snapshot!([by_node, by_action].join("\n"));
    let without = folder.hasse(&["trace", "history", "t", "--columns=never"]).ends(0).stdout;
    assert!(without.starts_with("1  /Open:1\n2  /Teller"), "{without}");
}

#[test]
fn a_history_scrolls_by_place_by_event_and_from_the_end() {
    let folder = Folder::with("squares.hasse", SQUARES);
    folder.hasse(&["run", "squares.hasse", "--set", "n=100", "--trace", "t", "--workers", "2"]).ends(0);
    let page = |args: &[&str]| {
        let args = [&["trace", "history", "t", "--json"], args].concat();
        folder.hasse(&args).ends(0).json()
    };
    let first = page(&["--from", "10", "--count", "5"]);
    assert_eq!(
        (&first["first"], &first["next"], &first["events_in_all"]),
        (&json!(10), &json!(15), &json!(201))
    );
    let second = page(&["--from", "15", "--count", "1"]);
    let event = second["events"][0]["event"].as_str().unwrap();
    assert_eq!(page(&["--from", event, "--count", "1"]), second);
    let last = page(&["--from", "-3"]);
    assert_eq!((&last["first"], &last["next"]), (&json!(199), &json!(null)));
    assert_eq!(last["events"][2]["event"], "/Sum:100");
    let text = folder.hasse(&["trace", "history", "t"]).ends(0).stdout;
    assert!(text.ends_with("events 1 to 40 of 201; the next is 41\n"), "{text}");
    // A hundred lanes do not fit, unless they are asked for.
    let wide = |columns: &str| {
        let args = ["trace", "history", "t", "--by", "action", "--count", "150", columns];
        folder.hasse(&args).ends(0).stdout.lines().map(str::len).max().unwrap()
    };
    assert!(wide("--columns=auto") < 100 && wide("--columns") > 200);
}

#[test]
fn a_selection_keeps_the_orderings_by_way_of_others() {
    let folder = recorded();
    let found = folder.hasse(&["trace", "history", "t", "--select", "Audit", "--select", "Open", "--json"]);
    let found = found.ends(0).json();
    let flow = |at: usize| &found["events"][at]["flow"];
    assert_eq!((flow(0), flow(1)), (&json!([]), &json!(["/Open:1"])));
    assert_eq!(found["nodes"][1], json!({ "node": "Audit", "actions": ["/Audit"] }));
}

#[test]
fn the_graphs_are_text_and_json() {
    let folder = recorded();
    insta::assert_snapshot!(folder.hasse(&["trace", "graphs", "t"]).ends(0).stdout);
    let both = folder.hasse(&["trace", "graphs", "t"]).ends(0).stdout;
    let one = |graph: &str| folder.hasse(&["trace", "graphs", "t", "--graph", graph]).ends(0).stdout;
    assert_eq!([one("elaborated"), one("program")].concat(), both);
    let keys = |args: &[&str]| {
        let found = folder.hasse(&[&["trace", "graphs", "t", "--json"], args].concat()).ends(0).json();
        found.as_object().unwrap().keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(keys(&[]), ["actions", "dependences", "nodes", "node_dependences"]);
    assert_eq!(keys(&["--graph", "program"]), ["nodes", "node_dependences"]);
    let audit = folder.hasse(&["trace", "graphs", "t", "--select", "Audit", "--json"]).ends(0).json();
    assert_eq!(
        (&audit["actions"], &audit["dependences"]),
        (&json!([{ "action": "/Audit", "events": 1 }]), &json!([]))
    );
}

#[test]
fn what_cannot_be_shown_is_refused() {
    let folder = recorded();
    let refused = |args: &[&str]| folder.hasse(&[&["trace", "history"], args].concat()).ends(2).stderr;
    let text = refused(&["t", "--from", "x"]);
    assert!(text.contains("write a place such as `120`"), "{text}");
    assert!(refused(&["t", "--from", "0"]).contains("write a place"));
    let text = refused(&["t", "--from", "/Teller[1]:2"]);
    assert!(
        text.contains("t has no event `/Teller[1]:2`") && text.contains("/Teller[1] has 1 event here"),
        "{text}"
    );
    let text = refused(&["t", "--from", "Teller[1]:1", "--select", "Audit"]);
    assert!(text.contains("it is not selected"), "{text}");
    let text = refused(&["t", "--select", "Telle"]);
    assert!(text.contains("did you mean `Teller`?"), "{text}");
    refused(&["tellers.hasse"]);
    assert_eq!(folder.hasse(&["trace", "history", "t", "--from", "6"]).ends(0).stdout, "no event of 5\n");
    folder.hasse(&["run", "tellers.hasse", "--record", "minimal", "--trace", "m"]).ends(0);
    assert!(refused(&["m"]).contains("holds choices, not events"));
    assert!(folder.hasse(&["trace", "graphs", "m"]).ends(2).stderr.contains("holds choices"));
    assert!(folder.hasse(&["trace", "graphs", "t", "--select", "X"]).ends(2).stderr.contains("no node `X`"));
}
