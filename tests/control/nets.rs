//! Small programs in which values are only there or not, and what becomes of them by brute force.

use std::collections::BTreeSet;
use std::fmt::Write;

#[path = "nets/families.rs"]
mod families;
#[path = "nets/judge.rs"]
mod judge;

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
}
