//! Running, recording and replaying generated programs in memory.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use hasse_debugger::sort::Sorter;
use hasse_model::digest::{Digest, Digester};
use hasse_model::event::{EventBatch, EventRecord};
use hasse_model::function::FunctionTable;
use hasse_model::plan::Plan;
use hasse_model::record_options::ResolvedOptions;
use hasse_model::trace::Names;
use hasse_runtime::capture::Capture;
use hasse_runtime::natives::Natives;
use hasse_runtime::report::RunReport;
use hasse_runtime::run::{
    EventSink, Output, Recording, ReplayRecord, RunOptions, StopSignal, replay, replay_restricted, run,
};

/// Batches in the order in which they were handed over.
#[derive(Clone, Default)]
pub struct MemorySink(Arc<Mutex<Vec<EventBatch>>>);

impl MemorySink {
    /// What was handed over so far.
    pub fn batches(&self) -> Vec<EventBatch> {
        self.0.lock().unwrap().clone()
    }
}

impl EventSink for MemorySink {
    fn take_batch(&mut self, batch: &EventBatch) -> io::Result<()> {
        self.0.lock().unwrap().push(batch.clone());
        Ok(())
    }

    fn finish(&mut self, _: &RunReport, _: &hasse_runtime::run::Idle) -> io::Result<()> {
        Ok(())
    }
}

/// A run or replay with everything that came out of it.
pub struct Recorded {
    pub report: RunReport,
    pub lines: Vec<String>,
    pub batches: Vec<EventBatch>,
}

pub fn options(n_workers: usize, seed: Option<u64>) -> RunOptions {
    RunOptions {
        n_workers,
        seed,
        params: Vec::new(),
        sandbox: Default::default(),
        program_folder: PathBuf::from("."),
        natives: Natives::new(),
        stop: StopSignal::default(),
        // Looks all the time, so that the laws hold of reclaiming, too.
        reclaim_above: 0,
        tiers: Default::default(),
        capture: Capture::none(),
        control: None,
        chooser: None,
        // A seed gives one run.
        virtual_time: seed.is_some(),
        checkpoints: None,
        writes_ahead: false,
    }
}

pub fn compile(text: &str) -> Plan {
    compile_with(text, &hasse_body::functions())
}

/// The plan of a program that calls functions of its own.
pub fn compile_with(text: &str, functions: &FunctionTable) -> Plan {
    let compiled = hasse_compiler::compile(text, functions);
    compiled.plan.unwrap_or_else(|| {
        let listed: Vec<_> = compiled.diagnostics.iter().map(ToString::to_string).collect();
        panic!("a generated program does not compile:\n{}\n{text}", listed.join("\n"))
    })
}

pub fn record(plan: &Plan, n_workers: usize, seed: Option<u64>) -> Recorded {
    record_with(plan, &options(n_workers, seed))
}

pub fn record_with(plan: &Plan, options: &RunOptions) -> Recorded {
    record_as(plan, options, Recording::Full)
}

pub fn record_restricted(plan: &Plan, options: &RunOptions, selected: &ResolvedOptions) -> Recorded {
    record_as(plan, options, |sink| Recording::Restricted(sink, selected.clone()))
}

pub fn record_as(
    plan: &Plan,
    options: &RunOptions,
    recording: impl FnOnce(Box<dyn EventSink>) -> Recording<'static>,
) -> Recorded {
    let sink = MemorySink::default();
    let (lines, output) = lines();
    let recording = recording(Box::new(sink.clone()));
    let report = run(plan, options, recording, output).unwrap();
    Recorded { report, lines: lines.lock().unwrap().clone(), batches: sink.batches() }
}

pub fn replay_of(plan: &Plan, batches: &[EventBatch], n_workers: usize, seed: Option<u64>) -> Recorded {
    replay_with(plan, &options(n_workers, seed), batches)
}

pub fn replay_restricted_of(
    plan: &Plan,
    options: &RunOptions,
    batches: &[EventBatch],
    selected: &ResolvedOptions,
) -> Recorded {
    let sink = MemorySink::default();
    let (lines, output) = lines();
    let record = replay_record(plan, batches);
    let (to, selected) = (Box::new(sink.clone()), selected.clone());
    let report = replay_restricted(plan, options, record, selected, to, output).unwrap();
    Recorded { report, lines: lines.lock().unwrap().clone(), batches: sink.batches() }
}

pub fn replay_record(plan: &Plan, batches: &[EventBatch]) -> ReplayRecord {
    ReplayRecord {
        batches: batches.to_vec(),
        templates: plan.template_labels(),
        shared: plan.shared_labels(),
        calls: plan.call_labels(),
        ..ReplayRecord::default()
    }
}

pub fn replay_with(plan: &Plan, options: &RunOptions, batches: &[EventBatch]) -> Recorded {
    let sink = MemorySink::default();
    let (lines, output) = lines();
    let record = replay_record(plan, batches);
    let report = replay(plan, options, record, Some(Box::new(sink.clone())), output).unwrap();
    Recorded { report, lines: lines.lock().unwrap().clone(), batches: sink.batches() }
}

pub type Lines = Arc<Mutex<Vec<String>>>;

pub fn lines() -> (Lines, Output) {
    let lines = Lines::default();
    let sink = Arc::clone(&lines);
    (lines, Box::new(move |line: &str| sink.lock().unwrap().push(line.to_owned())))
}

pub fn names(plan: &Plan, batches: &[EventBatch]) -> Names {
    let mut names = Names::from_parts(plan.template_labels(), plan.shared_labels(), plan.call_labels());
    batches.iter().for_each(|batch| names.read(batch));
    names
}

pub fn digest(plan: &Plan, batches: &[EventBatch]) -> Digest {
    let names = names(plan, batches);
    let mut digester = Digester::default();
    for event in batches.iter().flat_map(EventBatch::events) {
        digester.add(&event, &names);
    }
    digester.finish()
}

/// The events in a causal order, and how many could not be delivered.
pub fn sorted(batches: &[EventBatch]) -> (Vec<EventRecord>, u64) {
    let mut delivered = Vec::new();
    let mut sorter = Sorter::default();
    for event in batches.iter().flat_map(EventBatch::events) {
        sorter.push(event, &mut |event| delivered.push(event)).unwrap();
    }
    (delivered, sorter.finish().n_events)
}
