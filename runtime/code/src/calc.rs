//! Lowered expressions as the lane evaluates them: what is constant is worked out once, and comparisons of names and
//! numbers, which most guards are made of, need no walk over a tree.

use std::sync::Arc;

use hasse_model::id::SlotId;
use hasse_model::plan::routine::Place;
use hasse_model::plan::{BinaryOp, Expr};
use hasse_model::value::{Type, Value};
use hasse_routine::Machine;

use crate::eval::{Scalar, apply, compare, scalar_of};
use crate::routines;

/// An expression.
#[derive(Clone)]
pub enum Calc {
    /// A name or a constant.
    Leaf(Leaf),
    /// A comparison.
    Compare(BinaryOp, Term, Term),
    /// Truth values that must all hold; they are looked at in order.
    All(Vec<Calc>),
    /// Any other one.
    Other(Expr),
    /// One that is more than integers and truth values.
    Routine(Arc<Machine>),
}

/// What is compared.
#[derive(Clone, Copy)]
pub enum Term {
    /// A name or a constant.
    Leaf(Leaf),
    /// An operation on two of them.
    Of(BinaryOp, Leaf, Leaf),
}

/// What is known without a calculation.
#[derive(Clone, Copy)]
pub enum Leaf {
    /// An integer.
    Int(i64),
    /// A truth value.
    Bool(bool),
    /// The value of a slot.
    Slot(usize),
    /// A number of a loop or an arc, by position.
    Local(usize),
}

impl Calc {
    /// An expression, of which `constant` knows some slots.
    #[inline]
    pub fn of(expr: &Expr, constant: &impl Fn(usize) -> Option<Scalar>) -> Self {
        Self::of_folded(folded(expr, constant))
    }

    #[inline]
    fn of_folded(expr: Expr) -> Self {
        if let Some(leaf) = Leaf::of(&expr) {
            return Calc::Leaf(leaf);
        }
        match expr {
            Expr::Binary(BinaryOp::And, left, right) => {
                let mut parts = Vec::new();
                for part in [*left, *right] {
                    match Self::of_folded(part) {
                        Calc::All(inner) => parts.extend(inner),
                        other => parts.push(other),
                    }
                }
                Calc::All(parts)
            }
            Expr::Binary(op, left, right) => match (compare(op, 0, 0), Term::of(&left), Term::of(&right)) {
                (Some(_), Some(left), Some(right)) => Calc::Compare(op, left, right),
                _ => Calc::Other(Expr::Binary(op, left, right)),
            },
            other => Calc::Other(other),
        }
    }
}

impl Calc {
    /// The expression; `None` where it is a routine.
    #[inline]
    pub fn expr(&self) -> Option<Expr> {
        Some(match self {
            Calc::Leaf(leaf) => leaf.expr(),
            Calc::Compare(op, left, right) => binary(*op, left.expr(), right.expr()),
            Calc::All(parts) => {
                let parts: Option<Vec<Expr>> = parts.iter().map(Self::expr).collect();
                parts?.into_iter().reduce(|left, right| binary(BinaryOp::And, left, right))?
            }
            Calc::Other(expr) => expr.clone(),
            Calc::Routine(_) => return None,
        })
    }

    /// Returns true if it is one comparison or several that must all hold.
    #[inline]
    pub fn is_of_comparisons(&self) -> bool {
        match self {
            Calc::Compare(..) => true,
            Calc::All(parts) => parts.iter().all(|part| matches!(part, Calc::Compare(..))),
            Calc::Leaf(_) | Calc::Other(_) | Calc::Routine(_) => false,
        }
    }

    /// Shows the slots that it looks at.
    #[inline]
    pub fn each_slot(&self, look: &mut impl FnMut(usize)) {
        match self {
            Calc::Leaf(leaf) => leaf.each_slot(look),
            Calc::Compare(_, left, right) => {
                for term in [left, right] {
                    match term {
                        Term::Leaf(leaf) => leaf.each_slot(look),
                        Term::Of(_, left, right) => {
                            [left, right].iter().for_each(|leaf| leaf.each_slot(look))
                        }
                    }
                }
            }
            Calc::All(parts) => parts.iter().for_each(|part| part.each_slot(look)),
            Calc::Other(expr) => each_slot(expr, look),
            Calc::Routine(machine) => {
                let routine = machine.routine();
                for input in &routine.inputs {
                    if let Place::Slot(slot) = input.place {
                        look(slot.idx());
                    }
                }
                routine.objects.iter().for_each(|object| look(object.slot.idx()));
            }
        }
    }
}

#[inline]
fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::Binary(op, Box::new(left), Box::new(right))
}

/// Shows the slots that an expression names, by position.
#[inline]
pub fn each_slot(expr: &Expr, look: &mut impl FnMut(usize)) {
    match expr {
        Expr::Slot(slot) | Expr::Length(slot) => look(slot.idx()),
        Expr::Negate(operand) | Expr::Not(operand) => each_slot(operand, look),
        Expr::Binary(_, left, right) => [left, right].iter().for_each(|side| each_slot(side, look)),
        Expr::Int(_) | Expr::Bool(_) | Expr::Local(_) | Expr::Param(_) => {}
    }
}

impl Term {
    #[inline]
    fn expr(self) -> Expr {
        match self {
            Term::Leaf(leaf) => leaf.expr(),
            Term::Of(op, left, right) => binary(op, left.expr(), right.expr()),
        }
    }

    #[inline]
    fn of(expr: &Expr) -> Option<Self> {
        match expr {
            Expr::Binary(op, left, right) if is_arithmetic(*op) => {
                Some(Term::Of(*op, Leaf::of(left)?, Leaf::of(right)?))
            }
            other => Leaf::of(other).map(Term::Leaf),
        }
    }
}

#[inline]
fn is_arithmetic(op: BinaryOp) -> bool {
    use BinaryOp::{Add, Divide, Multiply, Remainder, Subtract};
    matches!(op, Add | Subtract | Multiply | Divide | Remainder)
}

impl Leaf {
    #[inline]
    fn expr(self) -> Expr {
        match self {
            Leaf::Int(number) => Expr::Int(number),
            Leaf::Bool(flag) => Expr::Bool(flag),
            Leaf::Slot(slot_idx) => Expr::Slot(SlotId::from_idx(slot_idx)),
            Leaf::Local(local) => Expr::Local(local as u32),
        }
    }

    #[inline]
    fn each_slot(self, look: &mut impl FnMut(usize)) {
        if let Leaf::Slot(slot_idx) = self {
            look(slot_idx);
        }
    }

    #[inline]
    fn of(expr: &Expr) -> Option<Self> {
        match expr {
            Expr::Int(number) => Some(Leaf::Int(*number)),
            Expr::Bool(flag) => Some(Leaf::Bool(*flag)),
            Expr::Slot(slot) => Some(Leaf::Slot(slot.idx())),
            Expr::Local(local) => Some(Leaf::Local(*local as usize)),
            _ => None,
        }
    }
}

/// The expression with numbers in place of what is constant. What cannot be calculated stays: it is an error when it is
/// evaluated.
#[inline]
fn folded(expr: &Expr, constant: &impl Fn(usize) -> Option<Scalar>) -> Expr {
    let inner = |expr: &Expr| Box::new(folded(expr, constant));
    let expr = match expr {
        Expr::Slot(slot) => match constant(slot.idx()) {
            Some(scalar) => constant_expr(scalar),
            None => expr.clone(),
        },
        Expr::Negate(operand) => Expr::Negate(inner(operand)),
        Expr::Not(operand) => Expr::Not(inner(operand)),
        Expr::Binary(op, left, right) => Expr::Binary(*op, inner(left), inner(right)),
        other => other.clone(),
    };
    let is_constant = match &expr {
        Expr::Negate(operand) | Expr::Not(operand) => is_constant(operand),
        Expr::Binary(_, left, right) => is_constant(left) && is_constant(right),
        _ => false,
    };
    match is_constant.then(|| scalar_of(&expr, &|_| None, &[])).flatten() {
        Some(scalar) => constant_expr(scalar),
        None => expr,
    }
}

#[inline]
fn is_constant(expr: &Expr) -> bool {
    matches!(expr, Expr::Int(_) | Expr::Bool(_))
}

#[inline]
fn constant_expr(scalar: Scalar) -> Expr {
    match scalar {
        Scalar::Int(number) => Expr::Int(number),
        Scalar::Bool(flag) => Expr::Bool(flag),
    }
}

impl Calc {
    /// What an expression gives, as a value of the type; `None` where it gives no such value as it is.
    #[inline]
    pub fn value(&self, values: &[Value], locals: &[i64], ty: &Type) -> Option<Value> {
        let value = match self {
            Calc::Leaf(Leaf::Slot(slot_idx)) => values.get(*slot_idx)?.clone(),
            Calc::Routine(machine) => routines::evaluate_on_values(machine, values, locals)?,
            _ => match self.scalar(values, locals)? {
                Scalar::Int(number) => Value::Int(number),
                Scalar::Bool(flag) => Value::Bool(flag),
            },
        };
        match (ty, value) {
            (Type::Real, Value::Int(number)) => Some(Value::Real(number as f64)),
            (ty, value) => ty.fits(&value).then_some(value),
        }
    }

    /// What an expression gives that must be a truth value.
    #[inline]
    pub fn holds(&self, values: &[Value], locals: &[i64]) -> Option<bool> {
        if let Calc::Routine(machine) = self {
            return match routines::evaluate_on_values(machine, values, locals)? {
                Value::Bool(flag) => Some(flag),
                _ => None,
            };
        }
        self.holds_where(&|slot| scalar_in(values, slot), locals)
    }

    /// The same, with what names stand for.
    #[inline(always)]
    pub fn holds_where(&self, scalar_at: &impl Fn(SlotId) -> Option<Scalar>, locals: &[i64]) -> Option<bool> {
        let compared = |calc: &Self| match calc {
            Calc::Compare(op, left, right) => {
                compare(*op, left.int(scalar_at, locals)?, right.int(scalar_at, locals)?)
            }
            _ => None,
        };
        let Calc::All(parts) = self else {
            return compared(self).or_else(|| self.holds_otherwise(scalar_at, locals));
        };
        for part in parts {
            if !compared(part).or_else(|| part.holds_otherwise(scalar_at, locals))? {
                return Some(false);
            }
        }
        Some(true)
    }

    #[inline(never)]
    fn holds_otherwise(&self, scalar_at: &impl Fn(SlotId) -> Option<Scalar>, locals: &[i64]) -> Option<bool> {
        match self.scalar_where(scalar_at, locals)? {
            Scalar::Bool(flag) => Some(flag),
            Scalar::Int(_) => None,
        }
    }

    /// What an expression gives that must be an integer.
    #[inline]
    pub fn int(&self, values: &[Value], locals: &[i64]) -> Option<i64> {
        match self.scalar(values, locals)? {
            Scalar::Int(number) => Some(number),
            Scalar::Bool(_) => None,
        }
    }

    #[inline]
    fn scalar(&self, values: &[Value], locals: &[i64]) -> Option<Scalar> {
        match self {
            Calc::Leaf(leaf) => leaf.scalar(&|slot| scalar_in(values, slot), locals),
            Calc::Routine(machine) => match routines::evaluate_on_values(machine, values, locals)? {
                Value::Int(number) => Some(Scalar::Int(number)),
                Value::Bool(flag) => Some(Scalar::Bool(flag)),
                _ => None,
            },
            _ => self.scalar_where(&|slot| scalar_in(values, slot), locals),
        }
    }

    #[inline]
    fn scalar_where(&self, scalar_at: &impl Fn(SlotId) -> Option<Scalar>, locals: &[i64]) -> Option<Scalar> {
        match self {
            Calc::Leaf(leaf) => leaf.scalar(scalar_at, locals),
            Calc::Compare(op, left, right) => {
                apply(*op, left.scalar(scalar_at, locals)?, right.scalar(scalar_at, locals)?)
            }
            Calc::All(parts) => {
                for part in parts {
                    if !part.holds_where(scalar_at, locals)? {
                        return Some(Scalar::Bool(false));
                    }
                }
                Some(Scalar::Bool(true))
            }
            Calc::Other(expr) => scalar_of(expr, scalar_at, locals),
            // Where only integers and truth values are at hand.
            Calc::Routine(_) => None,
        }
    }
}

/// A number or a truth value that stands in a slot.
#[inline(always)]
fn scalar_in(values: &[Value], slot: SlotId) -> Option<Scalar> {
    match values.get(slot.idx())? {
        Value::Int(number) => Some(Scalar::Int(*number)),
        Value::Bool(flag) => Some(Scalar::Bool(*flag)),
        _ => None,
    }
}

impl Term {
    #[inline(always)]
    fn scalar(&self, scalar_at: &impl Fn(SlotId) -> Option<Scalar>, locals: &[i64]) -> Option<Scalar> {
        match self {
            Term::Leaf(leaf) => leaf.scalar(scalar_at, locals),
            Term::Of(op, left, right) => {
                apply(*op, left.scalar(scalar_at, locals)?, right.scalar(scalar_at, locals)?)
            }
        }
    }

    /// The integer that it stands for.
    #[inline(always)]
    fn int(&self, scalar_at: &impl Fn(SlotId) -> Option<Scalar>, locals: &[i64]) -> Option<i64> {
        match self.scalar(scalar_at, locals)? {
            Scalar::Int(number) => Some(number),
            Scalar::Bool(_) => None,
        }
    }
}

impl Leaf {
    #[inline(always)]
    fn scalar(self, scalar_at: &impl Fn(SlotId) -> Option<Scalar>, locals: &[i64]) -> Option<Scalar> {
        match self {
            Leaf::Int(number) => Some(Scalar::Int(number)),
            Leaf::Bool(flag) => Some(Scalar::Bool(flag)),
            Leaf::Local(local) => locals.get(local).map(|number| Scalar::Int(*number)),
            Leaf::Slot(slot_idx) => scalar_at(SlotId::from_idx(slot_idx)),
        }
    }
}

/// Orders of two integers, as bits: the first is less, they are equal, it is greater.
#[inline]
pub fn orders_of(op: BinaryOp) -> Option<u8> {
    Some(match op {
        BinaryOp::Less => 0b001,
        BinaryOp::LessOrEqual => 0b011,
        BinaryOp::Equal => 0b010,
        BinaryOp::NotEqual => 0b101,
        BinaryOp::GreaterOrEqual => 0b110,
        BinaryOp::Greater => 0b100,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const OPS: [BinaryOp; 13] = [
        BinaryOp::Add,
        BinaryOp::Subtract,
        BinaryOp::Multiply,
        BinaryOp::Divide,
        BinaryOp::Remainder,
        BinaryOp::Equal,
        BinaryOp::NotEqual,
        BinaryOp::Less,
        BinaryOp::LessOrEqual,
        BinaryOp::Greater,
        BinaryOp::GreaterOrEqual,
        BinaryOp::And,
        BinaryOp::Or,
    ];

    fn exprs() -> impl Strategy<Value = Expr> {
        let leaf = prop_oneof![
            prop_oneof![-3..4_i64, Just(i64::MAX)].prop_map(Expr::Int),
            any::<bool>().prop_map(Expr::Bool),
            (0..4_usize).prop_map(|slot_idx| Expr::Slot(SlotId::from_idx(slot_idx))),
            (0..2_u32).prop_map(Expr::Local),
        ];
        leaf.prop_recursive(4, 24, 2, |inner| {
            let two = (0..OPS.len(), inner.clone(), inner.clone());
            prop_oneof![
                6 => two.prop_map(|(op, left, right)| Expr::Binary(OPS[op], Box::new(left), Box::new(right))),
                1 => inner.clone().prop_map(|inner| Expr::Negate(Box::new(inner))),
                1 => inner.prop_map(|inner| Expr::Not(Box::new(inner))),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5000))]

        /// Also where some slots are known beforehand.
        #[test]
        fn it_gives_what_the_expression_gives(expr in exprs(), number in -3..4_i64, flag in any::<bool>()) {
            // The last slot holds what is neither.
            let values = [Value::Int(number), Value::Bool(flag), Value::Int(2), Value::Real(0.5)];
            let at = |slot_idx: usize| match values[slot_idx] {
                Value::Int(number) => Some(Scalar::Int(number)),
                Value::Bool(flag) => Some(Scalar::Bool(flag)),
                _ => None,
            };
            let expected = scalar_of(&expr, &|slot| at(slot.idx()), &[7]);
            let known = |slot_idx: usize| if slot_idx < 2 { at(slot_idx) } else { None };
            for calc in [Calc::of(&expr, &|_| None), Calc::of(&expr, &known)] {
                prop_assert_eq!(calc.scalar(&values, &[7]), expected);
                let flag = expected.and_then(|scalar| if let Scalar::Bool(flag) = scalar { Some(flag) } else { None });
                prop_assert_eq!(calc.holds(&values, &[7]), flag);
                let number = expected.and_then(|scalar| if let Scalar::Int(number) = scalar { Some(number) } else { None });
                prop_assert_eq!(calc.int(&values, &[7]), number);
            }
        }
    }
}
