//! The helpers as machine code calls them, through pointers alone. Miri can run these.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use hasse_model::function::Signature;
use hasse_model::id::SlotId;
use hasse_model::plan::routine::{
    Answer, Argument, Computation, Function, Kind, Measure, Native, Object, Op, Path, Routine, Step, What,
};
use hasse_model::value::{Matrix, Type, Value};

use super::{call_native, compute, get, kind_code, measure, measure_code, power_ints, set, write_entry};
use crate::compute::{Budget, Library, Task};
use crate::context::Context;
use crate::effects::Sink;
use crate::journal::Journal;
use crate::native::{Callee, NativeFunction};
use crate::verify::verify;
use crate::view::View;

/// Runs `work` with a context as machine code has it, then takes back what was written or not.
fn with_context(
    objects: &mut [Value],
    paths: &[(u32, &[Step])],
    are_kept: bool,
    work: impl FnOnce(*mut Context, &AtomicBool),
) {
    with_computations(objects, paths, &[], are_kept, work);
}

/// The same, with computations.
fn with_computations(
    objects: &mut [Value],
    paths: &[(u32, &[Step])],
    computations: &[Computation],
    are_kept: bool,
    work: impl FnOnce(*mut Context, &AtomicBool),
) {
    let types: Vec<Type> = objects.iter().map(type_of).collect();
    let routine = routine(&types, paths, computations);
    let routes = verify(&routine).expect("it is valid");
    let tasks: Vec<Task> = computations.iter().map(|computation| Task::new(computation, &routes)).collect();
    let mut views: Vec<View> = objects
        .iter()
        .zip(&types)
        .map(|(object, ty)| View::of(object, ty).expect("it is of its type"))
        .collect();
    let mut journal = Journal::default();
    journal.begin(objects.len(), 0);
    let mut budget = Budget::default();
    let mut effects: Sink<'_> = None;
    let library: Vec<Arc<Library>> = Vec::new();
    let natives = natives();
    let stop = AtomicBool::new(false);
    let mut context = Context {
        stop: &stop,
        views: views.as_mut_ptr(),
        result: 0,
        row: 0,
        objects: objects.as_mut_ptr(),
        n_objects: objects.len(),
        journal: &mut journal,
        routes: routes.as_ptr(),
        n_routes: routes.len(),
        natives: natives.as_ptr(),
        n_natives: natives.len(),
        routine: &routine,
        tasks: tasks.as_ptr(),
        n_tasks: tasks.len(),
        library: library.as_ptr(),
        n_library: 0,
        budget: &mut budget,
        effects: std::ptr::from_mut(&mut effects).cast(),
    };
    work(&mut context, &stop);
    if are_kept {
        journal.forget();
    } else {
        journal.take_back(objects);
    }
}

/// A function that fails on odd numbers and panics at zero, and one that takes none.
fn natives() -> Vec<Callee> {
    let native = |takes: &[Kind], gives| Native {
        name: String::new(),
        signature: Signature { takes: takes.to_vec(), gives },
    };
    let half: Arc<NativeFunction> = Arc::new(|words: &[u64]| match words {
        [0] => std::panic::resume_unwind(Box::new("as a panic, but for its message".to_owned())),
        [number] => number.is_multiple_of(2).then_some(number / 2),
        _ => None,
    });
    let yes: Arc<NativeFunction> = Arc::new(|words: &[u64]| Some(words.len() as u64 + 2));
    vec![Callee::new(&native(&[Kind::Int], Kind::Int), &half), Callee::new(&native(&[], Kind::Bool), &yes)]
}

fn type_of(value: &Value) -> Type {
    match value {
        Value::Vector(_) => Type::Vector,
        Value::Matrix(_) => Type::Matrix,
        _ => Type::Array(Box::new(Type::Any)),
    }
}

fn routine(types: &[Type], paths: &[(u32, &[Step])], computations: &[Computation]) -> Routine {
    let objects = types.iter().enumerate().map(|(idx, ty)| Object {
        slot: SlotId::from_idx(idx),
        ty: ty.clone(),
        is_written: true,
    });
    let function = Function {
        name: String::new(),
        n_params: 0,
        kinds: Vec::new(),
        gives: None,
        ops: vec![Op::Return(None)],
        operands: Vec::new(),
    };
    Routine {
        functions: vec![function],
        objects: objects.collect(),
        paths: paths.iter().map(|&(object, steps)| Path { object, steps: steps.to_vec() }).collect(),
        computations: computations.to_vec(),
        ..Routine::default()
    }
}

fn vector(len: usize) -> Value {
    Value::Vector(Arc::new((0..len).map(|idx| idx as f64).collect()))
}

/// Reads an entry as machine code does.
///
/// # Safety
/// The context must be that of a run; `object_idx` and `place` must be within its objects and their entries.
unsafe fn entry(context: *mut Context, object_idx: usize, place: usize) -> f64 {
    // SAFETY: the caller says so.
    unsafe { (*(*context).views.add(object_idx)).data.add(place).read() }
}

/// Writes an entry as machine code does.
///
/// # Safety
/// As for [`entry`].
unsafe fn write(context: *mut Context, object_idx: usize, place: usize, number: f64) {
    // SAFETY: the caller says so.
    unsafe {
        let view = (*context).views.add(object_idx);
        if (*view).is_direct == 0 {
            write_entry(context, object_idx as u64, place as u64, number);
        } else {
            (*view).data.add(place).write(number);
        }
    }
}

/// Writes every entry, reads in between, and has it taken back or kept.
fn write_all(mut object: Value, len: usize, are_kept: bool) -> Value {
    with_context(std::slice::from_mut(&mut object), &[], are_kept, |context, _| {
        for place in 0..len {
            // SAFETY: the context is that of a run with one object of that many entries.
            unsafe {
                let before = entry(context, 0, place);
                write(context, 0, place, before + 100.0);
                write(context, 0, place, entry(context, 0, place) + 100.0);
                assert_eq!(entry(context, 0, place), before + 200.0);
                assert_eq!(entry(context, 0, 0), entry(context, 0, 0));
            }
        }
    });
    object
}

#[test]
fn entries_are_written_and_taken_back() {
    for len in [1, 8, 600] {
        let expected = Value::Vector(Arc::new((0..len).map(|idx| idx as f64 + 200.0).collect()));
        assert_eq!(write_all(vector(len), len, true), expected);
        assert_eq!(write_all(vector(len), len, false), vector(len));
        let held = vector(len);
        assert_eq!(write_all(held.clone(), len, true), expected);
        assert_eq!(write_all(held.clone(), len, false), held);
        assert_eq!(held, vector(len));
    }
}

#[test]
fn few_entries_of_a_large_vector_are_logged() {
    let mut object = vector(600);
    with_context(std::slice::from_mut(&mut object), &[], false, |context, _| {
        for place in [3, 599, 3] {
            // SAFETY: the context is that of a run with one object of 600 entries.
            unsafe {
                write(context, 0, place, -1.0);
                assert_eq!((*(*context).views).is_direct, 0);
                assert_eq!(entry(context, 0, place), -1.0);
            }
        }
    });
    assert_eq!(object, vector(600));
}

#[test]
fn cells_are_written_and_taken_back() {
    for (n_rows, n_cols) in [(2, 3), (30, 20)] {
        let matrix = Value::Matrix(Arc::new(Matrix::zeros(n_rows, n_cols)));
        let written = write_all(matrix.clone(), n_rows * n_cols, true);
        let Value::Matrix(written) = written else { panic!("it is a matrix") };
        assert!(written.entries().iter().all(|&entry| entry == 200.0));
        assert_eq!(
            write_all(Value::Matrix(Arc::new(Matrix::zeros(n_rows, n_cols))), n_rows * n_cols, false),
            matrix
        );
    }
}

#[test]
fn two_objects_of_one_payload_are_written_apart() {
    let held = vector(4);
    let mut objects = [held.clone(), held.clone()];
    with_context(&mut objects, &[], true, |context, _| {
        // SAFETY: the context is that of a run with two objects of four entries.
        unsafe {
            write(context, 0, 1, 7.0);
            assert_eq!(entry(context, 1, 1), 1.0);
            write(context, 1, 1, 8.0);
            assert_eq!(entry(context, 0, 1), 7.0);
        }
    });
    assert_eq!(held, vector(4));
    assert_ne!(objects[0], objects[1]);
}

#[test]
fn ways_are_followed() {
    let items = |number| Value::Array(Arc::new(vec![Value::Int(number), Value::Bool(true), vector(3)]));
    let steps: &[(u32, &[Step])] = &[(0, &[Step::Item]), (0, &[Step::Item, Step::Entry]), (0, &[])];
    for are_kept in [false, true] {
        let mut object = items(5);
        with_context(std::slice::from_mut(&mut object), steps, are_kept, |context, _| {
            let (int, real, bool) = (kind_code(Kind::Int), kind_code(Kind::Real), kind_code(Kind::Bool));
            let at = |numbers: [i64; 2]| numbers.map(i64::cast_unsigned);
            // SAFETY: the context is that of a run with these ways, none of which takes more than two operands.
            unsafe {
                assert_eq!(get(context, 0, int, at([-3, 0]).as_ptr()), 1);
                assert_eq!((*context).result, 5);
                assert_eq!(get(context, 0, int, at([-4, 0]).as_ptr()), 0);
                assert_eq!(get(context, 0, int, at([3, 0]).as_ptr()), 0);
                assert_eq!(get(context, 0, int, at([1, 0]).as_ptr()), 0);
                assert_eq!(set(context, 0, int, at([1, 0]).as_ptr(), 1), 0);
                assert_eq!(set(context, 0, bool, at([1, 0]).as_ptr(), 0), 1);
                assert_eq!(get(context, 0, bool, at([-2, 0]).as_ptr()), 1);
                assert_eq!((*context).result, 0);
                assert_eq!(set(context, 1, real, at([2, 1]).as_ptr(), 9f64.to_bits()), 1);
                assert_eq!(set(context, 1, real, at([2, -1]).as_ptr(), 0), 0);
                assert_eq!(get(context, 1, real, at([2, 1]).as_ptr()), 1);
                assert_eq!((*context).result, 9f64.to_bits());
                assert_eq!(measure(context, 2, measure_code(Measure::Len), at([0, 0]).as_ptr()), 1);
                assert_eq!((*context).result, 3);
                assert_eq!(measure(context, 2, measure_code(Measure::Rows), at([0, 0]).as_ptr()), 0);
            }
        });
        if are_kept {
            let entries = Value::Vector(Arc::new(vec![0.0, 9.0, 2.0]));
            assert_eq!(object, Value::Array(Arc::new(vec![Value::Int(5), Value::Bool(false), entries])));
        } else {
            assert_eq!(object, items(5));
        }
    }
}

#[test]
fn functions_in_rust_answer_fail_and_panic() {
    with_context(&mut [vector(3)], &[], true, |context, _| {
        // SAFETY: the context is that of a run with these functions, none of which takes more than one argument.
        unsafe {
            assert_eq!(call_native(context, 0, [12].as_ptr()), 1);
            assert_eq!((*context).result, 6);
            assert_eq!(call_native(context, 0, [7].as_ptr()), 0);
            assert_eq!(call_native(context, 0, [0].as_ptr()), 0);
            assert_eq!(call_native(context, 1, [9].as_ptr()), 1);
            assert_eq!((*context).result, 1);
            write(context, 0, 2, 5.0);
            assert_eq!(entry(context, 0, 2), 5.0);
        }
    });
}

/// Objects are copied, replaced and lengthened, and written through their views in between.
#[test]
fn views_follow_computations() {
    let paths: &[(u32, &[Step])] = &[(0, &[]), (2, &[])];
    let copied = |to| Computation {
        what: What::Copied,
        arguments: vec![Argument::Part(0)],
        result: Answer::Object(to),
    };
    let push = Computation {
        what: What::Push,
        arguments: vec![Argument::Part(1), Argument::Part(0)],
        result: Answer::Nothing,
    };
    let truncate = Computation {
        what: What::Truncate,
        arguments: vec![Argument::Part(1), Argument::Scalar(Kind::Int)],
        result: Answer::Nothing,
    };
    for are_kept in [false, true] {
        let before = [vector(4), vector(2), Value::Array(Arc::new(vec![Value::Int(1)]))];
        let mut objects = before.clone();
        let computations = [copied(1), push.clone(), truncate.clone()];
        with_computations(&mut objects, paths, &computations, are_kept, |context, _| {
            // SAFETY: the context is that of a run with these computations and objects, of which the first two have four entries
            // once one has been copied to the other.
            unsafe {
                write(context, 0, 1, 7.0);
                assert_eq!(compute(context, 0, [].as_ptr()), 1);
                assert_eq!((*(*context).views.add(1)).n_rows, 4);
                assert_eq!(entry(context, 1, 1), 7.0);
                write(context, 1, 2, 8.0);
                write(context, 0, 3, 9.0);
                assert_eq!((entry(context, 0, 2), entry(context, 1, 3)), (2.0, 3.0));
                assert_eq!(compute(context, 1, [].as_ptr()), 1);
                assert_eq!((*(*context).views.add(2)).n_rows, 2);
                write(context, 0, 0, -1.0);
                assert_eq!(compute(context, 2, [1].as_ptr()), 1);
                assert_eq!((*(*context).views.add(2)).n_rows, 1);
            }
        });
        if are_kept {
            assert_eq!(objects[0], Value::Vector(Arc::new(vec![-1.0, 7.0, 2.0, 9.0])));
            assert_eq!(objects[1], Value::Vector(Arc::new(vec![0.0, 7.0, 8.0, 3.0])));
            assert_eq!(objects[2], before[2]);
        } else {
            assert_eq!(objects, before);
        }
    }
}

#[test]
fn powers_give_up() {
    with_context(&mut [], &[], true, |context, stop| {
        assert!(!stop.load(std::sync::atomic::Ordering::Relaxed));
        // SAFETY: the context is that of a run.
        unsafe {
            assert_eq!(power_ints(context, -3, 3), 1);
            assert_eq!((*context).result.cast_signed(), -27);
            assert_eq!(power_ints(context, 2, -1), 0);
            assert_eq!(power_ints(context, 2, 63), 0);
            assert_eq!(power_ints(context, 1, 1 << 40), 0);
        }
    });
}

#[test]
fn a_row_of_a_table_gives_up_at_a_computation() {
    with_context(&mut [], &[], true, |context, _| {
        // SAFETY: nothing but the tasks is looked at, and they are not there.
        unsafe {
            (*context).tasks = std::ptr::null();
            assert_eq!(compute(context, 0, std::ptr::null()), 0);
        }
    });
}
