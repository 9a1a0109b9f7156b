//! What a window draws of the shown graph: plain data in logical pixels of the canvas, of what is seen and little more.
//!
//! Order is that of drawing: frames, comments, wires, boxes with ports, labels, and what belongs to a gesture on top.
//! Boxes below [`FULL_ZOOM`] are told as titles, below [`TITLE_ZOOM`] as blocks. Letters are as high as those of
//! [`measure`](crate::drawing::measure) times the zoom.

use super::Editor;
use super::check::ErrorMark as Mark;
use super::gesture::Gesture;
use crate::drawing::arrange::GRID;
use crate::drawing::color::{Rgb, TypeToken};
use crate::drawing::geometry::{Point, Rect};
use crate::drawing::hit::visible;
use crate::drawing::minimap::Minimap;
use crate::drawing::scene::Edge;
use crate::marks::{BreakpointMark, Highlight, NodeMarks};

/// Boxes and ports.
mod boxes;
/// What a gesture shows.
mod overlay;
/// Wires with what stands at them.
mod wires;

pub use super::check::ErrorMark;
pub use super::selection::LinkKey;

/// Zoom below which boxes are told as titles.
pub const FULL_ZOOM: f64 = 0.45;
/// Zoom below which boxes are told as blocks.
pub const TITLE_ZOOM: f64 = 0.15;
/// Least distance of the lines of the grid that is drawn, in pixels.
const LEAST_GRID: f64 = 12.0;

/// How much is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Detail {
    /// Blocks and straight wires.
    Blocks,
    /// Titles and blocks.
    Titles,
    /// All.
    Full,
}

/// What a box stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "as of `BoxKind`")]
pub enum NodeLook {
    Unit,
    Shared,
    Call,
    Input,
    Output,
    InOut,
    Missing,
}

/// A box.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeItem {
    /// The node's name: what it is known by from picture to picture.
    pub key: String,
    /// Where it is.
    pub area: Rect,
    /// Name and index; empty for blocks.
    pub title: String,
    /// What stands below the title; may be empty.
    pub note: String,
    /// Its `doc`, to be shown while the mouse rests on it; empty for blocks.
    pub doc: String,
    /// What it stands for.
    pub look: NodeLook,
    /// Whether it is a start node.
    pub is_start: bool,
    /// Whether it is the stop node.
    pub is_stop: bool,
    /// Whether it is selected.
    pub is_selected: bool,
    /// Whether the mouse is on it.
    pub is_hovered: bool,
    /// What is wrong with it.
    pub error: Mark,
    /// What runs and records show on it.
    pub marks: NodeMarks,
}

/// What a port is for the wire that is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PortState {
    /// No wire is drawn.
    #[default]
    Normal,
    /// The wire begins at it.
    Begin,
    /// It takes the wire.
    Candidate,
    /// It is chosen and takes the wire.
    Chosen,
    /// It does not take the wire.
    Refused,
}

/// A port.
#[derive(Clone, Debug, PartialEq)]
pub struct PortItem {
    /// Which of [`Picture::nodes`] it is at.
    pub node_idx: usize,
    /// Where its middle is.
    pub at: Point,
    /// Shape and colors of its type.
    pub token: TypeToken,
    /// Its type as it is written; may be empty.
    pub ty: String,
    /// What is written at it; may be empty.
    pub label: String,
    /// Where the label's middle (at the top and bottom), left end (at the left) or right end (at the right) stands,
    /// vertically its middle.
    pub label_at: Point,
    /// The edge of the box that it is at.
    pub edge: Edge,
    /// Whether the node declares it.
    pub is_declared: bool,
    /// Whether a wire ends at it.
    pub is_connected: bool,
    /// Whether the mouse is on it, or on a wire that ends at it.
    pub is_hovered: bool,
    /// What it is for the wire that is drawn.
    pub state: PortState,
}

/// How wires look, from the least to the most conspicuous.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WireStyle {
    /// Left out by a restriction, or being led elsewhere.
    Dimmed,
    /// As most are.
    Normal,
    /// Something is wrong with it.
    Error,
    /// Shown by a run, a record or a finding.
    Highlight(Highlight),
    /// The mouse is on it, or the box that is dragged would be put onto it.
    Hovered,
    /// Selected.
    Selected,
    /// Will be cut.
    Refused,
}

/// Wires that look the same, as one path.
#[derive(Clone, Debug, PartialEq)]
pub struct WireGroup {
    /// Color on light pages.
    pub light: Rgb,
    /// Color on dark pages.
    pub dark: Rgb,
    /// Whether they are share lines, which are dashed.
    pub is_share: bool,
    /// How they look.
    pub style: WireStyle,
    /// Where they are, room for thick lines not included.
    pub area: Rect,
    /// Commands as of SVG paths, in pixels from the upper left corner of `area`.
    pub commands: String,
}

/// The index map of a wire.
#[derive(Clone, Debug, PartialEq)]
pub struct WireLabel {
    /// Its line.
    pub key: LinkKey,
    /// What is written.
    pub text: String,
    /// Where.
    pub area: Rect,
    /// How its wire looks.
    pub style: WireStyle,
}

/// What stands at the middle of a wire.
#[derive(Clone, Debug, PartialEq)]
pub struct WireBadge {
    /// Its line.
    pub key: LinkKey,
    /// Where the badge's middle is: above the label, if there is one.
    pub at: Point,
    /// Values that wait at its target.
    pub n_queued: Option<u64>,
    /// Values that went along it.
    pub n_passed: Option<u64>,
    /// A breakpoint on it.
    pub breakpoint: Option<BreakpointMark>,
    /// What is wrong with it.
    pub error: Mark,
}

/// A value on its way, or a bend that can be pulled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dot {
    /// Where.
    pub at: Point,
    /// Color on light pages.
    pub light: Rgb,
    /// Color on dark pages.
    pub dark: Rgb,
    /// Whether it is selected; of a value, never.
    pub is_selected: bool,
}

/// A comment.
#[derive(Clone, Debug, PartialEq)]
pub struct CommentItem {
    /// Its number in the file.
    pub number: u64,
    /// What it says; empty for blocks.
    pub text: String,
    /// Where.
    pub area: Rect,
    /// Whether it is selected.
    pub is_selected: bool,
    /// Whether the mouse is on it.
    pub is_hovered: bool,
}

/// A frame.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameItem {
    /// Its number in the file.
    pub number: u64,
    /// What stands below its upper edge; may be empty.
    pub title: String,
    /// One of [`FRAME_COLORS`](crate::edit::note::FRAME_COLORS).
    pub color: &'static str,
    /// Where.
    pub area: Rect,
    /// Whether it is selected.
    pub is_selected: bool,
    /// Whether the mouse is on its title or edge.
    pub is_hovered: bool,
}

/// A rubber band.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BandItem {
    /// Where.
    pub area: Rect,
    /// Whether it takes in what it touches, not only what lies in it.
    pub is_touching: bool,
}

/// A wire that is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Ghost {
    /// Where it begins.
    pub from: Point,
    /// Where it ends.
    pub to: Point,
    /// Color on light pages.
    pub light: Rgb,
    /// Color on dark pages.
    pub dark: Rgb,
    /// Where the path is.
    pub area: Rect,
    /// Commands as of SVG paths, in pixels from the upper left corner of `area`.
    pub commands: String,
    /// Whether it is over something: then whether that takes it.
    pub takes: Option<bool>,
    /// The line that will be added, or why there will be none; empty over nothing.
    pub text: String,
}

/// The grid behind the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Grid {
    /// Where its first line from the left and from above is, from 0 to `step`.
    pub offset: Point,
    /// Distance of its lines, in pixels.
    pub step: f64,
}

/// What a window draws.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// [`Editor::version`] when it was made.
    pub version: u64,
    /// The graph.
    pub graph: String,
    /// Pixels for a world unit.
    pub zoom: f64,
    /// How much is told.
    pub detail: Detail,
    /// The grid.
    pub grid: Grid,
    /// Frames.
    pub frames: Vec<FrameItem>,
    /// Comments.
    pub comments: Vec<CommentItem>,
    /// Wires, the most conspicuous last.
    pub wires: Vec<WireGroup>,
    /// Boxes.
    pub nodes: Vec<NodeItem>,
    /// Their ports; none unless [`detail`](Self::detail) is full.
    pub ports: Vec<PortItem>,
    /// Index maps; none unless detail is full.
    pub labels: Vec<WireLabel>,
    /// What stands at wires.
    pub badges: Vec<WireBadge>,
    /// Bends of the wires that are selected or under the mouse.
    pub bends: Vec<Dot>,
    /// Values on their way.
    pub pulses: Vec<Dot>,
    /// Lines along which boxes are in line: ends of each.
    pub guides: Vec<[Point; 2]>,
    /// The rubber band.
    pub band: Option<BandItem>,
    /// The wire that is drawn.
    pub ghost: Option<Ghost>,
    /// The line along which wires are cut.
    pub knife: Vec<Point>,
}

/// All of the graph, small.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MinimapPicture {
    /// Boxes.
    pub nodes: Vec<Rect>,
    /// Frames.
    pub frames: Vec<Rect>,
    /// What the canvas shows.
    pub view: Rect,
}

impl Editor {
    /// The picture of what the canvas shows. Cost: linear in what is seen.
    pub fn picture(&mut self) -> Picture {
        self.mark_errors();
        let view = self.view();
        let zoom = view.zoom();
        let detail = match zoom {
            _ if zoom >= FULL_ZOOM => Detail::Full,
            _ if zoom >= TITLE_ZOOM => Detail::Titles,
            _ => Detail::Blocks,
        };
        let mut picture = Picture {
            version: self.version,
            graph: self.graph.clone(),
            zoom,
            detail,
            grid: grid(view.screen_from_world(Point::default()), zoom),
            frames: Vec::new(),
            comments: Vec::new(),
            wires: Vec::new(),
            nodes: Vec::new(),
            ports: Vec::new(),
            labels: Vec::new(),
            badges: Vec::new(),
            bends: Vec::new(),
            pulses: Vec::new(),
            guides: Vec::new(),
            band: None,
            ghost: None,
            knife: Vec::new(),
        };
        let Some(shown) = self.drawn.shown() else { return picture };
        let things = visible(&shown.scene, &shown.index, view.visible(self.size));
        self.add_notes(&mut picture, &things);
        self.add_wires(&mut picture, &things.links);
        self.add_boxes(&mut picture, &things.boxes);
        if detail == Detail::Full {
            self.add_ports(&mut picture, &things.boxes);
        }
        self.add_gesture(&mut picture);
        picture
    }

    /// All of the graph in a rectangle of a size, for [`pointer_on_minimap`](Self::pointer_on_minimap).
    pub fn minimap(&self, size: Point) -> MinimapPicture {
        let Some(shown) = self.drawn.shown() else { return MinimapPicture::default() };
        let seen = self.view().visible(self.size);
        let map = Minimap::new(&shown.scene, seen, Rect::new(0.0, 0.0, size.x, size.y));
        let frames = shown.scene.frames.iter().map(|frame| map.map_rect_from_world(frame.area));
        MinimapPicture {
            nodes: map.boxes(&shown.scene),
            frames: frames.collect(),
            view: map.map_rect_from_world(seen),
        }
    }

    /// Where a box of the shown graph is on the canvas; also of one that is not seen.
    pub fn node_area(&self, node: &str) -> Option<Rect> {
        let scene = &self.drawn.shown()?.scene;
        let area = scene.boxes[scene.box_named(node)?].area;
        Some(self.view().screen_rect_from_world(area))
    }

    /// Where a port of the shown graph is on the canvas; `port` is empty where the node is one itself.
    pub fn port_at_name(&self, node: &str, side: crate::edit::port::Side, port: &str) -> Option<Point> {
        let shown = self.drawn.shown()?;
        let name = crate::drawing::connect::PortName { node: node.to_owned(), side, port: port.to_owned() };
        let anchor = shown.scene.port(shown.place_of(&name)?)?.anchor;
        Some(self.view().screen_from_world(anchor))
    }

    /// Where the middle of a wire is on the canvas.
    pub fn link_middle(&self, key: LinkKey) -> Option<Point> {
        let scene = &self.drawn.shown()?.scene;
        let link = &scene.links[scene.link_at_row(key.0, key.1)?];
        Some(self.view().screen_from_world(link.path.middle()?))
    }

    /// Whether a gesture is one that draws a wire.
    pub(super) fn is_wiring(&self) -> bool {
        matches!(self.gesture, Gesture::Wire(_) | Gesture::Keys(_))
    }
}

/// The grid as far as it can be told apart.
fn grid(origin: Point, zoom: f64) -> Grid {
    let mut step = GRID as f64 * zoom;
    while step < LEAST_GRID {
        step *= 2.0;
    }
    Grid { offset: Point::new(origin.x.rem_euclid(step), origin.y.rem_euclid(step)), step }
}
