//! What a picture consists of: plain data in logical pixels of the canvas.

use super::super::check::findings::ErrorMark;
use super::super::selection::selected::LinkKey;
use crate::drawing::color::{Rgb, TypeToken};
use crate::drawing::geometry::{Point, Rect};
use crate::drawing::scene::Edge;
use crate::marks::{BreakpointMark, CheckMark, Highlight, NodeMarks};

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
    /// Distance, in pixels, of the rightmost port at the lower edge from the left edge; `None` where there is none. What is
    /// written below keeps clear of share lines there.
    pub last_port_below: Option<f64>,
    /// What is wrong with it.
    pub error: ErrorMark,
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
    /// True where a box above the port's own one hides it.
    pub is_covered: bool,
    /// True where a box above the port's own one hides part of the label.
    pub is_label_covered: bool,
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
    /// Commands as of SVG paths, in pixels from the upper left corner of `area`; none unless detail is full.
    pub commands: String,
    /// The same as straight lines on the canvas where detail is not full: there may be thousands of them.
    pub segments: Vec<[Point; 2]>,
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
    /// Room for its texts.
    pub area: Rect,
    /// The side of that area at which the wire is: 0 for the left one, 1 for the right one, between them above or below.
    pub hug: f64,
    /// Set if that room covers boxes or other texts.
    pub is_crowded: bool,
    /// Values that wait at its target.
    pub n_queued: Option<u64>,
    /// Fill of the port there in percent of its bound, where that has one.
    pub fill: Option<u8>,
    /// Values that went along it.
    pub n_passed: Option<u64>,
    /// A breakpoint on it.
    pub breakpoint: Option<BreakpointMark>,
    /// Verdict of the checks that name its two ends.
    pub check: Option<CheckMark>,
    /// What is wrong with it.
    pub error: ErrorMark,
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

/// What the mouse looks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Cursor {
    /// An arrow.
    #[default]
    Default,
    /// A cross: a wire can be drawn, or is.
    Crosshair,
    /// A pointing hand: something can be clicked.
    Pointer,
    /// Arrows in all directions: something is moved.
    Move,
    /// An open hand: the picture can be moved.
    Grab,
    /// A closed hand: the picture is moved.
    Grabbing,
    /// Arrows to the left and right: an edge can be moved.
    ResizeColumn,
    /// Arrows up and down.
    ResizeRow,
    /// Arrows to the upper left and lower right: a corner can be moved.
    ResizeDown,
    /// Arrows to the lower left and upper right.
    ResizeUp,
    /// A barred circle: it is refused here.
    NotAllowed,
}

/// What a window draws.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// [`Editor::version`](crate::state::Editor::version) when it was made.
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
    /// What the mouse looks like.
    pub cursor: Cursor,
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
    /// Set if part of the graph lies outside the canvas.
    pub extends_beyond_view: bool,
}
