//! What is no command says where and how; no line is a trap.

use proptest::prelude::*;

use super::super::line::Piece;
use super::*;

fn read(line: &str) -> Result<Vec<Parsed>, LineError> {
    line::commands(line)?.into_iter().map(|piece| parse(piece, &[])).collect()
}

#[test]
fn lines_that_are_no_commands_say_where_and_how() {
    let lines = include_str!("wrong-lines");
    let report: String = lines
        .lines()
        .map(|line| {
            let error = read(line).map(|_| ()).expect_err(line);
            format!("{line}\n{}^ {}\n    {}\n", " ".repeat(error.column - 1), error.message, error.hint)
        })
        .collect();
    insta::assert_snapshot!(report);
}

#[test]
fn blank_lines_and_comments_are_passed_over() {
    for line in ["", "   ", "# check pred u {v}", "  # quit", ";; # quit"] {
        assert!(read(line).expect("nothing wrong").is_empty());
    }
}

#[test]
fn names_are_unique_and_every_row_is_told_of() {
    let mut names: Vec<&str> =
        rows().flat_map(|row| row.aliases.iter().chain([&row.name])).copied().collect();
    let n_names = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), n_names, "a name is given twice");
    for row in rows() {
        assert!(!row.meaning.is_empty() && !row.help.is_empty(), "{}", row.name);
        assert!(!(row.is_text && row.is_redirectable && row.name != "print"), "{}", row.name);
        assert!(row.help.lines().all(|line| line.chars().count() <= 120), "{}", row.name);
    }
}

/// Every example in the help is a command, or several.
#[test]
fn examples_of_the_help_are_commands() {
    for row in rows() {
        let example = row.help.split_once("Example: ").map_or("", |(_, example)| example);
        let quoted: Vec<&str> = example.split('`').skip(1).step_by(2).collect();
        for text in quoted.iter().filter(|text| !text.starts_with("only(")) {
            if let Err(error) = read(text) {
                panic!("{}: `{text}`: {error}", row.name);
            }
        }
    }
}

proptest! {
    #[test]
    fn a_line_is_a_command_or_an_error_within_it(
        name in prop::sample::select(rows().map(|row| row.name).collect::<Vec<_>>()),
        rest in "[ a-z0-9ä.,:;>&#\"'`{}()\\[\\]\\\\/*-]{0,24}",
    ) {
        for line in [format!("{name} {rest}"), format!("{name}{rest}"), rest.clone()] {
            if let Err(error) = read(&line) {
                prop_assert!((1..=line.chars().count() + 1).contains(&error.column), "{line:?}: {error}");
                prop_assert!(!error.message.is_empty());
            }
        }
    }

    #[test]
    fn what_defines_an_alias_is_read_back(
        name in "[a-z_][a-z0-9_]{0,6}",
        params in prop::option::of(prop::collection::btree_set("[a-z]{1,3}", 0..3)),
        text in "\\PC{0,20}",
    ) {
        use super::super::alias::{Alias, Definition};

        prop_assume!(name != "alias" && name != "unalias");
        let params = params.map(|params| params.into_iter().filter(|name| name != "alias").collect());
        let alias = Alias { params, text };
        let line = Definition(&name, &alias).to_string();
        match parse(Piece::of(&line), &[]).map(|parsed| parsed.command) {
            Ok(Command::Alias { name: read_name, alias: read_alias }) => {
                prop_assert_eq!((read_name, read_alias), (name, alias));
            }
            other => prop_assert!(false, "{line}: {other:?}"),
        }
    }
}
