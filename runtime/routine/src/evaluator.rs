//! The first tier: a loop over the operations, in safe Rust.

use std::sync::atomic::{AtomicBool, Ordering};

use hasse_model::plan::routine::{Function, Kind, MAX_CALL_LEVELS, Op, Reg};

use crate::compute::Bench;
use crate::links::Links;
use crate::scalar::{binary, unary};

/// How an evaluation ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// At the end of the routine.
    Done,
    /// The interpreter is to go on.
    GaveUp,
    /// The run is to end.
    Interrupted,
    /// There is a faster tier now.
    Outgrown,
}

/// Memory of evaluations.
#[derive(Debug, Default)]
pub(crate) struct Stack {
    /// Registers of all functions that are being executed, the innermost last.
    registers: Vec<u64>,
    /// The callers.
    frames: Vec<Frame>,
    /// Operands of a path, or of a function that is registered in Rust.
    operands: Vec<u64>,
}

/// A function that waits for another one.
#[derive(Clone, Copy, Debug)]
struct Frame {
    function_idx: usize,
    /// Where it goes on.
    op_idx: usize,
    /// Position of its first register.
    base: usize,
    /// Where the value goes.
    to: Option<Reg>,
}

/// What an evaluation works on.
pub(crate) struct Evaluation<'a> {
    pub(crate) links: &'a Links,
    /// Inputs, then outputs.
    pub(crate) words: &'a mut [u64],
    /// The routine, and its objects.
    pub(crate) bench: Bench<'a>,
    pub(crate) stop: &'a AtomicBool,
    /// Number of times that it went back or called a function.
    pub(crate) ticks: u64,
    /// At how many ticks it asks whether it has been outgrown.
    pub(crate) patience: u64,
}

impl Evaluation<'_> {
    /// Executes the routine. `ask` says whether there is a faster tier now, and if not, at how many ticks to ask again.
    ///
    /// The routine must have been verified: what else it does with one that was not is to panic.
    pub(crate) fn run(&mut self, stack: &mut Stack, ask: &mut dyn FnMut(u64) -> Result<u64, ()>) -> Outcome {
        let Stack { registers, frames, operands } = stack;
        let routine = self.bench.routine;
        let mut function = &routine.functions[0];
        let mut function_idx = 0;
        let mut op_idx = 0;
        let mut base = 0;
        frames.clear();
        registers.clear();
        registers.resize(function.kinds.len(), 0);
        for (reg, input) in routine.inputs.iter().enumerate() {
            registers[reg] =
                if input.kind == Kind::Bool { u64::from(self.words[reg] != 0) } else { self.words[reg] };
        }
        'function: loop {
            let regs = &mut registers[base..];
            macro_rules! or_give_up {
                ($value:expr) => {
                    match $value {
                        Some(value) => value,
                        None => return Outcome::GaveUp,
                    }
                };
            }
            loop {
                let op = function.ops[op_idx];
                op_idx += 1;
                match op {
                    Op::Int(to, number) => regs[to as usize] = number.cast_unsigned(),
                    Op::Real(to, number) => regs[to as usize] = number.to_bits(),
                    Op::Bool(to, flag) => regs[to as usize] = u64::from(flag),
                    Op::Copy(to, from) => regs[to as usize] = regs[from as usize],
                    Op::Unary(op, to, from) => {
                        regs[to as usize] = or_give_up!(unary(op, regs[from as usize]))
                    }
                    Op::Binary(op, to, one, other) => {
                        regs[to as usize] = or_give_up!(binary(op, regs[one as usize], regs[other as usize]));
                    }
                    Op::CompareInts(comparison, to, one, other) => {
                        let one = regs[one as usize].cast_signed();
                        let other = regs[other as usize].cast_signed();
                        regs[to as usize] = u64::from(comparison.of_ints(one, other));
                    }
                    Op::CompareReals(comparison, to, one, other) => {
                        let one = f64::from_bits(regs[one as usize]);
                        let other = f64::from_bits(regs[other as usize]);
                        regs[to as usize] = u64::from(comparison.of_reals(one, other));
                    }
                    Op::Jump(target) => op_idx = target as usize,
                    Op::JumpIf(flag, taken_if, target) => {
                        if (regs[flag as usize] != 0) == taken_if {
                            op_idx = target as usize;
                        }
                    }
                    Op::Back(target) => {
                        if let Some(outcome) = self.tick(ask) {
                            return outcome;
                        }
                        op_idx = target as usize;
                    }
                    Op::Call(to, callee_idx, arguments) => {
                        if let Some(outcome) = self.tick(ask) {
                            return outcome;
                        }
                        if frames.len() >= MAX_CALL_LEVELS as usize {
                            return Outcome::GaveUp;
                        }
                        frames.push(Frame { function_idx, op_idx, base, to });
                        let callee_base = registers.len();
                        let callee = &routine.functions[callee_idx as usize];
                        registers.resize(callee_base + callee.kinds.len(), 0);
                        for (param, &argument) in function.operands(arguments).iter().enumerate() {
                            registers[callee_base + param] = registers[base + argument as usize];
                        }
                        (function, function_idx, base, op_idx) =
                            (callee, callee_idx as usize, callee_base, 0);
                        continue 'function;
                    }
                    Op::Return(value) => {
                        let word = value.map_or(0, |reg| regs[reg as usize]);
                        let Some(frame) = frames.pop() else { return Outcome::Done };
                        registers.truncate(base);
                        (function_idx, op_idx, base) = (frame.function_idx, frame.op_idx, frame.base);
                        function = &routine.functions[function_idx];
                        if let Some(to) = frame.to {
                            registers[base + to as usize] = word;
                        }
                        continue 'function;
                    }
                    Op::CallNative(to, native, arguments) => {
                        let arguments = read(function, arguments, regs, operands);
                        regs[to as usize] = or_give_up!(self.links.natives[native as usize].call(arguments));
                    }
                    Op::Get(to, path, places) => {
                        let places = read(function, places, regs, operands);
                        let kind = function.kinds[to as usize];
                        let route = &self.links.routes[path as usize];
                        regs[to as usize] = or_give_up!(route.get(self.bench.objects, places, kind));
                    }
                    Op::Set(path, places, from) => {
                        let places = read(function, places, regs, operands);
                        let kind = function.kinds[from as usize];
                        let word = regs[from as usize];
                        let route = &self.links.routes[path as usize];
                        let Bench { objects, journal, .. } = &mut self.bench;
                        or_give_up!(route.set(objects, journal, places, kind, word));
                    }
                    Op::Measure(measure, to, path, places) => {
                        let places = read(function, places, regs, operands);
                        let route = &self.links.routes[path as usize];
                        regs[to as usize] = or_give_up!(route.measure(self.bench.objects, places, measure));
                    }
                    Op::Compute(to, task, arguments) => {
                        let arguments = read(function, arguments, regs, operands);
                        let answer = or_give_up!(self.bench.run(&self.links.tasks[task as usize], arguments));
                        if let Some(to) = to {
                            regs[to as usize] = answer;
                        }
                    }
                    Op::Give(output, from) => {
                        self.words[routine.inputs.len() + output as usize] = regs[from as usize];
                    }
                    Op::GiveUp => return Outcome::GaveUp,
                }
            }
        }
    }

    /// Counts, and says whether and how the evaluation ends here.
    #[inline]
    fn tick(&mut self, ask: &mut dyn FnMut(u64) -> Result<u64, ()>) -> Option<Outcome> {
        self.ticks += 1;
        if self.stop.load(Ordering::Relaxed) {
            return Some(Outcome::Interrupted);
        }
        if self.ticks >= self.patience {
            match ask(self.ticks) {
                Ok(patience) => self.patience = patience,
                Err(()) => return Some(Outcome::Outgrown),
            }
        }
        None
    }
}

/// The words of operands.
#[inline]
fn read<'a>(
    function: &Function,
    operands: hasse_model::plan::routine::Operands,
    regs: &[u64],
    words: &'a mut Vec<u64>,
) -> &'a [u64] {
    words.clear();
    words.extend(function.operands(operands).iter().map(|&reg| regs[reg as usize]));
    words
}
