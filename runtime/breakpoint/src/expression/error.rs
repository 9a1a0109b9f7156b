//! Errors in expressions.

/// Why a text is no expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ExpressionError {
    /// Column in the text, in characters from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}
