//! Arcs against their direction: where a value for a port would come from.

use hasse_code::partial::{Numbers, Params, Scalar, eval_arc};
use hasse_model::plan::{Arc, BinaryOp, Expr, Pattern};

/// Source of a value that an arc would carry to a target.
pub(crate) struct Origin {
    /// Index of the source, as far as the target's decides it.
    pub(crate) index: Numbers,
    /// Index of the element of the source's family.
    pub(crate) elements: Numbers,
    /// A whole index of a source from which the arc leads to the target, where `index` is not whole and the arc
    /// counts round: `(p + 1) % n`.
    pub(crate) round: Option<Numbers>,
}

/// The source from which an arc leads to an index and an element of the target; `None` where it leads there from none.
pub(crate) fn origin(
    arc: &Arc,
    index: &[Option<i64>],
    elements: &[Option<i64>],
    params: Params<'_>,
) -> Option<Origin> {
    let mut locals = vec![None; arc.n_locals];
    solve(arc, index, elements, params, &mut locals, false)?;
    let numbers = |patterns: &[Pattern], locals: &[Option<i64>]| -> Numbers {
        let number = |pattern: &Pattern| match *pattern {
            Pattern::Int(number) => Some(number),
            Pattern::Param(param) => params.get(param as usize).and_then(Scalar::int),
            Pattern::Local(local) => locals[local as usize],
        };
        patterns.iter().map(number).collect()
    };
    let found = numbers(&arc.source_index, &locals);
    let elements_found = numbers(&arc.source_elements, &locals);
    let round = if found.contains(&None) {
        let is_solved = solve(arc, index, elements, params, &mut locals, true).is_some();
        let found = numbers(&arc.source_index, &locals);
        (is_solved && !found.contains(&None)).then_some(found)
    } else {
        None
    };
    Some(Origin { index: found, elements: elements_found, round })
}

/// Finds what the variables of an arc must be; `None` where nothing fits. With `counts_round`, a variable within
/// a remainder is taken to be between 0 and the divisor.
fn solve(
    arc: &Arc,
    index: &[Option<i64>],
    elements: &[Option<i64>],
    params: Params<'_>,
    locals: &mut [Option<i64>],
    counts_round: bool,
) -> Option<()> {
    let sides = || {
        let exprs = arc.target_index.iter().chain(&arc.target_elements);
        exprs.zip(index.iter().chain(elements)).filter_map(|(expr, number)| Some((expr, (*number)?)))
    };
    let mut has_grown = true;
    while has_grown {
        has_grown = false;
        for (expr, number) in sides() {
            match eval_arc(expr, locals, params) {
                Some(value) if value != number => return None,
                Some(_) => {}
                None => match inverse(expr, number, locals, params, counts_round) {
                    Inverse::Is(local, value) => {
                        locals[local] = Some(value);
                        has_grown = true;
                    }
                    Inverse::Unknown => {}
                    Inverse::Never => return None,
                },
            }
        }
    }
    Some(())
}

/// The variable that makes an expression a number.
enum Inverse {
    Is(usize, i64),
    /// There may be several, or the expression is not looked into.
    Unknown,
    Never,
}

fn inverse(
    expr: &Expr,
    number: i64,
    locals: &[Option<i64>],
    params: Params<'_>,
    counts_round: bool,
) -> Inverse {
    let known = |expr: &Expr| eval_arc(expr, locals, params);
    let deeper = |expr: &Expr, number: Option<i64>| match number {
        Some(number) => inverse(expr, number, locals, params, counts_round),
        None => Inverse::Unknown,
    };
    match expr {
        Expr::Local(local) => Inverse::Is(*local as usize, number),
        Expr::Negate(operand) => deeper(operand, number.checked_neg()),
        Expr::Binary(op, left, right) => match (op, known(left), known(right)) {
            (BinaryOp::Add, Some(left), None) => deeper(right, number.checked_sub(left)),
            (BinaryOp::Add, None, Some(right)) => deeper(left, number.checked_sub(right)),
            (BinaryOp::Subtract, Some(left), None) => deeper(right, left.checked_sub(number)),
            (BinaryOp::Subtract, None, Some(right)) => deeper(left, number.checked_add(right)),
            (BinaryOp::Multiply, Some(factor), None) => factored(right, number, factor, &deeper),
            (BinaryOp::Multiply, None, Some(factor)) => factored(left, number, factor, &deeper),
            (BinaryOp::Remainder, None, Some(divisor)) if counts_round && (0..divisor).contains(&number) => {
                match deeper(left, Some(number)) {
                    Inverse::Is(local, value) => {
                        let value = value.rem_euclid(divisor);
                        let mut with_it = locals.to_vec();
                        with_it[local] = Some(value);
                        if eval_arc(expr, &with_it, params) == Some(number) {
                            Inverse::Is(local, value)
                        } else {
                            Inverse::Unknown
                        }
                    }
                    other => other,
                }
            }
            _ => Inverse::Unknown,
        },
        Expr::Int(_) | Expr::Bool(_) | Expr::Slot(_) | Expr::Length(_) | Expr::Param(_) | Expr::Not(_) => {
            Inverse::Unknown
        }
    }
}

fn factored(
    operand: &Expr,
    number: i64,
    factor: i64,
    deeper: &dyn Fn(&Expr, Option<i64>) -> Inverse,
) -> Inverse {
    match number.checked_rem(factor) {
        Some(0) => deeper(operand, number.checked_div(factor)),
        Some(_) => Inverse::Never,
        None if number == 0 => Inverse::Unknown,
        None => Inverse::Never,
    }
}

/// The numbers of an arc's target that the index of its source alone decides; `None` where the index does not match.
pub(crate) fn decided(arc: &Arc, source: &[Option<i64>], params: Params<'_>) -> Option<Numbers> {
    let mut locals: Vec<Option<i64>> = vec![None; arc.n_locals];
    for (pattern, number) in arc.source_index.iter().zip(source) {
        let Some(number) = *number else { continue };
        match *pattern {
            Pattern::Int(expected) if expected != number => return None,
            Pattern::Int(_) => {}
            Pattern::Param(param) => {
                let expected = params.get(param as usize).and_then(Scalar::int);
                if expected.is_some_and(|expected| expected != number) {
                    return None;
                }
            }
            Pattern::Local(local) => {
                if *locals[local as usize].get_or_insert(number) != number {
                    return None;
                }
            }
        }
    }
    let exprs = arc.target_index.iter().chain(&arc.target_elements);
    Some(exprs.map(|expr| eval_arc(expr, &locals, params)).collect())
}
