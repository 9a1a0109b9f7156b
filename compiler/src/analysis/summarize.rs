//! Makes the summary of all graphs from their declarations and what they were lowered to. Only programs
//! without errors are summarized, so that the rules of a node and their texts stand side by side.

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

use hasse_model::diagnostic::Location;
use hasse_model::id::{CallId, GraphId, SharedId, TemplateId};
use hasse_model::name::is_of_name;
use hasse_model::plan::{Code, Expr, Graph, Plan, Port, ShareBinding, ShareSource, Source, Target};

use super::summary::{
    ArcSummary, FormalSummary, GraphSummary, NodeKind, NodeSummary, ObjectSummary, ParamSummary, PortSummary,
    Summary,
};
use crate::decl::GraphDecl;
use crate::rhai_front::Front;

/// Units of computation.
mod unit;

use unit::unit;

/// Summarizes all graphs.
pub(crate) fn summarize(decls: &[GraphDecl<'_>], plan: &Plan, front: &Front) -> Summary {
    let named: Vec<_> = decls.iter().map(names_of_graph).collect();
    // Whoever watches the parameters of the main graph may use all of them.
    let are_watched = named.iter().any(|named| named.contains("watch_params"));
    let graphs = decls.iter().zip(&named).map(|(decl, named)| {
        let uses_all = are_watched && decl.id == plan.main;
        graph(decl, (named, uses_all), plan, front)
    });
    Summary { graphs: graphs.collect() }
}

fn graph(
    decl: &GraphDecl<'_>,
    (named, uses_all_params): (&BTreeSet<&str>, bool),
    plan: &Plan,
    front: &Front,
) -> GraphSummary {
    let declared = &plan.graphs[decl.id.idx()];
    let params = declared.params.iter().map(|param| ParamSummary {
        name: param.name.clone(),
        at: param.at,
        ty: param.ty.clone(),
        default: param.default.as_ref().and_then(expr_of),
        is_named: uses_all_params || named.contains(param.name.as_str()),
    });
    let places = Places::new(decl, plan);
    let units = decl.nodes.iter().zip(&plan.templates[places.templates.clone()]);
    let mut nodes: Vec<_> = units.map(|(node, template)| unit(node, template, &places, front)).collect();
    nodes.extend(plan.calls[places.calls.clone()].iter().map(|call| {
        let callee = &plan.graphs[call.graph.idx()];
        let kind = NodeKind::Call(call.graph.idx());
        let (inputs, outputs) = (ports(&callee.inputs, Some(call.at)), ports(&callee.outputs, Some(call.at)));
        NodeSummary {
            n_indices: call.index_names.len(),
            inputs,
            outputs,
            ..NodeSummary::bare(&call.name, call.at, kind)
        }
    }));
    let outputs = ports(&declared.inputs, None);
    nodes.push(NodeSummary { outputs, ..NodeSummary::bare("in", declared.at, NodeKind::Inputs) });
    let inputs = ports(&declared.outputs, None);
    nodes.push(NodeSummary { inputs, ..NodeSummary::bare("out", declared.at, NodeKind::Outputs) });
    let arcs = range_of(&plan.arcs, decl.id, |arc| arc.graph);
    let arcs = plan.arcs[arcs].iter().map(|arc| ArcSummary {
        source: (places.source(arc.source), arc.source_port),
        source_index: arc.source_index.clone(),
        source_elements: arc.source_elements.clone(),
        target: (places.target(arc.target), arc.target_port),
        target_index: arc.target_index.clone(),
        target_elements: arc.target_elements.clone(),
        at: arc.at,
    });
    let arcs: Vec<_> = arcs.collect();
    let mut arcs_of = vec![[Vec::new(), Vec::new()]; nodes.len()];
    for (arc_idx, arc) in arcs.iter().enumerate() {
        arcs_of[arc.source.0][0].push(arc_idx);
        arcs_of[arc.target.0][1].push(arc_idx);
    }
    GraphSummary {
        name: decl.name.text.clone(),
        at: decl.name.at,
        is_main: decl.id == plan.main,
        params: params.collect(),
        arcs,
        arcs_of,
        objects: objects(plan, &places),
        formals: formals(declared, plan, &places),
        nodes,
    }
}

/// Where a graph's nodes and objects stand in the plan: each kind in one piece.
struct Places {
    templates: Range<usize>,
    calls: Range<usize>,
    objects: Range<usize>,
}

/// The positions of what a graph owns. All graphs follow each other in the order of their ids.
fn range_of<T>(all: &[T], graph: GraphId, owner: impl Fn(&T) -> GraphId) -> Range<usize> {
    let start = all.partition_point(|one| owner(one) < graph);
    start..start + all[start..].partition_point(|one| owner(one) == graph)
}

impl Places {
    fn new(decl: &GraphDecl<'_>, plan: &Plan) -> Self {
        Self {
            templates: range_of(&plan.templates, decl.id, |template| template.graph),
            calls: range_of(&plan.calls, decl.id, |call| call.owner),
            objects: range_of(&plan.shared, decl.id, |object| object.graph),
        }
    }

    fn template(&self, id: TemplateId) -> usize {
        id.idx() - self.templates.start
    }

    fn call(&self, id: CallId) -> usize {
        self.templates.len() + (id.idx() - self.calls.start)
    }

    fn source(&self, source: Source) -> usize {
        match source {
            Source::Unit(id) => self.template(id),
            Source::Call(id) => self.call(id),
            Source::Interface => self.templates.len() + self.calls.len(),
        }
    }

    fn target(&self, target: Target) -> usize {
        match target {
            Target::Unit(id) => self.template(id),
            Target::Call(id) => self.call(id),
            Target::Interface => self.templates.len() + self.calls.len() + 1,
        }
    }

    /// Share lines of the units and calls of the graph.
    fn bindings<'p>(&self, plan: &'p Plan) -> impl Iterator<Item = &'p ShareBinding> {
        let units = plan.templates[self.templates.clone()].iter();
        let of_units = units.flat_map(|template| template.shared.iter().flat_map(|shared| &shared.bindings));
        of_units.chain(self.call_bindings(plan))
    }

    fn call_bindings<'p>(&self, plan: &'p Plan) -> impl Iterator<Item = &'p ShareBinding> {
        plan.calls[self.calls.clone()].iter().flat_map(|call| call.bindings.iter().flatten())
    }
}

fn ports(ports: &[Port], at: Option<Location>) -> Vec<PortSummary> {
    let summary = |port: &Port| PortSummary {
        name: port.name.clone(),
        at: at.unwrap_or(port.at),
        n_indices: port.n_indices,
        // Which values a full port drops depends on the schedule, which no static analysis knows.
        may_be_left: port.may_be_left || port.full.drops(),
        bound: port.bound.clone(),
    };
    ports.iter().map(summary).collect()
}

fn objects(plan: &Plan, places: &Places) -> Vec<ObjectSummary> {
    let handed_on: HashSet<_> = places.call_bindings(plan).map(|binding| binding.object).collect();
    let objects = places.objects.clone().zip(&plan.shared[places.objects.clone()]);
    objects
        .map(|(object_idx, object)| ObjectSummary {
            name: object.name.clone(),
            at: object.at,
            has_init: object.init.is_some(),
            is_handed_on: handed_on.contains(&ShareSource::Own(SharedId::from_idx(object_idx))),
        })
        .collect()
}

fn formals(graph: &Graph, plan: &Plan, places: &Places) -> Vec<FormalSummary> {
    let used: HashSet<_> = places.bindings(plan).map(|binding| binding.object).collect();
    let is_used = |formal_idx: usize| used.contains(&ShareSource::Formal(formal_idx));
    let formals = graph.formals.iter().enumerate();
    formals
        .map(|(formal_idx, formal)| FormalSummary {
            name: formal.name.clone(),
            at: formal.at,
            is_used: is_used(formal_idx),
        })
        .collect()
}

/// All words of the texts of a graph in which parameters can be named.
fn names_of_graph<'t>(decl: &GraphDecl<'t>) -> BTreeSet<&'t str> {
    let lines = decl.arcs.iter().chain(decl.shares).map(|text| text.all());
    let inits = decl.shared.iter().filter_map(|object| object.init).map(|text| text.all());
    let defaults = decl.params.iter().filter_map(|param| param.default.clone());
    let var_defaults = decl.nodes.iter().flat_map(|node| node.var_defaults.iter().flatten().cloned());
    let units = decl.nodes.iter().flat_map(|node| {
        let unit = node.unit;
        let bodies = unit.init.iter().chain(unit.script_body());
        let bounds = unit.port_options.iter().filter_map(|options| options.bound.as_ref());
        let bounds = bounds.chain(&unit.at_once).chain(&unit.retry);
        let texts = bodies.chain(&unit.fire).chain(unit.all_routes()).chain(bounds).chain(unit.times());
        texts.map(|text| text.all())
    });
    let args = decl.calls.iter().flat_map(|call| &call.node.args).map(|arg| arg.text.all());
    let lines = lines.chain(args);
    let texts = lines.chain(inits).chain(defaults).chain(var_defaults).chain(units);
    let mut names: BTreeSet<&str> = texts.flat_map(|text| words(text.as_str())).collect();
    // A native body may use any of them.
    if decl.nodes.iter().any(|node| node.unit.has_native_body()) {
        names.extend(decl.params.iter().map(|param| param.name.text.as_str()));
    }
    names
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !is_of_name(letter)).filter(|word| !word.is_empty())
}

fn expr_of(code: &Code) -> Option<Expr> {
    match code {
        Code::Expr(expr) => Some(expr.clone()),
        Code::Script(_) => None,
    }
}
