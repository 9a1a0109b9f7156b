//! Errors of code, at places of the program file.

use hasse_model::diagnostic::Location;
use hasse_model::plan::Script;
use rhai::{Dynamic, Position};

/// An error of a script or of lowered code.
#[derive(Clone, Debug, PartialEq)]
pub struct CodeError {
    /// Stable code: R0001 a body or script failed, R0003 a value does not fit its type, R0004 no arc
    /// takes a value, R0005 a guard, index or bound failed, R0006 a shared name has no object, R0010 the
    /// memory budget is used up, R0011 the sandbox does not grant what was asked for.
    pub code: &'static str,
    /// Message for the user.
    pub message: String,
    /// Location in the program file; its start where the code has no location of its own.
    pub at: Location,
}

impl From<String> for CodeError {
    fn from(message: String) -> Self {
        Self { code: "R0001", message, at: Location::default() }
    }
}

/// Stands in place of a code where nothing is wrong but the run was ended from outside.
pub(super) const INTERRUPTED: &str = "";

impl CodeError {
    /// Returns `true` if the run was ended from outside while the code ran.
    pub fn is_interruption(&self) -> bool {
        self.code == INTERRUPTED
    }

    /// Returns the truth value of a guard.
    ///
    /// # Errors
    /// R0005: the guard is no `bool`.
    pub fn bool_of(held: Dynamic, at: Location) -> Result<bool, Self> {
        held.as_bool().map_err(|found| Self {
            code: "R0005",
            message: format!("a guard is a bool, not a {found}"),
            at,
        })
    }
}

/// Reason why a script did not run to its end.
#[derive(Debug)]
pub enum ScriptEnd {
    /// The script failed.
    Failed(CodeError),
    /// The run was ended from outside.
    Interrupted,
    /// The body waits for an answer: it is to be executed again when the answer has come.
    Waits,
    /// A routine has given up: the interpreter is to execute the text.
    GaveUp,
    /// A routine was interrupted because the batch of its worker is asked for: it is to be run again when that is laid down.
    Yielded,
}

impl From<ScriptEnd> for CodeError {
    fn from(end: ScriptEnd) -> Self {
        match end {
            ScriptEnd::Failed(error) => error,
            ScriptEnd::Interrupted => CodeError { code: INTERRUPTED, ..CodeError::from(String::new()) },
            ScriptEnd::Waits => unreachable!("an event that may wait is put aside"),
            ScriptEnd::GaveUp => unreachable!("the interpreter executes what a routine gives up"),
            ScriptEnd::Yielded => unreachable!("a routine is run again with the batch laid down"),
        }
    }
}

/// The place in the program file of a position in a script.
pub(crate) fn place(script: &Script, position: Position) -> Location {
    let Some(line) = position.line() else { return script.at };
    let column = position.position().unwrap_or(1);
    let line_start: usize = script.text.split_inclusive('\n').take(line - 1).map(str::len).sum();
    let in_line = script.text[line_start..].char_indices().nth(column - 1);
    let offset = line_start + in_line.map_or(0, |(offset, _)| offset);
    let start = script.at.start + offset as u32;
    let first_column = if line == 1 { script.at.column } else { 1 };
    Location {
        start,
        end: start,
        line: script.at.line + line as u32 - 1,
        column: first_column + column as u32 - 1,
    }
}
