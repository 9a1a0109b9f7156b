//! Positions by layers for clusters that are too large for the dagre library, whose time grows with the square of their
//! size and more, and whose stack with the length of their chains.
//!
//! The steps are those of Sugiyama, Tagawa and Toda (1981): links that close a cycle are set aside, boxes get layers by
//! the longest way to them, and barycenters order each layer. Links are curves from box to box: no way is sought around
//! what is between. Cost: O(n log n) in boxes and links.

use super::placed::{Area, Course, Placed, Point, Route, attach, beyond_loop, box_sizes, label_size};
use super::positioned::straight;
use super::scene::Cluster;

/// Boxes, and layers that links cross, up to which dagre takes less than a second.
const MAX_SEGMENTS: usize = 300;
/// Number of passes over the layers that order them.
const N_SWEEPS: usize = 4;
/// Room between boxes of a layer, and least room between layers.
const BOX_GAP: f64 = 26.0;
const LAYER_GAP: f64 = 44.0;
/// Width of a text at a link that layers make room for.
const MAX_LABEL_WIDTH: f64 = 240.0;
/// How far a link that crosses layers is bent aside, for each of them.
const BEND: f64 = 14.0;

/// The layers of a cluster's boxes.
pub(super) struct Layers {
    /// The layer of each box.
    rank_of: Vec<usize>,
    n_layers: usize,
}

impl Layers {
    /// Finds them.
    pub(super) fn of(cluster: &Cluster) -> Self {
        let order = topological_order(cluster);
        let mut place_of = vec![0; order.len()];
        for (place, &box_idx) in order.iter().enumerate() {
            place_of[box_idx] = place;
        }
        let targets = targets(cluster);
        let mut rank_of = vec![0; order.len()];
        for &source in &order {
            for &target in &targets[source] {
                if place_of[source] < place_of[target] {
                    rank_of[target] = rank_of[target].max(rank_of[source] + 1);
                }
            }
        }
        let n_layers = rank_of.iter().max().map_or(0, |last| last + 1);
        Self { rank_of, n_layers }
    }

    /// Whether dagre would take long.
    pub(super) fn is_large(&self, cluster: &Cluster) -> bool {
        let spans = cluster.links.iter().map(|link| self.span(link.source, link.target).max(1));
        cluster.boxes.len() + spans.sum::<usize>() > MAX_SEGMENTS
    }

    fn span(&self, source: usize, target: usize) -> usize {
        self.rank_of[source].abs_diff(self.rank_of[target])
    }
}

/// Places a cluster.
pub(super) fn place(cluster: &Cluster, layers: &Layers) -> Placed {
    let boxes = place_boxes(cluster, layers);
    let mut routes: Vec<Route> = Vec::new();
    for (link_idx, link) in cluster.links.iter().enumerate() {
        let mut route = straight(link, &boxes);
        let span = layers.span(link.source, link.target);
        if route.course == Course::Level && span > 1 {
            let [from, to] = [route.points[0], route.points[1]];
            let side = if link_idx % 2 == 0 { -BEND } else { BEND };
            let middle = Point::new((from.x + to.x) / 2.0, (from.y + to.y) / 2.0 + side * span as f64);
            route.points.insert(1, middle);
        }
        routes.push(route);
    }
    attach(cluster, &boxes, &mut routes);
    for (link, route) in cluster.links.iter().zip(&mut routes) {
        let (width, height) = label_size(&link.label);
        let n_points = route.points.len();
        let [before, after] = [route.points[(n_points - 1) / 2], route.points[n_points / 2]];
        let center = match route.course {
            Course::Loop => beyond_loop(&route.points, boxes[link.source].center),
            Course::Level | Course::Upright => {
                Point::new((before.x + after.x) / 2.0, (before.y + after.y) / 2.0)
            }
        };
        route.label = Area { center, width, height };
    }
    Placed { boxes, routes }
}

/// Boxes below each other in their layers, each layer centered.
fn place_boxes(cluster: &Cluster, layers: &Layers) -> Vec<Area> {
    let sizes = box_sizes(cluster);
    let mut label_widths: Vec<f64> = vec![0.0; layers.n_layers];
    for link in &cluster.links {
        let rank = layers.rank_of[link.source].min(layers.rank_of[link.target]);
        label_widths[rank] = label_widths[rank].max(label_size(&link.label).0.min(MAX_LABEL_WIDTH));
    }
    let nowhere = Area { center: Point::new(0.0, 0.0), width: 0.0, height: 0.0 };
    let mut boxes = vec![nowhere; sizes.len()];
    let mut left = 0.0;
    for (layer, label_width) in ordered(cluster, layers).into_iter().zip(label_widths) {
        let width = layer.iter().map(|&box_idx| sizes[box_idx].0).fold(0.0, f64::max);
        let heights: f64 = layer.iter().map(|&box_idx| sizes[box_idx].1 + BOX_GAP).sum();
        let mut top = -heights / 2.0;
        for box_idx in layer {
            let (box_width, height) = sizes[box_idx];
            let center = Point::new(left + width / 2.0, top + height / 2.0);
            boxes[box_idx] = Area { center, width: box_width, height };
            top += height + BOX_GAP;
        }
        left += width + label_width + LAYER_GAP;
    }
    boxes
}

/// The boxes of each layer, so ordered that few links cross: by the mean place of their neighbors, from left to right and
/// back.
fn ordered(cluster: &Cluster, layers: &Layers) -> Vec<Vec<usize>> {
    let n_boxes = cluster.boxes.len();
    let mut in_layers: Vec<Vec<usize>> = vec![Vec::new(); layers.n_layers];
    (0..n_boxes).for_each(|box_idx| in_layers[layers.rank_of[box_idx]].push(box_idx));
    let (mut before, mut after) = (vec![Vec::new(); n_boxes], vec![Vec::new(); n_boxes]);
    for link in &cluster.links {
        let [source, target] = [link.source, link.target];
        let is_forward = layers.rank_of[source] < layers.rank_of[target];
        let [left, right] = if is_forward { [source, target] } else { [target, source] };
        if layers.rank_of[left] != layers.rank_of[right] {
            before[right].push(left);
            after[left].push(right);
        }
    }
    // Where a box is in its layer, from 0 to 1, as layers differ in length.
    let mut place_of = vec![0.0; n_boxes];
    let note = |layer: &[usize], place_of: &mut [f64]| {
        for (place, &box_idx) in layer.iter().enumerate() {
            place_of[box_idx] = (place as f64 + 0.5) / layer.len() as f64;
        }
    };
    in_layers.iter().for_each(|layer| note(layer, &mut place_of));
    for sweep in 0..N_SWEEPS {
        for step in 0..layers.n_layers {
            let is_rightward = sweep % 2 == 0;
            let rank = if is_rightward { step } else { layers.n_layers - 1 - step };
            let neighbors = if is_rightward { &before } else { &after };
            let mean = |box_idx: usize| {
                let places = neighbors[box_idx].iter().map(|&neighbor| place_of[neighbor]);
                let n_neighbors = neighbors[box_idx].len();
                if n_neighbors == 0 { place_of[box_idx] } else { places.sum::<f64>() / n_neighbors as f64 }
            };
            let mut layer: Vec<(f64, usize)> =
                in_layers[rank].iter().map(|&box_idx| (mean(box_idx), box_idx)).collect();
            layer.sort_by(|one, other| one.0.total_cmp(&other.0));
            in_layers[rank] = layer.into_iter().map(|(_, box_idx)| box_idx).collect();
            note(&in_layers[rank], &mut place_of);
        }
    }
    in_layers
}

/// An order of the boxes in which all links lead forward that close no cycle: reverse postorder of a depth-first search,
/// without recursion, as chains may be long.
fn topological_order(cluster: &Cluster) -> Vec<usize> {
    let targets = targets(cluster);
    let n_boxes = cluster.boxes.len();
    let mut has_sources = vec![false; n_boxes];
    cluster
        .links
        .iter()
        .filter(|link| link.source != link.target)
        .for_each(|link| has_sources[link.target] = true);
    let (mut is_seen, mut postorder) = (vec![false; n_boxes], Vec::new());
    let roots = (0..n_boxes).filter(|&box_idx| !has_sources[box_idx]).chain(0..n_boxes);
    for root in roots {
        let mut way: Vec<(usize, usize)> = Vec::new();
        if !std::mem::replace(&mut is_seen[root], true) {
            way.push((root, 0));
        }
        while let Some((box_idx, next)) = way.last_mut() {
            match targets[*box_idx].get(*next) {
                Some(&target) => {
                    *next += 1;
                    if !std::mem::replace(&mut is_seen[target], true) {
                        way.push((target, 0));
                    }
                }
                None => {
                    postorder.push(*box_idx);
                    way.pop();
                }
            }
        }
    }
    postorder.reverse();
    postorder
}

/// The boxes that links of each box lead to.
fn targets(cluster: &Cluster) -> Vec<Vec<usize>> {
    let mut targets = vec![Vec::new(); cluster.boxes.len()];
    cluster.links.iter().for_each(|link| targets[link.source].push(link.target));
    targets
}
