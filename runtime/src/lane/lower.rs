//! What the lane knows of a template, found out when a program is loaded.

use hasse_model::diagnostic::Location;
use hasse_model::id::{ArcId, TemplateId};
use hasse_model::plan::{Code, Expr, FiringRule, Plan, RoutingRule, Send, Target, Template};
use hasse_model::value::{Type, Value};

use super::arcs::IndexedWay;
use super::calc::{Calc, Leaf};
use crate::capture::Captured;
use crate::eval::Scalar;
use crate::instance::{PortSet, port_bit};
use crate::program::{Layout, Program};

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
    /// Where events are as simple as can be.
    pub(crate) straight: Option<Straight>,
    /// Whether an event can send more than one value: they are to be taken back if it fails.
    pub(crate) is_many: bool,
}

/// Events that take integers by one rule without a guard, run a native body or none, and send integers that stand in
/// names to ports that are the same for all of them.
pub(crate) struct Straight {
    /// Ports and slots.
    pub(crate) takes: Vec<(usize, usize)>,
    pub(crate) routes: Vec<StraightRoute>,
    /// Rules without a guard, as bits.
    pub(crate) always: u64,
    /// Guards, with the bits of their rules.
    pub(crate) guards: Vec<(u64, Calc)>,
    /// Slots of what is sent to plain ports of others, each once.
    pub(crate) sent_slots: Vec<usize>,
    /// Sendings to plain ports of others: bits of the rules, positions in `sent_slots` and in [`Lane::receivers`].
    pub(crate) sends: Vec<(u64, usize, usize)>,
    /// Sendings to the sender: bits of the rules, slots, ports.
    pub(crate) own: Vec<(u64, usize, usize)>,
    /// Whether what an action sends to itself goes to the ports that it takes from.
    pub(crate) sends_to_taken: bool,
    /// Whether every event sends just one value, to others.
    pub(crate) is_mapping: bool,
    /// Whether it takes one value and sends one, and has nothing else to do.
    pub(crate) is_relay: bool,
    /// Rules without a guard.
    pub(crate) always_list: Vec<u32>,
    /// Whether an event can send two values to one port.
    pub(crate) sends_twice: bool,
    /// Whether values go to instances that index numbers tell: all of them do then.
    pub(crate) is_indexed: bool,
    /// Numbers that are sent as they are: they stand behind the slots of names.
    pub(crate) constants: Vec<i64>,
}

/// A routing rule.
pub(crate) struct StraightRoute {
    pub(crate) guard: Option<Calc>,
    /// Slots, and where their values go.
    pub(crate) sends: Vec<(usize, Way)>,
    /// Slots, and where their values go by index numbers.
    pub(crate) indexed: Vec<(usize, Vec<IndexedWay>)>,
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
    pub(crate) ty: &'p Type,
    pub(crate) bounds: Option<[Calc; 2]>,
    pub(crate) elements: Vec<Calc>,
    pub(crate) ways: Option<Vec<Way>>,
    pub(crate) indexed: Option<Vec<IndexedWay>>,
}

/// A firing rule that takes a value from each of some plain ports.
pub(crate) struct LaneRule<'p> {
    pub(crate) takes: Vec<LaneTake<'p>>,
    pub(crate) guard: Option<&'p Expr>,
    pub(crate) rule: &'p FiringRule,
}

/// A value that a firing rule takes.
pub(crate) struct LaneTake<'p> {
    pub(crate) port: usize,
    pub(crate) slot_idx: usize,
    pub(crate) ty: &'p Type,
}

/// A routing rule.
pub(crate) struct LaneRoute<'p> {
    pub(crate) guard: Option<&'p Expr>,
    pub(crate) sends: Vec<LaneSend<'p>>,
    pub(crate) rule: &'p RoutingRule,
}

/// A sending, with one loop at most.
pub(crate) struct LaneSend<'p> {
    pub(crate) port: usize,
    pub(crate) value: &'p Expr,
    pub(crate) ty: &'p Type,
    pub(crate) bounds: Option<[&'p Expr; 2]>,
    pub(crate) elements: Vec<&'p Expr>,
    /// Where values go; `None` where that depends on index numbers, or is in another graph instance.
    pub(crate) ways: Option<Vec<Way>>,
    /// Where it does, in the same graph instance: where they go then.
    pub(crate) indexed: Option<Vec<IndexedWay>>,
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

impl<'p> Lane<'p> {
    /// `None` where the events of the template need what the lane has not.
    pub(crate) fn of(program: &Program<'p>, template_id: TemplateId) -> Option<Self> {
        let template = program.plan.template(template_id);
        let layout = &program.layouts[template_id.idx()];
        if layout.captured != Captured::NONE {
            return None;
        }
        let rules = template.fire.iter().map(|rule| LaneRule::of(template, rule));
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
        let passing = layout.bound.clone().chain(layout.shared.clone()).chain(layout.lets.clone());
        let only_port = match &rules[..] {
            [LaneRule { takes, guard: None, .. }] if takes.len() == 1 => Some(takes[0].port),
            _ => None,
        };
        let is_plain = template.body_script().is_none();
        let plain = routes
            .as_deref()
            .filter(|_| is_plain)
            .map(|routes| Plain::of(program, template_id, &rules, routes));
        let begins_plainly = begins_plainly(template, layout);
        let ports_of =
            |rule: &LaneRule<'_>| rule.takes.iter().fold(0, |ports, take| ports | port_bit(take.port));
        let needs = if begins_plainly { rules.iter().map(ports_of).collect() } else { vec![0] };
        Some(Self {
            rules,
            only_port,
            needs,
            routes,
            receivers,
            plain,
            begins_plainly,
            passing: passing.collect(),
        })
    }
}

impl<'p> Plain<'p> {
    fn of(
        program: &Program<'p>,
        template_id: TemplateId,
        rules: &[LaneRule<'p>],
        routes: &[LaneRoute<'p>],
    ) -> Self {
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
        let calc = |expr: &Expr| Calc::of(expr, &constant);
        let routes: Vec<_> = routes.iter().map(|route| PlainRoute::of(route, &calc)).collect();
        let is_written = |slot_idx: usize| {
            let is_scalar = matches!(template.slots[slot_idx].ty, Type::Int | Type::Real | Type::Bool);
            is_scalar && rules.iter().all(|rule| rule.takes.iter().any(|take| take.slot_idx == slot_idx))
        };
        let mut sends = routes.iter().flat_map(|route| &route.sends);
        let is_lone = |send: &PlainSend<'_>| {
            send.bounds.is_none() && send.ways.as_ref().is_some_and(|ways| ways.len() == 1)
        };
        let straight = Straight::of((template, layout), rules, &routes);
        let is_many = !sends.next().is_none_or(is_lone) || sends.next().is_some();
        Self {
            guards: rules.iter().map(|rule| rule.guard.map(calc)).collect(),
            clears: layout.bound.clone().filter(|&slot_idx| !is_written(slot_idx)).collect(),
            straight,
            routes,
            is_many,
        }
    }
}

/// Most routing rules, and names that are sent, where events are straight: they are noted as bits.
const MAX_STRAIGHT_ROUTES: usize = 64;

impl Straight {
    fn of(
        (template, layout): (&Template, &Layout),
        rules: &[LaneRule<'_>],
        routes: &[PlainRoute<'_>],
    ) -> Option<Self> {
        let [rule] = rules else { return None };
        let is_straight = rule.guard.is_none()
            && rule.takes.iter().all(|take| *take.ty == Type::Int)
            && !rule.takes.is_empty()
            && !template.is_stop
            && routes.len() <= MAX_STRAIGHT_ROUTES;
        let mut constants = Vec::new();
        let mut route = |route: &PlainRoute<'_>| {
            let (mut sends, mut indexed) = (Vec::new(), Vec::new());
            for send in &route.sends {
                let slot_idx = match send.value {
                    Calc::Leaf(Leaf::Slot(slot_idx)) => slot_idx,
                    Calc::Leaf(Leaf::Int(number)) => {
                        constants.push(number);
                        template.slots.len() + constants.len() - 1
                    }
                    _ => return None,
                };
                let is_plain = *send.ty == Type::Int && send.bounds.is_none() && !route.guards_elements;
                match (&send.ways, &send.indexed) {
                    _ if !is_plain => return None,
                    (Some(ways), _) => sends.extend(ways.iter().map(|&way| (slot_idx, way))),
                    (None, Some(ways)) if send.elements.is_empty() => indexed.push((slot_idx, ways.clone())),
                    _ => return None,
                }
            }
            Some(StraightRoute { guard: route.guard.clone(), sends, indexed })
        };
        let routes: Vec<StraightRoute> = routes.iter().map(&mut route).collect::<Option<_>>()?;
        let mut ways = routes.iter().flat_map(|route| &route.sends).map(|(_, way)| way);
        let is_taken =
            |way: &Way| way.to != Receiver::Itself || rule.takes.iter().any(|take| take.port == way.port);
        let sends_to_taken = ways.all(is_taken);
        let takes = rule.takes.iter().map(|take| (take.port, take.slot_idx)).collect();
        let is_indexed = routes.iter().any(|route| !route.indexed.is_empty());
        let sends_twice = routes.iter().enumerate().any(|(rule_idx, route)| {
            let earlier = routes[..rule_idx].iter().flat_map(|route| &route.sends);
            let sends = route.sends.iter().enumerate();
            sends.clone().any(|(send_idx, (_, way))| {
                let before = earlier.clone().chain(&route.sends[..send_idx]);
                before.into_iter().any(|(_, other)| (other.to, other.port) == (way.to, way.port))
            })
        });
        if !is_straight {
            return None;
        }
        let bits = |rule_idx: usize| 1_u64 << rule_idx;
        let with_bits = || routes.iter().enumerate().map(|(rule_idx, route)| (bits(rule_idx), route));
        let guards = with_bits().filter_map(|(bit, route)| Some((bit, route.guard.clone()?)));
        let always =
            with_bits().filter(|(_, route)| route.guard.is_none()).fold(0, |all, (bit, _)| all | bit);
        let (mut sent_slots, mut sends, mut own) = (Vec::new(), Vec::new(), Vec::new());
        for (bit, route) in with_bits() {
            for &(slot_idx, way) in &route.sends {
                let Receiver::Other(position) = way.to else {
                    own.push((bit, slot_idx, way.port));
                    continue;
                };
                let known = sent_slots.iter().position(|&known| known == slot_idx);
                let sent_idx = known.unwrap_or(sent_slots.len());
                if known.is_none() {
                    sent_slots.push(slot_idx);
                }
                sends.push((bit, sent_idx, position));
            }
        }
        if sent_slots.len() > MAX_STRAIGHT_ROUTES {
            return None;
        }
        let guards: Vec<_> = guards.collect();
        let is_mapping =
            guards.is_empty() && own.is_empty() && sent_slots.len() == 1 && !sends_twice && !is_indexed;
        let is_relay = is_mapping
            && sends.len() == 1
            && rule.takes.len() == 1
            && layout.vars.is_empty()
            && layout.indices.is_empty()
            && layout.shared.is_empty();
        Some(Self {
            takes,
            always,
            guards,
            is_mapping,
            is_relay,
            always_list: bits_of(always).collect(),
            sent_slots,
            sends,
            own,
            routes,
            sends_to_taken,
            sends_twice,
            is_indexed,
            constants,
        })
    }

    /// The rules that hold, as bits; `None` where a guard gives no truth value.
    #[inline(always)]
    pub(super) fn routes_for(&self, values: &[Value]) -> Option<u64> {
        let mut routes = self.always;
        for (bit, guard) in &self.guards {
            if guard.holds(values, &[])? {
                routes |= bit;
            }
        }
        Some(routes)
    }

    /// Number of values that an event sends without index numbers by rules, as bits.
    pub(super) fn n_values(&self, routes: u64) -> u64 {
        let bits = self.sends.iter().map(|send| send.0).chain(self.own.iter().map(|send| send.0));
        bits.filter(|bit| routes & bit != 0).count() as u64
    }

    /// Whether a slot is sent by rules.
    #[cold]
    pub(crate) fn must_be_there(&self, slot_idx: usize, routes: u64) -> bool {
        self.sends
            .iter()
            .any(|&(bit, sent_idx, _)| routes & bit != 0 && self.sent_slots[sent_idx] == slot_idx)
    }
}

/// The positions of bits that are set.
pub(crate) fn bits_of(set: u64) -> impl Iterator<Item = u32> {
    let rest = |set: &u64| Some(set & (set - 1)).filter(|&rest| rest != 0);
    std::iter::successors(Some(set).filter(|&set| set != 0), rest).map(u64::trailing_zeros)
}

impl<'p> PlainRoute<'p> {
    fn of(route: &LaneRoute<'p>, calc: &impl Fn(&Expr) -> Calc) -> Self {
        let sends = route.sends.iter().map(|send| PlainSend {
            port: send.port,
            value: calc(send.value),
            ty: send.ty,
            bounds: send.bounds.map(|bounds| bounds.map(calc)),
            elements: send.elements.iter().map(|element| calc(element)).collect(),
            ways: send.ways.clone(),
            indexed: send.indexed.clone(),
        });
        Self {
            guard: route.guard.map(calc),
            guards_elements: route.rule.guards_elements,
            sends: sends.collect(),
            at: route.rule.at,
        }
    }
}

fn begins_plainly(template: &Template, layout: &Layout) -> bool {
    let has_defaults = template.var_defaults.iter().any(Option::is_some);
    template.init.is_none() && !has_defaults && layout.shared.is_empty()
}

fn lowered(code: &Code) -> Option<&Expr> {
    match code {
        Code::Expr(expr) => Some(expr),
        Code::Script(_) => None,
    }
}

/// The guard, if there is one; `None` where the interpreter evaluates it.
fn lowered_guard(code: Option<&Code>) -> Option<Option<&Expr>> {
    code.map_or(Some(None), |code| lowered(code).map(Some))
}

impl<'p> LaneRule<'p> {
    fn of(template: &'p Template, rule: &'p FiringRule) -> Option<Self> {
        let mut takes: Vec<LaneTake<'p>> = Vec::with_capacity(rule.takes.len());
        for take in &rule.takes {
            let is_plain =
                take.loops.is_empty() && take.elements.is_empty() && take.target_elements.is_empty();
            let is_only = takes.iter().all(|other| other.port != take.port);
            if !is_plain || !is_only {
                return None;
            }
            let slot_idx = take.target.idx();
            takes.push(LaneTake { port: take.port, slot_idx, ty: &template.slots[slot_idx].ty });
        }
        Some(Self { takes, guard: lowered_guard(rule.guard.as_ref())?, rule })
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
        Some(Self { guard: lowered_guard(rule.guard.as_ref())?, sends: sends.collect::<Option<_>>()?, rule })
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
            [range] => Some([lowered(&range.low)?, lowered(&range.high)?]),
            _ => return None,
        };
        Some(Self {
            port: send.port,
            value: lowered(&send.value)?,
            ty: &program.plan.template(template_id).outputs[send.port].ty,
            bounds,
            elements: send.elements.iter().map(lowered).collect::<Option<_>>()?,
            ways: ways(program, template_id, send, receivers),
            indexed: IndexedWay::all(program, template_id, send),
        })
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
