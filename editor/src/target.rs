//! What a place in the file is in the picture: a graph, a node, an arc, one of its attributes.

use std::fmt;

use crate::edit::link::LinkList;

/// A drawn thing, or an attribute of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target {
    /// Name of the graph; empty where [`part`](Self::part) stands in none.
    pub graph: String,
    /// What of the graph.
    pub part: Part,
    /// Which attribute of the part; `None` for the part itself, its name included.
    pub attribute: Option<Attribute>,
}

/// What a target is.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// The file as a whole: `main`, `[record]`, `[layout]`, or what cannot be told apart.
    #[default]
    Program,
    /// A struct type.
    Type(String),
    /// A graph as a whole.
    Graph,
    /// A node by the name that it has in outlines: `Mult`, `in.a`.
    Node(String),
    /// An arc or share line, with its position from 0.
    Link(LinkList, usize),
}

/// A key of a table, and where below it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Attribute {
    /// The key: `fire`, `do`, `vars`, ...
    pub key: String,
    /// Of a table of names: which name, without the brackets of a port family.
    pub entry: Option<String>,
    /// Of an array: which item, from 0.
    pub row: Option<usize>,
    /// Of `init` and `do`: which line of the text, from 1.
    pub line: Option<usize>,
}

impl Attribute {
    /// A key as a whole.
    pub fn of(key: &str) -> Self {
        Self { key: key.to_owned(), ..Self::default() }
    }
}

impl Target {
    /// A graph as a whole.
    pub fn of_graph(graph: &str) -> Self {
        Self { graph: graph.to_owned(), part: Part::Graph, attribute: None }
    }

    /// A node.
    pub fn of_node(graph: &str, node: &str) -> Self {
        Self { graph: graph.to_owned(), part: Part::Node(node.to_owned()), attribute: None }
    }

    /// An arc or share line.
    pub fn of_link(graph: &str, list: LinkList, row: usize) -> Self {
        Self { graph: graph.to_owned(), part: Part::Link(list, row), attribute: None }
    }

    /// An attribute of the same part.
    #[must_use]
    pub fn with(&self, attribute: Attribute) -> Self {
        Self { attribute: Some(attribute), ..self.clone() }
    }

    /// The node's name, where it is a node.
    pub fn node(&self) -> Option<&str> {
        match &self.part {
            Part::Node(name) => Some(name),
            Part::Program | Part::Type(_) | Part::Graph | Part::Link(..) => None,
        }
    }
}

/// Writes `bts.Mult do line 7`, `bts arcs row 2`; rows as people count them, from 1.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.part {
            Part::Program => f.write_str("program")?,
            Part::Type(name) => write!(f, "type {name}")?,
            Part::Graph => f.write_str(&self.graph)?,
            Part::Node(name) => write!(f, "{}.{name}", self.graph)?,
            Part::Link(list, row) => write!(f, "{} {} row {}", self.graph, list.key(), row + 1)?,
        }
        let Some(attribute) = &self.attribute else { return Ok(()) };
        write!(f, " {}", attribute.key)?;
        if let Some(entry) = &attribute.entry {
            write!(f, " {entry}")?;
        }
        if let Some(row) = attribute.row {
            write!(f, " row {}", row + 1)?;
        }
        if let Some(line) = attribute.line {
            write!(f, " line {line}")?;
        }
        Ok(())
    }
}
