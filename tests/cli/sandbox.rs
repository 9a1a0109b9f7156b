use serde_json::json;

use super::support::{Folder, Ran, repository};

/// A program of one node with this body, in the folder `program`; `secret` and `out` stand beside it.
fn folder_with(body: &str) -> Folder {
    let folder = Folder::new();
    for name in ["program", "secret", "out"] {
        std::fs::create_dir(folder.path(name)).unwrap();
    }
    folder.write("program/data.txt", "mine\n");
    folder.write("secret/data.txt", "theirs\n");
    write_program(&folder, body);
    folder
}

fn write_program(folder: &Folder, body: &str) {
    let text = format!(
        "hasse = 1\nmain = \"main\"\n[graph.main]\nparams = {{ file = \"string = \\\"\\\"\" }}\n\
         [graph.main.uc.Work]\nstart = true\nstop = true\ndo = '''\n{body}\nlet _file = file;\n'''\n"
    );
    folder.write("program/p.hasse", &text);
}

fn run(folder: &Folder, more: &[&str]) -> Ran {
    folder.hasse(&[&["run", "program/p.hasse"], more].concat())
}

/// What a person sees, without what differs from one machine to the next.
fn stable(folder: &Folder, ran: Ran) -> String {
    let real = std::fs::canonicalize(folder.path("")).unwrap().display().to_string();
    ran.shown().replace(real.trim_end_matches('/'), "FOLDER")
}

#[test]
fn the_programs_folder_may_be_read_and_nothing_else() {
    let folder = folder_with("print(read_text(\"data.txt\")); print(list_dir(\".\"));");
    let ran = run(&folder, &[]).ends(0);
    assert_eq!(ran.stdout, "mine\n\n[\"data.txt\", \"p.hasse\"]\n");
    let absolute = folder.path("secret/data.txt").display().to_string();
    for path in ["../secret/data.txt", &absolute] {
        write_program(&folder, &format!("print(read_text(\"{path}\"));"));
        let ran = run(&folder, &["--json"]).ends(1);
        let error = &ran.json()["errors"][0];
        assert_eq!((&error["code"], &error["line"]), (&json!("R0011"), &json!(9)), "{error:#}");
        run(&folder, &["--allow-read", "secret"]).ends(0);
    }
    // Below the current folder: not looked at, so not even said to exist.
    write_program(&folder, "print(read_text(\"secret/data.txt\"));");
    assert_eq!(run(&folder, &["--json"]).ends(1).json()["errors"][0]["code"], "R0001");
    run(&folder, &["--allow-read", "secret"]).ends(0);
}

#[test]
fn what_is_not_granted_is_reported_with_the_option_to_add() {
    let folder = folder_with("print(read_text(file));");
    let file = folder.path("secret/data.txt").display().to_string();
    let real = std::fs::canonicalize(folder.path("")).unwrap().display().to_string();
    let mut shown = String::new();
    for (body, more) in [
        ("print(read_text(file));", &["--set", "file=../secret/data.txt"][..]),
        ("write_text(\"x.txt\", \"x\");", &[]),
        ("write_text(\"x.txt\", \"x\");", &["--allow-write", "out"]),
        ("print(env(\"HOME\"));", &["--allow-env", "PATH"]),
        ("print(read_text(\"gone.txt\"));", &[]),
    ] {
        write_program(&folder, body);
        let found = run(&folder, &[&["--json"], more].concat()).ends(1).json();
        let error = &found["errors"][0];
        let message = error["message"].as_str().unwrap().replace(real.trim_end_matches('/'), "FOLDER");
        shown += &format!("{} {message}\n", error["code"].as_str().unwrap());
    }
    insta::assert_snapshot!(shown);
    write_program(&folder, "print(read_text(file));");
    let set = format!("file={file}");
    run(&folder, &["--set", &set]).ends(1);
    run(&folder, &["--set", &set, "--allow-read", "secret"]).ends(0);
    run(&folder, &["--set", &set, "--allow-read", &file]).ends(0);
}

#[test]
fn the_current_folder_is_looked_at_if_it_is_granted() {
    let folder = folder_with("print(read_text(\"here.txt\"));");
    folder.write("here.txt", "here");
    let ran = run(&folder, &[]).ends(1);
    assert!(ran.stderr.contains("current folder is not looked at"), "{}", ran.shown());
    assert_eq!(run(&folder, &["--allow-read", "."]).ends(0).stdout, "here\n");
    folder.write("program/here.txt", "first");
    assert_eq!(run(&folder, &["--allow-read", "."]).ends(0).stdout, "first\n");
}

#[cfg(unix)]
#[test]
fn links_lead_out_of_neither_kind_of_root() {
    let folder = folder_with("");
    std::os::unix::fs::symlink(folder.path("secret"), folder.path("program/door")).unwrap();
    std::os::unix::fs::symlink(folder.path("secret/new"), folder.path("out/dangling")).unwrap();
    for body in [
        "read_text(\"door/data.txt\");",
        "file_exists(\"door/data.txt\");",
        "list_dir(\"door\");",
        "write_text(\"../out/dangling\", \"x\");",
        "append_text(\"../out/dangling\", \"x\");",
        "write_text(\"../out/../secret/new\", \"x\");",
        "write_text(\"data.txt\", \"x\");",
    ] {
        write_program(&folder, body);
        let ran = run(&folder, &["--allow-write", "out"]).ends(1);
        assert!(ran.stderr.contains("R0011"), "{body}: {}", ran.shown());
    }
    assert!(!folder.path("secret/new").exists());
}

#[test]
fn a_replay_gives_the_same_answers_and_writes_nothing() {
    let folder = folder_with(
        "let text = read_text(\"data.txt\"); let n = write_text(\"../out/copy.txt\", text);\n\
         append_text(\"../out/log.txt\", \"x\"); let a = [1, 2, 3, 4, 5]; a.shuffle();\n\
         write_png(\"../out/x.png\", matrix(2, 2)); write_csv(\"../out/x.csv\", [[1]]);\n\
         print([text, n, list_dir(\".\"), time(), elapsed(), random(), random_normal(), a, random_vector(2)]);",
    );
    let ran = run(&folder, &["--allow-write", "out", "--trace", "t"]).ends(0);
    assert_eq!(std::fs::read_to_string(folder.path("out/copy.txt")).unwrap(), "mine\n");
    std::fs::remove_dir_all(folder.path("out")).unwrap();
    folder.write("program/data.txt", "changed\n");
    assert_eq!(folder.hasse(&["replay", "t"]).ends(0).stdout, ran.stdout);
    std::fs::remove_file(folder.path("program/data.txt")).unwrap();
    assert_eq!(folder.hasse(&["replay", "t", "--workers", "2"]).ends(0).stdout, ran.stdout);
    assert!(!folder.path("out").exists());
}

#[test]
fn a_seed_gives_each_action_the_same_numbers_in_every_run() {
    let text = |more: &str| {
        format!(
            "hasse = 1\nmain = \"main\"\n[graph.main]\narcs = [\"Start.go[i] -> Draw[i].go\"]\n{more}\
             [graph.main.uc.Start]\nstart = true\nout = {{ \"go[i]\" = \"int\" }}\nroute = [\"go[i] <- k for i in 0..4 for k in 0..3\"]\n\
             [graph.main.uc.Draw]\nindex = [\"i\"]\nin = {{ go = \"int\" }}\nfire = [\"go -> k\"]\n\
             do = 'print(`${{i}} ${{k}} ${{random()}} ${{random_int(0, 1000000)}}`);'\n"
        )
    };
    let folder = Folder::with("p.hasse", &text(""));
    let lines = |args: &[&str]| {
        let out = folder.hasse(&[&["run", "p.hasse"], args].concat()).ends(0).stdout;
        let mut lines: Vec<String> = out.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let once = lines(&["--seed", "5", "--workers", "1"]);
    assert_eq!(once, lines(&["--seed", "5", "--workers", "4"]));
    assert_ne!(once, lines(&["--seed", "6"]));
    assert_ne!(lines(&[]), lines(&[]));
    // A node more does not change what the others draw.
    folder.write("p.hasse", &text("[graph.main.uc.Ahead]\nstart = true\ndo = 'random();'\n"));
    assert_eq!(once, lines(&["--seed", "5"]));
}

#[test]
fn a_body_that_allocates_without_end_is_ended_with_its_line() {
    for body in [
        "let a = [];\nloop { a.push(a.len()); }",
        "let s = \"x\";\nloop { s += s; }",
        "let m = #{};\nlet k = 0; loop { m[`key ${k}`] = k; k += 1; }",
        "let all = [];\nloop { let part = []; part.pad(1000, 0); all.push(part); }",
        "let v = vector(1000);\nloop { v.append(v); }",
        "let all = [];\nloop { all.push(matrix(300, 300)); }",
        "let b = blob(1000);\nloop { b += b; }",
        "let a = [1];\nloop { a.append(a); }",
        "let a = [1];\nloop { a = a + a; }",
        "let b = blob(1000);\nloop { b.append(b); }",
        "let b = blob(1000);\nloop { b = b + b; }",
        "let a = [0];\nloop { a = [a, a.len()]; a.pad(1000, 0); }",
        "\nlet m = matrix(16000, 16000);",
        "\nlet s = repeat(\"abc\", 1000000000);",
        "try {\nlet m = matrix(16000, 16000); } catch (e) { print(e); }",
    ] {
        let folder = folder_with(body);
        let ran = run(&folder, &["--json", "--body-memory", "16"]).ends(1);
        let error = &ran.json()["errors"][0];
        assert_eq!((&error["code"], &error["line"]), (&json!("R0010"), &json!(10)), "{body}: {error:#}");
        let message = error["message"].as_str().unwrap();
        assert!(message.starts_with("the memory budget of the event, 16 MiB,"), "{message}");
    }
    let folder = folder_with("let a = [];\nloop { a.push(1); }");
    insta::assert_snapshot!(stable(&folder, run(&folder, &["--body-memory", "16"]).ends(1)));
}

#[test]
fn what_is_given_back_does_not_count() {
    let folder = folder_with(
        "for k in 0..2000 { let m = matrix(100, 1000); m.set(0, 0, 1); let a = []; a.pad(1000, k); }\nprint(\"done\");",
    );
    run(&folder, &["--body-memory", "8"]).ends(0);
}

#[test]
fn a_replay_needs_not_be_told_the_budget() {
    let folder = folder_with("let a = [];\nloop { a.push(1); }");
    let ran = run(&folder, &["--body-memory", "16", "--trace", "t"]).ends(1);
    let replayed = folder.hasse(&["replay", "t"]).ends(0);
    assert_eq!(replayed.stderr, ran.stderr);
    write_program(&folder, "print(blob(1100000000).len);");
    assert!(run(&folder, &[]).ends(1).stderr.contains("R0010"));
    run(&folder, &["--body-memory", "2000", "--trace", "t"]).ends(0);
    folder.hasse(&["replay", "t"]).ends(0);
}

#[test]
fn roots_that_do_not_exist_are_refused() {
    let folder = folder_with("");
    for option in ["--allow-read", "--allow-write"] {
        let ran = run(&folder, &[option, "nowhere"]).ends(2);
        assert!(
            ran.stderr.starts_with(&format!("error: {option} nowhere cannot be granted")),
            "{}",
            ran.shown()
        );
    }
    run(&folder, &["--body-memory", "0"]).ends(2);
}

#[test]
fn the_examples_need_no_grant() {
    let bank = repository().join("examples/bank/bank.hasse").display().to_string();
    Folder::new().hasse(&["run", &bank]).ends(0);
}

/// A grant that could never be used is refused: whoever gives it expects that something is granted.
#[test]
fn grants_that_are_no_addresses_or_programs_are_errors() {
    let folder = Folder::with("p.hasse", "");
    for (option, value, message) in [
        ("--allow-net", "127.0.0.1:abc", "expected HOST:PORT"),
        ("--allow-net", "host:70000", "expected HOST:PORT"),
        ("--allow-net", ":80", "expected HOST:PORT"),
        ("--allow-net", "", "expected HOST:PORT"),
        ("--allow-net", "http://example.org:80", "such as `example.org:80`"),
        ("--allow-run", "", "a value is required"),
    ] {
        let ran = folder.hasse(&["run", "p.hasse", option, value]).ends(2);
        assert!(ran.stderr.contains(message), "{option} {value}: {}", ran.shown());
    }
}
