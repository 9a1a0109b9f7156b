//! Modes of recording where scalars go in columns: what a run notes of many events together is what it notes of each by
//! itself. The scheduler has no seed here, as a run with a seed serves events one by one.

use std::collections::BTreeMap;
use std::fmt::Write;

use hasse_runtime::run::{Recording, RunOptions, ScriptTiers};
use proptest::prelude::*;

use crate::generator::{self, Dice};
use crate::minimal::{assert_same_run, minimize_full, replay_minimal, rows};
use crate::recording::{
    compile, digest, names, options, record_as, record_restricted, record_with, replay_with, sorted,
};
use crate::restricted::{self, choose, events_in, restricted_by_reference};
use crate::{WORKER_COUNTS, flows, n_programs};

/// Nodes that take a value `x` of a type: the type of what they send, more inputs, more outputs, and all else.
type Form = (&'static str, &'static str, &'static str, &'static str);

const INT_FORMS: [Form; 27] = [
    ("int", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- x\"]"),
    ("int", "", "", "fire = [\"x -> x\"]\ndo = 'let z = x + 1;'\nroute = [\"y <- z\"]"),
    (
        "int",
        "",
        "",
        "vars = { total = \"int\" }\nfire = [\"x -> x\"]\ndo = 'total = (total + x) % 1000; let z = total;'\nroute = [\"y <- z\"]",
    ),
    ("int", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- x if count % 3 != 0\"]"),
    ("int", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- x\", \"y <- x if count % 5 == 0\"]"),
    ("int", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- x + 1\"]"),
    // Some events speak, and are executed by themselves.
    (
        "int",
        "",
        "",
        "fire = [\"x -> x\"]\ndo = 'if x % 50 == 7 { print(x); } let z = x + 1;'\nroute = [\"y <- z\"]",
    ),
    // Answers of the world, which are the same in all runs.
    ("int", "", "", "fire = [\"x -> x\"]\ndo = 'let z = random_int(x, x) + 1;'\nroute = [\"y <- z\"]"),
    (
        "int",
        "",
        "",
        "vars = { total = \"int\" }\nfire = [\"x -> x\"]\ndo = 'for k in 0..x % 3 { total += random_int(k, k); } let z = total % 1000;'\n\
         route = [\"y <- z if x % 4 != 1\"]",
    ),
    // Some events ask nothing, some ask more than others, and some are executed again after they have asked.
    (
        "int",
        "",
        "",
        "fire = [\"x -> x\"]\ndo = 'let z = x; if x % 3 == 1 { z = random_int(x, x) + random_int(1, 1); }'\nroute = [\"y <- z if x % 5 != 3\"]",
    ),
    (
        "int",
        "",
        "",
        "fire = [\"x -> x\"]\ndo = 'let z = random_int(x, x); if x % 40 == 9 { let s = `${z}`; z += s.len(); } z += random_int(0, 0);'\n\
         route = [\"y <- z\"]",
    ),
    // Rules that take turns, one by one and in longer runs, where each event has one and where some have several.
    (
        "int",
        "",
        "",
        "fire = [\"x -> x if count % 2 == 0\", \"x -> x if count % 2 == 1\"]\nroute = [\"y <- x\"]",
    ),
    (
        "int",
        "",
        "",
        "fire = [\"x -> x\", \"x -> x if count % 3 == 0\", \"x -> x if count % 50 < 20\"]\ndo = 'let z = x + rule;'\nroute = [\"y <- z\"]",
    ),
    (
        "int",
        "",
        "",
        "fire = [\"x -> x if count % 7 < 4\", \"x -> x if count % 7 >= 4 || count < 0\"]\ndo = 'let z = random_int(x, x);'\n\
         route = [\"y <- z if count % 3 != 0\", \"y <- x + rule if x % 4 == 1\"]",
    ),
    (
        "int",
        "",
        "",
        "shared = { box = \"write\" }\nfire = [\"x -> x if count % 2 == 0\", \"x -> x if count % 5 != 0\", \"x -> x\"]\n\
         do = 'box += 0; let z = (x + box) % 1000;'\nroute = [\"y <- z\"]",
    ),
    ("int", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- 1000 / (x % 4) if x % 4 != 0\"]"),
    (
        "int",
        "",
        "",
        "fire = [\"x -> x\"]\ndo = 'let z = 2 * x;'\nroute = [\"y <- z - count if z > x + 3 || x == 0\"]",
    ),
    ("real", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- x * 0.5\"]"),
    ("bool", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- x % 3 == 0\"]"),
    ("P", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- P(x, 0.5)\"]"),
    ("vector", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- vector(3, 1.0 * x) if x % 5 != 2\"]"),
    ("string", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- `${x}`\"]"),
    ("map[string]int", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- #{a: x, b: 7}\"]"),
    (
        "int",
        "",
        "",
        "vars = { seen = \"map[string]int\" }\nfire = [\"x -> x\"]\n\
         do = 'let key = `${x % 5}`; seen[key] = (seen[key] ?? 0) + 1; let z = seen[key];'\nroute = [\"y <- z\"]",
    ),
    // An object that others read at the same time, and that some write without changing it.
    (
        "int",
        "",
        "",
        "shared = { box = \"read\" }\nfire = [\"x -> x\"]\ndo = 'let z = (x + box) % 1000;'\nroute = [\"y <- z\"]",
    ),
    (
        "int",
        "",
        "",
        "shared = { box = \"write\" }\nfire = [\"x -> x\"]\ndo = 'box += 0; let z = (x + box) % 1000;'\nroute = [\"y <- z if x % 4 != 2\"]",
    ),
    // The one that follows takes what it has sent to itself as well.
    (
        "int",
        ", s = \"int\"",
        ", t = \"int\"",
        "fire = [\"x -> x, s -> s\"]\ndo = 'let z = (x + s) % 1000;'\nroute = [\"y <- z\", \"t <- z\"]",
    ),
];

/// Firing rules of which an event may have several, and what they are where that is not to be: one of them is a free choice.
const FREE_RULES: [(&str, &str); 2] = [
    (
        "fire = [\"x -> x\", \"x -> x if count % 3 == 0\", \"x -> x if count % 50 < 20\"]",
        "fire = [\"x -> x if count % 3 == 1\", \"x -> x if count % 3 == 0\", \"x -> x if count % 3 == 2\"]",
    ),
    (
        "fire = [\"x -> x if count % 2 == 0\", \"x -> x if count % 5 != 0\", \"x -> x\"]",
        "fire = [\"x -> x if count % 20 < 8\", \"x -> x if count % 20 == 8\", \"x -> x if count % 20 > 8\"]",
    ),
];

const REAL_FORMS: [Form; 7] = [
    ("real", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- x\"]"),
    ("real", "", "", "fire = [\"x -> x\"]\ndo = 'let z = x * 0.5 + 1.0;'\nroute = [\"y <- z\"]"),
    (
        "real",
        "",
        "",
        "vars = { total = \"real\" }\nfire = [\"x -> x\"]\ndo = 'total = total * 0.5 + x;'\nroute = [\"y <- total\"]",
    ),
    (
        "real",
        "",
        "",
        "fire = [\"x -> x\"]\nroute = [\"y <- x - 1.5 if x > 3.0\", \"y <- 0.5 if count % 4 == 0\"]",
    ),
    ("int", "", "", "fire = [\"x -> x\"]\ndo = 'let z = x.to_int() % 1000;'\nroute = [\"y <- z\"]"),
    ("bool", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- x < 20.0\"]"),
    (
        "real",
        ", s = \"real\"",
        ", t = \"real\"",
        "fire = [\"x -> x, s -> s\"]\ndo = 'let z = (x + s) * 0.5;'\nroute = [\"y <- z\", \"t <- z\"]",
    ),
];

const BOOL_FORMS: [Form; 5] = [
    ("bool", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- x\"]"),
    ("bool", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- !x\"]"),
    (
        "bool",
        "",
        "",
        "vars = { odd = \"bool\" }\nfire = [\"x -> x\"]\ndo = 'odd = odd != x;'\nroute = [\"y <- odd\"]",
    ),
    (
        "int",
        "",
        "",
        "fire = [\"x -> x\"]\ndo = 'let z = if x { count } else { 0 };'\nroute = [\"y <- z if x\"]",
    ),
    (
        "bool",
        ", s = \"bool\"",
        ", t = \"bool\"",
        "fire = [\"x -> x, s -> s\"]\nroute = [\"y <- x || s\", \"t <- x && s\"]",
    ),
];

const STRUCT_FORMS: [Form; 7] = [
    ("P", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- x\"]"),
    ("P", "", "", "fire = [\"x -> x\"]\ndo = 'x.a += 1; x.b *= 0.5;'\nroute = [\"y <- x\"]"),
    ("P", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- x if x.a % 3 != 1\", \"y <- x if count % 4 == 0\"]"),
    ("int", "", "", "fire = [\"x -> x\"]\ndo = 'let z = x.a;'\nroute = [\"y <- z\"]"),
    (
        "P",
        "",
        "",
        "vars = { last = \"P\" }\nfire = [\"x -> x\"]\ndo = 'let z = last; last = x;'\nroute = [\"y <- z\"]",
    ),
    ("P", "", "", "fire = [\"x -> x\"]\ndo = 'let text = `${x.a}`;'\nroute = [\"y <- x\"]"),
    (
        "P",
        ", s = \"P\"",
        ", t = \"P\"",
        "fire = [\"x -> x, s -> s\"]\ndo = 's.a = (s.a + x.a) % 1000;'\nroute = [\"y <- x\", \"t <- s\"]",
    ),
];

const VECTOR_FORMS: [Form; 5] = [
    ("vector", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- x\"]"),
    (
        "vector",
        "",
        "",
        "fire = [\"x -> x\"]\ndo = 'x[1] += 1.0;'\nroute = [\"y <- x\", \"y <- x if count % 6 == 0\"]",
    ),
    ("vector", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- x if x[0] > 4.0\"]"),
    ("real", "", "", "fire = [\"x -> x\"]\ndo = 'let z = x[0] + x[2];'\nroute = [\"y <- z\"]"),
    ("vector", "", "", "fire = [\"x -> x\"]\ndo = 'let z = x * 0.5;'\nroute = [\"y <- z\"]"),
];

const STRING_FORMS: [Form; 2] = [
    ("string", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- x\"]"),
    ("int", "", "", "fire = [\"x -> x\"]\ndo = 'let z = x.len();'\nroute = [\"y <- z if count % 3 != 0\"]"),
];

const MAP_FORMS: [Form; 3] = [
    ("map[string]int", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- x if x.a % 3 != 1\"]"),
    (
        "map[string]int",
        "",
        "",
        "fire = [\"x -> x\"]\ndo = 'x.a += 1; x[`${count % 9}`] = 0;'\nroute = [\"y <- x\", \"y <- x if count % 6 == 0\"]",
    ),
    ("int", "", "", "fire = [\"x -> x\"]\ndo = 'let z = x.len() + x.a % 50;'\nroute = [\"y <- z\"]"),
];

/// Nodes that take `N` values of a type together, by the elements of a family of ports, and send as many: the type that they are for,
/// or none for any, and all but the ports.
const FAMILY_FORMS: [(&str, &str); 12] = [
    ("", "fire = [\"x[k] -> v[k] for k in 0..N\"]\nroute = [\"y[k] <- v[N - 1 - k] for k in 0..N\"]"),
    (
        "",
        "fire = [\"x[k] -> v[k] for k in 0..few, x[k] -> w[k - few] for k in few..N\"]\n\
         route = [\"y[k] <- v[k] for k in 0..few\", \"y[k] <- w[k - few] for k in few..N\"]",
    ),
    (
        "",
        "fire = [\"x[k] -> v[N - 1 - k] for k in 0..N\"]\n\
         route = [\"y[k] <- v[k] for k in 0..N if count % 3 != 0\", \"y[0] <- v[-1] if count % 5 == 0\"]",
    ),
    (
        "",
        "fire = [\"x[0] -> a, x[k + 1] -> v[k] for k in 0..N - 1\"]\nroute = [\"y[0] <- a\", \"y[k + 1] <- v[k] for k in 0..N - 1\"]",
    ),
    (
        "",
        "fire = [\"x[k] -> v[k] for k in 0..N\"]\ndo = 'v[0] = v[1];'\nroute = [\"y[k] <- v[k] for k in 0..N\"]",
    ),
    ("", "fire = [\"x[k] -> v[k] for k in 0..N\"]\nroute = [\"y[k] <- v[(count + k) % N] for k in 0..N\"]"),
    (
        "",
        "vars = { last = \"(T)[]\" }\nfire = [\"x[k] -> v[k] for k in 0..N\"]\ndo = 'last = v;'\nroute = [\"y[k] <- v[k] for k in 0..N\"]",
    ),
    (
        "int",
        "fire = [\"x[k] -> v[k] for k in 0..N\"]\nroute = [\"y[k] <- (v[k] + k * v[0]) % 1000 for k in 0..N\"]",
    ),
    (
        "int",
        "fire = [\"x[k] -> v[k] for k in 0..N\"]\ndo = 'let z = 0; for k in 0..N { z += v[k]; }'\n\
         route = [\"y[k] <- (z + k) % 1000 for k in 0..N if v[1] % 4 != 2\"]",
    ),
    (
        "int",
        "vars = { total = \"int\" }\nfire = [\"x[k] -> v[k] for k in 0..N\"]\n\
         do = 'total = (total + v[0] - v[1]) % 1000; if v[0] % 50 == 7 { print(v[0]); }'\n\
         route = [\"y[k] <- if k == 0 { total } else { v[k] } for k in 0..N\"]",
    ),
    (
        "real",
        "fire = [\"x[k] -> v[k] for k in 0..N\"]\nroute = [\"y[k] <- (v[k] + v[0]) * 0.5 for k in 0..N if v[1] < 20.0\"]",
    ),
    (
        "P",
        "fire = [\"x[k] -> v[k] for k in 0..N\"]\ndo = 'v[1].a += 1;'\nroute = [\"y[k] <- v[k] for k in 0..N if v[0].a % 3 != 1\"]",
    ),
];

/// A condition that holds for some values of a type and not for others.
fn test_of(ty: &str) -> &'static str {
    match ty {
        "int" => "x % 7 < 3",
        "real" => "x > 10.25",
        "P" => "x.a % 7 < 3",
        "vector" => "x[1] > 10.25",
        "string" => "x.len() % 2 == 1",
        "map[string]int" => "x.a % 7 < 3",
        _ => "x",
    }
}

/// A value of a type.
fn first_of(ty: &str) -> &'static str {
    match ty {
        "int" => "1",
        "real" => "1.5",
        "P" => "P(1, 1.5)",
        _ => "true",
    }
}

/// A program whose events do not depend on the schedule: each port has one sender, but for those on which an action also finds
/// what it has sent to itself. What values are decides in the end who sends.
fn determinate(seed: u64, size: usize) -> String {
    pipeline(seed, size, false)
}

/// The same; if it may write a shared object, what events compute does not depend on the schedule, but who has written before
/// them does.
fn pipeline(seed: u64, size: usize, writes: bool) -> String {
    let mut dice = Dice::new(seed);
    let n_values = 20 + dice.below(400);
    let (mut nodes, mut graphs, mut arcs) = (String::new(), String::new(), Vec::new());
    let mut outputs: Vec<(String, usize, &str)> = Vec::new();
    let mut sharers: Vec<usize> = Vec::new();
    for source in 0..1 + dice.below(2) {
        // One event sends all, or each event sends one.
        let _ = match dice.below(2) {
            0 => write!(
                nodes,
                "\n[graph.g.uc.Src{source}]\nout = {{ y = \"int\" }}\nstart = true\nroute = [\"y <- k for k in 0..{n_values}\"]\n"
            ),
            _ => {
                arcs.push(format!("Begin{source}.go -> Src{source}.go"));
                arcs.push(format!("Src{source}.again -> Src{source}.go"));
                let rest = match dice.below(2) {
                    0 => format!(
                        "do = 'let m = n + 1;'\nroute = [\"y <- n\", \"again <- m if m < {n_values}\"]"
                    ),
                    _ => format!("route = [\"y <- n\", \"again <- n + 1 if n + 1 < {n_values}\"]"),
                };
                write!(
                    nodes,
                    "\n[graph.g.uc.Begin{source}]\nout = {{ go = \"int\" }}\nstart = true\nroute = [\"go <- 0\"]\n\
                     \n[graph.g.uc.Src{source}]\nin = {{ go = \"int\" }}\nout = {{ y = \"int\", again = \"int\" }}\n\
                     fire = [\"go -> n\"]\n{rest}\n"
                )
            }
        };
        outputs.push((format!("Src{source}.y"), 0, "int"));
    }
    for node in 0..1 + dice.below(size) {
        let mut taken = add_input(&mut outputs, &mut dice, &format!("N{node}.x"), &mut arcs);
        if taken == "int" && dice.below(4) == 0 {
            // Reals and integers come to one port.
            taken = "real";
            let arc = arcs.pop().unwrap();
            let (source, _) = arc.split_once(" -> ").unwrap();
            arcs.push(format!("{source} -> Mix{node}.x"));
            arcs.push(format!("Mix{node}.y -> N{node}.x"));
            arcs.push(format!("Mix{node}.z -> N{node}.x"));
            let _ = write!(
                nodes,
                "\n[graph.g.uc.Mix{node}]\nin = {{ x = \"int\" }}\nout = {{ y = \"real\", z = \"int\" }}\n\
                 fire = [\"x -> x\"]\nroute = [\"y <- x * 0.5 if x % 7 != 6\", \"z <- x if x % 7 == 6\"]\n"
            );
        }
        let forms = match taken {
            "int" => &INT_FORMS[..],
            "real" => &REAL_FORMS[..],
            "P" => &STRUCT_FORMS[..],
            "vector" => &VECTOR_FORMS[..],
            "string" => &STRING_FORMS[..],
            "map[string]int" => &MAP_FORMS[..],
            _ => &BOOL_FORMS[..],
        };
        let (sent, more_in, more_out, rest) = match dice.below(forms.len() + 1).checked_sub(1) {
            Some(form) => {
                let (sent, more_in, more_out, rest) = forms[form];
                (sent, more_in.to_owned(), more_out, rest)
            }
            None if dice.below(2) == 0 && !arcs.last().is_some_and(|arc| arc.starts_with("Mix")) => {
                // A family of ports, whose elements come from one output or from several.
                let source_of = |arc: &String| arc.split(" -> ").next().unwrap().to_owned();
                let source = source_of(&arcs.pop().unwrap());
                arcs.push(format!("{source} -> N{node}.x[0]"));
                let n_elements = 2 + dice.below(3);
                for element in 1..n_elements {
                    if add_input(&mut outputs, &mut dice, &format!("N{node}.x[{element}]"), &mut arcs)
                        != taken
                    {
                        let unused = source_of(&arcs.pop().unwrap());
                        let output = outputs.iter_mut().find(|(output, ..)| *output == unused);
                        output.unwrap().1 -= 1;
                        arcs.push(format!("{source} -> N{node}.x[{element}]"));
                    }
                }
                let is_called = dice.below(3) == 0;
                put_family(&mut dice, (&mut nodes, &mut graphs), (node, taken), n_elements, is_called);
                outputs.extend((0..n_elements).map(|element| (format!("N{node}.y[{element}]"), 0, taken)));
                continue;
            }
            None => {
                let other = add_input(&mut outputs, &mut dice, &format!("N{node}.w"), &mut arcs);
                (other, format!(", w = \"{other}\""), "", "fire = [\"x -> x, w -> w\"]\nroute = [\"y <- w\"]")
            }
        };
        if !more_out.is_empty() {
            arcs.push(format!("Own{node}.s -> N{node}.s"));
            arcs.push(format!("N{node}.t -> N{node}.s"));
            let _ = write!(
                nodes,
                "\n[graph.g.uc.Own{node}]\nout = {{ s = \"{taken}\" }}\nstart = true\nroute = [\"s <- {}\"]\n",
                first_of(taken)
            );
        }
        let rest = rest.to_owned();
        if rest.contains("shared = ") {
            sharers.push(node);
        }
        let is_alone = more_in.is_empty() && more_out.is_empty() && !rest.contains("shared = ");
        let output = match dice.below(4) {
            0 if is_alone && sent == taken => {
                for arc in arcs.iter_mut().filter(|arc| arc.ends_with(&format!(" -> N{node}.x"))) {
                    *arc = arc.replace(&format!("N{node}.x"), &format!("N{node}[0].x"));
                }
                arcs.push(format!("N{node}[i].y -> N{node}[i + 1].x"));
                put_chain(&mut nodes, node, sent, &rest);
                format!("N{node}[i].out")
            }
            1 if is_alone && sent == taken => {
                put_call(&mut nodes, &mut graphs, node, sent, &rest);
                format!("N{node}.y")
            }
            _ => {
                let _ = write!(
                    nodes,
                    "\n[graph.g.uc.N{node}]\nin = {{ x = \"{taken}\"{more_in} }}\nout = {{ y = \"{sent}\"{more_out} }}\n{rest}\n"
                );
                format!("N{node}.y")
            }
        };
        outputs.push((output, 0, sent));
    }
    for (nth, (output, _, ty)) in outputs.iter().filter(|(_, n_receivers, _)| *n_receivers == 0).enumerate() {
        arcs.push(format!("{output} -> Sink{nth}.x"));
        arcs.push(format!("Sink{nth}.p -> Seen{nth}.p"));
        let _ = write!(
            nodes,
            "\n[graph.g.uc.Sink{nth}]\nin = {{ x = \"{ty}\" }}\nout = {{ p = \"{ty}\" }}\nfire = [\"x -> x\"]\n\
             route = [\"p <- x if {}\"]\n\
             \n[graph.g.uc.Seen{nth}]\nin = {{ p = \"{ty}\" }}\nfire = [\"p -> _p\"]\n",
            test_of(ty)
        );
    }
    let arcs: Vec<String> = arcs.iter().map(|arc| format!("  \"{arc}\",\n")).collect();
    if !writes {
        for (free, fixed) in FREE_RULES {
            nodes = nodes.replace(free, fixed);
            graphs = graphs.replace(free, fixed);
        }
    }
    if !writes && sharers.len() > 1 {
        // Nobody but one who has it alone may write it: the order of others depends on the schedule.
        nodes = nodes.replace("\"write\"", "\"read\"").replace("box += 0; ", "");
    }
    let (mut shared, mut types) = (String::new(), "");
    if !sharers.is_empty() {
        let shares: Vec<String> = sharers.iter().map(|node| format!("  \"box -- N{node}.box\",\n")).collect();
        shared = format!("share = [\n{}]\n\n[graph.g.shared.box]\ntype = \"int\"\n", shares.concat());
    }
    if nodes.contains("\"P\"") {
        types = "[type.P]\na = \"int\"\nb = \"real\"\n\n";
    }
    format!(
        "hasse = 1\nmain = \"g\"\n\n{types}[graph.g]\nparams = {{ few = \"int = 1\" }}\narcs = [\n{}]\n{shared}{nodes}{graphs}",
        arcs.concat()
    )
}

/// Leads one of the outputs to a port; gives its type.
fn add_input<'t>(
    outputs: &mut [(String, usize, &'t str)],
    dice: &mut Dice,
    port: &str,
    arcs: &mut Vec<String>,
) -> &'t str {
    let chosen = dice.below(outputs.len());
    outputs[chosen].1 += 1;
    arcs.push(format!("{} -> {port}", outputs[chosen].0));
    outputs[chosen].2
}

/// Adds a node whose instances pass values on from one to the next, by index; the last one sends them to `out`.
fn put_chain(nodes: &mut String, node: usize, ty: &str, rest: &str) {
    let (before, routes) = rest.split_once("route = [").unwrap();
    let mut chained = Vec::new();
    for rule in routes.trim_end_matches(']').split("\", \"").map(|rule| rule.trim_matches('"')) {
        let (send, guard) = rule.split_once(" if ").map_or((rule, ""), |(send, guard)| (send, guard));
        let value = send.trim_start_matches("y <- ");
        let guard = if guard.is_empty() { String::new() } else { format!("({guard}) && ") };
        chained.push(format!("\"y <- {value} if {guard}i < 2\", \"out <- {value} if {guard}i == 2\""));
    }
    let _ = write!(
        nodes,
        "\n[graph.g.uc.N{node}]\nindex = [\"i\"]\nin = {{ x = \"{ty}\" }}\nout = {{ y = \"{ty}\", out = \"{ty}\" }}\n{before}route = [{}]\n",
        chained.join(", ")
    );
}

/// Adds a node that takes and sends values together, by families of ports; two in a row, in a graph that is called, if `is_called`.
fn put_family(
    dice: &mut Dice,
    (nodes, graphs): (&mut String, &mut String),
    (node, ty): (usize, &str),
    n_elements: usize,
    is_called: bool,
) {
    let forms: Vec<&str> =
        FAMILY_FORMS.iter().filter(|(of, _)| of.is_empty() || *of == ty).map(|(_, form)| *form).collect();
    let form = forms[dice.below(forms.len())];
    let rest = form.replace('N', &n_elements.to_string()).replace('T', ty);
    let ports = format!("in = {{ \"x[k]\" = \"{ty}\" }}\nout = {{ \"y[k]\" = \"{ty}\" }}");
    if !is_called {
        let _ = write!(nodes, "\n[graph.g.uc.N{node}]\n{ports}\n{rest}\n");
        return;
    }
    let _ = write!(nodes, "\n[graph.g.call.N{node}]\ngraph = \"H{node}\"\n");
    let _ = write!(
        graphs,
        "\n[graph.H{node}]\nparams = {{ few = \"int = 1\" }}\n{ports}\n\
         arcs = [\"in.x[k] -> A.x[k]\", \"A.y[k] -> B.x[k]\", \"B.y[k] -> out.y[k]\"]\n\
         \n[graph.H{node}.uc.A]\n{ports}\n{rest}\n\n[graph.H{node}.uc.B]\n{ports}\n{rest}\n"
    );
}

/// Adds a call of a graph with two nodes in a row.
fn put_call(nodes: &mut String, graphs: &mut String, node: usize, ty: &str, rest: &str) {
    let _ = write!(nodes, "\n[graph.g.call.N{node}]\ngraph = \"H{node}\"\n");
    let _ = write!(
        graphs,
        "\n[graph.H{node}]\nin = {{ x = \"{ty}\" }}\nout = {{ y = \"{ty}\" }}\n\
         arcs = [\"in.x -> A.x\", \"A.y -> B.x\", \"B.y -> out.y\"]\n"
    );
    for inner in ["A", "B"] {
        let _ = write!(
            graphs,
            "\n[graph.H{node}.uc.{inner}]\nin = {{ x = \"{ty}\" }}\nout = {{ y = \"{ty}\" }}\n{rest}\n"
        );
    }
}

/// A program of one of several generators.
fn any_program(dice: &mut Dice, seed: u64, size: usize) -> String {
    match dice.below(4) {
        0 => determinate(seed, size),
        3 => pipeline(seed, size, true),
        1 => flows::program(seed, size),
        _ => generator::program(seed, size),
    }
}

/// A merge of two ports by two rules, and of two senders on one port.
const MERGE: &str = r#"
hasse = 1
main = "g"

[graph.g]
arcs = [
  "A.y -> Merge.a", "B.y -> Merge.b", "A.y -> Mixed.x", "B.y -> Mixed.x", "Merge.y -> Sink.x", "Mixed.y -> Sink.x",
]

[graph.g.uc.A]
out = { y = "int" }
start = true
route = ["y <- k for k in 0..300"]

[graph.g.uc.B]
out = { y = "int" }
start = true
route = ["y <- k for k in 0..300"]

[graph.g.uc.Merge]
in = { a = "int", b = "int" }
out = { y = "int" }
fire = ["a -> v", "b -> v"]
route = ["y <- v"]

[graph.g.uc.Mixed]
in = { x = "int" }
out = { y = "int" }
fire = ["x -> x"]
do = 'let z = x + 1;'
route = ["y <- z"]

[graph.g.uc.Sink]
in = { x = "int" }
fire = ["x -> _x"]
"#;

/// A minimal record has the rows and the digest of what `minimize` makes of the full record of the same run.
fn assert_minimal(text: &str, n_workers: usize) -> Result<(), TestCaseError> {
    let plan = compile(text);
    let recorded = record_as(&plan, &options(n_workers, None), Recording::Minimal);
    let replayed = replay_minimal(&plan, &options(2, None), &recorded, &recorded.batches);
    assert_same_run(&replayed, &recorded, text);
    let minimized = minimize_full(&plan, &options(1, None), &replayed.batches);
    prop_assert_eq!(&minimized.report.divergence, &None, "{}", text);
    prop_assert_eq!(rows(&plan, &minimized.batches), rows(&plan, &recorded.batches), "{}", text);
    prop_assert_eq!(minimized.report.digest, recorded.report.digest, "{}", text);
    Ok(())
}

#[test]
fn minimal_record_of_merge_is_as_small_as_can_be() {
    for n_workers in WORKER_COUNTS {
        assert_minimal(MERGE, n_workers).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: n_programs(), failure_persistence: None, ..ProptestConfig::default() })]

    /// Events that are served together compute the same as each by itself, in every tier.
    #[test]
    fn columns_compute_what_single_events_do(seed: u64, size in 1_usize..10) {
        let text = determinate(seed, size);
        let plan = compile(&text);
        let single = record_with(&plan, &options(1, Some(seed)));
        let expected = digest(&plan, &single.batches);
        for tiers in [ScriptTiers::Interpreted, ScriptTiers::Evaluated, ScriptTiers::Native] {
            let found = record_with(&plan, &RunOptions { tiers, ..options(WORKER_COUNTS[seed as usize % 4], None) });
            prop_assert_eq!(&found.report.errors.is_empty(), &single.report.errors.is_empty());
            prop_assert_eq!(digest(&plan, &found.batches), expected, "{:?}\n{}", tiers, &text);
        }
    }

    #[test]
    fn minimal_record_is_the_minimized_one(seed: u64, size in 1_usize..10) {
        let mut dice = Dice::new(!seed);
        let text = any_program(&mut dice, seed, size);
        assert_minimal(&text, WORKER_COUNTS[dice.below(4)])?;
    }

    #[test]
    fn minimal_record_of_columns_tells_nothing_where_nothing_is_free(seed: u64, size in 1_usize..10) {
        // Who prints first is free.
        let text = ["if x % 50 == 7 { print(x); } ", "if v[0] % 50 == 7 { print(v[0]); }"]
            .iter()
            .fold(determinate(seed, size), |text, printing| text.replace(printing, ""));
        let plan = compile(&text);
        let one = record_as(&plan, &options(1, None), Recording::Minimal);
        let many = record_as(&plan, &options(4, None), Recording::Minimal);
        prop_assert_eq!(one.report.digest, many.report.digest, "{}", text);
        prop_assert_eq!(rows(&plan, &one.batches), rows(&plan, &many.batches), "{}", text);
    }

    #[test]
    fn restricted_record_of_columns_is_the_full_one_restricted(seed: u64, size in 1_usize..10) {
        let mut dice = Dice::new(!seed);
        let text = determinate(seed, size);
        let plan = compile(&text);
        let selected = choose(&mut dice, &plan, true).resolve(&plan).unwrap();
        let full = record_with(&plan, &options(WORKER_COUNTS[dice.below(4)], None));
        let found = record_restricted(&plan, &options(WORKER_COUNTS[dice.below(4)], None), &selected);
        let (expected, full_names) = restricted_by_reference(&plan, &full.batches, &selected);
        let found_names = names(&plan, &found.batches);
        prop_assert_eq!(
            restricted::digest(events_in(&found.batches), &found_names),
            restricted::digest(expected, &full_names),
            "{}", text
        );
    }

    #[test]
    fn replay_of_columns_records_the_same(seed: u64, size in 1_usize..10) {
        let mut dice = Dice::new(!seed);
        let text = any_program(&mut dice, seed, size);
        let plan = compile(&text);
        let recorded = record_with(&plan, &options(WORKER_COUNTS[dice.below(4)], None));
        let replayed =
            replay_with(&plan, &options(WORKER_COUNTS[dice.below(4)], None), &recorded.batches);
        prop_assert_eq!(&replayed.report.divergence, &None, "{}", text);
        prop_assert_eq!(digest(&plan, &replayed.batches), digest(&plan, &recorded.batches), "{}", text);
        prop_assert_eq!(replayed.lines, recorded.lines, "{}", text);
    }

    #[test]
    fn perf_record_of_columns_is_the_full_one(seed: u64, size in 1_usize..10) {
        let plan = compile(&determinate(seed, size));
        let full = record_with(&plan, &options(1, None));
        let timed = record_as(&plan, &options(4, None), Recording::Perf);
        prop_assert_eq!(digest(&plan, &timed.batches), digest(&plan, &full.batches));
    }

    #[test]
    fn times_of_worker_do_not_overlap_and_senders_end_first(seed: u64, size in 1_usize..10) {
        let mut dice = Dice::new(!seed);
        let text = any_program(&mut dice, seed, size);
        let n_workers = WORKER_COUNTS[dice.below(4)];
        let timed = record_as(&compile(&text), &options(n_workers, None), Recording::Perf);
        let (events, n_left) = sorted(&timed.batches);
        prop_assert_eq!(n_left, 0);
        let mut ends = BTreeMap::new();
        let mut by_worker: BTreeMap<u32, Vec<(u64, u64)>> = BTreeMap::new();
        for event in &events {
            let timing = event.timing.unwrap();
            prop_assert!(timing.start <= timing.end && (timing.worker as usize) < n_workers);
            for sender in &event.flow {
                prop_assert!(ends[sender] <= timing.start, "{}", text);
            }
            ends.insert(event.id, timing.end);
            // What waits for a lock goes on among others.
            if event.shared.is_empty() {
                by_worker.entry(timing.worker).or_default().push((timing.start, timing.end));
            }
        }
        for times in by_worker.values_mut() {
            times.sort_unstable();
            prop_assert!(times.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{}", text);
        }
    }
}
