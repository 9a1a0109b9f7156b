//! Shared objects that instances reach. An object comes to be with the first instance that shares it.

use hasse_model::plan::{Access, ShareBinding, ShareSource};

use crate::builder::Builder;
use crate::evaluator::index_number;
use crate::possible::PartialIndex;
use crate::routing::{Bound, Match};

/// A share line that may bind a name: what it leads to, and with which index.
type Lead = (ShareSource, PartialIndex);

impl Builder<'_> {
    /// Finds the objects that a new instance shares.
    pub(crate) fn share(&mut self, instance: usize) {
        let plan = self.plan;
        let node = &self.instances[instance];
        let (graph, index) = (node.graph, node.index.clone());
        for shared_use in &plan.template(node.template).shared {
            let leads = self.leads(&shared_use.bindings, &index.0, graph);
            self.reach(instance, shared_use.access, graph, leads);
        }
    }

    /// Follows share lines to objects; a formal shared object is one of the caller.
    fn reach(&mut self, instance: usize, access: Access, graph: usize, leads: Vec<Lead>) {
        let plan = self.plan;
        let mut open: Vec<(usize, Lead)> = leads.into_iter().map(|lead| (graph, lead)).collect();
        while let Some((graph, (source, index))) = open.pop() {
            if !self.step() {
                return;
            }
            match source {
                ShareSource::Own(shared) => {
                    let key = (shared, graph, index);
                    let object = match self.object_by_key.get(&key) {
                        Some(&known) => known,
                        None if self.objects.len() >= self.max_instances => {
                            self.cut(format!("there are more than {} shared objects", self.max_instances));
                            return;
                        }
                        None => {
                            self.objects.push(key.clone());
                            self.object_by_key.insert(key, self.objects.len() - 1);
                            self.objects.len() - 1
                        }
                    };
                    self.accesses.insert((instance, object, access));
                }
                ShareSource::Formal(formal) => {
                    let Some((outer, call, call_index)) = self.graphs[graph].call.clone() else { continue };
                    let Some(bindings) = plan.call(call).bindings.get(formal) else { continue };
                    let numbers: Vec<Option<i64>> = call_index.0.into_iter().chain(index.0).collect();
                    let leads = self.leads(bindings, &numbers, outer);
                    open.extend(leads.into_iter().map(|lead| (outer, lead)));
                }
            }
        }
    }

    /// The share lines that may bind a name: up to the first one that certainly does.
    fn leads(&self, bindings: &[ShareBinding], numbers: &[Option<i64>], graph: usize) -> Vec<Lead> {
        let params = &self.graphs[graph].params;
        let mut leads = Vec::new();
        for binding in bindings {
            let mut bound = Bound::default();
            let found = bound.matches(&binding.pattern, numbers, params);
            if found == Match::No {
                continue;
            }
            let locals = bound.numbers(binding.pattern.len());
            let elements = binding.elements.iter().map(|expr| index_number(expr, &locals, params));
            leads.push((binding.object, PartialIndex(elements.collect())));
            if found == Match::Yes {
                break;
            }
        }
        leads
    }
}
