//! Firing and routing rules as the fast path has them.

use std::sync::Arc;

use hasse_code::calc::Calc;
use hasse_model::diagnostic::Location;
use hasse_model::id::{ArcId, Index};
use hasse_model::plan::{Expr, FiringRule, RoutingRule};
use hasse_model::value::Type;
use hasse_routine::Machine;

use crate::plan::arcs::IndexedWay;

/// A firing rule that takes one value from each of some ports and elements of families.
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
    /// True if all that comes to the port has been checked to be of the type, or of that of its items.
    pub(crate) is_checked: bool,
    pub(crate) family: Option<FamilyTake>,
}

/// Elements of a family of ports, from each of which a value is taken.
pub(crate) struct FamilyTake {
    /// In the order of taking.
    pub(crate) elements: Vec<Index>,
    /// Positions of the values in the array that is bound; none where the one value is bound itself.
    pub(crate) targets: Option<Vec<usize>>,
}

impl LaneRule<'_> {
    /// Number of values that it takes.
    pub(crate) fn n_taken(&self) -> usize {
        self.takes.iter().map(|take| take.family.as_ref().map_or(1, |family| family.elements.len())).sum()
    }
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

/// A value that is sent.
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
    /// True if the value is certain to be of the type.
    pub(crate) is_certain: bool,
    pub(crate) ty: &'p Type,
    pub(crate) bounds: Option<[Calc; 2]>,
    pub(crate) elements: Vec<Calc>,
    pub(crate) ways: Option<Vec<Way>>,
    pub(crate) indexed: Option<Vec<IndexedWay>>,
}
