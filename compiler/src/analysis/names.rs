//! Names that serve no purpose: parameters, vars and bound names that nothing reads, vars that nothing
//! assigns; and different names that look alike.

use std::collections::BTreeMap;

use hasse_model::diagnostic::{Diagnostic, Location};
use unicode_security::skeleton;

use super::space::sends_on;
use super::summary::{BoundSummary, GraphSummary, NodeSummary, VarSummary};

/// Checks the names of a graph and its nodes.
pub(super) fn check(graph: &GraphSummary, found: &mut Vec<Diagnostic>) {
    for param in graph.params.iter().filter(|param| !param.is_named && !param.name.starts_with('_')) {
        let message = format!("nothing uses the parameter `{}` of `{}`", param.name, graph.name);
        found.push(Diagnostic::error("W0101", message, param.at, "").as_warning());
    }
    let nodes = graph.nodes.iter().map(|node| (node.name.as_str(), node.at));
    report_look_alikes(nodes, found);
    for (node_idx, node) in graph.nodes.iter().enumerate() {
        for ports in [&node.inputs, &node.outputs] {
            report_look_alikes(ports.iter().map(|port| (port.name.as_str(), port.at)), found);
        }
        report_look_alikes(
            node.slots.iter().map(|slot| (slot.name.as_str(), place_of(&slot.name, node, graph))),
            found,
        );
        node.vars.iter().for_each(|var| report_var(node, var, found));
        for bound in &node.bound {
            report_bound(node_idx, node, bound, graph, found);
        }
    }
}

/// The place where a name that rules see is declared, as far as that is known.
fn place_of(name: &str, node: &NodeSummary, graph: &GraphSummary) -> Location {
    let vars = node.vars.iter().map(|var| (&var.name, var.at));
    let bound = node.bound.iter().map(|bound| (&bound.name, bound.at));
    let params = graph.params.iter().map(|param| (&param.name, param.at));
    let mut known = vars.chain(bound).chain(params);
    known.find(|(known, _)| *known == name).map_or(node.at, |(_, at)| at)
}

/// Names of one name space that nobody can tell apart (UTS #39, section 4). Those of ASCII letters alone are what people write,
/// `l1` next to `ll`.
fn report_look_alikes<'n>(names: impl Iterator<Item = (&'n str, Location)>, found: &mut Vec<Diagnostic>) {
    let names: Vec<(&str, Location)> = names.collect();
    if names.iter().all(|(name, _)| name.is_ascii()) {
        return;
    }
    let mut first_of: BTreeMap<String, &str> = BTreeMap::new();
    for (name, at) in names {
        let first = *first_of.entry(skeleton(name).collect()).or_insert(name);
        if first == name || first.is_ascii() && name.is_ascii() {
            continue;
        }
        let message = format!("`{name}` looks like `{first}`, and is another name");
        let help = "their letters are of different scripts: write one of them otherwise";
        let diagnostic = Diagnostic::error("W0105", message, at, "").as_warning().with_help(help);
        if !found.contains(&diagnostic) {
            found.push(diagnostic);
        }
    }
}

fn report_var(node: &NodeSummary, var: &VarSummary, found: &mut Vec<Diagnostic>) {
    let name = &var.name;
    if !var.is_read && !name.starts_with('_') {
        let what = if var.is_assigned { "assigns the var" } else { "does not use the var" };
        let message = match var.is_assigned {
            true => format!("`{}` {what} `{name}`, but nothing ever reads it", node.name),
            false => format!("`{}` {what} `{name}`", node.name),
        };
        found.push(Diagnostic::error("W0102", message, var.at, "").as_warning());
    } else if var.is_read && !var.is_assigned && !var.has_default {
        let message = format!("nothing ever assigns the var `{name}` of `{}`", node.name);
        let help = format!(
            "it always holds the default of its type: assign it in `do`, or give it a value, `{name} = \"TYPE = VALUE\"`"
        );
        found.push(Diagnostic::error("W0103", message, var.at, "").as_warning().with_help(help));
    }
}

/// A bound name that is never used, although what is bound was computed. Values that say nothing but
/// that they came are signals and need not be used.
fn report_bound(
    node_idx: usize,
    node: &NodeSummary,
    bound: &BoundSummary,
    graph: &GraphSummary,
    found: &mut Vec<Diagnostic>,
) {
    if bound.is_read || bound.name.starts_with('_') {
        return;
    }
    let arcs = graph.arcs_into(node_idx).filter(|arc| bound.ports.contains(&arc.target.1));
    let brings_data = arcs.into_iter().any(|arc| {
        let source = &graph.nodes[arc.source.0];
        let mut sends = sends_on(source, arc.source.1).into_iter();
        sends.any(|(rule, send)| source.route[rule].sends.get(send).is_some_and(|send| !send.is_signal))
    });
    if brings_data {
        let message = format!("`{}` binds `{}`, but never uses it", node.name, bound.name);
        let help = format!("if the value does not matter, only that it came, bind it to `_{}`", bound.name);
        found.push(Diagnostic::error("W0104", message, bound.at, "").as_warning().with_help(help));
    }
}
