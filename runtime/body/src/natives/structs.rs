//! Struct types of a program as structs of Rust: the macro [`structs`](crate::structs), and what it is made of.

use std::sync::Arc;
use std::vec;

pub use hasse_model::value::{StructShape, Type, Value};

use hasse_model::value::StructValue;

use super::value::{FromValue, Mismatch};

/// A struct of Rust that stands for a struct type of the program.
pub trait ProgramStruct {
    /// Names of the type and of its fields: one for all values, made once.
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
#[derive(Debug)]
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
///
/// To the compiler a body function says of such an argument that it is of any type: the types of a program are equal by
/// the whole of its table, which is not known here. Whether a value is of the type is found when it is taken.
///
/// ```
/// use hasse_model::value::Value;
/// use hasse_body::natives::{FromValue, IntoValue};
///
/// hasse_body::structs! {
///     /// Rows of a matrix.
///     pub struct Block {
///         /// The first one.
///         pub row: i64,
///         pub rhs: Vec<f64>,
///     }
/// }
///
/// let value = Block { row: 3, rhs: vec![0.5] }.into_value();
/// assert_eq!(value.to_string(), "Block { row: 3, rhs: vector [0.5] }");
/// assert_eq!(Block::from_value(value)?.row, 3);
/// # Ok::<(), hasse_body::natives::Mismatch>(())
/// ```
#[macro_export]
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

        impl $crate::natives::structs::ProgramStruct for $name {
            fn shape() -> &'static ::std::sync::Arc<$crate::natives::structs::StructShape> {
                static SHAPE: ::std::sync::OnceLock<::std::sync::Arc<$crate::natives::structs::StructShape>> =
                    ::std::sync::OnceLock::new();
                SHAPE.get_or_init(|| {
                    $crate::natives::structs::shape(stringify!($name), &[$(stringify!($field)),*])
                })
            }
        }

        impl $crate::natives::FromValue for $name {
            fn ty() -> $crate::natives::structs::Type {
                $crate::natives::structs::Type::Any
            }

            fn type_text() -> ::std::string::String {
                ::std::string::ToString::to_string(
                    &<Self as $crate::natives::structs::ProgramStruct>::shape().name,
                )
            }

            fn sequence_text() -> ::std::string::String {
                ::std::format!("{}[]", <Self as $crate::natives::FromValue>::type_text())
            }

            fn from_value(
                value: $crate::natives::structs::Value,
            ) -> ::std::result::Result<Self, $crate::natives::Mismatch> {
                #[allow(unused_mut, unused_variables, reason = "not used without fields")]
                let mut fields = $crate::natives::structs::Fields::of(
                    <Self as $crate::natives::structs::ProgramStruct>::shape(),
                    value,
                )?;
                ::std::result::Result::Ok(Self { $($field: fields.take()?,)* })
            }
        }

        impl $crate::natives::IntoValue for $name {
            fn into_value(self) -> $crate::natives::structs::Value {
                let fields = ::std::vec![$($crate::natives::IntoValue::into_value(self.$field)),*];
                $crate::natives::structs::value(
                    <Self as $crate::natives::structs::ProgramStruct>::shape(),
                    fields,
                )
            }
        }
    )*};
}

#[cfg(test)]
mod tests {
    use super::super::value::IntoValue;
    use super::*;

    structs! {
        struct Nothing {}

        /// A row of a matrix.
        #[derive(PartialOrd)]
        pub(super) struct Block { pub row: i64, pub(crate) r#type: Option<String>, rhs: Vec<f64> }

        struct Tree { at: Block, below: Vec<Tree> }
    }

    #[track_caller]
    fn check<T: FromValue + IntoValue + Clone + PartialEq + std::fmt::Debug>(native: T, text: &str) {
        let value = native.clone().into_value();
        assert_eq!(value.to_string(), text);
        assert_eq!(T::from_value(value), Ok(native));
    }

    fn block() -> Block {
        Block { row: 3, r#type: Some("x".to_owned()), rhs: vec![0.5] }
    }

    #[test]
    fn structs_go_there_and_back() {
        check(Nothing {}, "Nothing {}");
        check(Block::default(), "Block { row: 0, type: (), rhs: vector [] }");
        check(block(), "Block { row: 3, type: \"x\", rhs: vector [0.5] }");
        let leaf = Tree { at: block(), below: Vec::new() };
        let tree = Tree { at: Block::default(), below: vec![leaf.clone(), leaf] };
        assert_eq!(Tree::from_value(tree.clone().into_value()), Ok(tree.clone()));
        assert_eq!(Vec::from_value(vec![tree.clone()].into_value()), Ok(vec![tree]));
    }

    #[test]
    fn shapes_are_made_once() {
        let (Value::Struct(one), Value::Struct(other)) = (block().into_value(), block().into_value()) else {
            panic!("two structs")
        };
        assert!(Arc::ptr_eq(one.shape(), other.shape()));
    }

    #[test]
    fn what_does_not_fit_is_named_with_its_field() {
        fn refused<T: FromValue>(value: Value) -> String {
            T::from_value(value).err().map_or_else(String::new, |mismatch| mismatch.to_string())
        }
        assert_eq!(refused::<Block>(Value::Int(3)), "expected Block, found the int 3");
        assert_eq!(refused::<Option<Block>>(Value::Int(3)), "expected Block, found the int 3");
        assert_eq!(refused::<Vec<Vec<Block>>>(Value::Int(3)), "expected Block[][], found the int 3");
        assert_eq!(refused::<Block>(Nothing {}.into_value()), "expected Block, found the Nothing Nothing {}");
        let other = value(&shape("Block", &["row"]), vec![Value::Int(3)]);
        assert_eq!(
            refused::<Block>(other),
            "expected Block with the fields row, type, rhs, found the Block Block { row: 3 }"
        );
        let wrong = value(Block::shape(), vec![Value::Bool(true), Value::Unit, Value::Unit]);
        let tree = value(Tree::shape(), vec![wrong, Value::Array(Arc::default())]);
        assert_eq!(
            refused::<Tree>(tree),
            "expected int as `row` of Block as `at` of Tree, found the bool true"
        );
    }
}
