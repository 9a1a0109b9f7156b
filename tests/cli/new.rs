use std::fs;

use super::support::{Folder, repository};

#[test]
fn the_program_to_begin_with_checks_runs_and_is_formatted() {
    let folder = Folder::new();
    let ran = folder.hasse(&["new", "first"]).ends(0);
    assert_eq!(ran.stdout, "made first; try: hasse run first/first.hasse\n");
    let ran = folder.hasse(&["check", "first/first.hasse"]).ends(0);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("first/first.hasse: no errors\n", ""));
    folder.hasse(&["fmt", "--check", "first"]).ends(0);
    let ran = folder.hasse(&["run", "first/first.hasse"]).ends(0);
    assert_eq!(ran.stdout, "4 squares\ntotal = 14\n");
    let readme = fs::read_to_string(folder.path("first/README.md")).unwrap();
    assert!(readme.starts_with("# first\n") && readme.contains("hasse run first.hasse"), "{readme}");
    for line in readme.lines().filter_map(|line| line.strip_prefix("| `hasse ")) {
        let command = line.split_whitespace().next().unwrap();
        folder.hasse(&[command, "--help"]).ends(0);
    }
}

#[test]
fn names_that_are_no_words_become_words() {
    let folder = Folder::new();
    for (name, graph) in [("my-app.v2", "my_app_v2"), ("3d", "program_3d"), ("sub", "sub")] {
        folder.hasse(&["new", name]).ends(0);
        let program = format!("{name}/{name}.hasse");
        folder.hasse(&["run", &program]).ends(0);
        let text = fs::read_to_string(folder.path(&program)).unwrap();
        assert!(text.contains(&format!("main  = \"{graph}\"\n")), "{text}");
    }
    folder.hasse(&["new", "sub/inner"]).ends(0);
    folder.hasse(&["run", "sub/inner/inner.hasse"]).ends(0);
    folder.hasse(&["new", "no/such/folder"]).ends(2);
    let ran = folder.hasse(&["new", ".."]).ends(2);
    assert_eq!(ran.stderr, "error: .. cannot be the name of a program\n");
}

#[test]
fn every_example_can_be_copied_and_is_the_one_in_the_repository() {
    let folder = Folder::new();
    let listed = folder.hasse(&["new", "--list"]).ends(0).stdout;
    let mut n_examples = 0;
    for example in fs::read_dir(repository().join("examples")).unwrap() {
        let example = example.unwrap();
        // A crate is no program to begin with.
        if !example.path().is_dir() || example.path().join("Cargo.toml").exists() {
            continue;
        }
        let name = example.file_name().into_string().unwrap();
        assert!(listed.lines().any(|line| line.starts_with(&format!("{name} "))), "{listed}");
        let copy = format!("my-{name}");
        folder.hasse(&["new", &copy, "--from", &name]).ends(0);
        for file in fs::read_dir(example.path()).unwrap() {
            let file = file.unwrap();
            if file.path().extension().is_some_and(|extension| extension == "hasse") {
                let path = folder.path(&copy).join(file.file_name());
                assert_eq!(fs::read(path).unwrap(), fs::read(file.path()).unwrap());
            }
        }
        n_examples += 1;
    }
    assert_eq!(listed.lines().count(), n_examples);
    let ran = folder.hasse(&["run", "my-bts/bts.hasse"]).ends(0);
    assert!(ran.stdout.contains("64 unknowns"), "{}", ran.shown());
}

#[test]
fn nothing_is_overwritten() {
    let folder = Folder::with("taken", "precious");
    let ran = folder.hasse(&["new", "taken"]).ends(2);
    insta::assert_snapshot!(ran.stderr);
    folder.hasse(&["new", "taken", "--from", "bts"]).ends(2);
    assert_eq!(fs::read_to_string(folder.path("taken")).unwrap(), "precious");
    fs::create_dir(folder.path("empty")).unwrap();
    folder.hasse(&["new", "empty"]).ends(2);
    assert_eq!(fs::read_dir(folder.path("empty")).unwrap().count(), 0);
}

#[test]
fn an_unknown_example_is_refused_with_the_nearest() {
    let folder = Folder::new();
    let ran = folder.hasse(&["new", "mine", "--from", "banc"]).ends(2);
    assert!(ran.stderr.contains("there is no example `banc`"), "{}", ran.shown());
    assert!(ran.stderr.contains("did you mean `bank`? the examples are: bank, bts"), "{}", ran.shown());
    assert!(!folder.path("mine").exists());
    folder.hasse(&["new"]).ends(2);
}
