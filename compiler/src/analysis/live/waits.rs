//! Why units never execute: each waits for what could feed it. In the graph of these waits the strongly
//! connected components (Tarjan 1972) that wait for no other one are the causes, and all others follow
//! from them.

use std::collections::{BTreeMap, BTreeSet};

use hasse_model::diagnostic::{Diagnostic, Location};
use petgraph::Direction;
use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{Dfs, Reversed};

use super::{Facts, Live, Place, needed_ports};

/// Why a unit never executes, beside what it waits for.
#[derive(Clone)]
pub(super) enum Cause {
    /// No arc feeds a port.
    NoArc(Location, String),
    /// No value takes the arc.
    VainArc(Location),
    /// Nothing is ever sent on a port.
    Silence(Location, String),
    /// The guard does not hold before the first execution.
    Guard(Location),
}

/// Who waits for whom among what never happens.
#[derive(Default)]
pub(super) struct Waits {
    /// An edge from what waits to what it waits for.
    graph: DiGraph<Place, ()>,
    node_of: BTreeMap<Place, NodeIndex>,
    causes: BTreeMap<NodeIndex, Vec<Cause>>,
}

/// Units stand in the graph of waits as a whole.
const WHOLE_UNIT: usize = usize::MAX;

impl Waits {
    /// Looks for what units that are not alive wait for.
    pub(super) fn new(facts: &Facts<'_>, live: &Live) -> Self {
        let mut waits = Self::default();
        for (graph_idx, graph) in facts.summary.graphs.iter().enumerate() {
            for (node_idx, _) in graph.nodes.iter().enumerate().filter(|(_, node)| node.is_unit()) {
                if !live.units.contains(&(graph_idx, node_idx)) {
                    waits.add_unit((graph_idx, node_idx), facts, live);
                }
            }
        }
        waits
    }

    fn node(&mut self, place: Place) -> NodeIndex {
        *self.node_of.entry(place).or_insert_with(|| self.graph.add_node(place))
    }

    fn add_unit(&mut self, (graph_idx, node_idx): (usize, usize), facts: &Facts<'_>, live: &Live) {
        let waiting = self.node((graph_idx, node_idx, WHOLE_UNIT));
        let node = facts.node(graph_idx, node_idx);
        for (rule_idx, fire) in node.fire.iter().enumerate() {
            if !facts.may_be_first[graph_idx][node_idx][rule_idx] {
                self.causes.entry(waiting).or_default().push(Cause::Guard(fire.rule.at));
                continue;
            }
            for port in needed_ports(fire).filter(|port| !live.fed.contains(&(graph_idx, node_idx, *port))) {
                self.add_port(waiting, (graph_idx, node_idx, port), facts);
            }
        }
    }

    /// Adds what would have to happen for an input port to be fed.
    fn add_port(&mut self, waiting: NodeIndex, (graph_idx, node_idx, port_idx): Place, facts: &Facts<'_>) {
        let mut has_arc = false;
        for (arc_idx, arc) in facts.arcs_to(graph_idx, (node_idx, port_idx)) {
            has_arc = true;
            match &facts.obstacles[graph_idx][arc_idx] {
                Some(obstacle) => self.causes.entry(waiting).or_default().push(obstacle.clone()),
                None => self.add_source(waiting, (graph_idx, arc.source.0, arc.source.1), facts),
            }
        }
        if !has_arc {
            let port = &facts.node(graph_idx, node_idx).inputs[port_idx];
            self.causes.entry(waiting).or_default().push(Cause::NoArc(port.at, port.name.clone()));
        }
    }

    fn add_source(&mut self, waiting: NodeIndex, source: Place, facts: &Facts<'_>) {
        let (graph_idx, node_idx, _) = source;
        if facts.node(graph_idx, node_idx).is_unit() {
            let awaited = self.node((graph_idx, node_idx, WHOLE_UNIT));
            self.graph.update_edge(waiting, awaited, ());
            return;
        }
        let is_new = !self.node_of.contains_key(&source);
        let awaited = self.node(source);
        self.graph.update_edge(waiting, awaited, ());
        if is_new {
            for port in facts.passed_on_from(source) {
                self.add_port(awaited, port, facts);
            }
        }
    }

    /// Reports the causes, each with all that follows from it.
    pub(super) fn report(&self, facts: &Facts<'_>, found: &mut Vec<Diagnostic>) {
        let mut reason_of: BTreeMap<(usize, usize), Location> = BTreeMap::new();
        for component in tarjan_scc(&self.graph) {
            let leaves =
                |from: &NodeIndex| self.graph.neighbors(*from).any(|neighbor| !component.contains(&neighbor));
            if component.iter().any(leaves) {
                continue;
            }
            let mut units: Vec<(usize, usize)> =
                component.iter().filter_map(|node| self.unit(*node)).collect();
            units.sort_unstable();
            let followers = self.followers(&component);
            let caused = component.iter().find(|node| self.causes.contains_key(node));
            let diagnostic = match caused {
                Some(node) => self.unreached(*node, &followers, facts),
                None => cycle(&units, &followers, facts),
            };
            let Some(diagnostic) = diagnostic else { continue };
            for unit in units.iter().chain(&followers) {
                reason_of.entry(*unit).or_insert(diagnostic.at());
            }
            found.push(diagnostic);
        }
        for ((graph_idx, node_idx), reason) in reason_of {
            let node = facts.node(graph_idx, node_idx);
            let is_main = facts.summary.graphs[graph_idx].is_main;
            let Some(at) = node.stop.filter(|_| is_main) else { continue };
            let message =
                format!("the stop node `{}` never executes, so that the program never finishes", node.name);
            let diagnostic = Diagnostic::error("W0003", message, at, "").as_warning();
            found.push(diagnostic.with_label(reason, "because of this"));
        }
    }

    fn unit(&self, node: NodeIndex) -> Option<(usize, usize)> {
        let (graph_idx, node_idx, port_idx) = self.graph[node];
        (port_idx == WHOLE_UNIT).then_some((graph_idx, node_idx))
    }

    /// Units that wait for a component without being part of it.
    fn followers(&self, component: &[NodeIndex]) -> Vec<(usize, usize)> {
        let mut followers = BTreeSet::new();
        let reversed = Reversed(&self.graph);
        for start in component {
            let mut search = Dfs::new(reversed, *start);
            while let Some(node) = search.next(reversed) {
                followers.extend(self.unit(node).filter(|_| !component.contains(&node)));
            }
        }
        followers.into_iter().collect()
    }

    /// A unit that cannot execute whatever else happens.
    fn unreached(
        &self,
        node: NodeIndex,
        followers: &[(usize, usize)],
        facts: &Facts<'_>,
    ) -> Option<Diagnostic> {
        let (graph_idx, node_idx, port_idx) = self.graph[node];
        let unit = facts.node(graph_idx, node_idx);
        if port_idx != WHOLE_UNIT {
            // Calls pass on what they are sent; the ports that nothing feeds are reported at the node that waits.
            let waiting = self.graph.neighbors_directed(node, Direction::Incoming).next()?;
            let (waiting_graph, waiting_node, _) = self.graph[waiting];
            let waiting = facts.node(waiting_graph, waiting_node);
            let (name, port) = (&unit.name, &unit.outputs[port_idx].name);
            let message = format!("`{}` never executes: nothing comes from `{name}.{port}`", waiting.name);
            let is_other = |unit: &&(usize, usize)| **unit != (waiting_graph, waiting_node);
            let others: Vec<(usize, usize)> = followers.iter().filter(is_other).copied().collect();
            return Some(with_followers(Diagnostic::error("W0001", message, waiting.at, ""), &others, facts));
        }
        let causes = self.causes.get(&node)?;
        let (at, reason) = match causes.first()? {
            Cause::NoArc(at, port) => (*at, format!("no arc feeds its port `{port}`")),
            Cause::Silence(at, port) => (*at, format!("nothing is ever sent on `{port}`")),
            Cause::VainArc(at) => (*at, "no value takes the arc that leads to it".to_owned()),
            Cause::Guard(at) => (*at, "this rule is not enabled before its first execution".to_owned()),
        };
        let message = format!("`{}` never executes: {reason}", unit.name);
        let mut diagnostic = Diagnostic::error("W0001", message, at, "");
        for cause in causes.iter().skip(1).take(3) {
            diagnostic = match cause {
                Cause::NoArc(at, _) => diagnostic.with_label(*at, "no arc feeds it"),
                Cause::Silence(at, _) => diagnostic.with_label(*at, "never sends"),
                Cause::VainArc(at) => diagnostic.with_label(*at, "no value takes it"),
                Cause::Guard(at) => diagnostic.with_label(*at, "nor this one"),
            };
        }
        let diagnostic = diagnostic.with_label(unit.at, "never executes");
        Some(with_followers(diagnostic, followers, facts))
    }
}

fn with_followers(diagnostic: Diagnostic, followers: &[(usize, usize)], facts: &Facts<'_>) -> Diagnostic {
    let diagnostic = diagnostic.as_warning();
    if followers.is_empty() {
        return diagnostic;
    }
    diagnostic.with_help(format!("nor does what waits for it: {}", listed(followers, facts)))
}

fn listed(units: &[(usize, usize)], facts: &Facts<'_>) -> String {
    let names: Vec<_> = units
        .iter()
        .map(|(graph_idx, node_idx)| format!("`{}`", facts.node(*graph_idx, *node_idx).name))
        .collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

/// Units that wait for each other only.
fn cycle(units: &[(usize, usize)], followers: &[(usize, usize)], facts: &Facts<'_>) -> Option<Diagnostic> {
    let (graph_idx, node_idx) = *units.first()?;
    let node = facts.node(graph_idx, node_idx);
    let message = if units.len() == 1 {
        format!("`{}` never executes: it waits for a value that only it sends", node.name)
    } else {
        format!("{} never execute: each waits for what another one sends", listed(units, facts))
    };
    let mut diagnostic = Diagnostic::error("W0002", message, node.at, "").as_warning();
    for (graph_idx, node_idx) in units.iter().skip(1) {
        diagnostic = diagnostic.with_label(facts.node(*graph_idx, *node_idx).at, "waits, too");
    }
    let arcs = facts.summary.graphs[graph_idx].arcs.iter();
    let is_within = |node_idx: usize| units.contains(&(graph_idx, node_idx));
    for arc in arcs.filter(|arc| is_within(arc.source.0) && is_within(arc.target.0)) {
        diagnostic = diagnostic.with_label(arc.at, "part of the cycle");
    }
    let mut help = "a first value must come from outside: send one from a start node, or let a rule fire without the cycle's value".to_owned();
    if !followers.is_empty() {
        help.push_str(&format!("; {} cannot execute either", listed(followers, facts)));
    }
    Some(diagnostic.with_help(help))
}
