//! Each operation by itself, and each way to end, in both tiers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hasse_model::id::SlotId;
use hasse_model::plan::routine::{
    BinaryOp, Comparison, Function, Input, Kind, MAX_CALL_LEVELS, Measure, Object, Op, Operands, Output,
    Path, Place, Routine, Step, UnaryOp,
};
use hasse_model::value::{Type, Value};
use hasse_routine::{Ended, Machine, Scratch, Tiers};

use crate::operators::{COMPARISONS, INTS, REALS, UNARY};
use crate::values::{same_real, unshared};

const INT_EDGES: [i64; 17] = [
    i64::MIN,
    i64::MIN + 1,
    i64::MAX,
    i64::MAX - 1,
    -64,
    -3,
    -2,
    -1,
    0,
    1,
    2,
    3,
    7,
    63,
    64,
    1 << 32,
    3_037_000_500,
];

const REAL_EDGES: [f64; 30] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    0.0,
    -0.0,
    1.0,
    1.0 + f64::EPSILON,
    1.0 + 2.0 * f64::EPSILON,
    1.0 - f64::EPSILON,
    1.0 - f64::EPSILON / 2.0,
    -1.0,
    2.0,
    2.0 - f64::EPSILON,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    f64::MIN_POSITIVE,
    f64::MIN_POSITIVE / 4.0,
    -5e-324,
    1e-160,
    1.000_000_000_000_000_2e-160,
    f64::MAX,
    f64::MIN,
    1e300,
    9_223_372_036_854_775_808.0,
    9_223_372_036_854_774_784.0,
    -9_223_372_036_854_775_808.0,
    -9_223_372_036_854_777_856.0,
];

pub(crate) fn function(kinds: &[Kind], n_params: usize, ops: &[Op], operands: &[u32]) -> Function {
    Function {
        name: String::new(),
        n_params,
        kinds: kinds.to_vec(),
        gives: None,
        ops: ops.to_vec(),
        operands: operands.to_vec(),
    }
}

pub(crate) fn routine(
    functions: Vec<Function>,
    outputs: &[Kind],
    objects: &[Type],
    paths: &[&[Step]],
) -> Routine {
    let first = &functions[0];
    let inputs = first.kinds[..first.n_params].iter().map(|&kind| Input {
        place: Place::Value,
        kind,
        is_optional: false,
        is_presence: false,
    });
    let objects = objects.iter().enumerate().map(|(idx, ty)| Object {
        slot: SlotId::from_idx(idx),
        ty: ty.clone(),
        is_written: true,
    });
    Routine {
        inputs: inputs.collect(),
        outputs: outputs.iter().map(|&kind| Output { place: Place::Value, kind }).collect(),
        objects: objects.collect(),
        paths: paths.iter().map(|steps| Path { object: 0, steps: steps.to_vec() }).collect(),
        functions,
        ..Routine::default()
    }
}

pub(crate) fn run(machine: &Machine, words: &[u64], objects: &mut [Value]) -> (Ended, Vec<u64>) {
    let mut words = words.to_vec();
    let n_inputs = words.len();
    words.resize(n_inputs + machine.routine().outputs.len(), 0);
    let ended = machine.run(&mut words, objects, &mut Scratch::default(), &AtomicBool::new(false));
    (ended, words.split_off(n_inputs))
}

pub(crate) fn machines(routine: Routine) -> [Arc<Machine>; 2] {
    let routine = Arc::new(routine);
    let evaluated = Machine::new(Arc::clone(&routine), &[], &[], Tiers::Evaluated);
    let native = Machine::new(routine, &[], &[], Tiers::Native);
    assert_eq!(native.flaw(), None);
    assert!(native.is_native() && !evaluated.is_native());
    [evaluated, native]
}

/// Expects the same of both tiers for these inputs: the result of `expected`, or to give up where it is none.
fn expect(kinds: &[Kind], op: Op, inputs: &[Vec<u64>], expected: impl Fn(&[u64]) -> Option<u64>) {
    let result = kinds.len() as u32 - 1;
    let gives = kinds[result as usize];
    let ops = [op, Op::Give(0, result), Op::Return(None)];
    let machines = machines(routine(vec![function(kinds, kinds.len() - 1, &ops, &[])], &[gives], &[], &[]));
    for words in inputs {
        for machine in &machines {
            let (ended, outputs) = run(machine, words, &mut []);
            let Some(word) = expected(words) else {
                assert_eq!(ended, Ended::GaveUp, "{op:?} of {words:x?}");
                continue;
            };
            assert_eq!(ended, Ended::Done, "{op:?} of {words:x?}");
            let (real, expected_real) = (f64::from_bits(outputs[0]), f64::from_bits(word));
            let is_same = outputs[0] == word || (gives == Kind::Real && same_real(real, expected_real));
            assert!(is_same, "{op:?} of {words:x?} is {:x}, not {word:x}", outputs[0]);
        }
    }
}

fn edges(kind: Kind) -> Vec<u64> {
    match kind {
        Kind::Int => INT_EDGES.map(i64::cast_unsigned).to_vec(),
        Kind::Real => REAL_EDGES.map(f64::to_bits).to_vec(),
        Kind::Bool => vec![0, 1],
    }
}

fn pairs(kind: Kind) -> Vec<Vec<u64>> {
    let edges = edges(kind);
    edges.iter().flat_map(|&one| edges.iter().map(move |&other| vec![one, other])).collect()
}

#[test]
fn operations_on_one_operand() {
    for (op, takes, gives) in UNARY {
        let inputs: Vec<Vec<u64>> = edges(takes).into_iter().map(|word| vec![word]).collect();
        expect(&[takes, gives], Op::Unary(op, 1, 0), &inputs, |words| {
            let (int, real) = (words[0].cast_signed(), f64::from_bits(words[0]));
            Some(match op {
                UnaryOp::NegateInt => int.checked_neg()?.cast_unsigned(),
                UnaryOp::AbsInt => int.checked_abs()?.cast_unsigned(),
                UnaryOp::SignInt => int.signum().cast_unsigned(),
                UnaryOp::Not => u64::from(int == 0),
                UnaryOp::IntOfBool => words[0],
                UnaryOp::RealOfInt => (int as f64).to_bits(),
                UnaryOp::IntOfReal => {
                    let fits = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&real);
                    fits.then_some(real as i64)?.cast_unsigned()
                }
                UnaryOp::IsNan => u64::from(real.is_nan()),
                UnaryOp::IsFinite => u64::from(real.is_finite()),
                UnaryOp::IsInfinite => u64::from(real.is_infinite()),
                op => op.real_function()?(real).to_bits(),
            })
        });
    }
}

#[test]
fn operations_on_two_operands() {
    for op in INTS {
        expect(&[Kind::Int; 3], Op::Binary(op, 2, 0, 1), &pairs(Kind::Int), |words| {
            op.of_ints(words[0].cast_signed(), words[1].cast_signed()).map(i64::cast_unsigned)
        });
    }
    for op in [BinaryOp::BitAnd, BinaryOp::BitOr, BinaryOp::BitXor] {
        expect(&[Kind::Bool; 3], Op::Binary(op, 2, 0, 1), &pairs(Kind::Bool), |words| {
            op.of_ints(words[0].cast_signed(), words[1].cast_signed()).map(i64::cast_unsigned)
        });
    }
    for op in REALS {
        let function = op.real_function().expect("it is one of reals");
        expect(&[Kind::Real; 3], Op::Binary(op, 2, 0, 1), &pairs(Kind::Real), |words| {
            Some(function(f64::from_bits(words[0]), f64::from_bits(words[1])).to_bits())
        });
    }
}

/// What a text divides by or shifts by is known when it is compiled.
#[test]
fn operations_with_a_known_operand() {
    let inputs: Vec<Vec<u64>> = edges(Kind::Int).into_iter().map(|word| vec![word]).collect();
    for op in INTS {
        for known in [i64::MIN, -7, -2, -1, 0, 1, 2, 3, 10, 64, 1 << 31, i64::MAX] {
            let ops = [Op::Int(1, known), Op::Binary(op, 2, 0, 1), Op::Give(0, 2), Op::Return(None)];
            let function = function(&[Kind::Int; 3], 1, &ops, &[]);
            let machines = machines(routine(vec![function], &[Kind::Int], &[], &[]));
            for words in &inputs {
                let expected = op.of_ints(words[0].cast_signed(), known);
                for machine in &machines {
                    let (ended, outputs) = run(machine, words, &mut []);
                    let result = (ended == Ended::Done).then(|| outputs[0].cast_signed());
                    assert_eq!(result, expected, "{op:?} of {words:x?} and {known}");
                }
            }
        }
    }
}

#[test]
fn comparisons() {
    // Pairs around the places where two reals stop to be equal.
    let mut reals = pairs(Kind::Real);
    for base in [1.0, 1.5, 3.0, 2f64.powi(-537), 2f64.powi(-530), 1e-300, 1e300, 1.999_999_999_999_999_8] {
        for steps in 0..6_u64 {
            let bits = f64::to_bits(base);
            for sign in [0, 1 << 63] {
                reals.push(vec![bits | sign, (bits + steps) | sign]);
                reals.push(vec![(bits + steps) | sign, bits | sign]);
                reals.push(vec![bits | sign, (bits - steps) | sign]);
            }
        }
    }
    for comparison in COMPARISONS {
        let op = Op::CompareReals(comparison, 2, 0, 1);
        expect(&[Kind::Real, Kind::Real, Kind::Bool], op, &reals, |words| {
            Some(u64::from(comparison.of_reals(f64::from_bits(words[0]), f64::from_bits(words[1]))))
        });
        for kind in [Kind::Int, Kind::Bool] {
            let op = Op::CompareInts(comparison, 2, 0, 1);
            expect(&[kind, kind, Kind::Bool], op, &pairs(kind), |words| {
                Some(u64::from(comparison.of_ints(words[0].cast_signed(), words[1].cast_signed())))
            });
        }
    }
}

/// `while i < n { v[i % len] = i; s = s + i; i = i + 1 }`, with `n` given and the last `i` and `s` left.
fn filling(n_params: usize) -> Routine {
    let [n, len, i, s, one, place, value, goes_on] = [0, 1, 2, 3, 4, 5, 6, 7];
    let ops = [
        Op::Int(one, 1),
        Op::Measure(Measure::Len, len, 1, Operands { start: 0, len: 0 }),
        Op::CompareInts(Comparison::Less, goes_on, i, n),
        Op::JumpIf(goes_on, false, 9),
        Op::Binary(BinaryOp::RemainderInts, place, i, len),
        Op::Unary(UnaryOp::RealOfInt, value, i),
        Op::Set(0, Operands { start: 0, len: 1 }, value),
        Op::Binary(BinaryOp::AddInts, i, i, one),
        Op::Jump(11),
        Op::Give(0, i),
        Op::Return(None),
        Op::Binary(BinaryOp::AddInts, s, s, i),
        Op::Back(2),
    ];
    let kinds = [Kind::Int, Kind::Int, Kind::Int, Kind::Int, Kind::Int, Kind::Int, Kind::Real, Kind::Bool];
    let first = function(&kinds, n_params, &ops, &[place]);
    routine(vec![first], &[Kind::Int], &[Type::Vector], &[&[Step::Entry], &[]])
}

fn zeros(len: usize) -> Value {
    Value::Vector(Arc::new(vec![0.0; len]))
}

#[test]
fn a_long_run_is_begun_anew_in_machine_code() {
    for len in [10, 3_000, 30_000] {
        let [evaluated, _] = machines(filling(1));
        let machine = Machine::new(Arc::new(filling(1)), &[], &[], Tiers::Auto);
        let (mut expected, mut object) = (zeros(len), zeros(len));
        assert_eq!(
            run(&evaluated, &[100_000], std::slice::from_mut(&mut expected)),
            (Ended::Done, vec![100_000])
        );
        assert_eq!(
            run(&machine, &[100_000], std::slice::from_mut(&mut object)),
            (Ended::Done, vec![100_000])
        );
        assert!(machine.is_native());
        assert_eq!(object, expected);
    }
}

#[test]
fn a_routine_that_runs_often_is_compiled_in_the_background() {
    let machine = Machine::new(Arc::new(filling(1)), &[], &[], Tiers::Auto);
    let begun = Instant::now();
    while !machine.is_native() {
        let mut object = zeros(4);
        assert_eq!(run(&machine, &[10], std::slice::from_mut(&mut object)), (Ended::Done, vec![10]));
        assert!(begun.elapsed() < Duration::from_secs(50), "it is never compiled");
    }
    let mut object = zeros(4);
    assert_eq!(run(&machine, &[10], std::slice::from_mut(&mut object)), (Ended::Done, vec![10]));
    assert_eq!(object, Value::Vector(Arc::new(vec![8.0, 9.0, 6.0, 7.0])));
}

#[test]
fn a_run_that_is_told_to_stop_changes_nothing() {
    for machine in machines(filling(1)) {
        let stop = AtomicBool::new(true);
        let mut objects = [zeros(4)];
        let mut words = [50, 0];
        let ended = machine.run(&mut words, &mut objects, &mut Scratch::default(), &stop);
        assert_eq!((ended, &objects), (Ended::Interrupted, &[zeros(4)]));
    }
    // One that would go on for years is stopped by another thread.
    for tiers in [Tiers::Auto, Tiers::Evaluated, Tiers::Native] {
        let machine = Machine::new(Arc::new(filling(1)), &[], &[], tiers);
        let stop = AtomicBool::new(false);
        let mut objects = [zeros(1_000)];
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(60));
                stop.store(true, Ordering::Relaxed);
            });
            let mut words = [i64::MAX.cast_unsigned(), 0];
            let ended = machine.run(&mut words, &mut objects, &mut Scratch::default(), &stop);
            assert_eq!(ended, Ended::Interrupted);
        });
        assert_eq!(objects, [zeros(1_000)]);
    }
}

#[test]
fn objects_of_other_types_make_it_give_up() {
    for machine in machines(filling(1)) {
        for object in [Value::Int(1), Value::Array(Arc::new(vec![])), Value::Unit] {
            let mut objects = [object.clone()];
            assert_eq!(run(&machine, &[0], &mut objects).0, Ended::GaveUp);
            assert_eq!(objects, [object]);
        }
        // A remainder by zero.
        assert_eq!(run(&machine, &[1], &mut [zeros(0)]).0, Ended::GaveUp);
    }
}

/// `f(n) = if n > 0 { f(n - 1) + 1 } else { 0 }`
pub(crate) fn nesting() -> Routine {
    let [n, value, one, goes_on] = [0, 1, 2, 3];
    let mut callee = function(
        &[Kind::Int, Kind::Int, Kind::Int, Kind::Bool],
        1,
        &[
            Op::CompareInts(Comparison::Greater, goes_on, n, one),
            Op::JumpIf(goes_on, true, 3),
            Op::Return(Some(value)),
            Op::Int(one, 1),
            Op::Binary(BinaryOp::SubtractInts, n, n, one),
            Op::Call(Some(value), 1, Operands { start: 0, len: 1 }),
            Op::Binary(BinaryOp::AddInts, value, value, one),
            Op::Return(Some(value)),
        ],
        &[n],
    );
    callee.gives = Some(Kind::Int);
    let ops = [Op::Call(Some(1), 1, Operands { start: 0, len: 1 }), Op::Give(0, 1), Op::Return(None)];
    routine(vec![function(&[Kind::Int; 2], 1, &ops, &[0]), callee], &[Kind::Int], &[], &[])
}

#[test]
fn calls_that_nest_too_deep_give_up() {
    let most = u64::from(MAX_CALL_LEVELS) - 1;
    for machine in machines(nesting()) {
        for n in [0, 1, 5, most] {
            assert_eq!(run(&machine, &[n], &mut []), (Ended::Done, vec![n]));
        }
        assert_eq!(run(&machine, &[most + 1], &mut []).0, Ended::GaveUp);
        assert_eq!(run(&machine, &[1 << 40], &mut []).0, Ended::GaveUp);
    }
}

/// A function whose frame is large stays with the evaluator: calls of it must fit on the stack of a thread.
#[test]
fn large_frames_are_not_compiled() {
    const N: u32 = 700;
    let mut ops = vec![Op::Int(2, 1)];
    // Many values that are all needed after the call.
    for reg in 3..N {
        ops.push(Op::Binary(BinaryOp::MultiplyInts, reg, reg - 1, 0));
    }
    ops.push(Op::Binary(BinaryOp::SubtractInts, 1, 0, 2));
    ops.push(Op::Call(Some(1), 1, Operands { start: 0, len: 1 }));
    for reg in 3..N {
        ops.push(Op::Binary(BinaryOp::AddInts, 1, 1, reg));
    }
    ops.push(Op::Return(Some(1)));
    let mut callee = function(&[Kind::Int; N as usize], 1, &ops, &[1]);
    callee.gives = Some(Kind::Int);
    let first = nesting().functions.swap_remove(0);
    let routine = routine(vec![first, callee], &[Kind::Int], &[], &[]);
    let machine = Machine::new(Arc::new(routine), &[], &[], Tiers::Native);
    assert_eq!((machine.flaw(), machine.is_native()), (None, false));
    assert_eq!(run(&machine, &[1], &mut []).0, Ended::GaveUp);
}

#[test]
fn machines_are_shared_by_threads() {
    fn is_shared<T: Send + Sync>() {}
    fn is_sent<T: Send>() {}
    is_shared::<Machine>();
    is_sent::<Scratch>();
}

/// Ways through items, fields and cells of which each number may lead nowhere.
#[test]
fn ways_lead_nowhere() {
    let arrays = Type::Array(Box::new(Type::Array(Box::new(Type::Int))));
    let inner = |numbers: &[i64]| {
        Value::Array(Arc::new(numbers.iter().map(|&number| Value::Int(number)).collect::<Vec<_>>()))
    };
    let object = Value::Array(Arc::new(vec![inner(&[1, 2, 3]), inner(&[]), Value::Bool(true)]));
    let operands = Operands { start: 0, len: 2 };
    // Adds a hundred to the item, and leaves what it was.
    let ops = [
        Op::Get(2, 0, operands),
        Op::Int(3, 100),
        Op::Binary(BinaryOp::AddInts, 3, 3, 2),
        Op::Set(0, operands, 3),
        Op::Give(0, 2),
        Op::Return(None),
    ];
    let first = function(&[Kind::Int; 4], 2, &ops, &[0, 1]);
    let machines = machines(routine(vec![first], &[Kind::Int], &[arrays], &[&[Step::Item, Step::Item]]));
    for machine in machines {
        for outer in -5..5_i64 {
            for place in -5..5_i64 {
                let mut objects = [unshared(&object)];
                let words = [outer.cast_unsigned(), place.cast_unsigned()];
                let (ended, outputs) = run(&machine, &words, &mut objects);
                let found = [0, -3].contains(&outer) && (-3..3).contains(&place);
                assert_eq!(ended == Ended::Done, found, "{outer}, {place}");
                if found {
                    assert_eq!(outputs[0], place.rem_euclid(3).cast_unsigned() + 1);
                    assert_ne!(objects[0], object);
                } else {
                    assert_eq!(objects[0], object);
                }
            }
        }
    }
}

#[test]
fn a_routine_that_is_not_valid_is_never_executed() {
    let mut broken = filling(1);
    broken.functions[0].ops[4] = Op::Copy(99, 0);
    for tiers in [Tiers::Auto, Tiers::Evaluated, Tiers::Native] {
        let machine = Machine::new(Arc::new(broken.clone()), &[], &[], tiers);
        assert_eq!(machine.flaw(), Some("function 0, operation 4: there is no register 99"));
        assert!(!machine.is_native());
        assert_eq!(run(&machine, &[3], &mut [zeros(3)]).0, Ended::GaveUp);
    }
}

#[test]
#[should_panic(expected = "one word for each input and each output")]
fn too_few_words_are_refused() {
    let [_, native] = machines(nesting());
    native.run(&mut [1], &mut [], &mut Scratch::default(), &AtomicBool::new(false));
}
