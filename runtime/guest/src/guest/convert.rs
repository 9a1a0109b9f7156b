//! Values of the program language as Rust types, in both directions; the same types and texts as those of the library
//! `hasse`.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

use super::value::{Matrix, Value};

/// A value that is not of the type asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    /// The type asked for.
    pub expected: String,
    /// The value, shown with its type.
    pub found: String,
}

impl Mismatch {
    /// A value that is not of a type.
    pub fn new(expected: impl fmt::Display, found: &Value) -> Self {
        let found = match found {
            Value::Unit => "nothing".to_owned(),
            other => format!("the {} {other}", other.type_name()),
        };
        Self { expected: expected.to_string(), found }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}, found {}", self.expected, self.found)
    }
}

impl Error for Mismatch {}

/// A Rust type that a value of the program can become.
pub trait FromValue: Sized {
    /// The type, as errors show it.
    fn type_text() -> String;

    /// Takes the value over.
    ///
    /// # Errors
    /// It is of another type.
    fn from_value(value: Value) -> Result<Self, Mismatch>;

    /// The type of a sequence of it, as errors show it.
    fn sequence_text() -> String {
        format!("{}[]", Self::type_text())
    }

    /// Takes over a sequence of it.
    fn sequence_from_value(value: Value) -> Result<Vec<Self>, Mismatch> {
        items_from_value(value)
    }
}

/// A Rust type that can become a value of the program; the counterpart of [`FromValue`].
pub trait IntoValue {
    /// The value.
    fn into_value(self) -> Value;

    /// A sequence of it.
    fn sequence_into_value(items: Vec<Self>) -> Value
    where
        Self: Sized,
    {
        Value::Array(Arc::new(items.into_iter().map(IntoValue::into_value).collect()))
    }
}

fn items_from_value<T: FromValue>(value: Value) -> Result<Vec<T>, Mismatch> {
    match value {
        Value::Array(items) => Arc::unwrap_or_clone(items).into_iter().map(T::from_value).collect(),
        other => Err(Mismatch::new(T::sequence_text(), &other)),
    }
}

macro_rules! plain {
    ($($rust:ty: $variant:ident $name:literal;)*) => {$(
        impl FromValue for $rust {
            fn type_text() -> String {
                $name.to_owned()
            }

            fn from_value(value: Value) -> Result<Self, Mismatch> {
                match value {
                    Value::$variant(inner) => Ok(inner),
                    other => Err(Mismatch::new($name, &other)),
                }
            }
        }

        impl IntoValue for $rust {
            fn into_value(self) -> Value {
                Value::$variant(self)
            }
        }
    )*};
}

plain! {
    i64: Int "int";
    bool: Bool "bool";
    char: Char "char";
    Arc<str>: String "string";
    Arc<Vec<u8>>: Bytes "bytes";
    Arc<Vec<f64>>: Vector "vector";
    Arc<Matrix>: Matrix "matrix";
}

impl FromValue for f64 {
    fn type_text() -> String {
        "real".to_owned()
    }

    fn from_value(value: Value) -> Result<Self, Mismatch> {
        match value {
            Value::Real(number) => Ok(number),
            Value::Int(number) => Ok(number as f64),
            other => Err(Mismatch::new("real", &other)),
        }
    }

    fn sequence_text() -> String {
        "vector".to_owned()
    }

    fn sequence_from_value(value: Value) -> Result<Vec<Self>, Mismatch> {
        match value {
            Value::Vector(entries) => Ok(Arc::unwrap_or_clone(entries)),
            other => items_from_value(other),
        }
    }
}

impl IntoValue for f64 {
    fn into_value(self) -> Value {
        Value::Real(self)
    }

    fn sequence_into_value(items: Vec<Self>) -> Value {
        Value::Vector(Arc::new(items))
    }
}

macro_rules! whole_from {
    ($rust:ty $(, $more:item)*) => {
        impl FromValue for $rust {
            fn type_text() -> String {
                "int".to_owned()
            }

            fn from_value(value: Value) -> Result<Self, Mismatch> {
                let inner = match &value {
                    Value::Int(number) => <$rust>::try_from(*number).ok(),
                    _ => None,
                };
                let range = || format!("int within {}..={}", <$rust>::MIN, <$rust>::MAX);
                inner.ok_or_else(|| Mismatch::new(range(), &value))
            }

            $($more)*
        }
    };
}

whole_from!(i32);
whole_from!(u32);
whole_from!(u64);
whole_from!(usize);
whole_from!(
    u8,
    fn sequence_text() -> String {
        "bytes".to_owned()
    },
    fn sequence_from_value(value: Value) -> Result<Vec<Self>, Mismatch> {
        match value {
            Value::Bytes(bytes) => Ok(Arc::unwrap_or_clone(bytes)),
            other => items_from_value(other),
        }
    }
);

impl IntoValue for i32 {
    fn into_value(self) -> Value {
        Value::Int(self.into())
    }
}

impl IntoValue for u32 {
    fn into_value(self) -> Value {
        Value::Int(self.into())
    }
}

impl IntoValue for u8 {
    fn into_value(self) -> Value {
        Value::Int(self.into())
    }

    fn sequence_into_value(items: Vec<Self>) -> Value {
        Value::Bytes(Arc::new(items))
    }
}

impl FromValue for String {
    fn type_text() -> String {
        "string".to_owned()
    }

    fn from_value(value: Value) -> Result<Self, Mismatch> {
        Arc::<str>::from_value(value).map(|text| text.to_string())
    }
}

impl IntoValue for String {
    fn into_value(self) -> Value {
        Value::String(self.into())
    }
}

impl IntoValue for &str {
    fn into_value(self) -> Value {
        Value::String(self.into())
    }
}

impl FromValue for Matrix {
    fn type_text() -> String {
        "matrix".to_owned()
    }

    fn from_value(value: Value) -> Result<Self, Mismatch> {
        Arc::<Matrix>::from_value(value).map(Arc::unwrap_or_clone)
    }
}

impl IntoValue for Matrix {
    fn into_value(self) -> Value {
        Value::Matrix(Arc::new(self))
    }
}

impl FromValue for Value {
    fn type_text() -> String {
        "any".to_owned()
    }

    fn from_value(value: Value) -> Result<Self, Mismatch> {
        Ok(value)
    }
}

impl IntoValue for Value {
    fn into_value(self) -> Value {
        self
    }
}

impl IntoValue for () {
    fn into_value(self) -> Value {
        Value::Unit
    }
}

impl<T: FromValue> FromValue for Vec<T> {
    fn type_text() -> String {
        T::sequence_text()
    }

    fn from_value(value: Value) -> Result<Self, Mismatch> {
        T::sequence_from_value(value)
    }
}

impl<T: IntoValue> IntoValue for Vec<T> {
    fn into_value(self) -> Value {
        T::sequence_into_value(self)
    }
}

impl<T: FromValue> FromValue for BTreeMap<String, T> {
    fn type_text() -> String {
        format!("map[string]{}", T::type_text())
    }

    fn sequence_text() -> String {
        format!("({})[]", Self::type_text())
    }

    fn from_value(value: Value) -> Result<Self, Mismatch> {
        match value {
            Value::Map(entries) => {
                let entries = Arc::unwrap_or_clone(entries).into_iter();
                entries.map(|(key, value)| Ok((key.to_string(), T::from_value(value)?))).collect()
            }
            other => Err(Mismatch::new(Self::type_text(), &other)),
        }
    }
}

impl<T: IntoValue> IntoValue for BTreeMap<String, T> {
    fn into_value(self) -> Value {
        Value::Map(Arc::new(self.into_iter().map(|(key, value)| (key.into(), value.into_value())).collect()))
    }
}

impl<T: FromValue> FromValue for Option<T> {
    fn type_text() -> String {
        T::type_text()
    }

    fn from_value(value: Value) -> Result<Self, Mismatch> {
        match value {
            Value::Unit => Ok(None),
            other => T::from_value(other).map(Some),
        }
    }
}

impl<T: IntoValue> IntoValue for Option<T> {
    fn into_value(self) -> Value {
        self.map_or(Value::Unit, IntoValue::into_value)
    }
}
