//! What the lane knows of a template, found out when a program is loaded.

use std::sync::Arc;

use hasse_model::diagnostic::Location;
use hasse_model::id::{ArcId, TemplateId};
use hasse_model::plan::{Code, Expr, FiringRule, Plan, RoutingRule, Send, Target, Template};
use hasse_model::value::{Type, Value};
use hasse_routine::Machine;

use super::arcs::IndexedWay;
use super::calc::{Calc, Leaf};
use crate::capture::Captured;
use crate::eval::Scalar;
use crate::instance::{Core, PortSet, port_bit};
use crate::instrumentation::Instrumentation;
use crate::program::{Layout, Program};

/// Expressions that are run for many events at a time.
mod expression;
/// Templates whose instances wait in the matching store.
mod matching;
/// Events that are as simple as can be.
mod straight;

pub(crate) use matching::{Matching, Test};
pub(crate) use straight::{OwnSend, ScalarTake, SentScalar, Straight, StraightGuard, StraightRoute, bits_of};

/// A template whose events the lane serves.
pub(crate) struct Lane<'p> {
    pub(crate) rules: Vec<LaneRule<'p>>,
    /// The port, where there is one rule that takes a value from it without a guard.
    pub(crate) only_port: Option<usize>,
    /// For each rule the ports that it takes values from, as bits; as if it took none where a new instance is to be
    /// looked at as soon as something comes.
    pub(crate) needs: Vec<PortSet>,
    /// `None` where the interpreter evaluates some of it, or where loops go round within loops.
    pub(crate) routes: Option<Vec<LaneRoute<'p>>>,
    /// Whether the fast path puts values onto the sender's own ports. The slow path puts them into the inbox, and so do others:
    /// the inbox is emptied before the fast path goes on, or what is there would be passed, and might wait for ever.
    pub(crate) sends_to_itself: bool,
    /// Templates to a plain port of whose one instance values go, each once.
    pub(crate) receivers: Vec<(TemplateId, usize)>,
    /// Where no interpreter is needed: how events are served without.
    pub(crate) plain: Option<Plain<'p>>,
    /// Whether a new instance needs nothing but the default values of its vars.
    pub(crate) begins_plainly: bool,
    /// Slots that hold nothing between two events.
    pub(crate) passing: Vec<usize>,
}

/// What serves events without the interpreter.
pub(crate) struct Plain<'p> {
    /// Guards of the firing rules.
    pub(crate) guards: Vec<Option<Calc>>,
    pub(crate) routes: Vec<PlainRoute<'p>>,
    /// Slots of bound names that are to be emptied after each event: others are written by each, and hold numbers or truth
    /// values.
    pub(crate) clears: Vec<usize>,
    /// By firing rule, where all events are as simple as can be; else none.
    pub(crate) straights: Vec<Straight>,
    /// By firing rule, on what its guard depends.
    pub(crate) dependences: Vec<Dependence>,
    /// Where its instances may be entries of the matching store.
    pub(crate) matching: Option<Matching>,
    /// Whether an event can send more than one value: they are to be taken back if it fails.
    pub(crate) is_many: bool,
}

/// On what the guard of a firing rule depends that may change while an instance is served.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dependence {
    /// On nothing, or there is no guard.
    None,
    /// On the number of the execution.
    Count,
    /// On a var, or anything else.
    Other,
}

/// A routing rule.
pub(crate) struct PlainRoute<'p> {
    pub(crate) guard: Option<Calc>,
    pub(crate) guards_elements: bool,
    pub(crate) sends: Vec<PlainSend<'p>>,
    pub(crate) at: Location,
}

/// A sending; the same as in [`LaneSend`].
pub(crate) struct PlainSend<'p> {
    pub(crate) port: usize,
    pub(crate) value: Calc,
    /// The slot whose value is sent, where that is certain to be of the type.
    pub(crate) passed_on: Option<usize>,
    pub(crate) ty: &'p Type,
    pub(crate) bounds: Option<[Calc; 2]>,
    pub(crate) elements: Vec<Calc>,
    pub(crate) ways: Option<Vec<Way>>,
    pub(crate) indexed: Option<Vec<IndexedWay>>,
}

/// A firing rule that takes a value from each of some plain ports.
pub(crate) struct LaneRule<'p> {
    pub(crate) takes: Vec<LaneTake<'p>>,
    pub(crate) guard: Option<LaneExpr<'p>>,
    pub(crate) rule: &'p FiringRule,
}

/// A value that a firing rule takes.
pub(crate) struct LaneTake<'p> {
    pub(crate) port: usize,
    pub(crate) slot_idx: usize,
    pub(crate) ty: &'p Type,
    /// True if all that comes to the port has been checked to be of the type.
    pub(crate) is_checked: bool,
}

/// A routing rule.
pub(crate) struct LaneRoute<'p> {
    pub(crate) guard: Option<LaneExpr<'p>>,
    pub(crate) sends: Vec<LaneSend<'p>>,
    pub(crate) rule: &'p RoutingRule,
}

/// A sending, with one loop at most.
pub(crate) struct LaneSend<'p> {
    pub(crate) port: usize,
    pub(crate) value: SentValue<'p>,
    pub(crate) ty: &'p Type,
    pub(crate) bounds: Option<[LaneExpr<'p>; 2]>,
    pub(crate) elements: Vec<LaneExpr<'p>>,
    /// Where values go; `None` where that depends on index numbers, or is in another graph instance.
    pub(crate) ways: Option<Vec<Way>>,
    /// Where it does, in the same graph instance: where they go then.
    pub(crate) indexed: Option<Vec<IndexedWay>>,
}

/// An expression that needs no interpreter.
#[derive(Clone)]
pub(crate) enum LaneExpr<'p> {
    Expr(&'p Expr),
    Routine(Arc<Machine>),
}

/// What is sent.
pub(crate) enum SentValue<'p> {
    Lowered(LaneExpr<'p>),
    /// What the script of the node has bound by `let` to this name, and still has.
    Let(&'p str),
}

/// An arc to a port that is the same one for all values.
#[derive(Clone, Copy)]
pub(crate) struct Way {
    pub(crate) arc: ArcId,
    pub(crate) port: usize,
    pub(crate) to: Receiver,
}

/// Who receives a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Receiver {
    /// The sender itself.
    Itself,
    /// One of [`Lane::receivers`], by position.
    Other(usize),
}

/// Most values in the default value of a var: the lane makes it without asking for memory.
const MOST_DEFAULT_VALUES: u64 = 10_000;

impl<'p> Lane<'p> {
    /// Where instances may be entries of the matching store.
    pub(crate) fn matching(&self) -> Option<&Matching> {
        self.plain.as_ref()?.matching.as_ref()
    }

    /// `None` where the events of the template need what the lane has not.
    pub(crate) fn of(program: &Program<'p>, template_id: TemplateId) -> Option<Self> {
        let template = program.plan.template(template_id);
        let layout = &program.layouts[template_id.idx()];
        let has_small_defaults =
            |slot_idx: usize| template.slots[slot_idx].ty.n_default_values() <= MOST_DEFAULT_VALUES;
        if layout.captured != Captured::NONE || !layout.vars.clone().all(has_small_defaults) {
            return None;
        }
        let rules = template.fire.iter().map(|rule| LaneRule::of(program, template_id, rule));
        let rules: Vec<_> = rules.collect::<Option<_>>()?;
        let mut receivers = Vec::new();
        let routes = template.route.iter();
        let mut routes: Option<Vec<LaneRoute<'p>>> =
            routes.map(|rule| LaneRoute::of(program, template_id, rule, &mut receivers)).collect();
        // What one event sends must not overtake itself: all of it goes one way or the other.
        let mut sends: Vec<_> = routes.iter_mut().flatten().flat_map(|route| &mut route.sends).collect();
        if sends.iter().any(|send| send.ways.is_none()) {
            sends.iter_mut().for_each(|send| send.ways = None);
            receivers.clear();
        }
        let mut ways = sends.iter().filter_map(|send| send.ways.as_ref()).flatten();
        let sends_to_itself = ways.any(|way| way.to == Receiver::Itself);
        let passing = layout.bound.clone().chain(layout.shared.clone()).chain(layout.lets.clone());
        let only_port = match &rules[..] {
            [LaneRule { takes, guard: None, .. }] if takes.len() == 1 => Some(takes[0].port),
            _ => None,
        };
        let is_plain = template.body.is_none() || program.native_bodies[template_id.idx()].is_some();
        let plain = routes
            .as_deref()
            .filter(|_| is_plain)
            .and_then(|routes| Plain::of(program, template_id, &rules, routes));
        let begins_plainly = begins_plainly(template, layout);
        let ports_of =
            |rule: &LaneRule<'_>| rule.takes.iter().fold(0, |ports, take| ports | port_bit(take.port));
        let needs = if begins_plainly { rules.iter().map(ports_of).collect() } else { vec![0] };
        Some(Self {
            rules,
            only_port,
            needs,
            routes,
            sends_to_itself,
            receivers,
            plain,
            begins_plainly,
            passing: passing.collect(),
        })
    }
}

impl Lane<'_> {
    /// Whether no interpreter is needed, and no firing rule has a guard.
    pub(crate) fn is_plain_and_unguarded(&self) -> bool {
        self.plain.is_some() && self.rules.iter().all(|rule| rule.guard.is_none())
    }
}

impl<'p> Plain<'p> {
    fn of(
        program: &Program<'p>,
        template_id: TemplateId,
        rules: &[LaneRule<'p>],
        routes: &[LaneRoute<'p>],
    ) -> Option<Self> {
        let template = program.plan.template(template_id);
        let layout = &program.layouts[template_id.idx()];
        // Of the main graph there is one instance: its parameters are known.
        let n_known = if template.graph == program.plan.main { layout.params.len() } else { 0 };
        let known = layout.params.start..layout.params.start + n_known;
        let constant = |slot_idx: usize| {
            let held = &program.params[..][known.contains(&slot_idx).then(|| slot_idx - known.start)?];
            let int = held.as_int().map(Scalar::Int);
            int.or_else(|_| held.as_bool().map(Scalar::Bool)).ok()
        };
        let calc = |expr: &LaneExpr<'_>| match expr {
            LaneExpr::Expr(expr) => Calc::of(expr, &constant),
            LaneExpr::Routine(machine) => Calc::Routine(Arc::clone(machine)),
        };
        let mut routes =
            routes.iter().map(|route| PlainRoute::of(route, &calc)).collect::<Option<Vec<_>>>()?;
        for send in routes.iter_mut().flat_map(|route| &mut route.sends) {
            let is_kept = |slot_idx: usize| {
                template.slots[slot_idx].ty == *send.ty
                    && rules.iter().all(|rule| rule.takes.iter().any(|take| take.slot_idx == slot_idx))
                    && program.keeps(template, slot_idx)
            };
            send.passed_on = match send.value {
                Calc::Leaf(Leaf::Slot(slot_idx)) => Some(slot_idx).filter(|&slot_idx| is_kept(slot_idx)),
                _ => None,
            };
        }
        let is_written = |slot_idx: usize| {
            let is_scalar = matches!(template.slots[slot_idx].ty, Type::Int | Type::Real | Type::Bool);
            is_scalar && rules.iter().all(|rule| rule.takes.iter().any(|take| take.slot_idx == slot_idx))
        };
        let mut sends = routes.iter().flat_map(|route| &route.sends);
        let is_lone = |send: &PlainSend<'_>| {
            send.bounds.is_none() && send.ways.as_ref().is_some_and(|ways| ways.len() == 1)
        };
        let straights = rules.iter().enumerate();
        let straights = straights.map(|rule| Straight::of((template, layout), program.tiers, rule, &routes));
        let straights: Vec<Straight> = straights.collect::<Option<_>>().unwrap_or_default();
        let guards: Vec<Option<Calc>> = rules.iter().map(|rule| rule.guard.as_ref().map(calc)).collect();
        let dependence = |guard: &Option<Calc>| {
            let mut found = Dependence::None;
            let mut look = |slot_idx: usize| {
                let is_constant = layout.params.contains(&slot_idx) || layout.indices.contains(&slot_idx);
                found = match found {
                    found if is_constant => found,
                    Dependence::None | Dependence::Count if slot_idx == layout.count => Dependence::Count,
                    _ => Dependence::Other,
                };
            };
            guard.iter().for_each(|guard| guard.each_slot(&mut look));
            found
        };
        let matching = lone_straight(&straights, &guards)
            .and_then(|straight| Matching::of(program, (template_id, template), layout, straight));
        let is_many = !sends.next().is_none_or(is_lone) || sends.next().is_some();
        Some(Self {
            dependences: guards.iter().map(dependence).collect(),
            guards,
            clears: layout.bound.clone().filter(|&slot_idx| !is_written(slot_idx)).collect(),
            straights,
            matching,
            routes,
            is_many,
        })
    }

    /// Straight events by the only firing rule, which has no guard.
    #[inline(always)]
    pub(crate) fn straight(&self) -> Option<&Straight> {
        lone_straight(&self.straights, &self.guards)
    }

    /// Returns true if a firing rule has its values and its guard holds; `None` where that fails.
    #[inline(always)]
    pub(crate) fn is_enabled<M: Instrumentation>(
        &self,
        core: &Core<M>,
        rule: &LaneRule<'_>,
        (rule_idx, values): (usize, &[Value]),
    ) -> Option<bool> {
        if !rule.has_values(core) {
            return Some(false);
        }
        self.guards[rule_idx].as_ref().map_or(Some(true), |guard| guard.holds(values, &[]))
    }
}

#[inline(always)]
fn lone_straight<'l>(straights: &'l [Straight], guards: &[Option<Calc>]) -> Option<&'l Straight> {
    match (straights, guards) {
        ([straight], [None]) => Some(straight),
        _ => None,
    }
}

impl<'p> PlainRoute<'p> {
    /// `None` where a script has what is sent.
    fn of(route: &LaneRoute<'p>, calc: &impl Fn(&LaneExpr<'p>) -> Calc) -> Option<Self> {
        let sends = route.sends.iter().map(|send| {
            let SentValue::Lowered(value) = &send.value else { return None };
            Some(PlainSend {
                port: send.port,
                value: calc(value),
                passed_on: None,
                ty: send.ty,
                bounds: send.bounds.as_ref().map(|bounds| bounds.each_ref().map(calc)),
                elements: send.elements.iter().map(calc).collect(),
                ways: send.ways.clone(),
                indexed: send.indexed.clone(),
            })
        });
        Some(Self {
            guard: route.guard.as_ref().map(calc),
            guards_elements: route.rule.guards_elements,
            sends: sends.collect::<Option<_>>()?,
            at: route.rule.at,
        })
    }
}

fn begins_plainly(template: &Template, layout: &Layout) -> bool {
    let has_defaults = template.var_defaults.iter().any(Option::is_some);
    template.init.is_none() && !has_defaults && layout.shared.is_empty()
}

fn lowered<'p>(program: &Program<'p>, code: &'p Code) -> Option<LaneExpr<'p>> {
    match code {
        Code::Expr(expr) => Some(LaneExpr::Expr(expr)),
        Code::Script(script) => {
            let machine = program.machines.get(script.idx())?.as_ref()?;
            Some(LaneExpr::Routine(Arc::clone(machine)))
        }
    }
}

/// The guard, if there is one; `None` where the interpreter evaluates it.
fn lowered_guard<'p>(program: &Program<'p>, code: Option<&'p Code>) -> Option<Option<LaneExpr<'p>>> {
    code.map_or(Some(None), |code| lowered(program, code).map(Some))
}

impl<'p> LaneRule<'p> {
    fn of(program: &Program<'p>, template_id: TemplateId, rule: &'p FiringRule) -> Option<Self> {
        let (template, checked_ports) =
            (program.plan.template(template_id), &program.checked_ports[template_id.idx()]);
        let mut takes: Vec<LaneTake<'p>> = Vec::with_capacity(rule.takes.len());
        for take in &rule.takes {
            let is_plain =
                take.loops.is_empty() && take.elements.is_empty() && take.target_elements.is_empty();
            let is_only = takes.iter().all(|other| other.port != take.port);
            if !is_plain || !is_only {
                return None;
            }
            let slot_idx = take.target.idx();
            let ty = &template.slots[slot_idx].ty;
            let is_checked = checked_ports[take.port] && template.inputs[take.port].ty == *ty;
            takes.push(LaneTake { port: take.port, slot_idx, ty, is_checked });
        }
        Some(Self { takes, guard: lowered_guard(program, rule.guard.as_ref())?, rule })
    }
}

impl<'p> LaneRoute<'p> {
    fn of(
        program: &Program<'p>,
        template_id: TemplateId,
        rule: &'p RoutingRule,
        receivers: &mut Vec<(TemplateId, usize)>,
    ) -> Option<Self> {
        let sends = rule.sends.iter().map(|send| LaneSend::of(program, template_id, send, receivers));
        Some(Self {
            guard: lowered_guard(program, rule.guard.as_ref())?,
            sends: sends.collect::<Option<_>>()?,
            rule,
        })
    }
}

impl<'p> LaneSend<'p> {
    fn of(
        program: &Program<'p>,
        template_id: TemplateId,
        send: &'p Send,
        receivers: &mut Vec<(TemplateId, usize)>,
    ) -> Option<Self> {
        let bounds = match &send.loops[..] {
            [] => None,
            [range] => Some([lowered(program, &range.low)?, lowered(program, &range.high)?]),
            _ => return None,
        };
        Some(Self {
            port: send.port,
            value: SentValue::of(program, template_id, &send.value)?,
            ty: &program.plan.template(template_id).outputs[send.port].ty,
            bounds,
            elements: send.elements.iter().map(|element| lowered(program, element)).collect::<Option<_>>()?,
            ways: ways(program, template_id, send, receivers),
            indexed: IndexedWay::all(program, template_id, send),
        })
    }
}

impl<'p> SentValue<'p> {
    fn of(program: &Program<'p>, template_id: TemplateId, code: &'p Code) -> Option<Self> {
        if let Some(expr) = lowered(program, code) {
            return Some(SentValue::Lowered(expr));
        }
        match code {
            Code::Expr(_) => None,
            Code::Script(script) => {
                let name = program.plan.scripts[script.idx()].text.trim();
                let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
                    && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_');
                let has_lets = program.plan.template(template_id).body_script().is_some();
                (is_name && has_lets).then_some(SentValue::Let(name))
            }
        }
    }
}

/// Where values go that are sent so, if that is the same for all of them.
fn ways(
    program: &Program<'_>,
    template_id: TemplateId,
    send: &Send,
    receivers: &mut Vec<(TemplateId, usize)>,
) -> Option<Vec<Way>> {
    let plan: &Plan = program.plan;
    let arcs = &program.arcs_from[template_id.idx()][send.port];
    let is_one = |template: &Template| template.n_indices == 0 && template.graph == plan.main;
    if !is_one(plan.template(template_id)) || !send.elements.is_empty() || arcs.is_empty() {
        return None;
    }
    let mut ways = Vec::with_capacity(arcs.len());
    for arc in arcs {
        let Target::Unit(target) = arc.target else { return None };
        if !is_one(plan.template(target)) || !arc.target_elements.is_empty() {
            return None;
        }
        let known = receivers.iter().position(|known| *known == (target, arc.target_port));
        let to = match known {
            _ if target == template_id => Receiver::Itself,
            Some(position) => Receiver::Other(position),
            None => {
                receivers.push((target, arc.target_port));
                Receiver::Other(receivers.len() - 1)
            }
        };
        ways.push(Way { arc: plan.arc_id(arc), port: arc.target_port, to });
    }
    Some(ways)
}
