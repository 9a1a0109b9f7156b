//! Arcs from interface to interface: no value may travel from graph to graph for ever, with no unit of
//! computation to take it.
//!
//! Within a graph a value can go on from a formal input port or a call's output port to a call's input port
//! or a formal output port. Summaries say from which input port of a graph a value can pass to which of its
//! output ports; they are completed until nothing changes, so that calls are told apart (Sharir and Pnueli
//! 1981, the functional approach). A value then travels for ever in two ways only: around a circle within one
//! graph instance, or into call after call. Out of calls it comes to its end at the main graph.

use std::collections::{BTreeMap, BTreeSet};

use hasse_model::diagnostic::{Diagnostic, Location};
use hasse_model::id::{CallId, GraphId};
use hasse_model::plan::{Plan, Source, Target};
use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{Dfs, EdgeRef};

use crate::session::Session;

/// A port that a value can pass within a graph: formal ports by position, ports of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Station {
    In(usize),
    Out(usize),
    IntoCall(CallId, usize),
    OutOfCall(CallId, usize),
}

/// The stations of one graph; an edge holds the place of its arc, or nothing for a way through a call.
struct Stations {
    ways: DiGraph<Station, Option<Location>>,
    nodes: BTreeMap<Station, NodeIndex>,
}

impl Stations {
    fn of(graph: GraphId, plan: &Plan) -> Self {
        let mut stations = Self { ways: DiGraph::new(), nodes: BTreeMap::new() };
        for arc in plan.arcs.iter().filter(|arc| arc.graph == graph) {
            let source = match arc.source {
                Source::Unit(_) => continue,
                Source::Call(call) => Station::OutOfCall(call, arc.source_port),
                Source::Interface => Station::In(arc.source_port),
            };
            let target = match arc.target {
                Target::Unit(_) => continue,
                Target::Call(call) => Station::IntoCall(call, arc.target_port),
                Target::Interface => Station::Out(arc.target_port),
            };
            stations.join(source, target, Some(arc.at));
        }
        stations
    }

    fn node(&mut self, station: Station) -> NodeIndex {
        *self.nodes.entry(station).or_insert_with(|| self.ways.add_node(station))
    }

    /// Adds a way; returns whether it is new.
    fn join(&mut self, source: Station, target: Station, at: Option<Location>) -> bool {
        let (source, target) = (self.node(source), self.node(target));
        let is_new = self.ways.find_edge(source, target).is_none();
        if is_new {
            self.ways.add_edge(source, target, at);
        }
        is_new
    }

    /// All stations that a value can come to from a formal input port.
    fn reached_from(&self, port: usize) -> Vec<Station> {
        let Some(&start) = self.nodes.get(&Station::In(port)) else { return Vec::new() };
        let mut search = Dfs::new(&self.ways, start);
        let mut reached = Vec::new();
        while let Some(node) = search.next(&self.ways) {
            reached.push(self.ways[node]);
        }
        reached
    }

    /// The place of the first arc that lies on a circle.
    fn circle(&self) -> Option<Location> {
        let mut component_of = BTreeMap::new();
        for (component_idx, component) in tarjan_scc(&self.ways).into_iter().enumerate() {
            component_of.extend(component.into_iter().map(|node| (node, component_idx)));
        }
        let on_circle = self
            .ways
            .edge_references()
            .filter(|edge| component_of.get(&edge.source()) == component_of.get(&edge.target()));
        on_circle.filter_map(|edge| *edge.weight()).min()
    }
}

/// Reports ways on which a value would travel for ever.
pub(crate) fn check_passages(plan: &Plan, session: &mut Session<'_>) {
    let graphs = (0..plan.graphs.len()).map(GraphId::from_idx);
    let mut stations: Vec<Stations> = graphs.map(|graph| Stations::of(graph, plan)).collect();
    complete(&mut stations, plan);
    let mut endless: BTreeSet<Location> = stations.iter().filter_map(Stations::circle).collect();
    endless.extend(endless_descent(&stations, plan));
    for at in endless {
        let message = "a value on this arc would travel from graph to graph for ever".to_owned();
        let help = "let a unit of computation take the value on its way, and decide whether it goes on";
        session.report(Diagnostic::error("E0706", message, at, "").with_help(help));
    }
}

/// Adds the ways through calls until nothing changes. Rounds: at most the number of pairs of ports.
fn complete(stations: &mut [Stations], plan: &Plan) {
    loop {
        let mut through: BTreeSet<(GraphId, usize, usize)> = BTreeSet::new();
        for (graph_idx, graph) in plan.graphs.iter().enumerate() {
            for port in 0..graph.inputs.len() {
                let reached = stations[graph_idx].reached_from(port);
                through.extend(reached.into_iter().filter_map(|station| match station {
                    Station::Out(out) => Some((GraphId::from_idx(graph_idx), port, out)),
                    _ => None,
                }));
            }
        }
        let mut has_changed = false;
        for (call_idx, call) in plan.calls.iter().enumerate() {
            let id = CallId::from_idx(call_idx);
            for &(_, port, out) in through.iter().filter(|(graph, ..)| *graph == call.graph) {
                let (source, target) = (Station::IntoCall(id, port), Station::OutOfCall(id, out));
                has_changed |= stations[call.owner.idx()].join(source, target, None);
            }
        }
        if !has_changed {
            return;
        }
    }
}

/// The place of an arc on a way that leads into call after call.
fn endless_descent(stations: &[Stations], plan: &Plan) -> Option<Location> {
    let mut descents = DiGraph::<(), CallId>::new();
    let mut nodes = BTreeMap::new();
    for (graph_idx, graph) in plan.graphs.iter().enumerate() {
        for port in 0..graph.inputs.len() {
            for station in stations[graph_idx].reached_from(port) {
                let Station::IntoCall(call, inner_port) = station else { continue };
                let ends = [(graph_idx, port), (plan.call(call).graph.idx(), inner_port)];
                let [source, target] =
                    ends.map(|end| *nodes.entry(end).or_insert_with(|| descents.add_node(())));
                descents.add_edge(source, target, call);
            }
        }
    }
    let mut component_of = BTreeMap::new();
    for (component_idx, component) in tarjan_scc(&descents).into_iter().enumerate() {
        component_of.extend(component.into_iter().map(|node| (node, component_idx)));
    }
    let on_circle = descents
        .edge_references()
        .filter(|edge| component_of.get(&edge.source()) == component_of.get(&edge.target()));
    let call = on_circle.map(|edge| *edge.weight()).min()?;
    let into = plan.arcs.iter().filter(|arc| arc.target == Target::Call(call));
    into.filter(|arc| !matches!(arc.source, Source::Unit(_))).map(|arc| arc.at).min()
}
