//! Lowers expressions over integers and truth values to plan expressions. Whatever is not certain to
//! mean the same without Rhai stays a script.

use hasse_model::plan::{BinaryOp, Expr, SlotKind};
use hasse_model::value::Type;
use rhai::{AST, Stmt, Token};

use crate::scope::{Meaning, Scope};

/// The expression that a text consists of.
pub(crate) fn only_expression(ast: &AST) -> Option<&rhai::Expr> {
    match ast.statements() {
        [Stmt::Expr(expression)] => Some(expression),
        _ => None,
    }
}

/// A plain name or an expression over integers and truth values, with its type; `None` where it
/// needs Rhai.
pub(crate) fn lower(expression: &rhai::Expr, scope: &Scope) -> Option<(Expr, Type)> {
    if let rhai::Expr::Variable(variable, ..) = expression
        && let Some(Meaning::Slot { slot, ty, .. }) = scope.get(&variable.1)
    {
        return Some((Expr::Slot(*slot), ty.clone()));
    }
    if let rhai::Expr::Variable(variable, ..) = expression
        && let Some(Meaning::Param { param_idx, ty }) = scope.get(&variable.1)
    {
        return Some((Expr::Param(*param_idx), ty.clone()));
    }
    lower_scalar(expression, scope)
}

fn lower_scalar(expression: &rhai::Expr, scope: &Scope) -> Option<(Expr, Type)> {
    match expression {
        rhai::Expr::IntegerConstant(number, _) => Some((Expr::Int(*number), Type::Int)),
        rhai::Expr::BoolConstant(flag, _) => Some((Expr::Bool(*flag), Type::Bool)),
        rhai::Expr::Variable(variable, ..) => lower_name(&variable.1, scope),
        rhai::Expr::Dot(parts, ..) => match (&parts.lhs, &parts.rhs) {
            (rhai::Expr::Variable(variable, ..), rhai::Expr::Property(property, _))
                if property.2 == "len" =>
            {
                lower_length(&variable.1, scope)
            }
            (rhai::Expr::Variable(variable, ..), rhai::Expr::MethodCall(call, _))
                if call.name == "len" && call.args.is_empty() =>
            {
                lower_length(&variable.1, scope)
            }
            _ => None,
        },
        rhai::Expr::And(items, _) => lower_chain(BinaryOp::And, items, scope),
        rhai::Expr::Or(items, _) => lower_chain(BinaryOp::Or, items, scope),
        rhai::Expr::FnCall(call, _) if call.op_token.is_none() => match &call.args[..] {
            [rhai::Expr::Variable(variable, ..)] if call.name == "len" => lower_length(&variable.1, scope),
            _ => None,
        },
        rhai::Expr::FnCall(call, _) => match (call.op_token.as_ref()?, &call.args[..]) {
            (Token::UnaryMinus | Token::Minus, [operand]) => {
                let (operand, ty) = lower_scalar(operand, scope)?;
                (ty == Type::Int).then(|| (Expr::Negate(Box::new(operand)), Type::Int))
            }
            (Token::Bang, [operand]) => {
                let (operand, ty) = lower_scalar(operand, scope)?;
                (ty == Type::Bool).then(|| (Expr::Not(Box::new(operand)), Type::Bool))
            }
            (Token::UnaryPlus, [operand]) => lower_scalar(operand, scope).filter(|(_, ty)| *ty == Type::Int),
            (token, [left, right]) => lower_binary(token, left, right, scope),
            _ => None,
        },
        _ => None,
    }
}

/// A name whose value is certain to be an integer or a truth value.
fn lower_name(name: &str, scope: &Scope) -> Option<(Expr, Type)> {
    let (expr, ty) = match scope.get(name)? {
        // What a rule binds is `()` where another rule was taken; shared objects may be large.
        Meaning::Slot { kind: SlotKind::Bound, is_always_bound: false, .. }
        | Meaning::Slot { kind: SlotKind::Shared, .. } => return None,
        Meaning::Slot { slot, ty, .. } => (Expr::Slot(*slot), ty.clone()),
        Meaning::Param { param_idx, ty } => (Expr::Param(*param_idx), ty.clone()),
        Meaning::Local(local) => (Expr::Local(*local), Type::Int),
        Meaning::Script(_) | Meaning::Hidden(_) | Meaning::Nearby(_) => return None,
    };
    matches!(ty, Type::Int | Type::Bool).then_some((expr, ty))
}

/// The number of items of what a name holds.
fn lower_length(name: &str, scope: &Scope) -> Option<(Expr, Type)> {
    match scope.get(name)? {
        Meaning::Slot { slot, ty: Type::Array(_) | Type::Vector, .. } if scope.has_lengths() => {
            Some((Expr::Length(*slot), Type::Int))
        }
        _ => None,
    }
}

fn lower_chain(op: BinaryOp, items: &[rhai::Expr], scope: &Scope) -> Option<(Expr, Type)> {
    let lowered: Option<Vec<_>> = items.iter().map(|item| lower_scalar(item, scope)).collect();
    let mut lowered = lowered?.into_iter();
    let (mut chain, mut ty) = lowered.next()?;
    for (item, item_type) in lowered {
        chain = Expr::Binary(op, Box::new(chain), Box::new(item));
        if item_type != Type::Bool {
            ty = item_type;
        }
    }
    (ty == Type::Bool).then_some((chain, Type::Bool))
}

fn lower_binary(token: &Token, left: &rhai::Expr, right: &rhai::Expr, scope: &Scope) -> Option<(Expr, Type)> {
    let (op, result) = match token {
        Token::Plus => (BinaryOp::Add, Type::Int),
        Token::Minus => (BinaryOp::Subtract, Type::Int),
        Token::Multiply => (BinaryOp::Multiply, Type::Int),
        Token::Divide => (BinaryOp::Divide, Type::Int),
        Token::Modulo => (BinaryOp::Remainder, Type::Int),
        Token::EqualsTo => (BinaryOp::Equal, Type::Bool),
        Token::NotEqualsTo => (BinaryOp::NotEqual, Type::Bool),
        Token::LessThan => (BinaryOp::Less, Type::Bool),
        Token::LessThanEqualsTo => (BinaryOp::LessOrEqual, Type::Bool),
        Token::GreaterThan => (BinaryOp::Greater, Type::Bool),
        Token::GreaterThanEqualsTo => (BinaryOp::GreaterOrEqual, Type::Bool),
        _ => return None,
    };
    let (left, left_type) = lower_scalar(left, scope)?;
    let (right, right_type) = lower_scalar(right, scope)?;
    let is_equality = matches!(op, BinaryOp::Equal | BinaryOp::NotEqual);
    let fits = left_type == right_type && (left_type == Type::Int || is_equality);
    fits.then(|| (Expr::Binary(op, Box::new(left), Box::new(right)), result))
}
