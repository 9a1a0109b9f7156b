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
            Expr::Not(_) | Expr::Length(_) => None,
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number() -> impl Strategy<Value = Expr> {
        let leaf = prop_oneof![(-4_i64..5).prop_map(Expr::Int), (0_u32..3).prop_map(Expr::Local)];
        leaf.prop_recursive(3, 8, 2, |inner| {
            let op = prop_oneof![
                Just(BinaryOp::Add),
                Just(BinaryOp::Subtract),
                Just(BinaryOp::Multiply),
                Just(BinaryOp::Divide),
                Just(BinaryOp::Remainder),
            ];
            (op, inner.clone(), inner)
                .prop_map(|(op, left, right)| Expr::Binary(op, Box::new(left), Box::new(right)))
        })
    }

    fn truth() -> impl Strategy<Value = Expr> {
        let op = prop_oneof![
            Just(BinaryOp::Equal),
            Just(BinaryOp::NotEqual),
            Just(BinaryOp::Less),
            Just(BinaryOp::LessOrEqual),
            Just(BinaryOp::Greater),
            Just(BinaryOp::GreaterOrEqual),
        ];
        let leaf = (op, number(), number())
            .prop_map(|(op, left, right)| Expr::Binary(op, Box::new(left), Box::new(right)));
        leaf.prop_recursive(3, 8, 2, |inner| {
            let op = prop_oneof![
                Just(BinaryOp::And),
                Just(BinaryOp::Or),
                Just(BinaryOp::Equal),
                Just(BinaryOp::NotEqual)
            ];
            prop_oneof![
                inner.clone().prop_map(|operand| Expr::Not(Box::new(operand))),
                (op, inner.clone(), inner).prop_map(|(op, left, right)| Expr::Binary(
                    op,
                    Box::new(left),
                    Box::new(right)
                )),
            ]
        })
    }

    /// The value with the meaning of the run; truth values are 0 and 1, `None` is an error of the event.
    fn evaluate(expr: &Expr, locals: &[i64]) -> Option<i64> {
        let Expr::Binary(op, left, right) = expr else {
            return match expr {
                Expr::Int(number) => Some(*number),
                Expr::Local(local) => Some(locals[*local as usize]),
                Expr::Not(operand) => evaluate(operand, locals).map(|value| 1 - value),
                _ => None,
            };
        };
        let left = evaluate(left, locals)?;
        match (op, left) {
            (BinaryOp::And, 0) => return Some(0),
            (BinaryOp::Or, 1) => return Some(1),
            _ => {}
        }
        let right = evaluate(right, locals)?;
        match op {
            BinaryOp::Add => left.checked_add(right),
            BinaryOp::Subtract => left.checked_sub(right),
            BinaryOp::Multiply => left.checked_mul(right),
            BinaryOp::Divide => left.checked_div(right),
            BinaryOp::Remainder => left.checked_rem(right),
            BinaryOp::Equal => Some(i64::from(left == right)),
            BinaryOp::NotEqual => Some(i64::from(left != right)),
            BinaryOp::Less => Some(i64::from(left < right)),
            BinaryOp::LessOrEqual => Some(i64::from(left <= right)),
            BinaryOp::Greater => Some(i64::from(left > right)),
            BinaryOp::GreaterOrEqual => Some(i64::from(left >= right)),
            BinaryOp::And | BinaryOp::Or => Some(right),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

        /// Where a condition holds, one of its alternatives is possible.
        #[test]
        fn alternatives_hold_where_the_condition_does(
            condition in truth(),
            locals in prop::collection::vec(-6_i64..7, 3),
        ) {
            let Some(value) = evaluate(&condition, &locals) else { return Ok(()) };
            let mut pool = Pool::default();
            let mut frame = Frame::default();
            for _ in 0..locals.len() {
                let local = pool.fresh();
                frame.locals.push(local);
            }
            let alternatives = frame.alternatives(&condition, value == 1, &mut pool);
            let mut point = frame.known.clone();
            for (form, value) in frame.locals.iter().zip(&locals) {
                point.is_equal(form, &Affine::number(i128::from(*value)));
            }
            let is_possible = |system: &System| !system.joined(&point).is_impossible();
            prop_assert!(alternatives.iter().any(is_possible), "{condition:?} {locals:?}");
        }
    }
}
