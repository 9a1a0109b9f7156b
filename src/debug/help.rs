//! What `help` says, and the page `docs/commands.md`: both from the table.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::alias::{Aliases, Definition};
use super::line::LineError;
use super::table::row::{Row, Subject};
use super::table::{self, rows};
use crate::suggest;

/// Lists all commands by subject.
pub(super) fn list(out: &mut dyn Write) -> io::Result<()> {
    let names: Vec<(String, &Row)> = rows().map(|row| (names(row), row)).collect();
    let width = names.iter().map(|(names, _)| names.len()).max().unwrap_or(0);
    for subject in Subject::ALL {
        writeln!(out, "{}", subject.title())?;
        for (names, row) in names.iter().filter(|(_, row)| row.subject == subject) {
            let mark = if row.is_redirectable { '>' } else { ' ' };
            writeln!(out, "  {names:width$} {mark} {}", row.meaning)?;
        }
        writeln!(out)?;
    }
    writeln!(out, "`help COMMAND` tells more of one. `;` separates commands, `#` begins a comment.")?;
    writeln!(out, "The output of commands with > can go to a file: `COMMAND > FILE`, or >> to append.")
}

/// A command with its other names.
fn names(row: &Row) -> String {
    row.aliases.iter().fold(row.name.to_owned(), |names, alias| format!("{names}, {alias}"))
}

/// Tells all of one command or alias.
pub(super) fn describe(
    name: &str,
    column: usize,
    aliases: &Aliases,
    out: &mut dyn Write,
) -> Result<io::Result<()>, LineError> {
    if let Some(alias) = aliases.get(name) {
        return Ok(writeln!(out, "{}", Definition(name, alias)));
    }
    let Some(row) = table::find(name) else {
        let known = rows().map(|row| row.name).chain(aliases.iter().map(|(name, _)| name));
        let hint = suggest::help(name, known, "`help` lists all commands");
        return Err(LineError::new(column, format!("there is no command `{name}`"), hint));
    };
    Ok(out.write_all(description(row).as_bytes()))
}

fn description(row: &Row) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}\n  {}", row.synopsis(), row.meaning);
    for line in row.help.lines() {
        let _ = writeln!(text, "  {}", line.trim());
    }
    if !row.aliases.is_empty() {
        let _ = writeln!(text, "  also: {}", row.aliases.join(", "));
    }
    if !row.contexts.is_empty() {
        let _ = writeln!(text, "  legal in: {}", row.context_names());
    }
    if row.is_redirectable {
        let _ = writeln!(text, "  its output can go to a file: {} > FILE", row.name);
    }
    text
}

/// The page `docs/commands.md`.
pub(super) fn markdown() -> String {
    let mut text = "# Commands of sessions\n\n\
        <!-- Made from the table in src/debug/table by `HASSE_BLESS=1 cargo test --test cli commands`. -->\n\n\
        What can be said in [`hasse debug`](session.md), as `help` tells it. A line may hold several commands with `;` between them; `#` in \
        place of a command begins a comment.\nWhere the output can go to a file, `COMMAND > FILE` writes it and `COMMAND >> FILE` appends \
        it; a comparison then goes into brackets, as in `(x > 1)`.\n"
        .to_owned();
    for subject in Subject::ALL {
        let _ = writeln!(text, "\n## {}\n", subject.title());
        text += "| command | also | to a file | legal in | what it does |\n|---|---|---|---|---|\n";
        for row in rows().filter(|row| row.subject == subject) {
            let also: Vec<String> = row.aliases.iter().map(|alias| format!("`{alias}`")).collect();
            let contexts = row.context_names();
            let _ = writeln!(
                text,
                "| `{}` | {} | {} | {} | {} |",
                row.name,
                also.join(", "),
                if row.is_redirectable { "yes" } else { "" },
                if contexts.is_empty() { "everywhere" } else { &contexts },
                row.meaning.replace('|', "\\|"),
            );
        }
        for row in rows().filter(|row| row.subject == subject) {
            let _ = writeln!(text, "\n### {}\n\n    {}\n", row.name, row.synopsis());
            for line in row.help.lines() {
                let _ = writeln!(text, "{}", escaped(line.trim()));
            }
        }
    }
    text
}

/// A line in which what is not code is not taken for markup.
fn escaped(line: &str) -> String {
    let mut is_code = false;
    let mut text = String::new();
    for letter in line.chars() {
        is_code ^= letter == '`';
        if !is_code && "<>[]*_".contains(letter) {
            text.push('\\');
        }
        text.push(letter);
    }
    text
}
