//! Values that are sent and that no arc takes: all that a rule sends, a round of its loop, or what one
//! instance sends.

use hasse_model::diagnostic::Diagnostic;
use hasse_model::plan::{Code, Expr, RoutingRule, Send, SlotKind};

use super::space::{Rounds, Space, Values, sends_on};
use super::summary::{ArcSummary, GraphSummary, NodeSummary};

/// Most rounds of a loop that are looked at one by one.
const MOST_ROUNDS: i128 = 16;

/// Checks the sendings of all nodes of a graph.
pub(super) fn check(graph: &GraphSummary, found: &mut Vec<Diagnostic>) {
    let mut space = Space::new(graph);
    for (node_idx, node) in graph.nodes.iter().enumerate().filter(|(_, node)| node.is_unit()) {
        for (rule_idx, route) in node.route.iter().enumerate() {
            for send_idx in 0..route.rule.sends.len() {
                report_uncovered(node_idx, node, (rule_idx, send_idx), &mut space, found);
            }
        }
    }
}

/// Values that are sent and match no arc. A port that no arc leaves is reported as such.
fn report_uncovered(
    node_idx: usize,
    node: &NodeSummary,
    (rule_idx, send_idx): (usize, usize),
    space: &mut Space<'_>,
    found: &mut Vec<Diagnostic>,
) {
    let graph = space.graph;
    let rule = &node.route[rule_idx].rule;
    let send = &rule.sends[send_idx];
    let arcs: Vec<_> = graph.arcs_from_port((node_idx, send.port)).collect();
    let all = space.sent(node, rule_idx, send_idx, Rounds::All).unwrap_or_default();
    if arcs.is_empty() || all.is_empty() {
        return;
    }
    let port = format!("{}.{}", node.name, node.outputs[send.port].name);
    let at = node.route[rule_idx].sends.get(send_idx).map_or(rule.at, |send| send.at);
    let label_arcs = |mut diagnostic: Diagnostic| {
        for arc in arcs.iter().take(3) {
            diagnostic = diagnostic.with_label(arc.at, "leaves the port");
        }
        diagnostic.with_help("draw an arc for it: an event that sends what no arc takes fails")
    };
    if is_unmatched(&all, &arcs, space) {
        let message = format!("no arc takes what this sends on `{port}`");
        found.push(label_arcs(Diagnostic::error("E0307", message, at, "")));
        return;
    }
    let what = uncovered_round(node, (rule_idx, send_idx), &arcs, space)
        .or_else(|| uncovered_by_default(node, (rule_idx, send_idx), &arcs, space))
        .or_else(|| uncovered_instance(node_idx, node, (rule_idx, send_idx), &arcs, space));
    if let Some(what) = what {
        let message = format!("no arc takes {what}");
        found.push(label_arcs(Diagnostic::error("W0309", message, at, "").as_warning()));
    }
}

fn is_unmatched(values: &[Values], arcs: &[&ArcSummary], space: &mut Space<'_>) -> bool {
    !values.is_empty()
        && values.iter().all(|values| arcs.iter().all(|arc| space.carried(arc, values).is_none()))
}

/// The first or last round of the sending's loops, where no arc takes it.
fn uncovered_round(
    node: &NodeSummary,
    (rule_idx, send_idx): (usize, usize),
    arcs: &[&ArcSummary],
    space: &mut Space<'_>,
) -> Option<String> {
    let send = &node.route[rule_idx].rule.sends[send_idx];
    if send.loops.is_empty() {
        return None;
    }
    [(Rounds::First, "first"), (Rounds::Last, "last")].into_iter().find_map(|(rounds, place)| {
        let values = space.sent(node, rule_idx, send_idx, rounds)?;
        is_unmatched(&values, arcs, space).then(|| match element(node, send, &values, space) {
            Some(element) => format!("{element}, which this sends"),
            None => format!("what this sends in the {place} round of its loop"),
        })
    })
}

/// A round of the sending's only loop that no arc takes when the parameters have their defaults, or
/// when no parameters are asked for.
fn uncovered_by_default(
    node: &NodeSummary,
    (rule_idx, send_idx): (usize, usize),
    arcs: &[&ArcSummary],
    space: &mut Space<'_>,
) -> Option<String> {
    let rule = &node.route[rule_idx].rule;
    let send = &rule.sends[send_idx];
    if matches!(rule.guard, Some(Code::Script(_))) {
        return None;
    }
    let (defaults, have_default) = space.defaults();
    let asked = params_of_bounds(send, node)?;
    let is_certain = asked
        .iter()
        .all(|param_idx| space.graph.is_main && have_default.get(*param_idx).copied().unwrap_or(false));
    if !is_certain {
        return None;
    }
    for round in 0..MOST_ROUNDS {
        let mut values = space.sent(node, rule_idx, send_idx, Rounds::Nth(round))?;
        if !asked.is_empty() {
            values.iter_mut().for_each(|values| values.system.and(&defaults));
            values.retain(|values| !values.system.is_impossible());
        }
        if values.is_empty() {
            return None;
        }
        if is_unmatched(&values, arcs, space) {
            let element = element(node, send, &values, space);
            let what = element.map_or("some of what this sends".to_owned(), |element| {
                format!("{element}, which this sends")
            });
            let names = asked.iter().map(|param_idx| format!("`{}`", space.graph.params[*param_idx].name));
            let names = names.collect::<Vec<_>>().join(" and ");
            return Some(if names.is_empty() { what } else { format!("{what} with the default of {names}") });
        }
    }
    None
}

/// Positions of the parameters that the bounds name; `None` where they name anything else.
fn params_of_bounds(send: &Send, node: &NodeSummary) -> Option<Vec<usize>> {
    let mut asked = Vec::new();
    for code in send.loops.iter().flat_map(|looped| [&looped.low, &looped.high]) {
        let Code::Expr(expr) = code else { return None };
        for slot_idx in slots_of(expr) {
            if node.slots.get(slot_idx)?.kind != SlotKind::Param {
                return None;
            }
            asked.push(slot_idx);
        }
    }
    asked.sort_unstable();
    asked.dedup();
    Some(asked)
}

/// Positions of the slots that an expression names.
fn slots_of(expr: &Expr) -> Vec<usize> {
    match expr {
        Expr::Slot(slot) | Expr::Length(slot) => vec![slot.idx()],
        Expr::Negate(operand) | Expr::Not(operand) => slots_of(operand),
        Expr::Binary(_, left, right) => [slots_of(left), slots_of(right)].concat(),
        Expr::Int(_) | Expr::Bool(_) | Expr::Local(_) | Expr::Param(_) => Vec::new(),
    }
}

/// An instance that certainly comes to be and executes, and from which no arc takes what it sends.
fn uncovered_instance(
    node_idx: usize,
    node: &NodeSummary,
    (rule_idx, send_idx): (usize, usize),
    arcs: &[&ArcSummary],
    space: &mut Space<'_>,
) -> Option<String> {
    let graph = space.graph;
    if node.n_indices == 0 || !is_guarded_by_constants(&node.route[rule_idx].rule, node) {
        return None;
    }
    let own = space.sent(node, rule_idx, send_idx, Rounds::All)?;
    for arc in graph.arcs_into(node_idx) {
        let source = &graph.nodes[arc.source.0];
        if !source.is_unit() || !is_enough(node, arc.target.1) {
            continue;
        }
        for (rule, send) in sends_on(source, arc.source.1) {
            for rounds in [Rounds::First, Rounds::Last] {
                let created = space.sent(source, rule, send, rounds).unwrap_or_default();
                let created: Vec<_> =
                    created.iter().filter_map(|values| space.carried(arc, values)).collect();
                let mut values = Vec::new();
                for (own, creation) in
                    own.iter().flat_map(|own| created.iter().map(move |creation| (own, creation)))
                {
                    let mut system = own.system.joined(&creation.system);
                    own.index
                        .iter()
                        .zip(&creation.index)
                        .for_each(|(left, right)| system.is_equal(left, right));
                    if !system.is_impossible() {
                        values.push(Values { system, ..own.clone() });
                    }
                }
                if is_unmatched(&values, arcs, space) {
                    let index = created.first()?.index.iter().map(|form| space.spelled(form));
                    let index: Option<Vec<_>> = index.collect();
                    return Some(match index {
                        Some(index) => {
                            format!("what the instance `{}[{}]` sends here", node.name, index.join(", "))
                        }
                        None => format!("what some instances of `{}` send here", node.name),
                    });
                }
            }
        }
    }
    None
}

/// Whether a value on the port alone makes an instance execute.
fn is_enough(node: &NodeSummary, port_idx: usize) -> bool {
    node.fire.iter().any(|fire| {
        fire.rule.guard.is_none()
            && matches!(&fire.rule.takes[..], [take] if take.port == port_idx && take.loops.is_empty())
    })
}

fn is_guarded_by_constants(rule: &RoutingRule, node: &NodeSummary) -> bool {
    match &rule.guard {
        None => true,
        Some(Code::Script(_)) => false,
        Some(Code::Expr(expr)) => slots_of(expr)
            .into_iter()
            .all(|slot_idx| matches!(node.slots[slot_idx].kind, SlotKind::Param | SlotKind::Index)),
    }
}

/// The element of the output port, where its index can be written down.
fn element(node: &NodeSummary, send: &Send, values: &[Values], space: &Space<'_>) -> Option<String> {
    let first = values.first().filter(|values| !values.elements.is_empty())?;
    let spelled: Option<Vec<_>> = first.elements.iter().map(|form| space.spelled(form)).collect();
    spelled.map(|numbers| format!("`{}.{}[{}]`", node.name, node.outputs[send.port].name, numbers.join(", ")))
}
