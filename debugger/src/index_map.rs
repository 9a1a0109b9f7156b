//! Index maps of arcs: which instance an instance sends to.

use hasse_model::plan::{Arc, BinaryOp, Expr, Pattern};
use hasse_model::value::Value;

/// Whether an arc's index map leads from the index of one instance to that of the other. What cannot be known, such as
/// the element of a port family, is taken to fit.
pub fn maps(arc: &Arc, sender: &[i64], taker: &[i64], params: &[(String, Value)]) -> bool {
    let param = |position: u32| match params.get(position as usize) {
        Some((_, Value::Int(number))) => Some(*number),
        _ => None,
    };
    let mut locals: Vec<Option<i64>> = vec![None; arc.n_locals];
    for (pattern, &number) in arc.source_index.iter().zip(sender) {
        let expected = match *pattern {
            Pattern::Local(local) => locals.get_mut(local as usize).map(|bound| *bound.get_or_insert(number)),
            Pattern::Int(expected) => Some(expected),
            Pattern::Param(position) => param(position),
        };
        if expected.is_some_and(|expected| expected != number) {
            return false;
        }
    }
    let known = |expr: &Expr| evaluate(expr, &locals, &param);
    arc.target_index
        .iter()
        .zip(taker)
        .all(|(expr, &number)| known(expr).is_none_or(|expected| expected == number))
}

/// The value of an integer expression; `None` where it is not known or not a number.
pub(crate) fn evaluate(
    expr: &Expr,
    locals: &[Option<i64>],
    param: &impl Fn(u32) -> Option<i64>,
) -> Option<i64> {
    match expr {
        Expr::Int(number) => Some(*number),
        Expr::Local(local) => locals.get(*local as usize).copied().flatten(),
        Expr::Param(position) => param(*position),
        Expr::Negate(inner) => evaluate(inner, locals, param)?.checked_neg(),
        Expr::Binary(op, left, right) => {
            let (left, right) = (evaluate(left, locals, param)?, evaluate(right, locals, param)?);
            match op {
                BinaryOp::Add => left.checked_add(right),
                BinaryOp::Subtract => left.checked_sub(right),
                BinaryOp::Multiply => left.checked_mul(right),
                BinaryOp::Divide => left.checked_div(right),
                BinaryOp::Remainder => left.checked_rem(right),
                BinaryOp::Equal
                | BinaryOp::NotEqual
                | BinaryOp::Less
                | BinaryOp::LessOrEqual
                | BinaryOp::Greater
                | BinaryOp::GreaterOrEqual
                | BinaryOp::And
                | BinaryOp::Or => None,
            }
        }
        Expr::Bool(_) | Expr::Slot(_) | Expr::Length(_) | Expr::Not(_) => None,
    }
}
