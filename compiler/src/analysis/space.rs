//! Which values may be sent, carried along arcs and taken, as systems over parameters, index numbers,
//! vars and loop variables.
//!
//! A set of values is a list of alternatives that together hold at least all of it: vars that change
//! are unknown, and so is all that only Rhai can evaluate. So "no alternative is possible" is proof that
//! nothing of the kind ever happens.

use std::collections::BTreeMap;

use hasse_model::plan::{Code, Expr, Loop, SlotKind};
use hasse_model::value::Type;

use super::affine::Affine;
use super::condition::{Frame, Pool, both};
use super::summary::{GraphSummary, NodeSummary};
use super::system::System;

/// Values along arcs, and back to what creates their senders.
mod follow;

pub(super) use follow::DEPTH;

/// When the rules of a node are looked at.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum When {
    /// Firing rules before the first execution.
    First,
    /// Firing rules at any time.
    Firing,
    /// Routing rules.
    Routing,
}

/// Which rounds of loops are meant.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Rounds {
    /// All of them.
    All,
    /// The first one of every loop.
    First,
    /// The last one of every loop.
    Last,
    /// The one so many behind the first one, from 0, of the only loop.
    Nth(i128),
}

/// Values of one origin.
#[derive(Clone, Debug)]
pub(super) struct Values {
    /// What holds of them.
    pub(super) system: System,
    /// Index of the instance that sends, receives or takes them.
    pub(super) index: Vec<Affine>,
    /// Index of the element of the family.
    pub(super) elements: Vec<Affine>,
}

impl Values {
    /// The conditions under which both are the same element of a port of the same instance.
    pub(super) fn meeting(&self, other: &Self) -> System {
        let mut system = self.system.joined(&other.system);
        let pairs = self.index.iter().zip(&other.index).chain(self.elements.iter().zip(&other.elements));
        pairs.for_each(|(left, right)| system.is_equal(left, right));
        system
    }

    /// Whether they may be the same element of a port of the same instance.
    pub(super) fn may_meet(&self, other: &Self) -> bool {
        !self.meeting(other).is_impossible()
    }
}

/// The values of one graph.
pub(super) struct Space<'g> {
    pub(super) graph: &'g GraphSummary,
    pool: Pool,
    params: Vec<Affine>,
    /// What is known of the parameters.
    known: System,
    /// What creates the instances of a node, by its position and the depth of the way back.
    created: BTreeMap<(usize, usize), Option<Vec<Values>>>,
}

impl<'g> Space<'g> {
    /// The values of a graph.
    pub(super) fn new(graph: &'g GraphSummary) -> Self {
        let (mut pool, mut known) = (Pool::default(), System::default());
        let mut params = Vec::new();
        for param in &graph.params {
            let symbol = pool.fresh();
            if param.ty == Type::Bool {
                is_bool(&symbol, &mut known);
            }
            params.push(symbol);
        }
        Self { graph, pool, params, known, created: BTreeMap::new() }
    }

    /// A frame for arcs: parameters only.
    fn outer_frame(&self) -> Frame {
        Frame { params: self.params.clone(), known: self.known.clone(), ..Frame::default() }
    }

    /// The parameters at their defaults, and those that have one by position.
    pub(super) fn defaults(&mut self) -> (System, Vec<bool>) {
        let mut frame = self.outer_frame();
        let mut system = System::default();
        let mut have_default = Vec::new();
        for (param, symbol) in self.graph.params.iter().zip(&self.params) {
            let default = param.default.as_ref().filter(|_| matches!(param.ty, Type::Int | Type::Bool));
            if let Some(default) = default {
                system.is_equal(symbol, &frame.number(default, &mut self.pool));
            }
            have_default.push(default.is_some());
        }
        (system, have_default)
    }

    /// What the names of a node stand for, and the index of the instance.
    fn frame(&mut self, node: &NodeSummary, when: When) -> (Frame, Vec<Affine>) {
        let mut frame = self.outer_frame();
        let mut index = Vec::new();
        for (slot_idx, slot) in node.slots.iter().enumerate() {
            let var = node.vars.iter().find(|var| var.slot_idx == slot_idx);
            let certain = var.filter(|var| when == When::First || !var.is_assigned);
            let form = match slot.kind {
                SlotKind::Param => self.params.get(slot_idx).cloned(),
                SlotKind::Var => certain
                    .and_then(|var| var.initial.as_ref())
                    .filter(|_| matches!(slot.ty, Type::Int | Type::Bool))
                    .map(|initial| frame.number(initial, &mut self.pool)),
                SlotKind::Count if when == When::First => Some(Affine::number(1)),
                _ => None,
            };
            let form = form.unwrap_or_else(|| self.pool.fresh());
            match slot.kind {
                SlotKind::Index => index.push(form.clone()),
                SlotKind::Count => {
                    let first = if node.start.is_some() && when == When::Firing { 2 } else { 1 };
                    frame.known.is_positive(form.plus_number(-first));
                }
                SlotKind::Rule => {
                    let first = i128::from(node.start.is_none()) - 1;
                    frame.known.is_positive(form.plus_number(-first));
                    frame.known.is_less(&form, &Affine::number(node.fire.len() as i128));
                }
                _ if slot.ty == Type::Bool => is_bool(&form, &mut frame.known),
                _ => {}
            }
            frame.slots.push(form);
            frame.are_slots_bools.push(slot.ty == Type::Bool);
        }
        (frame, index)
    }

    /// Enters loops; `None` where certain rounds are meant and cannot be told.
    fn enter(
        &mut self,
        loops: &[(Option<Expr>, Option<Expr>)],
        rounds: Rounds,
        frame: &mut Frame,
    ) -> Option<()> {
        if matches!(rounds, Rounds::Nth(_)) && loops.len() != 1 {
            return None;
        }
        for (low, high) in loops {
            let low = low.as_ref().map(|low| frame.number(low, &mut self.pool));
            let high = high.as_ref().map(|high| frame.number(high, &mut self.pool));
            let local = match rounds {
                Rounds::All => self.pool.fresh(),
                Rounds::First => low.clone().filter(|_| high.is_some())?,
                Rounds::Last => high.clone().filter(|_| low.is_some())?.plus_number(-1)?,
                Rounds::Nth(behind) => low.clone().filter(|_| high.is_some())?.plus_number(behind)?,
            };
            if let Some(low) = &low {
                frame.known.is_positive(local.plus(low, -1));
            }
            if let Some(high) = &high {
                frame.known.is_less(&local, high);
            }
            frame.locals.push(local);
        }
        Some(())
    }

    fn guard(&mut self, guard: Option<&Code>, frame: &mut Frame) -> Vec<System> {
        match guard {
            Some(Code::Expr(expr)) => frame.alternatives(expr, true, &mut self.pool),
            Some(Code::Script(_)) | None => vec![System::default()],
        }
    }

    /// What one sending of a routing rule sends; `None` where certain rounds are meant and cannot be told.
    pub(super) fn sent(
        &mut self,
        node: &NodeSummary,
        rule_idx: usize,
        send_idx: usize,
        rounds: Rounds,
    ) -> Option<Vec<Values>> {
        let rule = &node.route[rule_idx].rule;
        let send = &rule.sends[send_idx];
        if rounds != Rounds::All && rule.guards_elements && matches!(rule.guard, Some(Code::Script(_))) {
            return None;
        }
        let (mut frame, index) = self.frame(node, When::Routing);
        let loops: Vec<_> = send.loops.iter().map(|looped| (expr(&looped.low), expr(&looped.high))).collect();
        self.enter(&loops, rounds, &mut frame)?;
        let elements: Vec<_> = send
            .elements
            .iter()
            .map(|code| match code {
                Code::Expr(expr) => frame.number(expr, &mut self.pool),
                Code::Script(_) => self.pool.fresh(),
            })
            .collect();
        let guards = self.guard(rule.guard.as_ref(), &mut frame);
        Some(possible(both(&guards, std::slice::from_ref(&frame.known)), &index, &elements))
    }

    /// What one binding of a firing rule takes; `None` where certain rounds are meant and cannot be told.
    pub(super) fn taken(
        &mut self,
        node: &NodeSummary,
        rule_idx: usize,
        take_idx: usize,
        rounds: Rounds,
    ) -> Option<Vec<Values>> {
        let rule = &node.fire[rule_idx].rule;
        let take = &rule.takes[take_idx];
        let (mut frame, index) = self.frame(node, When::Firing);
        let loops: Vec<_> = take.loops.iter().map(bounds).collect();
        self.enter(&loops, rounds, &mut frame)?;
        let elements: Vec<_> = take.elements.iter().map(|expr| frame.number(expr, &mut self.pool)).collect();
        let guards = self.guard(rule.guard.as_ref(), &mut frame);
        Some(possible(both(&guards, std::slice::from_ref(&frame.known)), &index, &elements))
    }

    /// Whether the guard of a firing rule may hold.
    pub(super) fn may_hold(&mut self, node: &NodeSummary, rule_idx: usize, when: When) -> bool {
        let (mut frame, index) = self.frame(node, when);
        let guards = self.guard(node.fire[rule_idx].rule.guard.as_ref(), &mut frame);
        !possible(both(&guards, std::slice::from_ref(&frame.known)), &index, &[]).is_empty()
    }

    /// Whether the guard of a routing rule may hold, for some round of its loops.
    pub(super) fn may_send(&mut self, node: &NodeSummary, rule_idx: usize) -> bool {
        let n_sends = node.route[rule_idx].rule.sends.len();
        (0..n_sends).any(|send_idx| {
            self.sent(node, rule_idx, send_idx, Rounds::All).is_none_or(|values| !values.is_empty())
        })
    }

    /// A form over parameters and numbers as a person would write it: `n - 1`.
    pub(super) fn spelled(&self, form: &Affine) -> Option<String> {
        let mut text = String::new();
        for (symbol, factor) in &form.factors {
            let param_idx = self.params.iter().position(|param| param.factor(*symbol) == 1)?;
            let name = &self.graph.params[param_idx].name;
            let sign = match (text.is_empty(), *factor < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            text.push_str(sign);
            if factor.abs() != 1 {
                text.push_str(&format!("{} * ", factor.abs()));
            }
            text.push_str(name);
        }
        match form.constant {
            0 if !text.is_empty() => {}
            number if text.is_empty() => text = number.to_string(),
            number if number < 0 => text.push_str(&format!(" - {}", number.unsigned_abs())),
            number => text.push_str(&format!(" + {number}")),
        }
        Some(text)
    }
}

/// Positions of the routing rules and sendings that name an output port.
pub(super) fn sends_on(node: &NodeSummary, port_idx: usize) -> Vec<(usize, usize)> {
    let rules = node.route.iter().enumerate();
    let sends = rules.flat_map(|(rule_idx, route)| {
        route.rule.sends.iter().enumerate().map(move |(send_idx, send)| (rule_idx, send_idx, send.port))
    });
    sends.filter(|(.., port)| *port == port_idx).map(|(rule_idx, send_idx, _)| (rule_idx, send_idx)).collect()
}

/// Positions of the firing rules and bindings that name an input port.
pub(super) fn takes_on(node: &NodeSummary, port_idx: usize) -> Vec<(usize, usize)> {
    let rules = node.fire.iter().enumerate();
    let takes = rules.flat_map(|(rule_idx, fire)| {
        fire.rule.takes.iter().enumerate().map(move |(take_idx, take)| (rule_idx, take_idx, take.port))
    });
    takes.filter(|(.., port)| *port == port_idx).map(|(rule_idx, take_idx, _)| (rule_idx, take_idx)).collect()
}

fn is_bool(form: &Affine, known: &mut System) {
    known.is_positive(Some(form.clone()));
    known.is_positive(form.times(-1).and_then(|negated| negated.plus_number(1)));
}

fn expr(code: &Code) -> Option<Expr> {
    match code {
        Code::Expr(expr) => Some(expr.clone()),
        Code::Script(_) => None,
    }
}

fn bounds(looped: &Loop<Expr>) -> (Option<Expr>, Option<Expr>) {
    (Some(looped.low.clone()), Some(looped.high.clone()))
}

fn possible(systems: Vec<System>, index: &[Affine], elements: &[Affine]) -> Vec<Values> {
    systems
        .into_iter()
        .filter(|system| !system.is_impossible())
        .map(|system| Values { system, index: index.to_vec(), elements: elements.to_vec() })
        .collect()
}
