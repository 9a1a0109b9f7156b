//! The small notations inside strings: types, port keys, arcs, share lines, firing and routing rules.
//!
//! Each parser cuts an [`Excerpt`] into named parts and knows nothing of declarations. What stands in
//! index brackets, bounds, values and guards is Rhai and stays an excerpt here.

use std::ops::Range;

use crate::text::Excerpt;

/// Arcs and share lines.
pub(crate) mod lines;
/// Firing and routing rules.
pub(crate) mod rules;
/// Words and signs.
pub(crate) mod token;
/// Types, port keys and declarations with a default.
pub(crate) mod types;

use token::{Kind, Token, tokens};

/// Why a text cannot be read: where, counted from the start of the excerpt, and what was expected.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) range: Range<usize>,
    pub(crate) message: String,
}

/// Reads tokens one after the other.
struct Cursor<'t> {
    whole: Excerpt<'t>,
    tokens: Vec<Token>,
    next: usize,
}

impl<'t> Cursor<'t> {
    fn new(whole: &Excerpt<'t>) -> Self {
        Self { whole: whole.clone(), tokens: tokens(whole.as_str()), next: 0 }
    }

    fn text_of(&self, token: &Token) -> &'t str {
        &self.whole.as_str()[token.range.clone()]
    }

    fn is_at_end(&self) -> bool {
        self.next >= self.tokens.len()
    }

    /// Whether the next token is this sign or word.
    fn is_at(&self, text: &str) -> bool {
        self.tokens.get(self.next).is_some_and(|token| self.text_of(token) == text)
    }

    fn take(&mut self, text: &str) -> bool {
        let is_there = self.is_at(text);
        self.next += usize::from(is_there);
        is_there
    }

    fn expect(&mut self, text: &str) -> Result<(), Fault> {
        if self.take(text) { Ok(()) } else { Err(self.fault(format!("expected `{text}`"))) }
    }

    fn word(&mut self, what: &str) -> Result<Excerpt<'t>, Fault> {
        match self.tokens.get(self.next) {
            Some(token) if token.kind == Kind::Word => {
                let word = self.whole.part(token.range.clone());
                self.next += 1;
                Ok(word)
            }
            _ => Err(self.fault(format!("expected {what}"))),
        }
    }

    /// `[a][b]` or `[a, b]`; nothing where no bracket stands.
    fn indices(&mut self) -> Result<Vec<Excerpt<'t>>, Fault> {
        let mut indices = Vec::new();
        while let Some(open) = self.tokens.get(self.next).filter(|token| self.text_of(token) == "[") {
            let depth = open.depth;
            let mut start = open.range.end;
            self.next += 1;
            loop {
                let Some(token) = self.tokens.get(self.next).cloned() else {
                    return Err(self.fault("expected `]`".to_owned()));
                };
                self.next += 1;
                let is_close = token.depth == depth && self.text_of(&token) == "]";
                if is_close || (token.depth == depth + 1 && self.text_of(&token) == ",") {
                    let index = self.whole.part(start..token.range.start);
                    if index.as_str().is_empty() {
                        let message = "expected an index number".to_owned();
                        return Err(Fault { range: token.range, message });
                    }
                    indices.push(index);
                    start = token.range.end;
                }
                if is_close {
                    break;
                }
            }
        }
        Ok(indices)
    }

    /// Everything up to the first token outside of all brackets that ends it.
    fn until(&mut self, what: &str, ends: &[&str]) -> Result<Excerpt<'t>, Fault> {
        let first = self.next;
        while let Some(token) = self.tokens.get(self.next) {
            if token.depth == 0 && ends.contains(&self.text_of(token)) {
                break;
            }
            self.next += 1;
        }
        match self.tokens.get(first..self.next) {
            Some([start, .., end]) => Ok(self.whole.part(start.range.start..end.range.end)),
            Some([only]) => Ok(self.whole.part(only.range.clone())),
            _ => Err(self.fault(format!("expected {what}"))),
        }
    }

    fn finish(&self) -> Result<(), Fault> {
        if self.is_at_end() { Ok(()) } else { Err(self.fault("expected nothing more".to_owned())) }
    }

    /// A fault at the next token, or at the end.
    fn fault(&self, message: String) -> Fault {
        let n_bytes = self.whole.as_str().len();
        let range = self.tokens.get(self.next).map_or(n_bytes..n_bytes, |token| token.range.clone());
        Fault { range, message }
    }
}
