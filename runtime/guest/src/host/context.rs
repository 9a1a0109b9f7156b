//! Executions that a body can be called for: those of a run, and scripted ones of tests.

use hasse_model::value::Value;
use hasse_runtime::natives::{BodyContext, BodyError, Mismatch};
use std::error::Error;

/// One execution, as its body sees it; the same functions as those of [`BodyContext`], on any value.
pub(crate) trait HostContext {
    fn get(&self, name: &str) -> Result<Value, AnyError>;
    fn take(&mut self, name: &str) -> Result<Value, AnyError>;
    fn set(&mut self, name: &str, value: Value) -> Result<(), AnyError>;
    fn result(&mut self, name: &str, value: Value) -> Result<(), AnyError>;
    fn is_set(&self, name: &str) -> bool;
    fn index(&self) -> &[i64];
    fn rule(&self) -> i32;
    fn count(&self) -> u64;
    fn print(&mut self, text: &str);
    fn random(&mut self) -> Result<f64, AnyError>;
    fn check_stop(&self) -> Result<(), AnyError>;

    /// The error of a name that holds another value than was asked for.
    fn mismatch(&self, name: &str, expected: &str, found: &str) -> AnyError {
        let mismatch = Mismatch { expected: expected.to_owned(), found: found.to_owned() };
        BodyError::Mismatch { name: name.to_owned(), mismatch }.into()
    }
}

impl HostContext for BodyContext<'_> {
    fn get(&self, name: &str) -> Result<Value, AnyError> {
        self.get(name)
    }

    fn take(&mut self, name: &str) -> Result<Value, AnyError> {
        self.take(name)
    }

    fn set(&mut self, name: &str, value: Value) -> Result<(), AnyError> {
        // Of these the context knows a shorter way than of any value.
        match value {
            Value::Int(number) => self.set(name, number),
            Value::Real(number) => self.set(name, number),
            Value::Bool(flag) => self.set(name, flag),
            other => self.set(name, other),
        }
    }

    fn result(&mut self, name: &str, value: Value) -> Result<(), AnyError> {
        self.result(name, value)
    }

    fn is_set(&self, name: &str) -> bool {
        self.is_set(name)
    }

    fn index(&self) -> &[i64] {
        self.index()
    }

    fn rule(&self) -> i32 {
        self.rule()
    }

    fn count(&self) -> u64 {
        self.count()
    }

    fn print(&mut self, text: &str) {
        self.print(text);
    }

    fn random(&mut self) -> Result<f64, AnyError> {
        self.random()
    }

    fn check_stop(&self) -> Result<(), AnyError> {
        self.check_stop()
    }
}

/// Any error.
pub(crate) type AnyError = Box<dyn Error + Send + Sync>;
