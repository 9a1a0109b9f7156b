//! Bounded ports: networks in which each port has one sender end at the same place in every run, the one that a model of the
//! rules finds.

use std::collections::BTreeMap;
use std::fmt::Write;

use hasse_model::snapshot::Cut;
use hasse_runtime::report::{RunOutcome, RunReport, WaitCause};
use hasse_runtime::run::{Recording, Run};
use proptest::prelude::*;

use crate::generator::Dice;
use crate::minimal::replay_minimal;
use crate::n_programs;
use crate::recording::{compile, digest, options, record, record_as, replay_of};

/// An output port with its one arc.
struct Output {
    target: usize,
    port: usize,
    /// It sends in executions whose number has this remainder: divisor, remainder.
    turns: (u64, u64),
    /// Number of values that an execution sends.
    n_values: u64,
}

struct Node {
    /// Executions of a source; `None` of a node that takes from its ports.
    n_rounds: Option<u64>,
    /// Bounds of its input ports.
    bounds: Vec<Option<u64>>,
    outputs: Vec<Output>,
}

/// A network of sources and nodes that take one value from each of their ports.
struct Network(Vec<Node>);

impl Network {
    fn new(dice: &mut Dice) -> Self {
        let n_sources = 1 + dice.below(2);
        let n_nodes = n_sources + 1 + dice.below(5);
        let mut nodes: Vec<Node> = (0..n_nodes)
            .map(|node| {
                let n_rounds = (node < n_sources).then(|| 1 + dice.below(150) as u64);
                Node { n_rounds, bounds: Vec::new(), outputs: Vec::new() }
            })
            .collect();
        for target in n_sources..n_nodes {
            for _ in 0..1 + dice.below(3) {
                // Now and then from itself, or from a later one.
                let sender = if dice.chance(8) {
                    n_sources + dice.below(n_nodes - n_sources)
                } else {
                    dice.below(target)
                };
                let divisor = if dice.chance(75) { 1 } else { 2 + dice.below(2) as u64 };
                let turns = (divisor, dice.below(divisor as usize) as u64);
                let n_values = if dice.chance(10) { 1 + dice.below(4) as u64 } else { 1 };
                let port = nodes[target].bounds.len();
                nodes[target].bounds.push(dice.chance(75).then(|| 1 + dice.below(5) as u64));
                nodes[sender].outputs.push(Output { target, port, turns, n_values });
            }
        }
        Self(nodes)
    }

    fn text(&self) -> String {
        let mut arcs = Vec::new();
        let mut tables = String::new();
        for (name, node) in self.0.iter().enumerate() {
            let _ = write!(tables, "\n[graph.main.uc.N{name}]\n");
            let ports = node.bounds.iter().enumerate().map(|(port, bound)| match bound {
                Some(bound) => format!("a{port} = {{ type = \"int\", bound = {bound} }}"),
                None => format!("a{port} = \"int\""),
            });
            let ports: Vec<String> = ports.collect();
            let mut outputs: Vec<String> =
                (0..node.outputs.len()).map(|output| format!("o{output} = \"int\"")).collect();
            let mut routes = Vec::new();
            for (output, sent) in node.outputs.iter().enumerate() {
                arcs.push(format!("N{name}.o{output} -> N{}.a{}", sent.target, sent.port));
                let (divisor, remainder) = sent.turns;
                let guard = if divisor == 1 {
                    String::new()
                } else {
                    format!(" if count % {divisor} == {remainder}")
                };
                let loops = if sent.n_values == 1 {
                    String::new()
                } else {
                    format!(" for k in 0..{}", sent.n_values)
                };
                routes.push(format!("o{output} <- count{loops}{guard}"));
            }
            if let Some(n_rounds) = node.n_rounds {
                arcs.push(format!("N{name}.next -> N{name}.next"));
                outputs.push("next = \"int\"".to_owned());
                routes.push(format!("next <- count if count < {n_rounds}"));
                tables.push_str("start = true\nin = { next = \"int\" }\nfire = [\"next -> _k\"]\n");
            } else {
                let takes: Vec<String> =
                    (0..ports.len()).map(|port| format!("a{port} -> _v{port}")).collect();
                let _ =
                    write!(tables, "in = {{ {} }}\nfire = [\"{}\"]\n", ports.join(", "), takes.join(", "));
            }
            if !outputs.is_empty() {
                let _ = write!(tables, "out = {{ {} }}\nroute = {routes:?}\n", outputs.join(", "));
            }
        }
        format!("hasse = 1\nmain = \"main\"\n\n[graph.main]\narcs = {arcs:?}\n{tables}")
    }

    /// The state in which nothing can happen any more.
    fn end(&self) -> Vec<State> {
        let mut states: Vec<State> = self.0.iter().map(State::new).collect();
        loop {
            let mut has_changed = false;
            for (name, node) in self.0.iter().enumerate() {
                for (output, sent) in node.outputs.iter().enumerate() {
                    let bound = self.0[sent.target].bounds[sent.port].unwrap_or(u64::MAX);
                    let room = bound - states[sent.target].queued[sent.port];
                    let n_sent = room.min(states[name].held[output]);
                    states[name].held[output] -= n_sent;
                    states[sent.target].queued[sent.port] += n_sent;
                    has_changed |= n_sent > 0;
                }
                let state = &mut states[name];
                let is_due = match node.n_rounds {
                    Some(n_rounds) => state.count < n_rounds,
                    None => state.queued.iter().all(|n_values| *n_values > 0),
                };
                if !is_due || state.held.iter().any(|n_values| *n_values > 0) {
                    continue;
                }
                state.queued.iter_mut().for_each(|n_values| *n_values -= 1);
                state.count += 1;
                for (sent, held) in node.outputs.iter().zip(&mut state.held) {
                    let (divisor, remainder) = sent.turns;
                    *held += if state.count % divisor == remainder { sent.n_values } else { 0 };
                }
                has_changed = true;
            }
            if !has_changed {
                return states;
            }
        }
    }
}

#[derive(Debug, PartialEq)]
struct State {
    count: u64,
    /// Values by input port.
    queued: Vec<u64>,
    /// Values that wait for room, by output port.
    held: Vec<u64>,
}

impl State {
    fn new(node: &Node) -> Self {
        Self { count: 0, queued: vec![0; node.bounds.len()], held: vec![0; node.outputs.len()] }
    }
}

/// The nodes that wait at the end, with executions, values on ports, and values that wait for room.
type Waiting = BTreeMap<String, (u64, BTreeMap<String, u64>, BTreeMap<String, u64>)>;

fn expected(network: &Network) -> Waiting {
    let ends = network.end();
    let mut waiting = Waiting::new();
    for (name, (node, end)) in network.0.iter().zip(&ends).enumerate() {
        let mut queued: BTreeMap<String, u64> = BTreeMap::new();
        for (port, n_values) in end.queued.iter().enumerate().filter(|(_, n_values)| **n_values > 0) {
            queued.insert(format!("a{port}"), *n_values);
        }
        let held = node.outputs.iter().zip(&end.held).filter(|(_, n_values)| **n_values > 0);
        let held: BTreeMap<String, u64> =
            held.map(|(sent, n_values)| (format!("/N{}.a{}", sent.target, sent.port), *n_values)).collect();
        if node.n_rounds.is_some_and(|n_rounds| !held.is_empty() && end.count < n_rounds) {
            queued.insert("next".to_owned(), 1);
        }
        if !queued.is_empty() || !held.is_empty() {
            waiting.insert(format!("/N{name}"), (end.count, queued, held));
        }
    }
    waiting
}

fn found(report: &RunReport) -> Waiting {
    let waiting = report.quiescence.iter().map(|action| {
        let queued = action.queued.iter().cloned().collect();
        let held = action.held_back.iter().map(|held| (held.port.clone(), held.n_values)).collect();
        (action.action.clone(), (action.n_executed, queued, held))
    });
    waiting.collect()
}

/// The values that wait, by receiver, whoever sent them: of several senders that wait for room on one port, the record does not say which one's
/// values came first.
pub fn without_room(report: &RunReport) -> BTreeMap<String, (u64, bool, u64)> {
    let mut waiting = BTreeMap::new();
    for action in &report.quiescence {
        let of_action = (action.n_executed, action.has_failed);
        // A tick may be left: it is seen only where its timer is listed as such a sender.
        let counted = action.queued.iter().filter(|(port, _)| port != "every");
        let n_values = counted.map(|(_, n_values)| n_values).sum::<u64>() + action.n_more_queued;
        waiting.entry(action.action.clone()).or_insert((0, false, 0)).2 += n_values;
        // A sender that holds nothing but what it has sent need not be the same one.
        if n_values > 0 {
            let known: &mut (u64, bool, u64) = waiting.get_mut(&action.action).unwrap();
            (known.0, known.1) = of_action;
        }
        for held in &action.held_back {
            let receiver = held.port.rsplit_once('.').unwrap().0.to_owned();
            waiting.entry(receiver).or_insert((0, false, 0)).2 += held.n_values;
        }
    }
    waiting.retain(|_, (_, _, n_values)| *n_values > 0);
    waiting
}

/// Asserts that nobody waits where there is room, as after a lost wake-up. Delayed values come also where there is none.
pub fn assert_full_where_values_wait(report: &RunReport, text: &str) {
    for held in report.quiescence.iter().flat_map(|action| &action.held_back) {
        let (receiver, port) = held.port.rsplit_once('.').unwrap();
        let receiver = report.quiescence.iter().find(|action| action.action == receiver);
        let queued = receiver.and_then(|action| action.queued.iter().find(|(name, _)| name == port));
        let n_queued = queued.map_or(0, |(_, n_values)| *n_values);
        let is_full = if text.contains(" after ") { n_queued >= held.bound } else { n_queued == held.bound };
        assert!(is_full, "{n_queued} values wait: {held:?}\n{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: n_programs(), ..ProptestConfig::default() })]

    #[test]
    fn bounded_networks_end_as_the_model_says(seed in any::<u64>()) {
        let network = Network::new(&mut Dice::new(seed));
        let text = network.text();
        let plan = compile(&text);
        let expected = expected(&network);
        let outcome = if expected.is_empty() { RunOutcome::Finished } else { RunOutcome::Quiescent };
        let n_events: u64 = network.end().iter().map(|end| end.count).sum();
        let is_full = expected.values().any(|(_, _, held)| !held.is_empty());
        let mut digests = Vec::new();
        for (n_workers, scheduler) in [(1, None), (2, None), (4, None), (3, Some(seed))] {
            let recorded = record(&plan, n_workers, scheduler);
            let report = &recorded.report;
            prop_assert_eq!(report.outcome, outcome, "{}", text);
            prop_assert_eq!(found(report), expected.clone(), "{}", text);
            prop_assert_eq!(recorded.batches.iter().map(|batch| batch.n_events() as u64).sum::<u64>(), n_events, "{}", text);
            let names_a_port = report.wait_causes.iter().any(|cause| matches!(cause, WaitCause::Full { .. }));
            prop_assert!(names_a_port <= is_full && is_full <= (names_a_port || !report.wait_cycle.is_empty()), "{}", text);
            let replayed = replay_of(&plan, &recorded.batches, 2, None);
            prop_assert_eq!(&replayed.report.divergence, &None, "{}", text);
            prop_assert_eq!(replayed.report.outcome, outcome, "{}", text);
            prop_assert_eq!(found(&replayed.report), expected.clone(), "{}", text);
            digests.push(digest(&plan, &recorded.batches));
            digests.push(digest(&plan, &replayed.batches));
        }
        // A run that goes on from any cut of its record ends where it had ended.
        let recorded = record(&plan, 2, None);
        let events = crate::recording::sorted(&recorded.batches).0;
        let n_before = Dice::new(!seed).below(events.len() + 1);
        let cut = Cut::after(events[..n_before].iter().map(|event| event.id));
        let replay = crate::recording::replay_record(&plan, &recorded.batches);
        let run = Run::at_cut(&plan, &options(2, None), replay, &cut, crate::recording::lines().1).unwrap();
        let report = run.run(Recording::None, crate::recording::lines().1).unwrap();
        prop_assert_eq!(found(&report), expected.clone(), "{} {}", n_before, text);
        // One sender on each port leaves nothing to chance.
        let minimal = record_as(&plan, &options(4, None), Recording::Minimal);
        prop_assert_eq!(minimal.batches.iter().map(|batch| batch.n_events() as u64).sum::<u64>(), 0, "{}", text);
        let replayed = replay_minimal(&plan, &options(2, None), &minimal, &minimal.batches);
        digests.push(digest(&plan, &replayed.batches));
        prop_assert!(digests.iter().all(|digest| *digest == digests[0]), "{}", text);
    }
}

#[test]
fn some_networks_are_stopped_by_bounds_alone_and_some_come_to_their_end() {
    let (mut n_stopped, mut n_ended, mut n_by_bounds) = (0, 0, 0);
    for seed in 0..200 {
        let mut network = Network::new(&mut Dice::new(seed));
        let is_stopped = expected(&network).values().any(|(_, _, held)| !held.is_empty());
        if expected(&network).is_empty() {
            n_ended += 1;
        }
        if is_stopped {
            n_stopped += 1;
            let n_events = |network: &Network| network.end().iter().map(|end| end.count).sum::<u64>();
            let n_bounded = n_events(&network);
            network.0.iter_mut().for_each(|node| node.bounds.iter_mut().for_each(|bound| *bound = None));
            n_by_bounds += u64::from(n_events(&network) > n_bounded);
        }
    }
    assert!(n_stopped > 20 && n_ended > 20 && n_by_bounds > 10, "{n_stopped} {n_ended} {n_by_bounds}");
}
