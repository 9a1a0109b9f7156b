//! Values of the host across the boundary.

use std::sync::Arc;

use hasse_model::value::{Matrix, StructShape, StructValue, Value};

use crate::hasse::cross::{Crossing, Parts, View};

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
            Value::Matrix(matrix) => View::Matrix(matrix.n_rows(), matrix.n_cols(), matrix.entries()),
            Value::Array(items) => View::Array(items),
            Value::Struct(held) => View::Struct(held.shape(), held.fields()),
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
