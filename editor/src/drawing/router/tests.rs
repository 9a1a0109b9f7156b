//! Ways around random boxes, and lanes.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

fn end(area: Rect, edge: Edge) -> LinkEnd {
    let middle = area.center();
    let anchor = match edge {
        Edge::Left => Point::new(area.min.x, middle.y),
        Edge::Right => Point::new(area.max.x, middle.y),
        Edge::Top => Point::new(middle.x, area.min.y),
        Edge::Bottom => Point::new(middle.x, area.max.y),
    };
    LinkEnd { anchor, edge, area }
}

fn obstacles(boxes: &[Rect]) -> Vec<Obstacle> {
    boxes.iter().map(|&area| Obstacle { area, below: 28.0 }).collect()
}

/// Boxes that keep some distance from each other.
fn apart() -> impl Strategy<Value = Vec<Rect>> {
    vec((0_i32..12, 0_i32..12, 60_i32..110, 40_i32..80), 2..24).prop_map(|places| {
        let mut boxes: Vec<Rect> = Vec::new();
        for (column, row, width, height) in places {
            let [x, y, width, height] = [column * 130, row * 100, width, height].map(f64::from);
            let held = Rect::new(x, y, width, height);
            if boxes.iter().all(|known| !known.intersects(held)) {
                boxes.push(held);
            }
        }
        boxes
    })
}

fn edge(number: u8) -> Edge {
    [Edge::Left, Edge::Right, Edge::Top, Edge::Bottom][usize::from(number % 4)]
}

proptest! {
    #[test]
    fn way_is_found_and_meets_no_box(boxes in apart(), from in any::<u8>(), to in any::<u8>()) {
        prop_assume!(boxes.len() >= 2);
        let (source, target) = (end(boxes[0], edge(from)), end(boxes[1], edge(to)));
        let points = way(source, target, &|_| obstacles(&boxes), &|_| Vec::new(), Lanes::NARROW).unwrap();
        prop_assert_eq!(points[0], source.anchor);
        prop_assert_eq!(*points.last().unwrap(), target.anchor);
        for pair in points.windows(2) {
            prop_assert!(pair[0].x == pair[1].x || pair[0].y == pair[1].y, "{points:?}");
            for held in &boxes {
                prop_assert!(!held.grown(-0.5).meets_segment(pair[0], pair[1]), "{points:?} {held:?}");
            }
        }
        // It leaves and arrives straight.
        let out = stub(source, 1.0);
        let first = Point::new(points[1].x - points[0].x, points[1].y - points[0].y);
        let along = (out.x - source.anchor.x) * first.x + (out.y - source.anchor.y) * first.y;
        prop_assert!(along > 0.0, "{points:?}");
        let path = rounded(&points);
        prop_assert!(boxes.iter().all(|held| !path.meets(held.grown(-0.5))));
        prop_assert_eq!(path.curves[0].from, source.anchor);
        prop_assert_eq!(path.curves.last().unwrap().to, target.anchor);
    }
}

#[test]
fn way_around_one_box_has_the_fewest_corners() {
    let (left, right) = (Rect::new(0.0, 0.0, 80.0, 40.0), Rect::new(400.0, 0.0, 80.0, 40.0));
    let between = Rect::new(200.0, -20.0, 80.0, 100.0);
    let points = way(
        end(left, Edge::Right),
        end(right, Edge::Left),
        &|_| obstacles(&[left, right, between]),
        &|_| Vec::new(),
        Lanes::NARROW,
    )
    .unwrap();
    assert_eq!(points.len(), 6, "{points:?}");
    assert!(points.iter().all(|point| point.y >= -30.0 && point.y <= 20.0), "the shorter side: {points:?}");
}

#[test]
fn links_that_lead_back_have_lanes_of_their_own() {
    let (left, right) = (Rect::new(0.0, 0.0, 80.0, 40.0), Rect::new(200.0, 0.0, 80.0, 40.0));
    let boxes = [left, right];
    let mut taken = Vec::new();
    let mut levels = Vec::new();
    for _ in 0..3 {
        let points = way(
            end(right, Edge::Right),
            end(left, Edge::Left),
            &|_| obstacles(&boxes),
            &|_| taken.clone(),
            Lanes::WITH_TEXTS,
        )
        .unwrap();
        let own = lines(&points);
        let longest = own
            .iter()
            .filter(|line| line.is_level)
            .max_by(|one, other| (one.to - one.from).total_cmp(&(other.to - other.from)));
        levels.push(longest.unwrap().at);
        taken.extend(own);
    }
    levels.sort_by(f64::total_cmp);
    assert!(levels.windows(2).all(|pair| pair[1] - pair[0] >= TEXT_LANE - 0.5), "{levels:?}");
}

#[test]
fn what_is_closed_in_has_no_way() {
    let inner = Rect::new(0.0, 0.0, 80.0, 40.0);
    let walls = [
        Rect::new(-60.0, -60.0, 200.0, 20.0),
        Rect::new(-60.0, 80.0, 200.0, 20.0),
        Rect::new(-60.0, -60.0, 20.0, 160.0),
        Rect::new(120.0, -60.0, 20.0, 160.0),
    ];
    let outer = Rect::new(400.0, 0.0, 80.0, 40.0);
    let boxes: Vec<Rect> = walls.into_iter().chain([inner, outer]).collect();
    assert_eq!(
        way(
            end(inner, Edge::Right),
            end(outer, Edge::Left),
            &|_| obstacles(&boxes),
            &|_| Vec::new(),
            Lanes::NARROW
        ),
        None
    );
}
