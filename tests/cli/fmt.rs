use std::fs;
use std::io::Write;
use std::process::Stdio;

use super::support::{Folder, Ran, SQUARES};

/// A program in a spelling of its own.
const SLOPPY: &str = "main='g' # why\nhasse=1\n[graph.g.uc.A]\nstart=true\n[graph.g]\narcs=[]\n";
const TIDY: &str = "hasse = 1\nmain  = 'g'  # why\n\n[graph.g]\narcs = []\n\n[graph.g.uc.A]\nstart = true\n";

#[test]
fn files_are_rewritten_and_named() {
    let folder = Folder::with("a.hasse", SLOPPY);
    folder.write("b.hasse", TIDY);
    let ran = folder.hasse(&["fmt", "a.hasse", "b.hasse"]).ends(0);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("a.hasse\n", ""));
    assert_eq!(fs::read_to_string(folder.path("a.hasse")).unwrap(), TIDY);
    assert_eq!(folder.hasse(&["fmt", "a.hasse"]).ends(0).stdout, "");
    let left: Vec<_> = fs::read_dir(folder.path("")).unwrap().collect();
    assert_eq!(left.len(), 2, "nothing is left behind");
}

#[test]
fn folders_are_searched_for_programs() {
    let folder = Folder::with("a.hasse", SLOPPY);
    fs::create_dir_all(folder.path("sub/.hidden")).unwrap();
    folder.write("sub/b.hasse", SLOPPY);
    folder.write("sub/.hidden/c.hasse", SLOPPY);
    folder.write("sub/notes.toml", SLOPPY);
    assert_eq!(folder.hasse(&["fmt", "--check"]).ends(1).stdout, "a.hasse\nsub/b.hasse\n");
    folder.hasse(&["fmt"]).ends(0);
    folder.hasse(&["fmt", "--check"]).ends(0);
    assert_eq!(fs::read_to_string(folder.path("sub/.hidden/c.hasse")).unwrap(), SLOPPY);
    fs::create_dir(folder.path("empty")).unwrap();
    let ran = folder.hasse(&["fmt", "empty"]).ends(2);
    assert!(ran.stderr.starts_with("error: there is no program in empty\n"), "{}", ran.shown());
}

#[test]
fn check_changes_nothing() {
    let folder = Folder::with("a.hasse", SLOPPY);
    assert_eq!(folder.hasse(&["fmt", "--check", "a.hasse"]).ends(1).stdout, "a.hasse\n");
    assert_eq!(fs::read_to_string(folder.path("a.hasse")).unwrap(), SLOPPY);
}

#[test]
fn stdout_gets_the_text_in_place_of_the_file() {
    let folder = Folder::with("a.hasse", SLOPPY);
    assert_eq!(folder.hasse(&["fmt", "--stdout", "a.hasse"]).ends(0).stdout, TIDY);
    assert_eq!(fs::read_to_string(folder.path("a.hasse")).unwrap(), SLOPPY);
    folder.hasse(&["fmt", "--stdout", "--check", "a.hasse"]).ends(2);
}

#[test]
fn editors_pipe_their_text_through() {
    let folder = Folder::new();
    let mut child = folder
        .command(&["fmt", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(SLOPPY.as_bytes()).unwrap();
    let ran = Ran::of(child.wait_with_output().unwrap()).ends(0);
    assert_eq!(ran.stdout, TIDY);
}

#[test]
fn what_cannot_be_read_is_reported_and_left_alone() {
    let broken = "hasse = 1\nmain = \"g\n";
    let folder = Folder::with("a.hasse", broken);
    folder.write("b.hasse", SLOPPY);
    let ran = folder.hasse(&["fmt", "a.hasse", "b.hasse"]).ends(1);
    assert!(ran.stderr.contains("E0001"), "{}", ran.shown());
    assert_eq!(ran.stdout, "b.hasse\n");
    assert_eq!(fs::read_to_string(folder.path("a.hasse")).unwrap(), broken);
    folder.hasse(&["fmt", "gone.hasse"]).ends(2);
}

#[cfg(unix)]
#[test]
fn links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let folder = Folder::with("a.hasse", SLOPPY);
    fs::set_permissions(folder.path("a.hasse"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("a.hasse", folder.path("link.hasse")).unwrap();
    folder.hasse(&["fmt", "link.hasse"]).ends(0);
    assert!(folder.path("link.hasse").is_symlink());
    assert_eq!(fs::read_to_string(folder.path("a.hasse")).unwrap(), TIDY);
    assert_eq!(fs::metadata(folder.path("a.hasse")).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn a_program_runs_the_same_afterwards() {
    let folder = Folder::with("squares.hasse", &SQUARES.replace(" -> ", "->").replace("= ", "="));
    folder.hasse(&["run", "squares.hasse", "--trace", "t"]).ends(0);
    folder.hasse(&["fmt"]).ends(0);
    let ran = folder.hasse(&["run", "squares.hasse"]).ends(0);
    assert_eq!(ran.stdout, "the squares below 4\ntotal = 14\n");
}
