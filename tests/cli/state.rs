//! `hasse state`: the state of a recorded run at a moment.

use super::support::{Folder, TELLERS};

fn recorded() -> Folder {
    let folder = Folder::with("tellers.hasse", TELLERS);
    folder.hasse(&["run", "tellers.hasse", "--trace", "t.trace", "--workers", "1", "--seed", "3"]).ends(0);
    folder
}

#[test]
fn a_state_has_what_waits_and_what_is_held() {
    let folder = recorded();
    insta::assert_snapshot!(folder.hasse(&["state", "t.trace", "--at", "2"]).ends(0).stdout);
    let json = folder.hasse(&["state", "t.trace", "--at", "/Audit:1", "--before", "--json"]).ends(0).stdout;
    insta::assert_snapshot!(json);
}

#[test]
fn a_state_is_restricted_to_paths() {
    let folder = recorded();
    let shown = folder.hasse(&["state", "t.trace", "--at", "20%", "--select", "/Teller[1]"]).ends(0).stdout;
    assert!(shown.contains("/Teller[1]: 0 executions\n  port go: 1 value\n    2 from /Open:1\n"), "{shown}");
    assert!(!shown.contains("/Teller[0]"), "{shown}");
    let end = folder.hasse(&["state", "t.trace"]).ends(0).stdout;
    assert!(end.ends_with("result total = 106\n"), "{end}");
}

#[test]
fn a_moment_that_is_not_there_is_refused() {
    let folder = recorded();
    let refused = |at: &str| folder.hasse(&["state", "t.trace", "--at", at]).ends(2).stderr;
    insta::assert_snapshot!(["6", "half", "150%", "/Teller[1]:7"].map(refused).join("\n"));
    folder.hasse(&["run", "tellers.hasse", "--trace", "r.trace", "--select", "Teller"]).ends(0);
    insta::assert_snapshot!(folder.hasse(&["state", "r.trace"]).ends(2).stderr, @r"
    error: a restricted record cannot be replayed: values are made again from every event
      help: record the run again with `--record full` or `--record minimal`
    ");
}
