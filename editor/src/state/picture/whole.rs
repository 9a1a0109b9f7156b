//! The picture of all of a graph at its own size, to be saved.

use std::mem::{replace, take};

use super::super::editor::Editor;
use super::super::gesture::phase::Gesture;
use super::items::{Grid, Picture};
use crate::drawing::geometry::{Point, Rect};
use crate::drawing::measure::text_width;
use crate::drawing::view::View;

/// Room around the picture, in pixels.
const MARGIN: f64 = 24.0;
/// Height of three rows of dots below a box.
const DOTS_HEIGHT: f64 = 34.0;
/// Size of the letters and height of the lines of a note below a box.
const NOTE_SIZE: f64 = 10.5;
const NOTE_LINE: f64 = 15.0;

impl Editor {
    /// Returns whether the shown graph has something to be drawn.
    pub fn has_picture(&self) -> bool {
        self.drawn.shown().is_some_and(|shown| shown.scene.bounds().is_some())
    }

    /// Draws all of the shown graph at its own size, and returns the picture with its size; `None` where there is nothing to
    /// be drawn. The grid, the selection,
    /// the pointer and the gesture under way are left out. Each wire is a group of its own.
    pub fn whole_picture(&mut self) -> Option<(Picture, Point)> {
        let bounds = self.drawn.shown()?.scene.bounds()?.grown(MARGIN);
        let size = replace(&mut self.size, Point::new(bounds.width(), bounds.height()));
        let (selection, hover) = (take(&mut self.selection), self.hover.take());
        let gesture = replace(&mut self.gesture, Gesture::None);
        let view = self.views.insert(self.graph.clone(), View::new(bounds.min, 1.0));
        let mut picture = self.drawn_picture(true);
        picture.grid = Grid::default();
        match view {
            Some(view) => drop(self.views.insert(self.graph.clone(), view)),
            None => drop(self.views.remove(&self.graph)),
        }
        (self.size, self.selection, self.hover, self.gesture) = (size, selection, hover, gesture);
        let canvas = Rect::new(0.0, 0.0, bounds.width(), bounds.height());
        let all = picture.nodes.iter().map(|node| {
            let has_dots = !node.marks.dots.is_empty();
            below(node.area, has_dots, &node.marks.note)
        });
        let room = all.fold(canvas, Rect::union);
        Some((picture, room.max))
    }
}

/// The room that a box takes with what is written below it.
fn below(area: Rect, has_dots: bool, note: &str) -> Rect {
    let mut room = area;
    if has_dots {
        room.max.y += DOTS_HEIGHT;
    }
    if !note.is_empty() {
        let width = (area.width() * 1.6).max(120.0);
        let n_lines = (text_width(note, NOTE_SIZE) / width).ceil() + 1.0;
        room.max.x = room.max.x.max(area.min.x + width);
        room.max.y += n_lines * NOTE_LINE;
    }
    room
}
