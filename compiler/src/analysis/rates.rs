//! Rates of synchronous dataflow: two ways to a node on which different numbers of values come.
//!
//! A node with one firing rule takes and sends fixed numbers of values in each event. For an arc, the values sent in all events of its
//! source must be those taken in all events of its target, or some are left. These balance equations (Lee and Messerschmitt 1987,
//! "Static Scheduling of Synchronous Data Flow Programs", section III) have a solution for any tree of arcs; an arc that closes a
//! cycle may contradict it. Loops are counted with the defaults of the parameters. Cost: linear in the arcs.

use std::collections::VecDeque;

use hasse_model::diagnostic::Diagnostic;
use hasse_model::plan::{BinaryOp, Code, Expr, FiringRule, Loop, SlotKind};

use super::summary::{GraphSummary, NodeSummary, PortSummary, Summary};

/// A positive fraction in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fraction {
    numerator: i128,
    denominator: i128,
}

impl Fraction {
    const ONE: Self = Self { numerator: 1, denominator: 1 };

    /// `self * numerator / denominator`; `None` beyond what can be computed.
    fn times(self, numerator: i128, denominator: i128) -> Option<Self> {
        let (numerator, denominator) =
            (self.numerator.checked_mul(numerator)?, self.denominator.checked_mul(denominator)?);
        let divisor = greatest_divisor(numerator, denominator);
        Some(Self { numerator: numerator / divisor, denominator: denominator / divisor })
    }
}

fn greatest_divisor(mut one: i128, mut other: i128) -> i128 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one.max(1)
}

/// An arc between nodes with fixed rates.
struct Way {
    arc_idx: usize,
    source: usize,
    target: usize,
    n_sent: i128,
    n_taken: i128,
}

/// Reports arcs whose rates contradict those of others.
pub(super) fn check(summary: &Summary, found: &mut Vec<Diagnostic>) {
    for graph in &summary.graphs {
        // Values may be left where a stop node ends the program.
        if graph.nodes.iter().all(|node| node.stop.is_none()) {
            check_graph(graph, found);
        }
    }
}

fn check_graph(graph: &GraphSummary, found: &mut Vec<Diagnostic>) {
    let ways: Vec<Way> = (0..graph.arcs.len()).filter_map(|arc_idx| way(graph, arc_idx)).collect();
    let mut ways_of: Vec<Vec<usize>> = vec![Vec::new(); graph.nodes.len()];
    for (way_idx, way) in ways.iter().enumerate() {
        ways_of[way.source].push(way_idx);
        ways_of[way.target].push(way_idx);
    }
    let mut executions: Vec<Option<Fraction>> = vec![None; graph.nodes.len()];
    for first in 0..graph.nodes.len() {
        if executions[first].is_some() {
            continue;
        }
        executions[first] = Some(Fraction::ONE);
        let mut open = VecDeque::from([first]);
        while let Some(node) = open.pop_front() {
            let Some(own) = executions[node] else { continue };
            for way in ways_of[node].iter().map(|way_idx| &ways[*way_idx]) {
                let other = if way.source == node { way.target } else { way.source };
                let expected = match way.source == node {
                    true => own.times(way.n_sent, way.n_taken),
                    false => own.times(way.n_taken, way.n_sent),
                };
                let Some(expected) = expected else { continue };
                if executions[other].is_none() {
                    executions[other] = Some(expected);
                    open.push_back(other);
                }
            }
        }
    }
    // The first arc that contradicts says enough of its cycle.
    let contradicts = |way: &&Way| {
        let (Some(source), Some(target)) = (executions[way.source], executions[way.target]) else {
            return false;
        };
        source.times(way.n_sent, way.n_taken).is_some_and(|expected| expected != target)
    };
    if let Some(way) = ways.iter().find(contradicts) {
        report(graph, way, (executions[way.source], executions[way.target]), found);
    }
}

fn report(
    graph: &GraphSummary,
    way: &Way,
    executions: (Option<Fraction>, Option<Fraction>),
    found: &mut Vec<Diagnostic>,
) {
    let arc = &graph.arcs[way.arc_idx];
    let (source, target) = (&graph.nodes[way.source], &graph.nodes[way.target]);
    let (Some(one), Some(other)) = executions else { return };
    // Executions of both in whole numbers, as the other arcs between them demand.
    let Some(ratio) = one.times(other.denominator, other.numerator) else { return };
    let (n_source, n_target) = (ratio.numerator, ratio.denominator);
    let (Some(n_sent), Some(n_taken)) = (n_source.checked_mul(way.n_sent), n_target.checked_mul(way.n_taken))
    else {
        return;
    };
    let port = format!("`{}.{}`", target.name, target.inputs[arc.target.1].name);
    let message = format!(
        "rates do not fit: {} of `{}` send {n_sent} to {port}, and {} of `{}` take {n_taken}",
        events(n_source),
        source.name,
        events(n_target),
        target.name
    );
    let help = match n_sent > n_taken {
        true if way.source == way.target => {
            "values accumulate on this port, as the node sends itself more than it takes"
        }
        true => {
            "the other arcs between the two nodes balance at these rates, so values accumulate on this port"
        }
        false if way.source == way.target => {
            "the node sends itself fewer values than it takes, so it comes to an end when the first ones are used up"
        }
        false => {
            "the other arcs between the two nodes balance at these rates, so values accumulate on their ports"
        }
    };
    found.push(Diagnostic::error("W0315", message, arc.at, "").as_warning().with_help(help));
}

fn events(number: i128) -> String {
    if number == 1 { "1 event".to_owned() } else { format!("{number} events") }
}

/// An arc that carries all values of its source to a port that nothing else feeds.
fn way(graph: &GraphSummary, arc_idx: usize) -> Option<Way> {
    let arc = &graph.arcs[arc_idx];
    let ((source_idx, output), (target_idx, input)) = (arc.source, arc.target);
    let (source, target) = (&graph.nodes[source_idx], &graph.nodes[target_idx]);
    let is_plain = |node: &NodeSummary| node.is_unit() && node.n_indices == 0;
    // Initial values, and those of start nodes, are sent once: they change no rate.
    let comes_once = |idx: usize| graph.nodes[idx].fire.is_empty() && graph.nodes[idx].start.is_some();
    let feeders = graph.arcs_into_port(arc.target);
    let n_feeders =
        feeders.filter(|feeder| feeder.source.0 == source_idx || !comes_once(feeder.source.0)).count();
    let n_all = graph.arcs_into_port(arc.target).count();
    let is_alone = n_feeders == 1 && (n_all == 1 || !comes_once(source_idx));
    let port = &target.inputs[input];
    // A start node with a firing rule sends once more than it takes.
    let is_fit = is_plain(source)
        && is_plain(target)
        && is_alone
        && target.start.is_none()
        && !port.may_be_left
        && port.n_indices == 0;
    if !is_fit {
        return None;
    }
    let [fire] = &target.fire[..] else { return None };
    let has_one_way_to_fire = matches!(&source.fire[..], [rule] if rule.rule.guard.is_none())
        || source.fire.is_empty() && source.start.is_some();
    if fire.rule.guard.is_some() || !has_one_way_to_fire {
        return None;
    }
    if fire.rule.takes.iter().any(|take| take.is_up_to) || fire.rule.after.is_some() {
        return None;
    }
    let taken = fire.rule.takes.iter().filter(|take| take.port == input);
    let mut rounds = taken.map(|take| n_rounds(graph, target, &take.loops));
    let n_taken = rounds.try_fold(0_i128, |sum, rounds| sum.checked_add(rounds?))?;
    let mut n_sent = 0_i128;
    for route in source.route.iter().filter(|route| !route.rule.on_error) {
        for send in route.rule.sends.iter().filter(|send| send.port == output) {
            if route.rule.guard.is_some() {
                return None;
            }
            let bound = |code: &Code| match code {
                Code::Expr(expr) => Some(expr.clone()),
                Code::Script(_) => None,
            };
            let range = |range: &Loop<Code>| {
                let (low, high) = (bound(&range.low)?, bound(&range.high)?);
                Some(Loop { name: range.name.clone(), low, high })
            };
            let loops: Vec<Loop<Expr>> = send.loops.iter().map(range).collect::<Option<_>>()?;
            n_sent = n_rounds(graph, source, &loops)?.checked_add(n_sent)?;
        }
    }
    // Nodes that handle errors may send less.
    let handles_errors = source.route.iter().any(|route| route.rule.on_error);
    let is_rate = n_sent > 0 && n_taken > 0 && !handles_errors;
    is_rate.then_some(Way { arc_idx, source: source_idx, target: target_idx, n_sent, n_taken })
}

/// Values that a firing rule takes from one port or element, and how many of them may wait there at most: the first port where that are
/// fewer, with the defaults of the parameters.
pub(super) fn beyond_bound<'n>(
    graph: &GraphSummary,
    node: &'n NodeSummary,
    rule: &FiringRule,
) -> Option<(&'n PortSummary, i128, i128)> {
    rule.takes.iter().filter(|take| !take.is_up_to).find_map(|take| {
        let port = &node.inputs[take.port];
        let is_one_element = take.elements.iter().all(|element| constant(graph, node, element).is_some());
        let bound = default_of(graph, graph.params.len(), port.bound.as_ref().filter(|_| is_one_element)?)?;
        let n_taken = n_rounds(graph, node, &take.loops)?;
        (n_taken > bound).then_some((port, n_taken, bound))
    })
}

/// Total number of iterations of nested loops, with the defaults of the parameters.
fn n_rounds(graph: &GraphSummary, node: &NodeSummary, loops: &[Loop<Expr>]) -> Option<i128> {
    let length = |range: &Loop<Expr>| {
        let (low, high) = (constant(graph, node, &range.low)?, constant(graph, node, &range.high)?);
        Some(high.checked_sub(low)?.max(0))
    };
    loops.iter().try_fold(1_i128, |product, range| product.checked_mul(length(range)?))
}

/// The value of an expression over parameters with defaults.
fn constant(graph: &GraphSummary, node: &NodeSummary, expr: &Expr) -> Option<i128> {
    match expr {
        Expr::Int(number) => Some(i128::from(*number)),
        Expr::Slot(slot) => {
            let slot = node.slots.get(slot.idx()).filter(|slot| slot.kind == SlotKind::Param)?;
            let (param_idx, param) =
                graph.params.iter().enumerate().find(|(_, param)| param.name == slot.name)?;
            default_of(graph, param_idx, param.default.as_ref()?)
        }
        Expr::Negate(inner) => constant(graph, node, inner)?.checked_neg(),
        Expr::Binary(op, one, other) => {
            compute(*op, constant(graph, node, one)?, constant(graph, node, other)?)
        }
        Expr::Bool(_) | Expr::Local(_) | Expr::Param(_) | Expr::Length(_) | Expr::Not(_) => None,
    }
}

/// The value of the default of a parameter, which may name those before it.
fn default_of(graph: &GraphSummary, param_idx: usize, expr: &Expr) -> Option<i128> {
    match expr {
        Expr::Int(number) => Some(i128::from(*number)),
        Expr::Param(other) => {
            let other = usize::try_from(*other).ok().filter(|other| *other < param_idx)?;
            default_of(graph, other, graph.params[other].default.as_ref()?)
        }
        Expr::Negate(inner) => default_of(graph, param_idx, inner)?.checked_neg(),
        Expr::Binary(op, one, other) => {
            compute(*op, default_of(graph, param_idx, one)?, default_of(graph, param_idx, other)?)
        }
        Expr::Bool(_) | Expr::Slot(_) | Expr::Local(_) | Expr::Length(_) | Expr::Not(_) => None,
    }
}

fn compute(op: BinaryOp, one: i128, other: i128) -> Option<i128> {
    match op {
        BinaryOp::Add => one.checked_add(other),
        BinaryOp::Subtract => one.checked_sub(other),
        BinaryOp::Multiply => one.checked_mul(other),
        BinaryOp::Divide => one.checked_div(other),
        BinaryOp::Remainder => one.checked_rem(other),
        _ => None,
    }
}
