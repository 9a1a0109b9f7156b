//! The shown graph as it is drawn now: what the text says, read once for each revision, and the scene of one graph.
//!
//! An edit that only moves boxes moves them in the scene; any other one that changes what is drawn makes the scene anew.

use std::collections::BTreeMap;

use hasse_compiler::{GraphOutline, LinkKind, NodeKind, outline};
use toml_edit::{Array, DocumentMut};

use crate::drawing::connect::{NewLink, may_connect};
use crate::drawing::geometry::Point;
use crate::drawing::index::SpatialIndex;
use crate::drawing::scene::{Layout, PortPlace, Scene};
use crate::edit::link::LinkList;
use crate::edit::place::Position;

/// What is read of the program.
#[derive(Default)]
pub(super) struct Drawn {
    revision: Option<u64>,
    graphs: Vec<GraphOutline>,
    tables: DocumentMut,
    is_readable: bool,
    shown: Option<Shown>,
    /// How many scenes were made.
    n_made: u64,
    /// Whether the scene does not say what the text does, as while something is dragged.
    is_bent: bool,
}

/// A graph that is drawn.
pub(super) struct Shown {
    pub(super) outline: GraphOutline,
    layout: Layout,
    /// The graphs that it calls: the boxes of calls have their ports.
    called: Vec<GraphOutline>,
    pub(super) scene: Scene,
    pub(super) index: SpatialIndex,
    /// For each link of the scene, its place among the outline's.
    outline_links: BTreeMap<(LinkList, usize), usize>,
    /// Another number for each scene that is made; moving boxes makes none.
    pub(super) version: u64,
    /// Lines of the file's lists of arcs and share lines, readable or not.
    pub(super) n_rows: [usize; 2],
}

impl Drawn {
    pub(super) fn is_current(&self, revision: u64) -> bool {
        self.revision == Some(revision)
    }

    /// Reads a text. Of one that is no TOML, nothing is taken: what was drawn stays.
    pub(super) fn read(&mut self, text: &str, revision: u64) {
        self.revision = Some(revision);
        let tables: Option<DocumentMut> = text.parse().ok();
        self.is_readable = tables.is_some();
        if let (Some(tables), Ok(graphs)) = (tables, outline(text)) {
            self.tables = tables;
            self.graphs = graphs;
        }
    }

    pub(super) fn is_readable(&self) -> bool {
        self.is_readable
    }

    pub(super) fn graphs(&self) -> &[GraphOutline] {
        &self.graphs
    }

    pub(super) fn graph(&self, name: &str) -> Option<&GraphOutline> {
        self.graphs.iter().find(|graph| graph.name == name)
    }

    pub(super) fn tables(&self) -> &DocumentMut {
        &self.tables
    }

    pub(super) fn shown(&self) -> Option<&Shown> {
        self.shown.as_ref()
    }

    /// Puts another graph in place of the shown one, which is returned. What is dragged in the latter stays as it is.
    pub(super) fn replace_shown(&mut self, shown: Option<Shown>) -> Option<Shown> {
        std::mem::replace(&mut self.shown, shown)
    }

    /// Draws a graph without showing it, from the last drawing of it where there is one. Returns `None` if the program has no
    /// such graph.
    pub(super) fn draw_apart(&mut self, name: &str, last: Option<Shown>) -> Option<Shown> {
        let (shown, is_bent) = (std::mem::replace(&mut self.shown, last), self.is_bent);
        self.is_bent = false;
        self.show(name);
        self.is_bent = is_bent;
        std::mem::replace(&mut self.shown, shown)
    }

    /// The scene, to be changed while something is dragged; what the text says comes back with [`show`](Self::show).
    pub(super) fn bend(&mut self) -> Option<&mut Shown> {
        self.is_bent = true;
        self.shown.as_mut()
    }

    /// Draws a graph where that must be done anew; tells whether.
    pub(super) fn show(&mut self, name: &str) -> bool {
        let is_bent = std::mem::take(&mut self.is_bent);
        let Some(outline) = self.graphs.iter().find(|graph| graph.name == name) else {
            return self.shown.take().is_some();
        };
        let layout = Layout::read(&self.tables, name);
        let called = called(outline, &self.graphs);
        let n_rows = n_rows(&self.tables, name);
        if let Some(shown) = &mut self.shown
            && shown.outline == *outline
            && shown.called == called
        {
            shown.n_rows = n_rows;
            if !is_bent && shown.layout == layout {
                return false;
            }
            if shown.move_to(&layout) {
                return true;
            }
        }
        self.n_made += 1;
        let version = self.n_made;
        let scene = Scene::new(outline, &self.graphs, &layout);
        let index = SpatialIndex::new(&scene);
        let list = |kind| if kind == LinkKind::Arc { LinkList::Arcs } else { LinkList::Shares };
        let links = outline.links.iter().enumerate();
        let outline_links = links.map(|(idx, link)| ((list(link.kind), link.row), idx)).collect();
        self.shown = Some(Shown {
            outline: outline.clone(),
            layout,
            called,
            scene,
            index,
            outline_links,
            version,
            n_rows,
        });
        true
    }
}

/// Number of lines in a graph's lists of arcs and of share lines.
fn n_rows(tables: &DocumentMut, graph: &str) -> [usize; 2] {
    [LinkList::Arcs, LinkList::Shares].map(|list| {
        let rows = tables.get("graph").and_then(|graphs| graphs.get(graph)?.get(list.key())?.as_array());
        rows.map_or(0, Array::len)
    })
}

/// The graphs that a graph calls, in the order of all.
fn called(outline: &GraphOutline, graphs: &[GraphOutline]) -> Vec<GraphOutline> {
    let is_called = |graph: &&GraphOutline| {
        outline.nodes.iter().any(|node| matches!(&node.kind, NodeKind::Call(name) if *name == graph.name))
    };
    graphs.iter().filter(is_called).cloned().collect()
}

impl Shown {
    pub(super) fn is_of(&self, graph: &str) -> bool {
        self.outline.name == graph
    }

    /// Takes over a layout in which only positions of placed boxes differ; tells whether it is one.
    fn move_to(&mut self, layout: &Layout) -> bool {
        let same_names = self.layout.positions.len() == layout.positions.len()
            && self.layout.positions.iter().zip(&layout.positions).all(|(old, new)| old.0 == new.0);
        let is_same = same_names
            && self.layout.routes == layout.routes
            && self.layout.comments == layout.comments
            && self.layout.frames == layout.frames
            && layout.routes.is_empty()
            && layout.comments.is_empty()
            && layout.frames.is_empty()
            && self.scene.links.iter().all(|link| link.bends.is_empty())
            && self.scene.boxes.iter().all(|node| node.is_placed);
        if !is_same {
            return false;
        }
        let wanted: BTreeMap<&str, Position> =
            layout.positions.iter().map(|(name, position)| (&**name, *position)).collect();
        let boxes = self.scene.boxes.iter().enumerate();
        let moved: Vec<(usize, Position)> = boxes
            .filter_map(|(idx, node)| {
                let to = *wanted.get(&*node.name)?;
                let differs = [node.area.min.x, node.area.min.y] != to.map(|value| value as f64);
                differs.then_some((idx, to))
            })
            .collect();
        self.layout = layout.clone();
        self.move_boxes(&moved);
        self.settle();
        true
    }

    /// Routes the links that moves affect, with the same result as when the text is read.
    fn settle(&mut self) {
        let links = self.scene.settle_moved();
        self.index.update(&self.scene, &[], &links);
    }

    pub(super) fn move_boxes(&mut self, moved: &[(usize, Position)]) {
        let links = self.scene.move_boxes(moved);
        let boxes: Vec<usize> = moved.iter().map(|(idx, _)| *idx).collect();
        self.index.update(&self.scene, &boxes, &links);
    }

    /// Gives a link other bends.
    pub(super) fn bend_link(&mut self, link_idx: usize, bends: &[Point]) {
        let Some(link) = self.scene.links.get_mut(link_idx) else { return };
        link.bends = bends.to_vec();
        let box_idx = link.source.box_idx;
        let at = self.scene.boxes[box_idx].area.min;
        // Puts the box where it is, which draws the links at it.
        self.move_boxes(&[(box_idx, [at.x.round() as i64, at.y.round() as i64])]);
    }

    /// The line between two ports, as [`may_connect`] has it, as if a line of the graph were not there. Cost: linear in
    /// the links at the two boxes.
    pub(super) fn line(
        &self,
        graphs: &[GraphOutline],
        from: PortPlace,
        to: PortPlace,
        without: Option<(LinkList, usize)>,
    ) -> Result<NewLink, String> {
        let names = (self.scene.port_name(from), self.scene.port_name(to));
        let (Some(source), Some(target)) = names else { return Err("There is no such port.".to_owned()) };
        let mut boxes = vec![from.box_idx, to.box_idx];
        boxes.dedup();
        let nodes = boxes.iter().filter_map(|&idx| self.outline.nodes.get(idx).cloned()).collect();
        let held = boxes.iter().flat_map(|&idx| self.scene.links_of(idx));
        let links = held.filter_map(|&link_idx| {
            let link = &self.scene.links[link_idx];
            let key = (link.list, link.row);
            if Some(key) == without {
                return None;
            }
            self.outline.links.get(*self.outline_links.get(&key)?).cloned()
        });
        let part = GraphOutline {
            name: self.outline.name.clone(),
            label: String::new(),
            is_main: self.outline.is_main,
            nodes,
            links: links.collect(),
        };
        may_connect(&part, graphs, &source, &target).map_err(|refusal| refusal.to_string())
    }

    /// The place of a port.
    pub(super) fn place_of(&self, name: &crate::drawing::connect::PortName) -> Option<PortPlace> {
        let box_idx = self.scene.box_named(&name.node)?;
        let ports = 0..self.scene.boxes[box_idx].ports.len();
        let mut places = ports.map(|port_idx| PortPlace { box_idx, port_idx });
        places.find(|place| self.scene.port_name(*place).as_ref() == Some(name))
    }
}
