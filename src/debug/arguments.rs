//! What stands behind a command's name, and how it is read.

use hasse_debugger::facility::View;
use hasse_model::record_options::RecordOption;

use super::command::{Command, FileName, Kind, Mode, Output, Save, Symbol};
use super::line::{LineError, Piece, Word};
use super::table::row::Row;
use crate::facilities;
use crate::fault::Fault;

/// Those of questions about events.
mod events;
/// Those of moves in time.
mod moments;
/// Those of queues.
mod queue;
/// Those of breakpoints.
mod stops;

/// The arguments of a command.
pub(super) struct Arguments<'l> {
    pub(super) row: &'static Row,
    /// The whole command, its name included.
    pub(super) command: Piece<'l>,
    /// What stands behind the name, as it was written.
    pub(super) rest: Piece<'l>,
    pub(super) words: Vec<Word>,
}

type Parsed<T> = Result<T, LineError>;

impl Arguments<'_> {
    /// The text of a word.
    pub(super) fn word(&self, word_idx: usize) -> Option<&str> {
        self.words.get(word_idx).map(|word| word.text.as_str())
    }

    /// All words, taken apart at commas.
    pub(super) fn texts(&self) -> Parsed<Vec<String>> {
        self.texts_from(0)
    }

    fn texts_from(&self, word_idx: usize) -> Parsed<Vec<String>> {
        let mut texts = Vec::new();
        for word in &self.words[word_idx.min(self.words.len())..] {
            let parts = Piece { text: &word.text, column: word.column }.split(',')?;
            texts.extend(parts.iter().map(|part| part.text.to_owned()).filter(|text| !text.is_empty()));
        }
        Ok(texts)
    }

    /// An error at a word, or at the end of the command.
    pub(super) fn wrong(&self, word_idx: usize, message: impl Into<String>) -> LineError {
        let column = self.words.get(word_idx).map_or(self.command.end_column(), |word| word.column);
        LineError::new(column, message, self.row.hint())
    }

    /// The error that a word is not expected, or that one is missing.
    pub(super) fn unexpected(&self, word_idx: usize) -> LineError {
        match self.word(word_idx) {
            Some(word) => self.wrong(word_idx, format!("`{word}` is not expected here")),
            None => self.wrong(word_idx, "something is missing"),
        }
    }

    /// Refuses more than so many words.
    pub(super) fn ends_at(&self, n_words: usize) -> Parsed<()> {
        if self.words.len() > n_words { Err(self.unexpected(n_words)) } else { Ok(()) }
    }

    /// A command without arguments.
    pub(super) fn plain(&self, command: Command) -> Parsed<Command> {
        self.ends_at(0).map(|()| command)
    }

    /// The only word.
    pub(super) fn one(&self, what: &str) -> Parsed<&str> {
        self.ends_at(1)?;
        self.word(0).ok_or_else(|| self.wrong(0, format!("{what} is missing")))
    }

    /// The only word, if there is one, with its column.
    pub(super) fn optional(&self) -> Parsed<Option<(String, usize)>> {
        self.ends_at(1)?;
        Ok(self.words.first().map(|word| (word.text.clone(), word.column)))
    }

    /// A name to be looked up.
    pub(super) fn symbol(&self) -> Parsed<Symbol> {
        let name = self.one("a name")?.to_owned();
        Ok(Symbol { name, column: self.words[0].column })
    }

    /// A name to be looked up, if there is one.
    pub(super) fn optional_symbol(&self) -> Parsed<Option<Symbol>> {
        Ok(self.optional()?.map(|(name, column)| Symbol { name, column }))
    }

    pub(super) fn mode(&self) -> Parsed<Option<Mode>> {
        let name = match (self.word(0), self.word(1)) {
            (None, _) => return Ok(None),
            (Some("record"), None) => "record full".to_owned(),
            (Some(word), None) => word.to_owned(),
            (Some(word), Some(next)) => format!("{word} {next}"),
        };
        let known = Mode::NAMES.iter().find(|(known, _)| *known == name);
        let begins = |word: &str| Mode::NAMES.iter().any(|(known, _)| known.split(' ').next() == Some(word));
        let wrong_idx = usize::from(self.word(0).is_some_and(begins));
        let (_, mode) = known.ok_or_else(|| self.unexpected(wrong_idx))?;
        self.ends_at(2)?;
        Ok(Some(*mode))
    }

    pub(super) fn record_option(&self) -> Parsed<Command> {
        let Some(first) = self.word(0) else { return Ok(Command::RecordOptions) };
        if let (Some(option), None) = (RecordOption::of_name(first), self.word(1)) {
            return Ok(Command::RecordOption { selector: None, option });
        }
        let option = self.word(1).and_then(RecordOption::of_name).ok_or_else(|| self.unexpected(1))?;
        self.ends_at(2)?;
        Ok(Command::RecordOption { selector: Some(first.to_owned()), option })
    }

    pub(super) fn check(&self) -> Parsed<Command> {
        if self.word(0) == Some("model") {
            self.ends_at(2)?;
            let path = self.word(1).ok_or_else(|| self.wrong(1, "the name of a file is missing"))?;
            return Ok(Command::Model { path: path.to_owned() });
        }
        let before = self.command.column - 1;
        let check = facilities::parse_check(self.command.text).map_err(|fault| match fault {
            Fault::BadCheck { source, .. } => {
                let column = (before + source.column).min(self.command.end_column());
                LineError::new(column, source.message, source.hint)
            }
            fault => self.wrong(0, fault.to_string()),
        })?;
        Ok(Command::Check(check))
    }

    pub(super) fn switch(&self) -> Parsed<bool> {
        self.ends_at(1)?;
        match self.word(0) {
            None | Some("on") => Ok(true),
            Some("off") => Ok(false),
            Some(_) => Err(self.unexpected(0)),
        }
    }

    pub(super) fn background(&self) -> Parsed<bool> {
        self.ends_at(1)?;
        match self.word(0) {
            None => Ok(false),
            Some("&") => Ok(true),
            Some(_) => Err(self.unexpected(0)),
        }
    }

    /// `[N] [&]`: a number of times, and whether nobody waits.
    pub(super) fn times_in_background(&self) -> Parsed<(u64, bool)> {
        match (self.word(0), self.word(1)) {
            (None, _) => Ok((1, false)),
            (Some("&"), _) => self.ends_at(1).map(|()| (1, true)),
            (Some(_), None) => Ok((self.times(0)?, false)),
            // What is in the background cannot be let go on again and again.
            (Some(_), Some(_)) => Err(self.unexpected(1)),
        }
    }

    /// A number of times, or once.
    pub(super) fn times(&self, word_idx: usize) -> Parsed<u64> {
        self.ends_at(word_idx + 1)?;
        self.word(word_idx).map_or(Ok(1), |word| self.n_times(word, word_idx))
    }

    /// A number of times, from a word.
    fn n_times(&self, word: &str, word_idx: usize) -> Parsed<u64> {
        let number = word.parse().ok().filter(|number| *number > 0);
        number.ok_or_else(|| self.wrong(word_idx, format!("`{word}` is not a number of times")))
    }

    pub(super) fn print(&self) -> Parsed<Command> {
        if self.rest.text.trim().is_empty() {
            return Err(self.wrong(0, "an expression is missing"));
        }
        Ok(Command::Print { text: self.rest.text.to_owned(), column: self.rest.column })
    }

    pub(super) fn assign(&self) -> Parsed<Command> {
        let wrong = || LineError::new(self.rest.column, "an assignment is missing", self.row.hint());
        let end = self.rest.find(|_, letter| letter == '=')?.ok_or_else(wrong)?;
        let name = self.rest.slice(0, end).trim();
        let value = self.rest.from(end + 1).trim();
        if name.text.is_empty() || value.text.is_empty() {
            return Err(wrong());
        }
        Ok(Command::Assign { name: name.text.to_owned(), text: value.text.to_owned(), column: value.column })
    }

    pub(super) fn delete(&self) -> Parsed<Command> {
        let kind = match self.word(0) {
            Some("breakpoint") => Some(Kind::Breakpoint),
            Some("check") => Some(Kind::Check),
            Some("disp") => Some(Kind::Display),
            _ => None,
        };
        let number_idx = usize::from(kind.is_some());
        self.ends_at(number_idx + 1)?;
        let Some(word) = self.word(number_idx) else {
            return Err(self.wrong(number_idx, "a number that `status` lists is missing"));
        };
        let number = word.parse().map_err(|_| self.wrong(number_idx, format!("`{word}` is not a number")))?;
        Ok(Command::Delete { kind, number })
    }

    pub(super) fn level(&self) -> Parsed<Option<i64>> {
        let text: String = self.words.iter().map(|word| word.text.as_str()).collect();
        if text.is_empty() {
            return Ok(None);
        }
        text.parse().map(Some).map_err(|_| self.unexpected(0))
    }

    fn view(&self, word_idx: usize) -> Parsed<Option<View>> {
        self.ends_at(word_idx + 1)?;
        match self.word(word_idx) {
            None | Some("record") => Ok(Some(View::Record)),
            Some("disp" | "restrict") => Ok(Some(View::Display)),
            Some("check") => Ok(Some(View::Check)),
            Some("off") => Ok(None),
            Some(_) => Err(self.unexpected(word_idx)),
        }
    }

    pub(super) fn output(&self) -> Parsed<Output> {
        match (self.word(0), self.word(1)) {
            (Some("disp"), _) => Ok(Output::Display(self.view(1)?)),
            (Some("save"), _) => {
                let view = self.view(1)?;
                Ok(Output::Save(Save { view, graphs: false }))
            }
            (Some("record"), what) => {
                self.ends_at(2)?;
                let all = Some(View::Record);
                Ok(Output::Save(match what {
                    Some("elabgph") => Save { view: None, graphs: true },
                    Some("evgph") => Save { view: all, graphs: false },
                    None | Some("bothgph") => Save { view: all, graphs: true },
                    Some("off") => Save { view: None, graphs: false },
                    Some(_) => return Err(self.unexpected(1)),
                }))
            }
            (Some("ufile"), Some("edge" | "xgrab")) => {
                let hint = "file the events with `output file NAME`, and turn the trace into pictures and tables with \
                            `hasse trace export`";
                Err(LineError { hint: hint.to_owned(), ..self.wrong(1, "this format is no longer written") })
            }
            (Some("ufile"), what) => {
                self.ends_at(2)?;
                let view = if what == Some("perftr") { Some(View::Record) } else { self.view(1)? };
                Ok(Output::File(view.map(|view| (FileName::OfProgram, view))))
            }
            (Some("file"), Some("off")) => self.ends_at(2).map(|()| Output::File(None)),
            (Some("file"), Some(name)) => {
                let name = FileName::Given(name.to_owned());
                Ok(Output::File(self.view(2)?.map(|view| (name, view))))
            }
            (Some("file"), None) => Err(self.unexpected(1)),
            _ => Err(self.unexpected(0)),
        }
    }
}
