//! Layers from left to right (Sugiyama, Tagawa and Toda 1981), by rust-sugiyama.
//!
//! The library does not stand loops, nor several edges between two nodes; here it gets one edge for each pair, without
//! cycles. What it says is taken as layer and order within the layer; the places are made here, by sizes of boxes, so
//! that nothing overlaps whatever it says.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

use rust_sugiyama::configure::Config;
use rust_sugiyama::from_vertices_and_edges;

use crate::drawing::arrange::GRID;
use crate::drawing::geometry::Rect;
use crate::drawing::measure::{TEXT_SIZE, text_width};
use crate::drawing::scene::Scene;
use crate::drawing::scene::parts::BoxKind;

/// Least and greatest distance of layers: room for curves and their labels.
const LAYER_GAP: (f64, f64) = (80.0, 200.0);
/// Room at both sides of a label.
const LABEL_ROOM: f64 = 40.0;
/// Room added at both sides of the boxes of a link, and below them, each time that its texts had none.
const ADDED_ROOM: (f64, f64) = (40.0, 20.0);
/// Boxes above which no order is sought, only layers: it would take seconds.
const MOST_ORDERED: usize = 1_200;

/// Places of boxes that hang together by arcs.
pub(super) fn lay_out(
    scene: &Scene,
    part: &BTreeSet<usize>,
    arcs: &[(usize, usize)],
    crowded: &Crowded,
) -> BTreeMap<usize, Rect> {
    let boxes: Vec<usize> = part.iter().copied().collect();
    let position: BTreeMap<usize, usize> = boxes.iter().enumerate().map(|(idx, &node)| (node, idx)).collect();
    let arcs =
        arcs.iter().filter_map(|(source, target)| Some((*position.get(source)?, *position.get(target)?)));
    let is_start =
        |idx: &usize| matches!(scene.boxes[boxes[*idx]].kind, BoxKind::Unit { is_start: true, .. });
    let edges = without_cycles(boxes.len(), &single(arcs), is_start);
    let sizes: Vec<(f64, f64)> = boxes
        .iter()
        .map(|&box_idx| (scene.boxes[box_idx].area.width(), scene.boxes[box_idx].area.height()))
        .collect();
    let mut spots = ordered(&sizes, &edges).unwrap_or_else(|| by_depth(&sizes, &edges));
    spots.sort_by(|one, other| {
        one.layer
            .total_cmp(&other.layer)
            .then(one.middle.total_cmp(&other.middle))
            .then(one.idx.cmp(&other.idx))
    });
    let layers: Vec<&[Spot]> = spots.chunk_by(|one, other| one.layer == other.layer).collect();
    let gaps = gaps(scene, &boxes, &layers, crowded);
    let below = below(scene, crowded);
    let mut placed = BTreeMap::new();
    let mut left = 0.0;
    for (layer, gap) in layers.iter().zip(gaps) {
        let width = layer.iter().map(|spot| sizes[spot.idx].0).fold(0.0, f64::max);
        let mut free = f64::NEG_INFINITY;
        for spot in *layer {
            let (own_width, height) = sizes[spot.idx];
            let top = up_to_grid((spot.middle - height / 2.0).max(free));
            let inset = (width - own_width) / 2.0;
            placed.insert(boxes[spot.idx], Rect::new(left + up_to_grid(inset), top, own_width, height));
            free = top + height + BOX_GAP + below.get(&boxes[spot.idx]).copied().unwrap_or_default();
        }
        left = up_to_grid(left + width + gap);
    }
    placed
}

/// Room below boxes for the texts of their links.
fn below(scene: &Scene, crowded: &Crowded) -> BTreeMap<usize, f64> {
    let mut below: BTreeMap<usize, f64> = BTreeMap::new();
    for (&link_idx, &n_times) in crowded {
        let link = &scene.links[link_idx];
        for end in [link.source, link.target] {
            let room = below.entry(end.box_idx).or_default();
            *room = room.max(ADDED_ROOM.1 * n_times as f64);
        }
    }
    below
}

/// The distance of each layer from the next one: room for the labels between them.
fn gaps(scene: &Scene, boxes: &[usize], layers: &[&[Spot]], crowded: &Crowded) -> Vec<f64> {
    let in_layer = |(layer_idx, layer): (usize, &&[Spot])| {
        layer.iter().map(|spot| (boxes[spot.idx], layer_idx)).collect::<Vec<_>>()
    };
    let layer_of: BTreeMap<usize, usize> = layers.iter().enumerate().flat_map(in_layer).collect();
    let mut gaps = vec![LAYER_GAP.0; layers.len()];
    for link in scene.links.iter().filter(|link| !link.label.is_empty()) {
        let ends = [link.source, link.target].map(|end| layer_of.get(&end.box_idx).copied());
        let [Some(source), Some(target)] = ends else { continue };
        if source.abs_diff(target) == 1 {
            let gap = &mut gaps[source.min(target)];
            let wanted = text_width(&link.label, TEXT_SIZE) + LABEL_ROOM;
            *gap = gap.max(wanted.min(LAYER_GAP.1));
        }
    }
    for (&link_idx, &n_times) in crowded {
        let link = &scene.links[link_idx];
        let ends = [link.source, link.target].map(|end| layer_of.get(&end.box_idx).copied());
        let [Some(source), Some(target)] = ends else { continue };
        // A link within a layer goes around its box: on both sides of it.
        let first = if source == target { source.saturating_sub(1) } else { source.min(target) };
        for gap in &mut gaps[first..source.max(target).max(first + 1).min(layers.len())] {
            *gap += ADDED_ROOM.0 * n_times as f64;
        }
    }
    gaps
}

/// Where a box goes: its layer, and the middle of its height.
struct Spot {
    idx: usize,
    layer: f64,
    middle: f64,
}

/// One edge for each pair of boxes: the first, in the order of the file.
fn single(arcs: impl Iterator<Item = (usize, usize)>) -> Vec<(usize, usize)> {
    let mut pairs = BTreeSet::new();
    arcs.filter(|&(source, target)| {
        source != target && pairs.insert((source.min(target), source.max(target)))
    })
    .collect()
}

/// Turns the edges around that lead back on a search in depth from start nodes, then from boxes that nothing leads to,
/// then from all.
fn without_cycles(
    n_boxes: usize,
    edges: &[(usize, usize)],
    is_start: impl Fn(&usize) -> bool,
) -> Vec<(usize, usize)> {
    let mut outgoing: Vec<Vec<usize>> = vec![Vec::new(); n_boxes];
    let mut is_target = vec![false; n_boxes];
    for (edge_idx, &(source, target)) in edges.iter().enumerate() {
        outgoing[source].push(edge_idx);
        is_target[target] = true;
    }
    let starts = (0..n_boxes).filter(&is_start);
    let sources = (0..n_boxes).filter(|&idx| !is_target[idx]);
    let roots: Vec<usize> = starts.chain(sources).chain(0..n_boxes).collect();
    let mut is_seen = vec![false; n_boxes];
    let mut is_open = vec![false; n_boxes];
    let mut turned = edges.to_vec();
    for root in roots {
        if is_seen[root] {
            continue;
        }
        (is_seen[root], is_open[root]) = (true, true);
        let mut path = vec![(root, 0)];
        while let Some((box_idx, next)) = path.last_mut() {
            let Some(&edge_idx) = outgoing[*box_idx].get(*next) else {
                is_open[*box_idx] = false;
                path.pop();
                continue;
            };
            *next += 1;
            let (source, target) = edges[edge_idx];
            if is_open[target] {
                turned[edge_idx] = (target, source);
            } else if !is_seen[target] {
                (is_seen[target], is_open[target]) = (true, true);
                path.push((target, 0));
            }
        }
    }
    turned
}

/// What the library says; `None` where it fails, or is not asked as there are too many boxes.
fn ordered(sizes: &[(f64, f64)], edges: &[(usize, usize)]) -> Option<Vec<Spot>> {
    if sizes.len() > MOST_ORDERED {
        return None;
    }
    let narrow = |idx: usize| u32::try_from(idx).ok();
    let edges: Vec<(u32, u32)> =
        edges.iter().filter_map(|&(source, target)| Some((narrow(source)?, narrow(target)?))).collect();
    // The library's layers are below each other.
    let vertices: Vec<(u32, (f64, f64))> =
        (0..).zip(sizes).map(|(idx, &(width, height))| (idx, (height, width))).collect();
    let config = Config { vertex_spacing: 2.0 * BOX_GAP, transpose: sizes.len() <= 300, ..Config::default() };
    // The library asserts and unwraps in places; an editor lives on without an order.
    let layouts =
        catch_unwind(AssertUnwindSafe(|| from_vertices_and_edges(&vertices, &edges, &config))).ok()?;
    let mut spots: BTreeMap<usize, Spot> = BTreeMap::new();
    for (layout, _, _) in layouts {
        for (idx, (middle, layer)) in layout {
            if !middle.is_finite() || !layer.is_finite() {
                return None;
            }
            spots.insert(idx, Spot { idx, layer, middle });
        }
    }
    let is_whole = spots.keys().copied().eq(0..sizes.len());
    is_whole.then(|| spots.into_values().collect())
}

/// Layers by the longest way from a box that nothing leads to; in each the order of the file.
fn by_depth(sizes: &[(f64, f64)], edges: &[(usize, usize)]) -> Vec<Spot> {
    let mut n_before = vec![0_usize; sizes.len()];
    let mut outgoing: Vec<Vec<usize>> = vec![Vec::new(); sizes.len()];
    for &(source, target) in edges {
        n_before[target] += 1;
        outgoing[source].push(target);
    }
    let mut depth = vec![0_u32; sizes.len()];
    let mut ready: Vec<usize> = (0..sizes.len()).filter(|&idx| n_before[idx] == 0).collect();
    while let Some(idx) = ready.pop() {
        for &target in &outgoing[idx] {
            depth[target] = depth[target].max(depth[idx] + 1);
            n_before[target] -= 1;
            if n_before[target] == 0 {
                ready.push(target);
            }
        }
    }
    let mut bottoms: BTreeMap<u32, f64> = BTreeMap::new();
    let spots = depth.iter().zip(sizes).enumerate().map(|(idx, (&depth, &(_, height)))| {
        let top = bottoms.entry(depth).or_default();
        let middle = *top + height / 2.0;
        *top += height + BOX_GAP;
        Spot { idx, layer: f64::from(depth), middle }
    });
    spots.collect()
}

/// Least distance of boxes.
pub(super) const BOX_GAP: f64 = 20.0;

/// Links whose texts had no room, by position in the scene, with the number of layouts in which they had none.
pub(super) type Crowded = BTreeMap<usize, usize>;

pub(super) fn up_to_grid(length: f64) -> f64 {
    (length / GRID as f64).ceil() * GRID as f64
}
