//! What a gesture shows above the picture: rubber bands, guides, wires that are drawn, the knife.

use super::super::Editor;
use super::super::gesture::{Gesture, WireDrag, band_of};
use super::wires::commands;
use super::{BandItem, Ghost, Picture};
use crate::drawing::color::type_token;
use crate::drawing::geometry::{Cubic, Point, Rect};
use crate::drawing::hit::Band;
use crate::drawing::scene::Edge;

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
        let (area, commands) = commands(std::iter::once((true, false, curve)), &view);
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
