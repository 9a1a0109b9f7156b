//! The state of lowering: what a routine consists of so far, and what names hold.

use std::collections::BTreeSet;
use std::sync::Arc;

use hasse_model::function::FunctionTable;
use hasse_model::id::SlotId;
use hasse_model::plan::routine::{
    Computation, Function as Code, Input, Kind, Left, LibraryFunction, Native, Object, Obstacle, Output, Path,
};
use hasse_model::plan::{Script, Slot};
use hasse_model::value::{StructTable, Type};
use rhai::{FnCallExpr, Position};

use super::claim::Claim;
use super::code::FunctionCode;
use super::held::{Held, Var};
use super::loop_state::LoopState;
use crate::rhai_front::walk::Function;

/// Why lowering ends early.
pub(super) struct Stop {
    pub(super) obstacle: Obstacle,
    /// Whether it is something that compiled code never does: then a branch in which it stands can be left to the interpreter.
    pub(super) is_foreign: bool,
}

pub(super) type Lowered<T> = Result<T, Box<Stop>>;

/// Names that a text can use.
pub(crate) struct Names<'a> {
    /// Those of the node.
    pub(crate) slots: &'a [Slot],
    /// Whether a bound name holds a value whichever rule was taken.
    pub(crate) is_always_bound: &'a dyn Fn(SlotId) -> bool,
    /// Loop variables of a rule.
    pub(crate) locals: &'a [String],
    /// The struct types of the program.
    pub(crate) structs: &'a Arc<StructTable>,
    /// Known functions, with those that are registered in Rust.
    pub(crate) functions: &'a FunctionTable,
    /// Whether a function is called by name and number of arguments alone, as nothing else has the name.
    pub(crate) has_own_function: &'a dyn Fn(&str) -> bool,
}

/// Parts of a routine while it is lowered.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) functions: Vec<Option<Code>>,
    pub(super) inputs: Vec<Input>,
    pub(super) outputs: Vec<Output>,
    pub(super) objects: Vec<Object>,
    pub(super) own_objects: Vec<Type>,
    pub(super) left: Vec<Left>,
    pub(super) paths: Vec<Path>,
    pub(super) natives: Vec<Native>,
    pub(super) computations: Vec<Computation>,
    pub(super) library: Vec<LibraryFunction>,
    pub(super) asked: Vec<Native>,
}

/// An argument that a function of the text is lowered for.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Taken {
    Scalar(Kind),
    /// An object, which it looks into: each has a function of its own.
    Object(u32),
}

/// Result of a function of the text.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Given {
    Nothing,
    Scalar(Kind),
    /// An object of the routine's own, until it is called again.
    Object(u32),
}

/// A function that has been lowered for some arguments, or is being lowered.
pub(super) struct Instance {
    pub(super) name: String,
    pub(super) arguments: Vec<Taken>,
    pub(super) function_idx: u32,
    /// Its result; while it is lowered, the one that is assumed.
    pub(super) gives: Given,
    /// Whether somebody has relied on what is assumed.
    pub(super) is_relied_on: bool,
    /// Whether it calls itself, if by others.
    pub(super) is_recursive: bool,
    /// Where it makes an object.
    pub(super) makes_object: Option<Position>,
}

pub(super) struct Lowerer<'a> {
    pub(super) script: &'a Script,
    pub(super) names: &'a Names<'a>,
    pub(super) script_functions: Vec<Function>,
    /// True if any of them asks the world outside, prints or sets a result.
    pub(super) has_speaking_functions: bool,
    pub(super) parts: Parts,
    pub(super) instances: Vec<Instance>,
    /// The function that is being lowered.
    pub(super) function: FunctionCode,
    /// Names that can be seen, innermost last.
    pub(super) vars: Vec<Var>,
    /// Whether the function is the text itself.
    pub(super) is_outermost: bool,
    /// The result of the function, as far as it is known: `None` before the first return.
    pub(super) gives: Option<Given>,
    /// The loops around what is being lowered, innermost last.
    pub(super) loops: Vec<LoopState>,
    pub(super) is_in_function: bool,
    /// How often each object is written, by position.
    pub(super) writes: Vec<usize>,
    /// Statements that have been lowered so far.
    pub(super) n_statements: usize,
    /// Functions that are being lowered, by position, innermost last.
    pub(super) active: Vec<usize>,
    /// Branches that are left to the interpreter.
    pub(super) exits: Vec<Obstacle>,
    /// Slots that the body assigns as a whole.
    pub(super) replaced: Vec<SlotId>,
    /// Names that the outermost level of the body binds.
    pub(super) outer_lets: Vec<String>,
    /// The same with their kinds, when the body has come to an end.
    pub(super) lets: Vec<(String, Held)>,
    /// Whether the body has come to an end somewhere, so that it is known what it leaves.
    pub(super) has_left: bool,
    /// Values that were put into objects, with their ways.
    pub(super) claims: Vec<Claim>,
    /// Arrays with items of different types.
    pub(super) mixed: BTreeSet<u32>,
}

/// Returns true if a call asks the world outside, prints or sets a result, unless it means a function of the text.
pub(super) fn speaks_itself(names: &Names<'_>, call: &FnCallExpr) -> bool {
    let name = call.name.as_str();
    matches!(name, "print" | "result") || names.functions.asked(name, call.args.len()).is_some()
}
