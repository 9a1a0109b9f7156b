//! The forms in which a function is compiled, and what its translation looks up.

use cranelift_codegen::ir::{MemFlagsData, Type, types};
use cranelift_module::FuncId;
use hasse_model::plan::routine::{Kind, Routine};

use crate::route::Route;

/// Status of machine code that has come to the end.
pub(super) const DONE: i64 = 0;

/// Status where it gives up.
pub(super) const GAVE_UP: i64 = 1;

/// Status where it found the flag set.
pub(super) const INTERRUPTED: i64 = 2;

/// What a function of a routine is made for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// The first one, to be run.
    Run,
    /// The first one, to be run for rows of a table.
    Rows,
    /// One that functions of the routine call.
    Function,
}

/// What the translation of a function looks up.
pub(super) struct Parts<'a> {
    pub(super) routine: &'a Routine,
    pub(super) routes: &'a [Route],
    /// For each object whether its size may change during a run.
    pub(super) is_resized: &'a [bool],
    /// The functions' names in the module.
    pub(super) ids: &'a [FuncId],
    /// The one that is translated.
    pub(super) function_idx: usize,
    /// What it is made for.
    pub(super) form: Form,
}

/// What a register of that kind is in machine code.
pub(super) fn type_of(kind: Kind) -> Type {
    match kind {
        Kind::Int => types::I64,
        Kind::Real => types::F64,
        Kind::Bool => types::I8,
    }
}

/// Flags of reads of what never changes during a run.
pub(super) fn constant() -> MemFlagsData {
    MemFlagsData::trusted().with_readonly().with_can_move()
}
