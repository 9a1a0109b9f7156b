//! What the lane knows of a template, found out when a program is loaded.

use std::sync::Arc;

use hasse_model::diagnostic::Location;
use hasse_model::id::{ArcId, TemplateId};
use hasse_model::plan::routine::Kind;
use hasse_model::plan::{Access, Expr, FiringRule, RoutingRule, Template};
use hasse_model::value::Type;
use hasse_routine::Machine;

use crate::code::calc::{Calc, Leaf};
use crate::code::eval::Scalar;
use crate::code::layout::Captured;
use crate::code::layout::Layout;
use crate::plan::arcs::IndexedWay;
use crate::plan::ports::{PortSet, port_bit};
use crate::plan::program::Program;

/// Expressions that are run for many events at a time.
pub(crate) mod expression;
/// Templates whose instances wait in the matching store.
pub(crate) mod matching;
/// Rules.
pub(crate) mod rules;
/// Events that are as simple as can be.
pub(crate) mod straight;

use crate::code::reason::{Cause, Reason, Site, Unmatched};
use crate::plan::lane::matching::Matching;
use crate::plan::lane::straight::Straight;

/// A template whose events the lane serves.
pub(crate) struct Lane<'p> {
    pub(crate) rules: Vec<LaneRule<'p>>,
    /// The port, where there is one rule that takes a value from it without a guard.
    pub(crate) only_port: Option<usize>,
    /// For each rule the ports that it takes values from, as bits; as if it took none where a new instance is to be
    /// looked at as soon as something comes.
    pub(crate) needs: Vec<PortSet>,
    /// Not where the interpreter evaluates some of it, or where loops go round within loops.
    pub(crate) routes: Result<Vec<LaneRoute<'p>>, Reason>,
    /// Whether the fast path puts values onto the sender's own ports. The slow path puts them into the inbox, and so do others:
    /// the inbox is emptied before the fast path goes on, or what is there would be passed, and might wait for ever.
    pub(crate) sends_to_itself: bool,
    /// Templates to a plain port of whose one instance values go, each once.
    pub(crate) receivers: Vec<(TemplateId, usize)>,
    /// Where no interpreter is needed: how events are served without.
    pub(crate) plain: Result<Plain<'p>, Reason>,
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
    /// Why there are none.
    pub(crate) bend: Option<Reason>,
    /// Shared objects that events lock.
    pub(crate) objects: Objects,
    /// By firing rule, on what its guard depends.
    pub(crate) dependences: Vec<Dependence>,
    /// Where its instances may be entries of the matching store.
    pub(crate) matching: Result<Matching, Reason>,
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
    /// On a var, or anything else: a slot.
    Other(usize),
}

/// Shared objects that each event of a template locks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Objects {
    None,
    /// One, which is written and holds a scalar: events that use it are served together.
    Scalar,
    /// One that is written and holds something else.
    Whole(Reason),
    /// The slow path sees to one that is read, and to several.
    General(Reason),
}

impl Objects {
    fn of(template: &Template, layout: &Layout) -> Self {
        match &template.shared[..] {
            [] => Objects::None,
            [one] if one.access == Access::Read => {
                Objects::General(Site::Shared(0).because(Cause::ObjectRead(layout.shared.start)))
            }
            [_] if Kind::of(&template.slots[layout.shared.start].ty).is_some() => Objects::Scalar,
            [_] => Objects::Whole(Site::Shared(0).because(Cause::ObjectType(layout.shared.start))),
            several => Objects::General(Site::Shared(1).because(Cause::ManyObjects(several.len()))),
        }
    }
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
        self.plain.as_ref().ok()?.matching.as_ref().ok()
    }

    /// The lane of a template.
    ///
    /// # Errors
    /// Its events need what the lane has not.
    pub(crate) fn of(program: &Program<'p>, template_id: TemplateId) -> Result<Self, Reason> {
        let template = program.plan.template(template_id);
        let layout = &program.layouts[template_id.idx()];
        let has_large_default =
            |slot_idx: &usize| template.slots[*slot_idx].ty.n_default_values() > MOST_DEFAULT_VALUES;
        if layout.captured != Captured::NONE {
            return Err(Site::Node.because(Cause::Captured));
        }
        if let Some(large) = layout.vars.clone().find(has_large_default) {
            return Err(Site::Node.because(Cause::LargeDefault(large)));
        }
        let rules = template.fire.iter().enumerate();
        let rules = rules.map(|rule| LaneRule::of(program, template_id, rule));
        let rules: Vec<_> = rules.collect::<Result<_, _>>()?;
        let mut receivers = Vec::new();
        let routes = template.route.iter().enumerate();
        let mut routes: Result<Vec<LaneRoute<'p>>, Reason> =
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
        let plain = match &routes {
            Err(reason) => Err(*reason),
            Ok(_) if !is_plain => Err(Site::Body.because(Cause::BodyInterpreted)),
            Ok(routes) => Plain::of(program, template_id, &rules, routes),
        };
        let begins_plainly = begins_plainly(template, layout);
        let ports_of =
            |rule: &LaneRule<'_>| rule.takes.iter().fold(0, |ports, take| ports | port_bit(take.port));
        let needs = if begins_plainly { rules.iter().map(ports_of).collect() } else { vec![0] };
        Ok(Self {
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
        self.plain.is_ok() && self.rules.iter().all(|rule| rule.guard.is_none())
    }
}

impl<'p> Plain<'p> {
    fn of(
        program: &Program<'p>,
        template_id: TemplateId,
        rules: &[LaneRule<'p>],
        routes: &[LaneRoute<'p>],
    ) -> Result<Self, Reason> {
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
        let routes = routes.iter().map(|route| PlainRoute::of(route, &calc));
        let mut routes = routes.collect::<Result<Vec<_>, _>>()?;
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
        let (straights, bend) = match straights.collect::<Result<Vec<Straight>, _>>() {
            Ok(straights) => (straights, None),
            Err(bend) => (Vec::new(), Some(bend)),
        };
        let guards: Vec<Option<Calc>> = rules.iter().map(|rule| rule.guard.as_ref().map(calc)).collect();
        let dependence = |guard: &Option<Calc>| {
            let mut found = Dependence::None;
            let mut look = |slot_idx: usize| {
                let is_constant = layout.params.contains(&slot_idx) || layout.indices.contains(&slot_idx);
                found = match found {
                    found if is_constant => found,
                    Dependence::None | Dependence::Count if slot_idx == layout.count => Dependence::Count,
                    Dependence::Other(_) => found,
                    _ => Dependence::Other(slot_idx),
                };
            };
            guard.iter().for_each(|guard| guard.each_slot(&mut look));
            found
        };
        let unmatched = || Site::Node.because(Cause::Indexed(Unmatched::Rules));
        let matching = lone_straight(&straights, &guards)
            .ok_or_else(unmatched)
            .and_then(|straight| Matching::of(program, (template_id, template), layout, straight));
        let is_many = !sends.next().is_none_or(is_lone) || sends.next().is_some();
        Ok(Self {
            dependences: guards.iter().map(dependence).collect(),
            guards,
            clears: layout.bound.clone().filter(|&slot_idx| !is_written(slot_idx)).collect(),
            straights,
            bend,
            objects: Objects::of(template, layout),
            matching,
            routes,
            is_many,
        })
    }

    /// Why events by a firing rule are served one at a time however many values wait, if they are.
    #[inline]
    pub(crate) fn turn_obstacle(&self, rule_idx: usize) -> Option<Reason> {
        match self.dependences[rule_idx] {
            Dependence::Other(slot_idx) => Some(Site::Fire(rule_idx).because(Cause::GuardLooksAt(slot_idx))),
            _ if self.straights.len() > 1 && !self.straights[rule_idx].own.is_empty() => {
                Some(Site::Node.because(Cause::RulesAndOwn))
            }
            Dependence::None | Dependence::Count => None,
        }
    }

    /// Straight events by the only firing rule, which has no guard.
    #[inline(always)]
    pub(crate) fn straight(&self) -> Option<&Straight> {
        lone_straight(&self.straights, &self.guards)
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
    /// A rule without the interpreter.
    ///
    /// # Errors
    /// A script has what is sent.
    fn of(route: &LaneRoute<'p>, calc: &impl Fn(&LaneExpr<'p>) -> Calc) -> Result<Self, Reason> {
        let sends = route.sends.iter().map(|send| {
            let SentValue::Lowered(value) = &send.value else {
                return Err(Site::Body.because(Cause::BodyInterpreted));
            };
            Ok(PlainSend {
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
        Ok(Self {
            guard: route.guard.as_ref().map(calc),
            guards_elements: route.rule.guards_elements,
            sends: sends.collect::<Result<_, Reason>>()?,
            at: route.rule.at,
        })
    }
}

fn begins_plainly(template: &Template, layout: &Layout) -> bool {
    let has_defaults = template.var_defaults.iter().any(Option::is_some);
    template.init.is_none() && !has_defaults && layout.shared.is_empty()
}
