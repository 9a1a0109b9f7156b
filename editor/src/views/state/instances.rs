//! Instances of nodes and calls in a record.

use std::collections::BTreeSet;

use super::Views;
use crate::calls::{CallScope, call_instance};
use crate::views::select::Selection;

impl Views {
    /// The instances of a node that executed, by position, in the order in which they are shown. Cost: linear in the
    /// instances of the record.
    pub fn instances_of(&self, graph: &str, node: &str) -> Vec<u32> {
        let Some(page) = &self.page else { return Vec::new() };
        let record = &page.record;
        let templates = record.program().templates();
        let template = templates.iter().position(|known| known.graph == graph && known.node == node);
        let Some(template) = template.and_then(|at| u32::try_from(at).ok()) else { return Vec::new() };
        let own = |at: &u32| record.template_of_instance(*at) == template;
        record.ranked().iter().copied().filter(own).collect()
    }

    /// Path of an instance.
    pub fn instance_path(&self, instance: u32) -> Option<String> {
        let record = &self.page.as_ref()?.record;
        ((instance as usize) < record.instances().len()).then(|| record.instance_name(instance))
    }

    /// Selects the instance with a path; whether it executed.
    pub fn select_instance(&mut self, path: &str) -> bool {
        let known = self.page.as_ref().and_then(|page| page.record.instances_by_path().get(path).copied());
        if let Some(instance) = known {
            self.select(Selection::Action(instance));
        }
        known.is_some()
    }

    /// Paths of the instances of a call, in order. Cost: linear in the instances of the record.
    pub fn call_instances(&self, graph: &str, call: &str) -> BTreeSet<String> {
        let Some(page) = &self.page else { return BTreeSet::new() };
        let record = &page.record;
        let (main, calls) = record.program().calls();
        if !calls.iter().any(|known| known.0 == graph && known.1 == call) {
            return BTreeSet::new();
        }
        let n_instances = u32::try_from(record.instances().len()).unwrap_or(u32::MAX);
        let path = |instance: u32| {
            let path = record.instance_name(instance);
            call_instance(&path, main, calls, graph, call).map(str::to_owned)
        };
        (0..n_instances).filter_map(path).collect()
    }

    /// Restricts the display to what is within one instance of a call; to all of it without.
    pub fn restrict_to_call(&mut self, scope: Option<&CallScope>) {
        let Some(page) = &self.page else { return };
        let record = &page.record;
        let n_instances = u32::try_from(record.instances().len()).unwrap_or(u32::MAX);
        let is_within = |at: &u32| scope.is_some_and(|scope| scope.holds(&record.instance_name(*at)));
        let chosen = (0..n_instances).filter(is_within).collect();
        self.restrict_to(chosen);
    }
}
