use hasse_editor::drawing::geometry::{Cubic, Path, Point, Rect};
use hasse_editor::drawing::hit::{Band, Hit, TOLERANCE, Things, banded, hit, port_radius, visible};
use hasse_editor::drawing::index::SpatialIndex;
use hasse_editor::drawing::measure::{PORT_RADIUS, TITLE_HEIGHT};
use hasse_editor::drawing::scene::{PortPlace, Scene};
use proptest::prelude::*;

use crate::{any_graph, scene_of};

/// What [`hit`] has to give, by looking at everything.
fn hit_by_all(scene: &Scene, at: Point, zoom: f64) -> Option<Hit> {
    let nearest = |found: Vec<(f64, Hit)>, most: f64| {
        let within = found.into_iter().filter(|(distance, _)| *distance <= most);
        // Of equal ones the last.
        within.reduce(|best, next| if next.0 <= best.0 { next } else { best }).map(|(_, hit)| hit)
    };
    let top = (0..scene.boxes.len()).filter(|&idx| scene.boxes[idx].area.contains(at)).max();
    let mut ports = Vec::new();
    for box_idx in (0..scene.boxes.len()).filter(|&idx| Some(idx) >= top) {
        for (port_idx, port) in scene.boxes[box_idx].ports.iter().enumerate() {
            ports.push((port.anchor.distance(at), Hit::Port(PortPlace { box_idx, port_idx })));
        }
    }
    let tolerance = TOLERANCE / zoom;
    let box_hit = top.map(|idx| {
        let is_title = at.y - scene.boxes[idx].area.min.y <= TITLE_HEIGHT;
        if is_title { Hit::Title(idx) } else { Hit::Box(idx) }
    });
    let mut bends = Vec::new();
    let mut links = Vec::new();
    for (link_idx, link) in scene.links.iter().enumerate() {
        for (bend_idx, bend) in link.bends.iter().enumerate() {
            bends.push((bend.distance(at), Hit::Bend { link_idx, bend_idx }));
        }
        let is_label = link.label_area.is_some_and(|area| area.contains(at));
        links.push((if is_label { 0.0 } else { link.path.distance(at) }, Hit::Link(link_idx)));
    }
    nearest(ports, port_radius(zoom))
        .or(box_hit)
        .or_else(|| nearest(bends, tolerance))
        .or_else(|| nearest(links, tolerance))
        .or_else(|| scene.comments[0].area.contains(at).then_some(Hit::Comment(0)))
        .or_else(|| {
            let area = scene.frames[0].area;
            let is_at = |edge: f64, value: f64| (edge - value).abs() <= tolerance;
            let sides = [
                is_at(area.min.x, at.x),
                is_at(area.min.y, at.y),
                is_at(area.max.x, at.x),
                is_at(area.max.y, at.y),
            ];
            let is_near = area.grown(tolerance).contains(at);
            let edge = sides.contains(&true).then_some(Hit::FrameEdge { frame_idx: 0, sides });
            let title = (at.y - area.min.y <= 22.0).then_some(Hit::FrameTitle(0));
            edge.or(title).filter(|_| is_near)
        })
}

fn banded_by_all(scene: &Scene, area: Rect, band: Band) -> Things {
    let takes = |own: Rect| if band == Band::Touch { area.intersects(own) } else { area.contains_rect(own) };
    let takes_path = |path: &Path| {
        let mut points = path.curves.iter().flat_map(|curve| curve.points());
        match band {
            Band::Touch => path.curves.iter().any(|curve| {
                let points: Vec<Point> = curve.points().collect();
                points.windows(2).any(|pair| area.meets_segment(pair[0], pair[1]))
            }),
            Band::Contain => points.all(|point| area.contains(point)),
        }
    };
    let frame = scene.frames[0].area;
    let is_inside = frame.grown(-1e-9).contains_rect(area) && frame.min != area.min && frame.max != area.max;
    let takes_frame = takes(frame) && !(is_inside && band == Band::Touch);
    Things {
        boxes: (0..scene.boxes.len()).filter(|&idx| takes(scene.boxes[idx].area)).collect(),
        links: (0..scene.links.len()).filter(|&idx| takes_path(&scene.links[idx].path)).collect(),
        comments: if takes(scene.comments[0].area) { vec![0] } else { Vec::new() },
        frames: if takes_frame { vec![0] } else { Vec::new() },
    }
}

/// Points that are worth a look: of the scene's own things and elsewhere.
fn probes(scene: &Scene, more: &[(f64, f64)]) -> Vec<Point> {
    let mut probes: Vec<Point> = more.iter().map(|(x, y)| Point::new(*x, *y)).collect();
    for (idx, (dx, dy)) in more.iter().enumerate() {
        let near = Point::new(dx / 100.0, dy / 100.0);
        let node = &scene.boxes[idx % scene.boxes.len()];
        probes.push(node.area.min.shifted(near));
        probes.extend(node.ports.first().map(|port| port.anchor.shifted(near)));
        if let Some(curve) = scene.links.get(idx).and_then(|link| link.path.curves.first()) {
            probes.push(curve.at(0.3).shifted(near));
            probes.push(curve.to.shifted(near));
        }
        probes.push(scene.frames[0].area.min.shifted(near));
        probes.push(scene.comments[0].area.center().shifted(near));
    }
    probes
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn what_is_hit_banded_and_visible_is_what_looking_at_all_gives(
        graph in any_graph(24),
        points in prop::collection::vec((-1200.0..1200.0, -900.0..900.0), 12),
        zoom in 0.1..3.0_f64,
        moves in prop::collection::vec((0..27_usize, -900..900_i64, -600..600_i64), 0..5),
    ) {
        let mut scene = scene_of(&graph.text());
        let mut index = SpatialIndex::new(&scene);
        let moves: Vec<(usize, [i64; 2])> =
            moves.into_iter().filter(|(idx, ..)| *idx < scene.boxes.len()).map(|(idx, x, y)| (idx, [x, y])).collect();
        for round in 0..2 {
            for at in probes(&scene, &points) {
                prop_assert_eq!(hit(&scene, &index, at, zoom), hit_by_all(&scene, at, zoom), "{:?}", at);
            }
            for pair in points.windows(2) {
                let corner = |(x, y): (f64, f64)| Point::new(x, y);
                let area = Rect::spanned(corner(pair[0]), corner(pair[1]));
                for band in [Band::Touch, Band::Contain] {
                    prop_assert_eq!(banded(&scene, &index, area, band), banded_by_all(&scene, area, band));
                }
                // Nothing that has a point in the part is left out, nothing far away is in.
                let seen = visible(&scene, &index, area);
                let touched = banded_by_all(&scene, area, Band::Touch);
                prop_assert!(touched.boxes.iter().all(|idx| seen.boxes.contains(idx)));
                prop_assert!(touched.links.iter().all(|idx| seen.links.contains(idx)));
                prop_assert!(touched.comments.iter().all(|idx| seen.comments.contains(idx)));
                prop_assert!(touched.frames.iter().all(|idx| seen.frames.contains(idx)));
                let around = area.grown(PORT_RADIUS);
                prop_assert!(seen.boxes.iter().all(|&idx| scene.boxes[idx].area.intersects(around)));
                for (link_idx, link) in scene.links.iter().enumerate() {
                    let label = link.label_area.is_some_and(|label| label.intersects(area));
                    prop_assert!(!label || seen.links.contains(&link_idx));
                    let is_far = link.path.bounds().is_some_and(|bounds| !bounds.intersects(around));
                    prop_assert!(!(is_far && seen.links.contains(&link_idx)) || label);
                }
            }
            if round == 0 {
                let links = scene.move_boxes(&moves);
                let boxes: Vec<usize> = moves.iter().map(|(idx, _)| *idx).collect();
                index.update(&scene, &boxes, &links);
            }
        }
        // After settling, the scene is that of the final positions, whatever the moves before.
        for moved in [&moves[..], &moves[moves.len() / 2..], &moves[..moves.len().min(1)]] {
            let links = scene.settle_moved();
            index.update(&scene, &[], &links);
            let mut anew = scene.clone();
            let all: Vec<(usize, [i64; 2])> = scene.boxes.iter().enumerate()
                .map(|(idx, node)| (idx, [node.area.min.x as i64, node.area.min.y as i64])).collect();
            anew.move_boxes(&all);
            anew.settle();
            prop_assert_eq!(&anew, &scene);
            prop_assert_eq!(scene.settle_moved(), Vec::<usize>::new());
            for by in [130, 260] {
                let further: Vec<(usize, [i64; 2])> =
                    moved.iter().map(|(idx, [x, y])| (*idx, [x + by, y - by / 2])).collect();
                scene.move_boxes(&further);
            }
        }
    }

    #[test]
    fn pieces_hold_their_curve_and_distances_are_those_of_its_points(
        numbers in prop::array::uniform10(-500.0..500.0_f64),
    ) {
        let point = |idx: usize| Point::new(numbers[idx], numbers[idx + 1]);
        let curve = Cubic { from: point(0), first: point(2), second: point(4), to: point(6) };
        let path = Path { curves: vec![curve] };
        let pieces: Vec<Rect> = curve.piece_bounds().map(|piece| piece.grown(1e-9)).collect();
        let mut least = f64::INFINITY;
        for step in 0..=2000 {
            let place = f64::from(step) / 2000.0;
            let on_it = curve.at(place);
            let piece = pieces[((place * pieces.len() as f64) as usize).min(pieces.len() - 1)];
            prop_assert!(piece.contains(on_it), "{:?} {:?}", place, piece);
            least = least.min(on_it.distance(point(8)));
        }
        // The straight lines are off by less than half of what a person may miss by.
        prop_assert!((path.distance(point(8)) - least).abs() < TOLERANCE / 2.0);
        prop_assert_eq!(curve.at(0.0), curve.from);
    }
}
