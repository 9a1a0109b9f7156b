//! Ports by name.

use crate::edit::port::Side;

/// A port by name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PortName {
    /// The node, as in an outline: `Mult`, `in.a`.
    pub node: String,
    /// What it is for, seen from the links of the graph: a formal input port is an output here.
    pub side: Side,
    /// The port or shared name; empty where the node is one itself.
    pub port: String,
}

impl PortName {
    /// `Mult.x`, or the node's name alone.
    pub(super) fn said(&self) -> String {
        if self.port.is_empty() { self.node.clone() } else { format!("{}.{}", self.node, self.port) }
    }
}
