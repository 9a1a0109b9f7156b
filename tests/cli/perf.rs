use serde_json::{Value as Json, json};

use super::support::{Folder, Ran, SQUARES, TELLERS};

/// A folder with a perf record of the tellers in `t`.
fn timed() -> Folder {
    let folder = Folder::with("tellers.hasse", TELLERS);
    folder.hasse(&["run", "tellers.hasse", "--record", "perf", "--trace", "t", "--workers", "2"]).ends(0);
    folder
}

/// The same without times; one worker and a seed: always the same run.
fn untimed() -> Folder {
    let folder = Folder::with("tellers.hasse", TELLERS);
    folder.hasse(&["run", "tellers.hasse", "--trace", "t", "--workers", "1", "--seed", "3"]).ends(0);
    folder
}

fn nanos(found: &Json) -> u64 {
    found.as_u64().unwrap_or_else(|| panic!("{found} is not a time"))
}

#[test]
fn figures_of_a_real_run_fit_together() {
    let folder = timed();
    let found = folder.hasse(&["perf", "t", "--json"]).ends(0).json();
    let (times, path) = (&found["times"], &found["critical_path"]);
    let (wall, work, span) =
        (nanos(&times["wall_nanos"]), nanos(&times["work_nanos"]), nanos(&path["span_nanos"]));
    assert!(span <= wall && span <= work, "{found}");
    assert_eq!(times["workers"].as_array().map(Vec::len), Some(2));
    assert!(times["workers"].as_array().unwrap().iter().all(|worker| nanos(&worker["busy_nanos"]) <= wall));
    let at_once: u64 = times["nanos_at_once"].as_array().unwrap().iter().map(nanos).sum();
    assert_eq!(at_once, wall);
    assert!(times["nanos_at_once"].as_array().unwrap().len() <= 3, "two workers: {found}");
    let events = path["events"].as_array().unwrap();
    assert_eq!(events.iter().map(|event| nanos(&event["adds_nanos"])).sum::<u64>(), span);
    // The tellers come one after another, and the auditor after them.
    assert_eq!((&found["events"], found["levels"].as_array().map(Vec::len)), (&json!(5), Some(5)));
    let cells = [
        json!({ "from": "Open", "to": "Teller", "values": 3, "objects": 0 }),
        json!({ "from": "Teller", "to": "Teller", "values": 0, "objects": 2 }),
        json!({ "from": "Teller", "to": "Audit", "values": 3, "objects": 1 }),
    ];
    assert_eq!(found["communication"]["cells"], json!(cells));
    assert_eq!(found["slowest"].as_array().map(Vec::len), Some(5));
}

#[test]
fn the_text_has_all_parts() {
    let text = timed().hasse(&["perf", "t"]).ends(0).stdout;
    let parts = [
        "performance of tellers.hasse: 5 events, perf record",
        "wall time",
        "average parallelism",
        "most speed-up",
        "utilization:",
        "concurrency:",
        "critical path:",
        "load by template",
        "slowest events",
        "communication: 6 values taken, 3 times",
    ];
    let mut rest = &text[..];
    for part in parts {
        let at = rest.find(part).unwrap_or_else(|| panic!("no `{part}` in its place: {text}"));
        rest = &rest[at..];
    }
}

#[test]
fn a_record_without_times_has_a_logical_report() {
    insta::assert_snapshot!(untimed().hasse(&["perf", "t"]).ends(0).shown());
}

#[test]
fn events_are_counted_by_action_or_graph() {
    let folder = untimed();
    insta::assert_snapshot!(folder.hasse(&["perf", "t", "--by", "action", "--top", "3"]).ends(0).stdout);
    let found = folder.hasse(&["perf", "t", "--by", "graph", "--json"]).ends(0).json();
    assert_eq!(found["loads"], json!([{ "group": "/", "actions": 5, "events": 5, "imbalance": 0.0 }]));
}

#[test]
fn a_window_leaves_out_the_rest() {
    let folder = timed();
    let all = folder.hasse(&["perf", "t", "--json"]).ends(0).json();
    let cut = nanos(&all["times"]["first"]) + nanos(&all["times"]["wall_nanos"]) / 2;
    let of = |window: String| folder.hasse(&["perf", "t", "--json", "--window", &window]).ends(0).json();
    let (left, right) = (of(format!("..{cut}ns")), of(format!("{cut}ns..")));
    let work = |found: &Json| nanos(&found["times"]["work_nanos"]);
    assert_eq!(work(&left) + work(&right), work(&all));
    assert!(nanos(&left["times"]["last"]) <= cut && nanos(&right["times"]["first"]) >= cut);
}

/// Pictures are XML without loose numbers, whatever is drawn.
fn is_picture(svg: &str) {
    roxmltree::Document::parse(svg).unwrap_or_else(|error| panic!("{error}: {svg}"));
    assert!(!svg.contains("NaN") && !svg.contains("inf\""), "{svg}");
}

#[test]
fn the_picture_has_a_lane_for_each_worker() {
    let folder = timed();
    folder.hasse(&["perf", "t", "--svg", "t.svg"]).ends(0);
    let svg = std::fs::read_to_string(folder.path("t.svg")).unwrap();
    is_picture(&svg);
    for text in
        ["worker 0", "worker 1", "Utilization", "Concurrency", "Critical path", "Communication", ">Teller<"]
    {
        assert!(svg.contains(text), "no `{text}` in {svg}");
    }
    assert!(!svg.contains(">worker 2<"), "{svg}");
    let logical = untimed();
    logical.hasse(&["perf", "t", "--svg", "t.svg"]).ends(0);
    let svg = std::fs::read_to_string(logical.path("t.svg")).unwrap();
    is_picture(&svg);
    assert!(svg.contains("Concurrency") && !svg.contains("worker"), "{svg}");
}

/// The size of a picture does not grow with the run.
#[test]
fn many_events_are_drawn_together() {
    let folder = Folder::with("squares.hasse", SQUARES);
    let size = |n: &str| {
        let args = ["run", "squares.hasse", "--set", n, "--record", "perf", "--trace", "t", "--workers", "2"];
        folder.hasse(&args).ends(0);
        folder.hasse(&["perf", "t", "--svg", "t.svg"]).ends(0);
        let svg = std::fs::read_to_string(folder.path("t.svg")).unwrap();
        is_picture(&svg);
        svg.matches("<rect").count()
    };
    assert!(size("n=20000") < 2 * 1000 + 500);
}

#[test]
fn arcs_of_the_critical_path_are_named() {
    let folder = Folder::with("squares.hasse", SQUARES);
    folder.hasse(&["run", "squares.hasse", "--trace", "t", "--workers", "1", "--seed", "1"]).ends(0);
    let text = folder.hasse(&["perf", "t"]).ends(0).stdout;
    assert!(text.contains("Count.number[i] -> Square[i].number"), "{text}");
    assert!(text.contains("Sum, execution after execution"), "{text}");
}

#[test]
fn what_cannot_be_reported_is_refused() {
    let folder = untimed();
    let stderr = |ran: Ran| ran.stderr;
    let refused = |args: &[&str]| stderr(folder.hasse(args).ends(2));
    let text = refused(&["perf", "t", "--window", "1ms..2ms"]);
    assert!(text.contains("t has no times") && text.contains("--record perf"), "{text}");
    let text = refused(&["perf", "t", "--window", "1ms"]);
    assert!(text.contains("`1ms` has no `..`") && text.contains("write `1.5ms..20ms`"), "{text}");
    let text = refused(&["perf", "t", "--window", "3ms..2 m"]);
    assert!(text.contains("`2 m` at column 6 is not a moment"), "{text}");
    let text = refused(&["perf", "t", "--svg", "t"]);
    assert!(text.contains("would overwrite the trace"), "{text}");
    refused(&["perf", "t", "--svg", "no/where.svg"]);
    refused(&["perf", "tellers.hasse", "--svg", "t.svg"]);
    assert!(!folder.path("t.svg").exists());
    refused(&["perf", "nowhere"]);
    folder.hasse(&["run", "tellers.hasse", "--record", "minimal", "--trace", "m"]).ends(0);
    assert!(refused(&["perf", "m"]).contains("holds choices, not events"));
    let names: Vec<_> =
        std::fs::read_dir(folder.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 3, "nothing is left behind: {names:?}");
}

/// A restricted record of a timed one keeps its times, and says what it does not know.
#[test]
fn a_restricted_record_is_reported_with_a_note() {
    let folder = timed();
    folder.hasse(&["trace", "restrict", "t", "--select", "Teller", "-o", "r"]).ends(0);
    let text = folder.hasse(&["perf", "r"]).ends(0).stdout;
    assert!(text.contains("3 events, restricted record\nnote: the record is restricted"), "{text}");
    let found = folder.hasse(&["perf", "r", "--json"]).ends(0).json();
    assert_eq!(found["levels"], json!([1, 1, 1]));
    assert!(nanos(&found["times"]["work_nanos"]) > 0);
}

#[test]
fn a_cut_off_record_is_reported_up_to_there() {
    let folder = untimed();
    let bytes = std::fs::read(folder.path("t")).unwrap();
    std::fs::write(folder.path("cut"), &bytes[..bytes.len() - 3]).unwrap();
    let ran = folder.hasse(&["perf", "cut"]).ends(0);
    assert!(ran.stderr.contains("note: cut:"), "{}", ran.shown());
    assert!(ran.stdout.contains("5 events"), "{}", ran.shown());
}

/// Ends the run at the first batch.
struct Ends(hasse::StopSignal);

impl hasse::EventSink for Ends {
    fn take_batch(&mut self, _: &hasse_model::event::EventBatch) -> std::io::Result<()> {
        self.0.stop();
        Ok(())
    }

    fn finish(&mut self, _: &hasse::RunReport, _: &hasse_runtime::run::Idle) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn events_are_handed_over_while_the_run_goes_on() {
    let text = "hasse = 1\nmain = 'turns'\n\n[graph.turns]\narcs = ['Turn.next -> Turn.go', 'Start.go -> Turn.go']\n\n\
                [graph.turns.uc.Start]\nout = { go = 'int' }\nstart = true\nroute = ['go <- 1']\n\n\
                [graph.turns.uc.Turn]\nin = { go = 'int' }\nout = { next = 'int' }\nfire = ['go -> k']\n\
                route = ['next <- k + 1 if k < 2000000']\n";
    let program = hasse::Program::from_text(text, &hasse::Natives::new()).unwrap();
    let stop = hasse::StopSignal::default();
    let options = hasse::Options::new().workers(1).mode(hasse::RecordingMode::Perf).stop(stop.clone());
    let run = program.record_to_sink(&options, Box::new(Ends(stop))).unwrap();
    assert_eq!(run.outcome(), hasse::RunOutcome::Stopped, "it came to its end before a batch came");
}
