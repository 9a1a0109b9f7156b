//! The kinds of values, and the types that programs give them.

use super::matrix::Matrix;
use super::structs::{StructType, StructValue};
use std::{collections::BTreeMap, fmt, sync::Arc};

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
    /// `map[string]T`
    Map(Box<Type>),
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
            Type::Map(_) => Value::Map(Arc::default()),
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
            // Without parentheses the brackets would belong to the type of the map's values.
            Type::Array(item_type) if matches!(**item_type, Type::Map(_)) => write!(f, "({item_type})[]"),
            Type::Array(item_type) => write!(f, "{item_type}[]"),
            Type::Struct(ty) => write!(f, "{}", ty.name()),
            Type::Map(value_type) => write!(f, "map[string]{value_type}"),
            Type::Any => write!(f, "any"),
        }
    }
}
