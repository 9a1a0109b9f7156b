//! What a scene consists of: boxes with ports, links, comments and frames.

use hasse_compiler::{LinkKind, PortKind};
use toml_edit::DocumentMut;

use crate::drawing::geometry::{Path, Point, Rect};
use crate::drawing::measure::text_area;
use crate::edit::link::LinkList;
use crate::edit::note::{self, Comment, Frame};
use crate::edit::place::{self, Position};
use crate::edit::route::{self, Route};

/// What a file says about where a graph is drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Upper left corners of nodes, by name.
    pub positions: Vec<(String, Position)>,
    /// Bends of links.
    pub routes: Vec<Route>,
    /// Comments.
    pub comments: Vec<Comment>,
    /// Frames.
    pub frames: Vec<Frame>,
}

impl Layout {
    /// What the tables of a file say about a graph.
    pub fn read(document: &DocumentMut, graph: &str) -> Self {
        Self {
            positions: place::positions(document, graph),
            routes: route::routes(document, graph),
            comments: note::comments(document, graph),
            frames: note::frames(document, graph),
        }
    }
}

/// What a box stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoxKind {
    /// A unit of computation.
    Unit {
        /// Whether it is a start node.
        is_start: bool,
        /// Whether it is the stop node.
        is_stop: bool,
    },
    /// A shared object.
    Shared,
    /// A call.
    Call {
        /// Position of the called graph among all; `None` where there is no such graph.
        graph: Option<usize>,
    },
    /// A formal input port of the graph.
    Input,
    /// A formal output port of the graph.
    Output,
    /// A formal shared object of the graph.
    InOut,
    /// Nothing that the graph has: an arc or share line names it.
    Missing,
}

impl BoxKind {
    /// Whether it is an object that share lines begin at.
    pub fn is_shared(&self) -> bool {
        matches!(self, Self::Shared | Self::InOut)
    }
}

/// A box.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeBox {
    /// The node's name; that of a formal port is written as in arcs, `in.a`.
    pub name: String,
    /// What it stands for.
    pub kind: BoxKind,
    /// Its index as it is written, `[i, j]`; empty without one.
    pub index: String,
    /// What stands below the title: a type, or the name of the called graph; may be empty.
    pub note: String,
    /// Its `doc`; empty without one.
    pub doc: String,
    /// Its `label`; empty without one.
    pub label: String,
    /// Where it is.
    pub area: Rect,
    /// Whether the file says where; otherwise it stands where there was room.
    pub is_placed: bool,
    /// Its ports, each kind in the order of the file; last those that only links name.
    pub ports: Vec<Port>,
}

impl NodeBox {
    /// Label, or name, and index: `Mult[i]`.
    pub fn title(&self) -> String {
        let name = if self.label.is_empty() { &self.name } else { &self.label };
        format!("{name}{}", self.index)
    }
}

/// The edge of a box at which a port is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Edge {
    /// Where values come in.
    Left,
    /// Where values go out.
    Right,
    /// Where a shared object is used from.
    Top,
    /// Where names for shared objects are.
    Bottom,
}

/// A place of a box where links end.
#[derive(Clone, Debug, PartialEq)]
pub struct Port {
    /// What it is for, seen from the links of this graph: a formal input port is an output here.
    pub kind: PortKind,
    /// Its name, without brackets; empty where the node is a port itself.
    pub name: String,
    /// Index names of a family of ports; none for a single port.
    pub elements: Vec<String>,
    /// Its type as it is written, of a name for a shared object that of the object; empty where it is not said.
    pub ty: String,
    /// Whether the port is declared; otherwise a link names it.
    pub is_declared: bool,
    /// What is written at it: `p`, `p[i]`, or nothing.
    pub label: String,
    /// The edge it is at.
    pub edge: Edge,
    /// Where links end.
    pub anchor: Point,
}

impl Port {
    /// Whether it is a family.
    pub fn is_family(&self) -> bool {
        !self.elements.is_empty()
    }
}

/// A port of a box, by positions in the scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PortPlace {
    /// Position of the box.
    pub box_idx: usize,
    /// Position of the port in it.
    pub port_idx: usize,
}

/// An arc or share line.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// What it is.
    pub kind: LinkKind,
    /// The list of lines that it is in.
    pub list: LinkList,
    /// Its position there.
    pub row: usize,
    /// Where it begins.
    pub source: PortPlace,
    /// Where it ends.
    pub target: PortPlace,
    /// Its index map, `i → i + 1` or `all → part[0]`; empty without one.
    pub label: String,
    /// Where the label stands; `None` without one.
    pub label_area: Option<Rect>,
    /// Whether the label covers boxes there, as there is no room for it; then it is for the asking only.
    pub is_label_crowded: bool,
    /// Room for its counts; `None` for a link that is not drawn.
    pub badge_area: Option<Rect>,
    /// The side of that area at which the link is: 0 for the left one, 1 for the right one, between them above or below.
    pub badge_hug: f64,
    /// Set if that room covers boxes or texts.
    pub is_badge_crowded: bool,
    /// Points of the file that it goes through.
    pub bends: Vec<Point>,
    /// Its curves, from the source to the target.
    pub path: Path,
}

impl Link {
    /// The longest text next to it: its label or its badge.
    pub(super) fn longest_text(&self) -> &str {
        let width = |text: &str| text_area(Point::default(), text).width();
        let badge = BADGE_TEXTS[0];
        if width(&self.label) < width(badge) { badge } else { &self.label }
    }

    /// Areas of the texts next to it.
    pub(super) fn text_areas(&self) -> impl Iterator<Item = Rect> {
        self.label_area.into_iter().chain(self.badge_area)
    }

    /// Rectangles that together hold the link and its label.
    pub fn extents(&self) -> impl Iterator<Item = Rect> + '_ {
        self.path.piece_bounds().chain(self.label_area)
    }
}

/// A comment.
#[derive(Clone, Debug, PartialEq)]
pub struct CommentBox {
    /// Its number in the file.
    pub number: u64,
    /// What it says.
    pub text: String,
    /// Where it is.
    pub area: Rect,
}

/// A frame.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameBox {
    /// Its number in the file.
    pub number: u64,
    /// What stands below its upper edge; may be empty.
    pub title: String,
    /// One of [`FRAME_COLORS`](note::FRAME_COLORS).
    pub color: &'static str,
    /// Where it is.
    pub area: Rect,
}

/// Texts of the badge of a link, longest first: there is room for the longest one that covers nothing.
pub(super) const BADGE_TEXTS: [&str; 2] = ["100 queued", "100\u{d7}"];
