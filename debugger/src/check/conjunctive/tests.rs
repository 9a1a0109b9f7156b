//! Conjunctive predicates against all consistent cuts of small histories.

use proptest::prelude::*;

use hasse_model::event::LocalState;
use hasse_model::value::Value;

use super::super::command::parse;
use super::super::oracle::{is_spec, verdict};
use super::super::{Checker, Command};
use crate::testing::{History, histories, names, plan};

/// What a condition compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operand {
    Current,
    Before,
    After,
    Count,
}

/// `T1[0].x < 2`, on the action of a template and index.
#[derive(Clone, Debug)]
struct Condition {
    action: (u8, u8),
    operand: Operand,
    is_less: bool,
    than: i64,
}

impl Condition {
    fn text(&self) -> String {
        let member = match self.operand {
            Operand::Current => "x",
            Operand::Before => "before.x",
            Operand::After => "after.x",
            Operand::Count => "count",
        };
        let (template, index) = self.action;
        format!("T{template}[{index}].{member} {} {}", if self.is_less { "<" } else { ">=" }, self.than)
    }

    fn spec(&self) -> String {
        format!("T{}[{}]", self.action.0, self.action.1)
    }

    /// Whether it holds in a state of its action: 0 before the first event, 2 k - 1 at befcomp and 2 k at aftcomp of the
    /// k-th, from then on.
    fn holds(&self, values: &[(i64, i64)], state: usize) -> bool {
        let event = state.div_ceil(2);
        let at = |event: usize| event.checked_sub(1).map(|at| values[at]);
        let is_after = state.is_multiple_of(2);
        let after = || if is_after { at(event) } else { at(event.saturating_sub(1)) };
        let value = match self.operand {
            Operand::Count => Some(event as i64),
            Operand::Before => at(event).map(|(before, _)| before),
            Operand::After => after().map(|(_, after)| after),
            Operand::Current if is_after => at(event).map(|(_, after)| after),
            Operand::Current => at(event).map(|(before, _)| before),
        };
        value.is_some_and(|value| (value < self.than) == self.is_less)
    }
}

fn conditions() -> impl Strategy<Value = Vec<Condition>> {
    let operand = prop_oneof![
        4 => Just(Operand::Current),
        1 => Just(Operand::Before),
        1 => Just(Operand::After),
        1 => Just(Operand::Count),
    ];
    let condition = ((0..3_u8, 0..2_u8), operand, any::<bool>(), 0..4_i64);
    let condition =
        condition.prop_map(|(action, operand, is_less, than)| Condition { action, operand, is_less, than });
    prop::collection::vec(condition, 1..4)
}

/// Gives each event values of `x` before and after its body.
fn with_values(mut history: History, values: &[(i64, i64)]) -> History {
    for (event, &(before, after)) in history.events.iter_mut().zip(values) {
        let vars = |value| vec![("other".to_owned(), Value::Bool(true)), ("x".to_owned(), Value::Int(value))];
        event.local =
            Some(Box::new(LocalState { before: vars(before), after: vars(after), ..LocalState::default() }));
    }
    history
}

/// All consistent cuts by brute force: possibly and definitely.
fn by_all_cuts(history: &History, conditions: &[Condition], values: &[(i64, i64)]) -> (bool, bool) {
    let mut actions: Vec<String> = conditions.iter().map(Condition::spec).collect();
    actions.sort();
    actions.dedup();
    let lanes: Vec<Vec<usize>> = actions
        .iter()
        .map(|spec| (0..history.events.len()).filter(|&at| is_spec(&history.events[at], spec)).collect())
        .collect();
    let lane_values: Vec<Vec<(i64, i64)>> =
        lanes.iter().map(|lane| lane.iter().map(|&at| values[at]).collect()).collect();
    // For each lane and event, how many events of each lane are before it.
    let n_before = |at: usize| -> Vec<usize> {
        lanes
            .iter()
            .map(|other| other.iter().filter(|&&known| history.is_before(known, at)).count())
            .collect()
    };
    let n_before: Vec<Vec<Vec<usize>>> =
        lanes.iter().map(|lane| lane.iter().map(|&at| n_before(at)).collect()).collect();
    // A cut has so many states of each lane behind it; it is consistent if what its events took has been sent. Of a lane's
    // events the last one took most.
    let is_consistent = |cut: &[usize]| {
        (0..lanes.len()).all(|lane| {
            let Some(last) = cut[lane].div_ceil(2).checked_sub(1) else { return true };
            (0..lanes.len()).all(|other| other == lane || cut[other] >= 2 * n_before[lane][last][other])
        })
    };
    let is_true = |cut: &[usize]| {
        conditions.iter().all(|condition| {
            let lane = actions.iter().position(|spec| *spec == condition.spec()).expect("a lane");
            condition.holds(&lane_values[lane], cut[lane])
        })
    };
    let search = |may_pass: &dyn Fn(&[usize]) -> bool| {
        let start = vec![0; lanes.len()];
        let mut seen = std::collections::HashSet::new();
        let mut open: Vec<Vec<usize>> = [start].into_iter().filter(|cut| may_pass(cut)).collect();
        seen.extend(open.iter().cloned());
        while let Some(cut) = open.pop() {
            for lane in 0..lanes.len() {
                let mut next = cut.clone();
                next[lane] += 1;
                let is_next = next[lane] <= 2 * lanes[lane].len() && is_consistent(&next) && may_pass(&next);
                if is_next && seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        seen
    };
    let possibly = search(&|_| true).iter().any(|cut| is_true(cut));
    let end: Vec<usize> = lanes.iter().map(|lane| 2 * lane.len()).collect();
    let definitely = !search(&|cut| !is_true(cut)).contains(&end);
    (possibly, definitely)
}

fn text(word: &str, conditions: &[Condition]) -> String {
    let texts: Vec<String> = conditions.iter().map(Condition::text).collect();
    format!("check {word} {}", texts.join(" && "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]

    #[test]
    fn agrees_with_all_consistent_cuts(
        history in histories(24),
        values in prop::collection::vec((0..4_i64, 0..4_i64), 24),
        conditions in conditions(),
    ) {
        let history = with_values(history, &values);
        // An action that does not occur is never seen: nothing is known of it, not even that its count is 0.
        let occurs = |condition: &Condition| {
            history.events.iter().any(|event| is_spec(event, &condition.spec()))
        };
        let (mut possibly, mut definitely) = by_all_cuts(&history, &conditions, &values);
        if !conditions.iter().all(occurs) {
            (possibly, definitely) = (false, false);
        }
        for (word, expected) in [("possibly", possibly), ("definitely", definitely)] {
            let text = text(word, &conditions);
            let found = verdict(&history, &text);
            prop_assert_eq!(found.holds, expected, "{}", text);
            prop_assert!(found.error.is_none());
            prop_assert_eq!(found.witness.is_empty(), !expected);
        }
    }
}

#[test]
fn the_witness_is_a_consistent_cut() {
    // T0[0] (action 0) sends to T1[0] (action 1); x grows in both.
    let (plan, names) = (plan(), names());
    let local = |before, after| {
        let vars = |value| vec![("x".to_owned(), Value::Int(value))];
        Some(Box::new(LocalState { before: vars(before), after: vars(after), ..LocalState::default() }))
    };
    let id = |action, count| hasse_model::id::EventId { action: hasse_model::id::ActionId(action), count };
    let mut events: Vec<_> = [(0, 1), (0, 2), (1, 1), (1, 2)]
        .into_iter()
        .map(|(action, count)| hasse_model::event::EventRecord::new(id(action, count)))
        .collect();
    for (event, (before, after)) in events.iter_mut().zip([(1, 2), (3, 4), (1, 2), (3, 4)]) {
        event.local = local(before, after);
        event.rule = 0;
    }
    events[0].flow_successors = 1;
    events[2].flow.push(id(0, 1));
    let shown = |text: &str| {
        let commands = [parse(text).expect("a command")];
        let mut checker = Checker::new(&commands, &plan, &[]).expect("fits the plan");
        events.iter().for_each(|event| checker.event(event, &names).expect("a valid history"));
        super::super::render(&checker.finish(&names)[0], "test")
    };
    let texts = [
        "possibly T0[0].x == 3 && T1[0].x == 1",
        "possibly T0[0].x == 1 && T1[0].x == 1",
        "possibly T0[0].count == 0 && T1[0].count == 0",
        "definitely T0[0].x >= 2 && T1[0].x >= 1",
        "definitely T0[0].x == 3 && T1[0].x == 3",
        "possibly T0.x == 4 && T1.x == 4",
        "possibly T0[0].y == 4 && T1[0].x == 4",
        "possibly T2[0].x == 4 && T1[0].x == 4",
        "possibly T0[0].x == 3 && T0[0].after.x == 2 && T1[0].before.x == 3 && T1[0].x == 4",
    ];
    insta::assert_snapshot!(texts.map(shown).join("\n"));
}

#[test]
fn events_without_values_leave_it_open() {
    let (plan, names) = (plan(), names());
    let mut event = hasse_model::event::EventRecord::new(hasse_model::id::EventId {
        action: hasse_model::id::ActionId(0),
        count: 1,
    });
    event.rule = 0;
    let commands = [parse("possibly T0[0].x > 1").expect("a command")];
    let mut checker = Checker::new(&commands, &plan, &[]).expect("fits the plan");
    checker.event(&event, &names).expect("a valid history");
    insta::assert_snapshot!(super::super::render(&checker.finish(&names)[0], "test"));
}

#[test]
fn errors_carry_column_and_hint() {
    let texts = [
        "possibly",
        "possibly x > 1",
        "possibly T0[0].x > 1 &&",
        "possibly T0[0].x > T1[0].x",
        "possibly T0[0].x > 1 && T1[0].x >",
        "possibly T0[0].x > 1 && 3",
        "definitely T0[0].x = 1",
        "possibly T9[0].x > 1",
        "possibly T0[0][1].x > 1",
        "possibly T0[0].x > limit",
        "possibly \"T0[0].x\" == `T1[0].x`",
    ];
    let plan = plan();
    let shown = |text: &str| match parse(text) {
        Err(error) => error.to_string(),
        Ok(command) => match Checker::new(&[command], &plan, &[]) {
            Err(error) => error.to_string(),
            Ok(_) => panic!("{text} is taken"),
        },
    };
    let report: Vec<String> = texts.iter().map(|text| format!("{text:?}\n    {}", shown(text))).collect();
    insta::assert_snapshot!(report.join("\n"));
}

#[test]
fn conditions_keep_to_their_actions() {
    let command =
        parse("possibly abs(Mult[1].x)/Mult[1].y > 2 && /a[2]/b.s == \"Mult.x && c\" && (p.x || !p.y)");
    let Ok(Command::Conjunctive { conjuncts, .. }) = command else { panic!("{command:?}") };
    let shown: Vec<String> =
        conjuncts.iter().map(|known| format!("{}: {}", known.spec, known.condition.trim())).collect();
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn what_is_shown_can_be_read_again() {
    // With a space behind it, Rhai takes `1.` for a number; at the end of a text it does not.
    for text in
        ["definitely T0[0].x == 1.\n", "possibly T0[0].x == 1. && T1[0].x > 0", "definitely T0[0].x > 1.0 "]
    {
        let Ok(command) = parse(text) else { continue };
        let again = parse(command.text());
        assert_eq!(again.as_ref().map(Command::text), Ok(command.text()), "{text:?}");
    }
}
