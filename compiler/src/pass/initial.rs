//! Values that are on ports when the program starts (`initial = [0]`): a start node that the compiler adds sends them, so that they are
//! recorded, replayed and explained as all values are.

use std::collections::HashSet;

use hasse_model::diagnostic::Location;
use hasse_model::plan::FullPolicy;

use super::read_item::Reader;
use crate::grammar::rules::{RoutingText, parse_routing};
use crate::grammar::token::tokens;
use crate::syntax::{Entry, Graph, Name, PortOptions, Unit};
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
                let message = format!("`{node}.{port}` is not a single port, and cannot have initial values");
                let help = "only a single port of a node without index has initial values; \
                    send those of others from a start node";
                reader.report_with_help("E0110", message, at, "", help);
                continue;
            }
            check_number(unit, options, at, reader);
            let are_values = options.initial.iter().map(|value| is_expression(value, reader)).min();
            if are_values == Some(false) {
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

/// Returns true if a value is a single expression that names nothing of the node that will send it; reports others.
fn is_expression(value: &Text, reader: &mut Reader<'_>) -> bool {
    let rule = value.reworded(|value| format!("x <- {value}"), 5);
    let rule = rule.all();
    let is_alone = |rule: RoutingText<'_>| {
        rule.guard.is_none()
            && rule.sends.len() == 1
            && rule.sends.iter().all(|send| send.loops.is_empty() && send.after.is_none())
    };
    let text = value.all();
    let names_events = tokens(text.as_str())
        .iter()
        .any(|token| matches!(&text.as_str()[token.range.clone()], "count" | "rule"));
    let is_right =
        !text.as_str().trim().is_empty() && !names_events && parse_routing(&rule).is_ok_and(is_alone);
    if !is_right {
        let message = "an initial value is not an expression over the parameters of the graph".to_owned();
        let help = "write one expression for each value, such as `initial = [0, \"n + 1\"]`";
        reader.report_with_help("E0110", message, value.at(), "", help);
    }
    is_right
}

/// Reports more values than a port admits that fails its senders.
fn check_number(unit: &Unit, options: &PortOptions, at: Location, reader: &mut Reader<'_>) {
    let Some((FullPolicy::Fail, _)) = options.full else { return };
    let bound = options.bound.as_ref().and_then(|bound| bound.all().as_str().trim().parse::<usize>().ok());
    let n_values = options.initial.len();
    if let Some(bound) = bound.filter(|bound| n_values > *bound) {
        let port = format!("{}.{}", unit.name.text, options.port.text);
        let message = format!("the port `{port}` admits {bound} of its {n_values} initial values");
        let help = "raise its `bound`, or leave values out";
        reader.report_with_help("E0110", message, at, "", help);
    }
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
