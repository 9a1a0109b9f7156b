//! Errors of registration, and ends of bodies that are no errors of events.

use std::error::Error;
use std::fmt;

use hasse_model::diagnostic::Location;

/// What is wrong with what was registered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NativesError {
    /// A name that a program could not write.
    #[error("{what} cannot be named `{name}`: {reason}")]
    Name {
        /// What was to be named.
        what: &'static str,
        /// The name.
        name: String,
        /// Why not.
        reason: &'static str,
    },
    /// A function of the library has the name and the number of arguments.
    #[error("the library has a function `{name}` with {n_arguments} arguments already")]
    OfLibrary {
        /// The name.
        name: String,
        /// The number of arguments.
        n_arguments: usize,
    },
    /// Two functions with one name and one number of arguments.
    #[error("the function `{name}` with {n_arguments} arguments is registered twice")]
    FunctionTwice {
        /// The name.
        name: String,
        /// The number of arguments.
        n_arguments: usize,
    },
    /// A name that stands for a function and for an effect.
    #[error("`{name}` is registered as a function and as an effect")]
    FunctionAndEffect {
        /// The name.
        name: String,
    },
    /// Two bodies with one name.
    #[error("the native body `{name}` is registered twice")]
    BodyTwice {
        /// The name.
        name: String,
    },
    /// A body function with more or fewer names than it has arguments, or gives values.
    #[error("the native body `{body}` names {n_names} of what it {verb}, and its function has {n_values}")]
    NameCount {
        /// The body.
        body: String,
        /// `takes` or `gives`.
        verb: &'static str,
        /// Number of its arguments, or of the values that it gives.
        n_values: usize,
        /// Number of names.
        n_names: usize,
    },
    /// A body that declares one name twice.
    #[error("the native body `{body}` declares `{name}` twice")]
    NameTwice {
        /// The body.
        body: String,
        /// The name.
        name: String,
    },
}

/// A body failed at a place of the program file that is known.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct TextFailure {
    /// What went wrong.
    pub message: String,
    /// Where.
    pub at: Location,
}

/// A routine has given up: the interpreter is to execute the text.
#[derive(Debug)]
pub(crate) struct GaveUp;

impl fmt::Display for GaveUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the interpreter is to execute the text")
    }
}

impl Error for GaveUp {}

/// A routine was interrupted because the batch of its worker is asked for. It has changed nothing, and is to be run again when
/// the batch has been laid down.
#[derive(Debug)]
pub(crate) struct Yielded;

impl fmt::Display for Yielded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the batch of the worker is asked for")
    }
}

impl Error for Yielded {}
