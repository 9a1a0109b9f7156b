//! Positions from the `[layout.*]` tables of a file, where they say a place for every box. They are
//! spread out as far as it takes for boxes and texts to keep clear of each other; where that is in vain,
//! the picture is laid out as if there were none.

use toml_edit::{Document, TableLike, Value};

use super::placed::{Area, Course, Placed, Point, Route, attach, beyond_loop, box_sizes, label_size};
use super::scene::{Cluster, Link};

/// Most boxes for whose links a way is sought among all others.
const MOST_BOXES: usize = 200;
/// How far positions are spread, tried one after the other.
const SCALES: [f64; 6] = [1.0, 1.25, 1.5, 1.8, 2.2, 2.7];
/// How far a link gives way to the side.
const DETOURS: [f64; 11] = [0.0, -34.0, 34.0, -68.0, 68.0, -105.0, 105.0, -150.0, 150.0, -210.0, 210.0];
/// Where along a link its text may stand.
const LABEL_PLACES: [f64; 7] = [0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78];

/// The places that a file gives to all boxes of a cluster; nothing where one lacks a place.
pub(super) fn centers(document: &Document<&str>, cluster: &Cluster) -> Option<Vec<Point>> {
    let table = document.as_table().get("layout")?.as_table_like()?.get(&cluster.name)?.as_table_like()?;
    if cluster.boxes.is_empty() || cluster.boxes.len() > MOST_BOXES {
        return None;
    }
    cluster.boxes.iter().map(|node| center(table, &node.name)).collect()
}

fn center(table: &dyn TableLike, name: &str) -> Option<Point> {
    let item = table.get(name).or_else(|| {
        // `in.a` may be written as a key or as a table.
        let (kind, port) = name.split_once('.')?;
        table.get(kind)?.as_table_like()?.get(port)
    })?;
    let array = item.as_array()?;
    let number = |value: &Value| value.as_float().or(value.as_integer().map(|number| number as f64));
    let [x, y] = [array.get(0).and_then(number)?, array.get(1).and_then(number)?];
    (x.is_finite() && y.is_finite() && x.abs() < 1e6 && y.abs() < 1e6).then_some(Point::new(x, y))
}

/// Places a cluster.
pub(super) fn place(cluster: &Cluster, centers: &[Point]) -> Placed {
    let mut best: Option<(f64, Placed)> = None;
    for scale in SCALES {
        let (cost, placed) = place_scaled(cluster, centers, scale);
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, placed));
        }
        if cost == 0.0 {
            break;
        }
    }
    best.map_or(Placed { boxes: Vec::new(), routes: Vec::new() }, |(_, placed)| placed)
}

/// A placement, and how often things are in each other's way.
fn place_scaled(cluster: &Cluster, centers: &[Point], scale: f64) -> (f64, Placed) {
    let boxes: Vec<Area> = centers
        .iter()
        .zip(box_sizes(cluster))
        .map(|(center, (width, height))| Area {
            center: Point::new(center.x * scale, center.y * scale),
            width,
            height,
        })
        .collect();
    let mut cost = 0.0;
    for (box_idx, area) in boxes.iter().enumerate() {
        cost += 1000.0 * boxes[..box_idx].iter().filter(|other| area.overlaps(other, 14.0)).count() as f64;
    }
    let mut routes: Vec<Route> = cluster.links.iter().map(|link| straight(link, &boxes)).collect();
    attach(cluster, &boxes, &mut routes);
    let mut labels: Vec<Area> = Vec::new();
    for (link, route) in cluster.links.iter().zip(&mut routes) {
        let ends = (route.points[0], route.points[route.points.len() - 1]);
        let detours: &[f64] = if route.course == Course::Loop { &DETOURS[..1] } else { &DETOURS };
        let mut least = f64::MAX;
        for detour in detours {
            let mut points = route.points.clone();
            if *detour != 0.0 {
                let (mut middle, both) = (ends.0, [ends.0, ends.1]);
                middle.x = both.iter().map(|end| end.x).sum::<f64>() / 2.0;
                middle.y = both.iter().map(|end| end.y).sum::<f64>() / 2.0;
                match route.course {
                    Course::Upright => middle.x += detour,
                    Course::Level | Course::Loop => middle.y += detour,
                }
                points = vec![ends.0, middle, ends.1];
            }
            let samples = samples(&points, route.course);
            let (in_the_way, label) = judge(link, &samples, &boxes, &labels);
            let this_cost = in_the_way + detour.abs() * 1e-3;
            if this_cost < least {
                least = this_cost;
                (route.points, route.label) = (points, label);
            }
        }
        if route.course == Course::Loop {
            route.label.center = beyond_loop(&route.points, boxes[link.source].center);
        }
        labels.push(route.label);
        cost += least.floor();
    }
    (cost, Placed { boxes, routes })
}

/// A link without a detour; one that leads back to its box goes around above it.
pub(super) fn straight(link: &Link, boxes: &[Area]) -> Route {
    let (source, target) = (boxes[link.source], boxes[link.target]);
    let label = Area { center: source.center, width: 0.0, height: 0.0 };
    if link.source != link.target {
        let distance = (source.center.x - target.center.x).abs();
        let is_below = distance < (source.width + target.width) / 2.0 + 24.0;
        let course = if is_below { Course::Upright } else { Course::Level };
        return Route { points: vec![source.center, target.center], course, label };
    }
    let (x, top) = (source.center.x, source.center.y - source.height / 2.0);
    let points = [(-14.0, 0.0), (-16.0, -16.0), (0.0, -24.0), (16.0, -16.0), (14.0, 0.0)];
    let points = points.map(|(right, down)| Point::new(x + right, top + down)).to_vec();
    Route { points, course: Course::Loop, label }
}

/// Points along a curve, evenly spread over its pieces.
fn samples(points: &[Point], course: Course) -> Vec<Point> {
    const N_PIECES: usize = 16;
    let mut samples = Vec::new();
    for pair in points.windows(2) {
        for step in 0..=N_PIECES {
            let t = step as f64 / N_PIECES as f64;
            // A piece is a cubic curve whose handles lie half way, beside or below its ends.
            let (fast, slow) = (t * (1.5 - 1.5 * t + t * t), t * t * (3.0 - 2.0 * t));
            let (x, y) = match course {
                Course::Level => (fast, slow),
                Course::Upright => (slow, fast),
                Course::Loop => (t, t),
            };
            let between = |from: f64, to: f64, part: f64| from + (to - from) * part;
            samples.push(Point::new(between(pair[0].x, pair[1].x, x), between(pair[0].y, pair[1].y, y)));
        }
    }
    samples
}

/// How much is in the way of a link, and the best place for its text.
fn judge(link: &Link, samples: &[Point], boxes: &[Area], labels: &[Area]) -> (f64, Area) {
    let is_other = |box_idx: &usize| *box_idx != link.source && *box_idx != link.target;
    let n_crossed = (0..boxes.len())
        .filter(is_other)
        .filter(|&box_idx| samples.iter().any(|point| boxes[box_idx].holds(*point, 5.0)))
        .count();
    let n_texts = labels.iter().filter(|label| samples.iter().any(|point| label.holds(*point, 0.0))).count();
    let (width, height) = label_size(&link.label);
    let mut best: Option<(f64, Area)> = None;
    for (place_idx, place) in LABEL_PLACES.iter().enumerate() {
        let center = samples[(place * (samples.len() - 1) as f64) as usize];
        let area = Area { center, width, height };
        let n_hidden = boxes.iter().filter(|other| width > 0.0 && area.overlaps(other, 13.0)).count()
            + labels
                .iter()
                .filter(|other| width > 0.0 && other.width > 0.0 && area.overlaps(other, 2.0))
                .count();
        let cost = 60.0 * n_hidden as f64 + place_idx as f64 * 1e-3;
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, area));
        }
    }
    let (label_cost, label) = best.expect("there are places for texts");
    (100.0 * n_crossed as f64 + 20.0 * n_texts as f64 + label_cost, label)
}
