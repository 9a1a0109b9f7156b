//! What machine code calls.
//!
//! Every helper that looks into objects does so in safe Rust, through what its context points to.

use hasse_model::plan::routine::{BinaryOp, Kind, Measure, UnaryOp};

use crate::compute::Bench;
use crate::context::Context;
use crate::effects::lent;
use crate::route::Route;
use crate::view::View;

/// Kinds as machine code names them.
const KINDS: [Kind; 3] = [Kind::Int, Kind::Real, Kind::Bool];

/// Measures as machine code names them.
const MEASURES: [Measure; 3] = [Measure::Len, Measure::Rows, Measure::Cols];

/// The number of a kind.
pub(crate) fn kind_code(kind: Kind) -> u32 {
    match kind {
        Kind::Int => 0,
        Kind::Real => 1,
        Kind::Bool => 2,
    }
}

/// The number of a measure.
pub(crate) fn measure_code(measure: Measure) -> u32 {
    match measure {
        Measure::Len => 0,
        Measure::Rows => 1,
        Measure::Cols => 2,
    }
}

/// Puts a result where machine code finds it, and says whether there is one.
///
/// # Safety
/// The context must be a valid one that nothing else borrows.
unsafe fn leave(context: *mut Context, result: Option<u64>) -> u32 {
    let Some(word) = result else { return 0 };
    // SAFETY: the caller says so.
    unsafe { (*context).result = word };
    1
}

/// The way of that number, and its operands.
///
/// # Safety
/// The context must be that of a run; `route_idx` must be a position in its ways, and `operands` must point to as many words
/// as that way takes.
unsafe fn way<'a>(context: *mut Context, route_idx: u32, operands: *const u64) -> (&'a Route, &'a [u64]) {
    // SAFETY: by the context's invariant the ways outlive the run, and nobody writes them; the operands stand in the
    // frame of the machine code that waits for the helper.
    unsafe {
        let routes = std::slice::from_raw_parts((*context).routes, (*context).n_routes);
        let route = &routes[route_idx as usize];
        (route, std::slice::from_raw_parts(operands, route.n_operands))
    }
}

/// Reads the scalar at the end of a way into the context's result; 0 where it gives up, else 1.
///
/// # Safety
/// As for [`way`].
pub(crate) unsafe extern "C" fn get(
    context: *mut Context,
    route_idx: u32,
    kind: u32,
    operands: *const u64,
) -> u32 {
    // SAFETY: the caller says so; by the context's invariant nothing else uses the objects meanwhile.
    unsafe {
        let (route, operands) = way(context, route_idx, operands);
        let objects = std::slice::from_raw_parts((*context).objects, (*context).n_objects);
        leave(context, route.get(objects, operands, KINDS[kind as usize]))
    }
}

/// Measures what stands at the end of a way into the context's result; 0 where it gives up, else 1.
///
/// # Safety
/// As for [`way`].
pub(crate) unsafe extern "C" fn measure(
    context: *mut Context,
    route_idx: u32,
    measure: u32,
    operands: *const u64,
) -> u32 {
    // SAFETY: the caller says so; by the context's invariant nothing else uses the objects meanwhile.
    unsafe {
        let (route, operands) = way(context, route_idx, operands);
        let objects = std::slice::from_raw_parts((*context).objects, (*context).n_objects);
        leave(context, route.measure(objects, operands, MEASURES[measure as usize]))
    }
}

/// Writes the scalar at the end of a way; 0 where it gives up, else 1.
///
/// # Safety
/// As for [`way`].
pub(crate) unsafe extern "C" fn set(
    context: *mut Context,
    route_idx: u32,
    kind: u32,
    operands: *const u64,
    word: u64,
) -> u32 {
    // SAFETY: the caller says so; by the context's invariant nothing else uses objects and journal meanwhile.
    unsafe {
        let (route, operands) = way(context, route_idx, operands);
        let objects = std::slice::from_raw_parts_mut((*context).objects, (*context).n_objects);
        let journal = &mut *(*context).journal;
        let written = route.set(objects, journal, operands, KINDS[kind as usize], word);
        leave(context, written.map(|()| 0))
    }
}

/// Calls a function that is registered in Rust, with its answer in the context's result; 0 where it gives up, else 1.
///
/// # Safety
/// The context must be that of a run; `native_idx` must be a position in its native functions, and `operands` must point to as
/// many words as that function takes.
pub(crate) unsafe extern "C" fn call_native(
    context: *mut Context,
    native_idx: u32,
    operands: *const u64,
) -> u32 {
    // SAFETY: by the context's invariant the functions outlive the run, and nobody writes them; the operands stand in the
    // frame of the machine code that waits for the helper. The function is given nothing of the run but these words, and a
    // panic of it ends within the call.
    unsafe {
        let natives = std::slice::from_raw_parts((*context).natives, (*context).n_natives);
        let native = &natives[native_idx as usize];
        let operands = std::slice::from_raw_parts(operands, native.n_arguments);
        leave(context, native.call(operands))
    }
}

/// Does something with objects as wholes, with its answer in the context's result, and renews the views of all objects that it
/// touches; 0 where it gives up, else 1.
///
/// # Safety
/// The context must be that of a run; `task_idx` must be a position in its tasks, and `operands` must point to as many words as
/// that one takes.
pub(crate) unsafe extern "C" fn compute(context: *mut Context, task_idx: u32, operands: *const u64) -> u32 {
    // SAFETY: the caller says so.
    if unsafe { (*context).tasks.is_null() } {
        // The run is one of many, and nobody takes what a computation does.
        return 0;
    }
    // SAFETY: the caller says so; by the context's invariant the routine and all that is linked outlive the run and are written by
    // nobody, and nothing else uses objects, views, journal, budget and effects meanwhile.
    unsafe {
        let tasks = std::slice::from_raw_parts((*context).tasks, (*context).n_tasks);
        let task = &tasks[task_idx as usize];
        let operands = std::slice::from_raw_parts(operands, task.n_operands);
        let routine = &*(*context).routine;
        let objects = std::slice::from_raw_parts_mut((*context).objects, (*context).n_objects);
        let mut bench = Bench {
            routine,
            routes: std::slice::from_raw_parts((*context).routes, (*context).n_routes),
            library: std::slice::from_raw_parts((*context).library, (*context).n_library),
            objects: &mut *objects,
            journal: &mut *(*context).journal,
            budget: &mut *(*context).budget,
            effects: lent(&mut *(*context).effects),
            row: (*context).row,
        };
        let answer = bench.run(task, operands);
        let views = std::slice::from_raw_parts_mut((*context).views, (*context).n_objects);
        let answer = answer.filter(|_| {
            task.touched.iter().all(|&object_idx| {
                let view = routine.object_type(object_idx).and_then(|ty| View::of(&objects[object_idx], ty));
                view.is_some_and(|view| {
                    views[object_idx] = view;
                    true
                })
            })
        });
        leave(context, answer)
    }
}

/// Writes an entry of a vector or matrix whose view says that the journal is to be told, and renews the view.
///
/// # Safety
/// The context must be that of a run, `object_idx` a position in its objects, of one that is a vector or a matrix, and
/// `place` one in its entries.
pub(crate) unsafe extern "C" fn write_entry(context: *mut Context, object_idx: u64, place: u64, entry: f64) {
    // SAFETY: the caller says so; by the context's invariant nothing else uses objects, views and journal
    // meanwhile.
    unsafe {
        let object_idx = object_idx as usize;
        let objects = std::slice::from_raw_parts_mut((*context).objects, (*context).n_objects);
        let views = std::slice::from_raw_parts_mut((*context).views, (*context).n_objects);
        let journal = &mut *(*context).journal;
        let is_direct = journal.before_write(object_idx, &mut objects[object_idx], Some(place as usize));
        views[object_idx].renew(&mut objects[object_idx], is_direct);
        views[object_idx].data.add(place as usize).write(entry);
    }
}

/// `x ** y` of ints into the context's result; 0 where it gives up, else 1.
///
/// # Safety
/// The context must be that of a run.
pub(crate) unsafe extern "C" fn power_ints(context: *mut Context, one: i64, other: i64) -> u32 {
    let power = BinaryOp::PowerInts.of_ints(one, other);
    // SAFETY: the caller says so.
    unsafe { leave(context, power.map(i64::cast_unsigned)) }
}

/// A helper for each of the functions of one real, and their table.
macro_rules! unary_helpers {
    ($($op:ident),* $(,)?) => {
        /// The address of the helper for a function of one real.
        pub(crate) fn unary_helper(op: UnaryOp) -> Option<*const u8> {
            match op {
                $(UnaryOp::$op => {
                    extern "C" fn helper(number: f64) -> f64 {
                        UnaryOp::$op.real_function().map_or(f64::NAN, |function| function(number))
                    }
                    Some(helper as extern "C" fn(f64) -> f64 as *const u8)
                })*
                _ => None,
            }
        }
    };
}

unary_helpers! {
    Cbrt, Exp, Exp2, Ln, Log2, Log10, Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Asinh, Acosh, Atanh,
    ToDegrees, ToRadians, Round,
}

/// A helper for each of the functions of two reals, and their table.
macro_rules! binary_helpers {
    ($($op:ident),* $(,)?) => {
        /// The address of the helper for a function of two reals.
        pub(crate) fn binary_helper(op: BinaryOp) -> Option<*const u8> {
            match op {
                $(BinaryOp::$op => {
                    extern "C" fn helper(one: f64, other: f64) -> f64 {
                        BinaryOp::$op.real_function().map_or(f64::NAN, |function| function(one, other))
                    }
                    Some(helper as extern "C" fn(f64, f64) -> f64 as *const u8)
                })*
                _ => None,
            }
        }
    };
}

binary_helpers! { RemainderReals, PowerReals, Hypot, Atan2 }

#[cfg(test)]
mod tests;
