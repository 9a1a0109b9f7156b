//! What is selected, as the inspector shows it.

use crate::edit::link::LinkList;
use crate::target::Target;

/// What is selected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Subject {
    /// Nothing, and no graph is shown.
    #[default]
    Nothing,
    /// The graph that is shown, with nothing of it selected.
    Graph(String),
    /// A node of any kind, by the name that it has in outlines: `Mult`, `in.a`.
    Node {
        /// The graph.
        graph: String,
        /// The node.
        node: String,
    },
    /// An arc or share line.
    Link {
        /// The graph.
        graph: String,
        /// Which list it stands in.
        list: LinkList,
        /// Its position, from 0.
        row: usize,
    },
    /// A comment.
    Comment {
        /// The graph.
        graph: String,
        /// Its number.
        number: u64,
    },
    /// A frame.
    Frame {
        /// The graph.
        graph: String,
        /// Its number.
        number: u64,
    },
    /// Several things.
    Several {
        /// The graph.
        graph: String,
        /// The nodes among them.
        nodes: Vec<String>,
        /// How many links are among them.
        n_links: usize,
        /// How many comments and frames are among them.
        n_notes: usize,
    },
}

impl Subject {
    /// What of a graph is selected: nodes by name, links by list and row, comments and frames by number. Of nothing: the
    /// graph.
    pub fn of_selection<'n>(
        graph: &str,
        nodes: impl IntoIterator<Item = &'n String>,
        links: impl IntoIterator<Item = &'n (LinkList, usize)>,
        comments: impl IntoIterator<Item = &'n u64>,
        frames: impl IntoIterator<Item = &'n u64>,
    ) -> Self {
        let nodes: Vec<String> = nodes.into_iter().cloned().collect();
        let links: Vec<(LinkList, usize)> = links.into_iter().copied().collect();
        let comments: Vec<u64> = comments.into_iter().copied().collect();
        let frames: Vec<u64> = frames.into_iter().copied().collect();
        let graph = graph.to_owned();
        match (&nodes[..], &links[..], &comments[..], &frames[..]) {
            ([], [], [], []) => Self::Graph(graph),
            ([node], [], [], []) => Self::Node { graph, node: node.clone() },
            ([], [(list, row)], [], []) => Self::Link { graph, list: *list, row: *row },
            ([], [], [number], []) => Self::Comment { graph, number: *number },
            ([], [], [], [number]) => Self::Frame { graph, number: *number },
            _ => Self::Several { graph, n_links: links.len(), n_notes: comments.len() + frames.len(), nodes },
        }
    }

    /// The graph that it is in.
    pub fn graph(&self) -> Option<&str> {
        match self {
            Self::Nothing => None,
            Self::Graph(graph)
            | Self::Node { graph, .. }
            | Self::Link { graph, .. }
            | Self::Comment { graph, .. }
            | Self::Frame { graph, .. }
            | Self::Several { graph, .. } => Some(graph),
        }
    }

    /// What problems tell it by; `None` of what has none.
    pub fn target(&self) -> Option<Target> {
        match self {
            Self::Graph(graph) => Some(Target::of_graph(graph)),
            Self::Node { graph, node } => Some(Target::of_node(graph, node)),
            Self::Link { graph, list, row } => Some(Target::of_link(graph, *list, *row)),
            Self::Nothing | Self::Comment { .. } | Self::Frame { .. } | Self::Several { .. } => None,
        }
    }

    /// As a key for steps that typing makes.
    pub(super) fn key(&self) -> String {
        match self {
            Self::Nothing => String::new(),
            Self::Graph(graph) => format!("graph {graph}"),
            Self::Node { graph, node } => format!("node {graph} {node}"),
            Self::Link { graph, list, row } => format!("link {graph} {} {row}", list.key()),
            Self::Comment { graph, number } => format!("comment {graph} {number}"),
            Self::Frame { graph, number } => format!("frame {graph} {number}"),
            Self::Several { graph, .. } => format!("several {graph}"),
        }
    }
}
