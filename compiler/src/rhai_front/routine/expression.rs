//! Expressions.

use hasse_model::plan::routine::{Comparison, Kind, Op, Reg};
use rhai::{ASTNode, Expr, FnCallExpr, Position, Stmt, Token};

use super::held::{Held, Origin};
use super::lowerer::{Lowered, Lowerer, speaks_itself};
use super::route::Route;
use super::val::Val;

impl Lowerer<'_> {
    /// An expression, whose value is wanted or not.
    pub(super) fn value(&mut self, expression: &Expr, wants: bool) -> Lowered<Val> {
        let position = expression.start_position();
        Ok(match expression {
            Expr::IntegerConstant(number, _) => {
                let number = *number;
                Val::Scalar(self.function.result(Kind::Int, |to| Op::Int(to, number)), Kind::Int, true)
            }
            Expr::FloatConstant(number, _) => self.real(**number),
            Expr::BoolConstant(flag, _) => {
                let flag = *flag;
                Val::Scalar(self.function.result(Kind::Bool, |to| Op::Bool(to, flag)), Kind::Bool, true)
            }
            Expr::Unit(_) => Val::Unit,
            Expr::Variable(variable, _, at) => self.read_name(&variable.1, *at)?,
            Expr::Stmt(block) => self.block(block.statements(), wants)?,
            Expr::And(items, _) => self.chain(items, false)?,
            Expr::Or(items, _) => self.chain(items, true)?,
            Expr::FnCall(call, at) => self.call(call, None, *at)?,
            Expr::Index(..) | Expr::Dot(..) => self.part(expression)?,
            Expr::StringConstant(..) | Expr::InterpolatedString(..) | Expr::CharConstant(..) => {
                return Err(self.foreign(position, "text is not compiled"));
            }
            Expr::Array(items, at) => self.array(items, *at)?,
            Expr::Map(..) => return Err(self.foreign(position, "maps are not compiled")),
            Expr::Coalesce(..) => return Err(self.obstacle(position, "`??` is not compiled", None)),
            _ => return Err(self.obstacle(position, "this is not compiled", None)),
        })
    }

    /// A real constant.
    pub(super) fn real(&mut self, number: f64) -> Val {
        Val::Scalar(self.function.result(Kind::Real, |to| Op::Real(to, number)), Kind::Real, true)
    }

    /// An expression that must give a scalar.
    pub(super) fn scalar(&mut self, expression: &Expr) -> Lowered<(Reg, Kind)> {
        let value = self.value(expression, true)?;
        value.scalar(self, expression.start_position())
    }

    /// The same, in a register that keeps it.
    pub(super) fn copied(&mut self, expression: &Expr) -> Lowered<(Reg, Kind)> {
        Ok(match self.value(expression, true)? {
            Val::Scalar(reg, kind, false) => (self.function.result(kind, |to| Op::Copy(to, reg)), kind),
            value => value.scalar(self, expression.start_position())?,
        })
    }

    /// Scalars of several expressions. What is read from a name is copied where a later one may assign it.
    pub(super) fn scalars<'e>(
        &mut self,
        expressions: impl IntoIterator<Item = &'e Expr>,
    ) -> Lowered<Vec<(Reg, Kind)>> {
        let expressions: Vec<&Expr> = expressions.into_iter().collect();
        let mut scalars = Vec::with_capacity(expressions.len());
        for (place, expression) in expressions.iter().enumerate() {
            let is_followed = expressions[place + 1..].iter().any(|later| has_statements(later));
            scalars.push(if is_followed { self.copied(expression)? } else { self.scalar(expression)? });
        }
        Ok(scalars)
    }

    /// An expression that must give a truth value.
    pub(super) fn truth(&mut self, expression: &Expr) -> Lowered<Reg> {
        match self.scalar(expression)? {
            (reg, Kind::Bool) => Ok(reg),
            (_, kind) => {
                let message = format!("a condition is {kind}, not a bool");
                Err(self.obstacle(expression.start_position(), &message, None))
            }
        }
    }

    /// What a name holds.
    pub(super) fn read_name(&mut self, name: &str, at: Position) -> Lowered<Val> {
        let Some(var) = self.vars.iter().rev().find(|var| var.name == name) else {
            // The compiler knows all names: this one is bound by the body of an expression's node.
            let message = format!("`{name}` is bound by the body, which is interpreted");
            return Err(self.obstacle(at, &message, None));
        };
        let is_constant = !var.is_assignable && var.origin != Origin::Node;
        Ok(match var.held.clone() {
            Held::Scalar(reg, kind) => Val::Scalar(reg, kind, false),
            Held::Optional(reg, kind, presence) => {
                // Where it holds nothing, the interpreter says what is wrong.
                let goes_on = self.function.jump_if(presence, true);
                self.function.push(Op::GiveUp);
                self.function.land(goes_on);
                Val::Scalar(reg, kind, false)
            }
            Held::Object(object) if is_constant => {
                Val::Object(Route::lent(object, &self.object_type(object), name))
            }
            Held::Object(object) => Val::Object(Route::of_object(object, &self.object_type(object), name)),
            Held::Lent(object) => Val::Object(Route::lent(object, &self.object_type(object), name)),
            Held::Unit => Val::Unit,
            Held::Outside(ty) => {
                let message = format!("`{name}` is of type {ty}, which is not compiled");
                return Err(self.obstacle(at, &message, None));
            }
            Held::Mixed(what) => {
                let message = format!("`{name}` holds {what} here");
                let help = "let it hold values of one kind everywhere, as by `0.0` in place of `0`";
                return Err(self.obstacle(at, &message, Some(help)));
            }
        })
    }

    /// `&&` or `||`.
    fn chain(&mut self, items: &[Expr], ends_with: bool) -> Lowered<Val> {
        let result = self.function.register(Kind::Bool);
        let mut ends = Vec::new();
        for (place, item) in items.iter().enumerate() {
            let flag = self.truth(item)?;
            self.function.push(Op::Copy(result, flag));
            if place + 1 < items.len() {
                ends.push(self.function.jump_if(result, ends_with));
            }
        }
        for end in ends {
            self.function.land(end);
        }
        Ok(Val::Scalar(result, Kind::Bool, true))
    }

    /// `name == ()` and `name != ()`, where the name may hold nothing.
    pub(super) fn presence(&mut self, token: &Token, operands: &[Expr]) -> Option<Val> {
        let comparison = match token {
            Token::EqualsTo => Comparison::Equal,
            Token::NotEqualsTo => Comparison::NotEqual,
            _ => return None,
        };
        let name = match operands {
            [Expr::Variable(variable, ..), Expr::Unit(_)] | [Expr::Unit(_), Expr::Variable(variable, ..)] => {
                &variable.1
            }
            _ => return None,
        };
        let var = self.vars.iter().rev().find(|var| var.name == **name)?;
        let Held::Optional(_, _, presence) = var.held else { return None };
        let nothing = self.function.result(Kind::Bool, |to| Op::Bool(to, false));
        let flag = self.function.result(Kind::Bool, |to| Op::CompareInts(comparison, to, presence, nothing));
        Some(Val::Scalar(flag, Kind::Bool, true))
    }
}

/// Whether an expression holds statements, which may assign names.
pub(super) fn has_statements(expression: &Expr) -> bool {
    let mut found = false;
    expression.walk(&mut Vec::new(), &mut |path| {
        found |= path.iter().any(|node| matches!(node, ASTNode::Stmt(Stmt::Assignment(_))));
        !found
    });
    found
}

/// The call that a node of a text is.
pub(super) fn call_of<'n>(node: &ASTNode<'n>) -> Option<&'n FnCallExpr> {
    match node {
        ASTNode::Expr(Expr::FnCall(call, _) | Expr::MethodCall(call, _)) => Some(call),
        _ => None,
    }
}

impl Lowerer<'_> {
    /// Returns true if the order matters in which an expression and another one are evaluated: it asks the world outside, prints
    /// or sets a result, or calls a function of the text that may.
    pub(super) fn speaks(&self, expression: &Expr) -> bool {
        let is_own = |name: &str| self.script_functions.iter().any(|function| function.name == name);
        let is_speaking = |call: &FnCallExpr| {
            speaks_itself(self.names, call) || self.has_speaking_functions && is_own(call.name.as_str())
        };
        let mut speaks = false;
        expression.walk(&mut Vec::new(), &mut |path| {
            speaks |= path.last().and_then(call_of).is_some_and(is_speaking);
            !speaks
        });
        speaks
    }
}
