//! Coverage of the program by a record: how often rules were taken, and which arcs were used, by names of the picture.

use std::collections::BTreeMap;
use std::sync::Arc;

use hasse_debugger::coverage::{Coverage, RuleCoverage, Tally};
use hasse_model::trace::RecordingMode;

use super::program::ProgramMap;
use super::record::Via;
use super::record::arrays::Record;
use crate::edit::link::LinkList;
use crate::marks::Marks;

/// Coverage of a record's program.
#[derive(Debug)]
pub struct Covered {
    coverage: Coverage,
    program: Arc<ProgramMap>,
}

impl Covered {
    /// Counts the rules and arcs of a record; `None` where it does not list every event, or its program cannot be compiled here.
    /// Cost: linear in events and values.
    pub fn of(record: &Record) -> Option<Self> {
        let program = record.program();
        let plan = program.plan()?;
        if !matches!(record.mode(), RecordingMode::Full | RecordingMode::Perf) {
            return None;
        }
        let mut tally = Tally::new(plan, &record.header().params);
        let mut n_taken_of = vec![0_u32; record.n_events() as usize];
        for event in 0..record.n_events() {
            tally.event(record.template_of(event) as usize, record.rule(event), record.routes(event));
            for before in record.before(event) {
                let Via::Value(way) = before.via else { continue };
                if let Some(n_taken) = n_taken_of.get_mut(before.event as usize) {
                    *n_taken += 1;
                }
                match way {
                    Some(way) => tally.value(record.way(way)),
                    None => tally
                        .open_value(record.template_of(before.event) as usize, record.routes(before.event)),
                }
            }
        }
        for (event, n_taken) in (0..).zip(n_taken_of) {
            if record.n_sent(event) > n_taken {
                tally.open_value(record.template_of(event) as usize, record.routes(event));
            }
        }
        Some(Self { coverage: tally.finish(), program: Arc::clone(program) })
    }

    /// The coverage by templates and arcs.
    pub fn coverage(&self) -> &Coverage {
        &self.coverage
    }

    /// Position of a node among the templates.
    fn position(&self, graph: &str, node: &str) -> Option<usize> {
        let mut templates = self.program.templates().iter();
        templates.position(|known| known.graph == graph && known.node == node)
    }

    /// The rules of a node under a key of the program file, `fire`, `route` or `on_error`; none for anything else.
    pub fn rules(&self, graph: &str, node: &str, key: &str) -> &[RuleCoverage] {
        let Some(at) = self.position(graph, node) else { return &[] };
        let Some(node) = self.coverage.nodes.get(at) else { return &[] };
        let template = self.program.plan().and_then(|plan| plan.templates.get(at));
        let rules = template.iter().flat_map(|template| &template.route);
        // Rules for failed events come after the others.
        let n_usual = rules.filter(|rule| !rule.on_error).count().min(node.route.len());
        match key {
            "fire" => &node.fire,
            "route" => &node.route[..n_usual],
            "on_error" => &node.route[n_usual..],
            _ => &[],
        }
    }

    /// Dims arcs of a graph that were never used and nodes that never executed, and names the number of rules that were
    /// never taken below the others.
    pub(super) fn mark(&self, graph: &str, marks: &mut Marks) {
        // Of a call, the nodes within it together.
        let mut nodes: BTreeMap<&str, (u64, usize)> = BTreeMap::new();
        for (template, node) in (0..).zip(&self.coverage.nodes) {
            for name in self.program.nodes_in(graph, template) {
                let (n_events, n_missed) = nodes.entry(name).or_default();
                *n_events += node.n_events;
                *n_missed += node.n_missed();
            }
        }
        for (name, (n_events, n_missed)) in nodes {
            let own = marks.nodes.entry(name.to_owned()).or_default();
            own.is_dimmed |= n_events == 0;
            if own.note.is_empty() {
                own.note = match (n_events, n_missed) {
                    (0, _) => "never executed".to_owned(),
                    (_, 0) => String::new(),
                    (_, 1) => "1 rule not taken".to_owned(),
                    (_, n_missed) => format!("{n_missed} rules not taken"),
                };
            }
        }
        let arcs = self.program.arcs().iter().zip(&self.coverage.arcs);
        for (place, arc) in arcs.filter(|(place, _)| place.graph == graph && place.row != usize::MAX) {
            marks.links.entry((LinkList::Arcs, place.row)).or_default().is_dimmed |= !arc.is_used;
        }
    }
}
