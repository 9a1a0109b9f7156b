//! Traces of programs with code in Rust, in an executable that does not have it.

use hasse::{NativeBody, Natives, Options, Program, Type};

use super::support::{Folder, SQUARES};

/// A trace `t` of a run that calls a native body and a function in Rust.
fn recorded() -> Folder {
    let text = SQUARES.replace(
        "route = [\"square <- x * x\"]",
        "do    = { native = \"square\" }\nroute = [\"square <- twice(y) / 2\"]",
    );
    let mut natives = Natives::new();
    natives.function("twice", |x: i64| 2 * x);
    let body = NativeBody::new("square").needs([("x", Type::Int)]).lets([("y", Type::Int)]);
    natives.body(body, |context| {
        let x: i64 = context.get("x")?;
        context.set("y", x * x)
    });
    let folder = Folder::with("squares.hasse", &text);
    let program = Program::from_file(folder.path("squares.hasse"), &natives).unwrap();
    program.record_to_file(&Options::new(), folder.path("t")).unwrap().finished().unwrap();
    folder
}

#[test]
fn commands_that_execute_nothing_need_no_bodies() {
    let folder = recorded();
    let commands: [&[&str]; 14] = [
        &["verify", "t", "check pred Sum {Square}"],
        &["verify", "t", "--select", "Sum", "--select", "Square", "check pred Sum {Square}"],
        &["races", "t"],
        &["perf", "t"],
        &["why", "t", "/Sum:4"],
        &["trace", "info", "t"],
        &["trace", "events", "t"],
        &["trace", "graphs", "t"],
        &["trace", "graphs", "t", "--select", "Sum"],
        &["trace", "history", "t"],
        &["trace", "digest", "t"],
        &["trace", "export", "t", "--format", "jsonl", "--select", "Sum"],
        &["trace", "export", "t", "--format", "dot"],
        &["trace", "restrict", "t", "--select", "Sum", "-o", "r"],
    ];
    for command in commands {
        folder.hasse(command).ends(0);
    }
    let ran = folder.hasse(&["verify", "t", "never s: Square, m: Sum where s -> m"]).ends(1);
    assert!(
        ran.stdout.contains("sent by routing rule 0 of Square `square <- twice(y) / 2`"),
        "{}",
        ran.shown()
    );
}

#[test]
fn commands_that_execute_say_which_executable_does() {
    let folder = recorded();
    let commands: [&[&str]; 6] = [
        &["replay", "t"],
        &["values", "t", "/Sum:4"],
        &["why", "t", "/Sum:4", "--values"],
        &["isolate", "t", "/Sum:4"],
        &["trace", "minimize", "t", "-o", "m"],
        &["verify", "t", "forall s: Square : s.took.number < 4"],
    ];
    for command in commands {
        let error = folder.hasse(command).ends(2).stderr;
        assert!(error.contains("executed code in Rust that this executable does not have"), "{error}");
        assert!(error.contains("there is no native body `square`"), "{error}");
        assert!(error.contains("EXECUTABLE replay t"), "{error}");
    }
}
