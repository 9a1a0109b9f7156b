//! Small pictures of programs: the boxes and wires of the main graph, without texts.

use hasse_compiler::{LinkKind, outline};
use toml_edit::DocumentMut;

use super::pixels::{Pixels, Rgba, Theme, mixed};
use crate::drawing::geometry::{Point, Rect};
use crate::drawing::scene::{BoxKind, Layout, Scene};
use crate::drawing::view::View;

/// Room around the graph, in pixels.
const MARGIN: f64 = 8.0;
/// Share of a box's height that its title takes.
const TITLE_SHARE: f64 = 0.36;

/// Colors of a thumbnail.
struct Paint {
    paper: Rgba,
    wire: Rgba,
    share: Rgba,
    edge: Rgba,
    fill: Rgba,
    title: Rgba,
    start: Rgba,
    call: Rgba,
}

impl Paint {
    fn of(theme: Theme) -> Self {
        let palette = theme.palette();
        Self {
            paper: palette.paper,
            wire: mixed(palette.paper, palette.ink, 0.55),
            share: mixed(palette.paper, palette.effect, 0.7),
            edge: mixed(palette.paper, palette.ink, 0.5),
            fill: mixed(palette.paper, palette.ink, 0.1),
            title: mixed(palette.paper, palette.ink, 0.3),
            start: mixed(palette.paper, palette.animated, 0.65),
            call: mixed(palette.paper, palette.cause, 0.65),
        }
    }
}

/// Draws the main graph of a program so that all of it is seen; paper alone of a program without nodes. Cost: that of a
/// scene of the graph.
pub fn thumbnail(program: &str, width: usize, height: usize, theme: Theme) -> Pixels {
    let paint = Paint::of(theme);
    let mut pixels = Pixels::filled(Pixels::default(), width, height, paint.paper);
    let graphs = outline(program).unwrap_or_default();
    let tables: DocumentMut = program.parse().unwrap_or_default();
    let Some(graph) = graphs.iter().find(|graph| graph.is_main) else { return pixels };
    let scene = Scene::new(graph, &graphs, &Layout::read(&tables, &graph.name));
    let Some(bounds) = scene.bounds() else { return pixels };
    let view = View::fit(bounds, Point::new(width as f64, height as f64), MARGIN);
    for link in &scene.links {
        let color = if link.kind == LinkKind::Arc { paint.wire } else { paint.share };
        for [from, to] in link.path.lines() {
            let (from, to) = (view.screen_from_world(from), view.screen_from_world(to));
            pixels.line((from.x, from.y), (to.x, to.y), 0.0, color);
        }
    }
    for node in &scene.boxes {
        let area = view.screen_rect_from_world(node.area);
        let title = match node.kind {
            BoxKind::Unit { is_start: true, .. } => paint.start,
            BoxKind::Call { .. } => paint.call,
            BoxKind::Shared | BoxKind::InOut => paint.share,
            _ => paint.title,
        };
        draw_box(&mut pixels, area, title, &paint);
    }
    pixels
}

fn draw_box(pixels: &mut Pixels, area: Rect, title: Rgba, paint: &Paint) {
    let round = |value: f64| value.round() as i64;
    let (left, right) = (round(area.min.x), round(area.max.x).max(round(area.min.x) + 3));
    let (top, bottom) = (round(area.min.y), round(area.max.y).max(round(area.min.y) + 3));
    pixels.rounded((left, right), (top, bottom), paint.fill, paint.edge);
    let title_end = top + 1 + round((bottom - top) as f64 * TITLE_SHARE);
    pixels.rect((left + 1, right - 1), (top + 1, title_end.min(bottom - 1)), title);
}
