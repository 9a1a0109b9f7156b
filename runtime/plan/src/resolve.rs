//! Expressions of rules in which the numbers of loops are known, and with them the items of arrays that are looked at.

use std::sync::Arc;

use hasse_code::calc::{Calc, Leaf};
use hasse_model::id::SlotId;
use hasse_model::plan::Expr;
use hasse_model::plan::routine::{
    Answer, Argument, BinaryOp, Function, Input, Kind, Measure, Op, Operands, Place, Reg, Routine, Step,
    Target, What,
};
use hasse_routine::{Machine, Tiers};

use crate::items::Items;

/// An expression with numbers in place of those of loops.
pub(crate) fn with_locals(expr: &Expr, locals: &[i64]) -> Expr {
    let inner = |expr: &Expr| Box::new(with_locals(expr, locals));
    match expr {
        Expr::Local(local) => {
            locals.get(*local as usize).map_or(Expr::Local(*local), |&number| Expr::Int(number))
        }
        Expr::Negate(operand) => Expr::Negate(inner(operand)),
        Expr::Not(operand) => Expr::Not(inner(operand)),
        Expr::Binary(op, left, right) => Expr::Binary(*op, inner(left), inner(right)),
        Expr::Int(_) | Expr::Bool(_) | Expr::Slot(_) | Expr::Length(_) | Expr::Param(_) => expr.clone(),
    }
}

/// The calculation on items of arrays in place of the arrays, as far as it is known which items it looks at.
pub(crate) fn resolved(calc: &Calc, locals: &[i64], items: &Items, tiers: Tiers) -> Calc {
    let Calc::Routine(machine) = calc else { return calc.clone() };
    let routine = machine.routine();
    let looks_at_slots = |input: &Input| matches!(input.place, Place::Slot(_));
    if routine.objects.is_empty() && routine.inputs.iter().all(looks_at_slots) {
        return calc.clone();
    }
    match Resolver::of(routine, locals, items).and_then(Resolver::resolve) {
        Some(Resolved::Slot(slot_idx)) => Calc::Leaf(Leaf::Slot(slot_idx)),
        Some(Resolved::Routine(routine)) => Calc::Routine(Machine::new(routine, &[], &[], tiers)),
        None => calc.clone(),
    }
}

/// Outcome of resolving a routine.
enum Resolved {
    /// It gives what a slot holds.
    Slot(usize),
    /// It looks at scalars alone.
    Routine(Arc<Routine>),
}

struct Resolver<'r> {
    routine: &'r Routine,
    function: &'r Function,
    items: &'r Items,
    /// By register: the integer that it always holds, if it holds one.
    constants: Vec<Option<i64>>,
    /// Inputs of the resolved routine, which are its first registers.
    inputs: Vec<Input>,
    /// By register of the routine: that of the resolved one.
    regs: Vec<Reg>,
}

impl<'r> Resolver<'r> {
    /// Looks at a routine; `None` where it is more than arithmetic on scalars and items.
    fn of(routine: &'r Routine, locals: &[i64], items: &'r Items) -> Option<Self> {
        let [function] = &routine.functions[..] else { return None };
        let is_steady = routine.objects.iter().all(|object| items.is_steady(object.slot.idx()));
        let calls_none = routine.natives.is_empty() && routine.library.is_empty() && !routine.has_effects();
        if !is_steady || !calls_none {
            return None;
        }
        let constants = constants(routine, function, locals, items)?;
        Some(Self { routine, function, items, constants, inputs: Vec::new(), regs: Vec::new() })
    }

    fn resolve(mut self) -> Option<Resolved> {
        if let Some(slot_idx) = self.copied_item() {
            return Some(Resolved::Slot(slot_idx));
        }
        if !self.routine.own_objects.is_empty() {
            return None;
        }
        let is_local = |input: &&Input| matches!(input.place, Place::Local(_));
        self.inputs = self.routine.inputs.iter().filter(|input| !is_local(input)).cloned().collect();
        for op in &self.function.ops {
            if let Op::Get(to, path, operands) = *op {
                let (slot_idx, kind) = (self.item(path, operands)?, self.function.kinds[to as usize]);
                if self.items.kind(slot_idx) != Some(kind) {
                    return None;
                }
                let place = Place::Slot(SlotId::from_idx(slot_idx));
                if !self.inputs.iter().any(|input| input.place == place) {
                    self.inputs.push(Input { place, kind, is_optional: false, is_presence: false });
                }
            }
        }
        let mut kinds: Vec<Kind> = self.inputs.iter().map(|input| input.kind).collect();
        let mut kept = 0..;
        for (reg, &kind) in self.function.kinds.iter().enumerate() {
            match self.routine.inputs.get(reg).filter(|input| !is_local(input)) {
                Some(_) => self.regs.extend(kept.next()),
                None => {
                    self.regs.push(kinds.len() as Reg);
                    kinds.push(kind);
                }
            }
        }
        // Numbers of loops are parameters no more.
        let locals = self.routine.inputs.iter().enumerate().filter(|(_, input)| is_local(input));
        let mut ops: Vec<Op> = locals
            .map(|(reg, _)| Some(Op::Int(self.regs[reg], self.constants[reg]?)))
            .collect::<Option<_>>()?;
        let n_before = ops.len() as Target;
        for op in &self.function.ops {
            ops.push(self.op(*op, n_before)?);
        }
        if let Some(slot_idx) = self.given_slot(&ops) {
            return Some(Resolved::Slot(slot_idx));
        }
        let function = Function {
            name: String::new(),
            n_params: self.inputs.len(),
            kinds,
            gives: None,
            ops,
            operands: Vec::new(),
        };
        let outputs = self.routine.outputs.clone();
        let inputs = self.inputs;
        let resolved = Routine { functions: vec![function], inputs, outputs, ..Routine::default() };
        Some(Resolved::Routine(Arc::new(resolved)))
    }

    /// The slot of the item at the end of a path.
    fn item(&self, path: u32, operands: Operands) -> Option<usize> {
        let path = &self.routine.paths[path as usize];
        let array = self.routine.objects.get(path.object as usize)?;
        match (&path.steps[..], self.function.operands(operands)) {
            ([Step::Item], [number]) => self.items.at(array.slot.idx(), self.constants[*number as usize]?),
            _ => None,
        }
    }

    /// The slot of the item that it gives, which is no scalar.
    fn copied_item(&self) -> Option<usize> {
        let [left] = &self.routine.left[..] else { return None };
        if left.place != Place::Value {
            return None;
        }
        let mut item = None;
        for op in &self.function.ops {
            match *op {
                Op::Int(..) | Op::Return(None) => {}
                Op::Copy(to, _) | Op::Binary(_, to, ..) if self.constants[to as usize].is_some() => {}
                Op::Compute(None, computation, operands) => {
                    let computation = &self.routine.computations[computation as usize];
                    let (What::Copied, [Argument::Part(path)], Answer::Object(object)) =
                        (&computation.what, &computation.arguments[..], computation.result)
                    else {
                        return None;
                    };
                    if object != left.object || item.is_some() {
                        return None;
                    }
                    item = Some(self.item(*path, operands)?);
                }
                _ => return None,
            }
        }
        item
    }

    /// The input that operations in a row give as it is.
    fn given_slot(&self, ops: &[Op]) -> Option<usize> {
        let mut held: Vec<Option<usize>> = (0..self.inputs.len()).map(Some).collect();
        let n_regs = self.inputs.len() + self.function.kinds.len();
        held.resize(n_regs, None);
        let mut given = None;
        for op in ops {
            match *op {
                Op::Int(to, _) | Op::Real(to, _) | Op::Bool(to, _) => held[to as usize] = None,
                Op::Copy(to, from) => held[to as usize] = held[from as usize],
                Op::Give(_, from) => given = held[from as usize],
                Op::Return(None) => {}
                _ => return None,
            }
        }
        let input = &self.inputs[given?];
        match input.place {
            Place::Slot(slot) if !input.is_optional && !input.is_presence => Some(slot.idx()),
            _ => None,
        }
    }

    fn op(&self, op: Op, n_before: Target) -> Option<Op> {
        let reg = |reg: Reg| self.regs[reg as usize];
        let constant = target(op).and_then(|to| Some((to, self.constants[to as usize]?)));
        Some(match (op, constant) {
            (_, Some((to, number))) => Op::Int(reg(to), number),
            (Op::Int(to, number), _) => Op::Int(reg(to), number),
            (Op::Real(to, number), _) => Op::Real(reg(to), number),
            (Op::Bool(to, flag), _) => Op::Bool(reg(to), flag),
            (Op::Copy(to, from), _) => Op::Copy(reg(to), reg(from)),
            (Op::Unary(op, to, from), _) => Op::Unary(op, reg(to), reg(from)),
            (Op::Binary(op, to, left, right), _) => Op::Binary(op, reg(to), reg(left), reg(right)),
            (Op::CompareInts(op, to, left, right), _) => Op::CompareInts(op, reg(to), reg(left), reg(right)),
            (Op::CompareReals(op, to, left, right), _) => {
                Op::CompareReals(op, reg(to), reg(left), reg(right))
            }
            (Op::Jump(target), _) => Op::Jump(target + n_before),
            (Op::JumpIf(flag, is, target), _) => Op::JumpIf(reg(flag), is, target + n_before),
            (Op::Back(target), _) => Op::Back(target + n_before),
            (Op::Get(to, path, operands), _) => {
                let place = Place::Slot(SlotId::from_idx(self.item(path, operands)?));
                let input = self.inputs.iter().position(|input| input.place == place)?;
                Op::Copy(reg(to), input as Reg)
            }
            (Op::Measure(Measure::Len, to, path, _), _) => {
                let path = &self.routine.paths[path as usize];
                let array =
                    self.routine.objects.get(path.object as usize).filter(|_| path.steps.is_empty())?;
                Op::Int(reg(to), self.items.len(array.slot.idx())? as i64)
            }
            (Op::Give(output, from), _) => Op::Give(output, reg(from)),
            (Op::Return(None), _) => Op::Return(None),
            (Op::GiveUp, _) => Op::GiveUp,
            (
                Op::Call(..)
                | Op::CallNative(..)
                | Op::Set(..)
                | Op::Measure(..)
                | Op::Compute(..)
                | Op::Return(_),
                _,
            ) => return None,
        })
    }
}

/// By register, the integer that it holds whenever it is read, where that is known; `None` where a loop is that of no rule.
fn constants(
    routine: &Routine,
    function: &Function,
    locals: &[i64],
    items: &Items,
) -> Option<Vec<Option<i64>>> {
    let mut n_set = vec![0_u32; function.kinds.len()];
    let mut constants = vec![None; function.kinds.len()];
    for (reg, input) in routine.inputs.iter().enumerate() {
        n_set[reg] += 1;
        constants[reg] = match input.place {
            Place::Local(local) => Some(*locals.get(local as usize)?),
            Place::Slot(slot) if input.kind == Kind::Int && !input.is_presence => items.number(slot.idx()),
            Place::Slot(_) | Place::Value => None,
        };
    }
    function.ops.iter().filter_map(|op| target(*op)).for_each(|to| n_set[to as usize] += 1);
    if n_set.iter().zip(&constants).any(|(n_set, constant)| *n_set > 1 && constant.is_some()) {
        // A number of a loop, or a parameter, is only what the register begins with.
        return None;
    }
    // A register that a branch sets may be read on a way that does not set it.
    let is_straight = |op: &&Op| !matches!(op, Op::Jump(_) | Op::JumpIf(..) | Op::Back(_));
    for op in function.ops.iter().take_while(is_straight) {
        let (to, number) = match *op {
            Op::Int(to, number) => (to, Some(number)),
            Op::Copy(to, from) => (to, constants[from as usize]),
            Op::Binary(op, to, left, right) => (
                to,
                constants[left as usize].zip(constants[right as usize]).and_then(|sides| folded(op, sides)),
            ),
            _ => continue,
        };
        if n_set[to as usize] == 1 {
            constants[to as usize] = number;
        }
    }
    Some(constants)
}

fn folded(op: BinaryOp, (left, right): (i64, i64)) -> Option<i64> {
    match op {
        BinaryOp::AddInts => left.checked_add(right),
        BinaryOp::SubtractInts => left.checked_sub(right),
        BinaryOp::MultiplyInts => left.checked_mul(right),
        _ => None,
    }
}

/// The register that an operation sets.
fn target(op: Op) -> Option<Reg> {
    match op {
        Op::Int(to, _)
        | Op::Real(to, _)
        | Op::Bool(to, _)
        | Op::Copy(to, _)
        | Op::Unary(_, to, _)
        | Op::Binary(_, to, ..)
        | Op::CompareInts(_, to, ..)
        | Op::CompareReals(_, to, ..)
        | Op::CallNative(to, ..)
        | Op::Get(to, ..)
        | Op::Measure(_, to, ..) => Some(to),
        Op::Call(to, ..) | Op::Compute(to, ..) => to,
        Op::Jump(_)
        | Op::JumpIf(..)
        | Op::Back(_)
        | Op::Set(..)
        | Op::Give(..)
        | Op::Return(_)
        | Op::GiveUp => None,
    }
}
