//! Wires: drawn from a port to a port, a box, or to nothing, where the palette is asked for; and ends led elsewhere.
//!
//! Dropped on a box, a wire goes to a port that takes it; a unit that has none gets one.
//! An end is picked up by pulling at a wire near it, or at its port while the wire is selected. Dropped on nothing, the
//! wire is removed.

use std::collections::BTreeMap;

use super::super::editor::Editor;
use super::phase::{Gesture, Over, WireDrag};
use crate::drawing::connect::NewLink;
use crate::drawing::geometry::Point;
use crate::drawing::hit::Hit;
use crate::drawing::scene::{PortPlace, Scene};
use crate::edit::heal::{self, LinkEnd};
use crate::edit::link::{self, LinkList};

/// How near its end a wire is pulled for the end to come along, in pixels.
const END_DISTANCE: f64 = 26.0;

impl WireDrag {
    pub(in super::super) fn new(from: PortPlace, at: Point) -> Self {
        Self { from, replug: None, at, over: None, new_port: None, candidates: BTreeMap::new() }
    }

    fn without(&self) -> Option<(LinkList, usize)> {
        self.replug.map(|(list, row, ..)| (list, row))
    }

    pub(super) fn go_on(&mut self, editor: &mut Editor, at: Point, world: Point) {
        self.at = world;
        let over = editor.hit_at(at).and_then(|hit| editor.port_at(hit, self.from, self.without()));
        let refusal = |over: &Option<Over>| over.as_ref().and_then(|over| over.line.clone().err());
        match (refusal(&self.over), refusal(&over)) {
            (old, Some(reason)) if old.as_ref() != Some(&reason) => editor.refuse(reason),
            // What was said is over.
            (Some(_), None) => editor.say(""),
            _ => {}
        }
        self.new_port = match editor.hit_at(at) {
            Some(Hit::Title(box_idx) | Hit::Box(box_idx)) if over.is_none() && self.replug.is_none() => {
                editor.can_get_port(box_idx, self.from).then_some(box_idx)
            }
            _ => None,
        };
        self.over = over;
    }

    pub(super) fn end(self, editor: &mut Editor, at: Point) {
        match (self.over, self.replug) {
            (Some(Over { line: Err(reason), .. }), _) => editor.refuse(reason),
            (Some(Over { line: Ok(line), .. }), None) => editor.add_line(&line),
            (Some(Over { place, .. }), Some((list, row, which, _))) => {
                editor.reconnect((list, row), which, place);
            }
            (None, None) if self.new_port.is_some() => {
                self.new_port.into_iter().for_each(|box_idx| editor.connect_to_new_port(self.from, box_idx));
            }
            (None, _) if editor.hit_at(at).is_some_and(is_box) => {}
            (None, None) if editor.canvas().contains(at) => editor.ask_for_palette(at, Some(self.from)),
            (None, Some((list, row, ..))) if editor.canvas().contains(at) => {
                editor.edit_graph("remove a wire", |tables, graph| link::remove(tables, graph, list, row));
            }
            (None, _) => {}
        }
    }
}

fn is_box(hit: Hit) -> bool {
    matches!(hit, Hit::Title(_) | Hit::Box(_))
}

/// The fixed end of a link when the other one is led elsewhere.
fn fixed(scene: &Scene, link_idx: usize, which: LinkEnd) -> PortPlace {
    let link = &scene.links[link_idx];
    if which == LinkEnd::Source { link.target } else { link.source }
}

impl Editor {
    /// A new wire from a port; where a selected wire ends at it, that end.
    pub(super) fn wire_from_port(&self, place: PortPlace, at: Point) -> Gesture {
        let Some(shown) = self.drawn.shown() else { return Gesture::None };
        let held = shown.scene.links_of(place.box_idx).iter().copied().find_map(|link_idx| {
            let link = &shown.scene.links[link_idx];
            if !self.selection.links.contains(&(link.list, link.row)) {
                return None;
            }
            let is_at = |end| (end == place).then_some(link_idx);
            is_at(link.target)
                .map(|idx| (idx, LinkEnd::Target))
                .or(is_at(link.source).map(|idx| (idx, LinkEnd::Source)))
        });
        match held {
            Some((link_idx, which)) => self.wire_end(link_idx, which),
            None => Gesture::Wire(WireDrag::new(place, at)),
        }
    }

    /// Leads an end of a link elsewhere.
    pub(super) fn wire_end(&self, link_idx: usize, which: LinkEnd) -> Gesture {
        let Some(shown) = self.drawn.shown() else { return Gesture::None };
        let link = &shown.scene.links[link_idx];
        let from = fixed(&shown.scene, link_idx, which);
        let loose = if which == LinkEnd::Source { link.source } else { link.target };
        let at = shown.scene.port(loose).map_or_else(Point::default, |port| port.anchor);
        let replug = Some((link.list, link.row, which, link_idx));
        Gesture::Wire(WireDrag { replug, ..WireDrag::new(from, at) })
    }

    /// The end of a link that is near a place of the canvas.
    pub(super) fn near_end(&self, link_idx: usize, at: Point) -> Option<LinkEnd> {
        let shown = self.drawn.shown()?;
        let link = &shown.scene.links[link_idx];
        let view = self.view();
        let distance = |place| {
            let anchor = shown.scene.port(place).map(|port| view.screen_from_world(port.anchor));
            anchor.map_or(f64::INFINITY, |anchor| anchor.distance(at))
        };
        let (source, target) = (distance(link.source), distance(link.target));
        let (near, end) =
            if target <= source { (target, LinkEnd::Target) } else { (source, LinkEnd::Source) };
        (near <= END_DISTANCE).then_some(end)
    }

    /// The port that a wire dropped at something would go to: of a box, the first free one that takes it, else any that
    /// does.
    fn port_at(&self, hit: Hit, from: PortPlace, without: Option<(LinkList, usize)>) -> Option<Over> {
        let shown = self.drawn.shown()?;
        let line = |place| shown.line(self.drawn.graphs(), from, place, without);
        match hit {
            Hit::Port(place) if place == from => None,
            Hit::Port(place) => Some(Over { place, line: line(place) }),
            Hit::Title(box_idx) | Hit::Box(box_idx) if box_idx != from.box_idx => {
                let ports = 0..shown.scene.boxes[box_idx].ports.len();
                let places = ports.map(|port_idx| PortPlace { box_idx, port_idx });
                let taking: Vec<Over> =
                    places.filter_map(|place| Some(Over { place, line: Ok(line(place).ok()?) })).collect();
                let is_free = |over: &&Over| {
                    let ends = shown.scene.links_of(box_idx).iter().map(|&idx| &shown.scene.links[idx]);
                    !ends.into_iter().any(|link| link.source == over.place || link.target == over.place)
                };
                taking.iter().find(is_free).or(taking.first()).cloned()
            }
            _ => None,
        }
    }

    /// Adds a line as one step, and selects it.
    pub(in super::super) fn add_line(&mut self, line: &NewLink) {
        let mut row = None;
        let is_added = self.edit_graph("connect", |tables, graph| {
            row = Some(link::add(tables, graph, line.list, &line.text)?);
            Ok(())
        });
        if let (true, Some(row)) = (is_added, row) {
            let links = [(line.list, row)].into();
            self.select(super::Selection { links, ..super::Selection::default() });
            self.say(format!("Connected {}", line.text));
        }
    }

    fn reconnect(&mut self, key: (LinkList, usize), which: LinkEnd, place: PortPlace) {
        let Some(name) = self.drawn.shown().and_then(|shown| shown.scene.port_name(place)) else { return };
        self.edit_graph("lead a wire elsewhere", |tables, graph| {
            heal::reconnect(tables, graph, key, which, (&name.node, &name.port))
        });
    }

    /// Whether a port takes the wire that is being drawn; `None` while none is.
    pub(in super::super) fn is_candidate(&mut self, place: PortPlace) -> Option<bool> {
        let Gesture::Wire(wire) = &mut self.gesture else { return None };
        if place == wire.from {
            return None;
        }
        let without = wire.without();
        let (shown, graphs) = (self.drawn.shown()?, self.drawn.graphs());
        let from = wire.from;
        let ask = || shown.line(graphs, from, place, without).is_ok();
        Some(*wire.candidates.entry(place).or_insert_with(ask))
    }
}
