use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use hasse_editor::drawing::geometry::Point;
use hasse_editor::files::autosave;
use hasse_editor::state::action::Action;
use hasse_editor::state::input::{Key, Modifiers};
use hasse_editor::state::offer::{Choice, Matter};
use hasse_editor::state::selection::Selection;
use hasse_editor::state::{Config, Editor, Request};
use tempfile::TempDir;

use super::PROGRAM;

/// A folder with a program, and one for what the editor keeps.
struct Disk {
    folder: TempDir,
    path: PathBuf,
}

impl Disk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.hasse");
        fs::write(&path, PROGRAM).unwrap();
        Self { folder, path }
    }

    fn config(&self) -> Config {
        Config { state_folder: Some(self.folder.path().join("state")), ..Config::default() }
    }

    fn open(&self) -> Editor {
        let mut editor = Editor::of_file(self.config(), &self.path).unwrap();
        editor.resize(Point::new(1200.0, 800.0));
        editor
    }

    fn held(&self) -> String {
        fs::read_to_string(&self.path).unwrap()
    }
}

/// Moves a box.
fn nudge(editor: &mut Editor, node: &str) {
    editor.select(Selection { nodes: [node.to_owned()].into(), ..Selection::default() });
    editor.key(Key::Right, Modifiers::NONE);
}

fn matter(editor: &Editor) -> &Matter {
    &editor.offer().unwrap().matter
}

#[test]
fn a_program_is_saved_to_its_file() {
    let disk = Disk::new();
    let mut editor = disk.open();
    assert_eq!(
        (editor.title(), editor.recent()),
        ("a.hasse".to_owned(), vec![fs::canonicalize(&disk.path).unwrap()])
    );
    nudge(&mut editor, "A");
    assert_eq!(editor.title(), "\u{25cf} a.hasse");
    assert!(editor.key(Key::Char('s'), Modifiers::CTRL));
    assert_eq!((editor.title(), disk.held()), ("a.hasse".to_owned(), editor.document().text().to_owned()));
    editor.act(Action::Undo);
    assert_eq!(editor.title(), "\u{25cf} a.hasse");
    let other = disk.folder.path().join("b.hasse");
    assert!(editor.save_as(&other));
    assert_eq!((editor.path(), fs::read_to_string(&other).unwrap()), (Some(&*other), PROGRAM.to_owned()));
    assert!(!editor.save_as(&disk.folder.path().join("none").join("c.hasse")));
    assert!(editor.status().is_refusal && editor.path() == Some(&*other));
}

#[test]
fn a_new_program_asks_for_a_file() {
    let disk = Disk::new();
    let mut editor = Editor::new(disk.config());
    assert_eq!((editor.title(), editor.offer()), ("New program".to_owned(), None));
    assert!(!editor.save());
    assert_eq!(editor.take_requests(), [Request::SaveDialog]);
    let path = disk.folder.path().join("new.hasse");
    assert!(editor.save_as(&path));
    assert_eq!(editor.title(), "new.hasse");
}

#[test]
fn a_file_that_someone_else_changed_is_not_overwritten() {
    let disk = Disk::new();
    let theirs = PROGRAM.replace("C = [400, 0]", "C = [1, 2]");
    let ours = |editor: &mut Editor| {
        nudge(editor, "A");
        editor.document().text().to_owned()
    };
    for (choice, is_ours, is_theirs) in [
        (Choice::Later, true, false),
        (Choice::Merge, true, true),
        (Choice::TakeTheirs, false, true),
        (Choice::Overwrite, true, false),
    ] {
        fs::write(&disk.path, PROGRAM).unwrap();
        let mut editor = disk.open();
        let text = ours(&mut editor);
        fs::write(&disk.path, &theirs).unwrap();
        assert!(!editor.save(), "{choice:?}");
        assert_eq!(disk.held(), theirs);
        let Matter::ChangedOnDisk { conflicts, .. } = matter(&editor) else { panic!("what to do") };
        assert!(conflicts.is_empty());
        assert!(editor.offer().unwrap().choices.iter().any(|(held, _)| *held == choice));
        editor.answer(choice);
        let now = editor.document().text();
        assert_eq!(
            (now.contains("A = [10, 0]"), now.contains("C = [1, 2]")),
            (is_ours, is_theirs),
            "{choice:?}"
        );
        match choice {
            Choice::Later => {
                assert!(!editor.save(), "still asked");
                assert_eq!(disk.held(), theirs);
            }
            Choice::Overwrite => assert_eq!(disk.held(), text),
            Choice::TakeTheirs => assert!(editor.document().is_saved()),
            _ => {
                assert!(!editor.document().is_saved());
                assert!(editor.save());
                assert_eq!(disk.held(), editor.document().text());
                editor.act(Action::Undo);
                assert_eq!(editor.document().text(), text, "a merge is a step");
            }
        }
        editor.close();
    }
}

#[test]
fn conflicts_are_counted_and_either_side_can_be_first() {
    let disk = Disk::new();
    let theirs = PROGRAM.replace("A = [0, 0]", "A = [7, 7]");
    for (choice, line) in [(Choice::Merge, "A = [10, 0]"), (Choice::MergeTheirs, "A = [7, 7]")] {
        fs::write(&disk.path, PROGRAM).unwrap();
        let mut editor = disk.open();
        nudge(&mut editor, "A");
        fs::write(&disk.path, &theirs).unwrap();
        assert!(!editor.save());
        let Matter::ChangedOnDisk { conflicts, .. } = matter(&editor) else { panic!("what to do") };
        assert_eq!(conflicts.len(), 1);
        editor.answer(choice);
        assert!(editor.document().text().contains(line));
        editor.close();
    }
}

#[test]
fn changes_on_the_disk_are_taken_over_while_nothing_is_dragged() {
    let disk = Disk::new();
    let (sender, woken) = std::sync::mpsc::channel();
    let wake = std::sync::Mutex::new(sender);
    let wake = move || _ = wake.lock().unwrap().send(());
    let config = Config { wake: std::sync::Arc::new(wake), ..disk.config() };
    let mut editor = Editor::of_file(config, &disk.path).unwrap();
    fs::write(&disk.path, PROGRAM.replace("C = [400, 0]", "C = [1, 2]")).unwrap();
    while !editor.document().text().contains("C = [1, 2]") {
        woken.recv().unwrap();
        editor.tick(Duration::ZERO);
    }
    assert!(editor.document().is_saved() && editor.offer().is_none());
    nudge(&mut editor, "A");
    fs::remove_file(&disk.path).unwrap();
    while editor.offer().is_none() {
        woken.recv().unwrap();
        editor.tick(Duration::ZERO);
    }
    assert_eq!(matter(&editor), &Matter::Removed);
    editor.answer(Choice::Save);
    assert_eq!(disk.held(), editor.document().text());
}

#[test]
fn what_was_not_saved_is_offered_after_a_crash() {
    let disk = Disk::new();
    let mut editor = disk.open();
    nudge(&mut editor, "A");
    let text = editor.document().text().to_owned();
    assert!(editor.is_busy());
    editor.tick(Duration::from_secs(1));
    editor.tick(Duration::from_secs(10));
    drop(editor);

    let mut editor = disk.open();
    assert_eq!(editor.document().text(), PROGRAM);
    assert!(matches!(matter(&editor), Matter::Recovery(_)));
    editor.answer(Choice::Later);
    drop(editor);

    let mut editor = disk.open();
    editor.answer(Choice::Recover);
    assert_eq!(editor.document().text(), text);
    editor.act(Action::Undo);
    assert_eq!(editor.document().text(), PROGRAM);
    editor.close();
    assert_eq!(editor.take_requests(), [Request::Close]);
    drop(editor);
    assert_eq!(disk.open().offer(), None);
}

#[test]
fn programs_that_were_never_saved_are_offered_too() {
    let disk = Disk::new();
    let mut editor = Editor::new(disk.config());
    editor.replace_text("typed", PROGRAM);
    editor.tick(Duration::from_secs(1));
    editor.tick(Duration::from_secs(10));
    drop(editor);
    assert_eq!(autosave::all(&disk.folder.path().join("state")).len(), 1);
    let mut editor = Editor::new(disk.config());
    assert!(matches!(matter(&editor), Matter::Recovery(_)));
    editor.answer(Choice::Recover);
    assert_eq!(editor.document().text(), PROGRAM);
    editor.resize(Point::new(1200.0, 800.0));
    assert_eq!(editor.picture().nodes.len(), 7);
    assert_eq!(editor.title(), "\u{25cf} New program");
    drop(editor);
    assert_eq!(Editor::new(disk.config()).offer(), None, "it was taken");
}

#[test]
fn nothing_unsaved_is_left_without_a_question() {
    let disk = Disk::new();
    let other = disk.folder.path().join("b.hasse");
    fs::write(&other, "hasse = 1\nmain = \"other\"\n\n[graph.other]\n").unwrap();
    let mut editor = disk.open();
    nudge(&mut editor, "A");
    editor.open(&other);
    assert_eq!((matter(&editor), editor.graph()), (&Matter::Unsaved, "g"));
    editor.answer(Choice::Later);
    assert_eq!((editor.offer(), editor.graph()), (None, "g"));
    editor.open(&other);
    editor.answer(Choice::Save);
    assert_eq!((editor.graph(), editor.title()), ("other", "b.hasse".to_owned()));
    assert!(disk.held().contains("A = [10, 0]"));
    assert!(!editor.is_enabled(Action::Undo));
    editor.open(&disk.folder.path().join("none.hasse"));
    assert!(editor.status().is_refusal && editor.graph() == "other");
    editor.replace_text("typed", PROGRAM);
    editor.act(Action::New);
    editor.answer(Choice::Discard);
    assert_eq!((editor.graph(), editor.title()), ("main", "New program".to_owned()));
    editor.replace_text("typed", PROGRAM);
    editor.close();
    editor.answer(Choice::Save);
    assert_eq!(editor.take_requests(), [Request::SaveDialog]);
    assert!(editor.save_as(&disk.folder.path().join("c.hasse")));
    assert_eq!(editor.take_requests(), [Request::Close], "what was begun goes on");
}

#[test]
fn models_that_are_not_saved_are_asked_about_after_the_program() {
    let disk = Disk::new();
    let mut editor = disk.open();
    editor.set_unsaved_models(true);
    editor.close();
    assert_eq!(matter(&editor), &Matter::UnsavedModels);
    editor.answer(Choice::Later);
    assert_eq!(editor.offer(), None);
    assert_eq!(editor.take_requests(), []);

    nudge(&mut editor, "A");
    editor.close();
    assert_eq!(matter(&editor), &Matter::Unsaved);
    editor.answer(Choice::Save);
    assert!(disk.held().contains("A = [10, 0]"));
    assert_eq!(matter(&editor), &Matter::UnsavedModels);
    editor.answer(Choice::Save);
    assert_eq!(editor.take_requests(), [Request::SaveModels]);
    editor.models_saved(false);
    assert_eq!(editor.take_requests(), [], "what failed is given up");

    nudge(&mut editor, "A");
    editor.close();
    editor.answer(Choice::Discard);
    editor.answer(Choice::Save);
    assert_eq!(editor.take_requests(), [Request::SaveModels]);
    editor.models_saved(true);
    assert_eq!(editor.take_requests(), [Request::Close]);
}
