//! A pixel of a lane shows something exactly where an event is, and an event is hit where it is drawn.

use std::collections::BTreeSet;
use std::sync::Arc;

use hasse_editor::views::chart::{Chart, ChartOptions};
use hasse_editor::views::lanes::{Axis, LanesBy};
use hasse_editor::views::overlay::Overlay;
use hasse_editor::views::pixels::{Pixels, Theme};
use hasse_editor::views::record::Record;
use hasse_editor::views::select::{Related, Selection};
use hasse_editor::views::task::no_wake;
use proptest::prelude::*;

use crate::made::{example, loaded, pasts};

/// Where lanes begin, from the left and from above.
const LEFT: usize = 130;
const TOP: usize = 20;

fn chart(record: &Arc<Record>, by: LanesBy, axis: Axis, size: (usize, usize)) -> Chart {
    let options = ChartOptions { by, axis, hides_others: false };
    let mut chart = Chart::new(Arc::clone(record), options, no_wake());
    chart.set_size(size.0, size.1);
    chart.wait();
    show_all_lanes(&mut chart);
    chart
}

/// Makes lanes low enough for all of them to be seen.
fn show_all_lanes(chart: &mut Chart) {
    chart.zoom_y(TOP as f64, 0.01);
}

fn draw(chart: &Chart, overlay: &Overlay) -> Pixels {
    chart.draw(overlay, Theme::Light, Pixels::default()).0
}

/// The columns that an event covers: from that of its start to before that of its end.
fn columns(chart: &Chart, record: &Record, event: u32) -> std::ops::Range<i64> {
    let (start, end) = chart.lanes().place(record, event);
    let column = |place: f64| ((place - chart.viewport().left) * chart.viewport().scale).floor() as i64;
    column(start)..column(end).max(column(start) + 1)
}

fn axis() -> impl Strategy<Value = Axis> {
    prop_oneof![Just(Axis::Order), Just(Axis::Level), Just(Axis::Time)]
}

fn by() -> impl Strategy<Value = LanesBy> {
    prop_oneof![Just(LanesBy::Action), Just(LanesBy::Template), Just(LanesBy::Worker)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_column_of_a_lane_is_marked_exactly_where_an_event_is(
        source in crate::histories(120),
        by in by(),
        axis in axis(),
        (width, lane_height) in (10..90_usize, 1..7_usize),
        (x, factor, dx) in (0.0..80.0_f64, 1.0..12.0_f64, -40.0..40.0_f64),
    ) {
        let record = loaded(&source);
        let mut chart = chart(&record, by, axis, (LEFT + width, TOP + 8 * lane_height));
        // So that lanes are too thin for boxes.
        let n_lanes = chart.lanes().n_lanes();
        chart.set_size(LEFT + width, TOP + n_lanes * lane_height);
        chart.fit();
        show_all_lanes(&mut chart);
        chart.zoom_x(LEFT as f64 + x, factor);
        chart.pan(dx, 0.0);
        prop_assert!(!chart.is_detailed());
        let pixels = draw(&chart, &Overlay::default());
        // Thinner lanes share rows.
        let shared = if lane_height == 1 && n_lanes > 64 { 4 } else { 1 };
        prop_assert_eq!(shared, 1);
        for lane in 0..n_lanes {
            let events = (0..record.n_events()).filter(|&event| chart.lanes().lane(&record, event) == Some(lane as u32));
            let covered: BTreeSet<i64> = events.flat_map(|event| columns(&chart, &record, event)).collect();
            let row = TOP + lane * lane_height;
            for column in 0..width {
                let [red, green, blue, _] = pixels.at(LEFT + column, row);
                // Papers and stripes are gray or nearly so.
                let is_marked = red.max(green).max(blue) - red.min(green).min(blue) > 12;
                prop_assert_eq!(is_marked, covered.contains(&(column as i64)), "lane {} column {}", lane, column);
            }
        }
    }

    #[test]
    fn what_is_hit_is_drawn_there(
        source in crate::histories(120),
        by in by(),
        axis in axis(),
        (width, height) in (30..200_usize, 20..200_usize),
        (factor, dx) in (1.0..30.0_f64, -100.0..100.0_f64),
    ) {
        let record = loaded(&source);
        let mut chart = chart(&record, by, axis, (LEFT + width, TOP + height));
        chart.zoom_x(LEFT as f64, factor);
        chart.pan(dx, 0.0);
        for y in (0..TOP + height).step_by(7) {
            for x in (LEFT - 4..LEFT + width).step_by(3) {
                let (px, py) = (x as f64 + 0.5, y as f64 + 0.5);
                let lane = chart.lane_at(py).filter(|_| x >= LEFT);
                let near = (0..record.n_events()).filter(|&event| {
                    chart.lanes().lane(&record, event).map(|lane| lane as usize) == lane && lane.is_some()
                });
                let apart = |event: u32| {
                    let (start, end) = chart.lanes().place(&record, event);
                    let (from, to) = (chart.x_of(start), chart.x_of(end).max(chart.x_of(start) + 1.0));
                    if px < from { from - px } else { (px - to).max(0.0) }
                };
                let nearest = near.map(apart).fold(f64::INFINITY, f64::min);
                match chart.hit(px, py) {
                    Some(event) => {
                        prop_assert_eq!(chart.lanes().lane(&record, event).map(|lane| lane as usize), lane);
                        prop_assert!((apart(event) - nearest).abs() < 1e-6);
                        prop_assert!(nearest <= 3.0 + 1e-6);
                    }
                    None => prop_assert!(nearest > 3.0 - 1e-6, "{} {} at {}", px, py, nearest),
                }
            }
        }
    }

    #[test]
    fn places_rise_along_orderings(source in crate::histories(60)) {
        let record = loaded(&source);
        let pasts = pasts(&record);
        for axis in [Axis::Order, Axis::Level] {
            let chart = chart(&record, LanesBy::Action, axis, (400, 300));
            for event in 0..record.n_events() {
                let (start, _) = chart.lanes().place(&record, event);
                for earlier in (0..event).filter(|&earlier| pasts[event as usize][earlier as usize]) {
                    prop_assert!(chart.lanes().place(&record, earlier).1 <= start);
                }
            }
        }
    }

    #[test]
    fn what_is_under_the_cursor_stays_there(
        source in crate::histories(60),
        x in 150.0..390.0_f64,
        factor in 0.2..6.0_f64,
    ) {
        let record = loaded(&source);
        let mut chart = chart(&record, LanesBy::Action, Axis::Order, (400, 300));
        chart.zoom_x(260.0, 8.0);
        let place = chart.place_at(x);
        chart.zoom_x(x, factor);
        let is_limited = chart.viewport().left <= 0.0 || chart.visible_places().1 > chart.lanes().extent();
        prop_assert!(is_limited || (chart.place_at(x) - place).abs() < 1e-6);
        chart.fit();
        prop_assert_eq!(chart.viewport().left, 0.0);
        prop_assert!(chart.visible_places().1 >= chart.lanes().extent() - 1e-6);
    }
}

/// A picture in letters: what differs from the paper, by how dark it is.
fn art(pixels: &Pixels, step: (usize, usize)) -> String {
    let mut lines = Vec::new();
    for y in (TOP..pixels.height).step_by(step.1) {
        let letter = |x: usize| {
            let [red, green, blue, _] = pixels.at(x, y);
            if [red, green, blue] == [0xe0, 0x00, 0x7a] {
                '@'
            } else {
                match red.max(green).max(blue) - red.min(green).min(blue) {
                    0..13 => {
                        if red < 0xe0 {
                            '-'
                        } else {
                            ' '
                        }
                    }
                    13..90 => '+',
                    _ => '#',
                }
            }
        };
        let line: String = (LEFT..pixels.width).step_by(step.0).map(letter).collect();
        lines.push(line.trim_end().to_owned());
    }
    lines.join("\n")
}

#[test]
fn pictures_of_a_small_history() {
    let record = loaded(&example("bts", "bts.hasse"));
    let names = record.instances_by_path();
    let event = record.event_named(&names, "/Mult[2]:1").unwrap();
    let overlay =
        Overlay { related: Arc::new(Related::of(&record, Selection::Event(event))), ..Overlay::default() };
    let chart = chart(&record, LanesBy::Action, Axis::Order, (LEFT + 90, TOP + 96));
    let lanes: Vec<String> =
        (0..chart.lanes().n_lanes()).map(|lane| chart.lanes().name(&record, lane)).collect();
    let text = format!(
        "{}\n\nevery event\n{}\n\n/Mult[2]:1 selected\n{}",
        lanes.join(" "),
        art(&draw(&chart, &Overlay::default()), (1, 4)),
        art(&draw(&chart, &overlay), (1, 4)),
    );
    insta::assert_snapshot!("history_pixels", text);
    let mut large = self::chart(&record, LanesBy::Action, Axis::Order, (900, 500));
    large.zoom_x(200.0, 2.0);
    assert!(large.is_detailed());
    let (_, texts) = large.draw(&overlay, Theme::Dark, Pixels::default());
    let texts: Vec<String> =
        texts.iter().map(|text| format!("{:>4.0} {:>4.0} {}", text.x, text.y, text.string)).collect();
    insta::assert_snapshot!("history_texts", texts.join("\n"));
}

#[test]
fn thousands_of_lanes_are_merged() {
    let steps: Vec<crate::Step> = (0..250).map(|at| (at, 1, vec![(at + 1) % 250], None, 2)).collect();
    let record = loaded(&crate::history(&steps));
    let chart = chart(&record, LanesBy::Action, Axis::Order, (LEFT + 250, TOP + 60));
    assert_eq!(chart.lanes().n_lanes(), 250);
    let pixels = draw(&chart, &Overlay::default());
    let color = |x: usize, y: usize| {
        let [red, green, blue, _] = pixels.at(x, y);
        red.max(green).max(blue) - red.min(green).min(blue) > 12
    };
    for column in 0..250 {
        let n_marked = (TOP..TOP + 60).filter(|&y| color(LEFT + column, y)).count();
        assert!(n_marked > 0, "the event of column {column} is drawn");
        let y = (TOP..TOP + 60).find(|&y| color(LEFT + column, y)).unwrap();
        let hit = chart.hit((LEFT + column) as f64 + 0.5, y as f64 + 0.5);
        assert_eq!(hit, Some(column as u32));
    }
}

#[test]
fn every_visible_lane_has_its_name() {
    let record = loaded(&example("bts", "bts.hasse"));
    let options = ChartOptions { by: LanesBy::Action, axis: Axis::Order, hides_others: false };
    let mut chart = Chart::new(Arc::clone(&record), options, no_wake());
    // As high as the panel is when the window opens.
    chart.set_size(600, TOP + 96);
    chart.wait();
    let names = |chart: &Chart| -> Vec<String> {
        let (_, texts) = chart.draw(&Overlay::default(), Theme::Dark, Pixels::default());
        texts.into_iter().filter(|text| text.x == 6.0).map(|text| text.string).collect()
    };
    let n_lanes = chart.lanes().n_lanes();
    assert!(n_lanes > 8, "{n_lanes}");
    let lane = |lane: usize| chart.lanes().name(&record, lane);
    assert_eq!(names(&chart), (0..8).map(lane).collect::<Vec<_>>());
    // A thumb shows that there are more.
    let thumb = |chart: &Chart| {
        let pixels = draw(chart, &Overlay::default());
        let color = pixels.at(600 - 4, TOP);
        (TOP..TOP + 96).filter(|&y| pixels.at(600 - 4, y) == color).count()
    };
    assert!((30..60).contains(&thumb(&chart)), "{}", thumb(&chart));
    chart.pan(0.0, -1_000.0);
    assert!(names(&chart).contains(&chart.lanes().name(&record, n_lanes - 1)));
    chart.fit();
    // Lanes that are lower share a name.
    show_all_lanes(&mut chart);
    let shared = names(&chart);
    assert!(shared.len() < n_lanes && shared[0].starts_with(&chart.lanes().name(&record, 0)), "{shared:?}");
    let last = chart.lanes().name(&record, n_lanes - 1);
    let last = last.rsplit('/').next().unwrap();
    assert!(shared.last().unwrap().ends_with(last), "{shared:?}");
}
