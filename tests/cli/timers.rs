//! Timers, start nodes that wait, deadlines and pauses between retries, in virtual time.

use serde_json::json;

use crate::support::Folder;

/// Runs a program in virtual time with one and two workers, in two modes of recording, and its replays. Returns what it prints.
fn printed(text: &str, code: i32) -> String {
    let folder = Folder::with("p.hasse", text);
    let mut outputs = Vec::new();
    for (workers, mode) in [("1", "full"), ("2", "minimal")] {
        let run =
            ["run", "p.hasse", "--virtual-time", "--workers", workers, "--record", mode, "--trace", "t"];
        let ran = folder.hasse(&run).ends(code);
        assert_eq!(folder.hasse(&["replay", "t"]).ends(0).stdout, ran.stdout, "{mode}");
        outputs.push(ran.stdout);
    }
    // A seed blocks the worker that waits.
    let seeded =
        folder.hasse(&["run", "p.hasse", "--virtual-time", "--workers", "1", "--seed", "3"]).ends(code);
    outputs.push(seeded.stdout);
    assert!(outputs.windows(2).all(|pair| pair[0] == pair[1]), "{outputs:?}");
    outputs.remove(0)
}

/// The event of a tick takes longer than the period: the ticks that it misses are left out, and the next one is on time.
#[test]
fn timer_leaves_missed_ticks_out() {
    let text = "hasse = 1
main = \"clock\"
[graph.clock.uc.Tick]
every = \"100 ms\"
fire = [\"every -> _k if count <= 4\"]
do = 'print(elapsed()); if count == 2 { sleep(0.25); }'
";
    assert_eq!(printed(text, 0), "0.0\n0.1\n0.4\n0.5\n");
}

/// A timer goes on after an event that has failed, if the node does.
#[test]
fn timer_goes_on_after_a_handled_error() {
    let text = "hasse = 1
main = \"clock\"
[graph.clock.uc.Tick]
every = \"1s\"
fire = [\"every -> _k if count <= 3\"]
do = 'print(count); if count == 2 { throw \"no\"; }'
on_error = \"continue\"
";
    assert_eq!(printed(text, 0), "1\n2\n3\n");
    let stops = text.replace("on_error = \"continue\"\n", "");
    assert_eq!(printed(&stops, 1), "1\n2\n");
}

/// A timer with other rules sends to itself only after its own ticks.
#[test]
fn timer_takes_other_values_too() {
    let text = "hasse = 1
main = \"clock\"
[graph.clock]
arcs = [\"Start.x -> Tick.x\"]
[graph.clock.uc.Start]
start = true
out = { x = \"string\" }
route = ['x <- \"a\" after 15 ms', 'x <- \"b\" after 25 ms']
[graph.clock.uc.Tick]
in = { x = \"string\" }
every = \"10 ms\"
fire = [\"x -> x\", \"every -> k if elapsed() < 0.035\"]
do = 'print(if x == () { `tick ${elapsed()}` } else { `${x} ${elapsed()}` });'
";
    // A guard cannot read the clock.
    let folder = Folder::with("p.hasse", text);
    assert!(folder.hasse(&["check", "p.hasse"]).ends(1).stderr.contains("E0"));
    let text = text
        .replace("every -> k if elapsed() < 0.035", "every -> k if ticks < 3")
        .replace("every = \"10 ms\"", "vars = { ticks = \"int\" }\nevery = \"10 ms\"")
        .replace("do = 'print(if x == ()", "do = 'if x == () && rule == 1 { ticks += 1; } print(if x == ()");
    assert_eq!(printed(&text, 0), "tick 0.0\ntick 0.01\na 0.015\ntick 0.02\nb 0.025\ntick 0.03\n");
}

/// The node executes nothing before its time, also where values wait for it.
#[test]
fn start_node_waits_for_its_time() {
    let text = "hasse = 1
main = \"late\"
[graph.late]
params = { minutes = \"int = 2\" }
arcs = [\"Now.x -> Late.x\"]
[graph.late.uc.Now]
start = true
out = { x = \"int\" }
route = [\"x <- 7\"]
[graph.late.uc.Late]
after = \"minutes min\"
in = { x = \"int\" }
fire = [\"x -> x\"]
do = 'print(`${elapsed()} ${x}`);'
";
    assert_eq!(printed(text, 0), "120.0 \n120.0 7\n");
}

/// A run that drains starts nothing that is still to start.
#[test]
fn interruption_ends_a_run_before_its_start_node() {
    let text = "hasse = 1
main = \"late\"
[graph.late.uc.Stop]
start = true
stop = true
[graph.late.uc.Late]
after = \"1h\"
do = 'print(\"late\");'
";
    assert_eq!(printed(text, 0), "");
}

/// Each attempt has a deadline of its own; what waits longer fails, and what the body catches goes on.
#[test]
fn deadline_is_that_of_each_attempt() {
    let text = "hasse = 1
main = \"slow\"
[graph.slow.uc.Ask]
start = true
deadline = \"2s\"
retry = 3
backoff = \"1s\"
do = 'print(`asked ${elapsed()}`); sleep(4.5 - elapsed() / 2.0); print(`answered ${elapsed()}`);'
";
    // Attempts at 0, 3, 7 and 13 s; the last one sleeps no time.
    let expected = "asked 0.0\nasked 3.0\nasked 7.0\nanswered 8.0\n";
    assert_eq!(printed(text, 0), expected);
    let catches =
        text.replace("sleep(4.5 - elapsed() / 2.0);", "try { sleep(4.5); } catch (e) { print(e); }");
    assert_eq!(printed(&catches, 0), "asked 0.0\nthe deadline of the event has passed\nanswered 2.0\n");
}

/// Pauses double.
#[test]
fn pauses_between_attempts_double() {
    let text = "hasse = 1
main = \"tries\"
[graph.tries]
params = { pause = \"int = 10\" }
[graph.tries.uc.Try]
start = true
retry = 4
backoff = \"pause ms\"
do = 'print(elapsed()); if elapsed() < 0.1 { throw \"no\"; }'
";
    assert_eq!(printed(text, 0), "0.0\n0.01\n0.03\n0.07\n0.15\n");
    let fails = text.replace("retry = 4", "retry = 2");
    assert_eq!(printed(&fails, 1), "0.0\n0.01\n0.03\n");
}

/// A value on the port ends the wait; it is taken by the next event.
#[test]
fn value_cancels_an_event_that_waits() {
    let text = "hasse = 1
main = \"cancel\"
[graph.cancel]
arcs = [\"Start.work -> Work.work\", \"Start.stop -> Work.stop\"]
[graph.cancel.uc.Start]
start = true
out = { work = \"int\", stop = \"string\" }
route = [\"work <- k for k in 1..4\", 'stop <- \"a\" after 1500 ms', 'stop <- \"b\" after 9 s']
[graph.cancel.uc.Work]
in = { work = \"int\", stop = { type = \"string\", left = \"ok\" } }
cancel = \"stop\"
prefer = true
fire = [\"stop -> s\", \"work -> w\"]
do = '''
if rule == 0 { print(`${elapsed()}: ${s}`); } else {
  try { sleep(1.0); print(`${elapsed()}: ${w} done`); } catch (e) { print(`${elapsed()}: ${w} ${e}`); }
}
'''
";
    let folder = Folder::with("p.hasse", text);
    let expected = "1.0: 1 done\n1.5: 2 the event was cancelled\n1.5: a\n2.5: 3 done\n9.0: b\n";
    for (workers, mode) in [("1", "full"), ("2", "minimal"), ("3", "full")] {
        let run =
            ["run", "p.hasse", "--virtual-time", "--workers", workers, "--record", mode, "--trace", "t"];
        assert_eq!(folder.hasse(&run).ends(0).stdout, expected, "{mode}");
        assert_eq!(folder.hasse(&["replay", "t"]).ends(0).stdout, expected, "{mode}");
    }
}

/// Of an answer and a value that come at the same time, one ends the wait: nothing is lost, and nobody is served twice.
#[test]
fn cancelled_and_answered_events_are_counted_once() {
    let text = "hasse = 1
main = \"race\"
[graph.race]
params = { n = \"int = 300\" }
arcs = [\"Start.work[k] -> Work[k].work\", \"Start.stop[k] -> Work[k].stop\", \"Work[k].done -> Count.done\"]
[graph.race.uc.Start]
start = true
out = { \"work[k]\" = \"int\", \"stop[k]\" = \"int\" }
route = [\"work[k] <- k for k in 0..n\", \"stop[k] <- k after 500 us for k in 0..n\"]
[graph.race.uc.Work]
index = [\"k\"]
in = { work = \"int\", stop = { type = \"int\", left = \"ok\" } }
out = { done = \"bool\" }
cancel = \"stop\"
fire = [\"work -> w\", \"stop -> _s\"]
do = 'let done = false; if rule == 0 { try { sleep(0.0005); done = true; } catch { } }'
route = [\"done <- done if rule == 0\"]
[graph.race.uc.Count]
in = { done = \"bool\" }
vars = { n_done = \"int\" }
fire = [\"done -> d\"]
do = 'if d { n_done += 1; } result(\"events\", count); result(\"done\", n_done);'
";
    let folder = Folder::with("p.hasse", text);
    for (workers, mode) in [("1", "full"), ("2", "minimal"), ("4", "full")] {
        let run = ["run", "p.hasse", "--workers", workers, "--record", mode, "--trace", "t", "--json"];
        let ran = folder.hasse(&run).ends(0).json();
        assert_eq!((&ran["results"]["events"], &ran["events"]), (&json!(300), &json!(901)), "{ran}");
        let replayed = folder.hasse(&["replay", "t", "--json"]).ends(0).json();
        assert_eq!(replayed["results"], ran["results"], "{mode}");
    }
}

/// A rule with a time is enabled only as long as its values are there; each event begins the time anew.
#[test]
fn rule_is_enabled_after_its_time() {
    let text = "hasse = 1
main = \"quiet\"
[graph.quiet]
params = { limit = \"int = 55\" }
arcs = [\"Send.x -> Watch.x\", \"Watch.alive -> Watch.alive\"]
[graph.quiet.uc.Send]
start = true
out = { x = \"int\" }
route = [\"x <- k after k * k * 10 ms for k in 1..5\"]
[graph.quiet.uc.Watch]
in = { x = { type = \"int\", left = \"ok\" }, alive = { type = \"bool\", initial = [true], left = \"ok\" } }
out = { alive = \"bool\" }
fire = [\"x -> x\", \"alive -> _a after limit ms if count < 9\"]
do = 'print(if rule == 0 { `${elapsed()}: ${x}` } else { `${elapsed()}: quiet` });'
route = [\"alive <- true if rule == 1\"]
";
    // Values come after 10, 40, 90 and 160 ms.
    let expected =
        "0.01: 1\n0.04: 2\n0.09: 3\n0.145: quiet\n0.16: 4\n0.215: quiet\n0.27: quiet\n0.325: quiet\n";
    assert_eq!(printed(text, 0), expected);
    let negative = text.replace("limit = \"int = 55\"", "limit = \"int = -1\"");
    let ran = Folder::with("p.hasse", &negative).hasse(&["run", "p.hasse"]).ends(1);
    assert!(ran.stderr.contains("the time of the rule is negative: -1 ms"), "{}", ran.shown());
}

/// In real time, values that come while a rule waits do not lose its moment.
#[test]
fn rule_with_time_fires_in_real_time() {
    let text = "hasse = 1
main = \"join\"
[graph.join]
params = { n = \"int = 200\" }
arcs = [\"Send.a[k] -> Join[k].a\", \"Send.b[k] -> Join[k].b\", \"Join[k].one -> Sum.one\"]
[graph.join.uc.Send]
start = true
out = { \"a[k]\" = \"int\", \"b[k]\" = \"int\" }
route = [\"a[k] <- k for k in 0..n\", \"b[k] <- k after k * 50 us for k in 0..n\"]
[graph.join.uc.Join]
index = [\"k\"]
in = { a = \"int\", b = { type = \"int\", left = \"ok\" } }
out = { one = \"int\" }
fire = [\"a -> a, b -> b\", \"a -> a after 3 ms\"]
route = [\"one <- 1\"]
[graph.join.uc.Sum]
in = { one = \"int\" }
fire = [\"one -> _one\"]
do = 'result(\"joined\", count);'
";
    let folder = Folder::with("p.hasse", text);
    for (workers, mode) in [("1", "full"), ("2", "minimal"), ("3", "full")] {
        let run = ["run", "p.hasse", "--workers", workers, "--record", mode, "--trace", "t"];
        assert_eq!(folder.hasse(&run).ends(0).stdout, "joined = 200\n");
        assert_eq!(folder.hasse(&["replay", "t"]).ends(0).stdout, "joined = 200\n");
    }
}

/// Parameters may give a time that makes no sense; the run says so before it begins.
#[test]
fn time_that_makes_no_sense_is_reported() {
    let text = "hasse = 1
main = \"late\"
[graph.late]
params = { seconds = \"int = 1\" }
[graph.late.uc.Late]
after = \"seconds s\"
";
    let folder = Folder::with("p.hasse", text);
    let ran = folder.hasse(&["run", "p.hasse", "--set", "seconds=-1"]);
    assert!(
        ran.stderr.contains("`after` of the node `Late`") && ran.stderr.contains("is too short: -1 s"),
        "{}",
        ran.shown()
    );
    let period = text.replace("after = ", "every = ");
    let folder = Folder::with("p.hasse", &period);
    let ran = folder.hasse(&["run", "p.hasse", "--set", "seconds=0"]).ends(1);
    assert!(
        ran.stderr.contains("`every` of the node `Late`") && ran.stderr.contains("is too short: 0 s"),
        "{}",
        ran.shown()
    );
}

/// Parameters may give bounds and numbers that make no sense; the run says so before it begins, with the code and the line.
#[test]
fn bound_that_makes_no_sense_is_reported() {
    let text = "hasse = 1
main = \"g\"
[graph.g]
params = { bound = \"int = 1\", most = \"int = 1\", retries = \"int = 1\", days = \"int = 1\" }
[graph.g.uc.Work]
start = true
in = { x = { type = \"int\", bound = \"bound\" } }
at_once = \"most\"
retry = \"retries\"
backoff = \"days d\"
deadline = \"24 / days d\"
fire = [\"x -> x\"]
do = \"print(x);\"
";
    let folder = Folder::with("p.hasse", text);
    for (setting, said) in [
        ("bound=0", "R0005: the bound of the port `x` (line 7) is 0, and at least one value must have room"),
        (
            "most=0",
            "R0005: `at_once` of the node `Work` (line 5) is 0, and at least one instance must be able to execute",
        ),
        ("retries=-1", "R0005: `retry` of the node `Work` (line 5) is -1, which is no number of retries"),
        ("days=-1", "R0005: `deadline` of the node `Work` (line 5) is too short: -24 d"),
        ("days=0", "R0005: `deadline` of the node `Work` (line 5) cannot be computed: 24 is divided by zero"),
        ("days=1000000", "R0005: `deadline` of the node `Work` (line 5) is too short: 0 d"),
    ] {
        let ran = folder.hasse(&["run", "p.hasse", "--set", setting]).ends(1);
        assert!(ran.stderr.contains(said), "{setting}: {}", ran.shown());
    }
    let folder = Folder::with("p.hasse", &text.replace("24 / days d", "1 d"));
    let ran = folder.hasse(&["run", "p.hasse", "--set", "days=1000000"]).ends(1);
    assert!(
        ran.stderr.contains("`backoff` of the node `Work` (line 5) is too long: 1000000 d"),
        "{}",
        ran.shown()
    );
}

/// Rules that are due within microseconds: an instance may be looked at by one worker while another has it. None is forgotten.
#[test]
fn rules_of_many_instances_are_due_at_once() {
    let text = "hasse = 1
main = \"due\"
[graph.due]
params = { n = \"int = 1000\" }
arcs = [\"Make.a[k] -> Wait[k].a\", \"Wait[k].done -> Count.done\"]
[graph.due.uc.Make]
start = true
out = { \"a[k]\" = \"int\" }
route = [\"a[k] <- j * n + k for k in 0..n for j in 0..3\"]
[graph.due.uc.Wait]
index = [\"k\"]
in = { a = \"int\" }
out = { done = \"int\" }
fire = [\"a -> a after 1 + k % 5 us\"]
route = [\"done <- a\"]
[graph.due.uc.Count]
in = { done = \"int\" }
vars = { sum = \"int\" }
fire = [\"done -> d\"]
do = 'sum += d; result(\"sum\", sum);'
";
    let folder = Folder::with("p.hasse", text);
    for workers in ["1", "2", "3", "4"] {
        let run = ["run", "p.hasse", "--workers", workers, "--trace", "t"];
        let ran = folder.hasse(&run).ends(0);
        assert_eq!(ran.stdout, "sum = 4498500\n", "{workers}");
        assert_eq!(folder.hasse(&["replay", "t"]).ends(0).stdout, ran.stdout, "{workers}");
    }
}

/// In real time, too, a run ends when no rule can be due any more, not when one would have been.
#[test]
fn time_of_a_rule_that_lost_its_value_is_not_awaited() {
    let text = "hasse = 1
main = \"limit\"
[graph.limit]
arcs = [\"Make.a -> Wait.a\", \"Make.b -> Wait.b\"]
[graph.limit.uc.Make]
start = true
out = { a = \"int\", b = \"int\" }
route = [\"a <- 1\", \"b <- 2 after 1 ms\"]
[graph.limit.uc.Wait]
in = { a = \"int\", b = \"int\" }
fire = [\"a -> a, b -> b\", \"a -> a after 300 h\"]
do = 'print(`${a} ${b}`);'
";
    let folder = Folder::with("p.hasse", text);
    for workers in ["1", "2"] {
        assert_eq!(folder.hasse(&["run", "p.hasse", "--workers", workers]).ends(0).stdout, "1 2\n");
    }
}

/// A session says what such a rule waits for, and a replay fails with the delay that failed.
#[test]
fn times_that_are_not_over_and_times_that_fail_are_told() {
    let text = "hasse = 1
main = \"limit\"
[graph.limit]
params = { delay = \"int = -1\" }
arcs = [\"Make.a -> Wait.a\", \"Make.b -> Late.b\"]
[graph.limit.uc.Make]
start = true
out = { a = \"int\", b = \"int\" }
route = [\"a <- 1\", \"b <- 2 after delay ms\"]
[graph.limit.uc.Wait]
in = { a = \"int\" }
fire = [\"a -> a after 1 h\"]
do = 'print(a);'
[graph.limit.uc.Late]
in = { b = \"int\" }
fire = [\"b -> b\"]
";
    let folder = Folder::with("p.hasse", text);
    let ran = folder.hasse(&["run", "p.hasse", "--trace", "t"]).ends(1);
    assert!(ran.stderr.contains("the delay is negative: -1 ms"), "{}", ran.shown());
    let replayed = folder.hasse(&["replay", "t"]).ends(0);
    assert!(replayed.stderr.contains("the delay is negative: -1 ms"), "{}", replayed.shown());
    folder.write("commands", "stop in Late\nrun\nwhy /Wait\n");
    let run = ["debug", "p.hasse", "--set", "delay=5", "--commands", "commands", "--workers", "1"];
    let session = folder.hasse(&run);
    assert!(
        session.stdout.contains("all its values are there, but not for its time yet"),
        "{}",
        session.shown()
    );
}

/// Each of many events wakes at its time.
#[test]
fn many_waiting_events_wake_in_order() {
    let text = "hasse = 1
main = \"many\"
[graph.many]
params = { n = \"int = 20000\" }
arcs = [\"Make.nap[k] -> Nap[k].nap\", \"Nap[k].done -> Count.done\"]
[graph.many.uc.Make]
start = true
out = { \"nap[k]\" = \"int\" }
route = [\"nap[k] <- (k * 7919) % n for k in 0..n\"]
[graph.many.uc.Nap]
index = [\"k\"]
in = { nap = \"int\" }
out = { done = \"int\" }
fire = [\"nap -> t\"]
do = 'sleep(t * 0.001);'
route = [\"done <- t\"]
[graph.many.uc.Count]
in = { done = \"int\" }
fire = [\"done -> t\"]
do = 'if t != count - 1 { throw `${t} as number ${count}`; } if count == n { print(elapsed()); }'
";
    let folder = Folder::with("p.hasse", text);
    let ran = folder.hasse(&["run", "p.hasse", "--virtual-time", "--workers", "2"]).ends(0);
    assert_eq!(ran.stdout, "19.999\n");
}

/// A malformed time is reported once, with the form that is expected.
#[test]
fn texts_that_are_no_times_are_errors() {
    for (line, code, needle) in [
        ("every = 5", "E0004", "`every` is an integer where a time such as `\"100ms\"` is expected"),
        ("deadline = true", "E0004", "`deadline` is a boolean where a time such as `\"100ms\"` is expected"),
        ("every = \"5\"", "E0109", "expected a time that ends with its unit"),
        ("every = \"0 s\"", "E0109", "the period of a timer is too short: 0 s"),
        ("after = \"-1 s\"", "E0109", "the time of a start node is too short: -1 s"),
        (
            "every = \"9999999999999999999 h\"",
            "E0109",
            "the period of a timer is too long: 9999999999999999999 h",
        ),
        ("every = \"1 s\"\nafter = \"1 s\"", "E0109", "cannot have a time at which it starts"),
        (
            "every = \"1 s\"\nstart = false",
            "E0109",
            "a node with `every` is a start node, and `start` is false",
        ),
        ("backoff = \"1 s\"", "E0109", "there is no `retry`"),
        ("cancel = \"stop\"", "E0105", "no input port `stop`"),
    ] {
        let start = if line.contains("start") { "" } else { "start = true\n" };
        let text = format!("hasse = 1\nmain = \"g\"\n[graph.g.uc.A]\n{start}{line}\n");
        let checked = Folder::with("p.hasse", &text).hasse(&["check", "p.hasse"]).ends(1);
        let stderr = checked.stderr.replace("\n  │ ", " ");
        assert!(stderr.contains(needle) && stderr.contains(code), "{line}: {}", checked.shown());
        assert_eq!(stderr.matches("\n  × ").count(), 1, "{line}: {}", checked.shown());
    }
}

/// A value that no rule takes cancels every wait that comes after it, and nothing warns of it.
#[test]
fn value_that_stays_cancels_all_later_waits() {
    let text = "hasse = 1
main = \"shop\"
[graph.shop]
arcs = [\"Order.order -> Pack.order\", \"Stop.stop -> Pack.stop\", \"Pack.lost -> Log.line\", \"Pack.parcel -> Log.line\"]
[graph.shop.uc.Order]
every = \"100ms\"
out = { order = \"int\" }
fire = [\"every -> _k if count <= 4\"]
route = [\"order <- count\"]
[graph.shop.uc.Stop]
after = \"170ms\"
out = { stop = \"bool\" }
route = [\"stop <- true\"]
[graph.shop.uc.Pack]
in = { order = \"int\", stop = { type = \"bool\", left = \"ok\" } }
out = { parcel = \"string\", lost = \"string\" }
fire = [\"order -> n\"]
do = 'sleep(0.05);'
cancel = \"stop\"
route = ['parcel <- `${n} sent`']
on_error = ['lost <- `${n} lost`']
[graph.shop.uc.Log]
in = { line = \"string\" }
fire = [\"line -> line\"]
do = 'print(`${elapsed()} ${line}`);'
";
    let folder = Folder::with("p.hasse", text);
    for workers in ["1", "2"] {
        let run = ["run", "p.hasse", "--virtual-time", "--workers", workers, "--trace", "t"];
        let ran = folder.hasse(&run).ends(0);
        assert_eq!(ran.stdout, "0.05 1 sent\n0.15 2 sent\n0.2 3 lost\n0.3 4 lost\n");
        assert_eq!(folder.hasse(&["replay", "t"]).ends(0).stdout, ran.stdout);
    }
    let checked = folder.hasse(&["check", "p.hasse"]).ends(0);
    assert!(!checked.shown().contains("W0302"), "{}", checked.shown());
}

/// A node that feeds itself has turns; those who are to begin have theirs in between.
#[test]
fn start_node_begins_while_another_one_feeds_itself_on_one_worker() {
    let text = "hasse = 1
main = \"m\"
[graph.m]
arcs = [\"Busy.a -> Busy.a\", \"Late.x -> End.x\"]
[graph.m.uc.Busy]
in = { a = \"int\" }
out = { a = \"int\" }
start = true
fire = [\"a -> k\"]
route = [\"a <- count if count < 3000000\"]
[graph.m.uc.Late]
out = { x = \"int\" }
start = true
route = [\"x <- 1\"]
[graph.m.uc.End]
in = { x = \"int\" }
stop = true
fire = [\"x -> _x\"]
";
    let folder = Folder::with("p.hasse", text);
    let ran = folder.hasse(&["run", "p.hasse", "--workers", "1", "--json"]).ends(0).json();
    let n_events = ran["events"].as_u64().unwrap();
    assert!(n_events < 1_000_000, "{n_events} events");
}

/// Delayed values do not wait for room, in the run and in its replay.
#[test]
fn delayed_values_beyond_a_bound_are_left_in_the_replay_as_in_the_run() {
    let text = "hasse = 1
main = \"m\"
[graph.m]
arcs = [\"S.x -> N.x\"]
[graph.m.uc.S]
out = { x = \"int\" }
start = true
route = [\"x <- k after 10 ms for k in 0..5\"]
[graph.m.uc.N]
in = { x = { type = \"int\", bound = 2, left = \"ok\" } }
fire = [\"x -> _x if count == 1\"]
";
    let folder = Folder::with("p.hasse", text);
    for mode in ["full", "minimal"] {
        folder.hasse(&["run", "p.hasse", "--virtual-time", "--record", mode, "--trace", "t"]).ends(0);
        folder.hasse(&["replay", "t"]).ends(0);
    }
}
