use super::support::{Folder, TELLERS};

fn folder() -> Folder {
    Folder::with("tellers.hasse", TELLERS)
}

const RUN: [&str; 6] = ["run", "tellers.hasse", "--workers", "1", "--seed", "3"];

fn run(folder: &Folder, options: &[&str]) -> super::support::Ran {
    folder.hasse(&[&RUN[..], options].concat())
}

#[test]
fn a_run_is_shown_and_checked_while_it_is_under_way() {
    let ran = run(
        &folder(),
        &[
            "--display",
            "--display-select",
            "Audit",
            "--display-select",
            "Open",
            "--check",
            "pred Audit {Teller}",
            "--check",
            "pred Teller {Audit}",
            "--races",
        ],
    );
    insta::assert_snapshot!(ran.ends(1).shown());
}

/// Law 3 through the command: what is filed of a view is what post-restriction makes of the whole record.
#[test]
fn each_view_is_filed_by_itself() {
    let folder = folder();
    run(&folder, &["--trace", "whole"]).ends(0);
    let sets = ["--display-select", "Audit", "--check-select", "Teller[0..2]", "--check-select", "Open"];
    for (view, select) in [
        ("display", &["--select", "Audit"][..]),
        ("check", &["--select", "Teller[0..2]", "--select", "Open"]),
    ] {
        run(&folder, &[&["--trace", view, "--file", view], &sets[..]].concat()).ends(0);
        folder.hasse(&[&["trace", "restrict", "whole", "-o", "part"], select].concat()).ends(0);
        let digest = |name| folder.hasse(&["trace", "digest", name]).ends(0).stdout;
        assert_eq!(digest(view), digest("part"));
        folder
            .hasse(&[&["replay", "whole", "--trace", "again", "--record", "restrict"], select].concat())
            .ends(0);
        assert_eq!(digest(view), digest("again"));
        folder.hasse(&[&["replay", "whole", "--trace", "filed", "--file", view], &sets[..]].concat()).ends(0);
        assert_eq!(digest(view), digest("filed"));
    }
}

#[test]
fn verdicts_and_races_are_json_too() {
    let found = run(&folder(), &["--check", "parall {Teller, Teller}", "--races", "--json"]).ends(1).json();
    assert_eq!(found["verdicts"][0]["holds"], false);
    assert_eq!(found["races"]["first"], 1, "{found}");
}

#[test]
fn a_replay_has_the_same_facilities() {
    let folder = folder();
    run(&folder, &["--trace", "t"]).ends(0);
    let ran = folder.hasse(&["replay", "t", "--workers", "2", "--check", "pred Teller {Audit}", "--races"]);
    insta::assert_snapshot!(ran.ends(1).stdout);
}

#[test]
fn what_a_mode_does_not_have_is_refused() {
    let folder = folder();
    let mut shown = String::new();
    for options in [
        &["--record", "off", "--check", "pred Audit {Open}"][..],
        &["--record", "none", "--display"],
        &["--record", "perf", "--races"],
        &["--select", "Audit", "--races"],
        &["--display-select", "Nobody", "--display"],
        &["--check-select", "Audit[", "--check", "pred Audit {Open}"],
        &["--check", "pred Audit"],
    ] {
        shown += &run(&folder, options).ends(2).stderr;
    }
    insta::assert_snapshot!(shown);
    assert!(
        !folder.path("tellers.trace").exists(),
        "nothing is written before the options are known to be good"
    );
}

#[test]
fn a_trace_is_restricted_to_what_is_selected() {
    let folder = folder();
    run(&folder, &["--trace", "t"]).ends(0);
    folder
        .hasse(&[
            "trace",
            "restrict",
            "t",
            "--select",
            "Audit",
            "--rcopt",
            "Teller[1]=restrict",
            "-o",
            "part",
        ])
        .ends(0);
    insta::assert_snapshot!(folder.hasse(&["trace", "events", "part"]).ends(0).stdout);
    insta::assert_snapshot!(
        folder.hasse(&["trace", "restrict", "t", "--select", "Nobody", "-o", "u"]).ends(2).stderr
    );
    folder.hasse(&["trace", "restrict", "t", "--select", "Audit", "-o", "t"]).ends(2);
    folder.hasse(&["trace", "restrict", "t", "-o", "u"]).ends(2);
    assert!(!folder.path("u").exists());
}

/// What is immediate depends on what is looked at: between an opening and the audit there are only tellers.
#[test]
fn a_trace_is_checked_as_if_only_the_check_set_had_been_recorded() {
    let folder = folder();
    run(&folder, &["--trace", "t"]).ends(0);
    let check = "exists o: Open, a: Audit where o -> a";
    folder.hasse(&["verify", "t", check]).ends(1);
    folder.hasse(&["verify", "t", check, "--select", "Open", "--select", "Audit"]).ends(0);
    folder.hasse(&["trace", "restrict", "t", "--select", "Open", "--select", "Audit", "-o", "part"]).ends(0);
    folder.hasse(&["verify", "part", check]).ends(0);
    run(&folder, &["--check", check]).ends(1);
    run(&folder, &["--check", check, "--check-select", "Open", "--check-select", "Audit"]).ends(0);
    folder.hasse(&["verify", "t", check, "--select", "Nobody"]).ends(2);
}

#[test]
fn values_are_captured_where_checks_ask_for_them() {
    let folder = folder();
    let holds = "forall t: Teller : t.took.go == t.index + 1";
    let fails = "never t: Teller : t.took.go == 2";
    run(&folder, &["--trace", "t", "--check", holds]).ends(0);
    run(&folder, &["--check", fails]).ends(1);
    // A trace holds no values: it is replayed.
    folder.hasse(&["verify", "t", holds]).ends(0);
    insta::assert_snapshot!(folder.hasse(&["verify", "t", fails]).ends(1).stdout);
    folder.hasse(&["replay", "t", "--check", fails]).ends(1);
    run(&folder, &["--trace", "part", "--select", "Teller"]).ends(0);
    insta::assert_snapshot!(folder.hasse(&["verify", "part", holds]).ends(2).stderr);
}

#[test]
fn a_minimal_record_is_checked_by_replaying_it() {
    let folder = folder();
    run(&folder, &["--trace", "t", "--record", "minimal"]).ends(0);
    folder.hasse(&["verify", "t", "check pred Audit {Teller}"]).ends(0);
    folder.hasse(&["verify", "t", "check pred Teller {Audit}"]).ends(1);
    folder.hasse(&["replay", "t", "--races"]).ends(1);
}
