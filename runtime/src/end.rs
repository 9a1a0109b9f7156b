//! The end of a run: outcome, results, who waits, and where a replay got stuck.

use std::sync::atomic::Ordering;

use hasse_model::event::{ActionRecord, GraphRecord};
use hasse_model::id::EventId;

use crate::collector::HeldBody;
use crate::instrumentation::{Instrumentation, ResultOrder};
use crate::quiescence::{Quiescence, quiescence};
use crate::report::{Divergence, RunOutcome, RunReport};
use crate::scheduler::Scheduler;
use crate::session::Session;
use crate::worker::{Ready, Worker};
use rustc_hash::FxHashSet;

/// The report of a run whose workers have all ended, but for those that are held within these bodies, and what was created and
/// never executed. Without a worker, the run was asked to end.
pub(crate) fn report<M: Instrumentation, K: ResultOrder, S: Scheduler<Ready<M, K>>>(
    session: &Session<'_, M, K, S>,
    worker: Option<&mut Worker<'_, '_, M, K, S>>,
    n_events: u64,
    bodies: &mut [HeldBody<'_>],
) -> (RunReport, Idle) {
    let was_stopped = session.stop.is_set();
    let has_ended = session.has_ended.load(Ordering::Relaxed);
    let n_actions = session.registry.n_actions();
    let idle = idle(session);
    if session.instrumentation.wants_cut()
        && let Some(cut) = session.cut(&bodies.iter().map(|held| held.body).collect::<Vec<_>>())
    {
        session.instrumentation.hand_over_cut(bodies, cut);
    }
    let worker = worker.filter(|_| !has_ended && !was_stopped);
    let found = match worker {
        Some(worker) => quiescence(worker),
        None => Quiescence { waiting: Vec::new(), n_waiting: 0, cycle: Vec::new(), has_values: false },
    };
    if M::REPLAYS && !was_stopped && session.divergence.lock().is_none() {
        *session.divergence.lock() = stuck_event(session, n_events);
    }
    let plan = session.program.plan;
    let has_stop_node = plan.templates.iter().any(|template| template.is_stop && template.graph == plan.main);
    let (results, conflicts) = session.results.finish();
    let mut errors = std::mem::take(&mut *session.errors.lock());
    errors.extend(conflicts);
    errors.sort_by(|left, right| left.event.cmp(&right.event));
    let outcome = if was_stopped {
        RunOutcome::Stopped
    } else if !errors.is_empty() {
        RunOutcome::Failed
    } else if !has_ended && (has_stop_node || found.has_values) {
        RunOutcome::Quiescent
    } else {
        RunOutcome::Finished
    };
    let reports_waiting = !has_ended && !was_stopped && outcome != RunOutcome::Finished;
    let report = RunReport {
        outcome,
        results,
        n_events,
        n_actions,
        n_reclaimed: session.registry.reclaim.n_reclaimed(),
        quiescence: if reports_waiting { found.waiting } else { Vec::new() },
        n_waiting: if reports_waiting { found.n_waiting } else { 0 },
        wait_cycle: if reports_waiting { found.cycle } else { Vec::new() },
        errors,
        divergence: session.divergence.lock().take(),
        digest: session.instrumentation.digest(),
    };
    (report, idle)
}

/// What was created and never executed.
#[derive(Clone, Debug, Default)]
pub struct Idle {
    /// Graph instances that the actions belong to, and those around them, outermost first.
    pub graphs: Vec<GraphRecord>,
    /// Actions, in the order of their paths.
    pub actions: Vec<ActionRecord>,
}

fn idle<M: Instrumentation, K: ResultOrder, S: Scheduler<Ready<M, K>>>(
    session: &Session<'_, M, K, S>,
) -> Idle {
    let mut idle = Idle::default();
    let mut known = FxHashSet::default();
    let (plan, notes) = (session.program.plan, session.instrumentation);
    session.registry.promote_all(plan, notes, |entry| entry.count == 0);
    for instance in session.registry.instances() {
        // One that cannot be locked is within its body.
        if instance.core.try_lock().is_none_or(|core| core.count > 0) {
            continue;
        }
        let around = instance.graph.outward().map_while(|graph| graph.record());
        let mut around: Vec<_> = around.take_while(|graph| known.insert(graph.graph)).collect();
        around.reverse();
        idle.graphs.extend(around);
        idle.actions.push(instance.record());
    }
    idle
}

/// Replay: the first recorded event by path that was not executed although all before it were.
fn stuck_event<M: Instrumentation, K: ResultOrder, S: Scheduler<Ready<M, K>>>(
    session: &Session<'_, M, K, S>,
    n_events: u64,
) -> Option<Divergence> {
    let script = session.instrumentation.recorded()?;
    if !script.is_minimal() && script.n_executed() == Some(n_events) {
        return None;
    }
    session.registry.promote_all(session.program.plan, session.instrumentation, |_| true);
    let n_executed_of = session
        .registry
        .instances()
        .iter()
        .map(|instance| (instance.action, instance.core.lock().count))
        .collect::<rustc_hash::FxHashMap<_, _>>();
    let reclaim = &session.registry.reclaim;
    let n_executed =
        |action| n_executed_of.get(&action).copied().or_else(|| reclaim.count_of(action)).unwrap_or(0);
    let mut stuck: Option<Divergence> = None;
    for (template, action) in script.known.actions() {
        if script.is_minimal() {
            let Some(id) = script.told_behind(action, n_executed(action)) else { continue };
            let expected = session.instrumentation.expected(id);
            let divergence = Divergence {
                event: script.known.names().event(id).to_string(),
                expected: expected.map_or("an execution".to_owned(), |expected| session.shown(&expected)),
                found: "what the record tells of it, or of others, does not make it happen".to_owned(),
                at: session.program.plan.template(template).at,
            };
            if stuck.as_ref().is_none_or(|other| divergence.event < other.event) {
                stuck = Some(divergence);
            }
            continue;
        }
        let id = EventId { action, count: n_executed(action) + 1 };
        let Some(expected) = session.instrumentation.expected(id) else { continue };
        if expected.flow().any(|sender| n_executed(sender.action) < sender.count) {
            continue;
        }
        let found = if n_executed_of.contains_key(&action) {
            "the values or the grants that the record names did not come"
        } else {
            "the instance was never created"
        };
        let divergence = Divergence {
            event: script.known.names().event(id).to_string(),
            expected: session.shown(&expected),
            found: found.to_owned(),
            at: session.program.plan.template(template).at,
        };
        if stuck.as_ref().is_none_or(|other| divergence.event < other.event) {
            stuck = Some(divergence);
        }
    }
    let n_recorded = script.n_executed().filter(|n_recorded| *n_recorded != n_events);
    let events =
        |n_events: u64| if n_events == 1 { "1 event".to_owned() } else { format!("{n_events} events") };
    let of_run = |expected: String, found: String| Divergence {
        event: "/".to_owned(),
        expected,
        found,
        at: session.program.plan.graphs[session.program.plan.main.idx()].at,
    };
    let by_number = || n_recorded.map(|n_recorded| of_run(events(n_recorded), events(n_events)));
    let by_digest = || {
        let (expected, found) = (script.digest()?, session.instrumentation.digest()?);
        let differs = expected != found;
        differs.then(|| {
            of_run(
                format!("a run with the digest {expected}"),
                format!("other events or another order, with the digest {found}"),
            )
        })
    };
    stuck.or_else(by_number).or_else(by_digest)
}
