//! Values as the interpreter holds them: conversion from and to [`Value`](hasse_model::value::Value).
//!
//! Scalars, vectors and matrices go over in constant time. Bytes do where nobody else holds them and the side that they leave gives
//! them up; else they are copied, as strings are. Arrays and maps are made anew, item by item.

use std::sync::Arc;

use hasse_model::value::{MAX_DEPTH, Matrix, StructShape, StructValue, Value};
use rhai::{Blob, Dynamic, ImmutableString};

/// A `vector` within the interpreter; copied on the first write.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VectorValue(pub Arc<Vec<f64>>);

/// A `matrix` within the interpreter; copied on the first write.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatrixValue(pub Arc<Matrix>);

/// The interpreter's form of a value.
#[inline]
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
        Value::Array(items) => Dynamic::from_array(match Arc::try_unwrap(items) {
            Ok(items) => items.into_iter().map(dynamic_from_value).collect(),
            // Somebody else has it too, as a shared object has what it lends: copied and converted in one pass.
            Err(items) => items.iter().map(|item| dynamic_from_value(item.clone())).collect(),
        }),
        Value::Struct(held) => {
            let (shape, fields) = Arc::unwrap_or_clone(held).into_parts();
            let fields = fields.into_iter().map(dynamic_from_value).collect();
            Dynamic::from(StructObject { shape, fields })
        }
        Value::Map(entries) => Dynamic::from_map(match Arc::try_unwrap(entries) {
            Ok(entries) => {
                entries.into_iter().map(|(key, value)| ((&*key).into(), dynamic_from_value(value))).collect()
            }
            Err(entries) => {
                let entries = entries.iter();
                entries.map(|(key, value)| ((&**key).into(), dynamic_from_value(value.clone()))).collect()
            }
        }),
    }
}

/// The same as [`value_from_dynamic`], of what the interpreter does not need any more: bytes are not copied.
///
/// # Errors
/// As for that.
pub fn value_of_dynamic(held: Dynamic) -> Result<Value, String> {
    if held.is_blob() {
        return Ok(Value::Bytes(Arc::new(held.into_blob()?)));
    }
    if held.is_array() {
        let items = held.into_array()?.into_iter().map(|item| match item.is_array() || item.is_map() {
            true => value_below(&item, MAX_DEPTH - 1),
            false => value_of_dynamic(item),
        });
        return Ok(Value::Array(Arc::new(items.collect::<Result<_, _>>()?)));
    }
    if held.is_map() {
        let entries = held.cast::<rhai::Map>().into_iter();
        let entries = entries.map(|(key, value)| {
            let value = match value.is_array() || value.is_map() {
                true => value_below(&value, MAX_DEPTH - 1)?,
                false => value_of_dynamic(value)?,
            };
            Ok((Arc::from(key.as_str()), value))
        });
        return Ok(Value::Map(Arc::new(entries.collect::<Result<_, String>>()?)));
    }
    value_from_dynamic(&held)
}

/// The value of what the interpreter holds, or the name of the type that cannot leave a body:
/// function pointers, ranges and the like.
///
/// # Errors
/// The interpreter's name of the type that is not one of the program language; also that arrays, maps
/// and structs nest deeper than [`MAX_DEPTH`].
#[inline]
pub fn value_from_dynamic(held: &Dynamic) -> Result<Value, String> {
    value_below(held, MAX_DEPTH)
}

fn value_below(held: &Dynamic, depth_left: usize) -> Result<Value, String> {
    let deeper = || {
        let too_deep = || format!("value of arrays, maps and structs nested in more than {MAX_DEPTH} levels");
        depth_left.checked_sub(1).ok_or_else(too_deep)
    };
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
        let depth_left = deeper()?;
        let mut values = Vec::with_capacity(items.len());
        for item in items.iter() {
            values.push(value_below(item, depth_left)?);
        }
        return Ok(Value::Array(Arc::new(values)));
    }
    if let Some(object) = held.read_lock::<StructObject>() {
        let depth_left = deeper()?;
        let fields: Result<Vec<_>, _> =
            object.fields.iter().map(|field| value_below(field, depth_left)).collect();
        let value = StructValue::new(Arc::clone(&object.shape), fields?);
        return Ok(Value::Struct(Arc::new(value.expect("an object has a value for each field"))));
    }
    if let Ok(entries) = held.as_map_ref() {
        let depth_left = deeper()?;
        let entry = |(key, value): (&rhai::Identifier, &Dynamic)| {
            Ok((Arc::from(key.as_str()), value_below(value, depth_left)?))
        };
        let entries = entries.iter().map(entry);
        return Ok(Value::Map(Arc::new(entries.collect::<Result<_, String>>()?)));
    }
    if let Some(bytes) = held.read_lock::<Blob>() {
        return Ok(Value::Bytes(Arc::new(bytes.clone())));
    }
    Err(held.type_name().to_owned())
}

/// A value of a struct type within the interpreter.
#[derive(Clone, Debug)]
pub struct StructObject {
    /// Names of the type and its fields.
    pub shape: Arc<StructShape>,
    /// Values of the fields. Invariant: one for each field of the shape, none of them shared.
    pub fields: Vec<Dynamic>,
}
