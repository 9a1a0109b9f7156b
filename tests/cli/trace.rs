use std::collections::BTreeSet;

use serde_json::{Value as Json, json};

use super::support::{Folder, SQUARES, TELLERS};

/// A folder with a recorded run of the tellers in `t`; one worker and a seed: always the same run.
fn recorded() -> Folder {
    let folder = Folder::with("tellers.hasse", TELLERS);
    folder.hasse(&["run", "tellers.hasse", "--trace", "t", "--workers", "1", "--seed", "3"]).ends(0);
    folder
}

#[test]
fn info_tells_what_is_in_a_trace() {
    let folder = recorded();
    let ran = folder.hasse(&["trace", "info", "t"]).ends(0);
    insta::with_settings!({ filters => [(r"size .*", "size ..."), (r"by Hasse \S+", "by Hasse ...")] }, {
        insta::assert_snapshot!(ran.shown());
    });
    let found = folder.hasse(&["trace", "info", "t", "--json"]).ends(0).json();
    assert_eq!(
        (&found["events"], &found["actions"], &found["outcome"], &found["cut_off"]),
        (&json!(5), &json!(5), &json!("finished"), &json!(null))
    );
}

#[test]
fn events_come_in_causal_order_and_can_be_chosen() {
    let folder = recorded();
    let all = folder.hasse(&["trace", "events", "t"]).ends(0).stdout;
    insta::assert_snapshot!(all);
    let lines = |args: &[&str]| {
        let ran = folder.hasse(&[&["trace", "events", "t"], args].concat()).ends(0);
        ran.stdout.lines().map(|line| line.split("  ").next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(lines(&["--action", "/Teller[1]"]), ["/Teller[1]:1"]);
    assert_eq!(lines(&["--action", "Teller[1]"]), ["/Teller[1]:1"]);
    assert_eq!(lines(&["--template", "Teller"]).len(), 3);
    assert_eq!(lines(&["--limit", "2"]).len(), 2);
    assert_eq!(lines(&["--template", "Teller", "--limit", "1"]).len(), 1);
    assert_eq!(lines(&["--action", "/Teller[9]"]), [""; 0]);
    let ran = folder.hasse(&["trace", "events", "t", "--template", "Teler"]).ends(2);
    assert!(ran.stderr.contains("its nodes are: Open, Teller, Audit"), "{}", ran.shown());
}

#[test]
fn a_digest_is_64_hexadecimal_digits() {
    let digest = recorded().hasse(&["trace", "digest", "t"]).ends(0).stdout;
    assert_eq!(digest.trim_end().len(), 64);
    assert!(digest.trim_end().bytes().all(|byte| byte.is_ascii_hexdigit()));
}

/// The contract of docs/trace-format.md, field by field and in this order.
#[test]
fn export_has_the_fields_that_other_tools_read() {
    let folder = recorded();
    let exported = folder.hasse(&["trace", "export", "t", "--format", "jsonl"]).ends(0).stdout;
    let lines: Vec<Json> = exported.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let keys = |object: &Json| object.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&lines[0]), ["hasse_trace", "program", "mode", "workers", "params"]);
    let head =
        json!({ "hasse_trace": 1, "program": "tellers.hasse", "mode": "full", "workers": 1, "params": {} });
    assert_eq!(lines[0], head);
    for event in &lines[1..] {
        let expected = [
            "action",
            "count",
            "rule",
            "routes",
            "flow",
            "shared",
            "flow_successors",
            "shared_successors",
            "outcome",
        ];
        assert_eq!(keys(event), expected);
        for access in event["shared"].as_array().unwrap() {
            assert_eq!(keys(access), ["object", "access", "writer", "readers"]);
        }
    }
    let open = json!({
        "action": "/Open", "count": 1, "rule": -1, "routes": [0], "flow": [], "shared": [],
        "flow_successors": 3, "shared_successors": 0, "outcome": "done",
    });
    assert_eq!(lines[1], open);
    let first_teller = &lines[2];
    assert_eq!(first_teller["flow"], json!(["/Open:1"]));
    let first_write = json!([{ "object": "/total", "access": "write", "writer": null, "readers": 0 }]);
    assert_eq!(first_teller["shared"], first_write);
    assert_eq!((&first_teller["shared_successors"], &first_teller["rule"]), (&json!(1), &json!(0)));
    let audit = &lines[5];
    assert_eq!(audit["flow"], json!(["/Teller[0]:1", "/Teller[1]:1", "/Teller[2]:1"]));
    let last_teller = format!("{}:1", lines[4]["action"].as_str().unwrap());
    let read = json!([{ "object": "/total", "access": "read", "writer": last_teller, "readers": 0 }]);
    assert_eq!(audit["shared"], read);
    assert_eq!((&audit["routes"], &audit["outcome"]), (&json!([]), &json!("done")));
}

#[test]
fn exported_events_come_after_what_they_depend_on() {
    let folder = Folder::with("squares.hasse", SQUARES);
    folder.hasse(&["run", "squares.hasse", "--set", "n=300", "--trace", "t", "--workers", "4"]).ends(0);
    folder.hasse(&["trace", "export", "t", "--format", "jsonl", "-o", "t.jsonl"]).ends(0);
    let exported = std::fs::read_to_string(folder.path("t.jsonl")).unwrap();
    let mut seen = BTreeSet::new();
    for line in exported.lines().skip(1) {
        let event: Json = serde_json::from_str(line).unwrap();
        let (action, count) = (event["action"].as_str().unwrap(), event["count"].as_u64().unwrap());
        for sender in event["flow"].as_array().unwrap() {
            assert!(seen.contains(sender.as_str().unwrap()), "{line}");
        }
        assert!(count == 1 || seen.contains(&format!("{action}:{}", count - 1)), "{line}");
        seen.insert(format!("{action}:{count}"));
    }
    assert_eq!(seen.len(), 601);
    let names: Vec<_> =
        std::fs::read_dir(folder.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 3, "nothing else is left behind: {names:?}");
}

#[test]
fn values_of_parameters_are_exported() {
    let text = SQUARES.replace("n = \"int = 4\"", "n = \"int = 4\", w = \"vector\", name = \"string\"");
    let folder = Folder::with("squares.hasse", &text);
    let args = ["run", "squares.hasse", "--set", "w=[0.5, nan]", "--set", "name=a=b", "--trace", "t"];
    folder.hasse(&args).ends(0);
    let exported = folder.hasse(&["trace", "export", "t", "--format", "jsonl"]).ends(0).stdout;
    let head: Json = serde_json::from_str(exported.lines().next().unwrap()).unwrap();
    assert_eq!(head["params"], json!({ "n": 4, "w": [0.5, "NaN"], "name": "a=b" }));
}

#[test]
fn a_failed_export_leaves_no_file() {
    let folder = recorded();
    folder.hasse(&["trace", "export", "tellers.hasse", "--format", "jsonl", "-o", "out"]).ends(2);
    assert!(!folder.path("out").exists());
    folder.hasse(&["trace", "export", "t", "--format", "jsonl", "-o", "no/where"]).ends(2);
    folder.hasse(&["trace", "export", "t", "--format", "jsonl", "-o", "t"]).ends(2);
    for command in ["info", "events", "digest"] {
        folder.hasse(&["trace", command, "tellers.hasse"]).ends(2);
        folder.hasse(&["trace", command, "nowhere"]).ends(2);
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_leaves_is_no_fault() {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;

    let folder = Folder::with("squares.hasse", SQUARES);
    folder.hasse(&["run", "squares.hasse", "--set", "n=5000", "--trace", "t"]).ends(0);
    let mut child = folder
        .command(&["trace", "events", "t"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.starts_with("/Count:1"), "{line}");
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), &output.stderr[..]), (Some(0), &b""[..]));
}

#[test]
fn a_graph_for_graphviz_shows_events_and_what_is_before_them() {
    let folder = recorded();
    insta::assert_snapshot!(folder.hasse(&["trace", "export", "t", "--format", "dot"]).ends(0).stdout);
    let program =
        folder.hasse(&["trace", "export", "t", "--format", "dot", "--graph", "program"]).ends(0).stdout;
    insta::assert_snapshot!("program_graph_for_graphviz", program);
}

#[test]
fn a_log_for_shiviz_has_a_line_and_a_clock_for_each_event() {
    let folder = recorded();
    let log =
        folder.hasse(&["trace", "export", "t", "--format", "shiviz", "--by", "template"]).ends(0).stdout;
    insta::assert_snapshot!(log);
}

#[test]
fn options_that_say_nothing_to_a_form_are_refused() {
    let folder = recorded();
    let refused = |args: &[&str]| {
        let ran = folder.hasse(&[&["trace", "export", "t", "-o", "out"], args].concat()).ends(2);
        assert!(!folder.path("out").exists(), "{}", ran.shown());
        ran.stderr
    };
    let said = refused(&["--format", "jsonl", "--graph", "program"]);
    assert!(said.contains("--graph says nothing to the form jsonl"), "{said}");
    assert!(said.contains("--graph is for dot and graphml"), "{said}");
    let said = refused(&["--format", "dot", "--by", "template"]);
    assert!(said.contains("--by says nothing to the form dot") && said.contains("shiviz"), "{said}");
    let said = refused(&["--format", "dot", "--select", "Teler"]);
    assert!(said.contains("did you mean `Teller`"), "{said}");
    let said = refused(&["--format", "tikz"]);
    assert!(said.contains("graphml") && said.contains("parquet"), "{said}");
}

#[test]
#[cfg(not(feature = "columns"))]
fn build_without_tables_names_the_feature() {
    let folder = recorded();
    for format in ["arrow", "parquet"] {
        let ran = folder.hasse(&["trace", "export", "t", "--format", format, "-o", "out"]).ends(2);
        let said = format!("this hasse was built without exports to {format}");
        assert!(ran.stderr.contains(&said), "{}", ran.shown());
        assert!(ran.stderr.contains("cargo build --release --features columns"), "{}", ran.shown());
        assert!(!folder.path("out").exists());
    }
}

#[test]
#[cfg(feature = "columns")]
fn a_folder_of_tables_is_whole_or_not_there() {
    let folder = recorded();
    for format in ["arrow", "parquet"] {
        let ran = folder.hasse(&["trace", "export", "t", "--format", format]).ends(2);
        let said = format!("{format} cannot be written to standard output");
        assert!(ran.stderr.contains(&said) && ran.stderr.contains("-o FOLDER"), "{}", ran.shown());
        folder.hasse(&["trace", "export", "t", "--format", format, "-o", format]).ends(0);
        let ran = folder.hasse(&["trace", "export", "t", "--format", format, "-o", format]).ends(2);
        assert!(ran.stderr.contains(&format!("{format} exists already")), "{}", ran.shown());
        let mut names: Vec<_> = std::fs::read_dir(folder.path(format))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        let tables = ["actions", "edges", "events", "flow", "objects", "run", "shared"];
        assert_eq!(names, tables.map(|name| format!("{name}.{format}")));
    }
    folder.hasse(&["trace", "export", "t", "--format", "parquet", "-o", "t"]).ends(2);
    folder.hasse(&["trace", "export", "t", "--format", "parquet", "-o", "no/where"]).ends(2);
    std::fs::create_dir(folder.path("empty")).unwrap();
    folder.hasse(&["trace", "export", "t", "--format", "parquet", "-o", "empty/"]).ends(0);
    assert_eq!(std::fs::read_dir(folder.path("empty")).unwrap().count(), 7);
    let n_left = std::fs::read_dir(folder.path("")).unwrap().count();
    assert_eq!(n_left, 5, "program, trace and three folders, nothing half-written");
}

#[test]
fn a_damaged_trace_leaves_no_export_in_any_form() {
    let folder = recorded();
    let bytes = std::fs::read(folder.path("t")).unwrap();
    // An unknown version: it can be told from the first bytes that nothing can be read.
    let mut newer = bytes.clone();
    newer[8] = 99;
    std::fs::write(folder.path("newer"), newer).unwrap();
    folder
        .hasse(&["run", "tellers.hasse", "--record", "minimal", "--trace", "minimal", "--workers", "1"])
        .ends(0);
    for format in ["jsonl", "dot", "graphml", "shiviz", "perfetto", "arrow", "parquet"] {
        let export = |trace: &str| folder.hasse(&["trace", "export", trace, "--format", format, "-o", "out"]);
        export("newer").ends(2);
        let ran = export("minimal").ends(2);
        assert!(ran.stderr.contains("it holds choices, not events"), "{}", ran.shown());
    }
    assert_eq!(std::fs::read_dir(folder.path("")).unwrap().count(), 4, "nothing is left behind");
}

#[test]
fn restricting_an_export_is_exporting_what_is_restricted() {
    let folder = recorded();
    folder.hasse(&["trace", "restrict", "t", "--select", "Open", "--select", "Audit", "-o", "r"]).ends(0);
    for format in ["jsonl", "dot", "graphml", "shiviz"] {
        let export = |args: &[&str]| {
            folder.hasse(&[&["trace", "export", "--format", format], args].concat()).ends(0).stdout
        };
        let afterwards = export(&["t", "--select", "Open", "--select", "Audit"]);
        assert_eq!(afterwards, export(&["r"]), "{format}");
        assert_ne!(afterwards, export(&["t"]), "{format}");
    }
}
