//! Points, rectangles and cubic curves of the picture, in world units: pixels at its own size, x to the right and y
//! down.

/// A point, or a distance in both directions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Down.
    pub y: f64,
}

impl Point {
    /// A point.
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    /// The point that lies this far on.
    pub fn shifted(self, by: Point) -> Self {
        Self::new(self.x + by.x, self.y + by.y)
    }

    /// How far another point is, in a straight line.
    pub fn distance(self, other: Point) -> f64 {
        (self.x - other.x).hypot(self.y - other.y)
    }

    fn between(self, other: Point, part: f64) -> Point {
        Point::new(self.x + (other.x - self.x) * part, self.y + (other.y - self.y) * part)
    }
}

/// A rectangle; its edges belong to it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    /// The upper left corner.
    pub min: Point,
    /// The lower right corner.
    pub max: Point,
}

impl Rect {
    /// A rectangle by its upper left corner and its size.
    pub const fn new(x: f64, y: f64, width: f64, height: f64) -> Self {
        Self { min: Point::new(x, y), max: Point::new(x + width, y + height) }
    }

    /// The rectangle with two points as corners, in whatever order.
    pub fn spanned(one: Point, other: Point) -> Self {
        Self {
            min: Point::new(one.x.min(other.x), one.y.min(other.y)),
            max: Point::new(one.x.max(other.x), one.y.max(other.y)),
        }
    }

    /// The smallest rectangle around points; nothing around none.
    pub fn around(points: impl IntoIterator<Item = Point>) -> Option<Self> {
        let spots = points.into_iter().map(|point| Self { min: point, max: point });
        spots.reduce(Self::union)
    }

    /// Extent to the right.
    pub fn width(self) -> f64 {
        self.max.x - self.min.x
    }

    /// Extent downwards.
    pub fn height(self) -> f64 {
        self.max.y - self.min.y
    }

    /// The point in the middle.
    pub fn center(self) -> Point {
        self.min.between(self.max, 0.5)
    }

    /// The smallest rectangle around both.
    pub fn union(self, other: Self) -> Self {
        Self {
            min: Point::new(self.min.x.min(other.min.x), self.min.y.min(other.min.y)),
            max: Point::new(self.max.x.max(other.max.x), self.max.y.max(other.max.y)),
        }
    }

    /// The rectangle with a margin around it; a smaller one where the margin is negative.
    pub fn grown(self, margin: f64) -> Self {
        Self {
            min: Point::new(self.min.x - margin, self.min.y - margin),
            max: Point::new(self.max.x + margin, self.max.y + margin),
        }
    }

    /// The rectangle moved.
    pub fn shifted(self, by: Point) -> Self {
        Self { min: self.min.shifted(by), max: self.max.shifted(by) }
    }

    /// Whether a point lies in it.
    pub fn contains(self, point: Point) -> bool {
        self.min.x <= point.x && point.x <= self.max.x && self.min.y <= point.y && point.y <= self.max.y
    }

    /// Whether all of another rectangle lies in it.
    pub fn contains_rect(self, other: Self) -> bool {
        self.contains(other.min) && self.contains(other.max)
    }

    /// The area that both cover.
    pub fn overlap(self, other: Self) -> f64 {
        let width = self.max.x.min(other.max.x) - self.min.x.max(other.min.x);
        let height = self.max.y.min(other.max.y) - self.min.y.max(other.min.y);
        width.max(0.0) * height.max(0.0)
    }

    /// Whether they have a point in common.
    pub fn intersects(self, other: Self) -> bool {
        self.min.x <= other.max.x
            && other.min.x <= self.max.x
            && self.min.y <= other.max.y
            && other.min.y <= self.max.y
    }

    /// Whether a straight line has a point in it (Liang and Barsky 1984).
    pub fn meets_segment(self, from: Point, to: Point) -> bool {
        let (mut first, mut last) = (0.0_f64, 1.0_f64);
        for (start, step, least, most) in
            [(from.x, to.x - from.x, self.min.x, self.max.x), (from.y, to.y - from.y, self.min.y, self.max.y)]
        {
            if step == 0.0 {
                if start < least || most < start {
                    return false;
                }
                continue;
            }
            let (one, other) = ((least - start) / step, (most - start) / step);
            first = first.max(one.min(other));
            last = last.min(one.max(other));
        }
        first <= last
    }
}

/// A cubic Bézier curve: its ends, and the handles that it leaves them towards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cubic {
    /// Where it begins.
    pub from: Point,
    /// Handle of its begin.
    pub first: Point,
    /// Handle of its end.
    pub second: Point,
    /// Where it ends.
    pub to: Point,
}

/// Pieces of a curve with bounds of their own.
const N_PIECES: usize = 8;
/// Straight lines that stand for a piece.
const N_LINES: usize = 3;

impl Cubic {
    /// The point at a place from 0 to 1.
    pub fn at(self, place: f64) -> Point {
        self.blossom(place, place, place)
    }

    /// The symmetric function of three places that gives the curve where all are the same, and the handles of a piece
    /// from `a` to `b` at `(a, a, b)` and `(a, b, b)` (Ramshaw 1987).
    fn blossom(self, one: f64, two: f64, three: f64) -> Point {
        let [a, b, c] = [(self.from, self.first), (self.first, self.second), (self.second, self.to)]
            .map(|(from, to)| from.between(to, one));
        a.between(b, two).between(b.between(c, two), three)
    }

    /// Rectangles that hold the curve piece by piece, in its order.
    pub fn piece_bounds(self) -> impl Iterator<Item = Rect> {
        (0..N_PIECES).map(move |piece| {
            let [a, b] = [piece, piece + 1].map(|place| place as f64 / N_PIECES as f64);
            let ends = Rect::spanned(self.at(a), self.at(b));
            ends.union(Rect::spanned(self.blossom(a, a, b), self.blossom(a, b, b)))
        })
    }

    /// Points on the curve with its ends: straight lines between them are the curve as far as a mouse can tell.
    pub fn points(self) -> impl Iterator<Item = Point> {
        const N: usize = N_PIECES * N_LINES;
        (0..=N).map(move |place| self.at(place as f64 / N as f64))
    }
}

/// How far a point is from a straight line between two others.
pub(super) fn distance_to_segment(point: Point, from: Point, to: Point) -> f64 {
    let (x, y) = (to.x - from.x, to.y - from.y);
    let square = x * x + y * y;
    if square == 0.0 {
        return point.distance(from);
    }
    let part = ((point.x - from.x) * x + (point.y - from.y) * y) / square;
    point.distance(from.between(to, part.clamp(0.0, 1.0)))
}

/// Cubic curves that go on from each other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Path {
    /// The curves; none for a link that is not drawn.
    pub curves: Vec<Cubic>,
}

impl Path {
    /// How far a point is from it; infinite for an empty one. Exact up to the straight lines of [`Cubic::points`].
    pub fn distance(&self, point: Point) -> f64 {
        let lines = self.lines().map(|[from, to]| distance_to_segment(point, from, to));
        lines.fold(f64::INFINITY, f64::min)
    }

    /// Whether it has a point in a rectangle, up to the straight lines of [`Cubic::points`].
    pub fn meets(&self, rect: Rect) -> bool {
        self.lines().any(|[from, to]| rect.meets_segment(from, to))
    }

    /// Returns true if the piece in this position of [`piece_bounds`](Self::piece_bounds) has a point in a rectangle, up to the
    /// straight lines of [`Cubic::points`].
    pub fn piece_meets(&self, piece_idx: usize, rect: Rect) -> bool {
        const N: usize = N_PIECES * N_LINES;
        let Some(curve) = self.curves.get(piece_idx / N_PIECES) else { return false };
        let at = |line: usize| curve.at((piece_idx % N_PIECES * N_LINES + line) as f64 / N as f64);
        (0..N_LINES).any(|line| rect.meets_segment(at(line), at(line + 1)))
    }

    /// Whether all of it lies in a rectangle, up to the straight lines of [`Cubic::points`].
    pub fn is_within(&self, rect: Rect) -> bool {
        self.lines().all(|[from, to]| rect.contains(from) && rect.contains(to))
    }

    /// Rectangles that together hold it.
    pub fn piece_bounds(&self) -> impl Iterator<Item = Rect> + '_ {
        self.curves.iter().flat_map(|curve| curve.piece_bounds())
    }

    /// The smallest of such rectangles around all; nothing for an empty one.
    pub fn bounds(&self) -> Option<Rect> {
        self.piece_bounds().reduce(Rect::union)
    }

    /// The point half way, by curves.
    pub fn middle(&self) -> Option<Point> {
        let n_curves = self.curves.len();
        let curve = self.curves.get(n_curves / 2)?;
        Some(if n_curves % 2 == 1 { curve.at(0.5) } else { curve.from })
    }

    /// The point at a share of the length, from 0 to 1, measured along straight pieces.
    pub fn at_share(&self, share: f64) -> Option<Point> {
        let total: f64 = self.lines().map(|[from, to]| from.distance(to)).sum();
        let mut left = total * share.clamp(0.0, 1.0);
        let mut last = None;
        for [from, to] in self.lines() {
            let length = from.distance(to);
            if length >= left && length > 0.0 {
                let part = left / length;
                return Some(Point::new(from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part));
            }
            left -= length;
            last = Some(to);
        }
        last
    }

    pub(crate) fn lines(&self) -> impl Iterator<Item = [Point; 2]> + '_ {
        self.curves.iter().flat_map(|curve| {
            let points = curve.points();
            points.scan(curve.from, |last, point| Some([std::mem::replace(last, point), point])).skip(1)
        })
    }
}
