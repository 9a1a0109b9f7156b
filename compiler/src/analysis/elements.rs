//! Families of ports: elements that a firing rule waits for and nothing feeds, and elements that are
//! fed and no firing rule takes from.
//!
//! Of a loop the first and the last round are looked at: that is where index maps are off by one.

use hasse_model::diagnostic::Diagnostic;

use super::space::{DEPTH, Rounds, Space, Values, sends_on, takes_on};
use super::summary::{ArcSummary, GraphSummary, NodeSummary};

/// Checks the families of all nodes of a graph.
pub(super) fn check(graph: &GraphSummary, found: &mut Vec<Diagnostic>) {
    let mut space = Space::new(graph);
    for (node_idx, node) in graph.nodes.iter().enumerate().filter(|(_, node)| node.is_unit()) {
        report_missing(node_idx, node, &mut space, found);
    }
    for arc in &graph.arcs {
        report_left(arc, &mut space, found);
    }
}

/// Elements that a firing rule needs and that nothing feeds. Ports that no arc leads to are reported
/// as such.
fn report_missing(node_idx: usize, node: &NodeSummary, space: &mut Space<'_>, found: &mut Vec<Diagnostic>) {
    for (rule_idx, fire) in node.fire.iter().enumerate() {
        for (take_idx, take) in fire.rule.takes.iter().enumerate() {
            let target = (node_idx, take.port);
            if node.inputs[take.port].n_indices == 0 {
                continue;
            }
            let has_arc = space.graph.arcs_into_port(target).next().is_some();
            let Some(missing) = missing(node, rule_idx, take_idx, target, space).filter(|_| has_arc) else {
                continue;
            };
            let port = &node.inputs[take.port].name;
            let message = match missing.elements(space) {
                Some(element) => {
                    format!(
                        "this firing rule of `{}` needs `{port}[{element}]`, which nothing ever feeds",
                        node.name
                    )
                }
                None => {
                    format!(
                        "this firing rule of `{}` needs values of `{port}` that nothing ever feeds",
                        node.name
                    )
                }
            };
            let mut diagnostic = Diagnostic::error("W0313", message, fire.rule.at, "").as_warning();
            let arcs = space.graph.arcs_into_port(target).take(3);
            for arc in arcs {
                diagnostic = diagnostic.with_label(arc.at, "feeds the port");
            }
            let help = "compare the index numbers of the rule with those of the arcs and of what is sent";
            found.push(diagnostic.with_help(help));
            break;
        }
    }
}

/// One element in trouble.
struct Trouble(Vec<Values>);

impl Trouble {
    /// Its index, where it is the same in all alternatives and can be written down.
    fn elements(&self, space: &Space<'_>) -> Option<String> {
        let first = self.0.first()?;
        if first.elements.is_empty() || self.0.iter().any(|values| values.elements != first.elements) {
            return None;
        }
        let spelled: Option<Vec<_>> = first.elements.iter().map(|form| space.spelled(form)).collect();
        spelled.map(|numbers| numbers.join(", "))
    }
}

/// What the binding needs and nothing feeds.
fn missing(
    node: &NodeSummary,
    rule_idx: usize,
    take_idx: usize,
    target: (usize, usize),
    space: &mut Space<'_>,
) -> Option<Trouble> {
    let take = &node.fire[rule_idx].rule.takes[take_idx];
    let all_rounds: &[Rounds] =
        if take.loops.is_empty() { &[Rounds::All] } else { &[Rounds::First, Rounds::Last] };
    let arrivals = space.arrivals_at(target, DEPTH)?;
    // Arcs that carry nothing at all are reported as such.
    if arrivals.is_empty() {
        return None;
    }
    all_rounds.iter().find_map(|rounds| {
        let wanted = space.taken(node, rule_idx, take_idx, *rounds)?;
        let is_fed = wanted.iter().any(|wanted| arrivals.iter().any(|arriving| wanted.may_meet(arriving)));
        (!wanted.is_empty() && !is_fed).then_some(Trouble(wanted))
    })
}

/// Elements that an arc feeds and no firing rule takes from. Ports that no firing rule names are
/// reported as such.
fn report_left(arc: &ArcSummary, space: &mut Space<'_>, found: &mut Vec<Diagnostic>) {
    let graph = space.graph;
    let (source, target) = (&graph.nodes[arc.source.0], &graph.nodes[arc.target.0]);
    let takes = takes_on(target, arc.target.1);
    if !target.is_unit() || !source.is_unit() || takes.is_empty() {
        return;
    }
    let taken: Vec<_> = takes
        .into_iter()
        .flat_map(|(rule_idx, take_idx)| {
            space.taken(target, rule_idx, take_idx, Rounds::All).unwrap_or_default()
        })
        .collect();
    if taken.is_empty() {
        return;
    }
    for (rule_idx, send_idx) in sends_on(source, arc.source.1) {
        let has_loops = !source.route[rule_idx].rule.sends[send_idx].loops.is_empty();
        let all_rounds: &[Rounds] =
            if has_loops { &[Rounds::All, Rounds::First, Rounds::Last] } else { &[Rounds::All] };
        for rounds in all_rounds {
            let sent = space.sent(source, rule_idx, send_idx, *rounds).unwrap_or_default();
            let arriving: Vec<_> = sent.iter().filter_map(|values| space.carried(arc, values)).collect();
            let is_taken = arriving.iter().any(|values| taken.iter().any(|taken| taken.may_meet(values)));
            if arriving.is_empty() || is_taken {
                continue;
            }
            let port = &target.inputs[arc.target.1].name;
            let what = match Trouble(arriving).elements(space) {
                Some(element) => format!("`{}.{port}[{element}]`", target.name),
                None if graph.nodes[arc.target.0].inputs[arc.target.1].n_indices > 0 => {
                    format!("elements of `{}.{port}`", target.name)
                }
                None => format!("`{}.{port}` of instances", target.name),
            };
            let message = format!("this arc feeds {what} that no firing rule ever takes from");
            let send_at = source.route[rule_idx].sends.get(send_idx).map(|send| send.at);
            let mut diagnostic = Diagnostic::error("W0312", message, arc.at, "").as_warning();
            if let Some(at) = send_at {
                diagnostic = diagnostic.with_label(at, "sent here");
            }
            let help =
                "the values stay on the port; compare the index numbers with those of the firing rules";
            found.push(diagnostic.with_help(help));
            return;
        }
    }
}
