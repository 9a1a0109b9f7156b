//! Checkpoints of a run that goes on: pauses in which its state is taken, and a thread that makes them.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError};
use hasse_model::id::{ActionId, Index};
use hasse_model::snapshot::{ActionState, SentValue, Snapshot};
use hasse_record::collector::shelf::{HeldBody, PERIOD};
use hasse_record::instrumentation::Instrumentation;
use hasse_request::checkpoint::{Checkpoint, Checkpoints};
use hasse_request::options::RuntimeError;
use hasse_store::instance::{Instance, Ready};
use rustc_hash::FxHashMap;

use crate::fire::as_data::{self, untakeable};
use crate::fire::delayed::Delayed;
use crate::fire::session::Session;
use crate::run::snapshot::take::whole;

/// Longest time that a pause waits for executions to end. The state is taken after that.
const PATIENCE: Duration = Duration::from_millis(20);
/// Time between two looks whether they have.
const LOOK: Duration = Duration::from_micros(50);
/// Time after which a pause is tried again that has not come, at first; it doubles.
const FIRST_RETRY: Duration = Duration::from_millis(25);

/// Time between two pauses where no period is asked for.
const LEAST_WAIT: Duration = Duration::from_micros(200);

/// Takes checkpoints until the other end of the channel is gone.
pub(crate) fn take_checkpoints<M: Instrumentation>(
    session: &Session<'_, M>,
    checkpoints: &Checkpoints,
    ended: &Receiver<()>,
) {
    let period = checkpoints.period.max(LEAST_WAIT);
    let (mut wait, mut retry) = (period, FIRST_RETRY);
    while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(wait) {
        let Some(checkpoint) = try_pause(session) else {
            (wait, retry) = (retry.min(period), retry * 2);
            continue;
        };
        if checkpoints.period.is_zero() {
            (checkpoints.keeper)(checkpoint);
            continue;
        }
        // What has ended is with the collector after two looks.
        session.instrumentation.look();
        if let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(PERIOD) {
            session.instrumentation.look();
            if session.instrumentation.sync() {
                (checkpoints.keeper)(checkpoint);
            }
        }
        (wait, retry) = (period, FIRST_RETRY);
    }
}

/// Takes the state of a run, if all executions end within a moment or their states are kept.
fn try_pause<M: Instrumentation>(session: &Session<'_, M>) -> Option<Checkpoint> {
    let began = Instant::now();
    session.begin_pause();
    let until = began + PATIENCE;
    while !is_at_rest(session) && Instant::now() < until {
        thread::sleep(LOOK);
    }
    let hold_body = |worker_idx: usize| {
        let held = session.instrumentation.hold_body(worker_idx)?;
        let state = session.rest.begun(worker_idx, &held.body);
        if state.is_none() {
            session.rest.keep(held.body.template);
        }
        Some((held, state?))
    };
    let snapshot = session.registry.reclaim.hold_all(PATIENCE, hold_body, |bodies| take(session, &bodies));
    session.end_pause();
    let snapshot = snapshot?.ok()?;
    Some(Checkpoint { snapshot, pause: began.elapsed() })
}

/// Returns true if all workers have nothing to do, or are in bodies.
fn is_at_rest<M: Instrumentation>(session: &Session<'_, M>) -> bool {
    let n_workers = session.pool.n_workers();
    let n_idle = session.pool.n_idle();
    n_idle == n_workers || {
        let in_bodies = (0..n_workers).filter(|&idx| session.instrumentation.hold_body(idx).is_some());
        n_idle + in_bodies.count() >= n_workers
    }
}

/// A worker that is held within a body, and the state of its action before that.
type Body<'s> = (HeldBody<'s>, ActionState);

/// The state of a run of which no worker executes anything but these bodies.
fn take<M: Instrumentation>(session: &Session<'_, M>, bodies: &[Body<'_>]) -> Result<Snapshot, RuntimeError> {
    if session.awaits_first.load(Ordering::Relaxed) || session.is_interrupted() {
        return Err(untakeable("the run begins or ends".to_owned()));
    }
    session.registry.promote_all(session.program.plan, session.instrumentation, |_| true);
    let in_bodies: FxHashMap<ActionId, &ActionState> =
        bodies.iter().map(|(_, state)| (state.record.action, state)).collect();
    let mut actions: FxHashMap<ActionId, ActionState> = FxHashMap::default();
    let mut held_back = Vec::new();
    for instance in session.registry.instances() {
        let mut state = match in_bodies.get(&instance.action) {
            Some(&state) => state.clone(),
            None => state_of(session, &instance, &mut held_back)?,
        };
        as_data::add_inbox(session, &instance, &mut state);
        actions.insert(instance.action, state);
    }
    for (target, port, elements, value) in held_back.into_iter().chain(delayed(session)) {
        let name = &session.program.plan.template(target.template).inputs[port].name;
        if let Some(state) = actions.get_mut(&target.action) {
            as_data::add(state, name, &elements, value);
        }
    }
    let reclaimed = session.registry.reclaim.counts();
    let n_events = actions.values().map(|state| state.count).chain(reclaimed.iter().map(|last| last.count));
    let n_events = n_events.sum();
    whole(session, actions.into_values().collect(), n_events)
}

/// A value on its way, with its receiver, port and element.
type OnItsWay<M> = (Ready<M>, usize, Index, SentValue);

/// The state of an action that no worker executes. Values that have no room on their ports are added to `held_back`.
fn state_of<M: Instrumentation>(
    session: &Session<'_, M>,
    instance: &Instance<M>,
    held_back: &mut Vec<OnItsWay<M>>,
) -> Result<ActionState, RuntimeError> {
    let core = instance.core.try_lock().ok_or_else(|| untakeable("an action is looked at".to_owned()))?;
    for held in core.held_back.iter().flat_map(|held_back| held_back.ports()) {
        let Some(target) = held.target() else { continue };
        held.values.each(|token| {
            held_back.push((target.clone(), held.port, held.elements.clone(), as_data::sent_value(token)));
        });
    }
    if core.pending.is_none() {
        return as_data::action(session, instance, &core);
    }
    session.rest.waiting(instance.action).ok_or_else(|| {
        session.rest.keep(instance.template);
        untakeable(format!("{} is within an execution", session.path(instance)))
    })
}

/// The delayed values, in the order of their delivery: a run that goes on from the state does not wait for them.
fn delayed<M: Instrumentation>(session: &Session<'_, M>) -> Vec<OnItsWay<M>> {
    let mut delayed = Vec::new();
    session.delays.each(|(target, delayed_value)| {
        if let Delayed::Value(delivery) = delayed_value {
            let value = as_data::sent_value(&delivery.token);
            delayed.push((target.clone(), delivery.port, delivery.elements.clone(), value));
        }
    });
    delayed
}
