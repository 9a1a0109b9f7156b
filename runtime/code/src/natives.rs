//! Functions, effects and bodies of nodes that a user of the library writes in Rust.
//!
//! A [`Natives`](crate::natives::Natives) is filled before a program is compiled: the compiler learns from
//! [`Natives::functions`](crate::natives::Natives::functions) what there is, and the run calls it. What stands here is typed at its
//! edges by [`FromValue`](hasse_body::natives::FromValue) and
//! [`IntoValue`](hasse_body::natives::IntoValue); an argument that does not fit, an error and a panic are
//! errors of the event.

/// Errors of registration, and ends of bodies that are no errors of events.
pub(crate) mod error;
/// Bodies that are functions.
pub(crate) mod function_body;
/// Names that may be registered.
pub(crate) mod names;
/// Bodies of nodes.
pub mod node;
/// The registry of functions, effects and bodies.
pub mod registry;
/// Functions of scalars, called for many executions in one loop.
pub mod scalars;
/// Where values stand.
pub mod scope;
/// Bodies whose texts stand in program files.
pub(crate) mod text;

pub use crate::natives::error::{NativesError, TextFailure};
pub use crate::natives::function_body::{BodyFunction, Given};
pub use crate::natives::node::{BodyContext, BodyError, BodyOutcome, BodyResult, NativeBody};
pub use crate::natives::registry::Natives;
#[doc(hidden)]
pub use crate::natives::scalars::{FunctionNames, ScalarFailure, ScalarTable};
pub use crate::natives::text::{PanicPlace, keep_panic_places};
pub use hasse_body::natives::{FromValue, IntoAnswer, IntoValue, Mismatch, NativeFunction, Plain, Tried};
