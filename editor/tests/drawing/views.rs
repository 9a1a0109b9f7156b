use hasse_editor::drawing::geometry::{Point, Rect};
use hasse_editor::drawing::minimap::Minimap;
use hasse_editor::drawing::view::{MAX_ZOOM, MIN_ZOOM, View};
use proptest::prelude::*;

use crate::{any_graph, scene_of};

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn views_go_there_and_back(
        origin in (-1e5..1e5_f64, -1e5..1e5_f64),
        zoom in 0.001..100.0_f64,
        cursor in (0.0..2000.0_f64, 0.0..2000.0_f64),
        steps in prop::collection::vec((0.2..5.0_f64, -500.0..500.0_f64, -500.0..500.0_f64), 0..6),
    ) {
        let is_near = |one: Point, other: Point| one.distance(other) < 1e-6;
        let cursor = Point::new(cursor.0, cursor.1);
        let mut view = View::new(Point::new(origin.0, origin.1), zoom);
        for (factor, x, y) in steps {
            let held = view.world_from_screen(cursor);
            view.zoom_at(cursor, factor);
            prop_assert!(is_near(view.world_from_screen(cursor), held));
            view.pan(Point::new(x, y));
            prop_assert!(is_near(view.screen_from_world(held), cursor.shifted(Point::new(x, y))));
            prop_assert!((MIN_ZOOM..=MAX_ZOOM).contains(&view.zoom()));
            prop_assert!(is_near(view.world_from_screen(view.screen_from_world(held)), held));
            let spot = view.screen_from_world(view.world_from_screen(cursor));
            prop_assert!(is_near(spot, cursor));
        }
    }

    #[test]
    fn what_is_fitted_is_seen_whole(
        corner in (-1e4..1e4_f64, -1e4..1e4_f64),
        size in (0.0..9000.0_f64, 0.0..9000.0_f64),
        canvas in (500.0..3000.0_f64, 500.0..3000.0_f64),
    ) {
        let bounds = Rect::new(corner.0, corner.1, size.0, size.1);
        let canvas = Point::new(canvas.0, canvas.1);
        let view = View::fit(bounds, canvas, 20.0);
        let drawn = view.screen_rect_from_world(bounds);
        prop_assert!(drawn.center().distance(Rect::new(0.0, 0.0, canvas.x, canvas.y).center()) < 1e-6);
        if view.zoom() > MIN_ZOOM {
            let room = Rect::new(0.0, 0.0, canvas.x, canvas.y).grown(-20.0 + 1e-6);
            prop_assert!(room.contains_rect(drawn));
            let fills = (drawn.width() - room.width()).abs() < 1e-3 || (drawn.height() - room.height()).abs() < 1e-3;
            prop_assert!(fills || view.zoom() == 1.0);
            prop_assert!(view.visible(canvas).contains_rect(bounds));
        }
    }

    #[test]
    fn the_minimap_holds_all_and_leads_back(graph in any_graph(12), at in (-900.0..900.0_f64, -900.0..900.0_f64)) {
        let scene = scene_of(&graph.text());
        let map_area = Rect::new(10.0, 20.0, 200.0, 120.0);
        let seen = Rect::new(at.0, at.1, 800.0, 600.0);
        let map = Minimap::new(&scene, seen, map_area);
        let room = map_area.grown(1e-6);
        prop_assert!(map.boxes(&scene).into_iter().all(|area| room.contains_rect(area)));
        prop_assert!(room.contains_rect(map.map_rect_from_world(seen)));
        let point = Point::new(at.0, at.1);
        prop_assert!(map.world_from_map(map.map_from_world(point)).distance(point) < 1e-6);
    }
}
