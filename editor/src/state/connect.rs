//! Wires by keys alone: from a port of the selected box, to one of those that take it, the nearest first.
//!
//! `C` begins with the first port of the selected box. Arrows and Tab go to the next port; Enter takes it, and then
//! goes on with the ports that it can be connected with; Enter again connects. Escape gives up.

use super::editor::Editor;
use super::gesture::phase::{Gesture, KeyWire, Over, WireDrag};
use super::input::{Key, Modifiers};
use crate::drawing::scene::PortPlace;

/// How many boxes are asked for ports that take a wire, the nearest ones.
const MOST_BOXES: usize = 200;

impl Editor {
    /// Begins a wire at the selected box.
    pub(super) fn connect_by_keys(&mut self) {
        let [box_idx] = self.selected_boxes()[..] else { return };
        let Some(shown) = self.drawn.shown() else { return };
        let ports = &shown.scene.boxes[box_idx].ports;
        // What goes out is what a wire is begun at most often.
        let mut places: Vec<PortPlace> =
            (0..ports.len()).map(|port_idx| PortPlace { box_idx, port_idx }).collect();
        places.sort_by_key(|place| {
            let is_output = ports[place.port_idx].edge == crate::drawing::scene::Edge::Right;
            (!is_output, place.port_idx)
        });
        if places.is_empty() {
            return self.refuse("It has no ports.");
        }
        self.gesture = Gesture::Keys(KeyWire { places, place_idx: 0, from: None });
        self.tell_key_wire();
    }

    /// What a key does while a wire is made by keys; tells whether it was for that.
    pub(super) fn key_wire(&mut self, key: Key, modifiers: Modifiers) -> bool {
        let Gesture::Keys(wire) = &mut self.gesture else { return false };
        let n_places = wire.places.len().max(1);
        let is_back = match key {
            Key::Tab => modifiers.shift,
            Key::Left | Key::Up => true,
            Key::Right | Key::Down => false,
            Key::Enter => {
                self.take_key_port();
                return true;
            }
            // Anything else is not for the wire, which is given up.
            _ => {
                self.cancel();
                return key == Key::Escape;
            }
        };
        let step = if is_back { n_places - 1 } else { 1 };
        wire.place_idx = (wire.place_idx + step) % n_places;
        self.tell_key_wire();
        true
    }

    fn take_key_port(&mut self) {
        let Gesture::Keys(wire) = &self.gesture else { return };
        let (Some(chosen), from) = (wire.chosen(), wire.from) else { return };
        let Some(shown) = self.drawn.shown() else { return };
        match from {
            Some(from) => {
                let line = shown.line(self.drawn.graphs(), from, chosen, None);
                self.cancel();
                match line {
                    Ok(line) => self.add_line(&line),
                    Err(reason) => self.refuse(reason),
                }
            }
            None => {
                let places = self.takers(chosen);
                if places.is_empty() {
                    self.refuse("No port of this graph takes it.");
                    return;
                }
                self.gesture = Gesture::Keys(KeyWire { places, place_idx: 0, from: Some(chosen) });
                self.tell_key_wire();
            }
        }
    }

    /// The ports that take a wire from a port, the nearest first.
    fn takers(&self, from: PortPlace) -> Vec<PortPlace> {
        let Some(shown) = self.drawn.shown() else { return Vec::new() };
        let scene = &shown.scene;
        let Some(anchor) = scene.port(from).map(|port| port.anchor) else { return Vec::new() };
        let mut boxes: Vec<usize> = (0..scene.boxes.len()).collect();
        let far = |idx: usize| scene.boxes[idx].area.center().distance(anchor);
        boxes.sort_by(|&one, &other| far(one).total_cmp(&far(other)));
        boxes.truncate(MOST_BOXES);
        let places = boxes.into_iter().flat_map(|box_idx| {
            (0..scene.boxes[box_idx].ports.len()).map(move |port_idx| PortPlace { box_idx, port_idx })
        });
        let takes =
            |place: &PortPlace| *place != from && shown.line(self.drawn.graphs(), from, *place, None).is_ok();
        let mut takers: Vec<PortPlace> = places.filter(takes).collect();
        let far =
            |place: &PortPlace| scene.port(*place).map_or(f64::INFINITY, |port| port.anchor.distance(anchor));
        takers.sort_by(|one, other| far(one).total_cmp(&far(other)));
        takers
    }

    fn tell_key_wire(&mut self) {
        let Gesture::Keys(wire) = &self.gesture else { return };
        let Some(shown) = self.drawn.shown() else { return };
        let said = |place: PortPlace| {
            shown.scene.port_name(place).map_or_else(String::new, |name| match name.port.is_empty() {
                true => name.node,
                false => format!("{}.{}", name.node, name.port),
            })
        };
        let Some(chosen) = wire.chosen() else { return };
        let text = match wire.from {
            None => format!("Wire from {}: Tab for the next port, Enter to take it.", said(chosen)),
            Some(from) => {
                format!(
                    "Wire from {} to {}: Tab for the next port, Enter to connect.",
                    said(from),
                    said(chosen)
                )
            }
        };
        self.say(text);
    }

    /// The wire that is made by keys, as if it were drawn.
    pub(super) fn key_wire_as_drag(&self) -> Option<WireDrag> {
        let Gesture::Keys(wire) = &self.gesture else { return None };
        let shown = self.drawn.shown()?;
        let (from, place) = (wire.from?, wire.chosen()?);
        let line = shown.line(self.drawn.graphs(), from, place, None);
        let at = shown.scene.port(place)?.anchor;
        Some(WireDrag { over: Some(Over { place, line }), ..WireDrag::new(from, at) })
    }
}
