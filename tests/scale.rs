//! Programs that grow without bound hold no memory for what is finished: chains of instances created as
//! values come, wavefronts, and recursion. Sizes for the release build are in `benches/bars`.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub, dead_code, reason = "tests")]

#[path = "laws/recording.rs"]
mod recording;

use hasse_model::value::Value;
use hasse_runtime::report::{RunOutcome, RunReport};
use hasse_runtime::run::{DEFAULT_RECLAIM_ABOVE, Recording, RunOptions, run};
use recording::{compile, digest, options, record_with, replay_with};

/// The programs that `benches/bars` measures, larger.
const CHAIN: &str = include_str!("../benches/programs/chain.hasse");
const WAVEFRONT: &str = include_str!("../benches/programs/wavefront.hasse");
const RECURSION: &str = include_str!("../benches/programs/recursion.hasse");

fn sized(n: i64) -> RunOptions {
    let params = vec![("n".to_owned(), Value::Int(n))];
    RunOptions { params, reclaim_above: 1000, ..options(2, None) }
}

fn report(text: &str, options: &RunOptions) -> RunReport {
    run(&compile(text), options, Recording::None, Box::new(|_| {})).unwrap()
}

#[track_caller]
fn assert_mostly_reclaimed(report: &RunReport, n_actions: u64) {
    assert_eq!((report.outcome, report.n_actions), (RunOutcome::Finished, n_actions));
    assert!(report.n_reclaimed > n_actions * 8 / 10, "{} of {n_actions}", report.n_reclaimed);
}

#[test]
fn links_of_a_chain_that_are_done_are_let_go_of() {
    assert_mostly_reclaimed(&report(CHAIN, &sized(100_000)), 100_002);
}

#[test]
fn cells_behind_a_wavefront_are_let_go_of() {
    assert_mostly_reclaimed(&report(WAVEFRONT, &sized(150)), 150 * 150 + 2);
}

#[test]
fn calls_that_have_returned_are_let_go_of() {
    // On the way down only the upper halves are done, on the way back all of it.
    let n = 20_000;
    let ran = report(RECURSION, &sized(n));
    assert_eq!(ran.results, [("depth".to_owned(), Value::Int(n))]);
    assert!(ran.n_reclaimed > n as u64, "{} of {}", ran.n_reclaimed, ran.n_actions);
}

#[test]
fn few_instances_are_not_looked_at() {
    let few = RunOptions { reclaim_above: DEFAULT_RECLAIM_ABOVE, ..sized(1000) };
    assert_eq!(report(CHAIN, &few).n_reclaimed, 0);
}

#[test]
fn a_deep_recursion_replays() {
    let (plan, n) = (compile(RECURSION), Value::Int(3000));
    let options = RunOptions { params: vec![("n".to_owned(), n)], ..sized(0) };
    let recorded = record_with(&plan, &options);
    let again = replay_with(&plan, &options, &recorded.batches);
    assert_eq!(again.report.divergence, None);
    assert_eq!(digest(&plan, &again.batches), digest(&plan, &recorded.batches));
}
