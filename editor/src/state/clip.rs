//! Nodes as text, to and from the clipboard.

use hasse_model::quantity::counted;
use std::collections::BTreeMap;

use super::editor::Editor;
use super::gesture::carry::unplaced;
use super::selection::selected::Selection;
use crate::drawing::arrange::snapped;
use crate::drawing::geometry::Rect;
use crate::edit::place::{self, Position};
use crate::edit::{clip, node};

/// How far from what they are copied from copies are put.
const OFFSET: Position = [20, 20];

impl Editor {
    /// The selected nodes with the links between them as text for the clipboard; `None` where none are selected.
    pub fn copy(&self) -> Option<String> {
        let nodes = self.selected_nodes();
        if nodes.is_empty() {
            return None;
        }
        let names: Vec<&str> = nodes.iter().map(String::as_str).collect();
        Some(clip::copy(self.drawn.tables(), &self.graph, &names))
    }

    /// As [`copy`](Self::copy), and removes them.
    pub fn cut_nodes(&mut self) -> Option<String> {
        let text = self.copy()?;
        let nodes = self.selected_nodes();
        self.edit_graph("cut", |tables, graph| {
            node::remove(tables, graph, &nodes.iter().map(String::as_str).collect::<Vec<_>>())
        });
        Some(text)
    }

    /// Puts nodes of the clipboard at the cursor, or into the middle of the canvas, and selects them. Tells whether any
    /// were; what is not nodes is refused.
    pub fn paste(&mut self, text: &str) -> bool {
        let at = self.cursor.filter(|at| self.canvas().contains(*at)).unwrap_or(self.canvas().center());
        let world = self.view().world_from_screen(at);
        let mut corner = snapped(world.x, world.y);
        let taken: Vec<Position> = self
            .drawn
            .shown()
            .map(|shown| shown.scene.boxes.iter().map(|node| node.area.min))
            .map(|corners| corners.map(|at| [at.x.round() as i64, at.y.round() as i64]).collect())
            .unwrap_or_default();
        while taken.contains(&corner) {
            corner = [corner[0] + OFFSET[0], corner[1] + OFFSET[1]];
        }
        let loose = self.drawn.shown().map(|shown| unplaced(&shown.scene, |_| false)).unwrap_or_default();
        let mut names = Vec::new();
        let is_done = self.edit_graph("paste", |tables, graph| {
            names = clip::paste(tables, graph, text, [0, 0])?;
            let held: BTreeMap<String, Position> = place::positions(tables, graph).into_iter().collect();
            let own = names.iter().map(|name| held.get(name).copied());
            let least = |axis: usize| own.clone().flatten().map(|at| at[axis]).min();
            let (x, y) = (least(0).unwrap_or(corner[0]), least(1).unwrap_or(corner[1]));
            let mut n_loose = 0;
            let mut places: Vec<(&str, Position)> = Vec::new();
            for (name, at) in names.iter().zip(own.clone()) {
                let at = at.unwrap_or_else(|| {
                    n_loose += 1;
                    [x + (n_loose - 1) * OFFSET[0], y + (n_loose - 1) * OFFSET[1]]
                });
                let by = [corner[0].saturating_sub(x), corner[1].saturating_sub(y)];
                places.push((name, [at[0].saturating_add(by[0]), at[1].saturating_add(by[1])]));
            }
            places.extend(loose.iter().map(|(name, at)| (&**name, *at)));
            place::set(tables, graph, &places)
        });
        if is_done {
            self.say(format!("Pasted {}", counted(names.len(), "node")));
            self.select(Selection { nodes: names.into_iter().collect(), ..Selection::default() });
        }
        is_done
    }

    /// Copies the selected nodes beside themselves, without what comes into them.
    pub(super) fn duplicate(&mut self) {
        let nodes = self.selected_nodes();
        let loose = self.drawn.shown().map(|shown| unplaced(&shown.scene, |_| false)).unwrap_or_default();
        let mut names = Vec::new();
        if self.edit_graph("duplicate", |tables, graph| {
            let places: Vec<(&str, Position)> = loose.iter().map(|(name, at)| (&**name, *at)).collect();
            if !places.is_empty() {
                place::set(tables, graph, &places)?;
            }
            let own: Vec<&str> = nodes.iter().map(String::as_str).collect();
            let options = clip::DuplicateOptions { offset: OFFSET, keeps_wires: false };
            names = clip::duplicate(tables, graph, &own, options)?;
            Ok(())
        }) {
            self.select(Selection { nodes: names.into_iter().collect(), ..Selection::default() });
        }
    }

    /// The rectangle around the selected boxes, in world units.
    pub(super) fn boxes_bounds(&self) -> Option<Rect> {
        let shown = self.drawn.shown()?;
        self.selected_boxes().into_iter().map(|idx| shown.scene.boxes[idx].area).reduce(Rect::union)
    }
}
