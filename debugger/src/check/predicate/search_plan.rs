//! A predicate ready to be searched for.

use super::condition::Ready;
use super::formula::Quantifier;
use super::relation::{Relation, VarId};
use super::store::Keep;
use crate::check::resolve::Target;

/// A predicate that can be evaluated.
#[derive(Debug)]
pub(super) struct Lowered {
    pub(super) quantifier: Quantifier,
    pub(super) vars: Vec<Var>,
    /// Variables of the quantifier at the top.
    pub(super) top: Vec<VarId>,
    /// What makes a combination count: what stands behind `where`, and for `never` and `exists` behind `:`.
    pub(super) guard: Vec<Part>,
    /// What makes one that counts a violation of `forall`.
    pub(super) rest: Vec<Part>,
    /// For each variable at the top, how the others are tried when an event comes for it; empty for one that is
    /// never the last to come.
    pub(super) starts: Vec<Vec<Level>>,
    pub(super) conditions: Vec<Ready>,
}

/// An event variable.
#[derive(Debug)]
pub(super) struct Var {
    pub(super) target: Target,
    /// What must be true of an event by itself for it to be looked at.
    pub(super) own: Vec<Form>,
    pub(super) keep: Keep,
    /// Whether its actions need slots in the clocks.
    pub(super) needs_slot: bool,
    /// Whether it is looked for by what it is an immediate predecessor to.
    pub(super) needs_successors: bool,
    /// Whether an event that can have no further immediate successors no longer matters.
    pub(super) is_spent_without_successors: bool,
}

/// A part of a conjunction.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) form: Form,
    /// Variables in it that it does not bind.
    pub(super) free: Vec<VarId>,
}

/// A formula in which only order, conditions and inner quantifiers are negated.
#[derive(Debug)]
pub(super) enum Form {
    Constant(bool),
    Order(VarId, Relation, VarId),
    Condition(usize),
    Not(Box<Form>),
    And(Vec<Form>),
    Or(Vec<Form>),
    Exists(Box<Block>),
}

/// An inner `exists`.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) vars: Vec<VarId>,
    pub(super) parts: Vec<Part>,
    /// What does not speak of its variables.
    pub(super) outer: Vec<usize>,
    pub(super) levels: Vec<Level>,
    /// Whether all its events are in the past of others, so that no later one can be one of them.
    pub(super) is_bounded: bool,
}

/// A step of the search: a variable, where it is looked for, and what is known when it stands for an event.
#[derive(Debug)]
pub(super) struct Level {
    pub(super) var: VarId,
    /// Orders to variables that stand for events already; whether the new variable is on the left.
    pub(super) orders: Vec<(bool, Relation, VarId)>,
    /// Positions of the parts that can be evaluated then.
    pub(super) checks: Vec<usize>,
    /// Whether it stands for earlier events than the one that has come.
    pub(super) is_earlier: bool,
}
