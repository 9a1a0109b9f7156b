//! The sink of a compiled body: its lines, results and questions go into the context of its event.

use std::fmt;

use hasse_model::value::Value;
use hasse_routine::{EffectSink, Piece};

use crate::builtin::question::Question;
use crate::effects::SharedContext;
use crate::print_text::{printed, within_text};

/// Sink that puts the lines and results of a compiled body into the context of its event, which answers its questions.
#[derive(Clone, Copy)]
pub struct ContextSink<'a> {
    /// The context.
    pub context: &'a SharedContext,
    /// Questions of the body, by position in its routine; `None` where nobody answers.
    pub questions: &'a [Option<Question>],
    /// True if a restarted body gets the same answers, without asking again.
    pub keeps_answers: bool,
    /// Announces the event before its first effect; `None` where that has been done.
    pub announce: Option<&'a dyn Fn()>,
}

impl ContextSink<'_> {
    /// The context, of the event that is under way.
    #[inline]
    fn of_event(&mut self) -> &SharedContext {
        if let Some(announce) = self.announce.take() {
            announce();
        }
        self.context
    }

    /// Returns true if the event has had an effect.
    #[inline]
    pub fn is_used(&self) -> bool {
        self.announce.is_none() && self.context.is_used()
    }
}

impl fmt::Debug for ContextSink<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ContextSink").finish_non_exhaustive()
    }
}

impl EffectSink for ContextSink<'_> {
    fn begin(&mut self, _: usize) {
        if self.is_used() {
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
        self.of_event().lock().print(&text);
        // What a line takes.
        text.len() + 64
    }

    fn set_result(&mut self, name: &str, value: Value) {
        self.of_event().lock().results.push((name.to_owned(), value));
    }

    #[inline]
    fn ask(&mut self, _: usize, asked_idx: usize, arguments: &[u64]) -> Option<u64> {
        self.of_event();
        self.questions.get(asked_idx)?.as_ref()?.ask(self.context, self.keeps_answers, arguments)
    }
}
