//! What machine code is given to work on.

use std::ptr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use hasse_model::plan::routine::Routine;
use hasse_model::value::{Type, Value};

use crate::compute::{Budget, Library, Task};
use crate::effects::Sink;
use crate::journal::Journal;
use crate::machine::Links;
use crate::native::Callee;
use crate::route::Route;

/// What machine code and its helpers need in a run. Machine code reads the first three fields, by their offsets, and writes the row.
///
/// Invariant while machine code runs: the pointers are those of one run's borrows, which nothing else uses meanwhile. Those of objects
/// and computations are null where a routine has none. The sink of effects lives as long as the run, whatever its type says.
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
    /// That of a routine that has no objects and no computations.
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

/// The entries of an object that is a vector or a matrix, and the size of one that is an array.
///
/// Invariant: `data` points to `n_rows * n_cols` entries of a vector or matrix that are alive, and that
/// nothing else writes, until a computation touches the object, which renews the view; and if `is_direct` is 1 they may be written
/// through it. The sizes change by computations only.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    /// The entries, column after column.
    pub(crate) data: *mut f64,
    /// Number of rows, or of entries or items.
    pub(crate) n_rows: u64,
    /// Number of columns of a matrix, else 1.
    pub(crate) n_cols: u64,
    /// 1 if entries may be written without telling the journal, else 0.
    pub(crate) is_direct: u64,
}

// SAFETY: A view is read only in the run that made it, on one thread; between runs it is stale and is not looked at.
unsafe impl Send for View {}

impl View {
    /// The view of an object; `None` where it is not of its type's variant.
    pub(crate) fn of(object: &Value, ty: &Type) -> Option<Self> {
        let (data, n_rows, n_cols) = match (ty, object) {
            (Type::Vector, Value::Vector(entries)) => (Vec::as_ptr(entries), entries.len(), 1),
            (Type::Matrix, Value::Matrix(matrix)) => {
                (matrix.entries().as_ptr(), matrix.n_rows(), matrix.n_cols())
            }
            (Type::Array(_), Value::Array(items)) => (std::ptr::null(), items.len(), 1),
            (Type::Struct(_), Value::Struct(_)) | (Type::String, Value::String(_)) => {
                (std::ptr::null(), 0, 1)
            }
            _ => return None,
        };
        Some(Self { data: data.cast_mut(), n_rows: n_rows as u64, n_cols: n_cols as u64, is_direct: 0 })
    }

    /// The view of one of a routine's own objects before it holds something.
    pub(crate) fn of_nothing() -> Self {
        Self { data: std::ptr::null_mut(), n_rows: 0, n_cols: 0, is_direct: 0 }
    }

    /// Takes the entries as they are now, to be written if `is_direct`. The payload of the object must be unique.
    pub(crate) fn renew(&mut self, object: &mut Value, is_direct: bool) {
        match object {
            Value::Vector(entries) => self.data = Arc::make_mut(entries).as_mut_ptr(),
            Value::Matrix(matrix) => self.data = Arc::make_mut(matrix).entries_mut().as_mut_ptr(),
            _ => return,
        }
        self.is_direct = u64::from(is_direct);
    }
}
