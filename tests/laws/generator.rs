//! A generator of valid programs: merges, several firing rules, state machines, families, joins, loops, cycles, bursts, calls
//! and recursion, shared objects, conditional routing, random numbers, output, slow and failing bodies, and now and then a
//! stop node that cuts the run short.
//!
//! Nodes form a row; values go from earlier nodes to later ones (except in loops, whose values count down), so that every
//! program ends. Programs whose arcs lead anywhere are made by [`flows`](crate::flows).

use std::fmt::Write;

/// Random numbers.
#[path = "dice.rs"]
mod dice;

pub use dice::Dice;

impl Dice {
    /// Whether a chance of so many percent comes.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// What a node of a generated program is.
#[derive(Clone, Copy)]
enum Kind {
    Merge,
    TwoRules,
    Join,
    Machine,
    Fan,
    Loop,
    /// Sends to the port on which others send to it.
    SelfLoop,
    /// Sends to another node, which sends back to the same port.
    Cycle,
    Call,
}

/// The text of a program of up to `size` nodes beside start and end. In one of four, ports have bounds, of which some drop values, and in one of four,
/// nodes with several firing rules prefer the first; in one of five, some instances wait for others to end. In one of five of those that drop
/// no values, some values are delayed, in one of five, errors are handled, and in one of five, bodies sleep, so that they are executed
/// again, some of them with a deadline, and some cancelled. In one of five, start nodes are timers or wait; in one of five, bodies are retried, after
/// a pause; in one of five, nodes have priorities; in one of five, some firing rules are enabled
/// late, and in one of five, nodes take as many values as there are.
pub fn program(seed: u64, size: usize) -> String {
    let mut text = with_bounds(seed, size);
    let mut dice = Dice::new(seed ^ 0x1a7e);
    if Dice::new(seed ^ 0x51ee).chance(20) {
        text = text.replace("do = '''\n", "do = '''\nlet nap = random_int(0, 3);\nsleep(nap * 0.00002);\n");
        text = text.replace("\n'''\n", "\nsleep(0.00001);\n'''\n");
        if dice.chance(30) {
            let cancelled = |table: &str| match table.contains("uc.") && table.contains(", b = ") {
                true => table.replace("do = '''\n", "cancel = \"b\"\ndo = '''\n"),
                false => table.to_owned(),
            };
            text = text.split_inclusive("\n\n").map(cancelled).collect();
        } else if dice.chance(30) {
            text = text.replace("do = '''\n", "deadline = \"40us\"\ndo = '''\n");
        }
    }
    let mut more = Dice::new(seed ^ 0x7a3e);
    if more.chance(20) {
        let timer = match more.below(3) {
            0 => "after = \"30us\"\n",
            _ => "every = \"20us\"\nfire = [\"every -> _t if count <= 3\"]\n",
        };
        let is_start = |table: &str| table.contains("start = true") && !table.contains("fire = ");
        let tables = text.split_inclusive("\n\n").map(|table| match is_start(table) {
            true => table.replace("start = true\n", timer),
            false => table.to_owned(),
        });
        text = tables.collect();
    }
    if more.chance(20) {
        let lines =
            text.lines().map(|line| match line.strip_prefix("fire = [").filter(|_| more.chance(60)) {
                Some(rules) => format!("fire = [{}\n", timed(rules, more.below(3) * 15)),
                None => format!("{line}\n"),
            });
        text = lines.collect();
    }
    if more.chance(20) {
        let tables = text.split_inclusive("\n\n").map(|table| match more.chance(60) {
            true => gathering(table),
            false => table.to_owned(),
        });
        text = tables.collect();
    }
    if more.chance(20) {
        text = text.replace("do = '''\n", "retry = 1\nbackoff = \"10us\"\ndo = '''\n");
    }
    if more.chance(20) {
        let lines = text.lines().map(|line| match line.starts_with("fire = [") && more.chance(60) {
            true => format!("priority = {}\n{line}\n", more.below(5) as i64 - 2),
            false => format!("{line}\n"),
        });
        text = lines.collect();
    }
    if dice.chance(20) {
        let lines = text.lines().map(|line| match line.starts_with("route = [") && dice.chance(50) {
            true => format!("{line}\non_error = \"continue\"\n"),
            false => format!("{line}\n"),
        });
        text = lines.collect();
    }
    if text.contains("full = ") || !dice.chance(20) {
        return text;
    }
    let lines = text.lines().map(|line| match line.strip_prefix("route = [") {
        Some(rules) => format!("route = [{}\n", delayed(rules, &mut dice)),
        None => format!("{line}\n"),
    });
    lines.collect()
}

/// A node that takes as many values as there are, where it takes one value and has a body.
fn gathering(table: &str) -> String {
    let Some(body) = ["do = '''\n", "do = '"].into_iter().find(|body| table.contains(body)) else {
        return table.to_owned();
    };
    if !table.contains("fire = [\"a -> v\"]") {
        return table.to_owned();
    }
    let taken = table.replace("fire = [\"a -> v\"]", "fire = [\"a -> vs[k] for k in ..3\"]");
    taken.replacen(body, &format!("{body}let v = vs[0] + vs.len(); "), 1)
}

/// Firing rules of which the last one is enabled some time after its values have come.
fn timed(rules: &str, micros: usize) -> String {
    let start = rules[..rules.len() - 2].rfind('"').map_or(0, |quote| quote + 1);
    let end = rules[start..].find(" if ").map_or(rules.len() - 2, |guard| start + guard);
    format!("{} after {micros} us{}", &rules[..end], &rules[end..])
}

/// Routing rules of which some delay their values.
fn delayed(rules: &str, dice: &mut Dice) -> String {
    let rules = rules.split_inclusive("\",").map(|rule| {
        let Some(sign) = rule.find("<- ").filter(|_| dice.chance(60)) else { return rule.to_owned() };
        let value = sign + 3;
        let ends = [" for ", " if ", "\""].map(|end| rule[value..].find(end));
        let Some(end) = ends.into_iter().flatten().min() else { return rule.to_owned() };
        let (before, after) = rule.split_at(value + end);
        format!("{before} after {} us{after}", dice.below(4) * 20)
    });
    rules.collect()
}

fn with_bounds(seed: u64, size: usize) -> String {
    let mut text = unbounded_program(seed, size);
    let mut dice = Dice::new(seed ^ 0xb0d5);
    if dice.chance(25) {
        let is_several = |line: &&str| line.starts_with("fire = [") && line.contains("\", \"");
        let lines = text.lines().map(|line| match is_several(&line) {
            true => format!("prefer = true\n{line}\n"),
            false => format!("{line}\n"),
        });
        text = lines.collect();
    }
    if dice.chance(20) {
        let lines = text.lines().map(|line| match line.starts_with("fire = [") {
            true => format!("at_once = {}\n{line}\n", 1 + dice.below(3)),
            false => format!("{line}\n"),
        });
        text = lines.collect();
    }
    if !dice.chance(25) {
        return text;
    }
    let drops = dice.chance(40);
    let mut is_unit = false;
    let mut bounded = String::new();
    for line in text.lines() {
        if line.starts_with('[') {
            is_unit = line.contains(".uc.");
        }
        match line.strip_prefix("in = ").filter(|_| is_unit) {
            None => bounded.push_str(line),
            Some(ports) => {
                bounded.push_str("in = ");
                for (position, part) in ports.split("\"int\"").enumerate() {
                    if position > 0 && dice.chance(70) {
                        let full = match if drops { dice.below(4) } else { 0 } {
                            1 => ", full = \"drop-oldest\"",
                            2 => ", full = \"drop-newest\"",
                            _ => "",
                        };
                        let _ = write!(bounded, "{{ type = \"int\", bound = {}{full} }}", 1 + dice.below(6));
                    } else if position > 0 {
                        bounded.push_str("\"int\"");
                    }
                    bounded.push_str(part);
                }
            }
        }
        bounded.push('\n');
    }
    bounded
}

/// The same without bounds.
pub fn unbounded_program(seed: u64, size: usize) -> String {
    let mut dice = Dice::new(seed);
    let n_nodes = 1 + dice.below(size);
    let n_objects = 1 + dice.below(3);
    let mut tables = String::new();
    let mut arcs: Vec<String> = Vec::new();
    let mut shares: Vec<String> = Vec::new();
    // Output ports that nothing takes yet, and all output ports, as they stand in arcs.
    let mut open: Vec<String> = Vec::new();
    let mut sources: Vec<String> = Vec::new();

    let n_starts = 1 + dice.below(2);
    for start_idx in 0..n_starts {
        let n_values = match dice.below(50) {
            0 if n_nodes < 4 => 1030,
            1..=3 if n_nodes < 8 => 66 + dice.below(40),
            _ => 1 + dice.below(12),
        };
        let _ = write!(
            tables,
            "\n[graph.main.uc.Start{start_idx}]\nstart = true\nout = {{ o = \"int\" }}\n\
             route = [\"o <- {start_idx} + 3 * k for k in 0..{n_values}\"]\n"
        );
        open.push(format!("Start{start_idx}.o"));
        sources.push(format!("Start{start_idx}.o"));
    }
    for node_idx in 0..n_nodes {
        let kind = match dice.below(9) {
            0 => Kind::Merge,
            1 => Kind::TwoRules,
            2 => Kind::Join,
            3 => Kind::Machine,
            4 => Kind::Fan,
            5 => Kind::Loop,
            6 => Kind::SelfLoop,
            7 => Kind::Cycle,
            _ => Kind::Call,
        };
        let node = node(&mut dice, node_idx, kind, n_objects);
        tables.push_str(&node.tables);
        shares.extend(node.shares);
        arcs.extend(node.arcs);
        for port in node.inputs {
            for _ in 0..1 + dice.below(2) {
                let pick = if !open.is_empty() && dice.chance(70) {
                    let open_idx = dice.below(open.len());
                    open.swap_remove(open_idx)
                } else {
                    sources[dice.below(sources.len())].clone()
                };
                let arc = format!("{pick} -> {port}");
                if !arcs.contains(&arc) {
                    arcs.push(arc);
                }
                open.retain(|source| *source != pick);
            }
        }
        open.extend(node.outputs.iter().cloned());
        sources.extend(node.outputs);
    }
    for source in &open {
        arcs.push(format!("{source} -> End.a"));
    }
    if open.is_empty() {
        arcs.push(format!("{} -> End.a", sources[sources.len() - 1]));
    }
    let stop = if dice.chance(40) {
        let after = 1 + dice.below(20);
        arcs.push("End.stop -> Stop.a".to_owned());
        let _ = write!(
            tables,
            "\n[graph.main.uc.Stop]\nstop = true\nin = {{ a = \"int\" }}\nfire = [\"a -> v\"]\n\
             do = 'result(\"cut\", v);'\n"
        );
        format!("out = {{ stop = \"int\" }}\nroute = [\"stop <- total if count == {after}\"]\n")
    } else {
        String::new()
    };
    let _ = write!(
        tables,
        "\n[graph.main.uc.End]\nin = {{ a = \"int\" }}\n{stop}vars = {{ total = \"int\" }}\nfire = [\"a -> v\"]\n\
         do = '''\ntotal = (total * 7 + v) % 100003;\nresult(\"total\", total);\n'''\n"
    );
    let mut text = String::from("hasse = 1\nmain = \"main\"\n\n[graph.main]\narcs = [\n");
    for arc in &arcs {
        let _ = writeln!(text, "  \"{arc}\",");
    }
    text.push_str("]\n");
    if !shares.is_empty() {
        let _ = writeln!(text, "share = {shares:?}");
    }
    for object_idx in 0..n_objects {
        let _ =
            write!(text, "\n[graph.main.shared.s{object_idx}]\ntype = \"int\"\ninit = \"{object_idx}\"\n");
    }
    text.push_str(&tables);
    if text.contains("graph = \"Rec\"") {
        text.push_str(RECURSION);
    }
    text
}

/// A graph that calls itself, with an object of its own and one of its caller. It is given several values
/// one after the other.
const RECURSION: &str = r#"
[graph.Rec]
params = { depth = "int", limit = "int = 3" }
in = { x = "int" }
out = { y = "int" }
inout = { s = "int" }
arcs = [
  "in.x -> Cut.x",
  "Cut.leaf -> out.y",
  "Cut.part[j] -> sub[j].x",
  "sub[j].y -> Sum.y",
  "Sum.y -> out.y",
]
share = ["inout.s -- Cut.s", "inout.s -- sub[j].s", "own -- Cut.o", "own -- Sum.o"]

[graph.Rec.shared.own]
type = "int"
init = "depth"

[graph.Rec.call.sub]
graph = "Rec"
index = ["j"]
args = { depth = "depth + 1 + j" }

[graph.Rec.uc.Cut]
in = { x = "int" }
out = { leaf = "int", "part[j]" = "int" }
shared = { s = "write", o = "read" }
fire = ["x -> v"]
do = 's = (s * 5 + v + depth + o) % 10007;'
route = ["leaf <- (v * 3 + s) % 1009 if depth >= limit", "part[j] <- v + j for j in 0..2 if depth < limit"]

[graph.Rec.uc.Sum]
in = { y = "int" }
out = { y = "int" }
vars = { acc = "int" }
shared = { o = "write" }
fire = ["y -> v"]
do = '''
acc = (acc * 3 + v) % 1009;
o = (o + acc) % 1009;
'''
route = ["y <- acc if count % 2 == 0"]
"#;

/// A node of the row, or the few templates that make one up.
struct Node {
    tables: String,
    arcs: Vec<String>,
    shares: Vec<String>,
    inputs: Vec<String>,
    outputs: Vec<String>,
}

fn node(dice: &mut Dice, node_idx: usize, kind: Kind, n_objects: usize) -> Node {
    let name = format!("N{node_idx}");
    let mut made = Node {
        tables: String::new(),
        arcs: Vec::new(),
        shares: Vec::new(),
        inputs: vec![format!("{name}.a")],
        outputs: vec![format!("{name}.o")],
    };
    let mut inputs = "a = \"int\"";
    let mut fire = "[\"a -> v\"]".to_owned();
    let mut compute = "acc = (acc * 31 + v + count) % 1009;\n".to_owned();
    let mut outputs = "o = \"int\"".to_owned();
    let mut route = "[\"o <- acc\"]".to_owned();
    match kind {
        Kind::Merge => {
            if dice.chance(50) {
                outputs = "o = \"int\", q = \"int\"".to_owned();
                route =
                    "[\"o <- acc if acc % 3 != 0\", \"q <- let_bound + 1 if let_bound % 3 == 0\"]".to_owned();
                compute.push_str("let let_bound = acc;\n");
                made.outputs.push(format!("{name}.q"));
            }
        }
        Kind::TwoRules => {
            inputs = "a = \"int\", b = \"int\"";
            fire = "[\"a -> v\", \"b -> v\"]".to_owned();
            compute = "acc = (acc * 17 + v * (rule + 2)) % 1009;\n".to_owned();
            made.inputs.push(format!("{name}.b"));
        }
        Kind::Join => {
            inputs = "a = \"int\", b = \"int\"";
            fire = "[\"a -> v, b -> w\"]".to_owned();
            compute = "acc = (acc + v * 5 + w * 3) % 1009;\n".to_owned();
            made.inputs.push(format!("{name}.b"));
        }
        Kind::Machine => {
            inputs = "a = \"int\", b = \"int\"";
            fire = "[\"a -> v if acc % 2 == 0\", \"b -> v if acc % 2 == 1\", \"a -> v, b -> w if acc % 5 == 4\"]"
                .to_owned();
            compute = "acc = (acc * 3 + v + 1) % 1009;\nif w != () { acc += w % 2; }\n".to_owned();
            made.inputs.push(format!("{name}.b"));
        }
        Kind::Fan => {
            let width = 1 + dice.below(5);
            outputs = "p[j] = \"int\"".replace("p[j]", "\"p[j]\"");
            route = format!("[\"p[j] <- acc + j for j in 0..{width}\"]");
            made.arcs.push(format!("{name}.p[j] -> W{node_idx}[j].a"));
            made.arcs.push(format!("W{node_idx}[j].o -> G{node_idx}.parts[j]"));
            made.outputs = vec![format!("G{node_idx}.o")];
            let _ = write!(
                made.tables,
                "\n[graph.main.uc.W{node_idx}]\nindex = [\"i\"]\nin = {{ a = \"int\" }}\nout = {{ o = \"int\" }}\n\
                 fire = [\"a -> v\"]\nroute = [\"o <- v * 2 + i\"]\n\
                 \n[graph.main.uc.G{node_idx}]\nin = {{ \"parts[j]\" = \"int\" }}\nout = {{ o = \"int\" }}\n\
                 vars = {{ sum = \"int\" }}\nfire = [\"parts[j] -> ps[j] for j in 0..{width}\"]\n\
                 do = 'for x in ps {{ sum = (sum + x) % 1009; }}'\nroute = [\"o <- sum\"]\n"
            );
        }
        Kind::Call => {
            let width = 1 + dice.below(3);
            let depth = 1 + dice.below(3);
            outputs = "\"p[j]\" = \"int\"".to_owned();
            route = format!("[\"p[j] <- acc + j for j in 0..{width}\"]");
            made.arcs.push(format!("{name}.p[j] -> C{node_idx}[j].x"));
            made.arcs.push(format!("C{node_idx}[j].y -> G{node_idx}.a"));
            made.outputs = vec![format!("G{node_idx}.o")];
            made.shares.push(format!("s{} -- C{node_idx}[j].s", dice.below(n_objects)));
            let _ = write!(
                made.tables,
                "\n[graph.main.call.C{node_idx}]\ngraph = \"Rec\"\nindex = [\"i\"]\n\
                 args = {{ depth = \"{depth} + i - i\" }}\n\
                 \n[graph.main.uc.G{node_idx}]\nin = {{ a = \"int\" }}\nout = {{ o = \"int\" }}\n\
                 vars = {{ sum = \"int\" }}\nfire = [\"a -> v\"]\n\
                 do = 'sum = (sum * 3 + v) % 1009;'\nroute = [\"o <- sum\"]\n"
            );
        }
        Kind::Loop => {
            inputs = "a = \"int\", back = \"int\"";
            fire = "[\"a -> v\", \"back -> v\"]".to_owned();
            compute = "acc = (acc + v) % 1009;\nlet left = if rule == 0 { v % 4 } else { v };\n".to_owned();
            outputs = "o = \"int\", back = \"int\"".to_owned();
            route = "[\"back <- left - 1 if left > 0\", \"o <- acc if left == 0\"]".to_owned();
            made.arcs.push(format!("{name}.back -> {name}.back"));
        }
        // Values that come back are negative: how often they still do.
        Kind::SelfLoop | Kind::Cycle => {
            let n_rounds = if dice.chance(20) { 70 } else { 1 + dice.below(6) };
            compute = "acc = (acc * 31 + v * v % 1009 + count) % 1009;\n".to_owned();
            let _ = writeln!(compute, "let left = if v >= 0 {{ v % {n_rounds} }} else {{ -v - 1 }};");
            outputs = "o = \"int\", back = \"int\"".to_owned();
            route = "[\"back <- -left if left > 0\", \"o <- acc if left == 0\"]".to_owned();
            if let Kind::SelfLoop = kind {
                made.arcs.push(format!("{name}.back -> {name}.a"));
            } else {
                made.arcs.push(format!("{name}.back -> B{node_idx}.a"));
                made.arcs.push(format!("B{node_idx}.o -> {name}.a"));
                let _ = write!(
                    made.tables,
                    "\n[graph.main.uc.B{node_idx}]\nin = {{ a = \"int\" }}\nout = {{ o = \"int\" }}\n\
                     fire = [\"a -> v\"]\nroute = [\"o <- v\"]\n"
                );
            }
        }
    }
    if dice.chance(25) {
        compute.push_str("acc += random_int(0, 6);\n");
    }
    if dice.chance(8) {
        compute.push_str("if random() < 0.0 { acc += 1; }\n");
    }
    if dice.chance(25) {
        compute.push_str("print(`${count}: ${acc}`);\n");
    }
    if dice.chance(4) {
        compute.push_str("if count % 8 == 3 { for step in 0..2000 { acc += step % 2; } acc %= 1009; }\n");
    }
    if dice.chance(8) {
        let fatal = 2 + dice.below(6);
        let _ = writeln!(compute, "if count == {fatal} {{ throw \"enough\"; }}");
    }
    let mut shared = String::new();
    if dice.chance(60) {
        let object = dice.below(n_objects);
        if dice.chance(60) {
            shared.push_str("s = \"write\"");
            compute.push_str("s = (s * 3 + acc) % 10007;\nacc = (acc + s) % 1009;\n");
        } else {
            shared.push_str("s = \"read\"");
            compute.push_str("acc = (acc + s) % 1009;\n");
        }
        made.shares.push(format!("s{object} -- {name}.s"));
        if n_objects > 1 && dice.chance(40) {
            let other = (object + 1) % n_objects;
            shared.push_str(", t = \"write\"");
            compute.push_str("t = (t + acc) % 10007;\n");
            made.shares.push(format!("s{other} -- {name}.t"));
        }
    }
    let shared = if shared.is_empty() { shared } else { format!("shared = {{ {shared} }}\n") };
    let _ = write!(
        made.tables,
        "\n[graph.main.uc.{name}]\nin = {{ {inputs} }}\nout = {{ {outputs} }}\nvars = {{ acc = \"int = {node_idx}\" }}\n\
         {shared}fire = {fire}\ndo = '''\n{compute}'''\nroute = {route}\n"
    );
    made
}
