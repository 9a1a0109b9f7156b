//! Breakpoints, findings and checks that do not count for a while.

use super::super::support::{Folder, Ran, TELLERS};
use super::session;

const SET: &str =
    "stop in Teller[1]\ncheck pred Audit {Audit}\nstop on check 2\nwhen on race {log \"race\"}\n";

fn tellers(commands: &str) -> (Folder, Ran) {
    let folder = Folder::with("tellers.hasse", TELLERS);
    let ran = session(&folder, "tellers.hasse", commands);
    (folder, ran)
}

#[test]
fn disabled_breakpoint_stops_nothing_until_it_is_enabled() {
    let (_folder, ran) = tellers("stop in Teller[1]\ndisable 1\nrun\nenable 1\nrun\n");
    let ran = ran.ends(1);
    let (first, second) = ran.stdout.split_once("total = 106").unwrap();
    assert!(!first.contains("stopped"), "{}", ran.shown());
    assert!(second.contains("stopped: /Teller[1]:1 at befcomp: breakpoint 1"), "{}", ran.shown());
    // In a run under way it counts from the next stop point on, or no longer.
    let (_folder, ran) =
        tellers("stop in Teller[1]\nstop in Audit\ndisable 2\nrun\nenable 2\ncont\nstatus\nkill\n");
    let ran = ran.ends(1);
    assert!(ran.stdout.contains("stopped: /Audit:1 at befcomp: breakpoint 2"), "{}", ran.shown());
    let (_folder, ran) = tellers("stop in Teller[1]\nstop in Audit\nrun\ndisable 2\ncont\n");
    assert!(!ran.ends(0).stdout.contains("stopped: /Audit"));
}

#[test]
fn disabled_check_has_no_verdict() {
    let (_folder, ran) = tellers("check pred Audit {Audit}\ncheck pred Audit {Teller}\ndisable 1\nrun\n");
    let ran = ran.ends(0);
    assert!(ran.stdout.contains("holds: check pred Audit {Teller}"), "{}", ran.shown());
    assert!(!ran.stdout.contains("check pred Audit {Audit}\n  "), "{}", ran.shown());
    // Disabled while the run is under way it says what it has found.
    let (_folder, ran) =
        tellers("check exists a: Audit : a.count == 1\nstop in Audit\nrun\ndisable 1\nverdicts\ncont\n");
    let ran = ran.ends(0);
    assert_eq!(ran.stdout.matches("exists a: Audit").count(), 2, "{}", ran.shown());
}

#[test]
fn what_is_disabled_is_saved() {
    let (folder, ran) =
        tellers(&format!("{SET}disable\ndisable check 2\nstatus\nsave session kept\nenable 3\nstatus\n"));
    let before = ran.ends(0).stdout;
    insta::assert_snapshot!(before);
    folder.write("commands", "status\nrun\nenable 1\nrun\n");
    let args = ["debug", "--session", "kept", "--commands", "commands", "--workers", "1"];
    let ran = folder.hasse(&args).ends(1);
    for line in [
        "check 2: check pred Audit {Audit} (disabled)\n",
        "breakpoint 1: stop in Teller[1] (disabled)\n",
        "stop 3: stop on check 2 (disabled)\n",
        "when 4: when on race { log \"race\" } (disabled)\n",
    ] {
        assert!(ran.stdout.contains(line), "{line}{}", ran.shown());
    }
    assert_eq!(ran.stdout.matches("stopped: ").count(), 1, "{}", ran.shown());
}

/// An edit keeps what is disabled, as it keeps the rest.
#[test]
fn what_is_disabled_outlives_an_edit() {
    let folder = Folder::with("tellers.hasse", TELLERS);
    let input = "stop in Teller[1]\ndisable 1\nrun\nsave session kept\n";
    folder.hasse_with_input(&["debug", "tellers.hasse", "--workers", "1"], input).ends(0);
    folder.write("tellers.hasse", &TELLERS.replace("init = \"100\"", "init = \"200\""));
    folder.write("commands", "status\nrun\n");
    let ran = folder.hasse(&["debug", "--session", "kept", "--commands", "commands"]).ends(0);
    assert!(ran.stdout.contains("breakpoint 1: stop in Teller[1] (disabled)\n"), "{}", ran.shown());
    assert!(ran.stdout.contains("total = 206"), "{}", ran.shown());
}

#[test]
fn what_cannot_be_enabled_or_done_at_a_finding_is_told() {
    let mut shown = String::new();
    for line in [
        "enable 1",
        "disable check 1",
        "disable it",
        "enable breakpoint 1 x",
        "when on check 1 {stop}",
        "when on check one {stop}",
        "when on race",
        "when on race {",
        "when on race {}",
        "when on race {print total}",
        "when on race {log}",
        "when on race {log \"{total}\"}",
        "when on race {stop now}",
        "when on race {stop} again",
    ] {
        let (_folder, ran) = tellers(&format!("{line}\n"));
        shown += &format!("{line}\n{}\n", ran.ends(2).stderr);
    }
    insta::assert_snapshot!(shown);
}
