//! Runs the passes over the declarations of a graph in order and puts what they give together.

use std::collections::BTreeMap;
use std::sync::Arc;

use hasse_model::plan::{Plan, SharedUse, Template};

use super::bind::bind;
use super::check_arcs::{Arcs, check_arcs};
use super::check_bodies::check_bodies;
use super::check_defaults::{check_params, check_shared, check_vars};
use super::check_firing::check_firing;
use super::check_flow::{check_ends, check_ports};
use super::check_routing::check_routing;
use super::check_shares::check_shares;
use super::resolve::resolve;
use crate::decl::NodeDecl;
use crate::session::Session;
use crate::syntax::{Graph, Unit};

/// Checks a graph and lowers it. The plan is whole only where nothing has been reported as an error.
pub(crate) fn lower_graph(graph: &Graph, is_main: bool, session: &mut Session<'_>) -> Plan {
    session.scripts.clear();
    let mut decl = resolve(graph, session);
    let params = check_params(&decl, session);
    let shared = check_shared(&decl, session);
    let uses = check_shares(&mut decl, session);
    let arcs = check_arcs(&decl, session);
    check_ends(&decl, is_main, session);
    let mut templates = Vec::new();
    let mut results = Results::default();
    for (node_idx, (node, uses)) in decl.nodes.iter_mut().zip(uses).enumerate() {
        templates.push(lower_node(node_idx, node, uses, &arcs, &mut results, session));
    }
    Plan {
        main: decl.name.text.clone(),
        params,
        templates,
        arcs: arcs.arcs,
        shared,
        scripts: std::mem::take(&mut session.scripts),
        structs: Arc::clone(&session.structs),
        orders_results: results.needs_order(),
    }
}

fn lower_node(
    node_idx: usize,
    node: &mut NodeDecl<'_>,
    shared: Vec<SharedUse>,
    arcs: &Arcs,
    results: &mut Results,
    session: &mut Session<'_>,
) -> Template {
    let unit: &Unit = node.unit;
    let rules = bind(&unit.fire, node, session);
    let node: &NodeDecl<'_> = node;
    let var_defaults = check_vars(node, session);
    let firing = check_firing(&rules, node, session);
    let bodies = check_bodies(node, session);
    let routing = check_routing(node, &bodies, session);
    check_ports(node_idx, node, arcs, &firing, &routing, session);
    results.add(node_idx, !unit.index.is_empty(), &bodies.results);
    Template {
        name: node.name().to_owned(),
        n_indices: unit.index.len(),
        inputs: node.inputs.iter().map(|port| port.port.clone()).collect(),
        outputs: node.outputs.iter().map(|port| port.port.clone()).collect(),
        slots: node.slots.clone(),
        var_defaults,
        shared,
        init: bodies.init,
        fire: firing.rules,
        body: bodies.body,
        route: routing.rules,
        is_start: unit.start.is_some(),
        is_stop: unit.stop.is_some(),
        at: unit.name.at,
    }
}

/// Who sets which result.
#[derive(Default)]
struct Results {
    /// The one node that sets a result name.
    setter_of: BTreeMap<String, usize>,
    has_several_setters: bool,
}

impl Results {
    fn add(&mut self, node_idx: usize, has_index: bool, names: &[Option<String>]) {
        for name in names {
            let Some(name) = name.as_ref().filter(|_| !has_index) else {
                self.has_several_setters = true;
                continue;
            };
            let setter = *self.setter_of.entry(name.clone()).or_insert(node_idx);
            self.has_several_setters |= setter != node_idx;
        }
    }

    fn needs_order(&self) -> bool {
        self.has_several_setters
    }
}
