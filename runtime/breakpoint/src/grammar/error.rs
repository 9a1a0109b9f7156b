//! Errors in the text of a breakpoint.

use hasse_model::quantity::counted;
use hasse_model::record_options::SelectorError;

use crate::expression::error::ExpressionError;

/// Why a text sets no breakpoint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {message}")]
pub struct GrammarError {
    /// Where, in characters from 1, as the text's own first column was given.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub hint: String,
    /// A name that is not known; what there is stands in `known`.
    pub name: Option<String>,
    /// Names that are known in its place, in order: for suggestions.
    pub known: Vec<String>,
}

impl GrammarError {
    pub(crate) fn new(column: usize, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { column, message: message.into(), hint: hint.into(), name: None, known: Vec::new() }
    }

    pub(crate) fn unknown(mut self, name: &str, mut known: Vec<String>) -> Self {
        known.sort_unstable();
        known.dedup();
        self.name = Some(name.to_owned());
        self.known = known;
        self
    }

    /// The error of an expression that begins behind `n_before` characters of the line.
    pub(crate) fn of_expression(error: ExpressionError, n_before: usize) -> Self {
        Self::new(
            n_before + error.column,
            error.message,
            "an expression is such as `count == 3 && Pred(Mult)`",
        )
    }

    /// The error of a selector that begins behind `n_before` characters of the line.
    pub(crate) fn of_selector(error: SelectorError, n_before: usize) -> Self {
        let column = n_before + error.column();
        let hint = error.hint();
        match error {
            SelectorError::Unknown { place, what, name, known, .. } => {
                let hint = format!("it has {}", listing(&known));
                Self::new(column, format!("{place} has no {what} `{name}`"), hint).unknown(&name, known)
            }
            SelectorError::Syntax { problem, .. } => Self::new(column, problem, hint.unwrap_or_default()),
            SelectorError::Arity { ref name, expected, found, .. } => {
                let message =
                    format!("an index of `{name}` has {}, not {found}", counted(expected, "number"));
                Self::new(column, message, hint.unwrap_or_default())
            }
        }
    }
}

/// Names for a hint.
pub(crate) fn listing(names: &[String]) -> String {
    const MOST_NAMES: usize = 12;
    if names.is_empty() {
        return "none".to_owned();
    }
    let shown: Vec<String> = names.iter().take(MOST_NAMES).map(|name| format!("`{name}`")).collect();
    let more = if names.len() > MOST_NAMES { ", ..." } else { "" };
    format!("{}{more}", shown.join(", "))
}
