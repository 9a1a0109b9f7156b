//! Verdicts on random predicates against brute force, commands that come and go, and what a person is shown.

/// What conditions see, what is told of errors, and what is kept of a long run.
mod recorded;

use proptest::prelude::*;

use hasse_model::event::EventRecord;
use hasse_model::trace::RecordingMode;

use crate::check::command::{Command, parse};
use crate::check::log::Log;
use crate::check::{CheckId, Checker, MOST_VIOLATIONS, Verdict};
use crate::testing::{History, histories, names, plan};

/// A predicate before its variables have names: numbers stand for variables in scope, modulo their number.
#[derive(Clone, Debug)]
enum Raw {
    Order(u8, u8, u8),
    Condition(u8, u8, u8, u8),
    Not(Box<Raw>),
    And(Vec<Raw>),
    Or(Vec<Raw>),
    Implies(Box<Raw>, Box<Raw>),
    Quantified(u8, Vec<String>, Option<Box<Raw>>, Box<Raw>),
}

/// Most variables in scope, so that brute force comes to an end.
const MOST_VARIABLES: usize = 3;
const RELATIONS: [&str; 5] = ["->", "<", "||", "==", "!="];
const QUANTIFIERS: [&str; 3] = ["forall", "exists", "never"];

fn specs() -> impl Strategy<Value = String> {
    let index = prop_oneof![1 => Just(None), 3 => (0..2_i64).prop_map(Some)];
    let count = prop_oneof![6 => Just(None), 1 => (1..4_u64).prop_map(Some)];
    (0..3_u8, index, count).prop_map(|(template, index, count)| {
        let index = index.map_or(String::new(), |index| format!("[{index}]"));
        let count = count.map_or(String::new(), |count| format!(":{count}"));
        format!("T{template}{index}{count}")
    })
}

fn formulas() -> impl Strategy<Value = Raw> {
    let order = (any::<u8>(), prop_oneof![3 => 0..1_u8, 5 => 1..3_u8, 1 => 3..5_u8], any::<u8>());
    let condition = (0..6_u8, any::<u8>(), any::<u8>(), 0..4_u8);
    let leaf = prop_oneof![
        4 => order.prop_map(|(left, relation, right)| Raw::Order(left, relation, right)),
        1 => condition.prop_map(|(kind, one, other, number)| Raw::Condition(kind, one, other, number)),
    ];
    leaf.prop_recursive(3, 8, 2, |inner| {
        prop_oneof![
            1 => inner.clone().prop_map(|part| Raw::Not(Box::new(part))),
            3 => prop::collection::vec(inner.clone(), 2..3).prop_map(Raw::And),
            1 => prop::collection::vec(inner.clone(), 2..3).prop_map(Raw::Or),
            1 => (inner.clone(), inner.clone()).prop_map(|(one, other)| Raw::Implies(one.into(), other.into())),
            3 => quantified(inner),
        ]
    })
}

fn quantified(inner: impl Strategy<Value = Raw> + Clone) -> impl Strategy<Value = Raw> {
    let specs = prop::collection::vec(specs(), 1..3);
    (0..3_u8, specs, prop::option::of(inner.clone()), inner).prop_map(|(quantifier, specs, guard, body)| {
        Raw::Quantified(quantifier, specs, guard.map(Box::new), Box::new(body))
    })
}

fn predicates() -> impl Strategy<Value = Raw> {
    quantified(formulas().boxed())
}

/// The predicate with `<` in place of `->` and the next template in place of one.
fn without(raw: &Raw, off: u32) -> Raw {
    let part = |raw: &Raw| Box::new(without(raw, off));
    let all = |parts: &Vec<Raw>| parts.iter().map(|part| without(part, off)).collect();
    match raw {
        Raw::Order(left, relation, right) => Raw::Order(*left, (*relation).max(1), *right),
        Raw::Condition(..) => raw.clone(),
        Raw::Not(inner) => Raw::Not(part(inner)),
        Raw::And(parts) => Raw::And(all(parts)),
        Raw::Or(parts) => Raw::Or(all(parts)),
        Raw::Implies(left, right) => Raw::Implies(part(left), part(right)),
        Raw::Quantified(quantifier, specs, guard, body) => {
            let other = |spec: &String| spec.replace(&format!("T{off}"), &format!("T{}", (off + 1) % 3));
            let specs = specs.iter().map(other).collect();
            Raw::Quantified(*quantifier, specs, guard.as_deref().map(part), part(body))
        }
    }
}

fn name(var: usize) -> char {
    char::from(b'a' + var as u8)
}

fn condition(kind: u8, one: usize, other: usize, number: u8) -> String {
    let (one, other) = (name(one), name(other));
    match kind {
        0 => format!("{one}.count == {number}"),
        1 => format!("{one}.index < {other}.count"),
        2 => format!("({one}.index + {other}.count) % 2 == 0"),
        3 => format!("{one}.template == {other}.template"),
        4 => format!("[{number}, 1].contains({one}.count)"),
        _ => format!("{one}.action == {other}.action && {one}.index[0] == {one}.index"),
    }
}

/// The text of a predicate with so many variables in scope.
fn text(raw: &Raw, n_vars: usize) -> String {
    let part = |raw: &Raw| format!("({})", text(raw, n_vars));
    let var = |number: u8| usize::from(number) % n_vars;
    match raw {
        Raw::Order(left, relation, right) => {
            format!("{} {} {}", name(var(*left)), RELATIONS[usize::from(*relation)], name(var(*right)))
        }
        Raw::Condition(kind, one, other, number) => condition(*kind, var(*one), var(*other), *number),
        Raw::Not(inner) => format!("!{}", part(inner)),
        Raw::And(parts) => parts.iter().map(part).collect::<Vec<_>>().join(" && "),
        Raw::Or(parts) => parts.iter().map(part).collect::<Vec<_>>().join(" or "),
        Raw::Implies(left, right) => format!("{} => {}", part(left), part(right)),
        Raw::Quantified(_, specs, _, _) if n_vars + specs.len() > MOST_VARIABLES => "true".to_owned(),
        Raw::Quantified(quantifier, specs, guard, body) => {
            let inner = n_vars + specs.len();
            let variables = specs.iter().enumerate();
            let variables = variables.map(|(at, spec)| format!("{}: {spec}", name(n_vars + at)));
            let variables = variables.collect::<Vec<_>>().join(", ");
            let guard =
                guard.as_ref().map_or(String::new(), |guard| format!(" where ({})", text(guard, inner)));
            format!("{} {variables}{guard} : {}", QUANTIFIERS[usize::from(*quantifier)], text(body, inner))
        }
    }
}

/// A history with what brute force asks of it.
struct Oracle<'h> {
    history: &'h History,
    immediate: Vec<u64>,
    paths: Vec<String>,
    /// Events that exist.
    from: usize,
    to: usize,
}

impl<'h> Oracle<'h> {
    fn new(history: &'h History) -> Self {
        let names = names();
        let bits = |event: &EventRecord| {
            let shared = event.shared.iter().filter_map(|access| access.writer);
            event.flow.iter().copied().chain(shared).fold(0, |bits, id| bits | 1 << history.position(id))
        };
        Self {
            history,
            immediate: history.events.iter().map(bits).collect(),
            paths: history.events.iter().map(|event| names.event(event.id).to_string()).collect(),
            from: 0,
            to: history.events.len(),
        }
    }

    fn matching(&self, spec: &str) -> Vec<usize> {
        let (action, count) =
            spec.split_once(':').map_or((spec, None), |(action, count)| (action, Some(count)));
        let is_it = |at: &usize| {
            let (path, own) = self.paths[*at][1..].split_once(':').expect("a path with a count");
            let is_action = path == action || path.starts_with(&format!("{action}["));
            is_action && count.is_none_or(|count| count == own)
        };
        (self.from..self.to).filter(is_it).collect()
    }

    fn is_related(&self, relation: u8, one: usize, other: usize) -> bool {
        match relation {
            0 => self.immediate[other] >> one & 1 == 1,
            1 => self.history.is_before(one, other),
            2 => self.history.are_concurrent(one, other),
            3 => one == other,
            _ => one != other,
        }
    }

    fn is_true(&self, raw: &Raw, env: &mut Vec<usize>) -> bool {
        let n_vars = env.len();
        let var = |number: u8| usize::from(number) % n_vars;
        match raw {
            Raw::Order(left, relation, right) => {
                self.is_related(*relation, env[var(*left)], env[var(*right)])
            }
            Raw::Condition(kind, one, other, number) => {
                let (one, other) =
                    (&self.history.events[env[var(*one)]].id, &self.history.events[env[var(*other)]].id);
                let (index, template) = (one.action.0 / 3, one.action.0 % 3);
                match kind {
                    0 => one.count == u64::from(*number),
                    1 => u64::from(index) < other.count,
                    2 => (u64::from(index) + other.count) % 2 == 0,
                    3 => template == other.action.0 % 3,
                    4 => one.count == u64::from(*number) || one.count == 1,
                    _ => one.action == other.action,
                }
            }
            Raw::Not(inner) => !self.is_true(inner, env),
            Raw::And(parts) => parts.iter().all(|part| self.is_true(part, env)),
            Raw::Or(parts) => parts.iter().any(|part| self.is_true(part, env)),
            Raw::Implies(left, right) => !self.is_true(left, env) || self.is_true(right, env),
            Raw::Quantified(_, specs, _, _) if n_vars + specs.len() > MOST_VARIABLES => true,
            Raw::Quantified(quantifier, specs, guard, body) => {
                let mut is_found = false;
                self.each(specs, env, &mut |env| {
                    let counts = guard.as_ref().is_none_or(|guard| self.is_true(guard, env));
                    is_found |= counts && self.is_true(body, env) != (*quantifier == 0);
                    is_found
                });
                is_found == (*quantifier == 1)
            }
        }
    }

    /// All combinations of events of the specs, until `see` says that it is enough.
    fn each(
        &self,
        specs: &[String],
        env: &mut Vec<usize>,
        see: &mut dyn FnMut(&mut Vec<usize>) -> bool,
    ) -> bool {
        let Some((spec, rest)) = specs.split_first() else { return see(env) };
        self.matching(spec).into_iter().any(|at| {
            env.push(at);
            let ended = self.each(rest, env, see);
            env.pop();
            ended
        })
    }

    /// Compares a verdict with what all combinations give.
    fn check(&self, raw: &Raw, verdict: &Verdict) {
        let Raw::Quantified(quantifier, specs, guard, body) = raw else { panic!("a quantifier at the top") };
        let (mut n_counting, mut found) = (0, Vec::new());
        self.each(specs, &mut Vec::new(), &mut |env| {
            if guard.as_ref().is_none_or(|guard| self.is_true(guard, env)) {
                n_counting += 1;
                if self.is_true(body, env) != (*quantifier == 0) {
                    found.push(env.clone());
                }
            }
            false
        });
        assert_eq!(verdict.error, None);
        let position = |path: &String| self.paths.iter().position(|known| known == path).expect("an event");
        if *quantifier == 1 {
            let witness: Vec<usize> = verdict.witness.iter().map(position).collect();
            assert_eq!(verdict.holds, !found.is_empty());
            assert!(witness.is_empty() == found.is_empty() && (found.is_empty() || found.contains(&witness)));
            return;
        }
        assert_eq!((verdict.holds, verdict.n_violations), (found.is_empty(), found.len() as u64));
        if *quantifier == 0 && specs.len() > 1 {
            assert_eq!(verdict.n_combinations, Some(n_counting));
        }
        let shown: Vec<Vec<usize>> = verdict
            .violations
            .iter()
            .map(|violation| violation.events.iter().map(|bound| position(&bound.event)).collect())
            .collect();
        let last = |env: &Vec<usize>| env.iter().copied().max();
        assert!(shown.iter().all(|env| found.contains(env)), "what is shown is a violation");
        assert!(
            shown.iter().enumerate().all(|(at, env)| !shown[..at].contains(env)),
            "and none is shown twice"
        );
        let mut first: Vec<_> = found.iter().map(last).collect();
        first.sort_unstable();
        first.truncate(MOST_VIOLATIONS);
        assert_eq!(shown.iter().map(last).collect::<Vec<_>>(), first, "the first ones are shown");
    }
}

fn command(raw: &Raw) -> Command {
    let text = text(raw, 0);
    parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn verdict(history: &History, command: &Command) -> Verdict {
    let (plan, names) = (plan(), names());
    let mut checker = Checker::new(std::slice::from_ref(command), &plan, &[]).expect("nodes of the plan");
    history.events.iter().for_each(|event| checker.event(event, &names).expect("a valid history"));
    checker.finish(&names).remove(0)
}

fn cases(n: u32) -> ProptestConfig {
    ProptestConfig { cases: n, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(5_000))]

    #[test]
    fn predicates_agree_with_brute_force(history in histories(60), raw in predicates()) {
        Oracle::new(&history).check(&raw, &verdict(&history, &command(&raw)));
    }
}

proptest! {
    #![proptest_config(cases(1_000))]

    #[test]
    fn one_spelling_is_read_as_itself(raw in predicates()) {
        let shown = command(&raw).text().to_owned();
        let again = parse(&shown).map(|command| command.text().to_owned());
        prop_assert_eq!(again, Ok(shown));
    }

    #[test]
    fn a_command_speaks_of_the_events_while_it_is_watched(
        history in histories(40), raw in predicates(), other in predicates(), cut in (0..40_usize, 0..40_usize),
    ) {
        let (plan, names) = (plan(), names());
        let n_events = history.events.len();
        let (from, to) = (cut.0.min(cut.1).min(n_events), cut.0.max(cut.1).min(n_events));
        let mut checker = Checker::new(&[command(&other)], &plan, &[]).expect("nodes of the plan");
        let mut id: Option<CheckId> = None;
        let mut so_far = None;
        for at in 0..=n_events {
            if at == from {
                id = Some(checker.add(&command(&raw)).expect("nodes of the plan"));
            }
            if at == to {
                prop_assert_eq!(checker.verdicts(&names).len(), 2);
                so_far = checker.delete(id.expect("it was added"), &names);
                prop_assert_eq!(checker.delete(id.expect("it was added"), &names), None);
            }
            if let Some(event) = history.events.get(at) {
                checker.event(event, &names).expect("a valid history");
            }
        }
        let oracle = Oracle { from, to, ..Oracle::new(&history) };
        let mut found = so_far.expect("it was deleted");
        if from > 0 {
            prop_assert_eq!(found.notes.remove(0), format!("it speaks of the events from number {} on", from + 1));
        }
        // What only the end of the run decides is left open.
        if found.n_undecided == 0 {
            oracle.check(&raw, &found);
        }
        Oracle::new(&history).check(&other, &checker.finish(&names)[0]);
    }

    #[test]
    fn restricted_records_give_the_same_order(history in histories(60), raw in predicates(), off in 0..3_u32) {
        // What is immediate is another thing there, and events of the template that is off do not exist.
        let raw = without(&raw, off);
        let mut recorded = history.clone();
        for at in 0..recorded.events.len() {
            let mut flow = std::collections::BTreeMap::new();
            for before in (0..at).filter(|&before| history.is_before(before, at)) {
                let id = history.events[before].id;
                if id.action.0 % 3 != off {
                    flow.insert(id.action, id);
                }
            }
            let event = &mut recorded.events[at];
            event.flow = flow.into_values().collect();
            event.shared.clear();
        }
        let (plan, names) = (plan(), names());
        let command = command(&raw);
        let checker = Checker::new(&[command], &plan, &[]).expect("nodes of the plan");
        let mut checker = checker.recorded(RecordingMode::Restricted);
        for event in recorded.events.iter().filter(|event| event.id.action.0 % 3 != off) {
            checker.event(event, &names).expect("a valid history");
        }
        Oracle::new(&history).check(&raw, &checker.finish(&names)[0]);
    }
}

proptest! {
    #[test]
    fn ways_between_events_are_found(history in histories(60)) {
        let mut log = Log::default();
        history.events.iter().zip(1..).for_each(|(event, number)| log.push(event, number));
        let log = log.view();
        for later in 0..history.events.len() {
            for earlier in 0..later {
                let (first, last) = (history.events[earlier].id, history.events[later].id);
                let way = log.chain(first, last);
                prop_assert_eq!(way.is_some(), history.is_before(earlier, later));
                let way = way.unwrap_or_default();
                for pair in way.windows(2) {
                    prop_assert!(pair[1].immediate().any(|before| before == pair[0].id));
                }
                prop_assert!(way.is_empty() || way[0].id == first && way[way.len() - 1].id == last);
                let common = (0..earlier).rev();
                let mut common = common.filter(|&at| history.is_before(at, earlier) && history.is_before(at, later));
                let found = log.common_past(first, last).map(|entry| history.position(entry.id));
                prop_assert_eq!(found, common.next());
            }
        }
    }
}

/// Words and signs as they come.
fn soup() -> impl Strategy<Value = String> {
    const PIECES: [&str; 48] = [
        "forall",
        "exists",
        "never",
        "where",
        "m: T0",
        "s: T1",
        "m: T0[0]:2",
        ":",
        ",",
        "m",
        "s",
        "x",
        "->",
        "<",
        ">",
        "||",
        "&&",
        "and",
        "or",
        "not",
        "!",
        "=>",
        "==",
        "!=",
        "=",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "m.count",
        "s.index",
        "m.index[",
        "s.after.x",
        "m.",
        ".len",
        "1",
        "2.5",
        "..",
        "\"a",
        "'",
        "`",
        "|x|",
        "true",
        "\u{e9}",
        "\n",
        "eval",
    ];
    let piece = prop::sample::select(PIECES.to_vec());
    let quantifier =
        prop::sample::select(vec!["forall m: T0, s: T1 :", "never m: T0 where", "exists", "check"]);
    (quantifier, prop::collection::vec(piece, 0..14))
        .prop_map(|(start, pieces)| format!("{start} {}", pieces.join(" ")))
}

proptest! {
    #![proptest_config(cases(5_000))]

    #[test]
    fn any_text_is_a_predicate_or_an_error(text in soup(), history in histories(12)) {
        match parse(&text) {
            Ok(command) => {
                let again = parse(command.text()).map(|command| command.text().to_owned());
                prop_assert_eq!(again.as_deref(), Ok(command.text()));
                let (plan, names) = (plan(), names());
                if let Ok(mut checker) = Checker::new(&[command], &plan, &[]) {
                    history.events.iter().for_each(|event| checker.event(event, &names).expect("valid"));
                    prop_assert_eq!(checker.finish(&names).len(), 1);
                }
            }
            Err(error) => {
                prop_assert!((1..=text.chars().count() + 1).contains(&error.column), "{}: {}", text, error);
                prop_assert!(!error.hint.is_empty());
            }
        }
    }
}
