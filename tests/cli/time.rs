//! Delayed values, in real and in virtual time.

use serde_json::json;

use crate::support::Folder;

const CLOCK: &str = "hasse = 1
main = \"clock\"
[graph.clock]
params = { n = \"int = 3\", unit = \"int = 20\" }
arcs = [\"Tick.next -> Tick.next\", \"Tick.tick -> Show.tick\"]
[graph.clock.uc.Tick]
in = { next = \"int\" }
out = { next = \"int\", tick = \"int\" }
start = true
fire = [\"next -> _k\"]
route = [\"tick <- count\", \"next <- count after unit ms if count < n\"]
[graph.clock.uc.Show]
in = { tick = \"int\" }
fire = [\"tick -> k\"]
do = 'print(k); result(\"elapsed\", elapsed());'
";

#[test]
fn a_timer_takes_its_time_and_its_replay_none() {
    let folder = Folder::with("clock.hasse", CLOCK);
    for mode in ["full", "minimal", "perf"] {
        let ran =
            folder.hasse(&["run", "clock.hasse", "--record", mode, "--trace", "t", "--json"]).ends(0).json();
        assert!(ran["results"]["elapsed"].as_f64().unwrap() >= 0.04, "{mode}: {ran}");
        if mode != "perf" {
            let replayed = folder.hasse(&["replay", "t", "--json"]).ends(0).json();
            assert_eq!(replayed["results"], ran["results"], "{mode}");
        }
    }
}

/// A day, in which a second passes between two events; an hour between two others.
#[test]
fn virtual_time_takes_no_time() {
    let folder = Folder::with("clock.hasse", CLOCK);
    let day =
        ["run", "clock.hasse", "--virtual-time", "--set", "n=25", "--set", "unit=3600000", "--trace", "t"];
    let ran = folder.hasse(&day).ends(0);
    let lines: String = (1..26).map(|k| format!("{k}\n")).collect();
    assert_eq!(ran.stdout, format!("{lines}elapsed = 86400.0\n"));
    assert_eq!(folder.hasse(&["replay", "t"]).ends(0).stdout, ran.stdout);
}

/// Values come in the order of their times, whoever sends them; those of one sender for one port in the order sent.
#[test]
fn values_come_in_the_order_of_their_times() {
    let text = "hasse = 1
main = \"order\"
[graph.order]
arcs = [\"Make.o[k] -> Pass[k].v\", \"Pass[i].o -> Log.v\", \"Make.late -> Log.v\", \"Make.soon -> Log.v\"]
[graph.order.uc.Make]
start = true
out = { \"o[k]\" = \"int\", late = \"int\", soon = \"int\" }
route = [
  \"o[k] <- k for k in 0..4\",
  \"late <- 100 after 1.5 s, late <- 101 after 2 h, soon <- 102 after 10 ms, soon <- 103\",
]
[graph.order.uc.Pass]
index = [\"i\"]
in = { v = \"int\" }
out = { o = \"int\" }
fire = [\"v -> v\"]
route = [\"o <- v after 1000 * (4 - i) ms\"]
[graph.order.uc.Log]
in = { v = \"int\" }
fire = [\"v -> v\"]
do = 'print(`${elapsed()}: ${v}`);'
";
    let folder = Folder::with("order.hasse", text);
    let expected = "1.0: 3\n1.5: 100\n2.0: 2\n3.0: 1\n4.0: 0\n7200.0: 101\n7200.0: 102\n7200.0: 103\n";
    for workers in ["1", "2", "5"] {
        for mode in ["full", "minimal"] {
            let run = [
                "run",
                "order.hasse",
                "--virtual-time",
                "--workers",
                workers,
                "--record",
                mode,
                "--trace",
                "t",
            ];
            assert_eq!(folder.hasse(&run).ends(0).stdout, expected);
            assert_eq!(folder.hasse(&["replay", "t", "--workers", workers]).ends(0).stdout, expected);
        }
    }
}

#[test]
fn what_is_to_come_does_not_keep_the_stop_node_from_ending_the_run() {
    let text = CLOCK
        .replace("[graph.clock.uc.Show]", "[graph.clock.uc.Show]\nstop = true")
        .replace("n = \"int = 3\"", "n = \"int = 1000\"");
    let folder = Folder::with("clock.hasse", &text);
    for arguments in [&["--set", "unit=1000000"][..], &["--virtual-time"]] {
        let ran = folder.hasse(&[&["run", "clock.hasse", "--trace", "t"], arguments].concat()).ends(0);
        assert!(ran.stdout.starts_with("1\nelapsed = "), "{}", ran.shown());
        assert_eq!(folder.hasse(&["replay", "t"]).ends(0).stdout, ran.stdout);
    }
}

#[test]
fn a_time_that_is_none_fails_the_event() {
    for (time, message) in [
        ("unit - 21 ms", "the delay is negative: -1 ms"),
        ("1.0 * unit / 0.0 ms", "the delay is too long: inf ms"),
        ("unit * 1000000 d", "the delay is too long: 20000000 d"),
        ("(if count > 0 { any } else { 1 }) s", "a delay must be a number, not a string"),
    ] {
        let text = CLOCK
            .replace("unit ms", time)
            .replace("start = true", "vars = { any = 'any = \"x\"' }\nstart = true");
        let ran = Folder::with("clock.hasse", &text).hasse(&["run", "clock.hasse"]).ends(1);
        assert!(ran.stderr.contains("R0005") && ran.stderr.contains(message), "{time}: {}", ran.shown());
    }
}

/// Nothing is lost on the way to ports with bounds, which hold more than their bound of such values.
#[test]
fn a_port_with_a_bound_takes_values_that_come_later() {
    let text = CLOCK
        .replace("in = { tick = \"int\" }", "in = { tick = { type = \"int\", bound = 2 } }")
        .replace("tick <- count\"", "tick <- k after 1 ms for k in 0..50\"");
    let folder = Folder::with("clock.hasse", &text);
    for workers in ["1", "2"] {
        let run = ["run", "clock.hasse", "--virtual-time", "--workers", workers, "--trace", "t"];
        let ran = folder.hasse(&run).ends(0);
        assert_eq!(ran.stdout.lines().count(), 151, "{}", ran.shown());
        assert_eq!(folder.hasse(&["replay", "t"]).ends(0).stdout, ran.stdout);
    }
}

#[test]
fn many_timers_come_in_order() {
    let text = CLOCK
        .replace("tick <- count\"", "tick <- k after k us for k in 0..20000\"")
        .replace("print(k);", "if k != (count - 1) % 20000 { throw k; }");
    let folder = Folder::with("clock.hasse", &text);
    let ran = folder.hasse(&["run", "clock.hasse", "--virtual-time", "--json"]).ends(0).json();
    assert_eq!((&ran["outcome"], &ran["events"]), (&json!("finished"), &json!(60_003)));
}

#[test]
fn the_tier_of_such_a_node_is_explained() {
    let ran =
        Folder::with("clock.hasse", CLOCK).hasse(&["check", "--explain-lowering", "clock.hasse"]).ends(0);
    let reason = "it sends delayed values";
    assert!(ran.stdout.contains(reason), "{}", ran.shown());
}

/// A session that is at rest delivers no delayed value, and reports that there is one.
#[test]
fn a_session_stops_between_the_values_of_a_timer() {
    let folder = Folder::with("clock.hasse", CLOCK);
    folder.write("commands", "stop in Show\nrun\ncont\nwhy /Tick\ncont\ncont\n");
    let ran = folder.hasse(&["debug", "clock.hasse", "--commands", "commands", "--workers", "1"]).ends(0);
    let at = |text: &str| ran.stdout.find(text).unwrap_or_else(|| panic!("no {text}: {}", ran.shown()));
    let order = ["stopped: /Show:1", "stopped: /Show:2", "/Tick: ", "stopped: /Show:3", "elapsed = "].map(at);
    assert!(order.is_sorted(), "{}", ran.shown());
    assert!(
        ran.stdout.contains("1 value is delayed") || ran.stdout.contains("port next holds 1"),
        "{}",
        ran.shown()
    );
}
