//! Pulling at a bend, at an edge of a frame, or at the right edge of a comment, whose text is then wrapped anew.

use super::super::editor::Editor;
use super::super::input::Modifiers;
use super::phase::{Carry, Gesture, Pull};
use crate::drawing::arrange::{GRID, snapped};
use crate::drawing::geometry::Point;
use crate::drawing::hit::{Hit, TOLERANCE};
use crate::drawing::measure::{FRAME_TITLE_HEIGHT, LETTER_WIDTH, TEXT_SIZE, text_area};
use crate::drawing::scene::Link;
use crate::edit::link::LinkList;
use crate::edit::note::{self, Frame};
use crate::edit::place::Position;
use crate::edit::route;

/// Least extent of a frame, in world units.
const LEAST_FRAME: f64 = 4.0 * GRID as f64;

impl Pull {
    pub(super) fn bend(editor: &Editor, link_idx: usize, bend_idx: usize) -> Gesture {
        let Some(shown) = editor.drawn.shown() else { return Gesture::None };
        let bends = shown.scene.links[link_idx].bends.clone();
        Gesture::Pull(Self::Bend { link_idx, bend_idx, bends, is_new: false })
    }

    /// A bend where a wire is pulled.
    pub(super) fn new_bend(editor: &Editor, link_idx: usize, at: Point) -> Gesture {
        let Some(shown) = editor.drawn.shown() else { return Gesture::None };
        let world = editor.view().world_from_screen(at);
        let link = &shown.scene.links[link_idx];
        let bend_idx = bend_place(link, world);
        let mut bends = link.bends.clone();
        bends.insert(bend_idx.min(bends.len()), world);
        Gesture::Pull(Self::Bend { link_idx, bend_idx, bends, is_new: true })
    }

    /// An edge or corner of a frame; its upper edge between the corners moves it.
    pub(super) fn frame(editor: &Editor, frame_idx: usize, sides: [bool; 4], from: Point) -> Gesture {
        if sides == [false, true, false, false] {
            return Carry::begin(editor, Hit::FrameTitle(frame_idx), from);
        }
        let Some(shown) = editor.drawn.shown() else { return Gesture::None };
        Gesture::Pull(Self::Frame { frame_idx, sides, area: shown.scene.frames[frame_idx].area })
    }

    pub(super) fn comment(editor: &Editor, comment_idx: usize) -> Gesture {
        let Some(shown) = editor.drawn.shown() else { return Gesture::None };
        Gesture::Pull(Self::Comment { comment_idx, text: shown.scene.comments[comment_idx].text.clone() })
    }

    pub(super) fn go_on(&mut self, editor: &mut Editor, to: Point, modifiers: Modifiers) {
        let Some(shown) = editor.drawn.bend() else { return };
        let to = if modifiers.alt {
            Point::new(to.x.round(), to.y.round())
        } else {
            let [x, y] = snapped(to.x, to.y);
            Point::new(x as f64, y as f64)
        };
        match self {
            Self::Bend { link_idx, bend_idx, bends, .. } => {
                bends[*bend_idx] = to;
                shown.bend_link(*link_idx, bends);
            }
            Self::Frame { frame_idx, sides, area } => {
                let least = Point::new(LEAST_FRAME, LEAST_FRAME + FRAME_TITLE_HEIGHT);
                let mut area = *area;
                if sides[0] {
                    area.min.x = to.x.min(area.max.x - least.x);
                }
                if sides[1] {
                    area.min.y = to.y.min(area.max.y - least.y);
                }
                if sides[2] {
                    area.max.x = to.x.max(area.min.x + least.x);
                }
                if sides[3] {
                    area.max.y = to.y.max(area.min.y + least.y);
                }
                shown.scene.frames[*frame_idx].area = area;
            }
            Self::Comment { comment_idx, text } => {
                let comment = &mut shown.scene.comments[*comment_idx];
                let width = ((to.x - comment.area.min.x - 8.0) / (TEXT_SIZE * LETTER_WIDTH)).floor();
                comment.text = wrapped(text, width.clamp(8.0, 400.0) as usize);
                comment.area = text_area(comment.area.min, &comment.text);
            }
        }
    }

    pub(super) fn end(self, editor: &mut Editor) {
        let Some(shown) = editor.drawn.shown() else { return };
        let whole = |point: Point| -> Position { [point.x.round() as i64, point.y.round() as i64] };
        match self {
            Self::Bend { link_idx, bends, is_new, .. } => {
                let link = &shown.scene.links[link_idx];
                let (list, row): (LinkList, usize) = (link.list, link.row);
                let bends: Vec<Position> = bends.into_iter().map(whole).collect();
                let label = if is_new { "bend a wire" } else { "move a bend" };
                editor.edit_graph(label, |tables, graph| route::set_bends(tables, graph, list, row, &bends));
            }
            Self::Frame { frame_idx, .. } => {
                let frame = &shown.scene.frames[frame_idx];
                let size = Point::new(frame.area.width(), frame.area.height());
                let (number, at, size) = (frame.number, whole(frame.area.min), whole(size));
                editor.edit_graph("resize a frame", |tables, graph| {
                    let held = note::frames(tables, graph).into_iter().find(|held| held.number == number);
                    match held {
                        Some(held) => note::set_frame(tables, graph, &Frame { at, size, ..held }),
                        None => Ok(()),
                    }
                });
            }
            Self::Comment { comment_idx, .. } => {
                let comment = &shown.scene.comments[comment_idx];
                let (number, text) = (comment.number, comment.text.clone());
                editor.edit_graph("resize a comment", |tables, graph| {
                    note::set_comment(tables, graph, number, &text)
                });
            }
        }
        editor.draw();
    }
}

impl Editor {
    /// Whether a comment is pulled at its right edge.
    pub(super) fn is_at_right_edge(&self, comment_idx: usize, at: Point) -> bool {
        let Some(shown) = self.drawn.shown() else { return false };
        let right = shown.scene.comments[comment_idx].area.max;
        (self.view().screen_from_world(right).x - at.x).abs() <= TOLERANCE
    }
}

/// Before which bend of a link a new one at a place comes: the curve that is nearest tells.
pub(super) fn bend_place(link: &Link, at: Point) -> usize {
    if link.bends.is_empty() {
        return 0;
    }
    let distance = |curve: &crate::drawing::geometry::Cubic| {
        curve.points().map(|point| point.distance(at)).fold(f64::INFINITY, f64::min)
    };
    let curves = link.path.curves.iter().enumerate();
    let nearest = curves.min_by(|(_, a), (_, b)| distance(a).total_cmp(&distance(b)));
    nearest.map_or(0, |(idx, _)| idx)
}

/// Paragraphs, with empty lines between them, in lines of at most so many letters where words allow.
fn wrapped(text: &str, width: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut is_open = false;
    for line in text.lines() {
        if line.trim().is_empty() {
            lines.push(String::new());
            is_open = false;
            continue;
        }
        for word in line.split_whitespace() {
            match lines.last_mut().filter(|_| is_open) {
                Some(last) if last.chars().count() + 1 + word.chars().count() <= width => {
                    last.push(' ');
                    last.push_str(word);
                }
                _ => lines.push(word.to_owned()),
            }
            is_open = true;
        }
    }
    lines.join("\n")
}
