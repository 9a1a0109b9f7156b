//! Firing rules: ports, elements, loops and guards. Everything but the guard must be computable
//! without Rhai, because it is asked for whenever a value arrives.

use hasse_model::diagnostic::Diagnostic;
use hasse_model::id::SlotId;
use hasse_model::plan::{Code, Expr, FiringRule, Loop, SlotKind, Take, TimeSpan};
use hasse_model::value::Type;

use super::bind::ReadRule;
use super::check_bodies::readable_lets;
use super::check_bounds::constant;
use super::check_times::constant_time;
use super::pattern::index_expression;
use super::rule_parts::{Direction, behind, check_loop_variable, find_port};
use crate::decl::NodeDecl;
use crate::grammar::rules::{Binding, DelayText, FiringText, LoopText};
use crate::grammar::token::tokens;
use crate::scope::{Meaning, Scope};
use crate::session::{NameCodes, Session};
use crate::text::Excerpt;

/// The firing rules of a node.
pub(crate) struct Firing {
    /// Those that are right, in the order of the file.
    pub(crate) rules: Vec<FiringRule>,
    /// Whether some rule names the input port, by position.
    pub(crate) is_named: Vec<bool>,
    /// Whether the ports of all rules are known.
    pub(crate) are_ports_known: bool,
}

/// Checks and lowers the firing rules of a node.
pub(crate) fn check_firing(rules: &[ReadRule<'_>], node: &NodeDecl<'_>, session: &mut Session<'_>) -> Firing {
    let is_named = vec![false; node.inputs.len()];
    let mut firing = Firing { rules: Vec::new(), is_named, are_ports_known: true };
    for rule in rules {
        let Some(parts) = &rule.parts else {
            firing.are_ports_known = false;
            continue;
        };
        let takes: Vec<_> = parts
            .bindings
            .iter()
            .map(|binding| {
                let port = find_port(&binding.port, &binding.elements, Direction::Input, node, session);
                match node.inputs.iter().position(|port| port.port.name == binding.port.as_str()) {
                    Some(port_idx) => firing.is_named[port_idx] = true,
                    None => firing.are_ports_known = false,
                }
                check_binding(binding, port, node, session)
            })
            .collect();
        let guard = parts.guard.as_ref().map(|guard| check_guard(guard, parts, node, session));
        let takes: Option<Vec<_>> = takes.into_iter().collect();
        let Some(takes) = takes.filter(|takes| check_takes(takes, parts, node, session)) else { continue };
        let after = match &parts.after {
            Some(time) => match check_after(time, node, session) {
                Some(after) => Some(after),
                None => continue,
            },
            None => None,
        };
        let (text, at) = (rule.whole.as_str().to_owned(), rule.whole.at());
        match guard {
            Some(None) => {}
            Some(Some(guard)) => firing.rules.push(FiringRule { takes, after, guard: Some(guard), text, at }),
            None => firing.rules.push(FiringRule { takes, after, guard: None, text, at }),
        }
    }
    firing
}

/// Checks the time for which the values of a rule must have waited.
fn check_after(time: &DelayText<'_>, node: &NodeDecl<'_>, session: &mut Session<'_>) -> Option<TimeSpan> {
    if let Some(span) = constant_time(time, "the time of a firing rule", 0, session)? {
        return Some(span);
    }
    let number =
        session.int_expression(&time.number, &element_scope(node), "E0405", ELEMENT_CODES, ELEMENT_NAMES)?;
    Some(TimeSpan { number, unit: time.unit })
}

/// Names that elements and bounds see.
fn element_scope(node: &NodeDecl<'_>) -> Scope {
    let mut scope = Scope::default();
    scope.add_slots(&node.slots, |kind| match kind {
        SlotKind::Param | SlotKind::Index | SlotKind::Var | SlotKind::Count => None,
        SlotKind::Shared => Some("shared objects are reached only while the node executes"),
        SlotKind::Bound => Some("firing rules never see queued values"),
        SlotKind::Let => Some("it is set by the body, which runs later"),
        SlotKind::Rule => Some("no rule has been taken yet"),
    });
    scope.lower_lengths();
    scope
}

const ELEMENT_CODES: NameCodes = NameCodes { hidden: "E0405", undefined: "E0502" };
const ELEMENT_NAMES: &str =
    "parameters, index names, int vars, lengths of arrays, `count` and loop variables";

fn check_binding(
    binding: &Binding<'_>,
    port: Option<usize>,
    node: &NodeDecl<'_>,
    session: &mut Session<'_>,
) -> Option<Take> {
    let mut scope = element_scope(node);
    let loops = check_loops(&binding.loops, &mut scope, node, session);
    let mut all_ints = |texts: &[Excerpt<'_>]| -> Option<Vec<Expr>> {
        let read: Vec<_> = texts
            .iter()
            .map(|text| index_expression(text, &scope, "E0405", ELEMENT_CODES, ELEMENT_NAMES, session))
            .collect();
        read.into_iter().collect()
    };
    let elements = all_ints(&binding.elements);
    let target_elements = all_ints(&binding.target_elements);
    let fits = check_replication(binding, session);
    let target = node.slots.iter().position(|slot| slot.name == binding.target.as_str());
    let can_bind = |slot_idx: &usize| matches!(node.slots[*slot_idx].kind, SlotKind::Var | SlotKind::Bound);
    let target = SlotId::from_idx(target.filter(can_bind)?);
    let is_up_to = binding.loops.iter().any(|text| text.low.is_none());
    let fits = fits && (!is_up_to || check_up_to(binding, session));
    let (elements, loops, target_elements) = (elements?, loops?, target_elements?);
    let most = loops.first().filter(|_| is_up_to).and_then(|looped| constant(&looped.high));
    if let Some(most) = most.filter(|most| *most < 1) {
        let message = format!("at most {most} values are taken, so the rule takes none");
        session.report(Diagnostic::error("E0406", message, binding.loops[0].high.at(), ""));
        return None;
    }
    let take = Take { port: port?, elements, loops, target, target_elements, is_up_to };
    fits.then_some(take)
}

/// Checks that loops and the index of the bound name go together.
fn check_replication(binding: &Binding<'_>, session: &mut Session<'_>) -> bool {
    let target = binding.target.as_str();
    match (binding.loops.first(), binding.target_elements.first()) {
        (Some(_), None) => {
            let message = format!("`{target}` is bound once for every number of the loop");
            let help = "say where each value goes, as in `p[j] -> v[j] for j in 0..n`";
            session.report(Diagnostic::error("E0406", message, binding.target.at(), "").with_help(help));
            false
        }
        (None, Some(element)) => {
            let message = format!("`{target}` has an index, but no loop runs over it");
            let help = "add a loop, as in `p[j] -> v[j] for j in 0..n`, or bind a plain name";
            session.report(Diagnostic::error("E0406", message, element.at(), "").with_help(help));
            false
        }
        (Some(_), Some(_)) => binding.loops.iter().all(|looped| positions_differ(binding, looped, session)),
        (None, None) => true,
    }
}

/// Returns true if an expression contains a name.
fn names(text: &Excerpt<'_>, name: &str) -> bool {
    tokens(text.as_str()).iter().any(|token| &text.as_str()[token.range.clone()] == name)
}

/// Checks that the index of the bound name depends on a loop: all its values would be bound at one position otherwise.
fn positions_differ(binding: &Binding<'_>, looped: &LoopText<'_>, session: &mut Session<'_>) -> bool {
    let (target, name) = (binding.target.as_str(), looped.name.as_str());
    if binding.target_elements.iter().any(|text| names(text, name)) {
        return true;
    }
    let message =
        format!("all values of the loop over `{name}` would be bound at one position of `{target}`");
    let help = format!("the index of `{target}` must depend on `{name}`, as in `p[j] -> v[j] for j in 0..n`");
    session.report(Diagnostic::error("E0406", message, looped.name.at(), "").with_help(help));
    false
}

/// Checks a binding that takes as many values as there are: its only loop numbers the values, and all are of one port or element.
fn check_up_to(binding: &Binding<'_>, session: &mut Session<'_>) -> bool {
    let [looped] = &binding.loops[..] else {
        let message = "a loop without a first number stands alone".to_owned();
        let help = "write `p -> v[k] for k in ..100`, which takes as many values as there are, at most 100";
        session.report(Diagnostic::error("E0406", message, binding.port.at(), "").with_help(help));
        return false;
    };
    let name = looped.name.as_str();
    let is_position = binding.target_elements.len() == 1 && binding.target_elements[0].as_str() == name;
    if is_position && !binding.elements.iter().any(|text| names(text, name)) {
        return true;
    }
    let message = format!("`{name}` numbers the values that are there, and nothing else");
    let help = format!("write `p -> v[{name}] for {name} in ..100`, without `{name}` at the port");
    session.report(Diagnostic::error("E0406", message, looped.name.at(), "").with_help(help));
    false
}

fn check_loops(
    texts: &[LoopText<'_>],
    scope: &mut Scope,
    node: &NodeDecl<'_>,
    session: &mut Session<'_>,
) -> Option<Vec<Loop<Expr>>> {
    let mut loops = Some(Vec::new());
    for (local, text) in (0..).zip(texts) {
        let earlier = texts.iter().take(local as usize).map(|text| text.name.as_str());
        let is_name = check_loop_variable(&text.name, &node.slots, earlier, session);
        let low = match &text.low {
            Some(low) => session.int_expression(low, scope, "E0405", ELEMENT_CODES, ELEMENT_NAMES),
            None => Some(Expr::Int(0)),
        };
        let high = session.int_expression(&text.high, scope, "E0405", ELEMENT_CODES, ELEMENT_NAMES);
        scope.add(text.name.as_str(), Meaning::Local(local));
        loops = match (loops, low, high) {
            (Some(mut loops), Some(low), Some(high)) if is_name => {
                let high = if text.is_inclusive { behind(high) } else { high };
                loops.push(Loop { name: text.name.as_str().to_owned(), low, high });
                Some(loops)
            }
            _ => None,
        };
    }
    loops
}

/// No name is bound twice, and no port is taken from twice.
fn check_takes(
    takes: &[Take],
    parts: &FiringText<'_>,
    node: &NodeDecl<'_>,
    session: &mut Session<'_>,
) -> bool {
    let mut is_right = true;
    for (later_idx, later) in takes.iter().enumerate() {
        for earlier in &takes[..later_idx] {
            let binding = &parts.bindings[later_idx];
            if later.target == earlier.target {
                let message = format!("this rule binds `{}` twice", binding.target.as_str());
                session.error("E0409", message, binding.target.at());
                is_right = false;
            }
            if takes_twice(earlier, later) {
                let port = &node.inputs[later.port].port.name;
                let message = format!("this rule takes from `{port}` twice");
                session.error("E0409", message, binding.port.at());
                is_right = false;
            }
        }
    }
    is_right
}

/// Returns true if two takes of a rule are of one port or element, or if they may be and one takes as many values as there are.
fn takes_twice(earlier: &Take, later: &Take) -> bool {
    let are_constant = |take: &Take| take.elements.iter().all(|element| constant(element).is_some());
    let is_certain = earlier.loops.is_empty() && later.loops.is_empty();
    let may_be_same = (earlier.is_up_to || later.is_up_to) && !(are_constant(earlier) && are_constant(later));
    earlier.port == later.port
        && (may_be_same
            || earlier.elements == later.elements && (is_certain || earlier.is_up_to || later.is_up_to))
}

fn check_guard(
    text: &Excerpt<'_>,
    parts: &FiringText<'_>,
    node: &NodeDecl<'_>,
    session: &mut Session<'_>,
) -> Option<Code> {
    let mut scope = Scope::default();
    for name in node.unit.script_body().into_iter().flat_map(|body| readable_lets(&body.all())) {
        let reason = "`do` binds it once the rule has been taken; keep it in a var";
        scope.add(&name, Meaning::Hidden(reason));
    }
    for looped in parts.bindings.iter().flat_map(|binding| &binding.loops) {
        let reason = "the guard of a firing rule is asked once, not for every element";
        scope.add(looped.name.as_str(), Meaning::Hidden(reason));
    }
    scope.add_slots(&node.slots, |kind| match kind {
        SlotKind::Param | SlotKind::Index | SlotKind::Var | SlotKind::Count => None,
        SlotKind::Shared => Some("firing rules never see shared objects, only their own node's vars"),
        SlotKind::Bound => Some("guards of firing rules never see queued values"),
        SlotKind::Let => Some("it is set by the body, which runs later"),
        SlotKind::Rule => Some("no rule has been taken yet"),
    });
    let checked = session.expression(text, &scope, NameCodes { hidden: "E0408", undefined: "E0502" })?;
    check_bool(text, checked.ty, session).then_some(checked.code)
}

/// Reports a guard whose value is certainly no truth value.
pub(super) fn check_bool(text: &Excerpt<'_>, ty: Option<Type>, session: &mut Session<'_>) -> bool {
    match ty {
        Some(ty) if ty != Type::Bool => {
            let message = format!("the guard `{}` is of type `{ty}`, not `bool`", text.as_str());
            session.error("E0204", message, text.at());
            false
        }
        _ => true,
    }
}
