//! The commands of a session (Hyder 1994, appendix B): what is accepted, where, and what `help`, completion and
//! `docs/commands.md` say of it. A command is a row in [`rows`], a variant of [`Command`], and a method of the session.

/// A row.
pub(super) mod row;
/// The rows, by subject.
mod rows;

use super::arguments::Arguments;
use super::command::Command;
use super::line::{self, LineError, Piece, Redirection};
use crate::suggest;

use row::{Context, Row};
pub(super) use rows::rows;

/// A command that was read.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) command: Command,
    pub(super) redirection: Option<Redirection>,
    /// Its row's contexts do not hold it back from being read, only from being carried out.
    pub(super) row: &'static Row,
    /// The column of its name.
    pub(super) column: usize,
}

impl Parsed {
    /// Refuses a command where it is not legal.
    pub(super) fn check_context(&self, context: Context) -> Result<(), LineError> {
        let contexts = self.row.contexts;
        if contexts.is_empty() || contexts.contains(&context) {
            return Ok(());
        }
        let message = format!(
            "`{}` is not legal in {}; legal in: {}",
            self.row.name,
            context.noun(),
            self.row.context_names()
        );
        Err(LineError::new(
            self.column,
            message,
            "select another scope with `cd`; `where` shows the present one",
        ))
    }
}

/// The row of a command's name or other name, or of the beginning of one name.
pub(super) fn find(name: &str) -> Option<&'static Row> {
    let exact = rows().find(|row| row.name == name || row.aliases.contains(&name));
    exact.or_else(|| match &begun(name)[..] {
        [row] => Some(row),
        _ => None,
    })
}

/// The rows whose names begin like this.
fn begun(name: &str) -> Vec<&'static Row> {
    if name.is_empty() { Vec::new() } else { rows().filter(|row| row.name.starts_with(name)).collect() }
}

/// Reads one command. `more` are further names that hints may give.
pub(super) fn parse(command: Piece<'_>, more: &[&str]) -> Result<Parsed, LineError> {
    let end = command.text.find(char::is_whitespace).unwrap_or(command.text.len());
    // `status>file`, and `alias(` in a message about its parameters.
    let end = command.text[..end].find(['>', '(']).unwrap_or(end);
    let name = command.slice(0, end);
    let Some(row) = find(name.text) else {
        let known = rows().flat_map(|row| row.aliases.iter().chain([&row.name])).copied();
        let begun: Vec<&str> = begun(name.text).iter().map(|row| row.name).collect();
        if !begun.is_empty() {
            let message = format!("`{}` begins several commands", name.text);
            return Err(LineError::new(name.column, message, format!("say which: {}", begun.join(", "))));
        }
        let hint = suggest::help(name.text, known.chain(more.iter().copied()), "`help` lists all commands");
        return Err(LineError::new(name.column, format!("there is no command `{}`", name.text), hint));
    };
    let (command, redirection) = if row.is_text { (command, None) } else { line::redirection(command)? };
    if let Some(redirection) = redirection.as_ref().filter(|_| !row.is_redirectable) {
        let message = format!("the output of `{}` cannot go to a file", row.name);
        let hint = "`help` marks with > the commands whose output can";
        return Err(LineError::new(redirection.column, message, hint));
    }
    if let Some(column) = command.unclosed().filter(|_| !row.is_text) {
        return Err(LineError::new(column, "this bracket is not closed", row.hint()));
    }
    let rest = command.from(end.min(command.text.len())).trim();
    let words = if row.is_text && row.name != "check" { Vec::new() } else { line::words(rest)? };
    let arguments = Arguments { row, command, rest, words };
    let parsed = (row.parse)(&arguments)?;
    Ok(Parsed { command: parsed, redirection, row, column: name.column })
}

#[cfg(test)]
mod tests;
