//! Aliases: names for commands, with parameters where wanted (Hyder 1994, section B.2).

use hasse_model::name::{begins_name, is_of_name};
use hasse_model::quantity::counted;
use std::collections::BTreeMap;
use std::fmt;

use super::command::Command;
use super::familiar;
use super::line::{self, LineError, Piece};

/// Longest text that aliases may make of a line, in bytes.
pub(super) const MOST_BYTES: usize = 1 << 16;
/// Most commands that aliases may make of a line.
pub(super) const MOST_COMMANDS: usize = 1000;

const USAGE: &str =
    "say `alias NAME NAME`, `alias NAME \"text\"` or `alias NAME(a, b) \"text with a and b\"`";

/// What an alias stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Alias {
    /// Names that are replaced in the text; `None` where what follows the alias is put behind the text.
    pub(super) params: Option<Vec<String>>,
    pub(super) text: String,
}

/// The command that defines an alias.
pub(super) struct Definition<'a>(pub(super) &'a str, pub(super) &'a Alias);

impl fmt::Display for Definition<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(name, alias) = self;
        write!(f, "alias {name}")?;
        if let Some(params) = &alias.params {
            write!(f, "({})", params.join(", "))?;
        }
        write!(f, " {}", line::quoted(&alias.text))
    }
}

/// The aliases of a session.
#[derive(Clone, Debug, Default)]
pub(super) struct Aliases(BTreeMap<String, Alias>);

/// A command behind an alias.
pub(super) struct Expansion {
    pub(super) name: String,
    pub(super) text: String,
}

impl Aliases {
    pub(super) fn set(&mut self, name: String, alias: Alias) {
        self.0.insert(name, alias);
    }

    /// Removes an alias; tells whether there was one.
    pub(super) fn remove(&mut self, name: &str) -> bool {
        self.0.remove(name).is_some()
    }

    pub(super) fn get(&self, name: &str) -> Option<&Alias> {
        self.0.get(name)
    }

    /// All, by name.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Alias)> {
        self.0.iter().map(|(name, alias)| (name.as_str(), alias))
    }

    /// What a command stands for, where its name is an alias that is not being expanded already.
    pub(super) fn expand(
        &self,
        command: Piece<'_>,
        within: &[String],
    ) -> Result<Option<Expansion>, LineError> {
        let end = name_end(command.text);
        let (name, rest) = (&command.text[..end], command.from(end));
        if within.iter().any(|outer| outer == name) {
            return Ok(None);
        }
        let Some(alias) = self.get(name) else {
            let familiar = familiar::expand(name, rest)?;
            return Ok(familiar.map(|text| Expansion { name: name.to_owned(), text }));
        };
        let text = match &alias.params {
            None => format!("{} {}", alias.text, rest.trim().text).trim_end().to_owned(),
            Some(params) => {
                let given = arguments(rest)?;
                if given.len() != params.len() {
                    let column = given.get(params.len()).map_or(command.end_column(), |extra| extra.column);
                    let message =
                        format!("`{name}` takes {}, not {}", counted(params.len(), "argument"), given.len());
                    let hint = format!("it is {}", Definition(name, alias));
                    return Err(LineError::new(column, message, hint));
                }
                substitute(&alias.text, params, &given)
            }
        };
        if text.len() > MOST_BYTES {
            let hint = "shorten what the alias stands for";
            return Err(LineError::new(command.column, format!("`{name}` becomes longer than 64 KiB"), hint));
        }
        Ok(Some(Expansion { name: name.to_owned(), text }))
    }
}

/// Where the name at the beginning of a command ends.
pub(super) fn name_end(text: &str) -> usize {
    text.find(|letter: char| letter.is_whitespace() || letter == '(').unwrap_or(text.len())
}

/// Arguments in round brackets, or words.
fn arguments(rest: Piece<'_>) -> Result<Vec<Piece<'_>>, LineError> {
    let rest = rest.trim();
    if let Some(inside) = rest.text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
        let inside = rest.slice(1, 1 + inside.len());
        return if inside.trim().text.is_empty() { Ok(Vec::new()) } else { inside.split(',') };
    }
    let mut found = Vec::new();
    let mut left = rest;
    while !left.text.is_empty() {
        let end = left.find(|_, letter| letter.is_whitespace())?.unwrap_or(left.text.len());
        found.push(left.slice(0, end));
        left = left.from(end).trim();
    }
    Ok(found)
}

/// The text with each whole word that is a parameter replaced.
fn substitute(text: &str, params: &[String], given: &[Piece<'_>]) -> String {
    let mut made = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_name = is_of_name;
        let end = match is_name(first) {
            true => rest.find(|letter| !is_name(letter)).unwrap_or(rest.len()),
            false => rest.find(is_name).unwrap_or(rest.len()),
        };
        let (part, behind) = rest.split_at(end);
        let param_idx = params.iter().position(|param| param == part);
        made.push_str(param_idx.map_or(part, |param_idx| given[param_idx].text));
        rest = behind;
    }
    made
}

/// Reads what stands behind `alias`.
pub(super) fn parse(rest: Piece<'_>) -> Result<Command, LineError> {
    let rest = rest.trim();
    if rest.text.is_empty() {
        return Ok(Command::ShowAlias(None));
    }
    let end = name_end(rest.text);
    let (name, mut behind) = (rest.slice(0, end), rest.from(end).trim());
    check_name(name)?;
    if behind.text.is_empty() {
        return Ok(Command::ShowAlias(Some(name.text.to_owned())));
    }
    let mut params = None;
    if behind.text.starts_with('(') {
        let Some(end) = behind.text.find(')') else {
            return Err(LineError::new(behind.end_column(), "`)` is missing behind the parameters", USAGE));
        };
        let inside = behind.slice(1, end).trim();
        let mut names = Vec::new();
        for param in if inside.text.is_empty() { Vec::new() } else { inside.split(',')? } {
            check_name(param)?;
            if names.iter().any(|name| name == param.text) {
                return Err(LineError::new(param.column, format!("`{}` is there twice", param.text), USAGE));
            }
            names.push(param.text.to_owned());
        }
        params = Some(names);
        behind = behind.from(end + 1).trim();
    }
    let words = line::words(behind)?;
    match &words[..] {
        [text] => {
            let (name, text) = (name.text.to_owned(), text.text.clone());
            Ok(Command::Alias { name, alias: Alias { params, text } })
        }
        [] => Err(LineError::new(behind.end_column(), "what the alias stands for is missing", USAGE)),
        [_, more, ..] => Err(LineError::new(more.column, "more than one word is to be in quotes", USAGE)),
    }
}

/// Refuses what cannot be called, or could not be taken back.
fn check_name(name: Piece<'_>) -> Result<(), LineError> {
    let mut letters = name.text.chars();
    let is_name = letters.next().is_some_and(begins_name) && letters.all(is_of_name);
    let message = match name.text {
        "alias" | "unalias" => "this command keeps its name".to_owned(),
        _ if is_name => return Ok(()),
        "" => "a name is missing".to_owned(),
        text => format!("`{text}` is no name: letters, digits and `_` make one"),
    };
    Err(LineError::new(name.column, message, USAGE))
}
