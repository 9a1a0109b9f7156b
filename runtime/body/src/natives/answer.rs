//! What native functions return: values, or errors instead of them.

use std::fmt::Display;

use hasse_model::plan::routine::Kind;
use hasse_model::value::{Type, Value};

use super::value::IntoValue;

/// Marks an answer that is a value.
#[derive(Debug)]
pub enum Plain {}
/// Marks an answer that is a `Result`.
#[derive(Debug)]
pub enum Tried {}

/// What a native function may return: something that becomes a value, or a `Result` of it with an
/// error that can be shown. `M` tells the two apart, and is always inferred.
pub trait IntoAnswer<M> {
    /// The value or the message of the error.
    ///
    /// # Errors
    /// Those of the function.
    fn into_answer(self) -> Result<Value, String>;

    /// The type of the value, where that is one and compiled code knows it.
    #[doc(hidden)]
    fn given_ty() -> Option<Type> {
        None
    }

    /// What the value is as a word, if compiled code may take it as one.
    #[doc(hidden)]
    const KIND: Option<Kind> = None;

    /// The word of that kind, if there is no error.
    #[doc(hidden)]
    fn into_word(self) -> Option<u64>
    where
        Self: Sized,
    {
        None
    }
}

impl<T: IntoValue> IntoAnswer<Plain> for T {
    const KIND: Option<Kind> = <T as IntoValue>::KIND;

    fn given_ty() -> Option<Type> {
        <T as IntoValue>::given_ty()
    }

    #[inline(always)]
    fn into_word(self) -> Option<u64> {
        self.to_word()
    }

    fn into_answer(self) -> Result<Value, String> {
        Ok(self.into_value())
    }
}

impl<T: IntoValue, E: Display> IntoAnswer<Tried> for Result<T, E> {
    const KIND: Option<Kind> = T::KIND;

    fn given_ty() -> Option<Type> {
        T::given_ty()
    }

    #[inline(always)]
    fn into_word(self) -> Option<u64> {
        self.ok()?.to_word()
    }

    fn into_answer(self) -> Result<Value, String> {
        self.map(IntoValue::into_value).map_err(|error| error.to_string())
    }
}
