use super::support::{Folder, SQUARES};

#[test]
fn help_names_every_command() {
    let ran = Folder::new().hasse(&["--help"]).ends(0);
    insta::assert_snapshot!(ran.stdout);
}

#[test]
fn every_command_has_help() {
    let folder = Folder::new();
    for command in [
        &["check"][..],
        &["run"],
        &["replay"],
        &["verify"],
        &["trace"],
        &["trace", "info"],
        &["trace", "events"],
        &["trace", "digest"],
        &["trace", "export"],
        &["edit"],
        &["functions"],
        &["new"],
        &["graph"],
        &["fmt"],
        &["explain"],
        &["schema"],
        &["completions"],
    ] {
        let ran = folder.hasse(&[command, &["--help"]].concat()).ends(0);
        assert!(ran.stdout.contains("Usage: hasse"), "{}", ran.shown());
    }
}

#[test]
fn wrong_usage_ends_with_2() {
    let folder = Folder::with("squares.hasse", SQUARES);
    for wrong in [
        &[][..],
        &["fly"],
        &["run"],
        &["run", "squares.hasse", "--workers", "0"],
        &["run", "squares.hasse", "--workers", "many"],
        &["run", "squares.hasse", "--set", "n"],
        &["run", "squares.hasse", "--record", "some"],
        &["trace", "export", "squares.trace"],
        &["trace", "export", "squares.trace", "--format", "xml"],
        &["completions", "edit.com"],
    ] {
        let ran = folder.hasse(wrong).ends(2);
        assert_eq!(ran.stdout, "", "{wrong:?}");
        assert!(!ran.stderr.is_empty(), "{wrong:?}");
    }
}

#[test]
fn completions_exist_for_every_shell() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = folder.hasse(&["completions", shell]).ends(0);
        assert!(ran.stdout.contains("replay"), "{shell}");
    }
}

#[test]
fn the_version_is_the_packages() {
    let ran = Folder::new().hasse(&["--version"]).ends(0);
    assert_eq!(ran.stdout, concat!("hasse ", env!("CARGO_PKG_VERSION"), "\n"));
}
