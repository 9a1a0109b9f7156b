//! Values of events: the state of a moment, what arcs carried, cards, lineage.

use std::path::Path;
use std::sync::Arc;

use hasse_editor::edit::link::LinkList;
use hasse_editor::target::Target;
use hasse_editor::views::probes::Moment;
use hasse_editor::views::record::Record;
use hasse_editor::views::value::{brief, summary};
use hasse_editor::views::values::{Held, HeldKind, Origin, Values, wanted_at};
use hasse_model::event::{EventRecord, Outcome};
use hasse_model::value::{Matrix, Value};

use super::made::valued;

/// Values through a call and around a loop, an object, and values that nobody takes.
const TALLY: &str = r#"hasse = 1
main = "g"

[graph.g]
arcs = [
  "Gen.x[k] -> twice[k].x",
  "twice[k].y -> Work[k].x",
  "Work[i].again -> Work[i].x",
  "Work[i].left -> Sink.x",
]
share = ["total -- Work[i].total"]

[graph.g.shared.total]
type = "int"

[graph.g.uc.Gen]
start = true
out = { "x[k]" = "int" }
route = ["x[k] <- k + 1 for k in 0..3"]

[graph.g.call.twice]
graph = "h"
index = ["k"]

[graph.g.uc.Work]
index = ["i"]
in = { x = "int" }
out = { again = "int", left = "int" }
shared = { total = "write" }
vars = { seen = "int = 0" }
fire = ["x -> x"]
do = '''
seen += 1;
total += x;
'''
route = ["again <- x + 10 if seen < 3", "left <- x, left <- -x if seen == 3"]

[graph.g.uc.Sink]
in = { x = "int" }
fire = ["x -> x if count <= 2"]

[graph.h]
in = { x = "int" }
out = { y = "int" }
arcs = ["in.x -> Double.x", "Double.y -> out.y"]

[graph.h.uc.Double]
in = { x = "int" }
out = { y = "int" }
fire = ["x -> x"]
route = ["y <- 2 * x"]
"#;

pub(crate) fn tally() -> (Arc<Record>, Vec<EventRecord>) {
    valued(TALLY, Path::new("."))
}

/// Programs of `examples` that end soon.
const EXAMPLES: [&str; 7] = [
    "buffer/buffer.hasse",
    "dandc/dandc.hasse",
    "lostupdate/lostupdate-bug.hasse",
    "merge/merge.hasse",
    "philosophers/philosophers.hasse",
    "quicksort/quicksort.hasse",
    "sieve/sieve.hasse",
];

fn programs() -> Vec<(Arc<Record>, Vec<EventRecord>)> {
    let examples = EXAMPLES.iter().map(|name| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(name);
        valued(&std::fs::read_to_string(&path).unwrap(), path.parent().unwrap())
    });
    examples.chain([tally()]).collect()
}

fn position_of(record: &Record, event: &EventRecord) -> u32 {
    let instance = record.instances().iter().position(|known| known.id == event.id.action).unwrap();
    record.event_at(instance as u32, event.id.count).unwrap()
}

#[test]
fn events_find_the_state_of_the_moment_before_them() {
    for (record, events) in programs() {
        let values = Values::of(&record, &events);
        assert_eq!(values.n_events(), record.n_events() as usize);
        for event in &events {
            let (at, local) = (position_of(&record, event), event.local.as_ref().unwrap());
            let name = record.event_name(at);
            if event.id.count > 1 {
                let vars = values.vars(&record, record.instance_of(at), at).unwrap();
                assert_eq!(vars, local.found, "{name}");
            }
            for ((_, found), access) in local.shared_before.iter().zip(&event.shared) {
                let (held, writer) = values.object(access.object, at).unwrap();
                assert_eq!(held, found, "{name}");
                let expected = access.writer.map(|writer| record.names().event(writer).to_string());
                assert_eq!(writer.map(|writer| record.event_name(writer)), expected, "{name}");
            }
            for ((port, value), sender) in local.took.iter().zip(&event.flow) {
                let path = format!("{}.{port}", record.instance_name(record.instance_of(at)));
                let sender = record.names().event(*sender).to_string();
                let sent = (0..at).find(|&earlier| record.event_name(earlier) == sender).unwrap();
                let mut passages = values.sent_by(sent).iter();
                let is_own = passages.any(|passage| {
                    let is_taken =
                        passage.taker == Some(at) && passage.waits_at(at) && !passage.waits_at(at + 1);
                    is_taken && passage.port == path && passage.value == *value
                });
                assert!(is_own, "{name} took {port}");
            }
            if event.outcome == Outcome::Done {
                assert_eq!(values.sent_by(at).len() as u64, event.flow_successors, "{name}");
            }
            for passage in values.sent_by(at) {
                let last =
                    *passage.arcs.last().unwrap_or_else(|| panic!("{name}: no way to {}", passage.port));
                assert!(values.carried(last, at + 1).any(|carried| carried == passage));
                assert!(values.carried(last, at).all(|carried| carried.sender < at));
                let is_sent = local.sent.iter().any(|(_, value)| *value == passage.value);
                assert!(is_sent, "{name} sent to {}", passage.port);
            }
        }
    }
}

#[test]
fn state_from_the_wanted_events_is_the_state_from_all() {
    for (record, events) in programs() {
        let whole = Values::of(&record, &events);
        for position in [0, 1, record.n_events() / 3, record.n_events() / 2, record.n_events()] {
            let ids = wanted_at(&record, position);
            let wanted: Vec<EventRecord> =
                events.iter().filter(|event| ids.contains(&event.id)).cloned().collect();
            let part = Values::of(&record, &wanted);
            assert_eq!(part.moment(&record, position), whole.moment(&record, position));
            // Without the events that take what waits, their names are known from the record.
            let before: Vec<EventRecord> =
                events.iter().filter(|event| position_of(&record, event) < position).cloned().collect();
            let prefix = Values::of(&record, &before);
            // What an object held when it was created is found out by its first user.
            let made = |mut rows: Vec<Held>| {
                rows.retain(|row| row.kind != HeldKind::Object || row.event.is_some());
                rows
            };
            assert_eq!(made(prefix.moment(&record, position)), made(whole.moment(&record, position)));
        }
    }
}

fn lines(rows: &[Held]) -> String {
    let line = |row: &Held| {
        let value = row.value.as_ref().map(|value| format!(" = {}", summary(value))).unwrap_or_default();
        let note = if row.note.is_empty() { String::new() } else { format!("  ({})", row.note) };
        format!("{:?} {}{value}{note}\n", row.kind, row.name)
    };
    rows.iter().map(line).collect()
}

#[test]
fn moments_of_a_tally() {
    let (record, events) = tally();
    let values = Values::of(&record, &events);
    let n_events = record.n_events();
    let text: Vec<String> = [0, n_events / 2, n_events]
        .iter()
        .map(|&position| format!("after {position} events\n{}", lines(&values.moment(&record, position))))
        .collect();
    insta::assert_snapshot!(text.join("\n"));
}

#[test]
fn cards_show_the_last_values_of_arcs_and_what_nodes_hold() {
    let (record, events) = tally();
    let values = Values::of(&record, &events);
    let cards = |position| {
        let moment =
            Moment { record: &record, values: Some(&values), position, is_under_way: false, note: "" };
        let targets = [
            Target::of_link("g", LinkList::Arcs, 2),
            Target::of_link("g", LinkList::Arcs, 3),
            Target::of_node("g", "Work"),
            Target::of_node("g", "total"),
            Target::of_node("g", "twice"),
            Target::of_link("h", LinkList::Arcs, 0),
        ];
        let mut text = format!("after {position} events\n");
        for card in targets.iter().filter_map(|target| moment.card(target, false)) {
            text += &format!("{}\n", card.title);
            card.lines.iter().for_each(|line| text += &format!("  {}\n", line.text));
        }
        text
    };
    insta::assert_snapshot!(format!("{}\n{}", cards(6), cards(record.n_events())));
    let moment =
        Moment { record: &record, values: Some(&values), position: 6, is_under_way: false, note: "" };
    for target in [
        Target::of_node("g", "nobody"),
        Target::of_link("g", LinkList::Shares, 0),
        Target::of_link("g", LinkList::Arcs, 99),
        Target::of_graph("g"),
    ] {
        assert_eq!(moment.card(&target, true), None);
    }
}

#[test]
fn lineage_leads_back_to_where_a_value_began() {
    let (record, events) = tally();
    let values = Values::of(&record, &events);
    let last =
        (0..record.n_events()).rev().find(|&event| record.event_name(event).starts_with("/Work")).unwrap();
    let steps = values.lineage(&record, last);
    assert_eq!((steps[0].event, &steps[0].origin, steps[0].depth), (last, &Origin::Own, 0));
    for step in &steps[1..] {
        let is_before = record
            .before(
                steps
                    .iter()
                    .rev()
                    .find(|other| {
                        other.depth + 1 == step.depth
                            && record.before(other.event).any(|before| before.event == step.event)
                    })
                    .unwrap()
                    .event,
            )
            .any(|before| before.event == step.event);
        assert!(is_before, "{step:?}");
    }
    let names: Vec<String> = steps.iter().map(|step| record.event_name(step.event)).collect();
    assert!(names.contains(&"/Gen:1".to_owned()), "{names:?}");
    assert!(steps.iter().any(|step| step.origin == Origin::Vars), "{steps:?}");
    assert!(steps.iter().any(|step| step.origin == Origin::Object("/total".to_owned())), "{steps:?}");
    // An event is taken apart once.
    let mut whole: Vec<u32> = steps.iter().filter(|step| !step.is_repeated).map(|step| step.event).collect();
    let n_steps = whole.len();
    whole.sort_unstable();
    whole.dedup();
    assert_eq!(whole.len(), n_steps);
}

#[test]
fn facts_of_an_event_have_its_values_with_their_senders_and_takers() {
    let (record, events) = tally();
    let values = Values::of(&record, &events);
    let event = (0..record.n_events()).find(|&event| record.event_name(event) == "/Work[1]:2").unwrap();
    let facts = record.facts(event, Some(&values));
    let of = |name: &str| facts.iter().filter(|fact| fact.name == name).collect::<Vec<_>>();
    assert_eq!(of("took")[0].text, "x = 14");
    assert_eq!(of("took")[0].event.map(|event| record.event_name(event)).unwrap(), "/Work[1]:1");
    assert_eq!(of("sent value")[0].text, "24 to /Work[1].x, taken by /Work[1]:3");
    assert_eq!(of("var after")[0].text, "seen = 2");
}

#[test]
fn brief_text_of_a_vector_or_matrix_is_its_shape() {
    let matrix = Matrix::from_columns(2, 3, vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
    assert_eq!(brief(&Value::Matrix(Arc::new(matrix))), "matrix 2 x 3");
    assert_eq!(brief(&Value::Vector(Arc::new(vec![0.5; 16]))), "vector of 16 entries");
    assert_eq!(brief(&Value::String("a: b".into())), "\"a: b\"");
    assert_eq!(brief(&Value::Int(7)), "7");
}
