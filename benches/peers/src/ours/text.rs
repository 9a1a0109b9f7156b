//! The workloads as programs of Hasse, once with native and once with Rhai bodies.

use std::fmt::Write as _;

use super::Bodies;
use crate::workload::{N_ADDERS, N_BRANCHES, N_LINKS, N_PRODUCERS, Workload};

/// Ends each program: sets the result `out` of the value that comes.
const STOP: &str = r#"
[graph.main.uc.Stop]
in   = { s = "int" }
stop = true
fire = ["s -> s"]
do   = 'result("out", s);'
"#;

/// Sends waves of values: the next one once the last node says so.
const SOURCE: &str = r#"
[graph.main.uc.Start]
out   = { go = "int" }
start = true
route = ["go <- 0"]

[graph.main.uc.Source]
in    = { go = "int" }
out   = { o = "int" }
fire  = ["go -> _go"]
route = ["o <- k for k in 0..wave"]
"#;

/// What the last node of waves sends: after each wave, and after all.
const AFTER: &str =
    r#"route = ["next <- 1 if count % wave == 0 && count < size", "s <- total if count == size"]"#;

/// The text of a program.
pub(super) fn text(workload: Workload, bodies: Bodies) -> String {
    let (params, arcs, units) = match workload {
        Workload::Chain => chain(bodies),
        Workload::Ring => ring(bodies),
        Workload::Fan => fan(bodies),
        Workload::Merge => merge(bodies),
        Workload::Wavefront => wavefront(bodies),
        Workload::Counter => counter(bodies),
        Workload::Solve => return solve(bodies),
    };
    let shared = match workload {
        Workload::Counter => {
            let lines: Vec<_> = (0..N_ADDERS).map(|k| format!("\"counter -- Add{k}.counter\"")).collect();
            let lines = lines.join(", ");
            format!(
                "share = [{lines}, \"counter -- Stop.counter\"]\n[graph.main.shared.counter]\ntype = \"int\"\n"
            )
        }
        _ => String::new(),
    };
    let arcs = arcs.join("\",\n  \"");
    format!(
        "hasse = 1\nmain = \"main\"\n\n[graph.main]\nparams = {{ {params} }}\narcs = [\n  \"{arcs}\"\n]\n{shared}{units}"
    )
}

/// A body as the program file has it.
fn body(bodies: Bodies, native: &str, rhai: &str) -> String {
    match bodies {
        Bodies::Native => format!("do = {{ native = \"{native}\" }}"),
        Bodies::Compiled | Bodies::Rhai => format!("do = '{rhai}'"),
    }
}

/// A node that adds 1 to what comes and sends it on.
fn step(bodies: Bodies, name: &str, outs: &str, routes: &str) -> String {
    let body = body(bodies, "step", "let y = x + 1;");
    format!(
        "\n[graph.main.uc.{name}]\nin = {{ a = \"int\" }}\nout = {{ {outs} }}\nfire = [\"a -> x\"]\n{body}\nroute = [{routes}]\n"
    )
}

/// Parameters, arcs, units.
type Parts = (&'static str, Vec<String>, String);
const WAVES: &str = r#"size = "int", wave = "int""#;

fn chain(bodies: Bodies) -> Parts {
    let last = N_LINKS - 1;
    let mut arcs = vec!["Start.go -> Source.go".to_owned(), "Source.o -> N0.a".to_owned()];
    arcs.extend((0..last).map(|n| format!("N{n}.o -> N{}.a", n + 1)));
    arcs.extend([format!("N{last}.next -> Source.go"), format!("N{last}.s -> Stop.s")]);
    let mut units = SOURCE.to_owned();
    for n in 0..last {
        units += &step(bodies, &format!("N{n}"), r#"o = "int""#, r#""o <- y""#);
    }
    let body = body(bodies, "sum", "total += x + 1;");
    let _ = write!(
        units,
        "\n[graph.main.uc.N{last}]\nin = {{ a = \"int\" }}\nout = {{ next = \"int\", s = \"int\" }}\nvars = {{ total = \"int\" }}\n\
         fire = [\"a -> x\"]\n{body}\n{AFTER}\n{STOP}"
    );
    (WAVES, arcs, units)
}

fn ring(bodies: Bodies) -> Parts {
    let mut arcs = vec!["Start.go -> N0.a".to_owned(), "N0.s -> Stop.s".to_owned()];
    arcs.extend((0..N_LINKS).map(|n| format!("N{n}.o -> N{}.a", (n + 1) % N_LINKS)));
    let start = "\n[graph.main.uc.Start]\nout = { go = \"int\" }\nstart = true\nroute = [\"go <- 0\"]\n";
    let mut units = start.to_owned();
    units += &step(bodies, "N0", r#"o = "int", s = "int""#, r#""o <- y if x < size", "s <- x if x == size""#);
    for n in 1..N_LINKS {
        units += &step(bodies, &format!("N{n}"), r#"o = "int""#, r#""o <- y""#);
    }
    (r#"size = "int""#, arcs, units + STOP)
}

fn fan(bodies: Bodies) -> Parts {
    let mut arcs = vec!["Start.go -> Source.go".to_owned(), "Source.o -> Send.a".to_owned()];
    arcs.extend((0..N_BRANCHES).map(|n| format!("Send.o -> B{n}.a")));
    arcs.extend((0..N_BRANCHES).map(|n| format!("B{n}.o -> Join.p{n}")));
    arcs.extend(["Join.next -> Source.go".to_owned(), "Join.s -> Stop.s".to_owned()]);
    let mut units = SOURCE.to_owned();
    units += &step(bodies, "Send", r#"o = "int""#, r#""o <- y""#);
    for n in 0..N_BRANCHES {
        units += &step(bodies, &format!("B{n}"), r#"o = "int""#, r#""o <- y""#);
    }
    let each = |part: fn(u64) -> String, between| (0..N_BRANCHES).map(part).collect::<Vec<_>>().join(between);
    let ports = each(|n| format!("p{n} = \"int\""), ", ");
    let bound = each(|n| format!("p{n} -> v{n}"), ", ");
    let sum = each(|n| format!("v{n}"), " + ");
    let body = body(bodies, "join", &format!("total += {sum};"));
    let _ = write!(
        units,
        "\n[graph.main.uc.Join]\nin = {{ {ports} }}\nout = {{ next = \"int\", s = \"int\" }}\nvars = {{ total = \"int\" }}\n\
         fire = [\"{bound}\"]\n{body}\n{AFTER}\n{STOP}"
    );
    (WAVES, arcs, units)
}

fn merge(bodies: Bodies) -> Parts {
    let start = "\n[graph.main.uc.Start]\nout = { go = \"int\" }\nstart = true\nroute = [\"go <- 0\"]\n";
    let (mut arcs, mut units) = (Vec::new(), start.to_owned());
    for n in 0..N_PRODUCERS {
        arcs.extend([format!("Start.go -> P{n}.a"), format!("P{n}.again -> P{n}.a")]);
        arcs.push(format!("P{n}.o -> Sink.a"));
        let routes = r#""o <- y", "again <- y if y < size""#;
        units += &step(bodies, &format!("P{n}"), r#"o = "int", again = "int""#, routes);
    }
    arcs.push("Sink.s -> Stop.s".to_owned());
    let body = body(bodies, "plain_sum", "total += x;");
    let _ = write!(
        units,
        "\n[graph.main.uc.Sink]\nin = {{ a = \"int\" }}\nout = {{ s = \"int\" }}\nvars = {{ total = \"int\" }}\n\
         fire = [\"a -> x\"]\n{body}\nroute = [\"s <- total if count == {N_PRODUCERS} * size\"]\n{STOP}"
    );
    (r#"size = "int""#, arcs, units)
}

fn wavefront(bodies: Bodies) -> Parts {
    let arcs = [
        "Start.north[j] -> Cell[0][j].north",
        "Start.west[i] -> Cell[i][0].west",
        "Cell[i][j].south -> Cell[i + 1][j].north",
        "Cell[i][j].east -> Cell[i][j + 1].west",
        "Cell[i][j].done -> Stop.s",
    ];
    let body = body(bodies, "cell", "let c = (a + b) & 0xffffffff;");
    let units = format!(
        r#"
[graph.main.uc.Start]
out   = {{ "north[j]" = "int", "west[i]" = "int" }}
start = true
route = ["north[j] <- 1 for j in 0..size", "west[i] <- 1 for i in 0..size"]

[graph.main.uc.Cell]
index = ["i", "j"]
in    = {{ north = "int", west = "int" }}
out   = {{ south = "int", east = "int", done = "int" }}
fire  = ["north -> a, west -> b"]
{body}
route = [
  "south <- c if i < size - 1",
  "east <- c if j < size - 1",
  "done <- c if i == size - 1 && j == size - 1",
]
{STOP}"#
    );
    (r#"size = "int""#, arcs.map(str::to_owned).to_vec(), units)
}

fn counter(bodies: Bodies) -> Parts {
    let start = "\n[graph.main.uc.Start]\nout = { go = \"int\" }\nstart = true\nroute = [\"go <- 0\"]\n";
    let (mut arcs, mut units) = (Vec::new(), start.to_owned());
    let body = body(bodies, "add", "counter += 1; let y = x + 1;");
    for n in 0..N_ADDERS {
        arcs.extend([format!("Start.go -> Add{n}.a"), format!("Add{n}.again -> Add{n}.a")]);
        arcs.push(format!("Add{n}.done -> Stop.done{n}"));
        let _ = write!(
            units,
            "\n[graph.main.uc.Add{n}]\nin = {{ a = \"int\" }}\nout = {{ again = \"int\", done = \"int\" }}\n\
             shared = {{ counter = \"write\" }}\nfire = [\"a -> x\"]\n{body}\n\
             route = [\"again <- y if y < size\", \"done <- y if y == size\"]\n"
        );
    }
    let ports: Vec<_> = (0..N_ADDERS).map(|n| format!("done{n} = \"int\"")).collect();
    let bound: Vec<_> = (0..N_ADDERS).map(|n| format!("done{n} -> _done{n}")).collect();
    let _ = write!(
        units,
        "\n[graph.main.uc.Stop]\nin = {{ {} }}\nstop = true\nshared = {{ counter = \"read\" }}\nfire = [\"{}\"]\n\
         do = 'result(\"out\", counter);'\n",
        ports.join(", "),
        bound.join(", ")
    );
    (r#"size = "int""#, arcs, units)
}

/// The graph of `examples/bts` without its files: `size` solves of one system, one after another.
fn solve(bodies: Bodies) -> String {
    let solve = body(
        bodies,
        "solve",
        "let x = solve_lower(block_at(below, below), seg); below += 1; let first = below; below %= n;",
    );
    let mult = body(bodies, "mult", "acc -= block_at(i, j) * x; j = (j + 1) % i;");
    let gather = body(
        bodies,
        "gather",
        "if k == 0 { x = seg; } else { x.append(seg); } k += 1; if k == n { k = 0; round += 1; }",
    );
    format!(
        r#"hasse = 1
main = "main"

[graph.main]
params = {{ size = "int", n = "int" }}
arcs = [
  "Start.b -> Solve.b",
  "Start.to_mult[i] -> Mult[i].b",
  "Solve.x[i] -> Mult[i].x",
  "Mult[i].done -> Solve.b",
  "Solve.seg -> Gather.seg",
  "Gather.again -> Start.again",
  "Gather.x -> Stop.x",
]

[graph.main.uc.Start]
in    = {{ again = "int" }}
out   = {{ b = "vector", "to_mult[i]" = "vector" }}
start = true
fire  = ["again -> _again"]
route = ["b <- segment(0)", "to_mult[i] <- segment(i) for i in 1..n"]

[graph.main.uc.Solve]
in    = {{ b = "vector" }}
out   = {{ "x[i]" = "vector", seg = "vector" }}
vars  = {{ below = "int" }}
fire  = ["b -> seg"]
{solve}
route = ["x[i] <- x for i in first..n", "seg <- x"]

[graph.main.uc.Mult]
index = ["i"]
in    = {{ b = "vector", x = "vector" }}
out   = {{ done = "vector" }}
vars  = {{ acc = "vector", j = "int" }}
fire  = ["b -> acc, x -> x if j == 0", "x -> x if j > 0"]
{mult}
route = ["done <- acc if j == 0"]

[graph.main.uc.Gather]
in    = {{ seg = "vector" }}
out   = {{ again = "int", x = "vector" }}
vars  = {{ x = "vector", k = "int", round = "int" }}
fire  = ["seg -> seg"]
{gather}
route = ["again <- round if k == 0 && round < size", "x <- x if k == 0 && round == size"]

[graph.main.uc.Stop]
in   = {{ x = "vector" }}
stop = true
fire = ["x -> x"]
do   = 'result("x", x);'
"#
    )
}
