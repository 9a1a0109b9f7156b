//! Searching events: by instance, by values, by lines that were printed.

use std::path::Path;

use hasse_editor::views::record::Record;
use hasse_editor::views::search::EventQuery;
use hasse_editor::views::select::Selection;
use hasse_editor::views::state::Views;
use hasse_editor::views::task::no_wake;
use hasse_editor::views::values::Values;

use super::made::{functions, valued};
use super::together::nested;
use super::values::tally;

fn found(query: &str, record: &Record, values: Option<&Values>) -> Vec<String> {
    let events = EventQuery::parse(query).unwrap().find(record, values, None).unwrap();
    events.into_iter().map(|event| record.event_name(event)).collect()
}

#[test]
fn events_are_found_by_name_index_and_number() {
    let (record, _) = tally();
    let find = |query: &str| found(query, &record, None);
    assert_eq!(find("GEN"), ["/Gen:1"]);
    assert_eq!(find("work[1]").len(), 3);
    assert_eq!(find("work[1]:2"), ["/Work[1]:2"]);
    assert_eq!(find("double twice[2]"), ["/twice[2]/Double:1"]);
    // A number is an index here, no count of executions.
    assert!(find("2").iter().all(|name| name.contains("[2]")), "{:?}", find("2"));
    assert_eq!(find("nobody"), Vec::<String>::new());
    assert_eq!(find("node:twice").len(), 3);
}

#[test]
fn events_are_found_by_values_taken_and_sent() {
    let (record, events) = tally();
    let values = Values::of(&record, &events);
    let find = |query: &str| found(query, &record, Some(&values));
    // Work[1] has taken 4, 14 and 24, and sent 24 on.
    assert_eq!(find("took:24"), ["/Work[1]:3", "/Sink:1"]);
    assert_eq!(find("took:14"), ["/Work[1]:2"]);
    assert_eq!(find("sent:14"), ["/Work[1]:1"]);
    assert_eq!(find("14"), ["/Work[1]:1", "/Work[1]:2"]);
    assert_eq!(find("sent:-24"), ["/Work[1]:3"]);
    assert!(!find("4").iter().any(|name| name == "/Work[1]:2"), "14 has a 4, and is not 4");
    assert_eq!(find("took:24 work[2]"), Vec::<String>::new());
}

#[test]
fn events_are_found_by_lines_that_they_printed() {
    let text = r#"hasse = 1
main = "g"

[graph.g]
arcs = ["Count.n[i] -> Say[i].n"]

[graph.g.uc.Count]
out = { "n[i]" = "int" }
start = true
route = ["n[i] <- i for i in 0..3"]

[graph.g.uc.Say]
index = ["i"]
in = { n = "int" }
fire = ["n -> n"]
do = 'print("Number " + n + " is here");'
"#;
    let (record, events) = valued(text, Path::new("."));
    let values = Values::of(&record, &events);
    let find = |query: &str| found(query, &record, Some(&values));
    assert_eq!(find("printed:\"number 1 is\""), ["/Say[1]:1"]);
    assert_eq!(find("here").len(), 3);
    assert_eq!(find("printed:say"), Vec::<String>::new());
    assert_eq!(found("here", &record, None), Vec::<String>::new(), "nobody knows what was printed");
}

#[test]
fn matches_are_gone_through_and_around() {
    let mut views = Views::new(functions(), no_wake());
    let wait = |views: &mut Views| {
        while views.is_busy() {
            views.tick(0.0);
            std::thread::yield_now();
        }
    };
    views.search("inner");
    assert_eq!(views.search_note(), "", "there is no record yet");
    views.open(nested());
    wait(&mut views);
    let name = |views: &Views| match views.selection() {
        Selection::Event(event) => views.page().unwrap().record.event_name(event),
        _ => String::new(),
    };
    assert_eq!(views.matches().len(), 3, "{}", views.search_note());
    assert!(views.search_note().starts_with("3 matches"), "{}", views.search_note());
    assert_eq!(name(&views), "", "nothing is selected by a search");
    assert!(views.step_match(true));
    assert_eq!(views.current_match(), Some(0));
    let first = name(&views);
    views.step_match(false);
    assert!(views.search_note().starts_with("3 of 3"), "{}", views.search_note());
    views.step_match(true);
    assert_eq!(name(&views), first);
    views.search("nothing of that");
    wait(&mut views);
    assert!(views.search_note().starts_with("no match"));
    assert!(!views.step_match(true));
    views.search("");
    assert_eq!(views.search_note(), "");
}
