//! Firing and routing rules as the fast path has them.

use std::sync::Arc;

use hasse_code::calc::Calc;
use hasse_model::diagnostic::Location;
use hasse_model::id::{ArcId, Index, TemplateId};
use hasse_model::plan::{Expr, FiringRule, RoutingRule};
use hasse_model::value::Type;
use hasse_routine::Machine;

use crate::arcs::IndexedWay;

/// A firing rule that takes one value from each of some ports and elements of families.
pub struct LaneRule<'p> {
    /// Values that it takes, in the order of the rule.
    pub takes: Vec<LaneTake<'p>>,
    /// The guard, if there is one.
    pub guard: Option<LaneExpr<'p>>,
    /// The rule in the plan.
    pub rule: &'p FiringRule,
}

/// A value that a firing rule takes.
pub struct LaneTake<'p> {
    /// Input port, by position.
    pub port: usize,
    /// Slot of the name that the value is bound to.
    pub slot_idx: usize,
    /// Type of that slot.
    pub ty: &'p Type,
    /// True if all that comes to the port has been checked to be of the type, or of that of its items.
    pub is_checked: bool,
    /// True if the port is a family.
    pub is_family: bool,
    /// Elements from each of which a value is taken, in the order of taking; one without numbers for a plain port.
    pub elements: Vec<Index>,
    /// Positions of the values in the array that is bound; none where the one value is bound itself.
    pub targets: Option<Vec<usize>>,
}

impl LaneTake<'_> {
    /// The type of each value that is taken.
    #[inline]
    pub fn taken_type(&self) -> &Type {
        match self.ty {
            Type::Array(item) if self.targets.is_some() => item,
            ty => ty,
        }
    }

    /// Returns true if the name is certain to hold a value of its type.
    pub(crate) fn is_of_type(&self) -> bool {
        self.targets.is_none() || self.is_checked
    }
}

impl LaneRule<'_> {
    /// Number of values that it takes.
    #[inline]
    pub fn n_taken(&self) -> usize {
        self.takes.iter().map(|take| take.elements.len()).sum()
    }
}

/// A routing rule.
pub struct LaneRoute<'p> {
    /// The guard, if there is one.
    pub guard: Option<LaneExpr<'p>>,
    /// Sends of the rule, in its order.
    pub sends: Vec<LaneSend<'p>>,
    /// The rule in the plan.
    pub rule: &'p RoutingRule,
}

/// A sending, with one loop at most. One to elements of a family that are known is a sending for each element.
pub struct LaneSend<'p> {
    /// Output port, by position.
    pub port: usize,
    /// Value that is sent.
    pub value: SentValue<'p>,
    /// Type of the output port.
    pub ty: &'p Type,
    /// Lower and upper bound of the loop, if there is one.
    pub bounds: Option<[LaneExpr<'p>; 2]>,
    /// Numbers of the loops of the rule, of a sending to one of the elements that they go through.
    pub locals: Vec<i64>,
    /// Index numbers of the element of the output port.
    pub elements: Vec<LaneExpr<'p>>,
    /// Destinations of values; `None` where that depends on an instance, or is in another graph instance.
    pub ways: Option<Vec<Way>>,
    /// Where it does, in the same graph instance: where they go then.
    pub(crate) indexed: Option<Vec<IndexedWay>>,
}

/// An expression that needs no interpreter.
#[derive(Clone)]
pub enum LaneExpr<'p> {
    /// An expression of the plan.
    Expr(&'p Expr),
    /// A routine that a script was lowered to.
    Routine(Arc<Machine>),
}

/// A value that is sent.
pub enum SentValue<'p> {
    /// Value of an expression.
    Lowered(LaneExpr<'p>),
    /// Name that the script of the node has bound by `let`.
    Let(&'p str),
}

/// A port of the one instance of a template.
#[derive(Clone, PartialEq, Eq)]
pub struct ReceivingPort {
    /// Template of the instance.
    pub template: TemplateId,
    /// Input port, by position.
    pub port: usize,
    /// Element of a family of ports; else none.
    pub elements: Index,
}

/// An arc to a port that is the same one for all values.
#[derive(Clone, Copy)]
pub struct Way {
    /// The arc.
    pub arc: ArcId,
    /// Input port of the receiver, by position.
    pub port: usize,
    /// The receiver.
    pub to: Receiver,
}

/// Receiver of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Receiver {
    /// The sender itself.
    Itself,
    /// One of [`Lane::receivers`](crate::lane::Lane::receivers), by position.
    Other(usize),
}

/// A routing rule.
pub struct PlainRoute<'p> {
    /// The guard, if there is one.
    pub guard: Option<Calc>,
    /// True if the guard names a loop variable, and is evaluated for each element.
    pub guards_elements: bool,
    /// Sends of the rule, in its order.
    pub sends: Vec<PlainSend<'p>>,
    /// Location of the rule in the program file.
    pub at: Location,
}

/// A sending; the same as in [`LaneSend`].
pub struct PlainSend<'p> {
    /// Output port, by position.
    pub port: usize,
    /// Value that is sent.
    pub value: Calc,
    /// The slot whose value is sent, where that is certain to be of the type.
    pub passed_on: Option<usize>,
    /// True if the value is certain to be of the type.
    pub(crate) is_certain: bool,
    /// Type of the output port.
    pub ty: &'p Type,
    /// Lower and upper bound of the loop, if there is one.
    pub bounds: Option<[Calc; 2]>,
    /// Numbers of the loops of the rule, of a sending to one of the elements that they go through.
    pub locals: Vec<i64>,
    /// Index numbers of the element of the output port.
    pub elements: Vec<Calc>,
    /// Receivers, if they are the same for all values.
    pub ways: Option<Vec<Way>>,
    /// Arcs to indexed instances, if index numbers tell the receivers.
    pub indexed: Option<Vec<IndexedWay>>,
}
