//! What plan expressions say as linear conditions: a number becomes an affine form, a truth value a
//! list of systems of which one holds exactly where it is true.
//!
//! What is not linear (`i * j`, `i / n`, a part that only Rhai can evaluate) becomes a symbol of its
//! own, the same one wherever the same expression stands in one frame, so that nothing is concluded
//! from it that does not follow.

use hasse_model::plan::{BinaryOp, Expr};

use super::affine::{Affine, Symbol};
use super::system::System;

/// Most alternatives of one condition; one with more counts as unknown.
const MOST_ALTERNATIVES: usize = 32;

/// Gives symbols that have not been used yet.
#[derive(Debug, Default)]
pub(super) struct Pool {
    next: u32,
}

impl Pool {
    /// A symbol of its own.
    pub(super) fn fresh(&mut self) -> Affine {
        self.next += 1;
        Affine::symbol(Symbol(self.next))
    }
}

/// What the leaves of expressions stand for at one place.
#[derive(Clone, Debug, Default)]
pub(super) struct Frame {
    /// By slot; empty where there is no node.
    pub(super) slots: Vec<Affine>,
    /// Whether the slot is a truth value, by slot.
    pub(super) are_slots_bools: Vec<bool>,
    /// By parameter.
    pub(super) params: Vec<Affine>,
    /// Loop or pattern variables bound so far.
    pub(super) locals: Vec<Affine>,
    /// What is known of the symbols.
    pub(super) known: System,
    /// Expressions that are not linear, and their symbols.
    pub(super) opaque: Vec<(Expr, Affine)>,
}

impl Frame {
    /// The number that an expression is.
    pub(super) fn number(&mut self, expr: &Expr, pool: &mut Pool) -> Affine {
        let form = match expr {
            Expr::Int(number) => Some(Affine::number(i128::from(*number))),
            Expr::Bool(flag) => Some(Affine::number(i128::from(*flag))),
            Expr::Slot(slot) => self.slots.get(slot.idx()).cloned(),
            Expr::Local(local) => self.locals.get(*local as usize).cloned(),
            Expr::Param(param) => self.params.get(*param as usize).cloned(),
            Expr::Negate(operand) => self.number(operand, pool).times(-1),
            Expr::Binary(op, left, right) => self.arithmetic(*op, left, right, pool),
            Expr::Not(_) => None,
        };
        form.unwrap_or_else(|| self.opaque(expr, pool))
    }

    fn arithmetic(&mut self, op: BinaryOp, left: &Expr, right: &Expr, pool: &mut Pool) -> Option<Affine> {
        if !matches!(
            op,
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder
        ) {
            return None;
        }
        let left_form = self.number(left, pool);
        let right_form = self.number(right, pool);
        match op {
            BinaryOp::Add => left_form.plus(&right_form, 1),
            BinaryOp::Subtract => left_form.plus(&right_form, -1),
            BinaryOp::Multiply => match (left_form.as_number(), right_form.as_number()) {
                (Some(scale), _) => right_form.times(scale),
                (_, Some(scale)) => left_form.times(scale),
                _ => None,
            },
            _ => {
                let divisor = right_form.as_number().filter(|divisor| *divisor != 0)?;
                let quotient = match left_form.as_number() {
                    Some(number) => Affine::number(number.checked_div(divisor)?),
                    None => self.quotient(left, right, &left_form, divisor, pool)?,
                };
                if op == BinaryOp::Divide { Some(quotient) } else { left_form.plus(&quotient, -divisor) }
            }
        }
    }

    /// The symbol of `left / right`, of which is known that the remainder is smaller than the divisor.
    fn quotient(
        &mut self,
        left: &Expr,
        right: &Expr,
        form: &Affine,
        divisor: i128,
        pool: &mut Pool,
    ) -> Option<Affine> {
        let expr = Expr::Binary(BinaryOp::Divide, Box::new(left.clone()), Box::new(right.clone()));
        let quotient = self.opaque(&expr, pool);
        let rest = form.plus(&quotient, -divisor)?;
        let largest = divisor.checked_abs()? - 1;
        self.known.is_positive(rest.plus_number(largest));
        self.known.is_positive(rest.times(-1)?.plus_number(largest));
        Some(quotient)
    }

    fn opaque(&mut self, expr: &Expr, pool: &mut Pool) -> Affine {
        if let Some((_, symbol)) = self.opaque.iter().find(|(other, _)| other == expr) {
            return symbol.clone();
        }
        let symbol = pool.fresh();
        self.opaque.push((expr.clone(), symbol.clone()));
        symbol
    }

    /// Systems of which at least one holds where the expression has the truth value `wanted`.
    pub(super) fn alternatives(&mut self, expr: &Expr, wanted: bool, pool: &mut Pool) -> Vec<System> {
        match expr {
            Expr::Bool(flag) => always(*flag == wanted),
            Expr::Not(operand) => self.alternatives(operand, !wanted, pool),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                let left = self.alternatives(left, wanted, pool);
                let right = self.alternatives(right, wanted, pool);
                if (*op == BinaryOp::And) == wanted { both(&left, &right) } else { either(left, right) }
            }
            Expr::Binary(op, left, right) => self.comparison(*op, left, right, wanted, pool),
            Expr::Slot(_) | Expr::Param(_) => {
                let form = self.number(expr, pool);
                let mut system = System::default();
                if wanted {
                    system.is_positive(form.plus_number(-1));
                } else {
                    system.is_positive(form.times(-1));
                }
                vec![system]
            }
            _ => always(true),
        }
    }

    fn comparison(
        &mut self,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
        wanted: bool,
        pool: &mut Pool,
    ) -> Vec<System> {
        let is_equality = matches!(op, BinaryOp::Equal | BinaryOp::NotEqual);
        if is_equality && (self.is_bool(left) || self.is_bool(right)) {
            let same = (op == BinaryOp::Equal) == wanted;
            let (yes, no) = (self.alternatives(left, true, pool), self.alternatives(left, false, pool));
            let (right_yes, right_no) =
                (self.alternatives(right, same, pool), self.alternatives(right, !same, pool));
            return either(both(&yes, &right_yes), both(&no, &right_no));
        }
        let (low, high) = (self.number(left, pool), self.number(right, pool));
        let less = |low: &Affine, high: &Affine| {
            let mut system = System::default();
            system.is_less(low, high);
            system
        };
        let at_most = |low: &Affine, high: &Affine| {
            let mut system = System::default();
            system.is_positive(high.plus(low, -1));
            system
        };
        match (op, wanted) {
            (BinaryOp::Equal, true) | (BinaryOp::NotEqual, false) => {
                let mut system = System::default();
                system.is_equal(&low, &high);
                vec![system]
            }
            (BinaryOp::Equal, false) | (BinaryOp::NotEqual, true) => {
                vec![less(&low, &high), less(&high, &low)]
            }
            (BinaryOp::Less, true) | (BinaryOp::GreaterOrEqual, false) => vec![less(&low, &high)],
            (BinaryOp::Greater, true) | (BinaryOp::LessOrEqual, false) => vec![less(&high, &low)],
            (BinaryOp::LessOrEqual, true) | (BinaryOp::Greater, false) => vec![at_most(&low, &high)],
            (BinaryOp::GreaterOrEqual, true) | (BinaryOp::Less, false) => vec![at_most(&high, &low)],
            _ => always(true),
        }
    }

    fn is_bool(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Bool(_) | Expr::Not(_) => true,
            Expr::Slot(slot) => self.are_slots_bools.get(slot.idx()).copied().unwrap_or(false),
            Expr::Binary(op, ..) => !matches!(
                op,
                BinaryOp::Add
                    | BinaryOp::Subtract
                    | BinaryOp::Multiply
                    | BinaryOp::Divide
                    | BinaryOp::Remainder
            ),
            _ => false,
        }
    }
}

fn always(holds: bool) -> Vec<System> {
    if holds { vec![System::default()] } else { Vec::new() }
}

/// Where one of the left and one of the right systems hold.
pub(super) fn both(left: &[System], right: &[System]) -> Vec<System> {
    if left.len() * right.len() > MOST_ALTERNATIVES {
        // Leaving conditions out only makes less certain.
        return if left.len() <= MOST_ALTERNATIVES { left.to_vec() } else { always(true) };
    }
    left.iter().flat_map(|left| right.iter().map(|right| left.joined(right))).collect()
}

fn either(mut left: Vec<System>, right: Vec<System>) -> Vec<System> {
    left.extend(right);
    if left.len() > MOST_ALTERNATIVES { always(true) } else { left }
}
