//! Loops.

use std::collections::BTreeMap;

use hasse_model::plan::routine::{BinaryOp, Comparison, Kind, Measure, Op, Reg, Step, Target, UnaryOp};
use hasse_model::value::Type;
use rhai::{Expr, FlowControl, Ident, Position, Token};

use super::code::Pending;
use super::held::{Held, Origin, Var, is_of_objects};
use super::loop_state::{LoopState, Next};
use super::lowerer::{Lowered, Lowerer};
use super::route::Route;
use super::val::Val;

/// What a loop counts.
struct Count {
    low: Reg,
    high: Reg,
    /// How a place compares to the high end as long as the loop goes on.
    comparison: Comparison,
    /// By how much it counts if not by 1, and whether that is upwards.
    step: Option<(Reg, Reg)>,
}

/// What a loop goes through.
#[derive(Clone, Copy)]
enum Items<'a> {
    /// Scalars, by a step from what holds them.
    Scalars(&'a Route, Step, Kind),
    /// Objects in an array.
    Objects(&'a Route),
}

impl Lowerer<'_> {
    pub(super) fn while_loop(&mut self, parts: &FlowControl) -> Lowered<()> {
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

    pub(super) fn do_loop(&mut self, parts: &FlowControl, is_while: bool) -> Lowered<()> {
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

    pub(super) fn for_loop(
        &mut self,
        item: &Ident,
        counter: Option<&Ident>,
        parts: &FlowControl,
    ) -> Lowered<()> {
        if let Some((low, high, is_inclusive)) = range_of(&parts.expr) {
            let (low, low_kind) = self.copied(low)?;
            let (high, high_kind) = self.copied(high)?;
            if (low_kind, high_kind) != (Kind::Int, Kind::Int) {
                return Err(self.obstacle(parts.expr.start_position(), "the range is not one of ints", None));
            }
            let comparison = if is_inclusive { Comparison::LessOrEqual } else { Comparison::Less };
            let count = Count { low, high, comparison, step: None };
            return self.counted(item, counter, parts, &count, None);
        }
        if let Some(count) = self.stepped_range(&parts.expr)? {
            return self.counted(item, counter, parts, &count, None);
        }
        let route = match self.value(&parts.expr, true)? {
            Val::Object(route) => route,
            _ => {
                let message = "only ranges of ints, arrays and vectors are gone through by compiled code";
                return Err(self.obstacle(parts.expr.start_position(), message, None));
            }
        };
        let position = parts.expr.start_position();
        let items = match (route.item(), route.ty()) {
            (Some((step, kind)), _) => Items::Scalars(&route, step, kind),
            (None, Type::Array(items)) if is_of_objects(items) => Items::Objects(&route),
            (None, ty) => {
                let message =
                    format!("{} is {ty}, which is not gone through by compiled code", route.shown());
                return Err(self.obstacle(position, &message, None));
            }
        };
        let low = self.function.result(Kind::Int, |to| Op::Int(to, 0));
        let high = self.measure(&route, Measure::Len);
        let n_writes = self.n_writes(&route);
        let count = Count { low, high, comparison: Comparison::Less, step: None };
        self.counted(item, counter, parts, &count, Some(items))?;
        if self.n_writes(&route) != n_writes {
            let message = format!("{} is changed while it is gone through", route.shown());
            return Err(self.obstacle(position, &message, Some("go through its index numbers")));
        }
        Ok(())
    }

    /// `range(from, to)` and `range(from, to, step)`.
    fn stepped_range(&mut self, expression: &Expr) -> Lowered<Option<Count>> {
        let Expr::FnCall(call, position) = expression else { return Ok(None) };
        let is_own = self.script_functions.iter().any(|function| function.name == "range");
        if call.name != "range" || is_own || (self.names.has_own_function)("range") {
            return Ok(None);
        }
        let (low, high, step) = match &call.args[..] {
            [low, high] => (low, high, None),
            [low, high, step] => (low, high, Some(step)),
            _ => return Ok(None),
        };
        let mut regs = Vec::new();
        for bound in [Some(low), Some(high), step].into_iter().flatten() {
            let (reg, kind) = self.copied(bound)?;
            if kind != Kind::Int {
                return Err(self.obstacle(*position, "the range is not one of ints", None));
            }
            regs.push(reg);
        }
        let (low, high) = (regs[0], regs[1]);
        let Some(&by) = regs.get(2) else {
            return Ok(Some(Count { low, high, comparison: Comparison::Less, step: None }));
        };
        let zero = self.function.result(Kind::Int, |to| Op::Int(to, 0));
        let is_zero = self.function.result(Kind::Bool, |to| Op::CompareInts(Comparison::Equal, to, by, zero));
        let goes_on = self.function.jump_if(is_zero, false);
        self.function.push(Op::GiveUp);
        self.function.land(goes_on);
        let is_up = self.function.result(Kind::Bool, |to| Op::CompareInts(Comparison::Greater, to, by, zero));
        // Where the first step leads too far the interpreter goes no round at all.
        self.function.result(Kind::Int, |to| Op::Binary(BinaryOp::AddInts, to, low, by));
        Ok(Some(Count { low, high, comparison: Comparison::Less, step: Some((by, is_up)) }))
    }

    /// Whether a loop goes one round more.
    fn goes_on(&mut self, count: &Count, place: Reg) -> Reg {
        let (high, comparison) = (count.high, count.comparison);
        let is_below = self.function.result(Kind::Bool, |to| Op::CompareInts(comparison, to, place, high));
        let Some((_, is_up)) = count.step else { return is_below };
        let mut both = |op, one, other| self.function.result(Kind::Bool, |to| Op::Binary(op, to, one, other));
        let goes_up = both(BinaryOp::BitAnd, is_up, is_below);
        let is_above =
            self.function.result(Kind::Bool, |to| Op::CompareInts(Comparison::Greater, to, place, high));
        let is_down = self.function.result(Kind::Bool, |to| Op::Unary(UnaryOp::Not, to, is_up));
        let mut both = |op, one, other| self.function.result(Kind::Bool, |to| Op::Binary(op, to, one, other));
        let goes_down = both(BinaryOp::BitAnd, is_down, is_above);
        both(BinaryOp::BitOr, goes_up, goes_down)
    }

    /// A loop over integers, or over items by their positions.
    fn counted(
        &mut self,
        item: &Ident,
        counter: Option<&Ident>,
        parts: &FlowControl,
        count: &Count,
        items: Option<Items<'_>>,
    ) -> Lowered<()> {
        let (low, high) = (count.low, count.high);
        let is_inclusive = count.comparison == Comparison::LessOrEqual;
        let place = self.function.result(Kind::Int, |to| Op::Copy(to, low));
        let one = self.function.result(Kind::Int, |to| Op::Int(to, 1));
        let round = counter.map(|_| self.function.result(Kind::Int, |to| Op::Int(to, 0)));
        let step = count.step.map_or(one, |(step, _)| step);
        self.looped(|lowerer| {
            let start = lowerer.function.here();
            lowerer.enter_loop(Next::Further);
            let goes_on = lowerer.goes_on(count, place);
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
                Some(Items::Scalars(route, step, kind)) => {
                    let reg = lowerer.get(&route.then(step, vec![place]), kind);
                    lowerer.bind_inner(item, reg, kind);
                }
                Some(Items::Objects(route)) => {
                    let one = route.then(Step::Item, vec![place]);
                    let held = Held::Object(lowerer.held_copy(one, item.pos)?);
                    let (name, origin) = (item.name.to_string(), Origin::Inner);
                    lowerer.vars.push(Var { name, held, origin, is_assignable: true });
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
                lowerer.function.push(Op::Binary(BinaryOp::AddInts, place, place, step));
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
        let (n_claims, n_exits) = (self.claims.len(), self.exits.len());
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
            self.claims.truncate(n_claims);
            self.exits.truncate(n_exits);
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
    pub(super) fn leave_round(&mut self, is_break: bool, position: Position) -> Lowered<()> {
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
