//! Rules of a template as the lane has them.

use std::sync::Arc;

use hasse_code::calc::Calc;
use hasse_code::eval::{self, Env, Scalar};
use hasse_code::reason::{Cause, Reason, Site};
use hasse_model::id::{Index, TemplateId};
use hasse_model::plan::{Code, Expr, FiringRule, Plan, RoutingRule, Send, Take, Target, Template};
use hasse_model::value::Type;

use crate::arcs::IndexedWay;
use crate::program::Program;
use crate::rules::{FamilyTake, LaneExpr, LaneRoute, LaneRule, LaneSend, LaneTake, Receiver, SentValue, Way};

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

/// The elements that a rule takes from; `None` where they are not the same for all events, or go through loops within
/// loops.
fn family_take(take: &Take, known_slot: &impl Fn(usize) -> Option<Scalar>) -> Option<FamilyTake> {
    let number = |expr: &Expr, locals: &[i64]| {
        let expr = Calc::of(expr, known_slot).expr()?;
        eval::eval_int(&expr, &Env { frame: None, locals, params: &[] }).ok()
    };
    let element =
        |locals: &[i64]| take.elements.iter().map(|expr| number(expr, locals)).collect::<Option<Index>>();
    match (&take.loops[..], &take.target_elements[..]) {
        ([], []) => Some(FamilyTake { elements: vec![element(&[])?], targets: None }),
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
            let mut distinct = elements.clone();
            distinct.sort_unstable();
            distinct.dedup();
            (distinct.len() == elements.len()).then_some(FamilyTake { elements, targets: Some(targets) })
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
        let known_slot = |slot_idx: usize| program.known_slot(template_id, slot_idx);
        let mut takes: Vec<LaneTake<'p>> = Vec::with_capacity(rule.takes.len());
        for take in &rule.takes {
            let is_plain =
                take.loops.is_empty() && take.elements.is_empty() && take.target_elements.is_empty();
            let unknown = || site.because(Cause::FamilyTaken(take.port));
            if !is_plain && rule.guard.is_some() {
                // The slow path evaluates the guard before the values have come, and it may fail then.
                return Err(unknown());
            }
            let family = match is_plain {
                true => None,
                false => Some(family_take(take, &known_slot).ok_or_else(unknown)?),
            };
            let overlaps = |other: &LaneTake<'_>| match (&other.family, &family) {
                (Some(other), Some(family)) => {
                    family.elements.iter().any(|element| other.elements.contains(element))
                }
                _ => true,
            };
            if takes.iter().any(|other| other.port == take.port && overlaps(other)) {
                return Err(site.because(Cause::TakenTwice(take.port)));
            }
            let slot_idx = take.target.idx();
            let ty = &template.slots[slot_idx].ty;
            let is_array = family.as_ref().is_some_and(|family| family.targets.is_some());
            let item_ty = match ty {
                Type::Array(item_ty) if is_array => item_ty,
                ty => ty,
            };
            let is_checked = checked_ports[take.port] && template.inputs[take.port].ty == *item_ty;
            if is_array && !is_checked {
                return Err(unknown());
            }
            takes.push(LaneTake { port: take.port, slot_idx, ty, is_checked, family });
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
        receivers: &mut Vec<(TemplateId, usize)>,
    ) -> Result<Self, Reason> {
        let reason = |cause| Site::Route(rule_idx).because(cause);
        let sends = rule.sends.iter().map(|send| LaneSend::of(program, template_id, send, receivers));
        Ok(Self {
            guard: lowered_guard(program, rule.guard.as_ref()).map_err(reason)?,
            sends: sends.collect::<Result<_, _>>().map_err(reason)?,
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
    ) -> Result<Self, Cause> {
        let bounds = match &send.loops[..] {
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
            ways: ways(program, template_id, send, receivers),
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
                let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
                    && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_');
                let has_lets = program.plan.template(template_id).body_script().is_some();
                (is_name && has_lets).then_some(SentValue::Let(name)).ok_or(interpreted)
            }
        }
    }
}

/// Receivers of the values that a rule sends, if all its values have the same ones.
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
