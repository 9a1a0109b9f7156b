//! Bodies of nodes in Rust: what they declare, and what they see of the execution.

use std::any::Any;
use std::cell::Cell;
use std::error::Error;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use hasse_body::effects::{Announcement, EventContext, SharedContext};
use hasse_body::interrupt::StopSignal;
use hasse_body::natives::{Entry, FromValue, IntoAnswer, IntoValue, Mismatch, NameTable, panic_text};
use hasse_body::script::{CodeError, ScriptEnd};
use hasse_body::seed::Seeds;
use hasse_model::diagnostic::Location;
use hasse_model::event::EffectKind;
use hasse_model::function::BodyFacts;
use hasse_model::plan::{Access, SlotKind, Template};
use hasse_model::value::{Type, Value};
use parking_lot::MutexGuard;

use crate::layout::Layout;
use crate::natives::error::{GaveUp, NativesError, TextFailure, Yielded};
use crate::natives::names::Parser;
use crate::natives::scalars::ScalarFunction;
use crate::natives::scope::BodyScope;
use crate::reason::{Cause, Reason, Site};

/// What a body gives back: nothing, or any error; `?` works on all of them.
pub type BodyResult = BodyOutcome<()>;

/// What a body gives back, or a part of one: a value, or any error; `?` works on all of them.
pub type BodyOutcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// What a native body is called, and what it declares to the compiler.
#[derive(Clone, Debug)]
pub struct NativeBody {
    name: String,
    facts: BodyFacts,
}

impl NativeBody {
    /// A body that programs name so, and that declares nothing.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), facts: BodyFacts::default() }
    }

    /// Names that a node must have to have this body, as bound, var, shared or other names, and the types
    /// that they must fit: a program whose node does not is refused.
    #[must_use]
    pub fn needs<N: Into<String>>(mut self, names: impl IntoIterator<Item = (N, Type)>) -> Self {
        self.facts.needs.extend(names.into_iter().map(|(name, ty)| (name.into(), ty)));
        self
    }

    /// Names that the body sets for the routing rules of its node, as a Rhai body does by `let` on its
    /// outermost level.
    #[must_use]
    pub fn lets<N: Into<String>>(mut self, names: impl IntoIterator<Item = (N, Type)>) -> Self {
        self.facts.lets.extend(names.into_iter().map(|(name, ty)| (name.into(), ty)));
        self
    }

    /// Names of the results that the body may set.
    #[must_use]
    pub fn results<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.facts.results.extend(names.into_iter().map(Into::into));
        self
    }

    /// The name by which programs mean it.
    #[inline]
    pub fn name(&self) -> &str {
        &self.name
    }

    #[inline]
    pub(crate) fn facts(&self) -> &BodyFacts {
        &self.facts
    }

    #[inline]
    pub(crate) fn check_names(&self, parser: &Parser) -> Result<(), NativesError> {
        let lets: Vec<&str> = self.facts.lets.iter().map(|(name, _)| name.as_str()).collect();
        let needs: Vec<&str> = self.facts.needs.iter().map(|(name, _)| name.as_str()).collect();
        for name in &lets {
            parser.check_variable("a name that a native body sets", name)?;
        }
        let all = [lets, needs].concat();
        for (name_idx, name) in all.iter().enumerate() {
            if all[..name_idx].contains(name) {
                let (body, name) = (self.name.clone(), (*name).to_owned());
                return Err(NativesError::NameTwice { body, name });
            }
        }
        Ok(())
    }
}

/// A body with what it does.
pub struct Registered {
    pub(crate) body: NativeBody,
    pub(crate) run: Arc<RunBody>,
    /// The same, where it is a function of scalars.
    pub scalars: Result<Arc<ScalarFunction>, Reason>,
    /// Whether its text stands in the program file, so that nobody has given it a name.
    pub(crate) is_text: bool,
    /// Whether it may wait for something that is not known here, such as another thread: code in Rust that is no function of scalars.
    pub may_wait: bool,
    /// True if it may ask the world outside, but never prints and sets no results.
    pub asks: bool,
}

/// What a body does.
pub(crate) type RunBody = dyn Fn(&mut BodyContext<'_>) -> BodyResult + Send + Sync;

/// What is wrong with a body's use of its context.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BodyError {
    /// The node has no such name.
    #[error("the node has no name `{name}`")]
    UnknownName {
        /// The name.
        name: String,
    },
    /// A name holds a value of another type than was asked for.
    #[error("`{name}`: {mismatch}")]
    Mismatch {
        /// The name.
        name: String,
        /// What was asked for and found.
        mismatch: Mismatch,
    },
    /// A name cannot hold the value.
    #[error("`{name}` of type {ty} cannot hold {found}")]
    DoesNotFit {
        /// The name.
        name: String,
        /// Its type.
        ty: Type,
        /// The value, shown.
        found: String,
    },
    /// A name that the body may not set.
    #[error("`{name}` cannot be set: it is {what}")]
    ReadOnly {
        /// The name.
        name: String,
        /// What it stands for.
        what: &'static str,
    },
    /// A result that the body did not declare.
    #[error("the result `{name}` is not declared by the body: add it to `NativeBody::results`")]
    UndeclaredResult {
        /// Its name.
        name: String,
    },
    /// An effect gave an error as its answer.
    #[error("{message}")]
    Effect {
        /// The error.
        message: String,
    },
    /// The run was asked to end.
    #[error("the run was asked to end")]
    Interrupted,
}

impl BodyError {
    fn code(&self) -> &'static str {
        match self {
            BodyError::Mismatch { .. } | BodyError::DoesNotFit { .. } => "R0003",
            _ => "R0001",
        }
    }
}

/// One execution, as its native body sees it.
///
/// Names are those of the node: creation parameters, index names, vars, shared names, what the
/// firing rule bound, and the names that the body declared by [`NativeBody::lets`].
pub struct BodyContext<'e> {
    #[doc(hidden)]
    pub scope: BodyScope<'e>,
    #[doc(hidden)]
    pub template: &'e BodyTemplate<'e>,
    #[doc(hidden)]
    pub instance: &'e BodyInstance<'e>,
    #[doc(hidden)]
    pub rule: i32,
    #[doc(hidden)]
    pub count: u64,
    /// Whether a var or a shared object was taken out.
    #[doc(hidden)]
    pub has_taken: bool,
    /// Whether something was asked of the world, or told to it.
    #[doc(hidden)]
    pub has_asked: &'e Cell<bool>,
}

/// What bodies see of their instance.
pub struct BodyInstance<'e> {
    /// Its index.
    pub index: &'e [i64],
    /// Of the graph instance: random numbers depend on it.
    pub path_hash: u64,
}

/// What bodies see of their template: the same for all executions by one worker.
pub struct BodyTemplate<'e> {
    /// The template.
    pub template: &'e Template,
    /// Positions of its names.
    pub layout: &'e Layout,
    /// Slots by name.
    pub names: &'e NameTable,
    /// The world outside.
    pub effects: &'e SharedContext,
    /// Where executions are not announced: the seed of the run, and where answers come from.
    pub unannounced: Option<(u64, Announcement)>,
    /// The end of the run from outside.
    pub stop: &'e StopSignal,
    /// Declarations of the body.
    pub facts: &'e BodyFacts,
}

/// Writes which execution it is.
impl fmt::Debug for BodyContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BodyContext")
            .field("node", &self.template.template.name)
            .field("index", &self.instance.index)
            .field("count", &self.count)
            .finish_non_exhaustive()
    }
}

impl BodyTemplate<'_> {
    /// Announces an execution, where that has not been done.
    #[inline]
    pub fn announce(&self, instance: &BodyInstance<'_>, count: u64) {
        if let Some((random_seed, announcement)) = self.unannounced {
            self.effects.announce_action(self.seed_of(random_seed, instance));
            self.effects.announce(announcement, count);
        }
    }

    /// The seed of an action, in a run with a seed.
    #[inline]
    pub fn seed_of(&self, random_seed: u64, instance: &BodyInstance<'_>) -> u64 {
        let seeds = Seeds { random_seed, path_hash: instance.path_hash };
        seeds.of_action(&self.template.name, instance.index)
    }
}

impl BodyContext<'_> {
    /// The value of a name. A vector, matrix or bytes asked for as `Arc` is not copied.
    ///
    /// # Errors
    /// The node has no such name, or it holds a value of another type; `Option<T>` is `None` where
    /// the firing rule taken does not bind the name.
    #[inline(always)]
    pub fn get<T: FromValue>(&self, name: &str) -> BodyOutcome<T> {
        let Some(entry) = self.template.names.find(name) else { return Err(unknown(name)) };
        let slot_idx = entry.slot_idx();
        match self.scope.held(slot_idx).and_then(T::from_scalar) {
            Some(scalar) => Ok(scalar),
            None => self.get_other(slot_idx, name),
        }
    }

    /// What is no scalar of the type asked for, or stands with the interpreter.
    #[inline(never)]
    fn get_other<T: FromValue>(&self, slot_idx: usize, name: &str) -> BodyOutcome<T> {
        let value = self.scope.value(slot_idx).map_err(|found| not_a_value::<T>(name, &found))?;
        Ok(from_value(name, value)?)
    }

    /// Takes the value of a name, so that it can be changed without a copy. A var or an object that was
    /// taken must be set again. Creation parameters and index names stay.
    ///
    /// # Errors
    /// As for [`get`](Self::get).
    #[inline]
    pub fn take<T: FromValue>(&mut self, name: &str) -> BodyOutcome<T> {
        let slot_idx = self.slot(name)?;
        if !matches!(
            self.template.template.slots[slot_idx].kind,
            SlotKind::Var | SlotKind::Shared | SlotKind::Bound | SlotKind::Let
        ) {
            return self.get(name);
        }
        self.has_taken = true;
        let value = self.scope.take(slot_idx).map_err(|found| not_a_value::<T>(name, &found))?;
        Ok(from_value(name, value)?)
    }

    /// Whether a name holds a value: a bound name of the rule taken does, that of another rule does not.
    #[inline]
    pub fn is_set(&self, name: &str) -> bool {
        self.slot(name).is_ok_and(|slot_idx| self.scope.is_set(slot_idx))
    }

    /// Sets a var, a shared object that is declared as `write`, or a name declared by
    /// [`NativeBody::lets`].
    ///
    /// # Errors
    /// The name is another one, or of a type that the value does not fit.
    #[inline(always)]
    pub fn set(&mut self, name: &str, value: impl IntoValue) -> BodyResult {
        let Some(entry) = self.template.names.find(name) else { return Err(unknown(name)) };
        if let BodyScope::Lane(values) = &mut self.scope
            && let Some(place) = values.get_mut(entry.slot_idx())
            && value.put_scalar(entry.sets(), place)
        {
            return Ok(());
        }
        let slot_idx = entry.slot_idx();
        self.set_other(slot_idx, name, value.into_value())
    }

    /// Sets what is no scalar, or what may not be set to the value as it is.
    #[inline(never)]
    fn set_other(&mut self, slot_idx: usize, name: &str, value: Value) -> BodyResult {
        let slot = &self.template.template.slots[slot_idx];
        let what = match slot.kind {
            SlotKind::Var | SlotKind::Let => None,
            SlotKind::Shared => {
                let nth = slot_idx - self.template.layout.shared.start;
                let is_reader = self.template.template.shared[nth].access == Access::Read;
                is_reader.then_some("a shared object declared as `read`")
            }
            SlotKind::Param => Some("a creation parameter"),
            SlotKind::Index => Some("an index name"),
            SlotKind::Bound => Some("bound by firing rules"),
            SlotKind::Rule | SlotKind::Count => Some("part of the execution"),
        };
        if let Some(what) = what {
            return Err(BodyError::ReadOnly { name: name.to_owned(), what }.into());
        }
        if slot.ty.fits(&value) {
            self.scope.set(slot_idx, value);
            return Ok(());
        }
        let found = match &value {
            Value::Unit => "nothing".to_owned(),
            other => format!("the {} {other}", other.type_name()),
        };
        let misfit = || BodyError::DoesNotFit { name: name.to_owned(), ty: slot.ty.clone(), found };
        let value = slot.ty.admit(value).ok_or_else(misfit)?;
        self.scope.set(slot_idx, value);
        Ok(())
    }

    /// Index numbers of the instance.
    #[inline]
    pub fn index(&self) -> &[i64] {
        self.instance.index
    }

    /// Position of the firing rule taken, from 0; -1 for a start node's first execution.
    #[inline]
    pub fn rule(&self) -> i32 {
        self.rule
    }

    /// Which execution this is, from 1.
    #[inline]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Prints a text as whole lines.
    #[inline]
    pub fn print(&mut self, text: impl fmt::Display) {
        self.world().print(&text.to_string());
    }

    /// Sets a named result of the run.
    ///
    /// # Errors
    /// The body did not declare it by [`NativeBody::results`].
    #[inline]
    pub fn result(&mut self, name: &str, value: impl IntoValue) -> BodyResult {
        if !self.template.facts.results.iter().any(|declared| declared == name) {
            return Err(BodyError::UndeclaredResult { name: name.to_owned() }.into());
        }
        self.world().results.push((name.to_owned(), value.into_value()));
        Ok(())
    }

    /// Asks the world outside: the answer is recorded, and a replay gives it without asking. All that a
    /// body learns from outside must come through here.
    ///
    /// # Errors
    /// The error that `ask` returned, or an answer of another type.
    #[inline]
    pub fn effect<T: FromValue, A: IntoAnswer<M>, M>(&mut self, ask: impl FnOnce() -> A) -> BodyOutcome<T> {
        let answer = self.world().native_effect(|| {
            catch_unwind(AssertUnwindSafe(ask))
                .map_err(|panic| format!("an effect panicked: {}", panic_text(&*panic)))?
                .into_answer()
        });
        let value = answer.map_err(|message| BodyError::Effect { message })?;
        Ok(from_value("the answer of an effect", value)?)
    }

    /// A random number within 0..1, from the event's own stream: recorded, and the same in every run
    /// with one seed.
    ///
    /// # Errors
    /// A replay whose record has something else at this place.
    #[inline]
    pub fn random(&mut self) -> BodyOutcome<f64> {
        let answer = self.world().effect(EffectKind::Random, |context| {
            Ok(Value::Real((context.random_bits() >> 11) as f64 / (1_u64 << 53) as f64))
        });
        let value = answer.map_err(|message| BodyError::Effect { message })?;
        Ok(from_value("a random number", value)?)
    }

    /// Ends the body if the run was asked to end; to be asked in long loops.
    ///
    /// # Errors
    /// [`BodyError::Interrupted`], to be handed on by `?`.
    #[inline]
    pub fn check_stop(&self) -> BodyResult {
        if self.template.stop.is_set() { Err(BodyError::Interrupted.into()) } else { Ok(()) }
    }

    /// The context of the event, with its random numbers.
    #[inline]
    fn world(&self) -> MutexGuard<'_, EventContext> {
        if !self.has_asked.replace(true) {
            self.template.announce(self.instance, self.count);
        }
        self.template.effects.lock()
    }

    #[inline]
    fn slot(&self, name: &str) -> BodyOutcome<usize> {
        self.template.names.find(name).map(Entry::slot_idx).ok_or_else(|| unknown(name))
    }
}

/// The node has no such name.
#[cold]
#[inline(never)]
fn unknown(name: &str) -> Box<dyn Error + Send + Sync> {
    BodyError::UnknownName { name: name.to_owned() }.into()
}

/// What a name holds is no value.
#[cold]
fn not_a_value<T: FromValue>(name: &str, found: &str) -> BodyError {
    BodyError::Mismatch {
        name: name.to_owned(),
        mismatch: Mismatch { expected: T::ty().to_string(), found: format!("a {found}") },
    }
}

#[inline]
fn from_value<T: FromValue>(name: &str, value: Value) -> Result<T, BodyError> {
    T::from_value(value).map_err(|mismatch| BodyError::Mismatch { name: name.to_owned(), mismatch })
}

impl Registered {
    /// Code in Rust that is not there, for a program that is not run.
    #[inline]
    pub fn unknown(name: &str) -> Self {
        let missing = |_: &mut BodyContext<'_>| Err("the code in Rust is not there".into());
        Self {
            body: NativeBody::new(name),
            run: Arc::new(missing),
            scalars: Err(Site::Body.because(Cause::RustBody)),
            is_text: true,
            may_wait: true,
            asks: false,
        }
    }

    /// Declarations of the body.
    #[inline]
    pub fn facts(&self) -> &BodyFacts {
        &self.body.facts
    }

    /// Runs the body; `at` is where the program names it.
    #[inline]
    pub fn run(&self, context: &mut BodyContext<'_>, at: Location) -> Result<(), Box<ScriptEnd>> {
        match catch_unwind(AssertUnwindSafe(|| (self.run)(context))) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(Box::new(self.failed(error, at))),
            Err(panic) => Err(Box::new(self.panicked(&*panic, at))),
        }
    }

    /// Runs the body, whose panics are the caller's.
    #[inline(always)]
    pub fn call(&self, context: &mut BodyContext<'_>) -> BodyResult {
        (self.run)(context)
    }

    /// What a panic of the body comes to.
    #[cold]
    pub fn panicked(&self, panic: &(dyn Any + Send), at: Location) -> ScriptEnd {
        let panic = panic_text(panic);
        let message = match self.is_text {
            true => format!("the body panicked: {panic}"),
            false => format!("the native body `{}` panicked: {panic}", self.body.name),
        };
        ScriptEnd::Failed(CodeError { code: "R0001", message, at })
    }

    /// What an error of the body comes to.
    #[cold]
    pub fn failed(&self, error: Box<dyn Error + Send + Sync>, at: Location) -> ScriptEnd {
        let name = &self.body.name;
        let failed = |code, message| ScriptEnd::Failed(CodeError { code, message, at });
        if error.is::<GaveUp>() {
            return ScriptEnd::GaveUp;
        }
        if error.is::<Yielded>() {
            return ScriptEnd::Yielded;
        }
        if let Some(TextFailure { message, at }) = error.downcast_ref::<TextFailure>() {
            return ScriptEnd::Failed(CodeError { code: "R0001", message: message.clone(), at: *at });
        }
        let who = if self.is_text { String::new() } else { format!("native body `{name}`: ") };
        match error.downcast_ref::<BodyError>() {
            Some(BodyError::Interrupted) => ScriptEnd::Interrupted,
            Some(of_context) => failed(of_context.code(), format!("{who}{of_context}")),
            None => {
                let mut message = format!("{who}{error}");
                let mut source = error.source();
                while let Some(inner) = source {
                    message += &format!(": {inner}");
                    source = inner.source();
                }
                failed("R0001", message)
            }
        }
    }
}
