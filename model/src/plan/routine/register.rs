//! Registers: scalars of one kind each, as words.

use std::fmt;

use crate::id::SlotId;
use crate::value::{Type, Value};

/// What a register holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A 64-bit signed integer.
    Int,
    /// A 64-bit floating-point number.
    Real,
    /// A truth value; as a word 0 or 1.
    Bool,
}

impl Kind {
    /// The kind of values of a type, if they are scalars.
    pub fn of(ty: &Type) -> Option<Self> {
        match ty {
            Type::Int => Some(Kind::Int),
            Type::Real => Some(Kind::Real),
            Type::Bool => Some(Kind::Bool),
            _ => None,
        }
    }

    /// The kind of a scalar, and the word that it is; `None` for other values.
    #[inline(always)]
    pub fn of_value(value: &Value) -> Option<(Self, i64)> {
        match value {
            Value::Int(number) => Some((Kind::Int, *number)),
            Value::Real(number) => Some((Kind::Real, number.to_bits().cast_signed())),
            Value::Bool(flag) => Some((Kind::Bool, i64::from(*flag))),
            _ => None,
        }
    }

    /// The word of a scalar of this kind; `None` for other values.
    #[inline(always)]
    pub fn word_of(self, value: &Value) -> Option<i64> {
        match (self, value) {
            (Kind::Int, Value::Int(number)) => Some(*number),
            (Kind::Real, Value::Real(number)) => Some(number.to_bits().cast_signed()),
            (Kind::Bool, Value::Bool(flag)) => Some(i64::from(*flag)),
            _ => None,
        }
    }

    /// The scalar of this kind that is a word.
    #[inline(always)]
    pub fn value_of(self, word: i64) -> Value {
        match self {
            Kind::Int => Value::Int(word),
            Kind::Real => Value::Real(f64::from_bits(word.cast_unsigned())),
            Kind::Bool => Value::Bool(word != 0),
        }
    }

    /// The type that has values of this kind.
    pub fn ty(self) -> Type {
        match self {
            Kind::Int => Type::Int,
            Kind::Real => Type::Real,
            Kind::Bool => Type::Bool,
        }
    }
}

/// Writes the kind as a program writes its type.
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Int => "int",
            Kind::Real => "real",
            Kind::Bool => "bool",
        })
    }
}

/// Where a routine finds a value, or leaves one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A name of the template.
    Slot(SlotId),
    /// A loop variable of a rule, by position.
    Local(u32),
    /// The value of an expression.
    Value,
}
