//! Settling links after boxes were moved: those that the moves concern are drawn anew, as if all were.
//!
//! Links are led one after another, each around boxes and off the ways of those before it; then texts are put, each off boxes,
//! all curves and the texts before it. So a link is as it was unless something in the rectangle that it looked at is not.

use std::collections::BTreeMap;

use super::{Rect, Scene, room_of};
use crate::drawing::geometry::Path;
use crate::drawing::router::Line;

/// Which other links a link keeps off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// Those before it, as when all are drawn.
    Earlier,
    /// All, as while boxes are dragged.
    All,
}

impl Seen {
    pub(super) fn sees(self, link_idx: usize, other_idx: usize) -> bool {
        match self {
            Self::Earlier => other_idx < link_idx,
            Self::All => other_idx != link_idx,
        }
    }
}

/// Boxes and links that were drawn elsewhere when all links were settled last.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Moves {
    /// Boxes, with the room around them.
    boxes: BTreeMap<usize, Rect>,
    links: BTreeMap<usize, Drawn>,
}

impl Moves {
    /// A box is about to be moved.
    pub(super) fn note_box(&mut self, box_idx: usize, room: Rect) {
        self.boxes.entry(box_idx).or_insert(room);
    }
}

/// How a link is drawn.
#[derive(Clone, Debug, PartialEq)]
struct Drawn {
    path: Path,
    way: Vec<Line>,
    pieces: Vec<Rect>,
    texts: Vec<Rect>,
}

impl Scene {
    fn drawn(&self, link_idx: usize) -> Drawn {
        let link = &self.links[link_idx];
        Drawn {
            path: link.path.clone(),
            way: self.ways[link_idx].clone(),
            pieces: self.pieces[link_idx].clone(),
            texts: link.text_areas().collect(),
        }
    }

    /// A link is about to be drawn anew.
    pub(super) fn note_link(&mut self, link_idx: usize) {
        if !self.moves.links.contains_key(&link_idx) {
            let drawn = self.drawn(link_idx);
            self.moves.links.insert(link_idx, drawn);
        }
    }

    /// Draws links anew as far as boxes were [moved](Self::move_boxes) since all were drawn: everything is as
    /// [`settle`](Self::settle) makes it. Returns the links that were drawn, in order. Cost: that of leading the links that the
    /// moves concern, and linear in all others.
    pub fn settle_moved(&mut self) -> Vec<usize> {
        let Moves { boxes, links: mut before } = std::mem::take(&mut self.moves);
        let now = |box_idx: &usize| self.boxes.get(*box_idx).map(room_of);
        let boxes: Vec<Rect> = boxes.values().copied().chain(boxes.keys().filter_map(now)).collect();
        // Where ways, curves and texts were or are that differ from those before the moves.
        let (mut ways, mut curves, mut texts) = (boxes.clone(), boxes, Vec::new());
        let mut led = Vec::new();
        for link_idx in 0..self.links.len() {
            let own = self.looked_at[link_idx];
            let is_due = before.contains_key(&link_idx) || ways.iter().any(|area| area.intersects(own));
            if !is_due {
                continue;
            }
            let drawn = self.drawn(link_idx);
            let old = before.entry(link_idx).or_insert(drawn);
            self.lead(link_idx, Seen::Earlier);
            if old.path != self.links[link_idx].path {
                ways.extend(old.way.iter().chain(&self.ways[link_idx]).map(Line::bounds));
                curves.extend(old.pieces.iter().chain(&self.pieces[link_idx]).copied());
            }
            led.push(link_idx);
        }
        let mut led = led.into_iter().peekable();
        let mut written = Vec::new();
        for link_idx in 0..self.links.len() {
            if led.next_if_eq(&link_idx).is_none() {
                let reach = self.text_reach(link_idx, self.links[link_idx].longest_text());
                let Some(around) = reach.iter().copied().reduce(Rect::union) else { continue };
                let mut near = curves.iter().chain(&texts).filter(|area| area.intersects(around));
                if !near.any(|area| reach.iter().any(|reach| reach.intersects(*area))) {
                    continue;
                }
            }
            let drawn = self.drawn(link_idx);
            let old = before.remove(&link_idx).unwrap_or(drawn);
            self.write(link_idx, Seen::Earlier);
            let now: Vec<Rect> = self.links[link_idx].text_areas().collect();
            if old.texts != now {
                texts.extend(old.texts.into_iter().chain(now));
            }
            written.push(link_idx);
        }
        written
    }
}
