//! Moving what is selected: on the grid, in line with what stands around; frames with what stands in them.

use std::collections::BTreeSet;

use hasse_compiler::GraphOutline;

use super::super::drawn::Shown;
use super::super::editor::Editor;
use super::super::input::Modifiers;
use super::phase::{Carry, Gesture, Guide};
use crate::drawing::arrange::snapped;
use crate::drawing::geometry::{Point, Rect};
use crate::drawing::hit::{Hit, TOLERANCE, visible};
use crate::drawing::scene::{Edge, PortPlace, Scene};
use crate::edit::link::LinkList;
use crate::edit::place::{self, Position};
use crate::edit::{heal, note, route};

/// How near boxes have to be in line to be put in line, in pixels.
const GUIDE_DISTANCE: f64 = 5.0;
/// Part of a box along its edges, as a divisor of its extent, that does not take up an arc.
const RIM: f64 = 8.0;

impl Carry {
    /// Begins to move what is selected, held at one of it.
    pub(super) fn begin(editor: &Editor, held: Hit, from: Point) -> Gesture {
        let Some(shown) = editor.drawn.shown() else { return Gesture::None };
        let (scene, selection) = (&shown.scene, &editor.selection);
        let mut boxes: BTreeSet<usize> = editor.selected_boxes().into_iter().collect();
        let mut comments: BTreeSet<usize> = (0..scene.comments.len())
            .filter(|&idx| selection.comments.contains(&scene.comments[idx].number))
            .collect();
        let mut frames: BTreeSet<usize> = (0..scene.frames.len())
            .filter(|&idx| selection.frames.contains(&scene.frames[idx].number))
            .collect();
        for frame_idx in frames.clone() {
            let area = scene.frames[frame_idx].area;
            boxes.extend(scene.boxes_in(frame_idx));
            comments.extend(
                (0..scene.comments.len()).filter(|&idx| area.contains_rect(scene.comments[idx].area)),
            );
            frames.extend((0..scene.frames.len()).filter(|&idx| area.contains_rect(scene.frames[idx].area)));
        }
        let lead = match held {
            Hit::Title(idx) | Hit::Box(idx) => scene.boxes[idx].area,
            Hit::Comment(idx) => scene.comments[idx].area,
            Hit::FrameTitle(frame_idx) | Hit::FrameEdge { frame_idx, .. } => scene.frames[frame_idx].area,
            Hit::Port(place) => scene.boxes[place.box_idx].area,
            Hit::Link(_) | Hit::Bend { .. } => return Gesture::None,
        };
        let bends = scene.links.iter().enumerate().filter_map(|(link_idx, link)| {
            let are_both = boxes.contains(&link.source.box_idx) && boxes.contains(&link.target.box_idx);
            let is_moved = |idx: &usize| are_both || selection.bends.contains(&((link.list, link.row), *idx));
            let moved: BTreeSet<usize> = (0..link.bends.len()).filter(is_moved).collect();
            (!moved.is_empty()).then(|| (link_idx, link.bends.clone(), moved))
        });
        Gesture::Carry(Self {
            from,
            lead,
            bends: bends.collect(),
            boxes: boxes.into_iter().map(|idx| (idx, scene.boxes[idx].area.min)).collect(),
            comments: comments.into_iter().map(|idx| (idx, scene.comments[idx].area)).collect(),
            frames: frames.into_iter().map(|idx| (idx, scene.frames[idx].area)).collect(),
            by: [0, 0],
            guides: Vec::new(),
            onto: None,
        })
    }

    pub(super) fn go_on(&mut self, editor: &mut Editor, to: Point, modifiers: Modifiers) {
        let view = editor.view();
        let around = view.visible(editor.size);
        let Some(shown) = editor.drawn.bend() else { return };
        let raw = Point::new(to.x - self.from.x, to.y - self.from.y);
        self.guides.clear();
        self.by = if modifiers.alt {
            [raw.x.round() as i64, raw.y.round() as i64]
        } else {
            self.in_line(shown, raw, around, GUIDE_DISTANCE / view.zoom())
        };
        let shift = self.shift();
        for (link_idx, original, moved) in &self.bends {
            let bends = original
                .iter()
                .enumerate()
                .map(|(idx, bend)| if moved.contains(&idx) { bend.shifted(shift) } else { *bend });
            shown.bend_link(*link_idx, &bends.collect::<Vec<_>>());
        }
        let moved: Vec<(usize, Position)> =
            self.boxes.iter().map(|(idx, at)| (*idx, self.moved(*at))).collect();
        shown.move_boxes(&moved);
        self.comments.iter().for_each(|(idx, area)| shown.scene.comments[*idx].area = area.shifted(shift));
        self.frames.iter().for_each(|(idx, area)| shown.scene.frames[*idx].area = area.shifted(shift));
        let shown = editor.drawn.shown();
        let near = TOLERANCE / view.zoom();
        self.onto = shown.and_then(|shown| self.arc_below(shown, editor.drawn.graphs(), to, near));
    }

    fn shift(&self) -> Point {
        Point::new(self.by[0] as f64, self.by[1] as f64)
    }

    fn moved(&self, at: Point) -> Position {
        [at.x.round() as i64 + self.by[0], at.y.round() as i64 + self.by[1]]
    }

    /// How far to move so that the lead is in line with a neighbor, else on the grid, in each direction.
    fn in_line(&mut self, shown: &Shown, raw: Point, around: Rect, near: f64) -> [i64; 2] {
        let lead = self.lead.shifted(raw);
        let own: BTreeSet<usize> = self.boxes.iter().map(|(idx, _)| *idx).collect();
        let neighbors: Vec<Rect> = visible(&shown.scene, &shown.index, around)
            .boxes
            .into_iter()
            .filter(|idx| !own.contains(idx))
            .map(|idx| shown.scene.boxes[idx].area)
            .collect();
        let grid = snapped(lead.min.x, lead.min.y);
        let mut by = [grid[0] - self.lead.min.x.round() as i64, grid[1] - self.lead.min.y.round() as i64];
        for (axis, by) in by.iter_mut().enumerate() {
            let lines = |area: Rect| match axis {
                0 => [area.min.x, area.center().x, area.max.x],
                _ => [area.min.y, area.center().y, area.max.y],
            };
            let offsets = neighbors.iter().flat_map(|area| {
                let theirs = lines(*area);
                lines(lead).into_iter().zip(theirs).map(|(own, their)| their - own)
            });
            let best =
                offsets.filter(|offset| offset.abs() <= near).min_by(|a, b| a.abs().total_cmp(&b.abs()));
            if let Some(offset) = best {
                let raw = if axis == 0 { raw.x } else { raw.y };
                *by = (raw + offset).round() as i64;
            }
        }
        let lead = self.lead.shifted(Point::new(by[0] as f64, by[1] as f64));
        for area in neighbors {
            let both = lead.union(area);
            let lines = |one: Rect| {
                let (center, (min, max)) = (one.center(), (one.min, one.max));
                [(min.x, center.x, max.x), (min.y, center.y, max.y)]
            };
            let ([own_x, own_y], [x, y]) = (lines(lead), lines(area));
            let same = |own: (f64, f64, f64), their: (f64, f64, f64)| {
                let pairs = [(own.0, their.0), (own.1, their.1), (own.2, their.2)];
                pairs.into_iter().find(|(own, their)| (own - their).abs() < 0.5).map(|(_, their)| their)
            };
            if let Some(x) = same(own_x, x) {
                self.guides.push(Guide { from: Point::new(x, both.min.y), to: Point::new(x, both.max.y) });
            }
            if let Some(y) = same(own_y, y) {
                self.guides.push(Guide { from: Point::new(both.min.x, y), to: Point::new(both.max.x, y) });
            }
        }
        // The nearest say enough.
        self.guides.sort_by(|a, b| a.from.distance(a.to).total_cmp(&b.from.distance(b.to)));
        self.guides.truncate(4);
        by
    }

    /// Finds the arc below the pointer, which is hit within a distance, or else below the box itself, anywhere along the arc's
    /// curve. The box is a single one with one input and one output port that take the arc's values, and has no links.
    fn arc_below(&self, shown: &Shown, graphs: &[GraphOutline], pointer: Point, near: f64) -> Option<usize> {
        let [(box_idx, _)] = self.boxes[..] else { return None };
        let scene = &shown.scene;
        if self.by == [0, 0] || !scene.links_of(box_idx).is_empty() {
            return None;
        }
        let node = &scene.boxes[box_idx];
        let at = |edge| {
            let port_idx = node.ports.iter().position(|port| port.edge == edge)?;
            Some(PortPlace { box_idx, port_idx })
        };
        let (input, output) = (at(Edge::Left)?, at(Edge::Right)?);
        if node.ports.len() != 2 {
            return None;
        }
        // A box that only touches an arc with its edge lies next to it.
        let inside = node.area.grown(-node.area.height().min(node.area.width()) / RIM);
        let around = Rect::spanned(pointer, pointer).grown(near).union(node.area);
        // Arcs at the pointer come first, then those nearest to the middle of the box.
        let rank = |link_idx: usize| {
            let link = &scene.links[link_idx];
            let from_pointer = link.path.distance(pointer);
            if link.list != LinkList::Arcs {
                None
            } else if from_pointer <= near {
                Some((false, from_pointer))
            } else {
                link.path.meets(inside).then(|| (true, link.path.distance(node.area.center())))
            }
        };
        let takes = |link_idx: usize| {
            let link = &scene.links[link_idx];
            shown.line(graphs, link.source, input, None).is_ok()
                && shown.line(graphs, output, link.target, None).is_ok()
        };
        let links = visible(scene, &shown.index, around).links.into_iter();
        let mut met: Vec<((bool, f64), usize)> = links.filter_map(|idx| Some((rank(idx)?, idx))).collect();
        met.sort_by(|(one, _), (other, _)| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
        met.into_iter().map(|(_, idx)| idx).find(|&idx| takes(idx))
    }

    pub(super) fn end(self, editor: &mut Editor) {
        let Some(shown) = editor.drawn.shown().filter(|_| self.by != [0, 0]) else {
            editor.draw();
            return;
        };
        let scene = &shown.scene;
        let mut boxes: Vec<(String, Position)> = Vec::new();
        for (idx, at) in &self.boxes {
            boxes.push((scene.boxes[*idx].name.clone(), self.moved(*at)));
        }
        if !boxes.is_empty() {
            // What stands where there was room stays there, too.
            boxes.extend(unplaced(scene, |idx| self.boxes.iter().any(|(moved, _)| *moved == idx)));
        }
        let comments: Vec<(u64, Position)> = self
            .comments
            .iter()
            .map(|(idx, area)| (scene.comments[*idx].number, self.moved(area.min)))
            .collect();
        let frames: Vec<(u64, Position)> =
            self.frames.iter().map(|(idx, area)| (scene.frames[*idx].number, self.moved(area.min))).collect();
        let bends: Vec<(LinkList, usize, Vec<Position>)> = self
            .bends
            .iter()
            .map(|(idx, ..)| {
                let link = &scene.links[*idx];
                let bends = link.bends.iter().map(|bend| [bend.x.round() as i64, bend.y.round() as i64]);
                (link.list, link.row, bends.collect())
            })
            .collect();
        let onto = self.onto.map(|link_idx| scene.links[link_idx].row);
        let single = boxes.first().map(|(name, _)| name.clone()).filter(|_| self.boxes.len() == 1);
        let n_moved = self.boxes.len() + comments.len() + frames.len();
        let label = match &single {
            Some(name) if n_moved == 1 => format!("move {name}"),
            _ => format!("move {n_moved} things"),
        };
        let put = |tables: &mut toml_edit::DocumentMut, graph: &str| {
            let moved: Vec<(&str, Position)> = boxes.iter().map(|(name, at)| (&**name, *at)).collect();
            place::set(tables, graph, &moved)?;
            for (number, at) in &comments {
                note::move_comment(tables, graph, *number, *at)?;
            }
            for (number, at) in &frames {
                note::move_frame(tables, graph, *number, *at)?;
            }
            for (list, row, bends) in &bends {
                route::set_bends(tables, graph, *list, *row, bends)?;
            }
            Ok(())
        };
        let mut refusal = None;
        if let (Some(row), Some(name)) = (onto, &single) {
            let graph = editor.graph.clone();
            let done = editor.document.edit(&format!("put {name} onto an arc"), |tables| {
                put(tables, &graph)?;
                heal::insert_on_link(tables, &graph, row, name)
            });
            match done {
                Ok(_) => {
                    editor.say(format!("Put {name} onto the arc."));
                    editor.refresh();
                    return;
                }
                Err(error) => refusal = Some(format!("Not put onto the arc: {error}")),
            }
        }
        editor.edit_graph(&label, put);
        editor.draw();
        if let Some(refusal) = refusal {
            editor.refuse(refusal);
        }
    }
}

/// Boxes that stand where there was room, with their places; without those for `is_left_out`.
pub(in super::super) fn unplaced(
    scene: &Scene,
    is_left_out: impl Fn(usize) -> bool,
) -> Vec<(String, Position)> {
    let boxes = scene.boxes.iter().enumerate();
    let loose = boxes.filter(|(idx, node)| !node.is_placed && !is_left_out(*idx));
    let places = loose.map(|(_, node)| {
        let at = node.area.min;
        (node.name.clone(), [at.x.round() as i64, at.y.round() as i64])
    });
    places.collect()
}
