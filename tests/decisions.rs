//! Runs whose free choices are decided from outside: all executions of small programs, and what is refused.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub, dead_code, reason = "tests")]

#[path = "laws/recording.rs"]
mod recording;

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use hasse_model::plan::Plan;
use hasse_model::value::Value;
use hasse_runtime::decision::{
    ChoiceKind, ChoicePoint, Choose, Chooser, Chosen, Decision, ExecutedEvent, Logged, Rest, Stop,
};
use hasse_runtime::report::{RunOutcome, RunReport};
use hasse_runtime::run::{Recording, RunOptions, RuntimeError, run};
use recording::{compile, digest, options, record_with, replay_of};

fn decided(chooser: impl Into<Chooser>) -> RunOptions {
    RunOptions { chooser: Some(chooser.into()), ..options(1, None) }
}

fn run_decided(plan: &Plan, chooser: impl Into<Chooser>) -> Result<RunReport, RuntimeError> {
    run(plan, &decided(chooser), Recording::None, Box::new(|_| {}))
}

fn program(arcs: &str, shares: &str, tables: &str) -> String {
    format!("hasse = 1\nmain = \"main\"\n[graph.main]\narcs = [{arcs}]\nshare = [{shares}]\n{tables}")
}

/// A start node that sends a value.
fn sender(name: &str, value: i64) -> String {
    format!("[graph.main.uc.{name}]\nstart = true\nout = {{ o = \"int\" }}\nroute = [\"o <- {value}\"]\n")
}

/// A node that strings values of one port together, as a result of its name.
fn listener(name: &str) -> String {
    format!(
        "[graph.main.uc.{name}]\nin = {{ v = \"int\" }}\nvars = {{ seen = \"string\" }}\nfire = [\"v -> v\"]\n\
         do = 'seen += ` ${{v}}`; result(\"{name}\", seen);'\n"
    )
}

/// The next list of decisions in depth-first order: the last decision that can be raised, raised by one.
fn next(points: &[Decision]) -> Option<Vec<usize>> {
    let last = points.iter().rposition(|point| point.taken + 1 < point.possible.len())?;
    let mut decisions: Vec<usize> = points[..=last].iter().map(|point| point.taken).collect();
    decisions[last] += 1;
    Some(decisions)
}

/// Outcomes of all executions of a program, in words, with the number of executions that have each.
fn all_outcomes(text: &str) -> BTreeMap<String, usize> {
    let plan = compile(text);
    let mut outcomes = BTreeMap::new();
    let mut decisions = Some(Vec::new());
    while let Some(prefix) = decisions {
        let chosen = Chosen::new(prefix);
        let report = run_decided(&plan, &chosen).unwrap();
        let results = report.results.iter().map(|(name, value)| match value {
            Value::String(text) => format!("{name}:{text}"),
            value => format!("{name}: {value}"),
        });
        let errors = report.errors.iter().map(|error| format!("{} at {}", error.code, error.event));
        let words: Vec<_> = results.chain(errors).collect();
        *outcomes.entry(words.join(", ")).or_default() += 1;
        decisions = next(&chosen.points());
    }
    outcomes
}

#[track_caller]
fn assert_outcomes(text: &str, expected: &[&str]) {
    let outcomes = all_outcomes(text);
    assert_eq!(outcomes.keys().collect::<Vec<_>>(), expected);
}

#[test]
fn two_senders_to_one_port_come_in_both_orders() {
    let tables = [sender("A", 1), sender("B", 2), listener("M")].concat();
    let outcomes = all_outcomes(&program("\"A.o -> M.v\", \"B.o -> M.v\"", "", &tables));
    // A first, then B: M takes either value first: 2 executions. A, then M: B and M again: 1. The same with B first: 6.
    let expected = [("M: 1 2".to_owned(), 3), ("M: 2 1".to_owned(), 3)];
    assert_eq!(outcomes, expected.into());
}

#[test]
fn two_writers_of_an_object_come_in_both_orders() {
    let writer = |name: &str, body: &str| {
        format!(
            "[graph.main.uc.{name}]\nstart = true\nout = {{ o = \"int\" }}\nshared = {{ s = \"write\" }}\n\
             do = '{body}'\nroute = [\"o <- 0\"]\n"
        )
    };
    let reader = "[graph.main.uc.R]\nin = { a = \"int\", b = \"int\" }\nshared = { s = \"read\" }\nfire = [\"a -> a, b -> b\"]\n\
                  do = 'result(\"s\", s);'\n";
    let object = "[graph.main.shared.s]\ntype = \"int\"\ninit = \"1\"\n";
    let tables = [&writer("A", "s += 1;"), &writer("B", "s *= 2;"), reader, object].concat();
    let shares = "\"s -- A.s\", \"s -- B.s\", \"s -- R.s\"";
    let outcomes = all_outcomes(&program("\"A.o -> R.a\", \"B.o -> R.b\"", shares, &tables));
    // (1 + 1) * 2 and 1 * 2 + 1.
    assert_eq!(outcomes, [("s: 3".to_owned(), 1), ("s: 4".to_owned(), 1)].into());
}

#[test]
fn readers_see_an_object_before_or_after_its_writer() {
    let reader = |name: &str| {
        format!(
            "[graph.main.uc.{name}]\nstart = true\nshared = {{ s = \"read\" }}\ndo = 'result(\"{name}\", s);'\n"
        )
    };
    let writer = "[graph.main.uc.W]\nstart = true\nshared = { s = \"write\" }\ndo = 's = 1;'\n";
    let tables = [&reader("P"), &reader("Q"), writer, "[graph.main.shared.s]\ntype = \"int\"\n"].concat();
    let outcomes = all_outcomes(&program("", "\"s -- P.s\", \"s -- Q.s\", \"s -- W.s\"", &tables));
    // The six orders of three executions.
    let expected = [("P: 0, Q: 0", 2), ("P: 0, Q: 1", 1), ("P: 1, Q: 0", 1), ("P: 1, Q: 1", 2)];
    assert_eq!(outcomes, expected.map(|(words, n_times)| (words.to_owned(), n_times)).into());
}

/// An execution gives its object back before it sends: who is first at the object need not be first at the port.
#[test]
fn order_at_an_object_is_not_that_of_arrival() {
    let writer = |name: &str, number: i64| {
        format!(
            "[graph.main.uc.{name}]\nstart = true\nout = {{ o = \"int\" }}\nshared = {{ s = \"write\" }}\n\
             do = 's += 1; let mine = {number} + s;'\nroute = [\"o <- mine\"]\n"
        )
    };
    let tables =
        [&writer("A", 10), &writer("B", 20), &listener("M"), "[graph.main.shared.s]\ntype = \"int\"\n"];
    let text = program("\"A.o -> M.v\", \"B.o -> M.v\"", "\"s -- A.s\", \"s -- B.s\"", &tables.concat());
    assert_outcomes(&text, &["M: 11 22", "M: 12 21", "M: 21 12", "M: 22 11"]);
}

/// The values of one execution are sent one after the other: two senders may be in one order at one receiver, and in the other at
/// the next.
#[test]
fn orders_of_arrival_at_two_receivers_are_independent() {
    let tables = [sender("A", 1), sender("B", 2), listener("P"), listener("Q")].concat();
    let text = program("\"A.o -> P.v\", \"B.o -> P.v\", \"A.o -> Q.v\", \"B.o -> Q.v\"", "", &tables);
    assert_outcomes(&text, &["P: 1 2, Q: 1 2", "P: 1 2, Q: 2 1", "P: 2 1, Q: 1 2", "P: 2 1, Q: 2 1"]);
}

/// A value may be overtaken by what it has not caused and another value of its sender has.
#[test]
fn values_overtake_each_other_on_other_ways_and_not_on_their_own() {
    let start = "[graph.main.uc.A]\nstart = true\nout = { o = \"int\", p = \"int\" }\nroute = [\"o <- 1\", \"o <- 2\", \"p <- 3\"]\n";
    let relay = "[graph.main.uc.B]\nin = { v = \"int\" }\nout = { o = \"int\" }\nfire = [\"v -> v\"]\nroute = [\"o <- v\"]\n";
    let tables = [start, relay, &listener("M")].concat();
    let text = program("\"A.o -> M.v\", \"A.p -> B.v\", \"B.o -> M.v\"", "", &tables);
    assert_outcomes(&text, &["M: 1 2 3", "M: 1 3 2", "M: 3 1 2"]);
}

#[test]
fn values_through_interfaces_come_in_both_orders() {
    let called = "[graph.main.call.c]\ngraph = \"Inner\"\n[graph.Inner]\nin = { v = \"int\" }\nout = { w = \"int\" }\n\
                  arcs = [\"in.v -> Pass.v\", \"Pass.w -> out.w\"]\n[graph.Inner.uc.Pass]\nin = { v = \"int\" }\nout = { w = \"int\" }\n\
                  fire = [\"v -> v\"]\nroute = [\"w <- v * 10 + count\"]\n";
    let tables = [&sender("A", 1), &sender("B", 2), &listener("M"), called].concat();
    let text = program("\"A.o -> c.v\", \"B.o -> c.v\", \"c.w -> M.v\"", "", &tables);
    assert_outcomes(&text, &["M: 11 22", "M: 21 12"]);
}

#[test]
fn rules_are_taken_in_all_orders_and_each_from_all_senders() {
    let merge = "[graph.main.uc.M]\nin = { a = \"int\", b = \"int\" }\nvars = { seen = \"string\" }\nfire = [\"a -> v\", \"b -> v\"]\n\
                 do = 'seen += ` ${rule}${v}`; result(\"M\", seen);'\n";
    let tables = [&sender("A", 1), &sender("B", 2), merge].concat();
    let text = program("\"A.o -> M.a\", \"B.o -> M.a\", \"B.o -> M.b\"", "", &tables);
    let expected = ["M: 01 02 12", "M: 01 12 02", "M: 02 01 12", "M: 02 12 01", "M: 12 01 02", "M: 12 02 01"];
    assert_outcomes(&text, &expected);
}

#[test]
fn two_values_of_one_port_come_from_all_pairs_of_senders() {
    let pairs = "[graph.main.uc.M]\nin = { \"v[k]\" = \"int\" }\nvars = { seen = \"string\" }\nfire = [\"v[j - j] -> p[j] for j in 0..2\"]\n\
                 do = 'seen += ` ${p[0]}${p[1]}`; result(\"M\", seen);'\n";
    let two = "[graph.main.uc.A]\nstart = true\nout = { o = \"int\" }\nroute = [\"o <- 1\", \"o <- 2\"]\n";
    let tables = [two, &sender("B", 3), &sender("C", 4), pairs].concat();
    let text = program("\"A.o -> M.v[0]\", \"B.o -> M.v[0]\", \"C.o -> M.v[0]\"", "", &tables);
    let outcomes = all_outcomes(&text);
    // All orders of 1, 2, 3, 4 in which 1 is before 2: half of 24.
    assert_eq!(outcomes.len(), 12, "{outcomes:?}");
    assert!(outcomes.keys().all(|words| words.find('1') < words.find('2')));
}

#[test]
fn stop_node_cuts_off_what_is_not_chosen_before() {
    let stop = "[graph.main.uc.Stop]\nstop = true\nin = { v = \"int\" }\nfire = [\"v -> v\"]\n";
    let say = "[graph.main.uc.Say]\nstart = true\ndo = 'result(\"said\", true);'\n";
    let tables = [&sender("A", 1), stop, say].concat();
    let outcomes = all_outcomes(&program("\"A.o -> Stop.v\"", "", &tables));
    // A, Stop; A, Say, Stop; Say, A, Stop.
    assert_eq!(outcomes, [(String::new(), 1), ("said: true".to_owned(), 2)].into());
}

#[test]
fn failing_guard_is_seen_when_the_values_of_its_rule_have_come() {
    let merge = |fire: &str| {
        format!(
            "[graph.main.uc.M]\nin = {{ a = \"int\", b = \"int\" }}\nvars = {{ k = \"int\" }}\nfire = [{fire}]\n\
             do = 'k += 1; result(\"taken\", rule);'\n"
        )
    };
    let text = |fire: &str| {
        let tables = [sender("A", 1), sender("B", 2), merge(fire)].concat();
        program("\"A.o -> M.a\", \"B.o -> M.b\"", "", &tables)
    };
    // Once rule 0 has been taken, the guard of rule 1 holds.
    assert_outcomes(&text("\"a -> v\", \"b -> v if 1 / k > 0\""), &["R0005 at /M:1", "taken: 1"]);
    // Rule 0 cannot be taken before the guard of rule 1 is looked at.
    assert_outcomes(&text("\"a -> v\", \"a -> v if 1 / k > 0\", \"b -> v if k > 5\""), &["R0005 at /M:1"]);
    // Whoever has one of both values has the other one, too.
    assert_outcomes(&text("\"a -> v\", \"a -> v, b -> w if 1 / k > 0\""), &["R0005 at /M:1", "taken: 0"]);
}

#[test]
fn failing_init_comes_after_any_value() {
    let broken = "[graph.main.uc.M]\nin = { a = \"int\", b = \"int\" }\nvars = { k = \"int\" }\ninit = 'k = 1 / k;'\nfire = [\"a -> v, b -> w\"]\n";
    let tables = [&sender("A", 1), &sender("B", 2), &sender("C", 3), broken].concat();
    let plan = compile(&program("\"A.o -> M.a\", \"B.o -> M.a\", \"C.o -> M.b\"", "", &tables));
    let mut causes = BTreeSet::new();
    let mut decisions = Some(Vec::new());
    while let Some(prefix) = decisions {
        let chosen = Chosen::new(prefix);
        run_decided(&plan, &chosen).unwrap();
        for event in executed(&chosen).iter().filter(|event| event.event.to_string() == "/M:1") {
            let took: Vec<_> =
                event.took.iter().map(|taken| taken.sender.as_ref().unwrap().to_string()).collect();
            causes.insert(took);
        }
        decisions = next(&chosen.points());
    }
    assert_eq!(causes, [["/A:1"], ["/B:1"], ["/C:1"]].map(|took| took.map(str::to_owned).to_vec()).into());
}

fn executed(chosen: &Chosen) -> Vec<ExecutedEvent> {
    let executed = chosen.log().into_iter().filter_map(|logged| match logged {
        Logged::Executed(event) => Some(event),
        Logged::Decision(_) => None,
    });
    executed.collect()
}

const BANK: &str = r#"hasse = 1
main = "main"
[graph.main]
arcs = ["Open.go[i] -> Teller[i].go", "Teller[i].done -> Audit.done"]
share = ["total -- Teller[i].total"]
[graph.main.shared.total]
type = "int"
[graph.main.uc.Open]
out   = { "go[i]" = "int" }
start = true
route = ["go[i] <- i for i in 0..2"]
[graph.main.uc.Teller]
index  = ["i"]
in     = { go = "int" }
out    = { done = "int" }
shared = { total = "write" }
fire   = ["go -> amount"]
do     = 'total += amount; print(`${i}`);'
route  = ["done <- total"]
[graph.main.uc.Audit]
in   = { done = "int" }
fire = ["done -> seen"]
"#;

#[test]
fn log_says_what_was_possible_and_what_took_place() {
    let chosen = Chosen::new([0, 1, 1]);
    let recorded = record_with(&compile(BANK), &decided(&chosen));
    assert_eq!(recorded.lines, ["1", "0"]);
    let log: Vec<String> = chosen
        .log()
        .iter()
        .map(|logged| match logged {
            Logged::Decision(decision) => decision.to_string(),
            Logged::Executed(event) => {
                let took = event
                    .took
                    .iter()
                    .map(|taken| format!("{} from {}", taken.port, taken.sender.as_ref().unwrap()));
                let objects = event.objects.iter().map(|used| format!("{:?} {}", used.access, used.object));
                let sent = event.sent.iter().map(ToString::to_string);
                let list = |items: &mut dyn Iterator<Item = String>| items.collect::<Vec<_>>().join(", ");
                format!(
                    "  {} rule {} took [{}] used [{}] sent [{}]{}",
                    event.event,
                    event.rule,
                    list(&mut took.into_iter()),
                    list(&mut objects.into_iter()),
                    list(&mut sent.into_iter()),
                    if event.prints { " prints" } else { "" },
                )
            }
        })
        .collect();
    insta::assert_snapshot!(log.join("\n"), @r"
    0: the next execution: /Open:1 of /Open:1
      /Open:1 rule -1 took [] used [] sent [/Teller[0].go, /Teller[1].go]
    1: the next execution: /Teller[1]:1 of /Teller[0]:1, /Teller[1]:1
      /Teller[1]:1 rule 0 took [/Teller[1].go from /Open:1] used [Write /total] sent [/Audit.done] prints
    2: the next execution: /Audit:1 of /Teller[0]:1, /Audit:1
      /Audit:1 rule 0 took [/Audit.done from /Teller[1]:1] used [] sent []
    3: the next execution: /Teller[0]:1 of /Teller[0]:1
      /Teller[0]:1 rule 0 took [/Teller[0].go from /Open:1] used [Write /total] sent [/Audit.done] prints
    4: the next execution: /Audit:2 of /Audit:2
      /Audit:2 rule 0 took [/Audit.done from /Teller[0]:1] used [] sent []
    ");
}

#[test]
fn decision_that_is_not_possible_is_refused() {
    let plan = compile(BANK);
    let error = run_decided(&plan, Chosen::new([0, 2])).unwrap_err();
    insta::assert_snapshot!(
        error.to_string(),
        @"decision 2 is not possible at point 1, the next execution; possible: 0 (/Teller[0]:1), 1 (/Teller[1]:1)"
    );
    let RuntimeError::Decision(impossible) = error else { panic!("{error}") };
    assert_eq!((impossible.position, impossible.decision, impossible.possible.len()), (1, 2, 2));
    assert_eq!(impossible.kind, ChoiceKind::Next);
    // What was executed before is recorded.
    let sink = recording::MemorySink::default();
    let chosen = Chosen::new([0, 0, 9]);
    let recording = Recording::Full(Box::new(sink.clone()));
    run(&plan, &decided(&chosen), recording, Box::new(|_| {})).unwrap_err();
    let replayed = replay_of(&plan, &sink.batches(), 2, None);
    assert_eq!((replayed.report.n_events, replayed.report.divergence), (2, None));
    assert_eq!(digest(&plan, &replayed.batches), digest(&plan, &sink.batches()));
}

#[test]
fn more_than_one_worker_is_refused() {
    let chosen = Chosen::new([]);
    let options = RunOptions { n_workers: 2, ..decided(&chosen) };
    let error = run(&compile(BANK), &options, Recording::None, Box::new(|_| {})).unwrap_err();
    assert_eq!(error.to_string(), "a run whose choices are decided from outside has one worker, not 2");
    let sink = Box::new(recording::MemorySink::default());
    assert!(run(&compile(BANK), &options, Recording::Full(sink), Box::new(|_| {})).is_err());
}

/// Runs a program from within a decision, with the chooser that decides.
struct Nested {
    own: Arc<Mutex<Option<Chooser>>>,
    error: Arc<Mutex<Option<String>>>,
}

impl Choose for Nested {
    fn choose(&mut self, _: &ChoicePoint<'_>) -> Result<usize, Stop> {
        let own = self.own.lock().unwrap().clone().unwrap();
        let error = run_decided(&compile(BANK), own).unwrap_err();
        *self.error.lock().unwrap() = Some(error.to_string());
        Ok(0)
    }
}

#[test]
fn chooser_serves_one_run_at_a_time() {
    let (own, error) = (Arc::default(), Arc::default());
    let chooser = Chooser::new(Nested { own: Arc::clone(&own), error: Arc::clone(&error) });
    *own.lock().unwrap() = Some(chooser.clone());
    run_decided(&compile(BANK), chooser.clone()).unwrap();
    let expected = "the chooser takes the decisions of another run, which is not over";
    assert_eq!(error.lock().unwrap().as_deref(), Some(expected));
    // It is free again.
    run_decided(&compile(BANK), chooser).unwrap();
}

#[test]
fn stop_ends_a_run_at_its_point() {
    let plan = compile(BANK);
    let chosen = Chosen::new([0]).rest(Rest::Stop);
    let report = run_decided(&plan, &chosen).unwrap();
    assert_eq!((report.outcome, report.n_events), (RunOutcome::Stopped, 1));
    let stopped = report.stopped_at.unwrap();
    assert_eq!((stopped.position, stopped.possible.len()), (1, 2));
    assert_eq!(stopped.reason, "there are no further decisions");
    // A stop of a value that is about to be taken leaves it where it is.
    let chosen = Chosen::new([0, 0, 0, 0]).rest(Rest::Stop);
    let report = run_decided(&plan, &chosen).unwrap();
    assert_eq!(report.stopped_at.unwrap().kind.to_string(), "value 0 of those that /Audit:1 takes");
    assert_eq!(report.n_events, 3);
    assert_eq!(
        (report.waiting_values[0].port.as_str(), report.waiting_values[0].n_values),
        ("Audit.done", 2)
    );
}

#[test]
fn limit_ends_a_program_that_does_not() {
    let endless = "[graph.main.uc.A]\nstart = true\nin = { v = \"int\" }\nout = { o = \"int\" }\nfire = [\"v -> v\"]\nroute = [\"o <- 1\"]\n";
    let plan = compile(&program("\"A.o -> A.v\"", "", endless));
    let report = run_decided(&plan, Chosen::new([]).limit(1000)).unwrap();
    assert_eq!((report.outcome, report.n_events), (RunOutcome::Stopped, 1000));
    assert_eq!(report.stopped_at.unwrap().reason, "the limit of 1000 points is reached");
}

#[test]
fn unused_decisions_are_counted() {
    let chosen = Chosen::new([0, 0, 0, 0, 0, 0, 0, 0, 0]);
    run_decided(&compile(BANK), &chosen).unwrap();
    // Open, two tellers, two audits, the first of which has two senders.
    assert_eq!((chosen.taken().len(), chosen.n_unused()), (6, 3));
}

/// Panics when it is asked.
struct Broken;

impl Choose for Broken {
    fn choose(&mut self, _: &ChoicePoint<'_>) -> Result<usize, Stop> {
        panic!("no decision")
    }
}

#[test]
fn panic_of_a_chooser_reaches_whoever_runs() {
    let plan = compile(BANK);
    let chooser = Chooser::new(Broken);
    let run = || run_decided(&plan, chooser.clone());
    assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
    assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
}

/// Has one execution wait for another one.
struct Imposed {
    before: &'static str,
    after: &'static str,
    has_come: bool,
}

impl Choose for Imposed {
    fn choose(&mut self, point: &ChoicePoint<'_>) -> Result<usize, Stop> {
        let is_allowed = |text: String| self.has_come || text != self.after;
        let allowed = point.possible.iter().position(|item| is_allowed(item.to_string()));
        allowed.ok_or_else(|| Stop::new(format!("{} does not come before {}", self.before, self.after)))
    }

    fn executed(&mut self, event: ExecutedEvent) {
        self.has_come |= event.event.to_string() == self.before;
    }
}

#[test]
fn order_of_two_executions_is_imposed() {
    let plan = compile(BANK);
    let impose = |before, after| {
        let chooser = Chooser::new(Imposed { before, after, has_come: false });
        record_with(&plan, &decided(chooser))
    };
    assert_eq!(impose("/Teller[0]:1", "/Teller[1]:1").lines, ["0", "1"]);
    assert_eq!(impose("/Teller[1]:1", "/Teller[0]:1").lines, ["1", "0"]);
    let impossible = impose("/Audit:1", "/Open:1").report;
    assert_eq!(impossible.stopped_at.unwrap().reason, "/Audit:1 does not come before /Open:1");
}

#[test]
fn random_numbers_are_no_decisions() {
    let text =
        program("", "", "[graph.main.uc.A]\nstart = true\ndo = 'result(\"n\", random_int(0, 1000000));'\n");
    let plan = compile(&text);
    let draw = |seed| {
        let options = RunOptions { seed, ..decided(Chosen::new([])) };
        run(&plan, &options, Recording::None, Box::new(|_| {})).unwrap().results
    };
    assert_eq!(draw(None), draw(None));
    assert_eq!(draw(None), draw(Some(0)));
    assert_ne!(draw(Some(1)), draw(Some(2)));
}

#[test]
fn replay_asks_no_chooser() {
    let plan = compile(BANK);
    let chosen = Chosen::new([0, 1]);
    let recorded = record_with(&plan, &decided(&chosen));
    let options = RunOptions { n_workers: 3, ..decided(Chooser::new(Broken)) };
    let replayed = recording::replay_with(&plan, &options, &recorded.batches);
    assert_eq!((replayed.report.divergence, replayed.lines), (None, recorded.lines));
}
