//! Bodies of nodes in Rust: what they declare, and what they see of the execution.

use std::error::Error;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use hasse_model::diagnostic::Location;
use hasse_model::event::EffectKind;
use hasse_model::function::BodyFacts;
use hasse_model::id::SlotId;
use hasse_model::plan::{Access, SlotKind, Template};
use hasse_model::value::{Type, Value};
use rhai::Dynamic;

use super::names::Parser;
use super::value::{FromValue, IntoAnswer, IntoValue, Mismatch};
use super::{NativesError, panic_text};
use crate::body::convert::{dynamic_from_value, value_from_dynamic};
use crate::body::script::{CodeError, ScriptEnd};
use crate::effects::SharedContext;
use crate::frame::Frame;
use crate::run::StopSignal;

/// What a body gives back: nothing, or any error; `?` works on all of them.
pub type BodyResult = Result<(), Box<dyn Error + Send + Sync>>;

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
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn facts(&self) -> &BodyFacts {
        &self.facts
    }

    pub(super) fn check_names(&self, parser: &Parser) -> Result<(), NativesError> {
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
pub(crate) struct Registered {
    pub(super) body: NativeBody,
    pub(super) run: Box<dyn Fn(&mut BodyContext<'_>) -> BodyResult + Send + Sync>,
}

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
    pub(crate) frame: &'e mut Frame,
    pub(crate) template: &'e Template,
    pub(crate) index: &'e [i64],
    pub(crate) rule: i32,
    pub(crate) count: u64,
    pub(crate) effects: &'e SharedContext,
    pub(crate) stop: &'e StopSignal,
    pub(crate) facts: &'e BodyFacts,
}

/// Writes which execution it is.
impl fmt::Debug for BodyContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BodyContext")
            .field("node", &self.template.name)
            .field("index", &self.index)
            .field("count", &self.count)
            .finish_non_exhaustive()
    }
}

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

impl BodyContext<'_> {
    /// The value of a name. A vector, matrix or bytes asked for as `Arc` is not copied.
    ///
    /// # Errors
    /// The node has no such name, or it holds a value of another type; `Option<T>` is `None` where
    /// the firing rule taken does not bind the name.
    pub fn get<T: FromValue>(&self, name: &str) -> Outcome<T> {
        let slot_idx = self.slot(name)?;
        let value = held_value(name, T::ty(), self.frame.get(SlotId::from_idx(slot_idx)))?;
        Ok(from_value(name, value)?)
    }

    /// Takes the value of a name, so that it can be changed without a copy. A var or an object that was
    /// taken must be set again. Creation parameters and index names stay.
    ///
    /// # Errors
    /// As for [`get`](Self::get).
    pub fn take<T: FromValue>(&mut self, name: &str) -> Outcome<T> {
        let slot_idx = self.slot(name)?;
        if !matches!(
            self.template.slots[slot_idx].kind,
            SlotKind::Var | SlotKind::Shared | SlotKind::Bound | SlotKind::Let
        ) {
            return self.get(name);
        }
        let held = self.frame.take(slot_idx);
        let value = held_value(name, T::ty(), &held)?;
        // The interpreter's handle goes first: the value is then the only one.
        drop(held);
        Ok(from_value(name, value)?)
    }

    /// Whether a name holds a value: a bound name of the rule taken does, that of another rule does not.
    pub fn is_set(&self, name: &str) -> bool {
        self.slot(name).is_ok_and(|slot_idx| !self.frame.get(SlotId::from_idx(slot_idx)).is_unit())
    }

    /// Sets a var, a shared object that is declared as `write`, or a name declared by
    /// [`NativeBody::lets`].
    ///
    /// # Errors
    /// The name is another one, or of a type that the value does not fit.
    pub fn set(&mut self, name: &str, value: impl IntoValue) -> BodyResult {
        let slot_idx = self.slot(name)?;
        let slot = &self.template.slots[slot_idx];
        let what = match slot.kind {
            SlotKind::Var | SlotKind::Let => None,
            SlotKind::Shared => {
                let nth = slot_idx - self.template.slots_of(SlotKind::Shared).start;
                let is_reader = self.template.shared[nth].access == Access::Read;
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
        let value = value.into_value();
        let found = match &value {
            Value::Unit => "nothing".to_owned(),
            other => format!("the {} {other}", other.type_name()),
        };
        let misfit = || BodyError::DoesNotFit { name: name.to_owned(), ty: slot.ty.clone(), found };
        let value = slot.ty.admit(value).ok_or_else(misfit)?;
        self.frame.set(slot_idx, dynamic_from_value(value));
        Ok(())
    }

    /// Index numbers of the instance.
    pub fn index(&self) -> &[i64] {
        self.index
    }

    /// Position of the firing rule taken, from 0; -1 for a start node's first execution.
    pub fn rule(&self) -> i32 {
        self.rule
    }

    /// Which execution this is, from 1.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Prints a text as whole lines.
    pub fn print(&mut self, text: impl fmt::Display) {
        self.effects.lock().lines.extend(text.to_string().split('\n').map(str::to_owned));
    }

    /// Sets a named result of the run.
    ///
    /// # Errors
    /// The body did not declare it by [`NativeBody::results`].
    pub fn result(&mut self, name: &str, value: impl IntoValue) -> BodyResult {
        if !self.facts.results.iter().any(|declared| declared == name) {
            return Err(BodyError::UndeclaredResult { name: name.to_owned() }.into());
        }
        self.effects.lock().results.push((name.to_owned(), value.into_value()));
        Ok(())
    }

    /// Asks the world outside: the answer is recorded, and a replay gives it without asking. All that a
    /// body learns from outside must come through here.
    ///
    /// # Errors
    /// The error that `ask` returned, or an answer of another type.
    pub fn effect<T: FromValue, A: IntoAnswer<M>, M>(&mut self, ask: impl FnOnce() -> A) -> Outcome<T> {
        let answer = self.effects.lock().effect(EffectKind::Native, |_| {
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
    pub fn random(&mut self) -> Outcome<f64> {
        let answer = self.effects.lock().effect(EffectKind::Random, |context| {
            Ok(Value::Real((context.random_bits() >> 11) as f64 / (1_u64 << 53) as f64))
        });
        let value = answer.map_err(|message| BodyError::Effect { message })?;
        Ok(from_value("a random number", value)?)
    }

    /// Ends the body if the run was asked to end; to be asked in long loops.
    ///
    /// # Errors
    /// [`BodyError::Interrupted`], to be handed on by `?`.
    pub fn check_stop(&self) -> BodyResult {
        if self.stop.is_set() { Err(BodyError::Interrupted.into()) } else { Ok(()) }
    }

    fn slot(&self, name: &str) -> Result<usize, BodyError> {
        let slot_idx = self.template.slots.iter().position(|slot| slot.name == name);
        slot_idx.ok_or_else(|| BodyError::UnknownName { name: name.to_owned() })
    }
}

fn held_value(name: &str, expected: Type, held: &Dynamic) -> Result<Value, BodyError> {
    value_from_dynamic(held).map_err(|found| BodyError::Mismatch {
        name: name.to_owned(),
        mismatch: Mismatch { expected: expected.to_string(), found: format!("a {found}") },
    })
}

fn from_value<T: FromValue>(name: &str, value: Value) -> Result<T, BodyError> {
    T::from_value(value).map_err(|mismatch| BodyError::Mismatch { name: name.to_owned(), mismatch })
}

impl Registered {
    pub(crate) fn facts(&self) -> &BodyFacts {
        &self.body.facts
    }

    /// Runs the body; `at` is where the program names it.
    pub(crate) fn run(&self, mut context: BodyContext<'_>, at: Location) -> Result<(), ScriptEnd> {
        let failed = |code, message| Err(ScriptEnd::Failed(CodeError { code, message, at }));
        let name = &self.body.name;
        let error = match catch_unwind(AssertUnwindSafe(|| (self.run)(&mut context))) {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(error)) => error,
            Err(panic) => {
                let text = panic_text(&*panic);
                return failed("R0001", format!("the native body `{name}` panicked: {text}"));
            }
        };
        match error.downcast_ref::<BodyError>() {
            Some(BodyError::Interrupted) => Err(ScriptEnd::Interrupted),
            Some(of_context) => failed(of_context.code(), format!("native body `{name}`: {of_context}")),
            None => {
                let mut message = format!("native body `{name}`: {error}");
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
