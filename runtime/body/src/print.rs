//! Text of values, as `print(x)` and `${x}` show them; the same in interpreted and in compiled bodies.

use std::fmt;

use hasse_model::show::{Limits, Shown, in_text};
use hasse_model::value::Value;
use hasse_routine::{EffectSink, Piece};
use rhai::Dynamic;

use crate::builtin::question::Question;
use crate::convert::dynamic_from_value;
use crate::effects::SharedContext;

/// Text of a value that is printed alone: of vectors, matrices, arrays and structs the lines that a session shows.
pub(crate) fn printed(value: &Value) -> String {
    match value {
        Value::Vector(_) | Value::Matrix(_) | Value::Array(_) | Value::Struct(_) => {
            Shown::new(value, &Limits::default()).to_string()
        }
        _ => within_text(value.clone()),
    }
}

/// Text of a value within a text.
fn within_text(value: Value) -> String {
    match value {
        Value::String(text) => text.to_string(),
        Value::Vector(_) | Value::Matrix(_) => in_text(&value),
        // As the interpreter writes numbers.
        value => dynamic_from_value(value).to_string(),
    }
}

/// Text of an array of the interpreter that is printed alone. One that holds what is no value, such as a map, is written as the
/// interpreter writes it.
pub(crate) fn printed_array(array: &mut rhai::Array) -> String {
    let held = Dynamic::from_array(array.clone());
    crate::convert::value_from_dynamic(&held).map_or_else(|_| held.to_string(), |value| printed(&value))
}

/// Sink that puts the lines and results of a compiled body into the context of its event, which answers its questions.
#[derive(Clone, Copy)]
pub struct ContextSink<'a> {
    /// The context.
    pub context: &'a SharedContext,
    /// Questions of the body, by position in its routine; `None` where nobody answers.
    pub questions: &'a [Option<Question>],
    /// True if a restarted body gets the same answers, without asking again.
    pub keeps_answers: bool,
}

impl fmt::Debug for ContextSink<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ContextSink").finish_non_exhaustive()
    }
}

impl EffectSink for ContextSink<'_> {
    fn begin(&mut self) {
        if self.context.is_used() {
            self.context.lock().begin_again();
        }
    }

    fn print(&mut self, pieces: &[Piece<'_>]) -> usize {
        let text = match pieces {
            [Piece::Value(value)] => printed(value),
            pieces => {
                let mut text = String::new();
                for piece in pieces {
                    match piece {
                        Piece::Text(piece) => text.push_str(piece),
                        Piece::Value(value) => text.push_str(&within_text(value.clone())),
                    }
                }
                text
            }
        };
        self.context.lock().print(&text);
        // What a line takes.
        text.len() + 64
    }

    fn set_result(&mut self, name: &str, value: Value) {
        self.context.lock().results.push((name.to_owned(), value));
    }

    #[inline]
    fn ask(&mut self, asked_idx: usize, arguments: &[u64]) -> Option<u64> {
        self.questions.get(asked_idx)?.as_ref()?.ask(self.context, self.keeps_answers, arguments)
    }
}
