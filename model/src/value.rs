//! Values: what travels along arcs, fills vars and shared objects, and stands in a trace.
//!
//! A value is never aliased. Large payloads sit behind an [`Arc`](std::sync::Arc) and are copied on the first write
//! ([`Arc::make_mut`](std::sync::Arc::make_mut)), so that sending a matrix to a hundred instances costs a hundred counters.

use std::fmt;
use std::sync::Arc;

/// Whether a value fits a type.
mod admit;
/// Texts of bounded length.
mod brief;
/// Parts of values.
mod slice;
/// Struct types and their values.
mod structs;

pub use admit::Mismatch;
pub use brief::brief;
pub use slice::{Side, SliceError};
pub use structs::{FieldType, StructDef, StructShape, StructTable, StructType, StructValue};

/// Deepest nesting of arrays and structs in a value that leaves a body or stands in a trace: what
/// looks at values recurses.
pub const MAX_DEPTH: usize = 256;

/// A dense matrix of `f64` in column-major order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix {
    n_rows: usize,
    n_cols: usize,
    /// Invariant: `entries.len() == n_rows * n_cols`; entry (r, c) is at `c * n_rows + r`.
    entries: Vec<f64>,
}

impl Matrix {
    /// A matrix of zeros.
    ///
    /// # Panics
    /// If `n_rows * n_cols` overflows.
    pub fn zeros(n_rows: usize, n_cols: usize) -> Self {
        let n_entries = n_rows.checked_mul(n_cols).expect("matrix size fits in memory");
        Self { n_rows, n_cols, entries: vec![0.0; n_entries] }
    }

    /// A matrix from its entries in column-major order, or `None` where their number is not
    /// `n_rows * n_cols`.
    pub fn from_columns(n_rows: usize, n_cols: usize, entries: Vec<f64>) -> Option<Self> {
        (n_rows.checked_mul(n_cols) == Some(entries.len())).then_some(Self { n_rows, n_cols, entries })
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Number of columns.
    pub fn n_cols(&self) -> usize {
        self.n_cols
    }

    /// All entries, column after column.
    pub fn entries(&self) -> &[f64] {
        &self.entries
    }

    /// All entries, column after column, to be written.
    pub fn entries_mut(&mut self) -> &mut [f64] {
        &mut self.entries
    }

    /// Entry (row, col), or `None` outside of the matrix.
    pub fn get(&self, row: usize, col: usize) -> Option<f64> {
        (row < self.n_rows && col < self.n_cols).then(|| self.entries[col * self.n_rows + row])
    }

    /// Entry (row, col) to be written, or `None` outside of the matrix.
    pub fn get_mut(&mut self, row: usize, col: usize) -> Option<&mut f64> {
        (row < self.n_rows && col < self.n_cols).then(|| &mut self.entries[col * self.n_rows + row])
    }
}

/// A value of the program language.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// Nothing: what a name holds that the taken rule does not bind.
    #[default]
    Unit,
    /// A truth value.
    Bool(bool),
    /// A 64-bit signed integer.
    Int(i64),
    /// A 64-bit floating-point number.
    Real(f64),
    /// One Unicode scalar value.
    Char(char),
    /// Text.
    String(Arc<str>),
    /// Bytes.
    Bytes(Arc<Vec<u8>>),
    /// A dense vector of `f64`.
    Vector(Arc<Vec<f64>>),
    /// A dense matrix of `f64`.
    Matrix(Arc<Matrix>),
    /// A sequence of values.
    Array(Arc<Vec<Value>>),
    /// A value of a struct type.
    Struct(Arc<StructValue>),
}

impl Value {
    /// The name of the value's type, as a program writes it; `()` for the unit value, `array` for an
    /// array of any type.
    pub fn type_name(&self) -> &str {
        match self {
            Value::Unit => "()",
            Value::Bool(_) => "bool",
            Value::Int(_) => "int",
            Value::Real(_) => "real",
            Value::Char(_) => "char",
            Value::String(_) => "string",
            Value::Bytes(_) => "bytes",
            Value::Vector(_) => "vector",
            Value::Matrix(_) => "matrix",
            Value::Array(_) => "array",
            Value::Struct(held) => &held.shape().name,
        }
    }
}

/// Writes the value for a person: at most eight items of a sequence, sizes of what is larger, and
/// nothing of what nests deeper than six levels.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST_LEVELS: usize = 6;
        self.write(f, MOST_LEVELS)
    }
}

impl Value {
    fn write(&self, f: &mut fmt::Formatter<'_>, levels_left: usize) -> fmt::Result {
        const MOST_ITEMS: usize = 8;
        match self {
            Value::Unit => write!(f, "()"),
            Value::Bool(flag) => write!(f, "{flag}"),
            Value::Int(number) => write!(f, "{number}"),
            Value::Real(number) => write!(f, "{number:?}"),
            Value::Char(letter) => write!(f, "{letter:?}"),
            Value::String(text) => write!(f, "{text:?}"),
            Value::Bytes(bytes) => write!(f, "bytes of length {}", bytes.len()),
            Value::Vector(entries) if entries.len() > MOST_ITEMS => {
                write!(f, "vector of length {}", entries.len())
            }
            Value::Vector(entries) => write!(f, "vector {entries:?}"),
            Value::Matrix(matrix) => write!(f, "matrix {} x {}", matrix.n_rows(), matrix.n_cols()),
            Value::Array(items) if levels_left == 0 && !items.is_empty() => {
                write!(f, "[... {} in all]", items.len())
            }
            Value::Array(items) => {
                write!(f, "[")?;
                for (item_idx, item) in items.iter().take(MOST_ITEMS).enumerate() {
                    f.write_str(if item_idx == 0 { "" } else { ", " })?;
                    item.write(f, levels_left.saturating_sub(1))?;
                }
                if items.len() > MOST_ITEMS {
                    write!(f, ", ... {} in all", items.len())?;
                }
                write!(f, "]")
            }
            Value::Struct(held) if held.fields().is_empty() => write!(f, "{} {{}}", held.shape().name),
            Value::Struct(held) if levels_left == 0 => write!(f, "{} {{ ... }}", held.shape().name),
            Value::Struct(held) => {
                write!(f, "{} {{ ", held.shape().name)?;
                for (field_idx, (name, field)) in held.entries().enumerate() {
                    let comma = if field_idx == 0 { "" } else { ", " };
                    write!(f, "{comma}{name}: ")?;
                    field.write(f, levels_left - 1)?;
                }
                write!(f, " }}")
            }
        }
    }
}

/// A type of the program language.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `int`
    Int,
    /// `real`
    Real,
    /// `bool`
    Bool,
    /// `char`
    Char,
    /// `string`
    String,
    /// `bytes`
    Bytes,
    /// `vector`
    Vector,
    /// `matrix`
    Matrix,
    /// `T[]`
    Array(Box<Type>),
    /// A struct type, by its name
    Struct(StructType),
    /// `any`: every value but the unit value
    Any,
}

impl Type {
    /// Number of values in the default value, those within it included. Struct types within struct types multiply, so that a
    /// short program can have more than any machine holds: the number saturates.
    pub fn n_default_values(&self) -> u64 {
        match self {
            Type::Struct(ty) => ty.n_default_values(),
            _ => 1,
        }
    }

    /// The value that a var or shared object of this type holds before anything is assigned.
    pub fn default_value(&self) -> Value {
        match self {
            Type::Int => Value::Int(0),
            Type::Real => Value::Real(0.0),
            Type::Bool => Value::Bool(false),
            Type::Char => Value::Char('\0'),
            Type::String => Value::String(Arc::from("")),
            Type::Bytes => Value::Bytes(Arc::default()),
            Type::Vector => Value::Vector(Arc::default()),
            Type::Matrix => Value::Matrix(Arc::default()),
            Type::Array(_) => Value::Array(Arc::default()),
            Type::Struct(ty) => ty.default_value(),
            Type::Any => Value::Unit,
        }
    }
}

/// Writes the type as a program does.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Int => write!(f, "int"),
            Type::Real => write!(f, "real"),
            Type::Bool => write!(f, "bool"),
            Type::Char => write!(f, "char"),
            Type::String => write!(f, "string"),
            Type::Bytes => write!(f, "bytes"),
            Type::Vector => write!(f, "vector"),
            Type::Matrix => write!(f, "matrix"),
            Type::Array(item_type) => write!(f, "{item_type}[]"),
            Type::Struct(ty) => write!(f, "{}", ty.name()),
            Type::Any => write!(f, "any"),
        }
    }
}
