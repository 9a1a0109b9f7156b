//! Puts the pages of the book and the examples into tables that the editor carries with it, each sorted by name.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Files of an example that are made by running it, or are not input of its program.
const LEFT_OUT: [&str; 5] = ["hasse", "md", "trace", "rs", "snap"];

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("..");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let docs = fs::canonicalize(root.join("docs"))?;
    fs::write(out.join("error_pages.rs"), error_pages(&docs.join("errors"))?)?;
    fs::write(out.join("book_pages.rs"), book_pages(&docs)?)?;
    fs::write(out.join("examples.rs"), examples(&fs::canonicalize(root.join("examples"))?)?)?;
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../docs");
    println!("cargo::rerun-if-changed=../examples");
    Ok(())
}

fn has_extension(path: &Path, wanted: &str) -> bool {
    path.extension().is_some_and(|extension| extension == wanted)
}

/// `[("E0001", "the text of the page"), ..]`
fn error_pages(folder: &Path) -> io::Result<String> {
    let mut table = "[\n".to_owned();
    for path in sorted(folder)?.iter().filter(|path| has_extension(path, "md")) {
        let code = path.file_stem().unwrap_or_default().to_string_lossy();
        let _ = writeln!(table, "({code:?}, include_str!({:?})),", path.display().to_string());
    }
    table.push(']');
    Ok(table)
}

/// `[("editor/keys.md", "the text of the page"), ..]`, without the pages of codes.
fn book_pages(docs: &Path) -> io::Result<String> {
    let mut pages = Vec::new();
    let mut folders = vec![docs.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in sorted(&folder)? {
            if path.is_dir() {
                folders.extend((!path.ends_with("errors")).then_some(path));
            } else if has_extension(&path, "md") {
                let name = path.strip_prefix(docs).unwrap_or(&path).to_string_lossy().replace('\\', "/");
                pages.push((name, path));
            }
        }
    }
    pages.sort();
    let mut table = "[\n".to_owned();
    for (name, path) in pages {
        let _ = writeln!(table, "({name:?}, include_str!({:?})),", path.display().to_string());
    }
    table.push(']');
    Ok(table)
}

/// `[Example { name: "bts", line: "what it shows", text: "..", files: &[("matrix.mtx", b"..")] }, ..]`
fn examples(folder: &Path) -> io::Result<String> {
    let mut table = "[\n".to_owned();
    for example in sorted(folder)? {
        let name = example.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let program = example.join(format!("{name}.hasse"));
        // A crate among the examples is no program to begin with.
        if !program.exists() || example.join("Cargo.toml").exists() {
            continue;
        }
        let readme = fs::read_to_string(example.join("README.md"))?;
        let title = readme.lines().next().unwrap_or_default();
        let line = capital(title.split_once(": ").map_or(title, |(_, line)| line));
        let program = program.display().to_string();
        let _ = write!(
            table,
            "Example {{ name: {name:?}, line: {line:?}, text: include_str!({program:?}), files: &["
        );
        let mut folders = vec![example.clone()];
        let mut files = Vec::new();
        while let Some(folder) = folders.pop() {
            for path in sorted(&folder)? {
                if path.is_dir() { folders.push(path) } else { files.push(path) }
            }
        }
        files.sort();
        for path in files.iter().filter(|path| !LEFT_OUT.iter().any(|left_out| has_extension(path, left_out)))
        {
            let inner = path.strip_prefix(&example).unwrap_or(path).to_string_lossy().replace('\\', "/");
            let _ = write!(table, "({inner:?}, include_bytes!({:?})), ", path.display().to_string());
        }
        table.push_str("] },\n");
    }
    table.push(']');
    Ok(table)
}

/// The files and folders in a folder, sorted by path.
fn sorted(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

/// A sentence with a capital and a full stop.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(letters).chain(['.']).collect())
}
