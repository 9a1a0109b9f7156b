//! Runs the passes over the declarations of all graphs in order and puts what they give together.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hasse_model::diagnostic::Severity;
use hasse_model::id::GraphId;
use hasse_model::plan::{ErrorPolicy, Graph, Plan, SharedUse, Template};
use hasse_model::record_options::RecordAnnotations;

use super::bind::bind;
use super::check_arcs::{Arcs, Bases, NodeRef, check_arcs};
use super::check_bodies::check_bodies;
use super::check_bounds::check_bounds;
use super::check_calls::check_calls;
use super::check_defaults::{check_params, check_shared, check_vars};
use super::check_delays::check_delays;
use super::check_firing::check_firing;
use super::check_flow::{
    check_call_inputs, check_call_outputs, check_ends, check_interface_ports, check_main_ports, check_ports,
};
use super::check_passages::check_passages;
use super::check_record::check_record;
use super::check_routing::check_routing;
use super::check_shares::{Shares, check_shares};
use super::check_times::check_times;
use super::lower_routines::lower_routines;
use super::resolve::resolve_graphs;
use crate::analysis::{analyze, summarize};
use crate::decl::{GraphDecl, Interface, NodeDecl, PortDecl};
use crate::session::Session;
use crate::syntax::{OnError, Program, Unit};

/// Checks all graphs and lowers them. The plan is whole only where nothing has been reported as an error.
pub(crate) fn lower_program(program: &Program, session: &mut Session<'_>) -> Plan {
    let mut decls = resolve_graphs(program, session);
    let interfaces: Vec<Interface> = decls.iter().map(GraphDecl::interface).collect();
    let is_main =
        |decl: &GraphDecl<'_>| program.main.as_ref().is_some_and(|main| main.text == decl.name.text);
    let main = decls.iter().find(|decl| is_main(decl)).map_or(GraphId(0), |decl| decl.id);
    let mut plan = Plan {
        main,
        graphs: Vec::new(),
        templates: Vec::new(),
        calls: Vec::new(),
        arcs: Vec::new(),
        shared: Vec::new(),
        scripts: Vec::new(),
        lowerings: Vec::new(),
        structs: Arc::clone(&session.structs),
        orders_results: false,
        record: RecordAnnotations::default(),
    };
    let is_main_called = decls.iter().flat_map(|decl| &decl.calls).any(|call| call.callee == Some(main));
    let mut results = Results::default();
    let mut left = Vec::new();
    for decl in &mut decls {
        let has_one_instance = is_main(decl) && !is_main_called;
        let is_main = is_main(decl);
        left.push(lower_graph(
            decl,
            is_main,
            has_one_instance,
            &interfaces,
            &mut results,
            &mut plan,
            session,
        ));
    }
    check_call_outputs(&decls, &interfaces, &left, &plan, session);
    check_passages(&plan, session);
    check_delays(&plan, session);
    plan.record = check_record(&program.record, &plan, session);
    plan.orders_results = results.needs_order();
    plan.scripts = std::mem::take(&mut session.scripts);
    if session.diagnostics.iter().all(|found| found.severity != Severity::Error) {
        session.diagnostics.extend(analyze(&summarize(&decls, &plan, &session.front)));
        lower_routines(&mut plan, &session.front, session.functions);
    }
    plan
}

/// Lowers a graph. Returns the ports that arcs leave; `None` where not all ends of arcs are known.
fn lower_graph(
    decl: &mut GraphDecl<'_>,
    is_main: bool,
    has_one_instance: bool,
    interfaces: &[Interface],
    results: &mut Results,
    plan: &mut Plan,
    session: &mut Session<'_>,
) -> Option<BTreeSet<(NodeRef, usize)>> {
    let bases = Bases { template: plan.templates.len(), call: plan.calls.len(), shared: plan.shared.len() };
    let params = check_params(decl, session);
    let shared = check_shared(decl, session);
    let Shares { uses, call_bindings } = check_shares(decl, interfaces, bases, session);
    check_bounds(decl, session);
    check_times(decl, session);
    let arcs = check_arcs(decl, interfaces, bases, session);
    let calls = check_calls(decl, interfaces, call_bindings, session);
    check_ends(decl, is_main, session);
    if has_one_instance {
        check_main_ports(decl, session);
    } else {
        check_interface_ports(decl, &arcs, session);
    }
    check_call_inputs(decl, interfaces, &arcs, session);
    let graph = decl.id;
    for (node_idx, (node, uses)) in decl.nodes.iter_mut().zip(uses).enumerate() {
        let template =
            lower_node((graph, &decl.name.text), node_idx, node, uses, &arcs, session, |unit, names| {
                results.add((graph, node_idx), !unit.index.is_empty() || !has_one_instance, names);
            });
        plan.templates.push(template);
    }
    let ports = |ports: &[PortDecl]| ports.iter().map(|port| port.port.clone()).collect();
    plan.graphs.push(Graph {
        name: decl.name.text.clone(),
        params,
        inputs: ports(&decl.inputs),
        outputs: ports(&decl.outputs),
        formals: ports(&decl.formals),
        at: decl.name.at,
    });
    plan.calls.extend(calls);
    plan.arcs.extend(arcs.arcs);
    plan.shared.extend(shared);
    arcs.are_ends_known.then_some(arcs.left)
}

fn lower_node(
    (graph, graph_name): (GraphId, &str),
    node_idx: usize,
    node: &mut NodeDecl<'_>,
    shared: Vec<SharedUse>,
    arcs: &Arcs,
    session: &mut Session<'_>,
    note_results: impl FnOnce(&Unit, &[Option<String>]),
) -> Template {
    let unit: &Unit = node.unit;
    let rules = bind(&unit.fire, node, session);
    let node: &NodeDecl<'_> = node;
    let var_defaults = check_vars(node, session);
    let firing = check_firing(&rules, node, session);
    let bodies = check_bodies(graph_name, node, session);
    let routing = check_routing(node, &firing.rules, &bodies, session);
    check_ports(node_idx, node, arcs, &firing, &routing, session);
    note_results(unit, &bodies.results);
    Template {
        name: node.name().to_owned(),
        graph,
        n_indices: unit.index.len(),
        inputs: node.inputs.iter().map(|port| port.port.clone()).collect(),
        outputs: node.outputs.iter().map(|port| port.port.clone()).collect(),
        slots: node.slots.clone(),
        var_defaults,
        shared,
        init: bodies.init,
        fire: firing.rules,
        may_wait: bodies.may_wait || node.backoff.is_some() && bodies.body.is_some(),
        body: bodies.body,
        route: routing.rules,
        is_start: unit.start.is_some(),
        is_first: unit.is_initial,
        every: node.every.clone(),
        start_after: node.start_after.clone(),
        is_stop: unit.stop.is_some(),
        prefers: unit.prefer.is_some(),
        at_once: node.at_once.clone(),
        priority: unit.priority,
        deadline: node.deadline.clone(),
        cancel: node.cancel,
        on_error: ErrorPolicy {
            continues: matches!(unit.on_error, Some(OnError::Continue | OnError::Rules(_)))
                || node.forwarded.is_some(),
            retry: node.retry.clone(),
            backoff: node.backoff.clone(),
            slot: node.error,
        },
        at: unit.name.at,
    }
}

/// Who sets which result.
#[derive(Default)]
struct Results {
    /// The one node that sets a result name.
    setter_of: BTreeMap<String, (GraphId, usize)>,
    has_several_setters: bool,
}

impl Results {
    fn add(&mut self, node: (GraphId, usize), has_instances: bool, names: &[Option<String>]) {
        for name in names {
            let Some(name) = name.as_ref().filter(|_| !has_instances) else {
                self.has_several_setters = true;
                continue;
            };
            let setter = *self.setter_of.entry(name.clone()).or_insert(node);
            self.has_several_setters |= setter != node;
        }
    }

    fn needs_order(&self) -> bool {
        self.has_several_setters
    }
}
