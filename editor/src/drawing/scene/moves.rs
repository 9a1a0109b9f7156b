//! Geometry from before the moves since links were settled last.

use std::collections::BTreeMap;

use crate::drawing::geometry::{Path, Rect};
use crate::drawing::router::Line;

/// Other links whose lanes and labels a link avoids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Avoided {
    /// Links before it, as when all links are routed.
    Earlier,
    /// All others, as while boxes are dragged.
    All,
}

impl Avoided {
    pub(super) fn includes(self, link_idx: usize, other_idx: usize) -> bool {
        match self {
            Self::Earlier => other_idx < link_idx,
            Self::All => other_idx != link_idx,
        }
    }
}

/// Geometry of boxes and links before they changed, since links were settled last.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Displaced {
    /// Boxes, with the room around them.
    pub(super) boxes: BTreeMap<usize, Rect>,
    pub(super) links: BTreeMap<usize, Geometry>,
}

impl Displaced {
    /// Keeps the area of a box before its first move.
    pub(super) fn note_box(&mut self, box_idx: usize, room: Rect) {
        self.boxes.entry(box_idx).or_insert(room);
    }
}

/// Geometry of one link.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Geometry {
    pub(super) path: Path,
    pub(super) way: Vec<Line>,
    pub(super) pieces: Vec<Rect>,
    pub(super) texts: Vec<Rect>,
}
