//! What is read when a run rests: once, by the thread that can see all actions, and kept for pages of tables.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hasse_editor::run::{
    Ended, Failure, LinkQueue, MOST_FAILURES, MOST_LISTED, Moment, Order, Page, PageQuery, RunState,
    Snapshot, TemplateCount,
};
use hasse_model::plan::{Plan, Source, Target};
use hasse_runtime::control::{ActionState, ActionSummary, CycleStep, ObjectView, QueueCount};
use hasse_runtime::report::{RunError, RunOutcome, RunReport};

use super::super::session::Session;
use super::mailbox::Mailbox;
use crate::fault::Fault;

/// All actions at the last rest.
#[derive(Default)]
pub(super) struct Rested {
    /// By template, in the order of their paths.
    actions: BTreeMap<usize, Vec<ActionSummary>>,
    /// The order of the table that was asked for last.
    sorted: Option<(PageQuery, Vec<u32>)>,
}

/// What one question brings.
struct Found {
    actions: Vec<ActionSummary>,
    queues: Vec<QueueCount>,
    objects: Vec<ObjectView>,
    cycle: Vec<CycleStep>,
}

impl Rested {
    /// Reads everything of a run that is at rest, or over and open. Cost: linear in its actions and in the values that
    /// wait, and what a search for a cycle takes.
    pub(super) fn read(
        session: &Session<'_, '_>,
        state: RunState,
        mailbox: &Mailbox,
    ) -> Result<(Self, Snapshot), Fault> {
        let mut found = session.ask(|inspector| Found {
            actions: inspector.actions(),
            queues: inspector.queues(),
            objects: inspector.objects(),
            cycle: inspector.wait_cycle(),
        })?;
        let is_stopped = |action: &&ActionSummary| matches!(action.state, ActionState::Stopped(_));
        let n_stopped = found.actions.iter().filter(is_stopped).count();
        let stopped: Vec<ActionSummary> =
            found.actions.iter().filter(is_stopped).take(MOST_LISTED).cloned().collect();
        let mut hit: Vec<u64> = stopped.iter().flat_map(|action| mailbox.hits_of(&action.path)).collect();
        hit.sort_unstable();
        hit.dedup();
        let moment = session.moment().map(|at| Moment {
            position: at.position,
            n_events: at.n_events,
            is_within: at.is_within,
            text: at.text,
        });
        // Of a run that is over, an earlier moment knows nothing yet.
        let is_over = matches!(state, RunState::Over { .. })
            && moment.as_ref().is_none_or(|moment| {
                // How the run of a file has ended is not known.
                moment.is_end() && session.last_report().is_some()
            });
        let mut cut_off = match session.last_report() {
            Some(report) if is_over => cut_off(report, &mut found.actions),
            _ => Vec::new(),
        };
        cut_off.sort_unstable();
        let mut actions: BTreeMap<usize, Vec<ActionSummary>> = BTreeMap::new();
        for action in found.actions {
            actions.entry(action.template.idx()).or_default().push(action);
        }
        let n_objects = found.objects.len();
        // A run that came to its end leaves actions that wait for more: nothing is wrong with them.
        let has_finished = match moment {
            Some(_) => session.last_report().map(|report| report.outcome),
            None => session.subject.control.report().map(|report| report.outcome),
        } == Some(RunOutcome::Finished);
        // Before the end, actions that do not exist yet wait for nobody, and a cycle in which nothing waits may never be entered.
        let existing =
            |step: &CycleStep| actions.values().flatten().find(|action| action.path == step.action);
        let is_waiting = |step: &CycleStep| existing(step).is_some_and(|action| action.n_queued > 0);
        let is_entered =
            || found.cycle.iter().all(|step| existing(step).is_some()) && found.cycle.iter().any(is_waiting);
        let is_shown = !(is_over && has_finished) && (is_over || is_entered());
        let snapshot = Snapshot {
            state,
            ended: ended(session, state),
            templates: actions
                .iter()
                .map(|(&template, actions)| TemplateCount::of(template, actions))
                .collect(),
            stopped,
            n_stopped,
            cut_off,
            hit,
            queues: queues(&found.queues, &session.subject.plan),
            objects: found.objects.into_iter().take(MOST_LISTED).collect(),
            n_objects,
            cycle: if is_shown { found.cycle } else { Vec::new() },
            moment,
        };
        Ok((Self { actions, sorted: None }, snapshot))
    }

    /// Rows of a table. Cost: sorting, where it is in another order than the one before; else that of the rows.
    pub(super) fn page(&mut self, query: PageQuery) -> Page {
        let Some(actions) = self.actions.get(&query.template) else { return no_page(query) };
        let rows = |rows: &mut dyn Iterator<Item = &ActionSummary>| {
            rows.skip(query.start).take(query.n_rows).cloned().collect::<Vec<_>>()
        };
        let mut n_total = actions.len();
        let rows = if query.order == Order::Path && query.filter.is_empty() {
            match query.is_descending {
                false => rows(&mut actions.iter()),
                true => rows(&mut actions.iter().rev()),
            }
        } else {
            let is_as_before = |known: &PageQuery| {
                (known.template, known.order, known.is_descending, &known.filter)
                    == (query.template, query.order, query.is_descending, &query.filter)
            };
            if !self.sorted.as_ref().is_some_and(|(known, _)| is_as_before(known)) {
                let all = 0..u32::try_from(n_total).unwrap_or(u32::MAX);
                let is_shown = |row: &u32| actions[*row as usize].path.contains(&query.filter);
                let mut order: Vec<u32> = all.filter(is_shown).collect();
                if query.order == Order::Path {
                    if query.is_descending {
                        order.reverse();
                    }
                } else {
                    order.sort_by(|&left, &right| {
                        let compared = query.order.compare(&actions[left as usize], &actions[right as usize]);
                        if query.is_descending { compared.reverse() } else { compared }
                    });
                }
                self.sorted = Some((query.clone(), order));
            }
            let order = self.sorted.as_ref().map_or(&[][..], |(_, order)| order);
            n_total = order.len();
            rows(&mut order.iter().map(|&row| &actions[row as usize]))
        };
        Page { query, n_total, rows }
    }
}

/// Actions that have executed for the last time without an error: the end of the run has interrupted them. They become idle, and
/// the first of their paths are returned.
fn cut_off(report: &RunReport, actions: &mut [ActionSummary]) -> Vec<String> {
    let action_of = |error: &RunError| error.event.rsplit_once(':').map(|(action, _)| action.to_owned());
    let failed: BTreeSet<String> = report.errors.iter().filter_map(action_of).collect();
    let is_cut_off =
        |action: &&mut ActionSummary| action.state == ActionState::Failed && !failed.contains(&action.path);
    let mut paths = Vec::new();
    for action in actions.iter_mut().filter(is_cut_off) {
        action.state = ActionState::Idle;
        if paths.len() < MOST_LISTED {
            paths.push(action.path.clone());
        }
    }
    paths
}

/// Values that wait, by arc.
fn queues(counts: &[QueueCount], plan: &Plan) -> Vec<LinkQueue> {
    let mut by_arc: BTreeMap<usize, (u64, Option<u8>)> = BTreeMap::new();
    for count in counts {
        let to_port = || {
            plan.arcs.iter().enumerate().filter(|(_, arc)| {
                arc.target == Target::Unit(count.template) && arc.target_port == count.port
            })
        };
        let of_sender =
            count.sender.and_then(|sender| to_port().find(|(_, arc)| arc.source == Source::Unit(sender)));
        let arc = match count.arc {
            Some(arc) => Some(arc.idx()),
            None => of_sender.or_else(|| to_port().next()).map(|(arc, _)| arc),
        };
        if let Some(arc) = arc {
            let held = by_arc.entry(arc).or_default();
            *held = (held.0 + count.n_values, held.1.max(count.fill));
        }
    }
    by_arc.into_iter().map(|(arc, (n_values, fill))| LinkQueue { arc, n_values, fill }).collect()
}

/// End of the last run, once it is over.
pub(super) fn ended(session: &Session<'_, '_>, state: RunState) -> Option<Ended> {
    let report = session.last_report().filter(|_| matches!(state, RunState::Over { .. }))?;
    let failures = report.errors.iter().take(MOST_FAILURES).map(|error| Failure {
        event: error.event.clone(),
        message: first_line(error).to_owned(),
        line: error.at.line,
    });
    Some(Ended {
        outcome: report.outcome,
        reason: reason(report),
        n_events: report.n_events,
        duration: report.duration,
        failures: failures.collect(),
        cycle: report.wait_cycle.clone(),
        waits: report.quiescence.first().map(|waiting| waiting.action.clone()),
        results: Arc::new(report.results.clone()),
    })
}

/// The first line of an error's message, without the interpreter's word for what a body throws.
fn first_line(error: &RunError) -> &str {
    let line = error.message.lines().next().unwrap_or_default();
    line.strip_prefix("Runtime error: ").unwrap_or(line)
}

/// Why a run ended as it did, in one line; empty where nothing is wrong.
fn reason(report: &RunReport) -> String {
    if let Some(divergence) = &report.divergence {
        return format!("the replay left the record at {}", divergence.event);
    }
    if let Some(error) = report.errors.first() {
        let message = first_line(error);
        let more = match report.errors.len() {
            1 => String::new(),
            2 => ", and 1 more error".to_owned(),
            n_errors => format!(", and {} more errors", n_errors - 1),
        };
        // Its line is among the failures: the window leads there.
        return format!("{} failed: {message}{more}", error.event);
    }
    if let [only] = &report.wait_cycle[..] {
        return format!("{only} waits for itself");
    }
    if let Some(first) = report.wait_cycle.first() {
        let waits: Vec<&str> = report.wait_cycle.iter().map(String::as_str).chain([first.as_str()]).collect();
        return format!("these wait for each other: {}", waits.join(" -> "));
    }
    match (report.quiescence.first(), report.n_waiting) {
        (Some(first), 0 | 1) => format!("{} waits for values that nobody will send", first.action),
        (Some(first), n_waiting) => {
            format!("{n_waiting} actions wait for values that nobody will send, {} among them", first.action)
        }
        (None, _) => String::new(),
    }
}

/// What a page of a session without actions is.
pub(super) fn no_page(query: PageQuery) -> Page {
    Page { query, n_total: 0, rows: Vec::new() }
}

/// A snapshot of a run that cannot be asked.
pub(super) fn silent(state: RunState, ended: Option<Ended>) -> Arc<Snapshot> {
    Arc::new(Snapshot { state, ended, ..Snapshot::default() })
}
