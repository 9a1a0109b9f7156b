//! Placement of the texts at links: index maps, and badges with counts.

use hasse_compiler::LinkKind;

use super::Scene;
use super::moves::Avoided;
use super::parts::{BADGE_TEXTS, Link};
use super::room::{LABEL_ROOM, room_of};
use crate::drawing::geometry::{Point, Rect};
use crate::drawing::measure::text_area;

/// Distances of a label from its link, the best first.
const LABEL_GAPS: [f64; 4] = [1.5, 9.0, 18.0, 30.0];
/// How much worse a covered unit of area is than a wire through a label.
const COVERED: f64 = 100.0;
/// How bad it is that a text is nearer to another wire than to its own; a wire through it counts 1.
const AMBIGUOUS: f64 = 0.5;
/// Room that comments have above and below their text, and texts at links have not.
const LOWERED: f64 = 2.0;

/// A place for a text.
#[derive(Clone, Copy, Debug)]
struct Placed {
    area: Rect,
    /// True if it covers boxes or other texts.
    is_crowded: bool,
    /// Number of wires that cross it.
    n_crossed: usize,
    /// The side of the area at which the link is: 0 for the left one, 1 for the right one, between them above or below.
    hug: f64,
}

impl Scene {
    /// Puts the texts of a link where they leave curves free: to be called when all are led.
    pub(super) fn write(&mut self, link_idx: usize, avoided: Avoided) {
        let link = &self.links[link_idx];
        let place = |text: &str, own| self.text_place(link_idx, text, own, avoided);
        let label = (!link.label.is_empty()).then(|| place(&link.label, None)).flatten();
        let own = label.map(|label| label.area);
        let mut badge: Option<Placed> = None;
        for text in BADGE_TEXTS {
            let placed = place(text, own);
            // The longer one stays where the shorter one is no better.
            let rank = |placed: &Placed| (placed.is_crowded, placed.n_crossed);
            badge = match (badge, placed) {
                (Some(before), Some(placed)) if rank(&placed) >= rank(&before) => Some(before),
                (before, placed) => placed.or(before),
            };
            if badge.as_ref().is_some_and(|badge| rank(badge) == (false, 0)) {
                break;
            }
        }
        let link = &mut self.links[link_idx];
        link.badge_area = badge.map(|badge| badge.area);
        link.badge_hug = badge.map_or(0.5, |badge| badge.hug);
        link.is_badge_crowded = badge.is_some_and(|badge| badge.is_crowded);
        link.label_area = label.map(|label| label.area);
        link.is_label_crowded = label.is_some_and(|label| label.is_crowded);
        self.near.texts.put(link_idx, link.text_areas());
    }

    /// Links of which a text covers something, or is crossed by a wire, in order. Counts are at arcs alone.
    pub(crate) fn links_without_room(&self) -> Vec<usize> {
        let crosses = |idx: usize, area: Rect| {
            let mut pieces = (0..).zip(&self.pieces[idx]).filter(|(_, piece)| piece.intersects(area));
            pieces.any(|(at, _)| self.links[idx].path.piece_meets(at, area))
        };
        let is_free = |area: Option<Rect>| {
            area.is_none_or(|area| !self.near.curves.near(area).into_iter().any(|idx| crosses(idx, area)))
        };
        let has_room = |link: &Link| {
            let has_label_room = !link.is_label_crowded && is_free(link.label_area);
            let has_badge_room = !link.is_badge_crowded && is_free(link.badge_area);
            has_label_room && (has_badge_room || link.kind != LinkKind::Arc)
        };
        (0..self.links.len()).filter(|&idx| !has_room(&self.links[idx])).collect()
    }

    /// Rectangles within which a text at a link may stand, around the places along it; none for a link that is not drawn.
    pub(super) fn text_reach(&self, link_idx: usize, label: &str) -> Vec<Rect> {
        let text = extent(label);
        let (across, down) =
            (text.width() + LABEL_GAPS[3] + LABEL_ROOM, text.height() + LABEL_GAPS[3] + LABEL_ROOM);
        let around = |point: &Point| Rect::new(point.x - across, point.y - down, 2.0 * across, 2.0 * down);
        self.stands[link_idx].iter().map(around).collect()
    }

    /// Where a text stands beside a link: at the middle of it, or at the first place along it that leaves boxes, wires, the
    /// texts of other links and `own` free. A text that has no such place covers as little as it can.
    fn text_place(
        &self,
        link_idx: usize,
        label: &str,
        own: Option<Rect>,
        avoided: Avoided,
    ) -> Option<Placed> {
        let reach = self.text_reach(link_idx, label);
        let is_reached = |area: &Rect| reach.iter().any(|reach| reach.intersects(*area));
        let boxes = self.near.boxes.near_any(&reach).into_iter().map(|idx| room_of(&self.boxes[idx]));
        let others =
            self.near.texts.near_any(&reach).into_iter().filter(|&idx| avoided.includes(link_idx, idx));
        let texts = others.map(|idx| &self.links[idx]);
        let texts = texts.flat_map(Link::text_areas);
        let near: Vec<Rect> = boxes.chain(texts).chain(own).filter(is_reached).collect();
        let curves = self.near.curves.near_any(&reach).into_iter();
        let pieces =
            curves.flat_map(|idx| (0..).zip(&self.pieces[idx]).map(move |(at, piece)| (idx, at, *piece)));
        let wires: Vec<(usize, usize, Rect)> = pieces.filter(|(.., piece)| is_reached(piece)).collect();
        // The rectangle of a piece is larger than what is seen of it.
        let crosses = |(idx, at, piece): &(usize, usize, Rect), area: Rect| {
            piece.intersects(area) && self.links[*idx].path.piece_meets(*at, area)
        };
        let size = extent(label);
        let at = |center: Point| {
            size.shifted(Point::new(center.x - size.width() / 2.0, center.y - size.height() / 2.0))
        };
        let (across, down) = (size.width() / 2.0, size.height() / 2.0);
        let along = &self.stands[link_idx];
        let beside =
            |gap: f64| [(0.0, -down - gap), (0.0, down + gap), (across + gap, 0.0), (-across - gap, 0.0)];
        let candidates = LABEL_GAPS.iter().flat_map(|&gap| {
            along.iter().flat_map(move |point| {
                beside(gap)
                    .map(|(x, y)| (gap, point.shifted(Point::new(x, y)), 0.5 - x.signum() * x.abs().min(0.5)))
            })
        });
        let mut best: Option<(f64, Placed)> = None;
        for (gap, center, hug) in candidates {
            let area = at(center);
            let covered = near.iter().map(|held| held.overlap(area)).sum::<f64>();
            // Crossed by a wire, a text can be read.
            let n_crossed =
                if covered > 0.0 { 0 } else { wires.iter().filter(|wire| crosses(wire, area)).count() };
            // A text that is nearer to another wire is taken for that one's.
            let is_nearer =
                |wire: &(usize, usize, Rect)| wire.0 != link_idx && crosses(wire, area.grown(gap - 1.0));
            let is_ambiguous = covered <= 0.0 && n_crossed == 0 && wires.iter().any(is_nearer);
            let amount = covered * COVERED + n_crossed as f64 + if is_ambiguous { AMBIGUOUS } else { 0.0 };
            if amount <= 0.0 {
                return Some(Placed { area, is_crowded: false, n_crossed: 0, hug });
            }
            if best.is_none_or(|(least, _)| amount < least) {
                best = Some((amount, Placed { area, is_crowded: covered > 0.0, n_crossed, hug }));
            }
        }
        best.map(|(_, placed)| placed)
    }
}

/// Extent of a text at a link: low enough for the room between the links of two ports.
fn extent(text: &str) -> Rect {
    let area = text_area(Point::default(), text);
    Rect { max: Point::new(area.max.x, area.max.y - LOWERED), ..area }
}
