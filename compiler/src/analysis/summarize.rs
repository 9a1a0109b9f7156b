//! Makes the summary of all graphs from their declarations and what they were lowered to. Only programs
//! without errors are summarized, so that the rules of a node and their texts stand side by side.

use std::collections::BTreeSet;
use std::ops::Range;

use hasse_model::diagnostic::Location;
use hasse_model::id::{CallId, GraphId, SharedId, TemplateId};
use hasse_model::plan::{
    Access, Code, Expr, Graph, Plan, Port, ShareBinding, ShareSource, Slot, SlotKind, Source, Target,
    Template,
};

use super::summary::{
    ArcSummary, BoundSummary, FireSummary, FormalSummary, GraphSummary, NodeKind, NodeSummary, ObjectSummary,
    ParamSummary, PortSummary, RouteSummary, SendSummary, SharedSummary, Summary, VarSummary,
};
use super::texts::{NodeTexts, names_in, spelled};
use crate::decl::{GraphDecl, NodeDecl};
use crate::grammar::rules::{Binding, parse_firing, parse_routing};
use crate::rhai_front::Front;
use crate::text::Excerpt;

/// Functions that change neither their object nor their first argument.
const PURE_FUNCTIONS: [&str; 32] = [
    "all",
    "block",
    "cols",
    "column",
    "concat",
    "contains",
    "dot",
    "ends_with",
    "filter",
    "get",
    "index_of",
    "is_empty",
    "keys",
    "len",
    "map",
    "max_abs",
    "norm",
    "print",
    "reduce",
    "result",
    "row",
    "rows",
    "slice",
    "some",
    "starts_with",
    "sub_string",
    "sum",
    "to_array",
    "to_string",
    "transpose",
    "type_of",
    "values",
];

/// Summarizes all graphs.
pub(crate) fn summarize(decls: &[GraphDecl<'_>], plan: &Plan, front: &Front) -> Summary {
    Summary { graphs: decls.iter().map(|decl| graph(decl, plan, front)).collect() }
}

fn graph(decl: &GraphDecl<'_>, plan: &Plan, front: &Front) -> GraphSummary {
    let named = names_of_graph(decl);
    let declared = &plan.graphs[decl.id.idx()];
    let params = declared.params.iter().map(|param| ParamSummary {
        name: param.name.clone(),
        at: param.at,
        ty: param.ty.clone(),
        default: param.default.as_ref().and_then(expr_of),
        is_named: named.contains(param.name.as_str()),
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
    let arcs = plan.arcs.iter().filter(|arc| arc.graph == decl.id).map(|arc| ArcSummary {
        source: (places.source(arc.source), arc.source_port),
        source_index: arc.source_index.clone(),
        source_elements: arc.source_elements.clone(),
        target: (places.target(arc.target), arc.target_port),
        target_index: arc.target_index.clone(),
        target_elements: arc.target_elements.clone(),
        at: arc.at,
    });
    GraphSummary {
        name: decl.name.text.clone(),
        at: decl.name.at,
        is_main: decl.id == plan.main,
        params: params.collect(),
        arcs: arcs.collect(),
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

impl Places {
    fn new(decl: &GraphDecl<'_>, plan: &Plan) -> Self {
        let range = |owners: Vec<GraphId>| {
            let start = owners.iter().position(|owner| *owner == decl.id).unwrap_or(0);
            start..start + owners.iter().filter(|owner| **owner == decl.id).count()
        };
        Self {
            templates: range(plan.templates.iter().map(|template| template.graph).collect()),
            calls: range(plan.calls.iter().map(|call| call.owner).collect()),
            objects: range(plan.shared.iter().map(|object| object.graph).collect()),
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
    };
    ports.iter().map(summary).collect()
}

fn objects(plan: &Plan, places: &Places) -> Vec<ObjectSummary> {
    let handed_on: Vec<_> = places.call_bindings(plan).map(|binding| binding.object).collect();
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
    let is_used = |formal_idx: usize| {
        places.bindings(plan).any(|binding| binding.object == ShareSource::Formal(formal_idx))
    };
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
        let bodies = unit.init.iter().chain(&unit.body);
        bodies.chain(&unit.fire).chain(&unit.route).map(|text| text.all())
    });
    let args = decl.calls.iter().flat_map(|call| &call.node.args).map(|arg| arg.text.all());
    let lines = lines.chain(args);
    let texts = lines.chain(inits).chain(defaults).chain(var_defaults).chain(units);
    texts.flat_map(|text| words(text.as_str())).collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|word| !word.is_empty())
}

fn expr_of(code: &Code) -> Option<Expr> {
    match code {
        Code::Expr(expr) => Some(expr.clone()),
        Code::Script(_) => None,
    }
}

fn unit(node: &NodeDecl<'_>, template: &Template, places: &Places, front: &Front) -> NodeSummary {
    let texts = NodeTexts::new(node, front);
    NodeSummary {
        name: template.name.clone(),
        at: template.at,
        kind: NodeKind::Unit,
        n_indices: template.n_indices,
        inputs: ports(&template.inputs, None),
        outputs: ports(&template.outputs, None),
        slots: template.slots.clone(),
        vars: vars(node, template, &texts),
        bound: bound(template, &texts),
        shared: shared(node, template, places, &texts),
        fire: fire(node, template),
        route: route(node, template, front),
        start: node.unit.start,
        stop: node.unit.stop,
    }
}

fn vars(node: &NodeDecl<'_>, template: &Template, texts: &NodeTexts) -> Vec<VarSummary> {
    let slots = template.slots.iter().enumerate().filter(|(_, slot)| slot.kind == SlotKind::Var);
    let entries = node.unit.vars.iter().zip(&template.var_defaults);
    slots
        .zip(entries)
        .map(|((slot_idx, slot), (entry, default))| {
            let name = slot.name.as_str();
            let is_bound =
                template.fire.iter().flat_map(|rule| &rule.takes).any(|take| take.target.idx() == slot_idx);
            let may_init = texts.assigned_in_init.contains(name) || texts.is_changed_by_function(name);
            let initial = match (default, &slot.ty) {
                _ if may_init => None,
                (Some(code), _) => expr_of(code),
                (None, hasse_model::value::Type::Int) => Some(Expr::Int(0)),
                (None, hasse_model::value::Type::Bool) => Some(Expr::Bool(false)),
                (None, _) => None,
            };
            VarSummary {
                name: slot.name.clone(),
                at: entry.name.at,
                slot_idx,
                has_default: default.is_some(),
                initial,
                is_read: texts.read.contains(name) || texts.is_handed_over(name),
                is_assigned: is_bound || may_init || texts.assigned.contains(name),
            }
        })
        .collect()
}

fn bound(template: &Template, texts: &NodeTexts) -> Vec<BoundSummary> {
    let mut bound = Vec::new();
    for (slot_idx, slot) in template.slots.iter().enumerate() {
        let at = (slot.kind == SlotKind::Bound).then(|| texts.bound_at.get(&slot.name)).flatten();
        let Some(at) = at else { continue };
        let takes = template.fire.iter().flat_map(|rule| &rule.takes);
        let ports = takes.filter(|take| take.target.idx() == slot_idx).map(|take| take.port).collect();
        let name = slot.name.as_str();
        let is_read = texts.read.contains(name) || texts.is_handed_over(name);
        bound.push(BoundSummary { name: slot.name.clone(), at: *at, is_read, ports });
    }
    bound
}

fn shared(
    node: &NodeDecl<'_>,
    template: &Template,
    places: &Places,
    texts: &NodeTexts,
) -> Vec<SharedSummary> {
    let locals = node.shared.iter().zip(&template.shared);
    locals
        .map(|(local, shared_use)| {
            let name = local.name.text.as_str();
            SharedSummary {
                name: local.name.text.clone(),
                at: local.name.at,
                access: shared_use.access,
                is_named: texts.read.contains(name)
                    || texts.assigned.contains(name)
                    || texts.is_handed_over(name),
                is_written: shared_use.access == Access::Write
                    && (texts.assigned.contains(name) || texts.is_changed_by_function(name)),
                objects: shared_use
                    .bindings
                    .iter()
                    .filter_map(|binding| match binding.object {
                        ShareSource::Own(id) => Some(id.idx() - places.objects.start),
                        ShareSource::Formal(_) => None,
                    })
                    .collect(),
            }
        })
        .collect()
}

impl NodeTexts {
    fn is_handed_over(&self, name: &str) -> bool {
        self.handed_over.iter().any(|(object, _)| object == name)
    }

    fn is_changed_by_function(&self, name: &str) -> bool {
        let mut handed = self.handed_over.iter().filter(|(object, _)| object == name);
        handed.any(|(_, function)| !PURE_FUNCTIONS.contains(&function.as_str()))
    }
}

fn fire(node: &NodeDecl<'_>, template: &Template) -> Vec<FireSummary> {
    let rules = template.fire.iter().zip(&node.unit.fire);
    rules
        .map(|(rule, text)| {
            let whole = text.all();
            let parts = parse_firing(&whole).ok();
            let bindings = parts.iter().flat_map(|parts| &parts.bindings);
            let mut takes_text: Vec<_> = bindings.clone().map(|binding| take_text(binding, false)).collect();
            let mut binds_text: Vec<_> = bindings.map(|binding| take_text(binding, true)).collect();
            takes_text.sort();
            binds_text.sort();
            let guard = parts.as_ref().and_then(|parts| parts.guard.as_ref());
            FireSummary {
                rule: rule.clone(),
                takes_text,
                guard_text: guard.map_or_else(String::new, spelled),
                binds_text,
            }
        })
        .collect()
}

fn take_text(binding: &Binding<'_>, with_target: bool) -> String {
    let mut parts = vec![spelled(&binding.port)];
    parts.extend(binding.elements.iter().map(spelled));
    for looped in &binding.loops {
        let dots = if looped.is_inclusive { "..=" } else { ".." };
        parts.push(format!(
            "for {} in {} {dots} {}",
            spelled(&looped.name),
            spelled(&looped.low),
            spelled(&looped.high)
        ));
    }
    if with_target {
        parts.push(spelled(&binding.target));
        parts.extend(binding.target_elements.iter().map(spelled));
    }
    parts.join(" ; ")
}

fn route(node: &NodeDecl<'_>, template: &Template, front: &Front) -> Vec<RouteSummary> {
    let rules = template.route.iter().zip(&node.unit.route);
    rules
        .map(|(rule, text)| {
            let whole = text.all();
            let parts = parse_routing(&whole).ok();
            let sends = parts.iter().flat_map(|parts| &parts.sends).map(|send| {
                let loops = send.loops.iter().map(|looped| {
                    let dots = if looped.is_inclusive { "..=" } else { ".." };
                    format!(
                        "for {} in {} {dots} {}",
                        spelled(&looped.name),
                        spelled(&looped.low),
                        spelled(&looped.high)
                    )
                });
                let elements = send.elements.iter().map(spelled);
                let texts: Vec<_> = std::iter::once(spelled(&send.port))
                    .chain(elements)
                    .chain(loops)
                    .chain(std::iter::once(spelled(&send.value)))
                    .collect();
                let loop_names: Vec<_> = send.loops.iter().map(|looped| looped.name.as_str()).collect();
                SendSummary {
                    text: texts.join(" ; "),
                    at: send.port.at(),
                    is_signal: is_signal(&send.value, &loop_names, &template.slots, front),
                }
            });
            let guard = parts.as_ref().and_then(|parts| parts.guard.as_ref());
            RouteSummary {
                rule: rule.clone(),
                guard_text: guard.map_or_else(String::new, spelled),
                sends: sends.collect(),
            }
        })
        .collect()
}

/// Whether a value is the same whatever was computed.
fn is_signal(value: &Excerpt<'_>, loop_names: &[&str], slots: &[Slot], front: &Front) -> bool {
    let is_constant = |name: &String| {
        let slot = slots.iter().find(|slot| slot.name == *name);
        let kind = slot.map(|slot| slot.kind);
        loop_names.contains(&name.as_str())
            || matches!(kind, Some(SlotKind::Param | SlotKind::Index | SlotKind::Rule | SlotKind::Count))
    };
    names_in(value, front).is_some_and(|names| names.iter().all(is_constant))
}
