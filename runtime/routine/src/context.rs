//! What machine code is given to work on.

use std::ptr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use hasse_model::plan::routine::Routine;
use hasse_model::value::Value;

use crate::compute::{Budget, Library, Task};
use crate::effects::Sink;
use crate::journal::Journal;
use crate::links::Links;
use crate::native::Callee;
use crate::route::Route;
use crate::view::View;

/// What machine code and its helpers need in a run. Machine code reads the first three fields, by their offsets, and writes the row.
///
/// Invariant while machine code runs: the pointers are those of one run's borrows, which nothing else uses meanwhile. Those of objects
/// are null where a routine has none, and those of computations where runs are rows of a table without a sink, which give up there. The sink of effects lives as long as the run, whatever its type says.
#[repr(C)]
pub(crate) struct Context {
    /// The flag that ends the run.
    pub(crate) stop: *const AtomicBool,
    /// One view for each object.
    pub(crate) views: *mut View,
    /// Where helpers leave their result.
    pub(crate) result: u64,
    /// Where runs come one after another, the one that has not come to its end, or that behind the last.
    pub(crate) row: usize,
    /// The objects.
    pub(crate) objects: *mut Value,
    /// Number of objects, and of views.
    pub(crate) n_objects: usize,
    /// What is to be told of writes.
    pub(crate) journal: *mut Journal,
    /// The ways.
    pub(crate) routes: *const Route,
    /// Number of ways.
    pub(crate) n_routes: usize,
    /// The functions that are registered in Rust.
    pub(crate) natives: *const Callee,
    /// Number of these functions.
    pub(crate) n_natives: usize,
    /// The routine.
    pub(crate) routine: *const Routine,
    /// What it does with objects as wholes.
    pub(crate) tasks: *const Task,
    /// Number of these.
    pub(crate) n_tasks: usize,
    /// Functions of the library.
    pub(crate) library: *const Arc<Library>,
    /// Number of these functions.
    pub(crate) n_library: usize,
    /// What it may take.
    pub(crate) budget: *mut Budget,
    /// Where its effects go.
    pub(crate) effects: *mut Sink<'static>,
}

impl Context {
    /// That of a routine that has no objects, for runs that give up at its computations.
    #[inline(always)]
    pub(crate) fn of_scalars(routine: &Routine, links: &Links, stop: &AtomicBool) -> Self {
        Self {
            stop,
            views: ptr::null_mut(),
            result: 0,
            row: 0,
            objects: ptr::null_mut(),
            n_objects: 0,
            journal: ptr::null_mut(),
            routes: links.routes.as_ptr(),
            n_routes: links.routes.len(),
            natives: links.natives.as_ptr(),
            n_natives: links.natives.len(),
            routine,
            tasks: ptr::null(),
            n_tasks: 0,
            library: ptr::null(),
            n_library: 0,
            budget: ptr::null_mut(),
            effects: ptr::null_mut(),
        }
    }
}
