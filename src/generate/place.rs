//! Where lines of generated code come from: comments around each text name its file and line.

use hasse_model::diagnostic::Location;

/// The comment in front of a text that begins at a place of the program file.
pub(crate) fn begin(file: &str, at: Location) -> String {
    match at.column {
        0 | 1 => format!("// {file}:{}", at.line),
        column => format!("// {file}:{}:{column}", at.line),
    }
}

/// The comment behind a text.
pub(crate) fn end(file: &str) -> String {
    format!("// {file}: end")
}

/// The place in the program file `program`, named `file`, of a line and column of generated code, both from 1; `None`
/// where they are not within a text of the file. Cost: linear in both.
pub(crate) fn in_program(
    generated: &str,
    file: &str,
    program: &str,
    (line, column): (u32, u32),
) -> Option<Location> {
    let before: Vec<&str> = generated.lines().take(line.saturating_sub(1) as usize).collect();
    let (n_back, begun) = before.iter().rev().enumerate().find_map(|(n_back, before)| {
        let told = before.trim().strip_prefix("// ")?.strip_prefix(file)?.strip_prefix(':')?;
        Some((n_back as u32, told))
    })?;
    let mut numbers = begun.split(':').map(|number| number.trim().parse::<u32>().ok());
    let first_line = numbers.next().flatten()?;
    let first_column = numbers.next().flatten().unwrap_or(1);
    let column = if n_back == 0 { column + first_column - 1 } else { column };
    Some(location(program, first_line + n_back, column))
}

/// The place of a line and column of a text, both from 1. Cost: linear.
pub(crate) fn location(text: &str, line: u32, column: u32) -> Location {
    let n_before = line.saturating_sub(1) as usize;
    let line_start = if n_before == 0 {
        Some(0)
    } else {
        text.match_indices('\n').nth(n_before - 1).map(|(at, _)| at + 1)
    };
    let line_start = line_start.unwrap_or(text.len());
    let whole = text[line_start..].lines().next().unwrap_or_default();
    let n_letters = column.saturating_sub(1) as usize;
    let n_bytes = whole.char_indices().nth(n_letters).map_or(whole.len(), |(at, _)| at);
    let start = (line_start + n_bytes) as u32;
    Location { start, end: start, line, column }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn lines_of_texts_are_found_and_no_others() {
        let program = "one\ntwo = 'ab'\n";
        let at = location(program, 2, 8);
        let generated = format!("fn a() {{\n    {}\nab\n    {}\n}}\n", begin("p.hasse", at), end("p.hasse"));
        let found = in_program(&generated, "p.hasse", program, (3, 2)).unwrap();
        assert_eq!((found.line, found.column, found.start), (2, 9, 12));
        assert_eq!(in_program(&generated, "p.hasse", program, (1, 1)), None);
        assert_eq!(in_program(&generated, "p.hasse", program, (5, 1)), None);
    }
}
