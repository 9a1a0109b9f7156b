//! The states of the machine: what a hand is doing.

use std::collections::{BTreeMap, BTreeSet};

use super::super::input::{Button, Modifiers};
use super::super::selection::selected::Selection;
use crate::drawing::connect::NewLink;
use crate::drawing::geometry::{Point, Rect};
use crate::drawing::hit::Hit;
use crate::drawing::scene::PortPlace;
use crate::edit::heal::LinkEnd;
use crate::edit::link::LinkList;

/// What a hand is doing.
#[derive(Default)]
pub(in super::super) enum Gesture {
    /// Nothing.
    #[default]
    None,
    /// A button is down and the mouse has not moved.
    Pressed(Pressed),
    /// The picture is moved; the place of the mouse.
    Pan(Point, Button),
    /// A rubber band, in world units, and what was selected before.
    Band { from: Point, to: Point, before: Selection, modifiers: Modifiers },
    /// What is selected is moved.
    Carry(Carry),
    /// A bend, a frame's edge or a comment's edge is moved.
    Pull(Pull),
    /// A wire is drawn.
    Wire(WireDrag),
    /// Wires are cut along a line, in world units.
    Knife(Vec<Point>),
    /// A wire is made by keys.
    Keys(KeyWire),
}

/// A button that went down.
#[derive(Clone, Copy)]
pub(in super::super) struct Pressed {
    pub(super) at: Point,
    pub(super) button: Button,
    pub(super) modifiers: Modifiers,
    pub(super) hit: Option<Hit>,
    /// Whether what is under it was selected before.
    pub(super) was_selected: bool,
}

/// A line in which what is moved stands with something, in world units.
#[derive(Clone, Copy)]
pub(in super::super) struct Guide {
    pub(in super::super) from: Point,
    pub(in super::super) to: Point,
}

/// What is moved.
pub(in super::super) struct Carry {
    pub(super) from: Point,
    /// The rectangle that is kept on the grid and in line.
    pub(super) lead: Rect,
    pub(super) boxes: Vec<(usize, Point)>,
    pub(super) comments: Vec<(usize, Rect)>,
    pub(super) frames: Vec<(usize, Rect)>,
    /// Bends of links both of whose boxes are moved, or which are selected.
    pub(super) bends: Vec<(usize, Vec<Point>, BTreeSet<usize>)>,
    pub(super) by: [i64; 2],
    pub(in super::super) guides: Vec<Guide>,
    /// The arc that the box would be put onto.
    pub(in super::super) onto: Option<usize>,
}

/// What is pulled.
pub(in super::super) enum Pull {
    /// A bend of a link.
    Bend { link_idx: usize, bend_idx: usize, bends: Vec<Point>, is_new: bool },
    /// Sides of a frame: left, top, right, bottom.
    Frame { frame_idx: usize, sides: [bool; 4], area: Rect },
    /// The right edge of a comment; its text as it was.
    Comment { comment_idx: usize, text: String },
}

/// A wire that is being drawn.
pub(in super::super) struct WireDrag {
    /// The port at which it is held fast.
    pub(in super::super) from: PortPlace,
    /// The line whose end is led elsewhere, and the link in the scene.
    pub(in super::super) replug: Option<(LinkList, usize, LinkEnd, usize)>,
    /// Where its loose end is, in world units.
    pub(in super::super) at: Point,
    pub(in super::super) over: Option<Over>,
    /// The unit under the cursor that would get a port for it, as none of its own takes it.
    pub(in super::super) new_port: Option<usize>,
    /// Ports that were asked for, and whether they take the wire.
    pub(in super::super) candidates: BTreeMap<PortPlace, bool>,
}

/// The port under the cursor.
#[derive(Clone)]
pub(in super::super) struct Over {
    pub(in super::super) place: PortPlace,
    /// The line that connects it, or why there is none.
    pub(in super::super) line: Result<NewLink, String>,
}

/// A wire that is made by keys.
pub(in super::super) struct KeyWire {
    /// The ports that can be chosen now.
    pub(in super::super) places: Vec<PortPlace>,
    /// Which of them is chosen.
    pub(in super::super) place_idx: usize,
    /// The port that it begins at, once that is chosen.
    pub(in super::super) from: Option<PortPlace>,
}

impl KeyWire {
    pub(in super::super) fn chosen(&self) -> Option<PortPlace> {
        self.places.get(self.place_idx).copied()
    }
}
