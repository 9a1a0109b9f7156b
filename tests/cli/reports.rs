//! Public reports by users of other systems, as programs that do what the reporters wanted or whose runs name the mistake.
//!
//! The programs are in `tests/cases/reports`. Where each report is tested (other numbers are reports without a program):
//!
//! | report | about | test |
//! |---|---|---|
//! | r01 | a fast source fills the memory | `slow_step_holds_a_fast_source_back`; `docs/language/bounds.md` |
//! | r04 | a limiter whose place is lost | `limiter_lets_all_values_pass`, `lost_place_leaves_the_limiter_waiting` |
//! | r05 | queues of a multiplexer are too short | `deadlock_over_a_full_port_names_the_arc`; `control/waiting.rs` |
//! | r06 | nested splits and joins mix their items | `nested_joins_restore_the_table` |
//! | r07 | a join by text keys loses rows | `maps.rs`; `examples/join` |
//! | r08 | a merge waits for a branch that is not taken | `merge_takes_the_branch_that_comes`, `merge_of_both_branches_names_the_one_that_is_missing`; `control/waiting.rs` |
//! | r10 | one bad message stops a service | `failures.rs` |
//! | r11 | frames leave parallel workers in another order | `frames_leave_the_sequencer_in_order` |
//! | r12 | a record is too large for its viewer | `record_of_a_long_run_is_read_in_parts` |
//! | r13 | does a new version fit an old record? | `replay_says_which_versions_fit_a_record`; `replay.rs` |
//! | r14 | a cancelled step goes on | `cancelled_step_stops_at_once_and_begins_no_new_task`; `timers.rs`, `kill/lost.rs` |
//! | r15 | a join that waits for what is late | `late_checks_are_marked`; `timers.rs`; `examples/watchdog` |
//! | r16 | only the latest message matters | `examples/sensor`; `laws/drops.rs`; `docs/language/bounds.md` |
//! | r19 | a large value and many readers | `readers_change_their_own_copies`; `large.rs` |
//! | r20 | a writer starves among readers | `writer_gets_its_turn_among_readers` |
//! | r21 | updates of a global variable are lost | `races.rs`; `examples/lostupdate` |
//! | r22 | places of a semaphore that do not come back | `group_that_gets_its_places_at_once_is_not_stuck`, `tasks_that_hold_single_places_wait_in_a_circle`, `failed_events_are_the_causes_of_what_waits`; `failures.rs` |
//! | r24 | the bitonic sorting network of StreamIt | `sorting_network_sorts_any_keys` |
//! | r25 | rates of an H.263 decoder | `rates.rs`; `examples/h263` |
//! | r26 | a limit for one step of all requests | `writers_of_all_requests_have_one_limit` |
//! | r27 | which of the loops does not end? | `endless_loop_is_named_and_stopped`; `kill.rs` |
//! | r28 | packets come before their setting | `packets_wait_for_the_first_setting` |
//! | r29 | many tasks and many workers | `primes_do_not_depend_on_the_workers`, `many_tasks_are_joined_in_any_order`; `control/waiting.rs` |
//! | r31 | retries wait after new commands | `retries_never_pile_up`; `runs.rs` |
//! | bugs/cycle-through-uncreated | a circle through an action that does not exist | `control/waiting.rs` |
//! | bugs/false-cycle | a circle that is none | `control/waiting.rs` |
//! | bugs/false-self-cycle | a loop that has ended is no circle | `control/waiting.rs` |
//! | bugs/leftover-credits | credits that are left are no work | `control/waiting.rs`; `docs/language/runs.md` |
//! | bugs/no-cycle-semaphore | a circle that was not found | `control/waiting.rs` |
//! | bugs/sent-nothing | values of an event that sent nothing | `verdicts.rs` |

use std::fs;

use serde_json::{Value as Json, json};

use crate::support::{Folder, repository};

/// Numbers of workers, with the mode of the record.
const RUNS: [(&str, &str); 4] = [("1", "full"), ("2", "minimal"), ("8", "full"), ("8", "minimal")];

/// The text of a program in `tests/cases`.
fn text(name: &str) -> String {
    fs::read_to_string(repository().join("tests/cases").join(format!("{name}.hasse"))).unwrap()
}

/// Outputs of runs that finish. Replays of their records print the same.
fn outputs(name: &str, args: &[&str]) -> Vec<String> {
    let folder = Folder::with("p.hasse", &text(name));
    let output = |(workers, mode): (&str, &str)| {
        let run = ["run", "p.hasse", "--workers", workers, "--record", mode, "--trace", "t"];
        let ran = folder.hasse(&[&run[..], args].concat()).ends(0);
        let replayed = folder.hasse(&["replay", "t"]).ends(0);
        assert_eq!(replayed.stdout, ran.stdout, "{name} {args:?}: {workers} workers, {mode}");
        ran.stdout
    };
    RUNS.into_iter().map(output).collect()
}

/// Checks the output of all runs.
fn prints(name: &str, args: &[&str], expected: &str) {
    for output in outputs(name, args) {
        assert_eq!(output, expected, "{name} {args:?}");
    }
}

/// Reports of runs that end with the exit code. Replays of their records end with the same results.
fn reports(name: &str, args: &[&str], code: i32) -> Vec<Json> {
    let folder = Folder::with("p.hasse", &text(name));
    let report = |(workers, mode): (&str, &str)| {
        let run = ["run", "p.hasse", "--json", "--workers", workers, "--record", mode, "--trace", "t"];
        let ran = folder.hasse(&[&run[..], args].concat()).ends(code).json();
        let replayed = folder.hasse(&["replay", "t", "--json"]).ends(0).json();
        for field in ["outcome", "results", "wait_cycle"] {
            assert_eq!(replayed[field], ran[field], "{name} {args:?}: {workers} workers, {mode}, {field}");
        }
        ran
    };
    RUNS.into_iter().map(report).collect()
}

/// Checks the results of all runs, which finish.
fn results(name: &str, args: &[&str], expected: &Json) {
    for report in reports(name, args, 0) {
        assert_eq!(&report["results"], expected, "{name} {args:?}");
    }
}

/// How many frames are on their way when one is saved depends on the workers, but not how many there may be.
#[test]
fn slow_step_holds_a_fast_source_back() {
    for report in reports("reports/backpressure", &["--virtual-time"], 0) {
        let found = &report["results"];
        assert_eq!(found["frames"], 50, "{found}");
        // One in work, two on each port, and one with each of the two senders.
        assert!(found["most on their way"].as_u64().unwrap() <= 7, "{found}");
    }
    let wide = ["--virtual-time", "--set", "places=1000"];
    results("reports/backpressure", &wide, &json!({ "frames": 50, "most on their way": 49 }));
}

#[test]
fn limiter_lets_all_values_pass() {
    results("reports/limiter", &[], &json!({ "processed": 2000 }));
}

#[test]
fn lost_place_leaves_the_limiter_waiting() {
    for report in reports("reports/limiter", &["--set", "lose=7"], 1) {
        assert_eq!(
            (&report["outcome"], &report["results"]),
            (&json!("quiescent"), &json!({ "processed": 7 }))
        );
        let waiting = report["quiescence"].as_array().unwrap();
        assert_eq!(waiting.len(), 1, "{report}");
        let limiter = &waiting[0];
        assert_eq!((&limiter["action"], &limiter["queued"]), (&json!("/Limiter"), &json!({ "value": 1993 })));
        assert_eq!(limiter["rules"][0]["missing"], json!(["place"]), "{report}");
    }
    let folder = Folder::with("p.hasse", &text("reports/limiter"));
    folder.hasse(&["run", "p.hasse", "--set", "lose=7", "--trace", "t"]).ends(1);
    let events = folder.hasse(&["trace", "events", "t", "--action", "/Process"]).ends(0).stdout;
    let last = events.lines().last().unwrap();
    assert!(last.starts_with("/Process:7 ") && !last.contains("routes"), "it sent no place: {last}");
}

#[test]
fn deadlock_over_a_full_port_names_the_arc() {
    for report in reports("waiting/mux", &[], 1) {
        assert_eq!(report["wait_cycle"], json!(["/Demux", "/Mux"]), "{report}");
        let full = json!({
            "kind": "full", "action": "/Demux", "port": "/Mux.video", "bound": 2, "arc": "Demux.video -> Mux.video",
        });
        assert_eq!(report["wait_causes"], json!([full]), "{report}");
    }
    prints("waiting/mux", &["--set", "places=4"], "buffers = 12\n");
}

#[test]
fn nested_joins_restore_the_table() {
    results("reports/nested-joins", &[], &json!({ "table": [[1, 1, 1], [2, 2], [3, 3, 3]] }));
    let other = ["--set", "table=[[9], [8, 7, 6, 5]]"];
    results("reports/nested-joins", &other, &json!({ "table": [[9], [8, 7, 6, 5]] }));
}

#[test]
fn merge_takes_the_branch_that_comes() {
    prints("reports/either-branch", &[], "published = customer 7.png\n");
    prints("reports/either-branch", &["--set", "mascot=false"], "published = customer 7\n");
}

#[test]
fn merge_of_both_branches_names_the_one_that_is_missing() {
    for report in reports("waiting/ifmerge", &[], 1) {
        let route = json!({ "action": "/Route", "arc": "Route.no -> Merge.no", "executed": 1 });
        let cause = json!({ "kind": "no_sender", "action": "/Merge", "port": "no", "senders": [route] });
        assert_eq!((&report["outcome"], &report["wait_causes"]), (&json!("quiescent"), &json!([cause])));
    }
}

#[test]
fn frames_leave_the_sequencer_in_order() {
    let frames: Vec<i64> = (0..200).collect();
    results("reports/frames-in-order", &[], &json!({ "frames": frames }));
}

#[test]
fn record_of_a_long_run_is_read_in_parts() {
    for report in reports("reports/ring", &[], 0) {
        // Each of 16 tokens passes 1001 stations.
        assert_eq!((&report["events"], &report["results"]), (&json!(16_033), &json!({ "tokens": 16 })));
    }
    let folder = Folder::with("p.hasse", &text("reports/ring"));
    folder.hasse(&["run", "p.hasse", "--trace", "t"]).ends(0);
    let lines = |args: &[&str]| {
        let shown = folder.hasse(&[&["trace", "events", "t"][..], args].concat()).ends(0).stdout;
        shown.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let sink = lines(&["--action", "/Sink"]);
    assert!(sink.len() == 16 && sink.iter().all(|line| line.starts_with("/Sink:")), "{sink:?}");
    let first = lines(&["--limit", "3"]);
    assert!(first.len() == 3 && first[0].starts_with("/Open:1 "), "{first:?}");
}

/// The text of a mail may change. A step that is put in, or one that asks the world no more, does not fit the record.
#[test]
fn replay_says_which_versions_fit_a_record() {
    let old = text("reports/versions");
    let folder = Folder::with("p.hasse", &old);
    folder.write("mail.hasse", &old.replace("is on its way", "was shipped"));
    folder.write("time.hasse", &old.replace("time()", "0"));
    let check = "[graph.order.uc.Check]\nin = { order = \"int\" }\nout = { order = \"int\" }\n\
                 fire = [\"order -> o\"]\nroute = [\"order <- o\"]\n";
    let arcs = "\"Start.order -> Check.order\", \"Check.order -> Charge.order\"";
    folder.write("check.hasse", &(old.replace("\"Start.order -> Charge.order\"", arcs) + check));
    for (workers, mode) in RUNS {
        let run = ["run", "p.hasse", "--workers", workers, "--record", mode, "--trace", "t"];
        let ran = folder.hasse(&run).ends(0).stdout;
        assert_eq!(folder.hasse(&["replay", "t"]).ends(0).stdout, ran);
        let divergence = |program: &str, code: i32| {
            let replay = ["replay", "t", "--program", program, "--allow-changes", "--json"];
            folder.hasse(&replay).ends(code).json()["divergence"].clone()
        };
        assert_eq!(divergence("mail.hasse", 0), Json::Null, "{mode}");
        assert_eq!(divergence("time.hasse", 1)["event"], "/Charge:1", "{mode}");
        // A minimal record has no events that a replay could compare, but their number.
        let event = if mode == "full" { "/Charge:1" } else { "/" };
        assert_eq!(divergence("check.hasse", 1)["event"], event, "{mode}");
    }
}

#[test]
fn cancelled_step_stops_at_once_and_begins_no_new_task() {
    let expected =
        "task 1 is done after 10.0 s\ntask 2 is done after 20.0 s\ntask 3 is stopped after 25.0 s\n";
    prints("reports/cancelled-queue", &["--virtual-time"], expected);
}

#[test]
fn late_checks_are_marked() {
    let name = "reports/checks-in-time";
    prints(name, &["--virtual-time"], "[\"ok\", \"ok\", \"late\"] after 0.2 s\n");
    let patient = ["--virtual-time", "--set", "limit=2000"];
    prints(name, &patient, "[\"ok\", \"ok\", \"ok\"] after 1.0 s\n");
}

#[test]
fn readers_change_their_own_copies() {
    let changed: Vec<f64> = (0..8).map(|i| 10_000.0 + f64::from(i)).collect();
    results("reports/own-copies", &[], &json!({ "changed": changed, "kept": vec![10_000.0; 8] }));
}

/// The readers end only because the writer gets its turn.
#[test]
fn writer_gets_its_turn_among_readers() {
    results("reports/writer-among-readers", &[], &json!({ "seen": vec![20; 8] }));
}

#[test]
fn group_that_gets_its_places_at_once_is_not_stuck() {
    for report in reports("reports/places-for-a-group", &[], 0) {
        assert_eq!((&report["results"], &report["events"]), (&json!({ "groups": 5 }), &json!(91)));
    }
}

#[test]
fn tasks_that_hold_single_places_wait_in_a_circle() {
    for report in reports("waiting/semaphore", &[], 1) {
        // Where one group gets all places, all groups come to their end.
        if report["results"]["done"].is_null() {
            let cycle = report["wait_cycle"].as_array().unwrap();
            let nodes = cycle.iter().map(|path| path.as_str().unwrap().split(['/', '[']).nth(1).unwrap());
            assert_eq!(nodes.collect::<Vec<_>>(), ["Semaphore", "Post", "Common", "Pre"], "{report}");
        }
    }
}

/// Two instances fail, and the places that they held never come back.
#[test]
fn failed_events_are_the_causes_of_what_waits() {
    for report in reports("waiting/failing", &[], 1) {
        assert_eq!((&report["outcome"], &report["wait_cycle"]), (&json!("failed"), &json!([])));
        let failed: Vec<&Json> =
            report["errors"].as_array().unwrap().iter().map(|error| &error["event"]).collect();
        let causes = report["wait_causes"].as_array().unwrap();
        assert_eq!((failed.len(), causes.len()), (2, 2), "{report}");
        for cause in causes {
            assert!(failed.contains(&&cause["event"]), "{report}");
            assert_eq!((&cause["kind"], &cause["others"]), (&json!("failed"), &json!(1)));
            assert_eq!((&cause["action"], &cause["port"]), (&json!("/Semaphore"), &json!("place")));
        }
    }
}

#[test]
fn sorting_network_sorts_any_keys() {
    let name = "reports/bitonic";
    results(name, &[], &json!({ "sorted": [1, 2, 3, 4, 5, 6, 7, 8] }));
    let equal = ["--set", "keys=[1, 1, -4, 9, 0, 1, 9, -4]"];
    results(name, &equal, &json!({ "sorted": [-4, -4, 0, 1, 1, 1, 9, 9] }));
    let few = ["n=4", "keys=[4, 3, 2, 1]", "block=[2, 4, 4]", "distance=[1, 2, 1]"];
    let few: Vec<&str> = few.into_iter().flat_map(|param| ["--set", param]).collect();
    results(name, &few, &json!({ "sorted": [1, 2, 3, 4] }));
}

#[test]
fn writers_of_all_requests_have_one_limit() {
    prints("reports/writers-at-once", &["--virtual-time"], "190 after 10.0 s\n");
    prints("reports/writers-at-once", &["--virtual-time", "--set", "writers=5"], "190 after 4.0 s\n");
}

#[test]
fn endless_loop_is_named_and_stopped() {
    let expected = "loop 0 ends at 100\nloop 1 ends at 100\nloop 2 ends at 100\n\
                    loop 3 goes on after a minute\nloop 4 ends at 100\n";
    prints("reports/endless-loop", &["--virtual-time"], expected);
}

#[test]
fn packets_wait_for_the_first_setting() {
    results("reports/setting", &["--virtual-time"], &json!({ "scaled": [10, 20, 30, 40, 500] }));
}

#[test]
fn primes_do_not_depend_on_the_workers() {
    prints("reports/primes", &[], "primes = 2262\n");
}

#[test]
fn many_tasks_are_joined_in_any_order() {
    results("reports/joined", &[], &json!({ "joined": 3001, "wrong": 0 }));
}

#[test]
fn retries_never_pile_up() {
    for report in reports("reports/retries-first", &[], 0) {
        let found = &report["results"];
        assert_eq!(found["done"], 300, "{found}");
        assert!(found["most that wait"].as_u64().unwrap() <= 2, "{found}");
    }
}
