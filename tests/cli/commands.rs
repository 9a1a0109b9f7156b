//! The commands of sessions: scripts for every row of the table, errors with their columns, files, saved sessions.

use std::fs;

use super::hierarchy::FIB;
use super::support::{Folder, Ran, TELLERS, repository};

/// A folder with both programs.
fn folder() -> Folder {
    let folder = Folder::with("tellers.hasse", TELLERS);
    folder.write("fib.hasse", FIB);
    folder.write("shown.commands", "where\nsource inner.commands\n");
    folder.write("inner.commands", "cd Audit; where\n  cd\n");
    folder
}

/// A session whose commands come from a file.
fn session(folder: &Folder, program: &str, commands: &str) -> Ran {
    folder.write("commands", commands);
    let set: &[&str] = if program == "fib.hasse" { &["--set", "n=3"] } else { &[] };
    let args = ["debug", program, "--commands", "commands", "--workers", "1", "--seed", "3"];
    folder.hasse(&[&args, set].concat())
}

/// The scripts in `tests/cli/sessions`, by name.
pub(crate) fn scripts() -> Vec<(String, String)> {
    let mut paths: Vec<_> = fs::read_dir(repository().join("tests/cli/sessions"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, fs::read_to_string(path).unwrap())
    };
    paths.iter().map(read).collect()
}

#[test]
fn scripts_show_what_they_showed() {
    for (name, text) in scripts() {
        let folder = folder();
        let program = text.lines().next().and_then(|line| line.strip_prefix("# on ")).unwrap();
        let ran = session(&folder, &format!("{program}.hasse"), &text);
        assert_ne!(ran.code, Some(2), "{name} ends at a command that cannot be carried out\n{}", ran.shown());
        insta::assert_snapshot!(format!("script_{name}"), ran.shown());
    }
}

#[test]
fn every_command_is_in_a_script() {
    let page = Folder::new().hasse(&["debug", "--markdown"]).ends(0).stdout;
    let scripts: String = scripts().into_iter().map(|(_, text)| text).collect();
    let said: Vec<&str> = scripts
        .lines()
        .filter(|line| !line.starts_with('#'))
        .flat_map(|line| line.split([';', '"']))
        .filter_map(|command| command.split_whitespace().next())
        .collect();
    let names: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("### ")).collect();
    assert!(names.len() > 20);
    for name in names {
        assert!(said.contains(&name), "no script in tests/cli/sessions says `{name}`");
    }
}

#[test]
fn the_page_of_commands_is_what_the_table_says() {
    let page = Folder::new().hasse(&["debug", "--markdown"]).ends(0).stdout;
    let path = repository().join("docs/commands.md");
    if std::env::var_os("HASSE_BLESS").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let stored = fs::read_to_string(&path).unwrap_or_default();
    assert!(stored == page, "docs/commands.md is out of date: run this test with HASSE_BLESS=1");
}

#[test]
fn what_cannot_be_carried_out_is_told_with_its_place() {
    let folder = folder();
    folder.write("outer.commands", "where\n\n  source wrong.commands\n");
    folder.write("wrong.commands", "# nothing\nwhere; mode  sideways\n");
    folder.write("endless.commands", "source endless.commands\n");
    let lines = [
        "where; nowhere",
        "cd Nobody",
        "cd fib/Nobody",
        "cd fib[1]",
        "cd half[0][1]",
        "cd half[a]",
        "cd half[",
        "cd /:1",
        "cd Split:0",
        "cd fib/half/Split:1",
        "cd Start; lsi; cd :1; lsi",
        "lsi Nobody",
        "whatis nothing",
        "whatis Fib.Sum.nothing",
        "psym totl; cd fib/Sum",
        "run > file",
        "lsi > fib.hasse",
        "lsi > nowhere/file",
        "lsi >",
        "alias f(x) \"where\"; f(1, 2)",
        "alias f \"g\"; alias g \"f\"; f",
        "alias f \"moed\"; run; f",
        "unalias f; unalias f",
        "unalias cd",
        "alias nothing",
        "help nothing",
        "delete 7",
        "source outer.commands",
        "source endless.commands",
        "mode postmortem record; run",
        "mode postmortem ufile; run",
        "output ufile edge",
        "check pred Nobody {Sum}",
        "rcopt fib/Sum full",
        "run; cd Start:9",
    ];
    let mut shown = String::new();
    for line in lines {
        let ran = session(&folder, "fib.hasse", &format!("{line}\n")).ends(2);
        shown += &format!("{line}\n{}\n", ran.stderr);
    }
    assert!(!folder.path("file").exists());
    insta::assert_snapshot!(shown);
}

#[test]
fn what_a_failing_command_would_have_written_is_not_there() {
    let folder = folder();
    folder.write("events", "as before\n");
    session(&folder, "fib.hasse", "lse > events\n").ends(2);
    session(&folder, "fib.hasse", "run\nlse Nobody >> events\n").ends(2);
    assert_eq!(fs::read_to_string(folder.path("events")).unwrap(), "as before\n");
    session(&folder, "fib.hasse", "run\nlse Start >> events\nlse Show > other\n").ends(0);
    let events = fs::read_to_string(folder.path("events")).unwrap();
    assert_eq!(events, "as before\n     1  /Start:1  starts  routes 0: 1 value  done\n");
    assert!(fs::read_to_string(folder.path("other")).unwrap().starts_with("     1  /Show:1"));
}

#[test]
fn aliases_make_no_more_than_a_thousand_commands() {
    let folder = folder();
    let mut commands: String = (0..20).map(|i| format!("alias a{i} \"a{}; a{}\"\n", i + 1, i + 1)).collect();
    commands += "alias a20 where\na0\n";
    let ran = session(&folder, "fib.hasse", &commands).ends(2);
    assert!(ran.stderr.contains("aliases make more than 1000 commands of this"), "{}", ran.shown());
    let long = format!("alias a(x) \"{}\"\na({})\n", "x ".repeat(1000), "y".repeat(1000));
    let ran = session(&folder, "fib.hasse", &long).ends(2);
    assert!(ran.stderr.contains("longer than 64 KiB"), "{}", ran.shown());
}

/// What is saved goes on in another process: the same status, and a replay of the same run.
#[test]
fn a_session_goes_on_in_another_process() {
    let folder = folder();
    folder.write(
        "before",
        "mode record full\nrcopt Sum full\nrcopt /fib/half[0..2] off\ncheck pred Show {Sum}\ndisp Sum, Show\ncheckset Sum, Show\n\
         check forall s: Sum, h: Show where s -> h : s.count >= 2\nstop in Sum at aftcomp if count > 99\n",
    );
    let common = "races on\noutput file filed.trace disp\nalias look(a) \"lse a; lsi a\"\ncd /fib/Sum\n";
    let ran = session(
        &folder,
        "fib.hasse",
        &format!("source before\n{common}delete 1\nrun\nsave session kept.session\nstatus > status.before\n"),
    );
    // There are races, as there should be.
    ran.ends(1);
    fs::remove_file(folder.path("filed.trace")).unwrap();
    folder.write(
        "after",
        "status > status.after\nlook(Show)\ncd\nmode replay\noutput file again.trace\nrun\nquit\n",
    );
    let ran = folder.hasse(&["debug", "--session", "kept.session", "--commands", "after"]).ends(1);
    insta::assert_snapshot!(ran.shown());
    let read = |name: &str| fs::read_to_string(folder.path(name)).unwrap();
    assert_eq!(without_records(&read("status.before")), without_records(&read("status.after")));
    assert!(read("status.after").contains("records: 11 events of the session in kept.session\n"));
    assert!(read("status.after").contains("check 3: "), "numbers stay: {}", read("status.after"));
    // The records that were kept and what replays them are of one run.
    let digest = |name: &str| folder.hasse(&["trace", "digest", name]).ends(0).stdout;
    assert_eq!(digest("kept.session.trace"), digest("again.trace"));
    insta::assert_snapshot!(
        read("kept.session").replace(&checksum(&read("kept.session"), "blake3 ="), "CHECKSUM")
    );

    // Saved again, it is the same.
    folder.write("again", "save session copy.session\n");
    folder.hasse(&["debug", "--session", "kept.session", "--commands", "again"]).ends(0);
    let copy = read("copy.session").replace("copy.session.trace", "kept.session.trace");
    assert_eq!(copy, read("kept.session"));
}

/// A status without the run that its events are of.
fn without_records(status: &str) -> Vec<&str> {
    status.lines().filter(|line| !line.starts_with("records: ")).collect()
}

/// The last quoted text of the line that begins so.
fn checksum(text: &str, key: &str) -> String {
    let line = text.lines().rfind(|line| line.starts_with(key)).unwrap();
    line.split('"').nth(1).unwrap().to_owned()
}

#[test]
fn damaged_and_foreign_sessions_are_refused() {
    let folder = folder();
    session(&folder, "fib.hasse", "run\ncd fib\nsave session kept.session\n").ends(0);
    let good = fs::read_to_string(folder.path("kept.session")).unwrap();
    let mut shown = String::new();
    let mut refuse = |text: &str, what: &str| {
        folder.write("bad.session", text);
        folder.write("restore", "restore bad.session\n");
        let ran = folder.hasse(&["debug", "--session", "bad.session"]).ends(2);
        assert_eq!(ran.stdout, "", "{what}");
        shown += &format!("{what}\n{}", ran.stderr);
    };
    refuse("", "empty");
    refuse("hasse = 1\n", "a program");
    refuse("hasse-session = [\n", "no TOML");
    refuse(&good.replace("hasse-session = 1", "hasse-session = 2"), "of another version");
    refuse(&good.replace("workers = 1", "workers = 0"), "no workers");
    refuse(&good.replace("seed = \"3\"", "seed = 3"), "seed");
    refuse(&good.replace("\"mode record full\"", "\"run\""), "runs something");
    refuse(&good.replace("\"mode record full\"", "\"status > fib.hasse\""), "writes something");
    refuse(&good.replace("\"mode record full\"", "\"mode sideways\""), "no command");
    refuse(&good.replace("cd /fib", "cd /fob"), "no scope");
    refuse(&good.replace("set = [\"n=3\"]", "set = [\"n\"]"), "parameters");
    refuse(&good.replace("file = \"kept", "file = \"../kept"), "records elsewhere");
    refuse(&good.replace("file = \"kept", "file = \"lost"), "no records");
    refuse(&good[..good.len() / 2], "cut off");
    let hash = checksum(&good, "program-blake3 =");
    refuse(&good.replace(&hash, "0"), "another program");
    fs::write(folder.path("kept.session.trace"), "damaged").unwrap();
    refuse(&good, "damaged records");
    insta::assert_snapshot!(shown);

    // Nothing of a session that cannot be restored is taken over.
    let ran = session(&folder, "fib.hasse", "cd fib/Sum\nwhere\n").ends(0);
    assert_eq!(ran.stdout, "/fib/Sum\n");
    let input = "cd fib/Sum\nrestore bad.session\nwhere\n";
    let ran = folder.hasse_with_input(&["debug", "fib.hasse", "--set", "n=3"], input).ends(1);
    assert_eq!(ran.stdout, "/fib/Sum\n");
    let ran = folder.hasse_with_input(&["debug", "fib.hasse"], "restore kept.session\n").ends(1);
    assert!(ran.stderr.contains("its parameters are others"), "{}", ran.shown());
    let ran = folder.hasse_with_input(&["debug", "tellers.hasse"], "restore kept.session\n").ends(1);
    assert!(ran.stderr.contains("it is of another program than tellers.hasse"), "{}", ran.shown());
}

/// Of a file of models, what was deleted stays deleted.
#[test]
fn models_of_a_session_are_read_again_by_name() {
    let folder = Folder::new();
    folder.hasse(&["new", "bts", "--from", "bts"]).ends(0);
    let commands = "check model solve.model\nrun\nsave session kept.session\nstatus > before\n";
    folder.write("commands", commands);
    folder
        .hasse(&["debug", "bts/bts.hasse", "--commands", "commands", "--workers", "1", "--seed", "1"])
        .ends(0);
    folder.write("commands", "status > after\nrun\n");
    let ran = folder.hasse(&["debug", "--session", "kept.session", "--commands", "commands"]).ends(0);
    assert!(ran.stdout.contains("holds: model solve of bts/solve.model"), "{}", ran.shown());
    let read = |name: &str| fs::read_to_string(folder.path(name)).unwrap();
    assert_eq!(without_records(&read("before")), without_records(&read("after")));
    let model = read("bts/solve.model").replace("[model.solve", "[model.other");
    folder.write("bts/solve.model", &model);
    let ran = folder.hasse(&["debug", "--session", "kept.session", "--commands", "commands"]).ends(2);
    assert!(ran.stderr.contains("the file no longer holds model solve"), "{}", ran.shown());
}

#[test]
fn a_trace_is_listed_without_a_run() {
    let folder = folder();
    folder
        .hasse(&["run", "fib.hasse", "--trace", "t", "--workers", "1", "--seed", "3", "--set", "n=2"])
        .ends(0);
    folder.write("commands", "lsi\ncd fib/Split\nlse\ncd :1; lse\nsave session kept.session\n");
    let ran = folder.hasse(&["debug", "t", "--commands", "commands"]).ends(0);
    insta::assert_snapshot!(ran.stdout);
    folder.write("commands", "where; lse\n");
    let ran = folder.hasse(&["debug", "--session", "kept.session", "--commands", "commands"]).ends(0);
    assert!(ran.stdout.starts_with("/fib/Split:1\n     1  /fib/Split:1"), "{}", ran.shown());
}

/// A person at a terminal: prompt, completion, history, Ctrl-C and Ctrl-D.
#[cfg(unix)]
#[test]
fn lines_are_edited_completed_and_remembered() {
    use rexpect::session::spawn_command;

    let folder = folder();
    let start = || {
        let mut command = folder.command(&["debug", "fib.hasse", "--workers", "1", "--set", "n=2"]);
        command
            .stdin(std::process::Stdio::inherit())
            .env("TERM", "xterm")
            .env("XDG_STATE_HOME", folder.path("state"))
            .env("COLUMNS", "100");
        // The limit is one on a terminal that hangs, not on what is measured.
        spawn_command(command, Some(60_000)).unwrap()
    };
    let send = |terminal: &mut rexpect::session::PtySession, keys: &str| {
        terminal.send(keys).unwrap();
        terminal.flush().unwrap();
    };
    let mut terminal = start();
    terminal.exp_string("hasse /> ").unwrap();
    // Ctrl-C gives up what was typed.
    send(&mut terminal, "quit");
    terminal.send_control('c').unwrap();
    terminal.exp_string("leaves").unwrap();
    terminal.exp_string("hasse /> ").unwrap();
    // Commands, paths and words are completed.
    send(&mut terminal, "whe\t\t");
    send(&mut terminal, "\x15");
    send(&mut terminal, "sel\t /fib/Su\t\r");
    terminal.exp_string("hasse /fib/Sum> ").unwrap();
    send(&mut terminal, "whatis tot\t\r");
    terminal.exp_string("total: var of Fib.Sum: int").unwrap();
    terminal.exp_string("hasse /fib/Sum> ").unwrap();
    send(&mut terminal, "moed\r");
    terminal.exp_string("did you mean `mode`?").unwrap();
    terminal.exp_string("hasse /fib/Sum> ").unwrap();
    terminal.send_control('d').unwrap();
    terminal.exp_eof().unwrap();

    // The next session remembers the lines.
    let history = fs::read_to_string(folder.path("state/hasse/history")).unwrap();
    assert!(history.contains("whatis total") && !history.contains("quit"), "{history}");
    let mut terminal = start();
    terminal.exp_string("hasse /> ").unwrap();
    send(&mut terminal, "\x1b[A\x1b[A\x1b[A\r");
    terminal.exp_string("hasse /fib/Sum> ").unwrap();
    send(&mut terminal, "quit\r");
    terminal.exp_eof().unwrap();
}
