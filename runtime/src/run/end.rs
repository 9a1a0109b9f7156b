//! The end of a run: outcome, results, who waits, and where a replay got stuck.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use hasse_model::diagnostic::Location;
use hasse_model::event::{ActionRecord, QueueChange};
use hasse_model::id::{EventId, GraphInstanceId, TemplateId};
use hasse_model::value::Value;
use hasse_record::collector::shelf::HeldBody;
use hasse_record::instrumentation::Instrumentation;
use hasse_record::replay::edits::PlacedEdit;
use hasse_record::stamp::Directive;
use hasse_request::report::{Divergence, Idle, RunError, RunOutcome, RunReport, WaitingValues};
use hasse_store::instance::Core;
use hasse_store::token::Token;
use rustc_hash::FxHashSet;

use crate::fire::session::Session;
use crate::fire::worker::Worker;
use crate::inspect::waiting::{Quiescence, quiescence};

/// The report of a run whose workers have all ended, but for those that are held within these bodies, and what was created and
/// never executed. Without a worker, the run was asked to end.
pub(crate) fn report<M: Instrumentation>(
    session: &Session<'_, M>,
    mut worker: Option<&mut Worker<'_, '_, M>>,
    n_events: u64,
    bodies: &mut [HeldBody<'_>],
) -> (RunReport, Idle) {
    let duration = session.started.elapsed();
    let stopped_at = session.scheduler.by_choice().and_then(|choices| choices.stopped_at());
    let was_decided = session.scheduler.by_choice().is_some_and(|choices| choices.has_ended());
    let was_stopped = session.stop.is_set() || session.stop.is_draining() || was_decided;
    let has_ended = session.has_ended.load(Ordering::Relaxed);
    let n_actions = session.registry.n_actions();
    session.deliver_all();
    let idle = idle(session);
    if session.replays() {
        put_left(session);
    } else if M::CONTROLLED && session.board.is_some() {
        note_left(session);
    }
    if let Some(worker) = &mut worker {
        drop_surplus(worker);
    }
    if session.instrumentation.wants_cut()
        && let Some(cut) = session.cut(&bodies.iter().map(|held| held.body).collect::<Vec<_>>())
    {
        session.instrumentation.hand_over_cut(bodies, cut);
    }
    let is_explained = stopped_at.as_ref().is_some_and(|stopped| stopped.is_explained);
    let found = match worker.filter(|_| !has_ended && (!was_stopped || is_explained)) {
        Some(worker) => quiescence(worker),
        None => Quiescence::default(),
    };
    // Who interrupts the search has waited long enough.
    let was_stopped = was_stopped || found.is_interrupted;
    if session.replays() && !was_stopped && session.divergence.lock().is_none() {
        *session.divergence.lock() = stuck_event(session, n_events);
    }
    let plan = session.program.plan;
    let has_stop_node = plan.templates.iter().any(|template| template.is_stop && template.graph == plan.main);
    let (results, errors) = results_and_errors(session);
    let outcome = if session.has_used_up_memory() {
        RunOutcome::Failed
    } else if was_stopped {
        RunOutcome::Stopped
    } else if !errors.is_empty() {
        RunOutcome::Failed
    } else if !has_ended && (has_stop_node || found.has_values) {
        RunOutcome::Quiescent
    } else {
        RunOutcome::Finished
    };
    let reports_waiting = !has_ended && (!was_stopped || is_explained) && outcome != RunOutcome::Finished;
    let found = if reports_waiting { found } else { Quiescence::default() };
    let report = RunReport {
        outcome,
        results,
        n_events,
        duration,
        n_actions,
        n_reclaimed: session.registry.reclaim.n_reclaimed(),
        quiescence: found.waiting,
        n_waiting: found.n_waiting,
        waiting_classes: found.classes,
        n_unclassed: found.n_unclassed,
        has_stop_node,
        wait_causes: found.causes,
        wait_cycle: found.cycle,
        errors,
        waiting_values: if was_stopped { waiting_values(session) } else { Vec::new() },
        dropped: session.dropped.report(session.program.plan),
        handled: session.handled.report(session.program.plan),
        divergence: session.divergence.lock().take(),
        stopped_at,
        digest: session.instrumentation.digest(),
    };
    (report, idle)
}

/// Drops values beyond the bounds of ports that came while their action waited for something else.
fn drop_surplus<M: Instrumentation>(worker: &mut Worker<'_, '_, M>) {
    let session = worker.session;
    if !session.has_bounds || !session.program.bounded.is_any_dropping() {
        return;
    }
    for instance in session.registry.instances() {
        if session.drops(instance.template)
            && let Some(mut core) = instance.core.try_lock()
        {
            worker.collect(&instance, &mut core);
        }
    }
    session.instrumentation.flush(&mut worker.notes);
}

/// Notes the values that were added by hand and that nobody took.
fn note_left<M: Instrumentation>(session: &Session<'_, M>) {
    for instance in session.registry.instances() {
        let Some(core) = instance.core.try_lock() else { continue };
        let inputs = &session.program.plan.template(instance.template).inputs;
        for (port, queue) in inputs.iter().zip(&core.ports) {
            queue.each_with_element(|elements, token| {
                if token.directive.is_by_hand() {
                    let (port, change) = (port.name.clone(), QueueChange::Left(token.value.clone()));
                    session.instrumentation.hand_over_edits(instance.edited(port, elements.clone(), change));
                }
            });
        }
    }
}

/// Replay: puts the values where they wait that were added by hand and that nobody took.
fn put_left<M: Instrumentation>(session: &Session<'_, M>) {
    let left = session.instrumentation.recorded().map_or(&[][..], |script| script.known.left_by_hand());
    let graphs = if left.is_empty() { Vec::new() } else { session.registry.graphs() };
    for PlacedEdit { port, edit } in left {
        let (plan, notes) = (session.program.plan, session.instrumentation);
        let graph = graphs.iter().find(|graph| graph.id == edit.graph);
        if let (Some(graph), QueueChange::Left(value)) = (graph, &edit.change) {
            let index = edit.index.clone();
            let (instance, is_new) = session.registry.instance(plan, notes, graph, edit.template, index);
            let mut core = instance.core.lock();
            if is_new {
                // In the recorded run, the value that waited kept it.
                core.count = session.registry.reclaim.count_of(instance.action).unwrap_or(0);
                core.is_initialized = core.count > 0;
            }
            core.open_ports(plan.template(edit.template));
            core.ports[*port].push(&edit.elements, Token::by_hand(value.clone()));
        }
    }
}

/// The report of a run that was asked to end while workers go on: what it has produced, and nothing that needs actions to be at
/// rest.
pub(crate) fn report_while_executing<M: Instrumentation>(
    session: &Session<'_, M>,
    n_events: u64,
) -> RunReport {
    session.deliver_all();
    let plan = session.program.plan;
    let (results, errors) = results_and_errors(session);
    RunReport {
        outcome: if session.has_used_up_memory() { RunOutcome::Failed } else { RunOutcome::Stopped },
        results,
        n_events,
        duration: session.started.elapsed(),
        n_actions: session.registry.n_actions(),
        n_reclaimed: session.registry.reclaim.n_reclaimed(),
        quiescence: Vec::new(),
        n_waiting: 0,
        waiting_classes: Vec::new(),
        n_unclassed: 0,
        has_stop_node: plan.templates.iter().any(|template| template.is_stop && template.graph == plan.main),
        wait_causes: Vec::new(),
        wait_cycle: Vec::new(),
        errors,
        waiting_values: waiting_values(session),
        dropped: session.dropped.report(session.program.plan),
        handled: session.handled.report(session.program.plan),
        divergence: session.divergence.lock().take(),
        stopped_at: None,
        digest: None,
    }
}

/// The results of a run and its errors, in the order of events. Takes them out.
fn results_and_errors<M: Instrumentation>(session: &Session<'_, M>) -> (Vec<(String, Value)>, Vec<RunError>) {
    let (results, conflicts) = session.results.finish();
    let mut errors = std::mem::take(&mut *session.errors.lock());
    errors.extend(conflicts);
    if session.has_used_up_memory() {
        errors.push(RunError {
            code: "R0012",
            event: "/".to_owned(),
            message: format!(
                "the run holds {} MiB, all the memory that it may take; `--memory MIB` sets another limit",
                session.used_up_bytes.load(Ordering::Relaxed) >> 20
            ),
            at: Location::default(),
            values: Vec::new(),
        });
    }
    errors.sort_by(|left, right| left.event.cmp(&right.event));
    (results, errors)
}

/// Values that wait on ports, by node and port; the most first.
fn waiting_values<M: Instrumentation>(session: &Session<'_, M>) -> Vec<WaitingValues> {
    let plan = session.program.plan;
    let mut of_ports: BTreeMap<(TemplateId, usize), WaitingValues> = BTreeMap::new();
    session.registry.each_instance(|instance| {
        let template = plan.template(instance.template);
        let mut n_of_port = vec![0; template.inputs.len()];
        instance.inbox.lock().each(|port, _| n_of_port[port] += 1);
        // A body in Rust that does not end keeps its action: what has come to it since is counted alone.
        if let Some(core) = instance.core.try_lock() {
            for (n_values, port) in n_of_port.iter_mut().zip(&core.ports) {
                *n_values += port.n_in_all();
            }
        }
        for (port, n_values) in n_of_port.into_iter().enumerate().filter(|(_, n_values)| *n_values > 0) {
            let found = of_ports.entry((instance.template, port)).or_insert_with(|| WaitingValues {
                port: format!("{}.{}", plan.template_label(template), template.inputs[port].name),
                n_values: 0,
                n_actions: 0,
                most_at: String::new(),
                n_most: 0,
            });
            found.n_values += n_values;
            found.n_actions += 1;
            let path = || session.path(instance);
            if n_values > found.n_most || n_values == found.n_most && path() < found.most_at {
                (found.n_most, found.most_at) = (n_values, path());
            }
        }
    });
    let mut waiting: Vec<WaitingValues> = of_ports.into_values().collect();
    waiting.sort_by(|left, right| (right.n_values, &left.port).cmp(&(left.n_values, &right.port)));
    waiting
}

fn idle<M: Instrumentation>(session: &Session<'_, M>) -> Idle {
    let mut idle = Idle::default();
    let mut known = FxHashSet::default();
    // There may be millions of entries: they are not made instances for this.
    for (template, store) in session.registry.stores() {
        store.each_entry(|entry, index| {
            if entry.count == 0 {
                let (action, graph) = (entry.action, GraphInstanceId::MAIN);
                idle.actions.push(ActionRecord { action, template, graph, index });
            }
        });
    }
    let is_sorted = idle.actions.is_empty();
    for instance in session.registry.instances() {
        // One that cannot be locked is within its body. An execution that waits for a lock has not ended.
        let has_ended = |core: &Core<M>| core.count > u64::from(core.pending.is_some());
        if instance.core.try_lock().is_none_or(|core| has_ended(&core)) {
            continue;
        }
        let around = instance.graph.outward().map_while(|graph| graph.record());
        let mut around: Vec<_> = around.take_while(|graph| known.insert(graph.graph)).collect();
        around.reverse();
        idle.graphs.extend(around);
        idle.actions.push(instance.record());
    }
    if !is_sorted {
        // Entries are of the main graph, which comes first.
        idle.actions.sort_by(|left, right| {
            let is_inner = |record: &ActionRecord| record.graph != GraphInstanceId::MAIN;
            is_inner(left).cmp(&is_inner(right)).then_with(|| match is_inner(left) {
                false => (left.template, &left.index).cmp(&(right.template, &right.index)),
                true => std::cmp::Ordering::Equal,
            })
        });
    }
    idle
}

/// Replay: the first recorded event by path that was not executed although all before it were.
fn stuck_event<M: Instrumentation>(session: &Session<'_, M>, n_events: u64) -> Option<Divergence> {
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
