//! Arguments of moves in time.

use super::{Arguments, Parsed};
use crate::debug::command::{
    AskedEvent, At, Command, Move, Occurrence, OverTime, Setting, Symbol, Target, Walk, Wherefrom,
};
use crate::debug::line::{LineError, Piece};

/// Words that begin a breakpoint.
const CLAUSES: [&str; 5] = ["in", "at", "on", "if", "after"];

impl Arguments<'_> {
    /// `N | N% | end | EVENT [before|after|befcomp|aftcomp]`
    pub(in super::super) fn goto(&self) -> Parsed<Command> {
        let Some(first) = self.words.first() else {
            return Err(self.wrong(0, "a moment or an event is missing"));
        };
        let (word, column) = (first.text.as_str(), first.column);
        let number = |text: &str| {
            text.parse::<u64>().map_err(|_| self.wrong(0, format!("`{text}` is not a number of events")))
        };
        let target = if word == "end" {
            Target::Share(100)
        } else if let Some(share) = word.strip_suffix('%') {
            let percent = share.parse().ok().filter(|percent| *percent <= 100);
            Target::Share(percent.ok_or_else(|| self.wrong(0, format!("`{word}` is no share: 0% to 100%")))?)
        } else if word.starts_with(|letter: char| letter.is_ascii_digit()) {
            Target::Position { number: number(word)?, column }
        } else {
            let at = match self.word(1) {
                None | Some("after") => At::After,
                Some("before") => At::Before,
                Some("befcomp") => At::Befcomp,
                Some("aftcomp") => At::Aftcomp,
                Some(_) => return Err(self.unexpected(1)),
            };
            self.ends_at(2)?;
            return Ok(Command::Goto(Target::Event {
                event: AskedEvent { target: Some(word.to_owned()), column },
                at,
            }));
        };
        self.ends_at(1)?;
        Ok(Command::Goto(target))
    }

    /// `[N times] [with NAME = VALUE, ...]`
    pub(in super::super) fn fork(&self) -> Parsed<Command> {
        let column = self.command.column;
        let is_number = |word: &&str| word.starts_with(|letter: char| letter.is_ascii_digit());
        let n_times = self.word(0).filter(is_number).map(|word| self.n_times(word, 0)).transpose()?;
        if n_times.is_some() && self.word(1) != Some("times") {
            return Err(self.unexpected(1));
        }
        let n_words = if n_times.is_some() { 2 } else { 0 };
        let settings = match self.word(n_words) {
            None => Vec::new(),
            Some("with") => self.settings()?,
            Some(_) => return Err(self.unexpected(n_words)),
        };
        Ok(Command::Fork { n_times, settings, column })
    }

    /// The assignments after `with`.
    fn settings(&self) -> Parsed<Vec<Setting>> {
        let Piece { text, column } = self.rest;
        let (before, assignments) = text.split_once("with").unwrap_or((text, ""));
        let column = column + before.chars().count() + "with".len();
        let assignments = Piece { text: assignments, column }.split(',')?;
        let setting = |part: &Piece<'_>| {
            let is_complete =
                |(name, text): &(&str, &str)| !name.trim().is_empty() && !text.trim().is_empty();
            let (name, text) = part
                .text
                .split_once('=')
                .filter(is_complete)
                .ok_or_else(|| LineError::new(part.column, "expected NAME = VALUE", self.row.hint()))?;
            Ok(Setting { name: name.trim().to_owned(), text: text.trim().to_owned(), column: part.column })
        };
        assignments.iter().map(setting).collect()
    }

    /// `[next|last] EXPR`; `None` where the text is that of a breakpoint.
    pub(in super::super) fn occurrence(&self) -> Parsed<Option<Command>> {
        let rest = self.rest.trim();
        let end = rest.text.find(char::is_whitespace).unwrap_or(rest.text.len());
        let word = &rest.text[..end];
        if word.is_empty() || word.starts_with('{') || CLAUSES.contains(&word) {
            return Ok(None);
        }
        let (which, condition) = match word {
            "next" => (Occurrence::Next, rest.from(end).trim()),
            "last" => (Occurrence::Last, rest.from(end).trim()),
            _ => (Occurrence::First, rest),
        };
        if condition.text.is_empty() {
            return Err(LineError::new(rest.end_column(), "a condition is missing", self.row.hint()));
        }
        let (text, column) = (condition.text.to_owned(), condition.column);
        Ok(Some(Command::OverTime(OverTime::When { which, text, column })))
    }

    /// `[NAME [N]]`.
    pub(in super::super) fn wherefrom(&self) -> Parsed<Command> {
        self.ends_at(2)?;
        let Some(first) = self.words.first() else {
            return Ok(Command::OverTime(OverTime::Wherefrom { what: None, column: self.command.column }));
        };
        let wrong = |word: &str| self.wrong(1, format!("`{word}` is not the number of a value, from 1"));
        let number = |word: &str| word.parse().ok().filter(|number| *number > 0).ok_or_else(|| wrong(word));
        let number = self.word(1).map(number).transpose()?;
        let name = Symbol { name: first.text.clone(), column: first.column };
        let what = Some(Wherefrom { name, number });
        Ok(Command::OverTime(OverTime::Wherefrom { what, column: first.column }))
    }

    /// `[N]` events.
    pub(in super::super) fn by_events(&self, way: fn(u64) -> Move) -> Parsed<Command> {
        Ok(Command::Move { way: way(self.times(0)?), column: self.command.column })
    }

    /// `[N]` statements back.
    pub(in super::super) fn back_in_body(&self, over: bool) -> Parsed<Command> {
        Ok(Command::Walk(Walk::Back { over, n_times: self.times(0)?, column: self.command.column }))
    }

    /// A way to one of the ends.
    pub(in super::super) fn to_end(&self, way: Move) -> Parsed<Command> {
        self.plain(Command::Move { way, column: self.command.column })
    }
}
