//! Which routines may be run at all.
//!
//! Machine code does no checks of its own on what is checked here: that registers exist and are of the kinds that the operations
//! need, that targets, functions, native functions, paths and outputs exist, that calls hand over what is taken. A routine that is not
//! as [`hasse_model::plan::routine`] says is never executed.

use hasse_model::plan::routine::{
    Answer, Argument, BinaryOp, Function, Kind, Op, Operands, Path, Reg, Routine, Step, Target,
};
use hasse_model::value::Type;

use crate::compute;

use crate::route::{Route, Shape, Way};
use crate::scalar::{is_of_bits, is_of_reals, unary_kinds};

/// What is wrong with a routine.
type Flaw = String;

/// The ways of a routine's paths, or what is wrong with it.
pub(crate) fn verify(routine: &Routine) -> Result<Vec<Route>, Flaw> {
    let types = routine.objects.iter().map(|object| &object.ty).chain(&routine.own_objects);
    for ty in types {
        if !matches!(ty, Type::Vector | Type::Matrix | Type::Array(_) | Type::Struct(_) | Type::String) {
            return Err(format!("an object is of type {ty}"));
        }
    }
    let own = routine.objects.len()..routine.n_objects();
    let mut left: Vec<u32> = routine.left.iter().map(|left| left.object).collect();
    left.sort_unstable();
    if !left.iter().all(|object| own.contains(&(*object as usize)))
        || left.windows(2).any(|two| two[0] == two[1])
    {
        return Err("it leaves an object that is not its own, or twice".into());
    }
    let routes = routine.paths.iter().map(|path| route(routine, path)).collect::<Result<Vec<_>, _>>()?;
    for computation in &routine.computations {
        if let Some(flaw) = compute::flaw(computation, routine) {
            return Err(flaw.into());
        }
    }
    let first = routine.functions.first().ok_or("there is no function")?;
    let inputs = routine.inputs.iter().map(|input| input.kind);
    if first.n_params != routine.inputs.len() || !inputs.eq(first.kinds.iter().take(first.n_params).copied())
    {
        return Err("the parameters of the first function are not the inputs".into());
    }
    if first.gives.is_some() {
        return Err("the first function gives something back".into());
    }
    for (function_idx, function) in routine.functions.iter().enumerate() {
        if function.n_params > function.kinds.len() {
            return Err(format!("function {function_idx} has parameters without registers"));
        }
        let is_terminal = matches!(function.ops.last(), Some(Op::Back(_) | Op::Return(_) | Op::GiveUp));
        if !is_terminal {
            return Err(format!("function {function_idx} has an end that is none"));
        }
        for (op_idx, op) in function.ops.iter().enumerate() {
            let check = Check { routine, routes: &routes, function, is_first: function_idx == 0, op_idx };
            check.op(op).map_err(|flaw| format!("function {function_idx}, operation {op_idx}: {flaw}"))?;
        }
    }
    Ok(routes)
}

/// Follows a path through the types.
fn route(routine: &Routine, path: &Path) -> Result<Route, Flaw> {
    let object_idx = path.object as usize;
    let object_type = routine.object_type(object_idx).ok_or("a path leads into an object that is none")?;
    let mut ty = object_type.clone();
    let mut ways = Vec::new();
    for step in &path.steps {
        let (way, inner) = match (step, ty) {
            (Step::Item, Type::Array(item_type)) => (Way::Item, *item_type),
            (Step::Item, Type::Any) => (Way::Item, Type::Any),
            (Step::Entry, Type::Vector | Type::Any) => (Way::Entry, Type::Real),
            (Step::Cell, Type::Matrix | Type::Any) => (Way::Cell, Type::Real),
            (Step::Field(field_idx), Type::Struct(ty)) => {
                let field_idx = *field_idx as usize;
                let field_type = ty.field_type(field_idx).ok_or("a path leads to a field that is none")?;
                (Way::Field(field_idx, ty), field_type)
            }
            (step, ty) => return Err(format!("a path takes the step {step:?} from a value of type {ty}")),
        };
        ways.push(way);
        ty = inner;
    }
    let shape = match (&ways[..], object_type) {
        ([Way::Entry], Type::Vector) => Shape::Entry,
        ([Way::Cell], Type::Matrix) => Shape::Cell,
        ([], Type::Vector) => Shape::Vector,
        ([], Type::Matrix) => Shape::Matrix,
        ([], Type::Array(_)) => Shape::Array,
        _ => Shape::Other,
    };
    let n_operands = path.steps.iter().map(|step| step.n_operands()).sum();
    Ok(Route { object_idx, ways, n_operands, shape })
}

/// An operation in its function.
struct Check<'a> {
    routine: &'a Routine,
    routes: &'a [Route],
    function: &'a Function,
    is_first: bool,
    op_idx: usize,
}

impl Check<'_> {
    fn op(&self, op: &Op) -> Result<(), Flaw> {
        match *op {
            Op::Int(to, _) => self.is(to, Kind::Int),
            Op::Real(to, _) => self.is(to, Kind::Real),
            Op::Bool(to, _) => self.is(to, Kind::Bool),
            Op::Copy(to, from) => self.is(to, self.kind(from)?),
            Op::Unary(op, to, from) => {
                let (takes, gives) = unary_kinds(op);
                self.is(from, takes)?;
                self.is(to, gives)
            }
            Op::Binary(op, to, one, other) => {
                let kind = self.binary_kind(op, one)?;
                self.is(one, kind)?;
                self.is(other, kind)?;
                self.is(to, kind)
            }
            Op::CompareInts(_, to, one, other) => {
                let kind = self.kind(one)?;
                if kind == Kind::Real {
                    return Err("reals are compared as integers".into());
                }
                self.is(other, kind)?;
                self.is(to, Kind::Bool)
            }
            Op::CompareReals(_, to, one, other) => {
                self.is(one, Kind::Real)?;
                self.is(other, Kind::Real)?;
                self.is(to, Kind::Bool)
            }
            Op::Jump(target) => self.leads_on(target),
            Op::JumpIf(flag, _, target) => {
                self.is(flag, Kind::Bool)?;
                self.leads_on(target)
            }
            Op::Back(target) if target as usize <= self.op_idx => Ok(()),
            Op::Back(_) => Err("it goes back to what is further on".into()),
            Op::Call(to, callee, operands) => self.call(to, callee, operands),
            Op::CallNative(to, native, operands) => self.call_native(to, native, operands),
            Op::Get(to, path, operands) => {
                self.way(path, operands)?;
                self.kind(to).map(|_| ())
            }
            Op::Set(path, operands, from) => {
                let route = self.way(path, operands)?;
                if self.routine.objects.get(route.object_idx).is_some_and(|object| !object.is_written) {
                    return Err("it writes to an object that is not written".into());
                }
                self.kind(from).map(|_| ())
            }
            Op::Measure(_, to, path, operands) => {
                self.way(path, operands)?;
                self.is(to, Kind::Int)
            }
            Op::Compute(to, task, operands) => self.compute(to, task, operands),
            Op::Give(output, from) => {
                let output = self.routine.outputs.get(output as usize).ok_or("there is no such output")?;
                if !self.is_first {
                    return Err("an output is set outside of the first function".into());
                }
                self.is(from, output.kind)
            }
            Op::Return(value) => match (value, self.function.gives) {
                (None, None) => Ok(()),
                (Some(value), Some(kind)) => self.is(value, kind),
                _ => Err("it does not give back what its function gives back".into()),
            },
            Op::GiveUp => Ok(()),
        }
    }

    fn binary_kind(&self, op: BinaryOp, one: Reg) -> Result<Kind, Flaw> {
        Ok(if is_of_reals(op) {
            Kind::Real
        } else if is_of_bits(op) && self.kind(one)? == Kind::Bool {
            Kind::Bool
        } else {
            Kind::Int
        })
    }

    fn call(&self, to: Option<Reg>, callee: u32, operands: Operands) -> Result<(), Flaw> {
        let callee_idx = callee as usize;
        let callee = self.routine.functions.get(callee_idx).ok_or("there is no such function")?;
        if callee_idx == 0 {
            return Err("it calls the first function".into());
        }
        let operands = self.operands(operands)?;
        if operands.len() != callee.n_params {
            return Err("it hands over another number of arguments".into());
        }
        for (&operand, &kind) in operands.iter().zip(&callee.kinds) {
            self.is(operand, kind)?;
        }
        match (to, callee.gives) {
            (None, _) => Ok(()),
            (Some(to), Some(kind)) => self.is(to, kind),
            (Some(_), None) => Err("it takes the value of a function that gives none".into()),
        }
    }

    fn call_native(&self, to: Reg, native: u32, operands: Operands) -> Result<(), Flaw> {
        let native = self.routine.natives.get(native as usize).ok_or("there is no such native function")?;
        let operands = self.operands(operands)?;
        if operands.len() != native.signature.takes.len() {
            return Err("it hands over another number of arguments".into());
        }
        for (&operand, &kind) in operands.iter().zip(&native.signature.takes) {
            self.is(operand, kind)?;
        }
        self.is(to, native.signature.gives)
    }

    fn compute(&self, to: Option<Reg>, task: u32, operands: Operands) -> Result<(), Flaw> {
        let computation =
            self.routine.computations.get(task as usize).ok_or("there is no such computation")?;
        let mut operands = self.operands(operands)?.iter();
        for argument in &computation.arguments {
            let kinds = match *argument {
                Argument::Scalar(kind) => vec![kind],
                Argument::Part(path) => vec![Kind::Int; self.routes[path as usize].n_operands],
            };
            for kind in kinds {
                let operand = operands.next().ok_or("a computation has fewer operands than it takes")?;
                self.is(*operand, kind)?;
            }
        }
        if operands.next().is_some() {
            return Err("a computation has more operands than it takes".into());
        }
        match (to, computation.result) {
            (None, Answer::Nothing | Answer::Object(_)) => Ok(()),
            (Some(to), Answer::Scalar(kind)) => self.is(to, kind),
            _ => Err("the answer of a computation goes where it cannot".into()),
        }
    }

    fn way(&self, path: u32, operands: Operands) -> Result<&Route, Flaw> {
        let route = self.routes.get(path as usize).ok_or("there is no such path")?;
        let operands = self.operands(operands)?;
        if operands.len() != route.n_operands {
            return Err("it has another number of operands than its path takes".into());
        }
        for &operand in operands {
            self.is(operand, Kind::Int)?;
        }
        Ok(route)
    }

    fn operands(&self, operands: Operands) -> Result<&[Reg], Flaw> {
        let rest = self.function.operands.get(operands.start as usize..);
        let operands = rest.and_then(|rest| rest.get(..operands.len as usize));
        operands.ok_or_else(|| "there are no such operands".into())
    }

    fn leads_on(&self, target: Target) -> Result<(), Flaw> {
        if (target as usize) > self.op_idx && (target as usize) < self.function.ops.len() {
            Ok(())
        } else {
            Err("it does not lead further on".into())
        }
    }

    fn kind(&self, reg: Reg) -> Result<Kind, Flaw> {
        let kind = self.function.kinds.get(reg as usize).copied();
        kind.ok_or_else(|| format!("there is no register {reg}"))
    }

    fn is(&self, reg: Reg, kind: Kind) -> Result<(), Flaw> {
        let actual = self.kind(reg)?;
        if actual == kind { Ok(()) } else { Err(format!("register {reg} holds {actual}, not {kind}")) }
    }
}
