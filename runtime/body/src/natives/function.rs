//! Functions and effects: closures with their types taken off, and how the interpreter calls them.

use std::any::TypeId;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use hasse_model::function::{NativeFacts, Signature};
use hasse_model::plan::routine::{LibraryFunction, Native};
use hasse_model::value::{Type, Value};
use hasse_routine::Library;
use rhai::{Dynamic, Engine};

use super::answer::IntoAnswer;
use super::panic::panic_text;
use super::value::FromValue;
use crate::convert::{dynamic_from_value, value_from_dynamic};
use crate::effects::SharedContext;

/// A closure of up to six arguments, each a [`FromValue`], that returns an [`IntoAnswer`].
///
/// Implemented for all of them; `A` and `M` are always inferred.
pub trait NativeFunction<A, M>: Send + Sync + 'static {
    /// Number of arguments.
    const N_ARGUMENTS: usize;

    /// Calls it with as many arguments.
    ///
    /// # Errors
    /// An argument is of another type, or the function says so.
    fn call(&self, arguments: Vec<Value>) -> Result<Value, String>;

    /// What it takes and gives, if compiled code may call it.
    #[doc(hidden)]
    fn signature() -> Option<Signature> {
        None
    }

    /// The type of what it gives, where that is one.
    #[doc(hidden)]
    fn given_ty() -> Option<Type> {
        None
    }

    /// Calls it with arguments as words of the kinds of its signature. `None` where [`call`](Self::call) has an error for the
    /// same arguments.
    #[doc(hidden)]
    fn call_words(&self, _words: &[u64]) -> Option<u64> {
        None
    }
}

/// The next argument, as what the function asks for.
fn argument<T: FromValue>(arguments: &mut std::vec::IntoIter<Value>, place: usize) -> Result<T, String> {
    let value = arguments.next().unwrap_or_default();
    T::from_value(value).map_err(|mismatch| format!("argument {place}: {mismatch}"))
}

macro_rules! implement {
    ($n:literal: $($name:ident $place:literal),*) => {
        impl<Func, Answer, Mark, $($name),*> NativeFunction<($($name,)*), Mark> for Func
        where
            Func: Fn($($name),*) -> Answer + Send + Sync + 'static,
            Answer: IntoAnswer<Mark>,
            $($name: FromValue,)*
        {
            const N_ARGUMENTS: usize = $n;

            #[allow(unused_mut, unused_variables, reason = "not used without arguments")]
            fn call(&self, arguments: Vec<Value>) -> Result<Value, String> {
                let mut arguments = arguments.into_iter();
                self($(argument::<$name>(&mut arguments, $place)?),*).into_answer()
            }

            fn signature() -> Option<Signature> {
                Some(Signature { takes: vec![$($name::KIND?),*], gives: Answer::KIND? })
            }

            fn given_ty() -> Option<Type> {
                Answer::given_ty()
            }

            #[inline]
            #[allow(unused_variables, reason = "not used without arguments")]
            fn call_words(&self, words: &[u64]) -> Option<u64> {
                self($($name::from_word(*words.get($place - 1)?)?),*).into_word()
            }
        }
    };
}

implement!(0:);
implement!(1: A 1);
implement!(2: A 1, B 2);
implement!(3: A 1, B 2, C 3);
implement!(4: A 1, B 2, C 3, D 4);
implement!(5: A 1, B 2, C 3, D 4, E 5);
implement!(6: A 1, B 2, C 3, D 4, E 5, F 6);

type Call = dyn Fn(Vec<Value>) -> Result<Value, String> + Send + Sync;

/// A function as compiled code calls it.
pub type CompiledCall = Arc<hasse_routine::NativeFunction>;

/// A registered function or effect.
#[derive(Clone)]
pub struct Function {
    /// Name by which programs call it.
    pub name: String,
    /// Number of arguments.
    pub n_arguments: usize,
    /// Whether the world outside has a say in the answer.
    pub is_effect: bool,
    call: Arc<Call>,
    /// What it takes and gives, and how compiled code calls it, if it may.
    compiled: Option<(Signature, CompiledCall)>,
    /// Signature of an effect that compiled code may call; `None` for other functions.
    asked: Option<Signature>,
    /// The type of what it gives, where that is one and compiled code may call it.
    gives: Option<Type>,
    /// How compiled code calls it by values.
    by_values: Arc<Library>,
}

impl Function {
    /// Takes the types off a closure.
    pub fn new<A, M, F: NativeFunction<A, M>>(name: &str, is_effect: bool, function: F) -> Self {
        let function = Arc::new(function);
        let called = Arc::clone(&function);
        let by_values = move |arguments: &mut [Value]| {
            called.call(arguments.iter_mut().map(std::mem::take).collect()).ok()
        };
        // The answer of an effect is recorded.
        let compiled = F::signature().filter(|_| !is_effect).map(|signature| {
            let function = Arc::clone(&function);
            let call: CompiledCall = Arc::new(move |words: &[u64]| function.call_words(words));
            (signature, call)
        });
        Self {
            name: name.to_owned(),
            n_arguments: F::N_ARGUMENTS,
            is_effect,
            call: Arc::new(move |arguments| function.call(arguments)),
            compiled,
            asked: F::signature().filter(|_| is_effect),
            gives: F::given_ty().filter(|_| !is_effect),
            by_values: Arc::new(by_values),
        }
    }

    /// Returns the facts on which compiled code relies.
    pub fn facts(&self) -> NativeFacts {
        let scalars = self.compiled.as_ref().map(|(signature, _)| signature.clone());
        NativeFacts { scalars, gives: self.gives.clone() }
    }

    /// Returns what an effect takes and gives, if compiled code may ask by it.
    pub fn asked(&self) -> Option<&Signature> {
        self.asked.as_ref()
    }

    /// Returns the call by values for compiled code, if this is the function that it was compiled for.
    pub fn by_values(&self, known: &LibraryFunction) -> Option<&Arc<Library>> {
        let is_it = self.name == known.name
            && self.n_arguments == known.signature.takes.len()
            && self.gives == known.signature.gives;
        is_it.then_some(&self.by_values)
    }

    /// Returns the call by words for compiled code, if this is the function that it was compiled for.
    pub fn compiled(&self, known: &Native) -> Option<&CompiledCall> {
        let (signature, call) = self.compiled.as_ref()?;
        (self.name == known.name && *signature == known.signature).then_some(call)
    }

    /// Calls the function; a panic is an error like others.
    pub(crate) fn answer(&self, arguments: Vec<Value>) -> Result<Value, String> {
        match catch_unwind(AssertUnwindSafe(|| (self.call)(arguments))) {
            Ok(answer) => answer.map_err(|message| format!("`{}`: {message}", self.name)),
            Err(panic) => Err(format!("`{}` panicked: {}", self.name, panic_text(&*panic))),
        }
    }

    /// Makes the function callable by an interpreter whose events have `context`.
    pub fn register(&self, engine: &mut Engine, context: &SharedContext) {
        let function = self.clone();
        let context = context.clone();
        let any_types = vec![TypeId::of::<Dynamic>(); self.n_arguments];
        engine.register_raw_fn(&self.name, any_types, move |_, held: &mut [&mut Dynamic]| {
            let mut arguments = Vec::with_capacity(held.len());
            for (place, held) in held.iter().enumerate() {
                let value = value_from_dynamic(held).map_err(|type_name| {
                    format!("`{}`: argument {} is a {type_name}, which is no value", function.name, place + 1)
                })?;
                arguments.push(value);
            }
            let answer = if function.is_effect {
                context.lock().native_effect(|| function.answer(arguments))
            } else {
                function.answer(arguments)
            };
            answer.map(dynamic_from_value).map_err(Into::into)
        });
    }
}
