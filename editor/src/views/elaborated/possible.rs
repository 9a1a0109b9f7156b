//! The graph that may come to be: an expansion of the program, before a run.

use hasse_model::id::ObjectId;
use hasse_model::plan::{Access, Plan};
use hasse_runtime::expansion::Expansion;

use super::graph::{Dependence, Elaborated, Group, InstanceBox, Thing};
use super::place::Label;
use crate::drawing::geometry::Rect;

impl Elaborated {
    /// The graph of an expansion. Cost: that of a layout in layers.
    pub fn possible(plan: &Plan, expansion: &Expansion) -> Self {
        let mut graph = Self::default();
        let mut labels = Vec::new();
        let position = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let same_group = |one: &(usize, &_), other: &(usize, &_)| {
            let [one, other]: [&hasse_runtime::expansion::PossibleInstance; 2] = [one.1, other.1];
            (one.template, one.graph) == (other.template, other.graph)
        };
        let instances: Vec<_> = expansion.instances.iter().enumerate().collect();
        for members in instances.chunk_by(same_group) {
            let Some((_, first)) = members.first() else { continue };
            let template = plan.template(first.template);
            let label = plan.template_label(template);
            let path = expansion.graphs.get(first.graph).map_or("", |graph| &graph.path);
            let title = if path.is_empty() { label } else { format!("{label} in {path}") };
            let group = graph.groups.len();
            for (at, instance) in members {
                graph.boxes.push(InstanceBox {
                    thing: Thing::Action(position(*at)),
                    group,
                    template: first.template.0,
                    area: Rect::default(),
                    name: format!("{}{}", template.name, instance.index),
                    n_events: 0,
                });
                let index = instance.index.0.iter().map(|number| number.unwrap_or(i64::MAX)).collect();
                labels.push(Label { path: instance.path.clone(), index });
            }
            graph.groups.push(Group {
                title,
                template: first.template.0,
                n_all: members.len(),
                first: 0,
                n_shown: members.len(),
                area: None,
            });
        }
        let n_instances = graph.boxes.len();
        let group = graph.groups.len();
        for (at, object) in expansion.objects.iter().enumerate() {
            graph.boxes.push(InstanceBox {
                thing: Thing::Object(ObjectId(position(at))),
                group,
                template: u32::MAX,
                area: Rect::default(),
                name: object.path.trim_start_matches('/').to_owned(),
                n_events: 0,
            });
            labels.push(Label { path: format!("object {}", object.path), index: Vec::new() });
        }
        if let n_objects @ 1.. = expansion.objects.len() {
            graph.groups.push(Group {
                title: "shared objects".to_owned(),
                template: u32::MAX,
                n_all: n_objects,
                first: 0,
                n_shown: n_objects,
                area: None,
            });
        }
        graph.note_boxes();
        graph.lines.extend(expansion.flows.iter().map(|flow| Dependence {
            source: flow.source,
            target: flow.target,
            n_values: 0,
            is_conditional: flow.is_conditional,
            arcs: flow.arcs.iter().map(|arc| arc.0).collect(),
        }));
        graph.lines.extend(expansion.accesses.iter().map(|access| {
            let (own, object) = (access.instance, n_instances + access.object);
            // Writers of an object point to it.
            let (source, target) = match access.access {
                Access::Write => (own, object),
                Access::Read => (object, own),
            };
            Dependence { source, target, n_values: 0, is_conditional: false, arcs: Vec::new() }
        }));
        graph.lines.sort_by_key(|line| (line.source, line.target));
        graph.notes = expansion.notes.clone();
        graph.finish(&labels);
        graph
    }
}
