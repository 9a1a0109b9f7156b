//! Operations on objects: entries of vectors and matrices by instructions, all else by helpers; and the helper that calls
//! what is registered in Rust.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, StackSlotData, StackSlotKind, Type, Value, types};
use hasse_model::plan::routine::{Kind, Measure, Operands};

use super::form::{constant, type_of};
use super::function::Translation;
use crate::compute::Task;
use crate::context::Context;
use crate::helpers;
use crate::route::Shape;
use crate::view::View;

impl Translation<'_, '_> {
    /// The scalar at the end of a path.
    pub(super) fn read(&mut self, path: u32, operands: Operands, kind: Kind) -> Value {
        let route = &self.parts.routes[path as usize];
        if !matches!(route.shape, Shape::Entry | Shape::Cell) {
            let code = helpers::kind_code(kind);
            return self.ask(helpers::get as *const u8, path, code, operands, type_of(kind));
        }
        if kind != Kind::Real {
            self.give_up();
            return self.builder.ins().iconst(type_of(kind), 0);
        }
        let object_idx = route.object_idx;
        let place = self.place(route.shape, object_idx, operands);
        let flags = if self.is_written(object_idx) {
            MemFlagsData::trusted()
        } else {
            MemFlagsData::trusted().with_readonly()
        };
        let address = self.address(object_idx, place);
        self.builder.ins().load(types::F64, flags, address, 0)
    }

    /// Writes the scalar at the end of a path.
    pub(super) fn write(&mut self, path: u32, operands: Operands, kind: Kind, value: Value) {
        let route = &self.parts.routes[path as usize];
        if !matches!(route.shape, Shape::Entry | Shape::Cell) {
            self.write_by_helper(path, operands, kind, value);
            return;
        }
        if kind != Kind::Real {
            self.give_up();
            return;
        }
        let object_idx = route.object_idx;
        let place = self.place(route.shape, object_idx, operands);
        let is_direct =
            self.view(object_idx, offset_of!(View, is_direct), types::I64, MemFlagsData::trusted());
        let (direct, told, next) =
            (self.builder.create_block(), self.builder.create_block(), self.builder.create_block());
        self.builder.set_cold_block(told);
        self.builder.ins().brif(is_direct, direct, &[], told, &[]);

        self.builder.switch_to_block(told);
        self.builder.seal_block(told);
        let object = self.builder.ins().iconst(types::I64, object_idx as i64);
        let params = [types::I64, types::I64, types::I64, types::F64];
        self.helper(helpers::write_entry as *const u8, &params, None, &[self.context, object, place, value]);
        self.builder.ins().jump(next, &[]);

        self.builder.switch_to_block(direct);
        self.builder.seal_block(direct);
        let address = self.address(object_idx, place);
        self.builder.ins().store(MemFlagsData::trusted(), value, address, 0);
        self.builder.ins().jump(next, &[]);

        self.builder.switch_to_block(next);
        self.builder.seal_block(next);
    }

    /// The size of what stands at the end of a path.
    pub(super) fn measure(&mut self, measure: Measure, path: u32, operands: Operands) -> Value {
        let route = &self.parts.routes[path as usize];
        let offset = match (measure, route.shape) {
            (Measure::Len, Shape::Vector | Shape::Array) | (Measure::Rows, Shape::Matrix) => {
                offset_of!(View, n_rows)
            }
            (Measure::Cols, Shape::Matrix) => offset_of!(View, n_cols),
            _ => {
                let code = helpers::measure_code(measure);
                return self.ask(helpers::measure as *const u8, path, code, operands, types::I64);
            }
        };
        self.size(route.object_idx, offset)
    }

    /// Whether the entries of an object may change during a run, or be others.
    fn is_written(&self, object_idx: usize) -> bool {
        self.parts.routine.objects.get(object_idx).is_none_or(|object| object.is_written)
    }

    /// A field of an object's view that says how large it is.
    fn size(&mut self, object_idx: usize, offset: usize) -> Value {
        let flags = if self.parts.is_resized[object_idx] { MemFlagsData::trusted() } else { constant() };
        self.view(object_idx, offset, types::I64, flags)
    }

    /// The position of an entry, which is one: the routine gives up where it is not.
    fn place(&mut self, shape: Shape, object_idx: usize, operands: Operands) -> Value {
        let operands = self.function.operands(operands);
        let row = self.get(operands[0]);
        let n_rows = self.size(object_idx, offset_of!(View, n_rows));
        let is_row = self.builder.ins().icmp(IntCC::UnsignedLessThan, row, n_rows);
        self.give_up_unless(is_row);
        if shape == Shape::Entry {
            return row;
        }
        let col = self.get(operands[1]);
        let n_cols = self.size(object_idx, offset_of!(View, n_cols));
        let is_col = self.builder.ins().icmp(IntCC::UnsignedLessThan, col, n_cols);
        self.give_up_unless(is_col);
        let start = self.builder.ins().imul(col, n_rows);
        self.builder.ins().iadd(start, row)
    }

    /// The address of the entry at a position.
    fn address(&mut self, object_idx: usize, place: Value) -> Value {
        let flags = if self.is_written(object_idx) { MemFlagsData::trusted() } else { constant() };
        let data = self.view(object_idx, offset_of!(View, data), types::I64, flags);
        let bytes = self.builder.ins().ishl_imm_u(place, 3);
        self.builder.ins().iadd(data, bytes)
    }

    /// A field of the view of an object.
    fn view(&mut self, object_idx: usize, offset: usize, ty: Type, flags: MemFlagsData) -> Value {
        let views = self.field(offset_of!(Context, views));
        let offset = object_idx * size_of::<View>() + offset;
        // Caught where the routine is compiled: it stays with the evaluator.
        let offset = i32::try_from(offset).expect("objects are few");
        self.builder.ins().load(ty, flags, views, offset)
    }

    /// Calls a helper that leaves a result.
    fn ask(&mut self, helper: *const u8, path: u32, code: u32, operands: Operands, ty: Type) -> Value {
        let arguments = self.way(path, code, operands);
        let params = [types::I64, types::I32, types::I32, types::I64];
        let has_value = self.helper(helper, &params, Some(types::I32), &arguments);
        self.take(has_value);
        self.result(ty)
    }

    fn write_by_helper(&mut self, path: u32, operands: Operands, kind: Kind, value: Value) {
        let [context, path, code, operands] = self.way(path, helpers::kind_code(kind), operands);
        let word = self.word(value, kind);
        let params = [types::I64, types::I32, types::I32, types::I64, types::I64];
        let arguments = [context, path, code, operands, word];
        let has_value = self.helper(helpers::set as *const u8, &params, Some(types::I32), &arguments);
        self.take(has_value);
    }

    /// The arguments by which helpers know a way: context, path, kind or measure, and operands.
    fn way(&mut self, path: u32, code: u32, operands: Operands) -> [Value; 4] {
        let operands = self.put_operands(operands);
        let path = self.builder.ins().iconst(types::I32, i64::from(path));
        let code = self.builder.ins().iconst(types::I32, i64::from(code));
        [self.context, path, code, operands]
    }

    /// The answer of a function that is registered in Rust.
    pub(super) fn call_native(&mut self, native: u32, operands: Operands, kind: Kind) -> Value {
        let operands = self.put_operands(operands);
        let native = self.builder.ins().iconst(types::I32, i64::from(native));
        let params = [types::I64, types::I32, types::I64];
        let arguments = [self.context, native, operands];
        let has_value = self.helper(helpers::call_native as *const u8, &params, Some(types::I32), &arguments);
        self.take(has_value);
        self.result(type_of(kind))
    }

    /// Does something with objects as wholes; gives its answer where that is a scalar.
    pub(super) fn compute(&mut self, task: u32, operands: Operands, kind: Option<Kind>) -> Option<Value> {
        let operands = self.put_operands(operands);
        let task = self.builder.ins().iconst(types::I32, i64::from(task));
        let params = [types::I64, types::I32, types::I64];
        let arguments = [self.context, task, operands];
        let has_value = self.helper(helpers::compute as *const u8, &params, Some(types::I32), &arguments);
        self.take(has_value);
        kind.map(|kind| self.result(type_of(kind)))
    }

    /// Puts operands on the stack as words, and gives their address.
    fn put_operands(&mut self, operands: Operands) -> Value {
        let slot = match self.operand_slot {
            Some(slot) => slot,
            None => {
                // Room for the longest path, and for the most arguments.
                let of_paths = self.parts.routes.iter().map(|route| route.n_operands);
                let of_natives = self.parts.routine.natives.iter().map(|native| native.signature.takes.len());
                let computations = self.parts.routine.computations.iter();
                let of_computations =
                    computations.map(|computation| Task::new(computation, self.parts.routes).n_operands);
                let most = of_paths.chain(of_natives).chain(of_computations).max();
                let size = u32::try_from(most.unwrap_or(0).max(1) * 8).expect("operands are few");
                let data = StackSlotData::new(StackSlotKind::ExplicitSlot, size, 3);
                *self.operand_slot.insert(self.builder.create_sized_stack_slot(data))
            }
        };
        for (idx, &operand) in self.function.operands(operands).iter().enumerate() {
            let value = self.get(operand);
            let word = self.word(value, self.function.kinds[operand as usize]);
            let offset = i32::try_from(idx * 8).expect("operands are few");
            self.builder.ins().stack_store(types::I64, word, slot, offset);
        }
        self.builder.ins().stack_addr(types::I64, slot, 0)
    }

    /// A value as a word.
    fn word(&mut self, value: Value, kind: Kind) -> Value {
        match kind {
            Kind::Int => value,
            Kind::Real => self.builder.ins().bitcast(types::I64, MemFlagsData::new(), value),
            Kind::Bool => self.builder.ins().uextend(types::I64, value),
        }
    }
}
