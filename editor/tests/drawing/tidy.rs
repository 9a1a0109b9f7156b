use hasse_editor::drawing::arrange::{Align, Distribute, GRID, aligned, distributed, snapped};
use hasse_editor::drawing::geometry::Rect;
use hasse_editor::drawing::scene::Scene;
use hasse_editor::drawing::tidy::{outdated_bends, tidy};
use hasse_editor::edit::link::LinkList;
use proptest::prelude::*;

use crate::{AnyGraph, PROGRAM, any_graph, scene_of, shown_rect};

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn boxes_come_in_line(
        boxes in prop::collection::vec((-500..500_i64, -500..500_i64, 1..20_i64, 1..20_i64), 1..9),
    ) {
        let boxes: Vec<Rect> = boxes
            .into_iter()
            .map(|(x, y, width, height)| Rect::new(x as f64, y as f64, 20.0 * width as f64, 20.0 * height as f64))
            .collect();
        let moved = |positions: Vec<[i64; 2]>| -> Vec<Rect> {
            let at = |(area, [x, y]): (&Rect, [i64; 2])| Rect::new(x as f64, y as f64, area.width(), area.height());
            boxes.iter().zip(positions).map(at).collect()
        };
        let all = boxes.iter().copied().reduce(Rect::union).unwrap();
        for align in Align::ALL {
            let line = |area: &Rect| match align {
                Align::Left => area.min.x,
                Align::Center => area.center().x,
                Align::Right => area.max.x,
                Align::Top => area.min.y,
                Align::Middle => area.center().y,
                Align::Bottom => area.max.y,
            };
            for (area, old) in moved(aligned(&boxes, align)).iter().zip(&boxes) {
                prop_assert!((line(area) - line(&all)).abs() <= 0.5);
                let is_across = matches!(align, Align::Left | Align::Center | Align::Right);
                let stays = if is_across { area.min.y == old.min.y } else { area.min.x == old.min.x };
                prop_assert!(stays);
            }
        }
        for direction in [Distribute::Horizontally, Distribute::Vertically] {
            let mut after = moved(distributed(&boxes, direction));
            let span = |area: &Rect| match direction {
                Distribute::Horizontally => (area.min.x, area.max.x),
                Distribute::Vertically => (area.min.y, area.max.y),
            };
            after.sort_by(|one, other| (span(one).0 + span(one).1).total_cmp(&(span(other).0 + span(other).1)));
            let gaps: Vec<f64> = after.windows(2).map(|pair| span(&pair[1]).0 - span(&pair[0]).1).collect();
            if boxes.len() > 2 && gaps.iter().all(|gap| *gap >= 0.0) {
                prop_assert!(gaps.iter().all(|gap| (gap - gaps[0]).abs() <= 2.0), "{:?}", gaps);
            }
        }
    }

    #[test]
    fn tidy_boxes_keep_clear_of_each_other(graph in any_graph(60), part in prop::collection::vec(0..63_usize, 0..20)) {
        let mut scene = scene_of(&graph.text());
        // Where the file says nothing, there is room.
        let placed: Vec<usize> = (0..scene.boxes.len()).filter(|&idx| scene.boxes[idx].is_placed).collect();
        let loose: Vec<usize> = (0..scene.boxes.len()).filter(|&idx| !scene.boxes[idx].is_placed).collect();
        check_clear(&scene, &loose, &placed)?;
        for which in [Some(&part[..]), None] {
            let places = tidy(&scene, which);
            prop_assert_eq!(&places, &tidy(&scene.clone(), which));
            prop_assert!(places.iter().all(|(_, [x, y])| x % GRID == 0 && y % GRID == 0));
            let mut chosen: Vec<usize> = places.iter().map(|(idx, _)| *idx).collect();
            chosen.sort_unstable();
            let mut wanted: Vec<usize> =
                which.map_or((0..scene.boxes.len()).collect(), |part| part.iter().copied().filter(|&idx| idx < scene.boxes.len()).collect());
            wanted.sort_unstable();
            wanted.dedup();
            prop_assert_eq!(&chosen, &wanted);
            scene.move_boxes(&places);
            let others: Vec<usize> = (0..scene.boxes.len()).filter(|idx| !chosen.contains(idx)).collect();
            check_clear(&scene, &chosen, &others)?;
        }
    }

    #[test]
    fn arcs_of_tidy_chains_lead_to_the_right(n_units in 2..30_usize, skips in prop::collection::vec((0..30_usize, 0..30_usize), 0..20)) {
        let mut arcs: Vec<(usize, usize)> = (1..n_units).map(|idx| (idx - 1, idx)).collect();
        arcs.extend(skips.into_iter().map(|(one, other)| (one % n_units, other % n_units)).filter(|(one, other)| one < other));
        let graph = AnyGraph { n_units, arcs, shares: vec![(0, 0)], places: Vec::new(), bends: Vec::new() };
        let scene = scene_of(&graph.text());
        let area = |idx: usize| scene.boxes[scene.box_named(&format!("U{idx}")).unwrap()].area;
        for (source, target) in graph.arcs {
            prop_assert!(area(source).max.x < area(target).min.x);
        }
        let object = scene.boxes[scene.box_named("s0").unwrap()].area;
        prop_assert!(object.min.y >= area(0).max.y && (object.center().x - area(0).center().x).abs() <= 320.0);
    }
}

/// Boxes do not overlap each other, nor others.
fn check_clear(scene: &Scene, boxes: &[usize], others: &[usize]) -> Result<(), TestCaseError> {
    for (place, &box_idx) in boxes.iter().enumerate() {
        for &other in boxes[..place].iter().chain(others) {
            let (one, two) = (&scene.boxes[box_idx], &scene.boxes[other]);
            prop_assert!(!one.area.intersects(two.area), "{} and {}", one.name, two.name);
        }
    }
    Ok(())
}

#[test]
fn places_are_snapped() {
    assert_eq!(snapped(14.9, -15.1), [10, -20]);
    assert_eq!(snapped(f64::NAN, 1e300)[0], 0);
    assert_eq!(aligned(&[], Align::Left), Vec::<[i64; 2]>::new());
    assert_eq!(distributed(&[Rect::new(1.0, 2.0, 3.0, 4.0)], Distribute::Vertically), [[1, 2]]);
}

#[test]
fn a_program_is_tidied() {
    let mut scene = scene_of(PROGRAM);
    let places = tidy(&scene, None);
    scene.move_boxes(&places);
    let lines = scene.boxes.iter().map(|node| format!("{} {}\n", node.name, shown_rect(node.area)));
    insta::assert_snapshot!(lines.collect::<String>());
}

#[test]
fn bends_at_boxes_that_are_moved_are_outdated() {
    let scene = scene_of(PROGRAM);
    let at = |name: &str| outdated_bends(&scene, Some(&[scene.box_named(name).unwrap()]));
    assert_eq!(at("A"), [(LinkList::Arcs, 1)]);
    assert_eq!(at("Mult"), [(LinkList::Arcs, 1)]);
    assert_eq!(at("Sub"), []);
    assert_eq!(outdated_bends(&scene, None), [(LinkList::Arcs, 1)]);
}
