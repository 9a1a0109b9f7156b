//! Boxes in line, tidy layouts, steps by keys, and the walk from box to box.

use super::editor::Editor;
use super::gesture::carry::unplaced;
use super::selection::selected::Selection;
use crate::drawing::arrange::{Align, Distribute, GRID, aligned, distributed, snapped};
use crate::drawing::geometry::{Point, Rect};
use crate::drawing::tidy::{outdated_bends, tidy};
use crate::edit::note::{self, Frame};
use crate::edit::place::{self, Position};
use crate::edit::route;

/// Room between a frame and what it is put around, and above that for its title.
const FRAME_PADDING: f64 = 20.0;
const FRAME_HEAD: f64 = 20.0;
/// How much lower a box has to be to be in the next line of reading.
const READING_LINE: f64 = 40.0;

impl Editor {
    /// Puts boxes elsewhere, and others without a place where they stand.
    fn put_boxes(&mut self, label: &str, moved: &[(usize, Position)], has_tidied: bool) {
        let Some(shown) = self.drawn.shown() else { return };
        let scene = &shown.scene;
        let boxes: Vec<usize> = moved.iter().map(|(idx, _)| *idx).collect();
        let mut places: Vec<(String, Position)> =
            moved.iter().map(|(idx, at)| (scene.boxes[*idx].name.clone(), *at)).collect();
        places.extend(unplaced(scene, |idx| boxes.contains(&idx)));
        let bends = if has_tidied { outdated_bends(scene, Some(&boxes)) } else { Vec::new() };
        self.edit_graph(label, |tables, graph| {
            let places: Vec<(&str, Position)> = places.iter().map(|(name, at)| (&**name, *at)).collect();
            place::set(tables, graph, &places)?;
            bends.iter().try_for_each(|(list, row)| route::set_bends(tables, graph, *list, *row, &[]))
        });
    }

    fn selected_areas(&self) -> (Vec<usize>, Vec<Rect>) {
        let boxes = self.selected_boxes();
        let Some(shown) = self.drawn.shown() else { return Default::default() };
        let areas = boxes.iter().map(|&idx| shown.scene.boxes[idx].area).collect();
        (boxes, areas)
    }

    pub(super) fn align(&mut self, align: Align) {
        let (boxes, areas) = self.selected_areas();
        let moved: Vec<(usize, Position)> = boxes.into_iter().zip(aligned(&areas, align)).collect();
        self.put_boxes("align", &moved, false);
    }

    pub(super) fn distribute(&mut self, direction: Distribute) {
        let (boxes, areas) = self.selected_areas();
        let moved: Vec<(usize, Position)> = boxes.into_iter().zip(distributed(&areas, direction)).collect();
        self.put_boxes("distribute", &moved, false);
    }

    /// Lays out all boxes, or the selected ones.
    pub(super) fn tidy(&mut self, is_selection: bool) {
        let boxes = self.selected_boxes();
        let Some(shown) = self.drawn.shown() else { return };
        let moved = tidy(&shown.scene, is_selection.then_some(&boxes[..]));
        self.put_boxes(if is_selection { "tidy the selection" } else { "tidy all" }, &moved, true);
        if !is_selection && !self.sees_all() {
            self.fit_whole();
        }
    }

    /// Moves what is selected by steps of the grid; nothing selected, the picture.
    pub(super) fn nudge(&mut self, x: i64, y: i64, is_far: bool) {
        let step = if is_far { 10 * GRID } else { GRID };
        let by = [x * step, y * step];
        let boxes = self.selected_boxes();
        let selection = self.selection.clone();
        if boxes.is_empty() && selection.comments.is_empty() && selection.frames.is_empty() {
            let mut view = self.view();
            let pixels = if is_far { 200.0 } else { 40.0 };
            view.pan(Point::new(-(x as f64) * pixels, -(y as f64) * pixels));
            return self.set_view(view);
        }
        let Some(shown) = self.drawn.shown() else { return };
        let moved = |at: Point| [at.x.round() as i64 + by[0], at.y.round() as i64 + by[1]];
        let mut places: Vec<(String, Position)> = boxes
            .iter()
            .map(|&idx| (shown.scene.boxes[idx].name.clone(), moved(shown.scene.boxes[idx].area.min)))
            .collect();
        if !places.is_empty() {
            places.extend(unplaced(&shown.scene, |idx| boxes.contains(&idx)));
        }
        let comments = shown.scene.comments.iter().filter(|held| selection.comments.contains(&held.number));
        let comments: Vec<(u64, Position)> =
            comments.map(|held| (held.number, moved(held.area.min))).collect();
        let frames = shown.scene.frames.iter().filter(|held| selection.frames.contains(&held.number));
        let frames: Vec<(u64, Position)> = frames.map(|held| (held.number, moved(held.area.min))).collect();
        let graph = self.graph.clone();
        // Refusals are the status.
        let _ = self.edit_on("move by keys", &format!("nudge {graph} {selection:?}"), |tables| {
            if !places.is_empty() {
                let places: Vec<(&str, Position)> = places.iter().map(|(name, at)| (&**name, *at)).collect();
                place::set(tables, &graph, &places)?;
            }
            comments.iter().try_for_each(|(number, at)| note::move_comment(tables, &graph, *number, *at))?;
            frames.iter().try_for_each(|(number, at)| note::move_frame(tables, &graph, *number, *at))
        });
        self.reveal_edge();
    }

    /// Keeps what is moved by keys in sight.
    fn reveal_edge(&mut self) {
        let Some(bounds) = self.selection_bounds() else { return };
        let on_screen = self.view().screen_rect_from_world(bounds);
        if !self.canvas().intersects(on_screen) {
            self.reveal();
        }
    }

    /// Selects the box that comes next when they are read line by line, or the one before.
    pub(super) fn step_box(&mut self, is_forward: bool) {
        let Some(shown) = self.drawn.shown() else { return };
        let boxes = &shown.scene.boxes;
        let mut order: Vec<usize> = (0..boxes.len()).collect();
        let line = |idx: usize| (boxes[idx].area.min.y / READING_LINE).floor();
        order.sort_by(|&one, &other| {
            let (own, their) = (boxes[one].area.min, boxes[other].area.min);
            line(one).total_cmp(&line(other)).then(own.x.total_cmp(&their.x)).then(own.y.total_cmp(&their.y))
        });
        let n_boxes = order.len();
        if n_boxes == 0 {
            return;
        }
        let held = order.iter().position(|&idx| self.selection.nodes.contains(&boxes[idx].name));
        let next = match held {
            None if is_forward => 0,
            None => n_boxes - 1,
            Some(place) if is_forward => (place + 1) % n_boxes,
            Some(place) => (place + n_boxes - 1) % n_boxes,
        };
        let nodes = [boxes[order[next]].name.clone()].into();
        self.select(Selection { nodes, ..Selection::default() });
        self.reveal();
    }

    /// Adds a comment at the cursor and asks for its text.
    pub(super) fn add_comment(&mut self) {
        let at = self.cursor.filter(|at| self.canvas().contains(*at)).unwrap_or(self.canvas().center());
        let world = self.view().world_from_screen(at);
        let place = snapped(world.x, world.y);
        self.prompt_new_comment(place);
    }

    /// Puts a frame around what is selected and asks for its title.
    pub(super) fn add_frame(&mut self) {
        let Some(bounds) = self.selection_bounds() else { return };
        let area = bounds.grown(FRAME_PADDING);
        let at = snapped(area.min.x, area.min.y - FRAME_HEAD);
        let end = snapped(area.max.x, area.max.y);
        let frame = Frame {
            number: 0,
            at,
            size: [(end[0] - at[0]).max(GRID), (end[1] - at[1]).max(GRID)],
            title: String::new(),
            color: note::FRAME_COLORS[0].to_owned(),
        };
        let mut number = None;
        let is_done = self.edit_graph("add a frame", |tables, graph| {
            number = Some(note::add_frame(tables, graph, &frame)?);
            Ok(())
        });
        if let (true, Some(number)) = (is_done, number) {
            self.select(Selection { frames: [number].into(), ..Selection::default() });
            self.prompt_frame(number);
        }
    }

    /// Gives the selected frames a color, one of [`FRAME_COLORS`](note::FRAME_COLORS).
    pub fn color_frames(&mut self, color: &str) {
        let numbers = self.selection.frames.clone();
        self.edit_graph("color a frame", |tables, graph| {
            let frames =
                note::frames(tables, graph).into_iter().filter(|held| numbers.contains(&held.number));
            let colored = frames.map(|held| Frame { color: color.to_owned(), ..held });
            colored.collect::<Vec<_>>().iter().try_for_each(|frame| note::set_frame(tables, graph, frame))
        });
    }
}
