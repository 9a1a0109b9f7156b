//! Diagnostics: what is wrong with a user's program, said with a stable code, a place and a hint.

use std::fmt;

/// A place in the text of a program file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// Byte offset of the first byte.
    pub start: u32,
    /// Byte offset behind the last byte; equal to `start` for a point.
    pub end: u32,
    /// Line of the first byte, from 1.
    pub line: u32,
    /// Column of the first byte in characters, from 1.
    pub column: u32,
}

/// How bad a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The program cannot be run.
    Error,
    /// The program can be run, but probably not as meant.
    Warning,
}

/// A place that a diagnostic points at, with what is to be said there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub at: Location,
    /// What, in a few words; may be empty.
    pub text: String,
}

/// One finding about the text of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable code, such as `E0101`.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// One sentence in the user's terms.
    pub message: String,
    /// Places; the first is the main one. Empty only where the whole file is meant.
    pub labels: Vec<Label>,
    /// What to do about it, where that is known.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at one place.
    pub fn error(
        code: &'static str,
        message: impl Into<String>,
        at: Location,
        label: impl Into<String>,
    ) -> Self {
        Self {
            code,
            severity: Severity::Error,
            message: message.into(),
            labels: vec![Label { at, text: label.into() }],
            help: None,
        }
    }

    /// The same diagnostic as a warning.
    #[must_use]
    pub fn as_warning(mut self) -> Self {
        self.severity = Severity::Warning;
        self
    }

    /// The same diagnostic with a hint.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same diagnostic with one more place.
    #[must_use]
    pub fn with_label(mut self, at: Location, text: impl Into<String>) -> Self {
        self.labels.push(Label { at, text: text.into() });
        self
    }

    /// The main place; the start of the file where the diagnostic has none.
    pub fn at(&self) -> Location {
        self.labels.first().map_or(Location { start: 0, end: 0, line: 1, column: 1 }, |label| label.at)
    }
}

/// Writes `E0101 at 3:7: message`.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.at();
        write!(f, "{} at {}:{}: {}", self.code, at.line, at.column, self.message)
    }
}
