//! Gestures of the mouse as one machine of states: what a hand is doing now, and what comes of the next event.
//!
//! The wheel zooms at the cursor, as in React Flow and Houdini, also with Ctrl, as touchpads tell a pinch; with Shift it
//! moves the picture sideways, with Alt up and down. A rubber band drawn to the right takes in what lies in it as a whole,
//! one drawn to the left what it touches, as in CAD. While something is dragged, the scene is bent; the program changes
//! once, at the end, and not at all on Escape.

use super::editor::Editor;
use super::input::{Button, Modifiers, PointerEvent};
use super::selection::selected::Selection;
use crate::drawing::geometry::{Point, Rect};
use crate::drawing::hit::{Band, Hit, banded, hit};

/// Moving the picture while something is held at the border.
mod border;
/// Moving what is selected.
pub(super) mod carry;
/// Clicks and double clicks.
mod click;
/// Cutting wires.
mod knife;
/// The states of the machine: what a hand is doing.
pub(super) mod phase;
/// Bends, frames and comments that are pulled.
mod pull;
/// Wires that are drawn and led elsewhere.
mod wire;

use phase::{Carry, Gesture, Pressed, Pull};

/// How far the mouse moves before a click becomes a drag, in pixels.
const DRAG_DISTANCE: f64 = 4.0;
/// What a pixel of the wheel zooms by.
const WHEEL_FACTOR: f64 = 1.0015;

impl Editor {
    /// Takes in what the mouse does.
    pub fn pointer(&mut self, event: PointerEvent) {
        let (PointerEvent::Down { at, .. }
        | PointerEvent::Move { at, .. }
        | PointerEvent::Up { at, .. }
        | PointerEvent::Wheel { at, .. }) = event
        else {
            // What is dragged may be dragged outside, and on.
            if !self.is_gesture() {
                self.cursor = None;
                self.set_hover(None);
            }
            return;
        };
        if !(at.x.is_finite() && at.y.is_finite()) {
            return;
        }
        self.cursor = Some(at);
        match event {
            PointerEvent::Down { button, modifiers, clicks, .. } => self.down(at, button, modifiers, clicks),
            PointerEvent::Move { modifiers, .. } => self.moved(at, modifiers),
            PointerEvent::Up { button, modifiers, .. } => self.up(at, button, modifiers),
            PointerEvent::Wheel { delta, modifiers, .. } => self.wheel(at, delta, modifiers),
            PointerEvent::Leave => {}
        }
    }

    /// Whether something is being dragged or drawn.
    pub fn is_gesture(&self) -> bool {
        !matches!(self.gesture, Gesture::None)
    }

    /// What is at a place of the canvas.
    pub(super) fn hit_at(&self, at: Point) -> Option<Hit> {
        let shown = self.drawn.shown()?;
        let view = self.view();
        hit(&shown.scene, &shown.index, view.world_from_screen(at), view.zoom())
    }

    pub(super) fn set_hover(&mut self, hover: Option<Hit>) {
        if hover != self.hover {
            self.hover = hover;
            self.changed();
        }
    }

    fn wheel(&mut self, at: Point, delta: Point, modifiers: Modifiers) {
        if !(delta.x.is_finite() && delta.y.is_finite()) {
            return;
        }
        let mut view = self.view();
        if modifiers.shift {
            view.pan(Point::new(if delta.x == 0.0 { delta.y } else { delta.x }, 0.0));
        } else if modifiers.alt {
            view.pan(Point::new(delta.x, delta.y));
        } else {
            view.zoom_at(at, WHEEL_FACTOR.powf(delta.y.clamp(-2000.0, 2000.0)));
            view.pan(Point::new(delta.x, 0.0));
        }
        self.set_view(view);
        self.go_on(at, modifiers);
    }

    fn down(&mut self, at: Point, button: Button, modifiers: Modifiers, clicks: u8) {
        if self.is_gesture() {
            // Another button while one is down: what was begun is given up.
            self.cancel();
            return;
        }
        let hit = self.hit_at(at);
        if button == Button::Middle || (button == Button::Left && self.is_space_held) {
            self.gesture = Gesture::Pan(at, button);
            return;
        }
        if button == Button::Left && clicks == 2 {
            self.double_click(at, hit);
            return;
        }
        let own = self.own_selection(hit);
        let was_selected = !own.is_empty() && self.selection.contains(&own);
        if button == Button::Left && !own.is_empty() && !was_selected && !modifiers.ctrl {
            let mut selection = if modifiers.shift { self.selection.clone() } else { Selection::default() };
            // A port that a wire is drawn from leaves the selection: that wire may be the one to be led elsewhere.
            if !matches!(hit, Some(Hit::Port(_))) {
                selection.add(&own);
                self.select(selection);
            }
        }
        self.gesture = Gesture::Pressed(Pressed { at, button, modifiers, hit, was_selected });
    }

    pub(super) fn own_selection(&self, hit: Option<Hit>) -> Selection {
        match (self.drawn.shown(), hit) {
            (Some(shown), Some(hit)) => Selection::of_hit(&shown.scene, hit),
            _ => Selection::default(),
        }
    }

    fn moved(&mut self, at: Point, modifiers: Modifiers) {
        match &self.gesture {
            Gesture::None | Gesture::Keys(_) => {
                let hover = self.hit_at(at);
                self.set_hover(hover);
            }
            Gesture::Pressed(pressed) => {
                if pressed.at.distance(at) >= DRAG_DISTANCE {
                    let pressed = *pressed;
                    self.begin_drag(pressed);
                    self.go_on(at, modifiers);
                }
            }
            _ => self.go_on(at, modifiers),
        }
    }

    /// A click has become a drag.
    fn begin_drag(&mut self, pressed: Pressed) {
        let Pressed { at, button, modifiers, hit, .. } = pressed;
        let world = self.view().world_from_screen(at);
        self.hover = None;
        self.changed();
        self.gesture = match (button, hit) {
            (Button::Right, _) if modifiers.ctrl => Gesture::Knife(vec![world]),
            (Button::Right, _) => Gesture::Pan(at, button),
            (Button::Middle, _) => Gesture::Pan(at, button),
            (Button::Left, Some(Hit::Port(place))) => self.wire_from_port(place, world),
            (Button::Left, Some(Hit::Link(link_idx))) => self.pull_wire(link_idx, at),
            (Button::Left, Some(Hit::Bend { link_idx, bend_idx })) => Pull::bend(self, link_idx, bend_idx),
            (Button::Left, Some(Hit::FrameEdge { frame_idx, sides })) => {
                Pull::frame(self, frame_idx, sides, world)
            }
            (Button::Left, Some(Hit::Comment(comment_idx))) if self.is_at_right_edge(comment_idx, at) => {
                Pull::comment(self, comment_idx)
            }
            (Button::Left, Some(hit)) => {
                if modifiers.ctrl && !pressed.was_selected {
                    let mut selection = self.selection.clone();
                    selection.add(&self.own_selection(Some(hit)));
                    self.select(selection);
                }
                Carry::begin(self, hit, world)
            }
            (Button::Left, None) => {
                Gesture::Band { from: world, to: world, before: self.selection.clone(), modifiers }
            }
        };
    }

    /// Near an end of a wire that end is led elsewhere; else a bend is made and pulled.
    fn pull_wire(&mut self, link_idx: usize, at: Point) -> Gesture {
        match self.near_end(link_idx, at) {
            Some(end) => self.wire_end(link_idx, end),
            None => Pull::new_bend(self, link_idx, at),
        }
    }

    /// The mouse, or the picture below it, has moved while something is dragged.
    pub(super) fn go_on(&mut self, at: Point, modifiers: Modifiers) {
        let world = self.view().world_from_screen(at);
        let mut gesture = std::mem::take(&mut self.gesture);
        match &mut gesture {
            Gesture::None | Gesture::Pressed(_) | Gesture::Keys(_) => {}
            Gesture::Pan(last, _) => {
                let by = Point::new(at.x - last.x, at.y - last.y);
                *last = at;
                let mut view = self.view();
                view.pan(by);
                self.set_view(view);
            }
            Gesture::Band { from, to, before, modifiers } => {
                *to = world;
                let selection = self.in_band(*from, world, before, *modifiers);
                self.select(selection);
            }
            Gesture::Carry(carry) => carry.go_on(self, world, modifiers),
            Gesture::Pull(pull) => pull.go_on(self, world, modifiers),
            Gesture::Wire(wire) => wire.go_on(self, at, world),
            Gesture::Knife(points) => points.push(world),
        }
        let has_changed = !matches!(gesture, Gesture::None | Gesture::Pressed(_) | Gesture::Keys(_));
        self.gesture = gesture;
        if has_changed {
            self.changed();
        }
    }

    fn in_band(&self, from: Point, to: Point, before: &Selection, modifiers: Modifiers) -> Selection {
        let Some(shown) = self.drawn.shown() else { return Selection::default() };
        let band = band_of(from, to);
        let things = banded(&shown.scene, &shown.index, Rect::spanned(from, to), band);
        let found = Selection::of_things(&shown.scene, &things);
        if modifiers.ctrl {
            before.toggled(&found)
        } else if modifiers.shift {
            let mut selection = before.clone();
            selection.add(&found);
            selection
        } else {
            found
        }
    }

    fn up(&mut self, at: Point, button: Button, modifiers: Modifiers) {
        let is_own = match &self.gesture {
            Gesture::None | Gesture::Keys(_) => false,
            Gesture::Pressed(pressed) => pressed.button == button,
            Gesture::Pan(_, held) => *held == button,
            Gesture::Knife(_) => button == Button::Right,
            _ => button == Button::Left,
        };
        if !is_own {
            return;
        }
        if !matches!(self.gesture, Gesture::Pressed(_)) {
            self.go_on(at, modifiers);
        }
        self.changed();
        match std::mem::take(&mut self.gesture) {
            Gesture::None | Gesture::Keys(_) | Gesture::Pan(..) | Gesture::Band { .. } => {}
            Gesture::Pressed(pressed) => self.click(pressed),
            Gesture::Carry(carry) => carry.end(self),
            Gesture::Pull(pull) => pull.end(self),
            Gesture::Wire(wire) => wire.end(self, at),
            Gesture::Knife(points) => self.cut(&points),
        }
        let hover = self.hit_at(at);
        self.set_hover(hover);
    }

    /// Gives up what is being done; the program is as it was. Tells whether there was something.
    pub fn cancel(&mut self) -> bool {
        let was_gesture = self.end_gesture();
        if was_gesture {
            self.draw();
        }
        was_gesture
    }

    /// As [`cancel`](Self::cancel), and what is drawn is left as it is.
    pub(super) fn end_gesture(&mut self) -> bool {
        let gesture = std::mem::take(&mut self.gesture);
        if let Gesture::Band { before, .. } = &gesture {
            self.selection = before.clone();
        }
        let was_gesture = !matches!(gesture, Gesture::None);
        if was_gesture {
            self.changed();
        }
        was_gesture
    }
}

/// To the right what lies in it, to the left what it touches.
pub(super) fn band_of(from: Point, to: Point) -> Band {
    if to.x >= from.x { Band::Contain } else { Band::Touch }
}
