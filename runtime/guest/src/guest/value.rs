//! Values of the program language, as those of the library `hasse` look to a body.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::cross::{Crossing, Parts, View};

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
    #[track_caller]
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
    /// A map from strings to values, sorted by key.
    Map(Arc<BTreeMap<Arc<str>, Value>>),
}

/// Name and field names of a struct type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StructShape {
    /// Name of the type.
    pub name: Arc<str>,
    /// Names of the fields, in the order of the file.
    pub fields: Vec<Arc<str>>,
}

/// A value of a struct type.
#[derive(Clone, Debug, PartialEq)]
pub struct StructValue {
    shape: Arc<StructShape>,
    /// Invariant: one for each field of the shape.
    fields: Vec<Value>,
}

impl StructValue {
    /// A value from those of its fields, or `None` where there is not one for each field.
    pub fn new(shape: Arc<StructShape>, fields: Vec<Value>) -> Option<Self> {
        (shape.fields.len() == fields.len()).then_some(Self { shape, fields })
    }

    /// Name and field names of its type.
    pub fn shape(&self) -> &Arc<StructShape> {
        &self.shape
    }

    /// Values of the fields, in the order of the shape.
    pub fn fields(&self) -> &[Value] {
        &self.fields
    }

    /// Values of the fields, in the order of the shape, to be written.
    pub fn fields_mut(&mut self) -> &mut [Value] {
        &mut self.fields
    }

    /// Names and values of the fields.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.shape.fields.iter().map(|name| &**name).zip(&self.fields)
    }

    /// Shape and values of the fields.
    pub fn into_parts(self) -> (Arc<StructShape>, Vec<Value>) {
        (self.shape, self.fields)
    }
}

impl Value {
    /// The name of the value's type, as a program writes it; `()` for the unit value, `array` and `map` for
    /// those of any type.
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
            Value::Map(_) => "map",
        }
    }

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
            Value::Map(entries) if levels_left == 0 && !entries.is_empty() => {
                write!(f, "#{{... {} in all}}", entries.len())
            }
            Value::Map(entries) => {
                write!(f, "#{{")?;
                for (entry_idx, (key, value)) in entries.iter().take(MOST_ITEMS).enumerate() {
                    let comma = if entry_idx == 0 { "" } else { ", " };
                    write!(f, "{comma}{key:?}: ")?;
                    value.write(f, levels_left.saturating_sub(1))?;
                }
                if entries.len() > MOST_ITEMS {
                    write!(f, ", ... {} in all", entries.len())?;
                }
                write!(f, "}}")
            }
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

impl Crossing for Value {
    type Shape = Arc<StructShape>;

    fn view(&self) -> View<'_, Self> {
        match self {
            Value::Unit => View::Unit,
            Value::Bool(flag) => View::Bool(*flag),
            Value::Int(number) => View::Int(*number),
            Value::Real(number) => View::Real(*number),
            Value::Char(letter) => View::Char(*letter),
            Value::String(text) => View::String(text),
            Value::Bytes(bytes) => View::Bytes(bytes),
            Value::Vector(entries) => View::Vector(entries),
            Value::Matrix(matrix) => View::Matrix(matrix.n_rows, matrix.n_cols, &matrix.entries),
            Value::Array(items) => View::Array(items),
            Value::Struct(held) => View::Struct(&held.shape, &held.fields),
            Value::Map(entries) => View::Map(entries),
        }
    }

    fn make(parts: Parts<'_, Self>) -> Option<Self> {
        Some(match parts {
            Parts::Unit => Value::Unit,
            Parts::Bool(flag) => Value::Bool(flag),
            Parts::Int(number) => Value::Int(number),
            Parts::Real(number) => Value::Real(number),
            Parts::Char(letter) => Value::Char(letter),
            Parts::String(text) => Value::String(text.into()),
            Parts::Bytes(bytes) => Value::Bytes(Arc::new(bytes.to_vec())),
            Parts::Vector(entries) => Value::Vector(Arc::new(entries)),
            Parts::Matrix(n_rows, n_cols, entries) => {
                Value::Matrix(Arc::new(Matrix::from_columns(n_rows, n_cols, entries)?))
            }
            Parts::Array(items) => Value::Array(Arc::new(items)),
            Parts::Map(entries) => Value::Map(Arc::new(entries)),
            Parts::Struct(shape, fields) => Value::Struct(Arc::new(StructValue::new(shape, fields)?)),
        })
    }

    fn shape(name: Arc<str>, fields: Vec<Arc<str>>) -> Self::Shape {
        Arc::new(StructShape { name, fields })
    }

    fn names(shape: &Self::Shape) -> (&str, &[Arc<str>]) {
        (&shape.name, &shape.fields)
    }
}
