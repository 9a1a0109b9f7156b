//! Going on from a moment in a session.

use super::session;
use crate::support::{Folder, TELLERS};

fn recorded() -> Folder {
    let folder = Folder::with("tellers.hasse", TELLERS);
    folder.hasse(&["run", "tellers.hasse", "--trace", "t.trace", "--workers", "1", "--seed", "3"]).ends(0);
    folder
}

#[test]
fn fork_is_the_next_run_of_the_session() {
    let folder = recorded();
    let commands = "goto 1\nfork with /total = 0\ngoto 1\ndump\nfork\n";
    let shown = session(&folder, "t.trace", commands).ends(0).stdout;
    assert!(
        shown.starts_with("moment 1 of 5: after /Open:1\ngoing on from moment 1 of 5: after /Open:1\n"),
        "{shown}"
    );
    assert!(shown.contains("total = 6\n"), "{shown}");
    assert!(shown.contains("moment 1 of 5: after /Open:1\nshared /total = 0\n"), "{shown}");
}

#[test]
fn breakpoints_stop_a_fork() {
    let folder = recorded();
    let commands = "goto 1\nstop in Audit\nfork\nstopped\ndelete 1\ncont\n";
    let shown = session(&folder, "t.trace", commands).ends(0).stdout;
    assert!(shown.contains("/Audit:1") && shown.ends_with("total = 106\n"), "{shown}");
}

#[test]
fn outcomes_of_forks_are_listed() {
    let folder = recorded();
    let shown = session(&folder, "t.trace", "goto 1\nfork 4 times\n").ends(0).stdout;
    assert!(
        shown.ends_with(
            "4 runs from moment 1 of 5: after /Open:1: 1 outcome\n  4 runs finished (seed 1): total = 106\n"
        ),
        "{shown}"
    );
}

#[test]
fn forks_that_cannot_be_are_refused() {
    let folder = recorded();
    let refused = |command: &str| {
        let ran = session(&folder, "t.trace", command);
        assert_eq!(ran.code, Some(2), "{}", ran.shown());
        ran.stderr
    };
    let texts = [
        refused("fork 0 times"),
        refused("fork 3"),
        refused("fork twice"),
        refused("fork with"),
        refused("fork with /total"),
        refused("goto 1; fork with /total = 1, /nobody = 3"),
        refused("goto 3; fork with /total = many"),
        refused("goto Teller[2]:1 befcomp; fork"),
    ];
    insta::assert_snapshot!(texts.join("\n"));
}
