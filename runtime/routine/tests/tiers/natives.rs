//! Functions as they are registered in Rust, and that both tiers call them alike.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hasse_model::function::Signature;
use hasse_model::plan::routine::{Kind, Native, Op, Operands, Routine, Step};
use hasse_model::value::{Type, Value};
use hasse_routine::{Ended, Machine, NativeFunction, Tiers};

use crate::cases::{function, routine, run};

/// A function with its name and what it takes and gives.
pub(crate) type Known = (&'static str, &'static [Kind], Kind, fn(&[u64]) -> Option<u64>);

/// Functions of all kinds, some of which fail now and then. They take what is missing as zeros.
pub(crate) const KNOWN: [Known; 6] = {
    use Kind::{Bool, Int, Real};
    [
        ("half", &[Int], Int, |words| word(words, 0).is_multiple_of(2).then(|| word(words, 0) >> 1)),
        ("mix", &[Real, Int, Bool], Real, |words| {
            let sum = f64::from_bits(word(words, 0)) + word(words, 1).cast_signed() as f64;
            Some(if word(words, 2) != 0 { -sum } else { sum }.to_bits())
        }),
        // Not 1, which is the word for what holds.
        ("is_less", &[Real, Real], Bool, |words| {
            Some(if f64::from_bits(word(words, 0)) < f64::from_bits(word(words, 1)) { 2 } else { 0 })
        }),
        ("answer", &[], Int, |_| Some(42)),
        ("burst", &[Int], Real, |words| match word(words, 0).cast_signed() {
            // As a panic, but for its message.
            number if number % 5 == 4 => resume_unwind(Box::new(())),
            number => Some((number as f64).to_bits()),
        }),
        ("sum", &[Int; 6], Int, |words| {
            Some((0..6).map(|place| word(words, place)).fold(0, u64::wrapping_add))
        }),
    ]
};

fn word(words: &[u64], place: usize) -> u64 {
    words.get(place).copied().unwrap_or(0)
}

/// All of them, as a routine has them.
pub(crate) fn natives() -> Vec<Native> {
    let native = |&(name, takes, gives, _): &Known| Native {
        name: name.to_owned(),
        signature: Signature { takes: takes.to_vec(), gives },
    };
    KNOWN.iter().map(native).collect()
}

/// The functions that a routine calls.
pub(crate) fn functions(routine: &Routine) -> Vec<Arc<NativeFunction>> {
    let function = |native: &Native| {
        let known = KNOWN.iter().find(|known| known.0 == native.name).expect("there is one of the name");
        Arc::new(known.3) as Arc<NativeFunction>
    };
    routine.natives.iter().map(function).collect()
}

/// Writes to a vector, then calls the function with what it takes, and leaves its answer.
fn calling(native_idx: usize) -> Routine {
    let (_, takes, gives, _) = KNOWN[native_idx];
    let n_takes = takes.len() as u32;
    let operands: Vec<u32> = (0..n_takes).chain([n_takes + 2]).collect();
    let mut kinds = takes.to_vec();
    kinds.extend([gives, Kind::Real, Kind::Int]);
    let ops = [
        Op::Real(n_takes + 1, 7.0),
        Op::Set(0, Operands { start: n_takes, len: 1 }, n_takes + 1),
        Op::CallNative(n_takes, native_idx as u32, Operands { start: 0, len: n_takes }),
        Op::Give(0, n_takes),
        Op::Return(None),
    ];
    let first = function(&kinds, takes.len(), &ops, &operands);
    Routine { natives: natives(), ..routine(vec![first], &[gives], &[Type::Vector], &[&[Step::Entry]]) }
}

/// Expects an answer of both tiers, or to give up where it is none.
#[track_caller]
fn expect(name: &str, words: &[u64], expected: Option<u64>) {
    let native_idx = KNOWN.iter().position(|known| known.0 == name).expect("there is one of the name");
    let routine = Arc::new(calling(native_idx));
    for tiers in [Tiers::Evaluated, Tiers::Native] {
        let machine = Machine::new(Arc::clone(&routine), &functions(&routine), &[], tiers);
        assert_eq!((machine.flaw(), machine.is_native()), (None, tiers == Tiers::Native));
        let mut object = [Value::Vector(Arc::new(vec![1.0]))];
        let (ended, outputs) = run(&machine, words, &mut object);
        let entry = if expected.is_some() { 7.0 } else { 1.0 };
        assert_eq!(object[0], Value::Vector(Arc::new(vec![entry])), "{tiers:?}");
        let found = (ended == Ended::Done).then(|| outputs[0]);
        assert_eq!(found, expected, "{tiers:?}");
        assert!(expected.is_some() || ended == Ended::GaveUp);
    }
}

#[test]
fn functions_answer_or_have_what_was_written_taken_back() {
    expect("half", &[12], Some(6));
    expect("half", &[13], None);
    expect("mix", &[1.5_f64.to_bits(), 2, 1], Some((-3.5_f64).to_bits()));
    expect(
        "mix",
        &[f64::NEG_INFINITY.to_bits(), (-2_i64).cast_unsigned(), 0],
        Some(f64::NEG_INFINITY.to_bits()),
    );
    expect("is_less", &[1_f64.to_bits(), 2_f64.to_bits()], Some(1));
    expect("is_less", &[1_f64.to_bits(), f64::NAN.to_bits()], Some(0));
    expect("answer", &[], Some(42));
    expect("burst", &[3], Some(3_f64.to_bits()));
    expect("burst", &[4], None);
    expect("sum", &[1, 2, 3, 4, 5, (-20_i64).cast_unsigned()], Some((-5_i64).cast_unsigned()));
}

#[test]
fn without_its_functions_a_routine_gives_up() {
    let routine = Arc::new(calling(0));
    let functions = functions(&routine);
    for tiers in [Tiers::Auto, Tiers::Evaluated, Tiers::Native] {
        let machine = Machine::new(Arc::clone(&routine), &functions[1..], &[], tiers);
        assert_eq!((machine.flaw(), machine.is_native()), (None, false));
        assert_eq!(run(&machine, &[2], &mut [Value::Vector(Arc::new(vec![1.0]))]).0, Ended::GaveUp);
        assert!(machine.calls(&[], &[]) && !machine.calls(&functions, &[]));
    }
}

/// What gives up most of the time is not run any more; what comes to its end as often goes on.
#[test]
fn a_routine_that_gives_up_most_of_the_time_is_given_up() {
    let half = KNOWN.iter().position(|known| known.0 == "half").expect("there is one of the name");
    let routine = Arc::new(calling(half));
    for tiers in [Tiers::Evaluated, Tiers::Native] {
        for (n_even_of_ten, is_given_up) in [(0, true), (2, true), (5, false), (10, false)] {
            let calls = Arc::new(AtomicU64::new(0));
            let mut ours = functions(&routine);
            let (counter, function) = (Arc::clone(&calls), Arc::clone(&ours[half]));
            ours[half] = Arc::new(move |words: &[u64]| {
                counter.fetch_add(1, Ordering::Relaxed);
                function(words)
            });
            let machine = Machine::new(Arc::clone(&routine), &ours, &[], tiers);
            const N_RUNS: u64 = 4_000;
            for nth in 0..N_RUNS {
                let number = 2 * nth + u64::from(nth % 10 >= n_even_of_ten);
                run(&machine, &[number], &mut [Value::Vector(Arc::new(vec![1.0]))]);
            }
            let n_calls = calls.load(Ordering::Relaxed);
            assert_eq!(n_calls < N_RUNS, is_given_up, "{n_even_of_ten} of 10, {tiers:?}: {n_calls}");
        }
    }
}

#[test]
fn a_machine_tells_which_functions_it_calls() {
    let routine = Arc::new(calling(0));
    let (ours, others) = (functions(&routine), functions(&routine));
    let machine = Machine::new(Arc::clone(&routine), &ours, &[], Tiers::Evaluated);
    assert!(machine.calls(&ours, &[]) && machine.calls(&ours.clone(), &[]));
    assert!(!machine.calls(&others, &[]) && !machine.calls(&ours[1..], &[]));
}

#[test]
fn calls_that_do_not_fit_are_never_executed() {
    let flaw = |change: &dyn Fn(&mut Routine)| {
        let mut routine = calling(1);
        change(&mut routine);
        let machine = Machine::new(Arc::new(routine), &[], &[], Tiers::Native);
        machine.flaw().unwrap_or_default().trim_start_matches("function 0, operation 2: ").to_owned()
    };
    let changed = |to, native, start, len| {
        let call = Op::CallNative(to, native, Operands { start, len });
        flaw(&|routine| routine.functions[0].ops[2] = call)
    };
    assert_eq!(changed(3, 1, 0, 3), "");
    assert_eq!(changed(3, 1, 0, 2), "it hands over another number of arguments");
    assert_eq!(changed(3, 1, 1, 3), "register 1 holds int, not real");
    assert_eq!(changed(5, 1, 0, 3), "register 5 holds int, not real");
    assert_eq!(changed(3, 6, 0, 3), "there is no such native function");
    assert_eq!(changed(3, 1, 3, 3), "there are no such operands");
    let fewer = flaw(&|routine| routine.natives[1].signature.takes.truncate(2));
    assert_eq!(fewer, "it hands over another number of arguments");
    let gives_int = flaw(&|routine| routine.natives[1].signature.gives = Kind::Int);
    assert_eq!(gives_int, "register 3 holds real, not int");
}
