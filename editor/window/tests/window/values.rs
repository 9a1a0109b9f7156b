//! Values: the state of a moment, one value with its lineage, one event alone, cards on the picture.

use std::path::PathBuf;
use std::sync::Arc;

use hasse_editor::drawing::geometry::Rect;
use hasse_editor::run::{Request, RunState, Told};
use hasse_editor::views::record::AskedRecord;
use hasse_ui::{App, Graph, Values, Views};
use i_slint_backend_testing::{AccessibleRole, ElementHandle};
use slint::{ComponentHandle, Model};

use super::views::record;
use crate::common::Driver;
use crate::common::programs::RUNNING;
use crate::common::session::{Session, facts};

/// A window with the record of a run. Its values are answered on request.
pub(crate) struct Valued {
    pub(crate) hand: Driver,
    session: Session,
    trace: PathBuf,
    events: Vec<hasse_model::event::EventRecord>,
}

impl Valued {
    pub(crate) fn open() -> Self {
        let (hand, session) = Session::open(RUNNING);
        let trace = hand.file("run.trace");
        let events = record(&trace);
        session.tell(&hand, Told::Opened(facts(RUNNING)));
        session.tell(&hand, Told::State(RunState::Over { is_open: false }));
        session.tell(&hand, Told::Recorded(trace.clone()));
        hand.wait("the record", |hand| hand.opened.window.global::<Views>().get_has_record());
        session.sent();
        Self { hand, session, trace, events }
    }

    pub(crate) fn is_asked(&self) -> bool {
        let asked = Request::Values { of: self.of(), events: None };
        self.session.sent().contains(&asked)
    }

    pub(crate) fn answer(&self) {
        let result = Ok(Arc::new(self.events.clone()));
        self.session.tell(&self.hand, Told::Values { of: self.of(), result });
    }

    fn of(&self) -> AskedRecord {
        AskedRecord::File(self.trace.clone())
    }

    fn rows(&self) -> Vec<String> {
        self.hand.labels(AccessibleRole::ListItem)
    }
}

#[test]
fn values_are_made_again_when_somebody_looks() {
    let valued = Valued::open();
    assert!(!valued.is_asked(), "nobody looks at values");
    valued.hand.command("Values at this moment");
    assert!(valued.is_asked());
    assert!(valued.hand.reads("values are being made again by a replay"));
    valued.answer();
    assert!(valued.rows().iter().any(|row| row.starts_with("/total = 3, by /B")), "{:?}", valued.rows());
    // Each moment of playback has its own.
    for _ in 0..5 {
        valued.hand.command("One event back");
    }
    assert!(valued.rows().iter().any(|row| row.starts_with("/total = 0, as created")), "{:?}", valued.rows());
    valued.hand.command("One event on");
    assert!(valued.hand.has("/B[0].a, 1 value waits"), "{:?}", valued.rows());
    assert!(!valued.is_asked(), "they are known");
}

#[test]
fn values_that_cannot_be_made_again_say_why() {
    let valued = Valued::open();
    valued.hand.command("Values at this moment");
    let result = Err("the replay left the record at /A:1".to_owned());
    valued.session.tell(&valued.hand, Told::Values { of: valued.of(), result });
    assert!(valued.hand.reads("values cannot be made again: the replay left the record at /A:1"));
    valued.session.sent();
    valued.hand.command("Log");
    valued.hand.command("Values at this moment");
    assert!(!valued.is_asked(), "the answer would be the same");
}

#[test]
fn value_is_opened_with_its_lineage_and_its_event_executed_alone() {
    let valued = Valued::open();
    let hand = &valued.hand;
    hand.command("Values at this moment");
    valued.answer();
    let total = valued.rows().into_iter().find(|row| row.starts_with("/total = 3")).unwrap();
    hand.click(&total);
    assert!(hand.reads("CAME FROM"));
    assert!(valued.rows().iter().any(|row| row == "a = 1  from /A:1"), "{:?}", valued.rows());
    let writer = total.rsplit(' ').next().unwrap();
    assert!(hand.reads(&format!("EXECUTE {writer} ALONE")));
    assert_eq!(
        (hand.value("value of port a"), hand.value("value of shared total")),
        ("1".to_owned(), "2".to_owned())
    );
    hand.item("value of port a").set_accessible_value("40");
    hand.settle();
    hand.click("Execute");
    let inputs = vec![("port a".to_owned(), "40".to_owned())];
    let asked = Request::Alone { of: valued.of(), event: writer.to_owned(), inputs };
    assert!(valued.session.sent().contains(&asked));
    assert!(hand.has("Executing..."));
    let result = Ok(vec!["total = 42".to_owned()]);
    valued.session.tell(hand, Told::Alone { event: writer.to_owned(), result });
    assert!(hand.reads("total = 42") && hand.has("Execute"));
}

#[test]
fn object_that_is_looked_at_is_followed_through_the_moments() {
    let valued = Valued::open();
    let hand = &valued.hand;
    hand.command("Values at this moment");
    valued.answer();
    let total = valued.rows().into_iter().find(|row| row.starts_with("/total = 3")).unwrap();
    hand.click(&total);
    let shown = || hand.opened.window.global::<Values>().get_value().summary;
    assert_eq!(shown(), "3");
    for _ in 0..5 {
        hand.command("One event back");
    }
    assert_eq!(shown(), "0");
    assert!(!valued.rows().iter().any(|row| row.contains("from /A:1")), "{:?}", valued.rows());
}

#[test]
fn card_of_what_is_under_the_pointer_comes_after_a_moment_and_can_be_pinned() {
    let valued = Valued::open();
    let hand = &valued.hand;
    let card = "values of B[i].c -> End.c[i]";
    let arc = hand.opened.arc_at(1).unwrap();
    hand.move_to(arc);
    hand.settle();
    assert!(!hand.has(card), "the pointer may only pass by");
    hand.wait("the card", |hand| hand.has(card));
    assert!(valued.is_asked());
    valued.answer();
    assert!(hand.reads("3 values, 0 waiting"), "{:?}", valued.rows());
    hand.move_to(hand.nowhere());
    hand.wait("the card to go", |hand| !hand.has(card));
    hand.click_at(arc);
    hand.alt('p');
    assert!(hand.has(card));
    hand.click_at(hand.nowhere());
    assert!(hand.has(card), "it stays");
    hand.command("One event back");
    hand.command("One event back");
    hand.command("One event back");
    hand.command("One event back");
    assert!(hand.reads("carried nothing so far"), "{:?}", valued.rows());
    hand.click("Take these values away");
    hand.wait("the card to go", |hand| !hand.has(card));
}

#[test]
fn values_of_a_selected_event_are_among_what_is_known_of_it() {
    let valued = Valued::open();
    let hand = &valued.hand;
    hand.resize(1280.0, 1000.0);
    hand.opened.window.global::<App>().set_bottom_height(400.0);
    hand.command("Values at this moment");
    valued.answer();
    hand.click(&valued.rows().into_iter().find(|row| row.starts_with("/total = 3")).unwrap());
    hand.command("Event history");
    let took = valued.rows().into_iter().find(|row| row.starts_with("took a = 1")).unwrap();
    hand.click(&took);
    assert_eq!(hand.app().get_panel(), 12, "the value is opened");
}

#[test]
fn two_panels_are_seen_next_to_each_other_or_one_is_large() {
    let valued = Valued::open();
    let hand = &valued.hand;
    hand.command("Event history");
    hand.alt('5');
    assert_eq!((hand.app().get_panel(), hand.app().get_second()), (3, 12), "history and values");
    assert!(valued.is_asked());
    valued.answer();
    assert!(hand.has("event history") && hand.has("values at this moment"));
    hand.wait("both are drawn", |hand| {
        hand.opened.window.global::<Views>().get_history().image.size().width > 0
    });
    let (history, values) = (hand.item("event history"), hand.item("values at this moment"));
    let end = history.absolute_position().x + history.size().width;
    assert!(end <= values.absolute_position().x + 1.0, "they do not overlap");
    // A command shows its panel where it is.
    hand.command("Values at this moment");
    assert_eq!((hand.app().get_panel(), hand.app().get_second()), (3, 12));
    let before = hand.item("event history").size().height;
    hand.alt('6');
    assert!(hand.item("event history").size().height > before + 100.0);
    hand.alt('6');
    hand.alt('5');
    assert_eq!(hand.app().get_second(), -1);
    assert!(!hand.has("values at this moment"));
}

#[test]
fn pinned_card_leaves_boxes_free_and_is_dragged() {
    let valued = Valued::open();
    let hand = &valued.hand;
    let name = "values of B[i].c -> End.c[i]";
    hand.click_at(hand.opened.arc_at(1).unwrap());
    hand.alt('p');
    valued.is_asked();
    valued.answer();
    hand.click_at(hand.nowhere());
    let card = hand.item(name);
    let area = |card: &ElementHandle| {
        let (at, size) = (card.absolute_position(), card.size());
        Rect::new(f64::from(at.x), f64::from(at.y), f64::from(size.width), f64::from(size.height))
    };
    for title in ["A", "B[i]", "End"] {
        let node = hand.node(title).unwrap_or_else(|| panic!("no box {title}"));
        assert_eq!(area(&node).overlap(area(&card)), 0.0, "the card covers {title}");
    }
    let before = area(&card);
    let from = [before.min.x as f32 + 30.0, before.min.y as f32 + 10.0];
    hand.drag(from, [from[0] - 60.0, 60.0]);
    let moved = area(&hand.item(name));
    assert_eq!(moved.min.x - before.min.x, -60.0);
    assert!((moved.min.y - 50.0).abs() < 1.0, "{moved:?}");
    let cards = hand.opened.window.global::<Graph>().get_cards();
    assert!(cards.iter().next().unwrap().has_leader, "a line leads to its wire");
    // It stays where it was put, also after other moments were shown.
    hand.command("One event back");
    let again = area(&hand.item(name));
    assert_eq!((again.min.x, again.min.y), (moved.min.x, moved.min.y));
}
