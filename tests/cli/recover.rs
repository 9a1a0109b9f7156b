use std::fs;

use super::support::{Folder, SQUARES};

/// A folder with a recorded run of many events in `t`: always the same.
fn recorded(mode: &str) -> Folder {
    let folder = Folder::with("squares.hasse", SQUARES);
    let run = ["run", "squares.hasse", "--set", "n=20000", "--workers", "1", "--seed", "3", "--trace", "t"];
    folder.hasse(&[&run[..], &["--record", mode]].concat()).ends(0);
    folder
}

/// Writes the first `numerator / 10` of `t` as `cut`.
fn cut(folder: &Folder, numerator: usize) {
    let bytes = fs::read(folder.path("t")).unwrap();
    fs::write(folder.path("cut"), &bytes[..bytes.len() * numerator / 10]).unwrap();
}

#[test]
fn a_cut_trace_is_made_whole() {
    let folder = recorded("full");
    cut(&folder, 7);
    let ran = folder.hasse(&["trace", "recover", "cut", "--out", "whole"]).ends(0);
    insta::with_settings!({ filters => [(r"\d+", "N")] }, { insta::assert_snapshot!(ran.shown()) });
    let info = |trace: &str| folder.hasse(&["trace", "info", trace, "--json"]).ends(0).json();
    let (found, expected) = (info("whole"), info("cut"));
    assert_eq!((&found["events"], &found["outcome"]), (&expected["events"], &"cut off".into()));
    assert!(found["events"].as_u64().unwrap() > 1000 && found["cut_off"].is_object(), "{found:#}");
    let digest = |trace: &str| folder.hasse(&["trace", "digest", trace]).ends(0).stdout;
    assert_eq!(digest("whole"), digest("cut"));
    let replayed = folder.hasse(&["replay", "whole"]).ends(0);
    assert!(replayed.stderr.contains("its trace was recovered"), "{}", replayed.shown());
}

#[test]
fn batches_behind_damage_are_recovered() {
    let folder = recorded("full");
    let mut bytes = fs::read(folder.path("t")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x40;
    fs::write(folder.path("damaged"), bytes).unwrap();
    let events = |trace: &str| {
        folder.hasse(&["trace", "info", trace, "--json"]).ends(0).json()["events"].as_u64().unwrap()
    };
    let ran = folder.hasse(&["trace", "recover", "damaged", "-o", "whole"]).ends(0);
    assert!(ran.stdout.contains("at 1 place"), "{}", ran.shown());
    assert!(events("damaged") < events("whole") && events("whole") < events("t"));
}

#[test]
fn a_whole_trace_is_copied() {
    let folder = recorded("full");
    let ran = folder.hasse(&["trace", "recover", "t", "-o", "again"]).ends(0);
    assert!(ran.stdout.contains("nothing: t is whole"), "{}", ran.shown());
    assert_eq!(fs::read(folder.path("t")).unwrap(), fs::read(folder.path("again")).unwrap());
}

#[test]
fn a_minimal_record_is_recovered_as_far_as_it_was_whole() {
    let folder = recorded("minimal");
    cut(&folder, 9);
    folder.hasse(&["trace", "recover", "cut", "-o", "whole"]).ends(0);
    let ends = |trace: &str| folder.hasse(&["replay", trace, "--workers", "1"]).ends(0);
    let (found, expected) = (ends("whole"), ends("cut"));
    assert_eq!(found.stdout, expected.stdout);
}

#[test]
fn what_cannot_be_recovered_leaves_nothing_behind() {
    let folder = recorded("full");
    let bytes = fs::read(folder.path("t")).unwrap();
    fs::write(folder.path("headless"), &bytes[..40]).unwrap();
    fs::write(folder.path("kept"), "what was here before").unwrap();
    let refused = [
        folder.hasse(&["trace", "recover", "headless", "-o", "kept"]).ends(2),
        folder.hasse(&["trace", "recover", "squares.hasse", "-o", "kept"]).ends(2),
        folder.hasse(&["trace", "recover", "missing", "-o", "kept"]).ends(2),
        folder.hasse(&["trace", "recover", "t", "-o", "t"]).ends(2),
        folder.hasse(&["trace", "recover", "t", "-o", "missing/whole"]).ends(2),
    ];
    let shown: Vec<String> = refused.iter().map(|ran| ran.shown()).collect();
    insta::with_settings!({ filters => [(r" at path .*", "")] }, {
        insta::assert_snapshot!(shown.join("\n"));
    });
    assert_eq!(fs::read(folder.path("kept")).unwrap(), b"what was here before");
    assert_eq!(fs::read(folder.path("t")).unwrap(), bytes);
    let n_files = fs::read_dir(folder.path("")).unwrap().count();
    assert_eq!(n_files, 4, "nothing else is left behind");
}

#[test]
fn events_are_shown_as_recorded_from_any_place() {
    let folder = recorded("full");
    let lines = |args: &[&str]| {
        let ran = folder.hasse(&[&["trace", "events", "t"], args].concat()).ends(0);
        ran.stdout.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let all = lines(&["--recorded-from", "1"]);
    assert_eq!(all.len(), 40_001);
    for first in [2, 5000, 20_000, 40_001] {
        assert_eq!(
            lines(&["--recorded-from", &first.to_string(), "--limit", "3"]),
            all[first - 1..].iter().take(3).cloned().collect::<Vec<_>>()
        );
    }
    assert!(!all.iter().any(|line| line.contains("/?")), "every name is known");
    let behind = folder.hasse(&["trace", "events", "t", "--recorded-from", "40002"]).ends(0);
    assert!(behind.stdout.is_empty() && behind.stderr.contains("no event matches"), "{}", behind.shown());
    folder.hasse(&["trace", "events", "t", "--recorded-from", "0"]).ends(2);
    cut(&folder, 7);
    let rest = folder.hasse(&["trace", "events", "cut", "--recorded-from", "5000", "--limit", "1"]).ends(0);
    assert_eq!(rest.stdout.trim_end(), all[4999]);
}
