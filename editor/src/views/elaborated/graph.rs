//! Boxes, lines and groups of the graph.

use std::collections::BTreeMap;

use hasse_model::id::ObjectId;

use crate::drawing::geometry::{Point, Rect};

/// Most boxes that are laid out in layers.
pub const MOST_LAYERED: usize = 2_000;

/// Most lines between boxes that are laid out in layers.
pub(super) const MOST_LAYERED_LINES: usize = 6_000;

/// Most instances of a group on a page.
pub const PAGE: usize = 4_096;

/// Most boxes in all.
pub const MOST_BOXES: usize = 60_000;

/// Subject of a box. In a preview, positions are those in the expansion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Thing {
    /// An instance, by position in the record.
    Action(u32),
    /// A shared object.
    Object(ObjectId),
}

/// A box.
#[derive(Clone, Debug, PartialEq)]
pub struct InstanceBox {
    /// What it stands for.
    pub thing: Thing,
    /// Position of its group.
    pub group: usize,
    /// Position of the node; `u32::MAX` for objects.
    pub template: u32,
    /// Where it stands.
    pub area: Rect,
    /// Its name: the last part of its path.
    pub name: String,
    /// How often it executed, or was accessed.
    pub n_events: u64,
}

/// What passed between two boxes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependence {
    /// Position of the box where it begins.
    pub source: usize,
    /// Position of the box where it ends.
    pub target: usize,
    /// Number of values; of a line to or from an object, of accesses. None in a preview.
    pub n_values: u64,
    /// True in a preview if a condition that depends on values decides about it.
    pub is_conditional: bool,
    /// Arcs by which values came, by position in the program.
    pub arcs: Vec<u32>,
}

/// Instances of one node in one graph instance, or the objects.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The node's label and the path of the graph instance.
    pub title: String,
    /// Position of the node; `u32::MAX` for objects.
    pub template: u32,
    /// Number of instances.
    pub n_all: usize,
    /// The first one that is shown, from 0.
    pub first: usize,
    /// Number of those shown.
    pub n_shown: usize,
    /// Around its boxes, with room for the title; nothing where they are laid out in layers.
    pub area: Option<Rect>,
}

/// The graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Elaborated {
    /// Boxes, group by group.
    pub boxes: Vec<InstanceBox>,
    /// What passed between boxes that are shown, by source and target.
    pub lines: Vec<Dependence>,
    /// Ways of lines, as points of straight pieces; none where lines go straight from box to box.
    pub(super) ways: Vec<Vec<Point>>,
    /// Groups, by node and graph instance; the objects last.
    pub groups: Vec<Group>,
    /// What is not shown, in words; empty where everything is.
    pub notes: Vec<String>,
    /// Position of each box.
    pub(super) box_of: BTreeMap<Thing, usize>,
    /// For each box the lines at it.
    pub(super) lines_at: Vec<Vec<u32>>,
}

impl Elaborated {
    /// The box of an instance or object, where it is shown.
    pub fn box_of(&self, thing: Thing) -> Option<usize> {
        self.box_of.get(&thing).copied()
    }

    /// The lines at a box, by position.
    pub fn lines_of(&self, box_idx: usize) -> &[u32] {
        self.lines_at.get(box_idx).map_or(&[], |lines| lines)
    }

    /// The way of a line, by position, as the points of straight pieces; empty where it goes straight from box to box.
    pub fn way(&self, line_idx: usize) -> &[Point] {
        self.ways.get(line_idx).map_or(&[], |way| way)
    }

    /// Around everything.
    pub fn bounds(&self) -> Option<Rect> {
        let groups = self.groups.iter().filter_map(|group| group.area);
        let ways = self.ways.iter().filter_map(|way| Rect::around(way.iter().copied()));
        self.boxes.iter().map(|node| node.area).chain(groups).chain(ways).reduce(Rect::union)
    }
}
