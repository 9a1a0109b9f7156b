//! Bodies that are functions of what names hold: they can be called for many executions in one loop, in which no name is
//! looked up and no value is wrapped.

use std::cell::Cell;
use std::error::Error;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use hasse_model::value::Type;
use hasse_routine::Track;

use super::node::{BodyContext, BodyResult};
use super::{FromValue, IntoValue};

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

    /// Whether all of it are integers.
    #[doc(hidden)]
    const IS_OF_INTS: bool;

    /// Calls it for executions whose integers stand in cells; `n_done` of them have been done when it fails or panics.
    #[doc(hidden)]
    fn call_ints(&self, table: &IntTable<'_>, executions: Range<usize>) -> Result<(), IntFailure>;
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

    /// Whether all of it are integers.
    #[doc(hidden)]
    const ARE_INTS: bool;

    /// Puts it where integers of an execution stand.
    #[doc(hidden)]
    fn put(self, table: &IntTable<'_>, nth: usize) -> Result<(), IntFailure>;
}

/// What a body function takes its arguments from, and gives its answer to.
#[derive(Clone, Debug)]
pub struct FunctionNames {
    pub(crate) takes: Vec<String>,
    pub(crate) gives: Vec<String>,
}

/// Where the integers of executions stand.
#[doc(hidden)]
#[derive(Debug)]
pub struct IntTable<'c> {
    pub(crate) cells: &'c [Cell<i64>],
    pub(crate) takes: &'c [Track],
    pub(crate) gives: &'c [Track],
    /// Executions that have been done: told anew after each.
    pub(crate) n_done: &'c Cell<usize>,
}

/// Why executions end early.
#[doc(hidden)]
#[derive(Debug)]
pub enum IntFailure {
    /// An integer is not within the range of its argument.
    Misfit,
    /// The function says so.
    Failed(Box<dyn Error + Send + Sync>),
}

impl IntTable<'_> {
    #[inline(always)]
    pub(crate) fn cell(&self, track: Track, nth: usize) -> &Cell<i64> {
        &self.cells[track.start + nth * track.step]
    }

    #[inline(always)]
    fn argument<T: FromValue>(&self, track: Track, nth: usize) -> Result<T, IntFailure> {
        T::from_int(self.cell(track, nth).get()).ok_or(IntFailure::Misfit)
    }

    #[inline(always)]
    fn put<T: IntoValue>(&self, given: &T, nth_given: usize, nth: usize) -> Result<(), IntFailure> {
        self.cell(self.gives[nth_given], nth).set(given.to_int().ok_or(IntFailure::Misfit)?);
        Ok(())
    }
}

type CallInts = dyn Fn(&IntTable<'_>, Range<usize>) -> Result<(), IntFailure> + Send + Sync;

/// A body function of integers.
pub(crate) struct IntFunction {
    pub(crate) names: FunctionNames,
    pub(crate) call: Box<CallInts>,
}

impl IntFunction {
    /// What it gives for its one argument; `None` where it fails.
    #[inline]
    pub(crate) fn map_one(&self, number: i64) -> Option<i64> {
        const TAKES: [Track; 1] = [Track { start: 0, step: 0 }];
        const GIVES: [Track; 1] = [Track { start: 1, step: 0 }];
        let (cells, n_done) = ([Cell::new(number), Cell::new(0)], Cell::new(0));
        let table = IntTable { cells: &cells, takes: &TAKES, gives: &GIVES, n_done: &n_done };
        match catch_unwind(AssertUnwindSafe(|| (self.call)(&table, 0..1))) {
            Ok(Ok(())) => Some(cells[1].get()),
            _ => None,
        }
    }
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
    const ARE_INTS: bool = T::IS_INT;

    fn types() -> Vec<Type> {
        vec![T::ty()]
    }

    fn give(self, context: &mut BodyContext<'_>, names: &[String]) -> BodyResult {
        context.set(&names[0], self)
    }

    #[inline(always)]
    fn put(self, table: &IntTable<'_>, nth: usize) -> Result<(), IntFailure> {
        table.put(&self, 0, nth)
    }
}

impl<T: FromValue + IntoValue, const N: usize> Given<Several> for [T; N] {
    const ARE_INTS: bool = T::IS_INT;

    fn types() -> Vec<Type> {
        vec![T::ty(); N]
    }

    fn give(self, context: &mut BodyContext<'_>, names: &[String]) -> BodyResult {
        names.iter().zip(self).try_for_each(|(name, value)| context.set(name, value))
    }

    #[inline(always)]
    fn put(self, table: &IntTable<'_>, nth: usize) -> Result<(), IntFailure> {
        self.iter().enumerate().try_for_each(|(place, given)| table.put(given, place, nth))
    }
}

impl<R: Given<M>, M, E: Into<Box<dyn Error + Send + Sync>>> Given<Fallible<M>> for Result<R, E> {
    const ARE_INTS: bool = R::ARE_INTS;

    fn types() -> Vec<Type> {
        R::types()
    }

    fn give(self, context: &mut BodyContext<'_>, names: &[String]) -> BodyResult {
        self.map_err(Into::into)?.give(context, names)
    }

    #[inline(always)]
    fn put(self, table: &IntTable<'_>, nth: usize) -> Result<(), IntFailure> {
        self.map_err(|error| IntFailure::Failed(error.into()))?.put(table, nth)
    }
}

macro_rules! given {
    ($($name:ident $value:ident $place:tt),*) => {
        impl<$($name: FromValue + IntoValue),*> Given<Several> for ($($name,)*) {
            const ARE_INTS: bool = true $(&& $name::IS_INT)*;

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
            fn put(self, table: &IntTable<'_>, nth: usize) -> Result<(), IntFailure> {
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
            const IS_OF_INTS: bool = Answer::ARE_INTS $(&& $name::IS_INT)*;

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

            fn call_ints(&self, table: &IntTable<'_>, executions: Range<usize>) -> Result<(), IntFailure> {
                let [$($track),*] = *table.takes else { return Err(IntFailure::Misfit) };
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
    const IS_OF_INTS: bool = Answer::ARE_INTS && T::IS_INT;

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

    fn call_ints(&self, table: &IntTable<'_>, executions: Range<usize>) -> Result<(), IntFailure> {
        let Ok(takes) = <[Track; N]>::try_from(table.takes) else { return Err(IntFailure::Misfit) };
        for nth in executions {
            let arguments = takes.map(|track| table.argument::<T>(track, nth).ok());
            if arguments.iter().any(Option::is_none) {
                return Err(IntFailure::Misfit);
            }
            let arguments = arguments.map(|argument| argument.expect("none of them is missing"));
            self(arguments).put(table, nth)?;
            table.n_done.set(nth + 1);
        }
        Ok(())
    }
}
