//! Names of events in commands, and the parser that reads them.

use std::fmt;

use hasse_model::id::Index;
use hasse_model::key;
use hasse_model::name::is_of_name;

/// Events that a command is about.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The calls on the way from the main graph; `None` where no path is given, which stands for all
    /// instances of the template's graph.
    pub calls: Option<Vec<Step>>,
    /// Name of the template, with that of its graph before a dot where given.
    pub name: String,
    /// One instance; without it, any.
    pub index: Option<Index>,
    /// One execution; without it, any.
    pub count: Option<u64>,
    /// Column of its first character in the command, from 1.
    pub column: usize,
}

/// A call on a path: its name and index; without an index, any.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// Name of the call node.
    pub name: String,
    /// Its index; without it, any.
    pub index: Option<Index>,
}

impl PartialEq for Spec {
    fn eq(&self, other: &Self) -> bool {
        (&self.calls, &self.name, &self.index, self.count)
            == (&other.calls, &other.name, &other.index, other.count)
    }
}

impl Eq for Spec {}

impl std::hash::Hash for Spec {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (&self.calls, &self.name, &self.index, self.count).hash(state);
    }
}

/// Writes `Mult[3]:2` or `/dobts[2]/Mult[3]:2`.
impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(calls) = &self.calls {
            for step in calls {
                write!(f, "/{}", step.name)?;
                step.index.iter().try_for_each(|index| write!(f, "{index}"))?;
            }
            write!(f, "/")?;
        }
        write!(f, "{}", self.name)?;
        self.index.iter().try_for_each(|index| write!(f, "{index}"))?;
        self.count.iter().try_for_each(|count| write!(f, ":{count}"))
    }
}

/// Why a text is no command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {message}; {hint}")]
pub struct ParseError {
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

/// Reads a spec alone.
pub(super) fn parse_spec(text: &str) -> Result<Spec, ParseError> {
    let mut parser = Parser { chars: text.chars().collect(), at: 0, in_predicate: false };
    let spec = parser.spec()?;
    match parser.at == parser.chars.len() {
        true => Ok(spec),
        false => Err(parser.error("the name ends here".to_owned(), "write one node at a time")),
    }
}

/// The characters of a command and how far they have been read.
pub(super) struct Parser {
    pub(super) chars: Vec<char>,
    pub(super) at: usize,
    pub(super) in_predicate: bool,
}

impl Parser {
    pub(super) fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    pub(super) fn take(&mut self, expected: char) -> bool {
        let is_there = self.peek() == Some(expected);
        self.at += usize::from(is_there);
        is_there
    }

    pub(super) fn take_while(&mut self, is_wanted: impl Fn(char) -> bool) -> String {
        let rest = &self.chars[self.at..];
        let taken: String = rest.iter().take_while(|&&next| is_wanted(next)).collect();
        self.at += taken.chars().count();
        taken
    }

    pub(super) fn skip_space(&mut self) {
        self.take_while(char::is_whitespace);
    }

    /// The word at the position, by the rule by which predicates tell words apart: `forall0a` is one.
    pub(super) fn word(&mut self) -> String {
        self.skip_space();
        self.take_while(is_of_name)
    }

    /// `{SPEC, ...}` of at least so many.
    pub(super) fn list(&mut self, fewest: usize) -> Result<Vec<Spec>, ParseError> {
        self.skip_space();
        let open = self.at;
        let close = match self.peek() {
            Some('{') => '}',
            Some('(') => ')',
            _ => {
                let hint = "list nodes in braces: `{Mult, Solve}`";
                return Err(self.error("`{` is expected here".to_owned(), hint));
            }
        };
        self.at += 1;
        let mut specs = Vec::new();
        loop {
            self.skip_space();
            if self.take(close) {
                break;
            }
            specs.push(self.spec()?);
            self.skip_space();
            if !self.take(',') && self.peek() != Some(close) {
                let message = format!("`,` or `{close}` is expected here");
                return Err(self.error(message, "separate nodes by commas and close the list"));
            }
        }
        if specs.len() < fewest {
            self.at = open;
            let (message, hint) = if fewest == 1 {
                ("the list is empty", "name at least one node that must come before")
            } else {
                ("concurrency takes two or more", "name a template twice for two of its instances")
            };
            return Err(self.error(message.to_owned(), hint));
        }
        Ok(specs)
    }

    pub(super) fn spec(&mut self) -> Result<Spec, ParseError> {
        let column = self.at + 1;
        let mut calls = self.take('/').then(Vec::new);
        let (name, index) = loop {
            let Step { name, index } = self.step()?;
            match &mut calls {
                Some(calls) if self.take('/') => calls.push(Step { name, index }),
                _ => break (name, index),
            }
        };
        let mut count = None;
        // In a predicate a colon may as well stand in front of what is said of the events.
        let is_count = self.chars.get(self.at + 1).is_some_and(char::is_ascii_digit) || !self.in_predicate;
        if is_count && self.take(':') {
            let hint = "give the execution's number, from 1: `Mult[3]:2`";
            let start = self.at;
            count = Some(self.number::<u64>(hint)?);
            if count == Some(0) {
                self.at = start;
                return Err(self.error("executions are counted from 1".to_owned(), hint));
            }
        }
        Ok(Spec { calls, name, index, count, column })
    }

    /// A name with an index or without.
    fn step(&mut self) -> Result<Step, ParseError> {
        let is_named = |next: char| is_of_name(next) || matches!(next, '.' | '-');
        let name = self.take_while(is_named);
        if name.is_empty() {
            let hint = "name a node, such as `Mult`, `Mult[3]` or `/dobts[2]/Mult[3]:2`";
            return Err(self.error("a node is expected here".to_owned(), hint));
        }
        let mut numbers = Vec::new();
        while self.take('[') {
            loop {
                numbers.push(self.index_number()?);
                self.skip_space();
                if !self.take(',') {
                    break;
                }
            }
            if !self.take(']') {
                return Err(self.error("`]` is expected here".to_owned(), "close the index: `Mult[3]`"));
            }
        }
        let index = (!numbers.is_empty()).then(|| numbers.into_iter().collect());
        Ok(Step { name, index })
    }

    /// A number, or a text in quotes.
    fn index_number(&mut self) -> Result<i64, ParseError> {
        let hint = "give one instance's index: `Mult[3]`, or none for all";
        self.skip_space();
        if self.peek() != Some('"') {
            return self.number(hint);
        }
        let start = self.at;
        self.at += 1;
        let inner = self.take_while(|next| next != '"');
        match key::parse(&format!("\"{inner}\"")) {
            Some(number) if self.take('"') => Ok(number),
            _ => {
                self.at = start;
                Err(self.error("a text in quotes is expected here".to_owned(), hint))
            }
        }
    }

    pub(super) fn number<T: std::str::FromStr>(&mut self, hint: &str) -> Result<T, ParseError> {
        self.skip_space();
        let start = self.at;
        let digits = self.take_while(|next| next.is_ascii_digit() || next == '-');
        digits.parse().map_err(|_| {
            self.at = start;
            self.error("a number is expected here".to_owned(), hint)
        })
    }

    /// An error at the current place.
    pub(super) fn error(&self, message: String, hint: &str) -> ParseError {
        ParseError { column: self.at + 1, message, hint: hint.to_owned() }
    }
}

pub(super) fn error_at(at: usize, message: String, hint: &str) -> ParseError {
    ParseError { column: at + 1, message, hint: hint.to_owned() }
}
