//! Input that is long, odd or foreign: a short answer, and nothing executed.

use std::fmt::Write as _;
use std::fs;

use super::support::{Folder, Ran, SQUARES};

/// Words that only begin like quantifiers were taken for them, and the parser panicked.
#[test]
fn texts_that_look_like_checks_are_refused() {
    let folder = Folder::with("squares.hasse", SQUARES);
    folder.hasse(&["run", "squares.hasse", "--trace", "t"]).ends(0);
    for text in ["forall0a: Sum : true", "forall_: Sum", "exists1: Sum", "neverx: Sum", "check forall9"] {
        let ran = folder.hasse(&["verify", "t", text]).ends(2);
        assert!(ran.stderr.contains("this is not a check"), "{text}: {}", ran.shown());
    }
}

#[test]
fn a_finding_far_into_a_line_is_shown_with_its_surroundings() {
    let index = "+1".repeat(40_000);
    let text = format!(
        "hasse = 1\nmain = 'm'\n[graph.m]\narcs = [\"A.o[i{index}] -> A.p\"]\n[graph.m.uc.A]\nstart = true\n"
    );
    let ran = Folder::with("p.hasse", &text).hasse(&["check", "p.hasse"]).ends(1);
    assert!(ran.stderr.contains("E0105") && ran.stderr.contains("p.hasse:4:"), "{}", ran.shown());
    assert!(ran.stderr.len() < 5_000, "{} bytes", ran.stderr.len());
}

/// Each of the findings is about one line, and each had printed that line.
#[test]
fn many_findings_on_a_long_line_are_a_short_text() {
    let mut params = String::new();
    for nth in 0..1500 {
        let _ = write!(params, "{}p{nth} = \"int = {nth}\"", if nth == 0 { "" } else { ", " });
    }
    let text = format!(
        "hasse = 1\nmain = 'm'\n[graph.m]\nparams = {{ {params} }}\n[graph.m.uc.A]\nstart = true\ndo = 'print(1);'\n"
    );
    let folder = Folder::with("p.hasse", &text);
    let ran = folder.hasse(&["check", "p.hasse"]).ends(0);
    assert!(ran.stderr.len() < 60_000, "{} bytes", ran.stderr.len());
    assert!(ran.stderr.contains("not shown: 1480 more of W0101"), "{}", ran.shown());
    let all = folder.hasse(&["check", "p.hasse", "--json"]).ends(0).json();
    assert_eq!(all["diagnostics"].as_array().unwrap().len(), 1500);
}

#[test]
fn an_error_with_large_values_is_a_short_text() {
    let text = r#"hasse = 1
main = "m"
[graph.m]
arcs = ["A.o -> B.i"]
[graph.m.uc.A]
out = { o = "string" }
start = true
do = 'let t = "x"; for k in 0..20 { t += t; }'
route = ["o <- t"]
[graph.m.uc.B]
in = { i = "string" }
vars = { keep = "string[]", fits = "int" }
fire = ["i -> x"]
do = 'keep.push(x); BODY'
"#;
    for body in ["throw \"oops\";", "throw x;", "fits = as_int(x);", "result(\"r\", x); throw [x, x];"] {
        let folder = Folder::with("p.hasse", &text.replace("BODY", body));
        let ran = folder.hasse(&["run", "p.hasse"]).ends(1);
        assert!(ran.stderr.len() < 12_000, "{body}: {} bytes", ran.stderr.len());
        assert!(ran.stderr.contains("xxx..."), "{body}: {}", ran.shown());
        let json = folder.hasse(&["run", "p.hasse", "--json"]).ends(1);
        assert!(json.stdout.len() < 12_000, "{body}: {} bytes", json.stdout.len());
    }
}

/// Instances that fail alike are reported once.
#[test]
fn events_that_fail_alike_are_one_report() {
    let text = SQUARES
        .replace("route = [\"square <- x * x\"]", "do = 'throw \"odd\";'\nroute = [\"square <- x * x\"]");
    let ran = Folder::with("p.hasse", &text).hasse(&["run", "p.hasse", "--set", "n=9"]).ends(1);
    assert_eq!(ran.stderr.matches("odd").count(), 2, "{}", ran.shown());
    assert!(ran.stderr.contains("8 more failed in the same way: /Square[1]:1, "), "{}", ran.shown());
}

/// Ports of any name, in rules, arcs, checks and replays.
#[test]
fn ports_may_have_the_names_of_keywords() {
    let text = r#"hasse = 1
main = "m"
[graph.m]
arcs = ["A.out -> pass.in", "pass.out -> B.in", "A.new[i] -> B.from[i]", "B.loop -> B.for", "B.else -> B.let"]
[graph.m.call.pass]
graph = "pass"
[graph.m.uc.A]
out = { out = "int", "new[i]" = "int" }
start = true
route = ["out <- 3, new[i] <- i for i in 0..2"]
[graph.m.uc.B]
in = { in = "int", "from[i]" = "int", for = "int", let = "int" }
out = { loop = "int", else = "int" }
vars = { n = "int" }
fire = ["in -> x, from[i] -> y[i] for i in 0..2", "for -> z, let -> t"]
do = 'if rule == 1 { result("n", n + z + t); } else { n = x + y[0] + y[1]; }'
route = ["loop <- if n > 100 { 1 } else { 10 }, else <- 20 if rule == 0"]
[graph.pass]
in = { in = "int" }
out = { out = "int" }
arcs = ["in.in -> P.in", "P.out -> out.out"]
[graph.pass.uc.P]
in = { in = "int" }
out = { out = "int" }
fire = ["in -> x"]
route = ["out <- x"]
"#;
    let folder = Folder::with("p.hasse", text);
    let ran = folder.hasse(&["run", "p.hasse", "--trace", "t", "--json"]).ends(0).json();
    assert_eq!(ran["results"]["n"], 34, "{ran:#}");
    folder.hasse(&["replay", "t"]).ends(0);
    folder
        .hasse(&["verify", "t", "forall b: B where b.rule == 0 : b.sent.loop == 10 && b.sent.else == 20"])
        .ends(0);
    folder.hasse(&["fmt", "p.hasse"]).ends(0);
    assert_eq!(folder.hasse(&["run", "p.hasse", "--json"]).ends(0).json()["results"]["n"], 34);
    for (from, to) in [
        ("in = { in = \"int\", \"from", "in = { if = \"int\", \"from"),
        ("uc.P]", "uc.in]"),
        ("n = \"int\" }", "loop = \"int\" }"),
    ] {
        folder.write("q.hasse", &text.replace(from, to));
        let ran = folder.hasse(&["check", "q.hasse"]).ends(1);
        assert!(ran.stderr.contains("E0103") && ran.stderr.contains("take another one"), "{}", ran.shown());
    }
}

/// A program of so many nodes in a row.
fn chain(n_nodes: usize) -> String {
    let mut text = "hasse = 1\nmain = 'm'\n[graph.m]\narcs = [\n".to_owned();
    for node in 1..n_nodes {
        let _ = writeln!(text, "'N{}.o -> N{node}.i',", node - 1);
    }
    text.push_str("]\n[graph.m.uc.N0]\nstart = true\nout = { o = 'int' }\nroute = ['o <- 1']\n");
    for node in 1..n_nodes {
        let out = if node + 1 < n_nodes {
            "out = { o = 'int' }\nroute = ['o <- x']"
        } else {
            "do = 'result(\"x\", x);'"
        };
        let _ = writeln!(text, "[graph.m.uc.N{node}]\nin = {{ i = 'int' }}\nfire = ['i -> x']\n{out}");
    }
    text
}

/// The library that lays out small programs goes through chains by recursion.
#[test]
fn large_programs_are_drawn() {
    let folder = Folder::with("chain.hasse", &chain(20_000));
    let svg = folder.hasse(&["graph", "chain.hasse"]).ends(0).stdout;
    assert_eq!(svg.matches("class=\"arc\"").count(), 19_999);
    let mut complete = "hasse = 1\nmain = 'm'\n[graph.m]\narcs = [\n".to_owned();
    for (one, other) in (0..40).flat_map(|one| (0..40).map(move |other| (one, other))) {
        let _ = writeln!(complete, "'N{one}.o -> N{other}.i',");
    }
    complete.push_str("]\n");
    for node in 0..40 {
        let _ = writeln!(complete, "[graph.m.uc.N{node}]");
    }
    folder.write("complete.hasse", &complete);
    folder.hasse(&["graph", "complete.hasse", "-o", "complete.svg"]).ends(0);
    let svg = fs::read_to_string(folder.path("complete.svg")).unwrap();
    assert_eq!(svg.matches("class=\"arc\"").count(), 1600);
    roxmltree::Document::parse(&svg).unwrap();
}

/// A body whose library writes a file as soon as it is loaded.
const RUNS_CODE: &str = r#"hasse = 1
main = "m"
[graph.m]
[graph.m.uc.A]
start = true
do = { rust = '''
#[used] #[unsafe(link_section = ".init_array")] static INIT: extern "C" fn() = { extern "C" fn f() { std::fs::write("loaded", "x").unwrap(); } f };
context.result("x", 1)?;
''' }
"#;

#[cfg(target_os = "linux")]
#[test]
fn bodies_in_rust_run_only_if_their_user_allows_it() {
    let folder = Folder::with("p.hasse", RUNS_CODE);
    let hasse = |args: &[&str]| {
        let mut command = folder.command(args);
        command.env_remove("HASSE_TRUST").env("HASSE_CACHE", folder.path("cache"));
        Ran::of(command.output().unwrap())
    };
    let is_loaded = || fs::remove_file(folder.path("loaded")).is_ok();
    hasse(&["check", "p.hasse"]).ends(0);
    hasse(&["graph", "p.hasse", "-o", "p.svg"]).ends(0);
    hasse(&["fmt", "p.hasse"]).ends(0);
    assert!(!is_loaded());
    for args in [&["run", "p.hasse"][..], &["debug", "p.hasse"]] {
        let refused = hasse(args).ends(2);
        assert!(refused.stderr.contains("you have not run before: `m.A`"), "{}", refused.shown());
        assert!(refused.stderr.contains("--trust"), "{}", refused.shown());
    }
    assert!(!is_loaded());
    assert_eq!(hasse(&["run", "p.hasse", "--trust", "--trace", "t"]).ends(0).stdout, "x = 1\n");
    assert!(is_loaded());
    // The text is remembered, not the file.
    folder.write("q.hasse", &RUNS_CODE.replace("main = \"m\"", "main = \"m\" # again"));
    hasse(&["run", "q.hasse"]).ends(0);
    assert!(is_loaded());
    // It is loaded from the cache where it is known to be sound, but not by a check.
    hasse(&["check", "q.hasse"]).ends(0);
    hasse(&["trace", "info", "t"]).ends(0);
    hasse(&["trace", "events", "t"]).ends(0);
    assert!(!is_loaded());
    folder.write("q.hasse", &RUNS_CODE.replace("\"x\", 1", "\"x\", 2"));
    hasse(&["run", "q.hasse"]).ends(2);
    assert!(!is_loaded());
    for args in
        [&["why", "t", "A:1"][..], &["verify", "t", "check pred A {A}"], &["races", "t"], &["perf", "t"]]
    {
        hasse(args);
        assert!(!is_loaded(), "{args:?}");
    }
}

/// Looking at a trace in a session executes nothing, so that nobody is asked for trust before something does.
#[cfg(target_os = "linux")]
#[test]
fn session_on_trace_loads_bodies_when_it_executes() {
    let folder = Folder::with("p.hasse", RUNS_CODE);
    let cache = folder.path("cache");
    let hasse = |args: &[&str], input: &str| {
        folder.write("commands", input);
        let mut command = folder.command(args);
        command.env_remove("HASSE_TRUST").env("HASSE_CACHE", &cache);
        Ran::of(command.output().unwrap())
    };
    let debug = |input: &str| hasse(&["debug", "t", "--echo", "--commands", "commands"], input);
    let is_loaded = || fs::remove_file(folder.path("loaded")).is_ok();
    hasse(&["run", "p.hasse", "--trust", "--trace", "t"], "").ends(0);
    assert!(is_loaded());
    // As a user who has received the trace from somebody.
    fs::remove_dir_all(&cache).unwrap();
    let looks = "lse\nwhatis A\nlist A\npsym A\nbreak A\ncheck pred A {A}\nrun\nverdicts\nwhy A:1\nhistory\ngraphs\nperf\n\
                 export jsonl out.jsonl\noutput file copy.trace\nrun\nstatus\nsave session kept\n";
    let looked = debug(looks);
    assert!(!is_loaded(), "{}", looked.shown());
    assert!(!cache.join("trusted").exists(), "{}", looked.shown());
    let restored = hasse(&["debug", "--session", "kept", "--commands", "commands"], "lse\n").ends(0);
    assert!(restored.stdout.contains("A:1"), "{}", restored.shown());
    hasse(&["trace", "events", "copy.trace"], "").ends(0);
    for executes in ["mode replay\nrun\n", "mode record full\nrun\n", "values A:1\n", "isolate A:1\n"] {
        let refused = debug(executes).ends(2);
        assert!(refused.stderr.contains("you have not run before: `m.A`"), "{}", refused.shown());
        assert!(!is_loaded(), "{}", refused.shown());
    }
    insta::assert_snapshot!(looked.shown());
    let trusted = hasse(&["debug", "t", "--trust", "--commands", "commands"], "mode replay\nrun\n").ends(0);
    assert!(trusted.stdout.contains("x = 1"), "{}", trusted.shown());
    assert!(is_loaded());
    debug("values A:1\n").ends(0);
    assert!(is_loaded());
}

#[cfg(target_os = "linux")]
#[test]
fn a_damaged_library_is_made_again_and_what_a_kill_left_is_removed() {
    let folder = Folder::with("p.hasse", RUNS_CODE);
    let run = || {
        let mut command = folder.command(&["run", "p.hasse"]);
        Ran::of(command.env("HASSE_CACHE", folder.path("cache")).output().unwrap())
    };
    run().ends(0);
    let library = || {
        let mut entries =
            fs::read_dir(folder.path("cache/bodies")).unwrap().map(|entry| entry.unwrap().path());
        entries.find(|path| path.extension().is_some_and(|extension| extension == "so")).unwrap()
    };
    let whole = fs::read(library()).unwrap();
    let abandoned = folder.path("cache/bodies/new-killed");
    // Cut off, a page of zeros, a changed byte: the loader does not see any of them.
    let mut zeros = whole.clone();
    zeros[4096..8192].fill(0);
    let mut changed = whole.clone();
    let last = changed.len() / 2;
    changed[last] ^= 1;
    for damaged in [&whole[..whole.len() / 2], &zeros, &changed, &[]] {
        fs::create_dir_all(&abandoned).unwrap();
        fs::write(library(), damaged).unwrap();
        assert_eq!(run().ends(0).stdout, "x = 1\n");
        assert_eq!(fs::read(library()).unwrap().len(), whole.len());
        assert!(!abandoned.exists());
    }
}

/// The first run holds its file until it ends.
#[test]
fn a_second_run_does_not_write_into_the_trace_of_the_first() {
    let folder = Folder::with("squares.hasse", SQUARES);
    let held = fs::File::create(folder.path("t")).unwrap();
    held.lock().unwrap();
    let refused = folder.hasse(&["run", "squares.hasse", "--trace", "t"]).ends(2);
    assert!(refused.stderr.contains("another process writes this trace"), "{}", refused.shown());
    held.unlock().unwrap();
    folder.hasse(&["run", "squares.hasse", "--trace", "t"]).ends(0);
    folder.hasse(&["replay", "t"]).ends(0);
}
