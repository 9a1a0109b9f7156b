//! Expressions over the names of an action, for conditions, prints and assignments at stop points.
//!
//! An expression is compiled once and evaluated where the action is. It is given copies of the names that it mentions
//! and of nothing else, so that it can change nothing.

use rhai::{AST, Dynamic, Engine, Scope};

use crate::body::script;
use crate::effects::SharedContext;
use crate::run::StopSignal;

/// An expression.
#[derive(Clone, Debug)]
pub struct Expression {
    text: String,
    names: Vec<String>,
    ast: AST,
}

/// Why a text is no expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ExpressionError {
    /// Column in the text, in characters from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Expression {
    /// Compiles an expression.
    ///
    /// # Errors
    /// The text is no expression.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        let engine = script::engine(&SharedContext::default(), &StopSignal::default(), &Default::default());
        let text = text.trim_end();
        let ast = engine.compile_expression(text).map_err(|error| ExpressionError {
            column: error.1.position().unwrap_or_else(|| text.chars().count() + 1),
            message: error.0.to_string(),
        })?;
        let mut names: Vec<String> = text
            .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
            .filter(|word| word.starts_with(|first: char| first.is_alphabetic() || first == '_'))
            .map(str::to_owned)
            .collect();
        names.sort_unstable();
        names.dedup();
        Ok(Self { text: text.trim_start().to_owned(), names, ast })
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The names that it may mention, in order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Its value, where `value_of` gives those of the names.
    ///
    /// # Errors
    /// What keeps it from being evaluated, in words.
    pub(crate) fn evaluate(
        &self,
        engine: &Engine,
        mut value_of: impl FnMut(&str) -> Option<Dynamic>,
    ) -> Result<Dynamic, String> {
        let mut scope = Scope::new();
        for name in &self.names {
            if let Some(value) = value_of(name) {
                scope.push_dynamic(name.as_str(), value);
            }
        }
        engine.eval_ast_with_scope::<Dynamic>(&mut scope, &self.ast).map_err(|error| error.to_string())
    }
}
