//! The program of a record: where its templates, arcs and objects are drawn.

use std::cell::RefCell;

use hasse_compiler::{compile, format};
use hasse_model::function::FunctionTable;
use hasse_model::id::{ActionId, GraphId, ObjectId, TemplateId};
use hasse_model::plan::{Arc, Plan, Source, Target as ArcTarget};
use hasse_model::trace::{Names, TraceHeader};

use crate::calls::Call;
use crate::edit::link::LinkList;
use crate::places::Places;
use crate::target::{Part, Target};

/// Returns true if two texts are of one program, wherever its parts are drawn and in whatever form they are written: saving
/// puts a program into canonical form. Cost: where the lines differ, that of formatting both.
pub fn is_same_program(one: &str, other: &str) -> bool {
    if one == other || lines(one).eq(lines(other)) {
        return true;
    }
    let (Ok(one), Ok(other)) = (format(one), format(other)) else { return false };
    lines(&one).eq(lines(&other))
}

/// The last answer of [`is_same_program`], which is asked for again and again.
#[derive(Debug, Default)]
pub struct SameProgram(RefCell<Option<(String, String, bool)>>);

impl SameProgram {
    /// The answer for two texts.
    pub fn holds(&self, one: &str, other: &str) -> bool {
        let mut known = self.0.borrow_mut();
        if let Some((known_one, known_other, is_same)) = &*known
            && known_one == one
            && known_other == other
        {
            return *is_same;
        }
        let is_same = is_same_program(one, other);
        *known = Some((one.to_owned(), other.to_owned(), is_same));
        is_same
    }
}

/// The lines of a program that are not about where it is drawn, nor empty.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut is_layout = false;
    text.lines().filter(move |line| {
        if line.starts_with('[') {
            is_layout = line.starts_with("[layout");
        }
        !is_layout && !line.trim().is_empty()
    })
}

/// Where a template is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its label, as paths and exports have it.
    pub label: String,
    /// The graph.
    pub graph: String,
    /// The node's name there.
    pub node: String,
}

/// Where an arc is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArcPlace {
    /// The graph.
    pub graph: String,
    /// Which of the graph's arcs, from 0.
    pub row: usize,
    /// Its text.
    pub text: String,
}

/// The program that was run, as far as its text can be compiled here.
#[derive(Debug)]
pub struct ProgramMap {
    plan: Option<Plan>,
    places: Places,
    templates: Vec<Node>,
    /// By `ArcId`.
    arcs: Vec<ArcPlace>,
    /// By `SharedId`: graph and name.
    shared: Vec<(String, String)>,
    /// For each call in a graph: the graph called. By names.
    calls: Vec<Call>,
}

impl ProgramMap {
    /// Compiles the program of a record; `functions` lists what bodies may call. Of a text that cannot be compiled here,
    /// nodes are known by their labels, and arcs are not.
    pub fn of(header: &TraceHeader, functions: &FunctionTable) -> Self {
        let places = Places::of(&header.program_text);
        let plan = compile(&header.program_text, functions).plan;
        // Ids of the record mean nothing in a plan with other templates.
        let plan = plan.filter(|plan| plan.template_labels() == header.templates);
        let Some(plan) = plan else { return Self::without_plan(places, header) };
        let graph =
            |id: GraphId| plan.graphs.get(id.idx()).map_or_else(String::new, |graph| graph.name.clone());
        let templates = header.templates.iter().zip(&plan.templates);
        let templates = templates
            .map(|(label, known)| Node {
                label: label.clone(),
                graph: graph(known.graph),
                node: known.name.clone(),
            })
            .collect();
        let place = |arc: &Arc| {
            let row = match places.target(arc.at.start as usize).part {
                Part::Link(LinkList::Arcs, row) => row,
                _ => usize::MAX,
            };
            ArcPlace { graph: graph(arc.graph), row, text: arc.text.clone() }
        };
        let arcs = plan.arcs.iter().map(place).collect();
        let shared = plan.shared.iter().map(|shared| (graph(shared.graph), shared.name.clone())).collect();
        let calls = plan.calls.iter().map(|call| (graph(call.owner), call.name.clone(), graph(call.graph)));
        let calls = calls.collect();
        Self { places, templates, arcs, shared, calls, plan: Some(plan) }
    }

    fn without_plan(places: Places, header: &TraceHeader) -> Self {
        let main = hasse_compiler::outline(&header.program_text)
            .ok()
            .and_then(|graphs| graphs.into_iter().find(|graph| graph.is_main).map(|graph| graph.name));
        let main = main.unwrap_or_default();
        let split = |label: &String| match label.rsplit_once('.') {
            Some((graph, node)) => (graph.to_owned(), node.to_owned()),
            None => (main.clone(), label.clone()),
        };
        let node = |label: &String| {
            let (graph, node) = split(label);
            Node { label: label.clone(), graph, node }
        };
        let templates = header.templates.iter().map(node).collect();
        let shared = header.shared.iter().map(split).collect();
        Self { plan: None, places, templates, arcs: Vec::new(), shared, calls: Vec::new() }
    }

    /// The plan, where the text can be compiled here.
    pub fn plan(&self) -> Option<&Plan> {
        self.plan.as_ref()
    }

    /// Where things stand in the text.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// The main graph, and the calls in all graphs.
    pub(super) fn calls(&self) -> (&str, &[Call]) {
        let main = self.plan.as_ref().and_then(|plan| plan.graphs.get(plan.main.idx()));
        (main.map_or("", |graph| graph.name.as_str()), &self.calls)
    }

    /// The templates, by id.
    pub fn templates(&self) -> &[Node] {
        &self.templates
    }

    /// The units at the ends of an arc, by the graph and the arc's row.
    pub(super) fn ends_of_row(&self, graph: &str, row: usize) -> Option<(&str, &str)> {
        let at = self.arcs.iter().position(|arc| arc.graph == graph && arc.row == row)?;
        self.ends(at)
    }

    fn ends(&self, arc: usize) -> Option<(&str, &str)> {
        let arc = self.plan.as_ref()?.arcs.get(arc)?;
        let (Source::Unit(from), ArcTarget::Unit(to)) = (arc.source, arc.target) else { return None };
        let name = |id: TemplateId| self.templates.get(id.idx()).map(|known| known.node.as_str());
        Some((name(from)?, name(to)?))
    }

    /// Rows of the arcs of a graph between two units, whichever of them sends.
    pub(super) fn rows_between(&self, graph: &str, one: &str, other: &str) -> Vec<usize> {
        let is_between = |(from, to): (&str, &str)| (from, to) == (one, other) || (from, to) == (other, one);
        let arcs =
            self.arcs.iter().enumerate().filter(|(_, arc)| arc.graph == graph && arc.row != usize::MAX);
        arcs.filter(|(at, _)| self.ends(*at).is_some_and(is_between)).map(|(_, arc)| arc.row).collect()
    }

    /// The arcs, by id; none where the text cannot be compiled here.
    pub fn arcs(&self) -> &[ArcPlace] {
        &self.arcs
    }

    /// Graph and name of a declared shared object.
    pub fn shared(&self, names: &Names, object: ObjectId) -> Option<(&str, &str)> {
        let shared = names.shared_of(object)?;
        self.shared.get(shared.idx()).map(|(graph, name)| (&**graph, &**name))
    }

    /// What stands in a line of the text, from 1.
    pub fn target_of_line(&self, line: u32) -> Option<Target> {
        let text = self.places.text();
        let mut start = 0;
        for (number, content) in (1..).zip(text.split_inclusive('\n')) {
            if number == line {
                let indent = content.len() - content.trim_start().len();
                return Some(self.places.target(start + indent));
            }
            start += content.len();
        }
        None
    }

    /// The node of a graph that shows an action: its own, or the call around it.
    pub fn node_in(&self, graph: &str, template: u32, action: ActionId, names: &Names) -> Option<&str> {
        let own = self.templates.get(template as usize)?;
        if own.graph == graph {
            return Some(&own.node);
        }
        let plan = self.plan.as_ref()?;
        let mut instance = names.graph_of(action)?;
        while let Some(record) = names.graph(instance) {
            let call = plan.calls.get(record.call.idx())?;
            if plan.graphs.get(call.owner.idx())?.name == graph {
                return Some(&call.name);
            }
            instance = record.parent;
        }
        None
    }

    /// The nodes of a graph that show instances of a template: its own, or calls that lead to it.
    pub fn nodes_in(&self, graph: &str, template: u32) -> Vec<&str> {
        let Some(own) = self.templates.get(template as usize) else { return Vec::new() };
        if own.graph == graph {
            return vec![&own.node];
        }
        let calls = self.calls.iter().filter(|(owner, ..)| owner == graph);
        calls.filter(|(_, _, called)| self.leads_to(called, &own.graph)).map(|(_, name, _)| &**name).collect()
    }

    fn leads_to(&self, from: &str, to: &str) -> bool {
        let mut seen = vec![from];
        let mut at = 0;
        while let Some(&graph) = seen.get(at) {
            if graph == to {
                return true;
            }
            at += 1;
            for (owner, _, called) in &self.calls {
                if owner == graph && !seen.contains(&&**called) {
                    seen.push(called);
                }
            }
        }
        false
    }
}
