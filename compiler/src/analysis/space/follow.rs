//! Values along arcs, and back from senders to the values that create them.

use std::collections::{BTreeMap, BTreeSet};

use hasse_model::plan::Pattern;

use super::{Space, Values, sends_on};
use crate::analysis::affine::Affine;
use crate::analysis::space::Rounds;
use crate::analysis::summary::ArcSummary;

/// Through how many nodes values are followed back to what created their senders.
pub(in crate::analysis) const DEPTH: usize = 3;

/// Most arcs into a node, and most alternatives, that are followed back.
const MOST_FOLLOWED: usize = 24;

impl Space<'_> {
    /// All values that may leave an output port.
    pub(in crate::analysis) fn leaving(&mut self, source: (usize, usize)) -> Vec<Values> {
        let graph = self.graph;
        let node = &graph.nodes[source.0];
        if !node.is_unit() {
            let n_elements = node.outputs[source.1].n_indices;
            let index = (0..node.n_indices).map(|_| self.pool.fresh()).collect();
            let elements = (0..n_elements).map(|_| self.pool.fresh()).collect();
            return vec![Values { system: self.known.clone(), index, elements }];
        }
        let mut values = Vec::new();
        for (rule_idx, send_idx) in sends_on(node, source.1) {
            values.extend(self.sent(node, rule_idx, send_idx, Rounds::All).unwrap_or_default());
        }
        values
    }

    /// The values as an arc delivers them; `None` where they certainly do not match it.
    pub(in crate::analysis) fn carried(&mut self, arc: &ArcSummary, values: &Values) -> Option<Values> {
        let mut frame = self.outer_frame();
        let mut system = values.system.clone();
        let mut bound: BTreeMap<u32, Affine> = BTreeMap::new();
        let patterns = arc.source_index.iter().zip(&values.index);
        for (pattern, form) in patterns.chain(arc.source_elements.iter().zip(&values.elements)) {
            match pattern {
                Pattern::Int(number) => system.is_equal(form, &Affine::number(i128::from(*number))),
                Pattern::Param(param) => system.is_equal(form, &self.params[*param as usize]),
                Pattern::Local(local) => match bound.get(local) {
                    Some(earlier) => system.is_equal(form, earlier),
                    None => {
                        bound.insert(*local, form.clone());
                    }
                },
            }
        }
        let n_locals = bound.keys().next_back().map_or(0, |last| last + 1);
        frame.locals =
            (0..n_locals).map(|local| bound.remove(&local).unwrap_or_else(|| self.pool.fresh())).collect();
        let index = arc.target_index.iter().map(|expr| frame.number(expr, &mut self.pool)).collect();
        let elements = arc.target_elements.iter().map(|expr| frame.number(expr, &mut self.pool)).collect();
        system.and(&frame.known);
        (!system.is_impossible()).then_some(Values { system, index, elements })
    }

    /// All values that may arrive along an arc. Senders are followed back through `depth` nodes to the
    /// values that create them.
    pub(in crate::analysis) fn arrivals(&mut self, arc: &ArcSummary, depth: usize) -> Vec<Values> {
        let sent = self.leaving(arc.source);
        let existing = self.of_existing(sent, arc.source.0, depth);
        existing.iter().filter_map(|values| self.carried(arc, values)).collect()
    }

    /// Whether it is certain that no value ever takes an arc, for no other reason than its own left
    /// side: a sender that never comes to be is no fault of the arcs that leave it.
    pub(in crate::analysis) fn is_vain(&mut self, arc: &ArcSummary) -> bool {
        if self.arrivals(arc, 0).is_empty() {
            return true;
        }
        let mut seen = BTreeSet::new();
        let takes_all_instances = arc
            .source_index
            .iter()
            .all(|pattern| matches!(pattern, Pattern::Local(local) if seen.insert(*local)));
        if takes_all_instances {
            return false;
        }
        let graph = self.graph;
        self.arrivals(arc, DEPTH).is_empty()
            && graph.arcs_into(arc.source.0).any(|creating| !self.arrivals(creating, DEPTH - 1).is_empty())
    }

    /// All values that may arrive at an input port; `None` where they are too many to be followed.
    pub(in crate::analysis) fn arrivals_at(
        &mut self,
        target: (usize, usize),
        depth: usize,
    ) -> Option<Vec<Values>> {
        let graph = self.graph;
        let arcs: Vec<_> = graph.arcs_into_port(target).collect();
        if arcs.len() > MOST_FOLLOWED {
            return None;
        }
        Some(arcs.into_iter().flat_map(|arc| self.arrivals(arc, depth)).collect())
    }

    /// Those of the values whose sending instance may exist.
    fn of_existing(&mut self, values: Vec<Values>, node_idx: usize, depth: usize) -> Vec<Values> {
        if depth == 0 || self.graph.nodes[node_idx].n_indices == 0 {
            return values;
        }
        // Each depth has symbols of its own, so that no two instances on one way back share them.
        if !self.created.contains_key(&(node_idx, depth)) {
            let created = self.creations(node_idx, depth);
            self.created.insert((node_idx, depth), created);
        }
        let created = self.created[&(node_idx, depth)].as_ref();
        let Some(created) = created.filter(|created| created.len() * values.len() <= MOST_FOLLOWED) else {
            return values;
        };
        let mut existing = Vec::new();
        for values in values {
            for creation in created {
                let mut system = values.system.joined(&creation.system);
                values
                    .index
                    .iter()
                    .zip(&creation.index)
                    .for_each(|(left, right)| system.is_equal(left, right));
                if !system.is_impossible() {
                    existing.push(Values { system, ..values.clone() });
                }
            }
        }
        existing
    }

    /// The values that create instances of a node; `None` where they are too many to be followed.
    fn creations(&mut self, node_idx: usize, depth: usize) -> Option<Vec<Values>> {
        let graph = self.graph;
        let arcs: Vec<_> = graph.arcs_into(node_idx).collect();
        let is_followed = arcs.len() <= MOST_FOLLOWED;
        is_followed.then(|| arcs.into_iter().flat_map(|arc| self.arrivals(arc, depth - 1)).collect())
    }
}
