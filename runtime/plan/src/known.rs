//! Parameters of graphs that are the same in all instances: those of the main graph, and those to which all calls give one number.

use hasse_body::convert::value_from_dynamic;
use hasse_code::eval::{Scalar, scalar_of};
use hasse_model::plan::{Call, Code, Expr, Plan};
use hasse_model::value::{Type, Value};
use rhai::Dynamic;

/// Values that a parameter may have.
#[derive(Clone, Copy, PartialEq)]
enum Known {
    /// No instance has been found.
    Nothing,
    /// The same in all instances.
    Always(Scalar),
    Unknown,
}

impl Known {
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Known::Nothing, known) | (known, Known::Nothing) => known,
            (known, other) if known == other => known,
            _ => Known::Unknown,
        }
    }

    fn scalar(self) -> Option<Scalar> {
        match self {
            Known::Always(scalar) => Some(scalar),
            Known::Nothing | Known::Unknown => None,
        }
    }
}

/// By graph and parameter, the integer or truth value that it always has, where that is known. `main` are the parameters of the
/// main graph.
pub(crate) fn known_params(plan: &Plan, main: &[Dynamic]) -> Vec<Vec<Option<Scalar>>> {
    let mut known: Vec<Vec<Known>> =
        plan.graphs.iter().map(|graph| vec![Known::Nothing; graph.params.len()]).collect();
    for (known, held) in known[plan.main.idx()].iter_mut().zip(main) {
        *known = match value_from_dynamic(held) {
            Ok(Value::Int(number)) => Known::Always(Scalar::Int(number)),
            Ok(Value::Bool(flag)) => Known::Always(Scalar::Bool(flag)),
            _ => Known::Unknown,
        };
    }
    // A parameter changes twice at most.
    loop {
        let mut has_changed = false;
        for call in &plan.calls {
            for param in 0..call.args.len() {
                let given = given(plan, &known, call, param);
                let before = &mut known[call.graph.idx()][param];
                let after = before.or(given);
                has_changed |= after != *before;
                *before = after;
            }
        }
        if !has_changed {
            return known.into_iter().map(|params| params.into_iter().map(Known::scalar).collect()).collect();
        }
    }
}

/// Value that a call gives to a parameter.
fn given(plan: &Plan, known: &[Vec<Known>], call: &Call, param: usize) -> Known {
    let declared = &plan.graphs[call.graph.idx()].params[param];
    let (code, params) = match (&call.args[param], &declared.default) {
        (Some(arg), _) => (&arg.code, &known[call.owner.idx()][..]),
        (None, Some(code)) => (code, &known[call.graph.idx()][..param]),
        (None, None) => return Known::Unknown,
    };
    let Code::Expr(expr) = code else { return Known::Unknown };
    let mut is_found = true;
    let Some(expr) = with_params(expr, params, &mut is_found) else { return Known::Unknown };
    if !is_found {
        return Known::Nothing;
    }
    match (scalar_of(&expr, &|_| None, &[]), &declared.ty) {
        (Some(scalar @ Scalar::Int(_)), Type::Int) | (Some(scalar @ Scalar::Bool(_)), Type::Bool) => {
            Known::Always(scalar)
        }
        _ => Known::Unknown,
    }
}

/// An expression with the values of parameters; `None` where one is not always the same. `is_found` is cleared where one has no
/// value yet.
fn with_params(expr: &Expr, params: &[Known], is_found: &mut bool) -> Option<Expr> {
    let mut inner = |expr: &Expr| with_params(expr, params, is_found).map(Box::new);
    Some(match expr {
        Expr::Param(param) => match params.get(*param as usize)? {
            Known::Always(Scalar::Int(number)) => Expr::Int(*number),
            Known::Always(Scalar::Bool(flag)) => Expr::Bool(*flag),
            Known::Nothing => {
                *is_found = false;
                Expr::Int(0)
            }
            Known::Unknown => return None,
        },
        Expr::Negate(operand) => Expr::Negate(inner(operand)?),
        Expr::Not(operand) => Expr::Not(inner(operand)?),
        Expr::Binary(op, left, right) => Expr::Binary(*op, inner(left)?, inner(right)?),
        Expr::Int(_) | Expr::Bool(_) => expr.clone(),
        Expr::Slot(_) | Expr::Length(_) | Expr::Local(_) => return None,
    })
}
