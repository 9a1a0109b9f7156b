//! What the views show on the picture of a graph of the program.

use std::collections::BTreeSet;

use super::{Page, Views};
use crate::edit::link::LinkList;
use crate::marks::{Highlight, Marks};
use crate::target::Part;
use crate::views::record::Via;
use crate::views::select::{Relation, Selection};

impl Views {
    /// All that is to be seen on a graph's picture: counts and values under way at the moment of playback, what the
    /// selection and findings name, and what a restriction leaves out. Cost: that of
    /// [`Player::marks`](crate::views::player::Player::marks), and linear in the events that are highlighted.
    pub fn marks(&self, graph: &str) -> Marks {
        let Some(page) = &self.page else { return Marks::default() };
        let mut marks = page.player.marks(graph);
        self.mark_selection(page, graph, &mut marks);
        self.mark_finding(graph, &mut marks);
        self.mark_path(page, graph, &mut marks);
        self.mark_restriction(page, graph, &mut marks);
        if let Some(covered) = self.covered().filter(|_| self.shows_coverage()) {
            covered.mark(graph, &mut marks);
        }
        for node in marks.nodes.values_mut() {
            node.highlights.sort_unstable();
            node.highlights.dedup();
        }
        for link in marks.links.values_mut() {
            link.highlights.sort_unstable();
            link.highlights.dedup();
        }
        marks
    }

    fn mark_selection(&self, page: &Page, graph: &str, marks: &mut Marks) {
        let record = &page.record;
        let program = record.program();
        let node_of = |instance: u32| {
            let known = record.instances().get(instance as usize)?;
            program.node_in(graph, known.template, known.id, record.names()).map(str::to_owned)
        };
        let mut put = |node: Option<String>, highlight: Highlight| {
            if let Some(node) = node {
                marks.nodes.entry(node).or_default().highlights.push(highlight);
            }
        };
        match self.selection {
            Selection::Nothing => {}
            Selection::Template(template) => {
                let nodes = program.nodes_in(graph, template);
                nodes.into_iter().for_each(|node| put(Some(node.to_owned()), Highlight::Selected));
            }
            Selection::Event(event) => put(node_of(record.instance_of(event)), Highlight::Selected),
            Selection::Action(instance) => put(node_of(instance), Highlight::Selected),
            Selection::Arc(_) => {}
        }
        let near =
            self.overlay.related.events.iter().filter(|(_, relation)| {
                matches!(relation, Relation::Cause | Relation::Effect | Relation::Arc)
            });
        let instances: BTreeSet<u32> = near.map(|(&event, _)| record.instance_of(event)).collect();
        instances.into_iter().for_each(|instance| put(node_of(instance), Highlight::Related));
        let is_chosen = matches!(self.selection, Selection::Arc(_));
        let highlight = if is_chosen { Highlight::Selected } else { Highlight::Related };
        for &arc in &self.overlay.related.arcs {
            let place = program.arcs().get(arc as usize);
            if let Some(place) = place.filter(|place| place.graph == graph && place.row != usize::MAX) {
                let key = (LinkList::Arcs, place.row);
                marks.links.entry(key).or_default().highlights.push(highlight);
            }
        }
    }

    fn mark_finding(&self, graph: &str, marks: &mut Marks) {
        let finding = self.selected_finding.and_then(|at| self.findings.get(at));
        let Some(finding) = finding else { return };
        let highlight = if finding.is_race { Highlight::Race } else { Highlight::Finding };
        for target in finding.targets().into_iter().filter(|target| target.graph == graph) {
            match &target.part {
                Part::Node(node) => marks.nodes.entry(node.clone()).or_default().highlights.push(highlight),
                Part::Link(list, row) => {
                    marks.links.entry((*list, *row)).or_default().highlights.push(highlight);
                }
                Part::Program | Part::Type(_) | Part::Graph => {}
            }
        }
    }

    /// The nodes of the critical path, and the arcs along which its values came.
    fn mark_path(&self, page: &Page, graph: &str, marks: &mut Marks) {
        let (record, path) = (&page.record, &self.overlay.path);
        let program = record.program();
        let (mut instances, mut arcs) = (BTreeSet::new(), BTreeSet::new());
        for (at, &event) in path.iter().enumerate() {
            instances.insert(record.instance_of(event));
            let step = at.checked_sub(1).and_then(|at| path.get(at));
            for before in record.before(event).filter(|before| Some(&before.event) == step) {
                if let Via::Value(Some(way)) = before.via {
                    arcs.extend(record.way(way));
                }
            }
        }
        for instance in instances {
            let Some(known) = record.instances().get(instance as usize) else { continue };
            if let Some(node) = program.node_in(graph, known.template, known.id, record.names()) {
                marks.nodes.entry(node.to_owned()).or_default().highlights.push(Highlight::Path);
            }
        }
        let places = arcs.into_iter().filter_map(|arc: u32| program.arcs().get(arc as usize));
        for place in places.filter(|place| place.graph == graph && place.row != usize::MAX) {
            let key = (LinkList::Arcs, place.row);
            marks.links.entry(key).or_default().highlights.push(Highlight::Path);
        }
    }

    fn mark_restriction(&self, page: &Page, graph: &str, marks: &mut Marks) {
        if self.chosen.is_empty() {
            return;
        }
        let record = &page.record;
        let mut kept: BTreeSet<&str> = BTreeSet::new();
        let mut nodes: BTreeSet<&str> = BTreeSet::new();
        for (at, instance) in (0..).zip(record.instances()) {
            let node = record.program().node_in(graph, instance.template, instance.id, record.names());
            let Some(node) = node else { continue };
            nodes.insert(node);
            if self.overlay.keeps(at) {
                kept.insert(node);
            }
        }
        for node in nodes.difference(&kept) {
            marks.nodes.entry((*node).to_owned()).or_default().is_dimmed = true;
        }
    }
}
