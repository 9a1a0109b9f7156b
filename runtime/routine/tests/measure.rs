//! What runs cost. Not a test: `cargo test --release -p hasse-routine --test measure -- --ignored --nocapture`

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use hasse_model::function::Signature;
use hasse_model::id::SlotId;
use hasse_model::plan::routine::{
    BinaryOp, Comparison, Function, Input, Kind, Native, Object, Op, Operands, Output, Path, Place, Routine,
    Step,
};
use hasse_model::value::{Type, Value};
use hasse_routine::{Ended, Machine, NativeFunction, Scratch, Tiers};

fn routine(kinds: &[Kind], n_params: usize, ops: &[Op], operands: &[u32], output: Kind) -> Routine {
    let input = |&kind: &Kind| Input { place: Place::Value, kind, is_optional: false, is_presence: false };
    let function = Function {
        name: String::new(),
        n_params,
        kinds: kinds.to_vec(),
        gives: None,
        ops: ops.to_vec(),
        operands: operands.to_vec(),
    };
    Routine {
        functions: vec![function],
        inputs: kinds[..n_params].iter().map(input).collect(),
        outputs: vec![Output { place: Place::Value, kind: output }],
        ..Routine::default()
    }
}

/// `x + y`
fn sum() -> Routine {
    let ops = [Op::Binary(BinaryOp::AddInts, 2, 0, 1), Op::Give(0, 2), Op::Return(None)];
    routine(&[Kind::Int; 3], 2, &ops, &[], Kind::Int)
}

/// `while i < n { s = (s * 1103515245 + 12345) % 2147483648; i = i + 1 }`
fn generator() -> Routine {
    let ops = [
        Op::CompareInts(Comparison::Less, 4, 1, 0),
        Op::JumpIf(4, false, 11),
        Op::Int(3, 1_103_515_245),
        Op::Binary(BinaryOp::MultiplyInts, 3, 2, 3),
        Op::Int(5, 12_345),
        Op::Binary(BinaryOp::AddInts, 3, 3, 5),
        Op::Int(5, 2_147_483_648),
        Op::Binary(BinaryOp::RemainderInts, 2, 3, 5),
        Op::Int(5, 1),
        Op::Binary(BinaryOp::AddInts, 1, 1, 5),
        Op::Back(0),
        Op::Give(0, 2),
        Op::Return(None),
    ];
    let kinds = [Kind::Int, Kind::Int, Kind::Int, Kind::Int, Kind::Bool, Kind::Int];
    routine(&kinds, 1, &ops, &[], Kind::Int)
}

/// The same in Rust. What it multiplies by and adds is not known to the compiler: it would see that nothing overflows,
/// and take four turns at once.
#[inline(never)]
fn generator_in_rust(n: i64, by: i64, and: i64) -> Option<i64> {
    let (mut i, mut s) = (0_i64, 0_i64);
    while i < n {
        s = s.checked_mul(by)?.checked_add(and)?.checked_rem(2_147_483_648)?;
        i = i.checked_add(1)?;
    }
    Some(s)
}

/// `while i < n { v[i] = v[i] * 0.5 + x; if v[i] >= s { s = v[i] } i = i + 1 }`
fn smoothing() -> Routine {
    let at = Operands { start: 0, len: 1 };
    let [n, x, i, s, entry, number, one, flag] = [0, 1, 2, 3, 4, 5, 6, 7];
    let ops = [
        Op::CompareInts(Comparison::Less, flag, i, n),
        Op::JumpIf(flag, false, 13),
        Op::Get(entry, 0, at),
        Op::Real(number, 0.5),
        Op::Binary(BinaryOp::MultiplyReals, entry, entry, number),
        Op::Binary(BinaryOp::AddReals, entry, entry, x),
        Op::Set(0, at, entry),
        Op::CompareReals(Comparison::GreaterOrEqual, flag, entry, s),
        Op::JumpIf(flag, false, 10),
        Op::Copy(s, entry),
        Op::Int(one, 1),
        Op::Binary(BinaryOp::AddInts, i, i, one),
        Op::Back(0),
        Op::Give(0, s),
        Op::Return(None),
    ];
    let (int, real) = (Kind::Int, Kind::Real);
    let kinds = [int, real, int, real, real, real, int, Kind::Bool];
    let mut routine = routine(&kinds, 2, &ops, &[i], Kind::Real);
    routine.objects = vec![Object { slot: SlotId::from_idx(0), ty: Type::Vector, is_written: true }];
    routine.paths = vec![Path { object: 0, steps: vec![Step::Entry] }];
    routine
}

/// `while i < n { items[i] = i; i = i + 1 }`
fn counting() -> Routine {
    let at = Operands { start: 0, len: 1 };
    let ops = [
        Op::CompareInts(Comparison::Less, 3, 1, 0),
        Op::JumpIf(3, false, 6),
        Op::Set(0, at, 1),
        Op::Int(2, 1),
        Op::Binary(BinaryOp::AddInts, 1, 1, 2),
        Op::Back(0),
        Op::Give(0, 1),
        Op::Return(None),
    ];
    let mut routine = routine(&[Kind::Int, Kind::Int, Kind::Int, Kind::Bool], 1, &ops, &[1], Kind::Int);
    routine.objects =
        vec![Object { slot: SlotId::from_idx(0), ty: Type::Array(Box::new(Type::Int)), is_written: true }];
    routine.paths = vec![Path { object: 0, steps: vec![Step::Item] }];
    routine
}

/// `while i < n { s = call(s, i); i = i + 1 }` of a function that is registered in Rust
fn calling() -> Routine {
    let ops = [
        Op::CompareInts(Comparison::Less, 4, 1, 0),
        Op::JumpIf(4, false, 6),
        Op::CallNative(2, 0, Operands { start: 0, len: 2 }),
        Op::Int(3, 1),
        Op::Binary(BinaryOp::AddInts, 1, 1, 3),
        Op::Back(0),
        Op::Give(0, 2),
        Op::Return(None),
    ];
    let kinds = [Kind::Int, Kind::Int, Kind::Int, Kind::Int, Kind::Bool];
    let signature = Signature { takes: vec![Kind::Int; 2], gives: Kind::Int };
    let natives = vec![Native { name: "call".to_owned(), signature }];
    Routine { natives, ..routine(&kinds, 1, &ops, &[2, 1], Kind::Int) }
}

/// Nanoseconds of the fastest of several turns, by `n`.
fn nanos(n: u64, mut turn: impl FnMut()) -> f64 {
    let turns = (0..7).map(|_| {
        let begun = Instant::now();
        turn();
        begun.elapsed().as_nanos() as f64 / n as f64
    });
    turns.fold(f64::INFINITY, f64::min)
}

#[test]
#[ignore = "it measures"]
fn measure() {
    let compile = |routine: Routine| {
        let routine = Arc::new(routine);
        let begun = Instant::now();
        let machine = Machine::new(routine, &[], &[], Tiers::Native);
        let elapsed = begun.elapsed();
        assert!(machine.is_native());
        elapsed
    };
    println!("compiling the first routine: {:?}", compile(sum()));
    println!("compiling it again: {:?}", compile(sum()));
    println!("compiling the generator: {:?}, {:?}", compile(generator()), compile(generator()));
    println!("compiling the smoothing: {:?}, {:?}", compile(smoothing()), compile(smoothing()));

    let stop = AtomicBool::new(false);
    let mut scratch = Scratch::default();
    const N: u64 = 5_000_000;
    for tiers in [Tiers::Evaluated, Tiers::Native] {
        let machine = Machine::new(Arc::new(sum()), &[], &[], tiers);
        let per_run = nanos(N, || {
            let mut words = [1, 2, 0];
            for _ in 0..N {
                let ended = machine.run(black_box(&mut words), &mut [], &mut scratch, &stop);
                assert_eq!(ended, Ended::Done);
            }
        });
        println!("{tiers:?}: one line: {per_run:.2} ns a run");

        let machine = Machine::new(Arc::new(generator()), &[], &[], tiers);
        let mut words = [N, 0];
        let per_turn = nanos(N, || {
            machine.run(&mut words, &mut [], &mut scratch, &stop);
        });
        assert_eq!(
            Some(words[1].cast_signed()),
            generator_in_rust(N as i64, black_box(1_103_515_245), black_box(12_345))
        );
        println!("{tiers:?}: generator: {per_turn:.2} ns a turn");

        let add: Arc<NativeFunction> = Arc::new(|words: &[u64]| Some(words[0].wrapping_add(words[1] ^ 1)));
        let machine = Machine::new(Arc::new(calling()), &[add], &[], tiers);
        let mut words = [N, 0];
        let per_turn = nanos(N, || {
            assert_eq!(machine.run(&mut words, &mut [], &mut scratch, &stop), Ended::Done);
        });
        println!("{tiers:?}: calls of a function in Rust: {per_turn:.2} ns a turn");

        for len in [300_u64, 100_000] {
            let machine = Machine::new(Arc::new(smoothing()), &[], &[], tiers);
            let mut objects = [Value::Vector(Arc::new(vec![1.0; len as usize]))];
            let per_turn = nanos(N / len * len, || {
                for _ in 0..N / len {
                    let mut words = [len, 0.25_f64.to_bits(), 0];
                    let ended = machine.run(&mut words, &mut objects, &mut scratch, &stop);
                    assert_eq!(ended, Ended::Done);
                }
            });
            println!("{tiers:?}: smoothing {len} entries: {per_turn:.2} ns an entry");
        }

        let machine = Machine::new(Arc::new(counting()), &[], &[], tiers);
        let mut objects = [Value::Array(Arc::new(vec![Value::Int(0); 300]))];
        let per_turn = nanos(300_000, || {
            for _ in 0..1_000 {
                let mut words = [300, 0];
                assert_eq!(machine.run(&mut words, &mut objects, &mut scratch, &stop), Ended::Done);
            }
        });
        println!("{tiers:?}: items written: {per_turn:.2} ns an item");
    }
    let in_rust = nanos(N, || {
        black_box(generator_in_rust(N as i64, black_box(1_103_515_245), black_box(12_345)));
    });
    println!("Rust: generator: {in_rust:.2} ns a turn");
}
