//! The program next to another version of it: what of a graph is new, changed, moved or gone.

use std::collections::BTreeMap;

use hasse_compiler::{
    FieldDifference, GraphDifference, GraphOutline, LinkDifference, NodeDifference, Presence,
    ProgramDifference, difference, outline,
};
use hasse_model::quantity::counted;
use toml_edit::DocumentMut;

use crate::drawing::geometry::Rect;
use crate::drawing::scene::{Layout, Link, NodeBox, Scene};
use crate::edit::link::LinkList;
use crate::marks::Highlight;
use crate::target::Target;

/// Destination of a line of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub enum DifferencePlace {
    /// To a part of the program.
    Part(Target),
    /// To where a part was that is gone: its graph, and its place in the picture.
    Gone(String, Rect),
}

/// A line of the list of differences.
#[derive(Clone, Debug, PartialEq)]
pub struct DifferenceLine {
    /// Fate of the part; `None` for the heading of a graph.
    pub presence: Option<Presence>,
    /// The part.
    pub text: String,
    /// The fields that differ, or the name before.
    pub detail: String,
    /// Destination of the line, if it has one.
    pub place: Option<DifferencePlace>,
}

/// Marks of the parts of one graph that differ.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ComparedGraph {
    /// By names of nodes: the color, and what is written below the box.
    pub nodes: BTreeMap<String, (Highlight, String)>,
    /// By list and row.
    pub links: BTreeMap<(LinkList, usize), Highlight>,
    /// Boxes that are gone, where they were.
    pub gone_boxes: Vec<NodeBox>,
    /// Arcs and share lines that are gone, where they were.
    pub gone_links: Vec<Link>,
}

/// A program next to another version of it.
#[derive(Clone, Debug)]
pub struct Comparison {
    name: String,
    base: String,
    is_with_saved: bool,
    found: ProgramDifference,
    /// Why the texts cannot be compared now; then what was found last stays.
    problem: String,
    graphs: BTreeMap<String, ComparedGraph>,
    lines: Vec<DifferenceLine>,
}

impl Comparison {
    /// Compares a program with another version, which has a name for people to read.
    pub(crate) fn new(name: &str, base: &str, is_with_saved: bool, text: &str) -> Self {
        let mut comparison = Self {
            name: name.to_owned(),
            base: base.to_owned(),
            is_with_saved,
            found: ProgramDifference::default(),
            problem: String::new(),
            graphs: BTreeMap::new(),
            lines: Vec::new(),
        };
        comparison.update(text);
        comparison
    }

    /// Compares anew with what the program is now.
    pub(crate) fn update(&mut self, text: &str) {
        match difference(&self.base, text) {
            Ok(found) => {
                self.found = found;
                self.problem.clear();
            }
            Err(unreadable) => {
                let which = if unreadable.side == 0 { self.name.as_str() } else { "this program" };
                self.problem = format!("{which} cannot be read now");
                return;
            }
        }
        let old = Old::of(&self.base);
        self.graphs = self
            .found
            .graphs
            .iter()
            .filter(|graph| graph.presence != Presence::Removed)
            .map(|graph| (graph.name.clone(), compared(graph, &old)))
            .collect();
        self.lines = lines(&self.found, &self.graphs);
    }

    /// The version that it is compared with, in words.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether it is compared with the saved version.
    pub fn is_with_saved(&self) -> bool {
        self.is_with_saved
    }

    /// The differences.
    pub fn found(&self) -> &ProgramDifference {
        &self.found
    }

    /// The marks of a graph that differs.
    pub fn graph(&self, graph: &str) -> Option<&ComparedGraph> {
        self.graphs.get(graph)
    }

    /// The list of differences.
    pub fn lines(&self) -> &[DifferenceLine] {
        &self.lines
    }

    /// The number of differences in words, or why there is none.
    pub fn note(&self) -> String {
        let n_parts = self.lines.iter().filter(|line| line.presence.is_some()).count();
        match n_parts {
            _ if !self.problem.is_empty() => self.problem.clone(),
            0 => "nothing differs".to_owned(),
            n_parts => counted(n_parts, "difference"),
        }
    }
}

/// The other version, to be drawn where it is gone.
struct Old {
    graphs: Vec<GraphOutline>,
    tables: DocumentMut,
}

impl Old {
    fn of(text: &str) -> Self {
        Self { graphs: outline(text).unwrap_or_default(), tables: text.parse().unwrap_or_default() }
    }

    fn scene(&self, graph: &str) -> Option<Scene> {
        let outline = self.graphs.iter().find(|known| known.name == graph)?;
        Some(Scene::new(outline, &self.graphs, &Layout::read(&self.tables, graph)))
    }
}

fn highlight(presence: Presence) -> Highlight {
    match presence {
        Presence::Added => Highlight::Added,
        Presence::Removed => Highlight::Removed,
        Presence::Changed => Highlight::Changed,
        Presence::Moved => Highlight::Moved,
    }
}

fn list(is_arc: bool) -> LinkList {
    if is_arc { LinkList::Arcs } else { LinkList::Shares }
}

fn compared(graph: &GraphDifference, old: &Old) -> ComparedGraph {
    let mut compared = ComparedGraph::default();
    for node in graph.nodes.iter().filter(|node| node.presence != Presence::Removed) {
        let note = match (node.presence, detail(node)) {
            (presence, detail) if detail.is_empty() => presence.name().to_owned(),
            (_, detail) => detail,
        };
        compared.nodes.insert(node.name.clone(), (highlight(node.presence), note));
    }
    for link in &graph.links {
        if let Some((_, row)) = link.new {
            compared.links.insert((list(link.is_arc), row), highlight(link.presence));
        }
    }
    let is_gone = graph.nodes.iter().any(|node| node.presence == Presence::Removed)
        || graph.links.iter().any(|link| link.presence == Presence::Removed);
    let old_name = graph.old_name.as_ref().unwrap_or(&graph.name);
    let Some(scene) = is_gone.then(|| old.scene(old_name)).flatten() else { return compared };
    for node in graph.nodes.iter().filter(|node| node.presence == Presence::Removed) {
        compared.gone_boxes.extend(scene.box_named(&node.name).map(|at| scene.boxes[at].clone()));
    }
    for link in graph.links.iter().filter(|link| link.presence == Presence::Removed) {
        let row = link.old.as_ref().map(|(_, row)| *row);
        let at = row.and_then(|row| scene.link_at_row(list(link.is_arc), row));
        compared.gone_links.extend(at.map(|at| scene.links[at].clone()));
    }
    compared
}

/// Differences of a node, in a few words.
fn detail(node: &NodeDifference) -> String {
    let mut parts: Vec<String> = node.old_name.iter().map(|name| format!("was {name}")).collect();
    let mut fields: Vec<&str> = node.fields.iter().map(|field| field.field.as_str()).collect();
    fields.dedup();
    parts.extend(fields.into_iter().map(str::to_owned));
    if node.is_moved && node.presence == Presence::Changed {
        parts.push("moved".to_owned());
    }
    parts.join(", ")
}

fn lines(found: &ProgramDifference, graphs: &BTreeMap<String, ComparedGraph>) -> Vec<DifferenceLine> {
    let mut lines = Vec::new();
    if !found.fields.is_empty() {
        lines.push(heading("the file", "", None));
        put_fields(&found.fields, None, &mut lines);
    }
    for graph in &found.graphs {
        let detail = match (graph.presence, &graph.old_name) {
            (_, Some(old)) => format!("was {old}"),
            (Presence::Changed, None) => String::new(),
            (presence, None) => presence.name().to_owned(),
        };
        let target = DifferencePlace::Part(Target::of_graph(&graph.name));
        let place = (graph.presence != Presence::Removed).then_some(target);
        lines.push(heading(&format!("graph {}", graph.name), &detail, place.clone()));
        if graph.presence == Presence::Removed || graph.old_name.is_some() {
            lines.push(DifferenceLine {
                presence: Some(graph.presence),
                text: graph.name.clone(),
                detail,
                place: place.clone(),
            });
        }
        let gone = graphs.get(&graph.name);
        if graph.presence != Presence::Removed {
            lines.extend(graph.nodes.iter().map(|node| node_line(&graph.name, node, gone)));
        }
        lines.extend(graph.links.iter().map(|link| link_line(&graph.name, link, gone)));
        put_fields(&graph.fields, place.as_ref(), &mut lines);
        put_fields(&graph.layout, place.as_ref(), &mut lines);
    }
    lines
}

fn heading(text: &str, detail: &str, place: Option<DifferencePlace>) -> DifferenceLine {
    DifferenceLine { presence: None, text: text.to_owned(), detail: detail.to_owned(), place }
}

fn put_fields(fields: &[FieldDifference], place: Option<&DifferencePlace>, lines: &mut Vec<DifferenceLine>) {
    for field in fields {
        let presence = match (&field.old, &field.new) {
            (None, _) => Presence::Added,
            (_, None) => Presence::Removed,
            _ => Presence::Changed,
        };
        let text = |side: &Option<String>| side.as_deref().unwrap_or_default().to_owned();
        let detail = match presence {
            Presence::Removed => text(&field.old),
            _ => text(&field.new),
        };
        let (presence, place) = (Some(presence), place.cloned());
        lines.push(DifferenceLine { presence, text: field.field.clone(), detail, place });
    }
}

fn node_line(graph: &str, node: &NodeDifference, compared: Option<&ComparedGraph>) -> DifferenceLine {
    let gone = || {
        let boxes = &compared?.gone_boxes;
        let area = boxes.iter().find(|known| known.name == node.name)?.area;
        Some(DifferencePlace::Gone(graph.to_owned(), area))
    };
    let place = match node.presence {
        Presence::Removed => gone(),
        _ => Some(DifferencePlace::Part(Target::of_node(graph, &node.name))),
    };
    DifferenceLine { presence: Some(node.presence), text: node.name.clone(), detail: detail(node), place }
}

fn link_line(graph: &str, link: &LinkDifference, compared: Option<&ComparedGraph>) -> DifferenceLine {
    let place = match (&link.new, &link.old) {
        (Some((_, row)), _) => Some(DifferencePlace::Part(Target::of_link(graph, list(link.is_arc), *row))),
        (None, Some((_, row))) => compared.and_then(|compared| {
            let is_it = |known: &&Link| known.list == list(link.is_arc) && known.row == *row;
            let area = compared.gone_links.iter().find(is_it)?.extents().reduce(Rect::union)?;
            Some(DifferencePlace::Gone(graph.to_owned(), area))
        }),
        (None, None) => None,
    };
    let text = link.new.as_ref().or(link.old.as_ref()).map(|(text, _)| text.clone());
    let was = link.old.as_ref().filter(|_| link.presence == Presence::Changed);
    DifferenceLine {
        presence: Some(link.presence),
        text: text.unwrap_or_default(),
        detail: was.map(|(text, _)| format!("was {text}")).unwrap_or_default(),
        place,
    }
}
