//! Values that are left: programs without a stop node that cannot end otherwise than quiescent.
//!
//! A set of ports is a trap if every firing rule that takes from one of them sends to one of them, whatever the values are:
//! once a value is in it, one always is (Commoner 1972, for Petri nets; an execution is a transition, a port
//! a place). The greatest trap among the ports on which nothing may be left is found by taking away, one after the other,
//! ports from which a rule takes that may send nothing back. If a start node sends there, the end of the program
//! finds a value. Cost: linear in firing rules and what they send, but for sorting.

use std::collections::{BTreeMap, BTreeSet};

use hasse_model::diagnostic::Diagnostic;
use hasse_model::plan::{BinaryOp, Code, Expr, FiringRule, Pattern, SlotKind};

use super::summary::{ArcSummary, GraphSummary, NodeSummary, Summary};

/// Node and input port.
type Place = (usize, usize);

/// Maximum number of ports that a warning names.
const MAX_NAMED: usize = 3;

/// Reports ports of the main graph on which a value is left at every end.
pub(super) fn check(summary: &Summary, found: &mut Vec<Diagnostic>) {
    let Some(graph) = summary.graphs.iter().find(|graph| graph.is_main) else { return };
    if graph.nodes.iter().any(|node| node.stop.is_some()) {
        return;
    }
    // What never executes leaves values for another reason.
    if found.iter().any(|found| matches!(found.code, "W0001" | "W0002" | "W0003")) {
        return;
    }
    let flow = Flow::new(graph);
    let held = flow.held(flow.places.clone());
    let held = if held.len() <= MAX_MINIMIZED { flow.least(held) } else { held };
    // A port from which no rule takes has a warning of its own.
    let rests = |place: &Place| flow.takers.contains_key(place) && can_rest(graph, *place);
    let resting: Vec<Place> = held.into_iter().filter(rests).collect();
    let Some(&(node_idx, port_idx)) = resting.first() else { return };
    let name = |(node_idx, port_idx): &Place| {
        let node = &graph.nodes[*node_idx];
        format!("`{}.{}`", node.name, node.inputs[*port_idx].name)
    };
    let names: Vec<String> = resting.iter().take(MAX_NAMED).map(name).collect();
    let named = match resting.len() {
        1 => names.concat(),
        n_ports if n_ports <= MAX_NAMED => format!("one of {}", names.join(", ")),
        n_ports => format!("one of {} and {} other ports", names.join(", "), n_ports - MAX_NAMED),
    };
    let port = &graph.nodes[node_idx].inputs[port_idx];
    let message = format!("the program always ends quiescent: a value is left on {named}");
    let help = format!(
        "if that is meant, say so at the port: `{} = {{ type = .., left = \"ok\" }}`; or mark the node that ends the program with `stop = true`",
        port.name
    );
    found.push(
        Diagnostic::error("W0006", message, port.at, "a value stays here").as_warning().with_help(help),
    );
}

/// Whether a value may stay on a port: no rule takes it alone and in any case.
fn can_rest(graph: &GraphSummary, (node_idx, port_idx): Place) -> bool {
    let takes_it_alone = |rule: &FiringRule| {
        rule.guard.is_none()
            && matches!(&rule.takes[..], [take] if take.port == port_idx && (take.loops.is_empty() || take.is_up_to) && take.elements.is_empty())
    };
    !graph.nodes[node_idx].fire.iter().any(|fire| takes_it_alone(&fire.rule))
}

/// Traps of more ports are not made smaller.
const MAX_MINIMIZED: usize = 64;

/// Ports that a firing rule takes from, and those to which an execution by it sends in any case.
struct RuleFlow {
    takes: BTreeSet<Place>,
    feeds: BTreeSet<Place>,
}

/// Where firing rules send in any case.
struct Flow {
    rules: Vec<RuleFlow>,
    /// For each port, the rules that take from it.
    takers: BTreeMap<Place, Vec<usize>>,
    /// All ports on which nothing may be left.
    places: BTreeSet<Place>,
    /// Ports that start nodes feed.
    first: BTreeSet<Place>,
}

impl Flow {
    fn new(graph: &GraphSummary) -> Self {
        let mut flow = Self {
            rules: Vec::new(),
            takers: BTreeMap::new(),
            places: BTreeSet::new(),
            first: BTreeSet::new(),
        };
        let mut arcs: ArcsFrom<'_> = BTreeMap::new();
        for arc in &graph.arcs {
            arcs.entry(arc.source).or_default().push(arc);
        }
        for (node_idx, node) in graph.nodes.iter().enumerate().filter(|(_, node)| node.is_unit()) {
            let ports = node.inputs.iter().enumerate().filter(|(_, port)| !port.may_be_left);
            flow.places.extend(ports.map(|(port_idx, _)| (node_idx, port_idx)));
            if node.start.is_some() {
                flow.first.extend(fed(graph, &arcs, node_idx, -1));
            }
            for (rule_idx, fire) in node.fire.iter().enumerate() {
                let feeds = fed(graph, &arcs, node_idx, rule_idx as i64);
                let takes: BTreeSet<Place> =
                    fire.rule.takes.iter().map(|take| (node_idx, take.port)).collect();
                for &place in &takes {
                    flow.takers.entry(place).or_default().push(flow.rules.len());
                }
                steps(takes.len() + feeds.len());
                flow.rules.push(RuleFlow { takes, feeds });
            }
        }
        flow
    }

    /// The ports of the greatest trap among `places` that what start nodes send may come to.
    fn held(&self, places: BTreeSet<Place>) -> BTreeSet<Place> {
        let trap = self.trap(places);
        let mut held: BTreeSet<Place> = self.first.intersection(&trap).copied().collect();
        let mut open: Vec<Place> = held.iter().copied().collect();
        let mut is_followed = vec![false; self.rules.len()];
        while let Some(place) = open.pop() {
            for &rule in self.takers.get(&place).into_iter().flatten() {
                steps(1);
                if std::mem::replace(&mut is_followed[rule], true) {
                    continue;
                }
                let feeds = &self.rules[rule].feeds;
                steps(feeds.len());
                let inside = feeds.iter().copied().filter(|target| trap.contains(target));
                open.extend(inside.filter(|target| held.insert(*target)));
            }
        }
        held
    }

    /// A trap without ports that it does not need, the first ones left out first.
    fn least(&self, mut held: BTreeSet<Place>) -> BTreeSet<Place> {
        for place in held.clone() {
            let mut others = held.clone();
            others.remove(&place);
            let smaller = self.held(others);
            if !smaller.is_empty() {
                held = smaller;
            }
        }
        held
    }

    /// The greatest trap among some ports.
    fn trap(&self, mut trap: BTreeSet<Place>) -> BTreeSet<Place> {
        // For each rule, how many ports of the trap it feeds; for each port, who feeds it.
        let mut n_inside = vec![0_usize; self.rules.len()];
        let mut feeders: BTreeMap<Place, Vec<usize>> = BTreeMap::new();
        let mut leaking: Vec<Place> = Vec::new();
        for (rule_idx, rule) in self.rules.iter().enumerate() {
            steps(rule.takes.len() + rule.feeds.len());
            if !rule.takes.iter().any(|place| trap.contains(place)) {
                continue;
            }
            for target in rule.feeds.iter().filter(|target| trap.contains(target)) {
                feeders.entry(*target).or_default().push(rule_idx);
                n_inside[rule_idx] += 1;
            }
            if n_inside[rule_idx] == 0 {
                leaking.extend(&rule.takes);
            }
        }
        while let Some(place) = leaking.pop() {
            if !trap.remove(&place) {
                continue;
            }
            for &rule in feeders.get(&place).into_iter().flatten() {
                steps(1);
                n_inside[rule] -= 1;
                if n_inside[rule] == 0 {
                    steps(self.rules[rule].takes.len());
                    leaking.extend(&self.rules[rule].takes);
                }
            }
        }
        trap
    }
}

/// Counts steps, for the test of the cost.
fn steps(n_steps: usize) {
    #[cfg(test)]
    tests::N_STEPS.set(tests::N_STEPS.get() + n_steps);
    let _ = n_steps;
}

/// Arcs by node and output port.
type ArcsFrom<'s> = BTreeMap<(usize, usize), Vec<&'s ArcSummary>>;

/// Ports to which an execution by a rule sends in any case.
fn fed(graph: &GraphSummary, arcs: &ArcsFrom<'_>, node_idx: usize, rule: i64) -> BTreeSet<Place> {
    let node = &graph.nodes[node_idx];
    let mut fed = BTreeSet::new();
    for route in &node.route {
        let value = |expr: &Expr| value(graph, node, rule, expr);
        let holds = match &route.rule.guard {
            _ if route.rule.on_error => false,
            None => true,
            Some(Code::Expr(guard)) => value(guard) == Some(Value::Bool(true)),
            Some(Code::Script(_)) => false,
        };
        for send in route.rule.sends.iter().filter(|_| holds) {
            let bound = |code: &Code| match code {
                Code::Expr(expr) => value(expr).and_then(Value::int),
                Code::Script(_) => None,
            };
            let sends_some = send
                .loops
                .iter()
                .all(|range| matches!((bound(&range.low), bound(&range.high)), (Some(low), Some(high)) if low < high));
            if !sends_some {
                continue;
            }
            let fits_all = |patterns: &[Pattern]| {
                let mut known = BTreeSet::new();
                patterns
                    .iter()
                    .all(|pattern| matches!(pattern, Pattern::Local(local) if known.insert(*local)))
            };
            let arcs = arcs.get(&(node_idx, send.port)).into_iter().flatten();
            steps(1 + arcs.clone().count());
            let sure = arcs.filter(|arc| {
                let patterns: Vec<Pattern> =
                    arc.source_index.iter().chain(&arc.source_elements).copied().collect();
                fits_all(&patterns) && graph.nodes[arc.target.0].is_unit()
            });
            fed.extend(sure.map(|arc| arc.target));
        }
    }
    fed
}

#[derive(Clone, Copy, PartialEq)]
enum Value {
    Int(i64),
    Bool(bool),
}

impl Value {
    fn int(self) -> Option<i64> {
        match self {
            Value::Int(number) => Some(number),
            Value::Bool(_) => None,
        }
    }
}

/// The value of an expression of a rule, where parameters, with their defaults, and the rule decide it.
fn value(graph: &GraphSummary, node: &NodeSummary, rule: i64, expr: &Expr) -> Option<Value> {
    let inner = |expr: &Expr| value(graph, node, rule, expr);
    Some(match expr {
        Expr::Int(number) => Value::Int(*number),
        Expr::Bool(flag) => Value::Bool(*flag),
        Expr::Slot(slot) => match node.slots[slot.idx()].kind {
            SlotKind::Rule => Value::Int(rule),
            // Parameters are the first slots.
            SlotKind::Param => inner_param(graph, slot.idx())?,
            _ => return None,
        },
        Expr::Param(param) => inner_param(graph, *param as usize)?,
        Expr::Local(_) | Expr::Length(_) => return None,
        Expr::Negate(operand) => Value::Int(inner(operand)?.int()?.checked_neg()?),
        Expr::Not(operand) => match inner(operand)? {
            Value::Bool(flag) => Value::Bool(!flag),
            Value::Int(_) => return None,
        },
        Expr::Binary(op, left, right) => match (inner(left)?, inner(right)?) {
            (Value::Int(left), Value::Int(right)) => match op {
                BinaryOp::Add => Value::Int(left.checked_add(right)?),
                BinaryOp::Subtract => Value::Int(left.checked_sub(right)?),
                BinaryOp::Multiply => Value::Int(left.checked_mul(right)?),
                BinaryOp::Equal => Value::Bool(left == right),
                BinaryOp::NotEqual => Value::Bool(left != right),
                BinaryOp::Less => Value::Bool(left < right),
                BinaryOp::LessOrEqual => Value::Bool(left <= right),
                BinaryOp::Greater => Value::Bool(left > right),
                BinaryOp::GreaterOrEqual => Value::Bool(left >= right),
                BinaryOp::Divide | BinaryOp::Remainder | BinaryOp::And | BinaryOp::Or => return None,
            },
            (Value::Bool(left), Value::Bool(right)) => match op {
                BinaryOp::And => Value::Bool(left && right),
                BinaryOp::Or => Value::Bool(left || right),
                _ => return None,
            },
            _ => return None,
        },
    })
}

/// The default of a parameter, where it is a number without names.
fn inner_param(graph: &GraphSummary, position: usize) -> Option<Value> {
    match graph.params.get(position)?.default.as_ref()? {
        Expr::Int(number) => Some(Value::Int(*number)),
        Expr::Bool(flag) => Some(Value::Bool(*flag)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::fmt::Write;

    use crate::{FunctionTable, compile};

    thread_local! {
        pub(super) static N_STEPS: Cell<usize> = const { Cell::new(0) };
    }

    /// Steps for a program, and whether it has the warning.
    fn cost(text: &str) -> (usize, bool) {
        N_STEPS.set(0);
        let compiled = compile(text, &FunctionTable::default());
        assert!(compiled.plan.is_some(), "{:?}\n{text}", compiled.diagnostics);
        (N_STEPS.get(), compiled.diagnostics.iter().any(|found| found.code == "W0006"))
    }

    /// A chain of nodes: each value goes on to the next one. The last one sends to the first where it is a ring.
    fn chain(n_nodes: usize, is_ring: bool) -> String {
        let mut nodes = String::new();
        let mut arcs = vec!["Open.p -> N0.p".to_owned()];
        for node_idx in 0..n_nodes {
            let sends = is_ring || node_idx + 1 < n_nodes;
            let route = if sends { "out = { q = 'int' }\nroute = ['q <- x']\n" } else { "" };
            let _ = writeln!(
                nodes,
                "[graph.g.uc.N{node_idx}]\nin = {{ p = 'int', k = {{ type = 'int', left = 'ok' }} }}\n{route}fire = ['p -> x, k -> _k']"
            );
            if sends {
                arcs.push(format!("N{node_idx}.q -> N{}.p", (node_idx + 1) % n_nodes));
            }
            arcs.push(format!("Open.k -> N{node_idx}.k"));
        }
        format!(
            "hasse = 1\nmain = 'g'\n[graph.g]\narcs = {arcs:?}\n\
             [graph.g.uc.Open]\nstart = true\nout = {{ p = 'int', k = 'int' }}\nroute = ['p <- 1', 'k <- 1']\n{nodes}"
        )
    }

    /// Two nodes, of which each takes from many ports at once and sends to as many of the other.
    fn wide(n_ports: usize) -> String {
        let list = |item: &dyn Fn(usize) -> String| (0..n_ports).map(item).collect::<Vec<_>>().join(", ");
        let mut arcs: Vec<String> = Vec::new();
        for port in 0..n_ports {
            arcs.push(format!("Open.o{port} -> A.i{port}"));
            arcs.push(format!("A.o{port} -> B.i{port}"));
            arcs.push(format!("B.o{port} -> A.i{port}"));
        }
        let outputs = format!(
            "out = {{ {} }}\nroute = [{}]\n",
            list(&|port| format!("o{port} = 'int'")),
            list(&|port| format!("'o{port} <- 1'"))
        );
        let node = |name: &str| {
            format!(
                "[graph.g.uc.{name}]\nin = {{ {} }}\nfire = ['{}']\n{outputs}",
                list(&|port| format!("i{port} = 'int'")),
                list(&|port| format!("i{port} -> _x{port}"))
            )
        };
        let (one, other) = (node("A"), node("B"));
        format!(
            "hasse = 1\nmain = 'g'\n[graph.g]\narcs = {arcs:?}\n[graph.g.uc.Open]\nstart = true\n{outputs}{one}{other}"
        )
    }

    /// A name, a program of a size, and whether it has the warning.
    type Case<'c> = (&'c str, &'c dyn Fn(usize) -> String, bool);

    #[test]
    fn cost_is_linear() {
        let cases: [Case<'_>; 3] = [
            ("a chain", &|n| chain(n, false), false),
            ("a ring", &|n| chain(n, true), true),
            ("wide rules", &wide, true),
        ];
        for (what, program, is_found) in cases {
            // More ports than are looked at one by one.
            let [(small, found_in_small), (large, found_in_large)] = [100, 400].map(|n| cost(&program(n)));
            assert_eq!((found_in_small, found_in_large), (is_found, is_found), "{what}");
            assert!(
                small >= 100 && large <= 4 * small + 100,
                "{what}: {small} steps, {large} for four times as much"
            );
        }
    }
}
