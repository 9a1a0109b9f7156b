//! Tables of many instances: only what is shown comes over.

use std::time::Duration;

use hasse_editor::run::{Order, Page, PageQuery, Request, RunPanel, Told};
use hasse_runtime::control::ActionState;

use super::fake::{Fake, action, panel};

fn asked(fake: &Fake) -> PageQuery {
    match fake.sent().as_slice() {
        [Request::Page(query)] => query.clone(),
        other => panic!("{other:?}"),
    }
}

fn answer(panel: &mut RunPanel, fake: &Fake, query: PageQuery) {
    let rows = (query.start..query.start + query.n_rows).map(|row| row as i64);
    let rows = rows.map(|row| action(1, "B", &[row], ActionState::Idle)).collect();
    fake.tell(Told::Page(Page { query, n_total: 100_000, rows }));
    panel.tick(Duration::ZERO);
}

#[test]
fn rows_are_asked_for_as_they_are_scrolled_to() {
    let (mut panel, fake) = panel();
    fake.sent();
    panel.open_table("g", "B");
    let first = asked(&fake);
    assert_eq!((first.template, first.start), (1, 0));
    answer(&mut panel, &fake, first);
    assert_eq!(panel.table().n_rows(), 100_000);
    assert_eq!(panel.table().row(5).unwrap().path, "/B[5]");
    panel.show_rows(10, 40);
    assert_eq!(fake.sent(), [], "they are there");
    panel.show_rows(70_000, 40);
    let next = asked(&fake);
    assert!(next.start <= 70_000 && next.start + next.n_rows >= 70_040 && next.n_rows <= 200, "{next:?}");
    assert!(panel.table().row(70_000).is_none(), "not yet");
    answer(&mut panel, &fake, next);
    assert_eq!(panel.table().row(70_000).unwrap().path, "/B[70000]");
}

#[test]
fn a_column_sorts_one_way_and_then_the_other_and_late_answers_are_passed_over() {
    let (mut panel, fake) = panel();
    panel.open_table("g", "B");
    fake.sent();
    panel.sort_table(Order::Count);
    let ascending = asked(&fake);
    panel.sort_table(Order::Count);
    let descending = asked(&fake);
    assert_eq!((ascending.is_descending, descending.is_descending), (false, true));
    answer(&mut panel, &fake, ascending);
    assert_eq!(panel.table().n_rows(), 0);
    answer(&mut panel, &fake, descending);
    assert_eq!(panel.table().n_rows(), 100_000);
    panel.open_table("g", "nobody");
    assert_eq!(panel.table().query(), None);
}

#[test]
fn a_filter_is_asked_for_with_the_rows() {
    let (mut panel, fake) = panel();
    panel.open_table("g", "B");
    panel.show_rows(5000, 40);
    fake.sent();
    panel.filter_table("B[7");
    let query = asked(&fake);
    assert_eq!((query.filter.as_str(), query.start), ("B[7", 0), "the rows begin anew");
    panel.filter_table("B[7");
    assert_eq!(fake.sent(), []);
    let rows = vec![action(1, "B", &[7], ActionState::Idle)];
    fake.tell(Told::Page(Page { query, n_total: 1, rows }));
    panel.tick(Duration::ZERO);
    assert_eq!(panel.table().n_rows(), 1);
    assert_eq!(panel.table().page().1[0].path, "/B[7]");
}
