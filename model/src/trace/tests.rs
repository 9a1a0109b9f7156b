//! Laws of the container: what is written is read, and whatever else is read is a prefix of it.

use std::sync::Arc;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::*;
use crate::choices::{Choices, TakeChoice};
use crate::digest::{Digester, HistoryDigest};
use crate::event::{
    ActionRecord, DroppedValue, Effect, EffectKind, EventBatch, EventRecord, GraphRecord, ObjectRecord,
    Outcome, QueueChange, QueueEdit, RelayedAccess, SentValue, SharedAccess, Timing,
};
use crate::id::{ActionId, CallId, EventId, GraphInstanceId, Index, ObjectId, SharedId, TemplateId};
use crate::plan::Access;
use crate::value::{Matrix, StructShape, StructValue, Value};

/// Content that no writer has made.
mod damaged;
/// Events that are alike.
mod folded;
/// Events whose edges are told.
mod told;

fn event_id() -> impl Strategy<Value = EventId> {
    let action = prop_oneof![4 => 0..5_u32, 1 => any::<u32>()];
    let count = prop_oneof![4 => 0..9_u64, 1 => any::<u64>()];
    (action, count).prop_map(|(action, count)| EventId { action: ActionId(action), count })
}

fn access() -> impl Strategy<Value = SharedAccess> {
    (0..4_u32, any::<bool>(), option::of(event_id()), 0..4_u64).prop_map(
        |(object, writes, writer, readers)| SharedAccess {
            object: ObjectId(object),
            access: if writes { Access::Write } else { Access::Read },
            writer,
            readers,
        },
    )
}

fn value() -> impl Strategy<Value = Value> {
    let finite = -1e9..1e9_f64;
    let leaf = prop_oneof![
        Just(Value::Unit),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        finite.clone().prop_map(Value::Real),
        any::<char>().prop_map(Value::Char),
        ".*".prop_map(|text| Value::String(Arc::from(text))),
        vec(any::<u8>(), 0..50).prop_map(|bytes| Value::Bytes(Arc::new(bytes))),
        vec(finite.clone(), 0..9).prop_map(|entries| Value::Vector(Arc::new(entries))),
        vec(finite, 6).prop_map(|entries| {
            Value::Matrix(Arc::new(Matrix::from_columns(2, 3, entries).expect("six entries")))
        }),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(|items| Value::Array(Arc::new(items))),
            ("[A-Z][a-z]{0,2}", vec(("[a-z]{1,3}", inner), 0..4)).prop_map(|(name, fields)| {
                let (names, fields): (Vec<_>, Vec<_>) = fields.into_iter().unzip();
                let names = names.into_iter().map(Arc::from).collect();
                let shape = Arc::new(StructShape { name: Arc::from(name), fields: names });
                let held = StructValue::new(shape, fields).expect("as many values as names");
                Value::Struct(Arc::new(held))
            }),
        ]
    })
}

fn effect() -> impl Strategy<Value = Effect> {
    let kind = prop_oneof![
        Just(EffectKind::Time),
        Just(EffectKind::Random),
        Just(EffectKind::ReadFile),
        Just(EffectKind::FileSize),
        Just(EffectKind::FileExists),
        Just(EffectKind::Environment),
        Just(EffectKind::StandardInput),
        Just(EffectKind::ListFolder),
        Just(EffectKind::WriteFile),
        Just(EffectKind::Native),
        Just(EffectKind::Assigned),
        Just(EffectKind::Printed),
        Just(EffectKind::Added),
        Just(EffectKind::Stream),
        Just(EffectKind::Command),
        Just(EffectKind::Http),
        Just(EffectKind::Sql),
    ];
    let answer = prop_oneof![value().prop_map(Ok), ".*".prop_map(Err)];
    (kind, answer).prop_map(|(kind, answer)| Effect { kind, answer })
}

fn choices() -> impl Strategy<Value = Choices> {
    let take = (0..4_u32, any::<u32>())
        .prop_map(|(position, sender)| TakeChoice { position, sender: ActionId(sender) });
    (any::<bool>(), vec(take, 0..3), vec(0..4_u32, 0..3), any::<bool>())
        .prop_map(|(rule, takes, accesses, line)| Choices { rule, takes, accesses, line })
}

fn event() -> impl Strategy<Value = EventRecord> {
    let relayed = (0..3_u32, any::<bool>(), event_id()).prop_map(|(object, writes, event)| RelayedAccess {
        object: ObjectId(object),
        access: if writes { Access::Write } else { Access::Read },
        event,
    });
    let relayed = prop_oneof![3 => Just(Vec::new()), 1 => vec(relayed, 0..4)];
    let suspended = prop_oneof![Just(0), any::<u64>()];
    let timing = (0..4_u32, any::<u64>(), any::<u64>(), suspended)
        .prop_map(|(worker, start, end, suspended)| Timing { worker, start, end, suspended });
    let timing = option::of(timing);
    let lists = (vec(0..6_u32, 0..3), vec(event_id(), 0..4), vec(access(), 0..3), relayed, timing);
    let outcome =
        prop_oneof![8 => Just(Outcome::Done), 1 => Just(Outcome::Failed), 1 => Just(Outcome::Stopped)];
    let extras = prop_oneof![
        3 => Just((Vec::new(), None, None, None)),
        1 => (vec(effect(), 0..3), option::of(any::<u64>()), option::of(".*"), option::of(choices())),
    ];
    (event_id(), -1..4_i32, lists, 0..5_u64, outcome, extras).prop_map(
        |(
            id,
            rule,
            (routes, flow, shared, relayed, timing),
            flow_successors,
            outcome,
            (effects, first_line, error, choices),
        )| {
            EventRecord {
                id,
                rule,
                routes,
                flow,
                shared,
                relayed,
                flow_successors,
                outcome,
                effects,
                first_line,
                error,
                timing,
                local: None,
                choices: choices.map(Box::new),
            }
        },
    )
}

fn edit() -> impl Strategy<Value = QueueEdit> {
    let sent =
        || (option::of(event_id()), any::<u32>()).prop_map(|(sender, n_later)| SentValue { sender, n_later });
    let dropped = (event_id(), any::<u32>(), event_id()).prop_map(|(sender, n_later, by)| DroppedValue {
        sender,
        n_later,
        by,
    });
    let change = prop_oneof![
        sent().prop_map(QueueChange::Dropped),
        (sent(), value()).prop_map(|(sent, value)| QueueChange::Replaced(sent, value)),
        value().prop_map(QueueChange::Added),
        value().prop_map(QueueChange::Left),
        vec(dropped, 0..4).prop_map(QueueChange::NoRoom),
    ];
    let index = || vec(any::<i64>(), 0..3);
    (any::<u32>(), any::<u32>(), index(), ".*", index(), change).prop_map(
        |(template, graph, index, port, elements, change)| QueueEdit {
            template: TemplateId(template),
            graph: GraphInstanceId(graph),
            index: index.into_iter().collect(),
            port,
            elements: elements.into_iter().collect(),
            change,
        },
    )
}

prop_compose! {
    fn batch()(
        graphs in vec((1..9_u32, 0..1_u32, 0..3_u32, vec(any::<i64>(), 0..3)), 0..3),
        actions in vec((any::<u32>(), 0..3_u32, vec(any::<i64>(), 0..3)), 0..4),
        objects in vec((any::<u32>(), 0..3_u32, vec(-3..3_i64, 0..2)), 0..3),
        events in vec(event(), 0..20),
        cut in option::of(vec(event_id(), 0..4)),
        edits in prop_oneof![3 => Just(Vec::new()), 1 => vec(edit(), 0..4)],
    ) -> EventBatch {
        let mut batch = EventBatch::default();
        batch.edits = edits;
        batch.cut = cut;
        batch.graphs.extend(graphs.into_iter().map(|(graph, parent, call, index)| GraphRecord {
            graph: GraphInstanceId(graph),
            parent: GraphInstanceId(parent),
            call: CallId(call),
            index: index.into_iter().collect(),
        }));
        batch.actions.extend(actions.into_iter().map(|(action, template, index)| ActionRecord {
            action: ActionId(action),
            template: TemplateId(template),
            graph: GraphInstanceId(template),
            index: index.into_iter().collect(),
        }));
        batch.objects.extend(objects.into_iter().map(|(object, shared, index)| ObjectRecord {
            object: ObjectId(object),
            shared: SharedId(shared),
            graph: GraphInstanceId(shared),
            index: index.into_iter().collect(),
        }));
        events.into_iter().for_each(|mut event| batch.push(&mut event));
        batch
    }
}

fn header() -> TraceHeader {
    TraceHeader {
        program_path: "chain.hasse".into(),
        program_text: "[graph chain]\n".into(),
        mode: RecordingMode::Full,
        n_workers: 2,
        seed: Some(7),
        params: vec![("n".into(), Value::Int(-3)), ("name".into(), Value::String(Arc::from("x")))],
        templates: vec!["Mult".into(), "Solve".into()],
        shared: vec!["total".into()],
        calls: vec!["dobts".into()],
        hasse_version: "0.1.0".into(),
        n_before: 0,
        base: None,
        kept: None,
    }
}

fn written(batches: &[EventBatch]) -> (Vec<u8>, TraceFooter) {
    let mut writer = TraceWriter::new(Vec::new(), &header()).expect("in memory");
    batches.iter().for_each(|batch| writer.write_batch(batch).expect("in memory"));
    let idle = ActionRecord {
        action: ActionId(9),
        template: TemplateId(1),
        graph: GraphInstanceId(4),
        index: Index::none(),
    };
    let footer = TraceFooter {
        outcome: "finished".into(),
        n_events: batches.iter().map(|batch| batch.n_events() as u64).sum(),
        n_executed: 12,
        n_actions: 10,
        idle_graphs: vec![GraphRecord {
            graph: GraphInstanceId(4),
            parent: GraphInstanceId(1),
            call: CallId(0),
            index: Index::from_iter([-2]),
        }],
        idle_actions: vec![idle],
        digest: Some(HistoryDigest::from_bits(u64::MAX - 1)),
    };
    (writer.finish(&footer).expect("in memory"), footer)
}

/// A trace of one action, with so many events in each batch.
pub(super) fn counted(n_events: &[u64]) -> Vec<u8> {
    let mut writer = TraceWriter::new(Vec::new(), &header()).expect("in memory");
    let mut count = 0;
    for &n_events in n_events {
        let mut batch = EventBatch::default();
        for _ in 0..n_events {
            count += 1;
            batch.push_done(EventId { action: ActionId(0), count }, 0, &[0], &[], &[], 1);
        }
        writer.write_batch(&batch).expect("in memory");
    }
    let footer = TraceFooter { outcome: "finished".into(), n_events: count, ..TraceFooter::default() };
    writer.finish(&footer).expect("in memory")
}

/// All that can be read, and the reader behind it.
pub(super) fn read(bytes: &[u8]) -> Result<(Vec<EventBatch>, TraceReader<&[u8]>), TraceError> {
    let mut reader = TraceReader::open(bytes)?;
    let mut batches = Vec::new();
    while let Some(batch) = reader.next_batch()? {
        batches.push(batch);
    }
    Ok((batches, reader))
}

/// What is read of a batch: a cut is a set.
fn as_read(batch: EventBatch) -> EventBatch {
    if batch.cut.is_some() && batch.n_events() == 0 { batch.in_order() } else { batch }
}

proptest! {
    #[test]
    fn what_is_written_is_read(batches in vec(batch(), 0..4)) {
        let (bytes, footer) = written(&batches);
        let batches: Vec<EventBatch> = batches.into_iter().map(as_read).collect();
        let (found, reader) = read(&bytes).expect("a trace");
        prop_assert_eq!(reader.header(), &header());
        prop_assert_eq!(found, batches);
        prop_assert_eq!(reader.footer(), Some(&footer));
        prop_assert_eq!(reader.truncated(), None);
    }

    #[test]
    fn flipped_bits_leave_a_prefix(batches in vec(batch(), 1..4), at in any::<prop::sample::Index>(), bit in 0..8_u32) {
        let (mut bytes, _) = written(&batches);
        let batches: Vec<EventBatch> = batches.into_iter().map(as_read).collect();
        let at = at.index(bytes.len());
        bytes[at] ^= 1_u8 << bit;
        if let Ok((found, reader)) = read(&bytes) {
            // The version is in front of all that has a checksum; an older one is read in the same way.
            if (8..12).contains(&at) {
                prop_assert_eq!(found, batches);
            } else {
                prop_assert!(batches.starts_with(&found));
                prop_assert!(reader.truncated().is_some(), "flip at {} went unnoticed", at);
            }
        }
    }
}

#[test]
fn every_truncation_yields_a_prefix() {
    let batches: Vec<EventBatch> = (0..4).map(|at| chain_batch(8, 3, at * 24)).collect();
    let (bytes, _) = written(&batches);
    let mut n_opened = 0;
    for n_bytes in 0..bytes.len() {
        let Ok((found, reader)) = read(&bytes[..n_bytes]) else { continue };
        n_opened += 1;
        assert!(batches.starts_with(&found));
        assert_eq!(reader.footer(), None);
        let truncation = reader.truncated().expect("no footer");
        let (again, again_reader) = read(&bytes[..truncation.n_readable_bytes as usize]).expect("a trace");
        assert_eq!(again, found, "the readable part holds the same");
        assert_eq!(again_reader.truncated().map(|end| end.reason), Some(TruncationReason::NoFooter));
    }
    assert!(n_opened > 100, "most cuts are behind the header");
}

#[test]
fn damage_is_told_from_a_cut() {
    let batches = [chain_batch(8, 3, 0), chain_batch(8, 3, 24)];
    let (bytes, _) = written(&batches);
    let mut reader = TraceReader::open(&bytes[..]).expect("a trace");
    let header_end = reader.n_read as usize;
    reader.next_batch().expect("readable");
    let first_end = reader.n_read as usize;
    let reason = |bytes: &[u8]| read(bytes).expect("a trace").1.truncated().map(|end| end.reason);

    let mut inside = bytes.clone();
    inside[header_end + 20] ^= 1;
    assert_eq!(reason(&inside), Some(TruncationReason::DamagedInside));
    let mut last = bytes.clone();
    *last.last_mut().expect("not empty") ^= 1;
    assert_eq!(reason(&last), Some(TruncationReason::DamagedLastFrame));
    assert_eq!(reason(&bytes[..first_end + 5]), Some(TruncationReason::IncompleteFrame));
    assert_eq!(reason(&bytes[..first_end]), Some(TruncationReason::NoFooter));
    let spliced = [&bytes[..header_end], &bytes[first_end..]].concat();
    assert_eq!(reason(&spliced), Some(TruncationReason::WrongCount { told: 48, found: 24 }));
}

#[test]
fn what_is_no_trace_is_refused() {
    let (bytes, _) = written(&[]);
    assert!(matches!(read(b""), Err(TraceError::NotATrace)));
    assert!(matches!(read(b"hello, world, hello"), Err(TraceError::NotATrace)));
    assert!(matches!(read(&bytes[..10]), Err(TraceError::HeaderDamaged { .. })));
    assert!(matches!(read(&bytes[..30]), Err(TraceError::HeaderDamaged { .. })));
    let mut newer = bytes.clone();
    let next = FORMAT_VERSION + 1;
    newer[8..12].copy_from_slice(&next.to_le_bytes());
    assert!(matches!(read(&newer), Err(TraceError::NewerVersion { found }) if found == next));
    newer[8..12].copy_from_slice(&OLDEST_VERSION.to_le_bytes());
    assert!(read(&newer).is_ok());
    newer[8..12].copy_from_slice(&1_u32.to_le_bytes());
    assert!(matches!(read(&newer), Err(TraceError::OlderVersion { found: 1 })));
}

#[test]
fn a_program_that_is_not_its_hash_is_refused() {
    let mut content = Vec::new();
    header::put_header(&mut content, &header()).expect("flat");
    let at = content.windows(7).position(|text| text == b"[graph ").expect("the text");
    content[at] = b'(';
    assert!(header::take_header(&content).is_err());
}

#[test]
fn a_digest_of_older_versions_is_not_compared() {
    let footer = TraceFooter { digest: Some(HistoryDigest::from_bits(7)), ..TraceFooter::default() };
    let mut content = Vec::new();
    header::put_footer(&mut content, &footer);
    assert_eq!(header::take_footer(&content).expect("whole").digest, footer.digest);
    let kind = content.len() - 9;
    content[kind] = 1;
    assert_eq!(header::take_footer(&content).expect("whole").digest, None);
}

/// Lists of any length that repeat, with what is not predicted beside them.
#[test]
fn long_runs_are_read_as_they_were_written() {
    for (n_routes, n_flow, n_shared) in [(0, 0, 0), (1, 1, 0), (2, 3, 1), (1, 64, 2), (65, 0, 0), (0, 65, 1)]
    {
        let mut batch = EventBatch::default();
        let mut writer = None;
        for count in 1..=1000 {
            let mut event = EventRecord::new(EventId { action: ActionId(3), count });
            event.routes = vec![7; n_routes];
            event.flow =
                (0..n_flow).map(|from| EventId { action: ActionId(from), count: count + 9 }).collect();
            event.shared = (0..n_shared)
                .map(|object| SharedAccess {
                    object: ObjectId(object),
                    access: Access::Write,
                    writer,
                    readers: 2,
                })
                .collect();
            event.flow_successors = if count % 400 == 0 { u64::MAX } else { 1 };
            event.first_line = (count % 100 == 0).then_some(count);
            writer = Some(event.id);
            batch.push(&mut event);
        }
        let mut content = Vec::new();
        encode::Encoder::default().encode(&batch, &mut content).expect("flat");
        assert_eq!(decode::Decoder::default().decode(&content), Ok(batch));
    }
}

/// What a hostile batch unfolds to is bounded, however little it says.
#[test]
fn repeats_cannot_unfold_without_bound() {
    let mut batch = EventBatch::default();
    for count in 1..=200_000 {
        let flow = [EventId { action: ActionId(1), count }; 64];
        batch.push_done(EventId { action: ActionId(0), count }, 0, &[], &flow, &[], 0);
    }
    let mut content = Vec::new();
    encode::Encoder::default().encode(&batch, &mut content).expect("flat");
    assert!(content.len() > 1_000_000, "what is more than may be predicted is written out");
    assert!(decode::Decoder::default().decode(&content) == Ok(batch));
}

#[test]
fn names_are_read_without_events() {
    let mut batch = chain_batch(8, 3, 0);
    let action = |id, index: &[i64]| ActionRecord {
        action: ActionId(id),
        template: TemplateId(1),
        graph: GraphInstanceId::MAIN,
        index: index.iter().copied().collect(),
    };
    batch.actions =
        vec![action(7, &[1, 1]), action(8, &[1, 2]), action(9, &[1, 3]), action(4, &[i64::MIN; 12])];
    batch.actions.extend([action(5, &[i64::MAX; 12]), action(u32::MAX, &[]), action(0, &[3])]);
    let (bytes, _) = written(std::slice::from_ref(&batch));
    let mut reader = TraceReader::open(&bytes[..]).expect("a trace");
    let raw = reader.next_raw().expect("in memory").expect("a batch");
    let announced = raw.announced().expect("as it was written");
    assert_eq!(
        (announced.actions, announced.graphs, announced.objects),
        (batch.actions.clone(), Vec::new(), Vec::new())
    );
    assert_eq!(BatchDecoder::default().decode(&raw), Some(batch));
}

#[test]
fn predicted_lists_cannot_unfold_without_bound() {
    let mut batch = EventBatch::default();
    let sender = EventId { action: ActionId(1), count: 1 };
    for count in 1..=2 {
        let mut event = EventRecord::new(EventId { action: ActionId(0), count });
        event.flow = vec![sender; 100_000];
        event.flow.iter_mut().for_each(|sender| sender.count += count);
        batch.push(&mut event);
    }
    let mut content = Vec::new();
    encode::Encoder::default().encode(&batch, &mut content).expect("flat");
    assert!(content.len() > 200_000, "long lists are written out");
    assert_eq!(decode::Decoder::default().decode(&content), Ok(batch));
}

#[test]
fn a_large_file_fits_into_one_effect() {
    let file: Vec<u8> = (0..20_000_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let mut event = EventRecord::new(EventId { action: ActionId(0), count: 1 });
    event.effects.push(Effect { kind: EffectKind::ReadFile, answer: Ok(Value::Bytes(Arc::new(file))) });
    let mut batch = EventBatch::default();
    batch.push(&mut event);
    let (bytes, _) = written(std::slice::from_ref(&batch));
    assert!(read(&bytes).expect("a trace").0 == [batch]);
}

#[test]
fn the_digest_knows_paths_not_ids_or_order() {
    let digest = |order: [usize; 3], ids: [u32; 3], successors: u64| {
        let mut names = Names::new(&header());
        for (at, &id) in ids.iter().enumerate() {
            let index = Index::from_iter([at as i64]);
            names.add_action(&ActionRecord {
                action: ActionId(id),
                template: TemplateId(0),
                graph: GraphInstanceId::MAIN,
                index,
            });
        }
        let mut digester = Digester::new();
        for at in order {
            let mut event = EventRecord::new(EventId { action: ActionId(ids[at]), count: 1 });
            event.flow.extend((0..at).map(|sender| EventId { action: ActionId(ids[sender]), count: 1 }));
            event.flow_successors = successors;
            digester.add(&event, &names);
        }
        digester.finish().to_string()
    };
    let expected = digest([0, 1, 2], [0, 1, 2], 1);
    assert_eq!(expected.len(), 64);
    assert_eq!(digest([2, 0, 1], [5, 3, 9], 1), expected);
    assert_ne!(digest([0, 1, 2], [0, 1, 2], 2), expected);
    assert_ne!(digest([0, 1, 1], [0, 1, 2], 1), expected);
}

/// `n_values` values through a chain of `n_nodes`, by wave fronts, the n-th event on.
fn chain_batch(n_nodes: u32, n_values: u64, from: u64) -> EventBatch {
    let mut batch = EventBatch::default();
    let mut event = EventRecord::new(EventId { action: ActionId(0), count: 0 });
    for at in from..from + u64::from(n_nodes) * n_values {
        let (node, count) = ((at % u64::from(n_nodes)) as u32, at / u64::from(n_nodes) + 1);
        push_chain_event(&mut batch, &mut event, node, count);
    }
    batch
}

fn push_chain_event(batch: &mut EventBatch, event: &mut EventRecord, node: u32, count: u64) {
    event.reset(EventId { action: ActionId(node), count });
    event.rule = 0;
    event.routes.push(0);
    event.flow_successors = 1;
    if node > 0 {
        event.flow.push(EventId { action: ActionId(node - 1), count });
    }
    batch.push(event);
}
