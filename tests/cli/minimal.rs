use std::fs;

use hasse_model::digest::HistoryDigest;
use hasse_model::trace::{TraceFooter, TraceReader, TraceWriter};
use serde_json::json;

use super::support::{Folder, SQUARES, TELLERS, repository};

/// A folder with a minimal record of the tellers in `t`; one worker and a seed: always the same run.
fn recorded() -> Folder {
    let folder = Folder::with("tellers.hasse", TELLERS);
    let args =
        ["run", "tellers.hasse", "--record", "minimal", "--trace", "t", "--workers", "1", "--seed", "3"];
    folder.hasse(&args).ends(0);
    folder
}

#[test]
fn choices_replay_to_what_the_run_printed() {
    let folder = Folder::with("tellers.hasse", TELLERS);
    let args = ["run", "tellers.hasse", "--record", "minimal", "--trace", "t", "--workers", "4"];
    let ran = folder.hasse(&args).ends(0);
    let mut digests = Vec::new();
    for workers in ["1", "2", "8"] {
        let args = ["replay", "t", "--workers", workers, "--trace", "again", "--seed", workers];
        assert_eq!(folder.hasse(&args).ends(0).stdout, ran.stdout);
        digests.push(folder.hasse(&["trace", "digest", "again"]).ends(0).stdout);
    }
    assert!(digests[0] == digests[1] && digests[1] == digests[2], "{digests:?}");
    let again = folder.hasse(&["trace", "info", "again", "--json"]).ends(0).json();
    assert_eq!((&again["mode"], &again["events"]), (&json!("full"), &json!(5)));
    folder.hasse(&["verify", "again", "check pred Audit {Teller}"]).ends(0);
}

#[test]
fn a_minimized_trace_replays_to_the_full_one() {
    let folder = Folder::with("tellers.hasse", TELLERS);
    folder.hasse(&["run", "tellers.hasse", "--trace", "full", "--workers", "4"]).ends(0);
    let ran = folder.hasse(&["trace", "minimize", "full", "-o", "t"]).ends(0);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
    folder.hasse(&["replay", "t", "--trace", "again"]).ends(0);
    let digest = |trace: &str| folder.hasse(&["trace", "digest", trace]).ends(0).stdout;
    assert_eq!(digest("again"), digest("full"));
    let same = folder.hasse(&["trace", "minimize", "full", "-o", "full"]).ends(2);
    assert!(same.stderr.contains("would overwrite the trace that is minimized"), "{}", same.shown());
}

/// The same trace with a footer that tells another digest, as of a run that took its values in another order.
fn with_another_digest(trace: &[u8]) -> Vec<u8> {
    let mut reader = TraceReader::open(trace).unwrap();
    let mut writer = TraceWriter::new(Vec::new(), reader.header()).unwrap();
    while let Some(batch) = reader.next_batch().unwrap() {
        writer.write_batch(&batch).unwrap();
    }
    let footer = reader.footer().unwrap().clone();
    let digest = HistoryDigest::from_bits(!footer.digest.unwrap().to_bits());
    writer.finish(&TraceFooter { digest: Some(digest), ..footer }).unwrap()
}

#[test]
fn replay_in_another_order_than_recorded_is_a_divergence() {
    let folder = recorded();
    let trace = with_another_digest(&fs::read(folder.path("t")).unwrap());
    fs::write(folder.path("other"), trace).unwrap();
    let ran = folder.hasse(&["replay", "other", "--workers", "1"]).ends(1);
    insta::with_settings!({ filters => [(r"[0-9a-f]{16}", "DIGEST")] }, {
        insta::assert_snapshot!(ran.shown());
    });
    folder.hasse(&["replay", "other", "--workers", "2", "--trace", "again"]).ends(1);
    let ran = folder.hasse(&["trace", "minimize", "other", "-o", "smaller"]).ends(1);
    assert!(ran.stderr.contains("another order"), "{}", ran.shown());
}

#[test]
fn minimized_trace_has_the_digest_of_the_run() {
    let folder = recorded();
    folder.hasse(&["replay", "t", "--trace", "full"]).ends(0);
    folder.hasse(&["trace", "minimize", "full", "-o", "again"]).ends(0);
    let digest = |name: &str| {
        let bytes = fs::read(folder.path(name)).unwrap();
        let mut reader = TraceReader::open(&bytes[..]).unwrap();
        while reader.next_batch().unwrap().is_some() {}
        reader.footer().unwrap().digest
    };
    assert_eq!((digest("t"), digest("again"), digest("full")), (digest("again"), digest("t"), None));
}

#[test]
fn info_tells_how_much_of_the_run_was_recorded() {
    let folder = recorded();
    let ran = folder.hasse(&["trace", "info", "t"]).ends(0);
    insta::with_settings!({ filters => [(r"size .*", "size ..."), (r"by Hasse \S+", "by Hasse ...")] }, {
        insta::assert_snapshot!(ran.shown());
    });
    let found = folder.hasse(&["trace", "info", "t", "--json"]).ends(0).json();
    assert_eq!((&found["mode"], &found["executed"]), (&json!("minimal"), &json!(5)));
}

#[test]
fn where_events_are_needed_choices_are_refused_with_the_way_to_events() {
    let folder = recorded();
    insta::assert_snapshot!(folder.hasse(&["trace", "digest", "t"]).ends(2).shown());
    for args in [&["trace", "events", "t"][..], &["trace", "export", "t", "--format", "jsonl"]] {
        let ran = folder.hasse(args).ends(2);
        assert!(ran.stderr.contains("hasse replay t --trace FULL"), "{}", ran.shown());
    }
}

/// What a check needs is made by a replay.
#[test]
fn checks_of_choices_see_all_events() {
    let ran = recorded().hasse(&["verify", "t", "check pred Audit {Teller}"]).ends(0);
    assert!(
        ran.stdout.contains("1 event checked") || ran.stdout.contains("events checked"),
        "{}",
        ran.shown()
    );
}

#[test]
fn a_trace_is_named_after_its_program() {
    let folder = Folder::with("squares.hasse", SQUARES);
    folder.hasse(&["run", "squares.hasse", "--set", "n=6", "--record", "minimal"]).ends(0);
    let ran = folder.hasse(&["replay", "squares.trace"]).ends(0);
    assert_eq!(ran.stdout, "the squares below 6\ntotal = 55\n");
}

#[test]
fn a_replay_that_goes_another_way_says_where() {
    let folder = recorded();
    let replay = |text: &str| {
        folder.write("other.hasse", text);
        let args = ["replay", "t", "--program", "other.hasse", "--allow-changes", "--workers", "1"];
        folder.hasse(&args).ends(1).shown()
    };
    insta::assert_snapshot!("an_event_fails", replay(&TELLERS.replace("total += amount", "throw 7")));
    insta::assert_snapshot!(
        "an_event_is_missing",
        replay(&TELLERS.replace(
            "i in 0..3\"]\n\n[graph.tellers.uc.Teller]",
            "i in 0..2\"]\n\n[graph.tellers.uc.Teller]"
        ))
    );
}

#[test]
fn what_cannot_be_recorded_is_refused() {
    let folder = recorded();
    let ran =
        folder.hasse(&["run", "tellers.hasse", "--record", "minimal", "--trace", "tellers.hasse"]).ends(2);
    assert!(ran.stderr.contains("would overwrite the program"), "{}", ran.shown());
    std::fs::write(folder.path("t"), &std::fs::read(folder.path("t")).unwrap()[..200]).unwrap();
    let ran = folder.hasse(&["trace", "minimize", "t", "-o", "u"]).ends(2);
    assert!(ran.stderr.contains("cannot open t as a trace"), "{}", ran.shown());
    assert!(!folder.path("u").exists());
}

/// What was not told is what nobody chose: executions of the nodes named here, however long a run was. (The
/// philosophers eat until their host ends the program, so that the number of their meals has no bound.)
#[test]
fn examples_are_replayed_from_their_choices() {
    for (example, never_told) in [
        ("wavefront", &["Block"][..]),
        ("sieve", &["Source", "Stage"]),
        ("bank", &["Report"]),
        ("farm", &["Generator", "Compute"]),
        ("philosophers", &["Waiter", "Host"]),
    ] {
        let folder = Folder::new();
        let program = repository().join(format!("examples/{example}/{example}.hasse"));
        let program = program.to_str().unwrap();
        let args = ["run", program, "--record", "minimal", "--trace", "t", "--workers", "3"];
        let ran = folder.hasse(&args).ends(0);
        let told = folder.hasse(&["trace", "info", "t", "--json"]).ends(0).json();
        for name in never_told {
            let templates = told["templates"].as_array().unwrap();
            let template = templates.iter().find(|template| template["name"] == *name);
            assert_eq!(template.unwrap()["events"], 0, "{example}: {told:#}");
        }
        assert!(told["events"].as_u64() < told["executed"].as_u64(), "{example}: {told:#}");
        let digest = |workers: &str, to: &str| {
            let replayed = folder.hasse(&["replay", "t", "--workers", workers, "--trace", to]).ends(0);
            assert_eq!(replayed.stdout, ran.stdout, "{example}");
            folder.hasse(&["trace", "digest", to]).ends(0).stdout
        };
        assert_eq!(digest("1", "one"), digest("4", "four"), "{example}");
        let events = folder.hasse(&["trace", "info", "one", "--json"]).ends(0).json()["events"].clone();
        assert_eq!(events, told["executed"], "{example}");
    }
}
