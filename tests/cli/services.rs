//! Runs without end: records of which the end is kept, and parameters that are read again.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

use serde_json::json;

use crate::support::{Folder, Ran};

/// A clock of 200 ticks, 15 ms apart: longer than two segments and a half. Values for `Late` wait from the first tick to the last.
const CLOCK: &str = "hasse = 1
main = \"main\"

[graph.main]
arcs = [
  \"Tick.again -> Tick.again\",
  \"Tick.x[i] -> Work[i].x\",
  \"Work[i].y -> Sum.y\",
  \"Tick.early -> Late.early\",
  \"Tick.last -> Late.last\",
]
share = [\"total -- Sum.total\", \"total -- Work[i].total\"]

[graph.main.shared.total]
type = \"int\"

[graph.main.uc.Tick]
in    = { again = \"bool\" }
out   = { again = \"bool\", \"x[i]\" = \"int\", early = \"int\", last = \"int\" }
start = true
fire  = [\"again -> _again\"]
route = [
  \"x[count % 4] <- count\",
  \"again <- true after 15ms if count < 200\",
  \"early <- count if count < 3\",
  \"last <- count if count == 200\",
]

[graph.main.uc.Work]
index  = [\"i\"]
in     = { x = \"int\" }
out    = { y = \"int\" }
shared = { total = \"read\" }
fire   = [\"x -> x\"]
do     = \"let y = x + total - total;\"
route  = [\"y <- y\"]

[graph.main.uc.Sum]
in     = { y = \"int\" }
shared = { total = \"write\" }
fire   = [\"y -> y\"]
do     = \"total += y;\"

[graph.main.uc.Late]
in   = { early = \"int\", last = \"int\" }
fire = [\"last -> last, early -> early\"]
do   = \"print(`${last} after ${early}`);\"
";

fn rotated(mode: &str) -> Folder {
    let folder = Folder::with("p.hasse", CLOCK);
    let args = ["run", "p.hasse", "--record", mode, "--trace", "t", "--keep", "1s"];
    let ran = folder.hasse(&args).ends(1);
    assert_eq!(ran.stdout, "200 after 1\n", "{}", ran.shown());
    folder
}

/// Parts are kept in all modes that have events.
#[test]
fn end_of_a_record_is_kept() {
    for mode in ["full", "perf", "restrict"] {
        let folder = match mode {
            "restrict" => {
                let folder = Folder::with("p.hasse", CLOCK);
                let args =
                    ["run", "p.hasse", "--select", "Sum", "--select", "Late", "--trace", "t", "--keep", "1s"];
                folder.hasse(&args).ends(1);
                folder
            }
            mode => rotated(mode),
        };
        let info = folder.hasse(&["trace", "info", "t", "--json"]).ends(0).json();
        let (n_before, n_events) =
            (info["events_before"].as_u64().unwrap(), info["events"].as_u64().unwrap());
        let n_of_run = if mode == "restrict" { 201 } else { 601 };
        assert!(n_before > 0, "{mode}: {info:#}");
        assert_eq!((n_before + n_events, &info["outcome"]), (n_of_run, &json!("quiescent")), "{mode}");
        let ran = folder.hasse(&["trace", "events", "t"]).ends(0);
        assert_eq!(ran.stdout.lines().count() as u64, n_events, "{mode}");
        assert!(ran.stdout.contains("/Sum:200"), "{}", ran.shown());
        let commands = [
            &["trace", "history", "t"][..],
            &["trace", "export", "t", "--format", "graphml"],
            &["perf", "t"],
        ];
        for command in commands {
            folder.hasse(command).ends(0);
        }
        // A file of what is kept says the same.
        folder.hasse(&["trace", "recover", "t", "--output", "one"]).ends(0);
        assert_eq!(folder.hasse(&["trace", "events", "one"]).ends(0).stdout, ran.stdout, "{mode}");
        folder.hasse(&["diff", "t", "one"]).ends(0);
    }
}

#[test]
fn what_is_not_kept_is_told() {
    let folder = rotated("full");
    let why = folder.hasse(&["why", "t", "/Late:1"]).ends(0);
    assert!(
        why.stdout.contains("it took 1 value sent before the first event that was kept"),
        "{}",
        why.shown()
    );
    for (args, message) in [
        (&["replay", "t"][..], "t begins in the middle of the run"),
        (&["trace", "minimize", "t", "-o", "m"], "t begins in the middle of the run"),
        (&["values", "t", "/Late:1"], "the record begins in the middle of the run"),
        (&["isolate", "t", "/Late:1"], "the record begins in the middle of the run"),
        (&["why", "t", "/Tick:1"], "/Tick:1 is not kept: the record begins later"),
    ] {
        let ran = folder.hasse(args).ends(2);
        assert!(ran.stderr.contains(message) && ran.stderr.contains("help: "), "{}", ran.shown());
    }
    let checked = folder.hasse(&["verify", "t", "check pred Sum {Work}"]).ends(0);
    assert!(checked.stderr.contains("events before the first one were not kept"), "{}", checked.shown());
    folder.hasse(&["trace", "restrict", "t", "--select", "Sum", "--output", "r"]).ends(0);
    let of_sum = folder.hasse(&["trace", "events", "t", "--template", "Sum"]).ends(0).stdout;
    let restricted = folder.hasse(&["trace", "events", "r"]).ends(0).stdout;
    assert_eq!(restricted.lines().count(), of_sum.lines().count());
}

#[test]
fn records_that_cannot_be_rotated_are_refused() {
    let folder = Folder::with("p.hasse", CLOCK);
    folder.write("file", "mine");
    for (args, message) in [
        (&["--keep", "10m"][..], "--keep asks for a part of a record, but there is none"),
        (&["--record", "minimal", "--keep", "10m"], "a part of a minimal record would say nothing"),
        (&["--trace", "t", "--keep", "ten"], "expected a time, such as `10m`"),
        (&["--trace", "t", "--keep", "0s"], "nothing would be kept"),
        (&["--trace", "file", "--keep", "10m"], "a rotated record is a folder"),
        (&["--trace", "p.hasse", "--keep", "10m"], "would overwrite the program"),
    ] {
        let ran = folder.hasse(&[&["run", "p.hasse"], args].concat()).ends(2);
        assert!(ran.stderr.contains(message), "{message}: {}", ran.shown());
    }
    assert_eq!(fs::read_to_string(folder.path("file")).unwrap(), "mine");
    fs::create_dir(folder.path("empty")).unwrap();
    let ran = folder.hasse(&["trace", "info", "empty"]).ends(2);
    assert!(ran.stderr.contains("there is no segment of a record in the folder"), "{}", ran.shown());
}

/// Events are printed from segment to segment while the run is under way; the reader ends with it.
#[test]
fn rotated_record_is_followed() {
    let folder = Folder::with("p.hasse", CLOCK);
    let mut follower = started(&folder, &["trace", "follow", "t", "--template", "Sum"]);
    let mut notes = BufReader::new(follower.stderr.take().unwrap()).lines();
    assert_eq!(notes.next().unwrap().unwrap(), "note: waiting for t");
    folder.hasse(&["run", "p.hasse", "--trace", "t", "--keep", "1h"]).ends(1);
    let mut said = String::new();
    follower.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    let counts: Vec<&str> = said.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let expected: Vec<String> = (1..=200).map(|count| format!("/Sum:{count}")).collect();
    assert_eq!(counts, expected);
    Ran::of(follower.wait_with_output().unwrap()).ends(0);
}

/// Prints the parameters, now and whenever they have been read again.
const SETTINGS: &str = "hasse = 1
main = \"main\"

[graph.main]
params = { limit = \"int\", place = \"string = \\\"here\\\"\" }
arcs   = [\"Watch.again -> Watch.again\"]

[graph.main.uc.Watch]
in    = { again = \"bool\" }
out   = { again = \"bool\" }
start = true
vars  = { stream = \"int\" }
fire  = [\"again -> _again\"]
do    = '''
if count == 1 { stream = watch_params(); }
let line = read_line(stream);
print(if line == () { `end with ${limit}` } else { line });
'''
route = [\"again <- true if line != ()\"]
";

#[test]
fn parameters_come_from_a_file_and_from_the_command_line() {
    let folder = Folder::with("p.hasse", SETTINGS);
    folder.write("settings", "limit = 3 # at most\nplace = \"there\"\n");
    let ran = folder.hasse(&["run", "p.hasse", "--params", "settings"]).ends(0);
    assert_eq!(ran.stdout, "{\"limit\":3,\"place\":\"there\"}\nend with 3\n");
    let ran = folder.hasse(&["run", "p.hasse", "--params", "settings", "--set", "limit=4"]).ends(0);
    assert_eq!(ran.stdout, "{\"limit\":4,\"place\":\"there\"}\nend with 4\n");
    for (text, message) in [
        ("limit = ", "settings cannot be read as parameters"),
        ("limit = \"x\"", "parameter `limit` is of type int, which `x` is not"),
        ("limit = 3\nspeed = 1", "the program has no parameter `speed`"),
        ("place = \"there\"", "`limit`"),
    ] {
        folder.write("settings", text);
        let ran = folder.hasse(&["run", "p.hasse", "--params", "settings"]).ends(2);
        assert!(ran.stderr.contains(message), "{message}: {}", ran.shown());
    }
    let ran = folder.hasse(&["run", "p.hasse", "--params", "nowhere"]).ends(2);
    assert!(ran.stderr.contains("cannot read nowhere"), "{}", ran.shown());
}

/// A service reads its parameters again at SIGHUP, and drains at SIGTERM; a replay needs neither.
#[cfg(unix)]
#[test]
fn service_reads_its_parameters_again() {
    let folder = Folder::with("p.hasse", SETTINGS);
    for mode in ["full", "minimal"] {
        let args = ["run", "p.hasse", "--service", "--params", "settings", "--record", mode, "--trace", "t"];
        folder.write("settings", "limit = 3");
        let mut child = match mode {
            "minimal" => started_as(detached(&folder), &args),
            _ => started(&folder, &args),
        };
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut notes = BufReader::new(child.stderr.take().unwrap()).lines();
        assert_eq!(lines.next().unwrap().unwrap(), "{\"limit\":3,\"place\":\"here\"}");
        folder.write("settings", "limit = 5");
        super::kill::signal(&child, "-HUP");
        assert_eq!(notes.next().unwrap().unwrap(), "the parameters have been read again");
        assert_eq!(lines.next().unwrap().unwrap(), "{\"limit\":5,\"place\":\"here\"}");
        folder.write("settings", "limit = \"many\"");
        super::kill::signal(&child, "-HUP");
        let note = notes.next().unwrap().unwrap();
        assert!(
            note.starts_with("warning: ") && note.ends_with(": the parameters stay as they are"),
            "{note}"
        );
        folder.write("settings", "limit = 7");
        super::kill::signal(&child, "-HUP");
        assert_eq!(lines.next().unwrap().unwrap(), "{\"limit\":7,\"place\":\"here\"}");
        super::kill::signal(&child, "-TERM");
        assert_eq!(lines.map_while(Result::ok).count(), 0, "{mode}");
        assert_eq!(child.wait().unwrap().code(), Some(0), "{mode}");
        let said = [3, 5, 7].map(|k| format!("{{\"limit\":{k},\"place\":\"here\"}}\n")).concat();
        assert_eq!(folder.hasse(&["replay", "t"]).stdout, said, "{mode}");
    }
}

/// Jobs that sleep, a filter for their results, a node that polls every hour, and one that reads standard input.
#[cfg(unix)]
const JOBS: &str = "hasse = 1
main = \"main\"

[graph.main]
arcs = [
  \"Jobs.job -> Work.job\",
  \"Work.done -> Filter.line\",
  \"Begin.again -> Poll.again\",
  \"Poll.again -> Poll.again\",
  \"Lines.again -> Lines.again\",
]

[graph.main.uc.Jobs]
out   = { job = \"int\" }
start = true
route = [\"job <- k for k in 0..8\"]

[graph.main.uc.Work]
in    = { job = \"int\" }
out   = { done = \"string\" }
fire  = [\"job -> job\"]
do    = '''
sleep(TIME);
print(`job ${job}`);
let done = `done ${job}`;
'''
route = [\"done <- done\"]

[graph.main.uc.Filter]
in   = { line = \"string\" }
vars = { process = \"int\" }
fire = [\"line -> line\"]
do   = '''
if count == 1 { process = start_process(\"cat\", []); }
write_line(process, line);
print(read_line(process));
'''

[graph.main.uc.Begin]
out   = { again = \"bool\" }
start = true
route = [\"again <- true\"]

[graph.main.uc.Poll]
in    = { again = \"bool\" }
out   = { again = \"bool\" }
fire  = [\"again -> _again\"]
do    = \"sleep(3600);\"
route = [\"again <- true\"]

[graph.main.uc.Lines]
in    = { again = \"bool\" }
out   = { again = \"bool\" }
start = true
fire  = [\"again -> _again\"]
do    = \"let line = read_line();\"
route = [\"again <- true if line != ()\"]
";

/// A drained service finishes its queued jobs, which sleep and ask a filter. It waits neither for more input nor for a node that polls.
#[cfg(unix)]
#[test]
fn drained_service_does_all_its_jobs() {
    let folder = Folder::with("p.hasse", &JOBS.replace("TIME", "0.02"));
    for args in [&["--record", "full"][..], &["--record", "minimal"], &["--seed", "1"]] {
        let run = ["run", "p.hasse", "--service", "--trace", "t", "--allow-run", "cat", "--workers", "2"];
        let mut child = started(&folder, &[&run[..], args].concat());
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert_eq!(lines.next().unwrap().unwrap(), "job 0");
        super::kill::signal(&child, "-TERM");
        let mut said: Vec<String> = lines.map_while(Result::ok).collect();
        said.sort();
        let mut expected: Vec<String> = (0..8).map(|k| format!("done {k}")).collect();
        expected.extend((1..8).map(|k| format!("job {k}")));
        assert_eq!(said, expected, "{args:?}");
        Ran::of(child.wait_with_output().unwrap()).ends(0);
        assert_eq!(folder.hasse(&["replay", "t"]).ends(0).stdout.lines().count(), 16, "{args:?}");
    }
}

/// With a seed and one worker the answer that was asked for first is waited for, at most until the deadline of its event.
#[cfg(unix)]
#[test]
fn deadline_ends_a_wait_with_a_seed() {
    let text = "hasse = 1
main = \"main\"
[graph.main]
[graph.main.uc.Ask]
start = true
deadline = \"20ms\"
do = 'run_command(\"sleep\", [\"600\"]);'
";
    let folder = Folder::with("p.hasse", text);
    let args = ["run", "p.hasse", "--seed", "1", "--workers", "1", "--allow-run", "sleep"];
    let ran = folder.hasse(&args).ends(1);
    assert!(ran.stderr.contains("the deadline of the event has passed"), "{}", ran.shown());
}

/// A service that does not come to its end in its time is stopped.
#[cfg(unix)]
#[test]
fn drain_has_an_end() {
    let folder = Folder::with("p.hasse", &JOBS.replace("TIME", "count * 3600 - 3600"));
    let mut child =
        started(&folder, &["run", "p.hasse", "--service", "--drain", "50ms", "--allow-run", "cat"]);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "job 0");
    super::kill::signal(&child, "-TERM");
    lines.for_each(drop);
    let ran = Ran::of(child.wait_with_output().unwrap()).ends(1);
    assert!(ran.stderr.contains("\nnot drained in 50ms: stopping\n"), "{}", ran.shown());
    for (flags, message) in [
        (&["--service", "--drain", "soon"][..], "expected a time, such as `10s` or `2m`"),
        (&["--service", "--drain", "5MB"], "expected a time, such as `10s` or `2m`"),
        (&["--drain", "5s"], "--service"),
    ] {
        let ran = folder.hasse(&[&["run", "p.hasse"], flags].concat()).ends(2);
        assert!(ran.stderr.contains(message), "{}", ran.shown());
    }
}

/// A command under way, whose input and outputs are pipes.
fn started(folder: &Folder, args: &[&str]) -> Child {
    started_as(folder.command(&[]), args)
}

/// The same as `nohup` starts it: a SIGHUP is ignored, unless it is asked for.
fn detached(folder: &Folder) -> Command {
    let mut command = Command::new("bash");
    command.args(["-c", "trap '' HUP; exec \"$@\"", "bash", env!("CARGO_BIN_EXE_hasse")]);
    command.current_dir(folder.path("")).env("HASSE_TRUST", "all");
    command
}

fn started_as(mut command: Command, args: &[&str]) -> Child {
    command.args(args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}
