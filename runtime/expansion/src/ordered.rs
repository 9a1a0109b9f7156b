//! The order in which the expansion lists its parts: nodes as in the program, then graph instances, then indices. Unknown
//! numbers come after all others.

use hasse_body::convert::value_from_dynamic;
use hasse_model::id::{CallId, SharedId, TemplateId};

use crate::builder::Builder;
use crate::possible::{
    Expansion, PartialIndex, PossibleAccess, PossibleFlow, PossibleGraph, PossibleInstance, PossibleObject,
};

/// An index as it is compared: unknown numbers last.
type IndexRank = Vec<(bool, i64)>;
/// A graph instance as it is compared: calls with their indices, outermost first.
type GraphRank = Vec<(CallId, IndexRank)>;

fn index_rank(index: &PartialIndex) -> IndexRank {
    index.0.iter().map(|number| (number.is_none(), number.unwrap_or_default())).collect()
}

/// Puts what was built in order.
pub(crate) fn expansion(builder: Builder<'_>) -> Expansion {
    let plan = builder.plan;
    let mut graphs: Vec<PossibleGraph> = Vec::with_capacity(builder.graphs.len());
    let mut graph_ranks: Vec<GraphRank> = Vec::with_capacity(builder.graphs.len());
    for node in &builder.graphs {
        let (path, rank) = match &node.call {
            None => (String::new(), GraphRank::new()),
            Some((outer, call, index)) => {
                let rank: GraphRank =
                    graph_ranks[*outer].iter().cloned().chain([(*call, index_rank(index))]).collect();
                (format!("{}/{}{index}", graphs[*outer].path, plan.call(*call).name), rank)
            }
        };
        graphs.push(PossibleGraph { graph: node.graph, call: node.call.clone(), path });
        graph_ranks.push(rank);
    }
    let rank = |template: TemplateId, graph: usize, index: &PartialIndex| {
        (template, &graph_ranks[graph], index_rank(index))
    };
    let mut order: Vec<usize> = (0..builder.instances.len()).collect();
    order.sort_by_cached_key(|&at| {
        let node = &builder.instances[at];
        let (template, graph, index) = rank(node.template, node.graph, &node.index);
        (template, graph.clone(), index)
    });
    let instance_at = positions(&order);
    let instances = order.iter().map(|&at| {
        let node = &builder.instances[at];
        let template = plan.template(node.template);
        PossibleInstance {
            template: node.template,
            graph: node.graph,
            index: node.index.clone(),
            path: format!("{}/{}{}", graphs[node.graph].path, template.name, node.index),
            is_start: template.is_start && node.graph == 0,
        }
    });
    let instances = instances.collect();
    let mut object_order: Vec<usize> = (0..builder.objects.len()).collect();
    object_order.sort_by_cached_key(|&at| {
        let (shared, graph, index): &(SharedId, usize, PartialIndex) = &builder.objects[at];
        (*shared, graph_ranks[*graph].clone(), index_rank(index))
    });
    let object_at = positions(&object_order);
    let objects = object_order.iter().map(|&at| {
        let (shared, graph, index) = &builder.objects[at];
        let name = &plan.shared[shared.idx()].name;
        let path = format!("{}/{name}{index}", graphs[*graph].path);
        PossibleObject { shared: *shared, graph: *graph, index: index.clone(), path }
    });
    let objects = objects.collect();
    let mut flows: Vec<PossibleFlow> = builder
        .flows
        .iter()
        .map(|(&(source, target), (arcs, is_conditional))| PossibleFlow {
            source: instance_at[source],
            target: instance_at[target],
            arcs: arcs.iter().copied().collect(),
            is_conditional: *is_conditional,
        })
        .collect();
    flows.sort_by_key(|flow| (flow.source, flow.target));
    let mut accesses: Vec<PossibleAccess> = builder
        .accesses
        .iter()
        .map(|&(instance, object, access)| PossibleAccess {
            instance: instance_at[instance],
            object: object_at[object],
            access,
        })
        .collect();
    accesses.sort_by_key(|access| (access.instance, access.object, access.access));
    let held = &builder.graphs[0].params;
    let params = plan.params().iter().zip(held.iter());
    let params = params
        .map(|(param, held)| {
            (param.name.clone(), held.as_ref().and_then(|held| value_from_dynamic(held).ok()))
        })
        .collect();
    let mut notes = builder.notes;
    notes.sort();
    let is_cut = !builder.limits.is_empty();
    notes.extend(builder.limits.into_iter().map(|limit| format!("cut: {limit}")));
    Expansion { graphs, instances, objects, flows, accesses, params, notes, is_cut }
}

/// For each item its position in an order.
fn positions(order: &[usize]) -> Vec<usize> {
    let mut positions = vec![0; order.len()];
    order.iter().enumerate().for_each(|(position, &item)| positions[item] = position);
    positions
}
