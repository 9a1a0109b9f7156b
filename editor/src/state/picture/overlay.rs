//! What a gesture shows above the picture: rubber bands, guides, wires that are drawn, the knife, the mouse.

use super::super::editor::Editor;
use super::super::gesture::band_of;
use super::super::gesture::phase::{Gesture, Pull, WireDrag};
use super::items::{BandItem, Cursor, Ghost, Picture};
use super::wires::commands;
use crate::drawing::color::type_token;
use crate::drawing::connect::PortName;
use crate::drawing::geometry::{Cubic, Point, Rect};
use crate::drawing::hit::{Band, Hit};
use crate::drawing::scene::Edge;
use crate::edit::link::LinkList;

/// Least and greatest length of the handles of a drawn wire, in world units.
const HANDLES: (f64, f64) = (20.0, 160.0);

impl Editor {
    pub(super) fn add_gesture(&self, picture: &mut Picture) {
        let view = self.view();
        match &self.gesture {
            Gesture::Band { from, to, .. } => {
                picture.band = Some(BandItem {
                    area: view.screen_rect_from_world(Rect::spanned(*from, *to)),
                    is_touching: band_of(*from, *to) == Band::Touch,
                });
            }
            Gesture::Carry(carry) => {
                let guides = carry.guides.iter();
                picture.guides = guides
                    .map(|guide| [guide.from, guide.to].map(|end| view.screen_from_world(end)))
                    .collect();
            }
            Gesture::Wire(wire) => picture.ghost = self.ghost(wire),
            Gesture::Keys(_) => {
                picture.ghost = self.key_wire_as_drag().and_then(|wire| self.ghost(&wire));
            }
            Gesture::Knife(points) => {
                picture.knife = points.iter().map(|point| view.screen_from_world(*point)).collect();
            }
            Gesture::None | Gesture::Pressed(_) | Gesture::Pan(..) | Gesture::Pull(_) => {}
        }
    }

    /// What the mouse looks like for what it does, or could do here.
    pub(super) fn mouse(&self) -> Cursor {
        let is_refused = |wire: &WireDrag| wire.over.as_ref().is_some_and(|over| over.line.is_err());
        match &self.gesture {
            Gesture::Pan(..) => Cursor::Grabbing,
            Gesture::Carry(_) | Gesture::Pull(Pull::Bend { .. }) => Cursor::Move,
            Gesture::Pull(Pull::Comment { .. }) => Cursor::ResizeColumn,
            Gesture::Pull(Pull::Frame { sides, .. }) => resizing(*sides),
            Gesture::Wire(wire) if is_refused(wire) => Cursor::NotAllowed,
            Gesture::Wire(_) | Gesture::Knife(_) => Cursor::Crosshair,
            Gesture::Band { .. } => Cursor::Default,
            Gesture::None | Gesture::Pressed(_) | Gesture::Keys(_) if self.is_space_held => Cursor::Grab,
            Gesture::None | Gesture::Pressed(_) | Gesture::Keys(_) => match self.hover {
                Some(Hit::Port(_)) => Cursor::Crosshair,
                Some(Hit::Link(_)) => Cursor::Pointer,
                Some(Hit::Bend { .. } | Hit::FrameTitle(_)) => Cursor::Move,
                Some(Hit::FrameEdge { sides, .. }) => resizing(sides),
                Some(Hit::Title(_) | Hit::Box(_) | Hit::Comment(_)) | None => Cursor::Default,
            },
        }
    }

    /// What is to be said about what the mouse rests on: what it is, what its author wrote, and what is wrong with it.
    pub fn tip(&self) -> Option<String> {
        let scene = &self.drawn.shown()?.scene;
        let marks = self.error_marks();
        let (said, error) = match self.hover? {
            Hit::Port(place) => {
                let (port, name) = (scene.port(place)?, scene.port_name(place)?);
                let dot = if name.port.is_empty() { "" } else { "." };
                let ty = if port.ty.is_empty() { String::new() } else { format!(": {}", port.ty) };
                (format!("{}{dot}{}{ty}", name.node, name.port), None)
            }
            Hit::Title(box_idx) | Hit::Box(box_idx) => {
                let error = marks.and_then(|marks| marks.boxes.get(box_idx));
                (scene.boxes[box_idx].doc.clone(), error)
            }
            Hit::Link(link_idx) | Hit::Bend { link_idx, .. } => {
                let link = &scene.links[link_idx];
                let (source, target) = (scene.port_name(link.source)?, scene.port_name(link.target)?);
                let said = |name: PortName| match name.port.is_empty() {
                    true => name.node,
                    false => format!("{}.{}", name.node, name.port),
                };
                let sign = if link.list == LinkList::Arcs { "\u{2192}" } else { "\u{2013}" };
                let text = format!("{} {sign} {} {}", said(source), said(target), link.label);
                (text.trim_end().to_owned(), marks.and_then(|marks| marks.links.get(link_idx)))
            }
            Hit::Comment(_) | Hit::FrameEdge { .. } | Hit::FrameTitle(_) => return None,
        };
        let error = error.map_or("", |error| &error.message);
        let lines: Vec<&str> = [&*said, error].into_iter().filter(|line| !line.is_empty()).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    fn ghost(&self, wire: &WireDrag) -> Option<Ghost> {
        let scene = &self.drawn.shown()?.scene;
        let port = scene.port(wire.from)?;
        let over = wire.over.as_ref().and_then(|over| scene.port(over.place));
        let to = over.map_or(wire.at, |port| port.anchor);
        let (dx, dy) = ((to.x - port.anchor.x).abs(), (to.y - port.anchor.y).abs());
        let out = |edge: Edge| {
            let length = |extent: f64| (extent / 2.0).clamp(HANDLES.0, HANDLES.1);
            match edge {
                Edge::Left => Point::new(-length(dx), 0.0),
                Edge::Right => Point::new(length(dx), 0.0),
                Edge::Top => Point::new(0.0, -length(dy)),
                Edge::Bottom => Point::new(0.0, length(dy)),
            }
        };
        let across = match port.edge {
            Edge::Left => Edge::Right,
            Edge::Right => Edge::Left,
            Edge::Top => Edge::Bottom,
            Edge::Bottom => Edge::Top,
        };
        let end = over.map_or(across, |port| port.edge);
        let curve = Cubic {
            from: port.anchor,
            first: port.anchor.shifted(out(port.edge)),
            second: to.shifted(out(end)),
            to,
        };
        let view = self.view();
        let (area, commands) = commands(std::iter::once((true, curve)), std::iter::empty(), &view);
        let token = type_token(&port.ty);
        let (takes, text) = match &wire.over {
            Some(over) => match &over.line {
                Ok(line) => (Some(true), line.text.clone()),
                Err(reason) => (Some(false), reason.clone()),
            },
            None => match wire.new_port.and_then(|box_idx| scene.boxes.get(box_idx)) {
                Some(node) => (Some(true), format!("A new port of {}", node.name)),
                None => (None, String::new()),
            },
        };
        Some(Ghost {
            from: view.screen_from_world(port.anchor),
            to: view.screen_from_world(to),
            light: token.light,
            dark: token.dark,
            area,
            commands,
            takes,
            text,
        })
    }
}

/// For the sides of a frame that are pulled: left, top, right, bottom.
fn resizing(sides: [bool; 4]) -> Cursor {
    match sides {
        [true, true, ..] | [_, _, true, true] => Cursor::ResizeDown,
        [true, _, _, true] | [_, true, true, _] => Cursor::ResizeUp,
        // The upper edge moves the frame.
        [_, true, ..] => Cursor::Move,
        [_, _, _, true] => Cursor::ResizeRow,
        _ => Cursor::ResizeColumn,
    }
}
