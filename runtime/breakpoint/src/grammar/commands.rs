//! Commands at a breakpoint: `print EXPR`, `dump`, `log "text {EXPR}"`, `assign NAME = EXPR`, `where`, `stop`.

use std::ops::Range;

use crate::breakpoint::{LogPart, PointCommand};
use crate::expression::Expression;
use crate::expression::token::Kind;
use crate::grammar::error::GrammarError;
use crate::grammar::names::Scope;
use crate::grammar::read::{Line, Outcome};

const COMMANDS: [&str; 6] = ["print", "dump", "log", "assign", "where", "stop"];
const USAGE: &str =
    "commands are `print EXPR`, `dump`, `log \"text {EXPR}\"`, `assign NAME = EXPR`, `where` and `stop`";
const LOG_USAGE: &str = "`log \"x is {x}\"`; `{{` and `}}` stand for braces";

/// The commands between two braces.
pub(crate) fn read(line: &Line, braces: Range<usize>, scope: &Scope<'_>) -> Outcome<Vec<PointCommand>> {
    let mut commands = Vec::new();
    let parts = line.split(braces.start + 1..braces.end, ";");
    let n_parts = parts.len();
    for (part_idx, part) in parts.into_iter().enumerate() {
        // The last command may have its `;`.
        if part.is_empty() && part_idx + 1 == n_parts && part_idx > 0 {
            continue;
        }
        commands.push(command(line, part, scope)?);
    }
    Ok(commands)
}

/// One command.
pub(crate) fn command(line: &Line, part: Range<usize>, scope: &Scope<'_>) -> Outcome<PointCommand> {
    let Some(first) = line.tokens[part.clone()].first() else {
        return Err(GrammarError::new(line.column(part.start), "a command is missing", USAGE));
    };
    let inner = part.start + 1..part.end;
    let plain = |command: PointCommand| match inner.is_empty() {
        true => Ok(command),
        false => {
            let message = format!("`{}` stands alone", first.text);
            Err(GrammarError::new(line.column(inner.start), message, USAGE))
        }
    };
    match first.text.as_str() {
        "print" | "p" => {
            let (expression, n_before) = line.expression(inner, "what to print", scope.plan)?;
            scope.check(&expression, n_before)?;
            Ok(PointCommand::Print(expression))
        }
        "dump" => plain(PointCommand::Dump),
        "where" | "pwd" => plain(PointCommand::Where),
        "stop" => plain(PointCommand::Stop),
        "log" => match &line.tokens[inner.clone()] {
            [text] if text.kind == Kind::Quoted && text.text.starts_with('"') => {
                log(&line.letters, text.range.clone(), line.n_before, scope).map(PointCommand::Log)
            }
            _ => Err(GrammarError::new(line.column(inner.start), "a text in quotes is missing", LOG_USAGE)),
        },
        "assign" => assign(line, inner, scope),
        other => {
            let known = COMMANDS.map(str::to_owned).to_vec();
            let message = format!("there is no command `{other}` at a breakpoint");
            Err(GrammarError::new(line.column(part.start), message, USAGE).unknown(other, known))
        }
    }
}

fn assign(line: &Line, part: Range<usize>, scope: &Scope<'_>) -> Outcome<PointCommand> {
    const USAGE: &str = "`assign x = x + 1`; a name as a whole is given another value";
    match &line.tokens[part.clone()] {
        [name, sign, ..] if name.kind == Kind::Word && sign.is("=") => {
            scope.check_target(&name.text, line.column(part.start))?;
            let (value, n_before) = line.expression(part.start + 2..part.end, "the value", scope.plan)?;
            scope.check(&value, n_before)?;
            Ok(PointCommand::Assign { name: name.text.clone(), value })
        }
        [name, ..] if name.kind == Kind::Word => {
            Err(GrammarError::new(line.column(part.start + 1), "`=` is missing", USAGE))
        }
        _ => Err(GrammarError::new(line.column(part.start), "the name is missing", USAGE)),
    }
}

/// The parts of a log text. `quoted` is its place with its quotes.
fn log(letters: &[char], quoted: Range<usize>, n_before: usize, scope: &Scope<'_>) -> Outcome<Vec<LogPart>> {
    let inside = unescaped(letters, quoted.start + 1..quoted.end - 1);
    let column = |place: usize| n_before + place + 1;
    let mut parts = Vec::new();
    let mut text = String::new();
    let mut at = 0;
    while let Some(&(letter, place)) = inside.get(at) {
        let is_double = inside.get(at + 1).is_some_and(|(next, _)| *next == letter);
        match letter {
            '{' | '}' if is_double => {
                text.push(letter);
                at += 2;
            }
            '}' => return Err(GrammarError::new(column(place), "this `}` closes nothing", LOG_USAGE)),
            '{' => {
                let n_letters = value_len(&inside[at + 1..])
                    .ok_or_else(|| GrammarError::new(column(place), "the `{` is not closed", LOG_USAGE))?;
                let value = &inside[at + 1..at + 1 + n_letters];
                if !text.is_empty() {
                    parts.push(LogPart::Text(std::mem::take(&mut text)));
                }
                parts.push(LogPart::Value(logged(value, place + 1, n_before, scope)?));
                at += n_letters + 2;
            }
            _ => {
                text.push(letter);
                at += 1;
            }
        }
    }
    if !text.is_empty() {
        parts.push(LogPart::Text(text));
    }
    Ok(parts)
}

/// An expression within a log text, whose characters stand at their places.
fn logged(value: &[(char, usize)], place: usize, n_before: usize, scope: &Scope<'_>) -> Outcome<Expression> {
    let text: String = value.iter().map(|(letter, _)| letter).collect();
    // Escapes make the text shorter than it stands in the line.
    let column_of = |column: usize| {
        let found = value.get(column.saturating_sub(1)).or(value.last());
        n_before + 1 + found.map_or(place, |(_, place)| *place)
    };
    let expression = Expression::parse_in(&text, scope.plan).map_err(|error| {
        let column = column_of(error.column);
        GrammarError::new(column, error.message, LOG_USAGE)
    })?;
    scope.check(&expression, 0).map_err(|error| GrammarError { column: column_of(error.column), ..error })?;
    Ok(expression)
}

/// Number of characters up to the `}` that closes a value; quotes and braces within it belong to it.
fn value_len(rest: &[(char, usize)]) -> Option<usize> {
    let mut depth: usize = 0;
    let mut quote = None;
    let mut is_escaped = false;
    for (at, (letter, _)) in rest.iter().enumerate() {
        match (quote, letter) {
            (Some(open), letter) => {
                if *letter == open && !is_escaped {
                    quote = None;
                }
                is_escaped = *letter == '\\' && !is_escaped;
            }
            (None, '"' | '\'' | '`') => quote = Some(*letter),
            (None, '{') => depth += 1,
            (None, '}') if depth == 0 => return Some(at),
            (None, '}') => depth -= 1,
            (None, _) => {}
        }
    }
    None
}

/// The characters that a quoted text stands for, each with its place.
fn unescaped(letters: &[char], range: Range<usize>) -> Vec<(char, usize)> {
    let mut inside = Vec::with_capacity(range.len());
    let mut at = range.start;
    while at < range.end {
        let letter = letters[at];
        let escaped = (letter == '\\' && at + 1 < range.end).then(|| letters[at + 1]);
        inside.push(match escaped {
            Some('n') => ('\n', at),
            Some('t') => ('\t', at),
            Some(other) => (other, at),
            None => (letter, at),
        });
        at += if escaped.is_some() { 2 } else { 1 };
    }
    inside
}

/// A text as it stands in the quotes of a log command.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '"' | '\\' => escaped.extend(['\\', letter]),
            '\n' => escaped.push_str("\\n"),
            '\t' => escaped.push_str("\\t"),
            _ => escaped.push(letter),
        }
    }
    escaped
}
