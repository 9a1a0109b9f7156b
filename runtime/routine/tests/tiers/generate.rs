//! Random routines that are valid: straight operations, branches, loops that end, calls, and ways into objects.

use hasse_model::id::SlotId;
use hasse_model::plan::routine::{
    Answer, Argument, BinaryOp, Comparison, Computation, Function, Input, Kind, Measure, Object, Op,
    Operands, Output, Path, Place, Reg, Routine, Step,
};
use hasse_model::value::Type;

use crate::computations;
use crate::natives;
use crate::operators::{COMPARISONS, INTS, REALS, UNARY};
use crate::tape::Tape;
use crate::values;

/// Registers of each kind that statements use.
const N_OF_KIND: usize = 4;

const KINDS: [Kind; 3] = [Kind::Int, Kind::Real, Kind::Bool];

/// A valid routine.
pub(crate) fn routine(tape: &mut Tape) -> Routine {
    let (inputs, outputs) = words(tape);
    let n_objects = tape.below(4);
    let objects = (0..n_objects).map(|idx| Object {
        slot: SlotId::from_idx(idx),
        ty: values::object_type(tape),
        is_written: tape.below(3) > 0,
    });
    let objects: Vec<Object> = objects.collect();
    let mut paths = Vec::new();
    for (object, declared) in objects.iter().enumerate() {
        for _ in 0..4 {
            let steps = steps(tape, &declared.ty);
            paths.push(Path { object: object as u32, steps });
        }
    }
    let natives = natives::natives();
    let mut routine = Routine { inputs, outputs, objects, paths, natives, ..Routine::default() };
    computations::add(&mut routine, tape);
    fill(&mut routine, tape);
    routine
}

/// A valid routine that may be run for the rows of a table.
pub(crate) fn routine_of_scalars(tape: &mut Tape) -> Routine {
    let (inputs, outputs) = words(tape);
    let mut routine = Routine { inputs, outputs, natives: natives::natives(), ..Routine::default() };
    fill(&mut routine, tape);
    routine
}

fn words(tape: &mut Tape) -> (Vec<Input>, Vec<Output>) {
    let inputs = (0..tape.below(6)).map(|_| tape.one_of(&KINDS)).map(input).collect();
    let n_outputs = 1 + tape.below(4);
    let outputs = (0..n_outputs).map(|_| Output { place: Place::Value, kind: tape.one_of(&KINDS) }).collect();
    (inputs, outputs)
}

/// Writes the functions.
fn fill(routine: &mut Routine, tape: &mut Tape) {
    let first_values = computations::first_values(routine);
    let signatures: Vec<(Vec<Kind>, Option<Kind>)> = (0..tape.below(3))
        .map(|_| {
            // The first parameter says how deep a function may still call itself.
            let params = [Kind::Int].into_iter().chain((0..tape.below(4)).map(|_| tape.one_of(&KINDS)));
            let params = params.collect();
            (params, [None, Some(Kind::Int), Some(Kind::Real), Some(Kind::Bool)][tape.below(4)])
        })
        .collect();
    for function_idx in 0..=signatures.len() {
        let (params, gives) = match function_idx {
            0 => (routine.inputs.iter().map(|input| input.kind).collect(), None),
            idx => signatures[idx - 1].clone(),
        };
        let mut builder = Builder::new(routine, &signatures, function_idx, params, gives);
        if function_idx == 0 {
            for &place in &first_values {
                let regs: Vec<Reg> = routine.computations[place]
                    .arguments
                    .iter()
                    .filter_map(|argument| match argument {
                        Argument::Scalar(kind) => Some(builder.all[*kind as usize][0]),
                        Argument::Part(_) => None,
                    })
                    .collect();
                let operands = builder.operands(&regs);
                builder.push(Op::Compute(None, place as u32, operands));
            }
        }
        let function = builder.build(tape);
        routine.functions.push(function);
    }
}

fn input(kind: Kind) -> Input {
    Input { place: Place::Value, kind, is_optional: false, is_presence: false }
}

/// Steps as far inwards as it goes, or not as far.
pub(crate) fn steps(tape: &mut Tape, ty: &Type) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut ty = ty.clone();
    while tape.below(8) > 0 {
        let (step, inner) = match ty {
            Type::Array(item_type) => (Step::Item, *item_type),
            Type::Vector => (Step::Entry, Type::Real),
            Type::Matrix => (Step::Cell, Type::Real),
            Type::Struct(held) => {
                let field_idx = tape.below(held.shape().fields.len());
                let field_type = held.field_type(field_idx).expect("there is one");
                (Step::Field(field_idx as u32), field_type)
            }
            _ => break,
        };
        steps.push(step);
        ty = inner;
    }
    steps
}

/// A function that is being written.
struct Builder<'a> {
    routine: &'a Routine,
    signatures: &'a [(Vec<Kind>, Option<Kind>)],
    function_idx: usize,
    function: Function,
    /// Registers that statements may write, by kind.
    free: [Vec<Reg>; 3],
    /// Registers that they may read.
    all: [Vec<Reg>; 3],
    /// Loops and branches that are open.
    level: usize,
    loop_level: usize,
    has_recursion: bool,
}

impl<'a> Builder<'a> {
    fn new(
        routine: &'a Routine,
        signatures: &'a [(Vec<Kind>, Option<Kind>)],
        function_idx: usize,
        params: Vec<Kind>,
        gives: Option<Kind>,
    ) -> Self {
        let function = Function {
            name: String::new(),
            n_params: params.len(),
            kinds: Vec::new(),
            gives,
            ops: Vec::new(),
            operands: Vec::new(),
        };
        let mut builder = Self {
            routine,
            signatures,
            function_idx,
            function,
            free: Default::default(),
            all: Default::default(),
            level: 0,
            loop_level: 0,
            has_recursion: false,
        };
        for (idx, &kind) in params.iter().enumerate() {
            let reg = builder.reg(kind);
            // How deep a function may call itself is not to be written.
            if function_idx == 0 || idx > 0 {
                builder.free[kind as usize].push(reg);
            }
        }
        for kind in KINDS {
            for _ in 0..N_OF_KIND {
                let reg = builder.reg(kind);
                builder.free[kind as usize].push(reg);
            }
        }
        builder
    }

    fn build(mut self, tape: &mut Tape) -> Function {
        for _ in 0..3 + tape.below(14) {
            self.statement(tape);
        }
        if self.function_idx == 0 {
            for output in 0..self.routine.outputs.len() {
                self.give(tape, output);
            }
        }
        let value = self.function.gives.map(|kind| self.any(tape, kind));
        self.push(Op::Return(value));
        self.function
    }

    fn reg(&mut self, kind: Kind) -> Reg {
        let reg = self.function.kinds.len() as Reg;
        self.function.kinds.push(kind);
        self.all[kind as usize].push(reg);
        reg
    }

    fn any(&self, tape: &mut Tape, kind: Kind) -> Reg {
        tape.one_of(&self.all[kind as usize])
    }

    fn target(&self, tape: &mut Tape, kind: Kind) -> Reg {
        tape.one_of(&self.free[kind as usize])
    }

    fn push(&mut self, op: Op) -> usize {
        self.function.ops.push(op);
        self.function.ops.len() - 1
    }

    fn here(&self) -> u32 {
        self.function.ops.len() as u32
    }

    fn operands(&mut self, regs: &[Reg]) -> Operands {
        let start = self.function.operands.len() as u32;
        self.function.operands.extend_from_slice(regs);
        Operands { start, len: regs.len() as u32 }
    }

    fn statement(&mut self, tape: &mut Tape) {
        match tape.below(30) {
            0..2 => self.constant(tape),
            2 => {
                let kind = tape.one_of(&KINDS);
                let op = Op::Copy(self.target(tape, kind), self.any(tape, kind));
                self.push(op);
            }
            3..6 => {
                let (op, takes, gives) = tape.one_of(&UNARY);
                let op = Op::Unary(op, self.target(tape, gives), self.any(tape, takes));
                self.push(op);
            }
            6..10 => self.binary(tape),
            10..13 => self.compare(tape),
            13..16 if self.level < 3 => self.branch(tape),
            16..18 if self.loop_level < 2 => self.repeat(tape),
            18 => self.call(tape),
            19 if self.function_idx == 0 => {
                let output = tape.below(self.routine.outputs.len());
                self.give(tape, output);
            }
            20..26 if !self.routine.paths.is_empty() => self.way(tape),
            26..28 => self.call_native(tape),
            28..30 if !self.routine.computations.is_empty() => self.compute(tape),
            _ => self.constant(tape),
        }
    }

    fn constant(&mut self, tape: &mut Tape) {
        let kind = tape.one_of(&KINDS);
        let to = self.target(tape, kind);
        self.push(match kind {
            Kind::Int => Op::Int(to, values::int(tape)),
            Kind::Real => Op::Real(to, values::real(tape)),
            Kind::Bool => Op::Bool(to, tape.below(2) == 1),
        });
    }

    fn binary(&mut self, tape: &mut Tape) {
        let (op, kind) = match tape.below(5) {
            0..2 => (tape.one_of(&INTS), Kind::Int),
            2..4 => (tape.one_of(&REALS), Kind::Real),
            _ => (tape.one_of(&[BinaryOp::BitAnd, BinaryOp::BitOr, BinaryOp::BitXor]), Kind::Bool),
        };
        let other = self.any(tape, kind);
        if kind == Kind::Int && tape.below(3) > 0 {
            // A known operand, as texts have them.
            let other = self.target(tape, Kind::Int);
            let number = values::int(tape);
            self.push(Op::Int(other, number));
        }
        let op = Op::Binary(op, self.target(tape, kind), self.any(tape, kind), other);
        self.push(op);
    }

    fn compare(&mut self, tape: &mut Tape) {
        let kind = tape.one_of(&KINDS);
        let comparison = tape.one_of(&COMPARISONS);
        let (to, one, other) = (self.target(tape, Kind::Bool), self.any(tape, kind), self.any(tape, kind));
        self.push(match kind {
            Kind::Real => Op::CompareReals(comparison, to, one, other),
            _ => Op::CompareInts(comparison, to, one, other),
        });
    }

    fn branch(&mut self, tape: &mut Tape) {
        let flag = self.any(tape, Kind::Bool);
        let taken_if = tape.below(2) == 1;
        let branch = self.push(Op::JumpIf(flag, taken_if, 0));
        self.block(tape);
        match tape.below(12) {
            0 => {
                self.push(Op::GiveUp);
            }
            1 => {
                let value = self.function.gives.map(|kind| self.any(tape, kind));
                self.push(Op::Return(value));
            }
            2..6 => {
                let over = self.push(Op::Jump(0));
                self.function.ops[branch] = Op::JumpIf(flag, taken_if, self.here());
                self.block(tape);
                self.function.ops[over] = Op::Jump(self.here());
                return;
            }
            _ => {}
        }
        self.function.ops[branch] = Op::JumpIf(flag, taken_if, self.here());
    }

    fn block(&mut self, tape: &mut Tape) {
        self.level += 1;
        for _ in 0..1 + tape.below(4) {
            if tape.has_more() {
                self.statement(tape);
            }
        }
        self.constant(tape);
        self.level -= 1;
    }

    fn repeat(&mut self, tape: &mut Tape) {
        let (counter, limit, one) = (self.reg(Kind::Int), self.reg(Kind::Int), self.reg(Kind::Int));
        let goes_on = self.reg(Kind::Bool);
        self.push(Op::Int(counter, 0));
        self.push(Op::Int(limit, tape.below(7) as i64));
        self.push(Op::Int(one, 1));
        let head = self.here();
        self.push(Op::CompareInts(Comparison::Less, goes_on, counter, limit));
        let exit = self.push(Op::JumpIf(goes_on, false, 0));
        self.loop_level += 1;
        self.block(tape);
        self.loop_level -= 1;
        self.push(Op::Binary(BinaryOp::AddInts, counter, counter, one));
        self.push(Op::Back(head));
        self.function.ops[exit] = Op::JumpIf(goes_on, false, self.here());
    }

    fn call(&mut self, tape: &mut Tape) {
        let n_later = self.signatures.len() - self.function_idx;
        let calls_itself =
            self.function_idx > 0 && self.loop_level == 0 && !self.has_recursion && tape.below(2) == 0;
        if calls_itself {
            self.has_recursion = true;
            let (less, one) = (self.reg(Kind::Int), self.reg(Kind::Int));
            let is_over = self.reg(Kind::Bool);
            self.push(Op::Int(one, 1));
            self.push(Op::CompareInts(Comparison::Less, is_over, 0, one));
            let over = self.push(Op::JumpIf(is_over, true, 0));
            self.push(Op::Binary(BinaryOp::SubtractInts, less, 0, one));
            self.call_to(tape, self.function_idx, less);
            self.constant(tape);
            self.function.ops[over] = Op::JumpIf(is_over, true, self.here());
        } else if n_later > 0 {
            let callee_idx = self.function_idx + 1 + tape.below(n_later);
            let depth = self.reg(Kind::Int);
            let levels = if tape.below(8) == 0 { 45 + tape.below(6) } else { tape.below(4) };
            self.push(Op::Int(depth, levels as i64));
            self.call_to(tape, callee_idx, depth);
        }
    }

    fn call_to(&mut self, tape: &mut Tape, callee_idx: usize, depth: Reg) {
        let (params, gives) = &self.signatures[callee_idx - 1];
        let mut arguments = vec![depth];
        arguments.extend(params[1..].iter().map(|&kind| self.any(tape, kind)));
        let operands = self.operands(&arguments);
        let to = gives.filter(|_| tape.below(5) > 0).map(|kind| self.target(tape, kind));
        self.push(Op::Call(to, callee_idx as u32, operands));
    }

    fn call_native(&mut self, tape: &mut Tape) {
        let native_idx = tape.below(self.routine.natives.len());
        let signature = &self.routine.natives[native_idx].signature;
        let arguments: Vec<Reg> = signature.takes.iter().map(|&kind| self.any(tape, kind)).collect();
        let operands = self.operands(&arguments);
        let op = Op::CallNative(self.target(tape, signature.gives), native_idx as u32, operands);
        self.push(op);
    }

    fn compute(&mut self, tape: &mut Tape) {
        let place = tape.below(self.routine.computations.len());
        let Computation { arguments, result, .. } = &self.routine.computations[place];
        let mut regs = Vec::new();
        for argument in arguments {
            match *argument {
                Argument::Scalar(Kind::Int) => regs.push(self.small(tape)),
                Argument::Scalar(kind) => regs.push(self.any(tape, kind)),
                Argument::Part(path) => {
                    for step in &self.routine.paths[path as usize].steps {
                        for _ in 0..step.n_operands() {
                            regs.push(self.small(tape));
                        }
                    }
                }
            }
        }
        let operands = self.operands(&regs);
        let to = match *result {
            Answer::Scalar(kind) => Some(self.target(tape, kind)),
            Answer::Nothing | Answer::Object(_) => None,
        };
        self.push(Op::Compute(to, place as u32, operands));
    }

    /// A register with a number, mostly that of an item.
    fn small(&mut self, tape: &mut Tape) -> Reg {
        if tape.below(6) == 0 {
            return self.any(tape, Kind::Int);
        }
        let reg = self.reg(Kind::Int);
        let number = if tape.below(10) == 0 { tape.below(600) as i64 - 3 } else { tape.below(4) as i64 };
        self.push(Op::Int(reg, number));
        reg
    }

    fn give(&mut self, tape: &mut Tape, output: usize) {
        let from = self.any(tape, self.routine.outputs[output].kind);
        self.push(Op::Give(output as u32, from));
    }

    fn way(&mut self, tape: &mut Tape) {
        let path = tape.below(self.routine.paths.len());
        let Path { object, steps } = &self.routine.paths[path];
        let n_operands: usize = steps.iter().map(|step| step.n_operands()).sum();
        let regs: Vec<Reg> = (0..n_operands).map(|_| self.small(tape)).collect();
        let operands = self.operands(&regs);
        let is_written = self.routine.objects.get(*object as usize).is_none_or(|object| object.is_written);
        // Most kinds are those that stand there.
        let ends_in_entry = matches!(steps.last(), Some(Step::Entry | Step::Cell));
        let kind = if ends_in_entry && tape.below(12) > 0 { Kind::Real } else { tape.one_of(&KINDS) };
        let op = if steps.is_empty() || tape.below(8) == 0 {
            let measure = match self.routine.object_type(*object as usize) {
                Some(Type::Matrix) => tape.one_of(&[Measure::Rows, Measure::Cols]),
                _ => Measure::Len,
            };
            Op::Measure(measure, self.target(tape, Kind::Int), path as u32, operands)
        } else if is_written && tape.below(2) == 0 {
            Op::Set(path as u32, operands, self.any(tape, kind))
        } else {
            Op::Get(self.target(tape, kind), path as u32, operands)
        };
        self.push(op);
    }
}
