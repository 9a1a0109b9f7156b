//! A generator of programs that judge the order of values themselves: each value carries the number of the action that
//! sent it and a number that grows from one sending of that action to the next, and each receiver compares it with the
//! last one of the same sender on the same port. A value that is taken too late ends as the result `broken`.
//!
//! Unlike the row of [`generator`](crate::generator), arcs lead anywhere: there are cycles, nodes that send to themselves
//! by several outputs, merges, families, calls, relays without a body, and bursts. Each value also carries fuel, of which
//! its successors get a share, so that every program ends.

use std::fmt::Write;

use crate::generator::Dice;

/// What the number of an action is multiplied by in the number of a sending.
const ACTION: usize = 1 << 30;
/// What the number of a sending is multiplied by in a value; the rest is its fuel.
const FUEL: usize = 1 << 14;
/// Most sendings of one event.
const SENDINGS: usize = 4096;
/// Number of instances of an indexed node.
const WIDTH: usize = 4;
/// Most senders that a body of integers alone compares.
const FEW_SENDERS: usize = 6;

/// What a node does.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Compares by an array.
    Script,
    /// Compares by a var for each sender: integers are all that there is.
    Ints,
    /// Takes elements of a family together.
    Family,
    /// Sends to the instances of an indexed node, which send on.
    Fan,
    /// Sends to the instances of a graph, which send on.
    Call,
}

/// A node, and whom it sends to.
struct Node {
    kind: Kind,
    /// Its number as a sender; those of the instances that send on follow.
    action: usize,
    n_inputs: usize,
    /// Numbers of nodes and of their input ports, by output port.
    outputs: Vec<Vec<(usize, usize)>>,
    /// Whether it is a start node, too.
    is_start: bool,
}

/// Everything that is known before texts are made.
struct Shape {
    nodes: Vec<Node>,
    /// Where the values of each start node go.
    starts: Vec<(usize, usize)>,
    n_actions: usize,
    /// Whether values are arrays of one integer.
    is_array: bool,
}

/// Parts of a program's text.
#[derive(Default)]
struct Text {
    tables: String,
    arcs: Vec<String>,
    shares: Vec<String>,
    n_extra: usize,
}

/// The text of a program of up to `size` nodes beside the start nodes.
pub fn program(seed: u64, size: usize) -> String {
    let mut dice = Dice::new(seed);
    let shape = Shape::new(&mut dice, size);
    let mut text = Text::default();
    for start_idx in 0..shape.starts.len() {
        shape.put_start(&mut dice, &mut text, start_idx);
    }
    for node_idx in 0..shape.nodes.len() {
        shape.put_node(&mut dice, &mut text, node_idx);
    }
    text.finish(&shape)
}

impl Shape {
    fn new(dice: &mut Dice, size: usize) -> Self {
        let is_array = dice.chance(30);
        let mut nodes: Vec<Node> = Vec::new();
        for node_idx in 0..1 + dice.below(size) {
            let kinds =
                [Kind::Script, Kind::Script, Kind::Ints, Kind::Ints, Kind::Family, Kind::Fan, Kind::Call];
            let kind = match kinds[dice.below(kinds.len())] {
                Kind::Ints if is_array => Kind::Script,
                kind => kind,
            };
            nodes.push(Node {
                kind,
                action: 1 + node_idx * (1 + WIDTH),
                n_inputs: 1 + usize::from(kind == Kind::Family || dice.chance(30)),
                outputs: vec![Vec::new(); 1 + dice.below(3)],
                is_start: kind == Kind::Script && dice.chance(20),
            });
        }
        for node_idx in 0..nodes.len() {
            for output in 0..nodes[node_idx].outputs.len() {
                for _ in 0..1 + dice.below(2) {
                    let target = if dice.chance(40) { node_idx } else { dice.below(nodes.len()) };
                    let end = (target, dice.below(nodes[target].n_inputs));
                    let ends = &mut nodes[node_idx].outputs[output];
                    if !ends.contains(&end) {
                        ends.push(end);
                    }
                }
            }
        }
        let end = |dice: &mut Dice| {
            let target = dice.below(nodes.len());
            (target, dice.below(nodes[target].n_inputs))
        };
        let starts: Vec<_> = (0..1 + dice.below(2)).map(|_| end(dice)).collect();
        let n_actions = 1 + nodes.len() * (1 + WIDTH) + starts.len();
        Self { nodes, starts, n_actions, is_array }
    }

    /// The number of a start node as a sender.
    fn action_of_start(&self, start_idx: usize) -> usize {
        self.n_actions - 1 - start_idx
    }

    /// An input port, as arcs name it.
    fn port(&self, (node_idx, input): (usize, usize)) -> String {
        match self.nodes[node_idx].kind {
            Kind::Family => format!("N{node_idx}.f[{input}]"),
            _ => format!("N{node_idx}.a{input}"),
        }
    }

    /// Numbers of the actions that send to a node.
    fn senders(&self, node_idx: usize) -> Vec<usize> {
        let mut senders = Vec::new();
        for node in &self.nodes {
            if node.outputs.iter().flatten().any(|end| end.0 == node_idx) {
                match node.kind {
                    Kind::Fan | Kind::Call => senders.extend(node.action + 1..=node.action + WIDTH),
                    _ => senders.push(node.action),
                }
            }
        }
        let starts = (0..self.starts.len()).filter(|start_idx| self.starts[*start_idx].0 == node_idx);
        senders.extend(starts.map(|start_idx| self.action_of_start(start_idx)));
        senders
    }

    /// A value: whose it is, as an expression, which sending of its event, and its fuel.
    fn value(&self, action: &str, nth: &str, fuel: &str) -> String {
        let value = format!("(({action}) * {ACTION} + count * {SENDINGS} + {nth}) * {FUEL} + {fuel}");
        if self.is_array { format!("[{value}]") } else { value }
    }

    fn put_start(&self, dice: &mut Dice, text: &mut Text, start_idx: usize) {
        let (n_values, fuel) = match dice.below(12) {
            0 => (1025 + dice.below(500), dice.below(2)),
            1 | 2 => (65 + dice.below(150), dice.below(6)),
            3..=6 => (1 + dice.below(4), 100 + dice.below(300)),
            _ => (1 + dice.below(12), dice.below(60)),
        };
        let value = self.value(&self.action_of_start(start_idx).to_string(), "k", &fuel.to_string());
        let _ = write!(
            text.tables,
            "\n[graph.main.uc.Start{start_idx}]\nstart = true\nout = {{ o = \"TYPE\" }}\n\
             route = [\"o <- {value} for k in 0..{n_values}\"]\n"
        );
        text.arcs.push(format!("Start{start_idx}.o -> {}", self.port(self.starts[start_idx])));
    }

    fn put_node(&self, dice: &mut Dice, text: &mut Text, node_idx: usize) {
        let node = &self.nodes[node_idx];
        let name = format!("N{node_idx}");
        let ends: Vec<_> = node.outputs.iter().flatten().collect();
        for (output, targets) in node.outputs.iter().enumerate() {
            let from = match node.kind {
                Kind::Fan => format!("W{node_idx}[i].o{output}"),
                Kind::Call => format!("C{node_idx}[i].y{output}"),
                _ => format!("{name}.o{output}"),
            };
            for &end in targets {
                // Of several arcs to one port none leads by way of another action, where values may be late.
                let is_lone = ends.iter().filter(|other| ***other == end).count() == 1;
                text.put_arc(dice, &from, &self.port(end), is_lone);
            }
        }
        let senders = self.senders(node_idx);
        let is_small = node.kind == Kind::Ints && senders.len() <= FEW_SENDERS;
        let is_join = node.kind == Kind::Script && node.n_inputs == 2 && dice.chance(30);
        let n_slots = self.n_actions * node.n_inputs;
        let mut vars = Vec::new();
        let mut compared = String::new();
        let mut fill = String::new();
        if is_small {
            for (input, sender) in
                (0..node.n_inputs).flat_map(|input| senders.iter().map(move |&by| (input, by)))
            {
                let last = format!("last{input}_{sender}");
                let _ = writeln!(
                    compared,
                    "if from == {sender} && input == {input} {{ if nth < {last} {{ bad = x; }} {last} = nth; }}"
                );
                vars.push(format!("{last} = \"int\""));
            }
        } else {
            let _ = writeln!(
                compared,
                "let slot = input * {} + from;\nif nth < last[slot] {{ bad = x; }}\nlast[slot] = nth;",
                self.n_actions
            );
            if dice.chance(50) {
                vars.push("last = \"int[]\"".to_owned());
                fill = format!("while last.len < {n_slots} {{ last.push(0); }}\n");
            } else {
                vars.push(format!("last = \"int[] = {:?}\"", vec![0; n_slots]));
            }
        }
        let unwrap = if self.is_array { "[0]" } else { "" };
        let compare = |value: &str, input: &str| {
            format!(
                "let x = {value}{unwrap};\nlet input = {input};\nfuel += x % {FUEL};\n\
                 let from = x / {FUEL} / {ACTION};\nlet nth = x / {FUEL} % {ACTION};\n{compared}"
            )
        };
        let in_block = |compare: String| format!("if rule >= 0 {{\n{compare}}}\n");
        let inputs = |n_inputs: usize| {
            let inputs: Vec<_> = (0..n_inputs).map(|input| format!("a{input} = \"TYPE\"")).collect();
            inputs.join(", ")
        };
        let (inputs, fire, taken) = match node.kind {
            Kind::Family => (
                "\"f[j]\" = \"TYPE\"".to_owned(),
                format!("\"f[j] -> vs[j] for j in 0..{}\"", node.n_inputs),
                format!("for place in 0..{} {{\n{}}}\n", node.n_inputs, compare("vs[place]", "place")),
            ),
            _ if is_join => (
                inputs(2),
                "\"a0 -> v0, a1 -> v1\"".to_owned(),
                [in_block(compare("v0", "0")), in_block(compare("v1", "1"))].concat(),
            ),
            _ => {
                let fire: Vec<_> = (0..node.n_inputs).map(|input| format!("\"a{input} -> v\"")).collect();
                let compare = compare("v", "rule");
                (
                    inputs(node.n_inputs),
                    fire.join(", "),
                    if node.is_start { in_block(compare) } else { compare },
                )
            }
        };
        let mut body = format!(
            "let bad = 0;\nlet fuel = {};\n{fill}{taken}",
            if node.is_start { "if rule < 0 { 90 } else { 0 }" } else { "0" }
        );
        if !is_small {
            put_oddities(dice, &mut body);
        }
        let n_objects = [0, 0, 0, 1, 1, 2][dice.below(6)];
        for object in 0..n_objects {
            text.shares.push(format!("s{object} -- {name}.s{object}"));
            let _ = writeln!(body, "s{object} += 1;");
        }
        let shared: Vec<_> = (0..n_objects).map(|object| format!("s{object} = \"write\"")).collect();
        let (outputs, route) = match node.kind {
            Kind::Fan | Kind::Call => {
                let to = if node.kind == Kind::Fan { "W" } else { "C" };
                text.arcs.push(format!("{name}.p[j] -> {to}{node_idx}[j].a"));
                let value = self.value(&node.action.to_string(), "0", "fuel");
                self.put_inner(dice, text, node_idx);
                ("\"p[j]\" = \"TYPE\"".to_owned(), format!("\"p[count % {WIDTH}] <- {value}\""))
            }
            _ => self.put_sends(dice, &mut body, node, &node.action.to_string(), is_small),
        };
        let start = if node.is_start { "start = true\n" } else { "" };
        let init = if dice.chance(15) { "init = 'spare = 1;'\n" } else { "" };
        if !init.is_empty() {
            vars.push("spare = \"int\"".to_owned());
        }
        let _ = write!(
            text.tables,
            "\n[graph.main.uc.{name}]\nin = {{ {inputs} }}\nout = {{ {outputs}, bad = \"int\" }}\n\
             vars = {{ {} }}\nshared = {{ {} }}\n{start}{init}fire = [{fire}]\ndo = '''\n{body}'''\n\
             route = [{route}, \"bad <- bad if bad > 0\"]\n",
            vars.join(", "),
            shared.join(", ")
        );
        text.arcs.push(format!("{name}.bad -> Judge.a"));
    }

    /// Ports and rules by which a node sends to where its outputs lead, each value with its share of the fuel.
    fn put_sends(
        &self,
        dice: &mut Dice,
        body: &mut String,
        node: &Node,
        action: &str,
        is_small: bool,
    ) -> (String, String) {
        let n_copies = if is_small { 1 } else { 1 + usize::from(dice.chance(25)) };
        let n_values = n_copies * node.outputs.iter().map(Vec::len).sum::<usize>();
        let _ = writeln!(body, "let left = if fuel > 0 {{ (fuel - 1) / {n_values} }} else {{ 0 }};");
        let (mut outputs, mut route) = (Vec::new(), Vec::new());
        for output in 0..node.outputs.len() {
            outputs.push(format!("o{output} = \"TYPE\""));
            let guard = match dice.below(4) {
                0 => " && (count + left) % 3 != 1",
                _ => "",
            };
            let nth = 2 * output;
            if is_small {
                let _ = writeln!(body, "let v{output} = {};", self.value(action, &nth.to_string(), "left"));
                route.push(format!("\"o{output} <- v{output} if left > 0{guard}\""));
            } else {
                let value = self.value(action, &format!("{nth} + k"), "left");
                route.push(format!("\"o{output} <- {value} for k in 0..{n_copies} if left > 0{guard}\""));
            }
        }
        (outputs.join(", "), route.join(", "))
    }

    /// The indexed node, or the graph, whose instances send on what a node sends to them.
    fn put_inner(&self, dice: &mut Dice, text: &mut Text, node_idx: usize) {
        let node = &self.nodes[node_idx];
        let is_fan = node.kind == Kind::Fan;
        // Where nothing is kept, an instance may be an entry of the matching store.
        let compares = !is_fan || dice.chance(50);
        let unwrap = if self.is_array { "[0]" } else { "" };
        let mut body = format!("let x = v{unwrap};\nlet fuel = x % {FUEL};\n");
        let (mut vars, mut bad) = ("", "");
        if compares {
            body.push_str("let bad = 0;\n");
            let _ = writeln!(body, "if x / {FUEL} < last {{ bad = x; }}\nlast = x / {FUEL};");
            vars = "vars = { last = \"int\" }\n";
            bad = ", \"bad <- bad if bad > 0\"";
        }
        let index = if is_fan { "i" } else { "place" };
        let action = format!("{} + {index}", node.action + 1);
        let is_small = !self.is_array && dice.chance(70);
        let (outputs, route) = self.put_sends(dice, &mut body, node, &action, is_small);
        let bad_port = if compares { ", bad = \"int\"" } else { "" };
        let unit = |name: &str, index: &str| {
            format!(
                "\n[graph.{name}]\n{index}in = {{ a = \"TYPE\" }}\nout = {{ {outputs}{bad_port} }}\n{vars}\
                 fire = [\"a -> v\"]\ndo = '''\n{body}'''\nroute = [{route}{bad}]\n"
            )
        };
        if is_fan {
            text.tables.push_str(&unit(&format!("main.uc.W{node_idx}"), "index = [\"i\"]\n"));
            if compares {
                text.arcs.push(format!("W{node_idx}[i].bad -> Judge.a"));
            }
            return;
        }
        let mut arcs = vec!["\"in.a -> U.a\"".to_owned(), "\"U.bad -> out.bad\"".to_owned()];
        let mut ports = vec!["bad = \"int\"".to_owned()];
        for output in 0..node.outputs.len() {
            arcs.push(format!("\"U.o{output} -> out.y{output}\""));
            ports.push(format!("y{output} = \"TYPE\""));
        }
        let _ = write!(
            text.tables,
            "\n[graph.main.call.C{node_idx}]\ngraph = \"G{node_idx}\"\nindex = [\"i\"]\nargs = {{ place = \"i\" }}\n\
             \n[graph.G{node_idx}]\nparams = {{ place = \"int\" }}\nin = {{ a = \"TYPE\" }}\nout = {{ {} }}\n\
             arcs = [{}]\n{}",
            ports.join(", "),
            arcs.join(", "),
            unit(&format!("G{node_idx}.uc.U"), "")
        );
        text.arcs.push(format!("C{node_idx}[i].bad -> Judge.a"));
    }
}

/// What takes events off the usual way: lines, random numbers, failures, bodies that take long.
fn put_oddities(dice: &mut Dice, body: &mut String) {
    if dice.chance(20) {
        let _ = writeln!(body, "if count % {} == 2 {{ print(`event ${{count}}`); }}", 3 + dice.below(5));
    }
    if dice.chance(10) {
        body.push_str("if count % 4 == 1 { fuel += random_int(0, 0); }\n");
    }
    if dice.chance(10) {
        body.push_str("if count % 40 == 7 { for step in 0..500 { fuel += step % 1; } }\n");
    }
    if dice.chance(5) {
        let _ = writeln!(body, "if count == {} {{ throw \"enough\"; }}", 20 + dice.below(200));
    }
}

impl Text {
    /// Adds an arc: a single one, or by way of a call without nodes in it, or, where `may_relay`, by way of a node without a body.
    fn put_arc(&mut self, dice: &mut Dice, from: &str, to: &str, may_relay: bool) {
        let extra = self.n_extra;
        let (node, input, output) = match dice.below(6) {
            0 => (format!("[graph.main.call.P{extra}]\ngraph = \"Pass\"\n"), "P", "y"),
            1 if may_relay => (
                format!(
                    "[graph.main.uc.R{extra}]\nin = {{ a = \"TYPE\" }}\nout = {{ y = \"TYPE\" }}\n\
                     fire = [\"a -> v\"]\nroute = [\"y <- v\"]\n"
                ),
                "R",
                "y",
            ),
            _ => {
                self.arcs.push(format!("{from} -> {to}"));
                return;
            }
        };
        self.n_extra += 1;
        let _ = write!(self.tables, "\n{node}");
        self.arcs.push(format!("{from} -> {input}{extra}.a"));
        self.arcs.push(format!("{input}{extra}.{output} -> {to}"));
    }

    fn finish(mut self, shape: &Shape) -> String {
        let mut text = String::from("hasse = 1\nmain = \"main\"\n\n[graph.main]\narcs = [\n");
        for arc in &self.arcs {
            let _ = writeln!(text, "  \"{arc}\",");
        }
        let _ = writeln!(text, "]\nshare = {:?}", self.shares);
        for object in 0..2 {
            let _ = write!(text, "\n[graph.main.shared.s{object}]\ntype = \"int\"\n");
        }
        self.tables.push_str(
            "\n[graph.main.uc.Judge]\nin = { a = \"int\" }\nfire = [\"a -> v\"]\ndo = 'result(\"broken\", v);'\n",
        );
        if self.tables.contains("graph = \"Pass\"") {
            self.tables.push_str(
                "\n[graph.Pass]\nin = { a = \"TYPE\" }\nout = { y = \"TYPE\" }\narcs = [\"in.a -> out.y\"]\n",
            );
        }
        text.push_str(&self.tables);
        text.replace("TYPE", if shape.is_array { "int[]" } else { "int" })
    }
}
