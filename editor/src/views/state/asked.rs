//! Selected event or instance, as menus of the views name it.

/// The selected event or instance, as menus name it.
pub(super) mod described;

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Views;
use crate::edit::link::LinkList;
use crate::target::Target;
use crate::views::select::Selection;
pub(super) use described::Described;

impl Views {
    /// Returns the selected event or instance; `None` without a selection.
    pub fn described(&self) -> Option<Described> {
        let record = &self.page.as_ref()?.record;
        let node = |template: u32| {
            let known = record.program().templates().get(template as usize)?;
            Some(Target::of_node(&known.graph, &known.node))
        };
        Some(match self.selection {
            Selection::Nothing => return None,
            Selection::Event(event) if event >= record.n_events() => return None,
            Selection::Event(event) => Described {
                name: record.event_name(event),
                action: Some(record.instance_name(record.instance_of(event))),
                count: Some(record.count(event)),
                event: Some(event),
                target: node(record.template_of(event)),
                predecessors: self
                    .predecessors(event)
                    .into_iter()
                    .map(|at| (at, record.event_name(at)))
                    .collect(),
            },
            Selection::Action(instance) => Described {
                name: record.instance_name(instance),
                action: Some(record.instance_name(instance)),
                count: None,
                event: record.events_of(instance).last().copied(),
                target: node(record.template_of_instance(instance)),
                predecessors: Vec::new(),
            },
            Selection::Template(template) => Described {
                name: record.template_label(template).to_owned(),
                action: None,
                count: None,
                event: None,
                target: node(template),
                predecessors: Vec::new(),
            },
            Selection::Arc(arc) => {
                let place = record.program().arcs().get(arc as usize)?;
                let is_known = place.row != usize::MAX;
                Described {
                    name: place.text.clone(),
                    action: None,
                    count: None,
                    event: None,
                    target: is_known.then(|| Target::of_link(&place.graph, LinkList::Arcs, place.row)),
                    predecessors: Vec::new(),
                }
            }
        })
    }

    /// The immediate predecessors of an event, each once, in causal order.
    pub fn predecessors(&self, event: u32) -> BTreeSet<u32> {
        let record = self.page.as_ref().map(|page| &page.record);
        let record = record.filter(|record| event < record.n_events());
        record.into_iter().flat_map(|record| record.before(event)).map(|before| before.event).collect()
    }

    /// Marks the immediate predecessors of an event in all views, as events that a finding names; the nodes of a graph that
    /// they belong to.
    pub fn mark_predecessors(&mut self, event: u32, graph: &str) -> BTreeSet<String> {
        let events = self.predecessors(event);
        let Some(page) = &self.page else { return BTreeSet::new() };
        let record = &page.record;
        let node_of = |event: u32| {
            let known = record.instances().get(record.instance_of(event) as usize)?;
            record.program().node_in(graph, known.template, known.id, record.names()).map(str::to_owned)
        };
        let nodes = events.iter().filter_map(|&event| node_of(event)).collect();
        self.selected_finding = None;
        self.overlay.found = Arc::new(events);
        self.version += 1;
        nodes
    }
}
