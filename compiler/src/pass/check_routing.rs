//! Routing rules: ports, elements, loops, values and guards. They see what the node sees and what the
//! outermost level of its body binds.

use hasse_model::diagnostic::{Diagnostic, Location};
use hasse_model::id::SlotId;
use hasse_model::plan::{
    BinaryOp, Code, Delay, ERROR_TYPE, Expr, FiringRule, Loop, RoutingRule, ScriptKind, Send, SlotKind,
};
use hasse_model::value::Type;

use super::check_bodies::{Bodies, ERROR_HIDDEN, conversion_help};
use super::check_firing::check_bool;
use super::check_times::constant_time;
use super::pattern::literal_key;
use super::rule_parts::{Direction, behind, check_loop_variable, find_port};
use crate::decl::NodeDecl;
use crate::grammar::rules::{DelayText, LoopText, RoutingText, SendText, parse_routing, parse_time};
use crate::scope::{Meaning, Scope};
use crate::session::{NameCodes, Session};
use crate::syntax::{OnError, TIMER_PORT};
use crate::text::Excerpt;

/// The routing rules of a node.
pub(crate) struct Routing {
    /// Those that are right, in the order of the file.
    pub(crate) rules: Vec<RoutingRule>,
    /// Where some rule names the output port, by position.
    pub(crate) named_at: Vec<Option<Location>>,
    /// Whether the ports of all rules are known.
    pub(crate) are_ports_known: bool,
}

/// Checks and lowers the routing rules of a node.
pub(crate) fn check_routing(
    node: &NodeDecl<'_>,
    firing: &[FiringRule],
    bodies: &Bodies,
    session: &mut Session<'_>,
) -> Routing {
    let named_at = vec![None; node.outputs.len()];
    let mut routing = Routing { rules: Vec::new(), named_at, are_ports_known: true };
    let scope = routing_scope(node, firing, bodies);
    let rules = node.unit.route.iter().map(|text| (text, &scope, false));
    let error_scope = error_scope(node, firing, bodies);
    let error_rules = node.unit.error_rules().iter().map(|text| (text, &error_scope, true));
    for (text, scope, on_error) in rules.chain(error_rules) {
        let whole = text.all();
        let parts = match parse_routing(&whole) {
            Ok(parts) => parts,
            Err(fault) => {
                session.fault("E0402", "routing rule", &whole, &fault);
                routing.are_ports_known = false;
                continue;
            }
        };
        for send in &parts.sends {
            match node.outputs.iter().position(|port| port.port.name == send.port.as_str()) {
                Some(port_idx) => routing.named_at[port_idx] = Some(send.port.at()),
                None => routing.are_ports_known = false,
            }
        }
        let sends: Vec<_> = parts.sends.iter().map(|send| check_send(send, scope, node, session)).collect();
        let guard = parts.guard.as_ref().map(|guard| check_guard(guard, &parts, scope, session));
        let (Some(sends), false) = (sends.into_iter().collect(), matches!(guard, Some(None))) else {
            continue;
        };
        let (guard, guards_elements) =
            guard.flatten().map_or((None, false), |(code, is_each)| (Some(code), is_each));
        let (text, at) = (whole.as_str().to_owned(), whole.at());
        routing.rules.push(RoutingRule { sends, guard, guards_elements, on_error, text, at });
    }
    if let (Some(forwarded), Some(error)) = (&node.forwarded, node.error) {
        let value = Code::Expr(Expr::Slot(error));
        let send = Send { port: forwarded.port, elements: Vec::new(), loops: Vec::new(), value, after: None };
        routing.named_at[forwarded.port] = Some(forwarded.at);
        routing.rules.push(RoutingRule {
            sends: vec![send],
            guard: None,
            guards_elements: false,
            on_error: true,
            text: format!("{} <- {ERROR_TYPE}", node.outputs[forwarded.port].port.name),
            at: forwarded.at,
        });
    }
    add_timer(node, firing, &scope, &mut routing, session);
    routing
}

/// Adds the routing rules by which a timer sends to itself: after each event that its time has come for, failed or not.
fn add_timer(
    node: &NodeDecl<'_>,
    firing: &[FiringRule],
    scope: &Scope,
    routing: &mut Routing,
    session: &mut Session<'_>,
) {
    let (Some(timer), Some(period)) = (node.timer, &node.unit.every) else { return };
    routing.named_at[timer.output] = Some(timer.at);
    let whole = period.all();
    // A period that cannot be read has been reported.
    let Some(time) = node.every.as_ref().and_then(|_| parse_time(&whole).ok()) else { return };
    let Some(delay) = check_delay(&time, scope, session) else { return };
    let slot = |kind| {
        let slot_idx = node.slots.iter().position(|slot| slot.kind == kind);
        Expr::Slot(SlotId::from_idx(slot_idx.unwrap_or_default()))
    };
    let takes_tick = |rule: &FiringRule| rule.takes.iter().any(|take| take.port == timer.input);
    let ticks = (0_i64..).zip(firing).filter(|(_, rule)| takes_tick(rule)).map(|(rule_idx, _)| rule_idx);
    let ticks: Vec<_> = std::iter::once(-1).chain(ticks).collect();
    let guard = (ticks.len() <= firing.len()).then(|| {
        let is = |rule_idx| {
            Expr::Binary(BinaryOp::Equal, Box::new(slot(SlotKind::Rule)), Box::new(Expr::Int(rule_idx)))
        };
        let or = |one, other| Expr::Binary(BinaryOp::Or, Box::new(one), Box::new(other));
        Code::Expr(ticks.into_iter().map(is).reduce(or).unwrap_or(Expr::Bool(true)))
    });
    let continues =
        matches!(node.unit.on_error, Some(OnError::Continue | OnError::Rules(_))) || node.forwarded.is_some();
    for on_error in [false, true].into_iter().take(1 + usize::from(continues)) {
        let send = Send {
            port: timer.output,
            elements: Vec::new(),
            loops: Vec::new(),
            value: Code::Expr(slot(SlotKind::Count)),
            after: Some(Delay { is_periodic: true, ..delay.clone() }),
        };
        routing.rules.push(RoutingRule {
            sends: vec![send],
            guard: guard.clone(),
            guards_elements: false,
            on_error,
            text: format!("{TIMER_PORT} <- count after {}", whole.as_str().trim()),
            at: timer.at,
        });
    }
}

fn routing_scope(node: &NodeDecl<'_>, firing: &[FiringRule], bodies: &Bodies) -> Scope {
    let mut scope = Scope::default();
    for name in &bodies.inner_lets {
        let help = "`do` binds it in an inner block, but routing rules see what its outermost level binds";
        scope.add(name, Meaning::Nearby(help));
    }
    scope.add_slots(&node.slots, |_| None);
    scope.set_always_bound(|slot| is_always_bound(node, firing, slot));
    if node.error.is_some() {
        scope.add(ERROR_TYPE, Meaning::Hidden(ERROR_HIDDEN));
    }
    for slot in node.slots_of(SlotKind::Bound).filter(|slot| bodies.assigned.contains(&slot.name)) {
        scope.add(&slot.name, Meaning::Script(None));
    }
    for name in &bodies.outer_lets {
        scope.add(name, Meaning::Script(None));
    }
    scope
}

/// Names of routing rules for failed events: neither what the body has bound nor shared objects, as nothing of the body is kept.
fn error_scope(node: &NodeDecl<'_>, firing: &[FiringRule], bodies: &Bodies) -> Scope {
    let mut scope = Scope::default();
    for name in bodies.inner_lets.iter().chain(&bodies.outer_lets) {
        scope.add(name, Meaning::Hidden("the body that binds it has failed"));
    }
    scope.add_slots(&node.slots, |kind| match kind {
        SlotKind::Shared => Some("a failed event keeps nothing of its shared objects"),
        SlotKind::Let => Some("the body that sets it has failed"),
        _ => None,
    });
    scope.set_always_bound(|slot| node.error == Some(slot) || is_always_bound(node, firing, slot));
    scope
}

/// Returns true if a bound name holds a value whichever rule was taken.
fn is_always_bound(node: &NodeDecl<'_>, firing: &[FiringRule], slot: SlotId) -> bool {
    // A start node executes once without any rule.
    node.unit.start.is_none() && firing.iter().all(|rule| rule.takes.iter().any(|take| take.target == slot))
}

fn check_send(
    send: &SendText<'_>,
    scope: &Scope,
    node: &NodeDecl<'_>,
    session: &mut Session<'_>,
) -> Option<Send> {
    let port = find_port(&send.port, &send.elements, Direction::Output, node, session);
    let mut scope = scope.clone();
    let loops = check_loops(&send.loops, &mut scope, node, session);
    let elements: Vec<_> = send.elements.iter().map(|text| check_element(text, &scope, session)).collect();
    let value = session.expression(&send.value, &scope, NameCodes::USUAL)?;
    let port = port?;
    let declared = &node.outputs[port];
    if let Some(found) = value.ty.filter(|found| declared.is_sound && !declared.port.ty.accepts(found)) {
        let message =
            format!("`{}` is a value of type `{found}`, not `{}`", send.value.as_str(), declared.port.ty);
        let mut diagnostic = Diagnostic::error("E0202", message, send.value.at(), "")
            .with_label(declared.port.at, "the port is declared here");
        diagnostic.help = conversion_help(&declared.port.ty, &found);
        session.report(diagnostic);
        return None;
    }
    let after = send.after.as_ref().map(|delay| check_delay(delay, &scope, session));
    let elements: Option<Vec<_>> = elements.into_iter().collect();
    let after = match after {
        Some(after) => Some(after?),
        None => None,
    };
    Some(Send { port, elements: elements?, loops: loops?, value: value.code, after })
}

/// Checks the number of a time.
fn check_delay(delay: &DelayText<'_>, scope: &Scope, session: &mut Session<'_>) -> Option<Delay> {
    constant_time(delay, "a delay", 0, session)?;
    let checked = session.expression(&delay.number, scope, NameCodes::USUAL)?;
    match checked.ty {
        Some(ty) if !matches!(ty, Type::Int | Type::Real | Type::Any) => {
            let message = format!("`{}` is of type `{ty}`, not a number", delay.number.as_str());
            session.error("E0405", message, delay.number.at());
            None
        }
        _ => Some(Delay { number: checked.code, unit: delay.unit, is_periodic: false }),
    }
}

/// Checks an index: a number, or a text, which is a key.
fn check_element(text: &Excerpt<'_>, scope: &Scope, session: &mut Session<'_>) -> Option<Code> {
    if let Some(number) = literal_key(text) {
        return Some(Code::Expr(Expr::Int(number)));
    }
    let checked = session.expression(text, scope, NameCodes::USUAL)?;
    match checked.ty {
        Some(Type::String) => {
            // The text is taken to begin earlier by the length of `key(`, so that errors in it have the right columns.
            let mut at = text.at();
            at.start = at.start.saturating_sub(4);
            at.column = at.column.saturating_sub(4).max(1);
            let call = format!("key({})", text.as_str());
            Some(Code::Script(session.add_script(&call, ScriptKind::Expression, at)))
        }
        Some(ty) if ty != Type::Int => {
            let message = format!("`{}` is of type `{ty}`, not `int` or `string`", text.as_str());
            session.error("E0405", message, text.at());
            None
        }
        _ => Some(checked.code),
    }
}

/// Checks a bound.
fn check_number(text: &Excerpt<'_>, scope: &Scope, session: &mut Session<'_>) -> Option<Code> {
    let checked = session.expression(text, scope, NameCodes::USUAL)?;
    match checked.ty {
        Some(ty) if ty != Type::Int => {
            let message = format!("`{}` is of type `{ty}`, not `int`", text.as_str());
            session.error("E0405", message, text.at());
            None
        }
        _ => Some(checked.code),
    }
}

fn check_loops(
    texts: &[LoopText<'_>],
    scope: &mut Scope,
    node: &NodeDecl<'_>,
    session: &mut Session<'_>,
) -> Option<Vec<Loop<Code>>> {
    let mut loops = Some(Vec::new());
    for (local, text) in (0..).zip(texts) {
        let earlier = texts.iter().take(local as usize).map(|text| text.name.as_str());
        let is_name = check_loop_variable(&text.name, &node.slots, earlier, session);
        let low = match &text.low {
            Some(low) => check_number(low, scope, session),
            None => {
                let message = format!("the loop over `{}` has no first number", text.name.as_str());
                let help =
                    "write both ends, as in `0..n`; only a firing rule can take as many values as there are";
                session.report(Diagnostic::error("E0405", message, text.high.at(), "").with_help(help));
                None
            }
        };
        let high = check_number(&text.high, scope, session);
        scope.add(text.name.as_str(), Meaning::Local(local));
        loops = match (loops, low, high) {
            (Some(mut loops), Some(low), Some(high)) if is_name => {
                let high = if text.is_inclusive { code_behind(high, &text.high, session) } else { high };
                loops.push(Loop { name: text.name.as_str().to_owned(), low, high });
                Some(loops)
            }
            _ => None,
        };
    }
    loops
}

/// The number behind the last one of `..=high`.
fn code_behind(high: Code, text: &Excerpt<'_>, session: &mut Session<'_>) -> Code {
    if let Code::Expr(expr) = high {
        return Code::Expr(behind(expr));
    }
    // The bracket stands in for the character in front of the bound, so that columns stay right.
    let mut at = text.at();
    at.start = at.start.saturating_sub(1);
    at.column = at.column.saturating_sub(1).max(1);
    Code::Script(session.add_script(&format!("({}) + 1", text.as_str()), ScriptKind::Expression, at))
}

/// Checks a guard; tells as well whether it is asked for every element by itself.
fn check_guard(
    text: &Excerpt<'_>,
    parts: &RoutingText<'_>,
    scope: &Scope,
    session: &mut Session<'_>,
) -> Option<(Code, bool)> {
    let mut scope = scope.clone();
    let all_loops = || parts.sends.iter().flat_map(|send| &send.loops);
    for looped in all_loops() {
        let name = looped.name.as_str();
        let place_in = |send: &SendText<'_>| send.loops.iter().position(|other| other.name.as_str() == name);
        let places: Vec<_> = parts.sends.iter().map(place_in).collect();
        let is_one_place = places.windows(2).all(|pair| pair[0] == pair[1]);
        let meaning = match places.first().copied().flatten().and_then(|place| u32::try_from(place).ok()) {
            Some(local) if is_one_place => Meaning::Local(local),
            _ if places.iter().any(Option::is_none) => {
                Meaning::Hidden("not every send of this rule has this loop variable")
            }
            _ => Meaning::Script(Some(Type::Int)),
        };
        scope.add(name, meaning);
    }
    let checked = session.expression(text, &scope, NameCodes { hidden: "E0410", undefined: "E0502" })?;
    let guards_elements =
        all_loops().any(|looped| checked.names.iter().any(|name| name == looped.name.as_str()));
    check_bool(text, checked.ty, session).then_some((checked.code, guards_elements))
}
