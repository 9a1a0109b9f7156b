//! Where the mistake is in a file that is not readable TOML.
//!
//! A parser stops where it can go on no longer. If something is left open (a string, a bracket, a body), that
//! is lines behind the mistake, at the next key or in the middle of the next body. What is left open is found here
//! by what program files look like: keys and tables begin in the first column, and what is within brackets does
//! not; no line of a body looks like a key of the file.

use std::ops::Range;

/// What is wrong, where, and what is left open there.
pub(super) struct Fault {
    pub(super) message: &'static str,
    pub(super) help: &'static str,
    /// Where the sign is missing.
    pub(super) at: Range<usize>,
    /// What is not closed.
    pub(super) opened: Option<Range<usize>>,
}

/// Keys whose lines are not taken for lines of a body.
const BODY_ENDS: [&str; 25] = [
    "route", "do", "fire", "in", "out", "vars", "shared", "init", "start", "stop", "prefer", "at_once",
    "on_error", "retry", "backoff", "deadline", "cancel", "after", "every", "priority", "label", "doc",
    "index", "arcs", "share",
];

/// Looks for what is left open in front of `error`, where the parser stopped.
pub(super) fn find(text: &str, error: usize) -> Option<Fault> {
    let mut scan = Scan { text, place: 0, open: Vec::new(), code_end: 0 };
    let mut is_line_start = true;
    while scan.place < text.len() {
        let rest = &text[scan.place..];
        if is_line_start
            && let Some(&bracket) = scan.open.last()
            && begins_section(rest)
        {
            return scan.unclosed(bracket).filter(|fault| fault.at.start <= error);
        }
        let sign = rest.chars().next()?;
        is_line_start = sign == '\n';
        match sign {
            '#' => scan.place += rest.find('\n').unwrap_or(rest.len()),
            '"' | '\'' => {
                let start = scan.place;
                if let Some(fault) = scan.string(sign) {
                    return Some(fault).filter(|fault| fault.at.start <= error);
                }
                if start > error {
                    break;
                }
            }
            _ => {
                match sign {
                    '[' | '{' => scan.open.push(scan.place),
                    ']' | '}' => {
                        scan.open.pop();
                    }
                    _ => {}
                }
                scan.place += sign.len_utf8();
                if !sign.is_whitespace() {
                    scan.code_end = scan.place;
                }
            }
        }
        // Behind a first mistake nothing is certain.
        if scan.place > error && scan.open.is_empty() {
            break;
        }
    }
    unquoted_family(text, error).or_else(|| {
        line_before(text, error).and_then(|(line, place)| unfinished_line(text, error, line, place))
    })
}

/// The first of two tables or keys of one name, the second of which is at `second`.
pub(super) fn first_of_duplicates(text: &str, second: usize) -> Option<Range<usize>> {
    let line_start = text.get(..second)?.rfind('\n').map_or(0, |newline| newline + 1);
    let line = text[line_start..].lines().next()?;
    let head = |line: &str| {
        let head = line.trim().split('#').next().unwrap_or_default().trim_end();
        let is_table = head.starts_with('[') && !head.starts_with("[[") && head.ends_with(']');
        is_table.then(|| head.replace(' ', ""))
    };
    let table = head(line);
    let key = key_of(line.trim_start()).map(|(key, _)| key);
    let mut place = line_start;
    // A key has its double in the same table; a table may have it anywhere.
    for before in text[..line_start].split_inclusive('\n').rev() {
        place -= before.len();
        let is_double = match &table {
            Some(table) => head(before).as_ref() == Some(table),
            None => key.is_some() && key_of(before.trim()).map(|(key, _)| key) == key,
        };
        if is_double {
            let indent = before.len() - before.trim_start().len();
            return Some(place + indent..place + before.trim_end().len());
        }
        if table.is_none() && head(before).is_some() {
            break;
        }
    }
    // In a table on one line, both are on it.
    let word =
        text[second..].split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_')).next()?;
    let is_key = |at: &usize| {
        let (before, after) = (&line[..*at], &line[at + word.len()..]);
        !before.ends_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '_')
            && after.trim_start().starts_with('=')
    };
    let first = line.match_indices(word).map(|(at, _)| at).find(is_key).filter(|_| !word.is_empty())?;
    let first = line_start + first;
    (first < second).then(|| first..first + word.len())
}

/// A port family whose name has no quotes, `file[i] = "string"`, at whose bracket the parser stops.
fn unquoted_family(text: &str, error: usize) -> Option<Fault> {
    let line_start = text.get(..error)?.rfind('\n').map_or(0, |newline| newline + 1);
    let line = text[line_start..].lines().next()?;
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let brackets = line.match_indices('[').filter(|(open, _)| line[..*open].ends_with(is_word));
    for (open, _) in brackets {
        let start = line[..open].rfind(|letter| !is_word(letter)).map_or(0, |before| before + 1);
        let close = open + line[open..].find(']')? + 1;
        let is_key = line[close..].trim_start().starts_with('=');
        let is_near = (start..=close).contains(&(error - line_start));
        if is_key && is_near {
            return Some(Fault {
                message: "the name of a port family is not in quotes",
                help: "write the name with its brackets in quotes: `\"file[i]\" = \"string\"`",
                at: line_start + start..line_start + close,
                opened: None,
            });
        }
    }
    None
}

struct Scan<'t> {
    text: &'t str,
    place: usize,
    /// Brackets and braces that are open.
    open: Vec<usize>,
    /// Behind the last sign that is neither white space nor part of a comment.
    code_end: usize,
}

impl Scan<'_> {
    fn unclosed(&self, bracket: usize) -> Option<Fault> {
        let message = match self.text.as_bytes().get(bracket)? {
            b'[' => "a `]` is missing",
            _ => "a `}` is missing",
        };
        Some(Fault {
            message,
            help: "close it in front of the next key",
            at: last_byte(self.text, self.code_end),
            opened: Some(bracket..bracket + 1),
        })
    }

    /// Goes behind a string; tells if it does not end where it should.
    fn string(&mut self, quote: char) -> Option<Fault> {
        let start = self.place;
        let rest = &self.text[start..];
        let threefold: String = std::iter::repeat_n(quote, 3).collect();
        if !rest.starts_with(&threefold) {
            let line = rest.lines().next().unwrap_or(rest);
            let Some(n_bytes) = closing_quote(line, quote) else {
                return Some(Fault {
                    message: "a quote is missing at the end of this string",
                    help: "strings end on the line on which they begin; bodies of several lines stand in `'''`",
                    at: start..start + line.trim_end().len(),
                    opened: None,
                });
            };
            self.place = start + n_bytes;
            self.code_end = self.place;
            return None;
        }
        let n_inner = rest[3..].find(&threefold).unwrap_or(rest.len() - 3);
        let mut line_start = start + 3;
        let mut code_end = start + 3;
        // The last line is the one of the closing quotes, which may be those of the next body.
        for line in rest[3..3 + n_inner].split_inclusive('\n') {
            let whole = self.text[line_start..].lines().next().unwrap_or(line);
            if line_start > start + 3 && begins_key(whole) {
                return Some(Fault {
                    message: "the end of a body is missing",
                    help: "close it with the quotes that open it, on a line of their own",
                    at: last_byte(self.text, code_end),
                    opened: Some(start..start + 3),
                });
            }
            line_start += line.len();
            if !line.trim().is_empty() {
                code_end = line_start - (line.len() - line.trim_end().len());
            }
        }
        if !rest[3..].contains(&threefold) {
            return Some(Fault {
                message: "the end of a body is missing",
                help: "close it with the quotes that open it, on a line of their own",
                at: last_byte(self.text, code_end),
                opened: Some(start..start + 3),
            });
        }
        // Up to two more quotes may stand in front of the closing ones.
        let behind = start + 3 + n_inner + 3;
        let n_more = self
            .text
            .get(behind..)
            .map_or(0, |rest| rest.chars().take(2).take_while(|&letter| letter == quote).count());
        self.place = (behind + n_more).min(self.text.len());
        self.code_end = self.place;
        None
    }
}

/// Bytes of a string on one line, quotes included.
fn closing_quote(line: &str, quote: char) -> Option<usize> {
    let mut letters = line.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        if letter == quote {
            return Some(at + 1);
        }
        if letter == '\\' && quote == '"' {
            letters.next();
        }
    }
    None
}

/// Whether a key or a table begins here, where a line begins.
fn begins_section(rest: &str) -> bool {
    let line = rest.lines().next().unwrap_or("");
    is_table(line) || key_of(line).is_some()
}

/// Whether a line that stands in a body looks like one that stands behind it.
fn begins_key(line: &str) -> bool {
    let is_key = key_of(line).is_some_and(|(key, value)| {
        let opens = ["[", "\"", "'", "{"].iter().any(|sign| value.starts_with(sign));
        let is_flag = value == "true" || value == "false";
        BODY_ENDS.contains(&key) && (opens || is_flag) && !value.ends_with(';')
    });
    is_key || is_table(line)
}

/// Whether a line is the head of a table of a program file.
fn is_table(line: &str) -> bool {
    ["[graph.", "[layout.", "[type."].iter().any(|head| line.starts_with(head))
}

/// The key and the value of a line such as `key = value`.
fn key_of(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once('=')?;
    let key = key.trim_end();
    let is_word =
        !key.is_empty() && key.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    (is_word && !value.starts_with('=')).then(|| (key, value.trim()))
}

/// The last line with code in front of the line of `error`, and its place.
fn line_before(text: &str, error: usize) -> Option<(&str, usize)> {
    let before = text.get(..error)?;
    let line_start = before.rfind('\n')? + 1;
    let mut place = line_start;
    for line in before[..line_start].split_inclusive('\n').rev() {
        place -= line.len();
        if !line.trim().is_empty() && !line.trim_start().starts_with('#') {
            return Some((line, place));
        }
    }
    None
}

/// What is missing at the end of a line, but missed by the parser in the next one.
fn unfinished_line(text: &str, error: usize, line: &str, place: usize) -> Option<Fault> {
    let fault = |message, help, end: usize| {
        Some(Fault { message, help, at: last_byte(text, place + end), opened: None })
    };
    let indent = line.len() - line.trim_start().len();
    let code = &line[indent..];
    if let Some((_, value)) = key_of(code) {
        let value = value.split('#').next().unwrap_or(value).trim();
        let end = line.trim_end().len();
        return match value {
            "" => fault("a value is missing", "write it behind the `=`; lists stand in `[` and `]`", end),
            "''" | "\"\"" => {
                fault("quotes of a body are missing", "bodies of several lines stand in `'''`", end)
            }
            _ => None,
        };
    }
    let line_start = text[..error].rfind('\n')? + 1;
    let is_element =
        text[error..].starts_with(['"', '\'', '{', '[']) && text[line_start..error].trim().is_empty();
    let quote = code.chars().next().filter(|sign| matches!(sign, '"' | '\''))?;
    if !is_element {
        return None;
    }
    let end = indent + closing_quote(code, quote)?;
    fault("a comma is missing", "a comma stands behind each element but the last", end)
}

/// The last byte in front of `end`.
fn last_byte(text: &str, end: usize) -> Range<usize> {
    let start = text[..end].char_indices().next_back().map_or(0, |(start, _)| start);
    start..end
}
