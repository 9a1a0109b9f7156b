//! The elaborated graph: what passed between instances, and where they stand.

use std::collections::BTreeMap;
use std::sync::Arc;

use hasse_editor::views::elaborated::{Elaborated, ElaboratedView, PAGE, Thing};
use hasse_editor::views::overlay::Overlay;
use hasse_editor::views::pixels::{Pixels, Theme};
use hasse_editor::views::record::Via;
use hasse_editor::views::task::no_wake;
use proptest::prelude::*;

use crate::made::{example, loaded};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn lines_count_values_and_boxes_do_not_overlap(source in crate::histories(80)) {
        let record = loaded(&source);
        let graph = Elaborated::of(&record, &BTreeMap::new());
        let mut expected: BTreeMap<(u32, u32), u64> = BTreeMap::new();
        for event in 0..record.n_events() {
            for before in record.before(event).filter(|before| matches!(before.via, Via::Value(_))) {
                let key = (record.instance_of(before.event), record.instance_of(event));
                *expected.entry(key).or_default() += 1;
            }
        }
        let action = |at: usize| match graph.boxes[at].thing {
            Thing::Action(instance) => Some(instance),
            Thing::Object(_) => None,
        };
        let values = graph.lines.iter().filter_map(|line| {
            Some(((action(line.source)?, action(line.target)?), line.n_values))
        });
        prop_assert_eq!(values.collect::<BTreeMap<_, _>>(), expected);
        for (at, one) in graph.boxes.iter().enumerate() {
            for other in &graph.boxes[..at] {
                prop_assert!(!one.area.intersects(other.area), "{} and {}", one.name, other.name);
            }
        }
    }
}

#[test]
fn a_box_is_hit_where_it_is_drawn() {
    let record = loaded(&example("bank", "bank.hasse"));
    let mut view = ElaboratedView::new(Arc::clone(&record), no_wake());
    view.set_size(900, 600);
    view.wait();
    view.fit();
    let (pixels, texts) = view.draw(&Overlay::default(), Theme::Light, Pixels::default());
    assert!(view.graph().boxes.iter().any(|node| matches!(node.thing, Thing::Object(_))));
    for (at, node) in view.graph().boxes.iter().enumerate() {
        let middle = view.view().screen_from_world(node.area.center());
        assert_eq!(view.hit(middle.x, middle.y), Some(at));
        assert_ne!(pixels.at(middle.x as usize, middle.y as usize), [255, 255, 255, 255]);
    }
    assert_eq!(view.hit(1.0, 1.0), None);
    assert!(texts.iter().any(|text| text.string.starts_with("Teller")), "{texts:?}");
}

#[test]
fn huge_groups_are_shown_by_pages() {
    let n_instances = PAGE as u32 + 500;
    let record = loaded(&many(n_instances));
    let mut view = ElaboratedView::new(Arc::clone(&record), no_wake());
    view.wait();
    let graph = view.graph();
    assert_eq!((graph.groups[0].n_all, graph.groups[0].n_shown), (n_instances as usize, PAGE));
    assert_eq!(graph.notes.len(), 1);
    assert!(view.turn_to(n_instances - 1));
    view.wait();
    assert_eq!((view.graph().groups[0].first, view.graph().groups[0].n_shown), (PAGE, 500));
    assert!(view.graph().box_of(Thing::Action(n_instances - 1)).is_some());
    assert!(!view.turn_to(n_instances - 1));
    view.turn(0, false);
    view.wait();
    assert_eq!(view.graph().groups[0].first, 0);
}

#[test]
fn everything_is_shown_whatever_the_size_is_until_it_is_moved() {
    let mut view = ElaboratedView::new(loaded(&example("bts", "bts.hasse")), no_wake());
    view.wait();
    for size in [(300, 90), (1200, 700)] {
        view.set_size(size.0, size.1);
        let fitted = view.view();
        view.fit();
        assert_eq!(view.view(), fitted);
    }
    view.pan(10.0, 0.0);
    let moved = view.view();
    view.set_size(800, 400);
    assert_eq!(view.view(), moved);
}

#[test]
fn a_click_restricts_the_display() {
    let mut views = crate::together::opened(example("bts", "bts.hasse"));
    let page = views.page_mut().unwrap();
    page.history.set_size(800, 400);
    page.elaborated.set_size(800, 400);
    let (lane, _) = (0..page.history.lanes().n_lanes())
        .map(|lane| (lane, page.history.lanes().name(&page.record, lane)))
        .find(|(_, name)| name.contains("Solve"))
        .unwrap();
    let view = page.history.viewport();
    let y = 20.0 + (lane as f64 + 0.5) * view.lane_height;
    let solve = page.record.instances_by_path()["/Solve"];
    // On the lane, far behind its events.
    assert!(views.restrict_at_history(799.0, y));
    assert_eq!(views.chosen().iter().copied().collect::<Vec<_>>(), [solve]);
    let page = views.page().unwrap();
    let at = page.elaborated.graph().box_of(Thing::Action(solve)).unwrap();
    let middle = page.elaborated.graph().boxes[at].area.center();
    let at = page.elaborated.view().screen_from_world(middle);
    assert!(views.restrict_at_elaborated(at.x, at.y), "the same once more");
    assert!(views.chosen().is_empty());
    assert!(!views.restrict_at_elaborated(1.0, 1.0));
    assert!(!views.restrict_at_timeline(1.0, 5.0));
}

#[test]
fn lines_of_small_graphs_keep_clear_of_boxes() {
    let mut n_graphs = 0;
    for (folder, name) in crate::made::examples() {
        let record = loaded(&example(&folder, &name));
        let graph = Elaborated::of(&record, &BTreeMap::new());
        if graph.boxes.len() > 150 || graph.lines.len() > 400 {
            continue;
        }
        n_graphs += 1;
        for (at, line) in graph.lines.iter().enumerate().filter(|(_, line)| line.source != line.target) {
            let way = graph.way(at);
            assert!(way.len() > 1, "{name}: line {at} has no way");
            for (box_idx, node) in graph.boxes.iter().enumerate() {
                let is_met = way.windows(2).any(|ends| node.area.grown(-1.0).meets_segment(ends[0], ends[1]));
                let (source, target) = (&graph.boxes[line.source].name, &graph.boxes[line.target].name);
                assert!(
                    !is_met,
                    "{name}: the line from {source} to {target} runs through {} ({box_idx})",
                    node.name
                );
            }
        }
    }
    assert!(n_graphs > 12, "{n_graphs}");
}

#[test]
fn line_is_hit_along_its_way() {
    let mut view = ElaboratedView::new(loaded(&example("bank", "bank.hasse")), no_wake());
    view.set_size(1600, 900);
    view.wait();
    view.fit();
    for (at, line) in view.graph().lines.iter().enumerate().filter(|(_, line)| line.source != line.target) {
        let way = view.graph().way(at);
        let middle = way[way.len() / 2];
        let point = view.view().screen_from_world(middle);
        let hit = view.hit_line(point.x, point.y);
        let is_shared = |other: &usize| view.graph().way(*other).contains(&middle);
        assert!(hit.is_some_and(|hit| hit == at || is_shared(&hit)), "{line:?}");
    }
}

/// Instances of one node, each with one event.
fn many(n_instances: u32) -> hasse_editor::views::record::RecordSource {
    use hasse_model::event::{ActionRecord, EventBatch, EventRecord};
    use hasse_model::id::{ActionId, EventId, GraphInstanceId, Index, TemplateId};
    use hasse_model::trace::TraceHeader;
    let mut batch = EventBatch::default();
    for at in 0..n_instances {
        let (action, template) = (ActionId(at), TemplateId(0));
        let index = Index::from_iter([i64::from(at)]);
        batch.actions.push(ActionRecord { action, template, graph: GraphInstanceId::MAIN, index });
        batch.push(&mut EventRecord::new(EventId { action, count: 1 }));
    }
    let header = TraceHeader { templates: vec!["T".to_owned()], n_workers: 1, ..TraceHeader::default() };
    hasse_editor::views::record::RecordSource::Memory {
        header: Arc::new(header),
        batches: Arc::new(vec![batch]),
    }
}
