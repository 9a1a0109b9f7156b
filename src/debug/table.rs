//! The commands of a session (Hyder 1994, appendix B): what is accepted, where, and what `help`, completion and
//! `docs/commands.md` say of it. A command is a row in [`rows`], a variant of [`Command`], and a method of the session.

/// The rows, by subject.
mod rows;

use super::arguments::Arguments;
use super::command::Command;
use super::line::{self, LineError, Piece, Redirection};
use crate::suggest;

pub(super) use rows::rows;

/// Everything about a command.
pub(super) struct Row {
    pub(super) name: &'static str,
    /// Other names.
    pub(super) aliases: &'static [&'static str],
    pub(super) subject: Subject,
    /// Whether its output can go to a file.
    pub(super) is_redirectable: bool,
    /// Whether `>` stands for itself in its arguments. Never with `is_redirectable`.
    pub(super) is_text: bool,
    /// Where it is legal; empty: everywhere.
    pub(super) contexts: &'static [Context],
    /// Its arguments.
    pub(super) usage: &'static str,
    /// What it does, in a few words.
    pub(super) meaning: &'static str,
    /// More, with an example.
    pub(super) help: &'static str,
    /// What may be put for each argument; the last entry goes on.
    pub(super) completes: &'static [&'static [Completes]],
    pub(super) parse: fn(&Arguments<'_>) -> Result<Command, LineError>,
}

impl Row {
    /// Name and arguments.
    pub(super) fn synopsis(&self) -> String {
        format!("{} {}", self.name, self.usage).trim_end().to_owned()
    }

    /// What to say, for messages.
    pub(super) fn hint(&self) -> String {
        format!("say `{}`", self.synopsis())
    }

    /// The names of the contexts in which it is legal; empty: everywhere.
    pub(super) fn context_names(&self) -> String {
        self.contexts.iter().map(|context| context.name()).collect::<Vec<_>>().join(", ")
    }
}

/// What a command is about; `help` lists in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    Running,
    Recording,
    Inspecting,
    Checking,
    Looking,
    Session,
}

impl Subject {
    pub(super) const ALL: [Self; 6] =
        [Self::Running, Self::Inspecting, Self::Recording, Self::Checking, Self::Looking, Self::Session];

    pub(super) fn title(self) -> &'static str {
        match self {
            Subject::Running => "Running and stopping",
            Subject::Inspecting => "The state of actions",
            Subject::Recording => "What is recorded, shown and kept",
            Subject::Checking => "Checks",
            Subject::Looking => "Scopes, instances, events and names",
            Subject::Session => "The session",
        }
    }
}

/// What kind of thing is selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Context {
    /// The main graph.
    Program,
    /// The graph that a node calls.
    Call,
    /// An instance of a unit of computation.
    Action,
    /// An execution of one.
    Event,
}

impl Context {
    /// The name in messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Context::Program => "program",
            Context::Call => "call",
            Context::Action => "action",
            Context::Event => "event",
        }
    }

    /// The name with its article.
    fn noun(self) -> &'static str {
        match self {
            Context::Program => "the program",
            Context::Call => "a call",
            Context::Action => "an action",
            Context::Event => "an event",
        }
    }
}

/// What may stand for an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Completes {
    /// One of these words.
    Words(&'static [&'static str]),
    /// The name of a command or an alias.
    Command,
    /// The name of an alias.
    Alias,
    /// A file.
    File,
    /// A node, an action or a path.
    Selector,
    /// A scope to select.
    Scope,
    /// A name that is visible in the selected scope.
    Symbol,
}

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

impl std::fmt::Debug for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
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
