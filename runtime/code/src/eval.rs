//! Evaluates lowered expressions without the interpreter, with the interpreter's meaning.

use hasse_body::convert::VectorValue;
use hasse_model::id::SlotId;
use hasse_model::plan::{BinaryOp, Expr, Pattern};
use rhai::Dynamic;

use crate::frame::Frame;

/// What the names of an expression stand for.
#[derive(Clone, Copy)]
pub struct Env<'a> {
    /// The scope of a template; `None` for arcs, share lines and initial values.
    pub frame: Option<&'a Frame>,
    /// Loop, pattern or index variables.
    pub locals: &'a [i64],
    /// Creation parameters.
    pub params: &'a [Dynamic],
}

/// An integer or a truth value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    /// An integer.
    Int(i64),
    /// A truth value.
    Bool(bool),
}

/// The value of an expression.
#[inline]
pub fn eval(expr: &Expr, env: &Env) -> Result<Dynamic, String> {
    match expr {
        Expr::Slot(_) | Expr::Param(_) => name(expr, env).cloned(),
        _ => Ok(match scalar(expr, env)? {
            Scalar::Int(number) => Dynamic::from_int(number),
            Scalar::Bool(flag) => Dynamic::from_bool(flag),
        }),
    }
}

/// The value of an expression that must be an integer.
#[inline]
pub fn eval_int(expr: &Expr, env: &Env) -> Result<i64, String> {
    match scalar(expr, env)? {
        Scalar::Int(number) => Ok(number),
        Scalar::Bool(_) => Err("an integer is needed here, not a truth value".to_owned()),
    }
}

/// The value of an expression that must be a truth value.
#[inline]
pub fn eval_bool(expr: &Expr, env: &Env) -> Result<bool, String> {
    match scalar(expr, env)? {
        Scalar::Bool(flag) => Ok(flag),
        Scalar::Int(_) => Err("a truth value is needed here, not an integer".to_owned()),
    }
}

/// Matches index numbers against the patterns of an arc or share line; binds `locals`.
#[inline]
pub fn matches(
    patterns: &[Pattern],
    numbers: &[i64],
    params: &[Dynamic],
    locals: &mut [Option<i64>],
) -> bool {
    patterns.len() == numbers.len()
        && patterns.iter().zip(numbers).all(|(pattern, &number)| match *pattern {
            Pattern::Int(expected) => number == expected,
            Pattern::Param(param) => params[param as usize].as_int() == Ok(number),
            Pattern::Local(local) => *locals[local as usize].get_or_insert(number) == number,
        })
}

#[inline]
fn name<'a>(expr: &Expr, env: &Env<'a>) -> Result<&'a Dynamic, String> {
    match expr {
        Expr::Slot(slot) => {
            env.frame.map(|frame| frame.get(*slot)).ok_or_else(|| "there is no scope here".to_owned())
        }
        Expr::Param(param) => {
            env.params.get(*param as usize).ok_or_else(|| "a later parameter has no value yet".to_owned())
        }
        _ => Err("this is not a name".to_owned()),
    }
}

#[inline]
fn scalar(expr: &Expr, env: &Env) -> Result<Scalar, String> {
    match expr {
        Expr::Int(number) => Ok(Scalar::Int(*number)),
        Expr::Bool(flag) => Ok(Scalar::Bool(*flag)),
        Expr::Local(local) => Ok(Scalar::Int(env.locals[*local as usize])),
        Expr::Slot(_) | Expr::Param(_) => {
            let held = name(expr, env)?;
            if let Ok(number) = held.as_int() {
                Ok(Scalar::Int(number))
            } else if let Ok(flag) = held.as_bool() {
                Ok(Scalar::Bool(flag))
            } else {
                Err(format!("an int or bool is needed here, not a {}", held.type_name()))
            }
        }
        Expr::Length(slot) => {
            let held = name(&Expr::Slot(*slot), env)?;
            let n_items = length(held)
                .ok_or_else(|| format!("an array or a vector is needed here, not a {}", held.type_name()))?;
            Ok(Scalar::Int(n_items as i64))
        }
        Expr::Negate(operand) => {
            let number = eval_int(operand, env)?;
            number.checked_neg().map(Scalar::Int).ok_or_else(|| format!("-({number}) overflows"))
        }
        Expr::Not(operand) => Ok(Scalar::Bool(!eval_bool(operand, env)?)),
        Expr::Binary(BinaryOp::And, left, right) => {
            Ok(Scalar::Bool(eval_bool(left, env)? && eval_bool(right, env)?))
        }
        Expr::Binary(BinaryOp::Or, left, right) => {
            Ok(Scalar::Bool(eval_bool(left, env)? || eval_bool(right, env)?))
        }
        Expr::Binary(op, left, right) => binary(*op, scalar(left, env)?, scalar(right, env)?),
    }
}

/// Number of items of an array or a vector.
#[inline]
pub fn length(held: &Dynamic) -> Option<usize> {
    match held.as_array_ref() {
        Ok(items) => Some(items.len()),
        Err(_) => held.read_lock::<VectorValue>().map(|vector| vector.0.len()),
    }
}

#[inline]
fn binary(op: BinaryOp, left: Scalar, right: Scalar) -> Result<Scalar, String> {
    apply(op, left, right).ok_or_else(|| match (op, left, right) {
        (BinaryOp::Divide | BinaryOp::Remainder, Scalar::Int(left), Scalar::Int(0)) => {
            format!("{left} is divided by zero")
        }
        (_, Scalar::Int(left), Scalar::Int(right)) => {
            format!("the operation on {left} and {right} overflows")
        }
        _ => "an integer is needed here, not a truth value".to_owned(),
    })
}

/// The value of an operation that looks at both sides; `None` where it has none.
#[inline]
pub fn apply(op: BinaryOp, left: Scalar, right: Scalar) -> Option<Scalar> {
    let (left, right) = match (op, left, right) {
        (_, Scalar::Int(left), Scalar::Int(right)) => (left, right),
        (BinaryOp::Equal, _, _) => return Some(Scalar::Bool(left == right)),
        (BinaryOp::NotEqual, _, _) => return Some(Scalar::Bool(left != right)),
        _ => return None,
    };
    if let Some(flag) = compare(op, left, right) {
        return Some(Scalar::Bool(flag));
    }
    let number = match op {
        BinaryOp::Add => left.checked_add(right),
        BinaryOp::Subtract => left.checked_sub(right),
        BinaryOp::Multiply => left.checked_mul(right),
        BinaryOp::Divide => left.checked_div(right),
        BinaryOp::Remainder => left.checked_rem(right),
        _ => None,
    };
    number.map(Scalar::Int)
}

/// Whether a comparison of integers holds; `None` for other operations.
#[inline(always)]
pub(crate) fn compare(op: BinaryOp, left: i64, right: i64) -> Option<bool> {
    match op {
        BinaryOp::Equal => Some(left == right),
        BinaryOp::NotEqual => Some(left != right),
        BinaryOp::Less => Some(left < right),
        BinaryOp::LessOrEqual => Some(left <= right),
        BinaryOp::Greater => Some(left > right),
        BinaryOp::GreaterOrEqual => Some(left >= right),
        _ => None,
    }
}

/// The value of an expression over slots that `scalar_at` knows, without a word on what is wrong where it has none.
#[inline]
pub fn scalar_of(
    expr: &Expr,
    scalar_at: &impl Fn(SlotId) -> Option<Scalar>,
    locals: &[i64],
) -> Option<Scalar> {
    match expr {
        Expr::Int(number) => Some(Scalar::Int(*number)),
        Expr::Bool(flag) => Some(Scalar::Bool(*flag)),
        Expr::Local(local) => locals.get(*local as usize).map(|number| Scalar::Int(*number)),
        Expr::Slot(slot) => scalar_at(*slot),
        Expr::Param(_) | Expr::Length(_) => None,
        Expr::Negate(operand) => match scalar_of(operand, scalar_at, locals)? {
            Scalar::Int(number) => number.checked_neg().map(Scalar::Int),
            Scalar::Bool(_) => None,
        },
        Expr::Not(operand) => match scalar_of(operand, scalar_at, locals)? {
            Scalar::Bool(flag) => Some(Scalar::Bool(!flag)),
            Scalar::Int(_) => None,
        },
        Expr::Binary(op, left, right) => {
            let left = scalar_of(left, scalar_at, locals)?;
            match (op, left) {
                (BinaryOp::And, Scalar::Bool(false)) | (BinaryOp::Or, Scalar::Bool(true)) => Some(left),
                (BinaryOp::And | BinaryOp::Or, Scalar::Bool(_)) => {
                    let right = scalar_of(right, scalar_at, locals)?;
                    matches!(right, Scalar::Bool(_)).then_some(right)
                }
                (BinaryOp::And | BinaryOp::Or, Scalar::Int(_)) => None,
                _ => apply(*op, left, scalar_of(right, scalar_at, locals)?),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binary_expr(op: BinaryOp, left: i64, right: i64) -> Expr {
        Expr::Binary(op, Box::new(Expr::Int(left)), Box::new(Expr::Int(right)))
    }

    const NOWHERE: Env<'static> = Env { frame: None, locals: &[7], params: &[] };

    #[test]
    fn arithmetic_is_checked() {
        assert_eq!(eval_int(&binary_expr(BinaryOp::Add, 2, 3), &NOWHERE), Ok(5));
        assert!(eval_int(&binary_expr(BinaryOp::Add, i64::MAX, 1), &NOWHERE).is_err());
        assert!(eval_int(&binary_expr(BinaryOp::Divide, 1, 0), &NOWHERE).is_err());
        assert!(eval_int(&binary_expr(BinaryOp::Remainder, i64::MIN, -1), &NOWHERE).is_err());
    }

    #[test]
    fn and_does_not_look_at_its_right_side_where_the_left_decides() {
        let fails = Expr::Binary(
            BinaryOp::Equal,
            Box::new(binary_expr(BinaryOp::Divide, 1, 0)),
            Box::new(Expr::Int(0)),
        );
        let guard = Expr::Binary(BinaryOp::And, Box::new(Expr::Bool(false)), Box::new(fails));
        assert_eq!(eval_bool(&guard, &NOWHERE), Ok(false));
    }

    #[test]
    fn a_repeated_pattern_variable_must_be_equal() {
        let patterns = [Pattern::Local(0), Pattern::Local(0)];
        assert!(matches(&patterns, &[4, 4], &[], &mut [None]));
        assert!(!matches(&patterns, &[4, 5], &[], &mut [None]));
        assert!(!matches(&[Pattern::Int(3)], &[4], &[], &mut []));
    }
}
