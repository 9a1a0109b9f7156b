//! Incremental routing: after boxes were moved, only affected links are routed again, with the result of routing all links.
//!
//! Links are routed in order; each avoids boxes and the lanes of earlier links. Then labels are placed in order; each avoids
//! boxes, all curves and earlier labels. A link therefore changes only if something within its route area or label area changes.

use super::Scene;
use super::moves::{Avoided, Displaced, Geometry};
use super::room::room_of;
use crate::drawing::geometry::Rect;
use crate::drawing::router::Line;

impl Scene {
    fn geometry(&self, link_idx: usize) -> Geometry {
        let link = &self.links[link_idx];
        Geometry {
            path: link.path.clone(),
            way: self.ways[link_idx].clone(),
            pieces: self.pieces[link_idx].clone(),
            texts: link.text_areas().collect(),
        }
    }

    /// Keeps the geometry of a link before its first change.
    pub(super) fn keep_settled_link(&mut self, link_idx: usize) {
        if !self.moves.links.contains_key(&link_idx) {
            let current = self.geometry(link_idx);
            self.moves.links.insert(link_idx, current);
        }
    }

    /// Routes and labels the links that [moves](Self::move_boxes) since the last settling affect. The scene is then equal to one
    /// that was [settled](Self::settle) as a whole. Returns the changed links, ascending. Cost: routing the affected links, and
    /// linear in the number of links.
    pub fn settle_moved(&mut self) -> Vec<usize> {
        let Displaced { boxes, links: mut before } = std::mem::take(&mut self.moves);
        let now = |box_idx: &usize| self.boxes.get(*box_idx).map(room_of);
        let boxes: Vec<Rect> = boxes.values().copied().chain(boxes.keys().filter_map(now)).collect();
        // Areas in which routes, curves and labels changed: before and after.
        let (mut ways, mut curves, mut texts) = (boxes.clone(), boxes, Vec::new());
        let mut rerouted = Vec::new();
        for link_idx in 0..self.links.len() {
            let own = self.route_areas[link_idx];
            let is_due = before.contains_key(&link_idx) || ways.iter().any(|area| area.intersects(own));
            if !is_due {
                continue;
            }
            let current = self.geometry(link_idx);
            let old = before.entry(link_idx).or_insert(current);
            self.lead(link_idx, Avoided::Earlier);
            if old.path != self.links[link_idx].path {
                ways.extend(old.way.iter().chain(&self.ways[link_idx]).map(Line::bounds));
                curves.extend(old.pieces.iter().chain(&self.pieces[link_idx]).copied());
            }
            rerouted.push(link_idx);
        }
        let mut rerouted = rerouted.into_iter().peekable();
        let mut relabeled = Vec::new();
        for link_idx in 0..self.links.len() {
            if rerouted.next_if_eq(&link_idx).is_none() {
                let reach = self.text_reach(link_idx, self.links[link_idx].longest_text());
                let Some(around) = reach.iter().copied().reduce(Rect::union) else { continue };
                let mut near = curves.iter().chain(&texts).filter(|area| area.intersects(around));
                if !near.any(|area| reach.iter().any(|reach| reach.intersects(*area))) {
                    continue;
                }
            }
            let current = self.geometry(link_idx);
            let old = before.remove(&link_idx).unwrap_or(current);
            self.write(link_idx, Avoided::Earlier);
            let now: Vec<Rect> = self.links[link_idx].text_areas().collect();
            if old.texts != now {
                texts.extend(old.texts.into_iter().chain(now));
            }
            relabeled.push(link_idx);
        }
        relabeled
    }
}
