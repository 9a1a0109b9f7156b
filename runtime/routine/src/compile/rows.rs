//! The first function of a routine of scalars in a loop of its own: for many runs, whose scalars are in the rows of a table.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, MemFlagsData, Value, types};
use cranelift_frontend::{FunctionBuilder, Variable};
use hasse_model::plan::routine::Kind;

use super::form::{DONE, constant};
use crate::context::Context;
use crate::table::Track;

/// How the function goes from row to row.
pub(super) struct Rows {
    /// Where the words of this row are that are taken.
    takes: Vec<Place>,
    /// Where those go that it gives.
    gives: Vec<Place>,
    /// What this row gives, as words. It is stored when the row has come to its end: before that, the interpreter may have to do it.
    given: Vec<Variable>,
    /// The row.
    nth: Variable,
    /// The row behind the last one.
    end: Value,
    /// Where a row begins.
    head: Block,
    /// Where one goes that has come to its end.
    done: Block,
}

/// Where a word of this row is, and how many bytes it is to that of the next one.
struct Place {
    at: Variable,
    step: Value,
}

impl Rows {
    /// Goes to where rows begin, with the first one. `params` are the cells, tracks that are taken, tracks that are given, the first
    /// row, and the one behind the last. With a context, each row is left there when it begins.
    pub(super) fn begin(
        builder: &mut FunctionBuilder<'_>,
        params: [Value; 5],
        (n_taken, n_given): (usize, usize),
        context: Option<Value>,
    ) -> Self {
        let [cells, takes, gives, first, end] = params;
        let mut places = |tracks: Value, n_tracks: usize| -> Vec<Place> {
            (0..n_tracks).map(|track_idx| Place::of(builder, (cells, tracks), track_idx, first)).collect()
        };
        let (takes, gives) = (places(takes, n_taken), places(gives, n_given));
        let given = (0..n_given).map(|_| builder.declare_var(types::I64)).collect();
        let nth = builder.declare_var(types::I64);
        builder.def_var(nth, first);
        let (head, done) = (builder.create_block(), builder.create_block());
        let rows = Self { takes, gives, given, nth, end, head, done };
        builder.ins().jump(head, &[]);
        // It stays unsealed: the last operation comes back to it.
        builder.switch_to_block(head);
        let zero = builder.ins().iconst(types::I64, 0);
        for &given in &rows.given {
            builder.def_var(given, zero);
        }
        if let Some(context) = context {
            rows.tell(builder, context);
        }
        rows
    }

    /// The address of a word that the row takes.
    pub(super) fn input(&self, builder: &mut FunctionBuilder<'_>, idx: usize) -> Value {
        builder.use_var(self.takes[idx].at)
    }

    /// Keeps a scalar that the row gives.
    pub(super) fn give(&self, builder: &mut FunctionBuilder<'_>, idx: usize, (kind, value): (Kind, Value)) {
        let word = match kind {
            Kind::Int => value,
            Kind::Real => builder.ins().bitcast(types::I64, MemFlagsData::new(), value),
            Kind::Bool => builder.ins().uextend(types::I64, value),
        };
        builder.def_var(self.given[idx], word);
    }

    /// Where a row goes that has come to its end.
    pub(super) fn done(&self) -> Block {
        self.done
    }

    /// Fills that block: stores what the row gives, and goes to the next row, or returns behind the last.
    pub(super) fn end(&self, builder: &mut FunctionBuilder<'_>, context: Value) {
        builder.switch_to_block(self.done);
        for (place, &given) in self.gives.iter().zip(&self.given) {
            let (at, given) = (builder.use_var(place.at), builder.use_var(given));
            builder.ins().store(MemFlagsData::trusted(), given, at, 0);
        }
        for place in self.takes.iter().chain(&self.gives) {
            let at = builder.use_var(place.at);
            let next = builder.ins().iadd(at, place.step);
            builder.def_var(place.at, next);
        }
        let nth = builder.use_var(self.nth);
        let next = builder.ins().iadd_imm_u(nth, 1);
        builder.def_var(self.nth, next);
        let has_more = builder.ins().icmp(IntCC::UnsignedLessThan, next, self.end);
        let over = builder.create_block();
        builder.ins().brif(has_more, self.head, &[], over, &[]);
        builder.switch_to_block(over);
        self.tell(builder, context);
        let status = builder.ins().iconst(types::I32, DONE);
        builder.ins().return_(&[status]);
    }

    /// Leaves the row that the function has come to in the context.
    pub(super) fn tell(&self, builder: &mut FunctionBuilder<'_>, context: Value) {
        let nth = builder.use_var(self.nth);
        builder.ins().store(MemFlagsData::trusted(), nth, context, offset_of!(Context, row) as i32);
    }
}

impl Place {
    /// That of the first row, by a track of some.
    fn of(
        builder: &mut FunctionBuilder<'_>,
        (cells, tracks): (Value, Value),
        track_idx: usize,
        first: Value,
    ) -> Self {
        let mut bytes = |offset: usize| {
            let offset = i32::try_from(track_idx * size_of::<Track>() + offset).expect("tracks are few");
            let n_cells = builder.ins().load(types::I64, constant(), tracks, offset);
            builder.ins().imul_imm_u(n_cells, size_of::<u64>() as i64)
        };
        let (start, step) = (bytes(offset_of!(Track, start)), bytes(offset_of!(Track, step)));
        let skipped = builder.ins().imul(first, step);
        let start = builder.ins().iadd(cells, start);
        let start = builder.ins().iadd(start, skipped);
        let at = builder.declare_var(types::I64);
        builder.def_var(at, start);
        Self { at, step }
    }
}
