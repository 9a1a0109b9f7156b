//! Small programs in which values are only there or not, and what becomes of them by brute force.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// When a node sends along an arc.
#[derive(Clone, Copy, Debug)]
pub enum Sends {
    Always,
    /// In its first executions.
    UpTo(u64),
    /// In executions by one rule.
    ByRule(usize),
}

/// An action.
#[derive(Clone, Debug)]
pub struct Node {
    pub path: String,
    /// Names of its ports, with the elements of families.
    pub ports: Vec<String>,
    /// Ports that each rule takes from, and its last execution.
    rules: Vec<(BTreeSet<usize>, u64)>,
    /// Receiving node and port.
    pub arcs: Vec<(usize, usize, Sends)>,
    fails_at: Option<u64>,
}

/// A program in which values are only there or not: a Petri net with counters.
#[derive(Clone, Debug)]
pub struct Net {
    pub nodes: Vec<Node>,
    /// Values that the start node sends, by node and port.
    first: Vec<(usize, usize, u64)>,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct State {
    pub counts: Vec<u64>,
    pub queued: Vec<Vec<u64>>,
    pub failed: Vec<bool>,
}

pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

impl Net {
    /// A net of single nodes in one graph.
    pub fn new(seed: u64) -> Self {
        let mut dice = Dice(seed);
        let n_nodes = 2 + dice.below(3);
        let mut nodes: Vec<Node> = Vec::new();
        for _ in 0..n_nodes {
            let n_ports = 1 + dice.below(2);
            let rules = (0..1 + dice.below(2)).map(|_| {
                let mut ports: BTreeSet<usize> = (0..n_ports).filter(|_| dice.below(3) > 0).collect();
                ports.insert(dice.below(n_ports));
                (ports, 1 + dice.below(3) as u64)
            });
            let rules = rules.collect();
            let fails_at = (dice.below(8) == 0).then(|| 1 + dice.below(2) as u64);
            let path = format!("/N{}", nodes.len());
            let ports = (0..n_ports).map(|port| format!("p{port}")).collect();
            nodes.push(Node { path, ports, rules, arcs: Vec::new(), fails_at });
        }
        for node_idx in 0..n_nodes {
            for _ in 0..1 + dice.below(2) {
                let target = dice.below(n_nodes);
                let port = dice.below(nodes[target].ports.len());
                let sends = match dice.below(4) {
                    0 => Sends::UpTo(1 + dice.below(2) as u64),
                    1 if nodes[node_idx].rules.len() > 1 => Sends::ByRule(dice.below(2)),
                    _ => Sends::Always,
                };
                nodes[node_idx].arcs.push((target, port, sends));
            }
        }
        let mut first = Vec::new();
        for (node_idx, node) in nodes.iter().enumerate() {
            for port in 0..node.ports.len() {
                if dice.below(3) == 0 {
                    first.push((node_idx, port, 1 + dice.below(2) as u64));
                }
            }
        }
        let mut net = Self { nodes, first, text: String::new() };
        net.text = net.program();
        net
    }

    fn program(&self) -> String {
        let mut arcs = Vec::new();
        let mut start = String::from("[graph.main.uc.S]\nstart = true\n");
        let outs: Vec<String> = (0..self.first.len()).map(|out| format!("o{out} = \"int\"")).collect();
        let sent = self.first.iter().enumerate().map(|(out, (node, port, n_values))| {
            arcs.push(format!("\"S.o{out} -> N{node}.p{port}\""));
            format!("\"o{out} <- k for k in 0..{n_values}\"")
        });
        let sent: Vec<String> = sent.collect();
        let _ = writeln!(start, "out = {{ {} }}\nroute = [{}]", outs.join(", "), sent.join(", "));
        let mut text = String::new();
        for (node_idx, node) in self.nodes.iter().enumerate() {
            let ports: Vec<String> = node.ports.iter().map(|port| format!("{port} = \"int\"")).collect();
            let rules = node.rules.iter().map(|(ports, last)| {
                let takes: Vec<String> = ports.iter().map(|port| format!("p{port} -> x{port}")).collect();
                format!("\"{} if count <= {last}\"", takes.join(", "))
            });
            let rules: Vec<String> = rules.collect();
            let outs: Vec<String> = (0..node.arcs.len()).map(|out| format!("q{out} = \"int\"")).collect();
            let routes = node.arcs.iter().enumerate().map(|(out, (target, port, sends))| {
                arcs.push(format!("\"N{node_idx}.q{out} -> N{target}.p{port}\""));
                match sends {
                    Sends::Always => format!("\"q{out} <- 1\""),
                    Sends::UpTo(last) => format!("\"q{out} <- 1 if count <= {last}\""),
                    Sends::ByRule(rule) => format!("\"q{out} <- 1 if rule == {rule}\""),
                }
            });
            let routes: Vec<String> = routes.collect();
            let _ = writeln!(
                text,
                "[graph.main.uc.N{node_idx}]\nin = {{ {} }}\nout = {{ {} }}\nfire = [{}]\nroute = [{}]",
                ports.join(", "),
                outs.join(", "),
                rules.join(", "),
                routes.join(", ")
            );
            if let Some(count) = node.fails_at {
                let _ = writeln!(text, "do = 'if count == {count} {{ throw \"no\"; }}'");
            }
        }
        format!("hasse = 1\nmain = \"main\"\n[graph.main]\narcs = [{}]\n{start}{text}", arcs.join(", "))
    }

    fn is_enabled(&self, state: &State, node: usize, rule: usize) -> bool {
        let (ports, last) = &self.nodes[node].rules[rule];
        !state.failed[node]
            && state.counts[node] < *last
            && ports.iter().all(|port| state.queued[node][*port] > 0)
    }

    /// Takes the values of a rule.
    fn begin(&self, state: &mut State, node: usize, rule: usize) {
        let (ports, _) = &self.nodes[node].rules[rule];
        ports.iter().for_each(|port| state.queued[node][*port] -= 1);
        state.counts[node] += 1;
    }

    /// Sends what the execution by a rule sends, or fails.
    pub fn end(&self, state: &mut State, node: usize, rule: usize) {
        let count = state.counts[node];
        if self.nodes[node].fails_at == Some(count) {
            state.failed[node] = true;
            return;
        }
        for &(target, port, sends) in &self.nodes[node].arcs {
            let is_sent = match sends {
                Sends::Always => true,
                Sends::UpTo(last) => count <= last,
                Sends::ByRule(by) => by == rule,
            };
            state.queued[target][port] += u64::from(is_sent);
        }
    }

    /// The position of the node with a path.
    pub fn node_of(&self, path: &str) -> Option<usize> {
        self.nodes.iter().position(|node| node.path == path)
    }

    /// The state in which nothing has happened.
    pub fn nothing(&self) -> State {
        let queued = self.nodes.iter().map(|node| vec![0; node.ports.len()]).collect();
        State { counts: vec![0; self.nodes.len()], queued, failed: vec![false; self.nodes.len()] }
    }

    /// All nodes that execute in some continuation: brute force.
    pub fn may_still_fire(&self, from: State) -> BTreeSet<usize> {
        let mut fired = BTreeSet::new();
        let mut known: BTreeSet<State> = BTreeSet::from([from.clone()]);
        let mut open = vec![from];
        while let Some(state) = open.pop() {
            for node in 0..self.nodes.len() {
                for rule in 0..self.nodes[node].rules.len() {
                    if !self.is_enabled(&state, node, rule) {
                        continue;
                    }
                    fired.insert(node);
                    let mut next = state.clone();
                    self.begin(&mut next, node, rule);
                    self.end(&mut next, node, rule);
                    if known.insert(next.clone()) {
                        open.push(next);
                    }
                }
            }
        }
        fired
    }

    /// Rules, by node and position, whose guards still hold.
    fn open_rules(&self, state: &State) -> Vec<(usize, usize)> {
        let rules = (0..self.nodes.len())
            .flat_map(|node| (0..self.nodes[node].rules.len()).map(move |rule| (node, rule)));
        let is_open = |&(node, rule): &(usize, usize)| {
            !state.failed[node] && state.counts[node] < self.nodes[node].rules[rule].1
        };
        rules.filter(is_open).collect()
    }

    /// Ports on which a rule misses values.
    fn missing(&self, state: &State, (node, rule): (usize, usize)) -> Vec<usize> {
        let ports = self.nodes[node].rules[rule].0.iter();
        ports.copied().filter(|port| state.queued[node][*port] == 0).collect()
    }

    /// Nodes that hold values, those that could send what these miss, and so on.
    fn needed(&self, state: &State) -> BTreeSet<usize> {
        let rules = self.open_rules(state);
        let mut needed: BTreeSet<usize> = (0..self.nodes.len())
            .filter(|node| !state.failed[*node] && state.queued[*node].iter().any(|n_values| *n_values > 0))
            .collect();
        loop {
            let ports: BTreeSet<(usize, usize)> = rules
                .iter()
                .filter(|(node, _)| needed.contains(node))
                .flat_map(|at| self.missing(state, *at).into_iter().map(move |port| (at.0, port)))
                .collect();
            let senders = (0..self.nodes.len()).filter(|node| {
                self.nodes[*node].arcs.iter().any(|(target, port, _)| ports.contains(&(*target, *port)))
            });
            let before = needed.len();
            let senders: Vec<usize> = senders.collect();
            needed.extend(senders);
            if needed.len() == before {
                break;
            }
        }
        needed
    }

    /// Whether a node that holds values could have been helped by one that failed, where nothing can fire.
    pub fn waits_for_failed(&self, state: &State) -> bool {
        self.needed(state).into_iter().any(|node| state.failed[node])
    }

    /// Whether there is a circle where nothing can fire, by the definition, looked for naively.
    pub fn has_circle(&self, state: &State) -> bool {
        let rules = self.open_rules(state);
        let missing = |at: (usize, usize)| self.missing(state, at);
        let holds = |at: (usize, usize)| missing(at).len() < self.nodes[at.0].rules[at.1].0.len();
        let needed = self.needed(state);
        let mut waits: BTreeMap<(usize, usize), BTreeSet<(usize, usize)>> = BTreeMap::new();
        let mut leads_to_failed: BTreeSet<(usize, usize)> = BTreeSet::new();
        for &at in rules.iter().filter(|(node, _)| needed.contains(node)) {
            for port in missing(at) {
                for (sender, node) in self.nodes.iter().enumerate() {
                    for &(target, to, sends) in &node.arcs {
                        if (target, to) != (at.0, port) {
                            continue;
                        }
                        if state.failed[sender] {
                            leads_to_failed.insert(at);
                        }
                        for &next in rules.iter().filter(|(node, _)| *node == sender) {
                            let is_waited_for = match sends {
                                Sends::Always => true,
                                Sends::ByRule(rule) => rule == next.1,
                                Sends::UpTo(_) => holds(at) && holds(next),
                            };
                            if is_waited_for {
                                waits.entry(at).or_default().insert(next);
                            }
                        }
                    }
                }
            }
        }
        let reached = |from: (usize, usize)| {
            let mut reached = BTreeSet::new();
            let mut open = vec![from];
            while let Some(at) = open.pop() {
                for &next in waits.get(&at).into_iter().flatten() {
                    if reached.insert(next) {
                        open.push(next);
                    }
                }
            }
            reached
        };
        waits.keys().any(|&at| {
            let mut all = reached(at);
            let is_in_circle = all.contains(&at);
            all.insert(at);
            is_in_circle && all.is_disjoint(&leads_to_failed)
        })
    }
}

/// Number of instances of an indexed node, and of elements of a family.
const WIDTH: usize = 2;

/// A node of a program with families.
struct Template {
    is_indexed: bool,
    /// Whether each port is a family; of nodes without index alone.
    ports: Vec<bool>,
    rules: Vec<(BTreeSet<usize>, u64)>,
    /// In which execution it fails, and the instance that does.
    fails_at: Option<(u64, usize)>,
}

/// Where nodes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// In one graph.
    Flat,
    /// Some are in a graph that is called.
    Called,
    /// Those with an index are without it in a graph that is called with the index.
    IndexedCall,
}

/// Writes arcs, through the interface of the called graph where they lead into it or out of it.
#[derive(Default)]
struct Arcs {
    main: Vec<String>,
    inner: Vec<String>,
    inputs: Vec<String>,
    outputs: Vec<String>,
}

/// An end of an arc: its node, with the index, and its port.
struct End {
    is_inner: bool,
    /// Index of the call, where it has one.
    call: String,
    text: String,
    /// The index of what passes through the interface; empty without one.
    passes: String,
}

impl Arcs {
    fn add(&mut self, from: &End, to: &End) {
        let number = self.main.len() + self.inner.len();
        match (from.is_inner, to.is_inner) {
            (false, false) => self.main.push(format!("\"{} -> {}\"", from.text, to.text)),
            (true, true) if from.call == to.call => {
                self.inner.push(format!("\"{} -> {}\"", from.text, to.text));
            }
            _ => {
                let declared = |port: &str, passes: &str| match passes {
                    "" => format!("{port} = \"int\""),
                    _ => format!("\"{port}[i]\" = \"int\""),
                };
                let mut source = from.text.clone();
                if from.is_inner {
                    self.outputs.push(declared(&format!("x{number}"), &from.passes));
                    self.inner.push(format!("\"{} -> out.x{number}{}\"", from.text, from.passes));
                    source = format!("C{}.x{number}{}", from.call, from.passes);
                }
                let mut target = to.text.clone();
                if to.is_inner {
                    self.inputs.push(declared(&format!("e{number}"), &from.passes));
                    self.inner.push(format!("\"in.e{number}{} -> {}\"", from.passes, to.text));
                    target = format!("C{}.e{number}{}", to.call, from.passes);
                }
                self.main.push(format!("\"{source} -> {target}\""));
            }
        }
    }
}

impl Net {
    /// A net with indexed nodes, families of ports and one level of calls.
    pub fn of_families(seed: u64) -> Self {
        let mut dice = Dice(seed);
        let layout = [Layout::Flat, Layout::Called, Layout::IndexedCall][dice.below(3)];
        let n_templates = 2 + dice.below(2);
        let mut templates: Vec<Template> = Vec::new();
        for template in 0..n_templates {
            let is_indexed = template == 0 || dice.below(2) == 0;
            let ports: Vec<bool> =
                (0..1 + dice.below(2)).map(|_| !is_indexed && dice.below(2) == 0).collect();
            let rules = (0..1 + dice.below(2)).map(|_| {
                let mut taken: BTreeSet<usize> = (0..ports.len()).filter(|_| dice.below(3) > 0).collect();
                taken.insert(dice.below(ports.len()));
                (taken, 1 + dice.below(2) as u64)
            });
            let rules = rules.collect();
            let fails_at = (dice.below(4) == 0).then(|| (1 + dice.below(2) as u64, dice.below(WIDTH)));
            templates.push(Template { is_indexed, ports, rules, fails_at });
        }
        let is_inner: Vec<bool> = templates
            .iter()
            .map(|template| match layout {
                Layout::Flat => false,
                Layout::Called => dice.below(2) == 0,
                Layout::IndexedCall => template.is_indexed,
            })
            .collect();
        // Whether the index of a node is that of its call.
        let is_called_by_index =
            |template: usize| layout == Layout::IndexedCall && templates[template].is_indexed;
        let first_of: Vec<usize> = templates
            .iter()
            .scan(0, |next, template| {
                let first = *next;
                *next += if template.is_indexed { WIDTH } else { 1 };
                Some(first)
            })
            .collect();
        let mut nodes = Vec::new();
        for (position, template) in templates.iter().enumerate() {
            for index in 0..if template.is_indexed { WIDTH } else { 1 } {
                let path = match (is_inner[position], template.is_indexed) {
                    (true, true) if is_called_by_index(position) => format!("/C[{index}]/N{position}"),
                    (true, true) => format!("/C/N{position}[{index}]"),
                    (true, false) => format!("/C/N{position}"),
                    (false, true) => format!("/N{position}[{index}]"),
                    (false, false) => format!("/N{position}"),
                };
                let (mut ports, mut elements_of) = (Vec::new(), Vec::new());
                for (port, is_family) in template.ports.iter().enumerate() {
                    let n_elements = if *is_family { WIDTH } else { 1 };
                    elements_of.push(ports.len()..ports.len() + n_elements);
                    ports.extend((0..n_elements).map(|element| match is_family {
                        true => format!("p{port}[{element}]"),
                        false => format!("p{port}"),
                    }));
                }
                let rules = template.rules.iter().map(|(taken, last)| {
                    (taken.iter().flat_map(|port| elements_of[*port].clone()).collect(), *last)
                });
                let fails = |(_, failing): &(u64, usize)| !template.is_indexed || *failing == index;
                nodes.push(Node {
                    path,
                    ports,
                    rules: rules.collect(),
                    arcs: Vec::new(),
                    fails_at: template.fails_at.filter(fails).map(|(count, _)| count),
                });
            }
        }
        let port_of = |template: usize, port: usize, element: usize| {
            let before = templates[template].ports[..port].iter();
            before.map(|is_family| if *is_family { WIDTH } else { 1 }).sum::<usize>() + element
        };
        let end = |template: usize, port: &str, index: &str| {
            let is_called = is_called_by_index(template);
            let own = if templates[template].is_indexed && !is_called { index } else { "" };
            let call = if is_called { index } else { "" };
            let text = format!("N{template}{own}.{port}");
            let (is_inner, call) = (is_inner[template], call.to_owned());
            End { is_inner, call, text, passes: String::new() }
        };
        let mut arcs = Arcs::default();
        let mut outs: Vec<Vec<String>> = vec![Vec::new(); n_templates];
        let mut routes: Vec<Vec<String>> = vec![Vec::new(); n_templates];
        for source in 0..n_templates {
            for out in 0..1 + dice.below(2) {
                let target = dice.below(n_templates);
                let port = dice.below(templates[target].ports.len());
                let sends = match dice.below(4) {
                    0 => Sends::UpTo(1),
                    1 if templates[source].rules.len() > 1 => Sends::ByRule(dice.below(2)),
                    _ => Sends::Always,
                };
                let (from, to) = (&templates[source], &templates[target]);
                let is_family = to.ports[port];
                let offset = if from.is_indexed && to.is_indexed { dice.below(3) as i64 - 1 } else { 0 };
                // One element of a family of its own, or all.
                let is_fan = !from.is_indexed && (to.is_indexed || is_family);
                let one = (is_fan && dice.below(3) == 0).then(|| dice.below(WIDTH));
                let index = match offset {
                    0 => "[i]".to_owned(),
                    _ => format!("[i {} 1]", if offset < 0 { '-' } else { '+' }),
                };
                let mut sender = end(source, &format!("q{out}{}", if is_fan { "[i]" } else { "" }), "[i]");
                let element = if is_family { "[i]" } else { "" };
                let receiver = end(target, &format!("p{port}{element}"), &index);
                let is_index_passed = !is_called_by_index(source) && !is_called_by_index(target);
                if is_index_passed && (from.is_indexed || is_fan) {
                    sender.passes = "[i]".to_owned();
                }
                arcs.add(&sender, &receiver);
                outs[source].push(match is_fan {
                    true => format!("\"q{out}[i]\" = \"int\""),
                    false => format!("q{out} = \"int\""),
                });
                let element = one.map_or("i".to_owned(), |one| one.to_string());
                let mut route =
                    if is_fan { format!("q{out}[{element}] <- 1") } else { format!("q{out} <- 1") };
                if is_fan && one.is_none() {
                    let _ = write!(route, " for i in 0..{WIDTH}");
                }
                let mut guards = match sends {
                    Sends::Always => Vec::new(),
                    Sends::UpTo(last) => vec![format!("count <= {last}")],
                    Sends::ByRule(rule) => vec![format!("rule == {rule}")],
                };
                // Instances beyond the net, which a value could create, send nothing.
                if from.is_indexed {
                    let low = if offset < 0 { 1 } else { 0 };
                    let high = if offset > 0 { WIDTH - 1 } else { WIDTH };
                    guards.push(format!("i >= {low} && i < {high}"));
                }
                if !guards.is_empty() {
                    let _ = write!(route, " if {}", guards.join(" && "));
                }
                routes[source].push(format!("\"{route}\""));
                for index in 0..WIDTH {
                    let sender = first_of[source] + if from.is_indexed { index } else { 0 };
                    let reached = index as i64 + offset;
                    let is_sent = (0..WIDTH as i64).contains(&reached) && one.is_none_or(|one| one == index);
                    if !is_sent || index > 0 && !from.is_indexed && !is_fan {
                        continue;
                    }
                    let receiver = first_of[target] + if to.is_indexed { reached as usize } else { 0 };
                    let port = port_of(target, port, if is_family { index } else { 0 });
                    nodes[sender].arcs.push((receiver, port, sends));
                }
            }
        }
        let (mut first, mut sent, mut ports) = (Vec::new(), Vec::new(), Vec::new());
        for (target, template) in templates.iter().enumerate() {
            for (port, is_family) in template.ports.iter().enumerate() {
                for index in 0..if template.is_indexed || *is_family { WIDTH } else { 1 } {
                    if dice.below(3) > 0 {
                        continue;
                    }
                    let n_values = 1 + dice.below(2) as u64;
                    let out = first.len();
                    let element = if *is_family { format!("[{index}]") } else { String::new() };
                    let from = End {
                        is_inner: false,
                        call: String::new(),
                        text: format!("S.o{out}"),
                        passes: String::new(),
                    };
                    arcs.add(&from, &end(target, &format!("p{port}{element}"), &format!("[{index}]")));
                    ports.push(format!("o{out} = \"int\""));
                    sent.push(format!("\"o{out} <- k for k in 0..{n_values}\""));
                    let node = first_of[target] + if template.is_indexed { index } else { 0 };
                    first.push((node, port_of(target, port, if *is_family { index } else { 0 }), n_values));
                }
            }
        }
        let mut text = format!(
            "hasse = 1\nmain = \"main\"\n[graph.main]\narcs = [{}]\n\
             [graph.main.uc.S]\nstart = true\nout = {{ {} }}\nroute = [{}]\n",
            arcs.main.join(", "),
            ports.join(", "),
            sent.join(", ")
        );
        if is_inner.contains(&true) {
            let (index, params) = match layout {
                Layout::IndexedCall => {
                    ("index = [\"i\"]\nargs = { i = \"i\" }\n", "params = { i = \"int\" }\n")
                }
                Layout::Flat | Layout::Called => ("", ""),
            };
            let _ = writeln!(
                text,
                "[graph.main.call.C]\ngraph = \"inner\"\n{index}[graph.inner]\n{params}in = {{ {} }}\n\
                 out = {{ {} }}\narcs = [{}]",
                arcs.inputs.join(", "),
                arcs.outputs.join(", "),
                arcs.inner.join(", ")
            );
        }
        for (position, template) in templates.iter().enumerate() {
            let graph = if is_inner[position] { "inner" } else { "main" };
            let index =
                if template.is_indexed && !is_called_by_index(position) { "index = [\"i\"]\n" } else { "" };
            let ports = template.ports.iter().enumerate().map(|(port, is_family)| match is_family {
                true => format!("\"p{port}[i]\" = \"int\""),
                false => format!("p{port} = \"int\""),
            });
            let rules = template.rules.iter().map(|(taken, last)| {
                let takes = taken.iter().map(|port| match template.ports[*port] {
                    true => format!("p{port}[k] -> x{port}[k] for k in 0..{WIDTH}"),
                    false => format!("p{port} -> x{port}"),
                });
                format!("\"{} if count <= {last}\"", takes.collect::<Vec<_>>().join(", "))
            });
            let _ = writeln!(
                text,
                "[graph.{graph}.uc.N{position}]\n{index}in = {{ {} }}\nout = {{ {} }}\nfire = [{}]\nroute = [{}]",
                ports.collect::<Vec<_>>().join(", "),
                outs[position].join(", "),
                rules.collect::<Vec<_>>().join(", "),
                routes[position].join(", ")
            );
            if let Some((count, index)) = template.fails_at {
                let of_index = if template.is_indexed { format!(" && i == {index}") } else { String::new() };
                let _ = writeln!(text, "do = 'if count == {count}{of_index} {{ throw \"no\"; }}'");
            }
        }
        Self { nodes, first, text }
    }
}
