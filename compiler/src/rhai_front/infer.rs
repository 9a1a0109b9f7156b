//! Types of the values of expressions. What is not certain has none: an error of types must never be
//! reported of a program that would have run.

use std::sync::Arc;

use hasse_model::value::{StructTable, Type};
use rhai::{Expr, Token};

use super::chain::{Chain, Step, root_type};
use super::lower::lower;
use super::structs::result_type;
use crate::scope::Scope;

/// The type of an expression's value, where it is certain.
pub(crate) fn static_type(expression: &Expr, scope: &Scope, structs: &Arc<StructTable>) -> Option<Type> {
    let of = |expression: &Expr| static_type(expression, scope, structs);
    match expression {
        Expr::FloatConstant(..) => Some(Type::Real),
        Expr::CharConstant(..) => Some(Type::Char),
        Expr::StringConstant(..) | Expr::InterpolatedString(..) => Some(Type::String),
        Expr::And(..) | Expr::Or(..) => Some(Type::Bool),
        Expr::FnCall(call, _) => match (call.op_token.as_ref(), &call.args[..]) {
            (Some(Token::Bang), [_]) => Some(Type::Bool),
            (Some(Token::UnaryMinus | Token::UnaryPlus), [operand]) => {
                of(operand).filter(|ty| matches!(ty, Type::Int | Type::Real))
            }
            (Some(token), [left, right]) => operation_type(token, &of(left)?, &of(right)?),
            (None, arguments) if scope.get(&call.name).is_none() => {
                result_type(structs, &call.name, arguments.len())
            }
            _ => None,
        },
        Expr::Variable(variable, ..) => root_type(&variable.1, scope),
        Expr::Dot(parts, ..) => match &parts.rhs {
            // `x.as_int()` is `as_int(x)`.
            Expr::MethodCall(call, _) => result_type(structs, &call.name, call.args.len() + 1),
            _ => chain_type(&Chain::of(expression)?, scope),
        },
        Expr::Index(..) => chain_type(&Chain::of(expression)?, scope),
        Expr::Array(items, _) => {
            let mut item_types = items.iter().map(of);
            let first = item_types.next()??;
            item_types.all(|ty| ty.as_ref() == Some(&first)).then(|| Type::Array(Box::new(first)))
        }
        Expr::Map(parts, _) => {
            let mut value_types = parts.0.iter().map(|(_, value)| of(value));
            let first = value_types.next()??;
            value_types.all(|ty| ty.as_ref() == Some(&first)).then(|| Type::Map(Box::new(first)))
        }
        _ => lower(expression, scope).map(|(_, ty)| ty),
    }
    .filter(|ty| *ty != Type::Any)
}

/// The type of a field. Items of arrays have none: what a body has left in an array is looked at when
/// it is sent.
fn chain_type(chain: &Chain, scope: &Scope) -> Option<Type> {
    if chain.goes_on {
        return None;
    }
    let root = root_type(&chain.root, scope)?;
    chain.steps.iter().try_fold(root, |ty, step| match (step, ty) {
        (Step::Field(name, _), Type::Struct(of)) => of.field(name),
        _ => None,
    })
}

/// The type of what an operator gives for operands of certain types. Operators that there are not,
/// such as `int + bool`, have none: they fail when they are asked.
pub(crate) fn operation_type(token: &Token, left: &Type, right: &Type) -> Option<Type> {
    let is_number = |ty: &Type| matches!(ty, Type::Int | Type::Real);
    let is_plain = |ty: &Type| is_number(ty) || matches!(ty, Type::Bool | Type::Char | Type::String);
    match token {
        Token::EqualsTo | Token::NotEqualsTo if is_plain(left) && is_plain(right) => Some(Type::Bool),
        Token::LessThan | Token::LessThanEqualsTo | Token::GreaterThan | Token::GreaterThanEqualsTo => {
            let fits = is_number(left) && is_number(right)
                || left == right && matches!(left, Type::Char | Type::String);
            fits.then_some(Type::Bool)
        }
        Token::Plus | Token::Minus | Token::Multiply | Token::Divide | Token::Modulo => match (left, right) {
            (Type::Int, Type::Int) => Some(Type::Int),
            (left, right) if is_number(left) && is_number(right) => Some(Type::Real),
            (Type::String, right) if *token == Token::Plus && is_plain(right) => Some(Type::String),
            (Type::Vector, Type::Vector) if matches!(token, Token::Plus | Token::Minus) => Some(Type::Vector),
            (Type::Matrix, Type::Matrix) if matches!(token, Token::Plus | Token::Minus | Token::Multiply) => {
                Some(Type::Matrix)
            }
            (Type::Matrix, Type::Vector) if *token == Token::Multiply => Some(Type::Vector),
            (whole @ (Type::Vector | Type::Matrix), number)
            | (number, whole @ (Type::Vector | Type::Matrix))
                if is_number(number) && *token != Token::Modulo =>
            {
                Some(whole.clone())
            }
            _ => None,
        },
        Token::PowerOf if left == right && is_number(left) => Some(left.clone()),
        _ => None,
    }
}
