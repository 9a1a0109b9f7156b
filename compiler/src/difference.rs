//! Differences of two versions of a program, part by part: nodes and arcs that were added, removed, changed, renamed or moved.
//!
//! Works on the TOML document alone, so that unfinished programs can be compared, too. Spelling, comments, and the order of
//! nodes, ports and arcs do not count. A node that is gone and a new one with the same content are one node that was renamed; arcs are
//! compared by the new names.

use hasse_model::diagnostic::Diagnostic;

/// Lists side by side.
mod lists;
/// Nodes and arcs that belong together.
mod pair;
/// Parts of a text.
mod read;

pub use lists::{Side, side_by_side};

use pair::{paired_links, paired_names};
use read::{FieldText, GraphText, NodeText, ProgramText, read};

/// Fate of a part of a program between two versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Presence {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// It is in both versions, with other fields or another name.
    Changed,
    /// Only its place in the picture differs.
    Moved,
}

impl Presence {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Changed => "changed",
            Self::Moved => "moved",
        }
    }
}

/// A field in both versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldDifference {
    /// The field, as in the file: `do`, `fire`, `in x`.
    pub field: String,
    /// Its text before; `None` where it was not there. Of `fire` and `route`, one rule.
    pub old: Option<String>,
    /// Its text now; `None` where it is gone.
    pub new: Option<String>,
}

/// A node, shared object or formal port that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeDifference {
    /// Its fate.
    pub presence: Presence,
    /// Its kind: `unit`, `call`, `shared object`, `input`, `output`, `inout`.
    pub kind: &'static str,
    /// Its name now, or its last one; that of a formal port is written as in arcs, `in.a`.
    pub name: String,
    /// Its name before, where it was renamed.
    pub old_name: Option<String>,
    /// The fields that differ; none of what was added or removed.
    pub fields: Vec<FieldDifference>,
    /// True where its place in the picture differs.
    pub is_moved: bool,
    /// Its line in the new text, from 1; in the old one where it was removed.
    pub line: u32,
}

/// An arc or share line that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkDifference {
    /// Its fate.
    pub presence: Presence,
    /// True for an arc, false for a share line.
    pub is_arc: bool,
    /// Its text before and its row in the old list, from 0.
    pub old: Option<(String, usize)>,
    /// Its text now and its row in the new list, from 0.
    pub new: Option<(String, usize)>,
    /// Its line in the new text, from 1; in the old one where it was removed.
    pub line: u32,
}

/// A graph that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphDifference {
    /// Its fate; a graph of which only parts differ is changed.
    pub presence: Presence,
    /// Its name now, or its last one.
    pub name: String,
    /// Its name before, where it was renamed.
    pub old_name: Option<String>,
    /// Its parameters and other fields that differ.
    pub fields: Vec<FieldDifference>,
    /// Its nodes that differ: added and changed ones in the order of the new text, then removed ones.
    pub nodes: Vec<NodeDifference>,
    /// Its arcs and share lines that differ, in the same order.
    pub links: Vec<LinkDifference>,
    /// Comments, frames and bends that differ.
    pub layout: Vec<FieldDifference>,
    /// Its line in the new text, from 1; in the old one where it was removed.
    pub line: u32,
}

/// All that differs between two versions of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramDifference {
    /// Fields of the file as a whole, struct types and options for recording.
    pub fields: Vec<FieldDifference>,
    /// Graphs that differ: added and changed ones in the order of the new text, then removed ones.
    pub graphs: Vec<GraphDifference>,
}

impl ProgramDifference {
    /// Returns whether both versions are the same.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty() && self.graphs.is_empty()
    }

    /// The difference without the places of what is drawn.
    pub fn without_layout(mut self) -> Self {
        for graph in &mut self.graphs {
            graph.layout.clear();
            graph.nodes.retain(|node| node.presence != Presence::Moved);
            graph.nodes.iter_mut().for_each(|node| node.is_moved = false);
        }
        self.graphs.retain(|graph| !graph.is_same());
        self
    }
}

impl GraphDifference {
    fn is_same(&self) -> bool {
        self.presence == Presence::Changed
            && self.old_name.is_none()
            && self.fields.is_empty()
            && self.nodes.is_empty()
            && self.links.is_empty()
            && self.layout.is_empty()
    }
}

/// A text that is no TOML.
#[derive(Clone, Debug, PartialEq)]
pub struct Unreadable {
    /// Position of the text among the two.
    pub side: usize,
    /// Its syntax errors.
    pub diagnostics: Vec<Diagnostic>,
}

/// Compares two versions of a program, the older one first.
///
/// # Errors
/// A text is no TOML.
///
/// ```
/// use hasse_compiler::{Presence, difference};
///
/// let old = "hasse = 1\nmain = 'g'\n[graph.g.uc.A]\nstart = true\n";
/// let new = old.replace("uc.A", "uc.B");
/// let found = difference(old, &new).unwrap();
/// let node = &found.graphs[0].nodes[0];
/// assert_eq!((node.presence, node.old_name.as_deref()), (Presence::Changed, Some("A")));
/// assert!(difference(old, &format!("# a comment\n{old}")).unwrap().is_empty());
/// ```
pub fn difference(old: &str, new: &str) -> Result<ProgramDifference, Unreadable> {
    let text = |side: usize, text: &str| read(text).map_err(|diagnostics| Unreadable { side, diagnostics });
    let (old, new) = (text(0, old)?, text(1, new)?);
    let graphs = graph_differences(&old, &new);
    Ok(ProgramDifference { fields: field_differences(&old.fields, &new.fields), graphs })
}

fn graph_differences(old: &ProgramText, new: &ProgramText) -> Vec<GraphDifference> {
    let renamed = paired_names(&old.graphs, &new.graphs, |graph| graph.name.as_str(), GraphText::content);
    let mut found = Vec::new();
    for graph in &new.graphs {
        let before = renamed.iter().find(|(_, now)| *now == graph.name).map(|(before, _)| before);
        let known = old.graphs.iter().find(|known| Some(&known.name) == before);
        found.extend(match known {
            Some(known) => Some(graph_difference(known, graph, &renamed)).filter(|graph| !graph.is_same()),
            None => Some(whole_graph(graph, Presence::Added)),
        });
    }
    let is_gone = |graph: &&GraphText| renamed.iter().all(|(before, _)| *before != graph.name);
    found.extend(old.graphs.iter().filter(is_gone).map(|graph| whole_graph(graph, Presence::Removed)));
    found
}

fn whole_graph(graph: &GraphText, presence: Presence) -> GraphDifference {
    GraphDifference {
        presence,
        name: graph.name.clone(),
        old_name: None,
        fields: Vec::new(),
        nodes: graph.nodes.iter().map(|node| whole_node(node, presence)).collect(),
        links: Vec::new(),
        layout: Vec::new(),
        line: graph.line,
    }
}

fn whole_node(node: &NodeText, presence: Presence) -> NodeDifference {
    NodeDifference {
        presence,
        kind: node.kind,
        name: node.name.clone(),
        old_name: None,
        fields: Vec::new(),
        is_moved: false,
        line: node.line,
    }
}

fn graph_difference(
    old: &GraphText,
    new: &GraphText,
    renamed_graphs: &[(String, String)],
) -> GraphDifference {
    // A call of a graph that was renamed is the same call.
    let calls = |fields: &mut Vec<FieldDifference>| {
        fields.retain(|field| {
            let names = field.old.clone().zip(field.new.clone());
            field.field != "graph" || names.is_none_or(|names| !renamed_graphs.contains(&names))
        });
    };
    let renamed = paired_names(&old.nodes, &new.nodes, |node| node.name.as_str(), NodeText::content);
    let mut nodes = Vec::new();
    for node in &new.nodes {
        let before = renamed.iter().find(|(_, now)| *now == node.name).map(|(before, _)| before);
        let Some(known) = old.nodes.iter().find(|known| Some(&known.name) == before) else {
            nodes.push(whole_node(node, Presence::Added));
            continue;
        };
        let mut fields = field_differences(&known.fields, &node.fields);
        calls(&mut fields);
        let old_name = (known.name != node.name).then(|| known.name.clone());
        let is_moved = known.place != node.place;
        let is_changed = !fields.is_empty() || old_name.is_some();
        if is_changed || is_moved {
            let presence = if is_changed { Presence::Changed } else { Presence::Moved };
            nodes.push(NodeDifference { presence, old_name, fields, is_moved, ..whole_node(node, presence) });
        }
    }
    let is_gone = |node: &&NodeText| renamed.iter().all(|(before, _)| *before != node.name);
    nodes.extend(old.nodes.iter().filter(is_gone).map(|node| whole_node(node, Presence::Removed)));
    GraphDifference {
        presence: Presence::Changed,
        name: new.name.clone(),
        old_name: (old.name != new.name).then(|| old.name.clone()),
        fields: field_differences(&old.fields, &new.fields),
        nodes,
        links: paired_links(&old.links, &new.links, &renamed),
        layout: field_differences(&old.layout, &new.layout),
        line: new.line,
    }
}

/// Fields by name; those of one name, as rules, side by side.
fn field_differences(old: &[FieldText], new: &[FieldText]) -> Vec<FieldDifference> {
    let mut names: Vec<&str> = Vec::new();
    for field in new.iter().chain(old) {
        if !names.contains(&field.name.as_str()) {
            names.push(&field.name);
        }
    }
    let mut found = Vec::new();
    for name in names {
        let own = |fields: &'_ [FieldText]| -> Vec<FieldText> {
            fields.iter().filter(|field| field.name == name).cloned().collect()
        };
        let (before, now) = (own(old), own(new));
        let meanings =
            |fields: &'_ [FieldText]| fields.iter().map(|field| field.meaning.clone()).collect::<Vec<_>>();
        for side in side_by_side(&meanings(&before), &meanings(&now)) {
            let text = |fields: &[FieldText], at: usize| fields.get(at).map(|field| field.text.clone());
            let (old, new) = match side {
                Side::Same(..) => continue,
                Side::Removed(at) => (text(&before, at), None),
                Side::Added(at) => (None, text(&now, at)),
                Side::Changed(from, to) => (text(&before, from), text(&now, to)),
            };
            found.push(FieldDifference { field: name.to_owned(), old, new });
        }
    }
    found
}

#[cfg(test)]
mod tests;
