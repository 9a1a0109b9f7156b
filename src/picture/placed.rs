//! Where boxes, links and texts stand, in pixels, and how large they are.
//!
//! Texts are set in a monospaced font, so that their width is known without a font at hand.

use unicode_width::UnicodeWidthStr;

use super::scene::{Cluster, Node};

/// Size of a box's title, and of the note below and the texts at links.
pub(super) const TITLE_SIZE: f64 = 13.0;
pub(super) const NOTE_SIZE: f64 = 10.5;
/// Width of a letter over its size. Monospaced fonts have 0.6; a little more leaves room.
const LETTER_WIDTH: f64 = 0.615;
const LABEL_HEIGHT: f64 = 15.0;
/// Least distance between the ends of links at one side of a box.
const END_DISTANCE: f64 = 13.0;

/// A point, x to the right and y down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
}

impl Point {
    pub(super) fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }
}

/// A rectangle about its center.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Area {
    pub(super) center: Point,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Area {
    pub(super) fn overlaps(&self, other: &Area, margin: f64) -> bool {
        let far = |distance: f64, one: f64, other: f64| distance.abs() >= (one + other) / 2.0 + margin;
        !far(self.center.x - other.center.x, self.width, other.width)
            && !far(self.center.y - other.center.y, self.height, other.height)
    }

    pub(super) fn holds(&self, point: Point, margin: f64) -> bool {
        self.overlaps(&Area { center: point, width: 0.0, height: 0.0 }, margin)
    }
}

/// How a link goes through its points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Course {
    /// From side to side: level in each point.
    Level,
    /// Between boxes that stand below each other: upright in each point.
    Upright,
    /// Around a corner of its own box: smooth.
    Loop,
}

/// A link with its place: a curve, and the middle of its text.
pub(super) struct Route {
    /// Through which the curve goes.
    pub(super) points: Vec<Point>,
    /// How it goes through them.
    pub(super) course: Course,
    pub(super) label: Area,
}

/// A cluster with its places.
pub(super) struct Placed {
    pub(super) boxes: Vec<Area>,
    pub(super) routes: Vec<Route>,
}

impl Placed {
    /// Least and greatest coordinates of all that is drawn.
    pub(super) fn bounds(&self) -> (Point, Point) {
        let mut least = Point::new(f64::MAX, f64::MAX);
        let mut most = Point::new(f64::MIN, f64::MIN);
        let labels = self.routes.iter().map(|route| route.label).filter(|label| label.width > 0.0);
        let points = self.routes.iter().flat_map(|route| &route.points);
        let dots = points.map(|&center| Area { center, width: 4.0, height: 4.0 });
        for area in self.boxes.iter().copied().chain(labels).chain(dots) {
            least.x = least.x.min(area.center.x - area.width / 2.0);
            least.y = least.y.min(area.center.y - area.height / 2.0);
            most.x = most.x.max(area.center.x + area.width / 2.0);
            most.y = most.y.max(area.center.y + area.height / 2.0);
        }
        if self.boxes.is_empty() { (Point::new(0.0, 0.0), Point::new(0.0, 0.0)) } else { (least, most) }
    }

    /// Whether boxes and texts keep clear of each other.
    pub(super) fn is_clear(&self) -> bool {
        let labels = self.routes.iter().map(|route| &route.label).filter(|label| label.width > 0.0);
        let mut areas: Vec<&Area> = self.boxes.iter().chain(labels).collect();
        let left = |area: &Area| area.center.x - area.width / 2.0;
        let right = |area: &Area| area.center.x + area.width / 2.0;
        areas.sort_by(|one, other| left(one).total_cmp(&left(other)));
        areas.iter().enumerate().all(|(idx, area)| {
            let mut near = areas[idx + 1..].iter().take_while(|other| left(other) < right(area));
            !near.any(|other| area.overlaps(other, 0.0))
        })
    }

    /// Moves everything.
    pub(super) fn shift(&mut self, x: f64, y: f64) {
        let routes = self.routes.iter_mut();
        let ends = routes.flat_map(|route| route.points.iter_mut().chain([&mut route.label.center]));
        for point in self.boxes.iter_mut().map(|area| &mut area.center).chain(ends) {
            point.x += x;
            point.y += y;
        }
    }
}

/// Where the text of a loop stands: outside of it, seen from the box.
pub(super) fn beyond_loop(points: &[Point], center: Point) -> Point {
    let far = |one: &&Point, other: &&Point| (one.y - center.y).abs().total_cmp(&(other.y - center.y).abs());
    let apex = points.iter().max_by(far).copied().unwrap_or(center);
    Point::new(apex.x, apex.y + if apex.y > center.y { LABEL_HEIGHT } else { -LABEL_HEIGHT } / 1.6)
}

/// Width and height of a text at a link; none for an empty one.
pub(super) fn label_size(label: &str) -> (f64, f64) {
    if label.is_empty() { (0.0, 0.0) } else { (text_width(label, NOTE_SIZE) + 6.0, LABEL_HEIGHT) }
}

/// Width and height of each box, with room for the ends of its links.
pub(super) fn box_sizes(cluster: &Cluster) -> Vec<(f64, f64)> {
    let (mut n_in_of, mut n_out_of) =
        (vec![0_usize; cluster.boxes.len()], vec![0_usize; cluster.boxes.len()]);
    for link in &cluster.links {
        n_in_of[link.target] += 1;
        n_out_of[link.source] += 1;
    }
    let size = |(node_idx, node): (usize, &Node)| {
        let (n_in, n_out) = (n_in_of[node_idx], n_out_of[node_idx]);
        let text = text_width(&node.title, TITLE_SIZE).max(text_width(&node.note, NOTE_SIZE));
        let least = if node.note.is_empty() { 34.0 } else { 46.0 };
        (text + 30.0, (n_in.max(n_out) as f64 * END_DISTANCE + 12.0).max(least))
    };
    cluster.boxes.iter().enumerate().map(size).collect()
}

fn text_width(text: &str, size: f64) -> f64 {
    text.width() as f64 * size * LETTER_WIDTH
}

/// An end of a link at a side of a box.
struct Side {
    box_idx: usize,
    course: Course,
    /// Whether it is the right or lower one.
    is_far: bool,
    /// Where along the side the point lies that comes next on the link.
    next: f64,
    link_idx: usize,
    is_target: bool,
}

impl Side {
    fn key(&self) -> (usize, bool, bool) {
        (self.box_idx, self.course == Course::Upright, self.is_far)
    }
}

/// Lets links begin and end at the sides of boxes, spread over the side in the order of where they come
/// from.
pub(super) fn attach(cluster: &Cluster, boxes: &[Area], routes: &mut [Route]) {
    let mut sides = Vec::new();
    for (link_idx, (link, route)) in cluster.links.iter().zip(routes.iter()).enumerate() {
        let n_points = route.points.len();
        if route.course == Course::Loop || n_points < 2 {
            continue;
        }
        for (box_idx, next, is_target) in
            [(link.source, route.points[1], false), (link.target, route.points[n_points - 2], true)]
        {
            let center = boxes[box_idx].center;
            let (is_far, next) = match route.course {
                Course::Upright => (next.y > center.y, next.x),
                Course::Level | Course::Loop => (next.x > center.x, next.y),
            };
            sides.push(Side { box_idx, course: route.course, is_far, next, link_idx, is_target });
        }
    }
    sides.sort_by(|one, other| {
        let by_place = one.next.total_cmp(&other.next).then(one.link_idx.cmp(&other.link_idx));
        one.key().cmp(&other.key()).then(by_place)
    });
    for group in sides.chunk_by(|one, other| one.key() == other.key()) {
        let Area { center, width, height } = boxes[group[0].box_idx];
        for (place, side) in group.iter().enumerate() {
            let place = place as f64 - (group.len() - 1) as f64 / 2.0;
            let sign = if side.is_far { 0.5 } else { -0.5 };
            let end = match side.course {
                Course::Upright => {
                    let step = ((width - 12.0) / group.len() as f64).min(3.0 * END_DISTANCE);
                    Point::new(center.x + place * step, center.y + sign * height)
                }
                Course::Level | Course::Loop => {
                    let step = ((height - 12.0) / group.len() as f64).min(END_DISTANCE);
                    Point::new(center.x + sign * width, center.y + place * step)
                }
            };
            let points = &mut routes[side.link_idx].points;
            let end_idx = if side.is_target { points.len() - 1 } else { 0 };
            points[end_idx] = end;
        }
    }
}
