//! What all forms have in common, over random histories.

use proptest::prelude::*;

use hasse_model::event::{EventBatch, EventRecord};
use hasse_model::id::{ActionId, EventId};
use hasse_model::trace::{RecordingMode, TraceHeader};

use super::edges::{Edge, EdgeKind, Edges};
use super::part::Part;
use super::saved::Saved;
use super::shiviz::Host;
use super::{Exporter, Form, Level, Rules, export, exporter};
use crate::read::for_each_in_order;
use crate::testing::{self, History, histories, shuffled};

fn header() -> TraceHeader {
    let names = testing::unread_names();
    TraceHeader {
        program_path: "a <\"odd\"> & program\\.hasse".into(),
        templates: names.templates().to_vec(),
        shared: names.shared().to_vec(),
        ..TraceHeader::default()
    }
}

/// What a form makes of a history whose events come in this order.
fn exported(history: &History, order: &[usize], form: Form) -> Vec<u8> {
    let (header, batches) = (header(), history.batches(order, 3));
    let mut out = Vec::new();
    let mut exporter = exporter(form, &header, Rules::unknown(), &mut out);
    let open = || Ok(Saved::new(&header, &batches, None));
    let summary = export(open, None, Part::default(), &mut *exporter).expect("a valid history");
    assert_eq!(summary.n_delivered, history.events.len() as u64);
    drop(exporter);
    out
}

proptest! {
    /// The edges of the events so far span exactly what is before what.
    #[test]
    fn edges_span_causal_order(history in histories(40)) {
        let mut edges = Edges::of_mode(RecordingMode::Full);
        let mut past: Vec<u64> = Vec::new();
        for (at, event) in history.events.iter().enumerate() {
            let (number, found) = edges.event(event).expect("a valid history");
            prop_assert_eq!(number, at as u64 + 1);
            let mut bits = 0;
            for edge in found {
                let from = usize::try_from(edge.from_number - 1).expect("at most 64");
                prop_assert_eq!(history.events[from].id, edge.from);
                bits |= 1 << from | past[from];
            }
            prop_assert_eq!(bits, history.past[at]);
            prop_assert_eq!(found.iter().filter(|edge| edge.kind == EdgeKind::Flow).count(), event.flow.len());
            past.push(bits);
        }
    }

    /// Where hosts are actions, an event's entry in a later clock tells whether it is before.
    #[test]
    fn clocks_of_a_log_tell_causal_order((history, order) in shuffled(30)) {
        let log = String::from_utf8(exported(&history, &order, Form::Shiviz(Host::Action))).expect("text");
        let lines: Vec<&str> = log.lines().collect();
        prop_assert_eq!(lines.len(), 2 * history.events.len());
        let names = testing::names();
        let path_of = |event: &EventRecord| names.event(event.id).to_string();
        let mut events = Vec::new();
        for pair in lines.chunks(2) {
            let path = pair[0].split(' ').next().expect("a path");
            let at = history.events.iter().position(|event| path_of(event) == path).expect("an event");
            let (host, clock) = pair[1].split_once(' ').expect("a host and a clock");
            let clock: serde_json::Value = serde_json::from_str(clock).expect("JSON");
            events.push((at, host.to_owned(), clock));
        }
        for (one, host, clock) in &events {
            for (other, _, later) in events.iter().filter(|(other, ..)| other != one) {
                let is_before = later[host].as_u64().unwrap_or(0) >= clock[host].as_u64().expect("its own entry");
                prop_assert_eq!(is_before, history.is_before(*one, *other));
            }
        }
    }

    /// A form does not depend on how events were put into batches, but for their order where they are concurrent.
    #[test]
    fn the_folded_graphs_are_those_of_the_history((history, order) in shuffled(30)) {
        let straight: Vec<usize> = (0..order.len()).collect();
        for form in [Form::Dot(Level::Elaborated), Form::Graphml(Level::Elaborated), Form::Graphml(Level::Program)] {
            prop_assert_eq!(exported(&history, &order, form), exported(&history, &straight, form));
        }
    }
}

#[test]
fn a_value_that_was_not_sent_is_an_error() {
    let id = |action, count| EventId { action: ActionId(action), count };
    let mut sender = EventRecord::new(id(0, 1));
    sender.flow_successors = 1;
    let mut taker = EventRecord::new(id(1, 1));
    taker.flow = vec![sender.id, sender.id];
    let mut edges = Edges::of_mode(RecordingMode::Full);
    edges.event(&sender).expect("it takes nothing");
    assert!(edges.event(&taker).is_err());
    taker.flow.pop();
    let mut edges = Edges::of_mode(RecordingMode::Full);
    edges.event(&sender).expect("it takes nothing");
    let flow = Edge { kind: EdgeKind::Flow, from: sender.id, from_number: 1, object: None };
    assert_eq!(edges.event(&taker).map(|(number, found)| (number, found.to_vec())), Ok((2, vec![flow])));
}

#[test]
fn a_stream_that_fails_is_an_error_in_every_form() {
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut batch = EventBatch::default();
    batch.actions.push(testing::action_record(ActionId(0)));
    batch.push(&mut EventRecord::new(EventId { action: ActionId(0), count: 1 }));
    let (header, batches) = (header(), [batch]);
    let open = || Ok(Saved::new(&header, &batches, None));
    assert!(for_each_in_order(Saved::new(&header, &batches, None), |_, _| {}).is_ok());
    for form in [
        Form::Jsonl,
        Form::Dot(Level::Events),
        Form::Dot(Level::Program),
        Form::Graphml(Level::Events),
        Form::Graphml(Level::Elaborated),
        Form::Shiviz(Host::Graph),
        Form::Perfetto,
    ] {
        let mut exporter: Box<dyn Exporter> = exporter(form, &header, Rules::unknown(), Full);
        let ended = export(open, None, Part::default(), &mut *exporter);
        assert!(matches!(ended, Err(super::ExportError::Write(_))), "{form:?}: {ended:?}");
    }
}
