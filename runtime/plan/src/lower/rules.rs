//! Rules of a template as the lane has them.

use std::collections::BTreeSet;
use std::sync::Arc;

use hasse_code::calc::Calc;
use hasse_code::eval::{Scalar, scalar_of};
use hasse_code::reason::{Cause, Reason, Site};
use hasse_model::id::{Index, TemplateId};
use hasse_model::name::{begins_name, is_of_name};
use hasse_model::plan::{Code, Expr, FiringRule, Loop, Plan, RoutingRule, Send, Take, Template};
use hasse_model::value::Type;

use crate::arcs::IndexedWay;
use crate::program::Program;
use crate::rules::{
    LaneExpr, LaneRoute, LaneRule, LaneSend, LaneTake, Receiver, ReceivingPort, SentValue, Way,
};

/// Code that needs no interpreter.
///
/// # Errors
/// The interpreter evaluates it.
fn lowered<'p>(program: &Program<'p>, code: &'p Code) -> Result<LaneExpr<'p>, Cause> {
    match code {
        Code::Expr(expr) => Ok(LaneExpr::Expr(expr)),
        Code::Script(script) => match program.machines.get(script.idx()) {
            Some(Some(machine)) => Ok(LaneExpr::Routine(Arc::clone(machine))),
            _ => Err(Cause::Interpreted(*script)),
        },
    }
}

/// The guard, if there is one.
///
/// # Errors
/// The interpreter evaluates it.
fn lowered_guard<'p>(program: &Program<'p>, code: Option<&'p Code>) -> Result<Option<LaneExpr<'p>>, Cause> {
    code.map(|code| lowered(program, code)).transpose()
}

/// A rule takes at most so many values from a family that its events are served in the fast path.
const MOST_TAKEN: i64 = 1024;

/// A rule that sends to more elements of a family goes through them in a loop.
const MOST_UNROLLED: usize = 64;

/// The number that an expression gives, where that is the same for all events.
fn known_number(expr: &Expr, locals: &[i64], known_slot: &impl Fn(usize) -> Option<Scalar>) -> Option<i64> {
    let expr = Calc::of(expr, known_slot).expr()?;
    match scalar_of(&expr, &|_| None, locals)? {
        Scalar::Int(number) => Some(number),
        Scalar::Bool(_) => None,
    }
}

/// Elements of a family, and positions of their values in an array, if one is bound.
type Elements = (Vec<Index>, Option<Vec<usize>>);

/// The elements that a rule takes from; `None` where they are not the same for all events, or go through loops within
/// loops.
fn family_take(take: &Take, known_slot: &impl Fn(usize) -> Option<Scalar>) -> Option<Elements> {
    let number = |expr: &Expr, locals: &[i64]| known_number(expr, locals, known_slot);
    let element =
        |locals: &[i64]| take.elements.iter().map(|expr| number(expr, locals)).collect::<Option<Index>>();
    if take.is_up_to {
        return None;
    }
    match (&take.loops[..], &take.target_elements[..]) {
        ([], []) => Some((vec![element(&[])?], None)),
        ([range], [target]) => {
            let (low, high) = (number(&range.low, &[])?, number(&range.high, &[])?);
            if !(1..=MOST_TAKEN).contains(&high.checked_sub(low)?) {
                return None;
            }
            let (mut elements, mut targets) = (Vec::new(), Vec::new());
            for nth in low..high {
                let target = number(target, &[nth]).filter(|target| (0..MOST_TAKEN).contains(target))?;
                elements.push(element(&[nth])?);
                targets.push(usize::try_from(target).ok()?);
            }
            let is_distinct = elements.iter().collect::<BTreeSet<_>>().len() == elements.len()
                && targets.iter().collect::<BTreeSet<_>>().len() == targets.len();
            is_distinct.then_some((elements, Some(targets)))
        }
        _ => None,
    }
}

impl<'p> LaneRule<'p> {
    pub(crate) fn of(
        program: &Program<'p>,
        template_id: TemplateId,
        (rule_idx, rule): (usize, &'p FiringRule),
    ) -> Result<Self, Reason> {
        let site = Site::Fire(rule_idx);
        let (template, checked_ports) =
            (program.plan.template(template_id), &program.checked_ports[template_id.idx()]);
        if rule.after.is_some() {
            return Err(site.because(Cause::Timed));
        }
        let known_slot = |slot_idx: usize| program.known_slot(template_id, slot_idx);
        let mut takes: Vec<LaneTake<'p>> = Vec::with_capacity(rule.takes.len());
        for take in &rule.takes {
            let is_plain =
                take.loops.is_empty() && take.elements.is_empty() && take.target_elements.is_empty();
            let unknown = || site.because(Cause::FamilyTaken(take.port));
            if !is_plain && rule.guard.is_some() {
                // The slow path evaluates the guard before the values have come, and it may fail then.
                return Err(site.because(Cause::FamilyGuard(take.port)));
            }
            let (elements, targets) = match is_plain {
                true => (vec![Index::none()], None),
                false => family_take(take, &known_slot).ok_or_else(unknown)?,
            };
            let overlaps =
                |other: &LaneTake<'_>| elements.iter().any(|element| other.elements.contains(element));
            if takes.iter().any(|other| other.port == take.port && overlaps(other)) {
                return Err(site.because(Cause::TakenTwice(take.port)));
            }
            let slot_idx = take.target.idx();
            let ty = &template.slots[slot_idx].ty;
            let taken_ty = match ty {
                Type::Array(item_ty) if targets.is_some() => item_ty,
                ty => ty,
            };
            let is_checked = checked_ports[take.port] && template.inputs[take.port].ty == *taken_ty;
            let is_family = template.inputs[take.port].n_indices > 0;
            takes.push(LaneTake { port: take.port, slot_idx, ty, is_checked, is_family, elements, targets });
        }
        if let Some(first) = takes.first()
            && takes.iter().all(|take| take.elements.is_empty())
        {
            // The slow path reports a rule that takes nothing.
            return Err(site.because(Cause::FamilyTaken(first.port)));
        }
        let guard = lowered_guard(program, rule.guard.as_ref()).map_err(|cause| site.because(cause))?;
        Ok(Self { takes, guard, rule })
    }
}

impl<'p> LaneRoute<'p> {
    pub(crate) fn of(
        program: &Program<'p>,
        template_id: TemplateId,
        (rule_idx, rule): (usize, &'p RoutingRule),
        receivers: &mut Vec<ReceivingPort>,
    ) -> Result<Self, Reason> {
        let reason = |cause| Site::Route(rule_idx).because(cause);
        let known_slot = |slot_idx: usize| program.known_slot(template_id, slot_idx);
        let mut sends = Vec::new();
        for send in &rule.sends {
            let elements = unrolled(send, &known_slot);
            let is_unrolled = elements.is_some();
            for locals in elements.unwrap_or_else(|| vec![Vec::new()]) {
                let loops = if is_unrolled { &[] } else { &send.loops[..] };
                let send = LaneSend::of((program, template_id), (send, loops, locals), receivers);
                sends.push(send.map_err(reason)?);
            }
        }
        Ok(Self { guard: lowered_guard(program, rule.guard.as_ref()).map_err(reason)?, sends, rule })
    }
}

/// For each element of a family to which a rule sends, the numbers of the loops; `None` where they are not known, or are not an
/// element each.
fn unrolled(send: &Send, known_slot: &impl Fn(usize) -> Option<Scalar>) -> Option<Vec<Vec<i64>>> {
    let number = |code: &Code, locals: &[i64]| match code {
        Code::Expr(expr) => known_number(expr, locals, known_slot),
        Code::Script(_) => None,
    };
    let names = |loop_idx: usize| {
        let local = loop_idx as u32;
        send.elements.iter().any(|element| matches!(element, Code::Expr(expr) if names_local(expr, local)))
    };
    if !(0..send.loops.len()).all(names) {
        return None;
    }
    let mut all = vec![Vec::new()];
    for range in &send.loops {
        let mut longer = Vec::new();
        for locals in all {
            for nth in number(&range.low, &locals)?..number(&range.high, &locals)? {
                if longer.len() == MOST_UNROLLED {
                    return None;
                }
                longer.push([&locals[..], &[nth]].concat());
            }
        }
        all = longer;
    }
    Some(all)
}

fn names_local(expr: &Expr, local: u32) -> bool {
    match expr {
        Expr::Local(named) => *named == local,
        Expr::Negate(operand) | Expr::Not(operand) => names_local(operand, local),
        Expr::Binary(_, left, right) => names_local(left, local) || names_local(right, local),
        Expr::Int(_) | Expr::Bool(_) | Expr::Slot(_) | Expr::Length(_) | Expr::Param(_) => false,
    }
}

impl<'p> LaneSend<'p> {
    fn of(
        (program, template_id): (&Program<'p>, TemplateId),
        (send, loops, locals): (&'p Send, &'p [Loop<Code>], Vec<i64>),
        receivers: &mut Vec<ReceivingPort>,
    ) -> Result<Self, Cause> {
        let bounds = match loops {
            [] => None,
            [range] => Some([lowered(program, &range.low)?, lowered(program, &range.high)?]),
            _ => return Err(Cause::NestedLoops),
        };
        Ok(Self {
            port: send.port,
            value: SentValue::of(program, template_id, &send.value)?,
            ty: &program.plan.template(template_id).outputs[send.port].ty,
            bounds,
            elements: send
                .elements
                .iter()
                .map(|element| lowered(program, element))
                .collect::<Result<_, _>>()?,
            ways: ways(program, template_id, (send, &locals), receivers),
            locals,
            indexed: IndexedWay::all(program, template_id, send),
        })
    }
}

impl<'p> SentValue<'p> {
    fn of(program: &Program<'p>, template_id: TemplateId, code: &'p Code) -> Result<Self, Cause> {
        let interpreted = match lowered(program, code) {
            Ok(expr) => return Ok(SentValue::Lowered(expr)),
            Err(interpreted) => interpreted,
        };
        match code {
            Code::Expr(_) => Err(interpreted),
            Code::Script(script) => {
                let name = program.plan.scripts[script.idx()].text.trim();
                let is_name = name.starts_with(begins_name) && name.chars().all(is_of_name);
                let has_lets = program.plan.template(template_id).body_script().is_some();
                (is_name && has_lets).then_some(SentValue::Let(name)).ok_or(interpreted)
            }
        }
    }
}

/// Receivers of the values of a sending, if all its values have the same ones.
fn ways(
    program: &Program<'_>,
    template_id: TemplateId,
    (send, locals): (&Send, &[i64]),
    receivers: &mut Vec<ReceivingPort>,
) -> Option<Vec<Way>> {
    let plan: &Plan = program.plan;
    let is_one = |template: &Template| template.n_indices == 0 && template.graph == plan.main;
    if !is_one(plan.template(template_id)) {
        return None;
    }
    let known_slot = |slot_idx: usize| program.known_slot(template_id, slot_idx);
    let number = |element: &Code| match element {
        Code::Expr(expr) => known_number(expr, locals, &known_slot),
        Code::Script(_) => None,
    };
    let element: Index = send.elements.iter().map(number).collect::<Option<_>>()?;
    let mut ways = Vec::new();
    let arcs = IndexedWay::all(program, template_id, send)?;
    for arc in arcs.iter().filter(|arc| arc.matches(element.as_slice())) {
        let elements = arc.element(element.as_slice())?;
        let (template, port) = (arc.target, arc.port);
        let is_own_element = template == template_id && !arc.is_plain();
        if !is_one(plan.template(template)) || is_own_element {
            return None;
        }
        let receiver = ReceivingPort { template, port, elements };
        let known = receivers.iter().position(|known| *known == receiver);
        let to = match known {
            _ if template == template_id => Receiver::Itself,
            Some(position) => Receiver::Other(position),
            None => {
                receivers.push(receiver);
                Receiver::Other(receivers.len() - 1)
            }
        };
        ways.push(Way { arc: arc.arc, port, to });
    }
    Some(ways).filter(|ways| !ways.is_empty())
}
