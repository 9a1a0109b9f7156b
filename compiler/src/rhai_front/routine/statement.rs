//! Statements.

use std::collections::BTreeMap;

use hasse_model::plan::routine::{BinaryOp, Comparison, Kind, Measure, Op, Reg, Target};
use rhai::{ASTFlags, Expr, FlowControl, Ident, OpAssignment, Position, Stmt, Token};

use super::code::Pending;
use super::expression::Val;
use super::held::{Held, Origin, Var};
use super::path::Route;
use super::{Lowered, Lowerer, MOST_STATEMENTS};

/// A loop that is being lowered.
pub(super) struct LoopState {
    /// What names hold where it begins.
    at_start: Vec<Var>,
    /// Names that come back with something else, by position, and what they hold then.
    changed: BTreeMap<usize, Held>,
    /// What names hold behind it, as far as it is known.
    at_end: Option<Vec<Var>>,
    breaks: Vec<Pending>,
    /// Where `continue` goes: back, or on to a place that is not known yet.
    next: Next,
    continues: Vec<Pending>,
}

/// Where the next round of a loop is begun.
#[derive(Clone, Copy)]
enum Next {
    Back(Target),
    Further,
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
            Val::Object(route) => {
                let message = format!("`{}` would be a copy of {}", name.name, route.shown());
                let help = "use the object itself, by index";
                return Err(self.obstacle(position, &message, Some(help)));
            }
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
            (Val::Scalar(..), Held::Object(_) | Held::Outside(_)) | (Val::Object(_), _) => {
                let message = format!("`{name}` is assigned as a whole, which is no scalar");
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
        let (value, kind) = value.scalar(self, position)?;
        let route = self.route(target)?;
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
        let one = self.block(parts.body.statements(), wants)?;
        let one_ends = self.function.is_reachable;
        let result = match one {
            Val::Scalar(reg, kind, is_temporary) if wants && one_ends => {
                let result = self.function.register(kind);
                self.function.settle(reg, result, is_temporary);
                Some((result, kind))
            }
            _ => None,
        };
        let behind = one_ends.then(|| self.function.jump());
        let after_one = std::mem::replace(&mut self.vars, before);
        self.function.land(otherwise);
        let other = self.block(parts.branch.statements(), wants)?;
        let other_ends = self.function.is_reachable;
        let value = match (result, other) {
            _ if !wants => Val::Unit,
            (Some((result, kind)), Val::Scalar(reg, other_kind, is_temporary)) if kind == other_kind => {
                self.function.settle(reg, result, is_temporary);
                Val::Scalar(result, kind, true)
            }
            (Some((result, kind)), _) if !other_ends => Val::Scalar(result, kind, true),
            (None, other) if !one_ends => other,
            (None, Val::Unit) if matches!(one, Val::Unit) => Val::Unit,
            (None, _) if !other_ends => one,
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

    fn while_loop(&mut self, parts: &FlowControl) -> Lowered<()> {
        self.looped(|lowerer| {
            let start = lowerer.function.here();
            lowerer.enter_loop(Next::Back(start));
            if !matches!(parts.expr, Expr::Unit(_)) {
                let flag = lowerer.truth(&parts.expr)?;
                let exit = lowerer.function.jump_if(flag, false);
                lowerer.note_exit(exit);
            }
            lowerer.block(parts.body.statements(), false)?;
            lowerer.go_back(start);
            Ok(())
        })
    }

    fn do_loop(&mut self, parts: &FlowControl, is_while: bool) -> Lowered<()> {
        self.looped(|lowerer| {
            let start = lowerer.function.here();
            // `continue` does not ask for the condition.
            lowerer.enter_loop(Next::Back(start));
            lowerer.block(parts.body.statements(), false)?;
            if lowerer.function.is_reachable {
                let flag = lowerer.truth(&parts.expr)?;
                let exit = lowerer.function.jump_if(flag, !is_while);
                lowerer.note_exit(exit);
                lowerer.go_back(start);
            }
            Ok(())
        })
    }

    fn for_loop(&mut self, item: &Ident, counter: Option<&Ident>, parts: &FlowControl) -> Lowered<()> {
        if let Some((low, high, is_inclusive)) = range_of(&parts.expr) {
            let (low, low_kind) = self.copied(low)?;
            let (high, high_kind) = self.copied(high)?;
            if (low_kind, high_kind) != (Kind::Int, Kind::Int) {
                return Err(self.obstacle(parts.expr.start_position(), "the range is not one of ints", None));
            }
            return self.counted(item, counter, parts, (low, high, is_inclusive), None);
        }
        let route = match self.value(&parts.expr, true)? {
            Val::Object(route) => route,
            _ => {
                let message = "only ranges of ints, arrays and vectors are gone through by compiled code";
                return Err(self.obstacle(parts.expr.start_position(), message, None));
            }
        };
        let position = parts.expr.start_position();
        let Some((step, kind)) = route.item() else {
            let message = format!("the items of {} are no scalars", route.shown());
            return Err(self.obstacle(position, &message, None));
        };
        let low = self.function.result(Kind::Int, |to| Op::Int(to, 0));
        let high = self.measure(&route, Measure::Len);
        let n_writes = self.n_writes(&route);
        self.counted(item, counter, parts, (low, high, false), Some((&route, step, kind)))?;
        if self.n_writes(&route) != n_writes {
            let message = format!("{} is changed while it is gone through", route.shown());
            return Err(self.obstacle(position, &message, Some("go through its index numbers")));
        }
        Ok(())
    }

    /// A loop over integers, or over items by their positions.
    fn counted(
        &mut self,
        item: &Ident,
        counter: Option<&Ident>,
        parts: &FlowControl,
        (low, high, is_inclusive): (Reg, Reg, bool),
        items: Option<(&Route, hasse_model::plan::routine::Step, Kind)>,
    ) -> Lowered<()> {
        let place = self.function.result(Kind::Int, |to| Op::Copy(to, low));
        let one = self.function.result(Kind::Int, |to| Op::Int(to, 1));
        let round = counter.map(|_| self.function.result(Kind::Int, |to| Op::Int(to, 0)));
        let comparison = if is_inclusive { Comparison::LessOrEqual } else { Comparison::Less };
        self.looped(|lowerer| {
            let start = lowerer.function.here();
            lowerer.enter_loop(Next::Further);
            let goes_on =
                lowerer.function.result(Kind::Bool, |to| Op::CompareInts(comparison, to, place, high));
            let exit = lowerer.function.jump_if(goes_on, false);
            lowerer.note_exit(exit);
            let n_vars = lowerer.vars.len();
            if let (Some(counter), Some(round)) = (counter, round) {
                let reg = lowerer.function.result(Kind::Int, |to| Op::Copy(to, round));
                lowerer.bind_inner(counter, reg, Kind::Int);
            }
            match items {
                None => {
                    let reg = lowerer.function.result(Kind::Int, |to| Op::Copy(to, place));
                    lowerer.bind_inner(item, reg, Kind::Int);
                }
                Some((route, step, kind)) => {
                    let reg = lowerer.get(&route.then(step, vec![place]), kind);
                    lowerer.bind_inner(item, reg, kind);
                }
            }
            lowerer.block(parts.body.statements(), false)?;
            lowerer.vars.truncate(n_vars);
            if lowerer.land_continues() {
                if is_inclusive {
                    let is_last = lowerer
                        .function
                        .result(Kind::Bool, |to| Op::CompareInts(Comparison::Equal, to, place, high));
                    let exit = lowerer.function.jump_if(is_last, true);
                    lowerer.note_exit(exit);
                }
                lowerer.function.push(Op::Binary(BinaryOp::AddInts, place, place, one));
                if let Some(round) = round {
                    lowerer.function.push(Op::Binary(BinaryOp::AddInts, round, round, one));
                }
                lowerer.go_back(start);
            }
            Ok(())
        })
    }

    fn bind_inner(&mut self, name: &Ident, reg: Reg, kind: Kind) {
        let (name, held) = (name.name.to_string(), Held::Scalar(reg, kind));
        self.vars.push(Var { name, held, origin: Origin::Inner, is_assignable: true });
    }

    /// Lowers a loop, again and again until what names hold where it begins is what they come back with.
    fn looped(&mut self, lower: impl Fn(&mut Self) -> Lowered<()>) -> Lowered<()> {
        let mark = self.function.mark();
        let mut before = self.vars.clone();
        loop {
            let n_loops = self.loops.len();
            lower(self)?;
            let Some(state) = self.loops.pop() else { return Ok(()) };
            debug_assert_eq!(self.loops.len(), n_loops, "a loop leaves the loops around it alone");
            if state.changed.is_empty() {
                for pending in state.breaks {
                    self.function.land(pending);
                }
                self.function.is_reachable = state.at_end.is_some();
                self.vars = state.at_end.unwrap_or(before);
                return Ok(());
            }
            for (var_idx, held) in state.changed {
                before[var_idx].held = before[var_idx].held.merged(&held);
            }
            self.function.reset(mark);
            self.vars.clone_from(&before);
        }
    }

    fn enter_loop(&mut self, next: Next) {
        self.loops.push(LoopState {
            at_start: self.vars.clone(),
            changed: BTreeMap::new(),
            at_end: None,
            breaks: Vec::new(),
            next,
            continues: Vec::new(),
        });
    }

    /// Notes a jump out of the innermost loop.
    fn note_exit(&mut self, exit: Pending) {
        let Some(state) = self.loops.last_mut() else { return };
        state.breaks.push(exit);
        let n_vars = state.at_start.len();
        let now = &self.vars[..n_vars];
        match &mut state.at_end {
            None => state.at_end = Some(now.to_vec()),
            Some(at_end) => {
                for (held, var) in at_end.iter_mut().zip(now) {
                    held.held = held.held.merged(&var.held);
                }
            }
        }
    }

    /// Notes what names hold where the next round of the innermost loop begins.
    fn note_round(&mut self) {
        let Some(state) = self.loops.last_mut() else { return };
        for (var_idx, (start, now)) in state.at_start.iter().zip(&self.vars).enumerate() {
            if start.held != now.held && !matches!(start.held, Held::Mixed(_)) {
                state.changed.insert(var_idx, now.held.clone());
            }
        }
    }

    fn go_back(&mut self, start: Target) {
        if self.function.is_reachable {
            self.note_round();
            self.function.back(start);
        }
    }

    /// `break` or `continue`.
    fn leave_round(&mut self, is_break: bool, position: Position) -> Lowered<()> {
        let Some(next) = self.loops.last().map(|state| state.next) else {
            return Err(self.obstacle(position, "this is not within a loop", None));
        };
        match next {
            _ if is_break => {
                let exit = self.function.jump();
                self.note_exit(exit);
            }
            Next::Back(start) => self.go_back(start),
            Next::Further => {
                self.note_round();
                let pending = self.function.jump();
                if let Some(state) = self.loops.last_mut() {
                    state.continues.push(pending);
                }
            }
        }
        self.function.is_reachable = false;
        Ok(())
    }

    /// Lets every `continue` of the innermost loop end here; tells whether this place is reached at all.
    fn land_continues(&mut self) -> bool {
        if self.function.is_reachable {
            self.note_round();
        }
        let continues = self.loops.last_mut().map(|state| std::mem::take(&mut state.continues));
        for pending in continues.unwrap_or_default() {
            self.function.land(pending);
        }
        // What names hold here is what they held at the start, or the loop is lowered again.
        if let Some(state) = self.loops.last() {
            self.vars.clone_from(&state.at_start);
        }
        self.function.is_reachable
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

/// The bounds of a range, and whether it includes the second one.
fn range_of(expression: &Expr) -> Option<(&Expr, &Expr, bool)> {
    let Expr::FnCall(call, _) = expression else { return None };
    let is_inclusive = match call.op_token.as_ref()? {
        Token::ExclusiveRange => false,
        Token::InclusiveRange => true,
        _ => return None,
    };
    let [low, high] = &call.args[..] else { return None };
    Some((low, high, is_inclusive))
}
