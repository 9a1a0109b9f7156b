//! What the tools show of the seeded errors, and checks that hold of the right programs.

use std::path::PathBuf;

use crate::support::{Folder, Ran, repository};

fn home(example: &str) -> PathBuf {
    repository().join("examples").join(example)
}

/// The place of the first line of a program that holds `text`, as reports show it.
fn place(example: &str, program: &str, text: &str) -> String {
    let lines = std::fs::read_to_string(home(example).join(program)).unwrap();
    let line_idx = lines.lines().position(|line| line.contains(text)).expect("the line is in the program");
    format!("({program}:{})", line_idx + 1)
}

/// Runs `hasse` in the folder of an example, so that reports name files as a person there would.
fn hasse(example: &str, folder: &Folder, args: &[&str]) -> Ran {
    Ran::of(folder.command(args).current_dir(home(example)).output().unwrap())
}

/// The quiescence report of a run; before it stand the compiler's warnings, if there are any.
fn quiescence(ran: Ran) -> String {
    let ran = ran.ends(1);
    let at = ran.stderr.find("nothing can fire").unwrap_or_else(|| panic!("no report: {}", ran.shown()));
    ran.stderr[at..].to_owned()
}

/// A trace of a program of an example.
fn traced(example: &str, program: &str, n_workers: &str) -> (Folder, String, Ran) {
    let folder = Folder::new();
    let trace = folder.path("t").display().to_string();
    let ran = hasse(example, &folder, &["run", program, "--trace", &trace, "--workers", n_workers]);
    (folder, trace, ran)
}

#[test]
fn the_checks_shipped_hold_of_the_right_programs() {
    for (example, checks) in [
        ("buffer", "order.preds"),
        ("philosophers", "turns.preds"),
        ("redblack", "order.preds"),
        ("wavefront", "order.preds"),
    ] {
        for n_workers in ["1", "2", "8"] {
            let (folder, trace, ran) = traced(example, &format!("{example}.hasse"), n_workers);
            ran.ends(0);
            hasse(example, &folder, &["verify", &trace, "--file", checks]).ends(0);
        }
    }
}

#[test]
fn the_model_of_the_solver_holds_for_any_number_of_blocks() {
    for (n, n_workers) in [("1", "2"), ("4", "1"), ("4", "2"), ("4", "8"), ("16", "2")] {
        let folder = Folder::new();
        let trace = folder.path("t").display().to_string();
        let set = format!("n={n}");
        let args = ["run", "bts.hasse", "--trace", &trace, "--workers", n_workers, "--set", &set];
        hasse("bts", &folder, &args).ends(0);
        hasse("bts", &folder, &["verify", &trace, "--model", "solve.model"]).ends(0);
    }
}

#[test]
fn the_model_of_the_solver_leads_to_the_rule_that_lacks_its_guard() {
    for n_workers in ["1", "2", "8"] {
        let (folder, trace, _) = traced("bts", "bts-bug.hasse", n_workers);
        let verified = hasse("bts", &folder, &["verify", &trace, "--model", "solve.model"]).ends(1);
        let rule = format!("`done <- acc` {}", place("bts", "bts-bug.hasse", "\"done <- acc\""));
        for line in ["but not by `Mult[i] -> Solve if i == count` (line 9 of the model)", &rule] {
            assert!(verified.stdout.contains(line), "{line}\n{}", verified.shown());
        }
    }
}

#[test]
fn forks_in_a_circle_are_reported_as_a_circle() {
    for n_workers in ["1", "2", "8"] {
        let (_, _, ran) = traced("philosophers", "philosophers-bug.hasse", n_workers);
        insta::assert_snapshot!("forks_in_a_circle", quiescence(ran));
    }
}

#[test]
fn lost_places_leave_store_and_take_waiting_for_each_other() {
    for n_workers in ["1", "2", "8"] {
        let (_, _, ran) = traced("buffer", "buffer-bug.hasse", n_workers);
        let ran = ran.ends(1);
        let waits = |rule: &str, port: &str| {
            let place = place("buffer", "buffer-bug.hasse", rule);
            format!("    rule 0 `{rule}` {place} waits for a value on {port}\n")
        };
        for line in [
            &waits("item -> item, free -> place", "free"),
            &waits("ask -> c, used -> place", "used"),
            "they wait for each other: /Store -> /Take -> /Store\n",
        ] {
            assert!(ran.stderr.contains(line), "{line}{}", ran.shown());
        }
    }
}

/// Whether an update is lost is a free choice; that it is never in many runs would be a miracle.
#[test]
fn looks_that_are_concurrent_are_found_where_updates_are_lost() {
    for n_workers in ["1", "2", "8"] {
        let lost = (0..50).map(|_| traced("lostupdate", "lostupdate-bug.hasse", n_workers));
        let is_lost = |ran: &Ran| !ran.stdout.contains("\nlost = 0\n");
        let (folder, trace, _) = lost.into_iter().find(|(_, _, ran)| is_lost(ran)).expect("a lost update");
        let found = (0..4).flat_map(|t| (0..t).map(move |other| (t, other))).any(|(t, other)| {
            let check = format!("check parall {{Look[{other}], Look[{t}]}}");
            hasse("lostupdate", &folder, &["verify", &trace, &check]).code == Some(0)
        });
        assert!(found, "an update is lost, and no two looks are concurrent");
    }
}

#[test]
fn tellers_who_look_and_write_at_once_are_never_concurrent() {
    let (folder, trace, ran) = traced("lostupdate", "lostupdate.hasse", "8");
    ran.ends(0);
    hasse("lostupdate", &folder, &["verify", &trace, "check parall {Teller[0], Teller[1]}"]).ends(1);
}

#[test]
fn verify_names_the_strip_that_black_does_not_wait_for() {
    for n_workers in ["1", "8"] {
        let (folder, trace, ran) = traced("redblack", "redblack-bug.hasse", n_workers);
        ran.ends(0);
        let verified = hasse("redblack", &folder, &["verify", &trace, "--file", "order.preds"]).ends(1);
        insta::assert_snapshot!("black_does_not_wait", verified.stdout);
    }
}

#[test]
fn a_receiver_that_does_not_know_the_number_of_tasks_leaves_its_successor_waiting() {
    for n_workers in ["1", "8"] {
        let (folder, trace, ran) = traced("farm", "farm-bug.hasse", n_workers);
        let ran = ran.ends(1);
        let place = place("farm", "farm-bug.hasse", "\"picture -> results\"");
        let waits = format!("rule 0 `picture -> results` {place} waits for a value on picture");
        assert!(ran.stderr.contains(&waits), "{}", ran.shown());
        let events =
            hasse("farm", &folder, &["trace", "events", &trace, "--template", "Receiver"]).ends(0).stdout;
        assert_eq!(events.lines().count(), 23, "{events}");
        assert!(!events.contains("route"), "{events}");
    }
}

#[test]
fn joins_that_wait_for_parts_never_made_are_named_by_their_paths() {
    for n_workers in ["1", "8"] {
        let folder = Folder::new();
        let sets = ["--set", "total_tasks=1", "--set", "depth=2", "--workers", n_workers];
        let ran = hasse("dandc", &folder, &[&["run", "dandc-bug.hasse"][..], &sets].concat());
        insta::assert_snapshot!("parts_never_made", quiescence(ran));
    }
}

#[test]
fn values_on_the_wrong_side_of_a_block_are_shown_beside_the_side_that_waits() {
    for n_workers in ["1", "8"] {
        let folder = Folder::new();
        let ran =
            hasse("jacobi", &folder, &["run", "jacobi-bug.hasse", "--set", "n=2", "--workers", n_workers]);
        insta::assert_snapshot!("halo_on_the_wrong_side", quiescence(ran));
    }
}
