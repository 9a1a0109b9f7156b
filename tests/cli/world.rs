//! Bodies that wait for the world outside: times, lines, connections, programs, files that grow.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::{Child, Stdio};
use std::thread;

use serde_json::json;

use super::support::{Folder, Ran, repository};

/// MQTT and PostgreSQL.
#[cfg(all(unix, feature = "mqtt", feature = "postgres"))]
mod servers;
/// HTTP and SQL.
#[cfg(all(feature = "http", feature = "sqlite"))]
mod services;

/// A program of the page about the world outside.
fn program_of_page(main: &str) -> String {
    let page = std::fs::read_to_string(repository().join("docs/language/world.md")).unwrap();
    let blocks = page.split("```toml run\n").skip(1);
    let mut programs = blocks.map(|block| block.split("```").next().unwrap());
    programs.find(|text| text.contains(&format!("main  = \"{main}\""))).unwrap().to_owned()
}

/// A command under way, whose input and outputs are pipes.
fn started(folder: &Folder, args: &[&str]) -> Child {
    let mut command = folder.command(args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// One node with this body, which executes for each of `n` values.
fn one_node(more: &str, body: &str) -> Folder {
    let text = format!(
        "hasse = 1\nmain = \"main\"\n[graph.main]\nparams = {{ n = \"int = 1\" }}\n\
         arcs = [\"Start.x -> Work.x\", \"Work.y -> End.y\"]\n\
         share = [\"total -- Work.total\"]\n[graph.main.shared.total]\ntype = \"int\"\n\
         [graph.main.uc.Start]\nstart = true\nout = {{ x = \"int\" }}\nroute = [\"x <- k for k in 0..n\"]\n\
         [graph.main.uc.Work]\nin = {{ x = \"int\" }}\nout = {{ y = \"int\" }}\nvars = {{ held = \"int\" }}\n\
         shared = {{ total = \"write\" }}\nfire = [\"x -> x\"]\nroute = [\"y <- held\"]\n{more}\ndo = '''\n{body}\n'''\n\
         [graph.main.uc.End]\nin = {{ y = \"int\" }}\nfire = [\"y -> y\"]\ndo = \"print(`end ${{y}}`);\"\n"
    );
    Folder::with("p.hasse", &text)
}

fn digest(folder: &Folder, trace: &str) -> String {
    folder.hasse(&["trace", "digest", trace]).ends(0).stdout
}

/// Server and clients would wait for each other for ever if a body that waits held the one worker.
#[test]
fn bodies_that_wait_hold_no_worker() {
    let folder = Folder::with("echo.hasse", &program_of_page("echo"));
    let said: String = (0..40).map(|i| format!("HELLO FROM {i}\n")).collect();
    for mode in ["full", "minimal", "perf"] {
        let args = ["run", "echo.hasse", "--workers", "1", "--set", "n=40", "--allow-net", "127.0.0.1"];
        let ran = folder.hasse(&[&args[..], &["--record", mode, "--trace", "t"]].concat()).ends(0);
        assert_eq!(ran.stdout, said, "{mode}");
        let replayed = folder.hasse(&["replay", "t", "--workers", "2", "--trace", "again"]).ends(0);
        assert_eq!(replayed.stdout, said, "{mode}");
        if mode == "full" {
            assert_eq!(digest(&folder, "t"), digest(&folder, "again"));
        }
    }
}

#[test]
fn virtual_time_passes_for_all_who_sleep() {
    let text = program_of_page("naps").replace("1.0 for", "10.0 * (i + 1) for");
    let folder = Folder::with("naps.hasse", &text);
    let ran = folder.hasse(&["run", "naps.hasse", "--virtual-time"]).ends(0);
    assert_eq!(ran.stdout, "10 naps in 100.0 s\n");
    // With a seed, they go on one after the other, but they sleep at the same time.
    let args = ["run", "naps.hasse", "--virtual-time", "--seed", "1", "--workers", "1"];
    assert_eq!(folder.hasse(&args).ends(0).stdout, "10 naps in 100.0 s\n");
}

/// A body that is executed again finds all as it was, is given the same answers, and prints its lines once.
#[test]
fn body_that_has_waited_is_executed_as_if_it_had_not() {
    let body = "held += 1;\ntotal += x;\nlet first = random_int(0, 1_000_000);\nprint(`begin ${held} ${total} ${first}`);\n\
                sleep(0.003);\nheld += 1;\nlet second = random_int(0, 1_000_000);\nprint(`${first} ${second}`);\n\
                sleep(0.003);\nprint(`done ${held} ${total}`);\nresult(\"total\", total);";
    let folder = one_node("", body);
    for mode in ["full", "minimal"] {
        let args = ["run", "p.hasse", "--set", "n=5", "--record", mode, "--trace", "t"];
        let ran = folder.hasse(&args).ends(0);
        let said =
            |first: &[char]| ran.stdout.lines().filter(|line| line.starts_with(first)).collect::<Vec<_>>();
        let words = |line: &str, n_words: usize| line.split(' ').take(n_words).collect::<Vec<_>>().join(" ");
        let lines: Vec<String> = said(&['b', 'd']).iter().map(|line| words(line, 3)).collect();
        // A random number is the same when the body is executed again.
        let drawn: Vec<_> = said(&['b']).iter().map(|line| line.split(' ').nth(3).unwrap()).collect();
        let digits: Vec<char> = ('0'..='9').collect();
        let kept: Vec<_> = said(&digits).iter().map(|line| line.split(' ').next().unwrap()).collect();
        assert_eq!(drawn, kept, "{}", ran.stdout);
        let sums = [0, 1, 3, 6, 10];
        let expected: Vec<String> = (1..6)
            .flat_map(|k| {
                [format!("begin {} {}", 2 * k - 1, sums[k - 1]), format!("done {} {}", 2 * k, sums[k - 1])]
            })
            .collect();
        assert_eq!(lines, expected, "{}", ran.stdout);
        assert_eq!(ran.stdout.lines().count(), 5 * 4 + 1, "{}", ran.stdout);
        assert_eq!(folder.hasse(&["replay", "t"]).ends(0).stdout, ran.stdout, "{mode}");
    }
}

#[test]
fn retries_are_counted_over_waits() {
    let body = "held += 1;\nsleep(0.001);\nprint(`attempt ${held}`);\nthrow \"no\";";
    let folder = one_node("retry = 2\non_error = \"continue\"", body);
    let ran = folder.hasse(&["run", "p.hasse", "--json", "--trace", "t"]).ends(0);
    let found = ran.json();
    let said = |ran: &Ran| ran.stderr.matches("attempt 1\n").count();
    assert_eq!(said(&ran), 3, "{}", ran.shown());
    assert_eq!((&found["handled"][0]["events"], &found["handled"][0]["retries"]), (&json!(1), &json!(2)));
    assert_eq!(said(&folder.hasse(&["replay", "t", "--json"]).ends(0)), 3);
}

/// An event that still waits at the end is recorded as stopped, with what it had said and asked.
#[test]
fn stop_node_ends_a_run_in_which_others_wait() {
    let text = "hasse = 1\nmain = \"main\"\n[graph.main]\narcs = [\"Start.address -> Wait.address\", \"Start.server -> End.server\"]\n\
                [graph.main.uc.Start]\nstart = true\nout = { address = \"string\", server = \"int\" }\n\
                do = '''\nlet server = listen(\"127.0.0.1:0\");\nlet there = address(server);\n'''\n\
                route = [\"address <- there\", \"server <- server\"]\n\
                [graph.main.uc.Wait]\nin = { address = \"string\" }\nfire = [\"address -> address\"]\n\
                do = \"let r = random(); print(`waits`); connect(address); sleep(1e6);\"\n\
                [graph.main.uc.End]\nin = { server = \"int\" }\nstop = true\n\
                fire = [\"server -> server\"]\ndo = \"accept(server);\"\n";
    let folder = Folder::with("p.hasse", text);
    for mode in ["full", "minimal"] {
        let args = ["run", "p.hasse", "--allow-net", "127.0.0.1", "--record", mode, "--trace", "t"];
        let ran = folder.hasse(&args).ends(0);
        assert_eq!(ran.stdout, "waits\n", "{mode}");
        let replayed = folder.hasse(&["replay", "t", "--trace", "again"]).ends(0);
        assert_eq!(replayed.stdout, "waits\n", "{mode}");
        if mode == "full" {
            assert_eq!(digest(&folder, "t"), digest(&folder, "again"));
        }
    }
}

#[cfg(unix)]
#[test]
fn interruption_ends_a_run_in_which_all_wait() {
    let body = "print(`waits ${x}`);\nlet line = read_line();\nprint(`${line}`);\nsleep(1e6);";
    let folder = one_node("", body);
    for mode in ["full", "minimal"] {
        let mut child = started(&folder, &["run", "p.hasse", "--record", mode, "--trace", "t"]);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert_eq!(lines.next().unwrap().unwrap(), "waits 0");
        child.stdin.as_mut().unwrap().write_all(b"typed\n").unwrap();
        assert_eq!(lines.next().unwrap().unwrap(), "typed");
        super::kill::interrupt(&child);
        assert!(lines.next().is_none());
        Ran::of(child.wait_with_output().unwrap()).ends(1);
        let replayed = folder.hasse(&["replay", "t"]);
        assert_eq!(replayed.stdout, "waits 0\ntyped\n", "{mode}: {}", replayed.shown());
    }
}

/// Lines of standard input come while other nodes work, on one worker.
#[test]
fn standard_input_is_read_without_a_worker() {
    let text = "hasse = 1\nmain = \"main\"\n[graph.main]\narcs = [\"In.again -> In.again\", \"In.line -> Out.line\"]\n\
                [graph.main.uc.In]\nin = { again = \"bool\" }\nout = { again = \"bool\", line = \"string\" }\nstart = true\n\
                fire = [\"again -> _a\"]\ndo = \"let line = read_line();\"\n\
                route = [\"line <- line if line != ()\", \"again <- true if line != ()\"]\n\
                [graph.main.uc.Out]\nin = { line = \"string\" }\nfire = [\"line -> l\"]\ndo = \"print(l);\"\n";
    let folder = Folder::with("p.hasse", text);
    let mut child = started(&folder, &["run", "p.hasse", "--workers", "1", "--trace", "t"]);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut input = child.stdin.take().unwrap();
    for word in ["one", "two", "three"] {
        writeln!(input, "{word}").unwrap();
        assert_eq!(lines.next().unwrap().unwrap(), word);
    }
    drop(input);
    Ran::of(child.wait_with_output().unwrap()).ends(0);
    assert_eq!(folder.hasse(&["replay", "t"]).ends(0).stdout, "one\ntwo\nthree\n");
}

#[test]
fn subprocess_is_a_stream_of_lines() {
    let folder = Folder::with("filter.hasse", &program_of_page("filter"));
    let ran =
        folder.hasse(&["run", "filter.hasse", "--workers", "1", "--allow-run", "tr", "--trace", "t"]).ends(0);
    assert_eq!(ran.stdout, "ONE\nTWO\nTHREE\nended with status 0\n");
    assert_eq!(folder.hasse(&["replay", "t"]).ends(0).stdout, ran.stdout);
}

#[test]
fn command_returns_status_output_and_errors() {
    let body = "let ran = run_command(\"sh\", [\"-c\", \"cat; echo no >&2; exit 3\"], \"typed\");\n\
                print(`${ran.status} ${ran.output} ${ran.errors}`);";
    let folder = one_node("", body);
    let ran = folder.hasse(&["run", "p.hasse", "--allow-run", "sh", "--trace", "t"]).ends(0);
    assert_eq!(ran.stdout, "3 typed no\n\nend 0\n");
    assert_eq!(folder.hasse(&["replay", "t"]).ends(0).stdout, ran.stdout);
}

/// A file is followed over what is appended, over its replacement, and a folder over new files.
#[test]
fn files_that_grow_and_folders_are_followed() {
    let text = "hasse = 1\nmain = \"main\"\n[graph.main]\narcs = [\"File.next -> File.next\", \"Folder.next -> Folder.next\"]\n\
                [graph.main.uc.File]\nin = { next = \"int\" }\nout = { next = \"int\" }\nstart = true\nfire = [\"next -> file\"]\n\
                do = '''\nlet stream = if count == 1 { follow(\"log.txt\") } else { file };\nprint(`line ${read_line(stream)}`);\n'''\n\
                route = [\"next <- stream if count < 4\"]\n\
                [graph.main.uc.Folder]\nin = { next = \"int\" }\nout = { next = \"int\" }\nstart = true\nfire = [\"next -> folder\"]\n\
                do = '''\nlet stream = if count == 1 { watch_dir(\"inbox\") } else { folder };\nprint(`file ${read_line(stream)}`);\n'''\n\
                route = [\"next <- stream if count < 3\"]\n";
    let folder = Folder::with("p.hasse", text);
    folder.write("log.txt", "a\nb");
    std::fs::create_dir(folder.path("inbox")).unwrap();
    folder.write("inbox/1", "");
    let mut child = started(&folder, &["run", "p.hasse", "--workers", "1", "--trace", "t"]);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut first = [lines.next().unwrap().unwrap(), lines.next().unwrap().unwrap()];
    first.sort();
    assert_eq!(first, ["file 1", "line a"]);
    let append = |text: &str| {
        let mut log = OpenOptions::new().append(true).open(folder.path("log.txt")).unwrap();
        log.write_all(text.as_bytes()).unwrap();
    };
    append("!\nc\n");
    assert_eq!(lines.next().unwrap().unwrap(), "line b!");
    assert_eq!(lines.next().unwrap().unwrap(), "line c");
    folder.write("new", "d\n");
    std::fs::rename(folder.path("new"), folder.path("log.txt")).unwrap();
    assert_eq!(lines.next().unwrap().unwrap(), "line d");
    folder.write("inbox/2", "");
    assert_eq!(lines.next().unwrap().unwrap(), "file 2");
    std::fs::rename(folder.path("inbox/2"), folder.path("inbox/3")).unwrap();
    assert_eq!(lines.next().unwrap().unwrap(), "file 3");
    Ran::of(child.wait_with_output().unwrap()).ends(0);
    let mut replayed: Vec<String> =
        folder.hasse(&["replay", "t"]).ends(0).stdout.lines().map(str::to_owned).collect();
    replayed.sort();
    assert_eq!(replayed, ["file 1", "file 2", "file 3", "line a", "line b!", "line c", "line d"]);
}

/// An isolated event waits for what its record does not answer.
#[test]
fn isolated_event_waits_for_the_world() {
    let body = "let first = random();\nif x > 0 { sleep(0.01); print(\"slept\"); }\nheld = x;";
    let folder = one_node("", body);
    folder.hasse(&["run", "p.hasse", "--trace", "t"]).ends(0);
    let ran = folder.hasse(&["isolate", "t", "/Work:1", "--set", "x=1"]);
    assert!(ran.stdout.contains("slept"), "{}", ran.shown());
}

/// In a session, bodies wait without a worker, too; `why` says that they do, and a breakpoint before a body stops it once.
#[test]
fn bodies_wait_without_a_worker_in_sessions() {
    let folder = Folder::with("echo.hasse", &program_of_page("echo"));
    folder.write("commands", "stop in Answer if count == 1\nrun\ndelete 1\ncont\n");
    let args =
        ["debug", "echo.hasse", "--commands", "commands", "--workers", "1", "--allow-net", "127.0.0.1"];
    let ran = folder.hasse(&args).ends(0);
    for said in ["HELLO FROM 0\n", "HELLO FROM 1\n", "HELLO FROM 2\n"] {
        assert_eq!(ran.stdout.matches(said).count(), 1, "{}", ran.shown());
    }
    let waiting = one_node("", "let line = read_line(connect(\"FREE\"));");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let program = std::fs::read_to_string(waiting.path("p.hasse")).unwrap();
    waiting.write("p.hasse", &program.replace("FREE", &listener.local_addr().unwrap().to_string()));
    let accepting = thread::spawn(move || listener.accept().unwrap().0);
    let mut child = started(&waiting, &["debug", "p.hasse", "--allow-net", "127.0.0.1"]);
    let mut input = child.stdin.take().unwrap();
    writeln!(input, "run &").unwrap();
    let mut peer = accepting.join().unwrap();
    let mut said = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut last = String::new();
    while !last.contains("waits for the world outside") {
        // The action may still be at work: `why` would have it stopped first.
        writeln!(input, "list").unwrap();
        last = said.next().unwrap().unwrap();
    }
    writeln!(input, "why Work").unwrap();
    while last != "/Work: waits for the world outside, 1 execution" {
        last = said.next().unwrap().unwrap();
    }
    assert_eq!(said.next().unwrap().unwrap(), "  it has fired, and its body waits for the world outside");
    // It is held by `stop`, and goes on with `cont`.
    writeln!(input, "stop").unwrap();
    while !last.starts_with("stopped") {
        last = said.next().unwrap().unwrap();
    }
    peer.write_all(b"line\n").unwrap();
    writeln!(input, "cont").unwrap();
    while last != "end 0" {
        last = said.next().unwrap().unwrap();
    }
    writeln!(input, "quit").unwrap();
    drop(input);
    said.for_each(drop);
    Ran::of(child.wait_with_output().unwrap()).ends(0);
}

/// Failures of the world are errors of the event, which a program can handle.
#[test]
fn failures_of_streams_are_errors_of_the_event() {
    let cases = [
        // Nobody listens there.
        ("connect(\"127.0.0.1:1\")", "cannot connect to 127.0.0.1:1"),
        ("read_line(7)", "there is no open stream 7"),
        ("accept(connect(address(listen(\"127.0.0.1:0\"))))", "is no server"),
        ("read_line(listen(\"127.0.0.1:0\"))", "the server on 127.0.0.1:0 has connections, not lines"),
        ("listen(\"127.0.0.1:99999\")", "cannot listen on 127.0.0.1:99999"),
        ("write_line(listen(\"127.0.0.1:0\"), \"x\")", "takes no lines"),
        ("process_status(listen(\"127.0.0.1:0\"))", "is no subprocess"),
        ("follow(\"nowhere.txt\")", "cannot read `nowhere.txt`"),
        ("watch_dir(\"nowhere\")", "cannot read the folder `nowhere`"),
        ("start_process(\"./nothing\", [])", "cannot start `./nothing`"),
        ("run_command(\"./nothing\", [])", "cannot run `./nothing`"),
        ("run_command(\"./nothing\", [1])", "an argument is a string, not a i64"),
        ("sleep(-1)", "-1 is no number of seconds"),
    ];
    for (call, message) in cases {
        let folder = one_node("on_error = \"continue\"", &format!("{call};"));
        let args = ["run", "p.hasse", "--json", "--allow-net", "127.0.0.1", "--allow-run", "./nothing"];
        let found = folder.hasse(&args).ends(0).json();
        let first = &found["handled"][0]["first"]["message"];
        assert!(first.as_str().is_some_and(|text| text.contains(message)), "{call}: {found:#}");
    }
}

#[test]
fn network_and_programs_must_be_granted() {
    let mut shown = String::new();
    for (call, more) in [
        ("listen(\"127.0.0.1:0\")", &[][..]),
        ("connect(\"example.org:80\")", &["--allow-net", "example.org:443", "--allow-net", "localhost"]),
        ("http_get(\"http://example.org/\")", &[]),
        ("http_listen(\"0.0.0.0:80\")", &[]),
        ("run_command(\"ls\", [])", &["--allow-run", "cat"]),
        ("start_process(\"ls\", [])", &[]),
        ("sql(\"../x.db\", \"select 1\")", &[]),
    ] {
        if cfg!(not(all(feature = "http", feature = "sqlite")))
            && (call.contains("http") || call.contains("sql"))
        {
            continue;
        }
        let folder = one_node("", &format!("{call};"));
        let ran = folder.hasse(&[&["run", "p.hasse", "--json"], more].concat()).ends(1);
        let error = &ran.json()["errors"][0];
        assert_eq!(error["code"], "R0011", "{error:#}");
        let real = std::fs::canonicalize(folder.path("")).unwrap();
        let message = error["message"].as_str().unwrap();
        let real = real.parent().unwrap().display().to_string();
        let name =
            folder.path("").file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        shown += &format!("{call}: {}\n", message.replace(&real, "PARENT").replace(&name, "FOLDER"));
    }
    if cfg!(all(feature = "http", feature = "sqlite")) {
        insta::assert_snapshot!(shown);
    }
}

/// A peer that sends no line end, and one that sends what is no text.
#[test]
fn lines_of_peers_end_with_the_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let peer = thread::spawn(move || {
        for bytes in [&b"first\r\nlast"[..], b"\xff\n"] {
            listener.accept().unwrap().0.write_all(bytes).unwrap();
        }
    });
    let body = format!(
        "let c = connect(\"{address}\");\nfor _k in 0..3 {{ print(`${{read_line(c)}}`); }}\n\
         let bad = connect(\"{address}\");\ntry {{ read_line(bad); }} catch (e) {{ print(`${{e.contains(\"utf-8\")}}`); }}"
    );
    let folder = one_node("", &body);
    let ran = folder.hasse(&["run", "p.hasse", "--allow-net", "127.0.0.1"]).ends(0);
    assert_eq!(ran.stdout, "first\nlast\n\ntrue\nend 0\n");
    peer.join().unwrap();
}

/// A program that sends 500 values for each line of standard input.
#[cfg(unix)]
const SERVICE: &str = "hasse = 1
main = \"main\"
[graph.main]
arcs = [\"In.again -> In.again\", \"In.part -> Out.part\", \"Tick.again -> Tick.again\"]
[graph.main.uc.In]
in = { again = \"bool\" }
out = { again = \"bool\", part = \"string\" }
start = true
fire = [\"again -> _a\"]
do = \"let line = read_line();\"
route = [\"part <- `${line} ${k}` for k in 0..500 if line != ()\", \"again <- true if line != ()\"]
[graph.main.uc.Out]
in = { part = \"string\" }
fire = [\"part -> p\"]
do = \"print(p);\"
[graph.main.uc.Tick]
in = { again = \"bool\" }
out = { again = \"bool\" }
start = true
fire = [\"again -> _a\"]
route = [\"again <- true after 1 ms\"]
";

/// A service that is told to end processes what has come, and ends well.
#[cfg(unix)]
#[test]
fn terminated_service_processes_what_has_come() {
    let folder = Folder::with("p.hasse", SERVICE);
    for mode in ["full", "minimal"] {
        let mut child = started(&folder, &["run", "p.hasse", "--service", "--record", mode, "--trace", "t"]);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        child.stdin.as_mut().unwrap().write_all(b"a\n").unwrap();
        assert_eq!(lines.next().unwrap().unwrap(), "a 0");
        super::kill::signal(&child, "-TERM");
        let others: Vec<String> = lines.map_while(Result::ok).collect();
        let expected: Vec<String> = (1..500).map(|k| format!("a {k}")).collect();
        assert_eq!(others, expected, "{mode}");
        let ran = Ran::of(child.wait_with_output().unwrap()).ends(0);
        assert!(ran.stderr.starts_with("draining; a second signal stops at once\n"), "{}", ran.shown());
        let replayed = folder.hasse(&["replay", "t"]).stdout;
        assert_eq!(replayed.lines().count(), 500, "{mode}");
    }
}

/// Without `--service`, and at a second signal, a run is stopped.
#[cfg(unix)]
#[test]
fn second_signal_stops_a_service() {
    let endless = SERVICE.replace("after 1 ms", "");
    let folder = Folder::with("p.hasse", &endless);
    let mut child = started(&folder, &["run", "p.hasse", "--service"]);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    child.stdin.as_mut().unwrap().write_all(b"a\n").unwrap();
    assert_eq!(lines.next().unwrap().unwrap(), "a 0");
    let mut errors = BufReader::new(child.stderr.take().unwrap()).lines();
    super::kill::signal(&child, "-TERM");
    assert_eq!(errors.next().unwrap().unwrap(), "draining; a second signal stops at once");
    super::kill::signal(&child, "-TERM");
    assert_eq!(errors.next().unwrap().unwrap(), "stopping; a third signal ends the process at once");
    lines.for_each(drop);
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

/// Events are printed while they are recorded; the reader ends with the run.
#[test]
fn events_of_a_run_under_way_are_followed() {
    let text = "hasse = 1\nmain = \"main\"\n[graph.main]\narcs = [\"In.again -> In.again\"]\n\
                [graph.main.uc.In]\nin = { again = \"bool\" }\nout = { again = \"bool\" }\nstart = true\n\
                fire = [\"again -> _a\"]\ndo = \"let line = read_line();\"\nroute = [\"again <- true if line != ()\"]\n";
    let folder = Folder::with("p.hasse", text);
    let mut follower = started(&folder, &["trace", "follow", "t"]);
    let mut notes = BufReader::new(follower.stderr.take().unwrap()).lines();
    assert_eq!(notes.next().unwrap().unwrap(), "note: waiting for t");
    let mut child = started(&folder, &["run", "p.hasse", "--trace", "t"]);
    let mut input = child.stdin.take().unwrap();
    let mut events = BufReader::new(follower.stdout.take().unwrap()).lines();
    for count in 1..4 {
        writeln!(input, "line").unwrap();
        let event = events.next().unwrap().unwrap();
        assert!(event.contains(&format!("/In:{count}")), "{event}");
    }
    drop(input);
    Ran::of(child.wait_with_output().unwrap()).ends(0);
    assert!(events.next().unwrap().unwrap().contains("/In:4"));
    assert!(events.next().is_none());
    Ran::of(follower.wait_with_output().unwrap()).ends(0);
}

/// More than pipes hold goes through a filter whose output is read by another node, on one worker.
#[test]
fn slow_reader_holds_no_worker() {
    let text = program_of_page("filter")
        .replace("[\"one\", \"two\", \"three\"]", "[1, 2, 3].map(|k| \"a\".repeat(1_000_000 * k))")
        .replace("{ line }", "{ `${line.len()} ${line.starts_with(\"A\")}` }");
    let folder = Folder::with("filter.hasse", &text);
    let ran =
        folder.hasse(&["run", "filter.hasse", "--workers", "1", "--allow-run", "tr", "--trace", "t"]).ends(0);
    assert_eq!(ran.stdout, "1000000 true\n2000000 true\n3000000 true\nended with status 0\n");
    assert_eq!(folder.hasse(&["replay", "t"]).ends(0).stdout, ran.stdout);
}

/// A subprocess does not outlive its run, also where somebody waits for its status.
#[cfg(target_os = "linux")]
#[test]
fn subprocess_is_killed_at_the_end_of_the_run() {
    let text = "hasse = 1\nmain = \"main\"\n[graph.main]\narcs = [\"Start.process -> Wait.process\", \"Start.line -> End.line\"]\n\
                [graph.main.uc.Start]\nstart = true\nout = { process = \"int\", line = \"string\" }\n\
                do = '''\nlet process = start_process(\"sh\", [\"-c\", \"echo $$; exec sleep 1000\"]);\nlet line = read_line(process);\n'''\n\
                route = [\"process <- process\", \"line <- line\"]\n\
                [graph.main.uc.Wait]\nin = { process = \"int\" }\nfire = [\"process -> process\"]\ndo = \"process_status(process);\"\n\
                [graph.main.uc.End]\nin = { line = \"string\" }\nstop = true\nfire = [\"line -> line\"]\ndo = \"sleep(0.05); print(line);\"\n";
    let folder = Folder::with("p.hasse", text);
    let ran = folder.hasse(&["run", "p.hasse", "--allow-run", "sh"]).ends(0);
    let pid = ran.stdout.trim();
    // Who has killed it may be gone before it is taken note of: then it is a zombie.
    let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    assert!(state.is_empty() || state.contains(") Z"), "{state}");
}

/// The stop node also ends a run in which a body has asked so much that it keeps its worker while it waits.
#[test]
fn stop_node_ends_a_body_that_waits_with_its_worker() {
    let text = "hasse = 1\nmain = \"main\"\n[graph.main]\narcs = [\"Start.server -> Wait.server\", \"Start.server -> End.server\"]\n\
                [graph.main.uc.Start]\nstart = true\nout = { server = \"int\" }\n\
                do = 'let server = listen(\"127.0.0.1:0\");'\nroute = [\"server <- server\"]\n\
                [graph.main.uc.Wait]\nin = { server = \"int\" }\nfire = [\"server -> server\"]\n\
                do = '''\nfor _k in 0..5_000 { time(); }\nconnect(address(server));\naccept(server);\nsleep(1e6);\n'''\n\
                [graph.main.uc.End]\nin = { server = \"int\" }\nstop = true\n\
                fire = [\"server -> server\"]\ndo = \"accept(server);\"\n";
    let folder = Folder::with("p.hasse", text);
    let args = ["run", "p.hasse", "--workers", "2", "--allow-net", "127.0.0.1", "--trace", "t"];
    folder.hasse(&args).ends(0);
    folder.hasse(&["replay", "t"]).ends(0);
}
