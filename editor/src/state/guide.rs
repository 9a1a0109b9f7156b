//! Hints: the next step towards the first run of a program that was opened empty.

use hasse_compiler::{GraphOutline, NodeKind, NodeOutline, PortKind, PortOutline};
use hasse_model::name::is_of_name;
use toml_edit::TableLike;

use super::editor::Editor;

impl Editor {
    /// The next step in drawing a program that was opened empty and has not run in this window: for the selected node,
    /// else for the node added last, else for the first incomplete one. In other programs only for nodes that were added
    /// and not edited since.
    pub fn hint(&self) -> Option<String> {
        if self.drawn.is_readable() && self.drawn.graphs().iter().all(|graph| graph.nodes.is_empty()) {
            return Some(
                "Next: press A and choose a start unit, which executes when the program starts.".to_owned(),
            );
        }
        let graph = self.drawn.graph(&self.graph)?;
        let is_fresh =
            |name: &str| self.fresh.iter().any(|fresh| fresh.graph == self.graph && fresh.name == name);
        let is_selected = |name: &str| self.selection.nodes.len() == 1 && self.selection.nodes.contains(name);
        let selected = graph.nodes.iter().find(|node| is_selected(&node.name));
        let latest = self.fresh.iter().rev().find(|fresh| fresh.graph == self.graph);
        let latest = latest.and_then(|fresh| graph.nodes.iter().find(|node| node.name == fresh.name));
        let first = selected.into_iter().chain(latest);
        if !self.is_guided {
            let mut fresh = first.filter(|node| is_fresh(&node.name));
            return fresh.find_map(|node| self.next_step(graph, node));
        }
        let step = first.chain(&graph.nodes).find_map(|node| self.next_step(graph, node));
        step.or_else(|| {
            let has_start =
                graph.nodes.iter().any(|node| matches!(node.kind, NodeKind::Unit { is_start: true, .. }));
            match (graph.is_main, has_start, self.problem_counts()) {
                (true, false, _) => Some(
                    "Next: press A and choose a start unit, which executes when the program starts."
                        .to_owned(),
                ),
                (_, _, [0, _]) => Some("Next: press F5 to run the program.".to_owned()),
                _ => None,
            }
        })
    }

    /// Ends the hints: the program runs.
    pub fn note_run(&mut self) {
        if std::mem::take(&mut self.is_guided) {
            self.changed();
        }
    }

    /// Starts the hints if the program has no nodes.
    pub(super) fn guide_empty(&mut self) {
        self.is_guided =
            self.drawn.is_readable() && self.drawn.graphs().iter().all(|graph| graph.nodes.is_empty());
    }

    /// The next step for a node; `None` if it is complete.
    fn next_step(&self, graph: &GraphOutline, node: &NodeOutline) -> Option<String> {
        let name = &node.name;
        let is_linked = |port: &str| {
            graph.links.iter().any(|link| {
                [&link.source, &link.target]
                    .iter()
                    .any(|end| end.node == *name && (port.is_empty() || end.port == port))
            })
        };
        match &node.kind {
            NodeKind::Unit { is_start, .. } => {
                let held = self.drawn.tables().get("graph")?.get(&graph.name)?.get("uc")?.get(name)?;
                unit_step(node, held.as_table_like()?, *is_start, is_linked)
            }
            _ if is_linked("") => None,
            NodeKind::Call(_) => {
                Some(format!("Next: connect the ports of {name}. Enter or a double click opens its graph."))
            }
            NodeKind::Shared(_) => Some(format!("Next: drag from {name} to the nodes that use it.")),
            NodeKind::Output(_) if graph.is_main => Some(format!(
                "Next: remove {name}. The output of a program is set in a body, by result(\"total\", total)."
            )),
            NodeKind::Input(_) | NodeKind::Output(_) | NodeKind::InOut(_) | NodeKind::Missing => {
                Some(format!("Next: connect {name}."))
            }
        }
    }
}

/// The next step for a unit of computation, in the order of drawing; `None` if it is complete.
fn unit_step(
    node: &NodeOutline,
    held: &dyn TableLike,
    is_start: bool,
    is_linked: impl Fn(&str) -> bool,
) -> Option<String> {
    let name = &node.name;
    let has = |key: &str| held.get(key).is_some_and(|item| !item.is_none());
    let lines = |key: &str| {
        let rows = held.get(key).and_then(|item| item.as_array());
        rows.into_iter().flatten().filter_map(|row| row.as_str()).collect::<Vec<_>>().join("\n")
    };
    let (fire, route) = (lines("fire"), lines("route"));
    let written = |port: &PortOutline| {
        let elements = &port.elements;
        if elements.is_empty() {
            port.name.clone()
        } else {
            format!("{}[{}]", port.name, elements.join(", "))
        }
    };
    let of = |kind: PortKind| node.ports.iter().filter(move |port| port.kind == kind);
    let (inputs, outputs): (Vec<_>, Vec<_>) = (of(PortKind::Input).collect(), of(PortKind::Output).collect());
    if is_start && outputs.is_empty() && !has("do") {
        return Some(format!("Next: add an output port to {name} in its form, at the right."));
    }
    if !is_start && inputs.is_empty() && fire.is_empty() {
        return Some(format!("Next: add an input port to {name} in its form, or drag a wire onto it."));
    }
    if let Some(port) = inputs.iter().find(|port| !names(&fire, &port.name)) {
        let port = written(port);
        return Some(format!(
            "Next: write a firing rule for {name} in its form: what it takes before it executes, such as {port} -> x."
        ));
    }
    if let Some(port) = outputs.iter().find(|port| !names(&route, &port.name)) {
        let port = written(port);
        // What starts mostly sends several values, and its ranges are the first that a person writes.
        let example = if is_start {
            format!("{port} <- k for k in 1..=10, where 1..10 would end at 9")
        } else {
            format!("{port} <- 1")
        };
        return Some(format!(
            "Next: write a routing rule for {name} in its form: what it sends, such as {example}."
        ));
    }
    if outputs.is_empty() && !has("do") {
        return Some(format!("Next: write the body of {name}, below, or add an output port in its form."));
    }
    if let Some(port) = inputs.iter().find(|port| !is_linked(&port.name)) {
        return Some(format!("Next: drag from an output port to {} of {name}.", written(port)));
    }
    let port = outputs.iter().find(|port| !is_linked(&port.name))?;
    Some(format!("Next: drag from {} of {name} to who takes it, or to an empty place.", written(port)))
}

/// Returns true if a name is one of the words of rules.
fn names(rules: &str, name: &str) -> bool {
    rules.split(|letter: char| !is_of_name(letter)).any(|word| word == name)
}
