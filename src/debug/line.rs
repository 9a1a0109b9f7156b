//! Lines of commands: pieces between `;`, words, quotes, redirection, and the columns of all of them.
//!
//! Nothing here knows a command. What stands in quotes or brackets is never cut, so that `when {print x; stop}` is one
//! command and `"a; b"` one word. Columns count characters from 1.

/// Why a line cannot be carried out as it stands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {message}")]
pub(super) struct LineError {
    /// Where in the line; one behind its last character at most.
    pub(super) column: usize,
    pub(super) message: String,
    /// What to say instead.
    pub(super) hint: String,
}

impl LineError {
    pub(super) fn new(column: usize, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { column, message: message.into(), hint: hint.into() }
    }
}

/// A part of a line with the column of its first character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece<'l> {
    pub(super) text: &'l str,
    pub(super) column: usize,
}

impl<'l> Piece<'l> {
    /// A whole line.
    pub(super) fn of(line: &'l str) -> Self {
        Self { text: line, column: 1 }
    }

    /// The part from one byte offset on up to another.
    pub(super) fn slice(self, start: usize, end: usize) -> Self {
        let column = self.column + self.text[..start].chars().count();
        Self { text: &self.text[start..end], column }
    }

    /// The part from a byte offset on.
    pub(super) fn from(self, start: usize) -> Self {
        self.slice(start, self.text.len())
    }

    /// Without white space at either end.
    pub(super) fn trim(self) -> Self {
        let start = self.text.len() - self.text.trim_start().len();
        self.slice(start, start + self.text.trim().len())
    }

    /// The column behind its last character.
    pub(super) fn end_column(self) -> usize {
        self.column + self.text.chars().count()
    }

    /// The byte offset of the first character outside of quotes and brackets for which `wanted` holds, which is
    /// given the offset, too.
    pub(super) fn find(
        self,
        mut wanted: impl FnMut(usize, char) -> bool,
    ) -> Result<Option<usize>, LineError> {
        let mut depth = 0_usize;
        let mut letters = self.text.char_indices();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '"' | '`' => skip_quoted(&mut letters, letter).ok_or_else(|| {
                    let column = self.slice(at, at).column;
                    let hint = format!("put a `{letter}` behind it; a quote inside is written `\\{letter}`");
                    LineError::new(column, "what is quoted here has no end", hint)
                })?,
                '\'' => skip_character(&mut letters),
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                _ if depth == 0 && wanted(at, letter) => return Ok(Some(at)),
                _ => {}
            }
        }
        Ok(None)
    }

    /// The column of the first bracket that is never closed; quotes are closed.
    pub(super) fn unclosed(self) -> Option<usize> {
        let mut open = Vec::new();
        let mut letters = self.text.char_indices();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '"' | '`' => skip_quoted(&mut letters, letter).unwrap_or(()),
                '\'' => skip_character(&mut letters),
                '(' | '[' | '{' => open.push(at),
                ')' | ']' | '}' => {
                    open.pop();
                }
                _ => {}
            }
        }
        open.first().map(|&at| self.slice(at, at).column)
    }

    /// The parts between characters outside of quotes and brackets, trimmed; empty ones, too.
    pub(super) fn split(self, separator: char) -> Result<Vec<Self>, LineError> {
        let mut parts = Vec::new();
        let mut rest = self;
        while let Some(end) = rest.find(|_, letter| letter == separator)? {
            parts.push(rest.slice(0, end).trim());
            rest = rest.from(end + separator.len_utf8());
        }
        parts.push(rest.trim());
        Ok(parts)
    }
}

/// Passes over the inside and the end of a quotation; `None` where it has no end.
fn skip_quoted(letters: &mut std::str::CharIndices<'_>, quote: char) -> Option<()> {
    while let Some((_, letter)) = letters.next() {
        if letter == '\\' {
            letters.next();
        } else if letter == quote {
            return Some(());
        }
    }
    None
}

/// Passes over a character literal, such as `'"'`; an apostrophe that begins none stands for itself.
fn skip_character(letters: &mut std::str::CharIndices<'_>) {
    let mut ahead = letters.clone();
    if let Some((_, '\\')) = ahead.next() {
        ahead.next();
    }
    if let Some((_, '\'')) = ahead.next() {
        *letters = ahead;
    }
}

/// Checks in which `;` is a sign of their own notation.
const SEQUENCES: [&str; 3] = ["chain", "linked", "path"];

/// Whether a command takes the rest of its line, with all `;` in it: a check of sequences does.
fn takes_rest(command: &str) -> bool {
    let mut words = command.split_whitespace();
    words.next() == Some("check") && words.next().is_some_and(|kind| SEQUENCES.contains(&kind))
}

/// The commands of a line, which `;` separates. Blank ones are left out, and so are comments, which begin with a `#`
/// in place of a command, or with one between white space.
pub(super) fn commands(line: &str) -> Result<Vec<Piece<'_>>, LineError> {
    let mut found = Vec::new();
    let mut rest = Piece::of(line).trim();
    while !rest.text.is_empty() && !rest.text.starts_with('#') {
        let is_space = |letter: Option<char>| letter.is_none_or(char::is_whitespace);
        let text = rest.text;
        let is_cut = !takes_rest(text);
        let ends = |at: usize, letter: char| {
            letter == ';' && is_cut
                || letter == '#'
                    && is_space(text[..at].chars().next_back())
                    && is_space(text[at + 1..].chars().next())
        };
        let end = rest.find(ends)?;
        let command = rest.slice(0, end.unwrap_or(rest.text.len())).trim();
        if !command.text.is_empty() {
            found.push(command);
        }
        let Some(end) = end.filter(|&end| text[end..].starts_with(';')) else { break };
        rest = rest.from(end + 1).trim();
    }
    Ok(found)
}

/// Where the output of a command goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Redirection {
    /// Behind what the file holds already.
    pub(super) appends: bool,
    pub(super) path: String,
    /// The column of the `>`.
    pub(super) column: usize,
}

/// Cuts `> FILE` or `>> FILE` off a command. `>=`, `->` and `=>` are operators, and so is `>` in brackets.
pub(super) fn redirection(command: Piece<'_>) -> Result<(Piece<'_>, Option<Redirection>), LineError> {
    let bytes = command.text.as_bytes();
    let is_redirection = |at: usize, letter: char| {
        let before = at.checked_sub(1).map(|before| bytes[before]);
        letter == '>' && bytes.get(at + 1) != Some(&b'=') && !matches!(before, Some(b'-' | b'='))
    };
    let Some(at) = command.find(is_redirection)? else { return Ok((command, None)) };
    let mark = command.from(at);
    let appends = mark.text.starts_with(">>");
    let names = words(mark.from(if appends { 2 } else { 1 }))?;
    let hint =
        "say `COMMAND > FILE`, or `COMMAND >> FILE` to append; put a comparison in brackets: `(x > 1)`";
    match &names[..] {
        [name] => {
            let path = name.text.clone();
            Ok((command.slice(0, at).trim(), Some(Redirection { appends, path, column: mark.column })))
        }
        [] => Err(LineError::new(command.end_column(), "the name of a file is missing", hint)),
        [_, more, ..] => Err(LineError::new(more.column, "the name of one file is expected", hint)),
    }
}

/// A word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) column: usize,
    /// Without the quotes.
    pub(super) text: String,
}

/// The words of a piece: what white space outside of quotes and brackets separates.
pub(super) fn words(piece: Piece<'_>) -> Result<Vec<Word>, LineError> {
    let mut words = Vec::new();
    let mut rest = piece.trim();
    while !rest.text.is_empty() {
        let end = rest.find(|_, letter| letter.is_whitespace())?.unwrap_or(rest.text.len());
        let word = rest.slice(0, end);
        words.push(Word { column: word.column, text: unquoted(word.text) });
        rest = rest.from(end).trim();
    }
    Ok(words)
}

/// A text without its double quotes; inside, `\"` and `\\` stand for the character alone. Quotes within `[` and `]`
/// stay as they are: they are those of keys, as in `City["berlin"]`.
pub(super) fn unquoted(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.char_indices();
    let mut is_inside = false;
    let mut depth = 0_usize;
    while let Some((at, letter)) = letters.next() {
        if !is_inside {
            match letter {
                '[' => depth += 1,
                ']' => depth = depth.saturating_sub(1),
                '"' if depth > 0 => {
                    skip_quoted(&mut letters, letter).unwrap_or(());
                    plain.push_str(&text[at..letters.offset()]);
                    continue;
                }
                _ => {}
            }
        }
        match letter {
            '"' => is_inside = !is_inside,
            '\\' if is_inside => match letters.next() {
                Some((_, escaped @ ('"' | '\\'))) => plain.push(escaped),
                Some((_, other)) => plain.extend(['\\', other]),
                None => plain.push('\\'),
            },
            letter => plain.push(letter),
        }
    }
    plain
}

/// A text as one quoted word: the inverse of [`unquoted`].
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A word as it is to be written in a line: quoted where it would be cut otherwise.
pub(super) fn as_word(text: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "_-./+~:@%*[]".contains(letter);
    let is_whole = Piece::of(text).unclosed().is_none();
    if !text.is_empty() && is_whole && text.chars().all(is_plain) { text.to_owned() } else { quoted(text) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check_commands(line: &str, expected: &[(usize, &str)]) {
        let found = commands(line).expect("nothing wrong");
        let found: Vec<_> = found.iter().map(|piece| (piece.column, piece.text)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn semicolons_in_quotes_and_brackets_separate_nothing() {
        check_commands("run; graphs", &[(1, "run"), (6, "graphs")]);
        check_commands(" ;; run ;", &[(5, "run")]);
        check_commands(
            "when at befcomp {print a; dump;}; cont",
            &[(1, "when at befcomp {print a; dump;}"), (35, "cont")],
        );
        check_commands(r#"alias x "a; b"; x"#, &[(1, r#"alias x "a; b""#), (17, "x")]);
        check_commands("ä; # don't, \"", &[(1, "ä")]);
        check_commands("# quit", &[]);
        check_commands("where # don't; quit", &[(1, "where")]);
        check_commands("print #{a: 1}; x#y", &[(1, "print #{a: 1}"), (16, "x#y")]);
    }

    #[test]
    fn semicolons_of_a_check_of_sequences_separate_nothing() {
        for kind in
            ["chain Solve ; (Mult+ ; Solve)*", "linked Dist ; (Mult)3 ; Gath", "path a ; b", "linked A;B"]
        {
            let check = format!("check {kind}");
            check_commands(&check, &[(1, &check)]);
            check_commands(&format!("run; {check}  # why"), &[(1, "run"), (6, &check)]);
        }
        check_commands("check pred chain {linked}; run", &[(1, "check pred chain {linked}"), (28, "run")]);
        check_commands("checkset chain; run", &[(1, "checkset chain"), (17, "run")]);
    }

    #[test]
    fn words_have_columns_and_lose_their_quotes() {
        let found = words(Piece::of(" ä  \"b c\"\td\"e\"[0, 1]")).expect("nothing wrong");
        let found: Vec<_> = found.iter().map(|word| (word.column, word.text.as_str())).collect();
        assert_eq!(found, [(2, "ä"), (5, "b c"), (11, "de[0, 1]")]);
        let found = words(Piece::of(r#"City["a \"b"]:1 "[" "d" "x[\"b\"]""#)).expect("nothing wrong");
        let found: Vec<_> = found.iter().map(|word| word.text.as_str()).collect();
        assert_eq!(found, [r#"City["a \"b"]:1"#, "[", "d", r#"x["b"]"#]);
        let error = words(Piece::of("ä \"b")).expect_err("no end");
        assert_eq!(error.column, 3);
    }

    #[test]
    fn output_goes_where_a_lone_sign_points() {
        let redirected = |line| redirection(Piece::of(line)).expect("nothing wrong");
        let (command, to) = redirected("print (x > 1) > \"a b\"");
        assert_eq!(command.text, "print (x > 1)");
        assert_eq!(to, Some(Redirection { appends: false, path: "a b".to_owned(), column: 15 }));
        let (command, to) = redirected("lse>>events");
        assert_eq!(
            (command.text, to.map(|to| (to.appends, to.path))),
            ("lse", Some((true, "events".to_owned())))
        );
        for line in ["print x >= 1", "m -> s", "a => b"] {
            assert_eq!(redirected(line), (Piece::of(line), None));
        }
        assert_eq!(redirection(Piece::of("status >")).expect_err("no file").column, 9);
        assert_eq!(redirection(Piece::of("status > a b")).expect_err("two").column, 12);
    }

    proptest! {
        #[test]
        fn what_is_quoted_is_read_back(text in "\\PC{0,20}") {
            let line = as_word(&text);
            let found = words(Piece::of(&line)).expect("nothing wrong");
            prop_assert_eq!(found.len(), 1);
            prop_assert_eq!(&found[0].text, &text);
        }

        #[test]
        fn no_line_is_a_trap(line in "[ a-c;>#\"'`{}()\\[\\]\\\\ä]{0,30}") {
            let most = line.chars().count() + 1;
            match commands(&line) {
                Err(error) => prop_assert!((1..=most).contains(&error.column)),
                Ok(found) => for piece in found {
                    prop_assert!(!piece.text.is_empty() && piece.end_column() <= most);
                    let outcome = redirection(piece).and_then(|(command, _)| words(command));
                    if let Err(error) = outcome {
                        prop_assert!((1..=most).contains(&error.column));
                    }
                },
            }
        }
    }
}
