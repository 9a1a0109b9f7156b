use std::sync::Arc;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::*;
use crate::id::{CallId, GraphInstanceId, ObjectId, SharedId, TemplateId};

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Unit),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        any::<u64>().prop_map(|bits| Value::Real(f64::from_bits(bits & !(0x7ff << 52)))),
        "[a-z]{0,6}".prop_map(|text| Value::String(text.as_str().into())),
        vec(-1.0..1.0, 0..4).prop_map(|entries| Value::Vector(Arc::new(entries))),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| vec(inner, 0..4).prop_map(|items| Value::Array(Arc::new(items))))
}

fn event() -> impl Strategy<Value = EventId> {
    (any::<u32>(), any::<u64>()).prop_map(|(action, count)| EventId { action: ActionId(action), count })
}

fn index() -> impl Strategy<Value = Index> {
    vec(any::<i64>(), 0..3).prop_map(|numbers| numbers.into_iter().collect())
}

fn action() -> impl Strategy<Value = ActionState> {
    let record =
        (any::<u32>(), 0..4_u32, any::<u32>(), index()).prop_map(|(action, template, graph, index)| {
            let (template, graph) = (TemplateId(template), GraphInstanceId(graph));
            ActionRecord { action: ActionId(action), template, graph, index }
        });
    let sent = (value(), option::of(event()), vec(event(), 0..2))
        .prop_map(|(value, sender, known)| SentValue { value, sender, known });
    let queue = ("[a-z]{1,3}", index(), vec(sent, 0..3)).prop_map(|(port, elements, values)| QueueState {
        port,
        elements,
        values,
    });
    let rest = (option::of(vec(("[a-z]{1,3}", value()), 0..3)), vec(queue, 0..3), vec(event(), 0..3));
    (record, any::<u64>(), any::<u32>(), any::<[bool; 2]>(), rest).prop_map(
        |(record, count, first_rule, [has_failed, must_start], (vars, queues, known))| ActionState {
            record,
            count,
            first_rule,
            has_failed,
            must_start,
            vars,
            queues,
            known,
        },
    )
}

fn object() -> impl Strategy<Value = ObjectState> {
    let record =
        (any::<u32>(), 0..4_u32, any::<u32>(), index()).prop_map(|(object, shared, graph, index)| {
            let (shared, graph) = (SharedId(shared), GraphInstanceId(graph));
            ObjectRecord { object: ObjectId(object), shared, graph, index }
        });
    let known = (vec(event(), 0..3), vec(event(), 0..3));
    (record, value(), option::of(event()), any::<u64>(), known).prop_map(
        |(record, value, writer, n_readers, (known_by_writer, known_by_readers))| ObjectState {
            record,
            value,
            writer,
            n_readers,
            known_by_writer,
            known_by_readers,
        },
    )
}

fn error() -> impl Strategy<Value = ErrorState> {
    let values = vec(("[a-z]{0,4}", "[a-z]{0,4}", option::of(value())), 0..3);
    ("R[0-9]{4}", "/[a-z]{0,5}", ".{0,9}", any::<[u32; 4]>(), values).prop_map(
        |(code, event, message, [start, end, line, column], values)| ErrorState {
            code,
            event,
            message,
            at: Location { start, end, line, column },
            values,
        },
    )
}

fn snapshot() -> impl Strategy<Value = Snapshot> {
    let graph = (1..9_u32, 0..9_u32, index()).prop_map(|(graph, call, index)| GraphRecord {
        graph: GraphInstanceId(graph),
        parent: GraphInstanceId(graph - 1),
        call: CallId(call),
        index,
    });
    let result = ("[a-z]{0,4}", event(), "/[a-z]{0,4}", value())
        .prop_map(|(name, event, path, value)| ResultState { name, event, path, value });
    let output = (any::<u64>(), any::<u64>(), vec((any::<u64>(), any::<u64>(), vec(".{0,5}", 0..3)), 0..3))
        .prop_map(|(next_line, n_turns, early)| OutputState { next_line, n_turns, early });
    let lists =
        (vec(graph, 0..3), vec(action(), 0..4), vec(event(), 0..3), vec(object(), 0..3), vec(result, 0..3));
    let labels = [(); 3].map(|()| vec("[A-Z][a-z]{0,4}", 0..3));
    let params = vec(("[a-z]{1,4}", value()), 0..3);
    (params, any::<[u64; 4]>(), any::<bool>(), labels, lists, (any::<[u32; 3]>(), vec(error(), 0..2), output))
        .prop_map(
            |(
                params,
                [random_seed, n_events, n_actions, n_reclaimed],
                has_ended,
                [templates, shared, calls],
                (graphs, actions, reclaimed, objects, results),
                (first_free, errors, output),
            )| Snapshot {
                params,
                random_seed,
                n_events,
                n_actions,
                n_reclaimed,
                has_ended,
                templates,
                shared,
                calls,
                graphs,
                actions,
                reclaimed,
                objects,
                first_free,
                results,
                errors,
                output,
            },
        )
}

fn bytes_of(snapshot: &Snapshot) -> Vec<u8> {
    let mut bytes = Vec::new();
    snapshot.write(&mut bytes).unwrap();
    bytes
}

proptest! {
    #[test]
    fn a_snapshot_survives(snapshot in snapshot()) {
        let bytes = bytes_of(&snapshot);
        prop_assert_eq!(Snapshot::read(&mut bytes.as_slice()).unwrap(), snapshot);
    }

    /// Whatever becomes of the bytes: it is a snapshot or an error.
    #[test]
    fn damage_is_found(snapshot in snapshot(), at in any::<prop::sample::Index>(), bit in 0..8_u8, len in any::<prop::sample::Index>()) {
        let mut bytes = bytes_of(&snapshot);
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        if let Ok(read) = Snapshot::read(&mut bytes.as_slice()) {
            prop_assert_eq!(read, snapshot.clone());
        }
        let whole = bytes_of(&snapshot);
        let cut = &whole[..len.index(whole.len())];
        prop_assert!(Snapshot::read(&mut &*cut).is_err());
    }
}

#[test]
fn other_bytes_are_named() {
    let read = |mut bytes: &[u8]| Snapshot::read(&mut bytes).unwrap_err().to_string();
    assert_eq!(read(b""), "this is no snapshot of a run");
    assert_eq!(read(b"something else altogether"), "this is no snapshot of a run");
    assert_eq!(
        read(b"hasse snapshot 9\nabc"),
        "the snapshot has a format that this version of Hasse does not know"
    );
    assert_eq!(read(b"hasse snapshot 1\nabc"), "the snapshot is damaged: it ends too early");
}

#[test]
fn a_value_that_nests_too_deeply_is_named() {
    let mut value = Value::Unit;
    for _ in 0..=crate::value::MAX_DEPTH {
        value = Value::Array(Arc::new(vec![value]));
    }
    let snapshot = Snapshot { params: vec![("depth".to_owned(), value)], ..Snapshot::default() };
    let error = snapshot.write(&mut Vec::new()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "parameter `depth` cannot be written: arrays, maps and structs nest too deep"
    );
}

#[test]
fn a_cut_has_the_last_event_of_each_action() {
    let event = |action, count| EventId { action: ActionId(action), count };
    let cut = Cut::after([event(3, 1), event(1, 2), event(3, 4), event(1, 1)]);
    assert_eq!(cut.last_events(), [event(1, 2), event(3, 4)]);
    assert_eq!([0, 1, 2, 3].map(|action| cut.count(ActionId(action))), [0, 2, 0, 4]);
    assert_eq!(cut.n_events(), 6);
}
