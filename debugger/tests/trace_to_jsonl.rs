//! From a trace that workers wrote to what other tools read.

use hasse_debugger::export::{Form, Part, Rules, export, exporter};
use hasse_debugger::info::summarize;
use hasse_debugger::read::for_each_in_order;
use hasse_model::digest::Digester;
use hasse_model::event::{ActionRecord, EventBatch, EventRecord, ObjectRecord, SharedAccess};
use hasse_model::id::{ActionId, EventId, GraphInstanceId, Index, ObjectId, SharedId, TemplateId};
use hasse_model::plan::Access;
use hasse_model::trace::{
    RecordingMode, TraceFooter, TraceHeader, TraceReader, TraceWriter, TruncationReason,
};
use hasse_model::value::Value;

fn id(action: u32, count: u64) -> EventId {
    EventId { action: ActionId(action), count }
}

fn header() -> TraceHeader {
    TraceHeader {
        program_path: "sum.hasse".into(),
        program_text: "main = \"sum\"\n".into(),
        mode: RecordingMode::Full,
        n_workers: 2,
        seed: Some(42),
        params: vec![
            ("n".into(), Value::Int(2)),
            ("eps".into(), Value::Real(1.0)),
            ("name".into(), Value::String("a \"b\"".into())),
        ],
        templates: vec!["Start".into(), "Mult".into(), "Show".into()],
        calls: Vec::new(),
        shared: vec!["total".into()],
        hasse_version: "0.1.0".into(),
        n_before: 0,
        base: None,
        kept: None,
    }
}

/// Start sends to Mult[0] and Mult[1], which add to /total; both send to Show, which reads it. The
/// second worker's batch, with the later events, is written first.
fn batches() -> Vec<EventBatch> {
    let mut later = EventBatch::default();
    let mut earlier = EventBatch::default();
    let action = |action, template, index: &[i64]| ActionRecord {
        action: ActionId(action),
        graph: GraphInstanceId::MAIN,
        template: TemplateId(template),
        index: index.iter().copied().collect(),
    };
    let access = |access, writer, readers| SharedAccess { object: ObjectId(0), access, writer, readers };
    let event = |id, rule, routes: &[u32], flow: &[EventId], shared: &[SharedAccess], n_sent| {
        let mut event = EventRecord::new(id);
        event.rule = rule;
        event.routes = routes.to_vec();
        event.flow = flow.to_vec();
        event.shared = shared.to_vec();
        event.flow_successors = n_sent;
        event
    };
    earlier.actions = vec![action(0, 0, &[]), action(2, 1, &[1])];
    earlier.objects = vec![ObjectRecord {
        object: ObjectId(0),
        shared: SharedId(0),
        graph: GraphInstanceId::MAIN,
        index: Index::none(),
    }];
    later.actions = vec![action(1, 1, &[0]), action(3, 2, &[])];
    let first = access(Access::Write, None, 0);
    earlier.push(&mut event(id(0, 1), -1, &[0], &[], &[], 2));
    earlier.push(&mut event(id(2, 1), 0, &[0], &[id(0, 1)], &[first], 1));
    let second = access(Access::Write, Some(id(2, 1)), 0);
    later.push(&mut event(id(1, 1), 0, &[0, 1], &[id(0, 1)], &[second], 1));
    let read = access(Access::Read, Some(id(1, 1)), 0);
    later.push(&mut event(id(3, 1), 1, &[], &[id(1, 1), id(2, 1)], &[read], 0));
    vec![later, earlier]
}

fn trace(batches: &[EventBatch]) -> Vec<u8> {
    let mut writer = TraceWriter::new(Vec::new(), &header()).expect("in memory");
    batches.iter().for_each(|batch| writer.write_batch(batch).expect("in memory"));
    let idle = ActionRecord {
        action: ActionId(4),
        template: TemplateId(1),
        graph: GraphInstanceId::MAIN,
        index: Index::from_iter([2]),
    };
    let footer = TraceFooter {
        outcome: "finished".into(),
        n_events: 4,
        n_executed: 4,
        n_actions: 5,
        idle_graphs: Vec::new(),
        idle_actions: vec![idle],
        digest: None,
    };
    writer.finish(&footer).expect("in memory")
}

#[test]
fn a_trace_becomes_json_lines_in_causal_order() {
    let bytes = trace(&batches());
    let mut out = Vec::new();
    let mut jsonl = exporter(Form::Jsonl, &header(), Rules::unknown(), &mut out);
    let summary =
        export(|| TraceReader::open(&bytes[..]), None, Part::default(), &mut *jsonl).expect("a trace");
    drop(jsonl);
    assert_eq!((summary.n_delivered, summary.n_dropped, summary.notes()), (4, 0, vec![]));
    insta::assert_snapshot!(String::from_utf8(out).expect("text"));
}

#[test]
fn a_cut_trace_yields_its_causally_closed_part() {
    // Only the batch whose predecessors are missing is left, then only the other one.
    let [later, earlier] = batches().try_into().expect("two batches");
    for (batch, n_delivered, n_dropped) in [(later, 0, 2), (earlier, 2, 0)] {
        let mut writer = TraceWriter::new(Vec::new(), &header()).expect("in memory");
        writer.write_batch(&batch).expect("in memory");
        let bytes = writer.finish(&TraceFooter::default()).expect("in memory");
        let summary = for_each_in_order(TraceReader::open(&bytes[..]).expect("a trace"), |_, _| {});
        let summary = summary.expect("sortable");
        assert_eq!((summary.n_delivered, summary.n_dropped), (n_delivered, n_dropped));
        let reason = summary.truncated.map(|end| end.reason);
        assert_eq!(reason, Some(TruncationReason::WrongCount { told: 0, found: 2 }));
        assert!(!summary.notes().is_empty());
    }
}

#[test]
fn the_digest_does_not_depend_on_the_order_of_batches() {
    let digest = |batches: &[EventBatch]| {
        let bytes = trace(batches);
        let mut digester = Digester::new();
        let reader = TraceReader::open(&bytes[..]).expect("a trace");
        for_each_in_order(reader, |event, names| digester.add(&event, names)).expect("sortable");
        digester.finish().to_string()
    };
    let mut reversed = batches();
    reversed.reverse();
    assert_eq!(digest(&batches()), digest(&reversed));
}

#[test]
fn info_says_what_a_trace_holds() {
    let bytes = trace(&batches());
    let info = summarize(TraceReader::open(&bytes[..]).expect("a trace"), Some(400)).expect("readable");
    let cut = summarize(TraceReader::open(&bytes[..bytes.len() - 1]).expect("a trace"), None);
    let cut = cut.expect("readable");
    assert!(cut.footer.is_none() && cut.n_events == 4);
    insta::assert_snapshot!(info.to_text());
    insta::assert_snapshot!(format!("{:#}", info.to_json()));
}
