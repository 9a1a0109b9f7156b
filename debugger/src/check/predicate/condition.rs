//! Conditions on the attributes of events, in Rhai.
//!
//! `m.count` and its like are found by words and handed to the interpreter as variables (`m_count`), so that it is
//! told of the attributes that a condition names and of no others. A name has as many characters as what it
//! stands for, so that what the interpreter says of a place is true of the text.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rhai::{AST, Dynamic, EvalAltResult, ParseErrorType, Scope};

use super::attribute::{self, Attribute};
use super::relation::VarId;
use super::token::{Kind, Token};
use crate::check::interpreter::ENGINE;
use crate::check::resolve::nearest;
use crate::check::spec::{ParseError, error_at};

/// A condition as it stands in a predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::check) struct Condition {
    /// As it was written.
    pub(super) text: String,
    /// With a variable in place of each attribute.
    script: String,
    /// What the variables stand for.
    pub(super) inputs: Vec<Input>,
}

/// An attribute that a condition names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Input {
    /// The variable in its place.
    name: String,
    /// As it was written.
    pub(super) text: String,
    pub(super) var: VarId,
    pub(super) attribute: Attribute,
    /// Column of its first character in the command, from 1.
    pub(super) column: usize,
}

/// A condition that can be evaluated.
#[derive(Clone, Debug)]
pub(super) struct Ready {
    text: String,
    ast: AST,
    inputs: Vec<Input>,
}

impl Condition {
    /// Reads the condition that consists of these tokens, at least one; `scope` are the event variables.
    pub(super) fn read(
        chars: &[char],
        tokens: &[Token],
        scope: &[(String, VarId)],
    ) -> Result<Self, ParseError> {
        let (start, end) = (tokens[0].start, tokens[tokens.len() - 1].end);
        let mut script: Vec<char> = chars[start..end].to_vec();
        script.iter_mut().filter(|next| next.is_whitespace()).for_each(|next| *next = ' ');
        let mut inputs: Vec<Input> = Vec::new();
        let mut token_idx = 0;
        while token_idx < tokens.len() {
            let token = &tokens[token_idx];
            if token.is("=") {
                let hint = "compare with `==`";
                return Err(error_at(token.start, "`=` would set something".to_owned(), hint));
            }
            let is_member = token_idx > 0 && matches!(tokens[token_idx - 1].text.as_str(), "." | "?.");
            let known = scope.iter().rev().find(|(name, _)| *name == token.text);
            let (Some((_, var)), Kind::Word, false) = (known, token.kind, is_member) else {
                token_idx += 1;
                continue;
            };
            let (attribute, n_tokens) = attribute::read(&tokens[token_idx..])?;
            let last = &tokens[token_idx + n_tokens - 1];
            let place = &mut script[token.start - start..last.end - start];
            place.iter_mut().filter(|next| !next.is_alphanumeric()).for_each(|next| *next = '_');
            let name: String = place.iter().collect();
            let text: String = chars[token.start..last.end].iter().collect();
            match inputs.iter().find(|input| input.name == name) {
                Some(input) if (input.var, &input.attribute) != (*var, &attribute) => {
                    let message = format!("`{text}` cannot be told from `{}`", input.text);
                    return Err(error_at(token.start, message, "give one of the variables another name"));
                }
                Some(_) => {}
                None => inputs.push(Input { name, text, var: *var, attribute, column: token.start + 1 }),
            }
            token_idx += n_tokens;
        }
        let text: String = chars[start..end].iter().collect();
        let condition = Self { text, script: script.into_iter().collect(), inputs };
        // Some malformed chains reach `unreachable!` in the interpreter's parser, which keeps no state of a parse.
        match catch_unwind(AssertUnwindSafe(|| condition.compile())) {
            Ok(Ok(_)) => Ok(condition),
            Ok(Err(error)) => Err(condition.explained(&error, start, scope)),
            Err(_) => {
                let hint = "conditions are Rhai expressions, such as `m.index % 2 == 0`";
                Err(error_at(start, "this is no condition".to_owned(), hint))
            }
        }
    }

    fn compile(&self) -> Result<AST, rhai::ParseError> {
        let mut scope = Scope::new();
        for input in &self.inputs {
            scope.push_dynamic(input.name.as_str(), Dynamic::UNIT);
        }
        ENGINE.compile_expression_with_scope(&scope, &self.script)
    }

    /// Makes it ready to be evaluated.
    ///
    /// # Panics
    /// Not for a condition that was read.
    pub(super) fn ready(&self) -> Ready {
        let ast = self.compile().expect("a condition compiled when it was read");
        Ready { text: self.text.clone(), ast, inputs: self.inputs.clone() }
    }

    fn explained(&self, error: &rhai::ParseError, start: usize, scope: &[(String, VarId)]) -> ParseError {
        let column = error.position().position().map_or(start, |position| start + position - 1);
        let names = scope.iter().map(|(name, _)| name.as_str());
        match error.err_type() {
            ParseErrorType::VariableUndefined(name) => unknown_variable(name, column, names),
            kind => {
                let hint = "conditions are Rhai expressions, such as `m.index % 2 == 0`";
                error_at(column, format!("this is no condition: {kind}"), hint)
            }
        }
    }
}

/// The error that a name stands for no event.
pub(super) fn unknown_variable<'n>(
    name: &str,
    at: usize,
    known: impl Iterator<Item = &'n str> + Clone,
) -> ParseError {
    let hint = match nearest(name, known.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            let known: Vec<String> = known.map(|name| format!("`{name}`")).collect();
            format!("events have names by `forall m: Mult`; here there are {}", known.join(", "))
        }
    };
    error_at(at, format!("there is no event variable `{name}`"), &hint)
}

impl Ready {
    /// Whether it is true of what the attributes are.
    ///
    /// # Errors
    /// Where an attribute is not there, the interpreter fails, or the result is no truth value.
    pub(super) fn holds(
        &self,
        value: impl Fn(VarId, &Attribute) -> Result<Dynamic, String>,
    ) -> Result<bool, String> {
        let mut scope = Scope::new();
        for input in &self.inputs {
            scope.push_dynamic(input.name.as_str(), value(input.var, &input.attribute)?);
        }
        let found = ENGINE.eval_ast_with_scope::<Dynamic>(&mut scope, &self.ast);
        let found = found.map_err(|error| self.in_words(&error))?;
        found.as_bool().map_err(|found| {
            let found = match found {
                "i64" => "int",
                "f64" => "real",
                other => other,
            };
            format!("`{}` gives a value of type {found}, not true or false", self.text)
        })
    }

    /// What the interpreter says, with attributes under the names that they were written with.
    fn in_words(&self, error: &EvalAltResult) -> String {
        let message = error.unwrap_inner().to_string();
        let message = message.split(" (line").next().unwrap_or_default().to_owned();
        let mut names: Vec<&Input> = self.inputs.iter().collect();
        names.sort_by_key(|input| std::cmp::Reverse(input.name.len()));
        let message = names.iter().fold(message, |message, input| message.replace(&input.name, &input.text));
        format!("`{}` cannot be evaluated: {message}", self.text)
    }
}
