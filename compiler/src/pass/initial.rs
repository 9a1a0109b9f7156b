//! Values that are on ports when the program starts (`initial = [0]`): a start node that the compiler adds sends them, so that they are
//! recorded, replayed and explained as all values are.

use std::collections::HashSet;

use hasse_model::diagnostic::Location;

use super::read_item::Reader;
use crate::syntax::{Entry, Graph, Name, Unit};
use crate::text::Text;

/// Name of the node that sends the values; with `_` at its end where the graph has one of this name.
const NAME: &str = "initial";

/// Adds the start node that sends the first values of a graph's ports, and its arcs.
pub(super) fn add_initial_values(reader: &mut Reader<'_>, graph: &mut Graph) {
    let (mut outputs, mut route, mut arcs) = (Vec::new(), Vec::new(), Vec::new());
    let mut first_at = None;
    let mut taken = HashSet::new();
    for unit in &graph.units {
        for options in &unit.port_options {
            let Some(at) = options.initial_at else { continue };
            let (port, node) = (&options.port.text, &unit.name.text);
            if port.contains('[') || !unit.index.is_empty() {
                let message = format!("which of the ports `{node}.{port}` would have these values?");
                let help = "only a single port of a node without index has initial values; \
                    send those of others from a start node";
                reader.report_with_help("E0110", message, at, "", help);
                continue;
            }
            let Some(ty) = unit.inputs.iter().find(|input| input.name.at == options.port.at) else {
                continue;
            };
            let mut output = format!("{node}_{port}");
            while !taken.insert(output.clone()) {
                output.push('_');
            }
            let text = |text: String| Text::new(&text, &reader.source, at.start as usize..at.end as usize);
            let value =
                |value: &Text| value.reworded(|value| format!("{output} <- {value}"), output.len() + 4);
            route.extend(options.initial.iter().map(value));
            arcs.push(text(format!("{{}}.{output} -> {node}.{port}")));
            outputs.push(Entry { name: Name { text: output, at }, text: ty.text.clone() });
            first_at.get_or_insert(at);
        }
    }
    let Some(at) = first_at else { return };
    let others = graph.units.iter().map(|unit| &unit.name).chain(graph.calls.iter().map(|call| &call.name));
    let others: HashSet<&str> =
        others.chain(graph.shared.iter().map(|object| &object.name)).map(|name| name.text.as_str()).collect();
    let mut name = NAME.to_owned();
    while others.contains(name.as_str()) {
        name.push('_');
    }
    graph.arcs.extend(arcs.iter().map(|arc| arc.reworded(|arc| arc.replace("{}", &name), 0)));
    graph.units.push(unit(name, at, outputs, route));
}

fn unit(name: String, at: Location, outputs: Vec<Entry>, route: Vec<Text>) -> Unit {
    Unit {
        name: Name { text: name, at },
        index: Vec::new(),
        inputs: Vec::new(),
        port_options: Vec::new(),
        outputs,
        vars: Vec::new(),
        shared: Vec::new(),
        init: None,
        fire: Vec::new(),
        body: None,
        route,
        start: Some(at),
        stop: None,
        prefer: None,
        at_once: None,
        on_error: None,
        retry: None,
        backoff: None,
        deadline: None,
        cancel: None,
        every: None,
        after: None,
        priority: 0,
        is_initial: true,
    }
}
