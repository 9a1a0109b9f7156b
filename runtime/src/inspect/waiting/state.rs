//! State of existing actions: what they hold, and what their firing rules miss.

use std::collections::BTreeMap;

use hasse_model::id::{Index, TemplateId};
use hasse_model::plan::{Arc, FiringRule, Plan, Source, Target, Template};
use hasse_record::instrumentation::Instrumentation;
use hasse_request::report::{HeldValues, WaitingAction, WaitingRule};
use hasse_runtime_plan::bounds::bound_of;
use hasse_store::bounded::HeldBack;
use hasse_store::instance::{Core, Instance};
use hasse_waiting::graph::{FullPort, Seen, SeenRule, Standing};
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
    if worker.want(core, template, rule, None).is_err() {
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
    let alone = Seen::only;
    let Some(mut core) = instance.core.try_lock() else { return alone(Standing::Active) };
    if core.has_failed {
        return alone(Standing::Failed);
    }
    if let Some(held_back) = &core.held_back {
        return Seen { full: full_ports(held_back), ..alone(Standing::Waiting) };
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
    Seen { rules, ..Seen::only(Standing::Waiting) }
}

fn full_ports<M: Instrumentation>(held_back: &HeldBack<M>) -> Vec<FullPort> {
    let full = held_back.ports().iter().filter_map(|held| {
        let target = held.target()?;
        Some(FullPort {
            graph: target.graph.id,
            template: target.template,
            index: target.index.clone(),
            port: held.port,
            elements: held.elements.clone(),
        })
    });
    full.collect()
}

/// Values that an action holds back, with the ports that are full.
pub(crate) fn held_values<M: Instrumentation>(
    worker: &Worker<'_, '_, M>,
    instance: &Instance<M>,
    core: &Core<M>,
) -> Vec<HeldValues> {
    let session = worker.session;
    let plan = session.program.plan;
    let held = core.held_back.iter().flat_map(|held_back| held_back.ports()).filter_map(|held| {
        let target = held.target()?;
        let port = &plan.template(target.template).inputs[held.port];
        Some(HeldValues {
            port: format!("{}.{}{}", session.path(&target), port.name, held.elements),
            n_values: held.values.len() as u64,
            bound: bound_of(port, &target.graph) as u64,
            arc: arc_into(plan, instance.template, target.template, held.port),
        })
    });
    held.take(MAX_LISTED).collect()
}

/// The text of the arc along which values of a template come to a port.
pub(crate) fn arc_into(plan: &Plan, sender: TemplateId, template: TemplateId, port: usize) -> String {
    let leads_there = |arc: &&Arc| arc.target == Target::Unit(template) && arc.target_port == port;
    let mut arcs = plan.arcs.iter().filter(leads_there);
    let is_direct = |arc: &&Arc| arc.source == Source::Unit(sender);
    let arc = arcs.clone().find(is_direct).or_else(|| arcs.next());
    arc.map(|arc| arc.text.clone()).unwrap_or_default()
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
    // No rule is taken by a failed action, nor by one whose values wait for room.
    let takes_rules = !core.has_failed && core.held_back.is_none();
    for (rule_idx, rule) in template.fire.iter().enumerate().filter(|_| takes_rules) {
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
        held_back: held_values(worker, instance, core),
        rules,
    }
}
