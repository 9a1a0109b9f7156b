//! The search for the arcs by which a value can have come, through the interfaces of graphs.

use hasse_model::id::{ActionId, GraphId, GraphInstanceId, Index, TemplateId};
use hasse_model::plan::{Arc, FiringRule, Plan, Source, Target};
use hasse_model::trace::Names;
use hasse_model::value::Value;

use crate::index_map::maps;

/// The ports that the n-th value removed by a rule may have been taken from: one where at most one
/// of the rule's takes is replicated, for then all other takes are one value each.
pub(super) fn ports_of(rule: &FiringRule, flow_idx: usize, n_flow: usize) -> Vec<usize> {
    let takes = &rule.takes;
    let mut replicated = takes.iter().enumerate().filter(|(_, take)| !take.loops.is_empty());
    let take_idx = match (replicated.next(), replicated.next()) {
        (None, _) => (takes.len() == n_flow).then_some(flow_idx),
        (Some((loop_idx, _)), None) => {
            let n_behind = takes.len() - loop_idx - 1;
            (takes.len() <= n_flow + 1).then(|| {
                if flow_idx < loop_idx {
                    flow_idx
                } else if flow_idx + n_behind < n_flow {
                    loop_idx
                } else {
                    takes.len() + flow_idx - n_flow
                }
            })
        }
        (Some(_), Some(_)) => None,
    };
    match take_idx.and_then(|take_idx| takes.get(take_idx)) {
        Some(take) => vec![take.port],
        None => takes.iter().map(|take| take.port).collect(),
    }
}

/// Most arcs in a row that are followed.
const MAX_ARCS: usize = 64;

/// The search for ways to a taker through the interfaces of graphs.
pub(super) struct Travels<'a> {
    pub(super) names: &'a Names,
    pub(super) plan: &'a Plan,
    /// Parameters of the main graph; those of other graph instances are not recorded.
    pub(super) params: &'a [(String, Value)],
    pub(super) taker: ActionId,
    pub(super) taker_template: TemplateId,
    /// Ports of the taker that count.
    pub(super) ports: &'a [usize],
}

/// A value's place on its way: what it leaves next, and the arcs so far.
struct Place<'a> {
    graph: GraphInstanceId,
    owner: GraphId,
    source: Source,
    port: usize,
    index: Index,
    arcs: Vec<&'a Arc>,
}

impl<'a> Travels<'a> {
    /// All ways from a port of the sender to one of the taker's ports.
    pub(super) fn from(&self, sender: ActionId, template: TemplateId, port: usize) -> Vec<Vec<&'a Arc>> {
        let mut ways = Vec::new();
        let start = self.names.graph_of(sender).zip(self.names.index_of(sender));
        let owner = self.plan.templates[template.idx()].graph;
        let mut places: Vec<Place<'a>> = start
            .map(|(graph, index)| Place {
                graph,
                owner,
                source: Source::Unit(template),
                port,
                index: index.clone(),
                arcs: Vec::new(),
            })
            .into_iter()
            .collect();
        while let Some(place) = places.pop() {
            if place.arcs.len() == MAX_ARCS {
                continue;
            }
            let mut onward = Vec::new();
            for (_, arc) in self.plan.arcs_from(place.owner, place.source, place.port) {
                self.follow(&place, arc, &mut onward, &mut ways);
            }
            places.extend(onward.into_iter().rev());
        }
        ways
    }

    fn follow(
        &self,
        place: &Place<'a>,
        arc: &'a Arc,
        onward: &mut Vec<Place<'a>>,
        ways: &mut Vec<Vec<&'a Arc>>,
    ) {
        let mut arcs = place.arcs.clone();
        arcs.push(arc);
        let params = if place.graph == GraphInstanceId::MAIN { self.params } else { &[] };
        let fits_index = |index: &Index| maps(arc, place.index.as_slice(), index.as_slice(), params);
        match arc.target {
            Target::Unit(template) => {
                let is_taker = template == self.taker_template
                    && self.names.graph_of(self.taker) == Some(place.graph)
                    && self.ports.contains(&arc.target_port);
                if is_taker && self.names.index_of(self.taker).is_some_and(fits_index) {
                    ways.push(arcs);
                }
            }
            Target::Call(call) => {
                let outward = std::iter::successors(self.names.graph_of(self.taker), |graph| {
                    self.names.graph(*graph).map(|record| record.parent)
                });
                let inner = outward.filter_map(|graph| self.names.graph(graph)).find(|record| {
                    record.parent == place.graph && record.call == call && fits_index(&record.index)
                });
                if let Some(record) = inner {
                    let (owner, source) = (self.plan.call(call).graph, Source::Interface);
                    let (graph, port) = (record.graph, arc.target_port);
                    onward.push(Place { graph, owner, source, port, index: Index::none(), arcs });
                }
            }
            Target::Interface => {
                if let Some(record) = self.names.graph(place.graph)
                    && let Some(call) = self.plan.calls.get(record.call.idx())
                {
                    let (graph, owner, port) = (record.parent, call.owner, arc.target_port);
                    let (source, index) = (Source::Call(record.call), record.index.clone());
                    onward.push(Place { graph, owner, source, port, index, arcs });
                }
            }
        }
    }
}
