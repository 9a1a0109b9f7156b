//! Statements.

use hasse_model::plan::routine::{Kind, Op};
use hasse_model::value::Type;
use rhai::{ASTFlags, Expr, FlowControl, Ident, OpAssignment, Position, Stmt, Token};

use super::MOST_STATEMENTS;
use super::code::Mark;
use super::held::{Held, Origin, Var};
use super::loop_state::LoopState;
use super::lowerer::{Given, Lowered, Lowerer, Stop};
use super::route::Route;
use super::val::Val;
use super::whole::Arg;

/// Where lowering stands, to come back to.
struct Before {
    mark: Mark,
    vars: Vec<Var>,
    loops: Vec<LoopState>,
    n_instances: usize,
    n_functions: usize,
    n_claims: usize,
    n_exits: usize,
    gives: Option<Given>,
    has_left: bool,
}

impl Lowerer<'_> {
    /// Statements of one level, whose values nobody wants. What they bind stays bound.
    pub(super) fn statements(&mut self, statements: &[Stmt]) -> Lowered<()> {
        for statement in statements {
            if !self.function.is_reachable {
                break;
            }
            self.statement(statement, false)?;
        }
        Ok(())
    }

    /// Statements of a block; with the value of the last one if it is wanted.
    pub(super) fn block(&mut self, statements: &[Stmt], wants: bool) -> Lowered<Val> {
        let n_vars = self.vars.len();
        let was_outermost = std::mem::replace(&mut self.is_outermost, false);
        let value = self.block_value(statements, wants);
        self.is_outermost = was_outermost;
        self.vars.truncate(n_vars);
        value
    }

    fn block_value(&mut self, statements: &[Stmt], wants: bool) -> Lowered<Val> {
        let Some((last, first)) = statements.split_last() else { return Ok(Val::Unit) };
        self.statements(first)?;
        if !self.function.is_reachable {
            return Ok(Val::Never);
        }
        let value = self.statement(last, wants)?;
        // A name of the block is another one's register soon.
        Ok(match value {
            Val::Scalar(reg, kind, false) if wants => {
                Val::Scalar(self.function.result(kind, |to| Op::Copy(to, reg)), kind, true)
            }
            other => other,
        })
    }

    /// One statement; with its value if it is wanted.
    fn statement(&mut self, statement: &Stmt, wants: bool) -> Lowered<Val> {
        self.n_statements += 1;
        if self.n_statements > MOST_STATEMENTS {
            let message = "this is too long to be compiled, or its names change what they hold too often";
            return Err(self.obstacle(statement.position(), message, None));
        }
        match statement {
            Stmt::Noop(_) => {}
            Stmt::Expr(expression) => {
                let value = self.value(expression, wants)?;
                return Ok(if wants { value } else { Val::Unit });
            }
            Stmt::FnCall(call, position) => {
                let value = self.call(call, None, *position)?;
                return Ok(if wants { value } else { Val::Unit });
            }
            Stmt::Block(block) => return self.block(block.statements(), wants),
            Stmt::If(parts, position) => return self.conditional(parts, wants, *position),
            Stmt::Var(variable, flags, position) => {
                let (name, value) = (&variable.0, &variable.1);
                self.bind(name, value, !flags.contains(ASTFlags::CONSTANT), *position)?;
            }
            Stmt::Assignment(parts) => self.assign(&parts.0, &parts.1.lhs, &parts.1.rhs)?,
            Stmt::While(parts, _) => self.while_loop(parts)?,
            Stmt::Do(parts, flags, _) => self.do_loop(parts, !flags.contains(ASTFlags::NEGATED))?,
            Stmt::For(parts, _) => self.for_loop(&parts.0, parts.1.as_ref(), &parts.2)?,
            Stmt::BreakLoop(value, flags, position) => {
                if value.is_some() {
                    return Err(self.obstacle(*position, "a loop gives a value by `break`", None));
                }
                self.leave_round(flags.contains(ASTFlags::BREAK), *position)?;
                return Ok(Val::Never);
            }
            Stmt::Return(value, flags, position) => {
                if flags.contains(ASTFlags::BREAK) {
                    // The interpreter throws.
                    self.function.push(Op::GiveUp);
                    self.function.is_reachable = false;
                } else {
                    self.give_back(value.as_deref(), *position)?;
                }
                return Ok(Val::Never);
            }
            Stmt::Switch(_, position) => {
                let help = "write it as a chain of `if` and `else if`";
                return Err(self.obstacle(*position, "`switch` is not compiled", Some(help)));
            }
            Stmt::TryCatch(_, position) => {
                return Err(self.obstacle(*position, "`try` is not compiled", None));
            }
            other => {
                return Err(self.obstacle(other.position(), "this statement is not compiled", None));
            }
        }
        Ok(if self.function.is_reachable { Val::Unit } else { Val::Never })
    }

    fn bind(&mut self, name: &Ident, value: &Expr, is_assignable: bool, position: Position) -> Lowered<()> {
        let held = match self.value(value, true)? {
            Val::Scalar(reg, kind, is_temporary) => {
                let reg = if is_temporary { reg } else { self.function.result(kind, |to| Op::Copy(to, reg)) };
                Held::Scalar(reg, kind)
            }
            Val::Unit => Held::Unit,
            Val::Never => return Ok(()),
            Val::Object(route) => Held::Object(self.held_copy(route, position)?),
        };
        let origin = if self.is_outermost { Origin::Outer } else { Origin::Inner };
        self.vars.push(Var { name: name.name.to_string(), held, origin, is_assignable });
        Ok(())
    }

    fn assign(&mut self, operation: &OpAssignment, target: &Expr, value: &Expr) -> Lowered<()> {
        let position = operation.position();
        let operator = operation.get_op_assignment_info().map(|(_, _, _, _, operator, _)| operator.clone());
        let value = self.value(value, true)?;
        match target {
            Expr::Variable(variable, _, at) => self.assign_name(&variable.1, *at, operator, value, position),
            Expr::Index(..) | Expr::Dot(..) => self.assign_part(target, operator, value, position),
            other => {
                Err(self.obstacle(other.start_position(), "this is not assigned by compiled code", None))
            }
        }
    }

    fn assign_name(
        &mut self,
        name: &str,
        at: Position,
        operator: Option<Token>,
        value: Val,
        position: Position,
    ) -> Lowered<()> {
        let Some(var_idx) = self.vars.iter().rposition(|var| var.name == name) else {
            return Err(self.obstacle(at, &format!("`{name}` is not known here"), None));
        };
        if !self.vars[var_idx].is_assignable {
            return Err(self.obstacle(at, &format!("`{name}` cannot be assigned"), None));
        }
        if let Held::Object(object) = self.vars[var_idx].held {
            let target = Route::of_object(object, &self.object_type(object), name);
            return match (operator, value) {
                (Some(operator), value) => {
                    let value = self.argument(value, &[], position)?;
                    self.operate_in_place(&operator, &target, value, position)
                }
                (None, Val::Object(route)) => self.put_into(object, route, position),
                (None, Val::Never) => Ok(()),
                (None, Val::Scalar(..) | Val::Unit) => {
                    let message = format!("`{name}` is {}, but is assigned something else", target.ty());
                    Err(self.obstacle(at, &message, None))
                }
            };
        }
        let value = match operator {
            Some(operator) => {
                let (now, kind) = self.read_name(name, at)?.scalar(self, at)?;
                let (operand, operand_kind) = value.scalar(self, position)?;
                let (reg, kind) = self.operate(&operator, (now, kind), (operand, operand_kind), position)?;
                Val::Scalar(reg, kind, true)
            }
            None => value,
        };
        let held = match (value, &self.vars[var_idx].held) {
            (Val::Scalar(reg, kind, is_temporary), Held::Scalar(home, held)) if kind == *held => {
                let home = *home;
                self.function.settle(reg, home, is_temporary);
                return Ok(());
            }
            (Val::Scalar(..), Held::Outside(_)) | (Val::Object(_), _) => {
                let message =
                    format!("`{name}` is {} and is assigned something else", self.vars[var_idx].held.shown());
                return Err(self.obstacle(at, &message, None));
            }
            (Val::Scalar(reg, kind, true), _) => Held::Scalar(reg, kind),
            (Val::Scalar(reg, kind, false), _) => {
                Held::Scalar(self.function.result(kind, |to| Op::Copy(to, reg)), kind)
            }
            (Val::Unit, _) => Held::Unit,
            (Val::Never, _) => return Ok(()),
        };
        self.vars[var_idx].held = held;
        Ok(())
    }

    fn assign_part(
        &mut self,
        target: &Expr,
        operator: Option<Token>,
        value: Val,
        position: Position,
    ) -> Lowered<()> {
        let at = target.start_position();
        if let Val::Object(value) = &value
            && value.scalar_kind().is_none()
        {
            let argument = self.argument(Val::Object(value.clone()), &[], position)?;
            let route = self.route(target)?;
            return match operator {
                Some(operator) => self.operate_in_place(&operator, &route, argument, position),
                None => self.put_part(&route, value.clone(), position),
            };
        }
        let (value, kind) = value.scalar(self, position)?;
        let route = self.route(target)?;
        if let (Some(operator), Type::Array(_) | Type::Vector | Type::Matrix) = (&operator, route.ty()) {
            return self.operate_in_place(operator, &route, Arg::Scalar(value, kind), position);
        }
        let route = self.expect_part(route, kind);
        let Some(expected) = route.scalar_kind() else {
            let message = format!("{} is assigned as a whole, which is no scalar", route.shown());
            return Err(self.obstacle(at, &message, None));
        };
        let (mut value, mut kind) = match operator {
            Some(operator) => {
                let now = self.get(&route, expected);
                self.operate(&operator, (now, expected), (value, kind), position)?
            }
            None => (value, kind),
        };
        if expected == Kind::Real && kind == Kind::Int && route.is_widening() {
            (value, kind) = (self.real_of((value, kind)), Kind::Real);
        }
        if kind != expected {
            let message = format!("{} is {expected}, but is assigned {kind}", route.shown());
            let help = format!("convert what is assigned to {expected}");
            return Err(self.obstacle(at, &message, Some(&help)));
        }
        self.set(&route, value, at)
    }

    /// `if`; with the value of the branch taken if it is wanted.
    fn conditional(&mut self, parts: &FlowControl, wants: bool, position: Position) -> Lowered<Val> {
        let flag = self.truth(&parts.expr)?;
        if !self.function.is_reachable {
            return Ok(Val::Never);
        }
        let otherwise = self.function.jump_if(flag, false);
        let before = self.vars.clone();
        let (one, first_exit) = self.branch(parts.body.statements(), wants)?;
        let one_ends = self.function.is_reachable;
        let mut object = None;
        let result = match &one {
            Val::Scalar(reg, kind, is_temporary) if wants && one_ends => {
                let result = self.function.register(*kind);
                self.function.settle(*reg, result, *is_temporary);
                Some((result, *kind))
            }
            Val::Object(route) if wants && one_ends && route.scalar_kind().is_none() => {
                object = Some(self.held_copy(route.clone(), position)?);
                None
            }
            _ => None,
        };
        let behind = one_ends.then(|| self.function.jump());
        let after_one = std::mem::replace(&mut self.vars, before);
        self.function.land(otherwise);
        let (other, exit) = self.branch(parts.branch.statements(), wants)?;
        match (first_exit, exit) {
            // The interpreter would do it all.
            (Some(first), Some(_)) => return Err(first),
            (Some(exit), None) | (None, Some(exit)) => self.exits.push(exit.obstacle),
            (None, None) => {}
        }
        let other_ends = self.function.is_reachable;
        let value = match (result, other) {
            _ if !wants => Val::Unit,
            (_, Val::Object(route)) if object.is_some() || !one_ends => {
                let object = match object {
                    Some(object) => {
                        self.put_into(object, route, position)?;
                        object
                    }
                    None => self.held_copy(route, position)?,
                };
                Val::Object(Route::made(object, self.object_type(object)))
            }
            (Some((result, kind)), Val::Scalar(reg, other_kind, is_temporary)) if kind == other_kind => {
                self.function.settle(reg, result, is_temporary);
                Val::Scalar(result, kind, true)
            }
            (Some((result, kind)), _) if !other_ends => Val::Scalar(result, kind, true),
            (None, other) if !one_ends => other,
            (None, Val::Unit) if matches!(one, Val::Unit) => Val::Unit,
            (None, _) if !other_ends => match object {
                Some(object) => Val::Object(Route::made(object, self.object_type(object))),
                None => one,
            },
            _ => {
                let message = "the branches of this `if` give values of different kinds";
                return Err(self.obstacle(position, message, Some("let all of them give the same kind")));
            }
        };
        if let Some(behind) = behind {
            if other_ends {
                self.merge_into(&after_one);
            } else {
                self.vars = after_one;
            }
            self.function.land(behind);
        }
        let is_reachable = one_ends || other_ends;
        self.function.is_reachable = is_reachable;
        Ok(if is_reachable { value } else { Val::Never })
    }

    /// A branch. Where something stands in it that compiled code never does, the interpreter is to execute the text once it is
    /// taken.
    fn branch(&mut self, statements: &[Stmt], wants: bool) -> Lowered<(Val, Option<Box<Stop>>)> {
        let before = self.place();
        match self.block(statements, wants) {
            Ok(value) => Ok((value, None)),
            Err(stop) if stop.is_foreign => {
                self.back_to(before);
                self.function.push(Op::GiveUp);
                self.function.is_reachable = false;
                Ok((Val::Never, Some(stop)))
            }
            Err(stop) => Err(stop),
        }
    }

    fn place(&self) -> Before {
        Before {
            mark: self.function.mark(),
            vars: self.vars.clone(),
            loops: self.loops.clone(),
            n_instances: self.instances.len(),
            n_functions: self.parts.functions.len(),
            n_claims: self.claims.len(),
            n_exits: self.exits.len(),
            gives: self.gives,
            has_left: self.has_left,
        }
    }

    /// Forgets what was lowered since then.
    fn back_to(&mut self, before: Before) {
        self.function.reset(before.mark);
        self.vars = before.vars;
        self.loops = before.loops;
        self.instances.truncate(before.n_instances);
        self.parts.functions.truncate(before.n_functions);
        self.claims.truncate(before.n_claims);
        self.exits.truncate(before.n_exits);
        self.gives = before.gives;
        self.has_left = before.has_left;
    }

    /// Makes names hold what they hold behind a place where this way meets another one. A scalar that the ways have put into
    /// different registers is copied to that of the other one.
    fn merge_into(&mut self, other: &[Var]) {
        for var_idx in 0..self.vars.len().min(other.len()) {
            let merged = match (&self.vars[var_idx].held, &other[var_idx].held) {
                (Held::Scalar(from, kind), Held::Scalar(to, other_kind)) if kind == other_kind => {
                    let (from, to, kind) = (*from, *to, *kind);
                    if from != to {
                        self.function.push(Op::Copy(to, from));
                    }
                    Held::Scalar(to, kind)
                }
                (one, other) => one.merged(other),
            };
            self.vars[var_idx].held = merged;
        }
    }

    /// `return`.
    fn give_back(&mut self, value: Option<&Expr>, position: Position) -> Lowered<()> {
        let value = match value {
            Some(value) => self.value(value, true)?,
            None => Val::Unit,
        };
        if !self.function.is_reachable {
            return Ok(());
        }
        if self.is_in_function { self.end_function(value, position) } else { self.end_body(position) }
    }
}
