//! Instances of graphs: what a call node stands for once a value has been sent into it.

use std::sync::Arc;

use hasse_model::event::GraphRecord;
use hasse_model::id::{CallId, GraphId, GraphInstanceId, Index};
use hasse_model::plan::Plan;
use hasse_model::record_options::RecordOption;
use rhai::Dynamic;

/// An instance of a graph.
pub struct GraphInstance {
    /// Its id.
    pub id: GraphInstanceId,
    /// The graph.
    pub graph: GraphId,
    /// The call that it stands for; `None` for the main graph.
    pub call: Option<CallPlace>,
    /// Number of calls around it.
    pub depth: u32,
    /// A hash of its path, which is the same in every run.
    pub path_hash: u64,
    /// Values of the creation parameters, by position.
    pub params: Box<[Dynamic]>,
    /// Its effective recording option.
    pub option: RecordOption,
}

/// A call node with its index, within the graph instance that holds it.
pub struct CallPlace {
    /// The graph instance with the call node.
    pub parent: Arc<GraphInstance>,
    /// The call node.
    pub call: CallId,
    /// The index of the call.
    pub index: Index,
}

impl GraphInstance {
    /// The instance of the main graph.
    pub fn main(plan: &Plan, params: Vec<Dynamic>, option: RecordOption) -> Arc<Self> {
        let params = params.into_boxed_slice();
        Arc::new(Self {
            id: GraphInstanceId::MAIN,
            graph: plan.main,
            call: None,
            depth: 0,
            path_hash: 0,
            params,
            option,
        })
    }

    /// What a trace says of it; `None` for the main graph.
    pub fn record(&self) -> Option<GraphRecord> {
        let place = self.call.as_ref()?;
        let (parent, index) = (place.parent.id, place.index.clone());
        Some(GraphRecord { graph: self.id, parent, call: place.call, index })
    }

    /// Itself, and the graph instances around it, outward.
    #[inline]
    pub fn outward(self: &Arc<Self>) -> impl Iterator<Item = &Arc<Self>> {
        std::iter::successors(Some(self), |inner| inner.call.as_ref().map(|place| &place.parent))
    }

    /// Its path: nothing for the main graph, else such as `/dobts[2]`. Cost: linear in its depth.
    pub fn path(self: &Arc<Self>, plan: &Plan) -> String {
        let steps = self.outward().filter_map(|graph| graph.call.as_ref());
        let mut steps: Vec<_> =
            steps.map(|place| format!("/{}{}", plan.call(place.call).name, place.index)).collect();
        steps.reverse();
        steps.concat()
    }
}

/// Lets go of the graph instances around it one after the other: a recursion may be a hundred thousand
/// calls deep, and a drop within a drop for each of them would overflow the stack.
impl Drop for GraphInstance {
    fn drop(&mut self) {
        let mut place = self.call.take();
        while let Some(inner) = place {
            place = Arc::into_inner(inner.parent).and_then(|mut parent| parent.call.take());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deep_recursion_is_let_go_of() {
        let graph = |id, call| GraphInstance {
            id: GraphInstanceId(id),
            graph: GraphId(0),
            call,
            depth: id,
            path_hash: 0,
            params: Box::default(),
            option: RecordOption::Full,
        };
        let mut innermost = Arc::new(graph(0, None));
        for id in 1..1_000_000 {
            let place = CallPlace { parent: innermost, call: CallId(0), index: Index::none() };
            innermost = Arc::new(graph(id, Some(place)));
        }
        assert_eq!(innermost.outward().count(), 1_000_000);
        drop(innermost);
    }
}
