//! What stands behind a command's name, and how it is read.

use hasse_debugger::facility::View;
use hasse_model::record_options::RecordOption;

use hasse_runtime::control::grammar::Keyword;

use super::command::{Command, FileName, Kind, Listed, Mode, Output, Range, Save, Symbol};
use super::line::{LineError, Piece, Word};
use super::table::Row;
use crate::facilities;
use crate::fault::Fault;

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

    /// `stop` alone, or with what makes a breakpoint.
    pub(super) fn stop(&self) -> Command {
        if self.rest.text.trim().is_empty() { Command::Stop } else { self.breakpoint(Keyword::Stop) }
    }

    /// What a breakpoint says; it is read when it is set.
    pub(super) fn breakpoint(&self, keyword: Keyword) -> Command {
        Command::Breakpoint { keyword, text: self.rest.text.to_owned(), column: self.rest.column }
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

    /// `list [i|e] [LOW..HIGH] [SELECTOR ...]`; `what` where the name has said it already.
    pub(super) fn list(&self, what: Option<Listed>) -> Parsed<Command> {
        let mut at = 0;
        let named = match self.word(0) {
            _ if what.is_some() => what,
            Some("i" | "'i'") => Some(Listed::Instances),
            Some("e" | "'e'") => Some(Listed::Events),
            _ => None,
        };
        at += usize::from(what.is_none() && named.is_some());
        let range = self.word(at).and_then(|word| self.range(at, word));
        let range = range.transpose()?;
        at += usize::from(range.is_some());
        let selectors = self.texts_from(at)?;
        Ok(Command::List { what: named, selectors, range })
    }

    /// A word as positions, where it looks like them.
    fn range(&self, word_idx: usize, word: &str) -> Option<Parsed<Range>> {
        if !word.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
            return None;
        }
        let wrong =
            || self.wrong(word_idx, format!("`{word}` is no range: `10..20` lists the 10th to the 19th"));
        let number = |text: &str, otherwise: u64| match text {
            "" => Ok(otherwise),
            text => text.parse().map_err(|_| wrong()),
        };
        Some((|| {
            let (low, high) = match word.split_once("..") {
                Some((low, high)) => (number(low, 1)?, number(high, u64::MAX)?),
                None => {
                    let one = number(word, 1)?;
                    (one, one.saturating_add(1))
                }
            };
            if low == 0 || high <= low { Err(wrong()) } else { Ok(Range { low, high }) }
        })())
    }
}
