use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::panic::Location;

use hasse_model::value::Value;
use hasse_runtime::natives::BodyError;

use crate::hasse::{Body, BodyContext, BodyResult, HostTable, run_body};
use crate::host::{AnyError, CallError, HostContext, call};

/// An execution that needs no run. The name `panic` panics, and `locked` cannot be set.
#[derive(Debug, Default)]
pub(super) struct Scripted {
    pub(super) names: BTreeMap<String, Value>,
    pub(super) results: Vec<(String, Value)>,
    pub(super) lines: Vec<String>,
    pub(super) index: Vec<i64>,
    pub(super) is_stopped: bool,
}

impl Scripted {
    pub(super) fn with(name: &str, value: Value) -> Self {
        Self { names: BTreeMap::from([(name.to_owned(), value)]), ..Self::default() }
    }

    /// Runs a body that stands in the file of the caller.
    #[track_caller]
    pub(super) fn run(&mut self, body: fn(&mut BodyContext<'_>) -> BodyResult) -> Result<(), CallError> {
        self.run_nth(0, body)
    }

    #[track_caller]
    pub(super) fn run_nth(
        &mut self,
        nth: usize,
        body: fn(&mut BodyContext<'_>) -> BodyResult,
    ) -> Result<(), CallError> {
        BODY.set((body, Location::caller().file()));
        // SAFETY: the entry is one of this version.
        unsafe { call(entry, nth, self) }
    }
}

thread_local! {
    static BODY: Cell<(Body, &'static str)> = const { Cell::new((|_| Ok(()), "")) };
}

/// What `export!` defines, for one body.
unsafe extern "C" fn entry(nth: usize, table: *const HostTable, host: *mut c_void) -> u32 {
    let (body, file) = BODY.get();
    // SAFETY: the caller's promise.
    unsafe { run_body(&[body], file, nth, table, host) }
}

impl HostContext for Scripted {
    fn get(&self, name: &str) -> Result<Value, AnyError> {
        assert_ne!(name, "panic", "no such luck");
        let unknown = || BodyError::UnknownName { name: name.to_owned() };
        Ok(self.names.get(name).cloned().ok_or_else(unknown)?)
    }

    fn take(&mut self, name: &str) -> Result<Value, AnyError> {
        let value = self.get(name)?;
        self.names.insert(name.to_owned(), Value::Unit);
        Ok(value)
    }

    fn set(&mut self, name: &str, value: Value) -> Result<(), AnyError> {
        if name == "locked" {
            return Err(BodyError::ReadOnly { name: name.to_owned(), what: "an index name" }.into());
        }
        self.names.insert(name.to_owned(), value);
        Ok(())
    }

    fn result(&mut self, name: &str, value: Value) -> Result<(), AnyError> {
        self.results.push((name.to_owned(), value));
        Ok(())
    }

    fn is_set(&self, name: &str) -> bool {
        assert_ne!(name, "panic", "no such luck");
        self.names.contains_key(name)
    }

    fn index(&self) -> &[i64] {
        &self.index
    }

    fn rule(&self) -> i32 {
        2
    }

    fn count(&self) -> u64 {
        7
    }

    fn print(&mut self, text: &str) {
        assert_ne!(text, "panic", "no such luck");
        self.lines.push(text.to_owned());
    }

    fn random(&mut self) -> Result<f64, AnyError> {
        Ok(0.25)
    }

    fn check_stop(&self) -> Result<(), AnyError> {
        if self.is_stopped { Err(BodyError::Interrupted.into()) } else { Ok(()) }
    }
}
