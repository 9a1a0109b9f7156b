//! Struct types of a program as structs of Rust: what the macro `structs` is made of.

use std::sync::Arc;
use std::vec;

use super::convert::{FromValue, Mismatch};
use super::value::{StructShape, StructValue, Value};

/// A struct of Rust that stands for a struct type of the program.
pub trait ProgramStruct {
    /// Names of the type and of its fields.
    fn shape() -> &'static Arc<StructShape>;
}

/// The shape of names as Rust writes them.
pub fn shape(name: &str, fields: &[&str]) -> Arc<StructShape> {
    let plain = |name: &str| Arc::from(name.strip_prefix("r#").unwrap_or(name));
    Arc::new(StructShape { name: plain(name), fields: fields.iter().map(|field| plain(field)).collect() })
}

/// The value of a struct.
pub fn value(shape: &Arc<StructShape>, fields: Vec<Value>) -> Value {
    let held = StructValue::new(Arc::clone(shape), fields);
    Value::Struct(Arc::new(held.expect("one value for each field")))
}

/// The fields of a value, one after the other.
pub struct Fields {
    shape: &'static Arc<StructShape>,
    /// Number of those taken.
    n_taken: usize,
    rest: vec::IntoIter<Value>,
}

impl Fields {
    /// The fields of a value that is of a struct type.
    ///
    /// # Errors
    /// It is of another type.
    pub fn of(shape: &'static Arc<StructShape>, value: Value) -> Result<Self, Mismatch> {
        match value {
            Value::Struct(held) if held.shape() == shape => {
                let (_, fields) = Arc::unwrap_or_clone(held).into_parts();
                Ok(Self { shape, n_taken: 0, rest: fields.into_iter() })
            }
            Value::Struct(held) if held.shape().name == shape.name => {
                let expected = format!("{} with the fields {}", shape.name, shape.fields.join(", "));
                Err(Mismatch::new(expected, &Value::Struct(held)))
            }
            other => Err(Mismatch::new(&shape.name, &other)),
        }
    }

    /// The next field.
    ///
    /// # Errors
    /// It is of another type.
    pub fn take<T: FromValue>(&mut self) -> Result<T, Mismatch> {
        let field = T::from_value(self.rest.next().unwrap_or_default());
        let field_idx = self.n_taken;
        self.n_taken += 1;
        field.map_err(|mismatch| {
            let field = self.shape.fields.get(field_idx).map_or("", |field| &**field);
            let expected = format!("{} as `{field}` of {}", mismatch.expected, self.shape.name);
            Mismatch { expected, found: mismatch.found }
        })
    }
}

/// Declares structs of Rust for struct types of the program, with the same names and fields in the same order, as which
/// values can be taken and given.
macro_rules! structs {
    ($(
        $(#[$attribute:meta])*
        $visibility:vis struct $name:ident {
            $($(#[$of_field:meta])* $of_whom:vis $field:ident : $ty:ty),* $(,)?
        }
    )*) => {$(
        $(#[$attribute])*
        #[derive(Clone, Debug, Default, PartialEq)]
        #[allow(dead_code, reason = "a body need not look at all fields")]
        $visibility struct $name {
            $($(#[$of_field])* $of_whom $field: $ty,)*
        }

        impl $crate::hasse::structs::ProgramStruct for $name {
            fn shape() -> &'static ::std::sync::Arc<$crate::hasse::StructShape> {
                static SHAPE: ::std::sync::OnceLock<::std::sync::Arc<$crate::hasse::StructShape>> =
                    ::std::sync::OnceLock::new();
                SHAPE.get_or_init(|| $crate::hasse::structs::shape(stringify!($name), &[$(stringify!($field)),*]))
            }
        }

        impl $crate::hasse::FromValue for $name {
            fn type_text() -> ::std::string::String {
                ::std::string::ToString::to_string(&<Self as $crate::hasse::structs::ProgramStruct>::shape().name)
            }

            fn from_value(
                value: $crate::hasse::Value,
            ) -> ::std::result::Result<Self, $crate::hasse::Mismatch> {
                #[allow(unused_mut, unused_variables, reason = "not used without fields")]
                let mut fields =
                    $crate::hasse::structs::Fields::of(<Self as $crate::hasse::structs::ProgramStruct>::shape(), value)?;
                ::std::result::Result::Ok(Self { $($field: fields.take()?,)* })
            }
        }

        impl $crate::hasse::IntoValue for $name {
            fn into_value(self) -> $crate::hasse::Value {
                let fields = ::std::vec![$($crate::hasse::IntoValue::into_value(self.$field)),*];
                $crate::hasse::structs::value(<Self as $crate::hasse::structs::ProgramStruct>::shape(), fields)
            }
        }
    )*};
}

pub(crate) use structs;
