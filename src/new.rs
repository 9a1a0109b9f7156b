//! `hasse new`: a folder with a program to begin with, or with a copy of a shipped example.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::ending::Ending;
use crate::fault::Fault;
use crate::out::Out;
use crate::{out, suggest};

/// Example, path within it and content of each file of the examples, sorted.
const EXAMPLE_FILES: &[(&str, &str, &[u8])] = &include!(concat!(env!("OUT_DIR"), "/example_files.rs"));

const START: &str = include_str!("new/start.hasse");
const START_README: &str = include_str!("new/README.md");

/// Make a folder with a program to begin with
#[derive(clap::Args)]
pub(crate) struct NewArgs {
    /// The folder, and the name of the program in it
    #[arg(required_unless_present = "list")]
    name: Option<PathBuf>,
    /// Copy one of the examples that come with Hasse
    #[arg(long, value_name = "EXAMPLE")]
    from: Option<String>,
    /// List the examples
    #[arg(long, conflicts_with_all = ["name", "from"])]
    list: bool,
    /// Print the list as one JSON object on standard output
    #[arg(long, requires = "list")]
    json: bool,
}

/// Makes the folder, or lists what it could be made from.
pub(crate) fn new(args: &NewArgs) -> Result<Ending, Fault> {
    if args.json {
        let all = examples();
        let example = |(name, title): &(&str, &str)| json!({ "name": name, "title": title });
        out::print_json(&json!({ "examples": all.iter().map(example).collect::<Vec<_>>() }))?;
        return Ok(Ending::Fine);
    }
    let mut out = Out::new();
    match &args.name {
        Some(folder) => {
            let files = match &args.from {
                Some(example) => example_files(example)?,
                None => start_files(folder)?,
            };
            create(folder, &files)?;
            let program = files.iter().map(|(path, _)| path).find(|path| path.ends_with(".hasse"));
            let program = folder.join(program.map_or("README.md", String::as_str));
            writeln!(out, "made {}; try: hasse run {}", folder.display(), program.display())
        }
        None => {
            let width = examples().iter().map(|(name, _)| name.len()).max().unwrap_or_default();
            examples().iter().try_for_each(|(name, title)| writeln!(out, "{name:width$}  {title}"))
        }
    }
    .and_then(|()| out.close())
    .map_err(Fault::Stdout)?;
    Ok(Ending::Fine)
}

type File = (String, Vec<u8>);

/// The program to begin with, under its new name.
fn start_files(folder: &Path) -> Result<Vec<File>, Fault> {
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned());
    let Some(name) = name.filter(|name| !name.contains(char::is_control)) else {
        return Err(Fault::NoName { path: folder.to_owned() });
    };
    let graph = graph_name(&name);
    let filled = |text: &str| text.replace("GRAPH", &graph).replace("NAME", &name).into_bytes();
    Ok(vec![(format!("{name}.hasse"), filled(START)), ("README.md".to_owned(), filled(START_README))])
}

/// A name of the language that resembles the folder's.
fn graph_name(name: &str) -> String {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let letters: String = name.chars().map(|letter| if fits(letter) { letter } else { '_' }).collect();
    let is_word = letters.trim_start_matches('_').starts_with(|letter: char| letter.is_ascii_alphabetic());
    if is_word { letters } else { format!("program_{}", letters.trim_start_matches('_')) }
}

fn example_files(example: &str) -> Result<Vec<File>, Fault> {
    let files = EXAMPLE_FILES.iter().filter(|(name, _, _)| *name == example);
    let mut files: Vec<File> =
        files.map(|(_, path, content)| ((*path).to_owned(), content.to_vec())).collect();
    if files.is_empty() {
        let names: Vec<&str> = examples().iter().map(|(name, _)| *name).collect();
        let all = format!("the examples are: {}", names.join(", "));
        let help = suggest::help(example, names.iter().copied(), &all);
        return Err(Fault::UnknownExample { name: example.to_owned(), help });
    }
    // The program that bears the example's name is the one to try first.
    let main = format!("{example}.hasse");
    files.sort_by_key(|(path, _)| *path != main);
    Ok(files)
}

/// Names of the examples and the first lines of their READMEs.
fn examples() -> Vec<(&'static str, &'static str)> {
    let mut names: Vec<&str> = EXAMPLE_FILES.iter().map(|(name, _, _)| *name).collect();
    names.dedup();
    let title = |name: &'static str| {
        let is_readme = |(example, path, _): &&(&str, &str, &[u8])| *example == name && *path == "README.md";
        let readme = EXAMPLE_FILES.iter().find(is_readme).map_or(&[][..], |(_, _, content)| content);
        let text = std::str::from_utf8(readme).unwrap_or_default();
        let title = text.lines().next().unwrap_or_default().trim_start_matches('#').trim();
        // The list has the names in front.
        title.strip_prefix(name).map_or(title, |rest| rest.trim_start_matches(':').trim_start())
    };
    names.into_iter().map(|name| (name, title(name))).collect()
}

/// Makes the folder with the files, or nothing.
fn create(folder: &Path, files: &[File]) -> Result<(), Fault> {
    let made = fs::create_dir(folder);
    if made.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::AlreadyExists) {
        return Err(Fault::Exists { path: folder.to_owned() });
    }
    let cannot_write = |source| Fault::Write { path: folder.to_owned(), source };
    made.map_err(cannot_write)?;
    let write = || -> io::Result<()> {
        for (path, content) in files {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap_or(folder))?;
            fs::write(path, content)?;
        }
        Ok(())
    };
    write().map_err(|source| {
        let _ = fs::remove_dir_all(folder);
        cannot_write(source)
    })
}
