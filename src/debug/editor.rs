//! Lines from a person at a terminal: edited, completed, and remembered from session to session.

use std::fs;
use std::io::{self, IsTerminal};
use std::path::PathBuf;

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Editor, ExternalPrinter, Helper};

use super::complete::{self, Known};
use crate::fault::Fault;
use crate::state_folder::state_folder;

/// Most lines that are remembered.
const MOST_LINES: usize = 1000;

/// A line from a person.
pub(super) enum Line {
    Typed(String),
    /// Ctrl-C: what had been typed is given up.
    Interrupted,
    /// Ctrl-D on an empty line.
    End,
}

/// Reads lines from a terminal.
pub(super) struct Prompt {
    editor: Editor<Completing, FileHistory>,
    history: Option<PathBuf>,
}

/// What the editor asks for completions.
struct Completing {
    known: Known,
}

impl Prompt {
    /// A prompt, where a person sits at both ends.
    pub(super) fn of_terminal() -> Result<Option<Self>, Fault> {
        if !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
            return Ok(None);
        }
        let config = Config::builder().completion_type(CompletionType::List).auto_add_history(false);
        let config = config.max_history_size(MOST_LINES).map_err(of_editor)?.build();
        let mut editor = Editor::with_config(config).map_err(of_editor)?;
        editor.set_helper(Some(Completing { known: Known::default() }));
        let history = state_folder()
            .map(|folder| folder.join("history"))
            .filter(|path| path.parent().is_some_and(|folder| fs::create_dir_all(folder).is_ok()));
        if let Some(path) = &history {
            // The first session has none yet.
            let _ = editor.load_history(path);
        }
        Ok(Some(Self { editor, history }))
    }

    /// A printer of lines above the prompt.
    pub(super) fn printer(&mut self) -> Result<impl ExternalPrinter + Send + use<>, Fault> {
        self.editor.create_external_printer().map_err(of_editor)
    }

    /// Reads a line; `known` is what it may be completed with.
    pub(super) fn read(&mut self, prompt: &str, known: Known) -> Result<Line, Fault> {
        if let Some(helper) = self.editor.helper_mut() {
            helper.known = known;
        }
        match self.editor.readline(prompt) {
            Ok(line) => {
                self.remember(&line);
                Ok(Line::Typed(line))
            }
            Err(ReadlineError::Interrupted) => Ok(Line::Interrupted),
            Err(ReadlineError::Eof) => Ok(Line::End),
            Err(error) => Err(of_editor(error)),
        }
    }

    /// Keeps a line at once, so that it outlives a session that does not end in order. A history that cannot be written is
    /// no reason to end one.
    fn remember(&mut self, line: &str) {
        if !line.trim().is_empty()
            && self.editor.add_history_entry(line).unwrap_or(false)
            && let Some(path) = &self.history
        {
            let _ = self.editor.append_history(path);
        }
    }
}

fn of_editor(error: ReadlineError) -> Fault {
    Fault::Stdin(io::Error::other(error))
}

impl Helper for Completing {}
impl Highlighter for Completing {}
impl Hinter for Completing {
    type Hint = String;
}
impl Validator for Completing {}

impl Completer for Completing {
    type Candidate = String;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(complete::complete(line, at, &self.known))
    }
}
