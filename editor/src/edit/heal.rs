//! Joining arcs again where a node is taken out, and bending them: onto a node, to another port.

use std::collections::BTreeSet;

use hasse_compiler::{EndOutline, family, link_ends};
use toml_edit::DocumentMut;

use super::error::EditError;
use super::link::line::LinkList;
use super::node::{self, found, missing};
use super::obstacle::Obstacle;
use super::parts::{graph_of, index_of, lines, params_of, port_of, ports_of};
use super::tables::graph_mut;
use super::way::{Joined, Spot, Way, is_variable, join};
use super::words::{fresh, values};
use super::{link, route, rows};

/// Removes nodes, and joins what came in to what went out: where one arc came to a unit or call and all arcs that left it
/// left one port. Where types or index numbers do not fit, the arcs go as they do in [`node::remove`]. Gives how many arcs
/// were joined.
///
/// # Errors
/// One of the nodes is not there.
pub fn remove(document: &mut DocumentMut, graph: &str, nodes: &[&str]) -> Result<usize, EditError> {
    let table = graph_mut(document, graph)?;
    for name in nodes {
        found(table, name).ok_or_else(|| missing(name))?;
    }
    let mut n_joined = 0;
    for name in nodes {
        if let Some((row, joined)) = joined_arcs(document, graph, name) {
            let table = graph_mut(document, graph)?;
            for (offset, line) in joined.iter().enumerate() {
                if offset == 0 {
                    rows::replace(table, &["graph", graph], LinkList::Arcs.key(), row, line)?;
                } else {
                    rows::insert(table, &["graph", graph], LinkList::Arcs.key(), row + offset, line)?;
                }
            }
            n_joined += joined.len();
        }
        node::remove(document, graph, &[name])?;
    }
    route::prune(document, graph);
    Ok(n_joined)
}

/// The lines that stand in for the arcs through a node, with the position of the arc that comes to it.
fn joined_arcs(document: &DocumentMut, graph: &str, name: &str) -> Option<(usize, Vec<String>)> {
    let table = graph_of(document, graph)?;
    let (section, _) = found(table, name)?;
    if !matches!(section, "uc" | "call") {
        return None;
    }
    let params = params_of(document, graph);
    let arcs: Vec<(usize, Way)> = lines(table)
        .into_iter()
        .filter(|line| line.list == LinkList::Arcs)
        .filter_map(|line| Some((line.row, Way::read(line.list, &line.text)?)))
        .collect();
    let into: Vec<_> = arcs.iter().filter(|(_, way)| way.to.node == name).collect();
    let out_of: Vec<_> = arcs.iter().filter(|(_, way)| way.from.node == name).collect();
    let [(row, first)] = into[..] else { return None };
    let (_, next) = out_of.first()?;
    if first.from.node == name || out_of.iter().any(|(_, way)| way.from.port != next.from.port) {
        return None;
    }
    let ty = |spot: &Spot, is_source| Some(port_of(document, graph, &spot.node, &spot.port, is_source)?.1);
    let mut joined = Vec::new();
    for (_, second) in out_of {
        let fits = match (ty(&first.from, true), ty(&second.to, false)) {
            (Some(source), Some(target)) => fits(&source, &target),
            _ => true,
        };
        let has_same_form = first.to.index.len() == second.from.index.len();
        match join(first, second, &params) {
            Joined::Way(way) if fits && has_same_form => joined.push(way.text(LinkList::Arcs)),
            _ => return None,
        }
    }
    Some((*row, joined))
}

/// Whether values of a type go to a port of another.
fn fits(source: &str, target: &str) -> bool {
    source == target || target == "any" || target == source.replace("int", "real")
}

/// Puts a node with one input and one output port onto an arc: the arc then ends at it, and another one goes on from it.
///
/// # Errors
/// The arc or node is not there, the node has other ports or is an end of the arc, or would not hand on the arc's index
/// numbers.
pub fn insert_on_link(
    document: &mut DocumentMut,
    graph: &str,
    row: usize,
    name: &str,
) -> Result<(), EditError> {
    let key = LinkList::Arcs.key();
    let params = params_of(document, graph);
    let table = graph_mut(document, graph)?;
    found(table, name).ok_or_else(|| missing(name))?;
    let index = index_of(table, name);
    let line = rows::rows(table, key).into_iter().find(|(known, _)| *known == row).map(|(_, line)| line);
    let line = line.ok_or_else(|| EditError::NoRow { key: key.to_owned(), row })?;
    let way = Way::read(LinkList::Arcs, &line).ok_or_else(|| Obstacle::Unreadable { line: line.clone() })?;
    if way.from.node == name || way.to.node == name {
        return Err(Obstacle::IsAnEnd { node: name.to_owned() }.into());
    }
    let (inputs, outputs) = (ports_of(document, graph, name, false), ports_of(document, graph, name, true));
    let ([(input, _)], [(output, _)]) = (&inputs[..], &outputs[..]) else {
        return Err(Obstacle::NotOneWay { node: name.to_owned() }.into());
    };
    let (input, output) = (family(input), family(output));
    // What the target's numbers are computed from has to pass through the node.
    let variables = way.variables(&params);
    let is_needed = |name: &String| way.to.numbers().any(|number| super::words::names(number, name));
    let needed: Vec<String> = variables.iter().filter(|name| is_needed(name)).cloned().collect();
    let n_numbers = index.len() + input.1.len();
    let carried = if needed.len() == n_numbers { needed } else { variables };
    if carried.len() != n_numbers || input.1.len() != output.1.len() {
        return Err(Obstacle::IndexNumbers { node: name.to_owned(), line }.into());
    }
    let (at_node, at_port) = carried.split_at(index.len());
    let spot = |port: &str| Spot {
        node: name.to_owned(),
        index: at_node.to_vec(),
        port: port.to_owned(),
        elements: at_port.to_vec(),
    };
    let first = Way { from: way.from.clone(), to: spot(&input.0) };
    let second = Way { from: spot(&output.0), to: way.to };
    let table = graph_mut(document, graph)?;
    rows::replace(table, &["graph", graph], key, row, &first.text(LinkList::Arcs))?;
    rows::insert(table, &["graph", graph], key, row + 1, &second.text(LinkList::Arcs))?;
    route::prune(document, graph);
    Ok(())
}

/// Which end of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinkEnd {
    /// Where an arc begins; the object of a share line.
    Source,
    /// Where it ends.
    Target,
}

/// Leads one end of a line to another port. `node` is as in an outline: `Mult`, `in.a`; `port` is empty where the node is a
/// port or object itself. Index numbers stay as far as the new end has as many; on the matching side others become
/// variables, on the other side what is bound by that name, else 0.
///
/// # Errors
/// The line or the node is not there, or the line cannot be read.
pub fn reconnect(
    document: &mut DocumentMut,
    graph: &str,
    (list, row): (LinkList, usize),
    which: LinkEnd,
    (node, port): (&str, &str),
) -> Result<(), EditError> {
    let params = params_of(document, graph);
    let table = graph_mut(document, graph)?;
    let (section, key) = found(table, node).ok_or_else(|| missing(node))?;
    let line = rows::rows(table, list.key()).into_iter().find(|(known, _)| *known == row);
    let (_, line) = line.ok_or_else(|| EditError::NoRow { key: list.key().to_owned(), row })?;
    let unreadable = || Obstacle::Unreadable { line: line.clone() };
    let (source, target): (EndOutline, EndOutline) = link_ends(&line).ok_or_else(unreadable)?;
    let (old, fixed) = match which {
        LinkEnd::Source => (source, Spot::from(target.clone())),
        LinkEnd::Target => (target.clone(), Spot::from(source)),
    };
    let old = Spot::from(old);
    let own_index = if node.contains('.') { family(&key).1 } else { index_of(table, node) };
    let is_source = which == LinkEnd::Source;
    let matches = is_source == (list == LinkList::Arcs);
    let elements = if port.is_empty() || section == "shared" {
        Vec::new()
    } else {
        let declared = port_of(document, graph, node, port, is_source).map(|(elements, _)| elements);
        declared.unwrap_or_else(|| old.elements.clone())
    };
    let mut bound: BTreeSet<String> = if matches { BTreeSet::new() } else { variables_of(&fixed, &params) };
    bound.extend(params.iter().cloned());
    if matches {
        bound.extend(old.numbers().cloned());
    }
    let mut numbers = |old: &[String], declared: &[String]| -> Vec<String> {
        if old.len() == declared.len() {
            return old.to_vec();
        }
        let number = |(idx, name): (usize, &String)| match old.get(idx) {
            Some(number) => number.clone(),
            None if matches => {
                let name = fresh(name, |name| bound.contains(name));
                bound.insert(name.clone());
                name
            }
            None if bound.contains(name) => name.clone(),
            None => "0".to_owned(),
        };
        declared.iter().enumerate().map(number).collect()
    };
    let new = Spot {
        node: node.to_owned(),
        index: numbers(&old.index, &own_index),
        port: port.to_owned(),
        elements: numbers(&old.elements, &elements),
    };
    let sign = if list == LinkList::Arcs { "->" } else { "--" };
    let text = match which {
        LinkEnd::Source => format!("{} {sign} {}", new.text(), &line[target.node_range.start..]),
        LinkEnd::Target => format!("{}{}", &line[..target.node_range.start], new.text()),
    };
    link::set(document, graph, list, row, &text)
}

fn variables_of(spot: &Spot, params: &BTreeSet<String>) -> BTreeSet<String> {
    let words = spot.numbers().flat_map(|number| {
        values(number).into_iter().map(|range| number[range].to_owned()).collect::<Vec<_>>()
    });
    words.filter(|word| is_variable(word, params)).collect()
}
