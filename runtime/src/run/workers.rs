//! Worker threads of a run: started, waited for, and left where a body does not end.

use std::hash::BuildHasher;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};
use crossbeam_utils::CachePadded;
use hasse_body::builtin::params_line;
use hasse_body::clock::Clock;
use hasse_body::effects::SharedContext;
use hasse_body::output::lasting::Lasting;
use hasse_body::output::{Output, OutputOrder};
use hasse_body::sandbox::Outside;
use hasse_body::script::CodeError;
use hasse_code::graph::GraphInstance;
use hasse_code::reason::Reason;
use hasse_model::id::TemplateId;
use hasse_record::collector::shelf::HeldBody;
use hasse_record::instrumentation::Instrumentation;
use hasse_record::needs::ColumnOrder;
use hasse_record::results::Results;
use hasse_request::options::{RunOptions, RuntimeError};
use hasse_request::report::{Idle, RunReport};
use hasse_runtime_plan::lane::Lane;
use hasse_runtime_plan::program::Program;
use hasse_schedule::delays::Delays;
use hasse_schedule::pool::Pool;
use hasse_schedule::scheduler::{Policy, Scheduler};
use hasse_store::instance::Ready;
use hasse_store::matching::Store;
use hasse_store::reclaim::Reclaim;
use hasse_store::registry::Registry;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::fire::at_once::AtOnce;
use crate::fire::dropped::DroppedCounts;
use crate::fire::handled::Handled;
use crate::fire::lines::Lines;
use crate::fire::looks::LookTimes;
use crate::fire::ready::ranks;
use crate::fire::rest::Rest;
use crate::fire::session::Session;
use crate::fire::waits::Waits;
use crate::fire::worker::Worker;
use crate::inspect::serve::{serve_while_over, serve_while_running};
use crate::run::end;
use crate::run::entry::{AtRest, Conclude, Course};
use crate::run::snapshot::restore::restore;
use crate::run::snapshot::take::take;
use crate::run::watch::{Looks, watch};

/// A worker's stack: interpreted calls nest, and each level takes several frames.
pub(crate) const STACK_BYTES: usize = 16 << 20;

pub(super) fn carry_out<M: Instrumentation>(
    program: &Program,
    options: &RunOptions,
    instrumentation: &M,
    output: Output,
    course: Course<'_>,
    mut conclude: Option<Conclude<'_>>,
) -> Result<RunReport, RuntimeError> {
    let Course { from, leave, at_rest, lines } = course;
    let is_controlled = M::CONTROLLED && options.control.is_some();
    let n_workers = options.n_workers.max(1);
    // The record of a replay decides on everything.
    let chooser = options.chooser.as_ref().filter(|_| !instrumentation.replays());
    if chooser.is_some() && n_workers > 1 {
        return Err(RuntimeError::ChooserWorkers { n_workers });
    }
    let policy = match (chooser, options.seed) {
        (Some(chooser), _) => Policy::ByChoice(chooser.clone()),
        (None, Some(seed)) => Policy::Seeded(seed),
        (None, None) => Policy::Free,
    };
    let _in_use = match chooser {
        Some(chooser) => Some(chooser.begin().ok_or(RuntimeError::ChooserInUse)?),
        None => None,
    };
    // One more for the thread that looks at actions.
    let n_locals = n_workers + usize::from(is_controlled);
    let (scheduler, mut locals) = Scheduler::<Ready<M>>::new(n_workers, n_locals, policy);
    let inspecting_local = if is_controlled { locals.pop() } else { None };
    let output = match lines {
        Some(lines) => OutputOrder::held(lines),
        None => OutputOrder::new(output, turns_of(instrumentation)),
    };
    let mut session = open(program, options, instrumentation, output, scheduler, locals.len());
    if let (Some(from), None) = (from, options.seed) {
        session.random_seed = from.random_seed;
    }
    let session = session;
    if instrumentation.replays()
        && let Some(batch) = instrumentation.recorded().and_then(|script| script.known.edits_batch())
    {
        instrumentation.hand_over_edits(batch);
    }
    if instrumentation.replays() {
        create_by_hand(&session);
    }
    let context = session.context();
    match from {
        Some(from) => restore(&session, &session.engine(&context), from)?,
        None => session.start_nodes(),
    }
    let contexts: Vec<SharedContext> = locals.iter().map(|_| session.context()).collect();
    // A replay writes lines where the record says.
    let may_print_long =
        !instrumentation.replays() && program.plan.templates.iter().any(|template| template.body.is_some());
    let mut inspecting =
        inspecting_local.map(|local| Worker::new(&session, &context, local, session.pool.n_workers()));
    let mut first_local = None;
    let n_before = from.map_or(0, |from| from.n_events);
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
            let checkpoints = options.checkpoints.as_ref().filter(|_| !session.replays());
            Looks { at_memory, write_lines, checkpoints }
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
            serve_while_running(board, inspecting);
        }
        drop(ends);
        if let Some(leave) = leave
            && let Some(mut bodies) = stuck_bodies(&session, &ended, leave.is_due, |worker_idx: usize| {
                workers.get(worker_idx).is_none_or(|worker| worker.is_finished())
            })
        {
            let mut n_events = n_before + bodies.iter().map(|held| held.body.n_events).sum::<u64>();
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
    let n_events = n_before + n_events;
    if from.is_some_and(|from| from.has_ended) {
        session.has_ended.store(true, Ordering::Relaxed);
    }
    if let Some(AtRest { arrive, stays }) = at_rest {
        // One that was left while an action was stopped is at no cut.
        if !session.stop.is_set() {
            arrive(take(&session, n_events)?);
        }
        let (report, idle) = end::report(&session, None, n_events, &mut []);
        if let Some(conclude) = conclude {
            conclude(&report, &idle)?;
        }
        if let (true, Some(board), Some(mut inspecting)) = (stays, &session.board, inspecting) {
            serve_while_over(board, &report, &mut inspecting);
        }
        return Ok(report);
    }
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
    if let Some(impossible) = session.scheduler.by_choice().and_then(|choices| choices.impossible()) {
        return Err(RuntimeError::Decision(Box::new(impossible)));
    }
    if let Some(board) = &session.board {
        serve_while_over(board, &report, &mut worker);
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
fn stuck_bodies<'s, M: Instrumentation>(
    session: &'s Session<'_, M>,
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

/// Positions of the first lines of the events of a full record that is replayed.
pub(crate) fn turns_of<M: Instrumentation>(instrumentation: &M) -> Vec<u64> {
    let script = instrumentation.recorded().filter(|script| !script.is_minimal());
    script.map_or(Vec::new(), |script| script.turns().to_vec())
}

/// The session of a run that has not begun.
pub(crate) fn open<'p, M: Instrumentation>(
    program: &'p Program<'p>,
    options: &RunOptions,
    instrumentation: &'p M,
    output: OutputOrder,
    scheduler: Scheduler<Ready<M>>,
    n_workers: usize,
) -> Session<'p, M> {
    options.stop.begin();
    let is_decided = scheduler.by_choice().is_some();
    let names = program.plan.params().iter().map(|param| param.name.as_str());
    options.sandbox.params.set(&params_line(names.zip(program.params.iter().cloned())));
    let main = GraphInstance::main(program.plan, program.params.clone(), instrumentation.root_option());
    let control = if M::CONTROLLED { options.control.as_ref() } else { None };
    let board = control.map(|control| Arc::clone(&control.board));
    let pool = Arc::new(Pool::new(n_workers));
    // As for the lane: where nobody looks at actions.
    let has_edits = instrumentation.recorded().is_some_and(|script| script.known.has_edits());
    let has_stores = scheduler.has_clock()
        && (!instrumentation.replays() || instrumentation.follows())
        && board.is_none()
        && !options.writes_ahead
        && !has_edits
        && M::KEEPS_NOTHING
        && instrumentation.column_order() != ColumnOrder::None
        && program.column_obstacle().is_none();
    let has_bounds = program.bounded.is_any() && !instrumentation.replays();
    let store = |(template, lane): (TemplateId, &Result<Lane<'_>, Reason>)| {
        let matching = lane.as_ref().ok().and_then(Lane::matching).filter(|_| has_stores)?;
        // Entries have no places, and no priority.
        let declared = program.plan.template(template);
        if declared.at_once.is_some() || declared.priority != 0 {
            return None;
        }
        // An entry that fails is given up.
        if program.plan.template(template).on_error.continues {
            return None;
        }
        if has_bounds && (program.bounded.receives(template) || program.bounded.sends(template)) {
            return None;
        }
        Some(Store::new(matching.n_numbers, matching.slots.len(), n_workers))
    };
    let lanes = program.lanes.iter().enumerate();
    let stores = lanes.map(|(idx, lane)| store((TemplateId::from_idx(idx), lane))).collect();
    let output = Arc::new(output);
    // An answer comes at any time: what is to depend on decisions or on a record does not go on meanwhile. An isolated event keeps its
    // worker, too.
    let may_wait = scheduler.by_choice().is_none()
        && !instrumentation.replays()
        && instrumentation.answers().is_none()
        && program.plan.templates.iter().any(|template| template.may_wait);
    let in_turn = !scheduler.has_clock() && options.n_workers == 1;
    let waits = may_wait.then(|| Box::new(Waits::new(Arc::clone(&pool), in_turn)));
    let lines = board.as_ref().map(|board| {
        let (pool, board) = (Arc::clone(&pool), Arc::clone(board));
        Arc::new(Lines::new(pool, board, options.stop.clone(), Arc::clone(&output)))
    });
    Session {
        program,
        outside: Arc::new(
            Outside::new(&options.program_folder, &options.sandbox)
                .with_clock(Clock::new(options.virtual_time && !instrumentation.replays()))
                .with_write_ahead(instrumentation.write_ahead().filter(|_| options.writes_ahead)),
        ),
        memory: options.sandbox.memory,
        instrumentation,
        scheduler,
        registry: Registry::new(
            program.plan,
            Arc::clone(&main),
            Reclaim::new(n_workers, options.reclaim_above, options.checkpoints.is_some()),
            stores,
        ),
        offered: CachePadded::default(),
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
        edited: Mutex::new(Vec::new()),
        names: Mutex::new(FxHashMap::default()),
        has_ended: AtomicBool::new(false),
        awaits_first: AtomicBool::new(false),
        is_halted: AtomicBool::new(false),
        used_up_bytes: AtomicU64::new(0),
        started: Instant::now(),
        random_seed: options.seed.unwrap_or_else(|| if is_decided { 0 } else { fresh_seed() }),
        has_bounds,
        writes_ahead: options.writes_ahead,
        ranks: if instrumentation.replays() || is_decided { None } else { ranks(program.plan) },
        at_once: AtOnce::of(program.plan, instrumentation.replays() || is_decided),
        dropped: DroppedCounts::of(program.plan),
        handled: Handled::of(program.plan),
        looks: LookTimes::default(),
        delays: Delays::new(),
        waits,
        rest: Rest::new(program.plan, n_workers, options.checkpoints.is_some()),
    }
}

fn fresh_seed() -> u64 {
    // A fresh hasher state is the standard library's source of entropy.
    std::hash::RandomState::new().hash_one(0_u8)
}

/// Creates the actions that values were added to by hand in the recorded run, and has them served: nobody else may send to
/// them.
fn create_by_hand<M: Instrumentation>(session: &Session<'_, M>) {
    let Some(known) = session.instrumentation.recorded().map(|script| &script.known) else { return };
    let context = session.context();
    let mut engine = None;
    for edit in known.added_by_hand() {
        let mut inward = Vec::new();
        let mut at = edit.graph;
        while let Some(record) = known.graph_record(at) {
            inward.push(record);
            at = record.parent;
        }
        let mut graph = Arc::clone(&session.main);
        let entered = inward.iter().rev().try_for_each(|record| {
            let engine = engine.get_or_insert_with(|| session.engine(&context));
            graph = session.enter(&graph, record.call, record.index.clone(), engine)?;
            Ok::<_, CodeError>(())
        });
        // A call that cannot be entered is met again, with an error, by whoever sends there.
        if entered.is_err() || graph.id != edit.graph {
            continue;
        }
        let (plan, notes) = (session.program.plan, session.instrumentation);
        let (instance, _) = session.registry.instance(plan, notes, &graph, edit.template, edit.index.clone());
        session.schedule(instance);
    }
}
