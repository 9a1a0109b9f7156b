//! Puts the pages of `docs/errors/` and the programs of `examples/` into tables that the command carries
//! with it, each sorted by name.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Files of an example that are made by running it, or not for its reader.
const LEFT_OUT: [&str; 3] = ["trace", "rs", "snap"];

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("error_pages.rs"), error_pages(&root.join("docs/errors"))?)?;
    fs::write(out.join("example_files.rs"), example_files(&root.join("examples"))?)?;
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=docs/errors");
    println!("cargo::rerun-if-changed=examples");
    Ok(())
}

/// `[("E0001", "the text of the page"), ..]`
fn error_pages(folder: &Path) -> io::Result<String> {
    let mut table = "[\n".to_owned();
    for path in sorted(folder)? {
        if path.extension().is_some_and(|extension| extension == "md") {
            let code = path.file_stem().unwrap_or_default().to_string_lossy();
            let _ = writeln!(table, "({code:?}, include_str!({:?})),", path.display().to_string());
        }
    }
    table.push(']');
    Ok(table)
}

/// `[("bts", "bts.hasse", b"the content of the file"), ..]`
fn example_files(folder: &Path) -> io::Result<String> {
    let mut table = "[\n".to_owned();
    // A crate among the examples is no program to begin with.
    let is_program = |path: &PathBuf| path.is_dir() && !path.join("Cargo.toml").exists();
    for example in sorted(folder)?.into_iter().filter(is_program) {
        let name = example.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut folders = vec![example.clone()];
        let mut files = Vec::new();
        while let Some(folder) = folders.pop() {
            for path in sorted(&folder)? {
                if path.is_dir() { folders.push(path) } else { files.push(path) }
            }
        }
        files.sort();
        for path in files {
            let extension = path.extension().unwrap_or_default().to_string_lossy();
            if LEFT_OUT.contains(&&*extension) {
                continue;
            }
            let inner = path.strip_prefix(&example).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            let _ =
                writeln!(table, "({name:?}, {inner:?}, include_bytes!({:?})),", path.display().to_string());
        }
    }
    table.push(']');
    Ok(table)
}

/// What stands in a folder; nothing where there is none.
fn sorted(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    if folder.is_dir() {
        for entry in fs::read_dir(folder)? {
            paths.push(entry?.path());
        }
    }
    paths.sort();
    Ok(paths)
}
