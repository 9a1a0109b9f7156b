//! Bodies that are functions of what names hold: they can be called for many executions in one loop, in which no name is
//! looked up and no value is wrapped.

use std::error::Error;
use std::ops::Range;

use hasse_body::natives::{FromValue, IntoValue};
use hasse_model::value::Type;
use hasse_routine::Track;

use crate::natives::node::{BodyContext, BodyResult};
use crate::natives::scalars::{FunctionNames, ScalarFailure, ScalarTable};

/// A closure whose arguments are what names of a node hold, each a [`FromValue`], and whose answer is [`Given`] to others:
/// up to six arguments, or one array for any number of names of one type.
///
/// Implemented for all of them; `A` and `M` are always inferred.
pub trait BodyFunction<A, M>: Send + Sync + 'static {
    /// The types of its arguments.
    fn takes() -> Vec<Type>;

    /// The types of what it gives.
    fn gives() -> Vec<Type>;

    /// Calls it with what names hold.
    ///
    /// # Errors
    /// A name holds, or is to hold, a value of another type, or the function says so.
    fn call(&self, context: &mut BodyContext<'_>, names: &FunctionNames) -> BodyResult;

    /// Whether all of it are scalars.
    #[doc(hidden)]
    const IS_OF_SCALARS: bool;

    /// Calls it for executions whose scalars are in cells; `n_done` of them have been done when it fails or panics.
    #[doc(hidden)]
    fn call_rows(&self, table: &ScalarTable<'_>, executions: Range<usize>) -> Result<(), ScalarFailure>;
}

/// An answer of a [`BodyFunction`]: a value, a tuple of up to four or an array of them, `()`, or a `Result` of these, whose
/// error becomes the error of the event. `M` is always inferred.
pub trait Given<M> {
    /// The types that it has.
    fn types() -> Vec<Type>;

    /// Gives it to names.
    ///
    /// # Errors
    /// A name is of another type, or the function has failed.
    fn give(self, context: &mut BodyContext<'_>, names: &[String]) -> BodyResult;

    /// Whether all of it are scalars.
    #[doc(hidden)]
    const ARE_SCALARS: bool;

    /// Puts it where scalars of an execution go.
    #[doc(hidden)]
    fn put(self, table: &ScalarTable<'_>, nth: usize) -> Result<(), ScalarFailure>;
}

/// Returns true if values of a type are scalars in both directions.
const fn is_scalar<T: FromValue + IntoValue>() -> bool {
    <T as FromValue>::KIND.is_some() && <T as IntoValue>::KIND.is_some()
}

/// Marks an answer that is one value.
#[derive(Debug)]
pub struct One;
/// Marks an answer of several values.
#[derive(Debug)]
pub struct Several;
/// Marks a `Result` of an answer.
#[derive(Debug)]
pub struct Fallible<M>(M);

impl<T: FromValue + IntoValue> Given<One> for T {
    const ARE_SCALARS: bool = is_scalar::<T>();

    fn types() -> Vec<Type> {
        vec![T::ty()]
    }

    fn give(self, context: &mut BodyContext<'_>, names: &[String]) -> BodyResult {
        context.set(&names[0], self)
    }

    #[inline(always)]
    fn put(self, table: &ScalarTable<'_>, nth: usize) -> Result<(), ScalarFailure> {
        table.put(&self, 0, nth)
    }
}

impl<T: FromValue + IntoValue, const N: usize> Given<Several> for [T; N] {
    const ARE_SCALARS: bool = is_scalar::<T>();

    fn types() -> Vec<Type> {
        vec![T::ty(); N]
    }

    fn give(self, context: &mut BodyContext<'_>, names: &[String]) -> BodyResult {
        names.iter().zip(self).try_for_each(|(name, value)| context.set(name, value))
    }

    #[inline(always)]
    fn put(self, table: &ScalarTable<'_>, nth: usize) -> Result<(), ScalarFailure> {
        self.iter().enumerate().try_for_each(|(place, given)| table.put(given, place, nth))
    }
}

impl<R: Given<M>, M, E: Into<Box<dyn Error + Send + Sync>>> Given<Fallible<M>> for Result<R, E> {
    const ARE_SCALARS: bool = R::ARE_SCALARS;

    fn types() -> Vec<Type> {
        R::types()
    }

    fn give(self, context: &mut BodyContext<'_>, names: &[String]) -> BodyResult {
        self.map_err(Into::into)?.give(context, names)
    }

    #[inline(always)]
    fn put(self, table: &ScalarTable<'_>, nth: usize) -> Result<(), ScalarFailure> {
        self.map_err(|error| ScalarFailure::Failed(error.into()))?.put(table, nth)
    }
}

macro_rules! given {
    ($($name:ident $value:ident $place:tt),*) => {
        impl<$($name: FromValue + IntoValue),*> Given<Several> for ($($name,)*) {
            const ARE_SCALARS: bool = true $(&& is_scalar::<$name>())*;

            fn types() -> Vec<Type> {
                vec![$($name::ty()),*]
            }

            fn give(self, context: &mut BodyContext<'_>, names: &[String]) -> BodyResult {
                let ($($value,)*) = self;
                $(context.set(&names[$place], $value)?;)*
                let _ = (context, names);
                Ok(())
            }

            #[inline(always)]
            fn put(self, table: &ScalarTable<'_>, nth: usize) -> Result<(), ScalarFailure> {
                let ($($value,)*) = self;
                $(table.put(&$value, $place, nth)?;)*
                let _ = (table, nth);
                Ok(())
            }
        }
    };
}

given!();
given!(A a 0);
given!(A a 0, B b 1);
given!(A a 0, B b 1, C c 2);
given!(A a 0, B b 1, C c 2, D d 3);

macro_rules! body_function {
    ($($name:ident $track:ident $place:tt),*) => {
        impl<Func, Answer, Mark, $($name),*> BodyFunction<($($name,)*), Mark> for Func
        where
            Func: Fn($($name),*) -> Answer + Send + Sync + 'static,
            Answer: Given<Mark>,
            $($name: FromValue,)*
        {
            const IS_OF_SCALARS: bool = Answer::ARE_SCALARS $(&& <$name as FromValue>::KIND.is_some())*;

            fn takes() -> Vec<Type> {
                vec![$($name::ty()),*]
            }

            fn gives() -> Vec<Type> {
                Answer::types()
            }

            fn call(&self, context: &mut BodyContext<'_>, names: &FunctionNames) -> BodyResult {
                let answer = self($(context.get::<$name>(&names.takes[$place])?),*);
                answer.give(context, &names.gives)
            }

            fn call_rows(&self, table: &ScalarTable<'_>, executions: Range<usize>) -> Result<(), ScalarFailure> {
                let [$($track),*] = *table.takes else { return Err(ScalarFailure::Misfit) };
                for nth in executions {
                    self($(table.argument::<$name>($track, nth)?),*).put(table, nth)?;
                    table.n_done.set(nth + 1);
                }
                Ok(())
            }
        }
    };
}

body_function!();
body_function!(A a 0);
body_function!(A a 0, B b 1);
body_function!(A a 0, B b 1, C c 2);
body_function!(A a 0, B b 1, C c 2, D d 3);
body_function!(A a 0, B b 1, C c 2, D d 3, E e 4);
body_function!(A a 0, B b 1, C c 2, D d 3, E e 4, F f 5);

impl<Func, Answer, Mark, T, const N: usize> BodyFunction<[T; N], Mark> for Func
where
    Func: Fn([T; N]) -> Answer + Send + Sync + 'static,
    Answer: Given<Mark>,
    T: FromValue,
{
    const IS_OF_SCALARS: bool = Answer::ARE_SCALARS && <T as FromValue>::KIND.is_some();

    fn takes() -> Vec<Type> {
        vec![T::ty(); N]
    }

    fn gives() -> Vec<Type> {
        Answer::types()
    }

    fn call(&self, context: &mut BodyContext<'_>, names: &FunctionNames) -> BodyResult {
        let arguments = names.takes.iter().map(|name| context.get::<T>(name));
        let arguments: Vec<T> = arguments.collect::<Result<_, _>>()?;
        let Ok(arguments) = arguments.try_into() else { return Ok(()) };
        self(arguments).give(context, &names.gives)
    }

    fn call_rows(&self, table: &ScalarTable<'_>, executions: Range<usize>) -> Result<(), ScalarFailure> {
        let Ok(takes) = <[Track; N]>::try_from(table.takes) else { return Err(ScalarFailure::Misfit) };
        for nth in executions {
            let arguments = takes.map(|track| table.argument::<T>(track, nth).ok());
            if arguments.iter().any(Option::is_none) {
                return Err(ScalarFailure::Misfit);
            }
            let arguments = arguments.map(|argument| argument.expect("none of them is missing"));
            self(arguments).put(table, nth)?;
            table.n_done.set(nth + 1);
        }
        Ok(())
    }
}
