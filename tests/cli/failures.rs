//! Handled errors and retries.

use serde_json::json;

use crate::support::Folder;

/// One of six messages is no number.
const SERVICE: &str = "hasse = 1
main = \"service\"

[graph.service]
params = { n = \"int = 6\", bad = \"int = 2\" }
arcs = [
  \"Feed.message -> Handle.message\",
  \"Handle.answer -> Reply.answer\",
  \"Handle.refused -> Reply.refused\",
]

[graph.service.uc.Feed]
out   = { message = \"string\" }
start = true
route = ['message <- (if k == bad { \"oops\" } else { `${k}` }) for k in 0..n']

[graph.service.uc.Handle]
in    = { message = \"string\" }
out   = { answer = \"int\", refused = \"error\" }
vars  = { sum = \"int = 1000\" }
fire  = [\"message -> m\"]
do    = '''
sum += 1;
m = `<${m}>`;
let k = parse_int(m.sub_string(1, m.len - 2));
sum += k;
'''
route = [\"answer <- sum\"]
POLICY

[graph.service.uc.Reply]
in   = { answer = \"int\", refused = \"error\" }
fire = [\"answer -> a\", \"refused -> e\"]
do   = 'print(if rule == 0 { `${a}` } else { `${e.event} line ${e.line}: ${e.code}` });'
";

/// All modes whose records are replayed.
const MODES: [&[&str]; 3] = [
    &["--trace", "full"],
    &["--record", "minimal", "--trace", "minimal"],
    &["--record", "full", "--trace", "t", "--workers", "1"],
];

#[test]
fn a_node_goes_on_after_an_event_that_fails_and_keeps_nothing_of_it() {
    let handled = "1 event of Handle failed and was handled; the first: /Handle:3: R0001 \
                   Error parsing integer number 'oops': invalid digit found in string (service.hasse:25)\n";
    for (policy, refused) in [
        ("on_error = \"continue\"", ""),
        ("on_error = []", ""),
        ("on_error = [\"refused <- error\"]", "/Handle:3 line 25: R0001\n"),
        ("on_error = 'refused <- error if m == \"oops\" && sum == 1003'", "/Handle:3 line 25: R0001\n"),
        ("on_error = ['refused <- error if m != \"oops\"']", ""),
    ] {
        let folder = Folder::with("service.hasse", &SERVICE.replace("POLICY", policy));
        let expected = ["1001\n", "1003\n", refused, "1007\n", "1012\n", "1018\n"].concat();
        for mode in MODES {
            let ran = folder.hasse(&[&["run", "service.hasse"], mode].concat()).ends(0);
            let reported = ran.stderr.lines().last().map(|line| format!("{line}\n")).unwrap_or_default();
            let mut lines: Vec<_> = ran.stdout.lines().collect();
            lines.sort_unstable();
            let mut wanted: Vec<_> = expected.lines().collect();
            wanted.sort_unstable();
            assert_eq!((lines, reported.as_str()), (wanted, handled), "{policy} {mode:?}");
            let replayed =
                folder.hasse(&["replay", mode[mode.iter().position(|arg| *arg == "--trace").unwrap() + 1]]);
            let replayed = replayed.ends(0);
            assert_eq!(
                (&replayed.stdout, replayed.stderr.as_str()),
                (&ran.stdout, handled),
                "{policy} {mode:?}"
            );
        }
    }
}

#[test]
fn handled_errors_are_in_json_and_in_the_record() {
    let folder =
        Folder::with("service.hasse", &SERVICE.replace("POLICY", "on_error = [\"refused <- error\"]"));
    let ran = folder.hasse(&["run", "service.hasse", "--json", "--trace", "t"]).ends(0).json();
    assert_eq!((&ran["outcome"], &ran["errors"]), (&json!("finished"), &json!([])));
    let handled = &ran["handled"];
    assert_eq!(handled.as_array().unwrap().len(), 1, "{handled}");
    let handled = &handled[0];
    assert_eq!(
        (&handled["node"], &handled["events"], &handled["retries"]),
        (&json!("Handle"), &json!(1), &json!(0))
    );
    assert_eq!((&handled["first"]["event"], &handled["first"]["line"]), (&json!("/Handle:3"), &json!(25)));
    let events = folder.hasse(&["trace", "export", "t", "--format", "jsonl"]).ends(0).stdout;
    let failed: Vec<_> = events.lines().filter(|line| line.contains("\"failed\"")).collect();
    assert_eq!(failed.len(), 1, "{events}");
    let failed: serde_json::Value = serde_json::from_str(failed[0]).unwrap();
    assert_eq!(failed["routes"], json!([1]), "the rule of failed events is the second one: {failed}");
}

/// Each error that comes after values were taken: a type, an arc, a shared object, a var, the memory of an event.
#[test]
fn a_node_goes_on_after_errors_of_every_kind() {
    let program = |body: &str, route: &str| {
        format!(
            "hasse = 1\nmain = \"kinds\"\n[graph.kinds]\n\
             arcs = [\"Feed.v -> Handle.v\", \"Handle.o -> Log.o\", \"Handle.far[0] -> Log.o\", \"Handle.bad -> Log.bad\"]\n\
             share = [\"total -- Handle.total\", \"total -- Log.total\"]\n[graph.kinds.shared.total]\ntype = \"int\"\n\
             [graph.kinds.uc.Feed]\nstart = true\nout = {{ v = \"int\" }}\nroute = [\"v <- k for k in 0..4\"]\n\
             [graph.kinds.uc.Handle]\nin = {{ v = \"int\" }}\nout = {{ o = \"int\", \"far[k]\" = \"int\", bad = \"string\" }}\n\
             vars = {{ n = \"int\", x = \"any\" }}\nshared = {{ total = \"write\" }}\nfire = [\"v -> v\"]\n\
             do = '''\nn += 1;\ntotal += 100;\n{body}\n'''\nroute = [\"o <- n\", {route}]\n\
             on_error = [\"bad <- `${{error.code}} ${{v}} ${{n}}`\"]\n\
             [graph.kinds.uc.Log]\nin = {{ o = \"int\", bad = \"string\" }}\nshared = {{ total = \"read\" }}\n\
             fire = [\"o -> o\", \"bad -> b\"]\ndo = 'if rule == 1 {{ print(b); }} result(\"total\", total);'\n"
        )
    };
    for (code, body, route) in [
        ("R0001", "if v == 2 { throw 1; }", ""),
        ("R0001", "if v == 2 { let z = 1 / (v - 2); }", ""),
        ("R0003", "x = if v == 2 { \"two\" } else { 2 };", "\"o <- x\""),
        ("R0004", "", "\"far[[1, 2, 3, 4][v]] <- 1 if v == 2\""),
        ("R0005", "", "\"far[1 / (v - 2)] <- 1 if v == 2\""),
        ("R0010", "if v == 2 { let a = []; loop { a.push([1, 2, 3, 4, 5, 6, 7, 8]); } }", ""),
    ] {
        let folder = Folder::with("kinds.hasse", &program(body, route));
        for workers in ["1", "3"] {
            let run = ["run", "kinds.hasse", "--workers", workers, "--body-memory", "20", "--trace", "t"];
            let ran = folder.hasse(&run).ends(0);
            let line = format!("{code} 2 2\n");
            assert!(
                ran.stdout.starts_with(&line) && ran.stdout.ends_with("total = 300\n"),
                "{code}: {}",
                ran.shown()
            );
            let replayed = folder.hasse(&["replay", "t"]).ends(0);
            assert_eq!(replayed.stdout, ran.stdout, "{code}");
        }
    }
}

#[test]
fn a_rule_for_failed_events_that_fails_stops_the_instance() {
    let folder = Folder::with(
        "service.hasse",
        &SERVICE.replace("POLICY", "on_error = [\"answer <- 1 / (sum - 1003)\"]"),
    );
    let ran = folder.hasse(&["run", "service.hasse", "--trace", "t"]).ends(1);
    assert_eq!(ran.stdout, "1001\n1003\n");
    let both = "1 is divided by zero; while this error was handled: Error parsing integer";
    assert!(ran.stderr.contains(both) && !ran.stderr.contains("handled;"), "{}", ran.shown());
    assert_eq!(folder.hasse(&["replay", "t"]).ends(0).stdout, ran.stdout);
}

#[test]
fn guards_and_init_stop_the_instance_whatever_its_policy() {
    let stopped = |key: &str| {
        let text = SERVICE.replace("POLICY", "on_error = \"continue\"");
        let text = match key {
            "init" => {
                text.replace("fire  = [\"message -> m\"]", "init = 'throw 1;'\nfire = [\"message -> m\"]")
            }
            _ => text.replace("[\"message -> m\"]", "[\"message -> m if 6 / (1003 - sum) < 9\"]"),
        };
        Folder::with("service.hasse", &text).hasse(&["run", "service.hasse"]).ends(1)
    };
    assert!(stopped("init").stderr.contains("/Handle:1"));
    assert!(stopped("guard").stderr.contains("divided by zero"));
}

/// A semaphore whose places come back although those who hold them fail.
#[test]
fn whoever_fails_can_give_its_place_back() {
    let text = "hasse = 1
main = \"places\"
[graph.places]
params = { size = \"int = 2\" }
arcs = [\"Init.place -> Gate.place\", \"Init.job -> Gate.job\", \"Gate.work[i] -> Work[i].job\", \"Work[i].place -> Gate.place\"]
[graph.places.uc.Init]
start = true
out = { place = \"bool\", job = \"int\" }
route = [\"place <- true for k in 0..size\", \"job <- k for k in 0..4 * size\"]
[graph.places.uc.Gate]
in = { place = { type = \"bool\", left = \"ok\" }, job = \"int\" }
out = { \"work[i]\" = \"int\" }
fire = [\"place -> _p, job -> k\"]
do = 'result(\"jobs\", count);'
route = [\"work[k] <- k\"]
[graph.places.uc.Work]
index = [\"i\"]
in = { job = \"int\" }
out = { place = \"bool\" }
fire = [\"job -> k\"]
do = 'if k % 3 == 0 { throw \"exception\"; }'
route = [\"place <- true\"]
on_error = [\"place <- true\"]
";
    let folder = Folder::with("places.hasse", text);
    let ran = folder.hasse(&["run", "places.hasse"]).ends(0);
    assert_eq!(ran.stdout, "jobs = 8\n");
    assert!(
        ran.stderr.starts_with("3 events of Work failed and were handled; the first: /Work[0]:1: R0001"),
        "{}",
        ran.stderr
    );
}

/// Each attempt asks the world anew, finds what the first one found, and is part of one event.
#[test]
fn a_body_that_fails_is_executed_again() {
    let text = "hasse = 1
main = \"dice\"
[graph.dice]
params = { most = \"int = 10000\" }
arcs = [\"Begin.seed -> Throw.seed\"]
share = [\"total -- Throw.total\"]
[graph.dice.shared.total]
type = \"int\"
[graph.dice.uc.Begin]
start = true
out = { seed = \"int[]\" }
route = [\"seed <- [7]\"]
[graph.dice.uc.Throw]
in = { seed = \"int[]\" }
vars = { n = \"int\", a = \"int[]\" }
shared = { total = \"write\" }
retry = \"most\"
fire = [\"seed -> given\"]
do = '''
n += 1;
total += n;
a.push(1);
given.push(8);
let dice = random_int(1, 20);
result(`try ${dice}`, 1);
if dice != 20 { throw `${dice}`; }
result(\"dice\", [dice, n, total, a.len, given.len, count]);
'''
";
    let folder = Folder::with("dice.hasse", text);
    for (seed, scripts) in
        (1..9).flat_map(|seed| ["auto", "interpreted"].map(|scripts| (seed.to_string(), scripts)))
    {
        for mode in [&["--trace", "t"][..], &["--record", "minimal", "--trace", "t"], &["--workers", "1"]] {
            let run = ["run", "dice.hasse", "--seed", &seed, "--scripts", scripts];
            let ran = folder.hasse(&[&run, mode].concat()).ends(0);
            assert_eq!(ran.stdout, "dice = [20, 1, 1, 1, 2, 1]\ntry 20 = 1\n", "{}", ran.shown());
            if mode.contains(&"t") {
                let replayed = folder.hasse(&["replay", "t"]).ends(0);
                assert_eq!((replayed.stdout, replayed.stderr), (ran.stdout, ran.stderr));
            }
        }
    }
    let ran = folder.hasse(&["run", "dice.hasse", "--seed", "1", "--set", "most=0"]).ends(1);
    assert!(!ran.stderr.contains("retried"), "{}", ran.stderr);
    let ran = folder.hasse(&["run", "dice.hasse", "--set", "most=-1"]);
    assert!(ran.stderr.contains("`retry` of the node `Throw`"), "{}", ran.shown());
}

/// In a session, an event that fails stops where it is asked to; then it sends what its rules say.
#[test]
fn an_event_that_goes_on_can_be_stopped_where_it_fails() {
    let folder =
        Folder::with("service.hasse", &SERVICE.replace("POLICY", "on_error = [\"refused <- error\"]"));
    folder.write("commands", "stop in Handle at failed\nrun\ncd /Handle\nprint sum\nprint m\ncont\n");
    let run = ["debug", "service.hasse", "--commands", "commands", "--workers", "1", "--seed", "3"];
    let ran = folder.hasse(&run).ends(0);
    let shown = ran.shown();
    assert!(shown.contains("sum = 1004") && shown.contains("m = \"<oops>\""), "{shown}");
    assert!(shown.contains("/Handle:3 line 25: R0001") && shown.contains("1018"), "{shown}");
}

/// Errors of all members of a graph come out at one port of its call, also those of families and in records.
#[test]
fn a_call_has_a_port_for_the_errors_of_its_members() {
    let text = "hasse = 1
main = \"main\"
[graph.main]
arcs = [\"Ask.n[k] -> half[k].n\", \"half[k].half -> Log.half\", \"half[k].bad -> Log.bad\"]
[graph.main.call.half]
graph = \"Half\"
index = [\"k\"]
[graph.main.uc.Ask]
start = true
out = { \"n[k]\" = \"int\" }
route = [\"n[k] <- k for k in 0..6\"]
[graph.main.uc.Log]
in = { half = \"int\", bad = \"error\" }
fire = [\"half -> h\", \"bad -> e\"]
do = 'print(if rule == 0 { `${h}` } else { `${e.event} ${e.code} ${e.message}` });'
[graph.Half]
in = { n = \"int\" }
out = { half = \"int\", bad = \"error\" }
on_error = \"bad\"
arcs = [\"in.n -> Odd.n\", \"Odd.n[j] -> Divide[j].n\", \"Divide[j].half -> out.half\"]
[graph.Half.uc.Odd]
in = { n = \"int\" }
out = { \"n[j]\" = \"int\" }
fire = [\"n -> v\"]
do = 'if v % 2 == 1 { throw v; }'
route = [\"n[v] <- v\"]
[graph.Half.uc.Divide]
index = [\"j\"]
in = { n = \"int\" }
out = { half = \"int\", error = \"int\" }
fire = [\"n -> v\"]
route = [\"half <- 12 / v\"]
";
    let folder = Folder::with("half.hasse", text);
    for workers in ["1", "4"] {
        for mode in [
            &["--record", "full"][..],
            &["--record", "minimal"],
            &["--select", "Half.Odd", "--select", "Log"],
        ] {
            let run = ["run", "half.hasse", "--workers", workers, "--trace", "t"];
            let ran = folder.hasse(&[&run, mode].concat()).ends(0);
            let mut lines: Vec<_> = ran.stdout.lines().collect();
            lines.sort_unstable();
            let expected = [
                "/half[0]/Divide[0]:1 R0005 12 is divided by zero",
                "/half[1]/Odd:1 R0001 Runtime error: 1",
                "/half[3]/Odd:1 R0001 Runtime error: 3",
                "/half[5]/Odd:1 R0001 Runtime error: 5",
                "3",
                "6",
            ];
            assert_eq!(lines, expected, "{mode:?} {}", ran.shown());
            if !mode.contains(&"--select") {
                assert_eq!(folder.hasse(&["replay", "t"]).ends(0).stdout, ran.stdout, "{mode:?}");
            }
        }
    }
}

/// A node that continues after failed events sends nothing for them: the report of waiting names these events.
#[test]
fn waiting_for_a_handled_error_names_the_failed_event() {
    let text = "hasse = 1
main = \"main\"
[graph.main]
arcs = [\"Make.x[k] -> Task[k].x\", \"Task[k].y -> Sum.y[k]\", \"Make.line -> Parse.line\", \"Parse.y[k] -> All.y[k]\", \"Parse.failed -> Log.failed\"]
[graph.main.uc.Make]
out = { \"x[k]\" = \"int\", line = \"int\" }
start = true
route = [\"x[k] <- k for k in 0..5\", \"line <- k for k in 0..5\"]
[graph.main.uc.Task]
index = [\"k\"]
in = { x = \"int\" }
out = { y = \"int\" }
on_error = \"continue\"
fire = [\"x -> x\"]
do = 'if x == 3 { throw \"bad\"; }'
route = [\"y <- x\"]
[graph.main.uc.Parse]
in = { line = \"int\" }
out = { \"y[k]\" = \"int\", failed = \"error\" }
on_error = [\"failed <- error\"]
fire = [\"line -> line\"]
do = 'if line % 2 == 1 { throw \"bad\"; }'
route = [\"y[line] <- line\"]
[graph.main.uc.Log]
in = { failed = \"error\" }
fire = [\"failed -> failed\"]
do = 'print(failed.event);'
[graph.main.uc.Sum]
in = { \"y[k]\" = \"int\" }
fire = [\"y[k] -> y[k] for k in 0..5\"]
do = 'print(y);'
[graph.main.uc.All]
in = { \"y[k]\" = \"int\" }
fire = [\"y[k] -> y[k] for k in 0..5\"]
do = 'print(y);'
";
    let folder = Folder::with("p.hasse", text);
    for workers in ["1", "4"] {
        let ran = folder.hasse(&["run", "p.hasse", "--workers", workers]).ends(1);
        for said in [
            "likely cause: /Sum waits for a value on y[3], and nothing sends it any more\n  \
             /Task[3], along `Task[k].y -> Sum.y[k]`, has executed once; /Task[3]:1 failed\n",
            "likely cause: /All waits for a value on y[1], and nothing sends it any more\n  \
             /Parse, along `Parse.y[k] -> All.y[k]`, has executed 5 times; /Parse:2 and 1 more failed\n",
        ] {
            assert!(ran.stderr.contains(said), "{said}{}", ran.shown());
        }
    }
    let told = folder.hasse(&["run", "p.hasse", "--json"]).ends(1).json();
    let sender = &told["wait_causes"][0]["senders"][0];
    assert_eq!((&sender["first_failed"], &sender["failed"]), (&"/Task[3]:1".into(), &1.into()), "{told}");
}
