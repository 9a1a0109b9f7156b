use std::fs;
use std::path::Path;

use super::support::{Folder, repository};

fn page(name: &str) -> String {
    fs::read_to_string(repository().join(name)).unwrap()
}

/// Texts of the files in Rust in a folder and those within it.
fn sources(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let texts = entries.flat_map(|path| match path.extension() {
        _ if path.is_dir() => sources(&path),
        Some(extension) if extension == "rs" => vec![fs::read_to_string(&path).unwrap()],
        _ => Vec::new(),
    });
    texts.collect()
}

#[test]
fn every_code_of_a_run_is_listed() {
    let mut n_codes = 0;
    for source in sources(&repository().join("runtime")) {
        for code in source.split("\"R00").skip(1).map(|rest| format!("R00{}", &rest[..2])) {
            assert!(hasse_runtime::codes::CODES.iter().any(|(known, _)| *known == code), "{code}");
            n_codes += 1;
        }
    }
    assert!(n_codes > hasse_runtime::codes::CODES.len());
}

#[test]
fn the_functions_of_the_book_exist() {
    let section = page("docs/language/functions.md");
    let functions = hasse_body::functions();
    let table =
        section.lines().filter(|line| line.starts_with("| `")).map(|line| line.split(" | ").next().unwrap());
    let mut n_names = 0;
    for call in table.flat_map(|cell| cell.split('`')).filter(|text| text.contains('(')) {
        let name = call.split('(').next().unwrap().rsplit('.').next().unwrap();
        assert!(functions.get(name).is_some(), "{name} in `{call}`");
        n_names += 1;
    }
    assert!(n_names > 30);
}

#[test]
fn the_readme_shows_commands_that_exist() {
    let folder = Folder::new();
    let readme = page("README.md");
    let commands = readme.lines().filter_map(|line| line.strip_prefix("    hasse "));
    let mut n_commands = 0;
    for command in commands {
        let words: Vec<_> =
            command.split_whitespace().take_while(|word| !word.contains(['.', '-'])).collect();
        folder.hasse(&[&words[..], &["--help"]].concat()).ends(0);
        n_commands += 1;
    }
    assert!(n_commands >= 8);
}

#[test]
fn ci_runs_the_readmes_test_command() {
    let readme = page("README.md");
    let command = readme
        .lines()
        .filter_map(|line| line.strip_prefix("    "))
        .find(|line| line.starts_with("cargo test"));
    let ci = page(".ci/run");
    assert!(ci.lines().any(|line| Some(line) == command), "{command:?}");
}
