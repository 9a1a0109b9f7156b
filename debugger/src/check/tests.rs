//! Verdicts against brute force, and what a person is shown.

use proptest::prelude::*;

use hasse_model::diagnostic::Location;
use hasse_model::event::{ActionRecord, EventRecord, ObjectRecord, RelayedAccess, SharedAccess};
use hasse_model::id::{EventId, GraphId, GraphInstanceId, Index, ObjectId, SharedId, SlotId, TemplateId};
use hasse_model::plan::{
    Access, Arc, Code, Expr, FiringRule, FullPolicy, Pattern, Port, RoutingRule, Send, Source, Take, Target,
};
use hasse_model::value::Type;

use super::command::parse;
use super::*;
use crate::testing::{self, History, histories, names, plan};

/// A spec over the histories' templates: `T1`, `T1[0]`, `T2:3`.
fn specs() -> impl Strategy<Value = String> {
    let index = prop_oneof![2 => Just(None), 3 => (0..2_i64).prop_map(Some)];
    let count = prop_oneof![3 => Just(None), 1 => (1..4_u64).prop_map(Some)];
    (0..3_u8, index, count).prop_map(|(template, index, count)| {
        let index = index.map_or(String::new(), |index| format!("[{index}]"));
        let count = count.map_or(String::new(), |count| format!(":{count}"));
        format!("T{template}{index}{count}")
    })
}

fn verdicts(history: &History, texts: &[String]) -> Vec<Verdict> {
    let commands: Vec<Command> = texts.iter().map(|text| parse(text).expect("a command")).collect();
    let (plan, names) = (plan(), names());
    let mut checker = Checker::new(&commands, &plan, &[]).expect("nodes of the plan");
    history.events.iter().for_each(|event| checker.event(event, &names).expect("a valid history"));
    checker.finish(&names)
}

/// Positions of the events that are a spec.
fn matching(history: &History, spec: &str) -> Vec<usize> {
    let names = names();
    let (action, count) = spec.split_once(':').map_or((spec, None), |(action, count)| (action, Some(count)));
    let is_it = |event: &EventRecord| {
        let path = names.action(event.id.action).to_string();
        let is_action = path[1..] == *action || path[1..].starts_with(&format!("{action}["));
        is_action && count.is_none_or(|count| count == event.id.count.to_string())
    };
    (0..history.events.len()).filter(|&at| is_it(&history.events[at])).collect()
}

/// Whether some of the events, one of each list and not before one another, exist.
fn has_antichain(history: &History, lists: &[Vec<usize>], chosen: &mut Vec<usize>) -> bool {
    let Some((list, rest)) = lists.split_first() else { return true };
    list.iter().any(|&at| {
        if !chosen.iter().all(|&other| history.are_concurrent(at, other)) {
            return false;
        }
        chosen.push(at);
        let found = has_antichain(history, rest, chosen);
        chosen.pop();
        found
    })
}

fn agrees_on_parallel(history: &History, specs: &[String]) {
    let found = &verdicts(history, &[format!("check parall {{{}}}", specs.join(", "))])[0];
    let lists: Vec<Vec<usize>> = specs.iter().map(|spec| matching(history, spec)).collect();
    assert_eq!(found.holds, has_antichain(history, &lists, &mut Vec::new()));
    let names = names();
    let at = |path: &String| {
        let is_it = |event: &EventRecord| names.event(event.id).to_string() == *path;
        history.events.iter().position(is_it).expect("an event of the history")
    };
    let witness: Vec<usize> = found.witness.iter().map(at).collect();
    for (spec_idx, &one) in witness.iter().enumerate() {
        assert!(lists[spec_idx].contains(&one), "the witness is in the order of the command");
        assert!(witness[..spec_idx].iter().all(|&other| history.are_concurrent(one, other)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    #[test]
    fn pred_agrees_with_brute_force(
        history in histories(60),
        subject in specs(),
        alternatives in prop::collection::vec(prop::collection::vec(specs(), 1..3), 1..3),
    ) {
        let text = |before: &Vec<String>| format!("check pred {subject} {{{}}}", before.join(", "));
        let texts: Vec<String> = alternatives.iter().map(text).collect();
        let found = &verdicts(&history, &texts)[0];
        let has_before = |at: usize, spec: &String| {
            matching(&history, spec).into_iter().any(|other| history.is_before(other, at))
        };
        let is_met = |at: usize| {
            alternatives.iter().any(|before| before.iter().all(|spec| has_before(at, spec)))
        };
        let subjects = matching(&history, &subject);
        let offending = subjects.iter().filter(|&&at| !is_met(at)).count();
        prop_assert_eq!(found.n_events as usize, subjects.len());
        prop_assert_eq!(found.n_violations as usize, offending);
        prop_assert_eq!(found.holds, offending == 0);
        prop_assert_eq!(found.violations.len(), offending.min(MOST_VIOLATIONS));
    }

    #[test]
    fn parallel_agrees_with_brute_force(history in histories(60), specs in prop::collection::vec(specs(), 2..5)) {
        agrees_on_parallel(&history, &specs);
    }

    #[test]
    fn three_templates_agree_with_brute_force(history in histories(60), of in prop::collection::vec(0..3_u8, 3)) {
        agrees_on_parallel(&history, &of.iter().map(|template| format!("T{template}")).collect::<Vec<_>>());
    }

    #[test]
    fn clocks_are_kept_only_while_values_are_under_way(history in histories(60)) {
        let (plan, names) = (plan(), names());
        let commands = [parse("check pred T0 {T1}").expect("a command")];
        let mut checker = Checker::new(&commands, &plan, &[]).expect("nodes of the plan");
        for (at, event) in history.events.iter().enumerate() {
            checker.event(event, &names).expect("a valid history");
            let is_sender = |sender: &&EventRecord| {
                let later = history.events[..=at].iter().flat_map(|taker| &taker.flow);
                sender.flow_successors > later.filter(|&&taken| taken == sender.id).count() as u64
            };
            prop_assert_eq!(checker.clocks.n_senders(), history.events[..=at].iter().filter(is_sender).count());
        }
    }
}

#[test]
fn unknown_names_are_refused() {
    let error = |text| {
        let commands = [parse(text).expect("a command")];
        Checker::new(&commands, &plan(), &[]).map(|_| ()).expect_err("not of the plan").to_string()
    };
    insta::assert_snapshot!(error("check pred T0 {t11}"), @"column 16: the program has no node `t11`; did you mean `T1`? it has `T0`, `T1`, `T2`");
    insta::assert_snapshot!(error("check parall {T0[1][2], T1}"), @"column 15: `T0` has 1 index number, not 2");
}

#[test]
fn a_value_taken_too_often_is_refused() {
    let (plan, names) = (plan(), names());
    let commands = [parse("check pred T0 {T1}").expect("a command")];
    let mut checker = Checker::new(&commands, &plan, &[]).expect("nodes of the plan");
    let id = |action, count| EventId { action: ActionId(action), count };
    checker.event(&EventRecord::new(id(0, 1)), &names).expect("an event");
    let mut taker = EventRecord::new(id(1, 1));
    taker.flow.push(id(0, 1));
    assert_eq!(checker.event(&taker, &names), Err(TakenTooOften { event: id(1, 1), sender: id(0, 1) }));
}

fn at(line: u32) -> Location {
    Location { start: 0, end: 0, line, column: 1 }
}

fn port(name: &str) -> Port {
    Port {
        name: name.into(),
        n_indices: 0,
        ty: Type::Int,
        may_be_left: false,
        bound: None,
        full: FullPolicy::Wait,
        at: at(1),
    }
}

fn take(port: usize) -> Take {
    Take {
        port,
        elements: vec![],
        loops: vec![],
        target: SlotId(0),
        target_elements: vec![],
        is_up_to: false,
    }
}

fn sends(port: usize, text: &str, line: u32) -> RoutingRule {
    let send = Send { port, elements: vec![], loops: vec![], value: Code::Expr(Expr::Int(0)), after: None };
    RoutingRule {
        sends: vec![send],
        guard: None,
        guards_elements: false,
        on_error: false,
        text: text.into(),
        at: at(line),
    }
}

/// `Solve` takes from port `b` what `Mult[i]` or `Start` sent, or both from `b` and `c`.
fn solver() -> Plan {
    let mut plan = plan();
    let mut start = testing::template("Start", 0);
    start.outputs = vec![port("go")];
    start.route = vec![sends(0, "go <- 1", 20)];
    let mut mult = testing::template("Mult", 1);
    mult.outputs = vec![port("done"), port("more")];
    mult.route = vec![sends(0, "done <- acc", 57), sends(1, "more <- 1", 58)];
    let mut solve = testing::template("Solve", 0);
    solve.inputs = vec![port("b"), port("c")];
    let rule =
        |takes, text: &str| FiringRule { takes, after: None, guard: None, text: text.into(), at: at(70) };
    solve.fire = vec![rule(vec![take(0)], "b -> v"), rule(vec![take(1), take(0)], "c -> w, b -> v")];
    plan.templates = vec![start, mult, solve];
    let arc = |source: u32, source_port, target_port, text: &str, line| Arc {
        graph: GraphId(0),
        source: Source::Unit(TemplateId(source)),
        source_port,
        source_index: if source == 1 { vec![Pattern::Local(0)] } else { vec![] },
        source_elements: vec![],
        n_locals: 1,
        target: Target::Unit(TemplateId(2)),
        target_port,
        target_index: vec![],
        target_elements: vec![],
        text: text.into(),
        at: at(line),
    };
    plan.arcs = vec![
        arc(0, 0, 0, "Start.go -> Solve.b", 11),
        arc(1, 0, 0, "Mult[i].done -> Solve.b", 12),
        arc(1, 1, 1, "Mult[i].more -> Solve.c", 13),
    ];
    plan
}

/// A run of the solver: its names and events.
fn solved(plan: &Plan) -> (Names, Vec<EventRecord>) {
    let templates = plan.templates.iter().map(|template| template.name.clone()).collect();
    let mut names = Names::from_parts(templates, vec!["total".into()], Vec::new());
    for (action, (template, index)) in
        [(0, vec![]), (1, vec![2]), (1, vec![3]), (2, vec![])].into_iter().enumerate()
    {
        let (action, template) = (ActionId(action as u32), TemplateId(template));
        names.add_action(&ActionRecord {
            action,
            template,
            graph: GraphInstanceId::MAIN,
            index: index.into_iter().collect(),
        });
    }
    let event = |action, count, flow: &[(u32, u64)], routes: &[u32], rule| {
        let id = |&(action, count): &(u32, u64)| EventId { action: ActionId(action), count };
        let mut event = EventRecord::new(id(&(action, count)));
        event.flow = flow.iter().map(id).collect();
        event.routes = routes.to_vec();
        event.flow_successors = routes.len() as u64;
        event.rule = rule;
        event
    };
    let object = ObjectRecord {
        object: ObjectId(0),
        shared: SharedId(0),
        graph: GraphInstanceId::MAIN,
        index: Index::none(),
    };
    names.add_object(&object);
    let access = |access, writer, readers| SharedAccess { object: object.object, access, writer, readers };
    let mut events = [
        event(0, 1, &[], &[0], -1),
        event(2, 1, &[], &[0, 1], 0),
        event(3, 1, &[(0, 1)], &[], 0),
        event(3, 2, &[(2, 1), (2, 1)], &[], 1),
        event(1, 1, &[], &[0], 0),
    ];
    events[2].shared.push(access(Access::Write, None, 0));
    events[3].shared.push(access(Access::Read, Some(events[2].id), 0));
    (names, events.into())
}

fn report(texts: &[&str], mode: RecordingMode) -> Vec<Verdict> {
    let plan = solver();
    let (names, mut events) = solved(&plan);
    if mode == RecordingMode::Restricted {
        for event in &mut events {
            event.flow.dedup();
            for access in event.shared.drain(..) {
                let relayed = |event| RelayedAccess { object: access.object, access: access.access, event };
                event.relayed.extend(access.writer.map(relayed));
            }
        }
    }
    let commands: Vec<Command> = texts.iter().map(|text| parse(text).expect("a command")).collect();
    let mut checker = Checker::new(&commands, &plan, &[]).expect("nodes of the plan").recorded(mode);
    events.iter().for_each(|event| checker.event(event, &names).expect("a valid history"));
    checker.finish(&names)
}

fn rendered(verdicts: &[Verdict]) -> String {
    let texts: Vec<String> = verdicts.iter().map(|verdict| render(verdict, "bts-bug.hasse")).collect();
    texts.join("\n")
}

#[test]
fn a_violation_shows_how_the_values_came() {
    let texts = [
        "check pred Solve:2 {Mult[2], Mult[7]}",
        "check pred Solve {Mult, Start}",
        "check pred Solve {Mult[3]:2}",
        "check pred Start {Start}",
        "check pred Mult[9] {Start}",
        "check parall {Start, Mult}",
        "check parall {Solve, Start}",
    ];
    let verdicts = report(&texts, RecordingMode::Full);
    insta::assert_snapshot!(rendered(&verdicts));
    insta::assert_snapshot!(format!("{:#}", to_json(&verdicts[0])));
}

#[test]
fn a_predicate_shows_the_part_of_the_history_that_matters() {
    let texts = [
        "forall m: Mult, s: Solve where m -> s : m.index == m.count",
        "never m: Start, s: Mult where m < s",
        "never s: Solve, t: Solve where s < t",
        "never m: Start, s: Mult[2] where m || s",
        "forall s: Solve : exists m: Mult[2] where m < s",
        "forall m: Mult[7] : m.count == 1",
    ];
    let verdicts = report(&texts, RecordingMode::Full);
    insta::assert_snapshot!(rendered(&verdicts));
    insta::assert_snapshot!(format!("{:#}", to_json(&verdicts[0])));
}

#[test]
fn of_restricted_records_is_said_what_is_known() {
    let texts =
        ["forall m: Mult, s: Solve where m -> s : m.index == m.count", "check pred Solve:2 {Mult[2]}"];
    let verdicts = report(&texts, RecordingMode::Restricted);
    insta::assert_snapshot!(rendered(&verdicts));
}
