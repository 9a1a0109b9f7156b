//! The notation of path expressions. From loosest to tightest: `|`, `;`, `||`, then `*`, `+`, `?` and `{n}` behind.

use std::fmt;

use hasse_model::name::is_of_name;

use super::expression::Path;
use crate::check::spec::{ParseError, Parser};

const HINT: &str = "write a path such as `Solve ; (Mult+ ; Solve)*`";
/// Deepest nesting.
const MAX_LEVELS: usize = 64;
/// Most parts of an expression, with `{n}` written out.
const MAX_PARTS: usize = 2000;

/// Reads what stands behind `check path`.
///
/// # Errors
/// Where it is no expression.
pub(in super::super) fn parse_path(parser: &mut Parser) -> Result<(Path, String), ParseError> {
    let path = choice(parser, MAX_LEVELS)?;
    let text = format!("check path {path}");
    Ok((path, text))
}

/// Reads what stands behind `check chain`.
///
/// # Errors
/// Where it is no expression, or speaks of concurrency.
pub(in super::super) fn parse_chain(parser: &mut Parser) -> Result<(Path, String), ParseError> {
    let start = parser.at;
    let path = choice(parser, MAX_LEVELS)?;
    if path.is_concurrent() {
        parser.at = start;
        let message = "a chain has no concurrent events".to_owned();
        return Err(parser.error(message, "leave out `||` and `{..}`, or use `check path`"));
    }
    let text = format!("check chain {path}");
    Ok((path, text))
}

fn choice(parser: &mut Parser, levels: usize) -> Result<Path, ParseError> {
    list(parser, levels, Path::Choice, sequence, |parser| !next_is_parallel(parser) && parser.take('|'))
}

fn sequence(parser: &mut Parser, levels: usize) -> Result<Path, ParseError> {
    list(parser, levels, Path::Sequence, parallel, |parser| parser.take(';'))
}

fn parallel(parser: &mut Parser, levels: usize) -> Result<Path, ParseError> {
    list(parser, levels, Path::Parallel, repeated, |parser| {
        next_is_parallel(parser) && parser.take('|') && parser.take('|')
    })
}

fn next_is_parallel(parser: &Parser) -> bool {
    parser.chars[parser.at..].starts_with(&['|', '|'])
}

/// One or more parts with a separator between them.
fn list(
    parser: &mut Parser,
    levels: usize,
    join: fn(Vec<Path>) -> Path,
    part: fn(&mut Parser, usize) -> Result<Path, ParseError>,
    separator: fn(&mut Parser) -> bool,
) -> Result<Path, ParseError> {
    let start = parser.at;
    let mut parts = vec![part(parser, levels)?];
    loop {
        parser.skip_space();
        if !separator(parser) {
            break;
        }
        parts.push(part(parser, levels)?);
    }
    checked(joined(parts, join), start, parser)
}

fn repeated(parser: &mut Parser, levels: usize) -> Result<Path, ParseError> {
    let start = parser.at;
    let mut path = atom(parser, levels)?;
    for _ in 0..MAX_LEVELS {
        parser.skip_space();
        path = match parser.peek() {
            Some('*') => Path::Repeat(Box::new(path)),
            Some('+') => Path::Sequence(vec![path.clone(), Path::Repeat(Box::new(path))]),
            Some('?') => Path::Optional(Box::new(path)),
            Some('{') => {
                parser.at += 1;
                let number_at = parser.at;
                let hint = "say how often: `Mult{3}`";
                let times = parser.number::<usize>(hint)?;
                parser.skip_space();
                if parser.peek() != Some('}') {
                    return Err(parser.error("`}` is expected here".to_owned(), hint));
                }
                if times == 0 || size(&path).saturating_mul(times) > MAX_PARTS {
                    parser.at = number_at;
                    let hint = format!("write a number from 1 to {}", MAX_PARTS / size(&path));
                    return Err(parser.error(format!("{times} times is not possible here"), &hint));
                }
                joined(vec![path; times], Path::Sequence)
            }
            _ => return Ok(path),
        };
        path = checked(path, start, parser)?;
        parser.at += 1;
    }
    Err(parser.error("too many repetitions of repetitions".to_owned(), HINT))
}

fn atom(parser: &mut Parser, levels: usize) -> Result<Path, ParseError> {
    parser.skip_space();
    let close = match parser.peek() {
        Some('(') => ')',
        Some('{') => '}',
        Some(next) if is_of_name(next) || next == '/' => {
            return Ok(Path::Event(parser.spec()?));
        }
        _ => return Err(parser.error("a node or `(` is expected here".to_owned(), HINT)),
    };
    if levels == 0 {
        return Err(parser.error(format!("brackets nest in more than {MAX_LEVELS} levels"), HINT));
    }
    parser.at += 1;
    let inner = choice(parser, levels - 1)?;
    parser.skip_space();
    if !parser.take(close) {
        return Err(parser.error(format!("`{close}` is expected here"), HINT));
    }
    Ok(if close == '}' { Path::Burst(Box::new(inner)) } else { inner })
}

fn joined(mut parts: Vec<Path>, join: fn(Vec<Path>) -> Path) -> Path {
    match parts.len() {
        1 => parts.remove(0),
        _ => join(parts),
    }
}

fn checked(path: Path, start: usize, parser: &mut Parser) -> Result<Path, ParseError> {
    if size(&path) <= MAX_PARTS {
        return Ok(path);
    }
    parser.at = start;
    Err(parser.error(format!("the expression has more than {MAX_PARTS} parts"), HINT))
}

fn size(path: &Path) -> usize {
    1 + match path {
        Path::Event(_) => 0,
        Path::Sequence(parts) | Path::Choice(parts) | Path::Parallel(parts) => parts.iter().map(size).sum(),
        Path::Repeat(inner) | Path::Burst(inner) | Path::Optional(inner) => size(inner),
    }
}

/// Writes it in one spelling, with brackets around every part that has several.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, parts: &[Path], between: &str| {
            parts.iter().enumerate().try_for_each(|(at, part)| {
                write!(f, "{}{}", if at == 0 { "" } else { between }, Bracketed(part))
            })
        };
        match self {
            Path::Event(spec) => write!(f, "{spec}"),
            Path::Sequence(parts) => match parts.as_slice() {
                [one, Path::Repeat(more)] if *one == **more => write!(f, "{}+", Bracketed(one)),
                _ => list(f, parts, " ; "),
            },
            Path::Choice(parts) => list(f, parts, " | "),
            Path::Parallel(parts) => list(f, parts, " || "),
            Path::Repeat(inner) => write!(f, "{}*", Bracketed(inner)),
            Path::Burst(inner) => write!(f, "{{{inner}}}"),
            Path::Optional(inner) => write!(f, "{}?", Bracketed(inner)),
        }
    }
}

struct Bracketed<'p>(&'p Path);

impl fmt::Display for Bracketed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_plus = |parts: &[Path]| matches!(parts, [one, Path::Repeat(more)] if *one == **more);
        match self.0 {
            Path::Sequence(parts) if is_plus(parts) => write!(f, "{}", self.0),
            Path::Sequence(_) | Path::Choice(_) | Path::Parallel(_) => write!(f, "({})", self.0),
            Path::Event(_) | Path::Repeat(_) | Path::Burst(_) | Path::Optional(_) => write!(f, "{}", self.0),
        }
    }
}
