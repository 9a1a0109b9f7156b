//! `hasse edit` where no window can be opened: its faults are those of any command. Builds without the feature `editor` have none.

use super::support::{Folder, SQUARES};

/// Runs `hasse edit` without a screen.
fn edit(folder: &Folder, args: &[&str]) -> super::support::Ran {
    let mut command = folder.command(&[&["edit"], args].concat());
    for name in ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"] {
        command.env_remove(name);
    }
    // What it would remember stays in the folder.
    command.env("XDG_STATE_HOME", folder.path("state"));
    super::support::Ran::of(command.output().unwrap())
}

#[test]
#[cfg(feature = "editor")]
fn without_a_screen_it_says_so() {
    let folder = Folder::with("squares.hasse", SQUARES);
    for args in [&[][..], &["squares.hasse"]] {
        let ran = edit(&folder, args).ends(2);
        assert_eq!(ran.stdout, "");
        assert!(ran.stderr.contains("the window cannot be opened"), "{}", ran.shown());
        assert!(ran.stderr.contains("help: the window needs a screen"), "{}", ran.shown());
        // No place in the toolkit's source, and nothing twice.
        assert!(!ran.stderr.contains(".rs:"), "{}", ran.shown());
        assert_eq!(ran.stderr.matches("DISPLAY is set").count(), 1, "{}", ran.shown());
    }
}

#[test]
#[cfg(feature = "editor")]
fn a_file_that_is_not_there_is_named() {
    let folder = Folder::new();
    for missing in ["nowhere/missing.hasse", "missing.toml"] {
        let ran = edit(&folder, &[missing]).ends(2);
        assert_eq!(ran.stdout, "");
        assert!(ran.stderr.contains(missing), "{}", ran.shown());
    }
}

#[test]
#[cfg(feature = "editor")]
fn new_file_is_not_made_without_a_window() {
    let folder = Folder::new();
    let ran = edit(&folder, &["new.hasse"]).ends(2);
    assert!(ran.stderr.contains("the window cannot be opened"), "{}", ran.shown());
    assert!(!folder.path("new.hasse").exists());
}

#[test]
#[cfg(feature = "editor")]
fn a_file_that_is_not_text_is_refused() {
    let folder = Folder::new();
    std::fs::write(folder.path("noise.hasse"), [0xff, 0xfe, 0x00, 0x80]).unwrap();
    let ran = edit(&folder, &["noise.hasse"]).ends(2);
    assert!(ran.stderr.contains("noise.hasse"), "{}", ran.shown());
}

#[test]
#[cfg(not(feature = "editor"))]
fn build_without_window_names_the_feature() {
    let folder = Folder::with("squares.hasse", SQUARES);
    for args in [&[][..], &["squares.hasse"]] {
        let ran = edit(&folder, args).ends(2);
        assert_eq!(ran.stdout, "");
        assert!(ran.stderr.contains("this hasse was built without the editor's window"), "{}", ran.shown());
        assert!(ran.stderr.contains("cargo build --release --features editor"), "{}", ran.shown());
    }
}
