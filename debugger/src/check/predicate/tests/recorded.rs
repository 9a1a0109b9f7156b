use hasse_model::event::{EventRecord, LocalState, Timing};
use hasse_model::id::{ActionId, EventId};
use hasse_model::value::Value;

use crate::check::Checker;
use crate::check::command::parse;
use crate::testing::{names, plan};

/// Events with times and values: T0 sends to T1, which sends to T2.
fn valued() -> Vec<EventRecord> {
    let id = |action, count| EventId { action: ActionId(action), count };
    let local = |x: i64, list: &[i64]| {
        let list = Value::Array(std::sync::Arc::new(list.iter().map(|&item| Value::Int(item)).collect()));
        Some(Box::new(LocalState {
            took: vec![
                ("b".into(), Value::Int(x)),
                ("b".into(), Value::Int(x + 1)),
                ("c".into(), Value::Int(x)),
            ],
            before: vec![("x".into(), Value::Int(x))],
            after: vec![("x".into(), Value::Int(x + 1)), ("list".into(), list)],
            sent: vec![("go".into(), Value::Real(0.5))],
            ..LocalState::default()
        }))
    };
    let mut events = [id(0, 1), id(0, 2), id(1, 1), id(3, 1)].map(EventRecord::new).to_vec();
    events[0].flow_successors = 1;
    events[2].flow = vec![events[0].id];
    for (event, x) in events.iter_mut().zip(1..) {
        event.rule = 0;
        event.local = local(x, &vec![x; x as usize]);
        event.timing = Some(Timing::new(x as u32 % 2, 10 * x as u64, 15 * x as u64));
    }
    events
}

fn holds(events: &[EventRecord], text: &str) -> Result<bool, String> {
    let mut plan = plan();
    let port = |name: &str| hasse_model::plan::Port {
        name: name.into(),
        n_indices: 0,
        ty: hasse_model::value::Type::Int,
        may_be_left: false,
        bound: None,
        full: hasse_model::plan::FullPolicy::Wait,
        at: hasse_model::diagnostic::Location::default(),
    };
    let slot = |name: &str| hasse_model::plan::Slot {
        name: name.into(),
        kind: hasse_model::plan::SlotKind::Var,
        ty: hasse_model::value::Type::Int,
    };
    for template in &mut plan.templates {
        template.inputs = vec![port("b"), port("c")];
        template.outputs = vec![port("go")];
        template.slots = vec![slot("x"), slot("list")];
    }
    let command = parse(text).map_err(|error| error.to_string())?;
    let mut checker = Checker::new(&[command], &plan, &[]).map_err(|error| error.to_string())?;
    events.iter().for_each(|event| checker.event(event, &names()).expect("a valid history"));
    let verdict = checker.finish(&names()).remove(0);
    verdict.error.map_or(Ok(verdict.holds), Err)
}

#[test]
fn conditions_see_attributes() {
    let events = valued();
    for text in [
        "forall a: T0, b: T1 where a -> b : a.index == 0 && b.index[0] == b.index",
        "exists a: T0[1] where a.index == 1 and a.action == \"/T0[1]\" && a.template == \"T0\" && a.graph == \"/\"",
        "exists a: T0:2 where a.count == 2 && a.rule == 0 && a.outcome == \"done\"",
        "exists a: T0, b: T1 where a < b && a.end < b.start && a.worker == b.worker",
        "exists a: T0 where a.took.b == [1, 2] && a.took.c == 1 && a.sent.go == 0.5",
        "forall a: T0 : a.after.x == a.before.x + 1 && a.after.list.len == a.before.x",
        "forall a: T0 : a.after.keys() == [\"list\", \"x\"]",
        "forall a: T0 : a.after.list.all(|item| item < 5 || item == 7)",
        "never a: T0 where not (a.count >= 1)",
        "forall a: T0 : (a.count + 1) * 2 > 3 => a.count - -1 > 0",
        "exists a: T0, b: T0 where a != b && a.action == b.action",
    ] {
        assert_eq!(holds(&events, text), Ok(true), "{text}");
    }
    for text in [
        "forall a: T0 : a.after.list.len > 1",
        "exists a: T0 where a.start > 100",
        "never a: T0, b: T1 where a || b",
        "forall b: T1 : exists a: T0[1] where a < b",
    ] {
        assert_eq!(holds(&events, text), Ok(false), "{text}");
    }
}

#[test]
fn what_cannot_be_evaluated_is_said() {
    let mut events = valued();
    events[1].local = None;
    events[1].timing = None;
    let report: String = [
        "forall a: T0 : a.after.x > 0",
        "forall a: T0 : a.start > 0",
        "forall a: T0 : a.count",
        "forall a: T0 : a.count.len() > 1",
        "exists a: T0 where 1 / (a.count - 1) == 7",
    ]
    .iter()
    .map(|text| format!("{text}\n    {}\n", holds(&events, text).expect_err("not evaluated")))
    .collect();
    insta::assert_snapshot!(report);
}

#[test]
fn errors_carry_column_and_hint() {
    let report: String = [
        "forall",
        "forall m",
        "forall m Mult",
        "forall 3: T0",
        "forall m: ",
        "forall m: T0",
        "forall m: T0 where m < m",
        "forall where: T0 : true",
        "forall m: T0, m: T1 : true",
        "forall m: T0 : exists m: T1 : true",
        "forall m: T0 : ",
        "forall m: T0 : m",
        "forall m: T0 : m.conut == 1",
        "forall m: T0 : m.xyzzy == 1",
        "forall m: T0 : n.count == 1",
        "forall mult: T0 : mul.count == 1",
        "forall m: T0, s: T1 where m -> t : true",
        "forall m: T0, s: T1 where m <= s : true",
        "forall m: T0 : m.count == 1 || m.count == 2",
        "forall m: T0 : m.count -> 2",
        "forall m: T0 : m.count = 2",
        "forall m: T0 : (m.count == 2",
        "forall m: T0 : m.count == 2)",
        "forall m: T0 : m.index[x] == 2",
        "forall m: T0 : m.count == == 2",
        "forall m: T0 : eval(\"1\")",
        "forall m: T0 : m.count == 1, m.count == 2",
        "forall m: T0 where exists s: T1 where s < m : m.count == 1",
        "forall m: T9 : true",
        "forall m: T0 : m.index[1] == 0",
        "forall m: T0 : m.took.x == 0",
        "forall m: T0 : m.before.lust == 0",
        "check every m: T0 : true",
    ]
    .iter()
    .map(|text| format!("{text}\n    {}\n", holds(&[], text).expect_err("not a predicate")))
    .collect();
    insta::assert_snapshot!(report);
}

#[test]
fn deep_nesting_is_refused() {
    for text in [
        format!("forall m: T0 : {}true{}", "(".repeat(10_000), ")".repeat(10_000)),
        format!("forall m: T0 : {} true", "not ".repeat(10_000)),
        format!("forall m: T0 : {}1{} == 1", "[".repeat(10_000), "]".repeat(10_000)),
        format!("forall m: T0 : {}", "true => ".repeat(10_000)),
    ] {
        assert!(parse(&text).is_err());
    }
}

#[test]
fn events_that_can_have_no_successors_are_let_go_of() {
    let (plan, names) = (plan(), names());
    let command = parse("forall m: T0, s: T1 where m -> s : m.count == s.count").expect("a predicate");
    let mut checker = Checker::new(&[command], &plan, &[]).expect("nodes of the plan");
    let id = |action, count| EventId { action: ActionId(action), count };
    for count in 1..=10_000 {
        let mut sender = EventRecord::new(id(0, count));
        sender.flow_successors = 1;
        let mut taker = EventRecord::new(id(1, count));
        taker.flow.push(sender.id);
        checker.event(&sender, &names).expect("an event");
        checker.event(&taker, &names).expect("an event");
    }
    let shown = format!("{checker:?}");
    let n_kept = shown.matches("Seen {").count();
    // Those of the takers are kept, too, unless nothing ever asks for them.
    assert!(n_kept < 1_000, "{n_kept} events are kept");
    let verdict = checker.finish(&names).remove(0);
    assert_eq!((verdict.holds, verdict.n_combinations), (true, Some(10_000)));
}
