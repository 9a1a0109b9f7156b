//! Routines with something changed at random: most of them are not valid.

use hasse_model::plan::routine::{
    Answer, Argument, Function, Kind, Left, Op, Operands, Place, Reg, Routine, Step,
};

use crate::tape::Tape;

/// Changes something.
pub(crate) fn corrupt(routine: &mut Routine, tape: &mut Tape) {
    let n_functions = routine.functions.len();
    match tape.below(24) {
        0 => {
            let function = &mut routine.functions[tape.below(n_functions)];
            function.n_params = tape.below(function.kinds.len() + 2);
        }
        1 => {
            let function = &mut routine.functions[tape.below(n_functions)];
            let at = tape.below(function.kinds.len());
            function.kinds[at] = tape.one_of(&[Kind::Int, Kind::Real, Kind::Bool]);
        }
        2 => {
            let function = &mut routine.functions[tape.below(n_functions)];
            function.gives = [None, Some(Kind::Int), Some(Kind::Real)][tape.below(3)];
        }
        3 => {
            routine.functions[tape.below(n_functions)].ops.pop();
        }
        4 if !routine.paths.is_empty() => {
            let at = tape.below(routine.paths.len());
            routine.paths[at].object = tape.below(routine.n_objects() + 1) as u32;
        }
        5 if !routine.paths.is_empty() => {
            let at = tape.below(routine.paths.len());
            let step =
                [Step::Item, Step::Entry, Step::Cell, Step::Field(tape.below(5) as u32)][tape.below(4)];
            routine.paths[at].steps.push(step);
        }
        6 if !routine.objects.is_empty() => {
            let at = tape.below(routine.objects.len());
            routine.objects[at].is_written ^= true;
        }
        7 if !routine.objects.is_empty() => {
            let at = tape.below(routine.objects.len());
            routine.objects[at].ty = crate::values::object_type(tape);
        }
        8 => {
            let function = &mut routine.functions[tape.below(n_functions)];
            if !function.operands.is_empty() {
                let at = tape.below(function.operands.len());
                function.operands[at] = reg(function, tape);
            }
        }
        9 => routine.outputs[0].kind = tape.one_of(&[Kind::Int, Kind::Real, Kind::Bool]),
        10 if !routine.natives.is_empty() => {
            let at = tape.below(routine.natives.len());
            let signature = &mut routine.natives[at].signature;
            match tape.below(3) {
                0 => signature.gives = tape.one_of(&[Kind::Int, Kind::Real, Kind::Bool]),
                1 => signature.takes.push(tape.one_of(&[Kind::Int, Kind::Real, Kind::Bool])),
                _ => signature.takes.truncate(tape.below(signature.takes.len() + 1)),
            }
        }
        12 if !routine.computations.is_empty() => {
            let at = tape.below(routine.computations.len());
            let what = &routine.computations[tape.below(routine.computations.len())].what;
            routine.computations[at].what = what.clone();
        }
        13 if !routine.computations.is_empty() => {
            let at = tape.below(routine.computations.len());
            routine.computations[at].result = [
                Answer::Nothing,
                Answer::Scalar(tape.one_of(&[Kind::Int, Kind::Real, Kind::Bool])),
                Answer::Object(tape.below(5) as u32),
            ][tape.below(3)];
        }
        14 if !routine.computations.is_empty() => {
            let at = tape.below(routine.computations.len());
            let arguments = &mut routine.computations[at].arguments;
            match tape.below(3) {
                0 => arguments.push(Argument::Part(tape.below(12) as u32)),
                1 => arguments.push(Argument::Scalar(tape.one_of(&[Kind::Int, Kind::Real]))),
                _ => arguments.truncate(tape.below(arguments.len() + 1)),
            }
        }
        15 => routine.left.push(Left { place: Place::Value, object: tape.below(5) as u32 }),
        16 if !routine.own_objects.is_empty() => {
            let at = tape.below(routine.own_objects.len());
            routine.own_objects[at] = crate::values::object_type(tape);
        }
        11 => routine.natives.truncate(tape.below(routine.natives.len() + 1)),
        _ => operation(&mut routine.functions[tape.below(n_functions)], n_functions, tape),
    }
}

/// A register, or one that is none.
fn reg(function: &Function, tape: &mut Tape) -> Reg {
    tape.below(function.kinds.len() + 2) as Reg
}

fn operation(function: &mut Function, n_functions: usize, tape: &mut Tape) {
    if function.ops.is_empty() {
        return;
    }
    let at = tape.below(function.ops.len());
    let place = tape.below(function.ops.len() + 2) as u32;
    let (one, other) = (reg(function, tape), reg(function, tape));
    let operands =
        Operands { start: tape.below(function.operands.len() + 2) as u32, len: tape.below(4) as u32 };
    function.ops[at] = match (tape.below(3), function.ops[at]) {
        (0, _) => function.ops[tape.below(function.ops.len())],
        (_, Op::Int(_, number)) => Op::Int(one, number),
        (_, Op::Real(_, number)) => Op::Real(one, number),
        (_, Op::Bool(_, flag)) => Op::Bool(one, flag),
        (_, Op::Copy(..)) => Op::Copy(one, other),
        (_, Op::Unary(op, to, _)) => Op::Unary(op, to, one),
        (_, Op::Binary(op, to, _, _)) => Op::Binary(op, to, one, other),
        (_, Op::CompareInts(comparison, to, _, _)) => Op::CompareInts(comparison, to, one, other),
        (_, Op::CompareReals(comparison, to, _, _)) => Op::CompareReals(comparison, to, one, other),
        (_, Op::Jump(_)) => Op::Jump(place),
        (_, Op::JumpIf(flag, taken_if, _)) => Op::JumpIf(flag, taken_if, place),
        (_, Op::Back(_)) => Op::Back(place),
        (1, Op::Call(to, callee, _)) => Op::Call(to, callee, operands),
        (_, Op::Call(_, _, operands)) => {
            Op::Call([None, Some(one)][tape.below(2)], tape.below(n_functions + 1) as u32, operands)
        }
        (1, Op::CallNative(to, native, _)) => Op::CallNative(to, native, operands),
        (_, Op::CallNative(_, _, operands)) => Op::CallNative(one, tape.below(8) as u32, operands),
        (1, Op::Get(to, path, _)) => Op::Get(to, path, operands),
        (_, Op::Get(_, _, operands)) => Op::Get(one, place, operands),
        (1, Op::Set(path, _, from)) => Op::Set(path, operands, from),
        (_, Op::Set(_, operands, _)) => Op::Set(place, operands, one),
        (1, Op::Measure(measure, to, path, _)) => Op::Measure(measure, to, path, operands),
        (_, Op::Measure(measure, _, _, operands)) => Op::Measure(measure, one, place, operands),
        (1, Op::Compute(to, computation, _)) => Op::Compute(to, computation, operands),
        (_, Op::Compute(_, _, operands)) => {
            Op::Compute([None, Some(one)][tape.below(2)], tape.below(8) as u32, operands)
        }
        (_, Op::Give(..)) => Op::Give(tape.below(5) as u32, one),
        (_, Op::Return(_)) => Op::Return([None, Some(one)][tape.below(2)]),
        (_, Op::GiveUp) => Op::Jump(place),
    };
}
