//! Entry points: run a plan, replay a record.

mod request;

use std::hash::BuildHasher;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};
use hasse_model::plan::Plan;
use hasse_model::record_options::ResolvedOptions;
use hasse_model::value::Value;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::body::convert::value_from_dynamic;
use crate::body::script;
use crate::collector::{Closer, Collector, HeldBody, circle, timed_circle};
use crate::control::Lines;
use crate::effects::SharedContext;
use crate::end;
pub use crate::end::Idle;
use crate::graph::GraphInstance;
use crate::instrumentation::full::Full;
use crate::instrumentation::minimal::{Gives, Minimal};
use crate::instrumentation::off::Off;
use crate::instrumentation::restricted::Restricted;
use crate::instrumentation::results::KnownResults;
use crate::instrumentation::{Instrumentation, ResultOrder};
use crate::lane::Lane;
use crate::matching::{Offered, Store};
use crate::output::OutputOrder;
use crate::output::lasting::Lasting;
use crate::pool::Pool;
use crate::program::Program;
use crate::queue::Queue;
use crate::reclaim::Reclaim;
use crate::registry::Registry;
use crate::replay::Script;
use crate::report::RunReport;
use crate::results::Results;
pub use crate::routines::ScriptTiers;
use crate::sandbox::Outside;
use crate::scheduler::Scheduler;
use crate::session::Session;
use crate::watch::{Looks, watch};
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
    run_loaded(&load(plan, options)?, options, recording, output, None)
}

/// A way out of a run that was asked to end while a body in Rust goes on: a thread cannot be ended.
pub struct Leave<'l> {
    /// Returns whether to leave now; asked again and again from the moment when the run was asked to end.
    pub is_due: &'l dyn Fn() -> bool,
    /// Takes the report, and may end the process. Where it returns, the body is waited for.
    pub leave: &'l mut dyn FnMut(&RunReport),
}

/// Runs a plan, as [`run`]. Where the run was asked to end, and a body in Rust goes on for longer than a moment, the record is
/// closed without its event, and `leave` takes over.
///
/// # Errors
/// As for [`run`].
pub fn run_or_leave(
    plan: &Plan,
    options: &RunOptions,
    recording: Recording<'_>,
    output: Output,
    leave: Leave<'_>,
) -> Result<RunReport, RuntimeError> {
    run_loaded(&load(plan, options)?, options, recording, output, Some(leave))
}

fn run_loaded(
    program: &Program<'_>,
    options: &RunOptions,
    recording: Recording<'_>,
    output: Output,
    leave: Option<Leave<'_>>,
) -> Result<RunReport, RuntimeError> {
    match recording {
        Recording::Off if options.control.is_some() => {
            let recorder = Full::<false, false>::recorder(None);
            with_order(program, options, &recorder, output, |_, _| Ok(()), leave)
        }
        Recording::None | Recording::Off => {
            with_order(program, options, &Off::default(), output, |_, _| Ok(()), leave)
        }
        Recording::Full(sink) => {
            let (handoff, collector, closer) = circle(options.n_workers);
            collected(collector, closer, sink, &options.stop, |conclude| {
                let recorder = Full::<false, false>::recorder(Some(handoff));
                with_order(program, options, &recorder, output, conclude, leave)
            })
        }
        Recording::Restricted(sink, selected) => {
            let (handoff, collector, closer) = circle(options.n_workers);
            collected(collector, closer, sink, &options.stop, |conclude| {
                let recorder = Restricted::recorder(selected, handoff);
                with_order(program, options, &recorder, output, conclude, leave)
            })
        }
        Recording::Minimal(sink) => record_choices(program, options, Gives::Minimal, sink, output, leave),
        Recording::Choices(sink) => record_choices(program, options, Gives::Marked, sink, output, leave),
        Recording::Perf(sink) => {
            let (handoff, collector, closer) = timed_circle(options.n_workers);
            collected(collector, closer, sink, &options.stop, |conclude| {
                let recorder = Full::<false, true>::recorder(Some(handoff));
                with_order(program, options, &recorder, output, conclude, leave)
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
    leave: Option<Leave<'_>>,
) -> Result<RunReport, RuntimeError> {
    let (handoff, collector, closer) = circle(options.n_workers);
    collected(collector, closer, sink, &options.stop, |conclude| {
        let recorder = Minimal::recorder(program.plan, gives, options.reclaim_above == 0, handoff);
        with_order(program, options, &recorder, output, conclude, leave)
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
    replay_or_leave(plan, options, record, sink, output, None)
}

/// Runs a plan again as recorded, as [`replay`], and leaves it as [`run_or_leave`] leaves a run.
///
/// # Errors
/// As for [`replay`].
pub fn replay_or_leave(
    plan: &Plan,
    options: &RunOptions,
    record: ReplayRecord,
    sink: Option<Box<dyn EventSink + '_>>,
    output: Output,
    leave: Option<Leave<'_>>,
) -> Result<RunReport, RuntimeError> {
    let program = load(plan, options)?;
    let script = Script::load(record, plan)?;
    let is_minimal = script.is_minimal();
    match sink {
        None if is_minimal => {
            let replayer = Minimal::replayer(plan, Gives::Full, script, None);
            with_order(&program, options, &replayer, output, |_, _| Ok(()), leave)
        }
        Some(sink) if is_minimal => {
            let (handoff, collector, closer) = circle(options.n_workers);
            collected(collector, closer, sink, &options.stop, |conclude| {
                let replayer = Minimal::replayer(plan, Gives::Full, script, Some(handoff));
                with_order(&program, options, &replayer, output, conclude, leave)
            })
        }
        None => {
            let replayer = Full::replayer(script, None);
            with_order(&program, options, &replayer, output, |_, _| Ok(()), leave)
        }
        Some(sink) => {
            let (handoff, collector, closer) = circle(options.n_workers);
            collected(collector, closer, sink, &options.stop, |conclude| {
                let replayer = Full::replayer(script, Some(handoff));
                with_order(&program, options, &replayer, output, conclude, leave)
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
    let script = Script::load(record, plan)?;
    let (handoff, collector, closer) = circle(options.n_workers);
    collected(collector, closer, sink, &options.stop, |conclude| {
        let replayer = Minimal::replayer(plan, Gives::Minimal, script, Some(handoff));
        with_order(&program, options, &replayer, output, conclude, None)
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
    replay_restricted_or_leave(plan, options, record, selected, sink, output, None)
}

/// Replays as [`replay_restricted`], and leaves as [`run_or_leave`] leaves a run.
///
/// # Errors
/// As for [`replay`].
pub fn replay_restricted_or_leave(
    plan: &Plan,
    options: &RunOptions,
    record: ReplayRecord,
    selected: ResolvedOptions,
    sink: Box<dyn EventSink + '_>,
    output: Output,
    leave: Option<Leave<'_>>,
) -> Result<RunReport, RuntimeError> {
    let program = load(plan, options)?;
    if record.minimal.is_some() {
        let message = "it holds choices, and only a replay that records everything follows them".to_owned();
        return Err(RuntimeError::Record { message });
    }
    let script = Script::load(record, plan)?;
    let (handoff, collector, closer) = circle(options.n_workers);
    collected(collector, closer, sink, &options.stop, |conclude| {
        let replayer = Restricted::replayer(script, selected, handoff);
        with_order(&program, options, &replayer, output, conclude, leave)
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

/// What is to be done when a run is over, and before it is let go of.
type Conclude<'c> = Box<dyn FnOnce(&RunReport, &Idle) -> Result<(), RuntimeError> + 'c>;

/// Runs with a collector beside it, which closes the sink when all has been handed over.
fn collected(
    collector: Collector,
    closer: Closer,
    mut sink: Box<dyn EventSink + '_>,
    stop: &StopSignal,
    run: impl FnOnce(Conclude<'_>) -> Result<RunReport, RuntimeError>,
) -> Result<RunReport, RuntimeError> {
    thread::scope(|scope| {
        let collecting = thread::Builder::new()
            .name("hasse-collector".to_owned())
            .spawn_scoped(scope, move || (collector.collect(&mut *sink, stop), sink))
            .map_err(RuntimeError::Spawn)?;
        run(Box::new(move |report, idle| {
            closer.close();
            let (collected, mut sink) = match collecting.join() {
                Ok(joined) => joined,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            collected.map_err(RuntimeError::Sink)?;
            sink.finish(report, idle).map_err(RuntimeError::Sink)
        }))
    })
}

fn with_order<'c, M: Instrumentation>(
    program: &Program,
    options: &RunOptions,
    instrumentation: &M,
    output: Output,
    conclude: impl FnOnce(&RunReport, &Idle) -> Result<(), RuntimeError> + 'c,
    leave: Option<Leave<'_>>,
) -> Result<RunReport, RuntimeError> {
    let conclude: Conclude<'_> = Box::new(conclude);
    if program.plan.orders_results {
        carry_out::<M, KnownResults>(program, options, instrumentation, output, conclude, leave)
    } else {
        carry_out::<M, ()>(program, options, instrumentation, output, conclude, leave)
    }
}

/// A worker's stack: interpreted calls nest, and each level takes several frames.
pub(crate) const STACK_BYTES: usize = 16 << 20;

fn carry_out<M: Instrumentation, K: ResultOrder>(
    program: &Program,
    options: &RunOptions,
    instrumentation: &M,
    output: Output,
    conclude: Conclude<'_>,
    leave: Option<Leave<'_>>,
) -> Result<RunReport, RuntimeError> {
    let mut conclude = Some(conclude);
    let is_controlled = M::CONTROLLED && options.control.is_some();
    let n_workers = options.n_workers.max(1);
    // One more for the thread that looks at actions.
    let n_locals = n_workers + usize::from(is_controlled);
    let (scheduler, mut locals) = Scheduler::<Ready<M, K>>::new(n_workers, n_locals, options.seed);
    let inspecting_local = if is_controlled { locals.pop() } else { None };
    let session = open(program, options, instrumentation, output, scheduler, locals.len());
    for (template_idx, template) in program.plan.templates.iter().enumerate() {
        if template.is_start && template.graph == program.plan.main {
            let instance = session.find_or_create(template_idx);
            instance.inbox.lock().is_scheduled = true;
            session.scheduler.inject(instance);
        }
    }
    let context = session.context();
    let contexts: Vec<SharedContext> = locals.iter().map(|_| session.context()).collect();
    // A replay writes lines where the record says.
    let may_print_long = !M::REPLAYS && program.plan.templates.iter().any(|template| template.body.is_some());
    let mut inspecting =
        inspecting_local.map(|local| Worker::new(&session, &context, local, session.pool.n_workers()));
    let mut first_local = None;
    let n_events = thread::scope(|scope| {
        let looks = {
            let session = &session;
            let mut lasting = Lasting::of(&contexts);
            let at_memory = options.sandbox.run_memory.map(|limit| {
                move || {
                    if session.end_if_over(limit)
                        && let Some(control) = &options.control
                    {
                        control.wake();
                    }
                }
            });
            let write_lines = may_print_long.then_some(move || lasting.flush(&session.output));
            Looks { at_memory, write_lines }
        };
        let watch = watch(scope, &session, looks)?;
        // Nothing is sent: that nobody can send any more says that all workers have ended.
        let (ends, ended) = bounded::<()>(0);
        let mut workers = Vec::new();
        if let Some(board) = &session.board {
            board.open(locals.len());
        }
        for (worker_idx, local) in locals.into_iter().enumerate() {
            let (session, context, end) = (&session, &contexts[worker_idx], ends.clone());
            let spawned = thread::Builder::new()
                .name(format!("hasse-worker-{worker_idx}"))
                .stack_size(STACK_BYTES)
                .spawn_scoped(scope, move || {
                    let served = Worker::new(session, context, local, worker_idx).serve(worker_idx);
                    drop(end);
                    served
                });
            match spawned {
                Ok(worker) => workers.push(worker),
                Err(error) => {
                    session.pool.abandon();
                    return Err(RuntimeError::Spawn(error));
                }
            }
        }
        if let (Some(board), Some(inspecting)) = (&session.board, &mut inspecting) {
            board.serve_while_running(inspecting);
        }
        drop(ends);
        if let Some(leave) = leave
            && let Some(mut bodies) = stuck_bodies(&session, &ended, leave.is_due, |worker_idx: usize| {
                workers.get(worker_idx).is_none_or(|worker| worker.is_finished())
            })
        {
            let mut n_events = bodies.iter().map(|held| held.body.n_events).sum::<u64>();
            for worker in workers.extract_if(.., |worker| worker.is_finished()) {
                match worker.join() {
                    Ok((n_executed, _)) => n_events += n_executed,
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            session.output.finish();
            session.instrumentation.hand_over_bodies(&mut bodies);
            let (report, idle) = if session.instrumentation.hands_over() {
                end::report(&session, None, n_events, &mut bodies)
            } else {
                (end::report_while_executing(&session, n_events), Idle::default())
            };
            if let Some(conclude) = conclude.take() {
                conclude(&report, &idle)?;
            }
            (leave.leave)(&report);
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
        drop(watch);
        Ok(n_events)
    })?;
    session.output.finish();
    let local = first_local.expect("a run has at least one worker");
    let mut worker = match inspecting {
        Some(inspecting) => inspecting,
        None => Worker::new(&session, &context, local, 0),
    };
    let (report, idle) = end::report(&session, Some(&mut worker), n_events, &mut []);
    if let Some(conclude) = conclude {
        conclude(&report, &idle)?;
    }
    if let Some(board) = &session.board {
        board.serve_while_over(&report, &mut worker);
    }
    Ok(report)
}

/// Time between two looks whether the run was asked to end, and how often a body is looked at before it is taken for one that does not.
const LOOK: Duration = Duration::from_millis(25);
const N_LOOKS: u32 = 4;
/// The same where nothing is known of bodies: a worker that is only slow is better waited for, as it knows how many events
/// there were.
const N_LOOKS_WITHOUT_RECORD: u32 = 40;

/// Waits until all workers have ended. Where the run was asked to end and `is_due`, and the others are within bodies for longer
/// than a moment, returns these bodies, which cannot end any more while they are held. Without a record nobody knows of
/// bodies: the list is empty.
fn stuck_bodies<'s, M: Instrumentation, K: ResultOrder>(
    session: &'s Session<'_, M, K>,
    ended: &Receiver<()>,
    is_due: impl Fn() -> bool,
    is_finished: impl Fn(usize) -> bool,
) -> Option<Vec<HeldBody<'s>>> {
    let n_looks_enough = if session.instrumentation.hands_over() { N_LOOKS } else { N_LOOKS_WITHOUT_RECORD };
    let mut n_looks = 0;
    while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(LOOK) {
        n_looks += u32::from(session.stop.is_set() && is_due());
        if n_looks < n_looks_enough {
            continue;
        }
        // Nobody is to wait for work of a worker that does not end.
        session.pool.abandon();
        if !session.instrumentation.hands_over() {
            return Some(Vec::new());
        }
        let unfinished = (0..session.pool.n_workers()).filter(|&worker_idx| !is_finished(worker_idx));
        let held = unfinished.map(|worker_idx| session.instrumentation.hold_body(worker_idx));
        if let Some(bodies) = held.collect::<Option<Vec<_>>>()
            && !bodies.is_empty()
        {
            return Some(bodies);
        }
    }
    None
}

/// The session of a run that has not begun.
pub(crate) fn open<'p, M: Instrumentation, K: ResultOrder>(
    program: &'p Program<'p>,
    options: &RunOptions,
    instrumentation: &'p M,
    output: Output,
    scheduler: Scheduler<Ready<M, K>>,
    n_workers: usize,
) -> Session<'p, M, K> {
    let main = GraphInstance::main(program.plan, program.params.clone(), instrumentation.root_option());
    let control = if M::CONTROLLED { options.control.as_ref() } else { None };
    let board = control.map(|control| Arc::clone(&control.board));
    let pool = Arc::new(Pool::new(n_workers));
    // As for the lane: where nobody looks at actions.
    let has_stores =
        scheduler.has_clock() && (!M::REPLAYS || M::FOLLOWS) && board.is_none() && Queue::<M, K>::HAS_COLUMNS;
    let store = |lane: &Option<Lane<'_>>| {
        let matching = lane.as_ref().and_then(Lane::matching).filter(|_| has_stores)?;
        Some(Store::new(matching.n_numbers, matching.slots.len(), n_workers))
    };
    let stores = program.lanes.iter().map(store).collect();
    let turns = instrumentation.recorded().filter(|script| !script.is_minimal());
    let turns = turns.map_or(Vec::new(), |script| script.turns().to_vec());
    let output = Arc::new(OutputOrder::new(output, turns));
    let lines = board.as_ref().map(|board| {
        let (pool, board) = (Arc::clone(&pool), Arc::clone(board));
        Arc::new(Lines::new(pool, board, options.stop.clone(), Arc::clone(&output)))
    });
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
            stores,
        ),
        offered: Offered::default(),
        main,
        pool,
        lines,
        output,
        results: Results::default(),
        errors: Mutex::new(Vec::new()),
        divergence: Mutex::new(None),
        stop: options.stop.clone(),
        board,
        held: Mutex::new(Vec::new()),
        names: Mutex::new(FxHashMap::default()),
        has_ended: AtomicBool::new(false),
        is_halted: AtomicBool::new(false),
        used_up_bytes: AtomicU64::new(0),
        started: Instant::now(),
        random_seed: options.seed.unwrap_or_else(fresh_seed),
    }
}

fn fresh_seed() -> u64 {
    // A fresh hasher state is the standard library's source of entropy.
    std::hash::RandomState::new().hash_one(0_u8)
}
