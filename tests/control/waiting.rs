//! Who waits for whom, against brute force over small generated programs, and in programs from reports.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::str::FromStr;

use hasse_model::plan::Plan;
use hasse_model::record_options::Selector;
use hasse_model::value::Value;
use hasse_runtime::control::breakpoint::{Breakpoint, Place, Reaction};
use hasse_runtime::control::{ActionState, Control, CycleStep, MissingValue};
use hasse_runtime::report::{RunOutcome, RunReport, WaitCause};
use hasse_runtime::run::{DEFAULT_RECLAIM_ABOVE, Recording, RunOptions};

use super::driven;
use super::recording::{self, compile, record, record_with};

/// When a node sends along an arc.
#[derive(Clone, Copy, Debug)]
enum Sends {
    Always,
    /// In its first executions.
    UpTo(u64),
    /// In executions by one rule.
    ByRule(usize),
}

#[derive(Clone, Debug)]
struct Node {
    n_ports: usize,
    /// Ports that each rule takes from, and its last execution.
    rules: Vec<(BTreeSet<usize>, u64)>,
    /// Receiving node and port.
    arcs: Vec<(usize, usize, Sends)>,
    fails_at: Option<u64>,
}

/// A program in which values are only there or not: a Petri net with counters.
#[derive(Clone, Debug)]
struct Net {
    nodes: Vec<Node>,
    /// Values that the start node sends, by node and port.
    first: Vec<(usize, usize, u64)>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    counts: Vec<u64>,
    queued: Vec<Vec<u64>>,
    failed: Vec<bool>,
}

struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

impl Net {
    fn new(seed: u64) -> Self {
        let mut dice = Dice(seed);
        let n_nodes = 2 + dice.below(3);
        let mut nodes: Vec<Node> = Vec::new();
        for _ in 0..n_nodes {
            let n_ports = 1 + dice.below(2);
            let rules = (0..1 + dice.below(2)).map(|_| {
                let mut ports: BTreeSet<usize> = (0..n_ports).filter(|_| dice.below(3) > 0).collect();
                ports.insert(dice.below(n_ports));
                (ports, 1 + dice.below(3) as u64)
            });
            let rules = rules.collect();
            let fails_at = (dice.below(8) == 0).then(|| 1 + dice.below(2) as u64);
            nodes.push(Node { n_ports, rules, arcs: Vec::new(), fails_at });
        }
        for node_idx in 0..n_nodes {
            for _ in 0..1 + dice.below(2) {
                let target = dice.below(n_nodes);
                let port = dice.below(nodes[target].n_ports);
                let sends = match dice.below(4) {
                    0 => Sends::UpTo(1 + dice.below(2) as u64),
                    1 if nodes[node_idx].rules.len() > 1 => Sends::ByRule(dice.below(2)),
                    _ => Sends::Always,
                };
                nodes[node_idx].arcs.push((target, port, sends));
            }
        }
        let mut first = Vec::new();
        for (node_idx, node) in nodes.iter().enumerate() {
            for port in 0..node.n_ports {
                if dice.below(3) == 0 {
                    first.push((node_idx, port, 1 + dice.below(2) as u64));
                }
            }
        }
        Self { nodes, first }
    }

    fn text(&self) -> String {
        let mut arcs = Vec::new();
        let mut start = String::from("[graph.main.uc.S]\nstart = true\n");
        let outs: Vec<String> = (0..self.first.len()).map(|out| format!("o{out} = \"int\"")).collect();
        let sent = self.first.iter().enumerate().map(|(out, (node, port, n_values))| {
            arcs.push(format!("\"S.o{out} -> N{node}.p{port}\""));
            format!("\"o{out} <- k for k in 0..{n_values}\"")
        });
        let sent: Vec<String> = sent.collect();
        let _ = writeln!(start, "out = {{ {} }}\nroute = [{}]", outs.join(", "), sent.join(", "));
        let mut text = String::new();
        for (node_idx, node) in self.nodes.iter().enumerate() {
            let ports: Vec<String> = (0..node.n_ports).map(|port| format!("p{port} = \"int\"")).collect();
            let rules = node.rules.iter().map(|(ports, last)| {
                let takes: Vec<String> = ports.iter().map(|port| format!("p{port} -> x{port}")).collect();
                format!("\"{} if count <= {last}\"", takes.join(", "))
            });
            let rules: Vec<String> = rules.collect();
            let outs: Vec<String> = (0..node.arcs.len()).map(|out| format!("q{out} = \"int\"")).collect();
            let routes = node.arcs.iter().enumerate().map(|(out, (target, port, sends))| {
                arcs.push(format!("\"N{node_idx}.q{out} -> N{target}.p{port}\""));
                match sends {
                    Sends::Always => format!("\"q{out} <- 1\""),
                    Sends::UpTo(last) => format!("\"q{out} <- 1 if count <= {last}\""),
                    Sends::ByRule(rule) => format!("\"q{out} <- 1 if rule == {rule}\""),
                }
            });
            let routes: Vec<String> = routes.collect();
            let _ = writeln!(
                text,
                "[graph.main.uc.N{node_idx}]\nin = {{ {} }}\nout = {{ {} }}\nfire = [{}]\nroute = [{}]",
                ports.join(", "),
                outs.join(", "),
                rules.join(", "),
                routes.join(", ")
            );
            if let Some(count) = node.fails_at {
                let _ = writeln!(text, "do = 'if count == {count} {{ throw \"no\"; }}'");
            }
        }
        format!("hasse = 1\nmain = \"main\"\n[graph.main]\narcs = [{}]\n{start}{text}", arcs.join(", "))
    }

    fn is_enabled(&self, state: &State, node: usize, rule: usize) -> bool {
        let (ports, last) = &self.nodes[node].rules[rule];
        !state.failed[node]
            && state.counts[node] < *last
            && ports.iter().all(|port| state.queued[node][*port] > 0)
    }

    /// Takes the values of a rule.
    fn begin(&self, state: &mut State, node: usize, rule: usize) {
        let (ports, _) = &self.nodes[node].rules[rule];
        ports.iter().for_each(|port| state.queued[node][*port] -= 1);
        state.counts[node] += 1;
    }

    /// Sends what the execution by a rule sends, or fails.
    fn end(&self, state: &mut State, node: usize, rule: usize) {
        let count = state.counts[node];
        if self.nodes[node].fails_at == Some(count) {
            state.failed[node] = true;
            return;
        }
        for &(target, port, sends) in &self.nodes[node].arcs {
            let is_sent = match sends {
                Sends::Always => true,
                Sends::UpTo(last) => count <= last,
                Sends::ByRule(by) => by == rule,
            };
            state.queued[target][port] += u64::from(is_sent);
        }
    }

    /// All nodes that execute in some continuation: brute force.
    fn may_still_fire(&self, from: State) -> BTreeSet<usize> {
        let mut fired = BTreeSet::new();
        let mut known: BTreeSet<State> = BTreeSet::from([from.clone()]);
        let mut open = vec![from];
        while let Some(state) = open.pop() {
            for node in 0..self.nodes.len() {
                for rule in 0..self.nodes[node].rules.len() {
                    if !self.is_enabled(&state, node, rule) {
                        continue;
                    }
                    fired.insert(node);
                    let mut next = state.clone();
                    self.begin(&mut next, node, rule);
                    self.end(&mut next, node, rule);
                    if known.insert(next.clone()) {
                        open.push(next);
                    }
                }
            }
        }
        fired
    }

    /// Whether there is a circle where nothing can fire, by the definition, looked for naively.
    fn has_circle(&self, state: &State) -> bool {
        let rules: Vec<(usize, usize)> = (0..self.nodes.len())
            .flat_map(|node| (0..self.nodes[node].rules.len()).map(move |rule| (node, rule)))
            .filter(|(node, rule)| {
                !state.failed[*node] && state.counts[*node] < self.nodes[*node].rules[*rule].1
            })
            .collect();
        let missing = |(node, rule): (usize, usize)| -> Vec<usize> {
            let ports = self.nodes[node].rules[rule].0.iter();
            ports.copied().filter(|port| state.queued[node][*port] == 0).collect()
        };
        let holds = |at: (usize, usize)| missing(at).len() < self.nodes[at.0].rules[at.1].0.len();
        // Nodes that are needed by those that hold values.
        let mut needed: BTreeSet<usize> = (0..self.nodes.len())
            .filter(|node| !state.failed[*node] && state.queued[*node].iter().any(|n_values| *n_values > 0))
            .collect();
        loop {
            let ports: BTreeSet<(usize, usize)> = rules
                .iter()
                .filter(|(node, _)| needed.contains(node))
                .flat_map(|at| missing(*at).into_iter().map(move |port| (at.0, port)))
                .collect();
            let senders = (0..self.nodes.len()).filter(|node| {
                self.nodes[*node].arcs.iter().any(|(target, port, _)| ports.contains(&(*target, *port)))
            });
            let before = needed.len();
            let senders: Vec<usize> = senders.collect();
            needed.extend(senders);
            if needed.len() == before {
                break;
            }
        }
        let mut waits: BTreeMap<(usize, usize), BTreeSet<(usize, usize)>> = BTreeMap::new();
        let mut leads_to_failed: BTreeSet<(usize, usize)> = BTreeSet::new();
        for &at in rules.iter().filter(|(node, _)| needed.contains(node)) {
            for port in missing(at) {
                for (sender, node) in self.nodes.iter().enumerate() {
                    for &(target, to, sends) in &node.arcs {
                        if (target, to) != (at.0, port) {
                            continue;
                        }
                        if state.failed[sender] {
                            leads_to_failed.insert(at);
                        }
                        for &next in rules.iter().filter(|(node, _)| *node == sender) {
                            let is_waited_for = match sends {
                                Sends::Always => true,
                                Sends::ByRule(rule) => rule == next.1,
                                Sends::UpTo(_) => holds(at) && holds(next),
                            };
                            if is_waited_for {
                                waits.entry(at).or_default().insert(next);
                            }
                        }
                    }
                }
            }
        }
        let reached = |from: (usize, usize)| {
            let mut reached = BTreeSet::new();
            let mut open = vec![from];
            while let Some(at) = open.pop() {
                for &next in waits.get(&at).into_iter().flatten() {
                    if reached.insert(next) {
                        open.push(next);
                    }
                }
            }
            reached
        };
        waits.keys().any(|&at| {
            let mut all = reached(at);
            let is_in_circle = all.contains(&at);
            all.insert(at);
            is_in_circle && all.is_disjoint(&leads_to_failed)
        })
    }
}

/// The state of a run at rest, the node that is stopped with its rule, and the circle that is named.
fn at_rest(
    net: &Net,
    plan: &Plan,
    breakpoint: Option<usize>,
    n_workers: usize,
) -> (State, Option<(usize, usize)>, Vec<CycleStep>, RunReport) {
    let control = Control::new();
    if let Some(node) = breakpoint {
        let within = Some(Selector::from_str(&format!("N{node}")).unwrap());
        let stop = Breakpoint {
            within,
            place: Place::Befcomp,
            condition: None,
            n_ignored: 0,
            reaction: Reaction::Stop,
        };
        control.set_breakpoint(plan, 1, stop).unwrap();
    }
    let options = RunOptions { reclaim_above: DEFAULT_RECLAIM_ABOVE, ..recording::options(n_workers, None) };
    let (found, recorded) = driven(plan, &options, &control, Recording::Full, |control| {
        control.wait_for_rest();
        let found = control
            .ask(|inspector| {
                let actions = inspector.actions();
                let stopped = actions.iter().find(|action| matches!(action.state, ActionState::Stopped(_)));
                let rule = stopped.map(|stopped| inspector.action(&stopped.path).unwrap().rule);
                (actions, rule.flatten(), inspector.queues(), inspector.wait_cycle())
            })
            .unwrap();
        control.delete_breakpoint(1);
        control.ask(|inspector| inspector.resume_all(false)).unwrap();
        control.wait_for_rest();
        found
    });
    let (actions, rule, queues, cycle) = found;
    let node_of = |path: &str| path.strip_prefix("/N").and_then(|number| number.parse::<usize>().ok());
    let n_nodes = net.nodes.len();
    let queued = net.nodes.iter().map(|node| vec![0; node.n_ports]).collect();
    let mut state = State { counts: vec![0; n_nodes], queued, failed: vec![false; n_nodes] };
    let mut stopped = None;
    for action in &actions {
        let Some(node) = node_of(&action.path) else { continue };
        state.counts[node] = action.count;
        state.failed[node] = action.state == ActionState::Failed;
        if matches!(action.state, ActionState::Stopped(_)) {
            stopped = Some((node, rule.unwrap() as usize));
        }
    }
    for count in queues {
        let name = &plan.templates[count.template.idx()].name;
        if let Some(node) = node_of(&format!("/{name}")) {
            state.queued[node][count.port] += count.n_values;
        }
    }
    (state, stopped, cycle, recorded.report)
}

/// Each action of a circle misses a value on the port that is named, and the next one sends there.
fn assert_waits(net: &Net, state: &State, cycle: &[CycleStep], text: &str) {
    for (step, next) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
        let number = |path: &str| path.strip_prefix("/N").unwrap().parse::<usize>().unwrap();
        let (node, next) = (number(&step.action), number(&next.action));
        let port: usize = step.port.strip_prefix('p').unwrap().parse().unwrap();
        assert_eq!(state.queued[node][port], 0, "{step:?}\n{text}");
        let leads = net.nodes[next].arcs.iter().any(|(target, to, _)| (*target, *to) == (node, port));
        assert!(leads, "{step:?}\n{text}");
    }
}

/// Generated programs on which the law is tried.
fn n_programs() -> u64 {
    std::env::var("HASSE_LAW_PROGRAMS").ok().and_then(|number| number.parse().ok()).unwrap_or(300)
}

#[test]
fn circles_are_those_of_the_definition_where_nothing_can_fire() {
    let mut n_circles = 0;
    for seed in 0..n_programs() {
        let net = Net::new(seed);
        let text = net.text();
        let plan = compile(&text);
        let (state, _, cycle, report) = at_rest(&net, &plan, None, 1 + seed as usize % 2);
        assert!(net.may_still_fire(state.clone()).is_empty(), "{state:?}\n{text}");
        assert_eq!(!cycle.is_empty(), net.has_circle(&state), "seed {seed}: {cycle:?} {state:?}\n{text}");
        assert_waits(&net, &state, &cycle, &text);
        // The report names what the session names.
        let named: Vec<&String> = cycle.iter().map(|step| &step.action).collect();
        let warns = hasse_compiler::compile(&text, &hasse_runtime::body::functions()).diagnostics;
        let always_leaves = warns.iter().any(|found| found.code == "W0006");
        assert!(!always_leaves || report.outcome != RunOutcome::Finished, "{text}");
        if report.outcome != RunOutcome::Finished {
            assert_eq!(report.wait_cycle.iter().collect::<Vec<_>>(), named, "{text}");
        }
        n_circles += usize::from(!cycle.is_empty());
    }
    assert!(n_circles > 0);
}

#[test]
fn no_action_of_a_circle_fires_in_any_continuation() {
    let mut n_circles = 0;
    for seed in 0..n_programs() {
        let net = Net::new(seed);
        let text = net.text();
        let plan = compile(&text);
        for node in 0..net.nodes.len() {
            let (mut state, stopped, cycle, _) = at_rest(&net, &plan, Some(node), 1);
            assert_waits(&net, &state, &cycle, &text);
            if let Some((node, rule)) = stopped {
                net.end(&mut state, node, rule);
                // It would still be stopped when the circle is looked for.
                assert!(cycle.iter().all(|step| step.action != format!("/N{node}")), "{text}");
            }
            let fires = net.may_still_fire(state);
            for step in &cycle {
                let number: usize = step.action.strip_prefix("/N").unwrap().parse().unwrap();
                assert!(!fires.contains(&number), "seed {seed}: {cycle:?}\n{text}");
            }
            n_circles += usize::from(!cycle.is_empty() && stopped.is_some());
        }
    }
    assert!(n_circles > 0);
}

fn report(name: &str) -> RunReport {
    let text = std::fs::read_to_string(format!("tests/cases/waiting/{name}.hasse")).unwrap();
    record(&compile(&text), 2, None).report
}

fn failed(report: &RunReport) -> Vec<&str> {
    let causes = report.wait_causes.iter().filter_map(|cause| match cause {
        WaitCause::Failed { event, .. } => Some(event.as_str()),
        WaitCause::NoSender { .. } => None,
    });
    causes.collect()
}

#[test]
fn circle_goes_through_actions_that_do_not_exist() {
    assert_eq!(report("cycle-through-uncreated").wait_cycle, ["/A", "/B"]);
    // Where one group gets both places, all groups come to their end.
    let semaphore = report("no-cycle-semaphore");
    if semaphore.results.is_empty() {
        // Which tasks wait is a free choice; how they wait for each other is not.
        let nodes: Vec<&str> =
            semaphore.wait_cycle.iter().map(|path| path.split(['/', '[']).nth(1).unwrap()).collect();
        assert_eq!(nodes, ["Semaphore", "Post", "Common", "Pre"], "{:?}", semaphore.wait_cycle);
    }
}

#[test]
fn loop_that_has_ended_is_no_circle() {
    assert!(report("false-cycle").wait_cycle.is_empty());
    assert!(report("false-self-cycle").wait_cycle.is_empty());
}

#[test]
fn failed_event_is_the_cause_of_those_that_wait_for_it() {
    let leak = report("failing");
    assert_eq!(failed(&leak).len(), 2, "{leak:?}");
    assert!(failed(&leak).iter().all(|event| event.starts_with("/B[")), "{leak:?}");
    assert!(leak.wait_cycle.is_empty());
    let squares = report("failed-then-quiescent");
    // What failed is not said to be able to go on.
    assert!(squares.quiescence.iter().all(|waiting| !waiting.has_failed || waiting.rules.is_empty()));
}

#[test]
fn value_that_nothing_sends_is_the_cause() {
    let merge = report("ifmerge");
    let [WaitCause::NoSender { action, port, senders }] = merge.wait_causes.as_slice() else {
        panic!("{merge:?}")
    };
    assert_eq!((action.as_str(), port.as_str()), ("/Merge", "no"));
    let senders: Vec<_> = senders.iter().map(|sender| (sender.action.as_str(), sender.n_executed)).collect();
    assert_eq!(senders, [("/Route", Some(1))]);
}

#[test]
fn instances_that_wait_alike_are_one_class() {
    let text = std::fs::read_to_string("tests/cases/waiting/fan.hasse").unwrap();
    let text = text.replace("int = 200000", "int = 2000").replace("int = -1", "int = 7");
    let fan = record(&compile(&text), 2, None).report;
    assert_eq!(fan.outcome, RunOutcome::Quiescent);
    let [class] = fan.waiting_classes.as_slice() else { panic!("{fan:?}") };
    assert_eq!((class.n_actions, class.first.queued.len(), class.first.n_more_queued), (1, 100, 1899));
    let [WaitCause::NoSender { port, senders, .. }] = fan.wait_causes.as_slice() else { panic!("{fan:?}") };
    assert_eq!((port.as_str(), senders[0].action.as_str()), ("y[7]", "/Task[7]"));
}

#[test]
fn values_that_may_be_left_do_not_make_a_run_quiescent() {
    let text = std::fs::read_to_string("tests/cases/waiting/leftover-credits.hasse").unwrap();
    assert_eq!(record(&compile(&text), 2, None).report.outcome, RunOutcome::Quiescent);
    let text = text.replace(
        "place = \"bool\" }\nout   = { job = \"int\" }\nfire",
        "place = { type = \"bool\", left = \"ok\" } }\nout   = { job = \"int\" }\nfire",
    );
    let report = record(&compile(&text), 2, None).report;
    assert_eq!(report.outcome, RunOutcome::Finished, "{text}");
    assert!(report.quiescence.is_empty());
}

/// A run that lets go of no action.
fn kept(text: &str) -> RunReport {
    record_with(&compile(text), &kept_options()).report
}

fn kept_options() -> RunOptions {
    RunOptions { reclaim_above: DEFAULT_RECLAIM_ABOVE, ..recording::options(2, None) }
}

/// A recursion of thousands of levels ends in the time that it takes to run it.
#[test]
fn end_of_a_deep_recursion_is_looked_at_once() {
    let text = std::fs::read_to_string("tests/cases/waiting/deep.hasse").unwrap();
    let text = text.replace("int = 100000", "int = 3000");
    assert_eq!(kept(&text).outcome, RunOutcome::Finished);
    // The same with a value left at each level.
    let text = text
        .replace("F.down -> R.i\"", "F.down -> R.i\", \"F.down -> F.never\"")
        .replace("in = { i = \"int\" }\nout = { down", "in = { i = \"int\", never = \"int\" }\nout = { down");
    let text =
        text.replace("fire = [\"i -> x\"]\nroute", "fire = [\"i -> x\", \"never -> y if count > 9\"]\nroute");
    let left = kept(&text);
    assert_eq!((left.outcome, left.n_waiting), (RunOutcome::Quiescent, 3000), "{text}");
}

/// Nodes and calls that nothing has been sent to are explained, too.
#[test]
fn node_that_does_not_exist_is_explained() {
    let plan = compile(&std::fs::read_to_string("tests/cases/waiting/deep.hasse").unwrap());
    let control = Control::new();
    let within = Some(Selector::from_str("A").unwrap());
    let stop =
        Breakpoint { within, place: Place::Befcomp, condition: None, n_ignored: 0, reaction: Reaction::Stop };
    control.set_breakpoint(&plan, 1, stop).unwrap();
    let options = RunOptions { params: vec![("n".to_owned(), Value::Int(2))], ..kept_options() };
    driven(&plan, &options, &control, Recording::Full, |control| {
        control.wait_for_rest();
        let why = |path: &'static str| control.ask(move |inspector| inspector.explain(path)).unwrap();
        let senders = |missing: &MissingValue| -> Vec<String> {
            missing.senders.iter().map(|sender| sender.action.clone()).collect()
        };
        let call = why("/R").unwrap();
        assert_eq!((call.state, call.inputs[0].port.as_str()), (ActionState::NotCreated, "i"));
        assert_eq!(senders(&call.inputs[0]), ["/A"]);
        let first = why("/R/F").unwrap();
        assert_eq!(senders(&first.rules[0].missing[0]), ["/A"]);
        let second = why("/R/R/F").unwrap();
        assert_eq!(senders(&second.rules[0].missing[0]), ["/R/F"]);
        assert_eq!(second.rules[0].missing[0].senders[0].state, ActionState::NotCreated);
        assert!(why("/Nobody").is_err() && why("/R[3]").is_err());
        assert_eq!(control.ask(|inspector| inspector.wait_cycle()).unwrap(), []);
        control.delete_breakpoint(1);
        control.ask(|inspector| inspector.resume_all(false)).unwrap();
        control.wait_for_rest();
    });
}
