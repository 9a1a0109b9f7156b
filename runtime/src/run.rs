//! Entry points: run a plan, replay a record.

mod request;

use std::hash::BuildHasher;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

use hasse_model::plan::Plan;
use hasse_model::record_options::ResolvedOptions;
use hasse_model::value::Value;
use parking_lot::Mutex;

use crate::body::convert::value_from_dynamic;
use crate::body::script;
use crate::collector::{Collector, circle};
use crate::effects::SharedContext;
use crate::end;
pub use crate::end::Idle;
use crate::graph::GraphInstance;
use crate::instance::Registry;
use crate::instrumentation::full::Full;
use crate::instrumentation::minimal::{Gives, Minimal};
use crate::instrumentation::off::Off;
use crate::instrumentation::restricted::Restricted;
use crate::instrumentation::results::KnownResults;
use crate::instrumentation::{Instrumentation, ResultOrder};
use crate::output::OutputOrder;
use crate::pool::Pool;
use crate::program::Program;
use crate::reclaim::Reclaim;
use crate::replay::Script;
use crate::report::RunReport;
use crate::results::Results;
use crate::sandbox::Outside;
use crate::scheduler::Scheduler;
use crate::scheduler::free::Free;
use crate::scheduler::seeded::Seeded;
use crate::session::Session;
use crate::worker::{Ready, Worker};

pub use request::{
    DEFAULT_RECLAIM_ABOVE, EventSink, MinimalRecord, Output, Recording, ReplayRecord, RunOptions,
    RuntimeError, StopSignal,
};

/// Runs a plan to its end.
///
/// # Errors
/// [`RuntimeError`] where the run could not be carried out; a failing program is not an error but
/// an outcome of the report.
pub fn run(
    plan: &Plan,
    options: &RunOptions,
    recording: Recording<'_>,
    output: Output,
) -> Result<RunReport, RuntimeError> {
    let program = load(plan, options)?;
    match recording {
        Recording::None | Recording::Off => {
            with_order(&program, options, &Off::default(), output).map(|(report, _)| report)
        }
        Recording::Full(sink) => {
            let (handoff, collector) = circle(options.n_workers);
            collected(collector, sink, &options.stop, || {
                let recorder = Full::<false, false>::recorder(handoff);
                with_order(&program, options, &recorder, output)
            })
        }
        Recording::Restricted(sink, selected) => {
            let (handoff, collector) = circle(options.n_workers);
            collected(collector, sink, &options.stop, || {
                let recorder = Restricted::recorder(selected, handoff);
                with_order(&program, options, &recorder, output)
            })
        }
        Recording::Minimal(sink) => record_choices(&program, options, Gives::Minimal, sink, output),
        Recording::Choices(sink) => record_choices(&program, options, Gives::Marked, sink, output),
        Recording::Perf(sink) => {
            let (handoff, collector) = circle(options.n_workers);
            collected(collector, sink, &options.stop, || {
                let recorder = Full::<false, true>::recorder(handoff);
                with_order(&program, options, &recorder, output)
            })
        }
    }
}

fn record_choices(
    program: &Program,
    options: &RunOptions,
    gives: Gives,
    sink: Box<dyn EventSink + '_>,
    output: Output,
) -> Result<RunReport, RuntimeError> {
    let (handoff, collector) = circle(options.n_workers);
    collected(collector, sink, &options.stop, || {
        let recorder = Minimal::recorder(program.plan, gives, options.reclaim_above == 0, handoff);
        with_order(program, options, &recorder, output)
    })
}

/// Runs a plan again as recorded: the same firing rules, merges, lock grants and answers, with any
/// number of workers. Stops at the first event that goes another way. `sink` takes a fresh record.
/// The parameters in `options` must be those of the recorded run; `options.seed` injects noise.
///
/// # Errors
/// As for [`run`]; also where the record contradicts itself or the plan.
pub fn replay(
    plan: &Plan,
    options: &RunOptions,
    record: ReplayRecord,
    sink: Option<Box<dyn EventSink + '_>>,
    output: Output,
) -> Result<RunReport, RuntimeError> {
    let program = load(plan, options)?;
    let script = Script::load(&record, plan)?;
    let is_minimal = record.minimal.is_some();
    drop(record);
    match sink {
        None if is_minimal => {
            let replayer = Minimal::replayer(plan, Gives::Full, script, None);
            with_order(&program, options, &replayer, output).map(|(report, _)| report)
        }
        Some(sink) if is_minimal => {
            let (handoff, collector) = circle(options.n_workers);
            collected(collector, sink, &options.stop, || {
                let replayer = Minimal::replayer(plan, Gives::Full, script, Some(handoff));
                with_order(&program, options, &replayer, output)
            })
        }
        None => {
            let replayer = Full::replayer(script, None);
            with_order(&program, options, &replayer, output).map(|(report, _)| report)
        }
        Some(sink) => {
            let (handoff, collector) = circle(options.n_workers);
            collected(collector, sink, &options.stop, || {
                let replayer = Full::replayer(script, Some(handoff));
                with_order(&program, options, &replayer, output)
            })
        }
    }
}

/// Runs a plan again as recorded, like [`replay`], and gives `sink` the minimal record of the same execution. The
/// record to be replayed is full or minimal.
///
/// # Errors
/// As for [`replay`].
pub fn minimize(
    plan: &Plan,
    options: &RunOptions,
    record: ReplayRecord,
    sink: Box<dyn EventSink>,
    output: Output,
) -> Result<RunReport, RuntimeError> {
    let program = load(plan, options)?;
    let script = Script::load(&record, plan)?;
    drop(record);
    let (handoff, collector) = circle(options.n_workers);
    collected(collector, sink, &options.stop, || {
        let replayer = Minimal::replayer(plan, Gives::Minimal, script, Some(handoff));
        with_order(&program, options, &replayer, output)
    })
}

/// Runs a plan again as recorded, like [`replay`], and gives `sink` the record of a restricted run of the same
/// execution. The record to be replayed must be full.
///
/// # Errors
/// As for [`replay`].
pub fn replay_restricted(
    plan: &Plan,
    options: &RunOptions,
    record: ReplayRecord,
    selected: ResolvedOptions,
    sink: Box<dyn EventSink + '_>,
    output: Output,
) -> Result<RunReport, RuntimeError> {
    let program = load(plan, options)?;
    if record.minimal.is_some() {
        let message = "it holds choices, and only a replay that records everything follows them".to_owned();
        return Err(RuntimeError::Record { message });
    }
    let script = Script::load(&record, plan)?;
    drop(record);
    let (handoff, collector) = circle(options.n_workers);
    collected(collector, sink, &options.stop, || {
        let replayer = Restricted::replayer(script, selected, handoff);
        with_order(&program, options, &replayer, output)
    })
}

/// The values that the creation parameters have in a run with these options, defaults included, in
/// the order of the file.
///
/// # Errors
/// As for [`run`], where a value is missing, does not fit or cannot be computed.
pub fn param_values(plan: &Plan, options: &RunOptions) -> Result<Vec<(String, Value)>, RuntimeError> {
    let program = load(plan, options)?;
    let named = plan.params().iter().zip(&program.params).map(|(param, held)| {
        let value = value_from_dynamic(held).map_err(|found| RuntimeError::Initial {
            what: format!("the default of parameter `{}`", param.name),
            message: format!("a {found} is not a value"),
        })?;
        Ok((param.name.clone(), value))
    });
    named.collect()
}

pub(crate) fn load<'p>(plan: &'p Plan, options: &RunOptions) -> Result<Program<'p>, RuntimeError> {
    let context = SharedContext::default();
    let mut engine = script::engine(&context, &StopSignal::default(), &plan.structs);
    options.natives.register(&mut engine, &context);
    Program::load(plan, options, &engine)
}

/// Runs with a collector beside it, and closes the sink.
fn collected(
    collector: Collector,
    mut sink: Box<dyn EventSink + '_>,
    stop: &StopSignal,
    run: impl FnOnce() -> Result<Ended, RuntimeError>,
) -> Result<RunReport, RuntimeError> {
    thread::scope(|scope| {
        let sink = &mut *sink;
        let collecting = thread::Builder::new()
            .name("hasse-collector".to_owned())
            .spawn_scoped(scope, move || (collector.collect(sink, stop), sink))
            .map_err(RuntimeError::Spawn)?;
        let ended = run();
        let (collected, sink) = match collecting.join() {
            Ok(joined) => joined,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        let (report, idle) = ended?;
        collected.map_err(RuntimeError::Sink)?;
        sink.finish(&report, &idle).map_err(RuntimeError::Sink)?;
        Ok(report)
    })
}

/// A run that is over: its report and what never executed.
type Ended = (RunReport, Idle);

fn with_order<M: Instrumentation>(
    program: &Program,
    options: &RunOptions,
    instrumentation: &M,
    output: Output,
) -> Result<Ended, RuntimeError> {
    if program.plan.orders_results {
        with_scheduler::<M, KnownResults>(program, options, instrumentation, output)
    } else {
        with_scheduler::<M, ()>(program, options, instrumentation, output)
    }
}

fn with_scheduler<M: Instrumentation, K: ResultOrder>(
    program: &Program,
    options: &RunOptions,
    instrumentation: &M,
    output: Output,
) -> Result<Ended, RuntimeError> {
    let n_workers = options.n_workers.max(1);
    match options.seed {
        None => {
            let (scheduler, locals) = Free::<Ready<M, K>>::new(n_workers);
            carry_out(program, options, instrumentation, output, scheduler, locals)
        }
        Some(seed) => {
            let (scheduler, locals) = Seeded::<Ready<M, K>>::new(n_workers, seed);
            carry_out(program, options, instrumentation, output, scheduler, locals)
        }
    }
}

/// A worker's stack: interpreted calls nest, and each level takes several frames.
pub(crate) const STACK_BYTES: usize = 16 << 20;

fn carry_out<M: Instrumentation, K: ResultOrder, S: Scheduler<Ready<M, K>>>(
    program: &Program,
    options: &RunOptions,
    instrumentation: &M,
    output: Output,
    scheduler: S,
    locals: Vec<S::Local>,
) -> Result<Ended, RuntimeError> {
    let session = open(program, options, instrumentation, output, scheduler, locals.len());
    for (template_idx, template) in program.plan.templates.iter().enumerate() {
        if template.is_start && template.graph == program.plan.main {
            let instance = session.find_or_create(template_idx);
            instance.inbox.lock().is_scheduled = true;
            session.scheduler.inject(instance);
        }
    }
    let mut first_local = None;
    let n_events = thread::scope(|scope| {
        let mut workers = Vec::new();
        for (worker_idx, local) in locals.into_iter().enumerate() {
            let session = &session;
            let spawned = thread::Builder::new()
                .name(format!("hasse-worker-{worker_idx}"))
                .stack_size(STACK_BYTES)
                .spawn_scoped(scope, move || Worker::new(session, local, worker_idx).serve(worker_idx));
            match spawned {
                Ok(worker) => workers.push(worker),
                Err(error) => {
                    session.pool.abandon();
                    return Err(RuntimeError::Spawn(error));
                }
            }
        }
        let mut n_events = 0;
        for worker in workers {
            match worker.join() {
                Ok((n_executed, local)) => {
                    n_events += n_executed;
                    first_local.get_or_insert(local);
                }
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        Ok(n_events)
    })?;
    session.output.finish();
    let local = first_local.expect("a run has at least one worker");
    Ok(end::report(session, local, n_events))
}

/// The session of a run that has not begun.
pub(crate) fn open<'p, M: Instrumentation, K: ResultOrder, S: Scheduler<Ready<M, K>>>(
    program: &'p Program<'p>,
    options: &RunOptions,
    instrumentation: &'p M,
    output: Output,
    scheduler: S,
    n_workers: usize,
) -> Session<'p, M, K, S> {
    let main = GraphInstance::main(program.plan, program.params.clone(), instrumentation.root_option());
    Session {
        program,
        outside: Arc::new(Outside::new(&options.program_folder, &options.sandbox)),
        memory: options.sandbox.memory,
        instrumentation,
        scheduler,
        registry: Registry::new(
            program.plan,
            Arc::clone(&main),
            Reclaim::new(n_workers, options.reclaim_above),
        ),
        main,
        pool: Pool::new(n_workers),
        output: OutputOrder::new(output),
        results: Results::default(),
        errors: Mutex::new(Vec::new()),
        divergence: Mutex::new(None),
        stop: options.stop.clone(),
        has_ended: AtomicBool::new(false),
        is_halted: AtomicBool::new(false),
        random_seed: options.seed.unwrap_or_else(fresh_seed),
    }
}

fn fresh_seed() -> u64 {
    // A fresh hasher state is the standard library's source of entropy.
    std::hash::RandomState::new().hash_one(0_u8)
}
