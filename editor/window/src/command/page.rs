//! The page of keys in the book says what the code does.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use hasse_editor::state::action::{ACTIONS, Category};

use super::{Command, Group};

const BEGIN: &str = "<!-- keys: made of the code by HASSE_BLESS=1 cargo test -p hasse-window keys -->\n";
const END: &str = "<!-- end of keys -->\n";

/// A cell of a table, with the signs that would end it written otherwise.
fn keys_cell(keys: &[String]) -> String {
    let shown =
        keys.iter().map(|key| if key.contains('`') { format!("`` {key} ``") } else { format!("`{key}`") });
    shown.collect::<Vec<_>>().join(", ")
}

fn table(title: &str, rows: impl IntoIterator<Item = (&'static str, Vec<String>)>) -> String {
    let mut text = format!("### {title}\n| what | keys |\n|---|---|\n");
    for (name, keys) in rows {
        let _ = writeln!(text, "| {} | {} |", name.trim_end_matches("..."), keys_cell(&keys));
    }
    text.push('\n');
    text
}

fn tables() -> String {
    let mut text = BEGIN.to_owned();
    for category in Category::ALL {
        let rows = ACTIONS.iter().filter(|info| info.category == category);
        text += &table(
            category.name(),
            rows.map(|info| (info.name, info.shortcuts.iter().map(ToString::to_string).collect())),
        );
    }
    let groups = [
        (Group::File, "File, of the window"),
        (Group::View, "View, of the window"),
        (Group::Run, "Run"),
        (Group::Record, "Record"),
        (Group::Window, "Window"),
        (Group::Help, "Help"),
        (Group::Context, "On what is selected"),
    ];
    for (group, title) in groups {
        let rows: Vec<_> = Command::ALL.iter().filter(|command| command.group() == group).collect();
        if !rows.is_empty() {
            let keys = |command: &Command| {
                Some(command.keys().to_owned()).into_iter().filter(|keys| !keys.is_empty()).collect()
            };
            text += &table(title, rows.into_iter().map(|command| (command.name(), keys(command))));
        }
    }
    text + END
}

#[test]
fn keys_of_the_book_are_those_of_the_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/editor/keys.md");
    let page = fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).expect("the page has tables");
    let (_, after) = rest.split_once(END).expect("the tables end");
    let told = format!("{before}{}{after}", tables());
    if std::env::var_os("HASSE_BLESS").is_some() {
        fs::write(path, told).unwrap();
    } else {
        assert_eq!(page, told, "HASSE_BLESS=1 cargo test -p hasse-window keys");
    }
}

#[test]
fn keys_are_written_as_they_are_bound() {
    for command in Command::ALL {
        let bound = command
            .shortcut()
            .map(|(key, modifiers)| hasse_editor::state::input::Shortcut { key, modifiers }.to_string());
        assert_eq!(bound.unwrap_or_default(), command.keys(), "{command:?}");
    }
}

#[test]
fn no_key_means_two_things() {
    let mut bound: Vec<String> =
        ACTIONS.iter().flat_map(|info| info.shortcuts.iter().map(ToString::to_string)).collect();
    bound
        .extend(Command::ALL.iter().map(|command| command.keys().to_owned()).filter(|keys| !keys.is_empty()));
    bound.sort();
    let twice: Vec<_> = bound.windows(2).filter(|pair| pair[0] == pair[1]).collect();
    assert!(twice.is_empty(), "{twice:?}");
}
