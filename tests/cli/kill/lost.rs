//! Nothing that ended some time before a kill is lost, whatever bodies do.
//!
//! Each run comes to a body that does not end, when all else has ended. What ended before is in the file while the body goes on: the
//! file is looked at until it holds that, and the run is killed then. `HASSE_KILLS` says how many runs are killed.

use std::io::Write;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use super::super::support::{Folder, Ran};

/// Runs that are killed where nobody says how many: each way to wait and each mode once.
const DEFAULT_KILLS: u64 = 12;
/// Longest time that events are waited for: a machine may be busy.
const PATIENCE: Duration = Duration::from_secs(120);

/// How the last body goes on for ever: scripts that are interpreted, lowered ones, and one that waits for a line.
const WAITS: [&str; 4] = [
    "print(x); if count == total { read_line(); }",
    "print(x); if count == total { loop {} }",
    "let s = x; if count == total { while s >= 0 { s += 1; s -= 1; } }",
    "let s = x; if count == total { let k = 0; loop { k = (k + 1) % 7; } }",
];
/// What the bodies before it do.
const STEPS: [&str; 4] = [
    "",
    "do = 'let t = 0; for j in 0..2000 { t += j % 7; }'",
    "do = 'let t = elapsed();'",
    "do = 'let t = `${x}`.len;'",
];
const MODES: [&[&str]; 3] =
    [&["--record", "full"], &["--record", "restrict", "--select", "Step"], &["--record", "minimal"]];
const WORKERS: [&str; 4] = ["1", "2", "4", "8"];
const SCRIPTS: [&str; 3] = ["auto", "interpreted", "evaluated"];

/// A run, and how many of its events end.
struct Case {
    program: String,
    mode: &'static [&'static str],
    workers: &'static str,
    scripts: &'static str,
    n_events: u64,
}

impl Case {
    fn new(number: u64) -> Self {
        // Each of the choices goes round with another period.
        let pick = |n_choices: usize, every: u64| (number / every) as usize % n_choices;
        let (n_chains, n_steps) = (1 + number % 3, 20 + number * 37 % 200);
        let total = n_chains * n_steps;
        let mode_idx = pick(MODES.len(), 1);
        let program = format!(
            "hasse = 1\nmain = \"main\"\n[graph.main]\nparams = {{ total = \"int = {total}\" }}\n\
             arcs = [\"Start.go[i] -> Step[i].go\", \"Step[i].go -> Step[i].go\", \"Step[i].x -> Last.x\"]\n\
             [graph.main.uc.Start]\nout = {{ \"go[i]\" = \"int\" }}\nstart = true\n\
             route = [\"go[i] <- 1 for i in 0..{n_chains}\"]\n\
             [graph.main.uc.Step]\nindex = [\"i\"]\nin = {{ go = \"int\" }}\nout = {{ go = \"int\", x = \"int\" }}\n\
             fire = [\"go -> x\"]\n{}\nroute = [\"go <- x + 1 if x < {n_steps}\", \"x <- x\"]\n\
             [graph.main.uc.Last]\nin = {{ x = \"int\" }}\nfire = [\"x -> x\"]\ndo = '{}'\n",
            STEPS[pick(STEPS.len(), 2)],
            WAITS[pick(WAITS.len(), 3)],
        );
        // Of the last node all end but one; of a restricted record the steps alone are told.
        let n_events = if mode_idx == 1 { total } else { 1 + total + total - 1 };
        let (workers, scripts) = (WORKERS[pick(4, 1)], SCRIPTS[pick(3, 4)]);
        Self { program, mode: MODES[mode_idx], workers, scripts, n_events }
    }

    fn start(&self, folder: &Folder) -> Child {
        let mut args = vec!["run", "p.hasse", "--trace", "t", "--workers", self.workers];
        args.extend(["--scripts", self.scripts]);
        args.extend(self.mode);
        let mut command = folder.command(&args);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// Number of events that the file tells, a replay included where it holds choices.
    fn n_told(&self, folder: &Folder, workers: &str) -> u64 {
        let is_minimal = self.mode.contains(&"minimal");
        if is_minimal && folder.hasse(&["replay", "t", "--workers", workers, "--trace", "u"]).code != Some(0)
        {
            return 0;
        }
        let info = folder.hasse(&["trace", "info", if is_minimal { "u" } else { "t" }, "--json"]);
        if info.code != Some(0) {
            return 0;
        }
        info.json()["events"].as_u64().unwrap()
    }
}

#[test]
fn everything_that_ended_before_a_body_that_does_not_end_outlives_a_kill() {
    let n_kills = std::env::var("HASSE_KILLS").ok().and_then(|text| text.parse().ok());
    for number in 0..n_kills.unwrap_or(DEFAULT_KILLS) {
        let case = Case::new(number);
        let folder = Folder::with("p.hasse", &case.program);
        let mut child = case.start(&folder);
        let began = Instant::now();
        let mut n_told = 0;
        while n_told < case.n_events && began.elapsed() < PATIENCE {
            n_told = case.n_told(&folder, "1");
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let case_text =
            format!("{number}: {:?} {} {}\n{}", case.mode, case.workers, case.scripts, case.program);
        assert_eq!(n_told, case.n_events, "{case_text}");
        assert_eq!(case.n_told(&folder, "2"), case.n_events, "{case_text}");
        if case.mode.contains(&"full") {
            folder.hasse(&["replay", "t", "--workers", "2", "--trace", "u"]).ends(0);
            let digest = |trace: &str| folder.hasse(&["trace", "digest", trace]).ends(0).stdout;
            assert_eq!(digest("t"), digest("u"), "{case_text}");
        }
    }
}

/// A minimal record is whole while a body goes on for ever, whichever time it is that its action is served: now and then a worker
/// measures how long bodies take, and serves them in another way.
#[test]
fn a_body_without_end_keeps_no_cut_back_in_any_turn() {
    for total in 62..=66 {
        let program = format!(
            "hasse = 1\nmain = \"main\"\n[graph.main]\nparams = {{ total = \"int = {total}\" }}\n\
             arcs = [\"Start.o -> Last.x\", \"Last.y -> Back.x\", \"Back.y -> Last.x\"]\n\
             [graph.main.uc.Start]\nout = {{ o = \"int\" }}\nstart = true\nroute = [\"o <- 1\"]\n\
             [graph.main.uc.Last]\nin = {{ x = \"int\" }}\nout = {{ y = \"int\" }}\nfire = [\"x -> x\"]\n\
             do = 'let s = x; if x == total {{ let k = 0; loop {{ k = (k + 1) % 7; }} }}'\nroute = [\"y <- s\"]\n\
             [graph.main.uc.Back]\nin = {{ x = \"int\" }}\nout = {{ y = \"int\" }}\nfire = [\"x -> x\"]\n\
             route = [\"y <- x + 1\"]\n"
        );
        let n_events = 1 + 2 * (total - 1);
        let case = Case { program, mode: MODES[2], workers: "1", scripts: "evaluated", n_events };
        let folder = Folder::with("p.hasse", &case.program);
        let mut child = case.start(&folder);
        let began = Instant::now();
        let mut n_told = 0;
        while n_told < n_events && began.elapsed() < PATIENCE {
            n_told = case.n_told(&folder, "1");
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(n_told, n_events, "{}", case.program);
    }
}

/// What a queue's worker has executed before it came to the queue is handed over while it serves that.
#[test]
fn a_long_queue_keeps_no_event_back() {
    let text = "hasse = 1\nmain = \"m\"\n[graph.m]\narcs = [\"S.o -> A.i\", \"S.go -> T.go\", \"T.again -> T.go\"]\n\
         [graph.m.uc.S]\nout = { o = \"int\", go = \"int\" }\nstart = true\n\
         route = [\"o <- k for k in 0..3000\", \"go <- 0\"]\n\
         [graph.m.uc.A]\nin = { i = \"int\" }\nvars = { s = \"int\" }\nfire = [\"i -> x\"]\n\
         do = \"s = x; for k in 0..100000 { s = (s * 31 + k) % 1000003; }\"\n\
         [graph.m.uc.T]\nin = { go = \"int\" }\nout = { again = \"int\" }\nfire = [\"go -> x\"]\n\
         do = \"let s = 0; for k in 0..10000 { s = (s * 31 + k) % 1000003; }\"\nroute = [\"again <- x + 1\"]\n";
    let folder = Folder::with("p.hasse", text);
    let args = ["run", "p.hasse", "--trace", "t", "--workers", "2"];
    let mut child = folder.command(&args).stderr(Stdio::null()).spawn().unwrap();
    let began = Instant::now();
    let n_complete = || {
        let text = folder.hasse(&["trace", "events", "t"]).stdout;
        text.lines().count()
    };
    while n_complete() < 100 && began.elapsed() < PATIENCE {}
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(n_complete() >= 100);
    folder.hasse(&["replay", "t", "--workers", "1"]).ends(0);
}

/// Whether this process ignores SIGHUP; only Linux tells.
#[cfg(unix)]
fn ignores_hangups() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask & 1 == 1)
}

/// Ctrl-C, SIGTERM and SIGHUP end a run whose body waits for a line; the record is whole.
#[cfg(unix)]
#[test]
fn signals_end_a_run_that_waits_for_a_line() {
    let text = "hasse = 1\nmain = \"m\"\n[graph.m]\narcs = [\"In.again -> In.again\"]\n\
         [graph.m.uc.In]\nin = { again = \"bool\" }\nout = { again = \"bool\" }\nstart = true\n\
         fire = [\"again -> _a\"]\ndo = \"let line = read_line(); print(line);\"\nroute = [\"again <- true\"]\n";
    for (signal, mode) in [("-INT", "full"), ("-TERM", "full"), ("-HUP", "minimal"), ("-TERM", "minimal")] {
        let folder = Folder::with("p.hasse", text);
        let mut command =
            folder.command(&["run", "p.hasse", "--record", mode, "--trace", "t", "--workers", "2"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        writeln!(input, "one").unwrap();
        let mut line = String::new();
        let mut output = std::io::BufReader::new(child.stdout.take().unwrap());
        std::io::BufRead::read_line(&mut output, &mut line).unwrap();
        assert_eq!(line, "one\n");
        // What `nohup` started ignores SIGHUP, and so do its children.
        let signal = if signal == "-HUP" && ignores_hangups() { "-TERM" } else { signal };
        super::signal(&child, signal);
        let ran = Ran::of(child.wait_with_output().unwrap()).ends(1);
        assert!(ran.stderr.contains("stopped before the end"), "{}", ran.shown());
        let info = folder.hasse(&["trace", "info", "t", "--json"]).ends(0).json();
        assert_eq!((&info["outcome"], info["cut_off"].is_null()), (&"stopped".into(), true), "{info:#}");
        let replayed = folder.hasse(&["replay", "t"]);
        assert!(replayed.stdout == "one\n" && replayed.code == Some(0), "{}", replayed.shown());
        drop(input);
    }
}

/// A body in Rust that sleeps cannot be interrupted: the run ends without its event.
#[cfg(unix)]
#[test]
fn signals_end_a_run_whose_body_in_rust_sleeps() {
    let text = "hasse = 1\nmain = \"m\"\n[graph.m]\narcs = [\"Say.o -> Sleep.i\"]\n\
         [graph.m.uc.Say]\nout = { o = \"int\" }\nstart = true\ndo = \"print(1);\"\nroute = [\"o <- 1\"]\n\
         [graph.m.uc.Sleep]\nin = { i = \"int\" }\nfire = [\"i -> x\"]\n\
         do = { rust = \"std::thread::sleep(std::time::Duration::from_secs(3_600 * x as u64));\" }\n";
    for (signal, mode) in [("-INT", "full"), ("-TERM", "minimal")] {
        let folder = Folder::with("p.hasse", text);
        let mut command =
            folder.command(&["run", "p.hasse", "--record", mode, "--trace", "t", "--workers", "2"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let mut output = std::io::BufReader::new(child.stdout.take().unwrap());
        std::io::BufRead::read_line(&mut output, &mut line).unwrap();
        assert_eq!(line, "1\n");
        super::signal(&child, signal);
        let ran = Ran::of(child.wait_with_output().unwrap()).ends(1);
        assert!(ran.stderr.contains("stopped before the end"), "{}", ran.shown());
        let info = folder.hasse(&["trace", "info", "t", "--json"]).ends(0).json();
        assert_eq!((&info["outcome"], info["cut_off"].is_null()), (&"stopped".into(), true), "{info:#}");
    }
}

/// Sleeps for an hour where the file `long` is there.
#[cfg(unix)]
const SLEEPS: &str = r#"hasse = 1
main = "m"
[graph.m]
arcs = ["Say.o -> Sleep.i"]
[graph.m.uc.Say]
out = { o = "int" }
start = true
do = 'result("said", 1);'
route = ["o <- 1"]
[graph.m.uc.Sleep]
in = { i = "int" }
fire = ["i -> x"]
do = { rust = '''
if std::path::Path::new("long").exists() {
  std::fs::write("sleeping", "").unwrap();
  std::thread::sleep(std::time::Duration::from_secs(3_600));
}
''' }
"#;

/// Starts a command and returns when its body in Rust sleeps.
#[cfg(unix)]
fn start_sleeping(folder: &Folder, args: &[&str]) -> Child {
    let _ = std::fs::remove_file(folder.path("sleeping"));
    let mut command = folder.command(args);
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while !folder.path("sleeping").exists() {
        std::thread::yield_now();
    }
    child
}

/// One Ctrl-C ends whatever waits for a body in Rust: runs without a record, replays, and watched programs.
#[cfg(unix)]
#[test]
fn interrupt_ends_commands_whose_body_in_rust_sleeps() {
    let folder = Folder::with("p.hasse", SLEEPS);
    folder.hasse(&["run", "p.hasse", "--trace", "full"]).ends(0);
    folder.hasse(&["run", "p.hasse", "--record", "minimal", "--trace", "minimal"]).ends(0);
    folder.write("long", "");
    for args in [
        &["run", "p.hasse"][..],
        &["run", "p.hasse", "--record", "off"],
        &["run", "p.hasse", "--seed", "3", "--workers", "2"],
        &["run", "p.hasse", "--check", "check pred Sleep {Say}"],
        &["run", "p.hasse", "--json"],
        &["replay", "full"],
        &["replay", "full", "--trace", "t"],
        &["replay", "full", "--select", "Say", "--trace", "t"],
        &["replay", "minimal", "--trace", "t"],
        &["replay", "full", "--json"],
    ] {
        let child = start_sleeping(&folder, args);
        super::interrupt(&child);
        let ran = Ran::of(child.wait_with_output().unwrap());
        assert_eq!(ran.code, Some(1), "{args:?}\n{}", ran.shown());
        if args.contains(&"--json") {
            assert_eq!(ran.json()["results"]["said"], 1, "{args:?}\n{}", ran.shown());
        } else {
            assert!(ran.stdout.starts_with("said = 1\n"), "{args:?}\n{}", ran.shown());
            assert!(ran.stderr.contains("stopped before the end"), "{args:?}\n{}", ran.shown());
        }
        if args.contains(&"--trace") {
            let info = folder.hasse(&["trace", "info", "t", "--json"]).ends(0).json();
            assert_eq!((&info["outcome"], info["cut_off"].is_null()), (&"stopped".into(), true), "{info:#}");
        }
    }
    let child = start_sleeping(&folder, &["run", "p.hasse", "--watch", "--trace", "t"]);
    super::interrupt(&child);
    let ran = Ran::of(child.wait_with_output().unwrap()).ends(0);
    assert!(ran.stderr.contains("stopped before the end"), "{}", ran.shown());
    let info = folder.hasse(&["trace", "info", "t", "--json"]).ends(0).json();
    assert_eq!((&info["outcome"], info["cut_off"].is_null()), (&"stopped".into(), true), "{info:#}");
}

/// In a session, the prompt comes back after Ctrl-C though a body in Rust goes on.
#[cfg(unix)]
#[test]
fn interrupt_of_a_session_does_not_wait_for_a_body_in_rust() {
    let folder = Folder::with("p.hasse", SLEEPS);
    folder.write("long", "");
    let mut command = folder.command(&["debug", "p.hasse"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"run\nlse\n").unwrap();
    while !folder.path("sleeping").exists() {
        std::thread::yield_now();
    }
    super::interrupt(&child);
    let mut output = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut told = String::new();
    while !told.contains("/Say:1") {
        assert!(std::io::BufRead::read_line(&mut output, &mut told).unwrap() > 0, "{told}");
    }
    assert!(told.contains("`wait` waits for them"), "{told}");
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Fills the standard output, prints from an event that lasts, and goes on with slow events for ever.
const FILLS_OUTPUT: &str = r#"hasse = 1
main = "m"
[graph.m]
arcs = ["Start.a -> Fill.a", "Start.b -> Chat.b", "Start.c -> Step.c", "Step.c -> Step.c"]
[graph.m.uc.Start]
start = true
out = { a = "int", b = "int", c = "int" }
route = ["a <- 1", "b <- 1", "c <- 1"]
[graph.m.uc.Fill]
in = { a = "int" }
fire = ["a -> x"]
do = 'print(repeat("x", 4000000));'
[graph.m.uc.Chat]
in = { b = "int" }
fire = ["b -> x"]
do = 'loop { print("chat"); for j in 0..100000 { } }'
[graph.m.uc.Step]
in = { c = "int" }
out = { c = "int" }
fire = ["c -> x"]
do = 'let t = 0; for j in 0..200000 { t += j % 7; }'
route = ["c <- x + 1"]
"#;

/// A standard output that nobody reads keeps no other worker's events from the file.
#[test]
fn full_output_holds_back_no_events_of_others() {
    let folder = Folder::with("p.hasse", FILLS_OUTPUT);
    let mut command =
        folder.command(&["run", "p.hasse", "--trace", "t", "--workers", "3", "--scripts", "interpreted"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let (began, mut lengths) = (Instant::now(), std::collections::BTreeSet::new());
    // Far more than batches that are handed over because they are full.
    while lengths.len() < 20 && began.elapsed() < PATIENCE {
        lengths.extend(folder.path("t").metadata().map(|found| found.len()));
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(lengths.len(), 20);
}
