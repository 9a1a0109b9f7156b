use super::support::{Folder, SQUARES, TELLERS};

/// Names of the events of a trace, in order, without what is said of them.
fn names(folder: &Folder, trace: &str) -> Vec<String> {
    let shown = folder.hasse(&["trace", "events", trace]).ends(0).stdout;
    shown.lines().map(|line| line.split("  ").next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn what_is_selected_is_recorded() {
    let folder = Folder::with("squares.hasse", SQUARES);
    let ran =
        folder.hasse(&["run", "squares.hasse", "--select", "Square[1..3]", "--select", "/Count"]).ends(0);
    assert_eq!(ran.stdout, "the squares below 4\ntotal = 14\n");
    let mut found = names(&folder, "squares.trace");
    found.sort();
    assert_eq!(found, ["/Count:1", "/Square[1]:1", "/Square[2]:1"]);
    let info = folder.hasse(&["trace", "info", "squares.trace", "--json"]).ends(0).json();
    assert_eq!((&info["mode"], &info["events"]), (&"restricted".into(), &3.into()), "{info:#}");
    folder.hasse(&["run", "squares.hasse", "--rcopt", "/Sum=full", "--trace", "t"]).ends(0);
    assert_eq!(names(&folder, "t"), ["/Sum:1", "/Sum:2", "/Sum:3", "/Sum:4"]);
}

#[test]
fn relayed_predecessors_are_shown_and_exported() {
    let folder = Folder::with("tellers.hasse", TELLERS);
    let args = ["run", "tellers.hasse", "--workers", "1", "--trace", "t"];
    folder.hasse(&[&args[..], &["--select", "Open", "--select", "Audit"]].concat()).ends(0);
    let shown = folder.hasse(&["trace", "events", "t"]).ends(0).stdout;
    assert!(shown.contains("  from /Open:1  reads /total after /Open:1  "), "{shown}");
    let exported = folder.hasse(&["trace", "export", "t", "--format", "jsonl"]).ends(0).stdout;
    let relayed = r#""shared":[],"relayed":[{"object":"/total","access":"read","event":"/Open:1"}],"#;
    assert!(exported.contains(relayed), "{exported}");
    assert!(exported.starts_with(r#"{"hasse_trace":1,"program":"tellers.hasse","mode":"restricted","#));
}

#[test]
fn a_perf_record_has_times_everywhere() {
    let folder = Folder::with("squares.hasse", SQUARES);
    folder.hasse(&["run", "squares.hasse", "--record", "perf"]).ends(0);
    let info = folder.hasse(&["trace", "info", "squares.trace"]).ends(0).stdout;
    assert!(info.contains("recorded   perf") && info.matches(" ms busy").count() == 3, "{info}");
    let shown = folder.hasse(&["trace", "events", "squares.trace"]).ends(0).stdout;
    assert!(shown.lines().all(|line| line.contains("  worker ") && line.contains(" us for ")), "{shown}");
    let exported = folder.hasse(&["trace", "export", "squares.trace", "--format", "jsonl"]).ends(0).stdout;
    for line in exported.lines().skip(1) {
        let event: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(event["start"].as_u64().unwrap() <= event["end"].as_u64().unwrap(), "{event}");
    }
    folder.hasse(&["replay", "squares.trace"]).ends(0);
}

#[test]
fn a_replay_makes_a_restricted_record() {
    let folder = Folder::with("tellers.hasse", TELLERS);
    folder.hasse(&["run", "tellers.hasse", "--trace", "full"]).ends(0);
    let replayed = |workers: &str, trace: &str| {
        let args =
            ["replay", "full", "--workers", workers, "--select", "Audit", "--rcopt", "Teller[1]=restrict"];
        folder.hasse(&[&args[..], &["--trace", trace]].concat()).ends(0);
        folder.hasse(&["trace", "digest", trace]).ends(0).stdout
    };
    assert_eq!(replayed("1", "one"), replayed("4", "four"));
    let mut found = names(&folder, "one");
    found.sort();
    assert_eq!(found, ["/Audit:1", "/Teller[1]:1"]);
    let refused = folder.hasse(&["replay", "one"]).ends(2);
    assert!(refused.stderr.contains("the restricted trace one cannot be replayed"), "{}", refused.shown());
}

#[test]
fn the_program_file_says_what_is_recorded() {
    let text = format!("{SQUARES}\n[record]\nmode = \"restrict\"\noptions = {{ Sum = \"full\" }}\n");
    let folder = Folder::with("squares.hasse", &text);
    folder.hasse(&["run", "squares.hasse"]).ends(0);
    assert!(!folder.path("squares.trace").exists(), "no record was asked for");
    folder.hasse(&["run", "squares.hasse", "--trace", "own"]).ends(0);
    assert_eq!(names(&folder, "own").len(), 4);
    folder
        .hasse(&["run", "squares.hasse", "--trace", "t", "--rcopt", "Sum=off", "--select", "Count"])
        .ends(0);
    assert_eq!(names(&folder, "t"), ["/Count:1"]);
    folder.hasse(&["run", "squares.hasse", "--trace", "all", "--record", "full"]).ends(0);
    assert_eq!(names(&folder, "all").len(), 9);
    // Other annotations make no other program.
    folder.write("squares.hasse", SQUARES);
    folder.hasse(&["replay", "all", "--program", "squares.hasse"]).ends(0);
}

#[test]
fn what_makes_no_sense_is_refused_before_anything_is_written() {
    let folder = Folder::with("squares.hasse", SQUARES);
    folder.hasse(&["run", "squares.hasse", "--trace", "full"]).ends(0);
    let mut shown = String::new();
    for args in [
        &["run", "--record", "restrict"][..],
        &["run", "--record", "full", "--select", "Sum"],
        &["run", "--record", "none", "--rcopt", "Sum=off"],
        &["run", "--record", "off", "--trace", "t"],
        &["run", "--select", "Smu"],
        &["run", "--select", "Square[0, 1]"],
        &["run", "--select", "Sum[0]"],
        &["run", "--select", "/Square[1..]"],
        &["run", "--select", "/Sum/x"],
        &["run", "--select", "squares/Sum"],
        &["run", "--select", "sqares.Sum"],
        &["run", "--rcopt", "Sum"],
        &["run", "--rcopt", "Sum=on"],
        &["replay", "--select", "Sum"],
        &["replay", "--record", "restrict"],
        &["replay", "--record", "full", "--select", "Sum", "--trace", "t"],
        &["replay", "--record", "restrict", "--trace", "t"],
    ] {
        let subject = if args[0] == "run" { "squares.hasse" } else { "full" };
        let ran = folder.hasse(&[&args[..1], &[subject], &args[1..]].concat()).ends(2);
        shown += &format!("$ {}\n{}", args.join(" "), ran.stderr);
        assert!(!folder.path("t").exists() && !folder.path("squares.trace").exists(), "{shown}");
    }
    insta::assert_snapshot!(shown);
}
