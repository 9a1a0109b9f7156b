//! Functions that a user writes in Rust: conversions of their arguments and answers, and their registration.

/// Answers of functions.
mod answer;
/// Functions and effects.
mod function;
/// Lookup of a template's names.
mod name_table;
/// Messages of panics.
mod panic;
/// Replacing values.
mod put;
/// Structs of Rust as values: the parts that the macro of that name expands to.
#[doc(hidden)]
pub mod structs;
/// Rust types as values.
mod value;

pub use answer::{IntoAnswer, Plain, Tried};
pub use function::{CompiledCall, Function, NativeFunction};
pub use name_table::{Entry, NameTable, Sets};
pub use panic::panic_text;
pub use put::{put, put_int, put_word};
pub use value::{FromValue, IntoValue, Mismatch};
