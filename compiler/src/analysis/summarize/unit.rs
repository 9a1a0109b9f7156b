//! Makes the summary of a unit of computation.

use hasse_model::plan::{Access, Expr, RoutingRule, ShareSource, Slot, SlotKind, Template};
use hasse_model::value::Type;

use super::{Places, expr_of, ports};
use crate::analysis::summary::{
    BoundSummary, FireSummary, NodeKind, NodeSummary, RouteSummary, SendSummary, SharedSummary, VarSummary,
};
use crate::analysis::texts::{NodeTexts, names_in, spelled};
use crate::decl::NodeDecl;
use crate::grammar::rules::{Binding, LoopText, parse_firing, parse_routing};
use crate::rhai_front::Front;
use crate::text::Excerpt;

/// Functions that change neither their object nor their first argument.
const PURE_FUNCTIONS: [&str; 33] = [
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
    "key",
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

/// Functions of Rhai that change their object.
const CHANGING_FUNCTIONS: [&str; 15] = [
    "append",
    "clear",
    "dedup",
    "drain",
    "insert",
    "make_lower",
    "make_upper",
    "pad",
    "pop",
    "push",
    "reverse",
    "shift",
    "sort",
    "splice",
    "truncate",
];

/// Summarizes a unit of computation.
pub(super) fn unit(node: &NodeDecl<'_>, template: &Template, places: &Places, front: &Front) -> NodeSummary {
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
        prefers: node.unit.prefer.is_some(),
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
                (None, Type::Int) => Some(Expr::Int(0)),
                (None, Type::Bool) => Some(Expr::Bool(false)),
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
                is_changed_in_place: texts.is_changed_in_place(name),
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

    fn is_changed_in_place(&self, name: &str) -> bool {
        let mut handed = self.handed_over.iter().filter(|(object, _)| object == name);
        !self.lets.contains(name)
            && handed.any(|(_, function)| CHANGING_FUNCTIONS.contains(&function.as_str()))
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
            let mut guard_text = guard.map_or_else(String::new, spelled);
            // Rules that are enabled at other times are not enabled together.
            if let Some(after) = parts.as_ref().and_then(|parts| parts.after.as_ref()) {
                guard_text.push_str(&format!(" after {} {}", spelled(&after.number), after.unit));
            }
            FireSummary { rule: rule.clone(), takes_text, guard_text, binds_text }
        })
        .collect()
}

fn take_text(binding: &Binding<'_>, with_target: bool) -> String {
    let mut parts = vec![spelled(&binding.port)];
    parts.extend(binding.elements.iter().map(spelled));
    parts.extend(binding.loops.iter().map(loop_text));
    if with_target {
        parts.push(spelled(&binding.target));
        parts.extend(binding.target_elements.iter().map(spelled));
    }
    parts.join(" ; ")
}

fn loop_text(looped: &LoopText<'_>) -> String {
    let dots = if looped.is_inclusive { "..=" } else { ".." };
    let low = looped.low.as_ref().map_or_else(String::new, spelled);
    let (name, high) = (spelled(&looped.name), spelled(&looped.high));
    format!("for {name} in {low} {dots} {high}")
}

fn route(node: &NodeDecl<'_>, template: &Template, front: &Front) -> Vec<RouteSummary> {
    let mut texts = node.unit.all_routes();
    let rules = template.route.iter().map(|rule| (rule, texts.next()));
    rules
        .map(|(rule, text)| {
            let Some(text) = text else { return added_route(rule) };
            let whole = text.all();
            let parts = parse_routing(&whole).ok();
            let sends = parts.iter().flat_map(|parts| &parts.sends).map(|send| {
                let loops = send.loops.iter().map(loop_text);
                let elements = send.elements.iter().map(spelled);
                let texts: Vec<_> = std::iter::once(spelled(&send.port))
                    .chain(elements)
                    .chain(loops)
                    .chain(std::iter::once(spelled(&send.value)))
                    .chain(
                        send.after.as_ref().map(|after| format!("{} {}", spelled(&after.number), after.unit)),
                    )
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

/// Summary of a routing rule that the compiler has added.
fn added_route(rule: &RoutingRule) -> RouteSummary {
    let send = |_| SendSummary { text: rule.text.clone(), at: rule.at, is_signal: false };
    RouteSummary {
        rule: rule.clone(),
        guard_text: String::new(),
        sends: rule.sends.iter().map(send).collect(),
    }
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
