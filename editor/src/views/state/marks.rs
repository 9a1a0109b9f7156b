//! What the views show on the picture of a graph of the program.

use std::collections::BTreeSet;

use super::{Page, Views};
use crate::edit::link::LinkList;
use crate::marks::{CheckMark, Highlight, Marks};
use crate::target::{Part, Target};
use crate::views::findings::Query;
use crate::views::findings::finding::Status;
use crate::views::record::Via;
use crate::views::select::{Relation, Selection};

impl Views {
    /// All that is to be seen on a graph's picture: counts and values under way at the moment of playback, what the
    /// selection and findings name, and what a restriction leaves out. Cost: that of
    /// [`Player::marks`](crate::views::player::Player::marks), and linear in the events that are highlighted.
    pub fn marks(&self, graph: &str) -> Marks {
        let Some(page) = &self.page else {
            let mut marks = Marks::default();
            self.mark_checks(graph, &mut marks);
            return marks;
        };
        let mut marks = page.player.marks(graph);
        self.mark_untaken(page, graph, &mut marks);
        self.mark_selection(page, graph, &mut marks);
        self.mark_finding(graph, &mut marks);
        self.mark_path(page, graph, &mut marks);
        self.mark_restriction(page, graph, &mut marks);
        if let Some(covered) = self.covered().filter(|_| self.shows_coverage()) {
            covered.mark(graph, &mut marks);
        }
        self.mark_checks(graph, &mut marks);
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

    /// Counts values that nobody took, too, where the values of all events are known: the events of a record name those that
    /// they took.
    fn mark_untaken(&self, page: &Page, graph: &str, marks: &mut Marks) {
        let record = &page.record;
        let values = self.values().filter(|values| values.n_events() == record.n_events() as usize);
        let Some(values) = values else { return };
        let position = page.player.position();
        for (arc, place) in (0..).zip(record.program().arcs()) {
            if place.graph != graph || place.row == usize::MAX {
                continue;
            }
            let untaken = values.carried(arc, position).filter(|passage| passage.taker.is_none());
            let (mut n_untaken, mut n_waiting) = (0, 0);
            for passage in untaken {
                n_untaken += 1;
                n_waiting += u64::from(passage.arcs.last() == Some(&arc));
            }
            if n_untaken > 0 {
                let link = marks.links.entry((LinkList::Arcs, place.row)).or_default();
                link.n_queued = Some(link.n_queued.unwrap_or(0) + n_waiting);
                link.n_passed = Some(link.n_passed.unwrap_or(0) + n_untaken);
            }
        }
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

    /// The nodes that checks name, and the arcs between two of them, with the worst verdict on each.
    fn mark_checks(&self, graph: &str, marks: &mut Marks) {
        for at in 0..self.queries.len() {
            let Some(mark) = self.check_mark(at) else { continue };
            let worse = |held: &mut Option<CheckMark>| *held = Some(held.map_or(mark, |held| held.min(mark)));
            let units = self.queries[at].units();
            let here = units.iter().filter(|(own, _)| own.as_deref().is_none_or(|own| own == graph));
            let nodes: Vec<&str> = here.map(|(_, node)| node.as_str()).collect();
            nodes
                .iter()
                .for_each(|node| worse(&mut marks.nodes.entry((*node).to_owned()).or_default().check));
            let program = self.page.as_ref().map(|page| page.record.program());
            if let ([one, other], Some(program)) = (&nodes[..], program) {
                for row in program.rows_between(graph, one, other) {
                    worse(&mut marks.links.entry((LinkList::Arcs, row)).or_default().check);
                }
            }
        }
    }

    /// Verdict of a check; `None` for a query that is none.
    fn check_mark(&self, query: usize) -> Option<CheckMark> {
        if !matches!(self.queries.get(query)?, Query::Check(_)) {
            return None;
        }
        let own = self.findings.iter().filter(|found| found.query == query);
        let marks = own.map(|found| match found.status {
            Status::Violated => CheckMark::Violated,
            Status::Unknown => CheckMark::Unknown,
            Status::Holds => CheckMark::Holds,
        });
        Some(marks.min().unwrap_or(CheckMark::Unknown))
    }

    /// Position of the finding of the worst check that names a node or the ends of an arc.
    pub fn finding_of_check(&self, graph: &str, target: &Target) -> Option<usize> {
        let is_on = |at: usize| {
            let units = self.queries[at].units();
            let names = |node: &str| {
                units.iter().any(|(own, name)| name == node && own.as_deref().is_none_or(|own| own == graph))
            };
            match &target.part {
                Part::Node(node) => names(node),
                Part::Link(LinkList::Arcs, row) => {
                    let program = self.page.as_ref().map(|page| page.record.program());
                    let ends = program.and_then(|program| program.ends_of_row(graph, *row));
                    ends.is_some_and(|(from, to)| units.len() == 2 && names(from) && names(to))
                }
                Part::Link(LinkList::Shares, _) | Part::Program | Part::Type(_) | Part::Graph => false,
            }
        };
        let on = (0..self.queries.len()).filter(|&at| is_on(at));
        let worst = on.filter_map(|at| Some((self.check_mark(at)?, at))).min()?;
        self.findings.iter().position(|found| found.query == worst.1)
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
