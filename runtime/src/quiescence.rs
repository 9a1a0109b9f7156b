//! The quiescence report: who waits for what when nothing can fire any more.

use std::collections::BTreeMap;
use std::sync::Arc;

use hasse_model::id::Index;
use hasse_model::plan::{Arc as PlanArc, Target, Template};
use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;
use rhai::Dynamic;

use crate::eval::{self, Env};
use crate::graph::GraphInstance;
use crate::instance::{Core, Instance};
use crate::instrumentation::{Instrumentation, ResultOrder};
use crate::report::{WaitingAction, WaitingRule};
use crate::scheduler::Scheduler;
use crate::worker::{Ready, Worker};

/// With more waiting instances than this no cycle is looked for: the search takes time quadratic in
/// their number.
const MAX_IN_CYCLE_SEARCH: usize = 2000;

/// Most waiting actions that are reported in full.
const MAX_REPORTED: usize = 1000;
/// Nor more than this many bytes of paths: those of a deep recursion are long.
const MAX_PATH_BYTES: usize = 16 << 20;

/// What waits, and a cycle of waiting if there is one.
pub(crate) struct Quiescence {
    /// The first ones, in the order of instances.
    pub(crate) waiting: Vec<WaitingAction>,
    /// Number of all.
    pub(crate) n_waiting: u64,
    pub(crate) cycle: Vec<String>,
    /// Whether values were left on ports.
    pub(crate) has_values: bool,
}

/// Looks at all instances of a run that is over.
pub(crate) fn quiescence<M: Instrumentation, K: ResultOrder, S: Scheduler<Ready<M, K>>>(
    worker: &mut Worker<'_, '_, M, K, S>,
) -> Quiescence {
    // A stop node that nobody has sent to waits as well.
    for (template_idx, template) in worker.session.program.plan.templates.iter().enumerate() {
        if template.is_stop && template.graph == worker.session.program.plan.main {
            worker.session.find_or_create(template_idx);
        }
    }
    let session = worker.session;
    session.registry.promote_all(session.program.plan, session.instrumentation, |_| true);
    let instances = session.registry.instances();
    let mut misses: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut has_values = false;
    // What is reported of each instance: one that has nothing queued and is not part of the cycle is
    // merely idle.
    let mut is_waiting = vec![false; instances.len()];
    for (instance_idx, instance) in instances.iter().enumerate() {
        let mut core = instance.core.lock();
        let missing_ports =
            worker.inspect(instance, &mut core, |worker, core| missing_ports(worker, instance, core));
        let has_queued = core.ports.iter().any(|port| !port.is_empty());
        has_values |= has_queued;
        is_waiting[instance_idx] = has_queued || core.count == 0;
        if !missing_ports.is_empty() && !core.has_failed {
            misses.insert(instance_idx, missing_ports);
        }
    }
    let cycle =
        if misses.len() > MAX_IN_CYCLE_SEARCH { Vec::new() } else { wait_cycle(worker, &instances, &misses) };
    cycle.iter().for_each(|&instance_idx| is_waiting[instance_idx] = true);
    let mut waiting = Vec::new();
    let mut path_bytes = 0;
    for (instance, _) in instances.iter().zip(&is_waiting).filter(|(_, is_waiting)| **is_waiting) {
        if waiting.len() == MAX_REPORTED || path_bytes > MAX_PATH_BYTES {
            break;
        }
        let mut core = instance.core.lock();
        let action =
            worker.inspect(instance, &mut core, |worker, core| waiting_action(worker, instance, core));
        path_bytes += action.action.len();
        waiting.push(action);
    }
    let n_waiting = is_waiting.iter().filter(|is_waiting| **is_waiting).count() as u64;
    let cycle = cycle.into_iter().map(|instance_idx| worker.session.path(&instances[instance_idx])).collect();
    Quiescence { waiting, n_waiting, cycle, has_values }
}

/// Input ports on which rules miss values whose guards do not keep them from being taken.
fn missing_ports<M: Instrumentation, K: ResultOrder, S: Scheduler<Ready<M, K>>>(
    worker: &mut Worker<'_, '_, M, K, S>,
    instance: &Instance<M, K>,
    core: &Core<M, K>,
) -> Vec<usize> {
    let template = worker.session.program.plan.template(instance.template);
    let mut ports = Vec::new();
    for rule in &template.fire {
        if worker.guard_holds(rule).unwrap_or(true) {
            ports.extend(missing(worker, template, rule, core).into_iter().map(|(port, _)| port));
        }
    }
    ports
}

pub(crate) fn waiting_action<M: Instrumentation, K: ResultOrder, S: Scheduler<Ready<M, K>>>(
    worker: &mut Worker<'_, '_, M, K, S>,
    instance: &Instance<M, K>,
    core: &Core<M, K>,
) -> WaitingAction {
    let template = worker.session.program.plan.template(instance.template);
    let queued = template
        .inputs
        .iter()
        .zip(&core.ports)
        .flat_map(|(port, queue)| {
            let named = |(elements, n_values)| (format!("{}{elements}", port.name), n_values);
            queue.lengths().into_iter().map(named)
        })
        .collect();
    let rules = template
        .fire
        .iter()
        .enumerate()
        .map(|(rule_idx, rule)| {
            let guard = rule.guard.as_ref().map(|_| worker.guard_holds(rule).map_err(|error| error.message));
            let missing = missing(worker, template, rule, core)
                .into_iter()
                .map(|(port, elements)| format!("{}{elements}", template.inputs[port].name))
                .collect();
            WaitingRule { rule: rule_idx, text: rule.text.clone(), at: rule.at, guard, missing }
        })
        .collect();
    WaitingAction {
        action: worker.session.path(instance),
        n_executed: core.count,
        has_failed: core.has_failed,
        queued,
        rules,
    }
}

/// For each rule, the elements of ports on which it misses values, in the order of the rule.
pub(crate) fn missing_of_rules<M: Instrumentation, K: ResultOrder, S: Scheduler<Ready<M, K>>>(
    worker: &mut Worker<'_, '_, M, K, S>,
    template: &Template,
    core: &Core<M, K>,
) -> Vec<Vec<(usize, Index)>> {
    template.fire.iter().map(|rule| missing(worker, template, rule, core)).collect()
}

/// An instance of a cycle of waiting.
pub(crate) struct Waiter<M: Instrumentation, K: ResultOrder> {
    pub(crate) waiter: Ready<M, K>,
    /// The port on which it misses a value.
    pub(crate) port: usize,
    /// The text of the arc by which the next instance of the cycle could send it.
    pub(crate) arc: String,
}

/// A shortest cycle of waiting among instances that no worker is serving.
pub(crate) fn cycle_of_waiting<M: Instrumentation, K: ResultOrder, S: Scheduler<Ready<M, K>>>(
    worker: &mut Worker<'_, '_, M, K, S>,
) -> Vec<Waiter<M, K>> {
    let instances = worker.session.registry.instances();
    let mut misses: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (instance_idx, instance) in instances.iter().enumerate() {
        let Some(mut core) = instance.core.try_lock() else { continue };
        if core.pending.is_some() || core.has_failed {
            continue;
        }
        let ports = worker.inspect(instance, &mut core, |worker, core| missing_ports(worker, instance, core));
        if !ports.is_empty() {
            misses.insert(instance_idx, ports);
        }
    }
    if misses.len() > MAX_IN_CYCLE_SEARCH {
        return Vec::new();
    }
    let cycle = wait_cycle(worker, &instances, &misses);
    let pairs = cycle.iter().zip(cycle.iter().cycle().skip(1));
    let waiters = pairs.filter_map(|(waiter_idx, next_idx)| {
        let (waiter, next) = (&instances[*waiter_idx], &instances[*next_idx]);
        misses[waiter_idx].iter().find_map(|&port| {
            let arc = way_to(worker, next, waiter, port, None)?;
            Some(Waiter { waiter: Arc::clone(waiter), port, arc: arc.text.clone() })
        })
    });
    waiters.collect()
}

/// The elements of ports on which a rule misses values, in the order of the rule.
fn missing<M: Instrumentation, K: ResultOrder, S: Scheduler<Ready<M, K>>>(
    worker: &mut Worker<'_, '_, M, K, S>,
    template: &Template,
    rule: &hasse_model::plan::FiringRule,
    core: &Core<M, K>,
) -> Vec<(usize, Index)> {
    if worker.want(template, rule).is_err() {
        return Vec::new();
    }
    let mut n_wanted: BTreeMap<(usize, &Index), usize> = BTreeMap::new();
    let mut missing = Vec::new();
    for wanted in &worker.wanted {
        let n_before = n_wanted.entry((wanted.port, &wanted.elements)).or_default();
        let n_queued = core.ports[wanted.port].n_values(&wanted.elements);
        if *n_before >= n_queued {
            missing.push((wanted.port, wanted.elements.clone()));
        }
        *n_before += 1;
    }
    missing
}

/// A shortest cycle of instances each of which misses a value that the next one could send: of a
/// strongly connected component of the wait-for graph (Tarjan 1972) that comes first by path.
fn wait_cycle<M: Instrumentation, K: ResultOrder, S: Scheduler<Ready<M, K>>>(
    worker: &Worker<'_, '_, M, K, S>,
    instances: &[Ready<M, K>],
    misses: &BTreeMap<usize, Vec<usize>>,
) -> Vec<usize> {
    let mut graph = DiGraph::<usize, ()>::new();
    let nodes: Vec<_> = (0..instances.len()).map(|instance_idx| graph.add_node(instance_idx)).collect();
    for (&waiter_idx, ports) in misses {
        for &port in ports {
            for &sender_idx in misses.keys() {
                let sender = &instances[sender_idx];
                if way_to(worker, sender, &instances[waiter_idx], port, None).is_some() {
                    graph.update_edge(nodes[waiter_idx], nodes[sender_idx], ());
                }
            }
        }
    }
    let component = tarjan_scc(&graph)
        .into_iter()
        .filter(|nodes| nodes.len() > 1 || graph.contains_edge(nodes[0], nodes[0]))
        .min_by_key(|nodes| nodes.iter().map(|node| graph[*node]).min());
    let Some(start) = component.and_then(|nodes| nodes.into_iter().min_by_key(|node| graph[*node])) else {
        return Vec::new();
    };
    shortest_cycle(&graph, start).into_iter().map(|node| graph[node]).collect()
}

/// The shortest way from a node back to itself, without its last step.
fn shortest_cycle(graph: &DiGraph<usize, ()>, start: NodeIndex) -> Vec<NodeIndex> {
    let mut reached_from: BTreeMap<NodeIndex, NodeIndex> = BTreeMap::new();
    let mut front = vec![start];
    while !front.is_empty() {
        let mut next_front = Vec::new();
        for node in front {
            let mut targets: Vec<_> = graph.edges(node).map(|edge| edge.target()).collect();
            targets.sort_unstable_by_key(|target| graph[*target]);
            for target in targets {
                if target == start {
                    let mut cycle: Vec<_> =
                        std::iter::successors(Some(node), |node| reached_from.get(node).copied()).collect();
                    cycle.reverse();
                    return cycle;
                }
                if let std::collections::btree_map::Entry::Vacant(vacant) = reached_from.entry(target) {
                    vacant.insert(node);
                    next_front.push(target);
                }
            }
        }
        front = next_front;
    }
    Vec::new()
}

/// The last of the arcs that lead from some output port of the sender to the receiver's port, also through the
/// interfaces of graphs, and to an element of it where one is given; `None` where none do. Index numbers that only a
/// value would decide are taken to fit.
pub(crate) fn way_to<'p, M: Instrumentation, K: ResultOrder, S: Scheduler<Ready<M, K>>>(
    worker: &Worker<'_, 'p, M, K, S>,
    sender: &Instance<M, K>,
    receiver: &Instance<M, K>,
    port: usize,
    elements: Option<&Index>,
) -> Option<&'p PlanArc> {
    let program = worker.session.program;
    // The graph instances around the receiver: a way into another one cannot lead to it but by coming
    // out again, and a graph that hands values through needs no waiting.
    let around: Vec<_> = receiver.graph.outward().collect();
    let mut ways: Vec<Way<'_, 'p>> = program.arcs_from[sender.template.idx()]
        .iter()
        .map(|arcs| Way { graph: &sender.graph, arcs, index: sender.index.as_slice() })
        .collect();
    while let Some(way) = ways.pop() {
        for arc in way.arcs {
            let Some(fits) = TargetIndex::of(arc, &way) else { continue };
            match arc.target {
                Target::Unit(template) => {
                    let is_receiver = template == receiver.template
                        && arc.target_port == port
                        && way.graph.id == receiver.graph.id;
                    let is_element = elements
                        .is_none_or(|elements| fits.may_be(&arc.target_elements, elements.as_slice()));
                    if is_receiver && is_element && fits.may_be(&arc.target_index, receiver.index.as_slice())
                    {
                        return Some(arc);
                    }
                }
                Target::Call(call) => {
                    let inner = around.iter().find(|inner| {
                        inner.call.as_ref().is_some_and(|place| {
                            place.parent.id == way.graph.id
                                && place.call == call
                                && fits.may_be(&arc.target_index, place.index.as_slice())
                        })
                    });
                    if let Some(graph) = inner {
                        let arcs = &program.arcs_from_interface[graph.graph.idx()][arc.target_port];
                        ways.push(Way { graph, arcs, index: &[] });
                    }
                }
                Target::Interface => {
                    if let Some(place) = &way.graph.call {
                        let arcs = &program.arcs_from_call[place.call.idx()][arc.target_port];
                        ways.push(Way { graph: &place.parent, arcs, index: place.index.as_slice() });
                    }
                }
            }
        }
    }
    None
}

/// Arcs that a value may go along.
struct Way<'a, 'p> {
    graph: &'a Arc<GraphInstance>,
    arcs: &'a [&'p PlanArc],
    index: &'a [i64],
}

/// The indices at the target of an arc, where only that of the source is known.
struct TargetIndex<'a> {
    numbers: Vec<i64>,
    is_known: Vec<bool>,
    params: &'a [Dynamic],
}

impl<'a> TargetIndex<'a> {
    /// `None` where the index of the source does not match.
    fn of(arc: &'a PlanArc, way: &Way<'a, '_>) -> Option<Self> {
        let params = &way.graph.params;
        let mut locals = vec![None; arc.n_locals];
        if !eval::matches(&arc.source_index, way.index, params, &mut locals) {
            return None;
        }
        // Variables that only the sent element binds are unknown here: such an index may match.
        let is_known: Vec<bool> = locals.iter().map(Option::is_some).collect();
        let numbers: Vec<i64> = locals.into_iter().map(Option::unwrap_or_default).collect();
        Some(Self { numbers, is_known, params })
    }

    /// Whether expressions of the arc's target may have these values.
    fn may_be(&self, exprs: &[hasse_model::plan::Expr], index: &[i64]) -> bool {
        let env = Env { frame: None, locals: &self.numbers, params: self.params };
        exprs.iter().zip(index).all(|(expr, &number)| {
            names_unknown(expr, &self.is_known) || eval::eval_int(expr, &env) == Ok(number)
        })
    }
}

fn names_unknown(expr: &hasse_model::plan::Expr, is_known: &[bool]) -> bool {
    use hasse_model::plan::Expr;
    match expr {
        Expr::Local(local) => !is_known[*local as usize],
        Expr::Negate(operand) | Expr::Not(operand) => names_unknown(operand, is_known),
        Expr::Binary(_, left, right) => names_unknown(left, is_known) || names_unknown(right, is_known),
        Expr::Int(_) | Expr::Bool(_) | Expr::Slot(_) | Expr::Param(_) => false,
    }
}
