//! Clicks, which select, and double clicks, which open what is under them.

use super::super::editor::Editor;
use super::super::input::Button;
use super::super::request::Request;
use super::super::selection::selected::Selection;
use super::phase::Pressed;
use super::pull::bend_place;
use crate::drawing::arrange::snapped;
use crate::drawing::geometry::Point;
use crate::drawing::hit::Hit;
use crate::drawing::scene::BoxKind;
use crate::edit::route;
use crate::target::{Attribute, Target};

impl Editor {
    /// A button went down and up again at one place.
    pub(super) fn click(&mut self, pressed: Pressed) {
        let Pressed { at, button, modifiers, hit, was_selected } = pressed;
        let own = self.own_selection(hit);
        if button == Button::Right {
            if !own.is_empty() && !was_selected {
                self.select(own);
            }
            self.requests.push(Request::Menu { at });
            return;
        }
        if modifiers.ctrl {
            self.select(self.selection.toggled(&own));
        } else if modifiers.shift {
            let mut selection = self.selection.clone();
            selection.add(&own);
            self.select(selection);
        } else {
            self.select(own);
        }
    }

    /// Shows the graph of a call, or asks for the body of a unit or the form of anything else.
    pub(in super::super) fn open_box(&mut self, box_idx: usize) {
        let Some(node) = self.drawn.shown().and_then(|shown| shown.scene.boxes.get(box_idx)) else { return };
        let target = Target::of_node(&self.graph, &node.name);
        match node.kind {
            BoxKind::Call { .. } => {
                let name = node.name.clone();
                self.enter(&name);
                return;
            }
            BoxKind::Unit { .. } => self.requests.push(Request::Show(target.with(Attribute::of("do")))),
            _ => self.requests.push(Request::Show(target)),
        }
        self.changed();
    }

    /// Opens what is under the cursor; bends of wires are made and removed.
    pub(super) fn double_click(&mut self, at: Point, hit: Option<Hit>) {
        let world = self.view().world_from_screen(at);
        let Some(shown) = self.drawn.shown() else { return };
        match hit {
            Some(Hit::Title(idx) | Hit::Box(idx)) => self.open_box(idx),
            Some(Hit::Port(place)) => {
                let node = Target::of_node(&self.graph, &shown.scene.boxes[place.box_idx].name);
                let attribute = shown
                    .scene
                    .port_name(place)
                    .filter(|name| !name.port.is_empty())
                    .map(|name| Attribute { entry: Some(name.port), ..Attribute::of(name.side.key()) });
                self.requests.push(Request::Show(Target { attribute, ..node }));
            }
            Some(Hit::Link(link_idx)) => {
                let link = &shown.scene.links[link_idx];
                let (list, row, place) = (link.list, link.row, bend_place(link, world));
                let bend = snapped(world.x, world.y);
                if self.edit_graph("add a bend", |tables, graph| {
                    route::add_bend(tables, graph, list, row, place, bend)
                }) {
                    let bends = [((list, row), place)].into();
                    self.select(Selection { bends, ..Selection::default() });
                }
            }
            Some(Hit::Bend { link_idx, bend_idx }) => {
                let link = &shown.scene.links[link_idx];
                let (list, row) = (link.list, link.row);
                self.edit_graph("remove a bend", |tables, graph| {
                    route::remove_bend(tables, graph, list, row, bend_idx)
                });
            }
            Some(Hit::Comment(idx)) => {
                let number = shown.scene.comments[idx].number;
                self.prompt_comment(number);
            }
            Some(Hit::FrameTitle(idx) | Hit::FrameEdge { frame_idx: idx, .. }) => {
                let number = shown.scene.frames[idx].number;
                self.prompt_frame(number);
            }
            None => self.ask_for_palette(at, None),
        }
        self.changed();
    }
}
