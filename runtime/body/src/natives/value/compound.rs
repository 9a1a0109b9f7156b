//! Values that consist of several, or that may be missing.

use std::collections::BTreeMap;
use std::sync::Arc;

use hasse_model::value::{Matrix, Type, Value};

use super::{FromValue, IntoValue, Mismatch};

impl FromValue for String {
    fn ty() -> Type {
        Type::String
    }

    fn from_value(value: Value) -> Result<Self, Mismatch> {
        Arc::<str>::from_value(value).map(|text| text.to_string())
    }
}

impl IntoValue for String {
    fn given_ty() -> Option<Type> {
        Some(Type::String)
    }

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
    fn ty() -> Type {
        Type::Matrix
    }

    fn from_value(value: Value) -> Result<Self, Mismatch> {
        Arc::<Matrix>::from_value(value).map(Arc::unwrap_or_clone)
    }
}

impl IntoValue for Matrix {
    fn given_ty() -> Option<Type> {
        Some(Type::Matrix)
    }

    fn into_value(self) -> Value {
        Value::Matrix(Arc::new(self))
    }
}

impl FromValue for Value {
    fn ty() -> Type {
        Type::Any
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
    fn ty() -> Type {
        T::sequence_ty()
    }

    fn type_text() -> String {
        T::sequence_text()
    }

    fn sequence_text() -> String {
        format!("{}[]", Self::type_text())
    }

    fn from_value(value: Value) -> Result<Self, Mismatch> {
        T::sequence_from_value(value)
    }
}

impl<T: IntoValue> IntoValue for Vec<T> {
    fn given_ty() -> Option<Type> {
        T::given_sequence_ty()
    }

    fn into_value(self) -> Value {
        T::sequence_into_value(self)
    }
}

impl<T: FromValue> FromValue for BTreeMap<String, T> {
    fn ty() -> Type {
        Type::Map(Box::new(T::ty()))
    }

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
    fn given_ty() -> Option<Type> {
        Some(Type::Map(Box::new(T::given_ty()?)))
    }

    fn into_value(self) -> Value {
        Value::Map(Arc::new(self.into_iter().map(|(key, value)| (key.into(), value.into_value())).collect()))
    }
}

impl<T: FromValue> FromValue for Option<T> {
    fn ty() -> Type {
        T::ty()
    }

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
