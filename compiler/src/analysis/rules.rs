//! Rules that never apply because their guards cannot hold, and rules that say the same twice.

use hasse_model::diagnostic::Diagnostic;

use super::rates::beyond_bound;
use super::space::{Space, When};
use super::summary::{GraphSummary, NodeSummary};

/// Checks the rules of all nodes of a graph.
pub(super) fn check(graph: &GraphSummary, found: &mut Vec<Diagnostic>) {
    let mut space = Space::new(graph);
    for node in graph.nodes.iter().filter(|node| node.is_unit()) {
        report_guards(node, &mut space, found);
        report_bounds(graph, node, found);
        report_equal_firing_rules(node, found);
        report_equal_sends(node, found);
    }
}

fn report_guards(node: &NodeSummary, space: &mut Space<'_>, found: &mut Vec<Diagnostic>) {
    for (rule_idx, fire) in node.fire.iter().enumerate() {
        if fire.rule.guard.is_some() && !space.may_hold(node, rule_idx, When::Firing) {
            let message =
                format!("this firing rule of `{}` can never be enabled: its guard never holds", node.name);
            found.push(with_constants(
                Diagnostic::error("W0401", message, fire.rule.at, "").as_warning(),
                node,
                &fire.guard_text,
            ));
        }
    }
    for (rule_idx, route) in node.route.iter().enumerate() {
        if !space.may_send(node, rule_idx) {
            let what =
                if route.rule.guard.is_some() { "its guard never holds" } else { "its loops have no rounds" };
            let message = format!("this routing rule of `{}` never sends: {what}", node.name);
            found.push(with_constants(
                Diagnostic::error("W0402", message, route.rule.at, "").as_warning(),
                node,
                &route.guard_text,
            ));
        }
    }
}

/// Reports rules that take more values than may wait.
fn report_bounds(graph: &GraphSummary, node: &NodeSummary, found: &mut Vec<Diagnostic>) {
    for fire in &node.fire {
        if let Some((port, n_taken, bound)) = beyond_bound(graph, node, &fire.rule) {
            let message = format!(
                "this firing rule of `{}` can never be enabled: it takes {n_taken} values of `{}`, where at most {bound} may wait",
                node.name, port.name
            );
            let help = format!("let as many wait, `bound = {n_taken}`, or take fewer at a time");
            let diagnostic = Diagnostic::error("W0401", message, fire.rule.at, "").as_warning();
            found.push(diagnostic.with_label(port.at, "the bound is that of this port").with_help(help));
        }
    }
}

/// Points at the vars in a guard that nothing assigns.
fn with_constants(mut diagnostic: Diagnostic, node: &NodeSummary, guard: &str) -> Diagnostic {
    let is_in_guard = |name: &str| guard.split(' ').any(|word| word == name);
    for var in node.vars.iter().filter(|var| !var.is_assigned && is_in_guard(&var.name)) {
        let text = format!("nothing ever assigns `{}`", var.name);
        diagnostic = diagnostic.with_label(var.at, text);
    }
    let help = "no values of the names in it make it true; compare it with those of the node's other rules";
    diagnostic.with_help(help)
}

fn report_equal_firing_rules(node: &NodeSummary, found: &mut Vec<Diagnostic>) {
    for (later_idx, later) in node.fire.iter().enumerate() {
        let is_same = |earlier: &&super::summary::FireSummary| {
            earlier.takes_text == later.takes_text && earlier.guard_text == later.guard_text
        };
        let Some(earlier) = node.fire[..later_idx].iter().find(is_same) else { continue };
        let (message, help) = if node.prefers {
            let message =
                format!("this firing rule of `{}` is never taken: an earlier one is preferred", node.name);
            (message, "whenever it is enabled, so is the earlier one: give that a guard, or remove one")
        } else if earlier.binds_text == later.binds_text {
            let message = format!("`{}` has this firing rule twice", node.name);
            (message, "remove one: which of the two is taken makes no difference but for `rule`")
        } else {
            let message = format!(
                "whenever this firing rule of `{}` is enabled, so is an earlier one that takes the same values",
                node.name
            );
            (message, "which of the two is taken is left to chance: give them guards that exclude each other")
        };
        let diagnostic = Diagnostic::error("W0403", message, later.rule.at, "").as_warning();
        found.push(diagnostic.with_label(earlier.rule.at, "the earlier one is here").with_help(help));
    }
}

fn report_equal_sends(node: &NodeSummary, found: &mut Vec<Diagnostic>) {
    let sends: Vec<_> = node
        .route
        .iter()
        .flat_map(|route| {
            let when = (&route.guard_text, route.rule.on_error);
            route.sends.iter().map(move |send| (when, &send.text, send.at))
        })
        .collect();
    for (later_idx, (when, text, at)) in sends.iter().enumerate() {
        let mut earlier = sends[..later_idx].iter();
        let Some((.., earlier_at)) =
            earlier.find(|(other_when, other, _)| other_when == when && other == text)
        else {
            continue;
        };
        let message = format!("`{}` sends the same value twice here", node.name);
        let help = "each arc carries a copy of a value: one sending reaches all nodes that an arc leads to";
        let diagnostic = Diagnostic::error("W0404", message, *at, "").as_warning();
        found.push(diagnostic.with_label(*earlier_at, "the first time is here").with_help(help));
    }
}
