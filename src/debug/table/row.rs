//! A row of the table: everything about a command.

use crate::debug::arguments::Arguments;
use crate::debug::command::Command;
use crate::debug::line::LineError;

/// Everything about a command.
pub(in super::super) struct Row {
    pub(in super::super) name: &'static str,
    /// Other names.
    pub(in super::super) aliases: &'static [&'static str],
    pub(in super::super) subject: Subject,
    /// Whether its output can go to a file.
    pub(in super::super) is_redirectable: bool,
    /// Whether `>` stands for itself in its arguments. Never with `is_redirectable`.
    pub(in super::super) is_text: bool,
    /// Where it is legal; empty: everywhere.
    pub(in super::super) contexts: &'static [Context],
    /// Its arguments.
    pub(in super::super) usage: &'static str,
    /// What it does, in a few words.
    pub(in super::super) meaning: &'static str,
    /// More, with an example.
    pub(in super::super) help: &'static str,
    /// What may be put for each argument; the last entry goes on.
    pub(in super::super) completes: &'static [&'static [Completes]],
    pub(in super::super) parse: fn(&Arguments<'_>) -> Result<Command, LineError>,
}

impl Row {
    /// Name and arguments.
    pub(in super::super) fn synopsis(&self) -> String {
        format!("{} {}", self.name, self.usage).trim_end().to_owned()
    }

    /// What to say, for messages.
    pub(in super::super) fn hint(&self) -> String {
        format!("say `{}`", self.synopsis())
    }

    /// The names of the contexts in which it is legal; empty: everywhere.
    pub(in super::super) fn context_names(&self) -> String {
        self.contexts.iter().map(|context| context.name()).collect::<Vec<_>>().join(", ")
    }
}

/// What a command is about; `help` lists in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Subject {
    Running,
    Time,
    Recording,
    Inspecting,
    Checking,
    Looking,
    Session,
}

impl Subject {
    pub(in super::super) const ALL: [Self; 7] = [
        Self::Running,
        Self::Time,
        Self::Inspecting,
        Self::Recording,
        Self::Checking,
        Self::Looking,
        Self::Session,
    ];

    pub(in super::super) fn title(self) -> &'static str {
        match self {
            Subject::Running => "Running and stopping",
            Subject::Time => "Forwards and backwards in a record",
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
pub(in super::super) enum Context {
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
    pub(in super::super) fn name(self) -> &'static str {
        match self {
            Context::Program => "program",
            Context::Call => "call",
            Context::Action => "action",
            Context::Event => "event",
        }
    }

    /// The name with its article.
    pub(super) fn noun(self) -> &'static str {
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
pub(in super::super) enum Completes {
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

impl std::fmt::Debug for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}
