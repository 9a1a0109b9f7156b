//! Dialog and settings.

use std::fs;

use hasse_editor::palette::Action;
use hasse_editor::panels::file_dialog::{EntryKind, FileDialog, MOST_SHOWN, Outcome, Purpose};
use hasse_editor::panels::search_popup::{Chosen, Command, SearchPopup};
use hasse_editor::panels::settings::{Settings, Theme, file_of};

use super::*;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in
        ["b.hasse", "A.hasse", "run.trace", "notes.txt", ".hidden.hasse", "sub/inner.hasse", "Zoo/x.hasse"]
    {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "hasse = 1\n").unwrap();
    }
    folder
}

fn names(dialog: &FileDialog) -> Vec<&str> {
    dialog.entries().iter().map(|entry| &*entry.name).collect()
}

#[test]
fn a_program_is_opened_by_keys_and_by_mouse() {
    let folder = folder();
    let at = |path: &str| folder.path().join(path);
    let mut dialog = FileDialog::new(Purpose::Open, folder.path(), "", vec![at("b.hasse"), at("gone.hasse")]);
    assert_eq!(names(&dialog), ["..", "sub", "Zoo", "A.hasse", "b.hasse", "run.trace"]);
    assert_eq!(dialog.entries()[5].kind, EntryKind::Record);
    dialog.show_others(true);
    assert_eq!(names(&dialog)[6..], ["notes.txt"]);
    dialog.show_others(false);
    // By keys alone.
    dialog.set_path("s");
    assert_eq!(
        (dialog.complete(), dialog.selected()),
        (Some(format!("sub{}", std::path::MAIN_SEPARATOR)), None)
    );
    dialog.set_path(&format!("{}in", dialog.path().to_owned()));
    assert!(dialog.complete().unwrap().ends_with("inner.hasse"));
    assert_eq!(dialog.complete(), None);
    assert_eq!(dialog.accept(), Outcome::Chosen(at("sub/inner.hasse")));
    dialog.set_path("sub");
    assert_eq!((dialog.accept(), names(&dialog)), (Outcome::Stays, vec!["..", "inner.hasse"]));
    assert_eq!((dialog.folder(), dialog.path()), (at("sub").as_path(), ""));
    dialog.set_path("inner");
    assert_eq!(dialog.accept(), Outcome::Chosen(at("sub/inner.hasse")), "the extension may be left out");
    assert!(dialog.go_up());
    dialog.select_next(-1);
    assert_eq!(dialog.path(), "run.trace");
    dialog.select_next(1);
    assert_eq!(dialog.path(), format!("..{}", std::path::MAIN_SEPARATOR));
    dialog.select_next(1);
    assert_eq!(dialog.accept(), Outcome::Stays);
    assert_eq!(dialog.folder(), at("sub"));
    dialog.set_path("../A.hasse");
    assert_eq!(dialog.accept(), Outcome::Chosen(at("A.hasse")));
    // By mouse.
    dialog.go(folder.path());
    dialog.select(4);
    assert_eq!(dialog.path(), "b.hasse");
    assert_eq!(dialog.activate(2), Outcome::Stays);
    assert_eq!(
        (dialog.activate(1), dialog.activate(9)),
        (Outcome::Chosen(at("Zoo/x.hasse")), Outcome::Stays)
    );
    assert_eq!(dialog.activate_recent(0), Outcome::Chosen(at("b.hasse")));
    assert_eq!((dialog.activate_recent(1), dialog.activate_recent(9)), (Outcome::Stays, Outcome::Stays));
    assert!(dialog.error().unwrap().contains("gone.hasse"));
}

#[test]
fn what_goes_wrong_is_told_in_the_dialog() {
    let folder = folder();
    let mut dialog = FileDialog::new(Purpose::Open, folder.path(), "", Vec::new());
    for (path, part) in
        [("none", "there is no file"), ("", "type a name"), ("none/", "no folder"), ("A.hasse/", "no folder")]
    {
        dialog.set_path(path);
        assert_eq!(dialog.accept(), Outcome::Stays);
        assert!(dialog.error().unwrap().contains(part), "{path} {:?}", dialog.error());
    }
    dialog.set_path("b");
    assert_eq!(dialog.error(), None);
    let version = dialog.version();
    assert!(!dialog.go(&folder.path().join("none")));
    assert!(dialog.error().unwrap().contains("cannot list") && dialog.version() > version);
    assert_eq!((dialog.folder(), dialog.entries().len()), (folder.path(), 6));
    fs::remove_file(folder.path().join("A.hasse")).unwrap();
    assert!(dialog.reload());
    assert_eq!((dialog.entries().len(), dialog.path()), (5, "b"));
    let gone = FileDialog::new(Purpose::Open, &folder.path().join("none"), "", Vec::new());
    assert!(gone.error().is_some() && gone.entries().is_empty());
}

#[test]
fn typed_path_lists_its_folder() {
    let folder = folder();
    let at = |path: &str| folder.path().join(path);
    let mut dialog = FileDialog::new(Purpose::Open, folder.path(), "", Vec::new());
    dialog.set_path("sub/");
    assert_eq!((dialog.folder(), names(&dialog)), (at("sub").as_path(), vec!["..", "inner.hasse"]));
    dialog.set_path("sub/i");
    assert_eq!(dialog.selected(), Some(1));
    dialog.select(1);
    assert_eq!(dialog.path(), "sub/inner.hasse");
    assert_eq!(dialog.accept(), Outcome::Chosen(at("sub/inner.hasse")));
    // What is no folder leaves the list as it is; without a folder it is the first one again.
    dialog.set_path("none/x");
    assert_eq!((dialog.folder(), dialog.error()), (at("sub").as_path(), None));
    dialog.set_path("b");
    assert_eq!((dialog.folder(), dialog.selected()), (folder.path(), Some(4)));
    dialog.set_path(&format!("{}/", at("Zoo").display()));
    assert_eq!(names(&dialog), ["..", "x.hasse"]);
    dialog.set_path("../");
    assert_eq!(Some(dialog.folder()), folder.path().parent());
}

#[test]
fn recent_files_are_chosen_by_enter() {
    let folder = folder();
    let at = |path: &str| folder.path().join(path);
    let mut dialog = FileDialog::of_recent(folder.path(), &[at("b.hasse"), at("sub/inner.hasse")]);
    assert_eq!((names(&dialog), dialog.selected()), (vec!["b.hasse", "inner.hasse"], Some(0)));
    assert_eq!(dialog.accept(), Outcome::Chosen(at("b.hasse")));
    dialog.select_next(1);
    assert_eq!(dialog.accept(), Outcome::Chosen(at("sub/inner.hasse")));
    dialog.set_path("inn");
    assert_eq!(dialog.selected(), Some(1));
    let none = FileDialog::of_recent(folder.path(), &[]);
    assert_eq!((none.entries().len(), none.path()), (0, ""));
}

#[test]
fn saving_asks_before_it_overwrites() {
    let folder = folder();
    let at = |path: &str| folder.path().join(path);
    let mut dialog = FileDialog::new(Purpose::Save, folder.path(), "new", Vec::new());
    assert_eq!(dialog.path(), "new");
    assert_eq!(dialog.accept(), Outcome::Chosen(at("new.hasse")));
    dialog.set_path("b");
    assert_eq!(dialog.accept(), Outcome::Overwrites(at("b.hasse")));
    dialog.set_path("other.toml");
    assert_eq!(dialog.accept(), Outcome::Chosen(at("other.toml")));
    dialog.set_path("none/b.hasse");
    assert_eq!(dialog.accept(), Outcome::Stays);
    assert!(dialog.error().unwrap().contains("there is no folder"));
    dialog.set_path("sub");
    assert_eq!((dialog.accept(), dialog.folder()), (Outcome::Stays, at("sub").as_path()));
    assert!(!at("new.hasse").exists(), "the dialog writes nothing");
}

#[test]
fn a_huge_folder_is_shown_in_part() {
    let folder = tempfile::tempdir().unwrap();
    for n in 0..MOST_SHOWN + 10 {
        fs::File::create(folder.path().join(format!("{n}.hasse"))).unwrap();
    }
    let dialog = FileDialog::new(Purpose::Open, folder.path(), "", Vec::new());
    assert_eq!((dialog.entries().len(), dialog.is_cut()), (MOST_SHOWN, true));
    let small = self::folder();
    assert!(!FileDialog::new(Purpose::Open, small.path(), "", Vec::new()).is_cut());
}

#[test]
fn settings_are_kept_and_damaged_ones_are_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    assert_eq!(Settings::read(&state), Settings::default());
    let mut settings = Settings::default();
    (settings.theme, settings.is_snapping) = (Theme::Dark, false);
    settings.sizes.left = 111.5;
    let popup = SearchPopup::nodes(PROGRAM, "top", None, &settings.recent);
    let call = popup.rows().iter().position(|row| row.label == "sub");
    assert!(matches!(popup.accept(call, &mut settings.recent), Some(Chosen::Node(Action::Call(..)))));
    let save = Command { id: "save".to_owned(), label: "Save".to_owned(), shortcut: String::new() };
    SearchPopup::commands(vec![save], &settings.recent).accept(None, &mut settings.recent);
    settings.write(&state).unwrap();
    assert_eq!(Settings::read(&state), settings);
    let written = fs::read_to_string(file_of(&state)).unwrap();

    // What another version wrote is kept.
    fs::write(file_of(&state), written.replacen('{', "{\n  \"future\": [1, 2],", 1)).unwrap();
    let held = Settings::read(&state);
    assert_eq!((held.theme, held.sizes), (settings.theme, settings.sizes));
    held.write(&state).unwrap();
    assert!(fs::read_to_string(file_of(&state)).unwrap().contains("\"future\""));

    // Each damaged value is as at the first start, all others stay.
    let damaged = r#"{"theme": 3, "sizes": {"left": -5, "right": "x", "bottom": 1e300, "window_width": 900},
        "snap": "no", "grid": false, "recent_nodes": [{"Nothing": 1}, {"Shared": "int"}, 7], "recent_commands": {"a": 1}}"#;
    fs::write(file_of(&state), damaged).unwrap();
    let held = Settings::read(&state);
    let first = Settings::default();
    assert_eq!(
        (held.theme, held.sizes.left, held.sizes.right, held.sizes.bottom),
        (first.theme, first.sizes.left, first.sizes.right, first.sizes.bottom)
    );
    assert_eq!((held.sizes.window_width, held.is_snapping, held.is_grid_shown), (900.0, true, false));
    assert_eq!(held.recent.actions, [Action::Shared("int".to_owned())]);
    for bytes in [&b"{\"theme\": \"dark\""[..], b"[]", b"", &[0xff, 0xfe], b"{\"sizes\": []}"] {
        fs::write(file_of(&state), bytes).unwrap();
        assert_eq!(Settings::read(&state), Settings::default());
    }
    fs::write(folder.path().join("file"), "").unwrap();
    assert!(settings.write(&folder.path().join("file")).is_err());
}
