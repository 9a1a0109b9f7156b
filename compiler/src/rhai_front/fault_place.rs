//! Where the mistake is in a Rhai text that cannot be parsed.
//!
//! Rhai reports what is missing where it misses it: a `;` at the next statement, a `}` at the end of the text.
//! A person has to look at the end of the line before, or at the block that is not closed.

/// What the signs of a text are part of.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Code,
    /// A string, up to this quote.
    String(char),
    LineComment,
    BlockComment,
}

/// Behind the code of the lines in front of `at`, if nothing stands in front of it on its own line.
pub(super) fn end_of_line_before(text: &str, at: usize) -> Option<usize> {
    let line_start = text.get(..at)?.rfind('\n')? + 1;
    if !text[line_start..at].trim().is_empty() {
        return None;
    }
    let mut end = None;
    for_each_code(&text[..line_start], |place, sign| {
        if !sign.is_whitespace() {
            end = Some(place + sign.len_utf8());
        }
    });
    end
}

/// The brace of a block that is not closed. If a brace closes a block that begins further to the right than the
/// line of that brace, it was meant to close another one, and that block is open.
pub(super) fn unclosed_brace(text: &str) -> Option<usize> {
    let mut open = Vec::new();
    let mut suspect = None;
    for_each_code(text, |place, sign| match sign {
        '{' => open.push(place),
        '}' => {
            if let Some(opened) = open.pop()
                && is_first_of_line(text, place)
                && indent(text, place) < indent(text, opened)
            {
                suspect.get_or_insert(opened);
            }
        }
        _ => {}
    });
    suspect.or_else(|| open.last().copied())
}

fn line_start(text: &str, place: usize) -> usize {
    text[..place].rfind('\n').map_or(0, |newline| newline + 1)
}

fn is_first_of_line(text: &str, place: usize) -> bool {
    text[line_start(text, place)..place].trim().is_empty()
}

fn indent(text: &str, place: usize) -> usize {
    let line = &text[line_start(text, place)..];
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// Hands over all signs that are neither in comments nor within strings; the quotes themselves are handed over.
fn for_each_code(text: &str, mut take: impl FnMut(usize, char)) {
    let mut part = Part::Code;
    let mut signs = text.char_indices().peekable();
    while let Some((place, sign)) = signs.next() {
        let next = signs.peek().map(|(_, next)| *next);
        match part {
            Part::Code => match (sign, next) {
                ('/', Some('/')) => part = Part::LineComment,
                ('/', Some('*')) => {
                    signs.next();
                    part = Part::BlockComment;
                }
                ('"' | '\'' | '`', _) => {
                    take(place, sign);
                    part = Part::String(sign);
                }
                _ => take(place, sign),
            },
            Part::String(quote) => {
                if sign == '\\' && quote != '`' {
                    signs.next();
                } else if sign == quote {
                    take(place, sign);
                    part = Part::Code;
                }
            }
            Part::LineComment => {
                if sign == '\n' {
                    part = Part::Code;
                }
            }
            Part::BlockComment => {
                if (sign, next) == ('*', Some('/')) {
                    signs.next();
                    part = Part::Code;
                }
            }
        }
    }
}
