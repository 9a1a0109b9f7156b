//! The ports that a drawn node has, whatever it is: a call has those of the graph that it calls.

use hasse_compiler::{GraphOutline, NodeKind, NodeOutline, PortKind};

use crate::names::Names;

/// A port of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Port {
    pub(crate) name: String,
    pub(crate) ty: String,
    /// Index names of a family.
    pub(crate) elements: Vec<String>,
    /// Whether arcs can begin there.
    pub(crate) is_source: bool,
    /// Whether it is a name for a shared object, and whether that can be changed through it.
    pub(crate) write: Option<bool>,
}

impl Port {
    pub(crate) fn is_shared(&self) -> bool {
        self.write.is_some()
    }
}

/// The ports of a node of the graph that `names` are of; none of one that is not there.
pub(crate) fn of_node(names: &Names, node: &str) -> Vec<Port> {
    let found = names.graph.iter().flat_map(|graph| &graph.nodes).find(|known| known.name == node);
    found.map(|node| ports(&names.graphs, node)).unwrap_or_default()
}

/// The ports of a unit or call, in the order of the file. Formal ports and shared objects, which are ports themselves,
/// have none.
pub(crate) fn ports(graphs: &[GraphOutline], node: &NodeOutline) -> Vec<Port> {
    match &node.kind {
        NodeKind::Unit { .. } => node
            .ports
            .iter()
            .map(|port| Port {
                name: port.name.clone(),
                ty: port.ty.clone(),
                elements: port.elements.clone(),
                is_source: port.kind == PortKind::Output,
                write: match port.kind {
                    PortKind::Shared { is_write } => Some(is_write),
                    PortKind::Input | PortKind::Output => None,
                },
            })
            .collect(),
        NodeKind::Call(called) => {
            graphs.iter().find(|graph| graph.name == *called).map(interface).unwrap_or_default()
        }
        NodeKind::Shared(_)
        | NodeKind::Input(_)
        | NodeKind::Output(_)
        | NodeKind::InOut(_)
        | NodeKind::Missing => Vec::new(),
    }
}

/// The ports that calls of a graph have.
pub(crate) fn interface(graph: &GraphOutline) -> Vec<Port> {
    let formal = |node: &NodeOutline| {
        let (ty, is_source, write) = match &node.kind {
            NodeKind::Input(ty) => (ty, false, None),
            NodeKind::Output(ty) => (ty, true, None),
            NodeKind::InOut(ty) => (ty, false, Some(true)),
            NodeKind::Unit { .. } | NodeKind::Shared(_) | NodeKind::Call(_) | NodeKind::Missing => {
                return None;
            }
        };
        let (_, name) = node.name.split_once('.')?;
        Some(Port { name: name.to_owned(), ty: ty.clone(), elements: node.index.clone(), is_source, write })
    };
    graph.nodes.iter().filter_map(formal).collect()
}

/// A text without spaces.
pub(crate) fn squeezed(text: &str) -> String {
    text.replace(char::is_whitespace, "")
}

/// Whether a port of a type takes values of another one, as `Type::accepts` of the model; of what is not said, any. Struct
/// types are the same where their names are.
pub(crate) fn accepts(taken: &str, sent: &str) -> bool {
    let (taken, sent) = (squeezed(taken), squeezed(sent));
    match (&*taken, &*sent) {
        ("any" | "", _) | (_, "") | ("real", "int") => true,
        _ => match (inner_type(&taken), inner_type(&sent)) {
            (Some((taken_kind, taken)), Some((sent_kind, sent))) => {
                taken_kind == sent_kind && accepts(taken, sent)
            }
            _ => taken == sent,
        },
    }
}

/// Splits a type into its container and the type of the items: `map[string]int[]` is a map of `int[]`.
fn inner_type(ty: &str) -> Option<(Container, &str)> {
    if let Some(values) = ty.strip_prefix("map[string]") {
        return Some((Container::Map, values));
    }
    let items = ty.strip_suffix("[]")?;
    let grouped = items.strip_prefix('(').and_then(|items| items.strip_suffix(')'));
    Some((Container::Array, grouped.unwrap_or(items)))
}

/// Kind of a container type.
#[derive(PartialEq)]
enum Container {
    Array,
    Map,
}

#[cfg(test)]
mod tests {
    use super::accepts;

    #[test]
    fn containers_take_those_of_the_same_kind() {
        let cases = [
            ("map[string]real", "map[string] int", true),
            ("map[string]real[]", "map[string]int[]", true),
            ("(map[string]any)[]", "(map[string]S)[]", true),
            ("map[string]int[]", "(map[string]int)[]", false),
            ("map[string]int", "int[]", false),
            ("map[string]int", "map[string]real", false),
            ("real[][]", "int[][]", true),
            ("any", "map[string]int", true),
        ];
        for (taken, sent, expected) in cases {
            assert_eq!(accepts(taken, sent), expected, "{taken} <- {sent}");
        }
    }
}
