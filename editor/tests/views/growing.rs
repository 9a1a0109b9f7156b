//! A record grows with its run, and the whole one takes its place.

use std::sync::Arc;

use hasse_editor::views::findings::{Query, Status};
use hasse_editor::views::record::RecordSource;
use hasse_editor::views::select::Selection;
use hasse_editor::views::state::Views;
use hasse_editor::views::task::no_wake;
use hasse_model::event::EventBatch;

use crate::made::{example, functions};
use crate::together::settle;

/// Ticks until so many events are shown.
fn until(views: &mut Views, n_events: u32) {
    for _ in 0..1_000_000 {
        views.tick(0.0);
        if views.page().is_some_and(|page| page.player.n_events() == n_events) {
            return settle(views);
        }
        std::thread::yield_now();
    }
    panic!("{n_events} events are never shown");
}

/// A record in which each batch holds few events.
fn in_small_batches(source: &RecordSource) -> Vec<Arc<EventBatch>> {
    let RecordSource::Memory { batches, .. } = source else { panic!() };
    batches.iter().map(|batch| Arc::new(batch.clone())).collect()
}

fn growing(source: &RecordSource) -> Views {
    let RecordSource::Memory { header, .. } = source else { panic!() };
    let mut views = Views::new(functions(), no_wake());
    views.begin_live((**header).clone());
    until(&mut views, 0);
    assert!(views.is_live() && !views.is_busy(), "what rests costs no time");
    views
}

#[test]
fn playback_follows_a_run_and_stays_where_somebody_looks() {
    let source = crate::together::nested();
    let mut views = growing(&source);
    let mut n_events = 0;
    for batch in in_small_batches(&source) {
        n_events += batch.n_events() as u32;
        views.push_live(batch);
        until(&mut views, n_events);
        let player = &views.page().unwrap().player;
        assert!(player.follows() && player.is_at_end());
    }
    assert_eq!(n_events, 5);
    assert_eq!(views.marks("outer").nodes["Before"].n_events, Some(1));
    assert_eq!(views.page().unwrap().elaborated.graph().boxes.len(), 6);
    views.look_for_one(Query::Races);
    assert_eq!(views.findings()[0].status, Status::Unknown);
    assert!(views.findings()[0].text.contains("the run goes on"));
    // What nobody sees is made when somebody looks.
    let page = views.page_mut().unwrap();
    page.elaborated.set_shown(false);
    let record = Arc::clone(&page.record);
    page.elaborated.set_record(Arc::clone(&record));
    assert!(!page.elaborated.is_busy());
    page.elaborated.set_shown(true);
    assert!(page.elaborated.is_busy());
    // As it is being made, no other one is begun, but after it.
    page.elaborated.set_record(record);
    settle(&mut views);
    // Who goes back stays there when the whole record comes, with what is selected.
    views.play(|player| player.seek(2));
    let record = Arc::clone(&views.page().unwrap().record);
    let inner = record.instances_by_path()["/call[1]/Inner"];
    let event = record.event_at(inner, 1).unwrap();
    views.select(Selection::Event(event));
    views.toggle_instance(inner);
    views.page_mut().unwrap().history.zoom_x(200.0, 2.0);
    let seen = views.page().unwrap().history.viewport();
    views.replace(source);
    settle(&mut views);
    assert!(!views.is_live());
    let page = views.page().unwrap();
    assert_eq!((page.player.position(), page.player.n_events()), (2, 5));
    assert_eq!(page.record.event_name(event), "/call[1]/Inner:1");
    assert_eq!(views.selection(), Selection::Event(event));
    assert_eq!(views.chosen().len(), 1);
    assert_eq!(page.history.viewport(), seen);
    assert_ne!(views.findings()[0].status, Status::Unknown);
}

#[test]
fn what_is_at_the_end_is_at_the_end_of_the_whole_record() {
    let source = example("bts", "bts.hasse");
    let mut views = growing(&source);
    let batches = in_small_batches(&source);
    let n_first = batches[0].n_events() as u32;
    views.push_live(Arc::clone(&batches[0]));
    until(&mut views, n_first);
    views.leave_out();
    settle(&mut views);
    assert!(views.messages()[0].contains("left out"), "{:?}", views.messages());
    views.replace(source);
    settle(&mut views);
    assert_eq!(views.messages(), Vec::<String>::new());
    let player = &views.page().unwrap().player;
    assert!(player.is_at_end() && player.n_events() > 0 && !player.follows());
}

#[test]
fn a_run_whose_record_is_not_kept_stays_as_far_as_it_came() {
    let source = crate::together::nested();
    let mut views = growing(&source);
    in_small_batches(&source).into_iter().for_each(|batch| views.push_live(batch));
    views.end_live(None);
    until(&mut views, 5);
    assert!(!views.is_live() && !views.is_busy());
    views.look_for_one(Query::Races);
    assert!(views.findings()[0].text.contains("not kept"));
}
