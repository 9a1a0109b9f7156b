use serde_json::json;

use super::support::{Folder, SQUARES, TELLERS};

#[test]
fn output_comes_first_and_results_follow() {
    let ran = Folder::with("squares.hasse", SQUARES).hasse(&["run", "squares.hasse"]).ends(0);
    assert_eq!(ran.stdout, "the squares below 4\ntotal = 14\n");
    assert_eq!(ran.stderr, "");
}

#[test]
fn json_is_one_object_and_output_goes_to_standard_error() {
    let folder = Folder::with("squares.hasse", SQUARES);
    let ran = folder
        .hasse(&["run", "squares.hasse", "--json", "--set", "n=5", "--trace", "t.trace", "--workers", "2"])
        .ends(0);
    let expected = json!({
        "outcome": "finished",
        "results": { "total": 30 },
        "events": 11,
        "actions": 7,
        "trace": "t.trace",
        "quiescence": [],
        "wait_cycle": [],
        "errors": [],
    });
    assert_eq!(ran.json(), expected);
    assert_eq!(ran.stdout.lines().count(), 1);
    assert_eq!(ran.stderr, "the squares below 5\n");
}

#[test]
fn recording_is_asked_for_by_record_or_trace() {
    let folder = Folder::with("squares.hasse", SQUARES);
    folder.hasse(&["run", "squares.hasse"]).ends(0);
    folder.hasse(&["run", "squares.hasse", "--record", "none"]).ends(0);
    folder.hasse(&["run", "squares.hasse", "--record", "off"]).ends(0);
    assert!(!folder.path("squares.trace").exists());
    folder.hasse(&["run", "squares.hasse", "--record", "full"]).ends(0);
    assert!(folder.path("squares.trace").exists());
    for mode in ["off", "none"] {
        let ran = folder.hasse(&["run", "squares.hasse", "--record", mode, "--trace", "t"]).ends(2);
        assert!(ran.stderr.starts_with("error: --trace asks for a record"), "{}", ran.shown());
        assert!(!folder.path("t").exists());
    }
}

#[test]
fn parameters_are_checked() {
    let folder = Folder::with("squares.hasse", SQUARES);
    let mut shown = String::new();
    for settings in [&["m=1"][..], &["n=two"], &["n=1", "n=2"]] {
        let mut args = vec!["run", "squares.hasse"];
        settings.iter().for_each(|setting| args.extend(["--set", setting]));
        shown += &folder.hasse(&args).ends(2).stderr;
    }
    folder.write("needs.hasse", &SQUARES.replace("int = 4", "int"));
    shown += &folder.hasse(&["run", "needs.hasse", "--trace", "t"]).ends(2).stderr;
    assert!(!folder.path("t").exists());
    insta::assert_snapshot!(shown);
}

#[test]
fn a_program_with_errors_does_not_run() {
    let folder = Folder::with("squares.hasse", &SQUARES.replace("x * x", "x * y"));
    let ran = folder.hasse(&["run", "squares.hasse", "--trace", "t"]).ends(1);
    assert!(ran.stderr.contains("E0502"), "{}", ran.shown());
    assert!(!folder.path("t").exists());
    let ran = folder.hasse(&["run", "squares.hasse", "--json"]).ends(1).json();
    assert_eq!((&ran["outcome"], &ran["errors"][0]["code"]), (&json!("failed"), &json!("E0502")));
}

#[test]
fn a_failing_event_is_reported_with_place_and_values() {
    let folder = Folder::with("squares.hasse", &SQUARES.replace("total += s;", "total += s / (s - s);"));
    let args = ["run", "squares.hasse", "--workers", "1", "--seed", "1", "--set", "n=1"];
    let ran = folder.hasse(&args).ends(1);
    insta::assert_snapshot!(ran.shown());
    let found = folder.hasse(&[&args[..], &["--json"]].concat()).ends(1).json();
    assert_eq!(found["outcome"], "failed");
    let error = &found["errors"][0];
    assert_eq!((&error["event"], &error["line"]), (&json!("/Sum:1"), &json!(28)), "{error:#}");
    assert_eq!((&error["values"]["total"], &error["values"]["s"]), (&json!(0), &json!(0)), "{error:#}");
}

/// Values of errors have their types; long ones are named with the beginning of their text.
#[test]
fn values_of_an_error_have_their_types() {
    let text = SQUARES
        .replace("vars  = { total = \"int\" }", "vars  = { total = \"int\", m = \"matrix\", r = \"real\", t = \"string\", a = \"int[]\", v = \"vector\" }\ninit  = 'm = matrix([[1, 2], [3, 4]]); r = 0.5; t = \"2\"; a = [7, 8]; v = vector(300, 1.0);'")
        .replace("total += s;", "total += s / (s - s);");
    let folder = Folder::with("squares.hasse", &text);
    let args = ["run", "squares.hasse", "--workers", "1", "--seed", "1", "--set", "n=1", "--json"];
    let error = &folder.hasse(&args).ends(1).json()["errors"][0];
    let values = &error["values"];
    assert_eq!(values["m"], json!([[1.0, 2.0], [3.0, 4.0]]), "{error:#}");
    assert_eq!((&values["r"], &values["t"], &values["a"]), (&json!(0.5), &json!("2"), &json!([7, 8])));
    assert!(values.get("v").is_none() && error["long_values"]["v"].is_string(), "{error:#}");
}

#[test]
fn a_quiescent_run_says_who_waits_for_what() {
    let text = TELLERS.replace(
        "for i in 0..3\"]\n\n[graph.tellers.uc.Teller]",
        "for i in 0..2\"]\n\n[graph.tellers.uc.Teller]",
    );
    let folder = Folder::with("tellers.hasse", &text);
    let ran = folder.hasse(&["run", "tellers.hasse"]).ends(1);
    insta::assert_snapshot!(ran.shown());
    let found = folder.hasse(&["run", "tellers.hasse", "--json"]).ends(1).json();
    assert_eq!(found["outcome"], "quiescent");
    let waiting = &found["quiescence"][0];
    assert_eq!(waiting["action"], "/Audit", "{found:#}");
    assert_eq!(waiting["rules"][0]["missing"], json!(["done[2]"]));
}

#[test]
fn the_program_is_not_overwritten_by_its_trace() {
    let folder = Folder::with("squares.hasse", SQUARES);
    let ran = folder.hasse(&["run", "squares.hasse", "--trace", "./squares.hasse"]).ends(2);
    assert!(ran.stderr.contains("would overwrite the program"), "{}", ran.shown());
    assert_eq!(std::fs::read_to_string(folder.path("squares.hasse")).unwrap(), SQUARES);
    folder.hasse(&["run", "squares.hasse", "--trace", "nowhere/t"]).ends(2);
}

#[test]
fn the_same_seed_and_one_worker_give_the_same_run() {
    let folder = Folder::with("tellers.hasse", TELLERS);
    let digest = |seed: &str| {
        folder.hasse(&["run", "tellers.hasse", "--workers", "1", "--seed", seed, "--trace", "t"]).ends(0);
        folder.hasse(&["trace", "digest", "t"]).ends(0).stdout
    };
    assert_eq!(digest("7"), digest("7"));
    let digests: std::collections::BTreeSet<_> = (0..20).map(|seed: u32| digest(&seed.to_string())).collect();
    assert!(digests.len() > 1, "seeds make a difference");
}

/// Ten values at once for a port that holds three.
const BURST: &str = "hasse = 1
main = \"burst\"

[graph.burst]
arcs = [\"Burst.sample -> Show.sample\"]

[graph.burst.uc.Burst]
start = true
out = { sample = \"int\" }
route = [\"sample <- k for k in 1..11\"]

[graph.burst.uc.Show]
in = { sample = { type = \"int\", bound = 3, full = \"drop-oldest\" } }
fire = [\"sample -> s\"]
do = 'print(s);'
";

#[test]
fn values_that_a_full_port_drops_are_counted() {
    let folder = Folder::with("burst.hasse", BURST);
    folder.write("newest.hasse", &BURST.replace("oldest", "newest"));
    let dropped = "7 values were dropped at Show.sample, which was full\n";
    for (program, left) in [("burst.hasse", "8\n9\n10\n"), ("newest.hasse", "1\n2\n3\n")] {
        for options in [
            &[][..],
            &["--trace", "full"],
            &["--record", "minimal", "--trace", "minimal"],
            &["--select", "Show", "--trace", "restricted"],
            &["--record", "perf", "--trace", "perf"],
        ] {
            let ran = folder.hasse(&[&["run", program], options].concat()).ends(0);
            assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), (left, dropped), "{options:?}");
        }
        for record in ["full", "minimal"] {
            let ran = folder.hasse(&["replay", record]).ends(0);
            assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), (left, dropped), "{record}");
        }
    }
    let ran = folder.hasse(&["run", "burst.hasse", "--json"]).ends(0).json();
    assert_eq!(ran["dropped"], json!([{ "port": "Show.sample", "values": 7 }]));
    let shown = folder.hasse(&["trace", "info", "full"]).ends(0).stdout;
    assert!(shown.contains("\ndropped    7 values at /Show.sample, which was full\n"), "{shown}");
    let shown = folder.hasse(&["trace", "info", "minimal", "--json"]).ends(0).json();
    assert_eq!(shown["dropped"], json!([{ "place": "/Show.sample", "values": 7 }]));
}
