//! Arcs that no value takes, and arcs that carry the same value to one port.

use std::collections::HashMap;

use hasse_model::diagnostic::Diagnostic;
use hasse_model::plan::Pattern;

use super::space::{Space, Values, sends_on};
use super::summary::{ArcSummary, GraphSummary};

/// A port of a node, by the positions of both.
type PortPosition = (usize, usize);

/// Checks the arcs of a graph.
pub(super) fn check(graph: &GraphSummary, found: &mut Vec<Diagnostic>) {
    let mut space = Space::new(graph);
    let mut between: HashMap<(PortPosition, PortPosition), Vec<&ArcSummary>> = HashMap::new();
    for arc in &graph.arcs {
        let earlier = between.entry((arc.source, arc.target)).or_default();
        if !report_vain(arc, &mut space, found) {
            report_overlap(earlier, arc, &mut space, found);
        }
        earlier.push(arc);
    }
}

/// An arc that no value ever takes, although values leave its port.
fn report_vain(arc: &ArcSummary, space: &mut Space<'_>, found: &mut Vec<Diagnostic>) -> bool {
    let source = &space.graph.nodes[arc.source.0];
    let is_vain = !space.leaving(arc.source).is_empty() && space.is_vain(arc);
    let sends: Vec<_> = sends_on(source, arc.source.1)
        .into_iter()
        .filter_map(|(rule_idx, send_idx)| source.route[rule_idx].sends.get(send_idx))
        .map(|send| send.at)
        .collect();
    if is_vain {
        let port = format!("{}.{}", source.name, source.outputs[arc.source.1].name);
        let message = format!("no value sent on `{port}` ever takes this arc");
        let mut diagnostic = Diagnostic::error("W0311", message, arc.at, "").as_warning();
        for at in sends.into_iter().take(3) {
            diagnostic = diagnostic.with_label(at, "sends on the port");
        }
        let help = "compare the index numbers on its left with those of the instances and elements that send";
        found.push(diagnostic.with_help(help));
    }
    is_vain
}

/// An earlier arc between the same ports that delivers the same values.
fn report_overlap(
    earlier: &[&ArcSummary],
    arc: &ArcSummary,
    space: &mut Space<'_>,
    found: &mut Vec<Diagnostic>,
) {
    for earlier in earlier.iter().filter(|earlier| may_be_decided(earlier, arc)) {
        let sent = space.leaving(arc.source);
        let is_twice = sent.iter().any(|values| {
            let Some(first) = space.carried(earlier, values) else { return false };
            let both = Values { system: first.system.clone(), ..values.clone() };
            let Some(second) = space.carried(arc, &both) else { return false };
            are_always_equal(&first, &second)
        });
        if is_twice {
            let message =
                "this arc carries values that another arc carries to the same port already".to_owned();
            let help = "remove one of the two, or let their index numbers exclude each other";
            let diagnostic = Diagnostic::error("W0310", message, arc.at, "").as_warning();
            found.push(diagnostic.with_label(earlier.at, "the other arc").with_help(help));
            return;
        }
    }
}

/// Whether no parameter decides if two arcs match the same value.
fn may_be_decided(left: &ArcSummary, right: &ArcSummary) -> bool {
    let index = left.source_index.iter().zip(&right.source_index);
    index.chain(left.source_elements.iter().zip(&right.source_elements)).all(|pair| match pair {
        (Pattern::Param(left), Pattern::Param(right)) => left == right,
        (Pattern::Param(_), Pattern::Int(_)) | (Pattern::Int(_), Pattern::Param(_)) => false,
        _ => true,
    })
}

fn are_always_equal(left: &Values, right: &Values) -> bool {
    let forms = left.index.iter().zip(&right.index).chain(left.elements.iter().zip(&right.elements));
    forms.into_iter().all(|(left_form, right_form)| {
        [(left_form, right_form), (right_form, left_form)].into_iter().all(|(low, high)| {
            let mut system = right.system.clone();
            system.is_less(low, high);
            system.is_impossible()
        })
    })
}
