//! Cards on the picture: of the thing under the pointer, after a moment, and pinned ones.

use std::time::Duration;

use hasse_editor::drawing::geometry::Rect;
use hasse_editor::drawing::measure::text_width;
use hasse_editor::target::Part;
use hasse_editor::views::probes::Card;
use hasse_editor::views::select::Selection;
use hasse_ui::CardItem;
use slint::{ModelRc, SharedString, VecModel};

use super::Chosen;
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
        let mut items = Vec::new();
        self.values.shown_cards.clear();
        for card in cards {
            let Some(thing) = self.area_of(&card) else { continue };
            let area = place(&card, thing, &placed);
            placed.push(area);
            let lines: Vec<SharedString> = card.lines.iter().map(|line| (&line.text).into()).collect();
            items.push(CardItem {
                x: area.min.x as f32,
                y: area.min.y as f32,
                width: area.width() as f32,
                height: area.height() as f32,
                title: (&card.title).into(),
                lines: ModelRc::new(VecModel::from(lines)),
                is_pinned: card.is_pinned,
            });
            self.values.shown_cards.push(card);
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

    /// Takes a pinned card away.
    pub(super) fn card_unpinned(&mut self, card: usize) {
        if let Some(card) = self.values.shown_cards.get(card) {
            let target = card.target.clone();
            self.viewing.views.toggle_pin(&target);
        }
    }
}

/// Area below a box that shows the states of its instances.
fn foot(area: Rect) -> Rect {
    Rect::new(area.min.x, area.max.y, area.width(), STATE_ROOM)
}

/// Places a card next to its thing, where it covers least of the boxes and of other cards.
fn place(card: &Card, thing: Rect, others: &[Rect]) -> Rect {
    let texts = card.lines.iter().map(|line| &line.text).chain([&card.title]);
    let width = texts.map(|text| text_width(text, LETTERS)).fold(0.0, f64::max) + 34.0;
    let width = width.clamp(WIDTHS.0, WIDTHS.1);
    let height = TITLE_HEIGHT + LINE_HEIGHT * card.lines.len() as f64 + 5.0;
    let (left, right) = (thing.min.x - width + GAP, thing.max.x - GAP);
    let (above, below) = (thing.min.y - height - GAP, thing.max.y + GAP);
    let corners = [
        (thing.min.x + GAP, below),
        (thing.min.x + GAP, above),
        (right, below),
        (right, above),
        (left, below),
        (left, above),
    ];
    let areas = corners.map(|(x, y)| Rect::new(x, y, width, height));
    let covered = |area: &Rect| {
        let others: f64 = others.iter().map(|other| other.overlap(*area)).sum();
        // What would leave the canvas is pushed back over the thing itself.
        let outside = (-area.min.x).max(0.0) * height + (-area.min.y).max(0.0) * width;
        others + outside
    };
    let best = areas.iter().min_by(|one, other| covered(one).total_cmp(&covered(other)));
    best.copied().unwrap_or(areas[0])
}
