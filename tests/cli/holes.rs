//! `hasse trace cut`: the record of a part of a run, which is replayed without the rest.

use std::fs;

use hasse::{NativeBody, Natives, Options, Program, Trace, Type};

use super::support::{Folder, SQUARES, TELLERS};

/// Weighs the words of a file by code in Rust, outside of the calls of `Part`, and adds the weights up in them. Objects: `log` is
/// written outside and inside, `tariff` outside alone.
const WEIGHTS: &str = r#"hasse = 1
main  = "weights"

[graph.weights]
arcs = [
  "Read.word[i] -> Weigh[i].word",
  "Weigh[i].weight[k] -> part[k].weight",
  "Weigh[i].checked -> part[0].again",
  "part[k].sum -> Weigh[k].sum",
  "part[k].sum -> Total.sum",
]
share = [
  "tariff -- Weigh[i].tariff",
  "log -- Weigh[i].log",
  "tariff -- part[k].tariff",
  "log -- part[k].log",
]

[graph.weights.shared.tariff]
type = "int"
init = "1"

[graph.weights.shared.log]
type = "string"
init = '"begun"'

[graph.weights.call.part]
graph = "Part"
index = ["k"]
args  = { factor = "10 * (k + 1)" }

[graph.weights.uc.Read]
out   = { "word[i]" = "string" }
start = true
do    = 'let words = read_text("words.txt").split(" ");'
route = ["word[i] <- words[i] for i in 0..len(words)"]

[graph.weights.uc.Weigh]
index  = ["i"]
in     = { word = "string", sum = "int" }
out    = { "weight[k]" = "int", checked = "int" }
shared = { tariff = "write", log = "write" }
fire   = ["word -> word", "sum -> sum"]
do     = { native = "weigh" }
route  = ["weight[k] <- weight + k for k in 0..2 if rule == 0", "checked <- sum if rule == 1 && sum < 200"]

[graph.weights.uc.Total]
in   = { sum = "int" }
vars = { total = "int" }
fire = ["sum -> s"]
do   = 'total = s; result("total", total);'

[graph.Part]
params = { factor = "int" }
in     = { weight = "int", again = "int" }
out    = { sum = "int" }
inout  = { tariff = "int", log = "string" }
arcs   = ["in.weight -> Add.weight", "in.again -> Add.again", "Add.sum -> out.sum"]
share  = ["inout.tariff -- Add.tariff", "inout.log -- Add.log"]

[graph.Part.uc.Add]
in     = { weight = "int", again = "int" }
out    = { sum = "int" }
vars   = { total = "int" }
shared = { tariff = "read", log = "write" }
fire   = ["weight -> w", "again -> w"]
do = '''
total += factor * w + tariff;
log += ` ${total}`;
print(`${factor}: ${log}`);
result(`of ${factor}`, total);
'''
route  = ["sum <- total if rule == 0"]
"#;

/// A folder with the record `whole.trace`, the records `part.trace` of one call and `both.trace` of both, and without the program and
/// its input.
fn cut() -> (Folder, Vec<String>) {
    let mut natives = Natives::new();
    let body = NativeBody::new("weigh")
        .needs([("word", Type::String), ("tariff", Type::Int), ("log", Type::String)])
        .lets([("weight", Type::Int)]);
    natives.body(body, |context| {
        let (tariff, log): (i64, String) = (context.get("tariff")?, context.get("log")?);
        context.set("tariff", tariff + 1)?;
        context.set("log", format!("{log} weighed"))?;
        let word: String = context.get("word").unwrap_or_default();
        context.set("weight", word.len() as i64)
    });
    let folder = Folder::with("weights.hasse", WEIGHTS);
    folder.write("words.txt", "a few words to be weighed and added");
    let program = Program::from_file(folder.path("weights.hasse"), &natives).unwrap();
    let options = Options::new().workers(4).allow_read(folder.path(".")).output(|_: &str| {});
    let (run, trace) = program.record(&options).unwrap();
    let results = run.finished().unwrap();
    let results =
        ["of 10", "of 20"].map(|name| format!("{name} = {}\n", results.result::<i64>(name).unwrap()));
    trace.save(folder.path("whole.trace")).unwrap();
    let save =
        |keep: &str, name: &str| program.cut(&trace, &[keep], &options).unwrap().save(folder.path(name));
    save("/part[1]", "part.trace").unwrap();
    save("Part", "both.trace").unwrap();
    fs::remove_file(folder.path("weights.hasse")).unwrap();
    fs::remove_file(folder.path("words.txt")).unwrap();
    (folder, results.to_vec())
}

#[test]
fn cut_record_is_replayed_without_input_files_and_native_code() {
    let (folder, results) = cut();
    folder.hasse(&["replay", "whole.trace"]).ends(2);
    for workers in ["1", "4"] {
        let part = folder.hasse(&["replay", "part.trace", "--workers", workers]).ends(0);
        assert!(part.stdout.ends_with(&results[1]), "{}", part.shown());
        assert!(!part.stdout.contains(&results[0]), "{}", part.shown());
        let both = ["replay", "both.trace", "--workers", workers, "--trace", "again.trace"];
        let both = folder.hasse(&both).ends(0);
        assert!(both.stdout.ends_with(&results.concat()), "{}", both.shown());
        // What both write to the log and print is as it was, with what came between.
        assert!(both.stdout.contains("weighed weighed"), "{}", both.shown());
        let digest = |trace: &str| folder.hasse(&["trace", "digest", trace]).ends(0).stdout;
        assert_eq!(digest("again.trace"), digest("both.trace"));
        // What a replay records is a record of the same part, and needs no more.
        let again = folder.hasse(&["replay", "again.trace"]).ends(0);
        assert_eq!(again.stdout, both.stdout);
    }
}

#[test]
fn program_file_of_the_recorded_name_does_not_matter() {
    let (folder, results) = cut();
    folder.write("weights.hasse", SQUARES);
    let part = folder.hasse(&["replay", "part.trace"]).ends(0);
    assert!(part.stdout.ends_with(&results[1]), "{}", part.shown());
}

#[test]
fn cut_record_says_what_it_keeps() {
    let (folder, _) = cut();
    let info = folder.hasse(&["trace", "info", "part.trace"]).ends(0).stdout;
    assert!(info.contains("holes"), "{info}");
    assert!(info.contains("/part[1]"), "{info}");
    let info = folder.hasse(&["trace", "info", "both.trace", "--json"]).ends(0).json();
    assert_eq!(info["mode"], "holes");
    assert_eq!(info["kept"], serde_json::json!(["Part"]));
    assert_eq!(info["outcome"], "finished");
    assert!(info["events_outside"].as_u64().unwrap() > 0, "{info:#}");
}

#[test]
fn events_states_and_sessions_look_into_a_cut_record() {
    let (folder, _) = cut();
    let values = folder.hasse(&["values", "part.trace", "/part[1]/Add:2"]).ends(0).stdout;
    assert!(values.contains("weight = "), "{values}");
    assert!(values.contains("(from /Weigh["), "{values}");
    let why = folder.hasse(&["why", "part.trace", "/part[1]/Add:1"]).ends(0).stdout;
    assert!(why.contains("sent by routing rule 0 of Weigh"), "{why}");
    let alone = folder.hasse(&["isolate", "part.trace", "/part[1]/Add:3"]).ends(0).stdout;
    assert!(alone.contains("the same as recorded"), "{alone}");
    let state = folder.hasse(&["state", "part.trace", "--at", "/part[1]/Add:4"]).ends(0).stdout;
    assert!(state.contains("/part[1]/Add: 4 executions"), "{state}");
    assert!(state.contains("port weight"), "{state}");
    folder.write("look", "mode replay\nstop in Add at befcomp if count == 3\nrun\nprint w\ncont\nquit\n");
    let session = folder.hasse(&["debug", "part.trace", "--commands", "look"]);
    assert!(session.stdout.contains("/part[1]/Add:3"), "{}", session.shown());
    folder.hasse(&["trace", "events", "part.trace"]).ends(0);
    folder.hasse(&["trace", "export", "part.trace", "--format", "jsonl"]).ends(0);
}

#[test]
fn what_needs_the_whole_run_refuses_a_cut_record() {
    let (folder, _) = cut();
    let refused = |args: &[&str], says: &str| {
        let ran = folder.hasse(args).ends(2);
        assert!(ran.stderr.contains(says), "{}", ran.shown());
    };
    refused(&["races", "part.trace"], "a holes record does not hold every event");
    refused(&["fork", "part.trace", "--at", "end"], "the record has holes");
    refused(&["resume", "part.trace"], "holes");
    refused(&["trace", "minimize", "part.trace", "-o", "m"], "past");
    refused(&["trace", "cut", "part.trace", "--keep", "Part", "-o", "c"], "the record has holes already");
    refused(&["values", "part.trace", "/Weigh[0]:1"], "earlier states and values cannot be made again");
}

/// The folder of a recorded run.
fn recorded(text: &str) -> Folder {
    let folder = Folder::with("p.hasse", text);
    folder.hasse(&["run", "p.hasse", "--trace", "t", "--workers", "2"]).ends(0);
    folder
}

#[test]
fn command_cuts_full_minimal_and_perf_records() {
    for mode in ["full", "minimal", "perf"] {
        let folder = Folder::with("p.hasse", SQUARES);
        folder.hasse(&["run", "p.hasse", "--trace", "t", "--record", mode]).ends(0);
        let cut = folder
            .hasse(&["trace", "cut", "t", "--keep", "Square[1..3]", "--keep", "Sum", "-o", "c"])
            .ends(0);
        assert_eq!(cut.stderr, "6 events kept; 3 events outside as senders\n");
        assert_eq!(folder.hasse(&["replay", "c"]).ends(0).stdout, "the squares below 4\ntotal = 14\n");
    }
}

#[test]
fn contents_of_shared_objects_come_from_outside() {
    let folder = recorded(TELLERS);
    folder.hasse(&["trace", "cut", "t", "--keep", "Audit", "-o", "c"]).ends(0);
    let whole = folder.hasse(&["replay", "t"]).ends(0).stdout;
    assert_eq!(folder.hasse(&["replay", "c"]).ends(0).stdout, whole);
    assert!(whole.contains("total = 106"), "{whole}");
}

#[test]
fn whole_run_may_be_kept() {
    let folder = recorded(TELLERS);
    folder.hasse(&["trace", "cut", "t", "--keep", "/", "-o", "c"]).ends(0);
    let whole = folder.hasse(&["replay", "t"]).ends(0).stdout;
    assert_eq!(folder.hasse(&["replay", "c"]).ends(0).stdout, whole);
}

#[test]
fn mistakes_in_what_is_kept_are_explained() {
    let folder = recorded(SQUARES);
    let refused =
        |args: &[&str]| folder.hasse(&[&["trace", "cut", "t", "-o", "c"], args].concat()).ends(2).stderr;
    let unknown = refused(&["--keep", "Squire"]);
    assert!(unknown.contains("has no node `Squire`") && unknown.contains("Square"), "{unknown}");
    let none = refused(&["--keep", "Square[7]"]);
    assert!(none.contains("nothing would be kept: the record has no event of Square[7]"), "{none}");
    assert!(refused(&[]).contains("--keep"));
    assert!(!folder.path("c").exists());
    folder.hasse(&["run", "p.hasse", "--trace", "r", "--select", "Sum"]).ends(0);
    let restricted = folder.hasse(&["trace", "cut", "r", "--keep", "Sum", "-o", "c"]).ends(2).stderr;
    assert!(restricted.contains("restricted"), "{restricted}");
    folder.hasse(&["fork", "t", "--at", "end", "--with", "/Sum.total=9", "-o", "f"]).ends(0);
    let changed = folder.hasse(&["trace", "cut", "f", "--keep", "Sum", "-o", "c"]).ends(2).stderr;
    assert!(changed.contains("the record goes on from changes that a fork made"), "{changed}");
    let same = folder.hasse(&["trace", "cut", "t", "--keep", "Sum", "-o", "t"]).ends(2).stderr;
    assert!(same.contains("would overwrite the trace that is cut"), "{same}");
}

#[test]
fn ports_that_drop_values_are_not_kept() {
    let text = SQUARES.replace(
        "in    = { square = \"int\" }",
        "in    = { square = { type = \"int\", bound = 1, full = \"drop-oldest\" } }",
    );
    let folder = Folder::with("p.hasse", &text);
    folder.hasse(&["run", "p.hasse", "--trace", "t", "--workers", "1", "--set", "n=40"]);
    let drops = folder.hasse(&["trace", "info", "t", "--json"]).ends(0).json()["dropped"].to_string();
    if drops.contains("Sum") {
        let refused = folder.hasse(&["trace", "cut", "t", "--keep", "Sum", "-o", "c"]).ends(2);
        assert!(
            refused.stderr.contains("values were dropped as port Sum.square was full"),
            "{}",
            refused.shown()
        );
    }
    folder.hasse(&["trace", "cut", "t", "--keep", "Square", "-o", "c"]).ends(0);
    folder.hasse(&["replay", "c"]).ends(0);
}

#[test]
fn trace_without_holes_makes_the_same_program() {
    let (folder, _) = cut();
    let bytes = fs::read(folder.path("whole.trace")).unwrap();
    assert!(Program::of_trace(&Trace::from_bytes(&bytes), &Natives::new()).is_err());
    let bytes = fs::read(folder.path("part.trace")).unwrap();
    let trace = Trace::from_bytes(&bytes);
    let program = Program::of_trace(&trace, &Natives::new()).unwrap();
    let (_, again) =
        program.replay_recorded(&trace, &Options::new().workers(2).output(|_: &str| {})).unwrap();
    assert_eq!(again.digest().unwrap(), trace.digest().unwrap());
}
