//! Values: what travels along arcs, fills vars and shared objects, and stands in a trace.
//!
//! A value is never aliased. Large payloads sit behind an [`Arc`](std::sync::Arc) and are copied on the first write
//! ([`Arc::make_mut`](std::sync::Arc::make_mut)), so that sending a matrix to a hundred instances costs a hundred counters.

/// Whether a value fits a type.
mod admit;
/// Texts of bounded length.
mod brief;
/// Values and types.
mod kind;
/// Matrices.
mod matrix;
/// Parts of values.
mod slice;
/// Struct types and their values.
mod structs;

pub use admit::Mismatch;
pub use brief::brief;
pub use kind::{Type, Value};
pub use matrix::Matrix;
pub use slice::{Side, SliceError};
pub use structs::{FieldType, StructDef, StructShape, StructTable, StructType, StructValue};

/// Deepest nesting of arrays, maps and structs in a value that leaves a body or stands in a trace: what
/// looks at values recurses.
pub const MAX_DEPTH: usize = 256;
