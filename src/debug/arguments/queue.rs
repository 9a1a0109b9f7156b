//! Arguments of `queue`: what is to be done with values that wait on an input port.

use super::super::command::{Command, PortName, QueueCommand};
use super::super::line::{self, LineError, Piece, Word};
use super::{Arguments, Parsed};

impl Arguments<'_> {
    /// `[ACTION]`, `drop PORT N`, `set PORT N = EXPR` or `add PORT = EXPR`.
    pub(in super::super) fn queue(&self) -> Parsed<Command> {
        let end = self.rest.find(|_, character| character == '=')?;
        let (before, value) = match end {
            Some(end) => (self.rest.slice(0, end).trim(), Some(self.rest.from(end + 1).trim())),
            None => (self.rest, None),
        };
        let words = line::words(before)?;
        let wrong = |word_idx: usize, message: String| {
            let column = words.get(word_idx).map_or(before.end_column(), |word| word.column);
            LineError::new(column, message, self.row.hint())
        };
        let ends_at = |n_words: usize| match words.get(n_words) {
            Some(word) => Err(wrong(n_words, format!("`{}` is not expected here", word.text))),
            None => Ok(()),
        };
        let port = || {
            let Word { text, column } = words
                .get(1)
                .ok_or_else(|| wrong(1, "an input port is missing, such as `/Mult[3].left`".to_owned()))?;
            Ok(port_name(text, *column))
        };
        let position = || {
            let word = words
                .get(2)
                .ok_or_else(|| wrong(2, "the position of a value is missing: the first is 1".to_owned()))?;
            let number = word.text.parse::<usize>().ok().filter(|number| *number > 0);
            number.ok_or_else(|| {
                wrong(2, format!("`{}` is not the position of a value: the first is 1", word.text))
            })
        };
        let value_of = |usual: &str| match value {
            Some(Piece { text: "", .. }) | None => {
                let column = value.map_or(self.command.end_column(), |value| value.column);
                Err(LineError::new(column, format!("the new value is missing: `{usual}`"), self.row.hint()))
            }
            Some(value) => Ok((value.text.to_owned(), value.column)),
        };
        let no_value = || match value {
            None => Ok(()),
            Some(value) => {
                let column = value.column.saturating_sub(1).max(1);
                Err(LineError::new(column, "no value is expected here", self.row.hint()))
            }
        };
        let command = match words.first().map(|word| word.text.as_str()) {
            Some("drop") => {
                no_value()?;
                let (port, position) = (port()?, position()?);
                ends_at(3)?;
                QueueCommand::Drop { port, position }
            }
            Some("set") => {
                let (port, position) = (port()?, position()?);
                ends_at(3)?;
                let (text, column) = value_of("set PORT N = EXPR")?;
                QueueCommand::Set { port, position, text, column }
            }
            Some("add") => {
                let port = port()?;
                ends_at(2)?;
                let (text, column) = value_of("add PORT = EXPR")?;
                QueueCommand::Add { port, text, column }
            }
            target => {
                no_value()?;
                ends_at(1)?;
                let column = words.first().map_or(self.command.column, |word| word.column);
                QueueCommand::Show { target: target.map(str::to_owned), column }
            }
        };
        Ok(Command::Queue(command))
    }
}

/// A port with the action before its last dot, such as `/Mult[3].left[2]`.
fn port_name(text: &str, column: usize) -> PortName {
    let mut depth = 0_usize;
    let mut dot = None;
    for (at, character) in text.char_indices() {
        match character {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            '.' if depth == 0 => dot = Some(at),
            _ => {}
        }
    }
    // `..` leads out of a scope, and belongs to no port.
    let dot = dot.filter(|&at| !text[at + 1..].contains('/'));
    match dot {
        Some(at) => PortName { action: Some(text[..at].to_owned()), port: text[at + 1..].to_owned(), column },
        None => PortName { action: None, port: text.to_owned(), column },
    }
}
