//! What is selected, found, restricted or played in one view is seen in all of them.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use hasse_debugger::restrict::Restrictor;
use hasse_editor::marks::{Highlight, Marks};
use hasse_editor::views::findings::Query;
use hasse_editor::views::record::{Live, LoadOptions, RecordSource, Via};
use hasse_editor::views::restrict::restrict;
use hasse_editor::views::select::Selection;
use hasse_editor::views::state::Views;
use hasse_editor::views::task::no_wake;
use hasse_model::record_options::RecordOption;
use hasse_model::trace::RecordingMode;
use proptest::prelude::*;

use crate::made::{example, functions, loaded, pasts, ran};

/// `Before` sends to three instances of a graph with one node, which send to `After`; all share a log.
const NESTED: &str = r#"
hasse = 1
main = "outer"

[graph.outer]
arcs = ["Before.go[i] -> call[i].go", "call[i].done -> After.done[i]"]
share = ["log -- Before.log", "log -- call[i].log", "log -- After.log"]

[graph.outer.shared.log]
type = "int"

[graph.outer.call.call]
graph = "Called"
index = ["i"]

[graph.outer.uc.Before]
out = { "go[i]" = "int" }
shared = { log = "write" }
start = true
do = "log += 1;"
route = ["go[i] <- i for i in 0..3"]

[graph.outer.uc.After]
in = { "done[i]" = "int" }
shared = { log = "read" }
fire = ["done[i] -> all[i] for i in 0..3"]
do = 'result("log", log);'

[graph.Called]
in = { go = "int" }
out = { done = "int" }
inout = { log = "int" }
arcs = ["in.go -> Inner.go", "Inner.done -> out.done"]
share = ["inout.log -- Inner.log"]

[graph.Called.uc.Inner]
in = { go = "int" }
out = { done = "int" }
shared = { log = "write" }
fire = ["go -> v"]
do = "log += 10;"
route = ["done <- v * v"]
"#;

pub(crate) fn nested() -> RecordSource {
    ran(NESTED, Path::new("."), RecordingMode::Full)
}

/// Ticks until nothing is under way.
pub(crate) fn settle(views: &mut Views) {
    for _ in 0..1_000_000 {
        views.tick(0.0);
        if !views.is_busy() {
            return;
        }
        std::thread::yield_now();
    }
    panic!("something is under way for ever");
}

pub(crate) fn opened(source: RecordSource) -> Views {
    let mut views = Views::new(functions(), no_wake());
    views.open(source);
    settle(&mut views);
    assert_eq!(views.messages(), Vec::<String>::new());
    views
}

fn told(marks: &Marks) -> String {
    let mut text = String::new();
    for (name, node) in &marks.nodes {
        let _ = write!(text, "{name}: {} events {:?}", node.n_events.unwrap_or(0), node.highlights);
        let _ = writeln!(text, "{}{}", if node.is_dimmed { " dimmed" } else { "" }, node.note);
    }
    for ((list, row), link) in &marks.links {
        let passed = link.n_passed.unwrap_or(0);
        let queued = link.n_queued.unwrap_or(0);
        let _ = write!(text, "{} {row}: {passed} passed, {queued} queued {:?}", list.key(), link.highlights);
        let _ =
            writeln!(text, "{}", link.pulse.map_or_else(String::new, |pulse| format!(" pulse {pulse:.2}")));
    }
    text
}

#[test]
fn playback_is_seen_on_the_program() {
    let mut views = opened(nested());
    let mut text = String::new();
    for position in 0..=5 {
        views.play(|player| player.seek(position));
        let _ =
            writeln!(text, "-- {position}\n{}{}", told(&views.marks("outer")), told(&views.marks("Called")));
    }
    views.play(|player| {
        player.seek(1);
        player.set_speed(1.0);
        player.play();
    });
    views.tick(0.25);
    let _ = write!(text, "-- 1.25\n{}{}", told(&views.marks("outer")), told(&views.marks("Called")));
    insta::assert_snapshot!("playback_marks", text);
}

#[test]
fn a_selection_is_seen_everywhere() {
    let mut views = opened(nested());
    let record = Arc::clone(&views.page().unwrap().record);
    let names = record.instances_by_path();
    let inner = names["/call[1]/Inner"];
    let event = record.event_at(inner, 1).unwrap();
    views.select(Selection::Event(event));
    let outer = views.marks("outer");
    assert_eq!(outer.nodes["call"].highlights, [Highlight::Selected, Highlight::Related]);
    assert_eq!(outer.nodes["Before"].highlights, [Highlight::Related]);
    assert_eq!(views.marks("Called").nodes["Inner"].highlights, [Highlight::Selected, Highlight::Related]);
    let page = views.page().unwrap();
    // What is clicked in the history where the event is drawn is the event.
    let (start, end) = page.history.lanes().place(&record, event);
    let lane = page.history.lanes().lane(&record, event).unwrap();
    let x = page.history.x_of((start + end) / 2.0);
    let y =
        20.0 + (f64::from(lane) + 0.5) * page.history.viewport().lane_height - page.history.viewport().top;
    views.select(Selection::Nothing);
    assert!(views.click_history(x, y));
    assert_eq!(views.selection(), Selection::Event(event));
    assert!(views.click_node("outer", "Before"));
    assert_eq!(views.marks("outer").nodes["Before"].highlights, [Highlight::Selected]);
    assert!(views.click_arc("Called", 1));
    let arc = (hasse_editor::edit::link::LinkList::Arcs, 1);
    assert_eq!(views.marks("Called").links[&arc].highlights, [Highlight::Selected]);
    assert!(!views.click_node("outer", "call"));
    assert_eq!(views.selection(), Selection::Nothing);
    // What was selected on the picture is no longer; an event stays.
    assert!(views.click_node("outer", "Before"));
    views.unselect_program();
    assert!(views.marks("outer").nodes.values().all(|node| node.highlights.is_empty()));
    views.select(Selection::Event(event));
    views.unselect_program();
    assert_eq!(views.selection(), Selection::Event(event));
}

#[test]
fn a_finding_is_seen_on_the_program() {
    let mut views = opened(example("bts", "bts-bug.hasse"));
    views.look_for(vec![Query::Check("pred Solve:3 {Mult[2]:2}".to_owned())]);
    settle(&mut views);
    assert_eq!(views.findings().len(), 1);
    views.select_finding(0, None);
    assert!(!views.overlay().found.is_empty());
    let marks = views.marks("bts");
    assert!(marks.nodes["Solve"].highlights.contains(&Highlight::Finding));
    assert!(marks.links.values().any(|link| link.highlights.contains(&Highlight::Finding)));
}

#[test]
fn a_restriction_dims_the_others() {
    let mut views = opened(example("bts", "bts.hasse"));
    views.restrict_to_nodes("bts", &BTreeSet::from(["Solve".to_owned(), "Mult".to_owned()]));
    settle(&mut views);
    let marks = views.marks("bts");
    let dimmed: Vec<&str> =
        marks.nodes.iter().filter(|(_, node)| node.is_dimmed).map(|(name, _)| &**name).collect();
    assert_eq!(dimmed, ["Check", "Dist", "Gath", "Read", "Row"]);
    let restriction = views.overlay().restricted.clone().unwrap();
    assert_eq!(restriction.n_events(), 10);
    views.restrict_to(BTreeSet::new());
    assert!(views.overlay().restricted.is_none() && views.overlay().kept.is_none());
}

#[test]
fn a_growing_record_ends_as_a_loaded_one() {
    let source = example("bts", "bts.hasse");
    let RecordSource::Memory { header, batches } = &source else { panic!() };
    let live = Live::start((**header).clone(), LoadOptions::new(functions()), no_wake());
    batches.iter().for_each(|batch| live.push(Arc::new(batch.clone())));
    live.end();
    let mut last = live.wait().unwrap();
    while let Some(newer) = live.wait() {
        assert!(newer.n_events() >= last.n_events());
        last = newer;
    }
    let whole = loaded(&source);
    assert_eq!(last.n_events(), whole.n_events());
    for event in 0..whole.n_events() {
        assert_eq!(last.event_name(event), whole.event_name(event));
        assert!(last.before(event).eq(whole.before(event)));
    }
}

#[test]
fn times_are_measured() {
    let mut views = opened(ran(NESTED, Path::new("."), RecordingMode::Perf));
    views.measure();
    settle(&mut views);
    let performance = views.performance().unwrap();
    let titles: Vec<String> = performance.tables().into_iter().map(|table| table.title).collect();
    assert_eq!(titles, ["run", "workers", "nodes", "critical path by node", "critical path by link"]);
    assert!(
        performance
            .tables()
            .iter()
            .all(|table| table.rows.iter().all(|row| row.len() == table.columns.len()))
    );
    let steps = performance.report.path.steps.len();
    assert_eq!(performance.path.len(), steps);
    let page = views.page().unwrap();
    let theme = hasse_editor::views::pixels::Theme::Dark;
    let (pixels, _) = performance.draw_utilization(&page.timeline, 400, 60, theme);
    assert_eq!(pixels.data.len(), 4 * 400 * 60);
    let paper = pixels.at(399, 5);
    assert!((130..400).any(|x| pixels.at(x, 59) != paper), "something was computed");
    views.set_shows_path(true);
    assert_eq!(views.overlay().path.len(), steps);
    let marks = views.marks("outer");
    assert!(marks.nodes["After"].highlights.contains(&Highlight::Path), "it ends there");
    assert!(marks.links.values().any(|link| link.highlights.contains(&Highlight::Path)));
    views.set_shows_path(false);
    assert!(views.overlay().path.is_empty());
    let performance = views.performance().unwrap();
    let (pixels, texts) = performance.draw_concurrency(280, 64, theme);
    assert_eq!(pixels.data.len(), 4 * 280 * 64);
    assert!(texts.iter().any(|text| text.string == "1"), "{texts:?}");
    let paper = pixels.at(279, 30);
    assert!((8..280).any(|x| pixels.at(x, 47) != paper), "one at once for some time");
}

#[test]
fn an_empty_record_and_an_unknown_node_are_no_trouble() {
    use hasse_editor::views::lanes::{Axis, LanesBy};
    use hasse_editor::views::pixels::{Pixels, Theme};
    use hasse_model::event::{ActionRecord, EventBatch, EventRecord};
    use hasse_model::id::{ActionId, EventId, GraphInstanceId, Index, TemplateId};
    use hasse_model::trace::TraceHeader;
    let mut strange = EventBatch::default();
    let (action, template) = (ActionId(0), TemplateId(u32::MAX - 1));
    strange.actions.push(ActionRecord { action, template, graph: GraphInstanceId(7), index: Index::none() });
    strange.push(&mut EventRecord::new(EventId { action, count: 1 }));
    for batches in [vec![], vec![strange]] {
        let source =
            RecordSource::Memory { header: Arc::new(TraceHeader::default()), batches: Arc::new(batches) };
        let mut views = opened(source);
        assert!(views.is_of_program(""));
        views.look_for(vec![Query::Races, Query::Check("pred A {B}".to_owned())]);
        views.measure();
        views.restrict_to(BTreeSet::from([0]));
        views.play(|player| player.play());
        views.play(|player| player.step_level(true));
        for by in [LanesBy::Action, LanesBy::Template, LanesBy::Worker] {
            for axis in [Axis::Order, Axis::Level, Axis::Time] {
                let overlay = views.overlay().clone();
                let page = views.page_mut().unwrap();
                let options = hasse_editor::views::chart::ChartOptions { by, axis, hides_others: true };
                page.history.set_options(options, &overlay);
                page.history.wait();
                page.history.zoom(300.0, 30.0, 5.0);
                page.history.draw(&overlay, Theme::Dark, Pixels::default());
                page.history.hit(140.0, 25.0);
            }
        }
        settle(&mut views);
        assert_eq!(views.findings().len(), 2);
        assert!(views.performance().is_some());
        views.click_history(135.0, 22.0);
        views.click_elaborated(1.0, 1.0);
        assert_eq!(views.marks("main").links.len(), 0);
    }
}

#[test]
fn what_cannot_be_loaded_is_told() {
    let mut views = Views::new(functions(), no_wake());
    views.open(RecordSource::File("/nowhere/at.trace".into()));
    settle(&mut views);
    assert!(views.messages()[0].starts_with("cannot open /nowhere/at.trace"), "{:?}", views.messages());
    assert!(views.page().is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_restriction_is_the_debuggers_and_keeps_the_order(source in crate::histories(50), bits in any::<u8>()) {
        let record = loaded(&source);
        let n_instances = record.instances().len() as u32;
        let chosen: BTreeSet<u32> = (0..n_instances).filter(|at| bits >> at & 1 == 1).collect();
        let task = restrict(source.clone(), Arc::clone(&record), chosen.clone(), no_wake());
        let restriction = task.wait().unwrap().unwrap();
        let ids: BTreeSet<_> = chosen.iter().map(|&at| record.instances()[at as usize].id).collect();
        let mut restrictor = Restrictor::new(record.mode(), |action, _: &hasse_model::trace::Names| {
            if ids.contains(&action) { RecordOption::Full } else { RecordOption::Off }
        });
        let names = record.instances_by_path();
        let mut n_kept = 0;
        hasse_debugger::read::for_each_in_order(crate::batches(&source), |event, known| {
            let Some(kept) = restrictor.event(&event, known).unwrap() else { return };
            let place = |id| record.event_named(&names, &known.event(id).to_string()).unwrap();
            let own = place(kept.id);
            assert_eq!(restriction.events()[n_kept], own);
            n_kept += 1;
            let flow: Vec<u32> = kept.flow.iter().map(|&sender| place(sender)).collect();
            let relayed: Vec<u32> = kept.relayed.iter().map(|relayed| place(relayed.event)).collect();
            let before = restriction.before(own);
            let by_value = before.iter().filter(|before| matches!(before.via, Via::Value(_)));
            assert_eq!(by_value.map(|before| before.event).collect::<Vec<_>>(), flow);
            let by_object = before.iter().filter(|before| matches!(before.via, Via::Relayed(_)));
            assert_eq!(by_object.map(|before| before.event).collect::<Vec<_>>(), relayed);
        }).unwrap();
        prop_assert_eq!(restriction.events().len(), n_kept);
        // What is before what among those left is so in the whole record, and the other way round.
        let pasts = pasts(&record);
        let mut kept_pasts: std::collections::BTreeMap<u32, BTreeSet<u32>> = Default::default();
        for &event in restriction.events() {
            let mut past = BTreeSet::new();
            for before in restriction.before(event) {
                past.insert(before.event);
                past.extend(kept_pasts[&before.event].iter().copied());
            }
            let whole = restriction.events().iter().copied();
            let whole: BTreeSet<u32> =
                whole.filter(|&earlier| pasts[event as usize][earlier as usize]).collect();
            prop_assert_eq!(&past, &whole);
            kept_pasts.insert(event, past);
        }
    }
}
