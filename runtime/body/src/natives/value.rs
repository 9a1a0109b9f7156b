//! Values of the program language as Rust types, in both directions.

use std::fmt::Display;
use std::sync::Arc;

use hasse_model::plan::routine::Kind;
use hasse_model::value::{Matrix, Type, Value};

use super::name_table::Sets;
use super::put::put;

/// Text, matrices, sequences and what may be missing.
mod compound;

/// A value that is not of the type asked for.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("expected {expected}, found {found}")]
pub struct Mismatch {
    /// The type asked for.
    pub expected: String,
    /// The value, shown with its type.
    pub found: String,
}

impl Mismatch {
    /// A value that is not of a type.
    pub fn new(expected: impl Display, found: &Value) -> Self {
        let found = match found {
            Value::Unit => "nothing".to_owned(),
            other => format!("the {} {other}", other.type_name()),
        };
        Self { expected: expected.to_string(), found }
    }
}

/// A Rust type that a value of the program can become.
///
/// | program | Rust |
/// |---|---|
/// | `int` | `i64`, and `i32`, `u8`, `u32`, `u64`, `usize` where it is in their range |
/// | `real` (and `int`, which is widened) | `f64` |
/// | `bool`, `char`, `string` | `bool`, `char`, `String` or `Arc<str>` |
/// | `bytes` | `Vec<u8>`, or `Arc<Vec<u8>>` without a copy |
/// | `vector` | `Vec<f64>`, or `Arc<Vec<f64>>` without a copy |
/// | `matrix` | `Matrix`, or `Arc<Matrix>` without a copy |
/// | `T[]` | `Vec<T>` |
/// | `map[string]T` | `BTreeMap<String, T>` |
/// | a struct type | a struct declared by [`structs`](crate::structs) |
/// | `any` | [`Value`] |
/// | a name that may be unbound | `Option<T>`: `None` for `()` |
pub trait FromValue: Sized {
    /// The type that the program would write.
    fn ty() -> Type;

    /// Takes the value over.
    ///
    /// # Errors
    /// It is of another type.
    fn from_value(value: Value) -> Result<Self, Mismatch>;

    /// Takes a number or a truth value over, if it is one of this type as it is.
    #[doc(hidden)]
    #[inline(always)]
    fn from_scalar(_: &Value) -> Option<Self> {
        None
    }

    /// Whether its values are integers.
    #[doc(hidden)]
    const IS_INT: bool = false;

    /// Takes an integer over, if it is one of this type.
    #[doc(hidden)]
    #[inline(always)]
    fn from_int(_: i64) -> Option<Self> {
        None
    }

    /// What it is as a word, if compiled code may hand it over as one.
    #[doc(hidden)]
    const KIND: Option<Kind> = if Self::IS_INT { Some(Kind::Int) } else { None };

    /// Takes a word of that kind over, if it is one of this type.
    #[doc(hidden)]
    #[inline(always)]
    fn from_word(word: u64) -> Option<Self> {
        Self::from_int(word.cast_signed())
    }

    /// The type of a sequence of it.
    #[doc(hidden)]
    fn sequence_ty() -> Type {
        Type::Array(Box::new(Self::ty()))
    }

    /// The type, as errors show it.
    #[doc(hidden)]
    fn type_text() -> String {
        Self::ty().to_string()
    }

    /// The type of a sequence of it, as errors show it.
    #[doc(hidden)]
    fn sequence_text() -> String {
        Self::sequence_ty().to_string()
    }

    /// Takes over a sequence of it.
    #[doc(hidden)]
    fn sequence_from_value(value: Value) -> Result<Vec<Self>, Mismatch> {
        items_from_value(value)
    }
}

/// A Rust type that can become a value of the program; the counterpart of [`FromValue`].
pub trait IntoValue {
    /// The value.
    fn into_value(self) -> Value;

    /// Puts a number or a truth value where one of its type may stand without further questions; tells whether it did.
    #[doc(hidden)]
    #[inline(always)]
    fn put_scalar(&self, _sets: Sets, _place: &mut Value) -> bool {
        false
    }

    /// The integer that it is.
    #[doc(hidden)]
    #[inline(always)]
    fn to_int(&self) -> Option<i64> {
        None
    }

    /// The type of the value, where that is one and compiled code knows it.
    #[doc(hidden)]
    fn given_ty() -> Option<Type> {
        None
    }

    /// The type of a sequence of it.
    #[doc(hidden)]
    fn given_sequence_ty() -> Option<Type>
    where
        Self: Sized,
    {
        Some(Type::Array(Box::new(Self::given_ty()?)))
    }

    /// What it is as a word, if compiled code may take it as one.
    #[doc(hidden)]
    const KIND: Option<Kind> = None;

    /// The word of that kind.
    #[doc(hidden)]
    #[inline(always)]
    fn to_word(&self) -> Option<u64> {
        self.to_int().map(i64::cast_unsigned)
    }

    /// A sequence of it.
    #[doc(hidden)]
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

macro_rules! scalar {
    ($($rust:ty: $ty:ident by |$word:ident| $from_word:expr $(, is $is_int:literal from $from_int:item to $to_int:item)?;)*) => {$(
        impl FromValue for $rust {
            const KIND: Option<Kind> = Some(Kind::$ty);

            $(const IS_INT: bool = $is_int;

            $from_int)?

            #[inline(always)]
            fn from_word($word: u64) -> Option<Self> {
                Some($from_word)
            }

            fn ty() -> Type {
                Type::$ty
            }

            #[inline]
            fn from_value(value: Value) -> Result<Self, Mismatch> {
                Self::from_scalar(&value).ok_or_else(|| Mismatch::new(Type::$ty, &value))
            }

            #[inline(always)]
            fn from_scalar(value: &Value) -> Option<Self> {
                match value {
                    Value::$ty(inner) => Some(*inner),
                    _ => None,
                }
            }
        }

        impl IntoValue for $rust {
            fn given_ty() -> Option<Type> {
                Some(Type::$ty)
            }

            #[inline]
            fn into_value(self) -> Value {
                Value::$ty(self)
            }

            #[inline(always)]
            fn put_scalar(&self, sets: Sets, place: &mut Value) -> bool {
                if sets != Sets::$ty {
                    return false;
                }
                if let Value::$ty(old) = place {
                    *old = *self;
                } else {
                    put(place, Value::$ty(*self));
                }
                true
            }

            $($to_int)?

            const KIND: Option<Kind> = Some(Kind::$ty);

            #[inline(always)]
            fn to_word(&self) -> Option<u64> {
                Some(*self as u64)
            }
        }
    )*};
}

macro_rules! plain {
    ($($rust:ty: $ty:ident;)*) => {$(
        impl FromValue for $rust {
            fn ty() -> Type {
                Type::$ty
            }

            fn from_value(value: Value) -> Result<Self, Mismatch> {
                match value {
                    Value::$ty(inner) => Ok(inner.into()),
                    other => Err(Mismatch::new(Type::$ty, &other)),
                }
            }
        }

        impl IntoValue for $rust {
            fn given_ty() -> Option<Type> {
                Some(Type::$ty)
            }

            fn into_value(self) -> Value {
                Value::$ty(self.into())
            }
        }
    )*};
}

scalar! {
    i64: Int by |word| word.cast_signed(),
        is true
        from #[inline(always)] fn from_int(number: i64) -> Option<Self> { Some(number) }
        to #[inline(always)] fn to_int(&self) -> Option<i64> { Some(*self) };
    bool: Bool by |word| word != 0;
}

plain! {
    char: Char;
    Arc<str>: String;
    Arc<Vec<u8>>: Bytes;
    Arc<Vec<f64>>: Vector;
    Arc<Matrix>: Matrix;
}

impl FromValue for f64 {
    const KIND: Option<Kind> = Some(Kind::Real);

    #[inline(always)]
    fn from_word(word: u64) -> Option<Self> {
        Some(Self::from_bits(word))
    }

    fn ty() -> Type {
        Type::Real
    }

    #[inline(always)]
    fn from_scalar(value: &Value) -> Option<Self> {
        match value {
            Value::Real(number) => Some(*number),
            _ => None,
        }
    }

    fn from_value(value: Value) -> Result<Self, Mismatch> {
        match value {
            Value::Real(number) => Ok(number),
            Value::Int(number) => Ok(number as f64),
            other => Err(Mismatch::new(Type::Real, &other)),
        }
    }

    fn sequence_ty() -> Type {
        Type::Vector
    }

    fn sequence_from_value(value: Value) -> Result<Vec<Self>, Mismatch> {
        match value {
            Value::Vector(entries) => Ok(Arc::unwrap_or_clone(entries)),
            other => items_from_value(other),
        }
    }
}

impl IntoValue for f64 {
    const KIND: Option<Kind> = Some(Kind::Real);

    fn given_ty() -> Option<Type> {
        Some(Type::Real)
    }

    fn given_sequence_ty() -> Option<Type> {
        Some(Type::Vector)
    }

    #[inline(always)]
    fn to_word(&self) -> Option<u64> {
        Some(self.to_bits())
    }

    fn into_value(self) -> Value {
        Value::Real(self)
    }

    #[inline(always)]
    fn put_scalar(&self, sets: Sets, place: &mut Value) -> bool {
        if sets != Sets::Real {
            return false;
        }
        put(place, Value::Real(*self));
        true
    }

    fn sequence_into_value(items: Vec<Self>) -> Value {
        Value::Vector(Arc::new(items))
    }
}

macro_rules! whole_from {
    ($rust:ty $(, $more:item)*) => {
        impl FromValue for $rust {
            const IS_INT: bool = true;

            #[inline(always)]
            fn from_int(number: i64) -> Option<Self> {
                <$rust>::try_from(number).ok()
            }

            fn ty() -> Type {
                Type::Int
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
    fn sequence_ty() -> Type {
        Type::Bytes
    },
    fn sequence_from_value(value: Value) -> Result<Vec<Self>, Mismatch> {
        match value {
            Value::Bytes(bytes) => Ok(Arc::unwrap_or_clone(bytes)),
            other => items_from_value(other),
        }
    }
);

impl IntoValue for i32 {
    const KIND: Option<Kind> = Some(Kind::Int);

    fn given_ty() -> Option<Type> {
        Some(Type::Int)
    }

    fn into_value(self) -> Value {
        Value::Int(self.into())
    }

    #[inline(always)]
    fn to_int(&self) -> Option<i64> {
        Some(i64::from(*self))
    }
}

impl IntoValue for u32 {
    const KIND: Option<Kind> = Some(Kind::Int);

    fn given_ty() -> Option<Type> {
        Some(Type::Int)
    }

    fn into_value(self) -> Value {
        Value::Int(self.into())
    }

    #[inline(always)]
    fn to_int(&self) -> Option<i64> {
        Some(i64::from(*self))
    }
}

impl IntoValue for u8 {
    const KIND: Option<Kind> = Some(Kind::Int);

    fn given_ty() -> Option<Type> {
        Some(Type::Int)
    }

    fn given_sequence_ty() -> Option<Type> {
        Some(Type::Bytes)
    }

    fn into_value(self) -> Value {
        Value::Int(self.into())
    }

    #[inline(always)]
    fn to_int(&self) -> Option<i64> {
        Some(i64::from(*self))
    }

    fn sequence_into_value(items: Vec<Self>) -> Value {
        Value::Bytes(Arc::new(items))
    }
}

#[cfg(test)]
mod tests;
