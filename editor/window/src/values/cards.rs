//! Cards on the picture: of the thing under the pointer, after a moment, and pinned ones.

use std::time::Duration;

use hasse_editor::drawing::geometry::{Point, Rect};
use hasse_editor::drawing::measure::text_width;
use hasse_editor::target::Part;
use hasse_editor::views::probes::Card;
use hasse_editor::views::select::Selection;
use hasse_ui::CardItem;
use slint::{ModelRc, SharedString, VecModel};

use super::pane::Chosen;
use crate::canvas::STATE_ROOM;
use crate::command::panel;
use crate::studio::Studio;

/// Time that the pointer rests on a thing before its card is shown.
const DELAY: Duration = Duration::from_millis(350);
/// Size of the letters, height of the title and of a line, in pixels.
const LETTERS: f64 = 11.0;
const TITLE_HEIGHT: f64 = 23.0;
const LINE_HEIGHT: f64 = 16.0;
/// Least and greatest width of a card, in pixels.
const WIDTHS: (f64, f64) = (120.0, 340.0);
/// Distance of a card from its thing, in pixels.
const GAP: f64 = 8.0;
/// Distances at which there may be room for a pinned card, beyond that, in pixels.
const RINGS: [f64; 7] = [0.0, 16.0, 36.0, 64.0, 100.0, 150.0, 220.0];

impl Studio {
    /// Notes what is under the pointer; its card is shown after a while.
    pub(super) fn hover(&mut self) {
        let hovered = self.editor.hovered().filter(|_| self.viewing.views.page().is_some());
        let is_awaited =
            self.values.hovering.as_ref().is_some_and(|(target, _)| Some(target) == hovered.as_ref());
        if is_awaited {
            return;
        }
        if self.viewing.views.hovered_target() == hovered.as_ref() {
            self.values.hovering = None;
            return;
        }
        self.viewing.views.hover_target(None);
        self.values.hovering = hovered.map(|target| (target, self.now()));
    }

    /// Shows the card of what the pointer has rested on for a while.
    pub(crate) fn tick_cards(&mut self, now: Duration) {
        if self.values.hovering.as_ref().is_some_and(|(_, since)| now >= *since + DELAY) {
            let hovering = self.values.hovering.take();
            self.viewing.views.hover_target(hovering.map(|(target, _)| target));
        }
    }

    pub(super) fn show_cards(&mut self) {
        let graph = self.editor.graph().to_owned();
        let made_of = (self.viewing.views.version(), self.editor.version(), graph);
        if self.values.carded.as_ref() == Some(&made_of) {
            return;
        }
        // Cards with rows of a program that was changed since would name other arcs.
        let is_same = self.viewing.views.is_of_program(self.editor.document().text());
        let cards = if is_same { self.viewing.views.cards(&made_of.2) } else { Vec::new() };
        let boxes = if cards.is_empty() { Vec::new() } else { self.editor.box_areas() };
        let mut placed: Vec<Rect> = boxes.into_iter().flat_map(|area| [area, foot(area)]).collect();
        if !cards.is_empty() {
            placed.extend(self.canvas.label_areas());
        }
        let canvas = self.editor.size();
        let mut items = Vec::new();
        self.values.shown_cards.clear();
        self.values.card_places.clear();
        for card in cards {
            let Some(thing) = self.area_of(&card) else { continue };
            let dragged = self.values.dragged.get(&card.target).filter(|_| card.is_pinned);
            let area = match dragged {
                // It stays where it was put, as seen from its thing.
                Some(by) => {
                    let (width, height) = extent(&card);
                    let at = thing.center().shifted(*by);
                    Rect::new(at.x, at.y, width, height)
                }
                None => place(&card, thing, &placed, canvas),
            };
            let area = on_canvas(area, canvas);
            placed.push(area);
            let line = leader(area, thing).filter(|_| card.is_pinned);
            let [from, to] = line.unwrap_or_default();
            let lines: Vec<SharedString> = card.lines.iter().map(|line| (&line.text).into()).collect();
            items.push(CardItem {
                x: area.min.x as f32,
                y: area.min.y as f32,
                width: area.width() as f32,
                height: area.height() as f32,
                title: (&card.title).into(),
                lines: ModelRc::new(VecModel::from(lines)),
                is_pinned: card.is_pinned,
                has_leader: line.is_some(),
                from_x: from.x as f32,
                from_y: from.y as f32,
                to_x: to.x as f32,
                to_y: to.y as f32,
            });
            self.values.shown_cards.push(card);
            self.values.card_places.push(area.min);
        }
        self.values.cards.set(items);
        self.values.carded = Some(made_of);
    }

    /// Area on the canvas of the thing that a card is about.
    fn area_of(&self, card: &Card) -> Option<Rect> {
        match &card.target.part {
            Part::Node(node) => self.editor.node_area(node),
            Part::Link(list, row) => {
                let at = self.editor.link_middle((*list, *row))?;
                Some(Rect::new(at.x, at.y, 0.0, 0.0))
            }
            Part::Program | Part::Type(_) | Part::Graph => None,
        }
    }

    /// Opens the value of a line of a card, or goes to its event.
    pub(super) fn card_clicked(&mut self, card: usize, line: Option<usize>) {
        let Some(card) = self.values.shown_cards.get(card).cloned() else { return };
        let Some(line) = line.and_then(|line| card.lines.get(line)) else { return };
        match (&line.value, line.event) {
            (Some(value), event) => {
                let key = format!("{:?} {}", card.target, line.text);
                let (name, value) = (card.title.clone(), value.clone());
                self.choose_value(Chosen { name, value, event, key, lasting: None });
                self.show_panel(panel::VALUES);
            }
            (None, Some(event)) => {
                self.viewing.views.select(Selection::Event(event));
            }
            (None, None) => {}
        }
    }

    /// Moves a pinned card by pixels.
    pub(super) fn card_dragged(&mut self, card: usize, by: Point) {
        let Some((card, at)) = self.values.shown_cards.get(card).zip(self.values.card_places.get(card))
        else {
            return;
        };
        if let Some(thing) = self.area_of(card) {
            let center = thing.center();
            let offset = Point::new(at.x + by.x - center.x, at.y + by.y - center.y);
            self.values.dragged.insert(card.target.clone(), offset);
            self.values.carded = None;
        }
    }

    /// Takes a pinned card away.
    pub(super) fn card_unpinned(&mut self, card: usize) {
        if let Some(card) = self.values.shown_cards.get(card) {
            let target = card.target.clone();
            self.values.dragged.remove(&target);
            self.viewing.views.toggle_pin(&target);
        }
    }
}

/// Area below a box that shows the states of its instances.
fn foot(area: Rect) -> Rect {
    Rect::new(area.min.x, area.max.y, area.width(), STATE_ROOM)
}

/// Size of a card.
fn extent(card: &Card) -> (f64, f64) {
    let texts = card.lines.iter().map(|line| &line.text).chain([&card.title]);
    let width = texts.map(|text| text_width(text, LETTERS)).fold(0.0, f64::max) + 34.0;
    (width.clamp(WIDTHS.0, WIDTHS.1), TITLE_HEIGHT + LINE_HEIGHT * card.lines.len() as f64 + 5.0)
}

/// Places a card next to its thing, at the least distance at which it covers nothing and is on the canvas; where there is no
/// such place, where it covers least. The card of what is under the pointer stays at its thing.
fn place(card: &Card, thing: Rect, others: &[Rect], canvas: Point) -> Rect {
    let (width, height) = extent(card);
    let rings = if card.is_pinned { &RINGS[..] } else { &RINGS[..1] };
    let mut best: Option<(f64, Rect)> = None;
    for &gap in rings {
        let (left, right) = (thing.min.x - width + GAP - gap, thing.max.x - GAP + gap);
        let (above, below) = (thing.min.y - height - GAP - gap, thing.max.y + GAP + gap);
        let middle = thing.center().y - height / 2.0;
        let corners = [
            (thing.min.x + GAP, below),
            (thing.min.x + GAP, above),
            (right, below),
            (right, above),
            (left, below),
            (left, above),
            (right + GAP, middle),
            (left - GAP, middle),
        ];
        // Beside the thing, a card would cover its wires.
        let n_corners = if gap > 0.0 { corners.len() } else { 6 };
        for (x, y) in &corners[..n_corners] {
            let area = Rect::new(*x, *y, width, height);
            let is_seen = Rect::new(0.0, 0.0, canvas.x, canvas.y).contains_rect(area);
            let covered: f64 = others.iter().map(|other| other.overlap(area)).sum();
            // A card that would leave the canvas is pushed back, over what it belongs to.
            let amount = covered + if is_seen { 0.0 } else { width * height };
            if amount <= 0.0 {
                return area;
            }
            if best.is_none_or(|(least, _)| amount < least) {
                best = Some((amount, area));
            }
        }
    }
    best.map_or(Rect::new(thing.max.x, thing.max.y, width, height), |(_, area)| area)
}

/// Pushes an area onto the canvas.
fn on_canvas(area: Rect, canvas: Point) -> Rect {
    let push = |low: f64, extent: f64, room: f64| low.min(room - extent - 2.0).max(2.0);
    let at = Point::new(push(area.min.x, area.width(), canvas.x), push(area.min.y, area.height(), canvas.y));
    Rect::new(at.x, at.y, area.width(), area.height())
}

/// The line from a card to its thing; `None` where the card is at the thing.
fn leader(area: Rect, thing: Rect) -> Option<[Point; 2]> {
    let nearest = |rect: Rect, to: Point| {
        Point::new(to.x.clamp(rect.min.x, rect.max.x), to.y.clamp(rect.min.y, rect.max.y))
    };
    let from = nearest(area, thing.center());
    let to = nearest(thing, from);
    (from.distance(to) > 2.0 * GAP).then_some([from, to])
}

#[cfg(test)]
mod tests {
    use hasse_editor::target::Target;

    use super::*;

    fn card() -> Card {
        Card { target: Target::of_node("g", "A"), title: "A".to_owned(), lines: Vec::new(), is_pinned: true }
    }

    #[test]
    fn pinned_card_leaves_boxes_free() {
        let thing = Rect::new(300.0, 300.0, 80.0, 60.0);
        // Boxes on all sides of the thing.
        let others = [
            thing,
            Rect::new(180.0, 240.0, 320.0, 55.0),
            Rect::new(180.0, 365.0, 320.0, 60.0),
            Rect::new(385.0, 296.0, 120.0, 68.0),
            Rect::new(175.0, 296.0, 120.0, 68.0),
        ];
        let area = place(&card(), thing, &others, Point::new(800.0, 600.0));
        assert!(others.iter().all(|other| other.overlap(area) == 0.0), "{area:?}");
        assert!(leader(area, thing).is_some());
    }

    #[test]
    fn card_at_its_thing_has_no_leader() {
        let thing = Rect::new(300.0, 300.0, 80.0, 60.0);
        let area = place(&card(), thing, &[thing], Point::new(800.0, 600.0));
        assert_eq!(leader(area, thing), None);
        assert_eq!(
            on_canvas(Rect::new(-30.0, 590.0, 40.0, 20.0), Point::new(800.0, 600.0)).min,
            Point::new(2.0, 578.0)
        );
    }
}
