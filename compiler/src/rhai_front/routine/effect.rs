//! `print` and `result`: texts of the program and values, put together when they are executed, and named results.
//!
//! Texts are no values of routines. They are compiled where they are printed at once: literals, values in texts
//! (`` `${x} and ${y}` ``), and sums of these and of values (`"x = " + x`).

use std::sync::Arc;

use hasse_model::plan::routine::{Answer, TextPart, What};
use hasse_model::value::Type;
use rhai::{Expr, Position, Stmt, Token};

use super::held::Held;
use super::lowerer::{Lowered, Lowerer, Stop};
use super::val::Val;
use super::whole::Arg;

/// A part of a text, in the order of evaluation.
enum Leaf<'e> {
    Text(&'e str),
    Value(&'e Expr),
}

impl Lowerer<'_> {
    /// Prints what an expression gives, or an empty line.
    pub(super) fn print(&mut self, printed: Option<&Expr>, position: Position) -> Lowered<Val> {
        let mut leaves = Vec::new();
        let is_text = printed.is_none_or(|printed| self.leaves(printed, &mut leaves));
        let mut parts = Vec::with_capacity(leaves.len() + 1);
        if is_text {
            // A value that is printed alone has more lines than one in a text.
            parts.push(TextPart::Text(Arc::from("")));
        }
        let mut values = Vec::new();
        for leaf in leaves {
            parts.push(match leaf {
                Leaf::Text(text) => TextPart::Text(Arc::from(text)),
                Leaf::Value(value) => {
                    values.push(value);
                    TextPart::Argument
                }
            });
        }
        let arguments = self.arguments(values)?;
        for argument in &arguments {
            let ty = match argument {
                Arg::Scalar(..) => continue,
                Arg::Object(route, _) => route.ty(),
            };
            let is_printed = match ty {
                Type::String | Type::Vector | Type::Matrix => true,
                Type::Array(_) | Type::Struct(_) => !is_text,
                _ => false,
            };
            if !is_printed {
                return Err(self.foreign(position, &format!("text of a value of type {ty} is not compiled")));
            }
        }
        self.compute(What::Print(parts), &arguments, Answer::Nothing, None, position)?;
        Ok(Val::Unit)
    }

    /// Sets a named result of the run.
    pub(super) fn set_result(&mut self, name: &str, value: &Expr, position: Position) -> Lowered<Val> {
        // A value that is not compiled keeps this branch interpreted, and not the whole body.
        let arguments =
            self.arguments([value]).map_err(|stop| Box::new(Stop { is_foreign: true, ..*stop }))?;
        self.compute(What::SetResult(Arc::from(name)), &arguments, Answer::Nothing, None, position)?;
        Ok(Val::Unit)
    }

    /// Takes a text apart; returns whether the expression gives a text for certain.
    fn leaves<'e>(&self, expression: &'e Expr, leaves: &mut Vec<Leaf<'e>>) -> bool {
        match expression {
            Expr::StringConstant(text, _) => leaves.push(Leaf::Text(text)),
            Expr::InterpolatedString(items, _) => items.iter().for_each(|item| {
                self.leaves(item, leaves);
            }),
            Expr::Stmt(block) => match block.statements() {
                [Stmt::Expr(only)] => return self.leaves(only, leaves),
                _ => {
                    leaves.push(Leaf::Value(expression));
                    return false;
                }
            },
            Expr::FnCall(call, _) if matches!(call.op_token, Some(Token::Plus)) && call.args.len() == 2 => {
                if !call.args.iter().any(|operand| self.is_text(operand)) {
                    leaves.push(Leaf::Value(expression));
                    return false;
                }
                call.args.iter().for_each(|operand| {
                    self.leaves(operand, leaves);
                });
            }
            _ => {
                leaves.push(Leaf::Value(expression));
                return false;
            }
        }
        true
    }

    /// Whether an expression gives a text for certain.
    fn is_text(&self, expression: &Expr) -> bool {
        match expression {
            Expr::StringConstant(..) | Expr::InterpolatedString(..) => true,
            Expr::FnCall(call, _) if matches!(call.op_token, Some(Token::Plus)) && call.args.len() == 2 => {
                call.args.iter().any(|operand| self.is_text(operand))
            }
            Expr::Variable(variable, ..) => {
                let var = self.vars.iter().rev().find(|var| var.name == *variable.1);
                var.is_some_and(|var| match var.held {
                    Held::Object(object) | Held::Lent(object) => self.object_type(object) == Type::String,
                    _ => false,
                })
            }
            _ => false,
        }
    }
}
