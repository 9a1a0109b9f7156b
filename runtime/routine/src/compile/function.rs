//! A function of a routine, operation by operation.

use std::collections::BTreeMap;
use std::mem::offset_of;

use cranelift_codegen::Context as Compilation;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AbiParam, Block, BlockArg, InstBuilder, InstructionData, MemFlagsData, Opcode, Signature, StackSlot,
    Type, Value, ValueDef, types,
};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};
use cranelift_jit::JITModule;
use cranelift_module::Module;
use hasse_model::plan::routine::{Function, Kind, MAX_CALL_LEVELS, Op, Operands, Reg};

use super::form::{DONE, Form, GAVE_UP, INTERRUPTED, Parts, constant, type_of};
use super::rows::Rows;
use crate::context::Context;
use crate::helpers::kind_code;

/// The translation of a function.
pub(super) struct Translation<'a, 'b> {
    pub(super) parts: &'a Parts<'a>,
    pub(super) function: &'a Function,
    pub(super) builder: FunctionBuilder<'b>,
    module: &'a mut JITModule,
    registers: Vec<Variable>,
    /// Where it ends without having come to the end.
    exits: Exits,
    /// The pointer to the context.
    pub(super) context: Value,
    caller: Caller,
    /// Where operands of helpers stand.
    pub(super) operand_slot: Option<StackSlot>,
}

/// What calls the function: where its parameters come from, and what it gives goes to.
enum Caller {
    /// A run; this points to its words.
    Run(Value),
    /// Runs one after another.
    Rows(Rows),
    /// A function of the routine, for whose parameters these stand, behind the number of calls that wait.
    Function(Value, Vec<Value>),
}

/// Blocks that are made when they are needed.
#[derive(Default)]
struct Exits {
    give_up: Option<Block>,
    interrupted: Option<Block>,
    /// Takes the status of the callee.
    failed: Option<Block>,
}

/// Translates a function into the compilation; `None` where a part of Cranelift refuses.
pub(super) fn translate(
    parts: &Parts<'_>,
    module: &mut JITModule,
    compilation: &mut Compilation,
    memory: &mut FunctionBuilderContext,
) -> Option<()> {
    let function = &parts.routine.functions[parts.function_idx];
    let config = module.target_config();
    let mut builder = FunctionBuilder::new(&mut compilation.func, memory);
    let entry = builder.create_block();
    builder.append_block_params_for_function_params(entry);
    builder.switch_to_block(entry);
    builder.seal_block(entry);
    let params = builder.block_params(entry).to_vec();
    let registers = function.kinds.iter().map(|&kind| builder.declare_var(type_of(kind))).collect();
    let (context, caller) = match parts.form {
        Form::Run => (params[1], Caller::Run(params[0])),
        Form::Rows => {
            let n_tracks = (parts.routine.inputs.len(), parts.routine.outputs.len());
            let table = params[..5].try_into().expect("the signature has a table and a context");
            // Answers depend on the row that asks.
            let context = (!parts.routine.asked.is_empty()).then_some(params[5]);
            (params[5], Caller::Rows(Rows::begin(&mut builder, table, n_tracks, context)))
        }
        Form::Function => (params[0], Caller::Function(params[1], params[2..].to_vec())),
    };
    let mut translation = Translation {
        parts,
        function,
        builder,
        module,
        registers,
        exits: Exits::default(),
        context,
        caller,
        operand_slot: None,
    };
    translation.begin();
    translation.ops()?;
    translation.leave();
    translation.builder.seal_all_blocks();
    translation.builder.finalize(config);
    Some(())
}

impl Translation<'_, '_> {
    /// Parameters into registers, zeros into all others.
    fn begin(&mut self) {
        let mut zeros = BTreeMap::new();
        for (idx, &kind) in self.function.kinds.iter().enumerate() {
            let value = if idx >= self.function.n_params {
                *zeros.entry(kind_code(kind)).or_insert_with(|| match kind {
                    Kind::Int => self.builder.ins().iconst(types::I64, 0),
                    Kind::Real => self.builder.ins().f64const(0.0),
                    Kind::Bool => self.builder.ins().iconst(types::I8, 0),
                })
            } else {
                self.parameter(idx, kind)
            };
            self.builder.def_var(self.registers[idx], value);
        }
    }

    fn parameter(&mut self, idx: usize, kind: Kind) -> Value {
        let (words, offset) = match &self.caller {
            Caller::Run(words) => (*words, word_offset(idx)),
            Caller::Rows(rows) => (rows.input(&mut self.builder, idx), 0),
            Caller::Function(_, params) => return params[idx],
        };
        let ins = self.builder.ins();
        match kind {
            Kind::Int => ins.load(types::I64, MemFlagsData::trusted(), words, offset),
            Kind::Real => ins.load(types::F64, MemFlagsData::trusted(), words, offset),
            Kind::Bool => {
                let word = ins.load(types::I64, MemFlagsData::trusted(), words, offset);
                self.builder.ins().icmp_imm_u(IntCC::NotEqual, word, 0)
            }
        }
    }

    fn ops(&mut self) -> Option<()> {
        let blocks = self.blocks();
        // Whether the block that is being filled has its end.
        let mut is_over = false;
        for (op_idx, &op) in self.function.ops.iter().enumerate() {
            if let Some(&(block, is_loop)) = blocks.get(&op_idx) {
                if !is_over {
                    self.builder.ins().jump(block, &[]);
                }
                self.builder.switch_to_block(block);
                if !is_loop {
                    // Whoever comes here stands before it.
                    self.builder.seal_block(block);
                }
                is_over = false;
            }
            // What nobody comes to is left out.
            if is_over {
                continue;
            }
            match op {
                Op::Jump(target) => {
                    self.builder.ins().jump(blocks[&(target as usize)].0, &[]);
                    is_over = true;
                }
                Op::JumpIf(flag, taken_if, target) => {
                    let flag = self.get(flag);
                    let target = blocks[&(target as usize)].0;
                    let next = self.builder.create_block();
                    if taken_if {
                        self.builder.ins().brif(flag, target, &[], next, &[]);
                    } else {
                        self.builder.ins().brif(flag, next, &[], target, &[]);
                    }
                    self.builder.switch_to_block(next);
                    self.builder.seal_block(next);
                }
                Op::Back(target) => {
                    self.look_for_stop();
                    self.builder.ins().jump(blocks[&(target as usize)].0, &[]);
                    is_over = true;
                }
                Op::Return(value) => {
                    is_over = true;
                    if let Caller::Rows(rows) = &self.caller {
                        self.builder.ins().jump(rows.done(), &[]);
                        continue;
                    }
                    let status = self.builder.ins().iconst(types::I32, DONE);
                    let value = value.map(|value| self.get(value));
                    let results: Vec<Value> = [status].into_iter().chain(value).collect();
                    self.builder.ins().return_(&results);
                }
                Op::GiveUp => {
                    let give_up = self.give_up_block();
                    self.builder.ins().jump(give_up, &[]);
                    is_over = true;
                }
                Op::Call(to, callee, operands) => self.call(to, callee as usize, operands)?,
                op => self.straight(op),
            }
        }
        Some(())
    }

    /// An operation after which the next one follows.
    fn straight(&mut self, op: Op) {
        match op {
            Op::Int(to, number) => {
                let value = self.builder.ins().iconst(types::I64, number);
                self.set(to, value);
            }
            Op::Real(to, number) => {
                let value = self.builder.ins().f64const(number);
                self.set(to, value);
            }
            Op::Bool(to, flag) => {
                let value = self.builder.ins().iconst(types::I8, i64::from(flag));
                self.set(to, value);
            }
            Op::Copy(to, from) => {
                let value = self.get(from);
                self.set(to, value);
            }
            Op::Unary(op, to, from) => {
                let value = self.get(from);
                let value = self.unary(op, value);
                self.set(to, value);
            }
            Op::Binary(op, to, one, other) => {
                let (one, other) = (self.get(one), self.get(other));
                let value = self.binary(op, one, other);
                self.set(to, value);
            }
            Op::CompareInts(comparison, to, one, other) => {
                let (one, other) = (self.get(one), self.get(other));
                let value = self.compare_ints(comparison, one, other);
                self.set(to, value);
            }
            Op::CompareReals(comparison, to, one, other) => {
                let (one, other) = (self.get(one), self.get(other));
                let value = self.compare_reals(comparison, one, other);
                self.set(to, value);
            }
            Op::CallNative(to, native, operands) => {
                let value = self.call_native(native, operands, self.function.kinds[to as usize]);
                self.set(to, value);
            }
            Op::Get(to, path, operands) => {
                let value = self.read(path, operands, self.function.kinds[to as usize]);
                self.set(to, value);
            }
            Op::Set(path, operands, from) => {
                let value = self.get(from);
                self.write(path, operands, self.function.kinds[from as usize], value);
            }
            Op::Measure(measure, to, path, operands) => {
                let value = self.measure(measure, path, operands);
                self.set(to, value);
            }
            Op::Compute(to, task, operands) => {
                let kind = to.map(|to| self.function.kinds[to as usize]);
                let answer = self.compute(task, operands, kind);
                if let (Some(to), Some(answer)) = (to, answer) {
                    self.set(to, answer);
                }
            }
            Op::Give(output, from) => self.give(output as usize, from),
            Op::Jump(_) | Op::JumpIf(..) | Op::Back(_) | Op::Call(..) | Op::Return(_) | Op::GiveUp => {
                unreachable!("an operation that is no straight one")
            }
        }
    }

    fn give(&mut self, output: usize, from: Reg) {
        let value = self.get(from);
        let kind = self.function.kinds[from as usize];
        match &self.caller {
            Caller::Run(words) => {
                let value = match kind {
                    Kind::Bool => self.builder.ins().uextend(types::I64, value),
                    Kind::Int | Kind::Real => value,
                };
                let offset = word_offset(self.parts.routine.inputs.len() + output);
                self.builder.ins().store(MemFlagsData::trusted(), value, *words, offset);
            }
            Caller::Rows(rows) => rows.give(&mut self.builder, output, (kind, value)),
            Caller::Function(..) => unreachable!("the first function alone gives"),
        }
    }

    /// A block for each operation that is gone to, and whether it is gone back to.
    fn blocks(&mut self) -> BTreeMap<usize, (Block, bool)> {
        let mut blocks = BTreeMap::new();
        for op in &self.function.ops {
            let (target, is_loop) = match *op {
                Op::Jump(target) | Op::JumpIf(_, _, target) => (target, false),
                Op::Back(target) => (target, true),
                _ => continue,
            };
            let (_, is_any_loop) =
                blocks.entry(target as usize).or_insert_with(|| (self.builder.create_block(), false));
            *is_any_loop |= is_loop;
        }
        blocks
    }

    fn call(&mut self, to: Option<Reg>, callee_idx: usize, operands: Operands) -> Option<()> {
        self.look_for_stop();
        let depth = match self.caller {
            Caller::Function(depth, _) => {
                let most = i64::from(MAX_CALL_LEVELS);
                let is_too_deep =
                    self.builder.ins().icmp_imm_u(IntCC::UnsignedGreaterThanOrEqual, depth, most);
                self.give_up_if(is_too_deep);
                self.builder.ins().iadd_imm_u(depth, 1)
            }
            Caller::Run(_) | Caller::Rows(_) => self.builder.ins().iconst(types::I32, 1),
        };
        let callee = self.module.declare_func_in_func(self.parts.ids[callee_idx], self.builder.func);
        let mut arguments = vec![self.context, depth];
        for &operand in self.function.operands(operands) {
            arguments.push(self.get(operand));
        }
        let call = self.builder.ins().call(callee, &arguments);
        let results = self.builder.inst_results(call).to_vec();
        let status = *results.first()?;
        let next = self.builder.create_block();
        let failed = match self.exits.failed {
            Some(failed) => failed,
            None => {
                let failed = self.cold_block();
                self.builder.append_block_param(failed, types::I32);
                *self.exits.failed.insert(failed)
            }
        };
        self.builder.ins().brif(status, failed, &[BlockArg::Value(status)], next, &[]);
        self.builder.switch_to_block(next);
        self.builder.seal_block(next);
        if let (Some(to), Some(&value)) = (to, results.get(1)) {
            self.set(to, value);
        }
        Some(())
    }

    /// Ends the run if the flag is set.
    fn look_for_stop(&mut self) {
        let stop = self.field(offset_of!(Context, stop));
        let stop = self.builder.ins().atomic_load(types::I8, MemFlagsData::trusted(), stop);
        let interrupted = match self.exits.interrupted {
            Some(block) => block,
            None => {
                let block = self.cold_block();
                *self.exits.interrupted.insert(block)
            }
        };
        let next = self.builder.create_block();
        self.builder.ins().brif(stop, interrupted, &[], next, &[]);
        self.builder.switch_to_block(next);
        self.builder.seal_block(next);
    }

    /// A pointer in the context that is the same for the whole run.
    pub(super) fn field(&mut self, offset: usize) -> Value {
        self.builder.ins().load(types::I64, constant(), self.context, offset as i32)
    }

    /// Fills the blocks of the exits, and that behind a row.
    fn leave(&mut self) {
        if let Caller::Rows(rows) = &self.caller {
            rows.end(&mut self.builder, self.context);
        }
        let exits = std::mem::take(&mut self.exits);
        for (block, status) in [(exits.give_up, GAVE_UP), (exits.interrupted, INTERRUPTED)] {
            if let Some(block) = block {
                self.builder.switch_to_block(block);
                let status = self.builder.ins().iconst(types::I32, status);
                self.fail(status);
            }
        }
        if let Some(block) = exits.failed {
            self.builder.switch_to_block(block);
            let status = self.builder.block_params(block)[0];
            self.fail(status);
        }
    }

    fn fail(&mut self, status: Value) {
        if let Caller::Rows(rows) = &self.caller {
            rows.tell(&mut self.builder, self.context);
        }
        let value = self.function.gives.map(|kind| match kind {
            Kind::Int => self.builder.ins().iconst(types::I64, 0),
            Kind::Real => self.builder.ins().f64const(0.0),
            Kind::Bool => self.builder.ins().iconst(types::I8, 0),
        });
        let results: Vec<Value> = [status].into_iter().chain(value).collect();
        self.builder.ins().return_(&results);
    }

    fn cold_block(&mut self) -> Block {
        let block = self.builder.create_block();
        self.builder.set_cold_block(block);
        block
    }

    pub(super) fn give_up_block(&mut self) -> Block {
        match self.exits.give_up {
            Some(block) => block,
            None => {
                let block = self.cold_block();
                *self.exits.give_up.insert(block)
            }
        }
    }

    /// Gives up if the flag is not zero.
    pub(super) fn give_up_if(&mut self, flag: Value) {
        let next = self.builder.create_block();
        let give_up = self.give_up_block();
        self.builder.ins().brif(flag, give_up, &[], next, &[]);
        self.builder.switch_to_block(next);
        self.builder.seal_block(next);
    }

    /// Gives up if the flag is zero.
    pub(super) fn give_up_unless(&mut self, flag: Value) {
        let next = self.builder.create_block();
        let give_up = self.give_up_block();
        self.builder.ins().brif(flag, next, &[], give_up, &[]);
        self.builder.switch_to_block(next);
        self.builder.seal_block(next);
    }

    /// Gives up for good. What follows is a block that nobody comes to.
    pub(super) fn give_up(&mut self) {
        let give_up = self.give_up_block();
        self.builder.ins().jump(give_up, &[]);
        let next = self.builder.create_block();
        self.builder.switch_to_block(next);
        self.builder.seal_block(next);
    }

    /// Calls a helper at an address.
    pub(super) fn helper(
        &mut self,
        address: *const u8,
        params: &[Type],
        returns: Option<Type>,
        arguments: &[Value],
    ) -> Option<Value> {
        let mut signature = Signature::new(self.module.target_config().default_call_conv);
        signature.params.extend(params.iter().map(|&ty| AbiParam::new(ty)));
        signature.returns.extend(returns.map(AbiParam::new));
        let signature = self.builder.import_signature(signature);
        let address = address.expose_provenance() as i64;
        let address = self.builder.ins().iconst(types::I64, address);
        let call = self.builder.ins().call_indirect(signature, address, arguments);
        self.builder.inst_results(call).first().copied()
    }

    /// What a helper left in the context.
    pub(super) fn result(&mut self, ty: Type) -> Value {
        let offset = offset_of!(Context, result) as i32;
        self.builder.ins().load(ty, MemFlagsData::trusted(), self.context, offset)
    }

    /// The value of a register.
    pub(super) fn get(&mut self, reg: Reg) -> Value {
        self.builder.use_var(self.registers[reg as usize])
    }

    fn set(&mut self, reg: Reg, value: Value) {
        self.builder.def_var(self.registers[reg as usize], value);
    }

    /// The number that a value is known to be.
    pub(super) fn known(&self, value: Value) -> Option<i64> {
        let dfg = &self.builder.func.dfg;
        let ValueDef::Result(inst, 0) = dfg.value_def(dfg.resolve_aliases(value)) else { return None };
        match dfg.insts[inst] {
            InstructionData::UnaryImm { opcode: Opcode::Iconst, imm } => Some(imm.bits()),
            _ => None,
        }
    }
}

/// Bytes from the first word to that one. A routine has far fewer words than fit.
fn word_offset(idx: usize) -> i32 {
    i32::try_from(idx * 8).expect("words are few")
}
