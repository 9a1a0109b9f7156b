use serde_json::json;

use super::support::{Folder, SQUARES, TELLERS};

/// A folder with a recorded run of the tellers in `t`.
fn recorded() -> Folder {
    let folder = Folder::with("tellers.hasse", TELLERS);
    folder.hasse(&["run", "tellers.hasse", "--trace", "t", "--workers", "4", "--seed", "3"]).ends(0);
    folder
}

#[test]
fn a_replay_prints_what_the_run_printed_and_records_the_same() {
    let folder = Folder::with("tellers.hasse", TELLERS);
    let ran = folder.hasse(&["run", "tellers.hasse", "--trace", "t", "--workers", "4"]).ends(0);
    let digest = folder.hasse(&["trace", "digest", "t"]).ends(0).stdout;
    for workers in ["1", "2", "8"] {
        let args = ["replay", "t", "--workers", workers, "--trace", "again", "--seed", workers];
        let replayed = folder.hasse(&args).ends(0);
        assert_eq!(replayed.stdout, ran.stdout);
        assert_eq!(folder.hasse(&["trace", "digest", "again"]).ends(0).stdout, digest);
    }
}

#[test]
fn json_says_that_the_replay_is_complete_and_did_not_diverge() {
    let folder = recorded();
    let found = folder.hasse(&["replay", "t", "--json"]).ends(0).json();
    assert_eq!(found["outcome"], "finished");
    assert_eq!(found["results"], json!({ "total": 106 }));
    assert_eq!((&found["divergence"], &found["complete"]), (&json!(null), &json!(true)));
}

#[test]
fn parameters_come_from_the_trace() {
    let folder = Folder::with("squares.hasse", SQUARES);
    folder.hasse(&["run", "squares.hasse", "--set", "n=6", "--trace", "t"]).ends(0);
    let ran = folder.hasse(&["replay", "t"]).ends(0);
    assert_eq!(ran.stdout, "the squares below 6\ntotal = 55\n");
}

#[test]
fn a_program_file_that_is_gone_is_not_needed() {
    let folder = recorded();
    std::fs::remove_file(folder.path("tellers.hasse")).unwrap();
    folder.hasse(&["replay", "t"]).ends(0);
}

#[test]
fn a_changed_program_is_refused_with_what_differs() {
    let folder = recorded();
    folder.write("tellers.hasse", &TELLERS.replace("done <- total", "done <- total + 1"));
    let ran = folder.hasse(&["replay", "t"]).ends(2);
    insta::assert_snapshot!(ran.shown());
    folder.hasse(&["replay", "t", "--allow-changes"]).ends(0);
}

#[test]
fn comments_and_layout_are_no_changes() {
    let folder = recorded();
    let text = format!("# A bank\n{TELLERS}\n[layout.tellers]\nAudit = [1, 2]\n");
    folder.write("tellers.hasse", &text);
    folder.hasse(&["replay", "t"]).ends(0);
}

#[test]
fn the_program_to_compare_with_can_be_named() {
    let folder = recorded();
    folder.write("other.hasse", SQUARES);
    folder.hasse(&["replay", "t", "--program", "other.hasse"]).ends(2);
    folder.hasse(&["replay", "t", "--program", "nowhere.hasse"]).ends(2);
}

#[test]
fn a_divergence_names_event_expected_and_found() {
    let folder = recorded();
    folder.write("tellers.hasse", &TELLERS.replace("done <- total", "done <- total if i != 1"));
    let ran = folder.hasse(&["replay", "t", "--allow-changes"]).ends(1);
    insta::assert_snapshot!(ran.stderr);
    let found = folder.hasse(&["replay", "t", "--allow-changes", "--json"]).ends(1).json();
    let divergence = &found["divergence"];
    assert_eq!(divergence["event"], "/Teller[1]:1", "{found:#}");
    assert!((19..=28).contains(&divergence["line"].as_u64().unwrap()), "{found:#}");
    assert!(divergence["expected"].is_string() && divergence["found"].is_string());
}

#[test]
fn a_changed_program_that_does_not_compile_is_shown() {
    let folder = recorded();
    folder.write("tellers.hasse", &TELLERS.replace("done <- total", "done <- gone"));
    let ran = folder.hasse(&["replay", "t", "--allow-changes"]).ends(1);
    assert!(ran.stderr.contains("E0502"), "{}", ran.shown());
}

#[test]
fn a_failed_run_fails_again_in_the_same_way() {
    let folder = Folder::with("squares.hasse", &SQUARES.replace("total += s;", "total += s / (s - 4);"));
    let ran = folder.hasse(&["run", "squares.hasse", "--trace", "t"]).ends(1);
    let replayed = folder.hasse(&["replay", "t"]).ends(0);
    assert_eq!(replayed.stderr, ran.stderr);
}

#[test]
fn what_is_no_trace_cannot_be_replayed() {
    let folder = recorded();
    let ran = folder.hasse(&["replay", "tellers.hasse"]).ends(2);
    assert_eq!(
        ran.stderr,
        "error: cannot open tellers.hasse as a trace: not a Hasse trace\n  \
         help: traces are made by `hasse run P --trace F`\n"
    );
    folder.hasse(&["replay", "nowhere"]).ends(2);
}

#[test]
fn the_trace_and_the_program_are_not_overwritten() {
    let folder = recorded();
    let before = std::fs::read(folder.path("t")).unwrap();
    folder.hasse(&["replay", "t", "--trace", "t"]).ends(2);
    folder.hasse(&["replay", "t", "--trace", "tellers.hasse"]).ends(2);
    assert_eq!(std::fs::read(folder.path("t")).unwrap(), before);
    assert_eq!(std::fs::read_to_string(folder.path("tellers.hasse")).unwrap(), TELLERS);
}

#[test]
fn a_trace_that_is_cut_off_replays_what_is_there() {
    let folder = recorded();
    let whole = std::fs::read(folder.path("t")).unwrap();
    for n_bytes in (0..whole.len()).step_by(7) {
        std::fs::write(folder.path("cut"), &whole[..n_bytes]).unwrap();
        let ran = folder.hasse(&["replay", "cut", "--workers", "2"]);
        match ran.code {
            Some(0) => assert!(ran.stderr.contains("note: cut: "), "{}", ran.shown()),
            _ => assert!(ran.stderr.contains("cannot open cut as a trace"), "{}", ran.ends(2).shown()),
        }
    }
}
