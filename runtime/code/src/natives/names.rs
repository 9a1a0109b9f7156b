//! Names that may be registered: what a program can write, and Rhai does not keep for itself.

use hasse_model::name::is_name;
use rhai::Engine;

use crate::natives::error::NativesError;

/// Words that mean something to the language or to Rhai, though they look like names of functions.
const KEPT: [&str; 13] = [
    "type_of",
    "Fn",
    "call",
    "curry",
    "is_shared",
    "is_def_fn",
    "is_def_var",
    "debug",
    "print",
    "eval",
    "sleep",
    "contains",
    "result",
];
/// Names that every execution has.
const OF_EXECUTION: [&str; 7] = ["rule", "count", "NodeIndex", "ExecCnt", "Pred", "in", "out"];

/// Knows what Rhai accepts.
pub(crate) struct Parser(Engine);

impl Parser {
    pub(crate) fn new() -> Self {
        Self(Engine::new_raw())
    }

    /// Whether a program can call a function of that name.
    pub(crate) fn check_function(&self, what: &'static str, name: &str) -> Result<(), NativesError> {
        self.check_word(what, name)?;
        let refuse = |reason| Err(NativesError::Name { what, name: name.to_owned(), reason });
        if KEPT.contains(&name) {
            return refuse("the language keeps that name for itself");
        }
        if self.0.compile_expression(format!("{name}(1)")).is_err() {
            return refuse("it is a word of Rhai");
        }
        Ok(())
    }

    /// Whether a program can write a variable of that name.
    pub(crate) fn check_variable(&self, what: &'static str, name: &str) -> Result<(), NativesError> {
        self.check_word(what, name)?;
        let refuse = |reason| Err(NativesError::Name { what, name: name.to_owned(), reason });
        if OF_EXECUTION.contains(&name) {
            return refuse("the language keeps that name for itself");
        }
        if self.0.compile_expression(format!("{name} + 1")).is_err() {
            return refuse("it is a word of Rhai");
        }
        Ok(())
    }

    /// Whether the name is made of letters, digits and `_`.
    pub(crate) fn check_word(&self, what: &'static str, name: &str) -> Result<(), NativesError> {
        if is_name(name) {
            return Ok(());
        }
        let reason = "names are made of letters, digits and `_`, and begin with a letter";
        Err(NativesError::Name { what, name: name.to_owned(), reason })
    }
}
