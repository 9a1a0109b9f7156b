//! Completion of commands, arguments, paths and names, from the table.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::alias;
use super::line::{self, as_word};
use super::table::row::Completes;
use super::table::{self, rows};

/// Most candidates that are offered.
const MOST: usize = 200;

/// What a session knows beside the table.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    pub(super) aliases: Vec<String>,
    /// Nodes, actions and paths.
    pub(super) selectors: BTreeSet<String>,
    /// What can be selected from the present scope.
    pub(super) scopes: BTreeSet<String>,
    /// Names that the present scope sees.
    pub(super) symbols: BTreeSet<String>,
    /// Where files are looked for beside the current folder.
    pub(super) folder: PathBuf,
}

/// What may stand in place of the word in front of a byte offset of a line: where the word begins, and the candidates in
/// order.
pub(super) fn complete(line: &str, at: usize, known: &Known) -> (usize, Vec<String>) {
    let typed = &line[..at];
    let piece_start = line::commands(typed).map_or(0, |pieces| match pieces.last() {
        // Behind a `;` with nothing but space there is a new command.
        Some(last) if !typed.trim_end().ends_with(';') => {
            last.text.as_ptr() as usize - typed.as_ptr() as usize
        }
        _ => at,
    });
    let piece = &typed[piece_start..];
    let is_between = |letter: char| letter.is_whitespace() || ",({>".contains(letter);
    let start =
        piece.rfind(is_between).map_or(0, |end| end + piece[end..].chars().next().map_or(1, char::len_utf8));
    let word = &piece[start..];
    let before = piece[..start].trim_end();
    let kinds: &[Completes] = if before.is_empty() {
        &[Completes::Command]
    } else if before.ends_with('>') {
        &[Completes::File]
    } else {
        let name = &before[..alias::name_end(before)];
        let arg_idx = before.split_whitespace().count() - 1;
        let completes = table::find(name).map_or(&[][..], |row| row.completes);
        completes.get(arg_idx).or(completes.last()).copied().unwrap_or(&[])
    };
    let mut found = BTreeSet::new();
    for kind in kinds {
        candidates(*kind, word, known, &mut found);
    }
    (piece_start + start, found.into_iter().take(MOST).collect())
}

fn candidates(kind: Completes, word: &str, known: &Known, found: &mut BTreeSet<String>) {
    let mut put = |text: &str| {
        if text.starts_with(word) {
            found.insert(text.to_owned());
        }
    };
    match kind {
        Completes::Words(words) => words.iter().for_each(|text| put(text)),
        Completes::Command => {
            rows().for_each(|row| put(row.name));
            known.aliases.iter().for_each(|name| put(name));
        }
        Completes::Alias => known.aliases.iter().for_each(|name| put(name)),
        Completes::Selector => known.selectors.iter().for_each(|text| put(text)),
        Completes::Scope => known.scopes.iter().for_each(|text| put(text)),
        Completes::Symbol => known.symbols.iter().for_each(|text| put(text)),
        Completes::File => files(word, &known.folder, found),
    }
}

/// Files that begin like this in the current folder and beside the program; a folder ends with a slash.
fn files(word: &str, beside: &Path, found: &mut BTreeSet<String>) {
    let typed = word.trim_start_matches('"');
    let (folder, begin) = match typed.rfind('/') {
        Some(end) => typed.split_at(end + 1),
        None => ("", typed),
    };
    for root in [Path::new("."), beside] {
        let Ok(entries) = fs::read_dir(root.join(folder)) else { continue };
        for entry in entries.flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            if !name.starts_with(begin) || (name.starts_with('.') && !begin.starts_with('.')) {
                continue;
            }
            let is_folder = entry.path().is_dir();
            let path = format!("{folder}{name}{}", if is_folder { "/" } else { "" });
            found.insert(if is_folder { path } else { as_word(&path) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Known {
        let set = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        Known {
            aliases: vec!["again".to_owned()],
            selectors: set(&["/Mult", "/Mult[1]", "Mult", "Solve"]),
            scopes: set(&["..", "/", "/Mult[1]", "Mult"]),
            symbols: set(&["acc", "n"]),
            folder: PathBuf::from("examples/bts"),
        }
    }

    #[track_caller]
    fn check(line: &str, start: usize, expected: &[&str]) {
        assert_eq!(
            complete(line, line.len(), &known()),
            (start, expected.iter().map(|&text| text.to_owned()).collect())
        );
    }

    #[test]
    fn commands_and_aliases_stand_first() {
        check("ru", 0, &["run"]);
        check("a", 0, &["again", "alias", "assign"]);
        check("run; ver", 5, &["verdicts"]);
        check("xyz", 0, &[]);
    }

    #[test]
    fn arguments_are_those_of_the_row() {
        check("mode re", 5, &["record", "replay"]);
        check("mode record m", 12, &["minimal"]);
        check("rcopt Mult ", 11, &["full", "off", "restrict"]);
        check("check pred Mult {S", 17, &["Solve"]);
        check("disp Mult,So", 10, &["Solve"]);
        check("cd /M", 3, &["/Mult[1]"]);
        check("whatis a", 7, &["acc"]);
        check("help verd", 5, &["verdicts"]);
        check("unalias ", 8, &["again"]);
        check("export gr", 7, &["graphml"]);
        check("graphs el", 7, &["elaborated"]);
        check("perf by ac", 8, &["action"]);
        check("history Mul", 8, &["Mult"]);
        check("values /M", 7, &["/Mult[1]"]);
        check("isolate Mult sa", 13, &["save"]);
    }

    #[test]
    fn files_are_found_here_and_beside_the_program() {
        check("source walk", 7, &["walkthrough.commands"]);
        check("source examples/bts/walk", 7, &["examples/bts/walkthrough.commands"]);
        check("status > exampl", 9, &["examples/"]);
        check("lsi >exampl", 5, &["examples/"]);
    }
}
