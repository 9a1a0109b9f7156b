/// Runs that nobody waits for.
#[cfg(unix)]
mod background;
/// Stopping, continuing and asking.
mod control;
/// The program after an edit.
mod edits;
/// Breakpoints and checks that do not count for a while.
mod enabled;
/// Runs that go on from a moment.
mod forks;
/// Events that a session has.
mod held;
/// Forwards and backwards in a record.
mod moments;
/// Log points among the output.
mod order;
/// Files that are written.
mod outputs;
/// Questions over time.
mod over_time;
/// Values that wait.
mod queues;
/// Conversations that go on.
mod resuming;
/// Runs that stop at findings.
mod stop_on;
/// At a terminal.
#[cfg(unix)]
mod terminal;
/// Through bodies.
mod walks;

use super::support::{Folder, TELLERS};

/// A session that reads commands from a file.
fn session(folder: &Folder, subject: &str, commands: &str) -> super::support::Ran {
    folder.write("commands", commands);
    folder.hasse(&["debug", subject, "--commands", "commands", "--workers", "1", "--seed", "3"])
}

#[test]
fn selected_actions_are_recorded_checked_and_shown() {
    let folder = Folder::with("tellers.hasse", TELLERS);
    let ran = session(
        &folder,
        "tellers.hasse",
        "# the tellers alone, and the auditor\n\
         mode record restrict\n\
         rcopt Teller[0..2] full\n\
         rcopt Audit full\n\
         check pred Audit {Teller[0], Teller[1]}\n\
         check pred Audit {Open}\n\
         output disp record\n\
         run\n\
         graphs\n\
         status\n",
    );
    insta::assert_snapshot!(ran.ends(0).shown());
}

#[test]
fn what_was_saved_is_looked_at_restricted_and_filed() {
    let folder = Folder::with("tellers.hasse", TELLERS);
    let ran = session(
        &folder,
        "tellers.hasse",
        "run\nmode postmortem\ndisp Audit Open\noutput file part disp\ncheckset Teller\ncheck parall {Teller, Teller}\n\
         races\nrun\nstatus\n",
    );
    insta::assert_snapshot!(ran.ends(1).shown());
    insta::assert_snapshot!(folder.hasse(&["trace", "events", "part"]).ends(0).stdout);
}

#[test]
fn a_run_of_the_session_is_replayed() {
    let folder = Folder::with("tellers.hasse", TELLERS);
    let commands = "output file t\nrun\nmode replay\noutput file again\nrun\n";
    session(&folder, "tellers.hasse", commands).ends(0);
    let expected = folder.hasse(&["trace", "digest", "t"]).ends(0).stdout;
    assert_eq!(folder.hasse(&["trace", "digest", "again"]).ends(0).stdout, expected);
    session(&folder, "t", "mode replay\noutput file third\nrun\n").ends(0);
    assert_eq!(folder.hasse(&["trace", "digest", "third"]).ends(0).stdout, expected);
}

#[test]
fn a_trace_is_looked_at() {
    let folder = Folder::with("tellers.hasse", TELLERS);
    folder.hasse(&["run", "tellers.hasse", "--trace", "t", "--workers", "1", "--seed", "3"]).ends(0);
    let ran = session(&folder, "t", "mode\ncheck pred Teller {Audit}\nrun\n");
    insta::assert_snapshot!(ran.ends(1).shown());
}

#[test]
fn checks_come_and_go_while_a_run_is_under_way() {
    let folder = Folder::with(
        "long.hasse",
        "hasse = 1\nmain  = \"long\"\n\n[graph.long]\narcs = [\"Tick.next -> Tick.again\", \"Start.go -> Tick.again\"]\n\n\
         [graph.long.uc.Start]\nout   = { go = \"int\" }\nstart = true\nroute = [\"go <- 1\"]\n\n\
         [graph.long.uc.Tick]\nin    = { again = \"int\" }\nout   = { next = \"int\" }\nfire  = [\"again -> n\"]\nroute = [\"next <- n + 1\"]\n",
    );
    let ran = session(
        &folder,
        "long.hasse",
        "output save off\ncheck pred Tick {Start}\nrun &\ncheck pred Tick {Tick[1]}\n",
    );
    assert!(ran.ends(2).stderr.contains("column 18: `Tick` has 0 index numbers, not 1"));
    let ran = session(
        &folder,
        "long.hasse",
        "output save off\ncheck pred Tick {Start}\nrun &\ncheck parall {Start, Tick}\nverdicts\ndelete 1\nstop\nwait\n",
    );
    let shown = ran.ends(1).stdout;
    assert!(shown.contains("check 2: check parall {Start, Tick}"), "{shown}");
    assert!(shown.contains("holds: check pred Tick {Start}"), "{shown}");
    assert!(shown.contains("does not hold: check parall {Start, Tick}"), "{shown}");
}

#[test]
fn commands_that_cannot_be_carried_out_say_why() {
    let folder = Folder::with("tellers.hasse", TELLERS);
    let mut shown = String::new();
    for commands in [
        "mode sideways\n",
        "\nrcopt Tellers full\n",
        "rcopt Teller[ full\n",
        "disp Nobody\n",
        "check pred Auditor {Open}\n",
        "check pred Audit\n",
        "delete 3\n",
        "mode replay\nrun\n",
        "mode record off\nraces on\nrun\n",
        "mode record restrict\nrcopt Audit full\nraces\nrun\n",
        "mode record restrict\nrcopt Audit full\nrun\nmode replay\nrun\n",
        "disp Audit\noutput save disp\nrun\nmode postmortem\nraces\nrun\n",
        "source nowhere\n",
        "source commands\n",
        "output file tellers.hasse\nrun\n",
    ] {
        shown += &session(&folder, "tellers.hasse", commands).ends(2).stderr;
    }
    insta::assert_snapshot!(shown);
    folder.hasse(&["debug", "nowhere"]).ends(2);
    folder.hasse(&["debug", "tellers.hasse", "--commands", "nowhere"]).ends(2);
}

#[test]
fn checks_of_sequences_are_not_cut() {
    let folder = Folder::new();
    folder.hasse(&["new", "bts", "--from", "bts"]).ends(0);
    folder.write("checks", include_str!("../cases/facilities/session-check-paths.commands"));
    folder.write(
        "commands",
        "source checks\nstatus\nrun\nsave session kept.session\nalias both \"check linked Dist ; Gath\"\nboth\n",
    );
    let ran = folder.hasse(&["debug", "bts/bts.hasse", "--commands", "commands", "--workers", "1"]);
    assert!(ran.code != Some(2), "{}", ran.shown());
    for told in [
        "check 1: check chain Solve ; (Mult+ ; Solve)*",
        "check 2: check linked Dist ; (Mult)3 ; Gath",
        "check 3: check linked Dist ; Gath",
    ] {
        assert!(ran.stdout.contains(told), "{}", ran.shown());
    }
    folder.write("commands", "status\n");
    let again = folder.hasse(&["debug", "--session", "kept.session", "--commands", "commands"]).ends(0);
    assert!(again.stdout.contains("check 2: check linked Dist ; (Mult)3 ; Gath"), "{}", again.shown());
}

#[test]
fn a_conversation_goes_on_after_an_error() {
    let folder = Folder::with("tellers.hasse", TELLERS);
    let ran =
        folder.hasse_with_input(&["debug", "tellers.hasse", "--workers", "1"], "moed\nmode\nquit\nmode\n");
    insta::assert_snapshot!(ran.ends(1).shown());
}

/// Section 1.2.2: however the run goes, the report ends at Mult's routing rule; and the right program is as expected.
#[test]
fn the_walk_through_ends_at_the_routing_rule_of_mult() {
    let folder = Folder::new();
    folder.hasse(&["new", "bts", "--from", "bts"]).ends(0);
    let walk = |program: &str, workers: &str| {
        folder.hasse(&["debug", program, "--commands", "bts/walkthrough.commands", "--workers", workers])
    };
    for workers in ["1", "2", "8"] {
        let shown = walk("bts/bts-bug.hasse", workers).ends(1).stdout;
        let lines: Vec<&str> = shown.lines().rev().take(2).collect();
        assert_eq!(lines[1].trim(), "sent by routing rule 0 of Mult `done <- acc` (bts/bts-bug.hasse:131)");
        assert_eq!(lines[0].trim(), "along arc `Mult[i].done -> Solve.b` (bts/bts-bug.hasse:24)");
        assert!(shown.contains("does not hold: model solve of bts/solve.model"), "{shown}");
        assert!(!shown.contains("/Row["), "only what is suspect is recorded: {shown}");
        walk("bts/bts.hasse", workers).ends(0);
    }
}
