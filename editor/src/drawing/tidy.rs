//! Automatic layout, on request: layers from left to right along the arcs, disconnected parts below each other, shared
//! objects below their users, everything on the grid and nothing on top of another.

use std::collections::{BTreeMap, BTreeSet};

use hasse_compiler::LinkKind;

use super::arrange::{GRID, snapped};
use super::geometry::{Point, Rect};
use super::scene::Scene;
use super::scene::parts::Link;
use crate::edit::link::LinkList;
use crate::edit::place::Position;
use layered::{BOX_GAP, Crowded, up_to_grid};

/// The layers of a part that hangs together.
mod layered;

/// Distance of parts that do not hang together.
const PART_GAP: f64 = 60.0;
/// Distance of a shared object from its lowest user.
const SHARED_GAP: f64 = 60.0;
/// Width to which boxes that nothing leads to are put side by side.
const ROW_WIDTH: f64 = 800.0;
/// Links up to which a layout is drawn to see whether its texts have room: that takes as long as drawing the graph.
const MOST_DRAWN: usize = 100;
/// Times that boxes are moved apart for the texts between them.
const MOST_WIDENED: usize = 3;

/// New places for boxes, all or those given, by position in the scene. Others stay where they are. The upper left corner
/// of the boxes stays; where others are in the way, they all move down.
///
/// Boxes are moved apart where the texts at links have no room between them, or a wire would cross them.
///
/// The same scene gives the same places. Cost: that of rust-sugiyama, of ten milliseconds for 200 boxes; up to 100 links also
/// that of drawing them up to four times.
pub fn tidy(scene: &Scene, which: Option<&[usize]>) -> Vec<(usize, Position)> {
    let chosen: BTreeSet<usize> = match which {
        Some(which) => which.iter().copied().filter(|&idx| idx < scene.boxes.len()).collect(),
        None => (0..scene.boxes.len()).collect(),
    };
    let corner = chosen.iter().map(|&idx| scene.boxes[idx].area).reduce(Rect::union).map(|all| all.min);
    let others: Vec<Rect> = scene
        .boxes
        .iter()
        .enumerate()
        .filter(|(box_idx, _)| !chosen.contains(box_idx))
        .map(|(_, node)| node.area)
        .collect();
    let mut crowded = Crowded::new();
    let mut best: Option<(usize, Vec<(usize, Position)>)> = None;
    for _ in 0..=MOST_WIDENED {
        let places = put_block(scene, &chosen, corner.unwrap_or_default(), &others, &crowded);
        if scene.links.len() > MOST_DRAWN {
            return places;
        }
        let mut drawn = scene.clone();
        drawn.move_boxes(&places);
        drawn.settle();
        let without_room = drawn.links_without_room();
        let n_crowded = without_room.len();
        if best.as_ref().is_none_or(|(least, _)| n_crowded < *least) {
            best = Some((n_crowded, places));
        }
        // Where much is crowded, room at single links does not help.
        if n_crowded == 0 || 4 * n_crowded > scene.links.len() {
            break;
        }
        for link_idx in without_room {
            *crowded.entry(link_idx).or_default() += 1;
        }
    }
    best.map(|(_, places)| places).unwrap_or_default()
}

/// The lines whose bends say nothing any more once boxes, all or those given, stand elsewhere: links with bends at them,
/// by list and position. To be set without bends in the same step.
pub fn outdated_bends(scene: &Scene, which: Option<&[usize]>) -> Vec<(LinkList, usize)> {
    let is_moved = |box_idx: usize| which.is_none_or(|which| which.contains(&box_idx));
    let links = scene.links.iter().filter(|link| !link.bends.is_empty());
    let outdated = links.filter(|link| is_moved(link.source.box_idx) || is_moved(link.target.box_idx));
    outdated.map(|link| (link.list, link.row)).collect()
}

/// Places for boxes that have none, below all that have one, and below comments and frames.
pub(super) fn beside(scene: &Scene, loose: &[usize]) -> Vec<(usize, Position)> {
    let chosen: BTreeSet<usize> = loose.iter().copied().collect();
    let boxes = scene.boxes.iter().filter(|node| node.is_placed).map(|node| node.area);
    let comments = scene.comments.iter().map(|comment| comment.area);
    let frames = scene.frames.iter().map(|frame| frame.area);
    let placed = boxes.chain(comments).chain(frames).reduce(Rect::union);
    let corner = placed.map_or(Point::default(), |all| Point::new(all.min.x, all.max.y + PART_GAP));
    put_block(scene, &chosen, corner, &[], &Crowded::new())
}

/// Lays boxes out and puts them at a corner, or below it where others are in the way.
fn put_block(
    scene: &Scene,
    chosen: &BTreeSet<usize>,
    corner: Point,
    others: &[Rect],
    crowded: &Crowded,
) -> Vec<(usize, Position)> {
    let block = lay_out(scene, chosen, crowded);
    let [x, y] = snapped(corner.x, corner.y).map(|value| value as f64);
    let mut by = Point::new(x, y);
    loop {
        let clash = |area: &Rect| {
            let own = area.shifted(by).grown(BOX_GAP / 2.0);
            let in_the_way = others.iter().filter(|other| other.intersects(own));
            in_the_way.map(|other| other.max.y + BOX_GAP - area.min.y).reduce(f64::max)
        };
        let Some(lower) = block.values().filter_map(clash).reduce(f64::max) else { break };
        // Strictly down, so that it ends below all others at the latest.
        by.y = up_to_grid(lower).max(by.y + GRID as f64);
    }
    let places = block.iter().map(|(&box_idx, area)| {
        let at = area.min.shifted(by);
        (box_idx, snapped(at.x, at.y))
    });
    places.collect()
}

/// Places with the upper left corner of all at 0.
fn lay_out(scene: &Scene, chosen: &BTreeSet<usize>, crowded: &Crowded) -> BTreeMap<usize, Rect> {
    let ends = |link: &Link| (link.source.box_idx, link.target.box_idx);
    let links = scene.links.iter().filter(|link| {
        let (source, target) = ends(link);
        source != target && chosen.contains(&source) && chosen.contains(&target)
    });
    let arcs: Vec<(usize, usize)> =
        links.clone().filter(|link| link.kind == LinkKind::Arc).map(ends).collect();
    let all: Vec<(usize, usize)> = links.map(ends).collect();
    let mut block: BTreeMap<usize, Rect> = BTreeMap::new();
    let mut loners = Vec::new();
    let mut bottom = 0.0;
    for group in parts(chosen, &all) {
        if let (1, Some(&only)) = (group.len(), group.first()) {
            loners.push(only);
            continue;
        }
        let placed = lay_out_group(scene, &group, &arcs, &all, crowded);
        bottom = append(&mut block, placed, bottom);
    }
    let width = block.values().map(|area| area.max.x).fold(ROW_WIDTH, f64::max);
    append(&mut block, rows(scene, &loners, width), bottom);
    block
}

/// Adds boxes below others; gives where the next ones may begin.
fn append(block: &mut BTreeMap<usize, Rect>, placed: BTreeMap<usize, Rect>, top: f64) -> f64 {
    let Some(bounds) = placed.values().copied().reduce(Rect::union) else { return top };
    let by = Point::new(-bounds.min.x, top - bounds.min.y);
    block.extend(placed.into_iter().map(|(box_idx, area)| (box_idx, area.shifted(by))));
    up_to_grid(top + bounds.height() + PART_GAP)
}

/// Boxes that hang together by arcs or share lines.
fn lay_out_group(
    scene: &Scene,
    group: &BTreeSet<usize>,
    arcs: &[(usize, usize)],
    all: &[(usize, usize)],
    crowded: &Crowded,
) -> BTreeMap<usize, Rect> {
    let is_shared = |box_idx: &usize| scene.boxes[*box_idx].kind.is_shared();
    let (objects, flow): (BTreeSet<usize>, BTreeSet<usize>) = group.iter().partition(|idx| is_shared(idx));
    let is_flow = |(source, target): &&(usize, usize)| flow.contains(source) && flow.contains(target);
    let arcs: Vec<(usize, usize)> = arcs.iter().filter(is_flow).copied().collect();
    let mut placed = BTreeMap::new();
    let mut loners = Vec::new();
    let mut bottom = 0.0;
    for part in parts(&flow, &arcs) {
        if let (1, Some(&only)) = (part.len(), part.first()) {
            loners.push(only);
        } else {
            bottom = append(&mut placed, layered::lay_out(scene, &part, &arcs, crowded), bottom);
        }
    }
    append(&mut placed, rows(scene, &loners, ROW_WIDTH), bottom);
    for object in objects {
        let users: Vec<Rect> = all
            .iter()
            .filter_map(|&(source, target)| match object {
                _ if source == object => placed.get(&target).copied(),
                _ if target == object => placed.get(&source).copied(),
                _ => None,
            })
            .collect();
        let size = scene.boxes[object].area;
        let wanted = match users.iter().copied().reduce(Rect::union) {
            Some(bounds) => {
                let mean = users.iter().map(|area| area.center().x).sum::<f64>() / users.len() as f64;
                Point::new(mean - size.width() / 2.0, bounds.max.y + SHARED_GAP)
            }
            None => Point::default(),
        };
        let area = free_place(&placed, wanted, size);
        placed.insert(object, area);
    }
    placed
}

/// The place nearest to the one wanted, at its height or below, where a box of a size keeps clear of others.
fn free_place(placed: &BTreeMap<usize, Rect>, wanted: Point, size: Rect) -> Rect {
    const SIDEWAYS: i64 = 15;
    let [x, y] = snapped(wanted.x, wanted.y).map(|value| value as f64);
    let step = BOX_GAP;
    for down in 0_u32.. {
        for side in (0..=SIDEWAYS).flat_map(|side| [side, -side]) {
            let at = Point::new(x + side as f64 * step, y + f64::from(down) * step);
            let area = Rect::new(at.x, at.y, size.width(), size.height());
            let own = area.grown(BOX_GAP / 2.0);
            if !placed.values().any(|other| other.intersects(own)) {
                return area;
            }
        }
    }
    Rect::new(x, y, size.width(), size.height())
}

/// Boxes side by side, in rows of a width.
fn rows(scene: &Scene, boxes: &[usize], width: f64) -> BTreeMap<usize, Rect> {
    let mut placed = BTreeMap::new();
    let (mut x, mut y, mut next_y) = (0.0, 0.0, 0.0_f64);
    for &box_idx in boxes {
        let size = scene.boxes[box_idx].area;
        if x > 0.0 && x + size.width() > width {
            (x, y) = (0.0, next_y);
        }
        placed.insert(box_idx, Rect::new(x, y, size.width(), size.height()));
        x = up_to_grid(x + size.width() + 2.0 * BOX_GAP);
        next_y = next_y.max(up_to_grid(y + size.height() + 2.0 * BOX_GAP));
    }
    placed
}

/// Parts that hang together, by their first boxes.
fn parts(boxes: &BTreeSet<usize>, links: &[(usize, usize)]) -> Vec<BTreeSet<usize>> {
    let mut neighbors: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for &(source, target) in links {
        neighbors.entry(source).or_default().push(target);
        neighbors.entry(target).or_default().push(source);
    }
    let mut seen = BTreeSet::new();
    let mut parts = Vec::new();
    for &first in boxes {
        let mut part = BTreeSet::new();
        let mut open = vec![first];
        while let Some(box_idx) = open.pop() {
            if boxes.contains(&box_idx) && seen.insert(box_idx) {
                part.insert(box_idx);
                open.extend(neighbors.get(&box_idx).into_iter().flatten());
            }
        }
        if !part.is_empty() {
            parts.push(part);
        }
    }
    parts
}
