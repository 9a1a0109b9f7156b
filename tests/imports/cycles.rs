//! No modules import each other in a cycle of more than two: who reads a module can then read those below it first.

use std::fmt::Write as _;

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::import::Imports;
use crate::module::Tree;
use crate::workspace;

/// Number of modules that may be in one cycle.
const ALLOWED: usize = 2;

/// Returns the cycles of more than [`ALLOWED`] modules, the largest first, each in order of names.
pub fn cycles(imports: &Imports) -> Vec<Vec<usize>> {
    let mut cycles = components(imports.names.len(), imports.edges.keys().copied());
    cycles.retain(|cycle| cycle.len() > ALLOWED);
    for cycle in &mut cycles {
        cycle.sort_by_key(|&module| &imports.names[module]);
    }
    cycles.sort_by_key(|cycle| (usize::MAX - cycle.len(), &imports.names[cycle[0]]));
    cycles
}

fn components(n_modules: usize, edges: impl Iterator<Item = (usize, usize)>) -> Vec<Vec<usize>> {
    let mut graph = DiGraph::<(), ()>::new();
    for _ in 0..n_modules {
        graph.add_node(());
    }
    for (from, to) in edges {
        graph.add_edge(NodeIndex::new(from), NodeIndex::new(to), ());
    }
    tarjan_scc(&graph)
        .into_iter()
        .map(|component| component.into_iter().map(NodeIndex::index).collect())
        .collect()
}

/// Describes a cycle: its modules, and the import without which the least of it is left.
pub fn describe(imports: &Imports, cycle: &[usize]) -> String {
    let name = |module: usize| imports.names[module].as_str();
    let within: Vec<(usize, usize)> = imports
        .edges
        .keys()
        .copied()
        .filter(|(from, to)| cycle.contains(from) && cycle.contains(to))
        .collect();
    let left_without = |edge: (usize, usize)| {
        let others = within.iter().copied().filter(|&other| other != edge);
        components(imports.names.len(), others).iter().map(Vec::len).max().unwrap_or(0)
    };
    let weakest = within
        .iter()
        .map(|&edge| (left_without(edge), imports.edges[&edge].len(), name(edge.0), name(edge.1), edge))
        .min();
    let names: Vec<&str> = cycle.iter().map(|&module| name(module)).collect();
    let mut text = format!("{} modules import each other: {}\n", cycle.len(), names.join(", "));
    if let Some((left, _, from, to, edge)) = weakest {
        let left = if left > 1 { format!("at most {left} in one cycle") } else { "no cycle".to_owned() };
        writeln!(text, "  without the import of {to} by {from} there would be {left}:").unwrap();
        for site in &imports.edges[&edge] {
            writeln!(text, "    {}:{}: {}", site.file, site.line, site.path).unwrap();
        }
    }
    text
}

#[test]
fn no_cycle_has_more_than_two_modules() {
    let mut wrong = String::new();
    for root in workspace::roots() {
        let imports = Imports::of(&Tree::read(&root.own_name, &root.file, &workspace::read));
        for cycle in cycles(&imports) {
            writeln!(wrong, "{}: {}", root.name, describe(&imports, &cycle)).unwrap();
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}
