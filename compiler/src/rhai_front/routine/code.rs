//! The operations of a function while it is lowered.

use hasse_model::plan::routine::{Function, Kind, Op, Operands, Reg, Target};

/// A function that is being lowered.
pub(super) struct FunctionCode {
    pub(super) n_params: usize,
    pub(super) kinds: Vec<Kind>,
    ops: Vec<Op>,
    operands: Vec<Reg>,
    /// Whether what comes next can be reached.
    pub(super) is_reachable: bool,
    /// No operation before this place may be changed: something jumps here.
    barrier: usize,
}

impl Default for FunctionCode {
    fn default() -> Self {
        let (kinds, ops, operands) = (Vec::new(), Vec::new(), Vec::new());
        Self { n_params: 0, kinds, ops, operands, is_reachable: true, barrier: 0 }
    }
}

/// A jump whose target is not known yet.
#[derive(Clone)]
#[must_use]
pub(super) struct Pending(usize);

/// Where a function stands, to come back to.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    n_ops: usize,
    n_operands: usize,
    barrier: usize,
    is_reachable: bool,
}

impl FunctionCode {
    /// A register of its own.
    pub(super) fn register(&mut self, kind: Kind) -> Reg {
        self.kinds.push(kind);
        (self.kinds.len() - 1) as Reg
    }

    /// Adds an operation.
    pub(super) fn push(&mut self, op: Op) {
        self.ops.push(op);
    }

    /// Adds an operation whose result has a register of its own.
    pub(super) fn result(&mut self, kind: Kind, op: impl FnOnce(Reg) -> Op) -> Reg {
        let reg = self.register(kind);
        self.push(op(reg));
        reg
    }

    /// The last operation, if it is a computation that has no scalar for an answer and nothing jumps behind it.
    pub(super) fn last_computation(&self) -> Option<(u32, Operands)> {
        match self.ops.last() {
            Some(Op::Compute(None, computation, operands)) if self.ops.len() > self.barrier => {
                Some((*computation, *operands))
            }
            _ => None,
        }
    }

    /// Puts another operation in the place of the last one.
    pub(super) fn replace_last(&mut self, op: Op) {
        if let Some(last) = self.ops.last_mut() {
            *last = op;
        }
    }

    pub(super) fn operands(&mut self, regs: &[Reg]) -> Operands {
        let start = self.operands.len() as u32;
        self.operands.extend_from_slice(regs);
        Operands { start, len: regs.len() as u32 }
    }

    /// Puts what a register of no name holds into another one: if the last operation has computed it, that one does so there.
    pub(super) fn settle(&mut self, from: Reg, to: Reg, is_of_no_name: bool) {
        if from == to {
            return;
        }
        if is_of_no_name
            && self.ops.len() > self.barrier
            && let Some(result) = self.ops.last_mut().and_then(result_of)
            && *result == from
        {
            *result = to;
            return;
        }
        self.push(Op::Copy(to, from));
    }

    pub(super) fn give(&mut self, output: u32, reg: Reg) {
        self.push(Op::Give(output, reg));
    }

    /// Ends the function here.
    pub(super) fn end(&mut self, given: Option<Reg>) {
        self.push(Op::Return(given));
        self.is_reachable = false;
    }

    /// The place of the next operation, to jump to.
    pub(super) fn here(&mut self) -> Target {
        self.barrier = self.ops.len();
        self.ops.len() as Target
    }

    pub(super) fn jump(&mut self) -> Pending {
        self.push(Op::Jump(0));
        self.is_reachable = false;
        Pending(self.ops.len() - 1)
    }

    pub(super) fn jump_if(&mut self, flag: Reg, is: bool) -> Pending {
        self.push(Op::JumpIf(flag, is, 0));
        Pending(self.ops.len() - 1)
    }

    /// Goes back to a place.
    pub(super) fn back(&mut self, target: Target) {
        self.push(Op::Back(target));
        self.is_reachable = false;
    }

    /// Lets a jump end here.
    pub(super) fn land(&mut self, pending: Pending) {
        let here = self.here();
        if let Op::Jump(target) | Op::JumpIf(_, _, target) = &mut self.ops[pending.0] {
            *target = here;
        }
        self.is_reachable = true;
    }

    pub(super) fn mark(&self) -> Mark {
        Mark {
            n_ops: self.ops.len(),
            n_operands: self.operands.len(),
            barrier: self.barrier,
            is_reachable: self.is_reachable,
        }
    }

    /// Forgets all operations since a mark.
    pub(super) fn reset(&mut self, mark: Mark) {
        self.ops.truncate(mark.n_ops);
        self.operands.truncate(mark.n_operands);
        self.barrier = mark.barrier;
        self.is_reachable = mark.is_reachable;
    }

    pub(super) fn finish(mut self, name: String, gives: Option<Kind>) -> Function {
        // A jump may lead behind the last operation, to what is never reached.
        let is_target = self.barrier == self.ops.len();
        if is_target
            || !matches!(self.ops.last(), Some(Op::Jump(_) | Op::Back(_) | Op::Return(_) | Op::GiveUp))
        {
            self.ops.push(Op::GiveUp);
        }
        let (n_params, kinds, ops, operands) = (self.n_params, self.kinds, self.ops, self.operands);
        Function { name, n_params, kinds, gives, ops, operands }
    }
}

/// The register that an operation writes, where that may be another one.
fn result_of(op: &mut Op) -> Option<&mut Reg> {
    match op {
        Op::Int(to, _)
        | Op::Real(to, _)
        | Op::Bool(to, _)
        | Op::Unary(_, to, _)
        | Op::Binary(_, to, ..)
        | Op::CompareInts(_, to, ..)
        | Op::CompareReals(_, to, ..)
        | Op::Get(to, ..)
        | Op::Measure(_, to, ..)
        | Op::CallNative(to, ..)
        | Op::Compute(Some(to), ..)
        | Op::Call(Some(to), ..) => Some(to),
        _ => None,
    }
}
