//! The text of a conjunction: where it falls apart, and which action each part is about.

use hasse_model::key;
use hasse_model::name::{begins_name, is_of_name};

use super::super::guard::Guards;
use super::conjunct::{Conjunct, Modality};
use crate::check::spec::{ParseError, Parser, Spec, Step};

/// What a conjunction says how to write.
const HINT: &str = "write conditions on one action each, joined by &&: `Mult[1].x > 3 && Mult[2].x < 0`";

/// Reads a conjunction up to the end of the command.
///
/// # Errors
/// Where a part is about no action, or about several, or is no expression.
pub(in super::super) fn parse(
    parser: &mut Parser,
    modality: Modality,
) -> Result<(Vec<Conjunct>, String), ParseError> {
    let chars: Vec<char> = parser.chars.split_off(parser.at);
    let column = parser.at + 1;
    let mut conjuncts = Vec::new();
    let mut start = 0;
    for end in split_points(&chars).into_iter().chain([chars.len()]) {
        conjuncts.push(conjunct(&chars[start..end], column + start)?);
        start = end + 2;
    }
    let texts: Vec<&str> = conjuncts.iter().map(|conjunct| conjunct.text.as_str()).collect();
    let word = match modality {
        Modality::Possibly => "possibly",
        Modality::Definitely => "definitely",
    };
    let text = format!("check {word} {}", texts.join(" && "));
    Ok((conjuncts, text))
}

/// The names in an expression, members included.
pub(super) fn identifiers(text: &str) -> Vec<String> {
    let parts = text.split(|next: char| !is_of_name(next));
    parts.filter(|part| part.starts_with(begins_name)).map(str::to_owned).collect()
}

/// For each character, whether it belongs to a string or character literal.
fn quoted(chars: &[char]) -> Vec<bool> {
    let mut inside = None;
    let mut is_escaped = false;
    let is_quoted = |&next: &char| match inside {
        None => {
            inside = matches!(next, '"' | '\'' | '`').then_some(next);
            inside.is_some()
        }
        Some(quote) => {
            if !is_escaped && next == quote {
                inside = None;
            }
            is_escaped = !is_escaped && next == '\\';
            true
        }
    };
    chars.iter().map(is_quoted).collect()
}

/// Positions of `&&` outside of brackets and literals.
fn split_points(chars: &[char]) -> Vec<usize> {
    let is_quoted = quoted(chars);
    let (mut points, mut depth) = (Vec::new(), 0_i64);
    let mut at = 0;
    while at < chars.len() {
        match chars[at] {
            _ if is_quoted[at] => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            '&' if depth == 0 && chars.get(at + 1) == Some(&'&') => {
                points.push(at);
                at += 1;
            }
            _ => {}
        }
        at += 1;
    }
    points
}

fn conjunct(chars: &[char], column: usize) -> Result<Conjunct, ParseError> {
    let error =
        |at: usize, message: String| ParseError { column: column + at, message, hint: HINT.to_owned() };
    let is_quoted = quoted(chars);
    let mut specs: Vec<(usize, usize, Spec)> = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let previous = at.checked_sub(1).map(|before| chars[before]);
        let is_member = previous.is_some_and(|previous| is_of_name(previous) || previous == '.');
        let operand = chars[..at].iter().rev().find(|next| !next.is_whitespace());
        let is_division = operand.is_some_and(|&next| is_of_name(next) || matches!(next, ')' | ']'));
        let is_start = match chars[at] {
            '/' => !is_division,
            next => begins_name(next) && !is_member,
        };
        match spec(chars, at, column).filter(|_| is_start && !is_quoted[at]) {
            Some((end, spec)) => {
                specs.push((at, end, spec));
                at = end;
            }
            None => at += 1,
        }
    }
    let text: String = chars.iter().collect();
    let n_blank = chars.iter().take_while(|next| next.is_whitespace()).count();
    let Some((_, _, first)) = specs.first() else {
        let message = match text.trim() {
            "" => "a condition is expected here".to_owned(),
            text => format!("`{text}` is about no action"),
        };
        return Err(error(n_blank, message));
    };
    if let Some((at, _, other)) = specs.iter().find(|(_, _, other)| other != first) {
        return Err(error(*at, format!("this condition is about `{first}` and about `{other}`")));
    }
    let known = identifiers(&text);
    let variable = ('A'..='Z').chain('a'..='z').map(String::from).find(|name| !known.contains(name));
    let variable = variable.unwrap_or_else(|| "S".to_owned());
    // The variable takes the place of the action, with spaces behind it so that columns stay the same.
    let mut condition = chars.to_vec();
    for &(from, to, _) in &specs {
        condition[from..to].fill(' ');
        condition[from] = variable.chars().next().unwrap_or('S');
    }
    let condition: String = condition.into_iter().collect();
    let spec = first.clone();
    let conjunct =
        Conjunct { spec, text: text.trim().to_owned(), condition, variable, condition_column: column };
    // Parameters are known only with the program: names are looked up there.
    let names = known.iter().map(String::as_str).chain([conjunct.variable.as_str()]);
    match Guards::new().compile(&conjunct.condition, names) {
        Ok(_) => Ok(conjunct),
        Err(bad) => Err(ParseError { column: column + bad.column - 1, message: bad.message, hint: bad.hint }),
    }
}

/// An action with a member behind it, such as `Mult[1].x` or `/dobts[2]/Mult.x`: the position of the dot, and the action.
fn spec(chars: &[char], start: usize, column: usize) -> Option<(usize, Spec)> {
    let mut at = start;
    let mut steps = Vec::new();
    let is_path = chars[at] == '/';
    at += usize::from(is_path);
    loop {
        let n_named = chars[at..].iter().take_while(|&&next| is_of_name(next)).count();
        if n_named == 0 || !begins_name(chars[at]) {
            return None;
        }
        let name: String = chars[at..at + n_named].iter().collect();
        at += n_named;
        let mut numbers = Vec::new();
        while chars.get(at) == Some(&'[') {
            let close = at + chars[at..].iter().position(|&next| next == ']')?;
            let inner: String = chars[at + 1..close].iter().collect();
            for number in inner.split(',') {
                numbers.push(key::parse(number.trim())?);
            }
            at = close + 1;
        }
        let index = (!numbers.is_empty()).then(|| numbers.into_iter().collect());
        steps.push(Step { name, index });
        match chars.get(at) {
            Some('/') if is_path => at += 1,
            Some('.') if chars.get(at + 1).copied().is_some_and(begins_name) => break,
            _ => return None,
        }
    }
    let Step { name, index } = steps.pop()?;
    let calls = is_path.then_some(steps);
    Some((at, Spec { calls, name, index, count: None, column: column + start }))
}
