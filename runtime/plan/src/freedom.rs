//! Freedom: which choices a plan leaves open, found before the run.
//!
//! Values of one action come to an element of a port in the order of sending. An element that only one action
//! can send to leaves therefore nothing to choose. Through an arc comes at most one sender to each element if
//! what the arc writes at its target (the index of the receiver, the index of the element) can be solved for
//! what it reads at its source; a source that is a graph's interface must have this property in turn. For
//! interfaces it is found as a greatest fixpoint, which is sound because the way of a value is finite: by
//! induction on its length no two ways with different beginnings end at one element.
//!
//! Rules that take the same values differ in their guards alone: which of them are enabled is then a
//! function of the action's state. Sources: the definition of a free choice is that of Hyder 1994, section 3.5
//! (choices of firing rules, of senders, of the order at shared objects); the analysis is ours.

use hasse_code::eval;
use hasse_code::eval::Env;
use hasse_model::id::{ArcId, Index, TemplateId};
use hasse_model::plan::{
    Arc, BinaryOp, Code, Expr, FiringRule, Pattern, Plan, Source, Take, Target, Template,
};
use rhai::Dynamic;

/// What a plan leaves open.
#[derive(Debug)]
pub struct Freedom {
    /// By template.
    units: Vec<UnitFreedom>,
}

#[derive(Debug)]
struct UnitFreedom {
    /// By input port: the arcs that lead to it, in the order of the file.
    ports: Vec<Vec<Lane>>,
    /// Whether all firing rules take the same values, guards aside.
    takes_alike: bool,
}

/// An arc that leads to a port.
#[derive(Clone, Debug)]
pub(crate) struct Lane {
    pub(crate) arc: ArcId,
    target_index: Vec<Expr>,
    target_elements: Vec<Expr>,
    /// Whether at most one action can send along it to one element of one receiver.
    pub(crate) has_one_sender: bool,
}

/// Who may have sent the values on an element of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Senders {
    /// One action and no other.
    One,
    /// Several; those that come by this arc are one action, and it is the first arc of the file that can lead
    /// here.
    ManyFirstBy(ArcId),
    /// Several, or one that is not known before it has sent.
    Many,
}

impl Freedom {
    /// Analyses a plan. Time: arcs times formal ports in the worst case, one look at each arc in most plans.
    pub fn of(plan: &Plan) -> Self {
        let interfaces = Interfaces::of(plan);
        let units = (0..plan.templates.len()).map(|template_idx| {
            let template = &plan.templates[template_idx];
            let ports = (0..template.inputs.len()).map(|port| {
                let target = Target::Unit(TemplateId::from_idx(template_idx));
                let arcs = plan.arcs.iter().enumerate();
                let arcs = arcs.filter(|(_, arc)| arc.target == target && arc.target_port == port);
                let lane = |(arc_idx, arc): (usize, &Arc)| Lane {
                    arc: ArcId::from_idx(arc_idx),
                    target_index: arc.target_index.clone(),
                    target_elements: arc.target_elements.clone(),
                    has_one_sender: interfaces.has_one_sender(plan, arc),
                };
                arcs.map(lane).collect()
            });
            UnitFreedom { ports: ports.collect(), takes_alike: takes_alike(template) }
        });
        Self { units: units.collect() }
    }

    /// Who may have sent what is on an element of a port of the instance with this index.
    #[inline]
    pub fn senders(
        &self,
        template: TemplateId,
        port: usize,
        index: &Index,
        elements: &Index,
        params: &[Dynamic],
    ) -> Senders {
        let lanes = &self.units[template.idx()].ports[port];
        if let [only] = &lanes[..] {
            return if only.has_one_sender { Senders::One } else { Senders::Many };
        }
        let mut open = lanes.iter().filter(|lane| lane.may_lead_to(index, elements, params));
        match (open.next(), open.next()) {
            (None, _) => Senders::One,
            (Some(only), None) if only.has_one_sender => Senders::One,
            (Some(first), Some(_)) if first.has_one_sender => Senders::ManyFirstBy(first.arc),
            _ => Senders::Many,
        }
    }

    /// Whether each element of each port has one sender, in every run.
    #[inline]
    pub fn has_one_sender_everywhere(&self) -> bool {
        let is_alone = |lanes: &Vec<Lane>| match &lanes[..] {
            [] => true,
            [only] => only.has_one_sender,
            _ => false,
        };
        self.units.iter().all(|unit| unit.ports.iter().all(is_alone))
    }

    /// Whether all firing rules of a template take the same values.
    #[inline]
    pub fn takes_alike(&self, template: TemplateId) -> bool {
        self.units[template.idx()].takes_alike
    }
}

/// Whether the first execution of an action may fail before a value of a plain port is looked at: its cause is then the value
/// that came first, whoever sent it.
pub fn may_fail_first(template: &Template) -> bool {
    let is_constant = |code: &Code| matches!(code, Code::Expr(Expr::Int(_) | Expr::Bool(_)));
    let is_plain = |take: &Take| take.loops.is_empty() && take.elements.is_empty();
    let may_fail = |rule: &FiringRule| rule.guard.is_some() && !rule.takes.iter().any(is_plain);
    !template.inputs.is_empty()
        && (template.init.is_some()
            || template.var_defaults.iter().flatten().any(|code| !is_constant(code))
            || template.fire.iter().any(may_fail))
}

impl Lane {
    /// Whether the constant parts of the target allow it.
    fn may_lead_to(&self, index: &Index, elements: &Index, params: &[Dynamic]) -> bool {
        let may_be = |(expr, &number): (&Expr, &i64)| {
            has_locals(expr) || eval::eval_int(expr, &Env { frame: None, locals: &[], params }) == Ok(number)
        };
        self.target_index.iter().zip(index.as_slice()).all(may_be)
            && self.target_elements.iter().zip(elements.as_slice()).all(may_be)
    }
}

/// Whether a firing rule may be enabled while no value is there: every value that it takes is one of a
/// replicated binding, whose range may be empty.
pub fn may_fire_without_values(rule: &FiringRule) -> bool {
    rule.takes.iter().all(|take| !take.loops.is_empty() && !take.is_up_to)
}

#[inline]
fn takes_alike(template: &Template) -> bool {
    let taken = |rule: &FiringRule| {
        let each = rule
            .takes
            .iter()
            .map(|take| (take.port, take.elements.clone(), take.loops.clone(), take.is_up_to));
        each.collect::<Vec<_>>()
    };
    template.fire.windows(2).all(|pair| taken(&pair[0]) == taken(&pair[1]))
}

/// For each formal port of each graph, whether at most one action can send to one of its elements.
struct Interfaces {
    /// By graph and formal input port.
    inputs: Vec<Vec<bool>>,
    /// By graph and formal output port.
    outputs: Vec<Vec<bool>>,
}

impl Interfaces {
    fn of(plan: &Plan) -> Self {
        let all = |n_ports: usize| vec![true; n_ports];
        let mut known = Self {
            inputs: plan.graphs.iter().map(|graph| all(graph.inputs.len())).collect(),
            outputs: plan.graphs.iter().map(|graph| all(graph.outputs.len())).collect(),
        };
        while known.narrow(plan) {}
        known
    }

    /// Takes back what does not follow from the rest; returns whether that was anything.
    fn narrow(&mut self, plan: &Plan) -> bool {
        let mut refuted = Vec::new();
        for (call_idx, call) in plan.calls.iter().enumerate() {
            for port in 0..plan.graphs[call.graph.idx()].inputs.len() {
                let mut arcs = plan.arcs.iter().filter(|arc| {
                    arc.target_port == port && matches!(arc.target, Target::Call(to) if to.idx() == call_idx)
                });
                if self.inputs[call.graph.idx()][port] && !self.is_settled(plan, &mut arcs) {
                    refuted.push((true, call.graph.idx(), port));
                }
            }
        }
        for (graph_idx, graph) in plan.graphs.iter().enumerate() {
            for port in 0..graph.outputs.len() {
                let mut arcs = plan.arcs.iter().filter(|arc| {
                    arc.graph.idx() == graph_idx && arc.target_port == port && arc.target == Target::Interface
                });
                if self.outputs[graph_idx][port] && !self.is_settled(plan, &mut arcs) {
                    refuted.push((false, graph_idx, port));
                }
            }
        }
        for &(is_input, graph_idx, port) in &refuted {
            let ports = if is_input { &mut self.inputs } else { &mut self.outputs };
            ports[graph_idx][port] = false;
        }
        !refuted.is_empty()
    }

    /// Whether at most one arc leads there, and along it one sender to each element.
    fn is_settled<'p>(&self, plan: &Plan, arcs: &mut impl Iterator<Item = &'p Arc>) -> bool {
        match (arcs.next(), arcs.next()) {
            (None, _) => true,
            (Some(only), None) => self.has_one_sender(plan, only),
            (Some(_), Some(_)) => false,
        }
    }

    fn has_one_sender(&self, plan: &Plan, arc: &Arc) -> bool {
        let solved = solve(arc);
        let is_known = |pattern: &Pattern| match pattern {
            Pattern::Local(local) => solved[*local as usize],
            Pattern::Int(_) | Pattern::Param(_) => true,
        };
        match arc.source {
            // Of which element of its own it sends makes no difference: it is the same sender.
            Source::Unit(_) => arc.source_index.iter().all(is_known),
            Source::Call(call) => {
                arc.source_index.iter().chain(&arc.source_elements).all(is_known)
                    && self.outputs[plan.call(call).graph.idx()][arc.source_port]
            }
            Source::Interface => {
                arc.source_elements.iter().all(is_known) && self.inputs[arc.graph.idx()][arc.source_port]
            }
        }
    }
}

/// Which variables of an arc follow from what it writes at its target.
fn solve(arc: &Arc) -> Vec<bool> {
    let mut solved = vec![false; arc.n_locals];
    while let Some(local) =
        arc.target_index.iter().chain(&arc.target_elements).find_map(|expr| solvable(expr, &solved))
    {
        solved[local] = true;
    }
    solved
}

/// The one unknown of an expression from whose value it follows. Checked arithmetic does not wrap, so that
/// sums, differences and multiples can be undone.
fn solvable(expr: &Expr, solved: &[bool]) -> Option<usize> {
    match expr {
        Expr::Local(local) => (!solved[*local as usize]).then_some(*local as usize),
        Expr::Negate(inner) => solvable(inner, solved),
        Expr::Binary(BinaryOp::Add | BinaryOp::Subtract, left, right) => {
            if is_known(left, solved) {
                solvable(right, solved)
            } else if is_known(right, solved) {
                solvable(left, solved)
            } else {
                None
            }
        }
        Expr::Binary(BinaryOp::Multiply, left, right) => match (&**left, &**right) {
            (Expr::Int(1..), other) | (other, Expr::Int(1..)) => solvable(other, solved),
            _ => None,
        },
        _ => None,
    }
}

fn is_known(expr: &Expr, solved: &[bool]) -> bool {
    match expr {
        Expr::Local(local) => solved[*local as usize],
        Expr::Int(_) | Expr::Bool(_) | Expr::Param(_) => true,
        Expr::Slot(_) | Expr::Length(_) => false,
        Expr::Negate(inner) | Expr::Not(inner) => is_known(inner, solved),
        Expr::Binary(_, left, right) => is_known(left, solved) && is_known(right, solved),
    }
}

fn has_locals(expr: &Expr) -> bool {
    match expr {
        Expr::Local(_) | Expr::Slot(_) | Expr::Length(_) => true,
        Expr::Int(_) | Expr::Bool(_) | Expr::Param(_) => false,
        Expr::Negate(inner) | Expr::Not(inner) => has_locals(inner),
        Expr::Binary(_, left, right) => has_locals(left) || has_locals(right),
    }
}
