//! Lowering of templates for the fast path, with the reason where one cannot be lowered.

use std::sync::Arc;

use hasse_code::calc::{Calc, Leaf, each_slot};
use hasse_code::layout::{Captured, Layout};
use hasse_code::reason::{Cause, Reason, Site};
use hasse_model::id::TemplateId;
use hasse_model::plan::routine::Kind;
use hasse_model::plan::{Access, Code, Template};
use hasse_model::value::Type;

use crate::items::Items;
use crate::lane::{Dependence, Lane, Objects, Plain, RuleTurns, begins_plainly, lone_straight};
use crate::matching::Matching;
use crate::ports::port_bit;
use crate::program::Program;
use crate::resolve::with_locals;
use crate::rules::{LaneExpr, LaneRoute, LaneRule, LaneTake, PlainRoute, PlainSend, Receiver, SentValue};
use crate::straight::Straight;

/// Arcs to instances that index numbers of the sender tell.
pub(crate) mod arcs;
/// Templates whose instances may be entries of the matching store.
pub(crate) mod matching;
/// Firing and routing rules.
pub(crate) mod rules;

/// Most values in the default value of a var: the lane makes it without asking for memory.
const MOST_DEFAULT_VALUES: u64 = 10_000;

impl Objects {
    pub(crate) fn of(template: &Template, layout: &Layout) -> Self {
        match &template.shared[..] {
            [] => Objects::None,
            [one] if one.access == Access::Read => Objects::Read,
            [_] if Kind::of(&template.slots[layout.shared.start].ty).is_some() => Objects::Scalar,
            [_] => Objects::Whole(Site::Shared(0).because(Cause::ObjectType(layout.shared.start))),
            several => Objects::General(Site::Shared(1).because(Cause::ManyObjects(several.len()))),
        }
    }
}

impl<'p> Lane<'p> {
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
        if template.on_error.needs_savepoint() && !needs_no_savepoint(template, layout) {
            return Err(Site::Node.because(Cause::HandlesErrors));
        }
        if template.may_wait {
            return Err(Site::Body.because(Cause::MayWait));
        }
        if program.bounded.fails(template_id) {
            return Err(Site::Node.because(Cause::FailsFull));
        }
        if program.delays_values[template_id.idx()] {
            return Err(Site::Node.because(Cause::DelaysValues));
        }
        if let Some(large) = layout.vars.clone().find(has_large_default) {
            return Err(Site::Node.because(Cause::LargeDefault(large)));
        }
        let rules = template.fire.iter().enumerate();
        let rules = rules.map(|rule| LaneRule::of(program, template_id, rule));
        let rules: Vec<_> = rules.collect::<Result<_, _>>()?;
        let mut receivers = Vec::new();
        let routes = template.route.iter().enumerate().filter(|(_, rule)| !rule.on_error);
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
        let most_sent = routes.as_ref().ok().and_then(|routes| most_sent(routes, receivers.len()));
        let passing = layout.bound.clone().chain(layout.shared.clone()).chain(layout.lets.clone());
        let only_port = match &rules[..] {
            [LaneRule { takes, guard: None, .. }] if takes.len() == 1 && !takes[0].is_family => {
                Some(takes[0].port)
            }
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
            most_sent,
            plain,
            begins_plainly,
            passing: passing.collect(),
        })
    }
}

/// Returns true if nothing has to be saved to roll back failed events: the node has no vars, retries no body, and its rules for failed
/// events read nothing that the body may have changed.
fn needs_no_savepoint(template: &Template, layout: &Layout) -> bool {
    let policy = &template.on_error;
    let is_unchanged = |slot_idx: usize| {
        policy.slot.is_some_and(|slot| slot.idx() == slot_idx)
            || !(layout.bound.contains(&slot_idx) || layout.lets.contains(&slot_idx))
    };
    let reads_unchanged = |code: &Code| match code {
        Code::Expr(expr) => {
            let mut all_unchanged = true;
            each_slot(expr, &mut |slot_idx| all_unchanged &= is_unchanged(slot_idx));
            all_unchanged
        }
        Code::Script(_) => false,
    };
    let mut rules = template.route.iter().filter(|rule| rule.on_error);
    layout.vars.is_empty() && policy.retry.is_none() && rules.all(|rule| rule.codes().all(reads_unchanged))
}

/// The most values that an event sends to each receiver; `None` where a loop sends, or receivers depend on the instance.
fn most_sent(routes: &[LaneRoute<'_>], n_receivers: usize) -> Option<Vec<usize>> {
    let mut most = vec![0; n_receivers];
    for send in routes.iter().flat_map(|route| &route.sends) {
        if send.bounds.is_some() {
            return None;
        }
        for way in send.ways.as_ref()? {
            match way.to {
                Receiver::Other(receiver) => most[receiver] += 1,
                Receiver::Itself => {}
            }
        }
    }
    Some(most)
}

impl<'p> Plain<'p> {
    pub(crate) fn of(
        program: &Program<'p>,
        template_id: TemplateId,
        rules: &[LaneRule<'p>],
        routes: &[LaneRoute<'p>],
    ) -> Result<Self, Reason> {
        let template = program.plan.template(template_id);
        let layout = &program.layouts[template_id.idx()];
        let constant = |slot_idx: usize| program.known_slot(template_id, slot_idx);
        let calc = |expr: &LaneExpr<'_>| match expr {
            LaneExpr::Expr(expr) => Calc::of(expr, &constant),
            LaneExpr::Routine(machine) => Calc::Routine(Arc::clone(machine)),
        };
        let unrolled = |expr: &LaneExpr<'_>, locals: &[i64]| match expr {
            LaneExpr::Expr(expr) => Calc::of(&with_locals(expr, locals), &constant),
            LaneExpr::Routine(_) => calc(expr),
        };
        let routes = routes.iter().map(|route| PlainRoute::of(route, &unrolled));
        let mut routes = routes.collect::<Result<Vec<_>, _>>()?;
        for send in routes.iter_mut().flat_map(|route| &mut route.sends) {
            let takes_of = |slot_idx: usize| {
                rules.iter().map(move |rule| rule.takes.iter().find(move |take| take.slot_idx == slot_idx))
            };
            let is_kept = |slot_idx: usize| {
                template.slots[slot_idx].ty == *send.ty
                    && takes_of(slot_idx).all(|take| take.is_some_and(LaneTake::is_of_type))
                    && program.keeps(template, slot_idx)
            };
            let slot_idx = match send.value {
                Calc::Leaf(Leaf::Slot(slot_idx)) => Some(slot_idx),
                _ => None,
            };
            send.passed_on = slot_idx.filter(|&slot_idx| is_kept(slot_idx));
            // What is computed is made to fit.
            send.is_certain = slot_idx.is_none_or(|slot_idx| {
                layout.bound.contains(&slot_idx)
                    && template.slots[slot_idx].ty == *send.ty
                    && takes_of(slot_idx).flatten().all(LaneTake::is_of_type)
                    && program.keeps_type(template, slot_idx)
            });
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
        let keeps = |slot_idx| program.keeps(template, slot_idx);
        let items = Items::of(template, layout, rules, keeps, constant);
        let straights =
            straights.map(|rule| Straight::of((template, layout), program.tiers, rule, &routes, &items));
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
        let matching = lone_straight(&straights, &guards)
            .and_then(|straight| Matching::of(program, (template_id, template), layout, straight));
        let is_many = !sends.next().is_none_or(is_lone) || sends.next().is_some();
        let dependences: Vec<Dependence> = guards.iter().map(dependence).collect();
        let turns = RuleTurns::of(template, &straights, (&guards, &dependences), program.tiers);
        Ok(Self {
            dependences,
            turns,
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
}

impl<'p> PlainRoute<'p> {
    /// A rule without the interpreter.
    ///
    /// # Errors
    /// A script has what is sent.
    pub(crate) fn of(
        route: &LaneRoute<'p>,
        calc: &impl Fn(&LaneExpr<'p>, &[i64]) -> Calc,
    ) -> Result<Self, Reason> {
        let sends = route.sends.iter().map(|send| {
            let SentValue::Lowered(value) = &send.value else {
                return Err(Site::Body.because(Cause::BodyInterpreted));
            };
            Ok(PlainSend {
                port: send.port,
                value: calc(value, &send.locals),
                passed_on: None,
                is_certain: false,
                ty: send.ty,
                bounds: send.bounds.as_ref().map(|bounds| bounds.each_ref().map(|bound| calc(bound, &[]))),
                locals: send.locals.clone(),
                elements: send.elements.iter().map(|element| calc(element, &send.locals)).collect(),
                ways: send.ways.clone(),
                indexed: send.indexed.clone(),
            })
        });
        Ok(Self {
            guard: route.guard.as_ref().map(|guard| calc(guard, &[])),
            guards_elements: route.rule.guards_elements,
            sends: sends.collect::<Result<_, Reason>>()?,
            at: route.rule.at,
        })
    }
}
