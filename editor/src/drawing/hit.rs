//! What is under the mouse, in a rubber band, or in the part of the world that a canvas shows.

use super::geometry::{Point, Rect};
use super::index::SpatialIndex;
use super::measure::{FRAME_TITLE_HEIGHT, PORT_DISTANCE, PORT_RADIUS, TITLE_HEIGHT};
use super::scene::Scene;
use super::scene::parts::PortPlace;

/// How far from a link, a bend or the edge of a frame a person may click, in screen pixels.
pub const TOLERANCE: f64 = 6.0;

/// What is at a place, by positions in the scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hit {
    /// A port.
    Port(PortPlace),
    /// The title of a box.
    Title(usize),
    /// A box, below its title.
    Box(usize),
    /// A bend of a link.
    Bend {
        /// The link.
        link_idx: usize,
        /// Which of its bends.
        bend_idx: usize,
    },
    /// A link or its label.
    Link(usize),
    /// A comment.
    Comment(usize),
    /// An edge of a frame, or a corner: then two of the sides.
    FrameEdge {
        /// The frame.
        frame_idx: usize,
        /// Which sides move when it is dragged: left, top, right, bottom.
        sides: [bool; 4],
    },
    /// The title of a frame.
    FrameTitle(usize),
}

/// How far from its anchor a port is hit, in world units: never so far that it takes its neighbor's place.
pub fn port_radius(zoom: f64) -> f64 {
    (TOLERANCE / zoom).clamp(PORT_RADIUS, PORT_DISTANCE / 2.0)
}

/// What is at a world point when the picture is shown with a zoom: the nearest port that no box covers, else the topmost
/// box, else the nearest bend, the nearest link, the topmost comment, the topmost frame. Of what is equally near, the
/// last. Inside of a frame there is nothing of it.
pub fn hit(scene: &Scene, index: &SpatialIndex, at: Point, zoom: f64) -> Option<Hit> {
    let tolerance = TOLERANCE / zoom;
    let radius = port_radius(zoom);
    let spot = Rect { min: at, max: at };
    let near = index.near(spot.grown(tolerance.max(radius)));
    let covering = near.boxes.iter().copied().rfind(|&idx| scene.boxes[idx].area.contains(at));

    let mut nearest = Nearest::within(radius);
    // A box covers the ports of those below it.
    for &box_idx in near.boxes.iter().filter(|&&idx| covering.is_none_or(|top| idx >= top)) {
        for (port_idx, port) in scene.boxes[box_idx].ports.iter().enumerate() {
            nearest.take(port.anchor.distance(at), Hit::Port(PortPlace { box_idx, port_idx }));
        }
    }
    if nearest.hit.is_some() {
        return nearest.hit;
    }
    if let Some(box_idx) = covering {
        let is_title = at.y <= scene.boxes[box_idx].area.min.y + TITLE_HEIGHT;
        return Some(if is_title { Hit::Title(box_idx) } else { Hit::Box(box_idx) });
    }
    let mut nearest = Nearest::within(tolerance);
    for &link_idx in &near.links {
        for (bend_idx, bend) in scene.links[link_idx].bends.iter().enumerate() {
            nearest.take(bend.distance(at), Hit::Bend { link_idx, bend_idx });
        }
    }
    if nearest.hit.is_some() {
        return nearest.hit;
    }
    for &link_idx in &near.links {
        let link = &scene.links[link_idx];
        let is_label = link.label_area.is_some_and(|label| label.contains(at));
        let distance = if is_label { 0.0 } else { link.path.distance(at) };
        nearest.take(distance, Hit::Link(link_idx));
    }
    if nearest.hit.is_some() {
        return nearest.hit;
    }
    let comment = scene.comments.iter().rposition(|comment| comment.area.contains(at)).map(Hit::Comment);
    comment.or_else(|| (0..scene.frames.len()).rev().find_map(|idx| frame_hit(scene, idx, at, tolerance)))
}

/// The nearest of what was taken in.
struct Nearest {
    distance: f64,
    hit: Option<Hit>,
}

impl Nearest {
    fn within(distance: f64) -> Self {
        Self { distance, hit: None }
    }

    fn take(&mut self, distance: f64, hit: Hit) {
        if distance <= self.distance {
            *self = Self { distance, hit: Some(hit) };
        }
    }
}

fn frame_hit(scene: &Scene, frame_idx: usize, at: Point, tolerance: f64) -> Option<Hit> {
    let area = scene.frames[frame_idx].area;
    if !area.grown(tolerance).contains(at) {
        return None;
    }
    let is_at = |edge: f64, value: f64| (edge - value).abs() <= tolerance;
    let sides =
        [is_at(area.min.x, at.x), is_at(area.min.y, at.y), is_at(area.max.x, at.x), is_at(area.max.y, at.y)];
    if sides.contains(&true) {
        return Some(Hit::FrameEdge { frame_idx, sides });
    }
    (at.y <= area.min.y + FRAME_TITLE_HEIGHT).then_some(Hit::FrameTitle(frame_idx))
}

/// Things of a scene, by position; each list in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Things {
    /// Boxes.
    pub boxes: Vec<usize>,
    /// Links.
    pub links: Vec<usize>,
    /// Comments.
    pub comments: Vec<usize>,
    /// Frames.
    pub frames: Vec<usize>,
}

/// What a canvas has to draw to show a part of the world: all that has a point in it, and little more.
pub fn visible(scene: &Scene, index: &SpatialIndex, part: Rect) -> Things {
    let near = index.near(part.grown(PORT_RADIUS));
    let is_box = |idx: &usize| scene.boxes[*idx].area.grown(PORT_RADIUS).intersects(part);
    let is_link =
        |idx: &usize| scene.links[*idx].extents().any(|piece| piece.intersects(part.grown(PORT_RADIUS)));
    Things {
        boxes: near.boxes.into_iter().filter(is_box).collect(),
        links: near.links.into_iter().filter(is_link).collect(),
        comments: (0..scene.comments.len())
            .filter(|&idx| scene.comments[idx].area.intersects(part))
            .collect(),
        frames: (0..scene.frames.len()).filter(|&idx| scene.frames[idx].area.intersects(part)).collect(),
    }
}

/// What a rubber band takes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Band {
    /// What has a point in it; of a frame, of its edge.
    Touch,
    /// What lies in it as a whole.
    Contain,
}

/// What a rubber band selects; drawn from any corner to the one across, [`Rect::spanned`].
pub fn banded(scene: &Scene, index: &SpatialIndex, area: Rect, band: Band) -> Things {
    let near = index.near(area);
    let takes = |own: Rect| match band {
        Band::Touch => area.intersects(own),
        Band::Contain => area.contains_rect(own),
    };
    let takes_link = |idx: &usize| {
        let path = &scene.links[*idx].path;
        match band {
            Band::Touch => path.meets(area),
            Band::Contain => !path.curves.is_empty() && path.is_within(area),
        }
    };
    let is_inside = |frame: Rect| {
        frame.min.x < area.min.x
            && area.max.x < frame.max.x
            && frame.min.y < area.min.y
            && area.max.y < frame.max.y
    };
    let takes_frame = |idx: &usize| {
        let frame = scene.frames[*idx].area;
        takes(frame) && !is_inside(frame)
    };
    Things {
        boxes: near.boxes.into_iter().filter(|&idx| takes(scene.boxes[idx].area)).collect(),
        links: near.links.into_iter().filter(takes_link).collect(),
        comments: (0..scene.comments.len()).filter(|&idx| takes(scene.comments[idx].area)).collect(),
        frames: (0..scene.frames.len()).filter(takes_frame).collect(),
    }
}
