//! State of existing actions: what they hold, and what their firing rules miss.

use std::collections::BTreeMap;

use hasse_model::id::Index;
use hasse_model::plan::{FiringRule, Template};
use hasse_record::instrumentation::Instrumentation;
use hasse_request::report::{WaitingAction, WaitingRule};
use hasse_store::instance::{Core, Instance};
use hasse_waiting::graph::{Seen, SeenRule, Standing};
use hasse_waiting::population::exactly;

use crate::fire::worker::Worker;

/// Maximum number of elements of ports that are listed of an action, or of what a rule misses.
pub(crate) const MAX_LISTED: usize = 100;

/// An element of a port that a rule wants a value of.
pub(crate) type Element = (usize, Index);

/// For each rule, the elements of ports on which it misses values, in the order of the rule.
pub(crate) fn missing_of_rules<M: Instrumentation>(
    worker: &mut Worker<'_, '_, M>,
    template: &Template,
    core: &Core<M>,
) -> Vec<Vec<Element>> {
    template.fire.iter().map(|rule| missing(worker, template, rule, core).0).collect()
}

/// The elements of ports on which a rule misses values, in the order of the rule, and whether a value that must not be
/// left waits on another one.
fn missing<M: Instrumentation>(
    worker: &mut Worker<'_, '_, M>,
    template: &Template,
    rule: &FiringRule,
    core: &Core<M>,
) -> (Vec<Element>, bool) {
    if worker.want(template, rule).is_err() {
        return (Vec::new(), false);
    }
    let mut n_wanted: BTreeMap<(usize, &Index), usize> = BTreeMap::new();
    let (mut missing, mut has_values) = (Vec::new(), false);
    for wanted in &worker.wanted {
        let n_before = n_wanted.entry((wanted.port, &wanted.elements)).or_default();
        let n_queued = core.ports.get(wanted.port).map_or(0, |port| port.n_values(&wanted.elements));
        if *n_before >= n_queued {
            missing.push((wanted.port, wanted.elements.clone()));
        } else if !template.inputs[wanted.port].may_be_left {
            has_values = true;
        }
        *n_before += 1;
    }
    (missing, has_values)
}

/// Whether values wait that must not be left.
pub(crate) fn has_values<M: Instrumentation>(template: &Template, core: &Core<M>) -> bool {
    template.inputs.iter().zip(&core.ports).any(|(port, queue)| !port.may_be_left && !queue.is_empty())
}

/// State of an action and of its firing rules.
pub(crate) fn seen<M: Instrumentation>(worker: &mut Worker<'_, '_, M>, instance: &Instance<M>) -> Seen {
    let alone = |standing| Seen { standing, rules: Vec::new() };
    let Some(mut core) = instance.core.try_lock() else { return alone(Standing::Active) };
    if core.has_failed {
        return alone(Standing::Failed);
    }
    if core.pending.is_some() || core.must_start || instance.inbox.lock().is_scheduled {
        return alone(Standing::Active);
    }
    let template = worker.session.program.plan.template(instance.template);
    let rules = worker.inspect(instance, &mut core, |worker, core| {
        let mut rules = Vec::new();
        for (rule_idx, rule) in template.fire.iter().enumerate() {
            if !worker.guard_holds(rule).unwrap_or(true) {
                continue;
            }
            let (missing, has_values) = missing(worker, template, rule, core);
            let missing = missing.into_iter().map(|(port, elements)| (port, exactly(&elements))).collect();
            rules.push(SeenRule { rule: rule_idx, missing, has_values });
        }
        rules
    });
    Seen { standing: Standing::Waiting, rules }
}

/// What a report says of an action; its path is left empty.
pub(crate) fn waiting_action<M: Instrumentation>(
    worker: &mut Worker<'_, '_, M>,
    instance: &Instance<M>,
    core: &Core<M>,
) -> WaitingAction {
    let template = worker.session.program.plan.template(instance.template);
    let mut queued = Vec::new();
    let mut n_more_queued = 0;
    for (port, queue) in template.inputs.iter().zip(&core.ports) {
        for (elements, n_values) in queue.lengths() {
            if queued.len() < MAX_LISTED {
                queued.push((format!("{}{elements}", port.name), n_values));
            } else {
                n_more_queued += n_values;
            }
        }
    }
    let mut rules = Vec::new();
    // A failed action takes none of its rules any more.
    for (rule_idx, rule) in template.fire.iter().enumerate().filter(|_| !core.has_failed) {
        let guard = rule.guard.as_ref().map(|_| worker.guard_holds(rule).map_err(|error| error.message));
        let (missing, _) = missing(worker, template, rule, core);
        let names =
            missing.iter().map(|(port, elements)| format!("{}{elements}", template.inputs[*port].name));
        rules.push(WaitingRule {
            rule: rule_idx,
            text: rule.text.clone(),
            at: rule.at,
            guard,
            missing: names.take(MAX_LISTED).collect(),
            n_more_missing: missing.len().saturating_sub(MAX_LISTED) as u64,
        });
    }
    WaitingAction {
        action: String::new(),
        n_executed: core.count,
        has_failed: core.has_failed,
        queued,
        n_more_queued,
        rules,
    }
}
