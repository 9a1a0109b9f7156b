use std::fs;
use std::io::Write;
use std::process::Stdio;

use hasse_body::library::FAMILIES;

use super::support::{Folder, Ran};

/// A program with a node for each function, whose body finds out whether the example holds. Those of HTTP and SQL speak of a server and a
/// database that are not there.
fn program() -> String {
    let mut text = "hasse = 1\nmain = \"main\"\n[graph.main]\n".to_owned();
    for function in FAMILIES.iter().flat_map(|family| family.functions) {
        let (name, example) = (function.name(), function.example);
        if name.starts_with("http_") || name == "sql" {
            continue;
        }
        text += &format!(
            "[graph.main.uc.N_{name}]\nstart = true\ndo = '''\n\
             let holds = {{ {example} }};\nif holds != true {{ throw `it is ${{holds}}`; }}\n'''\n"
        );
    }
    text
}

/// The files that the examples read.
fn folder() -> Folder {
    let folder = Folder::with("p.hasse", &program());
    folder.write("data.txt", "one\ntwo\n");
    folder.write("table.csv", "name,n\nann,1\nbob,2\n");
    folder.write("grid.csv", "1,2\n3,4\n");
    folder.write("data.json", "{\"a\": [1, 2]}");
    folder.write("m.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 4\n2 1 1\n2 2 3\n");
    folder.write("v.mtx", "%%MatrixMarket matrix array real general\n2 1\n4\n7\n");
    folder.write("photo.pgm", "P2\n2 1\n255\n0 255\n");
    folder
}

#[test]
fn every_example_holds_in_a_body_and_again_in_a_replay_without_files() {
    let folder = folder();
    folder.hasse(&["check", "p.hasse"]).ends(0);
    let args = ["run", "p.hasse", "--workers", "1", "--trace", "t", "--allow-write", ".", "--allow-env"];
    let mut command = folder.command(&[&args[..], &["HASSE_NOT_SET"]].concat());
    command.args(["--allow-net", "127.0.0.1"]);
    command.args(["cat", "tr", "true"].into_iter().flat_map(|program| ["--allow-run", program]));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"typed\n").unwrap();
    let ran = Ran::of(child.wait_with_output().unwrap()).ends(0);
    assert_eq!(ran.stdout, "2 lines\ntotal = 42\n");
    for entry in fs::read_dir(folder.path("")).unwrap() {
        let path = entry.unwrap().path();
        if path != folder.path("t") {
            fs::remove_file(path).unwrap();
        }
    }
    let replayed = folder.hasse(&["replay", "t", "--workers", "2"]).ends(0);
    assert_eq!(replayed.stdout, ran.stdout);
    let left: Vec<_> =
        fs::read_dir(folder.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["t"], "a replay writes nothing");
}
