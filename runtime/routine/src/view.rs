//! Views of objects: where machine code finds their entries.

use std::sync::Arc;

use hasse_model::value::{Type, Value};

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
