//! Ports that drop values when they are full: of what is sent, all is taken, left or counted as dropped, in the recorded run and in
//! its replays, and the values that are left are the oldest or the newest ones.

use hasse_model::plan::FullPolicy;
use hasse_runtime::report::{RunOutcome, RunReport};
use hasse_runtime::run::Recording;
use proptest::prelude::*;

use crate::generator::Dice;
use crate::minimal::{assert_same_run, replay_minimal};
use crate::n_programs;
use crate::recording::{Recorded, compile, digest, options, record, record_as, replay_of};

/// Sources that send to one node, which passes values on to another one.
struct Pipeline {
    /// By source: number of executions, and of values that each sends at once.
    sources: Vec<(u64, u64)>,
    /// Bounds and policies of the two nodes behind them.
    ports: [(u64, FullPolicy); 2],
    /// Number of values that the first of them sends at once.
    n_passed: u64,
    /// True if values go through an inner graph.
    is_nested: bool,
}

impl Pipeline {
    fn new(dice: &mut Dice) -> Self {
        let n_sources = 1 + dice.below(2);
        let sources = (0..n_sources).map(|_| {
            let n_at_once = if dice.chance(50) { 1 } else { 1 + dice.below(6) as u64 };
            (1 + dice.below(120) as u64, n_at_once)
        });
        let sources = sources.collect();
        let mut port = || {
            let policy = [FullPolicy::DropOldest, FullPolicy::DropNewest, FullPolicy::Wait][dice.below(3)];
            (1 + dice.below(6) as u64, policy)
        };
        let ports = [port(), port()];
        let n_passed = if dice.chance(70) { 1 } else { 1 + dice.below(3) as u64 };
        Self { sources, ports, n_passed, is_nested: dice.chance(30) }
    }

    fn text(&self) -> String {
        let mut arcs = Vec::new();
        let mut tables = String::new();
        for (name, (n_rounds, n_at_once)) in self.sources.iter().enumerate() {
            arcs.push(format!("S{name}.next -> S{name}.next"));
            arcs.push(format!("S{name}.o -> {}", if self.is_nested { "Inner.a" } else { "Mid.a" }));
            tables.push_str(&format!(
                "\n[graph.main.uc.S{name}]\nstart = true\nin = {{ next = \"int\" }}\n\
                 out = {{ next = \"int\", o = \"int\" }}\nfire = [\"next -> _k\"]\n\
                 route = [\"o <- {name} * 1000000 + count * 100 + k for k in 0..{n_at_once}\", \
                 \"next <- count if count < {n_rounds}\"]\n"
            ));
        }
        let port = |(bound, policy): (u64, FullPolicy)| {
            format!("{{ type = \"int\", bound = {bound}, full = \"{}\" }}", policy.name())
        };
        let mid = format!(
            "in = {{ a = {} }}\nout = {{ o = \"int\" }}\nfire = [\"a -> v\"]\ndo = 'print(`M ${{v}}`);'\n\
             route = [\"o <- v * 10 + k for k in 0..{}\"]\n",
            port(self.ports[0]),
            self.n_passed
        );
        if self.is_nested {
            tables.push_str("\n[graph.main.call.Inner]\ngraph = \"inner\"\n");
            tables.push_str("\n[graph.inner]\nin = { a = \"int\" }\nout = { o = \"int\" }\n");
            tables.push_str("arcs = [\"in.a -> Mid.a\", \"Mid.o -> out.o\"]\n");
            tables.push_str(&format!("\n[graph.inner.uc.Mid]\n{mid}"));
        } else {
            tables.push_str(&format!("\n[graph.main.uc.Mid]\n{mid}"));
        }
        arcs.push(format!("{}.o -> End.a", if self.is_nested { "Inner" } else { "Mid" }));
        tables.push_str(&format!(
            "\n[graph.main.uc.End]\nin = {{ a = {} }}\nfire = [\"a -> v\"]\ndo = 'print(`E ${{v}}`);'\n",
            port(self.ports[1])
        ));
        format!("hasse = 1\nmain = \"main\"\n\n[graph.main]\narcs = {arcs:?}\n{tables}")
    }

    fn n_sent(&self) -> u64 {
        self.sources.iter().map(|(n_rounds, n_at_once)| n_rounds * n_at_once).sum()
    }
}

fn taken(recorded: &Recorded, node: &str) -> Vec<i64> {
    let of_node = recorded.lines.iter().filter_map(|line| line.strip_prefix(node)?.strip_prefix(' '));
    of_node.map(|number| number.parse().unwrap()).collect()
}

fn n_dropped(report: &RunReport, node: &str) -> u64 {
    let is_it = |port: &str| port.ends_with(&format!("{node}.a"));
    report.dropped.iter().filter(|dropped| is_it(&dropped.port)).map(|dropped| dropped.n_values).sum()
}

/// Values of one source come in their order; where the oldest or the newest ones are dropped, the others stay.
fn assert_in_order(pipeline: &Pipeline, mid: &[i64], text: &str) {
    let (bound, policy) = pipeline.ports[0];
    for (source, (n_rounds, n_at_once)) in pipeline.sources.iter().enumerate() {
        let of_source = mid.iter().filter(|value| **value / 1_000_000 == source as i64);
        let of_source: Vec<i64> = of_source.copied().collect();
        assert!(of_source.is_sorted_by(|left, right| left < right), "{of_source:?}\n{text}");
        let value = |round: u64, position: u64| (source as u64 * 1_000_000 + round * 100 + position) as i64;
        match policy {
            FullPolicy::Wait => assert_eq!(of_source.len() as u64, n_rounds * n_at_once, "{text}"),
            FullPolicy::DropNewest if pipeline.sources.len() == 1 => {
                assert_eq!(of_source[0], value(1, 0), "{text}");
            }
            FullPolicy::DropOldest if pipeline.sources.len() == 1 => {
                let n_last = bound.min(*n_at_once);
                for position in n_at_once - n_last..*n_at_once {
                    assert!(of_source.contains(&value(*n_rounds, position)), "{of_source:?}\n{text}");
                }
            }
            _ => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: n_programs(), ..ProptestConfig::default() })]

    #[test]
    fn values_are_taken_or_counted_as_dropped(seed in any::<u64>()) {
        let pipeline = Pipeline::new(&mut Dice::new(seed));
        let text = pipeline.text();
        let plan = compile(&text);
        let assert_whole = |recorded: &Recorded| {
            assert_eq!(recorded.report.outcome, RunOutcome::Finished, "{text}");
            let (mid, end) = (taken(recorded, "M"), taken(recorded, "E"));
            let (of_mid, of_end) = (n_dropped(&recorded.report, "Mid"), n_dropped(&recorded.report, "End"));
            assert_eq!(mid.len() as u64 + of_mid, pipeline.n_sent(), "{text}");
            assert_eq!(end.len() as u64 + of_end, mid.len() as u64 * pipeline.n_passed, "{text}");
            assert_in_order(&pipeline, &mid, &text);
        };
        for (n_workers, scheduler) in [(1, None), (2, None), (4, None), (3, Some(seed))] {
            let recorded = record(&plan, n_workers, scheduler);
            assert_whole(&recorded);
            let replayed = replay_of(&plan, &recorded.batches, 2, None);
            assert_same_run(&replayed, &recorded, &text);
            prop_assert_eq!(&replayed.report.dropped, &recorded.report.dropped, "{}", text);
            prop_assert_eq!(digest(&plan, &replayed.batches), digest(&plan, &recorded.batches), "{}", text);
            let minimal = record_as(&plan, &options(n_workers, scheduler), Recording::Minimal);
            assert_whole(&minimal);
            let replayed = replay_minimal(&plan, &options(2, None), &minimal, &minimal.batches);
            assert_same_run(&replayed, &minimal, &text);
            prop_assert_eq!(&replayed.report.dropped, &minimal.report.dropped, "{}", text);
            let unrecorded = record_as(&plan, &options(n_workers, scheduler), |_| Recording::None);
            assert_whole(&unrecorded);
        }
    }
}

#[test]
fn some_pipelines_drop_values_and_some_drop_none() {
    let n_dropping = (0..60).filter(|&seed| {
        let plan = compile(&Pipeline::new(&mut Dice::new(seed)).text());
        !record(&plan, 2, Some(seed)).report.dropped.is_empty()
    });
    let n_dropping = n_dropping.count();
    assert!(n_dropping > 15 && n_dropping < 58, "{n_dropping}");
}
