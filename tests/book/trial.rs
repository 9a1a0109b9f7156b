//! Blocks of one page, one after the other, in a folder that holds the programs and files shown so far.

use std::fs;
use std::path::Path;

use super::blesses;
use super::page::{self, Block, Part};
use super::support::{Folder, Ran, repository};

/// Tries all blocks of a page, and adds what is wrong with them.
pub(crate) fn try_page(path: &Path, complaints: &mut String) {
    let mut parts = page::read(path);
    let whole: Vec<String> = parts
        .iter()
        .filter_map(|part| match part {
            Part::Block(block) if block.is("toml run") => Some(lines_of(&block.text)),
            _ => None,
        })
        .collect();
    let folder = Folder::new();
    // The file of the last program, until a command runs it.
    let mut waits_to_run: Option<String> = None;
    // What the last session of the page printed, from where the blocks have not told it yet.
    let mut transcript = String::new();
    let mut tells_all = true;
    let before = page::write(&parts);
    for part in &mut parts {
        let Part::Block(block) = part else { continue };
        let result = match block.words.first().map(String::as_str) {
            Some("toml") if block.is("toml run") => {
                let unrun = waits_to_run.replace(file_name(&block.text));
                try_program(block, &folder)
                    .and_then(|()| unrun.map_or(Ok(()), |file| Err(format!("nothing above runs {file}"))))
            }
            Some("toml") if block.is("toml error") => try_error(block),
            Some("toml" | "rhai") if block.has("fragment") => try_fragment(block, &whole),
            Some("text") if block.is("text file") => {
                folder.write(&block.words[2], &block.text);
                Ok(())
            }
            Some("console") => {
                waits_to_run.take_if(|file| block.text.contains(&format!("hasse run {file}")));
                try_console(block, &folder, &mut transcript)
            }
            Some("text") if block.is("text session") => {
                tells_all = false;
                try_session(block, &mut transcript)
            }
            Some("text" | "json") => Ok(()),
            _ => Err("the info string does not say how it is tested".to_owned()),
        };
        if let Err(complaint) = result {
            *complaints += &format!("{}:{}: {complaint}\n", path.display(), block.line);
        }
    }
    if let Some(file) = waits_to_run {
        *complaints += &format!("{}: nothing runs {file}\n", path.display());
    }
    if !tells_all && !transcript.is_empty() {
        *complaints += &format!("{}: the session goes on:\n{transcript}", path.display());
    }
    let after = page::write(&parts);
    if blesses() && before != after {
        fs::write(path, after).unwrap();
    }
}

/// Main graph of a program, with the extension of program files.
fn file_name(text: &str) -> String {
    let main = text.lines().find_map(|line| line.strip_prefix("main")).expect("a program has a main graph");
    format!("{}.hasse", main.trim_matches([' ', '=', '"']))
}

/// Lines without the white space around them, so that fragments may be indented otherwise.
fn lines_of(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", line.trim())).collect()
}

fn try_program(block: &mut Block, folder: &Folder) -> Result<(), String> {
    let name = file_name(&block.text);
    folder.write(&name, &block.text);
    if blesses() {
        folder.hasse(&["fmt", &name]);
        block.text = fs::read_to_string(folder.path(&name)).unwrap();
    }
    let canonical = folder.hasse(&["fmt", &name, "--check"]);
    if canonical.code != Some(0) {
        return Err(canonical.shown());
    }
    let checked = folder.hasse(&["check", &name, "--json"]);
    if codes(&checked) == block.words[2..] { Ok(()) } else { Err(checked.shown()) }
}

/// The codes of findings, in order.
fn codes(checked: &Ran) -> Vec<String> {
    let found = checked.json();
    found["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| found["code"].as_str().unwrap().to_owned())
        .collect()
}

fn try_error(block: &Block) -> Result<(), String> {
    let found = Folder::with("wrong.hasse", &block.text).hasse(&["check", "wrong.hasse", "--json"]);
    let codes = codes(&found);
    if codes == block.words[2..] { Ok(()) } else { Err(format!("reported: {codes:?}")) }
}

fn try_fragment(block: &Block, whole: &[String]) -> Result<(), String> {
    let fragment = lines_of(&block.text);
    let is_found = match block.words.iter().skip_while(|word| *word != "fragment").nth(1) {
        Some(example) => {
            let path = repository().join(format!("examples/{example}/{example}.hasse"));
            lines_of(&fs::read_to_string(path).unwrap()).contains(&fragment)
        }
        None => whole.iter().any(|program| program.contains(&fragment)),
    };
    if is_found { Ok(()) } else { Err("no program has these lines".to_owned()) }
}

/// Runs the commands of a block and compares, or puts in, what they print.
fn try_console(block: &mut Block, folder: &Folder, transcript: &mut String) -> Result<(), String> {
    let mut shown = String::new();
    let mut complaint = None;
    for (command, expected) in commands(&block.text) {
        let args = arguments(&command);
        if args.first().map(String::as_str) != Some("hasse") {
            return Err(format!("not a command of Hasse: {command}"));
        }
        let args: Vec<_> = args[1..].iter().map(String::as_str).collect();
        let has_workers = args[0] != "run" || args.contains(&"--workers");
        let more: &[&[&str]] = if has_workers { &[&[]] } else { &[&["--workers", "1"], &["--workers", "2"]] };
        let mut printed = expected.clone();
        for more in more {
            let args = [&args[..], more].concat();
            let (code, found) = if args.contains(&"--echo") {
                let ran = together(folder, &args);
                transcript.clone_from(&ran.1);
                ran
            } else {
                let ran = folder.hasse(&args);
                (ran.code, output(&ran))
            };
            let is_code_right =
                if block.has("fails") { matches!(code, Some(1 | 2)) } else { code == Some(0) };
            if !is_code_right || !fits(&expected, &found, block.has("any-order")) {
                complaint.get_or_insert(format!("{command} {more:?} ends with {code:?} and prints\n{found}"));
                printed = found;
            }
        }
        shown += &format!("$ {command}\n{printed}");
    }
    block.text = shown;
    if blesses() { Ok(()) } else { complaint.map_or(Ok(()), Err) }
}

/// Exit code of a command, and what it prints on both streams, in the order in which it does.
fn together(folder: &Folder, args: &[&str]) -> (Option<i32>, String) {
    let path = folder.path("printed");
    let file = fs::File::create(&path).unwrap();
    let status = folder.command(args).stdout(file.try_clone().unwrap()).stderr(file).status().unwrap();
    let printed = fs::read_to_string(&path).unwrap();
    (status.code(), printed.lines().map(|line| format!("{}\n", line.trim_end())).collect())
}

/// Whether a line of a session shows a command.
fn is_prompt(line: &str) -> bool {
    line.starts_with("hasse /") && line.contains("> ")
}

/// Compares the commands of a block, and what they print, with the next ones of the transcript, and takes these off it.
fn try_session(block: &mut Block, transcript: &mut String) -> Result<(), String> {
    let n_commands = block.text.lines().filter(|line| is_prompt(line)).count();
    let mut n_seen = 0;
    let is_part = |line: &&str| {
        n_seen += usize::from(is_prompt(line));
        n_seen <= n_commands
    };
    let part: String = transcript.lines().take_while(is_part).map(|line| format!("{line}\n")).collect();
    transcript.drain(..part.len());
    if fits(&block.text, &part, block.has("any-order")) {
        return Ok(());
    }
    let complaint = format!("the session goes on otherwise:\n{part}");
    if blesses() {
        block.text = part;
        return Ok(());
    }
    Err(complaint)
}

fn commands(text: &str) -> Vec<(String, String)> {
    let mut commands: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(command), _) => commands.push((command.to_owned(), String::new())),
            (None, Some((_, output))) => *output += &format!("{line}\n"),
            (None, None) => panic!("output without a command: {line}"),
        }
    }
    commands
}

/// Words of a command; what stands between `'` is one word.
fn arguments(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (idx, part) in command.split('\'').enumerate() {
        match idx % 2 {
            1 => words.push(part.to_owned()),
            _ => words.extend(part.split_whitespace().map(str::to_owned)),
        }
    }
    words
}

fn output(ran: &Ran) -> String {
    let lines = ran.stdout.lines().chain(ran.stderr.lines());
    lines.map(|line| format!("{}\n", line.trim_end())).collect()
}

/// Whether what was printed is what is shown, where `...` stands for anything.
fn fits(expected: &str, found: &str, in_any_order: bool) -> bool {
    if in_any_order {
        return sorted(expected) == sorted(found);
    }
    let Some((head, rest)) = expected.split_once("...") else { return expected == found };
    let (middle, tail) = rest.rsplit_once("...").unwrap_or(("", rest));
    let inner = found.strip_prefix(head).and_then(|found| found.strip_suffix(tail));
    inner.is_some_and(|inner| {
        middle.split("...").try_fold(inner, |inner, part| Some(inner.split_once(part)?.1)).is_some()
    })
}

fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<_> = text.lines().collect();
    lines.sort_unstable();
    lines
}
