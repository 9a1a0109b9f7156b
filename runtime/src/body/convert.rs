//! Values as the interpreter holds them: conversion from and to [`Value`](hasse_model::value::Value).
//!
//! Scalars, vectors and matrices go over in constant time; strings, bytes and arrays are copied.

use std::sync::Arc;

use hasse_model::value::{Matrix, Value};
use rhai::{Blob, Dynamic, ImmutableString};

/// A `vector` within the interpreter; copied on the first write.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VectorValue(pub Arc<Vec<f64>>);

/// A `matrix` within the interpreter; copied on the first write.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatrixValue(pub Arc<Matrix>);

/// The interpreter's form of a value.
pub fn dynamic_from_value(value: Value) -> Dynamic {
    match value {
        Value::Unit => Dynamic::UNIT,
        Value::Bool(flag) => Dynamic::from_bool(flag),
        Value::Int(number) => Dynamic::from_int(number),
        Value::Real(number) => Dynamic::from_float(number),
        Value::Char(letter) => Dynamic::from_char(letter),
        Value::String(text) => Dynamic::from(ImmutableString::from(&*text)),
        Value::Bytes(bytes) => Dynamic::from_blob(Arc::unwrap_or_clone(bytes)),
        Value::Vector(entries) => Dynamic::from(VectorValue(entries)),
        Value::Matrix(matrix) => Dynamic::from(MatrixValue(matrix)),
        Value::Array(items) => {
            Dynamic::from_array(Arc::unwrap_or_clone(items).into_iter().map(dynamic_from_value).collect())
        }
    }
}

/// The value of what the interpreter holds, or the name of the type that cannot leave a body: maps,
/// function pointers, ranges and the like.
///
/// # Errors
/// The interpreter's name of the type that is not one of the program language.
pub fn value_from_dynamic(held: &Dynamic) -> Result<Value, String> {
    if held.is_unit() {
        return Ok(Value::Unit);
    }
    if let Ok(number) = held.as_int() {
        return Ok(Value::Int(number));
    }
    if let Ok(number) = held.as_float() {
        return Ok(Value::Real(number));
    }
    if let Ok(flag) = held.as_bool() {
        return Ok(Value::Bool(flag));
    }
    if let Ok(letter) = held.as_char() {
        return Ok(Value::Char(letter));
    }
    if let Some(vector) = held.read_lock::<VectorValue>() {
        return Ok(Value::Vector(Arc::clone(&vector.0)));
    }
    if let Some(matrix) = held.read_lock::<MatrixValue>() {
        return Ok(Value::Matrix(Arc::clone(&matrix.0)));
    }
    if let Some(text) = held.read_lock::<ImmutableString>() {
        return Ok(Value::String(Arc::from(text.as_str())));
    }
    if let Ok(items) = held.as_array_ref() {
        let values: Result<Vec<_>, _> = items.iter().map(value_from_dynamic).collect();
        return values.map(|values| Value::Array(Arc::new(values)));
    }
    if let Some(bytes) = held.read_lock::<Blob>() {
        return Ok(Value::Bytes(Arc::new(bytes.clone())));
    }
    Err(held.type_name().to_owned())
}
