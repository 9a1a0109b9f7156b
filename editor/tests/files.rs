//! Files through the crate's interface: whole or not at all, watched, merged, kept.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

use std::fs;
use std::path::Path;

use hasse_editor::document::Document;
use hasse_editor::files::autosave::{self, Recovery};
use hasse_editor::files::merge::{Merged, Side, merge, merge_preferring};
use hasse_editor::files::recent;
use hasse_editor::files::watch::{Change, FileWatcher};
use hasse_editor::files::{FileError, open, save, state_folder};
use proptest::prelude::*;
use tempfile::TempDir;

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// Names of all files in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_file_is_saved_as_a_whole_with_its_line_ends() {
    let folder = folder();
    let path = folder.path().join("a.hasse");
    fs::write(&path, "hasse = 1\r\nmain = \"g\"\r\n").unwrap();
    let mut document = Document::new(&open(&path).unwrap());
    document.replace("typed", "hasse = 1\nmain = \"h\"\n");
    save(&path, &document.to_file()).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"hasse = 1\r\nmain = \"h\"\r\n");
    save(&folder.path().join("new.hasse"), "x").unwrap();
    assert_eq!(names(folder.path()), ["a.hasse", "new.hasse"]);
}

#[cfg(unix)]
#[test]
fn permissions_and_links_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = folder();
    let (path, link) = (folder.path().join("a.hasse"), folder.path().join("link.hasse"));
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&path, &link).unwrap();
    save(&link, "new").unwrap();
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    // A new file may be read by whom the user's mask lets.
    let plain = folder.path().join("plain");
    fs::write(&plain, "").unwrap();
    save(&folder.path().join("b.hasse"), "").unwrap();
    let mode = |name: &str| fs::metadata(folder.path().join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("b.hasse"), mode("plain"));
}

#[test]
fn what_cannot_be_saved_leaves_what_was_there() {
    let folder = folder();
    let path = folder.path().join("a.hasse");
    fs::write(&path, "old").unwrap();
    let mut permissions = fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).unwrap();
    assert!(matches!(save(&path, "new"), Err(FileError::Write { .. })));
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    assert!(matches!(save(&folder.path().join("none/a.hasse"), "new"), Err(FileError::Write { .. })));
    assert!(matches!(save(folder.path(), "new"), Err(FileError::Write { .. })));
    assert_eq!(names(folder.path()), ["a.hasse"]);
}

#[test]
fn what_is_no_text_is_refused_with_its_place() {
    let folder = folder();
    let path = folder.path().join("a.hasse");
    fs::write(&path, b"a\nb \xff").unwrap();
    let error = open(&path).unwrap_err();
    assert!(matches!(error, FileError::NotText { offset: 4, line: 2, .. }));
    assert!(error.to_string().ends_with("a.hasse is not text in UTF-8: see byte 4, in line 2"), "{error}");
    let error = open(&folder.path().join("b.hasse")).unwrap_err();
    assert!(matches!(error, FileError::Read { .. }));
}

#[test]
fn only_what_others_write_is_a_change() {
    let folder = folder();
    let path = folder.path().join("a.hasse");
    fs::write(&path, "one").unwrap();
    let watcher = FileWatcher::new(&path, "one", || {}).unwrap();
    assert!(watcher.poll().is_none(), "nothing has changed");
    watcher.save("two").unwrap();
    assert!(watcher.poll().is_none(), "the editor wrote it itself");
    assert!(watcher.check().is_none());
    assert_eq!(fs::read_to_string(&path).unwrap(), "two");
    fs::write(folder.path().join("b.hasse"), "other").unwrap();
    fs::write(&path, "three").unwrap();
    // Writing may be seen in two steps, of which the first leaves the file empty.
    let until = |wanted: &str| loop {
        match watcher.wait() {
            Change::Changed(text) if text == wanted => break,
            Change::Changed(text) => assert_eq!(text, ""),
            change => panic!("{change:?}"),
        }
    };
    until("three");
    // As other editors do: a new file in its place.
    save(&path, "four").unwrap();
    until("four");
    fs::remove_file(&path).unwrap();
    assert!(matches!(watcher.wait(), Change::Removed));
    save(&path, "five").unwrap();
    until("five");
    fs::remove_file(&path).unwrap();
    assert!(matches!(watcher.wait(), Change::Removed));
    let other = folder.path().join("c");
    fs::write(&other, b"\xff").unwrap();
    fs::rename(&other, &path).unwrap();
    assert!(matches!(watcher.wait(), Change::Unreadable(FileError::NotText { .. })));
    assert!(watcher.poll().is_none());
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(matches!(watcher.save("six"), Err(FileError::Write { .. })));
    fs::remove_dir(&path).unwrap();
    fs::write(&path, "six").unwrap();
    until("six");
}

#[test]
fn the_window_is_woken_and_a_change_before_watching_is_seen() {
    let folder = folder();
    let path = folder.path().join("a.hasse");
    fs::write(&path, "changed since").unwrap();
    let (sender, woken) = std::sync::mpsc::channel();
    let watcher = FileWatcher::new(&path, "one", move || sender.send(()).unwrap_or(())).unwrap();
    assert!(matches!(watcher.poll(), Some(Change::Changed(text)) if text == "changed since"));
    assert!(watcher.poll().is_none());
    save(&path, "two").unwrap();
    woken.recv().unwrap();
    assert!(matches!(watcher.wait(), Change::Changed(text) if text == "two"));
    let none = folder.path().join("none/a.hasse");
    assert!(matches!(FileWatcher::new(&none, "", || {}), Err(FileError::Watch { .. })));
}

fn merged(base: &str, ours: &str, theirs: &str) -> String {
    match merge(base, ours, theirs) {
        Merged::Text(text) => text,
        Merged::Conflicts(conflicts) => panic!("{conflicts:?}"),
    }
}

#[test]
fn changes_of_different_lines_are_merged() {
    let base = "a\nb\nc\nd\ne\n";
    assert_eq!(merged(base, "a\nB\nc\nd\ne\n", "a\nb\nc\nd\nE\nf\n"), "a\nB\nc\nd\nE\nf\n");
    assert_eq!(merged(base, "b\nc\nd\ne\n", "a\nb\nc\nd\n"), "b\nc\nd\n");
    assert_eq!(merged(base, "a\nx\nb\nc\nd\ne\n", "a\r\nx\r\nb\r\nc\r\nd\r\n"), "a\nx\nb\nc\nd\n");
}

#[test]
fn changes_of_the_same_lines_are_conflicts() {
    let (base, ours, theirs) = ("a\nb\nc\nd\n", "a\nours\nc\nd\nlast\n", "first\na\ntheirs\nc\nd\n");
    let Merged::Conflicts(conflicts) = merge(base, ours, theirs) else {
        panic!("both changed the second line")
    };
    assert_eq!(conflicts.len(), 1);
    assert_eq!(conflicts[0].base_line, 1);
    let texts = [&conflicts[0].base, &conflicts[0].ours, &conflicts[0].theirs];
    assert_eq!(texts, ["b\n", "ours\n", "theirs\n"]);
    assert_eq!(merge_preferring(Side::Ours, base, ours, theirs), "first\na\nours\nc\nd\nlast\n");
    assert_eq!(merge_preferring(Side::Theirs, base, ours, theirs), "first\na\ntheirs\nc\nd\nlast\n");
    let at_one_place = merge("a\n", "a\nx\n", "a\ny\n");
    assert!(matches!(at_one_place, Merged::Conflicts(_)));
}

fn lines() -> impl Strategy<Value = String> {
    proptest::collection::vec("[abc]", 0..12)
        .prop_map(|lines| lines.iter().map(|line| format!("{line}\n")).collect())
}

proptest! {
    #[test]
    fn merging_has_its_laws(base in lines(), ours in lines(), theirs in lines()) {
        prop_assert_eq!(merged(&base, &ours, &base), ours.clone());
        prop_assert_eq!(merged(&base, &base, &theirs), theirs.clone());
        prop_assert_eq!(merged(&base, &ours, &ours), ours.clone());
        match (merge(&base, &ours, &theirs), merge(&base, &theirs, &ours)) {
            (Merged::Text(one), Merged::Text(other)) => prop_assert_eq!(one, other),
            (Merged::Conflicts(one), Merged::Conflicts(other)) => {
                prop_assert!(!one.is_empty());
                prop_assert_eq!(one.len(), other.len());
                let texts = one.iter().zip(&other).all(|(one, other)| one.ours == other.theirs && one.base == other.base);
                prop_assert!(texts);
            }
            (one, other) => prop_assert!(false, "{:?} and {:?}", one, other),
        }
        let both = [Side::Ours, Side::Theirs].map(|side| merge_preferring(side, &base, &ours, &theirs));
        prop_assert_eq!(&both[1], &merge_preferring(Side::Ours, &base, &theirs, &ours));
        if let Merged::Text(text) = merge(&base, &ours, &theirs) {
            prop_assert_eq!(&both, &[text.clone(), text]);
        }
    }

    #[test]
    fn changes_with_a_line_between_never_conflict(
        head in lines(), own in lines(), middle in lines(), their in lines(), tail in lines(),
    ) {
        // Lines that stand nowhere else hold the three parts apart.
        let text = |own: &str, their: &str| format!("{head}1\n{own}2\n{middle}3\n{their}4\n{tail}");
        let expected = text(&own, &their);
        prop_assert_eq!(merged(&text("", ""), &text(&own, ""), &text("", &their)), expected);
    }
}

#[test]
fn what_was_not_saved_is_offered_again() {
    let folder = folder();
    let state = folder.path().join("state/hasse");
    let path = folder.path().join("a.hasse");
    fs::write(&path, "base").unwrap();
    assert_eq!(autosave::recover(&state, &path, Some("base")), Recovery::Nothing);
    autosave::keep(&state, &path, "edited", Some("base"), 10).unwrap();
    autosave::keep(&state, &path, "edited again", Some("base"), 20).unwrap();
    let Recovery::Newer(kept) = autosave::recover(&state, &path, Some("base")) else { panic!("it was kept") };
    assert_eq!((kept.text.as_str(), kept.time_secs), ("edited again", 20));
    assert_eq!(kept.path, path.canonicalize().unwrap());
    assert_eq!(autosave::recover(&state, &path, Some("edited again")), Recovery::Nothing);
    assert_eq!(autosave::recover(&state, &path, Some("changed on disk")), Recovery::Both(kept.clone()));
    assert_eq!(autosave::recover(&state, &path, None), Recovery::Both(kept.clone()));
    assert_eq!(autosave::recover(&state, &folder.path().join("b.hasse"), Some("base")), Recovery::Nothing);
    let unsaved = folder.path().join("never-saved.hasse");
    autosave::keep(&state, &unsaved, "new", None, 30).unwrap();
    assert!(matches!(autosave::recover(&state, &unsaved, None), Recovery::Newer(_)));
    let times: Vec<u64> = autosave::all(&state).iter().map(|kept| kept.time_secs).collect();
    assert_eq!(times, [30, 20]);
    autosave::forget(&state, &path).unwrap();
    autosave::forget(&state, &path).unwrap();
    assert_eq!(autosave::recover(&state, &path, Some("base")), Recovery::Nothing);
}

#[test]
fn what_was_kept_badly_is_nothing_and_what_cannot_be_kept_is_said() {
    let folder = folder();
    let path = folder.path().join("a.hasse");
    autosave::keep(folder.path(), &path, "edited", Some("base"), 1).unwrap();
    let file = folder.path().join("autosave").join(&names(&folder.path().join("autosave"))[0]);
    let whole = fs::read_to_string(&file).unwrap();
    fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    assert_eq!(autosave::recover(folder.path(), &path, Some("base")), Recovery::Nothing);
    assert_eq!(autosave::all(folder.path()), []);
    let no_folder = folder.path().join("file");
    fs::write(&no_folder, "").unwrap();
    assert!(matches!(autosave::keep(&no_folder, &path, "", None, 1), Err(FileError::Write { .. })));
    assert!(matches!(recent::remember(&no_folder, &path), Err(FileError::Write { .. })));
}

#[test]
fn the_last_twenty_programs_are_remembered() {
    let folder = folder();
    let state = folder.path().join("state");
    assert_eq!(recent::recent(&state), Vec::<std::path::PathBuf>::new());
    let path = |number: usize| folder.path().canonicalize().unwrap().join(format!("{number}.hasse"));
    for number in 0..23 {
        fs::write(path(number), "").unwrap();
        recent::remember(&state, &path(number)).unwrap();
    }
    recent::remember(&state, &path(10)).unwrap();
    let shown = recent::recent(&state);
    assert_eq!(shown.len(), recent::MOST);
    assert_eq!(shown[..3], [path(10), path(22), path(21)]);
    assert_eq!(shown[19], path(3));
    fs::rename(path(22), path(99)).unwrap();
    assert_eq!(recent::recent(&state)[..2], [path(10), path(21)]);
    fs::rename(path(99), path(22)).unwrap();
    assert_eq!(recent::recent(&state)[1], path(22), "it may be back, as on a drive");
    recent::forget(&state, &path(10)).unwrap();
    assert_eq!(recent::recent(&state)[0], path(22));
    fs::write(state.join("recent.json"), "[").unwrap();
    assert_eq!(recent::recent(&state), Vec::<std::path::PathBuf>::new());
}

#[cfg(target_os = "linux")]
#[test]
fn the_state_folder_is_where_the_environment_says() {
    let of = |set: &[(&str, &str)]| {
        let value =
            |name: &str| set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        state_folder(value).map(|path| path.display().to_string())
    };
    assert_eq!(of(&[("XDG_STATE_HOME", "/s"), ("HOME", "/h")]).as_deref(), Some("/s/hasse"));
    assert_eq!(of(&[("XDG_STATE_HOME", "s"), ("HOME", "/h")]).as_deref(), Some("/h/.local/state/hasse"));
    assert_eq!(of(&[]), None);
}
