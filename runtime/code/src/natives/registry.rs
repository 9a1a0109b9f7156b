//! The registry of what a program may call that is written in Rust.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use hasse_body::builtin::direct;
use hasse_body::builtin::question::Question;
use hasse_body::effects::SharedContext;
use hasse_body::natives::{CompiledCall, Function, NativeFunction};
use hasse_model::diagnostic::Location;
use hasse_model::function::FunctionTable;
use hasse_model::plan::routine::{Kind, LibraryFunction, Native, Routine};
use hasse_routine::Library;
use rhai::Engine;

use crate::natives::error::NativesError;
use crate::natives::function_body::BodyFunction;
use crate::natives::names::Parser;
use crate::natives::node::{BodyContext, BodyResult, NativeBody, Registered};
use crate::natives::scalars::{FunctionNames, ScalarFunction, ScalarTable};
use crate::natives::text::{PanicPlace, with_places};
use crate::reason::{Cause, Site};

/// What a program may call that is written in Rust.
///
/// ```
/// use hasse_code::natives::{NativeBody, Natives};
/// use hasse_model::value::Type;
///
/// let mut natives = Natives::new();
/// natives.function("scale", |v: Vec<f64>, k: f64| -> Vec<f64> { v.iter().map(|x| k * x).collect() });
/// natives.function("half", |n: i64| if n % 2 == 0 { Ok(n / 2) } else { Err(format!("{n} is odd")) });
/// natives.effect("host", || std::env::consts::OS.to_owned());
/// natives.body(NativeBody::new("sum").needs([("v", Type::Vector)]).lets([("s", Type::Real)]), |context| {
///     let v: Vec<f64> = context.take("v")?;
///     context.set("s", v.iter().sum::<f64>())
/// });
/// let table = natives.functions().unwrap();
/// assert_eq!(table.get("scale").unwrap().arities, [2]);
/// assert!(table.body("sum").is_some());
/// ```
#[derive(Clone, Default)]
pub struct Natives {
    functions: Vec<Function>,
    bodies: BTreeMap<String, Arc<Registered>>,
    /// Those of nodes whose texts stand in the program file, by `GRAPH.NODE`.
    texts: BTreeMap<String, Arc<Registered>>,
    /// What is wrong with bodies.
    wrong_bodies: Vec<NativesError>,
}

impl Natives {
    /// Nothing but the library.
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers a pure function of up to six arguments: what it returns depends on its arguments alone.
    /// It may be called wherever the program has an expression, and a replay calls it again.
    ///
    /// It may return a value or a `Result` whose error becomes the error of the event.
    pub fn function<A, M, F: NativeFunction<A, M>>(&mut self, name: &str, function: F) -> &mut Self {
        self.functions.push(Function::new(name, false, function));
        self
    }

    /// Registers an effect of up to six arguments: the world outside has a say in what it returns. It may
    /// be called in `do` only; its answer, an error too, is recorded, and a replay does not call it.
    pub fn effect<A, M, F: NativeFunction<A, M>>(&mut self, name: &str, effect: F) -> &mut Self {
        self.functions.push(Function::new(name, true, effect));
        self
    }

    /// Registers the body of nodes that say `do = { native = "name" }`.
    pub fn body(
        &mut self,
        body: NativeBody,
        run: impl Fn(&mut BodyContext<'_>) -> BodyResult + Send + Sync + 'static,
    ) -> &mut Self {
        let scalars = Err(Site::Body.because(Cause::RustBody));
        let (run, is_text, may_wait, asks) = (Arc::new(run), false, true, false);
        self.add_body(Registered { body, run, scalars, is_text, may_wait, asks })
    }

    /// Registers what a body in Rust was compiled to whose text stands in the program file. `body` is named
    /// `GRAPH.NODE` and tells names and results as the plan has them. An error that is a [`TextFailure`] has a place in the file.
    pub fn text_body(
        &mut self,
        body: NativeBody,
        run: impl Fn(&mut BodyContext<'_>) -> BodyResult + Send + Sync + 'static,
    ) -> &mut Self {
        let name = body.name().to_owned();
        let scalars = Err(Site::Body.because(Cause::RustBody));
        let (run, is_text, may_wait, asks) = (Arc::new(run), true, true, false);
        let registered = Registered { body, run, scalars, is_text, may_wait, asks };
        self.texts.insert(name, Arc::new(registered));
        self
    }

    /// Makes a registered body that of the node `label`, `GRAPH.NODE`, whose text stands in the program file. Tells whether there
    /// is a body of the name. `place_of` finds the place in the file of a panic; places are kept once
    /// [`keep_panic_places`] was called.
    pub fn body_of_text(
        &mut self,
        label: &str,
        name: &str,
        place_of: impl Fn(&PanicPlace) -> Option<Location> + Send + Sync + 'static,
    ) -> bool {
        let Some(registered) = self.bodies.get(name) else { return false };
        let run = with_places(Arc::clone(&registered.run), place_of);
        let (body, scalars) = (registered.body.clone(), registered.scalars.clone());
        let (is_text, may_wait, asks) = (true, registered.may_wait, false);
        let registered = Registered { body, run, scalars, is_text, may_wait, asks };
        self.texts.insert(label.to_owned(), Arc::new(registered));
        true
    }

    /// Whether a body of the name is registered, also for a node whose text stands in the program file.
    pub fn has_body(&self, name: &str) -> bool {
        self.registered_body(name).is_some()
    }

    /// Registers the body of nodes that say `do = { native = "name" }` as a function of what the names in `takes` hold. What
    /// it returns is given to the names in `gives`: to vars and shared objects of the node, which are among `takes` too, and
    /// otherwise to names that it sets for the routing rules. Each has the type of its argument or of what is returned.
    ///
    /// What it returns depends on its arguments alone. Where these and what it gives are integers, reals or truth values, it is called for many
    /// executions in one loop, which costs a small part of what a [body](Self::body) that looks up its names costs.
    ///
    /// ```
    /// use hasse_code::natives::Natives;
    ///
    /// let mut natives = Natives::new();
    /// natives.function_body("step", ["x"], ["y"], |x: i64| x + 1);
    /// natives.function_body("sum", ["x", "total"], ["total"], |x: i64, total: i64| {
    ///     total.checked_add(x).ok_or("the sum is too large")
    /// });
    /// natives.function_body("join", ["a", "b", "c"], ["d", "e"], |[a, b, c]: [i64; 3]| (a + b + c, a * b * c));
    /// assert!(natives.functions().unwrap().body("join").is_some());
    /// ```
    pub fn function_body<A, M, F: BodyFunction<A, M>>(
        &mut self,
        name: &str,
        takes: impl IntoIterator<Item = impl Into<String>>,
        gives: impl IntoIterator<Item = impl Into<String>>,
        function: F,
    ) -> &mut Self {
        let takes: Vec<String> = takes.into_iter().map(Into::into).collect();
        let gives: Vec<String> = gives.into_iter().map(Into::into).collect();
        let (take_types, give_types) = (F::takes(), F::gives());
        for (verb, names, types) in [("takes", &takes, &take_types), ("gives", &gives, &give_types)] {
            let (n_names, n_values) = (names.len(), types.len());
            if n_names != n_values {
                let body = name.to_owned();
                self.wrong_bodies.push(NativesError::NameCount { body, verb, n_values, n_names });
                return self;
            }
        }
        let kinds: Vec<_> = take_types.iter().chain(&give_types).filter_map(Kind::of).collect();
        let is_let = |given: &(&String, _)| !takes.contains(given.0);
        let lets = gives.iter().zip(give_types).filter(is_let);
        let lets: Vec<_> = lets.map(|(name, ty)| (name.clone(), ty)).collect();
        let repeated = gives.iter().enumerate().find(|(place, given)| gives[..*place].contains(given));
        if let Some((_, repeated)) = repeated {
            let (body, name) = (name.to_owned(), repeated.clone());
            self.wrong_bodies.push(NativesError::NameTwice { body, name });
        }
        let needs = takes.iter().cloned().zip(take_types);
        let body = NativeBody::new(name).needs(needs).lets(lets);
        let names = FunctionNames { takes, gives };
        let function = Arc::new(function);
        let scalars = F::IS_OF_SCALARS.then(|| {
            let function = Arc::clone(&function);
            let call =
                Box::new(move |table: &ScalarTable<'_>, executions| function.call_rows(table, executions));
            ScalarFunction { names: names.clone(), kinds: kinds.clone(), call, speaks: false, asks: false }
        });
        let run = Arc::new(move |context: &mut BodyContext<'_>| function.call(context, &names));
        let may_wait = scalars.is_none();
        let scalars = scalars.map(Arc::new).ok_or(Site::Body.because(Cause::RustBody));
        self.add_body(Registered { body, run, scalars, is_text: false, may_wait, asks: false })
    }

    fn add_body(&mut self, registered: Registered) -> &mut Self {
        let name = registered.body.name().to_owned();
        if self.bodies.insert(name.clone(), Arc::new(registered)).is_some() {
            self.wrong_bodies.push(NativesError::BodyTwice { name });
        }
        self
    }

    /// What a program may call, the library included, for the compiler.
    ///
    /// # Errors
    /// A name that cannot be used or is used twice.
    pub fn functions(&self) -> Result<FunctionTable, NativesError> {
        let mut table = hasse_body::functions();
        let library = table.clone();
        let parser = Parser::new();
        for (function_idx, function) in self.functions.iter().enumerate() {
            let what = if function.is_effect { "an effect" } else { "a function" };
            parser.check_function(what, &function.name)?;
            let (name, n_arguments) = (function.name.clone(), function.n_arguments);
            if library.get(&name).is_some_and(|facts| facts.arities.contains(&n_arguments)) {
                return Err(NativesError::OfLibrary { name, n_arguments });
            }
            for earlier in self.functions[..function_idx].iter().filter(|earlier| earlier.name == name) {
                if earlier.n_arguments == n_arguments {
                    return Err(NativesError::FunctionTwice { name, n_arguments });
                }
                if earlier.is_effect != function.is_effect {
                    return Err(NativesError::FunctionAndEffect { name });
                }
            }
            if function.is_effect {
                table.add(&name, n_arguments, true);
                if let Some(signature) = function.asked() {
                    table.add_asked(&name, signature.clone());
                }
            } else {
                table.add_native(&name, n_arguments, function.facts());
            }
        }
        if let Some(wrong) = self.wrong_bodies.first() {
            return Err(wrong.clone());
        }
        for (name, registered) in &self.bodies {
            parser.check_word("a native body", name)?;
            registered.body.check_names(&parser)?;
            table.add_body(name, registered.body.facts().clone());
        }
        Ok(table)
    }

    /// Makes the functions callable by an interpreter whose events have `context`.
    pub fn register(&self, engine: &mut Engine, context: &SharedContext) {
        for function in &self.functions {
            function.register(engine, context);
        }
    }

    /// The functions that a routine calls, in its order; `None` where one is not registered as it was when the program was
    /// compiled.
    pub(crate) fn called_by(&self, routine: &Routine) -> Option<Vec<CompiledCall>> {
        let call = |native| self.functions.iter().find_map(|function| function.compiled(native)).cloned();
        routine.natives.iter().map(call).collect()
    }

    /// The functions of the library and in Rust that a routine calls by values; `None` where one is not as it was.
    pub(crate) fn library_of(&self, routine: &Routine) -> Option<Vec<Arc<Library>>> {
        let function = |wanted: &LibraryFunction| {
            if wanted.is_native {
                self.functions.iter().find_map(|function| function.by_values(wanted))
            } else {
                direct::function(wanted)
            }
        };
        routine.library.iter().map(|wanted| function(wanted).cloned()).collect()
    }

    /// The questions that a routine asks the world outside, in its order; `None` for one that is not there as it was when the
    /// program was compiled.
    pub(crate) fn questions_of(&self, routine: &Routine) -> Vec<Option<Question>> {
        let question = |asked: &Native| {
            let is_it = |function: &&Function| {
                function.name == asked.name && function.asked() == Some(&asked.signature)
            };
            let native = self.functions.iter().find(is_it);
            let native = native.map(|function| Question::of_native(function, &asked.signature));
            native.or_else(|| Question::in_library(asked))
        };
        routine.asked.iter().map(question).collect()
    }

    /// The body of a name.
    pub fn registered_body(&self, name: &str) -> Option<&Arc<Registered>> {
        self.bodies.get(name).or_else(|| self.texts.get(name))
    }
}

/// Writes the names.
impl fmt::Debug for Natives {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let functions = self.functions.iter().map(|function| (&function.name, function.n_arguments));
        f.debug_struct("Natives")
            .field("functions", &functions.collect::<Vec<_>>())
            .field("bodies", &self.bodies.keys().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
